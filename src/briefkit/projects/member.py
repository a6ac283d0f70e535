"""One member of a project, in either ecosystem: what is locked for it and what is installed for it, put together."""

from __future__ import annotations

import os

from briefkit.records import TYPE_CHECKING

from ..names import canonical
from ..packages import REGISTRY
from .found import Found
from .joining import LockedFact, join, not_locked

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..packages import Edge, Installed
    from .found import Holds
    from .locked_view import LockedView
    from .package_json import Declared
    from .resolution import OtherVersion, Resolution


class Member:
    """A member's questions; NpmMember and PythonMember say what differs between the ecosystems.

    `importer` is its folder relative to the root, `folder` the absolute one, which need not be on this disk.
    """

    ecosystem: str

    def __init__(self, root: str, repo: str, importer: str) -> None:
        self.root = root
        self.repo = repo
        self.importer = importer
        self.folder = os.path.normpath(os.path.join(root, importer))
        self._declared: tuple[Declared, ...] | None = None

    def names_asked(self, query: str) -> tuple[str, ...]:
        """The package names that a query can mean."""
        raise NotImplementedError

    def installed(self, name: str) -> Installed | None:
        """The copy that the member gets under a name."""
        raise NotImplementedError

    def all_installed(self) -> tuple[Installed, ...]:
        """Every copy in the project's trees, or distribution in its environment."""
        raise NotImplementedError

    def read_declared(self) -> tuple[Declared, ...]:
        """What the member's manifests declare, read now."""
        raise NotImplementedError

    def found(self, name: str, view: LockedView) -> tuple[Found, ...]:
        """What a lockfile gives the member under a name."""
        raise NotImplementedError

    def fact(self, found: Found, view: LockedView) -> LockedFact:
        """What the lockfile says of one thing it gives."""
        raise NotImplementedError

    def copy(self, found: Found, fact: LockedFact) -> Installed | None:
        """The installed copy of one thing that the lockfile gives."""
        raise NotImplementedError

    def platform_limit(self, found: Found, view: LockedView) -> str | None:
        """Why this host does not get what is locked and not installed, None where it may."""
        raise NotImplementedError

    def other_copies(self, installed: Installed) -> tuple[OtherVersion, ...]:
        """The other installed versions of a package that no lockfile tells of."""
        raise NotImplementedError

    def declared(self) -> tuple[Declared, ...]:
        """What the member's manifests declare.

        Raises:
            UnreadableError: A manifest is there and cannot be read.

        """
        if self._declared is None:
            self._declared = self.read_declared()
        return self._declared

    def holds(self) -> Holds | None:
        """Whether a marker holds for the project; None where none is evaluated."""
        return None

    def locked(self, query: str, name: str, view: LockedView) -> tuple[Resolution, ...]:
        """The resolutions of a name that one lockfile gives; empty where it locks nothing for the member."""
        resolved = [self.joined(query, found, view) for found in self.found(name, view)]
        return self.told_apart([each for each in resolved if each is not None])

    def told_apart(self, resolutions: list[Resolution]) -> tuple[Resolution, ...]:
        """The resolutions of one lockfile, each with the copy that is its own."""
        return tuple(resolutions)

    def joined(self, query: str, found: Found, view: LockedView) -> Resolution | None:
        """One thing the lockfile gives, joined with what is installed; None where it is neither locked nor installed.

        What the lockfile names without a version or a source of its own (a range, an unmet peer) is not locked.
        """
        fact = self.fact(found, view)
        installed = self.copy(found, fact)
        if fact.version is not None or fact.source.kind != REGISTRY:
            if installed is None:
                fact = self._limited(fact, found, view)
            return join(query, self.ecosystem, self.importer, fact, installed, self.repo)
        if installed is None:
            return None
        return not_locked(
            query,
            self.ecosystem,
            self.importer,
            installed,
            self.repo,
            requirement=fact.requirement,
            direct=fact.direct,
            groups=fact.groups,
            notes=(f"{fact.proof.file}:{fact.proof.line} names it and states no version",),
        )

    def joined_anywhere(
        self, found: Found, view: LockedView, copies: Mapping[tuple[str, str | None], Installed]
    ) -> Resolution:
        """One thing the lockfile holds, joined with the copy of that very version that lies anywhere in the project's trees."""
        fact = self.fact(found, view)
        copy = copies.get((fact.name, fact.version))
        if copy is None and copies and found.chain and fact.excluded is None:
            copy = self.copy(found, fact)
        if copy is None:
            fact = self._limited(fact, found, view)
        return join(fact.asked, self.ecosystem, self.importer, fact, copy, self.repo)

    def _limited(self, fact: LockedFact, found: Found, view: LockedView) -> LockedFact:
        """The fact with the platforms it is for, where this host is none of them; what production needs is for every platform."""
        if fact.excluded is not None or fact.groups == ("prod",):
            return fact
        return fact._replace(excluded=self.platform_limit(found, view))

    def only_installed(self, copy: Installed) -> Resolution:
        """The resolution of an installed copy that no lockfile holds."""
        return not_locked(copy.name, self.ecosystem, self.importer, copy, self.repo)

    def unlocked(self, query: str, name: str, views: Iterable[LockedView]) -> tuple[Resolution, ...]:
        """The resolution of what is installed for the member, and that no lockfile gives to it.

        A lockfile may hold that very version for another member, whose copy this one sees.
        """
        installed = self.installed(name)
        if installed is None:
            return ()
        others = self.other_copies(installed)
        for view in views:
            bearing = view.bearing(installed.name, installed.version, installed.root)
            if bearing is not None:
                fact = self.fact(Found(name, bearing, (), (name,), ()), view)
                note = f"not declared by {self.importer}; it sees a copy that is there for others"
                fact = fact._replace(notes=(*fact.notes, note))
                return (join(query, self.ecosystem, self.importer, fact, installed, self.repo),)
            others = view.other_versions(installed.name, installed.version) or others
        declared = self.declaration(name)
        return (
            not_locked(
                query,
                self.ecosystem,
                self.importer,
                installed,
                self.repo,
                requirement=declared.requirement if declared else None,
                direct=declared is not None,
                groups=(declared.group,) if declared else (),
                other_versions=others,
            ),
        )

    def declaration(self, name: str) -> Declared | None:
        """What the manifest declares under a name."""
        asked = canonical(self.ecosystem, name)
        return next((each for each in self.declared() if canonical(self.ecosystem, each.name) == asked), None)


def requirement_of(edges: tuple[Edge, ...]) -> str | None:
    """The requirement as written, of the first declaration that has one."""
    return next((edge.requirement for edge in edges if edge.requirement), None)


def rule_of(found: Found, key: str) -> str:
    """The rule that led to an instance of the lockfile, in words."""
    if found.declared:
        return f"declared as {found.asked} ({', '.join(found.groups)}); locked as {key}"
    if len(found.chain) > 1:
        return f"reached through {' > '.join(found.chain[:-1])}; locked as {key}"
    return f"in the lockfile, not declared here; locked as {key}"

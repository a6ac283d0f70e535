"""The npm half of a project: what a member declares, what the lockfile gives it, and the copy that node would load for it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..installed.node_packages import copies, find_package
from ..names import NPM, is_npm_name, split_npm_subpath
from ..packages import LINK, REGISTRY, WORKSPACE, Source
from ..paths import is_within, shown_path
from .joining import LockedFact, join, not_locked
from .package_json import declared_in, read_package_json
from .resolution import OtherVersion, Proof

if TYPE_CHECKING:
    from ..packages import Edge, Installed
    from .locked_view import Found, LockedView
    from .package_json import Declared
    from .resolution import Resolution

_LOCAL = (WORKSPACE, LINK)


class NpmProject:
    """One member of an npm project: `folder` is where it lies (it need not be on this disk), `asking` where the question was asked."""

    ecosystem = NPM

    def __init__(self, root: str, repo: str, importer: str, asking: str | None = None) -> None:
        self.root = root
        self.repo = repo
        self.importer = importer
        self.folder = os.path.normpath(os.path.join(root, importer))
        inside = asking is not None and is_within(asking, self.folder)
        self.asking = asking if inside and asking is not None else self.folder

    def names_asked(self, query: str) -> tuple[str, ...]:
        """The package names that a query can mean: the package of an import with a sub-path."""
        name, _ = split_npm_subpath(query)
        return (name,) if is_npm_name(name) else ()

    def installed(self, name: str) -> Installed | None:
        """The copy that code in the member gets under a name."""
        return find_package(name, self.asking)

    def declared(self) -> tuple[Declared, ...]:
        """What the member's own manifest declares."""
        path = os.path.join(self.folder, "package.json")
        return declared_in(self.folder, shown_path(path, self.repo))

    def locked(self, query: str, name: str, view: LockedView) -> tuple[Resolution, ...]:
        """The resolutions of a name that one lockfile gives; empty where the member reaches none."""
        found = (
            view.declared(self.importer, name)
            or view.reachable(self.importer, name)
            or view.unreached(self.importer, name)
        )
        return tuple(self.resolution(query, each, view) for each in found)

    def resolution(self, query: str, found: Found, view: LockedView) -> Resolution:
        """One thing the lockfile gives, joined with the copy that is installed for it."""
        return join(query, NPM, self.importer, self._fact(found, view), self._copy(found), self.repo)

    def unlocked(self, query: str, name: str) -> tuple[Resolution, ...]:
        """The resolution of what is installed and that no lockfile gives the member."""
        installed = self.installed(name)
        if installed is None:
            return ()
        declared = next((each for each in self.declared() if each.name == name), None)
        return (
            not_locked(
                query,
                NPM,
                self.importer,
                installed,
                self.repo,
                requirement=declared.requirement if declared else None,
                direct=declared is not None,
                groups=(declared.group,) if declared else (),
                other_versions=self._other_copies(installed),
            ),
        )

    def _copy(self, found: Found) -> Installed | None:
        """The installed copy at the end of a chain of names, each looked up from the package before it, as node does."""
        folder = self.asking
        copy: Installed | None = None
        for name in found.chain:
            copy = find_package(name, folder)
            if copy is None:
                return None
            folder = copy.root
        return copy

    def _fact(self, found: Found, view: LockedView) -> LockedFact:
        if found.instance is None:
            return self._linked_fact(found, view)
        instance = view.reading.instance(found.instance)
        package = view.reading.package(instance.package)
        return LockedFact(
            package.name,
            package.version,
            Proof(view.shown, instance.line or package.line, _rule(found, instance.key)),
            view.used,
            package.source,
            found.asked,
            requirement=_requirement(found.edges),
            direct=found.declared,
            groups=found.groups,
            other_versions=view.other_versions(package.name, instance.package),
            local=package.source.kind in _LOCAL,
        )

    def _linked_fact(self, found: Found, view: LockedView) -> LockedFact:
        """A folder the lockfile links to without a record of its own, or a name it only mentions."""
        edge = found.edges[0]
        name, version = found.asked, None
        source = Source(REGISTRY)
        if edge.link is not None:
            member = view.reading.importer(edge.link)
            source = Source(WORKSPACE if member is not None else LINK, path=edge.link)
            name, version = self._folder_identity(os.path.join(view.folder, edge.link), name)
        return LockedFact(
            name,
            version,
            Proof(view.shown, edge.line, f"declared by {self.importer}; {_leads(edge)}"),
            view.used,
            source,
            found.asked,
            requirement=_requirement(found.edges),
            direct=True,
            groups=found.groups,
            local=edge.link is not None,
        )

    def _folder_identity(self, folder: str, fallback: str) -> tuple[str, str | None]:
        """The name and version that a linked folder's own manifest states."""
        path = os.path.join(folder, "package.json")
        fields = read_package_json(folder, shown_path(os.path.normpath(path), self.repo)) or {}
        name, version = fields.get("name"), fields.get("version")
        return name if isinstance(name, str) and is_npm_name(name) else fallback, version if isinstance(
            version, str
        ) else None

    def _other_copies(self, installed: Installed) -> tuple[OtherVersion, ...]:
        """The other installed versions where no lockfile tells of them, each with the folders that hold it."""
        found: dict[str | None, list[str]] = {}
        for copy in copies(installed.name, self.root):
            if copy.name == installed.name and copy.version != installed.version:
                found.setdefault(copy.version, []).append(shown_path(copy.link or copy.root, self.repo))
        return tuple(OtherVersion(version, tuple(where[:20])) for version, where in found.items())


def _requirement(edges: tuple[Edge, ...]) -> str | None:
    return next((edge.requirement for edge in edges if edge.requirement is not None), None)


def _rule(found: Found, key: str) -> str:
    if found.declared:
        return f"declared as {found.asked} ({', '.join(found.groups)}); locked as {key}"
    if len(found.chain) > 1:
        return f"reached through {' > '.join(found.chain[:-1])}; locked as {key}"
    return f"not declared here, but in the lockfile; locked as {key}"


def _leads(edge: Edge) -> str:
    return f"a link to {edge.link}" if edge.link is not None else "the lockfile holds no package for it"

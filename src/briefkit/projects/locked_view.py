"""A lockfile as one importer sees it: what it declares, what it reaches, and who uses the other versions.

An importer is a member's folder. What it declares is read from the lockfile, or from the member's manifest where the format does not
say; the rest is a walk over the lockfile's own edges.
"""

from __future__ import annotations

import os
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from ..names import canonical
from ..paths import LOCKFILE_LIMIT, read_text
from .resolution import LockfileUsed, OtherVersion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..lockfiles.reading import LockfileReading
    from ..packages import Edge, LockedPackage

    ManifestEdges = Callable[[str], tuple[Edge, ...]]
    """importer -> what its manifest declares, each edge led to an instance of the lockfile."""
    Holds = Callable[[str], bool]
    """Whether a marker holds in the project's environment."""

_MAX_USERS = 50


class Found(NamedTuple):
    """One way in which an importer gets a package: the instance, or None where the lockfile only knows a link or a name.

    `asked` is the name the importer or the last package on the way uses; `edges` are what the importer declares (empty where it does
    not); `chain` are the names to follow through what is installed, the importer's own first; `groups` are the importer's.
    """

    asked: str
    instance: int | None
    edges: tuple[Edge, ...]
    chain: tuple[str, ...]
    groups: tuple[str, ...]
    markers: tuple[str, ...] = ()

    @property
    def declared(self) -> bool:
        """Whether the importer itself declares it."""
        return bool(self.edges)


class LockedView:
    """One lockfile with the manifests beside it; all questions are about one importer of it.

    A `constraint` pins what others ask for; `by_manifest` are the importers whose edges a manifest gave. `refine` adds what only a manifest says to the edges of the lockfile.
    """

    def __init__(
        self,
        reading: LockfileReading,
        path: str,
        folder: str,
        shown: str,
        manifest_edges: ManifestEdges,
        members: Callable[[], tuple[str, ...]],
        *,
        constraint: bool = False,
    ) -> None:
        self.reading = reading
        self.constraint = constraint
        self.refine: Callable[[str, tuple[Edge, ...]], tuple[Edge, ...]] | None = None
        self.folder = folder
        self.shown = shown
        self.used = LockfileUsed(shown, reading.format, reading.format_version)
        self._manifest_edges = manifest_edges
        self._members = members
        self._path = path
        self._edges: dict[str, tuple[Edge, ...]] = {}
        self._direct: dict[str, bool] = {}
        self._users_of: dict[int, list[str]] | None = None
        self.by_manifest: set[str] = set()

    def edges(self, importer: str) -> tuple[Edge, ...]:
        """What a member declares: as the lockfile says, else as its manifest does."""
        if importer not in self._edges:
            known = self.reading.importer(importer)
            self._direct[importer] = True
            if known is not None and known.declared:
                self._edges[importer] = self.refine(importer, known.edges) if self.refine else known.edges
            else:
                edges = self._manifest_edges(importer)
                self._direct[importer] = bool(edges)
                self._edges[importer] = edges or (known.edges if known is not None else ())
                if edges:
                    self.by_manifest.add(importer)
        return self._edges[importer]

    def text(self) -> str:
        """The lockfile's text, for the few answers that its reading does not carry; empty where it is gone."""
        from ..errors import UnreadableError

        try:
            return read_text(self._path, LOCKFILE_LIMIT)
        except UnreadableError:
            return ""

    def direct_known(self, importer: str) -> bool:
        """Whether the lockfile or a manifest says what the member declares; a bare list of pins does not."""
        self.edges(importer)
        return self._direct[importer]

    def package_of(self, instance: int) -> LockedPackage:
        """The package that an instance holds."""
        return self.reading.package(self.reading.instance(instance).package)

    def declared(self, importer: str, name: str) -> tuple[Found, ...]:
        """What a member gets under a name it declares: one for each place it leads to, none where it does not declare the name."""
        asked = canonical(self.reading.ecosystem, name)
        led: dict[object, list[Edge]] = {}
        for edge in self.edges(importer):
            if canonical(self.reading.ecosystem, edge.name) == asked:
                led.setdefault(self._place(edge), []).append(edge)
        if len(led) > 1:
            led.pop(None, None)  # a second declaration that leads nowhere, such as an unmet peer, adds no answer
        return tuple(_found(edges) for edges in led.values())

    def _place(self, edge: Edge) -> object:
        """What tells apart where edges lead: the package, the linked folder, or nothing."""
        return edge.link if edge.target is None else self.reading.instance(edge.target).package

    def _lies_at(self, package: LockedPackage, root: str) -> bool:
        """Whether a package without a version is the linked folder at an absolute path."""
        path = package.source.path
        return path is not None and os.path.realpath(os.path.join(self.folder, path)) == root

    def bearing(self, name: str, version: str | None, root: str) -> int | None:
        """An instance of this real name and version, or of the folder `root`, whoever uses it."""
        wanted = {
            index
            for index in self.reading.packages_named(name)
            if (package := self.reading.package(index)).name == name
            and (package.version == version if package.version is not None else self._lies_at(package, root))
        }
        if not wanted:
            return None
        return next((index for index, each in enumerate(self.reading.instances) if each.package in wanted), None)

    def package_index(self, found: Found) -> int | None:
        """The package that was found, by its index in the lockfile; None for a link or a bare name."""
        return None if found.instance is None else self.reading.instance(found.instance).package

    def all_declared(self, importer: str) -> tuple[str, ...]:
        """The names a member declares, in the order of the declarations."""
        return tuple(dict.fromkeys(edge.name for edge in self.edges(importer)))

    def reachable(self, importer: str, name: str, holds: Holds | None = None) -> tuple[Found, ...]:
        """The instances of a name that a member reaches through others, by real name or alias, one for each package, nearest first.

        With `holds` only edges whose marker it accepts are followed.
        """
        wanted = set(self.reading.packages_named(name))
        if not wanted:
            return ()
        found: dict[int, Found] = {}
        for step in self._walk(importer, holds):
            package = self.reading.instance(step.instance).package
            if package not in wanted:
                continue
            if package not in found:
                found[package] = step.found()
            elif step.group not in found[package].groups:
                groups = _in_order((*found[package].groups, step.group))
                found[package] = found[package]._replace(groups=groups)
        return tuple(found.values())

    def unreached(self, importer: str, name: str) -> tuple[Found, ...]:
        """What the lockfile holds under a name that no walk from the member reaches.

        A copy that the member's folders see by hoisting, where the format says so; else, in a lockfile of one project, whatever bears
        the name: it is there for that project, though the file does not say by which way.
        """
        instance = self.reading.visible(importer, name)
        if instance is not None:
            return (Found(name, instance, (), (name,), ()),)
        if len(self.importers()) > 1 or self.reading.members:
            return ()
        wanted = set(self.reading.packages_named(name))
        found: dict[int, Found] = {}
        for index, each in enumerate(self.reading.instances if wanted else ()):
            if each.package in wanted and each.package not in found:
                package = self.reading.package(each.package)
                asked = name if name in package.aliases else package.name
                found[each.package] = Found(asked, index, (), (asked,), package.groups)
        return tuple(found.values())

    def everything(self, importer: str) -> Iterator[Found]:
        """Each package of the lockfile but the members: by the way the member gets it, the others as they stand in the file."""
        reached: dict[int, Found] = {}
        for step in self._walk(importer, None):
            reached.setdefault(self.reading.instance(step.instance).package, step.found())
        for index, instance in enumerate(self.reading.instances):
            package = self.reading.package(instance.package)
            if package.source.kind != "workspace" and instance.package not in reached:
                reached[instance.package] = Found(package.name, index, (), (), package.groups)
        for found in reached.values():
            if self.package_of(found.instance or 0).source.kind != "workspace":
                yield found

    def _walk(self, importer: str, holds: Holds | None) -> Iterator[_Step]:
        """Breadth first from what the member declares; an instance again where other extras or another group ask for it."""
        seen: set[tuple[int, tuple[str, ...], str]] = set()
        pending: deque[tuple[Edge, tuple[str, ...], str]] = deque(self._roots(importer))
        while pending:
            edge, chain, group = pending.popleft()
            target = edge.target
            if target is None or (target, edge.extras, group) in seen or not _followed(edge.marker, holds):
                continue
            seen.add((target, edge.extras, group))
            yield _Step(target, edge, chain, group)
            for below in self.reading.instance(target).edges:
                if below.target is not None and _asked_for(below.group, edge.extras):
                    pending.append((below, (*chain, below.name), _group_below(group, below.group)))

    def _roots(self, importer: str) -> Iterator[tuple[Edge, tuple[str, ...], str]]:
        """The member's declarations, then those of the members it links to, each with the names on the way and the first group."""
        seen = {importer}
        pending: list[tuple[str, tuple[str, ...], str]] = [(importer, (), "")]
        while pending:
            path, before, group = pending.pop(0)
            for edge in self.edges(path):
                if path != importer and not _asked_for(edge.group, ()):
                    continue  # what a linked member needs to be built or tested is not what its users get
                chain = (*before, edge.name)
                yield edge, chain, group or edge.group
                if edge.link is not None and edge.link not in seen and edge.link in self.importers():
                    seen.add(edge.link)
                    pending.append((edge.link, chain, group or edge.group))

    def other_versions(self, name: str, chosen: int | None) -> tuple[OtherVersion, ...]:
        """The other versions of a package in the whole lockfile, each with who uses it; `chosen` is the package answered with."""
        named = [
            index
            for index in self.reading.packages_named(name)
            if self.reading.package(index).name == name or chosen is None
        ]
        version = self.reading.package(chosen).version if chosen is not None else None
        others = [index for index in named if index != chosen and self.reading.package(index).version != version]
        if not others:
            return ()
        users = self._users()
        by_version: dict[str | None, dict[str, None]] = {}
        for index in others:
            by_version.setdefault(self.reading.package(index).version, {}).update(dict.fromkeys(users.get(index, ())))
        return tuple(OtherVersion(each, tuple(used)[:_MAX_USERS]) for each, used in by_version.items())

    def _users(self) -> dict[int, list[str]]:
        """Who asks for each package that has other versions: members by their path, packages as `name@version`."""
        if self._users_of is None:
            self._users_of = {}
            instances = self.reading.instances
            for path in self.importers():
                for edge in self.edges(path):
                    if edge.target is not None:
                        self._users_of.setdefault(instances[edge.target].package, []).append(path)
            for instance in instances:
                label = ""
                for edge in instance.edges:
                    if edge.target is not None:
                        label = label or self._label(instance.package)
                        self._users_of.setdefault(instances[edge.target].package, []).append(label)
        return self._users_of

    def _label(self, index: int) -> str:
        package = self.reading.package(index)
        if package.source.kind == "workspace":
            return package.source.path or "."
        return f"{package.name}@{package.version}" if package.version else package.name

    def importers(self) -> tuple[str, ...]:
        """The members that the lockfile knows, `.` among them where it is one; where it knows none, those that are listed."""
        known = tuple(importer.path for importer in self.reading.importers)
        return known if self.reading.members or len(known) > 1 else tuple(dict.fromkeys((*known, *self._members())))


class _Step(NamedTuple):
    """One step of a walk: the instance, the edge that led to it, the names on the way, the group of the first of them."""

    instance: int
    edge: Edge
    chain: tuple[str, ...]
    group: str

    def found(self) -> Found:
        edges = (self.edge,) if len(self.chain) == 1 else ()
        markers = (self.edge.marker,) if self.edge.marker else ()
        return Found(self.edge.name, self.instance, edges, self.chain, (self.group,), markers)


_WEIGHTS = {group: place for place, group in enumerate(("prod", "main", "default", "dev", "optional", "peer"))}
_ALWAYS = ("prod", "optional", "peer", "main", "default")


def _asked_for(group: str, extras: tuple[str, ...]) -> bool:
    """Whether who uses a package with these extras gets what it declares in a group."""
    return group in _ALWAYS or (group.startswith("extra:") and group[6:] in extras)


def _in_order(groups: tuple[str, ...]) -> tuple[str, ...]:
    """Groups in the order of their weight: what production needs first; a format's own names as they came."""
    return tuple(sorted(groups, key=lambda group: _WEIGHTS.get(group, len(_WEIGHTS))))


def _group_below(group: str, asked: str) -> str:
    """The group that reaches what a package asks for: what production asks for optionally is optional."""
    return asked if asked == "optional" and group == "prod" else group


def _followed(marker: str | None, holds: Holds | None) -> bool:
    return marker is None or holds is None or holds(marker)


def _found(edges: list[Edge]) -> Found:
    groups = _in_order(tuple(dict.fromkeys(edge.group for edge in edges)))
    markers = tuple(dict.fromkeys(edge.marker for edge in edges if edge.marker))
    return Found(edges[0].name, edges[0].target, tuple(edges), (edges[0].name,), groups, markers)

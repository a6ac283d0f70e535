"""A lockfile as one importer sees it: what it declares, what it reaches, and who uses the other versions.

An importer is a member's folder. What it declares is read from the lockfile, or from the member's manifest where the format does not
say; the rest is a walk over the lockfile's own edges.
"""

from __future__ import annotations

import os
from collections import deque

from briefkit.records import TYPE_CHECKING

from ..names import NPM, canonical
from ..packages import DIRECTORY
from ..paths import LOCKFILE_LIMIT, read_text
from .found import Found, Step, asked_for, followed, found_by, group_below, in_order
from .resolution import LockfileUsed, OtherVersion

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from ..lockfiles.reading import LockfileReading
    from ..packages import Edge, Source
    from .found import Holds

    ManifestEdges = Callable[[str], tuple[Edge, ...]]
    """importer -> what its manifest declares, each edge led to an instance of the lockfile."""

_MAX_USERS = 50
_FEW_QUESTIONS = 12


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
        self._lines: list[str] | None = None
        self._questions = 0
        self._askers: dict[int, list[int]] | None = None
        self._versions_of: dict[str, tuple[OtherVersion, ...]] = {}
        self._edges: dict[str, tuple[Edge, ...]] = {}
        self._direct: dict[str, bool] = {}
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

    def lines(self) -> list[str]:
        """The lockfile's lines, for the few answers that its reading does not carry; none where it is gone."""
        from ..errors import UnreadableError

        if self._lines is None:
            try:
                self._lines = read_text(self._path, LOCKFILE_LIMIT).split("\n")
            except UnreadableError:
                self._lines = []
        return self._lines

    def direct_known(self, importer: str) -> bool:
        """Whether the lockfile or a manifest says what the member declares; a bare list of pins does not."""
        self.edges(importer)
        return self._direct[importer]

    def declared(self, importer: str, name: str) -> tuple[Found, ...]:
        """What a member gets under a name it declares: one for each place it leads to, none where it does not declare the name."""
        asked = canonical(self.reading.ecosystem, name)
        edges = [edge for edge in self.edges(importer) if canonical(self.reading.ecosystem, edge.name) == asked]
        if len(edges) < 2:
            return tuple(found_by(edges) for _ in edges)
        led: dict[object, list[Edge]] = {}
        for edge in edges:
            led.setdefault(edge.link if edge.target is None else self.identity(edge.target), []).append(edge)
        if len(led) > 1:
            led.pop(None, None)  # a second declaration that leads nowhere, such as an unmet peer, adds no answer
        return tuple(found_by(each) for each in led.values())

    def identity(self, instance: int) -> tuple[str, str | None, Source]:
        """Name, version and source of an instance: equal ones are one package."""
        held = self.reading.held(instance)
        return held.name, held.version, held.source

    def bearing(self, name: str, version: str | None, root: str) -> int | None:
        """An instance of this real name and version, or of the folder `root`, whoever uses it."""
        for instance in self.reading.instances_named(name):
            held = self.reading.held(instance)
            if held.version == version if held.version is not None else self._lies_at(held.source, root):
                return instance
        return None

    def _lies_at(self, source: Source, root: str) -> bool:
        """Whether a local source is the folder at an absolute path, or is copied into a tree."""
        return source.kind == DIRECTORY or (
            source.path is not None and os.path.realpath(os.path.join(self.folder, source.path)) == root
        )

    def all_declared(self, importer: str) -> tuple[str, ...]:
        """The names a member declares, in the order of the declarations."""
        return tuple(dict.fromkeys(edge.name for edge in self.edges(importer)))

    def reachable(self, importer: str, name: str, holds: Holds | None = None) -> tuple[Found, ...]:
        """The instances of a name that a member reaches through others, by real name or alias, one for each package, nearest first.

        With `holds` only edges whose marker it accepts are followed.
        """
        wanted = frozenset(self.reading.instances_named(name))
        if not wanted and not self._is_alias(importer, name):
            return ()
        found: dict[object, Found] = {}
        for step in self._walk((importer,), holds):
            if step.instance not in wanted and step.edge.name != name:
                continue
            package = self.identity(step.instance)
            if package not in found:
                found[package] = step.found()
            elif step.group not in found[package].groups:
                groups = in_order((*found[package].groups, step.group))
                found[package] = found[package]._replace(groups=groups)
        return tuple(found.values())

    def _is_alias(self, importer: str, name: str) -> bool:
        """Whether anything in the lockfile asks for something under this name."""
        if self.reading.ecosystem != NPM:
            return False
        asking = self.reading.asking(frozenset((name,)))
        return any(edge.name == name for edge in self.edges(importer)) or any(
            edge.name == name for index in asking for edge in self.reading.edges(index)
        )

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

    def member_names(self) -> Iterator[str]:
        """The names of the workspace's own members that the lockfile holds."""
        return (package.name for package in self.reading.packages if package.source.kind == "workspace")

    def everything(self, importer: str, holds: Holds | None = None) -> Iterator[Found]:
        """Each package of the lockfile but the members: by the way the member gets it, the others as they stand in the file.

        With `holds`, what is reached only over a marker that it does not accept is barred.
        """
        reached: dict[int, Found] = {}
        for step in self._walk((importer,), holds):
            reached.setdefault(self.reading.instance(step.instance).package, step.found())
        for step in self._walk((importer,), None) if holds is not None else ():
            reached.setdefault(self.reading.instance(step.instance).package, step.found()._replace(barred=True))
        for index, instance in enumerate(self.reading.instances):
            package = self.reading.package(instance.package)
            if package.source.kind != "workspace" and instance.package not in reached:
                reached[instance.package] = Found(package.name, index, (), (), package.groups)
        for index, found in reached.items():
            if self.reading.package(index).source.kind != "workspace":
                yield found

    def used_by_members(self, name: str, holds: Holds | None = None) -> tuple[tuple[str, Found], ...]:
        """The packages of a name that members other than the root get, each once, for the member that declares it, else one that reaches it."""
        members = [path for path in self.importers() if path != "."]
        found: dict[object, tuple[str, Found]] = {}
        for path in members:
            for each in self.declared(path, name):
                if each.instance is not None:
                    found.setdefault(self.identity(each.instance), (path, each))
        wanted = frozenset(self.reading.instances_named(name))
        for step in self._walk(members, holds) if wanted else ():
            if step.instance in wanted:
                found.setdefault(self.identity(step.instance), (step.importer, step.found()))
        return tuple(found.values())

    def _walk(self, importers: Iterable[str], holds: Holds | None) -> Iterator[Step]:
        """Breadth first from what members declare; an instance again where other extras or another group ask for it."""
        seen: set[tuple[int, tuple[str, ...], str]] = set()
        pending: deque[tuple[Edge, tuple[str, ...], str, str]] = deque(
            (*root, importer) for importer in importers for root in self._roots(importer)
        )
        while pending:
            edge, chain, group, importer = pending.popleft()
            target = edge.target
            if target is None or (target, edge.extras, group) in seen or not followed(edge.marker, holds):
                continue
            seen.add((target, edge.extras, group))
            yield Step(target, edge, chain, group, importer)
            for below in self.reading.edges(target):
                if below.target is not None and asked_for(below.group, edge.extras):
                    pending.append((below, (*chain, below.name), group_below(group, below.group), importer))

    def way_to(self, importer: str, chain: tuple[str, ...]) -> Iterator[int]:
        """The instances on the way that a chain of names takes from a member, as far as the lockfile leads."""
        edges = self.edges(importer)
        for name in chain:
            edge = next((edge for edge in edges if edge.name == name), None)
            if edge is None:
                return
            if edge.target is not None:
                yield edge.target
                edges = self.reading.edges(edge.target)
            else:
                edges = self.edges(edge.link) if edge.link is not None else ()

    def _roots(self, importer: str) -> Iterator[tuple[Edge, tuple[str, ...], str]]:
        """The member's declarations, then those of the members it links to, each with the names on the way and the first group."""
        seen = {importer}
        pending: list[tuple[str, tuple[str, ...], str]] = [(importer, (), "")]
        while pending:
            path, before, group = pending.pop(0)
            for edge in self.edges(path):
                if path != importer and not asked_for(edge.group, ()):
                    continue  # what a linked member needs to be built or tested is not what its users get
                chain = (*before, edge.name)
                yield edge, chain, group or edge.group
                if edge.link is not None and edge.link not in seen and edge.link in self.importers():
                    seen.add(edge.link)
                    pending.append((edge.link, chain, group or edge.group))

    def other_versions(self, name: str, version: str | None) -> tuple[OtherVersion, ...]:
        """The versions of a package in the whole lockfile other than `version`, each with who uses it."""
        if name not in self._versions_of:
            self._versions_of[name] = self._all_versions(name)
        return tuple(each for each in self._versions_of[name] if each.version != version)

    def _all_versions(self, name: str) -> tuple[OtherVersion, ...]:
        """The versions of a package, each with who uses it; of a package with one version nobody is asked for."""
        all_of = {index: self.reading.held(index).version for index in self.reading.instances_named(name)}
        by_version: dict[str | None, dict[str, None]] = {version: {} for version in all_of.values()}
        for user, target in self._users(name, all_of.keys()) if len(by_version) > 1 else ():
            by_version[all_of[target]][user] = None
        return tuple(OtherVersion(each, tuple(used)[:_MAX_USERS]) for each, used in by_version.items())

    def _users(self, name: str, targets: Collection[int]) -> Iterator[tuple[str, int]]:
        """Who asks for each of these instances of a name: members by their path, packages as `name@version`."""
        for path in self.importers():
            for edge in self.edges(path):
                if edge.target in targets and edge.target is not None:
                    yield path, edge.target
        for index in self._asking(name, targets):
            for edge in self.reading.edges(index):
                if edge.target in targets and edge.target is not None:
                    yield self._label(index), edge.target

    def _asking(self, name: str, targets: Collection[int]) -> Iterable[int]:
        """The instances that may ask for these of a name; for many names from an index, which costs as much as a dozen questions."""
        self._questions += 1
        if self._questions < _FEW_QUESTIONS:
            names = {name}
            if self.reading.ecosystem == NPM:
                names.update(*map(self.reading.aliases_of, targets))
            return self.reading.asking(frozenset(names))
        if self._askers is None:
            self._askers = {}
            for index, instance in enumerate(self.reading.instances):
                for edge in instance.edges:
                    if edge.target is not None:
                        self._askers.setdefault(edge.target, []).append(index)
        return dict.fromkeys(index for target in targets for index in self._askers.get(target, ()))

    def _label(self, instance: int) -> str:
        held = self.reading.held(instance)
        if held.source.kind == "workspace":
            return held.source.path or "."
        return f"{held.name}@{held.version}" if held.version else held.name

    def importers(self) -> tuple[str, ...]:
        """The members that the lockfile knows, `.` among them where it is one; where it knows none, those that are listed."""
        known = tuple(importer.path for importer in self.reading.importers)
        return known if self.reading.members or len(known) > 1 else tuple(dict.fromkeys((*known, *self._members())))

"""uv.lock: one node a `[[package]]`, one importer a folder of the repo, groups walked from what the members declare."""

from __future__ import annotations

from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING

from ..errors import Place, UnreadableError
from ..names import PYPI
from ..packages import (
    DIRECTORY,
    EDITABLE,
    FILE,
    GIT,
    REGISTRY,
    URL,
    WORKSPACE,
    Dependency,
    Edge,
    Importer,
    Instance,
    LockedPackage,
    Skipped,
    Source,
)
from ..text import public_url
from .group_walk import groups_of
from .reading import Held, LockfileReading
from .uv_canonical import canonical_document
from .uv_declarations import EXTRA, MAIN, Requirements, declaration_lines
from .uv_document import KNOWN_REVISION, UvDependency, uv_document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .uv_declarations import Lines
    from .uv_document import UvDocument, UvLists, UvPackage, UvSource

NEVER = "python_version < '0'"  # as `conflict_extras` says it, which is imported only for locks that have conflicts
MOST_AMBIGUOUS = 100_000
MOST_CONFLICT_TEXT = 500_000
_LOCAL = ("editable", "virtual", "directory")
_KINDS = {
    "registry": REGISTRY,
    "git": GIT,
    "url": URL,
    "path": FILE,
    "directory": DIRECTORY,
    "editable": EDITABLE,
    "virtual": DIRECTORY,
}


def read_uv_lock(text: str, path: str) -> LockfileReading:
    """What a uv.lock says.

    Raises:
        UnreadableError: The text is not a uv.lock, or is over a bound.
        UnknownFormatError: Its version is not 1.

    """
    lock = _Lock(canonical_document(text, path) or uv_document(text, path), text, path)
    document = lock.document
    notes: tuple[str, ...] = ()
    if document.revision > KNOWN_REVISION:
        notes = (f"revision {document.revision} is newer than any known ({KNOWN_REVISION}); read by its structure",)
    return LockfileReading(
        path,
        "uv",
        f"1 revision {document.revision}" if document.revision else "1",
        PYPI,
        packages=lock.packages,
        instances=lock.instances,
        importers=lock.importers,
        skipped=lock.skipped,
        named=lock.named,
        held_at=lock.held,
        edges_at=lock.edges,
        instances_named=lambda name: tuple(lock.by_name.get(name, ())),
        asking=lock.asking,
        aliases_of=lambda _instance: (),
        versions=lock.versions,
        notes=notes,
        members=tuple(_folder(document.packages[index]) for index in lock.members),
        requires_python=document.requires_python,
        resolution_markers=document.markers,
    )


def _folder(package: UvPackage) -> str:
    return package.source.value.removeprefix("./") or "."


_PSEUDO = lazy_pattern(r"extra [!=]= ['\"](?:extra|group|project)-\d+-")


class _Lock:
    """A document with its names joined; each part is made when it is asked for."""

    def __init__(self, document: UvDocument, text: str, path: str) -> None:
        self.document = document
        self.path = path
        self._ambiguous = 0
        self._joined: dict[tuple[str, str | None, UvSource | None], list[int]] = {}
        self._conflict_text = 0
        self._plain_markers: dict[tuple[str, tuple[str, str, str] | None], str | None] = {}
        self.text = text
        self.by_name: dict[str, list[int]] = {}
        for index, package in enumerate(document.packages):
            self.by_name.setdefault(package.name, []).append(index)
        local = [index for index, package in enumerate(document.packages) if package.source.kind in _LOCAL]
        named = set(document.members)
        self.members = [
            index
            for index in local
            if (document.packages[index].name in named if named else _folder(document.packages[index]) == ".")
        ]
        self.local = local
        self._edges: dict[int, tuple[Edge, ...]] = {}
        self._declared: dict[int, Lines] | None = None
        self._importers: tuple[Importer, ...] | None = None

    def named(self) -> dict[str, tuple[int, ...]]:
        return {name: tuple(indexes) for name, indexes in self.by_name.items()}

    def held(self, index: int) -> Held:
        package = self.document.packages[index]
        return Held(
            package.name,
            package.version,
            _source(package.source, package.integrity, index in self.members),
            _key(package),
            package.line,
            self._package_marker(package.markers),
        )

    def versions(self) -> tuple[tuple[str, str | None], ...]:
        return tuple(dict.fromkeys((package.name, package.version) for package in self.document.packages))

    def asking(self, names: frozenset[str]) -> Iterator[int]:
        needles = [f'"{name}"' for name in names]
        for index, package in enumerate(self.document.packages):
            text = package.mentions
            if text is None or any(needle in text for needle in needles):
                yield index

    def targets(self, dependency: UvDependency) -> list[int]:
        """The packages an entry leads to: one, or where the entry does not say which, each that fits."""
        found = self.by_name.get(dependency.name, [])
        if len(found) < 2:
            return found
        key = (dependency.name, dependency.version, dependency.source)
        if key not in self._joined:
            packages = self.document.packages
            self._spend(1 + len(found) // 50, found[0])
            self._joined[key] = [
                index
                for index in found
                if dependency.version in (None, packages[index].version)
                and dependency.source in (None, packages[index].source)
            ]
        joined = self._joined[key]
        if len(joined) > 1:
            self._spend(len(joined), found[0])
        return joined

    def _spend(self, ways: int, index: int) -> None:
        self._ambiguous += ways
        if self._ambiguous > MOST_AMBIGUOUS:
            raise UnreadableError(
                f"more than {MOST_AMBIGUOUS:,} ways to join dependencies with packages of the same name",
                place=Place(self.path, self.document.packages[index].line),
            )

    def edges(self, index: int) -> tuple[Edge, ...]:
        """What a package declares; for a folder of the repo with lines and what was required."""
        if index not in self._edges:
            lists = self.document.packages[index].lists()
            found = self._edges_of(index, lists)
            local = self.document.packages[index].source.kind in _LOCAL
            self._edges[index] = tuple(self._as_declared(index, lists, found) if local else found)
        return self._edges[index]

    def _edges_of(self, index: int, lists: UvLists) -> Iterator[Edge]:
        name = self.document.packages[index].name
        for dependency in lists.dependencies:
            yield from self._edge(dependency, MAIN, None)
        for extra, dependencies in lists.optional.items():
            for dependency in dependencies:
                yield from self._edge(dependency, EXTRA + extra, (name, extra, "extra"))
        for group, dependencies in lists.groups.items():
            for dependency in dependencies:
                yield from self._edge(dependency, group, (name, group, "group"))

    def _edge(self, dependency: UvDependency, group: str, active: tuple[str, str, str] | None) -> Iterator[Edge]:
        marker = dependency.marker
        if marker is not None and "extra" in marker:
            marker = self._plain(marker, active)
            if marker == NEVER:  # of two extras of which one at most is active
                return
        for target in self.targets(dependency) or (None,):
            link = None
            if target is not None and self.document.packages[target].source.kind in _LOCAL:
                link = _folder(self.document.packages[target])
            yield Edge(dependency.name, target, None, group, marker, 0, link, dependency.extras)

    def _plain(self, marker: str, active: tuple[str, str, str] | None) -> str | None:
        from .conflict_extras import pseudo_extra, without_pseudo_extras

        if not _PSEUDO.search(marker):
            return marker
        key = (marker, active)
        if key not in self._plain_markers:
            self._conflict_text += len(marker)
            if self._conflict_text > MOST_CONFLICT_TEXT:
                what = f"more than {MOST_CONFLICT_TEXT:,} characters of markers on conflicting extras"
                raise UnreadableError(what, place=Place(self.path))
            chosen = pseudo_extra(*active) if active else None
            self._plain_markers[key] = without_pseudo_extras(marker, self.document.conflicts, chosen)
        return self._plain_markers[key]

    def _as_declared(self, index: int, lists: UvLists, edges: Iterator[Edge]) -> Iterator[Edge]:
        lines = self._lines_of(self.document.packages[index].line)
        requirements = Requirements(lists)
        for edge in edges:
            places = lines.get((edge.group, edge.name), [])
            line = places.pop(0) if len(places) > 1 else places[0] if places else 0
            yield edge._replace(line=line, requirement=requirements.of(edge.group, edge.name, edge.marker))

    def _lines_of(self, first: int) -> Lines:
        """Where the table at a line declares what; all are read at once, since the text is walked from its beginning."""
        if self._declared is None:
            firsts = {1, *(self.document.packages[index].line for index in self.local)} - {0}
            self._declared = declaration_lines(self.text, sorted(firsts))
        return self._declared.get(first, {})

    def importers(self) -> tuple[Importer, ...]:
        """One for each folder of the repo that the lock knows; the root also where it is no package."""
        if self._importers is not None:
            return self._importers
        packages = self.document.packages
        found = [
            Importer(
                _folder(packages[index]),
                packages[index].name,
                packages[index].version,
                packages[index].line,
                self.edges(index),
            )
            for index in self.local
        ]
        manifest = self._manifest_edges()
        if not any(importer.path == "." for importer in found):
            found.insert(0, Importer(".", edges=manifest, declared=bool(manifest or self.document.members)))
        elif manifest:
            found = [one._replace(edges=one.edges + manifest) if one.path == "." else one for one in found]
        self._importers = tuple(found)
        return self._importers

    def _manifest_edges(self) -> tuple[Edge, ...]:
        """What a script, or a workspace root that is no package, declares."""
        groups = {MAIN: self.document.requirements, **self.document.groups}
        lines = self._lines_of(1) if any(groups.values()) else {}
        found = []
        for group, requirements in groups.items():
            for required in requirements:
                places = lines.get((group, required.name), [])
                line = places.pop(0) if len(places) > 1 else places[0] if places else 0
                targets = self.targets(UvDependency(required.name, None, None, (), None)) or (None,)
                found += [
                    Edge(required.name, target, required.specifier, group, required.marker, line) for target in targets
                ]
        return tuple(found)

    def instances(self) -> tuple[Instance, ...]:
        return tuple(
            Instance(index, _key(package), package.line, self.edges(index))
            for index, package in enumerate(self.document.packages)
        )

    def skipped(self) -> tuple[Skipped, ...]:
        return tuple(
            Skipped(package.name, package.line, "the lockfile states no version")
            for package in self.document.packages
            if package.version is None
        )

    def packages(self) -> tuple[LockedPackage, ...]:
        roots = self.importers()
        members = {_folder(self.document.packages[index]) for index in self.members} | {"."}
        walked = groups_of(
            [self.edges(index) for index in range(len(self.document.packages))],
            [importer.edges for importer in roots if importer.path in members],
        )
        if walked is None:
            raise UnreadableError("a graph of more groups and edges than are walked", place=Place(self.path))
        declared: dict[int, dict[str, None]] = {}
        for importer in roots:
            for edge in importer.edges if importer.path in members else ():
                if edge.target is not None:
                    declared.setdefault(edge.target, {})[importer.path] = None
        member_set = set(self.members)
        return tuple(
            self._record(index, package, index in member_set, tuple(declared.get(index, ())), walked[index])
            for index, package in enumerate(self.document.packages)
        )

    def _record(
        self,
        index: int,
        package: UvPackage,
        member: bool,
        importers: tuple[str, ...],
        groups: tuple[str, ...],
    ) -> LockedPackage:
        packages = self.document.packages
        dependencies = dict.fromkeys(
            Dependency(edge.name, None if edge.target is None else packages[edge.target].version)
            for edge in self.edges(index)
            if edge.group == MAIN
        )
        return LockedPackage(
            package.name,
            package.version,
            (),
            _source(package.source, package.integrity, member),
            package.line,
            importers,
            groups,
            bool(importers),
            self._package_marker(package.markers),
            tuple(dependencies),
            package.name,
        )

    def _package_marker(self, markers: tuple[str, ...]) -> str | None:
        if not markers:
            return None
        plain = [self._plain(marker, None) if "extra" in marker else marker for marker in markers]
        if None in plain:
            return None
        shown = list(dict.fromkeys(str(marker) for marker in plain))
        return shown[0] if len(shown) == 1 else " or ".join(f"({marker})" for marker in shown)


def _key(package: UvPackage) -> str:
    return package.name if package.version is None else f"{package.name}=={package.version}"


def _source(source: UvSource, integrity: str | None, member: bool) -> Source:
    kind, value = source.kind, source.value
    if kind in _LOCAL:
        return Source(WORKSPACE if member else _KINDS[kind], None, integrity, value.removeprefix("./") or ".")
    if kind == "path":
        return Source(FILE, None, integrity, value)
    if kind == "git":
        url, _, commit = value.partition("#")
        return Source(GIT, public_url(url), integrity, source.subdirectory, commit or None)
    if kind == "registry" and "://" not in value:
        return Source(REGISTRY, None, integrity, value or None)
    return Source(_KINDS.get(kind, kind), public_url(value), integrity, source.subdirectory)

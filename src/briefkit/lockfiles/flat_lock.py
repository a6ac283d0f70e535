"""A Python lockfile that lists packages and names their dependencies, but says nothing of what is direct.

Poetry, PDM, Pipenv and PEP 751 write such. Each reader gives its entries in the one shape below, and gets the reading.
"""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING, NamedTuple

from ..errors import Place, UnreadableError
from ..names import PYPI, PypiName, pypi_name
from ..packages import Dependency, Edge, Importer, Instance, LockedPackage, Skipped, Source
from .reading import Held, LockfileReading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

MAIN = "main"
MOST_AMBIGUOUS = 100_000


class FlatDependency(NamedTuple):
    """One dependency of an entry: the name, and the requirement as the file has it; `version` where the file pins it."""

    name: PypiName
    requirement: str | None = None
    marker: str | None = None
    extras: tuple[str, ...] = ()
    group: str = MAIN
    version: str | None = None


class FlatEntry(NamedTuple):
    """One entry of the file; `key` is what the format tells it apart by, `reason` why it has no version.

    `dependencies` may be a function, called when they are asked for; `mentions` are then the names among them, where known.
    """

    declared: str
    version: str | None
    source: Source
    line: int
    groups: tuple[str, ...] = ()
    marker: str | None = None
    dependencies: tuple[FlatDependency, ...] | Callable[[], tuple[FlatDependency, ...]] = ()
    key: str = ""
    reason: str = "the lockfile states no version"
    mentions: Iterable[str] | None = None


class FlatLock:
    """The entries of a file, joined: each part of the reading is made when it is asked for.

    `allows(version, requirement)` says whether a requirement can have led to a version; it is asked only where a name is locked
    at several versions.
    """

    def __init__(self, path: str, entries: Sequence[FlatEntry], allows: Callable[[str, str], bool]) -> None:
        self.path = path
        self.entries = entries
        self.allows = allows
        self._allowed: dict[tuple[str, str], bool] = {}
        self._ambiguous = 0
        self.names = [pypi_name(entry.declared) for entry in entries]
        self.package_of: list[int] = []
        self.entries_of: list[list[int]] = []
        self._by_name: dict[str, list[int]] = {}
        known: dict[tuple[str, str | None, Source], int] = {}
        for index, entry in enumerate(entries):
            self._by_name.setdefault(self.names[index], []).append(index)
            key = (self.names[index], entry.version, entry.source)
            if key not in known:
                known[key] = len(known)
                self.entries_of.append([])
            self.package_of.append(known[key])
            self.entries_of[known[key]].append(index)
        self._known_edges: dict[int, tuple[Edge, ...]] = {}
        self._mentioned: dict[str, list[int]] | None = None
        self._instances: tuple[Instance, ...] | None = None

    def reading(
        self,
        format_name: str,
        format_version: str,
        *,
        notes: tuple[str, ...] = (),
        requires_python: str | None = None,
        resolution_markers: tuple[str, ...] = (),
        skipped: Sequence[Skipped] = (),
    ) -> LockfileReading:
        """The reading of this file; `skipped`, where it is a list, may grow while dependencies are read."""

        def all_skipped() -> tuple[Skipped, ...]:
            if isinstance(skipped, list):
                self.instances()
            return tuple(dict.fromkeys((*self._unversioned(), *skipped)))

        return LockfileReading(
            self.path,
            format_name,
            format_version,
            PYPI,
            packages=self.packages,
            instances=self.instances,
            importers=(Importer(".", declared=False),),
            skipped=all_skipped,
            package_at=self.package,
            instance_at=self.instance,
            held_at=self.held,
            edges_at=self._edges,
            instances_named=lambda name: tuple(self._by_name.get(name, ())),
            asking=self.asking,
            aliases_of=lambda _instance: (),
            versions=lambda: tuple(
                dict.fromkeys(zip(self.names, (entry.version for entry in self.entries), strict=True))
            ),
            named=self.named,
            notes=notes,
            requires_python=requires_python,
            resolution_markers=resolution_markers,
        )

    def named(self) -> dict[str, tuple[int, ...]]:
        """The packages of each name."""
        return {
            name: tuple(dict.fromkeys(self.package_of[index] for index in indexes))
            for name, indexes in self._by_name.items()
        }

    def instances(self) -> tuple[Instance, ...]:
        """One for each entry."""
        if self._instances is None:
            self._instances = tuple(self.instance(index) for index in range(len(self.entries)))
        return self._instances

    def instance(self, index: int) -> Instance:
        """The one of this entry."""
        entry = self.entries[index]
        return Instance(self.package_of[index], entry.key or self._key(index), entry.line, self._edges(index))

    def asking(self, names: frozenset[str]) -> list[int]:
        """The entries that mention one of these names, and those of which that is not known."""
        if self._mentioned is None:
            self._mentioned = {}
            for index, entry in enumerate(self.entries):
                for name in ("",) if entry.mentions is None else map(pypi_name, entry.mentions):
                    self._mentioned.setdefault(name, []).append(index)
        return sorted({index for name in ("", *names) for index in self._mentioned.get(name, ())})

    def held(self, index: int) -> Held:
        """What this entry states of itself, and its package of its marker."""
        entry = self.entries[index]
        entries = self.entries_of[self.package_of[index]]
        marker = entry.marker if len(entries) == 1 else joined_markers([self.entries[one].marker for one in entries])
        return Held(self.names[index], entry.version, entry.source, entry.key or self._key(index), entry.line, marker)

    def _unversioned(self) -> Iterator[Skipped]:
        for name, entry in zip(self.names, self.entries, strict=True):
            if entry.version is None:
                yield Skipped(name, entry.line, entry.reason)

    def packages(self) -> tuple[LockedPackage, ...]:
        """One for each distinct (name, version, source)."""
        return tuple(self.package(index) for index in range(len(self.entries_of)))

    def package(self, index: int) -> LockedPackage:
        """The package of this index, of all its entries."""
        return self._package(self.entries_of[index])

    def _key(self, index: int) -> str:
        version = self.entries[index].version
        return self.names[index] if version is None else f"{self.names[index]}=={version}"

    def _package(self, indexes: list[int]) -> LockedPackage:
        entries = [self.entries[index] for index in indexes]
        first = entries[0]
        name = self.names[indexes[0]]
        dependencies = dict.fromkeys(
            Dependency(edge.name, None if edge.target is None else self.entries[edge.target].version)
            for index in indexes
            for edge in self._edges(index)
            if not edge.group.startswith("extra:")
        )
        return LockedPackage(
            name,
            first.version,
            (),
            first.source,
            first.line,
            (),
            first.groups
            if len(entries) == 1
            else tuple(dict.fromkeys(group for one in entries for group in one.groups)),
            None,
            first.marker if len(entries) == 1 else joined_markers([one.marker for one in entries]),
            tuple(one for one in dependencies if one != (name, first.version)),
            first.declared,
        )

    def _edges(self, index: int) -> tuple[Edge, ...]:
        if index not in self._known_edges:
            stated = self.entries[index].dependencies
            dependencies = stated() if callable(stated) else stated
            self._known_edges[index] = tuple(edge for one in dependencies for edge in self._edges_of(one, index))
        return self._known_edges[index]

    def _edges_of(self, dependency: FlatDependency, index: int) -> Iterator[Edge]:
        for target in self._targets(dependency, index) or (None,):
            yield Edge(
                dependency.name,
                target,
                dependency.requirement,
                dependency.group,
                dependency.marker,
                0,
                None,
                dependency.extras,
            )

    def _spend(self, ways: int, index: int) -> None:
        self._ambiguous += ways
        if self._ambiguous > MOST_AMBIGUOUS:
            raise UnreadableError(
                f"more than {MOST_AMBIGUOUS:,} ways to join dependencies with entries of the same name",
                place=Place(self.path, self.entries[index].line or None),
            )

    def _allows(self, version: str, requirement: str, index: int) -> bool:
        key = (version, requirement)
        if key not in self._allowed:
            self._spend(10, index)
            self._allowed[key] = self.allows(version, requirement)
        return self._allowed[key]

    def _targets(self, dependency: FlatDependency, index: int) -> list[int]:
        """The entries a dependency leads to: one, or where the file does not say which, each that its requirement allows."""
        found = [one for one in self._by_name.get(dependency.name, ()) if one != index]
        if len(found) < 2:
            return found
        self._spend(1 + len(found) // 50, index)
        versions = {self.entries[one].version for one in found}
        if len(versions) > 1 and dependency.version is not None:
            found = [one for one in found if self.entries[one].version == dependency.version] or found
        elif len(versions) > 1 and dependency.requirement:
            requirement = dependency.requirement
            allowed = [one for one in found if self._allows(self.entries[one].version or "", requirement, index)]
            found = allowed or found
        first: dict[int, int] = {}
        for one in found:
            first.setdefault(self.package_of[one], one)
        if len(first) > 1:
            self._spend(len(first), index)
        return list(first.values())


def joined_markers(markers: Sequence[str | None]) -> str | None:
    """The marker under which one of several holds; None where one has none."""
    distinct = list(dict.fromkeys(markers))
    if not distinct or None in distinct:
        return None
    return distinct[0] if len(distinct) == 1 else " or ".join(f"({marker})" for marker in distinct)

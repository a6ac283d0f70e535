"""The graph of a lockfile of npm's world: its instances, and the distinct packages they hold.

Each reader fills one row an instance (name, version, source, key) and says how to get an instance's edges; grouping instances into
packages, who declares what, and which groups reach what are the same for all of them and stand here. Everything but the rows is
computed when it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..names import NPM
from ..packages import Dependency, Edge, Importer, Instance, LockedPackage, Skipped, Source
from .reading import LockfileReading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

PROD = "prod"
DEV = "dev"
OPTIONAL = "optional"
PEER = "peer"

_GROUPS = (PROD, DEV, OPTIONAL, PEER)
_BITS = {group: 1 << place for place, group in enumerate(_GROUPS)}
_NAMES_OF_BITS = tuple(
    tuple(group for place, group in enumerate(_GROUPS) if bits >> place & 1) for bits in range(1 << len(_GROUPS))
)

new_record = tuple.__new__
"""Makes a NamedTuple from all its fields in half the time of its constructor; for the records made by the ten thousand."""


class Rows:
    """One row an instance, as parallel columns: real name, version, source, the format's key."""

    __slots__ = ("keys", "names", "sources", "versions")

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.names: list[str] = []
        self.versions: list[str | None] = []
        self.sources: list[Source] = []

    def add(self, key: str, name: str, version: str | None, source: Source) -> None:
        """Append a row."""
        self.keys.append(key)
        self.names.append(name)
        self.versions.append(version)
        self.sources.append(source)


class LockedGraph:
    """The instances of one lockfile and what follows from them.

    `edges_at(i)` gives an instance's edges, `lines()` the line of each instance, `aliases()` the names an instance is installed under
    where they differ from its own, `importers()` the members; `groups()` the groups of each instance where the format
    states them, else they are walked from the importers. `direct_known` is False where the format names no direct dependencies.
    """

    __slots__ = (
        "_aliases",
        "_aliases_value",
        "_dependencies",
        "_direct",
        "_edges",
        "_edges_at",
        "_groups",
        "_groups_value",
        "_importers",
        "_importers_value",
        "_lines",
        "_lines_value",
        "direct_known",
        "instances_of",
        "package_of",
        "rows",
    )

    def __init__(
        self,
        rows: Rows,
        *,
        edges_at: Callable[[int], tuple[Edge, ...]],
        lines: Callable[[], Sequence[int]],
        importers: Callable[[], tuple[Importer, ...]],
        aliases: Callable[[], Mapping[int, tuple[str, ...]]],
        groups: Callable[[], Sequence[tuple[str, ...]]] | None = None,
        direct_known: bool = True,
    ) -> None:
        self.rows = rows
        self.direct_known = direct_known
        self._edges_at = edges_at
        self._edges: list[tuple[Edge, ...] | None] = [None] * len(rows.keys)
        self._lines = lines
        self._lines_value: Sequence[int] | None = None
        self._importers = importers
        self._importers_value: tuple[Importer, ...] | None = None
        self._aliases = aliases
        self._aliases_value: Mapping[int, tuple[str, ...]] | None = None
        self._groups = groups
        self._groups_value: Sequence[tuple[str, ...]] | None = None
        self._direct: dict[int, tuple[str, ...]] | None = None
        self._dependencies: list[Dependency] | None = None
        self.package_of, self.instances_of = _group(rows)

    def edges(self, index: int) -> tuple[Edge, ...]:
        """The edges of an instance."""
        found = self._edges[index]
        if found is None:
            found = self._edges[index] = self._edges_at(index)
        return found

    def lines(self) -> Sequence[int]:
        """The line of each instance."""
        if self._lines_value is None:
            self._lines_value = self._lines()
        return self._lines_value

    def importers(self) -> tuple[Importer, ...]:
        """The members that the file knows."""
        if self._importers_value is None:
            self._importers_value = self._importers()
        return self._importers_value

    def aliases(self) -> Mapping[int, tuple[str, ...]]:
        """The other names that instances are installed under."""
        if self._aliases_value is None:
            self._aliases_value = self._aliases()
        return self._aliases_value

    def groups(self) -> Sequence[tuple[str, ...]]:
        """The groups that reach each instance."""
        if self._groups_value is None:
            self._groups_value = self._walk() if self._groups is None else self._groups()
        return self._groups_value

    def instance(self, index: int) -> Instance:
        """One instance."""
        return Instance(self.package_of[index], self.rows.keys[index], self.lines()[index], self.edges(index))

    def instances(self) -> tuple[Instance, ...]:
        """All instances, in the order of the rows."""
        edges = [self.edges(index) for index in range(len(self.rows.keys))]
        return tuple(map(Instance._make, zip(self.package_of, self.rows.keys, self.lines(), edges, strict=True)))

    def package(self, index: int) -> LockedPackage:
        """One package."""
        members = self.instances_of[index]
        first = members[0]
        rows = self.rows
        paths = self._direct_importers().get(index, ())
        return new_record(
            LockedPackage,
            (
                rows.names[first],
                rows.versions[first],
                self._aliases_of(members),
                rows.sources[first],
                self.lines()[first],
                paths,
                self._groups_of(members),
                bool(paths) if self.direct_known else None,
                None,
                self._dependencies_of(members),
                rows.names[first],
            ),
        )

    def packages(self) -> tuple[LockedPackage, ...]:
        """All packages, in the order of their first instance."""
        return tuple([self.package(index) for index in range(len(self.instances_of))])

    def named(self) -> dict[str, tuple[int, ...]]:
        """The packages that bear a name, real or alias."""
        found: dict[str, list[int]] = {}
        names = self.rows.names
        for index, members in enumerate(self.instances_of):
            found.setdefault(names[members[0]], []).append(index)
        for instance, aliases in self.aliases().items():
            index = self.package_of[instance]
            for alias in aliases:
                indexes = found.setdefault(alias, [])
                if index not in indexes:
                    indexes.append(index)
        return {name: tuple(sorted(indexes)) for name, indexes in found.items()}

    def _aliases_of(self, members: Sequence[int]) -> tuple[str, ...]:
        aliases = self.aliases()
        if not aliases:
            return ()
        return tuple(dict.fromkeys(alias for member in members for alias in aliases.get(member, ())))

    def _groups_of(self, members: Sequence[int]) -> tuple[str, ...]:
        groups = self.groups()
        if len(members) == 1:
            return groups[members[0]]
        bits = 0
        for member in members:
            for group in groups[member]:
                bits |= _BITS[group]
        return _NAMES_OF_BITS[bits]

    def _dependencies_of(self, members: Sequence[int]) -> tuple[Dependency, ...]:
        """Where the edges lead, once each; a peer that the lock does not hold is left out, since nobody need install it."""
        records = self._dependency_records()
        package_of = self.package_of
        found = [
            Dependency(edge.name, None) if edge.target is None else records[package_of[edge.target]]
            for member in members
            for edge in self.edges(member)
            if edge.target is not None or edge.group not in (PEER, DEV)
        ]
        return tuple(dict.fromkeys(found)) if len(found) > 1 else tuple(found)

    def _dependency_records(self) -> list[Dependency]:
        if self._dependencies is None:
            names, versions = self.rows.names, self.rows.versions
            self._dependencies = [Dependency(names[members[0]], versions[members[0]]) for members in self.instances_of]
        return self._dependencies

    def _direct_importers(self) -> dict[int, tuple[str, ...]]:
        """Per package, the paths of the members that declare it."""
        if self._direct is None:
            found: dict[int, dict[str, None]] = {}
            for importer in self.importers():
                for edge in importer.edges:
                    if edge.target is not None:
                        found.setdefault(self.package_of[edge.target], {})[importer.path] = None
            self._direct = {package: tuple(paths) for package, paths in found.items()}
        return self._direct

    def _walk(self) -> list[tuple[str, ...]]:
        """The groups that reach each instance, walked from the members.

        What a `prod` package asks for optionally is `optional`; what a `dev` package asks for is `dev` however it asks. Members are
        roots of their own, so nothing is walked through them.
        """
        bits = [0] * len(self.rows.keys)
        members = {index for index, source in enumerate(self.rows.sources) if source.kind == "workspace"}
        todo = [
            (edge.target, _BITS[edge.group])
            for importer in self.importers()
            for edge in importer.edges
            if edge.target is not None and edge.group in _BITS
        ]
        while todo:
            index, reached = todo.pop()
            fresh = reached & ~bits[index]
            if not fresh:
                continue
            bits[index] |= fresh
            if index in members:
                continue
            optional = fresh & ~1 | _BITS[OPTIONAL] if fresh & 1 else fresh
            for edge in self.edges(index):
                if edge.target is not None:
                    todo.append((edge.target, optional if edge.group == OPTIONAL else fresh))
        return [_NAMES_OF_BITS[found] for found in bits]


def _group(rows: Rows) -> tuple[list[int], list[list[int]]]:
    """Which package each instance holds, and the instances of each package: equal name, version and source are one package."""
    package_of: list[int] = []
    instances_of: list[list[int]] = []
    known: dict[tuple[str, str | None, Source], int] = {}
    for index, identity in enumerate(zip(rows.names, rows.versions, rows.sources, strict=True)):
        package = known.setdefault(identity, len(instances_of))
        if package == len(instances_of):
            instances_of.append([index])
        else:
            instances_of[package].append(index)
        package_of.append(package)
    return package_of, instances_of


def graph_reading(
    graph: LockedGraph,
    *,
    path: str,
    format_name: str,
    format_version: str,
    skipped: Callable[[], tuple[Skipped, ...]] | tuple[Skipped, ...] = (),
    patterns: Callable[[], Mapping[str, int]] | None = None,
    visible: Callable[[str, str], int | None] | None = None,
    notes: Iterable[str] = (),
    members: tuple[str, ...] = (),
) -> LockfileReading:
    """The reading whose parts come from the graph when they are asked for."""
    return LockfileReading(
        path,
        format_name,
        format_version,
        NPM,
        packages=graph.packages,
        instances=graph.instances,
        importers=graph.importers,
        skipped=skipped,
        patterns=patterns,
        named=graph.named,
        package_at=graph.package,
        instance_at=graph.instance,
        visible=visible,
        notes=tuple(notes),
        members=members,
    )

"""The graph of a lockfile of npm's world: its instances, and the distinct packages they hold.

Each reader fills one row an instance (name, version, source, key) and says how to get an instance's edges; grouping instances into
packages, who declares what, and which groups reach what are the same for all of them and stand here. Everything but the rows is
computed when it is asked for.
"""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from ..names import NPM
from ..packages import Dependency, Edge, Importer, Instance, LockedPackage, Skipped, Source
from .reading import Held, LockfileReading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

PROD = "prod"
DEV = "dev"
OPTIONAL = "optional"
PEER = "peer"

_GROUPS = (PROD, DEV, OPTIONAL, PEER)
_BITS = {group: 1 << place for place, group in enumerate(_GROUPS)}
_NAMES_OF_BITS = tuple(
    tuple(group for place, group in enumerate(_GROUPS) if bits >> place & 1) for bits in range(1 << len(_GROUPS))
)

_FEW_LOOKUPS = 8
_NEED_NOT_BE = (PEER, DEV)

new_record = tuple.__new__
"""Makes a NamedTuple from all its fields in half the time of its constructor; for the records made by the ten thousand."""


class Rows:
    """One row an instance, as parallel columns: the format's key, real name, version, and, when they are asked for, sources."""

    __slots__ = ("_source_at", "_sources", "keys", "names", "versions")

    def __init__(
        self,
        sources: Callable[[], list[Source]] | None = None,
        source_at: Callable[[int], Source] | None = None,
    ) -> None:
        self.keys: list[str] = []
        self.names: list[str] = []
        self.versions: list[str | None] = []
        self._sources: list[Source] | Callable[[], list[Source]] = sources or []
        self._source_at = source_at

    @property
    def sources(self) -> list[Source]:
        """The source of each row."""
        value = self._sources
        if callable(value):
            value = self._sources = value()
        return value

    def source(self, index: int) -> Source:
        """The source of one row, alone where that can be had."""
        if callable(self._sources) and self._source_at is not None:
            return self._source_at(index)
        return self.sources[index]

    def add(self, key: str, name: str, version: str | None, source: Source) -> None:
        """Append a row; only where the sources are not a stage of their own."""
        self.keys.append(key)
        self.names.append(name)
        self.versions.append(version)
        self.sources.append(source)


class LockedGraph:
    """The instances of one lockfile and what follows from them.

    `edges_of(indexes)` gives the edges of each of these instances, `lines()` the line of each instance, `aliases()` the names an instance is installed under
    where they differ from its own, `importers()` the members; `groups()` the groups of each instance where the format
    states them, else they are walked from the importers. `direct_known` is False where the format names no direct dependencies.
    """

    __slots__ = (
        "_aliases",
        "_aliases_value",
        "_asking",
        "_by_name",
        "_dependencies",
        "_direct",
        "_edges",
        "_edges_of",
        "_grouping",
        "_groups",
        "_groups_value",
        "_importers",
        "_importers_value",
        "_lines",
        "_lines_value",
        "_lookups",
        "direct_known",
        "rows",
    )

    def __init__(
        self,
        rows: Rows,
        *,
        edges_of: Callable[[Sequence[int]], list[tuple[Edge, ...]]],
        lines: Callable[[], Sequence[int]],
        importers: Callable[[], tuple[Importer, ...]],
        aliases: Callable[[], Mapping[int, tuple[str, ...]]],
        groups: Callable[[], Sequence[tuple[str, ...]]] | None = None,
        direct_known: bool = True,
        asking: Callable[[frozenset[str]], Iterable[int]] | None = None,
    ) -> None:
        self.rows = rows
        self.direct_known = direct_known
        self._edges_of = edges_of
        self._edges: list[tuple[Edge, ...] | None] = [None] * len(rows.keys)
        self._lines = lines
        self._asking = asking
        self._by_name: dict[str, list[int]] | None = None
        self._lookups = 0
        self._lines_value: Sequence[int] | None = None
        self._importers = importers
        self._importers_value: tuple[Importer, ...] | None = None
        self._aliases = aliases
        self._aliases_value: Mapping[int, tuple[str, ...]] | None = None
        self._groups = groups
        self._groups_value: Sequence[tuple[str, ...]] | None = None
        self._direct: dict[int, tuple[str, ...]] | None = None
        self._dependencies: list[Dependency] | None = None
        self._grouping: tuple[list[int], list[list[int]]] | None = None

    @property
    def package_of(self) -> list[int]:
        """Which package each instance holds."""
        if self._grouping is None:
            self._grouping = _group(self.rows)
        return self._grouping[0]

    @property
    def instances_of(self) -> list[list[int]]:
        """The instances of each package."""
        if self._grouping is None:
            self._grouping = _group(self.rows)
        return self._grouping[1]

    def versions(self) -> tuple[tuple[str, str | None], ...]:
        """The distinct (name, version) of the rows, in order; the cheapest thing to know."""
        return tuple(dict.fromkeys(zip(self.rows.names, self.rows.versions, strict=True)))

    def edges(self, index: int) -> tuple[Edge, ...]:
        """The edges of an instance."""
        found = self._edges[index]
        if found is None:
            found = self._edges[index] = self._edges_of((index,))[0]
        return found

    def all_edges(self) -> list[tuple[Edge, ...]]:
        """The edges of every instance."""
        missing = [index for index, edges in enumerate(self._edges) if edges is None]
        if missing:
            for index, edges in zip(missing, self._edges_of(missing), strict=True):
                self._edges[index] = edges
        made: Any = self._edges
        whole: list[tuple[Edge, ...]] = made
        return whole

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

    def held(self, index: int) -> Held:
        """What one instance holds."""
        rows = self.rows
        return Held(rows.names[index], rows.versions[index], rows.source(index), rows.keys[index], self.lines()[index])

    def instances_named(self, name: str) -> tuple[int, ...]:
        """The instances of a real name; who asks for many names is answered from an index."""
        if self._by_name is None:
            self._lookups += 1
            if self._lookups < _FEW_LOOKUPS:
                return tuple(index for index, known in enumerate(self.rows.names) if known == name)
            self._by_name = {}
            for index, known in enumerate(self.rows.names):
                self._by_name.setdefault(known, []).append(index)
        return tuple(self._by_name.get(name, ()))

    def asking(self, names: frozenset[str]) -> Iterable[int]:
        """Instances among which are all that have an edge of one of these names."""
        return range(len(self.rows.keys)) if self._asking is None else self._asking(names)

    def instances(self) -> tuple[Instance, ...]:
        """All instances, in the order of the rows."""
        columns = zip(self.package_of, self.rows.keys, self.lines(), self.all_edges(), strict=True)
        return tuple(map(Instance._make, columns))

    def package(self, index: int) -> LockedPackage:
        """One package."""
        return self._packages_of([self.instances_of[index]], index)[0]

    def packages(self) -> tuple[LockedPackage, ...]:
        """All packages, in the order of their first instance."""
        return tuple(self._packages_of(self.instances_of, 0))

    def _packages_of(self, grouped: list[list[int]], first_index: int) -> list[LockedPackage]:
        """The packages that hold these instances; `first_index` is the index of the first of them."""
        names, versions, sources = self.rows.names, self.rows.versions, self.rows.sources
        lines, groups, aliases = self.lines(), self.groups(), self.aliases()
        direct, direct_known = self._direct_importers(), self.direct_known
        edges_at = self.edges if len(grouped) == 1 else self.all_edges().__getitem__
        found = []
        for index, members in enumerate(grouped, first_index):
            first = members[0]
            name = names[first]
            paths = direct.get(index, ())
            one = len(members) == 1
            edges = edges_at(first) if one else [edge for member in members for edge in edges_at(member)]
            record = (
                name,
                versions[first],
                self._aliases_of(members) if aliases else (),
                sources[first],
                lines[first],
                paths,
                groups[first] if one else _merged_groups(groups, members),
                bool(paths) if direct_known else None,
                None,
                self._dependencies_of(edges, once=one and not aliases) if edges else (),
                name,
            )
            found.append(new_record(LockedPackage, record))
        return found

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
        return {
            name: tuple(indexes) if len(indexes) == 1 else tuple(sorted(indexes)) for name, indexes in found.items()
        }

    def _aliases_of(self, members: Sequence[int]) -> tuple[str, ...]:
        aliases = self.aliases()
        return tuple(dict.fromkeys(alias for member in members for alias in aliases.get(member, ())))

    def _dependencies_of(self, edges: Iterable[Edge], *, once: bool) -> tuple[Dependency, ...]:
        """Where edges lead, once each; a peer that the lock does not hold is left out, since nobody need install it.

        `once` says that no two of the edges can lead to the same package: they are of one instance, and nothing has an alias.
        """
        records = self._instance_records()
        found = [  # by place: a NamedTuple's fields cost twice as much by name
            records[edge[1]] if edge[1] is not None else Dependency(edge[0], None)
            for edge in edges
            if edge[1] is not None or edge[3] not in _NEED_NOT_BE
        ]
        return tuple(found) if once or len(found) < 2 else tuple(dict.fromkeys(found))

    def _instance_records(self) -> list[Dependency]:
        """Each instance's package as others depend on it."""
        if self._dependencies is None:
            self._dependencies = list(map(Dependency._make, zip(self.rows.names, self.rows.versions, strict=True)))
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
        edges_of = self.all_edges()
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
            todo += [
                (edge.target, optional if edge.group == OPTIONAL else fresh)
                for edge in edges_of[index]
                if edge.target is not None
            ]
        return [_NAMES_OF_BITS[found] for found in bits]


def _merged_groups(groups: Sequence[tuple[str, ...]], members: Sequence[int]) -> tuple[str, ...]:
    bits = 0
    for member in members:
        for group in groups[member]:
            bits |= _BITS[group]
    return _NAMES_OF_BITS[bits]


def _group(rows: Rows) -> tuple[list[int], list[list[int]]]:
    """Which package each instance holds, and the instances of each package: equal name, version and source are one package.

    Nearly all that share name and version share the source too, so sources are compared, and only the odd one is hashed.
    """
    package_of: list[int] = []
    instances_of: list[list[int]] = []
    sources = rows.sources
    known: dict[tuple[str, str | None], int] = {}
    odd: dict[tuple[str, str | None, Source], int] = {}
    for index, pair in enumerate(zip(rows.names, rows.versions, strict=True)):
        fresh = len(instances_of)
        package = known.setdefault(pair, fresh)
        if package != fresh and sources[instances_of[package][0]] != sources[index]:
            package = odd.setdefault((*pair, sources[index]), fresh)
        if package == fresh:
            instances_of.append([index])
        else:
            instances_of[package].append(index)
        package_of.append(package)
    return package_of, instances_of


def graph_reading(  # noqa: PLR0913 - the parts of a reading that the graph does not know
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
        held_at=graph.held,
        edges_at=graph.edges,
        instances_named=graph.instances_named,
        asking=graph.asking,
        aliases_of=lambda instance: graph.aliases().get(instance, ()),
        versions=graph.versions,
        visible=visible,
        notes=tuple(notes),
        members=members,
    )

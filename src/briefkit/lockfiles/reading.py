"""What one lockfile says: the value that every reader returns.

A reading is built in stages. What costs little (format, members, notes) is a plain value; `packages`, `instances`, `importers`,
`patterns` and `skipped` may be given as a function without arguments, called once, at the first access. So a reader of a large
file can answer what one importer declares, or which packages bear a name, without building a record for each of five thousand
entries. A part given as a function may raise UnreadableError at its first access.
"""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING, NamedTuple

from ..names import PYPI, pypi_name

if TYPE_CHECKING:
    from typing import Any, TypeVar

    T = TypeVar("T")

    from collections.abc import Callable, Iterable, Mapping

    from ..packages import Conflict, Edge, Importer, Instance, LockedPackage, Skipped, Source


class Include(NamedTuple):
    """Another file that this one includes: `kind` is `requirement` or `constraint`, `path` as written, `line` where."""

    kind: str
    path: str
    line: int


class Held(NamedTuple):
    """What one instance holds, as far as its own entry says: the cheapest of all that can be asked of it.

    `key` and `line` are the instance's, `source` and `marker` the package's.
    """

    name: str
    version: str | None
    source: Source
    key: str
    line: int
    marker: str | None = None


class LockfileReading:
    """What one lockfile says. Equal readings have equal `to_dict()`.

    `packages` has one record for each distinct (name, version, source), `instances` one for each node of the graph, `importers`
    one for each member the file knows. `patterns` leads from a descriptor (`name@range`) to an instance, where the format has
    such. `includes` are the files this one includes; they are not followed here.
    """

    __slots__ = (
        "_aliases_of",
        "_asking",
        "_edges_at",
        "_held_at",
        "_importers",
        "_importers_by_path",
        "_instance_at",
        "_instances",
        "_instances_named",
        "_named",
        "_package_at",
        "_packages",
        "_patterns",
        "_skipped",
        "_versions",
        "_visible",
        "conflicts",
        "ecosystem",
        "format",
        "format_version",
        "includes",
        "members",
        "notes",
        "path",
        "requires_python",
        "resolution_markers",
    )

    def __init__(  # noqa: PLR0913 - a reader names what its format has
        self,
        path: str,
        format: str,  # noqa: A002 - the word of the JSON and of the command line
        format_version: str,
        ecosystem: str,
        *,
        packages: tuple[LockedPackage, ...] | Callable[[], tuple[LockedPackage, ...]] = (),
        instances: tuple[Instance, ...] | Callable[[], tuple[Instance, ...]] = (),
        importers: tuple[Importer, ...] | Callable[[], tuple[Importer, ...]] = (),
        skipped: tuple[Skipped, ...] | Callable[[], tuple[Skipped, ...]] = (),
        patterns: Mapping[str, int] | Callable[[], Mapping[str, int]] | None = None,
        named: Mapping[str, tuple[int, ...]] | Callable[[], Mapping[str, tuple[int, ...]]] | None = None,
        package_at: Callable[[int], LockedPackage] | None = None,
        instance_at: Callable[[int], Instance] | None = None,
        held_at: Callable[[int], Held] | None = None,
        edges_at: Callable[[int], tuple[Edge, ...]] | None = None,
        instances_named: Callable[[str], tuple[int, ...]] | None = None,
        asking: Callable[[frozenset[str]], Iterable[int]] | None = None,
        aliases_of: Callable[[int], tuple[str, ...]] | None = None,
        versions: Callable[[], tuple[tuple[str, str | None], ...]] | None = None,
        visible: Callable[[str, str], int | None] | None = None,
        conflicts: tuple[Conflict, ...] = (),
        notes: tuple[str, ...] = (),
        includes: tuple[Include, ...] = (),
        members: tuple[str, ...] = (),
        requires_python: str | None = None,
        resolution_markers: tuple[str, ...] = (),
    ) -> None:
        self.path = path
        self.format = format
        self.format_version = format_version
        self.ecosystem = ecosystem
        self.conflicts = conflicts
        self.notes = notes
        self.includes = includes
        self.members = members
        self.requires_python = requires_python
        self.resolution_markers = resolution_markers
        self._packages = packages
        self._instances = instances
        self._importers = importers
        self._skipped = skipped
        self._patterns = patterns
        self._named = named
        self._package_at = package_at
        self._instance_at = instance_at
        self._held_at = held_at
        self._edges_at = edges_at
        self._instances_named = instances_named
        self._asking = asking
        self._aliases_of = aliases_of
        self._versions = versions
        self._visible = visible
        self._importers_by_path: dict[str, Importer] | None = None

    @property
    def packages(self) -> tuple[LockedPackage, ...]:
        """One record for each distinct (name, version, source), in the order of the file."""
        value = self._packages
        if callable(value):
            value = self._packages = value()
        return value

    @property
    def instances(self) -> tuple[Instance, ...]:
        """The nodes of the graph, in the order of the file; an edge's `target` is an index here."""
        value = self._instances
        if callable(value):
            value = self._instances = value()
        return value

    @property
    def importers(self) -> tuple[Importer, ...]:
        """The members that the file knows, with what each declares; empty where the format knows none."""
        value = self._importers
        if callable(value):
            value = self._importers = value()
        return value

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """What could not be used, each with its reason."""
        value = self._skipped
        if callable(value):
            value = self._skipped = value()
        return value

    @property
    def patterns(self) -> Mapping[str, int]:
        """The instance that each descriptor (`name@range`) of the file leads to; empty in formats without descriptors."""
        value = self._patterns
        if callable(value):
            value = self._patterns = value()
        return value if value is not None else {}

    def versions(self) -> tuple[tuple[str, str | None], ...]:
        """The distinct (name, version) of the packages, in order: the cheapest part of a large file."""
        if self._versions is not None:
            return self._versions()
        return tuple(dict.fromkeys((package.name, package.version) for package in self.packages))

    def package(self, index: int) -> LockedPackage:
        """`packages[index]`, at the cost of that one record where the reader can build it alone."""
        if self._package_at is not None and callable(self._packages):
            return self._package_at(index)
        return self.packages[index]

    def instance(self, index: int) -> Instance:
        """`instances[index]`, at the cost of that one record where the reader can build it alone."""
        if self._instance_at is not None and callable(self._instances):
            return self._instance_at(index)
        return self.instances[index]

    def held(self, instance: int) -> Held:
        """What an instance holds, at the cost of that one entry where the reader can say it alone."""
        if self._held_at is not None:
            return self._held_at(instance)
        found = self.instance(instance)
        package = self.package(found.package)
        return Held(
            package.name, package.version, package.source, found.key, found.line or package.line, package.marker
        )

    def edges(self, instance: int) -> tuple[Edge, ...]:
        """`instances[instance].edges`, at the cost of that one entry where the reader can say it alone."""
        return self.instance(instance).edges if self._edges_at is None else self._edges_at(instance)

    def instances_named(self, name: str) -> tuple[int, ...]:
        """The instances that hold a package of this real name, in the order of the file."""
        if self._instances_named is not None:
            return self._instances_named(name)
        wanted = {index for index in self.packages_named(name) if self.package(index).name == name}
        return tuple(index for index, each in enumerate(self.instances if wanted else ()) if each.package in wanted)

    def aliases_of(self, instance: int) -> tuple[str, ...]:
        """The names, other than its own, that an instance is asked for under."""
        if self._aliases_of is not None:
            return self._aliases_of(instance)
        return self.package(self.instance(instance).package).aliases

    def asking(self, names: frozenset[str]) -> Iterable[int]:
        """Instances among which are all that have an edge of one of these names; others may be among them."""
        return range(len(self.instances)) if self._asking is None else self._asking(names)

    def packages_named(self, name: str) -> tuple[int, ...]:
        """The indexes in `packages` of those with this real name or alias, in the order of the file."""
        value = self._named
        if callable(value):
            value = self._named = value()
        if value is None:
            value = self._named = _names_of(self.packages)
        return value.get(pypi_name(name) if self.ecosystem == PYPI else name, ())

    def importer(self, path: str) -> Importer | None:
        """The importer at this path relative to the lockfile's folder (`.` the root), None where the file knows none."""
        if self._importers_by_path is None:
            self._importers_by_path = {importer.path: importer for importer in self.importers}
        return self._importers_by_path.get(path)

    def visible(self, importer: str, name: str) -> int | None:
        """The instance that a member sees under a name, declared or not, where the format says it by folders (npm, bun); else None.

        It answers for what a manifest declares and the lockfile's own list of direct dependencies lacks.
        """
        return None if self._visible is None else self._visible(importer, name)

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `briefkit lockfile`."""
        return {
            "path": self.path,
            "format": self.format,
            "format_version": self.format_version,
            "ecosystem": self.ecosystem,
            "requires_python": self.requires_python,
            "members": list(self.members),
            "packages": [package.to_dict() for package in self.packages],
            "skipped": [skipped.to_dict() for skipped in self.skipped],
            "conflicts": [conflict.to_dict() for conflict in self.conflicts],
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        return f"<LockfileReading {self.path!r}: {self.format} {self.format_version}>"


def _names_of(packages: tuple[LockedPackage, ...]) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for index, package in enumerate(packages):
        found.setdefault(package.name, []).append(index)
        for alias in package.aliases:
            if alias != package.name:
                found.setdefault(alias, []).append(index)
    return {name: tuple(indexes) for name, indexes in found.items()}

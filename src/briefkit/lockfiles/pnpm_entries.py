"""The entries of a pnpm lockfile's sections, as the general YAML parser gives them."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING, NamedTuple, Protocol

from .locked_graph import DEV, OPTIONAL, PEER, PROD
from .yaml_flow import Mapping
from .yaml_subset import iter_items

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .yaml_flow import Yaml

ENVIRONMENT = "environment"
"""The group of what pnpm itself needs; it is no group of a project's."""

_WANTED = (
    ("dependencies", PROD),
    ("devDependencies", DEV),
    ("optionalDependencies", OPTIONAL),
    ("peerDependencies", PEER),
    ("configDependencies", ENVIRONMENT),
    ("packageManagerDependencies", ENVIRONMENT),
)
_LOCKED = (("dependencies", PROD), ("optionalDependencies", OPTIONAL))


class Resolution(NamedTuple):
    """An entry's `resolution`."""

    integrity: str | None = None
    tarball: str | None = None
    type: str | None = None
    repo: str | None = None
    commit: str | None = None
    directory: str | None = None


class Entry(NamedTuple):
    """What an entry of `packages` says of a package itself."""

    resolution: Resolution = Resolution()
    version: str | None = None
    name: str | None = None
    dev: str | None = None
    optional: bool = False
    patched: bool = False

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups that its flags state; `dev` is left out where both kinds need it."""
        main = OPTIONAL if self.optional else PROD
        if self.dev is None:
            return (PROD, DEV) if main == PROD else (DEV, OPTIONAL)
        return (DEV,) if self.dev == "true" else (main,)


class Wanted(NamedTuple):
    """One declared dependency of an importer: the reference it resolved to, and its line."""

    group: str
    alias: str
    specifier: str | None
    ref: str
    line: int


class Entries(Protocol):
    """One section, `packages` or `snapshots`."""

    @property
    def keys(self) -> Sequence[str]:
        """The keys, in order."""

    def line(self, key: str) -> int:
        """The line of a key, 0 where the section does not know it."""

    def entry(self, key: str) -> Entry:
        """What the section says of a package; an empty entry where it does not know the key."""

    def asking(self, names: frozenset[str]) -> Iterable[str]:
        """Keys among which are all whose dependencies have one of these names."""

    def dependencies(self, key: str) -> Iterable[tuple[str, str, str]]:
        """Group, alias and reference of each dependency."""

    def asked_by_key(self) -> Iterable[tuple[str, str]]:
        """Alias and reference of each dependency whose reference is not a mere version: all that can be aliases are among them."""


class PnpmDocument(NamedTuple):
    """A document's small sections, its `packages` and `snapshots`, and its importers; None where it has no such section."""

    fields: Mapping
    packages: Entries
    snapshots: Entries
    importers: list[tuple[str, int, list[Wanted]]] | None


class ParsedEntries:
    """A section as the general parser gave it."""

    def __init__(self, section: Mapping) -> None:
        self.section = section
        self.keys = list(section)

    def line(self, key: str) -> int:
        """The line of a key, 0 where the section does not know it."""
        return self.section.lines.get(key, 0)

    def entry(self, key: str) -> Entry:
        """What the section says of a package."""
        fields = self.section.get(key)
        return entry_of(fields) if isinstance(fields, Mapping) else Entry()

    def asking(self, names: frozenset[str]) -> Iterator[str]:
        """The keys whose dependencies have one of these names."""
        return (key for key in self.keys if any(alias in names for _, alias, _ in self.dependencies(key)))

    def dependencies(self, key: str) -> Iterator[tuple[str, str, str]]:
        """Group, alias and reference of each dependency."""
        return dependencies_of(self.section.get(key))

    def asked_by_key(self) -> Iterator[tuple[str, str]]:
        """Alias and reference of each dependency."""
        for fields in self.section.values():
            for _, alias, ref in dependencies_of(fields):
                yield alias, ref


def entry_of(fields: Mapping) -> Entry:
    """The entry that the fields of one say."""
    version, name, dev = fields.get("version"), fields.get("name"), fields.get("dev")
    return Entry(
        resolution_of(fields.get("resolution")),
        version if isinstance(version, str) else None,
        name if isinstance(name, str) else None,
        dev if isinstance(dev, str) else None,
        fields.get("optional") == "true",
        fields.get("patched") == "true",
    )


def resolution_of(fields: Yaml) -> Resolution:
    """The resolution that the fields of one say."""
    if not isinstance(fields, Mapping):
        return Resolution()
    values = (fields.get(name) for name in Resolution._fields)
    return Resolution(*(value if isinstance(value, str) else None for value in values))


def dependencies_of(fields: Yaml) -> Iterator[tuple[str, str, str]]:
    """Group, alias and reference of each dependency that the fields of an entry state; what is optional is only that."""
    if not isinstance(fields, Mapping):
        return
    optional = fields.get("optionalDependencies")
    for field, group in _LOCKED:
        for alias, ref, _ in iter_items(fields.get(field)):
            if isinstance(ref, str) and not (group == PROD and isinstance(optional, Mapping) and alias in optional):
                yield group, alias, ref


def document_of(fields: Mapping) -> PnpmDocument:
    """A document as the general parser gave it."""
    packages, snapshots = fields.get("packages"), fields.get("snapshots")
    return PnpmDocument(
        fields,
        ParsedEntries(packages if isinstance(packages, Mapping) else Mapping()),
        ParsedEntries(snapshots if isinstance(snapshots, Mapping) else Mapping()),
        importers_of(fields),
    )


def importers_of(fields: Mapping) -> list[tuple[str, int, list[Wanted]]] | None:
    """Path, line and what is declared of each importer; None where the document has no such section."""
    importers = fields.get("importers")
    if not isinstance(importers, Mapping):
        return None
    return [(path, line, list(wanted_of(entry))) for path, entry, line in iter_items(importers)]


def wanted_of(fields: Yaml) -> Iterator[Wanted]:
    """What the fields of an importer declare; a reference is a string, or beside its specifier in a mapping."""
    if not isinstance(fields, Mapping):
        return
    specifiers = fields.get("specifiers")
    stated = specifiers if isinstance(specifiers, Mapping) else {}
    for field, group in _WANTED:
        for alias, value, line in iter_items(fields.get(field)):
            ref = value.get("version") if isinstance(value, Mapping) else value
            specifier = value.get("specifier") if isinstance(value, Mapping) else stated.get(alias)
            if isinstance(ref, str):
                yield Wanted(group, alias, specifier if isinstance(specifier, str) else None, ref, line)

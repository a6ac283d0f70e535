"""uv.lock as its text states it, before names are joined: read with the general TOML parser.

`[[package]]` locks of every revision and the `[[distribution]]` locks of before the first release have the same shape here.
"""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING, NamedTuple

from ..errors import Place, UnknownFormatError, UnreadableError
from ..text import public_url
from .toml_document import Fields, header_lines, load_toml

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

MAJOR = 1
KNOWN_REVISION = 5


class UvSource(NamedTuple):
    """`source = { git = "…", subdirectory = "…" }`: its kind in uv's words, and what it points at."""

    kind: str
    value: str
    subdirectory: str | None = None


class UvDependency(NamedTuple):
    """One entry of a list of dependencies; version and source stand there only where the name alone is ambiguous."""

    name: str
    version: str | None
    source: UvSource | None
    extras: tuple[str, ...]
    marker: str | None


class UvRequirement(NamedTuple):
    """One entry of `requires-dist`, `requires-dev` or the manifest: what the member's own manifest asked for."""

    name: str
    specifier: str | None
    marker: str | None


class UvLists(NamedTuple):
    """The lists of one package: its dependencies, those of its extras and of its groups, and what was required."""

    dependencies: tuple[UvDependency, ...] = ()
    optional: Mapping[str, tuple[UvDependency, ...]] = {}
    groups: Mapping[str, tuple[UvDependency, ...]] = {}
    requires: tuple[UvRequirement, ...] = ()
    requires_groups: Mapping[str, tuple[UvRequirement, ...]] = {}


class UvPackage(NamedTuple):
    """One `[[package]]`; `lists` gives its lists, read when they are asked for; `mentions` is the text they stand in, where known."""

    name: str
    version: str | None
    source: UvSource
    line: int
    integrity: str | None
    markers: tuple[str, ...]
    lists: Callable[[], UvLists]
    mentions: str | None = None


class UvDocument(NamedTuple):
    """A whole uv.lock."""

    revision: int
    requires_python: str | None
    markers: tuple[str, ...]
    conflicts: tuple[tuple[tuple[str, str], ...], ...]
    members: tuple[str, ...]
    requirements: tuple[UvRequirement, ...]
    groups: Mapping[str, tuple[UvRequirement, ...]]
    packages: tuple[UvPackage, ...]


def uv_document(text: str, path: str) -> UvDocument:
    """The document of a uv.lock, by the general TOML parser.

    Raises:
        UnreadableError: The text is not TOML, or a field is not what it must be.
        UnknownFormatError: Its version is not 1.

    """
    root = Fields(load_toml(text, path), path)
    revision = checked_revision(root.values.get("version"), root.values.get("revision", 0), path)
    table = "package" if "package" in root.values else "distribution"
    packages = root.tables(table, header_lines(text, table))
    return document_of(root, revision, tuple(_package(fields) for fields in packages))


def checked_revision(version: object, revision: object, path: str) -> int:
    """The revision, where the version is one that is read."""
    if isinstance(version, bool) or not isinstance(version, int):
        raise UnreadableError("not a uv.lock: it states no version", place=Place(path, 1, "version"))
    if version != MAJOR:
        word = "newer" if version > MAJOR else "older"
        raise UnknownFormatError(f"uv.lock version {version} is {word} than briefkit reads (1)", place=Place(path, 1))
    return revision if isinstance(revision, int) else 0


def document_of(root: Fields, revision: int, packages: tuple[UvPackage, ...]) -> UvDocument:
    """The document of the tables before the first package, and the packages."""
    manifest = root.table("manifest")
    return UvDocument(
        revision,
        root.text("requires-python"),
        root.texts("resolution-markers"),
        _conflicts(root.values.get("conflicts")),
        manifest.texts("members"),
        _requirements(manifest, "requirements"),
        {
            name: _requirements(manifest.table("dependency-groups"), name)
            for name in manifest.table("dependency-groups").values
        },
        packages,
    )


def _conflicts(value: object) -> tuple[tuple[tuple[str, str], ...], ...]:
    """Each set of extras and groups of which one at most is active, as (package, extra or group)."""
    sets = value if isinstance(value, list) else []
    return tuple(
        tuple(
            (str(item.get("package", "")), str(item.get("extra") or item.get("group") or ""))
            for item in one
            if isinstance(item, dict)
        )
        for one in sets
        if isinstance(one, list)
    )


def _package(fields: Fields) -> UvPackage:
    lists = _lists(fields)
    return UvPackage(
        fields.required("name"),
        fields.text("version"),
        _source(fields),
        fields.line or 0,
        _integrity(fields.values),
        fields.texts("resolution-markers") or fields.texts("environment-markers"),
        lambda: lists,
    )


def _source(fields: Fields) -> UvSource:
    source = fields.values.get("source")
    if source is None:
        return UvSource("registry", "")
    found = source_of(source)
    if found is None:
        raise fields.error("source", "a source of no known kind")
    return found


_STRING_KINDS = {"direct": "url"}


def source_of(value: object) -> UvSource | None:
    """The source of a `source` field: a table of one kind, or, before the first release, `kind+value`."""
    if isinstance(value, str):
        kind, plus, rest = value.partition("+")
        return UvSource(_STRING_KINDS.get(kind, kind), rest) if plus else None
    if not isinstance(value, dict):
        return None
    subdirectory = value.get("subdirectory")
    for kind in ("registry", "git", "url", "path", "directory", "editable", "virtual"):
        target = value.get(kind)
        if isinstance(target, str):
            return UvSource(kind, target, subdirectory if isinstance(subdirectory, str) else None)
        if kind in value:  # a registry may be a table with a path
            return (
                UvSource(kind, next((one for one in target.values() if isinstance(one, str)), ""))
                if isinstance(target, dict)
                else None
            )
    return None


def _integrity(values: dict[str, Any]) -> str | None:
    """The first hash stated: that of the source archive, else of the first wheel."""
    wheels = values.get("wheels") or values.get("wheel") or []
    for file in (values.get("sdist"), *(wheels if isinstance(wheels, list) else [])):
        if isinstance(file, dict) and isinstance(file.get("hash"), str):
            return str(file["hash"])
    return None


def _lists(fields: Fields) -> UvLists:
    values = fields.values
    if not (
        "dependencies" in values
        or "optional-dependencies" in values
        or "dev-dependencies" in values
        or "metadata" in values
    ):
        return UvLists()
    metadata = fields.table("metadata")
    required = (
        metadata.table("requires-dev") if "requires-dev" in metadata.values else metadata.table("dependency-groups")
    )
    return UvLists(
        _dependencies(fields, "dependencies"),
        _lists_in(fields, "optional-dependencies"),
        _lists_in(fields, "dev-dependencies") or _lists_in(fields, "dependency-groups"),
        _requirements(metadata, "requires-dist"),
        {name: _requirements(required, name) for name in required.values},
    )


def _lists_in(fields: Fields, name: str) -> dict[str, tuple[UvDependency, ...]]:
    table = fields.table(name)
    return {key: _dependencies(table, key) for key in table.values}


def _dependencies(fields: Fields, name: str) -> tuple[UvDependency, ...]:
    return tuple(_dependency(item) for item in fields.tables(name))


def _dependency(fields: Fields) -> UvDependency:
    extra = fields.values.get("extra", ())
    return UvDependency(
        fields.required("name"),
        fields.text("version"),
        source_of(fields.values["source"]) if "source" in fields.values else None,
        (extra,) if isinstance(extra, str) else fields.texts("extra") if extra else (),
        fields.text("marker"),
    )


_TARGETS = ("specifier", "url", "git", "path", "directory", "editable", "virtual")


def _requirements(fields: Fields, name: str) -> tuple[UvRequirement, ...]:
    return tuple(
        requirement_of(item.required("name"), item.text("marker"), item.values) for item in fields.tables(name)
    )


def requirement_of(name: str, marker: str | None, values: Mapping[str, object]) -> UvRequirement:
    """The requirement of an entry with these fields: its specifier, or where else the package is to come from."""
    for key in _TARGETS:
        value = values.get(key)
        if isinstance(value, str):
            return UvRequirement(name, public_url(value) if key in ("url", "git") else value, marker)
    return UvRequirement(name, None, marker)

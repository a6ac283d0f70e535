"""poetry.lock, from before it had a version up to 2.1: hashes have moved, groups came, went and came back."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from ..errors import Place, UnknownFormatError, UnreadableError
from ..names import pypi_name
from ..packages import DIRECTORY, EDITABLE, FILE, GIT, REGISTRY, URL, Skipped, Source
from ..text import public_url
from .flat_lock import MAIN, FlatDependency, FlatEntry, FlatLock, joined_markers
from .poetry_canonical import canonical_tables
from .toml_document import Fields, header_lines, kind_of, load_toml

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .reading import LockfileReading

_USUAL = {"version", "markers"}
MAJOR = 2
KNOWN_MINOR = 1
_KINDS = {"git": GIT, "url": URL, "file": FILE, "directory": DIRECTORY, "legacy": REGISTRY}


def read_poetry_lock(text: str, path: str) -> LockfileReading:
    """What a poetry.lock says.

    Raises:
        UnreadableError: The text is not a poetry.lock, or is over a bound.
        UnknownFormatError: Its lock-version is newer than 2.

    """
    tables = canonical_tables(text)
    if tables is None:
        metadata, packages = _parsed(text, path)
    else:
        metadata = Fields(tables.metadata, path, None, "metadata")
        packages = [Fields(fields, path, line, f"package[{n}]") for n, (fields, line) in enumerate(tables.packages)]
    version = metadata.text("lock-version")
    notes = version_notes(version, path)
    hashes = _moved_hashes(metadata)
    skipped: list[Skipped] = []
    entries = [_entry(fields, hashes, skipped) for fields in packages]
    return FlatLock(path, entries, _allows).reading(
        "poetry",
        version or "0",
        notes=notes,
        skipped=skipped if tables is None else (),
        requires_python=metadata.text("python-versions"),
    )


def _allows(version: str, constraint: str) -> bool:
    from .dependency_strings import constraint_allows

    return constraint_allows(version, constraint)


def _parsed(text: str, path: str) -> tuple[Fields, list[Fields]]:
    """The metadata and the packages, by the general parser."""
    root = Fields(load_toml(text, path), path)
    if "package" not in root.values and "metadata" not in root.values:
        raise UnreadableError("not a poetry.lock: neither packages nor metadata", place=Place(path, 1))
    return root.table("metadata"), list(root.tables("package", header_lines(text, "package")))


def version_notes(version: str | None, path: str) -> tuple[str, ...]:
    """What there is to say of a lock-version that is read; one that is not is an error."""
    if version is None:
        return ("the file states no lock-version, as Poetry's before 1.0 did not",)
    numbers = version.split(".")
    if not all(number.isascii() and number.isdigit() and len(number) < 9 for number in numbers):
        raise UnreadableError(
            f"lock-version {version[:40]!r} is no version", place=Place(path, None, "metadata.lock-version")
        )
    major, minor = int(numbers[0]), int(numbers[1]) if len(numbers) > 1 else 0
    if major > MAJOR:
        raise UnknownFormatError(
            f"lock-version {version} is newer than briefkit reads (up to {MAJOR}.{KNOWN_MINOR})",
            place=Place(path, None, "metadata.lock-version"),
        )
    if (major, minor) > (MAJOR, KNOWN_MINOR):
        return (f"lock-version {version} is newer than any known ({MAJOR}.{KNOWN_MINOR}); read by its structure",)
    return ()


def _moved_hashes(metadata: Fields) -> dict[str, Any]:
    """The hashes of the formats that kept them apart from the packages, by name."""
    moved = metadata.values.get("files") or metadata.values.get("hashes") or {}
    return {pypi_name(name): files for name, files in moved.items()} if isinstance(moved, dict) else {}


def _entry(fields: Fields, hashes: dict[str, Any], skipped: list[Skipped]) -> FlatEntry:
    name = fields.required("name")
    category = fields.text("category")
    groups = fields.texts("groups") if "groups" in fields.values else (category,) if category else ()
    return FlatEntry(
        name,
        fields.required("version"),
        _source(fields, hashes),
        fields.line or 0,
        groups,
        _marker(fields, groups),
        lambda: tuple(_dependencies(fields, skipped)),
        mentions=fields.table("dependencies" if "dependencies" in fields.values else "requirements").values,
    )


def _marker(fields: Fields, groups: tuple[str, ...]) -> str | None:
    """The marker; one for each group where they differ, of which a group that is not named has none."""
    value = fields.values.get("markers", fields.values.get("marker"))
    if isinstance(value, dict):
        table = fields.table("markers")
        return joined_markers([table.text(group) for group in groups or tuple(table.values)])
    if value is None or isinstance(value, str):
        return value or None
    raise fields.error("markers", "a string or a table is due")


def _integrity(files: object) -> str | None:
    first = files[0] if isinstance(files, list) and files else None
    if isinstance(first, dict):
        first = first.get("hash")
    if not isinstance(first, str):
        return None
    return first if ":" in first else f"sha256:{first}"


def _source(fields: Fields, hashes: dict[str, Any]) -> Source:
    integrity = _integrity(fields.values.get("files")) or _integrity(hashes.get(pypi_name(fields.required("name"))))
    if "source" not in fields.values:
        return Source(REGISTRY, None, integrity)
    return source_of(fields.table("source"), integrity, develop=fields.values.get("develop") is True)


def source_of(source: Fields, integrity: str | None, *, develop: bool) -> Source:
    """The source that a `[package.source]` states."""
    kind = source.text("type") or "legacy"
    url = source.text("url") or ""
    if kind in ("directory", "file"):
        return Source(EDITABLE if develop and kind == "directory" else _KINDS[kind], None, integrity, url or ".")
    ref = source.text("resolved_reference") if kind == "git" else None
    return Source(_KINDS.get(kind, URL), public_url(url) or None, integrity, source.text("subdirectory"), ref)


def _dependencies(fields: Fields, skipped: list[Skipped]) -> Iterator[FlatDependency]:
    table = fields.table("dependencies" if "dependencies" in fields.values else "requirements")
    for name, value in table.values.items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str):
                yield FlatDependency(pypi_name(name), one)
            elif isinstance(one, dict) and one.keys() <= _USUAL and {type(part) for part in one.values()} == {str}:
                yield FlatDependency(pypi_name(name), one.get("version"), one.get("markers"))
            elif isinstance(one, dict):
                yield from _table_dependency(name, Fields(one, fields.path, fields.line, f"{table.key}.{name}"), fields)
            else:
                what = f"dependency of {fields.required('name')}: {kind_of(one)}, neither a constraint nor a table"
                skipped.append(Skipped(pypi_name(name), fields.line or 0, what))


def _table_dependency(name: str, fields: Fields, package: Fields) -> Iterator[FlatDependency]:
    requirement = fields.text("version")
    for key in ("git", "url", "path", "file"):
        if key in fields.values:
            requirement = f"@ {public_url(fields.text(key) or '')}"
    groups = [MAIN]
    if fields.values.get("optional") is True:
        groups = [f"extra:{extra}" for extra in _extras_of(package, pypi_name(name))] or ["optional"]
    wanted = tuple(pypi_name(extra) for extra in fields.texts("extras"))
    for group in groups:
        yield FlatDependency(pypi_name(name), requirement, fields.text("markers"), wanted, group)


def _extras_of(package: Fields, name: str) -> Iterator[str]:
    """The package's extras that ask for a dependency."""
    from .dependency_strings import dependency_parts

    table = package.table("extras")
    for extra in table.values:
        parts = (dependency_parts(text) for text in table.texts(extra))
        if any(one is not None and one.name == name for one in parts):
            yield pypi_name(extra)

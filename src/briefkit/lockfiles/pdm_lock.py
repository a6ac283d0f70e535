"""pdm.lock: one table a package and used extras, dependencies as PEP 508 strings."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from ..errors import Place, UnknownFormatError, UnreadableError
from ..names import pypi_name
from ..packages import DIRECTORY, EDITABLE, FILE, GIT, REGISTRY, URL, Skipped, Source
from ..text import public_url
from .dependency_strings import dependency_parts, specifier_allows
from .flat_lock import FlatDependency, FlatEntry, FlatLock
from .requirement_entry import shown_line
from .toml_document import Fields, header_lines, load_toml

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .reading import LockfileReading

MAJOR = 4
KNOWN_MINOR = 5


def read_pdm_lock(text: str, path: str) -> LockfileReading:
    """What a pdm.lock says.

    Raises:
        UnreadableError: The text is not a pdm.lock, or is over a bound.
        UnknownFormatError: Its lock_version is newer than 4.

    """
    root = Fields(load_toml(text, path), path)
    if "package" not in root.values and "metadata" not in root.values:
        raise UnreadableError("not a pdm.lock: neither packages nor metadata", place=Place(path, 1))
    metadata = root.table("metadata")
    version = metadata.text("lock_version")
    notes = _version_notes(version, path)
    files = metadata.values.get("files")
    skipped: list[Skipped] = []
    entries = [
        _entry(fields, skipped, files if isinstance(files, dict) else {})
        for fields in root.tables("package", header_lines(text, "package"))
    ]
    targets = [target.text("requires_python") for target in metadata.tables("targets")]
    return FlatLock(path, entries, specifier_allows).reading(
        "pdm",
        version or "0",
        notes=notes,
        skipped=skipped,
        requires_python=next((one for one in targets if one), None),
    )


def _version_notes(version: str | None, path: str) -> tuple[str, ...]:
    if version is None:
        return ("the file states no lock_version",)
    numbers = version.split(".")
    if not all(number.isascii() and number.isdigit() and len(number) < 9 for number in numbers):
        raise UnreadableError(
            f"lock_version {version[:40]!r} is no version", place=Place(path, None, "metadata.lock_version")
        )
    major, minor = int(numbers[0]), int(numbers[1]) if len(numbers) > 1 else 0
    if major > MAJOR:
        raise UnknownFormatError(
            f"lock_version {version} is newer than briefkit reads (up to {MAJOR}.{KNOWN_MINOR})",
            place=Place(path, None, "metadata.lock_version"),
        )
    if (major, minor) > (MAJOR, KNOWN_MINOR):
        return (f"lock_version {version} is newer than any known ({MAJOR}.{KNOWN_MINOR}); read by its structure",)
    return ()


def _entry(fields: Fields, skipped: list[Skipped], moved: dict[str, Any]) -> FlatEntry:
    name = fields.required("name")
    version = fields.text("version")
    extras = tuple(pypi_name(extra) for extra in fields.texts("extras"))
    key = f"{pypi_name(name)}[{','.join(extras)}]" if extras else pypi_name(name)
    return FlatEntry(
        name,
        version,
        _source(fields, moved.get(f"{name} {version}") or moved.get(name)),
        fields.line or 0,
        fields.texts("groups"),
        fields.text("marker"),
        lambda: tuple(_dependencies(fields, skipped)),
        key if version is None else f"{key}=={version}",
    )


def _source(fields: Fields, moved: object) -> Source:
    files = fields.values.get("files") or moved
    first = files[0] if isinstance(files, list) and files and isinstance(files[0], dict) else {}
    integrity = first.get("hash") if isinstance(first.get("hash"), str) else None
    subdirectory = fields.text("subdirectory")
    if "git" in fields.values:
        ref = fields.text("revision") or fields.text("ref")
        return Source(GIT, public_url(fields.text("git") or ""), integrity, subdirectory, ref)
    if (path := fields.text("path")) is not None:
        kind = (
            EDITABLE
            if fields.flag("editable")
            else FILE
            if path.endswith((".whl", ".gz", ".zip", ".bz2"))
            else DIRECTORY
        )
        return Source(kind, None, integrity, path.removeprefix("./") or ".")
    if (url := fields.text("url")) is not None:
        return Source(URL, public_url(url), integrity, subdirectory)
    for vcs in ("hg", "svn", "bzr"):
        if vcs in fields.values:
            return Source(URL, public_url(fields.text(vcs) or ""), integrity, subdirectory, fields.text("revision"))
    return Source(REGISTRY, None, integrity)


def _dependencies(fields: Fields, skipped: list[Skipped]) -> Iterator[FlatDependency]:
    value = fields.values.get("dependencies")
    if isinstance(value, dict):  # before 4.0: a table, as in the manifest
        value = [
            f"{name}{'' if constraint == '*' else constraint}"
            for name, constraint in value.items()
            if isinstance(constraint, str)
        ]
    elif value is not None:
        value = fields.texts("dependencies")
    for text in value or ():
        parts = dependency_parts(text)
        if parts is None:
            what = f"dependency of {fields.required('name')} that is no dependency specifier"
            skipped.append(Skipped(shown_line(text), fields.line or 0, what))
            continue
        yield FlatDependency(parts.name, parts.requirement, parts.marker, parts.extras)

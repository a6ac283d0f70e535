"""pylock.toml (PEP 751), as pip, uv, PDM and Poetry's export write it.

`packaging.pylock` reads the standard and refuses the rest; here a file that misses what names and versions do not need is read all
the same, and each entry has its line.
"""

from __future__ import annotations

import re

from briefkit.records import TYPE_CHECKING

from ..errors import Place, UnknownFormatError, UnreadableError
from ..names import pypi_name
from ..packages import DIRECTORY, EDITABLE, FILE, GIT, REGISTRY, URL, WORKSPACE, Source
from ..text import public_url
from .dependency_strings import specifier_allows
from .flat_lock import MAIN, FlatDependency, FlatEntry, FlatLock
from .toml_document import Fields, header_lines, load_toml

if TYPE_CHECKING:
    from .reading import LockfileReading

MAJOR = "1"
_GROUP = re.compile(r"""['"]([\w.-]+)['"]\s+in\s+(extras|dependency_groups)\b""")


def read_pylock_toml(text: str, path: str) -> LockfileReading:
    """What a pylock.toml says.

    Raises:
        UnreadableError: The text is not a pylock.toml, or is over a bound.
        UnknownFormatError: The major number of its lock-version is not 1.

    """
    root = Fields(load_toml(text, path), path)
    if "packages" not in root.values and "lock-version" not in root.values:
        raise UnreadableError("not a pylock.toml: neither lock-version nor packages", place=Place(path, 1))
    version = root.text("lock-version")
    notes = _version_notes(version, path)
    entries = [_entry(fields) for fields in root.tables("packages", header_lines(text, "packages"))]
    return FlatLock(path, entries, specifier_allows).reading(
        "pylock",
        version or "",
        notes=notes,
        requires_python=root.text("requires-python"),
        resolution_markers=root.texts("environments"),
    )


def _version_notes(version: str | None, path: str) -> tuple[str, ...]:
    if version is None:
        return ("the file states no lock-version",)
    major, _, minor = version.partition(".")
    if major != MAJOR:
        raise UnknownFormatError(
            f"lock-version {version[:40]} is not one that briefkit reads (1.x)", place=Place(path, None, "lock-version")
        )
    return (
        () if minor == "0" else (f"lock-version {version[:40]} is newer than any known (1.0); read by its structure",)
    )


def _entry(fields: Fields) -> FlatEntry:
    marker = fields.text("marker")
    return FlatEntry(
        fields.required("name"),
        fields.text("version"),
        _source(fields),
        fields.line or 0,
        _groups(marker),
        marker,
        tuple(
            FlatDependency(pypi_name(one.required("name")), None, one.text("marker"), version=one.text("version"))
            for one in fields.tables("dependencies")
        ),
    )


def _groups(marker: str | None) -> tuple[str, ...]:
    """The extras and groups that a marker asks for; the main list where it asks for none."""
    found = [f"extra:{name}" if kind == "extras" else name for name, kind in (_GROUP.findall(marker) if marker else ())]
    return tuple(dict.fromkeys(found)) or (MAIN,)


def _source(fields: Fields) -> Source:
    if "vcs" in fields.values:
        return _vcs_source(fields.table("vcs"))
    if "directory" in fields.values:
        directory = fields.table("directory")
        target = (directory.text("path") or ".").removeprefix("./") or "."
        kind = WORKSPACE if target == "." else EDITABLE if directory.values.get("editable") is True else DIRECTORY
        return Source(kind, None, None, target)
    if "archive" in fields.values:
        archive = fields.table("archive")
        url, integrity = archive.text("url"), _integrity(archive.values)
        if url:
            return Source(URL, public_url(url), integrity, archive.text("subdirectory"))
        return Source(FILE, None, integrity, archive.text("path"))
    index = fields.text("index")
    files = [
        fields.values.get("sdist"),
        *(fields.values["wheels"] if isinstance(fields.values.get("wheels"), list) else []),
    ]
    integrity = next((found for file in files if (found := _integrity(file))), None)
    return Source(REGISTRY, public_url(index) if index else None, integrity)


def _vcs_source(vcs: Fields) -> Source:
    kind = GIT if vcs.text("type") in ("git", None) else URL
    url, ref = vcs.text("url"), vcs.text("commit-id") or vcs.text("requested-revision")
    return Source(
        kind,
        public_url(url) if url else None,
        None,
        vcs.text("subdirectory") or (None if url else vcs.text("path")),
        ref,
    )


def _integrity(file: object) -> str | None:
    hashes = file.get("hashes") if isinstance(file, dict) else None
    if not isinstance(hashes, dict):
        return None
    return next((f"{name}:{value}" for name, value in hashes.items() if isinstance(value, str)), None)

"""Pipfile.lock: one object a category (`default`, `develop`, and any other), one entry a package."""

from __future__ import annotations

import re

from briefkit.records import TYPE_CHECKING

from ..errors import Place, UnknownFormatError, UnreadableError
from ..packages import DIRECTORY, EDITABLE, FILE, GIT, REGISTRY, URL, Source
from ..text import public_url
from .dependency_strings import specifier_allows
from .flat_lock import FlatEntry, FlatLock
from .json_document import member_lines, parse_json
from .requirement_entry import NO_VERSION, RANGE, pinned_version
from .toml_document import Fields

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .reading import LockfileReading

SPEC = 6


def read_pipfile_lock(text: str, path: str) -> LockfileReading:
    """What a Pipfile.lock says.

    Raises:
        UnreadableError: The text is not a Pipfile.lock, or is over a bound.
        UnknownFormatError: Its pipfile-spec is newer than 6.

    """
    root = Fields(parse_json(text, path), path)
    meta = root.table("_meta")
    spec = meta.values.get("pipfile-spec")
    if isinstance(spec, int) and spec > SPEC:
        raise UnknownFormatError(
            f"pipfile-spec {spec} is newer than briefkit reads ({SPEC})", place=Place(path, None, "_meta.pipfile-spec")
        )
    if not root.values or not ("_meta" in root.values or "default" in root.values):
        raise UnreadableError("not a Pipfile.lock: neither _meta nor default", place=Place(path, 1))
    sources = {one.text("name"): one.text("url") for one in meta.tables("sources")}
    entries = [
        entry for category in root.values if category != "_meta" for entry in _category(root, category, text, sources)
    ]
    python = meta.table("requires").values.get("python_version")
    return FlatLock(path, entries, specifier_allows).reading(
        "pipenv",
        str(spec) if isinstance(spec, int) else "",
        requires_python=f"=={python}.*" if isinstance(python, str) else None,
    )


def _category(root: Fields, category: str, text: str, sources: dict[str | None, str | None]) -> Iterator[FlatEntry]:
    table = root.table(category)
    lines = member_lines(text, (category,), table.values)
    for name, value in table.values.items():
        line = lines.get(name, 0)
        if isinstance(value, str):
            value = {"version": value}  # noqa: PLW2901 - the short form of the first versions
        if not isinstance(value, dict):
            raise UnreadableError("an object is due", place=Place(root.path, line or None, f"{category}.{name}"))
        yield _entry(name, category, Fields(value, root.path, line, f"{category}.{name}"), sources)


def _entry(name: str, category: str, fields: Fields, sources: dict[str | None, str | None]) -> FlatEntry:
    stated = fields.text("version")
    version = pinned_version(stated) if stated else None
    declared = re.split(r"\s", name.strip(), maxsplit=1)[0]
    return FlatEntry(
        declared,
        version,
        _source(fields, sources),
        fields.line or 0,
        (category,),
        fields.text("markers"),
        reason=f"{RANGE}: {stated}" if stated else NO_VERSION,
    )


def _source(fields: Fields, sources: dict[str | None, str | None]) -> Source:
    hashes = fields.values.get("hashes") or [fields.values.get("hash")]
    integrity = hashes[0] if isinstance(hashes, list) and hashes and isinstance(hashes[0], str) else None
    subdirectory = fields.text("subdirectory")
    editable = fields.values.get("editable") is True
    if "git" in fields.values:
        return Source(GIT, public_url(fields.text("git") or ""), integrity, subdirectory, fields.text("ref"))
    for key in ("path", "file", "uri", "hg", "svn", "bzr"):
        if key in fields.values:
            return _located(fields.text(key) or "", integrity, subdirectory, editable=editable)
    index = sources.get(fields.text("index"))
    return Source(REGISTRY, public_url(index) if index else None, integrity)


def _located(target: str, integrity: str | None, subdirectory: str | None, *, editable: bool) -> Source:
    if "://" in target and not target.startswith("file://"):
        return Source(URL, public_url(target), integrity, subdirectory)
    target = target.removeprefix("file://").removeprefix("./") or "."
    kind = EDITABLE if editable else FILE if re.search(r"\.(?:whl|zip|tar\.\w+|tgz)$", target) else DIRECTORY
    return Source(kind, None, integrity, target)

"""The metadata folders of Python distributions: which lie in a folder, what they are called, what their headers state."""

from __future__ import annotations

import os
import re

from briefkit.errors import UnreadableError
from briefkit.names import pypi_name
from briefkit.paths import MEBIBYTE, read_bytes, read_head
from briefkit.patterns import lazy_pattern
from briefkit.records import NamedTuple
from briefkit.text import one_line

HEAD_LIMIT = 64 << 10
SMALL_LIMIT = MEBIBYTE
METADATA_LIMIT = 16 * MEBIBYTE
_FIELD_LIMIT = 256

_KINDS = ("dist-info", "egg-info", "egg-link", "egg")
_HEADER = lazy_pattern(r"^(Name|Version):[ \t]*(.*?)[ \t]*\r?$", re.MULTILINE | re.IGNORECASE)
_BLANK = lazy_pattern(rb"\r?\n\r?\n")


class MetadataEntry(NamedTuple):
    """A metadata folder or file by its name alone: the normalised name that it spells, its path and kind (`dist-info`…)."""

    name: str
    path: str
    kind: str


class Headers(NamedTuple):
    """Name and version as the headers of METADATA or PKG-INFO state them."""

    name: str
    version: str | None


class DirectUrl(NamedTuple):
    """A `direct_url.json`: where the distribution was installed from, if not by name from an index."""

    path: str
    editable: bool
    vcs: bool
    folder: str | None
    commit: str | None


def metadata_entries(folder: str, names: list[str]) -> tuple[list[MetadataEntry], list[str]]:
    """The metadata entries among the names of a folder, and a warning for each leftover of an interrupted removal."""
    found, warnings = [], []
    for name in names:
        stem, dot, kind = name.rpartition(".")
        if not dot or kind not in _KINDS:
            continue
        if name[0] in "~-":
            warnings.append(f"{os.path.join(folder, name)}: left over by an interrupted removal, ignored")
            continue
        found.append(MetadataEntry(pypi_name(_spelled(stem, kind)), os.path.join(folder, name), kind))
    return found, warnings


def _spelled(stem: str, kind: str) -> str:
    """The name in `NAME-VERSION`; an egg's stem goes on (`-py3.11`), and old wheels left dashes in the name."""
    if kind == "dist-info":
        return stem.rpartition("-")[0] or stem
    return stem if kind == "egg-link" else stem.partition("-")[0]


def metadata_file(entry: MetadataEntry) -> str:
    """The path of the file that holds an entry's headers; an `.egg-info` may be that file itself."""
    if entry.kind == "dist-info":
        return os.path.join(entry.path, "METADATA")
    if entry.kind == "egg":
        return os.path.join(entry.path, "EGG-INFO", "PKG-INFO")
    return entry.path if os.path.isfile(entry.path) else os.path.join(entry.path, "PKG-INFO")


def read_headers(path: str) -> Headers | None:
    """Name and version in the head of a metadata file; None where it is missing, no regular file, or names nothing."""
    try:
        return parse_headers(read_head(path, HEAD_LIMIT))
    except UnreadableError:
        return None


def parse_headers(data: bytes) -> Headers | None:
    """Name and version of metadata bytes; the body after the first blank line does not count."""
    head = _BLANK.split(data, maxsplit=1)[0].decode("utf-8", "replace")
    fields: dict[str, str] = {}
    for key, value in _HEADER.findall(head):
        fields.setdefault(key.lower(), value)
    if not fields.get("name"):
        return None
    return Headers(one_line(fields["name"], _FIELD_LIMIT), one_line(fields.get("version", ""), _FIELD_LIMIT) or None)


def read_direct_url(folder: str) -> DirectUrl | None:
    """What `direct_url.json` in a dist-info folder says; None where there is none, or none that is valid."""
    path = os.path.join(folder, "direct_url.json")
    try:
        data = read_bytes(path, SMALL_LIMIT)
    except UnreadableError:
        return None
    import json

    try:
        record = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or not isinstance(record.get("url"), str):
        return None
    vcs = record.get("vcs_info")
    info = record.get("dir_info")
    commit = vcs.get("commit_id") if isinstance(vcs, dict) else None
    return DirectUrl(
        path,
        isinstance(info, dict) and info.get("editable") is True,
        isinstance(vcs, dict),
        folder_of_url(record["url"]),
        commit if isinstance(commit, str) else None,
    )


def folder_of_url(url: str) -> str | None:
    """The local path that a `file:` URL names, on this platform or by the shape of another (`file:///C:/x`)."""
    if not url.lower().startswith("file:"):
        return None
    from urllib.parse import unquote

    path = unquote(url[5:].partition("#")[0].partition("?")[0])
    if path.startswith("//"):
        authority, slash, rest = path[2:].partition("/")
        path = slash + rest if authority in ("", "localhost") else path
    if re.match(r"/[A-Za-z]:[/\\]", path):
        path = path[1:]
    return path if "\0" not in path and path else None


def text_lines(folder: str, name: str) -> list[str]:
    """The stripped lines of a small text file in a metadata folder (`top_level.txt`); empty where it cannot be read."""
    try:
        data = read_bytes(os.path.join(folder, name), SMALL_LIMIT)
    except UnreadableError:
        return []
    return [line.strip() for line in data.decode("utf-8", "replace").splitlines() if line.strip()]

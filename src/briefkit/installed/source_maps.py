"""Source maps (version 3), read as untrusted data: which sources a built file comes from, and from which line.

A source counts as a file only where its path, `sourceRoot` and all, leads to one inside the package: a map may name any path.
"""

from __future__ import annotations

import json
import posixpath
import re
from urllib.parse import unquote

from briefkit.errors import UnreadableError
from briefkit.paths import MEBIBYTE
from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING, NamedTuple

from .node_tree import within

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .node_tree import PackageTree

MAP_LIMIT = 32 * MEBIBYTE
SOURCES_LIMIT = 50_000
SECTIONS_LIMIT = 1_000

_COMMENT = lazy_pattern(rb"(?:/[/*][#@]\s*sourceMappingURL=)([^\s*'\"]+)")
_INLINE = lazy_pattern(r"data:application/json(?:;charset=[\w-]+)?(;base64)?,(.*)", re.DOTALL)
_DIGITS = {
    digit: value for value, digit in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
}


class MapSource(NamedTuple):
    """One source of a map: its path as written, the file inside the package it leads to, and the text that the map carries."""

    written: str
    path: str | None
    text: str | None


class SourceMap(NamedTuple):
    """A map that was read: its own path in the package (of the built file where it is inline), sources, and encoded mappings."""

    path: str
    sources: tuple[MapSource, ...]
    mappings: str

    def origin(self, line: int, column: int = 0) -> tuple[int, int] | None:
        """The source (its index) and line, from 1, that a place of the built file comes from; the last mapping at or before the column."""
        found = None
        for at, source, source_line in _segments(self.mappings, line):
            if found is not None and at > column:
                break
            found = (source, source_line + 1)
        return found if found is not None and 0 <= found[0] < len(self.sources) else None


def map_of(tree: PackageTree, path: str) -> SourceMap | None:
    """The map that a built file of a package names (`.d.ts` files do too), None where it names none inside the package or it is no map."""
    try:
        comments = _COMMENT.findall(tree.read(path, MAP_LIMIT))
        if not comments:
            return None
        target = comments[-1].decode("utf-8", "replace")
        inline = _INLINE.fullmatch(target)
        if inline is not None:
            return parse_map(tree, path, _inline_text(*inline.groups()))
        place = within(posixpath.dirname(path), unquote(target).partition("?")[0])
        return None if place is None or not tree.is_file(place) else parse_map(tree, place, _text(tree, place))
    except UnreadableError:
        return None


def _text(tree: PackageTree, place: str) -> str:
    return tree.read(place, MAP_LIMIT).decode("utf-8", "replace")


def _inline_text(base64: str | None, body: str) -> str:
    if base64 is None:
        return unquote(body)
    from binascii import Error, a2b_base64

    try:
        return a2b_base64(body).decode("utf-8", "replace")
    except (Error, ValueError):
        return ""


def parse_map(tree: PackageTree, place: str, text: str) -> SourceMap | None:
    """The map in a text, its paths read from `place`; None where it is not one. Of an indexed map the sections' sources are joined."""
    try:
        # Tools may put a line before the JSON that keeps browsers from running it.
        data = json.loads(text.partition("\n")[2] if text.startswith(")]}") else text)
    except (ValueError, RecursionError, MemoryError):
        return None
    if not isinstance(data, dict):
        return None
    sources = tuple(_sources(tree, posixpath.dirname(place), data))
    mappings = data.get("mappings")
    return SourceMap(place, sources, mappings if isinstance(mappings, str) else "")


def _sources(tree: PackageTree, folder: str, data: Mapping[str, object]) -> Iterator[MapSource]:
    sections = data.get("sections")
    for section in sections[:SECTIONS_LIMIT] if isinstance(sections, list) else ():
        nested = section.get("map") if isinstance(section, dict) else None
        if isinstance(nested, dict) and "sections" not in nested:
            yield from _sources(tree, folder, nested)
    root, listed, texts = data.get("sourceRoot"), data.get("sources"), data.get("sourcesContent")
    for number, written in enumerate(listed[:SOURCES_LIMIT] if isinstance(listed, list) else ()):
        if isinstance(written, str):
            text = texts[number] if isinstance(texts, list) and number < len(texts) else None
            path = _inside(tree, folder, root if isinstance(root, str) else "", written)
            yield MapSource(written, path, text if isinstance(text, str) else None)


def _inside(tree: PackageTree, folder: str, root: str, written: str) -> str | None:
    """The file of the package that a source's path leads to."""
    plain = unquote(written)
    path = None if ":" in plain or ":" in root else within(folder, unquote(root), plain)
    return path if path and tree.is_file(path) and tree.holds(path) else None


def _segments(mappings: str, line: int) -> Iterator[tuple[int, int, int]]:
    """The mappings of one line (from 1): column, source and source line, both from 0. Those before it are summed up on the way."""
    source = source_line = 0
    for number, row in enumerate(mappings.split(";", line)[:line], 1):
        column = 0
        for segment in row.split(","):
            values = _numbers(segment)
            if values is None:
                return
            column += values[0] if values else 0
            if len(values) >= 4:
                source += values[1]
                source_line += values[2]
                if number == line:
                    yield column, source, source_line


def _numbers(segment: str) -> list[int] | None:
    """The numbers of a segment in base 64 VLQ; None where it is none."""
    values: list[int] = []
    value = shift = 0
    for digit in segment:
        bits = _DIGITS.get(digit)
        if bits is None or shift > 60:
            return None
        value |= (bits & 31) << shift
        shift += 5
        if not bits & 32:
            values.append(-(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    return values

"""A JSON lockfile: parsed within bounds, and the lines its keys stand on.

`json` gives values but no places. Lockfiles are written by machines, one key a line, so the lines of an object's members are first read
off the indentation; where that does not give exactly the members in their order, the text is scanned token by token.
"""

from __future__ import annotations

import json
import re
from itertools import accumulate, islice, pairwise

from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING

from ..errors import Place, UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

MAX_SCANNED = 16 << 20
"""The characters of a text that are scanned for lines where its layout is not the usual."""

_TOKEN = lazy_pattern(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]:,]|\n', re.DOTALL)
_MEMBER = lazy_pattern(r'\s*"([^"\\]*)"\s*:\s*(\{)?')
_FIRST_INDENT = lazy_pattern(r"\{\r?\n([ \t]+)\"")


def parse_json(text: str, path: str) -> dict[str, Any]:
    """The object a JSON text holds.

    Raises:
        UnreadableError: The text is not JSON, nests too deep, or holds something else than an object.

    """
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        what = (
            "the file is empty"
            if not text.strip()
            else f"not JSON: {error.msg.lower().removesuffix(' at')} at column {error.colno}"
        )
        raise UnreadableError(what, place=Place(path, error.lineno)) from None
    except RecursionError:
        raise UnreadableError("JSON nests too deep", place=Place(path)) from None
    except ValueError:
        raise UnreadableError("JSON holds a number of more than 4,300 digits", place=Place(path)) from None
    if not isinstance(value, dict):
        raise UnreadableError(f"holds {json_kind(value)}, not an object", place=Place(path, 1))
    return value


def unquoted(text: str) -> str:
    """The text of a JSON string; text that is not quoted, or wrongly, as it is."""
    if text[:1] != '"':
        return text
    if "\\" not in text:
        return text[1:-1]
    try:
        return str(json.loads(text))
    except ValueError:
        return text[1:-1]


def json_kind(value: object) -> str:
    """What a JSON value is, in words for a message."""
    if value is None:
        return "null"
    for kind, word in ((bool, "true or false"), (str, "a string"), (list, "a list"), (dict, "an object")):
        if isinstance(value, kind):
            return word
    return "a number"


def member_lines(text: str, keys: tuple[str, ...], members: Iterable[str]) -> dict[str, int]:
    """The line (from 1) of each member of the object at the key path `keys`; a key that is given twice counts at its last place."""
    wanted = list(members)
    if "\n" not in text:
        return dict.fromkeys(wanted, 1)
    found = _lines_by_indent(text, keys, wanted)
    if found is None:
        found = {key: line for trail, key, line in walk_keys(text) if len(trail) == len(keys) and tuple(trail) == keys}
    return found


def _lines_by_indent(text: str, keys: tuple[str, ...], wanted: list[str]) -> dict[str, int] | None:
    """The lines read off a canonical layout; None where the layout does not give exactly the wanted members in order."""
    unit = indent_unit(text)
    if unit is None:
        return None
    start, line = 0, 1
    for depth, key in enumerate(keys, 1):
        head = text.find(f"\n{unit * depth}{json.dumps(key, ensure_ascii=False)}: {{", start)
        if head < 0:
            return None
        line += text.count("\n", start, head + 1)
        start = head + 1
    member = re.compile(f'\n{unit * (len(keys) + 1)}"')
    closing = f"\n{unit * len(keys)}}}"
    places = [found.end() for found in member.finditer(text, start, max(text.rfind(closing), start))]
    if len(places) != len(wanted):  # another object follows; where this one ends takes longer to find
        places = [found.end() for found in member.finditer(text, start, max(text.find(closing, start), start))]
    if len(places) != len(wanted):
        return None
    heads = [name + '": ' for name in wanted]
    if not all(map(text.startswith, heads, places)):
        heads = [json.dumps(name, ensure_ascii=False)[1:] + ": " for name in wanted]
        if not all(map(text.startswith, heads, places)):
            return None
    count = text.count
    breaks = [count("\n", before, place) for before, place in pairwise((start, *places))]
    return dict(zip(wanted, islice(accumulate(breaks, initial=line), 1, None), strict=True))


def indent_unit(text: str) -> str | None:
    """The indentation of one level in a text that has a key a line, None in any other."""
    first = _FIRST_INDENT.match(text)
    return None if first is None else first.group(1)


def walk_keys(text: str) -> Iterator[tuple[list[str], str, int]]:
    """Each key of a valid JSON text with the keys of the objects it is in, and its line; keys inside lists are left out.

    The list of outer keys is one and the same each time. Nothing comes of a text of more than 16 MB: it is read without lines.
    """
    if len(text) > MAX_SCANNED:
        return
    outer: list[str] = []
    closers: list[str] = []  # for each open bracket: the key to leave, or ""
    key, string, line, string_line, lists = "", "", 1, 1, 0
    for match in _TOKEN.finditer(text):
        piece = match.group()
        if piece == "\n":
            line += 1
        elif piece[0] == '"':
            string, string_line = piece, line
        elif piece == ":":
            key = unquoted(string)
            if not lists:
                yield outer, key, string_line
        elif piece in "{[":
            lists += piece == "["
            if piece == "{" and not lists and closers:
                outer.append(key)
            closers.append(piece)
        elif piece in "}]" and closers:
            opened = closers.pop()
            if opened == "{" and not lists and outer:
                outer.pop()
            lists -= opened == "["


class LineStarts:
    """Where the lines of a text begin, found as far as they are asked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0]
        self.complete = False

    def offset(self, line: int) -> int | None:
        """The offset of a line (from 1), None behind the last."""
        starts = self.starts
        while len(starts) < line:
            end = -1 if self.complete else self.text.find("\n", starts[-1])
            if end < 0:
                self.complete = True
                return None
            starts.append(end + 1)
        return starts[line - 1]


def declaration_lines(text: str, first: int, starts: LineStarts) -> dict[tuple[str, str], int]:
    """The line of each (field, name) in the object that begins on line `first`, in a text that has a key a line."""
    found: dict[tuple[str, str], int] = {}
    if first < 1:
        return found
    depth, field, line = 1, "", first
    while depth > 0:
        line += 1
        at, end = starts.offset(line), starts.offset(line + 1)
        if at is None or end is None:
            break
        content = text[at : end - 1]
        match = _MEMBER.match(content)
        if match and match.group(2) and depth == 1:
            field = match.group(1)
        elif match and depth == 2:
            found[field, match.group(1)] = line
        depth += content.count("{") - content.count("}")
    return found

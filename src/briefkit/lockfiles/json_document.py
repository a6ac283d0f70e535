"""A JSON lockfile: parsed within bounds, and the lines its keys stand on.

`json` gives values but no places. Lockfiles are written by machines, one key a line, so the lines of an object's members are first read
off the indentation; where that does not give exactly the members in their order, the text is scanned token by token.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from ..errors import Place, UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_DEPTH = 200
"""npm nests far less; past it a text is not a lockfile."""

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]:,]|\n', re.DOTALL)
_FIRST_INDENT = re.compile(r"\{\r?\n([ \t]+)\"")


def parse_json(text: str, path: str) -> dict[str, Any]:
    """The object a JSON text holds.

    Raises:
        UnreadableError: The text is not JSON, nests too deep, or holds something else than an object.

    """
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        what = "the file is empty" if not text.strip() else f"not JSON: {error.msg.lower()} at column {error.colno}"
        raise UnreadableError(what, place=Place(path, error.lineno)) from None
    except RecursionError:
        raise UnreadableError("JSON nests too deep", place=Place(path)) from None
    except ValueError:
        raise UnreadableError("JSON holds a number of more than 4,300 digits", place=Place(path)) from None
    if not isinstance(value, dict):
        raise UnreadableError(f"holds {json_kind(value)}, not an object", place=Place(path, 1))
    return value


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
    found = _lines_by_indent(text, keys, wanted)
    return _lines_by_token(text, keys) if found is None else found


def _lines_by_indent(text: str, keys: tuple[str, ...], wanted: list[str]) -> dict[str, int] | None:
    """The lines read off a canonical layout; None where the layout does not give exactly the wanted members in order."""
    first = _FIRST_INDENT.match(text)
    if first is None:
        return None
    indent = first.group(1)
    start, line = 0, 1
    for depth, key in enumerate(keys, 1):
        head = text.find("\n" + indent * depth + json.dumps(key, ensure_ascii=False) + ": {", start)
        if head < 0:
            return None
        line += text.count("\n", start, head + 1)
        start = head + 1
    end = text.find("\n" + indent * len(keys) + "}", start)
    member = re.compile("\n" + indent * (len(keys) + 1) + r'"([^"\\\n]*)": ')
    lines: dict[str, int] = {}
    order: list[str] = []
    last = start
    for match in member.finditer(text, start, len(text) if end < 0 else end):
        line += text.count("\n", last, match.start() + 1)
        last = match.start() + 1
        name = match.group(1)
        order.append(name)
        lines[name] = line
    return lines if order == wanted else None


def _lines_by_token(text: str, keys: tuple[str, ...]) -> dict[str, int]:
    """The lines found by walking the tokens of any JSON text."""
    lines: dict[str, int] = {}
    trail: list[str | None] = []  # the key each open object or list stands under
    key: str | None = None
    string: str | None = None
    line = 1
    depth = len(keys) + 1
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token == "\n":
            line += 1
        elif token[0] == '"':
            string = token
        elif token == ":":
            key = None if string is None else json.loads(string, strict=False)
            if len(trail) == depth and tuple(trail[1:]) == keys and key is not None:
                lines[key] = line
        elif token in "{[":
            trail.append(key if token == "{" or key is not None else None)
            key = None
        elif token in "}]":
            if trail:
                trail.pop()
            key = None
        else:
            key = None
    return lines

"""A mapping of blocks, in the layout in which the managers write it, cut up without being parsed.

    '@scope/name@1.0.0':            <- a key, by itself on its line, all keys indented alike
      resolution: {integrity: …}    <- its body: everything indented further

Thousands of such blocks make up a lockfile. Keys and lines are found in one pass; a body is looked at when it is asked for, and then
only the fields that are wanted. Whatever is not in just this layout raises `OtherLayout`, and the caller has the general parser read it.
"""

from __future__ import annotations

import re

from briefkit.patterns import lazy_pattern

_QUOTED_KEY = lazy_pattern(r"'([^'\n]+)'|\"([^\"\\\n]+)\"")
_NO_PLAIN = frozenset("&*!|>'\"%@`{[]},#?-: \t")
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))


class OtherLayout(Exception):  # noqa: N818 - it never leaves the readers
    """The text is not in the layout that managers write; the general parser must read it."""


def check_plain(text: str) -> None:
    """Nothing, where no line of a document can hold an anchor, alias or tag, or is indented by tabs.

    Raises:
        OtherLayout: One may; only the general parser can tell.

    """
    if "\t" in text or "\r" in text:
        raise OtherLayout
    for mark in "&*!":  # one character is found in no time, so a file without it is not searched for more
        if mark in text and (f": {mark}" in text or f"- {mark}" in text):
            raise OtherLayout
    if "?" in text and ("\n? " in text or "\n  ? " in text or "\n    ? " in text):
        raise OtherLayout


class Blocks:
    """The blocks of `text[start:end]` whose keys are indented by `indent` spaces; `line` is the line that `start` is on."""

    __slots__ = ("deeper", "ends", "keys", "lines", "starts", "stop", "text")

    def __init__(self, text: str, start: int, end: int, line: int, indent: int) -> None:
        self.text = text
        self.stop = end
        self.deeper = "\n" + " " * (indent + 3)
        self.keys: list[str] = []
        self.lines: list[int] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        last = start
        for found in _heads(indent).finditer(text, start, end):
            head = found.group(1)
            if head[0] == "#":
                raise OtherLayout
            self.keys.append(block_key(head))
            place = found.start() + 1
            line += text.count("\n", last, place)
            last = place
            self.lines.append(line)
            self.starts.append(found.start())
            self.ends.append(found.end())
        if len(set(self.keys)) != len(self.keys):
            raise OtherLayout  # the general parser names the key that is there twice
        if odd_field(indent + 2).search(text, start, end) or _less_indented(indent).search(text, start, end):
            raise OtherLayout
        if text[start : self.starts[0] if self.starts else end].strip():
            raise OtherLayout

    def raw(self, index: int) -> str:
        """`body`, however it is indented."""
        following = index + 1
        return self.text[self.ends[index] : self.starts[following] if following < len(self.starts) else self.stop]

    def body(self, index: int) -> str:
        """What stands under a key: from the end of the key's line to the end of the last line before the next key.

        Raises:
            OtherLayout: It is indented otherwise than the managers do.

        """
        body = self.raw(index)
        if body.startswith(self.deeper) or (body.startswith("\n\n") and body.lstrip("\n").startswith(self.deeper[1:])):
            raise OtherLayout  # its fields are indented by more than they are looked for
        return body


def block_key(head: str) -> str:
    """The key of a line that holds but a key, its colon, and perhaps an empty mapping."""
    head = head.removesuffix(" {}").rstrip()
    key = head[:-1]
    if not head.endswith(":") or not key:
        raise OtherLayout
    if key[0] in "'\"":
        quoted = _QUOTED_KEY.fullmatch(key)
        if quoted is None:
            raise OtherLayout
        return quoted.group(1) or quoted.group(2)
    if key[0] in _NO_PLAIN or ": " in key or " #" in key or key[-1] == " ":
        raise OtherLayout
    return key


def plain_text(text: str) -> str | None:
    """The value of a scalar that stands on one line."""
    if not text:
        raise OtherLayout
    first = text[0]
    if first in "'\"":
        inner = text[1:-1]
        if len(text) < 2 or text[-1] != first or first in inner or "\\" in inner:
            raise OtherLayout
        return inner
    if first in _NO_PLAIN or ": " in text or " #" in text or text[-1] in ": ":
        raise OtherLayout
    return None if text in _NULLS else text


def field_text(body: str, field: str, pad: str) -> str | None:
    """The value of a body's scalar field, None where it has none; `pad` is a line end and the field's indentation."""
    head = f"{pad}{field}:"
    at = body.find(head)
    if at < 0:
        return None
    at += len(head)
    end = body.find("\n", at)
    if body[at : at + 1] != " ":
        raise OtherLayout
    stop = len(body) if end < 0 else end
    if end >= 0 and body.startswith(pad + " ", end):  # the value goes on in the next line
        raise OtherLayout
    return plain_text(body[at + 1 : stop])


def field_pairs(body: str, field: str, pad: str) -> list[tuple[str, str]]:
    """The keys and values of a body's field that is a mapping of scalars, one a line; empty where there is none."""
    head = f"{pad}{field}:"
    at = body.find(head)
    if at < 0:
        return []
    at += len(head)
    inner = pad + "  "
    if not body.startswith(inner, at):
        raise OtherLayout
    pairs = []
    end = _end_of(body, at, pad)
    if body.startswith("\n\n", end) and body[end:].lstrip("\n").startswith(inner[1:]):
        raise OtherLayout  # an empty line inside the mapping
    for line in body[at + len(inner) : end].split(inner):
        key, colon, value = line.partition(": ")
        if not colon or "\n" in value or not key:
            raise OtherLayout
        if key[0] in _NO_PLAIN:
            key = plain_text(key) or ""
        elif " #" in key:
            raise OtherLayout
        if value[:1] in _NO_PLAIN or " " in value or value in _NULLS or value[-1] == ":":
            text = plain_text(value)
            if text is None:
                raise OtherLayout
            value = text
        pairs.append((key, value))
    return pairs


def _end_of(body: str, at: int, pad: str) -> int:
    """Where the lines indented further than `pad` that begin at `at` end."""
    found = _outdents(len(pad) - 1).search(body, at + 1)
    return len(body.rstrip()) if found is None else found.start()


_PATTERNS: dict[tuple[str, int], re.Pattern[str]] = {}


def _cached(kind: str, indent: int, pattern: str) -> re.Pattern[str]:
    known = _PATTERNS.get((kind, indent))
    if known is None:
        known = _PATTERNS[kind, indent] = re.compile(pattern)
    return known


def _heads(indent: int) -> re.Pattern[str]:
    """A line indented by just this much."""
    return _cached("heads", indent, rf"\n {{{indent}}}([^ \n][^\n]*)" if indent else r"\n([^ \n][^\n]*)")


def _less_indented(indent: int) -> re.Pattern[str]:
    """A line that holds something and is indented by less."""
    return _cached("less", indent, rf"\n {{0,{indent - 1}}}[^ \n]" if indent else r"(?!)")


def odd_field(indent: int) -> re.Pattern[str]:
    """A line indented by just this much, or by one less, that does not begin with a plain field name and its colon."""
    return _cached("odd", indent, rf"\n {{{indent - 1}}}(?! (?: |[A-Za-z]+:[ \n]|[A-Za-z]+:\Z))[^\n]")


def _outdents(indent: int) -> re.Pattern[str]:
    """A line end before a line that is indented by at most this much, or is empty."""
    return _cached("outdents", indent, rf"\n(?: {{0,{indent}}}[^ \n]|\n|$)")

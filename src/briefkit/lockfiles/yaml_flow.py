"""Flow collections of YAML, `{a: 1, b: [2]}`, which may run over several lines of a document."""

from __future__ import annotations

from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from typing import NoReturn, TypeAlias

    Yaml: TypeAlias = "str | list[Yaml] | Mapping | None"

MAX_DEPTH = 64
"""Lockfiles nest six deep."""
PLAIN_NULL = frozenset(("", "~", "null", "Null", "NULL"))
"""What is written where nothing is meant."""
REFUSED = {"&": "an anchor", "*": "an alias", "!": "a tag"}
"""What a value may not begin with, and how it is called."""
_FLOW_PLAIN = lazy_pattern(
    r"(?:[^\s,\[\]{}#:&*!|>'\"%@`\-?]|[\-?:](?=[^\s,\[\]{}]))(?:[^,\[\]{}:#\n]|:(?=[^\s,\[\]{}])|(?<=\S)#)*+"
)
_FLOW_SPACE = lazy_pattern(r"[ \t]*(?:(?<![^ \t])#.*)?")


class Mapping(dict[str, "Yaml"]):
    """A mapping that knows the line of each key, and of its own beginning."""

    __slots__ = ("line", "lines")

    def __init__(self, line: int = 0) -> None:
        super().__init__()
        self.line = line
        self.lines: dict[str, int] = {}


class Cursor(Protocol):
    """The parser of the document that a flow collection stands in."""

    lines: list[str]
    at: int
    depth: int
    first_line: int
    repeated_keys: bool

    def fail(self, what: str, at: int | None = None) -> NoReturn:
        """Refuse the document, at the line that the cursor is on."""

    def indent(self) -> int:
        """The indentation of the current line."""

    def quoted(self, content: str, parent: int) -> tuple[str, str]:
        """A quoted scalar and what follows it on its last line."""


class FlowCollection:
    """A flow collection, which may run over several lines of the parser's document."""

    def __init__(self, parser: Cursor, content: str, parent: int) -> None:
        self.parser = parser
        self.text = content
        self.parent = parent
        self.opened = parser.at
        self.at = 0
        self.depth = parser.depth

    def rest(self) -> str:
        """What follows the collection on its last line."""
        return self.text[self.at :]

    def _skip(self) -> str:
        """Go to the next character that counts, over line ends and comments; it is returned."""
        while True:
            found = _FLOW_SPACE.match(self.text, self.at)
            if found is not None:
                self.at = found.end()
            if self.at < len(self.text):
                return self.text[self.at]
            parser = self.parser
            parser.at += 1
            if parser.at >= len(parser.lines):
                parser.fail("a bracket that is never closed", self.opened)
            line = parser.lines[parser.at]
            if line.strip() and parser.indent() <= self.parent:
                parser.fail("a bracket that is never closed", self.opened)
            self.text, self.at = line.rstrip(), 0

    def value(self) -> Yaml:
        """The collection, or a scalar inside it."""
        first = self._skip()
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.parser.fail(f"nests deeper than {MAX_DEPTH}")
        if first == "{":
            found: Yaml = self._mapping()
        elif first == "[":
            found = self._sequence()
        else:
            found = self._scalar(first)
        self.depth -= 1
        return found

    def _sequence(self) -> list[Yaml]:
        self.at += 1
        items: list[Yaml] = []
        while self._skip() != "]":
            items.append(self.value())
            if self._skip() == ":":
                self.parser.fail("a pair in a list")
            self._comma("]")
        self.at += 1
        return items

    def _mapping(self) -> Mapping:
        parser = self.parser
        found = Mapping(parser.first_line + parser.at)
        self.at += 1
        while (first := self._skip()) != "}":
            line = parser.first_line + parser.at
            key = self._scalar(first)
            if key is None:
                key = ""
            if key in found and not parser.repeated_keys:
                parser.fail(f"the key {key[:100]!r} is there twice")
            found.lines[key] = line
            value: Yaml = None
            if self._skip() == ":":
                self.at += 1
                if self._skip() not in ",}":
                    value = self.value()
            found[key] = value
            self._comma("}")
        self.at += 1
        return found

    def _comma(self, closing: str) -> None:
        here = self._skip()
        if here == ",":
            self.at += 1
        elif here != closing:
            self.parser.fail(f"{here!r} where ',' or {closing!r} belongs")

    def _scalar(self, first: str) -> str | None:
        if first in "'\"":
            text, rest = self.parser.quoted(self.text[self.at :], self.parent)
            self.text, self.at = rest, 0
            return text
        if first in REFUSED:
            self.parser.fail(f"{REFUSED[first]} is not read")
        found = _FLOW_PLAIN.match(self.text, self.at)
        if found is None:
            self.parser.fail(f"{first!r} where a value belongs")
        self.at = found.end()
        text = found.group().rstrip()
        return None if text in PLAIN_NULL else text

"""The YAML that pnpm and yarn write, and no more: block and flow collections, every kind of scalar, many documents, comments.

Scalars stay strings (`5.4` is no number, `no` no truth value), nothing at all and `null` are None. Anchors, aliases and tags are
refused: no lockfile has them, and with them a small file can grow without end. Keys may be of any length. Each mapping knows the line
of each of its keys.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

from ..errors import Place, UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    Yaml: TypeAlias = "str | list[Yaml] | Mapping | None"

MAX_DEPTH = 64
"""Lockfiles nest six deep."""
MAX_QUOTED = 1 << 18
MAX_QUOTED_LINES = 256
"""Of a quoted text that runs over several lines; on one line it may be of any length."""

_MARKER = re.compile(r"\n(?:---|\.\.\.)")
_PLAIN_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_SINGLE = re.compile(r"'((?:[^']|'')*+)'")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_PLAIN_KEY = re.compile(
    r"[^\s\-?:,\[\]{}#&*!|>'\"%@`](?:[^:#\n]|:(?=\S)|(?<=\S)#)*+|[\-?:](?=\S)(?:[^:#\n]|:(?=\S)|(?<=\S)#)*+"
)
_AFTER_KEY = re.compile(r"[ \t]*:(?=[ \t]|$)")
_NESTED_KEY = re.compile(r":(?:[ \t]|$)")
_BLOCK_HEAD = re.compile(r"[|>](?:([+-])([1-9])?|([1-9])([+-])?)?[ \t]*(?:(?<=[ \t])#.*)?$")
_FLOW_PLAIN = re.compile(
    r"(?:[^\s,\[\]{}#:&*!|>'\"%@`\-?]|[\-?:](?=[^\s,\[\]{}]))(?:[^,\[\]{}:#\n]|:(?=[^\s,\[\]{}])|(?<=\S)#)*+"
)
_FLOW_SPACE = re.compile(r"[ \t]*(?:(?<![^ \t])#.*)?")
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b", " ": " ",
    '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_REFUSED = {"&": "an anchor", "*": "an alias", "!": "a tag"}


class Mapping(dict[str, "Yaml"]):
    """A mapping that knows the line of each key, and of its own beginning."""

    __slots__ = ("line", "lines")

    def __init__(self, line: int = 0) -> None:
        super().__init__()
        self.line = line
        self.lines: dict[str, int] = {}


def split_documents(text: str) -> list[tuple[int, str]]:
    r"""The documents of a YAML stream, each with its first line; line ends are made `\n`."""
    text = normal_line_ends(text)
    if not _MARKER.search(text) and not text.startswith(("---", "...")):
        return [(1, text)]
    documents: list[tuple[int, str]] = []
    line, start = 1, 0
    for marker in re.finditer(r"(?m)^(?:---|\.\.\.)(?:[ \t]*(?:#[^\n]*)?$)", text):
        documents.append((line, text[start : marker.start()]))
        line += text.count("\n", start, marker.end())
        start = marker.end()
    documents.append((line, text[start:]))
    return [document for document in documents if document[1].strip()] or documents[:1]


def normal_line_ends(text: str) -> str:
    r"""The text with `\n` where it has `\\r\\n` or `\\r`."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def parse_yaml(text: str, path: str, *, first_line: int = 1, repeated_keys: bool = False) -> Yaml:
    r"""The value of one YAML document whose line ends are `\\n`; `repeated_keys` lets the last of equal keys win.

    Raises:
        UnreadableError: The text is not of the subset; the message names the line.

    """
    return _Parser(text, path, first_line, repeated_keys).document()


class _Parser:
    """A cursor over the lines of one document."""

    def __init__(self, text: str, path: str, first_line: int, repeated_keys: bool) -> None:
        self.lines = text.split("\n")
        self.path = path
        self.first_line = first_line
        self.repeated_keys = repeated_keys
        self.at = 0
        self.depth = 0

    def fail(self, what: str, at: int | None = None) -> NoReturn:
        line = self.first_line + min(self.at if at is None else at, len(self.lines) - 1)
        raise UnreadableError(f"not the YAML of a lockfile: {what}", place=Place(self.path, line))

    def document(self) -> Yaml:
        if not self._skip_blank():
            return None
        value = self._block(0)
        if self._skip_blank():
            self.fail("text outside any key")
        return value

    def _skip_blank(self) -> bool:
        """Go to the next line that holds something; False at the end."""
        lines = self.lines
        while self.at < len(lines):
            content = lines[self.at].lstrip(" ")
            if content and content[0] not in "#\t":
                return True
            if content[:1] == "\t":
                bare = content.strip()
                if bare and not bare.startswith("#"):
                    self.fail("a tab in the indentation")
            self.at += 1
        return False

    def _indent(self) -> int:
        line = self.lines[self.at]
        return len(line) - len(line.lstrip(" "))

    def _block(self, least: int) -> Yaml:
        """The value that begins on the current line, indented by at least `least`."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"nests deeper than {MAX_DEPTH}")
        indent = self._indent()
        content = self.lines[self.at][indent:]
        if content.startswith("- ") or content == "-":
            value: Yaml = self._sequence(indent)
        elif self._is_key(content):
            value = self._mapping(indent)
        else:
            value = self._inline(content, indent, max(least - 1, -1))
        self.depth -= 1
        return value

    def _is_key(self, content: str) -> bool:
        if content.startswith("? ") or content == "?":
            return True
        for pattern in (_SINGLE, _DOUBLE, _PLAIN_KEY):
            found = pattern.match(content)
            if found is not None:
                return _AFTER_KEY.match(content, found.end()) is not None
        return False

    def _sequence(self, indent: int) -> list[Yaml]:
        items: list[Yaml] = []
        while self._skip_blank() and self._indent() == indent:
            line = self.lines[self.at]
            if line[indent : indent + 2] not in ("- ", "-"):
                break
            rest = line[indent + 1 :]
            if rest.strip() and not rest.lstrip().startswith("#"):
                self.lines[self.at] = " " * (indent + 1) + rest
                items.append(self._block(indent + 1))
            else:
                self.at += 1
                items.append(self._block(indent + 1) if self._skip_blank() and self._indent() > indent else None)
        if self.at < len(self.lines) and self._skip_blank() and self._indent() > indent:
            self.fail("indented further than the list it follows")
        return items

    def _mapping(self, indent: int) -> Mapping:
        found = Mapping(self.first_line + self.at)
        while self._skip_blank():
            here = self._indent()
            if here < indent:
                break
            if here > indent:
                self.fail("indented further than the key above it")
            at = self.at
            explicit = self.lines[at][indent : indent + 2] in ("? ", "?")
            key = self._explicit_key(indent) if explicit else self._key(indent)
            if key in found and not self.repeated_keys:
                self.fail(f"the key {key[:100]!r} is there twice", at)
            found.lines[key] = self.first_line + at
            found[key] = self._explicit_value(indent) if explicit else self._value(indent)
        return found

    def _key(self, indent: int) -> str:
        """The key on the current line; the line is left with what follows its colon."""
        line = self.lines[self.at]
        if line[indent : indent + 1] in _REFUSED:
            self.fail(f"{_REFUSED[line[indent]]} is not read")
        single = _SINGLE.match(line, indent)
        double = None if single else _DOUBLE.match(line, indent)
        found = single or double or _PLAIN_KEY.match(line, indent)
        colon = None if found is None else _AFTER_KEY.match(line, found.end())
        if found is None or colon is None:
            self.fail("a line that is no key")
        self.lines[self.at] = line[colon.end() :]
        if single:
            return single.group(1).replace("''", "'")
        if double:
            return self._unescaped(double.group(1))
        return found.group().rstrip()

    def _explicit_key(self, indent: int) -> str:
        """The key behind `? `, which may be of any length; its value stands behind a colon on a line of its own."""
        self.lines[self.at] = " " * (indent + 1) + self.lines[self.at][indent + 1 :]
        key = self._block(indent + 1) if self._skip_blank() and self._indent() > indent else None
        if not isinstance(key, str):
            self.fail("a key that is no text")
        if (
            not self._skip_blank()
            or self._indent() != indent
            or self.lines[self.at][indent : indent + 2] not in (": ", ":")
        ):
            self.fail("a key without a value")
        return key

    def _explicit_value(self, indent: int) -> Yaml:
        """What follows the colon of an explicit key: a mapping may begin on the colon's own line."""
        rest = self.lines[self.at][indent + 1 :]
        bare = rest.strip()
        if bare and self._is_key(bare):
            self.lines[self.at] = " " * (indent + 1) + rest
            return self._block(indent + 1)
        self.lines[self.at] = rest
        return self._value(indent)

    def _value(self, indent: int) -> Yaml:
        """What follows a key's colon: on its line, or indented further on the next."""
        rest = self.lines[self.at].strip(" \t")
        if rest and not rest.startswith("#"):
            return self._inline(rest, indent, indent)
        self.at += 1
        if not self._skip_blank():
            return None
        here = self._indent()
        if here > indent:
            return self._block(indent + 1)
        if here == indent and (self.lines[self.at][here:].startswith("- ") or self.lines[self.at][here:] == "-"):
            self.depth += 1
            value = self._sequence(indent)
            self.depth -= 1
            return value
        return None

    def _inline(self, content: str, _column: int, parent: int) -> Yaml:
        """The scalar or flow collection that begins with `content` on the current line; `parent` is the indent it is under."""
        first = content[0]
        if first in _REFUSED:
            self.fail(f"{_REFUSED[first]} is not read")
        if first in "|>":
            return self._block_scalar(content, parent)
        if first in "[{":
            flow = _Flow(self, content, parent)
            value = flow.value()
            self._end_of_value(flow.rest())
            return value
        if first in "'\"":
            text, rest = self._quoted(content, parent)
            self._end_of_value(rest)
            return text
        return self._plain(content, parent)

    def _end_of_value(self, rest: str) -> None:
        if rest.strip() and not re.match(r"[ \t]+#", rest):
            self.fail("text after a value")
        self.at += 1

    def _quoted(self, content: str, parent: int) -> tuple[str, str]:
        """A quoted scalar and what follows it on its last line; the cursor stays on that line."""
        quote = content[0]
        pattern = _SINGLE if quote == "'" else _DOUBLE
        found = pattern.match(content)
        if found is None:
            pieces = [content.rstrip()]
            size = len(content)
            opened = self.at
            while True:
                self.at += 1
                if self.at >= len(self.lines):
                    self.fail("a quote that is never closed", opened)
                line = self.lines[self.at]
                if line.strip() and self._indent() <= parent:
                    self.fail("a quote that is never closed", opened)
                size += len(line)
                pieces.append(line.strip())
                if quote in line and (found := pattern.match(_folded(pieces, quote))):
                    break
                if size > MAX_QUOTED or len(pieces) > MAX_QUOTED_LINES:
                    self.fail("a quoted text that is too long")
            content = _folded(pieces, quote)
        text = found.group(1)
        return (text.replace("''", "'") if quote == "'" else self._unescaped(text)), content[found.end() :]

    def _unescaped(self, text: str) -> str:
        if "\\" not in text:
            return text

        def escaped(found: re.Match[str]) -> str:
            code = found.group(1)
            if len(code) > 1:
                number = int(code[1:], 16)
                if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
                    return "\ufffd"
                return chr(number)
            if code not in _ESCAPES:
                self.fail(f"an unknown escape '\\{code}'")
            return _ESCAPES[code]

        return _ESCAPE.sub(escaped, text)

    def _plain(self, content: str, parent: int) -> str | None:
        if content[0] in "%@`,]}#" or (content[0] in "-?:" and content[1:2] in ("", " ", "\t")):
            self.fail(f"a value that begins with {content[0]!r}")
        text = _without_comment(content)
        if _NESTED_KEY.search(text):
            self.fail("a key inside a value")
        self.at += 1
        if text != content.rstrip():  # a comment ends a plain scalar
            return None if text in _PLAIN_NULL else text
        pieces = [text]
        blanks = 0
        while self.at < len(self.lines):
            line = self.lines[self.at]
            bare = line.strip(" \t")
            if not bare:
                blanks += 1
                self.at += 1
                continue
            if self._indent() <= parent or bare[0] == "#":
                break
            piece = _without_comment(bare)
            if _NESTED_KEY.search(piece):
                self.fail("a key inside a value")
            pieces.append("\n" * blanks if blanks else " ")
            pieces.append(piece)
            blanks = 0
            self.at += 1
            if piece != bare:
                break
        self.at -= blanks
        joined = "".join(pieces)
        return None if joined in _PLAIN_NULL else joined

    def _block_scalar(self, content: str, parent: int) -> str:
        head = _BLOCK_HEAD.match(content)
        if head is None:
            self.fail("a malformed block text")
        chomping = head.group(1) or head.group(4) or ""
        indent = int(head.group(2) or head.group(3) or 0)
        indent = indent + max(parent, 0) if indent else 0
        self.at += 1
        body: list[str] = []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            bare = line.strip(" ")
            here = self._indent()
            if bare:
                if not indent:
                    indent = here if here > parent else parent + 1
                if here < indent:
                    break
            body.append(line[indent:] if indent else "")
            self.at += 1
        trailing = 0
        while body and not body[-1]:
            body.pop()
            trailing += 1
        text = "\n".join(body) if content[0] == "|" else _folded_block(body)
        if chomping == "-" or not (text or trailing):
            return text
        return text + "\n" * (trailing + 1 if chomping == "+" else 1)


class _Flow:
    """A flow collection, which may run over several lines of the parser's document."""

    def __init__(self, parser: _Parser, content: str, parent: int) -> None:
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
            if line.strip() and parser._indent() <= self.parent:  # noqa: SLF001 - one cursor, two grammars
                parser.fail("a bracket that is never closed", self.opened)
            self.text, self.at = line.rstrip(), 0

    def value(self) -> Yaml:
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
            text, rest = self.parser._quoted(self.text[self.at :], self.parent)  # noqa: SLF001 - one cursor, two grammars
            self.text, self.at = rest, 0
            return text
        if first in _REFUSED:
            self.parser.fail(f"{_REFUSED[first]} is not read")
        found = _FLOW_PLAIN.match(self.text, self.at)
        if found is None:
            self.parser.fail(f"{first!r} where a value belongs")
        self.at = found.end()
        text = found.group().rstrip()
        return None if text in _PLAIN_NULL else text


def _without_comment(content: str) -> str:
    at = content.find(" #")
    tab = content.find("\t#")
    if tab >= 0 and (at < 0 or tab < at):
        at = tab
    return (content if at < 0 else content[:at]).rstrip()


def _folded(pieces: list[str], quote: str) -> str:
    """The lines of a quoted text as one: a line end is a space, an empty line a line end, an escaped line end nothing."""
    text = pieces[0]
    blanks = 0
    for piece in pieces[1:]:
        if not piece:
            blanks += 1
            continue
        if quote == '"' and (len(text) - len(text.rstrip("\\"))) % 2:
            text = text[:-1] + "\n" * blanks + piece
        else:
            text += ("\n" * blanks or " ") + piece
        blanks = 0
    return text


def _folded_block(body: list[str]) -> str:
    """The lines of a `>` text: a line end between two lines of text is a space."""
    text = ""
    breaks = 0
    folding = False
    for line in body:
        if not line:
            breaks += 1
            continue
        more = line[0] in " \t"
        if text or breaks:
            text += (
                "\n" * breaks
                if breaks and folding and not more
                else "\n" * (breaks + 1)
                if more or not folding
                else " "
            )
        text += line
        breaks, folding = 0, not more
    return text


def iter_items(value: Yaml) -> Iterator[tuple[str, Yaml, int]]:
    """The key, value and line of each item of a mapping; nothing of any other value."""
    if isinstance(value, Mapping):
        lines = value.lines
        for key, item in value.items():
            yield key, item, lines[key]

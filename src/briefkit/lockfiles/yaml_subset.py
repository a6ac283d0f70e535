"""The YAML that pnpm and yarn write, and no more: block and flow collections, every kind of scalar, many documents, comments.

Scalars stay strings (`5.4` is no number, `no` no truth value), nothing at all and `null` are None. Anchors, aliases and tags are
refused: no lockfile has them, and with them a small file can grow without end. Keys may be of any length. Each mapping knows the line
of each of its keys.
"""

from __future__ import annotations

import re

from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING

from ..errors import Place, UnreadableError
from .yaml_flow import MAX_DEPTH, PLAIN_NULL, REFUSED, FlowCollection, Mapping
from .yaml_scalars import folded, folded_block, unescaped, without_comment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn

    from .yaml_flow import Yaml

MAX_QUOTED = 1 << 18
MAX_QUOTED_LINES = 256
"""Of a quoted text that runs over several lines; on one line it may be of any length."""

_MARKER = lazy_pattern(r"\n(?:---|\.\.\.)")
_SINGLE = lazy_pattern(r"'((?:[^']|'')*+)'")
_DOUBLE = lazy_pattern(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_PLAIN_KEY = lazy_pattern(
    r"[^\s\-?:,\[\]{}#&*!|>'\"%@`](?:[^:#\n]|:(?=\S)|(?<=\S)#)*+|[\-?:](?=\S)(?:[^:#\n]|:(?=\S)|(?<=\S)#)*+"
)
_AFTER_KEY = lazy_pattern(r"[ \t]*:(?=[ \t]|$)")
_NESTED_KEY = lazy_pattern(r":(?:[ \t]|$)")
_BLOCK_HEAD = lazy_pattern(r"[|>](?:([+-])([1-9])?|([1-9])([+-])?)?[ \t]*(?:(?<=[ \t])#.*)?$")


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

    def indent(self) -> int:
        """The indentation of the current line."""
        line = self.lines[self.at]
        return len(line) - len(line.lstrip(" "))

    def _block(self, least: int) -> Yaml:
        """The value that begins on the current line, indented by at least `least`."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"nests deeper than {MAX_DEPTH}")
        indent = self.indent()
        content = self.lines[self.at][indent:]
        if content.startswith("- ") or content == "-":
            value: Yaml = self._sequence(indent)
        elif self._is_key(content):
            value = self._mapping(indent)
        else:
            value = self._inline(content, max(least - 1, -1))
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
        while self._skip_blank() and self.indent() == indent:
            line = self.lines[self.at]
            if line[indent : indent + 2] not in ("- ", "-"):
                break
            rest = line[indent + 1 :]
            if rest.strip() and not rest.lstrip().startswith("#"):
                self.lines[self.at] = " " * (indent + 1) + rest
                items.append(self._block(indent + 1))
            else:
                self.at += 1
                items.append(self._block(indent + 1) if self._skip_blank() and self.indent() > indent else None)
        if self.at < len(self.lines) and self._skip_blank() and self.indent() > indent:
            self.fail("indented further than the list it follows")
        return items

    def _mapping(self, indent: int) -> Mapping:
        found = Mapping(self.first_line + self.at)
        while self._skip_blank():
            here = self.indent()
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
        if line[indent : indent + 1] in REFUSED:
            self.fail(f"{REFUSED[line[indent]]} is not read")
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
        key = self._block(indent + 1) if self._skip_blank() and self.indent() > indent else None
        if not isinstance(key, str):
            self.fail("a key that is no text")
        if (
            not self._skip_blank()
            or self.indent() != indent
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
            return self._inline(rest, indent)
        self.at += 1
        if not self._skip_blank():
            return None
        here = self.indent()
        if here > indent:
            return self._block(indent + 1)
        if here == indent and (self.lines[self.at][here:].startswith("- ") or self.lines[self.at][here:] == "-"):
            self.depth += 1
            value = self._sequence(indent)
            self.depth -= 1
            return value
        return None

    def _inline(self, content: str, parent: int) -> Yaml:
        """The scalar or flow collection that begins with `content` on the current line; `parent` is the indent it is under."""
        first = content[0]
        if first in REFUSED:
            self.fail(f"{REFUSED[first]} is not read")
        if first in "|>":
            return self._block_scalar(content, parent)
        if first in "[{":
            flow = FlowCollection(self, content, parent)
            value = flow.value()
            self._end_of_value(flow.rest())
            return value
        if first in "'\"":
            text, rest = self.quoted(content, parent)
            self._end_of_value(rest)
            return text
        return self._plain(content, parent)

    def _end_of_value(self, rest: str) -> None:
        if rest.strip() and not re.match(r"[ \t]+#", rest):
            self.fail("text after a value")
        self.at += 1

    def quoted(self, content: str, parent: int) -> tuple[str, str]:
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
                if line.strip() and self.indent() <= parent:
                    self.fail("a quote that is never closed", opened)
                size += len(line)
                pieces.append(line.strip())
                if quote in line and (found := pattern.match(folded(pieces, quote))):
                    break
                if size > MAX_QUOTED or len(pieces) > MAX_QUOTED_LINES:
                    self.fail("a quoted text that is too long")
            content = folded(pieces, quote)
        text = found.group(1)
        return (text.replace("''", "'") if quote == "'" else self._unescaped(text)), content[found.end() :]

    def _unescaped(self, text: str) -> str:
        if "\\" not in text:
            return text
        try:
            return unescaped(text)
        except ValueError as error:
            self.fail(str(error))

    def _plain(self, content: str, parent: int) -> str | None:
        if content[0] in "%@`,]}#" or (content[0] in "-?:" and content[1:2] in ("", " ", "\t")):
            self.fail(f"a value that begins with {content[0]!r}")
        text = without_comment(content)
        if _NESTED_KEY.search(text):
            self.fail("a key inside a value")
        self.at += 1
        if text != content.rstrip():  # a comment ends a plain scalar
            return None if text in PLAIN_NULL else text
        pieces = [text]
        blanks = 0
        while self.at < len(self.lines):
            line = self.lines[self.at]
            bare = line.strip(" \t")
            if not bare:
                blanks += 1
                self.at += 1
                continue
            if self.indent() <= parent or bare[0] == "#":
                break
            piece = without_comment(bare)
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
        return None if joined in PLAIN_NULL else joined

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
            here = self.indent()
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
        text = "\n".join(body) if content[0] == "|" else folded_block(body)
        if chomping == "-" or not (text or trailing):
            return text
        return text + "\n" * (trailing + 1 if chomping == "+" else 1)


def iter_items(value: Yaml) -> Iterator[tuple[str, Yaml, int]]:
    """The key, value and line of each item of a mapping; nothing of any other value."""
    if isinstance(value, Mapping):
        lines = value.lines
        for key, item in value.items():
            yield key, item, lines[key]

"""JavaScript and TypeScript text parsed, within bounds, into trees whose offsets are those of the file."""

from __future__ import annotations

import re
from functools import cache

from briefkit.records import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

SOURCE_LIMIT = 16 << 20
"""No file over this many bytes is parsed."""

MINIFIED_LIMIT = 400_000
"""A minified file over this many bytes is not parsed: its names are no API and its lines cite nothing."""

_NESTING_LIMIT = 4000
_LONG_LINE = 150
_OPENING = re.compile(rb"[(\[{]")
_BRACKET = re.compile(rb"[()\[\]{}]")

# Each rewrite keeps the length, so that offsets in the tree are offsets in the file.
_ACCESSOR = re.compile(rb"\baccessor(?=\s+[\w$#\"'\[])")
_VARIANCE = re.compile(rb"(?<=[<,\s])(?:in\s+out|in|out)\s+(?=[A-Za-z_$][\w$]*(?:\s+extends\b|\s*=[^>=]|\s*[,>]))")
_VARIANCE_HINT = re.compile(rb"[<,]\s*(?:in|out)\s+[A-Za-z_$]")
_EXPORT_TYPE_STAR = re.compile(rb"\bexport\s+type(?=\s*\*)")
_IMPORT_TYPE = re.compile(rb"\bimport\(\s*(\"[^\"\n]*\"|'[^'\n]*')\s*(?:,[^()]*)?\)(?=\s*[.,;)\]>|&}\s<\[])")
_DEFAULT_FUNCTION = re.compile(rb"\bexport\s+default\s+function(?=\s*[(<])")


class Source:
    """One parsed file: where it is, its bytes, and the root of its tree."""

    __slots__ = ("_breaks", "data", "declares", "lines", "path", "root")

    def __init__(self, path: str, data: bytes, root: Node, *, declares: bool) -> None:
        self.path = path
        self.data = data
        self.root = root
        self.declares = declares
        self.lines = data.count(b"\n") + (not data.endswith(b"\n"))
        self._breaks: list[int] | None = None

    def line_of(self, offset: int) -> int:
        """The line, from 1, of a byte."""
        from bisect import bisect_left

        if self._breaks is None:
            self._breaks = [found.start() for found in re.finditer(rb"\n", self.data)]
        return bisect_left(self._breaks, offset) + 1

    def text(self, node: Node) -> str:
        """The text of a node, as the file has it."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")


def first_named(node: Node) -> Node | None:
    """The first child that is no comment and no mark; None where there is none, as in broken code."""
    return next((child for child in node.named_children if child.type != "comment"), None)


class NotParsedError(Exception):
    """A file that is not parsed; the text is the reason, for `reach.unread`."""


def parse(path: str, data: bytes) -> Source:
    """The file's tree; `.ts`, `.mts`, `.cts` and their declarations in TypeScript's grammar, `.tsx` in its own.

    Raises:
        NotParsedError: The file is too large, minified and large, or nested too deeply.

    """
    _check_bounds(path, data)
    grammar = _grammar_of(path)
    declares = _declares(path)
    # Types of other modules with arguments are so common in declarations that parsing twice would cost more.
    text = _IMPORT_TYPE.sub(_dollars, data) if declares and b"import(" in data else data
    root = _parser(grammar).parse(text).root_node
    if grammar != "javascript" and root.has_error:
        mended = _mended(text)
        if mended != text:
            root = _parser(grammar).parse(mended).root_node
    return Source(path, data, root, declares=declares)


def is_minified(data: bytes) -> bool:
    """Whether lines are, on average, longer than anybody writes."""
    return len(data) > 2 * _LONG_LINE and len(data) / (data.count(b"\n") + 1) > _LONG_LINE


def _check_bounds(path: str, data: bytes) -> None:
    if len(data) > SOURCE_LIMIT:
        raise NotParsedError(f"{len(data):,} bytes, more than the {SOURCE_LIMIT:,} that are read")
    if len(data) > MINIFIED_LIMIT and is_minified(data) and not _declares(path):
        raise NotParsedError(f"minified, {len(data):,} bytes")
    if _too_deep(data):
        raise NotParsedError(f"brackets nested more than {_NESTING_LIMIT:,} deep")


def _too_deep(data: bytes) -> bool:
    """Whether brackets may nest over the bound: counted without regard to strings, on runs of openings only.

    A tree of such depth costs the parser nothing, but every walk over it; real code does not come near the bound.
    """
    if data.count(b"(") + data.count(b"[") + data.count(b"{") < _NESTING_LIMIT:
        return False
    return re.search(rb"(?:[(\[{]\s*){%d}" % (_NESTING_LIMIT // 8), data) is not None


def _declares(path: str) -> bool:
    return path.endswith((".d.ts", ".d.mts", ".d.cts"))


def _grammar_of(path: str) -> str:
    if path.endswith((".ts", ".mts", ".cts")):
        return "typescript"
    return "tsx" if path.endswith(".tsx") else "javascript"


@cache
def _parser(grammar: str) -> Parser:
    from tree_sitter import Language, Parser

    if grammar == "javascript":
        import tree_sitter_javascript

        return Parser(Language(tree_sitter_javascript.language()))
    import tree_sitter_typescript

    if grammar == "tsx":
        return Parser(Language(tree_sitter_typescript.language_tsx()))
    return Parser(Language(tree_sitter_typescript.language_typescript()))


def _blank(found: re.Match[bytes]) -> bytes:
    return b" " * len(found.group())


def _export_star(found: re.Match[bytes]) -> bytes:
    return b"export".ljust(len(found.group()))


def _default_function(found: re.Match[bytes]) -> bytes:
    return b"declare".ljust(len(found.group()) - 11) + b"function $$"


def _dollars(found: re.Match[bytes]) -> bytes:
    return b"$" * len(found.group())


def _mended(data: bytes) -> bytes:
    """The bytes with what the grammar does not know yet put in words it does, at equal length.

    Each pattern is tried only where a word of it stands: a search for plain bytes costs a hundredth.
    """
    if b"accessor" in data:
        data = _ACCESSOR.sub(b"readonly", data)
    if _VARIANCE_HINT.search(data):
        data = _VARIANCE.sub(_blank, data)
    if b"export type" in data:
        data = _EXPORT_TYPE_STAR.sub(_export_star, data)
    if b"default function" in data:
        data = _DEFAULT_FUNCTION.sub(_default_function, data)
    return data

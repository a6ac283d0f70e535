"""What a definition says of itself: its header on one line, its lines, and the comment that stands before it."""

from __future__ import annotations

import re

from briefkit.records import TYPE_CHECKING, NamedTuple
from briefkit.text import one_line

if TYPE_CHECKING:
    from tree_sitter import Node

    from .javascript_parsing import Source

_SIGNATURE_LIMIT = 600
_SUMMARY_LIMIT = 300
_HEADER_BYTES = 2400
_TAG = re.compile(r"(?m)^\s*@(\w+)\b[ \t]*([^\n]*(?:\n(?!\s*@)[^\n]*)*)")
_COMMENT = re.compile(r"(?s)/\*.*?(?:\*/|\Z)")
_STARS = re.compile(r"(?m)^[ \t]*\*+[ \t]?")
_SENTENCE_ENDS = (". ", "! ", "? ")
_INLINE_LINK = re.compile(r"\{@\w+\s+([^}|\s]*)[\s|]*([^}]*)\}")
_STATEMENTS = frozenset(
    {
        "expression_statement",
        "lexical_declaration",
        "variable_declaration",
        "export_statement",
        "ambient_declaration",
        "assignment_expression",
        "variable_declarator",
        "pair",
        "sequence_expression",
    }
)


_BARE = frozenset({"method_signature", "property_signature", "abstract_method_signature", "function_signature"})


class Documentation(NamedTuple):
    """The first sentence of a comment, and why what it stands at is deprecated (None: it is not)."""

    summary: str | None
    deprecated: str | None


NO_DOCUMENTATION = Documentation(None, None)


def _line(text: str, limit: int) -> str:
    """As `one_line`; plain text, which nearly all is, is spared the search for what a terminal may act on."""
    line = " ".join(text.split())
    return line if len(line) <= limit and line.isascii() and line.isprintable() else one_line(text, limit)


def header(source: Source, node: Node) -> str:
    """The signature as the file has it, without the body, on one safe line."""
    start, end = node.start_byte, _header_end(node)
    text = source.data[start : min(end, start + _HEADER_BYTES)].decode("utf-8", "replace")
    if "/*" in text:
        # A comment is no part of a signature, and may say anything.
        text = _COMMENT.sub(" ", source.data[start : min(end, start + 8 * _HEADER_BYTES)].decode("utf-8", "replace"))
    return _line(text.rstrip(" {;,=\n"), _SIGNATURE_LIMIT)


def _header_end(node: Node) -> int:
    """Where a definition's header ends: before its body, or the body of the function it is given."""
    if node.type in _BARE:
        return node.end_byte
    body = node.child_by_field_name("body")
    if body is not None:
        return _before_arrow_body(node, body)
    for field in ("value", "right"):
        value = node.child_by_field_name(field)
        if value is None:
            continue
        inner = value.child_by_field_name("body")
        if inner is not None and value.type != "object":
            return _before_arrow_body(value, inner)
        if value.end_byte - value.start_byte > 160:
            return value.start_byte
    return node.end_byte


def _before_arrow_body(node: Node, body: Node) -> int:
    if node.type == "arrow_function" and body.type != "statement_block":
        return min(body.end_byte, body.start_byte + 120)
    return body.start_byte


def lines_of(node: Node) -> tuple[int, int]:
    """First and last line, from 1."""
    first, last = node.start_point[0] + 1, node.end_point[0] + 1
    # A node that ends at the very beginning of a line, as a whole file does, ends with the line before.
    return first, last - (node.end_point[1] == 0 and last > first)


_NOTICE = re.compile(r"<(important|note|warning|caution)>.*?</\1>", re.IGNORECASE)
_MARK = re.compile(r"</?(?:p|code|b|i|em|strong|br|a|ul|li|div|span|h\d)\b[^<>]*>", re.IGNORECASE)


def documentation(source: Source, node: Node) -> Documentation:
    """The comment that stands directly before a definition, or before the statement it is in."""
    at: Node | None = node
    for _ in range(5):
        if at is None:
            break
        before = at.prev_sibling
        while before is not None and before.type in ("decorator", ",", "export", "default", "accessibility_modifier"):
            before = before.prev_sibling
        if before is not None and before.type == "comment":
            return of_comment(source, before, at)
        parent = at.parent
        if parent is None or parent.type not in _STATEMENTS:
            break
        at = parent
    return NO_DOCUMENTATION


def of_comment(source: Source, comment: Node | None, node: Node) -> Documentation:
    """What a comment says of the definition that it stands before."""
    if comment is None:
        return NO_DOCUMENTATION
    start = comment.start_byte
    if not source.data.startswith(b"/**", start) or node.start_point[0] - comment.end_point[0] > 1:
        return NO_DOCUMENTATION
    return documented(source.data[start : min(comment.end_byte, start + 8000)].decode("utf-8", "replace"))


def documented(text: str) -> Documentation:
    """The summary and the deprecation that a `/** … */` comment states."""
    paragraph = _plain(_first_paragraph(text.removeprefix("/**").removesuffix("*/")))
    if "@" not in text:
        return Documentation(_first_sentence(paragraph), None)
    tags = _tags_of(text) if "@dep" in text or not paragraph else {}
    if not paragraph:
        paragraph = tags.get("description", "") or tags.get("desc", "")
    deprecated = _line(_unlinked(tags["deprecated"]), 200) if "deprecated" in tags else None
    return Documentation(_first_sentence(_unlinked(paragraph)), deprecated)


def _first_paragraph(text: str) -> str:
    """The lines before the first empty one or the first tag, as one."""
    found: list[str] = []
    for line in text.split("\n"):
        plain = line.strip().lstrip("*").strip()
        if plain.startswith("@") or (found and not plain):
            break
        if plain:
            found.append(plain)
    return " ".join(found)


def _plain(paragraph: str) -> str:
    """A paragraph without the marks of HTML, and without the boxed notices that some put before what a thing does."""
    if "<" not in paragraph:
        return paragraph
    return " ".join(_MARK.sub(" ", _NOTICE.sub(" ", paragraph)).split())


def _tags_of(text: str) -> dict[str, str]:
    body = _STARS.sub("", text.removeprefix("/**").removesuffix("*/")).strip()
    return {found[1]: found[2].strip() for found in _TAG.finditer(body)}


def _unlinked(text: str) -> str:
    return _INLINE_LINK.sub(lambda found: found[2].strip() or found[1], text) if "{@" in text else text


def _first_sentence(paragraph: str) -> str | None:
    ends = [end for mark in _SENTENCE_ENDS if (end := paragraph.find(mark)) >= 0]
    return _line(paragraph[: min(ends) + 1] if ends else paragraph, _SUMMARY_LIMIT) or None

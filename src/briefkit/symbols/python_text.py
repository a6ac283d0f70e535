"""A Python file's bytes made what the grammar reads: UTF-8, one kind of line end, within bounds."""

from __future__ import annotations

import re

from .python_facts import FILE_LIMIT

NESTING_LIMIT = 400
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"^[ \t\f]*(?:[#\r\n]|$)")
_LONE_RETURN = re.compile(rb"\r(?!\n)")
_BRACKET_RUN = re.compile(rb"[(\[{](?:\s*[(\[{]){%d}" % NESTING_LIMIT)
_TEXTS = ("utf-8", "utf8", "utf-8-sig", "ascii", "us-ascii")


def readable_source(data: bytes) -> bytes | str:
    r"""The file as UTF-8 with `\n` or `\r\n` line ends and without a byte order mark, or the reason why it is not read."""
    if len(data) > FILE_LIMIT:
        return f"{len(data):,} bytes, more than the {FILE_LIMIT:,} that are read"
    if b"\0" in data:
        return "holds NUL bytes"
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    elif (encoding := _cookie(data)) is not None and encoding not in _TEXTS:
        recoded = _recoded(data, encoding)
        if recoded is None:
            return f"not {encoding} text, which its coding cookie claims"
        data = recoded
    if not data.isascii():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            return f"not UTF-8 text at byte {error.start:,}, and without a coding cookie"
    if b"\r" in data:
        data = _LONE_RETURN.sub(b"\n", data)
    if _too_deep(data):
        return f"brackets nested deeper than {NESTING_LIMIT}"
    return data


def _cookie(data: bytes) -> str | None:
    """The encoding of the coding cookie, which stands in the first two lines (PEP 263)."""
    first, _, rest = data[:1000].replace(b"\r", b"\n").partition(b"\n")
    found = _COOKIE.match(first)
    if found is None and _BLANK.match(first):
        found = _COOKIE.match(rest.lstrip(b"\n").partition(b"\n")[0])
    return found.group(1).decode("ascii").lower().replace("_", "-") if found else None


def _recoded(data: bytes, encoding: str) -> bytes | None:
    try:
        return data.decode(encoding).encode("utf-8")
    except (LookupError, ValueError):
        return None


def _too_deep(data: bytes) -> bool:
    return len(data) > NESTING_LIMIT and _BRACKET_RUN.search(data) is not None


_STRINGS = re.compile(
    r"(?P<keep>\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')|#[^\n]*|\\\r?\n|\s+"
)
_AFTER_OPEN = re.compile(r"([(\[{]) ")
_BEFORE_CLOSE = re.compile(r",? ([)\]}])")


_BREAK_AFTER_OPEN = re.compile(r"([(\[{])\s*\n\s*")
_BREAK_BEFORE_CLOSE = re.compile(r",?\s*\n\s*([)\]}])")
_BREAK = re.compile(r"\s*\n\s*")


def flat_header(text: str) -> str:
    """A header's text as one line: comments, line ends and trailing commas gone, strings untouched."""
    if "\n" not in text and "#" not in text:
        return text
    if "#" not in text and "\\" not in text and '"""' not in text and "'''" not in text:
        return _BREAK.sub(" ", _BREAK_BEFORE_CLOSE.sub(r"\1", _BREAK_AFTER_OPEN.sub(r"\1", text.strip())))
    kept: list[str] = []

    def swap(found: re.Match[str]) -> str:
        text = found.group("keep")
        if text is None:
            return " " if found.group()[0] != "#" else ""
        kept.append(" ".join(text.split()) if "\n" in text else text)
        return "\0"

    flat = _STRINGS.sub(swap, text)
    flat = re.sub(r" {2,}", " ", flat)
    flat = _BEFORE_CLOSE.sub(r"\1", _AFTER_OPEN.sub(r"\1", flat)).strip()
    parts = flat.split("\0")
    return parts[0] + "".join(keep + part for keep, part in zip(kept, parts[1:], strict=True))


_SENTENCE_END = re.compile(r"(?<=[a-z0-9)\]`'\"])[.!?](?=\s|$)")


def first_sentence(doc: str, limit: int) -> str | None:
    """The first sentence of a documentation text, or its first paragraph's beginning; None where there is none."""
    paragraph = doc.strip().partition("\n\n")[0][: limit * 4]
    line = " ".join(paragraph.split())
    end = _SENTENCE_END.search(line)
    if end is not None:
        line = line[: end.end()]
    return line[:limit] or None


_DEPRECATED_DIRECTIVE = re.compile(r"^([ \t]*)\.\. deprecated::[ \t]*([^\n]*(?:\n[ \t]+[^\n]+)?)", re.MULTILINE)
_DEPRECATED_START = re.compile(r"(?i)^\W*(?:this \w+ is )?deprecated\b")


def deprecation_in(doc: str) -> str | None:
    """The reason of a deprecation that a documentation text marks, None where it marks none.

    A directive that stands deeper than the text itself is about a parameter or an attribute, not about the whole.
    """
    if "eprecated" not in doc and "EPRECATED" not in doc:
        return None
    for found in _DEPRECATED_DIRECTIVE.finditer(doc):
        if len(found.group(1).expandtabs()) <= _indent_of(doc):
            return " ".join(found.group(2).split())[:200]
    if _DEPRECATED_START.match(doc.lstrip()):
        return first_sentence(doc, 200)
    return None


def _indent_of(doc: str) -> int:
    """How deep a documentation text stands: the least of its lines after the first, whose own indent is that of the quotes."""
    later = [line.expandtabs() for line in doc.split("\n")[1:] if line.strip()]
    return min((len(line) - len(line.lstrip()) for line in later), default=0)

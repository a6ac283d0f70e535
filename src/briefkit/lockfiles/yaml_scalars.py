"""Scalars of YAML as text: comments cut off, escapes resolved, lines folded."""

from __future__ import annotations

import re

from briefkit.patterns import lazy_pattern

_ESCAPE = lazy_pattern(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b", " ": " ",
    '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip


def unescaped(text: str) -> str:
    """The text of a double-quoted scalar with its escapes resolved.

    Raises:
        ValueError: An escape has no meaning.

    """
    return _ESCAPE.sub(_meaning, text)


def _meaning(found: re.Match[str]) -> str:
    code = found.group(1)
    if len(code) > 1:
        number = int(code[1:], 16)
        return "\ufffd" if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF else chr(number)
    if code not in _ESCAPES:
        raise ValueError(f"an unknown escape '\\{code}'")
    return _ESCAPES[code]


def without_comment(content: str) -> str:
    """The content of a line up to its comment."""
    at = content.find(" #")
    tab = content.find("\t#")
    if tab >= 0 and (at < 0 or tab < at):
        at = tab
    return (content if at < 0 else content[:at]).rstrip()


def folded(pieces: list[str], quote: str) -> str:
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


def folded_block(body: list[str]) -> str:
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

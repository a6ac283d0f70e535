"""The logical lines of a requirements file, cut as pip cuts them: continuations joined, then comments taken off."""

from __future__ import annotations

from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_END = lazy_pattern(r"\r\n|\r|\n")
_COMMENT = lazy_pattern(r"(?:^|(?<=\s))#(.*)$")
_ONLY_COMMENT = lazy_pattern(r"\s*#")


class LogicalLine(NamedTuple):
    """A line as pip sees it: where it begins, its text without comments, and the comments that stood in it."""

    number: int
    text: str
    comments: tuple[str, ...]


def logical_lines(text: str) -> Iterator[LogicalLine]:
    """The logical lines that have a text or a comment, in order."""
    begun: list[str] = []
    comments: list[str] = []
    first = 0
    for number, line in enumerate(_END.split(text) if "\r" in text else text.split("\n"), 1):
        if not begun:
            first = number
        comment = _ONLY_COMMENT.match(line)
        if line.endswith("\\") and not comment:
            begun.append(line[:-1])
            continue
        # a comment ends a continued line, and stands apart from its text
        begun.append(" " + line if comment and begun else line)
        joined = _cut("".join(begun), comments)
        if joined or comments:
            yield LogicalLine(first, joined, tuple(comments))
        begun, comments = [], []
    if begun:
        joined = _cut("".join(begun), comments)
        if joined or comments:
            yield LogicalLine(first, joined, tuple(comments))


def _cut(line: str, comments: list[str]) -> str:
    """The line without its comment, which is added to `comments`."""
    if "#" not in line:
        return line.strip()
    found = _COMMENT.search(line)
    if found is None:
        return line.strip()
    comments.append(found.group(1))
    return line[: found.start()].strip()

"""Citations in the words of a finding: `a/b.js:10-20`, `a/b.js lines 10–20`, `package-lock.json line 12`, `c.zip!/in/d.ts:12`.

What looks like a citation and is none (`https://host:443/`, `10:30`, `1.2.3:4`) is left alone: a path has a slash, a file
extension or a known name, and a line number behind it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from .brief import Citation

if TYPE_CHECKING:
    from collections.abc import Iterator

CITATION_LIMIT = 200
LINE_LIMIT = 10_000_000
TEXT_LIMIT = 64 * 1024

_DASH = r"[ \t]?(?:[-\u2010-\u2015\u2212]|\.\.|to\b)[ \t]?"
# possessive and bounded: no text makes the search slow
_PLAIN = r"(?:[A-Za-z]:[\\/])?[^\s`\"'<>|*?:,;#]{1,300}+"
_QUOTED = r"`([^`\n]{1,300}+)`|\"([^\"\n]{1,300}+)\""
_PATH = rf"(?:{_QUOTED}|({_PLAIN}))"
_RANGE = rf"([0-9]{{1,8}})(?:{_DASH}L?([0-9]{{1,8}}))?(?![0-9.]*[0-9])"
_MORE = rf"(?:(?:,|,?[ \t]and[ \t])[ \t]?[0-9]{{1,8}}{_DASH}[0-9]{{1,8}})*"
# path:10-20 and path#L10-L20; a quoted path may hold the numbers inside its quotes, so quotes are optional around all
_COLON = re.compile(rf"(?<![^\s(\[{{`\"'*,;])({_PLAIN})`?(?::L?|\#L){_RANGE}((?:,[0-9]{{1,8}}(?:-[0-9]{{1,8}})?)*)")
# path lines 10-20, path (line 12), path, lines 10 to 20
_WORDS = re.compile(rf"(?<![^\s(\[{{*,;]){_PATH}[ \t]?,?[ \t]?\(?\blines?[ \t]+L?{_RANGE}({_MORE})", re.IGNORECASE)
_SOURCE = re.compile(rf"sources?:[ \t]*([^\s`][^\n]{{0,300}}?)[ \t]\(?lines?[ \t]+{_RANGE}({_MORE})", re.IGNORECASE)
_PAIR = re.compile(rf"([0-9]{{1,8}})(?:{_DASH}([0-9]{{1,8}}))?")
_EXTENSION = re.compile(r"[^.\\/].*\.[A-Za-z][A-Za-z0-9_+~-]{0,11}|\.[A-Za-z][A-Za-z0-9._-]*")
_LETTER = re.compile(r"[^\W\d_]")
_BARE = frozenset(
    "Makefile Dockerfile Pipfile Gemfile Procfile LICENSE README CHANGELOG METADATA RECORD PKG-INFO NEWS".split()  # noqa: SIM905
)


class _Found(NamedTuple):
    """One place in a text that may be a citation: where it begins, its path, its first range and those after it."""

    at: int
    path: str
    first: str
    last: str | None
    more: str


def find_citations(text: str, question: int = 1) -> tuple[Citation, ...]:
    """The citations in a text, in order of appearance, each once; at most `CITATION_LIMIT`."""
    text = text[:TEXT_LIMIT]
    cited: dict[tuple[str, int, int], Citation] = {}
    for found in sorted([*_in_words(text), *_with_colon(text)]):
        file = _file_of(found.path)
        for begin, end in [(found.first, found.last), *_PAIR.findall(found.more)]:
            if file and (one := _citation(file, begin, end, question)):
                cited.setdefault(one.key, one)
    return tuple(cited.values())[:CITATION_LIMIT]


def _in_words(text: str) -> Iterator[_Found]:
    begin = 0
    if (source := _SOURCE.match(text)) and " " in source[1]:
        # only a source line may name a path with spaces without quotes
        yield _Found(source.start(1), source[1], source[2], source[3], source[4])
        begin = source.end()
    for found in _WORDS.finditer(text, begin):
        yield _Found(found.start(), found[1] or found[2] or found[3], found[4], found[5], found[6])


def _with_colon(text: str) -> Iterator[_Found]:
    for found in _COLON.finditer(text):
        yield _Found(found.start(), found[1], found[2], found[3], found[4])


def _citation(file: str, first: str, last: str | None, question: int) -> Citation | None:
    begin = int(first)
    end = int(last) if last else begin
    return Citation(file, begin, end, question) if 0 < begin <= end <= LINE_LIMIT else None


def _file_of(path: str) -> str | None:
    """The path as a citation names it, or None where the word is no path."""
    file = path.strip().strip("*").replace("\\", "/")
    while file[:1] in "([{" and file and not _balanced(file):
        file = file[1:]
    if "://" in file or file.startswith("//") or "\0" in file or not _LETTER.search(file):
        return None
    name = file.rpartition("/")[2]
    if not name or not ("/" in file or name in _BARE or _EXTENSION.fullmatch(name)):
        return None
    return file


def _balanced(text: str) -> bool:
    return all(text.count(left) == text.count(right) for left, right in ("()", "[]", "{}"))

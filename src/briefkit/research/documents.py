"""A package's own documents: changelog and prose, searched for a question's words and cited by line, never believed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from briefkit.errors import BriefkitError
from briefkit.installed.files import citation_path, find_changelog, package_files, read_file
from briefkit.symbols.words import split_words, stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from briefkit.packages import Installed

DOCUMENT_LIMIT = 2 << 20
DOCUMENTS_LIMIT = 60
_PROSE = re.compile(r"(?i)\.(?:md|mdx|markdown|rst|txt)$|(?:^|/)(?:readme|metadata)$")
_TEST = re.compile(r"(?i)(?:^|/)(?:tests?|__tests__|spec|examples?|samples?)/.*\.(?:py|[cm]?[jt]sx?)$")
_LEGAL = re.compile(
    r"(?i)(?:^|/)(?:licen[sc]e|notice|copying|authors|contributors|security|code_of_conduct)[^/]*$|entry_points\.txt$|top_level\.txt$"
)
_CHANGELOG = re.compile(r"(?i)(?:^|/)(?:change(?:s|log)?|history|news|release[-_]?notes?)[^/]*$")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_HEADING = re.compile(r"^\s{0,3}(?:#{1,4}\s+|v?\d+\.\d+)")


class Passage(NamedTuple):
    """Lines of a document that speak of the words: a citable file, first and last line, the share of words in them, their text."""

    file: str
    first: int
    last: int
    share: float
    text: str = ""


def changelog_passages(installed: Installed, wanted: Sequence[str], limit: int = 3) -> tuple[str | None, list[Passage]]:
    """The changelog's path as a citation names it (None: none is installed), and its lines that speak of the words, best first."""
    path = find_changelog(installed)
    if path is None:
        return None, []
    return citation_path(installed, path), _passages(installed, path, wanted, limit, spread=0)


def document_passages(
    installed: Installed, wanted: Sequence[str], *, tests: bool = False, limit: int = 3
) -> list[Passage]:
    """Passages of README and documentation (with `tests`: of tests and examples too) that speak of the words, best first."""
    found: list[Passage] = []
    count = 0
    for file in package_files(installed):
        is_prose = bool(_PROSE.search(file.path)) and not _LEGAL.search(file.path) and not _CHANGELOG.search(file.path)
        if not (is_prose or (tests and _TEST.search(file.path))) or count >= DOCUMENTS_LIMIT:
            continue
        count += 1
        found += _passages(installed, file.path, wanted, limit, spread=3)
    return sorted(found, key=lambda one: (-one.share, one.file, one.first))[:limit]


def _passages(installed: Installed, path: str, wanted: Sequence[str], limit: int, *, spread: int) -> list[Passage]:
    """The best windows of `2 * spread + 1` lines of one document."""
    stems = {stem(word.lower()) for word in wanted}
    if not stems:
        return []
    try:
        lines = read_file(installed, path, DOCUMENT_LIMIT).decode("utf-8", "replace").removesuffix("\n").split("\n")
    except BriefkitError:
        return []
    by_line = [_stems_in(line) & stems for line in lines]
    scored = []
    for at, own in enumerate(by_line):
        if not own or (spread and _HEADING.match(lines[at]) and not any(by_line[at + 1 : at + 1 + spread])):
            continue
        window = set().union(*by_line[max(at - spread, 0) : at + spread + 1])
        scored.append((len(window) / len(stems), len(own), at))
    scored.sort(key=lambda one: (-one[0], -one[1], one[2]))
    passages: list[Passage] = []
    taken: set[int] = set()
    for share, _, at in scored:
        if not any(abs(at - other) <= 2 * spread for other in taken):
            taken.add(at)
            first, last = max(at - spread, 0) + 1, min(at + spread + 1, len(lines))
            passages.append(
                Passage(citation_path(installed, path), first, last, share, "\n".join(lines[first - 1 : last]))
            )
        if len(passages) >= limit:
            break
    return passages


def _stems_in(text: str) -> set[str]:
    return {stem(word) for token in _WORD.findall(text[:2000]) for word in split_words(token)}


def words_of_symbols(symbols: Iterable[str]) -> tuple[str, ...]:
    """The words that a symbol's own name is made of, for a search of prose."""
    return tuple(dict.fromkeys(re.split(r"[.#:]", symbol)[-1] for symbol in symbols))

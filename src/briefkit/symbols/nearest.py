"""The real names nearest to one that is not there: by the words both are made of, then by letters."""

from __future__ import annotations

from functools import lru_cache
from math import sqrt
from typing import TYPE_CHECKING

from .words import split_words, stem

if TYPE_CHECKING:
    from collections.abc import Iterable

# Verbs and quantities that programmers use one for the other; general English of programming, no library's words.
_KINDRED = (
    "batch bulk many multi multiple all mass group",
    "create insert upsert add new make append put build register",
    "delete remove destroy drop erase discard unset clear purge",
    "get fetch find read load retrieve lookup select query search",
    "update upsert modify set edit change patch write save store assign",
    "upsert merge",
    "list all index enumerate iterate",
    "start begin open init initialize setup launch run",
    "stop end close finish shutdown terminate exit quit",
    "send post emit publish dispatch push submit request",
    "receive subscribe listen pull consume accept",
    "check validate verify test assert ensure is has",
    "parse decode deserialize unmarshal loads from",
    "format encode serialize marshal dumps dump to stringify render",
    "count size length len total number",
    "first head top one single",
    "last tail bottom",
    "copy clone duplicate",
    "combine join concat concatenate merge",
    "split divide partition chunk",
    "async aio concurrent",
    "error exception failure fault",
    "config configuration settings options params parameters",
    "max maximum highest",
    "min minimum lowest",
)
_KIN: dict[str, set[int]] = {}
for _row, _words in enumerate(_KINDRED):
    for _word in _words.split():
        _KIN.setdefault(stem(_word), set()).add(_row)
_NONE: frozenset[int] = frozenset()
_ENOUGH = 0.34
_REFINED = 60


def nearest(name: str, candidates: Iterable[str], limit: int = 5) -> list[str]:
    """At most `limit` of the candidates that resemble the name, best first; none that has nothing in common with it."""
    known = set(candidates)
    known.discard(name)
    grams = _grams(name)
    stems = frozenset(stem(word) for word in split_words(name))
    rough = [(_rough(grams, stems, other), other) for other in known]
    rough.sort(key=lambda pair: (-pair[0], len(pair[1]), pair[1]))
    fine = [(resemblance(name, other), other) for score, other in rough[:_REFINED] if score > 0]
    fine.sort(key=lambda pair: (-pair[0], len(pair[1]), pair[1]))
    return [other for score, other in fine[:limit] if score >= _ENOUGH]


def resemblance(name: str, other: str) -> float:
    """How much two identifiers resemble one another, from 0 to 1: two thirds by words, one third by letters."""
    if name.lower().replace("_", "") == other.lower().replace("_", ""):
        return 0.99
    return 0.66 * _by_words(split_words(name), split_words(other)) + 0.34 * _by_letters(name.lower(), other.lower())


def _rough(grams: frozenset[str], stems: frozenset[str], other: str) -> float:
    theirs = _grams(other)
    shared = len(grams & theirs)
    score = 2 * shared / (len(grams) + len(theirs) or 1)
    for word in split_words(other):
        base = stem(word)
        if base in stems:
            score += 0.5
        elif any(_kindred(base, mine) for mine in stems):
            score += 0.25
    return score


@lru_cache(maxsize=32768)
def _grams(name: str) -> frozenset[str]:
    text = name.lower().replace("_", "")
    return frozenset(text[at : at + 2] for at in range(len(text) - 1)) or frozenset((text,))


def _by_words(mine: tuple[str, ...], theirs: tuple[str, ...]) -> float:
    if not mine or not theirs:
        return 0.0
    there = sum(max(_alike(word, other) for other in theirs) * sqrt(len(word)) for word in mine)
    back = sum(max(_alike(other, word) for word in mine) * sqrt(len(other)) for other in theirs)
    total = sum(sqrt(len(word)) for word in (*mine, *theirs))
    return (there + back) / total


@lru_cache(maxsize=32768)
def _alike(word: str, other: str) -> float:
    if word == other:
        return 1.0
    mine, theirs = stem(word), stem(other)
    if mine == theirs:
        return 0.95
    if _kindred(mine, theirs):
        return 0.6
    close = _by_letters(word, other)
    return close if close >= 0.7 and min(len(word), len(other)) > 2 else 0.0


def _kindred(mine: str, theirs: str) -> bool:
    return not _KIN.get(mine, _NONE).isdisjoint(_KIN.get(theirs, _NONE))


@lru_cache(maxsize=32768)
def _by_letters(name: str, other: str) -> float:
    """1 less the edit distance (swapped neighbours count once) over the longer length."""
    longer = max(len(name), len(other), 1)
    if longer > 64:  # a bound on quadratic work
        name, other = name[:64], other[:64]
        longer = 64
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(name, 1):
        before, row = row, _next_row(before, row, (name[i - 2] if i > 1 else "", letter), other)
    return 1 - row[-1] / longer


def _next_row(before: list[int], last: list[int], letters: tuple[str, str], other: str) -> list[int]:
    """The next row of the distance table; `letters` are the one it is for and the one before it."""
    previous, letter = letters
    row = [last[0] + 1]
    for j, theirs in enumerate(other, 1):
        cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != theirs))
        if before and j > 1 and letter == other[j - 2] and previous == theirs:
            cost = min(cost, before[j - 2] + 1)
        row.append(cost)
    return row

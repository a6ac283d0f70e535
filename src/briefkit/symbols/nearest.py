"""The real names nearest to one that is not there: by the words both are made of, then by letters."""

from __future__ import annotations

from functools import lru_cache
from math import sqrt

from briefkit.records import TYPE_CHECKING, NamedTuple

from .kindred import kin_rows
from .words import split_words, stem

if TYPE_CHECKING:
    from collections.abc import Iterable

_NONE: frozenset[int] = frozenset()
_KIN = kin_rows()
_ENOUGH = 0.34
_REFINED = 24
_LONGEST = 64
_CLOSE = 0.7


def nearest(name: str, candidates: Iterable[str], limit: int = 5) -> list[str]:
    """At most `limit` of the candidates that resemble the name, best first; none that has nothing in common with it."""
    mine = _profile(name)
    rough = [(_rough(mine, _profile(other)), other) for other in set(candidates) if other != name]
    rough.sort(key=lambda pair: (-pair[0], len(pair[1]), pair[1]))
    fine = [(resemblance(name, other), other) for score, other in rough[:_REFINED] if score > 0]
    fine.sort(key=lambda pair: (-pair[0], len(pair[1]), pair[1]))
    return [other for score, other in fine[:limit] if score >= _ENOUGH]


def resemblance(name: str, other: str) -> float:
    """How much two identifiers resemble one another, from 0 to 1: two thirds by words, one third by letters."""
    if name.lower().replace("_", "") == other.lower().replace("_", ""):
        return 0.99
    return 0.66 * _by_words(split_words(name), split_words(other)) + 0.34 * _by_letters(name.lower(), other.lower())


class _Profile(NamedTuple):
    """What of a name is compared first: pairs of letters, stems of its words, rows of kindred words."""

    grams: frozenset[str]
    stems: frozenset[str]
    kin: frozenset[int]


@lru_cache(maxsize=65536)
def _profile(name: str) -> _Profile:
    text = name.lower().replace("_", "")
    grams = frozenset(text[at : at + 2] for at in range(len(text) - 1)) or frozenset((text,))
    stems = frozenset(stem(word) for word in split_words(name))
    return _Profile(grams, stems, frozenset(row for base in stems for row in _KIN.get(base, ())))


def _rough(mine: _Profile, theirs: _Profile) -> float:
    score = 2 * len(mine.grams & theirs.grams) / (len(mine.grams) + len(theirs.grams))
    return score + 0.5 * len(mine.stems & theirs.stems) + 0.2 * len(mine.kin & theirs.kin)


def _by_words(mine: tuple[str, ...], theirs: tuple[str, ...]) -> float:
    if not mine or not theirs:
        return 0.0
    there = sum(max(_alike(word, other) for other in theirs) * sqrt(len(word)) for word in mine)
    back = sum(max(_alike(other, word) for word in mine) * sqrt(len(other)) for other in theirs)
    return (there + back) / sum(sqrt(len(word)) for word in (*mine, *theirs))


@lru_cache(maxsize=65536)
def _alike(word: str, other: str) -> float:
    if word == other:
        return 1.0
    mine, theirs = stem(word), stem(other)
    if mine == theirs:
        return 0.95
    if not _KIN.get(mine, _NONE).isdisjoint(_KIN.get(theirs, _NONE)):
        return 0.6
    shorter, longer = sorted((len(word), len(other)))
    if shorter < 3 or shorter < _CLOSE * longer:
        return 0.0
    close = _by_letters(word, other)
    return close if close >= _CLOSE else 0.0


def _by_letters(name: str, other: str) -> float:
    """1 less the edit distance (swapped neighbours count once) over the longer length."""
    name, other = name[:_LONGEST], other[:_LONGEST]
    return 1 - distance(name, other) / max(len(name), len(other), 1)


def distance(name: str, other: str) -> int:
    """The edits between two texts, a swap of neighbours counting once; bit-parallel (Hyyrö 2003), one step a letter."""
    if not name or not other:
        return len(name) or len(other)
    places: dict[str, int] = {}
    for at, letter in enumerate(name):
        places[letter] = places.get(letter, 0) | 1 << at
    full = (1 << len(name)) - 1
    last = 1 << len(name) - 1
    up, down, diagonal, before, edits = full, 0, 0, 0, len(name)
    for letter in other:
        here = places.get(letter, 0)
        swap = ((~diagonal & here) << 1) & before
        diagonal = (((here & up) + up) ^ up) | here | down | swap
        right = down | ~(diagonal | up)
        left = diagonal & up
        edits += bool(right & last) - bool(left & last)
        right = right << 1 | 1
        left <<= 1
        up = (left | ~(diagonal | right)) & full
        down = right & diagonal & full
        before = here
    return edits

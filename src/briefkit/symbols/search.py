"""Symbols ranked for the words of a question.

An index is built once per table and kept in parts, so that a question unpacks only the postings of its own words. A symbol is as good
as the share of the question that it answers (rare words count more), times the share of its own name that the question
asked for (`create_engine` is nearer to "create an engine" than `CreateEnginePlugin`), times how likely it is meant at all. Words meet
by their stems, by being joined, and, at a lower weight, by kin (`upload`, `put`).
"""

from __future__ import annotations

import math
from itertools import pairwise

from briefkit.records import TYPE_CHECKING, NamedTuple

from .kindred import kin_of
from .search_terms import LIGHT, MADE, NO_USAGE, PIECE, build_parts, shard_of
from .words import LIGHT_WORDS, STOP_WORDS, identifiers, split_words, stem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .records import Symbol
    from .search_terms import Usage

# name, two words of it joined, a piece of one, owner, summary, documents, signature
_FIELDS = (1.0, 1.0, 0.85, 0.55, 0.5, 0.35, 0.25, 0.0)
_NAMED = (1.0, 2.0, 0.6, 0.0, 0.0, 0.0, 0.0, 0.0)
_PRECISION = 0.55
_LIGHT_WEIGHT = 0.35
_QUERY_TERMS = 24
# To make one is to call the class.
_MAKING = frozenset(
    map(
        stem,
        ("create", "define", "make", "build", "declare", "open", "start", "construct", "instantiate", "use", "add"),
    )
)
_MADE_BY_CALLING = 0.3


class Concept(NamedTuple):
    """One word of a question: the terms that speak of it with their weights, how much it says, and how far calling answers it.

    The verb of a question often asks for no more than a thing that is made by calling it.
    """

    variants: tuple[tuple[str, float], ...]
    weight: float
    making: float


class SearchIndex:
    """Postings of terms over numbered symbols; `load` gives a part by its key, as `build_parts` wrote it."""

    __slots__ = ("_load", "_parts", "size")

    def __init__(self, size: int, load: Callable[[str], Any]) -> None:
        self.size = size
        self._load = load
        self._parts: dict[str, Any] = {}

    def rank(self, words: str, limit: int = 10) -> list[tuple[int, float]]:
        """(number of the symbol, score) of the most relevant, best first; the score is the share of a perfect find, about 0 to 1."""
        concepts = concepts_of(words)
        if not concepts or not self.size:
            return []
        covered: dict[int, float] = {}
        named: dict[int, float] = {}
        verbs: set[int] = set()
        total = making = 0.0
        for concept in concepts:
            found, rarity = self._found(concept)
            rarity *= concept.weight
            total += rarity
            making += rarity * concept.making
            light = concept.weight < 1.0
            for number, (strength, name) in found.items():
                covered[number] = covered.get(number, 0.0) + rarity * strength
                if name:
                    if concept.making:
                        verbs.add(number)
                    named[number] = named.get(number, 0.0) + (LIGHT if light else 10) * name
        return self._best(covered, named, verbs, (total, making), limit)

    def _found(self, concept: Concept) -> tuple[dict[int, tuple[float, float]], float]:
        """Symbol -> (how well it speaks of the concept, how many words of its name do), and the concept's rarity."""
        found: dict[int, tuple[float, float]] = {}
        here = 0
        for term, weight in concept.variants:
            postings = self._postings(term)
            if weight == 1.0:
                here = max(here, len(postings))
            for posting in postings:
                field = posting & 7
                if weight < 1.0 and field > PIECE:
                    continue
                number = posting >> 3
                strength = weight * _FIELDS[field]
                known = found.get(number)
                if known is None or known[0] < strength:
                    found[number] = (strength, _NAMED[field] * (weight if weight < 0.9 else 1.0))
        return found, math.log(1 + self.size / (1 + (here or len(found)) / 2))

    def _best(
        self,
        covered: dict[int, float],
        named: dict[int, float],
        verbs: set[int],
        weights: tuple[float, float],
        limit: int,
    ) -> list[tuple[int, float]]:
        total, making = weights
        priors: Sequence[float] = self._part("search:priors")
        marks: Sequence[int] = self._part("search:marks")
        ranked: list[tuple[float, int]] = []
        for number, share in covered.items():
            mark = marks[number]
            asked = min(named.get(number, 0.0) / (mark & (MADE - 1)), 1.0)
            if making and mark & MADE and asked and number not in verbs:
                share = min(share + making * _MADE_BY_CALLING, total)  # noqa: PLW2901 - the share with what calling it does
            score = share / total * (1 - _PRECISION + _PRECISION * asked) * priors[number]
            ranked.append((-score, number))
        ranked.sort()
        return self._folded(ranked, limit)

    def _folded(self, ranked: list[tuple[float, int]], limit: int) -> list[tuple[int, float]]:
        """The best, each thing once however many paths lead to it."""
        folds: Sequence[int] = self._part("search:folds")
        seen: set[int] = set()
        best: list[tuple[int, float]] = []
        for score, number in ranked:
            stands = folds[number]
            if stands not in seen:
                seen.add(stands)
                best.append((stands, round(-score, 4)))
                if len(best) >= limit:
                    break
        return best

    def _postings(self, term: str) -> list[int]:
        found: list[int] = (self._part(shard_of(term)) or {}).get(term, [])
        return found

    def _part(self, key: str) -> Any:  # noqa: ANN401 - JSON
        if key not in self._parts:
            self._parts[key] = self._load(key)
        return self._parts[key]


def concepts_of(words: str) -> list[Concept]:
    """The words of a question that carry something, each with the terms that speak of it."""
    stems: list[str] = []
    light: set[str] = set()
    exact: dict[str, str] = {}
    for token in identifiers(words)[: _QUERY_TERMS * 4]:
        parts = split_words(token)
        for word in parts:
            if (word in STOP_WORDS and word not in LIGHT_WORDS) or (len(word) < 2 and len(parts) < 2):
                continue
            base = stem(word)
            if base not in stems:
                stems.append(base)
                if word in LIGHT_WORDS and not token.isupper():
                    light.add(base)
                if len(parts) > 1:
                    exact[base] = "=" + token.lower().replace("_", "")
    stems = stems[:_QUERY_TERMS]
    if light.issuperset(stems):
        light.clear()
    joined = _joined(stems)
    return [
        Concept(
            tuple(_variants(base, joined.get(base, ()), exact.get(base))),
            _LIGHT_WEIGHT if base in light else 1.0,
            1.0 if base in _MAKING else 0.6 if not at else 0.0,
        )
        for at, base in enumerate(stems)
    ]


def _joined(stems: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for first, second in pairwise(stems):
        found.setdefault(first, []).append(first + second)
        found.setdefault(second, []).append(first + second)
    return found


def _variants(base: str, joined: Sequence[str], exact: str | None) -> list[tuple[str, float]]:
    found = [(base, 1.0), *((term, 0.95) for term in joined)]
    if exact is not None:
        found.append((exact, 1.0))
    found += kin_of(base).items()
    return found


def index_of(symbols: Sequence[Symbol], usage: Usage = NO_USAGE) -> SearchIndex:
    """An index held in memory alone."""
    parts = dict(build_parts(symbols, usage))
    return SearchIndex(len(symbols), parts.get)

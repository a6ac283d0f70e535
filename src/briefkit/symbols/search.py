"""Symbols ranked for the words of a question: names first, then owners, summaries and signatures.

An index is built once per table and kept in parts, so that a question unpacks only the postings of its own words. A term's weight falls
with the number of symbols that have it (BM25); a symbol gains by answering more of the question's words, by holding them in its own
name, and by standing where users reach it first. No list of synonyms is used: words meet by their stems and by being joined.
"""

from __future__ import annotations

import math
import zlib
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from .words import STOP_WORDS, identifiers, split_words, stem, stems_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from .records import Symbol

_SHARDS = 64
_NAME, _OWNER, _SUMMARY, _SIGNATURE = 10.0, 4.0, 3.0, 1.0
_KIND_WEIGHT = {"module": 0.55, "constant": 0.7, "type": 0.85, "property": 0.9, "namespace": 0.7}
_SIGNATURE_WORDS = 24
_SUMMARY_WORDS = 40
_SATURATION = 4.0
_QUERY_TERMS = 48


class SearchIndex:
    """Postings of terms over numbered symbols; `load` gives a shard by its key, as `parts` wrote it."""

    __slots__ = ("_load", "_shards", "size")

    def __init__(self, size: int, load: Callable[[str], Any]) -> None:
        self.size = size
        self._load = load
        self._shards: dict[str, dict[str, list[float]]] = {}

    def rank(self, words: str, limit: int = 10) -> list[tuple[int, float]]:
        """(number of the symbol, score) of the most relevant, best first; the score is comparable within one index only."""
        terms = query_terms(words)
        if not terms or not self.size:
            return []
        scores: dict[int, float] = {}
        reached: dict[int, float] = {}
        total = 0.0
        for term, weight in terms.items():
            postings = self._postings(term)
            rarity = math.log(1 + self.size / (1 + len(postings) / 2))
            if weight == 1.0:
                total += rarity
            for at in range(0, len(postings), 2):
                number, strength = int(postings[at]), postings[at + 1]
                scores[number] = scores.get(number, 0.0) + weight * rarity * strength / (strength + _SATURATION)
                if weight == 1.0:
                    reached[number] = reached.get(number, 0.0) + rarity
        return self._best(scores, reached, total, limit)

    def _best(
        self, scores: dict[int, float], reached: dict[int, float], total: float, limit: int
    ) -> list[tuple[int, float]]:
        priors = self._priors()
        ranked = [
            (number, score * priors[number] * (0.35 + 0.65 * reached.get(number, 0.0) / (total or 1.0)))
            for number, score in scores.items()
        ]
        ranked.sort(key=lambda pair: (-pair[1], pair[0]))
        return [(number, round(score, 4)) for number, score in ranked[:limit]]

    def _postings(self, term: str) -> list[float]:
        key = _shard(term)
        shard = self._shards.get(key)
        if shard is None:
            shard = self._shards[key] = self._load(key) or {}
        return shard.get(term, [])

    def _priors(self) -> Sequence[float]:
        shard = self._shards.get("priors")
        if shard is None:
            shard = self._shards["priors"] = {"": self._load("search:priors")}
        return shard[""]


def query_terms(words: str) -> dict[str, float]:
    """The terms of a question with their weights: 1 for each word's stem, less for two words joined (`data frame`, `DataFrame`)."""
    stems: list[str] = []
    terms: dict[str, float] = {}
    for token in identifiers(words)[: _QUERY_TERMS * 4]:
        parts = [stem(word) for word in split_words(token) if word not in STOP_WORDS and len(word) > 1]
        if len(parts) > 1:
            terms.setdefault("=" + token.lower().replace("_", ""), 0.8)
        elif parts:
            terms.setdefault("=" + token.lower().replace("_", ""), 0.5)
        stems += parts
    for term in stems[:_QUERY_TERMS]:
        terms[term] = 1.0
    for first, second in pairwise(stems):
        terms.setdefault(first + second, 0.6)
        terms.setdefault(f"{first} {second}", 0.5)
    return terms


def build_parts(symbols: Iterable[Symbol]) -> Iterator[tuple[str, Any]]:
    """The index of the symbols, numbered in their order, as (key, JSON value) for a table's parts."""
    shards: dict[str, dict[str, list[float]]] = {}
    priors: list[float] = []
    for number, symbol in enumerate(symbols):
        priors.append(_prior(symbol))
        for term, strength in _terms_of(symbol).items():
            shards.setdefault(_shard(term), {}).setdefault(term, []).extend((number, round(strength, 1)))
    yield "search:priors", priors
    yield from shards.items()


def index_of(symbols: Sequence[Symbol]) -> SearchIndex:
    """An index held in memory alone."""
    parts = dict(build_parts(symbols))
    return SearchIndex(len(symbols), parts.get)


def _shard(term: str) -> str:
    return f"search:{zlib.crc32(term.encode('utf-8', 'surrogatepass')) % _SHARDS}"


def _terms_of(symbol: Symbol) -> dict[str, float]:
    terms: dict[str, float] = {}
    *owners, name = _path_parts(symbol.name)
    own = stems_of(name)
    _add_name(terms, name, own)
    for owner in owners[-2:]:
        words = stems_of(owner)
        _add(terms, words, _OWNER)
        if len(words) > 1:
            _add(terms, ("".join(words),), _OWNER)
        terms["=" + owner.lower().replace("_", "")] = _OWNER
    if symbol.summary:
        _add(terms, _words_in(symbol.summary, _SUMMARY_WORDS), _SUMMARY)
    _add(terms, set(_words_in(symbol.signature, _SIGNATURE_WORDS)) - set(own), _SIGNATURE)
    return terms


def _add_name(terms: dict[str, float], name: str, own: tuple[str, ...]) -> None:
    """The name's words weigh more the fewer it has: `merge` is nearer to "merge" than `merge_asof` is."""
    _add(terms, own, _NAME / max(len(own), 1) ** 0.5)
    terms["=" + name.lower().replace("_", "")] = _NAME * 2
    for first, second in pairwise(own):
        _add(terms, (first + second, f"{first} {second}"), _NAME * 0.6)


def _add(terms: dict[str, float], words: Iterable[str], weight: float) -> None:
    for word in words:
        terms[word] = terms.get(word, 0.0) + weight if word not in terms else max(terms[word], weight) + weight * 0.25


def _words_in(text: str, limit: int) -> list[str]:
    words = [
        stem(word)
        for token in identifiers(text)[: limit * 2]
        for word in split_words(token)
        if word not in STOP_WORDS and len(word) > 1
    ]
    return words[:limit]


def _path_parts(name: str) -> list[str]:
    for mark in ("#", ":", "/"):
        name = name.replace(mark, ".")
    return [part for part in name.split(".") if part] or [name]


def _prior(symbol: Symbol) -> float:
    """How likely a symbol is meant, before any word is known: reached from the top, not deprecated, not private, documented."""
    parts = _path_parts(symbol.name)
    weight = _KIND_WEIGHT.get(symbol.kind, 1.0)
    weight *= 1.15 ** -max(len(parts) - 3, 0)
    if any(part.startswith("_") for part in parts):
        weight *= 0.4
    if symbol.deprecated is not None:
        weight *= 0.6
    if symbol.summary:
        weight *= 1.1
    return round(weight, 4)

"""What of a symbol can be searched: the words of its name, owner, summary and signature, and how likely it is meant at all.

Nothing here knows a library: likelihood is read from a symbol's kind, from how far from the top users reach it, and from how often
the package's own documents use its name.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from itertools import pairwise
from math import log

from briefkit.records import TYPE_CHECKING, NamedTuple

from .words import LIGHT_WORDS, STOP_WORDS, identifiers, split_words, stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from .records import Symbol

SHARDS = 64
# Where a word stands in a symbol, from the strongest; a posting is `number * 8 + field`.
NAME, JOINED, PIECE, OWNER, SUMMARY, CONTEXT, SIGNATURE = range(7)
# What is in a mark beside the count of the name's words: it is a thing that is made by calling it.
MADE = 128
LIGHT = 4  # tenths of a word

_SIGNATURE_WORDS = 24
_SUMMARY_WORDS = 40
_KINDS = {
    "module": 0.5,
    "constant": 0.6,
    "type": 0.55,
    "interface": 0.6,
    "property": 0.7,
    "namespace": 0.5,
    "enum": 0.6,
}
# Parts of a path behind which a package keeps what is not meant for its users.
_INTERNAL = frozenset(
    [
        "internal",
        "internals",
        "core",
        "impl",
        "implementation",
        "private",
        "compat",
        "compatibility",
        "vendor",
        "vendored",
        "vendors",
        "util",
        "utils",
        "helper",
        "helpers",
        "test",
        "tests",
        "testing",
        "conftest",
        "legacy",
        "deprecated",
        "experimental",
        "contrib",
        "ext",
        "extensions",
        "plugin",
        "plugins",
        "dev",
        "debug",
        "cli",
        "main",
    ]
)
# What runs beside the plain way to do the same; who wants it says so.
_BESIDE_SYNC = re.compile(r"asyncio$|aio$|async_?$|Async[A-Z]")
_OLD_VERSION = re.compile(r"v\d+(?:_?\d+)?$|old$")
# What a name ends in that is a thing beside the one asked for: what it takes, gives or raises.
_BESIDE = frozenset(
    [
        "error",
        "exception",
        "warning",
        "option",
        "options",
        "config",
        "params",
        "props",
        "input",
        "output",
        "request",
        "response",
        "result",
        "args",
        "kwargs",
        "mixin",
        "base",
        "abstract",
        "type",
        "types",
        "meta",
        "info",
        "spec",
        "event",
        "state",
        "context",
        "callback",
        "internal",
        "internals",
    ]
)
_BESIDE_WEIGHT = 0.75
_INTERNAL_WEIGHT = 0.65
_DEPTH_WEIGHT = 0.88
_ASYNC_WEIGHT = 0.85
_SHORTEST_COMPOUND = 5


class Usage(NamedTuple):
    """How the package's documents use names: how often in example code, and which stems stand around the code."""

    counts: Mapping[str, float]
    contexts: Mapping[str, Iterable[str]]


NO_USAGE = Usage({}, {})


def build_parts(symbols: Sequence[Symbol], usage: Usage = NO_USAGE, package: str = "") -> Iterator[tuple[str, Any]]:
    """The index of the symbols, numbered in their order, as (key, JSON value) for a table's parts."""
    shards: dict[str, dict[str, list[int]]] = {}
    priors: list[float] = []
    marks: list[int] = []
    pieces = Pieces(symbols)
    for number, symbol in enumerate(symbols):
        parts = path_parts(symbol.name)
        words = split_words(parts[-1]) or (parts[-1].lower(),)
        priors.append(_prior(symbol, parts, words, usage, package))
        marks.append(_size(words) | (MADE if _is_made(symbol, words) else 0))
        for term, field in _fields(symbol, parts, words, pieces, usage).items():
            shards.setdefault(shard_of(term), {}).setdefault(term, []).append(number * 8 + field)
    yield "search:priors", priors
    yield "search:marks", marks
    yield "search:folds", _folds(symbols, package)
    yield from shards.items()


def shard_of(term: str) -> str:
    """The key of the part that holds a term's postings."""
    return f"search:{zlib.crc32(term.encode('utf-8', 'surrogatepass')) % SHARDS}"


def path_parts(name: str) -> list[str]:
    """A symbol's path as its words, of either language."""
    for mark in ("#", ":", "/"):
        name = name.replace(mark, ".")
    return [part for part in name.split(".") if part] or [name]


def _folds(symbols: Sequence[Symbol], package: str) -> list[int]:
    """For each symbol the one that stands for it: the shortest path among those that lead to the same thing.

    The same are those defined at one place under one name, and members of the same name of owners of the same name (a module's
    public name for a thing, and the declaration of what runs elsewhere).
    """
    paths = [_own_parts(path_parts(symbol.name), package) for symbol in symbols]
    order = sorted(
        range(len(symbols)), key=lambda at: (symbols[at].note is not None, len(paths[at]), len(symbols[at].name))
    )
    known: dict[object, int] = {}
    folds = list(range(len(symbols)))
    for number in order:
        symbol, parts = symbols[number], paths[number]
        keys = (symbol.file, symbol.line, parts[-1]), tuple(parts[-2:])
        folds[number] = next((known[key] for key in keys if key in known), number)
        for key in keys:
            known.setdefault(key, folds[number])
    return folds


def _own_parts(parts: list[str], package: str) -> list[str]:
    """A path without what only says where it begins: the package itself, or its default export."""
    own = [part for part in parts if part != "default"] or parts
    return own[1:] if len(own) > 1 and own[0].lower() == package else own


def _is_made(symbol: Symbol, words: Sequence[str]) -> bool:
    """Whether to call it is to make one: a class, a function that is named like one, or a function that is named by a single word."""
    return symbol.kind == "class" or (
        symbol.kind == "function" and (len(words) == 1 or path_parts(symbol.name)[-1][:1].isupper())
    )


def _size(words: Iterable[str]) -> int:
    """How many words a name has, in tenths; those that say little count lightly."""
    return min(sum(LIGHT if word in LIGHT_WORDS or word in STOP_WORDS else 10 for word in words) or LIGHT, MADE - 1)


class Pieces:
    """Splits words that are two run together (`groupby`, `dropna`), where both are words of the package's other names."""

    def __init__(self, symbols: Iterable[Symbol]) -> None:
        words = Counter(word for symbol in symbols for word in set(split_words(path_parts(symbol.name)[-1])))
        self._known = {word for word, count in words.items() if count > 1 and len(word) > 1} | LIGHT_WORDS
        self._split: dict[str, tuple[str, ...]] = {}

    def of(self, word: str) -> tuple[str, ...]:
        """The stems of the two words, none where it is one."""
        found = self._split.get(word)
        if found is None:
            found = self._split[word] = self._pieces(word) if len(word) >= _SHORTEST_COMPOUND else ()
        return found

    def _pieces(self, word: str) -> tuple[str, ...]:
        ways = [
            (word[:at], word[at:])
            for at in range(2, len(word) - 1)
            if word[:at] in self._known and word[at:] in self._known
        ]
        if not ways:
            return ()
        first, last = max(ways, key=lambda way: min(map(len, way)))
        return (stem(first), stem(last)) if max(len(first), len(last)) > 2 else ()


def _fields(symbol: Symbol, parts: Sequence[str], words: Sequence[str], pieces: Pieces, usage: Usage) -> dict[str, int]:
    """Each term with the strongest field it stands in."""
    terms: dict[str, int] = {}
    own = [stem(word) for word in words]
    _add(terms, own, NAME)
    _add(terms, (first + second for first, second in pairwise(own)), JOINED)
    _add(terms, ("=" + parts[-1].lower().replace("_", ""),), NAME)
    _add(terms, (piece for word in words for piece in pieces.of(word)), PIECE)
    for owner in parts[-3:-1]:
        stems = [stem(word) for word in split_words(owner)]
        _add(terms, stems, OWNER)
        _add(terms, ("".join(stems), "=" + owner.lower().replace("_", "")), OWNER)
    if symbol.summary:
        _add(terms, text_stems(symbol.summary, _SUMMARY_WORDS), SUMMARY)
    _add(terms, usage.contexts.get(parts[-1], ()), CONTEXT)
    _add(terms, text_stems(symbol.signature, _SIGNATURE_WORDS), SIGNATURE)
    return terms


def _add(terms: dict[str, int], words: Iterable[str], field: int) -> None:
    for word in words:
        terms.setdefault(word, field)


def text_stems(text: str, limit: int) -> list[str]:
    """The stems of a text's first words that carry something."""
    found: list[str] = []
    for token in identifiers(text)[: limit * 2]:
        found += [stem(word) for word in split_words(token) if word not in STOP_WORDS and len(word) > 1]
    return found[:limit]


def _prior(symbol: Symbol, parts: list[str], words: Sequence[str], usage: Usage, package: str) -> float:
    """How likely a symbol is meant, before any word of the question is known."""
    weight = _KINDS.get(symbol.kind, 1.0) * 0.98 ** len(parts)
    module = symbol.exported_from
    is_module_path = module is not None and f"{symbol.name}.".startswith(f"{module}.")
    depth = module.count(".") if module and is_module_path else max(len(_own_parts(parts, package)) - 2, 0)
    weight *= _DEPTH_WEIGHT**depth * _weight_of_path(parts[1:] if is_module_path else parts, symbol)
    if len(words) > 1 and words[-1] in _BESIDE:
        weight *= _BESIDE_WEIGHT
    if symbol.deprecated is not None:
        weight *= 0.6
    if not symbol.summary:
        weight *= 0.9
    if symbol.note:
        weight *= 0.85
    weight *= 0.85 + 0.3 * _used(usage, parts[-1])
    if symbol.kind in ("method", "property") and len(parts) > 1:
        weight *= 0.85 + 0.3 * _used(usage, parts[-2])
    return round(weight, 3)


def _weight_of_path(parts: list[str], symbol: Symbol) -> float:
    """Less for what is private, internal, of an old version, or a field of what a call takes or gives."""
    outer = parts[:-1] if symbol.kind != "module" else parts
    weight = 0.4 if any(part.startswith("_") for part in parts) else 1.0
    if any(part in _INTERNAL for part in outer):
        weight *= _INTERNAL_WEIGHT
    if any(_OLD_VERSION.match(part) for part in outer):
        weight *= _INTERNAL_WEIGHT
    if any(_BESIDE_SYNC.match(part) for part in parts):
        weight *= _ASYNC_WEIGHT
    if symbol.kind == "property" and outer and split_words(outer[-1])[-1:] and split_words(outer[-1])[-1] in _BESIDE:
        weight *= _BESIDE_WEIGHT
    return weight


def _used(usage: Usage, name: str) -> float:
    """How often documents use a name, from 0 to 1; midway where they use none at all and so say nothing."""
    if not usage.counts:
        return 0.5
    return min(log(1 + usage.counts.get(name, 0.0)) / log(150), 1.0)

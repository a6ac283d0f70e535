"""The list of a package's symbols with its search index and examples, kept as a table of its own and unpacked by need.

Neutral to the language: a table hands over its symbols and documents once, and asks by words or by a name.
"""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from . import cache
from .examples import examples_in
from .nearest import nearest
from .records import Hit, Symbol
from .search import SearchIndex
from .search_terms import build_parts, path_parts
from .usage import usage_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

_CHUNK = 64
_EXAMPLES_PER_HIT = 3
_EXAMPLES_PER_NAME = 12
_SCHEMA = 7


class SymbolStore:
    """All symbols of one package, by number; opened from the cache where it is about the same table, else built."""

    __slots__ = ("_chunks", "_index", "_names", "_table")

    def __init__(self, table: cache.TableFile) -> None:
        self._table = table
        self._chunks: dict[int, list[Symbol]] = {}
        self._names: dict[str, list[int]] | None = None
        self._index = SearchIndex(table.head["count"], table.part)

    def __len__(self) -> int:
        return int(self._table.head["count"])

    def __iter__(self) -> Iterator[Symbol]:
        return (self[number] for number in range(len(self)))

    def __getitem__(self, number: int) -> Symbol:
        chunk = self._chunks.get(number // _CHUNK)
        if chunk is None:
            rows = self._table.part(f"symbols:{number // _CHUNK}") or []
            chunk = self._chunks[number // _CHUNK] = [Symbol(*row) for row in rows]
        return chunk[number % _CHUNK]

    def search(self, words: str, limit: int = 10) -> list[Hit]:
        """The symbols most relevant to a question's words, best first, each with example code that uses its name."""
        return [self._hit(number, score) for number, score in self._index.rank(words, limit)]

    def nearest(self, name: str, limit: int = 5) -> list[Symbol]:
        """The symbols whose last word resembles the name, best first."""
        names = self._by_name()
        return [self[names[found][0]] for found in nearest(name, names, limit)]

    def named(self, name: str) -> list[Symbol]:
        """The symbols whose last word is the name."""
        return [self[number] for number in self._by_name().get(name, ())]

    def _by_name(self) -> dict[str, list[int]]:
        if self._names is None:
            self._names = self._table.part("names") or {}
        return self._names

    def _hit(self, number: int, score: float) -> Hit:
        symbol = self[number]
        *owners, name = path_parts(symbol.name)
        blocks = (self._table.part("examples") or {}).get(name, [])
        ranked = sorted(blocks, key=lambda block: -len(set(block[3]).intersection(owners)))
        return Hit(symbol, score, tuple((file, first, last) for file, first, last, _ in ranked[:_EXAMPLES_PER_HIT]))


def open_store(
    path: str | None,
    about: dict[str, Any],
    symbols: Callable[[], Sequence[Symbol]],
    documents: Callable[[], Iterable[tuple[str, str]]],
) -> SymbolStore:
    """The store kept at `path` where its head is `about` the same table, else one built of `symbols` and (path, text) `documents`."""
    head = {"store": _SCHEMA, **about}
    if path is not None:
        kept = cache.read_table(path, head)
        if kept is not None:
            return SymbolStore(kept)
    found = list(symbols())
    head["count"] = len(found)
    parts = list(_parts(found, list(documents()), str(about.get("name", ""))))
    table = cache.write_table(path, head, parts) if path is not None else cache.in_memory(head, parts)
    return SymbolStore(table)


def _parts(symbols: list[Symbol], documents: Sequence[tuple[str, str]], package: str) -> Iterator[tuple[str, Any]]:
    names: dict[str, list[int]] = {}
    for number, symbol in enumerate(symbols):
        names.setdefault(path_parts(symbol.name)[-1], []).append(number)
    for at in range(0, len(symbols), _CHUNK):
        yield f"symbols:{at // _CHUNK}", [list(symbol) for symbol in symbols[at : at + _CHUNK]]
    yield "names", {name: sorted(numbers, key=lambda n: len(symbols[n].name)) for name, numbers in names.items()}
    yield "examples", _examples(names, documents)
    yield from build_parts(symbols, usage_in(documents, names), package.rpartition("/")[2].lower())


def _examples(names: dict[str, list[int]], documents: Iterable[tuple[str, str]]) -> dict[str, list[list[Any]]]:
    """Name -> [file, first line, last line, other names in the block]."""
    found: dict[str, list[list[Any]]] = {}
    for path, text in documents:
        for example in examples_in(text):
            known = sorted(example.names & names.keys())
            for name in known:
                blocks = found.setdefault(name, [])
                if len(blocks) < _EXAMPLES_PER_NAME:
                    blocks.append([path, example.first, example.last, known[:12]])
    return found

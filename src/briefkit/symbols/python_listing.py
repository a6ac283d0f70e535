"""Every public symbol of a distribution under the shortest path that leads to it, and the search over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .nearest import nearest
from .python_facts import CLASS, DEF, VALUE
from .python_names import Names
from .python_things import MODULE, Thing
from .records import EXISTS, Hit, Symbol
from .search import SearchIndex, index_of

if TYPE_CHECKING:
    from .python_build import PythonTables
    from .python_classes import Classes
    from .python_modules import Module
    from .python_symbols import Symbols


class Listing:
    """The list is made when first asked for."""

    def __init__(self, tables: PythonTables, names: Names, classes: Classes, symbols: Symbols) -> None:
        self.tables = tables
        self.names = names
        self.classes = classes
        self.maker = symbols
        self._symbols: list[Symbol] | None = None
        self._index: SearchIndex | None = None

    def symbols(self) -> list[Symbol]:
        """All public symbols in order of file and line."""
        if self._symbols is None:
            self._symbols = sorted(self._collect(), key=lambda symbol: (symbol.file, symbol.line, symbol.name))
        return self._symbols

    def search(self, words: str, limit: int) -> list[Hit]:
        """The best symbols for the words."""
        symbols = self.symbols()
        if self._index is None:
            self._index = index_of(symbols)
        return [Hit(symbols[number], score) for number, score in self._index.rank(words, limit)]

    def nearest(self, name: str, limit: int) -> list[Symbol]:
        """The symbols anywhere in the distribution whose last word resembles the name."""
        by_name: dict[str, Symbol] = {}
        for symbol in self.symbols():
            by_name.setdefault(symbol.name.rpartition(".")[2], symbol)
        return [by_name[found] for found in nearest(name, by_name, limit)]

    def _collect(self) -> list[Symbol]:
        found: list[Symbol] = []
        best = self._exports()
        for thing, path, exported in best.values():
            found += self._of(thing, path, exported)
        return found

    def _exports(self) -> dict[str, tuple[Thing, str, str | None]]:
        """Definition -> (thing, shortest public path, module it is exported from)."""
        best: dict[str, tuple[Thing, str, str | None]] = {}
        for file, later in self.tables.walk():
            module = self.names.world.module(file.name)
            if module is None or later or _is_private(file.name):
                continue
            _offer(best, Thing(MODULE, module), file.name, None)
            self._exported_by(module, best)
        return best

    def _exported_by(self, module: Module, best: dict[str, tuple[Thing, str, str | None]]) -> None:
        for name in self.names.public_names(module):
            found = self.names.lookup(module, name)
            thing = found.thing
            if found.state != EXISTS or thing is None or thing.kind not in (CLASS, DEF, VALUE):
                continue
            if self.names.world.is_own(thing.module.name):
                _offer(best, thing, f"{module.name}.{name}", module.name)

    def _of(self, thing: Thing, path: str, exported: str | None) -> list[Symbol]:
        found = list(self.maker.of_thing(path, thing, exported)[:1])
        if thing.kind == CLASS:
            for name, member in self.classes.own_names(thing).items():
                if not name.startswith("_"):
                    found += self.maker.of_member(f"{path}.{name}", member, exported)[:1]
        return found


def _offer(best: dict[str, tuple[Thing, str, str | None]], thing: Thing, path: str, exported: str | None) -> None:
    key = thing.dotted
    known = best.get(key)
    if known is None or (path.count("."), len(path), path) < (known[1].count("."), len(known[1]), known[1]):
        best[key] = (thing, path, exported)


def _is_private(dotted: str) -> bool:
    return any(part.startswith("_") for part in dotted.split("."))

"""Every public symbol of a distribution under the shortest path that leads to it."""

from __future__ import annotations

from briefkit.errors import UnreadableError
from briefkit.records import TYPE_CHECKING, NamedTuple

from .python_facts import CLASS, DEF, VALUE
from .python_things import MODULE, Thing
from .records import EXISTS, Symbol
from .symbol_store import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .python_build import PythonTables
    from .python_classes import Classes
    from .python_modules import Module
    from .python_names import Names
    from .python_symbols import Symbols
    from .symbol_store import SymbolStore

_FLAVOUR = "python-search"
_DOCUMENT_LIMIT = 1 << 20
_DOCUMENTS = (".md", ".rst", ".txt")


class _Path(NamedTuple):
    """A definition with the shortest public path to it, and the module that exports it there."""

    thing: Thing
    path: str
    exported: str | None


class Listing:
    """The symbols of one distribution; collected when first asked for, and kept beside its table."""

    def __init__(self, tables: PythonTables, names: Names, classes: Classes, symbols: Symbols) -> None:
        self.tables = tables
        self.names = names
        self.classes = classes
        self.maker = symbols

    def store(self) -> SymbolStore:
        """The symbols, to be listed and searched."""
        about = {**self.tables.head, "of": self.tables.fresh_mark()}
        return open_store(self.tables.beside(_FLAVOUR), about, self._collect, self._documents)

    def _collect(self) -> list[Symbol]:
        found: list[Symbol] = []
        best = self._exports()
        for entry in best.values():
            found += self._of(entry, best)
        return sorted(found, key=lambda symbol: (symbol.file, symbol.line, symbol.name))

    def _exports(self) -> dict[str, _Path]:
        """Definition -> the shortest public path to it."""
        best: dict[str, _Path] = {}
        for name, later in self.tables.modules():
            module = self.names.world.module(name) if not later and not _is_private(name) else None
            if module is not None:
                _offer(best, _Path(Thing(MODULE, module), name, None))
                self._exported_by(module, best)
        return best

    def _exported_by(self, module: Module, best: dict[str, _Path]) -> None:
        for name in self.names.public_names(module):
            found = self.names.lookup(module, name)
            thing = found.thing
            if found.state != EXISTS or thing is None or thing.kind not in (CLASS, DEF, VALUE):
                continue
            if self.names.world.is_own(thing.module.name):
                _offer(best, _Path(thing, f"{module.name}.{name}", module.name))

    def _of(self, entry: _Path, best: dict[str, _Path]) -> Iterator[Symbol]:
        yield from self.maker.of_thing(entry.path, entry.thing, entry.exported)[:1]
        if entry.thing.kind != CLASS:
            return
        seen: set[str] = set()
        for owner in self._shown_owners(entry, best):
            for name, member in self.classes.own_names(owner).items():
                if not name.startswith("_") and name not in seen:
                    seen.add(name)
                    yield from self.maker.of_member(f"{entry.path}.{name}", member, entry.exported)[:1]

    def _shown_owners(self, entry: _Path, best: dict[str, _Path]) -> Iterator[Thing]:
        """The class, and those of its bases that users do not reach on a path as short: their members are listed under it."""
        yield entry.thing
        for owner in self.classes.view(entry.thing).lineage[1:]:
            if owner.kind == CLASS and self.names.world.is_own(owner.module.name):
                known = best.get(owner.dotted)
                if known is None or known.path.count(".") > entry.path.count("."):
                    yield owner

    def _documents(self) -> Iterator[tuple[str, str]]:
        """(path, text) of the README, of documents that are shipped, and of the sources, whose docstrings hold examples."""
        from briefkit.installed.files import citation_path, find_readme, package_files, read_file

        installed = self.names.world.installed
        paths = [find_readme(installed)]
        paths += [file.path for file in package_files(installed) if file.path.endswith(_DOCUMENTS)][:200]
        for path in dict.fromkeys(path for path in paths if path is not None):
            try:
                yield (
                    citation_path(installed, path),
                    read_file(installed, path, _DOCUMENT_LIMIT).decode("utf-8", "replace"),
                )
            except UnreadableError:
                continue
        yield from self._sources()

    def _sources(self) -> Iterator[tuple[str, str]]:
        for name, later in self.tables.modules():
            module = self.names.world.module(name) if not later else None
            path = module.file.source if module is not None else None
            if path is not None:
                text = self.tables.source_text(path)
                if ">>>" in text or "::" in text:
                    yield path, text


def _offer(best: dict[str, _Path], entry: _Path) -> None:
    key = entry.thing.dotted
    known = best.get(key)
    if known is None or _length(entry) < _length(known):
        best[key] = entry


def _length(entry: _Path) -> tuple[int, int, str]:
    return entry.path.count("."), len(entry.path), entry.path


def _is_private(dotted: str) -> bool:
    return any(part.startswith("_") for part in dotted.split("."))

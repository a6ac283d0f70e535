"""All public symbols of an entry, each under the shortest path that leads to it, kept with their search index and examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from briefkit.errors import UnreadableError
from briefkit.installed.node_tree import tree_of

from .javascript_entries import Entry, symbol_of
from .javascript_kept import path_of
from .symbol_store import SymbolStore, open_store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from briefkit.packages import Installed

    from .records import Symbol

_DEPTH = 3
_SYMBOLS_LIMIT = 60_000
_DOCUMENTS = 60
_DOCUMENT_LIMIT = 1 << 19
_HIDDEN = frozenset({"__esModule", "constructor", "module.exports"})


def open_listing(entry: Entry, package: Installed, cache_dir: str | None) -> SymbolStore:
    """The symbols of an entry, from the cache where it holds those of the same source."""
    path = path_of(cache_dir, package, None, "javascript-search") if cache_dir is not None else None
    about = {"name": package.name, "version": package.version, "root": package.root, "mark": _mark(entry)}

    def symbols() -> list[Symbol]:
        found = Listing(entry, package.name).run()
        return sorted(found, key=lambda symbol: (symbol.file, symbol.line, symbol.name))

    return open_store(path, about, symbols, lambda: _documents(package))


def _mark(entry: Entry) -> int:
    """A number that stays while no file that the entry was read from changes."""
    import zlib

    from . import cache

    entry.settle()
    stamps = [(path, cache.stamp(path)) for path in entry.stamped]
    return zlib.crc32(repr(stamps).encode("utf-8", "surrogatepass"))


def _documents(package: Installed) -> Iterator[tuple[str, str]]:
    """The Markdown files of a package: its README first, those nearest to its root next."""
    tree = tree_of(package)
    found = [path for path in tree.files() if path.lower().endswith((".md", ".markdown"))]
    found.sort(key=lambda path: (path.count("/"), "readme" not in path.lower(), path))
    for path in found[:_DOCUMENTS]:
        try:
            yield tree.shown(path), tree.read(path, _DOCUMENT_LIMIT).decode("utf-8", "replace")
        except UnreadableError:
            continue


class Listing:
    """All symbols of an entry, each owner listed under the first and shortest path that leads to it."""

    def __init__(self, entry: Entry, exported_from: str) -> None:
        self.entry = entry
        self.exported_from = exported_from
        self._seen: set[int] = set()
        self._names: dict[str, Symbol] = {}

    def run(self) -> Iterator[Symbol]:
        """The symbols, declared ones before those that only run."""
        for root, note in ((self.entry.types, None), (self.entry.runs, "not in the types")):
            if isinstance(root, int) and root >= 0:
                self._level([("", root)], note if isinstance(self.entry.types, int) else None)
        return iter(self._names.values())

    def _level(self, level: list[tuple[str, int]], note: str | None) -> None:
        for _ in range(_DEPTH):
            following: list[tuple[str, int]] = []
            for prefix, number in level:
                self._owner(prefix, number, note, following)
            level = following

    def _owner(self, prefix: str, number: int, note: str | None, following: list[tuple[str, int]]) -> None:
        if number in self._seen or len(self._names) > _SYMBOLS_LIMIT:
            return
        self._seen.add(number)
        graph = self.entry.graph
        owner = graph.owner(number)
        numbers = [number, *([owner.instance] if owner.instance is not None else [])]
        for each in numbers:
            for name, member in graph.owner(each).members.items():
                if member.file < 0 or name in _HIDDEN or (name == "default" and prefix):
                    continue
                path = prefix + name
                if path not in self._names:
                    self._names[path] = symbol_of(self.entry, path, member, self.exported_from, note)
                if isinstance(member.value, int) and member.value >= 0:
                    following.append((path + ".", member.value))

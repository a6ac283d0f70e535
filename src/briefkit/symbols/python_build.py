"""The table of a distribution: built once from all its files, kept in the cache, and read again while its stamps hold."""

from __future__ import annotations

import os

from briefkit.errors import UnreadableError
from briefkit.paths import read_bytes
from briefkit.records import TYPE_CHECKING

from . import cache
from .python_facts import CALL, CLASS, DEF, EXTRA, FILE_LIMIT, KIND, SCHEMA, TEXT
from .python_modules import ModuleFile, World, part_key
from .records import Reach

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_MODULES_LIMIT = 20_000
_DEPTH = 40
# Folders of tests inside a package: listed, and read only when one of their names is asked for.
_LATER = frozenset(("tests", "test"))
_FLAVOUR = "python"


class PythonTables:
    """The kept table of a world's own distribution: its modules, its reach, and the parts that searching needs."""

    def __init__(self, world: World, cache_dir: str | None, digest: str | None) -> None:
        self.world = world
        self._cache_dir = cache_dir
        installed = world.installed
        self.head: dict[str, Any] = {
            "schema": SCHEMA,
            "name": installed.name,
            "version": installed.version,
            "root": installed.root,
            "tops": list(installed.top_levels),
            "python": list(world.base.version or ()),
        }
        if digest is not None:
            self.head["digest"] = digest
        self.path = cache.table_path(cache_dir, installed, _FLAVOUR) if cache_dir is not None else None
        world.table = self._kept()
        if world.table is None:
            world.table = self._built_quietly()
        self.reach = _reach_of(world.table.head["reach"])

    def beside(self, flavour: str) -> str | None:
        """Where another table about the same copy is kept."""
        return cache.table_path(self._cache_dir, self.world.installed, flavour) if self._cache_dir is not None else None

    def modules(self) -> list[tuple[str, bool]]:
        """(dotted name, whether it is a test's) of every module."""
        table = self.world.table
        return [(name, later) for name, later in table.part("modules") or []] if table is not None else []

    def fresh_mark(self) -> int:
        """A number that stays while no file of the package changes."""
        import zlib

        stamps = [
            (path, cache.stamp(path)) for name, later in self.modules() if not later for path in self._paths_of(name)
        ]
        return zlib.crc32(repr(stamps).encode("utf-8", "surrogatepass"))

    def _paths_of(self, name: str) -> list[str]:
        file = self.world.folder.find(name)
        return [path for path in (file.source, file.stub) if path is not None] if file is not None else []

    def source_text(self, path: str) -> str:
        """The text of a source file, empty where it cannot be read."""
        from .python_text import readable_source

        try:
            data = readable_source(read_bytes(path, FILE_LIMIT))
        except UnreadableError:
            return ""
        return data.decode("utf-8", "replace").replace("\r\n", "\n") if isinstance(data, bytes) else ""

    def _kept(self) -> cache.TableFile | None:
        """The table in the cache, while no folder of the package changed; a file's own stamp is checked when its part is read."""
        if self.path is None:
            return None
        table = cache.read_table(self.path, self.head)
        if table is None or any(cache.stamp(path) != stamp for path, stamp in table.head["folders"].items()):
            return None
        return table

    def _built_quietly(self) -> cache.TableFile:
        """The table built without the collector, which would walk the growing facts again and again and free nothing."""
        import gc

        collecting = gc.isenabled()
        gc.disable()
        try:
            return self._build()
        finally:
            if collecting:
                gc.enable()

    def _build(self) -> cache.TableFile:
        parts: list[tuple[str, Any]] = []
        folders: dict[str, Any] = {}
        modules: list[list[Any]] = []
        files = lines = 0
        unread: list[str] = []
        setters: dict[str, list[str]] = {}
        doors: list[str] = []
        registered: dict[str, list[str]] = {}
        for file, later in self.walk():
            modules.append([file.name, later])
            if file.folder is not None and not later:
                folders[file.folder] = cache.stamp(file.folder)
            if later:
                continue
            for path, stub in ((file.source, False), (file.stub, True)):
                if path is None:
                    continue
                facts = self.world.read(file.name, path, file, stub=stub)
                files += 1
                lines += facts["lines"]
                doors += _doors_of(file.name, facts)
                _registered(facts, registered)
                for name in {given[1] for given in facts["sets"]}:
                    setters.setdefault(name, []).append(file.name)
                if facts.get("unread"):
                    unread.append(f"{path}: {facts['unread']}")
                parts.append((part_key(file.name, path), [cache.stamp(path), facts]))
            if file.main is None and file.native is not None:
                unread.append(f"{file.native}: native code without a stub")
        skipped = sum(1 for _, later in modules if later)
        if skipped:
            unread.append(f"{skipped} test modules: read when asked for")
        head = {**self.head, "folders": folders, "reach": [files, lines, doors[:100], unread[:200]]}
        parts += [("modules", modules), ("setters", setters), ("registered", registered)]
        return self._written(head, parts)

    def _written(self, head: dict[str, Any], parts: list[tuple[str, Any]]) -> cache.TableFile:
        if self.path is None:
            return cache.in_memory(head, parts)
        return cache.write_table(self.path, head, parts)

    def walk(self) -> Iterator[tuple[ModuleFile, bool]]:
        """Every module of the distribution with whether it is a test's, in order of name; each folder once."""
        count = 0
        folder = self.world.folder
        pending = [(top, False, 0) for top in sorted(self.world.installed.top_levels, reverse=True)]
        seen: set[str] = set()
        while pending and count < _MODULES_LIMIT:
            name, later, depth = pending.pop()
            file = folder.find(name)
            if file is None or depth > _DEPTH:
                continue
            if file.folder is not None:
                real = os.path.realpath(file.folder)
                if real in seen:
                    continue
                seen.add(real)
            count += 1
            yield file, later
            pending += [
                (child, later or child.rpartition(".")[2] in _LATER, depth + 1)
                for child in reversed(folder.children(file))
            ]


def _registered(facts: dict[str, Any], found: dict[str, list[str]]) -> None:
    """Adds method -> names for each class or function that a decorator `@owner.method("name")` hands a name for."""
    for bindings in facts["bindings"].values():
        for binding in bindings:
            given = (
                binding[EXTRA]["decorators"]
                if binding[KIND] == CLASS
                else binding[EXTRA][0]
                if binding[KIND] == DEF
                else ()
            )
            for decorator in given:
                if (
                    isinstance(decorator, list)
                    and decorator[:1] == [CALL]
                    and isinstance(decorator[1], str)
                    and "." in decorator[1]
                ):
                    texts = [part[1] for part in decorator[2:] if isinstance(part, list) and part[:1] == [TEXT]]
                    found.setdefault(decorator[1].rpartition(".")[2], []).extend(texts[:3])


def _doors_of(name: str, facts: dict[str, Any]) -> list[str]:
    """What makes names in a module that its text does not show."""
    doors = [f"{what} at {name} line {line}" for what, line, *_ in facts["doors"][:3]]
    lazy = facts["lazy"]
    return [*doors, f"__getattr__ of {name} line {lazy['line']}"] if lazy is not None and lazy["open"] else doors


def _reach_of(values: list[Any]) -> Reach:
    files, lines, dynamic, unread = values
    return Reach(files, lines, tuple(dynamic), tuple(unread))

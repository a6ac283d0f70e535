"""Modules by their dotted names: in which file each lies, what it says, and whose it is.

A name is looked for in the distribution itself, then in the distribution that the caller's finder gives for it, then in the standard
library of the environment's base Python, then among what is compiled into Python. Files are read; nothing is imported.
"""

from __future__ import annotations

import os
import re

from briefkit.errors import UnreadableError
from briefkit.names import PYPI
from briefkit.paths import is_within, read_bytes
from briefkit.records import TYPE_CHECKING, NamedTuple

from . import cache
from .python_facts import FILE_LIMIT, SCHEMA, empty_module
from .python_stdlib import Base, base_python, compiled_module

if TYPE_CHECKING:
    from typing import Any

    from briefkit.packages import Installed

    from .records import PackageFinder

_NATIVE = (".so", ".pyd")
_FLAVOUR = "python"
NATIVE_LIMIT = 256 << 20
_WORD = rb"[A-Za-z_][A-Za-z0-9_]{1,79}(?=\0)"


class ModuleFile(NamedTuple):
    """Where a module lies: its source, its stub, its compiled form (absolute, or None), and the folder of a package."""

    name: str
    source: str | None
    stub: str | None
    native: str | None
    folder: str | None

    @property
    def main(self) -> str | None:
        """The file that its facts are read from."""
        return self.source or self.stub


class Module:
    """A module and what its file says; `facts` are those of the source where there is one, else of the stub."""

    __slots__ = ("compiled", "facts", "file", "key", "name", "unread", "world")

    def __init__(self, world: World, file: ModuleFile) -> None:
        self.world = world
        self.file = file
        self.name = file.name
        self.key = file.name if file.source is not None else f"{file.name} stub"
        self.compiled: dict[str, Any] | None = None
        self.unread: str | None = None
        self.facts: dict[str, Any] = world.facts(self, file.main, stub=file.source is None)

    @property
    def is_stub(self) -> bool:
        """Whether its facts come from a stub."""
        return self.file.source is None

    @property
    def is_package(self) -> bool:
        """Whether it has submodules."""
        return self.file.folder is not None

    def stub(self) -> Module | None:
        """The stub that stands beside its source, as a module of its own; None where there is none."""
        if self.file.source is None or self.file.stub is None:
            return None
        return self.world.stub_module(self)


class ModuleFolder:
    """The modules of one search path, found by listing folders; `mapped` are import names that lie elsewhere."""

    __slots__ = ("_listings", "mapped", "root")

    def __init__(self, root: str | None, mapped: tuple[tuple[str, str], ...] = ()) -> None:
        self.root = root
        self.mapped = dict(mapped)
        self._listings: dict[str, frozenset[str]] = {}

    def names(self, folder: str) -> frozenset[str]:
        """The names in a folder; none where it is no folder."""
        found = self._listings.get(folder)
        if found is None:
            try:
                found = frozenset(os.listdir(folder))
            except (OSError, ValueError):
                found = frozenset()
            self._listings[folder] = found
        return found

    def find(self, dotted: str) -> ModuleFile | None:
        """Where a module lies, None where there is none of this name; a folder without `__init__` is a namespace."""
        for top, place in self.mapped.items():
            if dotted == top or dotted.startswith(top + "."):
                return self._in_mapped(dotted, top, place)
        if self.root is None:
            return None
        *above, last = dotted.split(".")
        folder = os.path.join(self.root, *above)
        found = self._in_folder(dotted, folder, last)
        stubs = self._stub_file(dotted, above, last)
        if found is None:
            return stubs
        return found._replace(stub=stubs.stub) if stubs is not None and found.stub is None else found

    def _stub_file(self, dotted: str, above: list[str], last: str) -> ModuleFile | None:
        """The module in the stub package `NAME-stubs` (PEP 561)."""
        top = (above[0] if above else last) + "-stubs"
        if self.root is None or top not in self.names(self.root):
            return None
        if not above:
            return self._in_folder(dotted, self.root, top)
        return self._in_folder(dotted, os.path.join(self.root, top, *above[1:]), last)

    def _in_mapped(self, dotted: str, top: str, place: str) -> ModuleFile | None:
        rest = dotted[len(top) + 1 :].split(".") if dotted != top else []
        if not rest:
            return self._in_folder(dotted, os.path.dirname(place), os.path.basename(place).partition(".")[0])
        return self._in_folder(dotted, os.path.join(place, *rest[:-1]), rest[-1])

    def _in_folder(self, dotted: str, folder: str, last: str) -> ModuleFile | None:
        names = self.names(folder)
        if last in names:
            inner = os.path.join(folder, last)
            inside = self.names(inner)
            if inside:
                package = _pick(dotted, inner, inside, "__init__", inner)
                if package is not None:
                    return package
        single = _pick(dotted, folder, names, last, None)
        if single is not None:
            return single
        if last in names and last.isidentifier():
            inner = os.path.join(folder, last)
            if self.names(inner) and last != "__pycache__":
                return ModuleFile(dotted, None, None, None, inner)
        return None

    def children(self, file: ModuleFile) -> list[str]:
        """The dotted names of a package's direct submodules, in order."""
        if file.folder is None:
            return []
        found: set[str] = set()
        for name in self.names(file.folder):
            stem, dot, suffix = name.partition(".")
            if not stem.isidentifier() or stem in ("__init__", "__pycache__"):
                continue
            if not dot:
                if any("." in inner for inner in self.names(os.path.join(file.folder, name))):
                    found.add(stem)
            elif suffix in ("py", "pyi") or name.endswith(_NATIVE):
                found.add(stem)
        return [f"{file.name}.{name}" for name in sorted(found)]


def _pick(dotted: str, folder: str, names: frozenset[str], stem: str, package: str | None) -> ModuleFile | None:
    source = os.path.join(folder, stem + ".py") if stem + ".py" in names else None
    stub = os.path.join(folder, stem + ".pyi") if stem + ".pyi" in names else None
    native = None
    if source is None:
        for name in names:
            if name.startswith(stem + ".") and name.endswith(_NATIVE):
                native = os.path.join(folder, name)
    if source is None and stub is None and native is None:
        return None
    return ModuleFile(dotted, source, stub, native, package)


class World:
    """All modules that one distribution can see, each read once; `own` are its own import names."""

    def __init__(self, installed: Installed, find: PackageFinder, cache_dir: str | None) -> None:
        self.installed = installed
        self.base: Base = base_python(installed)
        self.own = frozenset(installed.top_levels)
        self.folder = ModuleFolder(installed.search_root, installed.modules)
        self.table: cache.TableFile | None = None
        self.stale = False
        self._find = find
        self._cache_dir = cache_dir
        self._modules: dict[str, Module | None] = {}
        self._folders: dict[str, tuple[ModuleFolder, cache.TableFile | None]] = {}
        self._natives: list[str] | None = None
        self._words: dict[str, bytes | None] = {}
        self._setters: dict[str, list[str]] | None = None
        self._registered: dict[str, list[str]] | None = None
        self._library = ModuleFolder(self.base.folder)

    def module(self, dotted: str) -> Module | None:
        """The module of this absolute name, None where none is found."""
        try:
            return self._modules[dotted]
        except KeyError:
            found = self._modules[dotted] = self._open(dotted)
            return found

    def stub_module(self, module: Module) -> Module:
        """The stub beside a module's source."""
        key = "\1" + module.name
        known = self._modules.get(key)
        if known is None:
            known = self._modules[key] = Module(self, module.file._replace(source=None))
        return known

    def setters(self, name: str) -> list[str]:
        """The modules of the distribution that set an attribute of this name on something else."""
        if self._setters is None:
            self._setters = self.table.part("setters") or {} if self.table is not None else {}
        return self._setters.get(name, [])

    def registered(self, method: str) -> list[str]:
        """The names that decorators `@owner.method("name")` of the distribution hand to a method."""
        if self._registered is None:
            self._registered = self.table.part("registered") or {} if self.table is not None else {}
        return self._registered.get(method, [])

    def in_native_code(self, module: Module, name: str) -> bool:
        """Whether the compiled file of a module holds the name as a text; also where it could not be read.

        Where a stub stands beside source, any compiled file of the distribution may be meant.
        """
        paths = [module.file.native] if module.file.native is not None else self._native_files()
        wanted = name.encode("utf-8", "replace") + b"\0"
        return any((words := self._native_words(path)) is None or wanted in words for path in paths)

    def _native_files(self) -> list[str]:
        if self._natives is None:
            from briefkit.installed.files import citation_path, package_files

            files = [file.path for file in package_files(self.installed) if file.path.endswith(_NATIVE)]
            self._natives = [citation_path(self.installed, path) for path in files]
        return self._natives

    def _native_words(self, path: str) -> bytes | None:
        """The identifiers that end a text in a compiled file, one after the other; None where it cannot be read."""
        if path not in self._words:
            try:
                found = re.findall(_WORD, read_bytes(path, NATIVE_LIMIT))
                self._words[path] = b"\0".join(dict.fromkeys(found)) + b"\0"
            except UnreadableError:
                self._words[path] = None
        return self._words[path]

    def compiled(self, name: str) -> Module | None:
        """A module of the compiled table alone."""
        known = self._modules.get("\0" + name)
        if known is None:
            known = Module(self, ModuleFile(name, None, None, None, None))
            known.compiled = compiled_module(name, self.base.version)
            self._modules["\0" + name] = known
        return known

    def is_own(self, dotted: str) -> bool:
        """Whether a module name belongs to the distribution itself."""
        if dotted in self.own or dotted.partition(".")[0] in self.own:
            return True
        return any("." in top and (dotted.startswith(top + ".") or top.startswith(dotted + ".")) for top in self.own)

    def _open(self, dotted: str) -> Module | None:
        if not dotted or not all(part.isidentifier() for part in dotted.split(".")):
            return None
        folder = self._folder_for(dotted)
        file = folder.find(dotted) if folder is not None else None
        if file is not None:
            module = Module(self, file)
            if file.main is None or (module.unread is None and self.is_library(file)):
                module.compiled = compiled_module(dotted, self.base.version)
            return module
        compiled = compiled_module(dotted, self.base.version)
        if compiled is None:
            return None
        module = Module(self, ModuleFile(dotted, None, None, None, None))
        module.compiled = compiled
        return module

    def is_library(self, file: ModuleFile) -> bool:
        """Whether a file is of the standard library."""
        return (
            file.main is not None
            and self.base.folder is not None
            and is_within(file.main, self.base.folder)
            and "site-packages" not in file.main
        )

    def _folder_for(self, dotted: str) -> ModuleFolder | None:
        """Where the modules of this name's distribution are found."""
        if self.is_own(dotted) and self.folder.find(dotted) is not None:
            return self.folder
        top = dotted.partition(".")[0]
        if self.is_own(dotted) and top in self.own:
            return self.folder
        return self._foreign(dotted)

    def _foreign(self, dotted: str) -> ModuleFolder | None:
        if self._library.find(dotted.partition(".")[0]) is not None:
            return self._library
        parts = dotted.split(".")
        for name in dict.fromkeys((".".join(parts[:2]), dotted, parts[0])):
            found = self._folder_of(name)
            if found is not None and found.find(dotted) is not None:
                return found
        return None

    def _folder_of(self, name: str) -> ModuleFolder | None:
        known = self._folders.get(name)
        if known is None:
            installed = self._find(PYPI, name, self.installed.root)
            if installed is None:
                known = (ModuleFolder(None), None)
            else:
                known = (ModuleFolder(installed.search_root, installed.modules), self._kept(installed))
            self._folders[name] = known
        return known[0] if known[0].root or known[0].mapped else None

    def _kept(self, installed: Installed) -> cache.TableFile | None:
        """The table of another distribution, where it was built before."""
        if self._cache_dir is None:
            return None
        return cache.read_table(cache.table_path(self._cache_dir, installed, _FLAVOUR), {"schema": SCHEMA})

    # facts

    def facts(self, module: Module, path: str | None, *, stub: bool) -> dict[str, Any]:
        """What the file says: from a table where its stamp holds, else read now."""
        if path is None:
            return empty_module()
        kept = self._from_tables(module.name, path)
        if kept is None:
            kept = self.read(module.name, path, module.file, stub=stub)
        if kept.get("unread"):
            module.unread = kept["unread"]
        return kept

    def read(self, name: str, path: str, file: ModuleFile, *, stub: bool) -> dict[str, Any]:
        """The facts of a file, read now; a file that cannot be read says so under `unread`."""
        try:
            data = read_bytes(path, FILE_LIMIT)
        except UnreadableError as error:
            return {**empty_module(), "unread": error.what}
        from .python_reading import facts_of

        return facts_of(data, name, is_package=file.folder is not None, stub=stub, python=self.base.version)

    def _from_tables(self, name: str, path: str) -> dict[str, Any] | None:
        key = part_key(name, path)
        tables = [self.table, *(table for _, table in self._folders.values())] if self._folders else [self.table]
        for table in tables:
            if table is not None and key in table:
                kept = table.part(key)
                if kept is not None and kept[0] == cache.stamp(path):
                    facts: dict[str, Any] = kept[1]
                    return facts
                if table is self.table:
                    self.stale = True
        return None


def part_key(name: str, path: str) -> str:
    """The key of a file's facts in a table."""
    return f"{'i' if path.endswith('.pyi') else 'm'}:{name}"

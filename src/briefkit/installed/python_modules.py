"""Which file Python would load for a dotted name, by the search path and the finders of editable installs, none of them run."""

from __future__ import annotations

import os
import re

from briefkit.errors import UnreadableError
from briefkit.paths import read_head
from briefkit.records import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .editable_loaders import Loader

INIT_LIMIT = 16 << 10
NAME_LIMIT = 64

# Patterns as text: compiled only where a module needs them.
_COMPILED = r"\.(?:(?:cpython|pypy|graalpy|cp)\d*[^.]*\.|abi\d\.)?(?:so|pyd)$"
_EXTENDED = rb"extend_path\s*\(|declare_namespace\s*\("
_PATH_LITERAL = r"(?m)^__path__\s*=\s*(\[.*\])\s*$"


class FoundModule(NamedTuple):
    """A module as Python would find it.

    `origin` is the file that is loaded (None for a namespace), `source` the file to cite (the `.py` or `.pyi` beside a compiled one, for a
    namespace its first folder), `locations` the folders of a package, `loader` the file of the finder that leads there.
    """

    name: str
    origin: str | None
    source: str
    locations: tuple[str, ...] = ()
    loader: str | None = None


class ModuleFinder:
    """Finds modules over a search path (folders and zips) and the finders of editable installs."""

    __slots__ = ("_listings", "_loaders", "_path")

    def __init__(self, path: Sequence[str], loaders: Sequence[Loader]) -> None:
        self._path = tuple(path)
        self._loaders = tuple(loaders)
        self._listings: dict[str, frozenset[str]] = {}

    def find(self, dotted: str) -> FoundModule | None:
        """The module of that name, or None."""
        parts = dotted.split(".")
        if len(parts) > NAME_LIMIT or not all(part.isidentifier() for part in parts):
            return None
        found = self._find(parts[0], self._path)
        for size in range(2, len(parts) + 1):
            if found is None:
                return None
            found = self._find(".".join(parts[:size]), self._inner_path(found))
        return found

    def _find(self, name: str, path: Sequence[str]) -> FoundModule | None:
        return self._by_loaders(name, first=True) or self._by_path(name, path) or self._by_loaders(name, first=False)

    def _by_loaders(self, name: str, *, first: bool) -> FoundModule | None:
        for loader in self._loaders:
            if loader.first is first:
                found = self._by_folder(loader, name) or _by_file(loader, name)
                if found is not None:
                    return found
        return None

    def _by_folder(self, loader: Loader, name: str) -> FoundModule | None:
        """The module in a folder that the finder maps its name, or its parent's name, to."""
        place = loader.folders.get(name)
        if place is None:
            parent = loader.folders.get(name.rpartition(".")[0])
            found = self._by_path(name, (parent,)) if parent is not None else None
            if found is None and name in loader.namespaces:
                found = FoundModule(name, None, os.path.dirname(loader.path), (), loader.path)
            return found
        folder, bare = os.path.split(place)
        inside = self._names(place)
        init = _best_file("__init__", inside)
        if init is not None:
            origin = os.path.join(place, init)
            return FoundModule(name, origin, _source(place, "__init__", init, inside), (place,), loader.path)
        names = self._names(folder)
        module = bare if bare in names and os.path.isfile(place) else _best_file(bare, names)
        if module is None:
            return None
        return FoundModule(name, os.path.join(folder, module), _source(folder, bare, module, names), (), loader.path)

    def _by_path(self, name: str, path: Sequence[str]) -> FoundModule | None:
        bare = name.rpartition(".")[2]
        portions = []
        for folder in path:
            if is_zip(folder):
                found = _in_zip(name, bare, folder)
                if found is not None:
                    return found
                continue
            names = self._names(folder)
            if bare in names:
                package = os.path.join(folder, bare)
                inside = self._names(package)
                init = _best_file("__init__", inside)
                if init is not None:
                    origin = os.path.join(package, init)
                    return FoundModule(name, origin, _source(package, "__init__", init, inside), (package,))
                if os.path.isdir(package):
                    portions.append(package)
            module = _best_file(bare, names)
            if module is not None:
                return FoundModule(name, os.path.join(folder, module), _source(folder, bare, module, names))
        if portions:
            return FoundModule(name, None, portions[0], tuple(portions))
        return None

    def _inner_path(self, found: FoundModule) -> tuple[str, ...]:
        """Where the modules inside a package are searched: its folders, and for an extended package those of the same name elsewhere."""
        if found.origin is None or not found.origin.endswith("__init__.py") or not found.locations:
            return found.locations
        head = _head(found.origin)
        literal = re.search(_PATH_LITERAL, head.decode("utf-8", "replace")) if b"__path__" in head else None
        if literal is not None:
            return _literal_folders(literal[1]) or found.locations
        if re.search(_EXTENDED, head):
            parts = found.name.split(".")
            others = [os.path.join(folder, *parts) for folder in self._path]
            return tuple(dict.fromkeys([*found.locations, *(folder for folder in others if os.path.isdir(folder))]))
        return found.locations

    def _names(self, folder: str) -> frozenset[str]:
        """The names in a folder; those on the search path are listed once, for the owner of the finder watches them."""
        names = self._listings.get(folder)
        if names is None:
            names = frozenset(_listed(folder))
            if folder in self._path:
                self._listings[folder] = names
        return names


def _by_file(loader: Loader, name: str) -> FoundModule | None:
    """The file that the finder lists for the name; a parent of listed names alone is a namespace."""
    origin = loader.files.get(name)
    if origin is None:
        prefix = name + "."
        if any(listed.startswith(prefix) for listed in loader.files):
            return FoundModule(name, None, os.path.dirname(loader.path), (), loader.path)
        return None
    if not os.path.isfile(origin):
        return None
    folder, file = os.path.split(origin)
    source = (
        origin if file.endswith(".py") else _source(folder, file.partition(".")[0], file, frozenset(_listed(folder)))
    )
    return FoundModule(name, origin, source, loader.locations.get(name, ()), loader.path)


def is_zip(path: str) -> bool:
    """Whether an entry of a search path is a zip, by its name and by being a file."""
    return path.endswith((".egg", ".zip", ".whl")) and os.path.isfile(path)


def _best_file(bare: str, names: frozenset[str]) -> str | None:
    """The file that Python loads for a bare name: an extension module before the source, a lone `.pyc` last."""
    source = bare + ".py" if bare + ".py" in names else None
    compiled = _compiled_file(bare, names)
    if compiled is not None:
        return compiled
    if source is None and bare + ".pyc" in names:
        return bare + ".pyc"
    return source


def _compiled_file(bare: str, names: frozenset[str]) -> str | None:
    if bare + ".so" in names:
        plain: str | None = bare + ".so"
    else:
        plain = None
    tagged = sorted(
        name for name in names if name.startswith(bare + ".") and re.fullmatch(_COMPILED, name[len(bare) :])
    )
    return next((name for name in tagged if name != plain), plain)


def _source(folder: str, bare: str, loaded: str, names: frozenset[str]) -> str:
    """The file to cite for a loaded one: the `.py` beside a compiled module, else its `.pyi`, else itself."""
    if not loaded.endswith(".py"):
        for suffix in (".py", ".pyi"):
            if bare + suffix in names:
                return os.path.join(folder, bare + suffix)
    return os.path.join(folder, loaded)


def _in_zip(name: str, bare: str, archive: str) -> FoundModule | None:
    from .zips import has_in_zip

    parents = name.split(".")[:-1]
    stem = "/".join([*parents, bare])
    for inner, package in ((f"{stem}/__init__.py", True), (f"{stem}.py", False)):
        if has_in_zip(archive, inner):
            origin = f"{archive}!/{inner}"
            return FoundModule(name, origin, origin, (archive,) if package else ())
    return None


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _head(path: str) -> bytes:
    try:
        return read_head(path, INIT_LIMIT)
    except UnreadableError:
        return b""


def _literal_folders(text: str) -> tuple[str, ...]:
    """The folders of a `__path__ = ['…']` that an editable install wrote; empty where they are not plain absolute paths."""
    import ast

    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return ()
    if not isinstance(value, list):
        return ()
    return tuple(item for item in value if isinstance(item, str) and os.path.isabs(item) and "\0" not in item)

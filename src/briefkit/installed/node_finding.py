"""Which copy of a package a folder sees: Plug'n'Play's where it rules, else Node's walk up."""

from __future__ import annotations

import os
import sys

from briefkit.names import is_npm_name, split_npm_subpath
from briefkit.records import TYPE_CHECKING

from .node_layout import NODE_MODULES, PNP_FILES, ancestors
from .node_modules import package_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from briefkit.packages import Installed

    from .plug_n_play import PlugNPlay


def find_package(name: str, from_dir: str, boundary: str | None = None) -> Installed | None:
    """The copy of a package that code in `from_dir` gets, None where it gets none.

    `name` may carry a sub-path (`rxjs/operators` is in rxjs) and may be an alias. The walk up ends at `boundary`; without one
    it ends at the file system's root, as Node's does, since a tree above the repo is legal.
    """
    package, _ = split_npm_subpath(name)
    if not is_npm_name(package):
        return None
    plug = _plug_n_play(from_dir, boundary)
    plugged = None if plug is None else plug.find(package, from_dir)
    if plugged is not None:
        return plugged
    for modules in _trees(from_dir, boundary):
        found = package_at(modules, package)
        if found is not None:
            return found
    return None


def visible_copies(name: str, from_dir: str) -> Iterator[tuple[Installed, bool]]:
    """The package and its `@types` package in each tree that code in `from_dir` looks in, nearest first; True marks the latter."""
    names = ((name, False), (types_name(name), True))
    plug = _plug_n_play(from_dir, None)
    if plug is not None:
        yield from ((found, is_types) for each, is_types in names if (found := plug.find(each, from_dir)) is not None)
    for modules in _trees(from_dir, None):
        yield from ((found, is_types) for each, is_types in names if (found := package_at(modules, each)) is not None)


def _plug_n_play(from_dir: str, boundary: str | None) -> PlugNPlay | None:
    """The Plug'n'Play that answers for a folder; its reader is imported only where a manifest lies, or once one was read."""
    here = any(
        os.path.lexists(os.path.join(folder, name)) for folder in ancestors(from_dir, boundary) for name in PNP_FILES
    )
    if not here and f"{__package__}.plug_n_play" not in sys.modules:
        return None
    from .plug_n_play import plug_n_play_for

    return plug_n_play_for(from_dir, boundary)


def _trees(from_dir: str, boundary: str | None) -> Iterator[str]:
    for folder in ancestors(from_dir, boundary):
        if os.path.basename(folder) != NODE_MODULES:
            yield os.path.join(folder, NODE_MODULES)


def types_name(name: str) -> str:
    """The package in which DefinitelyTyped keeps the types of another: `@a/b` has `@types/a__b`."""
    return "@types/" + (name[1:].replace("/", "__") if name.startswith("@") else name)


def types_package(name: str, from_dir: str, boundary: str | None = None) -> Installed | None:
    """The `@types` package of a package that code in `from_dir` gets, None where none is installed."""
    return find_package(types_name(split_npm_subpath(name)[0]), from_dir, boundary)

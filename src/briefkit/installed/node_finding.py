"""Which copy of a package a folder sees: Plug'n'Play's where it rules, else Node's walk up."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from briefkit.names import is_npm_name, split_npm_subpath

from .node_layout import NODE_MODULES, ancestors
from .node_modules import package_at
from .plug_n_play import plug_n_play_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from briefkit.packages import Installed


def find_package(name: str, from_dir: str, boundary: str | None = None) -> Installed | None:
    """The copy of a package that code in `from_dir` gets, None where it gets none.

    `name` may carry a sub-path (`rxjs/operators` is in rxjs) and may be an alias. The walk up ends at `boundary`; without one
    it ends at the file system's root, as Node's does, since a tree above the repo is legal.
    """
    package, _ = split_npm_subpath(name)
    if not is_npm_name(package):
        return None
    plug = plug_n_play_for(from_dir, boundary)
    plugged = None if plug is None else plug.find(package, from_dir)
    if plugged is not None:
        return plugged
    for modules in _trees(from_dir, boundary):
        found = package_at(modules, package)
        if found is not None:
            return found
    return None


def visible_copies(name: str, from_dir: str) -> Iterator[tuple[Installed | None, Installed | None]]:
    """The package and its `@types` package of each tree that code in `from_dir` looks in, nearest first."""
    declared = types_name(name)
    plug = plug_n_play_for(from_dir)
    if plug is not None:
        yield plug.find(name, from_dir), plug.find(declared, from_dir)
    for modules in _trees(from_dir, None):
        if os.path.isdir(modules):
            yield package_at(modules, name), package_at(modules, declared)


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

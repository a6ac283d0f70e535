"""Installed npm packages by name: the copy that a folder sees, as Node walks up for it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from briefkit.names import is_npm_name, split_npm_subpath

from .node_layout import NODE_MODULES, Layout, ancestors, layout_of
from .node_listing import copies, list_packages
from .node_modules import package_at

if TYPE_CHECKING:
    from briefkit.packages import Installed

__all__ = ["Layout", "copies", "find_package", "layout_of", "list_packages", "types_name", "types_package"]


def find_package(name: str, from_dir: str, boundary: str | None = None) -> Installed | None:
    """The copy of a package that code in `from_dir` gets, None where it gets none.

    `name` may carry a sub-path (`rxjs/operators` is in rxjs) and may be an alias. The walk up ends at `boundary`; without one
    it ends at the file system's root, as Node's does, since a tree above the repo is legal.
    """
    package, _ = split_npm_subpath(name)
    if not is_npm_name(package):
        return None
    for folder in ancestors(from_dir, boundary):
        if os.path.basename(folder) != NODE_MODULES:
            found = package_at(os.path.join(folder, NODE_MODULES), package)
            if found is not None:
                return found
    return None


def types_name(name: str) -> str:
    """The package in which DefinitelyTyped keeps the types of another: `@a/b` has `@types/a__b`."""
    return "@types/" + (name[1:].replace("/", "__") if name.startswith("@") else name)


def types_package(name: str, from_dir: str, boundary: str | None = None) -> Installed | None:
    """The `@types` package of a package that code in `from_dir` gets, None where none is installed."""
    return find_package(types_name(split_npm_subpath(name)[0]), from_dir, boundary)

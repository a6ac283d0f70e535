"""Every copy of every package that a repo's trees hold: what is enumerated is what is on disk."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from briefkit.names import is_npm_name

from .node_layout import NODE_MODULES
from .node_modules import package_at
from .plug_n_play import plug_n_play_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from briefkit.packages import Installed

MAX_FOLDERS = 200_000


def list_packages(root: str) -> tuple[Installed, ...]:
    """Every installed copy under a folder, one for each real folder, in the order of the walk.

    Followed are the trees in `root` and in its workspace folders, nested copies, and what links lead to; not vendored copies, which are
    files of another package.
    """
    return tuple(_walk(root, None))


def copies(name: str, root: str) -> tuple[Installed, ...]:
    """Every installed copy under a folder of one package, by real name or alias, in the order of the walk."""
    return tuple(_walk(root, name))


def _walk(root: str, wanted: str | None) -> Iterator[Installed]:
    seen: set[str] = set()
    plug = plug_n_play_at(root)
    if plug is not None:
        for each in plug.all_installed() if wanted is None else plug.named(wanted):
            seen.add(each.root if each.inner is None else "")
            yield each
    for modules in reachable_trees(root):
        for name in names_in(modules):
            real = os.path.realpath(os.path.join(modules, *name.split("/")))
            if real in seen:
                continue
            seen.add(real)
            found = package_at(modules, name)
            if found is not None and wanted in (None, found.name, found.alias):
                yield found


def reachable_trees(root: str) -> Iterator[str]:
    """Every `node_modules` folder of a repo: its own, those nested in packages, and those of the stores that links lead to."""
    queue = [os.path.realpath(tree) for tree in trees(root)]
    seen = set(queue)
    position = 0
    while position < len(queue) and position < MAX_FOLDERS:
        modules = queue[position]
        position += 1
        yield modules
        for name in names_in(modules):
            real = os.path.realpath(os.path.join(modules, *name.split("/")))
            for tree in (os.path.join(real, NODE_MODULES), _tree_around(real)):
                if tree is not None and tree not in seen and os.path.isdir(tree):
                    seen.add(tree)
                    queue.append(tree)


def _tree_around(real: str) -> str | None:
    """The `node_modules` folder that a real package folder lies in: in a store, its dependencies are its neighbours."""
    parent = os.path.dirname(real)
    if os.path.basename(parent).startswith("@"):
        parent = os.path.dirname(parent)
    return parent if os.path.basename(parent) == NODE_MODULES else None


def names_in(modules: str) -> list[str]:
    """The package names a `node_modules` folder holds, sorted; scopes opened, the managers' own entries left out."""
    names = []
    for entry in _entries(modules):
        if entry.startswith("@"):
            names += [f"{entry}/{bare}" for bare in _entries(os.path.join(modules, entry))]
        else:
            names.append(entry)
    return [name for name in names if is_npm_name(name)]


def _entries(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except OSError:
        return []


def trees(root: str) -> Iterator[str]:
    """The `node_modules` folders of a repo's own folders, not those inside packages; hidden folders are not entered."""
    pending = [(os.path.abspath(root), 0)]
    count = 0
    while pending and count < MAX_FOLDERS:
        folder, depth = pending.pop()
        count += 1
        try:
            with os.scandir(folder) as entries:
                below = sorted(
                    entry.name for entry in entries if entry.is_dir(follow_symlinks=False) or entry.name == NODE_MODULES
                )
        except OSError:
            continue
        if NODE_MODULES in below and os.path.isdir(os.path.join(folder, NODE_MODULES)):
            yield os.path.join(folder, NODE_MODULES)
        if depth < 8:
            pending += [
                (os.path.join(folder, name), depth + 1)
                for name in reversed(below)
                if name[0] not in ".@" and name != NODE_MODULES
            ]

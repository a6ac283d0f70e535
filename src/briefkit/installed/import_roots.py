"""From the files of a distribution to the names it is imported by: packages, single modules, parts of namespaces, stubs."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MODULE_SUFFIXES = (".py", ".pyi", ".so", ".pyd")
STUBS = "-stubs"

_MODULE = re.compile(r"(?:^|/)([^/.]+)(?:\.[^/]+)?\.(?:pyi?|so|pyd)$")
_LOADER = re.compile(r"__editable__|_editable_(?:impl|skbc)_|_\w+_editable_loader$|_\w+_editable$")


def import_roots(paths: Iterable[str]) -> tuple[str, ...]:
    """The dotted names under which the listed files (POSIX, relative to the search root) can be imported, in sorted order.

    A package counts by its topmost folder that has an `__init__` or holds modules itself, so that `google/cloud/storage/…` is
    `google.cloud.storage`. A stub folder keeps its name (`yaml-stubs`) and is left out where the distribution has the module too.
    """
    tree: dict[str, set[str]] = {}
    names: set[str] = set()
    for path in paths:
        found = _MODULE.search(path)
        if found is None:
            continue
        folder = path[: found.start()] if found.start() else ""
        if folder:
            tree.setdefault(folder, set()).add(found[1])
        elif found[1].isidentifier() and not _LOADER.match(found[1]):
            names.add(found[1])
    names.update(_packages(tree))
    return tuple(sorted(name for name in names if not (name.endswith(STUBS) and name.removesuffix(STUBS) in names)))


def _packages(tree: dict[str, set[str]]) -> set[str]:
    """The topmost folders of the tree that are packages: no folder above them holds modules."""
    kept: set[str] = set()
    for folder in sorted(tree):
        parts = folder.split("/")
        if not all(_is_part(part, place) for place, part in enumerate(parts)):
            continue
        if not any("/".join(parts[:size]) in kept for size in range(1, len(parts))):
            kept.add(folder)
    return {folder.replace("/", ".") for folder in kept}


def _is_part(part: str, place: int) -> bool:
    return part.isidentifier() or (place == 0 and part.endswith(STUBS) and part.removesuffix(STUBS).isidentifier())


def main_root(names: tuple[str, ...], name: str, weights: dict[str, int] | None = None) -> str | None:
    """The import name that stands for the distribution: the one spelled like it, else the heaviest that is no private module."""
    if not names:
        return None
    alike = name.replace("-", "").lower()
    weights = weights or {}
    return min(
        names,
        key=lambda found: (
            "._" in "." + found,
            re.sub(r"[._]", "", found).lower() != alike,
            -weights.get(found, 0),
            found,
        ),
    )


def place_of(base: str, name: str) -> str | None:
    """The absolute folder or file of a dotted import name directly under `base`: the package, else the source, else what is there."""
    path = os.path.join(base, *name.split("."))
    if os.path.isdir(path):
        return path
    for suffix in (".py", ".pyi"):
        if os.path.isfile(path + suffix):
            return path + suffix
    folder, bare = os.path.split(path)
    try:
        entries = sorted(os.listdir(folder))
    except OSError:
        return None
    for entry in entries:
        if entry.startswith(bare + ".") and entry.endswith((".so", ".pyd")):
            return os.path.join(folder, entry)
    return None

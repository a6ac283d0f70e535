"""From the files of a distribution to the names it is imported by: packages, single modules, parts of namespaces, stubs."""

from __future__ import annotations

import os
import re

from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

MODULE_SUFFIXES = (".py", ".pyi", ".so", ".pyd")
STUBS = "-stubs"
# The folder of links that setuptools' strict editable mode lays in a project's build folder begins so.
STRICT_FOLDER = "__editable__."

# The lines in a row that share the first part of their path, at once; what follows it on the first line tells file from folder.
_BLOCK = lazy_pattern(r"^([^/\",\r\n]+)([/,])[^\n]*\n(?:\1/[^\n]*\n)*", re.MULTILINE)
_INSIDE = lazy_pattern(r"^([^\",\r\n]+)/[^/\",\r\n]+\.(?:pyi?|so|pyd),", re.MULTILINE)
_TOPMOST = lazy_pattern(r"([^.]+)(?:\..*)?\.(?:pyi?|so|pyd)")
_LOADER = lazy_pattern(r"__editable__|_editable_(?:impl|skbc)_|_\w+_editable_loader$|_\w+_editable$")


class Outline(NamedTuple):
    """What a RECORD says at a glance: the import names, and the rows of files at the top as they are written."""

    names: tuple[str, ...]
    rows: tuple[str, ...]


def import_roots(paths: Iterable[str]) -> tuple[str, ...]:
    """The dotted names under which the listed files (POSIX, relative to the search root) can be imported, in sorted order."""
    return outline_of("".join(f"{path},\n" for path in paths)).names


def outline_of(text: str) -> Outline:
    """The outline of a RECORD's text, each line a path and a comma.

    A package counts by its topmost folder that has an `__init__` or holds modules itself, so that `google/cloud/storage/…` is
    `google.cloud.storage`. A stub folder keeps its name (`yaml-stubs`) and is left out where the distribution has the module too.
    """
    names: set[str] = set()
    folders: set[str] = set()
    rows = []
    for found in _BLOCK.finditer(text if text.endswith("\n") else text + "\n"):
        top, after = found.groups()
        if after == "/":
            block = found.group()
            folders.update((top,) if f"{top}/__init__.py" in block else _INSIDE.findall(block))
            continue
        rows.append(found.group().rstrip())
        module = _TOPMOST.fullmatch(top)
        if module is not None and module[1].isidentifier() and not _LOADER.match(module[1]):
            names.add(module[1])
    names.update(_packages(folders))
    own = (name for name in names if not (name.endswith(STUBS) and name.removesuffix(STUBS) in names))
    return Outline(tuple(sorted(own)), tuple(rows))


def _packages(folders: set[str]) -> set[str]:
    """The topmost of the folders that hold modules, as dotted names."""
    kept: set[str] = set()
    for folder in sorted(folders):
        parts = folder.split("/")
        if any("/".join(parts[:size]) in kept for size in range(1, len(parts))):
            continue
        if all(_is_part(part, place) for place, part in enumerate(parts)):
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

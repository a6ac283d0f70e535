"""The folder in which a project keeps its packages, and what in it is a package, where nothing but the project itself says so."""

from __future__ import annotations

import os
import re

from briefkit.errors import UnreadableError
from briefkit.paths import read_text

from .import_roots import MODULE_SUFFIXES, STUBS

_DEPTH = 4
_WIDTH = 2000
# What lies beside a package in a flat project and is not a part of it.
_BESIDE = re.compile(
    "(?:ci|bin|debian|docs?|documentation|manpages|news|newsfragments|changelog|(?:unit_)?tests?|examples?|scripts|tools|utils?|python"
    "|build|benchmarks?|exercises?|htmlcov|tasks|fabfile|site_scons|setup|conftest|noxfile|toxfile|dist|v?env|node_modules|manage)"
)


def names_in(folder: str, name: str, *, flat: bool) -> tuple[str, ...]:
    """The import names that a project's source folder offers.

    In a flat project (the folder holds the project's own files too) the one spelled like the distribution, else all that are not
    what usually lies beside a package.
    """
    found = tuple(_importable(folder, "", _DEPTH))
    if not flat:
        return found
    alike = _squeezed(name)
    same = tuple(one for one in found if _squeezed(one) == alike or _squeezed(one.partition(".")[0]) == alike)
    return same or tuple(one for one in found if not _BESIDE.fullmatch(one.partition(".")[0]))


def declared_folder(project: str) -> str | None:
    """The folder that a project's own pyproject.toml says its packages lie in; `src` where that exists; None where neither."""
    import tomli

    try:
        record = tomli.loads(read_text(os.path.join(project, "pyproject.toml"))).get("tool", {})
        named = record.get("setuptools", {}).get("package-dir", {}).get("")
        if named is None:
            named = record.get("setuptools", {}).get("packages", {}).get("find", {}).get("where", [None])[0]
    except (UnreadableError, ValueError, AttributeError, TypeError, IndexError, RecursionError):
        named = None
    for candidate in (named, "src"):
        if isinstance(candidate, str) and "\0" not in candidate:
            folder = os.path.normpath(os.path.join(project, candidate))
            if folder.startswith(project + os.sep) and os.path.isdir(folder):
                return folder
    return None


def _importable(folder: str, prefix: str, depth: int) -> list[str]:
    names = []
    for entry in _scanned(folder):
        bare = entry.name.partition(".")[0]
        if entry.is_dir():
            if entry.name.isidentifier() or (not prefix and entry.name.removesuffix(STUBS).isidentifier()):
                names.extend(_package_or_namespace(entry.path, prefix + entry.name, depth))
        elif bare.isidentifier() and bare != "__init__" and entry.name.endswith(MODULE_SUFFIXES):
            names.append(prefix + bare)
    return sorted(set(names))


def _package_or_namespace(folder: str, name: str, depth: int) -> list[str]:
    inside = [entry.name for entry in _scanned(folder) if entry.name.endswith(MODULE_SUFFIXES)]
    if inside:
        return [name]
    return _importable(folder, name + ".", depth - 1) if depth else []


def _scanned(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            kept = [
                entry
                for place, entry in enumerate(entries)
                if place < _WIDTH and not entry.name.startswith((".", "__pycache__"))
            ]
    except OSError:
        return []
    return sorted(kept, key=lambda entry: entry.name)


def _squeezed(name: str) -> str:
    return re.sub(r"[-._]", "", name).lower()

"""Where the modules of a Python distribution lie: the part of an `Installed` that every way of installing fills differently."""

from __future__ import annotations

import os

from briefkit.records import NamedTuple

from .import_roots import place_of

_PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg", "PKG-INFO", "meson.build")
_ASCENT = 8


class ModuleLayout(NamedTuple):
    """The search root, import names, and those names (`modules`) that do not lie at `search_root/name`; see `Installed`."""

    kind: str
    search_root: str
    top_levels: tuple[str, ...] = ()
    modules: tuple[tuple[str, str], ...] = ()
    project: str | None = None
    link: str | None = None
    evidence: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def place(self, name: str) -> str | None:
        """The absolute folder or file of one of the import names; None where nothing is there."""
        for known, path in self.modules:
            if known == name:
                return path
        return place_of(self.search_root, name)


def is_project(folder: str) -> bool:
    """Whether a folder is a Python project by a file in it."""
    return any(os.path.isfile(os.path.join(folder, name)) for name in _PROJECT_FILES)


def project_of(path: str) -> str | None:
    """The nearest project at or above a path, None where none is near."""
    folder = path
    for _ in range(_ASCENT):
        if is_project(folder):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return None

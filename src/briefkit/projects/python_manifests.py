"""What the manifests of a Python project declare: pyproject.toml, Pipfile, setup.cfg, and `*.in` files that pins are made from.

setup.py is a program and is not read: what it alone declares is not known to be direct.
"""

from __future__ import annotations

import os

from briefkit.records import TYPE_CHECKING

from .package_json import Declared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_INPUTS = ("requirements.in", "requirements/requirements.in", "requirements/base.in", "requirements/main.in")


def declared_in_python(folder: str, shown: Callable[[str], str]) -> tuple[Declared, ...]:
    """All that the manifests of a folder declare, the first manifest's first; `shown` gives the path for messages.

    Raises:
        UnreadableError: A manifest is there and cannot be read.

    """
    return tuple(_declared(folder, shown))


def _declared(folder: str, shown: Callable[[str], str]) -> Iterator[Declared]:
    path = os.path.join(folder, "pyproject.toml")
    if os.path.lexists(path):
        from .pyproject import PyProject

        yield from PyProject(folder, shown(path)).declared()
    path = os.path.join(folder, "Pipfile")
    if os.path.lexists(path):
        from .pipfile import declared_in_pipfile

        yield from declared_in_pipfile(path, shown(path))
    path = os.path.join(folder, "setup.cfg")
    if os.path.lexists(path):
        from .setup_cfg import declared_in_setup_cfg

        yield from declared_in_setup_cfg(path, shown(path))
    for name in _INPUTS:
        path = os.path.join(folder, *name.split("/"))
        if os.path.lexists(path):
            yield from _declared_in_input(path, shown(path))


def _declared_in_input(path: str, shown: str) -> Iterator[Declared]:
    """The lines of a file that pip-compile or uv makes pins from."""
    from ..lockfiles.files import read_lockfile

    for importer in read_lockfile(path, format="requirements", shown=shown).importers:
        for edge in importer.edges:
            yield Declared(edge.name, edge.requirement or "", "main", edge.line, edge.marker, edge.extras)

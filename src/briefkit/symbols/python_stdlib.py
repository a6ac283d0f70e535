"""Python's own part: where an environment's standard library lies, and the members of what is compiled into Python.

The standard library's source is read from the environment's base Python, as files. What has no source there (`dict`, `BaseException`,
`_io`) is in a table made from running Pythons 3.11 to 3.13 (`python_builtins.json`), each name with the versions that have it.
"""

from __future__ import annotations

import json
import os
import re
import sys
from functools import lru_cache

from briefkit.records import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

    from briefkit.packages import Installed

_VERSION_FOLDER = re.compile(r"python(\d+)\.(\d+)t?$")
_HOME = re.compile(r"(?m)^\s*home\s*=\s*(.+?)\s*$")
_CONFIG_VERSION = re.compile(r"(?m)^\s*version(?:_info)?\s*=\s*(\d+)\.(\d+)")


class Base(NamedTuple):
    """The Python under an environment: the folder of its standard library, its version, and whether both are the environment's own."""

    folder: str | None
    version: tuple[int, int] | None
    own: bool


def base_python(installed: Installed) -> Base:
    """The Python that an installed distribution runs on, told by files alone; this process's own where the files do not say."""
    for start in _site_folders(installed):
        found = _base_of_site(start)
        if found is not None:
            return found
    return Base(_own_library(), sys.version_info[:2], own=False)


def _site_folders(installed: Installed) -> list[str]:
    """Folders that may be site-packages: the one that holds the metadata, then the one that modules are imported from."""
    folders = [os.path.dirname(os.path.dirname(path)) for path in installed.evidence[:1]]
    if installed.search_root:
        folders.append(installed.search_root)
    return folders


@lru_cache(maxsize=64)
def _base_of_site(site: str) -> Base | None:
    library = os.path.dirname(site)
    found = _VERSION_FOLDER.search(library)
    version = (int(found.group(1)), int(found.group(2))) if found else None
    if os.path.isfile(os.path.join(library, "os.py")):
        return Base(library, version, own=True)
    for folder in (os.path.dirname(os.path.dirname(library)), os.path.dirname(library)):
        base = _from_config(os.path.join(folder, "pyvenv.cfg"), version)
        if base is not None:
            return base
    if version is None:
        return None
    return Base(_same_version(version), version, own=False)


def _from_config(path: str, version: tuple[int, int] | None) -> Base | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(65536)
    except OSError:
        return None
    found = _CONFIG_VERSION.search(text)
    if version is None and found is not None:
        version = (int(found.group(1)), int(found.group(2)))
    home = _HOME.search(text)
    if home is None or version is None:
        return Base(_same_version(version), version, own=False)
    prefix = home.group(1)
    for library in (
        os.path.join(os.path.dirname(prefix), "lib", f"python{version[0]}.{version[1]}"),
        os.path.join(prefix, "Lib"),
        os.path.join(os.path.dirname(prefix), "lib64", f"python{version[0]}.{version[1]}"),
    ):
        if os.path.isfile(os.path.join(library, "os.py")):
            return Base(os.path.realpath(library), version, own=True)
    return Base(_same_version(version), version, own=False)


def _same_version(version: tuple[int, int] | None) -> str | None:
    """The library of this process, near enough for the names of another version where its own is not here."""
    return _own_library() if version is None or version[0] == sys.version_info[0] else None


def _own_library() -> str | None:
    folder = os.path.dirname(os.__file__)
    return folder if os.path.isfile(os.path.join(folder, "os.py")) else None


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    path = os.path.join(os.path.dirname(__file__), "python_builtins.json")
    with open(path, encoding="utf-8") as file:
        table: dict[str, Any] = json.load(file)
    return table


def compiled_module(name: str, version: tuple[int, int] | None) -> dict[str, Any] | None:
    """The names of a module that is compiled into Python (or a part of its standard library), None where it is none.

    An entry is text (`f` function, `v` value, with the signature behind it; `@module.name` for one that is elsewhere) or
    `["c", bases, signature, members]` with members as text.
    """
    names = _table()["modules"].get(name)
    if names is None or not in_version(name, version):
        return None
    found: dict[str, Any] = names
    return found


@lru_cache(maxsize=4096)
def in_compiled_class(name: str) -> bool:
    """Whether any class that is compiled into Python has a member of this name."""
    return any(
        isinstance(entry, list) and name in entry[3]
        for names in _table()["modules"].values()
        for entry in names.values()
    )


def in_version(path: str, version: tuple[int, int] | None) -> bool:
    """Whether the table's name is in this Python; where the version is not known, it is."""
    if version is None:
        return True
    table = _table()
    since, until = table["since"].get(path), table["until"].get(path)
    return not (since and version < _number(since)) and not (until and version > _number(until))


def _number(text: str) -> tuple[int, int]:
    major, _, minor = text.partition(".")
    return int(major), int(minor)

"""What a name stands for that no distribution brought: the standard library, and copies that other packages carry inside themselves."""

from __future__ import annotations

import os
import re
import sys

from briefkit.errors import UnreadableError
from briefkit.names import PYPI, pypi_name
from briefkit.packages import Installed
from briefkit.paths import read_text
from briefkit.records import TYPE_CHECKING

from .import_roots import place_of
from .python_layouts import read_config

if TYPE_CHECKING:
    from collections.abc import Iterator

    from briefkit.packages import Environment

VENDOR_FOLDERS = ("_vendor", "_vendored", "vendor", "vendored", "extern", "third_party")
LIST_LIMIT = 256 << 10
PACKAGES_LIMIT = 5000


def standard_module(environment: Environment, dotted: str) -> Installed | None:
    """The module of the standard library by that name, from the environment's base installation; None where it has none.

    A module that is built into the interpreter has no file: its root is then the library's folder, and a warning says so.
    """
    library, evidence = _library(environment)
    top = dotted.partition(".")[0]
    if library is None or not all(part.isidentifier() for part in dotted.split(".")):
        return None
    place = place_of(library, dotted) or place_of(os.path.join(library, "lib-dynload"), dotted)
    warnings: tuple[str, ...] = ()
    if place is None:
        if top not in sys.builtin_module_names:
            return None
        place, warnings = library, (f"{dotted} is built into the interpreter and has no file",)
    names = (dotted,)
    return Installed(
        PYPI,
        top,
        environment.python,
        place,
        "builtin",
        evidence=evidence,
        top_levels=names,
        search_root=library,
        warnings=warnings,
    )


def vendored_copies(environment: Environment, name: str) -> tuple[Installed, ...]:
    """The copies of a package that other installed packages carry, with the version where a list beside it states one."""
    spelled = pypi_name(name)
    names = dict.fromkeys([name, spelled.replace("-", "_"), spelled.replace("-", ".")])
    found = []
    for folder in _vendor_folders(environment):
        place = next((path for path in (place_of(folder, one) for one in names if _is_name(one)) if path), None)
        if place is not None:
            version, listed = _listed_version(folder, spelled)
            warning = f"a copy inside {os.path.relpath(folder, os.path.dirname(os.path.dirname(folder)))}, not importable as {name}"
            top = os.path.basename(place).partition(".")[0]
            evidence = (listed,) if listed else (place,)
            found.append(
                Installed(
                    PYPI,
                    spelled,
                    version,
                    place,
                    "vendored",
                    evidence=evidence,
                    top_levels=(top,),
                    search_root=folder,
                    warnings=(warning,),
                )
            )
    return tuple(found)


def _library(environment: Environment) -> tuple[str | None, tuple[str, ...]]:
    """The folder of the standard library and the file that leads to it."""
    config = read_config(environment.path)
    home = config.get("home", "")
    prefixes = [environment.path]
    if os.path.isabs(home):
        prefixes.insert(0, os.path.dirname(home) if os.path.basename(home).lower() in ("bin", "scripts") else home)
    minor = ".".join((environment.python or "").split(".")[:2])
    for prefix in prefixes:
        for library in (os.path.join(prefix, "lib", f"python{minor}"), os.path.join(prefix, "Lib")):
            marker = os.path.join(library, "os.py")
            if os.path.isfile(marker):
                stated = os.path.join(environment.path, "pyvenv.cfg")
                return library, ((stated, marker) if config else (marker,))
    return None, ()


def _vendor_folders(environment: Environment) -> Iterator[str]:
    for site in environment.site_dirs:
        try:
            names = sorted(os.listdir(site))[:PACKAGES_LIMIT]
        except OSError:
            continue
        for name in names:
            for vendor in VENDOR_FOLDERS if name.isidentifier() else ():
                folder = os.path.join(site, name, vendor)
                if os.path.isdir(folder):
                    yield folder


def _listed_version(folder: str, name: str) -> tuple[str | None, str | None]:
    """The version that a `vendor.txt` in the folder pins the name to, and that file."""
    for file in ("vendor.txt", "vendored.txt", "requirements.txt"):
        path = os.path.join(folder, file)
        try:
            text = read_text(path, LIST_LIMIT)
        except UnreadableError:
            continue
        for found in re.finditer(r"^\s*([A-Za-z0-9._-]+)==([A-Za-z0-9.!+_-]+)", text, re.MULTILINE):
            if pypi_name(found[1]) == name:
                return found[2], path
    return None, None


def _is_name(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))

"""Python packages that conda installed without Python's own metadata: `conda-meta` lists their files."""

from __future__ import annotations

import os

from briefkit.errors import UnreadableError
from briefkit.names import PYPI, pypi_name
from briefkit.packages import Installed
from briefkit.paths import MEBIBYTE, read_bytes
from briefkit.records import TYPE_CHECKING

from .import_roots import import_roots, main_root, place_of

if TYPE_CHECKING:
    from briefkit.packages import Environment

META_LIMIT = 32 * MEBIBYTE


def conda_distribution(environment: Environment, name: str) -> Installed | None:
    """The package of that name by `conda-meta/NAME-VERSION-BUILD.json`; None where there is none, or none with modules."""
    folder = os.path.join(environment.path, "conda-meta")
    path = next((os.path.join(folder, file) for file in _names(folder) if _spells(file, name)), None)
    if path is None:
        return None
    import json

    try:
        record = json.loads(read_bytes(path, META_LIMIT))
    except (UnreadableError, ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or not isinstance(record.get("files"), list):
        return None
    for site in environment.site_dirs:
        prefix = os.path.relpath(site, environment.path).replace(os.sep, "/") + "/"
        paths = [file[len(prefix) :] for file in record["files"] if isinstance(file, str) and file.startswith(prefix)]
        names = tuple(one for one in import_roots(paths) if place_of(site, one) is not None)
        main = main_root(names, name)
        if main is not None:
            version = record.get("version")
            root = place_of(site, main) or site
            stated = version if isinstance(version, str) else None
            return Installed(PYPI, name, stated, root, evidence=(path,), top_levels=names, search_root=site)
    return None


def _spells(file: str, name: str) -> bool:
    parts = file.removesuffix(".json").rsplit("-", 2)
    return file.endswith(".json") and len(parts) == 3 and pypi_name(parts[0]) == name


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []

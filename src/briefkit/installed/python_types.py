"""Where the types of a Python package are stated: stub packages, `.pyi` files beside the code, annotated code (PEP 561)."""

from __future__ import annotations

import os

from briefkit.errors import UnreadableError
from briefkit.names import pypi_name
from briefkit.paths import read_head
from briefkit.records import TYPE_CHECKING

from .import_roots import STUBS, place_of
from .python_metadata import metadata_entries, metadata_file, read_headers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from briefkit.packages import Installed


def types_of(installed: Installed) -> tuple[dict[str, Any], ...]:
    """For each import name where its types are stated, in the order a checker reads: stubs, `.pyi` beside, `py.typed`."""
    found: list[dict[str, Any]] = []
    for name in installed.top_levels:
        place = dict(installed.modules).get(name) or place_of(installed.search_root or installed.root, name)
        if installed.inner is not None or place is None:
            continue
        if name.partition(".")[0].endswith(STUBS):
            found.append(_record(_init(place, ".pyi") or place, "stubs", installed.name, installed.version))
            continue
        found.extend(_stub_packages(installed, name))
        found.extend(_inline(installed, name, place))
    return tuple(found)


def _stub_packages(installed: Installed, name: str) -> Iterator[dict[str, Any]]:
    """The stub packages beside the distribution; one that lacks this part of a namespace says nothing of it."""
    top, _, rest = name.partition(".")
    for folder in _site_folders(installed):
        path = os.path.join(folder, top + STUBS, *rest.split(".") if rest else ())
        file = _init(path, ".pyi") or (path + ".pyi" if os.path.isfile(path + ".pyi") else None)
        if file is not None:
            package, version = _stub_owner(folder, installed.name, top)
            own = (package or installed.name, version if package else installed.version)
            partial = os.path.join(folder, top + STUBS, "py.typed")
            yield _record(file, "partial stubs" if _is_partial(partial) else "stubs", *own)


def _inline(installed: Installed, name: str, place: str) -> Iterator[dict[str, Any]]:
    stub = _init(place, ".pyi")
    if os.path.isfile(place):
        beside = os.path.join(os.path.dirname(place), os.path.basename(place).partition(".")[0] + ".pyi")
        stub = beside if os.path.isfile(beside) else None
    if stub is not None:
        yield _record(stub, "pyi beside the code", installed.name, installed.version)
    marked = _marker(installed, name, place)
    code = _init(place, ".py")
    if marked is not None and code is not None:
        yield _record(code, "py.typed", installed.name, installed.version)


def _marker(installed: Installed, name: str, place: str) -> str | None:
    """The `py.typed` of the package or of a namespace above it."""
    folder = place
    for _ in name.split("."):
        marker = os.path.join(folder, "py.typed")
        if os.path.isfile(marker):
            return marker
        folder = os.path.dirname(folder)
        if folder == (installed.search_root or folder):
            break
    return None


def _stub_owner(folder: str, name: str, top: str) -> tuple[str | None, str | None]:
    """The distribution that is spelled like stubs for the package, with its version; None where none is."""
    wanted = {f"types-{name}", f"{name}{STUBS}", f"types-{pypi_name(top)}", f"{pypi_name(top)}{STUBS}"}
    try:
        entries, _ = metadata_entries(folder, sorted(os.listdir(folder)))
    except OSError:
        return None, None
    for entry in entries:
        if entry.name in wanted:
            headers = read_headers(metadata_file(entry))
            if headers is not None:
                return entry.name, headers.version
    return None, None


def _site_folders(installed: Installed) -> Iterator[str]:
    folders = [installed.search_root or installed.root]
    if installed.evidence:
        folders.append(os.path.dirname(os.path.dirname(installed.evidence[0])))
    yield from dict.fromkeys(folders)


def _init(place: str, suffix: str) -> str | None:
    path = os.path.join(place, "__init__" + suffix)
    return path if os.path.isfile(path) else None


def _is_partial(marker: str) -> bool:
    try:
        return read_head(marker, 64).strip() == b"partial"
    except UnreadableError:
        return False


def _record(file: str, source: str, package: str, version: str | None) -> dict[str, Any]:
    return {"file": file, "from": source, "package": package, "version": version}

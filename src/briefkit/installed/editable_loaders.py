"""The import finders that editable installs leave in site-packages, recognised by their text and never run.

setuptools keeps a mapping of names to folders, editables (hatchling, PDM) one call a module, scikit-build-core one call with every
file, meson-python the build folder whose install plan lists every file. Only the literal that says so is parsed.
"""

from __future__ import annotations

import os
import re

from briefkit.errors import UnreadableError
from briefkit.paths import MEBIBYTE, is_within, read_bytes
from briefkit.records import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

LOADER_LIMIT = 4 * MEBIBYTE
LITERAL_LIMIT = 256 << 10
PLAN_LIMIT = 32 * MEBIBYTE
FILES_LIMIT = 50_000

_IMPORT = re.compile(r"^import[ \t]+([A-Za-z_][A-Za-z0-9_]*)")
_MAPPING = re.compile(r"^(MAPPING|NAMESPACES)(?::[^=\n]*)?[ \t]*=[ \t]*(\{.*\})[ \t]*$", re.MULTILINE)
_MAP_MODULE = re.compile(r"^F\.map_module\((.*)\)[ \t]*$", re.MULTILINE)
_INSTALL = re.compile(r"^install\((.*)\)[ \t]*\Z", re.MULTILINE | re.DOTALL)
_MESON = re.compile(r"^(?:[ ]+finder = MesonpyMetaFinder|install)\(\n?(.*?)\)[ \t]*$", re.MULTILINE | re.DOTALL)
_MODULE = re.compile(r"([^./]+)(\.[^/]*)?\.(?:py|so|pyd)")


class Loader(NamedTuple):
    """One finder: the file it was read from, whether it goes before the search path, and where it leads.

    `folders` are import names with a folder or a module file; `files` are single files by dotted name, a package's `__init__` under
    the package's name; `locations` the folders of a package that has files elsewhere too; `namespaces` names of bare namespaces.
    """

    path: str
    first: bool
    folders: Mapping[str, str] = {}
    files: Mapping[str, str] = {}
    locations: Mapping[str, tuple[str, ...]] = {}
    namespaces: frozenset[str] = frozenset()
    warnings: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The topmost import names that the finder answers for."""
        every = set(self.folders) | set(self.files)
        return tuple(sorted(name for name in every if not _has_parent(name, every)))


def read_loader(site: str, code: str) -> Loader | None:
    """The finder that a `.pth` line of code would install; None where the line or the file is of no known kind.

    A literal that is over its bound or not plain leads to a finder with a warning and without modules.
    """
    found = _IMPORT.match(code)
    if found is None:
        return None
    path = os.path.join(site, found[1] + ".py")
    try:
        text = read_bytes(path, LOADER_LIMIT).decode("utf-8", "replace")
    except UnreadableError:
        return None
    if "MAPPING" in text and "_EditableFinder" in text:
        return _setuptools(path, text)
    if "MesonpyMetaFinder" in text:
        return _meson(path, text)
    if "ScikitBuild" in text:
        return _scikit_build(path, text)
    return _editables(path, text) if "F.map_module(" in text else None


def _setuptools(path: str, text: str) -> Loader:
    values = {name: _literal(segment) for name, segment in _MAPPING.findall(text)}
    mapping, warnings = _strings(values.get("MAPPING"), path)
    spaces = values.get("NAMESPACES")
    namespaces = frozenset(key for key in spaces if isinstance(key, str)) if isinstance(spaces, dict) else frozenset()
    return Loader(path, first=False, folders=mapping, namespaces=namespaces, warnings=warnings)


def _editables(path: str, text: str) -> Loader:
    found = {}
    for segment in _MAP_MODULE.findall(text):
        value = _literal(f"({segment})")
        if isinstance(value, tuple) and len(value) == 2 and all(isinstance(part, str) for part in value):
            found[value[0]] = value[1]
    mapping, warnings = _strings(found, path)
    folders = {name: _without_init(place) for name, place in mapping.items()}
    return Loader(path, first=False, folders=folders, warnings=warnings)


def _scikit_build(path: str, text: str) -> Loader:
    found = _INSTALL.search(text.rstrip())
    arguments = _literal(f"({found[1]},)") if found else None
    if not isinstance(arguments, tuple) or len(arguments) < 2:
        return Loader(path, first=True, warnings=(f"{path}: its modules are not written as plain values",))
    sources, warnings = _strings(arguments[0], path)
    built, _ = _strings(arguments[1], path, relative_to=os.path.dirname(path))
    locations = {}
    if len(arguments) > 2 and isinstance(arguments[2], dict):
        for name, folders in arguments[2].items():
            places, _ = _strings(
                dict(enumerate(folders)) if isinstance(folders, list) else None, path, os.path.dirname(path)
            )
            locations[str(name)] = tuple(places.values())
    return Loader(path, first=True, files={**sources, **built}, locations=locations, warnings=warnings)


def _meson(path: str, text: str) -> Loader:
    """The files that the install plan of the build folder names, under the top names that the finder answers for."""
    found = list(_MESON.finditer(text))
    arguments = _literal(f"({found[-1][1]})") if found else None
    if not isinstance(arguments, tuple):
        return Loader(path, first=True, warnings=(f"{path}: its build folder is not written as a plain value",))
    place = next((number for number, value in enumerate(arguments) if isinstance(value, set)), None)
    build = arguments[place + 1] if place is not None and len(arguments) > place + 1 else None
    if place is None or not isinstance(build, str) or not os.path.isabs(build):
        return Loader(path, first=True, warnings=(f"{path}: its build folder is not written as a plain value",))
    plan = os.path.join(build, "meson-info", "intro-install_plan.json")
    try:
        files = dict(_plan_files(plan, arguments[place]))
    except (UnreadableError, ValueError, RecursionError, AttributeError, TypeError, KeyError):
        return Loader(path, first=True, warnings=(f"{plan}: no install plan of meson; build the project again",))
    return Loader(path, first=True, files=files)


def _plan_files(plan: str, tops: set[str]) -> Iterator[tuple[str, str]]:
    import json

    count = 0
    for key, targets in json.loads(read_bytes(plan, PLAN_LIMIT)).items():
        for source, target in targets.items():
            root, _, destination = target["destination"].partition("/")
            if (
                root not in ("{py_platlib}", "{py_purelib}")
                or destination.partition("/")[0].partition(".")[0] not in tops
            ):
                continue
            for inner in _tree(source) if key == "install_subdirs" or os.path.isdir(source) else ("",):
                count += 1
                name = dotted_name(f"{destination}/{inner}" if inner else destination)
                if name is not None and count <= FILES_LIMIT:
                    yield name, os.path.normpath(os.path.join(source, inner) if inner else source)


def _tree(folder: str) -> Iterator[str]:
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            yield os.path.relpath(os.path.join(place, name), folder).replace(os.sep, "/")


def dotted_name(path: str) -> str | None:
    """The dotted name of a module's file (`a/__init__.py` is `a`), None where the path is no module's."""
    folder, _, name = path.rpartition("/")
    found = _MODULE.fullmatch(name)
    if found is None:
        return None
    parts = folder.split("/") if folder else []
    if found[1] != "__init__":
        parts.append(found[1])
    return ".".join(parts) if parts and all(part.isidentifier() for part in parts) else None


def _strings(value: Any, path: str, relative_to: str | None = None) -> tuple[dict[Any, str], tuple[str, ...]]:  # noqa: ANN401 - a literal
    """The entries of a literal mapping whose values are absolute paths, or paths that stay under `relative_to`; else a warning."""
    if not isinstance(value, dict):
        return {}, (f"{path}: its modules are not written as plain values",)
    kept = {}
    for name, place in value.items():
        if not isinstance(place, str) or "\0" in place or not isinstance(name, (str, int)):
            continue
        if relative_to is not None and not os.path.isabs(place):
            inside = os.path.normpath(os.path.join(relative_to, place))
            if is_within(inside, relative_to):
                kept[name] = inside
        elif os.path.isabs(place):
            kept[name] = os.path.normpath(place)
    return kept, ()


def _without_init(place: str) -> str:
    return os.path.dirname(place) if os.path.basename(place) == "__init__.py" else place


def _has_parent(name: str, every: set[str]) -> bool:
    parts = name.split(".")
    return any(".".join(parts[:size]) in every for size in range(1, len(parts)))


def _literal(text: str) -> Any:  # noqa: ANN401 - whatever the literal is
    """The value of a literal, None where it is over its bound or no literal."""
    import ast

    if len(text) > LITERAL_LIMIT:
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None

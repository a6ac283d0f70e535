"""The layouts that came before wheels: `.egg-info` beside the modules, `.egg` folders and zips, `.egg-link` files."""

from __future__ import annotations

import os

from briefkit.errors import UnreadableError
from briefkit.paths import is_within, read_bytes
from briefkit.records import TYPE_CHECKING

from .import_roots import STUBS, import_roots, place_of
from .module_layout import ModuleLayout
from .python_metadata import (
    HEAD_LIMIT,
    METADATA_LIMIT,
    Headers,
    MetadataEntry,
    metadata_entries,
    parse_headers,
    text_lines,
)
from .zips import list_zip, read_in_zip

if TYPE_CHECKING:
    from collections.abc import Iterable


def egg_info_layout(entry: MetadataEntry) -> ModuleLayout:
    """The modules beside an installed `.egg-info`, by its list of files, its `top_level.txt`, or a module spelled like it."""
    base = os.path.dirname(entry.path)
    names = import_roots(_installed_files(entry.path, base))
    names = names or stated_names(entry)
    kind = "stub-only" if names and all(name.endswith(STUBS) for name in names) else "registry"
    return ModuleLayout(kind, base, names)


def stated_names(entry: MetadataEntry) -> tuple[str, ...]:
    """The import names of a distribution that lists no files.

    A part of a namespace that is spelled like it; else those of `top_level.txt`; else a module that is spelled like it.
    """
    base = os.path.dirname(entry.path)
    dotted = entry.name.replace("-", ".")
    named = (name.replace("/", ".") for name in text_lines(entry.path, "top_level.txt"))
    stated = sorted({name for name in named if _is_name(name) and place_of(base, name)})
    if "." in dotted and dotted.partition(".")[0] in (stated or [dotted.partition(".")[0]]) and place_of(base, dotted):
        return (dotted,)
    spelled = (entry.name.replace("-", "_"), entry.name.replace("-", ""))
    return tuple(stated) or tuple(name for name in spelled if place_of(base, name))[:1]


def egg_layout(egg: str) -> ModuleLayout:
    """The modules inside an unzipped egg, which is on the search path itself."""
    names = [name for name in text_lines(os.path.join(egg, "EGG-INFO"), "top_level.txt") if _is_name(name)]
    return ModuleLayout("registry", egg, tuple(sorted(name for name in names if place_of(egg, name))))


def zipped_egg_layout(egg: str) -> ModuleLayout:
    """The modules inside a zipped egg."""
    try:
        return ModuleLayout("registry", egg, import_roots(entry.path for entry in list_zip(egg)))
    except UnreadableError as error:
        return ModuleLayout("registry", egg, warnings=(str(error),))


def zipped_egg_headers(egg: str) -> Headers | None:
    """Name and version of a zipped egg; None where it cannot be read."""
    try:
        return parse_headers(read_in_zip(egg, "EGG-INFO/PKG-INFO", METADATA_LIMIT)[:HEAD_LIMIT])
    except UnreadableError:
        return None


def linked_entry(entry: MetadataEntry) -> MetadataEntry | None:
    """The `.egg-info` that an `.egg-link` leads to; None where its folder or the metadata is gone."""
    try:
        lines = read_bytes(entry.path, HEAD_LIMIT).decode("utf-8", "surrogateescape").splitlines()
    except UnreadableError:
        return None
    folder = lines[0].strip() if lines else ""
    if not os.path.isabs(folder) or "\0" in folder:
        return None
    folder = os.path.normpath(folder)
    try:
        found, _ = metadata_entries(folder, sorted(os.listdir(folder)))
    except OSError:
        return None
    return next((one for one in found if one.kind == "egg-info" and one.name == entry.name), None)


def _installed_files(metadata: str, base: str) -> Iterable[str]:
    """The paths of `installed-files.txt`, which are relative to the metadata folder, as relative to its parent."""
    for line in text_lines(metadata, "installed-files.txt"):
        path = os.path.normpath(os.path.join(metadata, line))
        if is_within(path, base):
            yield path[len(base) + 1 :].replace(os.sep, "/")


def _is_name(name: str) -> bool:
    return all(part.isidentifier() for part in name.removesuffix(STUBS).split("."))

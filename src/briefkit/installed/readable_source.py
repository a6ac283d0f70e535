"""A minified file of a package, traced to what a person can read.

In order: the sources of its map, the sources the package ships, an unminified twin; where none is a file, the text in the map.
"""

from __future__ import annotations

import posixpath
import re

from briefkit.errors import UnreadableError
from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING, NamedTuple

from .node_entries import IMPORT, REQUIRE, resolve_entry
from .node_exports import text_targets
from .node_tree import tree_of, within
from .source_maps import map_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from briefkit.packages import Installed

    from .node_tree import PackageTree

SAMPLE = 256 * 1024
LONG_LINES = 150
SMALL = 500

_NAMED_SO = lazy_pattern(r"[.-](?:min|production)\.")
_SOURCE = lazy_pattern(r"\.(?:[cm]?[jt]sx?)$")
_DECLARATION = lazy_pattern(r"\.d\.[cm]?ts$")


class Readable(NamedTuple):
    """Where to read what a minified file does: `how` is `map`, `source`, `twin` or `embedded`; `files` relative to the package.

    With `embedded` the files are not on disk: the map (`source_map`) carries their texts under these names.
    """

    how: str
    files: tuple[str, ...]
    source_map: str | None = None


def is_minified(data: bytes, name: str = "") -> bool:
    """Whether a file is minified: by its name, or because its lines are long on average (readable code has 20 to 45 characters)."""
    sample = data[:SAMPLE]
    return _NAMED_SO.search(name) is not None or (
        len(sample) > SMALL and len(sample) > LONG_LINES * (sample.count(b"\n") + 1)
    )


def readable_source(installed: Installed, path: str) -> Readable | None:
    """What to read in place of a minified file of a package; None where the file is readable itself or nothing better is there."""
    tree = tree_of(installed)
    if not _minified(tree, path):
        return None
    found = map_of(tree, path)
    mapped = tuple(source.path for source in found.sources if source.path is not None) if found is not None else ()
    if found is not None and mapped:
        return Readable("map", mapped, found.path)
    shipped = next(_shipped_sources(tree), None)
    if shipped is not None:
        return Readable("source", (shipped,))
    twin = next(
        (each for each in _twins(tree, path) if each != path and tree.is_file(each) and not _minified(tree, each)), None
    )
    if twin is not None:
        return Readable("twin", (twin,))
    embedded = tuple(source.written for source in found.sources if source.text) if found is not None else ()
    return Readable("embedded", embedded, found.path) if found is not None and embedded else None


def _minified(tree: PackageTree, path: str) -> bool:
    try:
        return is_minified(tree.head(path, SAMPLE), posixpath.basename(path))
    except UnreadableError:
        return False


def _shipped_sources(tree: PackageTree) -> Iterator[str]:
    """The package's own sources: `source`, a condition of `exports` that leads to TypeScript, the index of `src`."""
    manifest = tree.manifest("")
    fields = manifest.fields if manifest is not None else {}
    stated = [value for value in (fields.get("source"), *text_targets(fields.get("exports"))) if isinstance(value, str)]
    for value in stated:
        path = within(value)
        typescript = path is not None and re.search(r"\.[cm]?tsx?$", path) and not _DECLARATION.search(path)
        if path and (typescript or value == fields.get("source")) and tree.is_file(path) and tree.holds(path):
            yield path
    for name in ("index", "main"):
        for ending in (".ts", ".tsx", ".mts", ".js", ".mjs"):
            if tree.is_file(f"src/{name}{ending}"):
                yield f"src/{name}{ending}"


def _twins(tree: PackageTree, path: str) -> Iterator[str]:
    """The files that may be the same code unminified: by name, then by the other ways into the package."""
    yield re.sub(r"[.-]min(?=\.)", "", path)
    yield re.sub(r"[.-]production(?:[.-]min)?(?=\.)", ".development", path)
    yield re.sub(r"[.-]production(?:[.-]min)?(?=\.)", "", path)
    for conditions in (IMPORT, REQUIRE):
        entry = resolve_entry(tree, None, conditions)
        if entry is not None:
            yield entry
    manifest = tree.manifest("")
    for key in ("module", "main", "unpkg", "jsdelivr"):
        value = manifest.text(key) if manifest is not None else None
        place = None if value is None else within(value)
        if place and _SOURCE.search(place):
            yield place

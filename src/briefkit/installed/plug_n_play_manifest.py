r"""The manifest of Plug'n'Play, read as text in all its forms; the JavaScript around it is never run.

Yarn 4, pnpm   const RAW_RUNTIME_STATE =\n'{\            JSON in a JavaScript string, each line ending in a backslash
Yarn 3         hydrateRuntimeState(JSON.parse('{\         the same
Yarn 2         hydrateRuntimeState({                      an object literal, JSON but for commas before a bracket
not inlined    path.resolve(__dirname, ".pnp.data.json")  JSON in a file beside it
Yarn 1         packageInformationStores = new Map([       maps of maps
"""

from __future__ import annotations

import json
import os
import re

from briefkit.errors import Place, UnreadableError
from briefkit.paths import MEBIBYTE, is_within, read_text
from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MANIFEST_LIMIT = 64 * MEBIBYTE
PACKAGES_LIMIT = 200_000
NAMES = (".pnp.cjs", ".pnp.js")

Reference = str | tuple[str, str] | None
"""What a dependency leads to: a reference of the same name, (real name, reference) for an alias, None for an unmet peer."""

_FORMS = lazy_pattern(
    r"(?P<text>const RAW_RUNTIME_STATE =\s*'|hydrateRuntimeState\(JSON\.parse\('|RAW_RUNTIME_STATE = JSON\.parse\(')"
    r"|(?P<object>hydrateRuntimeState\((?=\{))"
    r'|(?P<apart>pnpDataFilepath = path\.resolve\(__dirname,\s*("(?:[^"\\\n]|\\.)*"|\'[^\'\\\n]*\'))'
    r"|(?P<maps>let packageInformationStores = new Map\(\[)"
)
_STRING_END = lazy_pattern(r"(?:[^'\\]++|\\.)*+", re.DOTALL)
_LAST_COMMA = lazy_pattern(r",([ \t\r]*\n\s*[}\]])")
_MAP_LINE = lazy_pattern(
    r"""
      ^\ \ \[(?P<name>"[^"\n]*"|null),\ new\ Map\(\[$
    | ^\ {4}\[(?P<reference>"[^"\n]*"|null),\ \{$
    | ^\ {6}packageLocation:\ path\.resolve\(__dirname,\ (?P<location>"[^"\n]*")\),$
    | ^\ {8}\[(?P<dependency>"[^"\n]*"),\ (?P<target>"[^"\n]*"|\["[^"\n]*",\ "[^"\n]*"\]|null)\],$
    | ^(?P<end>\]\);)$
    """,
    re.MULTILINE | re.VERBOSE,
)


class Package(NamedTuple):
    """One package of the manifest: its location as written, what its names lead to, and whether code can be found to belong to it."""

    location: str
    dependencies: Mapping[str, Reference]
    soft: bool = False
    hidden: bool = False


class PlugManifest(NamedTuple):
    """A whole manifest: `packages` by (name, reference), the project's top level under (None, None)."""

    path: str
    packages: Mapping[tuple[str | None, str | None], Package]
    fallback: bool
    excluded: frozenset[tuple[str | None, str | None]]
    pool: Mapping[str, Reference]
    data_file: str | None = None


def read_plug_manifest(path: str) -> PlugManifest:
    """The manifest in a `.pnp.cjs` or `.pnp.js`.

    Raises:
        UnreadableError: It cannot be read, is over 64 MB, or is of no known form.

    """
    text = read_text(path, MANIFEST_LIMIT)
    found = _FORMS.search(text)
    if found is None:
        raise UnreadableError("not a Plug'n'Play manifest of a form that is read", place=Place(path, 1))
    if found.group("maps"):
        return PlugManifest(path, _maps(text, found.end(), path), fallback=True, excluded=frozenset(), pool={})
    data_file = None
    if found.group("text"):
        data = _json(_unquoted(text, found.end()), path)
    elif found.group("object"):
        data = _first_object(text, found.end(), path)
    else:
        data_file = _data_file(path, found.group(4))
        data = _json(read_text(data_file, MANIFEST_LIMIT), data_file)
    return _hydrated(path, data, data_file)


def _unquoted(text: str, start: int) -> str:
    """A JavaScript string's content from its opening quote on."""
    found = _STRING_END.match(text, start)
    body = found.group() if found is not None else ""
    return body.replace("\\\r\n", "").replace("\\\n", "").replace("\\'", "'").replace("\\\\", "\\")


def _json(text: str, path: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError, MemoryError):
        raise UnreadableError("Plug'n'Play data is not JSON", place=Place(path)) from None


def _first_object(text: str, start: int, path: str) -> object:
    # Commas before a closing bracket; no string of JSON spans lines, so none is touched.
    plain = _LAST_COMMA.sub(r"\1", text[start:])
    try:
        return json.JSONDecoder().raw_decode(plain)[0]
    except (ValueError, RecursionError, MemoryError):
        raise UnreadableError("Plug'n'Play data is not JSON", place=Place(path)) from None


def _data_file(path: str, quoted: str) -> str:
    """The data file a manifest names, which must lie under the manifest's own folder."""
    folder = os.path.dirname(path)
    stated = str(_json(quoted if quoted.startswith('"') else f'"{quoted[1:-1]}"', path))
    found = os.path.realpath(os.path.join(folder, stated)) if "\0" not in stated else ""
    if not is_within(found, os.path.realpath(folder)):
        raise UnreadableError("names a data file outside its folder", place=Place(path))
    return found


def _hydrated(path: str, data: object, data_file: str | None) -> PlugManifest:
    if not isinstance(data, dict):
        raise UnreadableError("Plug'n'Play data is not an object", place=Place(data_file or path))
    packages = dict(_packages(data))
    if (None, None) not in packages:
        raise UnreadableError("Plug'n'Play data has no top level", place=Place(data_file or path))
    excluded = [
        (name, each) for name, references in _pairs(data.get("fallbackExclusionList")) for each in _texts(references)
    ]
    pool = dict(_references(data.get("fallbackPool")))
    return PlugManifest(
        path, packages, data.get("enableTopLevelFallback") is True, frozenset(excluded), pool, data_file
    )


def _packages(data: Mapping[str, object]) -> Iterator[tuple[tuple[str | None, str | None], Package]]:
    count = 0
    for name, store in _pairs(data.get("packageRegistryData")):
        for reference, about in _pairs(store):
            location = about.get("packageLocation") if isinstance(about, dict) else None
            if not isinstance(location, str) or not isinstance(about, dict) or count >= PACKAGES_LIMIT:
                continue
            count += 1
            dependencies = dict(_references(about.get("packageDependencies")))
            soft, hidden = about.get("linkType") == "SOFT", about.get("discardFromLookup") is True
            yield (name, reference), Package(location, dependencies, soft, hidden)


def _pairs(value: object) -> Iterator[tuple[str | None, object]]:
    """The entries of a map written as a list of pairs; what is no pair is passed over."""
    for item in value if isinstance(value, list) else ():
        if isinstance(item, list) and len(item) == 2 and (item[0] is None or isinstance(item[0], str)):
            yield item[0], item[1]


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _references(value: object) -> Iterator[tuple[str, Reference]]:
    for name, target in _pairs(value):
        if name is None:
            continue
        if target is None or isinstance(target, str):
            yield name, target
        elif len(alias := _texts(target)) == 2:
            yield name, (alias[0], alias[1])


def _maps(text: str, start: int, path: str) -> dict[tuple[str | None, str | None], Package]:
    """The packages of Yarn 1's nested maps, line by line as its generator writes them."""
    packages: dict[tuple[str | None, str | None], Package] = {}
    name: str | None = None
    reference: str | None = None
    dependencies: dict[str, Reference] = {}
    for found in _MAP_LINE.finditer(text, start):
        if found["end"] or len(packages) >= PACKAGES_LIMIT:
            break
        if found["name"]:
            name = _text(found["name"], path)
        elif found["reference"]:
            reference = _text(found["reference"], path)
        elif found["location"]:
            dependencies = {}
            packages[name, reference] = Package(_text(found["location"], path) or "", dependencies)
        else:
            pair = [_text(found["dependency"], path), _json(found["target"], path)]
            dependencies.update(_references([pair]))
    if (None, None) not in packages:
        raise UnreadableError("Plug'n'Play data has no top level", place=Place(path))
    return packages


def _text(quoted: str, path: str) -> str | None:
    value = _json(quoted, path)
    return value if isinstance(value, str) else None

"""The repo's own package.json files: what they declare, which members they list, which manager they name."""

from __future__ import annotations

import os

from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING, NamedTuple

from ..errors import Place, UnreadableError
from ..paths import read_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MANIFEST = "package.json"
# In the order in which npm lets one override another: what is optional is optional, whatever else it is named under.
SECTIONS = (
    ("optionalDependencies", "optional"),
    ("dependencies", "prod"),
    ("devDependencies", "dev"),
    ("peerDependencies", "peer"),
)
_KEY = lazy_pattern(r'"((?:[^"\\]|\\.)*)"\s*:\s*(.)')
_MARKS_OF_A_PROJECT = ("name", "version", "workspaces", "packageManager", *(section for section, _ in SECTIONS))


class Declared(NamedTuple):
    """One dependency a manifest declares: the name it is used under, the requirement as written, its group, line, marker and extras."""

    name: str
    requirement: str
    group: str
    line: int
    marker: str | None = None
    extras: tuple[str, ...] = ()


def read_package_json(folder: str, shown: str | None = None) -> Mapping[str, Any] | None:
    """The fields of a folder's package.json, None where there is none.

    Raises:
        UnreadableError: It is there and is not a JSON object, or is over a bound.

    """
    text = _text_of(folder, shown)
    return None if text is None else _parsed(text, shown or os.path.join(folder, MANIFEST))


def is_project_manifest(folder: str) -> bool:
    """Whether a folder's package.json makes a project: one that only says `{"type": "module"}` marks a folder of its project."""
    try:
        fields = read_package_json(folder)
    except UnreadableError:
        return True
    return fields is not None and any(mark in fields for mark in _MARKS_OF_A_PROJECT)


def declared_in(folder: str, shown: str | None = None) -> tuple[Declared, ...]:
    """What a folder's package.json declares, each name once for each group; nothing where there is no manifest.

    Raises:
        UnreadableError: The manifest is there and cannot be read.

    """
    text = _text_of(folder, shown)
    if text is None:
        return ()
    fields = _parsed(text, shown or os.path.join(folder, MANIFEST))
    lines = _declaration_lines(text)
    found: list[Declared] = []
    optional: set[str] = set()
    for section, group in SECTIONS:
        entries = fields.get(section)
        if not isinstance(entries, dict):
            continue
        for name, requirement in entries.items():
            if group == "optional":
                optional.add(name)
            if isinstance(requirement, str) and not (group == "prod" and name in optional):
                found.append(Declared(name, requirement, group, lines.get((section, name), 0)))
    return tuple(found)


def workspaces_in(fields: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The patterns of a workspace list, None where the manifest has none."""
    listed = fields.get("workspaces")
    if isinstance(listed, dict):
        listed = listed.get("packages")
    if not isinstance(listed, list):
        return None
    return tuple(pattern for pattern in listed if isinstance(pattern, str))


def manager_named(fields: Mapping[str, Any]) -> tuple[str, str] | None:
    """The package manager the manifest names and the key that does: `packageManager`, else `devEngines.packageManager`."""
    named = fields.get("packageManager")
    if isinstance(named, str) and named.strip():
        return named.strip().partition("@")[0].lower(), "packageManager"
    engines = fields.get("devEngines")
    wanted = engines.get("packageManager") if isinstance(engines, dict) else None
    for entry in wanted if isinstance(wanted, list) else [wanted]:
        if isinstance(entry, dict) and isinstance(entry.get("name"), str):
            return entry["name"].lower(), "devEngines.packageManager"
    return None


def stated_name(folder: str) -> str | None:
    """The name that a folder's package.json states, None where it states none or cannot be read."""
    try:
        fields = read_package_json(folder)
    except UnreadableError:
        return None
    name = fields.get("name") if fields is not None else None
    return name if isinstance(name, str) else None


def key_line(text: str, key: str) -> int:
    """The line on which a top-level key of a JSON text stands, 0 where it is not found."""
    import json

    return _line_at(text, text.find(json.dumps(key)))


def manifest_text(folder: str) -> str | None:
    """The text of a folder's package.json, None where there is none that can be read."""
    try:
        return _text_of(folder, None)
    except UnreadableError:
        return None


def _text_of(folder: str, shown: str | None) -> str | None:
    path = os.path.join(folder, MANIFEST)
    if not os.path.lexists(path):
        return None
    return read_text(path, shown=shown)


def _parsed(text: str, shown: str) -> Mapping[str, Any]:
    import json  # a project of Python alone needs none of it

    try:
        fields = json.loads(text)
    except json.JSONDecodeError as error:
        raise UnreadableError(f"not JSON: {error.msg.lower()}", place=Place(shown, error.lineno)) from None
    except (ValueError, RecursionError, MemoryError):
        raise UnreadableError("JSON that nests too deep or holds too long a number", place=Place(shown)) from None
    if not isinstance(fields, dict):
        raise UnreadableError("not a JSON object", place=Place(shown, 1))
    return fields


def _declaration_lines(text: str) -> dict[tuple[str, str], int]:
    """The line of each name of each section, in a text that has a key to a line; in any other, those that can be told."""
    found: dict[tuple[str, str], int] = {}
    sections = {section for section, _ in SECTIONS}
    section = ""
    for line, content in enumerate(text.split("\n"), 1):
        for match in _KEY.finditer(content):
            name = match.group(1)
            if name in sections and match.group(2) == "{":
                section = name
            elif section and match.group(2) == '"':
                found.setdefault((section, name), line)
        if "}" in content:
            section = ""
    return found


def _line_at(text: str, position: int) -> int:
    return 0 if position < 0 else text.count("\n", 0, position) + 1

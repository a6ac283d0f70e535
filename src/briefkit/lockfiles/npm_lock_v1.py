"""npm lockfiles that nest `dependencies`: version 1 (npm 5 and 6), and the shrinkwraps of npm 4 and older, which state no version.

An entry lies in the folder its nesting says; what it `requires` is looked up in its own `dependencies`, then in those around it. Neither
says what is direct: a manifest must.
"""

from __future__ import annotations

import re

from briefkit.records import TYPE_CHECKING

from ..errors import Place, UnreadableError
from ..packages import BUNDLED, FILE, LINK, URL, Edge, Importer, Skipped, Source
from .json_document import indent_unit, json_kind, walk_keys
from .locked_graph import DEV, OPTIONAL, PROD, LockedGraph, Rows, graph_reading
from .npm_sources import (
    ARCHIVE,
    clean_url,
    git_source,
    is_git,
    is_url,
    local_path,
    resolved_source,
    split_alias,
    valid_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .reading import LockfileReading

_MODULES = "node_modules/"


def read_nested(document: dict[str, Any], text: str, path: str, version: int) -> LockfileReading:
    """What the nested `dependencies` of an npm lockfile say.

    Raises:
        UnreadableError: `dependencies` is no object.

    """
    tree = document.get("dependencies", {})
    if not isinstance(tree, dict):
        raise UnreadableError(f"holds {json_kind(tree)}, not an object", place=Place(path, None, "dependencies"))
    return _NestedTree(document, tree, text).reading(path, str(version))


class _NestedTree:
    """The nested entries of one lockfile, each under the folder it is installed in."""

    def __init__(self, document: dict[str, Any], tree: dict[str, Any], text: str) -> None:
        self.document = document
        self.text = text
        self.rows = Rows()
        self.at: dict[str, int] = {}
        self.entries: list[dict[str, Any]] = []
        self.names_in_order: list[tuple[str, str]] = []
        self.broken: list[tuple[str, str]] = []
        self._line_of: dict[str, int] | None = None
        self._fill(tree)
        self.graph = LockedGraph(
            self.rows,
            edges_of=lambda indexes: [tuple(self._edges(index)) for index in indexes],
            lines=lambda: [self._lines().get(key, 0) for key in self.rows.keys],
            importers=self._importers,
            aliases=self._aliases,
            groups=lambda: [_groups_of(entry) for entry in self.entries],
            direct_known=False,
        )

    def reading(self, path: str, version: str) -> LockfileReading:
        return graph_reading(
            self.graph,
            path=path,
            format_name="npm",
            format_version=version,
            skipped=self._skipped,
            visible=lambda importer, name: self.at.get(_MODULES + name) if importer == "." else None,
        )

    def _fill(self, tree: dict[str, Any]) -> None:
        todo = [iter(tree.items())]
        folders = [""]
        while todo:
            found = next(todo[-1], None)
            if found is None:
                todo.pop()
                folders.pop()
                continue
            installed, entry = found
            key = f"{folders[-1]}{_MODULES}{installed}"
            self.names_in_order.append((key, installed))
            if not isinstance(entry, dict):
                self.broken.append((key, f"its entry is {json_kind(entry)}, not an object"))
                continue
            self._add(key, installed, entry)
            nested = entry.get("dependencies")
            if nested and isinstance(nested, dict):
                todo.append(iter(nested.items()))
                folders.append(key + "/")

    def _add(self, key: str, installed: str, entry: dict[str, Any]) -> None:
        version = entry.get("version")
        if version is not None and not isinstance(version, str):
            self.broken.append((key, f"its version is {json_kind(version)}, not a string"))
            return
        alias = split_alias(version) if version else None
        name = alias[0] if alias else installed
        if not valid_name(name):
            self.broken.append((key, "its name is not one that a package can have"))
            return
        stated, source = _version_and_source(alias[1] if alias else version, entry)
        self.at[key] = len(self.rows.keys)
        self.rows.add(key, name, stated, source)
        self.entries.append(entry)

    def _edges(self, index: int) -> Iterator[Edge]:
        key, entry = self.rows.keys[index], self.entries[index]
        requires = entry.get("requires")
        if not isinstance(requires, dict):
            requires = _ranges_of_nested(entry) if "requires" not in entry else {}
        folders = list(_folders(key))
        for name, requirement in requires.items():
            target = next((self.at[folder + name] for folder in folders if folder + name in self.at), None)
            group = PROD if target is None or self.entries[target].get("optional") is not True else OPTIONAL
            yield Edge(name, target, requirement if isinstance(requirement, str) else None, group)

    def _importers(self) -> tuple[Importer, ...]:
        name, version = self.document.get("name"), self.document.get("version")
        return (
            Importer(
                ".",
                name if isinstance(name, str) else None,
                version if isinstance(version, str) else None,
                1,
                declared=False,
            ),
        )

    def _aliases(self) -> dict[int, tuple[str, ...]]:
        names = self.rows.names
        installed = ((index, key[key.rfind(_MODULES) + len(_MODULES) :]) for key, index in self.at.items())
        return {index: (name,) for index, name in installed if name != names[index]}

    def _lines(self) -> dict[str, int]:
        if self._line_of is None:
            self._line_of = _lines_by_indent(self.text, self.names_in_order)
        if self._line_of is None:
            self._line_of = _lines_by_keys(self.text)
        return self._line_of

    def _skipped(self) -> tuple[Skipped, ...]:
        lines = self._lines()
        rows = self.rows
        unstated = [
            (key, name, "the lockfile states no version")
            for key, name, version in zip(rows.keys, rows.names, rows.versions, strict=True)
            if version is None
        ]
        broken = [(key, key.rpartition(_MODULES)[2], reason) for key, reason in self.broken]
        return tuple(Skipped(name, lines.get(key, 0), reason) for key, name, reason in (*broken, *unstated))


def _version_and_source(version: str | None, entry: dict[str, Any]) -> tuple[str | None, Source]:
    """The version an entry states and where it comes from; its `version` may be a specifier instead."""
    resolved, integrity = entry.get("resolved"), entry.get("integrity")
    resolved = resolved if isinstance(resolved, str) else None
    integrity = integrity if isinstance(integrity, str) else None
    if version and version.startswith(("file:", "link:")):
        path = local_path(version)
        return None, Source(FILE if path.endswith(ARCHIVE) else LINK, None, integrity, path)
    if version and is_url(version):
        return None, Source(URL, clean_url(version), integrity)
    if version and is_git(version):
        return None, git_source(version, integrity)
    bundled = entry.get("bundled") is True
    if bundled and not resolved:
        return version or None, Source(BUNDLED, None, integrity)
    return version or None, resolved_source(resolved, integrity, bundled=bundled, by_url=_is_asked_by_url(entry))


def _is_asked_by_url(entry: dict[str, Any]) -> bool:
    """Whether npm 4 and older say that the address itself was asked for: `from` then repeats it."""
    asked = entry.get("from")
    return isinstance(asked, str) and is_url(asked.rpartition("@")[2] if not is_url(asked) else asked)


def _ranges_of_nested(entry: dict[str, Any]) -> dict[str, str | None]:
    """What npm 4 and older leave of an entry's dependencies: those nested in it, with the range behind `from`."""
    nested = entry.get("dependencies")
    if not isinstance(nested, dict):
        return {}
    return {name: _range_of(child, name) for name, child in nested.items() if isinstance(child, dict)}


def _range_of(child: dict[str, Any], name: str) -> str | None:
    asked = child.get("from")
    return asked.removeprefix(name + "@") if isinstance(asked, str) else None


def _folders(key: str) -> Iterator[str]:
    """The node_modules folders seen from the folder `key`, the nearest first."""
    at = key
    while at:
        yield f"{at}/{_MODULES}"
        at = at[: max(at.rfind("/" + _MODULES), 0)]
    yield _MODULES


def _groups_of(entry: dict[str, Any]) -> tuple[str, ...]:
    if entry.get("dev") is True:
        return (DEV,)
    return (OPTIONAL,) if entry.get("optional") is True else (PROD,)


def _lines_by_indent(text: str, wanted: list[tuple[str, str]]) -> dict[str, int] | None:
    """The lines of the entries in a text that has a key a line; None where they are not just the wanted ones in order."""
    unit = indent_unit(text)
    if unit is None:
        return None
    lines: dict[str, int] = {}
    fields: dict[int, str] = {}
    line, last, count = 1, 0, 0
    for match in re.finditer(r'\n([ \t]+)"([^"\\\n]*)": \{', text):
        depth, rest = divmod(len(match.group(1)), len(unit))
        if rest:
            return None
        if depth % 2:
            fields[depth] = match.group(2)
            continue
        if fields.get(depth - 1) != "dependencies":
            continue
        if count == len(wanted) or wanted[count][1] != match.group(2):
            return None
        line += text.count("\n", last, match.start() + 1)
        last = match.start() + 1
        lines[wanted[count][0]] = line
        count += 1
    return lines if count == len(wanted) else None


def _lines_by_keys(text: str) -> dict[str, int]:
    lines: dict[str, int] = {}
    for outer, key, line in walk_keys(text):
        if len(outer) % 2 and all(field == "dependencies" for field in outer[::2]):
            lines["/".join(_MODULES + name for name in (*outer[1::2], key))] = line
    return lines

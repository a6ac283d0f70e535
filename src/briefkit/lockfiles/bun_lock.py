"""`bun.lock`, bun's lockfile as text: JSON with trailing commas and comments.

A key of `packages` is the path of names that something is installed under; its first part may be a member's name. What is installed
there is said by the entry's first item, `name@resolution`.
"""

from __future__ import annotations

import json
import posixpath
import re

from briefkit.records import TYPE_CHECKING

from ..errors import Place, UnknownFormatError, UnreadableError
from ..packages import DIRECTORY, FILE, LINK, PATCH, REGISTRY, URL, WORKSPACE, Edge, Importer, Skipped, Source
from .json_document import LineStarts, declaration_lines, json_kind, member_lines, parse_json
from .locked_graph import DEV, OPTIONAL, PEER, PROD, LockedGraph, Rows, graph_reading, new_record
from .npm_sources import ARCHIVE, MAX_PARTS, clean_url, git_source, is_git, is_url, local_path, valid_name
from .pnpm_keys import SEMVER

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from .reading import LockfileReading

NEWEST = 2
_TRAILING_COMMA = re.compile(r",(?=[ \t\r]*+\n\s*+[}\]])")
_LOOSE = re.compile(
    r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/|,(?=(?:\s|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)*+[}\]])'
)
_DECLARED = (
    ("peerDependencies", PEER),
    ("devDependencies", DEV),
    ("dependencies", PROD),
    ("optionalDependencies", OPTIONAL),
)
"""A name that is declared twice counts as what stands last here."""


def read_bun_lock(text: str, path: str) -> LockfileReading:
    """What a `bun.lock` of any version says.

    Raises:
        UnreadableError: The text is not JSON as bun writes it, or not a bun lockfile.
        UnknownFormatError: Its `lockfileVersion` is newer than 2.

    """
    text, document = _parse(text, path)
    version = document.get("lockfileVersion")
    place = Place(path, member_lines(text, (), document).get("lockfileVersion", 1), "lockfileVersion")
    if not isinstance(version, int) or isinstance(version, bool):
        raise UnreadableError(f"holds {json_kind(version)}, not a whole number", place=place)
    if not 0 <= version <= NEWEST:
        raise UnknownFormatError(
            f"lockfileVersion {version} is not one that briefkit reads (0 to {NEWEST})",
            place=place._replace(key=None),
            todo="Update briefkit",
        )
    for field in ("workspaces", "packages"):
        if not isinstance(document.get(field, {}), dict):
            raise UnreadableError(f"holds {json_kind(document[field])}, not an object", place=Place(path, None, field))
    return _BunLock(document, text).reading(path, str(version))


def _parse(text: str, path: str) -> tuple[str, dict[str, Any]]:
    """The document and a text of it whose strings and keys are where JSON has them, with all lines where they were.

    bun puts each trailing comma at the end of a line, and no string has a line end, so these can be taken out without a look at
    the strings; a text that is then still not JSON has comments or commas elsewhere.
    """
    strict = _TRAILING_COMMA.sub("", text)
    try:
        value = json.loads(strict)
    except (ValueError, RecursionError):
        strict = _LOOSE.sub(_without_looseness, text)
        return strict, parse_json(strict, path)
    return text, value if isinstance(value, dict) else parse_json(strict, path)


def _without_looseness(found: re.Match[str]) -> str:
    token = found.group()
    if token[0] == '"':
        return token
    return "\n" * token.count("\n") or ("" if token[0] == "," else " ")


class _BunLock:
    """The entries of one file, as a graph."""

    def __init__(self, document: dict[str, Any], text: str) -> None:
        self.document = document
        self.text = text
        packages: dict[str, Any] = document.pop("packages", {})
        self.keys = list(packages)
        self.fields: list[dict[str, Any] | None] = []
        self.workspaces = {
            path.strip("/"): fields
            for path, fields in document.get("workspaces", {}).items()
            if isinstance(fields, dict)
        }
        patched = document.get("patchedDependencies")
        self.patches: dict[str, Any] = patched if isinstance(patched, dict) else {}
        self.rows = Rows()
        self.at: dict[str, int] = {}
        self.broken: list[tuple[str, str]] = []
        self.member_at: dict[str, int] = {}
        self.lines: dict[str, int] | None = None
        self._fill(packages)
        self.graph = LockedGraph(
            self.rows,
            edges_of=self._edges_of,
            lines=self._lines,
            importers=self._importers,
            aliases=self._aliases,
            direct_known=bool(self.workspaces),
        )

    def reading(self, path: str, version: str) -> LockfileReading:
        return graph_reading(
            self.graph,
            path=path,
            format_name="bun",
            format_version=version,
            skipped=self._skipped,
            visible=self._visible,
            members=tuple(path for path in self.workspaces if path),
        )

    def _fill(self, packages: dict[str, Any]) -> None:
        root = self.workspaces.get("", {})
        if valid_name(root.get("name")):
            self.member_at[""] = 0
            self.rows.add("", root["name"], _text(root.get("version")), Source(WORKSPACE, path="."))
            self.fields.append(None)
        for key, items in packages.items():
            self._add(key, items)

    def _add(self, key: str, items: object) -> None:
        if not isinstance(items, list) or not items or not isinstance(items[0], str):
            self.broken.append((key, "its entry does not begin with a text"))
            return
        name, resolution = _split(items[0], key)
        if not valid_name(name) or key.count("/") > MAX_PARTS:
            self.broken.append((key, "its entry names no package"))
            return
        index = len(self.rows.keys)
        version = resolution if SEMVER.fullmatch(resolution) else None
        source = self._source(name, resolution, items)
        if source.kind == WORKSPACE:
            path = "" if source.path == "." else source.path or ""
            version = _text(self.workspaces.get(path, {}).get("version"))
            if path in self.member_at:
                self.at[key] = self.member_at[path]
                return
            self.member_at[path] = index
        self.at[key] = index
        self.rows.add(key, name, version, source)
        self.fields.append(next((item for item in items if isinstance(item, dict) and item), None))

    def _source(self, name: str, resolution: str, items: list[Any]) -> Source:
        texts = [item for item in items[1:] if isinstance(item, str)]
        integrity = next((text for text in texts if text.startswith(("sha1-", "sha256-", "sha384-", "sha512-"))), None)
        if SEMVER.fullmatch(resolution):
            address = next((text for text in texts if is_url(text)), None)
            patch = self.patches.get(f"{name}@{resolution}")
            if isinstance(patch, str):
                return Source(PATCH, clean_url(address) if address else None, integrity, patch)
            return Source(REGISTRY, clean_url(address) if address else None, integrity)
        for protocol, kind in (("workspace:", WORKSPACE), ("root:", WORKSPACE), ("link:", LINK)):
            if resolution.startswith(protocol):
                return Source(kind, path=posixpath.normpath(local_path(resolution)))
        if is_git(resolution):
            return git_source(resolution, integrity)
        if is_url(resolution):
            return Source(URL, clean_url(resolution), integrity)
        path = local_path(resolution) if resolution.startswith("file:") else resolution
        return Source(FILE if path.endswith(ARCHIVE) else DIRECTORY, None, integrity, posixpath.normpath(path))

    # edges

    def _edges_of(self, indexes: Sequence[int]) -> list[tuple[Edge, ...]]:
        """The edges of each of these instances; an entry's fields are let go once they are edges."""
        keys, at, names = self.rows.keys, self.at, self.rows.names
        local = {index for index, source in enumerate(self.rows.sources) if source.kind in (WORKSPACE, LINK)}
        nested = {key[: -len(_last_name(key)) - 1] for key in at if "/" in key}
        found: list[tuple[Edge, ...]] = []
        for index in indexes:
            key, fields = keys[index], self.fields[index]
            if index in local:
                found.append(tuple(self._local_edges(index)))
                continue
            if fields is None:
                found.append(())
                continue
            asked = fields.get("dependencies")
            more = "optionalDependencies" in fields or "peerDependencies" in fields
            if not isinstance(asked, dict) or more or key in nested or "/" in key.partition("/")[2]:
                found.append(tuple(self._declared(fields, _prefixes(key), {})))
            else:
                edges: list[Edge] = []
                for name, requirement in asked.items():
                    target = at.get(name)
                    if target in local or type(requirement) is not str:
                        edges += self._declared({"dependencies": {name: requirement}}, ("",), {})
                        continue
                    known = name if target is None or names[target] != name else names[target]
                    edges.append(new_record(Edge, (known, target, requirement, PROD, None, 0, None, ())))
                found.append(tuple(edges))
            self.fields[index] = None
        return found

    def _local_edges(self, index: int) -> Iterator[Edge]:
        """The edges of a member, as its workspace declares them, or of a linked folder."""
        source, key, fields = self.rows.sources[index], self.rows.keys[index], self.fields[index]
        path = "" if source.path == "." else source.path or ""
        if source.kind == WORKSPACE and path in self.workspaces:
            yield from self._declared(self.workspaces[path], self._prefixes_of_member(path), {})
        elif fields is not None:
            yield from self._declared(fields, _prefixes(key), {})

    def _declared(
        self, fields: dict[str, Any], prefixes: tuple[str, ...], lines: dict[tuple[str, str], int]
    ) -> Iterator[Edge]:
        asked: dict[str, tuple[str, str, object]] = {}
        for field, group in _DECLARED:
            names = fields.get(field)
            if isinstance(names, dict):
                for name, requirement in names.items():
                    asked[name] = (field, group, requirement)
        for name, (field, group, requirement) in asked.items():
            target = self._target(prefixes, name)
            source = None if target is None else self.rows.sources[target]
            link = source.path if source is not None and source.kind in (WORKSPACE, LINK) else None
            yield Edge(
                name,
                target,
                self._catalog_range(name, requirement),
                group,
                None,
                lines.get((field, name), 0),
                link,
            )

    def _target(self, prefixes: tuple[str, ...], name: str) -> int | None:
        return next((self.at[prefix + name] for prefix in prefixes if prefix + name in self.at), None)

    def _visible(self, importer: str, name: str) -> int | None:
        return self._target(self._prefixes_of_member("" if importer == "." else importer), name)

    def _prefixes_of_member(self, path: str) -> tuple[str, ...]:
        """Where a member's dependencies are looked up: under its name, which is not its path, then at the top."""
        name = self.workspaces.get(path, {}).get("name")
        return (f"{name}/", "") if path and isinstance(name, str) else ("",)

    def _catalog_range(self, name: str, requirement: object) -> str | None:
        """The range that a `catalog:` requirement stands for."""
        if not isinstance(requirement, str):
            return None
        if not requirement.startswith("catalog:"):
            return requirement
        which = requirement[8:].strip()
        catalogs = self.document.get("catalogs")
        catalog = (
            self.document.get("catalog") if not which else catalogs.get(which) if isinstance(catalogs, dict) else None
        )
        found = catalog.get(name) if isinstance(catalog, dict) else None
        return found if isinstance(found, str) else requirement

    # stages

    def _importers(self) -> tuple[Importer, ...]:
        places = member_lines(self.text, ("workspaces",), self.document.get("workspaces", {}))
        at = LineStarts(self.text)
        found = []
        for path, fields in self.workspaces.items():
            line = places.get(path, 0)
            lines = declaration_lines(self.text, line, at)
            edges = tuple(self._declared(fields, self._prefixes_of_member(path), lines))
            found.append(Importer(path or ".", _text(fields.get("name")), _text(fields.get("version")), line, edges))
        return tuple(found)

    def _lines(self) -> list[int]:
        lines = self._package_lines()
        members = member_lines(self.text, ("workspaces",), self.document.get("workspaces", {}))
        return [lines.get(key, 0) if key else members.get("", 0) for key in self.rows.keys]

    def _package_lines(self) -> dict[str, int]:
        if self.lines is None:
            self.lines = member_lines(self.text, ("packages",), self.keys)
        return self.lines

    def _aliases(self) -> dict[int, tuple[str, ...]]:
        found: dict[int, tuple[str, ...]] = {}
        for key, index in self.at.items():
            installed = _last_name(key)
            if installed != self.rows.names[index] and installed not in found.get(index, ()):
                found[index] = (*found.get(index, ()), installed)
        return found

    def _skipped(self) -> tuple[Skipped, ...]:
        lines = self._package_lines()
        rows = self.rows
        at = self.graph.lines()
        unstated = [
            Skipped(name, at[index], "the lockfile states no version")
            for index, name in enumerate(rows.names)
            if rows.versions[index] is None
        ]
        return (*(Skipped(key, lines.get(key, 0), reason) for key, reason in self.broken), *unstated)


def _split(item: str, key: str) -> tuple[str, str]:
    """The name and resolution of an entry's first item; a folder without a name has the one it is installed under."""
    at = item.find("@", 1)
    if item.startswith("@") and "/" not in item[: max(at, 0)]:
        return _last_name(key), item[1:].strip()
    return (item, "") if at < 0 else (item[:at], item[at + 1 :])


def _last_name(key: str) -> str:
    head, _, last = key.rpartition("/")
    scope = head.rpartition("/")[2]
    return f"{scope}/{last}" if scope.startswith("@") else last


def _prefixes(key: str) -> tuple[str, ...]:
    """The places that a package's dependencies are looked up in, the nearest first."""
    found = []
    while key:
        found.append(key + "/")
        key = key[: max(len(key) - len(_last_name(key)) - 1, 0)]
    return (*found, "")


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None

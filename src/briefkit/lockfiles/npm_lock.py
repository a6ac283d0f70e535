"""`package-lock.json`, `npm-shrinkwrap.json` and the hidden `node_modules/.package-lock.json`.

Versions 2 and 3 hold `packages`, keyed by the folder each entry is installed in; where a dependency leads follows from the folders, as
node itself resolves. Version 1 and older nest `dependencies` and are read by `npm_lock_v1`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import Place, UnknownFormatError, UnreadableError
from ..packages import LINK, REGISTRY, WORKSPACE, Edge, Importer, Skipped, Source
from .json_document import LineStarts, declaration_lines, json_kind, member_lines, parse_json
from .locked_graph import DEV, OPTIONAL, PEER, PROD, LockedGraph, Rows, graph_reading, new_record
from .npm_sources import is_url, resolved_source, valid_name
from .workspace_patterns import owns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .reading import LockfileReading

NEWEST = 3
_MODULES = "node_modules/"
_DECLARED = (
    ("peerDependencies", PEER),
    ("devDependencies", DEV),
    ("dependencies", PROD),
    ("optionalDependencies", OPTIONAL),
)
"""A name that is declared twice counts as what stands last here."""
_LOCKED = (("peerDependencies", PEER), ("dependencies", PROD), ("optionalDependencies", OPTIONAL))


def read_npm_lock(text: str, path: str) -> LockfileReading:
    """What an npm lockfile of any version says.

    Raises:
        UnreadableError: The text is not JSON, or not an npm lockfile.
        UnknownFormatError: Its `lockfileVersion` is newer than 3.

    """
    document = parse_json(text, path)
    version = _version(document, text, path)
    packages = document.get("packages")
    if packages is None:
        from .npm_lock_v1 import read_nested

        return read_nested(document, text, path, version)
    if not isinstance(packages, dict):
        raise UnreadableError(f"holds {json_kind(packages)}, not an object", place=Place(path, None, "packages"))
    return _FolderTree(document, packages, text).reading(path, str(version))


def _version(document: dict[str, Any], text: str, path: str) -> int:
    """The lockfile's version; 0 where it states none, as the files of npm 4 and older."""
    version = document.get("lockfileVersion")
    if version is None:
        if not ("packages" in document or "dependencies" in document or "version" in document or "name" in document):
            raise UnreadableError(
                "no npm lockfile: it has neither 'lockfileVersion' nor 'dependencies'", place=Place(path, 1)
            )
        return 0
    line = member_lines(text, (), document).get("lockfileVersion")
    place = Place(path, line, "lockfileVersion")
    if not isinstance(version, int) or isinstance(version, bool):
        raise UnreadableError(f"holds {json_kind(version)}, not a whole number", place=place)
    if not 0 <= version <= NEWEST:
        raise UnknownFormatError(
            f"lockfileVersion {version} is not one that briefkit reads (0 to {NEWEST})",
            place=Place(path, line),
            todo="Update briefkit, or write the file with `npm install --lockfile-version 3`",
        )
    return version


class _FolderTree:
    """The `packages` of one lockfile."""

    def __init__(self, document: dict[str, Any], packages: dict[str, Any], text: str) -> None:
        self.text = text
        self.entries: dict[str, dict[str, Any]] = {}
        self.broken: list[tuple[str, str]] = []
        for key, entry in packages.items():
            if isinstance(entry, dict):
                self.entries[key] = entry
            else:
                self.broken.append((key, f"its entry is {json_kind(entry)}, not an object"))
        self.all_keys = packages
        self.root_name = document.get("name")
        self.links = {
            key: entry["resolved"]
            for key, entry in self.entries.items()
            if entry.get("link") is True and isinstance(entry.get("resolved"), str)
        }
        self.rows = Rows()
        self.at: dict[str, int] = {}
        self._nested = {key[: key.rfind("/" + _MODULES)] for key in self.entries if "/" + _MODULES in key}
        self._fill()
        self.graph = LockedGraph(
            self.rows,
            edges_at=self._edges_at,
            lines=self._lines,
            importers=self._importers,
            aliases=self._aliases,
            groups=self._groups,
            direct_known="" in self.entries,
        )

    def reading(self, path: str, version: str) -> LockfileReading:
        root = self.entries.get("")
        notes = (
            ()
            if root is not None
            else ("no root entry: an installed tree's own lockfile, which names no direct dependencies",)
        )
        return graph_reading(
            self.graph,
            path=path,
            format_name="npm",
            format_version=version,
            skipped=self._skipped,
            visible=self._visible,
            notes=notes,
            members=tuple(key for key in self._member_keys() if self._is_workspace(key)),
        )

    # rows

    def _fill(self) -> None:
        """A row for each entry but links, which lead to one."""
        by_url = self._asked_urls()
        names = self._member_names()
        for key, entry in self.entries.items():
            if key in self.links and self.links[key] in self.entries:
                continue
            name = self._name(key, entry, names)
            version = entry.get("version")
            if not valid_name(name):
                if key:
                    self.broken.append((key, "its name is not one that a package can have"))
                    continue
                name = self.root_name
                if not isinstance(name, str) or not name:
                    name = ""
            if version is not None and not isinstance(version, str):
                self.broken.append((key, f"its version is {json_kind(version)}, not a string"))
                continue
            if entry.get("link") is True and key not in self.links:
                self.broken.append((key, "a link without 'resolved'"))
                continue
            self.at[key] = len(self.rows.keys)
            self.rows.add(key, name, version or None, self._source(key, entry, by_url))

    def _name(self, key: str, entry: dict[str, Any], members: dict[str, str]) -> Any:
        name = entry.get("name")
        if name:
            return name
        cut = key.rfind(_MODULES)
        if cut >= 0:
            return key[cut + len(_MODULES) :]
        return self.root_name if not key else members.get(key) or key.rpartition("/")[2]

    def _source(self, key: str, entry: dict[str, Any], by_url: set[str]) -> Source:
        if key in self.links:
            return Source(LINK, path=self.links[key])
        if _MODULES not in key:
            return Source(WORKSPACE if not key or self._is_workspace(key) else LINK, path=key or ".")
        resolved, integrity = entry.get("resolved"), entry.get("integrity")
        if resolved is True or not isinstance(resolved, str):
            resolved = None
        return resolved_source(
            resolved,
            integrity if isinstance(integrity, str) else None,
            bundled=entry.get("inBundle") is True or entry.get("bundled") is True,
            by_url=resolved in by_url,
        )

    def _asked_urls(self) -> set[str]:
        """The download addresses that somebody asks for as such: what is resolved there comes from no registry."""
        return {
            specifier
            for entry in self.entries.values()
            for field in ("dependencies", "devDependencies", "optionalDependencies")
            if isinstance(entry.get(field), dict)
            for specifier in entry[field].values()
            if isinstance(specifier, str) and specifier[:4] == "http" and is_url(specifier)
        }

    def _member_keys(self) -> Iterator[str]:
        return (key for key in self.entries if key and _MODULES not in key)

    def _member_names(self) -> dict[str, str]:
        """The names that folders outside node_modules are linked under."""
        return {target: key[key.rfind(_MODULES) + len(_MODULES) :] for key, target in self.links.items()}

    def _is_workspace(self, key: str) -> bool:
        patterns = self.entries.get("", {}).get("workspaces")
        if isinstance(patterns, dict):
            patterns = patterns.get("packages")
        return isinstance(patterns, list) and owns(key, [pattern for pattern in patterns if isinstance(pattern, str)])

    # stages

    def _edges_at(self, index: int) -> tuple[Edge, ...]:
        key = self.rows.keys[index]
        entry = self.entries[key]
        return tuple(self._edges(key, entry, _LOCKED if _MODULES in key else _DECLARED, {}))

    def _edges(
        self, key: str, entry: dict[str, Any], fields: tuple[tuple[str, str], ...], lines: dict[tuple[str, str], int]
    ) -> Iterator[Edge]:
        asked: dict[str, tuple[str, str, object]] = {}
        for field, group in fields:
            names = entry.get(field)
            if names and isinstance(names, dict):
                for name, requirement in names.items():
                    asked[name] = (field, group, requirement)
        if not asked:
            return
        folders = list(self._folders(key))
        for name, (field, group, requirement) in asked.items():
            target = next((folder + name for folder in folders if folder + name in self.all_keys), None)
            link = self.links.get(target) if target is not None else None
            yield new_record(
                Edge,
                (
                    name,
                    self.at.get(link if link in self.at else target) if target is not None else None,  # type: ignore[arg-type]
                    requirement if isinstance(requirement, str) else None,
                    group,
                    None,
                    lines.get((field, name), 0),
                    link,
                    (),
                ),
            )

    def _visible(self, importer: str, name: str) -> int | None:
        target = self._target("" if importer == "." else importer, name)
        return None if target is None else self.at.get(self.links.get(target, target), self.at.get(target))

    def _target(self, key: str, name: str) -> str | None:
        """The folder that node finds a name in from the folder `key`."""
        return next((folder + name for folder in self._folders(key) if folder + name in self.all_keys), None)

    def _folders(self, key: str) -> Iterator[str]:
        """The node_modules folders that node looks in from `key`, the nearest first."""
        at = key
        while at:
            if at in self._nested:
                yield f"{at}/{_MODULES}"
            at = at.rpartition("/")[0]
            if at.endswith("/node_modules"):
                at = at[: -len("/node_modules")]
            elif at == "node_modules":
                break
        yield _MODULES

    def _lines(self) -> list[int]:
        lines = member_lines(self.text, ("packages",), self.all_keys)
        return [lines.get(key, 0) for key in self.rows.keys]

    def _importers(self) -> tuple[Importer, ...]:
        if "" not in self.entries:
            return ()
        lines = self.graph.lines()
        at = LineStarts(self.text)
        found = []
        for key in ("", *self._member_keys()):
            index = self.at.get(key)
            if index is None:
                continue
            entry = self.entries[key]
            declared = declaration_lines(self.text, lines[index], at)
            found.append(
                Importer(
                    key or ".",
                    self.rows.names[index] or None,
                    self.rows.versions[index],
                    lines[index],
                    tuple(self._edges(key, entry, _DECLARED, declared)),
                )
            )
        return tuple(found)

    def _aliases(self) -> dict[int, tuple[str, ...]]:
        found: dict[int, tuple[str, ...]] = {}
        names = self.rows.names
        for key, index in self.at.items():
            cut = key.rfind(_MODULES)
            if cut >= 0 and key[cut + len(_MODULES) :] != names[index]:
                found[index] = (key[cut + len(_MODULES) :],)
        for key, target in self.links.items():
            linked = self.at.get(target)
            name = key[key.rfind(_MODULES) + len(_MODULES) :]
            if linked is not None and name != names[linked] and name not in found.get(linked, ()):
                found[linked] = (*found.get(linked, ()), name)
        return found

    def _groups(self) -> list[tuple[str, ...]]:
        return [_groups_of(self.entries[key]) if _MODULES in key else () for key in self.rows.keys]

    def _skipped(self) -> tuple[Skipped, ...]:
        lines = member_lines(self.text, ("packages",), self.all_keys)
        broken = [Skipped(key or ".", lines.get(key, 0), reason) for key, reason in self.broken]
        rows = self.rows
        unstated = [
            Skipped(name or ".", lines.get(key, 0), "the lockfile states no version")
            for key, name, version in zip(rows.keys, rows.names, rows.versions, strict=True)
            if version is None
        ]
        return (*broken, *unstated)


def _groups_of(entry: dict[str, Any]) -> tuple[str, ...]:
    """The groups that reach an entry, as its flags say; without any it is for production."""
    if entry.get("devOptional") is True:
        return (DEV, OPTIONAL)
    peer = entry.get("peer") is True
    if entry.get("dev") is True:
        return (DEV, PEER) if peer else (DEV,)
    if entry.get("optional") is True:
        return (OPTIONAL, PEER) if peer else (OPTIONAL,)
    return (PEER,) if peer else (PROD,)

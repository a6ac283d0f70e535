"""`package-lock.json`, `npm-shrinkwrap.json` and the hidden `node_modules/.package-lock.json`.

Versions 2 and 3 hold `packages`, keyed by the folder each entry is installed in; where a dependency leads follows from the folders, as
node itself resolves. Version 1 and older nest `dependencies` and are read by `npm_lock_v1`.
"""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from ..errors import Place, UnknownFormatError, UnreadableError
from ..packages import LINK, REGISTRY, WORKSPACE, Edge, Importer, Skipped, Source
from .json_document import LineStarts, declaration_lines, json_kind, member_lines, parse_json
from .locked_graph import DEV, OPTIONAL, PEER, PROD, LockedGraph, Rows, graph_reading, new_record
from .npm_sources import MAX_PARTS, NPM_NAME, RegistryAddresses, is_url, resolved_source
from .workspace_patterns import owns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from .reading import LockfileReading

    _Seen = dict[str, tuple[int | None, str | None]]

NEWEST = 3
_MODULES = "node_modules/"
_INNER = "/node_modules/"
_DECLARED = (
    ("peerDependencies", PEER),
    ("devDependencies", DEV),
    ("dependencies", PROD),
    ("optionalDependencies", OPTIONAL),
)
"""A name that is declared twice counts as what stands last here."""
_LOCKED = (_DECLARED[0], *_DECLARED[2:])
_NOWHERE = (None, None)


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
        if not document.keys() & {"packages", "dependencies", "version", "name"}:
            what = "no npm lockfile: it has neither 'lockfileVersion' nor 'dependencies'"
            raise UnreadableError(what, place=Place(path, 1))
        return 0
    if isinstance(version, int) and not isinstance(version, bool) and 0 <= version <= NEWEST:
        return version
    line = member_lines(text, (), document).get("lockfileVersion")
    if not isinstance(version, int) or isinstance(version, bool):
        what = f"holds {json_kind(version)}, not a whole number"
        raise UnreadableError(what, place=Place(path, line, "lockfileVersion"))
    raise UnknownFormatError(
        f"lockfileVersion {version} is not one that briefkit reads (0 to {NEWEST})",
        place=Place(path, line),
        todo="Update briefkit, or write the file with `npm install --lockfile-version 3`",
    )


class _FolderTree:
    """The `packages` of one lockfile."""

    def __init__(self, document: dict[str, Any], packages: dict[str, Any], text: str) -> None:
        self.text = text
        self.packages = packages
        self.root: dict[str, Any] = packages[""] if isinstance(packages.get(""), dict) else {}
        self.root_name = document.get("name")
        self.rows = Rows(self._sources, lambda index: self._sources((index,))[0])
        self.at: dict[str, int] = {}
        self.links: dict[str, str] = {}
        self.entries: list[dict[str, Any]] = []
        self.broken: list[tuple[str, str]] = []
        self.named: list[str] = []
        self._contents: dict[str, _Seen] = {}
        self._inner_of: dict[str, _Seen] = {}
        self._linked_names: dict[str, str] | None = None
        self._lines_value: Mapping[str, int] | None = None
        self._fill()
        self.graph = LockedGraph(
            self.rows,
            edges_of=self._edges_of,
            lines=self._row_lines,
            importers=self._importers,
            aliases=self._aliases,
            groups=self._groups,
            direct_known="" in packages,
            asking=self._asking,
        )

    def reading(self, path: str, version: str) -> LockfileReading:
        """The reading of this tree."""
        hidden = (
            () if "" in self.packages else ("an installed tree's own lockfile, which names no direct dependencies",)
        )
        return graph_reading(
            self.graph,
            path=path,
            format_name="npm",
            format_version=version,
            skipped=self._skipped,
            visible=self._visible,
            notes=hidden,
            members=tuple(key for key in self._member_keys() if self._is_workspace(key)),
        )

    # rows

    def _fill(self) -> None:
        """A row for each entry but links, which lead to one."""
        at, entries, broken = self.at, self.entries, self.broken
        keys, names, versions = self.rows.keys, self.rows.names, self.rows.versions
        is_name = NPM_NAME.fullmatch
        for key, entry in self.packages.items():
            if type(entry) is not dict:
                broken.append((key, f"its entry is {json_kind(entry)}, not an object"))
                continue
            if "link" in entry and entry["link"] is True and self._is_link(key, entry):
                continue
            name = entry.get("name")
            if name:
                self.named.append(key)
            else:
                cut = key.rfind(_MODULES)
                name = key[cut + 13 :] if cut >= 0 else self._folder_name(key)
            if type(name) is not str or not is_name(name) or (len(key) > MAX_PARTS and key.count("/") > MAX_PARTS):
                if key:
                    broken.append((key, "its name is not one that a package can have"))
                    continue
                name = ""
            version = entry.get("version")
            if version is not None and type(version) is not str:
                broken.append((key, f"its version is {json_kind(version)}, not a string"))
                continue
            at[key] = len(keys)
            keys.append(key)
            names.append(name)
            versions.append(version or None)
            entries.append(entry)

    def _is_link(self, key: str, entry: dict[str, Any]) -> bool:
        """Whether an entry is a link that needs no row of its own, since it leads to an entry or nowhere."""
        target = entry.get("resolved")
        if not isinstance(target, str):
            self.broken.append((key, "a link without 'resolved'"))
            return True
        self.links[key] = target
        return isinstance(self.packages.get(target), dict)

    def _folder_name(self, key: str) -> object:
        """The name of a folder outside node_modules that states none: it is linked under it."""
        if not key:
            return self.root_name
        if self._linked_names is None:
            self._linked_names = {
                entry["resolved"]: link[link.rfind(_MODULES) + 13 :]
                for link, entry in self.packages.items()
                if isinstance(entry, dict) and entry.get("link") is True and isinstance(entry.get("resolved"), str)
            }
        return self._linked_names.get(key) or key.rpartition("/")[2]

    def _sources(self, indexes: Sequence[int] | None = None) -> list[Source]:
        """The source of each of these rows, of every row where none are given."""
        registry = RegistryAddresses()
        asked: set[str] | None = None
        found = []
        keys, entries = self.rows.keys, self.entries
        rows = zip(keys, entries, strict=True) if indexes is None else [(keys[at], entries[at]) for at in indexes]
        for key, entry in rows:
            resolved = entry.get("resolved")
            integrity = entry.get("integrity")
            if type(integrity) is not str:
                integrity = None
            if type(resolved) is str and resolved in registry and _MODULES in key and key not in self.links:
                found.append(new_record(Source, (REGISTRY, resolved, integrity, None, None)))
                continue
            if key in self.links or _MODULES not in key:
                found.append(self._local_source(key))
                continue
            if asked is None:
                asked = self._asked_urls()
            bundled = entry.get("inBundle") is True or entry.get("bundled") is True
            address = resolved if type(resolved) is str else None
            found.append(resolved_source(address, integrity, bundled=bundled, by_url=address in asked))
        return found

    def _local_source(self, key: str) -> Source:
        if key in self.links:
            return Source(LINK, path=self.links[key])
        return Source(WORKSPACE if not key or self._is_workspace(key) else LINK, path=key or ".")

    def _asked_urls(self) -> set[str]:
        """The download addresses that somebody asks for as such: what is resolved there comes from no registry."""
        return {
            specifier
            for entry in self.entries
            for field in ("dependencies", "devDependencies", "optionalDependencies")
            if field in entry and type(entry[field]) is dict
            for specifier in entry[field].values()
            if type(specifier) is str and specifier[:4] == "http" and is_url(specifier)
        }

    def _member_keys(self) -> Iterator[str]:
        return (key for key in self.at if key and _MODULES not in key)

    def _is_workspace(self, key: str) -> bool:
        patterns = self.root.get("workspaces")
        if isinstance(patterns, dict):
            patterns = patterns.get("packages")
        return isinstance(patterns, list) and owns(key, [pattern for pattern in patterns if isinstance(pattern, str)])

    # edges

    def _edges_of(self, indexes: Sequence[int]) -> list[tuple[Edge, ...]]:
        keys, entries = self.rows.keys, self.entries
        top = self._folder_contents()[""]
        rows_at_top = {} if self.links else {name: row for name, (row, _) in top.items()}
        found: list[tuple[Edge, ...]] = []
        for index in indexes:
            key, entry = keys[index], entries[index]
            if _MODULES not in key:
                found.append(self._declared_edges(key, entry, {}))
                continue
            names = entry.get("dependencies")
            if "optionalDependencies" not in entry and "peerDependencies" not in entry:  # as most
                if type(names) is not dict:
                    found.append(())
                    continue
                inner = self._inner(key)
                if rows_at_top and not inner:
                    found.append(_plain_edges(names, PROD, rows_at_top))
                    continue
            fields = [field for field in _LOCKED if type(entry.get(field[0])) is dict]
            inner = self._inner(key)
            edges: dict[str, Edge] = {}
            for field, group in fields:
                for name, asked in entry[field].items():
                    target, link = inner[name] if name in inner else top.get(name, _NOWHERE)
                    requirement = asked if type(asked) is str else None
                    edges[name] = new_record(Edge, (name, target, requirement, group, None, 0, link, ()))
            found.append(tuple(edges.values()))
        return found

    def _asking(self, names: frozenset[str]) -> Iterator[int]:
        """The rows whose entry names one of these."""
        for index, entry in enumerate(self.entries):
            for field, _ in _DECLARED:
                if field in entry and type(entry[field]) is dict and not names.isdisjoint(entry[field]):
                    yield index
                    break

    def _declared_edges(self, key: str, entry: dict[str, Any], lines: dict[tuple[str, str], int]) -> tuple[Edge, ...]:
        """The edges of a member, which may have development dependencies, and whose lines are known."""
        top, inner = self._folder_contents()[""], self._inner(key)
        edges = {}
        for field, group in _DECLARED:
            names = entry.get(field)
            for name, asked in names.items() if isinstance(names, dict) else ():
                target, link = inner[name] if name in inner else top.get(name, _NOWHERE)
                line = lines.get((field, name), 0)
                edges[name] = Edge(name, target, asked if isinstance(asked, str) else None, group, None, line, link)
        return tuple(edges.values())

    def _folder_contents(self) -> dict[str, _Seen]:
        """For each folder that has a node_modules, the row and the link that each name in there leads to."""
        if self._contents:
            return self._contents
        contents = self._contents
        top = contents[""] = {}
        named = set(self.named)
        for (key, index), name in zip(self.at.items(), self.rows.names, strict=True):
            cut = key.rfind(_MODULES)
            if cut < 0:
                continue
            installed = key[cut + 13 :] if key in named else name
            if cut == 0:
                top[installed] = (index, None)
            else:
                contents.setdefault(key[: cut - 1], {})[installed] = (index, None)
        for key, target in (*self.links.items(), *((key, None) for key, _ in self.broken)):
            cut = key.rfind(_MODULES)
            if cut >= 0:
                row = None if target is None else self.at.get(target, self.at.get(key))
                contents.setdefault(key[: max(cut - 1, 0)], {})[key[cut + 13 :]] = (row, target)
        return contents

    def _inner(self, key: str) -> _Seen:
        """What is seen from the folder `key` in the node_modules around it, the nearest first, but the outermost."""
        known = self._inner_of.get(key)
        if known is not None:
            return known
        contents, chain, at = self._folder_contents(), [], key
        while at:
            if at in contents:
                chain.append(contents[at])
            cut = at.rfind(_INNER)
            at = at[:cut] if cut >= 0 else "" if at[:13] == _MODULES else at.rpartition("/")[0]
        found: _Seen = chain[0] if len(chain) == 1 else {}
        if len(chain) > 1:
            for names in reversed(chain):
                found |= names
        self._inner_of[key] = found
        return found

    def _visible(self, importer: str, name: str) -> int | None:
        inner = self._inner("" if importer == "." else importer)
        return (inner.get(name) or self._folder_contents()[""].get(name, _NOWHERE))[0]

    # stages

    def _lines(self) -> Mapping[str, int]:
        if self._lines_value is None:
            self._lines_value = member_lines(self.text, ("packages",), self.packages)
        return self._lines_value

    def _row_lines(self) -> list[int]:
        lines = self._lines()
        keys = self.rows.keys
        return (
            list(lines.values()) if len(lines) == len(keys) and not self.broken else [lines.get(key, 0) for key in keys]
        )

    def _importers(self) -> tuple[Importer, ...]:
        if "" not in self.at:
            return ()
        lines = self._lines()
        starts = LineStarts(self.text)
        found = []
        for key in ("", *self._member_keys()):
            index = self.at[key]
            line = lines.get(key, 0)
            declared = declaration_lines(self.text, line, starts)
            edges = self._declared_edges(key, self.entries[index], declared)
            found.append(Importer(key or ".", self.rows.names[index] or None, self.rows.versions[index], line, edges))
        return tuple(found)

    def _aliases(self) -> dict[int, tuple[str, ...]]:
        found: dict[int, tuple[str, ...]] = {}
        names = self.rows.names
        for key in self.named:  # only an entry that states its name can be installed under another
            index = self.at.get(key)
            cut = key.rfind(_MODULES)
            if index is not None and cut >= 0 and key[cut + 13 :] != names[index]:
                found[index] = (key[cut + 13 :],)
        for key, target in self.links.items():
            linked = self.at.get(target)
            name = key[key.rfind(_MODULES) + 13 :]
            if linked is not None and name != names[linked] and name not in found.get(linked, ()):
                found[linked] = (*found.get(linked, ()), name)
        return found

    def _groups(self) -> list[tuple[str, ...]]:
        return [
            _groups_of(entry) if _MODULES in key else ()
            for key, entry in zip(self.rows.keys, self.entries, strict=True)
        ]

    def _skipped(self) -> tuple[Skipped, ...]:
        rows = self.rows
        unstated = [(key, rows.names[index]) for key, index in self.at.items() if rows.versions[index] is None]
        if not (unstated or self.broken):
            return ()
        lines = self._lines()
        broken = [Skipped(key or ".", lines.get(key, 0), reason) for key, reason in self.broken]
        return (
            *broken,
            *(Skipped(name or ".", lines.get(key, 0), "the lockfile states no version") for key, name in unstated),
        )


def _plain_edges(names: dict[str, object], group: str, rows: dict[str, int | None]) -> tuple[Edge, ...]:
    """The edges of a field whose names all lead to the outermost node_modules: the many, made with the least."""
    row = rows.get
    return tuple(
        [
            new_record(Edge, (name, row(name), asked if type(asked) is str else None, group, None, 0, None, ()))
            for name, asked in names.items()
        ]
    )


def _groups_of(entry: dict[str, Any]) -> tuple[str, ...]:
    """The groups that reach an entry, as its flags say; without any it is for production."""
    if "devOptional" in entry and entry["devOptional"] is True:
        return (DEV, OPTIONAL)
    peer = "peer" in entry and entry["peer"] is True
    if "dev" in entry and entry["dev"] is True:
        return (DEV, PEER) if peer else (DEV,)
    if "optional" in entry and entry["optional"] is True:
        return (OPTIONAL, PEER) if peer else (OPTIONAL,)
    return (PEER,) if peer else (PROD,)

"""`pnpm-lock.yaml`, of pnpm 3 to 12 (lockfile versions 5.0 to 9.0), and the `shrinkwrap.yaml` before it.

From pnpm 11 on the file may hold two documents: the first is of pnpm's own environment, the project's is the last. What a member gets is
stated by `importers`; files before workspaces state it at the top.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from ..errors import Place, UnknownFormatError, UnreadableError
from ..packages import DIRECTORY, FILE, GIT, LINK, PATCH, REGISTRY, URL, WORKSPACE, Edge, Importer, Skipped, Source
from ..text import public_url
from .locked_graph import DEV, OPTIONAL, PEER, PROD, LockedGraph, Rows, graph_reading
from .npm_sources import clean_url, is_git, local_path, valid_name
from .pnpm_entries import Entries, Entry, Wanted, entries_of, wanted_of
from .pnpm_keys import Key, key_candidates, parse_key, split_suffix
from .yaml_subset import Mapping, iter_items, parse_yaml, split_documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .reading import LockfileReading
    from .yaml_subset import Yaml

OLDEST, NEWEST = 3, 9
_AS_NEWEST = (12,)
"""Major versions that pnpm reads as it reads 9."""
_KNOWN = re.compile(r"[34](?:\.\d+)?|5\.[0-4]|6\.[01]|[79]\.0|12\.0|[5-79]")
_VERSION = re.compile(r"(\d{1,4})(?:\.(\d{1,4}))?(?:\.\d+)?")
_GROUPS = (
    ("dependencies", PROD),
    ("devDependencies", DEV),
    ("optionalDependencies", OPTIONAL),
    ("peerDependencies", PEER),
)
_GIT_ARCHIVE = re.compile(
    r"https?://(?:codeload\.github\.com/[^/]+/[^/]+/tar\.gz/|(?:[^/]+/)+repository/archive\.tar\.gz\?ref=|"
    r"bitbucket\.org/[^/]+/[^/]+/get/)([0-9a-f]{7,64})(?:\.tar\.gz)?"
)
_ENVIRONMENT = frozenset(("configDependencies", "packageManagerDependencies"))


def read_pnpm_lock(text: str, path: str) -> LockfileReading:
    """What a pnpm lockfile of any version says.

    Raises:
        UnreadableError: The text is not YAML as pnpm writes it, or not a pnpm lockfile.
        UnknownFormatError: Its `lockfileVersion` is one that is not read.

    """
    documents = split_documents(text)
    line, project = documents[-1]
    document = parse_yaml(project, path, first_line=line)
    if not isinstance(document, Mapping):
        what = "the file is empty" if document is None else "holds no mapping"
        raise UnreadableError(what, place=Place(path, line))
    return _PnpmLock(document, path).reading()


def _version(document: Mapping, path: str) -> tuple[str, int]:
    """The lockfile version as written, and its major."""
    field = "lockfileVersion" if "lockfileVersion" in document else "shrinkwrapVersion"
    stated = document.get(field)
    if stated is None:
        raise UnreadableError("no pnpm lockfile: it has no 'lockfileVersion'", place=Place(path, document.line))
    line = document.lines[field]
    found = _VERSION.fullmatch(stated) if isinstance(stated, str) else None
    if not isinstance(stated, str) or found is None:
        raise UnreadableError("holds no version number", place=Place(path, line, field))
    major = int(found.group(1))
    if major in _AS_NEWEST:
        return stated, NEWEST
    if not OLDEST <= major <= NEWEST:
        age = "newer" if major > NEWEST else "older"
        raise UnknownFormatError(
            f"lockfileVersion {stated!r} is {age} than briefkit reads (5.0 to 9.0)",
            place=Place(path, line),
            todo="Update briefkit, or write the file with pnpm 9 to 12",
        )
    return stated, major


class _PnpmLock:
    """The project's document of one lockfile."""

    def __init__(self, document: Mapping, path: str) -> None:
        self.document = document
        self.path = path
        self.version, self.major = _version(document, path)
        self.packages = entries_of(document.get("packages"))
        self.snapshots = entries_of(document.get("snapshots"))
        self.patches = self._patches()
        self.wanted = dict(self._wanted())
        self.rows = Rows()
        self.at: dict[str, int] = {}
        self.by_base: dict[str, int] = {}
        self.entries: list[Entry] = []
        self.lines: list[int] = []
        self.where: list[Entries | None] = []
        self.broken: list[tuple[str, int, str]] = []
        self.member_at: dict[str, int] = {}
        self._fill()
        self.graph = LockedGraph(
            self.rows,
            edges_of=lambda indexes: [tuple(self._edges(index)) for index in indexes],
            lines=lambda: self.lines,
            importers=self._importers,
            aliases=self._aliases,
            groups=self._stated_groups if self.major < 7 else None,
            direct_known=bool(self.wanted),
        )

    def reading(self) -> LockfileReading:
        notes = []
        if not _KNOWN.fullmatch(self.version):
            notes.append(f"lockfileVersion {self.version!r} is newer than briefkit knows; read as {self.major}.x")
        if self._is_environment():
            notes.append("holds only the environment of pnpm itself, no project's packages")
        return graph_reading(
            self.graph,
            path=self.path,
            format_name="pnpm",
            format_version=self.version,
            skipped=self._skipped,
            notes=notes,
            members=tuple(path for path in self.wanted if path != "."),
        )

    def _is_environment(self) -> bool:
        found = [set(entry) for _, entry, _ in iter_items(self.document.get("importers")) if isinstance(entry, Mapping)]
        return bool(found) and all(fields and fields <= _ENVIRONMENT for fields in found)

    # what the importers want

    def _wanted(self) -> Iterator[tuple[str, tuple[int, list[Wanted]]]]:
        """Each importer's path, its line and what it declares."""
        if self._is_environment():
            return
        importers = self.document.get("importers")
        if isinstance(importers, Mapping):
            for path, entry, line in iter_items(importers):
                yield posixpath.normpath(path) if path else ".", (line, list(wanted_of(entry)))
        elif any(group in self.document for group, _ in _GROUPS) or not isinstance(importers, Mapping):
            yield ".", (self.document.line, list(wanted_of(self.document)))

    def _importers(self) -> tuple[Importer, ...]:
        found = []
        for path, (line, wanted) in self.wanted.items():
            index = self.member_at.get(path)
            name = self.rows.names[index] if index is not None else None
            edges = tuple(self._wanted_edge(path, want) for want in wanted)
            found.append(Importer(path, name, None, line, edges))
        return tuple(found)

    def _wanted_edge(self, importer: str, want: Wanted) -> Edge:
        requirement = self._catalog_range(want.alias, want.specifier)
        if want.ref.startswith("link:"):
            link = _linked_path(importer, want.ref)
            return Edge(want.alias, self.member_at.get(link), requirement, want.group, None, want.line, link)
        return Edge(want.alias, self._target(want.alias, want.ref), requirement, want.group, None, want.line)

    def _catalog_range(self, alias: str, specifier: str | None) -> str | None:
        """The range that a `catalog:` specifier stands for."""
        if specifier is None or not specifier.startswith("catalog:"):
            return specifier
        catalogs = self.document.get("catalogs")
        catalog = catalogs.get(specifier[8:].strip() or "default") if isinstance(catalogs, Mapping) else None
        entry = catalog.get(alias) if isinstance(catalog, Mapping) else None
        found = entry.get("specifier") if isinstance(entry, Mapping) else None
        return found if isinstance(found, str) else specifier

    # rows

    def _fill(self) -> None:
        for key in self.snapshots.keys:
            base = split_suffix(key)[0]
            known = key if key in self.packages.lines else base
            self._add(key, self.packages.entry(known), self.snapshots, self.snapshots.lines[key])
        covered = {split_suffix(key)[0] for key in self.snapshots.keys} | set(self.snapshots.keys)
        for key in self.packages.keys:
            if key not in covered:
                self._add(key, self.packages.entry(key), self.packages, self.packages.lines[key])
        for importer, (_, wanted) in self.wanted.items():
            for want in wanted:
                if want.ref.startswith("link:"):
                    self._add_linked(_linked_path(importer, want.ref), want)

    def _add(self, key: str, entry: Entry, where: Entries, line: int) -> None:
        found = parse_key(key, self.major)
        name = entry.name or found.name
        if not valid_name(name):
            self.broken.append((key, line, "its key names no package"))
            return
        assert name is not None
        version = entry.version if entry.name or found.version is None else found.version
        self.at[key] = index = len(self.rows.keys)
        self.by_base.setdefault(split_suffix(key)[0], index)
        self.rows.add(key, name, version, self._source(key, found, entry, name, version))
        self.entries.append(entry)
        self.lines.append(self.packages.lines.get(split_suffix(key)[0], line) if where is self.snapshots else line)
        self.where.append(where)

    def _add_linked(self, path: str, want: Wanted) -> None:
        """A row for a folder that is linked: a member of the workspace, or a folder beside it."""
        if path in self.member_at or not valid_name(want.alias):
            return
        line = self.wanted[path][0] if path in self.wanted else want.line
        self.member_at[path] = len(self.rows.keys)
        self.rows.add(f"link:{path}", want.alias, None, Source(WORKSPACE if path in self.wanted else LINK, path=path))
        self.entries.append(Entry())
        self.lines.append(line)
        self.where.append(None)

    def _source(self, key: str, found: Key, entry: Entry, name: str, version: str | None) -> Source:
        source = _resolution_source(entry.resolution, found, entry)
        if "(patch_hash=" in key or entry.patched:
            patch = self.patches.get(f"{name}@{version}") or self.patches.get(name)
            return Source(PATCH, source.url, source.integrity, patch, source.ref)
        return source

    def _patches(self) -> dict[str, str | None]:
        """The patch file of each patched `name@version` or name; newer files state only its hash."""
        found: dict[str, str | None] = {}
        for key, entry, _ in iter_items(self.document.get("patchedDependencies")):
            file = entry.get("path") if isinstance(entry, Mapping) else None
            found[key] = file if isinstance(file, str) else None
        return found

    # edges

    def _edges(self, index: int) -> Iterator[Edge]:
        where, key = self.where[index], self.rows.keys[index]
        if where is None:
            path = key.removeprefix("link:")
            for want in self.wanted.get(path, (0, []))[1]:
                yield self._wanted_edge(path, want)
            return
        for group, alias, ref in where.dependencies(key):
            if ref.startswith("link:"):
                link = _linked_path(".", ref)
                yield Edge(alias, self.member_at.get(link), None, group, None, 0, link)
            else:
                yield Edge(alias, self._target(alias, ref), ref, group)

    def _target(self, alias: str, ref: str) -> int | None:
        candidates = key_candidates(alias, ref, self.major)
        for candidate in candidates:
            found = self.at.get(candidate)
            if found is not None:
                return found
        for candidate in candidates:
            found = self.by_base.get(split_suffix(candidate)[0])
            if found is not None:
                return found
        return None

    def _aliases(self) -> dict[int, tuple[str, ...]]:
        found: dict[int, dict[str, None]] = {}
        names = self.rows.names
        everything = (self.graph.edges(index) for index in range(len(names)))
        for edges in (*(importer.edges for importer in self.graph.importers()), *everything):
            for edge in edges:
                if edge.target is not None and edge.name != names[edge.target]:
                    found.setdefault(edge.target, {})[edge.name] = None
        return {index: tuple(aliases) for index, aliases in found.items()}

    def _stated_groups(self) -> list[tuple[str, ...]]:
        return [
            entry.groups if where is not None else () for entry, where in zip(self.entries, self.where, strict=True)
        ]

    def _skipped(self) -> tuple[Skipped, ...]:
        rows = self.rows
        unstated = [
            Skipped(name, line, "the lockfile states no version")
            for name, version, line in zip(rows.names, rows.versions, self.lines, strict=True)
            if version is None
        ]
        return (*(Skipped(*broken) for broken in self.broken), *unstated)


def _linked_path(importer: str, ref: str) -> str:
    """The folder of a `link:` reference, relative to the lockfile's folder."""
    target = local_path(ref)
    if target.startswith("/"):
        return posixpath.normpath(target)
    return posixpath.normpath(posixpath.join("" if importer == "." else importer, target))


def _resolution_source(resolution: Yaml, key: Key, entry: Entry) -> Source:
    fields = resolution if isinstance(resolution, Mapping) else Mapping()
    kind, tarball, integrity = (_text(fields.get(name)) for name in ("type", "tarball", "integrity"))
    if kind == "git":
        return Source(GIT, public_url(_text(fields.get("repo")) or ""), integrity, None, _text(fields.get("commit")))
    if kind == "directory":
        return Source(DIRECTORY, None, integrity, _text(fields.get("directory")) or ".")
    if kind:
        return Source(URL, None, integrity)
    if tarball and tarball.startswith("file:"):
        return Source(FILE, None, integrity, local_path(tarball))
    if tarball and (archive := _GIT_ARCHIVE.match(tarball)):
        return Source(GIT, public_url(tarball), integrity, None, archive.group(1))
    if key.version is not None and not entry.name:
        return Source(REGISTRY, clean_url(tarball) if tarball else None, integrity)
    return _address_source(key.ref, tarball, integrity)


def _address_source(ref: str, tarball: str | None, integrity: str | None) -> Source:
    """The source of what is named by its address."""
    if tarball:
        return Source(URL, clean_url(tarball), integrity)
    if ref.startswith("file:"):
        path = local_path(ref)
        return Source(FILE if path.endswith((".tgz", ".tar.gz", ".tar")) else DIRECTORY, None, integrity, path)
    if is_git(ref):
        repository, _, commit = ref.partition("#")
        return Source(GIT, public_url(repository), integrity, None, commit or None)
    return Source(URL if "/" in ref else REGISTRY, None, integrity)


def _text(value: Yaml) -> str | None:
    return value if isinstance(value, str) else None

"""`pnpm-lock.yaml`, of pnpm 3 to 12 (lockfile versions 5.0 to 9.0), and the `shrinkwrap.yaml` before it.

From pnpm 11 on the file may hold two documents: the first is of pnpm's own environment, the project's is the last. What a member gets is
stated by `importers`; files before workspaces state it at the top.
"""

from __future__ import annotations

import posixpath

from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING

from ..errors import Place, UnknownFormatError, UnreadableError
from ..packages import LINK, PATCH, WORKSPACE, Edge, Importer, Skipped, Source
from .locked_graph import DEV, OPTIONAL, PEER, PROD, LockedGraph, Rows, graph_reading, new_record
from .npm_sources import local_path, valid_name
from .pnpm_blocks import scan_pnpm
from .pnpm_entries import ENVIRONMENT, Entries, Entry, PnpmDocument, Wanted, document_of, wanted_of
from .pnpm_keys import Key, key_candidates, parse_key, split_suffix
from .pnpm_resolutions import resolution_source
from .yaml_blocks import OtherLayout
from .yaml_flow import Mapping
from .yaml_subset import iter_items, parse_yaml, split_documents

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .reading import LockfileReading

OLDEST, NEWEST = 3, 9
_AS_NEWEST = (12,)
"""Major versions that pnpm reads as it reads 9."""
_KNOWN = lazy_pattern(r"(?:[34](?:\.\d+)?|5\.[0-5]|6\.[01]|[79]\.0|12\.0|[5-79])(?:-inlineSpecifiers)?")
_VERSION = lazy_pattern(r"(\d{1,4})(?:\.\d{1,4}){0,2}(?:-[A-Za-z]{1,40})?")
_KEY_SHAPES = {5: ("/", "/"), 6: ("/", "@"), 7: ("", "@")}
"""What stands before and behind the name in the key that a plain reference means, by major version."""
_GROUPS = (
    ("dependencies", PROD),
    ("devDependencies", DEV),
    ("optionalDependencies", OPTIONAL),
    ("peerDependencies", PEER),
)


def read_pnpm_lock(text: str, path: str) -> LockfileReading:
    """What a pnpm lockfile of any version says.

    Raises:
        UnreadableError: The text is not YAML as pnpm writes it, or not a pnpm lockfile.
        UnknownFormatError: Its `lockfileVersion` is one that is not read.

    """
    documents = split_documents(text)
    line, project = documents[-1]
    try:
        document = scan_pnpm(project, path, line)
    except OtherLayout:
        document = parse_pnpm(project, path, line)
    return reading_of(document, path)


def reading_of(document: PnpmDocument, path: str) -> LockfileReading:
    """What a project's document says."""
    return _PnpmLock(document, path).reading()


def parse_pnpm(text: str, path: str, line: int) -> PnpmDocument:
    """The document whose text begins on `line`, by the general parser.

    Raises:
        UnreadableError: The text is not YAML as pnpm writes it, or holds no mapping.

    """
    fields = parse_yaml(text, path, first_line=line)
    if not isinstance(fields, Mapping):
        what = "the file is empty" if fields is None else "holds no mapping"
        raise UnreadableError(what, place=Place(path, line))
    return document_of(fields)


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

    def __init__(self, document: PnpmDocument, path: str) -> None:
        self.document = document.fields
        self.path = path
        self.version, self.major = _version(document.fields, path)
        self.packages = document.packages
        self.snapshots = document.snapshots
        self.importers = document.importers
        self.patches = self._patches()
        self.wanted = dict(self._wanted())
        self.rows = Rows(self._sources, self._source_at)
        self.at: dict[str, int] = {}
        self.asked_as: dict[str, str] | None = None
        self.base_at: dict[str, int] | None = None
        self.lines: list[int] = []
        self.odd: dict[int, Key] = {}
        self.where: list[Entries | None] = []
        self.broken: list[tuple[str, int, str]] = []
        self.member_at: dict[str, int] = {}
        self._fill()
        self.graph = LockedGraph(
            self.rows,
            edges_of=self._edges_of,
            lines=lambda: self.lines,
            importers=self._importers,
            aliases=self._aliases,
            groups=self._stated_groups if self.major < 7 else None,
            direct_known=bool(self.wanted),
            asking=self._asking,
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
        """Whether the document is of pnpm's own environment, which declares nothing of a project."""
        return bool(self.importers) and all(
            wanted and all(want.group == ENVIRONMENT for want in wanted) for _, _, wanted in self.importers or ()
        )

    # what the importers want

    def _wanted(self) -> Iterator[tuple[str, tuple[int, list[Wanted]]]]:
        """Each importer's path, its line and what it declares."""
        if self._is_environment():
            return
        for path, line, wanted in self.importers or ():
            yield (
                posixpath.normpath(path) if path else ".",
                (line, [each for each in wanted if each.group != ENVIRONMENT]),
            )
        if self.importers is None or any(group in self.document for group, _ in _GROUPS):
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
        covered: set[str] = set()
        line_of = self.packages.line
        for key in self.snapshots.keys:
            base = split_suffix(key)[0] if key.endswith(")") else key
            covered.add(base)
            covered.add(key)
            self._add(key, self.snapshots, line_of(base) or line_of(key) or self.snapshots.line(key))
        for key in self.packages.keys:
            if key not in covered:
                self._add(key, self.packages, line_of(key))
        for importer, (_, wanted) in self.wanted.items():
            for want in wanted:
                if want.ref.startswith("link:"):
                    self._add_linked(_linked_path(importer, want.ref), want)

    def _add(self, key: str, where: Entries, line: int) -> None:
        """A row for a key; its entry is looked at only where the key does not say name and version."""
        found = parse_key(key, self.major)
        name, version = found.name, found.version
        if version is None or not valid_name(name):
            entry = self._entry(key)
            name, version = entry.name or name or self._asked_as().get(key), entry.version
            found = found._replace(version=None)
        if name is None or not valid_name(name):
            self.broken.append((key, line, "its key names no package"))
            return
        self.at[key] = index = len(self.where)
        if found.version is None:
            self.odd[index] = found
        self.rows.keys.append(key)
        self.rows.names.append(name)
        self.rows.versions.append(version)
        self.lines.append(line)
        self.where.append(where)

    def _asked_as(self) -> dict[str, str]:
        """The name that each address is asked for under: all that an old file says of what it did not download."""
        if self.asked_as is None:
            self.asked_as = {
                ref: alias for section in (self.snapshots, self.packages) for alias, ref in section.asked_by_key()
            }
            self.asked_as |= {want.ref: want.alias for _, wanted in self.wanted.values() for want in wanted}
        return self.asked_as

    def _entry(self, key: str) -> Entry:
        """What `packages` says of the package that a key of either section is about."""
        return self.packages.entry(key if self.packages.line(key) else split_suffix(key)[0])

    def _add_linked(self, path: str, want: Wanted) -> None:
        """A row for a folder that is linked: a member of the workspace, or a folder beside it."""
        if path in self.member_at or not valid_name(want.alias):
            return
        line = self.wanted[path][0] if path in self.wanted else want.line
        self.member_at[path] = len(self.where)
        self.rows.keys.append(f"link:{path}")
        self.rows.names.append(want.alias)
        self.rows.versions.append(None)
        self.lines.append(line)
        self.where.append(None)

    def _sources(self) -> list[Source]:
        return [self._source_at(index) for index in range(len(self.where))]

    def _source_at(self, index: int) -> Source:
        key = self.rows.keys[index]
        return self._linked_source(key[5:]) if self.where[index] is None else self._source(key, index)

    def _linked_source(self, path: str) -> Source:
        return Source(WORKSPACE if path in self.wanted else LINK, path=path)

    def _source(self, key: str, index: int) -> Source:
        entry = self._entry(key)
        source = resolution_source(self.odd.get(index), entry)
        if entry.patched or "(patch_hash=" in key:
            name = self.rows.names[index]
            patch = self.patches.get(f"{name}@{self.rows.versions[index]}") or self.patches.get(name)
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

    def _edges_of(self, indexes: Sequence[int]) -> list[tuple[Edge, ...]]:
        keys, at, target_of = self.rows.keys, self.at, self._target
        names, versions = self.rows.names, self.rows.versions
        before, between = _KEY_SHAPES[min(max(self.major, 5), 7)]
        found: list[tuple[Edge, ...]] = []
        for index in indexes:
            where, key = self.where[index], keys[index]
            if where is None:
                path = key[5:]
                found.append(tuple(self._wanted_edge(path, want) for want in self.wanted.get(path, (0, []))[1]))
                continue
            edges = []
            for group, alias, ref in where.dependencies(key):
                target = at.get(f"{before}{alias}{between}{ref}")
                link = None
                if target is not None:  # the texts are the target's own, kept once
                    known, stated = names[target], versions[target]
                    alias, ref = (known if known == alias else alias), (stated if stated == ref and stated else ref)  # noqa: PLW2901
                else:
                    link = _linked_path(".", ref) if ref.startswith("link:") else None
                    target = target_of(alias, ref) if link is None else self.member_at.get(link)
                edges.append(new_record(Edge, (alias, target, ref, group, None, 0, link, ())))
            found.append(tuple(edges))
        return found

    def _asking(self, names: frozenset[str]) -> Iterator[int]:
        """The rows whose entry names one of these; linked folders always, since the importers say what they want."""
        yield from (index for index, where in enumerate(self.where) if where is None)
        for section in (self.snapshots, self.packages):
            for key in section.asking(names):
                index = self.at.get(key)
                if index is not None and self.where[index] is section:
                    yield index

    def _target(self, alias: str, ref: str) -> int | None:
        candidates = key_candidates(alias, ref, self.major)
        for candidate in candidates:
            found = self.at.get(candidate)
            if found is not None:
                return found
        if self.base_at is None:
            self.base_at = {}
            for key, index in self.at.items():
                self.base_at.setdefault(split_suffix(key)[0], index)
        for candidate in candidates:
            found = self.base_at.get(split_suffix(candidate)[0])
            if found is not None:
                return found
        return None

    def _aliases(self) -> dict[int, tuple[str, ...]]:
        found: dict[int, dict[str, None]] = {}
        names = self.rows.names
        asked = [
            (each.alias, each.ref) for _, wanted in self.wanted.values() for each in wanted if each.ref[:5] != "link:"
        ]
        for section in (self.snapshots, self.packages):
            asked += section.asked_by_key()
        for alias, ref in asked:
            target = self._target(alias, ref)
            if target is not None and alias != names[target]:
                found.setdefault(target, {})[alias] = None
        return {index: tuple(aliases) for index, aliases in found.items()}

    def _stated_groups(self) -> list[tuple[str, ...]]:
        return [
            () if where is None else self._entry(key).groups
            for key, where in zip(self.rows.keys, self.where, strict=True)
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

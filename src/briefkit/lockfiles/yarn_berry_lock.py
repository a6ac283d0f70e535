"""`yarn.lock` of yarn 2 and later: YAML, entries headed by the descriptors (`name@npm:range`) that they answer.

An entry's name comes from its `resolution`, never from its head. Members are the entries resolved to `workspace:`; the file merges their
production and development dependencies, so that only a manifest can tell these apart.
"""

from __future__ import annotations

import posixpath
import re

from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING

from ..errors import Place, UnknownFormatError, UnreadableError
from ..packages import DIRECTORY, FILE, LINK, PATCH, REGISTRY, URL, WORKSPACE, Edge, Importer, Skipped, Source
from .locked_graph import OPTIONAL, PEER, PROD, LockedGraph, Rows, graph_reading, new_record
from .npm_sources import ARCHIVE, NPM_NAME, clean_url, git_source, is_git, split_alias
from .yaml_flow import Mapping
from .yaml_subset import iter_items
from .yarn_berry_entries import BerryEntries, berry_entries

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .reading import LockfileReading

OLDEST, NEWEST = 1, 10
_ANOTHER_FORMAT = 100
"""yarn counts its versions up with every change of detail, and they read alike; past this it must be another format."""
_LOCAL = ("workspace:", "link:", "portal:")
LOCAL_VERSION = "0.0.0-use.local"
"""What yarn writes where a version is of no account, in members and links."""
_PROTOCOL = lazy_pattern(r"[a-z][a-z+]*:", re.IGNORECASE)
_ESCAPED = lazy_pattern(r"(?:%[0-9A-Fa-f]{2})+")


def read_yarn_berry_lock(text: str, path: str) -> LockfileReading:
    """What a `yarn.lock` of yarn 2 or later says.

    Raises:
        UnreadableError: The text is not YAML as yarn writes it, or holds no `__metadata`.
        UnknownFormatError: Its version is newer than the ones that are read.

    """
    return reading_of(berry_entries(text, path), path)


def reading_of(entries: BerryEntries, path: str) -> LockfileReading:
    """What the entries of a file say."""
    return _BerryLock(entries, path).reading()


def _version(entries: BerryEntries, path: str) -> str:
    stated = entries.version
    if stated is None:
        raise UnreadableError("no lockfile of yarn 2 or later: it has no '__metadata.version'", place=Place(path, 1))
    place = Place(path, entries.version_line, "__metadata.version")
    if not re.fullmatch(r"[0-9]{1,6}", stated):
        raise UnreadableError("holds no version number", place=place)
    if not OLDEST <= int(stated) < _ANOTHER_FORMAT:
        raise UnknownFormatError(
            f"version {stated} is not one that briefkit reads ({OLDEST} to {NEWEST})",
            place=place,
            todo="Update briefkit",
        )
    return stated


class _BerryLock:
    """The entries of one file, as a graph."""

    def __init__(self, entries: BerryEntries, path: str) -> None:
        self.path = path
        self.version = _version(entries, path)
        self.entries = entries
        self.rows = Rows(self._sources, lambda index: self._sources((index,))[0])
        self.places: list[int] = []
        self.patterns: dict[str, int] = {}
        self.patched: dict[str, int] = {}
        self.broken: list[Skipped] = []
        self._fill()
        self.local = self._local()
        self._by_name: dict[str, int | None] | None = None
        self.graph = LockedGraph(
            self.rows,
            edges_of=self._edges_of,
            lines=self._lines,
            importers=self._importers,
            aliases=self._aliases,
            groups=lambda: [()] * len(self.places),
            direct_known=any(source.kind == WORKSPACE for source in self.local.values()),
            asking=self._asking,
        )

    def reading(self) -> LockfileReading:
        notes = []
        if int(self.version) > NEWEST:
            notes.append(f"version {self.version} is newer than briefkit knows; read as {NEWEST}")
        return graph_reading(
            self.graph,
            path=self.path,
            format_name="yarn-berry",
            format_version=self.version,
            skipped=self._skipped,
            patterns=self._all_patterns,
            notes=notes,
            members=tuple(
                source.path or "." for source in self.local.values() if source.kind == WORKSPACE and source.path != "."
            ),
        )

    def _fill(self) -> None:
        """A row for each entry, named by its resolution."""
        entries, patterns, places = self.entries, self.patterns, self.places
        keys, names, versions = self.rows.keys, self.rows.names, self.rows.versions
        is_name = NPM_NAME.fullmatch
        for place, (head, resolution, version) in enumerate(
            zip(entries.heads, entries.resolutions, entries.versions, strict=True)
        ):
            name = "" if resolution is None else resolution[: resolution.find("@", 1)]
            if resolution is None or not is_name(name):
                reason = "the entry has no resolution" if resolution is None else "its resolution names no package"
                self.broken.append(Skipped(head, entries.lines[place], reason))
                continue
            index = len(places)
            for descriptor in head.split(", ") if ", " in head else (head,):
                patterns[descriptor] = index
                if "@patch:" in descriptor and (inner := _patched_descriptor(descriptor)) is not None:
                    self.patched[inner] = index
            places.append(place)
            keys.append(resolution)
            names.append(name)
            versions.append(None if version == LOCAL_VERSION else version or None)

    def _local(self) -> dict[int, Source]:
        """The sources of members and linked folders, which their resolutions tell apart from all others."""
        found = {
            index: self.rows.source(index)
            for index, resolution in enumerate(self.rows.keys)
            if resolution.startswith(_LOCAL, resolution.find("@", 1) + 1)
        }
        return {index: source for index, source in found.items() if source.kind in (WORKSPACE, LINK)}

    def _sources(self, indexes: Sequence[int] | None = None) -> list[Source]:
        """The source of each of these rows, of every row where none are given."""
        checksum = self.entries.checksum
        found = []
        keys, names, places = self.rows.keys, self.rows.names, self.places
        for index in range(len(keys)) if indexes is None else indexes:
            resolution, name, place = keys[index], names[index], places[index]
            reference = resolution[len(name) + 1 :]
            if reference[:4] == "npm:" and "::" not in reference:
                found.append(new_record(Source, (REGISTRY, None, checksum(place), None, None)))
            else:
                found.append(_source(reference, checksum(place)))
        return found

    def _lines(self) -> list[int]:
        lines = self.entries.lines
        return [lines[place] for place in self.places]

    def _asking(self, names: frozenset[str]) -> Iterator[int]:
        """The rows whose dependencies may name one of these; members always, for their peers."""
        mentions = self.entries.mentions
        return (index for index, place in enumerate(self.places) if index in self.local or mentions(place, names))

    def _edges_of(self, indexes: Sequence[int]) -> list[tuple[Edge, ...]]:
        """The edges of each of these instances; those of a member know their lines, and its peers are among them."""
        patterns, patched, local, names = self.patterns, self.patched, self.local, self.rows.names
        found: list[tuple[Edge, ...]] = []
        for index in indexes:
            if index in local and local[index].kind == WORKSPACE:
                found.append(self._member_edges(index))
                continue
            place = self.places[index]
            optional = self._optional(place)
            edges = []
            for name, asked in self.entries.dependencies(place):
                group = OPTIONAL if optional and name in optional else PROD
                requirement = asked[4:] if asked[:4] == "npm:" else asked
                descriptor = f"{name}@npm:{requirement}"
                target = patterns.get(descriptor)
                if target is None or target in local or descriptor in patched or ":" in requirement:
                    edges.append(self._edge(index, name, asked, group, 0))
                else:  # the name is the target's own text, kept once
                    known = names[target]
                    same = known if known == name else name
                    edges.append(new_record(Edge, (same, target, requirement, group, None, 0, None, ())))
            found.append(tuple(edges))
        return found

    def _optional(self, place: int) -> frozenset[str]:
        """The names that an entry's `dependenciesMeta` says are optional."""
        if not self.entries.has(place, "dependenciesMeta"):
            return frozenset()
        meta = iter_items(self.entries.whole(place).get("dependenciesMeta"))
        return frozenset(
            name for name, fields, _ in meta if isinstance(fields, Mapping) and fields.get("optional") == "true"
        )

    def _member_edges(self, index: int) -> tuple[Edge, ...]:
        place = self.places[index]
        fields, optional = self.entries.whole(place), self._optional(place)
        declared = fields.get("dependencies")
        edges = [
            self._edge(index, name, asked, OPTIONAL if name in optional else PROD, line)
            for name, asked, line in iter_items(declared)
            if isinstance(asked, str)
        ]
        names = declared if isinstance(declared, Mapping) else {}
        edges += [
            Edge(name, self._only(name), asked, PEER, None, line)
            for name, asked, line in iter_items(fields.get("peerDependencies"))
            if isinstance(asked, str) and name not in names
        ]
        return tuple(edges)

    def _edge(self, index: int, name: str, asked: str, group: str, line: int) -> Edge:
        target = self._target(index, name, asked)
        source = None if target is None else self.local.get(target)
        link = source.path if source is not None and source.kind in (WORKSPACE, LINK) else None
        return Edge(
            name,
            target,
            asked[4:] if asked.startswith("npm:") and split_alias(asked) is None else asked,
            group,
            None,
            line,
            link,
        )

    def _target(self, index: int, name: str, asked: str) -> int | None:
        """The entry that a dependency leads to: under its descriptor, patched where yarn patches it itself."""
        descriptors = [f"{name}@{asked}"]
        if not _PROTOCOL.match(asked):
            descriptors.append(f"{name}@npm:{asked}")
        for descriptor in descriptors:
            found = self.patched.get(descriptor)
            if found is None:
                found = self.patterns.get(descriptor)
            if found is not None:
                return found
        located = f"{name}@{asked}::locator={_escaped(self.rows.keys[index])}"
        found = self.patterns.get(located)
        return self._only(name) if found is None else found

    def _only(self, name: str) -> int | None:
        """The entry under a name where there is but one: `resolutions` may have replaced the range that is asked for."""
        if self._by_name is None:
            self._by_name = {}
            for index, names in enumerate(self._heads()):
                for known in names:
                    self._by_name[known] = None if known in self._by_name else index
        return self._by_name.get(name)

    def _all_patterns(self) -> dict[str, int]:
        """The descriptors, those of a registry also as a manifest writes them, without `npm:`."""
        found = {descriptor.replace("@npm:", "@", 1): index for descriptor, index in self.patterns.items()}
        return found | self.patterns

    def _heads(self) -> list[dict[str, None]]:
        """The names in each entry's head."""
        found: list[dict[str, None]] = [{} for _ in self.places]
        for descriptor, index in self.patterns.items():
            found[index][split_descriptor(descriptor)[0]] = None
        return found

    def _aliases(self) -> dict[int, tuple[str, ...]]:
        found = {}
        for index, (names, name) in enumerate(zip(self._heads(), self.rows.names, strict=True)):
            names.pop(name, None)
            if names:
                found[index] = tuple(names)
        return found

    def _importers(self) -> tuple[Importer, ...]:
        rows, lines = self.rows, self.graph.lines()
        return tuple(
            Importer(source.path or ".", rows.names[index], None, lines[index], self.graph.edges(index))
            for index, source in self.local.items()
            if source.kind == WORKSPACE
        )

    def _skipped(self) -> tuple[Skipped, ...]:
        rows = self.rows
        unstated = (
            Skipped(name, line, "the lockfile states no version")
            for name, version, line in zip(rows.names, rows.versions, self._lines(), strict=True)
            if version is None
        )
        return (*self.broken, *unstated)


def split_descriptor(text: str) -> tuple[str, str]:
    """The name and the rest of `name@range` or `name@reference`."""
    at = text.find("@", 1)
    return (text, "") if at < 0 else (text[:at], text[at + 1 :])


def _patched_descriptor(descriptor: str) -> str | None:
    """The descriptor that a patch of yarn's own (`patch:name@npm%3Arange#builtin<…>`) stands for; None of any other."""
    at = descriptor.find("@patch:", 1)
    if at < 0:
        return None
    inner, _, patch = descriptor[at + len("@patch:") :].partition("#")
    return _unescaped(inner) if "builtin<" in patch else None


def _source(reference: str, checksum: str | None) -> Source:
    protocol, _, rest = reference.partition(":")
    selector, _, parameters = rest.partition("::")
    if protocol == "npm":
        archive = _parameter(parameters, "__archiveUrl")
        return Source(REGISTRY, clean_url(archive) if archive else None, checksum)
    if protocol == "workspace":
        return Source(WORKSPACE, path=selector or ".")
    if protocol == "patch":
        patch = selector.partition("#")[2].removeprefix("optional!").removeprefix("~builtin<")
        own = "builtin<" in selector
        path = f"builtin<{patch.removeprefix('builtin<')}" if own else _local(patch, parameters)
        return Source(PATCH, None, checksum, path if patch else None)
    if protocol in ("link", "portal"):
        return Source(LINK, path=_local(selector, parameters))
    if protocol == "file":
        target = selector.partition("#")[0]
        kind = FILE if target.endswith(ARCHIVE) else DIRECTORY
        return Source(kind, None, checksum, _local(target, parameters))
    if "#commit" in reference or is_git(reference) or ".git#" in reference:
        return git_source(reference.replace("#commit:", "#commit="), checksum)
    return Source(URL, clean_url(reference), checksum)


def _local(target: str, parameters: str) -> str:
    """A local path relative to the lockfile's folder: it is written relative to the member that asks."""
    locator = _parameter(parameters, "locator") or ""
    member = locator.partition("@workspace:")[2].partition("::")[0]
    return posixpath.normpath(posixpath.join(member, target)) if not target.startswith("~/") else target[2:]


def _parameter(parameters: str, name: str) -> str | None:
    for part in parameters.split("&"):
        key, _, value = part.partition("=")
        if key == name:
            return _unescaped(value)
    return None


def _unescaped(text: str) -> str:
    def decoded(found: re.Match[str]) -> str:
        return bytes.fromhex(found.group().replace("%", "")).decode("utf-8", "replace")

    return _ESCAPED.sub(decoded, text) if "%" in text else text


def _escaped(text: str) -> str:
    """The text as yarn escapes a locator."""
    return re.sub(
        r"[^A-Za-z0-9_.!~*'()-]",
        lambda found: "".join(f"%{byte:02X}" for byte in found.group().encode("utf-8", "replace")),
        text,
    )

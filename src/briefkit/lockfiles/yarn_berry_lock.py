"""`yarn.lock` of yarn 2 and later: YAML, entries headed by the descriptors (`name@npm:range`) that they answer.

An entry's name comes from its `resolution`, never from its head. Members are the entries resolved to `workspace:`; the file merges their
production and development dependencies, so that only a manifest can tell these apart.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from ..errors import Place, UnknownFormatError, UnreadableError
from ..packages import DIRECTORY, FILE, LINK, PATCH, REGISTRY, URL, WORKSPACE, Edge, Importer, Skipped, Source
from .locked_graph import OPTIONAL, PEER, PROD, LockedGraph, Rows, graph_reading
from .npm_sources import clean_url, git_source, is_git, valid_name
from .yaml_subset import Mapping, iter_items, parse_yaml, split_documents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .reading import LockfileReading

OLDEST, NEWEST = 1, 10
LOCAL_VERSION = "0.0.0-use.local"
"""What yarn writes where a version is of no account, in members and links."""
_METADATA = "__metadata"
_PROTOCOL = re.compile(r"[a-z][a-z+]*:", re.IGNORECASE)
_ESCAPED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_ARCHIVE = re.compile(r"\.(?:tgz|tar\.gz|tar)(?:[#:]|$)")


def read_yarn_berry_lock(text: str, path: str) -> LockfileReading:
    """What a `yarn.lock` of yarn 2 or later says.

    Raises:
        UnreadableError: The text is not YAML as yarn writes it, or holds no `__metadata`.
        UnknownFormatError: Its version is newer than the ones that are read.

    """
    line, only = split_documents(text)[0]
    document = parse_yaml(only, path, first_line=line, repeated_keys=True)
    if document is None:
        raise UnreadableError("the file is empty", place=Place(path, 1))
    if not isinstance(document, Mapping):
        raise UnreadableError("holds no mapping", place=Place(path, 1))
    return _BerryLock(document, path).reading()


def _version(document: Mapping, path: str) -> str:
    metadata = document.get(_METADATA)
    if not isinstance(metadata, Mapping) or not isinstance(stated := metadata.get("version"), str):
        raise UnreadableError("no lockfile of yarn 2 or later: it has no '__metadata.version'", place=Place(path, 1))
    place = Place(path, metadata.lines["version"], "__metadata.version")
    if not re.fullmatch(r"[0-9]{1,6}", stated):
        raise UnreadableError("holds no version number", place=place)
    if int(stated) > NEWEST * 10 or int(stated) < OLDEST:
        raise UnknownFormatError(
            f"version {stated} is newer than briefkit reads ({OLDEST} to {NEWEST})", place=place, todo="Update briefkit"
        )
    return stated


class _BerryLock:
    """The entries of one file, as a graph."""

    def __init__(self, document: Mapping, path: str) -> None:
        self.path = path
        self.version = _version(document, path)
        self.rows = Rows()
        self.entries: list[Mapping] = []
        self.lines: list[int] = []
        self.patterns: dict[str, int] = {}
        self.patched: dict[str, int] = {}
        self.broken: list[Skipped] = []
        for head, entry, line in iter_items(document):
            if head != _METADATA:
                self._add(head, entry, line)
        self._by_name: dict[str, int | None] | None = None
        self.graph = LockedGraph(
            self.rows,
            edges_of=lambda indexes: [tuple(self._edges(index)) for index in indexes],
            lines=lambda: self.lines,
            importers=self._importers,
            aliases=self._aliases,
            groups=lambda: [()] * len(self.entries),
            direct_known=any(source.kind == WORKSPACE for source in self.rows.sources),
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
                source.path or "." for source in self.rows.sources if source.kind == WORKSPACE and source.path != "."
            ),
        )

    def _add(self, head: str, entry: object, line: int) -> None:
        resolution = entry.get("resolution") if isinstance(entry, Mapping) else None
        if not isinstance(entry, Mapping) or not isinstance(resolution, str):
            self.broken.append(Skipped(head, line, "the entry has no resolution"))
            return
        name, reference = split_descriptor(resolution)
        if not valid_name(name):
            self.broken.append(Skipped(head, line, "its resolution names no package"))
            return
        index = len(self.entries)
        for descriptor in head.split(", "):
            self.patterns[descriptor] = index
            inner = _patched_descriptor(descriptor)
            if inner is not None:
                self.patched[inner] = index
        self.entries.append(entry)
        self.lines.append(line)
        version, checksum = entry.get("version"), entry.get("checksum")
        stated = version if isinstance(version, str) and version != LOCAL_VERSION else None
        self.rows.add(resolution, name, stated, _source(reference, checksum if isinstance(checksum, str) else None))

    def _edges(self, index: int) -> Iterator[Edge]:
        entry = self.entries[index]
        optional = entry.get("dependenciesMeta")
        declared = entry.get("dependencies")
        for name, asked, line in iter_items(declared):
            if not isinstance(asked, str):
                continue
            meta = optional.get(name) if isinstance(optional, Mapping) else None
            group = OPTIONAL if isinstance(meta, Mapping) and meta.get("optional") == "true" else PROD
            yield self._edge(index, name, asked, group, line)
        if self.rows.sources[index].kind == WORKSPACE:
            for name, asked, line in iter_items(entry.get("peerDependencies")):
                if isinstance(asked, str) and not (isinstance(declared, Mapping) and name in declared):
                    yield Edge(name, self._only(name), asked, PEER, None, line)

    def _edge(self, index: int, name: str, asked: str, group: str, line: int) -> Edge:
        target = self._target(index, name, asked)
        member = self.rows.sources[index].kind == WORKSPACE
        source = None if target is None else self.rows.sources[target]
        link = source.path if source is not None and source.kind in (WORKSPACE, LINK) else None
        return Edge(
            name,
            target,
            asked.removeprefix("npm:") if asked.startswith("npm:") and "@" not in asked[4:] else asked,
            group,
            None,
            line if member else 0,
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
        found: list[dict[str, None]] = [{} for _ in self.entries]
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
        rows = self.rows
        return tuple(
            Importer(source.path or ".", rows.names[index], None, self.lines[index], self.graph.edges(index))
            for index, source in enumerate(rows.sources)
            if source.kind == WORKSPACE
        )

    def _skipped(self) -> tuple[Skipped, ...]:
        rows = self.rows
        unstated = (
            Skipped(name, line, "the lockfile states no version")
            for name, version, line in zip(rows.names, rows.versions, self.lines, strict=True)
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
        patch = selector.partition("#")[2].removeprefix("optional!").removeprefix("~")
        return Source(PATCH, None, checksum, patch or None)
    if protocol in ("link", "portal"):
        return Source(LINK, path=_local(selector, parameters))
    if protocol == "file":
        target = selector.partition("#")[0]
        kind = FILE if _ARCHIVE.search(target) else DIRECTORY
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

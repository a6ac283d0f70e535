"""`yarn.lock` of yarn 1: entries headed by the patterns (`name@range`) that they answer, in a format of its own.

The file knows neither members nor what is direct: a manifest's `name@range` leads to an entry through `patterns`. Where one pattern of an
entry is an alias (`alias@npm:name@range`), the entry's real name is the alias's target.
"""

from __future__ import annotations

import re

from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING

from ..errors import Place, UnknownFormatError
from ..packages import DIRECTORY, FILE, GIT, LINK, REGISTRY, URL, Edge, Importer, Skipped, Source
from .locked_graph import LockedGraph, Rows, graph_reading, new_record
from .npm_sources import ARCHIVE, NPM_NAME, clean_url, git_source, is_git, is_url, local_path, split_alias
from .yaml_subset import normal_line_ends
from .yarn_classic_entries import ClassicEntries, classic_entries

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .reading import LockfileReading

_HEADER = lazy_pattern(r"^# yarn lockfile v(\d+)[ \t]*$", re.MULTILINE)
_SHORTHAND = lazy_pattern(r"[A-Za-z0-9][\w.-]*/[\w.-]+(?:#.*)?")


def read_yarn_classic_lock(text: str, path: str) -> LockfileReading:
    """What a `yarn.lock` of yarn 1 says.

    Raises:
        UnreadableError: A line is not of the format.
        UnknownFormatError: The header names another version than 1.

    """
    text = normal_line_ends(text)
    header = _HEADER.search(text[:4096])
    version = header.group(1) if header else "1"
    if version != "1":
        line = text.count("\n", 0, header.start()) + 1 if header else 1
        raise UnknownFormatError(
            f"yarn lockfile v{version} is newer than briefkit reads (v1)",
            place=Place(path, line),
            todo="Update briefkit",
        )
    return reading_of(classic_entries(text, path), path, version)


def reading_of(entries: ClassicEntries, path: str, version: str = "1") -> LockfileReading:
    """What the entries of a file say."""
    return _ClassicLock(entries).reading(path, version)


class _ClassicLock:
    """The entries of one file, as a graph."""

    def __init__(self, entries: ClassicEntries) -> None:
        self.entries = entries
        self.rows = Rows(self._sources, self._source)
        self.places: list[int] = []
        self.patterns: dict[str, int] = {}
        self._unnamed: list[int] = []
        self._fill()
        self._by_name: dict[str, int | None] | None = None
        self.graph = LockedGraph(
            self.rows,
            edges_of=lambda indexes: [self._edges(index) for index in indexes],
            lines=self._lines,
            importers=lambda: (Importer(".", declared=False),),
            aliases=self._aliases,
            groups=lambda: [()] * len(self.places),
            direct_known=False,
            asking=self._asking,
        )

    def reading(self, path: str, version: str) -> LockfileReading:
        """The reading of these entries."""
        return graph_reading(
            self.graph,
            path=path,
            format_name="yarn-classic",
            format_version=version,
            skipped=self._skipped,
            patterns=lambda: self.patterns,
        )

    def _fill(self) -> None:
        """A row for each entry whose package has a name."""
        entries, patterns, places = self.entries, self.patterns, self.places
        keys, names, versions = self.rows.keys, self.rows.names, self.rows.versions
        is_name = NPM_NAME.fullmatch
        for place, (answered, stated, version) in enumerate(
            zip(entries.patterns, entries.names, entries.versions, strict=True)
        ):
            name = stated or real_name(answered)
            if not is_name(name):
                self._unnamed.append(place)
                continue
            index = len(places)
            for pattern in answered:
                patterns[pattern] = index
            places.append(place)
            keys.append(answered[0] if len(answered) == 1 else ", ".join(answered))
            names.append(name)
            linked = "@link:" in answered[0] and split_pattern(answered[0])[1].startswith("link:")
            versions.append(None if linked else version or None)

    def _lines(self) -> list[int]:
        lines = self.entries.lines()
        return [lines[place] for place in self.places]

    def _source(self, index: int) -> Source:
        place, entries = self.places[index], self.entries
        return _source(entries.patterns[place][0], entries.resolved(place), entries.integrity(place))

    def _sources(self) -> list[Source]:
        return [self._source(index) for index in range(len(self.places))]

    def _asking(self, names: frozenset[str]) -> Iterator[int]:
        """The rows whose dependencies may name one of these."""
        mentions = self.entries.mentions
        return (index for index, place in enumerate(self.places) if mentions(place, names))

    def _edges(self, index: int) -> tuple[Edge, ...]:
        found = []
        names, patterns = self.rows.names, self.patterns
        for group, name, asked in self.entries.dependencies(self.places[index]):
            target = patterns.get(f"{name}@{asked}")
            if target is None:
                target = self._only(name)
            elif names[target] == name:
                name = names[target]  # noqa: PLW2901 - the same text, kept once
            found.append(new_record(Edge, (name, target, asked, group, None, 0, None, ())))
        return tuple(found)

    def _only(self, name: str) -> int | None:
        """The entry under a name where there is but one: a `resolutions` field may have replaced the range that is asked for."""
        if self._by_name is None:
            self._by_name = {}
            for index, names in enumerate(self._installed_names()):
                for known in names:
                    self._by_name[known] = None if known in self._by_name else index
        return self._by_name.get(name)

    def _installed_names(self) -> list[dict[str, None]]:
        """The names among each entry's patterns."""
        found: list[dict[str, None]] = [{} for _ in self.places]
        for pattern, index in self.patterns.items():
            found[index][split_pattern(pattern)[0]] = None
        return found

    def _aliases(self) -> dict[int, tuple[str, ...]]:
        found: dict[int, tuple[str, ...]] = {}
        names = self.rows.names
        for pattern, index in self.patterns.items():
            name = names[index]
            if not pattern.startswith(name) or pattern[len(name) : len(name) + 1] not in ("@", ""):
                alias = split_pattern(pattern)[0]
                if alias not in found.get(index, ()):
                    found[index] = (*found.get(index, ()), alias)
        return found

    def _skipped(self) -> tuple[Skipped, ...]:
        unstated = (
            Skipped(name, line, "the lockfile states no version")
            for name, version, line in zip(self.rows.names, self.rows.versions, self.graph.lines(), strict=True)
            if version is None
        )
        entries = self.entries
        lines = entries.lines() if self._unnamed else ()
        unnamed = (
            Skipped(entries.patterns[place][0], lines[place], "its pattern names no package") for place in self._unnamed
        )
        return (*unnamed, *unstated)


def split_pattern(pattern: str) -> tuple[str, str]:
    """The name and the range of `name@range`; the name ends at the first `@` that does not begin it."""
    at = pattern.find("@", 1)
    return (pattern, "") if at < 0 else (pattern[:at], pattern[at + 1 :])


def real_name(patterns: Sequence[str]) -> str:
    """The name of the package that an entry answers for: the target of an alias among its patterns, else the name in the first."""
    for pattern in patterns:
        alias = split_alias(split_pattern(pattern)[1]) if "npm:" in pattern else None
        if alias is not None:
            return alias[0]
    return split_pattern(patterns[0])[0]


def _source(pattern: str, resolved: str, integrity: str | None) -> Source:
    asked = split_pattern(pattern)[1]
    if asked.startswith("link:"):
        return Source(LINK, path=local_path(asked))
    if asked.startswith("file:") or resolved.startswith("file:"):
        path = local_path(asked if asked.startswith("file:") else resolved.partition("#")[0])
        return Source(FILE if path.endswith(ARCHIVE) else DIRECTORY, None, integrity, path)
    if not resolved:
        return Source(REGISTRY, None, integrity)
    if is_git(resolved) or resolved.startswith("ssh:"):
        return git_source(resolved, integrity)
    if is_url(asked) or is_git(asked) or _SHORTHAND.fullmatch(asked):
        return _asked_by_address(asked, resolved, integrity)
    return Source(REGISTRY, clean_url(resolved.partition("#")[0]), integrity)


def _asked_by_address(asked: str, resolved: str, integrity: str | None) -> Source:
    """What was asked for by an address: a repository's archive or clone is git, anything else a download."""
    address, _, fragment = resolved.partition("#")
    commit = re.search(r"(?<![0-9a-f])[0-9a-f]{40}(?![0-9a-f])", address)
    if commit or is_git(asked) or address.endswith(".git") or not is_url(asked):
        return Source(GIT, clean_url(address), integrity, None, commit.group() if commit else fragment or None)
    return Source(URL, clean_url(address), integrity)

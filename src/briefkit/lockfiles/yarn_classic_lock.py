"""`yarn.lock` of yarn 1: entries headed by the patterns (`name@range`) that they answer, in a format of its own.

The file knows neither members nor what is direct: a manifest's `name@range` leads to an entry through `patterns`. Where one pattern of an
entry is an alias (`alias@npm:name@range`), the entry's real name is the alias's target.
"""

from __future__ import annotations

import re

from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING, NamedTuple

from ..errors import Place, UnknownFormatError, UnreadableError
from ..packages import DIRECTORY, FILE, GIT, LINK, REGISTRY, URL, Edge, Importer, Skipped, Source
from .json_document import unquoted
from .locked_graph import OPTIONAL, PROD, LockedGraph, Rows, graph_reading, new_record
from .npm_sources import ARCHIVE, clean_url, git_source, is_git, is_url, local_path, split_alias, valid_name
from .yaml_subset import normal_line_ends

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn

    from .reading import LockfileReading

_HEADER = lazy_pattern(r"^# yarn lockfile v(\d+)[ \t]*$", re.MULTILINE)
_WORD = r'"(?:[^"\\\n]|\\.)*+"'
_KEY = lazy_pattern(rf"({_WORD}|[^\s\",][^\",\n]*+)(?:,[ ]*+|$)")
_FIELD = lazy_pattern(rf"({_WORD}|[^\s\":]++):?(?:[ ]++({_WORD}|[^\s\"][^\n]*+))?$")
_BLOCKS = {"dependencies": PROD, "optionalDependencies": OPTIONAL}
_SHORTHAND = lazy_pattern(r"[A-Za-z0-9][\w.-]*/[\w.-]+(?:#.*)?")


class _Entry(NamedTuple):
    """One entry as it is written: patterns, the fields it has, its dependencies as (group, name, range)."""

    line: int
    patterns: list[str]
    fields: dict[str, str]
    dependencies: list[tuple[str, str, str]]


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
    return _ClassicLock(_entries(text, path)).reading(path, version)


def _entries(text: str, path: str) -> Iterator[_Entry]:
    """The entries, in order."""
    entry: _Entry | None = None
    block: str | None = None
    for number, line in enumerate(text.split("\n"), 1):
        content = line.lstrip(" ")
        if not content or content[0] == "#" or not content.strip():
            continue
        indent = len(line) - len(content)
        if indent == 0:
            if entry is not None:
                yield entry
            entry, block = _Entry(number, _patterns(line, path, number), {}, []), None
        elif entry is None:
            _fail(path, number, "a field outside an entry")
        elif indent == 2:
            key, value = _field(content, path, number)
            block = key if value is None else None
            if value is not None:
                entry.fields[key] = value
        elif block is None:
            _fail(path, number, "indented further than the line above it")
        elif block in _BLOCKS:
            key, value = _field(content, path, number)
            entry.dependencies.append((_BLOCKS[block], key, value or ""))
    if entry is not None:
        yield entry


def _patterns(line: str, path: str, number: int) -> list[str]:
    line = line.rstrip()
    if not line.endswith(":") or line == ":":
        _fail(path, number, "an entry's head without a colon at its end")
    line = line[:-1].rstrip()
    patterns = []
    at = 0
    while at < len(line):
        found = _KEY.match(line, at)
        if found is None:
            _fail(path, number, "a malformed entry head")
        patterns.append(unquoted(found.group(1)))
        at = found.end()
    return patterns


def _field(content: str, path: str, number: int) -> tuple[str, str | None]:
    found = _FIELD.match(content.rstrip())
    if found is None:
        _fail(path, number, "a malformed field")
    value = found.group(2)
    return unquoted(found.group(1)), None if value is None else unquoted(value)


def _fail(path: str, line: int, what: str) -> NoReturn:
    raise UnreadableError(f"not a yarn lockfile: {what}", place=Place(path, line))


class _ClassicLock:
    """The entries of one file, as a graph."""

    def __init__(self, entries: Iterator[_Entry]) -> None:
        self.rows = Rows()
        self.lines: list[int] = []
        self.dependencies: list[tuple[tuple[str, str, str], ...]] = []
        self.patterns: dict[str, int] = {}
        self.broken: list[Skipped] = []
        for entry in entries:
            self._add(entry)
        self._by_name: dict[str, int | None] | None = None
        self.graph = LockedGraph(
            self.rows,
            edges_of=lambda indexes: [self._edges(index) for index in indexes],
            lines=lambda: self.lines,
            importers=lambda: (Importer(".", declared=False),),
            aliases=self._aliases,
            groups=lambda: [()] * len(self.lines),
            direct_known=False,
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

    def _add(self, entry: _Entry) -> None:
        name = real_name(entry)
        if not valid_name(name):
            self.broken.append(Skipped(entry.patterns[0], entry.line, "its pattern names no package"))
            return
        index = len(self.lines)
        for pattern in entry.patterns:
            self.patterns[pattern] = index
        source = _source(entry)
        version = None if source.kind == LINK else entry.fields.get("version") or None
        self.lines.append(entry.line)
        self.dependencies.append(tuple(entry.dependencies))
        self.rows.add(
            entry.patterns[0] if len(entry.patterns) == 1 else ", ".join(entry.patterns), name, version, source
        )

    def _edges(self, index: int) -> tuple[Edge, ...]:
        found = []
        names, patterns = self.rows.names, self.patterns
        for group, name, asked in self.dependencies[index]:
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
        found: list[dict[str, None]] = [{} for _ in self.lines]
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
            for name, version, line in zip(self.rows.names, self.rows.versions, self.lines, strict=True)
            if version is None
        )
        return (*self.broken, *unstated)


def split_pattern(pattern: str) -> tuple[str, str]:
    """The name and the range of `name@range`; the name ends at the first `@` that does not begin it."""
    at = pattern.find("@", 1)
    return (pattern, "") if at < 0 else (pattern[:at], pattern[at + 1 :])


def real_name(entry: _Entry) -> str:
    """The name of the package itself: as stated, as an alias among the patterns says, else as the first pattern says."""
    stated = entry.fields.get("name")
    if stated:
        return stated
    for pattern in entry.patterns:
        alias = split_alias(split_pattern(pattern)[1])
        if alias is not None:
            return alias[0]
    return split_pattern(entry.patterns[0])[0]


def _source(entry: _Entry) -> Source:
    asked = split_pattern(entry.patterns[0])[1]
    resolved, integrity = entry.fields.get("resolved"), entry.fields.get("integrity")
    if asked.startswith("link:"):
        return Source(LINK, path=local_path(asked))
    if asked.startswith("file:") or (resolved or "").startswith("file:"):
        path = local_path(asked if asked.startswith("file:") else (resolved or "").partition("#")[0])
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

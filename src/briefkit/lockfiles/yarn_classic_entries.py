"""The entries of a yarn 1 lockfile: cut out of the layout that yarn writes, or as a parser of the format gives them."""

from __future__ import annotations

from itertools import accumulate

from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING, NamedTuple, Protocol

from ..errors import Place, UnreadableError
from .json_document import unquoted
from .locked_graph import OPTIONAL, PROD
from .yaml_blocks import OtherLayout

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import NoReturn

_WORD = r'"(?:[^"\\\n]|\\.)*+"'
_KEY = lazy_pattern(rf"({_WORD}|[^\s\",][^\",\n]*+)(?:,[ ]*+|$)")
_FIELD = lazy_pattern(rf"({_WORD}|[^\s\":]++):?(?:[ ]++({_WORD}|[^\s\"][^\n]*+))?$")
_BLOCKS = {"dependencies": PROD, "optionalDependencies": OPTIONAL}

_PATTERN = r'(?:"[^"\\\n]++"|[^\s",:#\\][^\s",:\\]*+)'
_VALUE = r'(?:"[^"\\\n]*+"|[^\s"\\]++)'
_PAIRS = rf'(?:    (?:"[^"\\\n]++"|[^\s":#\\]++) {_VALUE}\n)++'
_SCANNED = lazy_pattern(
    rf"(?m)^(({_PATTERN}(?:, {_PATTERN})*+):\n"
    rf"(?:  name ({_VALUE})\n)?+  version ({_VALUE})\n(?:  uid {_VALUE}\n)?+"
    rf"(?:  resolved ({_VALUE})\n)?+(?:  registry {_VALUE}\n)?+(?:  integrity ({_VALUE})\n)?+"
    rf"(?:  dependencies:\n({_PAIRS}))?+(?:  optionalDependencies:\n({_PAIRS}))?+(?:\n++|\Z))"
)
_BEFORE = lazy_pattern(r"(?:#[^\n]*+\n|\n)*+")
_ONE_PATTERN = lazy_pattern(_PATTERN)


class ClassicEntries(Protocol):
    """The entries of a file, as columns; a name or version that an entry does not state is empty."""

    patterns: Sequence[Sequence[str]]
    names: Sequence[str]
    versions: Sequence[str]

    def lines(self) -> Sequence[int]:
        """The line of each entry's head."""

    def resolved(self, index: int) -> str:
        """Where an entry's package comes from, empty where it does not say."""

    def integrity(self, index: int) -> str | None:
        """The checksum of an entry, None where it has none."""

    def dependencies(self, index: int) -> Sequence[tuple[str, str, str]]:
        """The group, name and range of all that an entry depends on."""

    def mentions(self, index: int, names: frozenset[str]) -> bool:
        """Whether an entry may depend on one of these names; a yes may be wrong."""


def classic_entries(text: str, path: str) -> ClassicEntries:
    r"""The entries of a text whose line ends are `\n`, read in the cheapest way that its layout allows.

    Raises:
        UnreadableError: A line is not of the format.

    """
    try:
        return ScannedEntries(text)
    except OtherLayout:
        return ParsedEntries(text, path)


class ScannedEntries:
    """The entries as one pattern finds them in the text; dependencies are taken apart when they are asked for.

    Raises:
        OtherLayout: The text is not in the layout that yarn writes.

    """

    def __init__(self, text: str) -> None:
        before = _BEFORE.match(text)
        start = before.end() if before else 0
        rows = _SCANNED.findall(text, start)
        if start + sum(len(row[0]) for row in rows) != len(text):
            raise OtherLayout  # something stands between the entries
        self._first_line = text.count("\n", 0, start) + 1
        columns: Sequence[Sequence[str]] = list(zip(*rows, strict=True)) or [()] * 8
        self._texts, heads, names, versions, self._resolved, self._integrity, self._needs, self._wants = columns
        self.patterns: Sequence[Sequence[str]] = [
            (head[1:-1] if head[0] == '"' else head,) if ", " not in head else _patterns_of(head) for head in heads
        ]
        self.names: Sequence[str] = names if not any(names) else [unquoted(name) for name in names]
        self.versions: Sequence[str] = [version[1:-1] if version[0] == '"' else version for version in versions]

    def lines(self) -> list[int]:
        """The line of each entry's head."""
        lengths = (text.count("\n") for text in self._texts)
        return list(accumulate(lengths, initial=self._first_line))[:-1]

    def resolved(self, index: int) -> str:
        """Where an entry's package comes from, empty where it does not say."""
        return unquoted(self._resolved[index])

    def integrity(self, index: int) -> str | None:
        """The checksum of an entry, None where it has none."""
        written = self._integrity[index]
        return unquoted(written) if written else None

    def dependencies(self, index: int) -> list[tuple[str, str, str]]:
        """The group, name and range of all that an entry depends on."""
        return [
            (group, *_pair_of(line))
            for group, block in ((PROD, self._needs[index]), (OPTIONAL, self._wants[index]))
            for line in block.split("\n")[:-1]
        ]

    def mentions(self, index: int, names: frozenset[str]) -> bool:
        """Whether an entry may depend on one of these names."""
        needs, wants = self._needs[index], self._wants[index]
        return any(name in needs or name in wants for name in names)


def _patterns_of(head: str) -> tuple[str, ...]:
    """The patterns of a head in yarn's own layout; a comma may be within one that is quoted."""
    return tuple(map(unquoted, _ONE_PATTERN.findall(head)))


def _pair_of(line: str) -> tuple[str, str]:
    """The name and range of a dependency in yarn's own layout: a name that is not quoted ends at the first space, one that is at its quote."""
    name, _, asked = line[4:].partition(" ") if line[4] != '"' else line[5:].partition('" ')
    return name, unquoted(asked)


class _Entry(NamedTuple):
    """One entry as it is written: patterns, the fields it has, its dependencies as (group, name, range)."""

    line: int
    patterns: list[str]
    fields: dict[str, str]
    dependencies: list[tuple[str, str, str]]


class ParsedEntries:
    """The entries as a parser of lines gives them.

    Raises:
        UnreadableError: A line is not of the format.

    """

    def __init__(self, text: str, path: str) -> None:
        self._entries = list(_parse(text, path))
        self.patterns: Sequence[Sequence[str]] = [entry.patterns for entry in self._entries]
        self.names: Sequence[str] = [entry.fields.get("name", "") for entry in self._entries]
        self.versions: Sequence[str] = [entry.fields.get("version", "") for entry in self._entries]

    def lines(self) -> list[int]:
        """The line of each entry's head."""
        return [entry.line for entry in self._entries]

    def resolved(self, index: int) -> str:
        """Where an entry's package comes from, empty where it does not say."""
        return self._entries[index].fields.get("resolved", "")

    def integrity(self, index: int) -> str | None:
        """The checksum of an entry, None where it has none."""
        return self._entries[index].fields.get("integrity")

    def dependencies(self, index: int) -> list[tuple[str, str, str]]:
        """The group, name and range of all that an entry depends on."""
        return self._entries[index].dependencies

    def mentions(self, index: int, names: frozenset[str]) -> bool:
        """Whether an entry depends on one of these names."""
        return any(name in names for _, name, _ in self._entries[index].dependencies)


def _parse(text: str, path: str) -> Iterator[_Entry]:
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

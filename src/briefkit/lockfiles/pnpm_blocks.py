"""A pnpm lockfile in the layout pnpm writes, read without parsing it as YAML.

The sections are told apart by what stands at the beginning of a line. `packages`, `snapshots` and `importers` are cut into blocks; the
other sections are small and go to the general parser. Any other layout raises `OtherLayout`, or sends one block to the general parser.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING

from .locked_graph import DEV, OPTIONAL, PEER, PROD, new_record
from .pnpm_entries import (
    Entries,
    Entry,
    ParsedEntries,
    PnpmDocument,
    Resolution,
    Wanted,
    dependencies_of,
    entry_of,
    importers_of,
)
from .yaml_blocks import Blocks, OtherLayout, block_key, check_plain, field_pairs, field_text, plain_text
from .yaml_flow import Mapping
from .yaml_subset import parse_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .yaml_flow import Yaml

_TOP = lazy_pattern(r"\n([^\s#][^\n]*)")
_READ = frozenset(
    {
        *("lockfileVersion", "shrinkwrapVersion", "catalogs", "patchedDependencies", "specifiers"),
        *("dependencies", "devDependencies", "optionalDependencies", "peerDependencies"),
    }
)
_INTEGRITY = lazy_pattern(r"\n    resolution: \{integrity: ([A-Za-z0-9+/=_-]+)\}(?=\n|$)")
_BY_KEY = lazy_pattern(r"\n      ([^ \n:]+): ([^\n(:]*[@/][^\n]*)")
_FLAGS = ("\n    version:", "\n    name:", "\n    dev:", "\n    optional:", "\n    patched:")
_GROUPS = {"dependencies": PROD, "devDependencies": DEV, "optionalDependencies": OPTIONAL, "peerDependencies": PEER}
_ORDER = tuple(_GROUPS.values())
_IMPORTER_LINE = lazy_pattern(
    r"\n  (?P<importer>[^ \n][^\n]*)"
    r"|\n    (?P<field>[A-Za-z]+):(?=\n)"
    r"|\n      (?P<alias>[^ \n][^\n]*):\n        specifier: (?P<specifier>[^\n]+)\n        version: (?P<version>[^\n]+)"
    r"|(?P<other>\n *[^ \n])"
)


def scan_pnpm(text: str, path: str, line: int) -> PnpmDocument:
    """The document whose text begins on `line`.

    Raises:
        OtherLayout: It is not in the layout that pnpm writes.
        UnreadableError: One of its small sections is not YAML.

    """
    check_plain(text)
    sections = {name: (start, end, at) for name, start, end, at in _sections(text, line)}
    fields = Mapping(next(iter(sections.values()))[2])
    for name in _READ & sections.keys():
        _merge(fields, text, path, *sections[name])
    importers = None
    if "importers" in sections:
        try:
            importers = list(_importers(text, *sections["importers"]))
        except OtherLayout:
            parsed = Mapping()
            _merge(parsed, text, path, *sections["importers"])
            importers = importers_of(parsed)
    return PnpmDocument(
        fields,
        _entries(text, path, sections.get("packages")),
        _entries(text, path, sections.get("snapshots")),
        importers,
    )


def _merge(fields: Mapping, text: str, path: str, start: int, end: int, line: int) -> None:
    """Parse one section and add it to the fields."""
    parsed = parse_yaml(text[start:end], path, first_line=line)
    if not isinstance(parsed, Mapping):
        raise OtherLayout
    fields.update(parsed)
    fields.lines.update(parsed.lines)


def _sections(text: str, line: int) -> Iterator[tuple[str, int, int, int]]:
    """Name, beginning, end and line of what stands under each key at the beginning of a line."""
    if text[:1].strip():
        text, line = "\n" + text, line - 1
        shift = 1
    else:
        shift = 0
    heads = list(_TOP.finditer(text))
    names = [head.group(1).partition(":")[0] for head in heads]
    if len(set(names)) != len(names) or not all(map(str.isalpha, names)):
        raise OtherLayout
    if not heads or text[: heads[0].start()].strip():
        raise OtherLayout
    starts = [head.start() + 1 for head in heads]
    last = 0
    for name, start, end in zip(names, starts, [*starts[1:], len(text)], strict=True):
        line += text.count("\n", last, start)
        last = start
        yield name, start - shift, end - shift, line


def _entries(text: str, path: str, section: tuple[int, int, int] | None) -> Entries:
    if section is None:
        return ParsedEntries(Mapping())
    start, end, line = section
    body = text.find(":", start) + 1
    rest = text[body : text.find("\n", body, end) if "\n" in text[body:end] else end].strip()
    if rest not in ("", "{}"):
        raise OtherLayout
    return BlockEntries(Blocks(text, body + (3 if rest else 0), end, line, 2), path)


class BlockEntries:
    """`packages` or `snapshots` as blocks; each is looked at when it is asked for."""

    def __init__(self, blocks: Blocks, path: str) -> None:
        self.blocks = blocks
        self.path = path
        self.keys = blocks.keys
        self._places = {key: place for place, key in enumerate(blocks.keys)}

    def line(self, key: str) -> int:
        """The line of a key, 0 where the section does not know it."""
        place = self._places.get(key)
        return 0 if place is None else self.blocks.lines[place]

    def entry(self, key: str) -> Entry:
        """What the section says of a package; an empty entry where it does not know the key."""
        place = self._places.get(key)
        if place is None:
            return Entry()
        try:
            return _scanned_entry(self.blocks.body(place))
        except OtherLayout:
            parsed = self._parsed(place)
            return entry_of(parsed) if isinstance(parsed, Mapping) else Entry()

    def dependencies(self, key: str) -> Iterable[tuple[str, str, str]]:
        """Group, alias and reference of each dependency."""
        place = self._places[key]
        try:
            body = self.blocks.body(place)
            return _scanned_dependencies(body) if "ependencies:" in body else ()
        except OtherLayout:
            return dependencies_of(self._parsed(place))

    def asking(self, names: frozenset[str]) -> Iterator[str]:
        """The keys whose block has a field of one of these names, indented as dependencies are."""
        blocks = self.blocks
        if not blocks.starts:
            return
        named = "|".join(re.escape(name) for name in sorted(names))
        pattern = re.compile(rf"\n      ['\"]?(?:{named})['\"]?: ")
        for found in pattern.finditer(blocks.text, blocks.starts[0], blocks.stop):
            yield self.keys[bisect_right(blocks.starts, found.start()) - 1]

    def asked_by_key(self) -> Iterator[tuple[str, str]]:
        """Alias and reference of each dependency whose reference holds a `@` or `/` before any peers."""
        blocks = self.blocks
        if not blocks.starts:
            return
        for found in _BY_KEY.finditer(blocks.text, blocks.starts[0], blocks.stop):
            alias, ref = found.groups()
            yield alias.strip("'\""), ref.strip("'\"")

    def _parsed(self, place: int) -> Yaml:
        return parse_yaml(self.blocks.raw(place)[1:], self.path, first_line=self.blocks.lines[place] + 1)


def _scanned_entry(body: str) -> Entry:
    plain = _INTEGRITY.search(body)
    if plain is not None:
        resolution = new_record(Resolution, (plain.group(1), None, None, None, None, None))
    elif "\n    resolution:" in body:
        raise OtherLayout
    else:
        resolution = Resolution()
    if not any(flag in body for flag in _FLAGS):
        return new_record(Entry, (resolution, None, None, None, False, False))
    return Entry(
        resolution,
        field_text(body, "version", "\n    "),
        field_text(body, "name", "\n    "),
        field_text(body, "dev", "\n    "),
        field_text(body, "optional", "\n    ") == "true",
        field_text(body, "patched", "\n    ") == "true",
    )


def _scanned_dependencies(body: str) -> list[tuple[str, str, str]]:
    optional = field_pairs(body, "optionalDependencies", "\n    ")
    names = {alias for alias, _ in optional}
    prod = field_pairs(body, "dependencies", "\n    ")
    found = [(PROD, alias, ref) for alias, ref in prod if alias not in names]
    found += [(OPTIONAL, alias, ref) for alias, ref in optional]
    return found


def _importers(text: str, start: int, end: int, line: int) -> Iterator[tuple[str, int, list[Wanted]]]:
    """Path, line and what is declared of each importer."""
    body = text.find(":", start) + 1
    if text[body : text.find("\n", body, end) if "\n" in text[body:end] else end].strip():
        raise OtherLayout
    path: str | None = None
    wanted: list[Wanted] = []
    group, first, last = "", line, body
    for found in _IMPORTER_LINE.finditer(text, body, end):
        if text[last : found.start()].strip("\n"):
            raise OtherLayout
        line += text.count("\n", last, found.start() + 1)
        last = found.end()
        if found["alias"] is not None:
            if not group:
                raise OtherLayout
            alias, specifier, ref = _value(found["alias"]), _value(found["specifier"]), _value(found["version"])
            wanted.append(Wanted(group, alias, specifier, ref, line))
            line += 2
        elif found["field"] is not None:
            group = _GROUPS.get(found["field"], "")
        elif found["importer"] is not None:
            if path is not None:
                yield path, first, sorted(wanted, key=_by_group)
            path, first, wanted, group = block_key(found["importer"]), line, [], ""
        else:
            raise OtherLayout
    if text[last:end].strip():
        raise OtherLayout
    if path is not None:
        yield path, first, sorted(wanted, key=_by_group)


def _by_group(want: Wanted) -> int:
    return _ORDER.index(want.group)


def _value(text: str) -> str:
    value = plain_text(text)
    if value is None:
        raise OtherLayout
    return value

"""The entries of a yarn 2+ lockfile: cut out of the layout that yarn writes, or as the general YAML parser gives them."""

from __future__ import annotations

from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING, Protocol

from ..errors import Place, UnreadableError
from .yaml_blocks import OtherLayout, check_plain, field_text, odd_field
from .yaml_flow import Mapping
from .yaml_subset import iter_items, parse_yaml, split_documents

if TYPE_CHECKING:
    from collections.abc import Sequence

METADATA = "__metadata"
_ENTRY = lazy_pattern(
    r'\n(?:"([^"\\\n]+)"|([A-Za-z0-9][^\s"\'#:,]*+)):\n  version: ([^\s"\'#:&*!|>%@`{}\[\],?-][^\s"\'#:]*+)\n  resolution: "([^"\\\n]+)"'
    r"(?:\n  dependencies:((?:\n    [^\n]++)++))?+((?:\n  [^\n]++)*+)(?:\n(?=\n|\Z)|\Z)"
)
_METADATA_BLOCK = lazy_pattern(
    r"(?:#[^\n]*+\n)*+\n*+__metadata:\n  version: ([0-9]+)\n(?:  cacheKey: [0-9a-z]+\n)?+(?=\n|\Z)"
)
_GIVEN_TWICE = lazy_pattern(r"\n  (?:version|resolution|dependencies):")
_PAIR_LIMIT = "\n    "


class BerryEntries(Protocol):
    """The entries of a file, as columns; `__metadata` is not among them."""

    version: str | None
    version_line: int
    heads: list[str]
    lines: list[int]
    versions: list[str | None]
    resolutions: list[str | None]

    def checksum(self, index: int) -> str | None:
        """The checksum of an entry, None where it has none."""

    def dependencies(self, index: int) -> Sequence[tuple[str, str]]:
        """The names and ranges an entry depends on."""

    def mentions(self, index: int, names: frozenset[str]) -> bool:
        """Whether an entry may depend on one of these names; a yes may be wrong."""

    def has(self, index: int, field: str) -> bool:
        """Whether an entry has a field."""

    def whole(self, index: int) -> Mapping:
        """The fields of one entry, by the general parser."""


def berry_entries(text: str, path: str) -> BerryEntries:
    """The entries of a file, read in the cheapest way that its layout allows.

    Raises:
        UnreadableError: The text is not YAML as yarn writes it, or holds no mapping.

    """
    line, document = split_documents(text)[0]
    try:
        return ScannedEntries(document, path, line)
    except OtherLayout:
        return ParsedEntries(document, path, line)


class ParsedEntries:
    """The entries as the general parser gives them; an entry that is given twice counts at its last place.

    Raises:
        UnreadableError: The text is not YAML as yarn writes it, or holds no mapping.

    """

    def __init__(self, text: str, path: str, line: int) -> None:
        document = parse_yaml(text, path, first_line=line, repeated_keys=True)
        if not isinstance(document, Mapping):
            what = "the file is empty" if document is None else "holds no mapping"
            raise UnreadableError(what, place=Place(path, line))
        metadata = document.get(METADATA)
        self.version = _scalar(metadata, "version")
        self.version_line = metadata.lines.get("version", 1) if isinstance(metadata, Mapping) else 1
        self.heads = [head for head in document if head != METADATA]
        self.lines = [document.lines[head] for head in self.heads]
        found = (document[head] for head in self.heads)
        self._fields = [fields if isinstance(fields, Mapping) else Mapping() for fields in found]
        self.versions: list[str | None] = [_scalar(fields, "version") for fields in self._fields]
        self.resolutions: list[str | None] = [_scalar(fields, "resolution") for fields in self._fields]

    def checksum(self, index: int) -> str | None:
        """The checksum of an entry, None where it has none."""
        return _scalar(self._fields[index], "checksum")

    def dependencies(self, index: int) -> list[tuple[str, str]]:
        """The names and ranges an entry depends on."""
        return dependencies_of(self._fields[index])

    def mentions(self, index: int, names: frozenset[str]) -> bool:
        """Whether an entry depends on one of these names."""
        return any(name in names for name, _ in self.dependencies(index))

    def has(self, index: int, field: str) -> bool:
        """Whether an entry has a field."""
        return field in self._fields[index]

    def whole(self, index: int) -> Mapping:
        """The fields of one entry."""
        return self._fields[index]


class ScannedEntries:
    """The entries as one pattern finds them in the text; fields that are seldom asked for are parsed then.

    Raises:
        OtherLayout: The text is not in the layout that yarn writes.

    """

    def __init__(self, text: str, path: str, line: int) -> None:
        check_plain(text)
        metadata = _METADATA_BLOCK.match(text)
        if metadata is None or odd_field(2).search(text):
            raise OtherLayout
        self.version: str | None = metadata.group(1)
        self.version_line = line + text.count("\n", 0, metadata.start(1))
        self._path = path
        self.heads: list[str] = []
        self.lines: list[int] = []
        self.versions: list[str | None] = []
        self.resolutions: list[str | None] = []
        self._dependencies: list[str | None] = []
        self._bodies: list[str] = []
        self._scan(text, metadata.end(), line)
        if len(set(self.heads)) != len(self.heads):
            raise OtherLayout

    def _scan(self, text: str, end: int, line: int) -> None:
        last = 0
        for found in _ENTRY.finditer(text, end):
            start = found.start()
            if start != end:
                raise OtherLayout
            quoted, head, version, resolution, dependencies, body = found.groups()
            if _GIVEN_TWICE.search(body) is not None or body.count("\n  checksum:") > 1:
                raise OtherLayout  # given twice; the last counts
            line += text.count("\n", last, start + 1)
            last, end = start + 1, found.end()
            self.heads.append(quoted or head)
            self.lines.append(line)
            self.versions.append(version)
            self.resolutions.append(resolution)
            self._dependencies.append(dependencies)
            self._bodies.append(body)
        if text[end:].strip():
            raise OtherLayout

    def checksum(self, index: int) -> str | None:
        """The checksum of an entry, None where it has none."""
        try:
            return field_text(self._bodies[index], "checksum", "\n  ")
        except OtherLayout:
            return _scalar(self.whole(index), "checksum")

    def dependencies(self, index: int) -> list[tuple[str, str]]:
        """The names and ranges an entry depends on."""
        block = self._dependencies[index]
        if block is None:
            return []
        found = []
        for line in block.split(_PAIR_LIMIT)[1:]:
            name, colon, asked = line.partition(": ")
            if name[:1] == '"' == name[-1:]:
                name = name[1:-1]
            if asked[:1] == '"' == asked[-1:]:
                asked = asked[1:-1]
            elif " " in asked or ":" in asked:
                return dependencies_of(self.whole(index))
            if not colon or not name or not asked or not _is_plain(name) or not _is_plain(asked):
                return dependencies_of(self.whole(index))
            found.append((name, asked))
        return found

    def mentions(self, index: int, names: frozenset[str]) -> bool:
        """Whether an entry may depend on one of these names."""
        block = self._dependencies[index]
        return block is not None and ("\\" in block or any(name in block for name in names))

    def has(self, index: int, field: str) -> bool:
        """Whether an entry has a field, other than the first three."""
        return f"\n  {field}:" in self._bodies[index]

    def whole(self, index: int) -> Mapping:
        """The fields of one entry, by the general parser."""
        block = self._dependencies[index]
        body = f'  version: {self.versions[index]}\n  resolution: "{self.resolutions[index]}"'
        body += ("" if block is None else f"\n  dependencies:{block}") + self._bodies[index]
        fields = parse_yaml(body, self._path, first_line=self.lines[index] + 1, repeated_keys=True)
        return fields if isinstance(fields, Mapping) else Mapping()


def dependencies_of(fields: Mapping) -> list[tuple[str, str]]:
    """The names and ranges that the fields of an entry say it depends on."""
    return [(name, asked) for name, asked, _ in iter_items(fields.get("dependencies")) if isinstance(asked, str)]


def _is_plain(text: str) -> bool:
    return (
        '"' not in text
        and "'" not in text
        and "\\" not in text
        and text[0] not in " {[|>%`#,]}"
        and text not in ("~", "null")
    )


def _scalar(fields: object, name: str) -> str | None:
    value = fields.get(name) if isinstance(fields, Mapping) else None
    return value if isinstance(value, str) else None

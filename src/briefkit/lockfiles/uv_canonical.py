"""uv.lock in the layout that uv itself writes, read by expressions: many times faster than a TOML parser.

The expressions admit that layout and nothing else, character by character. On any deviation the answer is None, and the general
parser reads the file; a property test holds both to the same result.
"""

from __future__ import annotations

from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING

from ..errors import UnreadableError
from .uv_document import (
    UvDependency,
    UvDocument,
    UvLists,
    UvPackage,
    UvRequirement,
    UvSource,
    checked_revision,
    document_of,
    requirement_of,
)

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

_T = r'[^"\\\x00-\x1f\x7f]*'
_S = f'"{_T}"'
_FILE = rf"\{{ (?:url|path) = {_S}(?:, hash = {_S})?(?:, size = (?:0|[1-9][0-9]*))?(?:, upload-time = {_S})? \}}"
_KIND = "(?:registry|git|url|path|directory|editable|virtual)"
_DEPENDENCY = (
    rf"    \{{ name = {_S}(?:, version = {_S})?(?:, source = \{{ {_KIND} = {_S}(?:, subdirectory = {_S})? \}})?"
    rf"(?:, extra = \[{_S}(?:, {_S})*\])?(?:, marker = {_S})? \}},\n"
)
_PACKAGE = lazy_pattern(
    rf'\[\[package\]\]\nname = "([^"\\\x00-\x1f\x7f]+)"\n(?:version = "({_T})"\n)?'
    rf'source = \{{ ({_KIND}) = "({_T})"(?:, subdirectory = "({_T})")? \}}\n'
    rf"(?:resolution-markers = \[\n((?:    {_S},\n)*)\]\n)?"
    rf"(?:dependencies = \[\n((?:{_DEPENDENCY})*)\]\n)?"
    rf"(?:sdist = ({_FILE})\n)?"
    rf"(?:wheels = \[\n((?:    {_FILE},\n)*)\]\n)?"
    r"((?:\n\[package\.[a-z.-]+\]\n(?:[^\n\[][^\n]*\n)*)*)(?:\n|\Z)"
)
_HASH = lazy_pattern(rf'hash = "({_T})"')
_STRING = lazy_pattern(rf'"({_T})"')

_ENTRY = lazy_pattern(
    rf'    \{{ name = "({_T})"(?:, version = "({_T})")?'
    rf'(?:, source = \{{ ({_KIND}) = "({_T})"(?:, subdirectory = "({_T})")? \}})?'
    rf'(?:, extra = \[({_S}(?:, {_S})*)\])?(?:, marker = "({_T})")? \}},\n'
)

# What stands before the first package.
_HEADER = lazy_pattern(
    rf'version = ([1-9][0-9]{{0,3}})\n(?:revision = ([1-9][0-9]{{0,3}})\n)?(?:requires-python = "({_T})"\n)?'
    rf"(?:resolution-markers = \[\n((?:    {_S},\n)*)\]\n)?"
    rf"(?:\n\[options\]\n(?:exclude-newer = {_S}(?: # [^\x00-\x1f\x7f]*)?\n)?(?:exclude-newer-span = {_S}\n)?)?"
    rf"(?:\n\[manifest\]\nmembers = \[\n((?:    {_S},\n)*)\]\n)?\n"
)

# The tables behind a package: lists of entries, one a line or all on one.
_PAIR = rf"[a-z-]+ = (?:{_S}|\[{_S}(?:, {_S})*\]|true|false)"
_SECTION = lazy_pattern(
    r"\n\[package\.(optional-dependencies|dev-dependencies|metadata|metadata\.requires-dev)\]\n((?:[^\n\[][^\n]*\n)*)"
)
_LIST = lazy_pattern(r"([A-Za-z0-9_-]+) = \[(?:\n((?:    \{ [^\n]*\n)*)|([^\n]*))\]\n")
_ITEMS = lazy_pattern(rf"\{{ ({_PAIR}(?:, {_PAIR})*) \}}")
_PAIRS = lazy_pattern(rf'([a-z-]+) = (?:"({_T})"|(\[{_S}(?:, {_S})*\]|true|false))')


def canonical_document(text: str, path: str) -> UvDocument | None:
    """The document of a uv.lock in uv's own layout; None where the text deviates from it.

    Raises:
        UnknownFormatError: Its version is not 1.

    """
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if not text.endswith("\n"):
        text += "\n"
    start = text.find("\n[[package]]\n") + 1
    packages = _packages(text, start) if start else None
    return None if packages is None else _document(text[:start], path, packages)


def _document(header: str, path: str, packages: tuple[UvPackage, ...]) -> UvDocument | None:
    """The document of what stands before the first package; in another layout than the usual, by the general parser."""
    found = _HEADER.fullmatch(header)
    if found is not None:
        version, revision, requires_python, markers, members = found.groups()
        number = checked_revision(int(version), int(revision or 0), path)
        return UvDocument(
            number, requires_python, tuple(_strings(markers)), (), tuple(_strings(members)), (), {}, packages
        )
    from .toml_document import Fields, load_toml

    try:
        root = Fields(load_toml(header, path), path)
    except UnreadableError:
        return None
    if "package" in root.values:
        return None
    revision = checked_revision(root.values.get("version"), root.values.get("revision", 0), path)
    return document_of(root, revision, packages)


def _packages(text: str, position: int) -> tuple[UvPackage, ...] | None:
    found = []
    match = _PACKAGE.match
    line = text.count("\n", 0, position) + 1
    size = len(text)
    while position < size:
        package = match(text, position)
        if package is None:
            return None
        name, version, kind, value, subdirectory, markers, dependencies, sdist, wheels, tail = package.groups()
        lists = _lists(dependencies, tail)
        if lists is None:
            return None
        hashed = _HASH.search(sdist or "") or _HASH.search(wheels or "")
        found.append(
            UvPackage(
                name,
                version,
                UvSource(kind, value, subdirectory),
                line,
                hashed.group(1) if hashed else None,
                tuple(_strings(markers)),
                lists,
                f"{dependencies or ''}{tail}",
            )
        )
        end = package.end()
        line += text.count("\n", position, end)
        position = end
    return tuple(found)


def _strings(text: str | None) -> list[str]:
    return _STRING.findall(text) if text else []


_NOTHING = UvLists()


def _lists(dependencies: str | None, tail: str) -> Callable[[], UvLists] | None:
    """The lists of a package, to be read when asked for; None where the tables behind it deviate."""
    if not tail:
        return (lambda: UvLists(_entries(dependencies))) if dependencies else (lambda: _NOTHING)
    sections = _sections(tail)
    if sections is None:
        return None
    return lambda: UvLists(
        _entries(dependencies),
        {name: _entries(body) for name, body in sections.get("optional-dependencies", {}).items()},
        {name: _entries(body) for name, body in sections.get("dev-dependencies", {}).items()},
        _requirements(sections.get("metadata", {}).get("requires-dist", "")),
        {name: _requirements(body) for name, body in sections.get("metadata.requires-dev", {}).items()},
    )


def _entries(body: str | None) -> tuple[UvDependency, ...]:
    if not body:
        return ()
    return tuple(
        UvDependency(
            name,
            version or None,
            UvSource(kind, value, subdirectory or None) if kind else None,
            tuple(_STRING.findall(extras)) if extras else (),
            marker or None,
        )
        for name, version, kind, value, subdirectory, extras, marker in _ENTRY.findall(body)
    )


def _requirements(body: str) -> tuple[UvRequirement, ...]:
    found = []
    for item in _ITEMS.findall(body):
        values = {key: text for key, text, other in _PAIRS.findall(item) if not other}
        found.append(requirement_of(values["name"], values.get("marker"), values))
    return tuple(found)


def _sections(tail: str) -> dict[str, dict[str, str]] | None:
    """The lists of each table behind a package, as text; None where a table, a list or an entry deviates."""
    found: dict[str, dict[str, str]] = {}
    position = 0
    while position < len(tail):
        section = _SECTION.match(tail, position)
        if section is None or section.group(1) in found:
            return None
        lists = _section_lists(section.group(1), section.group(2))
        if lists is None:
            return None
        found[section.group(1)] = lists
        position = section.end()
    return found


def _section_lists(section: str, text: str) -> dict[str, str] | None:
    lists: dict[str, str] = {}
    position = 0
    while position < len(text):
        one = _LIST.match(text, position)
        if one is None or one.group(1) in lists:
            return None
        name, by_line, in_line = one.groups()
        if section.endswith("-dependencies"):
            admitted = by_line is not None and not _ENTRY.sub("", by_line)
        elif name == "provides-extras" and section == "metadata":
            admitted = in_line is not None and _is_list_of(_STRING, in_line)
        else:
            admitted = _are_requirements(by_line, in_line or "")
        if not admitted:
            return None
        lists[name] = by_line or in_line or ""
        position = one.end()
    return lists


def _is_list_of(item: re.Pattern[str], text: str) -> bool:
    """Whether a text is nothing but such items with commas between."""
    rest, count = item.subn("x", text)
    return rest == ", ".join("x" * count)


def _are_requirements(by_line: str | None, in_line: str) -> bool:
    """Whether a list is of items, each of which names something and has no key twice."""
    if by_line is not None:
        rest, count = _ITEMS.subn("", by_line)
        if rest != "    ,\n" * count:
            return False
    elif not _is_list_of(_ITEMS, in_line):
        return False
    for item in _ITEMS.findall(by_line or in_line):
        keys = [key for key, _, _ in _PAIRS.findall(item)]
        if "name" not in keys or len(keys) != len(set(keys)):
            return False
    return True

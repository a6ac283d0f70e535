"""What a member of a uv.lock declares: the line of each declaration in the lock, and the requirement as the manifest had it."""

from __future__ import annotations

from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .uv_document import UvLists, UvRequirement

MAIN = "main"
EXTRA = "extra:"

_SECTION = lazy_pattern(r"\[+(?:package|distribution|manifest)(?:\.([\w-]+))?(?:\.([\w-]+))?\]")
_LIST = lazy_pattern(r"""["']?([\w.-]+)["']?[ \t]*=[ \t]*\[""")
_NAME = lazy_pattern(r"""\{[ \t]*name[ \t]*=[ \t]*["']([^"'\n]+)["']""")
_SECTIONS = {"optional-dependencies": EXTRA, "dev-dependencies": "", "dependency-groups": ""}
_MAIN_LISTS = ("dependencies", "requirements")

Lines = dict[tuple[str, str], list[int]]
"""The lines on which each (group, name) is declared, in the order of the text."""


def declaration_lines(text: str, firsts: Iterable[int]) -> dict[int, Lines]:
    """For each table that begins at one of these lines, in rising order, where it declares what."""
    found = {}
    start, line = 0, 1
    for first in firsts:
        while line < first:
            start = text.find("\n", start) + 1
            line += 1
        after = text.find("\n[[", start + 1)
        found[first] = _lines_of(text[start : after if after >= 0 else len(text)], first)
    return found


def _lines_of(block: str, first: int) -> Lines:
    found: Lines = {}
    prefix: str | None = None
    group: str | None = None
    for number, line in enumerate(block.replace("\r", "").split("\n"), first):
        if section := _SECTION.match(line):
            prefix = _SECTIONS.get(section.group(1) or "")
            group = None
            if prefix is not None and section.group(2):
                group = prefix + section.group(2)
            continue
        if opened := _LIST.match(line):
            name = opened.group(1)
            group = MAIN if prefix is None and name in _MAIN_LISTS else None if prefix is None else prefix + name
        if group is not None:
            for entry in _NAME.finditer(line):
                found.setdefault((group, entry.group(1)), []).append(number)
        if line.endswith("]"):
            group = None
    return found


class Requirements:
    """What a member's manifest asked for, by list and name."""

    def __init__(self, lists: UvLists) -> None:
        self._by_list: dict[tuple[str, str], list[UvRequirement]] = {}
        for required in lists.requires:
            marker = required.marker or ""
            extras = _EXTRA_OF.findall(marker) if "extra" in marker else ()
            for group in [EXTRA + extra for extra in extras] or [MAIN]:
                self._by_list.setdefault((group, required.name), []).append(required)
        for group, requirements in lists.requires_groups.items():
            for required in requirements:
                self._by_list.setdefault((group, required.name), []).append(required)

    def of(self, group: str, name: str, marker: str | None) -> str | None:
        """The only specifier for this name in this list, or the only one with the same marker; None where neither is one."""
        required = self._by_list.get((group, name), [])
        specifiers = {one.specifier for one in required}
        if len(specifiers) == 1:
            return specifiers.pop()
        same = {one.specifier for one in required if one.marker == marker}
        return same.pop() if len(same) == 1 else None


_EXTRA_OF = lazy_pattern(r"""extra == ['"]([^'"]+)['"]""")

"""Example code in documents and docstrings: which lines hold it, and which names it uses."""

from __future__ import annotations

import re

from briefkit.records import NamedTuple

_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[ \t]*([\w+#.-]*)")
_PROMPT = re.compile(r"^[ \t]*(?:>>>|\.\.\.)(?: |$)")
_DIRECTIVE = re.compile(r"^([ \t]*)(?:\.\. (?:code-block|code|sourcecode)::|[^\n]*::[ \t]*$)")
_USED = re.compile(r"(?<![\w\"'])([A-Za-z_]\w*)(?=\s*\()|\.([A-Za-z_]\w*)|\b(?:import|from)\s+([\w.]+)")
_BLOCK_LINES = 60
_BLOCKS_LIMIT = 4000
_NOT_CODE = frozenset(
    ("text", "console", "bash", "sh", "shell", "toml", "ini", "yaml", "json", "html", "xml", "diff", "output", "none")
)


class Example(NamedTuple):
    """A block of example code: its first and last line (from 1), and the names it calls, reads as attributes or imports."""

    first: int
    last: int
    names: frozenset[str]


def examples_in(text: str) -> list[Example]:
    """The code blocks of a document or of a source file's docstrings: fences, `>>>` prompts, and reST's indented blocks."""
    lines = text.split("\n")
    found: list[Example] = []
    at = 0
    while at < len(lines) and len(found) < _BLOCKS_LIMIT:
        first, end, after = _block_at(lines, at)
        if end > first:
            names = used_names("\n".join(lines[first:end]))
            if names:
                found.append(Example(first + 1, end, names))
        at = max(after, at + 1)
    return found


def used_names(code: str) -> frozenset[str]:
    """The names that a piece of code calls, reads as attributes, or imports."""
    names: set[str] = set()
    for called, attribute, imported in _USED.findall(code):
        if imported:
            names.update(imported.split("."))
        else:
            names.add(called or attribute)
    return frozenset(name for name in names if len(name) > 1)


def _block_at(lines: list[str], at: int) -> tuple[int, int, int]:
    """(first line, line after the last, where to go on) of the block that begins at a line, from 0; empty where none does."""
    line = lines[at]
    if ">>>" in line and _PROMPT.match(line):
        return _prompts(lines, at)
    fence = _FENCE.match(line) if "```" in line or "~~~" in line else None
    if fence is not None:
        return _fenced(lines, at, fence.group(1), fence.group(2).lower())
    directive = (
        _DIRECTIVE.match(line) if line.rstrip().endswith("::") or ".. code" in line or ".. sourcecode" in line else None
    )
    return _indented(lines, at, len(directive.group(1))) if directive is not None else (at, at, at + 1)


def _prompts(lines: list[str], at: int) -> tuple[int, int, int]:
    """A run of prompts and what they print, up to a blank line, the end of the docstring, or a line further out."""
    indent = len(lines[at]) - len(lines[at].lstrip())
    end = at
    while end < len(lines) and end - at < _BLOCK_LINES and _inside_run(lines[end], indent):
        end += 1
    return at, max(end, at + 1), max(end, at + 1)


def _inside_run(line: str, indent: int) -> bool:
    bare = line.lstrip()
    return bool(bare) and len(line) - len(bare) >= indent and not bare.startswith(('"""', "'''"))


def _fenced(lines: list[str], at: int, mark: str, language: str) -> tuple[int, int, int]:
    end = at + 1
    while end < len(lines) and not lines[end].lstrip().startswith(mark):
        end += 1
    if language in _NOT_CODE:
        return at, at, end + 1
    return at + 1, min(end, at + 1 + _BLOCK_LINES), end + 1


def _indented(lines: list[str], at: int, indent: int) -> tuple[int, int, int]:
    first = at + 1
    while first < len(lines) and (not lines[first].strip() or lines[first].strip().startswith(":")):
        first += 1
    end = first
    while end < len(lines) and end - first < _BLOCK_LINES and _inside(lines[end], indent):
        end += 1
    while end > first and not lines[end - 1].strip():
        end -= 1
    return first, end, max(end, at + 1)


def _inside(line: str, indent: int) -> bool:
    return not line.strip() or len(line) - len(line.lstrip()) > indent

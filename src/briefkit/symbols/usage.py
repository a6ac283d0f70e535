"""How a package's own documents use its names: how often in example code, and in which words the code is introduced."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from .examples import examples_in
from .search_terms import Usage, text_stems

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

_PROSE = (".md", ".markdown", ".rst", ".txt", "METADATA", "PKG-INFO", "README")
_PROSE_WEIGHT = 3.0
_LINES_BEFORE = 6
_WORDS_BEFORE = 30
_CONTEXT_LIMIT = 60


def usage_in(documents: Iterable[tuple[str, str]], known: Container[str]) -> Usage:
    """The use of the known names in (path, text) documents."""
    counts: dict[str, float] = {}
    contexts: dict[str, dict[str, None]] = {}
    for path, text in documents:
        is_prose = path.endswith(_PROSE)
        lines = text.split("\n") if is_prose else []
        for example in examples_in(text):
            names = [name for name in example.names if name in known]
            for name in names:
                counts[name] = counts.get(name, 0.0) + (_PROSE_WEIGHT if is_prose else 1.0)
            if is_prose and names:
                words = _words_before(lines, example.first)
                for name in names:
                    around = contexts.setdefault(name, {})
                    if len(around) < _CONTEXT_LIMIT:
                        around.update(dict.fromkeys(words))
    return Usage(counts, contexts)


def _words_before(lines: list[str], first: int) -> list[str]:
    """The stems of what introduces an example: the lines before it, and the heading above them."""
    above = lines[max(first - 2 - _LINES_BEFORE, 0) : first - 1]
    heading = next((line for line in reversed(lines[max(first - 60, 0) : first - 1]) if line.startswith("#")), "")
    return text_stems(heading, 12) + text_stems(" ".join(above), _WORDS_BEFORE)

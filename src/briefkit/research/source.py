"""The source researcher: one question about one library, answered from its installed source, with no model.

Symbols that the question names are looked up; what it asks how to do is searched for among names, signatures and summaries; what
changed is looked for in the changelog. Every point cites lines. What the researcher claims falls with how well its
best find answers the question; the evidence may lower it further.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from briefkit.briefs.brief import Answer, Finding, SourcesRead
from briefkit.briefs.evidence import collect_citations
from briefkit.paths import shown_path
from briefkit.symbols.records import ABSENT, EXISTS
from briefkit.symbols.words import identifiers, split_words
from briefkit.text import one_line

from . import points
from .documents import changelog_passages, document_passages, words_of_symbols
from .pins import pins_of, staleness_of
from .questions import search_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from briefkit.briefs.evidence import World
    from briefkit.symbols.records import Answer as SymbolAnswer
    from briefkit.symbols.records import Hit, Symbol

    from .library import Library
    from .questions import Question

PROFILE = "source-3"
HITS = 3
_CERTAIN = 0.98
_UNKNOWN = 0.3
_FOUND_NOTHING = 0.2
# Measured (`make calibrate`): of the finds that score 0.5 and more nineteen in twenty are right within the first three.
_BASE, _SPAN, _AHEAD, _SURE = 0.3, 0.6, 0.2, 0.95
_DOCUMENTS, _DOCUMENTED = 0.2, 0.85
_SEARCHED = 8


class Found(NamedTuple):
    """Points under a question, the researcher's claim, a sentence for the verdict, and the symbols the question turned out to be about."""

    points: tuple[str, ...]
    confidence: float
    lead: str = ""
    topic: tuple[str, ...] = ()
    changelogs: int = 0


def research(question: Question, library: Library, world: World, *, depth: int = 0) -> Answer:
    """The answer to a question as the library's installed source gives it.

    `depth` 0 reads symbols and the examples beside them; 1 also documentation, tests and examples of the package. Findings about
    the repo itself are not in it: they are no fact about the library.
    """
    found = _look(question, library, depth)
    texts = found.points
    citations = collect_citations(texts, world)
    files = {one.file for one in citations}
    return Answer(
        question.text,
        tuple(Finding(text) for text in texts),
        found.confidence,
        citations,
        pins_of(library),
        SourcesRead(len(files) - found.changelogs, found.changelogs, 0),
        staleness_of(library),
        found.lead,
    )


def _look(question: Question, library: Library, depth: int) -> Found:
    if library.table is None:
        reason = one_line(library.unknown_reason, 300)
        return Found((f"Nothing can be said of its symbols: {reason}.",), _FOUND_NOTHING, f"Do not guess: {reason}.")
    parts: list[Found] = []
    symbols = [symbol for symbol in question.symbols if symbol.lower() not in library.import_names]
    if symbols:
        parts.append(_look_up(symbols, library))
    if question.changes:
        parts.append(_look_for_changes(question, library))
    if not symbols and (not question.changes or question.how) and not _only_version(question, library):
        parts.append(_search(question, library))
    if not parts:
        return Found((), _CERTAIN)
    found = _joined(parts)
    return found if depth == 0 else _with_documents(question, library, found, tests=depth > 1)


def _only_version(question: Question, library: Library) -> bool:
    """Whether the question is about the version alone: nothing but the library's name is left of it."""
    return question.version and not question.how and not subject_words(question.words, library)


def _joined(parts: Sequence[Found]) -> Found:
    return Found(
        tuple(dict.fromkeys(point for part in parts for point in part.points)),
        min(part.confidence for part in parts),
        " ".join(part.lead for part in parts if part.lead),
        tuple(dict.fromkeys(name for part in parts for name in part.topic)),
        sum(part.changelogs for part in parts),
    )


def _look_up(symbols: Sequence[str], library: Library) -> Found:
    """Each symbol that the question names: exists, absent or unknown."""
    texts: list[str] = []
    leads: list[str] = []
    topic: list[str] = []
    confidence = _CERTAIN
    for query in symbols:
        answer = library.answer(query)
        if answer.answer == EXISTS:
            texts += [points.exists_point(answer), *points.source_points(answer.matches[:2])]
            topic.append(answer.matches[0].name)
            leads.append(f"Use `{points.call_form(answer.matches[0])}`.")
        elif takers := _takers(query, library):
            texts += [points.parameter_point(answer, takers), *points.source_points(takers)]
            topic += [symbol.name for symbol in takers]
            leads.append(f"Pass `{query}` to `{points.call_form(takers[0])}`.")
        elif answer.answer == ABSENT:
            texts += [points.absent_point(answer), *_absence_sources(answer, library)]
            topic += [symbol.name for symbol in answer.nearest[:3]]
            leads.append(_absence_lead(answer))
        else:
            texts += [points.unknown_point(answer), *_absence_sources(answer, library)]
            confidence = _UNKNOWN
            leads.append(f"Do not rely on “{query}”: {answer.reason}.")
    return Found(tuple(texts), confidence, " ".join(leads), tuple(topic))


def _takers(query: str, library: Library) -> list[Symbol]:
    """The functions that take a parameter of a name that is no symbol, those of the shortest paths first."""
    if not query.isidentifier():
        return []
    found = [one for one in library.symbols() if query in one.signature and query in _parameters(one)]
    return sorted(found, key=lambda one: (one.deprecated is not None, one.name.count("."), len(one.name)))[:HITS]


def _parameters(symbol: Symbol) -> list[str]:
    if symbol.kind not in ("function", "method", "class"):
        return []
    return [name.lstrip("*.") for name in points.parameter_names(symbol.signature) or ()]


def _absence_lead(answer: SymbolAnswer) -> str:
    nearest = f"; nearest is `{answer.nearest[0].name}`" if answer.nearest else ""
    return f"Do not call `{answer.query}`: it does not exist{nearest}."


def _absence_sources(answer: SymbolAnswer, library: Library) -> list[str]:
    """Where the nearest names stand, or the owner: what a reader opens to see that the name is not there."""
    owner = answer.query.replace("#", ".").rpartition(".")[0]
    shown: list[Symbol] = list(answer.nearest[:2])
    if owner:
        shown += library.answer(owner).matches[:1]
    return points.source_points(shown)


def _search(question: Question, library: Library) -> Found:
    """The symbols that the question's words lead to."""
    words = subject_words(question.words, library)
    hits = hits_for(question, library)
    if not hits:
        said = (
            f"No symbol of it speaks of {', '.join(f'“{word}”' for word in words[:8])}."
            if words
            else "The question has no subject to search for."
        )
        return Found((said,), _FOUND_NOTHING, "Nothing was found; ask more precisely.")
    best = hits[0].symbol
    texts = [points.symbol_point(best, "Best match: ")]
    texts += [points.symbol_point(hit.symbol, "Also: ", whole=False) for hit in hits[1:HITS]]
    texts += points.source_points([hit.symbol for hit in hits[:HITS]])
    examples = [example for hit in hits[:HITS] for example in hit.examples[:1]]
    if examples:
        texts.append("Example: " + ", ".join(points.lines_of(*example) for example in dict.fromkeys(examples[:2])))
    return Found(
        tuple(texts), claimed(hits), f"Use `{points.call_form(best)}`.", tuple(hit.symbol.name for hit in hits)
    )


def hits_for(question: Question, library: Library, limit: int = _SEARCHED) -> list[Hit]:
    """The symbols that a question's words lead to, best first."""
    words = search_words(question, _own_words(library))
    return library.search(" ".join(words), limit) if words else []


def claimed(hits: Sequence[Hit]) -> float:
    """How sure it is that one of the first hits answers: by how well the best does, and by how far it stands out."""
    best = hits[0].score
    ahead = best / max(hits[1].score, 0.01) - 1 if len(hits) > 1 else 1.0
    return round(min(_BASE + _SPAN * best * (1 + _AHEAD * min(ahead, 1.0)), _SURE), 2)


def subject_words(words: Sequence[str], library: Library) -> tuple[str, ...]:
    """A question's content words without the library's own name and its owner's."""
    own = _own_words(library)
    return tuple(word for word in words if word not in own)


def _own_words(library: Library) -> frozenset[str]:
    """The words of the library's own names, whole and in their parts."""
    names = (*library.import_names, library.query)
    return frozenset(
        part
        for name in names
        for part in (name.lower(), *split_words(name), *re.split(r"[\W_]+", name.lower()))
        if part
    )


def _look_for_changes(question: Question, library: Library) -> Found:
    """What the installed changelog says of the question's symbols and words."""
    assert library.installed is not None
    wanted = [*words_of_symbols(question.symbols), *subject_words(question.words, library)]
    path, passages = changelog_passages(library.installed, wanted)
    if path is None:
        return Found(("No changelog is installed with this version: what changed cannot be said from here.",), _UNKNOWN)
    shown = shown_path(path, library.repo)
    if not passages:
        return Found((f"The changelog ({points.lines_of(shown, 1, 1)}) does not speak of it.",), _UNKNOWN, changelogs=1)
    places = ", ".join(points.lines_of(shown, one.first, one.last) for one in passages)
    share = max(one.share for one in passages)
    return Found((f"The changelog speaks of it: {places}.",), round(_BASE + 0.3 * share, 2), changelogs=1)


def _with_documents(question: Question, library: Library, found: Found, *, tests: bool) -> Found:
    """What was found, and the passages of the package's documents that speak of it; with `tests` of its tests and examples too.

    A passage that names one of the symbols found beside the question's words makes that find likelier; any other is cited and
    changes nothing: documents are no proof of a symbol.
    """
    assert library.installed is not None
    wanted = [*words_of_symbols(question.symbols), *subject_words(question.words, library)]
    passages = document_passages(library.installed, wanted, tests=tests)
    if not passages:
        return found
    root = library.repo
    places = ", ".join(points.lines_of(shown_path(one.file, root), one.first, one.last) for one in passages)
    names = {*words_of_symbols(found.topic[:HITS])}
    share = max((one.share for one in passages if names & set(identifiers(one.text))), default=0.0)
    raised = min(found.confidence + _DOCUMENTS * share, _DOCUMENTED)
    return found._replace(
        points=(*found.points, f"Its documents speak of it: {places}."),
        confidence=round(max(found.confidence, raised), 2),
    )

"""The source researcher: one question about one library, answered from its installed source, with no model.

Symbols that the question names are looked up; what it asks how to do is searched for among names, signatures and summaries; what
changed is looked for in the changelog. Every point cites lines. What the researcher claims falls with the share of the
question's words that its best find speaks of; the evidence may lower it further.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from briefkit.briefs.brief import Answer, Finding, SourcesRead
from briefkit.briefs.evidence import collect_citations
from briefkit.paths import shown_path
from briefkit.symbols.records import ABSENT, EXISTS
from briefkit.symbols.words import identifiers, split_words, stem, stems_of
from briefkit.text import one_line

from . import points
from .documents import changelog_passages, document_passages, words_of_symbols
from .pins import pins_of, staleness_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from briefkit.briefs.evidence import World
    from briefkit.symbols.records import Answer as SymbolAnswer
    from briefkit.symbols.records import Hit, Symbol

    from .library import Library
    from .questions import Question

PROFILE = "source-1"
HITS = 3
_CERTAIN = 0.98
_UNKNOWN = 0.3
_FOUND_NOTHING = 0.2
# Half of a question's words is not enough to build on (0.56), two thirds is (0.68).
_BASE, _SPAN, _STEEP = 0.35, 0.6, 1.5
_DOCUMENTS, _DOCUMENTED = 0.2, 0.85
# A constant or a type is seldom how a thing is done.
_LIKELY = {
    "constant": 0.8,
    "property": 0.8,
    "type": 0.8,
    "interface": 0.9,
    "module": 0.8,
    "namespace": 0.8,
    "enum": 0.8,
}
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
        elif answer.answer == ABSENT:
            texts += [points.absent_point(answer), *_absence_sources(answer, library)]
            topic += [symbol.name for symbol in answer.nearest[:3]]
            leads.append(_absence_lead(answer))
        else:
            texts += [points.unknown_point(answer), *_absence_sources(answer, library)]
            confidence = _UNKNOWN
            leads.append(f"Do not rely on “{query}”: {answer.reason}.")
    return Found(tuple(texts), confidence, " ".join(leads), tuple(topic))


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
    hits = library.search(" ".join(words), _SEARCHED) if words else []
    if not hits:
        said = (
            f"No symbol of it speaks of {', '.join(f'“{word}”' for word in words[:8])}."
            if words
            else "The question has no subject to search for."
        )
        return Found((said,), _FOUND_NOTHING, "Nothing was found; ask more precisely.")
    shares = [_share(words, hit) for hit in hits[:HITS]]
    best = hits[0].symbol
    texts = [points.symbol_point(best, "Best match: ")]
    texts += [points.symbol_point(hit.symbol, "Also: ", whole=False) for hit in hits[1:HITS]]
    texts += points.source_points([hit.symbol for hit in hits[:HITS]])
    examples = [example for hit in hits[:HITS] for example in hit.examples[:1]]
    if examples:
        texts.append("Example: " + ", ".join(points.lines_of(*example) for example in dict.fromkeys(examples[:2])))
    confidence = round(_BASE + _SPAN * max(shares[0], 0.9 * max(shares)) ** _STEEP, 2)
    return Found(tuple(texts), confidence, f"Use `{points.call_form(best)}`.", tuple(hit.symbol.name for hit in hits))


def subject_words(words: Sequence[str], library: Library) -> tuple[str, ...]:
    """A question's content words without the library's own name and its owner's."""
    own = {part for name in (*library.import_names, library.query) for part in split_words(name)} | {
        name.lower() for name in library.import_names
    }
    return tuple(word for word in words if word not in own)


def _share(words: Iterable[str], hit: Hit) -> float:
    """The share of the words that a symbol speaks of: wholly in name and summary, by half in its signature alone."""
    wanted = {stem(word) for token in words for word in split_words(token)} or {""}
    near = {stem(word) for word in split_words(hit.symbol.summary or "")} | set(stems_of(hit.symbol.name))
    far = {stem(word) for word in split_words(hit.symbol.signature)} - near
    covered = (len(wanted & near) + 0.5 * len(wanted & far)) / len(wanted)
    return covered * _LIKELY.get(hit.symbol.kind, 1.0)


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

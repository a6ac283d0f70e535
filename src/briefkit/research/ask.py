"""Questions in, a brief out: libraries recognised, answers from the index or the researcher, the repo's own facts, one verdict.

The library's answers may come from the index; the pinned version, the wrappers and their callers are facts about this checkout
and are derived every time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from briefkit.briefs.brief import (
    HIGH,
    LOW,
    Answer,
    BriefRecord,
    Finding,
    SourcesRead,
    Staleness,
    assemble,
    rounded_down,
)
from briefkit.briefs.evidence import check_citations, collect_citations, judge_question, named_symbols
from briefkit.errors import UsageError
from briefkit.symbols.words import split_words, stem, stems_of

from . import points
from .documents import words_of_symbols
from .fitting import fitted
from .library import open_library
from .pins import pins_of, staleness_of
from .questions import Question, read_question
from .recognise import libraries_in, unknown_names
from .repo_files import RepoCode
from .source import hits_for, subject_words
from .verdict import verdict_of
from .wrappers import Wrapper, Wrappers, find_wrappers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from briefkit.briefs.evidence import World
    from briefkit.projects.project import Project

    from .library import Library

    Answering = Callable[[Question, Library], "Served"]
    """The port to whoever answers one question about one library: the index, and behind it a researcher."""

QUESTIONS_LIMIT = 20
_WRAPPERS_SHOWN = 3
# A wrapper of one of the first symbols is near by that alone; of a later one, where its own name says so too.
_SYMBOLS_WRAPPED = 25
_SYMBOLS_NEAR = 3
_NOTHING_KNOWN = 0.2
# The repo's own use of a symbol for the very thing is better evidence than words that resemble each other.
_USED_HERE = 0.85


class Served(NamedTuple):
    """One answer and where it came from: the index's key, whether it was a hit, its age in seconds and its end (POSIX time)."""

    answer: Answer
    key: str | None = None
    hit: bool = False
    age_s: float | None = None
    expires_at: float | None = None


class Asked(NamedTuple):
    """A brief, its twin's record, and what the index had to do with it."""

    record: BriefRecord
    served: tuple[tuple[str, str, Served], ...]
    version_known: bool
    notices: tuple[str, ...] = ()

    @property
    def hit(self) -> bool:
        """Whether every answer came from the index."""
        return bool(self.served) and all(one.hit for _, _, one in self.served)

    @property
    def oldest(self) -> float:
        """The age in seconds of the oldest answer that came from the index, 0 where none did."""
        return max((one.age_s or 0.0 for _, _, one in self.served if one.hit), default=0.0)

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `ask`."""
        answers = [
            {
                "question": question,
                "library": library,
                "key": one.key,
                "hit": one.hit,
                "age_s": one.age_s,
                "expires_at": one.expires_at,
            }
            for question, library, one in self.served
        ]
        return {
            "brief": self.record.brief.to_dict(),
            "index": {"hit": self.hit, "answers": answers},
            "cost": {"usd": 0.0, "tokens": 0, "turns": 0},
        }


class Asker:
    """Answers questions for one project and importer."""

    __slots__ = ("_answering", "_cache_dir", "_code", "_importer", "_libraries", "_project", "_said", "_words", "world")

    def __init__(
        self,
        project: Project,
        world: World,
        answering: Answering,
        *,
        importer: str | None = None,
        cache_dir: str | None = None,
        state_dir: str = "state",
    ) -> None:
        self._project = project
        self._importer = importer
        self._cache_dir = cache_dir
        self._answering = answering
        self._code = RepoCode(project.repo, state_dir)
        self._libraries: dict[str, Library] = {}
        self._said: set[str] = set()
        self._words: tuple[str, ...] = ()
        self.world = world

    def ask(
        self, texts: Sequence[str], *, title: str, now: float, libraries: Sequence[str] = (), max_tokens: int = 1500
    ) -> Asked:
        """The brief that answers these questions.

        Raises:
            UsageError: There is no question, or there are too many.
            BriefkitError: A library's name is in both ecosystems, or a file of the project cannot be read.

        """
        questions = [question for question in map(read_question, texts) if question.text]
        if not questions or len(questions) > QUESTIONS_LIMIT:
            raise UsageError(f"{len(questions)} questions; between 1 and {QUESTIONS_LIMIT} are answered in one brief")
        self._said = set()
        self._words = ()
        asks_repo = any(question.about_repo for question in questions)
        served: list[tuple[str, str, Served]] = []
        answers: list[Answer] = []
        wrappers: list[Wrappers] = []
        before: tuple[Library, ...] = ()
        topic: dict[str, tuple[str, ...]] = {}
        for question in questions:
            about = self._about(question, libraries) or before
            own = [
                (library, self._serve(question, library))
                for library in about
                if not _is_repo_question(question, before)
            ]
            served += [(question.text, library.name, one) for library, one in own]
            topic |= {library.name: _topic_of(one.answer) or topic.get(library.name, ()) for library, one in own}
            found = self._wrappers(question, about, topic) if question.about_repo or question.how else None
            if found is not None:
                wrappers.append(found)
            shown = found if question.about_repo or not asks_repo else None
            parts = [self._supported(question, one.answer, found) for _, one in own]
            answers.append(self._joined(question, about, parts, shown))
            before = about
            self._words = question.words or self._words
        verdict = verdict_of(answers, wrappers)
        record = assemble(title, answers, verdict=verdict, verified_at=now)
        known = any(pin.package.version for answer in answers for pin in answer.pins)
        return Asked(fitted(record, max_tokens), tuple(served), known)

    def _about(self, question: Question, libraries: Sequence[str]) -> tuple[Library, ...]:
        """The libraries a question is about: those named by the caller, else those it names itself."""
        names = libraries or libraries_in(question, self._project, self._importer)
        return tuple(self._library(name) for name in dict.fromkeys(names))

    def _library(self, name: str) -> Library:
        if name not in self._libraries:
            ecosystem, colon, bare = name.partition(":")
            self._libraries[name] = open_library(
                self._project,
                bare if colon else name,
                importer=self._importer,
                ecosystem=ecosystem if colon else None,
                cache_dir=self._cache_dir,
            )
        return self._libraries[name]

    def _serve(self, question: Question, library: Library) -> Served:
        return self._answering(question, library)

    def _wrappers(
        self, question: Question, about: Sequence[Library], topic: dict[str, tuple[str, ...]]
    ) -> Wrappers | None:
        """The repo's wrappers of what the question, or the one before it, turned out to be about."""
        symbols = [name for library in about for name in topic.get(library.name, ())]
        words = ""
        for library in about:
            words = " ".join(
                dict.fromkeys([*subject_words(question.words, library), *subject_words(self._words, library)])
            )
            symbols += [hit.symbol.name for hit in hits_for(question, library, _SYMBOLS_WRAPPED)]
            symbols += [hit.symbol.name for hit in library.search(words, _SYMBOLS_WRAPPED)] if words else []
        if not symbols:
            return None
        found = find_wrappers(
            self._code, tuple(dict.fromkeys(symbols)), [name for library in about for name in library.import_names]
        )
        return found._replace(found=tuple(one for one in found.found if _is_near(one, symbols, words)))

    def _supported(self, question: Question, answer: Answer, found: Wrappers | None) -> Answer:
        """The answer, likelier where the repo itself already does this with a symbol that was found, in a function named for it."""
        used = found is not None and any(_is_named_for(one, " ".join(question.words)) for one in found.found)
        if not (question.how and used and answer.confidence > _NOTHING_KNOWN):
            return answer
        return answer._replace(confidence=max(answer.confidence, _USED_HERE))

    def _joined(
        self, question: Question, about: Sequence[Library], parts: Sequence[Answer], found: Wrappers | None
    ) -> Answer:
        """One answer to a question: versions, what the libraries' answers say, then the repo's own facts."""
        texts = [*self._version_points(question, about)]
        texts += [finding.text for part in parts for finding in part.findings]
        texts += self._repo_points(question, found) if found is not None else []
        if not about:
            texts.append(_nothing_known(question))
        if not texts:
            texts.append("Nothing was asked of a library, and nothing of the repo.")
        findings = tuple(Finding(text) for text in dict.fromkeys(texts))
        citations = collect_citations([finding.text for finding in findings], self.world)
        claims = [part.confidence for part in parts] or [0.95 if found is not None else _NOTHING_KNOWN]
        if about and not parts and found is None:
            claims = [0.95 if question.version else _NOTHING_KNOWN]
        judged = judge_question(1, question.text, findings, check_citations(citations, self.world))
        changelogs = sum(part.sources.changelogs for part in parts)
        return Answer(
            question.text,
            findings,
            rounded_down(min(*claims, judged.confidence) if len(claims) > 1 else min(claims[0], judged.confidence)),
            citations,
            tuple(pin for library in about for pin in pins_of(library)),
            SourcesRead(max(len({one.file for one in citations}) - changelogs, 0), changelogs, 0),
            _riskiest([staleness_of(library) for library in about]),
            " ".join(part.lead for part in parts if part.lead),
        )

    def _version_points(self, question: Question, about: Sequence[Library]) -> list[str]:
        """The version of each library the first time it is spoken of, and wherever a version is asked for."""
        texts: list[str] = []
        for library in about:
            if library.name in self._said and not question.version:
                continue
            self._said.add(library.name)
            if not library.resolutions:
                texts.append(f"“{library.query}” is neither locked nor installed here: its version is not known.")
            for resolution in library.resolutions[:4]:
                texts.append(points.version_point(resolution))
                texts += filter(
                    None, [points.other_versions_point(resolution)] if len(library.resolutions) == 1 else []
                )
        return texts

    def _repo_points(self, question: Question, found: Wrappers) -> list[str]:
        """The wrappers and their callers; that there are none is said only where it was asked."""
        texts = [text for wrapper in found.found[:_WRAPPERS_SHOWN] for text in points.wrapper_points(wrapper)]
        if not texts and question.about_repo:
            texts.append(
                f"No function of the repo calls it ({found.files} file{'' if found.files == 1 else 's'} searched)."
            )
        return texts


def _is_repo_question(question: Question, before: Sequence[Library]) -> bool:
    """Whether a question is about the repo alone: it goes on from the one before, and has nothing to look up of its own."""
    return question.about_repo and not question.symbols and bool(before) and not question.words


def _is_near(wrapper: Wrapper, symbols: Sequence[str], words: str) -> bool:
    """Whether a wrapper is what the question is about: it wraps one of the first symbols, whoever owns it, or is named with its words."""
    first = {words_of_symbols((symbol,)) for symbol in symbols[:_SYMBOLS_NEAR]}
    return words_of_symbols((wrapper.wraps,)) in first or _is_named_for(wrapper, words)


def _is_named_for(wrapper: Wrapper, words: str) -> bool:
    """Whether a wrapper's own name has one of the words."""
    wanted = {stem(word) for token in words.split() for word in split_words(token)}
    return bool(set(stems_of(wrapper.function.name)) & wanted)


def _topic_of(answer: Answer) -> tuple[str, ...]:
    """The symbols an answer turned out to be about: those it names as existing, in order."""
    return tuple(
        dict.fromkeys(
            name for finding in answer.findings if not finding.is_source for name in named_symbols(finding.text)
        )
    )


def _nothing_known(question: Question) -> str:
    names = unknown_names(question)[:3]
    if names:
        return f"{', '.join(f'“{name}”' for name in names)}: neither locked nor installed here. Nothing is said of it."
    return "The question names no library that is locked or installed here; name one (with `--lib`)."


def _riskiest(risks: Sequence[Staleness]) -> Staleness:
    order = (LOW, "medium", HIGH)
    return max(risks, key=lambda one: order.index(one.risk), default=Staleness(HIGH, "no library known"))

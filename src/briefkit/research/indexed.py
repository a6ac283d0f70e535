"""Answers through the index: what is known and still holds is served, what is not is researched once and kept."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, NamedTuple

from briefkit.briefs.entries import IndexKey
from briefkit.briefs.evidence import HOLDS, MOVED, check_citation
from briefkit.briefs.exchange import answers_of
from briefkit.briefs.flight import Terms, answer_once
from briefkit.briefs.index import open_index
from briefkit.errors import BriefkitError

from .ask import Served
from .portable import packed, unpacked
from .source import PROFILE, research

if TYPE_CHECKING:
    from collections.abc import Callable

    from briefkit.briefs.brief import Answer, BriefRecord
    from briefkit.briefs.entries import Entry
    from briefkit.briefs.evidence import World
    from briefkit.briefs.index import BriefIndex, Verify

    from .library import Library
    from .questions import Question

    Researching = Callable[[Question, Library], Answer]


class Plan(NamedTuple):
    """How answers are served: past the index or not, how deep research goes, and the profile that answers are kept under."""

    fresh: bool = False
    depth: int = 0
    profile: str = PROFILE


class IndexedAnswers:
    """Serves one question about one library, from the index or the source researcher; `notices` are for stderr."""

    def __init__(self, index: BriefIndex | None, world: World, plan: Plan | None = None) -> None:
        self.notices: list[str] = []
        self._index = index
        self._world = world
        self._plan = plan or Plan()

    def __call__(self, question: Question, library: Library) -> Served:
        """The answer; kept under the library's exact version and source digest where both are known."""
        key = self._key(question, library)
        if key is None or self._index is None:
            return Served(research(question, library, self._world, depth=self._plan.depth))
        flight = answer_once(
            self._index,
            key,
            lambda: packed(research(question, library, self._world, depth=self._plan.depth), library),
            verify=self._verifier(library),
            fresh=self._plan.fresh or self._plan.depth > 0,
            terms=Terms(writer=f"pid {os.getpid()}"),
        )
        ends = flight.entry.expires_at if flight.entry else None
        return Served(unpacked(flight.answer, library), str(key), flight.hit, flight.age or 0.0, ends)

    def _key(self, question: Question, library: Library) -> IndexKey | None:
        resolution = library.resolution
        if self._index is None or resolution is None or library.installed is None or resolution.version is None:
            return None
        try:
            digest = library.digest
        except BriefkitError as error:
            self.notices.append(f"index: {error}; answered without it")
            return None
        assert digest is not None
        return IndexKey(
            self._index.namespace,
            resolution.ecosystem,
            resolution.name,
            resolution.version,
            digest,
            question.text,
            self._plan.profile,
        )

    def _verifier(self, library: Library) -> Verify:
        return verifier(library, self._world)

    def _note(self) -> None:
        if self._index is not None:
            self.notices = list(dict.fromkeys([*self.notices, *self._index.warnings]))

    def close(self) -> None:
        """Give the index back."""
        self._note()
        if self._index is not None:
            self._index.close()


def verifier(library: Library, world: World) -> Verify:
    """A check of an answer's citations against the source of the library that is installed here."""

    def verify(answer: Answer) -> str | None:
        for citation in unpacked(answer, library).citations:
            state = check_citation(citation, world).state
            if state not in (HOLDS, MOVED):
                return f"{citation.file} lines {citation.lines}: {state}"
        return None

    return verify


def keep_record(index: BriefIndex, record: BriefRecord, libraries: Callable[[str, str], Library]) -> list[str]:
    """Keep the answers of a brief's machine twin whose citations hold in what is installed here; the printed keys."""
    kept = []
    for key, answer in answers_of(record, profile=PROFILE, namespace=index.namespace):
        library = libraries(key.ecosystem, key.name)
        if library.installed is not None and library.digest == key.digest:
            entry = index.put(key, packed(answer, library))
            kept += [str(entry.key)] if entry is not None else []
    return kept


def verify_entry(index: BriefIndex, entry: Entry, library: Library, world: World) -> str:
    """One entry's citations read again: `verified` for another week, `ended` with the reason, or `not here` and left as it is."""
    if library.installed is None or library.digest != entry.key.digest:
        return "not here"
    reason = index.verify(entry, verifier(library, world))
    return "verified" if reason is None else f"ended: {reason}"


def open_answers(
    url: str, world: World, *, namespace: str, ttl: float, plan: Plan, clock: Callable[[], float] = time.time
) -> IndexedAnswers:
    """Answers through the index at a URL; without it where it cannot be opened, which is said in `notices`."""
    try:
        index = open_own_index(url, namespace=namespace, ttl=ttl, clock=clock)
    except (BriefkitError, OSError) as error:
        answers = IndexedAnswers(None, world, plan)
        answers.notices.append(f"index is down ({error}): answered without it")
        return answers
    return IndexedAnswers(index, world, plan)


def open_own_index(url: str, *, namespace: str, ttl: float, clock: Callable[[], float] = time.time) -> BriefIndex:
    """The index at a URL; the folder of one on disk is made, for its owner alone.

    Raises:
        UsageError: The URL is of no known kind.
        IndexUnavailableError: The store's package is not installed.
        OSError: The folder cannot be made.

    """
    if url.startswith("sqlite:"):
        os.makedirs(os.path.dirname(url.removeprefix("sqlite:")) or ".", mode=0o700, exist_ok=True)
    return open_index(url, namespace=namespace, clock=clock, ttl=ttl)

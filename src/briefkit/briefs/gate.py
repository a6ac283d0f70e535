"""The gate: may work on a task start? Deterministic, from the brief's Markdown file and what it cites.

    gate = Gate("state", World(read=CitedFiles(root), owner=owner_of, pin=pin_now), min_confidence=0.6)
    decision = gate.decide("task-0417", now=time.time())
    decision.open, decision.reason, decision.exit_code, decision.to_dict()

    checked = check_brief(text, path, world)           # `briefkit brief check FILE`
    checked.to_dict()

The file is the authority: it is read, its citations are read again, and the lower of the printed and the recomputed confidence counts.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from briefkit.errors import UnreadableError
from briefkit.paths import read_bytes, read_text

from .brief import (
    WEEK,
    Brief,
    BriefRecord,
    Fault,
    InvalidBriefError,
    auto_finding,
    checked_task_id,
    read_record,
    rounded_down,
)
from .evidence import CheckedCitation, Judgement, QuestionJudgement, World, judge
from .freshness import is_closed_by_risk, stale_reasons
from .markdown import SIZE_LIMIT, parse_brief

if TYPE_CHECKING:
    from collections.abc import Callable

OK = "ok"
MISSING = "missing"
INVALID = "invalid"
LOW_CONFIDENCE = "low-confidence"
STALE = "stale"
DISPUTED = "disputed"
NEEDS_HUMAN = "needs-human"
REASONS = (OK, MISSING, INVALID, LOW_CONFIDENCE, STALE, DISPUTED, NEEDS_HUMAN)
MIN_CONFIDENCE = 0.6
MAX_REFINEMENTS = 2


class TaskFacts(NamedTuple):
    """What the gate asks of a task's state: `disputed` or `needs-human` where it is one, refinements made, and the auto rule.

    `auto` says how many files the task itself names where it names fewer than 2 and no library, else None.
    """

    status: str | None = None
    refinements: int = 0
    auto: Callable[[], int | None] = lambda: None


class Decision(NamedTuple):
    """Whether work may start, and why or why not."""

    task: str
    reason: str
    confidence: float | None = None
    weak_questions: tuple[QuestionJudgement, ...] = ()
    refinements: int = 0
    max_refinements: int = MAX_REFINEMENTS
    details: tuple[str, ...] = ()

    @property
    def open(self) -> bool:
        """Whether work may start."""
        return self.reason == OK

    @property
    def exit_code(self) -> int:
        """0 open, 1 closed, 3 disputed or for a human."""
        if self.open:
            return 0
        return 3 if self.reason in (DISPUTED, NEEDS_HUMAN) else 1

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `briefkit gate`."""
        return {
            "task": self.task,
            "open": self.open,
            "reason": self.reason,
            "confidence": self.confidence,
            "weak_questions": [question.to_dict() for question in self.weak_questions],
            "refinements": self.refinements,
            "max_refinements": self.max_refinements,
            "details": list(self.details),
        }


class BriefCheck(NamedTuple):
    """A brief's file checked: its faults, the state of every citation, the claimed and the recomputed confidence."""

    brief: Brief | None
    faults: tuple[Fault, ...] = ()
    judgement: Judgement | None = None

    @property
    def valid(self) -> bool:
        """Whether the text is a brief."""
        return self.brief is not None

    @property
    def citations(self) -> tuple[CheckedCitation, ...]:
        """Every citation, read again."""
        return self.judgement.citations if self.judgement else ()

    @property
    def confidence(self) -> float | None:
        """The recomputed confidence; None of what is no brief."""
        return self.judgement.confidence if self.judgement else None

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `briefkit brief check`."""
        return {
            "valid": self.valid,
            "faults": [fault.to_dict() for fault in self.faults],
            "citations": [one.to_dict() for one in self.citations],
            "claimed_confidence": self.brief.confidence if self.brief else None,
            "confidence": self.confidence,
            "reasons": list(self.judgement.reasons) if self.judgement else [],
        }


def check_brief(text: str, path: str, world: World, record: BriefRecord | None = None) -> BriefCheck:
    """The brief in this text, checked against the world; what is no brief is a value with its faults."""
    try:
        brief = parse_brief(text, path)
    except InvalidBriefError as error:
        return BriefCheck(None, error.faults)
    return BriefCheck(brief, (), judge(brief, world, record))


def brief_paths(state_dir: str, task: str) -> tuple[str, str]:
    """Where a task's brief and its machine twin lie.

    Raises:
        UsageError: The text is no task id.

    """
    stem = os.path.join(state_dir, "briefs", checked_task_id(task))
    return stem + ".md", stem + ".json"


def twin_of(path: str) -> BriefRecord | None:
    """The machine twin beside a brief's Markdown file; None where there is none, or it cannot be read."""
    try:
        twin = os.path.splitext(path)[0] + ".json"
        return read_record(read_bytes(twin), twin)
    except UnreadableError:
        return None


class Gate:
    """Decides for the tasks of one `state/` folder."""

    def __init__(
        self,
        state_dir: str,
        world: World,
        *,
        min_confidence: float = MIN_CONFIDENCE,
        max_refinements: int = MAX_REFINEMENTS,
        ttl: float = WEEK,
    ) -> None:
        self.state_dir = state_dir
        self.world = world
        self.min_confidence = min_confidence
        self.max_refinements = max_refinements
        self.ttl = ttl

    def decide(self, task: str, *, now: float, facts: TaskFacts | None = None) -> Decision:
        """Whether work on the task may start.

        Raises:
            UsageError: The text is no task id.

        """
        path, _ = brief_paths(self.state_dir, task)
        facts = facts or TaskFacts()
        decision = self._decide(task, path, now, facts)
        return decision._replace(refinements=facts.refinements, max_refinements=self.max_refinements)

    def _decide(self, task: str, path: str, now: float, facts: TaskFacts) -> Decision:
        if facts.status in (DISPUTED, NEEDS_HUMAN):
            return Decision(task, facts.status)
        if not os.path.lexists(path):
            return Decision(task, MISSING)
        try:
            text = read_text(path, SIZE_LIMIT)
            written_at = os.stat(path).st_mtime
        except (UnreadableError, OSError) as error:
            return Decision(task, INVALID, details=(str(error),))
        record = twin_of(path)
        checked = check_brief(text, path, self.world, record)
        if checked.brief is None or checked.judgement is None:
            return Decision(task, INVALID, details=tuple(f"line {one.line}: {one.what}" for one in checked.faults))
        if _is_auto(checked.brief):
            return self._decide_auto(task, checked.brief, facts)
        return self._decide_researched(task, checked.brief, checked.judgement, record, written_at, now, facts)

    def _decide_auto(self, task: str, brief: Brief, facts: TaskFacts) -> Decision:
        """An auto-brief counts only where the task itself comes to the same."""
        files = facts.auto()
        if files is not None and files < 2 and all(_says_auto(points, files) for points in brief.findings):
            return Decision(task, OK if brief.confidence >= self.min_confidence else LOW_CONFIDENCE, brief.confidence)
        details = ("the brief says that nothing had to be researched, and the task says otherwise",)
        return Decision(task, LOW_CONFIDENCE, 0.0, details=details)

    def _decide_researched(
        self,
        task: str,
        brief: Brief,
        judgement: Judgement,
        record: BriefRecord | None,
        written_at: float,
        now: float,
        facts: TaskFacts,
    ) -> Decision:
        confidence = min(brief.confidence, judgement.confidence)
        stale = stale_reasons(
            record.verified_at if record else written_at,
            record.pins if record else (),
            judgement.citations,
            self.world,
            now=now,
            ttl=self.ttl,
        )
        if is_closed_by_risk(brief):
            stale = (f"staleness risk is {brief.staleness}", *stale)
        if stale:
            return Decision(task, STALE, confidence, details=stale)
        if confidence >= self.min_confidence:
            return Decision(task, OK, confidence)
        weak = self._weak(brief, judgement, record)
        reason = NEEDS_HUMAN if facts.refinements >= self.max_refinements else LOW_CONFIDENCE
        return Decision(task, reason, confidence, weak, details=judgement.reasons)

    def _weak(self, brief: Brief, judgement: Judgement, record: BriefRecord | None) -> tuple[QuestionJudgement, ...]:
        """The questions under the bar by evidence or by claim; all of them where only the printed number is under it."""
        claimed = record.confidences if record and len(record.confidences) == len(brief.questions) else None
        capped = [
            one._replace(confidence=min(one.confidence, claimed[index]) if claimed else one.confidence)
            for index, one in enumerate(judgement.questions)
        ]
        weak = tuple(one for one in capped if one.confidence < self.min_confidence)
        return weak or tuple(one._replace(confidence=rounded_down(brief.confidence)) for one in capped)


def _is_auto(brief: Brief) -> bool:
    return all(len(points) == 1 and points[0].text.startswith("auto:") for points in brief.findings)


def _says_auto(points: tuple[Any, ...], files: int) -> bool:
    return bool(points[0].text == auto_finding(files))

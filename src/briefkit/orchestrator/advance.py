"""One step of one task. `advance` is the whole method on a page: research, gate, refine, implement, verify, heal.

What it needs of the world comes through the `House` port; what becomes of the task is written by the state's store alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from briefkit.briefs.gate import DISPUTED as GATE_DISPUTED
from briefkit.briefs.gate import MAX_REFINEMENTS, STALE
from briefkit.briefs.gate import NEEDS_HUMAN as GATE_NEEDS_HUMAN
from briefkit.errors import BriefkitError

from . import states
from .implementing import GateClosedError
from .outcomes import DONE, PASSING, Result

if TYPE_CHECKING:
    from briefkit.briefs.gate import Decision

    from .state_store import Held, StateStore, TaskRow
    from .task_file import Task

MAX_HEALS = 3
# How often work may find its gate closed and go back to research before a human looks at what keeps closing it.
MAX_CLOSINGS = 5


class Verified(NamedTuple):
    """What the task's own verify command said: whether it passed, and its output."""

    passed: bool
    output: str
    seconds: float = 0.0


class Researched(NamedTuple):
    """What a research pass came to: whether it read anything new, its figures for the log, and a failure's reason."""

    new: bool
    data: dict[str, object]
    failure: str = ""
    passing: bool = False


class House(Protocol):
    """What a task's step asks of the world."""

    store: StateStore

    def task(self, row: TaskRow) -> Task:
        """The task's file as it is now; an error where it is not the one that this state took in."""

    def waits_for(self, task: Task) -> tuple[str, ...]:
        """The tasks that must be done before."""

    def auto_brief(self, task: Task) -> bool:
        """Write the auto-brief where the task needs no research; whether it did."""

    def research(self, task: Task, depth: int, weak: tuple[str, ...]) -> Researched:
        """Research the task's questions and write its brief; `depth` over 0 refines the weak ones."""

    def gate(self, task: Task, row: TaskRow) -> Decision:
        """Whether the gate is open now."""

    def implement(self, task: Task, row: TaskRow, failure: str | None) -> Result:
        """Start the implementer, through the gate; `failure` is what verifying said of the last attempt."""

    def verify(self, task: Task) -> Verified:
        """Run the task's own command."""


def advance(row: TaskRow, held: Held, house: House) -> TaskRow:
    """Do the next step of a task whose lease is held; the task's row after it (the same row where it has to wait)."""
    task = house.task(row)
    store = house.store
    if task.disagreement and row.state in (states.BRIEFED, states.IMPLEMENTING, states.VERIFYING, states.HEALING):
        return store.change(
            held,
            states.DISPUTED,
            reason="the implementer disagrees with the brief",
            data={"disagreement": task.disagreement},
        )
    match row.state:
        case states.QUEUED:
            if house.waits_for(task):
                return row
            if house.auto_brief(task):
                return store.change(held, states.BRIEFED, data={"auto": True})
            return store.change(held, states.RESEARCHING)
        case states.RESEARCHING:
            return _researched(task, row, held, house, house.research(task, 0, ()))
        case states.REFINING:
            weak = tuple(str(question) for question in row.payload.get("weak", ()))
            return _researched(task, row, held, house, house.research(task, row.refinements, weak))
        case states.BRIEFED:
            decision = house.gate(task, row)
            if decision.open:
                return store.change(held, states.IMPLEMENTING, data={"confidence": decision.confidence})
            return _closed(decision, row, held, house)
        case states.IMPLEMENTING | states.HEALING:
            return _attempted(task, row, held, house)
        case states.VERIFYING:
            return _verified(row, held, house, house.verify(task))
    return row


def _researched(task: Task, row: TaskRow, held: Held, house: House, found: Researched) -> TaskRow:
    """After a research pass: through the gate, or another pass for the weak questions, or a human."""
    store = house.store
    if found.passing:
        return store.note(held, "research-waits", {**found.data, "reason": found.failure})
    decision = house.gate(task, row)
    data = {**found.data, "confidence": decision.confidence, "gate": decision.reason}
    if decision.open:
        return store.change(held, states.BRIEFED, data=data)
    if row.state == states.REFINING and not found.new:
        return store.change(held, states.NEEDS_HUMAN, reason="refining found nothing new to read", data=data)
    if row.refinements >= MAX_REFINEMENTS or decision.reason in (STALE, GATE_NEEDS_HUMAN, GATE_DISPUTED):
        reason = f"research gave up: {decision.reason}" + (
            f" ({'; '.join(decision.details[:3])})" if decision.details else ""
        )
        return store.change(held, states.NEEDS_HUMAN, reason=reason, data=data)
    weak = [one.question for one in decision.weak_questions]
    counts = {"refinements": row.refinements + 1, "payload": {**row.payload, "weak": weak}}
    return store.change(held, states.REFINING, reason=decision.reason, data={**data, "weak": weak}, counts=counts)


def _closed(decision: Decision, row: TaskRow, held: Held, house: House) -> TaskRow:
    """The gate closed on a brief that had passed: stale is researched again (no refinement), the rest is a human's."""
    if decision.reason in (GATE_NEEDS_HUMAN, GATE_DISPUTED):
        return house.store.change(held, states.NEEDS_HUMAN, reason=decision.reason)
    if _closings(row) >= MAX_CLOSINGS:
        reason = f"the gate closed {_closings(row)} times under the work; the last time: {decision.reason}"
        return house.store.change(held, states.NEEDS_HUMAN, reason=reason)
    return house.store.change(
        held, states.RESEARCHING, reason=f"the gate closed: {decision.reason}", counts={"refinements": 0}
    )


def _closings(row: TaskRow) -> int:
    """How often the gate closed between a task's passing it and its implementer's start."""
    return int(row.payload.get("closings", 0))


def _attempted(task: Task, row: TaskRow, held: Held, house: House) -> TaskRow:
    """The implementer's turn; where other work, or its own, has outdated the brief meanwhile, back to the gate."""
    failure = str(row.payload.get("failure", "")) if row.heals else None
    try:
        result = house.implement(task, row, failure)
    except GateClosedError as error:
        counts = {"payload": {**row.payload, "closings": _closings(row) + 1}}
        return house.store.change(held, states.BRIEFED, reason=str(error), counts=counts)
    return _implemented(held, house, result)


def _implemented(held: Held, house: House, result: Result) -> TaskRow:
    """After the implementer: what it says of itself is logged and never counts; what it took is logged whatever else is wrong."""
    store = house.store
    data = {"run": result.to_dict(), "role": "implementer"}
    if result.outcome in PASSING:
        return store.note(held, "implementer-waits", data)
    try:
        disagreement = house.task(store.get(held.task)).disagreement
    except BriefkitError as error:
        return store.change(held, states.BLOCKED, reason=str(error), data=data)
    if disagreement:
        return store.change(
            held,
            states.DISPUTED,
            reason="the implementer disagrees with the brief",
            data={**data, "disagreement": disagreement},
        )
    if result.outcome != DONE:
        return store.change(
            held, states.BLOCKED, reason=f"the implementer failed: {result.outcome} {result.reason}".strip(), data=data
        )
    return store.change(held, states.VERIFYING, data=data)


def _verified(row: TaskRow, held: Held, house: House, verified: Verified) -> TaskRow:
    """After the task's own command: done, healed again, or blocked with the reason."""
    store = house.store
    output = verified.output[-8000:]
    data = {"passed": verified.passed, "seconds": round(verified.seconds, 3), "output": output}
    if verified.passed:
        return store.change(held, states.DONE, data=data)
    if row.heals >= MAX_HEALS:
        reason = f"healing gave up after {MAX_HEALS} attempts; the last said: {_last_line(output)}"
        return store.change(held, states.BLOCKED, reason=reason, data=data)
    if output == row.payload.get("failure") and row.heals > 0:
        reason = f"healing gave up: attempt {row.heals} failed exactly as the one before: {_last_line(output)}"
        return store.change(held, states.BLOCKED, reason=reason, data=data)
    counts = {"heals": row.heals + 1, "payload": {**row.payload, "failure": output}}
    return store.change(held, states.HEALING, reason=_last_line(output), data=data, counts=counts)


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no output"])[-1][:200]

"""The states of a task, and which may follow which. The table is the law: the store refuses every other change."""

from __future__ import annotations

QUEUED = "queued"
RESEARCHING = "researching"
REFINING = "refining"
BRIEFED = "briefed"
IMPLEMENTING = "implementing"
VERIFYING = "verifying"
HEALING = "healing"
DONE = "done"
BLOCKED = "blocked"
DISPUTED = "disputed"
NEEDS_HUMAN = "needs-human"

STATES = (
    QUEUED,
    RESEARCHING,
    REFINING,
    BRIEFED,
    IMPLEMENTING,
    VERIFYING,
    HEALING,
    DONE,
    BLOCKED,
    DISPUTED,
    NEEDS_HUMAN,
)

# A working state may follow itself: a worker that died in it is followed by another that does the step again.
NEXT: dict[str, frozenset[str]] = {
    QUEUED: frozenset((RESEARCHING, BRIEFED)),
    RESEARCHING: frozenset((RESEARCHING, REFINING, BRIEFED, NEEDS_HUMAN)),
    REFINING: frozenset((REFINING, BRIEFED, NEEDS_HUMAN)),
    BRIEFED: frozenset((IMPLEMENTING, RESEARCHING, DISPUTED, NEEDS_HUMAN)),
    IMPLEMENTING: frozenset((IMPLEMENTING, VERIFYING, DISPUTED, BRIEFED, BLOCKED)),
    VERIFYING: frozenset((VERIFYING, DONE, HEALING, DISPUTED, BLOCKED)),
    HEALING: frozenset((HEALING, VERIFYING, DISPUTED, BRIEFED, BLOCKED)),
    DONE: frozenset(),
    BLOCKED: frozenset((QUEUED,)),
    DISPUTED: frozenset((QUEUED, BRIEFED)),
    NEEDS_HUMAN: frozenset((QUEUED,)),
}

# Nobody works on these; they are left only by a person, or not at all.
RESTING = frozenset((DONE, BLOCKED, DISPUTED, NEEDS_HUMAN))
WORKING = frozenset(STATES) - RESTING


def may_follow(before: str, after: str) -> bool:
    """Whether a task in state `before` may go to `after`."""
    return after in NEXT.get(before, frozenset())

"""The table the method is judged by, computed from the events alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from . import states

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .state_store import Event, TaskRow

# What interpreters, type checkers and test runners say where a name is not there; each gives the owner (or nothing) and the name.
_MISSING = (
    re.compile(
        r"AttributeError: (?:module |type object )?'(?P<owner>[\w.]+)'(?: object)? has no attribute '(?P<name>\w+)'"
    ),
    re.compile(r"ImportError: cannot import name '(?P<name>\w+)' from '(?P<owner>[\w.]+)'"),
    re.compile(r"TypeError: (?P<owner>[\w$.]+)\.(?P<name>[\w$]+) is not a function"),
    re.compile(r"Property '(?P<name>[\w$]+)' does not exist on type '(?:typeof )?(?P<owner>[\w$.]+)"),
    re.compile(r"[\"'](?P<owner>[\w.]+)[\"'] has no attribute [\"'](?P<name>\w+)[\"']"),
    re.compile(r"Module '\"(?P<owner>[^\"']+)\"' has no exported member '(?P<name>[\w$]+)'"),
)


class Figures(NamedTuple):
    """The method's figures over all tasks of a state."""

    tasks: int
    by_state: dict[str, int]
    hallucinated: tuple[str, ...]
    retries: float
    tokens: float
    research_share: float | None
    cost: float
    needs_human: int
    disagreements: int
    implementer_right: int
    brief_right: int
    reuse: float | None

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `report`."""
        return {
            "tasks": self.tasks,
            "by_state": self.by_state,
            "failed_on_hallucinated_api": len(self.hallucinated),
            "hallucinated": list(self.hallucinated),
            "healing_retries_per_task": self.retries,
            "tokens_per_task": self.tokens,
            "research_share_of_tokens": self.research_share,
            "cost_usd": self.cost,
            "needs_human": self.needs_human,
            "disagreements": self.disagreements,
            "implementer_right": self.implementer_right,
            "brief_right": self.brief_right,
            "brief_reuse_rate": self.reuse,
        }


def figures_of(rows: Sequence[TaskRow], events: Sequence[Event], is_absent: Callable[[str, str], bool]) -> Figures:
    """The figures of these tasks; `is_absent(owner, name)` asks the installed libraries whether a symbol is absent there.

    A task failed on a hallucinated API only where its verify command's output names a library symbol that is absent.
    """
    runs = [event for event in events if "run" in event.data]
    tokens = {
        role: sum(_tokens(event) for event in runs if event.data.get("role") == role)
        for role in ("researcher", "implementer")
    }
    total = sum(tokens.values())
    answers = sum(event.data.get("answers", 0) for event in events)
    disputes = [event for event in events if event.after == states.DISPUTED and event.kind == "state"]
    settled = [event.data.get("right") for event in events if event.before == states.DISPUTED]
    count = len(rows) or 1
    return Figures(
        len(rows),
        {state: number for state in states.STATES if (number := sum(row.state == state for row in rows))},
        tuple(dict.fromkeys(event.task for event in events if _names_absent(event, is_absent))),
        round(sum(event.after == states.HEALING and event.before != states.HEALING for event in events) / count, 2),
        round(total / count, 1),
        round(tokens["researcher"] / total, 4) if total else None,
        round(sum(event.data["run"]["cost"] for event in runs), 4),
        len({event.task for event in events if event.after == states.NEEDS_HUMAN}),
        len(disputes),
        settled.count("implementer"),
        settled.count("brief"),
        round(sum(event.data.get("reused", 0) for event in events) / answers, 4) if answers else None,
    )


def missing_names(output: str) -> tuple[tuple[str, str], ...]:
    """The (owner, name) pairs that an output says are not there, each once."""
    found = (one for pattern in _MISSING for one in pattern.finditer(output))
    return tuple(dict.fromkeys((one.group("owner"), one.group("name")) for one in found))


def _names_absent(event: Event, is_absent: Callable[[str, str], bool]) -> bool:
    if event.before != states.VERIFYING or event.data.get("passed", True):
        return False
    return any(is_absent(owner, name) for owner, name in missing_names(event.data.get("output", "")))


def _tokens(event: Event) -> int:
    run = event.data["run"]
    return int(run["input_tokens"] + run["output_tokens"])

"""The method's table, from events alone; a hallucinated API is counted only where the library really lacks it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from briefkit.orchestrator.figures import figures_of, missing_names
from briefkit.orchestrator.state_store import Event, TaskRow

if TYPE_CHECKING:
    from typing import Any

OUTPUTS = {
    "AttributeError: module 'httpx' has no attribute 'fetch'": [("httpx", "fetch")],
    "AttributeError: 'Client' object has no attribute 'fetch'": [("Client", "fetch")],
    "AttributeError: type object 'Model' has no attribute 'x'": [("Model", "x")],
    "ImportError: cannot import name 'BaseSettings' from 'pydantic' (/x/__init__.py)": [("pydantic", "BaseSettings")],
    "TypeError: Model.upsertMany is not a function": [("Model", "upsertMany")],
    "a.ts(3,7): error TS2339: Property 'upsertMany' does not exist on type 'typeof Model'.": [("Model", "upsertMany")],
    "a.ts(1,10): error TS2305: Module '\"zod\"' has no exported member 'foo'.": [("zod", "foo")],
    'a.py:3: error: "Client" has no attribute "fetch"  [attr-defined]': [("Client", "fetch")],
    "AssertionError: 1 != 2": [],
}


@pytest.mark.parametrize(("output", "names"), OUTPUTS.items())
def test_what_tools_say_of_missing_names_is_read(output: str, names: list[tuple[str, str]]) -> None:
    assert missing_names(output) == tuple(names)


def event(number: int, task: str, before: str | None, after: str, **data: Any) -> Event:
    return Event(number, task, number, before, after, "state", 1, float(number), "w", data)


def row(task: str, state: str) -> TaskRow:
    return TaskRow(task, state, 0, None, 0, 0.0, "", 0, 0, "", 0.0, {})


def run(tokens: int, cost: float) -> dict[str, Any]:
    return {"input_tokens": tokens, "output_tokens": 0, "cost": cost, "outcome": "done"}


def test_the_table_is_computed_from_the_events() -> None:
    missing = "AttributeError: module 'httpx' has no attribute 'fetch'"
    own = "AttributeError: module 'our_code' has no attribute 'fetch'"
    events = [
        event(1, "a", "researching", "briefed", run=run(300, 0.1), role="researcher", answers=2, reused=1),
        event(2, "a", "implementing", "verifying", run=run(700, 0.2), role="implementer"),
        event(3, "a", "verifying", "healing", passed=False, output=missing),
        event(4, "a", "healing", "verifying", run=run(1000, 0.3), role="implementer"),
        event(5, "a", "verifying", "done", passed=True, output=missing),
        event(6, "b", "verifying", "healing", passed=False, output=own),
        event(7, "c", "briefed", "disputed"),
        event(8, "c", "disputed", "queued", right="implementer"),
        event(9, "d", "refining", "needs-human"),
    ]
    rows = [row("a", "done"), row("b", "healing"), row("c", "queued"), row("d", "needs-human")]
    figures = figures_of(rows, events, lambda owner, name: (owner, name) == ("httpx", "fetch"))
    assert figures.to_dict() == {
        "tasks": 4,
        "by_state": {"queued": 1, "healing": 1, "done": 1, "needs-human": 1},
        "failed_on_hallucinated_api": 1,
        "hallucinated": ["a"],
        "healing_retries_per_task": 0.5,
        "tokens_per_task": 500.0,
        "research_share_of_tokens": 0.15,
        "cost_usd": 0.6,
        "needs_human": 1,
        "disagreements": 1,
        "implementer_right": 1,
        "brief_right": 0,
        "brief_reuse_rate": 0.5,
    }

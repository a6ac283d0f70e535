"""The tasks' state: every change is fenced by a lease, legal, and written with its event or not at all."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from briefkit.errors import BriefkitError
from briefkit.orchestrator import states
from briefkit.orchestrator.state_store import FencedError, IllegalChangeError, StateStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Clock:
    """Time that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[StateStore]:
    opened = StateStore(str(tmp_path / "state" / "state.db"), clock)
    yield opened
    opened.close()


def history(store: StateStore, task: str = "t") -> list[tuple[str | None, str, str]]:
    return [(event.before, event.after, event.kind) for event in store.events(task)]


def test_a_task_is_added_once_and_its_changes_are_events_in_order(store: StateStore) -> None:
    store.add("t", "digest", "user")
    held = store.acquire("t", "w1", 60)
    assert held is not None
    store.change(held, states.RESEARCHING)
    store.note(held, "agent", {"cost": 1})
    row = store.change(
        held, states.NEEDS_HUMAN, reason="gave up", counts={"refinements": 2, "payload": {"weak": ["q"]}}
    )
    assert (row.state, row.version, row.refinements, row.payload, row.reason) == (
        states.NEEDS_HUMAN,
        3,
        2,
        {"weak": ["q"]},
        "gave up",
    )
    assert store.get("t") == row
    assert history(store) == [
        (None, "queued", "added"),
        ("queued", "researching", "state"),
        ("researching", "researching", "agent"),
        ("researching", "needs-human", "state"),
    ]
    with pytest.raises(BriefkitError, match="task 't' is there already"):
        store.add("t", "digest", "user")


def test_a_lease_is_held_by_one_until_it_runs_out_and_its_token_grows(store: StateStore, clock: Clock) -> None:
    store.add("t", "digest", "user")
    first = store.acquire("t", "w1", 60)
    assert first is not None
    assert store.acquire("t", "w2", 60) is None
    clock.now += 61
    second = store.acquire("t", "w2", 60)
    assert second is not None
    assert second.token > first.token
    assert store.beat(first, 60) is False
    assert store.beat(second, 60) is True


def test_a_worker_that_was_overtaken_is_fenced_and_writes_nothing(store: StateStore, clock: Clock) -> None:
    store.add("t", "digest", "user")
    first = store.acquire("t", "w1", 60)
    clock.now += 61
    second = store.acquire("t", "w2", 60)
    assert first is not None
    assert second is not None
    with pytest.raises(FencedError, match=r"task 't' was taken over \(token 1, now 2\)"):
        store.change(first, states.RESEARCHING)
    store.release(first)
    store.change(second, states.RESEARCHING)
    assert history(store) == [(None, "queued", "added"), ("queued", "researching", "state")]


def test_a_change_that_the_table_does_not_have_is_refused_and_leaves_no_event(store: StateStore) -> None:
    store.add("t", "digest", "user")
    held = store.acquire("t", "w1", 60)
    assert held is not None
    with pytest.raises(IllegalChangeError, match="task 't' is queued and cannot become implementing"):
        store.change(held, states.IMPLEMENTING)
    assert history(store) == [(None, "queued", "added")]


def test_every_way_to_implementing_leads_through_briefed() -> None:
    before = {state for state in states.STATES if states.may_follow(state, states.IMPLEMENTING)} - {states.IMPLEMENTING}
    assert before == {states.BRIEFED}


def test_events_cannot_be_changed_or_removed(store: StateStore) -> None:
    store.add("t", "digest", "user")
    other = sqlite3.connect(store.path)
    for statement in ("update event set after = 'done'", "delete from event"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            other.execute(statement)
    other.close()


def test_a_state_that_is_no_database_is_an_error_and_is_never_replaced(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "state.db"
    path.write_bytes(b"not a database at all, but long enough to look at" * 100)
    before = path.read_bytes()
    with pytest.raises(BriefkitError, match="the tasks' state cannot be used .* It is never replaced"):
        StateStore(str(path), clock).tasks()
    assert path.read_bytes() == before


def test_a_state_of_a_newer_schema_is_refused(store: StateStore, clock: Clock) -> None:
    store.add("t", "digest", "user")
    store.close()
    other = sqlite3.connect(store.path)
    other.execute("pragma user_version = 9")
    other.close()
    with pytest.raises(BriefkitError, match=r"written by a newer briefkit \(schema 9\)"):
        StateStore(store.path, clock).tasks()

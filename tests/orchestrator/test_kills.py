"""`kill -9` at random points of runs, and two runs at once: nothing lost, no illegal history, every task ends, no step done twice."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from scripted_app import SENDS, App, make_app

from briefkit.orchestrator import states

if TYPE_CHECKING:
    from pathlib import Path

TASKS = 10


@pytest.fixture
def app(tmp_path: Path, own_environment: Path, capsys: pytest.CaptureFixture[str]) -> App:
    made = make_app(tmp_path / "app", own_environment, capsys)
    for number in range(TASKS):
        made.add(f"t{number}", "--question", SENDS, "--verify", "true")
    return made


def start(app: App) -> subprocess.Popen[bytes]:
    command = [
        sys.executable,
        "-m",
        "briefkit",
        "-C",
        str(app.root),
        "run",
        "--implementer",
        "scripted",
        "--max-cost",
        "1000",
    ]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def kill_many(app: App, kills: int, seed: int) -> int:
    """Start runs and kill each at a random point; how many died before their own end."""
    chance = random.Random(seed)
    killed = rounds = 0
    while killed < kills:
        rounds += 1
        child = start(app)
        try:
            child.wait(chance.uniform(0.05, 1.2))
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
            killed += 1
        if all(state == "done" for state in all_states(app)):
            for number in range(TASKS):
                app.add(f"more-{rounds}-{number}", "--question", SENDS, "--verify", "true")
    return killed


def all_states(app: App) -> list[str]:
    return [task["state"] for task in app("task", "list")[1]["tasks"]]


def finish(app: App) -> None:
    """Run until every task rests; a dead worker's lease has to run out first."""
    deadline = time.monotonic() + 240
    while set(all_states(app)) & states.WORKING and time.monotonic() < deadline:
        start(app).wait()


def assert_histories_are_whole(app: App) -> None:
    for task in app("task", "list")[1]["tasks"]:
        events = app("log", task["id"])[1]["events"]
        assert task["state"] == "done", (task, events[-1])
        assert [event["version"] for event in events] == list(range(len(events)))
        assert all(after["before"] == before["after"] for before, after in pairwise(events))
        assert all(
            states.may_follow(event["before"], event["after"]) for event in events[1:] if event["kind"] == "state"
        )


@pytest.mark.slow
def test_thirty_kills_lose_nothing(app: App) -> None:
    assert kill_many(app, 30, seed=1) == 30
    finish(app)
    assert_histories_are_whole(app)


@pytest.mark.soak
def test_two_hundred_kills_lose_nothing(app: App) -> None:
    assert kill_many(app, 200, seed=2) == 200
    finish(app)
    assert_histories_are_whole(app)


@pytest.mark.slow
def test_two_runs_at_once_do_no_step_twice(app: App) -> None:
    children = [start(app) for _ in range(2)]
    assert [child.wait() for child in children] == [0, 0]
    finish(app)
    assert_histories_are_whole(app)
    assert sorted(app.starts()) == sorted(f"t{number}" for number in range(TASKS))
    for number in range(TASKS):
        steps = [event["after"] for event in app("log", f"t{number}")[1]["events"] if event["kind"] == "state"]
        assert steps == ["researching", "briefed", "implementing", "verifying", "done"]

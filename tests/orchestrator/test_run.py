"""Whole runs over a small project with scripted agents: done, auto-briefed, refined, given up, healed, blocked, disputed, capped, resumed."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from scripted_app import SENDS, App, make_app

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def app(tmp_path: Path, own_environment: Path, capsys: pytest.CaptureFixture[str]) -> App:
    return make_app(tmp_path / "app", own_environment, capsys)


def test_a_task_is_researched_gated_implemented_verified_and_done(app: App) -> None:
    app.add("t", "--question", SENDS, "--verify", "test -f starts.log")
    assert app.run() == 0
    assert app.way("t") == ["researching", "briefed", "implementing", "verifying", "done"]
    prompt = (app.root / "state/runs/t/implement-0/prompt.md").read_text(encoding="utf-8")
    brief = (app.root / "state/briefs/t.md").read_text(encoding="utf-8")
    assert prompt.startswith(
        f"{brief}\nThe brief above is the source of truth for library APIs and existing helpers. If you believe it is wrong, stop and write "
        "why to the task file. Do not work around it.\n\nTask t: Title of t\n"
    )


def test_a_task_with_one_file_and_no_library_needs_no_research_and_one_with_a_library_in_it_does(app: App) -> None:
    (app.root / "plain.py").write_text("import json\n", encoding="utf-8")
    app.add("auto", "--file", "plain.py")
    app.add("imports", "--file", "app/outbox.py")
    app.add("two", "--file", "plain.py", "--file", "NOTES.md")
    app.add("named", "--file", "plain.py", "--question", SENDS)
    app.run("--once")
    assert [app.state(task)[0] for task in ("auto", "imports", "two", "named")] == [
        "briefed",
        "researching",
        "researching",
        "researching",
    ]
    assert app("gate", "auto") == (0, app("gate", "auto")[1])


def test_an_auto_brief_that_someone_puts_before_a_task_that_needs_research_opens_nothing(app: App) -> None:
    (app.root / "plain.py").write_text("", encoding="utf-8")
    app.add("auto", "--file", "plain.py")
    app.run("--once")
    app.add("t", "--question", SENDS)
    brief = (app.root / "state/briefs/auto.md").read_text(encoding="utf-8")
    (app.root / "state/briefs/t.md").write_text(brief, encoding="utf-8")
    code, decision = app("gate", "t")
    assert (code, decision["reason"]) == (1, "low-confidence")


def test_research_that_finds_nothing_ends_at_a_human_and_retry_queues_it_again(app: App) -> None:
    app.add("t", "--question", "How do we brew coffee with courier?")
    assert app.run() == 3
    assert app.state("t") == ("needs-human", "refining found nothing new to read")
    assert app.starts() == []
    assert app("gate", "t")[1]["reason"] == "needs-human"
    assert app("task", "retry", "t")[1]["task"]["state"] == "queued"


def test_documents_that_name_what_was_found_refine_a_weak_answer(app: App) -> None:
    app.add("t", "--question", "How do we dial a connection over a tunnel with courier?", "--verify", "true")
    app.run()
    assert app.way("t")[:4] == ["researching", "refining", "briefed", "implementing"]


def test_a_failing_verify_is_healed_at_most_three_times_and_its_end_is_explained(app: App) -> None:
    app.add("healed", "--question", SENDS, "--verify", "grep -q 2 healed.txt")
    app.add("hopeless", "--question", SENDS, "--verify", "date +%N; false")
    assert app.run() == 1
    assert app.way("healed")[-4:] == ["verifying", "healing", "verifying", "done"]
    assert app.way("hopeless").count("healing") == 3
    state, reason = app.state("hopeless")
    assert (state, reason.split(";")[0]) == ("blocked", "healing gave up after 3 attempts")


def test_the_same_failure_twice_is_not_healed_a_third_time(app: App) -> None:
    app.add("t", "--question", SENDS, "--verify", "echo no; false")
    app.run()
    assert app.state("t") == ("blocked", "healing gave up: attempt 1 failed exactly as the one before: no")


def test_a_disagreement_stops_the_task_and_who_was_right_is_recorded(app: App) -> None:
    app.add("disputed", "--question", SENDS)
    assert app.run() == 3
    assert app.state("disputed")[0] == "disputed"
    assert app("gate", "disputed")[0] == 3
    kept = [entry["key"] for entry in app("index", "list")[1]["entries"]]
    settled = app("task", "resolve-dispute", "disputed", "--right", "implementer")[1]
    assert settled["task"] == {"id": "disputed", "state": "queued"}
    assert settled["ended"] == kept
    assert app("index", "list")[1]["entries"] == []
    case = json.loads((app.root / settled["case"]).read_text(encoding="utf-8"))
    assert (case["disagreement"], case["brief"][:16]) == ("It is wrong.", "# Research brief")
    report = app("report")[1]
    assert (report["disagreements"], report["implementer_right"], report["brief_right"]) == (1, 1, 0)


def test_a_dispute_that_the_brief_wins_goes_on_with_the_brief(app: App) -> None:
    app.add("disputed", "--question", SENDS)
    app.run()
    assert app("task", "resolve-dispute", "disputed", "--right", "brief")[1]["task"]["state"] == "briefed"
    assert app("gate", "disputed")[0] == 0
    assert "It is wrong" not in (app.root / "state/tasks/disputed.md").read_text(encoding="utf-8")


def test_a_task_waits_for_what_it_depends_on(app: App) -> None:
    app.add("first", "--question", SENDS, "--verify", "true")
    app.add("second", "--question", SENDS, "--verify", "true", "--depends", "first")
    app.run()
    assert app.starts() == ["first", "second"]


def test_a_task_file_that_something_changed_runs_nothing_until_it_is_retried(app: App) -> None:
    app.add("t", "--question", SENDS, "--verify", "touch verified")
    path = app.root / "state/tasks/t.md"
    path.write_text(path.read_text(encoding="utf-8").replace("touch verified", "touch evil"), encoding="utf-8")
    app.run()
    assert (app.starts(), (app.root / "evil").exists()) == ([], False)
    assert "was changed by something else" in app("log", "t")[1]["events"][-1]["data"]["error"]
    assert app("task", "retry", "t")[0] == 0
    app.run()
    assert ((app.root / "evil").exists(), app.state("t")[0]) == (True, "done")


def test_an_implementer_that_rewrites_its_own_verify_command_is_blocked(app: App) -> None:
    app.add("tamper", "--question", SENDS, "--verify", "false")
    assert app.run() == 1
    assert app.state("tamper")[0] == "blocked"
    assert "was changed" in app.state("tamper")[1]


def test_what_an_implementer_took_counts_also_where_it_spoiled_its_task(app: App) -> None:
    app.add("tamper", "--question", SENDS, "--verify", "false")
    app.run()
    assert (app("status")[1]["tasks"][0]["tokens"], app("report")[1]["cost_usd"]) == (110, 0.1)


def test_work_that_outdates_the_brief_of_another_task_or_its_own_sends_both_back_to_research(app: App) -> None:
    wraps = "Does the repo already wrap this?"
    app.add(
        "reworker", "--question", SENDS, "--question", wraps, "--verify", "test -f passes || { touch passes; false; }"
    )
    app.add("other", "--question", SENDS, "--question", wraps, "--verify", "true")
    assert app.run() == 0
    assert app.starts() == ["reworker", "other", "reworker"]
    back = ["implementing", "briefed", "researching", "briefed", "implementing", "verifying", "done"]
    assert app.way("other") == ["researching", "briefed", *back]
    assert app.way("reworker")[3:] == ["verifying", "healing", *back[1:]]
    assert "did not pass" in (app.root / "state/runs/reworker/implement-1/prompt.md").read_text(encoding="utf-8")


def test_a_brief_that_is_gone_when_its_implementer_would_start_is_researched_again(app: App) -> None:
    app.add("t", "--question", SENDS, "--verify", "true")
    for _ in range(3):
        app.run("--once")
    (app.root / "state/briefs/t.md").unlink()
    assert (app.run(), app.way("t")[-6:]) == (
        0,
        ["briefed", "researching", "briefed", "implementing", "verifying", "done"],
    )


# A suite in the background of a shell ignores the interrupt, and so would what it starts.
INTERRUPTIBLE = """\
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from briefkit.cli import main
sys.exit(main())
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_interrupted_ends_its_agents_and_frees_its_tasks(
    app: App, sign: signal.Signals, jobs: str
) -> None:
    for task in ("slow", "after"):
        app.add(task, "--question", SENDS, "--verify", "true")
    command = [
        sys.executable,
        "-c",
        INTERRUPTIBLE,
        "-C",
        str(app.root),
        "run",
        "--implementer",
        "scripted",
        "--jobs",
        jobs,
    ]
    run = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    agent = int(_awaited(app.root / "slow.pid"))
    run.send_signal(sign)
    assert run.wait(30) == 130
    with pytest.raises(ProcessLookupError):
        os.kill(agent, 0)
    with closing(sqlite3.connect(app.root / "state/state.db")) as db:
        assert db.execute("select owner from task where owner is not null").fetchall() == []


def _awaited(path: Path) -> str:
    """What a file says once it says something, within half a minute."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if path.exists() and (text := path.read_text(encoding="utf-8")):
            return text
        time.sleep(0.05)
    raise AssertionError(path)


def test_a_task_that_only_a_person_can_free_is_not_called_idle(app: App) -> None:
    app.add("t", "--question", SENDS)
    (app.root / "state/tasks/t.md").unlink()
    assert (app.run(), app.state_of("t")) == (3, "queued")


REFUSED = {
    "no words": ("add", " ", "the title is empty"),
    "an empty question": ("add", "T", "--question", " ", "a question is empty. Ask it in words, or leave it out."),
    "the implementer's place": (
        "add",
        "T",
        "--text",
        "x\n## Disagreement\ny",
        "its text has a line '## Disagreement', which is the implementer's to write. Reword it.",
    ),
    "what is no text": ("add", "T\udcff", "its words are not UTF-8 text"),
    "no id": (
        "add",
        "T",
        "--id",
        "",
        "'' is not a task id. Use letters, digits, '.', '_' and '-', at most 64 of them.",
    ),
    "a dependency that is not there": ("add", "T", "--depends", "gone", "no task 'gone' to depend on"),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED.keys())
def test_a_task_that_its_file_could_not_say_is_refused(app: App, case: tuple[str, ...]) -> None:
    code, record = app("task", *case[:-1])
    assert (code, record["error"]["message"], app("task", "list")[1]["tasks"]) == (2, case[-1], [])


def test_a_circle_of_dependencies_is_refused_where_it_is_closed(app: App) -> None:
    app.add("first", "--question", SENDS)
    app.add("second", "--question", SENDS, "--depends", "first")
    path = app.root / "state/tasks/first.md"
    path.write_text(path.read_text(encoding="utf-8").replace("depends: []", 'depends: ["second"]'), encoding="utf-8")
    code, record = app("task", "retry", "first")
    assert (code, record["error"]["message"]) == (
        2,
        "task 'first' would wait for itself. Change what it depends on.",
    )


@pytest.mark.parametrize(
    "option",
    [("--jobs", "0"), ("--max-cost", "nan"), ("--max-cost", "-1"), ("--max-cost", "inf"), ("--max-tokens", "0")],
)
def test_a_cap_that_is_none_is_refused(app: App, option: tuple[str, str]) -> None:
    assert app("run", *option)[0] == 2


def test_a_rate_limit_leaves_the_task_where_it_is(app: App) -> None:
    app.add("limited", "--question", SENDS, "--verify", "true")
    app.run()
    assert app.state("limited")[0] == "implementing"
    app.run()
    assert app.state("limited")[0] == "done"


def test_a_spent_budget_starts_nothing_more_and_the_next_run_goes_on(app: App) -> None:
    for task in ("a", "b"):
        app.add(task, "--question", SENDS, "--verify", "true")
    assert app.run("--max-cost", "0.05") == 5
    assert app.starts() == ["a"]
    assert app.run("--max-cost", "9") == 0
    assert app.starts() == ["a", "b"]


def test_without_an_implementer_the_task_says_so(app: App) -> None:
    app.add("t", "--question", SENDS)
    app("run")
    assert app.state("t")[0] == "blocked"
    assert app.state("t")[1].startswith("no implementer")


def test_jobs_move_at_a_time_and_none_is_lost(app: App) -> None:
    for number in range(4):
        app.add(f"t{number}", "--question", SENDS, "--verify", "true")
    assert app.run("--jobs", "4") == 0
    assert sorted(app.starts()) == ["t0", "t1", "t2", "t3"]

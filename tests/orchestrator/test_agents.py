"""Agents: whatever a program says of itself, its run comes to one of a closed set of outcomes."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from briefkit.orchestrator.agents.claude import READING_TOOLS, ClaudeAgent, arguments
from briefkit.orchestrator.agents.command import CommandAgent
from briefkit.orchestrator.outcomes import Caps, Request, Result

if TYPE_CHECKING:
    from pathlib import Path

CAPS = Caps(turns=5, cost=1.0, seconds=20.0)


def program(folder: Path, body: str) -> list[str]:
    """A program of our own that stands for an agent."""
    path = folder / "agent.py"
    path.write_text(f"import json, os, sys, time\nprompt = sys.stdin.read()\n{body}\n", encoding="utf-8")
    return [sys.executable, str(path)]


def run_command(folder: Path, body: str, caps: Caps = CAPS) -> Result:
    return CommandAgent("fake", program(folder, body)).run(
        Request("implementer", "the prompt", str(folder), caps), alive=lambda: True
    )


def is_running(pid: int) -> bool:
    """Whether a process runs; a dead one that nobody has collected yet does not."""
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat", encoding="utf-8") as status:
            state = status.read().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


COMMANDS = {
    "text is done": ("print('hello', prompt)", ("done", "hello the prompt\n", "")),
    "an exit code is a failure": ("print('x'); sys.exit(3)", ("failed", "x\n", "exit code 3: ")),
    "a JSON object with figures": ("print(json.dumps({'text': 'ok', 'turns': 2, 'cost': 0.5}))", ("done", "ok", "")),
    "a success that the exit code denies": (
        "print(json.dumps({'outcome': 'done'})); sys.exit(1)",
        ("failed", "", "says done, and its exit code is 1"),
    ),
    "a rate limit that it says": (
        "print(json.dumps({'outcome': 'rate-limited', 'reason': 'later'}))",
        ("rate-limited", "", "later"),
    ),
    "an outcome of its own making": (
        "print(json.dumps({'outcome': 'great'}))",
        ("failed", "", "unknown outcome 'great'"),
    ),
    "over its cost": ("print(json.dumps({'text': 'ok', 'cost': 9}))", ("out-of-budget", "ok", "cost 9 of 1")),
    "over its turns": ("print(json.dumps({'text': 'ok', 'turns': 9}))", ("out-of-turns", "ok", "9 turns of 5")),
    "a text that is none": ("print(json.dumps({'text': 3}))", ("bad-output", "", "its text is no text")),
}


@pytest.mark.parametrize(("body", "expected"), COMMANDS.values(), ids=COMMANDS.keys())
def test_a_commands_run_comes_to_an_outcome(tmp_path: Path, body: str, expected: tuple[str, str, str]) -> None:
    result = run_command(tmp_path, body)
    assert (result.outcome, result.text, result.reason) == expected


def test_a_program_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    body = "import subprocess\nchild = subprocess.Popen(['sleep', '300'])\nopen('pid', 'w', encoding='utf-8').write(str(child.pid))\ntime.sleep(300)"
    start = time.monotonic()
    result = run_command(tmp_path, body, Caps(5, 1.0, 1.0))
    assert (result.outcome, result.reason) == ("out-of-time", "ended: time")
    assert time.monotonic() - start < 15
    assert not is_running(int((tmp_path / "pid").read_text(encoding="utf-8")))


def test_a_program_that_is_not_there_was_not_started(tmp_path: Path) -> None:
    result = CommandAgent("gone", ["/no/such/program"]).run(
        Request("implementer", "x", str(tmp_path), CAPS), alive=lambda: True
    )
    assert (result.outcome, result.reason) == ("not-started", "/no/such/program: no such file or directory")


def test_a_lost_lease_ends_the_run(tmp_path: Path) -> None:
    agent = CommandAgent("slow", program(tmp_path, "time.sleep(300)"))
    assert agent.run(Request("implementer", "x", str(tmp_path), CAPS), alive=lambda: False).outcome == "interrupted"


def test_prompt_and_output_are_kept_where_the_request_says(tmp_path: Path) -> None:
    agent = CommandAgent("fake", program(tmp_path, "print('said'); print('grumbled', file=sys.stderr)"))
    agent.run(
        Request("implementer", "the prompt", str(tmp_path), CAPS, log_dir=str(tmp_path / "log")), alive=lambda: True
    )
    kept = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "log").iterdir()}
    assert kept == {"prompt.md": "the prompt", "stdout.txt": "said\n", "stderr.txt": "grumbled\n"}


INIT = {"type": "system", "subtype": "init", "tools": list(READING_TOOLS), "mcp_servers": []}
SUCCESS = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "terminal_reason": "completed",
    "result": "the brief",
    "num_turns": 4,
    "total_cost_usd": 0.25,
    "usage": {"input_tokens": 10, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 30, "output_tokens": 7},
}


def run_claude(folder: Path, lines: list[str], code: int = 0, role: str = "researcher") -> Result:
    """A run over a recorded stream."""
    (folder / "stream.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    argv = program(folder, f"sys.stdout.write(open('stream.jsonl', encoding='utf-8').read()); sys.exit({code})")
    return ClaudeAgent("claude", argv).run(Request(role, "the prompt", str(folder), CAPS), alive=lambda: True)


STREAMS: dict[str, tuple[list[Any], int, str, str]] = {
    "success": ([INIT, SUCCESS], 0, "done", ""),
    "a rate limit that is called success": (
        [
            INIT,
            {**SUCCESS, "is_error": True, "terminal_reason": "api_error", "api_error_status": 429, "result": "limit"},
        ],
        0,
        "rate-limited",
        "status 429: limit",
    ),
    "a refusal of rights that is called success": (
        [INIT, {**SUCCESS, "is_error": True, "api_error_status": 403, "result": "no"}],
        0,
        "not-authorised",
        "status 403: no",
    ),
    "an error that is called success": (
        [INIT, {**SUCCESS, "is_error": True, "result": "oops"}],
        0,
        "failed",
        "completed: oops",
    ),
    "out of turns": (
        [INIT, {**SUCCESS, "subtype": "error_max_turns", "terminal_reason": "max_turns"}],
        1,
        "out-of-turns",
        "max_turns",
    ),
    "out of budget": (
        [INIT, {**SUCCESS, "subtype": "error_max_budget_usd"}],
        1,
        "out-of-budget",
        "error_max_budget_usd",
    ),
    "out of context": (
        [INIT, {**SUCCESS, "terminal_reason": "prompt_too_long"}],
        0,
        "out-of-context",
        "prompt_too_long",
    ),
    "a success that the exit code denies": ([INIT, SUCCESS], 2, "failed", "says success, and its exit code is 2"),
    "tools that a researcher may not have": (
        [{**INIT, "tools": [*READING_TOOLS, "Bash", "mcp__x__write"]}, SUCCESS],
        0,
        "wrong-tools",
        "it has tools that a researcher may not have: Bash, mcp__x__write",
    ),
    "no word of its tools": ([SUCCESS], 0, "wrong-tools", "the stream does not say which tools there are"),
    "no result": ([INIT, {"type": "assistant"}], 0, "failed", "exit code 0: no result frame"),
}


@pytest.mark.parametrize(("frames", "code", "outcome", "reason"), STREAMS.values(), ids=STREAMS.keys())
def test_a_stream_comes_to_an_outcome(tmp_path: Path, frames: list[Any], code: int, outcome: str, reason: str) -> None:
    result = run_claude(tmp_path, [json.dumps(frame) for frame in frames], code)
    assert (result.outcome, result.reason) == (outcome, reason)


def test_cached_tokens_count_as_input_and_a_cut_line_is_passed_over(tmp_path: Path) -> None:
    lines = [
        json.dumps(INIT),
        '{"type": "assis',
        "not json",
        json.dumps({"type": "x", "data": "y" * 100_000}),
        json.dumps(SUCCESS),
    ]
    usage = run_claude(tmp_path, lines).usage
    assert (usage.input_tokens, usage.output_tokens, usage.cost, usage.turns, usage.tokens) == (60, 7, 0.25, 4, 67)


def test_an_implementer_may_have_more_tools_and_a_researchers_are_named_twice(tmp_path: Path) -> None:
    frames = [json.dumps({**INIT, "tools": ["Edit", "Bash"]}), json.dumps(SUCCESS)]
    assert run_claude(tmp_path, frames, role="implementer").outcome == "done"
    given = arguments(Request("researcher", "x", ".", CAPS, ("/src/a",)), "id")
    assert given == [
        *("-p", "--output-format", "stream-json", "--verbose", "--session-id", "id"),
        *("--tools", "Read,Grep,Glob,WebSearch,WebFetch", "--allowedTools", "Read,Grep,Glob,WebSearch,WebFetch"),
        *("--disallowedTools", "Edit,Write,NotebookEdit,Bash,Agent,Skill"),
        *("--permission-mode", "dontAsk", "--permission-prompts", "none", "--strict-mcp-config", "--setting-sources="),
        *("--add-dir", "/src/a", "--max-turns", "5", "--max-budget-usd", "1"),
    ]


def test_the_nested_marks_do_not_reach_the_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    body = "print(json.dumps({'type': 'result', 'subtype': 'success', 'result': os.environ.get('CLAUDECODE', 'gone')}))"
    agent = ClaudeAgent("claude", program(tmp_path, body))
    assert agent.run(Request("implementer", "x", str(tmp_path), CAPS), alive=lambda: True).text == "gone"

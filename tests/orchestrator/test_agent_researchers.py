"""A researcher that is an agent: recorded streams of the real shape, each through a whole run, each ending in the right state."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from scripted_app import App, configure, make_app
from small_projects import NODE, PYTHON, SITE

from briefkit.orchestrator.agents.claude import READING_TOOLS

if TYPE_CHECKING:
    from pathlib import Path

QUESTION = "How do we ship parcels overnight with courier?"
INIT = {"type": "system", "subtype": "init", "tools": list(READING_TOOLS), "mcp_servers": []}
USAGE = {"input_tokens": 1000, "cache_read_input_tokens": 3000, "cache_creation_input_tokens": 0, "output_tokens": 500}


def brief(finding: str, confidence: float, lines: str = f"{SITE}/courier/client.py lines 10-12") -> str:
    return (
        f"# Research brief: t\n\n## Questions\n1. {QUESTION}\n\n## Findings\n### Q1\n- {finding}\n- Source: {lines}\n\n"
        f"## Verdict\nUse it.\n\n## Confidence: {confidence}\n## Sources read: 1 file, 0 changelogs, 0 web pages\n"
        "## Staleness risk: low (pinned version, checked lockfile)\n"
    )


GOOD = brief("Overnight parcels go through `Client.send_many(rows, *, chunk)`.", 0.9)


def result(text: str, **more: Any) -> dict[str, Any]:
    base = {"type": "result", "subtype": "success", "is_error": False, "terminal_reason": "completed", "result": text}
    return {**base, "num_turns": 7, "total_cost_usd": 0.2, "usage": USAGE, **more}


STREAM = """\
import json, sys, time
prompt = sys.stdin.read()
assert "Research brief" in prompt
for line in open({stream!r}, encoding="utf-8"):
    sys.stdout.write(line)
{after}
"""


@pytest.fixture
def app(tmp_path: Path, own_environment: Path, capsys: pytest.CaptureFixture[str]) -> App:
    return make_app(tmp_path / "app", own_environment, capsys)


def play(app: App, home: Path, frames: list[Any], after: str = "", runs: int = 1) -> tuple[str, str]:
    """A task whose researcher is this recorded stream; its state and reason after so many runs."""
    stream, program = home / "stream.jsonl", home / "stream.py"
    lines = [frame if isinstance(frame, str) else json.dumps(frame) for frame in frames]
    stream.write_text("\n".join(lines) + "\n", encoding="utf-8")
    program.write_text(STREAM.format(stream=str(stream), after=after), encoding="utf-8")
    configure(home, "recorded", [sys.executable, str(program)], kind="claude")
    app.add("t", "--question", QUESTION, "--verify", "true")
    for _ in range(runs):
        app.run("--researcher", "recorded")
    return app.state("t")


def last_run(app: App) -> dict[str, Any]:
    events = [
        event["data"]["run"] for event in app("log", "t")[1]["events"] if event["data"].get("role") == "researcher"
    ]
    return dict(events[-1])


def test_a_better_brief_whose_lines_hold_opens_the_gate_and_its_tokens_count_with_the_cached_ones(
    app: App, own_environment: Path
) -> None:
    assert play(app, own_environment, [INIT, {"type": "assistant", "message": {}}, result(GOOD)])[0] == "done"
    assert last_run(app)["input_tokens"] == 4000
    twin = json.loads((app.root / "state/briefs/t.json").read_text(encoding="utf-8"))
    assert (twin["researcher"], twin["brief"]["confidence"]) == ("recorded", 0.9)
    assert app("report")[1]["research_share_of_tokens"] > 0.9


def test_a_brief_behind_words_and_a_fence_is_found(app: App, own_environment: Path) -> None:
    assert play(app, own_environment, [INIT, result(f"Here it is:\n\n```markdown\n{GOOD}```\nDone.")])[0] == "done"


def test_a_claim_of_095_with_dead_sources_is_capped_and_passes_no_gate(app: App, own_environment: Path) -> None:
    dead = brief("It is `Client.ship_overnight(rows)`.", 0.95, f"{SITE}/courier/shipping.py lines 10-12")
    assert play(app, own_environment, [INIT, result(dead)])[0] == "needs-human"
    assert app.starts() == []


def test_a_claim_whose_lines_do_not_name_the_symbol_is_capped(app: App, own_environment: Path) -> None:
    other = brief("It is `Client.ship_overnight(rows)`.", 0.95)
    assert play(app, own_environment, [INIT, result(other)])[0] == "needs-human"


def test_a_rate_limit_called_success_waits_where_it_is(app: App, own_environment: Path) -> None:
    limited = result("limit reached", is_error=True, terminal_reason="api_error", api_error_status=429)
    assert play(app, own_environment, [INIT, limited])[0] == "researching"
    assert last_run(app)["outcome"] == "rate-limited"


def test_tools_beyond_the_list_refuse_the_run(app: App, own_environment: Path) -> None:
    assert play(app, own_environment, [{**INIT, "tools": [*READING_TOOLS, "Bash"]}, result(GOOD)])[0] == "needs-human"
    assert last_run(app)["outcome"] == "wrong-tools"


def test_a_researcher_that_writes_a_file_has_failed_and_the_file_is_named(app: App, own_environment: Path) -> None:
    state, _ = play(app, own_environment, [INIT, result(GOOD)], after="open('sneaked.py', 'a').write('x')")
    assert (state, last_run(app)["outcome"]) == ("needs-human", "wrote-files")
    assert "sneaked.py" in last_run(app)["reason"]


def test_a_cut_line_and_a_line_of_five_megabytes_are_passed_over(app: App, own_environment: Path) -> None:
    frames = [INIT, '{"type": "assistant", "message": {"con', {"type": "user", "data": "x" * (5 << 20)}, result(GOOD)]
    assert play(app, own_environment, frames)[0] == "done"


def test_a_stream_that_ends_without_a_result_has_failed(app: App, own_environment: Path) -> None:
    assert play(app, own_environment, [INIT])[0] == "needs-human"
    assert last_run(app)["outcome"] == "failed"


def test_a_stream_that_hangs_is_ended_by_its_time(
    app: App, own_environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRIEFKIT_AGENT_TIMEOUT_S", "1")
    assert play(app, own_environment, [INIT], after="sys.stdout.flush(); time.sleep(600)")[0] == "needs-human"
    assert last_run(app)["outcome"] == "out-of-time"


def test_what_is_no_brief_is_bad_output_and_the_source_researchers_brief_stays(app: App, own_environment: Path) -> None:
    assert play(app, own_environment, [INIT, result("I think it is fine.")])[0] == "needs-human"
    assert last_run(app)["outcome"] == "bad-output"
    assert json.loads((app.root / "state/briefs/t.json").read_text(encoding="utf-8"))["researcher"] == "source"


REPLAY = """\
import sys
from pathlib import Path
prompt = sys.stdin.read()
# Left to itself it writes what it remembers; it was told what the repo has, and uses that.
call = "packOrders(items)" if "packOrders(items)" in prompt else "Box.packAll(items)"
Path("src/new.ts").write_text('import { packOrders } from "./packing";\\nexport const done = (items: string[]) => ' + call + ';\\n')
"""


def test_the_failure_that_this_exists_for_is_refused_without_a_brief_and_does_not_happen_with_one(
    tmp_path: Path, own_environment: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app = make_app(tmp_path / "app", own_environment, capsys, {**NODE, "pyproject.toml": PYTHON["pyproject.toml"]})
    (own_environment / "agent.py").write_text(REPLAY, encoding="utf-8")
    questions = (
        "--question",
        "How do we pack many items with parcel-post?",
        "--question",
        "Does the repo already wrap this?",
    )
    verify = "grep -q packOrders src/new.ts && ! grep -q packAll src/new.ts"
    app.add("t", *questions, "--question", "Does Box.packAll exist?", "--verify", verify)
    app.run("--once")
    app.run("--once")
    assert app.state("t")[0] == "briefed"
    brief_path = app.root / "state/briefs/t.md"
    kept = brief_path.read_text(encoding="utf-8")
    brief_path.unlink()
    app.run("--once")
    assert (app.state("t")[0], (app.root / "src/new.ts").exists()) == ("researching", False)
    app.run()
    assert app.state("t")[0] == "done"
    assert brief_path.read_text(encoding="utf-8") == kept
    assert "packOrders(items)" in (app.root / "src/new.ts").read_text(encoding="utf-8")

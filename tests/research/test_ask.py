"""A brief, end to end, over two small projects: versions, symbols, what is not there, wrappers, verdict, confidence, the index."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from small_projects import NODE, PYTHON, SITE, lay

from briefkit import open_repo
from briefkit.briefs.markdown import render_brief
from briefkit.cli import main
from briefkit.errors import BriefkitError

if TYPE_CHECKING:
    from pathlib import Path

PYTHON_BRIEF = f"""\
# Research brief: t

## Questions
1. How do we send many rows at once with courier?
2. Does the repo already wrap this?
3. Does Client.send_all exist?

## Findings
### Q1
- Pinned version of `courier` is 2.1.0 (requirements.txt line 1; installed: agree).
- Best match: `courier.Client.send_many(rows, *, chunk)` (method, exported from `courier`), declared as \
`def send_many(self, rows: list[str], *, chunk: int = 100) -> int`.
- Source: {SITE}/courier/client.py lines 10-12

### Q2
- The repo already has `post_all(client, rows)` (app/outbox.py lines 4-6): it calls `courier.Client.send_many` (app/outbox.py line 6).
- `post_all` is called from app/nightly.py line 5.

### Q3
- `Client.send_all` does NOT exist in this version (2 files searched). Nearest: `courier.Client.send_many`.
- Source: {SITE}/courier/client.py lines 10-12, {SITE}/courier/client.py lines 4-15

## Verdict
Use `post_all(client, rows)` from app/outbox.py: it already wraps `courier.Client.send_many`, and 1 other place in the repo calls it. \
Only where it does not serve, use `courier.Client.send_many(rows, *, chunk)`. \
Do not call `Client.send_all`: it does not exist; nearest is `courier.Client.send_many`.

## Confidence: 0.86
## Sources read: 5 files, 0 changelogs, 0 web pages
## Staleness risk: low (pinned version, checked lockfile)
"""
QUESTIONS = (
    "How do we send many rows at once with courier?",
    "Does the repo already wrap this?",
    "Does Client.send_all exist?",
)


@pytest.fixture
def python_app(tmp_path: Path) -> Path:
    return lay(tmp_path / "app", PYTHON)


@pytest.fixture
def node_app(tmp_path: Path) -> Path:
    return lay(tmp_path / "app", NODE)


def test_a_brief_of_a_python_project_is_this_text(python_app: Path) -> None:
    assert render_brief(open_repo(python_app).ask(QUESTIONS, task="t").record.brief) == PYTHON_BRIEF


def test_a_brief_of_a_typescript_project_names_version_symbol_absence_wrapper_and_callers(node_app: Path) -> None:
    asked = open_repo(node_app).ask(
        [
            "How do we pack many items with parcel-post?",
            "Do we already have a helper for this?",
            "Does Box.packAll exist?",
        ]
    )
    findings = [[point.text for point in points] for points in asked.record.brief.findings]
    assert findings[0][0] == "Pinned version of `parcel-post` is 3.2.1 (package-lock.json line 11; installed: agree)."
    assert findings[0][1].startswith("Best match: `Box.packMany(items, options)` (method, exported from `parcel-post`")
    assert findings[1] == [
        "The repo already has `packOrders(items)` (src/packing.ts lines 3-5): it calls `Box.packMany` (src/packing.ts line 4).",
        "`packOrders` is called from src/job.ts line 3.",
    ]
    assert findings[2][0].startswith("`Box.packAll` does NOT exist in this version (")
    assert "`Box.packMany`" in findings[2][0]
    assert asked.record.brief.verdict.startswith(
        "Use `packOrders(items)` from src/packing.ts: it already wraps `Box.packMany`"
    )
    assert asked.record.brief.staleness.risk == "low"


def test_asked_again_the_librarys_answers_come_from_the_index_and_the_repos_facts_are_derived_anew(
    python_app: Path,
) -> None:
    first = open_repo(python_app).ask(QUESTIONS)
    (python_app / "app" / "outbox.py").unlink()
    second = open_repo(python_app).ask(QUESTIONS)
    assert (first.hit, second.hit) == (False, True)
    assert [point.text for point in second.record.brief.findings[1]] == [
        "No function of the repo calls it (1 file searched)."
    ]
    assert second.record.brief.findings[2] == first.record.brief.findings[2]


def test_another_version_or_changed_source_is_another_answer(python_app: Path) -> None:
    open_repo(python_app).ask(QUESTIONS)
    client = python_app / SITE / "courier" / "client.py"
    client.write_text(client.read_text(encoding="utf-8").replace("send_many", "send_all"), encoding="utf-8")
    asked = open_repo(python_app).ask(QUESTIONS)
    assert asked.hit is False
    assert "`Client.send_all" not in str(asked.record.brief.findings[0])
    assert "exists" in asked.record.brief.findings[2][0].text


def test_an_answer_ends_after_its_days_and_reading_does_not_renew_it(python_app: Path) -> None:
    repo = open_repo(python_app)
    start = 1_800_000_000.0
    hits = [repo.ask(QUESTIONS[:1], now=start + days * 86400).hit for days in (0, 3, 6, 7.1)]
    assert hits == [False, True, True, False]


def test_fresh_goes_past_the_index(python_app: Path) -> None:
    repo = open_repo(python_app)
    repo.ask(QUESTIONS[:1])
    assert repo.ask(QUESTIONS[:1], fresh=True).hit is False


def test_a_library_that_is_neither_locked_nor_installed_is_unknown_and_closes_the_gate(
    python_app: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(
        ["-C", str(python_app), "ask", "--task", "t", "--lib", "requests", "Does requests.Session.get exist?", "--json"]
    )
    record = json.loads(capsys.readouterr().out)
    assert code == 3
    assert record["brief"]["staleness"]["risk"] == "high"
    assert (
        record["brief"]["findings"][0][0]
        == "“requests” is neither locked nor installed here: its version is not known."
    )
    assert main(["-C", str(python_app), "gate", "t"]) == 1


def test_a_question_about_nothing_known_passes_no_gate(python_app: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-C", str(python_app), "ask", "--task", "t", "How do we brew coffee with courier?"]) == 1
    assert main(["-C", str(python_app), "gate", "t"]) == 1
    assert "brew" in capsys.readouterr().out


def test_locked_but_not_installed_says_so_and_guesses_nothing(node_app: Path) -> None:
    (node_app / "node_modules" / "parcel-post" / "package.json").unlink()
    asked = open_repo(node_app).ask(["Does Box.packMany exist in parcel-post?"])
    texts = [point.text for point in asked.record.brief.findings[0]]
    assert texts[0] == "Pinned version of `parcel-post` is 3.2.1 (package-lock.json line 11; not installed)."
    assert asked.record.brief.confidence < 0.6
    assert asked.record.brief.staleness.risk == "medium"


def test_the_gate_opens_closes_on_deletion_and_on_a_changed_line(
    python_app: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at = ["-C", str(python_app)]
    main([*at, "ask", "--task", "t", *QUESTIONS])
    assert main([*at, "gate", "t"]) == 0
    client = python_app / SITE / "courier" / "client.py"
    before = client.read_text(encoding="utf-8")
    client.write_text(before.replace("chunk: int = 100", "chunk: int = 1"), encoding="utf-8")
    assert main([*at, "gate", "t"]) == 1
    client.write_text(before, encoding="utf-8")
    assert main([*at, "gate", "t"]) == 0
    (python_app / "requirements.txt").write_text("courier==2.2.0\n", encoding="utf-8")
    assert main([*at, "gate", "t"]) == 1
    (python_app / "requirements.txt").write_text("courier==2.1.0\n", encoding="utf-8")
    (python_app / "state" / "briefs" / "t.md").unlink()
    assert main([*at, "gate", "t"]) == 1
    capsys.readouterr()


def test_a_printed_confidence_opens_nothing_that_its_sources_do_not_carry(
    python_app: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at = ["-C", str(python_app)]
    main([*at, "ask", "--task", "t", "How do we brew coffee with courier?"])
    brief = python_app / "state" / "briefs" / "t.md"
    text = brief.read_text(encoding="utf-8")
    brief.write_text(text.replace("## Confidence: 0.2", "## Confidence: 1.0"), encoding="utf-8")
    (python_app / "state" / "briefs" / "t.json").unlink()
    capsys.readouterr()
    code = main([*at, "gate", "t", "--json"])
    assert (code, json.loads(capsys.readouterr().out)["reason"]) == (1, "low-confidence")


def test_the_shells_three_lines_work_on_a_brief(python_app: Path) -> None:
    open_repo(python_app).ask(QUESTIONS, task="t")
    lines = (python_app / "state" / "briefs" / "t.md").read_text(encoding="utf-8").splitlines()
    assert [line.split()[2] for line in lines if line.startswith("## Confidence:")] == ["0.86"]


def test_a_budget_cuts_whole_points_and_keeps_the_proof(python_app: Path) -> None:
    repo = open_repo(python_app)
    long = repo.ask(["How do we open a connection to a server with courier?"])
    short = open_repo(python_app, flags={"max_tokens": 1}).ask(
        ["How do we open a connection to a server with courier?"]
    )
    kept = [point.text for point in short.record.brief.findings[0]]
    assert len(kept) < len(long.record.brief.findings[0])
    assert [text for text in kept if text.startswith("Source: ")]


def test_an_importer_that_nobody_knows_is_an_error(node_app: Path) -> None:
    with pytest.raises(BriefkitError, match="no/such"):
        open_repo(node_app).ask(["How do we pack with parcel-post?"], importer="no/such")


def test_an_index_that_is_down_is_said_and_the_answer_comes_all_the_same(
    python_app: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRIEFKIT_INDEX", "redis://127.0.0.1:1/0")
    assert main(["-C", str(python_app), "ask", *QUESTIONS]) == 0
    captured = capsys.readouterr()
    assert "send_many" in captured.out
    assert "index" in captured.err
    assert "index: miss" in captured.err


def test_a_name_that_is_no_symbol_but_a_parameter_is_said_to_be_one(tmp_path: Path) -> None:
    client = PYTHON[f"{SITE}/courier/client.py"].replace("chunk: int", "chunk_size: int")
    app = lay(tmp_path, {**PYTHON, f"{SITE}/courier/client.py": client})

    lines = render_brief(open_repo(app).ask(["How do we set chunk_size with courier?"]).record.brief).splitlines()

    assert lines[8:13] == [
        (
            "- `chunk_size` does NOT exist as a symbol in this version (2 files searched): it is a parameter of "
            "`courier.Client.send_many(rows, *, chunk_size)`."
        ),
        f"- Source: {SITE}/courier/client.py lines 10-12",
        "",
        "## Verdict",
        "Pass `chunk_size` to `courier.Client.send_many(rows, *, chunk_size)`.",
    ]

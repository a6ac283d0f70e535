"""The gate: deterministic, from the brief's file and what it cites."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from briefkit.briefs.brief import (
    HIGH,
    LOW,
    Answer,
    BriefRecord,
    Finding,
    PackageId,
    Pin,
    SourcesRead,
    Staleness,
    assemble,
    auto_brief,
)
from briefkit.briefs.cited_files import CitedFiles
from briefkit.briefs.evidence import World, collect_citations
from briefkit.briefs.gate import Decision, Gate, TaskFacts, check_brief, twin_of
from briefkit.briefs.markdown import render_brief
from briefkit.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

NOW = 1_800_000_000.0
PACKAGE = PackageId("npm", "pkg", "1.0.0")
PIN = Pin(PACKAGE, "1.0.0", "1.0.0", "1.0.0 sha", "d" * 64)
FINDINGS = ("It is `run(x)`.", "Source: node_modules/pkg/index.js lines 1-2")


class Repo:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.owner = PACKAGE
        self.pin = PIN
        (root / "node_modules" / "pkg").mkdir(parents=True)
        (root / "state" / "briefs").mkdir(parents=True)
        self.source("export function run(x) {\n}\n")

    def source(self, text: str) -> None:
        (self.root / "node_modules" / "pkg" / "index.js").write_text(text, encoding="utf-8")

    @property
    def world(self) -> World:
        return World(
            CitedFiles(str(self.root)),
            lambda file: self.owner if file.startswith("node_modules/pkg/") else None,
            lambda _ecosystem, _name: self.pin,
        )

    def record(self, *texts: str, confidence: float = 0.9, risk: str = LOW) -> BriefRecord:
        texts = texts or FINDINGS
        answer = Answer(
            "How?",
            tuple(Finding(text) for text in texts),
            confidence,
            collect_citations(texts, self.world),
            (PIN,),
            SourcesRead(1),
            Staleness(risk, "because"),
        )
        return assemble("t", [answer], verdict="Use it.", verified_at=NOW)

    def write(self, record: BriefRecord, task: str = "t") -> None:
        self.text(render_brief(record.brief), task)
        (self.root / "state" / "briefs" / f"{task}.json").write_text(json.dumps(record.to_dict()), encoding="utf-8")

    def text(self, text: str, task: str = "t") -> None:
        path = self.root / "state" / "briefs" / f"{task}.md"
        path.write_text(text, encoding="utf-8")
        os.utime(path, (NOW, NOW))

    def decide(self, facts: TaskFacts | None = None, *, days: float = 0.0, least: float = 0.6) -> Decision:
        gate = Gate(str(self.root / "state"), self.world, min_confidence=least)
        return gate.decide("t", now=NOW + days * 86400, facts=facts)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path)


def said(decision: Decision) -> tuple[bool, str, int]:
    return decision.open, decision.reason, decision.exit_code


def test_a_brief_whose_evidence_holds_opens_it(repo: Repo) -> None:
    repo.write(repo.record())
    decision = repo.decide()
    assert decision.to_dict() == {
        "task": "t",
        "open": True,
        "reason": "ok",
        "confidence": 0.9,
        "weak_questions": [],
        "refinements": 0,
        "max_refinements": 2,
        "details": [],
    }
    assert decision.exit_code == 0


def test_the_markdown_alone_opens_it_too(repo: Repo) -> None:
    repo.text(render_brief(repo.record().brief))
    assert said(repo.decide()) == (True, "ok", 0)


def test_no_brief_closes_it(repo: Repo) -> None:
    assert said(repo.decide()) == (False, "missing", 1)


@pytest.mark.parametrize("text", ["", "hello", "\0\xff"], ids=range(3))
def test_what_is_no_brief_closes_it_with_its_faults(repo: Repo, text: str) -> None:
    repo.text(text)
    decision = repo.decide()
    assert said(decision) == (False, "invalid", 1)
    assert "no section '## Verdict'" in " ".join(decision.details)


def test_a_folder_a_fifo_or_bytes_in_the_briefs_place_are_invalid(repo: Repo) -> None:
    path = repo.root / "state" / "briefs" / "t.md"
    path.mkdir()
    assert said(repo.decide()) == (False, "invalid", 1)
    path.rmdir()
    os.mkfifo(path)
    assert said(repo.decide()) == (False, "invalid", 1)
    path.unlink()
    path.write_bytes(b"\xff\xfe\xff")
    assert said(repo.decide()) == (False, "invalid", 1)


def test_the_lower_of_the_printed_and_the_recomputed_number_counts(repo: Repo) -> None:
    repo.write(repo.record(confidence=0.59))
    assert said(repo.decide()) == (False, "low-confidence", 1)
    repo.write(repo.record(confidence=0.6))
    assert said(repo.decide()) == (True, "ok", 0)
    repo.write(repo.record("It is `walk(x)`.", FINDINGS[1], confidence=1.0))
    decision = repo.decide()
    assert said(decision) == (False, "low-confidence", 1)
    assert decision.confidence == 0.5
    assert [one.to_dict() for one in decision.weak_questions] == [
        {
            "number": 1,
            "question": "How?",
            "confidence": 0.5,
            "reasons": ["not named in the cited lines: walk"],
        }
    ]


def test_a_number_that_was_raised_in_the_markdown_is_held_to_the_evidence(repo: Repo) -> None:
    record = repo.record("Trust me.", confidence=0.1)
    repo.write(record)
    repo.text(render_brief(record.brief).replace("Confidence: 0.1", "Confidence: 1.0"))
    assert said(repo.decide()) == (False, "low-confidence", 1)


def test_the_bar_can_be_set(repo: Repo) -> None:
    repo.write(repo.record(confidence=0.8))
    assert said(repo.decide(least=0.85)) == (False, "low-confidence", 1)
    assert said(repo.decide(least=0.0)) == (True, "ok", 0)


def test_a_week_without_verifying_is_stale_and_no_refinement(repo: Repo) -> None:
    repo.write(repo.record())
    assert said(repo.decide(days=6.9)) == (True, "ok", 0)
    assert said(repo.decide(TaskFacts(refinements=2), days=7.1)) == (False, "stale", 1)
    repo.text(render_brief(repo.record().brief))
    (repo.root / "state" / "briefs" / "t.json").unlink()
    assert said(repo.decide(days=7.1)) == (False, "stale", 1)


def test_another_version_a_changed_line_or_a_changed_entry_is_stale(repo: Repo) -> None:
    repo.write(repo.record())
    repo.source("export function run(x, y) {\n}\n")
    assert said(repo.decide()) == (False, "stale", 1)
    repo.source("// moved\nexport function run(x) {\n}\n")
    assert said(repo.decide()) == (True, "ok", 0)
    repo.pin = PIN._replace(entry="1.0.0 other")
    assert repo.decide().details == ("the lockfile's entry of pkg changed",)
    repo.pin = PIN._replace(package=PACKAGE._replace(version="2.0.0"))
    assert repo.decide().details == ("pkg is 2.0.0 now, the brief is for 1.0.0",)


def test_a_high_staleness_risk_closes_it(repo: Repo) -> None:
    repo.write(repo.record(risk=HIGH))
    decision = repo.decide()
    assert said(decision) == (False, "stale", 1)
    assert decision.details == ("staleness risk is high (because)",)


def test_a_dispute_and_a_call_for_a_human_come_first(repo: Repo) -> None:
    repo.write(repo.record())
    assert said(repo.decide(TaskFacts("disputed"))) == (False, "disputed", 3)
    assert said(repo.decide(TaskFacts("needs-human"))) == (False, "needs-human", 3)
    assert said(repo.decide(TaskFacts("briefed"))) == (True, "ok", 0)


def test_after_two_refinements_a_weak_brief_is_for_a_human(repo: Repo) -> None:
    repo.write(repo.record(confidence=0.5))
    assert said(repo.decide(TaskFacts(refinements=1))) == (False, "low-confidence", 1)
    assert said(repo.decide(TaskFacts(refinements=2))) == (False, "needs-human", 3)
    assert repo.decide(TaskFacts(refinements=2)).refinements == 2


def test_an_auto_brief_counts_only_where_the_task_itself_comes_to_the_same(repo: Repo) -> None:
    repo.text(render_brief(auto_brief("t", "Rename the flag?", files=1)))
    assert said(repo.decide(TaskFacts(auto=lambda: 1))) == (True, "ok", 0)
    assert said(repo.decide(TaskFacts(auto=lambda: 0))) == (False, "low-confidence", 1)
    assert said(repo.decide(TaskFacts(auto=lambda: None))) == (False, "low-confidence", 1)
    assert said(repo.decide()) == (False, "low-confidence", 1)
    assert said(repo.decide(TaskFacts(auto=lambda: 1), days=400)) == (True, "ok", 0)


def test_a_finding_that_says_auto_among_others_is_no_auto_brief(repo: Repo) -> None:
    record = repo.record("auto: 1 file, no library named", "And more.", confidence=1.0)
    repo.write(record)
    assert said(repo.decide(TaskFacts(auto=lambda: 1))) == (False, "low-confidence", 1)


@pytest.mark.parametrize("task", ["../x", "", "a/b", ".x", "a" * 65, "a\n", "a b", "-x", "CON\0"])
def test_what_is_no_task_id_is_never_a_path(repo: Repo, task: str) -> None:
    with pytest.raises(UsageError, match="is not a task id"):
        Gate(str(repo.root), repo.world).decide(task, now=NOW)


def test_a_damaged_twin_is_as_none(repo: Repo) -> None:
    repo.write(repo.record())
    (repo.root / "state" / "briefs" / "t.json").write_text('{"schema_version": 1}', encoding="utf-8")
    assert twin_of(str(repo.root / "state" / "briefs" / "t.md")) is None
    assert said(repo.decide()) == (True, "ok", 0)


def test_checking_a_brief_says_what_the_contract_names(repo: Repo) -> None:
    record = repo.record()
    assert check_brief(render_brief(record.brief), "t.md", repo.world, record).to_dict() == {
        "valid": True,
        "faults": [],
        "citations": [{"file": "node_modules/pkg/index.js", "lines": "1-2", "state": "holds", "question": 1}],
        "claimed_confidence": 0.9,
        "confidence": 1.0,
        "reasons": [],
    }
    faulty = check_brief("# Research brief: t\n", "t.md", repo.world).to_dict()
    assert (faulty["valid"], faulty["confidence"], faulty["claimed_confidence"], len(faulty["faults"])) == (
        False,
        None,
        None,
        5,
    )
    assert faulty["faults"][0] == {"line": 2, "what": "no section '## Confidence'"}

"""Evidence: citations found in words, read again, judged; confidence computed from what they hold; staleness by law."""

from __future__ import annotations

import os
import zipfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from briefkit.briefs.brief import (
    HIGH,
    LOW,
    MEDIUM,
    WEEK,
    Answer,
    Brief,
    BriefRecord,
    Citation,
    Finding,
    PackageId,
    Pin,
    SourcesRead,
    Staleness,
    assemble,
)
from briefkit.briefs.citations import CITATION_LIMIT, find_citations
from briefkit.briefs.cited_files import CitedFiles, hash_of_lines
from briefkit.briefs.evidence import (
    World,
    check_citation,
    citations_of,
    claims_absence,
    collect_citations,
    judge,
    named_symbols,
    stated_versions,
)
from briefkit.briefs.freshness import stale_reasons, staleness_of

if TYPE_CHECKING:
    from pathlib import Path

NOW = 1_800_000_000.0
SEQUELIZE = PackageId("npm", "sequelize", "6.37.3")
PIN = Pin(SEQUELIZE, "6.37.3", "6.37.3", "6.37.3 sha512-x", "d" * 64)
MODEL = "node_modules/sequelize/lib/model.js"


def cited(text: str) -> list[tuple[str, str]]:
    return [(one.file, one.lines) for one in find_citations(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Source: node_modules/a/b.js lines 10-20", [("node_modules/a/b.js", "10-20")]),
        ("Source: node_modules/a/b.js lines 10–20", [("node_modules/a/b.js", "10-20")]),
        ("a.py lines 10 to 20", [("a.py", "10-20")]),
        ("a.py lines 10..20", [("a.py", "10-20")]),
        ("a.py, line 7", [("a.py", "7")]),
        ("a.py (lines 5-7 and 9-11)", [("a.py", "5-7"), ("a.py", "9-11")]),
        ("a.py:10-20", [("a.py", "10-20")]),
        ("see `a.py:10` and (b.py:3).", [("a.py", "10"), ("b.py", "3")]),
        ("a.py:10:5", [("a.py", "10")]),
        ("a.py:1-2,5-6", [("a.py", "1-2"), ("a.py", "5-6")]),
        ("a.py#L3-L9", [("a.py", "3-9")]),
        ("**src/a.py:1**", [("src/a.py", "1")]),
        ("`My files/a b.py` lines 3-4", [("My files/a b.py", "3-4")]),
        ("Source: My files/a b.py lines 3-4", [("My files/a b.py", "3-4")]),
        ("app/(group)/[id]/page.tsx:4", [("app/(group)/[id]/page.tsx", "4")]),
        ("/c/zod.zip!/node_modules/zod/index.d.ts:12", [("/c/zod.zip!/node_modules/zod/index.d.ts", "12")]),
        ("C:\\x\\y.py:12", [("C:/x/y.py", "12")]),
        ("Pipfile:3, Makefile line 4, bin/tool:5", [("Pipfile", "3"), ("Makefile", "4"), ("bin/tool", "5")]),
        ("pinned (package-lock.json line 12; agree)", [("package-lock.json", "12")]),
        ("@scope/x/a.d.ts:1 and .npmrc:2", [("@scope/x/a.d.ts", "1"), (".npmrc", "2")]),
        ("a.py:1 a.py:1", [("a.py", "1")]),
    ],
)
def test_a_citation_is_found_however_it_is_written(text: str, found: list[tuple[str, str]]) -> None:
    assert sorted(cited(text)) == sorted(found)


@pytest.mark.parametrize(
    "text",
    ["at 10:30", "1.2.3:4", "https://localhost:8080/x", "http://host.example:443", "see line 12", "a.py:0", "a.py lines 9-3", "a.py: 12", "x:1", "3/4:1", "a.py line twelve"],
)  # fmt: skip
def test_what_only_looks_like_a_citation_is_none(text: str) -> None:
    assert cited(text) == []


def test_numbers_after_a_citation_are_not_lines() -> None:
    assert cited("a.py lines 10-20, 41 files searched; b.py:10, 3 callers") == [("a.py", "10-20"), ("b.py", "10")]


@given(st.text(max_size=200))
def test_any_text_has_citations_or_none(text: str) -> None:
    assert all(0 < one.first <= one.last for one in find_citations(text))


def test_long_texts_are_searched_in_time_and_give_a_bounded_number() -> None:
    assert len(find_citations(" ".join(f"a{n}.py:{n}" for n in range(1, 5000)))) == CITATION_LIMIT
    for hostile in (
        "a" * 20_000 + ":",
        "`" * 20_000,
        "a/" * 10_000,
        "a.py lines " * 3000,
        "(" * 20_000,
        "a.py:1," * 5000,
    ):
        find_citations(hostile)


# files


def test_lines_hash_the_same_whatever_their_ends() -> None:
    assert hash_of_lines(b"a\r\nb\r\n", 1, 2) == hash_of_lines(b"a\nb", 1, 2)
    assert hash_of_lines(b"a\nb\n", 1, 3) is None
    assert hash_of_lines(b"", 1, 1) is None


def test_files_are_read_relative_absolute_and_inside_zips(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"text")
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("in/side.js", "zipped")
    read = CitedFiles(str(tmp_path))
    names = ("a.py", f"{tmp_path}/a.py", "x.zip!/in/side.js", "x.zip!/no.js", "no.py", ".", "a.py!/x", "a\0b")
    assert [read(name) for name in names] == [b"text", b"text", b"zipped", None, None, None, None, None]


def test_a_fifo_a_bomb_and_no_zip_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("big", b"\0" * (8 << 20))
    (tmp_path / "text.zip").write_text("no zip", encoding="utf-8")
    read = CitedFiles(str(tmp_path))
    assert [read("fifo"), read("bomb.zip!/big"), read("text.zip!/x")] == [None, None, None]


# states


class Repo:
    """A repo with one package, whose facts a test may change."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.owner: PackageId | None = SEQUELIZE
        self.now: Pin | None = PIN
        self.write(MODEL, "\n" * 9 + "static async bulkCreate(records, options) {\n  return 1;\n}\n")
        self.write("package-lock.json", '{\n"version": "6.37.3"\n}\n')
        self.write("src/batch.ts", "export function insertBatch(rows) {\n}\n")

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    @property
    def world(self) -> World:
        """The facts as they are now, nothing remembered."""
        return World(
            CitedFiles(str(self.root)),
            lambda file: self.owner if file.startswith("node_modules/sequelize/") else None,
            lambda _ecosystem, name: self.now if name == "sequelize" else None,
        )


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path)


FINDINGS = (
    "Pinned version is 6.37.3 (package-lock.json line 2; installed: agree).",
    "Bulk insert is `Model.bulkCreate(records, options)`.",
    "`Model.batchUpsert` does NOT exist in this version (41 files searched). Nearest: `Model.upsert`.",
    f"Source: {MODEL} lines 10-12",
)


def record_of(repo: Repo, *findings: str, confidence: float = 0.9) -> BriefRecord:
    texts = findings or FINDINGS
    answer = Answer(
        "How?",
        tuple(Finding(text) for text in texts),
        confidence,
        collect_citations(texts, repo.world),
        (PIN,),
        SourcesRead(1),
        Staleness(LOW, "pinned"),
    )
    return assemble("t", [answer], verdict="Use it.", verified_at=NOW)


def state(repo: Repo, citation: Citation) -> tuple[str, int | None]:
    checked = check_citation(citation, repo.world)
    return checked.state, checked.moved_to


def test_a_citation_holds_moves_changes_goes_missing_or_is_of_another_version(repo: Repo) -> None:
    [citation] = collect_citations([FINDINGS[-1]], repo.world)
    source = (repo.root / MODEL).read_text(encoding="utf-8")
    assert state(repo, citation) == ("holds", None)
    repo.write(MODEL, "// added\n" + source)
    assert state(repo, citation) == ("moved", 11)
    repo.write(MODEL, source.replace("records, options", "records"))
    assert state(repo, citation) == ("changed", None)
    repo.write(MODEL, "short\n")
    assert state(repo, citation) == ("changed", None)
    repo.owner = SEQUELIZE._replace(version="6.38.0")
    assert state(repo, citation) == ("other-version", None)
    repo.owner = SEQUELIZE
    (repo.root / MODEL).unlink()
    assert state(repo, citation) == ("missing", None)


def test_without_a_hash_lines_that_are_there_hold_and_others_are_missing(repo: Repo) -> None:
    assert state(repo, Citation(MODEL, 10, 12)) == ("holds", None)
    assert state(repo, Citation(MODEL, 10, 13)) == ("missing", None)
    assert state(repo, Citation("no.js", 1, 1)) == ("missing", None)


def test_moved_lines_are_found_at_the_nearest_of_their_places(repo: Repo) -> None:
    [citation] = collect_citations(["src/batch.ts:1"], repo.world)
    line = "export function insertBatch(rows) {\n"
    repo.write("src/batch.ts", "x\n" * 3 + line + "x\n" * 30 + line)
    assert state(repo, citation) == ("moved", 4)


def test_the_hashes_of_the_machine_twin_are_joined_to_the_words_of_the_markdown(repo: Repo) -> None:
    record = record_of(repo)
    joined = citations_of(record.brief, record)
    assert [one.sha256 is not None for one in joined] == [True, True]
    assert [one.sha256 for one in citations_of(record.brief)] == [None, None]
    edited = record.brief._replace(findings=((Finding("Source: src/batch.ts:1"),),))
    assert [(one.file, one.sha256) for one in citations_of(edited, record)] == [("src/batch.ts", None)]


# confidence


def judged(repo: Repo, record: BriefRecord, brief: Brief | None = None) -> tuple[float, tuple[str, ...]]:
    judgement = judge(brief or record.brief, repo.world, record)
    return judgement.confidence, judgement.reasons


def test_findings_whose_evidence_holds_carry_full_confidence(repo: Repo) -> None:
    assert judged(repo, record_of(repo)) == (1.0, ())


def test_the_markdown_alone_carries_a_little_less(repo: Repo) -> None:
    judgement = judge(record_of(repo).brief, repo.world)
    assert (judgement.confidence, judgement.reasons) == (
        0.95,
        ("Q1: cited lines are there, and no hash says whether they are the same",),
    )


@pytest.mark.parametrize(
    ("findings", "confidence", "reason"),
    [
        (("It is `Model.bulkCreate`.",), 0.3, "no finding cites lines of a file"),
        (("It is `Model.bulkCreate`.", "Source: no/such.js lines 1-2"), 0.2, "no/such.js lines 1-2: missing"),
        (("It is `Model.bulkCreate`.", f"Source: {MODEL} lines 900-901"), 0.2, f"{MODEL} lines 900-901: missing"),
        (("It is `Model.batchUpsert`.", f"Source: {MODEL} lines 10-12"), 0.5, "not named in the cited lines: Model.batchUpsert"),
        (("`Model.bulkCreate`, `Model.no`.", f"Source: {MODEL}:10-12"), 0.75, "not named in the cited lines: Model.no"),
        (("`Model.no` does not exist.", f"Source: {MODEL}:10-12"), 0.5, "absence is claimed without how far was searched: `Model.no` does not exist."),
        (("The docs say so (README.md:1).",), 0.75, "documentation is cited, and no source"),
        (("No wrapper of it was found (12 files searched).",), 0.7, "nothing was found, so nothing is cited"),
    ],
)  # fmt: skip
def test_each_lack_lowers_the_confidence_and_says_so(
    repo: Repo, findings: tuple[str, ...], confidence: float, reason: str
) -> None:
    repo.write("README.md", "docs\n")
    found = judged(repo, record_of(repo, *findings))
    assert found[0] == confidence
    assert f"Q1: {reason}" in found[1]


def test_evidence_that_no_longer_holds_is_under_the_gate(repo: Repo) -> None:
    record = record_of(repo)
    source = (repo.root / MODEL).read_text(encoding="utf-8")
    repo.write(MODEL, "// added\n" + source)
    assert judged(repo, record)[0] == 0.9
    repo.write(MODEL, source.replace("records, options", "records"))
    assert judged(repo, record)[0] == 0.5
    repo.owner = SEQUELIZE._replace(version="6.38.0")
    assert judged(repo, record)[0] == 0.3


def test_the_markdown_alone_is_held_to_the_version_it_states(repo: Repo) -> None:
    brief = record_of(repo).brief
    repo.owner = SEQUELIZE._replace(version="6.38.0")
    judgement = judge(brief, repo.world)
    assert [one.state for one in judgement.citations] == ["holds", "other-version"]
    assert judgement.confidence == 0.3


def test_a_brief_is_as_sure_as_its_weakest_question(repo: Repo) -> None:
    good = record_of(repo).brief
    brief = good._replace(questions=("How?", "And?"), findings=(good.findings[0], (Finding("Nobody knows."),)))
    judgement = judge(brief, repo.world)
    assert [one.confidence for one in judgement.questions] == [0.95, 0.3]
    assert judgement.confidence == 0.3


def test_an_unknown_version_is_under_the_gate_whatever_is_cited(repo: Repo) -> None:
    record = record_of(repo)
    brief = record.brief._replace(staleness=Staleness(HIGH, "version unknown"))
    assert judged(repo, record, brief)[0] == 0.3


def test_a_claim_of_absence_names_no_symbol_to_be_found() -> None:
    assert claims_absence("`Model.x` does NOT exist in this version (41 files searched). Nearest: `Model.y`.")
    assert named_symbols("`Model.x` does NOT exist (4 files searched). Nearest: `Model.y`.") == ()
    assert not claims_absence("`Model.x` exists.")
    assert not claims_absence("Use `Model.x`; it does not return rows.")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("It is `Model.bulkCreate(records, options)`.", ("Model.bulkCreate",)),
        ("`requests.Session.get` and `Client#query`", ("requests.Session.get", "Client#query")),
        ("`node_modules/a/b.js` and `a.py:12`, `--flag`, `500`", ()),
        ("`x: number`", ("x",)),
    ],
)
def test_the_symbols_a_finding_names_are_those_in_backticks_that_look_like_names(
    text: str, names: tuple[str, ...]
) -> None:
    assert named_symbols(text) == names


def test_the_versions_a_finding_states() -> None:
    texts = ("Pinned version is 6.37.3 (x).", "Installed version of `a` is 2.0.0rc1.", "in version 1.2.3, 4.5 is new")
    assert stated_versions([Finding(text) for text in texts]) == ("6.37.3", "2.0.0rc1", "1.2.3")


# staleness


def stale(repo: Repo, record: BriefRecord, *, days: float = 0.0) -> tuple[str, ...]:
    judgement = judge(record.brief, repo.world, record)
    return stale_reasons(record.verified_at, record.pins, judgement.citations, repo.world, now=NOW + days * 86400)


def test_stale_is_older_than_a_week_since_verified(repo: Repo) -> None:
    record = record_of(repo)
    assert stale(repo, record, days=7) == ()
    assert stale(repo, record, days=7.01) == ("verified 7.0 days ago, more than 7",)
    assert stale(repo, record, days=-0.001) == ()
    assert stale(repo, record, days=-365) == ("verified in the future, by a clock that is wrong",)


def test_stale_is_another_version_a_changed_entry_a_changed_source_or_a_package_that_is_gone(repo: Repo) -> None:
    record = record_of(repo)
    for now, reason in (
        (PIN._replace(package=SEQUELIZE._replace(version="6.38.0")), "sequelize is 6.38.0 now, the brief is for 6.37.3"),
        (PIN._replace(package=SEQUELIZE._replace(version=None)), "sequelize is at no known version now, the brief is for 6.37.3"),
        (PIN._replace(entry="6.37.3 sha512-y"), "the lockfile's entry of sequelize changed"),
        (PIN._replace(digest="e" * 64), "the installed source of sequelize changed"),
        (None, "sequelize is no longer in the project"),
        (PIN, None),
    ):  # fmt: skip
        repo.now = now
        assert stale(repo, record) == (() if reason is None else (reason,))


def test_stale_is_a_changed_cited_line_and_a_moved_one_is_not(repo: Repo) -> None:
    record = record_of(repo)
    source = (repo.root / MODEL).read_text(encoding="utf-8")
    repo.write(MODEL, "// added\n" + source)
    assert stale(repo, record) == ()
    repo.write(MODEL, source.replace("records", "rows"))
    assert stale(repo, record) == (f"{MODEL} lines 10-12: changed",)


@pytest.mark.parametrize(
    ("pins", "read", "risk"),
    [
        ((PIN,), True, LOW),
        ((PIN._replace(locked="6.0.0"),), True, MEDIUM),
        ((PIN._replace(installed=None),), False, MEDIUM),
        ((PIN._replace(locked=None),), True, MEDIUM),
        ((PIN,), False, MEDIUM),
        ((PIN, PIN._replace(package=SEQUELIZE._replace(version=None))), True, HIGH),
        ((), True, LOW),
        ((), False, HIGH),
    ],
)
def test_the_staleness_risk_follows_from_what_is_pinned_installed_and_read(
    pins: tuple[Pin, ...], read: bool, risk: str
) -> None:
    assert staleness_of(pins, source_read=read).risk == risk


def test_a_week_is_a_week() -> None:
    assert WEEK == 604_800

"""The Markdown of a brief: written in one shape, read forgivingly, refused with every fault and its line."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from briefkit.briefs.brief import (
    HIGH,
    LOW,
    MEDIUM,
    Brief,
    BriefRecord,
    Finding,
    InvalidBriefError,
    Section,
    SourcesRead,
    Staleness,
    auto_brief,
    lowest,
    read_record,
    rounded_down,
)
from briefkit.briefs.markdown import SIZE_LIMIT, parse_brief, render_brief
from briefkit.errors import UnreadableError, UsageError

TEXT = """\
# Research brief: task-0417

## Questions
1. How do we bulk-insert rows with the ORM at the pinned version?

## Findings
### Q1
- Pinned version is 6.37.3 (package-lock.json line 1234; installed: agree).
- Bulk insert is `Model.bulkCreate(records, options)`.
- `Model.batchUpsert` does NOT exist in this version (41 files searched). Nearest: `Model.upsert`.
- Source: node_modules/sequelize/lib/model.js lines 2210-2290

## Verdict
Use `insertBatch()`.

## Confidence: 0.9
## Sources read: 4 files, 1 changelog, 0 web pages
## Staleness risk: low (pinned version, checked lockfile)
"""
BRIEF = Brief(
    "task-0417",
    ("How do we bulk-insert rows with the ORM at the pinned version?",),
    (
        (
            Finding("Pinned version is 6.37.3 (package-lock.json line 1234; installed: agree)."),
            Finding("Bulk insert is `Model.bulkCreate(records, options)`."),
            Finding("`Model.batchUpsert` does NOT exist in this version (41 files searched). Nearest: `Model.upsert`."),
            Finding("Source: node_modules/sequelize/lib/model.js lines 2210-2290"),
        ),
    ),
    "Use `insertBatch()`.",
    0.9,
    Staleness(LOW, "pinned version, checked lockfile"),
    SourcesRead(4, 1, 0),
)


def test_the_contracts_brief_is_read_and_written_to_the_byte() -> None:
    assert parse_brief(TEXT) == BRIEF
    assert render_brief(BRIEF) == TEXT


def test_the_shells_lines_work_on_it(tmp_path: object) -> None:
    script = """brief="$1"; [[ -f "$brief" ]] || exit 2
    confidence=$(grep -E '^## Confidence:' "$brief" | awk '{print $3}')
    awk -v c="$confidence" 'BEGIN { exit !(c >= 0.6) }' && echo "open $confidence"
    """
    path = f"{tmp_path}/brief.md"
    with open(path, "w", encoding="utf-8") as file:
        file.write(render_brief(BRIEF))
    done = subprocess.run(["bash", "-c", script, "x", path], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == "open 0.9\n"


@pytest.mark.parametrize(
    ("change", "to"),
    [
        ("\n", "\r\n"),
        ("\n", "\n\n"),
        ("# Research brief: task-0417", "\ufeff# Research Brief – task-0417"),
        ("# Research brief:", "#  research brief:"),
        ("## Questions", "## Questions:"),
        ("## Questions", "##questions"),
        ("1. How", "1) How"),
        ("1. How", "- How"),
        ("1. How", "Q1: How"),
        ("1. How", "How"),
        ("ORM at", "ORM\n   at"),
        ("### Q1", "### Q1: bulk insert"),
        ("### Q1", "### Question 1"),
        ("### Q1", "#### 1."),
        ("### Q1\n", ""),
        ("- ", "* "),
        ("- Pinned", "1. Pinned"),
        ("## Confidence: 0.9", "## Confidence: .9"),
        ("## Confidence: 0.9", "## Confidence:   0.90"),
        ("## Confidence: 0.9", "## Confidence: 0.9 (from evidence)"),
        ("## Confidence: 0.9", "## CONFIDENCE: 0.90000"),
        ("low (pinned version, checked lockfile)", "Low – pinned version, checked lockfile"),
        ("low (pinned version, checked lockfile)", "LOW: pinned version, checked lockfile"),
        ("Staleness risk: low", "Staleness: low"),
        ("4 files, 1 changelog, 0 web pages", "4 files; 1 changelog"),
        ("4 files, 1 changelog, 0 web pages", "0 web pages, 1 changelogs and 4 file"),
    ],
)
def test_the_reader_forgives_what_people_and_models_write(change: str, to: str) -> None:
    assert change in TEXT
    assert parse_brief(TEXT.replace(change, to)) == BRIEF


def test_the_last_sections_may_stand_in_any_order_and_the_sources_be_left_out() -> None:
    title, _, rest = TEXT.partition("\n")
    head, tail = rest.split("## Verdict\n")
    verdict, one_liners = tail.split("\n\n")
    lines = one_liners.splitlines()
    for order in (lines, lines[::-1]):
        text = "\n".join([title, *order, head, f"## Verdict\n{verdict}"])
        assert parse_brief(text) == BRIEF
    assert parse_brief(TEXT.replace(lines[1] + "\n", "")) == BRIEF._replace(sources=SourcesRead())


def test_points_of_several_lines_and_fences_are_kept() -> None:
    point = "An example:\n```js\nModel.bulkCreate(\n  rows)\n\n# no heading\n```\nand more"
    brief = BRIEF._replace(findings=((Finding(point), Finding("Source: a.js lines 1-2")),))
    assert parse_brief(render_brief(brief)) == brief
    loose = TEXT.replace("- Bulk", "- An example:\n```sh\n# a comment\n- no bullet\n```\n- Bulk")
    assert [finding.text for finding in parse_brief(loose).findings[0]][1] == (
        "An example:\n```sh\n# a comment\n- no bullet\n```"
    )


def test_sections_that_the_contract_does_not_name_are_kept() -> None:
    brief = parse_brief(TEXT + "and because\n\n## Further reading\nnothing\n")
    assert brief == BRIEF._replace(extras=(Section("Further reading", "nothing"), Section("Notes", "and because")))
    assert parse_brief(render_brief(brief)) == brief


def faults_of(text: str) -> list[tuple[int, str]]:
    with pytest.raises(InvalidBriefError) as raised:
        parse_brief(text, "b.md")
    return [(fault.line, fault.what) for fault in raised.value.faults]


def test_every_fault_is_reported_at_once_each_with_its_line() -> None:
    text = "# Research brief\n## Questions\n1. a\n2. b\n3.  \n## Findings\n- stray\n### Q1\n- x\n### Q7\n- z\n"
    text += "## Confidence: 90%\n## Staleness risk: none\n"
    assert faults_of(text) == [
        (7, "a finding that stands under no question ('### Q1' is missing)"),
        (10, "findings for question 7, and there are 2 questions"),
        (11, "no finding for question 2"),
        (12, "the confidence is '90%', not a number in 0..1 (write '## Confidence: 0.9')"),
        (13, "the staleness risk is 'none', not low, medium or high"),
        (14, "no section '## Verdict'"),
    ]


def test_the_error_is_one_line_with_path_and_line() -> None:
    with pytest.raises(InvalidBriefError) as raised:
        parse_brief(TEXT.replace("0.9", "high").replace("low (", "lowish ("), "state/briefs/x.md")
    assert str(raised.value) == (
        "state/briefs/x.md:16: the confidence is 'high', not a number in 0..1 (write '## Confidence: 0.9'); "
        "line 18: the staleness risk is 'lowish (pinned version, checked lockfile)', not low, medium or high"
    )


@pytest.mark.parametrize(
    ("change", "to", "fault"),
    [
        ("1. How do we bulk-insert rows with the ORM at the pinned version?\n", "", (3, "no question")),
        ("Use `insertBatch()`.\n", "", (13, "the verdict is empty")),
        ("## Confidence: 0.9\n", "", (18, "no section '## Confidence'")),
        ("## Verdict\nUse `insertBatch()`.\n", "", (17, "no section '## Verdict'")),
        ("## Confidence: 0.9\n", "## Confidence\n0.9\n", (16, "the confidence is empty, not a number in 0..1 (write '## Confidence: 0.9')")),
    ],
)  # fmt: skip
def test_what_must_be_there_and_is_not_is_a_fault(change: str, to: str, fault: tuple[int, str]) -> None:
    assert fault in faults_of(TEXT.replace(change, to))


@pytest.mark.parametrize(
    "confidence", ["1.1", "-0.5", "nan", "inf", "1e0", "0,9", "0.9/1", "0.9-1.0", "0.9 – 1.0", "90%", "high", "１", "0x1", "0.9 / 10"]
)  # fmt: skip
def test_a_confidence_that_is_no_number_in_0_to_1_is_a_fault(confidence: str) -> None:
    [(line, what)] = faults_of(TEXT.replace("Confidence: 0.9", f"Confidence: {confidence}"))
    assert line == 16
    assert what.startswith("the confidence is")


def test_a_second_heading_of_the_brief_is_a_fault_wherever_it_stands() -> None:
    hidden = TEXT.replace("Use `insertBatch()`.", "```\n## Confidence: 1.0\n```")
    assert faults_of(hidden) == [(18, "a second section '## Confidence' (the first is line 15)")]


def test_a_text_larger_than_a_brief_can_be_is_refused() -> None:
    with pytest.raises(UnreadableError, match="more than the 1,048,576 that are read"):
        parse_brief("x" * (SIZE_LIMIT + 1))
    assert len(faults_of("")) == 5


@pytest.mark.parametrize(
    ("confidence", "printed"),
    [(0.9, "0.9"), (0.29, "0.29"), (0.599999, "0.59"), (1.0, "1.0"), (0.0, "0.0"), (0.999, "0.99"), (0.5999999999999999, "0.59"), (1e-9, "0.0"), (2.0, "1.0"), (-1.0, "0.0"), (float("nan"), "0.0")],
)  # fmt: skip
def test_a_confidence_is_rounded_down_to_two_decimals(confidence: float, printed: str) -> None:
    assert f"## Confidence: {printed}\n" in render_brief(BRIEF._replace(confidence=confidence))


@given(st.floats(0, 1))
def test_rounding_down_never_raises_and_takes_less_than_a_hundredth(confidence: float) -> None:
    down = rounded_down(confidence)
    assert down <= confidence < down + 0.0101
    assert rounded_down(down) == down


def test_a_briefs_confidence_is_the_lowest_of_its_questions() -> None:
    assert lowest([0.9, 0.755, 1.0]) == 0.75
    assert lowest([]) == 0.0


def test_an_auto_brief_has_all_sections() -> None:
    text = render_brief(auto_brief("task-1", "Rename the flag?", files=1))
    assert "- auto: 1 file, no library named\n" in text
    assert parse_brief(text).confidence == 1.0
    assert "- auto: 0 files, no library named\n" in render_brief(auto_brief("t", "q", files=0))
    with pytest.raises(UsageError, match="2 files"):
        auto_brief("t", "q", files=2)


# any text at all

line = st.text(st.characters(exclude_categories=["Cs", "Cc", "Co", "Cf", "Zl", "Zp"]), min_size=1, max_size=60).map(
    lambda text: " ".join(text.split()) or "x"
)
safe_line = line.filter(lambda text: text == render_brief(BRIEF._replace(title=text)).split(": ", 1)[1].split("\n")[0])
odd_lines = st.sampled_from(["", "```", "~~~~", "## Verdict", "# x", "\\# x", "### Q1", "- y"])


def closed(text: str) -> str:
    """The text as the writer leaves it: with its fences closed."""
    return parse_brief(render_brief(BRIEF._replace(verdict=text))).verdict


block = st.lists(st.one_of(safe_line, odd_lines), min_size=1).map(lambda lines: closed("\n".join(["x", *lines])))


@st.composite
def briefs(draw: st.DrawFn) -> Brief:
    count = draw(st.integers(1, 3))
    points = st.lists(block.map(Finding), min_size=1, max_size=3).map(tuple)
    return Brief(
        draw(safe_line),
        tuple(draw(safe_line) for _ in range(count)),
        tuple(draw(points) for _ in range(count)),
        draw(block),
        draw(st.floats(0, 1).map(rounded_down)),
        Staleness(
            draw(st.sampled_from([LOW, MEDIUM, HIGH])), draw(st.sampled_from(["", "pinned", "a (b) c", "x, y; z"]))
        ),
        SourcesRead(*draw(st.tuples(*[st.integers(0, 10**6)] * 3))),
        tuple(draw(st.lists(st.builds(Section, st.just("More"), block), max_size=2))),
    )


@given(briefs())
def test_what_is_written_is_read_as_it_was(brief: Brief) -> None:
    assert parse_brief(render_brief(brief)) == brief


@given(st.text(), st.text(), st.text(), st.text())
def test_whatever_the_texts_hold_the_written_brief_reads_as_one_with_the_same_number(
    title: str, question: str, finding: str, verdict: str
) -> None:
    brief = BRIEF._replace(
        title=title, questions=(question + "?",), findings=((Finding("x" + finding),),), verdict="x" + verdict
    )
    text = render_brief(brief)
    again = parse_brief(text)
    assert render_brief(again) == text
    assert (again.confidence, len(again.questions), len(again.findings)) == (0.9, 1, 1)
    assert [one for one in text.split("\n") if one.startswith("## Confidence:")] == ["## Confidence: 0.9"]


@given(st.text(st.sampled_from("#- \n0123456789.:QuestionsFindingsVerdictConfidence`~lowhigh"), max_size=300))
def test_any_text_is_a_brief_or_a_list_of_faults(text: str) -> None:
    try:
        parse_brief(text)
    except InvalidBriefError as error:
        lines = [fault.line for fault in error.faults]
        assert min(lines) >= 1
        assert max(lines) <= text.count("\n") + 1


# the machine twin


def test_the_machine_twin_comes_back_as_it_was() -> None:
    import json

    record = BriefRecord(BRIEF, 1_800_000_000.0, "source", (), (), (0.9,))
    assert read_record(json.dumps(record.to_dict()).encode(), "x.json") == record


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b"null",
        b'{"schema_version": 2}',
        b"\xff",
        b'{"schema_version": 1, "brief": 3}',
        b"[" * 100_000,
    ],
    ids=range(8),
)
def test_what_is_no_machine_twin_is_refused_in_one_line(data: bytes) -> None:
    with pytest.raises(UnreadableError) as raised:
        read_record(data, "x.json")
    assert str(raised.value).startswith("x.json: not the record of a brief")

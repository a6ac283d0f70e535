"""Evidence: every citation of a brief is read again, and the confidence is computed from what it finds.

    world = World(read=CitedFiles(root), owner=owner_of_file, pin=pin_now)
    cited = collect_citations(finding_texts, world, question=1)      # a researcher: citations with their hashes
    checked = check_citations(citations_of(brief, record), world)    # a reader: holds, moved, changed, missing, other-version
    judgement = judge(brief, world, record)                          # a confidence and its reasons for each question

The rule, for one question: it starts at 1.0 and each lack lowers the ceiling to what `CEILINGS` says; the share of the
symbols named by the findings that the cited lines do not name is taken off. A claim can lower this number, never raise it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from .brief import HIGH, Brief, BriefRecord, Citation, Finding, PackageId, Pin, lowest, rounded_down
from .citations import find_citations
from .cited_files import hash_of_lines, place_of, split_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

HOLDS = "holds"
MOVED = "moved"
CHANGED = "changed"
MISSING = "missing"
OTHER_VERSION = "other-version"
STATES = (HOLDS, MOVED, CHANGED, MISSING, OTHER_VERSION)

# What each lack leaves at most. All that makes a finding untrue stays under the gate's 0.6.
CEILINGS = {
    OTHER_VERSION: 0.3,
    MISSING: 0.4,
    CHANGED: 0.5,
    MOVED: 0.9,
    "no source": 0.3,
    "version unknown": 0.3,
    "no reach": 0.5,
    "only searched": 0.7,
    "only prose": 0.75,
    "only manifests": 0.5,
    "not hashed": 0.95,
}
# With none of the named symbols in the cited lines this much of the ceiling is left.
_UNNAMED = 0.5
_PROSE = (".md", ".rst", ".txt", ".markdown", ".adoc", ".html")
_MANIFESTS = ("lock", ".lock", "-lock.json", "-lock.yaml", "package.json", "requirements.txt", ".toml", "metadata")

_CODE = re.compile(r"`([^`\n]{1,300})`")
_WORD = re.compile(r"[^\W\d]\w*", re.ASCII)
_SYMBOL = re.compile(r"@?[A-Za-z_$][\w$]*(?:(?:\.|#|::)[A-Za-z_$#][\w$]*)*(?=\s*(?:[(<:?=]|$))")
_NEGATION = re.compile(
    r"\b(?:does|do|did|is|are|was|has|have|there)\s+(?:NOT|not|no)\b|\bno such\b|\babsent\b|n['\u2019]t\b|\bnot (?:exist|found|defined)",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    r"\b(?:no|none|nothing|nowhere|not)\b[^\n]*\b[0-9][0-9,]*\s+files?\s+(?:\S+\s+){0,4}searched\b", re.IGNORECASE
)
_NEAREST = re.compile(r"\b(?:nearest|instead|closest|use)\b", re.IGNORECASE)
_REACH = re.compile(r"\b[0-9][0-9,]*\s+(?:files?|modules?|symbols?|lines)\b", re.IGNORECASE)
_OF_PACKAGE = r"(?:of\s+`[^`\n]{1,300}`\s+(?:\(as\s+`[^`\n]{1,300}`\)\s+)?)?"
_STATED = re.compile(rf"\bversion\s+(?:in use\s+)?{_OF_PACKAGE}(?:is|:)?\s*`?v?([0-9][\w.+!-]*[\w])", re.IGNORECASE)


class World(NamedTuple):
    """The facts about a project that judging a brief asks for; the floors above fill them in.

    `read` gives a cited file's bytes or None; `owner` the installed package that a cited file belongs to, None for the repo's own files;
    `pin` what the project says now of (ecosystem, name), None where it no longer knows it.
    """

    read: Callable[[str], bytes | None]
    owner: Callable[[str], PackageId | None] = lambda _file: None
    pin: Callable[[str, str], Pin | None] | None = None


class CheckedCitation(NamedTuple):
    """A citation read again: its state, where moved lines are now, and the lines themselves where they could be read."""

    citation: Citation
    state: str
    moved_to: int | None = None
    text: bytes = b""

    def to_dict(self) -> dict[str, Any]:
        """The entry of `citations` in the contract."""
        record: dict[str, Any] = {"file": self.citation.file, "lines": self.citation.lines, "state": self.state}
        record["question"] = self.citation.question
        if self.moved_to is not None:
            record["moved_to"] = self.moved_to
        return record


class QuestionJudgement(NamedTuple):
    """The confidence that a question's evidence carries, and the reasons why it is not 1.0."""

    number: int
    question: str
    confidence: float
    reasons: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The entry of `weak_questions`."""
        return {**self._asdict(), "reasons": list(self.reasons)}


class Judgement(NamedTuple):
    """All questions judged, and every citation's state."""

    questions: tuple[QuestionJudgement, ...]
    citations: tuple[CheckedCitation, ...]

    @property
    def confidence(self) -> float:
        """The lowest of the questions', rounded down."""
        return lowest(question.confidence for question in self.questions)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Every reason, with its question in front."""
        return tuple(f"Q{one.number}: {reason}" for one in self.questions for reason in one.reasons)


def collect_citations(texts: Iterable[str], world: World, question: int = 1) -> tuple[Citation, ...]:
    """The citations in these findings with the hash of their lines and their package, as a researcher stores them."""
    found = {one.key: one for text in texts for one in find_citations(text, question)}
    return tuple(_hashed(one, world) for one in found.values())


def _hashed(citation: Citation, world: World) -> Citation:
    data = world.read(citation.file)
    sha256 = None if data is None else hash_of_lines(data, citation.first, citation.last)
    return citation._replace(sha256=sha256, package=world.owner(citation.file))


def citations_of(brief: Brief, record: BriefRecord | None = None) -> tuple[Citation, ...]:
    """The citations in the Markdown's findings, with the hashes that the machine twin knows for them."""
    known = {one.key: one._replace(question=0) for one in record.citations} if record else {}
    return tuple(
        known.get(one.key, one)._replace(question=number)
        for number, points in enumerate(brief.findings, 1)
        for one in dict.fromkeys(one for point in points for one in find_citations(point.text, number))
    )


def check_citations(citations: Iterable[Citation], world: World) -> tuple[CheckedCitation, ...]:
    """Each citation read again."""
    return tuple(check_citation(citation, world) for citation in citations)


def check_citation(citation: Citation, world: World) -> CheckedCitation:
    """One citation read again: `other-version` before all else, since lines of another version prove nothing."""
    data = world.read(citation.file)
    lines = [] if data is None else split_lines(data)
    text = b"\n".join(lines[citation.first - 1 : citation.last])
    if _of_other_version(citation, world):
        return CheckedCitation(citation, OTHER_VERSION, None, text)
    if data is None:
        return CheckedCitation(citation, MISSING)
    if citation.sha256 is None:
        return CheckedCitation(citation, HOLDS if citation.last <= len(lines) else MISSING, None, text)
    count = citation.last - citation.first + 1
    now = place_of(lines, count, citation.sha256, citation.first)
    if now is None:
        return CheckedCitation(citation, CHANGED, None, text)
    text = b"\n".join(lines[now - 1 : now - 1 + count])
    return CheckedCitation(
        citation, HOLDS if now == citation.first else MOVED, None if now == citation.first else now, text
    )


def _of_other_version(citation: Citation, world: World) -> bool:
    """Whether the file belongs to another version than the one cited, or than the one the project uses."""
    owner = world.owner(citation.file)
    if citation.package is not None:
        return owner is not None and owner.version != citation.package.version
    return False


def judge(brief: Brief, world: World, record: BriefRecord | None = None) -> Judgement:
    """Every question's confidence, computed from its findings and what their citations hold now."""
    checked = check_citations(citations_of(brief, record), world)
    checked = tuple(_held_to_statement(one, brief, world) for one in checked)
    questions = tuple(
        judge_question(number, question, points, tuple(one for one in checked if one.citation.question == number))
        for number, (question, points) in enumerate(zip(brief.questions, brief.findings, strict=True), 1)
    )
    if brief.staleness.risk == HIGH:
        questions = tuple(_lowered(one, "version unknown", "the version is not known") for one in questions)
    return Judgement(questions, checked)


def _held_to_statement(one: CheckedCitation, brief: Brief, world: World) -> CheckedCitation:
    """A citation that only the Markdown knows, held to the version that its question's findings state."""
    if one.citation.package is not None or one.state == MISSING:
        return one
    stated = stated_versions(brief.findings[one.citation.question - 1])
    owner = world.owner(one.citation.file) if stated else None
    foreign = owner is not None and owner.version is not None and owner.version not in stated
    return one._replace(state=OTHER_VERSION) if foreign else one


def judge_question(
    number: int, question: str, points: Sequence[Finding], checked: Sequence[CheckedCitation]
) -> QuestionJudgement:
    """The confidence of one question from its findings and their citations, read again."""
    lacks = [*_lacks_of_citations(points, checked), *_lacks_of_findings(points)]
    ceiling = min((CEILINGS[lack] for lack, _ in lacks), default=1.0)
    reasons = [reason for _, reason in lacks]
    share, unnamed = _named(points, checked)
    if unnamed:
        ceiling *= 1 - (1 - _UNNAMED) * (1 - share)
        reasons.append("not named in the cited lines: " + ", ".join(unnamed[:5]))
    return QuestionJudgement(number, question, rounded_down(ceiling), tuple(reasons))


def _lowered(one: QuestionJudgement, lack: str, reason: str) -> QuestionJudgement:
    return one._replace(confidence=min(one.confidence, CEILINGS[lack]), reasons=(*one.reasons, reason))


def _lacks_of_citations(points: Sequence[Finding], checked: Sequence[CheckedCitation]) -> list[tuple[str, str]]:
    if not checked:
        searched = [point for point in points if _NOTHING.search(point.text)]
        if searched:
            return [("only searched", "nothing was found, so nothing is cited")]
        return [("no source", "no finding cites lines of a file")]
    lacks = [
        (one.state, f"{one.citation.file} lines {one.citation.lines}: {one.state}")
        for one in checked
        if one.state != HOLDS
    ]
    if any(one.citation.sha256 is None for one in checked):
        lacks.append(("not hashed", "cited lines are there, and no hash says whether they are the same"))
    read = [one for one in checked if not one.citation.file.lower().endswith(_MANIFESTS)]
    if read and all(one.citation.file.lower().endswith(_PROSE) for one in read):
        lacks.append(("only prose", "documentation is cited, and no source"))
    if not read and any(not point.is_source and not find_citations(point.text) for point in points):
        lacks.append(("only manifests", "no more than a version is proved, and more is said"))
    return lacks


def _lacks_of_findings(points: Sequence[Finding]) -> list[tuple[str, str]]:
    """A claim of absence must say how far was searched."""
    return [
        ("no reach", f"absence is claimed without how far was searched: {point.text.splitlines()[0][:80]}")
        for point in points
        if claims_absence(point.text) and not _REACH.search(point.text)
    ]


def claims_absence(text: str) -> bool:
    """Whether a finding says of a symbol in backticks that it does not exist."""
    head = _NEAREST.split(text, maxsplit=1)[0]
    found = _NEGATION.search(head)
    return found is not None and _CODE.search(head) is not None and "exist" in head.lower()


def named_symbols(text: str) -> tuple[str, ...]:
    """The symbols that a finding claims to exist: those in backticks that look like a name, without paths.

    A finding of absence claims none: what it says is nearest is a hint.
    """
    if claims_absence(text):
        return ()
    cited = {one.file for one in find_citations(text)}
    names = []
    for code in _CODE.findall(text):
        found = _SYMBOL.match(code.strip())
        is_place = "/" in code.partition("(")[0] or code in cited or code.partition(":")[0] in cited
        if found and not is_place:
            names.append(found.group())
    return tuple(dict.fromkeys(names))


def _named(points: Sequence[Finding], checked: Sequence[CheckedCitation]) -> tuple[float, list[str]]:
    """The share of the symbols that the cited lines name, and those that they do not."""
    names = dict.fromkeys(name for point in points if not point.is_source for name in named_symbols(point.text))
    if not names or not checked:
        return 1.0, []
    words = {word for one in checked for word in _WORD.findall(one.text.decode("utf-8", "replace"))}
    unnamed = [name for name in names if _last_word(name) not in words]
    return 1 - len(unnamed) / len(names), unnamed


def _last_word(name: str) -> str:
    return re.split(r"\.|#|::", name)[-1].lstrip("#@$")


def stated_versions(points: Iterable[Finding]) -> tuple[str, ...]:
    """The versions that findings state (`Pinned version is 6.37.3`), each once."""
    return tuple(dict.fromkeys(version for point in points for version in _STATED.findall(point.text)))

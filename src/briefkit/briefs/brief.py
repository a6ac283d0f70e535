"""What a brief is: questions, a finding for each, a verdict, a confidence and a staleness risk, and what a machine keeps beside it.

`Brief` is what the Markdown file says. `BriefRecord` is its machine twin, `state/briefs/ID.json`: the same brief with the
packages it speaks of and the hash of every cited line, so that a later reader can tell `holds` from `changed`. The
Markdown stays the authority and is checkable alone.

    answer = Answer("Does Model.bulkCreate exist?", (Finding("`Model.bulkCreate(records)` exists."),), 0.9)
    record = assemble("task-0417", [answer], verdict="Use it.", verified_at=now, researcher="source")
    text = render_brief(record.brief)            # markdown.py
    stored = json.dumps(record.to_dict())        # read back by BriefRecord.from_dict
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from briefkit.errors import Place, UnreadableError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

SCHEMA_VERSION = 1
LOW = "low"
MEDIUM = "medium"
HIGH = "high"
RISKS = (LOW, MEDIUM, HIGH)
WEEK = 7 * 24 * 3600.0
# A stamp from a clock that runs ahead is honoured this far, no further.
CLOCK_TOLERANCE = 300.0

_TASK_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class PackageId(NamedTuple):
    """One package at one exact version; `version` None is a version that nobody knows."""

    ecosystem: str
    name: str
    version: str | None

    def __str__(self) -> str:
        """`npm:sequelize@6.37.3`; `@?` where the version is not known."""
        return f"{self.ecosystem}:{self.name}@{self.version or '?'}"


class Pin(NamedTuple):
    """What the project said of one package when it was researched, or says now.

    `locked` and `installed` are the two versions; `entry` is an opaque text that changes when the lockfile's entry does (version and
    integrity, not its line); `digest` is the source digest of the installed copy.
    """

    package: PackageId
    locked: str | None = None
    installed: str | None = None
    entry: str | None = None
    digest: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The entry of `packages` in the machine twin."""
        return {**self.package._asdict(), **{key: getattr(self, key) for key in self._fields[1:]}}


class Citation(NamedTuple):
    """Lines of a file that a finding rests on.

    `file` as the finding prints it (relative to the project root, absolute, or `cache.zip!/inner`); `question` its number from 1;
    `sha256` of the lines when they were read, None where only the Markdown is there; `package` the installed package the file belongs
    to, None for the repo's own files.
    """

    file: str
    first: int
    last: int
    question: int = 1
    sha256: str | None = None
    package: PackageId | None = None

    @property
    def lines(self) -> str:
        """`12`, or `10-20`."""
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"

    @property
    def key(self) -> tuple[str, int, int]:
        """What makes two citations the same one: file and lines."""
        return self.file, self.first, self.last

    def to_dict(self) -> dict[str, Any]:
        """The entry of `citations` in the machine twin and in the index."""
        record: dict[str, Any] = {"file": self.file, "first": self.first, "last": self.last, "question": self.question}
        record["sha256"] = self.sha256
        record["package"] = None if self.package is None else list(self.package)
        return record


class Finding(NamedTuple):
    """One point under a question, as Markdown without its bullet; further lines belong to the same point."""

    text: str

    @property
    def is_source(self) -> bool:
        """Whether the point only says where something was read (`Source: …`)."""
        return self.text.lower().startswith(("source:", "sources:"))


class SourcesRead(NamedTuple):
    """How much was read for a brief."""

    files: int = 0
    changelogs: int = 0
    web_pages: int = 0

    def __str__(self) -> str:
        """`4 files, 1 changelog, 0 web pages`."""
        words = ("file", "changelog", "web page")
        return ", ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in zip(self, words, strict=True))


class Staleness(NamedTuple):
    """The staleness risk (`low`, `medium`, `high`) and the words in brackets behind it."""

    risk: str
    reason: str = ""

    def __str__(self) -> str:
        """`low (pinned version, checked lockfile)`."""
        return f"{self.risk} ({self.reason})" if self.reason else self.risk


class Section(NamedTuple):
    """A section of a brief that the contract does not name, kept as it was written."""

    title: str
    text: str


class Brief(NamedTuple):
    """A research brief: what its Markdown file says.

    `findings` holds, for each question in order, its points. `confidence` is what the brief claims, in 0..1, with at most two decimals.
    """

    title: str
    questions: tuple[str, ...]
    findings: tuple[tuple[Finding, ...], ...]
    verdict: str
    confidence: float
    staleness: Staleness
    sources: SourcesRead = SourcesRead()
    extras: tuple[Section, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The `brief` object of the contract's JSON."""
        return {
            "title": self.title,
            "questions": list(self.questions),
            "findings": [[finding.text for finding in points] for points in self.findings],
            "verdict": self.verdict,
            "confidence": self.confidence,
            "sources_read": self.sources._asdict(),
            "staleness": self.staleness._asdict(),
            **({"extras": [section._asdict() for section in self.extras]} if self.extras else {}),
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Brief:
        """The brief of a `to_dict`; KeyError, TypeError or ValueError on anything else."""
        return cls(
            _text(record["title"]),
            tuple(_text(question) for question in record["questions"]),
            tuple(tuple(Finding(_text(text)) for text in points) for points in record["findings"]),
            _text(record["verdict"]),
            _share(record["confidence"]),
            _staleness(record["staleness"]),
            SourcesRead(*(int(record["sources_read"][field]) for field in SourcesRead._fields)),
            tuple(Section(_text(one["title"]), _text(one["text"])) for one in record.get("extras", ())),
        )


class Answer(NamedTuple):
    """One question answered: what the index keeps, and what a brief is assembled from.

    `confidence` is the researcher's claim for this question; `pins` the packages it speaks of; `citations` with their hashes;
    `lead` a sentence for the verdict.
    """

    question: str
    findings: tuple[Finding, ...]
    confidence: float
    citations: tuple[Citation, ...] = ()
    pins: tuple[Pin, ...] = ()
    sources: SourcesRead = SourcesRead()
    staleness: Staleness = Staleness(HIGH, "version unknown")
    lead: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The answer as the index and the machine twin hold it."""
        return {
            "question": self.question,
            "findings": [finding.text for finding in self.findings],
            "confidence": self.confidence,
            "citations": [citation.to_dict() for citation in self.citations],
            "packages": [pin.to_dict() for pin in self.pins],
            "sources_read": self.sources._asdict(),
            "staleness": self.staleness._asdict(),
            "lead": self.lead,
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Answer:
        """The answer of a `to_dict`; KeyError, TypeError or ValueError on anything else."""
        return cls(
            _text(record["question"]),
            tuple(Finding(_text(text)) for text in record["findings"]),
            _share(record["confidence"]),
            tuple(_citation(one) for one in record["citations"]),
            tuple(_pin(one) for one in record["packages"]),
            SourcesRead(*(int(record["sources_read"][field]) for field in SourcesRead._fields)),
            _staleness(record["staleness"]),
            _text(record["lead"]),
        )


class BriefRecord(NamedTuple):
    """The machine twin of a brief: the brief, its packages and citations, when it was verified, by whom."""

    brief: Brief
    verified_at: float
    researcher: str = "source"
    citations: tuple[Citation, ...] = ()
    pins: tuple[Pin, ...] = ()
    confidences: tuple[float, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `state/briefs/ID.json`."""
        return {
            "schema_version": SCHEMA_VERSION,
            "brief": self.brief.to_dict(),
            "verified_at": self.verified_at,
            "researcher": self.researcher,
            "confidences": list(self.confidences),
            "packages": [pin.to_dict() for pin in self.pins],
            "citations": [citation.to_dict() for citation in self.citations],
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> BriefRecord:
        """The record of a `to_dict`; KeyError, TypeError or ValueError on anything else."""
        if record["schema_version"] != SCHEMA_VERSION:
            raise ValueError("schema_version")
        return cls(
            Brief.from_dict(record["brief"]),
            float(record["verified_at"]),
            _text(record["researcher"]),
            tuple(_citation(one) for one in record["citations"]),
            tuple(_pin(one) for one in record["packages"]),
            tuple(_share(one) for one in record["confidences"]),
        )


class Fault(NamedTuple):
    """What is wrong in a brief, and the line (from 1) where."""

    line: int
    what: str

    def to_dict(self) -> dict[str, Any]:
        """The entry of `faults` in the contract."""
        return self._asdict()


class InvalidBriefError(UnreadableError):
    """A text is not a brief; `faults` holds everything that is wrong with it, each with its line."""

    def __init__(self, path: str, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        first, *rest = self.faults
        what = "; ".join([first.what, *(f"line {fault.line}: {fault.what}" for fault in rest)])
        super().__init__(what, place=Place(path, first.line))


def rounded_down(confidence: float) -> float:
    """The confidence with two decimals, never rounded up: 0.599999 gives 0.59, 0.29 stays 0.29; outside 0..1 the nearer end."""
    if not confidence > 0:
        return 0.0
    if confidence >= 1:
        return 1.0
    # repr is the shortest text that reads back as the same number, so 0.29 does not fall to 0.28
    exact = repr(float(confidence))
    return 0.0 if "e" in exact else float(exact[:4])


def lowest(confidences: Iterable[float]) -> float:
    """A brief's confidence: the lowest of its questions', rounded down; 0.0 of none."""
    return rounded_down(min(confidences, default=0.0))


def assemble(
    title: str, answers: Sequence[Answer], *, verdict: str, verified_at: float, researcher: str = "source"
) -> BriefRecord:
    """The brief of these answers, with its machine twin; the riskiest answer decides the staleness, the weakest the confidence."""
    risk = max((answer.staleness for answer in answers), key=lambda one: RISKS.index(one.risk), default=Staleness(HIGH))
    brief = Brief(
        title,
        tuple(answer.question for answer in answers),
        tuple(answer.findings for answer in answers),
        verdict,
        lowest(answer.confidence for answer in answers),
        risk,
        SourcesRead(*(sum(counts) for counts in zip(*(answer.sources for answer in answers), strict=True))),
    )
    return BriefRecord(
        brief,
        verified_at,
        researcher,
        tuple(
            citation._replace(question=number)
            for number, answer in enumerate(answers, 1)
            for citation in answer.citations
        ),
        tuple(dict.fromkeys(pin for answer in answers for pin in answer.pins)),
        tuple(rounded_down(answer.confidence) for answer in answers),
    )


def auto_finding(files: int) -> str:
    """The one finding of an auto-brief: `auto: 1 file, no library named`."""
    return f"auto: {files} file{'' if files == 1 else 's'}, no library named"


def auto_brief(task: str, question: str, *, files: int) -> Brief:
    """The brief of a task that names no library and fewer than 2 files: nothing had to be researched.

    Raises:
        UsageError: The task names 2 files or more.

    """
    if files > 1:
        raise UsageError(f"a task with {files} files needs research, not an auto-brief")
    finding = Finding(auto_finding(files))
    staleness = Staleness(LOW, "no library named")
    return Brief(task, (question,), ((finding,),), "No library to research; go on.", 1.0, staleness, SourcesRead(files))


def checked_task_id(task: str) -> str:
    """The task id itself: letters, digits, `.`, `_`, `-`, at most 64, so that it can be a file name.

    Raises:
        UsageError: The text is no task id.

    """
    if not _TASK_ID.fullmatch(task):
        raise UsageError(
            f"{task[:80]!r} is not a task id", todo="Use letters, digits, '.', '_' and '-', at most 64 of them."
        )
    return task


def read_record(data: bytes, path: str) -> BriefRecord:
    """The machine twin in these bytes.

    Raises:
        UnreadableError: The bytes are not the JSON of a twin.

    """
    import json

    try:
        return BriefRecord.from_dict(json.loads(data))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise UnreadableError(
            f"not the record of a brief ({type(error).__name__}: {error})", place=Place(path)
        ) from None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{type(value).__name__} where a text is due")
    return value


def _share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError("a confidence is a number in 0..1")
    return float(value)


def _staleness(record: Mapping[str, Any]) -> Staleness:
    if record["risk"] not in RISKS:
        raise ValueError("a staleness risk is low, medium or high")
    return Staleness(record["risk"], _text(record["reason"]))


def _optional(value: object) -> str | None:
    return None if value is None else _text(value)


def _package(values: Sequence[object]) -> PackageId:
    ecosystem, name, version = values
    return PackageId(_text(ecosystem), _text(name), _optional(version))


def _citation(record: Mapping[str, Any]) -> Citation:
    first, last, question = (int(record[key]) for key in ("first", "last", "question"))
    package = record["package"]
    return Citation(
        _text(record["file"]),
        first,
        last,
        question,
        _optional(record["sha256"]),
        None if package is None else _package(package),
    )


def _pin(record: Mapping[str, Any]) -> Pin:
    package = _package([record["ecosystem"], record["name"], record["version"]])
    return Pin(package, *(_optional(record[key]) for key in Pin._fields[1:]))

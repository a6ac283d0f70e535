"""The Markdown of a brief: `parse_brief` reads what people and models write, `render_brief` writes the contract's one shape.

    brief = parse_brief(text, "state/briefs/task-0417.md")     # InvalidBriefError holds every fault with its line
    assert parse_brief(render_brief(brief)) == brief

The reader takes CRLF, other dashes, blank lines, any order of the last sections and any bullet. It is strict in what must be
there: questions, a finding for each, a verdict, a confidence in 0..1, a staleness risk. A heading of the brief counts
wherever it stands at the beginning of a line, in a code block too, because the shell's `grep '^## Confidence:'` sees it
there: a second one is a fault, so that no quoted text can speak for the brief.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from briefkit.errors import Place, UnreadableError
from briefkit.text import one_line, safe_text

from .brief import (
    RISKS,
    Brief,
    Fault,
    Finding,
    InvalidBriefError,
    Section,
    SourcesRead,
    Staleness,
    rounded_down,
)

SIZE_LIMIT = 1 << 20
QUESTION_LIMIT = 100

_TITLE = re.compile(r"#[ \t]*research brief\b[ \t]*[:–—-]?[ \t]*(.*)", re.IGNORECASE)
_SECTION = re.compile(
    r"##[ \t]*(questions?|findings?|verdict|confidence|sources? read|staleness(?: risk)?)[ \t]*(?::(.*)|[ \t]*$)",
    re.IGNORECASE,
)
_OTHER = re.compile(r"##[ \t]+(.*)")
_FOR_QUESTION = re.compile(r"#{3,4}[ \t]*(?:question|q)?[ \t]*([0-9]{1,3})\b[.:)]?.*", re.IGNORECASE)
_QUESTION = re.compile(r"[ \t]{0,3}(?:[0-9]{1,3}[.)]|q[0-9]{1,3}[.:)]|[-*+])[ \t]+(.*)", re.IGNORECASE)
_BULLET = re.compile(r"(?:[-*+]|[0-9]{1,3}[.)])[ \t]+(.*)")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_CONFIDENCE = re.compile(r"([0-9]{0,6}\.?[0-9]{1,20})(?:[ \t]+[^0-9/%–—-].*)?")
_COUNT = re.compile(r"([0-9]{1,9})[ \t]+(file|changelog|web)", re.IGNORECASE)
_RISK = re.compile(r"(low|medium|high)\b[ \t]*(.*)", re.IGNORECASE)
_ESCAPED = re.compile(r"\\+#")
_ESCAPABLE = re.compile(r"\\*#")

_CANONICAL = {
    "question": "questions",
    "finding": "findings",
    "source read": "sources read",
    "staleness": "staleness risk",
}
_NEEDED = ("questions", "findings", "verdict", "confidence", "staleness risk")
_ONE_LINERS = ("confidence", "sources read", "staleness risk")


class _Block(NamedTuple):
    """A section as it stands in the text: the heading's line and rest, and its numbered lines."""

    line: int
    rest: str
    body: list[tuple[int, str]]


def parse_brief(text: str, path: str = "brief") -> Brief:
    """The brief that a Markdown text says.

    Raises:
        InvalidBriefError: Something that must be there is missing or malformed; holds every fault with its line.
        UnreadableError: The text is larger than a brief can be.

    """
    if len(text) > SIZE_LIMIT:
        raise UnreadableError(
            f"brief has {len(text):,} characters, more than the {SIZE_LIMIT:,} that are read", place=Place(path)
        )
    return _Parser(text).brief(path)


def render_brief(brief: Brief) -> str:
    """The Markdown of a brief, in the contract's shape; characters that a terminal may act on are shown as `u{…}` with a backslash."""
    lines = [f"# Research brief: {one_line(brief.title)}".rstrip(": "), "", "## Questions"]
    lines += [f"{number}. {one_line(question, 2000)}" for number, question in enumerate(brief.questions, 1)]
    lines += ["", "## Findings"]
    for number, points in enumerate(brief.findings, 1):
        lines += [f"### Q{number}", *(line for point in points for line in _rendered_point(point)), ""]
    lines += ["## Verdict", *_rendered_text(brief.verdict), ""]
    lines.append(f"## Confidence: {rounded_down(brief.confidence)}")
    lines.append(f"## Sources read: {brief.sources}")
    staleness = Staleness(brief.staleness.risk, one_line(brief.staleness.reason))
    lines.append(f"## Staleness risk: {staleness}")
    for section in brief.extras:
        lines += ["", f"## {one_line(section.title)}", *_rendered_text(section.text)]
    return safe_text("\n".join(lines)) + "\n"


def _rendered_point(point: Finding) -> list[str]:
    first, *further = _clean_lines(point.text)
    return [f"- {first}", *(f"  {line}" if line else "" for line in further)]


def _rendered_text(text: str) -> list[str]:
    return ["\\" + line if _ESCAPABLE.match(line) else line for line in _clean_lines(text)]


def _clean_lines(text: str) -> list[str]:
    """The lines of a text as both reader and writer see them: no white space at their ends, no blank ones outside, fences closed."""
    lines = [line.rstrip() for line in _unified(text).strip().split("\n")]
    fence: str | None = None
    for line in lines:
        fence = _fence_after(line, fence)
    return lines if fence is None else [*lines, fence]


def _unified(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


class _Parser:
    """One reading of one text; collects faults as it goes."""

    def __init__(self, text: str) -> None:
        self.lines = [line.rstrip() for line in _unified(text).split("\n")]
        self.faults: list[Fault] = []
        self.title = ""
        self.blocks: dict[str, _Block] = {}
        self.extras: list[tuple[str, _Block]] = []

    def brief(self, path: str) -> Brief:
        self._cut()
        questions = self._questions()
        brief = Brief(
            self.title,
            tuple(questions),
            self._findings(len(questions)),
            self._verdict(),
            self._confidence(),
            self._staleness(),
            self._sources(),
            tuple(Section(title, _joined(block.body)) for title, block in self.extras),
        )
        if self.faults:
            raise InvalidBriefError(path, sorted(self.faults))
        return brief

    def _fault(self, line: int, what: str) -> None:
        self.faults.append(Fault(line, what))

    def _cut(self) -> None:
        """Cut the lines into sections."""
        body: list[tuple[int, str]] = []
        fence: str | None = None
        for number, line in enumerate(self.lines, 1):
            if found := _SECTION.fullmatch(line):
                body, fence = self._open(number, found), None
            elif fence is None and not self.title and (found := _TITLE.fullmatch(line)):
                self.title = found.group(1).strip()
            elif fence is None and (found := _OTHER.fullmatch(line)):
                body = []
                self.extras.append((found.group(1).strip(), _Block(number, "", body)))
            else:
                fence = _fence_after(line, fence)
                body.append((number, line))
        for name in _NEEDED:
            if name not in self.blocks:
                self._fault(len(self.lines), f"no section '## {name.capitalize()}'")

    def _open(self, number: int, found: re.Match[str]) -> list[tuple[int, str]]:
        """Begin a section of the brief; a second one of the same name is a fault and is read into nothing."""
        name = found.group(1).lower().replace("\t", " ")
        name = _CANONICAL.get(name, name)
        block = _Block(number, (found.group(2) or "").strip(), [])
        if name in self.blocks:
            self._fault(
                number, f"a second section '## {name.capitalize()}' (the first is line {self.blocks[name].line})"
            )
        else:
            self.blocks[name] = block
        return block.body

    def _body(self, name: str) -> list[tuple[int, str]]:
        block = self.blocks.get(name)
        if block is None:
            return []
        rest = [(block.line, block.rest)] if block.rest and name not in _ONE_LINERS else []
        return rest + block.body

    def _questions(self) -> list[str]:
        questions: list[str] = []
        for _, line in self._body("questions"):
            if found := _QUESTION.fullmatch(line):
                questions.append(found.group(1).strip())
            elif line.strip():
                # a question may be broken over lines, and a lone one may stand without a number
                questions[-1:] = [f"{questions[-1]} {line.strip()}".strip() if questions else line.strip()]
        self._judge_questions(questions)
        return questions

    def _judge_questions(self, questions: list[str]) -> None:
        block = self.blocks.get("questions")
        if block is None:
            return
        if not any(questions):
            self._fault(block.line, "no question")
        elif not all(questions):
            self._fault(block.line, f"question {questions.index('') + 1} is empty")
        if len(questions) > QUESTION_LIMIT:
            self._fault(block.line, f"{len(questions)} questions, more than the {QUESTION_LIMIT} that are read")
            del questions[QUESTION_LIMIT:]

    def _findings(self, count: int) -> tuple[tuple[Finding, ...], ...]:
        block = self.blocks.get("findings")
        if block is None:
            return ()
        # a single question needs no heading of its own
        at = {1: block.line} if count == 1 else {}
        points: dict[int, list[list[str]]] = {1: []} if count == 1 else {}
        current = points.get(1)
        fence: str | None = None
        last = block.line
        for number, line in self._body("findings"):
            if found := _FOR_QUESTION.fullmatch(line):
                fence = None
                current = self._for_question(number, int(found.group(1)), count, points, at)
                continue
            if line:
                last = number
                if current is None:
                    self._fault(number, "a finding that stands under no question ('### Q1' is missing)")
                    current = []
            if current is not None:
                _add_line(current, line, in_fence=fence is not None)
            fence = _fence_after(line, fence)
        for question in range(1, count + 1):
            if not points.get(question):
                self._fault(at.get(question, last), f"no finding for question {question}")
        return tuple(
            tuple(Finding(_text_of(lines)) for lines in points.get(question, ())) for question in range(1, count + 1)
        )

    def _for_question(
        self, number: int, question: int, count: int, points: dict[int, list[list[str]]], at: dict[int, int]
    ) -> list[list[str]]:
        if not 1 <= question <= count:
            self._fault(number, f"findings for question {question}, and there are {count} questions")
            return []
        at[question] = number
        return points.setdefault(question, [])

    def _verdict(self) -> str:
        text = _joined(self._body("verdict"))
        if not text and "verdict" in self.blocks:
            self._fault(self.blocks["verdict"].line, "the verdict is empty")
        return text

    def _one_liner(self, name: str) -> tuple[int, str] | None:
        """The line and text of a section that is one line; what stands under it is kept as notes."""
        block = self.blocks.get(name)
        if block is None:
            return None
        if below := _joined(block.body):
            self.extras.append(("Notes", _Block(block.line, "", [(block.line, below)])))
        return block.line, block.rest

    def _confidence(self) -> float:
        if (block := self._one_liner("confidence")) is None:
            return 0.0
        line, rest = block
        found = _CONFIDENCE.fullmatch(rest)
        if found is None or not 0 <= (confidence := float(found.group(1))) <= 1:
            said = f"'{one_line(rest, 60)}'" if rest else "empty"
            self._fault(line, f"the confidence is {said}, not a number in 0..1 (write '## Confidence: 0.9')")
            return 0.0
        return rounded_down(confidence)

    def _staleness(self) -> Staleness:
        if (block := self._one_liner("staleness risk")) is None:
            return Staleness(RISKS[-1])
        line, rest = block
        found = _RISK.fullmatch(rest)
        if found is None:
            said = f"'{one_line(rest, 60)}'" if rest else "empty"
            self._fault(line, f"the staleness risk is {said}, not low, medium or high")
            return Staleness(RISKS[-1])
        reason = found.group(2).strip(" \t,;:–—-")
        if reason.startswith("(") and reason.endswith(")"):
            reason = reason[1:-1].strip()
        return Staleness(found.group(1).lower(), reason)

    def _sources(self) -> SourcesRead:
        _, rest = self._one_liner("sources read") or (0, "")
        counts = {word.lower(): int(number) for number, word in _COUNT.findall(rest)}
        return SourcesRead(counts.get("file", 0), counts.get("changelog", 0), counts.get("web", 0))


def _fence_after(line: str, fence: str | None) -> str | None:
    """The fence that is open after this line: a closing one is of the same sign and at least as long."""
    found = _FENCE.match(line)
    if found is None:
        return fence
    marks = found.group(1)
    if fence is None:
        return marks
    closes = marks[0] == fence[0] and len(marks) >= len(fence) and line.strip() == marks
    return None if closes else fence


def _add_line(points: list[list[str]], line: str, *, in_fence: bool) -> None:
    """Add a line of the findings to the points of its question: a bullet begins one, all else goes on with the last."""
    found = None if in_fence else _BULLET.fullmatch(line)
    if found:
        points.append([found.group(1)])
    elif points:
        points[-1].append(line)
    elif line:
        points.append([line])


def _text_of(lines: list[str]) -> str:
    """The text of a point: its further lines without the two columns that the bullet takes."""
    first, *further = lines
    return "\n".join([first.strip(), *(line.removeprefix("  ") for line in further)]).strip()


def _joined(body: list[tuple[int, str]]) -> str:
    """The text of a section without its outer blank lines and without the writer's escapes."""
    return "\n".join(line[1:] if _ESCAPED.match(line) else line for _, line in body).strip()

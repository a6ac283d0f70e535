"""A research pass: the source researcher first, then, where one is configured, an agent whose brief is checked before it counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from briefkit.briefs.brief import Answer, BriefRecord, InvalidBriefError, assemble, rounded_down
from briefkit.briefs.evidence import collect_citations, judge
from briefkit.briefs.gate import brief_paths, twin_of
from briefkit.briefs.markdown import parse_brief, render_brief
from briefkit.research.briefing import write_brief

from .advance import Researched
from .outcomes import BAD_OUTPUT, DONE, PASSING, WROTE_FILES, Caps, Request, Result
from .prompts import researcher_prompt
from .tree_hash import changed, tree_hashes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from briefkit.briefs.brief import Brief
    from briefkit.briefs.evidence import World
    from briefkit.research.ask import Asked

    from .outcomes import Agent
    from .task_file import Task


class Knowledge(Protocol):
    """What a research pass asks of the project: a brief from the source researcher, and the facts to judge one by."""

    @property
    def root(self) -> str:
        """The absolute project root."""

    @property
    def state_dir(self) -> str:
        """The absolute folder of tasks and briefs."""

    def ask(
        self, questions: Sequence[str], *, libraries: Sequence[str], task: str | None, fresh: bool, depth: int
    ) -> Asked:
        """The source researcher's brief, written for the task."""

    def world(self) -> World:
        """The facts that a brief is judged by."""

    def source_folders(self, names: Sequence[str]) -> tuple[str, ...]:
        """Where the installed source of these libraries lies."""


def research(
    knowledge: Knowledge,
    task: Task,
    depth: int,
    weak: tuple[str, ...],
    *,
    agent: Agent | None,
    caps: Caps,
    alive: Callable[[], bool],
    log_dir: str | None,
) -> Researched:
    """Research a task's questions and write its brief; `agent` None is the source researcher alone."""
    markdown, _ = brief_paths(knowledge.state_dir, task.id)
    before = _read_places(twin_of(markdown))
    asked = knowledge.ask(
        task.questions or (task.title,), libraries=task.libraries, task=task.id, fresh=depth > 0, depth=depth
    )
    data: dict[str, Any] = {
        "role": "researcher",
        "depth": depth,
        "hit": asked.hit,
        "keys": [served.key for _, _, served in asked.served if served.key],
        "reused": sum(served.hit for _, _, served in asked.served),
        "answers": len(asked.served),
    }
    record, failure, passing = asked.record, "", False
    if agent is not None:
        result, better = _ask_agent(knowledge, task, record, weak, agent, caps, alive, log_dir)
        data["run"] = result.to_dict()
        failure = "" if result.outcome == DONE else f"{result.outcome}: {result.reason}"
        passing = result.outcome in PASSING
        if better is not None:
            record = better
            write_brief(knowledge.state_dir, task.id, record)
    new = bool(_read_places(record) - before)
    return Researched(new, data, failure, passing)


def _read_places(record: BriefRecord | None) -> set[tuple[str, int, int]]:
    """What a brief had read: its cited lines."""
    return {one.key for one in record.citations} if record is not None else set()


def _ask_agent(
    knowledge: Knowledge,
    task: Task,
    record: BriefRecord,
    weak: tuple[str, ...],
    agent: Agent,
    caps: Caps,
    alive: Callable[[], bool],
    log_dir: str | None,
) -> tuple[Result, BriefRecord | None]:
    """The agent's run and its brief, checked; None where it failed, wrote files, or printed no brief."""
    folders = knowledge.source_folders([*task.libraries, *(pin.package.name for pin in record.pins)])
    prompt = researcher_prompt(render_brief(record.brief), task, weak)
    before = tree_hashes(knowledge.root, knowledge.state_dir)
    result = agent.run(Request("researcher", prompt, knowledge.root, caps, folders, log_dir), alive=alive)
    wrote = changed(before, tree_hashes(knowledge.root, knowledge.state_dir))
    if wrote:
        names = ", ".join(wrote[:10])
        return result._replace(outcome=WROTE_FILES, reason=f"a researcher may not write, and it changed {names}"), None
    if result.outcome != DONE:
        return result, None
    try:
        brief = parse_brief(_brief_in(result.text), f"{agent.name}'s answer")
    except InvalidBriefError as error:
        return result._replace(outcome=BAD_OUTPUT, reason=str(error)), None
    return result, checked_record(brief, record, knowledge.world(), agent.name)


def checked_record(brief: Brief, source: BriefRecord, world: World, researcher: str) -> BriefRecord:
    """An agent's brief as it may count: its citations hashed as they are now, its confidence capped by what they carry.

    The questions, pins and staleness are those of the source researcher: they are facts, and an agent has no say in them.
    """
    texts = [[finding.text for finding in points] for points in brief.findings]
    citations = [collect_citations(own, world, number) for number, own in enumerate(texts, 1)]
    judgement = judge(brief, world)
    answers = [
        Answer(
            question,
            points,
            rounded_down(min(brief.confidence, judged.confidence)),
            cited,
            source.pins if number == 0 else (),
            brief.sources if number == 0 else type(brief.sources)(),
            source.brief.staleness,
        )
        for number, (question, points, judged, cited) in enumerate(
            zip(brief.questions, brief.findings, judgement.questions, citations, strict=True)
        )
    ]
    return assemble(
        source.brief.title, answers, verdict=brief.verdict, verified_at=source.verified_at, researcher=researcher
    )


def _brief_in(text: str) -> str:
    """The brief within an agent's answer: from its first heading on, without what was said before it or a fence round it."""
    lines = text.replace("\r\n", "\n").split("\n")
    start = next((at for at, line in enumerate(lines) if line.lstrip().lower().startswith("# research brief")), 0)
    if start and lines[start - 1].strip().startswith("```"):
        end = next((at for at in range(len(lines) - 1, start, -1) if lines[at].strip() == "```"), len(lines))
        return "\n".join(lines[start:end])
    return "\n".join(lines[start:])

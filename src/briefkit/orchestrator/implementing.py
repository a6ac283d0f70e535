"""The one place where an implementer is started. It demands an open gate's pass, and the pass names the brief it was given for."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from briefkit.errors import BriefkitError, Place, UnreadableError
from briefkit.paths import read_bytes

from .outcomes import Caps, Request, Result
from .prompts import healing_prompt, implementer_prompt

if TYPE_CHECKING:
    from collections.abc import Callable

    from briefkit.briefs.gate import Decision

    from .outcomes import Agent
    from .task_file import Task

BRIEF_LIMIT = 1 << 20


class GateClosedError(BriefkitError):
    """Work was about to start without an open gate."""


class GatePass:
    """Proof that the gate was open for one task and one brief; only `pass_through` makes one."""

    __slots__ = ("brief", "brief_path", "confidence", "digest", "task")

    def __init__(self, task: str, brief_path: str, brief: bytes, confidence: float) -> None:
        self.task = task
        self.brief_path = brief_path
        self.brief = brief
        self.digest = hashlib.sha256(brief).hexdigest()
        self.confidence = confidence


class Desk(NamedTuple):
    """Where an implementer works, what it may take, and where its logs go."""

    directory: str
    caps: Caps
    log_dir: str | None = None


def pass_through(decide: Callable[[], Decision], brief_path: str) -> GatePass:
    """A pass for the brief as it lies there, where the gate decides now that it is open.

    The brief is read before and after the decision: a file that was swapped meanwhile gets no pass.

    Raises:
        GateClosedError: The gate is closed, or the brief is gone or changed while it decided.

    """
    before = _brief_at(brief_path)
    decision = decide()
    if not decision.open:
        raise GateClosedError(f"the gate is closed for '{decision.task}' ({decision.reason})", place=Place(brief_path))
    if _brief_at(brief_path) != before:
        raise GateClosedError("the brief changed while the gate decided", place=Place(brief_path))
    return GatePass(decision.task, brief_path, before, decision.confidence or 0.0)


def _brief_at(path: str) -> bytes:
    try:
        return read_bytes(path, BRIEF_LIMIT)
    except UnreadableError as error:
        raise GateClosedError(f"the brief cannot be read ({error})", place=Place(path)) from None


def start_implementer(
    gate_pass: GatePass,
    agent: Agent,
    task: Task,
    desk: Desk,
    *,
    task_path: str,
    alive: Callable[[], bool],
    failure: str | None = None,
) -> Result:
    """Run the implementer with the brief, verbatim; `failure` is what the verify command said of the last attempt.

    Raises:
        GateClosedError: The pass is another task's.

    """
    if gate_pass.task != task.id:
        raise GateClosedError(
            f"the pass is for '{gate_pass.task}', not for '{task.id}'", place=Place(gate_pass.brief_path)
        )
    brief = gate_pass.brief.decode("utf-8")
    if failure is None:
        prompt = implementer_prompt(brief, task, task_path)
    else:
        prompt = healing_prompt(brief, task, task_path, failure)
    return agent.run(Request("implementer", prompt, desk.directory, desk.caps, log_dir=desk.log_dir), alive=alive)

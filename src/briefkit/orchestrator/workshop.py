"""The house in which tasks are advanced: the state's store, the task files, the agents and the project, wired to `advance`."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Protocol

from briefkit.briefs.brief import auto_brief
from briefkit.briefs.gate import TaskFacts, brief_paths
from briefkit.briefs.markdown import render_brief
from briefkit.errors import UsageError
from briefkit.paths import write_whole

from . import states
from .advance import Researched, Verified
from .auto import auto_files
from .implementing import Desk, pass_through, start_implementer
from .processes import run_program
from .researching import Knowledge, research
from .task_file import Task, read_task, render_task, task_path

if TYPE_CHECKING:
    from collections.abc import Callable

    from briefkit.briefs.gate import Decision
    from briefkit.briefs.index import BriefIndex
    from briefkit.projects.project import Project
    from briefkit.projects.resolution import Resolution
    from briefkit.research.library import Library

    from .outcomes import Agent, Caps, Result
    from .state_store import StateStore, TaskRow


class ChangedTaskError(UsageError):
    """A task's file is not the one that the state took in; `task retry` takes it as it is now."""


class Repository(Knowledge, Protocol):
    """The project as the workshop needs it: what research asks of it, and its gate."""

    @property
    def project(self) -> Project:
        """The project's lockfiles and trees."""

    def gate(self, task: str, *, facts: TaskFacts | None = None) -> Decision:
        """Whether work on a task may start."""

    def index(self) -> BriefIndex:
        """The brief index."""

    def resolutions(self) -> tuple[Resolution, ...]:
        """All direct dependencies."""

    def api(self, name: str) -> Library:
        """What a package really offers."""


class Workshop:
    """Everything that advancing a task needs; implements the `House` port."""

    def __init__(
        self,
        repository: Repository,
        store: StateStore,
        *,
        researcher: Agent | None,
        implementer: Agent | None,
        caps: Caps,
        verify_seconds: float,
        alive: Callable[[], bool] = lambda: True,
    ) -> None:
        self.repository = repository
        self.store = store
        self._researcher = researcher
        self._implementer = implementer
        self._caps = caps
        self._verify_seconds = verify_seconds
        self._alive = alive

    def task(self, row: TaskRow) -> Task:
        """The task's file.

        Raises:
            ChangedTaskError: It is not the file that this state took in: what it says runs nothing until `task retry`.

        """
        task = read_task(self.repository.state_dir, row.id)
        if task_digest(task) != row.digest:
            raise ChangedTaskError(
                f"the file of task '{row.id}' was changed by something else",
                todo=f"Look at it, then: briefkit task retry {row.id}",
            )
        return task

    def waits_for(self, task: Task) -> tuple[str, ...]:
        """The tasks among its dependencies that are not done."""
        done = {row.id for row in self.store.tasks() if row.state == states.DONE}
        return tuple(one for one in task.depends if one not in done)

    def auto_brief(self, task: Task) -> bool:
        """Write the auto-brief where the task needs no research; whether it did."""
        files = auto_files(task, self.repository.project)
        if files is None:
            return False
        brief = auto_brief(task.id, task.questions[0] if task.questions else task.title, files=files)
        path, twin = brief_paths(self.repository.state_dir, task.id)
        if os.path.lexists(twin):
            os.unlink(twin)
        write_whole(path, render_brief(brief))
        return True

    def research(self, task: Task, depth: int, weak: tuple[str, ...]) -> Researched:
        """One research pass; see `researching.research`."""
        return research(
            self.repository,
            task,
            depth,
            weak,
            agent=self._researcher,
            caps=self._caps,
            alive=self._alive,
            log_dir=self._log_dir(task, f"research-{depth}"),
        )

    def gate(self, task: Task, row: TaskRow) -> Decision:
        """The gate's decision with the facts of this task's state."""
        return self.repository.gate(task.id, facts=facts_of(row, task, self.repository.project))

    def implement(self, task: Task, row: TaskRow, failure: str | None) -> Result:
        """Start the implementer with a pass of the gate.

        Raises:
            UsageError: No implementer is configured.
            GateClosedError: The gate is closed now.

        """
        if self._implementer is None:
            raise UsageError(
                "no implementer", todo="Name one with --implementer NAME, of [agents.NAME] in your configuration."
            )
        path, _ = brief_paths(self.repository.state_dir, task.id)
        gate_pass = pass_through(lambda: self.gate(task, row), path)
        return start_implementer(
            gate_pass,
            self._implementer,
            task,
            Desk(self.repository.root, self._caps, self._log_dir(task, f"implement-{row.heals}")),
            task_path=task_path(self.repository.state_dir, task.id),
            alive=self._alive,
            failure=failure,
        )

    def verify(self, task: Task) -> Verified:
        """Run the task's own command in the project's root; without one nothing was proved, and that is no failure."""
        if task.verify is None:
            return Verified(passed=True, output="no verify command")
        done = run_program(
            ("/bin/sh", "-c", task.verify),
            directory=self.repository.root,
            seconds=self._verify_seconds,
            alive=self._alive,
        )
        output = done.stdout + done.stderr
        if done.ended:
            output += f"\nended: {done.ended}"
        return Verified(passed=done.code == 0 and not done.ended, output=output, seconds=done.seconds)

    def _log_dir(self, task: Task, step: str) -> str:
        return os.path.join(self.repository.state_dir, "runs", task.id, step)


def task_digest(task: Task) -> str:
    """A hash of all that a task's file says but its disagreement."""
    return hashlib.sha256(render_task(task._replace(disagreement="")).encode()).hexdigest()


def facts_of(row: TaskRow, task: Task, project: Project) -> TaskFacts:
    """What the gate asks of a task's state."""
    status = row.state if row.state in (states.DISPUTED, states.NEEDS_HUMAN) else None
    return TaskFacts(status, row.refinements, lambda: auto_files(task, project))

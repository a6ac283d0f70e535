"""The orchestrator of one repo, opened: its store, its agents by name, its runner. The edges call this, and nothing below it."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from briefkit.errors import BriefkitError, UsageError

from .agents.command import CommandAgent
from .figures import Figures, figures_of
from .outcomes import Caps
from .run import Limits, Runner
from .state_store import StateStore
from .task_file import read_task
from .workshop import Workshop, facts_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from briefkit.briefs.gate import TaskFacts
    from briefkit.settings import Settings

    from .outcomes import Agent
    from .run import Step
    from .workshop import Repository

SOURCE = "source"
STATE_FILE = "state.db"


class Board:
    """The tasks of one repo."""

    def __init__(self, repository: Repository, settings: Settings, *, clock: Callable[[], float] = time.time) -> None:
        self.repository = repository
        self._settings = settings
        self._clock = clock

    @property
    def state_path(self) -> str:
        """The file that holds the tasks' state."""
        return os.path.join(self.repository.state_dir, STATE_FILE)

    def store(self) -> StateStore:
        """The tasks' state; the caller closes it."""
        return StateStore(self.state_path, self._clock)

    def agent(self, name: str) -> Agent | None:
        """The agent of that name: None is the source researcher, which needs none.

        Raises:
            UsageError: The user's configuration has no such agent.

        """
        if name in ("", SOURCE):
            return None
        configured = self._settings.agents.get(name)
        if configured is not None and configured.get("kind", "command") == "command":
            return CommandAgent(name, configured["argv"])
        if name == "claude" or (configured is not None and configured.get("kind") == "claude"):
            from .agents.claude import ClaudeAgent

            return ClaudeAgent(name, configured["argv"] if configured else ("claude",))
        known = ", ".join([SOURCE, "claude", *self._settings.agents])
        raise UsageError(
            f"no agent '{name}'",
            todo=f"There are: {known}; [agents.{name}] argv = [...] in your configuration makes one.",
        )

    def runner(
        self,
        *,
        report: Callable[[Step], None],
        researcher: str | None = None,
        implementer: str | None = None,
        max_cost: float | None = None,
        max_tokens: int | None = None,
    ) -> Runner:
        """The loop over this repo's tasks, with these agents and caps.

        Raises:
            UsageError: An agent is not configured.

        """
        settings = self._settings
        reading = self.agent(settings["researcher"] if researcher is None else researcher)
        writing = self.agent(settings["implementer"] if implementer is None else implementer)
        caps = Caps(settings["max_turns"], settings["max_cost"], settings["agent_timeout_s"])

        def workshop(alive: Callable[[], bool]) -> Workshop:
            return Workshop(
                self.repository,
                self.store(),
                researcher=reading,
                implementer=writing,
                caps=caps,
                verify_seconds=settings["verify_timeout_s"],
                alive=alive,
            )

        return Runner(
            workshop, limits=Limits(settings["max_cost"] if max_cost is None else max_cost, max_tokens), report=report
        )

    def facts(self, task_id: str) -> TaskFacts | None:
        """What the tasks' state says of a task for the gate; None of a task that it does not know."""
        if not os.path.lexists(self.state_path):
            return None
        store = self.store()
        try:
            row = next((one for one in store.tasks() if one.id == task_id), None)
        finally:
            store.close()
        if row is None:
            return None
        return facts_of(row, read_task(self.repository.state_dir, task_id), self.repository.project)

    def end_answers(self, keys: list[str]) -> list[str]:
        """End these answers in the index; those that were there."""
        ended = []
        with self.repository.index() as index:
            for key in keys:
                try:
                    ended += [str(entry.key) for entry in index.find(key) if index.delete(entry.key.id)]
                except BriefkitError:
                    continue
        return ended

    def figures(self) -> Figures:
        """The method's figures over all tasks."""
        store = self.store()
        try:
            return figures_of(store.tasks(), store.events(), self._is_absent)
        finally:
            store.close()

    def _is_absent(self, owner: str, name: str) -> bool:
        """Whether one of the repo's own libraries has the owner and lacks the name."""
        first = owner.split(".", maxsplit=1)[0]
        names = dict.fromkeys([first, *(one.name for one in self.repository.resolutions())])
        for library in names:
            try:
                found: Any = self.repository.api(library)
                tries = [f"{owner}.{name}"] if library != first else [f"{owner}.{name}", name]
                if found.table is not None and any(
                    found.answer(one).answer == "absent" for one in tries if self._has(found, owner)
                ):
                    return True
            except BriefkitError:
                continue
        return False

    @staticmethod
    def _has(library: Any, owner: str) -> bool:  # noqa: ANN401 - a library of the research floor
        return owner in library.import_names or library.answer(owner).answer == "exists"

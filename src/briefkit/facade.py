"""`Repo`: one directory, and every question that can be asked of it. Wires the floors; holds no rule."""

from __future__ import annotations

import os
import time

from briefkit.records import TYPE_CHECKING

from .projects.project import open_project
from .settings import Settings, cache_directory, load_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from .briefs.evidence import World
    from .briefs.gate import BriefCheck, Decision, TaskFacts
    from .briefs.index import BriefIndex
    from .orchestrator.board import Board
    from .projects.location import Located
    from .projects.project import Project
    from .projects.resolution import Resolution
    from .research.ask import Asked
    from .research.library import Library
    from .research.world import ProjectWorld

DAY = 86400.0


class Repo:
    """A repo seen from one of its directories.

    Everything is read on demand and kept for the life of the object: open a new one to see changes on disk.
    """

    def __init__(self, project: Project, settings: Settings) -> None:
        self.project = project
        self.settings = settings
        self._libraries: dict[tuple[str, str | None, str | None], Library] = {}

    @property
    def root(self) -> str:
        """The absolute project root that paths are relative to."""
        return self.project.repo

    @property
    def cache_dir(self) -> str:
        """Where caches lie."""
        return cache_directory(self.settings)

    def resolve(
        self, name: str, importer: str | None = None, *, ecosystem: str | None = None
    ) -> tuple[Resolution, ...]:
        """The resolutions of a name as the directory, or the importer, sees them; empty where it is neither locked nor installed."""
        return self.project.resolve(name, importer=importer, ecosystem=ecosystem)

    def resolutions(self, importer: str | None = None, *, everything: bool = False) -> tuple[Resolution, ...]:
        """All direct dependencies of the importer, or everything locked or installed."""
        return self.project.resolutions(importer=importer, everything=everything)

    def locate(self, name: str, importer: str | None = None, *, ecosystem: str | None = None) -> Located:
        """Where the source of a package lies."""
        return self.project.locate(name, importer=importer, ecosystem=ecosystem)

    def api(self, name: str, importer: str | None = None, *, ecosystem: str | None = None) -> Library:
        """What a package really offers: `.symbols()`, `.answer(symbol)`, `.search(words)`."""
        key = (name, importer, ecosystem)
        if key not in self._libraries:
            from .research.library import open_library

            self._libraries[key] = open_library(
                self.project, name, importer=importer, ecosystem=ecosystem, cache_dir=self.cache_dir
            )
        return self._libraries[key]

    def ask(
        self,
        questions: Sequence[str],
        *,
        libraries: Sequence[str] = (),
        task: str | None = None,
        fresh: bool = False,
        depth: int = 0,
        importer: str | None = None,
        now: float | None = None,
    ) -> Asked:
        """A brief that answers the questions; with `task` it is also written under the state folder.

        `now` is POSIX time (default: the clock's). `fresh` researches again, past the index; so does a `depth` over 0, which also
        reads documentation (1) and tests and examples (2) of the libraries.

        Raises:
            BriefkitError: A question, library or file of the project is not usable.

        """
        from .research.ask import Asker
        from .research.briefing import write_brief
        from .research.indexed import Plan, open_answers

        at = time.time() if now is None else now
        clock = time.time if now is None else lambda: at
        world = self._world(importer).world
        answering = open_answers(
            self.index_url,
            world,
            namespace=self.settings["namespace"],
            ttl=self.settings["ttl_days"] * DAY,
            plan=Plan(fresh=fresh, depth=depth),
            clock=clock,
        )
        asker = Asker(
            self.project,
            world,
            answering,
            importer=importer,
            cache_dir=self.cache_dir,
            state_dir=self.settings["state_dir"],
        )
        try:
            asked = asker.ask(
                questions,
                title=task or "questions",
                now=at,
                libraries=libraries,
                max_tokens=self.settings["max_tokens"],
            )
        finally:
            answering.close()
        asked = asked._replace(notices=tuple(answering.notices))
        if task is not None:
            write_brief(self.state_dir, task, asked.record)
        return asked

    @property
    def state_dir(self) -> str:
        """The absolute folder of tasks and briefs."""
        return os.path.join(self.root, self.settings["state_dir"])

    @property
    def index_url(self) -> str:
        """The URL of the brief index: the one that is set, else an sqlite file in the cache directory."""
        return self.settings["index"] or "sqlite:" + os.path.join(self.cache_dir, "index.sqlite")

    def index(self) -> BriefIndex:
        """The brief index; nothing is opened before it is used, and a caller closes it (`with repo.index() as index`).

        Raises:
            UsageError: The URL is of no known kind.
            IndexUnavailableError: The store's package is not installed.

        """
        from .research.indexed import open_own_index

        return open_own_index(self.index_url, namespace=self.settings["namespace"], ttl=self.settings["ttl_days"] * DAY)

    def gate(self, task: str, *, now: float | None = None, facts: TaskFacts | None = None) -> Decision:
        """Whether work on a task may start; `facts` are what the task's state says (default: as it is).

        Raises:
            UsageError: The text is no task id.

        """
        from .briefs.gate import Gate

        gate = Gate(
            self.state_dir,
            self._world(None).world,
            min_confidence=self.settings["min_confidence"],
            ttl=self.settings["ttl_days"] * DAY,
        )
        facts = self.board().facts(task) if facts is None else facts
        return gate.decide(task, now=time.time() if now is None else now, facts=facts)

    def briefs(self) -> list[dict[str, Any]]:
        """The briefs in the state folder, in order of their tasks: confidence, questions, when verified."""
        from .research.briefing import list_briefs

        return list_briefs(self.state_dir, self.root)

    def board(self) -> Board:
        """The tasks of this repo, and the loop that moves them."""
        from .orchestrator.board import Board

        return Board(self, self.settings)

    def world(self) -> World:
        """The facts of this project that a brief is judged by."""
        return self._world(None).world

    def source_folders(self, names: Sequence[str]) -> tuple[str, ...]:
        """The absolute folders where the installed source of these libraries lies; what is not installed is left out."""
        roots = []
        for name in dict.fromkeys(names):
            found = next((one.copy for one in self.resolve(name) if one.copy is not None), None)
            if found is not None:
                roots.append(found.root if os.path.isdir(found.root) else os.path.dirname(found.root))
        return tuple(dict.fromkeys(roots))

    def check_brief(self, path: str, *, shown: str | None = None) -> BriefCheck:
        """A brief's file parsed, its citations read again, its confidence computed again.

        Raises:
            UnreadableError: The file cannot be read.

        """
        from .briefs.gate import check_brief, twin_of
        from .briefs.markdown import SIZE_LIMIT
        from .paths import read_text

        text = read_text(path, SIZE_LIMIT, shown)
        return check_brief(text, shown or path, self._world(None).world, twin_of(path))

    def _world(self, importer: str | None) -> ProjectWorld:
        from .research.world import ProjectWorld

        return ProjectWorld(self.project, cache_dir=self.cache_dir, importer=importer)

    def resolve_dict(self, resolutions: Sequence[Resolution], importer: str | None = None) -> dict[str, Any]:
        """The JSON of `resolve` for these resolutions."""
        first = resolutions[0].importer if resolutions else importer or self.project.importer()
        return {
            "repo": self.root.replace(os.sep, "/"),
            "importer": first,
            "resolutions": [one.to_dict() for one in resolutions],
            "skipped": [one.to_dict() for one in self.project.skipped],
            "conflicts": [one.to_dict() for one in self.project.conflicts],
        }


def open_repo(
    path: str | os.PathLike[str] = ".",
    *,
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
) -> Repo:
    """The repo seen from a directory.

    Raises:
        UnreadableError: The path is no directory.
        UsageError: A setting is of the wrong type or range.

    """
    directory = os.path.abspath(os.fspath(path))
    environ = os.environ if environ is None else environ
    project = open_project(directory, environ=environ)
    settings = load_settings(project.repo, flags=flags, environ=environ)
    if settings["python"]:
        project = open_project(directory, environ=environ, python=settings["python"])
    return Repo(project, settings)

"""`Repo`: one directory, and every question that can be asked of it. Wires the floors; holds no rule."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .projects.project import open_project
from .settings import Settings, cache_directory, load_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .briefs.gate import Gate
    from .briefs.index import BriefIndex
    from .projects.location import Located
    from .projects.project import Project
    from .projects.resolution import Resolution
    from .research.ask import Asked
    from .research.library import Library


class Repo:
    """A repo seen from one of its directories.

    Everything is read on demand and kept for the life of the object: open a new one to see changes on disk.
    """

    def __init__(self, project: Project, settings: Settings) -> None:
        self.project = project
        self.settings = settings
        self._index: BriefIndex | None = None
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

"""Projects for tests of resolve and locate: samples laid as a repo of their own, and answers in a form that is easy to compare."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, NamedTuple

from briefkit.projects.project import Project, open_project

if TYPE_CHECKING:
    from pathlib import Path

    from briefkit.projects.resolution import Resolution

SAMPLES = os.path.join(os.path.dirname(__file__), "..", "projects", "samples")


class Short(NamedTuple):
    """What matters most in a resolution."""

    name: str
    version: str | None
    state: str
    alias: str | None = None


def lay_sample(folder: Path, name: str) -> Path:
    """A sample copied into a folder, which becomes the root of a repo."""
    repo = folder / "repo"
    shutil.copytree(os.path.join(SAMPLES, name), repo)
    (repo / ".git").mkdir()
    return repo


def project_at(folder: Path) -> Project:
    """The project seen from a folder, by the environment of the test."""
    return open_project(str(folder))


def short(resolutions: tuple[Resolution, ...]) -> list[Short]:
    """The resolutions, each as what matters most in it."""
    return [Short(each.name, each.version, each.state, each.alias) for each in resolutions]


def versions(resolutions: tuple[Resolution, ...]) -> set[tuple[str, str | None]]:
    """The names and locked versions of resolutions."""
    return {(each.name, each.locked_version) for each in resolutions}

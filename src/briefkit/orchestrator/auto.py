"""When nothing has to be researched: the task names one file, and no library that is locked, installed, quoted or imported in it."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from briefkit.errors import BriefkitError
from briefkit.paths import is_within, read_text
from briefkit.research.questions import read_question
from briefkit.research.recognise import libraries_in, unknown_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from briefkit.projects.project import Project

    from .task_file import Task

_FILE_LIMIT = 1 << 20
_PYTHON_IMPORT = re.compile(
    r"(?m)^\s*(?:import\s+([A-Za-z_][\w.]*(?:\s*,\s*[A-Za-z_][\w.]*)*)|from\s+([A-Za-z_][\w.]*)\s+import\b)"
)
_SCRIPT_IMPORT = re.compile(r"""(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)["']([^"'\n]+)["']""")


def auto_files(task: Task, project: Project) -> int | None:
    """How many files the task names where it needs no research, else None.

    A file that cannot be read, or lies outside the repo, is not judged: research it is.
    """
    if len(task.files) != 1 or task.libraries:
        return None
    said = " ".join([task.title, task.text, *task.questions])
    question = read_question(said)
    if libraries_in(question, project) or unknown_names(question):
        return None
    imported = _imports_of(task.files[0], project)
    if imported is None or any(_is_package(name, project) for name in imported):
        return None
    return len(task.files)


def _imports_of(file: str, project: Project) -> tuple[str, ...] | None:
    """The names that a file imports; none of a file that is yet to be written, None where it cannot be read."""
    path = os.path.normpath(os.path.join(project.repo, file))
    if not is_within(os.path.realpath(path), os.path.realpath(project.repo)):
        return None
    if not os.path.lexists(path):
        return ()
    try:
        text = read_text(path, _FILE_LIMIT, file)
    except BriefkitError:
        return None
    return tuple(dict.fromkeys(_imports_in(text)))


def _imports_in(text: str) -> Iterator[str]:
    for plain, source in _PYTHON_IMPORT.findall(text):
        for name in re.split(r"\s*,\s*", plain) if plain else [source]:
            yield name.partition(".")[0]
    for name in _SCRIPT_IMPORT.findall(text):
        if not name.startswith((".", "/", "node:")):
            yield name


def _is_package(name: str, project: Project) -> bool:
    try:
        return bool(project.resolve(name))
    except BriefkitError:
        return True

"""The lockfiles of a project, each read once, and only where it lies inside its root."""

from __future__ import annotations

import os

from briefkit.records import TYPE_CHECKING

from ..errors import Place, UnreadableError
from ..lockfiles.files import read_lockfile
from ..paths import is_within, shown_path

if TYPE_CHECKING:
    from ..lockfiles.reading import LockfileReading


# The formats of names that fit one alone, so that the table of all formats need not be asked.
_FORMATS = {
    "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
    "pnpm-lock.yaml": "pnpm",
    "bun.lock": "bun",
    "uv.lock": "uv",
    "poetry.lock": "poetry",
    "pdm.lock": "pdm",
    "Pipfile.lock": "pipenv",
}


class Readings:
    """What the lockfiles say, read at the first question for each."""

    def __init__(self) -> None:
        self._read: dict[str, LockfileReading] = {}

    def read(self, path: str, root: str, repo: str, form: str | None = None) -> LockfileReading:
        """The lockfile at an absolute path; messages show it relative to `repo`, `form` is its format where its name may not say.

        Raises:
            UnreadableError: It cannot be read, or is a link that leaves `root`.

        """
        if path not in self._read:
            shown = shown_path(path, repo)
            if os.path.islink(path) and not is_within(os.path.realpath(path), root):
                raise UnreadableError(
                    "a link that leaves the project, which is not followed",
                    place=Place(shown),
                    todo="Put the file itself there, or ask in the folder it lies in",
                )
            form = form or _FORMATS.get(os.path.basename(path))
            self._read[path] = read_lockfile(path, shown=shown, format=form)
        return self._read[path]

    def all(self) -> tuple[LockfileReading, ...]:
        """Those that were read so far, in the order of reading."""
        return tuple(self._read.values())

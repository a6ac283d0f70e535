"""The files that requirements include (`-r`, `-c`), followed inside the project's root, each once.

A constraint pins what is installed for another reason; it adds nothing by itself.
"""

from __future__ import annotations

import os

from briefkit.records import TYPE_CHECKING, NamedTuple

from ..errors import UnreadableError
from ..packages import Skipped
from ..paths import is_within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..lockfiles.reading import Include, LockfileReading

MOST_FILES = 200


class Included(NamedTuple):
    """An included file: its absolute path, what it says, and whether it only constrains."""

    path: str
    reading: LockfileReading
    constraint: bool


class Includes:
    """The walk from some requirements files through what they include."""

    def __init__(self, root: str, read: Callable[[str], LockfileReading]) -> None:
        self.root = root
        self._read = read
        self.skipped: list[Skipped] = []

    def followed(self, files: Iterable[tuple[str, LockfileReading]]) -> Iterator[Included]:
        """Each file that these include, directly or through others, once, and none of these again."""
        pending = [(path, reading, False) for path, reading in files]
        seen = {os.path.realpath(path) for path, _, _ in pending}
        while pending:
            path, reading, constraint = pending.pop(0)
            for include in reading.includes:
                target = self._target(path, include, reading.path)
                if target is None or os.path.realpath(target) in seen:
                    continue
                seen.add(os.path.realpath(target))
                if len(seen) > MOST_FILES:
                    self.skipped.append(
                        Skipped(include.path, include.line, f"more than {MOST_FILES} files are included")
                    )
                    return
                try:
                    included = Included(target, self._read(target), constraint or include.kind == "constraint")
                except UnreadableError as error:
                    self.skipped.append(Skipped(include.path, include.line, f"included by {reading.path}: {error}"))
                    continue
                yield included
                pending.append(included)

    def _target(self, path: str, include: Include, shown: str) -> str | None:
        """The absolute path of an included file; None, with the reason in `skipped`, where it is not followed."""
        if "://" in include.path:
            self.skipped.append(
                Skipped(include.path, include.line, f"included by {shown}: an address, which is not fetched")
            )
            return None
        target = os.path.normpath(os.path.join(os.path.dirname(path), include.path))
        if "\0" in target or not is_within(os.path.realpath(target), self.root):
            self.skipped.append(Skipped(include.path, include.line, f"included by {shown}: outside the project"))
            return None
        return target

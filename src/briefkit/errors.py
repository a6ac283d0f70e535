"""The errors briefkit raises, all of them values of one tree.

BriefkitError                 exit code 2
├── UnreadableError           an input that is not what it says it is, or is over a bound
│   └── UnknownFormatError    a lockfile format, or a major version of one, that is not read
├── UsageError                a question that cannot be asked so
│   ├── UnknownImporterError  a workspace member that the lockfile does not name
│   └── AmbiguousNameError    a name that is in both ecosystems
├── IndexUnavailableError     the brief index is down or not what it should be
├── AgentError                exit code 4: an agent or adapter failed
└── CapReachedError           exit code 5: a budget or cap was reached
"""

from __future__ import annotations

from briefkit.records import NamedTuple


class Place(NamedTuple):
    """Where in an input something is: its path, line (from 1, or None) and key path (or None)."""

    path: str
    line: int | None = None
    key: str | None = None

    def __str__(self) -> str:
        """`path:line`, or the path alone where no line is known."""
        return self.path if self.line is None else f"{self.path}:{self.line}"


class BriefkitError(Exception):
    """The base of every error that briefkit raises; `str()` is one line, ready to print."""

    exit_code = 2

    def __init__(self, what: str, *, place: Place | None = None, todo: str | None = None) -> None:
        self.what = what
        self.place = place
        self.todo = todo
        super().__init__(what)

    def __str__(self) -> str:
        """One line: `path:line: what is wrong, in 'key.path'. What to do.`."""
        parts = []
        if self.place is not None:
            parts.append(f"{self.place}: ")
        parts.append(self.what)
        if self.place is not None and self.place.key:
            parts.append(f", in '{self.place.key}'")
        if self.todo:
            parts.append(f". {self.todo}")
        return " ".join("".join(parts).splitlines())


class UnreadableError(BriefkitError):
    """An input is missing, malformed, of the wrong type or over a bound."""


class UnknownFormatError(UnreadableError):
    """A lockfile is of a format, or of a major version of one, that briefkit does not read."""


class UsageError(BriefkitError):
    """The question cannot be asked in this way."""


class UnknownImporterError(UsageError):
    """No lockfile of the repo names this workspace member."""


class AmbiguousNameError(UsageError):
    """The name is in both ecosystems, and the command answers for one."""


class IndexUnavailableError(BriefkitError):
    """The brief index cannot be opened, or does not answer in time."""


class AgentError(BriefkitError):
    """An agent or adapter failed."""

    exit_code = 4


class CapReachedError(BriefkitError):
    """A cap on turns, cost, tokens or time was reached."""

    exit_code = 5

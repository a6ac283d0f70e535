"""What may come of an agent's run: a closed set, whatever the agent's own words for it are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

DONE = "done"
RATE_LIMITED = "rate-limited"
OUT_OF_TURNS = "out-of-turns"
OUT_OF_BUDGET = "out-of-budget"
OUT_OF_TIME = "out-of-time"
OUT_OF_CONTEXT = "out-of-context"
NOT_AUTHORISED = "not-authorised"
REFUSED = "refused"
WROTE_FILES = "wrote-files"
WRONG_TOOLS = "wrong-tools"
BAD_OUTPUT = "bad-output"
NOT_STARTED = "not-started"
FAILED = "failed"
INTERRUPTED = "interrupted"

OUTCOMES = (
    DONE,
    RATE_LIMITED,
    OUT_OF_TURNS,
    OUT_OF_BUDGET,
    OUT_OF_TIME,
    OUT_OF_CONTEXT,
    NOT_AUTHORISED,
    REFUSED,
    WROTE_FILES,
    WRONG_TOOLS,
    BAD_OUTPUT,
    NOT_STARTED,
    FAILED,
    INTERRUPTED,
)
# These come back by themselves: the task stays where it is and is tried again at a later tick.
PASSING = frozenset((RATE_LIMITED, INTERRUPTED))


class Caps(NamedTuple):
    """What one run of an agent may take: turns, US dollars, seconds of wall clock. There is no unlimited."""

    turns: int = 40
    cost: float = 2.0
    seconds: float = 900.0


class Usage(NamedTuple):
    """What a run took; `input_tokens` counts cached ones too, as the OpenTelemetry conventions do."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    turns: int = 0
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        """All tokens, in and out."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: object) -> Usage:
        """Both runs together."""
        if not isinstance(other, Usage):
            return NotImplemented
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost + other.cost,
            self.turns + other.turns,
            self.seconds + other.seconds,
        )


class Request(NamedTuple):
    """What an agent is asked: its role (`researcher`, `implementer`), the prompt, the folder it works in, and its caps.

    `readable` are further folders that a reading agent may open (where the installed source lies); `log_dir` takes prompt, raw
    stream and stderr.
    """

    role: str
    prompt: str
    directory: str
    caps: Caps = Caps()
    readable: tuple[str, ...] = ()
    log_dir: str | None = None


class Result(NamedTuple):
    """What came of a run: an outcome of the closed set, the agent's text, what it took, and why it failed where it did."""

    outcome: str
    text: str = ""
    usage: Usage = Usage()
    reason: str = ""
    session: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The run as an event holds it: figures and reason, not the text."""
        return {"outcome": self.outcome, "reason": self.reason, "session": self.session, **self.usage._asdict()}


class Agent(Protocol):
    """Whoever does a step: `source` has no model, `command` is any program, `claude` is one program with its own stream."""

    name: str

    def run(self, request: Request, *, alive: Callable[[], bool]) -> Result:
        """Do it; `alive` is asked from time to time, and False means stop at once."""

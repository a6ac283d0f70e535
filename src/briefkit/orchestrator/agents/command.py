"""The `command` adapter: any program that takes the prompt on standard input and prints text, or one JSON object.

JSON may say `text` (or `result`), `outcome`, `input_tokens`, `output_tokens`, `cost`, `turns`, `session`. An outcome that is none of the
closed set, or a success that the exit code denies, counts as failed.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from ..outcomes import (
    BAD_OUTPUT,
    DONE,
    FAILED,
    INTERRUPTED,
    NOT_STARTED,
    OUT_OF_BUDGET,
    OUT_OF_TIME,
    OUT_OF_TURNS,
    OUTCOMES,
    Request,
    Result,
    Usage,
)
from ..processes import Finished, run_program
from .logs import write_logs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_ENDED = {"time": OUT_OF_TIME, "interrupted": INTERRUPTED, "output": BAD_OUTPUT}


class CommandAgent:
    """An agent that is a program of the user's own configuration."""

    def __init__(self, name: str, argv: Sequence[str]) -> None:
        self.name = name
        self._argv = tuple(argv)

    def run(self, request: Request, *, alive: Callable[[], bool]) -> Result:
        """Run the program in the request's folder with the prompt on its standard input."""
        environment = {
            **os.environ,
            "BRIEFKIT_ROLE": request.role,
            "BRIEFKIT_MAX_TURNS": str(request.caps.turns),
            "BRIEFKIT_MAX_COST": str(request.caps.cost),
        }
        done = run_program(
            self._argv,
            directory=request.directory,
            stdin=request.prompt,
            seconds=request.caps.seconds,
            alive=alive,
            environment=environment,
        )
        write_logs(request, done)
        return _capped(_result_of(done), request)


def _result_of(done: Finished) -> Result:
    usage = Usage(seconds=done.seconds)
    if done.code is None:
        return Result(NOT_STARTED, usage=usage, reason=done.stderr)
    if done.ended:
        return Result(_ENDED[done.ended], done.stdout, usage, f"ended: {done.ended}")
    record = _object_in(done.stdout)
    if record is not None:
        return _from_record(record, done, usage)
    if done.code != 0:
        return Result(FAILED, done.stdout, usage, f"exit code {done.code}: {_last_line(done.stderr)}")
    return Result(DONE, done.stdout, usage)


def _object_in(text: str) -> dict[str, Any] | None:
    """The one JSON object that the output is, None where it is text."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _from_record(record: dict[str, Any], done: Finished, usage: Usage) -> Result:
    text = record.get("text", record.get("result", ""))
    if not isinstance(text, str):
        return Result(BAD_OUTPUT, "", usage, "its text is no text")
    usage = Usage(
        _count(record.get("input_tokens")),
        _count(record.get("output_tokens")),
        float(_number(record.get("cost"))),
        _count(record.get("turns")),
        done.seconds,
    )
    outcome = record.get("outcome", DONE if done.code == 0 else FAILED)
    reason = str(record.get("reason", ""))
    if outcome not in OUTCOMES:
        return Result(FAILED, text, usage, f"unknown outcome {outcome!r:.60}")
    if outcome == DONE and done.code != 0:
        return Result(FAILED, text, usage, f"says done, and its exit code is {done.code}")
    return Result(outcome, text, usage, reason, str(record.get("session", "")))


def _capped(result: Result, request: Request) -> Result:
    """A run over its caps is no success, whatever it says of itself."""
    if result.outcome == DONE and result.usage.cost > request.caps.cost:
        return result._replace(outcome=OUT_OF_BUDGET, reason=f"cost {result.usage.cost:g} of {request.caps.cost:g}")
    if result.outcome == DONE and result.usage.turns > request.caps.turns:
        return result._replace(outcome=OUT_OF_TURNS, reason=f"{result.usage.turns} turns of {request.caps.turns}")
    return result


def _count(value: object) -> int:
    return int(_number(value))


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15 else 0.0


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1][:200]

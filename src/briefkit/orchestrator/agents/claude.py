"""The `claude` adapter: the agent's own command line, headless, with a stream of JSON lines, read-only by construction.

A researcher gets only the tools that read; what the stream's first frame says it has must be a subset of them, or the run is refused.
The result frame's words are mapped to our own closed set: it is known to call a rate limit a success.
"""

from __future__ import annotations

import json
import os
import uuid
from typing import TYPE_CHECKING, Any

from ..outcomes import (
    BAD_OUTPUT,
    DONE,
    FAILED,
    INTERRUPTED,
    NOT_AUTHORISED,
    NOT_STARTED,
    OUT_OF_BUDGET,
    OUT_OF_CONTEXT,
    OUT_OF_TIME,
    OUT_OF_TURNS,
    RATE_LIMITED,
    REFUSED,
    WRONG_TOOLS,
    Request,
    Result,
    Usage,
)
from ..processes import Finished, run_program
from .logs import write_logs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

READING_TOOLS = ("Read", "Grep", "Glob", "WebSearch", "WebFetch")
_WRITING_TOOLS = ("Edit", "Write", "NotebookEdit", "Bash", "Agent", "Skill")
_IMPLEMENTING_TOOLS = ("Read", "Grep", "Glob", "Edit", "Write", "NotebookEdit", "Bash")
# Structured output is asked for by a tool of the agent's own, which reads and writes nothing.
_HARMLESS = frozenset(("StructuredOutput",))
_LINE_LIMIT = 8 << 20

_BY_TERMINAL = {
    "max_turns": OUT_OF_TURNS,
    "budget_exhausted": OUT_OF_BUDGET,
    "prompt_too_long": OUT_OF_CONTEXT,
    "rapid_refill_breaker": OUT_OF_CONTEXT,
    "aborted_streaming": INTERRUPTED,
    "aborted_tools": INTERRUPTED,
    "structured_output_retry_exhausted": BAD_OUTPUT,
    "malformed_tool_use_exhausted": BAD_OUTPUT,
    "stop_hook_prevented": REFUSED,
    "hook_stopped": REFUSED,
    "blocking_limit": RATE_LIMITED,
}
_BY_SUBTYPE = {
    "error_max_turns": OUT_OF_TURNS,
    "error_max_budget_usd": OUT_OF_BUDGET,
    "error_max_structured_output_retries": BAD_OUTPUT,
}
_BY_STATUS = {
    401: NOT_AUTHORISED,
    403: NOT_AUTHORISED,
    413: OUT_OF_CONTEXT,
    429: RATE_LIMITED,
    529: RATE_LIMITED,
    503: RATE_LIMITED,
}


class ClaudeAgent:
    """The agent behind its headless command line."""

    def __init__(self, name: str, argv: Sequence[str]) -> None:
        self.name = name
        self._argv = tuple(argv)

    def run(self, request: Request, *, alive: Callable[[], bool]) -> Result:
        """Run it with the prompt on its standard input; a researcher's tools are checked before its answer counts."""
        session = str(uuid.uuid4())
        done = run_program(
            [*self._argv, *arguments(request, session)],
            directory=request.directory,
            stdin=request.prompt,
            seconds=request.caps.seconds,
            alive=alive,
            # A nested start fails at once where the parent's mark is in the environment.
            environment={
                name: value
                for name, value in os.environ.items()
                if name not in ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT")
            },
        )
        write_logs(request, done)
        return result_of(done, request, session)


def arguments(request: Request, session: str) -> list[str]:
    """The arguments of a run: headless, capped, isolated from the user's and the project's own settings, tools by role."""
    reading = request.role == "researcher"
    tools = ",".join(READING_TOOLS if reading else _IMPLEMENTING_TOOLS)
    found = ["-p", "--output-format", "stream-json", "--verbose", "--session-id", session]
    found += ["--tools", tools, "--allowedTools", tools]
    if reading:
        found += ["--disallowedTools", ",".join(_WRITING_TOOLS)]
    found += ["--permission-mode", "dontAsk" if reading else "acceptEdits", "--permission-prompts", "none"]
    found += ["--strict-mcp-config", "--setting-sources="]
    for folder in request.readable:
        found += ["--add-dir", folder]
    return [*found, "--max-turns", str(request.caps.turns), "--max-budget-usd", f"{request.caps.cost:g}"]


def result_of(done: Finished, request: Request, session: str) -> Result:
    """What a run came to, from its stream, its exit code and how it ended."""
    if done.code is None:
        return Result(NOT_STARTED, reason=done.stderr, session=session)
    frames = list(_frames(done.stdout))
    first = next((frame for frame in frames if frame.get("type") == "system" and frame.get("subtype") == "init"), None)
    last = next((frame for frame in reversed(frames) if frame.get("type") == "result"), None)
    usage = usage_of(last or {}, done.seconds)
    if done.ended:
        outcome = {"time": OUT_OF_TIME, "interrupted": INTERRUPTED}.get(done.ended, BAD_OUTPUT)
        return Result(outcome, usage=usage, reason=f"ended: {done.ended}", session=session)
    if request.role == "researcher" and (wrong := _wrong_tools(first)):
        return Result(WRONG_TOOLS, usage=usage, reason=wrong, session=session)
    if last is None:
        tail = (done.stderr.strip().splitlines() or ["no result frame"])[-1][:200]
        return Result(FAILED, usage=usage, reason=f"exit code {done.code}: {tail}", session=session)
    outcome, reason = outcome_of(last, done.code)
    text = last.get("result")
    return Result(outcome, text if isinstance(text, str) else "", usage, reason, session)


def outcome_of(frame: dict[str, Any], code: int) -> tuple[str, str]:
    """The result frame in our own words, with the reason; a frame that says success and error at once is an error."""
    status = frame.get("api_error_status")
    terminal = str(frame.get("terminal_reason") or "")
    subtype = str(frame.get("subtype") or "")
    said = str(frame.get("result") or "")[:200]
    if isinstance(status, int) and status in _BY_STATUS:
        return _BY_STATUS[status], f"status {status}: {said}"
    if terminal in _BY_TERMINAL:
        return _BY_TERMINAL[terminal], terminal
    if subtype in _BY_SUBTYPE:
        return _BY_SUBTYPE[subtype], subtype
    if frame.get("is_error") or subtype != "success" or terminal not in ("", "completed"):
        limited = "rate limit" in said.lower() or "usage limit" in said.lower()
        return (RATE_LIMITED if limited else FAILED), f"{terminal or subtype}: {said}"
    if code != 0:
        return FAILED, f"says success, and its exit code is {code}"
    if frame.get("permission_denials"):
        return DONE, f"{len(frame['permission_denials'])} tool calls were denied"
    return DONE, ""


def usage_of(frame: dict[str, Any], seconds: float) -> Usage:
    """What a run took; the agent's `input_tokens` leave out cached ones, which are added here."""
    usage = frame.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    parts = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return Usage(
        sum(_whole(usage.get(part)) for part in parts),
        _whole(usage.get("output_tokens")),
        float(frame["total_cost_usd"]) if isinstance(frame.get("total_cost_usd"), int | float) else 0.0,
        _whole(frame.get("num_turns")),
        seconds,
    )


def _wrong_tools(first: dict[str, Any] | None) -> str:
    """Why the tools that the agent has are not only reading ones, empty where they are."""
    if first is None:
        return "the stream does not say which tools there are"
    tools = first.get("tools")
    if not isinstance(tools, list):
        return "the first frame does not say which tools there are"
    more = sorted(str(tool) for tool in tools if tool not in READING_TOOLS and tool not in _HARMLESS)
    return f"it has tools that a researcher may not have: {', '.join(more[:10])}" if more else ""


def _frames(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects of the stream, a line each; a cut or foreign line is passed over."""
    for line in text.splitlines():
        if not line.startswith("{") or len(line) > _LINE_LIMIT:
            continue
        try:
            frame = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(frame, dict):
            yield frame


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0

"""Programs started, watched and ended whole: the one place of the orchestrator that starts a process.

A child gets a process group of its own, so that ending it ends what it started; its output goes to files, bounded, so that no pipe
fills up and no reader hangs.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from typing import IO, TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

OUTPUT_LIMIT = 32 << 20
_POLL_SECONDS = 0.05
_GRACE_SECONDS = 2.0


class Finished(NamedTuple):
    """What came of a program: its exit code (None: it could not be started), output, why it was ended, and seconds taken."""

    code: int | None
    stdout: str
    stderr: str
    ended: str = ""
    seconds: float = 0.0


def run_program(
    argv: Sequence[str],
    *,
    directory: str,
    stdin: str = "",
    seconds: float,
    alive: Callable[[], bool] = lambda: True,
    environment: Mapping[str, str] | None = None,
) -> Finished:
    """The program run to its end, or ended after `seconds`, or when `alive` says False, or when it writes too much.

    `ended` is then `time`, `interrupted` or `output`; the whole process group is gone when this returns.
    """
    start = time.monotonic()
    with tempfile.TemporaryFile() as feed, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        feed.write(stdin.encode("utf-8", "surrogatepass"))
        feed.seek(0)
        try:
            child = subprocess.Popen(
                list(argv), cwd=directory, stdin=feed, stdout=out, stderr=err, env=environment, start_new_session=True
            )
        except OSError as error:
            return Finished(None, "", f"{argv[0]}: {(error.strerror or str(error)).lower()}")
        try:
            ended = _watch(child, (out, err), start + seconds, alive)
        finally:
            _end_group(child)
        return Finished(child.returncode, _text(out), _text(err), ended, time.monotonic() - start)


def _watch(
    child: subprocess.Popen[bytes], outputs: Sequence[IO[bytes]], deadline: float, alive: Callable[[], bool]
) -> str:
    """Wait for the child; why it has to be ended before its own end, or nothing."""
    next_look = 0.0
    while True:
        try:
            child.wait(_POLL_SECONDS)
        except subprocess.TimeoutExpired:
            pass
        else:
            return ""
        now = time.monotonic()
        if now >= deadline:
            return "time"
        if any(os.fstat(output.fileno()).st_size > OUTPUT_LIMIT for output in outputs):
            return "output"
        if now >= next_look:
            if not alive():
                return "interrupted"
            next_look = now + 1.0


def _end_group(child: subprocess.Popen[bytes]) -> None:
    """End all of the child's group: asked first, then killed; what it left running in the background goes too."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(child.pid, sign)
        except (ProcessLookupError, PermissionError):
            break
        try:
            child.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            continue
        if sign is signal.SIGTERM:
            # The leader is gone; those of its group that ignored the request are killed without waiting.
            continue
    child.wait()


def _text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read(OUTPUT_LIMIT).decode("utf-8", "replace")

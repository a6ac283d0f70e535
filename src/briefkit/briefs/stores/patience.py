"""Waiting for SQLite's lock: short, uneven pauses until a deadline of our own.

SQLite's own waiting sleeps up to a tenth of a second between looks, and among several writers a reader may find the file locked at
every one of them until its time is up.
"""

from __future__ import annotations

import sqlite3
import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_Outcome = TypeVar("_Outcome")
_FIRST, _LAST = 0.0005, 0.01


def is_busy(error: Exception) -> bool:
    """Whether another connection holds the lock, and waiting may help."""
    name = getattr(error, "sqlite_errorname", None) or ""
    return isinstance(error, sqlite3.OperationalError) and name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


def patiently(call: Callable[[], _Outcome], seconds: float, busy: Callable[[Exception], bool] = is_busy) -> _Outcome:
    """The outcome of the call, tried again while the lock is held elsewhere; its error when the time is up, or any other error."""
    ends = time.monotonic() + seconds
    pause = _FIRST
    while True:
        try:
            return call()
        except Exception as error:
            if not busy(error) or time.monotonic() >= ends:
                raise
        # uneven by the clock: importing `random` would cost more than most lookups
        time.sleep(pause * (0.5 + time.perf_counter_ns() % 1000 / 1000))
        pause = min(pause * 1.5, _LAST)

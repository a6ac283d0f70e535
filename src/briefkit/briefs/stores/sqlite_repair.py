"""An index file that is damaged is moved aside, by exactly one process, and a new one begins.

Only what can be researched again is kept in it, so nothing is lost but time; the damaged file stays beside it for whoever wants
to look. A sound database of somebody else is never touched.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def set_aside(path: str, is_sound: Callable[[sqlite3.Connection], bool]) -> str | None:
    """Move a damaged file away and return where to; None where it is sound, which another process may have seen to."""
    with _exclusively(path + ".repair"):
        if not os.path.exists(path) or not _is_damaged(path, is_sound):
            return None
        aside = f"{path}.corrupt-{time.time_ns()}"
        # the journal belongs to the damaged file: left behind, it would be played back into the new one
        with contextlib.suppress(OSError):
            os.replace(path + "-journal", aside + "-journal")
        try:
            os.replace(path, aside)
        except OSError:
            return None
        return aside


def _is_damaged(path: str, is_sound: Callable[[sqlite3.Connection], bool]) -> bool:
    try:
        connection = sqlite3.connect(path, timeout=5, isolation_level=None)
    except sqlite3.Error:
        return True
    try:
        return not is_sound(connection)
    except sqlite3.OperationalError:
        # locked by a process that is at work on it: not for us to move
        return False
    except sqlite3.DatabaseError:
        return True
    finally:
        connection.close()


@contextlib.contextmanager
def _exclusively(path: str) -> Iterator[None]:
    """Hold a lock file while the block runs; the kernel frees it where the process dies."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except OSError:
        yield
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)

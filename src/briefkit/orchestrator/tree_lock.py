"""One step at a time holds the working tree: a lock on a file, given back by the system when its holder dies.

Whoever waits looks again and again instead of sleeping in the system, so that an interrupted run ends at once.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from briefkit.errors import BriefkitError, Place
from briefkit.paths import reason_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_POLL_SECONDS = 0.05


@contextmanager
def tree_lock(state_dir: str, alive: Callable[[], bool]) -> Iterator[bool]:
    """Hold the tree of this state folder; waits until it is free. False where `alive` ended the wait.

    Raises:
        BriefkitError: The lock's file cannot be made.

    """
    path = os.path.join(state_dir, "tree.lock")
    try:
        os.makedirs(state_dir, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise BriefkitError(f"cannot be locked: {reason_of(error)}", place=Place(path)) from None
    try:
        while alive():
            if _locked(handle):
                yield True
                return
            time.sleep(_POLL_SECONDS)
        yield False
    finally:
        os.close(handle)


if sys.platform == "win32":
    import msvcrt

    def _locked(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _locked(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

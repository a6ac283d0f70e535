"""One step at a time holds the working tree: a lock on a file, given back by the system when its holder dies."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_POLL_SECONDS = 0.05


@contextmanager
def tree_lock(state_dir: str) -> Iterator[None]:
    """Hold the tree of this state folder; waits until it is free."""
    os.makedirs(state_dir, exist_ok=True)
    handle = os.open(os.path.join(state_dir, "tree.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(handle)
        yield
    finally:
        os.close(handle)


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        while True:
            try:
                msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
            except OSError:
                time.sleep(_POLL_SECONDS)
            else:
                return

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)

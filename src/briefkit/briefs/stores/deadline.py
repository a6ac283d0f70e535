"""A call that knows no timeout of its own, given one: looking up a host's name, opening a session."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_Outcome = TypeVar("_Outcome")


def within(seconds: float, call: Callable[[], _Outcome], discard: Callable[[_Outcome], object]) -> _Outcome:
    """The call's outcome, or its error; what comes too late is discarded.

    Raises:
        TimeoutError: The time is up.

    """
    found: list[_Outcome] = []
    failed: list[Exception] = []
    late = threading.Event()

    def run() -> None:
        try:
            outcome = call()
        except Exception as error:  # noqa: BLE001 - handed to the thread that waits
            failed.append(error)
            return
        if late.is_set():
            discard(outcome)
        else:
            found.append(outcome)

    thread = threading.Thread(target=run, name="briefkit-connect", daemon=True)
    thread.start()
    thread.join(seconds)
    late.set()
    if found:
        return found[0]
    if failed:
        raise failed[0]
    raise TimeoutError("the server does not answer")

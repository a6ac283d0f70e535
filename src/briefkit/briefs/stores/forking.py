"""What a store does in a forked child: it begins anew, and never uses or closes what it inherited.

A connection that the child closed, even at its exit, could roll back the parent's transaction or end the parent's session.
"""

from __future__ import annotations

import os
import weakref
from typing import Protocol


class Forgets(Protocol):
    """A store that can begin anew."""

    def forget(self) -> None:
        """Let go of connections and locks; in a forked child only."""


_alive: dict[int, weakref.ReferenceType[Forgets]] = {}
_registered: list[bool] = []


def forget_after_fork(store: Forgets) -> None:
    """Have the store begin anew in every forked child, as long as it lives."""
    number = id(store)
    _alive[number] = weakref.ref(store, lambda _: _alive.pop(number, None))
    if not _registered and hasattr(os, "register_at_fork"):
        _registered.append(True)
        os.register_at_fork(after_in_child=_forget_all)


def _forget_all() -> None:
    for reference in list(_alive.values()):
        if (inherited := reference()) is not None:
            inherited.forget()


def keep_for_ever(inherited: object) -> None:
    """Never let this object be finalised, not even at exit."""
    import ctypes

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(inherited))

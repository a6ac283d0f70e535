"""Counters of a store on disk: one line of JSON an addition, appended at once, so that counting never waits and never locks."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_COMPACT_AT = 1 << 20
_READ_LIMIT = 8 << 20


def append_counts(path: str, counts: Mapping[str, int]) -> None:
    """Add to the counters; silently nothing where the file cannot be written, since counting is no reason to fail."""
    line = json.dumps(counts, separators=(",", ":")).encode("ascii") + b"\n"
    try:
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except OSError:
        return
    try:
        # one write of one line: appends of several processes do not mix
        os.write(handle, line)
        size = os.fstat(handle).st_size
    except OSError:
        return
    finally:
        os.close(handle)
    if size > _COMPACT_AT:
        _compact(path)


def read_counts(path: str) -> dict[str, int]:
    """The sums of all additions; a line that is none is passed over."""
    try:
        with open(path, "rb") as file:
            lines = file.read(_READ_LIMIT).split(b"\n")
    except OSError:
        return {}
    sums: dict[str, int] = {}
    for line in lines:
        try:
            counts = json.loads(line) if line else {}
            for name, number in counts.items():
                sums[str(name)] = sums.get(str(name), 0) + int(number)
        except (ValueError, TypeError, AttributeError, RecursionError):
            continue
    return sums


def _compact(path: str) -> None:
    """Replace the file by one line of sums; what others append meanwhile may be lost, which counters can bear."""
    sums = json.dumps(read_counts(path), separators=(",", ":")).encode("ascii") + b"\n"
    temporary = f"{path}.{os.getpid()}"
    try:
        with open(temporary, "wb") as file:
            file.write(sums)
        os.replace(temporary, path)
    except OSError:
        return

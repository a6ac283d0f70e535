"""A row as one value, for stores that keep nothing but bytes under a key: a line of JSON, then the entry's own bytes."""

from __future__ import annotations

import json

from .port import Row

_HEAD_LIMIT = 4096


def packed(row: Row) -> bytes:
    """The row without its key, as bytes."""
    head = json.dumps(row[1:6], separators=(",", ":")).encode("ascii")
    return head + b"\n" + row.body


def unpacked(key: str, value: object) -> Row:
    """The row under a key; of what is none, a row without a body, which no check passes."""
    try:
        if not isinstance(value, bytes):
            raise TypeError("bytes")
        head, mark, body = value.partition(b"\n")
        ecosystem, name, version, verified, expires = json.loads(head[:_HEAD_LIMIT])
        return Row(key, str(ecosystem), str(name), str(version), float(verified), float(expires), body if mark else b"")
    except (ValueError, TypeError, RecursionError):
        return Row(key, "", "", "", 0.0, 0.0, b"")


def body_of(value: object) -> bytes:
    """The entry's own bytes in a packed value; empty of what is none."""
    return value.partition(b"\n")[2] if isinstance(value, bytes) else b""

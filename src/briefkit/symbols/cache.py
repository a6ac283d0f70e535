"""Tables kept in the user cache: one file a package copy, in parts that are unpacked only when asked for.

A file is a magic number, a checksum over all that follows, an index, and the parts, each JSON and compressed. Nothing in it is ever
executed. A file that is cut, altered, of another layout or about other source is no error: it is a table that is not there,
and is built again. Writing goes to a file beside it and then takes its place, so a reader sees the old table or the new one.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import zlib

from briefkit.records import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from briefkit.packages import Installed

_MAGIC = b"briefkt1"
_FRAME = struct.Struct("<8sII")  # magic, checksum of the rest, size of the index
TABLE_LIMIT = 256 << 20
PART_LIMIT = 64 << 20
KEPT_BYTES = 768 << 20
_FOLDER = "tables"
_UNSAFE = str.maketrans(dict.fromkeys('/\\:@*?"<>| ', "+"))


class TableFile:
    """One kept table: `head` says what it is about, `part(key)` unpacks one part."""

    __slots__ = ("_body", "_index", "head")

    def __init__(self, head: dict[str, Any], index: dict[str, list[int]], body: memoryview) -> None:
        self.head = head
        self._index = index
        self._body = body

    def __contains__(self, key: str) -> bool:
        return key in self._index

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def part(self, key: str) -> Any:  # noqa: ANN401 - JSON, shaped by the language that wrote it
        """The part as it was written, None where there is none of this key."""
        place = self._index.get(key)
        if place is None:
            return None
        offset, size = place
        return json.loads(zlib.decompressobj().decompress(self._body[offset : offset + size], PART_LIMIT))


def table_path(cache_dir: str, installed: Installed, flavour: str) -> str:
    """Where the table of this copy is kept; `flavour` tells kinds of tables of one copy apart (`python`, `search`)."""
    name = f"{installed.ecosystem}-{installed.name}-{installed.version or 'none'}".translate(_UNSAFE)[:120]
    place = f"{installed.root}\0{installed.inner or ''}\0{installed.name}".encode("utf-8", "surrogatepass")
    return os.path.join(cache_dir, _FOLDER, f"{name}-{zlib.crc32(place):08x}{zlib.adler32(place):08x}.{flavour}")


def read_table(path: str, head: dict[str, Any]) -> TableFile | None:
    """The table kept at `path` where it is whole and each value of `head` is in its own head, else None."""
    data = _read_file(path)
    if data is None or len(data) < _FRAME.size:
        return None
    magic, checksum, size = _FRAME.unpack_from(data)
    body = memoryview(data)[_FRAME.size :]
    if magic != _MAGIC or zlib.crc32(body) != checksum or size > len(body):
        return None
    try:
        found, index = json.loads(bytes(body[:size]))
    except ValueError:
        return None
    if any(found.get(key) != value for key, value in head.items()):
        return None
    return TableFile(found, index, body[size:])


def _read_file(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read() if os.fstat(file.fileno()).st_size <= TABLE_LIMIT else None
    except (OSError, ValueError):
        return None


def pack_table(head: dict[str, Any], parts: Iterable[tuple[str, Any]]) -> bytes:
    """The bytes of a table file; `head` and each part must be JSON values."""
    index: dict[str, list[int]] = {}
    chunks: list[bytes] = []
    offset = 0
    for key, value in parts:
        packed = zlib.compress(to_json(value), 3)
        index[key] = [offset, len(packed)]
        chunks.append(packed)
        offset += len(packed)
    front = to_json([head, index])
    body = b"".join((front, *chunks))
    return _FRAME.pack(_MAGIC, zlib.crc32(body), len(front)) + body


def to_json(value: object) -> bytes:
    """Compact JSON; lone surrogates, which a hostile package may hold, stay as escapes."""
    return json.dumps(value, separators=(",", ":"), check_circular=False).encode("ascii")


def write_table(path: str, head: dict[str, Any], parts: Iterable[tuple[str, Any]]) -> TableFile:
    """The table just packed, kept at `path` where the disk lets us; where it does not, the table is used all the same."""
    data = pack_table(head, parts)
    _replace_file(path, data)
    return _opened(data)


def _replace_file(path: str, data: bytes) -> bool:
    folder = os.path.dirname(path)
    beside = f"{path}.{os.getpid()}.{id(data):x}.new"
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(handle, view) :]
        finally:
            os.close(handle)
        os.replace(beside, path)
    except OSError:
        _forget(beside)
        return False
    _prune(folder)
    return True


def _forget(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return


def _prune(folder: str) -> None:
    """Removes the tables written longest ago while all of them hold more than `KEPT_BYTES`."""
    kept: list[tuple[float, int, str]] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                kept.append((status.st_mtime, status.st_size, entry.path))
    except OSError:
        return
    total = sum(size for _, size, _ in kept)
    for _, size, path in sorted(kept):
        if total <= KEPT_BYTES:
            return
        _forget(path)
        total -= size


def stamp(path: str) -> list[int] | None:
    """Size and modification time of a file or folder, by which it is told whether it changed; None where there is none."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return [status.st_size, status.st_mtime_ns]


def reader_version(schema: int) -> str:
    """What a table depends on beside the source: the reader's own layout, and the Python that wrote it."""
    return f"{schema}.{sys.version_info[0]}.{sys.version_info[1]}"


def in_memory(head: dict[str, Any], parts: Iterable[tuple[str, Any]]) -> TableFile:
    """A table that is kept nowhere."""
    return _opened(pack_table(head, parts))


def _opened(data: bytes) -> TableFile:
    _, _, size = _FRAME.unpack_from(data)
    body = memoryview(data)[_FRAME.size :]
    found, index = json.loads(bytes(body[:size]))
    return TableFile(found, index, body[size:])

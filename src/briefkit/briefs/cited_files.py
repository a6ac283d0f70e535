"""Files behind citations: read once, within bounds, inside zips too; and the hash of cited lines.

read = CitedFiles("/home/me/app")          # what a citation is relative to
read("node_modules/zod/index.d.ts")        # bytes, or None where there is no such file
read("/cache/zod.zip!/node_modules/zod/index.d.ts")
"""

from __future__ import annotations

import os

from briefkit.errors import UnreadableError
from briefkit.paths import read_bytes

from .hashing import sha256_of

FILE_LIMIT = 16 << 20
TOTAL_LIMIT = 256 << 20
ZIP_RATIO = 200


class CitedFiles:
    """Reads files as citations name them: relative to `root`, absolute, or `….zip!/inner`; remembers what it read."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._read: dict[str, bytes | None] = {}
        self._left = TOTAL_LIMIT

    def __call__(self, file: str) -> bytes | None:
        """The bytes of the file; None where it is missing, no regular file, too large, or the budget is spent."""
        if file not in self._read:
            data = self._load(file)
            if data is not None:
                self._left -= len(data)
            self._read[file] = data
        return self._read[file]

    def _load(self, file: str) -> bytes | None:
        limit = min(FILE_LIMIT, self._left)
        path, mark, inner = file.partition(".zip!/")
        try:
            if mark:
                return _read_member(os.path.join(self.root, path + ".zip"), inner, limit)
            return read_bytes(os.path.join(self.root, file), limit)
        except UnreadableError:
            return None


def _read_member(path: str, inner: str, limit: int) -> bytes | None:
    import zipfile

    try:
        if not os.path.isfile(path):
            return None
        with zipfile.ZipFile(path) as archive:
            info = archive.getinfo(inner)
            if info.file_size > limit or info.file_size > ZIP_RATIO * max(info.compress_size, 1024):
                return None
            with archive.open(info) as member:
                data = member.read(limit + 1)
    except (OSError, ValueError, KeyError, NotImplementedError, RuntimeError, EOFError, zipfile.BadZipFile):
        return None
    except Exception as error:
        if type(error).__module__ in ("zlib", "lzma"):
            return None
        raise
    return data if len(data) <= limit else None


def split_lines(data: bytes) -> list[bytes]:
    """The lines of a file without their ends; a last line end begins no line."""
    lines = [line.removesuffix(b"\r") for line in data.split(b"\n")]
    if lines and not lines[-1]:
        lines.pop()
    return lines


def hash_of_lines(data: bytes, first: int, last: int) -> str | None:
    """The sha256 of lines `first` to `last` (from 1), line ends unified; None where the file has not so many."""
    lines = split_lines(data)
    if not 0 < first <= last <= len(lines):
        return None
    return hash_of(lines[first - 1 : last])


def hash_of(lines: list[bytes]) -> str:
    """The sha256 of these lines."""
    return sha256_of(b"\n".join(lines))


def place_of(lines: list[bytes], count: int, sha256: str, near: int) -> int | None:
    """The line (from 1) where `count` lines with this hash begin now, the nearest to line `near`; None where they are nowhere."""
    starts = range(len(lines) - count + 1)
    if len(starts) * count > 20_000_000:
        starts = range(max(0, near - 1000), min(len(starts), near + 1000))
    for start in sorted(starts, key=lambda index: abs(index + 1 - near)):
        if hash_of(lines[start : start + count]) == sha256:
            return start + 1
    return None

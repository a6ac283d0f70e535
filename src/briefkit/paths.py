"""Files of other people, read within bounds, and paths that stay where they must."""

from __future__ import annotations

import errno
import os
import stat

from .errors import BriefkitError, Place, UnreadableError

MEBIBYTE = 1 << 20
LOCKFILE_LIMIT = 64 * MEBIBYTE
MANIFEST_LIMIT = 8 * MEBIBYTE


def read_bytes(path: str, limit: int = MANIFEST_LIMIT, shown: str | None = None) -> bytes:
    """The bytes of a regular file of at most `limit` bytes.

    Opened without blocking and checked after opening, so that a FIFO, a device or a file that was swapped is never read.

    Raises:
        UnreadableError: The file is missing, not a regular file, not readable, or larger than `limit`.

    """
    place = Place(shown or path)
    handle = _open(path, place)
    try:
        size = os.fstat(handle).st_size
        if size > limit:
            raise UnreadableError(f"file has {size:,} bytes, more than the {limit:,} that are read", place=place)
        return _read_all(handle, size, limit, place)
    except OSError as error:
        raise UnreadableError(reason_of(error), place=place) from None
    finally:
        os.close(handle)


def read_head(path: str, size: int) -> bytes:
    """The first `size` bytes of a regular file of any length, opened as `read_bytes` opens it.

    Raises:
        UnreadableError: The file is missing, not a regular file or not readable.

    """
    place = Place(path)
    handle = _open(path, place)
    try:
        return os.read(handle, size)
    except OSError as error:
        raise UnreadableError(reason_of(error), place=place) from None
    finally:
        os.close(handle)


def _open(path: str, place: Place) -> int:
    """A handle on a regular file, opened without blocking; anything else is refused."""
    try:
        handle = os.open(
            path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        )
    except (OSError, ValueError) as error:
        raise UnreadableError(reason_of(error), place=place) from None
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        raise UnreadableError(_kind_of(mode) + ", not a file", place=place)
    return handle


def _read_all(handle: int, size: int, limit: int, place: Place) -> bytes:
    """Everything behind the handle; special files report size 0 and are read up to the limit all the same."""
    chunks = []
    total = 0
    while chunk := os.read(handle, max(size - total, 0) + 65536):
        total += len(chunk)
        if total > limit:
            raise UnreadableError(f"file has more than the {limit:,} bytes that are read", place=place)
        chunks.append(chunk)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def decode(data: bytes, shown: str) -> str:
    """The text of a file: UTF-8, or UTF-16 where a byte order mark says so; the mark is dropped.

    Raises:
        UnreadableError: The bytes are neither; the message names the line of the first bad byte.

    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding = "utf-16"
    else:
        encoding = "utf-8"
        if data[:3] == b"\xef\xbb\xbf":
            data = data[3:]
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UnreadableError(f"not {encoding.upper()} text", place=Place(shown, line)) from None


def read_text(path: str, limit: int = MANIFEST_LIMIT, shown: str | None = None) -> str:
    """The text of a regular file of at most `limit` bytes, without a byte order mark.

    Raises:
        UnreadableError: As `read_bytes` and `decode` say.

    """
    return decode(read_bytes(path, limit, shown), shown or path)


def write_whole(path: str, text: str) -> None:
    """Write a text file whole or not at all: beside its place first, on disk, then moved there. Its folder is made.

    Raises:
        BriefkitError: The file cannot be written.

    """
    beside = f"{path}.{os.getpid()}.tmp"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        # An argument or a file's name that was not UTF-8 is written as its escapes are shown.
        with open(beside, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as handle:
            handle.write(text)
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(beside, path)
    except OSError as error:
        raise BriefkitError(f"cannot write: {reason_of(error)}", place=Place(path)) from None
    finally:
        if os.path.lexists(beside):
            os.unlink(beside)


def reason_of(error: OSError | ValueError) -> str:
    """Why a path could not be opened, in words without the path."""
    if isinstance(error, ValueError):
        return "not a path (it holds a NUL character)"
    if error.errno == errno.ENOENT:
        return "no such file"
    return (error.strerror or type(error).__name__).lower()


def _kind_of(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a directory"
    if stat.S_ISFIFO(mode):
        return "a FIFO"
    return "a special file"


def is_within(path: str, root: str) -> bool:
    """Whether `path` is `root` or lies under it; both absolute and normalised."""
    return path == root or path.startswith(root if root.endswith(os.sep) else root + os.sep)


def shown_path(path: str, root: str) -> str:
    """The path as JSON and messages show it: POSIX slashes, relative to `root` where it is inside, else absolute."""
    if path == root:
        return "."
    if is_within(path, root):
        path = path[len(root) :].lstrip(os.sep)
    return path.replace(os.sep, "/") if os.sep != "/" else path

"""Files inside a zip (Plug'n'Play caches, zipped eggs), read in place and within bounds; nothing is ever unpacked to disk."""

from __future__ import annotations

from briefkit.errors import Place, UnreadableError
from briefkit.paths import MEBIBYTE
from briefkit.records import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

ZIP_LIMIT = 1024 * MEBIBYTE
ENTRIES_LIMIT = 100_000
RATIO_LIMIT = 200
# Under this size a file may be as compressible as it likes: a page of blanks is no bomb.
RATIO_FREE = MEBIBYTE
_OPEN_LIMIT = 8

_SYMLINK = 0o120000
_TYPE = 0o170000


class ZipEntry(NamedTuple):
    """One file of a zip: its path inside and its unpacked size."""

    path: str
    size: int


_opened: dict[tuple[str, int, int], ZipFile] = {}


def list_zip(path: str, inner: str = "") -> tuple[ZipEntry, ...]:
    """The files under the folder `inner` of the zip, in order of path, paths relative to `inner`.

    Symbolic links, encrypted entries and names that leave the zip are left out.

    Raises:
        UnreadableError: The zip is missing, damaged or over a bound.

    """
    prefix = inner.strip("/") + "/" if inner.strip("/") else ""
    entries = [
        ZipEntry(info.filename[len(prefix) :], info.file_size)
        for info in _open(path).infolist()
        if info.filename.startswith(prefix) and _is_plain(info)
    ]
    return tuple(sorted(entries))


def has_in_zip(path: str, inner: str) -> bool:
    """Whether the zip holds the file `inner`; False for a zip that cannot be read."""
    try:
        return inner in _open(path).NameToInfo
    except UnreadableError:
        return False


def read_in_zip(path: str, inner: str, limit: int) -> bytes:
    """The bytes of the file `inner` in the zip.

    Raises:
        UnreadableError: No such file, over `limit` bytes, packed more than 200 times smaller than it claims to be, or damaged.

    """
    from zipfile import BadZipFile
    from zlib import error as zlib_error

    place = Place(f"{path}!/{inner}")
    archive = _open(path)
    info = archive.NameToInfo.get(inner)
    if info is None or not _is_plain(info):
        raise UnreadableError("no such file", place=place)
    if info.file_size > limit:
        raise UnreadableError(f"file has {info.file_size:,} bytes, more than the {limit:,} that are read", place=place)
    if info.file_size > RATIO_FREE and info.file_size > RATIO_LIMIT * max(info.compress_size, 1):
        raise UnreadableError("packed like a zip bomb", place=place)
    try:
        with archive.open(info) as handle:
            data = handle.read(limit + 1)
    except (BadZipFile, zlib_error, OSError, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise UnreadableError(f"damaged zip entry ({type(error).__name__})", place=place) from None
    if len(data) > limit:
        raise UnreadableError(f"file has more than the {limit:,} bytes that are read", place=place)
    return data


def _is_plain(info: ZipInfo) -> bool:
    name = info.filename
    if name.endswith("/") or info.flag_bits & 1 or (info.external_attr >> 16) & _TYPE == _SYMLINK:
        return False
    return not (name.startswith("/") or "\\" in name or "\0" in name or name[1:2] == ":" or ".." in name.split("/"))


def _open(path: str) -> ZipFile:
    """The zip, kept open while its size and time stay the same."""
    import os
    import stat
    from zipfile import BadZipFile, LargeZipFile, ZipFile

    place = Place(path)
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        raise UnreadableError("no such file", place=place) from None
    if not stat.S_ISREG(status.st_mode) or status.st_size > ZIP_LIMIT:
        raise UnreadableError("not a zip of a size that is read", place=place)
    key = (path, status.st_size, status.st_mtime_ns)
    archive = _opened.get(key)
    if archive is None:
        try:
            archive = ZipFile(path)
        except (BadZipFile, LargeZipFile, OSError, ValueError, NotImplementedError, EOFError):
            raise UnreadableError("not a zip", place=place) from None
        if len(archive.infolist()) > ENTRIES_LIMIT:
            archive.close()
            raise UnreadableError(f"zip has more than the {ENTRIES_LIMIT:,} entries that are read", place=place)
        while len(_opened) >= _OPEN_LIMIT:
            _opened.pop(next(iter(_opened))).close()
        _opened[key] = archive
    return archive

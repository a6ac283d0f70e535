"""RECORD: which files a wheel brought, with the hash and size of each.

CSV with quotes in theory, three plain fields a line in nearly every file; both are read. A path may leave site-packages
(`../../../bin/x` is how a script is listed), so nothing here opens what it names.
"""

from __future__ import annotations

import re

from briefkit.paths import MEBIBYTE, read_bytes
from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORD_LIMIT = 32 * MEBIBYTE
ROWS_LIMIT = 200_000

_PLAIN = lazy_pattern(
    r"^([^\",\n\r]+),(?:sha256=([A-Za-z0-9_-]{43})=?)?(?:([a-z0-9]+=[^,\n]*))?,(\d*)\r?$", re.MULTILINE
)


class RecordRow(NamedTuple):
    """One file of a RECORD: its path as written (POSIX), sha256 in hex and size; None where the row does not give it."""

    path: str
    sha256: str | None
    size: int | None


def read_record(path: str) -> tuple[RecordRow, ...]:
    """The rows of a RECORD file, at most 200,000; rows that are not three fields are left out.

    Raises:
        UnreadableError: The file is missing, not a regular file, or over 32 MB.

    """
    return tuple(parse_record(record_text(path)))


def record_text(path: str) -> str:
    """The text of a RECORD; bytes that are not UTF-8 stay as surrogates, as the file system hands such names out.

    Raises:
        UnreadableError: As `read_record` says.

    """
    return read_bytes(path, RECORD_LIMIT).decode("utf-8", "surrogateescape")


def parse_record(text: str) -> Iterator[RecordRow]:
    """Each row of the text."""
    if '"' in text:
        yield from _parse_quoted(text)
        return
    for count, found in enumerate(_PLAIN.finditer(text)):
        if count >= ROWS_LIMIT:
            return
        path, digest, _, size = found.groups()
        yield RecordRow(_clean(path), _hex(digest) if digest else None, int(size) if size else None)


def _parse_quoted(text: str) -> Iterator[RecordRow]:
    import csv

    try:
        for count, fields in enumerate(csv.reader(text.splitlines())):
            if count >= ROWS_LIMIT:
                return
            if len(fields) == 3 and fields[0]:
                algorithm, _, digest = fields[1].partition("=")
                known = algorithm == "sha256" and len(digest.rstrip("=")) == 43
                size = int(fields[2]) if fields[2].isascii() and fields[2].isdigit() and len(fields[2]) < 19 else None
                yield RecordRow(_clean(fields[0]), _hex(digest) if known else None, size)
    except csv.Error:
        return


def _clean(path: str) -> str:
    """The path with POSIX slashes and without a leading `./`."""
    if "\\" in path:
        path = path.replace("\\", "/")
    while path.startswith("./"):
        path = path[2:]
    return path


def _hex(digest: str) -> str | None:
    from binascii import Error, a2b_base64

    try:
        return a2b_base64(digest.rstrip("=").replace("-", "+").replace("_", "/") + "=").hex()
    except (Error, ValueError):
        return None

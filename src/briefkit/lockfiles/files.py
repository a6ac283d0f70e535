"""A lockfile on this disk, or its text, read by the reader of its format."""

from __future__ import annotations

import os

from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING

from ..paths import LOCKFILE_LIMIT, decode, read_bytes
from .formats import format_named, format_of, formats_by_name, refuse_by_name

if TYPE_CHECKING:
    from .reading import LockfileReading

_CODING = lazy_pattern(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")


def read_lockfile(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - the word of the JSON and of the command line
    shown: str | None = None,
) -> LockfileReading:
    """What the lockfile at `path` says; `shown` is the path that results and messages show.

    Raises:
        UnreadableError: The file is missing, over a bound, or not what it says it is.
        UnknownFormatError: Its format, or the major version of it, is not read.

    """
    path = os.fspath(path)
    shown = (shown or path).replace(os.sep, "/")
    if format is None:
        refuse_by_name(shown)
    data = read_bytes(path, LOCKFILE_LIMIT, shown)
    return read_lockfile_text(_decoded(data, path, shown, format), shown, format=format)


def read_lockfile_text(
    text: str,
    path: str,
    *,
    format: str | None = None,  # noqa: A002 - the word of the JSON and of the command line
) -> LockfileReading:
    """What a lockfile's text says; `path` tells the format where `format` does not, and is what results and messages show.

    Raises:
        UnreadableError: The text is not what it says it is, or is over a bound.
        UnknownFormatError: Its format, or the major version of it, is not read.

    """
    text = text.removeprefix("\ufeff")
    row = format_of(path, text) if format is None else format_named(format)
    if "<<<<<<<" in text:
        from .merge_conflicts import has_conflicts, read_conflicted

        if has_conflicts(text):
            return read_conflicted(text, path, row.reader())
    return row.reader()(text, path)


def _decoded(data: bytes, path: str, shown: str, format_name: str | None) -> str:
    rows = formats_by_name(path) if format_name is None else (format_named(format_name),)
    if [row.name for row in rows] == ["requirements"]:
        return _decoded_as_pip(data, shown)
    return decode(data, shown)


def _decoded_as_pip(data: bytes, shown: str) -> str:
    """A requirements file's text: by its byte order mark, its coding line, as UTF-8, else as Latin-1.

    Names and versions are ASCII, so what Latin-1 may misread is a comment or a path, never a pin.
    """
    if data[:4] in (b"\xff\xfe\0\0", b"\0\0\xfe\xff"):
        return data.decode("utf-32", "replace")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return decode(data, shown)
    for line in data.split(b"\n", 2)[:2]:
        if found := _CODING.match(line):
            try:
                return data.decode(found.group(1).decode("ascii")).removeprefix("\ufeff")
            except (LookupError, UnicodeError):
                break
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        return data.decode("latin-1")

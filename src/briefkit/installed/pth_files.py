"""`.pth` files of a site folder by the rules of Python's `site` module, except that a line of code is kept and never run."""

from __future__ import annotations

import os
import stat

from briefkit.errors import UnreadableError
from briefkit.paths import MEBIBYTE, read_bytes
from briefkit.records import NamedTuple

PTH_LIMIT = MEBIBYTE
_HIDDEN = 0x8000  # UF_HIDDEN, set by macOS on what it offloads to the cloud
_HIDDEN_ON_WINDOWS = 0x2


class Pth(NamedTuple):
    """One `.pth` file: the existing folders (or zips) that it adds, and its lines of code as text."""

    path: str
    folders: tuple[str, ...]
    code: tuple[str, ...]


def read_pth_files(site: str, names: list[str], python: str | None = None) -> tuple[tuple[Pth, ...], tuple[str, ...]]:
    """The `.pth` files among the folder's `names`, in the order Python reads them, and a warning for each that it would skip."""
    found, warnings = [], []
    for name in sorted(name for name in names if name.endswith(".pth")):
        path = os.path.join(site, name)
        reason = _reason_to_skip(path, name)
        text = None if reason else _text(path)
        if text is None:
            warnings.append(f"{path}: skipped, {reason or 'not text'}")
            continue
        code_off = _at_least_3_15(python) and name[:-4] + ".start" in names
        found.append(_parse(path, site, text, code_off))
    return tuple(found), tuple(warnings)


def read_pth(path: str) -> Pth | None:
    """One `.pth` file; None where it cannot be read as text."""
    text = _text(path)
    return None if text is None else _parse(path, os.path.dirname(path), text, code_off=False)


def _parse(path: str, site: str, text: str, code_off: bool) -> Pth:
    folders, code = [], []
    for line in text.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith(("import ", "import\t")):
            if not code_off:
                code.append(line.rstrip())
            continue
        folder = os.path.normpath(os.path.join(site, line.rstrip()))
        if "\0" not in folder and os.path.exists(folder):
            folders.append(folder)
    return Pth(path, tuple(folders), tuple(code))


def _reason_to_skip(path: str, name: str) -> str | None:
    if name.startswith("."):
        return "its name begins with a dot"
    try:
        status = os.lstat(path)
    except OSError:
        return "it cannot be read"
    if getattr(status, "st_flags", 0) & _HIDDEN or getattr(status, "st_file_attributes", 0) & _HIDDEN_ON_WINDOWS:
        return "it is hidden"
    return "it is no file" if stat.S_ISDIR(status.st_mode) else None


def _text(path: str) -> str | None:
    try:
        data = read_bytes(path, PTH_LIMIT)
    except UnreadableError:
        return None
    if b"\0" in data:
        return None
    return data.decode("utf-8-sig", "surrogateescape")


def _at_least_3_15(python: str | None) -> bool:
    if python is None:
        return False
    major, _, rest = python.partition(".")
    minor = rest.partition(".")[0]
    return major.isdigit() and minor.isdigit() and (int(major), int(minor)) >= (3, 15)

"""package.json of an installed package, read as data that may be anything."""

from __future__ import annotations

import json
import os

from briefkit.errors import UnreadableError
from briefkit.names import is_npm_name
from briefkit.paths import MANIFEST_LIMIT, decode, is_within, read_bytes, reason_of
from briefkit.records import TYPE_CHECKING, NamedTuple
from briefkit.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MANIFEST = "package.json"


class Manifest(NamedTuple):
    """A package.json: its path, its fields (empty where it could not be read) and why it could not."""

    path: str
    fields: Mapping[str, Any]
    fault: str | None = None

    def name(self) -> str | None:
        """The stated name, None where it states none or one that cannot be a package's."""
        name = self.fields.get("name")
        return name if isinstance(name, str) and is_npm_name(name) else None

    def version(self) -> str | None:
        """The stated version as one safe line, None where it states none."""
        version = self.fields.get("version")
        return one_line(version, 128) or None if isinstance(version, str) else None

    def text(self, key: str) -> str | None:
        """The field where it is a text, else None."""
        value = self.fields.get(key)
        return value if isinstance(value, str) else None


# One package is asked in many ways one after another; the status tells when a file is another one.
_read: dict[str, tuple[tuple[int, int, int], Manifest]] = {}
_READ_LIMIT = 64


def read_manifest(folder: str) -> Manifest | None:
    """The package.json in a real folder, None where there is none; one that cannot be read is returned with its fault."""
    path = folder + os.sep + MANIFEST
    try:
        if os.path.islink(path) and not is_within(os.path.realpath(path), folder):
            return Manifest(path, {}, "package.json links out of the package")
        status = os.stat(path)
        signature = (status.st_mtime_ns, status.st_size, status.st_ino)
        known = _read.get(path)
        if known is not None and known[0] == signature:
            return known[1]
        found = parse_manifest(path, read_bytes(path, MANIFEST_LIMIT))
    except (OSError, UnreadableError) as error:
        if not os.path.lexists(path):
            return None
        reason = error.what if isinstance(error, UnreadableError) else reason_of(error)
        return Manifest(path, {}, f"package.json cannot be read: {reason}")
    if len(_read) >= _READ_LIMIT:
        _read.clear()
    _read[path] = (signature, found)
    return found


def parse_manifest(path: str, data: bytes) -> Manifest:
    """The manifest in these bytes; of a doubled key the last counts, as in Node."""
    try:
        fields = json.loads(decode(data, path))
    except (UnreadableError, ValueError, RecursionError, MemoryError) as error:
        reason = error.what if isinstance(error, UnreadableError) else "not JSON"
        return Manifest(path, {}, f"package.json cannot be read: {reason}")
    if not isinstance(fields, dict):
        return Manifest(path, {}, "package.json cannot be read: not an object")
    return Manifest(path, fields)

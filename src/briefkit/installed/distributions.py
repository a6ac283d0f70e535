"""One Python distribution from its metadata folder: identity, files, import names, kind, and which of two is the true one."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from briefkit.errors import UnreadableError
from briefkit.names import PYPI, pypi_name
from briefkit.packages import Installed
from briefkit.paths import is_within

from .import_roots import STUBS, import_roots, main_root, place_of
from .python_metadata import MetadataEntry, metadata_file, read_direct_url, read_headers, text_lines
from .record_files import parse_record, record_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .editable_loaders import Loader
    from .pth_files import Pth
    from .python_modules import FoundModule

_PATHS = re.compile(r"^([^\",\r\n]+),", re.MULTILINE)


class Distribution:
    """A distribution as its metadata folder describes it, read in stages: identity first, RECORD when asked."""

    def __init__(self, entry: MetadataEntry, version: str | None, record: str | None) -> None:
        self.entry = entry
        self.base = os.path.dirname(entry.path)
        self.version = version
        self.record = record
        self.tops: frozenset[str] = frozenset()
        self.paths: tuple[str, ...] = ()
        self.installed = _installed(self)

    def owns(self, module: FoundModule) -> bool:
        """Whether one of the distribution's files is the module, or lies in its folders where it is a namespace."""
        if module.origin is not None:
            return self._relative(module.origin) in self.paths
        prefixes = tuple(self._relative(folder) + "/" for folder in module.locations)
        return any(path.startswith(prefixes) for path in self.paths)

    def matches(self, module: FoundModule) -> bool:
        """Whether the module's file has the size that the RECORD states."""
        if module.origin is None or self.record is None:
            return True
        wanted = self._relative(module.origin)
        for row in parse_record(self.record):
            if row.path == wanted:
                return row.size is None or row.size == _size(module.origin)
        return True

    def _relative(self, path: str) -> str:
        return path[len(self.base) + 1 :].replace(os.sep, "/") if is_within(path, self.base) else path


def choose(
    entries: Sequence[MetadataEntry], pth_files: Sequence[Pth], loaders: Sequence[Loader]
) -> tuple[Distribution | None, list[str]]:
    """The distribution behind the metadata entries of one name, and warnings on those that are not it."""
    del pth_files, loaders
    for entry in entries:
        headers = read_headers(metadata_file(entry))
        if headers is not None:
            return Distribution(entry, headers.version, _record(entry)), []
    return None, [f"{entry.path}: no metadata in it, ignored" for entry in entries]


def _installed(self: Distribution) -> Installed:
    if self.record is not None:
        self.paths = tuple(_PATHS.findall(self.record))
        names = import_roots(self.paths)
    else:
        names = tuple(text_lines(self.entry.path, "top_level.txt"))
    self.tops = frozenset(path.partition("/")[0].partition(".")[0] for path in self.paths)
    weights = {name: sum(path.startswith(name.replace(".", "/") + "/") for path in self.paths) for name in names}
    main = main_root(names, self.entry.name, weights)
    root = (place_of(self.base, main) if main else None) or self.entry.path
    evidence = [metadata_file(self.entry)]
    if self.record is not None:
        evidence.append(os.path.join(self.entry.path, "RECORD"))
    direct = read_direct_url(self.entry.path)
    kind = "registry"
    if names and all(name.partition(".")[0].endswith(STUBS) for name in names):
        kind = "stub-only"
    elif direct is not None:
        evidence.append(direct.path)
        kind = "git" if direct.vcs else "editable" if direct.editable else "file"
    return Installed(
        PYPI,
        pypi_name(self.entry.name),
        self.version,
        root,
        kind,
        evidence=tuple(evidence),
        top_levels=names,
        search_root=self.base,
    )


def _record(entry: MetadataEntry) -> str | None:
    if entry.kind != "dist-info":
        return None
    try:
        return record_text(os.path.join(entry.path, "RECORD"))
    except UnreadableError:
        return None


def _size(path: str) -> int | None:
    try:
        return os.stat(path).st_size
    except OSError:
        return None

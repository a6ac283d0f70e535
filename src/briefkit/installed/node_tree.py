"""The files of one npm package as a resolver asks for them: in a folder, or in a zip of Plug'n'Play.

Paths are POSIX and relative to the package; `within` makes one from whatever a manifest states, and refuses what would leave it.
"""

from __future__ import annotations

import os
import posixpath

from briefkit.errors import Place, UnreadableError
from briefkit.paths import MANIFEST_LIMIT, MEBIBYTE, is_within, read_bytes, reason_of
from briefkit.records import TYPE_CHECKING, Protocol

from .node_manifest import MANIFEST, Manifest, parse_manifest, read_manifest
from .zips import list_zip, read_in_zip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from briefkit.packages import Installed

FILES_LIMIT = 200_000
HEAD_LIMIT = 32 * MEBIBYTE
DEPTH_LIMIT = 64


class PackageTree(Protocol):
    """What both kinds of package answer."""

    def is_file(self, path: str) -> bool:
        """Whether the package holds this file."""

    def is_folder(self, path: str) -> bool:
        """Whether the package holds this folder."""

    def manifest(self, folder: str) -> Manifest | None:
        """The package.json in a folder of the package (`` the package's own), None where there is none."""

    def files(self) -> Iterator[str]:
        """The paths of all files, without nested `node_modules`, in no order."""

    def read(self, path: str, limit: int) -> bytes:
        """The bytes of a file.

        Raises:
            UnreadableError: It is missing, over `limit` bytes, or a link that leaves the package.

        """

    def head(self, path: str, size: int) -> bytes:
        """The first bytes of a file, as `read` otherwise."""

    def shown(self, path: str) -> str:
        """The absolute path as a citation names it."""

    def holds(self, path: str) -> bool:
        """Whether the path, its links followed, is inside the package."""


def tree_of(installed: Installed) -> PackageTree:
    """The files of an installed package."""
    return FolderTree(installed.root) if installed.inner is None else ZipTree(installed.root, installed.inner)


def within(*parts: str) -> str | None:
    """The parts joined and made plain; None where they leave the package, are absolute or hold what no path should."""
    for part in parts:
        if "\0" in part or "\\" in part or part.startswith("/") or part[1:2] == ":":
            return None
    path = posixpath.normpath("/".join(part for part in parts if part) or ".")
    if path == ".":
        return ""
    return None if path == ".." or path.startswith("../") else path


class FolderTree:
    """A package in a real folder; one that is itself a link leads out of all that may be read, and holds nothing."""

    __slots__ = ("root",)

    def __init__(self, root: str) -> None:
        self.root = root

    def shown(self, path: str) -> str:
        """The absolute path of a file or folder of the package."""
        return os.path.join(self.root, *path.split("/")) if path else self.root

    def is_file(self, path: str) -> bool:
        """Whether the package holds this file."""
        return os.path.isfile(f"{self.root}/{path}")

    def is_folder(self, path: str) -> bool:
        """Whether the package holds this folder."""
        return os.path.isdir(f"{self.root}/{path}")

    def manifest(self, folder: str) -> Manifest | None:
        """The package.json in a folder of the package."""
        return read_manifest(self.shown(folder))

    def holds(self, path: str) -> bool:
        """Whether the path, its links followed, is inside the package; where no part of it is a link there is nothing to follow."""
        place = self.root
        if os.path.islink(place):
            return False
        for part in path.split("/"):
            place = f"{place}{os.sep}{part}"
            if part == ".." or os.path.islink(place):
                return is_within(os.path.realpath(self.shown(path)), self.root)
        return True

    def read(self, path: str, limit: int) -> bytes:
        """The bytes of a file inside the package."""
        if not self.holds(path):
            raise UnreadableError(f"{path} leaves the package")
        return read_bytes(self.shown(path), limit)

    def head(self, path: str, size: int) -> bytes:
        """The first bytes of a file inside the package, however long it is."""
        place = self.shown(path)
        if not self.holds(path) or not os.path.isfile(place):
            raise UnreadableError(f"{path} is no file of the package")
        try:
            with open(place, "rb") as handle:
                return handle.read(size)
        except OSError as error:
            raise UnreadableError(reason_of(error), place=Place(place)) from None

    def files(self) -> Iterator[str]:
        """The paths of all regular files; links to folders are not entered."""
        pending = [] if os.path.islink(self.root) else [(self.root, "", 0)]
        count = 0
        while pending:
            folder, prefix, depth = pending.pop()
            try:
                entries = list(os.scandir(folder))
            except OSError:
                continue
            count += len(entries)
            if count > FILES_LIMIT:
                return
            for entry in entries:
                if entry.is_file(follow_symlinks=False):
                    yield prefix + entry.name
                elif depth < DEPTH_LIMIT and entry.is_dir(follow_symlinks=False) and entry.name != "node_modules":
                    pending.append((entry.path, f"{prefix}{entry.name}/", depth + 1))


class ZipTree:
    """A package inside a zip."""

    __slots__ = ("_files", "_folders", "archive", "inner")

    def __init__(self, archive: str, inner: str) -> None:
        self.archive = archive
        self.inner = inner.strip("/")
        try:
            self._files = frozenset(entry.path for entry in list_zip(archive, self.inner))
        except UnreadableError:
            self._files = frozenset()
        self._folders: frozenset[str] | None = None

    def shown(self, path: str) -> str:
        """The path as a citation names it: `cache.zip!/node_modules/zod/index.d.ts`."""
        return "!/".join((self.archive, posixpath.join(self.inner, path) if path else self.inner))

    def is_file(self, path: str) -> bool:
        """Whether the package holds this file."""
        return path in self._files

    def is_folder(self, path: str) -> bool:
        """Whether the package holds this folder."""
        if self._folders is None:
            self._folders = frozenset(_parents(self._files))
        return path in self._folders

    def manifest(self, folder: str) -> Manifest | None:
        """The package.json in a folder of the package."""
        path = f"{folder}/{MANIFEST}" if folder else MANIFEST
        if path not in self._files:
            return None
        try:
            return parse_manifest(self.shown(path), self.read(path, MANIFEST_LIMIT))
        except UnreadableError as error:
            return Manifest(self.shown(path), {}, f"package.json cannot be read: {error.what}")

    def holds(self, path: str) -> bool:
        """Whether the path is inside the package; a zip's links are never followed."""
        return path in self._files or self.is_folder(path)

    def read(self, path: str, limit: int) -> bytes:
        """The bytes of a file inside the zip."""
        return read_in_zip(self.archive, posixpath.join(self.inner, path), limit)

    def head(self, path: str, size: int) -> bytes:
        """The first bytes of a file inside the zip."""
        return self.read(path, HEAD_LIMIT)[:size]

    def files(self) -> Iterator[str]:
        """The paths of all files of the package itself."""
        return (path for path in self._files if not path.startswith("node_modules/") and "/node_modules/" not in path)


def _parents(files: frozenset[str]) -> Iterator[str]:
    yield ""
    for path in files:
        folder = posixpath.dirname(path)
        while folder:
            yield folder
            folder = posixpath.dirname(folder)

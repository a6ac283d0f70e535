"""The repo's own source files, listed and read within bounds; what is installed, built or hidden is not the repo's."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from briefkit.errors import UnreadableError
from briefkit.paths import read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

FILES_LIMIT = 20_000
FILE_LIMIT = 1 << 20
TOTAL_LIMIT = 256 << 20
DEPTH_LIMIT = 40

PYTHON_ENDINGS = (".py", ".pyi")
SCRIPT_ENDINGS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
_OUTSIDE = frozenset(
    (
        "node_modules",
        "bower_components",
        "jspm_packages",
        "site-packages",
        "__pycache__",
        "__pypackages__",
        "venv",
        "env",
        "virtualenv",
        "dist",
        "build",
        "out",
        "coverage",
        "htmlcov",
        "target",
        "vendor",
        "third_party",
    )
)
_GENERATED = (".min.js", ".min.mjs", ".bundle.js", ".d.ts", ".d.mts", ".d.cts")


class RepoFile(NamedTuple):
    """One source file: its POSIX path relative to the repo, and its bytes."""

    path: str
    data: bytes


class RepoCode:
    """The repo's source files, read once; `skipped` says what was left out and why."""

    __slots__ = ("_files", "root", "skipped", "state_dir")

    def __init__(self, root: str, state_dir: str = "state") -> None:
        self.root = root
        self.state_dir = state_dir
        self.skipped: list[str] = []
        self._files: list[RepoFile] | None = None

    def files(self) -> list[RepoFile]:
        """All source files of the repo, in order of path."""
        if self._files is None:
            self._files = list(self._read())
        return self._files

    def _read(self) -> Iterator[RepoFile]:
        total = count = 0
        for path, full in self._walk(self.root, "", 0):
            if count >= FILES_LIMIT or total >= TOTAL_LIMIT:
                self.skipped.append(f"files after {path}: more than {count:,} files or {total >> 20} MiB")
                return
            try:
                data = read_bytes(full, FILE_LIMIT, path)
            except UnreadableError as error:
                self.skipped.append(str(error))
                continue
            count += 1
            total += len(data)
            yield RepoFile(path, data)

    def _walk(self, folder: str, prefix: str, depth: int) -> Iterator[tuple[str, str]]:
        """(path, absolute path) of each source file under a folder; links are not followed, so no loop and no way out."""
        if depth > DEPTH_LIMIT:
            self.skipped.append(f"{prefix}: deeper than {DEPTH_LIMIT} folders")
            return
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            self.skipped.append(f"{prefix or '.'}: {(error.strerror or 'unreadable').lower()}")
            return
        for entry in entries:
            path = prefix + entry.name
            if entry.is_dir(follow_symlinks=False):
                if not self._is_outside(entry, path):
                    yield from self._walk(entry.path, path + "/", depth + 1)
            elif entry.is_file(follow_symlinks=False) and is_source(entry.name):
                yield path, entry.path

    def _is_outside(self, entry: os.DirEntry[str], path: str) -> bool:
        """Installed, built, hidden, the state folder, or an environment under another name."""
        name = entry.name
        if name.startswith(".") or name in _OUTSIDE or name.endswith(".egg-info") or path == self.state_dir:
            return True
        return os.path.exists(os.path.join(entry.path, "pyvenv.cfg"))


def is_source(name: str) -> bool:
    """Whether a file name is that of source someone wrote, in a language that is read."""
    lower = name.lower()
    return lower.endswith(PYTHON_ENDINGS + SCRIPT_ENDINGS) and not lower.endswith(_GENERATED)


def is_test(path: str) -> bool:
    """Whether a path is that of a test, by the customs of both ecosystems."""
    *folders, name = path.lower().split("/")
    if any(folder in ("test", "tests", "__tests__", "spec", "e2e", "fixtures", "__mocks__") for folder in folders):
        return True
    return name.startswith("test_") or name == "conftest.py" or "_test." in name or ".test." in name or ".spec." in name

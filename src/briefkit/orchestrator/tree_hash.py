"""What a working tree holds, file by file: taken before and after an agent's run, it says what the run wrote.

In a git checkout these are the tracked files and the untracked ones that are not ignored; elsewhere all but installed and hidden
folders. `state/` does not count. Git is asked hardened: no hook, no file-system monitor, no pager of the repo's choosing runs.
"""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
from typing import TYPE_CHECKING

from briefkit.errors import BriefkitError, Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FILES_LIMIT = 200_000
GIT_SECONDS = 60
_OUTSIDE = frozenset((".git", "node_modules", ".venv", "venv", "__pycache__", "site-packages"))
_GIT = ("git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.untrackedCache=false")


def tree_hashes(root: str, state_dir: str) -> dict[str, str]:
    """For each file of the tree, relative and POSIX, a hash of its type, mode and bytes (a link's: of its target).

    Raises:
        BriefkitError: The tree has more than 200,000 files, or git cannot list them.

    """
    state = os.path.relpath(state_dir, root).replace(os.sep, "/") + "/"
    found: dict[str, str] = {}
    for path in _paths(root):
        if path.startswith(state):
            continue
        if len(found) >= FILES_LIMIT:
            raise BriefkitError(f"more than {FILES_LIMIT:,} files", place=Place(root))
        mark = _hash(os.path.join(root, path))
        if mark:
            found[path] = mark
    return found


def changed(before: dict[str, str], after: dict[str, str]) -> tuple[str, ...]:
    """The files that were written, added or removed between two looks, in order."""
    return tuple(sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path)))


def _paths(root: str) -> Iterable[str]:
    if os.path.lexists(os.path.join(root, ".git")) or _inside_git(root):
        return _listed_by_git(root)
    return _walked(root)


def _inside_git(root: str) -> bool:
    folder = os.path.dirname(os.path.abspath(root))
    while True:
        if os.path.lexists(os.path.join(folder, ".git")):
            return True
        parent = os.path.dirname(folder)
        if parent == folder:
            return False
        folder = parent


def _listed_by_git(root: str) -> list[str]:
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_OPTIONAL_LOCKS": "0",
    }
    command = [*_GIT, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "."]
    try:
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, timeout=GIT_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return list(_walked(root))
    if done.returncode != 0:
        return list(_walked(root))
    return [os.fsdecode(name) for name in done.stdout.split(b"\0") if name]


def _walked(root: str) -> Iterator[str]:
    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if name not in _OUTSIDE)
        for name in sorted([*files, *(one for one in names if os.path.islink(os.path.join(folder, one)))]):
            yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")


def _hash(path: str) -> str | None:
    """None for what is gone or is a folder (a submodule)."""
    try:
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode):
            return "link " + os.readlink(path)
        if not stat.S_ISREG(status.st_mode):
            return None if stat.S_ISDIR(status.st_mode) else f"special {status.st_mode:o}"
        with open(path, "rb") as handle:
            return f"{status.st_mode:o} {hashlib.file_digest(handle, 'sha256').hexdigest()}"
    except OSError:
        return None

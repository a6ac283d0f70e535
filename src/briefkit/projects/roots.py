"""Where a project begins: for each ecosystem the folder whose lockfile, workspace list or manifest owns a directory.

The search goes up from the directory and ends after the first folder that holds `.git`, at a mount point, and below the home folder:
a stray manifest in one's home is nobody's project.
"""

from __future__ import annotations

import os
import re

from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING, NamedTuple

from ..errors import UnreadableError, UsageError
from ..names import NPM, PYPI
from ..paths import read_bytes
from .package_json import is_project_manifest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_LOCKFILES = {
    NPM: lazy_pattern(r"npm-shrinkwrap\.json|package-lock\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lock"),
    PYPI: lazy_pattern(
        r"uv\.lock|poetry\.lock|pdm\.lock|Pipfile\.lock|pylock(?:\.[^./]+)?\.toml|requirements[^/]*\.txt", re.DOTALL
    ),
}
_REFUSED = {NPM: ("bun.lockb", "deno.lock"), PYPI: ("conda-lock.yml", "pixi.lock")}
MANIFESTS = {NPM: ("package.json",), PYPI: ("pyproject.toml", "Pipfile", "setup.cfg", "setup.py")}
_WORKSPACE_FILES = {NPM: ("package.json", "pnpm-workspace.yaml"), PYPI: ("pyproject.toml",)}
_MAX_ASCENT = 256
_MAX_REQUIREMENT_FILES = 200


class Folder(NamedTuple):
    """One folder of the way up: its path and the names in it."""

    path: str
    names: frozenset[str]


class Root(NamedTuple):
    """The root of one ecosystem: its folder, the lockfiles in it, those of a kind that is not read, and whether it has a manifest.

    `importer` is the member's folder relative to `path` (`.` the root itself); `lockfiles` are relative to `path`.
    """

    ecosystem: str
    path: str
    lockfiles: tuple[str, ...]
    refused: tuple[str, ...]
    manifests: tuple[str, ...]
    importer: str
    workspace: bool

    @property
    def bare(self) -> bool:
        """Whether nothing of the ecosystem was found here: the folder is only where the question was asked."""
        return not (self.lockfiles or self.refused or self.manifests or self.workspace)


class Choice(NamedTuple):
    """The lockfiles that answer, relative to the root: one, or each where no rule chooses. `notes` say why, where there were several."""

    lockfiles: tuple[str, ...]
    notes: tuple[str, ...] = ()


def checked_directory(directory: str) -> str:
    """The real absolute path of the folder asked for.

    Raises:
        UsageError: There is no such folder.

    """
    try:
        real = os.path.realpath(directory)
        found = os.path.isdir(real)
    except ValueError:
        real, found = directory, False
    if not found:
        what = "not a directory" if os.path.exists(real) else "no such directory"
        raise UsageError(f"{what}: {directory!r}", todo="Name the directory to answer for")
    return real


def way_up(directory: str, environ: Mapping[str, str]) -> tuple[Folder, ...]:
    """The folders to search, nearest first; `directory` is real and absolute, and is always among them."""
    home = os.path.realpath(os.path.expanduser(environ.get("HOME") or "~"))
    folders: list[Folder] = []
    folder = directory
    while len(folders) < _MAX_ASCENT:
        names = _names_in(folder)
        folders.append(Folder(folder, names))
        parent = os.path.dirname(folder)
        if ".git" in names or parent in (folder, home) or folder == home or os.path.ismount(folder):
            break
        folder = parent
    return tuple(folders)


def find_root(
    ecosystem: str, folders: tuple[Folder, ...], names_importer: Callable[[str, tuple[str, ...], str], bool]
) -> Root:
    """The root of one ecosystem for the first of `folders`.

    `names_importer(folder, lockfiles, member)` says whether one of a folder's lockfiles names the member; it is asked only where
    the workspace list does not already.
    """
    manifest: Folder | None = None
    for folder in folders:
        if manifest is None and _manifests(ecosystem, folder):
            manifest = folder
        member = _relative(manifest.path if manifest else folder.path, folder.path)
        patterns = _workspace(ecosystem, folder)
        lockfiles = lockfiles_in(ecosystem, folder)
        refused = _refused(ecosystem, folder)
        if not (lockfiles or refused or patterns is not None):
            continue
        if (
            member == "."
            or (patterns is not None and _lists(patterns, member))
            or (lockfiles and names_importer(folder.path, lockfiles, member))
        ):
            importer = member if manifest else "."
            return Root(
                ecosystem,
                folder.path,
                lockfiles,
                refused,
                _manifests(ecosystem, folder),
                importer,
                patterns is not None,
            )
    at = manifest or folders[0]
    return Root(ecosystem, at.path, (), (), _manifests(ecosystem, at), ".", workspace=False)


def lockfiles_in(ecosystem: str, folder: Folder) -> tuple[str, ...]:
    """The lockfiles of an ecosystem in a folder, relative to it: by name, sorted; `requirements/*.txt` after the folder's own."""
    found = sorted(name for name in folder.names if _LOCKFILES[ecosystem].fullmatch(name))
    if ecosystem == PYPI and "requirements" in folder.names:
        inside = _names_in(os.path.join(folder.path, "requirements"))
        found += [f"requirements/{name}" for name in sorted(inside) if name.endswith(".txt")][:_MAX_REQUIREMENT_FILES]
    if "npm-shrinkwrap.json" in found and "package-lock.json" in found:
        found.remove("package-lock.json")  # npm reads the shrinkwrap alone where both stand
    return tuple(found)


def _workspace(ecosystem: str, folder: Folder) -> tuple[str, ...] | None:
    """The patterns of the folder's workspace list; its reader is imported only where a file's text speaks of one."""
    named = [name for name in _WORKSPACE_FILES[ecosystem] if name in folder.names]
    if not any(name == "pnpm-workspace.yaml" or _speaks_of(folder.path, name) for name in named):
        return None
    from .members import workspace_patterns

    return workspace_patterns(ecosystem, folder.path, folder.names)


def _speaks_of(folder: str, name: str) -> bool:
    try:
        text = read_bytes(os.path.join(folder, name))
    except UnreadableError:
        return False
    return b"workspace" in text and (name == "package.json" or b"members" in text)


def _lists(patterns: tuple[str, ...], member: str) -> bool:
    from .members import is_member

    return is_member(member, patterns)


def _refused(ecosystem: str, folder: Folder) -> tuple[str, ...]:
    return tuple(name for name in _REFUSED[ecosystem] if name in folder.names)


def _manifests(ecosystem: str, folder: Folder) -> tuple[str, ...]:
    found = tuple(name for name in MANIFESTS[ecosystem] if name in folder.names)
    if ecosystem == NPM and found and not is_project_manifest(folder.path):
        return ()
    return found


def _names_in(folder: str) -> frozenset[str]:
    try:
        return frozenset(os.listdir(folder))
    except OSError:
        return frozenset()


def _relative(path: str, start: str) -> str:
    return os.path.relpath(path, start).replace(os.sep, "/")


def absolute(root: Root, lockfile: str) -> str:
    """The absolute path of one of a root's lockfiles."""
    return os.path.join(root.path, *lockfile.split("/"))

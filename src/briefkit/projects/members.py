"""The members of a workspace: the patterns that list them, whether a folder is one, and those that are on this disk."""

from __future__ import annotations

import os
import re

from briefkit.records import TYPE_CHECKING

from ..errors import UnreadableError
from ..lockfiles.workspace_patterns import owns
from ..names import NPM
from .package_json import read_package_json, workspaces_in

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_PATTERNS = 2_000
_MAX_FOLDERS = 20_000


def workspace_patterns(ecosystem: str, folder: str, names: frozenset[str]) -> tuple[str, ...] | None:
    """The patterns of the folder's workspace list, a leading `!` excludes; None where the folder has no such list."""
    try:
        if ecosystem == NPM:
            return _npm_patterns(folder, names)
        from .pyproject import uv_workspace

        return uv_workspace(folder) if "pyproject.toml" in names else None
    except UnreadableError:
        return None  # a manifest that cannot be read lists nobody; who asks for what it declares is told why


def _npm_patterns(folder: str, names: frozenset[str]) -> tuple[str, ...] | None:
    found: list[str] = []
    listed = False
    if "pnpm-workspace.yaml" in names:
        from .pnpm_workspace import packages_listed

        listed = True
        found += packages_listed(folder)
    fields = read_package_json(folder) if "package.json" in names else None
    workspaces = workspaces_in(fields) if fields is not None else None
    if workspaces is not None:
        listed = True
        found += workspaces
    return tuple(found[:_MAX_PATTERNS]) if listed else None


def is_member(path: str, patterns: tuple[str, ...]) -> bool:
    """Whether a folder, relative to the root and POSIX, is listed: the last pattern that fits decides."""
    return "node_modules" not in path.split("/") and owns(path, list(patterns))


def members_on_disk(root: str, patterns: tuple[str, ...], manifest: str) -> tuple[str, ...]:
    """The listed folders below `root` that hold a manifest, sorted; the walk is bounded and follows no link."""
    depth = _depth_of(patterns)
    found = [path for path in _folders(root, depth, manifest) if is_member(path, patterns)]
    outside = [path for path in _named_outside(patterns) if os.path.isfile(os.path.join(root, path, manifest))]
    return tuple(sorted(found + outside))


def _named_outside(patterns: tuple[str, ...]) -> list[str]:
    """Members beside the root that are named without a pattern: `../shared`."""
    return [
        pattern.rstrip("/") for pattern in patterns if pattern.startswith("../") and not re.search(r"[*?\[{]", pattern)
    ]


def _depth_of(patterns: tuple[str, ...]) -> int:
    deep = 12
    return max((deep if "**" in each else each.count("/") + 1 for each in patterns), default=0)


def _folders(root: str, depth: int, manifest: str) -> Iterator[str]:
    pending: list[tuple[str, str, int]] = [(root, "", depth)]
    seen = 0
    while pending and seen < _MAX_FOLDERS:
        folder, prefix, left = pending.pop()
        seen += 1
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue
        if prefix and any(entry.name == manifest for entry in entries):
            yield prefix.rstrip("/")
        if left:
            pending += [
                (entry.path, f"{prefix}{entry.name}/", left - 1)
                for entry in entries
                if entry.name not in ("node_modules", ".git", ".venv") and entry.is_dir(follow_symlinks=False)
            ]

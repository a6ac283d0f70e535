"""Whether a folder that a tree links to is a member of the workspace, or a folder that happens to lie in the repo."""

from __future__ import annotations

import os
import re

from briefkit.errors import UnreadableError
from briefkit.paths import MEBIBYTE, is_within, read_text
from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING

from .node_manifest import read_manifest

if TYPE_CHECKING:
    from collections.abc import Iterator

_PATTERNS_LIMIT = 2_000
_FOLDERS_LIMIT = 20_000
_DEPTH_LIMIT = 8
_PNPM_ITEM = lazy_pattern(r"""^\s*-\s+["']?([^"'#\s]+)["']?\s*(?:#.*)?$""")


def is_member(folder: str, root: str) -> bool:
    """Whether the workspace list of a root takes a folder below it in; the last pattern that fits decides."""
    if folder == root or not is_within(folder, root):
        return folder == root
    path = folder[len(root) :].strip(os.sep).replace(os.sep, "/")
    member = False
    for pattern in _patterns(root)[:_PATTERNS_LIMIT]:
        if _shape(pattern.lstrip("!")).fullmatch(path):
            member = not pattern.startswith("!")
    return member


def member_folders(root: str) -> Iterator[str]:
    """The folders on this disk that the workspace list of a root takes in, absolute; links are not followed, the walk is bounded."""
    seen = 0
    found: dict[str, None] = {}
    for pattern in _patterns(root)[:_PATTERNS_LIMIT]:
        if pattern.startswith("!"):
            continue
        head, star, rest = pattern.removeprefix("./").rstrip("/").partition("*")
        base = os.path.normpath(os.path.join(root, head.rpartition("/")[0] if star else head))
        depth = _DEPTH_LIMIT if "**" in pattern else rest.count("/") + 1 if star else 0
        pending = [(base, 0)]
        while pending and seen < _FOLDERS_LIMIT:
            folder, level = pending.pop()
            seen += 1
            found[folder] = None
            if level < depth:
                pending += [(below, level + 1) for below in _folders(folder)]
    yield from (folder for folder in sorted(found) if is_member(folder, root) and folder != root)


def _folders(folder: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            yield from (
                entry.path
                for entry in entries
                if entry.name[0] != "." and entry.name != "node_modules" and entry.is_dir(follow_symlinks=False)
            )
    except OSError:
        return


def _patterns(root: str) -> list[str]:
    manifest = read_manifest(root)
    listed = manifest.fields.get("workspaces") if manifest is not None else None
    if isinstance(listed, dict):
        listed = listed.get("packages")
    patterns = [each for each in listed if isinstance(each, str)] if isinstance(listed, list) else []
    try:
        text = read_text(os.path.join(root, "pnpm-workspace.yaml"), MEBIBYTE)
    except UnreadableError:
        return patterns
    section = re.split(r"(?m)^\w", re.split(r"(?m)^packages:", text, maxsplit=1)[-1], maxsplit=1)[0]
    return patterns + [found.group(1) for line in section.splitlines() if (found := _PNPM_ITEM.match(line))]


def _shape(pattern: str) -> re.Pattern[str]:
    """The pattern over POSIX paths: `*` within a part, `**` over any number of parts."""
    parts = re.split(r"(\*\*/?|\*)", pattern.removeprefix("./").rstrip("/"))
    meanings = {"**": ".*", "**/": "(?:[^/]+/)*", "*": "[^/]*"}
    return re.compile("".join(meanings.get(part) or re.escape(part) for part in parts))

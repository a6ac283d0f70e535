"""A brief put on disk: its Markdown and its machine twin, each whole or not at all."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from briefkit.briefs.gate import brief_paths, twin_of
from briefkit.briefs.markdown import SIZE_LIMIT, parse_brief, render_brief
from briefkit.errors import UnreadableError
from briefkit.paths import read_text, shown_path, write_whole

if TYPE_CHECKING:
    from briefkit.briefs.brief import BriefRecord

BRIEFS_LIMIT = 10_000


def write_brief(state_dir: str, task: str, record: BriefRecord) -> str:
    """Write a task's brief and its twin; the Markdown's path. The twin comes first: the Markdown is the authority.

    Raises:
        UsageError: The text is no task id.
        BriefkitError: The state folder cannot be written.

    """
    markdown, twin = brief_paths(state_dir, task)
    write_whole(twin, json.dumps(record.to_dict(), ensure_ascii=False, indent=1, sort_keys=True) + "\n")
    write_whole(markdown, render_brief(record.brief))
    return markdown


def list_briefs(state_dir: str, root: str) -> list[dict[str, Any]]:
    """Each brief of a state folder: its task, path, whether it is one, confidence, questions and when it was verified (POSIX time)."""
    folder = os.path.join(state_dir, "briefs")
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".md"))[:BRIEFS_LIMIT]
    except OSError:
        return []
    found = []
    for name in names:
        path = os.path.join(folder, name)
        record: dict[str, Any] = {"task": name[: -len(".md")], "path": shown_path(path, root), "valid": False}
        record |= {"confidence": None, "questions": [], "verified_at": None}
        try:
            brief = parse_brief(read_text(path, SIZE_LIMIT), path)
        except UnreadableError:
            found.append(record)
            continue
        twin = twin_of(path)
        record |= {"valid": True, "confidence": brief.confidence, "questions": list(brief.questions)}
        found.append({**record, "verified_at": twin.verified_at if twin else None})
    return found

"""A brief put on disk: its Markdown and its machine twin, each whole or not at all."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from briefkit.briefs.gate import brief_paths
from briefkit.briefs.markdown import render_brief
from briefkit.errors import BriefkitError, Place
from briefkit.paths import reason_of

if TYPE_CHECKING:
    from briefkit.briefs.brief import BriefRecord


def write_brief(state_dir: str, task: str, record: BriefRecord) -> str:
    """Write a task's brief and its twin; the Markdown's path. The twin comes first: the Markdown is the authority.

    Raises:
        UsageError: The text is no task id.
        BriefkitError: The state folder cannot be written.

    """
    markdown, twin = brief_paths(state_dir, task)
    try:
        os.makedirs(os.path.dirname(markdown), exist_ok=True)
        _replace(twin, json.dumps(record.to_dict(), ensure_ascii=False, indent=1, sort_keys=True) + "\n")
        _replace(markdown, render_brief(record.brief))
    except OSError as error:
        raise BriefkitError(f"cannot write: {reason_of(error)}", place=Place(error.filename or markdown)) from None
    return markdown


def _replace(path: str, text: str) -> None:
    """Write a file whole beside its place and move it there, so that no reader sees half of it."""
    beside = f"{path}.{os.getpid()}.tmp"
    try:
        with open(beside, "w", encoding="utf-8", newline="\n") as handle:
            handle.write(text)
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(beside, path)
    finally:
        if os.path.exists(beside):
            os.unlink(beside)

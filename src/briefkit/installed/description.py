"""What `locate` says about an installed copy beyond its place."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any


class Description(NamedTuple):
    """Entry points, types and documents of one installed copy, of either ecosystem.

    `entry` maps a way in (`import`, `require`, `bin NAME`, a Python import name) to an absolute path; `types` are objects with `file`,
    `from`, `package`, `version`; `readme` and `changelog` are absolute (`cache.zip!/inner` in a zip) or None; `files` counts the
    distribution's own files.
    """

    entry: dict[str, Any]
    types: tuple[dict[str, Any], ...] = ()
    readme: str | None = None
    changelog: str | None = None
    files: int = 0
    warnings: tuple[str, ...] = ()

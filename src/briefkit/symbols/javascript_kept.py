"""Entries kept in the cache: looked up again without reading any source while no file that they were read from changes."""

from __future__ import annotations

import zlib

from briefkit.records import TYPE_CHECKING

from . import cache
from .javascript_entries import Entry
from .javascript_graph import Graph

if TYPE_CHECKING:
    from typing import Any

    from briefkit.packages import Installed

SCHEMA = 2
_FILLED_LIMIT = 8000
_DEPTH = 2


def head_of(installed: Installed, sub_path: str | None, digest: str | None) -> dict[str, Any]:
    """What a kept entry is about."""
    head: dict[str, Any] = {
        "schema": cache.reader_version(SCHEMA),
        "name": installed.name,
        "version": installed.version,
        "root": installed.root,
        "inner": installed.inner,
        "sub_path": sub_path,
    }
    if digest is not None:
        head["digest"] = digest
    return head


def path_of(cache_dir: str, installed: Installed, sub_path: str | None, kind: str = "javascript") -> str:
    """Where an entry, or another table about it, is kept."""
    mark = f"-{zlib.crc32(sub_path.encode('utf-8', 'surrogatepass')):08x}" if sub_path is not None else ""
    return cache.table_path(cache_dir, installed, kind + mark)


def kept_entry(path: str, head: dict[str, Any]) -> Entry | None:
    """The entry kept at a path, where it is whole, about the same, and no file it was read from has changed."""
    table = cache.read_table(path, head)
    if table is None:
        return None
    about = table.part("entry")
    try:
        if any(cache.stamp(file) != stamp for file, stamp in about["stamps"]):
            return None
        return Entry.from_head(about, Graph(lambda shard: table.part(f"owners:{shard}"), about["size"]))
    except (KeyError, TypeError, ValueError):
        # A table of another layout, or an altered one that still sums up: it is built again.
        return None


def keep_entry(path: str, head: dict[str, Any], entry: Entry) -> None:
    """Keep an entry; what lies deeper than is kept is read from source again when it is asked for."""
    _fill(entry)
    entry.settle()
    # The source may change while it is read: stamps are of the files as they are now, and a later change shows.
    stamps = [[file, cache.stamp(file)] for file in entry.stamped]
    shards = list(entry.graph.shards())
    parts: list[tuple[str, Any]] = [("entry", {**entry.to_head(), "stamps": stamps})]
    parts += [(f"owners:{number}", shard) for number, shard in enumerate(shards)]
    cache.write_table(path, head, parts)


def _fill(entry: Entry) -> None:
    """Look at all owners that short questions come to, so that they are kept with their names."""
    level = [root for root in (entry.types, entry.runs) if isinstance(root, int) and root >= 0]
    seen: set[int] = set()
    for depth in range(_DEPTH + 1):
        following: list[int] = []
        while level and len(seen) < _FILLED_LIMIT:
            number = level.pop()
            if number in seen:
                continue
            seen.add(number)
            owner = entry.graph.owner(number)
            level += [*owner.parents, *owner.options, *([] if owner.instance is None else [owner.instance])]
            if depth < _DEPTH:
                following += [
                    member.value
                    for member in owner.members.values()
                    if isinstance(member.value, int) and member.value >= 0
                ]
        level = following

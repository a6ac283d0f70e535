"""Source digests kept in the user cache: a package's files are hashed once, and again only when their sizes or times change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from briefkit.installed.files import source_digest, stat_signature
from briefkit.symbols.cache import read_table, table_path, write_table

if TYPE_CHECKING:
    from briefkit.packages import Installed

_FLAVOUR = "digest"


def cached_digest(installed: Installed, cache_dir: str | None) -> str:
    """The source digest of an installed copy, in hex.

    Raises:
        UnreadableError: A file of the package cannot be read.

    """
    if cache_dir is None:
        return source_digest(installed)
    path = table_path(cache_dir, installed, _FLAVOUR)
    head = {"signature": stat_signature(installed)}
    kept = read_table(path, head)
    digest = kept.part(_FLAVOUR) if kept is not None else None
    if not isinstance(digest, str):
        digest = source_digest(installed)
        write_table(path, head, [(_FLAVOUR, digest)])
    return digest

"""One file's bytes to its facts, with tree-sitter where it has a wheel, else with `ast`."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from .python_facts import empty_module
from .python_text import readable_source

if TYPE_CHECKING:
    from typing import Any


def facts_of(data: bytes, name: str, *, is_package: bool, stub: bool, python: tuple[int, int] | None) -> dict[str, Any]:
    """What a file says; where it cannot be read, the facts of an empty one with the reason under `unread`."""
    source = readable_source(data)
    if isinstance(source, str):
        return {**empty_module(), "unread": source}
    from . import python_walk
    from .python_scopes import Where

    where = Where(name, is_package=is_package, stub=stub, python=python)
    try:
        return python_walk.read_module(source, where)
    except ValueError as error:
        return {**empty_module(), "unread": str(error)[:200]}
    except (RecursionError, MemoryError, IndexError) as error:  # one strange file must not hide the others
        return {**empty_module(), "unread": f"the reader failed: {type(error).__name__}"}

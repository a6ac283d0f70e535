"""`exports` of a package.json: which target a sub-path has, under which conditions.

The rules are those of Node's package entry points. A target is only named here, never opened; whether it must also exist is the
asker's rule (Node: no; TypeScript: yes, else the next one is tried).
"""

from __future__ import annotations

from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

# A target may not step out of the package or into another one; an escaped slash or dot is as good as a plain one.
_BAD_SEGMENT = lazy_pattern(r"(?i)(?:^|[/\\])(?:(?:\.|%2e){1,2}|node_modules)(?:[/\\]|$)|%2f|%5c|\0")
DEPTH_LIMIT = 64
TARGETS_LIMIT = 10_000


class Target(NamedTuple):
    """What a sub-path leads to: the value in `exports`, and what a `*` (or a legacy folder key) stands for."""

    value: Any
    matched: str
    pattern: bool


def has_exports(fields: Mapping[str, Any]) -> bool:
    """Whether `exports` alone decides what may be imported."""
    return fields.get("exports") is not None


def sub_paths(exports: object) -> Mapping[str, Any]:
    """The table of sub-paths: `.` for the main one, keys with `*` for patterns; empty where `exports` is not valid."""
    if isinstance(exports, dict):
        dotted = [key.startswith(".") for key in exports]
        if all(dotted):
            return exports
        return {} if any(dotted) else {".": exports}
    return {".": exports} if isinstance(exports, (str, list)) else {}


def find_target(table: Mapping[str, Any], sub_path: str, *, folders: bool = False) -> Target | None:
    """The target of a sub-path (`.` or `./x`): an exact key, else the pattern with the longest part before its `*`.

    With `folders` a key that ends in `/` stands for all below it: Node dropped that in 17, TypeScript and bundlers have not.
    """
    if sub_path in table and "*" not in sub_path and not sub_path.endswith("/"):
        return Target(table[sub_path], "", pattern=False)
    best: tuple[tuple[int, int], str] | None = None
    for key in table:
        if _matches(key, sub_path, folders=folders):
            rank = ((key.index("*") + 1) if "*" in key else len(key), len(key))
            if best is None or rank > best[0]:
                best = (rank, key)
    if best is None:
        return None
    key = best[1]
    if "*" not in key:
        return Target(table[key], sub_path[len(key) :], pattern=False)
    head, _, tail = key.partition("*")
    return Target(table[key], sub_path[len(head) : len(sub_path) - len(tail)], pattern=True)


def _matches(key: str, sub_path: str, *, folders: bool) -> bool:
    if "*" not in key:
        return folders and key.endswith("/") and sub_path.startswith(key) and sub_path != key
    head, _, tail = key.partition("*")
    return (
        "*" not in tail
        and sub_path.startswith(head)
        and sub_path.endswith(tail)
        and len(sub_path) >= len(key)
        and sub_path != head
    )


def file_of(target: str, matched: str, *, pattern: bool) -> str | None:
    """The path, relative to the package, of one text target; None where the target is not a valid one."""
    if not target.startswith("./") or _BAD_SEGMENT.search(target[2:]):
        return None
    if matched and _BAD_SEGMENT.search(matched):
        return None
    if pattern:
        return target[2:].replace("*", matched)
    if matched and not target.endswith("/"):
        return None
    return target[2:] + matched


def node_file(target: Target, conditions: frozenset[str]) -> str | None:
    """The file Node takes for a target under these conditions; None where it takes none."""
    found = _node(target.value, target, conditions, 0)
    return found if isinstance(found, str) else None


_NEXT = object()  # "undefined" in Node's algorithm: no condition matched, the caller goes on


def _node(value: object, target: Target, conditions: frozenset[str], depth: int) -> object:
    """The file, None where the target is refused (null or not valid), or `_NEXT`."""
    if isinstance(value, str):
        return file_of(value, target.matched, pattern=target.pattern)
    if depth > DEPTH_LIMIT:
        return None
    if isinstance(value, list):
        refused = not value
        for item in value[:TARGETS_LIMIT]:
            found = _node(item, target, conditions, depth + 1)
            if isinstance(found, str):
                return found
            refused = refused or found is None
        return None if refused else _NEXT
    if isinstance(value, dict):
        for condition, item in value.items():
            if condition == "default" or condition in conditions:
                found = _node(item, target, conditions, depth + 1)
                if found is not _NEXT:
                    return found
        return _NEXT
    return None


def text_targets(value: object, depth: int = 0) -> Iterator[str]:
    """Every text target below a value, whatever its conditions."""
    if isinstance(value, str):
        yield value
    elif depth < DEPTH_LIMIT and isinstance(value, (list, dict)):
        for item in value if isinstance(value, list) else value.values():
            yield from text_targets(item, depth + 1)

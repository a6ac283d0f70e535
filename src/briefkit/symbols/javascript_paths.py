"""What a question for a JavaScript symbol asks: the sub-path, and the names to follow from its exports."""

from __future__ import annotations

import re

from briefkit.records import NamedTuple

_PART = re.compile(r"([.#])")
QUERY_LIMIT = 400


class Query(NamedTuple):
    """`sub_path` of the package (None: the package itself), and each name with whether it is asked of instances alone."""

    sub_path: str | None
    path: list[tuple[str, bool]]


def parse_query(query: str, package: str) -> Query:
    """The parts of `Model.bulkCreate`, `Client#query`, `sub/path:name` or `pkg/sub/path:name`."""
    text = query.strip()[:QUERY_LIMIT]
    sub_path = None
    head, colon, rest = text.rpartition(":")
    if colon:
        text = rest
        sub_path = _sub_path(head, package)
    elif text.startswith(package + "."):
        text = text[len(package) + 1 :] if "/" in package else text
    path: list[tuple[str, bool]] = []
    mark = "."
    for part in _PART.split(text):
        if part in (".", "#"):
            mark = part
        elif part:
            path.append((part.removesuffix("()"), mark == "#"))
    return Query(sub_path, path)


def _sub_path(head: str, package: str) -> str | None:
    if head in (package, ".", ""):
        return None
    return head.removeprefix(package + "/").removeprefix("./") or None

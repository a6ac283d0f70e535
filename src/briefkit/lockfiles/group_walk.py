"""Which groups reach a package, walked over the graph from what the importers declare, extras included."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..packages import Edge

EXTRA = "extra:"


def groups_of(nodes: Sequence[tuple[Edge, ...]], roots: Sequence[tuple[Edge, ...]]) -> list[tuple[str, ...]]:
    """For each node the groups of the roots' edges that lead to it, in the order the roots name them.

    An edge with extras also leads to those edges of its target whose group is `extra:NAME`. A node's own groups that are neither
    extras nor its main list (a member's development groups) are followed from the roots alone.
    """
    bits = {
        group: 1 << place for place, group in enumerate(dict.fromkeys(edge.group for root in roots for edge in root))
    }
    inner = [_split(edges) for edges in nodes]
    masks: dict[tuple[int, str], int] = {}
    pending: list[tuple[int, str, int]] = []
    for root in roots:
        for edge in root:
            if edge.target is not None:
                pending += [(edge.target, extra, bits[edge.group]) for extra in ("", *edge.extras)]
    while pending:
        node, extra, mask = pending.pop()
        known = masks.get((node, extra), 0)
        new = mask & ~known
        if new:
            masks[node, extra] = known | new
            for target, wanted in inner[node].get(extra, ()):
                pending.append((target, wanted, new))
    reached = [0] * len(nodes)
    for (node, _), mask in masks.items():
        reached[node] |= mask
    names: dict[int, tuple[str, ...]] = {}
    return [names.setdefault(mask, tuple(group for group, bit in bits.items() if mask & bit)) for mask in reached]


def _split(edges: tuple[Edge, ...]) -> dict[str, list[tuple[int, str]]]:
    """The (target, extra) pairs that a node leads to, for its main list (``""``) and for each of its extras."""
    found: dict[str, list[tuple[int, str]]] = {}
    for edge in edges:
        if edge.target is None:
            continue
        if edge.group.startswith(EXTRA):
            key = edge.group[len(EXTRA) :]
        elif edge.group in ("main", "prod", "default"):
            key = ""
        else:
            continue
        pairs = found.setdefault(key, [])
        pairs.append((edge.target, ""))
        pairs += [(edge.target, extra) for extra in edge.extras]
    return found

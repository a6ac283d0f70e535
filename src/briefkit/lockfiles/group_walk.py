"""Which groups reach a package, walked over the graph from what the importers declare, extras included."""

from __future__ import annotations

from collections import deque

from briefkit.records import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..packages import Edge

EXTRA = "extra:"
MOST_STEPS = 300_000
MOST_GROUPS = 2_000


def groups_of(nodes: Sequence[tuple[Edge, ...]], roots: Sequence[tuple[Edge, ...]]) -> list[tuple[str, ...]] | None:
    """For each node the groups of the roots' edges that lead to it, in the order the roots name them.

    An edge with extras also leads to those edges of its target whose group is `extra:NAME`. A node's own groups that are neither
    extras nor its main list (a member's development groups) are followed from the roots alone. None where there are more than
    MOST_GROUPS, or the walk takes more than MOST_STEPS: no graph of a real project comes near.
    """
    bits = {
        group: 1 << place for place, group in enumerate(dict.fromkeys(edge.group for root in roots for edge in root))
    }
    if len(bits) > MOST_GROUPS:
        return None
    inner = [_split(edges) for edges in nodes]
    masks: dict[tuple[int, str], int] = {}
    pending: dict[tuple[int, str], int] = {}
    for root in roots:
        for edge in root:
            if edge.target is not None:
                for extra in ("", *edge.extras):
                    pending[edge.target, extra] = pending.get((edge.target, extra), 0) | bits[edge.group]
    queue = deque(pending)
    steps = 0
    while queue:
        place = queue.popleft()
        known = masks.get(place, 0)
        new = pending.pop(place) & ~known
        if not new:
            continue
        masks[place] = known | new
        below = inner[place[0]].get(place[1], ())
        steps += 1 + len(below)
        if steps > MOST_STEPS:
            return None
        for target in below:
            if target not in pending:
                queue.append(target)
                pending[target] = new
            else:
                pending[target] |= new
    reached = [0] * len(nodes)
    for (node, _), mask in masks.items():
        reached[node] |= mask
    names = {mask: tuple(group for group, bit in bits.items() if mask & bit) for mask in set(reached)}
    return [names[mask] for mask in reached]


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

"""What a walk over a lockfile finds: the instance, the way to it, and for which groups."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..packages import Edge

    Holds = Callable[[str], bool]
    """Whether a marker holds in the project's environment."""


class Found(NamedTuple):
    """One way in which an importer gets a package: the instance, or None where the lockfile only knows a link or a name.

    `asked` is the name the importer or the last package on the way uses; `edges` are what the importer declares (empty where it does
    not); `chain` are the names to follow through what is installed, the importer's own first; `groups` are the importer's; `barred` where every way to it
    goes over a marker that does not hold.
    """

    asked: str
    instance: int | None
    edges: tuple[Edge, ...]
    chain: tuple[str, ...]
    groups: tuple[str, ...]
    markers: tuple[str, ...] = ()
    barred: bool = False

    @property
    def declared(self) -> bool:
        """Whether the importer itself declares it."""
        return bool(self.edges)


class Step(NamedTuple):
    """One step of a walk: the instance, the edge that led to it, the names on the way, the group of the first of them, the member."""

    instance: int
    edge: Edge
    chain: tuple[str, ...]
    group: str
    importer: str

    def found(self) -> Found:
        """What the step found; declared where it is the first on the way."""
        edges = (self.edge,) if len(self.chain) == 1 else ()
        markers = (self.edge.marker,) if self.edge.marker else ()
        return Found(self.edge.name, self.instance, edges, self.chain, (self.group,), markers)


_WEIGHTS = {group: place for place, group in enumerate(("prod", "main", "default", "dev", "optional", "peer"))}
_ALWAYS = ("prod", "optional", "peer", "main", "default")


def asked_for(group: str, extras: tuple[str, ...]) -> bool:
    """Whether who uses a package with these extras gets what it declares in a group."""
    return group in _ALWAYS or (group.startswith("extra:") and group[6:] in extras)


def in_order(groups: tuple[str, ...]) -> tuple[str, ...]:
    """Groups in the order of their weight: what production needs first; a format's own names as they came."""
    return tuple(sorted(groups, key=lambda group: _WEIGHTS.get(group, len(_WEIGHTS))))


def group_below(group: str, asked: str) -> str:
    """The group that reaches what a package asks for: what production asks for optionally is optional."""
    return asked if asked == "optional" and group == "prod" else group


def followed(marker: str | None, holds: Holds | None) -> bool:
    """Whether an edge with this marker is followed; all are where no marker is evaluated."""
    return marker is None or holds is None or holds(marker)


def found_by(edges: list[Edge]) -> Found:
    """What the declarations of one name that lead to the same place found."""
    groups = in_order(tuple(dict.fromkeys(edge.group for edge in edges)))
    markers = tuple(dict.fromkeys(edge.marker for edge in edges if edge.marker))
    return Found(edges[0].name, edges[0].target, tuple(edges), (edges[0].name,), groups, markers)

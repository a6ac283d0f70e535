"""Environment markers, evaluated for the project's environment: never for the one briefkit runs in."""

from __future__ import annotations

from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from packaging.markers import Marker

_MAX_MARKER = 20_000
_CHOSEN = lazy_pattern(
    r"""(["'])([^"']*)\1\s*(?:not\s+)?in\s+(?:extras|dependency_groups)|extra\s*[=!]=\s*(["'])([^"']*)\3"""
)


class Markers:
    """The markers of one environment. What extras and groups are chosen is not known, so a marker holds if some choice makes it hold."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values
        self._known: dict[str, bool] = {}

    def holds(self, marker: str) -> bool:
        """Whether the marker can hold in the environment; one that cannot be read is taken to hold."""
        if marker not in self._known:
            self._known[marker] = self._evaluated(marker)
        return self._known[marker]

    def _evaluated(self, marker: str) -> bool:
        from packaging.markers import InvalidMarker, Marker, UndefinedComparison, UndefinedEnvironmentName

        if len(marker) > _MAX_MARKER:
            return True
        try:
            parsed = Marker(marker)
            return any(self._with(parsed, chosen) for chosen in _choices(marker))
        except (InvalidMarker, UndefinedComparison, UndefinedEnvironmentName, RecursionError):
            return True

    def _with(self, marker: Marker, chosen: frozenset[str]) -> bool:
        """Whether the marker holds with these extras and groups chosen."""
        one = next(iter(chosen)) if len(chosen) == 1 else ""
        environment: dict[str, str | frozenset[str]] = {
            **self._values,
            "extra": one,
            "extras": chosen,
            "dependency_groups": chosen,
        }
        return marker.evaluate(environment, context="lock_file")


def _choices(marker: str) -> Iterator[frozenset[str]]:
    """The choices of extras and groups to try: none, each one that the marker names, and all of them."""
    yield frozenset()
    names = {found.group(2) or found.group(4) or "" for found in _CHOSEN.finditer(marker)}
    for name in sorted(names):
        yield frozenset((name,))
    if len(names) > 1:
        yield frozenset(names)

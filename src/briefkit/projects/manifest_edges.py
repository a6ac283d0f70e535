"""What a manifest declares, led to the lockfile's instances, for formats that do not say what is direct."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..names import NPM, canonical
from ..packages import Edge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..lockfiles.reading import LockfileReading
    from .locked_view import LockedView
    from .package_json import Declared


def edges_from_manifest(view: LockedView, importer: str, declared: tuple[Declared, ...]) -> tuple[Edge, ...]:
    """An edge for each declaration and each instance it may lead to."""
    reading = view.reading
    lead = _npm_targets if reading.ecosystem == NPM else _python_targets
    found: list[Edge] = []
    for each in declared:
        targets = lead(reading, importer, each) or (None,)
        found += [Edge(each.name, target, each.requirement, each.group, each.marker, each.line) for target in targets]
    return tuple(found)


def _npm_targets(reading: LockfileReading, importer: str, each: Declared) -> tuple[int, ...]:
    target = reading.patterns.get(f"{each.name}@{each.requirement}")
    if target is None:
        target = reading.visible(importer, each.name)
    if target is None:
        named = tuple(_instances(reading, each.name))
        return named if len(named) == 1 else ()
    return (target,)


def _python_targets(reading: LockfileReading, importer: str, each: Declared) -> tuple[int, ...]:  # noqa: ARG001
    return tuple(_instances(reading, each.name))


def _instances(reading: LockfileReading, name: str) -> Iterator[int]:
    packages = set(reading.packages_named(canonical(reading.ecosystem, name)))
    return (index for index, instance in enumerate(reading.instances) if instance.package in packages)

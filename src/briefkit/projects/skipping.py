"""What could not be used for an answer, with the reason: unread lockfiles, includes that were not followed, names without a version."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from ..names import canonical
from ..packages import LINK, WORKSPACE, Skipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..lockfiles.reading import LockfileReading
    from .ecosystem_project import EcosystemProject


def skipped_of(
    sides: Iterable[EcosystemProject], readings: Iterable[LockfileReading], names: frozenset[str] | None
) -> tuple[Skipped, ...]:
    """Each skipped entry once: of all files, or of those names alone that were asked for (None: of every name)."""
    found: dict[Skipped, None] = {}
    for side in sides:
        found.update((Skipped(name, 0, reason), None) for name, reason in _unread(side))
        found.update(dict.fromkeys(side.skipped))
    for reading in readings:
        if names is None or any(_bears(reading, name) for name in names):
            found.update(dict.fromkeys(_of_reading(reading, names)))
    return tuple(found)


def _unread(side: EcosystemProject) -> Iterator[tuple[str, str]]:
    """The lockfiles in the root of a kind that is not read."""
    from ..errors import UnknownFormatError
    from ..lockfiles.formats import refuse_by_name

    for name in side.root.refused:
        try:
            refuse_by_name(name)
        except UnknownFormatError as error:
            yield side.shown(name), f"{error.what}{'. ' + error.todo if error.todo else ''}"


def _bears(reading: LockfileReading, name: str) -> bool:
    """Whether a file may have skipped something of a name: it holds it without a version, or not at all."""
    named = reading.instances_named(canonical(reading.ecosystem, name))
    return not named or any(reading.held(index).version is None for index in named)


def _of_reading(reading: LockfileReading, names: frozenset[str] | None) -> Iterator[Skipped]:
    """Its skipped entries but its own members, whose version no lockfile needs, and its includes, which were followed."""
    wanted = None if names is None else {canonical(reading.ecosystem, name) for name in names}
    for skipped in reading.skipped:
        if skipped.name.startswith(("-r ", "-c ")):
            continue
        name = canonical(reading.ecosystem, skipped.name)
        if (wanted is None or name in wanted) and not _is_member(reading, skipped):
            yield skipped


def _is_member(reading: LockfileReading, skipped: Skipped) -> bool:
    packages = (reading.package(index) for index in reading.packages_named(skipped.name))
    return any(package.version is None and package.source.kind in (WORKSPACE, LINK) for package in packages)

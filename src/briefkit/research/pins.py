"""What the project says of a library now: the pin that a brief is checked against later, and how stale the brief may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from briefkit.briefs.brief import HIGH, LOW, MEDIUM, PackageId, Pin, Staleness
from briefkit.names import NPM

if TYPE_CHECKING:
    from .library import Library


def pins_of(library: Library) -> tuple[Pin, ...]:
    """What the project says of the library now; the pin that a later reader compares with."""
    one = library.resolution
    if one is None:
        return (Pin(PackageId(library.ecosystem or NPM, library.query, None)),)
    source = one.source
    entry = (
        None
        if one.locked_version is None
        else f"{one.locked_version} {(source.integrity or source.ref or '') if source else ''}".strip()
    )
    return (
        Pin(
            PackageId(one.ecosystem, one.name, one.version),
            one.locked_version,
            one.installed_version,
            entry,
            library.digest,
        ),
    )


def staleness_of(library: Library) -> Staleness:
    """`low` where the pinned version is installed and its source was read; `medium` where one of the two is missing or they differ."""
    one = library.resolution
    if one is None or one.version is None:
        return Staleness(HIGH, "version unknown")
    if one.state == "agree":
        return Staleness(LOW, "pinned version, checked lockfile")
    if one.state == "disagree":
        return Staleness(MEDIUM, "locked and installed versions disagree")
    return Staleness(MEDIUM, "only installed" if one.state == "not-locked" else "only locked, no source read")

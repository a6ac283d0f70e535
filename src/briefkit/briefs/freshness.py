"""Stale is more than old: too long since verified, another version, a changed cited line, a changed lockfile entry.

`stale_reasons` says which of these a brief or an answer is; none means fresh. Reading never renews: `verified_at` moves only with
new research or a verification, and this module has no way to move it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .brief import CLOCK_TOLERANCE, HIGH, WEEK, Brief, Pin, Staleness
from .evidence import CHANGED, OTHER_VERSION, CheckedCitation, World

if TYPE_CHECKING:
    from collections.abc import Iterable


def stale_reasons(
    verified_at: float,
    pins: Iterable[Pin],
    checked: Iterable[CheckedCitation],
    world: World,
    *,
    now: float,
    ttl: float = WEEK,
) -> tuple[str, ...]:
    """Why what was verified then must be researched again; empty where it is fresh."""
    reasons = [*_by_age(verified_at, now, ttl)]
    for pin in pins:
        reasons += _by_pin(pin, world)
    reasons += [
        f"{one.citation.file} lines {one.citation.lines}: {one.state}"
        for one in checked
        if one.state in (CHANGED, OTHER_VERSION)
    ]
    return tuple(dict.fromkeys(reasons))


def _by_age(verified_at: float, now: float, ttl: float) -> list[str]:
    if verified_at > now + CLOCK_TOLERANCE:
        return ["verified in the future, by a clock that is wrong"]
    if now - verified_at > ttl:
        return [f"verified {(now - verified_at) / 86400:.1f} days ago, more than {ttl / 86400:g}"]
    return []


def _by_pin(pin: Pin, world: World) -> list[str]:
    """Why a package is not what it was when it was researched."""
    if world.pin is None:
        return []
    package = pin.package
    current = world.pin(package.ecosystem, package.name)
    if current is None:
        return [f"{package.name} is no longer in the project"]
    if current.package.version != package.version:
        return [
            f"{package.name} is {current.package.version or 'at no known version'} now, the brief is for {package.version}"
        ]
    if current.entry != pin.entry and pin.entry is not None:
        return [f"the lockfile's entry of {package.name} changed"]
    if pin.digest is not None and current.digest is not None and current.digest != pin.digest:
        return [f"the installed source of {package.name} changed"]
    return []


def is_closed_by_risk(brief: Brief) -> bool:
    """Whether the staleness risk alone closes the gate (`high`)."""
    return brief.staleness.risk == HIGH


def staleness_of(pins: Iterable[Pin], *, source_read: bool) -> Staleness:
    """The staleness risk of what is known: `low`, `medium` or `high` by the contract's rule, with its reason."""
    from .brief import LOW, MEDIUM

    pins = tuple(pins)
    if not pins:
        return Staleness(LOW, "the repo's own files") if source_read else Staleness(HIGH, "no source read")
    if any(pin.package.version is None for pin in pins):
        return Staleness(HIGH, "version unknown")
    if any(pin.locked and pin.installed and pin.locked != pin.installed for pin in pins):
        return Staleness(MEDIUM, "locked and installed versions disagree")
    if any(not pin.installed for pin in pins):
        return Staleness(MEDIUM, "locked, not installed")
    if any(not pin.locked for pin in pins):
        return Staleness(MEDIUM, "installed, not locked")
    if not source_read:
        return Staleness(MEDIUM, "pinned version, source not read")
    return Staleness(LOW, "pinned version, checked lockfile")

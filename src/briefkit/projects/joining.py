"""Locked and installed are two facts: one resolution from both, with the proof of each."""

from __future__ import annotations

import re

from briefkit.records import TYPE_CHECKING, NamedTuple

from ..names import PYPI
from ..paths import shown_path
from .resolution import (
    AGREE,
    DISAGREE,
    NOT_FOR_THIS_PLATFORM,
    NOT_INSTALLED,
    NOT_LOCKED,
    InstalledCopy,
    LockfileUsed,
    OtherVersion,
    Proof,
    Resolution,
)

if TYPE_CHECKING:
    from ..packages import Installed, Source

_EVIDENCE_LIMIT = 1 << 20


class LockedFact(NamedTuple):
    """What a lockfile says of one package for one importer; `version` is None where it states none."""

    name: str
    version: str | None
    proof: Proof
    lockfile: LockfileUsed
    source: Source
    asked: str
    requirement: str | None = None
    direct: bool | None = None
    groups: tuple[str, ...] = ()
    marker: str | None = None
    other_versions: tuple[OtherVersion, ...] = ()
    notes: tuple[str, ...] = ()
    excluded: str | None = None
    """Why this platform does not get it, None where it may."""
    local: bool = False
    """Whether it is a folder of this disk, whose own manifest says its version."""


def join(
    query: str, ecosystem: str, importer: str, locked: LockedFact, installed: Installed | None, repo: str
) -> Resolution:
    """The resolution of what is locked, installed or not."""
    state, notes = _state(ecosystem, locked, installed)
    decided_by = locked.proof
    version = locked.version
    if installed is not None and installed.version is not None:
        version = installed.version
        if state == DISAGREE or locked.version is None:
            decided_by = installed_proof(installed, repo, "installed, and the installed one is what the code runs")
    return Resolution(
        query,
        ecosystem,
        locked.name,
        version,
        state,
        importer,
        decided_by,
        alias=locked.asked if locked.asked != locked.name else None,
        locked_version=locked.version,
        installed_version=installed.version if installed else None,
        requirement=locked.requirement,
        direct=locked.direct,
        groups=locked.groups,
        marker=locked.marker,
        locked_by=locked.proof,
        lockfile=locked.lockfile,
        source=locked.source,
        installed=InstalledCopy(shown_path(installed.root, repo), installed.kind) if installed else None,
        other_versions=locked.other_versions,
        notes=(*locked.notes, *notes, *(installed.warnings if installed else ())),
        copy=installed,
    )


def not_locked(  # noqa: PLR0913 - the facts of one answer
    query: str,
    ecosystem: str,
    importer: str,
    installed: Installed,
    repo: str,
    *,
    requirement: str | None = None,
    direct: bool | None = None,
    groups: tuple[str, ...] = (),
    other_versions: tuple[OtherVersion, ...] = (),
    notes: tuple[str, ...] = (),
) -> Resolution:
    """The resolution of what is installed and in no lockfile."""
    return Resolution(
        query,
        ecosystem,
        installed.name,
        installed.version,
        NOT_LOCKED,
        importer,
        installed_proof(installed, repo, "installed, in no lockfile"),
        alias=installed.alias,
        installed_version=installed.version,
        requirement=requirement,
        direct=direct,
        groups=groups,
        installed=InstalledCopy(shown_path(installed.root, repo), installed.kind),
        other_versions=other_versions,
        notes=(*notes, *installed.warnings),
        copy=installed,
    )


def installed_proof(installed: Installed, repo: str, rule: str) -> Proof:
    """The file and line of an installed copy that state its version."""
    evidence = installed.evidence[0] if installed.evidence else installed.root
    return Proof(shown_path(evidence, repo), _version_line(evidence, installed.version), rule)


def same_version(ecosystem: str, one: str, other: str) -> bool:
    """Whether two versions are the same one: by PEP 440 for PyPI (`1.0` is `1.0.0`), as text for npm but for a leading `v`."""
    if one == other:
        return True
    if ecosystem != PYPI:
        return one.lstrip("v=") == other.lstrip("v=")
    from packaging.version import InvalidVersion, Version

    try:
        return Version(one) == Version(other)
    except InvalidVersion:
        return False


def _state(ecosystem: str, locked: LockedFact, installed: Installed | None) -> tuple[str, tuple[str, ...]]:
    if installed is None:
        if locked.excluded:
            return NOT_FOR_THIS_PLATFORM, (locked.excluded,)
        return NOT_INSTALLED, ()
    if locked.version is None:
        return AGREE, (f"the lockfile states no version for this {locked.source.kind} source",)
    if installed.version is None:
        return AGREE, ("the installed copy states no version",)
    if same_version(ecosystem, locked.version, installed.version):
        return AGREE, ()
    if locked.local:
        return AGREE, (
            f"the lockfile still says {locked.version}; the version of a linked folder is what the folder says",
        )
    return DISAGREE, ()


def _version_line(path: str, version: str | None) -> int:
    """The line of a package.json or METADATA that states the version; 1 where the file cannot be read or states it elsewhere."""
    if version is None:
        return 1
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(_EVIDENCE_LIMIT)
    except OSError:
        return 1
    found = re.search(rf'(?:"version"\s*:\s*"|(?m:^)[Vv]ersion:\s*){re.escape(version)}', text)
    return text.count("\n", 0, found.start()) + 1 if found else 1

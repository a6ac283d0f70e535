"""What a resolution is: which version a directory uses of a library, and the file, line and rule that prove it.

Paths in these records are as a user sees them: POSIX, relative to the repo where they lie in it, else absolute.
"""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

    from ..packages import Installed, Source

AGREE = "agree"
DISAGREE = "disagree"
NOT_INSTALLED = "not-installed"
NOT_LOCKED = "not-locked"
NOT_FOR_THIS_PLATFORM = "not-for-this-platform"
CONFLICTED = "conflicted"


class Proof(NamedTuple):
    """The file, line (0: the whole file) and rule that decided an answer."""

    file: str
    line: int
    rule: str

    def to_dict(self) -> dict[str, Any]:
        """The `decided_by` object of the contract."""
        return {"file": self.file, "line": self.line, "rule": self.rule}


class LockfileUsed(NamedTuple):
    """The lockfile that an answer was read from."""

    path: str
    format: str
    format_version: str

    def to_dict(self) -> dict[str, Any]:
        """The `lockfile` object of the contract."""
        return {"path": self.path, "format": self.format, "format_version": self.format_version}


class InstalledCopy(NamedTuple):
    """Where the installed copy lies: its real folder or file, and its kind."""

    root: str
    kind: str

    def to_dict(self) -> dict[str, Any]:
        """The `installed` object of the contract."""
        return {"root": self.root, "kind": self.kind}


class OtherVersion(NamedTuple):
    """Another version of the same package in the repo, and who uses it: members, or `name@version` of packages."""

    version: str | None
    used_by: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The entry of `other_versions` in the contract."""
        return {"version": self.version, "used_by": list(self.used_by)}


class Resolution(NamedTuple):
    """Which version of a package one importer uses.

    `name` is the real name, `alias` what the importer calls it where that differs; `version` the installed one where it is
    installed, else the locked one, None where the lockfiles conflict. `decided_by` proves `version`, `locked_by` the locked one:
    they differ where `state` is `disagree`. `copy` is the installed record itself, for the floors above; it is not part of the JSON.
    """

    query: str
    ecosystem: str
    name: str
    version: str | None
    state: str
    importer: str
    decided_by: Proof
    alias: str | None = None
    locked_version: str | None = None
    installed_version: str | None = None
    requirement: str | None = None
    direct: bool | None = None
    groups: tuple[str, ...] = ()
    marker: str | None = None
    locked_by: Proof | None = None
    lockfile: LockfileUsed | None = None
    source: Source | None = None
    installed: InstalledCopy | None = None
    other_versions: tuple[OtherVersion, ...] = ()
    notes: tuple[str, ...] = ()
    copy: Installed | None = None

    def to_dict(self) -> dict[str, Any]:
        """The entry of `resolutions` in the contract."""
        return {
            "query": self.query,
            "ecosystem": self.ecosystem,
            "name": self.name,
            "alias": self.alias,
            "version": self.version,
            "locked_version": self.locked_version,
            "installed_version": self.installed_version,
            "state": self.state,
            "importer": self.importer,
            "requirement": self.requirement,
            "direct": self.direct,
            "groups": list(self.groups),
            "marker": self.marker,
            "decided_by": self.decided_by.to_dict(),
            "locked_by": self.locked_by.to_dict() if self.locked_by else None,
            "lockfile": self.lockfile.to_dict() if self.lockfile else None,
            "source": self.source.to_dict() if self.source else None,
            "installed": self.installed.to_dict() if self.installed else None,
            "other_versions": [other.to_dict() for other in self.other_versions],
            "notes": list(self.notes),
        }

"""Where the source of a package lies that a member uses, joined with what the lockfile says of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import AmbiguousNameError
from ..names import NPM
from ..packages import FILE, GIT, PATCH, REGISTRY, URL, WORKSPACE
from ..paths import shown_path
from .resolution import NOT_LOCKED

if TYPE_CHECKING:
    from ..installed.description import Description
    from ..packages import Installed
    from .project import Project
    from .resolution import Resolution

_KIND_OF_SOURCE = {GIT: "git", URL: "file", FILE: "file", PATCH: "patched"}


class Located(NamedTuple):
    """Where a package's source lies. `to_dict` is the JSON of the contract; paths in it are as a user sees them.

    `copy` is the installed record (None: not installed), `description` its entry points, types and documents, `resolution` what
    is locked and installed.
    """

    query: str
    ecosystem: str | None
    importer: str
    repo: str
    copy: Installed | None = None
    description: Description | None = None
    resolution: Resolution | None = None
    kind: str | None = None
    environment: tuple[str, str] | None = None
    other_copies: tuple[dict[str, Any], ...] = ()
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `briefkit locate`."""
        copy, resolution = self.copy, self.resolution
        return {
            "query": self.query,
            "ecosystem": self.ecosystem,
            "importer": self.importer,
            "name": copy.name if copy else resolution.name if resolution else None,
            "alias": copy.alias if copy else resolution.alias if resolution else None,
            "version": copy.version if copy else resolution.version if resolution else None,
            "version_from": self._version_from(),
            "root": self._shown(copy.root) if copy else None,
            "inner": copy.inner if copy else None,
            "link": self._shown(copy.link) if copy else None,
            "kind": self.kind,
            **self._described(),
            "environment": (
                {"path": self._shown(self.environment[0]), "rule": self.environment[1]} if self.environment else None
            ),
            "evidence": [self._shown(path) for path in copy.evidence] if copy else [],
            "lock": self._lock(),
            "other_copies": list(self.other_copies),
            "warnings": list(self.warnings),
        }

    def _described(self) -> dict[str, Any]:
        if self.description is None:
            return {"files": 0, "entry": {}, "types": [], "readme": None, "changelog": None}
        found = self.description
        return {
            "files": found.files,
            "entry": {key: self._shown_value(value) for key, value in found.entry.items()},
            "types": [{key: self._shown_value(value) for key, value in one.items()} for one in found.types],
            "readme": self._shown(found.readme),
            "changelog": self._shown(found.changelog),
        }

    def _version_from(self) -> str | None:
        if self.copy is not None and self.copy.evidence:
            return self._shown(self.copy.evidence[0])
        return self.resolution.decided_by.file if self.resolution else None

    def _lock(self) -> dict[str, Any] | None:
        found = self.resolution
        if found is None or found.state == NOT_LOCKED or found.lockfile is None:
            return None
        return {"file": found.lockfile.path, "version": found.locked_version, "state": found.state}

    def _shown(self, path: str | None) -> str | None:
        return None if path is None else shown_path(path, self.repo)

    def _shown_value(self, value: object) -> object:
        """A value of the description, paths in it as a user sees them."""
        if isinstance(value, dict):
            return {key: self._shown_value(inner) for key, inner in value.items()}
        return shown_path(value, self.repo) if isinstance(value, str) and os.path.isabs(value) else value


def locate(project: Project, query: str, importer: str | None, ecosystem: str | None) -> Located:
    """Where the package of a query lies, for a member.

    Raises:
        AmbiguousNameError: It is in both ecosystems and neither is named.

    """
    resolutions = project.resolve(query, importer, ecosystem)
    ecosystems = dict.fromkeys(one.ecosystem for one in resolutions)
    if len(ecosystems) > 1:
        either = " or ".join(f"{each}:{query}" for each in ecosystems)
        raise AmbiguousNameError(f"{query!r} is in both ecosystems", todo=f"Ask for {either}, or give --ecosystem")
    asked = importer or project.importer(ecosystem)
    if not resolutions:
        return _builtin(project, query, asked, ecosystem)
    chosen = next((one for one in resolutions if one.copy is not None), resolutions[0])
    return _located(project, query, chosen, resolutions)


def _located(project: Project, query: str, chosen: Resolution, resolutions: tuple[Resolution, ...]) -> Located:
    copy = chosen.copy
    description = _described(copy) if copy is not None else None
    environment = project.environment if chosen.ecosystem != NPM else None
    return Located(
        query,
        chosen.ecosystem,
        chosen.importer,
        project.repo,
        copy,
        description,
        chosen,
        _kind(chosen),
        (environment.path, environment.rule) if environment else None,
        _others(project, chosen, resolutions),
        (*chosen.notes, *(description.warnings if description else ())),
    )


def _described(copy: Installed) -> Description:
    if copy.ecosystem == NPM:
        from ..installed.node_packages import describe

        return describe(copy)
    from ..installed.site_packages import describe as describe_python

    return describe_python(copy)


def _kind(chosen: Resolution) -> str | None:
    """What the installed copy is; where that is a plain copy, what the lockfile says it was made of."""
    if chosen.copy is None:
        return None
    source = chosen.source.kind if chosen.source is not None else REGISTRY
    if chosen.copy.kind == REGISTRY:
        return _KIND_OF_SOURCE.get(source, REGISTRY)
    if source == WORKSPACE:
        return WORKSPACE
    return chosen.copy.kind


def _others(project: Project, chosen: Resolution, resolutions: tuple[Resolution, ...]) -> tuple[dict[str, Any], ...]:
    """The other installed copies of the same package: of other resolutions, and for npm anywhere in the project's trees."""
    copies = [one.copy for one in resolutions if one.copy is not None]
    if chosen.ecosystem == NPM:
        from ..installed.node_packages import copies as copies_of

        copies += [copy for copy in copies_of(chosen.name, project.root(NPM).path) if copy.name == chosen.name]
    seen = {(chosen.copy.root, chosen.copy.inner) if chosen.copy else None}
    found = []
    for copy in copies:
        if (copy.root, copy.inner) not in seen:
            seen.add((copy.root, copy.inner))
            found.append({"root": shown_path(copy.root, project.repo), "inner": copy.inner, "version": copy.version})
    return tuple(found)


def _builtin(project: Project, query: str, importer: str, ecosystem: str | None) -> Located:
    """The answer for a name that is neither locked nor installed: part of node or of Python itself, or nothing."""
    return Located(
        query, ecosystem, importer, project.repo, warnings=(f"{query} is neither locked nor installed for {importer}",)
    )

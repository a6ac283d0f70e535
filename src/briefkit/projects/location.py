"""Where the source of a package lies that a member uses, joined with what the lockfile says of it."""

from __future__ import annotations

import os
import sys

from briefkit.records import TYPE_CHECKING, NamedTuple

from ..errors import AmbiguousNameError
from ..names import NPM, PYPI
from ..packages import FILE, GIT, PATCH, REGISTRY, URL, WORKSPACE, Source
from ..paths import shown_path
from .resolution import NOT_LOCKED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Protocol

    from ..installed.description import Description
    from ..installed.site_packages import SitePackages
    from ..packages import Environment, Installed
    from .resolution import Resolution
    from .roots import Root

    class Asked(Protocol):
        """What is asked of a project to locate a package in it."""

        @property
        def repo(self) -> str:
            """The folder that paths are shown relative to."""

        @property
        def environment(self) -> Environment | None:
            """The Python environment."""

        def root(self, ecosystem: str) -> Root:
            """The root of one ecosystem."""

        def importer(self, ecosystem: str | None = None) -> str:
            """The member that the directory lies in."""

        def site(self) -> SitePackages | None:
            """What is installed in the environment."""

        def resolve(
            self, name: str, importer: str | None = None, ecosystem: str | None = None
        ) -> tuple[Resolution, ...]:
            """The resolutions of a name."""


BUILTIN = "builtin"
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


def locate(project: Asked, query: str, importer: str | None, ecosystem: str | None) -> Located:
    """Where the package of a query lies, for a member.

    Raises:
        AmbiguousNameError: It is in both ecosystems and neither is named, or a namespace that several distributions share.

    """
    resolutions = project.resolve(query, importer, ecosystem)
    built_in = _builtins(project, query, ecosystem)
    ecosystems = dict.fromkeys((*(one.ecosystem for one in resolutions), *built_in))
    if len(ecosystems) > 1:
        either = " or ".join(f"{each}:{query}" for each in ecosystems)
        raise AmbiguousNameError(f"{query!r} is in both ecosystems", todo=f"Ask for {either}, or give --ecosystem")
    namespace_owners(query, resolutions)
    asked = importer or project.importer(ecosystem)
    if built_in:
        return _builtin(project, query, asked, built_in[0], resolutions)
    if not resolutions:
        return _nowhere(project, query, asked, ecosystem)
    chosen = next((one for one in resolutions if one.copy is not None), resolutions[0])
    return _located(project, query, chosen, resolutions)


def namespace_owners(query: str, resolutions: tuple[Resolution, ...]) -> None:
    """Refuses an import name that is only the common beginning of what several distributions bring: `google` is none of them.

    Raises:
        AmbiguousNameError: It is such a name.

    """
    copies = [one.copy for one in resolutions if one.copy is not None and one.ecosystem == PYPI]
    names = sorted({copy.name for copy in copies})
    if len(names) < 2 or any(query in copy.top_levels for copy in copies):
        return
    inner = next((top for copy in copies for top in copy.top_levels if top.startswith(query + ".")), None)
    if inner is not None:
        raise AmbiguousNameError(
            f"{query!r} is a namespace of {', '.join(names)}",
            todo=f"Ask for one of them, or for an import name such as {inner}",
        )


def _builtins(project: Asked, query: str, ecosystem: str | None) -> list[str]:
    """The ecosystems whose runtime itself has a module of this name that an import gets before any package.

    Node's own modules come before packages (`events/` asks for the package); Python's come after, so only where none is installed.
    """
    from ..installed.node_builtins import is_builtin

    found = []
    if query.startswith("node:") or (ecosystem is None and not project.root(NPM).bare and is_builtin(query)):
        found.append(NPM)
    standard = query.partition(".")[0] in sys.stdlib_module_names
    if standard and ecosystem != NPM and not project.root(PYPI).bare and not project.resolve(query, None, PYPI):
        found.append(PYPI)
    return found


def _builtin(project: Asked, query: str, importer: str, ecosystem: str, resolutions: tuple[Resolution, ...]) -> Located:
    """The answer for a module of the runtime itself; a package of the same name is only mentioned."""
    runtime = "Node" if ecosystem == NPM else "Python"
    others = tuple(
        {"root": shown_path(one.copy.root, project.repo), "inner": one.copy.inner, "version": one.copy.version}
        for one in resolutions
        if one.copy is not None
    )
    warnings = [f"{query} is a module of {runtime} itself, no package's"]
    if others:
        warnings.append(f"a package of that name is installed too; an import gets it as {query}/")
    site = project.site() if ecosystem == PYPI else None
    copy = site.builtin(query) if site is not None else None
    description = _described(copy) if copy is not None else None
    return Located(
        query,
        ecosystem,
        importer,
        project.repo,
        copy,
        description,
        kind=BUILTIN,
        environment=_environment(project) if copy is not None else None,
        other_copies=others,
        warnings=(*warnings, *(copy.warnings if copy is not None else ())),
    )


def _nowhere(project: Asked, query: str, importer: str, ecosystem: str | None) -> Located:
    """The answer for a name that is neither locked nor installed for the member, with what there is elsewhere."""
    warnings = [f"{query} is neither locked nor installed for {importer}"]
    others: list[dict[str, Any]] = []
    kinds: dict[str, None] = {}
    for copy in _elsewhere(project, query, importer, ecosystem):
        shown = shown_path(copy.root, project.repo)
        kinds[copy.kind] = None
        others.append({"root": shown, "inner": copy.inner, "version": copy.version})
        warnings += [f"{shown}: {note}" for note in copy.warnings or (f"a {copy.kind} copy",)]
    only = next(iter(kinds)) if len(kinds) == 1 else None
    return Located(
        query,
        ecosystem,
        importer,
        project.repo,
        kind=only if only in ("stub-only", "vendored") else None,
        other_copies=tuple(others),
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _elsewhere(project: Asked, query: str, importer: str, ecosystem: str | None) -> Iterator[Installed]:
    """What there is under a name that the member cannot import: others' copies, types alone, copies inside packages."""
    if ecosystem != PYPI and not project.root(NPM).bare:
        from ..installed.node_packages import elsewhere

        root = project.root(NPM).path
        yield from elsewhere(query, os.path.normpath(os.path.join(root, importer)), root)
    site = project.site() if ecosystem != NPM else None
    if site is not None:
        yield from site.stubs_for(query)


def _located(project: Asked, query: str, chosen: Resolution, resolutions: tuple[Resolution, ...]) -> Located:
    copy = chosen.copy
    description = _described(copy) if copy is not None else None
    return Located(
        query,
        chosen.ecosystem,
        chosen.importer,
        project.repo,
        copy,
        description,
        chosen,
        _kind(chosen),
        _environment(project) if chosen.ecosystem != NPM else None,
        _others(project, chosen, resolutions),
        (*chosen.notes, *(description.warnings if description else ())),
    )


def _environment(project: Asked) -> tuple[str, str] | None:
    found = project.environment
    return (found.path, found.rule) if found is not None else None


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
    origin = chosen.source or Source(REGISTRY)
    source = origin.kind
    if source == PATCH and (origin.path or "").startswith("builtin<"):
        return REGISTRY  # yarn makes a few packages fit its linker; nobody in the repo patched them
    if chosen.copy.kind == REGISTRY:
        return _KIND_OF_SOURCE.get(source, REGISTRY)
    if source == WORKSPACE:
        return WORKSPACE
    return chosen.copy.kind


def _others(project: Asked, chosen: Resolution, resolutions: tuple[Resolution, ...]) -> tuple[dict[str, Any], ...]:
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

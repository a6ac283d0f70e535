"""The Python half of a project: what a member declares, what the lockfile gives it in its environment, and what is installed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..names import PYPI, is_pypi_name, pypi_name
from ..packages import DIRECTORY, EDITABLE, LINK, WORKSPACE
from ..paths import shown_path
from .joining import LockedFact, join, not_locked
from .resolution import Proof

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..installed.site_packages import SitePackages
    from ..packages import Environment, Installed
    from .locked_view import Found, LockedView
    from .markers import Markers
    from .package_json import Declared
    from .resolution import Resolution

_LOCAL = (WORKSPACE, LINK, EDITABLE, DIRECTORY)


class PythonProject:
    """One member of a Python project, in its environment if one is found."""

    ecosystem = PYPI

    def __init__(
        self,
        root: str,
        repo: str,
        importer: str,
        environment: Callable[[], Environment | None],
        site: Callable[[], SitePackages | None],
    ) -> None:
        self.root = root
        self.repo = repo
        self.importer = importer
        self.folder = os.path.normpath(os.path.join(root, importer))
        self._environment = environment
        self._site = site
        self._markers: Markers | None = None

    def names_asked(self, query: str) -> tuple[str, ...]:
        """The distributions a query can mean: the name itself, the owners of the import name, the name before the first dot.

        Owners are what the installed files say; the others count only where the lockfile or the environment has them.
        """
        site = self._site()
        found: list[str] = [pypi_name(query)] if is_pypi_name(query) else []
        if site is not None and _is_import(query):
            found += [owner.name for owner in site.owners_of(query)]
        if "." in query and _is_import(query):
            found.append(pypi_name(query.partition(".")[0]))
        return tuple(dict.fromkeys(found))

    def installed(self, name: str) -> Installed | None:
        """The installed distribution of this name."""
        site = self._site()
        return site.distribution(name) if site is not None else None

    def declared(self) -> tuple[Declared, ...]:
        """What the member's own manifests declare."""
        from .python_manifests import declared_in_python

        return declared_in_python(self.folder, lambda path: shown_path(path, self.repo))

    def locked(self, query: str, name: str, view: LockedView) -> tuple[Resolution, ...]:
        """The resolutions of a name that one lockfile gives: of several forks those whose marker holds in the environment."""
        markers = self.markers()
        found = view.declared(self.importer, name)
        if not found and markers is not None:
            found = view.reachable(self.importer, name, markers.holds)
        found = found or view.reachable(self.importer, name) or view.unreached(self.importer, name)
        chosen = [each for each in found if markers is None or _holds(each, view, markers)]
        if chosen:
            unevaluated = markers is None and len(found) > 1
            return tuple(self.resolution(query, each, view, unevaluated=unevaluated) for each in chosen)
        return tuple(self.resolution(query, each, view, excluded=_excluded(each, view)) for each in found)

    def resolution(
        self, query: str, found: Found, view: LockedView, *, excluded: str | None = None, unevaluated: bool = False
    ) -> Resolution:
        """One thing the lockfile gives, joined with the distribution that is installed."""
        fact = self._fact(found, view, excluded)
        if unevaluated:
            fact = fact._replace(notes=(*fact.notes, "no environment was found, so its marker was not evaluated"))
        return join(query, PYPI, self.importer, fact, self.installed(fact.name), self.repo)

    def unlocked(self, query: str, name: str) -> tuple[Resolution, ...]:
        """The resolution of what is installed and that no lockfile gives the member."""
        installed = self.installed(name)
        if installed is None:
            return ()
        declared = next((each for each in self.declared() if pypi_name(each.name) == pypi_name(name)), None)
        return (
            not_locked(
                query,
                PYPI,
                self.importer,
                installed,
                self.repo,
                requirement=declared.requirement if declared else None,
                direct=declared is not None,
                groups=(declared.group,) if declared else (),
            ),
        )

    def markers(self) -> Markers | None:
        """The markers of the project's environment; None where no environment was found."""
        if self._markers is None:
            environment = self._environment()
            if environment is None or not environment.markers:
                return None
            from .markers import Markers

            self._markers = Markers(dict(environment.markers))
        return self._markers

    def _fact(self, found: Found, view: LockedView, excluded: str | None) -> LockedFact:
        edge = found.edges[0] if found.edges else None
        if found.instance is None:
            from ..packages import REGISTRY, Source

            rule = f"declared by {self.importer}; the lockfile holds no package for it"
            proof = Proof(view.shown, edge.line if edge else 0, rule)
            return LockedFact(found.asked, None, proof, view.used, Source(REGISTRY), found.asked, direct=True)
        instance = view.reading.instance(found.instance)
        package = view.reading.package(instance.package)
        marker = " and ".join(dict.fromkeys((*found.markers, *((package.marker,) if package.marker else ()))))
        return LockedFact(
            package.name,
            package.version,
            Proof(view.shown, instance.line or package.line, _rule(found, instance.key)),
            view.used,
            package.source,
            package.name,
            requirement=next((each.requirement for each in found.edges if each.requirement), None),
            direct=found.declared,
            groups=found.groups,
            marker=marker or None,
            other_versions=view.other_versions(package.name, instance.package),
            excluded=excluded,
            local=package.source.kind in _LOCAL,
        )


def _is_import(query: str) -> bool:
    return all(part.isidentifier() for part in query.split("."))


def _holds(found: Found, view: LockedView, markers: Markers) -> bool:
    if found.markers and not any(edge.marker is None or markers.holds(edge.marker) for edge in found.edges):
        return False
    marker = view.package_of(found.instance).marker if found.instance is not None else None
    return marker is None or markers.holds(marker)


def _excluded(found: Found, view: LockedView) -> str:
    package = view.package_of(found.instance) if found.instance is not None else None
    marker = next(iter(found.markers), None) or (package.marker if package else None)
    return (
        f"its marker does not hold in the environment: {marker}"
        if marker
        else "reached only where a marker does not hold"
    )


def _rule(found: Found, key: str) -> str:
    if found.declared:
        return f"declared as {found.asked} ({', '.join(found.groups)}); locked as {key}"
    if len(found.chain) > 1:
        return f"reached through {' > '.join(found.chain[:-1])}; locked as {key}"
    return f"not declared here, but in the lockfile; locked as {key}"

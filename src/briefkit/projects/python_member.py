"""A member of a Python project: what the lockfile gives it in its environment, and what is installed there."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from ..names import PYPI, is_pypi_name, pypi_name
from ..packages import DIRECTORY, EDITABLE, LINK, REGISTRY, WORKSPACE, Source
from ..paths import shown_path
from .joining import LockedFact
from .member import Member, requirement_of, rule_of
from .resolution import AGREE, DISAGREE, NOT_INSTALLED, Proof

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..installed.site_packages import SitePackages
    from ..packages import Environment, Installed
    from .found import Found, Holds
    from .locked_view import LockedView
    from .markers import Markers
    from .package_json import Declared
    from .resolution import OtherVersion, Resolution

_LOCAL = (WORKSPACE, LINK, EDITABLE, DIRECTORY)


class PythonMember(Member):
    """A member of a Python project, in the project's environment if one is found."""

    ecosystem = PYPI

    def __init__(
        self,
        root: str,
        repo: str,
        importer: str,
        environment: Callable[[], Environment | None],
        site: Callable[[], SitePackages | None],
    ) -> None:
        super().__init__(root, repo, importer)
        self._environment = environment
        self._site = site
        self._markers: Markers | None = None

    def names_asked(self, query: str) -> tuple[str, ...]:
        """The distributions a query can mean: the name itself, the owners of the import name, the name before the first dot.

        Owners are what the installed files say; the others count only where the lockfile or the environment has them.
        """
        found: list[str] = [pypi_name(query)] if is_pypi_name(query) else []
        if _is_import(query):
            site = self._site()
            alike = site.distribution(query) if site is not None else None
            if site is not None and (alike is None or query not in alike.top_levels):
                found += [owner.name for owner in site.owners_of(query)]
            if "." in query:
                found.append(pypi_name(query.partition(".")[0]))
        return tuple(dict.fromkeys(found))

    def installed(self, name: str) -> Installed | None:
        """The installed distribution of this name."""
        site = self._site()
        return site.distribution(name) if site is not None else None

    def all_installed(self) -> tuple[Installed, ...]:
        """Every distribution in the environment."""
        site = self._site()
        return site.distributions() if site is not None else ()

    def read_declared(self) -> tuple[Declared, ...]:
        """What the member's manifests declare."""
        from .python_manifests import declared_in_python

        return declared_in_python(self.folder, lambda path: shown_path(path, self.repo))

    def found(self, name: str, view: LockedView) -> tuple[Found, ...]:
        """What the lockfile gives the member: of several forks those whose marker holds, all where none does or none is evaluated."""
        markers = self.markers()
        found = view.declared(self.importer, name)
        if not found and markers is not None:
            found = view.reachable(self.importer, name, markers.holds)
        if not found:
            barred = markers is not None
            found = tuple(each._replace(barred=barred) for each in view.reachable(self.importer, name))
        found = found or view.unreached(self.importer, name)
        chosen = tuple(each for each in found if self._excluded(each, view) is None)
        return chosen or found

    def fact(self, found: Found, view: LockedView) -> LockedFact:
        """What the lockfile says of an instance, or of a name it holds nothing for."""
        if found.instance is None:
            return self._missing_fact(found, view)
        held = view.reading.held(found.instance)
        marker = _joined_marker(found.markers, held.marker)
        unevaluated = marker is not None and self.markers() is None
        return LockedFact(
            held.name,
            held.version,
            Proof(view.shown, held.line, rule_of(found, held.key)),
            view.used,
            held.source,
            held.name,
            requirement=requirement_of(found.edges),
            direct=found.declared if view.direct_known(self.importer) else None,
            groups=found.groups,
            marker=marker,
            other_versions=view.other_versions(held.name, held.version),
            notes=("no environment was found, so its marker was not evaluated",) if unevaluated else (),
            excluded=self._excluded(found, view),
            local=held.source.kind in _LOCAL,
        )

    def copy(self, found: Found, fact: LockedFact) -> Installed | None:  # noqa: ARG002 - an environment has one of a name
        """The installed distribution."""
        return self.installed(fact.name)

    def platform_limit(self, found: Found, view: LockedView) -> None:
        """None: markers say it, and were asked."""

    def other_copies(self, installed: Installed) -> tuple[OtherVersion, ...]:  # noqa: ARG002
        """None: an environment has one of a name."""
        return ()

    def told_apart(self, resolutions: list[Resolution]) -> tuple[Resolution, ...]:
        """The resolutions, where one fork of a package is what is installed: the others then are not, and do not disagree with it."""
        installed = {each.name for each in resolutions if each.state == AGREE}
        return tuple(_not_this_fork(each) if each.name in installed else each for each in resolutions)

    def holds(self) -> Holds | None:
        """Whether a marker holds in the project's environment; None where none is evaluated."""
        markers = self.markers()
        return None if markers is None else markers.holds

    def markers(self) -> Markers | None:
        """The markers of the project's environment; None where no environment was found."""
        if self._markers is None:
            environment = self._environment()
            if environment is None or not environment.markers:
                return None
            from .markers import Markers

            self._markers = Markers(dict(environment.markers))
        return self._markers

    def _excluded(self, found: Found, view: LockedView) -> str | None:
        """Why the environment does not get it, None where it may: the marker that does not hold."""
        markers = self.markers()
        if markers is None:
            return None
        edges_hold = not found.markers or any(markers.holds(marker) for marker in found.markers)
        if found.edges:
            edges_hold = any(edge.marker is None or markers.holds(edge.marker) for edge in found.edges)
        own = view.reading.held(found.instance).marker if found.instance is not None else None
        if edges_hold and (own is None or markers.holds(own)):
            return "reached only where a marker does not hold" if found.barred else None
        return f"its marker does not hold in the environment: {_joined_marker(found.markers, own)}"

    def _missing_fact(self, found: Found, view: LockedView) -> LockedFact:
        edge = found.edges[0]
        rule = f"declared as {found.asked} ({', '.join(found.groups)}); the lockfile holds no package for it"
        return LockedFact(
            found.asked,
            None,
            Proof(view.shown, edge.line, rule),
            view.used,
            Source(REGISTRY),
            found.asked,
            requirement=requirement_of(found.edges),
            direct=True,
            groups=found.groups,
        )


def _not_this_fork(resolution: Resolution) -> Resolution:
    """A resolution that disagrees with the installed copy of another fork, without that copy; any other as it is."""
    if resolution.state != DISAGREE or resolution.locked_by is None:
        return resolution
    return resolution._replace(
        state=NOT_INSTALLED,
        version=resolution.locked_version,
        installed_version=None,
        decided_by=resolution.locked_by,
        installed=None,
        copy=None,
        notes=(*resolution.notes, f"the environment has another fork of it: {resolution.installed_version}"),
    )


def _is_import(query: str) -> bool:
    return all(part.isidentifier() for part in query.split("."))


def _same_marker(one: str, other: str) -> bool:
    """Whether two markers are the same but for quotes and spaces."""
    return "".join(one.split()).replace('"', "'") == "".join(other.split()).replace('"', "'")


def _joined_marker(alternatives: tuple[str, ...], own: str | None) -> str | None:
    """The marker under which a package is wanted: one of the alternatives, and its own."""
    either = " or ".join(dict.fromkeys(alternatives))
    if not either or (own is not None and _same_marker(either, own)):
        return own
    if own is None:
        return either
    return f"({either}) and ({own})"

"""A directory and the project around it: its roots, its lockfiles, its environment, and the two questions about a name."""

from __future__ import annotations

import os

from briefkit.records import TYPE_CHECKING

from ..errors import UnknownImporterError
from ..names import ECOSYSTEMS, NPM, PYPI
from ..paths import shown_path
from .ecosystem_project import EcosystemProject
from .readings import Readings
from .roots import MANIFESTS, Root, checked_directory, find_root, way_up

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..installed.site_packages import SitePackages
    from ..packages import Conflict, Environment, Installed, Skipped
    from .location import Located
    from .member import Member
    from .resolution import Resolution


def open_project(directory: str, *, environ: Mapping[str, str] | None = None, python: str | None = None) -> Project:
    """The project seen from a directory; `python` names the environment, an interpreter in it or a site folder.

    Raises:
        UsageError: There is no such directory.

    """
    return Project(checked_directory(directory), os.environ if environ is None else environ, python)


class Project:
    """What a directory's lockfiles and trees say. Everything is read at the first question and kept."""

    def __init__(self, directory: str, environ: Mapping[str, str], python: str | None) -> None:
        self.directory = directory
        self._environ = environ
        self._python = python
        self._readings = Readings()
        folders = way_up(directory, environ)
        self._roots: dict[str, Root] = {
            ecosystem: find_root(ecosystem, folders, self._names_importer) for ecosystem in ECOSYSTEMS
        }
        self.repo = max((root.path for root in self._roots.values() if not root.bare), key=len, default=directory)
        self._sides: dict[str, EcosystemProject] = {}
        self._environment: Environment | None = None
        self._environment_sought = False
        self._site: SitePackages | None = None
        self._asked_names: set[str] = set()
        self._listed_all = False

    def root(self, ecosystem: str) -> Root:
        """The root of one ecosystem."""
        return self._roots[ecosystem]

    def importer(self, ecosystem: str | None = None) -> str:
        """The member that the directory lies in, relative to the root of the ecosystem (None: the repo's)."""
        if ecosystem is not None:
            return self._roots[ecosystem].importer
        return next((root.importer for root in self._roots.values() if root.path == self.repo), ".")

    def resolve(self, name: str, importer: str | None = None, ecosystem: str | None = None) -> tuple[Resolution, ...]:
        """The resolutions of a name for a member (None: the one the directory lies in), of both ecosystems where both have it.

        `name` may begin with `npm:` or `pypi:`. Empty where the name is neither locked nor installed.

        Raises:
            UnknownImporterError: No lockfile or workspace list knows the member.
            UnreadableError: A lockfile that answers cannot be read.

        """
        name, ecosystem = split_ecosystem(name, ecosystem)
        self._asked_names.add(name)
        asked = self._asked(importer, ecosystem)
        found: list[Resolution] = []
        for each in self._concerned(name, asked):
            found += self._side(each).resolve(name, asked[each])
        return tuple(found)

    def resolutions(self, importer: str | None = None, *, everything: bool = False) -> tuple[Resolution, ...]:
        """The resolutions of all that the member declares, or of everything that is locked.

        Raises:
            UnknownImporterError: No lockfile or workspace list knows the member.
            UnreadableError: A lockfile or manifest cannot be read.

        """
        self._listed_all = True
        found: list[Resolution] = []
        for ecosystem, member in self._asked(importer, None).items():
            side = self._side(ecosystem)
            if everything:
                found += side.everything(member)
                continue
            for name in side.names(member):
                found += side.resolve(name, member)
        return tuple(found)

    def locate(self, name: str, importer: str | None = None, ecosystem: str | None = None) -> Located:
        """Where the source of a package lies that a member uses.

        Raises:
            AmbiguousNameError: The name is in both ecosystems and neither is named.
            UnknownImporterError: No lockfile or workspace list knows the member.

        """
        from .location import locate

        name, ecosystem = split_ecosystem(name, ecosystem)
        return locate(self, name, importer, ecosystem)

    def installed(self, name: str, ecosystem: str, from_dir: str) -> Installed | None:
        """The copy of a package that code in a folder gets: node's walk up, or the environment's distribution or import."""
        if ecosystem == NPM:
            from ..installed.node_finding import find_package

            return find_package(name, from_dir)
        site = self.site()
        if site is None:
            return None
        return site.distribution(name) or next(iter(site.owners_of(name)), None)

    @property
    def environment(self) -> Environment | None:
        """The Python environment of the project, None where none is found."""
        if not self._environment_sought:
            self._environment = self._find_environment()
            self._environment_sought = True
        return self._environment

    def site(self) -> SitePackages | None:
        """What is installed in the environment, None where there is none."""
        environment = self.environment
        if self._site is None and environment is not None:
            from ..installed.site_packages import open_site

            self._site = open_site(environment)
        return self._site

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """What the lockfiles could not say of the names that were asked, and the files of a kind that is not read."""
        from .skipping import skipped_of

        sides = list(self._sides.values())
        return skipped_of(sides, self._readings.all(), None if self._listed_all else frozenset(self._asked_names))

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """The merge conflicts in the lockfiles that were read."""
        return tuple(conflict for reading in self._readings.all() for conflict in reading.conflicts)

    def _concerned(self, name: str, asked: dict[str, str]) -> list[str]:
        """Of the ecosystems asked, those that can hold the name; all where none can, so that what is wrong with a file is told."""
        if len(asked) < 2:
            return list(asked)
        from .mention import may_be_in_environment, may_be_in_files

        found = []
        for each, importer in asked.items():
            root = self._roots[each]
            folder = os.path.normpath(os.path.join(root.path, importer))
            files = [os.path.join(root.path, *lockfile.split("/")) for lockfile in root.lockfiles]
            files += [os.path.join(at, name) for at in {root.path, folder} for name in MANIFESTS[each]]
            if (
                may_be_in_files(each, name, files)
                or (each == NPM and self.installed(name, NPM, self.directory) is not None)
                or (each == PYPI and (self._python or may_be_in_environment(name, self._folders_up(root.path))))
            ):
                found.append(each)
        return found or list(asked)

    def _folders_up(self, root: str) -> Iterator[str]:
        """The directory and the folders above it, up to a root."""
        folder = self.directory
        while True:
            yield folder
            parent = os.path.dirname(folder)
            if folder in (root, parent):
                return
            folder = parent

    def _asked(self, importer: str | None, ecosystem: str | None) -> dict[str, str]:
        """The ecosystems to ask, each with the member to ask for."""
        ecosystems = [each for each in ECOSYSTEMS if ecosystem in (None, each)]
        if importer is None:
            return {each: self._roots[each].importer for each in ecosystems if self._takes_part(each)}
        found = {each: self._side(each).importer_at(importer) for each in ecosystems}
        known = {each: member for each, member in found.items() if member is not None}
        if not known:
            raise self._unknown(importer, ecosystems)
        return {each: member for each, member in known.items() if self._takes_part(each)}

    def _unknown(self, importer: str, ecosystems: list[str]) -> UnknownImporterError:
        listed = dict.fromkeys(member for each in ecosystems for member in self._side(each).importers())
        return UnknownImporterError(f"no member {importer!r}", todo=f"Known: {', '.join(listed)}")

    def _takes_part(self, ecosystem: str) -> bool:
        """Whether an ecosystem has anything here: a root, or for Python an environment, for npm a tree of packages."""
        if not self._roots[ecosystem].bare:
            return True
        if ecosystem == PYPI:
            return self.environment is not None
        return any(os.path.isdir(os.path.join(folder, "node_modules")) for folder in (self.directory, self.repo))

    def _side(self, ecosystem: str) -> EcosystemProject:
        if ecosystem not in self._sides:
            root = self._roots[ecosystem]
            if ecosystem == NPM:
                self._sides[ecosystem] = EcosystemProject(
                    root, self.repo, self._readings, self._npm_member, self._npm_mark
                )
            else:
                self._sides[ecosystem] = EcosystemProject(
                    root, self.repo, self._readings, self._python_member, self._python_mark
                )
        return self._sides[ecosystem]

    def _npm_member(self, importer: str) -> Member:
        from .npm_member import NpmMember

        return NpmMember(self._roots[NPM].path, self.repo, importer, self.directory)

    def _python_member(self, importer: str) -> Member:
        from .python_member import PythonMember

        return PythonMember(self._roots[PYPI].path, self.repo, importer, lambda: self.environment, self.site)

    def _npm_mark(self, managers: tuple[str, ...]) -> tuple[str, str] | None:
        """The manager that laid the tree of the root, and the file that says so."""
        from ..installed.node_packages import layout_of

        root = self._roots[NPM].path
        layout = layout_of(root, root)
        if layout is None:
            return None
        manager = layout.manager.partition("-")[0]
        return (manager, shown_path(layout.evidence, self.repo)) if manager in managers else None

    def _python_mark(self, managers: tuple[str, ...]) -> tuple[str, str] | None:
        """The manager that laid the environment, and the file that says so."""
        from .installer_mark import installer_mark

        environment = self.environment
        found = installer_mark(environment, managers) if environment is not None else None
        return None if found is None else (found[0], shown_path(found[1], self.repo))

    def _find_environment(self) -> Environment | None:
        root = self._roots[PYPI]
        if root.bare and self._python is None and not _looks_installed(self.directory):
            return None
        from ..installed.python_environments import find_environment

        def sought(expected: frozenset[str]) -> Environment | None:
            return find_environment(
                self.directory, root.path, environ=self._environ, explicit=self._python, expected=expected
            )

        locked = self._side(PYPI).locked_names() if self._python is None else frozenset()
        found = sought(locked)
        if found is None or self._python is not None or locked or not _is_foreign(found):
            return found
        declared = frozenset(each.name for each in self._side(PYPI).member(root.importer).declared())
        return sought(declared) if declared else None

    def _names_importer(self, folder: str, lockfiles: tuple[str, ...], member: str) -> bool:
        """Whether one of a folder's lockfiles names a member."""
        from ..errors import UnreadableError

        for lockfile in lockfiles:
            try:
                if self._readings.read(os.path.join(folder, lockfile), folder, folder).importer(member) is not None:
                    return True
            except UnreadableError:
                continue  # it owns nobody that it does not name; who asks it is told what is wrong
        return False


def split_ecosystem(name: str, ecosystem: str | None) -> tuple[str, str | None]:
    """A name without the `npm:` or `pypi:` before it, and the ecosystem that is asked."""
    prefix, colon, rest = name.partition(":")
    if colon and prefix in ECOSYSTEMS:
        return rest, prefix
    return name, ecosystem


def _is_foreign(environment: Environment) -> bool:
    """Whether an environment was taken because it is the machine's, not the project's: only what it holds can speak for it."""
    return "PATH" in environment.rule or environment.rule == ".python-version"


def _looks_installed(directory: str) -> bool:
    """Whether a folder without a Python manifest holds an environment all the same."""
    return any(os.path.exists(os.path.join(directory, name)) for name in (".venv", "venv", "env"))

"""One ecosystem of a project: its root, the lockfiles that answer, and the questions of one member put to them."""

from __future__ import annotations

import os

from briefkit.records import TYPE_CHECKING

from ..names import NPM
from ..packages import WORKSPACE
from ..paths import shown_path
from .locked_view import LockedView
from .resolution import CONFLICTED
from .roots import Choice, absolute

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..lockfiles.reading import LockfileReading
    from ..packages import Edge, Skipped
    from .member import Member
    from .readings import Readings
    from .resolution import Resolution
    from .roots import Root


class EcosystemProject:
    """The lockfiles of one root, read at the first question, and the members that ask."""

    def __init__(
        self,
        root: Root,
        repo: str,
        readings: Readings,
        member: Callable[[str], Member],
        mark: Callable[[tuple[str, ...]], tuple[str, str] | None],
    ) -> None:
        self.root = root
        self.repo = repo
        self._readings = readings
        self._make_member = member
        self._mark = mark
        self._members: dict[str, Member] = {}
        self._choice: Choice | None = None
        self._views: tuple[LockedView, ...] | None = None
        self._folders: dict[str, str] | None = None
        self.skipped: tuple[Skipped, ...] = ()

    def member(self, importer: str) -> Member:
        """The member at a path relative to the root."""
        if importer not in self._members:
            self._members[importer] = self._make_member(importer)
        return self._members[importer]

    @property
    def choice(self) -> Choice:
        """Which lockfiles answer, and why."""
        if self._choice is None:
            if len(self.root.lockfiles) < 2:
                self._choice = Choice(self.root.lockfiles)
            else:
                from .owning_lockfile import choose

                self._choice = choose(self.root, self.shown, self._mark)
        return self._choice

    @property
    def views(self) -> tuple[LockedView, ...]:
        """The lockfiles that answer: one, or each where no rule chooses.

        Raises:
            UnreadableError: One of them cannot be read.

        """
        if self._views is None:
            self._views = tuple(self._all_views())
        return self._views

    def _all_views(self) -> Iterator[LockedView]:
        """The lockfiles that answer, then what the requirements among them include."""
        requirements: list[tuple[str, LockfileReading]] = []
        for lockfile in self.choice.lockfiles:
            path = absolute(self.root, lockfile)
            reading = self._readings.read(path, self.root.path, self.repo)
            if reading.includes:
                requirements.append((path, reading))
            yield self._view(path, reading)
        if not requirements:
            return
        from .requirement_includes import Includes

        includes = Includes(self.root.path, self._read_included)
        known = [absolute(self.root, lockfile) for lockfile in self.choice.lockfiles]
        for path, reading, constraint in includes.followed(requirements):
            if path not in known:
                yield self._view(path, reading, constraint=constraint)
        self.skipped = tuple(includes.skipped)

    def _read_included(self, path: str) -> LockfileReading:
        return self._readings.read(path, self.root.path, self.repo, "requirements")

    def shown(self, relative: str) -> str:
        """The path that a user sees for one relative to the root."""
        return shown_path(absolute(self.root, relative), self.repo)

    def importer_at(self, path: str) -> str | None:
        """The member that a user's `--importer` means, None where neither a lockfile nor the workspace list knows it.

        The path is relative to the lockfile's folder, else to the repo.
        """
        wanted = _normal(path)
        from_repo = _normal(os.path.relpath(os.path.join(self.repo, path), self.root.path))
        for each in dict.fromkeys((wanted, from_repo)):
            if each == "." or self._knows(each):
                return each
        return None

    def importers(self) -> tuple[str, ...]:
        """The members that are known, the root first."""
        found = {importer for view in self.views for importer in view.importers()} | set(self._listed())
        return (".", *sorted(found - {"."}))

    def resolve(self, query: str, importer: str) -> tuple[Resolution, ...]:
        """The resolutions of a query for one member; empty where it is neither locked nor installed."""
        member = self.member(importer)
        found: dict[str, tuple[Resolution, ...]] = {}
        for name in member.names_asked(query):
            resolved = self._resolved(query, name, member)
            if resolved:
                found.setdefault(resolved[0].name, resolved)
        return tuple(each for resolved in found.values() for each in resolved)

    def _resolved(self, query: str, name: str, member: Member) -> tuple[Resolution, ...]:
        locked = self._locked(query, name, member)
        if any(each.state == CONFLICTED or (each.direct and name in (each.alias, each.name)) for each in locked):
            return locked
        seen = self._own_member(query, name, member) or member.unlocked(query, name, self.views)
        versions = {each.version for each in locked}
        found = [*(each for each in seen if each.version not in versions), *locked]
        if member.importer == "." and not any(each.direct for each in found):
            through = self._through_members(query, name)
            if any(each.copy for each in through) and not any(each.copy for each in found):
                found = []  # a tree that is not hoisted: the root sees none of what its members use
            versions = {each.version for each in found}
            found += [each for each in through if each.version not in versions]
        return tuple(found)

    def _own_member(self, query: str, name: str, member: Member) -> tuple[Resolution, ...]:
        """The resolution of a name that is one of the workspace's own members, where the member asked for sees it or is the root."""
        if self.root.ecosystem != NPM:
            return self._listed_member(query, name, member)
        if not self.root.workspace:
            return ()
        folder = self._member_folders().get(name)
        if folder is None:
            return ()
        from .npm_member import NpmMember, workspace_resolution

        assert isinstance(member, NpmMember)
        return workspace_resolution(query, name, folder, member, self.shown(_workspace_list(self.root.path)))

    def _listed_member(self, query: str, name: str, member: Member) -> tuple[Resolution, ...]:
        """The resolution of a name that a lockfile lists as the project itself or a member of it, and that is not installed."""
        from .found import Found

        for view in self.views if member.installed(name) is None else ():
            for instance in view.reading.instances_named(name):
                if view.reading.held(instance).source.kind == WORKSPACE:
                    joined = member.joined(query, Found(name, instance, (), (name,), ()), view)
                    if joined is not None:
                        path = joined.source.path if joined.source is not None else None
                        return (
                            joined._replace(notes=(*joined.notes, f"it is a project of this repo, in {path or '.'}")),
                        )
        return ()

    def _locked(self, query: str, name: str, member: Member) -> tuple[Resolution, ...]:
        views = self.views
        if len(views) == 1 and not (views[0].reading.conflicts or self.choice.notes):
            return member.locked(query, name, views[0])
        from .agreement import combined, without_conflicted

        answers: list[tuple[LockedView, tuple[Resolution, ...]]] = []
        for view in self.views:
            resolved = member.locked(query, name, view)
            if view.constraint and not self._asked_for(name):
                resolved = tuple(each for each in resolved if each.copy is not None)  # it adds nothing by itself
            answers.append((view, without_conflicted(resolved, view.reading.conflicts, view.shown)))
        return combined(self.root.ecosystem, answers, self.choice.notes)

    def _asked_for(self, name: str) -> bool:
        """Whether a file that is no constraint names a distribution, pinned or not."""
        return any(view.reading.packages_named(name) for view in self.views if not view.constraint)

    def _through_members(self, query: str, name: str) -> tuple[Resolution, ...]:
        """What the members of a workspace use under a name that its root does not declare, each version once, for one of them."""
        found: dict[tuple[str, str | None], Resolution] = {}
        for view in self.views:
            for path, each in view.used_by_members(name, self.member(".").holds()):
                joined = self.member(path).joined(query, each, view)
                if joined is not None:
                    note = f"not declared by the root: this is what {path} uses"
                    joined = joined._replace(notes=(*joined.notes, note))
                    found.setdefault((joined.name, joined.version), joined)
        return tuple(found.values())

    def everything(self, importer: str) -> tuple[Resolution, ...]:
        """A resolution for each package that is locked, and one for each installed version that is not."""
        member = self.member(importer)
        copies = {(copy.name, copy.version): copy for copy in reversed(member.all_installed())}
        found: dict[tuple[str, str | None], Resolution] = {}
        for view in self.views:
            for each in view.everything(importer, member.holds()):
                joined = member.joined_anywhere(each, view, copies)
                found.setdefault((joined.name, joined.locked_version), joined)
        locked = {(each.name, each.version) for each in found.values()}
        own = {name for view in self.views for name in view.member_names()}
        rest = [
            copy
            for key, copy in copies.items()
            if key not in locked and copy.kind != WORKSPACE and copy.name not in own
        ]
        return (*member.told_apart(list(found.values())), *(member.only_installed(copy) for copy in reversed(rest)))

    def locked_names(self) -> frozenset[str]:
        """The names that the lockfiles pin, to tell an environment of this project from any other; empty where none can be read."""
        from ..errors import UnreadableError

        names: set[str] = set()
        for lockfile in self.root.lockfiles:
            try:
                reading = self._readings.read(absolute(self.root, lockfile), self.root.path, self.repo)
                names.update(name for name, version in reading.versions() if version is not None)
            except UnreadableError:
                continue  # who asks the lockfile itself is told
        return frozenset(names)

    def names(self, importer: str) -> tuple[str, ...]:
        """The names that a member declares, in the lockfile or its manifest."""
        member = self.member(importer)
        found: dict[str, None] = {}
        for view in self.views:
            found.update(dict.fromkeys(view.all_declared(importer)))
        found.update(dict.fromkeys(each.name for each in member.declared()))
        return tuple(found)

    def _view(self, path: str, reading: LockfileReading, *, constraint: bool = False) -> LockedView:
        def manifest_edges(importer: str) -> tuple[Edge, ...]:
            from .manifest_edges import edges_from_manifest

            declared = self.member(importer).declared()
            return edges_from_manifest(reading, importer, declared, self._member_folders)

        shown = shown_path(path, self.repo)
        view = LockedView(reading, path, self.root.path, shown, manifest_edges, self._listed, constraint=constraint)
        if reading.format == "yarn-berry":
            view.refine = self._with_manifest_groups
        return view

    def _with_manifest_groups(self, importer: str, edges: tuple[Edge, ...]) -> tuple[Edge, ...]:
        from .manifest_edges import with_groups_of

        return with_groups_of(edges, self.member(importer).declared())

    def _member_folders(self) -> dict[str, str]:
        """The members of an npm workspace by name, for formats whose lockfile does not list them."""
        from .package_json import stated_name

        if self._folders is None:
            self._folders = {}
            for path in self._listed():
                name = stated_name(os.path.join(self.root.path, path))
                if name is not None:
                    self._folders[name] = path
        return self._folders

    def _knows(self, importer: str) -> bool:
        if any(view.reading.importer(importer) is not None for view in self.views):
            return True
        return importer in self._listed()

    def _listed(self) -> tuple[str, ...]:
        """The members on this disk that the workspace list names."""
        from .members import members_on_disk, workspace_patterns

        names = frozenset(os.listdir(self.root.path)) if self.root.workspace else frozenset()
        patterns = workspace_patterns(self.root.ecosystem, self.root.path, names) if names else None
        if not patterns:
            return ()
        manifest = "package.json" if self.root.ecosystem == NPM else "pyproject.toml"
        return members_on_disk(self.root.path, patterns, manifest)


def _workspace_list(folder: str) -> str:
    """The file that lists the members of an npm workspace."""
    name = "pnpm-workspace.yaml"
    return name if os.path.exists(os.path.join(folder, name)) else "package.json"


def _normal(path: str) -> str:
    return os.path.normpath(path.replace("\\", "/") or ".").replace(os.sep, "/")

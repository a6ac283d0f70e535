"""A member of an npm project: what the lockfile gives it, and the copy that node would load for it."""

from __future__ import annotations

import os

from briefkit.records import TYPE_CHECKING

from ..installed.node_finding import find_package
from ..names import NPM, is_npm_name, split_npm_subpath
from ..packages import LINK, REGISTRY, WORKSPACE, Installed, Source
from ..paths import is_within, shown_path
from .joining import LockedFact
from .member import Member, requirement_of, rule_of
from .package_json import declared_in, read_package_json
from .resolution import AGREE, InstalledCopy, OtherVersion, Proof, Resolution

if TYPE_CHECKING:
    from ..packages import Edge
    from .found import Found
    from .locked_view import LockedView
    from .package_json import Declared

_LOCAL = (WORKSPACE, LINK)
_MAX_PLACES = 20


class NpmMember(Member):
    """A member of an npm project; `asking` is the folder in it where the question was asked."""

    ecosystem = NPM

    def __init__(self, root: str, repo: str, importer: str, asking: str) -> None:
        super().__init__(root, repo, importer)
        self.asking = asking if is_within(asking, self.folder) else self.folder

    def names_asked(self, query: str) -> tuple[str, ...]:
        """The package of an import, which may have a sub-path."""
        name, _ = split_npm_subpath(query)
        return (name,) if is_npm_name(name) else ()

    def installed(self, name: str) -> Installed | None:
        """The copy that code in the member gets under a name, as node walks up for it."""
        return find_package(name, self.asking)

    def all_installed(self) -> tuple[Installed, ...]:
        """Every copy in the project's trees."""
        from ..installed.node_listing import list_packages

        return list_packages(self.root)

    def read_declared(self) -> tuple[Declared, ...]:
        """What the member's package.json declares."""
        return declared_in(self.folder, self._shown(os.path.join(self.folder, "package.json")))

    def found(self, name: str, view: LockedView) -> tuple[Found, ...]:
        """What the member declares under the name, else what it reaches, else what its folders see."""
        declared = view.declared(self.importer, name)
        if declared:
            return declared
        seen = view.unreached(self.importer, name)
        reached = view.reachable(self.importer, name)
        known = {view.identity(each.instance) for each in reached if each.instance is not None}
        fresh = (each for each in seen if each.instance is None or view.identity(each.instance) not in known)
        return (*fresh, *reached)

    def fact(self, found: Found, view: LockedView) -> LockedFact:
        """What the lockfile says of an instance, or of a link or a name it has no record for."""
        if found.instance is None:
            return self._linked_fact(found, view)
        held = view.reading.held(found.instance)
        return LockedFact(
            held.name,
            held.version,
            Proof(view.shown, held.line, rule_of(found, held.key)),
            view.used,
            held.source,
            found.asked,
            requirement=requirement_of(found.edges),
            direct=found.declared,
            groups=found.groups,
            other_versions=view.other_versions(held.name, held.version),
            local=held.source.kind in _LOCAL,
        )

    def copy(self, found: Found, fact: LockedFact) -> Installed | None:
        """The installed copy at the end of a chain of names, each looked up from the package before it, as node does; a member is its own."""
        folder = self.asking
        copy: Installed | None = None
        for name in found.chain:
            copy = find_package(name, folder)
            if copy is None:
                return self._itself(fact)
            folder = copy.root if copy.inner is None else os.path.join(copy.root, copy.inner)
        return copy

    def _itself(self, fact: LockedFact) -> Installed | None:
        """The member's own folder, where what is asked for is the member, which no tree links to."""
        if fact.source.kind != WORKSPACE or os.path.normpath(fact.source.path or "") != os.path.normpath(self.importer):
            return None
        return _own_folder(fact.name, self.folder, self.repo)

    def other_copies(self, installed: Installed) -> tuple[OtherVersion, ...]:
        """The other installed versions, each with the folders that hold it."""
        from ..installed.node_listing import copies

        found: dict[str | None, list[str]] = {}
        for copy in copies(installed.name, self.root):
            if copy.name == installed.name and copy.version != installed.version:
                found.setdefault(copy.version, []).append(self._shown(copy.link or copy.root))
        return tuple(OtherVersion(version, tuple(where[:_MAX_PLACES])) for version, where in found.items())

    def _linked_fact(self, found: Found, view: LockedView) -> LockedFact:
        """A folder the lockfile links to without a record of its own, or a name it only mentions."""
        edge = found.edges[0]
        name, version = found.asked, None
        source = Source(REGISTRY)
        if edge.link is not None:
            source = Source(WORKSPACE if edge.link in view.importers() else LINK, path=edge.link)
            name, version = self._folder_identity(os.path.join(view.folder, edge.link), name)
        return LockedFact(
            name,
            version,
            Proof(
                self._declared_in(view),
                edge.line,
                f"declared as {found.asked} ({', '.join(found.groups)}); {_leads(edge)}",
            ),
            view.used,
            source,
            found.asked,
            requirement=requirement_of(found.edges),
            direct=True,
            groups=found.groups,
            local=edge.link is not None,
        )

    def _folder_identity(self, folder: str, fallback: str) -> tuple[str, str | None]:
        """The name and version that a linked folder's own manifest states."""
        folder = os.path.normpath(folder)
        fields = read_package_json(folder, self._shown(os.path.join(folder, "package.json"))) or {}
        name, version = fields.get("name"), fields.get("version")
        if not isinstance(name, str) or not is_npm_name(name):
            name = fallback
        return name, version if isinstance(version, str) else None

    def platform_limit(self, found: Found, view: LockedView) -> str | None:
        """The `os`, `cpu` and `libc` that the lockfile states, for it or for a package on the way to it, where this host is none of them."""
        from ..lockfiles.platform_limits import platform_limits, this_host

        lines, host = view.lines(), this_host()
        way = list(view.way_to(self.importer, found.chain))
        if found.instance is not None and found.instance not in way:
            way.append(found.instance)
        for instance in way:
            held = view.reading.held(instance)
            limits = platform_limits(lines, held.line)
            if not limits.admits(host):
                who = "only" if instance == found.instance else f"reached through {held.name}, which is only"
                return f"{who} for {limits}"
        return None

    def _declared_in(self, view: LockedView) -> str:
        """The file that an edge of the member was read from."""
        by_manifest = self.importer in view.by_manifest
        return self._shown(os.path.join(self.folder, "package.json")) if by_manifest else view.shown

    def _shown(self, path: str) -> str:
        return shown_path(path, self.repo)


def workspace_resolution(query: str, name: str, path: str, member: NpmMember, listed_in: str) -> tuple[Resolution, ...]:
    """The resolution of a workspace's own member at `path`, for one that does not declare it: as it sees it, the root always does."""
    copy = member.installed(name)
    folder = os.path.join(member.root, path)
    if copy is not None and copy.root != os.path.realpath(folder):
        return ()
    if copy is None and member.importer not in (".", path):
        return ()
    copy = copy or _own_folder(name, folder, member.repo)
    proof = Proof(listed_in, 0, f"a member of the workspace, at {path}; the version is what its own manifest says")
    return (
        Resolution(
            query,
            NPM,
            name,
            copy.version,
            AGREE,
            member.importer,
            proof,
            installed_version=copy.version,
            direct=False,
            source=Source(WORKSPACE, path=path),
            installed=InstalledCopy(shown_path(copy.root, member.repo), copy.kind),
            copy=copy,
        ),
    )


def _own_folder(name: str, folder: str, repo: str) -> Installed:
    """A member's folder as the copy of its package."""
    manifest = os.path.join(folder, "package.json")
    fields = read_package_json(folder, shown_path(manifest, repo)) or {}
    version = fields.get("version")
    return Installed(NPM, name, version if isinstance(version, str) else None, folder, WORKSPACE, evidence=(manifest,))


def _leads(edge: Edge) -> str:
    return f"a link to {edge.link}" if edge.link is not None else "the lockfile holds no package for it"

"""The records all floors speak in: what a lockfile says, what is installed, what a resolution is.

All are immutable. `to_dict` gives the JSON of the contract. Paths in records are absolute or relative to the lockfile's
folder as each field says; only the edges turn them into what a user sees.
"""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

# The values of `source.kind`, closed by the contract.
REGISTRY = "registry"
GIT = "git"
URL = "url"
FILE = "file"
DIRECTORY = "directory"
EDITABLE = "editable"
WORKSPACE = "workspace"
LINK = "link"
PATCH = "patch"
BUNDLED = "bundled"


class Source(NamedTuple):
    """Where a lockfile says that a package comes from.

    `kind` is one of the constants above; `url` never carries credentials (`text.public_url`); `path` is a local target, POSIX,
    relative to the lockfile's folder; `ref` a commit or revision.
    """

    kind: str
    url: str | None = None
    integrity: str | None = None
    path: str | None = None
    ref: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The `source` object of the contract."""
        record: dict[str, Any] = {"kind": self.kind, "url": self.url, "integrity": self.integrity}
        if self.path is not None:
            record["path"] = self.path
        if self.ref is not None:
            record["ref"] = self.ref
        return record


class Dependency(NamedTuple):
    """One (name, version) that a locked package depends on; `version` is None where the lockfile states none."""

    name: str
    version: str | None

    def to_dict(self) -> dict[str, Any]:
        """The entry of a package's `dependencies`."""
        return {"name": self.name, "version": self.version}


class LockedPackage(NamedTuple):
    """One distinct (name, version, source) of a lockfile.

    `name` is the real name (PyPI: PEP 503), `aliases` the names it is installed under where they differ, `line` where its entry
    begins (from 1), `importers` the members that declare it, `groups` the groups that reach it, in the format's own words,
    `direct` None where only a manifest can say. `declared` is the name as the file spells it.
    """

    name: str
    version: str | None
    aliases: tuple[str, ...] = ()
    source: Source = Source(REGISTRY)
    line: int = 0
    importers: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    direct: bool | None = None
    marker: str | None = None
    dependencies: tuple[Dependency, ...] = ()
    declared: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The entry of `packages` in the contract."""
        return {
            "name": self.name,
            "version": self.version,
            "aliases": list(self.aliases),
            "source": self.source.to_dict(),
            "line": self.line,
            "importers": list(self.importers),
            "groups": list(self.groups),
            "direct": self.direct,
            "marker": self.marker,
            "dependencies": [dependency.to_dict() for dependency in self.dependencies],
        }


class Edge(NamedTuple):
    """One declared dependency, of an importer or of an instance, and where the lock says it leads.

    `name` is what it is asked for under (alias, key); `target` the index of an instance, None where the lock holds none
    (unmet peer, other platform, a link); `requirement` the range as written; `group` is `prod`, `dev`, `optional`, `peer` in npm's
    world, and in Python's the group's name (`main`, `default`, `dev`…) or `extra:NAME`; `line` the line of the declaration (0: none
    of its own); `link` the local folder it links to, POSIX, relative to the lockfile's folder.
    """

    name: str
    target: int | None = None
    requirement: str | None = None
    group: str = "prod"
    marker: str | None = None
    line: int = 0
    link: str | None = None
    extras: tuple[str, ...] = ()


class Instance(NamedTuple):
    """One node of a lockfile's graph: npm's path, pnpm's snapshot, a `[[package]]` table.

    `package` is an index in `LockfileReading.packages`; `key` the format's own key for it (npm: `node_modules/a/node_modules/b`);
    `line` where this very instance stands.
    """

    package: int
    key: str
    line: int
    edges: tuple[Edge, ...] = ()


class Importer(NamedTuple):
    """A member of the repo as its lockfile knows it.

    `path` is relative to the lockfile's folder, POSIX, `.` the root; `edges` what it declares; empty and `declared` False where
    the format does not say what is direct.
    """

    path: str
    name: str | None = None
    version: str | None = None
    line: int = 0
    edges: tuple[Edge, ...] = ()
    declared: bool = True


class Skipped(NamedTuple):
    """What was in a file and could not be used, with the reason."""

    name: str
    line: int
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """The entry of `skipped`."""
        return {"name": self.name, "line": self.line, "reason": self.reason}


class Conflict(NamedTuple):
    """A name on which the two sides of a merge conflict differ; a side is None where it does not hold the name."""

    name: str
    line: int
    ours: str | None
    theirs: str | None

    def to_dict(self) -> dict[str, Any]:
        """The entry of `conflicts`."""
        return {"name": self.name, "line": self.line, "ours": self.ours, "theirs": self.theirs}


class Environment(NamedTuple):
    """A Python environment found by its files: its folder, the rule that chose it, and where its modules lie.

    `site_dirs` are absolute and in search order; `python` is its version as its files state it; `markers` the values for PEP 508 markers that the environment's files and this host
    say (empty: do not evaluate).
    """

    path: str
    rule: str
    site_dirs: tuple[str, ...] = ()
    python: str | None = None
    markers: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()


class Installed(NamedTuple):
    """One copy of a package on this disk.

    `root` is the absolute real folder (a single module: its file; Plug'n'Play: the zip); `inner` the POSIX path inside a zip; `link`
    the path a user sees where it differs from `root`; `kind` as `locate` in the contract; `evidence` the files, absolute, that prove
    it, the one that states the version first; `top_levels` the Python import names. `search_root` is the folder that module
    paths are relative to (site-packages, an editable's `src`). `modules` are the Python import names that do not lie at
    `search_root/name`, each with its absolute folder or file; `project` is the project folder of an editable or a link.
    """

    ecosystem: str
    name: str
    version: str | None
    root: str
    kind: str = REGISTRY
    alias: str | None = None
    link: str | None = None
    inner: str | None = None
    evidence: tuple[str, ...] = ()
    top_levels: tuple[str, ...] = ()
    search_root: str | None = None
    warnings: tuple[str, ...] = ()
    modules: tuple[tuple[str, str], ...] = ()
    project: str | None = None

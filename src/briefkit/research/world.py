"""The project's facts in the form that judging a brief asks for: files read again, their owners, and the pins of now."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from briefkit.briefs.brief import PackageId
from briefkit.briefs.cited_files import CitedFiles
from briefkit.briefs.evidence import World
from briefkit.errors import BriefkitError
from briefkit.names import NPM, PYPI, split_npm_subpath
from briefkit.paths import MANIFEST_LIMIT, is_within

from .library import open_library
from .pins import pins_of

if TYPE_CHECKING:
    from briefkit.briefs.brief import Pin
    from briefkit.projects.project import Project

_NODE_MODULES = "node_modules/"


class ProjectWorld:
    """The facts of one project; each is derived once."""

    __slots__ = ("_cache_dir", "_importer", "_owners", "_pins", "_project", "world")

    def __init__(self, project: Project, *, cache_dir: str | None, importer: str | None = None) -> None:
        self._project = project
        self._cache_dir = cache_dir
        self._importer = importer
        self._owners: dict[str, PackageId | None] = {}
        self._pins: dict[tuple[str, str], Pin | None] = {}
        self.world = World(read=CitedFiles(project.repo), owner=self.owner, pin=self.pin)

    def owner(self, file: str) -> PackageId | None:
        """The installed package that a cited file belongs to, by the folder it lies in; None for the repo's own files."""
        path = file.partition("!/")
        at = path[2].rfind(_NODE_MODULES) if path[1] else -1
        if at < 0:
            at = file.rfind(_NODE_MODULES)
        elif path[1]:
            at += len(path[0]) + 2
        if at >= 0:
            return self._node_owner(file[: at + len(_NODE_MODULES)], file[at + len(_NODE_MODULES) :])
        return self._python_owner(os.path.normpath(os.path.join(self._project.repo, file)))

    def pin(self, ecosystem: str, name: str) -> Pin | None:
        """What the project says of a package now; None where it is neither locked nor installed."""
        key = (ecosystem, name)
        if key not in self._pins:
            try:
                library = open_library(
                    self._project, name, importer=self._importer, ecosystem=ecosystem, cache_dir=self._cache_dir
                )
            except BriefkitError:
                self._pins[key] = None
            else:
                self._pins[key] = pins_of(library)[0] if library.resolutions else None
        return self._pins[key]

    def _node_owner(self, before: str, after: str) -> PackageId | None:
        name, _ = split_npm_subpath(after)
        root = before + name
        if root not in self._owners:
            self._owners[root] = _manifest_identity(self.world.read(f"{root}/package.json"))
        return self._owners[root]

    def _python_owner(self, path: str) -> PackageId | None:
        site = self._project.site()
        folder = next((one for one in site.environment.site_dirs if is_within(path, one)), None) if site else None
        if site is None or folder is None:
            return None
        top = path[len(folder) :].lstrip(os.sep).replace(os.sep, "/").split("/", 1)[0]
        name = top.removesuffix(".pyi").removesuffix(".py").removesuffix("-stubs")
        if name not in self._owners:
            owners = site.owners_of(name)
            # A namespace has several owners, and which one a file is of would need each RECORD: no owner is claimed then.
            self._owners[name] = PackageId(PYPI, owners[0].name, owners[0].version) if len(owners) == 1 else None
        return self._owners[name]


def _manifest_identity(data: bytes | None) -> PackageId | None:
    """Name and version of a package.json's bytes; None where it states none."""
    import json

    try:
        manifest = json.loads(data) if data is not None and len(data) <= MANIFEST_LIMIT else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(manifest, dict) or not isinstance(manifest.get("name"), str):
        return None
    version = manifest.get("version")
    return PackageId(NPM, manifest["name"], version if isinstance(version, str) else None)

"""Plug'n'Play: which package a folder gets for a name, by the project's manifest and no other file.

A location in the manifest is a folder or a place inside a zip, and may be virtual: one copy that stands for several sets of peers. All
are texts of an untrusted file: outside the project only what looks like a package of a cache, or bears the name, is opened.
"""

from __future__ import annotations

import os
import posixpath

from briefkit.errors import UnreadableError
from briefkit.names import NPM
from briefkit.packages import FILE, GIT, LINK, REGISTRY, WORKSPACE, Installed
from briefkit.paths import is_within
from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING

from .node_layout import ancestors
from .node_manifest import MANIFEST
from .node_tree import FolderTree, ZipTree
from .plug_n_play_manifest import NAMES, read_plug_manifest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import TypeVar

    from .plug_n_play_manifest import Package, PlugManifest, Reference

    _Entry = TypeVar("_Entry")

Locator = tuple[str | None, str | None]
TOP_LEVEL: Locator = (None, None)

# The two tools whose dependencies Yarn lends to every package that is not a workspace.
_LENDERS = ("react-scripts", "gatsby")
_VIRTUAL = lazy_pattern(
    r"^((?:[A-Za-z]:)?)(/(?:[^/]+/)*?)(?:\$\$virtual|__virtual__)/(?:[^/]+-)?[a-f0-9]+/(\d{1,3})((?:/.*)?)$"
)
_ZIP = lazy_pattern(r"^(.*?\.zip)/(.+)$")
_GIT = lazy_pattern(r"^(?:git[+@:]|ssh:|https?:.*(?:\.git|#commit=)|github:)")
_OPENED_LIMIT = 4


class PlugNPlay:
    """One project's manifest, ready to be asked."""

    __slots__ = ("_lenders", "_owners", "_real_owners", "folder", "manifest", "path")

    def __init__(self, manifest: PlugManifest) -> None:
        self.manifest = manifest
        self.path = manifest.path
        self.folder = os.path.dirname(manifest.path).replace(os.sep, "/")
        self._lenders = [TOP_LEVEL] if manifest.fallback else []
        self._lenders += [each for each in manifest.packages if each[0] in _LENDERS]
        self._owners: dict[str, Locator] | None = None
        self._real_owners: dict[str, list[Locator]] | None = None

    def owner(self, directory: str) -> Locator | None:
        """The package that a folder, or a place in a zip, belongs to as the manifest's own loader has it."""
        return _nearest(self._by_location(), _plain(directory))

    def find(self, name: str, directory: str) -> Installed | None:
        """The copy that code in a folder gets, None where the manifest gives it none or it is not on this disk.

        A real place may stand for several virtual packages, told apart by no path: then one of them that has the name is asked.
        """
        owner = self._owner_with(directory, name)
        target = None if owner is None else self.target(name, owner)
        return None if target is None else self.installed(target, name)

    def owns(self, directory: str) -> bool:
        """Whether a folder belongs to a package other than the project's top level."""
        return self._owner_with(directory, "") not in (None, TOP_LEVEL)

    def _owner_with(self, directory: str, name: str) -> Locator | None:
        place = _plain(directory)
        owner = _nearest(self._by_location(), place)
        shared = _nearest(self._by_real_location(), place) or []
        if place.endswith(".zip"):
            shared = next((each for at, each in self._by_real_location().items() if at.startswith(place + "/")), shared)
        if owner in (None, TOP_LEVEL) and shared:
            owner = shared[0]
        known = [each for each in (owner, *shared) if each is not None]
        return next((each for each in known if self.manifest.packages[each].dependencies.get(name)), owner)

    def target(self, name: str, owner: Locator) -> Locator | None:
        """What a name leads to from a package: its own dependencies, then what the top level and others lend to all but workspaces."""
        packages = self.manifest.packages
        reference = packages[owner].dependencies.get(name)
        if reference is None and owner != TOP_LEVEL and owner not in self.manifest.excluded:
            reference = next(
                (found for each in self._lenders if (found := packages[each].dependencies.get(name))), None
            )
            if reference is None and self.manifest.fallback:
                reference = self.manifest.pool.get(name)
        target = _locator(name, reference)
        return target if target in packages else None

    def installed(self, locator: Locator, asked: str | None = None) -> Installed | None:
        """The package of a locator as it lies on this disk, None where it does not (never fetched, or for another platform)."""
        package = self.manifest.packages[locator]
        seen = self.place(locator)
        real = devirtualised(seen)
        name, reference = locator
        zipped = _ZIP.match(real)
        if zipped is not None and os.path.isfile(zipped.group(1)):
            found = self._zipped(zipped.group(1), zipped.group(2), name)
        else:
            found = self._unpacked(real, package, name)
        if found is None:
            return None
        alias = asked if asked is not None and asked != found.name else None
        kind = found.kind if found.kind == LINK else _kind(reference, locator, package)
        return found._replace(alias=alias, kind=kind, link=seen if seen != real else found.link)

    def all_installed(self, name: str | None = None) -> Iterator[Installed]:
        """Every package of the manifest (with a name, those of that real name) that is on this disk, each place once."""
        seen = set()
        for locator in self.manifest.packages:
            if name is not None and locator[0] != name:
                continue
            place = self.place(locator)
            real = devirtualised(place)
            if place == self.folder or real in seen:
                continue
            seen.add(real)
            found = self.installed(locator)
            if found is not None:
                yield found

    def place(self, locator: Locator) -> str:
        """The absolute place of a package, virtual where it is, in a zip as `x.zip/inner`; nothing says that it exists."""
        return self._absolute(self.manifest.packages[locator].location)

    def _absolute(self, location: str) -> str:
        path = posixpath.normpath(posixpath.join(self.folder, location.replace("\0", "")))
        return path[1:] if path.startswith("//") else path

    def _by_location(self) -> dict[str, Locator]:
        """The packages by place; one written without a closing slash (pnpm's members) owns no folder, as for the loader itself."""
        if self._owners is None:
            owners: dict[str, Locator] = {}
            for locator, package in self.manifest.packages.items():
                if not package.hidden and package.location.endswith("/"):
                    owners[self._absolute(package.location)] = locator
            self._owners = owners
        return self._owners

    def _by_real_location(self) -> dict[str, list[Locator]]:
        if self._real_owners is None:
            owners: dict[str, list[Locator]] = {}
            for locator, package in self.manifest.packages.items():
                if package.location.endswith("/"):
                    owners.setdefault(devirtualised(self._absolute(package.location)), []).append(locator)
            self._real_owners = owners
        return self._real_owners

    def _zipped(self, archive: str, inner: str, name: str | None) -> Installed | None:
        real = os.path.realpath(archive)
        if "/../" in f"/{inner}/" or not inner.startswith("node_modules/"):
            return None
        manifest = ZipTree(real, inner).manifest("")
        if manifest is None:
            return Installed(NPM, name or inner, None, real, inner=inner, warnings=("the zip holds no such package",))
        found = manifest.name() or name or inner
        evidence = (manifest.path, self.path)
        warnings = (manifest.fault,) if manifest.fault else ()
        return Installed(NPM, found, manifest.version(), real, inner=inner, evidence=evidence, warnings=warnings)

    def _unpacked(self, place: str, package: Package, name: str | None) -> Installed | None:
        real = os.path.realpath(place)
        if not os.path.isdir(real):
            return None
        inside = is_within(real, os.path.realpath(self.folder))
        manifest = FolderTree(real).manifest("")
        stated = None if manifest is None else manifest.fields.get("name")
        if not inside and stated != name and not real.replace(os.sep, "/").endswith(f"/node_modules/{name}"):
            # The manifest stands as the root: what the location names is not to be read by anybody.
            return Installed(
                NPM, name or "", None, self.path, LINK, link=place, warnings=(f"location escapes: {real}",)
            )
        if manifest is None:
            return self._bare(real, name) if package.soft else None
        found = manifest.name() or name or os.path.basename(real)
        warnings = [] if manifest.fault is None else [manifest.fault]
        if package.soft and not inside:
            warnings.append(f"link leaves the project: {real}")
        kind = LINK if package.soft and not inside else REGISTRY
        evidence = (os.path.join(real, MANIFEST), self.path)
        return Installed(NPM, found, manifest.version(), real, kind, evidence=evidence, warnings=tuple(warnings))

    def _bare(self, real: str, name: str | None) -> Installed:
        """A linked folder without a package.json: a `link:` may lead to any folder of the project."""
        return Installed(NPM, name or os.path.basename(real), None, real, LINK, evidence=(self.path,))


def _plain(directory: str) -> str:
    return posixpath.normpath(directory.replace(os.sep, "/").replace("!/", "/"))


def _nearest(table: Mapping[str, _Entry], place: str) -> _Entry | None:
    """The entry of the folder itself or of the nearest above it."""
    while True:
        found = table.get(place)
        parent = posixpath.dirname(place)
        if found is not None or parent == place:
            return found
        place = parent


def _locator(name: str, reference: Reference) -> Locator | None:
    if reference is None:
        return None
    return (name, reference) if isinstance(reference, str) else reference


def devirtualised(path: str) -> str:
    """The real path behind a virtual one: the folder that holds `__virtual__`, up as many steps as it says, and the rest."""
    for _ in range(16):
        found = _VIRTUAL.match(path)
        if found is None:
            break
        drive, base, steps, rest = found.groups()
        # On the absolute part alone, so that too many steps end at the root of the drive.
        plain = posixpath.normpath(posixpath.join(base, "../" * int(steps), rest.lstrip("/")))
        path = drive + (plain[1:] if plain.startswith("//") else plain)
    return path


def _kind(reference: str | None, locator: Locator, package: Package) -> str:
    """What a reference says of where a package is from; Yarn's own compatibility patches are none of the user's."""
    if reference is None or locator == TOP_LEVEL:
        return WORKSPACE
    text = reference.partition("#")[2] if reference.startswith("virtual:") else reference
    if text.startswith("patch:"):
        return REGISTRY if "builtin<" in text else "patched"
    for prefix, kind in (("workspace:", WORKSPACE), ("link:", LINK), ("portal:", LINK), ("file:", FILE)):
        if text.startswith(prefix):
            return kind
    if _GIT.match(text):
        return GIT
    inside_only = (
        package.location.startswith("./")
        and "node_modules/" not in package.location
        and ".zip/" not in package.location
    )
    return WORKSPACE if inside_only and not text.startswith("npm:") else REGISTRY


_opened: dict[str, tuple[tuple[tuple[int, int, int] | None, ...], PlugNPlay]] = {}


def plug_n_play_for(directory: str, boundary: str | None = None) -> PlugNPlay | None:
    """The Plug'n'Play that answers for a folder, None where none does.

    It is the nearest at or above it; for a place outside every project (a package in the user's cache), one opened before that owns it.
    """
    for folder in ancestors(directory, boundary):
        found = plug_n_play_at(folder)
        if found is not None:
            return found
    return next((each for _, each in _opened.values() if each.owns(directory)), None)


def plug_n_play_at(folder: str) -> PlugNPlay | None:
    """The Plug'n'Play of a folder that holds a manifest, None where it holds none or one that cannot be read."""
    for name in NAMES:
        path = os.path.join(folder, name)
        try:
            if os.path.lexists(path):
                return open_plug_n_play(path)
        except UnreadableError:
            return None
    return None


def open_plug_n_play(path: str) -> PlugNPlay:
    """The Plug'n'Play of a manifest, kept while the file and its data file stay as they are.

    Raises:
        UnreadableError: It cannot be read, or is of no known form.

    """
    known = _opened.get(path)
    if known is not None and known[0] == _signatures(known[1].manifest):
        return known[1]
    _opened.pop(path, None)
    found = PlugNPlay(read_plug_manifest(path))
    while len(_opened) >= _OPENED_LIMIT:
        _opened.pop(next(iter(_opened)))
    _opened[path] = (_signatures(found.manifest), found)
    return found


def _signatures(manifest: PlugManifest) -> tuple[tuple[int, int, int] | None, ...]:
    return tuple(_signature(path) for path in (manifest.path, manifest.data_file) if path is not None)


def _signature(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino

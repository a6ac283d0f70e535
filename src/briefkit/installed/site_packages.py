"""The packages of one Python environment: found by distribution name or import name, as files, nothing imported."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from briefkit.names import is_pypi_name, pypi_name

from .distributions import Distribution, choose
from .pth_files import Pth, read_pth_files
from .python_description import describe
from .python_metadata import MetadataEntry, metadata_entries
from .python_modules import FoundModule, ModuleFinder, is_zip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from briefkit.packages import Environment, Installed

    from .editable_loaders import Loader

__all__ = ["SitePackages", "describe", "open_site"]

ENTRIES_LIMIT = 200_000
_KEPT = 8
_opened: dict[tuple[tuple[str, int, int], ...], SitePackages] = {}


def open_site(environment: Environment) -> SitePackages:
    """The packages of the environment; the same object as long as none of its site folders has changed."""
    key = tuple(_stamp(folder) for folder in environment.site_dirs)
    site = _opened.get(key)
    if site is None:
        while len(_opened) >= _KEPT:
            _opened.pop(next(iter(_opened)))
        site = _opened[key] = SitePackages(environment)
    return site


class SitePackages:
    """The distributions and modules on an environment's search path, read when first asked for.

    `path` is the search path (site folders, each followed by what its `.pth` files add), `warnings` what was skipped and why.
    """

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.path: tuple[str, ...] = ()
        self.pth_files: tuple[Pth, ...] = ()
        self.loaders: tuple[Loader, ...] = ()
        self._warnings: list[str] = []
        self._entries: dict[str, list[MetadataEntry]] = {}
        self._distributions: dict[str, Distribution | None] = {}
        self._records: dict[str, frozenset[str]] | None = None
        self._read_path()
        self._finder = ModuleFinder(self.path, self.loaders)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What in the environment was skipped, each with its path and reason."""
        return tuple(self._warnings)

    def distribution(self, name: str) -> Installed | None:
        """The installed distribution of that name in any spelling, or None."""
        if not is_pypi_name(name):
            return None
        found = self._distribution(pypi_name(name))
        return None if found is None else found.installed

    def distributions(self) -> tuple[Installed, ...]:
        """Every distribution on the search path, in order of name."""
        found = (self._distribution(name) for name in sorted(self._entries))
        return tuple(one.installed for one in found if one is not None)

    def find_module(self, dotted: str) -> str | None:
        """The file to read for a module (a namespace: its folder), or None."""
        found = self.find_spec(dotted)
        return None if found is None else found.source

    def find_spec(self, dotted: str) -> FoundModule | None:
        """The module as Python would find it, or None."""
        return self._finder.find(dotted)

    def owners_of(self, import_name: str) -> tuple[Installed, ...]:
        """The distributions that brought the module, the one whose RECORD matches the disk first; empty where none did."""
        module = self.find_spec(import_name)
        if module is None:
            return ()
        found = list(self._owners(module))
        found.sort(key=lambda owner: not owner.matches(module))
        return tuple(owner.installed for owner in found)

    def stubs_for(self, name: str) -> tuple[Installed, ...]:
        """The distributions that hold only stubs for the distribution or import name."""
        spelled = pypi_name(name)
        wanted = [f"types-{spelled}", f"{spelled}-stubs"]
        found = [self._distribution(pypi_name(one)) for one in wanted]
        return tuple(one.installed for one in found if one is not None and one.installed.kind == "stub-only")

    def _owners(self, module: FoundModule) -> Iterator[Distribution]:
        alike = self._distribution(pypi_name(module.name))
        if alike is not None and alike.owns(module) and alike.matches(module):
            yield alike
            return
        top = module.name.partition(".")[0]
        for name, tops in self._tops().items():
            if top in tops:
                owner = self._distribution(pypi_name(name))
                if owner is not None and owner.owns(module):
                    yield owner

    def _tops(self) -> dict[str, frozenset[str]]:
        """For each distribution the first path segments of its files, read once."""
        if self._records is None:
            self._records = {}
            for name in self._entries:
                found = self._distribution(name)
                if found is not None:
                    self._records[name] = found.tops
        return self._records

    def _distribution(self, name: str) -> Distribution | None:
        if name not in self._distributions:
            found, warnings = choose(self._entries.get(name, []), self.pth_files, self.loaders)
            self._warnings.extend(warnings)
            self._distributions[name] = found
        return self._distributions[name]

    def _read_path(self) -> None:
        path: list[str] = []
        pth_files: list[Pth] = []
        for site in self.environment.site_dirs:
            names = self._add_folder(path, site)
            found, warnings = read_pth_files(site, names, self.environment.python)
            pth_files.extend(found)
            self._warnings.extend(warnings)
            for pth in found:
                for folder in pth.folders:
                    self._add_folder(path, folder)
        self.path, self.pth_files = tuple(path), tuple(pth_files)

    def _add_folder(self, path: list[str], folder: str) -> list[str]:
        if folder in path:
            return []
        path.append(folder)
        if is_zip(folder):
            names: list[str] = []
            entries, warnings = metadata_entries(*os.path.split(folder)[:1], [os.path.basename(folder)])
        else:
            names = _names(folder)
            entries, warnings = metadata_entries(folder, names)
        self._warnings.extend(warnings)
        for entry in entries:
            kept = self._entries.setdefault(entry.name, [])
            if entry not in kept:
                kept.append(entry)
        return names


def _stamp(folder: str) -> tuple[str, int, int]:
    try:
        status = os.stat(folder)
    except OSError:
        return folder, 0, 0
    return folder, status.st_mtime_ns, status.st_ino


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))[:ENTRIES_LIMIT]
    except OSError:
        return []

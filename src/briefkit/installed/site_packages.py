"""The packages of one Python environment: found by distribution name or import name, as files, nothing imported."""

from __future__ import annotations

import os

from briefkit.names import is_pypi_name, pypi_name
from briefkit.records import TYPE_CHECKING

from .distributions import Distribution, choose
from .import_roots import STRICT_FOLDER, STUBS
from .pth_files import read_pth_files
from .python_metadata import MetadataEntry, metadata_entries
from .python_modules import FoundModule, ModuleFinder, is_zip

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from briefkit.packages import Environment, Installed

    from .description import Description
    from .editable_loaders import Loader
    from .pth_files import Pth

__all__ = ["SitePackages", "describe", "open_site"]

ENTRIES_LIMIT = 200_000
_KEPT = 8
_opened: dict[tuple[str, ...], SitePackages] = {}


def describe(installed: Installed) -> Description:
    """Entry points, types and documents of an installed distribution; what reads them is imported when they are asked for."""
    from .python_description import describe as describe_distribution

    return describe_distribution(installed)


def open_site(environment: Environment) -> SitePackages:
    """The packages of the environment; the same object as long as none of the folders on its search path has changed."""
    site = _opened.get(environment.site_dirs)
    if site is None or site.environment != environment or not site.is_current():
        while len(_opened) >= _KEPT:
            _opened.pop(next(iter(_opened)))
        site = _opened[environment.site_dirs] = SitePackages(environment)
    return site


class SitePackages:
    """The distributions and modules on an environment's search path, read when first asked for.

    `path` is the search path: site folders, each followed by what its `.pth` files add.
    """

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.path: tuple[str, ...] = ()
        self._warnings: list[str] = []
        self._entries: dict[str, list[MetadataEntry]] = {}
        self._distributions: dict[str, Distribution | None] = {}
        self._tops: dict[str, list[str]] | None = None
        self._stamps: dict[str, tuple[int, int]] = {}
        self._finder = ModuleFinder(*self._read_path())

    @property
    def warnings(self) -> tuple[str, ...]:
        """What in the environment was skipped so far, each with its path and reason."""
        return tuple(dict.fromkeys(self._warnings))

    def is_current(self) -> bool:
        """Whether no folder on the search path has changed since it was listed."""
        return all(_stamp(folder) == stamp for folder, stamp in self._stamps.items())

    def distribution(self, name: str) -> Installed | None:
        """The installed distribution of that name in any spelling, or None."""
        if not is_pypi_name(name):
            return None
        found = self._distribution(pypi_name(name))
        if found is None and self._entries.get(pypi_name(name)) is None:
            from .conda_packages import conda_distribution

            return conda_distribution(self.environment, pypi_name(name))
        return None if found is None else found.installed

    def distributions(self) -> tuple[Installed, ...]:
        """Every distribution on the search path, in order of name."""
        found = (self._distribution(name) for name in sorted(self._entries))
        return tuple(one.installed for one in found if one is not None)

    def find_module(self, dotted: str) -> str | None:
        """The file to read for a module (a namespace: its folder), or None."""
        found = self.find_spec(dotted)
        if found is None:
            return None
        return os.path.realpath(found.source) if os.sep + STRICT_FOLDER in found.source else found.source

    def find_spec(self, dotted: str) -> FoundModule | None:
        """The module as Python would find it, or None; the standard library is not searched."""
        return self._finder.find(dotted)

    def owners_of(self, import_name: str) -> tuple[Installed, ...]:
        """The distributions that brought the module, those whose RECORD matches the file on disk first; empty where none did."""
        module = self.find_spec(import_name)
        if module is None:
            return ()
        found = list(self._owners(module))
        found.sort(key=lambda owner: not owner.matches(module))
        return tuple(owner.installed for owner in found)

    def stubs_for(self, name: str) -> tuple[Installed, ...]:
        """The distributions that hold only stubs for the distribution or import name, those that are spelled like it first."""
        spelled = pypi_name(name) if is_pypi_name(name) else ""
        found = {}
        for candidate in (f"types-{spelled}", f"{spelled}-stubs"):
            one = self._distribution(candidate) if spelled else None
            if one is not None and one.installed.kind == "stub-only":
                found[one.entry.path] = one.installed
        for top in self._import_tops(name):
            for owner in self._owners_of_top(top + STUBS):
                found.setdefault(owner.entry.path, owner.installed)
        return tuple(found.values())

    def builtin(self, dotted: str) -> Installed | None:
        """The module of the environment's standard library, or None."""
        from .python_fallbacks import standard_module

        return standard_module(self.environment, dotted)

    def vendored(self, name: str) -> tuple[Installed, ...]:
        """The copies of a package that other distributions carry inside themselves; no import of that name finds them."""
        from .python_fallbacks import vendored_copies

        return vendored_copies(self.environment, name)

    def lookup(self, name: str) -> tuple[Installed, ...]:
        """All that a name may stand for: the standard library, what is imported by it, what is installed by it; else stubs, else vendored copies."""
        module = name.partition(".")[0] if name.isidentifier() or "." in name else None
        standard = self.builtin(name) if module is not None else None
        owners = self.owners_of(name) if module is not None and standard is None else ()
        named = self.distribution(name)
        found = list(owners)
        if named is not None and all(one.evidence[:1] != named.evidence[:1] for one in found):
            found.append(named)
        if standard is not None:
            found.insert(0, standard)
        return tuple(found) or self.stubs_for(name) or self.vendored(name)

    def _import_tops(self, name: str) -> list[str]:
        """The first parts of the import names of a distribution, or the name itself as an import."""
        one = self._distribution(pypi_name(name)) if is_pypi_name(name) else None
        names = one.installed.top_levels if one is not None else (name,)
        return list(dict.fromkeys(top.partition(".")[0] for top in names))

    def _owners_of_top(self, top: str) -> Iterator[Distribution]:
        if any(os.path.isdir(os.path.join(folder, top)) for folder in self.path):
            for name in self._names_by_top().get(top, ()):
                owner = self._distribution(name)
                if owner is not None:
                    yield owner

    def _owners(self, module: FoundModule) -> Iterator[Distribution]:
        alike = self._distribution(pypi_name(module.name)) if module.origin is not None else None
        if alike is not None and alike.owns(module) and alike.matches(module):
            yield alike
            return
        for name in self._names_by_top().get(module.name.partition(".")[0], ()):
            owner = self._distribution(name)
            if owner is not None and owner.owns(module):
                yield owner

    def _names_by_top(self) -> dict[str, list[str]]:
        """The names of the distributions by the first parts of their import names, from every RECORD once."""
        if self._tops is None:
            self._tops = {}
            for name in sorted(self._entries):
                known = self._distributions.get(name)
                every = [known] if known else [one for entry in self._entries[name] for one in self._read(entry)]
                for top in frozenset().union(*(one.tops() for one in every)):
                    self._tops.setdefault(top, []).append(name)
        return self._tops

    def _distribution(self, name: str) -> Distribution | None:
        if name not in self._distributions:
            found, warnings = choose([one for entry in self._entries.get(name, ()) for one in self._read(entry)])
            self._warnings.extend(warnings)
            if found is not None:
                found.warnings.extend(warnings)
            self._distributions[name] = found
        return self._distributions[name]

    def _read(self, entry: MetadataEntry) -> Iterator[Distribution]:
        in_site = os.path.dirname(entry.path) in self.environment.site_dirs
        if entry.kind != "egg-link":
            yield Distribution(entry, in_site=in_site)
            return
        from .eggs import linked_entry

        linked = linked_entry(entry)
        if linked is None:
            self._warnings.append(f"{entry.path}: leads to no distribution, ignored")
            return
        found = Distribution(linked, in_site=False)
        folder = os.path.dirname(linked.path)
        if folder not in self.path:
            found.warnings.append(f"{entry.path}: {folder} is not on the search path")
        yield found

    def _read_path(self) -> tuple[tuple[str, ...], tuple[Loader, ...]]:
        path: list[str] = []
        loaders: list[Loader] = []
        for site in self.environment.site_dirs:
            names = self._add_folder(path, site)
            found, warnings = read_pth_files(site, names, self.environment.python)
            self._warnings.extend(warnings)
            for pth in found:
                for folder in pth.folders:
                    self._add_folder(path, folder)
            if _may_hold_finders(found, names):
                from .editable_installs import loaders_of

                loaders.extend(loaders_of(site, found))
        self.path = tuple(path)
        return self.path, tuple(loaders)

    def _add_folder(self, path: list[str], folder: str) -> list[str]:
        if folder in path:
            return []
        path.append(folder)
        self._stamps[folder] = _stamp(folder)
        if folder.endswith(".egg"):
            parent, name = os.path.split(folder)
            names: list[str] = [] if is_zip(folder) else _names(folder)
            entries, warnings = metadata_entries(parent, [name])
        else:
            names = _names(folder)
            entries, warnings = metadata_entries(folder, names)
            entries = [entry for entry in entries if entry.kind != "egg"]
        self._warnings.extend(warnings)
        for entry in entries:
            kept = self._entries.setdefault(entry.name, [])
            if entry not in kept:
                kept.append(entry)
        return names


def _may_hold_finders(pth_files: Sequence[Pth], names: list[str]) -> bool:
    """Whether a line of code imports a module of the site folder itself, as an editable's does, and not of the standard library."""
    known = frozenset(names)
    lines = (line[7:].strip() for pth in pth_files for line in pth.code)
    return any(f"{line.partition(';')[0].partition('.')[0].rstrip()}.py" in known for line in lines)


def _stamp(folder: str) -> tuple[int, int]:
    try:
        status = os.stat(folder)
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_ino


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))[:ENTRIES_LIMIT]
    except OSError:
        return []

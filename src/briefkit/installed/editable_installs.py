"""Editable installs: from what a build backend left in site-packages to the folder in which the source is worked on."""

from __future__ import annotations

import os

from briefkit.paths import is_within
from briefkit.records import TYPE_CHECKING

from .editable_loaders import Loader, read_loader
from .import_roots import STRICT_FOLDER, place_of
from .module_layout import ModuleLayout, is_project, project_of
from .pth_files import Pth, read_pth
from .python_metadata import DirectUrl, text_lines
from .source_folders import declared_folder, names_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


_WARNINGS = 10


def editable_layout(name: str, metadata: str, direct: DirectUrl, pth_names: Iterable[str]) -> ModuleLayout:
    """Where an editable distribution's modules lie, by the `.pth` files that its RECORD names, else by its project alone.

    A target outside the project that `direct_url.json` names, or a project without a project's files, is reported and not listed.
    """
    site = os.path.dirname(metadata)
    project = os.path.normpath(direct.folder) if direct.folder else None
    if project is None or not os.path.isabs(project) or not is_project(project):
        warning = f"{direct.path}: {direct.folder or 'its URL'} is no Python project on this disk"
        return ModuleLayout("editable", site, evidence=(direct.path,), warnings=(warning,))
    pth_files = [pth for pth in (read_pth(os.path.join(site, pth_name)) for pth_name in pth_names) if pth is not None]
    loaders = [
        loader for pth in pth_files for loader in (read_loader(site, line) for line in pth.code) if loader is not None
    ]
    places, refused = _places(site, project, loaders)
    layout = _by_places(project, places) if places else _by_folders(name, metadata, project, pth_files)
    if layout is None:
        layout = _inferred(name, metadata, project)
    evidence = (direct.path, *(pth.path for pth in pth_files), *(loader.path for loader in loaders))
    warnings = (*(warning for loader in loaders for warning in loader.warnings), *refused, *layout.warnings)
    return layout._replace(evidence=evidence, warnings=warnings, project=project)


def develop_layout(name: str, metadata: str, evidence: tuple[str, ...]) -> ModuleLayout:
    """Where the modules of `setup.py develop` lie: beside the `.egg-info` in the source folder."""
    folder = os.path.dirname(metadata)
    project = folder if is_project(folder) else project_of(folder)
    names = _top_level(metadata, folder) or names_in(folder, name, flat=project == folder)
    missing = [one for one in text_lines(metadata, "top_level.txt") if one not in names]
    warnings = tuple(f"{one} is not importable from {folder}" for one in missing)
    return ModuleLayout("editable", folder, names, project=project or folder, evidence=evidence, warnings=warnings)


def loaders_of(site: str, pth_files: Sequence[Pth]) -> tuple[Loader, ...]:
    """The known finders that the code lines of a site folder's `.pth` files would install, in order.

    Without what leads neither into the site folder nor into a Python project: that is not looked at.
    """
    found = (read_loader(site, line) for pth in pth_files for line in pth.code)
    return tuple(_without_strays(site, loader) for loader in found if loader is not None)


def _without_strays(site: str, loader: Loader) -> Loader:
    known: dict[str, bool] = {}

    def stays(place: str) -> bool:
        folder = os.path.dirname(place)
        if folder not in known:
            real = os.path.realpath(folder)
            known[folder] = is_within(real, os.path.realpath(site)) or project_of(real) is not None
        return known[folder] and (not os.path.islink(place) or project_of(os.path.realpath(place)) is not None)

    return loader._replace(
        folders={name: place for name, place in loader.folders.items() if stays(place)},
        files={name: place for name, place in loader.files.items() if stays(place)},
        locations={name: tuple(filter(stays, places)) for name, places in loader.locations.items()},
    )


def _places(site: str, project: str, loaders: Sequence[Loader]) -> tuple[dict[str, str], list[str]]:
    """Where each name of the finders leads inside the project or the site folder, and a warning for each that leads elsewhere."""
    places: dict[str, str] = {}
    warnings = []
    for loader in loaders:
        for name, place in (*_file_places(loader), *loader.folders.items()):
            path = _with_suffix(place)
            if path is not None and _is_allowed(path, project, site):
                places[name] = path
            else:
                reason = "outside the project" if path else "which is not there"
                warnings.append(f"{loader.path}: {name} leads to {place}, {reason}")
    more = len(warnings) - _WARNINGS
    return places, warnings if more <= 0 else [*warnings[:_WARNINGS], f"and {more} more such targets"]


def _by_places(project: str, places: dict[str, str]) -> ModuleLayout:
    tops = [name for name in sorted(places) if not any(name.startswith(other + ".") for other in places)]
    base = _common_base(places, tops) or project
    odd = [(name, path) for name, path in places.items() if place_of(base, name) != path]
    odd.sort(key=lambda pair: (-len(pair[0]), pair[0]))
    return ModuleLayout("editable", base, tuple(tops), tuple(odd))


def _file_places(loader: Loader) -> list[tuple[str, str]]:
    """The topmost packages of a finder that lists files, as folders, and each file that lies outside its package's folder."""
    folders = {
        name: os.path.dirname(path)
        for name, path in loader.files.items()
        if os.path.basename(path).startswith("__init__.")
    }
    places = []
    for name, path in loader.files.items():
        parts = name.split(".")
        tops = [".".join(parts[:size]) for size in range(1, len(parts) + 1) if ".".join(parts[:size]) in folders]
        if not tops:
            places.append((name, path))
        elif name == tops[0]:
            places.append((name, folders[name]))
        elif not is_within(path, os.path.join(folders[tops[0]], *parts[tops[0].count(".") + 1 : -1])):
            places.append((name, folders.get(name, path)))
    return places


def _common_base(places: dict[str, str], tops: Sequence[str]) -> str | None:
    """The folder under which most of the names lie where an import would look for them."""
    bases: dict[str, int] = {}
    for name in tops:
        tail = os.sep + name.replace(".", os.sep)
        path = places[name]
        stem = os.path.splitext(path)[0] if os.path.isfile(path) else path
        if stem.endswith(tail):
            base = stem[: -len(tail)]
            bases[base] = bases.get(base, 0) + 1
    return max(bases, key=lambda base: (bases[base], base), default=None)


def _by_folders(name: str, metadata: str, project: str, pth_files: Sequence[Pth]) -> ModuleLayout | None:
    for pth in pth_files:
        for folder in pth.folders:
            if not is_within(os.path.realpath(folder), os.path.realpath(project)):
                continue
            stated = _top_level(metadata, folder)
            names = stated or names_in(folder, name, flat=folder == project)
            missing = [one for one in text_lines(metadata, "top_level.txt") if one not in names]
            warnings = tuple(f"{one} is not importable from {folder}" for one in missing)
            if os.path.basename(folder).startswith(STRICT_FOLDER):
                return _strict(folder, names, warnings)
            return ModuleLayout("editable", folder, names, warnings=warnings)
    return None


def _strict(folder: str, names: tuple[str, ...], warnings: tuple[str, ...]) -> ModuleLayout:
    """Setuptools' strict mode, a tree of links to files: the folders that the links lead to."""
    places = {}
    for name in names:
        place = place_of(folder, name)
        if place is not None:
            init = os.path.join(place, "__init__.py")
            real = os.path.realpath(init if os.path.isfile(init) else place)
            places[name] = os.path.dirname(real) if os.path.isfile(init) else real
    base = _common_base(places, sorted(places)) or folder
    modules = tuple((name, path) for name, path in sorted(places.items()) if place_of(base, name) != path)
    return ModuleLayout("editable", base, tuple(sorted(places)), modules, warnings=warnings)


def _inferred(name: str, metadata: str, project: str) -> ModuleLayout:
    folder = declared_folder(project) or project
    names = _top_level(metadata, folder) or names_in(folder, name, flat=folder == project)
    warning = f"{folder}: inferred from direct_url.json alone, for no .pth file or finder of a known kind leads there"
    return ModuleLayout("editable", folder, names, warnings=(warning,))


def _top_level(metadata: str, folder: str) -> tuple[str, ...]:
    """The names of `top_level.txt` that are there, a bare namespace by what lies in it."""
    names: list[str] = []
    for name in text_lines(metadata, "top_level.txt"):
        place = place_of(folder, name.replace("/", ".")) if name.replace("/", "").isidentifier() else None
        if place is None:
            continue
        if os.path.isdir(place):
            inner = names_in(folder, name, flat=False)
            names.extend(one for one in inner if one == name or one.startswith(name + "."))
        else:
            names.append(name)
    return tuple(sorted(set(names)))


def _is_allowed(path: str, project: str, site: str) -> bool:
    real = os.path.realpath(path)
    return is_within(real, os.path.realpath(project)) or is_within(real, os.path.realpath(site))


def _with_suffix(place: str) -> str | None:
    """The folder or file that a finder's place means; setuptools writes a module's file without its suffix."""
    if os.path.exists(place):
        return place
    folder, name = os.path.split(place)
    return place_of(folder, name) if name.isidentifier() else None

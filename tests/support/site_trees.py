"""Site folders for tests, laid as files: wheels, editables of each backend as their loaders were seen to be written, older layouts."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import TYPE_CHECKING, Any

from python_trees import lay_environment

from briefkit.installed.python_environments import find_environment
from briefkit.installed.site_packages import SitePackages, open_site

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PYTHON = "3.11.7"

SETUPTOOLS_FINDER = """from __future__ import annotations
import sys
MAPPING: dict[str, str] = {mapping!r}
NAMESPACES: dict[str, list[str]] = {namespaces!r}


class _EditableFinder:
    pass


def install():
    open({canary!r}, "w").close()
"""
EDITABLES_FINDER = "from editables.redirector import RedirectingFinder as F\nF.install()\n{lines}"
MESON_LOADER = """class MesonpyMetaFinder:
    def __init__(self, package, names, path, cmd, verbose=False):
        pass


def init():
    finder = MesonpyMetaFinder(
        {name!r},
        {names!r},
        {build!r},
        ['ninja'],
        False,
    )
    sys.meta_path.insert(0, finder)
"""
SCIKIT_LOADER = "class ScikitBuildRedirectingFinder:\n    pass\n\n\ninstall({sources!r}, {built!r}, {locations!r}, ['x'], None, False, True, [], [], '')\n"


def environment(folder: Path) -> tuple[Path, str]:
    """An empty virtual environment; returns its site folder, and the environment's own path as text."""
    return lay_environment(folder, PYTHON), str(folder)


def site_of(path: str | Path) -> SitePackages:
    """The packages of the environment at a path."""
    found = find_environment(str(path), str(path), environ={}, explicit=str(path))
    assert found is not None
    return open_site(found)


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Files below a folder."""
    for path, content in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)


def wheel(
    site: Path,
    name: str,
    version: str,
    files: Mapping[str, str | bytes],
    *,
    extra_rows: tuple[str, ...] = (),
    direct_url: Mapping[str, Any] | None = None,
    entry_points: str = "",
    summary: str = "",
) -> Path:
    """A distribution as an installer lays it, with a true RECORD; returns its dist-info folder."""
    info = site / f"{name}-{version}.dist-info"
    own: dict[str, str | bytes] = dict(files)
    own[f"{info.name}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\n{summary}"
    if direct_url is not None:
        own[f"{info.name}/direct_url.json"] = json.dumps(direct_url)
    if entry_points:
        own[f"{info.name}/entry_points.txt"] = entry_points
    write(site, own)
    rows = [row(path, content.encode() if isinstance(content, str) else content) for path, content in own.items()]
    rows += [*extra_rows, f"{info.name}/RECORD,,"]
    (info / "RECORD").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return info


def row(path: str, content: bytes) -> str:
    """The RECORD row of a file."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    shown = f'"{path}"' if "," in path else path
    return f"{shown},sha256={digest},{len(content)}"


def editable(site: Path, name: str, project: Path, loader: Mapping[str, str]) -> Path:
    """An editable install: dist-info, `direct_url.json` and the loader's files; the project gets a `pyproject.toml`."""
    if project.is_dir():
        (project / "pyproject.toml").touch()
    url = {"url": project.as_uri(), "dir_info": {"editable": True}}
    return wheel(site, name, "1.0.0", loader, direct_url=url)

"""Which manager laid a Python environment: what it wrote beside the distributions it installed, or into the environment itself."""

from __future__ import annotations

import os
import re

from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING

from ..errors import UnreadableError
from ..paths import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..packages import Environment

_LIMIT = 4_096
_SAMPLE = 40
_SEEDS = lazy_pattern(r"(?:pip|setuptools|wheel|distribute)-", re.IGNORECASE)
_MARKS = (("uv", "uv"), ("poetry", "poetry"), ("pdm", "pdm"), ("pipenv", "pipenv"), ("pip", "pip"))


def installer_mark(environment: Environment, managers: Iterable[str]) -> tuple[str, str] | None:
    """The one manager, of those with a lockfile, that laid the environment, and the file that says so; None where none is told.

    Every `INSTALLER` of a sample must say the same. pip installs for pipenv too, so its mark counts only where one of both is asked.
    """
    found = _common_installer(environment)
    if found is None:
        return _made_by_uv(environment, managers)
    name, path = found
    fitting = [manager for manager in managers if manager == name or (name == "pip" and manager == "pipenv")]
    if len(fitting) == 1:
        return fitting[0], path
    return _made_by_pipenv(environment, fitting)


def _common_installer(environment: Environment) -> tuple[str, str] | None:
    seen: dict[str, str] = {}
    for path in _installer_files(environment):
        try:
            text = read_text(path, _LIMIT).strip().lower()
        except UnreadableError:
            continue
        seen.setdefault(next((name for mark, name in _MARKS if text.startswith(mark)), text), path)
        if len(seen) > 1:
            return None
    return next(iter(seen.items()), None)


def _installer_files(environment: Environment) -> list[str]:
    found: list[str] = []
    for site in environment.site_dirs:
        try:
            names = sorted(os.listdir(site))
        except OSError:
            continue
        found += [
            os.path.join(site, name, "INSTALLER")
            for name in names
            if name.endswith(".dist-info") and not _SEEDS.match(name)
        ]
    return [path for path in found[:_SAMPLE] if os.path.isfile(path)]


def _made_by_uv(environment: Environment, managers: Iterable[str]) -> tuple[str, str] | None:
    path = os.path.join(environment.path, "pyvenv.cfg")
    try:
        made = re.search(r"(?m)^uv\s*=", read_text(path, _LIMIT)) is not None
    except UnreadableError:
        return None
    return ("uv", path) if made and "uv" in managers else None


def _made_by_pipenv(environment: Environment, managers: Iterable[str]) -> tuple[str, str] | None:
    path = os.path.join(environment.path, ".project")
    return ("pipenv", path) if "pipenv" in managers and os.path.isfile(path) else None

"""Whether a name can be in one ecosystem's half of a project at all: told by bytes and file names, before anything is parsed.

Asked only where a project has both halves, so that a name of the one does not cost a reading of the other. A yes may be wrong, a no may
not: what is not certain is a yes.
"""

from __future__ import annotations

import os
import re

from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING

from ..errors import UnreadableError
from ..names import NPM, split_npm_subpath
from ..paths import LOCKFILE_LIMIT, read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

_SEPARATORS = lazy_pattern(r"[-_.]+")
_USUAL = (".venv", "venv", "env", ".env", "virtualenv")
_HARMLESS = ("import _virtualenv", "import os; var = 'SETUPTOOLS", "import _distutils_hack")
_METADATA = (".dist-info", ".egg-info", ".egg-link", ".egg")


def may_be_in_files(ecosystem: str, query: str, paths: list[str]) -> bool:
    """Whether one of these files (lockfiles, manifests) may name what is asked for; one that includes others may."""
    patterns = _patterns(ecosystem, query)
    return any(_speaks_of(path, patterns) for path in paths)


def may_be_in_environment(query: str, folders: Iterator[str]) -> bool:
    """Whether the environment of some folders may hold a distribution or a module of this name.

    A project without an environment in its own folders may have one elsewhere, so there the answer is yes.
    """
    sites = [site for folder in folders for site in _sites(folder)]
    if not sites:
        return True
    head = query.partition(".")[0].lower()
    names = {_SEPARATORS.sub("-", query).lower(), _SEPARATORS.sub("-", head)}
    return any(_site_may_hold(site, head, names) for site in sites)


def _patterns(ecosystem: str, query: str) -> list[re.Pattern[bytes]]:
    """What to look for in lower-case bytes: for PyPI any spelling of the name, and of the name before the first dot."""
    if ecosystem == NPM:
        return [re.compile(re.escape(split_npm_subpath(query)[0].lower().encode()))]
    names = dict.fromkeys((query, query.partition(".")[0]))
    spelled = [[re.escape(part) for part in _SEPARATORS.split(name.lower()) if part] for name in names]
    return [re.compile(rb"[-_.]+".join(part.encode() for part in parts)) for parts in spelled if parts]


def _speaks_of(path: str, patterns: list[re.Pattern[bytes]]) -> bool:
    try:
        data = read_bytes(path, LOCKFILE_LIMIT)
    except UnreadableError as error:
        return error.what != "no such file"
    if b"\0" in data[:4096] or (path.endswith((".txt", ".in")) and re.search(rb"(?m)^\s*-", data)):
        return True
    data = data.lower()
    return any(pattern.search(data) for pattern in patterns)


def _sites(folder: str) -> Iterator[str]:
    """The site folders of the environments that lie in a folder."""
    for name in _USUAL:
        environment = os.path.join(folder, name)
        for library in ("lib", "lib64"):
            base = os.path.join(environment, library)
            for version in _listed(base):
                site = os.path.join(base, version, "site-packages")
                if version.startswith(("python", "pypy")) and os.path.isdir(site):
                    yield site
        site = os.path.join(environment, "Lib", "site-packages")
        if os.path.isdir(site):
            yield site


def _site_may_hold(site: str, head: str, names: set[str]) -> bool:
    for entry in _listed(site):
        lower = entry.lower()
        if lower.endswith(_METADATA):
            if _SEPARATORS.sub("-", lower.rpartition(".")[0].split("-")[0]) in names:
                return True
        elif (
            lower == head
            or lower.startswith((f"{head}.", f"{head}-stubs"))
            or (lower.endswith(".pth") and _pth_may_hold(site, entry, head))
        ):
            return True
    return False


def _pth_may_hold(site: str, entry: str, head: str) -> bool:
    """Whether a path file may bring the module: a folder it adds holds one, or it loads code that may."""
    try:
        lines = read_bytes(os.path.join(site, entry), 1 << 20).decode("utf-8", "replace").splitlines()
    except UnreadableError:
        return False
    for line in lines:
        if line.startswith(("import ", "import\t")):
            if not line.startswith(_HARMLESS):
                return True
        elif line.strip() and not line.startswith("#"):
            folder = os.path.join(site, line.strip())
            if any(name.lower() == head or name.lower().startswith(f"{head}.") for name in _listed(folder)):
                return True
    return False


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except (OSError, ValueError):
        return []

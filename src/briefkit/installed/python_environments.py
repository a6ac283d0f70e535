"""Which Python environment a project runs in, told by files alone.

The order: what was asked for, what is tied to the repo, `VIRTUAL_ENV`, `CONDA_PREFIX`, the version manager's choice, the user's and
the system's site. The environment that briefkit itself runs in is not the project's because it happens to be active. Among several
that are tied to the repo, the one that holds most of the expected distributions wins, and the others are named.
"""

from __future__ import annotations

import os
import sys

from briefkit.errors import Place, UnreadableError, UsageError
from briefkit.names import pypi_name
from briefkit.paths import is_within, read_text
from briefkit.records import TYPE_CHECKING, NamedTuple

from .python_layouts import (
    base_sites,
    environment_of_python,
    has_interpreter,
    is_environment,
    read_environment,
    user_site,
)
from .python_metadata import metadata_entries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from briefkit.packages import Environment

_USUAL_NAMES = (".venv", "venv", "env", ".env", "virtualenv")
_POINTER_LIMIT = 4096
_ENTRIES_LIMIT = 200_000
# A site that the project does not own is taken only where it holds at least this share of what the project expects.
_FOREIGN_SHARE = 0.5
# An environment inside the repo that holds this share is not compared with those that managers and tools keep elsewhere.
_ENOUGH = 0.5


class Candidate(NamedTuple):
    """A folder that may be the project's environment, and the rule that named it."""

    path: str
    rule: str


def find_environment(
    directory: str,
    root: str,
    *,
    environ: Mapping[str, str],
    expected: Iterable[str] = (),
    explicit: str | None = None,
) -> Environment | None:
    """The environment that code in `directory` runs in, or None where no file says so.

    `root` is the folder at which the search upwards ends; `expected` are the distributions that a lockfile or manifest names, to
    choose among several environments; `explicit` is an environment, an interpreter or a site folder that decides alone.

    Raises:
        UsageError: `explicit` is none of these.

    """
    directory, root = os.path.abspath(directory), os.path.abspath(root)
    if explicit is not None:
        return _explicit_environment(directory, explicit, environ)
    names = frozenset(pypi_name(name) for name in expected)
    tied: list[Environment] = []
    for tier in (_usual_candidates, _manager_candidates, _tool_candidates):
        tied += [found for found in _read_all(tier(directory, root, environ), environ) if found.site_dirs]
        if tied and (not names or max(score(found, names) for found in tied) >= _ENOUGH):
            break
    if tied:
        return _best(tied, names)
    for found in _read_all(_active_candidates(root, environ), environ):
        return found
    return _foreign(directory, root, environ, names)


def _usual_candidates(directory: str, root: str, environ: Mapping[str, str]) -> Iterator[Candidate]:
    """Environments inside the repo, nearest folder first; what a manager is told to use instead comes before them."""
    for folder in _folders(directory, root):
        named = environ.get("UV_PROJECT_ENVIRONMENT")
        if named and os.path.isfile(os.path.join(folder, "uv.lock")):
            yield Candidate(os.path.normpath(os.path.join(folder, named)), "UV_PROJECT_ENVIRONMENT")
        yield from _folder_candidates(folder)


def _manager_candidates(directory: str, root: str, environ: Mapping[str, str]) -> Iterator[Candidate]:
    """Environments that a project manager keeps elsewhere for a folder of the repo."""
    from .manager_environments import manager_environments

    for folder in _folders(directory, root):
        yield from (Candidate(path, rule) for path, rule in manager_environments(folder, environ))


def _tool_candidates(directory: str, root: str, environ: Mapping[str, str]) -> Iterator[Candidate]:
    """Environments that test runners, shells and editors name."""
    from .tool_environments import tool_environments

    for folder in _folders(directory, root):
        yield from (Candidate(path, rule) for path, rule in tool_environments(folder, environ))


def score(environment: Environment, expected: frozenset[str]) -> float:
    """The share of the expected distributions that the environment holds, by the names of its metadata folders."""
    if not expected:
        return 0.0
    entries = (entry for site in environment.site_dirs for entry in metadata_entries(site, _names(site))[0])
    present = {entry.name for entry in entries}
    return len(expected & present) / len(expected)


def pointed_environment(path: str) -> str | None:
    """The folder that a `.venv` stands for: itself, a link's target, or the path that a `.venv` file holds in its one line."""
    if os.path.isdir(path):
        return path
    if not os.path.isfile(path):
        return None
    try:
        line = read_text(path, _POINTER_LIMIT).strip()
    except UnreadableError:
        return None
    if not line or "\n" in line or "\0" in line:
        return None
    target = os.path.join(os.path.dirname(path), os.path.expanduser(line))
    return os.path.normpath(target) if os.path.isdir(target) else None


def _explicit_environment(directory: str, explicit: str, environ: Mapping[str, str]) -> Environment:
    path = os.path.normpath(os.path.join(directory, os.path.expanduser(explicit)))
    folder = environment_of_python(path) if os.path.isfile(path) else None
    found = read_environment(folder or pointed_environment(path) or path, "named", environ)
    if found is None:
        raise UsageError(
            "no Python environment, interpreter or site folder",
            place=Place(explicit),
            todo="Name a folder that holds pyvenv.cfg, a python inside one, or a site-packages",
        )
    return found


def _folders(directory: str, root: str) -> Iterator[str]:
    """The directory and the folders above it, up to the root (the directory alone where it is not under the root)."""
    folder = directory
    while True:
        yield folder
        if folder == root or not is_within(folder, root):
            return
        folder = os.path.dirname(folder)


def _folder_candidates(folder: str) -> Iterator[Candidate]:
    for name in _USUAL_NAMES:
        path = os.path.join(folder, name)
        target = pointed_environment(path)
        if target is not None and is_environment(target):
            yield Candidate(path if os.path.isdir(path) else target, _pointer_rule(path, name))
    for name in _names(folder):
        path = os.path.join(folder, name)
        if name not in _USUAL_NAMES and os.path.isfile(os.path.join(path, "pyvenv.cfg")):
            yield Candidate(path, f"{name}/pyvenv.cfg")


def _pointer_rule(path: str, name: str) -> str:
    if os.path.isfile(path):
        return f"{name} file"
    return f"{name} link" if os.path.islink(path) else name


def _active_candidates(root: str, environ: Mapping[str, str]) -> Iterator[Candidate]:
    """What the shell has activated; briefkit's own environment and conda's base count only where they lie in the repo."""
    active = environ.get("VIRTUAL_ENV")
    if active and (is_within(os.path.abspath(active), root) or not _is_own(active)):
        yield Candidate(active, "VIRTUAL_ENV")
    conda = environ.get("CONDA_PREFIX")
    base = environ.get("CONDA_DEFAULT_ENV") == "base" or os.path.isdir(os.path.join(conda or "", "condabin"))
    if conda and not base and (is_within(os.path.abspath(conda), root) or not _is_own(conda)):
        yield Candidate(conda, "CONDA_PREFIX")


def _is_own(path: str) -> bool:
    return os.path.realpath(path) == os.path.realpath(sys.prefix)


def _foreign(directory: str, root: str, environ: Mapping[str, str], expected: frozenset[str]) -> Environment | None:
    """The first of version manager, user site and system that holds enough of what is expected.

    Nothing ties these to the project, so where nothing is expected none of them is taken.
    """
    if not expected:
        return None
    for found in _read_all(_system_candidates(directory, root, environ), environ):
        if found.site_dirs and score(found, expected) >= _FOREIGN_SHARE:
            return found
    return None


def _system_candidates(directory: str, root: str, environ: Mapping[str, str]) -> Iterator[Candidate]:
    from .tool_environments import python_versions

    for folder in _folders(directory, root):
        yield from (Candidate(path, ".python-version") for path in python_versions(folder, environ))
    folders = [folder for folder in environ.get("PATH", "").split(os.pathsep) if folder]
    paths = (os.path.join(folder, name) for name in ("python3", "python") for folder in folders)
    path = next((path for path in paths if os.path.isfile(path)), None)
    prefix = environment_of_python(path) if path is not None else None
    if path is not None and prefix is not None and not (_is_own(prefix) and sys.prefix != sys.base_prefix):
        yield Candidate(prefix, f"{os.path.basename(path)} on PATH")


def _read_all(candidates: Iterable[Candidate], environ: Mapping[str, str]) -> Iterator[Environment]:
    """Each candidate that is an environment, once; a base prefix brings the user's and the system's folders with it."""
    seen = set()
    for path, rule in candidates:
        real = os.path.realpath(path)
        if real in seen:
            continue
        seen.add(real)
        found = read_environment(path, rule, environ)
        if found is None:
            continue
        yield found if is_environment(path) or "PATH" not in rule else _with_base(found, environ)


def _with_base(found: Environment, environ: Mapping[str, str]) -> Environment:
    sites = list(base_sites(found.path, found.python))
    user = user_site(environ, found.python) if found.python else None
    if user is not None:
        sites.insert(0, user)
    return found._replace(site_dirs=tuple(dict.fromkeys([*sites, *found.site_dirs])))


def _best(tied: list[Environment], expected: frozenset[str]) -> Environment:
    """The environment with the largest share of what is expected, the first of equals; the others become a warning."""
    scores = [score(found, expected) for found in tied]
    place = scores.index(max(scores))
    best = tied[place]
    warnings = list(best.warnings)
    others = [found.path for found in tied if found is not best]
    if others:
        warnings.append("other environments of this project: " + ", ".join(others))
    if not has_interpreter(best.path) and is_environment(best.path):
        warnings.append(f"{best.path} has no interpreter")
    return best._replace(warnings=tuple(warnings))


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))[:_ENTRIES_LIMIT]
    except OSError:
        return []

"""Which of a root's lockfiles answers: never the newest file, always a rule that a reader can check.

In order: the manager that the manifest names (`packageManager`, `devEngines`, `[tool.uv|poetry|pdm]`); the mark that a manager left in
what is installed; the only lockfile there is; else each of them.
"""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from ..errors import UnreadableError
from ..names import NPM
from .package_json import key_line, manager_named, manifest_text, read_package_json
from .roots import Choice

if TYPE_CHECKING:
    from collections.abc import Callable

    from .roots import Root


_MANAGER_OF = {
    "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "uv.lock": "uv",
    "poetry.lock": "poetry",
    "pdm.lock": "pdm",
    "Pipfile.lock": "pipenv",
}


def manager_of(lockfile: str) -> str:
    """The manager that writes a lockfile of this name; requirements and `pylock.toml` are `pip`'s."""
    return _MANAGER_OF.get(lockfile, "pip")


def choose(
    root: Root, shown: Callable[[str], str], mark: Callable[[tuple[str, ...]], tuple[str, str] | None]
) -> Choice:
    """The lockfiles of a root that answer.

    `shown` gives the path that a note shows for one in the root; `mark` says which of some managers laid what is installed, and the
    file that proves it, and is asked only where the manifest does not decide.
    """
    managers = dict.fromkeys(manager_of(lockfile) for lockfile in root.lockfiles)
    if len(managers) < 2:
        return Choice(root.lockfiles)
    named = _named(root, shown)
    if named is None or named[0] not in managers:
        named = mark(tuple(managers))
    if named is not None and named[0] in managers:
        chosen = tuple(lockfile for lockfile in root.lockfiles if manager_of(lockfile) == named[0])
        others = ", ".join(lockfile for lockfile in root.lockfiles if lockfile not in chosen)
        return Choice(chosen, (f"{chosen[0]} answers because of {named[1]}; {others} was not asked",))
    return Choice(root.lockfiles)


def _named(root: Root, shown: Callable[[str], str]) -> tuple[str, str] | None:
    """The manager a manifest of the root names, and where it does."""
    try:
        return _named_by_package_json(root, shown) if root.ecosystem == NPM else _named_by_pyproject(root, shown)
    except UnreadableError:
        return None  # who asks what the manifest declares is told; here only its silence counts


def _named_by_package_json(root: Root, shown: Callable[[str], str]) -> tuple[str, str] | None:
    fields = read_package_json(root.path)
    named = manager_named(fields) if fields is not None else None
    if named is None:
        return None
    line = key_line(manifest_text(root.path) or "", named[1].partition(".")[0])
    return named[0], f"{shown('package.json')}:{line} ({named[1]})"


def _named_by_pyproject(root: Root, shown: Callable[[str], str]) -> tuple[str, str] | None:
    if "pyproject.toml" not in root.manifests:
        return None
    from .pyproject import PyProject

    found = PyProject(root.path, shown("pyproject.toml")).manager()
    return None if found is None else (found[0], f"{shown('pyproject.toml')}:{found[1]} ([tool.{found[0]}])")

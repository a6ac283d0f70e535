"""Where each Python project manager keeps a project's environment, by its own formula, computed and never asked of the manager."""

from __future__ import annotations

import os
import re
import sys

from briefkit.errors import UnreadableError
from briefkit.names import pypi_name
from briefkit.paths import read_text
from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING

from .python_layouts import environment_of_python, is_environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

SMALL = 64 << 10

_POETRY_UNSAFE = lazy_pattern(r'[ $`!*@"\\\r\n\t]')
_PIPENV_UNSAFE = lazy_pattern(r'[ &$`!*@"()\[\]\\\r\n\t]')
_CONDA_NAME = lazy_pattern(r"^name:[ \t]*[\"']?([A-Za-z0-9._-]+)[\"']?[ \t]*$", re.MULTILINE)


def manager_environments(folder: str, environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """(environment folder, rule) of each manager that the folder's files speak of, whether or not it exists."""
    names = frozenset(_names(folder))
    project = _project(os.path.join(folder, "pyproject.toml")) if "pyproject.toml" in names else {}
    if names & {"pdm.lock", "pdm.toml", ".pdm-python", "__pypackages__"} or _tool(project, "pdm"):
        yield from _pdm(folder, environ)
    if names & {"poetry.lock", "poetry.toml"} or _tool(project, "poetry"):
        yield from _poetry(folder, project, environ)
    if "Pipfile" in names:
        yield from _pipenv(folder, environ)
    if "hatch.toml" in names or _tool(project, "hatch") or _backend(project).startswith("hatchling"):
        yield from _hatch(folder, project, environ)
    yield from _conda(folder, names, environ)


def _project(path: str) -> dict[str, Any]:
    """The pyproject.toml, parsed only where its text speaks of a manager that keeps environments elsewhere."""
    try:
        text = read_text(path)
    except UnreadableError:
        return {}
    return read_toml(path) if any(name in text for name in ("pdm", "poetry", "hatch")) else {}


def read_toml(path: str) -> dict[str, Any]:
    """The table in a TOML file, empty where it is missing or malformed: another reader reports that."""
    import tomli

    try:
        return tomli.loads(read_text(path))
    except (UnreadableError, ValueError, RecursionError):
        return {}


def table(record: object, *keys: str) -> dict[str, Any]:
    """The table under the keys, empty where there is none."""
    for key in keys:
        record = record.get(key) if isinstance(record, dict) else None
    return record if isinstance(record, dict) else {}


def home_of(environ: Mapping[str, str]) -> str:
    """The user's home by the given variables alone; a folder that cannot be where they name none."""
    return environ.get("HOME") or environ.get("USERPROFILE") or os.path.join(os.sep, "nonexistent")


def _poetry(folder: str, project: dict[str, Any], environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """`{cache}/virtualenvs/NAME-HASH-pyX.Y`, HASH over the real path of the project."""
    name = table(project, "tool", "poetry").get("name") or table(project, "project").get("name")
    bare = _POETRY_UNSAFE.sub("_", pypi_name(name).lower())[:42] if isinstance(name, str) else "non-package-mode"
    stem = f"{bare}-{_digest('sha256', os.path.normcase(os.path.realpath(folder)))[:8]}"
    base = _poetry_folder(folder, environ)
    chosen = table(read_toml(os.path.join(base, "envs.toml")), stem).get("minor")
    found = _matching(base, stem + "-py")
    for entry in sorted(found, key=lambda entry: (not entry.endswith(f"-py{chosen}"), _newest(entry))):
        yield os.path.join(base, entry), f"poetry's environment {entry}"


def _poetry_folder(folder: str, environ: Mapping[str, str]) -> str:
    cache = environ.get("POETRY_CACHE_DIR") or _platform_folder(environ, "cache", "pypoetry")
    settings = os.path.join(
        environ.get("POETRY_CONFIG_DIR") or _platform_folder(environ, "config", "pypoetry"), "config.toml"
    )
    for path in (os.path.join(folder, "poetry.toml"), settings):
        record = read_toml(path)
        if isinstance(record.get("cache-dir"), str):
            cache = record["cache-dir"]
        named = environ.get("POETRY_VIRTUALENVS_PATH") or table(record, "virtualenvs").get("path")
        if isinstance(named, str):
            return os.path.join(
                folder, os.path.expanduser(named.replace("{cache-dir}", cache).replace("{project-dir}", folder))
            )
    return environ.get("POETRY_VIRTUALENVS_PATH") or os.path.join(cache, "virtualenvs")


def _pipenv(folder: str, environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """`WORKON_HOME/FOLDER-HASH`, HASH over the path of the Pipfile."""
    custom = environ.get("PIPENV_CUSTOM_VENV_NAME")
    shown = _PIPENV_UNSAFE.sub("_", os.path.basename(folder))[:42]
    default = os.path.join(home_of(environ), ".virtualenvs" if os.name == "nt" else ".local/share/virtualenvs")
    bases = [os.path.expanduser(environ.get("WORKON_HOME") or default)]
    if environ.get("XDG_DATA_HOME") and "WORKON_HOME" not in environ:
        bases.insert(0, os.path.join(environ["XDG_DATA_HOME"], "virtualenvs"))
    for path in dict.fromkeys([folder, os.path.realpath(folder)]):
        stem = custom or f"{shown}-{_digest('sha256', os.path.join(path, 'Pipfile'), 6)[:8]}"
        for base in bases:
            for entry in _matching(base, stem):
                yield os.path.join(base, entry), f"pipenv's environment {entry}"


def _pdm(folder: str, environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """`__pypackages__/X.Y/lib`, the interpreter in `.pdm-python`, or `{data}/venvs/FOLDER-HASH-X.Y`."""
    packages = os.path.join(folder, "__pypackages__")
    for entry in sorted(_names(packages), key=_newest):
        yield os.path.join(packages, entry, "lib"), f"__pypackages__/{entry}"
    try:
        line = read_text(os.path.join(folder, ".pdm-python"), SMALL).strip()
    except UnreadableError:
        line = ""
    found = (
        environment_of_python(os.path.join(folder, line)) if line and "\n" not in line and "\0" not in line else None
    )
    if found is not None and is_environment(found):
        yield found, ".pdm-python"
    base = environ.get("PDM_VENV_LOCATION") or os.path.join(_platform_folder(environ, "data", "pdm"), "venvs")
    for path in dict.fromkeys([folder, os.path.realpath(folder)]):
        stem = f"{os.path.basename(path)}-{_digest('md5', path.replace(os.sep, '/'))[:8]}-"
        for entry in sorted(_matching(base, stem), key=_newest):
            yield os.path.join(base, entry), f"pdm's environment {entry}"


def _hatch(folder: str, project: dict[str, Any], environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """`{data}/env/virtual/NAME/HASH/ENV`, flat where the folder of environments lies in the project; or a stated path."""
    envs = {**table(project, "tool", "hatch", "envs"), **table(read_toml(os.path.join(folder, "hatch.toml")), "envs")}
    for env in envs:
        path = table(envs, env).get("path")
        if isinstance(path, str):
            yield os.path.join(folder, path), f"hatch's environment {env}"
    record = read_toml(os.path.join(_platform_folder(environ, "config", "hatch"), "config.toml"))
    named = environ.get("HATCH_ENV_TYPE_VIRTUAL_PATH") or table(record, "dirs", "env").get("virtual")
    data = environ.get("HATCH_DATA_DIR") or _platform_folder(environ, "data", "hatch")
    base = (
        os.path.join(folder, os.path.expanduser(named))
        if isinstance(named, str)
        else os.path.join(data, "env", "virtual")
    )
    name = table(project, "project").get("name")
    spelled = pypi_name(name) if isinstance(name, str) else os.path.basename(folder)
    nested = os.path.join(base, spelled, _digest("sha256", os.path.realpath(folder))[:8])
    for place in (nested, base) if isinstance(named, str) else (nested,):
        for entry in sorted(_names(place), key=lambda entry: (entry != spelled, entry)):
            yield os.path.join(place, entry), f"hatch's environment {entry}"


def _conda(folder: str, names: frozenset[str], environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """`.conda`, pixi's environments, `envs/NAME`, or the one that `environment.yml` names in conda's own list."""
    if ".conda" in names:
        yield os.path.join(folder, ".conda"), ".conda"
    for parent in (os.path.join(folder, ".pixi", "envs"), os.path.join(folder, "envs")):
        for entry in sorted(_names(parent), key=lambda entry: (entry != "default", entry)):
            if os.path.isdir(os.path.join(parent, entry, "conda-meta")):
                yield (
                    os.path.join(parent, entry),
                    os.path.relpath(os.path.join(parent, entry), folder).replace(os.sep, "/"),
                )
    for file in ("environment.yml", "environment.yaml"):
        found = _CONDA_NAME.search(_text(os.path.join(folder, file))) if file in names else None
        if found is not None:
            for line in _text(os.path.join(home_of(environ), ".conda", "environments.txt")).splitlines():
                if os.path.basename(line.strip()) == found[1]:
                    yield line.strip(), f"{file} names {found[1]}"


def _platform_folder(environ: Mapping[str, str], kind: str, name: str) -> str:
    """The user's folder of a kind (`cache`, `config`, `data`) for a program, as the platform keeps it."""
    home = home_of(environ)
    if sys.platform == "darwin":
        middle = {"cache": "Caches", "config": "Application Support", "data": "Application Support"}[kind]
        return os.path.join(home, "Library", middle, name)
    if os.name == "nt":
        local = environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
        roaming = environ.get("APPDATA") or local
        return (
            os.path.join(local, name, "Cache")
            if kind == "cache"
            else os.path.join(roaming if kind == "config" else local, name)
        )
    variable, default = {
        "cache": ("XDG_CACHE_HOME", ".cache"),
        "config": ("XDG_CONFIG_HOME", ".config"),
        "data": ("XDG_DATA_HOME", ".local/share"),
    }[kind]
    return os.path.join(environ.get(variable) or os.path.join(home, default), name)


def _digest(algorithm: str, text: str, size: int | None = None) -> str:
    """URL-safe base64 of a hash of the text (of its first `size` bytes)."""
    import hashlib
    from base64 import urlsafe_b64encode

    digest = hashlib.new(algorithm, text.encode("utf-8", "surrogateescape"), usedforsecurity=False).digest()
    return urlsafe_b64encode(digest[:size]).decode("ascii")


def _matching(base: str, stem: str) -> list[str]:
    return [entry for entry in _names(base) if entry.startswith(stem)]


def _newest(entry: str) -> tuple[int, ...]:
    """A sort key that puts the highest X.Y at the end of a name first."""
    found = re.search(r"(\d+)\.(\d+)$", entry)
    return (-int(found[1]), -int(found[2])) if found else (0, 0)


def _tool(project: dict[str, Any], name: str) -> dict[str, Any]:
    return table(project, "tool", name)


def _backend(project: dict[str, Any]) -> str:
    backend = table(project, "build-system").get("build-backend")
    return backend if isinstance(backend, str) else ""


def _text(path: str) -> str:
    try:
        return read_text(path, SMALL)
    except UnreadableError:
        return ""


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []

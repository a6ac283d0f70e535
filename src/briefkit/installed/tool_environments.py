"""Environments that tools around a project name or keep: version managers, test runners, shells, editors. Weak evidence, read last."""

from __future__ import annotations

import os
import re

from briefkit.errors import UnreadableError
from briefkit.paths import read_text
from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING

from .manager_environments import home_of, read_toml, table
from .python_layouts import environment_of_python, is_environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SMALL = 256 << 10

_INTERPRETER = lazy_pattern(r'"python\.(?:defaultInterpreterPath|pythonPath)"\s*:\s*"([^"\\]{1,1000})"')
_PYRIGHT = lazy_pattern(r'"(venvPath|venv)"\s*:\s*"([^"\\]{1,1000})"')


def tool_environments(folder: str, environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """(environment folder, rule) of each tool that the folder's files speak of, whether or not it exists."""
    for path in python_versions(folder, environ):
        if is_environment(path):
            yield path, ".python-version"
    yield from _editors(folder)
    for parent, prefix in ((".nox", ""), (".tox", ""), (".direnv", "python-")):
        for entry in _names(os.path.join(folder, parent)):
            if entry.startswith(prefix) and os.path.isfile(os.path.join(folder, parent, entry, "pyvenv.cfg")):
                yield os.path.join(folder, parent, entry), f"{parent}/{entry}"
    for file in ("mise.toml", ".mise.toml"):
        venv = (
            table(read_toml(os.path.join(folder, file)), "env", "_", "python").get("venv")
            if _has(folder, file)
            else None
        )
        named = venv.get("path") if isinstance(venv, dict) else venv
        if isinstance(named, str):
            yield os.path.join(folder, os.path.expanduser(named)), file


def python_versions(folder: str, environ: Mapping[str, str]) -> Iterator[str]:
    """What pyenv would run for the folder: the versions and named environments of its `.python-version`."""
    root = environ.get("PYENV_ROOT") or os.path.join(home_of(environ), ".pyenv")
    for line in _text(os.path.join(folder, ".python-version")).split():
        if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/envs/[A-Za-z0-9._-]+)?", line):
            path = os.path.join(root, "versions", *line.split("/"))
            if os.path.isdir(path):
                yield path


def _editors(folder: str) -> Iterator[tuple[str, str]]:
    if _has(folder, "pyrightconfig.json"):
        found = dict(_PYRIGHT.findall(_text(os.path.join(folder, "pyrightconfig.json"))))
        if "venv" in found:
            yield os.path.join(folder, found.get("venvPath", ""), found["venv"]), "pyrightconfig.json"
    if _has(folder, "pyproject.toml"):
        project = read_toml(os.path.join(folder, "pyproject.toml"))
        pyright, ty = table(project, "tool", "pyright"), table(project, "tool", "ty", "environment").get("python")
        if isinstance(pyright.get("venv"), str):
            yield os.path.join(folder, str(pyright.get("venvPath", "")), pyright["venv"]), "[tool.pyright]"
        if isinstance(ty, str):
            yield os.path.join(folder, ty), "[tool.ty.environment]"
    found_path = _INTERPRETER.search(_text(os.path.join(folder, ".vscode", "settings.json")))
    if found_path is not None:
        path = found_path[1].replace("${workspaceFolder}", folder)
        prefix = environment_of_python(os.path.join(folder, path)) or os.path.join(folder, path)
        yield prefix, ".vscode/settings.json"


def _has(folder: str, name: str) -> bool:
    return os.path.isfile(os.path.join(folder, name))


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

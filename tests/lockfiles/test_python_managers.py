"""The Python managers run now on the samples' manifests: what briefkit reads in what they write is what they say themselves."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from python_managers import WRITINGS, Writing, environment_for, manager_folder, project_copy, toolbelt, write

from briefkit.lockfiles.files import read_lockfile, read_lockfile_text
from briefkit.names import pypi_name

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

_PIN = re.compile(r"(?m)^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?==([^\s;\\]+)")


def pins(text: str) -> set[tuple[str, str]]:
    """The (name, version) pairs of the lines that a manager exports."""
    return {(pypi_name(name), version) for name, version in _PIN.findall(text)}


def locked(path: Path) -> set[tuple[str, str | None]]:
    """The (name, version) pairs of a lockfile's registry packages."""
    return {(one.name, one.version) for one in read_lockfile(path).packages if one.source.kind == "registry"}


class Told:
    """A project as a manager has locked it, and the manager to ask."""

    def __init__(self, sample: str, folder: Path) -> None:
        self.writing = next(one for one in WRITINGS if one.sample == sample)
        self.project = project_copy(self.writing, folder)
        self.environment = environment_for(toolbelt(folder), manager_folder(self.writing.manager))
        for command in self.writing.commands:
            self.ask(command)
        self.lock = self.project / self.writing.written

    def ask(self, command: str) -> str:
        """What a command prints."""
        done = subprocess.run(
            command.split(),
            cwd=self.project,
            env=self.environment,
            check=True,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        return done.stdout


TODAY = tuple(writing for writing in WRITINGS if writing.today)


@pytest.mark.parametrize("writing", TODAY, ids=[writing.sample for writing in TODAY])
def test_what_a_manager_writes_now_has_the_names_of_the_sample(writing: Writing, tmp_path: Path) -> None:
    from lockfile_rows import sample

    name = writing.sample.rpartition("/")[2] if not writing.sample.startswith("requirements") else "requirements.txt"
    now = read_lockfile_text(write(writing, tmp_path), name)
    then = sample(writing.sample)
    names = {package.name for package in then.packages if package.source.kind != "registry"}
    assert names <= {package.name for package in now.packages}
    assert [one.path for one in now.importers] == [one.path for one in then.importers]
    assert [edge.name for edge in now.importers[0].edges if edge.line == 0] == []


def test_uv_exports_what_is_read(tmp_path: Path) -> None:
    told = Told("uv/virtual-root/uv.lock", tmp_path)
    said = told.ask("uv export -q --frozen --all-packages --all-groups --all-extras --no-hashes")
    assert pins(said) == locked(told.lock)


def test_uv_exports_one_side_of_a_conflict(tmp_path: Path) -> None:
    told = Told("uv/workspace/uv.lock", tmp_path)
    said = pins(told.ask("uv export -q --frozen --all-packages --all-groups --extra new --extra fast --no-hashes"))
    never = {
        (one.name, one.version)
        for one in read_lockfile(told.lock).packages
        if not one.groups and one.source.kind == "registry"
    }
    other_side = {pair for pair in locked(told.lock) if pair[0] == "idna"} - said
    assert locked(told.lock) - never - other_side == said


def test_poetry_shows_what_is_read(tmp_path: Path) -> None:
    told = Told("poetry/project/poetry.lock", tmp_path)
    shown = told.ask("poetry show --all --no-ansi --no-truncate")
    said = {(pypi_name(found[0]), found[1]) for found in re.findall(r"(?m)^(\S+)\s+(?:\(!\)\s+)?(\S+)", shown)}
    read = {(one.name, one.version) for one in read_lockfile(told.lock).packages}
    assert said == read


def test_pdm_exports_what_is_read(tmp_path: Path) -> None:
    told = Told("pdm/project/pdm.lock", tmp_path)
    assert pins(told.ask("pdm export -G :all --no-hashes")) == locked(told.lock)


def test_pipenv_lists_what_is_read(tmp_path: Path) -> None:
    told = Told("pipenv/project/Pipfile.lock", tmp_path)
    said = "".join(told.ask(f"pipenv requirements {options}") for options in ("", "--dev-only", "--categories docs"))
    assert pins(said) == locked(told.lock)


@pytest.mark.parametrize("sample", ["pylock/pylock.uv.toml", "pylock/pylock.pip.toml"])
def test_packaging_reads_the_same_of_a_pylock(sample: str, tmp_path: Path) -> None:
    import tomli
    from packaging.pylock import Pylock

    told = Told(sample, tmp_path)
    said = Pylock.from_dict(tomli.loads(told.lock.read_text(encoding="utf-8")))
    read = [(one.name, one.version, one.marker) for one in read_lockfile(told.lock).packages]
    assert [(str(one.name), one.version and str(one.version)) for one in said.packages] == [one[:2] for one in read]
    assert [one.marker is None for one in said.packages] == [one[2] is None for one in read]


def test_pip_freezes_what_pip_lists(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "env")], check=True)
    python = str(tmp_path / "env" / "bin" / "python")
    subprocess.run(
        [python, "-m", "pip", "install", "-q", "six==1.16.0", "iniconfig", "-e", str(toolbelt(tmp_path))], check=True
    )
    frozen = subprocess.run(
        [python, "-m", "pip", "freeze", "--all"], check=True, capture_output=True, text=True, encoding="utf-8"
    ).stdout
    listed = json.loads(
        subprocess.run(
            [python, "-m", "pip", "list", "--format", "json"],
            check=True,
            capture_output=True,
            text=True,
            encoding="utf-8",
        ).stdout
    )
    read = read_lockfile_text(frozen, "requirements.txt").packages
    said = {(pypi_name(one["name"]), one["version"]) for one in listed}
    assert {(one.name, one.version or "1.2.0") for one in read} == said

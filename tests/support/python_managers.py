"""Python package managers run on the samples' manifests, to write their lockfiles again and to hear what they themselves say.

Each manager gets a virtual environment of its own, kept in the folder that BRIEFKIT_TEST_TOOLS names. Hosts in what they write are
replaced by `.example` ones, so that a sample names no registry.

    python tests/support/python_managers.py        writes every sample again
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

SAMPLES = Path(__file__).parent.parent / "lockfiles" / "samples"
GIT_HOST = "https://git.example/toolbelt"


class Writing(NamedTuple):
    """One lockfile that a manager writes: the manifests' folder, the requirement of the manager, its commands, and what becomes of it."""

    manifests: str
    manager: str
    commands: tuple[str, ...]
    written: str
    sample: str
    today: bool = True  # False: the index of today does not answer this old manager for every package


WRITINGS: tuple[Writing, ...] = (
    Writing("uv/workspace", "uv", ("uv lock",), "uv.lock", "uv/workspace/uv.lock"),
    Writing("uv/virtual-root", "uv", ("uv lock",), "uv.lock", "uv/virtual-root/uv.lock"),
    Writing("uv/script", "uv", ("uv lock --script greet.py",), "greet.py.lock", "uv/script/greet.py.lock"),
    Writing("uv/plain", "uv==0.4.30", ("uv lock",), "uv.lock", "uv/plain/uv.lock"),
    Writing("uv/plain", "uv==0.2.26", ("uv lock --preview",), "uv.lock", "uv/plain/distribution/uv.lock"),
    Writing("poetry/project", "poetry", ("poetry lock",), "poetry.lock", "poetry/project/poetry.lock"),
    Writing("poetry/project", "poetry==1.8.5", ("poetry lock",), "poetry.lock", "poetry/lock-2.0/poetry.lock"),
    Writing("poetry/project", "poetry==1.4.2 urllib3<2", ("poetry lock",), "poetry.lock", "poetry/lock-2.0-category/poetry.lock", today=False),
    Writing("pdm/project", "pdm==2.19.3 httpx<0.28 unearth<0.18", ("pdm lock -G :all",), "pdm.lock", "pdm/project/pdm.lock"),
    Writing("pdm/project", "pdm==2.5.6", ("pdm lock -G :all",), "pdm.lock", "pdm/lock-4.2/pdm.lock"),
    Writing("pipenv/project", "pipenv", ("pipenv lock --categories default,develop,docs",), "Pipfile.lock", "pipenv/project/Pipfile.lock"),
    Writing("uv/workspace", "uv", ("uv lock", "uv export -q --format pylock.toml --extra new -o pylock.toml"), "pylock.toml", "pylock/pylock.uv.toml"),
    Writing("uv/virtual-root/apps/one", "pip>=26", ("python -m pip lock -q -o pylock.toml .",), "pylock.toml", "pylock/pylock.pip.toml"),
    Writing("requirements", "pip-tools", ("pip-compile -q --strip-extras --generate-hashes -o requirements.txt requirements.in",), "requirements.txt", "requirements/pip-compile.txt"),
    Writing("requirements", "uv", ("uv pip compile -q --universal requirements.in -o requirements.txt",), "requirements.txt", "requirements/uv-pip-compile.txt"),
    Writing("uv/workspace", "uv", ("uv lock", "uv export -q --all-packages --all-groups --extra new --extra fast -o requirements.txt"), "requirements.txt", "requirements/uv-export.txt"),
)  # fmt: skip


def tools_folder() -> Path:
    """Where the managers' environments are kept."""
    return Path(os.environ.get("BRIEFKIT_TEST_TOOLS") or Path(tempfile.gettempdir()) / "briefkit-test-tools")


def manager_folder(requirement: str) -> Path:
    """The `bin` folder of an environment that holds the manager; made where it is not there."""
    home = tools_folder() / re.sub(r"[^A-Za-z0-9.]+", "-", requirement)
    if not (home / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(home)], check=True)
        subprocess.run(
            [str(home / "bin" / "python"), "-m", "pip", "install", "-q", "-U", *requirement.split()], check=True
        )
        (home / "ready").touch()
    return home / "bin"


def toolbelt(folder: Path) -> Path:
    """A git repository with one small package, its commit the same everywhere."""
    repository = folder / "toolbelt"
    repository.mkdir()
    manifest = (
        '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n\n'
        '[project]\nname = "toolbelt"\nversion = "1.2.0"\ndependencies = ["six"]\n\n'
        '[tool.poetry]\nname = "toolbelt"\nversion = "1.2.0"\ndescription = ""\nauthors = []\n\n'
        '[tool.poetry.dependencies]\npython = "*"\nsix = "*"\n'
    )
    (repository / "pyproject.toml").write_text(manifest, encoding="utf-8")
    (repository / "toolbelt.py").write_text('"""Tools."""\n', encoding="utf-8")
    stamp = "2024-01-01T00:00:00+0000"
    identity = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "Nobody"), ("EMAIL", "nobody@mail.example"), ("DATE", stamp))}  # fmt: skip
    for command in ("init -q -b main", "add -A", "commit -q -m Tools", "tag v1.2.0"):
        subprocess.run(["git", *command.split()], cwd=repository, env={**os.environ, **identity}, check=True)
    return repository


def environment_for(repository: Path, binaries: Path) -> dict[str, str]:
    """The environment for a manager: its own programs first, the sample's git host led to the local repository."""
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith(("VIRTUAL_ENV", "GIT_CONFIG", "PIP_FIND"))
    }
    return kept | {
        "PATH": f"{binaries}{os.pathsep}{os.environ.get('PATH', '')}",
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": f"url.{repository.as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": GIT_HOST,
        "GIT_CONFIG_KEY_1": "protocol.file.allow",
        "GIT_CONFIG_VALUE_1": "always",
        "POETRY_EXPERIMENTAL_SYSTEM_GIT_CLIENT": "true",
        "POETRY_SYSTEM_GIT_CLIENT": "true",
        "POETRY_VIRTUALENVS_CREATE": "false",
        "PIPENV_IGNORE_VIRTUALENVS": "1",
        "PDM_CHECK_UPDATE": "false",
        "UV_NO_CONFIG": "1",
        "PIP_NO_INPUT": "1",
        "PIP_CONFIG_FILE": os.devnull,
    }


def project_copy(writing: Writing, folder: Path) -> Path:
    """The sample's manifests in a folder of their own, without any lockfile."""
    project = folder / "project"
    shutil.copytree(
        SAMPLES / writing.manifests,
        project,
        ignore=shutil.ignore_patterns("*.lock", "pylock*", "*.txt", "lock-*", "distribution"),
    )
    return project


def write(writing: Writing, folder: Path) -> str:
    """The text of the lockfile that the manager writes now, hosts replaced."""
    project = project_copy(writing, folder)
    environment = environment_for(toolbelt(folder), manager_folder(writing.manager))
    for command in writing.commands:
        subprocess.run(command.split(), cwd=project, env=environment, check=True, stdout=subprocess.DEVNULL)
    return without_hosts((project / writing.written).read_text(encoding="utf-8"), project)


def without_hosts(text: str, project: Path) -> str:
    """The text with `.example` for the registry's hosts and `/project` for the folder."""
    text = re.sub(r"https://[^/\s\"']+/simple", "https://pypi.example/simple", text)
    text = re.sub(r"https://[^/\s\"']+/packages/", "https://files.pypi.example/packages/", text)
    return text.replace(project.as_uri(), "file:///project").replace(str(project), "/project")


def main() -> None:
    """Write every sample again, or those whose path holds the first argument."""
    for writing in WRITINGS:
        if len(sys.argv) > 1 and sys.argv[1] not in writing.sample:
            continue
        target = SAMPLES / writing.sample
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            try:
                target.write_text(write(writing, Path(folder)), encoding="utf-8")
            except (subprocess.CalledProcessError, OSError) as error:
                sys.stderr.write(f"{writing.sample}: {error}\n")
            else:
                sys.stderr.write(f"{writing.sample}: written\n")


if __name__ == "__main__":
    main()

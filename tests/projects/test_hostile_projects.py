"""Repos that mean harm: everything is bounded, nothing of them runs, and what is wrong is one clear line."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from node_trees import lay, package
from project_samples import project_at, short
from python_trees import lay_environment

from briefkit.errors import BriefkitError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LOCKFILES = (
    "package-lock.json",
    "npm-shrinkwrap.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lock",
    "uv.lock",
    "poetry.lock",
    "pdm.lock",
    "Pipfile.lock",
    "pylock.toml",
    "requirements.txt",
)
MANIFESTS = ("package.json", "pnpm-workspace.yaml", "pyproject.toml", "Pipfile", "setup.cfg", "requirements.in")


def fifo(path: Path) -> None:
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.mkdir()


def dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def nul(path: Path) -> None:
    path.write_bytes(b"\0" * 5000)


def latin(path: Path) -> None:
    path.write_bytes(b'{"name": "\xe9"}')


def deep(path: Path) -> None:
    path.write_text("[" * 100_000, encoding="utf-8")


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(70 << 20)


def number(path: Path) -> None:
    path.write_text('{"lockfileVersion": ' + "9" * 5000 + "}", encoding="utf-8")


def answer(directory: Path, query: str) -> list[str | None] | str:
    """The versions that are answered, or what the error says."""
    try:
        return [each.version for each in project_at(directory).resolve(query)]
    except BriefkitError as error:
        return str(error)


KINDS = (fifo, folder, dangling, loop, device, nul, latin, deep, huge, number)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("name", LOCKFILES)
def test_a_lockfile_that_is_none_is_told_in_one_line(tmp_path: Path, name: str, kind: Callable[[Path], None]) -> None:
    (tmp_path / ".git").mkdir()
    kind(tmp_path / name)
    begun = time.process_time()
    said = answer(tmp_path, "ms")
    if isinstance(said, str):
        assert said.startswith(name)
        assert "\n" not in said
    else:
        assert said == []
        assert name == "requirements.txt" or kind is nul, "a lockfile that cannot be read is never an empty list"
    assert time.process_time() - begun < 2


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("name", MANIFESTS)
def test_a_manifest_that_is_none_is_told_where_it_is_needed(
    tmp_path: Path, name: str, kind: Callable[[Path], None]
) -> None:
    lay(tmp_path, {".git/HEAD": "", "requirements.txt": "six==1.16.0\n", "yarn.lock": 'ms@*:\n  version "2.1.3"\n'})
    kind(tmp_path / name)
    begun = time.process_time()
    for query, version in (("npm:ms", "2.1.3"), ("pypi:six", "1.16.0")):
        said = answer(tmp_path, query)
        if isinstance(said, str):
            assert said.startswith(name)
            assert "\n" not in said
        else:
            assert said == [version]
    assert time.process_time() - begun < 4


def test_patterns_of_a_workspace_that_explode_end(tmp_path: Path) -> None:
    patterns = ["{a,b}" * 40, "*" * 2000, "**/" * 500 + "x", "/".join(["*a*b*c*"] * 200), "\0", "../" * 300, "[" * 500]
    tree = {
        ".git/HEAD": "",
        "package.json": {"name": "root", "workspaces": patterns},
        "a/b/c/package.json": {"name": "c"},
    }
    lay(tmp_path, tree)
    begun = time.process_time()
    with pytest.raises(BriefkitError):
        project_at(tmp_path / "a" / "b" / "c").resolve("ms", importer="a" * 5000)
    assert time.process_time() - begun < 5


def test_groups_that_include_each_other_end(tmp_path: Path) -> None:
    text = (
        "[dependency-groups]\na = ['six', {include-group = 'b'}]\nb = [{include-group = 'a'}, {include-group = 'b'}]\n"
    )
    lay(tmp_path, {".git/HEAD": "", "pyproject.toml": text, "requirements.txt": "six==1.16.0\n"})
    (found,) = project_at(tmp_path).resolve("six")
    assert found.groups == ("a", "b")


def test_members_behind_links_are_not_walked(tmp_path: Path) -> None:
    tree = {
        ".git/HEAD": "",
        "package.json": {"name": "root", "workspaces": ["packages/**"]},
        "yarn.lock": 'ms@*:\n  version "2.1.3"\n',
        "packages/a/package.json": {"name": "a", "dependencies": {"ms": "*"}},
        "packages/loop": {"link": ".."},
        "packages/out": {"link": "/"},
    }
    lay(tmp_path, tree)
    begun = time.process_time()
    assert [each.version for each in project_at(tmp_path).resolve("ms", importer="packages/a")] == ["2.1.3"]
    with pytest.raises(BriefkitError, match=r"no member 'zzz'. Known: ., packages/a$"):
        project_at(tmp_path).resolve("ms", importer="zzz")
    assert time.process_time() - begun < 2


def test_an_importer_outside_the_disk_is_a_name_not_a_path(tmp_path: Path) -> None:
    lay(tmp_path, {".git/HEAD": "", "package.json": {"name": "root"}, "yarn.lock": 'ms@*:\n  version "1.0.0"\n'})
    for importer in ("/etc", "../../../../etc", "a\0b", "~", "C:\\x"):
        with pytest.raises(BriefkitError, match="no member"):
            project_at(tmp_path).resolve("ms", importer=importer)


def test_what_a_manifest_claims_is_only_text(tmp_path: Path) -> None:
    tree = {
        ".git/HEAD": "",
        "package.json": {"name": "app", "dependencies": {"ms": "link:../../../../etc", "x": "file:/etc"}},
        "yarn.lock": "# yarn lockfile v1\n",
    }
    lay(tmp_path, tree)
    (found,) = project_at(tmp_path).resolve("ms")
    assert (found.version, found.state, found.copy) == (None, "not-installed", None)
    assert project_at(tmp_path).resolve("x") == ()


CANARY = """
import sys
SEEN = []
def hook(event, arguments):
    if event.split(".")[0] in ("subprocess", "socket", "urllib", "ftplib", "http") or event in (
        "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "pty.spawn", "shutil.rmtree", "os.remove", "os.mkdir"):
        SEEN.append((event, str(arguments)[:100]))
    if event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
        SEEN.append((event, str(arguments)[:100]))
    if event == "import" and str(arguments[1]).startswith(sys.argv[1]):
        SEEN.append((event, str(arguments)[:100]))
sys.addaudithook(hook)
from briefkit.projects.project import open_project
from briefkit.errors import BriefkitError
project = open_project(sys.argv[1])
for name in ("evil", "pypi:evil", "npm:evil", "yaml"):
    try:
        project.resolve(name), project.locate(name).to_dict()
    except BriefkitError:
        pass
project.resolutions(everything=True), project.resolutions()
assert "evil" not in sys.modules
print(SEEN)
"""


def test_nothing_of_the_repo_runs_and_nothing_is_written(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    code = f"open({str(mark)!r}, 'w')\n"
    tree = {
        ".git/HEAD": "",
        "package.json": {"name": "app", "dependencies": {"evil": "*"}, "scripts": {"preinstall": f"touch {mark}"}},
        "yarn.lock": '# yarn lockfile v1\n\n\nevil@*:\n  version "1.0.0"\n',
        ".pnp.cjs": f"require('fs').writeFileSync({str(mark)!r}, '')\n",
        "node_modules/evil/package.json": package("evil", "1.0.0", scripts={"install": f"touch {mark}"}),
        "pyproject.toml": "[project]\nname = 'app'\ndependencies = ['evil']\n",
        "requirements.txt": "evil==1.0\n",
        "setup.py": code,
        "conftest.py": code,
        "sitecustomize.py": code,
        "evil.py": code,
    }
    lay(tmp_path, tree)
    site = lay_environment(tmp_path / ".venv")
    lay(
        site,
        {"evil.pth": f"import os; os.system('touch {mark}')\n", "evil/__init__.py": code, "usercustomize.py": code},
    )
    lay(
        site,
        {
            "evil-1.0.dist-info/METADATA": "Name: evil\nVersion: 1.0\n",
            "evil-1.0.dist-info/RECORD": "evil/__init__.py,,\n",
        },
    )
    done = subprocess.run(
        [sys.executable, "-I", "-B", "-c", CANARY, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
    assert not mark.exists()


def test_terminal_escapes_in_versions_do_not_reach_an_answer(tmp_path: Path) -> None:
    tree = {
        ".git/HEAD": "",
        "package.json": {"name": "app"},
        "node_modules/ms/package.json": package("ms", "1.0.0\x1b[31m\n"),
    }
    lay(tmp_path, tree)
    (found,) = project_at(tmp_path).resolve("ms")
    assert "\x1b" not in str(found.version)
    assert "\n" not in str(found.version)
    assert short((found,))[0].state == "not-locked"

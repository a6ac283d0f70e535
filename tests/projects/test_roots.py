"""Where a project begins, for each ecosystem."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from node_trees import lay

from briefkit.errors import UnreadableError, UsageError
from briefkit.projects.project import open_project

if TYPE_CHECKING:
    from pathlib import Path

LOCK = json.dumps({"name": "app", "lockfileVersion": 3, "packages": {"": {"name": "app"}}})


def roots(folder: str) -> tuple[str, str, str, str]:
    """The npm and the Python root relative to the folder, the importer, and the repo relative to the folder."""
    project = open_project(folder)
    return (
        os.path.relpath(project.root("npm").path, folder),
        os.path.relpath(project.root("pypi").path, folder),
        project.importer("npm"),
        os.path.relpath(project.repo, folder),
    )


def test_a_folder_without_anything_is_its_own_root(tmp_path: Path) -> None:
    lay(tmp_path, {".git/HEAD": "", "src/deep/a.txt": ""})
    assert roots(str(tmp_path / "src" / "deep")) == (".", ".", ".", ".")


def test_git_alone_makes_no_root_but_ends_the_search(tmp_path: Path) -> None:
    lay(
        tmp_path, {"package.json": {"name": "outer"}, "package-lock.json": LOCK, "repo/.git/HEAD": "", "repo/src/a": ""}
    )
    assert roots(str(tmp_path / "repo" / "src")) == (".", ".", ".", ".")


def test_a_lockfile_owns_the_folders_below_it(tmp_path: Path) -> None:
    lay(tmp_path, {".git/HEAD": "", "package.json": {"name": "app"}, "package-lock.json": LOCK, "src/deep/a.js": ""})
    assert roots(str(tmp_path / "src" / "deep")) == ("../..", ".", ".", "../..")


def test_each_ecosystem_has_its_own_root_and_the_repo_is_the_nearest(tmp_path: Path) -> None:
    tree = {
        ".git/HEAD": "",
        "package.json": {"name": "app"},
        "package-lock.json": LOCK,
        "backend/requirements.txt": "six==1.16.0\n",
        "backend/src/a.py": "",
    }
    lay(tmp_path, tree)
    assert roots(str(tmp_path / "backend" / "src")) == ("../..", "..", ".", "..")


def test_a_project_of_its_own_is_not_owned_by_the_lockfile_above(tmp_path: Path) -> None:
    tree = {
        ".git/HEAD": "",
        "package.json": {"name": "app"},
        "package-lock.json": LOCK,
        "tools/gen/package.json": {"name": "gen", "dependencies": {"ms": "1"}},
        "tools/gen/src/a.js": "",
    }
    lay(tmp_path, tree)
    assert roots(str(tmp_path / "tools" / "gen" / "src")) == ("..", ".", ".", "..")


def test_a_manifest_that_only_marks_a_folder_of_modules_makes_no_project(tmp_path: Path) -> None:
    tree = {
        ".git/HEAD": "",
        "package.json": {"name": "app"},
        "package-lock.json": LOCK,
        "src/esm/package.json": {"type": "module"},
    }
    lay(tmp_path, tree)
    assert roots(str(tmp_path / "src" / "esm")) == ("../..", ".", ".", "../..")


@pytest.mark.parametrize(
    "workspaces",
    [
        ["packages/*"],
        {"packages": ["packages/*"]},
        ["./packages/a"],
        ["packages/**"],
        ["{apps,packages}/*"],
        ["packages/*/"],
    ],
)
def test_a_workspace_list_owns_its_members_without_a_lockfile(tmp_path: Path, workspaces: object) -> None:
    tree = {
        ".git/HEAD": "",
        "package.json": {"name": "root", "workspaces": workspaces},
        "packages/a/package.json": {"name": "a"},
        "packages/a/src/x.js": "",
    }
    lay(tmp_path, tree)
    assert roots(str(tmp_path / "packages" / "a" / "src")) == ("../../..", ".", "packages/a", "../../..")


@pytest.mark.parametrize(
    "listing",
    [
        "packages:\n  - 'packages/*'  # all\n  - '!packages/old'\n",
        'packages: ["packages/*", "!packages/old"]\n',
        "catalog:\n  zod: 1\npackages:\n- packages/*\n# note\n- '!packages/old'\nonlyBuiltDependencies:\n- x\n",
        "packages:\r\n  - packages/*\r\n  - '!packages/old'\r\n",
    ],
)
def test_a_pnpm_workspace_takes_in_and_leaves_out(tmp_path: Path, listing: str) -> None:
    tree = {
        ".git/HEAD": "",
        "package.json": {"name": "root"},
        "pnpm-workspace.yaml": listing,
        "packages/a/package.json": {"name": "a"},
        "packages/old/package.json": {"name": "old"},
    }
    lay(tmp_path, tree)
    assert roots(str(tmp_path / "packages" / "a")) == ("../..", ".", "packages/a", "../..")
    assert roots(str(tmp_path / "packages" / "old")) == (".", ".", ".", ".")


def test_a_uv_workspace_owns_its_members(tmp_path: Path) -> None:
    tree = {
        ".git/HEAD": "",
        "pyproject.toml": "[tool.uv.workspace]\nmembers = ['libs/*']\nexclude = ['libs/old']\n",
        "libs/a/pyproject.toml": "[project]\nname = 'a'\n",
        "libs/old/pyproject.toml": "[project]\nname = 'old'\n",
    }
    lay(tmp_path, tree)
    member = open_project(str(tmp_path / "libs" / "a"))
    assert (member.root("pypi").path, member.importer("pypi")) == (str(tmp_path), "libs/a")
    assert open_project(str(tmp_path / "libs" / "old")).root("pypi").path == str(tmp_path / "libs" / "old")


def test_a_lockfile_owns_a_folder_that_it_names_though_no_list_does(tmp_path: Path) -> None:
    lock = "lockfileVersion: '9.0'\nimporters:\n  .: {}\n  libs/a:\n    dependencies:\n      ms:\n        specifier: 1.0.0\n        version: 1.0.0\npackages:\n  ms@1.0.0:\n    resolution: {integrity: sha512-x}\nsnapshots:\n  ms@1.0.0: {}\n"
    lay(tmp_path, {".git/HEAD": "", "pnpm-lock.yaml": lock, "libs/a/package.json": {"name": "a"}})
    assert roots(str(tmp_path / "libs" / "a")) == ("../..", ".", "libs/a", "../..")


def test_the_search_ends_below_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(tmp_path, {"package.json": {"name": "stray"}, "package-lock.json": LOCK, "work/app/a.js": ""})
    monkeypatch.setenv("HOME", str(tmp_path))
    assert roots(str(tmp_path / "work" / "app")) == (".", ".", ".", ".")


def test_the_home_folder_itself_can_be_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(tmp_path, {"package.json": {"name": "stray"}, "package-lock.json": LOCK})
    monkeypatch.setenv("HOME", str(tmp_path))
    assert open_project(str(tmp_path)).root("npm").lockfiles == ("package-lock.json",)


def test_requirements_are_those_of_the_folder_and_of_its_requirements_folder(tmp_path: Path) -> None:
    tree = {
        ".git/HEAD": "",
        "requirements-dev.txt": "",
        "requirements/base.txt": "",
        "requirements/notes.md": "",
        "dev.txt": "",
    }
    lay(tmp_path, tree)
    assert open_project(str(tmp_path)).root("pypi").lockfiles == ("requirements-dev.txt", "requirements/base.txt")


def test_a_shrinkwrap_is_read_alone(tmp_path: Path) -> None:
    lay(tmp_path, {".git/HEAD": "", "npm-shrinkwrap.json": LOCK, "package-lock.json": LOCK})
    assert open_project(str(tmp_path)).root("npm").lockfiles == ("npm-shrinkwrap.json",)


def test_a_directory_that_is_none_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    for name, what in (("missing", "no such directory"), ("file", "not a directory"), ("a\0b", "no such directory")):
        with pytest.raises(UsageError, match=what):
            open_project(str(tmp_path / name))


def test_a_lockfile_that_links_out_of_the_project_is_not_followed(tmp_path: Path) -> None:
    lay(tmp_path, {"repo/.git/HEAD": "", "repo/package.json": {"name": "app"}, "secret.json": LOCK})
    (tmp_path / "repo" / "package-lock.json").symlink_to("../secret.json")
    with pytest.raises(UnreadableError) as caught:
        open_project(str(tmp_path / "repo")).resolve("ms")
    assert str(caught.value) == (
        "package-lock.json: a link that leaves the project, which is not followed. "
        "Put the file itself there, or ask in the folder it lies in"
    )


def test_a_lockfile_that_links_inside_the_project_is_read(tmp_path: Path) -> None:
    lay(tmp_path, {"repo/.git/HEAD": "", "repo/package.json": {"name": "app"}, "repo/locks/real.json": LOCK})
    (tmp_path / "repo" / "package-lock.json").symlink_to("locks/real.json")
    assert open_project(str(tmp_path / "repo")).resolve("ms") == ()

"""Several lockfiles in one root: which one answers, and what is said where none is chosen."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from node_trees import lay, package
from project_samples import Short, project_at, short
from python_trees import lay_distribution, lay_environment

if TYPE_CHECKING:
    from pathlib import Path


def npm_lock(version: str) -> str:
    packages = {"": {"dependencies": {"ms": "*"}}, "node_modules/ms": {"version": version}}
    return json.dumps({"lockfileVersion": 3, "packages": packages}, indent=1)


def yarn_lock(version: str) -> str:
    return f'# yarn lockfile v1\n\n\nms@*:\n  version "{version}"\n'


def lay_both(folder: Path, npm: str, yarn: str, manifest: dict[str, Any] | None = None, **tree: Any) -> None:
    root = {"name": "app", "dependencies": {"ms": "*"}, **(manifest or {})}
    lay(
        folder,
        {
            ".git/HEAD": "",
            "package.json": root,
            "package-lock.json": npm_lock(npm),
            "yarn.lock": yarn_lock(yarn),
            **tree,
        },
    )


def test_lockfiles_that_agree_are_a_note(tmp_path: Path) -> None:
    lay_both(tmp_path, "2.1.3", "2.1.3")
    (found,) = project_at(tmp_path).resolve("ms")
    assert (found.version, found.state) == ("2.1.3", "not-installed")
    assert found.notes == ("also in yarn.lock, which says no other version",)


def test_lockfiles_that_differ_give_no_version(tmp_path: Path) -> None:
    lay_both(tmp_path, "2.1.3", "2.0.0")
    (found,) = project_at(tmp_path).resolve("ms")
    assert (found.version, found.locked_version, found.state) == (None, None, "conflicted")
    assert [(each.version, each.used_by) for each in found.other_versions] == [
        ("2.1.3", ("package-lock.json",)),
        ("2.0.0", ("yarn.lock",)),
    ]
    assert found.decided_by.rule == (
        "the lockfiles differ and nothing says which one counts: package-lock.json:9, yarn.lock:4"
    )


@pytest.mark.parametrize(
    ("manifest", "version"),
    [
        ({"packageManager": "yarn@1.22.22"}, "2.0.0"),
        ({"packageManager": "npm@11.0.0+sha512.abc"}, "2.1.3"),
        ({"devEngines": {"packageManager": {"name": "yarn"}}}, "2.0.0"),
        ({"devEngines": {"packageManager": [{"name": "npm", "version": "11"}]}}, "2.1.3"),
    ],
)
def test_the_manager_that_the_manifest_names_decides(tmp_path: Path, manifest: dict[str, Any], version: str) -> None:
    lay_both(tmp_path, "2.1.3", "2.0.0", manifest)
    (found,) = project_at(tmp_path).resolve("ms")
    assert found.version == version
    assert "answers because of package.json:1" in found.notes[0]


def test_the_mark_in_the_tree_decides_where_the_manifest_is_silent(tmp_path: Path) -> None:
    lay_both(tmp_path, "2.1.3", "2.0.0", None, **{"node_modules/.yarn-integrity": "{}"})
    (found,) = project_at(tmp_path).resolve("ms")
    assert found.version == "2.0.0"
    assert found.notes == (
        "yarn.lock answers because of node_modules/.yarn-integrity; package-lock.json was not asked",
    )


def test_a_named_manager_without_a_lockfile_leaves_the_mark_to_decide(tmp_path: Path) -> None:
    tree = {"node_modules/.package-lock.json": "{}"}
    lay_both(tmp_path, "2.1.3", "2.0.0", {"packageManager": "pnpm@9.0.0"}, **tree)
    assert short(project_at(tmp_path).resolve("ms")) == [Short("ms", "2.1.3", "not-installed")]


def test_times_of_files_never_decide(tmp_path: Path) -> None:
    import os

    lay_both(tmp_path, "2.1.3", "2.0.0")
    for newest in ("package-lock.json", "yarn.lock"):
        os.utime(tmp_path / newest, (4_000_000_000, 4_000_000_000))
        assert [each.state for each in project_at(tmp_path).resolve("ms")] == ["conflicted"]


def test_a_name_in_one_lockfile_alone_is_answered_from_it(tmp_path: Path) -> None:
    lay(
        tmp_path,
        {
            ".git/HEAD": "",
            "requirements.txt": "six==1.16.0\n",
            "requirements-dev.txt": "-r requirements.txt\npytest==8.0.0\n",
        },
    )
    project = project_at(tmp_path)
    assert short(project.resolve("pytest")) == [Short("pytest", "8.0.0", "not-installed")]
    assert short(project.resolve("six")) == [Short("six", "1.16.0", "not-installed")]


UV_LOCK = """version = 1
requires-python = ">=3.11"

[[package]]
name = "app"
version = "0"
source = { virtual = "." }
dependencies = [{ name = "six" }]

[[package]]
name = "six"
version = "1.17.0"
source = { registry = "https://pypi.example/simple" }
"""


@pytest.mark.parametrize(
    ("pyproject", "version"),
    [
        ("[project]\nname = 'app'\ndependencies = ['six']\n\n[tool.uv]\npackage = false\n", "1.17.0"),
        ("[project]\nname = 'app'\ndependencies = ['six']\n[tool.uv.sources]\n", "1.17.0"),
        ("[project]\nname = 'app'\ndependencies = ['six']\n", None),
    ],
)
def test_the_table_of_a_tool_decides(tmp_path: Path, pyproject: str, version: str | None) -> None:
    tree = {".git/HEAD": "", "uv.lock": UV_LOCK, "requirements.txt": "six==1.16.0\n", "pyproject.toml": pyproject}
    lay(tmp_path, tree)
    assert [each.version for each in project_at(tmp_path).resolve("six")] == [version]


@pytest.mark.parametrize(("installer", "version"), [("uv", "1.17.0"), ("pip", "1.16.0"), ("Poetry 2.0", None)])
def test_the_installer_of_the_environment_decides(tmp_path: Path, installer: str, version: str | None) -> None:
    tree = {
        ".git/HEAD": "",
        "uv.lock": UV_LOCK,
        "requirements.txt": "six==1.16.0\n",
        "pyproject.toml": "[project]\nname = 'app'\ndependencies = ['six']\n",
    }
    lay(tmp_path, tree)
    lay_distribution(lay_environment(tmp_path / ".venv"), "other", "1.0", installer=installer)
    assert [each.version for each in project_at(tmp_path).resolve("six")] == [version]


def test_a_lockfile_of_a_kind_that_is_not_read_is_told(tmp_path: Path) -> None:
    tree = {
        ".git/HEAD": "",
        "package.json": {"name": "app", "dependencies": {"ms": "*"}},
        "bun.lockb": b"#!/usr/bin/env bun\nbun-lockfile-format-v0\n",
        "node_modules/ms/package.json": package("ms", "2.1.3"),
    }
    lay(tmp_path, tree)
    project = project_at(tmp_path)
    assert short(project.resolve("ms")) == [Short("ms", "2.1.3", "not-locked")]
    assert [(each.name, each.reason) for each in project.skipped] == [
        (
            "bun.lockb",
            "bun's binary lockfile is not read. Write the text form with `bun install --save-text-lockfile`",
        )
    ]


def test_a_merge_conflict_gives_both_candidates(tmp_path: Path) -> None:
    text = (
        '# yarn lockfile v1\n\n\n<<<<<<< HEAD\nms@*:\n  version "2.1.3"\n=======\nms@*:\n  version "2.0.0"\n>>>>>>> other\n\n'
        'debug@*:\n  version "4.0.0"\n'
    )
    root = {"name": "app", "dependencies": {"ms": "*", "debug": "*"}}
    tree = {
        ".git/HEAD": "",
        "package.json": root,
        "yarn.lock": text,
        "node_modules/ms/package.json": package("ms", "2.1.3"),
    }
    lay(tmp_path, tree)
    project = project_at(tmp_path)
    (found,) = project.resolve("ms")
    assert (found.version, found.state) == (None, "conflicted")
    assert [(each.version, each.used_by) for each in found.other_versions] == [
        ("2.1.3", ("ours",)),
        ("2.0.0", ("theirs",)),
    ]
    assert [each.name for each in project.conflicts] == ["ms"]
    (other,) = project.resolve("debug")
    assert (other.version, other.notes) == ("4.0.0", ("yarn.lock has merge conflicts; its sides agree on this name",))


def test_an_environment_of_several_installers_decides_nothing(tmp_path: Path) -> None:
    tree = {
        ".git/HEAD": "",
        "uv.lock": UV_LOCK,
        "requirements.txt": "six==1.16.0\n",
        "pyproject.toml": "[project]\nname = 'app'\ndependencies = ['six']\n",
    }
    lay(tmp_path, tree)
    site = lay_environment(tmp_path / ".venv")
    lay_distribution(site, "one", "1.0", installer="uv")
    lay_distribution(site, "two", "1.0", installer="pip")
    assert [each.state for each in project_at(tmp_path).resolve("six")] == ["conflicted"]

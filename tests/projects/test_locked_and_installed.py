"""Locked and installed are two facts: what each says, and what is answered from both."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from node_trees import lay, package
from project_samples import Short, project_at, short
from python_trees import lay_environment

from briefkit.errors import UnreadableError

if TYPE_CHECKING:
    from pathlib import Path


def lock(packages: dict[str, Any]) -> str:
    """A package-lock.json of version 3, one key to a line."""
    return json.dumps({"name": "app", "lockfileVersion": 3, "packages": packages}, indent=2)


def lay_app(folder: Path, declared: dict[str, str], packages: dict[str, Any], tree: dict[str, Any]) -> None:
    """An app that declares some names, its lockfile, and what is installed."""
    root = {"name": "app", "dependencies": declared}
    lay(folder, {".git/HEAD": "", "package.json": root, "package-lock.json": lock({"": root, **packages}), **tree})


def test_the_same_version_agrees_and_the_lockfile_proves_it(tmp_path: Path) -> None:
    lay_app(
        tmp_path,
        {"ms": "^2.0.0"},
        {"node_modules/ms": {"version": "2.1.3", "integrity": "sha512-x"}},
        {"node_modules/ms/package.json": package("ms", "2.1.3")},
    )
    (found,) = project_at(tmp_path).resolve("ms")
    assert found.to_dict() == {
        "query": "ms",
        "ecosystem": "npm",
        "name": "ms",
        "alias": None,
        "version": "2.1.3",
        "locked_version": "2.1.3",
        "installed_version": "2.1.3",
        "state": "agree",
        "importer": ".",
        "requirement": "^2.0.0",
        "direct": True,
        "groups": ["prod"],
        "marker": None,
        "decided_by": {
            "file": "package-lock.json",
            "line": 11,
            "rule": "declared as ms (prod); locked as node_modules/ms",
        },
        "locked_by": {
            "file": "package-lock.json",
            "line": 11,
            "rule": "declared as ms (prod); locked as node_modules/ms",
        },
        "lockfile": {"path": "package-lock.json", "format": "npm", "format_version": "3"},
        "source": {"kind": "registry", "url": None, "integrity": "sha512-x"},
        "installed": {"root": "node_modules/ms", "kind": "registry"},
        "other_versions": [],
        "notes": [],
    }


def test_two_versions_disagree_and_the_installed_one_is_the_answer_with_its_own_proof(tmp_path: Path) -> None:
    manifest = '{\n  "name": "ms",\n  "version": "2.1.2"\n}\n'
    lay_app(
        tmp_path,
        {"ms": "^2.0.0"},
        {"node_modules/ms": {"version": "2.1.3"}},
        {"node_modules/ms/package.json": manifest},
    )
    (found,) = project_at(tmp_path).resolve("ms")
    assert (found.version, found.locked_version, found.installed_version, found.state) == (
        "2.1.2",
        "2.1.3",
        "2.1.2",
        "disagree",
    )
    assert (found.decided_by.file, found.decided_by.line) == ("node_modules/ms/package.json", 3)
    assert found.locked_by is not None
    assert (found.locked_by.file, found.locked_by.line) == ("package-lock.json", 11)


def test_what_is_locked_and_not_here_is_not_installed(tmp_path: Path) -> None:
    lay_app(tmp_path, {"ms": "^2"}, {"node_modules/ms": {"version": "2.1.3"}}, {})
    (found,) = project_at(tmp_path).resolve("ms")
    assert (found.version, found.state, found.installed, found.installed_version) == (
        "2.1.3",
        "not-installed",
        None,
        None,
    )


def test_the_hidden_lockfile_is_no_proof_of_an_installed_copy(tmp_path: Path) -> None:
    packages = {"node_modules/ms": {"version": "2.1.3"}}
    lay_app(tmp_path, {"ms": "^2"}, packages, {"node_modules/.package-lock.json": lock(packages)})
    assert short(project_at(tmp_path).resolve("ms")) == [Short("ms", "2.1.3", "not-installed")]


def test_what_is_installed_and_in_no_lockfile_is_not_locked(tmp_path: Path) -> None:
    lay_app(tmp_path, {}, {}, {"node_modules/ms/package.json": package("ms", "2.1.3")})
    (found,) = project_at(tmp_path).resolve("ms")
    assert (found.version, found.locked_version, found.state, found.direct) == ("2.1.3", None, "not-locked", False)
    assert found.decided_by.file == "node_modules/ms/package.json"


def test_a_declared_name_that_the_lockfile_lacks_is_not_locked(tmp_path: Path) -> None:
    lay_app(tmp_path, {"ms": "^2"}, {}, {"node_modules/ms/package.json": package("ms", "2.1.3")})
    (found,) = project_at(tmp_path).resolve("ms")
    assert (found.state, found.requirement, found.direct) == ("not-locked", "^2", True)


def test_a_range_is_not_a_version(tmp_path: Path) -> None:
    lay(tmp_path, {".git/HEAD": "", "package.json": {"name": "app", "dependencies": {"ms": "2.1.3"}}})
    assert project_at(tmp_path).resolve("ms") == ()


def test_without_any_lockfile_the_installed_copy_is_the_answer(tmp_path: Path) -> None:
    tree = {
        ".git/HEAD": "",
        "package.json": {"name": "app", "devDependencies": {"ms": "^2"}},
        "node_modules/ms/package.json": package("ms", "2.1.3"),
        "node_modules/debug/package.json": package("debug", "4.0.0"),
        "node_modules/debug/node_modules/ms/package.json": package("ms", "2.0.0"),
    }
    lay(tmp_path, tree)
    (found,) = project_at(tmp_path).resolve("ms")
    assert (found.version, found.state, found.requirement, found.groups) == ("2.1.3", "not-locked", "^2", ("dev",))
    assert [(each.version, each.used_by) for each in found.other_versions] == [
        ("2.0.0", ("node_modules/debug/node_modules/ms",))
    ]


def test_a_nested_copy_is_that_of_its_member(tmp_path: Path) -> None:
    root = {"name": "app", "workspaces": ["packages/*"], "dependencies": {"ms": "1.0.0"}}
    member = {"name": "a", "version": "1.0.0", "dependencies": {"ms": "2.0.0"}}
    packages = {
        "": root,
        "node_modules/a": {"resolved": "packages/a", "link": True},
        "node_modules/ms": {"version": "1.0.0"},
        "packages/a": member,
        "packages/a/node_modules/ms": {"version": "2.0.0"},
    }
    tree = {
        ".git/HEAD": "",
        "package.json": root,
        "package-lock.json": lock(packages),
        "packages/a/package.json": member,
        "packages/a/src/deep/x.js": "",
        "packages/a/node_modules/ms/package.json": package("ms", "2.0.0"),
        "node_modules/ms/package.json": package("ms", "1.0.0"),
        "node_modules/a": {"link": "../packages/a"},
    }
    lay(tmp_path, tree)
    for folder, version in ((".", "1.0.0"), ("packages/a", "2.0.0"), ("packages/a/src/deep", "2.0.0")):
        assert short(project_at(tmp_path / folder).resolve("ms")) == [Short("ms", version, "agree")], folder
    (sibling,) = project_at(tmp_path).resolve("a")
    assert (sibling.version, sibling.state) == ("1.0.0", "agree")


def test_a_name_that_is_not_declared_has_one_answer_for_each_version_that_is_reached(tmp_path: Path) -> None:
    packages = {
        "node_modules/a": {"version": "1.0.0", "dependencies": {"ms": "1"}},
        "node_modules/b": {"version": "1.0.0", "dependencies": {"ms": "2"}},
        "node_modules/ms": {"version": "1.0.0"},
        "node_modules/b/node_modules/ms": {"version": "2.0.0"},
    }
    tree = {
        "node_modules/a/package.json": package("a"),
        "node_modules/b/package.json": package("b"),
        "node_modules/ms/package.json": package("ms", "1.0.0"),
        "node_modules/b/node_modules/ms/package.json": package("ms", "2.0.1"),
    }
    lay_app(tmp_path, {"a": "1", "b": "1"}, packages, tree)
    found = project_at(tmp_path).resolve("ms")
    assert short(found) == [Short("ms", "1.0.0", "agree"), Short("ms", "2.0.1", "disagree")]
    assert [each.decided_by.rule for each in found] == [
        "reached through a; locked as node_modules/ms",
        "installed, and the installed one is what the code runs",
    ]
    assert [[(other.version, other.used_by) for other in each.other_versions] for each in found] == [
        [("2.0.0", ("b@1.0.0",))],
        [("1.0.0", ("a@1.0.0",))],
    ]


def test_what_is_reached_through_production_and_development_is_in_both_groups(tmp_path: Path) -> None:
    root = {"name": "app", "dependencies": {"a": "1"}, "devDependencies": {"b": "1"}}
    packages = {
        "": root,
        "node_modules/a": {"version": "1.0.0", "dependencies": {"ms": "1"}, "optionalDependencies": {"opt": "1"}},
        "node_modules/b": {"version": "1.0.0", "dev": True, "dependencies": {"ms": "1", "only": "1"}},
        "node_modules/ms": {"version": "1.0.0"},
        "node_modules/opt": {"version": "1.0.0", "optional": True},
        "node_modules/only": {"version": "1.0.0", "dev": True},
    }
    lay(tmp_path, {".git/HEAD": "", "package.json": root, "package-lock.json": lock(packages)})
    groups = {name: project_at(tmp_path).resolve(name)[0].groups for name in ("ms", "opt", "only")}
    assert groups == {"ms": ("prod", "dev"), "opt": ("optional",), "only": ("dev",)}


def test_a_name_of_another_member_is_not_answered_for_one_that_cannot_see_it(tmp_path: Path) -> None:
    text = (
        "lockfileVersion: '9.0'\nimporters:\n  .: {}\n  a:\n    dependencies:\n      ms:\n        specifier: 1.0.0\n"
        "        version: 1.0.0\n  b: {}\npackages:\n  ms@1.0.0:\n    resolution: {integrity: sha512-x}\nsnapshots:\n  ms@1.0.0: {}\n"
    )
    tree = {
        ".git/HEAD": "",
        "package.json": {"name": "root"},
        "pnpm-workspace.yaml": "packages: [a, b]\n",
        "pnpm-lock.yaml": text,
        "a/package.json": {"name": "a", "dependencies": {"ms": "1.0.0"}},
        "b/package.json": {"name": "b"},
    }
    lay(tmp_path, tree)
    assert project_at(tmp_path / "b").resolve("ms") == ()
    (from_root,) = project_at(tmp_path).resolve("ms")
    assert (from_root.version, from_root.importer, from_root.notes) == (
        "1.0.0",
        "a",
        ("not declared by the root: this is what a uses",),
    )


def test_a_folder_copied_into_the_tree_for_the_root_is_the_one_a_member_sees(tmp_path: Path) -> None:
    text = (
        "lockfileVersion: '9.0'\nimporters:\n  .:\n    dependencies:\n      fl:\n        specifier: file:vendor/fl\n"
        "        version: file:vendor/fl\n  a: {}\npackages:\n  fl@file:vendor/fl:\n"
        "    resolution: {directory: vendor/fl, type: directory}\nsnapshots:\n  fl@file:vendor/fl: {}\n"
    )
    tree = {
        ".git/HEAD": "",
        "package.json": {"name": "root", "dependencies": {"fl": "file:vendor/fl"}},
        "pnpm-workspace.yaml": "packages: [a]\n",
        "pnpm-lock.yaml": text,
        "a/package.json": {"name": "a"},
        "vendor/fl/package.json": package("fl", "9.9.9"),
        "node_modules/fl/package.json": package("fl", "9.9.9"),
    }
    lay(tmp_path, tree)
    (found,) = project_at(tmp_path / "a").resolve("fl")
    assert (found.version, found.state, found.source and found.source.kind, found.other_versions) == (
        "9.9.9",
        "agree",
        "directory",
        (),
    )


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"os": ["!linux", "!darwin", "!win32"]}, "only for os: !linux or !darwin or !win32"),
        ({"os": ["aix"], "cpu": ["ppc64"]}, "only for os: aix, cpu: ppc64"),
        ({"cpu": ["mips"]}, "only for cpu: mips"),
    ],
)
def test_a_package_for_another_platform_is_not_said_to_be_missing(
    tmp_path: Path, entry: dict[str, Any], expected: str
) -> None:
    root = {"name": "app", "optionalDependencies": {"x": "1"}}
    packages = {"": root, "node_modules/x": {"version": "1.0.0", "optional": True, **entry}}
    lay(tmp_path, {".git/HEAD": "", "package.json": root, "package-lock.json": lock(packages)})
    (found,) = project_at(tmp_path).resolve("x")
    assert (found.state, found.notes) == ("not-for-this-platform", (expected,))


def test_a_version_behind_a_v_is_the_same(tmp_path: Path) -> None:
    lay_app(
        tmp_path,
        {"x": "1"},
        {"node_modules/x": {"version": "1.0.0"}},
        {"node_modules/x/package.json": package("x", "v1.0.0")},
    )
    assert short(project_at(tmp_path).resolve("x")) == [Short("x", "v1.0.0", "agree")]


def test_a_copy_above_the_repo_is_seen_as_node_sees_it(tmp_path: Path) -> None:
    lay(tmp_path, {"node_modules/ms/package.json": package("ms", "2.1.3"), "repo/.git/HEAD": ""})
    lay(tmp_path / "repo", {"package.json": {"name": "app", "dependencies": {"ms": "*"}}})
    (found,) = project_at(tmp_path / "repo").resolve("ms")
    assert (found.version, found.state) == ("2.1.3", "not-locked")
    assert found.decided_by.file == str(tmp_path / "node_modules" / "ms" / "package.json")


def test_names_that_cannot_be_names_are_found_nowhere(tmp_path: Path) -> None:
    lay_app(tmp_path, {"ms": "1"}, {"node_modules/ms": {"version": "1.0.0"}}, {})
    for name in ("", ".", "..", "../ms", "/ms", "ms\0", "ms\n", "@scope", "@/x", "node_modules", "a b", "%2e"):
        assert project_at(tmp_path).resolve(name) == (), name


def test_what_a_linked_member_needs_to_be_tested_is_not_what_its_users_get(tmp_path: Path) -> None:
    text = (
        "lockfileVersion: '9.0'\nimporters:\n  .: {}\n  a:\n    dependencies:\n      b:\n        specifier: workspace:*\n"
        "        version: link:../b\n  b:\n    dependencies:\n      ms:\n        specifier: 1.0.0\n        version: 1.0.0\n"
        "    devDependencies:\n      tap:\n        specifier: 1.0.0\n        version: 1.0.0\n"
        "packages:\n  ms@1.0.0:\n    resolution: {integrity: sha512-x}\n  tap@1.0.0:\n    resolution: {integrity: sha512-y}\n"
        "snapshots:\n  ms@1.0.0: {}\n  tap@1.0.0: {}\n"
    )
    tree = {
        ".git/HEAD": "",
        "package.json": {"name": "root"},
        "pnpm-workspace.yaml": "packages: [a, b]\n",
        "pnpm-lock.yaml": text,
        "a/package.json": {"name": "a"},
        "b/package.json": {"name": "b"},
    }
    lay(tmp_path, tree)
    project = project_at(tmp_path / "a")
    assert [each.decided_by.rule for each in project.resolve("ms")] == ["reached through b; locked as ms@1.0.0"]
    assert project.resolve("tap") == ()
    assert [each.version for each in project_at(tmp_path / "b").resolve("tap")] == ["1.0.0"]


def test_a_name_found_nowhere_still_tells_of_a_lockfile_that_cannot_be_read(tmp_path: Path) -> None:
    lay_app(tmp_path, {"ms": "^2"}, {"node_modules/ms": {"version": "2.1.3"}}, {})
    lay(tmp_path, {"uv.lock": "version = 99\n"})
    lay_environment(tmp_path / ".venv")
    assert short(project_at(tmp_path).resolve("ms")) == [Short("ms", "2.1.3", "not-installed")]
    with pytest.raises(UnreadableError, match=r"^uv\.lock"):
        project_at(tmp_path).resolve("nowhere")

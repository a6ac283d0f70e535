"""One project as every package manager lays it: who laid it, and which copy each folder of it gets.

The fast suite asks trees kept as data, the slow suite the same of trees that the managers lay now.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from node_managers import have_npm, lay_members
from node_trees import lay_kept

from briefkit.installed.node_packages import copies, find_package, layout_of, list_packages

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

LAYOUTS = {
    "npm": ("npm", "hoisted", "node_modules/.package-lock.json"),
    "npm-linked": ("npm", "linked", "node_modules/.package-lock.json"),
    "pnpm-8": ("pnpm", "isolated", "node_modules/.modules.yaml"),
    "pnpm-10": ("pnpm", "isolated", "node_modules/.modules.yaml"),
    "pnpm-12": ("pnpm", "isolated", "node_modules/.modules.yaml"),
    "pnpm-hoisted": ("pnpm", "hoisted", "node_modules/.modules.yaml"),
    "yarn-1": ("yarn-classic", "node-modules", "node_modules/.yarn-integrity"),
    "yarn-4-node-modules": ("yarn-berry", "node-modules", "node_modules/.yarn-state.yml"),
    "yarn-4-pnpm": ("yarn-berry", "pnpm", "node_modules/.package-map.json"),
    "bun-isolated": ("bun", "isolated", "node_modules/.bun"),
    "bun-hoisted": ("bun", "hoisted", "bun.lock"),
}
STRICT = [name for name in LAYOUTS if "hoisted" not in name and name not in ("npm", "yarn-1", "yarn-4-node-modules")]
# What a `file:` dependency becomes: a link to the folder, or a copy.
LOCAL = {
    "npm": "link",
    "npm-linked": "link",
    "pnpm-8": "file",
    "pnpm-10": "file",
    "pnpm-12": "file",
    "bun-isolated": "file",
}


_LAID: dict[str, str] = {}


def of(layouts: Iterable[str]) -> pytest.MarkDecorator:
    """The tests for these layouts, kept and laid."""
    kept = [pytest.param(f"kept {layout}", id=layout) for layout in layouts]
    laid = [pytest.param(f"laid {layout}", id=f"laid-{layout}", marks=pytest.mark.slow) for layout in layouts]
    return pytest.mark.parametrize("project", kept + laid, indirect=True)


every_layout = of(LAYOUTS)


@pytest.fixture
def project(
    request: pytest.FixtureRequest, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, str]:
    """A layout and the root of a project laid so; one that a manager lays is laid once for all tests."""
    how, layout = request.param.split()
    if how == "kept":
        return layout, lay_kept(tmp_path, layout)
    if not have_npm():
        pytest.skip("npm is not on this machine")
    if layout not in _LAID:
        folder = os.path.realpath(tmp_path_factory.mktemp(layout))
        lay_members(folder, layout)
        _LAID[layout] = folder
    return layout, _LAID[layout]


def seen(root: str, name: str, member: str = ".") -> tuple[str, str | None, str | None, str] | None:
    found = find_package(name, os.path.join(root, member))
    return None if found is None else (found.name, found.version, found.alias, found.kind)


@every_layout
def test_a_tree_tells_who_laid_it_and_by_which_file(project: tuple[str, str]) -> None:
    layout, root = project
    manager, linker, evidence = LAYOUTS[layout]
    assert layout_of(root) == (manager, linker, root, os.path.join(root, evidence))


@every_layout
def test_each_member_gets_its_own_version_of_a_package(project: tuple[str, str]) -> None:
    _, root = project
    assert seen(root, "ms") == ("ms", "1.0.0", None, "registry")
    assert seen(root, "ms", "packages/a") == ("ms", "2.0.0", None, "registry")
    assert seen(root, "react") == ("react", "18.3.1", None, "registry")
    assert seen(root, "react", "packages/b") == ("react", "17.0.2", None, "registry")
    assert seen(root, "react", "packages/c/src/deep") == ("react", "18.3.1", None, "registry")


@every_layout
def test_a_package_gets_its_own_dependency_not_the_root_s(project: tuple[str, str]) -> None:
    _, root = project
    debug = find_package("debug", root)
    assert debug is not None
    assert seen(debug.root, "ms") == ("ms", "2.1.3", None, "registry")


@every_layout
def test_an_alias_is_told_from_the_package_that_bears_the_real_name(project: tuple[str, str]) -> None:
    _, root = project
    assert seen(root, "lodash3") == ("lodash", "3.10.1", "lodash3", "registry")
    assert seen(root, "lodash") == ("lodash", "4.17.20", None, "registry")
    assert {each.version for each in copies("lodash", root)} == {"3.10.1", "4.17.20"}


@every_layout
def test_a_member_is_a_workspace_package_at_its_source(project: tuple[str, str]) -> None:
    _, root = project
    found = find_package("@acme/a", os.path.join(root, "packages/b"))
    assert found is not None
    assert (found.kind, found.version, found.root) == ("workspace", "1.2.3", os.path.join(root, "packages", "a"))
    assert found.link is not None
    assert found.link.endswith("node_modules/@acme/a")


@every_layout
def test_a_file_dependency_is_a_link_or_a_copy_as_the_manager_made_it(project: tuple[str, str]) -> None:
    layout, root = project
    assert seen(root, "local-lib") == ("local-lib", "0.0.1", None, LOCAL.get(layout, "registry"))


@of(STRICT)
def test_what_only_a_member_declares_is_not_seen_from_the_root(project: tuple[str, str]) -> None:
    _, root = project
    assert seen(root, "zod") is None
    assert seen(root, "zod", "packages/a") == ("zod", "3.25.76", None, "registry")


@of(["pnpm-8", "pnpm-10", "pnpm-12", "bun-isolated", "yarn-4-pnpm"])
def test_one_version_with_two_sets_of_peers_is_two_copies_and_each_member_gets_its_own(
    project: tuple[str, str],
) -> None:
    _, root = project
    found = [find_package("use-sync-external-store", os.path.join(root, "packages", member)) for member in "bc"]
    peers = [None if each is None else find_package("react", each.root) for each in found]
    assert [each and each.version for each in peers] == ["17.0.2", "18.3.1"]
    assert len({each and each.root for each in found}) == 2
    assert len(copies("use-sync-external-store", root)) == 2


@every_layout
def test_a_package_for_another_platform_is_not_found(project: tuple[str, str]) -> None:
    layout, root = project
    esbuild = find_package("esbuild", root)
    assert esbuild is not None
    expected = ("@esbuild/aix-ppc64", None, None, "mocked") if layout == "yarn-4-pnpm" else None
    assert seen(esbuild.root, "@esbuild/aix-ppc64") == expected
    assert seen(esbuild.root, "@esbuild/linux-x64") == ("@esbuild/linux-x64", "0.21.5", None, "registry")


@every_layout
def test_every_copy_is_listed_once_however_many_links_lead_to_it(project: tuple[str, str]) -> None:
    _, root = project
    found = list_packages(root)
    assert len({each.root for each in found}) == len(found)
    versions = sorted(
        {f"{each.name}@{each.version}" for each in found if each.name in ("ms", "react", "lodash", "zod")}
    )
    assert versions == [
        "lodash@3.10.1",
        "lodash@4.17.20",
        "ms@1.0.0",
        "ms@2.0.0",
        "ms@2.1.3",
        "react@17.0.2",
        "react@18.3.1",
        "zod@3.25.76",
    ]


@every_layout
def test_the_copies_of_one_package_are_those_that_the_whole_list_holds(project: tuple[str, str]) -> None:
    _, root = project
    everything = list_packages(root)
    for name in ("ms", "lodash", "lodash3", "@types/react", "react", "@acme/a"):
        expected = {each.root for each in everything if name in (each.name, each.alias)}
        assert {each.root for each in copies(name, root)} == expected, name


def test_denos_tree_of_links_is_read_and_its_import_names_are_none_of_it(tmp_path: Path) -> None:
    root = lay_kept(tmp_path, "deno")
    assert layout_of(root) == ("deno", "isolated", root, os.path.join(root, "node_modules", ".deno"))
    assert seen(root, "lodash") == ("lodash", "4.17.20", None, "registry")
    assert seen(root, "lo") is None

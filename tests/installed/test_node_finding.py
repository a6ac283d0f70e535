"""Which copy of an npm package a folder gets, and which names and links lead nowhere."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from node_trees import lay, package

from briefkit.installed.node_builtins import is_builtin
from briefkit.installed.node_modules import is_spelled_so
from briefkit.installed.node_packages import builtin, copies, elsewhere, find_package, list_packages, types_package
from briefkit.packages import Installed

if TYPE_CHECKING:
    from pathlib import Path


def version(name: str, folder: str) -> str | None:
    found = find_package(name, folder)
    return None if found is None else found.version


def test_a_plain_copy_is_told_with_its_place_and_the_file_that_states_its_version(tmp_path: Path) -> None:
    root = lay(tmp_path, {"node_modules/zod/package.json": package("zod", "3.25.76")})
    place = os.path.join(root, "node_modules", "zod")
    assert find_package("zod", root) == Installed(
        "npm", "zod", "3.25.76", place, evidence=(os.path.join(place, "package.json"),)
    )


def test_the_nearest_tree_wins_and_one_above_the_repo_is_legal(tmp_path: Path) -> None:
    root = lay(
        tmp_path,
        {
            "node_modules/ms/package.json": package("ms", "2.1.3"),
            "node_modules/only-above/package.json": package("only-above"),
            "repo/.git/HEAD": "ref: refs/heads/main",
            "repo/node_modules/ms/package.json": package("ms", "1.0.0"),
            "repo/src/index.js": "",
        },
    )
    assert version("ms", f"{root}/repo/src") == "1.0.0"
    assert version("ms", root) == "2.1.3"
    assert version("only-above", f"{root}/repo/src") == "1.0.0"
    assert find_package("only-above", f"{root}/repo/src", f"{root}/repo") is None


def test_a_folder_that_is_itself_a_tree_is_not_looked_into_twice(tmp_path: Path) -> None:
    root = lay(
        tmp_path,
        {"node_modules/node_modules/x/package.json": package("x"), "node_modules/y/package.json": package("y")},
    )
    assert find_package("x", f"{root}/node_modules") is None
    assert version("y", f"{root}/node_modules/y") == "1.0.0"


def test_a_sub_path_belongs_to_the_package_whatever_nested_manifest_lies_there(tmp_path: Path) -> None:
    root = lay(
        tmp_path,
        {
            "node_modules/rxjs/package.json": package("rxjs", "7.8.2"),
            "node_modules/rxjs/operators/package.json": {"name": "rxjs/operators"},
            "node_modules/@babel/runtime/package.json": package("@babel/runtime", "7.1.0"),
            "node_modules/@babel/runtime/helpers/esm/package.json": {"type": "module"},
        },
    )
    assert version("rxjs/operators", root) == "7.8.2"
    assert version("@babel/runtime/helpers/esm/inherits", root) == "7.1.0"
    assert version("events/", root) is None


def test_a_folder_without_a_manifest_is_passed_over_for_the_next_tree_up(tmp_path: Path) -> None:
    root = lay(
        tmp_path,
        {"node_modules/x/package.json": package("x", "1.0.0"), "a/node_modules/x/leftover.js": "", "a/index.js": ""},
    )
    assert version("x", f"{root}/a") == "1.0.0"


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../x",
        "./x",
        "/etc/passwd",
        "a\\b",
        "a\0b",
        "%2e%2e/x",
        "node_modules",
        "favicon.ico",
        ".bin",
        "@scope",
        "@/x",
        "@a/..",
        "a\nb",
        "C:",
        "C:\\x",
    ],
)
def test_a_text_that_is_no_package_name_finds_nothing(tmp_path: Path, name: str) -> None:
    root = lay(
        tmp_path,
        {"node_modules/x/package.json": package("x"), "x/package.json": package("x"), "package.json": package("r")},
    )
    assert find_package(name, f"{root}/x") is None
    assert copies(name, root) == ()


def test_a_name_with_capitals_is_kept_as_it_is(tmp_path: Path) -> None:
    root = lay(tmp_path, {"node_modules/JSONStream/package.json": package("JSONStream", "1.3.5")})
    assert version("JSONStream", root) == "1.3.5"


def test_on_a_disk_that_ignores_case_the_real_listing_decides(tmp_path: Path) -> None:
    modules = os.path.join(
        lay(tmp_path, {"node_modules/React/package.json": package("React"), "node_modules/@A/b/x": ""}), "node_modules"
    )
    assert is_spelled_so(modules, "React", "React")
    assert not is_spelled_so(modules, "react", "React")
    assert is_spelled_so(modules, "React", "react")
    assert not is_spelled_so(modules, "@a/b", "@A/b")


def test_the_name_and_version_a_manifest_states_stand_apart_from_the_folder_s_name(tmp_path: Path) -> None:
    root = lay(tmp_path, {"node_modules/safe/package.json": package("evil", "9.9.9")})
    found = find_package("safe", root)
    assert found is not None
    assert (found.name, found.alias, found.version, os.path.basename(found.root)) == ("evil", "safe", "9.9.9", "safe")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "not JSON"),
        ("[]", "not an object"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"version": 1' + "0" * 5_000 + "}", "not JSON"),
        (b"\xff\xfe\x00", "not UTF-16 text"),
        (b'{"name": "\xe9"}', "not UTF-8 text"),
    ],
)
def test_a_manifest_that_cannot_be_read_is_a_warning_and_the_package_is_still_found(
    tmp_path: Path, text: str | bytes, fault: str
) -> None:
    root = lay(tmp_path, {"node_modules/x/package.json": text})
    found = find_package("x", root)
    assert found is not None
    assert (found.name, found.version, found.warnings) == ("x", None, (f"package.json cannot be read: {fault}",))


def test_texts_of_a_manifest_are_made_safe_and_a_doubled_key_s_last_value_counts(tmp_path: Path) -> None:
    root = lay(
        tmp_path, {"node_modules/x/package.json": '{"name":"../../x","version":"1","version":"2\\u001b[31m\\n"}'}
    )
    found = find_package("x", root)
    assert found is not None
    assert (found.name, found.version) == ("x", "2\\u{1b}[31m")


def test_types_are_looked_for_under_the_mangled_name(tmp_path: Path) -> None:
    root = lay(
        tmp_path,
        {
            "node_modules/@types/babel__code-frame/package.json": package("@types/babel__code-frame", "7.0.6"),
            "node_modules/@types/@babel/code-frame/package.json": package("@types/trap", "0.0.0"),
        },
    )
    found = types_package("@babel/code-frame", root)
    assert found is not None
    assert found.version == "7.0.6"


def test_a_linked_folder_outside_the_project_is_told_with_its_own_version_and_a_warning(tmp_path: Path) -> None:
    root = lay(
        tmp_path,
        {
            "linkme/package.json": package("linkme", "0.9.0"),
            "global/lib/node_modules/linkme": {"link": "../../../linkme"},
            "repo/package-lock.json": "{}",
            "repo/node_modules/linkme": {"link": "../../global/lib/node_modules/linkme"},
        },
    )
    found = find_package("linkme", f"{root}/repo")
    assert found is not None
    assert (found.kind, found.version, found.root, found.link) == (
        "link",
        "0.9.0",
        f"{root}/linkme",
        f"{root}/repo/node_modules/linkme",
    )
    assert found.warnings == (f"link leaves the project: {root}/linkme",)


def test_a_whole_tree_behind_a_link_is_read_as_if_it_lay_here(tmp_path: Path) -> None:
    root = lay(
        tmp_path,
        {
            "main/node_modules/x/package.json": package("x", "1.2.3"),
            "main/node_modules/.store/y@1/node_modules/y/package.json": package("y", "2.0.0"),
            "main/node_modules/y": {"link": ".store/y@1/node_modules/y"},
            "worktree/.git": "gitdir: elsewhere",
            "worktree/node_modules": {"link": "../main/node_modules"},
        },
    )
    found = [find_package(name, f"{root}/worktree") for name in "xy"]
    assert [each and (each.version, each.root, each.warnings) for each in found] == [
        ("1.2.3", f"{root}/main/node_modules/x", ()),
        ("2.0.0", f"{root}/main/node_modules/.store/y@1/node_modules/y", ()),
    ]


def test_a_store_that_pnpm_s_record_names_may_lie_anywhere_but_above_the_project(tmp_path: Path) -> None:
    inner = "links/@/ms/2.0.0/abc/node_modules/ms"
    tree = {
        f"cache/store/v10/{inner}/package.json": package("other-name", "2.0.0"),
        "repo/pnpm-lock.yaml": "lockfileVersion: '9.0'\n",
        "repo/node_modules/.modules.yaml": {"virtualStoreDir": "../../cache/store/v10/links"},
        "repo/packages/a/package.json": package("a"),
        "repo/packages/a/node_modules/ms": {"link": f"../../../../cache/store/v10/{inner}"},
    }
    root = lay(tmp_path / "believed", tree)
    assert version("ms", f"{root}/repo/packages/a") == "2.0.0"
    root = lay(tmp_path / "too-wide", {**tree, "repo/node_modules/.modules.yaml": {"virtualStoreDir": "../.."}})
    found = find_package("ms", f"{root}/repo/packages/a")
    assert found is not None
    assert found.warnings == (f"link escapes: {root}/cache/store/v10/{inner}",)


def test_a_folder_whose_name_merely_begins_like_the_project_s_is_outside_it(tmp_path: Path) -> None:
    root = lay(
        tmp_path,
        {
            "repo-other/x/package.json": package("other"),
            "repo/.git": "",
            "repo/node_modules/x": {"link": "../../repo-other/x"},
        },
    )
    found = find_package("x", f"{root}/repo")
    assert found is not None
    assert found.warnings == (f"link escapes: {root}/repo-other/x",)


def test_a_patched_copy_is_known_by_its_store_folder_its_mark_or_its_patch(tmp_path: Path) -> None:
    root = lay(
        tmp_path,
        {
            "node_modules/.pnpm/a@1.0.0_patch_hash=6899ef/node_modules/a/package.json": package("a"),
            "node_modules/a": {"link": ".pnpm/a@1.0.0_patch_hash=6899ef/node_modules/a"},
            "node_modules/.bun/b@1.0.0/node_modules/b/package.json": package("b"),
            "node_modules/.bun/b@1.0.0/node_modules/b/.bun-tag-fe539b5a9dd3bbec": "",
            "node_modules/b": {"link": ".bun/b@1.0.0/node_modules/b"},
            "node_modules/@s/c/package.json": package("@s/c"),
            "patches/@s+c+1.0.0.patch": "diff",
            "node_modules/d/package.json": package("d", "2.0.0"),
            "patches/d+1.0.0.patch": "diff",
        },
    )
    found = {name: find_package(name, root) for name in ("a", "b", "@s/c", "d")}
    assert {name: each and each.kind for name, each in found.items()} == {
        "a": "patched",
        "b": "patched",
        "@s/c": "patched",
        "d": "registry",
    }
    assert found["@s/c"] is not None
    assert found["@s/c"].evidence[1] == f"{root}/patches/@s+c+1.0.0.patch"


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("x@1.0.0", "registry"),
        ("x@1.0.0_patch_hash=ab_react@18.3.1", "patched"),
        ("x@1.0.0_y@file+libs+y", "registry"),
        ("x@1.0.0_@s+y@1.0.0_patch_hash=ab", "registry"),
        ("x@file+libs+x", "file"),
        ("file+libs+x", "file"),
        ("x@git+ssh+++host.example+o+r", "git"),
        ("x@git@host.example+o+r+abc", "git"),
    ],
)
def test_a_store_folder_s_own_part_tells_the_kind_and_not_that_of_its_peers(
    tmp_path: Path, folder: str, kind: str
) -> None:
    place = f"node_modules/.pnpm/{folder}/node_modules/x"
    root = lay(tmp_path, {f"{place}/package.json": package("x"), "node_modules/x": {"link": place.partition("/")[2]}})
    found = find_package("x", root)
    assert found is not None
    assert found.kind == kind


def test_a_name_of_node_itself_is_its_module_unless_asked_for_with_a_slash() -> None:
    asked = ["events", "node:events", "fs/promises", "node:test", "punycode"]
    assert [is_builtin(each) for each in asked] == [True] * 5
    assert [is_builtin(each) for each in ["events/", "test", "sqlite", "lodash", "buffer/index.js"]] == [False] * 5
    assert builtin("events") == Installed("npm", "events", None, "node:events", "builtin")


def test_a_name_that_cannot_be_imported_is_told_with_what_else_there_is(tmp_path: Path) -> None:
    root = lay(
        tmp_path,
        {
            "package.json": package("root", workspaces=["packages/*"]),
            "packages/a/package.json": package("a"),
            "packages/a/node_modules/zod/package.json": package("zod", "3.25.76"),
            "node_modules/next/package.json": package("next", "14.0.0"),
            "node_modules/next/dist/compiled/react/package.json": {"name": "react-builtin", "version": "18.3.0-canary"},
            "node_modules/next/node_modules/busboy/package.json": package("busboy", "1.6.0"),
            "node_modules/@types/left/package.json": package("@types/left", "1.1.1"),
            "node_modules/events/package.json": package("events", "3.3.0"),
        },
    )

    def told(name: str) -> list[tuple[str, str | None, tuple[str, ...]]]:
        return [(each.kind, each.version, each.warnings) for each in elsewhere(name, root, root)]

    assert told("zod") == [("registry", "3.25.76", ("seen from packages/a, not from here",))]
    assert told("busboy") == [("registry", "1.6.0", ("installed for another package, not importable from here",))]
    assert told("react") == [("vendored", "18.3.0-canary", ("a copy inside next, named react-builtin there",))]
    assert told("left") == [("stub-only", "1.1.1", ("only the types of left are installed",))]
    assert told("events") == [("builtin", None, ()), ("registry", "3.3.0", ("imported as events/",))]
    assert told("nothing") == []


def test_npm_s_hidden_lockfile_is_a_hint_a_removed_package_is_not_found_and_a_newer_tree_is_walked(
    tmp_path: Path,
) -> None:
    root = lay(
        tmp_path,
        {
            "node_modules/.package-lock.json": {"packages": {"node_modules/left-pad": {"version": "1.3.0"}}},
            "node_modules/x/package.json": package("x"),
        },
    )
    assert find_package("left-pad", root) is None
    assert copies("left-pad", root) == ()
    record = os.path.join(root, "node_modules", ".package-lock.json")
    os.utime(record, (1, 1))
    assert [each.version for each in copies("x", root)] == ["1.0.0"]


@pytest.mark.parametrize(
    "listing",
    [
        {"package.json": package("root", workspaces=["packages/*", "./apps/**", "!apps/old"])},
        {"package.json": package("root", workspaces={"packages": ["packages/*", "apps/**", "!apps/old"]})},
        {
            "pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n  - \"apps/**\" # all\n  - '!apps/old'\ncatalog:\n  - other\n"
        },
    ],
)
def test_copies_are_looked_for_in_the_folders_that_the_workspace_list_takes_in(
    tmp_path: Path, listing: dict[str, Any]
) -> None:
    places = ["packages/a", "packages/a/deep", "apps/x/y", "apps/old", "other", "packages/.hidden"]
    tree = {
        f"{place}/node_modules/x/package.json": package("x", f"{number}.0.0") for number, place in enumerate(places)
    }
    root = lay(tmp_path, listing | tree)
    assert [each.version for each in copies("x", root)] == ["2.0.0", "0.0.0"]
    assert [each.version for each in copies("x", root, ["other"])] == ["4.0.0"]
    assert {each.version for each in list_packages(root)} == {"2.0.0", "0.0.0"}


def test_bundled_copies_are_listed_and_are_not_what_the_root_gets(tmp_path: Path) -> None:
    root = lay(
        tmp_path,
        {
            "node_modules/semver/package.json": package("semver", "7.8.6"),
            "node_modules/npm/package.json": package("npm", "10.0.0"),
            "node_modules/npm/node_modules/semver/package.json": package("semver", "7.7.4"),
        },
    )
    assert version("semver", root) == "7.8.6"
    assert sorted(str(each.version) for each in copies("semver", root)) == ["7.7.4", "7.8.6"]
    assert len(list_packages(root)) == 3


def test_a_tree_that_links_into_itself_is_listed_once_and_ends(tmp_path: Path) -> None:
    root = lay(
        tmp_path,
        {
            "node_modules/a/package.json": package("a"),
            "node_modules/a/node_modules/b": {"link": "../../b"},
            "node_modules/b/package.json": package("b"),
            "node_modules/b/node_modules/a": {"link": "../../a"},
            "node_modules/loop": {"link": "loop"},
            "node_modules/self": {"link": "../node_modules"},
        },
    )
    assert [each.name for each in list_packages(root)] == ["a", "b"]
    assert find_package("loop", root) is None

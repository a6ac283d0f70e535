"""The declaration file of an import, by TypeScript's rules; whole trees are held against TypeScript itself in the slow suite."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from node_trees import lay, package

from briefkit.installed.node_types import IMPORT, REQUIRE, find_types, types_of
from briefkit.versions import semver

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def resolved(
    tmp_path: Path,
    fields: Mapping[str, Any],
    files: str,
    sub_path: str | None = None,
    typescript: str = "5.9.3",
    **kwargs: Any,
) -> str | None:
    tree: dict[str, Any] = {"node_modules/p/package.json": package("p", **fields)}
    tree |= {f"node_modules/p/{path}": "" for path in files.split()}
    root = lay(tmp_path, tree)
    found = find_types("p", sub_path, root, typescript=semver(typescript), **kwargs)
    return None if found is None else os.path.relpath(found.file, f"{root}/node_modules")


@pytest.mark.parametrize(
    ("fields", "files", "expected"),
    [
        ({}, "index.d.ts", "p/index.d.ts"),
        ({}, "index.js", None),
        ({}, "index.ts index.d.ts", "p/index.ts"),
        ({"types": "t.d.ts"}, "t.d.ts index.d.ts", "p/t.d.ts"),
        ({"typings": "a.d.ts", "types": "b.d.ts"}, "a.d.ts b.d.ts", "p/a.d.ts"),
        ({"types": "t"}, "t.d.ts", "p/t.d.ts"),
        ({"types": "t"}, "t/index.d.ts", "p/t/index.d.ts"),
        ({"types": "gone.d.ts"}, "index.d.ts", "p/index.d.ts"),
        ({"main": "lib/a.js"}, "lib/a.js lib/a.d.ts", "p/lib/a.d.ts"),
        ({"main": "lib/a"}, "lib/a.d.ts", "p/lib/a.d.ts"),
        ({"main": "lib"}, "lib/index.d.ts", "p/lib/index.d.ts"),
        ({"main": "a.mjs"}, "a.d.mts a.d.ts", "p/a.d.mts"),
        ({"main": "a.cjs"}, "a.d.ts a.d.cts", "p/a.d.cts"),
        ({"exports": {"types": "./t.d.ts", "default": "./i.js"}}, "t.d.ts i.js", "p/t.d.ts"),
        ({"exports": {"import": "./i.mjs", "require": "./i.cjs"}}, "i.d.mts i.d.cts", "p/i.d.mts"),
        ({"exports": "./i.js"}, "i.js index.d.ts", None),
        ({"exports": {"./x": "./x.js"}}, "index.d.ts x.d.ts", None),
        # A target counts only if a declaration stands for it; else the next condition or item is tried.
        ({"exports": {"types": "./gone.d.ts", "import": "./i.mjs"}}, "i.d.mts", "p/i.d.mts"),
        ({"exports": {".": [{"import": "./i.mjs"}, "./i.cjs"]}}, "i.mjs i.d.cts", "p/i.d.cts"),
        ({"exports": {"types@<5.0": "./old.d.ts", "types@>=5.0": "./new.d.ts"}}, "old.d.ts new.d.ts", "p/new.d.ts"),
        ({"exports": {"node": "./n.d.ts", "default": "./d.d.ts"}}, "n.d.ts d.d.ts", "p/d.d.ts"),
        ({"exports": {"import": None, "default": "./d.d.ts"}}, "d.d.ts", "p/d.d.ts"),
        ({"exports": "./style.css"}, "style.css style.d.css.ts", "p/style.d.css.ts"),
        ({"exports": "./data.json"}, "data.d.json.ts", "p/data.d.json.ts"),
    ],
)
def test_the_types_of_a_package_are_found_as_typescript_finds_them(
    tmp_path: Path, fields: dict[str, Any], files: str, expected: str | None
) -> None:
    assert resolved(tmp_path, fields, files) == expected


def test_types_versions_are_chosen_by_the_compiler_s_version(tmp_path: Path) -> None:
    fields = {"types": "index.d.ts", "typesVersions": {"<=5.6": {"*": ["ts5.6/*"]}}}
    files = "index.d.ts ts5.6/index.d.ts"
    assert resolved(tmp_path, fields, files, typescript="5.5.4") == "p/ts5.6/index.d.ts"
    assert resolved(tmp_path, fields, files, typescript="5.9.3") == "p/index.d.ts"


def test_a_range_of_types_versions_that_matches_and_leads_nowhere_ends_the_search(tmp_path: Path) -> None:
    fields = {"typesVersions": {"*": {"base": ["gone.d.ts"], "other/*": ["source/*"]}}}
    files = "base.d.ts other/a.d.ts source/a.d.ts plain.d.ts"
    asked = ["base", "other/a", "plain"]
    assert [resolved(tmp_path, fields, files, each) for each in asked] == [None, "p/source/a.d.ts", "p/plain.d.ts"]


def test_a_target_of_types_versions_that_is_javascript_ends_the_search_too(tmp_path: Path) -> None:
    assert resolved(tmp_path, {"typesVersions": {"*": {"*": ["*"]}}}, "x.mjs x.d.mts", "x.mjs") is None


def test_a_types_package_is_asked_for_declarations_alone(tmp_path: Path) -> None:
    root = lay(
        tmp_path, {"node_modules/@types/p/package.json": package("@types/p"), "node_modules/@types/p/index.ts": ""}
    )
    assert types_of("p", None, root) is None


def test_a_sub_path_with_a_manifest_of_its_own_is_read_by_it_unless_exports_decide(tmp_path: Path) -> None:
    (tmp_path / "node_modules/p/operators").mkdir(parents=True)
    (tmp_path / "node_modules/p/operators/package.json").write_text(
        '{"types": "../dist/operators.d.ts"}', encoding="utf-8"
    )
    assert resolved(tmp_path, {}, "dist/operators.d.ts operators/index.d.ts", "operators") == "p/dist/operators.d.ts"
    closed = {"exports": {"./operators": "./operators/index.js"}}
    assert resolved(tmp_path, closed, "", "operators") == "p/operators/index.d.ts"


def test_the_package_of_a_nearer_folder_comes_before_types_and_those_before_folders_above(tmp_path: Path) -> None:
    root = lay(
        tmp_path,
        {
            "node_modules/p/package.json": package("p"),
            "node_modules/p/index.d.ts": "",
            "a/node_modules/@types/p/package.json": package("@types/p"),
            "a/node_modules/@types/p/index.d.ts": "",
            "a/node_modules/p/package.json": package("p"),
            "a/node_modules/p/index.js": "",
            "b/node_modules/@types/s__q/package.json": package("@types/s__q"),
            "b/node_modules/@types/s__q/sub.d.ts": "",
        },
    )
    assert types_of("p", None, f"{root}/a") == f"{root}/a/node_modules/@types/p/index.d.ts"
    assert types_of("p", None, f"{root}/b") == f"{root}/node_modules/p/index.d.ts"
    assert types_of("@s/q", "sub", f"{root}/b") == f"{root}/b/node_modules/@types/s__q/sub.d.ts"


def test_import_and_require_may_have_types_of_their_own(tmp_path: Path) -> None:
    fields = {"exports": {"import": "./i.mjs", "require": "./i.cjs"}}
    assert resolved(tmp_path, fields, "i.d.mts i.d.cts", conditions=IMPORT) == "p/i.d.mts"
    assert resolved(tmp_path, fields, "i.d.mts i.d.cts", conditions=REQUIRE) == "p/i.d.cts"


@pytest.mark.parametrize(
    "target", ["../../secret.d.ts", "/etc/passwd", "./../../secret.d.ts", "..\\..\\secret.d.ts", "C:\\secret.d.ts"]
)
def test_a_manifest_cannot_name_types_outside_the_package(tmp_path: Path, target: str) -> None:
    (tmp_path / "secret.d.ts").write_text("", encoding="utf-8")
    shapes: list[dict[str, Any]] = [
        {"types": target},
        {"main": target},
        {"exports": {"types": target}},
        {"typesVersions": {"*": {"*": [target]}}},
        {"typesVersions": {"*": {"s": [target, {}, 3]}}},
    ]
    assert [resolved(tmp_path, fields, "", sub) for fields in shapes for sub in (None, "s")] == [None] * 10


def test_declarations_that_link_out_of_the_package_are_not_read(tmp_path: Path) -> None:
    lay(tmp_path, {"secret.d.ts": "", "node_modules/p/index.d.ts": {"link": "../../secret.d.ts"}})
    assert resolved(tmp_path, {}, "") is None


def test_ranges_and_maps_of_the_wrong_type_are_passed_over(tmp_path: Path) -> None:
    shapes: tuple[dict[str, Any], ...] = (
        {"typesVersions": []},
        {"typesVersions": {"*": "x"}},
        {"types": 7},
        {"exports": 0},
        {"typesVersions": {"not a range": {"*": ["x"]}}},
    )
    for number, fields in enumerate(shapes):
        assert resolved(tmp_path / str(number), fields, "index.d.ts") == "p/index.d.ts"

"""Ways into a package: exports, main, index, and what a manifest may not name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from node_trees import lay, package

from briefkit.installed.node_entries import (
    IMPORT,
    REQUIRE,
    ExportedPath,
    bundler_entries,
    commands,
    entry_of,
    exported_paths,
)
from briefkit.installed.node_packages import describe, find_package

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from briefkit.packages import Installed


def installed(tmp_path: Path, fields: Mapping[str, Any], files: str = "") -> Installed:
    tree: dict[str, Any] = {"node_modules/p/package.json": package("p", **fields)}
    tree |= {f"node_modules/p/{path}": "" for path in files.split()}
    found = find_package("p", lay(tmp_path, tree))
    assert found is not None
    return found


def ways(copy: Installed, sub_path: str | None = None) -> tuple[str | None, str | None]:
    return entry_of(copy, sub_path, conditions=IMPORT), entry_of(copy, sub_path, conditions=REQUIRE)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, "index.js"),
        ({"main": "lib/a.js"}, "lib/a.js"),
        ({"main": "./lib/a"}, "lib/a.js"),
        ({"main": "lib"}, "lib/index.js"),
        ({"main": "lib/"}, "lib/index.js"),
        ({"main": "gone.js"}, "index.js"),
        ({"main": "data"}, "data.json"),
        ({"main": "."}, "index.js"),
        ({"main": 7}, "index.js"),
        ({"exports": None, "main": "lib/a.js"}, "lib/a.js"),
        ({"exports": "./lib/a.js"}, "lib/a.js"),
        ({"exports": {".": "./lib/a.js"}}, "lib/a.js"),
        ({"exports": {"default": "./lib/a.js"}}, "lib/a.js"),
        ({"exports": ["./lib/a.js"]}, "lib/a.js"),
        ({"exports": [{"browser": "./b.js"}, "./lib/a.js"]}, "lib/a.js"),
        ({"exports": ["lib/a.js", "./lib/a.js"]}, "lib/a.js"),
        ({"exports": {"node": {"browser": "./b.js"}, "default": "./lib/a.js"}}, "lib/a.js"),
        ({"exports": {"./sub": "./lib/a.js"}}, None),
        ({"exports": {".": None}}, None),
        ({"exports": {"node": None, "default": "./lib/a.js"}}, None),
        ({"exports": "./gone.js"}, None),
        ({"exports": "lib/a.js"}, None),
        ({"exports": {".": "./lib/a.js", "mixed": "./lib/a.js"}}, None),
        ({"exports": False}, None),
        ({"exports": {}}, None),
        ({"exports": []}, None),
    ],
)
def test_the_package_itself_is_entered_as_node_enters_it(
    tmp_path: Path, fields: dict[str, Any], expected: str | None
) -> None:
    copy = installed(tmp_path, fields, "index.js lib/a.js lib/index.js data.json")
    assert ways(copy) == (expected, expected)


def test_the_first_condition_in_the_order_of_the_file_wins(tmp_path: Path) -> None:
    exports = {"types": "./a.d.ts", "import": "./a.mjs", "require": "./a.cjs", "default": "./a.js"}
    assert ways(installed(tmp_path / "a", {"exports": exports}, "a.mjs a.cjs a.js")) == ("a.mjs", "a.cjs")
    reversed_order = dict(reversed(exports.items()))
    assert ways(installed(tmp_path / "b", {"exports": reversed_order}, "a.mjs a.cjs a.js")) == ("a.js", "a.js")


def test_an_exact_sub_path_wins_then_the_pattern_with_the_longest_head(tmp_path: Path) -> None:
    exports = {
        "./*": "./any/*.js",
        "./features/*": "./features/*.js",
        "./features/x": "./x.js",
        "./features/private/*": None,
        "./f/*.js": "./f/*.js",
    }
    copy = installed(
        tmp_path, {"exports": exports}, "any/a.js any/features/y.js features/y.js features/private/z.js x.js f/a/b.js"
    )
    asked = ["a", "features/x", "features/y", "features/private/z", "f/a/b.js", "f/.js", "features/", "nothing"]
    assert [entry_of(copy, each) for each in asked] == [
        "any/a.js",
        "x.js",
        "features/y.js",
        None,
        "f/a/b.js",
        None,
        None,
        None,
    ]


def test_a_pattern_s_head_and_tail_do_not_overlap_and_one_with_two_stars_is_none(tmp_path: Path) -> None:
    copy = installed(tmp_path, {"exports": {"./f*f": "./any*.js", "./a*b*": "./any*.js"}}, "any.js anyx.js")
    assert [entry_of(copy, each) for each in ("f", "ff", "fxf", "axb", "axb*")] == [
        None,
        None,
        "anyx.js",
        None,
        None,
    ]


def test_without_exports_a_sub_path_is_a_file_with_or_without_its_ending_or_a_folder(tmp_path: Path) -> None:
    copy = installed(tmp_path, {}, "add.js lib/index.js ops/main.js ops/x data.json")
    (tmp_path / "node_modules/p/ops/package.json").write_text('{"main": "./main.js"}', encoding="utf-8")
    asked = ["add", "add.js", "lib", "ops", "data", "gone", "../p/add"]
    assert [entry_of(copy, each) for each in asked] == [
        "add.js",
        "add.js",
        "lib/index.js",
        "ops/main.js",
        "data.json",
        None,
        None,
    ]
    assert [entry_of(copy, each, conditions=IMPORT) for each in asked] == [None, "add.js", None, None, None, None, None]


@pytest.mark.parametrize(
    "target",
    [
        "../secret.js",
        "./../secret.js",
        "./a/../../secret.js",
        "./%2e%2e/secret.js",
        "./a/%2E%2e/b.js",
        "./node_modules/q/i.js",
        "/etc/passwd",
        "./a\\..\\b.js",
        "./a\0b",
        "file:///etc/passwd",
        "C:/x.js",
        "./a%2fb.js",
        "./.",
    ],
)
def test_a_target_that_leaves_the_package_is_no_way_in(tmp_path: Path, target: str) -> None:
    lay(tmp_path, {"node_modules/secret.js": "", "secret.js": "", "node_modules/p/node_modules/q/i.js": ""})
    for fields in (
        {"exports": target},
        {"exports": {".": [target]}},
        {"main": target},
        {"bin": target, "module": target, "source": target},
    ):
        copy = installed(tmp_path, fields, "a/x.js")
        expected = "node_modules/q/i.js" if fields.get("main") == "./node_modules/q/i.js" else None
        assert ways(copy) == (expected, expected)
        if target != "./node_modules/q/i.js":
            assert (commands(copy), bundler_entries(copy)) == ({}, {})


def test_a_sub_path_cannot_climb_out_through_a_pattern(tmp_path: Path) -> None:
    copy = installed(tmp_path, {"exports": {"./*": "./lib/*"}}, "lib/a.js secret.js")
    asked = ["../secret.js", "a/../../secret.js", "%2e%2e/secret.js", "a.js"]
    assert [entry_of(copy, each) for each in asked] == [None, None, None, "lib/a.js"]


def test_a_file_that_links_out_of_the_package_is_no_way_in(tmp_path: Path) -> None:
    lay(
        tmp_path,
        {
            "secret.js": "",
            "node_modules/p/index.js": {"link": "../../secret.js"},
            "node_modules/p/out": {"link": "../.."},
        },
    )
    assert ways(installed(tmp_path, {})) == (None, None)
    assert ways(installed(tmp_path, {"exports": "./out/secret.js"})) == (None, None)


def test_conditions_nested_without_end_are_given_up(tmp_path: Path) -> None:
    nested: Any = "./index.js"
    for _ in range(200):
        nested = {"default": nested}
    assert ways(installed(tmp_path, {"exports": nested}, "index.js")) == (None, None)


def test_every_sub_path_of_exports_is_listed_with_patterns_filled_in(tmp_path: Path) -> None:
    exports = {
        ".": {"import": "./index.mjs", "require": "./index.cjs", "types": "./index.d.ts"},
        "./package.json": "./package.json",
        "./icons/*": "./icons/*.js",
        "./twice/*": "./t/*/*.js",
        "./types": {"types": "./only.d.ts"},
        "./closed/*": None,
        "./old/": "./lib/",
    }
    files = (
        "index.mjs index.cjs index.d.ts icons/a.js icons/b/c.js icons/readme.md t/x/x.js t/x/y.js only.d.ts lib/z.js"
    )
    assert exported_paths(installed(tmp_path, {"exports": exports}, files)) == (
        ExportedPath(".", "index.mjs", "index.cjs", ("index.d.ts",)),
        ExportedPath("./icons/a", "icons/a.js", "icons/a.js"),
        ExportedPath("./icons/b/c", "icons/b/c.js", "icons/b/c.js"),
        ExportedPath("./old/z.js", None, None, ("lib/z.js",)),
        ExportedPath("./package.json", "package.json", "package.json"),
        ExportedPath("./twice/x", "t/x/x.js", "t/x/x.js"),
        ExportedPath("./types", None, None, ("only.d.ts",)),
    )


def test_without_exports_every_code_file_is_listed_under_its_path(tmp_path: Path) -> None:
    copy = installed(tmp_path, {}, "index.js add.js lib/x.mjs a.d.ts readme.md node_modules/q/index.js")
    assert exported_paths(copy) == (
        ExportedPath(".", "index.js", "index.js"),
        ExportedPath("./add", "add.js", "add.js"),
        ExportedPath("./index", "index.js", "index.js"),
        ExportedPath("./lib/x.mjs", "lib/x.mjs", "lib/x.mjs"),
        ExportedPath("./package.json", "package.json", "package.json"),
    )


def test_a_package_is_described_by_its_ways_in_types_documents_and_files(tmp_path: Path) -> None:
    fields = {
        "exports": {
            "import": {"types": "./i.d.mts", "default": "./i.mjs"},
            "require": {"types": "./i.d.cts", "default": "./i.cjs"},
        },
        "module": "./i.mjs",
        "bin": {"p": "cli.js", "gone": "gone.js"},
    }
    copy = installed(tmp_path, fields, "i.mjs i.cjs i.d.mts i.d.cts cli.js Readme.markdown HISTORY.md docs/README.md")
    root = copy.root
    found = describe(copy)
    assert found.entry == {
        "import": f"{root}/i.mjs",
        "require": f"{root}/i.cjs",
        "module": f"{root}/i.mjs",
        "bin p": f"{root}/cli.js",
    }
    assert found.types == (
        {"file": f"{root}/i.d.mts", "from": "import", "package": "p", "version": "1.0.0"},
        {"file": f"{root}/i.d.cts", "from": "require", "package": "p", "version": "1.0.0"},
    )
    assert (found.readme, found.changelog, found.files, found.warnings) == (
        f"{root}/Readme.markdown",
        f"{root}/HISTORY.md",
        9,
        (),
    )


def test_types_that_lie_in_another_package_are_told_with_its_own_version(tmp_path: Path) -> None:
    lay(
        tmp_path,
        {
            "node_modules/@types/p/package.json": package("@types/p", "1.4.2", types="index.d.ts"),
            "node_modules/@types/p/index.d.ts": "",
        },
    )
    found = describe(installed(tmp_path, {}, "index.js"))
    file = f"{tmp_path}/node_modules/@types/p/index.d.ts"
    assert found.types == ({"file": file, "from": "@types", "package": "@types/p", "version": "1.4.2"},)

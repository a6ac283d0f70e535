"""Minified code traced to what can be read, and what a hostile map may not name."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest
from node_trees import lay, package

from briefkit.installed.node_packages import describe, find_package
from briefkit.installed.node_tree import tree_of
from briefkit.installed.readable_source import Readable, is_minified, readable_source
from briefkit.installed.source_maps import MapSource, map_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from briefkit.packages import Installed

LONG = "x" * 2_000 + ";\n"


def installed(tmp_path: Path, files: Mapping[str, Any], **fields: Any) -> Installed:
    tree = {"node_modules/p/package.json": package("p", **fields)}
    found = find_package(
        "p", lay(tmp_path, tree | {f"node_modules/p/{path}": content for path, content in files.items()})
    )
    assert found is not None
    return found


def mapped(sources: list[Any], **fields: Any) -> dict[str, Any]:
    return {"version": 3, "sources": sources, "mappings": "AAAA", **fields}


@pytest.mark.parametrize(
    ("text", "name", "minified"),
    [
        ("a = 1;\n" * 200, "a.js", False),
        (LONG, "a.js", True),
        (LONG + "short\n" * 2_000, "a.js", False),
        ("module.exports = require('./" + "lib/" * 100 + "')", "a.js", False),
        ("a = 1;\n" * 200, "a.min.js", True),
        ("a = 1;\n" * 200, "react.production.js", True),
        ("", "a.js", False),
    ],
)
def test_minified_is_told_by_the_average_line_or_by_the_name(text: str, name: str, minified: bool) -> None:
    assert is_minified(text.encode(), name) is minified


def test_a_map_s_sources_inside_the_package_come_first(tmp_path: Path) -> None:
    copy = installed(
        tmp_path,
        {
            "dist/p.js": LONG + "//# sourceMappingURL=p.js.map?v=1\n",
            "dist/p.js.map": mapped(["../src/a%20b.js", "webpack://p/src/c.js", "../../../q/d.js", "../src/gone.js"]),
            "src/a b.js": "export const a = 1\n",
            "src/index.js": "",
        },
        main="dist/p.js",
    )
    assert readable_source(copy, "dist/p.js") == Readable("map", ("src/a b.js",), "dist/p.js.map")
    assert describe(copy).warnings == ("dist/p.js is minified; read src/a b.js (by its source map)",)


def test_then_shipped_sources_then_a_twin_then_the_text_in_the_map(tmp_path: Path) -> None:
    embedded = {
        "p.min.js": LONG + "//# sourceMappingURL=p.map\n",
        "p.map": mapped(["../../away/a.ts", "b.ts"], sourcesContent=["let a", None]),
    }
    copy = installed(tmp_path / "embedded", embedded)
    assert readable_source(copy, "p.min.js") == Readable("embedded", ("../../away/a.ts",), "p.map")
    copy = installed(tmp_path / "twin", {**embedded, "p.js": "a = 1\n"})
    assert readable_source(copy, "p.min.js") == Readable("twin", ("p.js",))
    copy = installed(tmp_path / "shipped", {**embedded, "p.js": "a = 1\n", "src/index.ts": ""})
    assert readable_source(copy, "p.min.js") == Readable("source", ("src/index.ts",))
    copy = installed(
        tmp_path / "condition",
        {**embedded, "lib/in.ts": ""},
        exports={".": {"@p/source": "./lib/in.ts", "default": "./p.min.js"}},
    )
    assert readable_source(copy, "p.min.js") == Readable("source", ("lib/in.ts",))
    copy = installed(tmp_path / "none", {"p.min.js": LONG})
    assert readable_source(copy, "p.min.js") is None
    assert readable_source(installed(tmp_path / "plain", {"p.js": "a = 1\n"}), "p.js") is None


def test_the_development_build_stands_for_the_production_one(tmp_path: Path) -> None:
    copy = installed(tmp_path, {"cjs/r.production.min.js": LONG, "cjs/r.development.js": "a = 1\n"})
    assert readable_source(copy, "cjs/r.production.min.js") == Readable("twin", ("cjs/r.development.js",))


def test_a_place_in_built_code_is_led_to_its_source_and_line(tmp_path: Path) -> None:
    # Line 1: column 0 -> source 0 line 1, column 9 -> source 1 line 5; line 3: column 4 -> source 1 line 6.
    mappings = "AAAA,SCIA;;IACA"
    copy = installed(
        tmp_path, {"p.js": "//# sourceMappingURL=p.map", "p.map": mapped(["a.js", "b.js"], mappings=mappings)}
    )
    found = map_of(tree_of(copy), "p.js")
    assert found is not None
    assert [
        found.origin(1),
        found.origin(1, 8),
        found.origin(1, 9),
        found.origin(2),
        found.origin(3),
        found.origin(4),
    ] == [
        (0, 1),
        (0, 1),
        (1, 5),
        None,
        (1, 6),
        None,
    ]


def test_inline_maps_and_indexed_maps_are_read(tmp_path: Path) -> None:
    data = base64.b64encode(json.dumps(mapped(["src/a.ts"])).encode()).decode()
    files = {
        "inline.js": f"//# sourceMappingURL=data:application/json;charset=utf-8;base64,{data}\n",
        "indexed.js": "//# sourceMappingURL=indexed.map\n",
        "indexed.map": {"version": 3, "sections": [{"offset": {}, "map": mapped(["a.ts"], sourceRoot="./src/")}]},
        "guarded.js": "/*# sourceMappingURL=guarded.map */",
        "guarded.map": ")]}'\n" + json.dumps(mapped(["src/a.ts"])),
        "src/a.ts": "",
    }
    tree = tree_of(installed(tmp_path, files))
    found = {name: map_of(tree, f"{name}.js") for name in ("inline", "indexed", "guarded")}
    assert {name: each and [source.path for source in each.sources] for name, each in found.items()} == {
        "inline": ["src/a.ts"],
        "indexed": ["src/a.ts"],
        "guarded": ["src/a.ts"],
    }


@pytest.mark.parametrize(
    "written",
    [
        "../../secret.js",
        "/etc/passwd",
        "file:///etc/passwd",
        "C:\\secret.js",
        "..\\..\\secret.js",
        "%2e%2e/%2e%2e/secret.js",
        "a\0b",
        "out/secret.js",
        "https://host.example/a.js",
    ],
)
def test_a_source_that_leaves_the_package_is_named_but_never_a_file(tmp_path: Path, written: str) -> None:
    lay(tmp_path, {"secret.js": "", "node_modules/p/out": {"link": "../.."}})
    for fields in ({}, {"sourceRoot": "../../"}, {"sourceRoot": "/"}):
        found = map_of(
            tree_of(installed(tmp_path, {"p.js": "//# sourceMappingURL=p.map", "p.map": mapped([written], **fields)})),
            "p.js",
        )
        assert found is not None
        assert found.sources == (MapSource(written, None, None),)


@pytest.mark.parametrize(
    "target",
    ["../../secret.map", "/secret.map", "out/secret.map", "https://host.example/p.map", "%2e%2e/%2e%2e/secret.map"],
)
def test_a_map_outside_the_package_is_not_opened(tmp_path: Path, target: str) -> None:
    lay(tmp_path, {"secret.map": mapped(["a.js"]), "node_modules/p/out": {"link": "../.."}})
    assert map_of(tree_of(installed(tmp_path, {"p.js": f"//# sourceMappingURL={target}\n"})), "p.js") is None


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "7",
        "[" * 100_000,
        '{"sources": 7}',
        '{"sources": [1, null, {}]}',
        '{"sections": [7, {"map": {"sections": []}}]}',
    ],
)
def test_a_map_that_is_none_gives_no_sources(tmp_path: Path, content: str) -> None:
    found = map_of(tree_of(installed(tmp_path, {"p.js": "//# sourceMappingURL=p.map", "p.map": content})), "p.js")
    assert found is None or found.sources == ()


@pytest.mark.parametrize(
    "mappings", ["!", "A" * 100_000, "gggggggggggggggggggggggggggg", ";" * 100_000, "AZZZZ", 7, None]
)
def test_mappings_that_are_none_lead_nowhere_and_end(tmp_path: Path, mappings: object) -> None:
    files = {"p.js": "//# sourceMappingURL=p.map", "p.map": mapped(["a.js"], mappings=mappings)}
    found = map_of(tree_of(installed(tmp_path, files)), "p.js")
    assert found is not None
    assert found.origin(1) in (None, (0, 1))
    assert found.origin(5_000_000) is None

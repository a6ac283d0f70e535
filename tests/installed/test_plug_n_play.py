"""Plug'n'Play: the manifest in every form, read as text; places in zips, virtual places, aliases, fallbacks."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from node_trees import lay, package
from plug_n_play_forms import apart, at, state, yarn_1, yarn_2, yarn_3, yarn_4, zip_of

from briefkit.errors import UnreadableError
from briefkit.installed.files import citation_path, read_file
from briefkit.installed.node_packages import copies, describe, find_package, layout_of, list_packages, types_package
from briefkit.installed.node_types import types_of
from briefkit.installed.plug_n_play import devirtualised
from briefkit.installed.plug_n_play_manifest import read_plug_manifest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from briefkit.packages import Installed

VIRTUAL = "virtual:36a01d8083315b8a#npm:4.4.3"
PACKAGES: dict[tuple[str | None, str | None], dict[str, Any]] = {
    (None, None): at(
        "./", {"debug": VIRTUAL, "lodash": "npm:4.17.20", "lodash3": ["lodash", "npm:3.10.1"], "it's": "npm:1.0.0"}
    ),
    ("root", "workspace:."): at("./", {"debug": VIRTUAL}, linkType="SOFT"),
    ("@acme/a", "workspace:packages/a"): at("./packages/a/", {"ms": "npm:2.0.0", "peer": None}, linkType="SOFT"),
    ("debug", "npm:4.4.3"): at("./.yarn/cache/debug-npm-4.4.3.zip/node_modules/debug/", {"ms": None}, linkType="SOFT"),
    ("debug", VIRTUAL): at(
        "./.yarn/__virtual__/debug-virtual-81cc/0/cache/debug-npm-4.4.3.zip/node_modules/debug/",
        {"ms": "npm:2.1.3"},
        linkType="HARD",
    ),
    ("ms", "npm:2.0.0"): at("./.yarn/cache/ms-npm-2.0.0.zip/node_modules/ms/"),
    ("ms", "npm:2.1.3"): at("./.yarn/cache/ms-npm-2.1.3.zip/node_modules/ms/"),
    ("lodash", "npm:3.10.1"): at("./.yarn/cache/lodash-npm-3.10.1.zip/node_modules/lodash/"),
    ("lodash", "npm:4.17.20"): at("./.yarn/unplugged/lodash-npm-4.17.20/node_modules/lodash/"),
    ("it's", "npm:1.0.0"): at("./.yarn/cache/it-s.zip/node_modules/it's/"),
    ("linked", "link:./libs/linked::locator=root"): at("./libs/linked/", linkType="SOFT", discardFromLookup=True),
}
CACHED = {"debug": "4.4.3", "ms": "2.0.0", "lodash": "3.10.1"}
FORMS = {
    "yarn 4": (".pnp.cjs", yarn_4),
    "yarn 3": (".pnp.cjs", yarn_3),
    "yarn 2": (".pnp.js", yarn_2),
    "yarn 1": (".pnp.js", yarn_1),
}


def project(
    tmp_path: Path,
    packages: Mapping[tuple[str | None, str | None], dict[str, Any]] = PACKAGES,
    form: str = "yarn 4",
    **fields: Any,
) -> str:
    name, write = FORMS[form]
    for each, version in (("debug", "4.4.3"), ("ms", "2.0.0"), ("ms", "2.1.3"), ("lodash", "3.10.1")):
        files = {
            "package.json": package(each, version, main="src/index.js"),
            "src/index.js": "// code\n",
            "readme.md": "# it",
        }
        zip_of(tmp_path / f".yarn/cache/{each}-npm-{version}.zip", each, files)
    return lay(
        tmp_path,
        {
            name: write(state(packages, **fields)),
            ".yarn/unplugged/lodash-npm-4.17.20/node_modules/lodash/package.json": package("lodash", "4.17.20"),
            "packages/a/package.json": package("@acme/a", "1.2.3"),
            "libs/linked/index.js": "",
        },
    )


def told(found: Installed | None) -> tuple[str, str | None, str | None, str] | None:
    return None if found is None else (found.name, found.version, found.alias, found.kind)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_the_manifest_holds_the_same_packages(tmp_path: Path, form: str) -> None:
    root = project(tmp_path, form=form)
    path = os.path.join(root, FORMS[form][0])
    found = read_plug_manifest(path)
    assert {key: each.location for key, each in found.packages.items()} == {
        key: each["packageLocation"] for key, each in PACKAGES.items()
    }
    assert found.packages[None, None].dependencies == {
        "debug": VIRTUAL,
        "lodash": "npm:4.17.20",
        "lodash3": ("lodash", "npm:3.10.1"),
        "it's": "npm:1.0.0",
    }
    assert told(find_package("ms", f"{root}/packages/a/src")) == ("ms", "2.0.0", None, "registry")
    assert not os.path.exists(os.path.join(root, "ran"))
    layout = layout_of(root)
    assert layout is not None
    assert (layout.manager, layout.linker, layout.evidence) == (
        "yarn-classic" if form == "yarn 1" else "yarn-berry",
        "pnp",
        path,
    )


def test_data_in_a_file_of_its_own_is_read_and_a_stale_one_beside_an_inlined_manifest_is_not(tmp_path: Path) -> None:
    root = project(tmp_path)
    data = tmp_path / ".pnp.data.json"
    data.write_text(
        json.dumps(
            state({(None, None): at("./", {"ms": "npm:2.1.3"}), ("ms", "npm:2.1.3"): PACKAGES["ms", "npm:2.1.3"]})
        ),
        encoding="utf-8",
    )
    assert told(find_package("lodash3", root)) == ("lodash", "3.10.1", "lodash3", "registry")
    (tmp_path / ".pnp.cjs").write_text(apart(), encoding="utf-8")
    assert told(find_package("ms", root)) == ("ms", "2.1.3", None, "registry")
    assert find_package("lodash3", root) is None
    (tmp_path / "elsewhere").mkdir()
    data.rename(tmp_path / "elsewhere/my.json")
    (tmp_path / ".pnp.cjs").write_text(apart("elsewhere/my.json"), encoding="utf-8")
    assert told(find_package("ms", root)) == ("ms", "2.1.3", None, "registry")


def test_a_package_in_a_zip_is_told_cited_and_read_in_place(tmp_path: Path) -> None:
    root = project(tmp_path)
    found = find_package("ms", f"{root}/packages/a")
    assert found is not None
    archive = f"{root}/.yarn/cache/ms-npm-2.0.0.zip"
    assert (found.root, found.inner, found.link) == (archive, "node_modules/ms", None)
    assert found.evidence == (f"{archive}!/node_modules/ms/package.json", f"{root}/.pnp.cjs")
    assert citation_path(found, "src/index.js") == f"{archive}!/node_modules/ms/src/index.js"
    assert read_file(found, "src/index.js") == b"// code\n"
    described = describe(found)
    assert described.entry == {
        "import": f"{archive}!/node_modules/ms/src/index.js",
        "require": f"{archive}!/node_modules/ms/src/index.js",
    }
    assert (described.readme, described.files) == (f"{archive}!/node_modules/ms/readme.md", 3)


def test_a_virtual_package_lies_in_the_zip_of_the_real_one_and_gets_its_own_peers(tmp_path: Path) -> None:
    root = project(tmp_path)
    found = find_package("debug", root)
    assert found is not None
    assert (found.root, found.inner) == (f"{root}/.yarn/cache/debug-npm-4.4.3.zip", "node_modules/debug")
    assert found.link == f"{root}/.yarn/__virtual__/debug-virtual-81cc/0/cache/debug-npm-4.4.3.zip/node_modules/debug"
    for asking in (found.link, f"{found.root}!/{found.inner}", f"{found.root}!/{found.inner}/src", found.root):
        assert told(find_package("ms", asking)) == ("ms", "2.1.3", None, "registry"), asking


@pytest.mark.parametrize(
    ("path", "real"),
    [
        ("/p/.yarn/__virtual__/x-virtual-ab12/0/cache/x.zip/node_modules/x", "/p/.yarn/cache/x.zip/node_modules/x"),
        ("/p/.yarn/__virtual__/x-virtual-ab12/5/root/.yarn/berry/cache/x.zip/n", "/root/.yarn/berry/cache/x.zip/n"),
        ("/p/.yarn/$$virtual/x-virtual-ab12/1/packages/a", "/p/packages/a"),
        ("/p/__virtual__/a-ab/0/q/__virtual__/b-cd/1/z", "/p/z"),
        ("/p/.yarn/__virtual__/x-virtual-ab12/999/etc", "/etc"),
        ("C:/p/.yarn/__virtual__/x-virtual-ab12/0/cache/x.zip/n", "C:/p/.yarn/cache/x.zip/n"),
        ("/p/.yarn/cache/x.zip/node_modules/x", "/p/.yarn/cache/x.zip/node_modules/x"),
        ("/p/__virtual__/not-hex!/0/x", "/p/__virtual__/not-hex!/0/x"),
    ],
)
def test_a_virtual_path_stands_for_a_real_one(path: str, real: str) -> None:
    assert devirtualised(path) == real


def test_a_member_sees_what_it_declares_and_nothing_of_the_root(tmp_path: Path) -> None:
    root = project(tmp_path, fallbackExclusionList=[["@acme/a", ["workspace:packages/a"]]])
    assert find_package("lodash", f"{root}/packages/a") is None
    assert find_package("peer", f"{root}/packages/a") is None
    assert told(find_package("lodash", root)) == ("lodash", "4.17.20", None, "registry")


def test_a_package_that_is_no_member_is_lent_what_the_root_has_and_then_the_pool(tmp_path: Path) -> None:
    root = project(tmp_path, fallbackPool=[["ms", "npm:2.0.0"]])
    asking = f"{root}/.yarn/cache/ms-npm-2.1.3.zip!/node_modules/ms"
    assert told(find_package("lodash3", asking)) == ("lodash", "3.10.1", "lodash3", "registry")
    assert told(find_package("ms", asking)) == ("ms", "2.0.0", None, "registry")
    root = project(tmp_path / "strict", enableTopLevelFallback=False, fallbackPool=[["ms", "npm:2.0.0"]])
    asking = f"{root}/.yarn/cache/ms-npm-2.1.3.zip!/node_modules/ms"
    assert (find_package("lodash3", asking), find_package("ms", asking)) == (None, None)


def test_what_was_never_fetched_or_is_for_another_platform_is_not_found(tmp_path: Path) -> None:
    root = project(tmp_path)
    (tmp_path / ".yarn/cache/ms-npm-2.0.0.zip").unlink()
    assert find_package("ms", f"{root}/packages/a") is None
    assert find_package("it's", root) is None


@pytest.mark.parametrize(
    ("reference", "kind"),
    [
        ("npm:1.0.0", "registry"),
        ("patch:x@npm%3A1.0.0#~/.yarn/patches/x.patch::version=1.0.0&hash=b0479c", "patched"),
        ("virtual:aa#patch:x@npm%3A1.0.0#./p.patch::version=1.0.0", "patched"),
        ("patch:x@npm%3A5.9.3#optional!builtin<compat/typescript>::version=5.9.3&hash=5786d5", "registry"),
        ("workspace:packages/x", "workspace"),
        ("link:./x::locator=root", "link"),
        ("portal:./x::locator=root", "link"),
        ("file:./x#./x::hash=1&locator=root", "file"),
        ("https://host.example/o/r.git#commit=abc", "git"),
        ("git@host.example:o/r.git#commit=abc", "git"),
    ],
)
def test_the_kind_is_told_by_the_reference_and_yarns_own_patches_are_none_of_the_user(
    tmp_path: Path, reference: str, kind: str
) -> None:
    packages = {(None, None): at("./", {"x": reference}), ("x", reference): at("./x/", linkType="SOFT")}
    root = lay(tmp_path, {".pnp.cjs": yarn_4(state(packages)), "x/package.json": package("x")})
    assert told(find_package("x", root)) == ("x", "1.0.0", None, kind)


def test_all_copies_are_listed_once_though_a_virtual_and_a_plain_one_share_a_place(tmp_path: Path) -> None:
    root = project(tmp_path)
    assert sorted(f"{each.name}@{each.version}" for each in list_packages(root)) == [
        "@acme/a@1.2.3",
        "debug@4.4.3",
        "linked@None",
        "lodash@3.10.1",
        "lodash@4.17.20",
        "ms@2.0.0",
        "ms@2.1.3",
    ]
    assert [each.version for each in copies("lodash", root)] == ["3.10.1", "4.17.20"]


def test_types_are_found_in_zips(tmp_path: Path) -> None:
    types = at("./.yarn/cache/types.zip/node_modules/@types/ms/")
    packages = {**PACKAGES, ("@types/ms", "npm:1.0.0"): types}
    packages[None, None] = at("./", {"ms": "npm:2.0.0", "@types/ms": "npm:1.0.0"})
    root = project(tmp_path, packages)
    zip_of(
        tmp_path / ".yarn/cache/types.zip",
        "@types/ms",
        {"package.json": package("@types/ms", types="t.d.ts"), "t.d.ts": ""},
    )
    assert told(types_package("ms", root)) == ("@types/ms", "1.0.0", None, "registry")
    assert types_of("ms", None, root) == f"{root}/.yarn/cache/types.zip!/node_modules/@types/ms/t.d.ts"


def test_pnpms_members_own_no_folder_as_its_loader_has_it(tmp_path: Path) -> None:
    packages = {
        (None, None): at("./", {"ms": "1.0.0"}),
        ("a", "packages/a"): at("./packages/a", {"ms": "2.0.0"}),
        ("ms", "1.0.0"): at("./node_modules/.pnpm/ms@1.0.0/node_modules/ms/"),
        ("ms", "2.0.0"): at("./node_modules/.pnpm/ms@2.0.0/node_modules/ms/"),
    }
    tree: dict[str, Any] = {
        ".pnp.cjs": yarn_4(state(packages)),
        "node_modules/.modules.yaml": "nodeLinker: pnp\n",
        "packages/a/package.json": package("a"),
    }
    tree |= {f"node_modules/.pnpm/ms@{v}/node_modules/ms/package.json": package("ms", v) for v in ("1.0.0", "2.0.0")}
    root = lay(tmp_path, tree)
    layout = layout_of(root)
    assert layout is not None
    assert layout[:2] == ("pnpm", "pnp")
    assert told(find_package("ms", f"{root}/packages/a")) == ("ms", "1.0.0", None, "registry")


def test_a_changed_manifest_is_read_again(tmp_path: Path) -> None:
    root = project(tmp_path)
    assert find_package("lodash3", root) is not None
    (tmp_path / ".pnp.cjs").write_text(
        yarn_4(state({(None, None): at("./", {"ms": "npm:2.0.0"}), ("ms", "npm:2.0.0"): PACKAGES["ms", "npm:2.0.0"]})),
        encoding="utf-8",
    )
    assert find_package("lodash3", root) is None
    assert told(find_package("ms", root)) == ("ms", "2.0.0", None, "registry")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "module.exports = {};",
        "const RAW_RUNTIME_STATE =\n'{\\\n  broken",
        "const RAW_RUNTIME_STATE =\n'" + "[" * 100_000 + "';",
        "const RAW_RUNTIME_STATE =\n'[]';",
        "const RAW_RUNTIME_STATE =\n'{\"packageRegistryData\": 7}';",
        "return hydrateRuntimeState({ broken",
        'const pnpDataFilepath = path.resolve(__dirname, "gone.json");',
        'const pnpDataFilepath = path.resolve(__dirname, "../../../etc/passwd");',
        "let packageInformationStores = new Map([\n]);",
    ],
)
def test_a_manifest_that_is_none_is_an_error_of_one_line_and_finds_nothing(tmp_path: Path, text: str) -> None:
    root = lay(tmp_path, {".pnp.cjs": text})
    with pytest.raises(UnreadableError) as caught:
        read_plug_manifest(f"{root}/.pnp.cjs")
    assert "\n" not in str(caught.value)
    assert find_package("x", root) is None


def test_entries_of_the_wrong_shape_are_passed_over(tmp_path: Path) -> None:
    data = state({(None, None): at("./", {"x": "1"}), ("x", "1"): at("./x/")})
    data["packageRegistryData"] += [
        7,
        ["y"],
        ["y", 3],
        [
            "y",
            [
                ["1", None],
                ["2", {"packageLocation": 5}],
                ["3", {"packageLocation": "./y/", "packageDependencies": {"a": 1}}],
            ],
        ],
    ]
    root = lay(tmp_path, {".pnp.cjs": yarn_4(data), "x/package.json": package("x")})
    assert set(read_plug_manifest(f"{root}/.pnp.cjs").packages) == {(None, None), ("x", "1"), ("y", "3")}

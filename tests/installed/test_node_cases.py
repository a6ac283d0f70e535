"""What goes wrong with installed npm packages in practice, case by case, on trees that the real managers lay."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from node_managers import NPM, bun, deno, environment, have_npm, pnpm, run, tools, write, yarn

from briefkit.installed.node_entries import entry_of
from briefkit.installed.node_packages import (
    copies,
    describe,
    elsewhere,
    find_package,
    layout_of,
    list_packages,
    types_package,
)
from briefkit.installed.node_tree import tree_of
from briefkit.installed.node_types import find_types
from briefkit.installed.plug_n_play import devirtualised, open_plug_n_play
from briefkit.installed.readable_source import readable_source
from briefkit.installed.source_maps import map_of
from briefkit.versions import semver

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from briefkit.packages import Installed

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not have_npm(), reason="npm is not on this machine")]


LODASH_PATCH = """\
diff --git a/package.json b/package.json
--- a/package.json
+++ b/package.json
@@ -1,4 +1,4 @@
 {
   "name": "lodash",
-  "version": "4.17.20",
+  "version": "4.17.20-patched",
   "description": "Lodash modular utilities.",
"""


def npm(folder: Path, *packages: str, files: Mapping[str, Any] | None = None, flags: tuple[str, ...] = ()) -> str:
    """A project with these packages, laid by npm."""
    write(str(folder), {"package.json": {"name": "root", "version": "1.0.0", "private": True}} | dict(files or {}))
    run([*NPM, *flags, *packages], str(folder))
    return os.path.realpath(folder)


def lay(
    folder: Path,
    command: list[str],
    dependencies: Mapping[str, str],
    files: Mapping[str, Any] | None = None,
    **fields: Any,
) -> str:
    """A project with these dependencies, laid by a command."""
    manifest = {"name": "root", "version": "1.0.0", "private": True, "dependencies": dependencies, **fields}
    write(str(folder), {"package.json": manifest} | dict(files or {}))
    run(command, str(folder))
    return os.path.realpath(folder)


def told(found: Installed | None) -> tuple[str, str | None, str]:
    assert found is not None
    return found.name, found.version, found.kind


def test_a_linked_package_lies_outside_and_has_the_version_of_that_folder(tmp_path: Path) -> None:
    write(str(tmp_path / "linkme"), {"package.json": {"name": "linkme", "version": "0.9.0"}})
    root = npm(tmp_path / "repo", "ms@1.0.0")
    (tmp_path / "global/lib").mkdir(parents=True)
    run(["npm", "link", "../linkme", "--ignore-scripts"], root, NPM_CONFIG_PREFIX=str(tmp_path / "global"))
    found = find_package("linkme", root)
    assert told(found) == ("linkme", "0.9.0", "link")
    assert found is not None
    assert found.root == os.path.realpath(tmp_path / "linkme")


def test_the_disk_is_believed_and_not_the_lockfile(tmp_path: Path) -> None:
    root = npm(tmp_path, "lodash@4.17.20", "left-pad@1.3.0")
    run([*NPM, "--no-save", "lodash@4.17.21"], root)
    assert told(find_package("lodash", root)) == ("lodash", "4.17.21", "registry")
    shutil.rmtree(os.path.join(root, "node_modules", "left-pad"))
    assert "left-pad" in (tmp_path / "node_modules/.package-lock.json").read_text(encoding="utf-8")
    assert find_package("left-pad", root) is None
    assert copies("left-pad", root) == ()


def test_a_bundled_copy_is_not_what_the_root_gets(tmp_path: Path) -> None:
    root = npm(tmp_path, "npm@10.9.0", "semver@7.8.0")
    assert told(find_package("semver", root)) == ("semver", "7.8.0", "registry")
    found = copies("semver", root)
    assert len({each.version for each in found}) == 2
    assert len([each for each in list_packages(root) if "/npm/node_modules/" in each.root]) > 150


def test_a_package_that_another_vendors_is_named_as_vendored_and_not_as_installed(tmp_path: Path) -> None:
    root = npm(tmp_path, "next@14.2.3", flags=("--legacy-peer-deps",))
    for name in ("react", "react-dom", "styled-jsx"):
        shutil.rmtree(os.path.join(root, "node_modules", name), ignore_errors=True)
    assert find_package("react", root) is None
    found = elsewhere("react", root, root)
    assert [each.kind for each in found] == ["vendored"]
    assert found[0].root.endswith("next/dist/compiled/react")


def test_a_sub_path_with_a_manifest_of_its_own_is_of_the_package(tmp_path: Path) -> None:
    root = npm(tmp_path, "rxjs@7.8.2", "preact@10.19.0", "@babel/runtime@7.24.0")
    assert told(find_package("rxjs/operators", root)) == ("rxjs", "7.8.2", "registry")
    assert told(find_package("preact/hooks", root)) == ("preact", "10.19.0", "registry")
    assert told(find_package("@babel/runtime/helpers/esm/extends", root)) == ("@babel/runtime", "7.24.0", "registry")


def test_a_manifest_that_exports_hide_is_read_all_the_same(tmp_path: Path) -> None:
    assert told(find_package("d3", npm(tmp_path, "d3@7.9.0"))) == ("d3", "7.9.0", "registry")


def test_types_are_those_that_stand_for_a_target_and_fit_the_compiler(tmp_path: Path) -> None:
    root = npm(
        tmp_path,
        "cliui@8.0.1",
        "is-plain-object@5.1.0",
        "moment@2.30.1",
        "graphql@16.8.0",
        "@types/node@20.19.43",
        "@babel/code-frame@7.26.2",
        "@types/babel__code-frame@7.0.6",
        "uuid@9.0.1",
        "date-fns@3.6.0",
    )

    def types(name: str, typescript: str = "5.9.3") -> str | None:
        found = find_types(name, None, root, typescript=semver(typescript))
        return None if found is None else os.path.relpath(found.file, f"{root}/node_modules")

    names = ("cliui", "is-plain-object", "moment", "graphql", "@babel/code-frame", "uuid", "date-fns")
    assert {name: types(name) for name in names} == {
        "cliui": "cliui/build/index.d.cts",
        "is-plain-object": "is-plain-object/is-plain-object.d.ts",
        "moment": "moment/ts3.1-typings/moment.d.ts",
        "graphql": "graphql/index.d.ts",
        "@babel/code-frame": "@types/babel__code-frame/index.d.ts",
        "uuid": None,
        "date-fns": "date-fns/index.d.mts",
    }
    assert types("graphql", "3.9.0") == "graphql/NotSupportedTSVersion.d.ts"
    assert types("moment", "2.9.0") == "moment/moment.d.ts"
    assert [types("node", version) for version in ("5.5.4", "5.9.3")] == [
        "@types/node/ts5.6/index.d.ts",
        "@types/node/index.d.ts",
    ]
    assert told(types_package("@babel/code-frame", root)) == ("@types/babel__code-frame", "7.0.6", "registry")


def test_minified_code_is_traced_to_sources_and_what_is_only_in_a_map_is_flagged(tmp_path: Path) -> None:
    root = npm(tmp_path, "preact@10.19.0", "immer@10.1.1", "@angular/core@17.3.12", flags=("--legacy-peer-deps",))
    preact, immer, angular = (find_package(name, root) for name in ("preact", "immer", "@angular/core"))
    assert preact is not None
    assert immer is not None
    assert angular is not None
    found = readable_source(preact, "dist/preact.js")
    assert found is not None
    assert (found.how, "src/create-element.js" in found.files) == ("map", True)
    found = readable_source(immer, "dist/cjs/immer.cjs.production.js")
    assert found is not None
    assert (found.how, all(path.startswith("src/") for path in found.files)) == ("map", True)
    source_map = map_of(tree_of(angular), "fesm2022/core.mjs")
    assert source_map is not None
    assert all(source.path is None and source.text for source in source_map.sources)
    assert source_map.sources[0].written.startswith("../../../../../../packages/")


def test_a_builtin_s_name_is_node_s_and_the_package_needs_a_slash(tmp_path: Path) -> None:
    root = npm(tmp_path, "events@3.3.0")
    assert [(each.kind, each.version) for each in elsewhere("events", root, root)] == [
        ("builtin", None),
        ("registry", "3.3.0"),
    ]
    assert told(find_package("events/", root)) == ("events", "3.3.0", "registry")


def test_pnpm_s_long_peer_folders_patches_and_catalogs(tmp_path: Path) -> None:
    dependencies = {
        "@mui/x-data-grid": "6.20.4",
        "@mui/material": "5.18.0",
        "@mui/system": "5.18.0",
        "@emotion/react": "11.14.0",
        "@emotion/styled": "11.14.0",
        "react": "18.3.1",
        "react-dom": "18.3.1",
        "lodash": "4.17.20",
        "zod": "catalog:",
    }
    settings = "packages:\n  - packages/*\ncatalog:\n  zod: 3.25.76\npatchedDependencies:\n  lodash@4.17.20: patches/lodash.patch\n"
    root = lay(tmp_path, pnpm(), dependencies, {"pnpm-workspace.yaml": settings, "patches/lodash.patch": LODASH_PATCH})
    grid = find_package("@mui/x-data-grid", root)
    assert told(grid) == ("@mui/x-data-grid", "6.20.4", "registry")
    assert grid is not None
    assert grid.root == os.path.realpath(grid.link or "")
    assert told(find_package("zod", root)) == ("zod", "3.25.76", "registry")
    assert told(find_package("lodash", root)) == ("lodash", "4.17.20-patched", "patched")


def test_pnpm_s_injected_member_is_a_copy_of_it(tmp_path: Path) -> None:
    files = {
        "pnpm-workspace.yaml": "packages:\n  - packages/*\ndedupeInjectedDeps: false\n",
        "packages/a/package.json": {"name": "@acme/a", "version": "1.2.3"},
        "packages/b/package.json": {
            "name": "@acme/b",
            "dependencies": {"@acme/a": "workspace:*"},
            "dependenciesMeta": {"@acme/a": {"injected": True}},
        },
    }
    root = lay(tmp_path, pnpm(), {}, files)
    assert told(find_package("@acme/a", f"{root}/packages/b")) == ("@acme/a", "1.2.3", "file")


def test_pnpm_s_global_virtual_store_is_followed_out_of_the_repo(tmp_path: Path) -> None:
    files = {
        "pnpm-workspace.yaml": "packages:\n  - packages/*\nenableGlobalVirtualStore: true\n",
        "packages/a/package.json": {"name": "@acme/a", "dependencies": {"debug": "4.4.3"}},
    }
    for version in (10, 12):
        root = lay(tmp_path / str(version), pnpm(version), {"ms": "2.0.0"}, files)
        debug = find_package("debug", f"{root}/packages/a")
        assert debug is not None
        assert (told(debug), debug.warnings, debug.root.startswith(root)) == (("debug", "4.4.3", "registry"), (), False)
        assert told(find_package("ms", debug.root)) == ("ms", "2.1.3", "registry")


PLUGGED: dict[str, Callable[[], list[str]]] = {
    "yarn 1": lambda: [*yarn(1), "--pnp"],
    "yarn 2": lambda: yarn(2),
    "yarn 3": lambda: yarn(3),
    "yarn 4": yarn,
    "yarn 4, project cache": yarn,
    "yarn 4, data apart": yarn,
    "pnpm": pnpm,
}


@pytest.mark.parametrize("manager", PLUGGED)
def test_plug_n_play_leads_where_its_own_api_leads(tmp_path: Path, manager: str) -> None:
    settings = {
        "yarn 4, project cache": "enableGlobalCache: false\n",
        "yarn 4, data apart": "enableGlobalCache: false\npnpEnableInlining: false\n",
    }
    own = manager.startswith("yarn") and manager != "yarn 1"
    files: dict[str, Any] = {"yarn.lock": ""} if own else {}
    if manager in settings:
        files[".yarnrc.yml"] = settings[manager]
    if manager == "pnpm":
        files |= {"pnpm-workspace.yaml": "packages:\n  - packages/*\n", ".npmrc": "node-linker=pnp\nsymlink=false\n"}
    workspace = "workspace:*" if manager != "yarn 1" else "1.2.3"
    files |= {
        "packages/a/package.json": {"name": "@acme/a", "version": "1.2.3", "dependencies": {"ms": "2.0.0"}},
        "packages/b/package.json": {
            "name": "@acme/b",
            "version": "1.0.0",
            "dependencies": {"@acme/a": workspace, "use-sync-external-store": "1.2.0", "react": "17.0.2"},
        },
    }
    dependencies = {
        "ms": "1.0.0",
        "debug": "4.4.3",
        "lodash": "4.17.20",
        "lodash3": "npm:lodash@3.10.1",
        "react": "18.3.1",
        "react-dom": "18.3.1",
    }
    root = lay(tmp_path, PLUGGED[manager](), dependencies, files, workspaces=["packages/*"])
    layout = layout_of(root)
    assert layout is not None
    assert layout.linker == "pnp"
    plug = open_plug_n_play(layout.evidence)
    names = sorted({name for name, _ in plug.manifest.packages if name is not None} | {"lodash3", "absent"})
    asked = [
        (plug.place(locator), name)
        for locator, each in plug.manifest.packages.items()
        if not each.hidden
        for name in names
    ]
    assert [_place(root, folder, name) for folder, name in asked] == _api(layout.evidence, asked)
    assert told(find_package("lodash3", root)) == ("lodash", "3.10.1", "registry")
    assert told(find_package("react", f"{root}/packages/b")) == (
        "react",
        "18.3.1" if manager == "pnpm" else "17.0.2",
        "registry",
    )


def _place(root: str, folder: str, name: str) -> str | None:
    plug = open_plug_n_play(next(path for path in (f"{root}/.pnp.cjs", f"{root}/.pnp.js") if os.path.exists(path)))
    owner = plug.owner(folder)
    target = None if owner is None else plug.target(name, owner)
    return None if target is None else devirtualised(plug.place(target))


def _api(manifest: str, asked: list[tuple[str, str]]) -> list[str | None]:
    oracle = os.path.join(os.path.dirname(__file__), "..", "..", "benchmarks", "plug_n_play_oracle.cjs")
    lines = "\n".join(json.dumps({"dir": folder, "name": name}) for folder, name in asked)
    done = subprocess.run(
        ["node", oracle, manifest],
        input=lines,
        capture_output=True,
        text=True,
        check=True,
        env=environment(),
        encoding="utf-8",
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_yarn_s_patches_links_portals_and_its_own_compatibility_patches(tmp_path: Path) -> None:
    local = {f"libs/{name}/package.json": {"name": name, "version": "0.0.1"} for name in ("linked", "ported", "filed")}
    dependencies = {
        "lodash": "patch:lodash@npm%3A4.17.20#~/p.patch",
        "typescript": "5.9.3",
        "linked": "link:./libs/linked",
        "ported": "portal:./libs/ported",
        "filed": "file:./libs/filed",
    }
    files = {"yarn.lock": "", ".yarnrc.yml": "enableGlobalCache: false\n", "p.patch": LODASH_PATCH, **local}
    root = lay(tmp_path, yarn(), dependencies, files)
    found = {name: find_package(name, root) for name in dependencies}
    assert {name: told(each) for name, each in found.items()} == {
        "lodash": ("lodash", "4.17.20-patched", "patched"),
        "typescript": ("typescript", "5.9.3", "registry"),
        "linked": ("linked", "0.0.1", "link"),
        "ported": ("ported", "0.0.1", "link"),
        "filed": ("filed", "0.0.1", "file"),
    }
    assert [each and each.inner is not None for each in found.values()] == [True, True, False, False, True]
    typescript = found["typescript"]
    assert typescript is not None
    assert describe(typescript).types[0]["file"].endswith(".zip!/node_modules/typescript/lib/typescript.d.ts")


def test_yarn_1_s_nohoist_keeps_a_package_with_its_member(tmp_path: Path) -> None:
    files = {"packages/a/package.json": {"name": "@acme/a", "version": "1.2.3", "dependencies": {"zod": "3.25.76"}}}
    root = lay(tmp_path, yarn(1), {}, files, workspaces={"packages": ["packages/*"], "nohoist": ["**/zod"]})
    assert told(find_package("zod", f"{root}/packages/a")) == ("zod", "3.25.76", "registry")
    assert find_package("zod", root) is None
    assert [each.warnings for each in elsewhere("zod", root, root)] == [("seen from packages/a, not from here",)]


def test_bun_s_patched_package_is_known_by_its_mark(tmp_path: Path) -> None:
    patch = "diff --git a/index.js b/index.js\n--- a/index.js\n+++ b/index.js\n@@ -1,3 +1,4 @@\n+// patched\n /**\n  * Helpers.\n  */\n"
    files = {"patches/ms@2.0.0.patch": patch, "bunfig.toml": '[install]\nlinker = "isolated"\n'}
    root = lay(tmp_path, bun(), {"ms": "2.0.0"}, files, patchedDependencies={"ms@2.0.0": "patches/ms@2.0.0.patch"})
    assert told(find_package("ms", root)) == ("ms", "2.0.0", "patched")


def test_deno_s_folder_of_links_is_read(tmp_path: Path) -> None:
    manifest = {"nodeModulesDir": "auto", "imports": {"lo": "npm:lodash@4.17.20", "debug": "npm:debug@4.4.3"}}
    write(str(tmp_path), {"deno.json": manifest})
    run(deno(), str(tmp_path))
    root = os.path.realpath(tmp_path)
    layout = layout_of(root)
    assert layout is not None
    assert layout[:2] == ("deno", "isolated")
    debug = find_package("debug", root)
    assert told(debug) == ("debug", "4.4.3", "registry")
    assert debug is not None
    assert told(find_package("ms", debug.root)) == ("ms", "2.1.3", "registry")


@functools.cache
def _oracle() -> str:
    return os.path.join(os.path.dirname(__file__), "..", "..", "benchmarks", "node_oracle.mjs")


def test_entries_and_types_are_those_of_node_and_typescript_on_a_tree_of_some_hundred_packages(tmp_path: Path) -> None:
    root = npm(
        tmp_path,
        "express@4",
        "eslint@8",
        "rxjs@7",
        "@reduxjs/toolkit@2",
        "@types/express@4",
        "cliui@8",
        "vitest@1",
        "@babel/code-frame@7",
    )
    typescript = os.path.join(tools(), "typescript", "lib", "typescript.js")
    names = sorted(
        {
            each.alias or each.name
            for each in list_packages(root)
            if each.root == f"{root}/node_modules/{each.alias or each.name}"
        }
    )
    lines = "\n".join(json.dumps({"dir": root, "name": name, "sub": None}) for name in names)
    command = ["node", "--experimental-import-meta-resolve", "--no-warnings", _oracle(), typescript]
    done = subprocess.run(
        command, input=lines, capture_output=True, text=True, check=True, env=environment(), encoding="utf-8"
    )
    theirs = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(names) > 250
    for name, true in zip(names, theirs, strict=True):
        found = find_package(name, root)
        assert found is not None
        entry = entry_of(found)
        types = find_types(name, None, root, typescript=semver("5.9.3"))
        ours = (found.version, entry and os.path.join(found.root, entry), types and os.path.realpath(types.file))
        assert ours == (true["version"], true["require"], true["types"]), name

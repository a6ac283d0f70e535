"""Trees made to harm: nothing runs, nothing outside the allowed folders is read, and every question ends."""

from __future__ import annotations

import os
import sys
import time
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from node_trees import lay, package
from plug_n_play_forms import at, state, yarn_4, zip_of

from briefkit.errors import UnreadableError
from briefkit.installed import plug_n_play_manifest
from briefkit.installed.files import package_files, read_file
from briefkit.installed.node_entries import entry_of, exported_paths
from briefkit.installed.node_packages import copies, describe, elsewhere, find_package, layout_of, list_packages
from briefkit.installed.node_types import find_types
from briefkit.installed.readable_source import readable_source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECONDS = 60.0  # against what never ends; a loaded machine may be slow
STARTS = (
    "subprocess.",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "os.system",
    "os.startfile",
    "os.fork",
    "pty.",
    "socket.",
    "exec",
    "compile",
    "import",
    "ctypes.",
)


class Watch:
    """What the interpreter was asked for while it is on: files opened, processes started, code compiled."""

    def __init__(self) -> None:
        self.on = False
        self.opened: list[str] = []
        self.started: list[str] = []
        sys.addaudithook(self._seen)

    def _seen(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.on:
            return
        if event == "open" and isinstance(arguments[0], str):
            self.opened.append(arguments[0])
        elif event.startswith(STARTS):
            self.started.append(f"{event} {arguments[0]!r}")


WATCH = Watch()  # a hook cannot be taken out again, so there is one


@pytest.fixture
def watch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watch]:
    """Off at first; what briefkit imports of its own is imported before, so that no code at all may be compiled while it is on."""
    plain = {(None, None): at("./", {"p": "1"}), ("p", "1"): at("./p/")}
    tree = {
        ".pnp.cjs": yarn_4(state(plain)),
        "p/package.json": package("p"),
        "p/index.js": "x" * 600,
        "node_modules/q/package.json": package("q"),
    }
    root = lay(tmp_path_factory.mktemp("plain"), tree)
    zip_of(tmp_path_factory.mktemp("zip") / "z.zip", "z", {})
    everything(root, "p", "q")
    WATCH.opened, WATCH.started = [], []
    yield WATCH
    WATCH.on = False


def everything(root: str, *names: str) -> None:
    """Asks all there is to ask of a tree."""
    layout_of(root)
    for name in names:
        copies(name, root)
        elsewhere(name, root, root)
        found = find_package(name, root)
        find_types(name, None, root)
        find_types(name, "sub/path", root)
        if found is not None:
            describe(found)
            exported_paths(found)
            entry = entry_of(found)
            if entry is not None:
                readable_source(found, entry)
    list_packages(root)


def outside(opened: list[str], root: str) -> list[str]:
    """The files of the test's own folders that were opened and lie outside the tree."""
    base = os.path.dirname(root)
    return [path for path in opened if path.startswith(base) and not os.path.realpath(path).startswith(root + os.sep)]


def test_nothing_in_a_tree_runs_and_no_process_starts(tmp_path: Path, watch: Watch) -> None:
    ran = tmp_path / "ran"
    run = f'require("node:fs").writeFileSync({str(ran)!r}, "")\n'
    root = lay(
        tmp_path / "repo",
        {
            ".pnp.cjs": run + yarn_4(state({(None, None): at("./", {"p": "1"}), ("p", "1"): at("./p/")})),
            ".pnp.loader.mjs": run,
            ".yarnrc.yml": "yarnPath: ./evil.cjs\n",
            "evil.cjs": run,
            "package.json": package("r", scripts={"preinstall": f"touch {ran}", "prepare": f"touch {ran}"}),
            "p/package.json": package("p", main="index.js", scripts={"postinstall": f"touch {ran}"}, bin="cli.js"),
            "p/index.js": run,
            "p/cli.js": f"#!/bin/sh\ntouch {ran}\n",
            "node_modules/q/package.json": package("q", scripts={"install": f"touch {ran}"}),
            "node_modules/q/index.js": run,
            "node_modules/q/binding.gyp": "{}",
        },
    )
    watch.on = True
    everything(root, "p", "q")
    watch.on = False
    assert watch.started == []
    assert not ran.exists()


def test_links_out_of_the_project_are_named_and_not_followed(tmp_path: Path, watch: Watch) -> None:
    outer = {
        "outside/secrets/package.json": package("secrets"),
        "outside/secrets/key.pem": "KEY",
        "outside/file.json": '{"name": "x", "version": "6.6.6"}',
        "outside/bare/key.pem": "KEY",
    }
    lay(tmp_path, outer)
    root = lay(
        tmp_path / "repo",
        {
            ".git/HEAD": "",
            "node_modules/a": {"link": "../../outside/secrets"},
            "node_modules/b": {"link": "../../outside/bare"},
            "node_modules/c": {"link": "/"},
            "node_modules/d": {"link": "../../../../../../../../etc"},
            "node_modules/x/package.json": {"link": "../../../outside/file.json"},
            "node_modules/y/package.json": package("y", main="main.js", types="t.d.ts"),
            "node_modules/y/main.js": {"link": "../../../outside/bare/key.pem"},
            "node_modules/y/t.d.ts": {"link": "../../../outside/bare/key.pem"},
            "node_modules/y/README.md": {"link": "../../../outside/bare/key.pem"},
            "node_modules/y/all": {"link": "../../../outside"},
        },
    )
    watch.on = True
    found = {name: find_package(name, root) for name in "abcdx"}
    base = os.path.realpath(tmp_path)
    assert {name: each and (each.version, each.warnings) for name, each in found.items()} == {
        "a": (None, (f"link escapes: {base}/outside/secrets",)),
        "b": (None, (f"link escapes: {base}/outside/bare",)),
        "c": (None, ("link escapes: /",)),
        "d": (None, ("link escapes: /etc",)),
        "x": (None, ("package.json links out of the package",)),
    }
    y = find_package("y", root)
    assert y is not None
    described = describe(y)
    assert (described.entry, described.types, described.readme) == ({"import": None, "require": None}, (), None)
    for copy, path in (
        (y, "all/secrets/key.pem"),
        (found["a"], "key.pem"),
        (found["b"], "key.pem"),
        (found["d"], "passwd"),
    ):
        assert copy is not None
        with pytest.raises(UnreadableError):
            read_file(copy, path)
    assert [package_files(copy) for copy in (found["a"], found["b"], found["c"]) if copy is not None] == [(), (), ()]
    everything(root, "a", "b", "c", "d", "x", "y")
    watch.on = False
    assert [path for path in outside(watch.opened, root) if not path.endswith("package.json")] == []


def test_loops_of_links_end(tmp_path: Path) -> None:
    root = lay(
        tmp_path,
        {
            "node_modules/a": {"link": "b"},
            "node_modules/b": {"link": "a"},
            "node_modules/@s": {"link": "@s"},
            "node_modules/p/package.json": package("p", main="m.js", exports={"./*": "./*"}),
            "node_modules/p/m.js": {"link": "m.js"},
            "node_modules/p/up": {"link": ".."},
            "node_modules/p/node_modules": {"link": "../../node_modules"},
            **{f"node_modules/h{n}": {"link": f"h{n + 1}"} for n in range(60)},
        },
    )
    everything(root, "a", "b", "@s/x", "p", "h0")
    assert [each.name for each in list_packages(root)] == ["p"]


def test_special_files_and_folders_in_place_of_files_are_never_opened(tmp_path: Path) -> None:
    root = lay(
        tmp_path,
        {
            "node_modules/d/package.json/x": "",
            "node_modules/p/package.json": package("p", main="pipe"),
            "node_modules/.modules.yaml/x": "",
        },
    )
    os.makedirs(f"{root}/node_modules/f")
    os.mkfifo(f"{root}/node_modules/f/package.json")
    os.mkfifo(f"{root}/node_modules/p/pipe")
    os.mkfifo(f"{root}/node_modules/p/README.md")
    os.mkfifo(f"{root}/.pnp.cjs")
    os.mkfifo(f"{root}/pnpm-workspace.yaml")
    found = {name: find_package(name, root) for name in "dfp"}
    assert {name: each and each.warnings for name, each in found.items()} == {
        "d": ("package.json cannot be read: a directory, not a file",),
        "f": ("package.json cannot be read: a FIFO, not a file",),
        "p": (),
    }
    everything(root, "d", "f", "p")


def test_a_folder_that_may_not_be_read_is_no_package(tmp_path: Path) -> None:
    root = lay(tmp_path, {"node_modules/p/package.json": package("p")})
    os.chmod(f"{root}/node_modules/p", 0)
    try:
        everything(root, "p")
    finally:
        os.chmod(f"{root}/node_modules/p", 0o755)


def test_a_manifest_over_its_bound_is_a_warning(tmp_path: Path) -> None:
    root = lay(tmp_path, {"node_modules/p/package.json": " " * (8 << 20) + "{}"})
    found = find_package("p", root)
    assert found is not None
    assert found.warnings == (
        "package.json cannot be read: file has 8,388,610 bytes, more than the 8,388,608 that are read",
    )


def test_a_map_of_exports_with_very_many_entries_is_read_in_bounded_time(tmp_path: Path) -> None:
    exports = {f"./a{n}/*": f"./lib/{n}/*.js" for n in range(5_000)}
    root = lay(
        tmp_path,
        {
            "node_modules/p/package.json": package("p", exports=exports),
            **{f"node_modules/p/lib/{n}/x.js": "" for n in range(50)},
        },
    )
    start = time.monotonic()
    found = find_package("p", root)
    assert found is not None
    assert len(exported_paths(found)) == 50
    assert entry_of(found, "a7/x") == "lib/7/x.js"
    assert time.monotonic() - start < SECONDS


def test_patterns_that_would_backtrack_do_not(tmp_path: Path) -> None:
    stars = "./" + "*a" * 40 + "*"
    deep = "/".join("a" * 30)
    root = lay(
        tmp_path,
        {
            "node_modules/p/package.json": package("p", exports={"./*": stars}, workspaces=["**/" * 40 + "x"]),
            f"node_modules/p/{deep}/b": "",
        },
    )
    start = time.monotonic()
    everything(root, "p")
    assert time.monotonic() - start < SECONDS


def test_of_a_manifest_of_plug_n_play_no_more_packages_are_read_than_the_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert plug_n_play_manifest.PACKAGES_LIMIT == 200_000
    monkeypatch.setattr(plug_n_play_manifest, "PACKAGES_LIMIT", 1_000)
    many = ",".join(f'["{n}",{{"packageLocation":"./x/"}}]' for n in range(1_001))
    text = f'{{"packageRegistryData": [[null, [[null, {{"packageLocation": "./"}}]]], ["x", [{many}]]]}}'
    root = lay(tmp_path, {".pnp.cjs": f"const RAW_RUNTIME_STATE =\n'{text}';", "x/package.json": package("x")})
    assert len(plug_n_play_manifest.read_plug_manifest(f"{root}/.pnp.cjs").packages) == 1_000
    assert find_package("x", root) is None


def test_places_of_plug_n_play_outside_the_project_are_believed_only_as_packages_of_that_name(
    tmp_path: Path, watch: Watch
) -> None:
    lay(
        tmp_path,
        {
            "outside/package.json": package("other"),
            "cache/node_modules/ok/package.json": package("ok", "1.1.1"),
            "portal/package.json": package("portal", "3.0.0"),
        },
    )
    zip_of(tmp_path / "cache/z.zip", "z", {"package.json": package("z", "2.2.2")})
    packages = {
        (None, None): at("./", dict.fromkeys(("etc", "out", "ok", "z", "zout", "portal", "up"), "1")),
        ("etc", "1"): at("/etc/"),
        ("out", "1"): at("../outside/"),
        ("ok", "1"): at("../cache/node_modules/ok/"),
        ("z", "1"): at("../cache/z.zip/node_modules/z/"),
        ("zout", "1"): at("../cache/z.zip/../../../etc/"),
        ("portal", "1"): at("../portal/", linkType="SOFT"),
        ("up", "1"): at("./.yarn/__virtual__/up-virtual-ab/999/etc/"),
    }
    root = lay(tmp_path / "repo", {".pnp.cjs": yarn_4(state(packages))})
    found = {
        name: find_package(name, root)
        for name in packages[None, None]["packageDependencies"]
        and [each[0] for each in packages[None, None]["packageDependencies"]]
    }
    base = os.path.realpath(tmp_path)
    assert {name: each and (each.version, each.warnings) for name, each in found.items()} == {
        "etc": (None, ("location escapes: /etc",)),
        "out": (None, (f"location escapes: {base}/outside",)),
        "ok": ("1.1.1", ()),
        "z": ("2.2.2", ()),
        "zout": None,
        "portal": ("3.0.0", (f"link leaves the project: {base}/portal",)),
        "up": (None, ("location escapes: /etc",)),
    }
    for name in ("etc", "out", "up"):
        copy = found[name]
        assert copy is not None
        assert package_files(copy) == ()
        with pytest.raises(UnreadableError):
            read_file(copy, "passwd")
        assert describe(copy).files == 0
    everything(root, "out")
    watch.on = False
    assert {os.path.basename(path) for path in outside(watch.opened, root)} <= {"package.json", "z.zip"}


def test_a_zip_bomb_a_broken_zip_and_names_that_leave_a_zip_are_not_read(tmp_path: Path) -> None:
    bomb = tmp_path / "repo/.yarn/cache/bomb.zip"
    bomb.parent.mkdir(parents=True)
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("node_modules/bomb/package.json", '{"name": "bomb", "version": "1.0.0"}')
        archive.writestr("node_modules/bomb/index.js", b"\0" * (6 << 20))
        archive.writestr("node_modules/bomb/../../../evil.js", "x")
        archive.writestr("/node_modules/bomb/abs.js", "x")
        link = zipfile.ZipInfo("node_modules/bomb/link.js")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    (bomb.parent / "broken.zip").write_bytes(b"PK\x03\x04" + b"\0" * 100)
    packages = {
        (None, None): at("./", {"bomb": "1", "broken": "1"}),
        ("bomb", "1"): at("./.yarn/cache/bomb.zip/node_modules/bomb/"),
        ("broken", "1"): at("./.yarn/cache/broken.zip/node_modules/broken/"),
    }
    root = lay(tmp_path / "repo", {".pnp.cjs": yarn_4(state(packages))})
    everything(root, "bomb", "broken")
    found = find_package("bomb", root)
    assert found is not None
    assert found.version == "1.0.0"
    for path, reason in (
        ("index.js", "packed like a zip bomb"),
        ("../../../evil.js", "no such file"),
        ("link.js", "no such file"),
    ):
        with pytest.raises(UnreadableError, match=reason):
            read_file(found, path)
    broken = find_package("broken", root)
    assert broken is not None
    assert (broken.version, broken.warnings) == (None, ("the zip holds no such package",))


def test_lying_names_stay_names_and_never_become_paths(tmp_path: Path) -> None:
    lies = [
        "../../etc",
        "/etc",
        "a/b/c",
        "\u202egnp.js",
        "x\nname",
        "",
        "node_modules",
        ".",
        "a" * 10_000,
        7,
        None,
        {"a": 1},
    ]
    root = lay(
        tmp_path, {f"node_modules/p{n}/package.json": {"name": lie, "version": lie} for n, lie in enumerate(lies)}
    )
    for n, lie in enumerate(lies):
        found = find_package(f"p{n}", root)
        assert found is not None
        assert (found.name, found.alias, found.root) == (f"p{n}", None, f"{root}/node_modules/p{n}"), lie
        assert found.version is None or (len(found.version) <= 128 and found.version.isprintable())
    everything(root, *(f"p{n}" for n in range(len(lies))))


def test_a_tree_much_deeper_than_any_real_one_ends(tmp_path: Path) -> None:
    root = lay(tmp_path, {"node_modules/p/package.json": package("p"), f"node_modules/p/{'d/' * 400}x.js": ""})
    start = time.monotonic()
    everything(root, "p")
    assert time.monotonic() - start < SECONDS

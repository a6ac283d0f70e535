"""Locating npm packages on an open project, against the commands that people and agents run for the same answer.

A ratio is the command's time over ours, so that 1,000 means a thousand times faster; the commands are timed as whole processes, as
they are run, ours as one more call in a process that answers many.
"""

from __future__ import annotations

import functools
import itertools
import os
import shutil
import subprocess
import sys
import time
from statistics import median
from typing import TYPE_CHECKING

from benchmarks import node_trees
from benchmarks.harness import Row
from briefkit.installed.node_packages import copies, describe, find_package
from briefkit.installed.node_types import types_of
from briefkit.installed.plug_n_play import open_plug_n_play
from briefkit.installed.plug_n_play_manifest import read_plug_manifest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from briefkit.packages import Installed

BENCH = "locate_node"
NAMES = ("express", "sequelize", "rxjs", "preact", "lodash3", "eslint")
REQUIRE = "console.log(require.resolve({name!r}))"


def rows(quick: bool) -> list[Row]:
    """The figures; a quick run asks a small tree, and none of Yarn's."""
    if shutil.which("npm") is None:
        print("npm is not on this machine: locate_node is skipped", file=sys.stderr)
        return []
    tree = node_trees.npm_tree(large=not quick)
    repeats = 2 if quick else 5
    listed = command_seconds(lambda name: ["npm", "ls", name], tree, repeats)
    required = command_seconds(lambda name: ["node", "-e", REQUIRE.format(name=name)], tree, repeats)
    case = f"npm, {len(os.listdir(os.path.join(tree, 'node_modules')))} entries in node_modules"
    found = call_seconds(lambda name: find_package(name, tree))
    located = call_seconds(lambda name: located_and_described(name, tree))
    all_copies = call_seconds(lambda name: copies(name, tree, ()))
    types = call_seconds(lambda name: types_of(name, None, tree))
    table = [
        Row(BENCH, case, "`npm ls NAME` / find one more package", "s", listed, found, ">= 1000"),
        Row(BENCH, case, "`node -e require.resolve` / find one more package", "s", required, found, ">= 50"),
        Row(
            BENCH,
            case,
            "`npm ls NAME` / find and describe (entries, types, documents)",
            "s",
            listed,
            located,
            ">= 1000",
        ),
        Row(BENCH, case, "`npm ls NAME` / all copies", "s", listed, all_copies),
        Row(BENCH, case, "`node -e require.resolve` / types of a package", "s", required, types),
    ]
    return table if quick else [*table, *pnpm_rows(repeats), *plug_n_play_rows(repeats)]


def pnpm_rows(repeats: int) -> list[Row]:
    """The same on pnpm's tree, against pnpm."""
    tree = node_trees.pnpm_tree()
    pnpm = os.path.join(node_trees.tools(), "node_modules", "pnpm", "bin", "pnpm.cjs")
    why = command_seconds(lambda name: ["node", pnpm, "why", name], tree, repeats)
    found = call_seconds(lambda name: find_package(name, tree))
    case = f"pnpm, {len(os.listdir(os.path.join(tree, 'node_modules', '.pnpm')))} entries in its store"
    return [Row(BENCH, case, "`pnpm why NAME` / find one more package", "s", why, found, ">= 1000")]


def plug_n_play_rows(repeats: int) -> list[Row]:
    """The same on a Plug'n'Play project: the manifest read once, then questions."""
    tree = node_trees.plug_n_play_project()
    manifest = os.path.join(tree, ".pnp.cjs")
    start = time.perf_counter()
    plug = open_plug_n_play(manifest)
    first = time.perf_counter() - start
    command = ["node", "-r", manifest, "-e"]
    required = command_seconds(lambda name: [*command, REQUIRE.format(name=name)], tree, repeats)
    reads = [_timed(functools.partial(read_plug_manifest, manifest)) for _ in range(repeats)]
    found = call_seconds(lambda name: find_package(name, tree))
    case = f"Plug'n'Play, {len(plug.manifest.packages)} packages, manifest of {os.path.getsize(manifest) / 1e6:.1f} MB"
    return [
        Row(BENCH, case, "reading the manifest", "s", median(reads)),
        Row(BENCH, case, "`node -r .pnp.cjs` require.resolve / first question", "s", required, first + found),
        Row(BENCH, case, "`node -r .pnp.cjs` require.resolve / one more package", "s", required, found, ">= 50"),
    ]


def located_and_described(name: str, tree: str) -> Installed | None:
    """What `locate` needs of a package."""
    found = find_package(name, tree)
    if found is not None:
        describe(found)
    return found


def command_seconds(command: Callable[[str], Sequence[str]], tree: str, repeats: int) -> float:
    """Median seconds of a whole process that answers for one name."""
    times = []
    for name in itertools.islice(itertools.cycle(NAMES), repeats):
        start = time.perf_counter()
        subprocess.run(command(name), cwd=tree, capture_output=True, check=True)
        times.append(time.perf_counter() - start)
    return median(times)


def call_seconds(call: Callable[[str], object]) -> float:
    """Median seconds of one call in a process that has answered for other names before."""
    for name in NAMES[:2]:
        call(name)
    return median(_timed(functools.partial(call, name)) for _ in range(15) for name in NAMES)


def _timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start

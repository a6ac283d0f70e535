"""Locating npm packages on an open project, against the commands that people and agents run for the same answer.

A ratio is the command's time over ours, so that 1,000 means a thousand times faster; the commands are timed as whole processes, as
they are run, ours as one more call in a process that answers many.
"""

from __future__ import annotations

import functools
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
    from collections.abc import Callable, Mapping, Sequence

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
    times = measured(
        tree,
        repeats,
        {"npm ls": lambda name: ["npm", "ls", name], "require": lambda name: ["node", "-e", REQUIRE.format(name=name)]},
        {
            "find": lambda name: find_package(name, tree),
            "describe": lambda name: located_and_described(name, tree),
            "copies": lambda name: copies(name, tree, ()),
            "types": lambda name: types_of(name, None, tree),
        },
    )
    listed, required = times["npm ls"], times["require"]
    case = f"npm, {len(os.listdir(os.path.join(tree, 'node_modules')))} entries in node_modules"
    table = [
        Row(BENCH, case, "`npm ls NAME` / find one more package", "s", listed, times["find"], ">= 1000"),
        Row(BENCH, case, "`node -e require.resolve` / find one more package", "s", required, times["find"], ">= 50"),
        Row(
            BENCH,
            case,
            "`npm ls NAME` / find and describe (entries, types, documents)",
            "s",
            listed,
            times["describe"],
            None if quick else ">= 1000",
        ),
        Row(BENCH, case, "`npm ls NAME` / all copies", "s", listed, times["copies"]),
        Row(BENCH, case, "`node -e require.resolve` / types of a package", "s", required, times["types"]),
    ]
    return table if quick else [*table, *pnpm_rows(repeats), *plug_n_play_rows(repeats)]


def pnpm_rows(repeats: int) -> list[Row]:
    """The same on pnpm's tree, against pnpm."""
    tree = node_trees.pnpm_tree()
    pnpm = os.path.join(node_trees.tools(), "node_modules", "pnpm", "bin", "pnpm.cjs")
    commands = {"why": lambda name: ["node", pnpm, "why", name]}
    times = measured(tree, repeats, commands, {"find": lambda name: find_package(name, tree)})
    case = f"pnpm, {len(os.listdir(os.path.join(tree, 'node_modules', '.pnpm')))} entries in its store"
    return [Row(BENCH, case, "`pnpm why NAME` / find one more package", "s", times["why"], times["find"], ">= 1000")]


def plug_n_play_rows(repeats: int) -> list[Row]:
    """The same on a Plug'n'Play project: the manifest read once, then questions."""
    tree = node_trees.plug_n_play_project()
    manifest = os.path.join(tree, ".pnp.cjs")
    start = time.perf_counter()
    plug = open_plug_n_play(manifest)
    first = time.perf_counter() - start
    commands = {"require": lambda name: ["node", "-r", manifest, "-e", REQUIRE.format(name=name)]}
    calls = {"find": lambda name: find_package(name, tree), "read": lambda _name: read_plug_manifest(manifest)}
    times = measured(tree, repeats, commands, calls)
    required, found = times["require"], times["find"]
    case = f"Plug'n'Play, {len(plug.manifest.packages)} packages, manifest of {os.path.getsize(manifest) / 1e6:.1f} MB"
    return [
        Row(BENCH, case, "reading the manifest", "s", times["read"]),
        Row(BENCH, case, "`node -r .pnp.cjs` require.resolve / first question", "s", required, first + found),
        Row(BENCH, case, "`node -r .pnp.cjs` require.resolve / one more package", "s", required, found, ">= 50"),
    ]


def located_and_described(name: str, tree: str) -> Installed | None:
    """What `locate` needs of a package."""
    found = find_package(name, tree)
    if found is not None:
        describe(found)
    return found


def measured(
    tree: str,
    repeats: int,
    commands: Mapping[str, Callable[[str], Sequence[str]]],
    calls: Mapping[str, Callable[[str], object]],
) -> dict[str, float]:
    """Median seconds of each command as a whole process and of each call, in turn, so that a loaded machine slows both."""
    times: dict[str, list[float]] = {key: [] for key in (*commands, *calls)}
    for call in calls.values():
        call(NAMES[0])
    for number in range(repeats):
        for key, command in commands.items():
            line = command(NAMES[number % len(NAMES)])
            run = functools.partial(subprocess.run, line, cwd=tree, capture_output=True, check=True)
            times[key].append(_timed(run))
        for key, call in calls.items():
            times[key] += [_timed(functools.partial(call, name)) for name in NAMES]
    return {key: median(values) for key, values in times.items()}


def _timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start

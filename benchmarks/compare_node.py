"""What is located among npm packages, held against the resolvers and managers that run the code.

    python -m benchmarks.compare_node [--tree DIR]… [--plug-n-play FILE]… [--typescript FILE]

Every installed copy of every package is asked for from where it is visible, and some sub-paths of each: folder, version and entry points
against Node, types against TypeScript's `bundler` resolution, the list of all copies against `npm ls`, Plug'n'Play against its own API.
Without a tree, three of 2,000 packages and more are laid first, by npm, pnpm and Yarn. Prints a table, and every difference to standard
error; exits 1 where a share is under its goal.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

from benchmarks import node_trees
from briefkit.installed.node_entries import IMPORT, REQUIRE, entry_of, exported_paths
from briefkit.installed.node_finding import find_package
from briefkit.installed.node_layout import NODE_MODULES
from briefkit.installed.node_listing import list_packages, names_in, reachable_trees
from briefkit.installed.node_types import find_types
from briefkit.installed.plug_n_play import PlugNPlay, devirtualised, open_plug_n_play
from briefkit.versions import semver

if TYPE_CHECKING:
    from collections.abc import Iterator

    from briefkit.packages import Installed

ORACLE = os.path.join(os.path.dirname(__file__), "node_oracle.mjs")
GOALS = {"root": 1.0, "version": 1.0, "require": 1.0, "import": 1.0, "types": 0.999}
SUB_PATHS = 6


class Question(NamedTuple):
    """An import as code in `dir` writes it."""

    dir: str
    name: str
    sub: str | None


def questions(root: str) -> Iterator[Question]:
    """Each name of each `node_modules` folder of the tree, asked for from the folder that holds it; then some of its sub-paths."""
    for modules in reachable_trees(root):
        folder = os.path.dirname(modules)
        for name in names_in(modules):
            found = find_package(name, folder)
            if found is not None:
                yield Question(folder, name, None)
                for sub in sub_paths(found):
                    yield Question(folder, name, sub)


def sub_paths(found: Installed) -> list[str]:
    """A few sub-paths of a package, spread over all that it has."""
    paths = [path.sub_path[2:] for path in exported_paths(found) if path.sub_path != "."]
    step = max(1, len(paths) // SUB_PATHS)
    return paths[::step][:SUB_PATHS]


def answer(question: Question, typescript: str) -> dict[str, str | None]:
    """Briefkit's answers to a question, in the oracle's form."""
    found = find_package(question.name, question.dir)
    if found is None:
        return dict.fromkeys(GOALS)
    types = find_types(question.name, question.sub, question.dir, typescript=semver(typescript))
    entries = {
        key: entry_of(found, question.sub, conditions=way) for key, way in (("require", REQUIRE), ("import", IMPORT))
    }
    files = {
        key: None if path is None else os.path.realpath(os.path.join(found.root, path)) for key, path in entries.items()
    }
    return {
        "root": found.root,
        "version": found.version,
        **files,
        "types": None if types is None else os.path.realpath(types.file),
    }


def oracle(asked: list[Question], typescript: str) -> list[dict[str, str | None]]:
    """The resolvers' answers to all questions."""
    lines = "\n".join(json.dumps(question._asdict()) for question in asked)
    command = ["node", "--experimental-import-meta-resolve", "--no-warnings", ORACLE, typescript]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True, encoding="utf-8")
    return [json.loads(line) for line in done.stdout.splitlines()]


def compare(root: str, typescript: str, limit: int | None = None) -> bool:
    """Whether a tree's shares all reach their goals; prints them, and every difference to standard error."""
    asked = list(questions(root))[:limit]
    with open(os.path.join(os.path.dirname(typescript), "..", "package.json"), encoding="utf-8") as manifest:
        version = json.load(manifest)["version"]
    start = time.perf_counter()
    ours = [answer(question, version) for question in asked]
    seconds = time.perf_counter() - start
    theirs = oracle(asked, typescript)
    print(
        f"{root}: {len(list_packages(root))} copies, {len(asked)} questions, {seconds / len(asked) * 1e3:.2f} ms each"
    )
    reached = True
    for key, goal in GOALS.items():
        pairs = [(question, mine[key], true[key]) for question, mine, true in zip(asked, ours, theirs, strict=True)]
        if key == "import":
            pairs = [pair for pair, true in zip(pairs, theirs, strict=True) if not true["builtin"]]
        wrong = [pair for pair in pairs if pair[1] != pair[2]]
        share = 1 - len(wrong) / len(pairs)
        reached = reached and share >= goal
        print(f"  {key:8} {len(pairs) - len(wrong)}/{len(pairs)} {share:.4%} goal {goal:.1%}")
        for question, mine, true in wrong:
            print(f"{key}: {question} briefkit {mine} resolver {true}", file=sys.stderr)
    return reached


def compare_plug_n_play(path: str) -> bool:
    """Whether every name asked for from every package of a manifest leads where its own API says; prints the share."""
    plug = open_plug_n_play(path)
    names = sorted({name for name, _ in plug.manifest.packages if name is not None})
    asked: list[tuple[str, str]] = []
    for number, (locator, package) in enumerate(plug.manifest.packages.items()):
        if not package.hidden:
            near = [*package.dependencies, *names[number % 7 :: max(1, len(names) // 5)], "no-such-package"]
            asked += [(plug.place(locator), name) for name in dict.fromkeys(near)]
    start = time.perf_counter()
    ours = [_plugged(plug, place, name) for place, name in asked]
    seconds = time.perf_counter() - start
    lines = "\n".join(json.dumps({"dir": place, "name": name}) for place, name in asked)
    command = ["node", os.path.join(os.path.dirname(__file__), "plug_n_play_oracle.cjs"), path]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True, encoding="utf-8")
    theirs = [json.loads(line) for line in done.stdout.splitlines()]
    wrong = [each for each in zip(asked, ours, theirs, strict=True) if each[1] != each[2]]
    print(f"{path}: {len(plug.manifest.packages)} packages, {seconds / len(asked) * 1e3:.3f} ms each")
    print(f"  places   {len(asked) - len(wrong)}/{len(asked)} {1 - len(wrong) / len(asked):.4%} goal 100.0%")
    for each in wrong:
        print(f"pnp: {each}", file=sys.stderr)
    return not wrong


def _plugged(plug: PlugNPlay, place: str, name: str) -> str | None:
    owner = plug.owner(place)
    target = None if owner is None else plug.target(name, owner)
    return None if target is None else devirtualised(plug.place(target))


def compare_copies(root: str) -> bool:
    """Whether the list of all copies is the one `npm ls` gives; True where npm did not lay the tree."""
    if not os.path.exists(os.path.join(root, NODE_MODULES, ".package-lock.json")):
        return True
    done = subprocess.run(
        ["npm", "ls", "--all", "--parseable"], cwd=root, capture_output=True, text=True, check=False, encoding="utf-8"
    )
    theirs = {os.path.realpath(line) for line in done.stdout.splitlines()} - {os.path.realpath(root)}
    ours = {each.root for each in list_packages(root)}
    print(
        f"  copies   {len(ours & theirs)}/{len(ours | theirs)} {len(ours & theirs) / len(ours | theirs):.4%} goal 100.0%"
    )
    for each in sorted(ours ^ theirs):
        print(f"copies: {each} {'only npm ls' if each in theirs else 'only briefkit'}", file=sys.stderr)
    return ours == theirs


def main() -> int:
    """Compares the trees asked for; 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", action="append", default=[], help="a folder that holds node_modules (repeatable)")
    parser.add_argument("--plug-n-play", action="append", default=[], help="a .pnp.cjs or .pnp.js (repeatable)")
    parser.add_argument("--typescript", help="the typescript.js to ask")
    parser.add_argument("--limit", type=int, help="ask only so many questions of a tree")
    options = parser.parse_args()
    trees, manifests = options.tree, options.plug_n_play
    if not trees and not manifests:
        trees = [node_trees.npm_tree(large=True), node_trees.pnpm_tree()]
        manifests = [os.path.join(node_trees.plug_n_play_project(), ".pnp.cjs")]
    typescript = options.typescript or (node_trees.typescript() if trees else "")
    reached = []
    for tree in map(os.path.abspath, trees):
        reached += [compare(tree, typescript, options.limit), compare_copies(tree)]
    reached += [compare_plug_n_play(os.path.abspath(path)) for path in manifests]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    raise SystemExit(main())

"""The managers of npm's world write the samples' lockfiles anew; what they list is what is read. Needs npm, git and a registry."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from node_lockfile_managers import ALL, Laid, Sample, lay_sample, registry_address

from briefkit.lockfiles.files import read_lockfile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("npm") or not shutil.which("git"), reason="needs npm and git"),
]

Pairs = set[tuple[str, str]]
_VERSION = re.compile(r"\d+\.\d+\.\d+[\w.+-]*")


def _npm_tree(node: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, child in node.get("dependencies", {}).items():
        if "version" in child and not str(child.get("resolved", "")).startswith("file:"):
            yield name, child["version"]
        yield from _npm_tree(child)


def _npm(laid: Laid) -> Pairs:
    """By name or alias: `npm ls` knows an entry under the name it is installed as; it lists a link once only with where it leads."""
    own = {"@shop/web", "@shop/api", "local"}
    judge = laid._replace(sample=laid.sample._replace(manager="npm@11"))
    done = judge.run("ls", "--all", "--json", "--package-lock-only")
    return {pair for pair in _npm_tree(json.loads(done.stdout)) if pair[0] not in own}


def _pnpm_tree(node: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for group in ("dependencies", "devDependencies", "optionalDependencies"):
        for child in node.get(group, {}).values():
            yield child["from"], child["version"]
            yield from _pnpm_tree(child)


def _pnpm(laid: Laid) -> Pairs:
    """By real name; what has an address for a version is left out."""
    lockfile_only = ("--lockfile-only",) if laid.sample.manager.startswith("pnpm@12") else ()
    if not lockfile_only:
        laid.run("install", "--ignore-scripts", "--no-frozen-lockfile")
    done = laid.run("list", "-r", "--depth", "Infinity", "--json", *lockfile_only)
    pairs = {pair for node in json.loads(done.stdout) for pair in _pnpm_tree(node)}
    return {(name, version) for name, version in pairs if _VERSION.fullmatch(version)}


def _yarn_classic(laid: Laid) -> Pairs:
    """By name or alias."""

    def walk(trees: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
        for tree in trees:
            if not tree.get("shadow"):
                name, _, version = tree["name"].rpartition("@")
                yield name, version
                yield from walk(tree["children"])

    tree = json.loads(laid.run("list", "--json").stdout.splitlines()[0])
    return {pair for pair in walk(tree["data"]["trees"]) if not pair[0].startswith("@shop/")}


def _yarn_berry(laid: Laid) -> Pairs:
    """By real name."""
    rows = [
        json.loads(line) for line in laid.run("info", "-A", "-R", "--json").stdout.splitlines() if line.startswith("{")
    ]
    found = set()
    for row in rows:
        name = row["value"][: row["value"].find("@", 1)]
        if not re.search(r"@(?:virtual:[0-9a-f]+#)?(?:workspace|link|portal):", row["value"]):
            found.add((name, row["children"]["Version"]))
    return found


def _bun(laid: Laid) -> Pairs:
    """By name or alias; what has an address for a version is left out."""
    laid.run("install", "--ignore-scripts")
    listed = re.findall(r"── (\S+)@(\S+)", laid.run("pm", "ls", "--all").stdout)
    return {(name, version) for name, version in listed if _VERSION.fullmatch(version)}


LISTINGS: dict[str, tuple[Callable[[Laid], Pairs], bool]] = {
    "npm": (_npm, True), "pnpm": (_pnpm, False), "yarn-classic": (_yarn_classic, True), "yarn-berry": (_yarn_berry, False),
    "bun": (_bun, True),
}  # fmt: skip
"""How each manager lists, and whether under the name that something is installed as."""

NOT_LISTED = {
    "npm/hidden": "npm lists from the tree, not from the hidden lockfile",
    "npm/v0-shrinkwrap": "its manager does not list without a tree",
    "pnpm/v5.4-pnpm7": "its manager cannot install from a git repository on this disk",
}
NOT_COMPARED = {"fsevents", "local", "thing", "leftpad"}
"""What is not installed here, and what has no version in some formats; the tables of the samples have them."""


@pytest.mark.parametrize(
    "sample", [each for each in ALL if each.folder not in NOT_LISTED], ids=lambda each: each.folder
)
def test_what_is_read_is_what_the_manager_lists(sample: Sample, tmp_path: Path) -> None:
    laid = lay_sample(sample, str(tmp_path), registry_address())
    laid.written()
    reading = read_lockfile(f"{laid.directory}/{sample.written}")
    listing, by_installed_name = LISTINGS[reading.format]
    expected = listing(laid)
    found = {
        (name, package.version)
        for package in reading.packages
        if package.version and package.source.kind not in ("workspace", "link")
        for name in (package.aliases if by_installed_name and package.aliases else (package.name,))
    }
    assert {pair for pair in found if pair[0] not in NOT_COMPARED} == {
        pair for pair in expected if pair[0] not in NOT_COMPARED
    }

"""A workspace that the real managers lay: what each of them lists for a member is what resolve answers there."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest
from node_managers import NPM, have_npm, pnpm, run, write, yarn
from project_samples import project_at
from python_layers import uv

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

MEMBERS = (".", "packages/web", "packages/api", "packages/tool")
LISTED = dict[str, tuple[dict[str, str], dict[str, set[str]]]]
"""member -> what it declares (name or alias -> version), and every version it reaches by real name."""

npm_only = pytest.mark.skipif(not have_npm(), reason="needs npm and a registry")


def manifests(sibling: str) -> dict[str, Any]:
    """A monorepo with aliases, versions that differ, an optional package for another platform, a peer and siblings."""
    return {
        ".git/HEAD": "",
        "package.json": json.dumps(
            {
                "name": "mono",
                "private": True,
                "workspaces": ["packages/*"],
                "devDependencies": {"eslint": "8.57.0"},
                "dependencies": {"semver": "7.6.0"},
            }
        ),
        "packages/web/package.json": json.dumps(
            {
                "name": "@m/web",
                "version": "1.0.0",
                "dependencies": {
                    "react": "18.3.1",
                    "chalk": "4.1.2",
                    "strip": "npm:strip-ansi@6.0.1",
                    "semver": "6.3.1",
                },
                "devDependencies": {"mocha": "10.4.0", "@m/tool": sibling},
            }
        ),
        "packages/api/package.json": json.dumps(
            {
                "name": "@m/api",
                "version": "1.0.0",
                "dependencies": {"express": "4.19.2", "debug": "4.3.4", "react": "17.0.2", "semver": "5.7.2"},
                "optionalDependencies": {"fsevents": "2.3.3"},
            }
        ),
        "packages/tool/package.json": json.dumps(
            {"name": "@m/tool", "version": "1.0.0", "dependencies": {"yargs": "17.7.2", "@m/api": sibling}}
        ),
    }


def npm_lists(folder: str) -> LISTED:
    tree = json.loads(run(["npm", "ls", "--all", "--json", "--long"], folder))
    whole: dict[str, dict[str, Any]] = {}

    def index(node: dict[str, Any]) -> None:
        for child in node.get("dependencies", {}).values():
            known = whole.get(os.path.realpath(child.get("path", folder)), {})
            if len(child.get("dependencies", {})) >= len(known.get("dependencies", {})):
                whole[os.path.realpath(child.get("path", folder))] = child
            index(child)

    def reached(node: dict[str, Any]) -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        seen, pending = set(), [node]
        while pending:
            for name, child in pending.pop().get("dependencies", {}).items():
                if "version" in child and not child.get("missing"):
                    found[child.get("name", name)].add(child["version"])
                    if child["path"] not in seen:
                        seen.add(child["path"])
                        pending.append(whole[os.path.realpath(child["path"])])
        return found

    index(tree)
    nodes = {member: tree if member == "." else whole[os.path.join(folder, member)] for member in MEMBERS}
    return {member: (declared_by(folder, member), reached(node)) for member, node in nodes.items()}


def pnpm_lists(folder: str) -> LISTED:
    listed = json.loads(run([*pnpm()[:2], "ls", "-r", "--json", "--depth", "Infinity"], folder))

    def reached(node: dict[str, Any], found: dict[str, set[str]]) -> dict[str, set[str]]:
        for group in ("dependencies", "devDependencies", "optionalDependencies"):
            for child in node.get(group, {}).values():
                if not child["version"].startswith("link:"):
                    found[child["from"]].add(child["version"])
                reached(child, found)
        return found

    return {
        os.path.relpath(node["path"], folder): (
            declared_by(folder, os.path.relpath(node["path"], folder)),
            reached(node, defaultdict(set)),
        )
        for node in listed
    }


def yarn_lists(folder: str) -> LISTED:
    found: LISTED = {}
    for member in MEMBERS:
        reached: dict[str, set[str]] = defaultdict(set)
        lines = run([*yarn()[:2], "info", "--recursive", "--json"], os.path.join(folder, member))
        for entry in map(json.loads, lines.splitlines()):
            at = entry["value"].index("@", 1)
            if "workspace:" not in entry["value"]:
                reached[entry["value"][:at]].add(entry["children"]["Version"])
        found[member] = declared_by(folder, member), reached
    return found


def declared_by(folder: str, member: str) -> dict[str, str]:
    """What a manifest of ours declares: exact versions, and one alias."""
    with open(os.path.join(folder, member, "package.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    groups = ("dependencies", "devDependencies", "optionalDependencies")
    wanted = {name: asked for group in groups for name, asked in manifest.get(group, {}).items()}
    return {name: asked.rpartition("@")[2] for name, asked in wanted.items() if not name.startswith("@m/")}


@npm_only
@pytest.mark.parametrize("manager", ["npm", "pnpm", "yarn"])
def test_a_members_answers_are_what_its_manager_lists(tmp_path: Path, manager: str) -> None:
    folder = os.path.realpath(tmp_path)
    write(folder, manifests("1.0.0" if manager == "npm" else "workspace:*"))
    if manager == "npm":
        run(list(NPM), folder)
        listed = npm_lists(folder)
    elif manager == "pnpm":
        write(folder, {"pnpm-workspace.yaml": "packages:\n  - packages/*\n"})
        run(pnpm(), folder)
        listed = pnpm_lists(folder)
    else:
        write(folder, {"yarn.lock": "", ".yarnrc.yml": "nodeLinker: node-modules\n"})
        run(yarn(), folder)
        listed = yarn_lists(folder)
    wrong = []
    for member, (declared, reached) in listed.items():
        project = project_at(tmp_path / member)
        for name, version in declared.items():
            answers = {each.version for each in project.resolve(name, ecosystem="npm")}
            if answers != {version}:
                wrong.append((member, name, {version}, answers))
        for name, versions in reached.items():
            resolutions = project.resolve(name, ecosystem="npm")
            answers = {each.version for each in resolutions}
            if name not in declared and not versions <= answers:
                wrong.append((member, name, versions, answers))
            if {each.state for each in resolutions} - {"agree", "not-for-this-platform"}:
                wrong.append((member, name, versions, {each.state for each in resolutions}))
    assert wrong == []
    assert sum(len(reached) for _, reached in listed.values()) > 200


UV_ROOT = """[project]
name = "big"
version = "0.1"
requires-python = ">=3.11"
dependencies = ["core", "requests[socks]==2.31.0", "colorama; sys_platform == 'win32'"]
[dependency-groups]
dev = ["pytest", {include-group = "docs"}]
docs = ["markdown"]
[tool.uv.sources]
core = {workspace = true}
[tool.uv.workspace]
members = ["libs/*"]
"""
UV_CORE = """[project]
name = "core"
version = "1.0"
requires-python = ">=3.11"
dependencies = ["ruamel.yaml", "PyYAML"]
[project.optional-dependencies]
fast = ["orjson"]
"""


def test_a_uv_workspaces_answers_are_what_uv_exports(tmp_path: Path) -> None:
    write(str(tmp_path), {".git/HEAD": "", "pyproject.toml": UV_ROOT, "libs/core/pyproject.toml": UV_CORE})
    run([uv(), "sync", "--quiet", "--all-packages", "--all-groups", "--all-extras"], str(tmp_path))
    options = (
        "--frozen",
        "--all-groups",
        "--all-extras",
        "--no-hashes",
        "--no-annotate",
        "--no-header",
        "--no-emit-workspace",
    )
    wrong: list[tuple[str, str, object]] = []
    for member, name in ((".", "big"), ("libs/core", "core")):
        project = project_at(tmp_path / member)
        for line in run([uv(), "export", "--package", name, *options], str(tmp_path)).splitlines():
            requirement, _, marker = line.partition(" ; ")
            distribution, _, version = requirement.partition("==")
            resolutions = project.resolve(distribution, ecosystem="pypi")
            states = {each.state for each in resolutions}
            if (member == "." or resolutions) and {each.version for each in resolutions} != {version}:
                wrong.append((member, line, {each.version for each in resolutions}))
            if states - ({"agree"} if not marker else {"agree", "not-for-this-platform"}):
                wrong.append((member, line, states))
    assert wrong == []

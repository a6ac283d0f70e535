"""What resolve may import: start-up is a feature."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

from node_trees import lay, package
from python_trees import lay_distribution, lay_environment

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
import sys
before = set(sys.modules)
from briefkit.projects.project import open_project
project = open_project(sys.argv[1])
assert [each.state for each in project.resolve(sys.argv[2])] == ["agree"]
project.skipped, project.conflicts
print("\\n".join(sorted(set(sys.modules) - before)))
"""

COMMON = {
    "briefkit",
    "briefkit.errors",
    "briefkit.installed",
    "briefkit.lockfiles",
    "briefkit.lockfiles.files",
    "briefkit.lockfiles.formats",
    "briefkit.lockfiles.reading",
    "briefkit.names",
    "briefkit.records",
    "briefkit.packages",
    "briefkit.paths",
    "briefkit.patterns",
    "briefkit.projects",
    "briefkit.projects.ecosystem_project",
    "briefkit.projects.found",
    "briefkit.projects.joining",
    "briefkit.projects.locked_view",
    "briefkit.projects.member",
    "briefkit.projects.package_json",
    "briefkit.projects.project",
    "briefkit.projects.readings",
    "briefkit.projects.resolution",
    "briefkit.projects.roots",
    "briefkit.projects.skipping",
}
NPM = {
    "briefkit.installed.node_finding",
    "briefkit.installed.node_layout",
    "briefkit.installed.node_manifest",
    "briefkit.installed.node_members",
    "briefkit.installed.node_modules",
    "briefkit.lockfiles.json_document",
    "briefkit.lockfiles.locked_graph",
    "briefkit.lockfiles.npm_lock",
    "briefkit.lockfiles.npm_sources",
    "briefkit.lockfiles.workspace_patterns",
    "briefkit.projects.npm_member",
    "briefkit.text",
}
# Each of these costs more than a small answer: none may be imported for one.
HEAVY = {
    *(
        "argparse",
        "ast",
        "asyncio",
        "concurrent",
        "csv",
        "dataclasses",
        "email",
        "hashlib",
        "http",
        "importlib.metadata",
        "inspect",
    ),
    *(
        "logging",
        "multiprocessing",
        "packaging",
        "pathlib",
        "pip_requirements_parser",
        "pydantic",
        "shutil",
        "socket",
        "sqlite3",
    ),
    *("subprocess", "tempfile", "tree_sitter", "urllib.parse", "urllib.request", "zipfile"),
}


def imported(folder: Path, name: str) -> set[str]:
    """The modules that a resolve in a fresh process imports."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", PROGRAM, str(folder), name],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_a_resolve_of_an_npm_package_imports_these_modules_and_no_others(tmp_path: Path) -> None:
    packages = {"": {"dependencies": {"ms": "*"}}, "node_modules/ms": {"version": "2.1.3"}}
    tree = {
        ".git/HEAD": "",
        "package.json": {"name": "app", "dependencies": {"ms": "*"}},
        "package-lock.json": json.dumps({"lockfileVersion": 3, "packages": packages}),
        "node_modules/ms/package.json": package("ms", "2.1.3"),
    }
    lay(tmp_path, tree)
    found = imported(tmp_path, "ms")
    assert {name for name in found if name.startswith("briefkit")} == COMMON | NPM
    assert not found & HEAVY
    assert "tomli" not in found


def test_a_resolve_of_a_distribution_imports_nothing_heavy(tmp_path: Path) -> None:
    lay(tmp_path, {".git/HEAD": "", "requirements.txt": "six==1.16.0\n"})
    lay_distribution(lay_environment(tmp_path / ".venv"), "six", "1.16.0", {"six.py": ""})
    found = imported(tmp_path, "six")
    assert not found & HEAVY
    assert not {name for name in found if name.startswith("briefkit.installed.node")}


def test_a_name_of_the_one_ecosystem_does_not_cost_a_reading_of_the_other(tmp_path: Path) -> None:
    packages = {"": {"dependencies": {"ms": "*"}}, "node_modules/ms": {"version": "2.1.3"}}
    tree = {
        ".git/HEAD": "",
        "package.json": {"name": "app", "dependencies": {"ms": "*"}},
        "package-lock.json": json.dumps({"lockfileVersion": 3, "packages": packages}),
        "node_modules/ms/package.json": package("ms", "2.1.3"),
        "uv.lock": "version = 1\n",
        "pyproject.toml": "[project]\nname = 'app'\n",
    }
    lay(tmp_path, tree)
    lay_distribution(lay_environment(tmp_path / ".venv"), "six", "1.16.0", {"six.py": ""})
    found = imported(tmp_path, "ms")
    assert {name for name in found if name.startswith("briefkit")} == COMMON | NPM | {"briefkit.projects.mention"}

"""Reading the symbols of npm packages: declarations against TypeScript's own API, whole tables, and looking up in them.

The packages are installed by npm, once, in a folder under the temporary directory (or lie in the folder that BRIEFKIT_BENCH_NODE names).
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING

from benchmarks.harness import Row, paired, paired_commands
from briefkit.installed.node_finding import find_package
from briefkit.symbols.javascript_graph import Graph
from briefkit.symbols.javascript_owners import Files
from briefkit.symbols.javascript_table import JavaScriptTable
from briefkit.symbols.typescript_files import TypeFiles
from briefkit.symbols.typescript_types import World

if TYPE_CHECKING:
    from briefkit.packages import Installed

BENCH = "symbols_node"
WALK = os.path.join(os.path.dirname(__file__), "symbols_node_declarations.cjs")
PACKAGES = ("typescript@5.9.3", "@types/node@24", "@aws-sdk/client-s3@3", "sequelize@6")
# (case, package, folder of its declarations)
DECLARATIONS = (
    ("typescript's lib", "typescript", "lib"),
    ("@types/node", "@types/node", ""),
    ("@aws-sdk/client-s3", "@aws-sdk/client-s3", "dist-types"),
)


def project() -> str:
    """A folder in which the packages are installed."""
    given = os.environ.get("BRIEFKIT_BENCH_NODE")
    if given:
        return os.path.realpath(given)
    folder = os.path.join(tempfile.gettempdir(), "briefkit-bench-symbols-node")
    if not os.path.isdir(os.path.join(folder, "node_modules", "sequelize")):
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "package.json"), "w", encoding="utf-8") as manifest:
            manifest.write('{"private": true}')
        subprocess.run(
            ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", *PACKAGES],
            cwd=folder,
            check=True,
            capture_output=True,
        )
    return folder


def find(_ecosystem: str, name: str, folder: str) -> Installed | None:
    return find_package(name, folder)


def declarations(folder: str) -> list[str]:
    """The declaration files below a folder."""
    found = []
    for at, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "node_modules")
        found += [os.path.join(at, name) for name in sorted(files) if name.endswith(".d.ts")]
    return found


def read_all(installed: Installed, files: list[str]) -> int:
    """Every declaration of the files with its members, signature, documentation and lines; how many there are."""
    world = World(TypeFiles(lambda *_given: None), Graph(), Files())
    package = world.files.package(installed)
    for file in files:
        world.files.file(package, os.path.relpath(file, installed.root))
    count = 0
    for read in package.files.values():
        if isinstance(read, str):
            continue
        for scope in {id(each): each for each in (read.scope, read.globals, *read.ambient.values())}.values():
            count += world.read_whole(scope)
    return count


def cpu(call: object, repeats: int) -> float:
    """The median CPU seconds of a call, the collector off as in a command that ends."""
    times = []
    for _ in range(repeats):
        gc.collect()
        gc.disable()
        start = time.process_time()
        call()  # type: ignore[operator]
        times.append(time.process_time() - start)
        gc.enable()
    return statistics.median(times)


def declaration_rows(root: str, repeats: int) -> list[Row]:
    rows: list[Row] = []
    typescript = os.path.join(root, "node_modules", "typescript")
    for case, name, folder in DECLARATIONS:
        installed = find_package(name, root)
        if installed is None:
            continue
        files = declarations(os.path.join(installed.root, folder))
        size = sum(os.path.getsize(file) for file in files) / 1e6
        done = subprocess.run(
            ["node", WALK, typescript, str(repeats), *files],
            capture_output=True,
            text=True,
            check=True,
            encoding="utf-8",
        )
        theirs = json.loads(done.stdout)
        seconds = cpu(lambda installed=installed, files=files: read_all(installed, files), repeats)
        count = read_all(installed, files)
        rows += [
            Row(BENCH, case, "declarations read", "MB/s", size / seconds, size / theirs["seconds"], ">= 0.8"),
            Row(BENCH, case, "symbols", "count", count, theirs["symbols"]),
        ]
    return rows


def table_rows(root: str, repeats: int) -> list[Row]:
    rows: list[Row] = []
    installed = find_package("sequelize", root)
    if installed is None:
        return rows
    times = []
    for _ in range(repeats):
        start = time.process_time()
        JavaScriptTable(installed, cache_dir=None, find=find).answer("Model.bulkCreate")
        times.append(time.process_time() - start)
    rows.append(Row(BENCH, "sequelize", "table built, CPU", "s", statistics.median(times), None, "<= 2"))
    with tempfile.TemporaryDirectory() as cache:
        JavaScriptTable(installed, cache_dir=cache, find=find).answer("Model.bulkCreate")
        warm = JavaScriptTable(installed, cache_dir=cache, find=find)
        warm.answer("Model.bulkCreate")
        start = time.perf_counter()
        for _ in range(10_000):
            warm.answer("Model.bulkCreate")
        rows.append(
            Row(BENCH, "sequelize", "looked up again", "us", (time.perf_counter() - start) * 100, None, "<= 50")
        )
        reopened, _ = paired(
            lambda: JavaScriptTable(installed, cache_dir=cache, find=find).answer("Model.bulkCreate"),
            lambda: None,
            repeats,
        )
        rows.append(Row(BENCH, "sequelize", "kept table opened and asked", "ms", reopened * 1000))
        size = sum(entry.stat().st_size for entry in os.scandir(os.path.join(cache, "tables"))) / 1e6
        rows.append(Row(BENCH, "sequelize", "kept table", "MB", size, None, "<= 8"))
        command = [sys.executable, "-m", "briefkit", "-C", root, "api", "sequelize", "Model.bulkCreate"]
        os.environ["BRIEFKIT_CACHE_DIR"] = cache
        subprocess.run(command, capture_output=True, check=False)
        spent, bare = paired_commands(command, [sys.executable, "-c", "pass"], repeats)
        rows.append(Row(BENCH, "sequelize", "command, kept table", "s", spent, bare, "<= 6"))
        del os.environ["BRIEFKIT_CACHE_DIR"]
    return rows


def rows(quick: bool) -> list[Row]:
    root = project()
    return [*declaration_rows(root, 1 if quick else 5), *table_rows(root, 2 if quick else 7)]

"""Reading the symbols of Python packages: whole tables against griffe and universal-ctags, their size, and looking up in them.

The packages lie in an environment that is made once in a folder under the temporary directory (or in that of BRIEFKIT_BENCH_PYTHON, a
project folder with `.venv`). griffe is installed there too; ctags is left out where it is not on the PATH.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING

from benchmarks.harness import Row, paired_commands
from briefkit import open_repo

if TYPE_CHECKING:
    from collections.abc import Callable

BENCH = "symbols"
PACKAGES = ("pandas", "sqlalchemy", "boto3", "griffe")
CASES = (("pandas", ("pandas",)), ("sqlalchemy", ("sqlalchemy",)), ("boto3 and botocore", ("boto3", "botocore")))
SIZE_LIMIT_MB = 8.0

_OWN = """
import sys, time
from briefkit import open_repo
from briefkit.symbols.tables import open_table
repo = open_repo(sys.argv[1])
found = [repo.api(name).installed for name in sys.argv[2:]]
start = time.process_time()
for each in found:
    open_table(each, cache_dir=None, find=lambda *_: None)
print(time.process_time() - start)
"""
_GRIFFE = """
import os, sys, time
from pathlib import Path
import griffe
how, site, *names = sys.argv[1:]
files = [os.path.join(d, f) for n in names for d, _, fs in os.walk(os.path.join(site, n)) for f in fs
         if f.endswith((".py", ".pyi")) and "tests" not in d.split(os.sep)]
start = time.process_time()
if how == "visit":
    for file in files:
        try:
            griffe.visit("m", filepath=Path(file), code=Path(file).read_text(encoding="utf-8", errors="replace"))
        except SyntaxError:
            pass
else:
    for name in names:
        griffe.load(name, search_paths=[site])
print(time.process_time() - start)
"""


def project() -> str:
    """A folder with an environment in which the packages are installed."""
    given = os.environ.get("BRIEFKIT_BENCH_PYTHON")
    if given:
        return os.path.realpath(given)
    folder = os.path.join(tempfile.gettempdir(), "briefkit-bench-symbols")
    python = os.path.join(folder, ".venv", "bin", "python")
    if not os.path.exists(python):
        subprocess.run([sys.executable, "-m", "venv", os.path.join(folder, ".venv")], check=True)
        with open(os.path.join(folder, "pyproject.toml"), "w", encoding="utf-8") as manifest:
            manifest.write('[project]\nname = "bench"\nversion = "0"\n')
        subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True)
    return folder


def rows(quick: bool) -> list[Row]:
    """The figures; times are CPU seconds of one process, each in turn with what it is compared with."""
    folder = project()
    repeats = 1 if quick else 3
    found: list[Row] = []
    for case, names in CASES[2:] if quick else CASES:
        found += _building(folder, case, names, repeats)
    return [*found, *_looking_up(folder, quick=quick)]


def _building(folder: str, case: str, names: tuple[str, ...], repeats: int) -> list[Row]:
    python = os.path.join(folder, ".venv", "bin", "python")
    site = open_repo(folder).api(names[0]).installed
    assert site is not None
    base = site.search_root or ""
    subjects: dict[str, Callable[[], float]] = {
        "own": lambda: _seconds([sys.executable, "-c", _OWN, folder, *names]),
        "visit": lambda: _seconds([python, "-c", _GRIFFE, "visit", base, *names]),
        "load": lambda: _seconds([python, "-c", _GRIFFE, "load", base, *names]),
    }
    if shutil.which("ctags"):
        subjects["ctags"] = lambda: _ctags(base, names)
    times: dict[str, list[float]] = {name: [] for name in subjects}
    for _ in range(repeats):
        for name, call in subjects.items():
            times[name].append(call())
    middle = {name: statistics.median(each) for name, each in times.items()}
    made = [
        Row(BENCH, case, "griffe's visitor over building the table", "s", middle["visit"], middle["own"], ">= 1.3"),
        Row(BENCH, case, "griffe.load over building the table", "s", middle["load"], middle["own"], ">= 4"),
    ]
    if "ctags" in middle:
        made.append(
            Row(BENCH, case, "building the table over universal-ctags", "s", middle["own"], middle["ctags"], "<= 6")
        )
    return made


def _seconds(command: list[str]) -> float:
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    return float(done.stdout.split()[-1])


def _ctags(base: str, names: tuple[str, ...]) -> float:
    """CPU seconds of ctags with signatures and lines, as JSON, over the same files."""
    command = [
        "ctags",
        "-R",
        "--output-format=json",
        "--map-Python=+.pyi",
        "--languages=Python",
        "--exclude=tests",
        "--fields=+neS",
        "-f",
        "-",
    ]
    before = os.times()
    subprocess.run([*command, *names], cwd=base, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def _looking_up(folder: str, *, quick: bool) -> list[Row]:
    repo = open_repo(folder)
    name, symbol = ("boto3", "Session.client") if quick else ("pandas", "DataFrame.merge")
    table = repo.api(name).table
    assert table is not None
    table.answer(symbol)
    kept = sum(
        entry.stat().st_size
        for entry in os.scandir(os.path.join(repo.cache_dir, "tables"))
        if entry.name.startswith(f"pypi-{name}-")
    )
    command = [sys.executable, "-m", "briefkit", "-C", folder, "api", name, symbol]
    cold, bare = paired_commands(command, [sys.executable, "-c", "pass"], 3 if quick else 15)
    return [
        Row(
            BENCH,
            f"{name} {symbol}",
            "warm look-up in process",
            "us",
            _microseconds(lambda: table.answer(symbol)),
            None,
            "<= 50",
        ),
        Row(BENCH, f"{name} {symbol}", "the command with a warm cache over python -c pass", "s", cold, bare, "<= 6"),
        Row(BENCH, name, "table on disk", "MB", kept / 1e6, None, f"<= {SIZE_LIMIT_MB}"),
    ]


def _microseconds(call: Callable[[], object], times: int = 5000) -> float:
    start = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - start) / times * 1e6

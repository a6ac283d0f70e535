"""`briefkit resolve NAME` as a whole process, cold, against a bare interpreter and against what people run for the same answer.

The interpreter is the baseline of every goal: 4 times its start on a small project, 6 times with a lockfile of 2 MB. Peers are timed in the
same run; their ratio is how often briefkit answers in the time that they take once.
"""

from __future__ import annotations

import compileall
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import briefkit
from benchmarks.bench_lockfiles_python import poetry_text, uv_text
from benchmarks.harness import Row, paired_commands
from benchmarks.node_lockfiles import made, manifest, npm_text, pnpm_text, roots, yarn_berry_text, yarn_classic_text

if TYPE_CHECKING:
    from collections.abc import Sequence

BENCH = "resolve"
EXAMPLES = Path(__file__).parent.parent / "examples"
BARE = [sys.executable, "-c", "pass"]
COMMAND = [str(Path(sys.executable).parent / "briefkit"), "--quiet"]
SIZE = 2_000_000


def rows(quick: bool) -> list[Row]:
    """The figures; a quick run asks a tenth of the size and repeats less."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    compileall.compile_dir(str(Path(briefkit.__file__).parent), quiet=2)
    repeats = 5 if quick else 15
    with tempfile.TemporaryDirectory() as folder:
        return [*_small(repeats, Path(folder)), *_large(repeats, Path(folder), SIZE // 10 if quick else SIZE)]


def _row(case: str, metric: str, command: Sequence[str], repeats: int, goal: str | None, folder: Path) -> Row:
    value, baseline = paired_commands(command, BARE, repeats, cwd=str(folder))
    return Row(BENCH, case, metric, "s", value, baseline, goal)


def _small(repeats: int, folder: Path) -> list[Row]:
    found = [
        _row(
            "import briefkit",
            "process / python -c pass",
            [sys.executable, "-c", "import briefkit"],
            repeats,
            "<= 1.5",
            folder,
        )
    ]
    for example, name, there in (("orm-app", "sequelize", "node_modules"), ("py-app", "httpx", ".venv")):
        project = EXAMPLES / example
        if not (project / there).is_dir():
            print(f"examples/{example} is not installed: skipped", file=sys.stderr)
            continue
        case = f"examples/{example}, resolve {name}"
        found.append(_row(case, "process / python -c pass", [*COMMAND, "resolve", name], repeats, "<= 4.0", project))
        found += _peers(case, name, project, repeats)
    return found


def _peers(case: str, name: str, project: Path, repeats: int) -> list[Row]:
    """What people run instead, over briefkit's own time."""
    peers = []
    if (project / "package.json").exists() and shutil.which("npm"):
        peers.append(("npm ls", ["npm", "ls", name]))
    python = project / ".venv" / "bin" / "python"
    if python.exists():
        peers.append(("pip show", [str(python), "-m", "pip", "show", name]))
    found = []
    for peer, command in peers:
        theirs, ours = paired_commands(command, [*COMMAND, "resolve", name], max(repeats // 3, 2), cwd=str(project))
        found.append(Row(BENCH, case, f"{peer} / briefkit", "s", theirs, ours, ">= 2"))
    return found


def _large(repeats: int, folder: Path, size: int) -> list[Row]:
    found = []
    for name, text, tree, asked in _projects(size):
        project = folder / name.replace(" ", "-")
        project.mkdir()
        (project / ".git").mkdir()
        for path, content in {**tree, name.split(" ")[0]: text}.items():
            (project / path).write_text(content, encoding="utf-8")
        subprocess.run([*COMMAND, "resolve", asked], cwd=project, check=True, capture_output=True)
        case = f"{name}, {len(text) / 1e6:.1f} MB, resolve {asked}"
        found.append(_row(case, "process / python -c pass", [*COMMAND, "resolve", asked], repeats, "<= 6.0", project))
    return found


def _projects(size: int) -> list[tuple[str, str, dict[str, str], str]]:
    """Lockfile, its text of about this size, the files beside it, and a name that is declared."""
    found = []
    for name, write in (
        ("package-lock.json", npm_text),
        ("pnpm-lock.yaml", pnpm_text),
        ("yarn.lock (classic)", yarn_classic_text),
        ("yarn.lock (berry)", yarn_berry_text),
    ):
        packages = made(max(size * 100 // len(write(made(100))), 100))
        found.append((name, write(packages), {"package.json": manifest(packages)}, roots(packages)[20].name))
    for name, write_python in (("uv.lock", uv_text), ("poetry.lock", poetry_text)):
        text = write_python(max(size * 50 // len(write_python(50)), 50))
        pyproject = '[project]\nname = "app"\nversion = "1"\ndependencies = ["package-5"]\n'
        found.append((name, text, {"pyproject.toml": pyproject}, "package-5"))
    return found

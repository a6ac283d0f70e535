"""The reliability runs as tests call them: one process each, its counts as a dict, and what the counts must be."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

WORKERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "brief_workers.py")
FLAWLESS = {"lost": 0, "torn": 0, "backwards": 0, "errors": 0}
UNHARMED = {"lost": 0, "torn": 0, "unsound": 0, "leftovers": 0}


def run(*arguments: str, timeout: float = 1800) -> dict[str, Any]:
    """The counts of a run; what its workers said on stderr goes to the test's output."""
    done = subprocess.run(
        [sys.executable, WORKERS, *arguments], capture_output=True, encoding="utf-8", timeout=timeout, check=False
    )
    sys.stderr.write(done.stderr)
    assert done.returncode == 0, done.stderr[-2000:]
    counts: dict[str, Any] = json.loads(done.stdout)
    sys.stdout.write(f"{' '.join(arguments)}: {done.stdout}")
    return counts


def among(counts: dict[str, Any], wanted: dict[str, int]) -> dict[str, Any]:
    """The counts under the wanted names."""
    return {name: counts.get(name) for name in wanted}


def check_mixed(url: str, operations: int, processes: int = 8) -> None:
    counts = run("mixed", "--url", url, "--processes", str(processes), "--operations", str(operations))
    assert among(counts, FLAWLESS) == FLAWLESS
    assert counts["puts"] > 0


def check_kills(url: str, kills: int) -> None:
    counts = run("kills", "--url", url, "--kills", str(kills))
    assert among(counts, UNHARMED) == UNHARMED
    assert counts["kills"] >= kills
    assert counts["acknowledged"] > 0


def check_server_kills(kind: str, kills: int) -> None:
    counts = run("servers", "--kind", kind, "--kills", str(kills))
    wanted = {"server_kills": kills, "lost": 0, "torn": 0, "errors": 0}
    assert among(counts, wanted) == wanted
    assert counts["acknowledged"] > 0


def check_flights(url: str, rounds: int) -> None:
    counts = run("flights", "--url", url, "--rounds", str(rounds))
    third = rounds // 3
    wanted = {
        "quiet": third,
        "killed": third,
        "paused": third,
        "hung": 0,
        "unanswered": 0,
        "too_many_researches": 0,
        "fenced": third,
        "researches_quiet": third,
        "researches_killed": 2 * third,
        "researches_paused": 2 * third,
    }
    assert among(counts, wanted) == wanted

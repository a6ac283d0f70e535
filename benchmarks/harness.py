"""Timing in pairs within one run: every figure is a ratio to something measured beside it.

A bench module exposes `rows(quick) -> list[Row]`; `python -m benchmarks NAME…` runs them, prints a table and writes
`benchmarks/results/NAME.json`. Times never decide a test; a row's `goal` is what the project aims for.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Row(NamedTuple):
    """One measured figure: `ratio` is value over baseline; `goal` reads `<= 4.0` or `>= 20`, None where nothing is aimed for."""

    bench: str
    case: str
    metric: str
    unit: str
    value: float
    baseline: float | None = None
    goal: str | None = None

    @property
    def ratio(self) -> float | None:
        """The value in baselines, None where there is none."""
        return None if not self.baseline else self.value / self.baseline

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached by the ratio (by the value where there is no baseline); None without a goal."""
        if self.goal is None:
            return None
        sign, number = self.goal.split()
        figure = self.value if self.ratio is None else self.ratio
        return figure <= float(number) if sign == "<=" else figure >= float(number)

    def to_dict(self) -> dict[str, object]:
        """The row as the results file holds it."""
        return {**self._asdict(), "ratio": self.ratio, "met": self.met}


def paired(
    subject: Callable[[], object],
    baseline: Callable[[], object],
    repeats: int = 7,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[float, float]:
    """Median seconds of both calls, run in turn (A B A B …) after one warm-up each, so that drift hits both."""
    subject()
    baseline()
    first: list[float] = []
    second: list[float] = []
    for _ in range(repeats):
        for call, times in ((subject, first), (baseline, second)):
            start = clock()
            call()
            times.append(clock() - start)
    return statistics.median(first), statistics.median(second)


def children_cpu() -> float:
    """Seconds of processor that ended children took: what a process costs, however busy the machine is."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def paired_commands(
    subject: Sequence[str],
    baseline: Sequence[str],
    repeats: int = 11,
    cwd: str | None = None,
    codes: tuple[int, ...] = (0,),
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[float, float]:
    """Median seconds of two whole processes, run in turn; a subject that exits otherwise than `codes` is an error."""

    def run(command: Sequence[str]) -> Callable[[], object]:
        def call() -> object:
            done = subprocess.run(command, cwd=cwd, capture_output=True, check=False)
            if done.returncode not in codes:
                raise RuntimeError(f"{command} exited {done.returncode}: {done.stderr[-400:]!r}")
            return done

        return call

    return paired(run(subject), run(baseline), repeats, clock)

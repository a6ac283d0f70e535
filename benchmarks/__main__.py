"""Runs benches, prints a table of ratios, writes `benchmarks/results/NAME.json`.

python -m benchmarks [--quick] [NAME…]; exit 1 where a bench fails to run (a goal that is not met is shown, and is no failure).
"""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import benchmarks

if TYPE_CHECKING:
    from benchmarks.harness import Row

RESULTS = Path(__file__).parent / "results"
PREFIX = "bench_"


def names() -> list[str]:
    """The benches there are."""
    return sorted(
        found.name.removeprefix(PREFIX)
        for found in pkgutil.iter_modules(benchmarks.__path__)
        if found.name.startswith(PREFIX)
    )


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of: {', '.join(names())}")
    parser.add_argument(
        "--quick", action="store_true", help="few repeats, small inputs: does it run, and about how fast"
    )
    options = parser.parse_args(argv)
    unknown = set(options.names) - set(names())
    if unknown:
        parser.error(f"no bench named {', '.join(sorted(unknown))}; there are {', '.join(names())}")
    failed = []
    for name in options.names or names():
        start = time.perf_counter()
        try:
            rows: list[Row] = importlib.import_module(f"benchmarks.{PREFIX}{name}").rows(options.quick)
        except Exception:  # noqa: BLE001 - one bench that breaks must not hide the others
            traceback.print_exc()
            failed.append(name)
            continue
        print_table(name, rows, time.perf_counter() - start)
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"{name}.json").write_text(
            json.dumps([row.to_dict() for row in rows], indent=1) + "\n", encoding="utf-8"
        )
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def print_table(name: str, rows: list[Row], seconds: float) -> None:
    print(f"\n{name} ({seconds:.0f} s)")
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:8.2f} x"
        goal = "" if row.goal is None else f"goal {row.goal} {'met' if row.met else 'NOT MET'}"
        print(f"  {row.case[:48]:48} {row.metric[:34]:34} {row.value:12.6g} {row.unit:6} {ratio:10} {goal}")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

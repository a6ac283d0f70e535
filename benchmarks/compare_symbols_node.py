"""The three answers about installed npm packages, held against what the packages really have when Node runs them.

    python -m benchmarks.compare_symbols_node PROJECT PACKAGE…

PROJECT is a folder in which the packages are installed; **they are run**, so name only what you would run. Prints for each package the
share of real names that is found and of invented ones that is denied, the wrong answers in both directions, and how many parameter lists
in the code agree with the run-time ones; the wrong answers by name on standard error. Exits 1 where an answer is wrong.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from briefkit.installed.node_finding import find_package
from briefkit.symbols.javascript_table import JavaScriptTable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from briefkit.packages import Installed

DUMP = os.path.join(os.path.dirname(__file__), "symbols_node_dump.mjs")
_PARAMETERS = re.compile(r"[^(){}\[\]'\"`]*\(([^()]*)\)")


def dumped(project: str, packages: list[str]) -> Iterator[dict[str, Any]]:
    """What Node finds in each package."""
    for package in packages:
        done = subprocess.run(
            ["node", DUMP, package],
            cwd=project,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            encoding="utf-8",
        )
        for line in done.stdout.splitlines():
            if line.startswith('{"name"'):
                yield json.loads(line)


def find(_ecosystem: str, name: str, folder: str) -> Installed | None:
    return find_package(name, folder)


def compared(project: str, truth: dict[str, Any]) -> tuple[Counter[str], list[str]]:
    """Counts of answers of each kind, and the wrong ones in words."""
    installed = find_package(truth["name"], project)
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    if installed is None:
        return counts, [f"{truth['name']} is not installed"]
    table = JavaScriptTable(installed, cache_dir=None, find=find)
    for right, other in (("exists", "absent"), ("absent", "exists")):
        for name in truth[right]:
            answer = table.answer(name).answer
            counts[f"{right}:{answer}"] += 1
            if answer == other:
                wrong.append(f"{truth['name']} {name}: {answer}, really {right}")
    for name, text in truth["signatures"].items():
        told = [match.signature for match in table.answer(name).matches if match.file.endswith((".js", ".cjs", ".mjs"))]
        mine, theirs = (parameters(told[0]) if told else None), parameters(text)
        if mine is not None and theirs is not None:
            counts["signatures"] += 1
            counts["signatures:equal"] += mine == theirs
    return counts, wrong


def parameters(text: str) -> list[str] | None:
    """The names of the parameters in a function's text, None where it is not plain to read."""
    found = _PARAMETERS.match(" ".join(text.split()))
    if found is None or "{" in found[1] or "[" in found[1]:
        return None
    return [part.split("=")[0].strip() for part in found[1].split(",") if part.strip()]


def share(counts: Counter[str], right: str) -> float:
    total = sum(count for key, count in counts.items() if key.startswith(f"{right}:"))
    return counts[f"{right}:{right}"] / total if total else 1.0


def shown(name: str, counts: Counter[str]) -> str:
    signatures = f"{counts['signatures:equal']}/{counts['signatures']}"
    return (
        f"{name:32} found {share(counts, 'exists'):7.2%}  denied {share(counts, 'absent'):7.2%}"
        f"  false no {counts['exists:absent']}  false yes {counts['absent:exists']}"
        f"  unknown {counts['exists:unknown'] + counts['absent:unknown']}  signatures {signatures}"
    )


def main(argv: list[str]) -> int:
    if len(argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    total: Counter[str] = Counter()
    faults = 0
    for truth in dumped(os.path.realpath(argv[0]), argv[1:]):
        if truth["error"]:
            print(f"{truth['name']:32} not run: {truth['error']}")
            continue
        counts, wrong = compared(os.path.realpath(argv[0]), truth)
        total += counts
        faults += len(wrong)
        print(shown(truth["name"], counts), flush=True)
        print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    print(shown("all", total))
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

"""Writes the tables of docs/benchmarks.md from the last results: `python -m benchmarks.tables`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

RESULTS = Path(__file__).parent / "results"
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
BEGIN = "<!-- tables: python -m benchmarks.tables -->"


def main() -> int:
    head = PAGE.read_text(encoding="utf-8").partition(BEGIN)[0]
    tables = [table(path) for path in sorted(RESULTS.glob("*.json"))]
    PAGE.write_text(head + BEGIN + "\n\n" + "\n".join(tables), encoding="utf-8")
    return 0


def table(path: Path) -> str:
    """One bench as a Markdown table: what was measured, the ratio (or value), the goal."""
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    lines = [
        f"## {path.stem.replace('_', ' ')}",
        "",
        f"`python -m benchmarks {path.stem}`",
        "",
        "| case | metric | figure | goal |",
        "|---|---|---|---|",
    ]
    for row in rows:
        figure = f"{row['ratio']:.2f} ×" if row["ratio"] is not None else f"{row['value']:.4g} {row['unit']}".strip()
        goal = "" if row["goal"] is None else f"{row['goal']}{'' if row['met'] else ' (missed)'}"
        lines.append(f"| {cell(row['case'])} | {cell(row['metric'])} | {figure} | {goal} |")
    return "\n".join(lines) + "\n"


def cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    raise SystemExit(main())

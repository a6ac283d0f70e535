"""Rows of text in columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .output import Output

_WIDEST = 60


def print_rows(output: Output, rows: Sequence[Sequence[str]], indent: str = "  ") -> None:
    """Print the rows with each column as wide as its widest cell (at most 60), the last one free."""
    if not rows:
        return
    widths = [min(max(len(row[i]) for row in rows), _WIDEST) for i in range(len(rows[0]) - 1)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        output.line((indent + "  ".join([*cells, row[-1]])).rstrip())

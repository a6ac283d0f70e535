"""`briefkit gate TASK`: whether work may start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from briefkit.facade import open_repo

if TYPE_CHECKING:
    import argparse

    from .output import Output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The task, and the bar."""
    parser.add_argument("task", metavar="TASK", help="the task's id")
    parser.add_argument("--min-confidence", metavar="X", type=float, help="open at or over it (default 0.6)")


def run(options: argparse.Namespace, output: Output) -> int:
    """Say whether the gate is open; exit 0 open, 1 closed, 3 disputed or for a human."""
    repo = open_repo(options.repo, flags={"min_confidence": options.min_confidence})
    decision = repo.gate(options.task)
    if output.json:
        output.data(decision.to_dict())
        return decision.exit_code
    confidence = "" if decision.confidence is None else f", confidence {decision.confidence:g}"
    output.styled_line(
        f"{decision.task}: {'open' if decision.open else 'closed'} ({decision.reason}{confidence})",
        "green" if decision.open else "red",
    )
    for detail in decision.details:
        output.line(f"  {detail}")
    for weak in decision.weak_questions:
        output.line(f"  weak: Q{weak.number} {weak.question} ({weak.confidence:g})")
        for reason in weak.reasons:
            output.line(f"    {reason}")
    return decision.exit_code

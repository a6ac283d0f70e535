"""`briefkit status`, `log` and `report`: what is, what was, and what it comes to."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from briefkit.errors import UsageError
from briefkit.facade import open_repo

from . import table
from .exit_codes import YES

if TYPE_CHECKING:
    import argparse

    from briefkit.orchestrator.board import Board
    from briefkit.orchestrator.state_store import Event

    from .output import Output

_COLUMNS = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A task's id, for `log`."""
    parser.add_argument("task", metavar="ID", nargs="?", help="the task (log)")


def run_status(options: argparse.Namespace, output: Output) -> int:
    """Print each task's state, its last event and what it has spent."""
    board = open_repo(options.repo).board()
    store = board.store()
    try:
        rows, events = store.tasks(), store.events()
    finally:
        store.close()
    records = []
    for row in rows:
        own = [event for event in events if event.task == row.id]
        runs = [event.data["run"] for event in own if "run" in event.data]
        records.append(
            {
                "id": row.id,
                "state": row.state,
                "reason": row.reason,
                "since": own[-1].at if own else row.created,
                "refinements": row.refinements,
                "heals": row.heals,
                "tokens": sum(run["input_tokens"] + run["output_tokens"] for run in runs),
                "cost": round(sum(run["cost"] for run in runs), 4),
            }
        )
    if output.json:
        output.data({"tasks": records})
        return YES
    rows_shown = [
        (str(one["id"]), str(one["state"]), f"{one['tokens']} tokens", str(one["reason"])[:_COLUMNS]) for one in records
    ]
    table.print_rows(output, rows_shown, indent="")
    return YES


def run_log(options: argparse.Namespace, output: Output) -> int:
    """Print a task's events in order."""
    if not options.task:
        raise UsageError("briefkit log: an ID is needed")
    board = open_repo(options.repo).board()
    store = board.store()
    try:
        store.get(options.task)
        events = store.events(options.task)
    finally:
        store.close()
    if output.json:
        output.data({"task": options.task, "events": [event.to_dict() for event in events]})
        return YES
    for event in events:
        output.line(_line(event))
    return YES


def _line(event: Event) -> str:
    at = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(event.at))
    change = event.after if event.before in (None, event.after) else f"{event.before} -> {event.after}"
    facts = [
        f"{key} {event.data[key]}"
        for key in ("confidence", "depth", "passed", "right")
        if event.data.get(key) is not None
    ]
    if "run" in event.data:
        facts.append(f"{event.data.get('role', 'agent')} {event.data['run']['outcome']}")
    if reason := event.data.get("reason"):
        facts.append(str(reason))
    kind = "" if event.kind == "state" else f" [{event.kind}]"
    return f"{at}  {change}{kind}" + (f"  {'; '.join(facts)}" if facts else "")


def run_report(options: argparse.Namespace, output: Output) -> int:
    """Print the table that the method is judged by."""
    board: Board = open_repo(options.repo).board()
    record = board.figures().to_dict()
    if output.json:
        output.data(record)
        return YES
    rows = []
    for name, value in record.items():
        shown = ", ".join(f"{key} {number}" for key, number in value.items()) if isinstance(value, dict) else value
        shown = ", ".join(shown) if isinstance(shown, list) else shown
        rows.append((name.replace("_", " "), "-" if shown in (None, "") else str(shown)))
    table.print_rows(output, rows, indent="")
    return YES

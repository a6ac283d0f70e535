"""`briefkit task add|list|show|retry|resolve-dispute`: the tasks of this repo."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from briefkit.errors import UsageError
from briefkit.facade import open_repo
from briefkit.paths import shown_path

from . import table
from .exit_codes import YES

if TYPE_CHECKING:
    import argparse

    from briefkit.orchestrator.board import Board

    from .output import Output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The action, and what a task is made of."""
    parser.add_argument("action", choices=("add", "list", "show", "retry", "resolve-dispute"))
    parser.add_argument("argument", metavar="TITLE|ID", nargs="?", help="a title (add) or a task's id")
    parser.add_argument("--id", help="the new task's id (default: made from the time)")
    parser.add_argument(
        "--question", metavar="Q", action="append", default=[], help="what must be known first (repeatable)"
    )
    parser.add_argument(
        "--file", metavar="F", action="append", default=[], help="a file that the task touches (repeatable)"
    )
    parser.add_argument("--lib", metavar="L", action="append", default=[], help="a library that it needs (repeatable)")
    parser.add_argument("--verify", metavar="CMD", help="the command that proves it done")
    parser.add_argument(
        "--depends", metavar="ID", action="append", default=[], help="a task that must be done before (repeatable)"
    )
    parser.add_argument("--text", help="what is to be done, in more words")
    parser.add_argument("--right", choices=("implementer", "brief"), help="who was right (resolve-dispute)")


def run(options: argparse.Namespace, output: Output) -> int:
    """Do it."""
    if options.action != "list" and not options.argument:
        raise UsageError(
            f"briefkit task {options.action}: {'a TITLE' if options.action == 'add' else 'an ID'} is needed"
        )
    board = open_repo(options.repo).board()
    return _RUNNERS[options.action](board, options, output)


def _add(board: Board, options: argparse.Namespace, output: Output) -> int:
    from briefkit.orchestrator.desk import add_task
    from briefkit.orchestrator.task_file import Task

    task = Task(
        options.id
        if options.id is not None
        else f"task-{time.strftime('%Y%m%d-%H%M%S')}-{time.time_ns() % 1_000_000:06d}",
        options.argument,
        tuple(options.question),
        tuple(options.file),
        tuple(options.lib),
        options.verify,
        tuple(options.depends),
        options.text or "",
    )
    store = board.store()
    try:
        add_task(store, board.repository.state_dir, task)
    finally:
        store.close()
    if output.json:
        output.data({"task": task.to_dict()})
    else:
        output.line(task.id)
    return YES


def _list(board: Board, _options: argparse.Namespace, output: Output) -> int:
    store = board.store()
    try:
        rows = store.tasks()
    finally:
        store.close()
    if output.json:
        output.data({"tasks": [{"id": row.id, "state": row.state, "reason": row.reason} for row in rows]})
    else:
        table.print_rows(output, [(row.id, row.state, row.reason) for row in rows], indent="")
    return YES


def _show(board: Board, options: argparse.Namespace, output: Output) -> int:
    from briefkit.orchestrator.task_file import read_task

    task = read_task(board.repository.state_dir, options.argument)
    store = board.store()
    try:
        row = store.get(task.id)
    finally:
        store.close()
    record: dict[str, Any] = {
        **task.to_dict(),
        "state": row.state,
        "reason": row.reason,
        "refinements": row.refinements,
        "heals": row.heals,
    }
    if output.json:
        output.data({"task": record})
    else:
        for name, value in record.items():
            shown = ", ".join(value) if isinstance(value, list) else value
            output.line(f"{name}: {'' if shown is None else shown}")
    return YES


def _retry(board: Board, options: argparse.Namespace, output: Output) -> int:
    from briefkit.orchestrator.desk import retry_task

    store = board.store()
    try:
        row = retry_task(store, board.repository.state_dir, options.argument)
    finally:
        store.close()
    if output.json:
        output.data({"task": {"id": row.id, "state": row.state}})
    else:
        output.line(f"{row.id}: {row.state}")
    return YES


def _resolve(board: Board, options: argparse.Namespace, output: Output) -> int:
    from briefkit.orchestrator.desk import resolve_dispute

    if options.right is None:
        raise UsageError("briefkit task resolve-dispute: --right implementer or --right brief is needed")
    store = board.store()
    try:
        settled = resolve_dispute(
            store, board.repository.state_dir, options.argument, options.right, end_answers=board.end_answers
        )
    finally:
        store.close()
    case = shown_path(settled.case, board.repository.root) if settled.case else None
    record = {
        "task": {"id": settled.row.id, "state": settled.row.state},
        "ended": list(settled.ended),
        "case": case,
    }
    if output.json:
        output.data(record)
    else:
        output.line(f"{settled.row.id}: {settled.row.state} ({options.right} was right)")
        for key in settled.ended:
            output.line(f"  ended: {key}")
        if case:
            output.line(f"  case: {case}")
    return YES


_RUNNERS = {"add": _add, "list": _list, "show": _show, "retry": _retry, "resolve-dispute": _resolve}

"""The command line: text and JSON in and out; no rule lives here.

Each command is one module, imported only when it is asked for: start-up is a feature. A command module has
`add_arguments(parser)` and `run(options, output) -> int`, the exit code.
"""

from __future__ import annotations

import sys

from briefkit.errors import BriefkitError
from briefkit.records import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

INTERRUPTED = 130


class Command(NamedTuple):
    """One command: its name, the module of this package that runs it, and its line in the help."""

    name: str
    module: str
    what: str
    runner: str = "run"


COMMANDS = (
    Command("resolve", "resolve", "which version of a library this directory uses, and what proves it"),
    Command("locate", "locate", "where the source of that version lies"),
    Command("api", "api", "what that version really offers: exists, absent or unknown"),
    Command("ask", "ask", "a short cited brief that answers questions"),
    Command("gate", "gate", "whether a task's brief is good enough to start work"),
    Command("brief", "brief", "check a brief: parse it, re-read its citations, recompute its confidence"),
    Command("index", "index", "the index of answers that briefs are assembled from"),
    Command("lockfile", "lockfile", "read one lockfile"),
    Command("task", "task", "tasks: add, list, show, retry, resolve-dispute"),
    Command("run", "run", "move every task that can move: research, gate, implement, verify, heal"),
    Command("status", "status", "each task's state", "run_status"),
    Command("log", "status", "a task's events, in order", "run_log"),
    Command("report", "status", "the table that the method is judged by", "run_report"),
    Command("mcp", "mcp", "the MCP server: the same answers as tools"),
    Command("config", "config", "each setting, its value and where it came from"),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code of the contract."""
    import gc

    from .output import Output

    # Nearly all that a command makes lives until its end: looking for garbage as often as by default is a tenth of a short one's time.
    gc.set_threshold(100_000, 20, 20)
    arguments = list(sys.argv[1:] if argv is None else argv)
    output = Output(json="--json" in arguments or "--format=json" in arguments, quiet="--quiet" in arguments)
    try:
        return _run(arguments, output)
    except BriefkitError as error:
        output.error(error)
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader went away: nothing is wrong, and nothing more can be said.
        output.hang_up()
        return 0


def _run(arguments: list[str], output: object) -> int:
    from importlib import import_module

    from .arguments import command_of, parser_of_all, parser_of_command

    asked = command_of(arguments, COMMANDS)
    if asked is None:
        parser_of_all(COMMANDS).parse_args(arguments)
        return 2
    command, rest = asked
    module = import_module(f"briefkit.cli.{command.module}")
    parser = parser_of_command(command)
    module.add_arguments(parser)
    options: argparse.Namespace = parser.parse_intermixed_args(rest)
    code: int = getattr(module, command.runner)(options, output)
    return code

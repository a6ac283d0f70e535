"""Options that every command takes, and a parser for just the command that is run."""

from __future__ import annotations

import argparse

from briefkit import __version__
from briefkit.errors import UsageError
from briefkit.records import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from . import Command

_WITH_VALUE = ("-C", "--repo")


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, like every other error."""

    def error(self, message: str) -> NoReturn:
        """Raise the message as a usage error."""
        raise UsageError(f"{self.prog}: {message}", todo=f"See '{self.prog} --help'.")


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help of a fixed width: asking the terminal for its own would import half of the standard library at every start."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=100)


def command_of(arguments: Sequence[str], commands: Sequence[Command]) -> tuple[Command, list[str]] | None:
    """The command that is asked for and the arguments without its name, None where only help or the version is asked for.

    Raises:
        UsageError: There is no such command.

    """
    skip = False
    for at, argument in enumerate(arguments):
        if skip:
            skip = False
        elif argument in _WITH_VALUE:
            skip = True
        elif not argument.startswith("-"):
            for command in commands:
                if command.name == argument:
                    return command, [*arguments[:at], *arguments[at + 1 :]]
            names = ", ".join(command.name for command in commands)
            raise UsageError(f"briefkit: no command '{argument}'", todo=f"There are: {names}.")
    return None


def parser_of_all(commands: Sequence[Command]) -> Parser:
    """A parser for `briefkit --help` and `--version`."""
    width = max(len(command.name) for command in commands)
    lines = "\n".join(f"  {command.name.ljust(width)}  {command.what}" for command in commands)
    parser = Parser(
        prog="briefkit",
        description="Which version a repo really uses, what it really offers, and a cited brief before a line is written.",
        epilog=f"commands:\n{lines}\n\n'briefkit COMMAND --help' says more of one.",
        formatter_class=_Help,
        usage="briefkit [-C DIR] COMMAND ...",
    )
    _add_common(parser)
    parser.add_argument("--version", action="version", version=f"briefkit {__version__}")
    parser.add_argument("command", help=argparse.SUPPRESS)
    return parser


def parser_of_command(command: Command) -> Parser:
    """The parser of one command, with the options that all take."""
    parser = Parser(
        prog=f"briefkit {command.name}",
        description=command.what[0].upper() + command.what[1:] + ".",
        formatter_class=_Help,
        usage=f"briefkit [-C DIR] {command.name} [options] ...",
    )
    _add_common(parser)
    return parser


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-C", "--repo", metavar="DIR", default=".", help="the directory to answer for (default: here)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quiet", action="store_true", help="say nothing on stderr but errors")


def amount(text: str) -> float:
    """An option's value that is a number over 0, and has an end."""
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number over 0")
    return number


def count(text: str) -> int:
    """An option's value that is a whole number over 0."""
    number = int(text)
    if number <= 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number over 0")
    return number


def add_library_options(parser: argparse.ArgumentParser) -> None:
    """`--importer` and `--ecosystem`, for commands that answer for one library."""
    parser.add_argument("--importer", metavar="PATH", help="answer for a workspace member, as the lockfile names it")
    parser.add_argument("--ecosystem", choices=("npm", "pypi"), help="for a name that is in both")

"""`briefkit lockfile FILE`: read one lockfile."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from briefkit.lockfiles.files import read_lockfile, read_lockfile_text
from briefkit.paths import LOCKFILE_LIMIT, decode

from . import table
from .exit_codes import YES

if TYPE_CHECKING:
    import argparse

    from .output import Output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The file, and `--format`."""
    parser.add_argument("file", metavar="FILE", help="a lockfile, or - for standard input")
    parser.add_argument("--format", metavar="NAME", help="read it as this format, whatever its name says")


def run(options: argparse.Namespace, output: Output) -> int:
    """Print what the file locks."""
    if options.file == "-":
        text = decode(sys.stdin.buffer.read(LOCKFILE_LIMIT + 1), "-")
        reading = read_lockfile_text(text, "-", format=options.format)
    else:
        path = os.path.join(options.repo, options.file)
        reading = read_lockfile(path, format=options.format, shown=options.file)
    if output.json:
        output.data(reading.to_dict())
        return YES
    output.line(f"{reading.path}: {reading.format} {reading.format_version} ({reading.ecosystem})")
    rows = [
        (package.name, package.version or "?", package.source.kind, f"line {package.line}")
        for package in reading.packages
    ]
    table.print_rows(output, rows)
    for skipped in reading.skipped:
        output.say(f"skipped: {reading.path}:{skipped.line}: {skipped.name}: {skipped.reason}")
    for conflict in reading.conflicts:
        output.say(
            f"conflict: {reading.path}:{conflict.line}: {conflict.name}: ours {conflict.ours}, theirs {conflict.theirs}"
        )
    for note in reading.notes:
        output.say(f"note: {note}")
    return YES

"""`briefkit locate NAME`: where its source lies."""

from __future__ import annotations

from briefkit.facade import open_repo
from briefkit.records import TYPE_CHECKING

from .arguments import add_library_options
from .exit_codes import NO, YES

if TYPE_CHECKING:
    import argparse

    from .output import Output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The name, and whom to answer for."""
    parser.add_argument("name", metavar="NAME", help="a distribution, import name, alias or sub-path")
    add_library_options(parser)


def run(options: argparse.Namespace, output: Output) -> int:
    """Print the place; exit 1 where the package is not installed."""
    located = open_repo(options.repo).locate(options.name, options.importer, ecosystem=options.ecosystem)
    record = located.to_dict()
    if output.json:
        output.data(record)
        return YES if record["root"] else NO
    if not record["root"]:
        output.say(f"{options.name}: not installed here")
        for warning in record["warnings"]:
            output.say(f"  {warning}")
        return NO
    inner = f"!/{record['inner']}" if record["inner"] else ""
    output.styled_line(f"{record['name']} {record['version'] or '?'}  {record['kind']}", "bold")
    output.line(f"  root: {record['root']}{inner}")
    for name in ("link", "readme", "changelog"):
        if record[name]:
            output.line(f"  {name}: {record[name]}")
    for key, value in record["entry"].items():
        output.line(f"  entry {key}: {value}")
    for one in record["types"]:
        output.line(f"  types: {one['file'] if isinstance(one, dict) else one}")
    for evidence in record["evidence"]:
        output.line(f"  evidence: {evidence}")
    for warning in record["warnings"]:
        output.say(f"warning: {warning}")
    return YES

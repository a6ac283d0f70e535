"""`briefkit config`: each setting, its value and where it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from briefkit.facade import open_repo

from . import table
from .exit_codes import YES

if TYPE_CHECKING:
    import argparse

    from .output import Output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """No options of its own."""


def run(options: argparse.Namespace, output: Output) -> int:
    """Print the settings; what a repo tried to set and may not is said."""
    settings = open_repo(options.repo).settings
    if output.json:
        output.data(settings.to_dict())
    else:
        rows = [(name, str(value.value), value.origin) for name, value in settings.values.items()]
        table.print_rows(output, rows, indent="")
        for name, agent in settings.agents.items():
            output.line(f"agents.{name}  {' '.join(agent['argv'])}")
    for ignored in settings.ignored:
        output.say(f"ignored: {ignored}")
    return YES

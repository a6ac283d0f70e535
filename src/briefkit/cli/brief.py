"""`briefkit brief check FILE`: parse a brief, re-read its citations, recompute its confidence."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from briefkit.facade import open_repo

from .exit_codes import NO, YES

if TYPE_CHECKING:
    import argparse

    from .output import Output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to do, and the file."""
    parser.add_argument("action", choices=("check",), help="check: parse, re-read citations, recompute the confidence")
    parser.add_argument("file", metavar="FILE", help="a brief in Markdown")


def run(options: argparse.Namespace, output: Output) -> int:
    """Print what holds; exit 1 where the file is no brief or a citation does not hold."""
    repo = open_repo(options.repo)
    checked = repo.check_brief(os.path.join(options.repo, options.file), shown=options.file)
    clean = checked.valid and all(one.state in ("holds", "moved") for one in checked.citations)
    if output.json:
        output.data(checked.to_dict())
        return YES if clean else NO
    for fault in checked.faults:
        output.line(f"{options.file}:{fault.line}: {fault.what}")
    for one in checked.citations:
        style = "green" if one.state == "holds" else "yellow" if one.state == "moved" else "red"
        output.styled_line(f"{one.state:14}{one.citation.file}:{one.citation.lines}", style)
    if checked.judgement is not None and checked.brief is not None:
        output.line(f"confidence {checked.judgement.confidence:g} (claimed {checked.brief.confidence:g})")
        for reason in checked.judgement.reasons:
            output.line(f"  {reason}")
    return YES if clean else NO

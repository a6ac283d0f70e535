"""`briefkit ask QUESTION …`: a brief."""

from __future__ import annotations

from typing import TYPE_CHECKING

from briefkit.facade import open_repo

from .exit_codes import NO, UNKNOWN, YES

if TYPE_CHECKING:
    import argparse

    from briefkit.research.ask import Asked

    from .output import Output

_DAY, _HOUR, _MINUTE = 86400, 3600, 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The questions, and how they are answered."""
    parser.add_argument("questions", metavar="QUESTION", nargs="+", help="a question in plain English")
    parser.add_argument(
        "--lib", metavar="NAME", action="append", default=[], help="the library that is meant (repeatable)"
    )
    parser.add_argument("--task", metavar="ID", help="also write the brief of this task under the state folder")
    parser.add_argument("--researcher", metavar="NAME", help="source (default, no model), claude, codex or command")
    parser.add_argument("--fresh", action="store_true", help="research again, past the index")
    parser.add_argument("--max-tokens", metavar="N", type=int, help="tokens that the brief may take (default 1500)")
    parser.add_argument("--min-confidence", metavar="X", type=float, help="exit 1 under it (default 0.6)")
    parser.add_argument("--importer", metavar="PATH", help="answer for a workspace member, as the lockfile names it")


def run(options: argparse.Namespace, output: Output) -> int:
    """Print the brief; exit 1 where its confidence is under the gate's, 3 where no version is known."""
    flags = {
        "researcher": options.researcher,
        "max_tokens": options.max_tokens,
        "min_confidence": options.min_confidence,
    }
    repo = open_repo(options.repo, flags=flags)
    asked = repo.ask(
        options.questions, libraries=options.lib, task=options.task, fresh=options.fresh, importer=options.importer
    )
    for notice in asked.notices:
        output.say(notice)
    output.say(_index_line(asked))
    if output.json:
        output.data(asked.to_dict())
    else:
        from briefkit.briefs.markdown import render_brief

        output.line(render_brief(asked.record.brief).rstrip("\n"))
    if not asked.version_known:
        return UNKNOWN
    return YES if asked.record.brief.confidence >= repo.settings["min_confidence"] else NO


def _index_line(asked: Asked) -> str:
    if not asked.hit:
        return "index: miss"
    return f"index: hit, verified {_ago(asked.oldest)}"


def _ago(seconds: float) -> str:
    """`just now`, `5 minutes ago`, `2 days ago`."""
    for size, word in ((_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute")):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {word}{'' if count == 1 else 's'} ago"
    return "just now"

"""`briefkit index …`: the index of answers that briefs are assembled from."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from briefkit.errors import BriefkitError, Place, UsageError
from briefkit.facade import open_repo
from briefkit.paths import reason_of

from . import table
from .exit_codes import NO, YES

if TYPE_CHECKING:
    import argparse

    from briefkit.briefs.entries import Entry
    from briefkit.briefs.index import BriefIndex
    from briefkit.facade import Repo

    from .output import Output

_DAY = 86400.0
_ACTIONS = {
    "list": "the answers kept, of one library with LIB[@VERSION]",
    "show": "one answer, by KEY or its beginning",
    "put": "keep the answers of a brief's machine twin FILE (state/briefs/ID.json)",
    "verify": "re-read the citations of one answer, or of all: what holds is good for another week, what does not ends",
    "remove": "remove one answer, by KEY",
    "prune": "remove what ended more than a day ago",
    "stats": "hits, misses by reason, waits, reuse by library",
    "export": "write all answers to FILE",
    "import": "take the answers of FILE, each with its own stamps",
    "doctor": "what is in force, and what should be changed",
}
_WITH_ARGUMENT = {"show": "KEY", "put": "FILE", "remove": "KEY", "export": "FILE", "import": "FILE"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to do, and with what."""
    parser.add_argument(
        "action", choices=tuple(_ACTIONS), help="; ".join(f"{name}: {what}" for name, what in _ACTIONS.items())
    )
    parser.add_argument("argument", metavar="LIB|KEY|FILE", nargs="?", help="as the action asks")
    parser.add_argument(
        "--force", action="store_true", help="prune although this clock is far ahead of the newest answer"
    )


def run(options: argparse.Namespace, output: Output) -> int:
    """Do it; exit 1 where there is no such answer, or one that was verified no longer holds."""
    if options.action in _WITH_ARGUMENT and not options.argument:
        raise UsageError(f"briefkit index {options.action}: {_WITH_ARGUMENT[options.action]} is needed")
    repo = open_repo(options.repo)
    with repo.index() as index:
        code = _RUNNERS[options.action](repo, index, options, output)
        for warning in index.warnings:
            output.say(warning)
        return code


def _list(_repo: Repo, index: BriefIndex, options: argparse.Namespace, output: Output) -> int:
    entries = index.find(options.argument) if options.argument else tuple(index.entries())
    if output.json:
        output.data({"entries": [_short(entry) for entry in entries]})
        return YES
    now = index.engine.now()
    rows = [
        (str(entry.key), f"{entry.answer.confidence:.2f}", _left(entry.expires_at - now), entry.key.question)
        for entry in entries
    ]
    table.print_rows(output, rows, indent="")
    return YES


def _short(entry: Entry) -> dict[str, object]:
    record = entry.to_dict()
    answer = record.pop("answer")
    return {**record, "confidence": answer["confidence"]}


def _left(seconds: float) -> str:
    return "ended" if seconds <= 0 else f"{seconds / _DAY:.1f} days left"


def _show(_repo: Repo, index: BriefIndex, options: argparse.Namespace, output: Output) -> int:
    found = index.find(options.argument)
    if len(found) != 1:
        output.say(
            f"{options.argument}: {len(found)} answers; a key names one"
            if found
            else f"{options.argument}: no such answer"
        )
        return NO
    if output.json:
        output.data(found[0].to_dict())
        return YES
    entry = found[0]
    output.styled_line(f"{entry.key}  confidence {entry.answer.confidence:g}", "bold")
    output.line(entry.key.question)
    for finding in entry.answer.findings:
        output.line(f"- {finding.text}")
    return YES


def _remove(_repo: Repo, index: BriefIndex, options: argparse.Namespace, output: Output) -> int:
    found = index.find(options.argument)
    if len(found) > 1:
        output.say(f"{options.argument}: {len(found)} answers; a key names one")
        return NO
    removed = [entry for entry in found if index.delete(entry.key.id)]
    _report(output, {"removed": [str(entry.key) for entry in removed]}, f"removed {len(removed)}")
    return YES if removed else NO


def _prune(_repo: Repo, index: BriefIndex, options: argparse.Namespace, output: Output) -> int:
    removed = index.prune(force=options.force)
    _report(output, {"removed": removed}, f"removed {removed}")
    return YES


def _stats(_repo: Repo, index: BriefIndex, _options: argparse.Namespace, output: Output) -> int:
    record = index.stats().to_dict()
    if output.json:
        output.data(record)
        return YES
    for name, value in record.items():
        shown = ", ".join(f"{key} {number}" for key, number in value.items()) if isinstance(value, dict) else value
        output.line(f"{name.replace('_', ' ')}: {'-' if shown in (None, '') else shown}")
    return YES


def _doctor(_repo: Repo, index: BriefIndex, _options: argparse.Namespace, output: Output) -> int:
    health = index.health()
    if output.json:
        output.data(health.to_dict())
        return NO if health.warnings else YES
    output.line(f"kind: {health.kind}")
    for name, value in health.facts.items():
        output.line(f"{name}: {value}")
    for warning in health.warnings:
        output.styled_line(f"warning: {warning}", "yellow")
    return NO if health.warnings else YES


def _put(repo: Repo, index: BriefIndex, options: argparse.Namespace, output: Output) -> int:
    from briefkit.briefs.brief import read_record
    from briefkit.paths import read_bytes
    from briefkit.research.indexed import keep_record

    path = os.path.join(options.repo, options.argument)
    record = read_record(read_bytes(path, shown=options.argument), options.argument)
    kept = keep_record(index, record, lambda ecosystem, name: repo.api(name, ecosystem=ecosystem))
    _report(output, {"kept": kept}, f"kept {len(kept)}")
    return YES if kept else NO


def _verify(repo: Repo, index: BriefIndex, options: argparse.Namespace, output: Output) -> int:
    from briefkit.research.indexed import verify_entry

    entries = index.find(options.argument) if options.argument else tuple(index.entries())
    world = repo.world()
    outcomes = {}
    for entry in entries:
        library = repo.api(entry.key.name, ecosystem=entry.key.ecosystem)
        outcomes[str(entry.key)] = verify_entry(index, entry, library, world)
    if output.json:
        output.data({"verified": outcomes})
    else:
        table.print_rows(output, list(outcomes.items()), indent="")
    if options.argument and not entries:
        output.say(f"{options.argument}: no such answer")
        return NO
    return NO if any(outcome.startswith("ended") for outcome in outcomes.values()) else YES


def _export(_repo: Repo, index: BriefIndex, options: argparse.Namespace, output: Output) -> int:
    from briefkit.briefs.exchange import export_lines

    path = os.path.join(options.repo, options.argument)
    lines = list(export_lines(index))
    try:
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(lines)
    except OSError as error:
        raise BriefkitError(f"cannot write: {reason_of(error)}", place=Place(options.argument)) from None
    _report(output, {"exported": len(lines) - 1}, f"exported {len(lines) - 1}")
    return YES


def _import(_repo: Repo, index: BriefIndex, options: argparse.Namespace, output: Output) -> int:
    from briefkit.briefs.exchange import import_lines
    from briefkit.paths import LOCKFILE_LIMIT, read_text

    text = read_text(os.path.join(options.repo, options.argument), LOCKFILE_LIMIT * 4, options.argument)
    imported = import_lines(index, text.splitlines(), options.argument)
    _report(output, imported.to_dict(), f"taken {imported.taken}, skipped {len(imported.skipped)}")
    for skipped in imported.skipped:
        output.say(f"skipped: {options.argument}:{skipped.line}: {skipped.reason}")
    return NO if imported.skipped else YES


def _report(output: Output, record: dict[str, object], text: str) -> None:
    if output.json:
        output.data(record)
    else:
        output.line(text)


_RUNNERS = {
    "list": _list,
    "show": _show,
    "put": _put,
    "verify": _verify,
    "remove": _remove,
    "prune": _prune,
    "stats": _stats,
    "export": _export,
    "import": _import,
    "doctor": _doctor,
}

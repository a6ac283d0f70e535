"""`briefkit api NAME [SYMBOL …]`: what really exists."""

from __future__ import annotations

import os
import sys

from briefkit.errors import BriefkitError, UsageError
from briefkit.facade import open_repo
from briefkit.records import TYPE_CHECKING

from .arguments import add_library_options
from .exit_codes import NO, UNKNOWN, YES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator
    from typing import Any

    from briefkit.facade import Repo
    from briefkit.symbols.records import Answer, Symbol

    from .output import Output

_LINE_LIMIT = 4096
_SEARCH_LIMIT = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The package, its symbols, `--search` and `--batch`."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="a distribution, import name, alias or sub-path")
    parser.add_argument(
        "symbols", metavar="SYMBOL", nargs="*", help="a dotted path: requests.Session.get, Model.bulkCreate"
    )
    parser.add_argument("--search", metavar="WORDS", help="list the symbols most relevant to these words")
    parser.add_argument(
        "--batch",
        metavar="FILE",
        help="read NAME<TAB>SYMBOL lines (- for standard input), answer each with a JSON line",
    )
    add_library_options(parser)


def run(options: argparse.Namespace, output: Output) -> int:
    """Print the symbols, or whether each one asked for exists."""
    repo = open_repo(options.repo)
    if options.batch:
        return _batch(repo, options, output)
    if not options.name:
        raise UsageError("briefkit api: NAME or --batch FILE is needed")
    library = repo.api(options.name, options.importer, ecosystem=options.ecosystem)
    if not options.symbols:
        hits = library.search(options.search, _SEARCH_LIMIT) if options.search else None
        record = library.to_dict() if hits is None else library.search_dict(hits)
        if output.json:
            output.data(record)
        else:
            for symbol in record["symbols"]:
                output.line(f"{symbol['signature'] or symbol['name']}  {symbol['file']}:{symbol['line']}")
            output.say(f"searched {record['reach']['files']} files")
        if library.unknown_reason:
            output.say(library.unknown_reason)
            return UNKNOWN
        return YES
    answers = [library.answer(symbol) for symbol in options.symbols]
    if output.json:
        output.data({"package": library.package_dict(), "answers": [answer.to_dict() for answer in answers]})
    else:
        for answer in answers:
            _print(answer, output)
    return _exit_code(answer.answer for answer in answers)


def _print(answer: Answer, output: Output) -> None:
    output.styled_line(
        f"{answer.query}: {answer.answer}", {"exists": "green", "absent": "red"}.get(answer.answer, "yellow")
    )
    for symbol in answer.matches:
        output.line(f"  {_one(symbol)}")
    if answer.answer != "exists":
        output.line(f"  {answer.reason}")
        for symbol in answer.nearest:
            output.line(f"  nearest: {_one(symbol)}")
    elif answer.matches and answer.matches[0].note:
        output.line(f"  note: {answer.matches[0].note}")


def _one(symbol: Symbol) -> str:
    return f"{symbol.signature or symbol.name}  {symbol.file}:{symbol.line}-{symbol.end_line}"


def _exit_code(answers: Iterable[str]) -> int:
    given = set(answers)
    return NO if "absent" in given else UNKNOWN if "unknown" in given else YES


def _batch(repo: Repo, options: argparse.Namespace, output: Output) -> int:
    given = set()
    for line in _lines_of(options):
        record = _answer_line(repo, line, options)
        given.add(record["answer"])
        output.json_line(record)
    return _exit_code(given)


def _lines_of(options: argparse.Namespace) -> Iterator[str]:
    """The lines of the batch, as they come."""
    if options.batch == "-":
        for raw in sys.stdin.buffer:
            yield raw.decode("utf-8", "replace").rstrip("\r\n")
        return
    from briefkit.paths import LOCKFILE_LIMIT, read_text

    yield from read_text(os.path.join(options.repo, options.batch), LOCKFILE_LIMIT, options.batch).splitlines()


def _answer_line(repo: Repo, line: str, options: argparse.Namespace) -> dict[str, Any]:
    """The answer to one line; a bad line is answered too, so that answers and lines stay in step."""
    name, tab, symbol = line.partition("\t")
    record: dict[str, Any] = {
        "query": symbol,
        "answer": "unknown",
        "name": name,
        "version": None,
        "reason": "",
        "nearest": [],
    }
    if not tab or not name.strip() or not symbol.strip() or len(line) > _LINE_LIMIT:
        return {**record, "query": line[:200], "name": None, "reason": "not a NAME<TAB>SYMBOL line"}
    try:
        library = repo.api(name.strip(), options.importer, ecosystem=options.ecosystem)
        answer = library.answer(symbol.strip())
    except BriefkitError as error:
        return {**record, "reason": str(error)}
    package = library.package_dict()
    nearest = [one.to_dict() for one in answer.nearest]
    return {
        **record,
        "answer": answer.answer,
        "name": package["name"],
        "version": package["version"],
        "reason": answer.reason,
        "nearest": nearest,
    }

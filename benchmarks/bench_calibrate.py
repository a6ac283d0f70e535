"""Whether "how do we X with LIB" leads to the right symbol, and what a claimed confidence is worth.

The questions are in `search_questions.py`: half of the libraries for development, half held out. They are asked of real installs, which are
laid once, beside the benches' other trees:

    mkdir -p $BRIEFKIT_CALIBRATE/py $BRIEFKIT_CALIBRATE/js
    python -m benchmarks.bench_calibrate pypi > $BRIEFKIT_CALIBRATE/py/requirements.in
    cd $BRIEFKIT_CALIBRATE/py && python -m venv .venv && .venv/bin/pip install -r requirements.in && .venv/bin/pip freeze > requirements.txt
    cd $BRIEFKIT_CALIBRATE/js && npm init -y && npm install --ignore-scripts $(python -m benchmarks.bench_calibrate npm)

`BRIEFKIT_CALIBRATE` is where they lie (default: `briefkit-calibrate` in the folder for temporary files). Libraries that are not installed are
left out, and said so. Rows: right first, right among the first three, mean reciprocal rank among eight, and for each step of claimed
confidence the share of answers that are right among the first three.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from typing import NamedTuple

from benchmarks.harness import Row
from benchmarks.search_questions import QUESTIONS, Asked
from briefkit.names import NPM, PYPI
from briefkit.projects.project import open_project
from briefkit.research.library import Library, open_library
from briefkit.research.questions import read_question
from briefkit.research.source import claimed, hits_for

_STEPS = (0.0, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_OPENING = 0.6
# What installs the types of a package that has none of its own.
_TYPES = ("express", "lodash", "jsonwebtoken", "nodemailer", "yargs", "ws", "pg", "luxon")


class Result(NamedTuple):
    """A question, the rank of the first right symbol (0: none among eight), the claim, and the milliseconds the search took."""

    asked: Asked
    rank: int
    confidence: float
    took_ms: float


def rows(quick: bool) -> list[Row]:
    """Both halves' figures, with what each step of confidence is worth; `quick` asks one question of each library."""
    results = _results(_firsts() if quick else QUESTIONS)
    found: list[Row] = []
    for held_out, half in ((False, "development"), (True, "held out")):
        own = [one for one in results if one.asked.held_out == held_out]
        if own:
            found += _rows_of(half, own)
    return found


def _firsts() -> tuple[Asked, ...]:
    return tuple({(one.ecosystem, one.library): one for one in reversed(QUESTIONS)}.values())


def _rows_of(half: str, results: list[Result]) -> list[Row]:
    count = len(results)
    sure = [one for one in results if one.confidence >= _OPENING]
    unsure = [one for one in results if one.confidence < _OPENING]
    found = [
        Row("calibrate", half, "questions", "questions", count),
        Row("calibrate", half, "right first", "share", _share(results, 1)),
        Row("calibrate", half, "right among three", "share", _share(results, 3)),
        Row(
            "calibrate",
            half,
            "mean reciprocal rank",
            "",
            round(sum(1 / one.rank for one in results if one.rank) / count, 3),
        ),
        Row(
            "calibrate",
            half,
            "search, median",
            "ms",
            round(sorted(one.took_ms for one in results)[count // 2], 2),
            goal="<= 5",
        ),
        Row(
            "calibrate",
            half,
            f"claimed {_OPENING} or more: first 3 ({len(sure)})",
            "share",
            _share(sure, 3),
            goal=">= 0.85",
        ),
        Row("calibrate", half, f"claimed less: first 3 ({len(unsure)})", "share", _share(unsure, 3)),
    ]
    for low, high in zip(_STEPS, (*_STEPS[1:], 1.01), strict=True):
        step = [one for one in results if low <= one.confidence < high]
        if step:
            label = f"claimed {low}–{min(high, 1.0)}: first 3 ({len(step)})"
            found.append(Row("calibrate", half, label, "share", _share(step, 3)))
    return found


def _share(results: list[Result], within: int) -> float:
    return round(sum(0 < one.rank <= within for one in results) / max(len(results), 1), 3)


def _results(questions: tuple[Asked, ...]) -> list[Result]:
    base = os.environ.get("BRIEFKIT_CALIBRATE") or os.path.join(tempfile.gettempdir(), "briefkit-calibrate")
    roots = {PYPI: os.path.join(base, "py"), NPM: os.path.join(base, "js")}
    projects = {ecosystem: open_project(root) for ecosystem, root in roots.items() if os.path.isdir(root)}
    libraries: dict[tuple[str, str], Library] = {}
    found: list[Result] = []
    absent: list[str] = []
    for asked in questions:
        key = asked.ecosystem, asked.library
        if key not in libraries and asked.ecosystem in projects:
            libraries[key] = open_library(
                projects[asked.ecosystem],
                asked.library,
                ecosystem=asked.ecosystem,
                cache_dir=os.path.join(base, "cache"),
            )
        library = libraries.get(key)
        if library is None or library.table is None:
            absent.append(asked.library)
            continue
        found.append(_asked(asked, library))
    if absent:
        print(f"not installed under {base}: {' '.join(dict.fromkeys(absent))}", file=sys.stderr)
    return found


def _asked(asked: Asked, library: Library) -> Result:
    question = read_question(asked.question)
    hits = hits_for(question, library)
    start = time.perf_counter()
    hits_for(question, library)
    took = (time.perf_counter() - start) * 1000
    right = {place for name in asked.accepted for place in _places(name, library)}
    if not right:
        print(f"{asked.library}: none of {' '.join(asked.accepted)} exists", file=sys.stderr)
    rank = next(
        (
            at
            for at, hit in enumerate(hits, 1)
            if (hit.symbol.file, hit.symbol.line) in right or _is_same(hit.symbol.name, asked)
        ),
        0,
    )
    return Result(asked, rank, claimed(hits) if hits else 0.0, took)


def _places(name: str, library: Library) -> list[tuple[str, int]]:
    return [(symbol.file, symbol.line) for symbol in library.answer(name).matches]


def _is_same(name: str, asked: Asked) -> bool:
    """Whether a path is one that is accepted, under whatever it is reached by: `mongo.Collection.find` for `Collection.find`."""
    bare = asked.library.rpartition("/")[2].lower()
    return any(
        name == one or ("." in one and name.endswith(f".{one}")) or name.lower() == f"{bare}.{one}".lower()
        for one in asked.accepted
    )


def main(ecosystem: str) -> None:
    """Prints what to install of one ecosystem."""
    names = dict.fromkeys(one.library for one in QUESTIONS if one.ecosystem == ecosystem)
    types = [f"@types/{name}" for name in _TYPES if ecosystem == NPM]
    print("\n".join([*names, *types]))


if __name__ == "__main__":
    main(sys.argv[1])

"""What a Python package really has at run time, against what its symbol table says: a measuring tool, for any installed package.

usage: python -m benchmarks.compare_symbols --python ENV/bin/python [--repo DIR] [--wrong N] IMPORT_NAME …

The package is imported, in a child process of the environment's own Python, and its names are dumped with their signatures; then the
table is asked the same names, near misses of them, and real names on the wrong owner. briefkit itself never imports a package.
"""

from __future__ import annotations

import argparse
import collections
import json
import subprocess
from typing import Any, NamedTuple

from briefkit import open_repo

_DUMP = r"""
import contextlib, importlib, inspect, io, json, pkgutil, random, sys, types, warnings
warnings.simplefilter("ignore")
SKIPPED = ("tests", "test", "testing", "conftest", "__main__", "_vendor", "vendor", "examples", "benchmarks", "migrations")
MISSES = (lambda n: n + "_many", lambda n: "batch_" + n, lambda n: n + "s", lambda n: "get_" + n, lambda n: n + "_async")

def signature(value):
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            return [[p.name, p.kind.name, p.default is not p.empty] for p in inspect.signature(value).parameters.values()]
    except BaseException:
        return None

def read(owner, name):
    try:
        return getattr(owner, name, None)
    except BaseException:
        return None

def there_is(owner, name):
    try:
        return hasattr(owner, name)
    except BaseException:
        return True  # neither there nor absent

def load(name):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return importlib.import_module(name)

def modules(name):
    root = load(name)
    yield name, root
    for found in pkgutil.walk_packages(getattr(root, "__path__", ()), name + ".", onerror=lambda n: None):
        parts = found.name.split(".")[1:]
        if any(part in SKIPPED or part.startswith("_") for part in parts):
            continue
        try:
            yield found.name, load(found.name)
        except BaseException:
            continue

def dump(name, limit=3000):
    there, absent, owners = {}, set(), {}
    draw = random.Random(name)
    for module_name, module in list(modules(name))[:120]:
        owners[module_name] = module
        for key in [n for n in dir(module) if not n.startswith("_")]:
            value = read(module, key)
            home = getattr(value, "__module__", None)
            if isinstance(value, types.ModuleType) or not isinstance(home, str) or home.split(".")[0] != name:
                continue
            there[f"{module_name}.{key}"] = signature(value)
            if not inspect.isclass(value):
                continue
            if not any("__getattr__" in vars(c) for c in (*value.__mro__, *type(value).__mro__)):
                owners[f"{module_name}.{key}"] = value
            for member in dir(value):
                owner = next((c for c in value.__mro__ if member in vars(c)), None)
                if not member.startswith("_") and owner is not None and owner.__module__.split(".")[0] == name:
                    raw = inspect.getattr_static(value, member)
                    raw = getattr(raw, "__func__", raw)
                    there[f"{module_name}.{key}.{member}"] = signature(raw) if inspect.isfunction(raw) else None
    words = sorted({n.rsplit(".", 1)[1] for n in there})
    for owner, value in owners.items():
        for word in [draw.choice(MISSES)(w) for w in draw.sample(words, min(4, len(words)))] + draw.sample(words, min(3, len(words))):
            if not there_is(value, word):
                absent.add(f"{owner}.{word}")
    names = sorted(there)
    draw.shuffle(names)
    return {"there": {n: there[n] for n in names[:limit]}, "absent": sorted(absent)[:limit]}

print(json.dumps(dump(sys.argv[1])))
"""


class Score(NamedTuple):
    """What one package's table answered, counted, with the wrong answers."""

    counts: collections.Counter[str]
    wrong: list[str]


def dumped(python: str, name: str) -> dict[str, Any]:
    """The names of a package at run time, from a child process."""
    done = subprocess.run(
        [python, "-c", _DUMP, name], capture_output=True, text=True, encoding="utf-8", check=True, timeout=600
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def compared(repo: str, python: str, name: str) -> Score:
    """The table of one package against its run-time names."""
    truth = dumped(python, name)
    table = open_repo(repo).api(name)
    counts: collections.Counter[str] = collections.Counter()
    wrong: list[str] = []
    for query, parameters in truth["there"].items():
        answer = table.answer(query)
        counts[f"there {answer.answer}"] += 1
        if answer.answer == "absent":
            wrong.append(f"{query} is there: {answer.reason}")
        elif answer.matches and parameters is not None:
            _compare(query, answer.matches[0].signature, parameters, counts, wrong)
    for query in truth["absent"]:
        answer = table.answer(query)
        counts[f"absent {answer.answer}"] += 1
        if answer.answer == "exists":
            wrong.append(
                f"{query} is not there: {answer.matches[0].file}:{answer.matches[0].line} {answer.matches[0].note or ''}"
            )
    return Score(counts, wrong)


def _compare(
    query: str, shown: str, parameters: list[list[Any]], counts: collections.Counter[str], wrong: list[str]
) -> None:
    import ast

    head = shown.removeprefix("async ").removeprefix("def ").removeprefix("class ")
    try:
        made = ast.parse(f"def {head}: ...").body[0]
    except SyntaxError:
        return
    if not isinstance(made, ast.FunctionDef):
        return
    counts["signatures"] += 1
    mine = _parameters(made.args)
    if mine == [tuple(each) for each in parameters]:
        counts["signatures equal"] += 1
    else:
        wrong.append(f"{query} is called with {parameters}, shown as {shown}")


def _parameters(given: Any) -> list[tuple[str, str, bool]]:  # noqa: ANN401 - ast.arguments
    plain = [*given.posonlyargs, *given.args]
    first = len(plain) - len(given.defaults)
    found = [
        (each.arg, "POSITIONAL_ONLY" if at < len(given.posonlyargs) else "POSITIONAL_OR_KEYWORD", at >= first)
        for at, each in enumerate(plain)
    ]
    if given.vararg:
        found.append((given.vararg.arg, "VAR_POSITIONAL", False))
    found += [
        (each.arg, "KEYWORD_ONLY", default is not None)
        for each, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    ]
    if given.kwarg:
        found.append((given.kwarg.arg, "VAR_KEYWORD", False))
    return found


def _share(counts: collections.Counter[str], part: str, *whole: str) -> str:
    return f"{counts[part] / (sum(counts[each] for each in whole) or 1):7.2%}"


def main() -> None:
    """Prints a line for each package, and the first wrong answers."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--python", required=True)
    parser.add_argument("--repo", default=".")
    parser.add_argument("--wrong", type=int, default=0)
    parser.add_argument("names", nargs="+")
    given = parser.parse_args()
    there, absent = (
        ("there exists", "there absent", "there unknown"),
        ("absent exists", "absent absent", "absent unknown"),
    )
    for name in given.names:
        score = compared(given.repo, given.python, name)
        counts = score.counts
        print(
            f"{name:24} found {_share(counts, there[0], *there)}  denied {_share(counts, absent[1], *absent)}"
            f"  false no {counts[there[1]]}  false yes {counts[absent[0]]}"
            f"  signatures {_share(counts, 'signatures equal', 'signatures')} of {counts['signatures']}"
        )
        for line in score.wrong[: given.wrong]:
            print("   ", line)


if __name__ == "__main__":
    main()

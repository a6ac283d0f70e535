"""Does the repo already wrap this? Functions of the repo that call a library's symbol, and who calls them.

Derived from the repo's own files each time, and never kept: a wrapper is a fact about this checkout. Matching is by syntax, without
types: a function wraps a symbol when its body calls a name that ends as the symbol does, in a file that imports the library. A
call on the library itself (`lib.get`) is a function of it, a call on anything else (`client.get`) a method of one of its classes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from .repo_code import FileCode, Function, read_code
from .repo_files import PYTHON_ENDINGS, is_test
from .seen_names import names_seen

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .repo_code import Call
    from .repo_files import RepoCode, RepoFile

CALLERS_LIMIT = 50


class Wrapper(NamedTuple):
    """A function of the repo that calls a symbol of a library, where it does, and the calls of the function itself elsewhere.

    `wraps` is the symbol as the library names it, `at` the call inside, `callers` calls of the wrapper in other functions.
    """

    function: Function
    wraps: str
    at: Call
    callers: tuple[Call, ...]


class Wrappers(NamedTuple):
    """What was found, and how far was searched."""

    found: tuple[Wrapper, ...]
    files: int
    skipped: tuple[str, ...]


def find_wrappers(code: RepoCode, symbols: Sequence[str], imports: Iterable[str]) -> Wrappers:
    """The repo's public, non-test functions that call one of the symbols, best first.

    `symbols` are a library's names in order of relevance (`Model.bulkCreate`); `imports` are the names under which the
    library is imported (`sequelize`, `yaml`). Order: the symbol's relevance, then how many callers, then file and line.
    """
    files = code.files()
    imports = tuple(imports)
    last_names: dict[str, list[str]] = {}
    for symbol in symbols:
        last_names.setdefault(_last_name(symbol), []).append(symbol)
    importing = _import_pattern(imports)
    parsed: dict[str, FileCode] = {}
    found: dict[Function, tuple[str, Call]] = {}
    for file in files:
        if is_test(file.path) or not _mentions(file, last_names) or not importing.search(file.data):
            continue
        parsed[file.path] = read_code(file)
        for call in parsed[file.path].calls:
            meant = _meant(call, last_names.get(call.last, ()), file, imports)
            if meant and call.inside is not None and call.inside.public:
                best = found.get(call.inside)
                if best is None or symbols.index(meant) < symbols.index(best[0]):
                    found[call.inside] = (meant, call)
    callers = _callers(files, list(found), parsed)
    wrappers = [Wrapper(function, symbol, at, callers[function]) for function, (symbol, at) in found.items()]
    wrappers.sort(key=lambda one: (symbols.index(one.wraps), -len(one.callers), one.function.file, one.function.line))
    return Wrappers(tuple(wrappers), len(files), tuple(code.skipped))


def _meant(call: Call, candidates: Sequence[str], file: RepoFile, imports: Sequence[str]) -> str | None:
    """Which of the symbols with the call's last name is called; None where it can be none of them.

    Among methods that of a class whose name the file writes goes first: without types it is the nearest there is.
    """
    receiver = call.callee.rpartition(".")[0]
    bare = not receiver or receiver in imports or _is_namespace(receiver, file, imports)
    fitting = [symbol for symbol in candidates if _is_of_default(symbol) or _is_member(symbol, imports) != bare]
    written = [symbol for symbol in fitting if re.search(rf"\b{re.escape(_owner_name(symbol))}\b".encode(), file.data)]
    return next(iter(written or fitting), None)


def _is_member(symbol: str, imports: Sequence[str]) -> bool:
    """Whether a symbol is a member of a class or object: an owner stands before it that is no module of the library."""
    path = re.split(r"[.#]", symbol.rpartition(":")[2])
    while len(path) > 1 and (path[0] in imports or path[0].islower()):
        path = path[1:]
    return len(path) > 1


def _is_of_default(symbol: str) -> bool:
    """Whether a symbol is a member of the default export: of an object, or of instances where that is a class."""
    return re.match(r"default[.#]", symbol.rpartition(":")[2]) is not None


def _is_namespace(name: str, file: RepoFile, imports: Sequence[str]) -> bool:
    """Whether a file binds the name to the library itself: `import lib as l`, `import * as l from "lib"`, `const l = require("lib")`."""
    word = re.escape(name.split(".", maxsplit=1)[0])
    libraries = "|".join(re.escape(one) for one in imports)
    pattern = (
        rf"""import\s+(?:{libraries})(?:\.[\w.]+)?\s+as\s+{word}\b|import\s+(?:\*\s+as\s+)?{word}\s*(?:,[^;\n]*)?\s+from\s+["'](?:{libraries})["'/]"""
        rf"""|(?:const|let|var)\s+{word}\s*=\s*(?:await\s+)?(?:require|import)\(\s*["'](?:{libraries})["'/]"""
    )
    return re.search(pattern.encode(), file.data) is not None


def _owner_name(symbol: str) -> str:
    parts = re.split(r"[.#]", symbol.rpartition(":")[2])
    return parts[-2] if len(parts) > 1 else parts[-1]


def _callers(
    files: Sequence[RepoFile], functions: Sequence[Function], parsed: dict[str, FileCode]
) -> dict[Function, tuple[Call, ...]]:
    """For each function the calls of it, by the names it has there, in files of its language that define it or import it, outside itself."""
    callers: dict[Function, list[Call]] = {function: [] for function in functions}
    by_name: dict[str, list[Function]] = {}
    for function in functions:
        by_name.setdefault(function.name.rpartition(".")[2], []).append(function)
    imported = names_seen(files, functions)
    for file in files:
        here = imported.get(file.path, {})
        if not _mentions(file, by_name) and not here:
            continue
        code = parsed.setdefault(file.path, read_code(file))
        for call in code.calls:
            named = [each for each in by_name.get(call.last, ()) if _can_see(file, each)]
            for function in dict.fromkeys((*named, *here.get(call.last, ()))):
                if call.inside != function and len(callers[function]) < CALLERS_LIMIT:
                    callers[function].append(call)
    return {function: tuple(calls) for function, calls in callers.items()}


def _can_see(file: RepoFile, function: Function) -> bool:
    """Whether a file of the same language names the function's module in an import, or is the same file."""
    if file.path == function.file:
        return True
    if file.path.endswith(PYTHON_ENDINGS) != function.file.endswith(PYTHON_ENDINGS):
        return False
    folders, _, name = function.file.rpartition("/")
    stem = name.split(".")[0]
    module = folders.rpartition("/")[2] if stem in ("index", "__init__") else stem
    lines = re.findall(rb"(?m)^.*\b(?:import|from|require)\b.*$", file.data)
    word = re.compile(rb"(?<![\w-])" + re.escape(module.encode()) + rb"(?![\w-])")
    return any(word.search(line) for line in lines) or "." in function.name


def _mentions(file: RepoFile, names: Iterable[str]) -> bool:
    return any(name.encode() in file.data for name in names)


def _last_name(symbol: str) -> str:
    return re.split(r"[.#:]", symbol)[-1]


def _import_pattern(imports: Iterable[str]) -> re.Pattern[bytes]:
    """Matches an import of the library: `import x`, `from x.y import`, `from "x/y"`, `require('x')`, `import("x")`."""
    names = "|".join(re.escape(name) for name in sorted(set(imports)))
    return re.compile(
        rf"""(?m)(?:^\s*(?:import|from)\s+(?:{names})(?![\w-])|(?:from|import|require)\s*\(?\s*["'](?:{names})(?:/[^"'\n]*)?["']"""
        rf"""|^\s*import\s+[\w., ]*\b(?:{names})(?![\w-]))""".encode()
    )

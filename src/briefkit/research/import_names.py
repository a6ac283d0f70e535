"""Under which names the files of a repo reach its functions: default imports, names given anew, and what barrels pass on.

Modules are told apart by the last word of their path (`./db/index.js` and `~db` are `db`), so that path aliases need no configuration.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, NamedTuple

from .repo_files import PYTHON_ENDINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .repo_code import Function
    from .repo_files import RepoFile

_ROUNDS = 4
_INDEX = ("index", "__init__", "")
_FROM = re.compile(rb"""\b(import|export)\s+([^;'"()]{1,3000}?)\s*\bfrom\s*["']([^"'\n]+)["']""")
_REQUIRE = re.compile(
    rb"""\b(?:const|let|var)\s+(\{[^{}]{1,3000}\}|[\w$]+)\s*=\s*(?:await\s+)?(?:require|import)\(\s*["']([^"'\n]+)["']"""
)
_EXPORT_LIST = re.compile(rb"""\bexport\s*\{([^{}]{0,3000})\}(?!\s*from\b)""")
_PYTHON_FROM = re.compile(rb"(?m)^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^()]{1,3000}\)|[^\n#(]+)")
_COMMENT = re.compile(r"(?s)/\*.*?\*/|//[^\n]*|#[^\n]*")
_PAIR = re.compile(r"(?:type\s+)?([\w$]+|\*)(?:\s*(?:\bas\b|:)\s*([\w$]+))?")


_EXPORTS = re.compile(
    rb"""\bexport\s+default\s+([\w$]+)\s*(?:;|$)|\bexports(?:\.[\w$]+|\[[^\]\n]+\])?\s*=\s*([\w$]+)\s*(?:;|$)""",
    re.MULTILINE,
)
_EXPORTED_OBJECT = re.compile(rb"""\bexports\s*=\s*\{([^{}]{0,3000})""")
_WHOLE = rb"(?:\bexport\s+default\b|\bmodule\.exports\s*=|\bexports\.default\s*=)\s*(?:async\b\s*)?"


class Link(NamedTuple):
    """One name that a file takes from a module: `*` all of them; `local` is its name there, `passed` whether importers of the file get it under that name."""

    module: str
    name: str
    local: str
    passed: bool


def links_of(file: RepoFile) -> tuple[Link, ...]:
    """What a file imports by name, and what it passes on."""
    found = _python_links(file) if file.path.endswith(PYTHON_ENDINGS) else _script_links(file)
    return tuple(found)


def exported_names(text: bytes) -> frozenset[str]:
    """The names that a script gives to importers in lists and by assignment, away from where they are defined."""
    found = {name.decode() for names in _EXPORTS.findall(text) for name in names if name}
    for clause in _EXPORT_LIST.findall(text):
        found |= {name for name, _ in _pairs(clause)}
    for clause in _EXPORTED_OBJECT.findall(text):
        found |= {local for _, local in _pairs(clause)}
    return frozenset(found)


def names_seen(files: Sequence[RepoFile], functions: Iterable[Function]) -> dict[str, dict[str, tuple[Function, ...]]]:
    """For each file the names, other than their own, under which it has imported some of the functions."""
    doors = {function: _own_doors(function, files) for function in functions}
    links = {file.path: links_of(file) for file in files} if doors else {}
    for function, open_doors in doors.items():
        for _ in range(_ROUNDS):
            passed = {
                (module_word(path), name)
                for path, given in links.items()
                for link in given
                if link.passed
                for name in _given(link, open_doors)
                if path.endswith(PYTHON_ENDINGS) == function.file.endswith(PYTHON_ENDINGS)
            }
            if passed <= open_doors:
                break
            open_doors.update(passed)
    seen: dict[str, dict[str, tuple[Function, ...]]] = {}
    for path, given in links.items():
        for function, open_doors in doors.items():
            if path.endswith(PYTHON_ENDINGS) != function.file.endswith(PYTHON_ENDINGS) or path == function.file:
                continue
            for name in {name for link in given for name in _given(link, open_doors)}:
                named = seen.setdefault(path, {})
                named[name] = (*named.get(name, ()), function)
    return seen


def module_word(path: str) -> str:
    """The word that a module is told by: its file's name without ending, that of its folder for an `index` or `__init__`."""
    folder, _, name = path.rpartition("/")
    stem = name.split(".")[0].lstrip("~@#$")
    return folder.rpartition("/")[2].lstrip("~@#$") if stem in _INDEX else stem


def _given(link: Link, doors: set[tuple[str, str]]) -> Iterator[str]:
    """The names under which a link gives what is reached through some (module, name)."""
    if link.name == "*":
        yield from (name for module, name in doors if module == link.module and name != "default")
    elif (link.module, link.name) in doors:
        yield link.local


def _own_doors(function: Function, files: Sequence[RepoFile]) -> set[tuple[str, str]]:
    """The (module, name) pairs under which a function's own file gives it away."""
    word, name = module_word(function.file), function.name.rpartition(".")[2]
    doors = {(word, name)}
    if function.file.endswith(PYTHON_ENDINGS):
        return doors
    text = next((file.data for file in files if file.path == function.file), b"")
    own = rb"(?:function\b[\s*]*)?%b\b" % re.escape(name.encode())
    nameless = rb"(?:function\b[\s*]*)?\(|[\w$]+\s*=>"
    if re.search(_WHOLE + own, text) or (name == word and re.search(_WHOLE + b"(?:" + nameless + b")", text)):
        doors.add((word, "default"))
    for clause in _EXPORT_LIST.findall(text):
        doors |= {(word, local) for given, local in _pairs(clause) if given == name}
    for clause in _EXPORTED_OBJECT.findall(text):
        doors |= {(word, given) for given, local in _pairs(clause) if local == name}
    return doors


def _script_links(file: RepoFile) -> Iterator[Link]:
    exported = {name: local for clause in _EXPORT_LIST.findall(file.data) for name, local in _pairs(clause)}
    for keyword, clause, specifier in _FROM.findall(file.data):
        module = _module_of(specifier, file.path)
        for name, local in _clause(clause):
            if keyword == b"export":
                yield Link(module, name, local, passed=True)
                continue
            yield Link(module, name, local, passed=False)
            if local in exported:
                yield Link(module, name, exported[local], passed=True)
    for clause, specifier in _REQUIRE.findall(file.data):
        for name, local in _clause(clause):
            yield Link(_module_of(specifier, file.path), name, local, passed=False)


def _python_links(file: RepoFile) -> Iterator[Link]:
    passed = file.path.endswith("__init__.py")
    for specifier, clause in _PYTHON_FROM.findall(file.data):
        dotted = specifier.decode("utf-8", "replace")
        dots = len(dotted) - len(dotted.lstrip("."))
        below = dotted[dots:].replace(".", "/")
        path = posixpath.join(posixpath.dirname(file.path), *[".."] * (dots - 1), below) if dots else below
        module = module_word(posixpath.normpath(path).rstrip("/"))
        for name, local in _pairs(clause.strip(b"()")):
            yield Link(module, name, local, passed)


def _module_of(specifier: bytes, importer: str) -> str:
    text = specifier.decode("utf-8", "replace")
    if text.startswith("."):
        text = posixpath.normpath(posixpath.join(posixpath.dirname(importer), text))
    return module_word(text.rstrip("/"))


def _clause(clause: bytes) -> Iterator[tuple[str, str]]:
    """The (name, local name) pairs of `Whole, { a, b as c }`; `* as all` gives none that is called by itself."""
    before, brace, inside = clause.decode("utf-8", "replace").partition("{")
    words = [word for word in before.replace(",", " ").split() if word != "type"]
    if words[:1] == ["*"] and len(words) == 1:
        yield "*", "*"
    elif len(words) == 1:
        yield "default", words[0]
    if brace:
        yield from _pairs(inside.partition("}")[0].encode())


def _pairs(clause: bytes) -> Iterator[tuple[str, str]]:
    """The (name, local name) pairs of `a, b as c, d: e`."""
    for part in _COMMENT.sub(" ", clause.decode("utf-8", "replace")).split(","):
        found = _PAIR.fullmatch(part.strip())
        if found is not None:
            yield found[1], found[2] or found[1]

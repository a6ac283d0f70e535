"""What the files of a repo take from each other by name: imports, names given anew, and what barrels pass on.

Modules are told apart by the last word of their path (`./db/index.js` and `~db` are `db`), so that path aliases need no configuration.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, NamedTuple

from .repo_files import PYTHON_ENDINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .repo_files import RepoFile

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


def names_given(text: bytes, name: str) -> set[str]:
    """The names under which a script's lists and objects give one of its own to importers."""
    exported = {given for clause in _EXPORT_LIST.findall(text) for local, given in _pairs(clause) if local == name}
    keyed = {key for clause in _EXPORTED_OBJECT.findall(text) for key, local in _pairs(clause) if local == name}
    return exported | keyed


def module_word(path: str) -> str:
    """The word that a module is told by: its file's name without ending, that of its folder for an `index` or `__init__`."""
    folder, _, name = path.rpartition("/")
    stem = name.split(".")[0].lstrip("~@#$")
    return folder.rpartition("/")[2].lstrip("~@#$") if stem in _INDEX else stem


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

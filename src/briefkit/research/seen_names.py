"""Under which names the files of a repo reach its functions, by default imports, other names and barrels."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .import_names import links_of, module_word, names_given
from .repo_files import PYTHON_ENDINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .import_names import Link
    from .repo_code import Function
    from .repo_files import RepoFile

_ROUNDS = 4
_WHOLE = rb"(?:\bexport\s+default\b|\bmodule\.exports\s*=|\bexports\.default\s*=)\s*(?:async\b\s*)?"


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
    return doors | {(word, each) for each in names_given(text, name)}

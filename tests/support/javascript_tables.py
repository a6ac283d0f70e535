"""Symbol tables of npm packages that a test writes out as text."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from node_trees import lay, package

from briefkit.installed.node_finding import find_package
from briefkit.symbols.javascript_table import JavaScriptTable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from briefkit.packages import Installed
    from briefkit.symbols.records import Answer, Symbol


def find(_ecosystem: str, name: str, folder: str) -> Installed | None:
    """The finder of packages that a project gives."""
    return find_package(name, folder)


def table(
    folder: Path,
    files: Mapping[str, Any],
    *,
    cache: str | None = None,
    others: Mapping[str, Any] | None = None,
    **fields: Any,
) -> JavaScriptTable:
    """The table of a package `p` with these files; `others` are paths below `node_modules`."""
    tree = {f"node_modules/p/{path}": text for path, text in files.items()}
    tree["node_modules/p/package.json"] = package("p", **fields)
    for path, content in (others or {}).items():
        tree[f"node_modules/{path}"] = content
    found = find_package("p", lay(folder, tree))
    assert found is not None
    return JavaScriptTable(found, cache_dir=cache, find=find)


def answers(subject: JavaScriptTable, names: str) -> dict[str, str]:
    """The answer to each of the names, which are parted by blanks."""
    return {name: subject.answer(name).answer for name in names.split()}


def expected(exists: str = "", absent: str = "", unknown: str = "") -> dict[str, str]:
    """The answers that names, parted by blanks, should have."""
    return {
        name: answer
        for answer, names in (("exists", exists), ("absent", absent), ("unknown", unknown))
        for name in names.split()
    }


def matches(answer: Answer) -> list[tuple[str, str, str, int, int]]:
    """(kind, signature, file's last name, line, last line) of each match."""
    return [shown(symbol) for symbol in answer.matches]


def shown(symbol: Symbol) -> tuple[str, str, str, int, int]:
    """A symbol without what depends on the machine."""
    return symbol.kind, symbol.signature, os.path.basename(symbol.file), symbol.line, symbol.end_line

"""Pipfile: what it declares, by its categories; `packages` is Pipfile.lock's `default`, `dev-packages` its `develop`."""

from __future__ import annotations

import re

from briefkit.records import TYPE_CHECKING

from ..lockfiles.toml_document import load_toml
from ..paths import read_text
from .package_json import Declared
from .pyproject import extras_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_NOT_CATEGORIES = ("source", "requires", "scripts", "pipenv", "pipfile")
_GROUPS = {"packages": "default", "dev-packages": "develop"}


def declared_in_pipfile(path: str, shown: str) -> Iterator[Declared]:
    """Each dependency of each category.

    Raises:
        UnreadableError: The file is not TOML, or is over a bound.

    """
    text = read_text(path, shown=shown)
    for category, table in load_toml(text, shown).items():
        if category in _NOT_CATEGORIES or not isinstance(table, dict):
            continue
        for name, wanted in table.items():
            marker = wanted.get("markers") if isinstance(wanted, dict) else None
            yield Declared(
                name,
                _requirement(wanted),
                _GROUPS.get(category, category),
                _line_of(text, category, name),
                marker if isinstance(marker, str) else None,
                extras_of(wanted),
            )


def _requirement(wanted: object) -> str:
    if isinstance(wanted, str):
        return wanted
    if isinstance(wanted, dict):
        from ..text import public_url

        for key in ("version", "git", "path", "file"):
            if isinstance(wanted.get(key), str):
                return wanted[key] if key == "version" else public_url(wanted[key])
    return ""


def _line_of(text: str, category: str, name: str) -> int:
    start = max(text.find(f"[{category}]"), 0)
    found = re.search(rf"(?m)^[ \t]*[\"']?{re.escape(name)}[\"']?[ \t]*[=.\]]", text[start:])
    return 0 if found is None else text.count("\n", 0, start + found.start()) + 1

"""setup.cfg of setuptools: `install_requires` and `extras_require`, read line by line; values that name a file are not followed."""

from __future__ import annotations

import re

from briefkit.records import TYPE_CHECKING

from ..lockfiles.dependency_strings import dependency_parts
from ..paths import MEBIBYTE, read_text
from .package_json import Declared

if TYPE_CHECKING:
    from collections.abc import Iterator

_SECTION = re.compile(r"\[([^\]]+)\]\s*$")
_KEY = re.compile(r"([A-Za-z0-9_.-]+)\s*[=:]\s*(.*)$")


def declared_in_setup_cfg(path: str, shown: str) -> Iterator[Declared]:
    """Each requirement of `[options] install_requires` and of each extra.

    Raises:
        UnreadableError: The file cannot be read, or is over a bound.

    """
    section, group = "", None
    for number, line in enumerate(read_text(path, MEBIBYTE, shown).splitlines(), 1):
        if not line.strip() or line.lstrip().startswith(("#", ";")):
            continue
        content = line.strip()
        if not line[0].isspace():
            group = None
            if found := _SECTION.match(line):
                section = found.group(1).strip()
                continue
            if found := _KEY.match(line):
                group, content = _group(section, found.group(1)), found.group(2).strip()
        if group is None or not content or content.startswith("file:"):
            continue
        parts = dependency_parts(content)
        if parts is not None:
            yield Declared(parts.name, parts.requirement or "", group, number, parts.marker, parts.extras)


def _group(section: str, key: str) -> str | None:
    if section == "options" and key == "install_requires":
        return "main"
    return f"extra:{key}" if section == "options.extras_require" else None

"""pyproject.toml of the repo itself: what it declares, uv's workspace list, and which manager its tables speak of."""

from __future__ import annotations

import os
import re

from briefkit.records import TYPE_CHECKING

from ..lockfiles.dependency_strings import dependency_parts
from ..lockfiles.toml_document import load_toml
from ..names import pypi_name
from ..paths import read_text
from .package_json import Declared

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

MANIFEST = "pyproject.toml"
MANAGERS = ("uv", "poetry", "pdm")
_MAX_DEPTH = 20


class PyProject:
    """A pyproject.toml: its text and tables, parsed at the first use."""

    def __init__(self, folder: str, shown: str | None = None) -> None:
        """The file in `folder`.

        Raises:
            UnreadableError: It is missing or cannot be read.

        """
        self.shown = shown or os.path.join(folder, MANIFEST)
        self.text = read_text(os.path.join(folder, MANIFEST), shown=self.shown)
        self._tables: Mapping[str, Any] | None = None

    @property
    def tables(self) -> Mapping[str, Any]:
        """The parsed file.

        Raises:
            UnreadableError: It is not TOML.

        """
        if self._tables is None:
            self._tables = load_toml(self.text, self.shown)
        return self._tables

    def table(self, *keys: str) -> Mapping[str, Any]:
        """The table at a key path, empty where there is none."""
        value: Any = self.tables
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value if isinstance(value, dict) else {}

    def manager(self) -> tuple[str, int] | None:
        """The one manager whose `[tool.NAME]` table the file has, and its line; None where none or several do."""
        found = [(name, line) for name in MANAGERS if (line := self._tool_line(name))]
        return found[0] if len(found) == 1 else None

    def _tool_line(self, name: str) -> int:
        found = re.search(rf"(?m)^[ \t]*\[\[?[ \t]*tool[ \t]*\.[ \t]*{name}[ \t]*[.\]]", self.text)
        if found:
            return self.text.count("\n", 0, found.start()) + 1
        return 1 if f"tool.{name}" in self.text and name in self.table("tool") else 0

    def name(self) -> str | None:
        """The project's own name, None where it states none."""
        name = self.table("project").get("name") or self.table("tool", "poetry").get("name")
        return name if isinstance(name, str) else None

    def declared(self) -> tuple[Declared, ...]:
        """All dependencies the file declares, each once for each group that names it.

        Groups are `main`, `extra:NAME` and the names of dependency groups.
        """
        return tuple(_Declarations(self).all())

    def line_of(self, name: str, section: str) -> int:
        """The line on which a dependency stands, after the key of its section where that is found; 0 where it is not."""
        start = max(self.text.find(section), 0)
        found = re.search(rf"(?i)(?<![\w.-]){re.escape(name)}(?![\w-])", self.text[start:])
        return 0 if found is None else self.text.count("\n", 0, start + found.start()) + 1


def uv_workspace(folder: str) -> tuple[str, ...] | None:
    """The patterns of `[tool.uv.workspace]`, None where the file has no such table; excluded ones begin with `!`.

    Raises:
        UnreadableError: The file cannot be read.

    """
    project = PyProject(folder)
    if "workspace" not in project.text:
        return None
    workspace = project.table("tool", "uv", "workspace")
    if not workspace:
        return None
    excluded = tuple(f"!{pattern}" for pattern in _texts(workspace.get("exclude")))
    return (*_texts(workspace.get("members")), *excluded)


class _Declarations:
    """The walk over all places in which a pyproject.toml declares dependencies."""

    def __init__(self, project: PyProject) -> None:
        self.project = project

    def all(self) -> Iterator[Declared]:
        table = self.project.table("project")
        yield from self._listed(table.get("dependencies"), "main", "dependencies")
        for extra, listed in self.project.table("project", "optional-dependencies").items():
            yield from self._listed(listed, f"extra:{extra}", "optional-dependencies")
        groups = self.project.table("dependency-groups")
        for group in groups:
            yield from self._group(groups, group, group, frozenset())
        yield from self._poetry()
        for group, listed in self.project.table("tool", "pdm", "dev-dependencies").items():
            yield from self._listed(listed, group, "dev-dependencies")
        yield from self._listed(self.project.table("tool", "uv").get("dev-dependencies"), "dev", "dev-dependencies")

    def _group(self, groups: Mapping[str, Any], name: str, group: str, seen: frozenset[str]) -> Iterator[Declared]:
        """One dependency group with those it includes, each once."""
        if name in seen or len(seen) > _MAX_DEPTH:
            return
        entries = groups.get(name)
        yield from self._listed(entries, group, "dependency-groups")
        for entry in entries if isinstance(entries, list) else ():
            included = entry.get("include-group") if isinstance(entry, dict) else None
            if isinstance(included, str):
                yield from self._group(groups, included, group, seen | {name})

    def _listed(self, entries: object, group: str, section: str) -> Iterator[Declared]:
        for entry in _texts(entries):
            parts = dependency_parts(entry)
            if parts is not None:
                written = entry.split("[")[0].split(";")[0].split("@")[0].strip(" <>=!~()0123456789.*,")
                line = self.project.line_of(written or parts.name, section)
                yield Declared(parts.name, parts.requirement or "", group, line, parts.marker, parts.extras)

    def _poetry(self) -> Iterator[Declared]:
        poetry = self.project.table("tool", "poetry")
        yield from self._poetry_table(poetry.get("dependencies"), "main", "tool.poetry.dependencies")
        yield from self._poetry_table(poetry.get("dev-dependencies"), "dev", "tool.poetry.dev-dependencies")
        groups = poetry.get("group")
        for group, table in groups.items() if isinstance(groups, dict) else ():
            if isinstance(table, dict):
                yield from self._poetry_table(table.get("dependencies"), group, f"tool.poetry.group.{group}")

    def _poetry_table(self, table: object, group: str, section: str) -> Iterator[Declared]:
        for name, wanted in table.items() if isinstance(table, dict) else ():
            if name.lower() == "python":
                continue
            for each in wanted if isinstance(wanted, list) else [wanted]:
                requirement, marker = _poetry_constraint(each)
                line = self.project.line_of(name, section)
                yield Declared(name, requirement, group, line, marker, extras_of(each))


def _poetry_constraint(wanted: object) -> tuple[str, str | None]:
    """The requirement and marker of one poetry constraint: a text, or a table that names a version, git, path or url."""
    if isinstance(wanted, str):
        return wanted, None
    if not isinstance(wanted, dict):
        return "", None
    marker = wanted.get("markers")
    for key in ("version", "git", "path", "url", "file"):
        if isinstance(wanted.get(key), str):
            from ..text import public_url

            text = wanted[key] if key == "version" else public_url(wanted[key])
            return text, marker if isinstance(marker, str) else None
    return "", marker if isinstance(marker, str) else None


def extras_of(wanted: object) -> tuple[str, ...]:
    """The extras that a table of a manifest asks for, normalised."""
    return tuple(pypi_name(extra) for extra in _texts(wanted.get("extras"))) if isinstance(wanted, dict) else ()


def _texts(value: object) -> tuple[str, ...]:
    return tuple(entry for entry in value if isinstance(entry, str)) if isinstance(value, list) else ()

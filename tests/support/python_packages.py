"""Small distributions written as text, installed where a test says, and their tables."""

from __future__ import annotations

import os
import textwrap
from typing import TYPE_CHECKING

from briefkit.packages import Installed
from briefkit.symbols.python_table import PythonTable

if TYPE_CHECKING:
    from pathlib import Path

SITE = ("lib", "python3.11", "site-packages")


class Site:
    """An environment's site-packages in which distributions are laid as text."""

    def __init__(self, root: Path) -> None:
        self.folder = root.joinpath(*SITE)
        self.folder.mkdir(parents=True)
        self.installed: dict[str, Installed] = {}
        self.asked: list[str] = []

    def lay(self, name: str, files: dict[str, str | bytes], version: str = "1.0") -> Installed:
        """Writes the files of a distribution and its metadata; the import names are the first words of the paths."""
        for path, text in files.items():
            place = self.folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            data = text if isinstance(text, bytes) else textwrap.dedent(text).lstrip("\n").encode()
            place.write_bytes(data)
        info = self.folder / f"{name}-{version}.dist-info"
        info.mkdir(exist_ok=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
        (info / "RECORD").write_text("".join(f"{path},,\n" for path in files), encoding="utf-8")
        tops = tuple(sorted({path.partition("/")[0].partition(".")[0] for path in files}))
        root = self.folder / tops[0]
        found = Installed(
            "pypi",
            name,
            version,
            str(root if root.is_dir() else root.with_suffix(".py")),
            evidence=(str(info / "METADATA"),),
            top_levels=tops,
            search_root=str(self.folder),
        )
        for top in tops:
            self.installed[top] = found
        return found

    def find(self, _ecosystem: str, name: str, _directory: str) -> Installed | None:
        """The distribution that owns an import name."""
        self.asked.append(name)
        return self.installed.get(name)

    def table(self, name: str, cache_dir: Path | None = None) -> PythonTable:
        """The table of the distribution that owns an import name."""
        return PythonTable(
            self.installed[name], cache_dir=None if cache_dir is None else str(cache_dir), find=self.find
        )

    def answers(self, table: PythonTable, *queries: str) -> dict[str, str]:
        """Query -> answer."""
        return {query: table.answer(query).answer for query in queries}


def shown(path: str, site: Site) -> str:
    """A path as tests compare it: relative to site-packages, POSIX."""
    return os.path.relpath(path, site.folder).replace(os.sep, "/")

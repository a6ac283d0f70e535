"""The import finders that editable installs leave in site-packages, recognised by their text and never run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .python_modules import FoundModule


class Loader(NamedTuple):
    """One finder: the file it was read from, whether it goes before the search path, and the modules it leads to."""

    path: str
    first: bool
    modules: tuple[tuple[str, str], ...]

    def find(self, name: str) -> FoundModule | None:
        """The module of that name behind this finder, or None."""
        del name
        return None

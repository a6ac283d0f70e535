"""Where each Python project manager keeps a project's environment, by its own formula, computed and never asked of the manager."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def manager_environments(folder: str, environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """(environment folder, rule) of each manager that the folder's files speak of, whether or not it exists."""
    del folder, environ
    yield from ()

"""Installed npm packages: the names that other floors use; what one question does not need is not imported."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from .node_finding import find_package, types_name, types_package
from .node_layout import Layout, layout_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from briefkit.packages import Installed

    from .description import Description

__all__ = [
    "Layout",
    "builtin",
    "copies",
    "describe",
    "elsewhere",
    "find_package",
    "layout_of",
    "list_packages",
    "types_name",
    "types_package",
]


def describe(installed: Installed) -> Description:
    """Entry points, types, README, changelog and the number of files of one copy: `node_description.describe`."""
    from . import node_description

    return node_description.describe(installed)


def copies(name: str, root: str, members: Sequence[str] | None = None) -> tuple[Installed, ...]:
    """Every installed copy of one package below a root: `node_listing.copies`."""
    from . import node_listing

    return node_listing.copies(name, root, members)


def list_packages(root: str, members: Sequence[str] | None = None) -> tuple[Installed, ...]:
    """Every installed copy of every package below a root: `node_listing.list_packages`."""
    from . import node_listing

    return node_listing.list_packages(root, members)


def builtin(name: str) -> Installed | None:
    """Node's own module of that name, of kind `builtin`: `node_elsewhere.builtin`."""
    from . import node_elsewhere

    return node_elsewhere.builtin(name)


def elsewhere(name: str, from_dir: str, root: str, members: Sequence[str] | None = None) -> tuple[Installed, ...]:
    """What there is under a name that a folder cannot import, each labelled: `node_elsewhere.elsewhere`."""
    from . import node_elsewhere

    return node_elsewhere.elsewhere(name, from_dir, root, members)

"""Installed npm packages: the names that other floors use."""

from __future__ import annotations

from .node_description import describe
from .node_elsewhere import builtin, elsewhere
from .node_finding import find_package, types_name, types_package
from .node_layout import Layout, layout_of
from .node_listing import copies, list_packages

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

"""Trees of npm packages for tests: written out in a test, or kept as one JSON file for each package manager.

A tree maps a path to its text, to an object (written as JSON) or to `{"link": target}`.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

KEPT = os.path.join(os.path.dirname(__file__), "..", "installed", "trees")


def lay(folder: Path, tree: Mapping[str, Any]) -> str:
    """Lays a tree below a folder; returns the folder's real path."""
    for path, content in tree.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            place.write_bytes(content)
        elif isinstance(content, str):
            place.write_text(content, encoding="utf-8")
        elif list(content) == ["link"]:
            place.symlink_to(content["link"])
        else:
            place.write_text(json.dumps(content), encoding="utf-8")
    return os.path.realpath(folder)


def lay_kept(folder: Path, name: str) -> str:
    """Lays one of the kept trees, each trimmed from what a package manager laid for the same project."""
    with open(os.path.join(KEPT, f"{name}.json"), encoding="utf-8") as kept:
        return lay(folder, json.load(kept))


def package(name: str, version: str = "1.0.0", **fields: Any) -> dict[str, Any]:
    """A package.json."""
    return {"name": name, "version": version, **fields}

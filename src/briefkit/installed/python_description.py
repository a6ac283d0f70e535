"""Entry points, types and documents of a Python distribution."""

from __future__ import annotations

import os
import re

from briefkit.errors import UnreadableError
from briefkit.paths import read_text
from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING

from .description import Description
from .files import citation_path, find_changelog, find_readme, package_files
from .import_roots import place_of
from .python_types import types_of
from .record_files import read_record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from briefkit.packages import Installed

    from .files import PackageFile

ENTRY_POINTS_LIMIT = 1 << 20
_SECTION = lazy_pattern(r"^\[([^\]\n]+)\][ \t]*$", re.MULTILINE)
_SCRIPT = lazy_pattern(r"^([^=#;\[\n]+?)[ \t]*=[ \t]*([A-Za-z0-9_.]+(?::[A-Za-z0-9_.]+)?)", re.MULTILINE)
_COMPILED = (".so", ".pyd")
_NAMED = 3


def describe(installed: Installed) -> Description:
    """What the distribution offers: its import names with their files, its scripts, its types, its README and changelog.

    The warnings name what a reader of the source must know: compiled modules, files that differ from their RECORD.

    Raises:
        UnreadableError: It lies in a zip that cannot be read.

    """
    files = package_files(installed)
    readme, changelog = find_readme(installed), find_changelog(installed, files)
    imports = dict(_imports(installed))
    entry: dict[str, Any] = {"import": imports}
    scripts = _scripts(installed)
    if scripts:
        entry["bin"] = scripts
    compiled = [name for name, path in imports.items() if path.endswith(_COMPILED)]
    warnings = [f"{name} is compiled; its source is not in the distribution" for name in compiled]
    warnings += _edited(installed, files)
    return Description(
        entry,
        types_of(installed),
        None if readme is None else citation_path(installed, readme),
        None if changelog is None else citation_path(installed, changelog),
        len(files),
        tuple(warnings),
    )


def _edited(installed: Installed, files: Sequence[PackageFile]) -> list[str]:
    """A warning where files no longer have the size that the RECORD states: somebody edited the installed copy."""
    changed = [file.path for file in files if file.sha256 is None and file.path.endswith((".py", ".pyi"))]
    record = next((path for path in installed.evidence if os.path.basename(path) == "RECORD"), None)
    if not changed or record is None or installed.project is not None:
        return []
    hashed = {row.path for row in read_record(record) if row.sha256 is not None}
    edited = [path for path in changed if path in hashed]
    if not edited:
        return []
    more = f" and {len(edited) - _NAMED} more" if len(edited) > _NAMED else ""
    return [f"edited after installation: {', '.join(edited[:_NAMED])}{more}"]


def _imports(installed: Installed) -> Iterator[tuple[str, str]]:
    """Each import name with the file that it loads; the source before a stub before a compiled module."""
    for name in installed.top_levels:
        if installed.inner is not None:
            yield name, citation_path(installed, name.replace(".", "/"))
            continue
        place = dict(installed.modules).get(name) or place_of(installed.search_root or installed.root, name)
        if place is not None:
            inits = (os.path.join(place, "__init__" + suffix) for suffix in (".py", ".pyi"))
            yield name, next((init for init in inits if os.path.isfile(init)), place)


def _scripts(installed: Installed) -> dict[str, str]:
    """The console and GUI scripts of `entry_points.txt`, each with the object that it calls."""
    if not installed.evidence or installed.inner is not None:
        return {}
    path = os.path.join(os.path.dirname(installed.evidence[0]), "entry_points.txt")
    try:
        text = read_text(path, ENTRY_POINTS_LIMIT)
    except UnreadableError:
        return {}
    parts = _SECTION.split(text)
    found: dict[str, str] = {}
    for section, body in zip(parts[1::2], parts[2::2], strict=False):
        if section.strip() in ("console_scripts", "gui_scripts"):
            found.update({name.strip(): target for name, target in _SCRIPT.findall(body)})
    return found

"""Entry points, types and documents of a Python distribution."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .description import Description
from .files import citation_path, find_changelog, find_readme, package_files
from .import_roots import place_of

if TYPE_CHECKING:
    from briefkit.packages import Installed


def describe(installed: Installed) -> Description:
    """What the distribution offers: its import names with their files, its README and changelog, its types.

    Raises:
        UnreadableError: It lies in a zip that cannot be read.

    """
    readme, changelog = find_readme(installed), find_changelog(installed)
    return Description(
        {"import": _imports(installed)},
        (),
        None if readme is None else citation_path(installed, readme),
        None if changelog is None else citation_path(installed, changelog),
        len(package_files(installed)),
    )


def _imports(installed: Installed) -> dict[str, str]:
    found = {}
    for name in installed.top_levels:
        place = dict(installed.modules).get(name) or place_of(installed.search_root or installed.root, name)
        if place is not None:
            init = os.path.join(place, "__init__.py")
            found[name] = init if os.path.isfile(init) else place
    return found

"""What `locate` says about an npm package beyond its place: ways in, types, documents."""

from __future__ import annotations

import os

from briefkit.errors import UnreadableError
from briefkit.records import TYPE_CHECKING
from briefkit.text import one_line

from .description import Description
from .files import find_changelog, find_readme
from .node_entries import IMPORT, REQUIRE, bundler_entries, commands, resolve_entry
from .node_finding import visible_copies
from .node_tree import tree_of
from .node_types import IMPORT as TYPES_IMPORT
from .node_types import REQUIRE as TYPES_REQUIRE
from .node_types import Types, types_in, typescript_for
from .readable_source import readable_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from briefkit.packages import Installed

    from .node_tree import PackageTree


def describe(installed: Installed) -> Description:
    """Entry points, types, README, changelog and the number of files of one installed copy; paths absolute, or `cache.zip!/inner`."""
    tree = tree_of(installed)
    entry: dict[str, Any] = {}
    for way, conditions in (("import", IMPORT), ("require", REQUIRE)):
        path = resolve_entry(tree, None, conditions)
        entry[way] = None if path is None else tree.shown(path)
    entry |= {name: tree.shown(path) for name, path in bundler_entries(installed).items()}
    entry |= {f"bin {name}": tree.shown(path) for name, path in commands(installed).items()}
    warnings = dict.fromkeys(_minified_notes(installed, tree, (IMPORT, REQUIRE)))
    readme, changelog = _document(installed, find_readme), _document(installed, find_changelog)
    return Description(
        entry,
        tuple(_shown(way, types) for way, types in types_seen(installed)),
        None if readme is None else tree.shown(readme),
        None if changelog is None else tree.shown(changelog),
        sum(1 for _ in tree.files()),
        tuple(warnings),
    )


def _document(installed: Installed, find: Callable[[Installed], str | None]) -> str | None:
    try:
        return find(installed)
    except UnreadableError:
        return None  # the zip cannot be read, which the package's own warnings say


def _minified_notes(installed: Installed, tree: PackageTree, ways: tuple[frozenset[str], ...]) -> Iterator[str]:
    """What to read in place of a minified way in."""
    for path in dict.fromkeys(resolve_entry(tree, None, conditions) for conditions in ways):
        found = None if path is None else readable_source(installed, path)
        if found is not None:
            more = f" and {len(found.files) - 1} more" if len(found.files) > 1 else ""
            places = {
                "map": "by its source map",
                "source": "shipped",
                "twin": "unminified",
                "embedded": f"only as text in {found.source_map}",
            }
            yield f"{path} is minified; read {one_line(found.files[0], 200)}{more} ({places[found.how]})"


def types_seen(installed: Installed) -> tuple[tuple[str, Types], ...]:
    """The declaration files of a copy with the way that leads to each: `import`, `require`, `@types`; each file once.

    A package's own come first; where it has none, those of the `@types` package that is seen from where the copy is linked.
    """
    asking = where_linked(installed)
    compiler = typescript_for(asking)
    found: dict[str, tuple[str, Types]] = {}
    for way, conditions in (("import", TYPES_IMPORT), ("require", TYPES_REQUIRE)):
        path = types_in(installed, None, conditions, compiler)
        if path is not None:
            found.setdefault(path, (way, Types(path, installed)))
    if not found:
        for copy, is_types in visible_copies(installed.alias or installed.name, asking):
            path = types_in(copy, None, TYPES_IMPORT, compiler) if is_types else None
            if path is not None:
                return (("@types", Types(path, copy)),)
    return tuple(found.values())


def where_linked(installed: Installed) -> str:
    """A folder that sees this copy: the one whose `node_modules` holds it, or its link."""
    folder = os.path.dirname(installed.link or installed.root)
    if os.path.basename(folder).startswith("@"):
        folder = os.path.dirname(folder)
    return os.path.dirname(folder)


def _shown(way: str, types: Types) -> dict[str, Any]:
    return {"file": types.file, "from": way, "package": types.package.name, "version": types.package.version}

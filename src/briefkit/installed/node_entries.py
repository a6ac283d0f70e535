"""Where an import of a package, or of a sub-path of it, leads when the code runs: Node's rules, and what bundlers read besides."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from itertools import islice

from briefkit.records import TYPE_CHECKING, NamedTuple

from .node_exports import file_of, find_target, has_exports, node_file, sub_paths, text_targets
from .node_tree import PackageTree, tree_of, within

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from briefkit.packages import Installed

REQUIRE = frozenset({"node", "require", "module-sync", "node-addons"})
IMPORT = frozenset({"node", "import", "module-sync", "node-addons"})

# How often a hostile table of patterns may be held against files: a real one needs some thousand.
TRIES_LIMIT = 2_000_000

_EXTENSIONS = ("", ".js", ".json", ".node")
_CODE = (".js", ".mjs", ".cjs", ".json", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".node")


class ExportedPath(NamedTuple):
    """One sub-path that may be imported (`.` the package itself, else `./x`) and the files, relative to the package, behind it.

    `imported` and `required` are what Node runs, None where that way is closed; `others` what further conditions lead to.
    """

    sub_path: str
    imported: str | None
    required: str | None
    others: tuple[str, ...] = ()


def entry_of(installed: Installed, sub_path: str | None = None, *, conditions: frozenset[str] = REQUIRE) -> str | None:
    """The file, relative to the package, that Node runs for the package or its sub-path (`operators`); None where none.

    With `IMPORT` the rules of ES modules hold: without `exports`, a sub-path must name its file exactly.
    """
    return resolve_entry(tree_of(installed), sub_path, conditions)


def resolve_entry(tree: PackageTree, sub_path: str | None, conditions: frozenset[str]) -> str | None:
    """As `entry_of`, on the files of a package."""
    manifest = tree.manifest("")
    fields: Mapping[str, object] = manifest.fields if manifest is not None else {}
    if has_exports(fields):
        target = find_target(sub_paths(fields["exports"]), f"./{sub_path}" if sub_path else ".")
        path = None if target is None else node_file(target, conditions)
        return _existing(tree, path)
    if sub_path is None:
        return _existing(tree, _legacy(tree, "", fields.get("main")))
    path = within(sub_path)
    if path is None:
        return None
    if "import" in conditions:
        return _existing(tree, path)
    return _existing(tree, _file(tree, path) or _folder(tree, path))


def _existing(tree: PackageTree, path: str | None) -> str | None:
    """The path made plain, where it is a file that does not leave the package."""
    plain = None if path is None else within(path)
    return plain if plain and tree.is_file(plain) and tree.holds(plain) else None


def _file(tree: PackageTree, path: str) -> str | None:
    return next((path + extension for extension in _EXTENSIONS if tree.is_file(path + extension)), None)


def _folder(tree: PackageTree, folder: str) -> str | None:
    """A folder asked for as a module: its own package.json's `main`, else its index."""
    if not tree.is_folder(folder):
        return None
    manifest = tree.manifest(folder)
    return _legacy(tree, folder, manifest.fields.get("main") if manifest is not None else None)


def _legacy(tree: PackageTree, folder: str, main: object) -> str | None:
    """`main` as a file, with an extension or as a folder; without one that exists, `index` of the folder."""
    if isinstance(main, str) and main:
        path = within(folder, main)
        if path is not None:
            found = None if main.endswith("/") else path and _file(tree, path)
            found = found or _file(tree, posixpath.join(path, "index"))
            if found:
                return found
    return _file(tree, posixpath.join(folder, "index"))


def exported_paths(installed: Installed) -> tuple[ExportedPath, ...]:
    """Every sub-path of a package that may be imported, the package itself first, patterns filled in with the files they match.

    Without `exports` every code file may be: each is listed under its path as it is imported (without `.js`).
    """
    tree = tree_of(installed)
    manifest = tree.manifest("")
    fields = manifest.fields if manifest is not None else {}
    if has_exports(fields):
        table = sub_paths(fields["exports"])
        limit = max(200, TRIES_LIMIT // (1 + sum("*" in key or key.endswith("/") for key in table)))
        paths = islice(dict.fromkeys(_filled(tree, table)), limit)
        found = {path: _exported(tree, table, path) for path in paths}
        return tuple(found[path] for path in sorted(found) if found[path] != ExportedPath(path, None, None))
    main = ExportedPath(".", resolve_entry(tree, None, IMPORT), resolve_entry(tree, None, REQUIRE))
    files = sorted(path for path in tree.files() if path.endswith(_CODE) and ".d." not in posixpath.basename(path))
    return (main, *(ExportedPath("./" + path.removesuffix(".js"), path, path) for path in files))


def _exported(tree: PackageTree, table: Mapping[str, object], sub_path: str) -> ExportedPath:
    target = find_target(table, sub_path, folders=True)
    if target is None:
        return ExportedPath(sub_path, None, None)
    runs = find_target(table, sub_path) is not None
    imported, required = (_existing(tree, node_file(target, way)) if runs else None for way in (IMPORT, REQUIRE))
    files = (file_of(text, target.matched, pattern=target.pattern) for text in text_targets(target.value))
    others = dict.fromkeys(path for path in files if path is not None and tree.is_file(path) and tree.holds(path))
    return ExportedPath(
        sub_path, imported, required, tuple(path for path in others if path not in (imported, required))
    )


def _filled(tree: PackageTree, table: Mapping[str, object]) -> Iterator[str]:
    """The sub-paths of a table, patterns replaced by what the files on disk make of them, as far as the bounds go."""
    patterns = [key for key in table if "*" in key or key.endswith("/")]
    yield from (key for key in table if "*" not in key and not key.endswith("/"))
    files = sorted(tree.files()) if patterns else []
    tries = 0
    for key in patterns:
        head, star, tail = key.partition("*")
        for text in dict.fromkeys(text_targets(table[key])):
            target = text.removeprefix("./") if star else text.removeprefix("./") + "*"
            shape, before = _shape(target), target.partition("*")[0]
            # Files are sorted: those that begin as the target does stand together.
            for place in range(bisect_left(files, before), len(files)):
                tries += 1
                if tries > TRIES_LIMIT or not files[place].startswith(before):
                    break
                found = shape.fullmatch(files[place])
                if found is not None and found.lastindex:
                    yield head + found.group(1) + tail


def _shape(target: str) -> re.Pattern[str]:
    """A target with its `*` as a pattern over paths; every further `*` stands for the same text."""
    before, star, rest = target.partition("*")
    return re.compile(re.escape(before) + ("(.+)" + "\\1".join(map(re.escape, rest.split("*"))) if star else ""))


def bundler_entries(installed: Installed) -> dict[str, str]:
    """`module`, `browser` and `source` of the package.json, relative paths of files that exist."""
    tree = tree_of(installed)
    manifest = tree.manifest("")
    found = {}
    for key in ("module", "browser", "source"):
        value = manifest.text(key) if manifest is not None else None
        path = None if not value else _existing(tree, value)
        if path is not None:
            found[key] = path
    return found


def commands(installed: Installed) -> dict[str, str]:
    """The commands a package brings (`bin`), each with its file relative to the package, where that exists."""
    tree = tree_of(installed)
    manifest = tree.manifest("")
    value = manifest.fields.get("bin") if manifest is not None else None
    if isinstance(value, str):
        value = {installed.name.rpartition("/")[2]: value}
    found = {}
    for name, target in value.items() if isinstance(value, dict) else ():
        path = _existing(tree, target) if isinstance(target, str) else None
        if path is not None:
            found[name] = path
    return found

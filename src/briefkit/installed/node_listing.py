"""Every copy of every package that a repo's trees hold: what is enumerated is what is on disk, not what a record remembers.

A record of the manager (npm's hidden lockfile) may be stale, and most layouts have none. Folders are listed with their entries'
kinds, so that 2,000 packages cost some milliseconds; only what is returned is opened.
"""

from __future__ import annotations

import os
import re

from briefkit.errors import UnreadableError
from briefkit.names import is_npm_name
from briefkit.paths import MANIFEST_LIMIT, is_within, read_text
from briefkit.records import TYPE_CHECKING

from .node_layout import NODE_MODULES
from .node_members import member_folders
from .node_modules import package_at
from .plug_n_play import plug_n_play_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from briefkit.packages import Installed

FOLDERS_LIMIT = 200_000
# A manager writes its record a moment before or after the last folder.
RECORD_SLACK_NS = 2_000_000_000
STORES = (".pnpm", ".bun", ".deno", ".store")


def list_packages(root: str, members: Sequence[str] | None = None) -> tuple[Installed, ...]:
    """Every installed copy of a repo, one for each real place, in the order of the walk.

    `members` are the workspace folders, relative to the root; without them they are those that the root's own list takes in.
    Nested copies, stores and what links lead to are followed; a vendored copy is a file of another package and no copy.
    """
    found: dict[tuple[str, str | None], Installed] = {}
    plug = plug_n_play_at(root)
    for each in () if plug is None else plug.all_installed():
        found.setdefault((each.root, each.inner), each)
    seen: set[str] = set()
    for modules in reachable_trees(root, members):
        for name in names_in(modules):
            place = _followed(os.path.join(modules, *name.split("/")))
            if place not in seen:
                seen.add(place)
                _add(found, package_at(modules, name))
    return tuple(found.values())


def copies(name: str, root: str, members: Sequence[str] | None = None) -> tuple[Installed, ...]:
    """Every installed copy of one package, by its real name or under the aliases that the trees' records tell of.

    In npm's layout the hidden lockfile tells where to look, unless the tree is newer than it; all that is told is looked for on disk.
    """
    if not is_npm_name(name):
        return ()
    found: dict[tuple[str, str | None], Installed] = {}
    plug = plug_n_play_at(root)
    for each in () if plug is None else plug.all_installed(name):
        found.setdefault((each.root, each.inner), each)
    for modules, each_name in _places(name, root, members):
        if os.path.isdir(f"{modules}/{each_name}"):
            _add(found, package_at(modules, each_name))
    return tuple(each for each in found.values() if name in (each.name, each.alias))


def _places(name: str, root: str, members: Sequence[str] | None) -> Iterator[tuple[str, str]]:
    recorded = _recorded_places(name, root)
    if recorded is not None:
        yield from recorded
        return
    names = (name, *aliases(name, root))
    for modules in reachable_trees(root, members, name):
        for each_name in names:
            yield modules, each_name


def _recorded_places(name: str, root: str) -> list[tuple[str, str]] | None:
    """Where npm's hidden lockfile holds a package, by name or alias; None where there is none or the tree was touched after it."""
    modules = os.path.join(root, NODE_MODULES)
    record = os.path.join(modules, ".package-lock.json")
    try:
        if os.stat(record).st_mtime_ns < os.stat(modules).st_mtime_ns - RECORD_SLACK_NS:
            return None
        text = read_text(record, 4 * MANIFEST_LIMIT)
    except (OSError, UnreadableError):
        return None
    return [
        (os.path.join(root, *tree.split("/")), found)
        for tree, found in map(_tree_and_name, _keys_of(text, name))
        if is_npm_name(found) and tree.rpartition("/")[2] == NODE_MODULES and ".." not in tree.split("/")
    ]


def _keys_of(text: str, name: str) -> Iterator[str]:
    """The keys of a hidden lockfile whose folder or whose stated name is the package's; npm writes each on a line of its own."""
    for wanted in (f'node_modules/{name}": {{', f'"name": "{name}"'):
        at = text.find(wanted)
        while at >= 0:
            line_end = text.rfind("\n", 0, at) if wanted.startswith('"') else at + len(wanted)
            line = text[text.rfind("\n", 0, max(line_end, 0)) + 1 : max(line_end, 0)]
            yield line.partition('"')[2].partition('"')[0]
            at = text.find(wanted, at + 1)


def _tree_and_name(key: str) -> tuple[str, str]:
    """A key parted into the `node_modules` folder and the package name in it."""
    head, _, name = key.rpartition(NODE_MODULES + "/")
    return head + NODE_MODULES, name


def _followed(place: str) -> str:
    """Where a link leads in one step, else the place itself: enough to know a copy that was met before."""
    try:
        return os.path.normpath(os.path.join(os.path.dirname(place), os.readlink(place)))
    except OSError:
        return place


def _add(found: dict[tuple[str, str | None], Installed], each: Installed | None) -> None:
    if each is not None:
        found.setdefault((each.root, each.inner), each)


def aliases(name: str, root: str) -> tuple[str, ...]:
    """The names under which a package is also installed, as the records of the root's tree tell; each is still looked for on disk."""
    escaped = re.escape(name)
    found: dict[str, None] = {}
    for record, pattern in (
        ("node_modules/.package-lock.json", rf'node_modules/([^"\n]+)": \{{\s*"name": "{escaped}"'),
        ("node_modules/.yarn-integrity", rf'"((?:@[^"@\n/]+/)?[^"@\n/]+)@npm:{escaped}@'),
        (
            "node_modules/.yarn-state.yml",
            rf'^"{escaped}@[^\n]*:\n(?:  \w+:[^\n]*\n)*?  locations:\n((?:    - [^\n]*\n)+)',
        ),
        (
            "node_modules/.modules.yaml",
            rf"""^\s*["']?/?{escaped}[@/][^\n]*:(?: \[)?\n((?:\s+(?:- )?["']?(?:[^\n]*/)?node_modules/[^\n]*\n)+)""",
        ),
        ("bun.lock", rf'^\s*"([^"\n]+)": \["{escaped}@'),
    ):
        try:
            text = read_text(os.path.join(root, record), 4 * MANIFEST_LIMIT)
        except UnreadableError:
            continue
        for match in re.finditer(pattern, text, re.MULTILINE):
            for place in match.group(1).splitlines():
                alias = place.strip(" -\"',").rpartition("node_modules/")[2]
                if alias != name and is_npm_name(alias):
                    found[alias] = None
    return tuple(found)


def reachable_trees(root: str, members: Sequence[str] | None = None, name: str | None = None) -> Iterator[str]:
    """Every `node_modules` folder of a repo, by its real path: its own, those in packages, in stores, and where links lead.

    With a `name`, of a store's trees only those whose folder may hold that package, and those of bundled dependencies.
    """
    queue = [os.path.realpath(tree) for tree in _own_trees(root, members)]
    seen = set(queue)
    targets: set[str] = set()
    position = 0
    while position < len(queue) and position < FOLDERS_LIMIT:
        modules = queue[position]
        position += 1
        yield modules
        for tree in _trees_below(modules, targets, name):
            if tree not in seen:
                seen.add(tree)
                queue.append(tree)


def _own_trees(root: str, members: Sequence[str] | None) -> Iterator[str]:
    folders = member_folders(root) if members is None else (os.path.join(root, member) for member in members)
    for folder in dict.fromkeys((os.path.abspath(root), *folders)):
        tree = os.path.normpath(os.path.join(folder, NODE_MODULES))
        if os.path.isdir(tree):
            yield tree


def _trees_below(modules: str, targets: set[str], name: str | None) -> Iterator[str]:
    """The trees that one tree's entries lead to; `targets` remembers the links that were followed before."""
    for entry in _entries(modules):
        if entry.name in STORES:
            yield from _trees_in_store(entry.path, name)
        elif entry.name.startswith("@") and not entry.is_symlink():
            for scoped in _entries(entry.path):
                yield from _trees_of(scoped, modules, targets)
        elif not entry.name.startswith("."):
            yield from _trees_of(entry, modules, targets)


def _trees_of(entry: os.DirEntry[str], modules: str, targets: set[str]) -> Iterator[str]:
    if not entry.is_symlink():
        nested = f"{entry.path}{os.sep}{NODE_MODULES}"
        if os.path.isdir(nested):
            yield os.path.realpath(nested) if os.path.islink(nested) else nested
        return
    try:
        target = os.path.normpath(os.path.join(os.path.dirname(entry.path), os.readlink(entry.path)))
    except OSError:
        return
    if target in targets or (
        is_within(target, modules) and any(f"{os.sep}{store}{os.sep}" in target for store in STORES)
    ):
        return  # a store of this very tree is listed as a whole
    targets.add(target)
    real = os.path.realpath(entry.path)
    for tree in (
        os.path.join(real, NODE_MODULES),
        os.path.join(os.path.dirname(real), NODE_MODULES),
        _tree_around(real),
    ):
        if tree is not None and os.path.isdir(tree):
            yield os.path.realpath(tree)


def _trees_in_store(store: str, name: str | None) -> Iterator[str]:
    """The trees of a virtual store: one in each of its folders, those of scopes one deeper."""
    heads = () if name is None else tuple(_store_heads(name))
    for entry in _entries(store):
        if entry.name == NODE_MODULES or not entry.is_dir(follow_symlinks=False):
            continue
        if entry.name.startswith("@") and "@" not in entry.name[1:] and os.path.basename(store).startswith("."):
            yield from _trees_in_store(entry.path, None if name is None else name.rpartition("/")[2])
        tree = f"{entry.path}{os.sep}{NODE_MODULES}"
        if name is None or entry.name.startswith(heads):
            if os.path.isdir(tree):
                yield tree
        else:
            bundled = f"{tree}{os.sep}{_store_name(entry.name)}{os.sep}{NODE_MODULES}"
            if os.path.isdir(bundled):
                yield bundled


def _store_heads(name: str) -> Iterator[str]:
    """How the store folders that may hold a package begin: pnpm, bun, deno and npm part the version by `@`, Yarn by `-`."""
    for flat in (name.replace("/", "+"), name.replace("/", "-")):
        yield f"{flat}@"
        yield f"{flat}-"
    yield "file+"


def _store_name(folder: str) -> str:
    """The package that a store folder is named after: `@types+react@18.3.3` holds `@types/react`."""
    return folder[: folder.find("@", 1)].replace("+", "/")


def _tree_around(real: str) -> str | None:
    """The `node_modules` folder that a real package folder lies in: in a store, its dependencies are its neighbours."""
    parent = os.path.dirname(real)
    if os.path.basename(parent).startswith("@"):
        parent = os.path.dirname(parent)
    return parent if os.path.basename(parent) == NODE_MODULES else None


def names_in(modules: str) -> list[str]:
    """The package names a `node_modules` folder holds, sorted; scopes opened, the managers' own entries left out."""
    names = []
    for entry in _entries(modules):
        if entry.name.startswith("@"):
            names += [f"{entry.name}/{scoped.name}" for scoped in _entries(entry.path)]
        else:
            names.append(entry.name)
    return sorted(name for name in names if is_npm_name(name))


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []

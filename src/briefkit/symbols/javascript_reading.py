"""An entry of a package read from source: its declarations, and its code evaluated."""

from __future__ import annotations

from briefkit.installed.node_entries import IMPORT, REQUIRE, resolve_entry
from briefkit.records import TYPE_CHECKING

from .javascript_entries import Entry
from .javascript_graph import CLOSED, Graph
from .javascript_modules import Modules
from .javascript_owners import Files, Owners
from .javascript_realm import deep_calls
from .typescript_files import TypeFiles
from .typescript_types import World

if TYPE_CHECKING:
    from briefkit.packages import Installed

    from .javascript_graph import Owner
    from .javascript_links import Module
    from .records import PackageFinder


def read_entry(installed: Installed, sub_path: str | None, find: PackageFinder) -> Entry:
    """Read an entry: what its code makes, and what its declarations say."""
    entry = Entry(Graph())
    files = Files()
    entry.files = files.paths
    with deep_calls():
        _declared(entry, installed, sub_path, find, files)
        _run_time(entry, installed, sub_path, find, files)
    entry.settle()
    return entry


def _declared(entry: Entry, installed: Installed, sub_path: str | None, find: PackageFinder, files: Files) -> None:
    world = World(TypeFiles(find), entry.graph, files)
    entry.reads(world.files)
    scope = world.files.entry(installed, sub_path)
    entry.types = scope if isinstance(scope, str) else world.root(scope)


def _run_time(entry: Entry, installed: Installed, sub_path: str | None, find: PackageFinder, files: Files) -> None:
    modules = Modules(find)
    entry.reads(modules)
    package = modules.package(installed)
    required = resolve_entry(package.tree, sub_path, REQUIRE)
    imported = resolve_entry(package.tree, sub_path, IMPORT)
    path = required or imported
    if path is None:
        if sub_path is not None:
            entry.runs = f"the package has no code under {sub_path}"
        return
    module = modules.module(package, path)
    value = modules.exports(module)
    entry.is_default = not module.esm
    entry.main = files.number(package.tree.shown(path))
    owners = Owners(entry.graph, modules.realm, files)
    root = owners.root(value)
    entry.runs = "its exports have no names" if root == CLOSED else root
    if required and imported and imported != required:
        other = modules.module(package, imported)
        entry.imports, _ = entry.graph.new("", lambda owner: _import_into(owner, modules, other, owners))


def _import_into(owner: Owner, modules: Modules, module: Module, owners: Owners) -> None:
    """Evaluate what `import` gives where it is another file than `require`'s."""
    with deep_calls():
        root = owners.root(modules.imported(module))
    if isinstance(root, str):
        owner.open(root)
    elif root >= 0:
        owner.parents.append(root)

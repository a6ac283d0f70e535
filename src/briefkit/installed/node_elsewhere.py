"""A name that a folder cannot import: where else it is, so that "not installed" can say what is the case.

None of these is an answer to the import; each is labelled by its kind and its note.
"""

from __future__ import annotations

import os

from briefkit.names import NPM, is_npm_name, split_npm_subpath
from briefkit.packages import Installed
from briefkit.records import TYPE_CHECKING

from .node_builtins import is_builtin
from .node_finding import find_package, types_package
from .node_layout import NODE_MODULES
from .node_listing import copies, names_in, reachable_trees
from .node_manifest import MANIFEST, read_manifest
from .node_members import is_member

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BUILTIN = "builtin"
VENDORED = "vendored"
STUB_ONLY = "stub-only"

# Where packages keep whole packages that they took in.
_VENDOR_FOLDERS = (
    "dist/compiled",
    "compiled",
    "dist/vendor",
    "lib/vendor",
    "src/vendor",
    "vendor",
    "vendored",
    "third_party",
)


def builtin(name: str) -> Installed | None:
    """Node's own module of that name as a record of kind `builtin`, None where Node has none."""
    if not is_builtin(name):
        return None
    bare = name.removeprefix("node:")
    return Installed(NPM, bare, None, f"node:{bare}", BUILTIN)


def elsewhere(name: str, from_dir: str, root: str, members: Sequence[str] | None = None) -> tuple[Installed, ...]:
    """What there is under a name that `from_dir` cannot import, likeliest meaning first, each with a note in its warnings.

    Node's own module; copies that another member or another package gets; an `@types` package alone; copies vendored inside packages.
    """
    package = split_npm_subpath(name)[0]
    own = builtin(name)
    found = [] if own is None else [own]
    if not is_npm_name(package):
        return tuple(found)
    seen = find_package(package, from_dir)
    if seen is not None:
        found.append(_noted(seen, f"imported as {package}/") if own is not None else seen)
    found += [
        _noted(copy, _who_sees(copy, root))
        for copy in copies(package, root, members)
        if seen is None or copy.root != seen.root
    ]
    types = types_package(package, from_dir)
    if types is not None:
        found.append(_noted(types, f"only the types of {package} are installed")._replace(kind=STUB_ONLY))
    if not any(copy.kind != STUB_ONLY for copy in found):
        found += vendored(package, root, members)
    return tuple(found)


def vendored(name: str, root: str, members: Sequence[str] | None = None) -> Iterator[Installed]:
    """The copies of a package that other packages carry inside them; what their package.json says is not believed for more than a note."""
    for modules in reachable_trees(root, members, name):
        for holder in names_in(modules):
            for folder in _VENDOR_FOLDERS:
                place = os.path.join(modules, *holder.split("/"), *folder.split("/"))
                if os.path.isdir(place) and os.path.isdir(os.path.join(place, *name.split("/"))):
                    yield _vendored(os.path.realpath(os.path.join(place, *name.split("/"))), name, holder)


def _vendored(place: str, name: str, holder: str) -> Installed:
    manifest = read_manifest(place)
    version = None if manifest is None else manifest.version()
    stated = None if manifest is None else manifest.name()
    note = f"a copy inside {holder}" + (f", named {stated} there" if stated not in (None, name) else "")
    evidence = () if manifest is None else (os.path.join(place, MANIFEST),)
    return Installed(NPM, name, version, place, VENDORED, evidence=evidence, warnings=(note,))


def _who_sees(copy: Installed, root: str) -> str:
    seen = copy.link or copy.root
    holder = seen.rpartition(os.sep + NODE_MODULES + os.sep)[0]
    if holder != root and is_member(holder, root):
        return f"seen from {os.path.relpath(holder, root).replace(os.sep, '/')}, not from here"
    return "installed for another package, not importable from here"


def _noted(copy: Installed, note: str) -> Installed:
    return copy._replace(warnings=(*copy.warnings, note))

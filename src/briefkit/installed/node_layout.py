"""Who laid a tree of packages, told by the files the managers leave; and which folders its links may lead to."""

from __future__ import annotations

import json
import os
import re

from briefkit.errors import UnreadableError
from briefkit.paths import MEBIBYTE, is_within, read_text
from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING, NamedTuple

from .node_manifest import read_manifest

if TYPE_CHECKING:
    from collections.abc import Iterator

NODE_MODULES = "node_modules"
MAX_DEPTH = 64

# In this order: the first that exists names the layout. A linker that only a file's text can tell is looked up there.
_MARKS = (
    (".modules.yaml", "pnpm", "isolated"),
    (".yarn-state.yml", "yarn-berry", "node-modules"),
    (".package-map.json", "yarn-berry", "pnpm"),
    (".yarn-integrity", "yarn-classic", "node-modules"),
    (".bun", "bun", "isolated"),
    (".deno", "deno", "isolated"),
    (".package-lock.json", "npm", "hoisted"),
    (".store", "yarn-berry", "pnpm"),
)
_BESIDE = (("bun.lock", "bun", "hoisted"), ("bun.lockb", "bun", "hoisted"))
PNP_FILES = (".pnp.cjs", ".pnp.js")

# What makes a folder the root of a repo, beside `.git`.
_ROOT_MARKS = (
    "pnpm-workspace.yaml",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lock",
    "bun.lockb",
    "deno.lock",
)
_LINKER = lazy_pattern(r"""^\s*"?nodeLinker"?\s*:\s*"?(isolated|hoisted|pnp)\b""", re.MULTILINE)
_STORE_KEYS = ("storeDir", "virtualStoreDir")
_STORE_LINE = lazy_pattern(r"""(?m)^(?:storeDir|virtualStoreDir): (?:["']([^"'\n]*)["']|([^"'\s][^\n]*?))\s*$""")


class Layout(NamedTuple):
    """Which manager laid a tree and how: `folder` holds it, `evidence` is the file or folder that says so."""

    manager: str
    linker: str
    folder: str
    evidence: str


def ancestors(directory: str, boundary: str | None = None) -> Iterator[str]:
    """The folder and those above it, up to and with `boundary` (None: the file system's root)."""
    folder = os.path.abspath(directory)
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if folder in (parent, boundary):
            return
        folder = parent


def layout_of(directory: str, boundary: str | None = None) -> Layout | None:
    """The layout that answers for a folder: of the nearest tree of packages at or above it, None where there is none."""
    for folder in ancestors(directory, boundary):
        found = _layout_at(folder)
        if found is not None:
            return found
    return None


def _layout_at(folder: str) -> Layout | None:
    for name in PNP_FILES:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            by_pnpm = os.path.exists(os.path.join(folder, NODE_MODULES, ".modules.yaml"))
            return Layout("pnpm" if by_pnpm else _yarn_of(path), "pnp", folder, path)
    modules = os.path.join(folder, NODE_MODULES)
    if not os.path.isdir(modules):
        return None
    for name, manager, linker in _MARKS:
        path = os.path.join(modules, name)
        if os.path.exists(path):
            return Layout(manager, _linker(path, manager, linker, modules), folder, path)
    for name, manager, linker in _BESIDE:
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return Layout(manager, linker, folder, path)
    return Layout("unknown", "node-modules", folder, modules)


def _yarn_of(manifest: str) -> str:
    """Which yarn wrote a Plug'n'Play manifest: only the first keeps its packages in maps."""
    return "yarn-classic" if "packageInformationStores" in _text(manifest) else "yarn-berry"


def _linker(path: str, manager: str, linker: str, modules: str) -> str:
    if manager == "pnpm":
        found = _LINKER.search(_text(path))
        return found.group(1) if found else linker
    if manager == "npm" and os.path.isdir(os.path.join(modules, ".store")):
        return "linked"
    return linker


def _text(path: str) -> str:
    try:
        return read_text(path, 8 * MEBIBYTE)
    except UnreadableError:
        return ""


def project_root(directory: str) -> str:
    """The repo a folder belongs to: up to the first `.git`, the highest folder with a lockfile or workspace list; else the folder.

    The search ends at the home folder, which is nobody's project.
    """
    home = os.path.expanduser("~")
    root = None
    for folder in ancestors(directory):
        if folder == home or os.path.dirname(folder) == folder:
            break
        if os.path.exists(os.path.join(folder, ".git")):
            return folder if root is None or is_within(root, folder) else root
        if any(os.path.exists(os.path.join(folder, mark)) for mark in _ROOT_MARKS) or _lists_workspaces(folder):
            root = folder
    return root or os.path.abspath(directory)


def _lists_workspaces(folder: str) -> bool:
    manifest = read_manifest(folder)
    return manifest is not None and "workspaces" in manifest.fields


def stores(folder: str, root: str) -> tuple[str, ...]:
    """The real store folders outside the project that pnpm's record names, at the folder's tree or above it up to the root's."""
    found: list[str] = []
    for above in ancestors(folder, root):
        modules = os.path.join(above, NODE_MODULES)
        for text in _stated_stores(_text(os.path.join(modules, ".modules.yaml"))):
            real = os.path.realpath(os.path.join(modules, text))
            if _may_be_store(real, root):
                found.append(real)
    return tuple(found)


def _stated_stores(text: str) -> Iterator[str]:
    """The store folders in a `.modules.yaml`: JSON since pnpm 9 in spite of its name, lines of plain YAML before."""
    if text.lstrip().startswith("{"):
        try:
            fields = json.loads(text)
        except (ValueError, RecursionError):
            return
        stated = [fields.get(key) for key in _STORE_KEYS]
    else:
        stated = [quoted or plain for quoted, plain in _STORE_LINE.findall(text)]
    yield from (each for each in stated if isinstance(each, str) and "\0" not in each)


def _may_be_store(real: str, root: str) -> bool:
    """Whether a stated folder is narrow enough to be believed: not the file system, not a home, not a folder that holds the project."""
    return real.count(os.sep) > 2 and real != os.path.expanduser("~") and not is_within(root, real)

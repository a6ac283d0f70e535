"""Which declaration file TypeScript reads for an import: its `bundler` resolution, by reading alone.

Per folder, nearest first: the package, then its `@types`. Within a package `exports` decides where there is one, and a target
counts only if a declaration stands for it; else `typesVersions`, `typings`, `types`, what stands beside `main`, and the index.
"""

from __future__ import annotations

import posixpath

from briefkit.names import is_npm_name, split_npm_subpath
from briefkit.records import TYPE_CHECKING, NamedTuple
from briefkit.versions import Semver, satisfies, semver

from .node_exports import Target, file_of, find_target, sub_paths
from .node_finding import find_package, visible_copies
from .node_tree import PackageTree, tree_of, within

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from briefkit.packages import Installed

    from .node_manifest import Manifest

TYPESCRIPT = Semver(5, 9, 3, release=True, pre=())
IMPORT = frozenset({"types", "import"})
REQUIRE = frozenset({"types", "require"})

_DEPTH_LIMIT = 64
_SUBSTITUTES = {
    ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
    ".json": (".d.json.ts",),
    ".jsx": (".tsx", ".ts", ".d.ts"),
    ".tsx": (".tsx", ".ts", ".d.ts"),
    ".js": (".ts", ".tsx", ".d.ts"),
    ".ts": (".ts", ".tsx", ".d.ts"),
}
_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
_SOURCES = (".ts", ".tsx", ".mts", ".cts")


class Types(NamedTuple):
    """A declaration file: its path relative to the package that holds it, and that package (which may be an `@types` one)."""

    path: str
    package: Installed

    @property
    def file(self) -> str:
        """The absolute path, `cache.zip!/inner` in a zip."""
        return tree_of(self.package).shown(self.path)


def types_of(name: str, sub_path: str | None, from_dir: str) -> str | None:
    """The absolute path of the declaration file that code in `from_dir` gets for a package or its sub-path; None where there is none."""
    found = find_types(name, sub_path, from_dir)
    return None if found is None else found.file


def find_types(
    name: str,
    sub_path: str | None,
    from_dir: str,
    *,
    conditions: frozenset[str] = IMPORT,
    typescript: Semver | None = None,
) -> Types | None:
    """As `types_of`, with the package that the file is from.

    `typescript` is the compiler's version that ranges are held against: by default the one installed for `from_dir`, else 5.9.
    """
    package, rest = split_npm_subpath(f"{name}/{sub_path}" if sub_path else name)
    if not is_npm_name(package):
        return None
    compiler = typescript or typescript_for(from_dir)
    for copy, is_types in visible_copies(package, from_dir):
        found = _in_package(copy, rest, conditions, compiler, sources=not is_types)
        if found is not None:
            return found
    return None


def typescript_for(from_dir: str) -> Semver:
    """The TypeScript version installed for a folder, else the one whose rules these are."""
    found = find_package("typescript", from_dir)
    return (semver(found.version) if found is not None and found.version else None) or TYPESCRIPT


def types_in(
    installed: Installed,
    sub_path: str | None = None,
    conditions: frozenset[str] = IMPORT,
    typescript: Semver = TYPESCRIPT,
) -> str | None:
    """The declaration file that a package itself holds for an import of it or its sub-path, relative to it; None where it holds none."""
    found = _in_package(installed, sub_path, conditions, typescript, sources=True)
    return None if found is None else found.path


def _in_package(
    installed: Installed, rest: str | None, conditions: frozenset[str], compiler: Semver, *, sources: bool
) -> Types | None:
    plain = within(rest) if rest else ""
    if plain is None:
        return None
    tree = tree_of(installed)
    path = _Resolver(tree, conditions, compiler).resolve(plain, sources=sources)
    return Types(path, installed) if path is not None and tree.holds(path) else None


class _Resolver:
    """One package asked in one way. `sources` says whether `.ts` counts: an `@types` package is asked for declarations alone."""

    __slots__ = ("compiler", "conditions", "root", "tree")

    def __init__(self, tree: PackageTree, conditions: frozenset[str], compiler: Semver) -> None:
        self.tree = tree
        self.conditions = conditions
        self.compiler = compiler
        self.root = tree.manifest("")

    def resolve(self, rest: str, *, sources: bool) -> str | None:
        fields: Mapping[str, object] = self.root.fields if self.root is not None else {}
        if rest and "exports" not in fields:
            nested = self.tree.manifest(rest)
            if nested is not None:
                return self._file(rest, sources=sources) or self._folder(rest, nested, sources=sources, own=True)
        if fields.get("exports"):
            target = find_target(sub_paths(fields["exports"]), f"./{rest}" if rest else ".", folders=True)
            return None if target is None else self._target(target.value, target, 0, sources=sources)
        if not rest:
            return self._folder("", self.root, sources=sources, own=True)
        versions = self._version_paths(self.root)
        substitutes = None if versions is None else _substitutes(versions, rest)
        if substitutes is not None:
            return self._first(substitutes, "", sources=sources, by_field=False)
        return self._plain(rest, sources=sources)

    def _plain(self, path: str, *, sources: bool) -> str | None:
        return self._file(path, sources=sources) or self._folder(path, self.root, sources=sources, own=False)

    def _target(self, value: object, target: Target, depth: int, *, sources: bool) -> str | None:
        """The first of a target's values, in order, that a declaration stands for; what does not apply is passed over."""
        if isinstance(value, str):
            path = file_of(value, target.matched, pattern=target.pattern)
            plain = None if path is None else within(path)
            return None if plain is None else self._stated(plain, sources=sources)
        if depth > _DEPTH_LIMIT:
            return None
        items: Iterable[object] = ()
        if isinstance(value, list):
            items = value
        elif isinstance(value, dict):
            items = (item for condition, item in value.items() if self._applies(condition))
        for item in items:
            found = self._target(item, target, depth + 1, sources=sources)
            if found is not None:
                return found
        return None

    def _applies(self, condition: str) -> bool:
        if condition == "default" or condition in self.conditions:
            return True
        return condition.startswith("types@") and satisfies(self.compiler, condition[len("types@") :])

    def _version_paths(self, manifest: Manifest | None) -> Mapping[str, object] | None:
        """The paths of the first range in `typesVersions` that holds the compiler's version."""
        table = manifest.fields.get("typesVersions") if manifest is not None else None
        for key, paths in table.items() if isinstance(table, dict) else ():
            if satisfies(self.compiler, key):
                return paths if isinstance(paths, dict) else None
        return None

    def _folder(self, folder: str, manifest: Manifest | None, *, sources: bool, own: bool) -> str | None:
        """A folder as a module; `own` says whether the manifest is this folder's, so that its fields hold for it."""
        stated = _stated_file(folder, manifest) if own and manifest is not None else None
        versions = self._version_paths(manifest)
        index = posixpath.join(folder, "index")
        if versions is not None and (stated is None or _is_under(stated, folder)):
            asked = (stated or index)[len(folder) + 1 if folder else 0 :]
            substitutes = _substitutes(versions, asked)
            if substitutes is not None:
                # A range that matches and leads nowhere ends the search: the plain path is not tried.
                return self._first(substitutes, folder, sources=sources, by_field=True)
        found = None if stated is None else self._by_field(stated, sources=sources)
        return found or self._file(index, sources=sources)

    def _first(self, substitutes: Iterable[str], folder: str, *, sources: bool, by_field: bool) -> str | None:
        for text in substitutes:
            path = within(folder, text)
            if path is None:
                continue
            if _extension(text) and self.tree.is_file(path):
                return path if path.endswith((*_DECLARATIONS, *_SOURCES)) else None
            found = self._by_field(path, sources=sources) if by_field else self._plain(path, sources=sources)
            if found is not None:
                return found
        return None

    def _by_field(self, path: str, *, sources: bool) -> str | None:
        """What a field names: that file, the declaration beside it, with an extension, or the index of that folder."""
        plain = path.rstrip("/")
        found = self._stated(plain, sources=sources)
        if found is None and not path.endswith("/"):
            found = self._file(plain, sources=True)
        return found or self._file(posixpath.join(plain, "index"), sources=True)

    def _stated(self, path: str, *, sources: bool) -> str | None:
        if path.endswith(_DECLARATIONS) or (sources and path.endswith(_SOURCES)):
            return path if self.tree.is_file(path) else None
        return self._replaced(path, sources=sources)

    def _file(self, path: str, *, sources: bool) -> str | None:
        return self._replaced(path, sources=sources) or self._tried(path, _SUBSTITUTES[".js"], sources=sources)

    def _replaced(self, path: str, *, sources: bool) -> str | None:
        """The declaration that stands for a file with an extension: `x.mjs` has `x.d.mts`, `x.css` has `x.d.css.ts`."""
        if "." not in posixpath.basename(path):
            return None
        extension = _extension(path)
        if not extension:
            extension = path[path.rindex(".") :]
            return self._tried(path[: -len(extension)], (f".d{extension}.ts",), sources=sources)
        plain = path[: -len(extension)]
        return self._tried(
            plain,
            _SUBSTITUTES[extension.replace(".d", "").replace("mts", "mjs").replace("cts", "cjs")],
            sources=sources,
        )

    def _tried(self, plain: str, endings: tuple[str, ...], *, sources: bool) -> str | None:
        for ending in endings:
            if (sources or ending.startswith(".d")) and self.tree.is_file(plain + ending):
                return plain + ending
        return None


_KNOWN = (".d.ts", ".d.mts", ".d.cts", ".mjs", ".mts", ".cjs", ".cts", ".ts", ".js", ".tsx", ".jsx", ".json")


def _extension(path: str) -> str:
    return next((ending for ending in _KNOWN if path.endswith(ending)), "")


def _stated_file(folder: str, manifest: Manifest) -> str | None:
    """What `typings`, `types` or `main` names, relative to the package, with its closing slash; None where they name nothing inside."""
    for key in ("typings", "types", "main"):
        value = manifest.text(key)
        if value:
            path = within(folder, value)
            return None if path is None else path + "/" * value.endswith("/")
    return None


def _is_under(path: str, folder: str) -> bool:
    return not folder or path.startswith(folder + "/")


def _substitutes(paths: Mapping[str, object], asked: str) -> tuple[str, ...] | None:
    """What `typesVersions` maps a path to: by its exact key, else by the pattern with the longest head; None where no key matches."""
    best = asked if "*" not in asked and asked in paths else None
    star = ""
    if best is None:
        longest = -1
        for key in paths:
            head, mark, tail = key.partition("*")
            fits = mark and "*" not in tail and len(asked) >= len(head) + len(tail)
            if fits and len(head) > longest and asked.startswith(head) and asked.endswith(tail):
                best, longest, star = key, len(head), asked[len(head) : len(asked) - len(tail)]
    if best is None:
        return None
    values = paths[best]
    texts = [value for value in values if isinstance(value, str)] if isinstance(values, list) else []
    return tuple(text.replace("*", star, 1) if star else text for text in texts)

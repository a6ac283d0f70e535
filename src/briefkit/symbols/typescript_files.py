"""Declaration files found and read: from a specifier in one to the scope of another, within a package and across packages."""

from __future__ import annotations

import posixpath

from briefkit.errors import UnreadableError
from briefkit.installed.node_finding import types_name
from briefkit.installed.node_tree import PackageTree, tree_of, within
from briefkit.installed.node_types import IMPORT, types_in
from briefkit.names import NPM, is_npm_name, split_npm_subpath
from briefkit.records import TYPE_CHECKING

from .javascript_hosts import is_builtin
from .javascript_links import asking_folder
from .javascript_parsing import SOURCE_LIMIT, NotParsedError, parse
from .typescript_scopes import FileScopes, TypeScope, read_scopes

if TYPE_CHECKING:
    from briefkit.packages import Installed

    from .records import PackageFinder

FILES_LIMIT = 4000
_DECLARED = {
    ".js": (".d.ts", ".ts", ".tsx"),
    ".mjs": (".d.mts", ".mts"),
    ".cjs": (".d.cts", ".cts"),
    ".jsx": (".d.ts", ".tsx"),
    ".tsx": (".tsx", ".d.ts"),
    ".mts": (".mts", ".d.mts"),
    ".cts": (".cts", ".d.cts"),
    ".ts": (".ts", ".d.ts"),
}
_ADDED = (".d.ts", ".ts", ".tsx", ".d.mts", ".d.cts", "/index.d.ts", "/index.ts", "/index.d.mts", "/index.d.cts")


class TypePackage:
    """A package whose declarations are read."""

    __slots__ = ("files", "installed", "tree")

    def __init__(self, installed: Installed) -> None:
        self.installed = installed
        self.tree: PackageTree = tree_of(installed)
        self.files: dict[str, FileScopes | str] = {}


class TypeFiles:
    """All declaration files read for one package, its ambient modules and the global scope that they add to."""

    def __init__(self, find: PackageFinder) -> None:
        self.find = find
        self.packages: dict[tuple[str, str | None], TypePackage] = {}
        self.ambient: dict[str, list[TypeScope]] = {}
        self.globals: list[TypeScope] = []
        self.read: dict[str, int] = {}
        self.unread: dict[str, str] = {}
        self._referenced: set[str] = set()

    def roots(self) -> list[str]:
        """The package.json of each package that was looked into."""
        return [package.tree.shown("package.json") for package in self.packages.values()]

    def package(self, installed: Installed) -> TypePackage:
        """The package's state, one for each copy."""
        key = (installed.root, installed.inner)
        if key not in self.packages:
            self.packages[key] = TypePackage(installed)
        return self.packages[key]

    def entry(self, installed: Installed, sub_path: str | None) -> TypeScope | str:
        """The scope of the declarations of a package or its sub-path, its own or those of its `@types` package."""
        for package in (installed, self.find(NPM, types_name(installed.name), asking_folder(installed))):
            path = types_in(package, sub_path, IMPORT) if package is not None else None
            if package is not None and path is not None:
                return self._declared_in(self.file(self.package(package), path), installed.name, sub_path)
        if sub_path is not None and types_in(installed, None, IMPORT) is not None:
            self.entry(installed, None)
            if sub_path in self.ambient:
                return self.ambient[sub_path][0]
        return "the package declares no types"

    def _declared_in(self, found: TypeScope | str, name: str, sub_path: str | None) -> TypeScope | str:
        """A file's scope; of a file that is no module, the module in it that is declared under the name asked for."""
        if isinstance(found, str) or found.explicit:
            return found
        for asked in (f"{name}/{sub_path}", sub_path) if sub_path else (name,):
            if asked in self.ambient:
                return self.ambient[asked][0]
        return found

    def file(self, package: TypePackage, path: str) -> TypeScope | str:
        """The scope of a file of a package, or why it is not read."""
        if path not in package.files:
            package.files[path] = self._read(package, path)
            found = package.files[path]
            if isinstance(found, FileScopes):
                self._register(found, package, path)
        found = package.files[path]
        return found if isinstance(found, str) else found.scope

    def _read(self, package: TypePackage, path: str) -> FileScopes | str:
        shown = package.tree.shown(path)
        try:
            if len(self.read) >= FILES_LIMIT:
                raise NotParsedError("more files than are read")
            source = parse(shown, package.tree.read(path, SOURCE_LIMIT))
        except (NotParsedError, UnreadableError) as error:
            reason = f"{shown}: {error.what if isinstance(error, UnreadableError) else error}"
            self.unread[shown] = reason
            return reason
        try:
            scopes = read_scopes(source, package, path)
        except RecursionError:
            self.unread[shown] = f"{shown}: namespaces nested deeper than is read"
            return self.unread[shown]
        self.read[shown] = source.lines
        return scopes

    def _register(self, found: FileScopes, package: TypePackage, path: str) -> None:
        for name, scope in found.ambient.items():
            self.ambient.setdefault(name, []).append(scope)
        if not found.is_module:
            self.globals.append(found.scope)
        if found.globals.names:
            self.globals.append(found.globals)
        for kind, target in found.scope.references:
            self._reference(kind, target, package, path)

    def _reference(self, kind: str, target: str, package: TypePackage, path: str) -> None:
        if kind == "path":
            inner = within(posixpath.dirname(path), target)
            if inner and package.tree.is_file(inner):
                self.file(package, inner)
            return
        if target not in self._referenced:
            self._referenced.add(target)
            self._bare(target, package)

    def module(self, specifier: str, scope: TypeScope) -> TypeScope | str:
        """The scope of the module that a specifier names in a scope, or why there is none."""
        package = scope.package
        assert isinstance(package, TypePackage)
        if specifier.startswith("."):
            path = self._relative(package.tree, within(posixpath.dirname(scope.path), specifier))
            return self.file(package, path) if path else f"{specifier} is not there, asked for in {scope.path}"
        if is_builtin(specifier):
            return self._builtin(specifier, package)
        found = self._bare(specifier, package)
        if isinstance(found, str) and specifier in self.ambient:
            return self.ambient[specifier][0]
        return found

    def _builtin(self, specifier: str, package: TypePackage) -> TypeScope | str:
        """A module of Node, as `@types/node` declares it."""
        if specifier not in self.ambient:
            self._bare("node", package)
        scopes = self.ambient.get(specifier) or self.ambient.get(specifier.removeprefix("node:"))
        return scopes[0] if scopes else f"{specifier} is not declared (no @types/node)"

    def _bare(self, specifier: str, package: TypePackage) -> TypeScope | str:
        name, sub_path = split_npm_subpath(specifier)
        if not is_npm_name(name):
            return f"{specifier} is no package"
        if name == package.installed.name:
            return self.entry(package.installed, sub_path)
        for asked in (name, types_name(name)):
            found = self.find(NPM, asked, asking_folder(package.installed))
            path = types_in(found, sub_path, IMPORT) if found is not None else None
            if found is not None and path is not None:
                return self.file(self.package(found), path)
        return f"{specifier} is not installed or declares no types"

    def _relative(self, tree: PackageTree, path: str | None) -> str | None:
        if path is None:
            return None
        for extension, endings in _DECLARED.items():
            if path.endswith(extension):
                plain = path[: -len(extension)]
                return next((plain + ending for ending in endings if tree.is_file(plain + ending)), None)
        found = next((path + ending for ending in _ADDED if tree.is_file((path + ending).lstrip("/"))), None)
        if found is None and tree.is_folder(path):
            manifest = tree.manifest(path)
            stated = (manifest.text("types") or manifest.text("typings")) if manifest is not None else None
            inner = within(path, stated) if stated else None
            return inner if inner and tree.is_file(inner) else None
        return found.lstrip("/") if found else None

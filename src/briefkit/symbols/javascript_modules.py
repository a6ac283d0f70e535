"""Modules evaluated by reading: what each exports, in CommonJS and ES modules, within a package and across packages.

Files of one package are evaluated in the order they ask for each other; those of other packages when what they export is asked for.
"""

from __future__ import annotations

import posixpath
import re

from briefkit.errors import UnreadableError
from briefkit.installed.node_entries import IMPORT, REQUIRE, resolve_entry
from briefkit.installed.node_exports import find_target, node_file
from briefkit.installed.node_tree import PackageTree, within
from briefkit.names import NPM, is_npm_name, split_npm_subpath
from briefkit.records import TYPE_CHECKING

from .javascript_assignments import ASSIGNMENTS
from .javascript_builtins import thrown
from .javascript_compiler import Compiler
from .javascript_expressions import EXPRESSIONS, string_value
from .javascript_functions import class_value, function_value, run_code
from .javascript_hosts import Hosts, is_builtin
from .javascript_links import Linker, Module, Package, asking_folder, declared_names
from .javascript_literals import object_literal
from .javascript_loops import LOOPS
from .javascript_operators import OPERATORS
from .javascript_parsing import SOURCE_LIMIT, NotParsedError, Source, parse
from .javascript_realm import Call, CutShortError, Realm, Scope, ThrownError
from .javascript_statements import STATEMENTS
from .javascript_values import UNDEFINED, Obj, Prop, Unknown, Value

if TYPE_CHECKING:
    from typing import Any

    from tree_sitter import Node

    from briefkit.packages import Installed

    from .records import PackageFinder

_EXPRESSIONS = {
    **EXPRESSIONS,
    **OPERATORS,
    **ASSIGNMENTS,
    **dict.fromkeys(
        (
            "function_declaration",
            "generator_function_declaration",
            "function_expression",
            "generator_function",
            "arrow_function",
        ),
        function_value,
    ),
    "object": object_literal,
    "class": class_value,
    "class_declaration": class_value,
    "abstract_class_declaration": class_value,
}
_STATEMENTS = {**STATEMENTS, **LOOPS}
_EXTENSIONS = ("", ".js", ".cjs", ".mjs", ".json", ".ts", ".tsx", ".node")
FILES_LIMIT = 6000
_ASSIGNED = re.compile(r"\bexports\.([A-Za-z_$][\w$]*)\s*=(?!=)")
_CUT_BYTES = 4000


class Modules:
    """All that is evaluated for one package: its files, and those of others that they lead to."""

    def __init__(self, find: PackageFinder) -> None:
        self.find = find
        self.realm = Realm()
        self.realm.run_code = lambda *given: run_code(self.realm, *given)
        self.hosts = Hosts(self.realm)
        self.packages: dict[tuple[str, str | None], Package] = {}
        self.read: dict[str, int] = {}
        self.unread: dict[str, str] = {}
        self._call = Call(UNDEFINED)
        self._globals = Scope(None, self._call)
        self._globals.names = self.hosts.globals

    # finding -----------------------------------------------------------------------------------------------------------

    def roots(self) -> list[str]:
        """The package.json of each package that was looked into."""
        return [package.tree.shown("package.json") for package in self.packages.values()]

    def package(self, installed: Installed) -> Package:
        """The package's state, one for each copy."""
        key = (installed.root, installed.inner)
        if key not in self.packages:
            self.packages[key] = Package(installed)
        return self.packages[key]

    def module(self, package: Package, path: str) -> Module:
        """The module of a file, evaluated or not."""
        if path not in package.modules:
            package.modules[path] = Module(package, path)
        return package.modules[path]

    def resolve(self, specifier: str, module: Module, conditions: frozenset[str]) -> Module | str:
        """The module that a specifier leads to from a module, or why it leads to none."""
        package = module.package
        if specifier.startswith("."):
            path = self._relative(package.tree, within(posixpath.dirname(module.path), specifier))
            return self.module(package, path) if path else f"{specifier} is not there, asked for in {module.path}"
        if specifier.startswith("#"):
            return self._imported(specifier, package, conditions)
        name, sub_path = split_npm_subpath(specifier)
        if not is_npm_name(name):
            return f"{specifier} is no package"
        found = self._other(name, package)
        if found is None:
            return f"{name} is not installed"
        path = resolve_entry(found.tree, sub_path, conditions) or resolve_entry(
            found.tree, sub_path, IMPORT if conditions is REQUIRE else REQUIRE
        )
        return self.module(found, path) if path else f"{specifier} leads to no file"

    def _other(self, name: str, package: Package) -> Package | None:
        if name == package.installed.name:
            return package
        found = self.find(NPM, name, asking_folder(package.installed))
        return self.package(found) if found is not None else None

    def _relative(self, tree: PackageTree, path: str | None) -> str | None:
        if path is None:
            return None
        for extension in _EXTENSIONS:
            if path and tree.is_file(path + extension):
                return path + extension
        swapped = path[:-3] + ".ts" if path.endswith(".js") else ""
        if swapped and tree.is_file(swapped):
            return swapped
        if path and not tree.is_folder(path):
            return None
        manifest = tree.manifest(path) if path else tree.manifest("")
        main = manifest.text("main") if manifest is not None else None
        inner = within(path, main) if main else None
        if inner and inner != path:
            for extension in (*_EXTENSIONS, "/index.js"):
                if tree.is_file(inner + extension):
                    return inner + extension
        return next(
            (file for extension in _EXTENSIONS[1:] if tree.is_file(file := posixpath.join(path, "index" + extension))),
            None,
        )

    def _imported(self, specifier: str, package: Package, conditions: frozenset[str]) -> Module | str:
        manifest = package.tree.manifest("")
        table = manifest.fields.get("imports") if manifest is not None else None
        target = find_target(table, specifier) if isinstance(table, dict) else None
        path = node_file(target, conditions) if target is not None else None
        plain = within(path) if path else None
        if plain and package.tree.is_file(plain):
            return self.module(package, plain)
        return f"{specifier} leads to no file"

    # loading -----------------------------------------------------------------------------------------------------------

    def required(self, specifier: str, module: Module) -> Value:
        """What `require(specifier)` gives in a module.

        Raises:
            ThrownError: The module is not there, which a `try` may catch.

        """
        if is_builtin(specifier) and not self._shadows(specifier, module):
            return self.hosts.module(specifier)
        found = self.resolve(specifier, module, REQUIRE)
        if isinstance(found, str):
            self.unread.setdefault(specifier, found)
            raise thrown(self.realm, found)
        return self.exports(found)

    def _shadows(self, specifier: str, module: Module) -> bool:
        del module
        return specifier.endswith("/")

    def exports(self, module: Module) -> Value:
        """What a module gives to `require`: `module.exports`, or the namespace of an ES module."""
        self.evaluate(module)
        if module.esm:
            return module.namespace
        if module.cell is None:
            return Unknown(self.unread.get(module.package.tree.shown(module.path), f"{module.path} is not read"))
        return self.realm.get(module.cell, "exports")

    def imported(self, module: Module) -> Value:
        """What a module gives to `import * as`: its namespace; a CommonJS module's exports with itself as `default`."""
        self.evaluate(module)
        if module.esm:
            return module.namespace
        given = self.exports(module)
        if module.namespace is None and type(given) is Obj and module.state == "done":
            made = self.realm.object()
            made.props = {name: prop for name, prop in given.props.items() if name != "prototype"}
            made.doors = given.doors
            made.props["default"] = Prop(given, given.site)
            module.namespace = made
        return module.namespace if module.namespace is not None else given

    def binding(self, module: Module, name: str) -> Value:
        """What `import { name }` gives."""
        if name == "*":
            return self.imported(module)
        self.evaluate(module)
        if module.esm:
            return self.realm.get(module.namespace, name)
        given = self.exports(module)
        return given if name == "default" else self.realm.get(given, name)

    def link(self, module: Module) -> None:
        """Read a module's text and declare what it imports and exports, before anything of it is evaluated."""
        if module.state != "new":
            return
        module.state = "linked"
        source = self._source(module)
        if source is None:
            return
        module.source = source
        module.compiler = Compiler(
            source, self.realm, _EXPRESSIONS, _STATEMENTS, lambda specifier: self.required(specifier, module)
        )
        module.scope = Scope(self._globals, Call(UNDEFINED))
        module.scope.call.scope = module.scope
        Linker(self, module).run(source.root)

    def _source(self, module: Module) -> Source | None:
        shown = module.package.tree.shown(module.path)
        if module.path.endswith(".json"):
            self._json(module, shown)
            return None
        try:
            if module.path.endswith((".node", ".wasm")):
                raise NotParsedError("native code")
            if len(self.read) >= FILES_LIMIT:
                raise NotParsedError("more files than are read")
            source = parse(shown, module.package.tree.read(module.path, SOURCE_LIMIT))
        except (NotParsedError, UnreadableError) as error:
            self.unread[shown] = f"{shown}: {error.what if isinstance(error, UnreadableError) else error}"
            return None
        self.read[shown] = source.lines
        return source

    def _json(self, module: Module, shown: str) -> None:
        import json

        from briefkit.paths import MANIFEST_LIMIT, decode

        try:
            value = json.loads(decode(module.package.tree.read(module.path, MANIFEST_LIMIT), shown))
        except (UnreadableError, ValueError, RecursionError) as error:
            self.unread[shown] = f"{shown}: {getattr(error, 'what', 'not JSON')}"
            return
        self.read[shown] = 1
        cell = self.realm.object()
        cell.props["exports"] = Prop(self._json_value(value, 0))
        module.cell = cell

    def _json_value(self, value: Any, depth: int) -> Value:  # noqa: ANN401 (JSON is anything)
        if depth > 12:
            return Unknown("deep data")
        if isinstance(value, dict):
            made = self.realm.object()
            for name, inner in value.items():
                made.props[name] = Prop(self._json_value(inner, depth + 1))
            return made
        if isinstance(value, list):
            return self.realm.array([self._json_value(inner, depth + 1) for inner in value[:20_000]])
        return value

    # evaluating --------------------------------------------------------------------------------------------------------

    def evaluate(self, module: Module) -> None:
        """Evaluate a module once; in a cycle, what it has exported so far stands."""
        self.link(module)
        if module.state != "linked":
            return
        module.state = "running"
        if module.source is not None and module.compiler is not None and module.scope is not None:
            saved = self.realm.uncertain, self.realm.statement_end, self.realm.depth
            self.realm.uncertain, self.realm.depth = 0, 0
            self._run(module, module.source.root, module.compiler, module.scope)
            self.realm.uncertain, self.realm.statement_end, self.realm.depth = saved
            self.realm.statement_end = max(self.realm.statement_end, self.realm.steps + 50_000)
        module.state = "done"
        for star in module.stars:
            Linker(self, module).copy_star(star)

    def _run(self, module: Module, root: Node, compiler: Compiler, scope: Scope) -> None:
        if not module.esm:
            self._commonjs(module, scope)
        statements = [child for child in root.named_children if child.type != "comment"]
        functions = [child for child in statements if child.type in _FUNCTIONS]
        for node in functions:
            name = node.child_by_field_name("name")
            if name is not None:
                scope.names[compiler.text(name)] = function_value(compiler, node)(scope)
        for node in statements:
            if node.type not in _FUNCTIONS:
                self._step(module, compiler, scope, node)

    def _step(self, module: Module, compiler: Compiler, scope: Scope, node: Node) -> None:
        self.realm.begin_statement()
        try:
            if node.type == "import_statement":
                self._effects(module, compiler, node)
            elif node.type == "export_statement":
                Linker(self, module).export(node, scope)
            else:
                compiler.statement(node)(scope)
        except ThrownError:
            # Modules do not throw when they are loaded: what led here was not understood.
            where = f"{compiler.source.path}:{node.start_point[0] + 1}"
            self._cut(module, scope, compiler, node, f"the statement at {where} was not understood to its end")
        except (CutShortError, RecursionError):
            where = f"{compiler.source.path}:{node.start_point[0] + 1}"
            self.unread.setdefault(where, f"{where}: more work than is spent on one statement")
            self._cut(module, scope, compiler, node, f"the statement at {where} was not evaluated to its end")

    def _cut(self, module: Module, scope: Scope, compiler: Compiler, node: Node, door: str) -> None:
        """After a statement that took too much: what it declares, or else what the module exports, is not known."""
        inner = node.child_by_field_name("declaration") or node
        names = [compiler.text(name) for name, _ in declared_names(inner)]
        for name in names:
            scope.names.setdefault(name, Unknown(door))
        target = module.namespace if module.esm else self.realm.get(module.cell, "exports")
        assigned = [] if module.esm else _ASSIGNED.findall(compiler.text(node)[:_CUT_BYTES])
        if type(target) is Obj:
            for name in assigned:
                target.props.setdefault(name, Prop(Unknown(door), compiler.site(node)))
            if not names and not assigned:
                target.open(door)

    def _effects(self, module: Module, compiler: Compiler, node: Node) -> None:
        specifier = node.child_by_field_name("source")
        if specifier is None or any(child.type == "type" for child in node.children):
            return
        name = string_value(compiler, specifier)
        if name.startswith((".", "#")):
            found = self.resolve(name, module, IMPORT)
            if isinstance(found, Module):
                self.evaluate(found)

    def _commonjs(self, module: Module, scope: Scope) -> None:
        realm = self.realm
        cell = realm.object()
        exports = realm.object()
        cell.props["exports"] = Prop(exports)
        cell.props["id"] = Prop(module.path)
        cell.props["children"] = Prop(realm.array([]))
        module.cell = cell
        require = realm.native("require", lambda _this, given: self._require_value(module, given))
        require.props["resolve"] = Prop(realm.native("resolve", lambda _this, _given: Unknown("a path")))
        require.props["cache"] = Prop(Unknown("the cache of modules"))
        require.props["main"] = Prop(Unknown("the main module"))
        scope.names.update(
            {
                "module": cell,
                "exports": exports,
                "require": require,
                "__filename": Unknown("a path"),
                "__dirname": Unknown("a path"),
            }
        )
        scope.call.this = exports

    def _require_value(self, module: Module, given: list[Value]) -> Value:
        if given and type(given[0]) is str:
            return self.required(given[0], module)
        return Unknown("a module whose name is computed")


_FUNCTIONS = frozenset({"function_declaration", "generator_function_declaration"})

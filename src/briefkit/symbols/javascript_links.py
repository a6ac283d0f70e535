"""The imports and exports of a module's text, declared before anything of it is evaluated."""

from __future__ import annotations

import os
import re
from typing import Protocol

from briefkit.installed.node_entries import IMPORT
from briefkit.installed.node_tree import PackageTree, tree_of
from briefkit.records import TYPE_CHECKING

from .javascript_hosts import Hosts, is_builtin
from .javascript_parsing import Source, first_named
from .javascript_realm import MISSING, Realm, Scope
from .javascript_values import Lazy, Obj, Prop, Unknown, Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from briefkit.packages import Installed

    from .javascript_compiler import Compiler


_COMMENT = re.compile(r"(?s)/\*.*?\*/|//[^\n]*")
_SPECIFIER = re.compile(r"([\w$]+)(?:\s+as\s+([\w$]+))?")


def asking_folder(installed: Installed) -> str:
    """The folder that a package's own imports are asked from: in a zip of Plug'n'Play, the path that its manifest knows."""
    return installed.root if installed.inner is None else os.path.join(installed.root, installed.inner)


class Package:
    """One package whose files are evaluated."""

    __slots__ = ("installed", "modules", "tree")

    def __init__(self, installed: Installed) -> None:
        self.installed = installed
        self.tree: PackageTree = tree_of(installed)
        self.modules: dict[str, Module] = {}


class Module:
    """One file: its exports, and how far evaluating it has come."""

    __slots__ = ("cell", "compiler", "esm", "namespace", "package", "path", "scope", "source", "stars", "state")

    def __init__(self, package: Package, path: str) -> None:
        self.package = package
        self.path = path
        self.state = "new"
        self.esm = False
        self.cell: Obj | None = None
        self.namespace: Obj | None = None
        self.source: Source | None = None
        self.scope: Scope | None = None
        self.compiler: Compiler | None = None
        self.stars: list[Module] = []


class Loader(Protocol):
    """What links lead through: the modules of all packages."""

    realm: Realm
    hosts: Hosts
    unread: dict[str, str]

    def resolve(self, specifier: str, module: Module, conditions: frozenset[str]) -> Module | str:
        """The module that a specifier leads to, or why it leads to none."""

    def link(self, module: Module) -> None:
        """Declare what a module imports and exports."""

    def evaluate(self, module: Module) -> None:
        """Evaluate a module once."""

    def exports(self, module: Module) -> Value:
        """What a module gives to `require`."""

    def binding(self, module: Module, name: str) -> Value:
        """What `import { name }` gives."""


class Linker:
    """The imports and exports of one module's text."""

    def __init__(self, modules: Loader, module: Module) -> None:
        self.modules = modules
        self.module = module

    def run(self, root: Node) -> None:
        """Declare all imports and exports as live bindings."""
        linked = [child for child in root.named_children if child.type in ("import_statement", "export_statement")]
        if not linked and not self.module.path.endswith(".mjs"):
            return
        self.module.esm = True
        self.module.namespace = self.modules.realm.object()
        for node in linked:
            if node.type == "import_statement":
                self._import(node)
            else:
                self._export_names(node)

    def _text(self, node: Node) -> str:
        assert self.module.compiler is not None
        text = self.module.compiler.text(node)
        return text[1:-1] if node.type == "string" else text

    def _lazy(self, specifier: str, name: str) -> Lazy:
        """A binding to another module's export, read when it is asked for."""
        modules, module = self.modules, self.module

        def read() -> Value:
            if is_builtin(specifier):
                host = modules.hosts.module(specifier)
                if name in ("*", "default"):
                    return host
                return modules.realm.get(host, name)
            found = modules.resolve(specifier, module, IMPORT)
            if isinstance(found, str):
                modules.unread.setdefault(specifier, found)
                return Unknown(found)
            return modules.binding(found, name)

        return Lazy(read)

    def _import(self, node: Node) -> None:
        source = node.child_by_field_name("source")
        clause = next((child for child in node.named_children if child.type == "import_clause"), None)
        if source is None or clause is None or any(child.type == "type" for child in node.children):
            return
        specifier = self._text(source)
        assert self.module.scope is not None
        names = self.module.scope.names
        for child in clause.named_children:
            if child.type == "identifier":
                names[self._text(child)] = self._lazy(specifier, "default")
            elif child.type == "namespace_import":
                inner = first_named(child)
                if inner is not None:
                    names[self._text(inner)] = self._lazy(specifier, "*")
            elif child.type == "named_imports":
                for each in child.named_children:
                    self._import_one(each, specifier, names)

    def _import_one(self, node: Node, specifier: str, names: dict[str, Value]) -> None:
        name = node.child_by_field_name("name")
        alias = node.child_by_field_name("alias") or name
        if node.type == "import_specifier" and name is not None and alias is not None:
            names[self._text(alias)] = self._lazy(specifier, self._text(name))

    # exports -----------------------------------------------------------------------------------------------------------

    def _define(self, name: str, value: Value, node: Node) -> None:
        assert self.module.namespace is not None
        assert self.module.compiler is not None
        self.module.namespace.props[name] = Prop(value, self.module.compiler.site(node))

    def _export_names(self, node: Node) -> None:
        if any(child.type == "type" for child in node.children[:3]):
            return
        source = node.child_by_field_name("source")
        clause = next((child for child in node.named_children if child.type == "export_clause"), None)
        if clause is not None:
            specifier = self._text(source) if source is not None else None
            if clause.has_error:
                # The grammar takes no reserved word for a name here: `export { catch_ as catch }`.
                for found in _SPECIFIER.finditer(_COMMENT.sub(" ", self._text(clause))):
                    self._export_as(found[1], found[2] or found[1], specifier, clause)
            else:
                for each in clause.named_children:
                    self._export_one(each, specifier)
            return
        if source is not None:
            self._export_star(node, self._text(source))
            return
        declaration = node.child_by_field_name("declaration")
        if any(child.type == "default" for child in node.children[:3]):
            self._define("default", Lazy(self._default_reader()), declaration or node)
        elif declaration is not None:
            for name, place in declared_names(declaration):
                self._define(self._text(name), self._local(self._text(name)), place)

    def _export_one(self, node: Node, source: str | None) -> None:
        name = node.child_by_field_name("name")
        if name is None or node.type != "export_specifier":
            return
        alias = node.child_by_field_name("alias") or name
        self._export_as(self._text(name), self._text(alias), source, node)

    def _export_as(self, name: str, alias: str, source: str | None, node: Node) -> None:
        self._define(alias, self._lazy(source, name) if source is not None else self._local(name), node)

    def _local(self, name: str) -> Lazy:
        scope = self.module.scope
        assert scope is not None

        def read() -> Value:
            value = scope.lookup(name)
            return Unknown(f"`{name}` is not evaluated") if value is MISSING else value

        return Lazy(read)

    def _default_reader(self) -> Callable[[], Value]:
        return self._local("*default*").read

    def _export_star(self, node: Node, specifier: str) -> None:
        assert self.module.namespace is not None
        named = next((child for child in node.named_children if child.type == "namespace_export"), None)
        if named is not None:
            inner = first_named(named)
            if inner is not None:
                self._define(self._text(inner), self._lazy(specifier, "*"), node)
            return
        found = self.modules.resolve(specifier, self.module, IMPORT)
        if is_builtin(specifier):
            self.module.namespace.open(f"it exports all of {specifier}")
        elif isinstance(found, str):
            self.module.namespace.open(f"it exports all of {specifier}: {found}")
        else:
            self.modules.link(found)
            self.module.stars.append(found)
            self.copy_star(found)

    def copy_star(self, star: Module) -> None:
        """Take over the names of another module's namespace, without its `default`."""
        namespace = self.module.namespace
        assert namespace is not None
        if not star.esm:
            if self.module.state == "linked":
                return
            given = self.modules.exports(star)
            if type(given) is Obj:
                self._copy(namespace, star, given)
            elif type(given) is Unknown:
                namespace.open(given.reason)
            return
        assert star.namespace is not None
        self._copy(namespace, star, star.namespace)

    def _copy(self, namespace: Obj, star: Module, given: Obj) -> None:
        for name, prop in list(given.props.items()):
            if name not in ("default", "__esModule", "prototype"):
                namespace.props.setdefault(name, Prop(self._of_star(star, name), prop.site))
        for door in given.doors:
            namespace.open(door)

    def _of_star(self, star: Module, name: str) -> Lazy:
        return Lazy(lambda: self.modules.binding(star, name))

    def export(self, node: Node, scope: Scope) -> None:
        """Evaluate what an export statement declares."""
        compiler = self.module.compiler
        assert compiler is not None
        source = node.child_by_field_name("source")
        if source is not None:
            specifier = self._text(source)
            found = self.modules.resolve(specifier, self.module, IMPORT) if specifier[:1] in ".#" else None
            if isinstance(found, Module):
                self.modules.evaluate(found)
            return
        declaration = node.child_by_field_name("declaration")
        value = node.child_by_field_name("value")
        is_default = any(child.type == "default" for child in node.children[:3])
        if value is not None:
            scope.names["*default*"] = compiler.expression(value)(scope)
        elif declaration is not None and is_default:
            self._default_declaration(declaration, scope, compiler)
        elif declaration is not None:
            compiler.statement(declaration)(scope)

    @staticmethod
    def _default_declaration(declaration: Node, scope: Scope, compiler: Compiler) -> None:
        made = compiler.expression(declaration)(scope)
        name = declaration.child_by_field_name("name")
        if name is not None:
            scope.names[compiler.text(name)] = made
        scope.names["*default*"] = made


def declared_names(node: Node) -> list[tuple[Node, Node]]:
    """The names that a declaration declares, each with the node that defines it."""
    if node.type in ("lexical_declaration", "variable_declaration"):
        found = []
        for child in node.named_children:
            name = child.child_by_field_name("name")
            if name is None:
                continue
            if name.type == "identifier":
                found.append((name, child))
            else:
                found.extend((inner, child) for inner in _pattern_names(name))
        return found
    name = node.child_by_field_name("name")
    return [(name, node)] if name is not None else []


def _pattern_names(node: Node) -> list[Node]:
    names, pending = [], [node]
    while pending:
        at = pending.pop()
        if at.type in ("identifier", "shorthand_property_identifier_pattern"):
            names.append(at)
        pending.extend(at.named_children)
    return names

"""Declaration files read into scopes: which names a file, a namespace or an ambient module declares, imports and exports.

Only the outer structure is walked; what stands inside a class or an interface is read when it is asked for.
"""

from __future__ import annotations

import re

from briefkit.records import TYPE_CHECKING, NamedTuple

from .javascript_parsing import first_named

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tree_sitter import Node

    from .javascript_parsing import Source

_REFERENCE = re.compile(rb"(?m)^\s*///\s*<reference\s+(path|types)\s*=\s*[\"']([^\"'\n]+)[\"']")
DECLARATIONS = frozenset(
    {
        "class_declaration",
        "abstract_class_declaration",
        "interface_declaration",
        "type_alias_declaration",
        "enum_declaration",
        "function_signature",
        "function_declaration",
        "generator_function_declaration",
        "internal_module",
        "module",
    }
)
_VARIABLES = frozenset({"lexical_declaration", "variable_declaration"})


class Import(NamedTuple):
    """A name from elsewhere: `name` in the module `specifier`; `*` the whole module, `=` its `export =`; no specifier: an alias of `name`."""

    specifier: str | None
    name: str


class Declaration(NamedTuple):
    """One declaration of a name: its node, the scope it stands in, the comment before it, and for a namespace the scope that it opens."""

    node: Node
    scope: TypeScope
    comment: Node | None = None
    inner: TypeScope | None = None


class TypeScope:
    """The names of a file, a namespace, an ambient module (`ambient` is what it is called) or the global scope.

    `exports` maps an exported name to a local name or an import; `stars` are modules all of whose names are exported. Where
    `explicit` is False every declaration is exported, as in a namespace of a declaration file that exports none by name.
    """

    __slots__ = (
        "ambient",
        "equals",
        "explicit",
        "exports",
        "imports",
        "names",
        "package",
        "parent",
        "path",
        "references",
        "source",
        "stars",
    )

    def __init__(self, source: Source, parent: TypeScope | None, package: object, path: str) -> None:
        self.source = source
        self.parent = parent
        self.package = package
        self.path = path
        self.names: dict[str, list[Declaration]] = {}
        self.imports: dict[str, Import] = {}
        self.exports: dict[str, str | Import] = {}
        self.stars: list[str] = []
        self.equals: Node | None = None
        self.ambient: str | None = None
        self.explicit = False
        self.references: list[tuple[str, str]] = []

    def text(self, node: Node) -> str:
        """The text of a node."""
        return self.source.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def exported(self) -> Iterable[str]:
        """The names this scope exports by itself, stars aside."""
        if self.explicit:
            return self.exports
        return dict.fromkeys((*self.exports, *self.names))


class FileScopes(NamedTuple):
    """A declaration file: its own scope, whether it is a module, its ambient modules by name, and what it adds to the global scope."""

    scope: TypeScope
    is_module: bool
    ambient: dict[str, TypeScope]
    globals: TypeScope


def read_scopes(source: Source, package: object, path: str) -> FileScopes:
    """The scopes of a declaration file."""
    scope = TypeScope(source, None, package, path)
    reading = _Reading(source, package, path)
    reading.statements(source.root.named_children, scope)
    head = source.data[: source.data.find(b"\nexport ") if b"\nexport " in source.data else 4096]
    scope.references = [(found[1].decode(), found[2].decode("utf-8", "replace")) for found in _REFERENCE.finditer(head)]
    is_module = reading.is_module
    scope.explicit = is_module
    return FileScopes(scope, is_module, reading.ambient, reading.globals)


class _Reading:
    """The walk over one file's statements."""

    def __init__(self, source: Source, package: object, path: str) -> None:
        self.source = source
        self.package = package
        self.path = path
        self.is_module = False
        self._comment: Node | None = None
        self.ambient: dict[str, TypeScope] = {}
        self.globals = TypeScope(source, None, package, path)

    def statements(self, nodes: Iterable[Node], scope: TypeScope, depth: int = 0) -> None:
        """Declare what each statement declares; errors in the tree are walked into."""
        comment: Node | None = None
        for node in nodes:
            kind = node.type
            if kind == "comment":
                comment = node
                continue
            self._comment, comment = comment, None
            if kind == "export_statement":
                self._export(node, scope)
            elif kind == "import_statement":
                self._import(node, scope)
            elif kind == "ambient_declaration":
                self._ambient(node, scope)
            elif kind in DECLARATIONS or kind in _VARIABLES:
                self._declare(node, scope)
            elif kind == "import_alias":
                self._alias(node, scope)
            elif kind == "expression_statement":
                inner = first_named(node)
                if inner is not None and inner.type in ("internal_module", "module"):
                    self._declare(inner, scope)
            elif kind == "statement_block" and self._after_global(node):
                # The grammar reads `global { … }` inside `declare module` as a name and a block.
                self.statements(node.named_children, self.globals)
            elif kind == "ERROR" and depth < 8:
                self.statements(node.named_children, scope, depth + 1)

    @staticmethod
    def _after_global(node: Node) -> bool:
        before = node.prev_named_sibling
        return before is not None and (before.text or b"").strip() == b"global"

    # declarations ------------------------------------------------------------------------------------------------------

    def _declare(self, node: Node, scope: TypeScope) -> list[str]:
        """Declare a statement's names in a scope, and give them."""
        if node.type in _VARIABLES:
            return self._variables(node, scope)
        name_node = node.child_by_field_name("name")
        if name_node is None:
            return []
        if node.type in ("internal_module", "module"):
            return self._namespace(node, name_node, scope)
        name = scope.text(name_node)
        scope.names.setdefault(name, []).append(Declaration(node, scope, self._comment))
        return [name]

    def _variables(self, node: Node, scope: TypeScope) -> list[str]:
        names = []
        for child in node.named_children:
            name_node = child.child_by_field_name("name") if child.type == "variable_declarator" else None
            if name_node is not None and name_node.type == "identifier":
                name = scope.text(name_node)
                scope.names.setdefault(name, []).append(Declaration(child, scope, self._comment))
                names.append(name)
        return names

    def _namespace(self, node: Node, name_node: Node, scope: TypeScope) -> list[str]:
        body = node.child_by_field_name("body")
        children = body.named_children if body is not None else []
        if name_node.type == "string":
            inner = self.ambient.get(name := scope.text(name_node)[1:-1])
            if inner is None:
                inner = self.ambient[name] = TypeScope(self.source, scope, self.package, self.path)
                inner.ambient = name
            self.statements(children, inner)
            return []
        parts = scope.text(name_node).split(".")
        first = parts[0].strip()
        inner = self._opened(node, first, scope)
        for part in parts[1:]:
            inner = self._opened(node, part.strip(), inner)
        self.statements(children, inner)
        return [first]

    def _opened(self, node: Node, name: str, scope: TypeScope) -> TypeScope:
        """The scope of a namespace: one for all blocks of a file that open it."""
        declared = scope.names.setdefault(name, [])
        inner = next((each.inner for each in declared if each.inner is not None), None)
        if inner is None:
            inner = TypeScope(self.source, scope, self.package, self.path)
        declared.append(Declaration(node, scope, self._comment, inner))
        return inner

    def _ambient(self, node: Node, scope: TypeScope) -> list[str]:
        names: list[str] = []
        for child in node.children:
            if child.type == "global":
                body = node.named_children[-1] if node.named_children else None
                if body is not None:
                    self.statements(body.named_children, self.globals)
                return []
            if child.type in DECLARATIONS or child.type in _VARIABLES:
                names += self._declare(child, scope)
        if self.source.data.startswith(b"export", node.start_byte) and len(names) == 1:
            # `export default function (` was parsed as `declare function $$(` of equal length: its name is no name.
            self.is_module = scope.explicit = True
            scope.names.setdefault("default", []).append(scope.names[names[0]].pop())
            scope.exports["default"] = "default"
        return names

    # imports -----------------------------------------------------------------------------------------------------------

    def _import(self, node: Node, scope: TypeScope) -> None:
        if scope.parent is None:
            self.is_module = True
        source = node.child_by_field_name("source")
        specifier = scope.text(source)[1:-1] if source is not None else ""
        for child in node.named_children:
            if child.type == "import_clause":
                self._clause(child, specifier, scope)
            elif child.type == "import_require_clause":
                self._require_clause(child, scope)

    @staticmethod
    def _require_clause(node: Node, scope: TypeScope) -> None:
        name, source = first_named(node), node.child_by_field_name("source")
        if name is not None and source is not None:
            scope.imports[scope.text(name)] = Import(scope.text(source)[1:-1], "=")

    @staticmethod
    def _clause(node: Node, specifier: str, scope: TypeScope) -> None:
        for child in node.named_children:
            if child.type == "identifier":
                scope.imports[scope.text(child)] = Import(specifier, "default")
            elif child.type == "namespace_import" and (inner := first_named(child)) is not None:
                scope.imports[scope.text(inner)] = Import(specifier, "*")
            elif child.type == "named_imports":
                for each in child.named_children:
                    name = each.child_by_field_name("name")
                    alias = each.child_by_field_name("alias") or name
                    if name is not None and alias is not None:
                        scope.imports[scope.text(alias)] = Import(specifier, _plain(scope.text(name)))

    @staticmethod
    def _alias(node: Node, scope: TypeScope) -> None:
        parts = node.named_children
        if len(parts) == 2:
            scope.imports[scope.text(parts[0])] = Import(None, scope.text(parts[1]))

    # exports -----------------------------------------------------------------------------------------------------------

    def _export(self, node: Node, scope: TypeScope) -> None:
        if scope.parent is None:
            self.is_module = True
        words = [child.type for child in node.children[:3]]
        source = node.child_by_field_name("source")
        specifier = scope.text(source)[1:-1] if source is not None else None
        declaration = node.child_by_field_name("declaration")
        # In a namespace or ambient module that only marks some declarations, all are exported.
        scope.explicit = scope.explicit or scope.parent is None or (declaration is None and not scope.names)
        if declaration is not None:
            self._export_declared(declaration, scope, is_default="default" in words)
            return
        if "=" in words:
            scope.equals = first_named(node)
            return
        if "default" in words:
            self._export_default(node, scope)
            return
        for child in node.named_children:
            if child.type == "export_clause":
                self._export_clause(child, specifier, scope)
                return
            if child.type == "namespace_export" and specifier is not None and (inner := first_named(child)):
                scope.exports[_plain(scope.text(inner))] = Import(specifier, "*")
                return
            if child.type in ("import_alias", "import_statement"):
                self._export_alias(child, scope)
                return
        if specifier is not None and "as" not in words:
            scope.stars.append(specifier)
        elif "as" in words and not scope.exports:
            scope.explicit = scope.parent is None

    def _export_declared(self, declaration: Node, scope: TypeScope, *, is_default: bool) -> None:
        if declaration.type == "ambient_declaration":
            names = self._ambient(declaration, scope)
        elif declaration.type == "import_alias":
            self._export_alias(declaration, scope)
            return
        else:
            names = self._declare(declaration, scope)
        if is_default:
            if names:
                scope.exports["default"] = names[0]
            else:
                scope.names.setdefault("default", []).append(Declaration(declaration, scope, self._comment))
                scope.exports["default"] = "default"
            return
        scope.exports.update((name, name) for name in names)

    def _export_default(self, node: Node, scope: TypeScope) -> None:
        value = node.child_by_field_name("value")
        if value is not None and value.type == "identifier":
            scope.exports["default"] = scope.text(value)
        else:
            scope.names.setdefault("default", []).append(Declaration(value or node, scope, self._comment))
            scope.exports["default"] = "default"

    def _export_alias(self, node: Node, scope: TypeScope) -> None:
        if node.type == "import_alias":
            self._alias(node, scope)
        else:
            self._import(node, scope)
        for child in node.named_children:
            name = child if child.type == "identifier" else first_named(child)
            if name is not None:
                scope.exports[scope.text(name)] = scope.text(name)
                return

    @staticmethod
    def _export_clause(node: Node, specifier: str | None, scope: TypeScope) -> None:
        for each in node.named_children:
            name = each.child_by_field_name("name")
            if name is None:
                continue
            alias = each.child_by_field_name("alias") or name
            local = _plain(scope.text(name))
            scope.exports[_plain(scope.text(alias))] = local if specifier is None else Import(specifier, local)


def _plain(text: str) -> str:
    return text[1:-1] if text[:1] in "\"'" else text

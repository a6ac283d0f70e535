"""What values of a type offer: the owner of their members, or the door that stands before them."""

from __future__ import annotations

import re
from typing import Protocol

from briefkit.records import TYPE_CHECKING

from .javascript_graph import CLOSED, Member, Owner
from .javascript_hosts import prototype_names
from .javascript_parsing import first_named
from .typescript_names import Entity, Module, Names

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from .javascript_graph import Graph
    from .typescript_scopes import Declaration, TypeScope

SAME = frozenset({"Partial", "Required", "Readonly", "NonNullable", "Awaited", "Mutable"})
_LITERALS = frozenset(
    {"literal_type", "template_literal_type", "asserts", "type_predicate", "type_predicate_annotation"}
)
_IMPORTED = re.compile(r"^import\(\s*[\"']([^\"']+)[\"']\s*(?:,[^()]*)?\)((?:\.[\w$]+)*)")
_PRIMITIVES = frozenset({"string", "number", "boolean", "void", "undefined", "null", "symbol", "bigint", "never"})
_DEPTH = 24


UTILITIES = SAME | {"Pick", "Omit", "Record"}


class World(Protocol):
    """What members are made in: names that are followed, and the owners of entities."""

    graph: Graph
    names: Names

    def value_of(self, found: Entity | Module) -> int:
        """The owner of an entity as a value."""

    def instance_of(self, entity: Entity) -> int:
        """The owner of an entity as a type."""

    def root(self, scope: TypeScope) -> int | str:
        """The owner of what a module exports."""

    def described(
        self, kind: str, scope: TypeScope, node: Node, value: int | str, comment: Node | None = None
    ) -> Member:
        """A member with its signature, what the comment before it says, and its lines."""


class Shapes:
    """Makes owners of type nodes; `fill` gives an owner the members of an object type's body."""

    def __init__(self, world: World, fill: Callable[[TypeScope, Node, Owner], None]) -> None:
        self.world = world
        self.fill = fill
        self._builtins: dict[str, int] = {}
        self._types: dict[tuple[int, bytes], int | str] = {}
        self._depth = 0

    @staticmethod
    def place(what: str, scope: TypeScope, node: Node) -> str:
        """What stands open, and where."""
        return f"{what} at {scope.source.path}:{node.start_point[0] + 1}"

    def builtin(self, name: str) -> int:
        """The owner of the names that all values of a built-in kind have."""
        number = self._builtins.get(name)
        if number is None:
            number, owner = self.world.graph.new(name)
            self._builtins[name] = number
            for member in prototype_names(name) or ():
                owner.members[member] = Member("method", member, None, -1, 0, 0, None, CLOSED)
            if name != "Object":
                owner.parents.append(self.builtin("Object"))
        return number

    def adopt(self, owner: Owner, value: int | str) -> None:
        """Give an owner what a value or type offers: its names, or the door that stands before them."""
        if isinstance(value, str):
            owner.open(value)
        elif value >= 0:
            owner.parents.append(value)

    def of_variable(self, each: Declaration) -> int | str:
        """The owner of a variable's members: of its type, or of what a literal shows."""
        annotation = each.node.child_by_field_name("type")
        if annotation is not None:
            return self.of_type(each.scope, annotation)
        value = each.node.child_by_field_name("value")
        if value is None:
            return self.place("a variable without a type", each.scope, each.node)
        if value.type in ("string", "number", "true", "false", "unary_expression", "template_string"):
            return CLOSED
        if value.type in ("arrow_function", "function_expression"):
            return self.builtin("Function")
        return self.place("a variable whose type is inferred", each.scope, each.node)

    def lazily(self, scope: TypeScope, node: Node | None) -> int | str:
        """As `of_type`, but names of other places are followed only when their members are asked for."""
        inner = first_named(node) if node is not None and node.type == "type_annotation" else node
        if inner is None:
            return "it has no type"
        if inner.type in ("type_identifier", "generic_type", "nested_type_identifier", "type_query", "lookup_type"):
            key = (id(scope), inner.text or b"")
            known = self._types.get(key)
            if known is None:
                target = inner
                known, _ = self.world.graph.new("", lambda owner: self.adopt(owner, self.of_type(scope, target)))
                self._types[key] = known
            return known
        return self.of_type(scope, inner)

    def of_type(self, scope: TypeScope, node: Node | None) -> int | str:
        """The owner of the members that values of a type have, `CLOSED`, or why they are not known."""
        if node is None:
            return "it has no type"
        if self._depth > _DEPTH:
            return "a type that is nested too deeply"
        self._depth += 1
        try:
            return self._of_type(scope, node)
        finally:
            self._depth -= 1

    def _of_type(self, scope: TypeScope, node: Node) -> int | str:
        kind = node.type
        if kind in _WRAPPERS:
            return self.of_type(scope, first_named(node))
        if kind in _LITERALS:
            return CLOSED
        if kind in _NAMES:
            return self._named(scope, node, path_of(scope, node))
        make = _TYPES.get(kind)
        if make is not None:
            return make(self, scope, node)
        return self.place(f"its type is not followed ({kind.replace('_', ' ')})", scope, node)

    def _predefined(self, scope: TypeScope, node: Node) -> int | str:
        text = scope.text(node)
        return CLOSED if text in _PRIMITIVES else self.place(f"its type is {text}", scope, node)

    def _object(self, scope: TypeScope, node: Node) -> int:
        return self.world.graph.new("", lambda owner: self.fill(scope, node, owner))[0]

    def _array(self, scope: TypeScope, node: Node) -> int:
        del scope, node
        return self.builtin("Array")

    def _function(self, scope: TypeScope, node: Node) -> int:
        if node.type == "function_type":
            return self.builtin("Function")
        number, owner = self.world.graph.new()
        made = self.of_type(scope, node.child_by_field_name("type"))
        if isinstance(made, int) and made >= 0:
            owner.instance = made
        owner.parents.append(self.builtin("Function"))
        return number

    def _joined(self, scope: TypeScope, node: Node) -> int | str:
        """`A & B` has the names of both; `A | B` may be either."""
        every = node.type == "intersection_type"
        parts = [self.of_type(scope, child) for child in node.named_children if child.type != "comment"]
        inner = [part for part in parts if part != CLOSED]
        if not inner:
            return CLOSED
        if len(inner) == 1:
            return inner[0]
        number, owner = self.world.graph.new()
        for part in inner:
            if isinstance(part, str):
                owner.open(part)
            elif every:
                owner.parents.append(part)
            else:
                owner.options.append(part)
        return number

    def _named(self, scope: TypeScope, node: Node, name: str) -> int | str:
        original = scope.text(node)
        if original.startswith("import("):
            return self._import_type(scope, original)
        found = self.world.names.resolve(scope, name)
        if isinstance(found, str):
            parameter = self._type_parameter(scope, node, name)
            if parameter is not None:
                return parameter
            if prototype_names(name) is not None:
                return self.builtin(name)
            return self.place(found, scope, node)
        if not isinstance(found, Entity):
            return self.world.value_of(found)
        return self.world.instance_of(found)

    def _import_type(self, scope: TypeScope, text: str) -> int | str:
        found = _IMPORTED.match(text)
        if found is None:
            return f"the type {text[:60]}"
        module = self.world.names.files.module(found[1], scope)
        if isinstance(module, str):
            return module
        if not found[2]:
            return self.world.root(module)
        whole = self.world.names.whole(module)
        for part in found[2][1:].split("."):
            if isinstance(whole, str):
                return whole
            whole = self.world.names.inside(whole, part) or f"{part} is not exported by {found[1]}"
        if isinstance(whole, str):
            return whole
        return self.world.instance_of(whole) if isinstance(whole, Entity) else self.world.value_of(whole)

    def _type_parameter(self, scope: TypeScope, node: Node, name: str) -> int | str | None:
        """What a type parameter's constraint says of it; None where the name is none."""
        at = node.parent
        while at is not None:
            parameters = at.child_by_field_name("type_parameters")
            for each in parameters.named_children if parameters is not None else ():
                own = each.child_by_field_name("name")
                if own is not None and scope.text(own) == name:
                    constraint = each.child_by_field_name("constraint")
                    if constraint is not None and constraint.id != node.id:
                        return self.of_type(scope, constraint)
                    return self.place(f"its type is the parameter {name}", scope, node)
            at = at.parent
        return None

    def _generic(self, scope: TypeScope, node: Node) -> int | str:
        name_node = node.child_by_field_name("name")
        arguments_node = node.child_by_field_name("type_arguments")
        arguments = arguments_node.named_children if arguments_node is not None else []
        if name_node is None:
            return "a type without a name"
        name = path_of(scope, name_node)
        if arguments and name in SAME:
            return self.of_type(scope, arguments[0])
        if len(arguments) == 2 and name in ("Omit", "Pick", "Record"):
            return self._utility(scope, name, arguments)
        return self._named(scope, name_node, name)

    def _utility(self, scope: TypeScope, name: str, arguments: list[Node]) -> int | str:
        names = self.literals(scope, arguments[0] if name == "Record" else arguments[1])
        if name == "Record":
            if names is None:
                return self.place("a record of any names", scope, arguments[0])
            number, owner = self.world.graph.new()
            for each in names:
                owner.members[each] = self.world.described(
                    "property", scope, arguments[0], self.lazily(scope, arguments[1])
                )
            return number
        whole = self.of_type(scope, arguments[0])
        if names is None or not isinstance(whole, int) or whole < 0:
            return whole
        return self._narrowed(whole, names, keep=name == "Pick")

    def _narrowed(self, whole: int, names: list[str], *, keep: bool) -> int:
        graph = self.world.graph

        def fill(owner: Owner) -> None:
            for each in graph.chain(whole):
                owner.doors.extend(each.doors)
                for name, member in each.members.items():
                    if (name in names) is keep:
                        owner.members.setdefault(name, member)

        return graph.new("", fill)[0]

    def literals(self, scope: TypeScope, node: Node) -> list[str] | None:
        """The texts of a union of string literals, through aliases; None for another type."""
        if node.type == "literal_type":
            inner = first_named(node)
            return [scope.text(inner)[1:-1]] if inner is not None and inner.type == "string" else None
        if node.type == "parenthesized_type" and (only := first_named(node)) is not None:
            return self.literals(scope, only)
        if node.type == "union_type":
            out: list[str] = []
            for child in node.named_children:
                names = self.literals(scope, child)
                if names is None:
                    return None
                out += names
            return out
        if node.type == "type_identifier":
            found = self.world.names.resolve(scope, scope.text(node))
            if isinstance(found, Entity):
                each = found.declarations[0]
                value = each.node.child_by_field_name("value")
                if each.node.type == "type_alias_declaration" and value is not None and value.id != node.id:
                    return self.literals(each.scope, value)
        return None

    def _query(self, scope: TypeScope, node: Node) -> int | str:
        """`typeof x`: the members of a value."""
        target = first_named(node)
        if target is None:
            return "typeof nothing"
        text = scope.text(target)
        if text.startswith("import("):
            return self._import_type(scope, text)
        found = self.world.names.resolve(scope, path_of(scope, target))
        if isinstance(found, str):
            return self.place(found, scope, node)
        return self.world.value_of(found)

    def _lookup(self, scope: TypeScope, node: Node) -> int | str:
        """`T["x"]`: the members of a member's type."""
        children = node.named_children
        names = self.literals(scope, children[1]) if len(children) > 1 else None
        whole = self.of_type(scope, children[0]) if children else "nothing"
        if names is None or len(names) != 1 or not isinstance(whole, int) or whole < 0:
            return self.place("a type that is looked up", scope, node)
        member = self.world.graph.look(whole, names[0]).member
        return member.value if member is not None else self.place("a type that is looked up", scope, node)


_WRAPPERS = frozenset({"type_annotation", "parenthesized_type", "readonly_type", "optional_type", "constraint"})
_NAMES = frozenset(
    {"type_identifier", "nested_type_identifier", "identifier", "nested_identifier", "member_expression"}
)
_TYPES: dict[str, Callable[[Shapes, TypeScope, Node], int | str]] = {
    "predefined_type": Shapes._predefined,  # noqa: SLF001 (the class's own table)
    "generic_type": Shapes._generic,  # noqa: SLF001
    "object_type": Shapes._object,  # noqa: SLF001
    "array_type": Shapes._array,  # noqa: SLF001
    "tuple_type": Shapes._array,  # noqa: SLF001
    "function_type": Shapes._function,  # noqa: SLF001
    "constructor_type": Shapes._function,  # noqa: SLF001
    "intersection_type": Shapes._joined,  # noqa: SLF001
    "union_type": Shapes._joined,  # noqa: SLF001
    "type_query": Shapes._query,  # noqa: SLF001
    "lookup_type": Shapes._lookup,  # noqa: SLF001
}


def path_of(scope: TypeScope, node: Node) -> str:
    """The dotted name that a type or expression node spells, without type arguments."""
    if node.type == "generic_type":
        inner = node.child_by_field_name("name") or first_named(node)
        return scope.text(inner) if inner is not None else ""
    return scope.text(node).partition("<")[0].strip()

"""The members of classes, interfaces and types as their text declares them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from .javascript_graph import CLOSED, Member, Owner
from .javascript_hosts import prototype_names
from .javascript_parsing import first_named
from .javascript_texts import header
from .typescript_names import Entity, Module, Names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tree_sitter import Node

    from .javascript_graph import Graph
    from .typescript_scopes import Declaration, TypeScope

_METHODS = frozenset({"method_signature", "method_definition", "abstract_method_signature"})
_FIELDS = frozenset({"property_signature", "public_field_definition", "field_definition"})
_MEMBERS = _METHODS | _FIELDS
_SAME = frozenset({"Partial", "Required", "Readonly", "NonNullable", "Awaited", "Mutable"})
_LITERALS = frozenset(
    {"literal_type", "template_literal_type", "asserts", "type_predicate", "type_predicate_annotation"}
)
_IMPORTED = re.compile(r"^import\(\s*[\"']([^\"']+)[\"']\s*(?:,[^()]*)?\)((?:\.[\w$]+)*)")
_PRIMITIVES = frozenset({"string", "number", "boolean", "void", "undefined", "null", "symbol", "bigint", "never"})
_DEPTH = 24


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


class Members:
    """Makes members and owners of type nodes."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._builtins: dict[str, int] = {}
        self._types: dict[tuple[int, bytes], int | str] = {}
        self._depth = 0

    # members of bodies -------------------------------------------------------------------------------------------------

    def of_class(self, each: Declaration, owner: Owner, *, static: bool) -> None:
        """Add a class's static or instance members."""
        body = each.node.child_by_field_name("body")
        comment: Node | None = None
        for child in body.named_children if body is not None else ():
            if child.type == "comment":
                comment = child
                continue
            before, comment = comment, None
            is_static = any(word.type == "static" for word in child.children[:4])
            if child.type == "index_signature" and is_static is static:
                owner.open(self._place("index signature", each.scope, child))
            elif is_static is static and child.type in _MEMBERS:
                self._add(each.scope, child, owner, before)
                if not static and child.type in _METHODS:
                    self._parameter_properties(each.scope, child, owner)

    def of_body(self, scope: TypeScope, body: Node, owner: Owner) -> None:
        """Add the members of an interface or an object type."""
        comment: Node | None = None
        for child in body.named_children:
            kind = child.type
            if kind == "comment":
                comment = child
                continue
            before, comment = comment, None
            if kind in _MEMBERS:
                self._add(scope, child, owner, before)
            elif kind == "index_signature":
                self._index(scope, child, owner)
            elif child.type == "construct_signature":
                made = self.of_type(scope, child.child_by_field_name("type"))
                if isinstance(made, int) and made >= 0:
                    owner.instance = made
                owner.parents.append(self.builtin("Function"))
            elif child.type == "call_signature":
                owner.parents.append(self.builtin("Function"))
            elif child.type == "ERROR":
                self.of_body(scope, child, owner)

    def _index(self, scope: TypeScope, node: Node, owner: Owner) -> None:
        """An index signature is a door; a mapped type over known names is those names."""
        mapped = next((child for child in node.named_children if child.type == "mapped_type_clause"), None)
        over = mapped.child_by_field_name("type") if mapped is not None else None
        names = self._literals(scope, over) if over is not None else None
        if names is not None:
            for name in names:
                owner.members.setdefault(name, self.world.described("property", scope, node, "its type is mapped"))
        elif over is not None and over.type == "index_type_query":
            self.adopt(owner, self.of_type(scope, first_named(over)))
        else:
            owner.open(self._place("index signature" if over is None else "mapped type", scope, node))

    @staticmethod
    def _place(what: str, scope: TypeScope, node: Node) -> str:
        return f"{what} at {scope.source.path}:{node.start_point[0] + 1}"

    def _add(self, scope: TypeScope, node: Node, owner: Owner, comment: Node | None) -> None:
        name_node = node.child_by_field_name("name") or node.child_by_field_name("property")
        name = self.name_of(scope, name_node) if name_node is not None else None
        if name is None or name == "constructor":
            return
        known = owner.members.get(name)
        if known is not None and node.type in _METHODS and len(known.overloads) < 12:
            more = (header(scope.source, node), node.start_point[0] + 1, node.end_point[0] + 1)
            owner.members[name] = known._replace(overloads=(*known.overloads, more))
            return
        words = _words(node)
        is_method = node.type in _METHODS and not words & _ACCESSORS
        if is_method:
            owner.members[name] = self.world.described("method", scope, node, CLOSED, comment)
        else:
            type_node = node.child_by_field_name("type") or node.child_by_field_name("return_type")
            kind = "method" if self._is_function(type_node) else "property"
            owner.members[name] = self.world.described(kind, scope, node, self.lazily(scope, type_node), comment)
        if "private" in words:
            owner.members[name] = owner.members[name]._replace(note="private")

    @staticmethod
    def _is_function(node: Node | None) -> bool:
        inner = first_named(node) if node is not None and node.type == "type_annotation" else node
        return inner is not None and inner.type == "function_type"

    def _parameter_properties(self, scope: TypeScope, node: Node, owner: Owner) -> None:
        """`constructor(private readonly x: T)` declares a field in a class's source."""
        name = node.child_by_field_name("name")
        parameters = node.child_by_field_name("parameters")
        if name is None or name.text != b"constructor" or parameters is None:
            return
        for each in parameters.named_children:
            if any(child.type in ("accessibility_modifier", "readonly") for child in each.children):
                pattern = each.child_by_field_name("pattern")
                if pattern is not None and pattern.type == "identifier":
                    value = self.lazily(scope, each.child_by_field_name("type"))
                    owner.members[scope.text(pattern)] = self.world.described("property", scope, each, value)

    @staticmethod
    def name_of(scope: TypeScope, node: Node) -> str | None:
        """A member's name; None for a computed or private one."""
        if node.type in ("computed_property_name", "private_property_identifier"):
            return None
        text = scope.text(node)
        return text[1:-1] if node.type == "string" else text

    # heritage ----------------------------------------------------------------------------------------------------------

    def bases(self, each: Declaration, *, values: bool) -> Iterator[int]:
        """The owners of what a class or interface extends, as values (statics) or as types (instances)."""
        for node in _extended(each.node):
            found = self.world.names.resolve(each.scope, _path_of(each.scope, node))
            if isinstance(found, str):
                number = self._builtin_or_door(each.scope, node, found, values=values)
                if number is not None:
                    yield number
            elif values:
                yield self.world.value_of(found)
            else:
                yield from self._instance_base(each, node, found)

    def _instance_base(self, each: Declaration, node: Node, found: Entity | Module) -> Iterator[int]:
        if node.type in ("generic_type", "type_identifier", "nested_type_identifier"):
            made = self.of_type(each.scope, node)
        else:
            value = self.world.value_of(found)
            inner = self.world.graph.instance_of(value)
            made = inner if inner is not None else f"{_path_of(each.scope, node)} is no class that is understood"
        yield made if isinstance(made, int) else self._door(made)

    def _builtin_or_door(self, scope: TypeScope, node: Node, reason: str, *, values: bool) -> int | None:
        name = _path_of(scope, node)
        if name in _SAME or name in ("Pick", "Omit", "Record"):
            made = self.of_type(scope, node)
            return made if isinstance(made, int) else self._door(made)
        if prototype_names(name) is not None:
            return self.builtin("Function") if values else self.builtin(name)
        return self._door(f"its base {name} is not known: {reason}")

    def _door(self, reason: str) -> int:
        number, owner = self.world.graph.new()
        owner.open(reason)
        return number

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

    # types -------------------------------------------------------------------------------------------------------------

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
            return self._place("a variable without a type", each.scope, each.node)
        if value.type in ("string", "number", "true", "false", "unary_expression", "template_string"):
            return CLOSED
        if value.type in ("arrow_function", "function_expression"):
            return self.builtin("Function")
        return self._place("a variable whose type is inferred", each.scope, each.node)

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
            return self._named(scope, node, _path_of(scope, node))
        make = _TYPES.get(kind)
        if make is not None:
            return make(self, scope, node)
        return self._place(f"its type is not followed ({kind.replace('_', ' ')})", scope, node)

    def _predefined(self, scope: TypeScope, node: Node) -> int | str:
        text = scope.text(node)
        return CLOSED if text in _PRIMITIVES else self._place(f"its type is {text}", scope, node)

    def _object(self, scope: TypeScope, node: Node) -> int:
        return self.world.graph.new("", lambda owner: self.of_body(scope, node, owner))[0]

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
            return self._place(found, scope, node)
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
                    return self._place(f"its type is the parameter {name}", scope, node)
            at = at.parent
        return None

    def _generic(self, scope: TypeScope, node: Node) -> int | str:
        name_node = node.child_by_field_name("name")
        arguments_node = node.child_by_field_name("type_arguments")
        arguments = arguments_node.named_children if arguments_node is not None else []
        if name_node is None:
            return "a type without a name"
        name = _path_of(scope, name_node)
        if arguments and name in _SAME:
            return self.of_type(scope, arguments[0])
        if len(arguments) == 2 and name in ("Omit", "Pick", "Record"):
            return self._utility(scope, name, arguments)
        return self._named(scope, name_node, name)

    def _utility(self, scope: TypeScope, name: str, arguments: list[Node]) -> int | str:
        names = self._literals(scope, arguments[0] if name == "Record" else arguments[1])
        if name == "Record":
            if names is None:
                return self._place("a record of any names", scope, arguments[0])
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

    def _literals(self, scope: TypeScope, node: Node) -> list[str] | None:
        """The texts of a union of string literals, through aliases; None for another type."""
        if node.type == "literal_type":
            inner = first_named(node)
            return [scope.text(inner)[1:-1]] if inner is not None and inner.type == "string" else None
        if node.type == "parenthesized_type" and (only := first_named(node)) is not None:
            return self._literals(scope, only)
        if node.type == "union_type":
            out: list[str] = []
            for child in node.named_children:
                names = self._literals(scope, child)
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
                    return self._literals(each.scope, value)
        return None

    def _query(self, scope: TypeScope, node: Node) -> int | str:
        """`typeof x`: the members of a value."""
        target = first_named(node)
        if target is None:
            return "typeof nothing"
        text = scope.text(target)
        if text.startswith("import("):
            return self._import_type(scope, text)
        found = self.world.names.resolve(scope, _path_of(scope, target))
        if isinstance(found, str):
            return self._place(found, scope, node)
        return self.world.value_of(found)

    def _lookup(self, scope: TypeScope, node: Node) -> int | str:
        """`T["x"]`: the members of a member's type."""
        children = node.named_children
        names = self._literals(scope, children[1]) if len(children) > 1 else None
        whole = self.of_type(scope, children[0]) if children else "nothing"
        if names is None or len(names) != 1 or not isinstance(whole, int) or whole < 0:
            return self._place("a type that is looked up", scope, node)
        member = self.world.graph.look(whole, names[0]).member
        return member.value if member is not None else self._place("a type that is looked up", scope, node)


_WRAPPERS = frozenset({"type_annotation", "parenthesized_type", "readonly_type", "optional_type", "constraint"})
_NAMES = frozenset(
    {"type_identifier", "nested_type_identifier", "identifier", "nested_identifier", "member_expression"}
)
_TYPES: dict[str, Callable[[Members, TypeScope, Node], int | str]] = {
    "predefined_type": Members._predefined,  # noqa: SLF001 (the class's own table)
    "generic_type": Members._generic,  # noqa: SLF001
    "object_type": Members._object,  # noqa: SLF001
    "array_type": Members._array,  # noqa: SLF001
    "tuple_type": Members._array,  # noqa: SLF001
    "function_type": Members._function,  # noqa: SLF001
    "constructor_type": Members._function,  # noqa: SLF001
    "intersection_type": Members._joined,  # noqa: SLF001
    "union_type": Members._joined,  # noqa: SLF001
    "type_query": Members._query,  # noqa: SLF001
    "lookup_type": Members._lookup,  # noqa: SLF001
}


_ACCESSORS = frozenset({"get", "set"})


def _words(node: Node) -> set[str]:
    """The keywords that a member begins with; `private` where it is so."""
    words: set[str] = set()
    for child in node.children:
        if child.type == "accessibility_modifier":
            words.add((child.text or b"").decode("ascii", "replace"))
        elif child.is_named:
            break
        else:
            words.add(child.type)
    return words


def _extended(node: Node) -> Iterator[Node]:
    """The nodes of what a class or an interface extends, with their type arguments where the grammar keeps them together."""
    for child in node.named_children:
        if child.type == "class_heritage":
            for clause in child.named_children:
                if clause.type == "extends_clause":
                    value = clause.child_by_field_name("value")
                    if value is not None:
                        yield value
        elif child.type in ("extends_type_clause", "extends_clause"):
            yield from (inner for inner in child.named_children if inner.type != "comment")


def _path_of(scope: TypeScope, node: Node) -> str:
    """The dotted name that a type or expression node spells, without type arguments."""
    if node.type == "generic_type":
        inner = node.child_by_field_name("name") or first_named(node)
        return scope.text(inner) if inner is not None else ""
    return scope.text(node).partition("<")[0].strip()

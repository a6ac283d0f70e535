"""The members of classes, interfaces and types as their text declares them."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from .javascript_graph import CLOSED, Owner
from .javascript_hosts import prototype_names
from .javascript_parsing import first_named
from .javascript_texts import header
from .typescript_shapes import UTILITIES, Shapes, World, path_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from .typescript_names import Entity, Module
    from .typescript_scopes import Declaration, TypeScope

_METHODS = frozenset({"method_signature", "method_definition", "abstract_method_signature"})
_FIELDS = frozenset({"property_signature", "public_field_definition", "field_definition"})
_MEMBERS = _METHODS | _FIELDS


class Members:
    """Makes members and owners of type nodes."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.shapes = Shapes(world, self.of_body)

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
                owner.open(self.shapes.place("index signature", each.scope, child))
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
                made = self.shapes.of_type(scope, child.child_by_field_name("type"))
                if isinstance(made, int) and made >= 0:
                    owner.instance = made
                owner.parents.append(self.shapes.builtin("Function"))
            elif child.type == "call_signature":
                owner.parents.append(self.shapes.builtin("Function"))
            elif child.type == "ERROR":
                self.of_body(scope, child, owner)

    def _index(self, scope: TypeScope, node: Node, owner: Owner) -> None:
        """An index signature is a door; a mapped type over known names is those names."""
        mapped = next((child for child in node.named_children if child.type == "mapped_type_clause"), None)
        over = mapped.child_by_field_name("type") if mapped is not None else None
        names = self.shapes.literals(scope, over) if over is not None else None
        if names is not None:
            for name in names:
                owner.members.setdefault(name, self.world.described("property", scope, node, "its type is mapped"))
        elif over is not None and over.type == "index_type_query":
            self.shapes.adopt(owner, self.shapes.of_type(scope, first_named(over)))
        else:
            owner.open(self.shapes.place("index signature" if over is None else "mapped type", scope, node))

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
            owner.members[name] = self.world.described(kind, scope, node, self.shapes.lazily(scope, type_node), comment)
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
                    value = self.shapes.lazily(scope, each.child_by_field_name("type"))
                    owner.members[scope.text(pattern)] = self.world.described("property", scope, each, value)

    @classmethod
    def is_called(cls, node: Node) -> bool:
        """Whether a variable's type is that of a function."""
        annotation = node.child_by_field_name("type")
        inner = first_named(annotation) if annotation is not None else None
        if inner is None or inner.type != "object_type":
            return cls._is_function(annotation)
        return any(child.type == "call_signature" for child in inner.named_children)

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
            found = self.world.names.resolve(each.scope, path_of(each.scope, node))
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
            made = self.shapes.of_type(each.scope, node)
        else:
            value = self.world.value_of(found)
            inner = self.world.graph.instance_of(value)
            made = inner if inner is not None else f"{path_of(each.scope, node)} is no class that is understood"
        yield made if isinstance(made, int) else self._door(made)

    def _builtin_or_door(self, scope: TypeScope, node: Node, reason: str, *, values: bool) -> int | None:
        name = path_of(scope, node)
        if name in UTILITIES:
            made = self.shapes.of_type(scope, node)
            return made if isinstance(made, int) else self._door(made)
        if prototype_names(name) is not None:
            return self.shapes.builtin("Function") if values else self.shapes.builtin(name)
        return self._door(f"its base {name} is not known: {reason}")

    def _door(self, reason: str) -> int:
        number, owner = self.world.graph.new()
        owner.open(reason)
        return number


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

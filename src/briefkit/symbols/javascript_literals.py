"""Object literals: their pairs, methods, accessors and spreads."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from .javascript_expressions import name_value
from .javascript_functions import method_value
from .javascript_parsing import first_named
from .javascript_patterns import Binder, key_expression
from .javascript_properties import name_function, spread_into
from .javascript_values import Obj, Prop, Value, key_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from .javascript_compiler import Compiler, Expression
    from .javascript_realm import Scope


def object_literal(compiler: Compiler, node: Node) -> Expression:
    """The closure that makes an object of its pairs, methods, accessors and spreads."""
    parts = [part for child in node.named_children if (part := _part(compiler, child)) is not None]
    site = compiler.site(node)
    realm = compiler.realm

    def run(scope: Scope) -> Value:
        made = realm.object(site)
        for part in parts:
            part(scope, made)
        return made

    return run


def _part(compiler: Compiler, node: Node) -> Binder | None:
    if node.type == "pair":
        return _pair(compiler, node)
    if node.type == "shorthand_property_identifier":
        return _shorthand(compiler, node)
    if node.type == "method_definition":
        return _method(compiler, node)
    if node.type == "spread_element":
        value = compiler.expression(first_named(node))
        site = compiler.site(node)
        return lambda scope, made: spread_into(compiler.realm, made, value(scope), f"{site}")
    return None


def _pair(compiler: Compiler, node: Node) -> Binder:
    key_node = node.child_by_field_name("key")
    key = key_expression(compiler, key_node)
    value = compiler.expression(node.child_by_field_name("value"))
    site = compiler.site(node)
    realm = compiler.realm
    plain = key_node is not None and key_node.type != "computed_property_name"

    def run(scope: Scope, made: Obj) -> None:
        name, given = key(scope), value(scope)
        if plain and name == "__proto__":
            realm.set_proto_of(made, given)
            return
        name_function(given, name)
        if type(key_of(name)) is str:
            made.props[key_of(name)] = Prop(given, site)  # type: ignore[index]
        else:
            realm.set(made, name, given, site)

    return run


def _shorthand(compiler: Compiler, node: Node) -> Binder:
    name = compiler.text(node)
    value = name_value(compiler, name)
    site = compiler.site(node)

    def run(scope: Scope, made: Obj) -> None:
        made.props[name] = Prop(value(scope), site)

    return run


def _method(compiler: Compiler, node: Node) -> Binder:
    define = method_value(compiler, node)
    return lambda scope, made: define(scope, made, made)

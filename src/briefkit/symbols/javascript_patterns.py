"""The patterns that take values apart: names, members, defaults, objects and arrays."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from .javascript_expressions import reference, string_value
from .javascript_parsing import first_named
from .javascript_properties import spread_into
from .javascript_values import UNDEFINED, Obj, Unknown, Value, join, key_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from tree_sitter import Node

    from .javascript_compiler import Compiler, Expression
    from .javascript_realm import Scope

Binder: TypeAlias = "Callable[[Scope, Value], None]"


def key_expression(compiler: Compiler, node: Node | None) -> Expression:
    """The closure that gives a property's key, computed or not."""
    if node is None:
        return lambda _scope: Unknown("a name")
    if node.type == "computed_property_name":
        return compiler.expression(first_named(node))
    if node.type == "string":
        value = string_value(compiler, node)
    elif node.type == "number":
        return lambda scope: key_of(compiler.expression(node)(scope))
    else:
        value = compiler.text(node)
    return lambda _scope: value


def binder(compiler: Compiler, node: Node, *, declare: bool) -> Binder:
    """The closure that gives a value to a name, a member or a pattern; `declare` makes the names in the scope at hand."""
    make = _BINDERS.get(node.type)
    if make is None:
        return lambda _scope, _value: None
    return make(compiler, node, declare)


def _bind_name(compiler: Compiler, node: Node, declare: bool) -> Binder:
    name = compiler.text(node)
    if declare:

        def run(scope: Scope, value: Value) -> None:
            if compiler.realm.uncertain and name in scope.names:
                value = join(scope.names[name], value)
            scope.names[name] = value

        return run
    return lambda scope, value: compiler.assign_name(name, value, scope)


def _bind_member(compiler: Compiler, node: Node, declare: bool) -> Binder:
    del declare
    parts = reference(compiler, node)
    site = compiler.site(node)
    if parts is None:
        return lambda _scope, _value: None
    target, key = parts
    return lambda scope, value: compiler.realm.set(target(scope), key(scope), value, site)


def _bind_default(compiler: Compiler, node: Node, declare: bool) -> Binder:
    left = node.child_by_field_name("left")
    right = compiler.expression(node.child_by_field_name("right"))
    bind = (
        _bind_name(compiler, left, declare)
        if left is not None and left.type == "shorthand_property_identifier_pattern"
        else binder(compiler, left, declare=declare)
        if left is not None
        else None
    )

    def run(scope: Scope, value: Value) -> None:
        if value is UNDEFINED:
            value = right(scope)
        elif type(value) is Unknown:
            value = join(right(scope), value)
        if bind is not None:
            bind(scope, value)

    return run


def _bind_object(compiler: Compiler, node: Node, declare: bool) -> Binder:
    parts: list[tuple[Expression | None, Binder]] = []
    for child in node.named_children:
        part = _object_part(compiler, child, declare)
        if part is not None:
            parts.append(part)
    realm = compiler.realm

    def run(scope: Scope, value: Value) -> None:
        taken: set[str] = set()
        for key, bind in parts:
            if key is None:
                bind(scope, _rest_of(compiler, value, taken))
                continue
            name = key(scope)
            if type(name) is str:
                taken.add(name)
            bind(scope, realm.get(value, name))

    return run


def _rest_of(compiler: Compiler, value: Value, taken: set[str]) -> Obj:
    made = compiler.realm.object()
    spread_into(compiler.realm, made, value, compiler.source.path)
    for name in taken:
        made.props.pop(name, None)
    return made


def _object_part(compiler: Compiler, node: Node, declare: bool) -> tuple[Expression | None, Binder] | None:
    if node.type == "shorthand_property_identifier_pattern":
        name = compiler.text(node)
        return (lambda _scope: name), _bind_name(compiler, node, declare)
    if node.type == "object_assignment_pattern":
        left = node.child_by_field_name("left")
        shown = compiler.text(left) if left is not None else ""
        return (lambda _scope: shown), _bind_default(compiler, node, declare)
    if node.type == "pair_pattern":
        value = node.child_by_field_name("value")
        key = key_expression(compiler, node.child_by_field_name("key"))
        return (key, binder(compiler, value, declare=declare)) if value is not None else None
    if node.type == "rest_pattern":
        inner = first_named(node)
        return (None, binder(compiler, inner, declare=declare)) if inner is not None else None
    return None


def _bind_array(compiler: Compiler, node: Node, declare: bool) -> Binder:
    parts: list[tuple[int, bool, Binder]] = []
    index = 0
    for child in node.children:
        if child.type == ",":
            index += 1
        elif child.type == "rest_pattern":
            inner = first_named(child)
            if inner is not None:
                parts.append((index, True, binder(compiler, inner, declare=declare)))
        elif child.is_named and child.type != "comment":
            parts.append((index, False, binder(compiler, child, declare=declare)))
    realm = compiler.realm

    def run(scope: Scope, value: Value) -> None:
        for at, rest, bind in parts:
            if not rest:
                bind(scope, realm.get(value, at))
            elif type(value) is Obj and value.items is not None:
                bind(scope, realm.array(list(value.items[at:])))
            else:
                bind(scope, Unknown("the rest of a list"))

    return run


def _bind_inner(compiler: Compiler, node: Node, declare: bool) -> Binder:
    pattern = node.child_by_field_name("pattern") or first_named(node)
    value = node.child_by_field_name("value")
    if pattern is None:
        return lambda _scope, _value: None
    bind = binder(compiler, pattern, declare=declare)
    if value is None:
        return bind
    default = compiler.expression(value)
    return lambda scope, given: bind(scope, default(scope) if given is UNDEFINED else given)


_BINDERS: dict[str, Callable[[Compiler, Node, bool], Binder]] = {
    "identifier": _bind_name,
    "member_expression": _bind_member,
    "subscript_expression": _bind_member,
    "assignment_pattern": _bind_default,
    "object_assignment_pattern": _bind_default,
    "object_pattern": _bind_object,
    "array_pattern": _bind_array,
    "parenthesized_expression": _bind_inner,
    "non_null_expression": _bind_inner,
    "required_parameter": _bind_inner,
    "optional_parameter": _bind_inner,
}

"""Assignments: to names, members and patterns, plain and with an operator."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from .javascript_expressions import reference
from .javascript_operators import binary
from .javascript_patterns import binder
from .javascript_properties import name_function
from .javascript_values import UNDEFINED, Unknown, Value, join, truth

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from .javascript_compiler import Compiler, Expression
    from .javascript_realm import Scope


def _assignment(compiler: Compiler, node: Node) -> Expression:
    left = node.child_by_field_name("left")
    value = compiler.expression(node.child_by_field_name("right"))
    if left is None:
        return value
    site = compiler.site(node)
    parts = reference(compiler, left)
    if parts is not None:
        target, key = parts
        realm = compiler.realm

        def run_member(scope: Scope) -> Value:
            owner = target(scope)
            name = key(scope)
            given = value(scope)
            name_function(given, name)
            realm.set(owner, name, given, site)
            return given

        return run_member
    bind = binder(compiler, left, declare=False)
    shown = compiler.text(left) if left.type == "identifier" else ""

    def run(scope: Scope) -> Value:
        given = value(scope)
        name_function(given, shown)
        bind(scope, given)
        return given

    return run


def _augmented(compiler: Compiler, node: Node) -> Expression:
    left = node.child_by_field_name("left")
    operator = node.child_by_field_name("operator")
    right = compiler.expression(node.child_by_field_name("right"))
    if left is None or operator is None:
        return right
    sign = operator.type[:-1]
    old = compiler.expression(left)
    bind = binder(compiler, left, declare=False)

    def run(scope: Scope) -> Value:
        before = old(scope)
        if sign in ("||", "&&", "??"):
            given = _logical_assignment(sign, before, right, scope)
        else:
            given = binary(sign, before, right(scope), compiler.realm.text_of)
        bind(scope, given)
        return given

    return run


def _logical_assignment(sign: str, before: Value, right: Expression, scope: Scope) -> Value:
    holds = truth(before) if sign != "??" else (None if type(before) is Unknown else before not in (None, UNDEFINED))
    if holds is None:
        return join(before, right(scope))
    keep = holds if sign != "&&" else not holds
    return before if keep else right(scope)


def _update(compiler: Compiler, node: Node) -> Expression:
    argument = node.child_by_field_name("argument")
    operator = node.child_by_field_name("operator")
    if argument is None or operator is None:
        return compiler.unknown(node)
    old = compiler.expression(argument)
    bind = binder(compiler, argument, declare=False)
    sign = operator.type[0]
    prefix = node.children[0].id == operator.id

    def run(scope: Scope) -> Value:
        before = old(scope)
        after = binary(sign, before, 1, compiler.realm.text_of)
        bind(scope, after)
        return after if prefix else before

    return run


ASSIGNMENTS: dict[str, Callable[[Compiler, Node], Expression]] = {
    "assignment_expression": _assignment,
    "augmented_assignment_expression": _augmented,
    "update_expression": _update,
}

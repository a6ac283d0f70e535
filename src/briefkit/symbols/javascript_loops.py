"""Loops: run to their end where their course is known, once and with doubt where it is not."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from .javascript_parsing import first_named
from .javascript_patterns import binder
from .javascript_properties import elements, keys_of
from .javascript_statements import BREAK, CONTINUE, child_of, maybe
from .javascript_values import Unknown, truth

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tree_sitter import Node

    from .javascript_compiler import Compiler, Expression, Statement
    from .javascript_realm import Scope

LOOP_LIMIT = 3000


def _loop_step(compiler: Compiler, scope: Scope, body: Statement) -> tuple[bool, object]:
    """One turn of a loop: whether it ends, and the completion it ends with."""
    compiler.realm.step()
    completion: Any = body(scope)
    if completion is None or completion == CONTINUE:
        return False, None
    return True, None if completion == BREAK else completion


def _for(compiler: Compiler, node: Node) -> Statement:
    initializer = node.child_by_field_name("initializer")
    condition_node = node.child_by_field_name("condition")
    increment_node = node.child_by_field_name("increment")
    start = compiler.statement(initializer) if initializer is not None else None
    if initializer is not None and not initializer.type.endswith(("statement", "declaration")):
        first = compiler.expression(initializer)
        start = lambda scope: (first(scope), None)[1]  # noqa: E731 (a statement like the other)
    if condition_node is not None and condition_node.type == "expression_statement":
        condition_node = first_named(condition_node)
    condition = compiler.expression(condition_node) if condition_node is not None else None
    increment = compiler.expression(increment_node) if increment_node is not None else None
    body = _body(compiler, node)

    def run(scope: Scope) -> object:
        scope = child_of(scope)
        if start is not None:
            start(scope)
        return _turns(compiler, scope, condition, body, increment)

    return run


def _body(compiler: Compiler, node: Node) -> Statement:
    body = node.child_by_field_name("body")
    return compiler.statement(body) if body is not None else lambda _scope: None


def _turns(
    compiler: Compiler, scope: Scope, condition: Expression | None, body: Statement, increment: Expression | None
) -> object:
    for _ in range(LOOP_LIMIT):
        holds = truth(condition(scope)) if condition is not None else True
        if holds is None:
            maybe(compiler, scope, body)
            return None
        if not holds:
            return None
        ended, completion = _loop_step(compiler, scope, body)
        if ended:
            return completion
        if increment is not None:
            increment(scope)
    return None


def _while(compiler: Compiler, node: Node) -> Statement:
    condition = compiler.expression(node.child_by_field_name("condition"))
    body = _body(compiler, node)
    return lambda scope: _turns(compiler, child_of(scope), condition, body, None)


def _do(compiler: Compiler, node: Node) -> Statement:
    condition = compiler.expression(node.child_by_field_name("condition"))
    body = _body(compiler, node)

    def run(scope: Scope) -> object:
        ended, completion = _loop_step(compiler, scope, body)
        return completion if ended else _turns(compiler, child_of(scope), condition, body, None)

    return run


def _for_in(compiler: Compiler, node: Node) -> Statement:
    left = node.child_by_field_name("left")
    kind = node.child_by_field_name("kind")
    operator = node.child_by_field_name("operator")
    of = operator is not None and operator.type == "of"
    right = compiler.expression(node.child_by_field_name("right"))
    bind = binder(compiler, left, declare=kind is not None) if left is not None else None
    body = _body(compiler, node)

    def run(scope: Scope) -> object:
        given = right(scope)
        items = elements(given) if of else keys_of(given)
        if items is None:
            inner = child_of(scope)
            if bind is not None:
                bind(inner, Unknown("an element of what is not known"))
            maybe(compiler, inner, body)
            return None
        for item in items:
            inner = child_of(scope)
            if bind is not None:
                bind(inner, item)
            ended, completion = _loop_step(compiler, inner, body)
            if ended:
                return completion
        return None

    return run


LOOPS: dict[str, Callable[[Compiler, Node], Statement]] = {
    "for_statement": _for,
    "for_in_statement": _for_in,
    "while_statement": _while,
    "do_statement": _do,
}

"""Statements and assignments: where a branch is not decided, both are run and what they set may be."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from .javascript_functions import class_value
from .javascript_operators import binary
from .javascript_parsing import first_named
from .javascript_patterns import binder
from .javascript_properties import name_function
from .javascript_realm import Scope, ThrownError
from .javascript_values import UNDEFINED, Value, truth

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tree_sitter import Node

    from .javascript_compiler import Compiler, Expression, Statement
    from .javascript_patterns import Binder


def _block(compiler: Compiler, node: Node) -> Statement:
    block = compiler.block(node.named_children)
    return lambda scope: block(child_of(scope))


def child_of(scope: Scope) -> Scope:
    """A scope for a block; `var` and block names live in it alike, a deviation that no module's exports show."""
    return Scope(scope, scope.call)


def _expression_statement(compiler: Compiler, node: Node) -> Statement:
    expression = compiler.expression(first_named(node))

    def run(scope: Scope) -> None:
        expression(scope)

    return run


def _declaration(compiler: Compiler, node: Node) -> Statement:
    is_var = node.type == "variable_declaration"
    parts: list[tuple[Binder, Expression | None, str]] = []
    for child in node.named_children:
        if child.type != "variable_declarator":
            continue
        name = child.child_by_field_name("name")
        value = child.child_by_field_name("value")
        if name is not None and not (is_var and value is None):
            shown = compiler.text(name) if name.type == "identifier" else ""
            parts.append(
                (
                    binder(compiler, name, declare=True),
                    compiler.expression(value) if value is not None else None,
                    shown,
                )
            )
        elif name is not None:
            parts.append((_declare_only(compiler.text(name)), None, ""))

    def run(scope: Scope) -> None:
        target = _function_scope(scope) if is_var else scope
        for bind, value, shown in parts:
            given = UNDEFINED if value is None else value(scope)
            name_function(given, shown)
            bind(target, given)

    return run


def _declare_only(name: str) -> Binder:
    def run(scope: Scope, _value: Value) -> None:
        scope.names.setdefault(name, UNDEFINED)

    return run


def _function_scope(scope: Scope) -> Scope:
    """The scope of the function or module that `var` declares in."""
    call = scope.call
    while scope.parent is not None and scope.parent.call is call and scope is not call.scope:
        scope = scope.parent
    return scope


def _function_declaration(compiler: Compiler, node: Node) -> Statement:
    name = node.child_by_field_name("name")
    make = compiler.expression(node)
    shown = compiler.text(name) if name is not None else ""

    def run(scope: Scope) -> None:
        scope.names[shown] = make(scope)

    return run


# branches -----------------------------------------------------------------------------------------------------------------


def maybe(compiler: Compiler, scope: Scope, statement: Statement) -> None:
    """Run a statement that may not run: what it sets is joined with what was, a `return` in it is one of the results."""
    realm = compiler.realm
    realm.uncertain += 1
    try:
        completion = statement(scope)
        if completion is not None and completion[0] == "return":
            scope.call.returned.append(completion[1])
    except ThrownError:
        pass
    finally:
        realm.uncertain -= 1


def _if(compiler: Compiler, node: Node) -> Statement:
    condition = compiler.expression(node.child_by_field_name("condition"))
    yes_node = node.child_by_field_name("consequence")
    no_node = node.child_by_field_name("alternative")
    yes = compiler.statement(yes_node) if yes_node is not None else None
    no = compiler.statement(inner) if no_node is not None and (inner := first_named(no_node)) is not None else None

    def run(scope: Scope) -> object:
        holds = truth(condition(scope))
        if holds is None:
            for branch in (yes, no):
                if branch is not None:
                    maybe(compiler, scope, branch)
            return None
        branch = yes if holds else no
        return branch(scope) if branch is not None else None

    return run


def _switch(compiler: Compiler, node: Node) -> Statement:
    value = compiler.expression(node.child_by_field_name("value"))
    body = node.child_by_field_name("body")
    cases: list[tuple[Expression | None, list[Statement]]] = []
    for case in body.named_children if body is not None else ():
        test = case.child_by_field_name("value")
        inside = [child for child in case.named_children if test is None or child.id != test.id]
        cases.append(
            (compiler.expression(test) if test is not None else None, [compiler.statement(each) for each in inside])
        )

    def run(scope: Scope) -> object:
        scope = child_of(scope)
        given = value(scope)
        start = None
        for index, (test, _) in enumerate(cases):
            if test is None:
                continue
            same = binary("===", given, test(scope), compiler.realm.text_of)
            if same is True:
                start = index
                break
            if same is not False:
                _any_case(compiler, scope, cases)
                return None
        if start is None:
            start = next((index for index, (test, _) in enumerate(cases) if test is None), len(cases))
        for _, statements in cases[start:]:
            for statement in statements:
                completion = statement(scope)
                if completion is not None:
                    return None if completion == BREAK else completion
        return None

    return run


def _any_case(compiler: Compiler, scope: Scope, cases: list[tuple[Expression | None, list[Statement]]]) -> None:
    for _, statements in cases:
        for statement in statements:
            maybe(compiler, scope, statement)


def _try(compiler: Compiler, node: Node) -> Statement:
    body = _optional_block(compiler, node.child_by_field_name("body"))
    handler = node.child_by_field_name("handler")
    finalizer = node.child_by_field_name("finalizer")
    parameter = handler.child_by_field_name("parameter") if handler is not None else None
    bind = binder(compiler, parameter, declare=True) if parameter is not None else None
    caught = _optional_block(compiler, handler.child_by_field_name("body") if handler is not None else None)
    last = _optional_block(compiler, finalizer.child_by_field_name("body") if finalizer is not None else None)

    def run(scope: Scope) -> object:
        try:
            completion = body(scope)
        except ThrownError as thrown:
            if handler is None:
                last(scope)
                raise
            inner = child_of(scope)
            if bind is not None:
                bind(inner, thrown.value)
            completion = caught(inner)
        ending = last(scope)
        return completion if ending is None else ending

    return run


def _optional_block(compiler: Compiler, node: Node | None) -> Statement:
    if node is None:
        return lambda _scope: None
    block = compiler.block(node.named_children)
    return lambda scope: block(child_of(scope))


def _throw(compiler: Compiler, node: Node) -> Statement:
    value = compiler.expression(first_named(node))

    def run(scope: Scope) -> None:
        raise ThrownError(value(scope))

    return run


def _return(compiler: Compiler, node: Node) -> Statement:
    children = [child for child in node.named_children if child.type != "comment"]
    value = compiler.expression(children[0]) if children else None
    return lambda scope: ("return", UNDEFINED if value is None else value(scope))


BREAK = ("break", None)
CONTINUE = ("continue", None)


def _jump(kind: str) -> Callable[[Compiler, Node], Statement]:
    def make(compiler: Compiler, node: Node) -> Statement:
        label = node.child_by_field_name("label")
        completion = (kind, compiler.text(label) if label is not None else None)
        return lambda _scope: completion

    return make


def _labeled(compiler: Compiler, node: Node) -> Statement:
    label = node.child_by_field_name("label")
    shown = compiler.text(label) if label is not None else ""
    body_node = node.child_by_field_name("body")
    body = compiler.statement(body_node) if body_node is not None else None

    def run(scope: Scope) -> object:
        completion: Any = body(scope) if body is not None else None
        return None if completion in (("break", shown), ("continue", shown)) else completion

    return run


def _class_declaration(compiler: Compiler, node: Node) -> Statement:
    name = node.child_by_field_name("name")
    shown = compiler.text(name) if name is not None else ""
    make = class_value(compiler, node)

    def run(scope: Scope) -> None:
        scope.names[shown] = make(scope)

    return run


STATEMENTS: dict[str, Callable[[Compiler, Node], Statement]] = {
    "statement_block": _block,
    "expression_statement": _expression_statement,
    "variable_declaration": _declaration,
    "lexical_declaration": _declaration,
    "function_declaration": _function_declaration,
    "generator_function_declaration": _function_declaration,
    "class_declaration": _class_declaration,
    "abstract_class_declaration": _class_declaration,
    "if_statement": _if,
    "switch_statement": _switch,
    "try_statement": _try,
    "throw_statement": _throw,
    "return_statement": _return,
    "break_statement": _jump("break"),
    "continue_statement": _jump("continue"),
    "labeled_statement": _labeled,
}

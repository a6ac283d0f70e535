"""Statements and assignments: where a branch is not decided, both are run and what they set may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .javascript_expressions import binary, reference
from .javascript_parsing import first_named
from .javascript_patterns import binder
from .javascript_properties import elements, keys_of, name_function
from .javascript_realm import Scope, ThrownError
from .javascript_values import UNDEFINED, Unknown, Value, join, truth

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from .javascript_compiler import Compiler, Expression, Statement
    from .javascript_patterns import Binder

LOOP_LIMIT = 3000


def _block(compiler: Compiler, node: Node) -> Statement:
    block = compiler.block(node.named_children)
    return lambda scope: block(_child(scope))


def _child(scope: Scope) -> Scope:
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
        from .javascript_expressions import binary as compare

        scope = _child(scope)
        given = value(scope)
        start = None
        for index, (test, _) in enumerate(cases):
            if test is None:
                continue
            same = compare("===", given, test(scope), compiler.realm.text_of)
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
                    return None if completion == _BREAK else completion
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
            inner = _child(scope)
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
    return lambda scope: block(_child(scope))


def _throw(compiler: Compiler, node: Node) -> Statement:
    value = compiler.expression(first_named(node))

    def run(scope: Scope) -> None:
        raise ThrownError(value(scope))

    return run


def _return(compiler: Compiler, node: Node) -> Statement:
    children = [child for child in node.named_children if child.type != "comment"]
    value = compiler.expression(children[0]) if children else None
    return lambda scope: ("return", UNDEFINED if value is None else value(scope))


_BREAK = ("break", None)
_CONTINUE = ("continue", None)


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


# loops --------------------------------------------------------------------------------------------------------------------


def _loop_step(compiler: Compiler, scope: Scope, body: Statement) -> tuple[bool, object]:
    """One turn of a loop: whether it ends, and the completion it ends with."""
    compiler.realm.step()
    completion: Any = body(scope)
    if completion is None or completion == _CONTINUE:
        return False, None
    return True, None if completion == _BREAK else completion


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
        scope = _child(scope)
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
    return lambda scope: _turns(compiler, _child(scope), condition, body, None)


def _do(compiler: Compiler, node: Node) -> Statement:
    condition = compiler.expression(node.child_by_field_name("condition"))
    body = _body(compiler, node)

    def run(scope: Scope) -> object:
        ended, completion = _loop_step(compiler, scope, body)
        return completion if ended else _turns(compiler, _child(scope), condition, body, None)

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
            inner = _child(scope)
            if bind is not None:
                bind(inner, Unknown("an element of what is not known"))
            maybe(compiler, inner, body)
            return None
        for item in items:
            inner = _child(scope)
            if bind is not None:
                bind(inner, item)
            ended, completion = _loop_step(compiler, inner, body)
            if ended:
                return completion
        return None

    return run


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


def _class_declaration(compiler: Compiler, node: Node) -> Statement:
    from .javascript_functions import class_value

    name = node.child_by_field_name("name")
    shown = compiler.text(name) if name is not None else ""
    make = class_value(compiler, node)

    def run(scope: Scope) -> None:
        scope.names[shown] = make(scope)

    return run


ASSIGNMENTS: dict[str, Callable[[Compiler, Node], Expression]] = {
    "assignment_expression": _assignment,
    "augmented_assignment_expression": _augmented,
    "update_expression": _update,
}

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
    "for_statement": _for,
    "for_in_statement": _for_in,
    "while_statement": _while,
    "do_statement": _do,
}

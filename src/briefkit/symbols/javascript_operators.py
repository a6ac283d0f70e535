"""Operators: what is decided by what is known, and what may be either."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from .javascript_expressions import NUMBER, TEXT_LIMIT, reference
from .javascript_realm import MISSING, Scope
from .javascript_values import UNDEFINED, Obj, Sym, Union, Unknown, Value, is_nullish, join, truth

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from .javascript_compiler import Compiler, Expression


def _ternary(compiler: Compiler, node: Node) -> Expression:
    condition = compiler.expression(node.child_by_field_name("condition"))
    yes = compiler.expression(node.child_by_field_name("consequence"))
    no = compiler.expression(node.child_by_field_name("alternative"))
    realm = compiler.realm

    def run(scope: Scope) -> Value:
        holds = truth(condition(scope))
        if holds is not None:
            return yes(scope) if holds else no(scope)
        realm.uncertain += 1
        try:
            return join(yes(scope), no(scope))
        finally:
            realm.uncertain -= 1

    return run


def _logical(compiler: Compiler, left: Expression, right: Expression, operator: str) -> Expression:
    realm = compiler.realm

    def run(scope: Scope) -> Value:
        first = left(scope)
        decided = _short_circuit(first, operator)
        if decided is not None:
            return first if decided else right(scope)
        realm.uncertain += 1
        try:
            return join(first, right(scope))
        finally:
            realm.uncertain -= 1

    return run


def _short_circuit(first: Value, operator: str) -> bool | None:
    """Whether the first side is the result; None where that is not known."""
    if operator == "??":
        return None if type(first) in (Unknown, Union) else not is_nullish(first)
    holds = truth(first)
    if holds is None:
        return None
    return holds if operator == "||" else not holds


def _binary(compiler: Compiler, node: Node) -> Expression:
    operator = node.child_by_field_name("operator")
    sign = operator.type if operator else ""
    left = compiler.expression(node.child_by_field_name("left"))
    right = compiler.expression(node.child_by_field_name("right"))
    if sign in ("||", "&&", "??"):
        return _logical(compiler, left, right, sign)
    apply = compiler.realm
    return lambda scope: binary(sign, left(scope), right(scope), apply.text_of)


def binary(sign: str, left: Value, right: Value, text_of: Callable[[Value], str | None]) -> Value:
    """The result of a binary operator; an `Unknown` where a side is not known."""
    if sign in ("===", "==", "!==", "!="):
        same = _same(left, right, loose=len(sign) == 2)
        return Unknown("a comparison") if same is None else same == (sign[0] == "=")
    if sign == "+" and (type(left) is str or type(right) is str):
        first, second = text_of(left), text_of(right)
        if first is None or second is None or len(first) + len(second) > TEXT_LIMIT:
            return Unknown("a text that is computed")
        return first + second
    if sign == "in":
        return _is_in(left, right)
    if sign == "instanceof":
        return _is_instance(left, right)
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return _arithmetic(sign, left, right)
    if type(left) is str and type(right) is str and sign in _COMPARISONS:
        return _COMPARISONS[sign](left, right)
    return Unknown("an operation")


def _same(left: Value, right: Value, *, loose: bool) -> bool | None:
    if left is right:
        return None if type(left) in (Unknown, Union) else True
    if type(left) in (Unknown, Union) or type(right) in (Unknown, Union):
        return None
    if type(left) in (Obj, Sym) or type(right) in (Obj, Sym):
        return False
    if is_nullish(left) or is_nullish(right):
        return loose and is_nullish(left) and is_nullish(right)
    if isinstance(left, str) != isinstance(right, str):
        return None if loose else False
    return bool(left == right)


def _is_in(left: Value, right: Value) -> Value:
    if type(left) is Sym and type(right) is Obj:
        return any(left in each.symbols for each in right.chain())
    if type(right) is not Obj or type(left) is not str:
        return Unknown("a test")
    if right.find(left) is not None:
        return True
    return Unknown("a test") if right.opened() else False


def _is_instance(left: Value, right: Value) -> Value:
    if type(left) is Obj and type(right) is Obj and "prototype" in right.props:
        proto = right.props["prototype"].value
        if any(each is proto for each in left.chain()):
            return True
        return Unknown("a test") if left.opened() else False
    return False if type(left) not in (Obj, Unknown, Union) else Unknown("a test")


_COMPARISONS: dict[str, Callable[[Value, Value], bool]] = {
    "<": lambda a, b: bool(a < b),
    ">": lambda a, b: bool(a > b),
    "<=": lambda a, b: bool(a <= b),
    ">=": lambda a, b: bool(a >= b),
}
_SIGNED = 1 << 31
_WHOLE = 1e15


def _int32(value: float) -> int:
    return (int(value) + _SIGNED) % (1 << 32) - _SIGNED


def _arithmetic(sign: str, left: float, right: float) -> Value:
    if sign in _COMPARISONS:
        return _COMPARISONS[sign](left, right)
    try:
        result = _ARITHMETIC[sign](left, right)
    except (KeyError, ArithmeticError, ValueError):
        return NUMBER
    return int(result) if abs(result) < _WHOLE and result == int(result) else result


_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "%": lambda a, b: a % b if a >= 0 else -(-a % b),
    "|": lambda a, b: _int32(a) | _int32(b),
    "&": lambda a, b: _int32(a) & _int32(b),
    "^": lambda a, b: _int32(a) ^ _int32(b),
    "<<": lambda a, b: _int32(_int32(a) << (int(b) & 31)),
    ">>": lambda a, b: _int32(a) >> (int(b) & 31),
    ">>>": lambda a, b: (int(a) % (1 << 32)) >> (int(b) & 31),
}

_TYPES = {str: "string", bool: "boolean", int: "number", float: "number", Sym: "symbol"}


def _unary(compiler: Compiler, node: Node) -> Expression:
    operator = node.child_by_field_name("operator")
    sign = operator.type if operator else ""
    argument_node = node.child_by_field_name("argument")
    if sign == "typeof" and argument_node is not None and argument_node.type == "identifier":
        return _type_of_name(compiler, compiler.text(argument_node))
    argument = compiler.expression(argument_node)
    if sign == "void":
        return lambda scope: (argument(scope), UNDEFINED)[1]
    if sign == "typeof":
        return lambda scope: type_of(argument(scope))
    if sign == "!":
        return lambda scope: _negated(argument(scope))
    if sign == "delete":
        return _delete(compiler, argument_node)
    return lambda scope: _signed(sign, argument(scope))


def _type_of_name(compiler: Compiler, name: str) -> Expression:
    del compiler

    def run(scope: Scope) -> Value:
        value = scope.lookup(name)
        if value is MISSING:
            return "undefined" if name in ("define", "window", "document", "self", "Deno", "Bun") else Unknown(name)
        return type_of(value)

    return run


def type_of(value: Value) -> Value:
    """What `typeof` gives."""
    if type(value) is Obj:
        return "function" if value.callable() else "object"
    if type(value) in (Unknown, Union):
        return Unknown("a type")
    if value is None:
        return "object"
    return _TYPES.get(type(value), "undefined")


def _negated(value: Value) -> Value:
    holds = truth(value)
    return Unknown("a test") if holds is None else not holds


def _signed(sign: str, value: Value) -> Value:
    if isinstance(value, (int, float)):
        if sign == "-":
            return -value
        return ~_int32(value) if sign == "~" else value
    return NUMBER


def _delete(compiler: Compiler, node: Node | None) -> Expression:
    parts = reference(compiler, node) if node is not None else None
    if parts is None:
        return lambda _scope: True
    target, key = parts

    def run(scope: Scope) -> Value:
        owner, name = target(scope), key(scope)
        if type(owner) is Obj and type(name) is str and not compiler.realm.uncertain:
            owner.props.pop(name, None)
        return True

    return run


OPERATORS: dict[str, Callable[[Compiler, Node], Expression]] = {
    "ternary_expression": _ternary,
    "binary_expression": _binary,
    "unary_expression": _unary,
}

"""Expressions: literals, operators, members, calls."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .javascript_parsing import first_named
from .javascript_realm import MISSING, Scope
from .javascript_values import (
    UNDEFINED,
    Obj,
    Sym,
    Union,
    Unknown,
    Value,
    is_nullish,
    join,
    truth,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from .javascript_compiler import Compiler, Expression

_ESCAPE = re.compile(r"\\(u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}
_TEXT_LIMIT = 20_000
_NUMBER = Unknown("a number")


def unescaped(text: str) -> str:
    """The characters that the text between a string's quotes stands for."""
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(found: re.Match[str]) -> str:
    part = found.group(1)
    if part[0] in "ux" and len(part) > 1:
        code = int(part[1:].strip("{}"), 16)
        return chr(code) if code < 0x110000 else "\ufffd"
    return _ESCAPES.get(part, part)


def string_value(compiler: Compiler, node: Node) -> str:
    """The value of a `string` node."""
    return unescaped(compiler.text(node)[1:-1])


def _string(compiler: Compiler, node: Node) -> Expression:
    value = string_value(compiler, node)
    return lambda _scope: value


def _template(compiler: Compiler, node: Node) -> Expression:
    parts: list[str | Expression] = []
    at = node.start_byte + 1
    for child in node.named_children:
        if child.type == "template_substitution":
            parts.append(unescaped(_between(compiler, at, child.start_byte)))
            parts.append(compiler.expression(first_named(child)))
            at = child.end_byte
    parts.append(unescaped(_between(compiler, at, node.end_byte - 1)))
    text_of = compiler.realm.text_of

    def run(scope: Scope) -> Value:
        out = []
        for part in parts:
            text = part if isinstance(part, str) else text_of(part(scope))
            if text is None:
                return Unknown("a text that is computed")
            out.append(text)
        return "".join(out)[:_TEXT_LIMIT]

    return run


def _between(compiler: Compiler, start: int, end: int) -> str:
    return compiler.source.data[start:end].decode("utf-8", "replace")


def _number(compiler: Compiler, node: Node) -> Expression:
    text = compiler.text(node).replace("_", "").rstrip("n").lower()
    value: Value
    try:
        value = int(text, 0) if text[:2] in ("0x", "0o", "0b") else float(text)
        value = int(value) if value == int(value) else value
    except (ValueError, OverflowError):
        value = _NUMBER
    return lambda _scope: value


def _constant(value: Value) -> Callable[[Compiler, Node], Expression]:
    return lambda _compiler, _node: lambda _scope: value


def _regex(compiler: Compiler, node: Node) -> Expression:
    text = compiler.text(node)
    realm = compiler.realm

    def run(_scope: Scope) -> Value:
        made = Obj(realm.regex_proto, "regex")
        made.items = text
        return made

    return run


def _identifier(compiler: Compiler, node: Node) -> Expression:
    return name_value(compiler, compiler.text(node))


def name_value(compiler: Compiler, name: str) -> Expression:
    """The closure that gives what a name stands for."""
    del compiler
    if name == "undefined":
        return lambda _scope: UNDEFINED
    missing = Unknown(f"`{name}` is a global that is not known")

    def run(scope: Scope) -> Value:
        value = scope.lookup(name)
        return missing if value is MISSING else value

    return run


def _this(_compiler: Compiler, _node: Node) -> Expression:
    return lambda scope: scope.call.this


def _inner(compiler: Compiler, node: Node) -> Expression:
    children = [child for child in node.named_children if child.type != "comment"]
    return compiler.expression(children[0] if children else None)


def _sequence(compiler: Compiler, node: Node) -> Expression:
    parts = [compiler.expression(child) for child in node.named_children if child.type != "comment"]

    def run(scope: Scope) -> Value:
        value: Value = UNDEFINED
        for part in parts:
            value = part(scope)
        return value

    return run


# members and calls ------------------------------------------------------------------------------------------------------


def reference(compiler: Compiler, node: Node) -> tuple[Expression, Expression] | None:
    """The closures of a member expression's object and key; None for what is no member."""
    if node.type == "member_expression":
        name_node = node.child_by_field_name("property")
        name = compiler.text(name_node) if name_node else ""
        target = node.child_by_field_name("object")
        return _object_of(compiler, target), lambda _scope: name
    if node.type == "subscript_expression":
        return _object_of(compiler, node.child_by_field_name("object")), compiler.expression(
            node.child_by_field_name("index")
        )
    return None


def _object_of(compiler: Compiler, node: Node | None) -> Expression:
    if node is not None and node.type == "super":
        return lambda scope: scope.call.home.proto if scope.call.home is not None else UNDEFINED
    return compiler.expression(node)


def _member(compiler: Compiler, node: Node) -> Expression:
    target, key = reference(compiler, node) or (compiler.unknown(node), compiler.unknown(node))
    get = compiler.realm.get

    if node.type == "member_expression":
        name = key(None)  # type: ignore[arg-type]
        return lambda scope: get(target(scope), name)
    return lambda scope: get(target(scope), key(scope))


def arguments_of(compiler: Compiler, node: Node | None) -> Callable[[Scope], list[Value]]:
    """The closure that gives a call's arguments, spreads laid out where they are known."""
    if node is None:
        return lambda _scope: []
    parts: list[tuple[bool, Expression]] = []
    for child in node.named_children:
        if child.type == "spread_element":
            parts.append((True, _inner(compiler, child)))
        elif child.type != "comment":
            parts.append((False, compiler.expression(child)))
    if not any(spread for spread, _ in parts):
        plain = [part for _, part in parts]
        return lambda scope: [part(scope) for part in plain]

    def run(scope: Scope) -> list[Value]:
        out: list[Value] = []
        for spread, part in parts:
            value = part(scope)
            if not spread:
                out.append(value)
            elif type(value) is Obj and type(value.items) is list:
                out.extend(value.items)
            elif type(value) is Obj and type(value.items) is dict:
                out.extend(value.items.values())
            else:
                out.append(Unknown("arguments that are spread"))
        return out

    return run


def _call(compiler: Compiler, node: Node) -> Expression:
    function = node.child_by_field_name("function")
    arguments_node = node.child_by_field_name("arguments")
    if function is None:
        return compiler.unknown(node)
    if arguments_node is not None and arguments_node.type == "template_string":
        return compiler.unknown(node)
    arguments = arguments_of(compiler, arguments_node)
    if function.type == "super":
        return _super_call(compiler, arguments)
    if function.type == "import":
        return compiler.unknown(node)
    if function.type == "identifier" and compiler.text(function) == "require":
        return _require(compiler, arguments)
    while function.type == "parenthesized_expression" and function.named_child_count == 1:
        inner = first_named(function)
        if inner is None or inner.type == "sequence_expression":
            break
        function = inner
    realm = compiler.realm
    parts = reference(compiler, function)
    if parts is None:
        callee = compiler.expression(function)
        return lambda scope: _called(compiler, callee(scope), UNDEFINED, arguments(scope), node)
    target, key = parts
    is_super = function.child_by_field_name("object").type == "super"  # type: ignore[union-attr]

    def run(scope: Scope) -> Value:
        owner = target(scope)
        name = key(scope)
        this = scope.call.this if is_super else owner
        return _called(compiler, realm.get(owner, name), this, arguments(scope), node)

    return run


def _called(compiler: Compiler, function: Value, this: Value, arguments: list[Value], node: Node) -> Value:
    """The call's result; objects handed to what is not known may be changed by it."""
    if type(function) is Unknown:
        for argument in arguments:
            if type(argument) is Obj and argument.callable() is False and argument.kind == "object":
                argument.open(f"it is handed to code that is not followed at {compiler.site(node)}")
            elif type(argument) is Obj and argument.code is not None and _is_inline(argument):
                _run_callback(compiler, argument)
        return function
    return compiler.realm.call(function, this, arguments)


def _is_inline(function: Obj) -> bool:
    """Whether a function is one that is written where it is handed over."""
    return function.code.node.type in ("arrow_function", "function_expression") and "prototype" not in function.props


def _run_callback(compiler: Compiler, function: Obj) -> None:
    """A function handed to unknown code may well be called: what it sets outside of itself is set, uncertainly."""
    realm = compiler.realm
    if realm.depth > 3:
        return
    realm.uncertain += 1
    try:
        realm.call(function, UNDEFINED, [Unknown("an argument of a callback")] * 3)
    finally:
        realm.uncertain -= 1


def _require(compiler: Compiler, arguments: Callable[[Scope], list[Value]]) -> Expression:
    def run(scope: Scope) -> Value:
        given = arguments(scope)
        local = scope.lookup("require")
        if type(local) is Obj and local.code is not None:
            return compiler.realm.call(local, UNDEFINED, given)
        if given and type(given[0]) is str:
            return compiler.load(given[0])
        return Unknown("a module whose name is computed")

    return run


def _super_call(compiler: Compiler, arguments: Callable[[Scope], list[Value]]) -> Expression:
    realm = compiler.realm

    def run(scope: Scope) -> Value:
        call = scope.call
        base = call.function.proto if call.function is not None else None
        given = arguments(scope)
        if base is not None and base is not realm.function_proto and type(call.this) is Obj:
            result = realm.call(base, call.this, given, call.new_target)
            if type(result) is Unknown:
                call.this.open(result.reason)
            elif type(result) is Obj and base.code is not None:
                call.this = result
        if call.function is not None and call.function.code is not None:
            set_fields(compiler, call.function, call.this)
        return call.this

    return run


def set_fields(compiler: Compiler, function: Obj, this: Value) -> None:
    """Give a new instance the fields that its class declares."""
    code = function.code
    if not code.fields:
        return
    from .javascript_realm import Call

    scope = Scope(code.scope, Call(this, function, code.home))
    for key, value, site in code.fields:
        compiler.realm.set(this, key(scope), UNDEFINED if value is None else value(scope), site)


def _new(compiler: Compiler, node: Node) -> Expression:
    constructor = compiler.expression(node.child_by_field_name("constructor"))
    arguments = arguments_of(compiler, node.child_by_field_name("arguments"))
    construct = compiler.realm.construct
    return lambda scope: construct(constructor(scope), arguments(scope))


# operators --------------------------------------------------------------------------------------------------------------


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
        if first is None or second is None or len(first) + len(second) > _TEXT_LIMIT:
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
        return _NUMBER
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
    return _NUMBER


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


def _array(compiler: Compiler, node: Node) -> Expression:
    parts: list[tuple[bool, Expression]] = []
    for child in node.named_children:
        if child.type == "spread_element":
            parts.append((True, _inner(compiler, child)))
        elif child.type != "comment":
            parts.append((False, compiler.expression(child)))
    realm = compiler.realm

    def run(scope: Scope) -> Value:
        items: list[Value] = []
        for spread, part in parts:
            value = part(scope)
            if not spread:
                items.append(value)
            elif type(value) is Obj and type(value.items) is list:
                items.extend(value.items)
            elif type(value) is Obj and type(value.items) is dict:
                items.extend(value.items.values())
            elif type(value) is str:
                items.extend(value)
            else:
                items.append(Unknown("elements that are spread"))
        return realm.array(items)

    return run


EXPRESSIONS: dict[str, Callable[[Compiler, Node], Expression]] = {
    "string": _string,
    "template_string": _template,
    "number": _number,
    "regex": _regex,
    "true": _constant(value=True),
    "false": _constant(value=False),
    "null": _constant(None),
    "undefined": _constant(UNDEFINED),
    "identifier": _identifier,
    "this": _this,
    "parenthesized_expression": _inner,
    "await_expression": _inner,
    "as_expression": _inner,
    "satisfies_expression": _inner,
    "non_null_expression": _inner,
    "instantiation_expression": _inner,
    "sequence_expression": _sequence,
    "member_expression": _member,
    "subscript_expression": _member,
    "call_expression": _call,
    "new_expression": _new,
    "ternary_expression": _ternary,
    "binary_expression": _binary,
    "unary_expression": _unary,
    "array": _array,
}

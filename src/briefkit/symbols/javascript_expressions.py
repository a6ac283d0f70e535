"""Expressions: literals, names, members, calls."""

from __future__ import annotations

import re

from briefkit.records import TYPE_CHECKING

from .javascript_parsing import first_named
from .javascript_realm import MISSING, Scope
from .javascript_values import (
    UNDEFINED,
    Obj,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from .javascript_compiler import Compiler, Expression

_ESCAPE = re.compile(r"\\(u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}
TEXT_LIMIT = 20_000
NUMBER = Unknown("a number")


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
        return "".join(out)[:TEXT_LIMIT]

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
        value = NUMBER
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
    "array": _array,
}

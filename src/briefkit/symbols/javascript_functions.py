"""Functions and classes: what they are made of, and what calling one does."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from .javascript_compiler import Code, Compiler
from .javascript_expressions import set_fields
from .javascript_parsing import first_named
from .javascript_patterns import binder, key_expression
from .javascript_properties import name_function
from .javascript_realm import Call, Scope
from .javascript_values import UNDEFINED, Obj, Prop, Union, Unknown, Value, join

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from tree_sitter import Node

    from .javascript_compiler import Expression
    from .javascript_realm import Realm

Definer: TypeAlias = "Callable[[Scope, Obj, Obj | None], None]"

_ASYNC = Unknown("what an asynchronous function gives")


def _is_async(node: Node) -> bool:
    if node.type.startswith("generator"):
        return True
    for child in node.children:
        if child.type in ("async", "*"):
            return True
        if child.type in ("formal_parameters", "statement_block"):
            break
    return False


def function_value(compiler: Compiler, node: Node) -> Expression:
    """The closure that makes a function of a declaration, expression or arrow."""
    name_node = node.child_by_field_name("name")
    name = compiler.text(name_node) if name_node is not None else ""
    is_async = _is_async(node)
    kind = "arrow" if node.type == "arrow_function" else "function"
    site = compiler.site(node)
    own_scope = bool(name) and node.type in ("function_expression", "generator_function")
    proto = compiler.realm.function_proto

    def run(scope: Scope) -> Value:
        made = Obj(proto, "function", site, name)
        if own_scope:
            scope = Scope(scope, scope.call)
            scope.names[name] = made
        code = Code(compiler, node, scope, kind, is_async=is_async)
        if kind == "arrow":
            code.this = scope.call.this
            code.home = scope.call.home
        made.code = code
        return made

    return run


def method_value(compiler: Compiler, node: Node) -> Definer:
    """The closure that defines a method or accessor on an object; the second object is where `super` looks from."""
    key = key_expression(compiler, node.child_by_field_name("name"))
    words = {child.type for child in node.children if not child.is_named}
    is_async = "async" in words or "*" in words
    accessor = "get" if "get" in words else "set" if "set" in words else ""
    site = compiler.site(node)
    realm = compiler.realm

    def run(scope: Scope, target: Obj, home: Obj | None) -> None:
        name = key(scope)
        made = Obj(realm.function_proto, "function", site, name if type(name) is str else "")
        code = Code(compiler, node, scope, "method", is_async=is_async)
        code.home = home
        made.code = code
        if accessor == "get" and type(name) is str:
            before = target.props.get(name)
            target.props[name] = Prop(None, site, getter=made)
            target.props[name].setter = before.setter if before is not None else None
        elif accessor == "set" and type(name) is str:
            target.props.setdefault(name, Prop(UNDEFINED, site)).setter = made
        elif type(name) is str:
            target.props[name] = Prop(made, site)
        else:
            realm.set(target, name, made, site)

    return run


# calling ------------------------------------------------------------------------------------------------------------------


def run_code(realm: Realm, function: Obj, this: Value, arguments: list[Value], new_target: Value) -> Value:
    """What calling a function that is written in a module gives."""
    code: Code = function.code
    if code.is_async:
        return _ASYNC
    if code.kind == "class":
        return _run_class(realm, function, this, arguments, new_target)
    call = Call(code.this if code.kind == "arrow" else this, function, code.home)
    call.new_target = new_target
    return _run_body(realm, code, call, arguments)


def _run_body(realm: Realm, code: Code, call: Call, arguments: list[Value]) -> Value:
    run = code.run or _body_of(code)
    code.run = run
    scope = Scope(code.scope, call)
    call.scope = scope
    if code.kind != "arrow":
        scope.names["arguments"] = realm.array(arguments)
    else:
        call.function = code.scope.call.function
    result = run(scope, arguments)
    for returned in call.returned:
        result = join(returned, result)
    return result


def _body_of(code: Code) -> Callable[[Scope, list[Value]], Value]:
    compiler = code.compiler
    node = code.node
    bodies = compiler.bodies
    made = bodies.get(node.id)
    if made is None:
        made = bodies[node.id] = _compiled_body(compiler, node)
    return made


def _compiled_body(compiler: Compiler, node: Node) -> Callable[[Scope, list[Value]], Value]:
    parameters = _parameters(compiler, node)
    body = node.child_by_field_name("body")
    if body is None:
        return lambda _scope, _arguments: UNDEFINED
    if body.type != "statement_block":
        value = compiler.expression(body)

        def run_expression(scope: Scope, arguments: list[Value]) -> Value:
            parameters(scope, arguments)
            return value(scope)

        return run_expression
    block = compiler.block(body.named_children)

    def run(scope: Scope, arguments: list[Value]) -> Value:
        parameters(scope, arguments)
        completion = block(scope)
        return completion[1] if completion is not None and completion[0] == "return" else UNDEFINED

    return run


def _parameters(compiler: Compiler, node: Node) -> Callable[[Scope, list[Value]], None]:
    single = node.child_by_field_name("parameter")
    if single is not None:
        name = compiler.text(single)

        def bind_single(scope: Scope, arguments: list[Value]) -> None:
            scope.names[name] = arguments[0] if arguments else UNDEFINED

        return bind_single
    parameters = node.child_by_field_name("parameters")
    binders = []
    rest = None
    for child in parameters.named_children if parameters is not None else ():
        inner = child.child_by_field_name("pattern") or child
        if inner.type == "rest_pattern":
            target = first_named(inner)
            rest = binder(compiler, target, declare=True) if target is not None else None
        elif child.type != "comment":
            binders.append(binder(compiler, child, declare=True))
    realm = compiler.realm

    def bind(scope: Scope, arguments: list[Value]) -> None:
        count = len(arguments)
        saved, realm.uncertain = realm.uncertain, 0
        for index, each in enumerate(binders):
            each(scope, arguments[index] if index < count else UNDEFINED)
        if rest is not None:
            rest(scope, realm.array(arguments[len(binders) :]))
        realm.uncertain = saved

    return bind


# classes ------------------------------------------------------------------------------------------------------------------


def _run_class(realm: Realm, function: Obj, this: Value, arguments: list[Value], new_target: Value) -> Value:
    code: Code = function.code
    constructor = _constructor(code.node)
    if constructor is None:
        if code.derived:
            base = function.proto
            if base is not None and base is not realm.function_proto:
                result = realm.call(base, this, arguments, new_target)
                if type(result) is Unknown and type(this) is Obj:
                    this.open(result.reason)
                elif type(result) is Obj and base.code is not None:
                    this = result
        set_fields(code.compiler, function, this)
        return this
    if not code.derived:
        set_fields(code.compiler, function, this)
    call = Call(this, function, code.home)
    call.new_target = new_target
    inner = Code(code.compiler, constructor, code.scope, "method")
    result = _run_body(realm, inner, call, arguments)
    return result if type(result) is Obj else call.this


def _constructor(node: Node) -> Node | None:
    body = node.child_by_field_name("body")
    for member in body.named_children if body is not None else ():
        if member.type == "method_definition":
            name = member.child_by_field_name("name")
            if name is not None and name.text == b"constructor" and member.child_by_field_name("body") is not None:
                return member
    return None


def class_value(compiler: Compiler, node: Node) -> Expression:
    """The closure that makes a class: its statics, its prototype and its base."""
    name_node = node.child_by_field_name("name")
    name = compiler.text(name_node) if name_node is not None else ""
    heritage = _heritage(compiler, node)
    body = node.child_by_field_name("body")
    members = [_class_member(compiler, child) for child in (body.named_children if body is not None else ())]
    site = compiler.site(node)
    realm = compiler.realm

    def run(scope: Scope) -> Value:
        made = Obj(realm.function_proto, "class", site, name)
        scope = Scope(scope, scope.call)
        if name:
            scope.names[name] = made
        code = Code(compiler, node, scope, "class")
        made.code = code
        proto = realm.object(site)
        code.home = proto
        proto.props["constructor"] = Prop(made, site, enumerable=False)
        made.props["prototype"] = Prop(proto, site, enumerable=False)
        if heritage is not None:
            code.derived = True
            inherit(realm, made, proto, heritage(scope))
        inner = Scope(scope, Call(made, made, made))
        for member in members:
            if member is not None:
                member(inner, made, proto)
        return made

    return run


def inherit(realm: Realm, made: Obj, proto: Obj, base: Value) -> None:
    """Make a class, and its prototype, inherit from a base; one that is not known opens both."""
    if type(base) is Union:
        base = next((option for option in base.options if type(option) is Obj), base.options[0])
    if type(base) is Obj:
        realm.set_proto_of(made, base)
        realm.set_proto_of(proto, realm.get(base, "prototype"))
    elif base is None:
        proto.proto = None
    else:
        reason = base.reason if type(base) is Unknown else "it is no class"
        made.open(f"its base is not known: {reason}")
        proto.open(f"its base is not known: {reason}")


def _heritage(compiler: Compiler, node: Node) -> Expression | None:
    for child in node.named_children:
        if child.type == "class_heritage":
            for inner in child.named_children:
                if inner.type == "extends_clause":
                    return compiler.expression(inner.child_by_field_name("value"))
                if inner.type not in ("comment", "implements_clause"):
                    return compiler.expression(inner)
    return None


def _class_member(compiler: Compiler, node: Node) -> Callable[[Scope, Obj, Obj], None] | None:
    is_static = any(child.type == "static" for child in node.children[:4])
    if node.type == "method_definition":
        name = node.child_by_field_name("name")
        if name is None or name.type == "private_property_identifier":
            return None
        if not is_static and name.text == b"constructor":
            return None
        define = method_value(compiler, node)
        return lambda scope, made, proto: define(scope, made if is_static else proto, made if is_static else proto)
    if node.type in ("field_definition", "public_field_definition"):
        return _field(compiler, node, is_static=is_static)
    if node.type == "class_static_block":
        body = node.child_by_field_name("body")
        block = compiler.block(body.named_children if body is not None else [])
        return lambda scope, _made, _proto: (block(Scope(scope, scope.call)), None)[1]
    return None


def _field(compiler: Compiler, node: Node, *, is_static: bool) -> Callable[[Scope, Obj, Obj], None] | None:
    name = node.child_by_field_name("property") or node.child_by_field_name("name")
    value_node = node.child_by_field_name("value")
    if name is None or name.type == "private_property_identifier":
        return None
    if any(child.type == "declare" for child in node.children[:2]):
        return None
    key = key_expression(compiler, name)
    value = compiler.expression(value_node) if value_node is not None else None
    site = compiler.site(node)
    realm = compiler.realm
    if not is_static:
        return lambda _scope, made, _proto: made.code.fields.append((key, value, site))

    def define(scope: Scope, made: Obj, _proto: Obj) -> None:
        given = UNDEFINED if value is None else value(scope)
        named = key(scope)
        name_function(given, named)
        if type(named) is str:
            made.props[named] = Prop(given, site)
        else:
            realm.set(made, named, given, site)

    return define

"""One Python file walked with tree-sitter into facts; iterative, and at home in ERROR nodes.

Only what binds names is walked: module and class bodies with their branches. Function bodies are handed to `python_bodies` as text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from . import python_bodies, python_getattr
from .python_conditions import NEVER, both, branches
from .python_facts import (
    ALWAYS,
    CALL,
    CLASS,
    DECLARED,
    DEF,
    DELETED,
    GLOBAL,
    IMPORT,
    ITEMS,
    SIGNATURE_LIMIT,
    SOMETIMES,
    SUMMARY_LIMIT,
    TEXT,
    VALUE,
    Binding,
    Value,
    empty_class,
    empty_module,
)
from .python_text import deprecation_in, first_sentence, flat_header
from .python_values import value_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node, Parser

_NAMESPACES = ("globals()", "vars()", "locals()")
_VALUE_TEXT = 160
_MAKERS = frozenset(("__init__", "__new__", "__init_subclass__", "__call__", "__prepare__", "__post_init__"))
_BLOCKS = frozenset(
    (
        "block",
        "ERROR",
        "module",
        "with_statement",
        "else_clause",
        "finally_clause",
        "except_clause",
        "except_group_clause",
    )
)


@lru_cache(maxsize=1)
def parser() -> Parser:
    """The one parser of this process.

    Raises:
        ImportError: tree-sitter has no wheel for this Python.

    """
    import tree_sitter_python
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_python.language()))


class Where:
    """What a file is: its module's dotted name, whether it is a package's `__init__`, a stub, and for which Python it is read."""

    __slots__ = ("is_package", "module", "python", "stub")

    def __init__(self, module: str, *, is_package: bool, stub: bool, python: tuple[int, int] | None) -> None:
        self.module = module
        self.is_package = is_package
        self.stub = stub
        self.python = python

    def absolute(self, dots: int, name: str) -> str:
        """The absolute module that a relative import means; above the top it stays relative to it."""
        if not dots:
            return name
        parts = self.module.split(".")
        up = dots - 1 if self.is_package else dots
        base = parts[: len(parts) - up] if up else parts
        return ".".join([*base, name] if name else base)


class _Scope:
    """A body that is being read: a module's or a class's."""

    __slots__ = ("bindings", "body", "klass")

    def __init__(self, body: dict[str, Any], *, klass: bool) -> None:
        self.body = body
        self.bindings: dict[str, list[Binding]] = body["bindings"]
        self.klass = klass


def read_module(source: bytes, where: Where) -> dict[str, Any]:
    """The facts of one file; `source` as `python_text.readable_source` gives it."""
    tree = parser().parse(source)
    return _Walk(source, where).module(tree.root_node)


class _Walk:
    def __init__(self, source: bytes, where: Where) -> None:
        self.source = source
        self.where = where
        self.facts = empty_module()
        self.loops: dict[str, Value] = {}
        self.stack: list[tuple[Iterator[Node], _Scope, int]] = []

    def module(self, root: Node) -> dict[str, Any]:
        facts = self.facts
        facts["lines"] = self.source.count(b"\n") + 1
        doc = _docstring(root)
        if doc:
            facts["doc"] = [first_sentence(doc, SUMMARY_LIMIT), deprecation_in(doc)]
        self.stack.append((iter(root.named_children), _Scope(facts, klass=False), ALWAYS))
        while self.stack:
            nodes, scope, condition = self.stack[-1]
            for node in nodes:
                if self.statement(node, scope, condition):
                    break  # something was pushed: it is read first, so that names keep their order
            else:
                self.stack.pop()
        return facts

    def push(self, node: Node | None, scope: _Scope, condition: int) -> bool:
        if node is None or condition == NEVER:
            return False
        self.stack.append((iter(node.named_children), scope, condition))
        return True

    def statement(self, node: Node, scope: _Scope, condition: int) -> bool:
        """Reads one statement; whether it pushed a body to be read next."""
        kind = node.type
        if kind == "expression_statement":
            self.expression(node, scope, condition)
            return False
        if kind == "comment":
            return False
        handler = _HANDLERS.get(kind)
        if handler is not None:
            return handler(self, node, scope, condition)
        if kind in _BLOCKS:
            return self.push(node, scope, condition)
        return False

    # definitions

    def definition(self, node: Node, scope: _Scope, condition: int) -> bool:
        decorators: list[Value] = []
        for child in node.named_children:
            if child.type == "decorator":
                decorators.append(value_of(child.named_children[0] if child.named_children else None))
        inner = node.child_by_field_name("definition")
        if inner is None:
            return self.push(node, scope, condition)
        if inner.type == "class_definition":
            return self.class_(inner, scope, condition, decorators, node)
        return self.function(inner, scope, condition, decorators, node)

    def function(
        self,
        node: Node,
        scope: _Scope,
        condition: int,
        decorators: list[Value] | None = None,
        whole: Node | None = None,
    ) -> bool:
        name_node = node.child_by_field_name("name")
        if name_node is None:
            return False
        name = _text(name_node)
        parameters = node.child_by_field_name("parameters")
        result = node.child_by_field_name("return_type")
        start = parameters.start_byte if parameters else name_node.end_byte
        end = (result or parameters or name_node).end_byte
        signature = flat_header(self.slice(start, end))[:SIGNATURE_LIMIT]
        flags = "a" if node.children[0].type == "async" else ""
        body = node.child_by_field_name("body")
        extra: list[Any] = [decorators or [], flags, None, None, None, None]
        doc = _docstring(body) if body is not None else None
        binding: Binding = [
            DEF,
            node.start_point[0] + 1,
            node.end_point[0] + 1,
            signature,
            first_sentence(doc, SUMMARY_LIMIT) if doc else None,
            deprecation_in(doc) if doc else None,
            extra,
            condition,
        ]
        self.bind(scope, name, binding)
        if body is not None and not self.where.stub:
            self.body_text(name, body, (signature, parameters), scope, extra)
        elif name == "__getattr__":
            scope.body["lazy"] = {
                "names": [],
                "tables": [],
                "handed": [],
                "texts": [],
                "from": [],
                "returned": {},
                "open": True,
                "line": binding[1],
            }
        return False

    def body_text(
        self, name: str, body: Node, header: tuple[str, Node | None], scope: _Scope, extra: list[Any]
    ) -> None:
        text = self.source[body.start_byte : body.end_byte]
        line = body.start_point[0] + 1
        signature, parameters = header
        names = (
            _FIRST_PARAMETER.findall(signature[:120])[:1]
            if scope.klass and name[:9] != "__getattr"
            else _parameter_names(signature)
        )
        if name in ("__getattr__", "__getattribute__") and names:
            parameter = names[min(scope.klass, len(names) - 1)]
            scope.body["lazy"] = {
                **python_getattr.lazy_names(text.decode("utf-8", "replace"), parameter),
                "line": line - 1,
            }
        if scope.klass:
            self.method_text(name, text, line, names, parameters, scope)
        else:
            self.function_text(text, names, extra)
        if b"__signature__" in text:
            extra[1] += "s"
        if b".__module__]" in text and b"sys.modules[" in text and b"setattr" in text:
            extra[1] += "m"
        if b"setattr(" in text or b"globals()" in text:
            self.facts["reaches"] += [[*hit, name] for hit in python_bodies.sets_elsewhere(text, names, line)]
        if b"global " in text:
            for made in python_bodies.names_made_global(text):
                self.facts["bindings"].setdefault(made, []).append(
                    [GLOBAL, line, line, made, None, None, None, SOMETIMES]
                )

    def method_text(
        self, name: str, text: bytes, line: int, names: list[str], parameters: Node | None, scope: _Scope
    ) -> None:
        if not names:
            return
        klass = scope.body
        doors: list[list[Any]] = []
        python_bodies.instance_attributes(text, names[0].encode(), name, line, klass["own"], doors)
        if doors:
            own_class = names[0] in ("cls", "mcs", "mcls", "metacls", "klass")
            chosen = () if name in _MAKERS or own_class else tuple(_every_parameter(parameters))
            # a name that an ordinary method's caller chooses is the caller's, not the library's
            klass["doors"] += [door for door in doors if not any(word in chosen for word in door[5])]

    def function_text(self, text: bytes, names: list[str], extra: list[Any]) -> None:
        if b"def " in text:
            extra[5] = python_bodies.returned_parameters(text)
        if b"=" in text or b"setattr" in text:
            given = dict.fromkeys((*names[:3], *python_bodies.inner_parameters(text)))
            named, open_ = python_bodies.effects_on_parameters(text, list(given))
            extra[2], extra[3] = named or None, open_ or None
        if b"AttributeError" in text and names:
            decoded = text.decode("utf-8", "replace")
            made = python_getattr.made_getattr(decoded)
            extra[4] = made or python_getattr.lazy_names(decoded, names[-1])

    def class_(
        self,
        node: Node,
        scope: _Scope,
        condition: int,
        decorators: list[Value] | None = None,
        whole: Node | None = None,
    ) -> bool:
        name_node = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        if name_node is None:
            return False
        klass = empty_class()
        klass["decorators"] = decorators or []
        bases = node.child_by_field_name("superclasses")
        if bases is not None:
            for argument in bases.named_children:
                if argument.type == "keyword_argument":
                    key = argument.child_by_field_name("name")
                    klass["keywords"][_text(key) if key else ""] = value_of(argument.child_by_field_name("value"))
                elif argument.type != "comment":
                    klass["bases"].append(value_of(argument))
        doc = _docstring(body) if body is not None else None
        signature = flat_header(self.slice(bases.start_byte, bases.end_byte)) if bases is not None else ""
        self.bind(
            scope,
            _text(name_node),
            [
                CLASS,
                node.start_point[0] + 1,
                node.end_point[0] + 1,
                signature[:SIGNATURE_LIMIT],
                first_sentence(doc, SUMMARY_LIMIT) if doc else None,
                deprecation_in(doc) if doc else None,
                klass,
                condition,
            ],
        )
        return self.push(body, _Scope(klass, klass=True), ALWAYS)

    # names

    def bind(self, scope: _Scope, name: str, binding: Binding) -> None:
        found = scope.bindings.get(name)
        if found is None:
            scope.bindings[name] = [binding]
        else:
            found.append(binding)

    def slice(self, start: int, end: int) -> str:
        return self.source[start:end].decode("utf-8", "replace")

    def import_(self, node: Node, scope: _Scope, condition: int) -> bool:
        line = node.start_point[0] + 1
        for child in node.named_children:
            if child.type == "dotted_name":
                path = _text(child)
                top = path.partition(".")[0]
                self.bind(scope, top, [IMPORT, line, line, "", None, None, [top, None, path], condition])
            elif child.type == "aliased_import":
                path_node, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
                if path_node is not None and alias is not None:
                    self.bind(
                        scope, _text(alias), [IMPORT, line, line, "", None, None, [_text(path_node), None], condition]
                    )
        return False

    def import_from(self, node: Node, scope: _Scope, condition: int) -> bool:
        origin = node.child_by_field_name("module_name")
        if origin is None:
            line = node.start_point[0] + 1
            for child in node.named_children:
                self.bind(scope, _text(child), [VALUE, line, line, "", None, None, None, condition])
            return False
        text = "".join(_text(origin).split())
        name = text.lstrip(".")
        module = self.where.absolute(len(text) - len(name), name)
        line = node.start_point[0] + 1
        for child in node.named_children[1:]:
            kind = child.type
            if kind == "dotted_name":
                imported = _text(child)
                self.bind(
                    scope,
                    imported,
                    [
                        IMPORT,
                        child.start_point[0] + 1,
                        child.end_point[0] + 1,
                        "",
                        None,
                        None,
                        [module, imported],
                        condition,
                    ],
                )
            elif kind == "aliased_import":
                source, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
                if source is not None and alias is not None:
                    at = child.start_point[0] + 1
                    self.bind(scope, _text(alias), [IMPORT, at, at, "", None, None, [module, _text(source)], condition])
            elif kind == "wildcard_import":
                if scope.klass:
                    scope.body["doors"].append(["import *", line, module])
                else:
                    self.facts["stars"].append([module, line, condition])
        return False

    def delete(self, node: Node, scope: _Scope, condition: int) -> bool:
        if condition != ALWAYS:
            return False
        line = node.start_point[0] + 1
        targets = node.named_children
        if len(targets) == 1 and targets[0].type in ("expression_list", "tuple"):
            targets = targets[0].named_children
        for target in targets:
            if target.type == "identifier":
                self.bind(scope, _text(target), [DELETED, line, line, "", None, None, None, condition])
        return False

    def alias(self, node: Node, scope: _Scope, condition: int) -> bool:
        """`type X = …`."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None:
            return False
        name = _text(left).partition("[")[0].strip()
        self.bind_value(scope, name, node, value_of(right), condition)
        return False

    def bind_value(self, scope: _Scope, name: str, node: Node, value: Value, condition: int, kind: str = VALUE) -> None:
        line, end = node.start_point[0] + 1, node.end_point[0] + 1
        text = self.slice(node.start_byte, min(node.end_byte, node.start_byte + _VALUE_TEXT * 4))
        signature = flat_header(text)
        if len(signature) > _VALUE_TEXT:
            signature = signature[: _VALUE_TEXT - 1] + "…"
        self.bind(scope, name, [kind, line, end, signature, None, None, value, condition])

    # statements that hold others

    def if_(self, node: Node, scope: _Scope, condition: int) -> bool:
        pending: list[tuple[Node, int]] = []
        rest = condition
        for clause in (node, *node.children_by_field_name("alternative")):
            test, body = clause.child_by_field_name("condition"), clause.child_by_field_name("consequence")
            if test is None:
                body = clause.child_by_field_name("body")
                taken, rest = rest, NEVER
            else:
                yes, no = branches(_text(test), self.where.python)
                taken, rest = both(rest, yes), both(rest, no)
            if body is not None and taken != NEVER:
                pending.append((body, taken))
        for body, taken in reversed(pending):
            self.push(body, scope, taken)
        return bool(pending)

    def try_(self, node: Node, scope: _Scope, condition: int) -> bool:
        inner = both(condition, SOMETIMES)
        children = [child for child in node.named_children if child.type != "comment"]
        guarded = any(child.type.startswith("except") for child in children)
        for child in reversed(children):
            self.push(child, scope, inner if guarded and child.type != "finally_clause" else condition)
        return bool(children)

    def for_(self, node: Node, scope: _Scope, condition: int) -> bool:
        left = node.child_by_field_name("left")
        if left is not None:
            over = value_of(node.child_by_field_name("right"))
            for name in _target_names(left):
                self.bind_value(scope, name, left, None, condition)
            if left.type == "identifier" and over is not None:
                self.loops[_text(left)] = over
        self.push(node.child_by_field_name("alternative"), scope, condition)
        self.push(node.child_by_field_name("body"), scope, condition)
        return True

    def while_(self, node: Node, scope: _Scope, condition: int) -> bool:
        return self.push(node.child_by_field_name("body"), scope, condition)

    def with_(self, node: Node, scope: _Scope, condition: int) -> bool:
        for found in _AS_NAME.finditer(self.source, node.start_byte, _body_start(node)):
            self.bind_value(scope, found.group(1).decode(), node, None, condition)
        return self.push(node.child_by_field_name("body"), scope, condition)

    def match_(self, node: Node, scope: _Scope, condition: int) -> bool:
        inner = both(condition, SOMETIMES)
        block = node.child_by_field_name("body")
        cases = block.named_children if block is not None else []
        for case in reversed(cases):
            self.push(case.child_by_field_name("consequence"), scope, inner)
        return bool(cases)

    # expressions

    def expression(self, statement: Node, scope: _Scope, condition: int) -> None:
        for node in statement.named_children:
            kind = node.type
            if kind == "assignment":
                self.assignment(node, scope, condition)
            elif kind == "augmented_assignment":
                self.augmented(node, scope)
            elif kind == "call":
                self.call(node, scope, condition)
            elif kind == "named_expression":
                name = node.child_by_field_name("name")
                if name is not None:
                    self.bind_value(scope, _text(name), node, value_of(node.child_by_field_name("value")), condition)

    def assignment(self, node: Node, scope: _Scope, condition: int) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None:
            return
        value = value_of(right)
        if left.type == "identifier":
            self.named_value(_text(left), node, scope, (value, condition), declared=right is None)
        elif left.type in ("pattern_list", "tuple_pattern", "list_pattern"):
            self.unpacked(left, node, scope, value, condition)
        elif left.type == "attribute":
            self.attribute_set(_text(left), value, node)
        elif left.type == "subscript":
            self.item_set(left, node, scope, value, condition)
        while right is not None and right.type == "assignment":  # a = b = value
            self.assignment_target(right, scope, value, condition)
            right = right.child_by_field_name("right")

    def assignment_target(self, node: Node, scope: _Scope, value: Value, condition: int) -> None:
        left = node.child_by_field_name("left")
        if left is None:
            return
        if left.type == "identifier":
            self.named_value(_text(left), node, scope, (value, condition), declared=False)
        elif left.type == "attribute":
            self.attribute_set(_text(left), value, node)

    def named_value(self, name: str, node: Node, scope: _Scope, given: tuple[Value, int], *, declared: bool) -> None:
        value, condition = given
        if name == "__all__" and not scope.klass:
            self.facts["all"] = [["=", value]] if condition == ALWAYS else [*(self.facts["all"] or []), ["+", value]]
        kind = DECLARED if declared and not self.where.stub else VALUE
        self.bind_value(scope, name, node, value, condition, kind)
        annotation = node.child_by_field_name("type")
        if annotation is not None:
            scope.bindings[name][-1].append(value_of(annotation))

    def unpacked(self, left: Node, node: Node, scope: _Scope, value: Value, condition: int) -> None:
        names = _target_names(left)
        pairwise = isinstance(value, list) and value and value[0] == ITEMS and len(value) == len(names) + 1
        for at, name in enumerate(names):
            part = value[at + 1] if pairwise else ["@", at, value]
            self.named_value(name, node, scope, (part, condition), declared=False)

    def attribute_set(self, path: str, value: Value, node: Node) -> None:
        owner, _, name = path.rpartition(".")
        line = node.start_point[0] + 1
        if owner.startswith("sys.modules"):
            self.facts["doors"].append(["sys.modules", line, path])
        elif name.isidentifier():
            self.facts["sets"].append([self.loop_owners(owner), name, line, value])

    def loop_owners(self, owner: str) -> Value:
        """What an owner's name stands for: itself, or inside a loop the items it runs over."""
        return self.loops.get(owner, owner)

    def item_set(self, left: Node, node: Node, scope: _Scope, value: Value, condition: int) -> None:
        text = _text(left)
        line = node.start_point[0] + 1
        key = value_of(left.child_by_field_name("subscript"))
        if text.startswith(_NAMESPACES):
            if isinstance(key, list) and key[0] == TEXT and key[1].isidentifier():
                self.bind_value(scope, key[1], node, value, condition)
            elif not self.bind_loop(key, node, scope, condition):
                scope.body["doors"].append([text.partition("[")[0], line, ""])
        elif "".join(text.split()) == "sys.modules[__name__]":
            self.facts["doors"].append(["sys.modules", line, ""])

    def bind_loop(self, key: Value, node: Node, scope: _Scope, condition: int) -> bool:
        """Binds the names that a loop runs over, where they are written out; whether they were."""
        names = _texts(self.loops.get(key)) if isinstance(key, str) else None
        for name in names or ():
            self.bind_value(scope, name, node, None, condition)
        return bool(names)

    def augmented(self, node: Node, scope: _Scope) -> None:
        left = node.child_by_field_name("left")
        if left is not None and _text(left) == "__all__" and not scope.klass:
            self.more_all(value_of(node.child_by_field_name("right")))

    def more_all(self, value: Value) -> None:
        self.facts["all"] = [*(self.facts["all"] or []), ["+", value]]

    def call(self, node: Node, scope: _Scope, condition: int) -> None:
        function = node.child_by_field_name("function")
        if function is None:
            return
        name = _text(function)
        line = node.start_point[0] + 1
        if name == "setattr":
            self.setattr_(value_of(node), scope, node, condition)
        elif name == "exec" or name.startswith(_NAMESPACES):
            keys = _keys_given(value_of(node)) if name.endswith(".update") else None
            if keys is None:
                scope.body["doors"].append([name, line, ""])
            for key in keys or ():
                self.bind_value(scope, key, node, None, condition)
        elif name.startswith("__all__."):
            self.all_call(name, value_of(node))
        elif not scope.klass:
            value = value_of(node)
            if any(isinstance(argument, (str, list)) for argument in value[2:]):
                self.facts["calls"].append([value, line])

    def all_call(self, name: str, value: Value) -> None:
        given = value[2] if len(value) > 2 else None
        if name == "__all__.extend":
            self.more_all(given)
        elif name == "__all__.append":
            self.more_all([ITEMS, given])
        elif name == "__all__.remove":
            self.facts["all"] = [*(self.facts["all"] or []), ["-", [ITEMS, given]]]

    def setattr_(self, call: Value, scope: _Scope, node: Node, condition: int) -> None:
        line = node.start_point[0] + 1
        arguments = call[2:]
        if len(arguments) < 2:
            return
        owner, name = arguments[0], arguments[1]
        names = (
            [name[1]]
            if isinstance(name, list) and name[0] == TEXT
            else _texts(self.loops.get(name))
            if isinstance(name, str)
            else None
        )
        if isinstance(owner, str):
            owner = self.loop_owners(owner)
        if names is None:
            self.facts["doors"].append(["setattr", line, owner])
            return
        for each in names:
            if isinstance(owner, list) and owner[0] in (CALL, "["):
                self.bind_value(scope, each, node, None, condition)  # sys.modules[__name__], and what stands for it
            else:
                self.facts["sets"].append([owner, each, line, arguments[2] if len(arguments) > 2 else None])


_AS_NAME = re.compile(rb"\bas\s+([A-Za-z_]\w*)")


def _body_start(node: Node) -> int:
    body = node.child_by_field_name("body")
    return body.start_byte if body is not None else node.start_byte


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _docstring(body: Node) -> str | None:
    """The documentation string that a body begins with."""
    for child in body.named_children[:3]:
        kind = child.type
        if kind == "comment":
            continue
        if kind != "expression_statement":
            return None
        string = child.named_child(0)
        if string is None or string.type not in ("string", "concatenated_string"):
            return None
        text = _text(string).lstrip("rRuUbBfF")
        quotes = 3 if text.startswith(('"""', "'''")) else 1
        return text[quotes:-quotes]
    return None


_PARAMETER = re.compile(r"(?:^\(|,)\s*\*{0,2}([A-Za-z_]\w*)")
_FIRST_PARAMETER = re.compile(r"\(\s*([A-Za-z_]\w*)")


def _parameter_names(signature: str) -> list[str]:
    """The names of the first parameters; what stands behind a comma inside an annotation may be among them."""
    return _PARAMETER.findall(signature[:400])[:6]


def _every_parameter(parameters: Node | None) -> list[str]:
    """All parameters but the first, those behind stars included."""
    names: list[str] = []
    for child in parameters.named_children if parameters is not None else ():
        at: Node | None = child
        while at is not None and at.type != "identifier":
            inner = at.child_by_field_name("name")
            at = inner if inner is not None else next(iter(at.named_children), None)
        if at is not None:
            names.append(_text(at))
    return names[1:]


def _target_names(node: Node) -> list[str]:
    """The names that an assignment's target binds, nested patterns included."""
    names: list[str] = []
    pending = [node]
    while pending:
        at = pending.pop()
        if at.type == "identifier":
            names.append(_text(at))
        elif at.type.endswith(("pattern", "pattern_list", "splat")):
            pending.extend(reversed(at.named_children))
    return names


def _texts(value: Value) -> list[str] | None:
    """The strings of a list of strings alone, else None."""
    if not isinstance(value, list) or not value or value[0] != ITEMS:
        return None
    texts = [item[1] for item in value[1:] if isinstance(item, list) and item[0] == TEXT]
    return texts if len(texts) == len(value) - 1 else None


def _keys_given(call: Value) -> list[str] | None:
    """The names that `globals().update(…)` is given, where they are all written out."""
    names: list[str] = []
    for argument in call[2:]:
        if not isinstance(argument, list):
            return None
        if argument[0] == "=":
            names.append(argument[1])
        elif argument[0] == "{}":
            for key, _ in argument[1:]:
                if not isinstance(key, list) or key[0] != TEXT:
                    return None
                names.append(key[1])
        else:
            return None
    return names


_HANDLERS = {
    "function_definition": _Walk.function,
    "class_definition": _Walk.class_,
    "decorated_definition": _Walk.definition,
    "import_statement": _Walk.import_,
    "import_from_statement": _Walk.import_from,
    "future_import_statement": _Walk.import_from,
    "if_statement": _Walk.if_,
    "try_statement": _Walk.try_,
    "for_statement": _Walk.for_,
    "while_statement": _Walk.while_,
    "with_statement": _Walk.with_,
    "match_statement": _Walk.match_,
    "delete_statement": _Walk.delete,
    "type_alias_statement": _Walk.alias,
}

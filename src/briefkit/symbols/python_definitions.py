"""Definitions: functions with their headers and what their bodies do, classes with their bases and decorators."""

from __future__ import annotations

import re

from briefkit.records import TYPE_CHECKING

from . import python_bodies, python_getattr
from .python_facts import (
    ALWAYS,
    CLASS,
    DEF,
    GLOBAL,
    SIGNATURE_LIMIT,
    SOMETIMES,
    SUMMARY_LIMIT,
    Binding,
    Value,
    empty_class,
)
from .python_nodes import docstring, every_parameter, text_of
from .python_scopes import Recorder, Scope
from .python_text import deprecation_in, first_sentence, flat_header
from .python_values import value_of

if TYPE_CHECKING:
    from typing import Any

    from tree_sitter import Node

_MAKERS = frozenset(("__init__", "__new__", "__init_subclass__", "__call__", "__prepare__", "__post_init__"))
_PARAMETER = re.compile(r"(?:^\(|,)\s*\*{0,2}([A-Za-z_]\w*)")
_FIRST_PARAMETER = re.compile(r"\(\s*([A-Za-z_]\w*)")


class Definitions(Recorder):
    """Reads `def` and `class`."""

    def definition(self, node: Node, scope: Scope, condition: int) -> bool:
        """Reads a decorated definition."""
        decorators = [
            value_of(child.named_children[0] if child.named_children else None)
            for child in node.named_children
            if child.type == "decorator"
        ]
        inner = node.child_by_field_name("definition")
        if inner is None:
            return self.push(node, scope, condition)
        if inner.type == "class_definition":
            return self.class_(inner, scope, condition, decorators)
        return self.function(inner, scope, condition, decorators)

    def function(
        self,
        node: Node,
        scope: Scope,
        condition: int,
        decorators: list[Value] | None = None,
    ) -> bool:
        """Binds a function; its body is read as text."""
        name_node = node.child_by_field_name("name")
        if name_node is None:
            return False
        name = text_of(name_node)
        parameters = node.child_by_field_name("parameters")
        result = node.child_by_field_name("return_type")
        start = parameters.start_byte if parameters else name_node.end_byte
        end = (result or parameters or name_node).end_byte
        signature = flat_header(self.slice(start, end))[:SIGNATURE_LIMIT]
        flags = "a" if node.children[0].type == "async" else ""
        body = node.child_by_field_name("body")
        extra: list[Any] = [decorators or [], flags, None, None, None, None]
        doc = docstring(body) if body is not None else None
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

    def body_text(self, name: str, body: Node, header: tuple[str, Node | None], scope: Scope, extra: list[Any]) -> None:
        """Reads what a function body does to names outside it."""
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
        self, name: str, text: bytes, line: int, names: list[str], parameters: Node | None, scope: Scope
    ) -> None:
        """Adds what a method sets on its instance, and the doors it opens."""
        if not names:
            return
        klass = scope.body
        doors: list[list[Any]] = []
        python_bodies.instance_attributes(text, names[0].encode(), name, line, klass["own"], doors)
        if doors:
            own_class = names[0] in ("cls", "mcs", "mcls", "metacls", "klass")
            chosen = () if name in _MAKERS or own_class else tuple(every_parameter(parameters))
            # a name that an ordinary method's caller chooses is the caller's, not the library's
            klass["doors"] += [door for door in doors if not any(word in chosen for word in door[5])]

    def function_text(self, text: bytes, names: list[str], extra: list[Any]) -> None:
        """Adds what a function does to its parameters, and what a `__getattr__` made by it admits."""
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
        scope: Scope,
        condition: int,
        decorators: list[Value] | None = None,
    ) -> bool:
        """Binds a class and pushes its body."""
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
                    klass["keywords"][text_of(key) if key else ""] = value_of(argument.child_by_field_name("value"))
                elif argument.type != "comment":
                    klass["bases"].append(value_of(argument))
        doc = docstring(body) if body is not None else None
        signature = flat_header(self.slice(bases.start_byte, bases.end_byte)) if bases is not None else ""
        self.bind(
            scope,
            text_of(name_node),
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
        return self.push(body, Scope(klass, klass=True), ALWAYS)


def _parameter_names(signature: str) -> list[str]:
    """The names of the first parameters; what stands behind a comma inside an annotation may be among them."""
    return _PARAMETER.findall(signature[:400])[:6]

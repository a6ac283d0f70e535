"""What is being read and where its names go: the file, the body of a module or a class, the names bound in it."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from .python_conditions import NEVER
from .python_facts import VALUE, Binding, Value, empty_module
from .python_text import flat_header

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from tree_sitter import Node

_VALUE_TEXT = 160


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


class Scope:
    """A body that is being read: a module's or a class's."""

    __slots__ = ("bindings", "body", "klass")

    def __init__(self, body: dict[str, Any], *, klass: bool) -> None:
        self.body = body
        self.bindings: dict[str, list[Binding]] = body["bindings"]
        self.klass = klass


class Recorder:
    """Binds names in scopes, and keeps the stack of bodies that are still to be read."""

    def __init__(self, source: bytes, where: Where) -> None:
        self.source = source
        self.where = where
        self.facts = empty_module()
        self.loops: dict[str, Value] = {}
        self.stack: list[tuple[Iterator[Node], Scope, int]] = []

    def push(self, node: Node | None, scope: Scope, condition: int) -> bool:
        """Puts a body on the stack; whether there was one that runs."""
        if node is None or condition == NEVER:
            return False
        self.stack.append((iter(node.named_children), scope, condition))
        return True

    def bind(self, scope: Scope, name: str, binding: Binding) -> None:
        """Adds a binding of a name."""
        found = scope.bindings.get(name)
        if found is None:
            scope.bindings[name] = [binding]
        else:
            found.append(binding)

    def slice(self, start: int, end: int) -> str:
        """The text between two bytes."""
        return self.source[start:end].decode("utf-8", "replace")

    def bind_value(self, scope: Scope, name: str, node: Node, value: Value, condition: int, kind: str = VALUE) -> None:
        """Binds a name to a value, with its statement as the signature."""
        line, end = node.start_point[0] + 1, node.end_point[0] + 1
        text = self.slice(node.start_byte, min(node.end_byte, node.start_byte + _VALUE_TEXT * 4))
        signature = flat_header(text)
        if len(signature) > _VALUE_TEXT:
            signature = signature[: _VALUE_TEXT - 1] + "…"
        self.bind(scope, name, [kind, line, end, signature, None, None, value, condition])

"""Nodes made into Python closures, each once, when first needed: evaluating a loop or a function again costs no tree walk."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from .javascript_realm import MISSING, Scope
from .javascript_values import UNDEFINED, Obj, Site, Unknown, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeAlias

    from tree_sitter import Node

    from .javascript_parsing import Source
    from .javascript_realm import Realm

Expression: TypeAlias = "Callable[[Scope], Value]"
Statement: TypeAlias = "Callable[[Scope], Any]"
"""Running one gives None, or a completion: `("return", value)`, `("break", label)`, `("continue", label)`."""

_DEPTH = 220
_NO_STATEMENT: Statement = lambda _scope: None  # noqa: E731 (a value of the table's type)


class Code:
    """What an `Obj` that is a function holds: its text, the scope it closes over, and how it is called.

    `kind` is `function`, `arrow`, `method`, `class`; `run` is made when it is first called.
    """

    __slots__ = ("compiler", "derived", "fields", "home", "is_async", "kind", "node", "run", "scope", "this")

    def __init__(self, compiler: Compiler, node: Node, scope: Scope, kind: str, *, is_async: bool = False) -> None:
        self.compiler = compiler
        self.node = node
        self.scope = scope
        self.kind = kind
        self.is_async = is_async
        self.home: Obj | None = None
        self.this: Value = UNDEFINED
        self.run: Callable[[Scope, list[Value]], Value] | None = None
        self.fields: list[tuple[Expression, Expression | None, Site]] = []
        self.derived = False

    @property
    def constructs(self) -> bool:
        """Whether it can be called with `new`."""
        return self.kind in ("function", "class")


class Compiler:
    """Makes closures of one file's nodes."""

    def __init__(
        self,
        source: Source,
        realm: Realm,
        expressions: dict[str, Callable[[Compiler, Node], Expression]],
        statements: dict[str, Callable[[Compiler, Node], Statement]],
        load: Callable[[str], Value],
    ) -> None:
        self.source = source
        self.realm = realm
        self.load = load
        self._expressions = expressions
        self._statements = statements
        self.bodies: dict[int, Callable[[Scope, list[Value]], Value]] = {}
        self._depth = 0

    def text(self, node: Node) -> str:
        """The node's text."""
        return self.source.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def site(self, node: Node) -> Site:
        """The node as a place of definition."""
        return Site(self.source, node)

    def expression(self, node: Node | None) -> Expression:
        """The closure of an expression; of what is not understood, one that gives an `Unknown`."""
        if node is None:
            return lambda _scope: UNDEFINED
        make = self._expressions.get(node.type)
        if make is None or self._depth > _DEPTH:
            return self.unknown(node)
        self._depth += 1
        try:
            return make(self, node)
        finally:
            self._depth -= 1

    def unknown(self, node: Node) -> Expression:
        """A closure for a node that is not evaluated."""
        value = Unknown(f"{node.type.replace('_', ' ')} at {self.source.path}:{node.start_point[0] + 1}")
        return lambda _scope: value

    def statement(self, node: Node) -> Statement:
        """The closure of a statement, made when it is first run."""
        make = self._statements.get(node.type)
        if make is None:
            return _NO_STATEMENT
        made: Statement | None = None

        def run(scope: Scope) -> object:
            nonlocal made
            if made is None:
                made = make(self, node)
            return made(scope)

        return run

    def block(self, nodes: Sequence[Node]) -> Statement:
        """The closure of a run of statements: functions are declared first, then all run in order."""
        hoisted = [node for node in (_declared(node) for node in nodes) if node is not None]
        functions = [(self.text(name), node) for node in hoisted if (name := node.child_by_field_name("name"))]
        steps = [self.statement(node) for node in nodes if node.type not in _HOISTED]
        declare = self._expressions["function_declaration"]
        makers = [(name, declare(self, node)) for name, node in functions]

        def run(scope: Scope) -> object:
            for name, make in makers:
                scope.names[name] = make(scope)
            for step in steps:
                completion = step(scope)
                if completion is not None:
                    return completion
            return None

        return run

    def assign_name(self, name: str, value: Value, scope: Scope) -> None:
        """`name = value` in the scope that declares it, else as a global."""
        holder = scope.holder(name)
        if holder is None:
            holder = scope
            while holder.parent is not None and holder.parent.parent is not None:
                holder = holder.parent
        old = holder.names.get(name, MISSING)
        if self.realm.uncertain and old is not MISSING:
            from .javascript_values import join

            value = join(old, value)
        holder.names[name] = value


_HOISTED = frozenset({"function_declaration", "generator_function_declaration", "comment", "empty_statement"})


def _declared(node: Node) -> Node | None:
    if node.type in ("function_declaration", "generator_function_declaration"):
        return node
    if node.type == "export_statement":
        inner = node.child_by_field_name("declaration")
        if inner is not None and inner.type in ("function_declaration", "generator_function_declaration"):
            return inner
    return None

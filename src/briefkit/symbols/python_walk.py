"""One Python file walked with tree-sitter into facts; iterative, and at home in ERROR nodes.

Only what binds names is walked: module and class bodies with their branches. Function bodies are handed to `python_bodies` as text.
"""

from __future__ import annotations

import re
from functools import lru_cache

from briefkit.records import TYPE_CHECKING

from .python_assignments import Assignments
from .python_conditions import NEVER, both, branches
from .python_definitions import Definitions
from .python_facts import ALWAYS, DELETED, IMPORT, SOMETIMES, SUMMARY_LIMIT, VALUE
from .python_nodes import body_start, docstring, target_names, text_of
from .python_scopes import Scope, Where
from .python_text import deprecation_in, first_sentence
from .python_values import value_of

if TYPE_CHECKING:
    from typing import Any

    from tree_sitter import Node, Parser

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
_AS_NAME = re.compile(rb"\bas\s+([A-Za-z_]\w*)")


@lru_cache(maxsize=1)
def parser() -> Parser:
    """The one parser of this process.

    Raises:
        ImportError: tree-sitter has no wheel for this Python.

    """
    import tree_sitter_python
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_python.language()))


def read_module(source: bytes, where: Where) -> dict[str, Any]:
    """The facts of one file; `source` as `python_text.readable_source` gives it."""
    try:
        root: Node = parser().parse(source).root_node
    except ImportError:  # no wheel for this Python
        from .python_ast_nodes import parse

        root = parse(source)  # type: ignore[assignment] # has what the walk asks of a node
    return _Walk(source, where).module(root)


class _Walk(Definitions, Assignments):
    """Reads the statements of one file."""

    def module(self, root: Node) -> dict[str, Any]:
        facts = self.facts
        facts["lines"] = self.source.count(b"\n") + (not self.source.endswith(b"\n"))
        doc = docstring(root)
        if doc:
            facts["doc"] = [first_sentence(doc, SUMMARY_LIMIT), deprecation_in(doc)]
        self.stack.append((iter(root.named_children), Scope(facts, klass=False), ALWAYS))
        while self.stack:
            nodes, scope, condition = self.stack[-1]
            for node in nodes:
                if self.statement(node, scope, condition):
                    break  # something was pushed: it is read first, so that names keep their order
            else:
                self.stack.pop()
        return facts

    def statement(self, node: Node, scope: Scope, condition: int) -> bool:
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

    def import_(self, node: Node, scope: Scope, condition: int) -> bool:
        line = node.start_point[0] + 1
        for child in node.named_children:
            if child.type == "dotted_name":
                path = text_of(child)
                top = path.partition(".")[0]
                self.bind(scope, top, [IMPORT, line, line, "", None, None, [top, None, path], condition])
            elif child.type == "aliased_import":
                path_node, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
                if path_node is not None and alias is not None:
                    self.bind(
                        scope,
                        text_of(alias),
                        [IMPORT, line, line, "", None, None, [text_of(path_node), None], condition],
                    )
        return False

    def import_from(self, node: Node, scope: Scope, condition: int) -> bool:
        origin = node.child_by_field_name("module_name")
        if origin is None:
            line = node.start_point[0] + 1
            for child in node.named_children:
                self.bind(scope, text_of(child), [VALUE, line, line, "", None, None, None, condition])
            return False
        text = "".join(text_of(origin).split())
        name = text.lstrip(".")
        module = self.where.absolute(len(text) - len(name), name)
        line = node.start_point[0] + 1
        for child in node.named_children[1:]:
            kind = child.type
            if kind == "dotted_name":
                imported = text_of(child)
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
                    self.bind(
                        scope, text_of(alias), [IMPORT, at, at, "", None, None, [module, text_of(source)], condition]
                    )
            elif kind == "wildcard_import":
                if scope.klass:
                    scope.body["doors"].append(["import *", line, module])
                else:
                    self.facts["stars"].append([module, line, condition])
        return False

    def delete(self, node: Node, scope: Scope, condition: int) -> bool:
        if condition != ALWAYS:
            return False
        line = node.start_point[0] + 1
        targets = node.named_children
        if len(targets) == 1 and targets[0].type in ("expression_list", "tuple"):
            targets = targets[0].named_children
        for target in targets:
            if target.type == "identifier":
                self.bind(scope, text_of(target), [DELETED, line, line, "", None, None, None, condition])
        return False

    def alias(self, node: Node, scope: Scope, condition: int) -> bool:
        """`type X = …`."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None:
            return False
        name = text_of(left).partition("[")[0].strip()
        self.bind_value(scope, name, node, value_of(right), condition)
        return False

    def if_(self, node: Node, scope: Scope, condition: int) -> bool:
        pending: list[tuple[Node, int]] = []
        rest = condition
        for clause in (node, *node.children_by_field_name("alternative")):
            test, body = clause.child_by_field_name("condition"), clause.child_by_field_name("consequence")
            if test is None:
                body = clause.child_by_field_name("body")
                taken, rest = rest, NEVER
            else:
                yes, no = branches(text_of(test), self.where.python)
                taken, rest = both(rest, yes), both(rest, no)
            if body is not None and taken != NEVER:
                pending.append((body, taken))
        for body, taken in reversed(pending):
            self.push(body, scope, taken)
        return bool(pending)

    def try_(self, node: Node, scope: Scope, condition: int) -> bool:
        inner = both(condition, SOMETIMES)
        children = [child for child in node.named_children if child.type != "comment"]
        guarded = any(child.type.startswith("except") for child in children)
        for child in reversed(children):
            self.push(child, scope, inner if guarded and child.type != "finally_clause" else condition)
        return bool(children)

    def for_(self, node: Node, scope: Scope, condition: int) -> bool:
        left = node.child_by_field_name("left")
        if left is not None:
            over = value_of(node.child_by_field_name("right"))
            for name in target_names(left):
                self.bind_value(scope, name, left, None, condition)
            if left.type == "identifier" and over is not None:
                self.loops[text_of(left)] = over
        self.push(node.child_by_field_name("alternative"), scope, condition)
        self.push(node.child_by_field_name("body"), scope, condition)
        return True

    def while_(self, node: Node, scope: Scope, condition: int) -> bool:
        return self.push(node.child_by_field_name("body"), scope, condition)

    def with_(self, node: Node, scope: Scope, condition: int) -> bool:
        for found in _AS_NAME.finditer(self.source, node.start_byte, body_start(node)):
            self.bind_value(scope, found.group(1).decode(), node, None, condition)
        return self.push(node.child_by_field_name("body"), scope, condition)

    def match_(self, node: Node, scope: Scope, condition: int) -> bool:
        inner = both(condition, SOMETIMES)
        block = node.child_by_field_name("body")
        cases = block.named_children if block is not None else []
        for case in reversed(cases):
            self.push(case.child_by_field_name("consequence"), scope, inner)
        return bool(cases)


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

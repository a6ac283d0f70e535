"""`ast` in the shape of the grammar's nodes, for Pythons where tree-sitter has no wheel: one walk reads both.

Only what the walk asks for is there. A file that this process's Python cannot parse gives nothing, which tree-sitter would.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_TOKENS = re.compile(
    rb"\"\"\"(?:\\[\s\S]|[^\\])*?\"\"\"|'''(?:\\[\s\S]|[^\\])*?'''|\"(?:\\[\s\S]|[^\"\\\n])*\"|'(?:\\[\s\S]|[^'\\\n])*'|#[^\n]*|[()\[\]{}]"
)
_OPERATORS: dict[type[ast.operator], str] = {ast.Add: "+", ast.BitOr: "|"}


class AstNode:
    """A node with the attributes of a tree-sitter node that the walk uses."""

    __slots__ = ("_fields", "end_byte", "end_point", "named_children", "source", "start_byte", "start_point", "type")

    def __init__(self, source: bytes, kind: str, span: tuple[int, int], lines: tuple[int, int]) -> None:
        self.source = source
        self.type = kind
        self.start_byte, self.end_byte = span
        self.start_point, self.end_point = (lines[0], 0), (lines[1], 0)
        self.named_children: list[AstNode] = []
        self._fields: dict[str, list[AstNode]] = {}

    @property
    def text(self) -> bytes:
        """The bytes of the node."""
        return self.source[self.start_byte : self.end_byte]

    @property
    def children(self) -> list[AstNode]:
        """All children; tokens are not among them, but for those that the walk asks for."""
        return self.named_children

    @property
    def named_child_count(self) -> int:
        """The number of children."""
        return len(self.named_children)

    def child_by_field_name(self, name: str) -> AstNode | None:
        """The first child in a role, None where there is none."""
        found = self._fields.get(name)
        return found[0] if found else None

    def children_by_field_name(self, name: str) -> list[AstNode]:
        """All children in a role."""
        return self._fields.get(name, [])

    def add(self, child: AstNode | None, *roles: str) -> AstNode:
        """Adds a child under roles; gives the node back."""
        if child is not None:
            self.named_children.append(child)
            for role in roles:
                self._fields.setdefault(role, []).append(child)
        return self


def parse(source: bytes) -> AstNode:
    """The file as a node tree.

    Raises:
        ValueError: This process's Python cannot parse it.

    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"this Python's parser: {error}") from None
    return _Maker(source).block(tree.body, "module", (0, len(source)), (0, source.count(b"\n")))


class _Maker:
    """Makes nodes of one file."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.starts = [0, *(found.end() for found in re.finditer(rb"\n", source))]

    def at(self, line: int, column: int) -> int:
        return self.starts[line - 1] + column

    def span(self, node: ast.stmt | ast.expr | ast.keyword | ast.alias | ast.arg) -> tuple[int, int]:
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno or node.lineno, node.end_col_offset or 0)

    def node(self, kind: str, of: ast.stmt | ast.expr | ast.keyword | ast.alias | ast.arg) -> AstNode:
        return AstNode(self.source, kind, self.span(of), (of.lineno - 1, (of.end_lineno or of.lineno) - 1))

    def word(self, kind: str, span: tuple[int, int]) -> AstNode:
        line = self.source.count(b"\n", 0, span[0])
        return AstNode(self.source, kind, span, (line, line + self.source.count(b"\n", *span)))

    def block(
        self,
        body: Iterable[ast.stmt],
        kind: str = "block",
        span: tuple[int, int] | None = None,
        lines: tuple[int, int] = (0, 0),
    ) -> AstNode:
        nodes = [self.statement(each) for each in body]
        if span is None:
            span = (nodes[0].start_byte, nodes[-1].end_byte) if nodes else (0, 0)
            lines = (nodes[0].start_point[0], nodes[-1].end_point[0]) if nodes else (0, 0)
        made = AstNode(self.source, kind, span, lines)
        for each in nodes:
            made.add(each)
        return made

    # statements

    def statement(self, node: ast.stmt) -> AstNode:
        made = _STATEMENTS.get(type(node))
        return made(self, node) if made is not None else self.node("other", node)

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> AstNode:
        made = self.node("function_definition", node)
        name = self.name_after(made.start_byte, rb"def\s+")
        opening = self.source.index(b"(", name.end_byte)
        header = self.word("parameters", (opening, self.closing(opening)))
        every = [*node.args.posonlyargs, *node.args.args, node.args.vararg, *node.args.kwonlyargs, node.args.kwarg]
        for argument in every:
            if argument is not None:
                start = self.at(argument.lineno, argument.col_offset)
                header.add(self.word("identifier", (start, start + len(argument.arg.encode()))))
        made.add(name, "name").add(header, "parameters")
        if node.returns is not None:
            made.add(self.expression(node.returns), "return_type")
        made.add(self.block(node.body), "body")
        if isinstance(node, ast.AsyncFunctionDef):
            made.named_children.insert(0, self.word("async", (made.start_byte, made.start_byte + 5)))
        return self.decorated(node, made)

    def class_(self, node: ast.ClassDef) -> AstNode:
        made = self.node("class_definition", node)
        name = self.name_after(made.start_byte, rb"class\s+")
        made.add(name, "name")
        if node.bases or node.keywords:
            opening = self.source.index(b"(", name.end_byte)
            listed = self.word("argument_list", (opening, self.closing(opening)))
            made.add(self.arguments(listed, node.bases, node.keywords), "superclasses")
        made.add(self.block(node.body), "body")
        return self.decorated(node, made)

    def decorated(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, inner: AstNode) -> AstNode:
        if not node.decorator_list:
            return inner
        start = self.span(node.decorator_list[0])[0]
        line = node.decorator_list[0].lineno - 1
        made = AstNode(self.source, "decorated_definition", (start, inner.end_byte), (line, inner.end_point[0]))
        for each in node.decorator_list:
            made.add(self.node("decorator", each).add(self.expression(each)))
        return made.add(inner, "definition")

    def name_after(self, start: int, keyword: bytes) -> AstNode:
        found = re.compile(rb"(?:async\s+)?" + keyword + rb"([^\W\d][^\s(:\[]*)").match(self.source, start)
        span = found.span(1) if found is not None else (start, start)
        return self.word("identifier", span)

    def closing(self, opening: int) -> int:
        """The byte after the bracket that closes the one at `opening`."""
        depth = 0
        for found in _TOKENS.finditer(self.source, opening):
            token = found.group()
            depth += token in b"([{" if len(token) == 1 else 0
            depth -= token in b")]}" if len(token) == 1 else 0
            if depth == 0 and len(token) == 1:
                return found.end()
        return len(self.source)

    def import_(self, node: ast.Import) -> AstNode:
        made = self.node("import_statement", node)
        for alias in node.names:
            made.add(self.alias(alias))
        return made

    def alias(self, alias: ast.alias) -> AstNode:
        start, end = self.span(alias)
        if alias.name == "*":
            return self.word("wildcard_import", (start, end))
        name = self.word("dotted_name", (start, start + len(alias.name.encode())))
        if alias.asname is None:
            return name
        made = self.node("aliased_import", alias)
        return made.add(name, "name").add(self.word("identifier", (end - len(alias.asname.encode()), end)), "alias")

    def import_from(self, node: ast.ImportFrom) -> AstNode:
        kind = "future_import_statement" if node.module == "__future__" else "import_from_statement"
        made = self.node(kind, node)
        if kind == "import_from_statement":
            found = re.compile(rb"from\s*([.\s\\]*[^\s]*)\s+import").match(self.source, made.start_byte)
            span = found.span(1) if found is not None else (made.start_byte, made.start_byte)
            made.add(self.word("relative_import" if node.level else "dotted_name", span), "module_name")
        for alias in node.names:
            made.add(self.alias(alias))
        return made

    def if_(self, node: ast.If) -> AstNode:
        made = self.node("if_statement", node)
        made.add(self.expression(node.test), "condition").add(self.block(node.body), "consequence")
        rest = node.orelse
        while len(rest) == 1 and isinstance(rest[0], ast.If) and self.source.startswith(b"elif", self.span(rest[0])[0]):
            clause = self.node("elif_clause", rest[0])
            clause.add(self.expression(rest[0].test), "condition").add(self.block(rest[0].body), "consequence")
            made.add(clause, "alternative")
            rest = rest[0].orelse
        if rest:
            body = self.block(rest)
            clause = AstNode(
                self.source, "else_clause", (body.start_byte, body.end_byte), (body.start_point[0], body.end_point[0])
            )
            made.add(clause.add(body, "body"), "alternative")
        return made

    def try_(self, node: ast.Try) -> AstNode:
        made = self.node("try_statement", node).add(self.block(node.body), "body")
        for handler in node.handlers:
            made.add(self.clause("except_clause", handler.body))
        for kind, body in (("else_clause", node.orelse), ("finally_clause", node.finalbody)):
            if body:
                made.add(self.clause(kind, body))
        return made

    def clause(self, kind: str, body: list[ast.stmt]) -> AstNode:
        inner = self.block(body)
        made = AstNode(
            self.source, kind, (inner.start_byte, inner.end_byte), (inner.start_point[0], inner.end_point[0])
        )
        return made.add(inner)

    def loop(self, node: ast.For | ast.AsyncFor) -> AstNode:
        made = self.node("for_statement", node)
        made.add(self.target(node.target), "left").add(self.expression(node.iter), "right")
        made.add(self.block(node.body), "body")
        return made.add(self.clause("else_clause", node.orelse), "alternative") if node.orelse else made

    def while_(self, node: ast.While) -> AstNode:
        return self.node("while_statement", node).add(self.block(node.body), "body")

    def with_(self, node: ast.With | ast.AsyncWith) -> AstNode:
        return self.node("with_statement", node).add(self.block(node.body), "body")

    def match_(self, node: ast.Match) -> AstNode:
        made = self.node("match_statement", node)
        body = self.node("block", node)
        for case in node.cases:
            inner = self.block(case.body)
            clause = AstNode(
                self.source,
                "case_clause",
                (inner.start_byte, inner.end_byte),
                (inner.start_point[0], inner.end_point[0]),
            )
            body.add(clause.add(inner, "consequence"))
        return made.add(body, "body")

    def delete(self, node: ast.Delete) -> AstNode:
        made = self.node("delete_statement", node)
        for target in node.targets:
            made.add(self.expression(target))
        return made

    def wrapped(self, node: ast.Expr | ast.Assign | ast.AnnAssign | ast.AugAssign) -> AstNode:
        inner = self.assignment(node) if not isinstance(node, ast.Expr) else self.expression(node.value)
        return self.node("expression_statement", node).add(inner)

    def assignment(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> AstNode:
        if isinstance(node, ast.AugAssign):
            made = self.node("augmented_assignment", node)
            return made.add(self.expression(node.target), "left").add(self.expression(node.value), "right")
        if isinstance(node, ast.AnnAssign):
            made = self.node("assignment", node).add(self.target(node.target), "left")
            made.add(self.expression(node.annotation), "type")
            return made.add(self.expression(node.value), "right") if node.value is not None else made
        right = self.expression(node.value)
        end = right.end_byte
        for target in reversed(node.targets):
            left = self.target(target)
            made = AstNode(self.source, "assignment", (left.start_byte, end), (left.start_point[0], right.end_point[0]))
            right = made.add(left, "left").add(right, "right")
        return right

    def target(self, node: ast.expr) -> AstNode:
        if isinstance(node, (ast.Tuple, ast.List)):
            made = self.node("pattern_list", node)
            for each in node.elts:
                made.add(self.target(each))
            return made
        if isinstance(node, ast.Starred):
            return self.node("list_splat_pattern", node).add(self.target(node.value))
        return self.expression(node)

    def type_alias(self, node: ast.stmt) -> AstNode:
        name, value = getattr(node, "name", None), getattr(node, "value", None)
        made = self.node("type_alias_statement", node)
        if isinstance(name, ast.expr) and isinstance(value, ast.expr):
            made.add(self.expression(name), "left").add(self.expression(value), "right")
        return made

    # expressions

    def expression(self, node: ast.expr) -> AstNode:
        made = _EXPRESSIONS.get(type(node))
        return made(self, node) if made is not None else self.node("other", node)

    def call(self, node: ast.Call) -> AstNode:
        made = self.node("call", node).add(self.expression(node.func), "function")
        listed = self.word("argument_list", (self.span(node.func)[1], made.end_byte))
        return made.add(self.arguments(listed, node.args, node.keywords), "arguments")

    def arguments(self, listed: AstNode, values: list[ast.expr], keywords: list[ast.keyword]) -> AstNode:
        every: list[ast.expr | ast.keyword] = sorted(
            [*values, *keywords], key=lambda each: (each.lineno, each.col_offset)
        )
        for each in every:
            if isinstance(each, ast.expr):
                listed.add(self.expression(each))
            elif each.arg is None:
                listed.add(self.node("dictionary_splat", each).add(self.expression(each.value)))
            else:
                start = self.span(each)[0]
                name = self.word("identifier", (start, start + len(each.arg.encode())))
                listed.add(
                    self.node("keyword_argument", each).add(name, "name").add(self.expression(each.value), "value")
                )
        return listed

    def constant(self, node: ast.Constant) -> AstNode:
        if isinstance(node.value, (str, bytes)):
            made = self.node("string", node)
            text = made.text.lstrip(b"rRuUbBfF")
            if len(re.findall(_TOKENS, made.text)) > 1:
                return self.concatenated(made, node)
            quotes = 3 if text[:3] in (b'"""', b"'''") else 1
            span = (made.end_byte - len(text) + quotes, made.end_byte - quotes)
            return made.add(self.word("string_content", span)) if span[1] > span[0] else made
        if node.value is None or isinstance(node.value, bool) or node.value is ...:
            return self.node(_SINGLETONS[str(node.value)], node)
        return self.node({int: "integer", float: "float"}.get(type(node.value), "other"), node)

    def concatenated(self, made: AstNode, node: ast.Constant) -> AstNode:
        whole = self.node("concatenated_string", node)
        for found in _TOKENS.finditer(self.source, made.start_byte, made.end_byte):
            token = found.group()
            if token[:1] in (b'"', b"'"):
                quotes = 3 if token[:3] in (b'"""', b"'''") else 1
                content = self.word("string_content", (found.start() + quotes, found.end() - quotes))
                whole.add(self.word("string", found.span()).add(content))
        return whole

    def table(self, node: ast.Dict) -> AstNode:
        made = self.node("dictionary", node)
        for key, value in zip(node.keys, node.values, strict=True):
            inner = self.expression(value)
            if key is None:
                made.add(self.node("dictionary_splat", value).add(inner))
            else:
                made.add(self.node("pair", key).add(self.expression(key), "key").add(inner, "value"))
        return made

    def subscript(self, node: ast.Subscript) -> AstNode:
        made = self.node("subscript", node).add(self.expression(node.value), "value")
        inner = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
        return made.add(self.expression(inner), "subscript")

    def binary(self, node: ast.BinOp) -> AstNode:
        made = self.node("binary_operator", node)
        sign = AstNode(
            self.source, _OPERATORS.get(type(node.op), "other"), (made.start_byte, made.start_byte), made_lines(made)
        )
        made.add(self.expression(node.left), "left").add(self.expression(node.right), "right")
        made._fields["operator"] = [sign]
        return made

    def attribute(self, node: ast.Attribute) -> AstNode:
        return self.node("attribute", node)

    def lambda_(self, node: ast.Lambda) -> AstNode:
        made = self.node("lambda", node)
        found = re.compile(rb"lambda\s*").match(self.source, made.start_byte)
        start = found.end() if found is not None else made.start_byte
        end = self.source.rfind(b":", start, self.span(node.body)[0])
        return made.add(self.word("lambda_parameters", (start, end)), "parameters") if end > start else made

    def choice(self, node: ast.IfExp) -> AstNode:
        made = self.node("conditional_expression", node)
        return made.add(self.expression(node.body)).add(self.expression(node.test)).add(self.expression(node.orelse))

    def named(self, node: ast.NamedExpr) -> AstNode:
        made = self.node("named_expression", node)
        return made.add(self.expression(node.target), "name").add(self.expression(node.value), "value")

    def starred(self, node: ast.Starred) -> AstNode:
        return self.node("list_splat", node).add(self.expression(node.value))

    def name(self, node: ast.Name) -> AstNode:
        return self.node("identifier", node)


def made_lines(node: AstNode) -> tuple[int, int]:
    """The first and last line of a node, from 0."""
    return node.start_point[0], node.end_point[0]


_SINGLETONS = {"None": "none", "True": "true", "False": "false", "Ellipsis": "ellipsis"}


def _list_of(kind: str) -> Callable[[_Maker, ast.List | ast.Tuple | ast.Set], AstNode]:
    def make(maker: _Maker, node: ast.List | ast.Tuple | ast.Set) -> AstNode:
        made = maker.node(kind, node)
        for each in node.elts:
            made.add(maker.expression(each))
        return made

    return make


_STATEMENTS: dict[type, Callable[..., AstNode]] = {
    ast.FunctionDef: _Maker.function,
    ast.AsyncFunctionDef: _Maker.function,
    ast.ClassDef: _Maker.class_,
    ast.Import: _Maker.import_,
    ast.ImportFrom: _Maker.import_from,
    ast.If: _Maker.if_,
    ast.Try: _Maker.try_,
    ast.TryStar: _Maker.try_,
    ast.For: _Maker.loop,
    ast.AsyncFor: _Maker.loop,
    ast.While: _Maker.while_,
    ast.With: _Maker.with_,
    ast.AsyncWith: _Maker.with_,
    ast.Match: _Maker.match_,
    ast.Delete: _Maker.delete,
    ast.Expr: _Maker.wrapped,
    ast.Assign: _Maker.wrapped,
    ast.AnnAssign: _Maker.wrapped,
    ast.AugAssign: _Maker.wrapped,
}
if hasattr(ast, "TypeAlias"):
    _STATEMENTS[ast.TypeAlias] = _Maker.type_alias
_EXPRESSIONS: dict[type, Callable[..., AstNode]] = {
    ast.Name: _Maker.name,
    ast.Attribute: _Maker.attribute,
    ast.Call: _Maker.call,
    ast.Constant: _Maker.constant,
    ast.List: _list_of("list"),
    ast.Tuple: _list_of("tuple"),
    ast.Set: _list_of("set"),
    ast.Dict: _Maker.table,
    ast.Subscript: _Maker.subscript,
    ast.BinOp: _Maker.binary,
    ast.Lambda: _Maker.lambda_,
    ast.IfExp: _Maker.choice,
    ast.NamedExpr: _Maker.named,
    ast.Starred: _Maker.starred,
}

"""Expressions made compact: as much of a right-hand side, base or decorator as can lead to names."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from .python_facts import CALL, CHOICE, ITEMS, KEYWORD, LAMBDA, LITERAL, SUBSCRIPT, SUM, TABLE, TEXT, UNION, Value

if TYPE_CHECKING:
    from tree_sitter import Node

_DEPTH = 6
_ITEMS_LIMIT = 20_000
_ARGUMENTS_LIMIT = 64
_TEXT_LIMIT = 4_000
_LITERALS = frozenset(("integer", "float", "none", "true", "false", "ellipsis"))
_OPERATORS = {"+": SUM, "|": UNION}
_LISTS = frozenset(("list", "tuple", "set", "expression_list", "pattern_list", "tuple_pattern", "list_pattern"))


def value_of(node: Node | None, depth: int = 0) -> Value:
    """The value that an expression node stands for; None where its form leads to no name."""
    if node is None or depth > _DEPTH:
        return None
    kind = node.type
    if kind in ("identifier", "dotted_name"):
        return _text(node)
    if kind == "attribute":
        return _attribute(node)
    reader = _READERS.get(kind)
    if reader is not None:
        return reader(node, depth)
    if kind in _LISTS:
        return _items(node, depth)
    if kind in _LITERALS:
        return [LITERAL, _text(node)[:60]]
    return None


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _attribute(node: Node) -> Value:
    """`a.b.c` as text where all of it is names; else None, for what is behind a call is not known."""
    text = _text(node)
    if "(" in text or "[" in text or "\n" in text or " " in text or '"' in text:
        return None
    return text


def _call(node: Node, depth: int) -> Value:
    function = value_of(node.child_by_field_name("function"), depth + 1)
    arguments = node.child_by_field_name("arguments")
    given: list[Value] = [CALL, function]
    if arguments is not None and arguments.type == "argument_list":
        for argument in arguments.named_children[:_ARGUMENTS_LIMIT]:
            if argument.type == "keyword_argument":
                name = argument.child_by_field_name("name")
                value = value_of(argument.child_by_field_name("value"), depth + 1)
                given.append([KEYWORD, _text(name) if name else "", value])
            elif argument.type != "comment":
                given.append(value_of(argument, depth + 1))
    return given


def _string(node: Node, _depth: int) -> Value:
    text = plain_string(node)
    return None if text is None else [TEXT, text]


def plain_string(node: Node) -> str | None:
    """The text of a string without interpolation, as written between its quotes; None for others and overlong ones."""
    if node.end_byte - node.start_byte > _TEXT_LIMIT:
        return None
    parts = []
    for child in node.children:
        if child.type == "string_content":
            parts.append(_text(child))
        elif child.type == "interpolation":
            return None
    return "".join(parts)


def _concatenated(node: Node, _depth: int) -> Value:
    parts = [plain_string(child) for child in node.named_children if child.type == "string"]
    return None if any(part is None for part in parts) else [TEXT, "".join(part for part in parts if part)]


def _items(node: Node, depth: int) -> Value:
    if node.named_child_count > _ITEMS_LIMIT:
        return None
    return [ITEMS, *(value_of(child, depth + 1) for child in node.named_children if child.type != "comment")]


def _table(node: Node, depth: int) -> Value:
    if node.named_child_count > _ITEMS_LIMIT:
        return None
    pairs: list[Value] = [TABLE]
    for child in node.named_children:
        if child.type == "pair":
            key = value_of(child.child_by_field_name("key"), depth + 1)
            pairs.append([key, value_of(child.child_by_field_name("value"), depth + 1)])
        elif child.type == "dictionary_splat":
            pairs.append([None, value_of(child.named_children[0] if child.named_children else None, depth + 1)])
    return pairs


def _subscript(node: Node, depth: int) -> Value:
    subscript = node.child_by_field_name("subscript")
    return [SUBSCRIPT, value_of(node.child_by_field_name("value"), depth + 1), value_of(subscript, depth + 1)]


def _binary(node: Node, depth: int) -> Value:
    """`a + b + c` or `A | B` as one flat list; the chain leans to the left and may be long."""
    operator = node.child_by_field_name("operator")
    sign = operator.type if operator else ""
    form = _OPERATORS.get(sign)
    if form is None:
        return None
    operands: list[Value] = []
    at: Node | None = node
    while at is not None and at.type == "binary_operator" and len(operands) < _ARGUMENTS_LIMIT:
        operator = at.child_by_field_name("operator")
        if operator is None or operator.type != sign:
            break
        operands.append(value_of(at.child_by_field_name("right"), depth + 1))
        at = at.child_by_field_name("left")
    return [form, value_of(at, depth + 1), *reversed(operands)]


def _lambda(node: Node, _depth: int) -> Value:
    parameters = node.child_by_field_name("parameters")
    return [LAMBDA, _text(parameters) if parameters is not None else ""]


def _choice(node: Node, depth: int) -> Value:
    children = node.named_children
    if len(children) != 3:
        return None
    return [CHOICE, value_of(children[0], depth + 1), value_of(children[2], depth + 1)]


def _inner(node: Node, depth: int) -> Value:
    children = [child for child in node.named_children if child.type != "comment"]
    return value_of(children[0], depth + 1) if len(children) == 1 else None


def _named(node: Node, depth: int) -> Value:
    return value_of(node.child_by_field_name("value"), depth + 1)


def _assignment(node: Node, depth: int) -> Value:
    """`a = b = value`: the value at the end of the chain."""
    return value_of(node.child_by_field_name("right"), depth + 1)


def _starred(node: Node, depth: int) -> Value:
    children = node.named_children
    return ["*", value_of(children[0], depth + 1)] if children else None


def _generic(node: Node, depth: int) -> Value:
    """`A[B]` as the grammar has it in a type: what is subscripted."""
    children = node.named_children
    if not children:
        return None
    inner = children[1].named_children if len(children) > 1 else []
    return [SUBSCRIPT, value_of(children[0], depth + 1), value_of(inner[0], depth + 1) if len(inner) == 1 else None]


_READERS = {
    "call": _call,
    "string": _string,
    "concatenated_string": _concatenated,
    "dictionary": _table,
    "subscript": _subscript,
    "binary_operator": _binary,
    "lambda": _lambda,
    "conditional_expression": _choice,
    "parenthesized_expression": _inner,
    "type": _inner,
    "generic_type": _generic,
    "named_expression": _named,
    "assignment": _assignment,
    "list_splat": _starred,
}

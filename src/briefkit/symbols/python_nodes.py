"""Questions asked of the grammar's nodes: their text, a body's docstring, the names that a target binds."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_BEFORE_DOCSTRING = 60  # comments that may stand before it


def body_start(node: Node) -> int:
    """Where the body of a statement begins."""
    body = node.child_by_field_name("body")
    return body.start_byte if body is not None else node.start_byte


def text_of(node: Node) -> str:
    """The text of a node."""
    return node.text.decode("utf-8", "replace") if node.text is not None else ""


def docstring(body: Node) -> str | None:
    """The documentation string that a body begins with."""
    for child in body.named_children[:_BEFORE_DOCSTRING]:
        kind = child.type
        if kind == "comment":
            continue
        if kind != "expression_statement":
            return None
        string = next(iter(child.named_children), None)
        if string is None or string.type not in ("string", "concatenated_string"):
            return None
        text = text_of(string).lstrip("rRuUbBfF")
        quotes = 3 if text.startswith(('"""', "'''")) else 1
        return text[quotes:-quotes]
    return None


def every_parameter(parameters: Node | None) -> list[str]:
    """All parameters but the first, those behind stars included."""
    names: list[str] = []
    for child in parameters.named_children if parameters is not None else ():
        at: Node | None = child
        while at is not None and at.type != "identifier":
            inner = at.child_by_field_name("name")
            at = inner if inner is not None else next(iter(at.named_children), None)
        if at is not None:
            names.append(text_of(at))
    return names[1:]


def target_names(node: Node) -> list[str]:
    """The names that an assignment's target binds, nested patterns included."""
    names: list[str] = []
    pending = [node]
    while pending:
        at = pending.pop()
        if at.type == "identifier":
            names.append(text_of(at))
        elif at.type.endswith(("pattern", "pattern_list", "splat")):
            pending.extend(reversed(at.named_children))
    return names

"""Functions of the repo and what each of them calls, by syntax alone."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from .import_names import exported_names, module_word
from .repo_files import PYTHON_ENDINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node, Parser

    from .repo_files import RepoFile

_NODES_LIMIT = 400_000
_FUNCTIONS = frozenset(
    (
        "function_definition",
        "function_declaration",
        "generator_function_declaration",
        "method_definition",
        "arrow_function",
        "function_expression",
        "generator_function",
    )
)
_CLASSES = frozenset(("class_definition", "class_declaration", "class", "abstract_class_declaration"))
_CALLS = frozenset(("call", "call_expression", "new_expression"))
# What stands round a callee and changes nothing of what is called; `await f<T>(x)` is parsed as a call of `await f`.
_ROUND = frozenset(
    (
        "await_expression",
        "non_null_expression",
        "parenthesized_expression",
        "as_expression",
        "satisfies_expression",
        "instantiation_expression",
    )
)


class Function(NamedTuple):
    """One function of the repo: its name as a caller writes it (`insertBatch`, `Store.save`), file, lines, header and exposure.

    `public` is whether another file can reach it: exported, or by Python's custom without a leading underscore and at module or
    class level. A default export without a name of its own has that of its module.
    """

    name: str
    file: str
    line: int
    end_line: int
    header: str
    public: bool


class Call(NamedTuple):
    """One call: the callee as written (`model.bulkCreate`), its file and line, and the function it stands in (None: the module)."""

    callee: str
    file: str
    line: int
    inside: Function | None

    @property
    def last(self) -> str:
        """The last name of the callee: what is called, whatever it is called on."""
        return self.callee.rpartition(".")[2]


class FileCode(NamedTuple):
    """The functions and calls of one file."""

    functions: tuple[Function, ...]
    calls: tuple[Call, ...]


def read_code(file: RepoFile) -> FileCode:
    """The functions and calls of one file; a tree with errors is read as far as it goes."""
    parser = _parser_for(file.path)
    if parser is None:
        return FileCode((), ())
    root = parser.parse(file.data).root_node
    functions: list[Function] = []
    calls: list[Call] = []
    given = frozenset() if file.path.endswith(PYTHON_ENDINGS) else exported_names(file.data)
    for node, scope in _walk(root, file, functions, given):
        if node.type in _CALLS and (callee := _callee_of(node, file.data)):
            calls.append(Call(callee, file.path, node.start_point[0] + 1, scope))
    return FileCode(tuple(functions), tuple(calls))


@cache
def _parser(language: str) -> Parser:
    from tree_sitter import Language, Parser

    if language == "python":
        import tree_sitter_python

        return Parser(Language(tree_sitter_python.language()))
    if language == "javascript":
        import tree_sitter_javascript

        return Parser(Language(tree_sitter_javascript.language()))
    import tree_sitter_typescript

    grammar = tree_sitter_typescript.language_tsx if language == "tsx" else tree_sitter_typescript.language_typescript
    return Parser(Language(grammar()))


def _parser_for(path: str) -> Parser | None:
    """The parser of the file's language, None where this Python has no grammar for it."""
    lower = path.lower()
    if lower.endswith(PYTHON_ENDINGS):
        language = "python"
    elif lower.endswith((".tsx", ".jsx")):
        language = "tsx" if lower.endswith(".tsx") else "javascript"
    else:
        language = "typescript" if lower.endswith(("ts",)) else "javascript"
    try:
        return _parser(language)
    except ImportError:
        return None


def _walk(
    root: Node, file: RepoFile, functions: list[Function], given: frozenset[str]
) -> Iterator[tuple[Node, Function | None]]:
    """Every node with the named function it stands in; iterative, so that no nesting is too deep."""
    stack: list[tuple[Node, Function | None, str]] = [(root, None, "")]
    seen = 0
    while stack and seen < _NODES_LIMIT:
        node, scope, owner = stack.pop()
        seen += 1
        if node.type in _CLASSES:
            name = _name_of(node, file.data)
            owner = f"{owner}.{name}" if owner and name else name or owner
        elif node.type in _FUNCTIONS and scope is None:
            # A function inside another is reached through it alone: its calls are the outer one's.
            found = _function_of(node, file, owner, given)
            if found is not None:
                functions.append(found)
                scope = found
        yield node, scope
        stack.extend((child, scope, owner) for child in reversed(node.named_children))


def _function_of(node: Node, file: RepoFile, owner: str, given: frozenset[str]) -> Function | None:
    """The function a node defines, None for an anonymous one: its calls belong to the function round it."""
    name, holder = _name_of(node, file.data), node
    if not name:
        holder = node.parent or node
        if holder.type not in (
            "variable_declarator",
            "pair",
            "assignment_expression",
            "public_field_definition",
            "field_definition",
            "export_statement",
        ):
            return None
        name = module_word(file.path) if _is_whole_export(holder, file.data) else _name_of(holder, file.data)
        if not name:
            return None
    body = node.child_by_field_name("body")
    end = body.start_byte if body is not None else node.end_byte
    full = f"{owner}.{name}" if owner else name
    public = (
        not name.startswith("_")
        if file.path.endswith(PYTHON_ENDINGS)
        else _is_exported(holder) or (not owner and name in given)
    )
    return Function(
        name=full,
        file=file.path,
        line=holder.start_point[0] + 1,
        end_line=node.end_point[0] + 1,
        header=_text(file.data[holder.start_byte : end]).removesuffix("=>").rstrip(" :{="),
        public=public,
    )


def _is_whole_export(holder: Node, data: bytes) -> bool:
    """Whether a function without a name is what its module exports: `export default () => …`, `module.exports = function …`."""
    left = holder.child_by_field_name("left")
    if left is not None:
        return data[left.start_byte : left.end_byte] in (b"module.exports", b"exports.default")
    return holder.type == "export_statement"


def _is_exported(node: Node) -> bool:
    """Whether a declaration stands in an export, is a method, or is assigned to a property (`exports.x = …`)."""
    if node.type in (
        "method_definition",
        "assignment_expression",
        "public_field_definition",
        "field_definition",
        "pair",
        "export_statement",
    ):
        return True
    current: Node | None = node
    for _ in range(4):
        current = current.parent if current is not None else None
        if current is None:
            return False
        if current.type == "export_statement":
            return True
    return False


def _name_of(node: Node, data: bytes) -> str:
    for field in ("name", "key", "left", "property"):
        child = node.child_by_field_name(field)
        if child is not None:
            return _text(data[child.start_byte : child.end_byte]).rpartition(".")[2].strip("'\"#")
    return ""


def _callee_of(node: Node, data: bytes) -> str:
    """What is called, as a path of names; empty where it is no path."""
    target = node.child_by_field_name("function") or node.child_by_field_name("constructor")
    names: list[str] = []
    while target is not None and len(names) < 12:
        if target.type in ("identifier", "this", "super"):
            names.append(_text(data[target.start_byte : target.end_byte]))
            return ".".join(reversed(names))
        if target.type in _ROUND:
            target = target.named_child(0)
            continue
        part = target.child_by_field_name("property") or target.child_by_field_name("attribute")
        if part is None:
            # A call on the result of something else: only the last names are known.
            return ".".join(reversed(names))
        names.append(_text(data[part.start_byte : part.end_byte]))
        target = target.child_by_field_name("object")
    return ".".join(reversed(names))


def _text(data: bytes) -> str:
    return " ".join(data.decode("utf-8", "replace").split())

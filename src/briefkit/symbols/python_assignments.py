"""Assignments and calls in module and class bodies: what they bind, what they set elsewhere, and the doors they open."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from .python_facts import ALWAYS, CALL, DECLARED, EXTRA, ITEMS, KEYWORD, KIND, SUBSCRIPT, TABLE, TEXT, VALUE, Value
from .python_nodes import target_names, text_of
from .python_scopes import Recorder, Scope
from .python_values import value_of

if TYPE_CHECKING:
    from tree_sitter import Node

_NAMESPACES = ("globals()", "vars()", "locals()")


_HANDED = ([CALL, "globals"], [CALL, "vars"], [CALL, "locals"])
_THIS_MODULE = [SUBSCRIPT, "sys.modules", "__name__"]


class Assignments(Recorder):
    """Reads expression statements."""

    def expression(self, statement: Node, scope: Scope, condition: int) -> None:
        """Reads an expression that stands as a statement."""
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
                    self.bind_value(scope, text_of(name), node, value_of(node.child_by_field_name("value")), condition)

    def assignment(self, node: Node, scope: Scope, condition: int) -> None:
        """Reads `targets = value`, chains and annotations included."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None:
            return
        value = value_of(right)
        if not scope.klass:
            self.handed(value, node.start_point[0] + 1, scope)
        if left.type == "identifier":
            self.named_value(text_of(left), node, scope, (value, condition), declared=right is None)
        elif left.type in ("pattern_list", "tuple_pattern", "list_pattern"):
            self.unpacked(left, node, scope, value, condition)
        elif left.type == "attribute":
            self.attribute_set(text_of(left), value, node)
        elif left.type == "subscript":
            self.item_set(left, node, scope, value, condition)
        while right is not None and right.type == "assignment":  # a = b = value
            self.assignment_target(right, scope, value, condition)
            right = right.child_by_field_name("right")

    def assignment_target(self, node: Node, scope: Scope, value: Value, condition: int) -> None:
        """Binds one target inside a chain."""
        left = node.child_by_field_name("left")
        if left is None:
            return
        if left.type == "identifier":
            self.named_value(text_of(left), node, scope, (value, condition), declared=False)
        elif left.type == "attribute":
            self.attribute_set(text_of(left), value, node)

    def named_value(self, name: str, node: Node, scope: Scope, given: tuple[Value, int], *, declared: bool) -> None:
        """Binds a name to a value; `__all__` is kept apart as well."""
        value, condition = given
        if name == "__all__" and not scope.klass:
            self.facts["all"] = [["=", value]] if condition == ALWAYS else [*(self.facts["all"] or []), ["+", value]]
        kind = DECLARED if declared and not self.where.stub else VALUE
        self.bind_value(scope, name, node, value, condition, kind)
        annotation = node.child_by_field_name("type")
        if annotation is not None:
            scope.bindings[name][-1].append(value_of(annotation))

    def unpacked(self, left: Node, node: Node, scope: Scope, value: Value, condition: int) -> None:
        """Binds the names of `a, b = …`, each to its own part where both sides are written out."""
        names = target_names(left)
        pairwise = isinstance(value, list) and value and value[0] == ITEMS and len(value) == len(names) + 1
        for at, name in enumerate(names):
            part = value[at + 1] if pairwise else ["@", at, value]
            self.named_value(name, node, scope, (part, condition), declared=False)

    def attribute_set(self, path: str, value: Value, node: Node) -> None:
        """Notes `Owner.name = value`, to be resolved when the owner is asked for."""
        owner, _, name = path.rpartition(".")
        line = node.start_point[0] + 1
        if owner.startswith("sys.modules"):
            self.facts["doors"].append(["sys.modules", line, path])
        elif name.isidentifier():
            self.facts["sets"].append([self.loop_owners(owner), name, line, value])

    def loop_owners(self, owner: str) -> Value:
        """What an owner's name stands for: itself, or inside a loop the items it runs over."""
        return self.loops.get(owner, owner)

    def item_set(self, left: Node, node: Node, scope: Scope, value: Value, condition: int) -> None:
        """Reads `globals()["name"] = value`: a name that is written out is bound, another is a door."""
        text = text_of(left)
        line = node.start_point[0] + 1
        key = value_of(left.child_by_field_name("subscript"))
        if text.startswith(_NAMESPACES) or _is_namespace(text.partition("[")[0].rstrip(), scope):
            if isinstance(key, list) and key[0] == TEXT and key[1].isidentifier():
                self.bind_value(scope, key[1], node, value, condition)
            elif not self.bind_loop(key, node, scope, condition):
                scope.body["doors"].append([text.partition("[")[0], line, ""])
        elif "".join(text.split()) == "sys.modules[__name__]":
            self.facts["doors"].append(["sys.modules", line, ""])

    def bind_loop(self, key: Value, node: Node, scope: Scope, condition: int) -> bool:
        """Binds the names that a loop runs over, where they are written out; whether they were."""
        names = self.looped_texts(key, scope) if isinstance(key, str) else None
        for name in names or ():
            self.bind_value(scope, name, node, None, condition)
        return bool(names)

    def looped_texts(self, variable: str, scope: Scope) -> list[str] | None:
        """The strings that a loop's variable runs over, in a list that is written out there or under a name; None where they are not."""
        over = self.loops.get(variable)
        return _texts(_value_named(over, scope) if isinstance(over, str) else over)

    def augmented(self, node: Node, scope: Scope) -> None:
        """Reads `__all__ += …`; no other augmented assignment binds."""
        left = node.child_by_field_name("left")
        if left is not None and text_of(left) == "__all__" and not scope.klass:
            self.more_all(value_of(node.child_by_field_name("right")))

    def more_all(self, value: Value) -> None:
        """Notes that `__all__` grows by a value."""
        self.facts["all"] = [*(self.facts["all"] or []), ["+", value]]

    def call(self, node: Node, scope: Scope, condition: int) -> None:
        """Reads a call: what it does to the namespace, to `__all__`, or to what it is given."""
        function = node.child_by_field_name("function")
        if function is None:
            return
        name = text_of(function)
        line = node.start_point[0] + 1
        if name == "setattr":
            self.setattr_(value_of(node), scope, node, condition)
        elif name == "exec" or name.startswith(_NAMESPACES) or _is_namespace(name.removesuffix(".update"), scope):
            keys = _keys_given(value_of(node)) if name.endswith(".update") else None
            if keys is None:
                scope.body["doors"].append([name, line, ""])
            for key in keys or ():
                self.bind_value(scope, key, node, None, condition)
        elif name.startswith("__all__."):
            self.all_call(name, value_of(node))
        elif not scope.klass:
            value = value_of(node)
            self.handed(value, line, scope)
            if any(isinstance(argument, (str, list)) for argument in value[2:]):
                self.facts["calls"].append([value, line])

    def handed(self, value: Value, line: int, scope: Scope) -> None:
        """Notes a call that is given the module to fill: its namespace, or its name with a table of what is to be in it."""
        if not isinstance(value, list) or value[:1] != [CALL]:
            return
        arguments = value[2:]
        by_name = arguments[:1] == ["__name__"] and _is_function(value[1]) and any(map(_is_table, arguments))
        given = (
            part[:2] in _HANDED if isinstance(part, list) else _is_namespace(str(part), scope) for part in arguments
        )
        if by_name or any(given):
            self.facts["handed"].append([value, line])

    def all_call(self, name: str, value: Value) -> None:
        """Reads `__all__.extend(…)` and its like."""
        given = value[2] if len(value) > 2 else None
        if name == "__all__.extend":
            self.more_all(given)
        elif name == "__all__.append":
            self.more_all([ITEMS, given])
        elif name == "__all__.remove":
            self.facts["all"] = [*(self.facts["all"] or []), ["-", [ITEMS, given]]]

    def setattr_(self, call: Value, scope: Scope, node: Node, condition: int) -> None:
        """Reads a `setattr` in a body: a name that is written out is set, another is a door."""
        line = node.start_point[0] + 1
        arguments = call[2:]
        if len(arguments) < 2:
            return
        owner, name = arguments[0], arguments[1]
        names = (
            [name[1]]
            if isinstance(name, list) and name[0] == TEXT
            else self.looped_texts(name, scope)
            if isinstance(name, str)
            else None
        )
        if isinstance(owner, str):
            owner = _THIS_MODULE if _value_named(owner, scope) == _THIS_MODULE else self.loop_owners(owner)
        if names is None:
            self.facts["doors"].append(["setattr", line, owner])
            return
        for each in names:
            if isinstance(owner, list) and owner[0] in (CALL, "["):
                self.bind_value(scope, each, node, None, condition)  # sys.modules[__name__], and what stands for it
            else:
                self.facts["sets"].append([owner, each, line, arguments[2] if len(arguments) > 2 else None])


def _value_named(name: str, scope: Scope) -> Value:
    """The value that a name of the body was last given so far, None where it has none."""
    bound = scope.bindings.get(name)
    return bound[-1][EXTRA] if bound and bound[-1][KIND] == VALUE else None


def _is_namespace(name: str, scope: Scope) -> bool:
    """Whether a name stands for the namespace of the module: `names = globals()`."""
    value = _value_named(name, scope)
    return isinstance(value, list) and value in _HANDED


def _is_function(path: Value) -> bool:
    """Whether a called name is spelled like a function that may know about modules, not like a class or Python's own `type`."""
    last = path.rpartition(".")[2] if isinstance(path, str) else ""
    return last.islower() and last != "type"


def _is_table(argument: Value) -> bool:
    """Whether an argument is a table with something in it."""
    if isinstance(argument, list) and argument[:1] == [KEYWORD]:
        argument = argument[2]
    return isinstance(argument, list) and argument[:1] == [TABLE] and len(argument) > 1


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

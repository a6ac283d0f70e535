"""The ground that evaluating stands on: built-in prototypes, scopes, property access, calls, and the budget that ends it."""

from __future__ import annotations

import sys
from contextlib import contextmanager

from briefkit.records import TYPE_CHECKING

from .javascript_values import (
    UNDEFINED,
    Lazy,
    Obj,
    Prop,
    Site,
    Sym,
    Union,
    Unknown,
    Value,
    is_nullish,
    join,
    key_of,
    number_text,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .javascript_values import Native

STEPS_PER_STATEMENT = 400_000
STEPS_IN_ALL = 6_000_000
CALL_DEPTH = 90
_RECURSION = 12_000
_INDEX_DIGITS = 10


class ThrownError(Exception):
    """A `throw` that certainly happens."""

    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


class CutShortError(Exception):
    """The budget of a statement, or of the whole reading, is used up."""


class Scope:
    """The names of one block, function or module, and the scope around it."""

    __slots__ = ("call", "names", "parent")

    def __init__(self, parent: Scope | None, call: Call) -> None:
        self.names: dict[str, Value] = {}
        self.parent = parent
        self.call = call

    def lookup(self, name: str) -> Value:
        """The value of a name, read through live bindings; None in place of a scope's silence is `MISSING`."""
        scope: Scope | None = self
        while scope is not None:
            names = scope.names
            if name in names:
                value = names[name]
                return value.read() if type(value) is Lazy else value
            scope = scope.parent
        return MISSING

    def holder(self, name: str) -> Scope | None:
        """The scope that declares a name."""
        scope: Scope | None = self
        while scope is not None and name not in scope.names:
            scope = scope.parent
        return scope


class Call:
    """One running function: `this`, what `super` means, and the values that uncertain branches returned."""

    __slots__ = ("function", "home", "new_target", "returned", "scope", "this")

    def __init__(self, this: Value, function: Obj | None = None, home: Obj | None = None) -> None:
        self.this = this
        self.function = function
        self.home = home
        self.new_target: Value = UNDEFINED
        self.returned: list[Value] = []
        self.scope: Scope | None = None


def index_of(name: str) -> int | None:
    """The place in a list that a key names; None for a key that is no place."""
    return int(name) if name.isascii() and name.isdecimal() and len(name) < _INDEX_DIGITS else None


class _Missing:
    __slots__ = ()


MISSING = _Missing()


class Realm:
    """Built-in prototypes and the state of one evaluation."""

    def __init__(self) -> None:
        self.object_proto = Obj(None)
        self.function_proto = Obj(self.object_proto, "function")
        self.array_proto = Obj(self.object_proto)
        self.string_proto = Obj(self.object_proto)
        self.number_proto = Obj(self.object_proto)
        self.regex_proto = Obj(self.object_proto)
        self.map_proto = Obj(self.object_proto)
        self.set_proto = Obj(self.object_proto)
        self.promise_proto = Obj(self.object_proto)
        self.steps = 0
        self.statement_end = STEPS_PER_STATEMENT
        self.total = 0
        self.depth = 0
        self.uncertain = 0
        self.running: dict[int, int] = {}
        self.run_code: Callable[[Obj, Value, list[Value], Value], Value] = _not_linked

    # budget ------------------------------------------------------------------------------------------------------------

    def step(self, cost: int = 1) -> None:
        """Count a step of work.

        Raises:
            CutShortError: The statement's budget is used up.

        """
        self.steps += cost
        if self.steps > self.statement_end:
            raise CutShortError

    def begin_statement(self) -> None:
        """Give the next top-level statement a budget of its own, while the budget in all lasts."""
        left = max(STEPS_IN_ALL - self.steps, 0)
        self.statement_end = self.steps + min(STEPS_PER_STATEMENT, left)

    # making ------------------------------------------------------------------------------------------------------------

    def object(self, site: Site | None = None) -> Obj:
        """An empty object."""
        return Obj(self.object_proto, "object", site)

    def array(self, items: list[Value]) -> Obj:
        """An array of these elements."""
        made = Obj(self.array_proto, "array")
        made.items = items
        return made

    def native(self, name: str, native: Native) -> Obj:
        """A built-in function."""
        made = Obj(self.function_proto, "function", None, name)
        made.native = native
        return made

    def prototype_of(self, function: Obj) -> Value:
        """A function's `prototype`, made when it is first asked for."""
        prop = function.props.get("prototype")
        if prop is not None:
            return self.read(prop, function)
        if function.code is None or not function.code.constructs:
            return UNDEFINED
        made = Obj(self.object_proto, "object", function.site)
        made.props["constructor"] = Prop(function, function.site, enumerable=False)
        function.props["prototype"] = Prop(made, function.site, enumerable=False)
        return made

    # properties --------------------------------------------------------------------------------------------------------

    def read(self, prop: Prop, this: Value) -> Value:
        """What a property gives: its value, or what its getter returns."""
        if prop.getter is not None:
            return self.call(prop.getter, this, [])
        value = prop.value
        if type(value) is Lazy:
            value = value.read()
        return value

    def get(self, target: Value, key: Value) -> Value:
        """`target[key]`."""
        kind = type(target)
        if kind is Obj:
            return self._get_own(target, key)
        if kind is Union:
            result: Value = UNDEFINED
            for option in target.options:
                if not is_nullish(option):
                    result = join(result, self.get(option, key))
            return result
        if kind is Unknown:
            return target
        if kind is str:
            return self._get_of_text(target, key)
        if kind is int or kind is float:
            prop = self.number_proto.find(key) if type(key) is str else None
            return self.read(prop, target) if prop else UNDEFINED
        return Unknown("a member of nothing") if is_nullish(target) else UNDEFINED

    def _get_of_text(self, text: str, key: Value) -> Value:
        if key == "length":
            return len(text)
        index = key if type(key) is int else index_of(key) if type(key) is str else None
        if index is not None:
            return text[index] if 0 <= index < len(text) else UNDEFINED
        prop = self.string_proto.find(key) if type(key) is str else None
        return self.read(prop, text) if prop else UNDEFINED

    def _get_own(self, target: Obj, key: Value) -> Value:
        name = key_of(key)
        if type(name) is str:
            return self._get_named(target, name)
        if name is None:
            return Unknown("a name that is computed")
        for each in target.chain():
            if name in each.symbols:
                return self.read(each.symbols[name], target)
        return UNDEFINED

    def _get_named(self, target: Obj, name: str) -> Value:
        if type(target.items) is list:
            index = index_of(name)
            if index is not None:
                return target.items[index] if index < len(target.items) else self._missing(target, name)
            if name == "length":
                return len(target.items)
        prop = target.find(name)
        if prop is not None:
            return self.read(prop, target)
        if name == "prototype" and target.code is not None:
            return self.prototype_of(target)
        if name == "__proto__":
            return target.proto
        if target.callable() and name in ("name", "length"):
            return target.name or Unknown("the name of a function") if name == "name" else self._arity(target)
        return self._missing(target, name)

    @staticmethod
    def _arity(function: Obj) -> Value:
        """The number of parameters before the first that has a default."""
        node = function.code.node if function.code is not None else None
        if node is None or function.code.kind == "class":
            return Unknown("how many arguments a function takes")
        parameters = node.child_by_field_name("parameters")
        if parameters is None:
            return 1
        count = 0
        for child in parameters.named_children:
            if child.type in ("assignment_pattern", "rest_pattern"):
                break
            count += child.type != "comment"
        return count

    def _missing(self, target: Obj, name: str) -> Value:
        door = target.opened()
        return Unknown(door) if door is not None and name != "then" else UNDEFINED

    def set(self, target: Value, key: Value, value: Value, site: Site | None = None) -> None:
        """`target[key] = value`; an unknown key opens a door on the target."""
        if type(target) is Union:
            for option in target.options:
                if type(option) is Obj:
                    self.set(option, key, value, site)
            return
        if type(target) is not Obj:
            return
        name = key_of(key)
        if name is None:
            target.open(f"names are assigned by computation at {site}" if site else "names are assigned by computation")
            return
        if type(name) is Sym:
            target.symbols[name] = Prop(value, site)
            return
        self._set_named(target, name, value, site)  # type: ignore[arg-type]

    def _set_named(self, target: Obj, name: str, value: Value, site: Site | None) -> None:
        if name == "__proto__":
            self.set_proto_of(target, value)
            return
        if target.kind == "array" and target.items is not None and self._set_item(target.items, name, value):
            return
        old = target.props.get(name)
        if old is None and target.proto is not None:
            inherited = target.proto.find(name)
            if inherited is not None and inherited.setter is not None:
                old = inherited
        if old is None:
            target.props[name] = Prop(value, site)
        elif old.setter is not None:
            self.call(old.setter, target, [value])
        elif old.getter is None:
            if self.uncertain and type(old.value) is not Lazy:
                value = join(old.value, value)
            if not (is_nullish(value) and type(old.value) is Obj):
                # `exports.a = exports.b = void 0` stands before the real value in compiled modules, never after it.
                old.site = site if type(value) is Obj or old.site is None or is_nullish(old.value) else old.site
                old.value = value

    @staticmethod
    def _set_item(items: list[Value], name: str, value: Value) -> bool:
        if name == "length":
            if value == 0:
                items.clear()
            return True
        index = index_of(name)
        if index is None:
            return False
        if index == len(items):
            items.append(value)
        elif index < len(items):
            items[index] = value
        return True

    def set_proto_of(self, target: Value, proto: Value) -> None:
        """Make `proto` the prototype of `target`; an unknown one opens a door."""
        if type(target) is not Obj:
            return
        if type(proto) is Union:
            proto = next((option for option in proto.options if type(option) is Obj), proto)
        if type(proto) is Obj:
            if not any(each is target for each in proto.chain()):
                target.proto = proto
        elif proto is None:
            target.proto = None
        elif type(proto) is Unknown:
            target.open(f"its base is not known: {proto.reason}")

    # calls -------------------------------------------------------------------------------------------------------------

    def call(self, function: Value, this: Value, arguments: list[Value], new_target: Value = UNDEFINED) -> Value:
        """What a call returns, as far as is known."""
        kind = type(function)
        if kind is Union:
            result: Value = UNDEFINED
            for option in function.options[:3]:
                if type(option) is not Unknown:
                    result = join(result, self.call(option, this, arguments, new_target))
            return result
        if kind is not Obj:
            return function if kind is Unknown else Unknown("the result of a call that is not followed")
        if function.native is not None:
            self.step()
            return function.native(this, arguments)
        code = function.code
        if code is None:
            return Unknown(function.doors[0] if function.doors else "the result of a call that is not followed")
        if self.depth >= CALL_DEPTH:
            return Unknown("calls nested deeper than is followed")
        self.step(4)
        node = code.node.id
        running = self.running.get(node, 0)
        if running > 1 and self.uncertain:
            return Unknown("what a function that calls itself gives")
        self.running[node] = running + 1
        self.depth += 1
        try:
            return self.run_code(function, this, arguments, new_target)
        finally:
            self.depth -= 1
            self.running[node] = running

    def construct(self, function: Value, arguments: list[Value], new_target: Value = None) -> Value:
        """What `new function(…)` makes."""
        if type(function) is Union:
            function = next((option for option in function.options if type(option) is Obj), function.options[0])
        if type(function) is not Obj:
            return function if type(function) is Unknown else Unknown("an instance of what is not known")
        target = function if new_target is None else new_target
        made = self.instance_of(target)
        if function.native is not None:
            result = function.native(made, arguments)
            return result if type(result) is Obj else made
        if function.code is not None:
            result = self.call(function, made, arguments, target)
            if type(result) is Obj or type(result) is Union:
                return result
        return made

    def instance_of(self, function: Obj) -> Obj:
        """A new object whose prototype is the function's."""
        proto = self.get(function, "prototype")
        made = Obj(proto if type(proto) is Obj else self.object_proto, "object", function.site)
        if type(proto) is Unknown:
            made.open(proto.reason)
        return made

    # text --------------------------------------------------------------------------------------------------------------

    def text_of(self, value: Value) -> str | None:
        """A value as a string; None where it is not known."""
        kind = type(value)
        if kind is str:
            return value  # type: ignore[no-any-return]
        if kind is bool:
            return "true" if value else "false"
        if kind is int or kind is float:
            return number_text(value)
        if value is None:
            return "null"
        return "undefined" if value is UNDEFINED else None


def _not_linked(_function: Obj, _this: Value, _arguments: list[Value], _new_target: Value) -> Value:
    return Unknown("no evaluator")


@contextmanager
def deep_calls() -> Iterator[None]:
    """Room for the calls that evaluating nests; what the caller had is put back."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)

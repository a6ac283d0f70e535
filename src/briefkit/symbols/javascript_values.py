"""The values of the evaluator: what an expression of a module comes to as far as its text shows.

Primitives are Python's own (`str`, `int`, `float`, `bool`; `None` is `null`). An `Obj` knows its names; an `Unknown` says why nothing is
known; a `Union` is one of several. Nothing here touches a disk, a clock or a process: evaluating is reading.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from briefkit.records import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tree_sitter import Node

    from .javascript_parsing import Source

Value: TypeAlias = Any
Native: TypeAlias = "Callable[[Value, list[Value]], Value]"

UNION_LIMIT = 6


class _Undefined:
    __slots__ = ()

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED = _Undefined()


class Site:
    """Where a name is defined: the file's source and the node that defines it."""

    __slots__ = ("node", "source")

    def __init__(self, source: Source, node: Node) -> None:
        self.source = source
        self.node = node

    def __str__(self) -> str:
        return f"{self.source.path}:{self.node.start_point[0] + 1}"


class Unknown:
    """A value of which nothing is known, and the door that stands open because of it."""

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason


class Sym:
    """A `Symbol()`: a key that is no name."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class Prop:
    """One property: its value, or its getter, and where it was set."""

    __slots__ = ("enumerable", "getter", "setter", "site", "value")

    def __init__(
        self, value: Value, site: Site | None = None, *, getter: Value = None, enumerable: bool = True
    ) -> None:
        self.value = value
        self.site = site
        self.getter = getter
        self.setter: Value = None
        self.enumerable = enumerable


class Lazy:
    """A value that is read only when it is asked for: another package's exports, a live binding."""

    __slots__ = ("read",)

    def __init__(self, read: Callable[[], Value]) -> None:
        self.read = read


class Obj:
    """An object, array, function or class: its own properties, its prototype, and its open doors.

    `kind` is `object`, `array`, `function`, `class`, `map`, `set` or `proxy`; `items` the elements of an array, set or map; `native` what
    calling it does where that is built in; `code` the function's text and scope where it is written in a module.
    """

    __slots__ = ("code", "doors", "items", "kind", "name", "native", "props", "proto", "site", "symbols")

    def __init__(self, proto: Obj | None, kind: str = "object", site: Site | None = None, name: str = "") -> None:
        self.props: dict[str, Prop] = {}
        self.symbols: dict[Sym, Prop] = {}
        self.proto = proto
        self.kind = kind
        self.site = site
        self.name = name
        self.doors: list[str] = []
        self.items: Any = None
        self.native: Native | None = None
        self.code: Any = None

    def open(self, door: str) -> None:
        """Note a door: names may come through it that the text does not show."""
        if door not in self.doors and len(self.doors) < 8:
            self.doors.append(door)

    def callable(self) -> bool:
        """Whether it is a function or class."""
        return self.native is not None or self.code is not None

    def chain(self) -> Iterator[Obj]:
        """The object and its prototypes, nearest first."""
        seen = 0
        at: Obj | None = self
        while at is not None and seen < 64:
            yield at
            at = at.proto
            seen += 1

    def find(self, name: str) -> Prop | None:
        """The property of this name on the object or its prototypes."""
        for each in self.chain():
            prop = each.props.get(name)
            if prop is not None:
                return prop
        return None

    def opened(self) -> str | None:
        """The first open door on the object or its prototypes."""
        for each in self.chain():
            if each.doors:
                return each.doors[0]
        return None


class Union:
    """One of several values, where the text does not say which."""

    __slots__ = ("options",)

    def __init__(self, options: tuple[Value, ...]) -> None:
        self.options = options


def is_nullish(value: Value) -> bool:
    """Whether the value is `null` or `undefined`."""
    return value is None or value is UNDEFINED


def options_of(value: Value) -> tuple[Value, ...]:
    """All that the value may be."""
    return value.options if type(value) is Union else (value,)


def join(first: Value, second: Value) -> Value:
    """A value that may be either; `undefined` and primitives give way to objects."""
    if first is second:
        return first
    if type(first) is not Obj and type(first) is not Union and type(first) is not Unknown:
        if type(first) is type(second) and first == second:
            return first
        return second if not is_nullish(second) else first
    if is_nullish(second):
        return first
    found = list(options_of(first))
    for option in options_of(second):
        if not any(option is other for other in found):
            found.append(option)
    if len(found) > UNION_LIMIT:
        found = [*found[:UNION_LIMIT], Unknown("more values than are followed")]
    return found[0] if len(found) == 1 else Union(tuple(found))


def truth(value: Value) -> bool | None:
    """Whether the value is truthy; None where that is not known."""
    kind = type(value)
    if kind is Obj or kind is Sym:
        return True
    if kind is Unknown:
        return None
    if kind is Union:
        sides = {truth(option) for option in value.options}
        return sides.pop() if len(sides) == 1 else None
    if value is UNDEFINED:
        return False
    return bool(value)


def key_of(value: Value) -> str | Sym | None:
    """The property key a value names; None where it is not known."""
    kind = type(value)
    if kind is str or kind is Sym:
        return value  # type: ignore[no-any-return]
    if kind is bool:
        return "true" if value else "false"
    if kind is int or kind is float:
        return number_text(value)
    if value is None:
        return "null"
    if value is UNDEFINED:
        return "undefined"
    return None


def number_text(value: float) -> str:
    """A number as JavaScript prints it."""
    return str(int(value)) if value == value and abs(value) < 1e21 and value == int(value) else str(value)  # noqa: PLR0124 (NaN; JavaScript's own bound)

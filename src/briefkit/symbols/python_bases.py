"""A class with all it inherits: its bases over all distributions, what calls make one from, and the doors they leave open."""

from __future__ import annotations

from typing import Any, Protocol

from briefkit.records import TYPE_CHECKING, NamedTuple

from .python_facts import CALL, CHOICE, CLASS, DEF, EXTRA, ITEMS, KEYWORD, KIND, SUBSCRIPT, TEXT, VALUE, Binding, Value
from .python_structures import structure_fields
from .python_things import COMPILED, OPAQUE, Thing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

    from .python_modules import World
    from .python_names import Names

_DEPTH = 60
_CLASS_MAKERS = frozenset(("collections.namedtuple", "typing.NamedTuple", "typing.TypedDict", "builtins.type"))
_NAMED_TUPLE = ("_fields", "_field_defaults", "_asdict", "_make", "_replace")


class Door(str):
    """Why a class may have names that no text shows; `made_of` are texts of which such a name must hold one, None where it may be any."""

    __slots__ = ("made_of",)
    made_of: tuple[str, ...] | None

    def __new__(cls, text: str, made_of: tuple[str, ...] | None = None) -> Self:
        """The door with what its names are made of."""
        door = super().__new__(cls, text)
        door.made_of = made_of
        return door

    def admits(self, name: str) -> bool:
        """Whether the name may come through it."""
        return self.made_of is None or any(text in name for text in self.made_of)


class Member(NamedTuple):
    """One member: the class that has it, its bindings there (none for what is compiled), and a note for the reader."""

    owner: Thing
    name: str
    bindings: tuple[Binding, ...] = ()
    entry: str = ""  # of the compiled table
    note: str | None = None
    line: int = 0


class ClassView:
    """A class with all it inherits; built once per class and kept."""

    __slots__ = ("doors", "fields", "lineage", "looped", "made", "members", "metas", "set_by_loops", "thing")

    def __init__(self, thing: Thing) -> None:
        self.thing = thing
        self.lineage: list[Thing] = []  # itself, then its bases as far as they could be read
        self.metas: list[Thing] = []
        self.doors: list[str] = []
        self.fields: list[str] = []  # of the named tuple that it is
        self.looped: list[
            tuple[str, str]
        ] = []  # (attribute whose items are set on instances, the door where it cannot be read)
        self.set_by_loops: dict[str, Member] | None = None
        self.made: dict[str, Thing] = {}  # names that a call (namedtuple, type) gave a class
        self.members: dict[str, Member | None] = {}


class MemberPort(Protocol):
    """The search for members that reading what others set on a class needs."""

    names: Names
    world: World

    def view(self, thing: Thing) -> ClassView:
        """The class with its bases and doors."""

    def member(self, view: ClassView, name: str) -> Member | None:
        """The member of this name."""


class Bases:
    """Views of the classes of one world, each made once."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.world = names.world
        self._views: dict[str, ClassView] = {}

    def view(self, thing: Thing) -> ClassView:
        """The class with its bases and doors."""
        key = thing.dotted
        known = self._views.get(key)
        if known is None:
            known = self._views[key] = ClassView(thing)
            self._climb(known, thing, 0)
            object_ = self.builtin("object")
            if object_ is not None and object_ not in known.lineage:
                known.lineage.append(object_)
        return known

    def value_view(self, thing: Thing, value: Value) -> Thing | None:
        """The class that a value stands for, or whose instance it is; None where neither can be told."""
        if not isinstance(value, list) or not value:
            return None
        if value[0] == SUBSCRIPT and isinstance(value[1], str):
            found = self.names.path_in(thing.module, thing.path[:-1], value[1])
            return found if found is not None and found.kind == CLASS else None
        if value[0] != CALL or not isinstance(value[1], str):
            return None
        found = self.names.path_in(thing.module, thing.path[:-1], value[1])
        if found is None:
            return None
        is_class = found.kind == CLASS or (found.kind == COMPILED and isinstance(found.data, list))
        if is_class and found.dotted != "builtins.type" and not self.is_enum(found):
            return found
        if found.dotted in _CLASS_MAKERS:
            if thing.dotted not in self._views:
                view = self._views[thing.dotted] = ClassView(thing)
                view.lineage.append(thing)
                self._called_base(view, thing, value, 0, made_at=thing)
            return thing
        return None

    def is_enum(self, thing: Thing) -> bool:
        """Whether a class is an enumeration."""
        return any(owner.dotted == "enum.Enum" for owner in self.view(thing).lineage)

    def builtin(self, name: str) -> Thing | None:
        """A class that is compiled into Python."""
        module = self.world.module("builtins")
        entry = (module.compiled or {}).get(name) if module is not None else None
        return self.names.compiled_thing(module, name, entry) if module is not None and entry is not None else None

    def _climb(self, view: ClassView, thing: Thing, depth: int) -> None:
        if thing in view.lineage:
            return
        if depth > _DEPTH:
            view.doors.append(f"bases of {view.thing.dotted} nest deeper than {_DEPTH}")
            return
        view.lineage.append(thing)
        if thing.kind == COMPILED:
            for base in thing.data[1]:
                home, _, name = base.rpartition(".")
                module = self.world.module(home)
                found = self.names.lookup(module, name).thing if module is not None else None
                if found is not None and found.kind in (COMPILED, CLASS):
                    self._climb(view, found, depth + 1)
            return
        self._structure_doors(view, thing)
        for body in bodies(thing):
            self._own_doors(view, thing, body)
            for base in body["bases"]:
                self._base(view, thing, base, depth)
            meta = body["keywords"].get("metaclass")
            if meta is not None:
                self._meta(view, thing, meta)

    def _own_doors(self, view: ClassView, thing: Thing, body: dict[str, Any]) -> None:
        for door in body["doors"]:
            what, line, where = door[:3]
            if len(door) > 4 and door[4] is not None:
                view.looped.append((door[4], f"{what} at {thing.module.name} line {line} in {where} may add names"))
                continue
            inside = f" in {where}" if where else ""
            made_of = tuple(door[6]) if len(door) > 6 and door[6] else None
            view.doors.append(Door(f"{what} at {thing.module.name} line {line}{inside} may add names", made_of))
        lazy = body["lazy"]
        if lazy is not None and (lazy["open"] or lazy["handed"]):
            view.doors.append(f"__getattr__ of {thing.dotted} (line {lazy['line']}) answers names by code")

    def _structure_doors(self, view: ClassView, thing: Thing) -> None:
        """A C structure whose fields are not written out, or that takes in those of another."""
        for line, fields in structure_fields(thing):
            if fields is None:
                view.doors.append(f"_fields_ at {thing.module.name} line {line} may add names")

    def _base(self, view: ClassView, thing: Thing, base: Value, depth: int) -> None:
        if isinstance(base, list) and base:
            form = base[0]
            if form == SUBSCRIPT:
                self._base(view, thing, base[1], depth)
                return
            if form == CHOICE:
                for part in base[1:]:
                    self._base(view, thing, part, depth)
                return
            if form == CALL:
                self._called_base(view, thing, base, depth)
                return
            if form == "*":
                listed = self._listed(thing, base[1])
                for each in listed or ():
                    self._base(view, thing, each, depth)
                if listed is not None:
                    return
                view.doors.append(f"a base of {thing.dotted} is computed")
                return
        if not isinstance(base, str):
            view.doors.append(f"a base of {thing.dotted} is computed")
            return
        found = self.names.path_in(thing.module, thing.path[:-1], base)
        self._resolved_base(view, thing, base, found, depth)

    def _listed(self, thing: Thing, value: Value) -> list[Value] | None:
        """The bases of `class A(*bases)`, where they are written out; None where they are not."""
        found = self.names.path_in(thing.module, thing.path[:-1], value) if isinstance(value, str) else None
        given = found.bindings[0][EXTRA] if found is not None and found.kind == VALUE and found.bindings else value
        return given[1:] if isinstance(given, list) and given and given[0] == ITEMS else None

    def _resolved_base(self, view: ClassView, thing: Thing, written: str, found: Thing | None, depth: int) -> None:
        if found is None:
            view.doors.append(f"base {written} of {thing.dotted} was not found")
        elif found.kind == CLASS or (found.kind == COMPILED and isinstance(found.data, list)):
            if found != thing:
                self._climb(view, found, depth + 1)
        elif found.kind == DEF and found.module.name == "typing" and found.path == ("NamedTuple",):
            self._tuple_base(view, thing, [])
        elif found.kind == DEF and found.path == ("TypedDict",):
            self._climb_builtin(view, "dict", depth)
        elif found.kind == VALUE and found.bindings:
            self._value_base(view, thing, written, found, depth)
        elif found.kind == OPAQUE:
            view.doors.append(f"base {written} of {thing.dotted} cannot be read ({found.data})")
        else:
            view.doors.append(f"base {written} of {thing.dotted} is computed")

    def _value_base(self, view: ClassView, thing: Thing, written: str, found: Thing, depth: int) -> None:
        """A base whose name was given a value: `Base = declarative_base()`, `Row = namedtuple(…)`, `Base = A[int]`."""
        value = found.bindings[0][EXTRA]
        owner = Thing(CLASS, found.module, (*found.path[:-1], "?"))
        if found.module.name in ("typing", "typing_extensions"):
            special = _TYPING_BASES.get(found.path[-1])
            if special is not None:
                for name in special.split():
                    self._climb_named(view, name, depth)
                return
        if isinstance(value, list) and depth < _DEPTH:
            if value[0] == CALL:
                self._called_base(view, owner, value, depth + 1, made_at=found)
                return
            if value[0] in (SUBSCRIPT, CHOICE):
                self._base(view, owner, value, depth + 1)
                return
        view.doors.append(f"base {written} of {thing.dotted} is computed")

    def _climb_builtin(self, view: ClassView, name: str, depth: int) -> None:
        found = self.builtin(name)
        if found is not None:
            self._climb(view, found, depth + 1)

    def _climb_named(self, view: ClassView, dotted: str, depth: int) -> None:
        home, _, name = dotted.rpartition(".")
        module = self.world.module(home or "builtins")
        found = self.names.lookup(module, name).thing if module is not None else None
        if found is not None and found.kind in (CLASS, COMPILED):
            self._climb(view, found, depth + 1)

    def _tuple_base(self, view: ClassView, thing: Thing, fields: list[str]) -> None:
        view.fields = view.fields or list(fields)
        for field in (*fields, *_NAMED_TUPLE):
            view.made.setdefault(field, thing)
        self._climb_builtin(view, "tuple", 0)

    def _called_base(
        self, view: ClassView, thing: Thing, call: Value, depth: int, made_at: Thing | None = None
    ) -> None:
        """A base made by a call: a factory of the standard library is known, another's classes among its arguments are climbed."""
        function = call[1]
        found = self.names.path_in(thing.module, thing.path[:-1], function) if isinstance(function, str) else None
        owner = made_at or thing
        name = found.path[-1] if found is not None and found.path else ""
        home = found.module.name if found is not None else ""
        if home in ("collections", "typing", "typing_extensions") and name in ("namedtuple", "NamedTuple"):
            self._tuple_base(view, owner, _field_names(call))
        elif name == "TypedDict":
            self._climb_builtin(view, "dict", depth)
        elif home == "typing" and name == "NewType" and len(call) > 3:
            self._base(view, thing, call[3], depth + 1)
        elif home == "builtins" and name == "type" and len(call) > 3:
            for base in call[3][1:] if isinstance(call[3], list) and call[3][0] == ITEMS else ():
                self._base(view, thing, base, depth + 1)
        else:
            self._factory_base(view, thing, call, function, depth)

    def _factory_base(self, view: ClassView, thing: Thing, call: Value, function: Value, depth: int) -> None:
        for argument in call[2:]:
            value = argument[2] if isinstance(argument, list) and argument and argument[0] == KEYWORD else argument
            given = self.names.path_in(thing.module, thing.path[:-1], value) if isinstance(value, str) else None
            if given is not None and (given.kind == CLASS or (given.kind == COMPILED and isinstance(given.data, list))):
                self._climb(view, given, depth + 1)
        view.doors.append(
            f"a base of {view.thing.dotted} is made by {function if isinstance(function, str) else 'a call'}()"
        )

    def _meta(self, view: ClassView, thing: Thing, meta: Value) -> None:
        found = self.names.path_in(thing.module, thing.path[:-1], meta) if isinstance(meta, str) else None
        if found is None or found.kind not in (CLASS, COMPILED):
            view.doors.append(f"metaclass of {thing.dotted} cannot be read")
            return
        if found not in view.metas:
            view.metas.append(found)


def bodies(thing: Thing) -> Iterator[dict[str, Any]]:
    """The class bodies of a thing: more than one where branches define it differently."""
    for binding in thing.bindings:
        if binding[KIND] == CLASS:
            yield binding[EXTRA]


def _field_names(call: Value) -> list[str]:
    """The fields that `namedtuple("X", "a b")` or `NamedTuple("X", [("a", int)])` is given."""
    given = call[3] if len(call) > 3 else None
    if isinstance(given, list) and given:
        if given[0] == TEXT:
            return str(given[1]).replace(",", " ").split()
        if given[0] == ITEMS:
            firsts = [
                item[1] if isinstance(item, list) and item and item[0] == ITEMS and len(item) > 1 else item
                for item in given[1:]
            ]
            return [first[1] for first in firsts if isinstance(first, list) and first[0] == TEXT]
    return []


_TYPING_BASES = {
    "List": "list",
    "Dict": "dict",
    "Set": "set",
    "FrozenSet": "frozenset",
    "Tuple": "tuple",
    "Type": "type",
    "DefaultDict": "collections.defaultdict",
    "OrderedDict": "collections.OrderedDict",
    "Counter": "collections.Counter",
    "ChainMap": "collections.ChainMap",
    "Deque": "collections.deque",
    "Mapping": "collections.abc.Mapping",
    "MutableMapping": "collections.abc.MutableMapping",
    "Sequence": "collections.abc.Sequence",
    "MutableSequence": "collections.abc.MutableSequence",
    "AbstractSet": "collections.abc.Set",
    "MutableSet": "collections.abc.MutableSet",
    "Iterable": "collections.abc.Iterable",
    "Iterator": "collections.abc.Iterator",
    "Generator": "collections.abc.Generator",
    "AsyncIterable": "collections.abc.AsyncIterable",
    "AsyncIterator": "collections.abc.AsyncIterator",
    "AsyncGenerator": "collections.abc.AsyncGenerator",
    "Awaitable": "collections.abc.Awaitable",
    "Coroutine": "collections.abc.Coroutine",
    "Collection": "collections.abc.Collection",
    "Container": "collections.abc.Container",
    "Hashable": "collections.abc.Hashable",
    "Sized": "collections.abc.Sized",
    "Reversible": "collections.abc.Reversible",
    "Callable": "collections.abc.Callable",
    "KeysView": "collections.abc.KeysView",
    "ValuesView": "collections.abc.ValuesView",
    "ItemsView": "collections.abc.ItemsView",
    "MappingView": "collections.abc.MappingView",
    "ByteString": "collections.abc.ByteString",
    "ContextManager": "contextlib.AbstractContextManager",
    "AsyncContextManager": "contextlib.AbstractAsyncContextManager",
    "TypedDict": "dict",
    "Protocol": "typing.Protocol",
    "Generic": "typing.Generic",
    "Any": "object",
    "NamedTuple": "tuple",
    "SupportsInt": "object",
}

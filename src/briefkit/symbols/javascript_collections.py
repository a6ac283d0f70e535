"""Arrays, maps and sets: names are kept in them before they become exports."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from .javascript_builtins import first
from .javascript_properties import elements
from .javascript_strings import sliced
from .javascript_values import UNDEFINED, Obj, Prop, Union, Unknown, Value, is_nullish, truth

if TYPE_CHECKING:
    from collections.abc import Callable

    from .javascript_realm import Realm

_ITEMS_LIMIT = 50_000


class ArrayBuiltins:
    """`Array` and its prototype."""

    def __init__(self, realm: Realm) -> None:
        self.realm = realm

    def install(self) -> Obj:
        """The function `Array`."""
        realm = self.realm
        made = realm.native("Array", lambda _this, given: realm.array(list(given) if len(given) != 1 else []))
        made.props["prototype"] = Prop(realm.array_proto, enumerable=False)
        made.props["isArray"] = Prop(realm.native("isArray", self._is_array))
        made.props["from"] = Prop(realm.native("from", self._from))
        made.props["of"] = Prop(realm.native("of", lambda _this, given: realm.array(list(given))))
        for name, native in self._table().items():
            realm.array_proto.props[name] = Prop(realm.native(name, self._guarded(native)), enumerable=False)
        for name in ("sort", "reverse", "fill", "copyWithin", "values"):
            realm.array_proto.props[name] = Prop(realm.native(name, lambda this, _given: this), enumerable=False)
        return made

    def _guarded(self, native: Callable[[Obj, list[Value]], Value]) -> Callable[[Value, list[Value]], Value]:
        def run(this: Value, given: list[Value]) -> Value:
            if type(this) is Union:
                this = next((option for option in this.options if type(option) is Obj), this)
            if type(this) is Obj and type(this.items) is list:
                self.realm.step(1 + len(this.items) // 50)
                return native(this, given)
            return self._of_unknown(given)

        return run

    def _of_unknown(self, given: list[Value]) -> Value:
        """A callback for elements that are not known still shows what it sets."""
        if given and type(given[0]) is Obj and given[0].code is not None:
            self.realm.uncertain += 1
            try:
                self.realm.call(given[0], UNDEFINED, [Unknown("an element of what is not known")])
            finally:
                self.realm.uncertain -= 1
        return Unknown("what is made of a list that is not known")

    def _table(self) -> dict[str, Callable[[Obj, list[Value]], Value]]:
        array = self.realm.array
        return {
            "forEach": lambda this, given: (list(self._each(this, given)), UNDEFINED)[1],
            "map": lambda this, given: array(list(self._each(this, given))),
            "flatMap": lambda this, given: array(self._flat(list(self._each(this, given)))),
            "flat": lambda this, _given: array(self._flat(this.items)),
            "filter": self._filter,
            "reduce": self._reduce,
            "concat": self._concat,
            "slice": lambda this, given: array(sliced(this.items, given)),
            "push": self._push,
            "unshift": self._unshift,
            "pop": lambda this, _given: this.items.pop() if this.items else UNDEFINED,
            "shift": lambda this, _given: this.items.pop(0) if this.items else UNDEFINED,
            "splice": self._splice,
            "join": self._join,
            "indexOf": self._index_of,
            "lastIndexOf": self._index_of,
            "includes": self._includes,
            "find": lambda this, given: self._find(this, given, index=False),
            "findIndex": lambda this, given: self._find(this, given, index=True),
            "some": lambda this, given: self._test(this, given, stop=True),
            "every": lambda this, given: self._test(this, given, stop=False),
            "at": lambda this, given: self._at(this, first(given)),
            "keys": lambda this, _given: array(list(range(len(this.items)))),
            "entries": lambda this, _given: array([array([index, item]) for index, item in enumerate(this.items)]),
            "toString": lambda this, _given: self._join(this, []),
        }

    def _is_array(self, _this: Value, given: list[Value]) -> Value:
        value = first(given)
        return Unknown("a test") if type(value) in (Unknown, Union) else type(value) is Obj and value.kind == "array"

    def _from(self, _this: Value, given: list[Value]) -> Value:
        items = elements(first(given))
        if items is None:
            return Unknown("a list of what is not known")
        made = self.realm.array(list(items))
        return self.realm.array(list(self._each(made, given[1:]))) if len(given) > 1 else made

    def _each(self, this: Obj, given: list[Value]) -> list[Value]:
        function = first(given)
        call = self.realm.call
        out = []
        for index, item in enumerate(list(this.items)):
            self.realm.step()
            out.append(call(function, first(given, 1), [item, index, this]))
        return out

    @staticmethod
    def _flat(items: list[Value]) -> list[Value]:
        out: list[Value] = []
        for item in items:
            out.extend(item.items if type(item) is Obj and item.kind == "array" and item.items is not None else [item])
        return out[:_ITEMS_LIMIT]

    def _filter(self, this: Obj, given: list[Value]) -> Value:
        kept = []
        for item, keep in zip(list(this.items), self._each(this, given), strict=True):
            if truth(keep) is not False:
                kept.append(item)
        return self.realm.array(kept)

    def _reduce(self, this: Obj, given: list[Value]) -> Value:
        items = list(this.items)
        if len(given) > 1:
            value = given[1]
        elif items:
            value = items.pop(0)
        else:
            return UNDEFINED
        for index, item in enumerate(items):
            value = self.realm.call(first(given), UNDEFINED, [value, item, index, this])
        return value

    def _concat(self, this: Obj, given: list[Value]) -> Value:
        items = list(this.items)
        for value in given:
            if type(value) is Obj and value.kind == "array" and value.items is not None:
                items.extend(value.items)
            else:
                items.append(value)
        return self.realm.array(items[:_ITEMS_LIMIT])

    def _push(self, this: Obj, given: list[Value]) -> Value:
        if len(this.items) < _ITEMS_LIMIT:
            this.items.extend(given)
        return len(this.items)

    def _unshift(self, this: Obj, given: list[Value]) -> Value:
        this.items[0:0] = given
        return len(this.items)

    def _splice(self, this: Obj, given: list[Value]) -> Value:
        start, count = first(given), first(given, 1)
        if type(start) is not int or (count is not UNDEFINED and type(count) is not int):
            return Unknown("a part of a list")
        end = start + count if isinstance(count, int) else len(this.items)
        removed = this.items[start:end]
        this.items[start:end] = given[2:]
        return self.realm.array(removed)

    def _join(self, this: Obj, given: list[Value]) -> Value:
        between = first(given) if given and first(given) is not UNDEFINED else ","
        parts = [self.realm.text_of(item) for item in this.items]
        if type(between) is not str or None in parts:
            return Unknown("a text that is computed")
        return between.join(part or "" for part in parts)

    @staticmethod
    def _index_of(this: Obj, given: list[Value]) -> Value:
        value = first(given)
        if type(value) in (Unknown, Union):
            return Unknown("a place in a list")
        for index, item in enumerate(this.items):
            if item is value or (type(item) is type(value) and type(item) is not Obj and item == value):
                return index
        return Unknown("a place in a list") if any(type(item) is Unknown for item in this.items) else -1

    def _includes(self, this: Obj, given: list[Value]) -> Value:
        index = self._index_of(this, given)
        return index if type(index) is Unknown else index >= 0

    def _find(self, this: Obj, given: list[Value], *, index: bool) -> Value:
        for at, item in enumerate(list(this.items)):
            holds = truth(self.realm.call(first(given), UNDEFINED, [item, at, this]))
            if holds is None:
                return Unknown("an element that is looked for")
            if holds:
                return at if index else item
        return -1 if index else UNDEFINED

    def _test(self, this: Obj, given: list[Value], *, stop: bool) -> Value:
        for result in self._each(this, given):
            holds = truth(result)
            if holds is None:
                return Unknown("a test")
            if holds is stop:
                return stop
        return not stop

    def _at(self, this: Obj, index: Value) -> Value:
        if not isinstance(index, int):
            return Unknown("an element of a list")
        return this.items[index] if -len(this.items) <= index < len(this.items) else UNDEFINED


# maps and sets -----------------------------------------------------------------------------------------------------------


class Entries:
    """The entries of a `Map`, by key: primitives by value, objects by identity."""

    __slots__ = ("entries", "places")

    def __init__(self) -> None:
        self.entries: list[Obj] = []
        self.places: dict[object, int] = {}


def _entry_key(value: Value) -> object:
    return (type(value).__name__, value) if isinstance(value, (str, int, float, bool)) else id(value)


def install_maps(realm: Realm, names: dict[str, Value]) -> None:
    """`Map`, `Set` and their weak kin."""
    for name in ("Map", "WeakMap"):
        names[name] = _constructor(realm, name, realm.map_proto, lambda this, given: _fill_map(realm, this, given))
    for name in ("Set", "WeakSet"):
        names[name] = _constructor(realm, name, realm.set_proto, lambda this, given: _fill_set(realm, this, given))
    maps: dict[str, Callable[[Obj, list[Value]], Value]] = {
        "get": lambda this, given: _map_get(realm, this, given),
        "set": lambda this, given: _map_set(realm, this, first(given), first(given, 1)),
        "has": _map_has,
        "keys": lambda this, _given: realm.array([realm.get(entry, 0) for entry in this.items.entries]),
        "values": lambda this, _given: realm.array([realm.get(entry, 1) for entry in this.items.entries]),
        "entries": lambda this, _given: realm.array(list(this.items.entries)),
        "forEach": lambda this, given: _map_each(realm, this, given),
        "delete": lambda _this, _given: Unknown("a test"),
        "clear": lambda _this, _given: UNDEFINED,
    }
    sets: dict[str, Callable[[Obj, list[Value]], Value]] = {
        "add": lambda this, given: _set_add(this, first(given)),
        "has": lambda this, given: (
            any(_entry_key(item) == _entry_key(first(given)) for item in this.items)
            or (Unknown("a test") if any(type(item) is Unknown for item in this.items) else False)
        ),
        "keys": lambda this, _given: realm.array(list(this.items)),
        "values": lambda this, _given: realm.array(list(this.items)),
        "forEach": lambda this, given: _set_each(realm, this, given),
        "delete": lambda _this, _given: Unknown("a test"),
        "clear": lambda _this, _given: UNDEFINED,
    }
    for kind, proto, table in (("map", realm.map_proto, maps), ("set", realm.set_proto, sets)):
        for name, native in table.items():
            proto.props[name] = Prop(realm.native(name, _on_kind(kind, native)), enumerable=False)


def _on_kind(kind: str, native: Callable[[Obj, list[Value]], Value]) -> Callable[[Value, list[Value]], Value]:
    def run(this: Value, given: list[Value]) -> Value:
        if type(this) is Obj and this.kind == kind and this.items is not None:
            return native(this, given)
        return Unknown(f"a {kind} that is not known")

    return run


def _constructor(realm: Realm, name: str, proto: Obj, fill: Callable[[Obj, list[Value]], None]) -> Obj:
    def run(this: Value, given: list[Value]) -> Value:
        if type(this) is Obj:
            fill(this, given)
        return this

    made = realm.native(name, run)
    made.props["prototype"] = Prop(proto, enumerable=False)
    return made


def _fill_map(realm: Realm, this: Obj, given: list[Value]) -> None:
    this.kind, this.items = "map", Entries()
    items = elements(first(given))
    for item in items or ():
        _map_set(realm, this, realm.get(item, 0), realm.get(item, 1))
    if items is None and not is_nullish(first(given)):
        this.items = None


def _map_set(realm: Realm, this: Obj, key: Value, value: Value) -> Obj:
    entries = this.items
    place = entries.places.get(_entry_key(key))
    if place is not None:
        entries.entries[place].items[1] = value
    elif len(entries.entries) < _ITEMS_LIMIT:
        entries.places[_entry_key(key)] = len(entries.entries)
        entries.entries.append(realm.array([key, value]))
    return this


def _map_get(realm: Realm, this: Obj, given: list[Value]) -> Value:
    key = first(given)
    place = this.items.places.get(_entry_key(key))
    if place is not None:
        return realm.get(this.items.entries[place], 1)
    return Unknown("an entry of a map") if type(key) in (Unknown, Union) else UNDEFINED


def _map_has(this: Obj, given: list[Value]) -> Value:
    key = first(given)
    if type(key) in (Unknown, Union):
        return Unknown("a test")
    return _entry_key(key) in this.items.places


def _map_each(realm: Realm, this: Obj, given: list[Value]) -> Value:
    for entry in list(this.items.entries):
        realm.call(first(given), UNDEFINED, [realm.get(entry, 1), realm.get(entry, 0), this])
    return UNDEFINED


def _fill_set(realm: Realm, this: Obj, given: list[Value]) -> None:
    del realm
    this.kind, this.items = "set", {}
    items = elements(first(given))
    for item in items or ():
        _set_add(this, item)
    if items is None and not is_nullish(first(given)):
        this.items = None


def _set_add(this: Obj, value: Value) -> Obj:
    if len(this.items) < _ITEMS_LIMIT:
        this.items.setdefault(_entry_key(value), value)
    return this


def _set_each(realm: Realm, this: Obj, given: list[Value]) -> Value:
    for item in list(this.items.values()):
        realm.call(first(given), UNDEFINED, [item, item, this])
    return UNDEFINED

"""The built-in objects that shape what a module exports: `Object`, `Reflect`, `Function`, `Symbol`, `Proxy`, `Promise`."""

from __future__ import annotations

import re

from briefkit.records import TYPE_CHECKING

from .javascript_properties import elements, own_names
from .javascript_realm import Realm, ThrownError
from .javascript_values import UNDEFINED, Obj, Prop, Sym, Union, Unknown, Value, is_nullish, key_of, truth

if TYPE_CHECKING:
    from collections.abc import Callable


def first(arguments: list[Value], index: int = 0) -> Value:
    """The argument at a place, `undefined` where there is none."""
    return arguments[index] if index < len(arguments) else UNDEFINED


_TAGS = {"array": "Array", "map": "Map", "set": "Set", "regex": "RegExp"}


def tag_of(value: Value) -> Value:
    """What `Object.prototype.toString` gives: `[object Array]`."""
    if value is UNDEFINED:
        return "[object Undefined]"
    if value is None:
        return "[object Null]"
    if type(value) is Obj:
        name = "Function" if value.callable() else _TAGS.get(value.kind, "Object")
    elif type(value) in (Unknown, Union):
        return Unknown("what kind of object a value is")
    else:
        name = {str: "String", bool: "Boolean", Sym: "Symbol"}.get(type(value), "Number")
    return f"[object {name}]"


class ObjectBuiltins:
    """The functions of `Object` and `Reflect`."""

    def __init__(self, realm: Realm) -> None:
        self.realm = realm

    def install(self) -> tuple[Obj, Obj]:
        """The objects `Object` and `Reflect`."""
        realm = self.realm
        made = realm.native("Object", self._object)
        made.props["prototype"] = Prop(realm.object_proto, enumerable=False)
        for name, native in self._table().items():
            made.props[name] = Prop(realm.native(name, native), enumerable=False)
        reflect = realm.object()
        for name, native in self._reflect_table().items():
            reflect.props[name] = Prop(realm.native(name, native), enumerable=False)
        self._prototype()
        return made, reflect

    def _table(self) -> dict[str, Callable[[Value, list[Value]], Value]]:
        return {
            "assign": self._assign,
            "keys": lambda _this, given: self._list(given, lambda _target, name: name),
            "values": lambda _this, given: self._list(given, self._value_of),
            "entries": lambda _this, given: self._list(given, self._entry_of),
            "defineProperty": self._define_property,
            "defineProperties": self._define_properties,
            "create": self._create,
            "freeze": lambda _this, given: first(given),
            "seal": lambda _this, given: first(given),
            "preventExtensions": lambda _this, given: first(given),
            "isFrozen": lambda _this, _given: False,
            "getPrototypeOf": lambda _this, given: self._proto_of(first(given)),
            "setPrototypeOf": self._set_prototype_of,
            "getOwnPropertyNames": self._own_property_names,
            "getOwnPropertySymbols": self._own_symbols,
            "getOwnPropertyDescriptor": lambda _this, given: self._descriptor(first(given), first(given, 1)),
            "getOwnPropertyDescriptors": self._descriptors,
            "fromEntries": self._from_entries,
            "is": lambda _this, given: self._is(first(given), first(given, 1)),
            "hasOwn": lambda _this, given: self._has_own(first(given), [first(given, 1)]),
        }

    def _reflect_table(self) -> dict[str, Callable[[Value, list[Value]], Value]]:
        realm = self.realm
        return {
            "ownKeys": self._own_property_names,
            "defineProperty": lambda this, given: (self._define_property(this, given), True)[1],
            "get": lambda _this, given: realm.get(first(given), first(given, 1)),
            "set": self._reflect_set,
            "has": self._reflect_has,
            "apply": lambda _this, given: realm.call(first(given), first(given, 1), self.items(first(given, 2))),
            "construct": lambda _this, given: realm.construct(
                first(given),
                self.items(first(given, 1)),
                given[2] if len(given) > 2 else None,
            ),
            "getPrototypeOf": lambda _this, given: self._proto_of(first(given)),
            "setPrototypeOf": self._set_prototype_of,
            "getOwnPropertyDescriptor": lambda _this, given: self._descriptor(first(given), first(given, 1)),
        }

    def _prototype(self) -> None:
        realm = self.realm
        natives: dict[str, Callable[[Value, list[Value]], Value]] = {
            "hasOwnProperty": self._has_own,
            "isPrototypeOf": lambda _this, _given: Unknown("a test"),
            "propertyIsEnumerable": self._has_own,
            "toString": lambda this, _given: tag_of(this),
            "valueOf": lambda this, _given: this,
            "toLocaleString": lambda _this, _given: Unknown("a text"),
            "__defineGetter__": self._define_getter,
            "__defineSetter__": self._define_setter,
        }
        for name, native in natives.items():
            realm.object_proto.props[name] = Prop(realm.native(name, native), enumerable=False)

    def _define_getter(self, this: Value, given: list[Value]) -> Value:
        name, getter = key_of(first(given)), first(given, 1)
        if type(this) is Obj and type(name) is str and type(getter) is Obj:
            this.props[name] = Prop(None, getter.site, getter=getter)
        return UNDEFINED

    @staticmethod
    def _define_setter(this: Value, given: list[Value]) -> Value:
        name, setter = key_of(first(given)), first(given, 1)
        if type(this) is Obj and type(name) is str:
            this.props.setdefault(name, Prop(UNDEFINED, setter.site if type(setter) is Obj else None))
        return UNDEFINED

    @staticmethod
    def items(value: Value) -> list[Value]:
        """The elements of a list that is handed on as arguments."""
        return list(value.items) if type(value) is Obj and value.items is not None and value.kind == "array" else []

    def _object(self, _this: Value, given: list[Value]) -> Value:
        value = first(given)
        return self.realm.object() if is_nullish(value) else value

    def _assign(self, _this: Value, given: list[Value]) -> Value:
        target = first(given)
        for source in given[1:]:
            for option in source.options if type(source) is Union else (source,):
                self._assign_one(target, option)
        return target

    def _assign_one(self, target: Value, source: Value) -> None:
        if type(source) is Unknown:
            for option in target.options if type(target) is Union else (target,):
                if type(option) is Obj:
                    option.open(f"it takes in what is not known ({source.reason})")
        elif type(source) is Obj:
            for name, prop in list(source.props.items()):
                if prop.enumerable:
                    self.realm.step()
                    self.realm.set(target, name, self.realm.read(prop, source), prop.site)
            if source.doors and type(target) is Obj:
                for door in source.doors:
                    target.open(door)

    def _list(self, given: list[Value], each: Callable[[Obj, str], Value]) -> Value:
        target = first(given)
        names = own_names(target)
        if names is None:
            return self.realm.array([]) if is_nullish(target) else Unknown("the names of what is not known")
        self.realm.step(len(names))
        if type(target) is Union or target.kind == "array":
            return self.realm.array([each(target, name) for name in names])
        return self.realm.array([each(target, name) for name in names if target.props[name].enumerable])

    def _value_of(self, target: Obj, name: str) -> Value:
        return self.realm.get(target, name)

    def _entry_of(self, target: Obj, name: str) -> Value:
        return self.realm.array([name, self.realm.get(target, name)])

    def _define_property(self, _this: Value, given: list[Value]) -> Value:
        target, key, descriptor = first(given), first(given, 1), first(given, 2)
        for option in target.options if type(target) is Union else (target,):
            if type(option) is Obj:
                self._define(option, key, descriptor)
        return target

    def _define(self, target: Obj, key: Value, descriptor: Value) -> None:
        name = key_of(key)
        if name is None:
            target.open("names are defined by computation")
            return
        if type(name) is Sym:
            return
        realm = self.realm
        if type(descriptor) is not Obj:
            target.props.setdefault(str(name), Prop(Unknown("a property that is defined by computation")))
            return
        getter = realm.get(descriptor, "get")
        value = realm.get(descriptor, "value")
        enumerable = truth(realm.get(descriptor, "enumerable")) is not False
        site = next((prop.site for prop in descriptor.props.values() if prop.site is not None), None)
        setter = realm.get(descriptor, "set")
        if type(getter) is Obj:
            target.props[str(name)] = Prop(None, getter.site or site, getter=getter, enumerable=enumerable)
            target.props[str(name)].setter = setter if type(setter) is Obj else None
        else:
            old = target.props.get(str(name))
            if value is UNDEFINED and old is not None:
                old.enumerable = enumerable
                return
            target.props[str(name)] = Prop(value, site, enumerable=enumerable)

    def _define_properties(self, _this: Value, given: list[Value]) -> Value:
        target, descriptors = first(given), first(given, 1)
        if type(target) is Obj and type(descriptors) is Obj:
            for name, prop in list(descriptors.props.items()):
                self._define(target, name, self.realm.read(prop, descriptors))
            for door in descriptors.doors:
                target.open(door)
        elif type(target) is Obj:
            target.open("properties are defined by computation")
        return target

    def _create(self, _this: Value, given: list[Value]) -> Value:
        made = self.realm.object()
        self.realm.set_proto_of(made, first(given))
        if len(given) > 1:
            self._define_properties(UNDEFINED, [made, given[1]])
        return made

    @staticmethod
    def _proto_of(target: Value) -> Value:
        if type(target) is Obj:
            return target.proto
        return target if type(target) is Unknown else Unknown("a prototype")

    def _set_prototype_of(self, _this: Value, given: list[Value]) -> Value:
        self.realm.set_proto_of(first(given), first(given, 1))
        return first(given)

    def _own_property_names(self, _this: Value, given: list[Value]) -> Value:
        target = first(given)
        names = own_names(target)
        if names is None:
            return Unknown("the names of what is not known")
        if type(target) is Obj and target.code is not None and target.code.constructs:
            self.realm.prototype_of(target)
            names = ["length", "name", *target.props]
        return self.realm.array(list(names))

    def _own_symbols(self, _this: Value, given: list[Value]) -> Value:
        target = first(given)
        return self.realm.array(list(target.symbols)) if type(target) is Obj else self.realm.array([])

    def _descriptor(self, target: Value, key: Value) -> Value:
        name = key_of(key)
        if type(target) is not Obj or type(name) is not str:
            return Unknown("a property's descriptor")
        prop = target.props.get(name)
        if prop is None:
            return Unknown(target.doors[0]) if target.doors else UNDEFINED
        made = self.realm.object(prop.site)
        if prop.getter is not None:
            made.props["get"] = Prop(prop.getter, prop.site)
        else:
            made.props["value"] = Prop(prop.value, prop.site)
            made.props["writable"] = Prop(value=True)
        made.props["enumerable"] = Prop(prop.enumerable)
        made.props["configurable"] = Prop(value=True)
        return made

    def _descriptors(self, _this: Value, given: list[Value]) -> Value:
        target = first(given)
        if type(target) is not Obj:
            return Unknown("descriptors")
        made = self.realm.object()
        for name in list(target.props):
            made.props[name] = Prop(self._descriptor(target, name), target.props[name].site)
        made.doors.extend(target.doors)
        return made

    def _from_entries(self, _this: Value, given: list[Value]) -> Value:
        made = self.realm.object()
        items = elements(first(given))
        if items is None:
            made.open("it is made of entries that are not known")
            return made
        for item in items:
            self.realm.set(made, self.realm.get(item, 0), self.realm.get(item, 1))
        return made

    @staticmethod
    def _is(left: Value, right: Value) -> Value:
        if type(left) in (Unknown, Union) or type(right) in (Unknown, Union):
            return Unknown("a test")
        return left is right or (type(left) is type(right) and type(left) is not Obj and left == right)

    @staticmethod
    def _has_own(this: Value, given: list[Value]) -> Value:
        name = key_of(first(given))
        if type(this) is not Obj or type(name) is not str:
            return Unknown("a test")
        if name in this.props or (name == "prototype" and this.code is not None and this.code.constructs):
            return True
        return Unknown("a test") if this.doors else False

    def _reflect_set(self, _this: Value, given: list[Value]) -> Value:
        self.realm.set(first(given), first(given, 1), first(given, 2))
        return True

    def _reflect_has(self, _this: Value, given: list[Value]) -> Value:
        target, name = first(given), key_of(first(given, 1))
        if type(target) is not Obj or type(name) is not str:
            return Unknown("a test")
        if target.find(name) is not None:
            return True
        return Unknown("a test") if target.opened() else False


def install_functions(realm: Realm, names: dict[str, Value]) -> None:
    """`Function.prototype`, `Symbol`, `Proxy`, `Promise`, and what converts primitives."""
    _function_prototype(realm)
    names["Symbol"] = _symbol(realm)
    names["Proxy"] = realm.native("Proxy", _proxy)
    names["String"] = _converter(realm, "String", realm.string_proto, realm.text_of)
    names["Boolean"] = _converter(realm, "Boolean", Obj(realm.object_proto), truth)
    names["Number"] = _converter(realm, "Number", realm.number_proto, _number_of)
    names["parseInt"] = names["parseFloat"] = realm.native(
        "parseInt", lambda _this, given: _or_unknown(_number_of(first(given)), "a number")
    )
    names["BigInt"] = _converter(
        realm, "BigInt", Obj(realm.object_proto), lambda value: value if isinstance(value, (int, float)) else None
    )
    _number_names(names["Number"])


_DIGITS = re.compile(r"\s*[-+]?\d{1,15}(?:\.\d{1,15})?\s*")


def _number_of(value: Value) -> Value:
    """The number a value stands for; None where that is not known."""
    if isinstance(value, (int, float)):
        return value
    if type(value) is str and _DIGITS.fullmatch(value):
        number = float(value)
        return int(number) if number.is_integer() else number
    return None


def _or_unknown(value: Value, what: str) -> Value:
    return Unknown(what) if value is None else value


def _number_names(number: Obj) -> None:
    for name, value in {
        "MAX_SAFE_INTEGER": 9007199254740991,
        "MIN_SAFE_INTEGER": -9007199254740991,
        "EPSILON": 2.220446049250313e-16,
    }.items():
        number.props[name] = Prop(value)


def _function_prototype(realm: Realm) -> None:
    def call(this: Value, given: list[Value]) -> Value:
        return realm.call(this, first(given), given[1:])

    def apply(this: Value, given: list[Value]) -> Value:
        return realm.call(this, first(given), ObjectBuiltins.items(first(given, 1)))

    def bind(this: Value, given: list[Value]) -> Value:
        bound = realm.native(
            this.name if type(this) is Obj else "", lambda _this, more: realm.call(this, first(given), given[1:] + more)
        )
        if type(this) is Obj:
            bound.site = this.site
        return bound

    for name, native in {"call": call, "apply": apply, "bind": bind}.items():
        realm.function_proto.props[name] = Prop(realm.native(name, native), enumerable=False)


def _symbol(realm: Realm) -> Obj:
    registry: dict[str, Sym] = {}

    def make(_this: Value, given: list[Value]) -> Value:
        return Sym(first(given) if type(first(given)) is str else "")

    def registered(_this: Value, given: list[Value]) -> Value:
        name = first(given)
        return registry.setdefault(name, Sym(name)) if type(name) is str else Unknown("a symbol")

    made = realm.native("Symbol", make)
    made.props["for"] = Prop(realm.native("for", registered))
    for name in ("iterator", "asyncIterator", "hasInstance", "toPrimitive", "toStringTag", "species", "match"):
        made.props[name] = Prop(Sym(name))
    for name in ("dispose", "asyncDispose", "isConcatSpreadable", "unscopables"):
        made.props[name] = Prop(Sym(name))
    made.props["prototype"] = Prop(Obj(realm.object_proto), enumerable=False)
    return made


def _proxy(_this: Value, given: list[Value]) -> Value:
    """A proxy: its target where no trap answers names, else its target's names and an open door."""
    target, handler = first(given), first(given, 1)
    if type(target) is not Obj:
        return Unknown("a proxy of what is not known")
    traps = set(handler.props) if type(handler) is Obj else {"get"}
    if type(handler) is Obj and not handler.doors and not traps & {"get", "has", "ownKeys", "getOwnPropertyDescriptor"}:
        return target
    made = Obj(target, target.kind, target.site, target.name)
    made.code, made.native = target.code, target.native
    made.open("a Proxy answers names")
    return made


def _converter(realm: Realm, name: str, proto: Obj, convert: Callable[[Value], Value]) -> Obj:
    def run(_this: Value, given: list[Value]) -> Value:
        if not given:
            return {"String": "", "Boolean": False}.get(name, 0)
        value = convert(given[0])
        return Unknown(f"what {name} gives") if value is None else value

    made = realm.native(name, run)
    made.props["prototype"] = Prop(proto, enumerable=False)
    return made


def thrown(realm: Realm, text: str) -> ThrownError:
    """An error of the evaluated program."""
    error = realm.object()
    error.props["message"] = Prop(text)
    error.props["code"] = Prop("MODULE_NOT_FOUND")
    return ThrownError(error)

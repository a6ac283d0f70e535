"""What is there without a package: the globals, and Node's own modules, by the names that they have.

The names come from `node_builtins.json`, which lists them for one version of Node; what the functions do is known of only a few.
"""

from __future__ import annotations

import json
import os
from functools import cache

from briefkit.records import TYPE_CHECKING

from .javascript_builtins import ObjectBuiltins, first, install_functions
from .javascript_collections import ArrayBuiltins, install_maps
from .javascript_strings import install_strings
from .javascript_values import UNDEFINED, Obj, Prop, Sym, Unknown, Value

if TYPE_CHECKING:
    from typing import Any

    from .javascript_realm import Realm


@cache
def _names() -> dict[str, Any]:
    path = os.path.join(os.path.dirname(__file__), "node_builtins.json")
    with open(path, encoding="utf-8") as file:
        return json.load(file)  # type: ignore[no-any-return]


def is_builtin(specifier: str) -> bool:
    """Whether Node answers this import itself."""
    return specifier.startswith("node:") or specifier in _names()


def prototype_names(name: str) -> list[str] | None:
    """The names that values of a global class have (`Array`, `Promise`), None where no such class is known."""
    entry = _names()[""]["m"].get(_LIKE.get(name, name))
    members = entry.get("p") if entry else None
    if members is None:
        return None
    names: list[str] = members.split()
    if name in ("Function", "CallableFunction", "NewableFunction"):
        names += ["length", "name", "arguments", "caller", "prototype"]
    if name.endswith("Error"):
        names += ["name", "message", "stack", "cause", "toString"]
    return [*names, "constructor"]


_LIKE = {
    "ReadonlyArray": "Array",
    "ReadonlyMap": "Map",
    "ReadonlySet": "Set",
    "PromiseLike": "Promise",
    "CallableFunction": "Function",
    "NewableFunction": "Function",
}


class Hosts:
    """The globals and built-in modules of one realm, made when they are asked for."""

    def __init__(self, realm: Realm) -> None:
        self.realm = realm
        self._modules: dict[str, Value] = {}
        self._classes: dict[str, Obj] = {}
        self.globals: dict[str, Value] = {}
        self._install()

    def module(self, specifier: str) -> Value:
        """A built-in module's exports; an `Unknown` for one whose names are not listed."""
        name = specifier.removeprefix("node:")
        if name not in self._modules:
            entry = _names().get(name)
            self._modules[name] = self._module(name, entry) if entry else Unknown(f"the built-in module {name}")
        return self._modules[name]

    def _install(self) -> None:
        realm, names = self.realm, self.globals
        entry = _names()[""]
        self._fill(entry, names)
        names["Object"], names["Reflect"] = ObjectBuiltins(realm).install()
        names["Array"] = ArrayBuiltins(realm).install()
        install_strings(realm)
        install_maps(realm, names)
        install_functions(realm, names)
        names["Function"] = self._function()
        self._complete(entry)
        self._errors()
        self._promise()
        self._regex()
        names["process"] = self._process(entry)
        names["globalThis"] = realm.object()
        whole = names["globalThis"]
        whole.open("a global object")
        whole.props = {name: Prop(value) for name, value in names.items()}
        names["global"] = whole
        names["NaN"] = names["Infinity"] = Unknown("a number")

    def _fill(self, entry: dict[str, Any], names: dict[str, Value]) -> None:
        for name in entry.get("fns", "").split():
            names[name] = self._plain_function(name)
        for name in entry.get("vals", "").split():
            names[name] = Sym(name) if "symbol" in name.lower() or name == "custom" else Unknown(f"the value of {name}")
        for name, inner in entry.get("m", {}).items():
            names[name] = self._described(name, inner)

    def _plain_function(self, name: str) -> Obj:
        result = Unknown(f"what {name} gives")
        return self.realm.native(name, lambda _this, _given: result)

    def _described(self, name: str, entry: dict[str, Any]) -> Value:
        if "a" in entry:
            return self.realm.array(list(entry["a"].split()))
        if "f" not in entry:
            made = self.realm.object()
            for member in entry.get("o", "").split():
                made.props[member] = Prop(self._member(member))
            return made
        return self._class(name, entry)

    def _member(self, name: str) -> Obj:
        return self._plain_function(name)

    def _class(self, name: str, entry: dict[str, Any]) -> Obj:
        realm = self.realm
        members = entry.get("p", "")
        is_class = bool(members) or "b" in entry
        key = f"{name} {members}"
        if is_class and key in self._classes:
            return self._classes[key]
        made = realm.native(name, lambda _this, _given: UNDEFINED) if is_class else self._plain_function(name)
        self._classes[key] = made
        for member in entry.get("s", "").split():
            made.props[member] = Prop(self._member(member), enumerable=False)
        if is_class:
            proto = realm.object()
            proto.props["constructor"] = Prop(made, enumerable=False)
            for member in members.split():
                proto.props[member] = Prop(self._member(member), enumerable="e" in entry)
            made.props["prototype"] = Prop(proto, enumerable=False)
            base = self._base(entry.get("b"))
            if base is not None:
                proto.proto = base.props["prototype"].value
                made.proto = base
            elif entry.get("b", "Object") != "Object":
                proto.open(f"its base {entry['b']} is not listed")
        return made

    def _base(self, name: str | None) -> Obj | None:
        if not name or name == "Object":
            return None
        for entry in (_names()["events"], _names()["stream"], _names()["net"], _names()[""], _names()["http"]):
            inner = entry.get("m", {}).get(name)
            if inner and inner.get("p"):
                return self._class(name, inner)
        return None

    def _module(self, name: str, entry: dict[str, Any]) -> Obj:
        if "f" in entry and entry.get("p"):
            made = self._class(_CLASS_OF.get(name, name), entry)
        elif "f" in entry:
            made = self._plain_function(name)
        else:
            made = self.realm.object()
        names: dict[str, Value] = {}
        self._fill(entry, names)
        for key, value in names.items():
            made.props.setdefault(key, Prop(value))
            if type(value) is Obj and value.props:
                made.props[key] = Prop(value)
        if name in ("events", "stream"):
            made.props[_CLASS_OF[name]] = Prop(made)
        self._special(name, made)
        return made

    def _special(self, name: str, made: Obj) -> None:
        realm = self.realm
        if name == "util":
            made.props["inherits"] = Prop(realm.native("inherits", self._inherits))
            made.props["deprecate"] = Prop(realm.native("deprecate", lambda _this, given: first(given)))
            inspect = realm.native("inspect", lambda _this, _given: Unknown("a text"))
            inspect.props["custom"] = Prop(Sym("nodejs.util.inspect.custom"))
            made.props["inspect"] = Prop(inspect)
            made.props["promisify"] = Prop(realm.native("promisify", lambda _this, given: first(given)))
        elif name == "module":
            made.props["createRequire"] = Prop(realm.native("createRequire", self._create_require))

    def _create_require(self, _this: Value, _given: list[Value]) -> Value:
        return Unknown("a module that is required by computation")

    def _inherits(self, _this: Value, given: list[Value]) -> Value:
        child, parent = first(given), first(given, 1)
        proto = self.realm.get(child, "prototype")
        self.realm.set_proto_of(proto, self.realm.get(parent, "prototype"))
        if type(child) is Obj:
            child.props["super_"] = Prop(parent)
        return UNDEFINED

    def _function(self) -> Obj:
        made = self.realm.native("Function", self._of_text)
        made.props["prototype"] = Prop(self.realm.function_proto, enumerable=False)
        return made

    def _of_text(self, _this: Value, given: list[Value]) -> Value:
        """`Function("return this")`, by which modules ask for the global object; other text is not evaluated."""
        if len(given) == 1 and type(given[0]) is str and given[0].strip("; ") == "return this":
            return self.realm.native("", lambda _this, _given: self.globals["globalThis"])
        return Unknown("a function that is made of text")

    def _complete(self, entry: dict[str, Any]) -> None:
        """Give the globals whose functions are understood, and their prototypes, the names of those that are not."""
        realm = self.realm
        for name, proto in {
            "Object": realm.object_proto,
            "Function": realm.function_proto,
            "Array": realm.array_proto,
            "String": realm.string_proto,
            "Number": realm.number_proto,
            "Map": realm.map_proto,
            "Set": realm.set_proto,
        }.items():
            for member in entry["m"][name].get("p", "").split():
                proto.props.setdefault(member, Prop(self._member(member), enumerable=False))
        for proto in (realm.string_proto, realm.array_proto):
            proto.props.setdefault("length", Prop(Unknown("a length"), enumerable=False))
        for name, value in self.globals.items():
            inner = entry["m"].get(name)
            if inner and type(value) is Obj:
                for member in (*inner.get("s", "").split(), *inner.get("o", "").split()):
                    value.props.setdefault(member, Prop(self._static(name, member), enumerable=False))

    def _static(self, owner: str, name: str) -> Value:
        """A name of a global itself: a function, a constant where it is written as one, a symbol of `Symbol`."""
        if name[:1].isupper():
            return Unknown(f"the value of {name}")
        return Sym(name) if owner == "Symbol" and name != "keyFor" else self._member(name)

    def _errors(self) -> None:
        realm = self.realm
        base = self.globals["Error"]
        base_proto = base.props["prototype"].value

        def construct(this: Value, given: list[Value]) -> Value:
            if type(this) is Obj and given:
                this.props["message"] = Prop(first(given), enumerable=False)
            return this if type(this) is Obj else realm.object()

        for name, value in self.globals.items():
            if name.endswith("Error") and type(value) is Obj:
                value.native = construct
                proto = value.props.get("prototype")
                if proto is None:
                    proto = value.props["prototype"] = Prop(realm.object(), enumerable=False)
                if value is not base and type(proto.value) is Obj:
                    proto.value.proto = base_proto
                    value.proto = base
        for name in ("name", "message", "stack", "cause"):
            base_proto.props.setdefault(name, Prop(Unknown("a text"), enumerable=False))

    def _regex(self) -> None:
        regex = self.globals["RegExp"]
        proto = regex.props.get("prototype") if type(regex) is Obj else None
        if proto is not None and type(proto.value) is Obj:
            self.realm.regex_proto.proto = proto.value
        self.realm.regex_proto.props["lastIndex"] = Prop(0)

    def _promise(self) -> None:
        promise = self.globals["Promise"]
        if type(promise) is Obj:
            promise.native = lambda this, _given: this
            proto = promise.props.get("prototype")
            if proto is not None and type(proto.value) is Obj:
                self.realm.promise_proto = proto.value

    def _process(self, entry: dict[str, Any]) -> Obj:
        del entry
        realm = self.realm
        made = realm.object()
        env = realm.object()
        env.open("the environment")
        made.props["env"] = Prop(env)
        versions = realm.object()
        versions.props["node"] = Prop(Unknown("a version"))
        versions.open("versions")
        made.props["versions"] = Prop(versions)
        made.open("the process")
        return made


_CLASS_OF = {"events": "EventEmitter", "stream": "Stream"}

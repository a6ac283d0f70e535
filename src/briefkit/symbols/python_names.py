"""What a name in a module leads to: its own definitions, imports, stars, submodules, tables of a lazy `__getattr__`, and the doors."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from .python_facts import (
    ALWAYS,
    CALL,
    CLASS,
    CONDITION,
    DECLARED,
    DEF,
    DELETED,
    EXTRA,
    IMPORT,
    ITEMS,
    KIND,
    LINE,
    LITERAL,
    OTHER_PLATFORM,
    OTHER_VERSION,
    SOMETIMES,
    SUBSCRIPT,
    SUM,
    TABLE,
    TEXT,
    TYPING_ONLY,
    VALUE,
    Binding,
    Value,
    alive,
)
from .python_lazy import LazyNames
from .python_stdlib import in_version
from .python_things import COMPILED, MODULE, OPAQUE, Lookup, Thing
from .records import ABSENT, EXISTS, UNKNOWN

if TYPE_CHECKING:
    from typing import Any

    from .python_modules import Module, World

_LIVE = frozenset((ALWAYS, SOMETIMES, OTHER_PLATFORM))
_MODULE_NAMES = frozenset(
    (
        "__name__",
        "__doc__",
        "__file__",
        "__path__",
        "__dict__",
        "__spec__",
        "__loader__",
        "__package__",
        "__builtins__",
        "__cached__",
    )
)
_DEPTH = 40


_GONE = Lookup(ABSENT)


class Names:
    """Lookups in the modules of one world, each done once."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._known: dict[tuple[str, str], Lookup] = {}
        self._busy: set[tuple[str, str]] = set()
        self.lazy = LazyNames(self)

    def lookup(self, module: Module, name: str) -> Lookup:
        """What `module.name` is at run time."""
        key = (module.key, name)
        known = self._known.get(key)
        if known is not None:
            return known
        if key in self._busy or len(self._busy) > _DEPTH * 4:
            return Lookup(UNKNOWN, None, "its imports run in a circle", f"circular import of {name} in {module.name}")
        self._busy.add(key)
        try:
            found = self._lookup(module, name)
        finally:
            self._busy.discard(key)
        self._known[key] = found
        return found

    def _lookup(self, module: Module, name: str) -> Lookup:
        bindings = module.facts["bindings"].get(name)
        live = alive(bindings, stub=module.is_stub) if bindings else ()
        if live:
            return self._bound(module, name, live)
        for step in (self._starred, self._submodule, self._compiled, self.lazy.lookup):
            found = step(module, name)
            if found is not None:
                return found
        return self._not_bound(module, name, bindings)

    def _bound(self, module: Module, name: str, live: tuple[Binding, ...]) -> Lookup:
        note = "only on another platform" if all(b[CONDITION] == OTHER_PLATFORM for b in live) else None
        thing = self.thing(module, (name,), live)
        return Lookup(EXISTS, thing, "", "", note)

    def _not_bound(self, module: Module, name: str, bindings: list[Binding] | None) -> Lookup:
        """No text binds the name: absent, unless a door stands open."""
        if module.unread:
            door = f"{module.name} was not read ({module.unread})"
            return Lookup(UNKNOWN, None, door, door)
        declared = self.in_stub(module, name)
        if declared is not None and not name.startswith("_"):
            return Lookup(EXISTS, declared, "", "", "declared by the stub; the source does not bind it in its text")
        promised = self._unread_in_stub(module, name)
        if promised is not None:
            return promised
        door = "" if module.stub() is not None else self.door(module)
        if door:
            return Lookup(UNKNOWN, None, door, door)
        given = self._set_from_outside(module, name)
        if given is not None:
            return Lookup(EXISTS, given)
        if name in _MODULE_NAMES:
            return Lookup(EXISTS, Thing(OPAQUE, module, (name,), (), "every module has it"))
        if name.startswith("__") and self._of_every_object(name):
            return Lookup(EXISTS, Thing(OPAQUE, module, (name,), (), "every object has it"))
        return Lookup(ABSENT, None, _why_not(bindings))

    def _unread_in_stub(self, module: Module, name: str) -> Lookup | None:
        """The name where the stub imports it from what cannot be read, such as native code: there, if the stub offers it in `__all__`."""
        stub = module.stub()
        live = alive(stub.facts["bindings"].get(name, ()), stub=True) if stub is not None else ()
        if stub is None or not live:
            return None
        thing = self.thing(stub, (name,), live)
        if thing.kind != OPAQUE:
            return None
        if name in (self.all_names(stub) or ()):
            return Lookup(EXISTS, thing, "", "", f"offered by the stub; {thing.data}")
        door = f"the stub of {module.name} imports {name} from what cannot be read: {thing.data}"
        return Lookup(UNKNOWN, None, door, door)

    def _set_from_outside(self, module: Module, name: str) -> Thing | None:
        """What another module of the distribution sets: `base.dialect = …` after `from . import base`."""
        for other in self.world.setters(name):
            setter = self.world.module(other)
            for target, attribute, line, value in setter.facts["sets"] if setter is not None else ():
                if attribute != name or not isinstance(target, str) or setter is None:
                    continue
                owner = self.path_in(setter, (), target)
                if owner is not None and owner.kind == MODULE and owner.module is module:
                    found = self.path_in(setter, (), value) if isinstance(value, str) else None
                    return found or Thing(OPAQUE, module, (name,), (), f"set by {other} line {line}")
        return None

    def _of_every_object(self, name: str) -> bool:
        builtins = self.world.module("builtins")
        return builtins is not None and builtins.compiled is not None and name in builtins.compiled["object"][3]

    def door(self, module: Module, *, lazily: bool = True) -> str:
        """Why names may be in a module that its text does not show; empty where nothing adds any."""
        facts = module.facts
        for what, line, target in facts["doors"]:
            if what != "setattr" or not isinstance(target, str) or target not in facts["bindings"]:
                return f"{what} at {module.name} line {line} may add names"
        for star, line, condition in facts["stars"]:
            if condition in _LIVE and star != module.name:
                target = self.world.module(star)
                if target is None:
                    return f"import * from {star} at {module.name} line {line}, which is not installed"
                inner = self._star_door(target)
                if inner:
                    return inner
        lazy = self.lazy.door(module) if lazily else ""
        if lazy:
            return lazy
        exporter = self._exporting_decorator(module)
        if exporter:
            return exporter
        for target, line, name, where in facts["reaches"]:
            if name is None and where not in ("__getattr__", "__dir__") and self._is_module_itself(module, target):
                return f"setattr at {module.name} line {line} in {where} may add names"
        if not module.facts["bindings"] and module.file.native and module.compiled is None and module.file.main is None:
            return f"{module.name} is native code without a stub"
        return ""

    def _exporting_decorator(self, module: Module) -> str:
        """Why a class decorator may put names into the module: it sets attributes on `sys.modules[cls.__module__]`."""
        for name, bindings in module.facts["bindings"].items():
            for binding in bindings:
                for decorator in binding[EXTRA]["decorators"] if binding[KIND] == CLASS else ():
                    thing = self.path_in(module, (), decorator) if isinstance(decorator, str) else None
                    if (
                        thing is not None
                        and thing.kind == DEF
                        and any("m" in made[EXTRA][1] for made in thing.bindings)
                    ):
                        return f"decorator {decorator} of {name} at {module.name} line {binding[LINE]} may add names"
        return ""

    def _star_door(self, target: Module) -> str:
        """Why `import *` from a module may bring names that no text shows; its `__getattr__` brings none."""
        if target.unread:
            return f"{target.name} was not read ({target.unread})"
        if (target.key, "*") in self._busy or self.all_names(target) is not None:
            return ""
        self._busy.add((target.key, "*"))
        try:
            return self.door(target, lazily=False)
        finally:
            self._busy.discard((target.key, "*"))

    def _is_module_itself(self, module: Module, target: str) -> bool:
        if target.startswith(("sys.modules", "globals()")):
            return True
        return target == module.name.rpartition(".")[2] and target not in module.facts["bindings"]

    # imports

    def _starred(self, module: Module, name: str) -> Lookup | None:
        for star, _, condition in reversed(module.facts["stars"]):
            if condition not in _LIVE or star == module.name:
                continue
            target = self.world.module(star)
            if target is None:
                continue
            names = self.all_names(target)
            if names is not None and name not in names:
                continue
            if names is None and name.startswith("_"):
                continue
            found = self.lookup(target, name)
            if found.state != EXISTS:
                continue
            if names is None and target.facts["all"] is not None and not self._may_export(target, name, found):
                door = f"the __all__ of {star} is computed"
                return Lookup(UNKNOWN, None, door, door)
            return found
        return None

    def _may_export(self, module: Module, name: str, found: Lookup) -> bool:
        """Whether a computed `__all__` surely holds a name: what the module itself defines, not what it imports."""
        return any(binding[KIND] != IMPORT for binding in module.facts["bindings"].get(name, ())) or (
            found.thing is not None and found.thing.module is not module and name not in module.facts["bindings"]
        )

    def _submodule(self, module: Module, name: str) -> Lookup | None:
        if not module.is_package and module.facts["bindings"]:
            return None
        found = self.world.module(f"{module.name}.{name}")
        return Lookup(EXISTS, Thing(MODULE, found)) if found is not None else None

    def _compiled(self, module: Module, name: str) -> Lookup | None:
        if module.compiled is None:
            return None
        entry = module.compiled.get(name)
        if entry is None or not in_version(f"{module.name}.{name}", self.world.base.version):
            return None
        return Lookup(EXISTS, self.compiled_thing(module, name, entry))

    def compiled_thing(self, module: Module, name: str, entry: Any) -> Thing:  # noqa: ANN401 - JSON
        """The thing that an entry of the compiled table stands for."""
        if isinstance(entry, str) and entry.startswith("@"):
            home, _, other = entry[1:].rpartition(".")
            target = self.world.module(home)
            if target is not None and target.compiled and other in target.compiled:
                return self.compiled_thing(target, other, target.compiled[other])
            return Thing(OPAQUE, module, (name,), (), "compiled into Python")
        return Thing(COMPILED, module, (name,), (), entry)

    # things

    def thing(self, module: Module, path: tuple[str, ...], live: tuple[Binding, ...]) -> Thing:
        """What the live bindings of one name lead to: the best of them, an import followed to its end."""
        best: Thing | None = None
        for binding in sorted(live, key=_preference, reverse=True):
            found = self._thing_of(module, path, binding, live)
            if found.kind not in (OPAQUE, VALUE) or (found.kind == VALUE and not _is_nothing(found)):
                return found
            if best is None:
                best = found
        assert best is not None
        return self._declared_instead(module, path, best)

    def _declared_instead(self, module: Module, path: tuple[str, ...], thing: Thing) -> Thing:
        """What the stub declares, where the source computes a value (`generic = types["generic"]`) and the stub says it is a class."""
        if len(path) != 1 or module.is_stub or module.stub() is None:
            return thing
        if (
            thing.kind == VALUE
            and isinstance(thing.bindings[0][EXTRA], list)
            and thing.bindings[0][EXTRA][0] not in (CALL, SUBSCRIPT, "@")
        ):
            return thing
        declared = self.in_stub(module, path[0])
        if declared is None or declared.kind == MODULE:
            return thing
        is_alias = (
            declared.kind == VALUE
            and isinstance(declared.bindings[0][EXTRA], list)
            and declared.bindings[0][EXTRA][0] == SUBSCRIPT
        )
        return declared if declared.kind in (CLASS, DEF) or is_alias else thing

    def _thing_of(self, module: Module, path: tuple[str, ...], binding: Binding, live: tuple[Binding, ...]) -> Thing:
        kind = binding[KIND]
        if kind == IMPORT:
            return self._imported(module, path, binding)
        if kind in (CLASS, DEF):
            return Thing(kind, module, path, tuple(other for other in live if other[KIND] == kind))
        if kind == VALUE and isinstance(binding[EXTRA], str) and binding[EXTRA] != path[-1]:
            found = self.path_in(module, path[:-1], binding[EXTRA])
            if found is not None and found.kind != OPAQUE:
                return found
        if kind == VALUE and isinstance(binding[EXTRA], list) and binding[EXTRA][:1] == [CALL]:
            given = binding[EXTRA][1:3]
            if given[0] in ("staticmethod", "classmethod") and isinstance(given[-1], str):
                found = self.path_in(module, path[:-1], given[-1])
                if found is not None and found.kind == DEF:
                    return found
        return Thing(VALUE, module, path, (binding,))

    def _imported(self, module: Module, path: tuple[str, ...], binding: Binding) -> Thing:
        origin, name = binding[EXTRA][:2]
        target = self.world.module(origin)
        if target is None:
            return Thing(OPAQUE, module, path, (binding,), f"{origin} is not installed")
        if name is None:
            return Thing(MODULE, target)
        if module.is_stub and target.stub() is not None:  # stubs speak to stubs
            declared = self.in_stub(target, name)
            if declared is not None:
                return declared
        found = self.lookup(target, name)
        if found.thing is not None:
            return self._own_declaration(module, path, found.thing)
        if found.state == UNKNOWN and target.is_package:
            submodule = self.world.module(f"{origin}.{name}")
            if submodule is not None:
                return Thing(MODULE, submodule)
        stub = self.in_stub(target, name) or (self.in_stub(module, path[0]) if len(path) == 1 else None)
        return stub or Thing(OPAQUE, module, path, (binding,), found.reason or f"{origin} does not show {name}")

    def _own_declaration(self, module: Module, path: tuple[str, ...], thing: Thing) -> Thing:
        """The class that a stub declares under an import's name, where the source leads out of the distribution: code put it there."""
        if len(path) != 1 or thing.kind == MODULE or self.world.is_own(thing.module.name):
            return thing
        stub = module.stub()
        live = alive(stub.facts["bindings"].get(path[0], ()), stub=True) if stub is not None else ()
        declared = any(binding[KIND] == CLASS for binding in live)
        return (self.in_stub(module, path[0]) or thing) if declared else thing

    def in_stub(self, module: Module, name: str) -> Thing | None:
        """What the stub beside a module's source declares: it stands for native code that cannot be read."""
        stub = module.stub()
        if stub is None:
            return None
        found = self.lookup(stub, name)
        return found.thing if found.state == EXISTS and found.thing is not None and found.thing.kind != OPAQUE else None

    def path_in(self, module: Module, scope: tuple[str, ...], path: str) -> Thing | None:
        """What a dotted path means inside a module, or inside a class body of it; None where it leads nowhere."""
        first, *rest = path.split(".")
        thing = self._in_scope(module, scope, first) if scope else None
        if thing is None:
            found = self.lookup(module, first)
            thing = found.thing if found.thing is not None else self._builtin(first)
        for part in rest:
            if thing is None:
                return None
            thing = self._inside(thing, part)
        return thing

    def _in_scope(self, module: Module, scope: tuple[str, ...], name: str) -> Thing | None:
        body: dict[str, Any] | None = module.facts
        for part in scope:
            body = next((b[EXTRA] for b in (body or {}).get("bindings", {}).get(part, ()) if b[KIND] == CLASS), None)
        live = alive((body or {}).get("bindings", {}).get(name, ()), stub=module.is_stub)
        return self.thing(module, (*scope, name), live) if live else None

    def _builtin(self, name: str) -> Thing | None:
        builtins = self.world.module("builtins")
        entry = (builtins.compiled or {}).get(name) if builtins is not None else None
        return self.compiled_thing(builtins, name, entry) if builtins is not None and entry is not None else None

    def _inside(self, thing: Thing, name: str) -> Thing | None:
        if thing.kind == MODULE:
            return self.lookup(thing.module, name).thing
        if thing.kind == CLASS:
            for binding in thing.bindings:
                live = alive(binding[EXTRA]["bindings"].get(name, ()), stub=thing.module.is_stub)
                if live:
                    return self.thing(thing.module, (*thing.path, name), live)
        return None

    # __all__

    def all_names(self, module: Module) -> frozenset[str] | None:
        """The names of a module's `__all__`, None where it has none or not all of it is written out."""
        steps = module.facts["all"]
        if steps is None:
            return None
        names: set[str] = set()
        for step, value in steps:
            given = self._name_list(module, value, 0)
            if given is None:
                return None
            names = names - given if step == "-" else names | given if step == "+" else given
        return frozenset(names)

    def _name_list(self, module: Module, value: Value, depth: int) -> set[str] | None:
        if depth > _DEPTH or value is None:
            return None
        if isinstance(value, str):
            return self._names_at(module, value, depth)
        form = value[0]
        if form in (ITEMS, SUM):
            names: set[str] = set()
            for part in value[1:]:
                if form == ITEMS and isinstance(part, list) and part[0] == TEXT:
                    names.add(part[1])
                    continue
                inner = part[1] if isinstance(part, list) and part[0] == "*" else part if form == SUM else None
                given = self._name_list(module, inner, depth + 1)
                if given is None:
                    return None
                names |= given
            return names
        if form == CALL and value[1] in ("list", "tuple", "sorted", "set") and len(value) > 2:
            return self._name_list(module, value[2], depth + 1)
        if form == TABLE:
            keys = {pair[0][1] for pair in value[1:] if isinstance(pair[0], list) and pair[0][0] == TEXT}
            return keys if len(keys) == len(value) - 1 else None
        return None

    def _names_at(self, module: Module, path: str, depth: int) -> set[str] | None:
        owner, _, last = path.rpartition(".")
        if last == "__all__":
            thing = self.path_in(module, (), owner) if owner else None
            names = self.all_names(thing.module) if thing is not None and thing.kind == MODULE else None
            return set(names) if names is not None else None
        thing = self.path_in(module, (), path)
        if thing is None or thing.kind != VALUE or len(thing.bindings) != 1:
            return None
        return self._name_list(thing.module, thing.bindings[0][EXTRA], depth + 1)

    def public_names(self, module: Module) -> list[str]:
        """The names that a module offers: those of `__all__` where it has one, else all that do not begin with `_`."""
        names = self.all_names(module)
        if names is not None:
            return sorted(names)
        found = {
            name
            for name, bindings in module.facts["bindings"].items()
            if not name.startswith("_") and alive(bindings, stub=module.is_stub)
        }
        return sorted(found)


def _preference(binding: Binding) -> tuple[int, int, int]:
    """Definitions before imports before values; among equals the last, which is what stays."""
    kind = binding[KIND]
    weight = 3 if kind in (CLASS, DEF) else 2 if kind == IMPORT else 1 if kind == VALUE else 0
    if binding[CONDITION] == OTHER_PLATFORM:
        weight -= 2
    if kind == DEF and any(_last(d) == "overload" for d in binding[EXTRA][0]):
        weight = 2
    return (1 if binding[CONDITION] == ALWAYS else 0, weight, binding[LINE])


def _last(value: Value) -> str:
    if isinstance(value, list) and value and value[0] in (CALL, SUBSCRIPT):
        value = value[1]
    return value.rpartition(".")[2] if isinstance(value, str) else ""


def _is_nothing(thing: Thing) -> bool:
    value = thing.bindings[0][EXTRA] if thing.bindings else None
    return isinstance(value, list) and value[0] == LITERAL and value[1] in ("None", "False", "...")


def _why_not(bindings: list[Binding] | None) -> str:
    if not bindings:
        return ""
    last = bindings[-1]
    if last[KIND] == DELETED:
        return f"deleted at line {last[LINE]}"
    if last[KIND] == DECLARED:
        return f"only annotated, at line {last[LINE]}, never given a value"
    if last[CONDITION] == TYPING_ONLY:
        return f"only there for type checkers (line {last[LINE]})"
    return f"only there on another Python version (line {last[LINE]})" if last[CONDITION] == OTHER_VERSION else ""

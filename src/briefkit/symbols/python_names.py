"""What a name in a module leads to: its own definitions, imports, stars, submodules, tables of a lazy `__getattr__`, and the doors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .python_facts import (
    ALWAYS,
    CALL,
    CHOICE,
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
)
from .python_stdlib import in_version
from .records import ABSENT, EXISTS, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .python_modules import Module, World

MODULE = "module"
COMPILED = "compiled"
OPAQUE = "opaque"

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


class Thing(NamedTuple):
    """What a name leads to.

    `kind` is `module`, a kind of binding (`CLASS`, `DEF`, `VALUE`), `compiled` (an entry of the compiled table, in `data`) or `opaque` (it is
    there, and what it is cannot be read: the reason in `data`). `path` is its qualified name inside `module`.
    """

    kind: str
    module: Module
    path: tuple[str, ...] = ()
    bindings: tuple[Binding, ...] = ()
    data: Any = None

    @property
    def dotted(self) -> str:
        """The full name where it is defined."""
        return ".".join((self.module.name, *self.path))


class Lookup(NamedTuple):
    """The answer for one name: `state` as in `records`, the thing where it exists, `origin` the module whose text binds it."""

    state: str
    thing: Thing | None = None
    reason: str = ""
    door: str = ""
    note: str | None = None


_GONE = Lookup(ABSENT)


class Names:
    """Lookups in the modules of one world, each done once."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._known: dict[tuple[str, str], Lookup] = {}
        self._busy: set[tuple[str, str]] = set()

    def lookup(self, module: Module, name: str) -> Lookup:
        """What `module.name` is at run time."""
        key = (module.name, name)
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
        for step in (self._starred, self._submodule, self._compiled, self._lazy):
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
        door = self.door(module)
        if door:
            return Lookup(UNKNOWN, None, door, door)
        if name in _MODULE_NAMES:
            return Lookup(EXISTS, Thing(OPAQUE, module, (name,), (), "every module has it"))
        if name.startswith("__") and self._of_every_object(name):
            return Lookup(EXISTS, Thing(OPAQUE, module, (name,), (), "every object has it"))
        stub = module.stub()
        if stub is not None and name in stub["bindings"] and alive(stub["bindings"][name], stub=True):
            reason = f"the stub of {module.name} declares it, the source does not bind it"
            return Lookup(UNKNOWN, None, reason, reason)
        return Lookup(ABSENT, None, _why_not(bindings))

    def _of_every_object(self, name: str) -> bool:
        builtins = self.world.module("builtins")
        return builtins is not None and builtins.compiled is not None and name in builtins.compiled["object"][3]

    def door(self, module: Module) -> str:
        """Why names may be in a module that its text does not show; empty where nothing adds any."""
        facts = module.facts
        if facts["doors"]:
            what, line, _ = facts["doors"][0]
            return f"{what} at {module.name} line {line} may add names"
        for star, line, condition in facts["stars"]:
            if condition in _LIVE and star != module.name:
                target = self.world.module(star)
                if target is None:
                    return f"import * from {star} at {module.name} line {line}, which is not installed"
                if (star, "*") not in self._busy:
                    self._busy.add((star, "*"))
                    try:
                        inner = "" if self.all_names(target) is not None else self.door(target)
                    finally:
                        self._busy.discard((star, "*"))
                    if inner or target.unread:
                        return inner or f"{star} was not read ({target.unread})"
        lazy = facts["lazy"]
        if lazy is not None and lazy["open"]:
            return f"__getattr__ at {module.name} line {lazy['line']} answers names by code"
        if not module.facts["bindings"] and module.file.native and module.compiled is None and module.file.main is None:
            return f"{module.name} is native code without a stub"
        return ""

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
            if found.state == EXISTS:
                return found
        return None

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

    def _lazy(self, module: Module, name: str) -> Lookup | None:
        """The name in what a module's `__getattr__` admits: its comparisons, its tables, and `__all__`, which promises."""
        lazy = module.facts["lazy"]
        made = None if lazy is not None else self._made_lazy(module)
        if lazy is None and made is None:
            return None
        if name.startswith("__"):
            return None
        if made is not None:
            return self._in_texts(module, name, made)
        if name in lazy["names"]:
            return Lookup(EXISTS, self._lazy_thing(module, name, [*lazy["texts"], name]))
        for table in lazy["tables"]:
            for where, value in self._table_values(module, table):
                hit = _in_table(value, name)
                if hit is not None:
                    return Lookup(EXISTS, self._lazy_thing(where, name, [*hit, *lazy["texts"]]))
        if lazy["open"] and name in (self.all_names(module) or ()):
            return Lookup(EXISTS, self._lazy_thing(module, name, lazy["texts"]))
        return None

    def _table_values(self, module: Module, table: str) -> Iterable[tuple[Module, Value]]:
        thing = self.path_in(module, (), table)
        for binding in thing.bindings if thing is not None and thing.kind == VALUE else ():
            if thing is not None:
                yield thing.module, binding[EXTRA]
                if isinstance(binding[EXTRA], list) and binding[EXTRA][0] == CALL:
                    for argument in binding[EXTRA][2:]:
                        yield thing.module, argument

    def _made_lazy(self, module: Module) -> list[str] | None:
        """The strings given to the call that made a module's `__getattr__`, None where none did."""
        for binding in module.facts["bindings"].get("__getattr__", ()):
            if binding[KIND] == VALUE and binding[EXTRA] is not None:
                return list(dict.fromkeys(_strings_in(binding[EXTRA])))
        return None

    def _in_texts(self, module: Module, name: str, texts: list[str]) -> Lookup:
        stub = module.stub()
        if name in texts or (stub is not None and alive(stub["bindings"].get(name, ()), stub=True)):
            return Lookup(EXISTS, self._lazy_thing(module, name, texts))
        door = f"__getattr__ of {module.name} is made by a call"
        return Lookup(UNKNOWN, None, door, door)

    def _lazy_thing(self, module: Module, name: str, texts: list[str]) -> Thing:
        """The definition behind a lazy name: in one of the modules that the texts name, absolute or relative to the package."""
        package = module.name if module.is_package else module.name.rpartition(".")[0]
        top = module.name.partition(".")[0]
        for text in texts[:200]:
            bare, _, attribute = text.partition(":")
            bare = bare.strip(".")
            for base in dict.fromkeys((f"{package}.{bare}", bare if bare.startswith(top) else "", f"{top}.{bare}")):
                thing = self._defined_in(base, attribute or name)
                if thing is not None:
                    return thing
        submodule = self.world.module(f"{package}.{name}")
        if submodule is not None:
            return Thing(MODULE, submodule)
        return Thing(OPAQUE, module, (name,), (), f"answered by __getattr__ of {module.name}")

    def _defined_in(self, dotted: str, name: str) -> Thing | None:
        if not dotted or not all(part.isidentifier() for part in dotted.split(".")):
            return None
        module = self.world.module(dotted)
        if module is not None and module.facts["bindings"]:
            found = self.lookup(module, name)
            if found.state == EXISTS and found.thing is not None:
                return found.thing
        above, _, last = dotted.rpartition(".")
        if last != name or not above:
            return None
        owner = self.world.module(above)
        found = self.lookup(owner, last) if owner is not None else _GONE
        return found.thing if found.state == EXISTS else None

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
        return best

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
        return Thing(VALUE, module, path, (binding,))

    def _imported(self, module: Module, path: tuple[str, ...], binding: Binding) -> Thing:
        origin, name = binding[EXTRA][:2]
        target = self.world.module(origin)
        if target is None:
            return Thing(OPAQUE, module, path, (binding,), f"{origin} is not installed")
        if name is None:
            return Thing(MODULE, target)
        found = self.lookup(target, name)
        if found.thing is not None:
            return found.thing
        stub = self._in_stub_of(module, path) or self._in_stub_of(target, (name,))
        return stub or Thing(OPAQUE, module, path, (binding,), found.reason or f"{origin} does not show {name}")

    def _in_stub_of(self, module: Module, path: tuple[str, ...]) -> Thing | None:
        """The declaration in the stub beside the source: it stands for native code that cannot be read."""
        stub = module.stub()
        live = alive(stub["bindings"].get(path[0], ()), stub=True) if stub is not None and len(path) == 1 else ()
        kinds = {binding[KIND] for binding in live}
        for kind in (CLASS, DEF):
            if kind in kinds:
                return Thing(kind, module, path, tuple(b for b in live if b[KIND] == kind), "stub")
        return None

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


def alive(bindings: Iterable[Binding], *, stub: bool) -> tuple[Binding, ...]:
    """The bindings that hold at run time on this Python: not those for type checkers alone, nor what `del` took away."""
    live: list[Binding] = []
    for binding in bindings:
        if binding[KIND] == DELETED:
            live = []
        elif (binding[CONDITION] in _LIVE or (stub and binding[CONDITION] == TYPING_ONLY)) and binding[
            KIND
        ] != DECLARED:
            live.append(binding)
    return tuple(live)


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


def _in_table(value: Value, name: str) -> list[str] | None:
    """The strings that a table gives for the name (where it leads), None where the name is not in it."""
    if not isinstance(value, list):
        return None
    if value[0] == ITEMS:
        return [] if any(isinstance(item, list) and item[:2] == [TEXT, name] for item in value[1:]) else None
    if value[0] == TABLE:
        return _in_pairs(value[1:], name)
    if value[0] in (SUM, "|", CHOICE, CALL):
        for part in value[1:]:
            hit = _in_table(part, name)
            if hit is not None:
                return hit
    return None


def _in_pairs(pairs: list[Value], name: str) -> list[str] | None:
    for key, given in pairs:
        if isinstance(key, list) and key[:2] == [TEXT, name]:
            texts = list(_strings_in(given))
            return [*texts, ".".join(texts)] if len(texts) > 1 else texts
        if (
            isinstance(key, list)
            and key[0] == TEXT
            and isinstance(given, list)
            and given[0] == ITEMS
            and _in_table(given, name) is not None
        ):
            return [key[1]]
        if key is None:
            hit = _in_table(given, name)
            if hit is not None:
                return hit
    return None


def _strings_in(value: Value) -> Iterable[str]:
    pending = [value]
    while pending:
        at = pending.pop()
        if isinstance(at, list) and at:
            if at[0] == TEXT:
                yield at[1]
            else:
                pending.extend(reversed(at))

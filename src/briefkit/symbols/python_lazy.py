"""Names that a module's `__getattr__` answers: tables read as far as they are written out, and the doors that are left."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from .python_facts import CALL, CHOICE, DEF, EXTRA, ITEMS, KEYWORD, KIND, SUM, TABLE, TEXT, UNION, VALUE, Value
from .python_things import MODULE, OPAQUE, Lookup, NamePort, Thing
from .records import ABSENT, EXISTS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from .python_modules import Module

_DEPTH = 4
_TEXTS = 200


class LazyNames:
    """What the modules of one world answer by code."""

    def __init__(self, names: NamePort) -> None:
        self.names = names
        self.world = names.world

    def lookup(self, module: Module, name: str) -> Lookup | None:
        """The name where a `__getattr__` of the module admits it, None where it does not or there is none."""
        if name.startswith("__"):
            return None
        found = self._admitted(module, module, self._tables_of(module), name, 0)
        if found is not None and found.state == ABSENT:
            return Lookup(ABSENT, None, "its __getattr__ reads it from a module that has none")
        return found if found is not None else self._promised(module, name)

    def door(self, module: Module) -> str:
        """Why the module's `__getattr__` may answer other names; empty where it is closed, or there is none."""
        lazy = self._tables_of(module)
        if lazy is None:
            if any(binding[KIND] == VALUE for binding in module.facts["bindings"].get("__getattr__", ())):
                return f"__getattr__ of {module.name} is made by a call"
            for value, line in module.facts["handed"]:
                return f"a call that is given {_given(value)} at {module.name} line {line} may add names"
            return ""
        if not self._closed(module, lazy, 0):
            return f"__getattr__ at {module.name} line {lazy.get('line', 0)} answers names by code"
        return ""

    def _tables_of(self, module: Module) -> dict[str, Any] | None:
        """What the module's own `__getattr__` admits: its body, or that of the function that made it."""
        lazy: dict[str, Any] | None = module.facts["lazy"]
        if lazy is not None:
            return lazy
        makers = [(b[EXTRA], b[1]) for b in module.facts["bindings"].get("__getattr__", ()) if b[KIND] == VALUE]
        for value, line in (*makers, *module.facts["handed"]):
            made = self._made_by(module, value)
            if made is not None:
                where, lazy = made
                return {**lazy, "line": line, "where": where.name}
        return None

    def _made_by(self, module: Module, value: Value) -> tuple[Module, dict[str, Any]] | None:
        """The tables of the function that a call makes a `__getattr__` with, and the module they are read in."""
        if not isinstance(value, list) or not value or value[0] != CALL or not isinstance(value[1], str):
            return None
        return self._decider(module, value[1])

    def _decider(self, module: Module, path: str) -> tuple[Module, dict[str, Any]] | None:
        thing = self.names.path_in(module, (), path)
        if thing is None or not thing.bindings:
            return None
        if thing.kind == VALUE:
            return self._made_by(thing.module, thing.bindings[0][EXTRA])
        if thing.kind != DEF:
            return None
        lazy = thing.bindings[-1][EXTRA][4]
        return (thing.module, lazy) if lazy is not None else None

    def _closed(self, module: Module, lazy: dict[str, Any], depth: int) -> bool:
        if lazy["open"] or depth > _DEPTH:
            return False
        where = self.world.module(lazy["where"]) if "where" in lazy else module
        for handed in lazy["handed"]:
            found = self._decider(where or module, handed)
            if found is None or not self._closed(found[0], found[1], depth + 1):
                return False
        return True

    def _admitted(
        self, asked: Module, module: Module, lazy: dict[str, Any] | None, name: str, depth: int
    ) -> Lookup | None:
        if lazy is None or depth > _DEPTH:
            return None
        where = (self.world.module(lazy["where"]) if "where" in lazy else module) or module
        if name in lazy["names"]:
            returned = lazy["returned"].get(name)
            thing = self.names.path_in(where, (), returned) if returned else None
            return Lookup(EXISTS, thing or self._thing(asked, name, [*lazy["texts"], name]))
        for table, form in lazy["tables"]:
            key = _key(form, asked.name, name)
            if table == "__all__":
                found_in = self._read_from(where, lazy, name) if name in (self.names.all_names(asked) or ()) else None
                if found_in is not None:
                    return found_in
                continue
            for value in self._values(where, table):
                hit = _in_table(value, key)
                if hit is not None:
                    return Lookup(EXISTS, self._thing(asked, name, [*hit, *lazy["texts"]]))
        for handed in lazy["handed"]:
            found = self._decider(where, handed)
            if found is not None:
                hit_there = self._admitted(asked, found[0], found[1], name, depth + 1)
                if hit_there is not None:
                    return hit_there
        return None

    def _read_from(self, module: Module, lazy: dict[str, Any], name: str) -> Lookup | None:
        """The name in the modules that `getattr(module, name)` reads it from; absent where none of them has it."""
        last: Lookup | None = None
        for path in lazy["from"]:
            thing = self.names.path_in(module, (), path)
            if thing is None or thing.kind != MODULE:
                return None
            last = self.names.lookup(thing.module, name)
            if last.state == EXISTS:
                return last
        return last

    def _values(self, module: Module, table: str) -> Iterable[Value]:
        thing = self.names.path_in(module, (), table)
        for binding in thing.bindings if thing is not None and thing.kind == VALUE else ():
            yield binding[EXTRA]
            if isinstance(binding[EXTRA], list) and binding[EXTRA][0] in ("@", CALL):
                yield from binding[EXTRA][2:]

    def _promised(self, module: Module, name: str) -> Lookup | None:
        """A name that `__all__`, a stub, or the call that made `__getattr__` says is there."""
        bindings = module.facts["bindings"].get("__getattr__", ())
        lazy = module.facts["lazy"]
        handed = module.facts["handed"]
        if lazy is None and not bindings and not handed:
            return None
        texts = list(lazy["texts"]) if lazy is not None else []
        given: list[str] = []
        for value, _ in handed:
            for part in value[2:]:
                hit = _in_table(part[2] if isinstance(part, list) and part[:1] == [KEYWORD] else part, name)
                if hit is not None:
                    return Lookup(EXISTS, self._thing(module, name, hit))
        for binding in bindings:
            if binding[KIND] == VALUE and binding[EXTRA] is not None:
                given += _strings_in(binding[EXTRA])
        if name in (self.names.all_names(module) or ()) or name in given:
            return Lookup(EXISTS, self._thing(module, name, [*texts, *given]))
        declared = self.names.in_stub(module, name)
        return Lookup(EXISTS, declared) if declared is not None else None

    def _thing(self, module: Module, name: str, texts: list[str]) -> Thing:
        """The definition behind a lazy name: in one of the modules that the texts name, absolute or relative to the package."""
        package = module.name if module.is_package else module.name.rpartition(".")[0]
        top = module.name.partition(".")[0]
        for text in texts[:_TEXTS]:
            bare, _, attribute = text.partition(":")
            dots = len(bare) - len(bare.lstrip("."))
            bare = bare.strip(".")
            above = package if dots < 2 else ".".join(package.split(".")[: 1 - dots])
            for base in dict.fromkeys((f"{above}.{bare}", bare if bare.startswith(top) else "", f"{top}.{bare}")):
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
            found = self.names.lookup(module, name)
            if found.state == EXISTS and found.thing is not None:
                return found.thing
        above, _, last = dotted.rpartition(".")
        owner = self.world.module(above) if last == name and above else None
        found_there = self.names.lookup(owner, last) if owner is not None else None
        return found_there.thing if found_there is not None and found_there.state == EXISTS else None


def _given(call: Value) -> str:
    return "the module's name and a table" if call[2] == "__name__" else "globals()"


def _key(form: str, module: str, name: str) -> str:
    """The key that a table has for the name: `{module}:{}` filled in, where anything but the name is the module's."""
    if form == "{}":
        return name
    before, _, after = form.partition("{}")
    fill = module if "{" in before else ""
    start = before.partition("{")[0] + fill + before.partition("}")[2] if fill else before
    return start + name + after


def _in_table(value: Value, name: str) -> list[str] | None:
    """The strings that a table gives for the name (where it leads), None where the name is not in it."""
    if not isinstance(value, list):
        return None
    if value[0] == ITEMS:
        return [] if any(isinstance(item, list) and item[:2] == [TEXT, name] for item in value[1:]) else None
    if value[0] == TABLE:
        return _in_pairs(value[1:], name)
    if value[0] in (SUM, UNION, CHOICE, CALL):
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

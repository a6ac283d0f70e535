"""A dotted path followed word by word, from a module to what it names, or to where it ends and why."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from .python_facts import (
    ANNOTATION,
    CHOICE,
    CLASS,
    CONDITION,
    DEF,
    EXTRA,
    LITERAL,
    SOMETIMES,
    SUBSCRIPT,
    TABLE,
    TEXT,
    VALUE,
    Value,
    alive,
)
from .python_signatures import role
from .python_things import COMPILED, MODULE, OPAQUE, Thing
from .records import ABSENT, EXISTS, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .python_bases import Member
    from .python_classes import Classes
    from .python_modules import Module
    from .python_names import Names
    from .python_symbols import Symbols
    from .records import Symbol

_NO_NAMES: tuple[str, ...] = ()


class Step:
    """Where following a path ended: the symbols it leads to, or the owner and the word that is missing there."""

    __slots__ = ("candidates", "doors", "missing", "owner", "reason", "state", "symbol_of", "symbols")

    def __init__(self, state: str, symbols: tuple[Symbol, ...] = (), reason: str = "") -> None:
        self.state = state
        self.symbols = symbols
        self.reason = reason
        self.owner = ""
        self.missing = ""
        self.doors: list[str] = []
        self.candidates: Callable[[], Iterable[str]] = lambda: _NO_NAMES
        self.symbol_of: Callable[[str], tuple[Symbol, ...]] = lambda _: ()


class Paths:
    """Follows paths in one world."""

    def __init__(self, names: Names, classes: Classes, symbols: Symbols) -> None:
        self.names = names
        self.classes = classes
        self.symbols = symbols

    def follow(self, module: Module, parts: list[str]) -> Step:
        """Where `parts` lead from a module."""
        if not parts:
            return Step(EXISTS, (self.symbols.of_module(module.name, module),))
        first = self._in_module(module, module.name, parts)
        if first.state == EXISTS or len(parts) == 1:
            return first
        submodule = self.names.world.module(f"{module.name}.{parts[0]}")
        if submodule is None:
            return first
        second = self.follow(submodule, parts[1:])
        if second.state == EXISTS:
            return second
        return second

    def _in_module(self, module: Module, shown: str, parts: list[str]) -> Step:
        name, rest = parts[0], parts[1:]
        found = self.names.lookup(module, name)
        if found.state != EXISTS or found.thing is None:
            return self._missing_in_module(module, shown, name, found.state, found.reason)
        if found.thing.kind == MODULE:
            return self._in_found_module(found.thing.module, f"{shown}.{name}", rest)
        step = self._in_thing(found.thing, f"{shown}.{name}", rest, module.name, found.note)
        if step.state != ABSENT:
            return step
        others = (
            self._in_thing(each, f"{shown}.{name}", rest, module.name)
            for each in self._alternatives(found.thing, module, name)
        )
        return next((other for other in others if other.state == EXISTS), step)

    def _alternatives(self, thing: Thing, module: Module, name: str) -> Iterator[Thing]:
        """What else a name of a module may lead to, where branches bind it differently; not what cannot be read."""
        live = alive(module.facts["bindings"].get(name, ()), stub=module.is_stub)
        for binding in live if len(live) > 1 else ():
            found = self.names.thing(module, (name,), (binding,))
            if found != thing and found.kind not in (OPAQUE, MODULE) and binding[CONDITION] == SOMETIMES:
                yield found

    def _in_found_module(self, module: Module, shown: str, rest: list[str]) -> Step:
        if not rest:
            return Step(EXISTS, (self.symbols.of_module(shown, module),))
        return self._in_module(module, shown, rest)

    def _missing_in_module(self, module: Module, shown: str, name: str, state: str, reason: str) -> Step:
        step = Step(state if state != EXISTS else UNKNOWN, (), reason)
        step.owner, step.missing = shown, name
        step.doors = [reason] if state == UNKNOWN else []
        step.candidates = lambda: self.names.public_names(module)
        step.symbol_of = lambda other: self._in_module(module, shown, [other]).symbols
        return step

    def _in_thing(self, thing: Thing, shown: str, rest: list[str], exported: str, note: str | None = None) -> Step:
        if not rest:
            return Step(EXISTS, self.symbols.of_thing(shown, thing, exported, note), note or "")
        if thing.kind == CLASS or (thing.kind == COMPILED and isinstance(thing.data, list)):
            return self._in_class(thing, shown, rest, exported)
        if thing.kind == DEF:
            return self._in_function(thing, shown, rest)
        if thing.kind == VALUE and thing.bindings:
            return self._in_value(thing, shown, rest, exported)
        if thing.kind == OPAQUE:
            return self._unread(shown, rest[0], f"what {shown} is cannot be read: {thing.data}")
        return self._unread(shown, rest[0], f"{shown} is compiled, its members are not known")

    def _unread(self, shown: str, missing: str, reason: str) -> Step:
        step = Step(UNKNOWN, (), reason)
        step.owner, step.missing, step.doors = shown, missing, [reason]
        return step

    # classes

    def _in_class(self, thing: Thing, shown: str, rest: list[str], exported: str) -> Step:
        name = rest[0]
        member = self.classes.own_member(thing, name) or self.classes.member(self.classes.view(thing), name)
        if member is None:
            return self._missing_in_class(thing, shown, name, exported)
        if len(rest) == 1:
            return Step(EXISTS, self.symbols.of_member(f"{shown}.{name}", member, exported), member.note or "")
        return self._in_member(member, f"{shown}.{name}", rest[1:], exported)

    def _missing_in_class(self, thing: Thing, shown: str, name: str, exported: str) -> Step:
        view = self.classes.view(thing)
        doors = self.classes.doors(view, name)
        native = self.classes.native_door(view, name) if not doors else ""
        if native:
            doors = [native]
        step = Step(UNKNOWN if doors else ABSENT, (), doors[0] if doors else "")
        step.owner, step.missing, step.doors = shown, name, doors
        step.candidates = lambda: [n for n in self.classes.all_names(view) if n.startswith("_") == name.startswith("_")]
        step.symbol_of = lambda other: self._in_class(thing, shown, [other], exported).symbols
        return step

    def _in_member(self, member: Member, shown: str, rest: list[str], exported: str) -> Step:
        if not member.bindings:
            return self._unread(shown, rest[0], f"what {shown} holds is not read")
        owner = member.owner
        thing = self.names.thing(owner.module, (*owner.path, member.name), member.bindings)
        if thing.kind == MODULE:
            return self._in_found_module(thing.module, shown, rest)
        if thing.kind == DEF and role(thing.bindings[-1]) == "property":
            return self._unread(shown, rest[0], f"what the property {shown} returns is not read")
        if thing.kind != VALUE:
            return self._in_thing(thing, shown, rest, exported)
        if owner.kind == CLASS and self.classes.bases.is_enum(owner):
            return self._in_class(owner, shown, rest, exported)
        step = self._in_value(thing, shown, rest, exported)
        if step.state != ABSENT:
            return step
        return self._unread(
            shown, rest[0], f"instances may hold something else in {shown}"
        )  # a default is only a default

    # functions and values

    def _in_function(self, thing: Thing, shown: str, rest: list[str]) -> Step:
        name = rest[0]
        for owner, attribute, line, _ in thing.module.facts["sets"]:
            if attribute == name and owner == ".".join(thing.path):
                return Step(EXISTS, self.symbols.set_on(f"{shown}.{name}", thing, line))
        if any(binding[EXTRA][0] for binding in thing.bindings):
            return self._unread(shown, name, f"what the decorators of {shown} return is not read")
        return self._in_builtin("function", "types-", shown, rest)

    def _in_builtin(self, kind: str, home: str, shown: str, rest: list[str]) -> Step:
        module = self.names.world.module("builtins") if home == "builtins" else self.names.world.compiled(home)
        entry = module.compiled.get(kind) if module is not None and module.compiled else None
        if module is None or entry is None:
            return self._unread(shown, rest[0], f"{shown} is a {kind}, whose members are not known")
        return self._in_class(self.names.compiled_thing(module, kind, entry), shown, rest, module.name)

    def _in_value(self, thing: Thing, shown: str, rest: list[str], exported: str) -> Step:
        value = thing.bindings[0][EXTRA]
        if isinstance(value, list) and value and value[0] == CHOICE:
            return self._in_either(thing, value[1:], shown, rest, exported)
        door = self._set_by_code(thing)
        if door:
            step = self._in_known_value(thing, value, shown, rest, exported)
            return step if step.state == EXISTS else self._unread(shown, rest[0], door)
        return self._in_known_value(thing, value, shown, rest, exported)

    def _set_by_code(self, thing: Thing) -> str:
        """Why a module's object may have names that its class does not show."""
        name = ".".join(thing.path)
        for target, line, _, where in thing.module.facts["reaches"]:
            if target == name:
                return f"setattr at {thing.module.name} line {line} in {where} may add names to {name}"
        for what, line, target in thing.module.facts["doors"]:
            if what == "setattr" and target == name:
                return f"setattr at {thing.module.name} line {line} may add names to {name}"
        return ""

    def _in_either(self, thing: Thing, values: list[Value], shown: str, rest: list[str], exported: str) -> Step:
        steps: list[Step] = []
        for value in values:
            if isinstance(value, str):
                found = self.names.path_in(thing.module, thing.path[:-1], value)
                if found is not None and found != thing:
                    steps.append(self._in_thing(found, shown, rest, exported))
                    continue
            steps.append(self._unread(shown, rest[0], f"what {shown} holds is not read (line {thing.bindings[0][1]})"))
        return min(steps, key=lambda step: (EXISTS, UNKNOWN, ABSENT).index(step.state))

    def _annotated(self, thing: Thing) -> Thing | None:
        """The class that a value's annotation names: `X: Cls = …` an instance of it, `X: type[Cls] = …` itself or a subclass."""
        binding = thing.bindings[0]
        annotation = binding[ANNOTATION] if len(binding) > ANNOTATION else None
        if isinstance(annotation, list) and annotation and annotation[0] == SUBSCRIPT:
            annotation = annotation[2] if annotation[1] in ("type", "Type", "typing.Type") else annotation[1]
        found = self.names.path_in(thing.module, thing.path[:-1], annotation) if isinstance(annotation, str) else None
        return found if found is not None and found.kind == CLASS else None

    def _in_known_value(self, thing: Thing, value: Value, shown: str, rest: list[str], exported: str) -> Step:
        made = self.classes.bases.value_view(thing, value)
        if made is not None:
            return self._in_class(made, shown, rest, exported)
        kind = _builtin_kind(value)
        if kind:
            return self._in_builtin(kind, "builtins", shown, rest)
        annotated = self._annotated(thing)
        if annotated is not None:
            step = self._in_class(annotated, shown, rest, exported)
            if step.state == EXISTS:
                return step
        return self._unread(shown, rest[0], f"what {shown} holds is not read (line {thing.bindings[0][1]})")


def _builtin_kind(value: Value) -> str:
    """The builtin class of a value that is written out; empty for others, and for None, which is a place for something else."""
    if not isinstance(value, list) or not value:
        return ""
    if value[0] == TEXT:
        return "str"
    if value[0] == TABLE:
        return "dict"
    if value[0] == LITERAL and value[1][:1].isdigit():
        return "float" if "." in value[1] or "e" in value[1].lower().replace("0x", "") else "int"
    return ""

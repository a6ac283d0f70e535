"""Members of a class: its own, its bases' over all distributions, what decorators and metaclasses add, and the doors that stand open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .python_facts import (
    CALL,
    CHOICE,
    CLASS,
    CONDITION,
    DECLARED,
    DEF,
    EXTRA,
    ITEMS,
    KEYWORD,
    KIND,
    LINE,
    LITERAL,
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
from .python_names import Names
from .python_stdlib import in_compiled_class, in_version
from .python_things import COMPILED, MODULE, OPAQUE, Thing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .python_modules import Module

_DEPTH = 60
_CLASS_MAKERS = frozenset(("collections.namedtuple", "typing.NamedTuple", "typing.TypedDict", "builtins.type"))
_NAMED_TUPLE = ("_fields", "_field_defaults", "_asdict", "_make", "_replace")


class Door(str):
    """Why a class may have names that no text shows; `made_of` are texts of which such a name must hold one, None where it may be any."""

    __slots__ = ("made_of",)
    made_of: tuple[str, ...] | None

    def __new__(cls, text: str, made_of: tuple[str, ...] | None = None) -> Door:
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

    __slots__ = ("doors", "lineage", "looped", "made", "members", "metas", "set_by_loops", "thing")

    def __init__(self, thing: Thing) -> None:
        self.thing = thing
        self.lineage: list[Thing] = []  # itself, then its bases as far as they could be read
        self.metas: list[Thing] = []
        self.doors: list[str] = []
        self.looped: list[
            tuple[str, str]
        ] = []  # (attribute whose items are set on instances, the door where it cannot be read)
        self.set_by_loops: dict[str, Member] | None = None
        self.made: dict[str, Thing] = {}  # names that a call (namedtuple, type) gave a class
        self.members: dict[str, Member | None] = {}


class Classes:
    """Views of classes, and the search for members in them."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.world = names.world
        self._views: dict[str, ClassView] = {}
        self._effects: dict[str, tuple[list[str], list[str]]] = {}

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
        if found.kind == CLASS or (
            found.kind == COMPILED and isinstance(found.data, list) and found.dotted != "builtins.type"
        ):
            if not any(owner.dotted == "enum.Enum" for owner in self.view(found).lineage):
                return found
        if found.dotted in _CLASS_MAKERS:
            if thing.dotted not in self._views:
                view = self._views[thing.dotted] = ClassView(thing)
                view.lineage.append(thing)
                self._called_base(view, thing, value, 0, made_at=thing)
            return thing
        return None

    def builtin(self, name: str) -> Thing | None:
        """A class that is compiled into Python."""
        module = self.world.module("builtins")
        entry = (module.compiled or {}).get(name) if module is not None else None
        return self.names.compiled_thing(module, name, entry) if module is not None and entry is not None else None

    # bases

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
            if len(door) > 4 and door[4] is not None:  # noqa: PLR2004 - the attribute whose items are set
                view.looped.append((door[4], f"{what} at {thing.module.name} line {line} in {where} may add names"))
                continue
            inside = f" in {where}" if where else ""
            view.doors.append(f"{what} at {thing.module.name} line {line}{inside} may add names")
        lazy = body["lazy"]
        if lazy is not None and (lazy["open"] or lazy["handed"]):
            view.doors.append(f"__getattr__ of {thing.dotted} (line {lazy['line']}) answers names by code")

    def looped(self, view: ClassView) -> dict[str, Member]:
        """What a loop over a list of the class (`for name in self.fields: setattr(self, name, …)`) sets on instances.

        A list that is not written out is a door.
        """
        if view.set_by_loops is None:
            view.set_by_loops = {}
            for attribute, door in view.looped:
                lists = [m for owner in view.lineage if (m := self._in_class(view, owner, attribute)) is not None]
                for found in lists:
                    for binding in found.bindings:
                        for text in self.strings_of(found.owner, binding[EXTRA]):
                            view.set_by_loops.setdefault(
                                text, Member(found.owner, text, (), "", "set on instances", binding[LINE])
                            )
                if not lists or not all(self._is_list(b[EXTRA]) for m in lists for b in m.bindings):
                    view.doors.append(door)
        return view.set_by_loops

    def _is_list(self, value: Value) -> bool:
        return isinstance(value, list) and bool(value) and value[0] in (ITEMS, SUM, TABLE, CALL)

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
        elif found.kind != MODULE:
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

    # members

    def member(self, view: ClassView, name: str) -> Member | None:
        """The member of this name, of the class or of its instances; None where no text gives it one."""
        try:
            return view.members[name]
        except KeyError:
            found = view.members[name] = self._find(view, name)
            return found

    def own_member(self, thing: Thing, name: str) -> Member | None:
        """The member where the class's own body binds the name: its bases need not be read then."""
        for body in bodies(thing):
            live = alive(body["bindings"].get(name, ()), stub=thing.module.is_stub)
            if live:
                return Member(thing, name, live)
        return None

    def _find(self, view: ClassView, name: str) -> Member | None:
        for owner in view.lineage:
            found = self._in_class(view, owner, name)
            if found is not None:
                return found
        if name in self.looped(view):
            return self.looped(view)[name]
        maker = view.made.get(name)
        if maker is not None:
            return Member(maker, name, (), "", "a field", maker.bindings[0][LINE] if maker.bindings else 0)
        for owner in view.lineage:
            if owner.kind == CLASS:
                added = self._added(owner, name)
                if added is not None:
                    return added
        return self._in_metaclasses(view, name)

    def _in_class(self, view: ClassView, owner: Thing, name: str) -> Member | None:
        if owner.kind == COMPILED:
            entry = owner.data[3].get(name)
            if entry is not None and in_version(f"{owner.dotted}.{name}", self.world.base.version):
                return Member(owner, name, (), entry)
            return None
        for body in bodies(owner):
            bindings = body["bindings"].get(name)
            if bindings:
                live = alive(bindings, stub=owner.module.is_stub)
                if live:
                    return Member(owner, name, live)
                fields = tuple(b for b in bindings if b[KIND] == DECLARED and b[CONDITION] != TYPING_ONLY)
                if fields:
                    return Member(owner, name, fields, "", "an annotation: instances may have it")
            own = body["own"].get(name)
            if own is not None:
                return Member(owner, name, (own,), "", "set on instances")
            lazy = body["lazy"]
            if lazy is not None and name in lazy["names"]:
                return Member(owner, name, (), "", "answered by __getattr__", lazy["line"])
            if name in self._slots(owner, body):
                line = body["bindings"]["__slots__"][0][1]
                return Member(owner, name, (), "", "a slot of instances", line)
        return None

    def _slots(self, owner: Thing, body: dict[str, Any]) -> list[str]:
        found: list[str] = []
        for binding in body["bindings"].get("__slots__", ()):
            value = binding[EXTRA]
            if isinstance(value, list) and value and value[0] == TEXT:
                found.append(value[1])
            else:
                found.extend(self.strings_of(owner, value))
        return found

    def strings_of(self, owner: Thing, value: Value, depth: int = 0) -> list[str]:
        """The strings of a list that is written out, named, or a sum of such."""
        if depth > 8 or value is None:
            return []
        if isinstance(value, str):
            return self._named_strings(owner, value, depth)
        if not value:
            return []
        form = value[0]
        if form == TEXT:
            return [value[1]] if depth else []
        if form in (ITEMS, SUM):
            return [
                text
                for part in value[1:]
                for text in self.strings_of(
                    owner, part[1] if isinstance(part, list) and part and part[0] == "*" else part, depth + 1
                )
            ]
        if form == TABLE:
            return [pair[0][1] for pair in value[1:] if isinstance(pair[0], list) and pair[0][0] == TEXT]
        if form == CALL and value[1] in ("list", "tuple", "set", "frozenset", "sorted") and len(value) > 2:
            return self.strings_of(owner, value[2], depth + 1)
        return []

    def _named_strings(self, owner: Thing, path: str, depth: int) -> list[str]:
        head, _, last = path.rpartition(".")
        thing = self.names.path_in(owner.module, owner.path, head) if head else None
        if thing is not None and thing.kind == CLASS:
            member = self.member(self.view(thing), last)
            if member is not None and member.bindings and member.bindings[0][KIND] == VALUE:
                return self.strings_of(member.owner, member.bindings[0][EXTRA], depth + 1)
            return []
        found = self.names.path_in(owner.module, owner.path, path)
        if found is not None and found.kind == VALUE and found.bindings:
            return self.strings_of(found._replace(path=found.path[:-1]), found.bindings[0][EXTRA], depth + 1)
        return []

    # what others add

    def _added(self, owner: Thing, name: str) -> Member | None:
        """A name set on the class from outside its body: `Owner.name = value`, a decorator, a call that was given the class."""
        qualified = ".".join(owner.path)
        for target, attribute, line, _ in owner.module.facts["sets"]:
            if attribute == name and self._is_target(owner, target, qualified):
                return Member(owner, name, (), "", "set outside the class body", line)
        elsewhere = self._set_elsewhere(owner, name)
        if elsewhere is not None:
            return elsewhere
        named, _ = self.effects(owner)
        if name in named:
            return Member(
                owner, name, (), "", "set by a decorator or a call", owner.bindings[0][1] if owner.bindings else 0
            )
        return None

    def _set_elsewhere(self, owner: Thing, name: str) -> Member | None:
        """A name that another module of the distribution sets on the class."""
        for other in self.world.setters(name):
            setter = self.world.module(other) if other != owner.module.name else None
            for target, attribute, line, _ in setter.facts["sets"] if setter is not None else ():
                if attribute != name or not isinstance(target, str) or setter is None:
                    continue
                found = self.names.path_in(setter, (), target)
                if found is not None and found.kind == CLASS and found.dotted == owner.dotted:
                    return Member(owner, name, (), "", f"set by {other} line {line}", 0)
        return None

    def _is_target(self, owner: Thing, target: Value, qualified: str) -> bool:
        if target == qualified:
            return True
        if isinstance(target, list) and target and target[0] == ITEMS:
            return qualified in target[1:]
        if isinstance(target, str) and "." not in target and target not in owner.module.facts["bindings"]:
            return False
        found = self.names.path_in(owner.module, (), target) if isinstance(target, str) else None
        return found is not None and found.kind == CLASS and found.dotted == owner.dotted

    def effects(self, owner: Thing) -> tuple[list[str], list[str]]:
        """(names, doors) that the decorators of a class, and the calls it is given to, add."""
        key = owner.dotted
        known = self._effects.get(key)
        if known is not None:
            return known
        named: list[str] = []
        doors: list[str] = []
        self._effects[key] = (named, doors)
        for body in bodies(owner) if not owner.module.is_stub else ():
            for decorator in body["decorators"]:
                self._decorated(owner, decorator, named, doors)
        qualified = ".".join(owner.path)
        for call, line in owner.module.facts["calls"]:
            for at, argument in enumerate(call[2:]):
                if argument == qualified:
                    self._given_to(owner, call, at, line, (named, doors))
        for target, line, name, where in owner.module.facts["reaches"]:
            if target == qualified and name is None:
                doors.append(f"setattr at {owner.module.name} line {line} in {where} may add names to {qualified}")
            elif target == qualified:
                named.append(name)
        for what, line, target in owner.module.facts["doors"]:
            if what == "setattr" and self._may_mean(owner, target, qualified):
                doors.append(f"setattr at {owner.module.name} line {line} may add names to {qualified}")
        return named, doors

    def _may_mean(self, owner: Thing, target: Value, qualified: str) -> bool:
        if isinstance(target, str) and target not in owner.module.facts["bindings"]:
            return False
        return self._is_target(owner, target, qualified)

    def _decorated(self, owner: Thing, decorator: Value, named: list[str], doors: list[str]) -> None:
        arguments = decorator[2:] if isinstance(decorator, list) and decorator and decorator[0] == CALL else []
        path = decorator[1] if isinstance(decorator, list) and decorator and decorator[0] == CALL else decorator
        function = self.names.path_in(owner.module, owner.path[:-1], path) if isinstance(path, str) else None
        if function is None:
            head = path.partition(".")[0] if isinstance(path, str) else ""
            if not head or self.names.path_in(owner.module, owner.path[:-1], head) is None:
                doors.append(f"a decorator of {owner.dotted} was not found")
            return
        if function.kind == OPAQUE:
            doors.append(f"decorator {path} of {owner.dotted} cannot be read ({function.data})")
            return
        if function.kind != DEF or self._is_library(function.module):
            return
        named += _names_set(function)
        texts = [text for argument in arguments for text in self._argument_strings(owner, argument)]
        named += texts
        if self._sets_unwritten(function):
            whole = bool(texts) and all(self._written_out(owner, argument) for argument in arguments)
            door = f"decorator {path} of {owner.dotted} may add names"
            doors.append(Door(door, tuple(texts) if whole else None))

    def _argument_strings(self, owner: Thing, argument: Value) -> list[str]:
        if isinstance(argument, list) and argument and argument[0] == TABLE:
            return [text for pair in argument[1:] for part in pair for text in self._argument_strings(owner, part)]
        if isinstance(argument, list) and argument and argument[0] == KEYWORD:
            argument = argument[2]
        if isinstance(argument, list) and argument and argument[0] == TEXT:
            return [argument[1]]
        return self.strings_of(owner, argument)

    def _written_out(self, owner: Thing, argument: Value) -> bool:
        """Whether an argument is a flag, a class or a list of strings that was read whole."""
        if isinstance(argument, list) and argument:
            if argument[0] == KEYWORD:
                return self._written_out(owner, argument[2])
            if argument[0] in (TEXT, LITERAL):
                return True
            if argument[0] == ITEMS:
                return all(self._written_out(owner, part) for part in argument[1:])
            if argument[0] == SUM:
                return all(bool(self.strings_of(owner, part)) for part in argument[1:])
            if argument[0] == TABLE:
                return all(self._written_out(owner, part) for pair in argument[1:] for part in pair)
        if isinstance(argument, str):
            found = self.names.path_in(owner.module, owner.path, argument)
            return found is not None and (found.kind == CLASS or bool(self.strings_of(owner, argument)))
        return False

    def _is_library(self, module: Module) -> bool:
        return self.world.is_library(module.file) or module.compiled is not None

    def _sets_unwritten(self, function: Thing) -> bool:
        return any(binding[EXTRA][3] for binding in function.bindings)

    def _given_to(self, owner: Thing, call: Value, at: int, line: int, added: tuple[list[str], list[str]]) -> None:
        function = self.names.path_in(owner.module, (), call[1]) if isinstance(call[1], str) else None
        if function is None or function.kind != DEF or self._is_library(function.module):
            return
        for binding in function.bindings:
            parameters = _parameters(binding)
            if at >= len(parameters):
                continue
            added[0].extend((binding[EXTRA][2] or {}).get(parameters[at], ()))
            if parameters[at] in (binding[EXTRA][3] or ()):
                added[1].append(f"{call[1]}() at {owner.module.name} line {line} may add names to {owner.dotted}")

    def _in_metaclasses(self, view: ClassView, name: str) -> Member | None:
        """What the class itself has by its metaclass; every class has what `type` gives."""
        for meta in view.metas:
            found = self.member(self.view(meta), name)
            if found is not None and found.owner.dotted != "builtins.object":
                return found._replace(note="of the metaclass: the class has it, its instances do not")
        type_ = self.builtin("type")
        entry = type_.data[3].get(name) if type_ is not None else None
        return Member(type_, name, (), entry, "every class has it") if type_ is not None and entry is not None else None

    def doors(self, view: ClassView, name: str) -> list[str]:
        """Every way by which the class or its instances may have this name though no text shows it."""
        self.looped(view)
        doors = list(view.doors)
        for owner in view.lineage:
            if owner.kind != CLASS:
                continue
            doors += self.effects(owner)[1]
            if owner.module.unread:
                doors.append(f"{owner.module.name} was not read ({owner.module.unread})")
            doors += self._init_subclass(view, owner)
        for meta in view.metas:
            doors += self._meta_doors(view, meta)
        return [door for door in dict.fromkeys(doors) if not isinstance(door, Door) or door.admits(name)]

    def native_door(self, view: ClassView, name: str) -> str:
        """Why a name may be in a class that only a stub shows: the compiled code holds its text, or may inherit it. Empty where not."""
        for owner in view.lineage:
            if owner.kind != CLASS or not owner.module.is_stub or not self.world.is_own(owner.module.name):
                continue
            if self.world.in_native_code(owner.module, name):
                return (
                    f"{owner.dotted} is native code: its stub does not declare {name}, its compiled file holds the word"
                )
            if not any(body["bases"] for body in bodies(owner)) and in_compiled_class(name):
                return f"{owner.dotted} is native code: its stub names no base, and {name} may be inherited from one of Python's classes"
        return ""

    def _init_subclass(self, view: ClassView, owner: Thing) -> list[str]:
        if owner == view.thing:
            return []
        return [
            f"{what} in __init_subclass__ of {owner.dotted} may add names"
            for body in bodies(owner)
            for what, _, where, *_ in body["doors"]
            if where == "__init_subclass__"
        ]

    def _meta_doors(self, view: ClassView, meta: Thing) -> Iterator[str]:
        inner = self.view(meta)
        for owner in inner.lineage:
            if owner.kind == CLASS and not self._is_library(owner.module):
                for body in bodies(owner):
                    lazy = body["lazy"]
                    if lazy is not None and lazy["open"]:
                        yield f"__getattr__ of metaclass {owner.dotted} answers names by code"
                    for what, _, where, *_ in body["doors"]:
                        yield f"{what} in {where or 'the body'} of metaclass {owner.dotted} may add names"
        if any(door.startswith("base ") for door in inner.doors):
            yield f"a base of metaclass {meta.dotted} of {view.thing.dotted} cannot be read"

    # listing

    def own_names(self, thing: Thing) -> dict[str, Member]:
        """The members that the class itself defines, instance attributes included, in order of their text."""
        view = self.view(thing)
        names: dict[str, Member] = {}
        for body in bodies(thing):
            for name in (*body["bindings"], *body["own"], *self._slots(thing, body)):
                if name not in names:
                    found = self._in_class(view, thing, name)
                    if found is not None:
                        names[name] = found
        return names

    def all_names(self, view: ClassView) -> set[str]:
        """Every name that the class or its instances are known to have, without those that every object has."""
        names: set[str] = set()
        for owner in view.lineage:
            if owner.kind == COMPILED:
                if owner.dotted != "builtins.object":
                    names |= set(owner.data[3])
            else:
                for body in bodies(owner):
                    names |= {*body["bindings"], *body["own"], *self._slots(owner, body)}
                names |= set(self.effects(owner)[0])
        return names | set(view.made)


def bodies(thing: Thing) -> Iterator[dict[str, Any]]:
    """The class bodies of a thing: more than one where branches define it differently."""
    for binding in thing.bindings:
        if binding[KIND] == CLASS:
            yield binding[EXTRA]


def _names_set(function: Thing) -> list[str]:
    """What a decorator sets by name on what it is given, itself or through an inner function."""
    return [name for binding in function.bindings for names in (binding[EXTRA][2] or {}).values() for name in names]


def _parameters(binding: Binding) -> list[str]:
    inside = binding[3].partition("(")[2]
    return [part.strip().partition(":")[0].partition("=")[0].strip() for part in inside.split(",")][:6]


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

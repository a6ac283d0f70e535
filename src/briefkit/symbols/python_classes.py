"""Members of a class: its own, its bases', what is added from outside, and the doors that stand open for a name."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from .python_bases import Bases, ClassView, Door, Member, bodies
from .python_effects import Effects
from .python_facts import (
    CALL,
    CLASS,
    CONDITION,
    DECLARED,
    EXTRA,
    ITEMS,
    KIND,
    LINE,
    SUM,
    TABLE,
    TEXT,
    TYPING_ONLY,
    Value,
    alive,
)
from .python_stdlib import in_compiled_class, in_version
from .python_structures import structure_fields
from .python_things import COMPILED, Thing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .python_names import Names


class Classes:
    """The search for members in the classes of one world."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.world = names.world
        self.bases = Bases(names)
        self.outside = Effects(self)

    def looped(self, view: ClassView) -> dict[str, Member]:
        """What a loop over a list of the class (`for name in self.fields: setattr(self, name, …)`) sets on instances.

        A list that is not written out is a door.
        """
        if view.set_by_loops is None:
            view.set_by_loops = {}
            for attribute, door in view.looped:
                lists = [m for owner in view.lineage if (m := self._in_class(owner, attribute)) is not None]
                for found in lists:
                    for binding in found.bindings:
                        for text in self.outside.strings_of(found.owner, binding[EXTRA]):
                            view.set_by_loops.setdefault(
                                text, Member(found.owner, text, (), "", "set on instances", binding[LINE])
                            )
                if not lists or not all(self._is_list(b[EXTRA]) for m in lists for b in m.bindings):
                    view.doors.append(door)
        return view.set_by_loops

    def _is_list(self, value: Value) -> bool:
        return isinstance(value, list) and bool(value) and value[0] in (ITEMS, SUM, TABLE, CALL)

    def view(self, thing: Thing) -> ClassView:
        """The class with its bases and doors."""
        return self.bases.view(thing)

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
            found = self._in_class(owner, name)
            if found is not None:
                return found
        if name in self.looped(view):
            return self.looped(view)[name]
        maker = view.made.get(name)
        if maker is not None:
            return Member(maker, name, (), "", "a field", maker.bindings[0][LINE] if maker.bindings else 0)
        for owner in view.lineage:
            if owner.kind == CLASS:
                added = self.outside.added(owner, name)
                if added is not None:
                    return added
        return self._registered(view, name) or self._in_metaclasses(view, name)

    def _registered(self, view: ClassView, name: str) -> Member | None:
        """A name that a decorator `@Owner.method("name")` hands to a method of the class that sets it."""
        for owner in view.lineage:
            for body in bodies(owner):
                for _, line, where, *_ in body["doors"]:
                    if where and name in self.world.registered(where):
                        return Member(owner, name, (), "", f"registered through {where}", line)
        return None

    def _in_class(self, owner: Thing, name: str) -> Member | None:
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
        for line, named in structure_fields(owner):
            if name in (named or ()):
                return Member(owner, name, (), "", "a field of the C structure", line)
        return None

    def _slots(self, owner: Thing, body: dict[str, Any]) -> list[str]:
        found: list[str] = []
        for binding in body["bindings"].get("__slots__", ()):
            value = binding[EXTRA]
            if isinstance(value, list) and value and value[0] == TEXT:
                found.append(value[1])
            else:
                found.extend(self.outside.strings_of(owner, value))
        return found

    def _in_metaclasses(self, view: ClassView, name: str) -> Member | None:
        """What the class itself has by its metaclass; every class has what `type` gives."""
        for meta in view.metas:
            found = self.member(self.view(meta), name)
            if found is not None and found.owner.dotted != "builtins.object":
                return found._replace(note="of the metaclass: the class has it, its instances do not")
        type_ = self.bases.builtin("type")
        entry = type_.data[3].get(name) if type_ is not None else None
        return Member(type_, name, (), entry, "every class has it") if type_ is not None and entry is not None else None

    def doors(self, view: ClassView, name: str) -> list[str]:
        """Every way by which the class or its instances may have this name though no text shows it."""
        self.looped(view)
        doors = list(view.doors)
        for owner in view.lineage:
            if owner.kind != CLASS:
                continue
            doors += self.outside.effects(owner)[1]
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
            if owner.kind == CLASS and not self.outside.is_library(owner.module):
                for body in bodies(owner):
                    lazy = body["lazy"]
                    if lazy is not None and lazy["open"]:
                        yield f"__getattr__ of metaclass {owner.dotted} answers names by code"
                    for what, _, where, *_ in body["doors"]:
                        yield f"{what} in {where or 'the body'} of metaclass {owner.dotted} may add names"
        if any(door.startswith("base ") for door in inner.doors):
            yield f"a base of metaclass {meta.dotted} of {view.thing.dotted} cannot be read"

    def own_names(self, thing: Thing) -> dict[str, Member]:
        """The members that the class itself defines, instance attributes included, in order of their text."""
        names: dict[str, Member] = {}
        for body in bodies(thing):
            fields = (name for _, names in structure_fields(thing) for name in names or ())
            for name in (*body["bindings"], *body["own"], *self._slots(thing, body), *fields):
                if name not in names:
                    found = self._in_class(thing, name)
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
                names |= {name for _, fields in structure_fields(owner) for name in fields or ()}
                names |= set(self.outside.effects(owner)[0])
        return names | set(view.made)

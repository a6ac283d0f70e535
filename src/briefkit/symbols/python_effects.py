"""What is set on a class from outside its body: by other lines, by decorators, by calls that it is given to."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from .python_bases import Door, Member, MemberPort, bodies
from .python_facts import (
    CALL,
    CLASS,
    DEF,
    EXTRA,
    ITEMS,
    KEYWORD,
    KIND,
    LITERAL,
    SIGNATURE,
    SUM,
    TABLE,
    TEXT,
    VALUE,
    Binding,
    Value,
)
from .python_things import OPAQUE, Thing

if TYPE_CHECKING:
    from .python_modules import Module


class Effects:
    """What others do to the classes of one world."""

    def __init__(self, classes: MemberPort) -> None:
        self.classes = classes
        self.names = classes.names
        self.world = classes.world
        self._effects: dict[str, tuple[list[str], list[str]]] = {}

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
            member = self.classes.member(self.classes.view(thing), last)
            if member is not None and member.bindings and member.bindings[0][KIND] == VALUE:
                return self.strings_of(member.owner, member.bindings[0][EXTRA], depth + 1)
            return []
        found = self.names.path_in(owner.module, owner.path, path)
        if found is not None and found.kind == VALUE and found.bindings:
            return self.strings_of(found._replace(path=found.path[:-1]), found.bindings[0][EXTRA], depth + 1)
        return []

    def added(self, owner: Thing, name: str) -> Member | None:
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
        if function.kind != DEF or self.is_library(function.module):
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

    def is_library(self, module: Module) -> bool:
        """Whether a module is Python's own."""
        return self.world.is_library(module.file) or module.compiled is not None

    def _sets_unwritten(self, function: Thing) -> bool:
        return any(binding[EXTRA][3] for binding in function.bindings)

    def _given_to(self, owner: Thing, call: Value, at: int, line: int, added: tuple[list[str], list[str]]) -> None:
        function = self.names.path_in(owner.module, (), call[1]) if isinstance(call[1], str) else None
        if function is None or function.kind != DEF or self.is_library(function.module):
            return
        for binding in function.bindings:
            parameters = _parameters(binding)
            if at >= len(parameters):
                continue
            added[0].extend((binding[EXTRA][2] or {}).get(parameters[at], ()))
            if parameters[at] in (binding[EXTRA][3] or ()):
                added[1].append(f"{call[1]}() at {owner.module.name} line {line} may add names to {owner.dotted}")


def _names_set(function: Thing) -> list[str]:
    """What a decorator sets by name on what it is given, itself or through an inner function."""
    return [name for binding in function.bindings for names in (binding[EXTRA][2] or {}).values() for name in names]


def _parameters(binding: Binding) -> list[str]:
    inside = binding[SIGNATURE].partition("(")[2].rpartition(")")[0]
    return [part.strip().partition(":")[0].partition("=")[0].strip() for part in inside.split(",")][:6]

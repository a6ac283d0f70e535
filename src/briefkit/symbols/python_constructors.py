"""What a class is called with: its metaclass, its `__init__` or `__new__`, or the fields that a dataclass-like decorator makes one from."""

from __future__ import annotations

import re

from briefkit.records import TYPE_CHECKING

from .python_facts import (
    ANNOTATION,
    CALL,
    CLASS,
    DECLARED,
    DEF,
    EXTRA,
    KEYWORD,
    KIND,
    SIGNATURE,
    SUBSCRIPT,
    VALUE,
    Binding,
    Value,
    alive,
)
from .python_signatures import last_name, without_first
from .python_things import COMPILED, Thing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .python_bases import ClassView
    from .python_classes import Classes

_TRANSFORM = "dataclass_transform"
_UNKNOWN = "(...)"
_MANGLED = r"(?<=[(,\s*])__(\w+?)(?<!__)(?=\s*[,:=)])"


class Constructors:
    """Signatures of classes, as `inspect.signature` would give them; `(...)` where it cannot be told from source."""

    def __init__(self, classes: Classes) -> None:
        self.classes = classes
        self.names = classes.names

    def signature(self, thing: Thing) -> str:
        """`(parameters)` of the call that makes an instance."""
        if thing.kind != CLASS:
            return "()"
        view = self.classes.view(thing)
        made = self._by_metaclass(view)
        if made is not None:
            return made
        for owner in view.lineage:
            made = self._by_owner(view, owner)
            if made is not None:
                return made
        return "()"

    def _by_metaclass(self, view: ClassView) -> str | None:
        for meta in view.metas:
            member = self.classes.member(self.classes.view(meta), "__call__")
            if (
                member is not None
                and member.owner.kind == CLASS
                and member.bindings
                and member.bindings[-1][KIND] == DEF
            ):
                shown = without_first(member.bindings[-1][SIGNATURE])
                if not shown.startswith("(*"):  # what hands everything on says nothing
                    return _parameters_of(shown)
        return None

    def _by_owner(self, view: ClassView, owner: Thing) -> str | None:
        if owner.kind == COMPILED and owner.dotted == "builtins.tuple" and "_fields" in view.made:
            maker = view.made["_fields"]
            return (
                "(" + ", ".join(view.fields or [text for _, text, _ in self._fields(maker, keyword_only=False)]) + ")"
            )
        if owner.kind == COMPILED:
            return str(owner.data[2]) if owner.data[2] and owner.dotted != "builtins.object" else None
        for binding in owner.bindings:
            if binding[KIND] != CLASS:
                continue
            for name in ("__new__", "__init__"):
                for made in alive(binding[EXTRA]["bindings"].get(name, ()), stub=owner.module.is_stub)[-1:]:
                    if made[KIND] == DEF:
                        return _UNKNOWN if self.altered(owner, made) else _parameters_of(without_first(made[SIGNATURE]))
            if owner == view.thing and self._is_transformed(view, owner) is not None:
                return self._from_fields(view)
            if owner.dotted == "typing.Protocol" and "typing.Protocol" in self._direct_bases(view.thing):
                return "(*args, **kwargs)"
        return self._from_fields(view) if self._is_transformed(view, owner) is not None else None

    def _direct_bases(self, thing: Thing) -> list[str]:
        found = []
        for binding in thing.bindings:
            for base in binding[EXTRA]["bases"] if binding[KIND] == CLASS else ():
                path = base[1] if isinstance(base, list) and base and base[0] == SUBSCRIPT else base
                target = self.names.path_in(thing.module, thing.path[:-1], path) if isinstance(path, str) else None
                found.append(target.dotted if target is not None else "")
        return found

    # decorators that give a function another signature

    def altered(self, owner: Thing, binding: Binding) -> str:
        """The decorator that sets another signature on a function at run time; empty where none does."""
        for decorator in binding[EXTRA][0]:
            path = decorator[1] if isinstance(decorator, list) and decorator and decorator[0] == CALL else decorator
            thing = self.names.path_in(owner.module, owner.path, path) if isinstance(path, str) else None
            if thing is not None and self._sets_signature(thing):
                return str(path)
        return ""

    def _sets_signature(self, thing: Thing) -> bool:
        if thing.kind == DEF:
            return any("s" in made[EXTRA][1] for made in thing.bindings)
        if thing.kind != CLASS:
            return False
        return any(
            "__signature__" in binding[EXTRA]["bindings"] or "__signature__" in binding[EXTRA]["own"]
            for binding in thing.bindings
        )

    # dataclasses, and what PEP 681 says is like them

    def _is_transformed(self, view: ClassView, owner: Thing) -> list[Value] | None:
        """The options of the dataclass-like decorator, base or metaclass; None where there is none."""
        for binding in owner.bindings:
            for decorator in binding[EXTRA]["decorators"] if binding[KIND] == CLASS else ():
                called = isinstance(decorator, list) and bool(decorator) and decorator[0] == CALL
                path = decorator[1] if called else decorator
                thing = self.names.path_in(owner.module, owner.path[:-1], path) if isinstance(path, str) else None
                if thing is not None and (thing.dotted == "dataclasses.dataclass" or self._is_transform(thing)):
                    return list(decorator[2:]) if called else []
        for meta in view.metas:
            if owner == view.thing and any(self._marked(other) for other in self.classes.view(meta).lineage):
                return [[KEYWORD, "kw_only", ["#", "True"]]]
        return None

    def _is_transform(self, thing: Thing) -> bool:
        """Whether a decorator is marked with `dataclass_transform`, in its source or in the stub beside it."""
        if self._marked(thing):
            return True
        declared = self.names.in_stub(thing.module, thing.path[-1]) if thing.path else None
        return declared is not None and self._marked(declared)

    def _marked(self, thing: Thing) -> bool:
        for binding in thing.bindings:
            given = (
                binding[EXTRA][0]
                if binding[KIND] == DEF
                else binding[EXTRA]["decorators"]
                if binding[KIND] == CLASS
                else ()
            )
            if any(last_name(decorator) == _TRANSFORM for decorator in given):
                return True
        return False

    def _from_fields(self, view: ClassView) -> str:
        fields: dict[str, tuple[str, bool]] = {}
        for owner in reversed(view.lineage):
            options = self._is_transformed(view, owner) if owner.kind == CLASS else None
            if options is None:
                continue
            keyword_only = any(
                isinstance(o, list) and o[:2] == [KEYWORD, "kw_only"] and o[2] == ["#", "True"] for o in options
            )
            for name, text, only in self._fields(owner, keyword_only=keyword_only):
                fields[name] = (text, only)
        first = [text for text, only in fields.values() if not only]
        last = [text for text, only in fields.values() if only]
        return "(" + ", ".join([*first, *(["*", *last] if last else [])]) + ")"

    def _fields(self, owner: Thing, *, keyword_only: bool) -> Iterator[tuple[str, str, bool]]:
        for binding in owner.bindings:
            for name, bindings in binding[EXTRA]["bindings"].items() if binding[KIND] == CLASS else ():
                found = bindings[-1]
                if found[KIND] not in (VALUE, DECLARED) or len(found) <= ANNOTATION:
                    continue
                text = found[SIGNATURE]
                if "KW_ONLY" in text and name == "_":
                    keyword_only = True
                elif "ClassVar" not in text.partition("=")[0]:
                    shown = _field(name, found)
                    if shown is not None:
                        yield name, shown, keyword_only or _has_option(found[EXTRA], "kw_only", "True")


def _field(name: str, binding: Binding) -> str | None:
    """A field as a parameter; None where it is none of the constructor's."""
    head, _, default = binding[SIGNATURE].partition(" = ")
    value = binding[EXTRA]
    if isinstance(value, list) and value and value[0] == CALL:
        if _has_option(value, "init", "False"):
            return None
        given = {part[1] for part in value[2:] if isinstance(part, list) and part and part[0] == KEYWORD}
        if last_name(value).lower().endswith(("field", "ib", "attrib", "column", "relationship")):
            positional = [part for part in value[2:] if not (isinstance(part, list) and part and part[0] == KEYWORD)]
            has = bool(given & {"default", "default_factory", "factory"}) or (
                bool(positional) and positional[0] != ["#", "..."]
            )
            return f"{head} = ..." if has else head
    return head if binding[KIND] == DECLARED else f"{head or name} = {default or '...'}"


def _has_option(value: Value, name: str, text: str) -> bool:
    return isinstance(value, list) and [KEYWORD, name, ["#", text]] in value


def _parameters_of(signature: str) -> str:
    """The parameter list alone, without what is returned."""
    depth = 0
    for at, letter in enumerate(signature):
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
            if depth == 0:
                return signature[: at + 1]
    return signature


def mangled(signature: str, owner: str) -> str:
    """A method's parameters as Python names them: `__x` in a class `C` is `_C__x`."""
    return re.sub(_MANGLED, rf"_{owner.lstrip('_')}__\1", signature) if "__" in signature else signature

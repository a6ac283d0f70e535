"""Things and members turned into the symbols that a user sees: kind, signature, summary, place, deprecation."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING
from briefkit.text import one_line

from .python_constructors import Constructors, mangled
from .python_facts import CALL, CLASS, DEF, END, EXTRA, KIND, LINE, SIGNATURE, SIGNATURE_LIMIT, SUMMARY, Binding
from .python_signatures import deprecation, in_order, is_accessor, kind_of, signature_of
from .python_things import COMPILED, MODULE, OPAQUE, Thing
from .records import Symbol

if TYPE_CHECKING:
    from .python_bases import Member
    from .python_classes import Classes
    from .python_modules import Module

_SHOWN_SUMMARY = 300


class Symbols:
    """Makes symbols; knows the classes, whose constructors it shows."""

    def __init__(self, classes: Classes) -> None:
        self.classes = classes
        self.constructors = Constructors(classes)

    def of_thing(
        self, name: str, thing: Thing, exported_from: str | None, note: str | None = None
    ) -> tuple[Symbol, ...]:
        """The symbols of what a name leads to: the definition that runs first, then its overloads."""
        if thing.kind == MODULE:
            return (self.of_module(name, thing.module),)
        if thing.kind == COMPILED:
            return (self._compiled(name, thing, exported_from, note),)
        if thing.kind == OPAQUE or not thing.bindings:
            line = thing.bindings[0][LINE] if thing.bindings else 1
            file = thing.module.file.main or ""
            return (
                self._symbol(
                    name,
                    "constant",
                    name.rpartition(".")[2],
                    None,
                    (file, line, line),
                    exported_from,
                    None,
                    note or str(thing.data),
                ),
            )
        if thing.data == "stub":
            note = note or "declared in the stub of native code"
        return tuple(
            self._of_binding(name, thing, binding, exported_from, note) for binding in in_order(thing.bindings)
        )

    def of_module(self, name: str, module: Module) -> Symbol:
        """A module as a symbol; a namespace is a folder and has no lines."""
        doc = module.facts["doc"] or [None, None]
        file = module.file.main or module.file.native
        place = (file, 1, max(module.facts["lines"], 1)) if file else (module.file.folder or "", 0, 0)
        return self._symbol(name, "module", f"module {name}", doc[0], place, None, doc[1], None)

    def of_member(self, name: str, member: Member, exported_from: str | None) -> tuple[Symbol, ...]:
        """The symbols of a class's member."""
        owner = member.owner
        if not member.bindings:
            return (self._unwritten(name, member, exported_from),)
        first = member.bindings[0]
        if first[KIND] not in (CLASS, DEF):
            thing = self.classes.names.thing(owner.module, (*owner.path, member.name), member.bindings)
            if thing.kind == COMPILED:
                # What is compiled into Python has no line: the one that binds it here does.
                place = (owner.module.file.main or "", first[LINE], first[END])
                return (self._compiled(name, thing, exported_from, member.note, place),)
            if thing.kind in (CLASS, DEF):
                return self.of_thing(name, thing, exported_from, member.note)
        bindings = in_order(tuple(b for b in member.bindings if not is_accessor(b)) or member.bindings)
        return tuple(self._of_binding(name, owner, b, exported_from, member.note, in_class=True) for b in bindings)

    def set_on(self, name: str, thing: Thing, line: int) -> tuple[Symbol, ...]:
        """An attribute that a line outside its owner sets."""
        place = (thing.module.file.main or "", line, line)
        return (
            self._symbol(
                name,
                "property",
                name.rpartition(".")[2],
                None,
                place,
                thing.module.name,
                None,
                "set outside its definition",
            ),
        )

    def _unwritten(self, name: str, member: Member, exported_from: str | None) -> Symbol:
        owner = member.owner
        file = owner.module.file.main or ""
        bare = member.name
        if member.entry:
            kind = {"m": "method", "p": "property", "c": "class"}.get(member.entry[0], "property")
            signature = f"def {bare}{member.entry[1:]}" if kind == "method" and len(member.entry) > 1 else bare
            return self._symbol(
                name,
                kind,
                signature,
                None,
                (file, 0, 0),
                exported_from,
                None,
                member.note or f"from {owner.dotted}, compiled into Python",
            )
        return self._symbol(
            name, "property", bare, None, (file, member.line, member.line), exported_from, None, member.note
        )

    def _compiled(
        self,
        name: str,
        thing: Thing,
        exported_from: str | None,
        note: str | None,
        place: tuple[str, int, int] | None = None,
    ) -> Symbol:
        entry = thing.data
        bare = name.rpartition(".")[2]
        if isinstance(entry, list):
            kind, signature = "class", f"class {bare}{entry[2] or ''}"
        else:
            kind = "function" if entry.startswith("f") else "constant"
            signature = f"def {bare}{entry[1:]}" if kind == "function" and len(entry) > 1 else bare
        return self._symbol(
            name,
            kind,
            signature,
            None,
            place or (thing.module.file.main or "", 0, 0),
            exported_from,
            None,
            note or "compiled into Python",
        )

    def _of_binding(
        self,
        name: str,
        thing: Thing,
        binding: Binding,
        exported_from: str | None,
        note: str | None,
        *,
        in_class: bool = False,
    ) -> Symbol:
        inside = in_class or len(thing.path) > 1
        kind = kind_of(binding, inside=inside)
        bare = name.rpartition(".")[2]
        if kind == "class":
            signature = f"class {bare}{self.constructors.signature(thing if not in_class else thing._replace(path=(*thing.path, bare), bindings=(binding,)))}"
            if self._is_enum(thing):
                kind = "enum"
        else:
            owner = thing if in_class else thing._replace(path=thing.path[:-1])
            signature, note = self._shown(bare, binding, kind, owner, note)
        place = (thing.module.file.main or "", binding[LINE], binding[END])
        if thing.data == "stub":
            place = (thing.module.file.stub or "", binding[LINE], binding[END])
        return self._symbol(name, kind, signature, binding[SUMMARY], place, exported_from, deprecation(binding), note)

    def _shown(self, name: str, binding: Binding, kind: str, owner: Thing, note: str | None) -> tuple[str, str | None]:
        """The signature of a function or value with its note; a decorator may give a function another one at run time."""
        signature = signature_of(name, binding, kind)
        if binding[KIND] != DEF:
            returned = self._returned(binding, owner)
            return (f"def {name}{returned}", note) if returned else (signature, note)
        if owner.path:
            signature = mangled(signature, owner.path[-1])
        decorator = self.constructors.altered(owner, binding) if binding[EXTRA][0] and kind != "property" else ""
        if not decorator:
            return signature, note
        written = f"written as {binding[SIGNATURE]}; @{decorator} gives it another signature"
        return f"def {name}(...)", f"{note}; {written}" if note else written

    def _returned(self, binding: Binding, owner: Thing) -> str:
        """The parameters of the function that a call returns, for `name = maker(…)`; empty where that is not what it is."""
        value = binding[EXTRA]
        if not isinstance(value, list) or value[:1] != [CALL] or not isinstance(value[1], str):
            return ""
        maker = self.classes.names.path_in(owner.module, owner.path, value[1])
        if maker is None or maker.kind != DEF:
            return ""
        return str(maker.bindings[-1][EXTRA][5] or "")

    def _is_enum(self, thing: Thing) -> bool:
        if thing.kind != CLASS or not any(
            binding[EXTRA]["bases"] for binding in thing.bindings if binding[KIND] == CLASS
        ):
            return False
        return any(owner.dotted == "enum.Enum" for owner in self.classes.view(thing).lineage)

    def _symbol(
        self,
        name: str,
        kind: str,
        signature: str,
        summary: str | None,
        place: tuple[str, int, int],
        exported_from: str | None,
        deprecated: str | None,
        note: str | None,
    ) -> Symbol:
        """The one place where package text becomes a record: made one safe line, and cut."""
        return Symbol(
            name,
            kind,
            one_line(signature, SIGNATURE_LIMIT),
            one_line(summary, _SHOWN_SUMMARY) if summary else None,
            place[0],
            place[1],
            place[2],
            exported_from,
            None if deprecated is None else one_line(deprecated),
            one_line(note) if note else None,
        )

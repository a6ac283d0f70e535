"""What a class is called with: its `__init__` or `__new__`, or the fields that a dataclass-like decorator makes one from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .python_facts import CLASS, DEF, EXTRA, KIND, SIGNATURE
from .python_signatures import without_first
from .python_things import COMPILED, Thing

if TYPE_CHECKING:
    from .python_classes import Classes


class Constructors:
    """Signatures of classes, as `inspect.signature` would give them."""

    def __init__(self, classes: Classes) -> None:
        self.classes = classes

    def signature(self, thing: Thing) -> str:
        """`(parameters)` of the call that makes an instance."""
        if thing.kind != CLASS:
            return "()"
        for owner in self.classes.view(thing).lineage:
            if owner.kind == COMPILED:
                if owner.dotted == "builtins.object":
                    break
                if owner.data[2]:
                    return str(owner.data[2])
                continue
            for binding in owner.bindings:
                if binding[KIND] == CLASS:
                    for name in ("__new__", "__init__"):
                        for made in binding[EXTRA]["bindings"].get(name, ())[-1:]:
                            if made[KIND] == DEF:
                                return _called(made[SIGNATURE])
        return "()"


def _called(parameters: str) -> str:
    return without_first(parameters).rpartition(" -> ")[0] or without_first(parameters)

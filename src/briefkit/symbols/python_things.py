"""What a name leads to, and the answer to looking it up."""

from __future__ import annotations

from typing import Any, Protocol

from briefkit.records import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .python_facts import Binding
    from .python_modules import Module, World

MODULE = "module"
COMPILED = "compiled"
OPAQUE = "opaque"


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


class NamePort(Protocol):
    """The lookups that reading a lazy `__getattr__` needs."""

    world: World

    def lookup(self, module: Module, name: str) -> Lookup:
        """What `module.name` is at run time."""

    def path_in(self, module: Module, scope: tuple[str, ...], path: str) -> Thing | None:
        """What a dotted path means inside a module."""

    def all_names(self, module: Module) -> frozenset[str] | None:
        """The names of a module's `__all__`."""

    def in_stub(self, module: Module, name: str) -> Thing | None:
        """What the stub beside a module's source declares."""

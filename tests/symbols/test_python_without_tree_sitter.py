"""Where tree-sitter has no wheel, `ast` gives the same facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from python_packages import Site

from briefkit.symbols import python_ast_nodes, python_walk
from briefkit.symbols.python_scopes import Where
from briefkit.symbols.python_text import readable_source

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

SOURCE = '''
# a comment
"""The module. It has more."""
from __future__ import annotations
import os.path, json as j
from . import sibling
from ..up import (a as b, c,)
from os import *
try:
    import fast
except ImportError:
    fast = None
finally:
    done = 1
if sys.version_info >= (3, 8):
    new = 1
elif TYPE_CHECKING:
    typed = 2
else:
    old = 3
for name in ["x", "y"]:
    setattr(Outer, name, 1)
while True:
    inner = 1
with open("f") as handle:
    pass
match 1:
    case 1:
        matched = 1
x = y = (1, "two", [*z], {"k": v, **w})
(p, [q, *r]) = f()
n: int
m: "list[int]" = field(default=1)
total = a.b + c.d | e
either = A if ok else B
made = lambda s, t=1: s
text = "one" "two"
__all__ = ["x"] + other.__all__
__all__ += ["y"]
__all__.append("z")
globals()["g"] = 1
Outer.late = value
register(Outer, key="v")
del p


@decorate("a", b=[1])
@plain
class Outer(Base[int], metaclass=Meta):
    """Class doc."""
    __slots__ = ("s",)
    attr: int = 1
    def __init__(self, one, *args, two: int = (1, 2), **kw) -> None:
        """Makes. It."""
        self.one, self.two = one, two
        for k in kw:
            setattr(self, k, 1)
    @property
    async def prop(self): return 1
    class Inner:
        deep = 1


async def coroutine(
    a,  # why
    b="),",
): ...


def __getattr__(name):
    if name in TABLE:
        return 1
    raise AttributeError(name)
'''


def _facts(source: str, *, with_ast: bool) -> dict[str, Any]:
    data = readable_source(source.encode())
    assert isinstance(data, bytes)
    where = Where("pkg.mod.sub", is_package=False, stub=False, python=(3, 11))
    if not with_ast:
        return python_walk.read_module(data, where)
    return python_walk._Walk(data, where).module(python_ast_nodes.parse(data))  # type: ignore[arg-type]


def test_both_readers_give_the_same_facts() -> None:
    assert _facts(SOURCE, with_ast=True) == _facts(SOURCE, with_ast=False)


def test_a_table_is_built_without_tree_sitter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> NoReturn:
        raise ImportError("no wheel")

    monkeypatch.setattr(python_walk, "parser", none)
    site = Site(tmp_path)
    site.lay("demo", {"demo/__init__.py": "class A(dict):\n    def f(self): ...\n", "demo/bad.py": "def (:\n"})
    table = site.table("demo")

    assert site.answers(table, "A.f", "A.pop", "A.g", "demo.bad.x") == {
        "A.f": "exists",
        "A.pop": "exists",
        "A.g": "absent",
        "demo.bad.x": "unknown",
    }
    assert ["this Python's parser" in entry or "the reader failed" in entry for entry in table.reach.unread] == [True]

"""What one Python file says, as JSON values: the layout that the walkers write, the cache keeps and the resolver reads.

A file is a dict of `bindings` (name -> bindings in order), `stars` (modules imported with `*`), `all` (what is done to `__all__`),
`doors` (what adds names that no text shows), `lazy` (its `__getattr__`), `sets` (`Owner.name = value` outside the owner's body), `calls`
(module-level calls with names as arguments), `reaches` (`setattr` in function bodies on what is no parameter),
`handed` (calls that are given `globals()`, or `__name__` with a table), `lines`, `doc`. A class body is a dict with `bases`, `keywords`, `decorators`, `bindings`,
`own` (instance attributes), `doors`, `lazy`. Binding and value are lists, since most of them are never looked at.

A value is text (`a.b.c`), or a list whose first item says its form: see the constants below. None is what is not understood.
"""

from __future__ import annotations

from typing import Any

from briefkit.records import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# A binding is [kind, line, end line, signature, summary, deprecation, extra, condition].
# A value with an annotation has that too, as a value.
KIND, LINE, END, SIGNATURE, SUMMARY, DEPRECATED, EXTRA, CONDITION, ANNOTATION = range(9)

DEF = "f"  # extra: [decorators, flags, parameter -> names set on it, parameters with unwritten names set, what its __getattr__ admits, parameters of the function it returns]
CLASS = "c"  # extra: the class dict
VALUE = "v"  # extra: value
IMPORT = "i"  # extra: [absolute module, name or None]
DECLARED = "n"  # annotation without a value
DELETED = "d"
GLOBAL = "g"  # set by `global` in a function

ALWAYS = 0
TYPING_ONLY = 1  # under `if TYPE_CHECKING`
SOMETIMES = 2  # one of several branches
OTHER_VERSION = 3  # the branch of another Python version
OTHER_PLATFORM = 4

# Forms of a value.
CALL = "()"  # function, arguments…
KEYWORD = "="  # name, value: an argument of a call
TEXT = "'"  # string
ITEMS = "[]"  # items…
TABLE = "{}"  # [key, value]…
SUBSCRIPT = "["  # value that is subscripted, the subscript
SUM = "+"
UNION = "|"
LITERAL = "#"  # number, None, True…: its text
LAMBDA = "lambda"  # parameters
CHOICE = "?"  # either value

Binding = list[Any]
Value = Any

SCHEMA = 13
FILE_LIMIT = 8 << 20
SUMMARY_LIMIT = 300
SIGNATURE_LIMIT = 8000


def empty_module() -> dict[str, Any]:
    """A file that says nothing."""
    return {
        "bindings": {},
        "stars": [],
        "all": None,
        "doors": [],
        "lazy": None,
        "sets": [],
        "calls": [],
        "reaches": [],
        "handed": [],
        "lines": 0,
        "doc": None,
    }


def empty_class() -> dict[str, Any]:
    """A class body that says nothing."""
    return {"bases": [], "keywords": {}, "decorators": [], "bindings": {}, "own": {}, "doors": [], "lazy": None}


_LIVE = frozenset((ALWAYS, SOMETIMES, OTHER_PLATFORM))


def alive(bindings: Iterable[Binding], *, stub: bool) -> tuple[Binding, ...]:
    """The bindings that hold at run time on this Python: not those for type checkers alone, nor what `del` took away."""
    live: list[Binding] = []
    for binding in bindings:
        if binding[KIND] == DELETED:
            live = []
        elif (binding[CONDITION] in _LIVE or (stub and binding[CONDITION] == TYPING_ONLY)) and binding[
            KIND
        ] != DECLARED:
            live.append(binding)
    return tuple(live)

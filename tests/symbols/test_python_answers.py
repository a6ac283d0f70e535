"""The three answers about Python packages: what exists, what surely does not, and which door stands open."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from python_packages import Site, shown

from briefkit.symbols.records import Symbol

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_a_function_is_shown_with_its_place_signature_and_summary(site: Site) -> None:
    site.lay(
        "demo",
        {
            "demo/__init__.py": "from .api import fetch\n",
            "demo/api.py": '''
                def fetch(
                    url: str,  # where
                    *,
                    timeout: float = 1.0,
                ) -> bytes:
                    """Fetches a page. And more."""
                    return b""
                ''',
        },
    )

    answer = site.table("demo").answer("demo.fetch")

    assert answer.answer == "exists"
    assert [m._replace(file=shown(m.file, site)) for m in answer.matches] == [
        Symbol(
            name="demo.fetch",
            kind="function",
            signature="def fetch(url: str, *, timeout: float = 1.0) -> bytes",
            summary="Fetches a page.",
            file="demo/api.py",
            line=1,
            end_line=7,
            exported_from="demo",
        )
    ]


def test_the_import_name_may_be_left_out_and_calls_may_be_written_with_brackets(site: Site) -> None:
    site.lay("demo", {"demo.py": "class Session:\n    def get(self): ...\n"})

    assert site.answers(site.table("demo"), "Session.get", "demo.Session.get()", "demo:Session.get", "demo") == {
        "Session.get": "exists",
        "demo.Session.get()": "exists",
        "demo:Session.get": "exists",
        "demo": "exists",
    }


def test_an_absent_name_says_where_it_is_missing_how_far_was_searched_and_what_is_nearest(site: Site) -> None:
    site.lay(
        "demo",
        {
            "demo.py": "class Model:\n    def upsert_many(self): ...\n    def bulk_create(self): ...\n    def sync(self): ...\n"
        },
    )

    answer = site.table("demo").answer("demo.Model.batch_upsert")

    assert (answer.answer, answer.matches, answer.reason) == (
        "absent",
        (),
        "demo.Model has no batch_upsert (1 file searched)",
    )
    assert [symbol.name for symbol in answer.nearest] == ["demo.Model.upsert_many", "demo.Model.bulk_create"]


def test_bases_are_followed_into_other_distributions_and_into_python_itself(site: Site) -> None:
    site.lay("base", {"base.py": "class Root(dict):\n    def grow(self): ...\n"})
    site.lay("demo", {"demo.py": "from base import Root\nclass Tree(Root):\n    def cut(self): ...\n"})

    assert site.answers(site.table("demo"), "Tree.cut", "Tree.grow", "Tree.setdefault", "Tree.mro", "Tree.shrink") == {
        "Tree.cut": "exists",
        "Tree.grow": "exists",
        "Tree.setdefault": "exists",
        "Tree.mro": "exists",
        "Tree.shrink": "absent",
    }


def test_a_base_that_is_not_installed_is_a_door(site: Site) -> None:
    site.lay("demo", {"demo.py": "from nowhere import Root\nclass Tree(Root):\n    def cut(self): ...\n"})

    answer = site.table("demo").answer("demo.Tree.shrink")

    assert (answer.answer, answer.reason) == (
        "unknown",
        "base Root of demo.Tree cannot be read (nowhere is not installed)",
    )


@pytest.mark.parametrize(
    ("source", "query", "door"),
    [
        ("def __getattr__(name):\n    return make(name)\n", "x", "__getattr__ at demo line 1 answers names by code"),
        ("for n in names():\n    globals()[n] = 1\n", "x", "globals() at demo line 2 may add names"),
        ("exec(open('x').read())\n", "x", "exec at demo line 1 may add names"),
        ("from elsewhere import *\n", "x", "import * from elsewhere at demo line 1, which is not installed"),
        ("import sys\nsys.modules[__name__] = Fake()\n", "x", "sys.modules at demo line 2 may add names"),
        (
            "class A:\n    def __getattr__(self, name):\n        return 1\n",
            "A.x",
            "__getattr__ of demo.A (line 2) answers names by code",
        ),
        (
            "class A:\n    def __init__(self, **kw):\n        self.__dict__.update(kw)\n",
            "A.x",
            "__dict__ at demo line 3 in __init__ may add names",
        ),
        (
            "class A:\n    def __init__(self, **kw):\n        for k in kw:\n            setattr(self, k, 1)\n",
            "A.x",
            "setattr at demo line 4 in __init__ may add names",
        ),
        ("class A(make_base()):\n    pass\n", "A.x", "a base of demo.A is made by make_base()"),
        (
            "class M(type):\n    def __getattr__(cls, n):\n        return 1\nclass A(metaclass=M):\n    pass\n",
            "A.x",
            "__getattr__ of metaclass demo.M answers names by code",
        ),
        (
            "class A:\n    pass\nfor n in names():\n    setattr(A, n, 1)\n",
            "A.x",
            "setattr at demo line 4 may add names to A",
        ),
        (
            "def add(cls):\n    for n in names():\n        setattr(cls, n, 1)\n    return cls\n@add\nclass A:\n    pass\n",
            "A.x",
            "decorator add of demo.A may add names",
        ),
        ("client = build()\n", "client.x", "what demo.client holds is not read (line 1)"),
    ],
)
def test_a_door_makes_the_answer_unknown_and_is_named(site: Site, source: str, query: str, door: str) -> None:
    site.lay("demo", {"demo.py": source.encode()})

    answer = site.table("demo").answer(query)

    assert (answer.answer, answer.reason, answer.reach.dynamic) == ("unknown", door, (door,))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        # a closed table in a module's __getattr__
        (
            "_T = {'a': 1}\ndef __getattr__(name):\n    if name in _T:\n        return _T[name]\n    raise AttributeError(name)\n",
            {"a": "exists", "b": "absent"},
        ),
        # names that are compared
        (
            "def __getattr__(name):\n    if name == 'a':\n        return 1\n    raise AttributeError(name)\n",
            {"a": "exists", "b": "absent"},
        ),
        # a comparison that only refuses
        (
            "def __getattr__(name):\n    if name == 'gone':\n        raise ImportError('gone')\n    raise AttributeError(name)\n",
            {"gone": "absent", "b": "absent"},
        ),
        # a __getattr__ that another function makes
        (
            (
                "def make(mod):\n    def inner(name):\n        if name not in ('a',):\n            raise AttributeError(name)\n"
                "        return 1\n    return inner\n__getattr__ = make(__name__)\n"
            ),
            {"a": "exists", "b": "absent"},
        ),
        # names set from a list that is written out
        (
            (
                "class A:\n    fields = ('x', 'y')\n    def __init__(self, **kw):\n        for f in self.fields:\n"
                "            setattr(self, f, kw.pop(f))\n"
            ),
            {"A.x": "exists", "A.z": "absent"},
        ),
        # a method whose caller chooses the name
        (
            "class A:\n    def put(self, name, value):\n        setattr(self, name, value)\n",
            {"A.put": "exists", "A.z": "absent"},
        ),
        # what one instance has is given to another
        (
            "class A:\n    def copy(self, other):\n        self.__dict__.update(other.__dict__)\n",
            {"A.copy": "exists", "A.z": "absent"},
        ),
        # a decorator whose names are written out
        (
            (
                "def add(names):\n    def inner(cls):\n        for n in names:\n            setattr(cls, n, 1)\n        return cls\n"
                "    return inner\n@add(['one', 'two'])\nclass A:\n    pass\n"
            ),
            {"A.one": "exists", "A.three": "absent"},
        ),
        # set from outside the body
        ("class A:\n    pass\nA.late = 1\n", {"A.late": "exists", "A.z": "absent"}),
        # a function that a call gives the class to
        ("def add(cls):\n    cls.late = 1\nclass A:\n    pass\nadd(A)\n", {"A.late": "exists", "A.z": "absent"}),
    ],
)
def test_a_door_that_admits_a_closed_set_is_shut(site: Site, source: str, expected: dict[str, str]) -> None:
    site.lay("demo", {"demo.py": source.encode()})

    assert site.answers(site.table("demo"), *expected) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from os import path as p\n", {"p": "absent"}),
        ("import typing as t\nif not t.TYPE_CHECKING:\n    a = 1\nelse:\n    b = 1\n", {"a": "exists", "b": "absent"}),
        (
            "import sys\nif sys.version_info >= (3, 12):\n    new = 1\nelse:\n    old = 1\n",
            {"new": "absent", "old": "exists"},
        ),
        ("try:\n    import json5 as j\nexcept ImportError:\n    j = None\n", {"j": "exists"}),
        ("a = b = 1\n(c, [d, *e]) = f()\nfor g in ():\n    h = 1\n", dict.fromkeys("abcdegh", "exists")),
        ("x: int\ny: int = 1\n", {"x": "absent", "y": "exists"}),
        ("a = 1\ndel a\nb = 1\n", {"a": "absent", "b": "exists"}),
        ("def f():\n    global made\n    made = 1\n", {"made": "exists"}),
        ("with open('x') as handle:\n    pass\nif (n := 1):\n    pass\n", {"handle": "exists"}),
        ("if __name__ == '__main__':\n    script = 1\n", {"script": "absent"}),
        ("def f(): ...\nf.attribute = 1\n", {"f.attribute": "exists", "f.__name__": "exists", "f.other": "absent"}),
        ("table = {'a': 1}\n", {"table.items": "exists", "table.append": "absent"}),
        ("type Alias[T] = list[T]\n", {"Alias": "exists"}),
    ],
)
def test_bindings_are_what_runs_on_this_python(site: Site, source: str, expected: dict[str, str]) -> None:
    site.lay("demo", {"demo.py": source.encode()})

    assert site.answers(site.table("demo"), *expected) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n    y: int = 0\n",
            {"P.x": "exists", "P.y": "exists", "P.z": "absent"},
        ),
        (
            "from collections import namedtuple\nP = namedtuple('P', 'x y')\nclass Q(P):\n    pass\n",
            {"P.x": "exists", "Q.y": "exists", "Q._replace": "exists", "Q.count": "exists", "Q.z": "absent"},
        ),
        (
            "from typing import NamedTuple\nclass P(NamedTuple):\n    x: int\n",
            {"P.x": "exists", "P._asdict": "exists", "P.index": "exists", "P.z": "absent"},
        ),
        (
            "import enum\nclass C(enum.Enum):\n    RED = 1\n",
            {"C.RED": "exists", "C.RED.value": "exists", "C.name": "exists", "C.GREEN": "absent"},
        ),
        (
            "class A:\n    __slots__ = ('x', 'y')\n    def f(self):\n        self.a, self.b = 1, 2\n        self.c: int = 3\n",
            {"A.x": "exists", "A.a": "exists", "A.b": "exists", "A.c": "exists", "A.d": "absent"},
        ),
        (
            "class A:\n    def f(self):\n        # self.old = 1\n        if self.read == 2:\n            pass\n",
            {"A.old": "absent", "A.read": "absent"},
        ),
        (
            "class Meta(type):\n    def make(cls): ...\nclass A(metaclass=Meta):\n    class Inner:\n        def go(self): ...\n",
            {"A.make": "exists", "A.Inner.go": "exists", "A.Inner.stop": "absent"},
        ),
        (
            "from typing import Generic, TypeVar\nT = TypeVar('T')\nclass A(Generic[T]):\n    pass\nB = A[int]\nC = A\n",
            {"A.x": "absent", "B.__class_getitem__": "exists", "C.x": "absent"},
        ),
        ("class E(ValueError):\n    pass\n", {"E.args": "exists", "E.with_traceback": "exists", "E.code": "absent"}),
    ],
)
def test_members_of_classes_and_of_their_instances_are_known(site: Site, source: str, expected: dict[str, str]) -> None:
    site.lay("demo", {"demo.py": source.encode()})

    assert site.answers(site.table("demo"), *expected) == expected


def test_all_decides_what_a_star_brings(site: Site) -> None:
    site.lay(
        "demo",
        {
            "demo/__init__.py": "from .a import *\nfrom .b import *\n__all__ = []\n__all__ += ['one']\n__all__.extend(['two'])\n",
            "demo/a.py": "__all__ = ['one', '_kept']\none = two = _kept = 1\n",
            "demo/b.py": "three = 1\n_hidden = 1\n",
        },
    )

    assert site.answers(
        site.table("demo"), "one", "_kept", "two", "three", "_hidden", "demo.b._hidden", "demo.a.two"
    ) == {
        "one": "exists",
        "_kept": "exists",
        "two": "absent",
        "three": "exists",
        "_hidden": "absent",
        "demo.b._hidden": "exists",
        "demo.a.two": "exists",
    }


def test_a_circle_of_imports_ends(site: Site) -> None:
    site.lay(
        "demo",
        {
            "demo/__init__.py": "from . import a, b\nfrom .a import *\n",
            "demo/a.py": "from .b import *\nfrom .b import x as y\n",
            "demo/b.py": "from .a import *\nfrom .a import y as x\nz = 1\n",
        },
    )

    assert site.answers(site.table("demo"), "demo.a.z", "demo.z", "demo.a.y", "demo.b.nothing") == {
        "demo.a.z": "exists",
        "demo.z": "exists",
        "demo.a.y": "exists",
        "demo.b.nothing": "absent",
    }


def test_native_code_is_known_by_its_stub_and_by_the_words_in_it(site: Site) -> None:
    site.lay(
        "demo",
        {
            "demo/__init__.py": "from ._core import Engine\nfrom ._raw import Thing\n",
            "demo/_core.cpython-311-x86_64-linux-gnu.so": b"\x7fELF\0start\0hidden\0",
            "demo/_core.pyi": "class Engine:\n    def start(self) -> None: ...\n",
            "demo/_raw.so": b"\x7fELF\0",
        },
    )
    table = site.table("demo")

    assert site.answers(table, "Engine.start", "Engine.halt", "Engine.hidden", "Thing.x", "demo._raw.y") == {
        "Engine.start": "exists",
        "Engine.halt": "absent",
        "Engine.hidden": "unknown",
        "Thing.x": "unknown",
        "demo._raw.y": "unknown",
    }
    assert [entry.rpartition(": ")[2] for entry in table.reach.unread] == ["native code without a stub"]


def test_stub_packages_speak_for_sources_and_never_for_what_runs(site: Site) -> None:
    site.lay("demo", {"demo/__init__.py": "def plain(a, b=1): ...\n"})
    site.lay(
        "types-demo", {"demo-stubs/__init__.pyi": "def plain(a: int, b: int = ...) -> str: ...\nclass Declared: ...\n"}
    )

    answer = site.table("demo").answer("demo.plain")

    assert [match.signature for match in answer.matches] == ["def plain(a, b=1)"]


def test_overloads_follow_the_definition_that_runs(site: Site) -> None:
    site.lay(
        "demo",
        {
            "demo.py": "from typing import overload\n@overload\ndef f(a: int) -> int: ...\n@overload\ndef f(a: str) -> str: ...\n"
            "def f(a): return a\n"
        },
    )

    assert [(m.signature, m.line) for m in site.table("demo").answer("f").matches] == [
        ("def f(a)", 6),
        ("def f(a: int) -> int", 3),
        ("def f(a: str) -> str", 5),
    ]


def test_deprecation_is_read_from_decorators_and_documentation(site: Site) -> None:
    site.lay(
        "demo",
        {
            "demo.py": '''
                from warnings import deprecated
                @deprecated("use new")
                def old(): ...
                def older():
                    """Does it.

                    .. deprecated:: 2.0
                       Use new.
                    """
                def new(copy):
                    """Does it.

                    Parameters
                    ----------
                    copy : bool
                        No longer read.

                        .. deprecated:: 3.0
                    """
                '''
        },
    )
    table = site.table("demo")

    assert {name: table.answer(name).matches[0].deprecated for name in ("old", "older", "new")} == {
        "old": "use new",
        "older": "2.0 Use new.",
        "new": None,
    }


def test_hostile_text_arrives_as_one_safe_line(site: Site) -> None:
    site.lay("demo", {"demo.py": 'def f(a="\x1b[31m\u202e"):\n    """Says\x07 hi\u2028 there."""\n'.encode()})

    match = site.table("demo").answer("f").matches[0]

    assert (match.signature, match.summary) == ('def f(a="\\u{1b}[31m\\u{202e}")', "Says\\u{7} hi there.")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"x = 1\n" + b"#" * (9 << 20), "bytes, more than the"),
        (b"x = " + b"[" * 10_000 + b"]" * 10_000 + b"\n", "brackets nested deeper than 400"),
        (b"x = '\xff\xfe'\n", "not UTF-8 text at byte 5, and without a coding cookie"),
        (b"x = 1\0\n", "holds NUL bytes"),
        (b"# -*- coding: klingon -*-\nx = 1\n", "not klingon text, which its coding cookie claims"),
    ],
)
def test_a_file_over_a_bound_is_unread_with_the_reason_and_nothing_in_it_is_denied(
    site: Site, data: bytes, reason: str
) -> None:
    site.lay("demo", {"demo/__init__.py": "", "demo/big.py": data})
    table = site.table("demo")

    assert [reason in entry for entry in table.reach.unread] == [True]
    assert table.answer("demo.big.x").answer == "unknown"


@pytest.mark.parametrize(
    "data",
    [
        b"# -*- coding: latin-1 -*-\nclass A:\n    '''\xe9t\xe9.'''\n",
        b"\xef\xbb\xbfpass\nclass A:\n    pass\n",
        b"pass\rclass A:\r    pass\r",
        b"pass\r\nclass A:\r\n    pass\r\n",
        b"x = (\nclass A:\n    pass\n",
        b"print 'two'\nclass A:\n    pass\n",
    ],
)
def test_cookies_marks_line_ends_and_broken_code_are_read(site: Site, data: bytes) -> None:
    site.lay("demo", {"demo.py": data})

    answer = site.table("demo").answer("demo.A")

    assert (answer.answer, [match.line for match in answer.matches]) == ("exists", [2])


def test_deep_blocks_and_long_chains_do_not_recurse(site: Site) -> None:
    nested = "".join(f"{' ' * depth}if a{depth}:\n" for depth in range(3000)) + " " * 3000 + "x = 1\n"
    summed = "__all__ = " + " + ".join(f"['n{i}']" for i in range(5000)) + "\nn1 = 1\n"
    site.lay("demo", {"demo/__init__.py": "", "demo/deep.py": nested.encode(), "demo/long.py": summed.encode()})

    assert site.answers(site.table("demo"), "demo.deep.x", "demo.long.n1", "demo.long.none") == {
        "demo.deep.x": "exists",
        "demo.long.n1": "exists",
        "demo.long.none": "absent",
    }


def test_nothing_is_imported_run_or_opened_for_writing(site: Site, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    site.lay("demo", {"demo/__init__.py": f"open({str(canary)!r}, 'w')\nfrom os import path\n\nclass A(path): ...\n"})
    seen: list[str] = []
    watching = [True]

    def watch(event: str, args: tuple[object, ...]) -> None:
        if not watching:
            return
        if event in ("os.system", "subprocess.Popen", "os.exec", "os.posix_spawn", "socket.connect", "exec", "compile"):
            seen.append(event)
        if event == "import" and str(args[0]).partition(".")[0] == "demo":
            seen.append(f"import {args[0]}")

    table = site.table("demo")
    sys.addaudithook(watch)
    table = site.table("demo")
    answers = site.answers(table, "demo.A.x", "demo.nothing")
    watching.clear()

    assert (answers, seen, canary.exists(), "demo" in sys.modules) == (
        {"demo.A.x": "unknown", "demo.nothing": "absent"},
        [],
        False,
        False,
    )


def test_a_module_with_an_unreadable_query_is_unknown(site: Site) -> None:
    site.lay("demo", {"demo.py": "a = 1\n"})

    assert site.answers(site.table("demo"), "a b", "", "a..b", "a." * 900 + "b") == dict.fromkeys(
        ("a b", "", "a..b", "a." * 900 + "b"), "unknown"
    )


def test_names_of_an_import_path_win_over_a_function_of_the_same_name(site: Site) -> None:
    site.lay(
        "demo",
        {
            "demo/__init__.py": "from .work import work\n",
            "demo/work.py": "@wrap\ndef work(): ...\nclass Tool:\n    x = 1\n",
        },
    )

    assert site.answers(site.table("demo"), "demo.work", "demo.work.Tool.x", "demo.work.Tool.y") == {
        "demo.work": "exists",
        "demo.work.Tool.x": "exists",
        "demo.work.Tool.y": "absent",
    }


def test_a_module_that_a_call_fills_from_a_table_has_the_names_of_the_table_and_perhaps_more(site: Site) -> None:
    site.lay(
        "demo",
        {
            "demo/__init__.py": """
                from typing import TYPE_CHECKING
                from . import local
                if TYPE_CHECKING:
                    from .app import App
                old, new = local.recreate_module(__name__, by_module={"demo.app": ["App"]}, local=local)
                """,
            "demo/local.py": """
                import sys
                def recreate_module(name, by_module=None, **attributes):
                    return sys.modules[name], make(name, by_module)
                """,
            "demo/app.py": "class App:\n    def run(self): ...\n",
        },
    )
    table = site.table("demo")

    assert site.answers(table, "demo.App", "demo.App.run", "demo.App.walk", "demo.Application") == {
        "demo.App": "exists",
        "demo.App.run": "exists",
        "demo.App.walk": "absent",
        "demo.Application": "unknown",
    }
    assert table.answer("demo.Application").reason == (
        "a call that is given the module's name and a table at demo line 5 may add names"
    )


def test_what_is_set_on_a_name_for_the_module_itself_is_set_on_the_module(site: Site) -> None:
    site.lay(
        "demo",
        {
            "demo/loop.py": """
                import sys
                module = sys.modules[__name__]
                for group in (One, Two):
                    for item in group:
                        setattr(module, item.name, item.value)
                """,
            "demo/plain.py": "import sys\nthis = sys.modules[__name__]\nsetattr(this, 'there', 1)\n",
            "demo/__init__.py": "",
        },
    )

    assert site.answers(site.table("demo"), "demo.loop.LANCZOS", "demo.plain.there", "demo.plain.other") == {
        "demo.loop.LANCZOS": "unknown",
        "demo.plain.there": "exists",
        "demo.plain.other": "absent",
    }


def test_the_fields_of_a_c_structure_are_on_it_and_those_that_are_not_written_out_are_a_door(site: Site) -> None:
    site.lay(
        "demo",
        {
            "demo.py": """
                from ctypes import Structure, Union, c_int
                class Event(Structure):
                    _fields_ = [("mask", c_int), ("length", c_int, 4)]
                class Node(Structure):
                    pass
                Node._fields_ = (("next", c_int),)
                class Either(Union):
                    _fields_ = made()
                """,
        },
    )

    assert site.answers(
        site.table("demo"), "Event.mask", "Event.length", "Event.cookie", "Node.next", "Node.last", "Either.one"
    ) == {
        "Event.mask": "exists",
        "Event.length": "exists",
        "Event.cookie": "absent",
        "Node.next": "exists",
        "Node.last": "absent",
        "Either.one": "unknown",
    }


def test_in_a_shared_namespace_only_the_names_below_the_own_import_names_are_decided(site: Site) -> None:
    laid = site.lay("google-auth", {"google/auth/__init__.py": "def default(): ...\n"})
    site.installed["google"] = laid._replace(top_levels=("google.auth",))
    table = site.table("google")

    assert site.answers(
        table,
        "google.auth.default",
        "auth.default",
        "default",
        "google",
        "auth.defaults",
        "google.auth.defaults",
        "google.protobuf.message",
    ) == {
        "google.auth.default": "exists",
        "auth.default": "exists",
        "default": "exists",
        "google": "exists",
        "auth.defaults": "absent",
        "google.auth.defaults": "absent",
        "google.protobuf.message": "unknown",
    }
    assert table.answer("google.protobuf.message").reason == (
        "google is a namespace that other distributions share; google.protobuf is not of google-auth"
    )


def test_what_is_set_in_a_namespace_under_another_name_is_in_the_module(site: Site) -> None:
    site.lay(
        "demo",
        {
            "demo/old.py": """
                GONE = ["Edit", "Engine"]
                here = locals()
                for each in GONE:
                    here[each] = make(each)
                """,
            "demo/open.py": "here = globals()\nfor each in names():\n    here[each] = 1\n",
            "demo/given.py": "here = globals()\nbuild(DESCRIPTOR, here)\n",
            "demo/more.py": "here = globals()\nhere.update({'one': 1})\n",
            "demo/__init__.py": "",
        },
    )

    assert site.answers(
        site.table("demo"),
        "demo.old.Edit",
        "demo.old.Model",
        "demo.open.x",
        "demo.given.x",
        "demo.more.one",
        "demo.more.two",
    ) == {
        "demo.old.Edit": "exists",
        "demo.old.Model": "absent",
        "demo.open.x": "unknown",
        "demo.given.x": "unknown",
        "demo.more.one": "exists",
        "demo.more.two": "absent",
    }


def test_a_name_that_branches_bind_to_different_classes_has_the_members_of_each(site: Site) -> None:
    site.lay(
        "demo",
        {
            "demo.py": """
                class Slow:
                    def parse(self): ...
                class Fast:
                    def feed(self): ...
                try:
                    import fast
                except ImportError:
                    Auto = Slow
                else:
                    Auto = Fast
                """,
        },
    )

    assert site.answers(site.table("demo"), "Auto.parse", "Auto.feed", "Auto.other") == {
        "Auto.parse": "exists",
        "Auto.feed": "exists",
        "Auto.other": "absent",
    }


def test_what_a_stub_offers_from_native_code_exists_though_its_members_are_not_known(site: Site) -> None:
    site.lay(
        "demo",
        {
            "demo/__init__.py": "import lazy\n__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)\n",
            "demo/__init__.pyi": "__all__ = ['Path']\nfrom ._paths import Path\nfrom ._paths import Hidden\n",
            "demo/_paths.cpython-311-x86_64-linux-gnu.so": b"\0",
        },
    )

    assert site.answers(site.table("demo"), "demo.Path", "demo.Path.find", "demo.Hidden", "demo.Paths") == {
        "demo.Path": "exists",
        "demo.Path.find": "unknown",
        "demo.Hidden": "unknown",
        "demo.Paths": "absent",
    }


def test_what_is_missing_is_said_of_the_public_import_name(site: Site) -> None:
    site.lay("demo", {"demo/__init__.py": "", "_demo/__init__.py": ""})

    answer = site.table("demo").answer("fetch")

    assert (answer.answer, answer.reason) == ("absent", "demo has no fetch (2 files searched)")

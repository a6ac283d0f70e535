"""Signatures as `inspect.signature` gives them at run time, from source alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from python_packages import Site

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("source", "query", "signature"),
    [
        ("class A:\n    def __init__(self, a, b=1): ...\n", "A", "class A(a, b=1)"),
        ("class A:\n    def __new__(cls, a): ...\n    def __init__(self, *a): ...\n", "A", "class A(a)"),
        ("class A:\n    pass\n", "A", "class A()"),
        ("class B:\n    def __init__(self, b): ...\nclass A(B):\n    pass\n", "A", "class A(b)"),
        (
            (
                "from dataclasses import dataclass, field, KW_ONLY\nfrom typing import ClassVar\n@dataclass\nclass A:\n    a: int\n"
                "    n: ClassVar[int] = 1\n    b: int = field(default=2)\n    c: int = field(init=False)\n    _: KW_ONLY\n    d: str = 'x'\n"
            ),
            "A",
            "class A(a: int, b: int = ..., *, d: str = 'x')",
        ),
        (
            "from dataclasses import dataclass\n@dataclass\nclass B:\n    b: int\n@dataclass\nclass A(B):\n    a: int\n",
            "A",
            "class A(b: int, a: int)",
        ),
        (
            "from typing import dataclass_transform\n@dataclass_transform()\ndef model(c): return c\n@model\nclass A:\n    a: int\n",
            "A",
            "class A(a: int)",
        ),
        ("class M(type):\n    def __call__(cls, x): ...\nclass A(metaclass=M):\n    pass\n", "A", "class A(x)"),
        ("class A:\n    @classmethod\n    def make(cls, x): ...\n", "A.make", "def make(cls, x)"),
        ("class A:\n    @staticmethod\n    def make(x): ...\n", "A.make", "def make(x)"),
        (
            "class A:\n    @property\n    def size(self) -> int: ...\n    @size.setter\n    def size(self, v): ...\n",
            "A.size",
            "size: int",
        ),
        (
            "class A:\n    async def go(self, *, x: 'int') -> None: ...\n",
            "A.go",
            "async def go(self, *, x: 'int') -> None",
        ),
        ("class A:\n    def f(self, __x): ...\n", "A.f", "def f(self, _A__x)"),
        ("def g(a): ...\nclass A:\n    f = staticmethod(g)\n", "A.f", "def f(a)"),
        (
            "def maker(n):\n    def inner(self, x=1): ...\n    return inner\nclass A:\n    f = maker('f')\n",
            "A.f",
            "def f(self, x=1)",
        ),
        (
            "def keyword_only(f):\n    f.__signature__ = 1\n    return f\n@keyword_only\ndef g(a, b): ...\n",
            "g",
            "def g(...)",
        ),
        ("def g(a=(1, 2), b={'x': [1]}, c='a, b'): ...\n", "g", "def g(a=(1, 2), b={'x': [1]}, c='a, b')"),
        ("def g(\n    a,\n    b='''x\n y''',  # why\n): ...\n", "g", "def g(a, b='''x y''')"),
        ("def g[T](a: T) -> T: ...\n", "g", "def g(a: T) -> T"),
        ("LIMIT: int = 10\n", "LIMIT", "LIMIT: int = 10"),
    ],
)
def test_a_signature_is_what_a_caller_meets(tmp_path: Path, source: str, query: str, signature: str) -> None:
    site = Site(tmp_path)
    site.lay("demo", {"demo.py": source.encode()})

    assert [match.signature for match in site.table("demo").answer(query).matches] == [signature]


def test_a_signature_that_a_decorator_changes_is_not_claimed_and_the_written_one_is_noted(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.lay("demo", {"demo.py": "def only(f):\n    f.__signature__ = 1\n    return f\n@only\ndef g(a, b): ...\n"})

    assert [match.note for match in site.table("demo").answer("g").matches] == [
        "written as (a, b); @only gives it another signature"
    ]

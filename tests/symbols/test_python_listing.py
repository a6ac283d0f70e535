"""All symbols of a package under their shortest paths, and the search over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from python_packages import Site, shown

if TYPE_CHECKING:
    from pathlib import Path

FILES: dict[str, str | bytes] = {
    "demo/__init__.py": "from ._frame import Frame\nfrom .io.text import read_table\n",
    "demo/_base.py": "class Shared:\n    def head(self, n=5):\n        '''The first rows.'''\n",
    "demo/_frame.py": '''
        from ._base import Shared
        class Frame(Shared):
            """A table of rows."""
            def merge(self, right, on=None):
                """Joins two tables by a column.

                >>> frame.merge(other, on="id")
                """
            def insert_rows(self, rows):
                """Adds many rows at once."""
            def _private(self): ...
        ''',
    "demo/io/__init__.py": "",
    "demo/io/text.py": "def read_table(path): ...\nDEFAULT = 1\n",
    "demo/tests/test_it.py": "def test_all(): ...\n",
    "README.md": "# demo\n\n```python\nframe = demo.read_table('x')\nframe.insert_rows([1])\n```\n",
}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    found = Site(tmp_path)
    found.lay("demo", FILES)
    found.installed["demo"] = found.installed["demo"]._replace(top_levels=("demo",))
    return found


def test_symbols_are_listed_once_each_under_the_shortest_public_path(site: Site) -> None:
    listed = [(s.name, s.kind, shown(s.file, site), s.line, s.exported_from) for s in site.table("demo").symbols()]

    assert listed == [
        ("demo", "module", "demo/__init__.py", 1, None),
        ("demo.Frame.head", "method", "demo/_base.py", 2, "demo"),
        ("demo.Frame", "class", "demo/_frame.py", 2, "demo"),
        ("demo.Frame.merge", "method", "demo/_frame.py", 4, "demo"),
        ("demo.Frame.insert_rows", "method", "demo/_frame.py", 9, "demo"),
        ("demo.io", "module", "demo/io/__init__.py", 1, None),
        ("demo.io.text", "module", "demo/io/text.py", 1, None),
        ("demo.read_table", "function", "demo/io/text.py", 1, "demo"),
        ("demo.io.text.DEFAULT", "constant", "demo/io/text.py", 2, "demo.io.text"),
    ]


@pytest.mark.parametrize(
    ("words", "best"),
    [
        ("How do we join two tables on a column?", "demo.Frame.merge"),
        ("bulk inserting of rows", "demo.Frame.insert_rows"),
        ("Frame.merge", "demo.Frame.merge"),
        ("readTable", "demo.read_table"),
        ("first rows", "demo.Frame.head"),
    ],
)
def test_a_question_finds_the_symbol_by_stems_joined_words_and_summary(site: Site, words: str, best: str) -> None:
    assert site.table("demo").search(words, 3)[0].symbol.name == best


def test_hits_carry_the_example_code_that_uses_their_name(site: Site) -> None:
    hits = {hit.symbol.name: hit.examples for hit in site.table("demo").search("merge insert rows")}

    found = {name: [(shown(file, site), first, last) for file, first, last in blocks] for name, blocks in hits.items()}
    assert {name: blocks for name, blocks in found.items() if blocks} == {
        "demo.Frame.merge": [("demo/_frame.py", 7, 7)],
        "demo.Frame.insert_rows": [("README.md", 4, 5)],
    }


def test_a_question_without_words_finds_nothing(site: Site) -> None:
    assert site.table("demo").search("how do we?") == []


def test_test_modules_are_not_listed_and_are_read_when_asked_for(site: Site) -> None:
    table = site.table("demo")

    assert (table.reach.unread, table.answer("demo.tests.test_it.test_all").answer) == (
        ("2 test modules: read when asked for",),
        "exists",
    )

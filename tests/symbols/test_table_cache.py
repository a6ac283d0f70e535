"""Tables in the cache: kept, found again, and built again whenever they do not hold."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from python_packages import Site

from briefkit.packages import Installed
from briefkit.symbols import cache, python_reading

if TYPE_CHECKING:
    from pathlib import Path

HEAD = {"schema": 1, "name": "demo"}


def test_what_was_written_is_read_back_part_by_part(tmp_path: Path) -> None:
    path = str(tmp_path / "tables" / "t")
    cache.write_table(path, HEAD, [("a", [1, "x"]), ("b", {"k": None, "s": "\ud800"})])

    table = cache.read_table(path, HEAD)

    assert table is not None
    assert (table.head, list(table), table.part("a"), table.part("b"), table.part("c")) == (
        HEAD,
        ["a", "b"],
        [1, "x"],
        {"k": None, "s": "\ud800"},
        None,
    )
    assert os.stat(path).st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path / "tables") == ["t"]


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "magic", "huge index"])
def test_a_damaged_table_is_one_that_is_not_there(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "t"
    cache.write_table(str(path), HEAD, [("a", list(range(100)))])
    data = bytearray(path.read_bytes())
    if damage == "cut":
        data = data[:-5]
    elif damage == "flip":
        data[-3] ^= 1
    elif damage == "empty":
        data = bytearray()
    elif damage == "magic":
        data[0] ^= 1
    else:
        data[12:16] = b"\xff\xff\xff\xff"
    path.write_bytes(data)

    assert cache.read_table(str(path), HEAD) is None


def test_every_flipped_byte_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "t"
    cache.write_table(str(path), HEAD, [("a", ["some text"])])
    data = path.read_bytes()
    for at in range(len(data)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :])
        assert cache.read_table(str(path), HEAD) is None


def test_a_table_about_something_else_is_not_taken(tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    cache.write_table(path, HEAD, [])

    assert cache.read_table(path, {**HEAD, "version": "2"}) is None


def test_where_nothing_can_be_written_the_table_serves_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "tables").write_text("a file where the folder should be", encoding="utf-8")

    assert cache.write_table(str(tmp_path / "tables" / "t"), HEAD, [("a", 1)]).part("a") == 1


def test_the_oldest_tables_go_when_there_are_too_many_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "KEPT_BYTES", 400)
    for number in range(5):
        path = tmp_path / f"t{number}"
        cache.write_table(str(path), HEAD, [("a", os.urandom(60).hex())])
        os.utime(path, (number, number))

    assert sorted(os.listdir(tmp_path)) == ["t3", "t4"]


def test_names_cannot_lead_a_table_out_of_the_cache() -> None:
    installed = Installed("npm", "@scope/../../x", "1.0/../2", "/r")

    path = cache.table_path("/cache", installed, "python")

    assert os.path.dirname(os.path.normpath(path)) == os.path.join("/cache", "tables")


def _count_reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    read: list[str] = []
    real = python_reading.facts_of

    def counted(data: bytes, name: str, **options: object) -> dict[str, object]:
        read.append(name)
        return real(data, name, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(python_reading, "facts_of", counted)
    return read


def test_a_table_is_built_once_and_no_file_of_it_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site(tmp_path / "env")
    site.lay("demo", {"demo/__init__.py": "from .a import f\n", "demo/a.py": "def f(): ...\n"})
    site.table("demo", tmp_path / "cache")
    read = _count_reads(monkeypatch)

    table = site.table("demo", tmp_path / "cache")

    assert (table.answer("f").answer, table.reach.files, read) == ("exists", 2, [])


def test_an_edited_file_is_read_again_and_answers_follow(tmp_path: Path) -> None:
    site = Site(tmp_path / "env")
    site.lay("demo", {"demo/__init__.py": "", "demo/a.py": "def f(): ...\n"})
    before = site.answers(site.table("demo", tmp_path / "cache"), "demo.a.f", "demo.a.g")
    (site.folder / "demo" / "a.py").write_text("def g(): ...  # longer\n", encoding="utf-8")

    assert (before, site.answers(site.table("demo", tmp_path / "cache"), "demo.a.f", "demo.a.g")) == (
        {"demo.a.f": "exists", "demo.a.g": "absent"},
        {"demo.a.f": "absent", "demo.a.g": "exists"},
    )


def test_a_new_module_and_a_search_after_an_edit_are_seen(tmp_path: Path) -> None:
    site = Site(tmp_path / "env")
    site.lay("demo", {"demo/__init__.py": "def merge(): ...\n"})
    first = [hit.symbol.name for hit in site.table("demo", tmp_path / "cache").search("merge")]
    (site.folder / "demo" / "late.py").write_text("def combine_frames(): ...\n", encoding="utf-8")
    table = site.table("demo", tmp_path / "cache")

    assert (first, table.answer("demo.late").answer, table.search("combine frames")[0].symbol.name) == (
        ["demo.merge"],
        "exists",
        "demo.late.combine_frames",
    )


def test_a_damaged_cache_is_built_again_in_silence(tmp_path: Path) -> None:
    site = Site(tmp_path / "env")
    site.lay("demo", {"demo.py": "def f(): ...\n"})
    list(site.table("demo", tmp_path / "cache").symbols())
    for path in (tmp_path / "cache" / "tables").iterdir():
        path.write_bytes(path.read_bytes()[:-4])

    table = site.table("demo", tmp_path / "cache")

    assert (table.answer("f").answer, [s.name for s in table.symbols()]) == ("exists", ["demo", "demo.f"])

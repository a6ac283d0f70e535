"""The table as a whole: its three answers, what it lists and finds, what it keeps, and what it leaves alone."""

from __future__ import annotations

import os
import sys
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from javascript_tables import answers, expected, find, shown, table

from briefkit.installed.node_finding import find_package
from briefkit.packages import Installed
from briefkit.symbols.javascript_table import JavaScriptTable

if TYPE_CHECKING:
    from pathlib import Path

STORE = {
    "index.d.ts": (
        "/** Keeps rows. */\nexport declare class Store {\n  /** Inserts many rows in one go. */\n  insertMany(rows: object[]): Promise<void>;\n"
        "  /** Inserts one row. */\n  insert(row: object): void;\n  size: number;\n}\n"
        "export interface InsertManyOptions {\n  /** Inserts many rows at once. */\n  rows?: boolean;\n}\n"
        "export declare function open(path: string): Store;\n"
    ),
    "index.js": "class Store { insertMany(rows) {} insert(row) {} }\nexports.Store = Store\nexports.open = p => new Store(p)\n",
    "README.md": "# Store\n\n```js\nconst store = open('x')\nawait store.insertMany(rows)\n```\n",
}


def test_an_absent_name_says_how_far_was_searched_and_what_is_nearest(tmp_path: Path) -> None:
    answer = table(tmp_path, STORE, types="index.d.ts").answer("Store.batchInsert")
    assert (answer.answer, answer.reason, answer.reach.files) == (
        "absent",
        "Store has no batchInsert (2 files searched)",
        2,
    )
    assert {symbol.name for symbol in answer.nearest} == {"Store.insertMany", "Store.insert"}


def test_an_unknown_name_says_which_door_stands_open(tmp_path: Path) -> None:
    answer = table(tmp_path, {"index.js": "\nexports[process.argv[2]] = 1"}).answer("a")
    place = tmp_path.resolve() / "node_modules" / "p" / "index.js"
    door = f"names are assigned by computation at {place}:2"
    assert (answer.answer, answer.reason, answer.reach.dynamic) == ("unknown", f"open: {door}", (door,))


def test_one_method_is_named_in_three_ways(tmp_path: Path) -> None:
    subject = table(tmp_path, STORE, types="index.d.ts")
    names = (
        "Store.insert",
        "Store#insert",
        "Store.prototype.insert",
        "Store.insert()",
        "p:Store.insert",
        "default.Store.insert",
    )
    assert [subject.answer(name).matches[0].signature for name in names] == ["insert(row: object): void"] * len(names)


def test_a_question_without_a_name_is_unknown(tmp_path: Path) -> None:
    assert [table(tmp_path, STORE).answer(query).answer for query in ("", ".", "  ", "p:")] == ["unknown"] * 4


def test_all_symbols_are_listed_in_order_of_file_and_line(tmp_path: Path) -> None:
    files = STORE | {"index.js": STORE["index.js"] + "exports.extra = 1\n"}
    found = [
        (symbol.name, *shown(symbol), symbol.note) for symbol in table(tmp_path, files, types="index.d.ts").symbols()
    ]
    assert found == [
        ("Store", "class", "class Store", "index.d.ts", 2, 8, None),
        ("Store.insertMany", "method", "insertMany(rows: object[]): Promise<void>", "index.d.ts", 4, 4, None),
        ("Store.insert", "method", "insert(row: object): void", "index.d.ts", 6, 6, None),
        ("Store.size", "property", "size: number", "index.d.ts", 7, 7, None),
        ("InsertManyOptions", "interface", "interface InsertManyOptions", "index.d.ts", 9, 12, None),
        ("InsertManyOptions.rows", "property", "rows?: boolean", "index.d.ts", 11, 11, None),
        ("open", "function", "function open(path: string): Store", "index.d.ts", 13, 13, None),
        ("extra", "constant", "exports.extra = 1", "index.js", 4, 4, "not in the types"),
    ]


def test_a_search_ranks_the_call_before_its_options_and_shows_examples(tmp_path: Path) -> None:
    hits = table(tmp_path, STORE, types="index.d.ts").search("insert many rows")
    readme = str(tmp_path.resolve() / "node_modules" / "p" / "README.md")
    assert (hits[0].symbol.name, hits[0].examples) == ("Store.insertMany", ((readme, 4, 5),))


# what is kept ------------------------------------------------------------------------------------------------------------


def test_a_kept_table_answers_without_reading_the_source(tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    first = table(tmp_path, STORE, cache=cache, types="index.d.ts")
    names = "Store.insertMany Store.upsert open missing"
    before = [first.answer(name) for name in names.split()]
    listed = list(first.symbols())
    again = JavaScriptTable(first.package, cache_dir=cache, find=find)
    opened = files_opened(lambda: [again.answer(name) for name in names.split()])
    assert [again.answer(name) for name in names.split()] == before
    assert list(again.symbols()) == listed
    assert not [path for path in opened if "node_modules" in path]


def test_a_changed_file_ends_a_kept_table(tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    first = table(tmp_path, {"index.js": "exports.a = 1"}, cache=cache)
    assert answers(first, "a b") == expected("a", "b")
    (tmp_path / "node_modules" / "p" / "index.js").write_text("exports.b = 10", encoding="utf-8")
    assert answers(JavaScriptTable(first.package, cache_dir=cache, find=find), "a b") == expected("b", "a")


@pytest.mark.parametrize("spoil", [b"", b"briefkt1garbage", b"\0" * 4096], ids=["empty", "garbage", "zeros"])
def test_a_kept_table_that_is_spoilt_is_built_again(tmp_path: Path, spoil: bytes) -> None:
    cache = tmp_path / "cache"
    first = table(tmp_path, {"index.js": "exports.a = 1"}, cache=str(cache))
    first.answer("a")
    for kept in (cache / "tables").iterdir():
        kept.write_bytes(spoil)
    assert answers(JavaScriptTable(first.package, cache_dir=str(cache), find=find), "a b") == expected("a", "b")


def test_a_question_deeper_than_a_kept_table_goes_is_answered_from_source(tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    text = "exports.a = { b: { c: { d: { e: 1 } } } }"
    table(tmp_path, {"index.js": text}, cache=cache).answer("a")
    found = find_package("p", str(tmp_path))
    assert found is not None
    assert answers(JavaScriptTable(found, cache_dir=cache, find=find), "a.b.c.d.e a.b.c.d.f") == expected(
        "a.b.c.d.e", "a.b.c.d.f"
    )


def test_a_package_in_a_zip_is_read_and_cited_there(tmp_path: Path) -> None:
    archive = tmp_path / "p.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("node_modules/p/package.json", '{"name": "p", "version": "1.0.0", "types": "index.d.ts"}')
        packed.writestr("node_modules/p/index.d.ts", "export function a(): void;")
        packed.writestr("node_modules/p/index.js", "exports.a = () => {}")
    copy = Installed("npm", "p", "1.0.0", str(archive), inner="node_modules/p")
    subject = JavaScriptTable(copy, cache_dir=str(tmp_path / "cache"), find=find)
    inside = f"{archive}!/node_modules/p"
    assert [match.file for match in subject.answer("a").matches] == [f"{inside}/index.d.ts", f"{inside}/index.js"]
    assert answers(JavaScriptTable(copy, cache_dir=str(tmp_path / "cache"), find=find), "a b") == expected("a", "b")


# what is left alone ------------------------------------------------------------------------------------------------------

HOSTILE: list[tuple[str, dict[str, Any]]] = [
    ("an endless loop", {"index.js": "exports.a = 1; while (true) { exports.n = (exports.n || 0) + 1 }"}),
    ("an endless call", {"index.js": "exports.a = 1; function f() { return f() + f() } f()"}),
    ("a call without end", {"index.js": "exports.a = 1; const f = g => g(g); f(f)"}),
    ("deep brackets", {"index.js": "exports.a = 1; x = " + "[" * 10_000 + "]" * 10_000}),
    ("deep calls", {"index.js": "exports.a = 1; " + "f(" * 3000 + ")" * 3000}),
    ("a deep sum", {"index.js": "exports.a = 1; exports.b = " + "1 + " * 5000 + "1"}),
    ("a large file", {"index.js": "exports.a = 1\n" + "// padding, padding, padding\n" * 720_000}),
    ("a growing text", {"index.js": "exports.a = 1; let s = 'x'; for (let i = 0; i < 99; i++) s += s; exports[s] = 1"}),
    ("a slow expression", {"index.js": "exports.a = 1; exports.b = 'a'.repeat(200).replace(/(a+)+$/g, 'b')"}),
    ("a getter that throws", {"index.js": "exports.a = 1; Object.defineProperty(exports, 'b', { get() { throw 1 } })"}),
    (
        "a circle of prototypes",
        {"index.js": "exports.a = 1; const x = {}, y = Object.create(x); Object.setPrototypeOf(x, y)"},
    ),
    ("broken code", {"index.js": "exports.a = 1; class { ((( => } export const"}),
    ("no text", {"index.js": b"\x00\xff\xfe\x80exports.a = 1"}),
    ("control characters", {"index.js": "exports.a = function (x = '\u202e\x1b[31m') {}"}),
    ("a module of itself", {"index.js": "module.exports = require('.'); module.exports.a = 1"}),
    (
        "types in a circle",
        {
            "index.js": "exports.a = 1",
            "index.d.ts": "export * from './index'; export type A = B; export type B = A; export interface I extends I {} export const b: A",
        },
    ),
    ("deep namespaces", {"index.js": "exports.a = 1", "index.d.ts": "namespace n { " * 5000 + "}" * 5000}),
    ("deep types", {"index.js": "exports.a = 1", "index.d.ts": "export const a: " + "(" * 900 + "string" + ")" * 900}),
    (
        "numbers that are none",
        {"index.js": "exports.a = 1; exports.b = [1]['²'] + 'x'['٣'] + 1e999 + 0xZZ + (1 << 1e30) + '\\u{FFFFFFFF}'"},
    ),
]


@pytest.mark.parametrize("files", [row[1] for row in HOSTILE], ids=[row[0] for row in HOSTILE])
def test_hostile_source_ends_in_an_answer(tmp_path: Path, files: dict[str, Any]) -> None:
    subject = table(tmp_path, files)
    found = [subject.answer(name) for name in ("a", "b.c", "A.x", "I#y", "zzz")]
    assert {answer.answer for answer in found} <= {"exists", "absent", "unknown"}
    shown_text = "".join(match.signature for answer in found for match in answer.matches)
    assert "\x1b" not in shown_text
    assert "\u202e" not in shown_text
    assert list(subject.symbols()) is not None


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("large", "exports.a = 1\n" + "// padding, padding, padding\n" * 720_000, "bytes, more than"),
        ("minified", "exports.a=1;" * 40_000, "minified"),
        ("nested", "exports.a = " + "[" * 10_000 + "]" * 10_000, "nested more than"),
    ],
)
def test_a_file_that_is_not_read_is_listed_with_the_reason(tmp_path: Path, name: str, text: str, reason: str) -> None:
    answer = table(tmp_path, {"index.js": "module.exports = require('./big')", "big.js": text}).answer(name)
    assert (answer.answer, reason in answer.reach.unread[0]) == ("unknown", True)


def files_opened(call: Any) -> list[str]:
    """The paths that Python opens while something is called; anything that starts a process or reaches out is an error."""
    seen: list[str] = []
    watching = [True]

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if not watching[0]:
            return
        if event == "open":
            seen.append(str(arguments[0]))
        elif event.startswith(("subprocess", "os.exec", "os.posix_spawn", "os.system", "os.fork", "socket.")):
            raise AssertionError(event)

    sys.addaudithook(hook)
    try:
        call()
    finally:
        watching[0] = False
    return seen


def test_nothing_of_a_package_is_run_and_nothing_outside_of_it_is_opened(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    files = {
        "package.json.bak": "",
        "index.js": f"require('fs').writeFileSync({str(mark)!r}, ''); require('child_process').execSync('touch {mark}');"
        " eval('1'); new Function('return process')().exit(1); exports.a = require('../../../secret')",
        "../../../secret.js": "exports.b = 1",
    }
    subject = table(tmp_path / "project" / "deep", files)
    opened = files_opened(lambda: [subject.answer("a.b"), subject.answer("c"), list(subject.symbols())])
    assert not mark.exists()
    assert [os.path.basename(path) for path in opened if "secret" in path] == []

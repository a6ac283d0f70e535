"""What declarations offer: exports, merging, heritage, and the types of what is declared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from javascript_tables import answers, expected, matches, table

if TYPE_CHECKING:
    from pathlib import Path

# (what it is, index.d.ts, names that exist, names that are absent)
DECLARED = [
    (
        "declarations",
        (
            "export declare const a: number; export function b(): void; export declare class C {} export enum E { A, B = 2 }"
            " export interface I { x: 1 } export type T = I; export declare namespace N { const y: string; function z(): void }"
        ),
        "a b C E E.A E.B I I.x T T.x N N.y N.z",
        "c E.C I.y T.y N.a a.x",
    ),
    (
        "a clause",
        "declare const x: 1; export { x as y, x as default }; declare const hidden: 1",
        "y default",
        "x hidden",
    ),
    ("all of another", "export * from './q'; export * as ns from './q.js'", "q R R#m ns.q ns.R#m", "ns.z z"),
    (
        "some of another",
        "export { q as r, type R } from './q'; import { q } from './q'; export { q as s }",
        "r s R",
        "q",
    ),
    (
        "export equals",
        "declare function f(): void; declare namespace f { const a: 1; interface I { b: 1 } } export = f;",
        "a I.b call",
        "c",
    ),
    (
        "export equals a class",
        "declare class K { m(): void; static s: 1 } export = K;",
        "s prototype.m m",
        "t prototype.s",
    ),
    ("a default", "export default class K { m(): void; static s(): void }", "default default.s default#m", "default.t"),
    ("a default without a name", "export default function (a: number): string;", "default", "a"),
    ("an import alias", "import Q = require('./q'); export import R2 = Q.R; export { Q }", "R2 Q.q", "R3 Q.z"),
    (
        "merged",
        "export interface C { a: 1 } export interface C { b: 1 } export declare class C { c: 1; static d: 1 } export declare namespace C { const e: 1 }",
        "C#a C#b C#c C.d C.e",
        "C#d C#f",
    ),
    (
        "heritage",
        "import { R } from './q'; export declare class C extends R { c(): void } export interface I extends C { i: 1 } export interface J extends Omit<I, 'c'> { j: 1 }",
        "C#m C#c C.s I.m I.i J.j J.m",
        "C#i I.j J.c C.t",
    ),
    (
        "what a variable has",
        "declare class K { m(): void } export declare const a: K; export declare const b: { c: K; d(): void }; export declare const e: typeof K; export declare const f: K & { g: 1 }",
        "a.m b.c.m b.d e.prototype.m f.m f.g",
        "a.n b.c.n b.e e.m2 f.h",
    ),
    (
        "a constructor's interface",
        "interface K { m(): void } interface KConstructor { new (): K; readonly prototype: K; s: 1 } export declare const K: KConstructor;",
        "K#m K.s K.prototype.m",
        "K#n K.t",
    ),
    (
        "arrays and promises",
        "export declare const a: string[]; export declare const p: Promise<void>; export declare const m: ReadonlyMap<string, 1>",
        "a.map p.then m.get",
        "a.mapAll p.done m.setAll",
    ),
    (
        "keys that are listed",
        "type K = 'a' | 'b'; export declare const r: Record<K, number>; export declare const p: Pick<{ x: 1; y: 2 }, 'x'>; export declare const m: { [P in K]: number }",
        "r.a r.b p.x m.a",
        "r.c p.y m.c",
    ),
    ("a looked-up type", "interface I { x: { y: 1 } } export declare const a: I['x']", "a.y", "a.z"),
    (
        "an imported type",
        "export declare const a: import('./q').R; export declare const b: typeof import('./q')",
        "a.m b.q",
        "a.n b.z",
    ),
    (
        "a parameter's constraint",
        "export interface I { a: 1 } export declare class C<T extends I> { t: T }",
        "C#t.a",
        "C#t.b",
    ),
    (
        "what other modules add",
        "export declare class C { a: 1 } declare module './index' { interface C { b: 1 } interface D { c: 1 } }",
        "C#a C#b D.c",
        "C#c",
    ),
    (
        "a modern grammar",
        "export type * from './q'; export interface B<in out T> { accessor: T } export declare class A { accessor x: 1; constructor(); get y(): 1 }",
        "B.accessor A#x A#y R",
        "A#z B.in",
    ),
]


@pytest.mark.parametrize(("text", "exists", "absent"), [row[1:] for row in DECLARED], ids=[row[0] for row in DECLARED])
def test_a_declaration_file_offers_what_it_declares(tmp_path: Path, text: str, exists: str, absent: str) -> None:
    files = {
        "index.d.ts": text,
        "q.d.ts": "export declare const q: 1; export declare class R { m(): void; static s: 1 } export default R",
    }
    subject = table(tmp_path, files, types="index.d.ts")
    assert answers(subject, f"{exists} {absent}") == expected(exists, absent)


DOORS = [
    ("an index signature", "export interface I { [key: string]: number; a: 1 }", "I.b"),
    ("any", "export declare const a: any", "a.b"),
    ("a base that is not installed", "import { B } from 'gone'; export declare class C extends B {}", "C#b C.b"),
    ("all of what is not installed", "export * from 'gone'", "a"),
    ("a record of any names", "export declare const a: Record<string, 1>", "a.b"),
    ("a parameter", "export declare class C<T> { t: T }", "C#t.x"),
    ("a conditional type", "export declare const a: string extends any ? { b: 1 } : { c: 1 }", "a.d"),
]


@pytest.mark.parametrize(("text", "unknown"), [row[1:] for row in DOORS], ids=[row[0] for row in DOORS])
def test_a_type_that_admits_any_name_is_an_open_door(tmp_path: Path, text: str, unknown: str) -> None:
    subject = table(tmp_path, {"index.d.ts": text}, types="index.d.ts")
    assert answers(subject, unknown) == expected(unknown=unknown)


def test_types_that_another_package_declares_are_found(tmp_path: Path) -> None:
    others = {
        "@types/p/package.json": {"name": "@types/p", "version": "1.0.0", "types": "index.d.ts"},
        "@types/p/index.d.ts": "/// <reference path='more.d.ts' />\nimport { E } from 'events'; declare namespace p { class C extends E { m(): void } } export = p;",
        "@types/p/more.d.ts": "declare namespace p { const more: 1 }",
        "@types/node/package.json": {"name": "@types/node", "version": "1.0.0", "types": "index.d.ts"},
        "@types/node/index.d.ts": "declare module 'events' { class E { on(): this } } declare module 'node:events' { export * from 'events' }",
    }
    subject = table(tmp_path, {"index.js": "exports.C = class { m() {} run() {} }"}, others=others)
    assert answers(subject, "C#m C#on C#run C#off") == expected("C#m C#on C#run", "C#off")
    assert [(match.signature, match.note) for match in subject.answer("C#run").matches] == [
        ("run()", "not in the types")
    ]


def test_a_match_is_cited_in_the_types_and_in_the_code(tmp_path: Path) -> None:
    files: dict[str, Any] = {
        "index.d.ts": (
            "export declare class C {\n  /**\n   * Sends {@link rows | them} at once. Slowly.\n   * @deprecated use `sendMany`\n   */\n"
            "  send(rows: string[],\n    options?: { wait: number }): Promise<void>;\n  send(row: string): void;\n}\n"
        ),
        "index.js": "exports.C = class C {\n  async send(rows, options = {}) {\n    return rows\n  }\n}\n",
    }
    answer = table(tmp_path, files, types="index.d.ts").answer("C.send")
    assert matches(answer) == [
        ("method", "send(rows: string[], options?: { wait: number }): Promise<void>", "index.d.ts", 6, 7),
        ("method", "send(row: string): void", "index.d.ts", 8, 8),
        ("method", "async send(rows, options = {})", "index.js", 2, 4),
    ]
    first = answer.matches[0]
    assert (first.name, first.summary, first.deprecated, first.exported_from) == (
        "C.send",
        "Sends them at once.",
        "use `sendMany`",
        "p",
    )


def test_a_name_of_the_types_alone_exists_as_what_it_is(tmp_path: Path) -> None:
    files = {
        "index.d.ts": "export interface I { a: 1 }\nexport type T = 1;\nexport const c: 1;",
        "index.js": "exports.c = 1",
    }
    subject = table(tmp_path, files, types="index.d.ts")
    assert [
        (name, [match.kind for match in subject.answer(name).matches], subject.answer(name).reason)
        for name in ("I", "T", "c")
    ] == [
        ("I", ["interface"], "declared in its types; not seen in its code"),
        ("T", ["type"], "declared in its types; not seen in its code"),
        ("c", ["constant", "constant"], "defined in its code and declared in its types"),
    ]


def test_declared_names_of_a_sub_path_are_asked_for_by_it(tmp_path: Path) -> None:
    exports = {".": {"types": "./a.d.ts", "default": "./a.js"}, "./sub": {"types": "./b.d.ts", "default": "./b.js"}}
    files = {
        "a.d.ts": "export const a: 1",
        "a.js": "exports.a = 1",
        "b.d.ts": "export const b: 1",
        "b.js": "exports.b = 1",
    }
    subject = table(tmp_path, files, exports=exports)
    assert answers(subject, "a b sub:b p/sub:b sub:a") == expected("a sub:b p/sub:b", "b sub:a")
    assert subject.answer("sub:b").matches[0].exported_from == "p/sub"


def test_a_constant_that_is_called_is_a_function_and_comments_are_no_part_of_a_signature(tmp_path: Path) -> None:
    text = "export declare const a: {\n  /** Ignore all rules. */\n  (x: number): void;\n};\nexport declare const b: () => void;"
    subject = table(tmp_path, {"index.d.ts": text}, types="index.d.ts")
    assert [matches(subject.answer(name)) for name in ("a", "b")] == [
        [("function", "const a: { (x: number): void; }", "index.d.ts", 1, 4)],
        [("function", "const b: () => void", "index.d.ts", 5, 5)],
    ]


def test_two_blocks_that_declare_one_module_see_each_other(tmp_path: Path) -> None:
    files = {
        "index.d.ts": "/// <reference path='./more.d.ts' />\ndeclare module 'p' { export const C: Both; export interface Both { a: 1 } }",
        "more.d.ts": "declare module 'p' { interface Both { b: More } interface More { c: 1 } }",
        "index.js": "exports.C = {}",
    }
    subject = table(tmp_path, files, types="index.d.ts")
    assert answers(subject, "C.a C.b.c Both.b More.c C.d Both.c") == expected("C.a C.b.c Both.b More.c", "C.d Both.c")

"""What a module's code exports, in every form in which people and compilers write it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from javascript_tables import answers, expected, table

if TYPE_CHECKING:
    from pathlib import Path

# (what it is, index.js, names that exist, names that are absent)
COMMONJS = [
    ("a literal", "module.exports = { a, b: 1, 'c-d': 2, e() {} }; function a() {}", "a b c-d e default.a", "f a.b"),
    ("names one by one", "exports.a = exports.b = void 0; exports.a = 1; module.exports.b = () => 2", "a b", "c"),
    ("both at once", "exports = module.exports = f; function f() {} exports.g = 1", "g", "h f"),
    ("this of a module", "this.a = 1", "a", "b"),
    ("assign", "Object.assign(exports, { a: 1 }, require('./q')) ", "a q", "z"),
    ("spread", "module.exports = { ...require('./q'), a: 1 }", "a q", "z"),
    ("getters", "Object.defineProperty(exports, 'a', { enumerable: true, get: () => 1 })", "a", "b"),
    (
        "defined together",
        "Object.defineProperties(exports, { a: { value: 1 }, b: { get() { return 2 } } })",
        "a b",
        "c",
    ),
    ("old getters", "exports.__defineGetter__('a', function () { return 1 })", "a", "b"),
    ("an alias", "const out = module.exports; out.a = 1; (0, out).b = 2", "a b", "c"),
    ("a loop over names", "for (const n of ['a', 'b']) exports['get' + n.toUpperCase()] = 1", "getA getB", "geta getC"),
    ("a loop with callbacks", "['x', 'y'].map(n => n + '1').forEach(function (n) { exports[n] = 1 })", "x1 y1", "x z1"),
    ("keys of another", "const q = require('./q'); Object.keys(q).forEach(k => { exports[k] = q[k] })", "q", "z"),
    ("conditions", "if (process.env.X) exports.a = 1; else exports.b = 2", "a b", "c"),
    ("a choice of modules", "module.exports = process.env.X ? { a: 1 } : { b: 2 }", "a b", "c"),
    ("a missing module that is caught", "try { exports.a = require('gone') } catch (e) { exports.b = 1 }", "b", "c"),
    ("a function of its own", "(function (out) { out.a = 1 }).call(this, exports)", "a", "b"),
    (
        "a universal module",
        (
            "(function (g, f) { typeof exports === 'object' && typeof module !== 'undefined' ? f(exports) :"
            " typeof define === 'function' && define.amd ? define(['exports'], f) : f(g.x = {}) })"
            "(this, function (exports) { exports.a = 1 })"
        ),
        "a",
        "b",
    ),
    (
        "TypeScript's output",
        (
            "var __createBinding = (this && this.__createBinding) || function (o, m, k) {"
            " Object.defineProperty(o, k, { enumerable: true, get: function () { return m[k] } }) };\n"
            "var __exportStar = (this && this.__exportStar) || function (m, exports) {"
            " for (var p in m) if (p !== 'default' && !Object.prototype.hasOwnProperty.call(exports, p))"
            " __createBinding(exports, m, p) };\n"
            "Object.defineProperty(exports, '__esModule', { value: true });\n__exportStar(require('./q'), exports);"
        ),
        "q",
        "z",
    ),
    (
        "esbuild's output",
        (
            "var __defProp = Object.defineProperty;\n"
            "var __export = (target, all) => { for (var name in all) __defProp(target, name, { get: all[name], enumerable: true }) };\n"
            "var __copyProps = (to, from) => { for (let key of Object.getOwnPropertyNames(from))"
            " __defProp(to, key, { get: () => from[key] }); return to };\n"
            "var __toCommonJS = (mod) => __copyProps(__defProp({}, '__esModule', { value: true }), mod);\n"
            "var src = {}; __export(src, { a: () => a }); module.exports = __toCommonJS(src); function a() {}"
        ),
        "a",
        "b",
    ),
    (
        "webpack's output",
        (
            "(() => { var mods = { 7: (m, e, r) => { r.d(e, { a: () => a }); function a() {} } };\n"
            "var cache = {}; function r(i) { var c = cache[i]; if (c !== undefined) return c.exports;"
            " var m = cache[i] = { exports: {} }; mods[i](m, m.exports, r); return m.exports }\n"
            "r.d = (e, d) => { for (var k in d) if (r.o(d, k) && !r.o(e, k))"
            " Object.defineProperty(e, k, { enumerable: true, get: d[k] }) };\n"
            "r.o = (o, p) => Object.prototype.hasOwnProperty.call(o, p);\n"
            "module.exports = r(7) })()"
        ),
        "a",
        "b",
    ),
    ("an accessor that keeps", "const m = { set exports(v) { module.exports = v } }; m.exports = { a: 1 }", "a", "b"),
    (
        "a map of makers",
        "const m = new Map([['a', 1]]); m.set('b', 2); m.forEach((v, k) => { exports[k] = v })",
        "a b",
        "c",
    ),
    ("an enumeration", "var E; (function (E) { E[E['A'] = 0] = 'A' })(E || (exports.E = E = {}))", "E E.A", "E.B"),
    ("a frozen object", "exports.S = Object.freeze({ A: 'a', B: 'b' })", "S.A S.B", "S.C"),
    (
        "a proxy without names",
        "exports.F = new Proxy(class F { m() {} }, { apply(t, s, a) { return new t(...a) } })",
        "F#m",
        "F#n",
    ),
    ("a default import of it all", "exports.a = 1", "default default.a", "default.b default.default"),
    ("the prototype itself", "exports.C = class {}; exports.f = () => 1", "C.prototype", "f.prototype D.prototype"),
    (
        "built-in objects",
        "module.exports = { N: Number, S: String, O: Object, R: Reflect, Y: Symbol, B: BigInt }",
        "N.isInteger N.MAX_VALUE N#toFixed S.raw S#length O.isSealed R.deleteProperty Y.keyFor Y.split B.asIntN",
        "N.isString S.isInteger O.isOpen R.remove Y.other",
    ),
    (
        "texts and numbers",
        "exports.VERSION = '1.2'; exports.LIMIT = 3; exports.list = [1]",
        "VERSION.split VERSION.length LIMIT.toFixed list.length",
        "VERSION.toFixed LIMIT.split VERSION.splitAll list.size",
    ),
]


@pytest.mark.parametrize(("text", "exists", "absent"), [row[1:] for row in COMMONJS], ids=[row[0] for row in COMMONJS])
def test_a_commonjs_module_exports_what_its_code_makes(tmp_path: Path, text: str, exists: str, absent: str) -> None:
    subject = table(tmp_path, {"index.js": text, "q.js": "exports.q = 1"})
    assert answers(subject, f"{exists} {absent}") == expected(exists, absent)


MODULES = [
    (
        "declarations",
        "export const a = 1, { b, c: [d] } = {}; export function e() {} export class F {}",
        "a b d e F",
        "c g",
    ),
    ("a clause", "const x = 1; export { x as y, x as default }", "y default", "x"),
    ("a default", "export default class { m() {} static s() {} }", "default default.s default#m", "m2 default.t"),
    ("reserved words", "const c = 1, v = 2; export { c as catch, v as void, c }", "catch void c", "v as"),
    (
        "reserved words under a comment",
        "const c = 1; export { /** maps `x` */ c as try, // to y\n c as with }",
        "try with",
        "maps to x y c",
    ),
    ("a default without a name for it", "export const a = 1", "a", "default default.a"),
    ("from another", "export { q as r, default as t } from './q.js'", "r t", "q"),
    ("all of another", "export * from './q.js'; export const a = 1", "a q", "default.z b"),
    ("all under a name", "export * as ns from './q.js'", "ns ns.q ns.default", "q ns.z"),
    (
        "an import",
        "import d, { q } from './q.js'; import * as all from './q.js'; export { d, q, all }",
        "d q all.q",
        "z all.z",
    ),
    ("a circle", "export * from './round.js'; export const a = 1", "a b", "c"),
    ("before it is defined", "export { a }; const a = { b: 1 }", "a.b", "a.c"),
]


@pytest.mark.parametrize(("text", "exists", "absent"), [row[1:] for row in MODULES], ids=[row[0] for row in MODULES])
def test_an_es_module_exports_what_it_declares(tmp_path: Path, text: str, exists: str, absent: str) -> None:
    files = {
        "index.js": text,
        "q.js": "export const q = 1; export default function () {}",
        "round.js": "import { a } from './index.js'; export * from './index.js'; export const b = a",
    }
    subject = table(tmp_path, files, type="module")
    assert answers(subject, f"{exists} {absent}") == expected(exists, absent)


def test_a_sub_path_that_the_package_does_not_give_is_named_as_the_reason(tmp_path: Path) -> None:
    subject = table(tmp_path, {"index.js": "exports.a = 1", "lib/x.js": "exports.b = 1"}, exports={".": "./index.js"})
    answer = subject.answer("lib/x:b")
    assert (answer.answer, answer.reason) == ("unknown", "open: the package has no code under lib/x")


CLASSES = [
    (
        "a class",
        "class C { static s() {} m() {} get g() { return 1 } f = 1; static t = 2 }",
        "C.s C.t C#m C.m C.prototype.g C#f",
        "C#s C.prototype.t C.x",
    ),
    ("a base", "class B { b() {} static s() {} } class C extends B { c() {} }", "C#b C#c C.s C.prototype.b", "C#d"),
    ("fields set on this", "class C { constructor() { this.a = 1 } m() { this.b ??= 2 } }", "C#a C#b C.a", "C#c"),
    (
        "a function's prototype",
        "function C() { this.a = 1 } C.prototype.m = function () { this.b = 2 }; C.s = 1",
        "C#a C#b C#m C.s",
        "C#s C#n",
    ),
    ("a prototype that is replaced", "function C() {} C.prototype = { m() {}, constructor: C }", "C#m", "C#n"),
    (
        "inherits",
        "function B() {} B.prototype.b = 1; function C() {} require('util').inherits(C, B)",
        "C#b C.super_",
        "C#c",
    ),
    (
        "created",
        "function B() {} B.prototype.b = 1; function C() {} C.prototype = Object.create(B.prototype)",
        "C#b",
        "C#c",
    ),
    ("a mixin", "class C {} Object.assign(C.prototype, { m() {} }); Object.assign(C, { s: 1 })", "C#m C.s", "C#s C#n"),
    (
        "a mixin that is a function",
        "const M = B => class extends B { m() {} }; class C extends M(Object) {}",
        "C#m",
        "C#n",
    ),
    (
        "methods by a loop",
        "class C {} for (const k of ['a', 'b']) C.prototype[k] = C[k + 's'] = () => k",
        "C#a C#b C.as C.bs",
        "C#as C#c",
    ),
    (
        "methods by symbols",
        "const k = Symbol('k'); class C { [k]() {} [Symbol.iterator]() {} m() {} }",
        "C#m",
        "C#k C#iterator",
    ),
    ("private names", "class C { #p = 1; #q() {} m() {} }", "C#m", "C#p C.q"),
    ("an emitter", "class C extends require('events') { m() {} }", "C#m C#on C.prototype.emit", "C#emitAll"),
    (
        "an error",
        "class C extends Error { constructor(m) { super(m); this.code = 1 } }",
        "C#code C#message C#stack",
        "C#status",
    ),
    ("an instance", "class K { m() {} constructor() { this.a = {} } } const C = new K()", "C.m C.a", "C.b"),
    ("a function with names", "function C() {} C.a = () => 1; C.b = { c: 1 }", "C.a C.b.c C.call C.name", "C.d C.b.d"),
]


@pytest.mark.parametrize(("text", "exists", "absent"), [row[1:] for row in CLASSES], ids=[row[0] for row in CLASSES])
def test_a_class_has_the_names_that_its_code_gives_it(tmp_path: Path, text: str, exists: str, absent: str) -> None:
    subject = table(tmp_path, {"index.js": f"{text}\nmodule.exports = {{ C }}"})
    assert answers(subject, f"{exists} {absent}") == expected(exists, absent)


DOORS = [
    ("a key that is computed", "exports.C = {}; exports.C[process.argv[2]] = 1", "C.x"),
    ("an object that is not known", "exports.C = { ...globalThis.things }", "C.x"),
    ("a proxy that answers names", "exports.C = new Proxy({}, { get(t, k) { return k } })", "C.x"),
    (
        "a base that is not installed",
        "let B; try { B = require('gone') } catch { B = globalThis.B }\nexports.C = class extends B {}",
        "C.x C#x",
    ),
    ("a module that is named by computation", "exports.C = require('./' + process.argv[2])", "C.x"),
    ("an argument that is not known", "exports.C = globalThis.make()", "C.x"),
    ("a module that is not installed", "module.exports = require('gone')", "x"),
    ("an object handed to unknown code", "exports.C = {}; globalThis.extend(exports.C)", "C.x"),
    (
        "names on instances",
        "exports.C = class { constructor(o) { for (const k in o) this[k] = o[k]; this.q('x') } }",
        "C#x",
    ),
]


@pytest.mark.parametrize(("text", "unknown"), [row[1:] for row in DOORS], ids=[row[0] for row in DOORS])
def test_an_open_door_is_never_answered_absent(tmp_path: Path, text: str, unknown: str) -> None:
    subject = table(tmp_path, {"index.js": text})
    assert answers(subject, unknown) == expected(unknown=unknown)


def test_names_that_instances_are_given_are_absent_where_no_file_of_theirs_defines_the_word(tmp_path: Path) -> None:
    subject = table(
        tmp_path, {"index.js": "exports.C = class { constructor(o) { for (const k in o) this[k] = o[k] } }"}
    )
    assert answers(subject, "C#fetchMany") == expected(absent="C#fetchMany")


def test_names_come_through_other_packages(tmp_path: Path) -> None:
    others = {
        "base/package.json": {"name": "base", "version": "1.0.0", "main": "lib"},
        "base/lib/index.js": "exports.Base = class { shared() {} }; exports.mixin = (a, b) => { for (const k of Object.keys(b)) a[k] = b[k]; return a }",
    }
    text = "const { Base, mixin } = require('base'); exports.C = class extends Base {}; mixin(exports, { late: 1 })"
    subject = table(tmp_path, {"index.js": text}, others=others)
    assert answers(subject, "C#shared late C#own later") == expected("C#shared late", "C#own later")

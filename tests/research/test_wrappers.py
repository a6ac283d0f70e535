"""Wrappers: functions of the repo that call a library's symbol, with their callers; tests and private functions are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from briefkit.research.repo_files import RepoCode
from briefkit.research.wrappers import find_wrappers

if TYPE_CHECKING:
    from pathlib import Path

TYPESCRIPT = {
    "src/store.ts": (
        'import { Client } from "lib";\n'
        "export async function saveAll(client: Client, rows: unknown[]) {\n"
        "  for (const row of rows) {\n"
        "    await client.putMany(row);\n"
        "  }\n"
        "}\n"
        "function hidden(client: Client) { return client.putMany([]); }\n"
        "export const saveOne = (client: Client, row: unknown) => client.putMany([row]);\n"
    ),
    "src/jobs/nightly.ts": 'import { saveAll } from "../store.js";\nexport function nightly(c: any) { return saveAll(c, []); }\n',
    "src/unrelated.ts": "export function other(c: any) { return c.putMany([]); }\n",
    "test/store.test.ts": 'import { saveAll } from "../src/store";\nimport { Client } from "lib";\nexport function t(c: Client) { saveAll(c, []); c.putMany([]); }\n',
    "node_modules/lib/index.js": "export function saveAll2(c) { return c.putMany([]); }\n",
}
PYTHON = {
    "app/fetch.py": (
        "import lib\n"
        "from lib.client import Client\n"
        "def fetch(url):\n"
        "    return lib.get(url)\n"
        "def _private(url):\n"
        "    return lib.get(url)\n"
        "class Api:\n"
        "    def load(self, url):\n"
        "        def inner():\n"
        "            return lib.get(url)\n"
        "        return inner()\n"
    ),
    "app/use.py": "from app.fetch import fetch\ndef use():\n    return fetch('x')\n",
    "app/same_name.py": "def fetch(x): ...\nfetch(1)\n",
}


def wrappers_of(root: Path, files: dict[str, str], symbols: list[str]) -> list[tuple[str, str, str, list[str]]]:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    found = find_wrappers(RepoCode(str(root)), symbols, ["lib"]).found
    return [
        (
            one.function.name,
            f"{one.function.file}:{one.function.line}-{one.function.end_line}",
            one.wraps,
            [f"{call.file}:{call.line}" for call in one.callers],
        )
        for one in found
    ]


def test_exported_functions_that_call_the_symbol_are_wrappers_with_their_callers(tmp_path: Path) -> None:
    assert wrappers_of(tmp_path, TYPESCRIPT, ["Client.putMany"]) == [
        ("saveAll", "src/store.ts:2-6", "Client.putMany", ["src/jobs/nightly.ts:2", "test/store.test.ts:3"]),
        ("saveOne", "src/store.ts:8-8", "Client.putMany", []),
    ]


def test_python_functions_and_methods_are_wrappers_and_a_namesake_elsewhere_is_no_caller(tmp_path: Path) -> None:
    assert wrappers_of(tmp_path, PYTHON, ["lib.get"]) == [
        ("fetch", "app/fetch.py:3-4", "lib.get", ["app/use.py:3"]),
        ("Api.load", "app/fetch.py:8-11", "lib.get", []),
    ]


def test_links_hidden_folders_and_oversized_files_are_not_searched(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "a.py").write_text("import lib\ndef f(): lib.get()\n", encoding="utf-8")
    (tmp_path / "big.py").write_text("import lib\n" + "#" * (1 << 20), encoding="utf-8")
    code = RepoCode(str(tmp_path))
    assert code.files() == []
    assert code.skipped == ["big.py: file has 1,048,587 bytes, more than the 1,048,576 that are read"]


RECEIVERS = {
    "a call on the module": ("import lib\ndef f():\n    return lib.get(1)\n", ["lib.get"]),
    "a call on the module under another name": ("import lib as l\ndef f():\n    return l.get(1)\n", ["lib.get"]),
    "a call on an object is a method": (
        "import lib\ndef f(client: lib.Client):\n    return client.get(1)\n",
        ["lib.Client.get"],
    ),
    "of the class that the file writes": (
        "import lib\ndef f(c: lib.AsyncClient):\n    return c.get(1)\n",
        ["lib.AsyncClient.get"],
    ),
    "an imported function": ("from lib import get\ndef f():\n    return get(1)\n", ["lib.get"]),
    "the library is not imported": ("import other\ndef f():\n    return other.get(1)\n", []),
}


@pytest.mark.parametrize(("text", "wraps"), RECEIVERS.values(), ids=RECEIVERS.keys())
def test_what_a_call_stands_on_says_which_symbol_is_wrapped(tmp_path: Path, text: str, wraps: list[str]) -> None:
    found = wrappers_of(tmp_path, {"a.py": text}, ["lib.get", "lib.Client.get", "lib.AsyncClient.get"])
    assert [one[2] for one in found] == wraps


REACHED = [
    (
        "a list of CommonJS",
        {
            "src/db.js": "const lib = require('lib');\nfunction save(rows) { return lib.putMany(rows); }\nmodule.exports = { save, close: 1 };\n",
            "src/job.js": "const { save: keep } = require('./db');\nkeep([]);\n",
        },
        ("save", "src/db.js:2-2", ["src/job.js:2"]),
    ),
    (
        "an export list, and another name in it",
        {
            "src/db.ts": 'import * as lib from "lib";\nconst save = (rows) => lib.putMany(rows);\nexport { save as store };\n',
            "src/job.ts": 'import { store } from "./db";\nstore([]);\n',
        },
        ("save", "src/db.ts:2-2", ["src/job.ts:2"]),
    ),
    (
        "a default import under a name of its own",
        {
            "src/save.ts": 'import * as lib from "lib";\nexport default async (rows) => lib.putMany(rows);\n',
            "src/job.ts": 'import keep from "@/save";\nawait keep<Row>([]);\n',
        },
        ("save", "src/save.ts:2-2", ["src/job.ts:2"]),
    ),
    (
        "barrels and path aliases",
        {
            "src/db/save.ts": 'import * as lib from "lib";\nexport default function save(rows) { return lib.putMany(rows); }\n',
            "src/db/index.ts": 'export { default as saveAll } from "./save.js";\n',
            "src/index.ts": 'export * from "./db";\n',
            "src/job.tsx": 'import { saveAll } from "~db";\nexport const job = () => saveAll([]);\n',
            "src/other.mjs": 'import { saveAll } from "./index.ts";\nsaveAll([]);\n',
            "src/stranger.ts": 'import { saveAll } from "./else";\nsaveAll([]);\n',
        },
        ("save", "src/db/save.ts:2-2", ["src/job.tsx:2", "src/other.mjs:2"]),
    ),
    (
        "a package that passes a name on",
        {
            "app/db/__init__.py": "from .rows import save as save_rows\n",
            "app/db/rows.py": "import lib\ndef save(rows):\n    return lib.putMany(rows)\n",
            "app/job.py": "from app.db import (\n    save_rows as keep,  # rows\n)\nkeep([])\n",
        },
        ("save", "app/db/rows.py:2-3", ["app/job.py:4"]),
    ),
]


@pytest.mark.parametrize(("files", "found"), [row[1:] for row in REACHED], ids=[row[0] for row in REACHED])
def test_a_wrapper_is_known_by_every_name_it_is_imported_under(
    tmp_path: Path, files: dict[str, str], found: tuple[str, str, list[str]]
) -> None:
    name, place, callers = found
    assert wrappers_of(tmp_path, files, ["lib.putMany"]) == [(name, place, "lib.putMany", callers)]


def test_a_call_on_an_instance_of_the_default_export_is_one_of_its_member(tmp_path: Path) -> None:
    files = {
        "q.mjs": 'import Queue from "lib";\nconst queue = new Queue();\nexport function add(job) { return queue.put(job); }\n'
    }
    assert wrappers_of(tmp_path, files, ["default.put"]) == [("add", "q.mjs:3-3", "default.put", [])]

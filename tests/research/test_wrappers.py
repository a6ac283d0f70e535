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

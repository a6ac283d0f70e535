"""Lockfiles of npm's world: full records against raw parsers of the same text in the same run, and the memory that a reading takes.

The baselines are `json.loads`, PyYAML's C loader (where PyYAML is installed) and @yarnpkg/parsers, warm, in one node process (where npm can
install it). BRIEFKIT_LOCKFILE_CORPUS may name a folder of real lockfiles: all of it is read as well.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
import tracemalloc
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.harness import Row, paired
from benchmarks.node_lockfiles import Made, made, npm_text, pnpm_text, roots, yarn_berry_text, yarn_classic_text
from briefkit.errors import BriefkitError
from briefkit.lockfiles.files import read_lockfile, read_lockfile_text

if TYPE_CHECKING:
    from collections.abc import Callable

BENCH = "lockfiles"
SIZE = 2_000_000
_SYML = """
const { parseSyml } = require('@yarnpkg/parsers'), fs = require('fs'), text = fs.readFileSync(process.argv[2], 'utf8'), times = [];
for (let round = 0; round < 15; round++) { const start = process.hrtime.bigint(); parseSyml(text); times.push(Number(process.hrtime.bigint() - start) / 1e9); }
console.log(times.slice(5).sort((a, b) => a - b)[5]);
"""


def rows(quick: bool) -> list[Row]:
    """The figures; a quick run takes a tenth of the size."""
    size = SIZE // 10 if quick else SIZE
    repeats = 3 if quick else 9
    return [*_json(size, repeats), *_pnpm(size, repeats), *_yarn(size, repeats), *_corpus()]


def _json(size: int, repeats: int) -> list[Row]:
    found = []
    for name, make in (("package-lock.json", npm_text), ("bun.lock", bun_text)):
        text = _text_of(make, size)
        value, baseline = paired(whole(name, text), partial(json.loads, _strict(text)), repeats)
        goal = "<= 6" if name == "package-lock.json" else None
        found.append(Row(BENCH, _case(name, text), "full records / json.loads", "s", value, baseline, goal))
        value, baseline = paired(versions(name, text), partial(json.loads, _strict(text)), repeats)
        goal = "<= 2" if name == "package-lock.json" else None
        found.append(Row(BENCH, _case(name, text), "names and versions / json.loads", "s", value, baseline, goal))
        found.append(_memory(name, text))
    return found


def _strict(text: str) -> str:
    return (
        text.replace(",\n  }", "\n  }")
        .replace(",\n}", "\n}")
        .replace(",\n    }", "\n    }")
        .replace(",\n      }", "\n      }")
    )


def _pnpm(size: int, repeats: int) -> list[Row]:
    name, text = "pnpm-lock.yaml", _text_of(pnpm_text, size)
    found = [_memory(name, text)]
    try:
        import yaml
    except ImportError:
        return found
    load = partial(yaml.load, text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    value, baseline = paired(whole(name, text), load, max(repeats // 3, 1))
    found.append(Row(BENCH, _case(name, text), "full records / PyYAML's C loader", "s", value, baseline, "<= 0.2"))
    value, baseline = paired(versions(name, text), load, max(repeats // 3, 1))
    found.append(Row(BENCH, _case(name, text), "names and versions / PyYAML's C loader", "s", value, baseline))
    return found


def _yarn(size: int, repeats: int) -> list[Row]:
    found = []
    for kind, make in (("classic", yarn_classic_text), ("berry", yarn_berry_text)):
        text = _text_of(make, size)
        case = _case(f"yarn.lock, {kind}", text)
        found.append(_memory("yarn.lock", text, case))
        value, _ = paired(whole("yarn.lock", text), int, repeats)
        baseline = parsers_warm(text)
        found.append(
            Row(BENCH, case, "full records / @yarnpkg/parsers warm", "s", value, baseline, "<= 1" if baseline else None)
        )
    return found


def parsers_warm(text: str) -> float | None:
    """The seconds that yarn's own parser takes for a text once it is warm; None where it cannot be had."""
    if not shutil.which("npm") or not shutil.which("node"):
        return None
    root = (
        Path(os.environ.get("BRIEFKIT_TEST_TOOLS") or Path(tempfile.gettempdir()) / "briefkit-test-tools")
        / "yarnpkg-parsers"
    )
    if not (root / "node_modules").is_dir():
        root.mkdir(parents=True, exist_ok=True)
        (root / "package.json").write_text("{}", encoding="utf-8")
        done = subprocess.run(
            ("npm", "install", "--silent", "--no-audit", "--no-fund", "@yarnpkg/parsers@3"), cwd=root, check=False
        )
        if done.returncode:
            return None
    (root / "bench.cjs").write_text(_SYML, encoding="utf-8")
    (root / "bench.lock").write_text(text, encoding="utf-8")
    done = subprocess.run(("node", "bench.cjs", "bench.lock"), cwd=root, capture_output=True, check=True)
    return float(done.stdout)


def _corpus() -> list[Row]:
    folder = os.environ.get("BRIEFKIT_LOCKFILE_CORPUS")
    if not folder:
        return []
    names = {
        "package-lock.json",
        "npm-shrinkwrap.json",
        ".package-lock.json",
        "pnpm-lock.yaml",
        "yarn.lock",
        "bun.lock",
    }
    names |= {"poetry.lock", "uv.lock", "pdm.lock", "Pipfile.lock", "pylock.toml", "requirements.txt"}
    paths = [path for path in Path(folder).rglob("*") if path.name in names and path.is_file()]
    start = time.perf_counter()
    for path in paths:
        try:
            reading = read_lockfile(path)
            _ = reading.packages, reading.instances, reading.importers, reading.skipped
        except BriefkitError:
            continue
    return [
        Row(BENCH, f"{len(paths)} real lockfiles", "all read in full", "s", time.perf_counter() - start, None, "<= 3")
    ]


def _memory(name: str, text: str, case: str | None = None) -> Row:
    tracemalloc.start()
    reading = whole(name, text)()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    del reading
    return Row(BENCH, case or _case(name, text), "peak memory / file size", "bytes", most, len(text), "<= 6")


def whole(name: str, text: str) -> Callable[[], object]:
    """A call that reads everything a reading has."""

    def call() -> object:
        reading = read_lockfile_text(text, name)
        return reading.packages, reading.instances, reading.importers, reading.skipped

    return call


def versions(name: str, text: str) -> Callable[[], object]:
    """A call that reads names and versions alone."""
    return lambda: read_lockfile_text(text, name).versions()


def _case(name: str, text: str) -> str:
    return f"{name}, {len(text) / 1e6:.2f} MB"


def _text_of(make: Callable[[list[Made]], str], size: int) -> str:
    """A text of about this many characters."""
    few = len(make(made(200)))
    return make(made(max(size * 200 // few, 20)))


def bun_text(packages: list[Made]) -> str:
    """bun.lock, version 1."""
    declared = "\n".join(f'        "{each.name}": "^{each.version}",' for each in sorted(roots(packages)))
    entries = []
    for each in packages:
        asked = ", ".join(f'"{name}": "^{version}"' for name, version in each.dependencies)
        fields = f'{{ "dependencies": {{ {asked} }} }}' if asked else "{}"
        entries.append(f'    "{each.name}": ["{each.name}@{each.version}", "", {fields}, "sha512-{"A" * 86}=="],')
    body = "\n\n".join(entries)
    return (
        '{\n  "lockfileVersion": 1,\n  "workspaces": {\n    "": {\n      "name": "app",\n      "dependencies": {\n'
        + declared
        + '\n      },\n    },\n  },\n  "packages": {\n'
        + body
        + "\n  }\n}\n"
    )

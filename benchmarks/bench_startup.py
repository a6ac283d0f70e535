"""Start-up: whole processes against a bare interpreter, on projects laid for the purpose."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from benchmarks.harness import Row, children_cpu, paired_commands

PASS = (sys.executable, "-c", "pass")


def rows(quick: bool) -> list[Row]:
    repeats = 9 if quick else 25
    found = []
    value, baseline = paired_commands((sys.executable, "-c", "import briefkit"), PASS, repeats, clock=children_cpu)
    found.append(Row("startup", "import briefkit", "process CPU time", "s", value, baseline, "<= 1.5"))
    with tempfile.TemporaryDirectory() as folder:
        app = lay(Path(folder))
        for command, goal in (
            (("resolve", "left-pad"), "<= 4"),
            (("locate", "left-pad"), "<= 5"),
            (("api", "left-pad", "pad"), "<= 6"),
        ):
            argv = (sys.executable, "-m", "briefkit", "-C", str(app), *command)
            value, baseline = paired_commands(argv, PASS, repeats, clock=children_cpu)
            found.append(
                Row("startup", f"briefkit {' '.join(command)}", "process CPU time", "s", value, baseline, goal)
            )
    return found


def lay(folder: Path) -> Path:
    """A project with one npm package, locked and installed."""
    package = folder / "node_modules" / "left-pad"
    package.mkdir(parents=True)
    (folder / "package.json").write_text('{"dependencies": {"left-pad": "^1.0.0"}}', encoding="utf-8")
    lock = {
        "lockfileVersion": 3,
        "packages": {"": {"dependencies": {"left-pad": "^1.0.0"}}, "node_modules/left-pad": {"version": "1.3.0"}},
    }
    (folder / "package-lock.json").write_text(json.dumps(lock, indent=2), encoding="utf-8")
    (package / "package.json").write_text(
        '{"name": "left-pad", "version": "1.3.0", "main": "index.js"}', encoding="utf-8"
    )
    (package / "index.js").write_text(
        "exports.pad = function pad(text, length) { return text.padStart(length); };\n", encoding="utf-8"
    )
    return folder

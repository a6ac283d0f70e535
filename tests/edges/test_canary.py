"""A hostile project through every command: nothing of it runs, no process starts, no socket opens, nothing is written outside."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# Run in a fresh interpreter, since an audit hook cannot be taken away again.
WATCHED = """
import json, os, sys
seen = []
ROOT = os.path.realpath(sys.argv[1])
ALLOWED = [os.path.realpath(one) for one in sys.argv[2].split(os.pathsep)]
STARTS = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty", "pty.spawn",
          "socket.connect", "socket.bind", "socket.getaddrinfo", "ctypes.dlopen"}

def hook(event, arguments):
    if event in STARTS:
        seen.append(event)
    elif event == "open" and isinstance(arguments[0], str) and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR):
        path = os.path.realpath(arguments[0])
        if not any(path == one or path.startswith(one + os.sep) for one in ALLOWED):
            seen.append(f"writes {path}")
    elif event in ("exec", "compile") and event == "exec":
        name = getattr(arguments[0], "co_filename", "")
        if os.path.realpath(name).startswith(ROOT + os.sep):
            seen.append(f"runs {name}")
    elif event == "import" and isinstance(arguments[1], str) and os.path.realpath(arguments[1]).startswith(ROOT + os.sep):
        seen.append(f"imports {arguments[0]}")

sys.addaudithook(hook)
from briefkit.cli import main
codes = []
for command in json.loads(sys.argv[3]):
    codes.append(main(["-C", ROOT, "--quiet", *command]))
sys.stdout.flush()
print("\\nSEEN " + json.dumps({"seen": seen, "codes": codes}))
"""
COMMANDS = [
    ["resolve"],
    ["resolve", "--all"],
    ["resolve", "evil"],
    ["resolve", "evil-js"],
    ["locate", "evil"],
    ["locate", "evil-js"],
    ["locate", "evil-editable"],
    ["api", "evil"],
    ["api", "evil", "run"],
    ["api", "evil-js", "run"],
    ["api", "evil-js"],
    ["ask", "--task", "t", "How do we run evil-js?", "Does evil.run exist?", "Does the repo already wrap this?"],
    ["gate", "t"],
    ["brief", "check", "state/briefs/t.md"],
    ["lockfile", "package-lock.json"],
    ["lockfile", "requirements.txt"],
    ["index", "list"],
    ["index", "verify"],
    ["index", "stats"],
    ["config"],
    ["task", "add", "x", "--id", "x"],
    ["task", "list"],
    ["status"],
    ["report"],
]


def lay_hostile_project(root: Path) -> Path:
    """Everything that runs code when a careless tool looks at it; each leaves a file beside the canary's."""
    canary = root / "canary"
    touch = f"open({str(canary)!r}, 'a').close()"
    spawn = f"require('fs').writeFileSync({json.dumps(str(canary))}, '')"
    files = {
        "package.json": json.dumps(
            {
                "name": "app",
                "dependencies": {"evil-js": "1.0.0"},
                "scripts": {"preinstall": f"touch {canary}", "prepare": f"touch {canary}"},
            }
        ),
        "package-lock.json": json.dumps(
            {
                "lockfileVersion": 3,
                "packages": {"": {"dependencies": {"evil-js": "1.0.0"}}, "node_modules/evil-js": {"version": "1.0.0"}},
            }
        ),
        "node_modules/evil-js/package.json": json.dumps(
            {"name": "evil-js", "version": "1.0.0", "main": "index.js", "scripts": {"install": f"touch {canary}"}}
        ),
        "node_modules/evil-js/index.js": f"{spawn}; exports.run = function run(task) {{ return task; }};\n",
        ".npmrc": f"node-options=--require={root}/evil.js\n",
        ".yarnrc.yml": "yarnPath: ./evil.js\n",
        ".pnpmfile.cjs": spawn,
        "evil.js": spawn,
        "requirements.txt": "evil==1.0\nevil-editable==1.0\n",
        "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "setup"\nbackend-path = ["."]\n[project]\nname = "app"\nversion = "1"\n',
        "setup.py": touch,
        "conftest.py": touch,
        "sitecustomize.py": touch,
        "app/__init__.py": touch,
        ".git/config": f'[core]\n\tfsmonitor = "touch {canary}; false"\n\thooksPath = hooks\n',
        ".git/HEAD": "ref: refs/heads/main\n",
        ".git/hooks/post-checkout": f"#!/bin/sh\ntouch {canary}\n",
        ".venv/pyvenv.cfg": "home = /usr/bin\nversion = 3.11.7\n",
        ".venv/bin/python": f"#!/bin/sh\ntouch {canary}\n",
    }
    site = ".venv/lib/python3.11/site-packages/"
    files |= {
        site + "evil.pth": f"import sys; {touch}\n",
        site + "evil/__init__.py": f"{touch}\ndef run(task):\n    '''Run a task.'''\n    return task\n",
        site + "evil-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n",
        site
        + "evil-1.0.dist-info/RECORD": "evil/__init__.py,,\nevil-1.0.dist-info/METADATA,,\n../../../../../etc/passwd,,\n",
        site
        + "__editable___evil_editable_finder.py": f"MAPPING = {{'evil_editable': {str(root / 'app')!r}}}\n{touch}\n",
        site
        + "__editable__.evil_editable.pth": "import __editable___evil_editable_finder; __editable___evil_editable_finder.install()\n",
        site + "evil_editable-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: evil-editable\nVersion: 1.0\n",
        site + "evil_editable-1.0.dist-info/RECORD": "__editable___evil_editable_finder.py,,\n",
        site + "evil_editable-1.0.dist-info/direct_url.json": json.dumps(
            {"url": f"file://{root}", "dir_info": {"editable": True}}
        ),
    }
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content, encoding="utf-8")
        if content.startswith("#!"):
            (root / path).chmod(0o755)
    return canary


def test_nothing_of_a_hostile_project_runs(tmp_path: Path, own_environment: Path) -> None:
    root = tmp_path / "project"
    canary = lay_hostile_project(root)
    allowed = f"{root / 'state'}:{own_environment / 'briefkit-cache'}:/dev/null"
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, str(root), allowed, json.dumps(COMMANDS)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        encoding="utf-8",
    )
    found = json.loads(done.stdout.rpartition("SEEN ")[2])
    assert found["seen"] == []
    assert not canary.exists()
    assert "Traceback" not in done.stderr
    assert set(found["codes"]) <= {0, 1, 3}, list(zip(COMMANDS, found["codes"], strict=True))


def test_a_hostile_plug_n_play_file_is_read_and_not_run(tmp_path: Path, own_environment: Path) -> None:
    root = tmp_path / "project"
    canary = lay_hostile_project(root)
    (root / ".pnp.cjs").write_text(
        f"require('fs').writeFileSync({json.dumps(str(canary))}, '');\nconst RAW_RUNTIME_STATE =\n'{{}}';\n",
        encoding="utf-8",
    )
    allowed = f"{root / 'state'}:{own_environment / 'briefkit-cache'}:/dev/null"
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            WATCHED,
            str(root),
            allowed,
            json.dumps([["resolve", "evil-js"], ["locate", "evil-js"], ["api", "evil-js", "run"]]),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        encoding="utf-8",
    )
    assert json.loads(done.stdout.rpartition("SEEN ")[2])["seen"] == []
    assert not canary.exists()

"""A small project with tasks and a scripted implementer, and its commands."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from small_projects import PYTHON, lay

from briefkit.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

SENDS = "How do we send many rows at once with courier?"
AGENT = """\
import json, os, re, sys, time
from pathlib import Path
prompt = sys.stdin.read()
task = re.search(r"^Task (\\S+): ", prompt, re.M).group(1)
path = Path(re.search(r"^Task file: (.+)$", prompt, re.M).group(1))
with open("starts.log", "a") as log:
    log.write(task + "\\n")
if task == "disputed":
    path.write_text(path.read_text() + "It is wrong.\\n")
if task == "tamper":
    path.write_text(path.read_text().replace('verify: "false"', 'verify: "true"'))
if task == "healed":
    Path("healed.txt").write_text("2" if "did not pass" in prompt else "1")
if task == "reworker" and "did not pass" not in prompt:
    wrapper = Path("app/outbox.py")
    wrapper.write_text("# reworked\\n" * 3 + wrapper.read_text().replace("rows", "many"))
if task == "slow":
    Path("slow.pid").write_text(str(os.getpid()))
    time.sleep(60)
if task == "limited" and not os.path.exists("tried"):
    Path("tried").touch()
    print(json.dumps({"outcome": "rate-limited", "reason": "later"}))
    sys.exit()
print(json.dumps({"text": "ok", "input_tokens": 100, "output_tokens": 10, "cost": 0.1, "turns": 1}))
"""


class App:
    """A small project with tasks, and its commands."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self.capsys = capsys

    def __call__(self, *arguments: str) -> tuple[int, Any]:
        self.capsys.readouterr()
        code = main(["-C", str(self.root), *arguments, "--json"])
        return code, json.loads(self.capsys.readouterr().out)

    def add(self, task: str, *arguments: str) -> None:
        assert self("task", "add", f"Title of {task}", "--id", task, *arguments)[0] == 0

    def run(self, *arguments: str) -> int:
        return self("run", "--implementer", "scripted", *arguments)[0]

    def state(self, task: str) -> tuple[str, str]:
        shown = self("task", "show", task)[1]["task"]
        return shown["state"], shown["reason"]

    def state_of(self, task: str) -> str:
        """The state alone, also of a task whose file is gone."""
        return str(next(one["state"] for one in self("task", "list")[1]["tasks"] if one["id"] == task))

    def way(self, task: str) -> list[str]:
        return [event["after"] for event in self("log", task)[1]["events"] if event["kind"] == "state"]

    def starts(self) -> list[str]:
        log = self.root / "starts.log"
        return log.read_text(encoding="utf-8").split() if log.exists() else []


def make_app(root: Path, home: Path, capsys: pytest.CaptureFixture[str], files: dict[str, str] | None = None) -> App:
    """The project laid at `root`, with the scripted implementer in the configuration under `home`."""
    (home / "agent.py").write_text(AGENT, encoding="utf-8")
    configure(home, "scripted", [sys.executable, str(home / "agent.py")])
    return App(lay(root, files or PYTHON), capsys)


def configure(home: Path, name: str, argv: list[str], kind: str = "command") -> None:
    """Add an agent to the user's own configuration."""
    folder = home / ".config" / "briefkit"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "config.toml").open("a", encoding="utf-8") as file:
        file.write(f"[agents.{name}]\nkind = {json.dumps(kind)}\nargv = {json.dumps(argv)}\n")

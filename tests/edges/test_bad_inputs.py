"""Bad inputs to every command: exit 2, one line that names the file, never a traceback, never a hang."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from briefkit.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def deep(path: Path) -> None:
    path.write_text("[" * 100_000, encoding="utf-8")


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(65 << 20)


def unreadable(path: Path) -> None:
    path.write_text("{}", encoding="utf-8")
    path.chmod(0)


def link_in_a_loop(path: Path) -> None:
    path.symlink_to(path.name)


def text(content: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(content, encoding="utf-8")


def raw(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


LOCKS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "empty": ("package-lock.json", text("")),
    "truncated": ("package-lock.json", text('{"lockfileVersion": 3, "packages": {"": {')),
    "binary": ("package-lock.json", raw(bytes(range(256)) * 40)),
    "another type": ("package-lock.json", text("[1, 2]")),
    "an unknown major version": ("package-lock.json", text('{"lockfileVersion": 99, "packages": {}}')),
    "a version that is none": ("package-lock.json", text('{"lockfileVersion": "three", "packages": {}}')),
    "packages of the wrong type": ("package-lock.json", text('{"lockfileVersion": 3, "packages": 7}')),
    "deep nesting": ("package-lock.json", deep),
    "huge": ("package-lock.json", huge),
    "not UTF-8": ("package-lock.json", raw(b'{"lockfileVersion": 3, "x": "\xff\xfe\xff"}')),
    "a directory": ("package-lock.json", lambda path: path.mkdir()),
    "a FIFO": ("package-lock.json", os.mkfifo),
    "a loop of links": ("package-lock.json", link_in_a_loop),
    "a number of a million digits": ("package-lock.json", text('{"lockfileVersion": ' + "9" * 1_000_000 + "}")),
    "TOML that is cut": ("uv.lock", text("version = 1\n[[package]]\nname = ")),
    "TOML of another type": ("uv.lock", text("version = 1\npackage = 3\n")),
    "TOML of an unknown major": ("uv.lock", text("version = 99\n")),
    "TOML with a key of 20,000 parts": ("uv.lock", text("version = 1\n" + "a." * 20_000 + "b = 1\n")),
    "TOML deep": ("uv.lock", text("version = 1\na = " + "[" * 50_000)),
    "requirements that are binary": ("requirements.txt", raw(b"\x80\x81\x82\n")),
    "a YAML bomb": ("pnpm-lock.yaml", text("lockfileVersion: '9.0'\na: &a [x,x]\nb: &b [*a,*a]\npackages: *b\n")),
}
COMMANDS = (
    ["resolve", "left-pad"],
    ["resolve"],
    ["locate", "left-pad"],
    ["api", "left-pad", "pad"],
    ["ask", "How do we pad with left-pad?"],
)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def manifest_of(lock: str, folder: Path) -> None:
    if lock.endswith((".json", ".yaml")):
        (folder / "package.json").write_text('{"name": "x", "dependencies": {"left-pad": "^1.0.0"}}', encoding="utf-8")
    else:
        (folder / "pyproject.toml").write_text(
            '[project]\nname = "x"\nversion = "1"\ndependencies = ["left-pad"]\n', encoding="utf-8"
        )


@pytest.mark.parametrize(("name", "lay"), LOCKS.values(), ids=LOCKS.keys())
def test_a_bad_lockfile_is_one_line_with_its_path_at_every_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, lay: Callable[[Path], object]
) -> None:
    manifest_of(name, tmp_path)
    lay(tmp_path / name)
    for command in (["lockfile", name], *COMMANDS):
        code, _, err = run(capsys, "-C", str(tmp_path), *command)
        assert (code, err.count("\n"), err.startswith(name)) == (2, 1, True), (command, err)


def test_an_unreadable_lockfile_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    unreadable(tmp_path / "package-lock.json")
    assert run(capsys, "-C", str(tmp_path), "lockfile", "package-lock.json") == (
        2,
        "",
        "package-lock.json: permission denied\n",
    )


@pytest.mark.parametrize("name", ["bun.lockb", "deno.lock", "conda-lock.yml", "environment.yml", "pixi.lock"])
def test_a_format_that_is_not_read_is_refused_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (tmp_path / name).write_text("x", encoding="utf-8")
    code, out, err = run(capsys, "-C", str(tmp_path), "lockfile", name)
    assert (code, out, err.startswith(f"{name}: "), err.count("\n")) == (2, "", True, 1)


USAGES = {
    "no such directory": (["-C", "/no/such/place", "resolve", "x"], 2),
    "a file for a directory": (["-C", __file__, "resolve", "x"], 2),
    "no such command": (["fetch", "x"], 2),
    "no such option": (["resolve", "--fast"], 2),
    "no such format": (["lockfile", __file__, "--format", "cargo"], 2),
    "a NUL in a path": (["lockfile", "a\0b"], 2),
    "no name": (["api"], 2),
    "no key": (["index", "show"], 2),
    "an id with slashes": (["gate", "../x"], 2),
    "an empty question": (["ask", "  "], 2),
    "an unknown importer": (["resolve", "x", "--importer", "no/such"], 2),
    "no such brief": (["brief", "check", "none.md"], 2),
    "no such index": (["index", "list"], 2),
}


@pytest.mark.parametrize(("arguments", "expected"), USAGES.values(), ids=USAGES.keys())
def test_a_question_that_cannot_be_asked_is_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    expected: int,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BRIEFKIT_INDEX", "gopher://x")
    if arguments[0] == "ask":
        monkeypatch.delenv("BRIEFKIT_INDEX")
    code, out, err = run(capsys, *arguments)
    assert (code, out, err.count("\n")) == (expected, "", 1), err


BRIEFS = {
    "empty": b"",
    "binary": bytes(range(256)),
    "not UTF-8": b"# Research brief: x\n\xff\xfe\xff",
    "no sections": b"# Research brief: x\n",
    "huge": b"#" * (2 << 20),
}


@pytest.mark.parametrize("content", BRIEFS.values(), ids=BRIEFS.keys())
def test_a_bad_brief_closes_the_gate_and_fails_its_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    (tmp_path / "state" / "briefs").mkdir(parents=True)
    (tmp_path / "state" / "briefs" / "t.md").write_bytes(content)
    code, out, err = run(capsys, "-C", str(tmp_path), "gate", "t", "--json")
    assert (code, json.loads(out)["reason"], err) == (1, "invalid", "")
    code, _, err = run(capsys, "-C", str(tmp_path), "brief", "check", "state/briefs/t.md")
    assert (code in (1, 2), err.count("\n") <= 1, "Traceback" in err) == (True, True, False)


def test_with_json_an_error_is_an_object_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "package-lock.json").write_text("", encoding="utf-8")
    code, out, err = run(capsys, "-C", str(tmp_path), "lockfile", "package-lock.json", "--json")
    record = json.loads(out)
    assert (code, record["schema_version"], record["error"]["kind"], record["error"]["path"]) == (
        2,
        1,
        "UnreadableError",
        "package-lock.json",
    )
    assert err == record["error"]["message"] + "\n"

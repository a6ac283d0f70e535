"""The MCP server: every tool and every error in both protocol eras, the command line's own answers, one run over stdio."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("mcp")

from mcp import Client, StdioServerParameters
from small_projects import NODE, PYTHON, lay

from briefkit.cli import main
from briefkit.mcp_server import build_server

if TYPE_CHECKING:
    from pathlib import Path

MODES = ("auto", "legacy")


@pytest.fixture
def app(tmp_path: Path) -> Path:
    return lay(lay(tmp_path / "app", PYTHON), NODE)


def call(app: Path, mode: str, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """(is error, structured content or text) of each call, over one client in memory."""

    async def run() -> list[Any]:
        async with Client(build_server(str(app)), mode=mode) as client:
            answers = []
            for name, arguments in calls:
                got = await client.call_tool(name, arguments)
                text = "".join(getattr(part, "text", "") for part in got.content)
                answers.append((bool(got.is_error), text if got.is_error else got.structured_content))
            return answers

    return asyncio.run(run())


def cli(capsys: pytest.CaptureFixture[str], app: Path, *arguments: str) -> Any:
    main(["-C", str(app), *arguments, "--json"])
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("mode", MODES)
def test_every_tool_answers_as_the_command_line_does(app: Path, mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = call(
        app,
        mode,
        ("resolve_library", {"name": "courier"}),
        ("resolve_library", {"name": "nothing-of-the-kind"}),
        ("locate_source", {"name": "parcel-post"}),
        ("find_api", {"name": "courier", "symbols": ["Client.send_many", "Client.send_all"]}),
        ("find_api", {"name": "parcel-post", "search": "pack many items"}),
    )
    assert [error for error, _ in found] == [False] * 5
    resolved, nothing, located, answered, searched = (content for _, content in found)
    assert resolved == cli(capsys, app, "resolve", "courier")
    assert nothing["resolutions"] == []
    assert located == cli(capsys, app, "locate", "parcel-post")
    asked = cli(capsys, app, "api", "courier", "Client.send_many", "Client.send_all")
    assert (answered["package"], answered["answers"]) == (asked["package"], asked["answers"])
    assert next(symbol["name"] for symbol in searched["symbols"]) == "Box.packMany"


@pytest.mark.parametrize("mode", MODES)
def test_ask_writes_a_tasks_brief_and_list_briefs_names_it(app: Path, mode: str) -> None:
    questions = ["How do we send many rows at once with courier?", "Does the repo already wrap this?"]
    [(_, none), (_, asked), (_, listed)] = call(
        app, mode, ("list_briefs", {}), ("ask", {"questions": questions, "task": "t"}), ("list_briefs", {})
    )
    assert none["briefs"] == []
    assert asked["markdown"] == (app / "state/briefs/t.md").read_text(encoding="utf-8")
    assert asked["brief"]["confidence"] >= 0.6
    assert [(one["task"], one["valid"], one["questions"]) for one in listed["briefs"]] == [("t", True, questions)]


ERRORS: dict[str, tuple[str, dict[str, Any], str]] = {
    "a folder outside": ("resolve_library", {"name": "courier", "directory": "../.."}, "outside the folder"),
    "an absolute folder outside": (
        "find_api",
        {"name": "courier", "symbols": ["x"], "directory": "/etc"},
        "outside the folder",
    ),
    "an unknown importer": ("resolve_library", {"name": "courier", "importer": "no/such"}, "no/such"),
    "nothing asked": ("find_api", {"name": "courier"}, "name symbols, or give words to search for"),
    "an empty name": ("locate_source", {"name": ""}, "at least 1 character"),
    "no questions": ("ask", {"questions": []}, "at least 1 item"),
    "a task id with a path": (
        "ask",
        {"questions": ["How do we send with courier?"], "task": "../x"},
        "is not a task id",
    ),
    "an ecosystem of its own": ("resolve_library", {"name": "courier", "ecosystem": "cargo"}, "npm"),
    "a broken lockfile": ("resolve_library", {"name": "parcel-post"}, "package-lock.json"),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("tool", "arguments", "message"), ERRORS.values(), ids=ERRORS.keys())
def test_what_cannot_be_answered_is_a_tool_error_that_says_why(
    app: Path, mode: str, tool: str, arguments: dict[str, Any], message: str
) -> None:
    if message == "package-lock.json":
        (app / "package-lock.json").write_text("{", encoding="utf-8")
    [(error, text)] = call(app, mode, (tool, arguments))
    assert error
    assert message in text
    assert "Traceback" not in text


def test_a_link_out_of_the_folder_is_outside(app: Path) -> None:
    (app / "way").symlink_to("/etc")
    [(error, text)] = call(app, "auto", ("resolve_library", {"name": "courier", "directory": "way"}))
    assert (error, "outside the folder" in text) == (True, True)


def test_a_change_on_disk_is_seen_between_two_calls(app: Path) -> None:
    async def run() -> list[Any]:
        async with Client(build_server(str(app))) as client:
            first = await client.call_tool("resolve_library", {"name": "courier"})
            (app / "requirements.txt").write_text("courier==9.9.9\n", encoding="utf-8")
            second = await client.call_tool("resolve_library", {"name": "courier"})
            return [
                got.structured_content["resolutions"][0]["state"] for got in (first, second) if got.structured_content
            ]

    assert asyncio.run(run()) == ["agree", "disagree"]


@pytest.mark.parametrize("file", ["requirements-dev.txt", "requirements/tests.txt"])
def test_a_change_of_a_requirements_file_of_any_name_is_seen_between_two_calls(app: Path, file: str) -> None:
    path = app / file
    path.parent.mkdir(exist_ok=True)

    async def run() -> list[str]:
        async with Client(build_server(str(app))) as client:
            found = []
            for version in ("1.0.0", "1.0.11"):
                path.write_text(f"parasol=={version}\n", encoding="utf-8")
                got: Any = (await client.call_tool("resolve_library", {"name": "parasol"})).structured_content
                found += [one["locked_version"] for one in got["resolutions"]]
            return found

    assert asyncio.run(run()) == ["1.0.0", "1.0.11"]


def test_every_tool_has_a_title_a_description_and_both_schemas(app: Path) -> None:
    async def run() -> list[Any]:
        async with Client(build_server(str(app))) as client:
            return list((await client.list_tools()).tools)

    tools = asyncio.run(run())
    assert [tool.name for tool in tools] == ["resolve_library", "locate_source", "find_api", "ask", "list_briefs"]
    assert all(tool.title and tool.description and tool.input_schema and tool.output_schema for tool in tools)


def test_the_server_speaks_over_standard_input_and_output(app: Path) -> None:
    server = StdioServerParameters(command=sys.executable, args=["-m", "briefkit", "-C", str(app), "mcp"])

    async def run() -> Any:
        async with Client(server) as client:
            got = await client.call_tool("find_api", {"name": "courier", "symbols": ["Client.send_all"]})
            return got.structured_content

    answered = asyncio.run(run())
    assert [answer["answer"] for answer in answered["answers"]] == ["absent"]

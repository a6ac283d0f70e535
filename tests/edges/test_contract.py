"""What other programs are written against: JSON fields, exit codes, public names, the cost of an import."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from small_projects import NODE, PYTHON, lay

import briefkit
from briefkit.cli import COMMANDS, main

if TYPE_CHECKING:
    from pathlib import Path

QUESTIONS = ("How do we send many rows at once with courier?", "Does Client.send_all exist?")


@pytest.fixture
def app(tmp_path: Path) -> Path:
    return lay(lay(tmp_path / "app", PYTHON), NODE)


class Cli:
    """The command line in this process."""

    def __init__(self, app: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.app = app
        self.capsys = capsys

    def __call__(self, *arguments: str) -> tuple[int, dict[str, Any]]:
        self.capsys.readouterr()
        code = main(["-C", str(self.app), *arguments, "--json"])
        record = json.loads(self.capsys.readouterr().out)
        assert record["schema_version"] == 1
        return code, record


@pytest.fixture
def cli(app: Path, capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(app, capsys)


LOCKFILE = {"path", "format", "format_version", "ecosystem", "packages", "skipped"}
PACKAGE = {"name", "version", "aliases", "source", "line", "importers", "groups", "direct", "marker", "dependencies"}
RESOLUTION = {
    *(
        "query",
        "ecosystem",
        "name",
        "alias",
        "version",
        "locked_version",
        "installed_version",
        "state",
        "importer",
        "requirement",
    ),
    *("direct", "groups", "marker", "decided_by", "lockfile", "source", "installed", "other_versions", "notes"),
}
LOCATED = {
    *(
        "query",
        "ecosystem",
        "importer",
        "name",
        "alias",
        "version",
        "version_from",
        "root",
        "inner",
        "link",
        "kind",
        "files",
        "entry",
    ),
    *("types", "readme", "changelog", "environment", "evidence", "lock", "other_copies", "warnings"),
}
SYMBOL = {"name", "kind", "signature", "summary", "file", "line", "end_line", "exported_from", "deprecated"}
REACH = {"files", "lines", "dynamic", "unread"}
ANSWER = {"query", "answer", "matches", "nearest", "reach", "reason"}
BATCH = {"query", "answer", "name", "version", "reason", "nearest"}
GATE = {"task", "open", "reason", "confidence", "weak_questions", "refinements", "max_refinements"}
CHECK = {"valid", "faults", "citations", "claimed_confidence", "confidence", "reasons"}


def test_lockfile_has_the_contracts_fields(cli: Cli) -> None:
    for name, form in (("package-lock.json", "npm"), ("requirements.txt", "requirements")):
        code, record = cli("lockfile", name)
        assert code == 0
        assert record.keys() >= LOCKFILE
        assert (record["path"], record["format"]) == (name, form)
        assert all(
            package.keys() >= PACKAGE and package["source"].keys() >= {"kind", "url", "integrity"}
            for package in record["packages"]
        )


def test_resolve_has_the_contracts_fields_and_paths_inside_the_repo_are_relative(cli: Cli) -> None:
    for name, site in (
        ("courier", ".venv/lib/python3.11/site-packages/courier"),
        ("parcel-post", "node_modules/parcel-post"),
    ):
        code, record = cli("resolve", name)
        [one] = record["resolutions"]
        assert code == 0
        assert record.keys() >= {"repo", "importer", "resolutions", "skipped", "conflicts"}
        assert one.keys() >= RESOLUTION
        assert one["decided_by"].keys() >= {"file", "line", "rule"}
        assert one["lockfile"].keys() >= {"path", "format", "format_version"}
        assert one["installed"] == {"root": site, "kind": "registry"}
    assert cli("resolve", "nothing-of-the-kind")[0] == 1


def test_locate_has_the_contracts_fields(cli: Cli) -> None:
    for name, root in (
        ("courier", ".venv/lib/python3.11/site-packages/courier"),
        ("parcel-post", "node_modules/parcel-post"),
    ):
        code, record = cli("locate", name)
        assert (code, record["root"]) == (0, root)
        assert record.keys() >= LOCATED
        assert record["lock"].keys() >= {"file", "version", "state"}
    assert cli("locate", "nothing-of-the-kind")[0] == 1


def test_api_has_the_contracts_fields_and_exit_codes(cli: Cli) -> None:
    code, record = cli("api", "courier")
    assert code == 0
    assert record.keys() >= {"package", "symbols", "reach"}
    assert all(symbol.keys() >= SYMBOL for symbol in record["symbols"])
    assert record["reach"].keys() == REACH
    for symbols, expected in ((["Client"], 0), (["Client", "Client.gone"], 1)):
        code, record = cli("api", "courier", *symbols)
        assert code == expected
        assert all(answer.keys() == ANSWER for answer in record["answers"])
    assert cli("api", "nothing-of-the-kind", "x")[0] == 3


def test_a_batch_answers_every_line_in_order_the_bad_ones_too(
    app: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = b"courier\tClient.send_many\nno tab\ncourier\tClient.gone\n\nnothing-of-the-kind\tx\n\xff\tx\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines), encoding="utf-8"))
    assert main(["-C", str(app), "api", "--batch", "-", "--json"]) == 1
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [record["answer"] for record in records] == ["exists", "unknown", "absent", "unknown", "unknown", "unknown"]
    assert all(record.keys() == BATCH for record in records)
    assert records[1]["reason"] == "not a NAME<TAB>SYMBOL line"


def test_ask_gate_and_check_have_the_contracts_fields(cli: Cli) -> None:
    code, record = cli("ask", "--task", "t", *QUESTIONS)
    assert code == 0
    assert record.keys() >= {"brief", "index", "cost"}
    assert all(
        one.keys() >= {"question", "library", "key", "hit", "age_s", "expires_at"} for one in record["index"]["answers"]
    )
    code, record = cli("gate", "t")
    assert (code, record["open"], record["reason"]) == (0, True, "ok")
    assert record.keys() >= GATE
    code, record = cli("brief", "check", "state/briefs/t.md")
    assert code == 0
    assert record.keys() >= CHECK
    assert all(one.keys() >= {"file", "lines", "state"} for one in record["citations"])


def test_options_may_stand_before_and_after_the_command_and_between_names(
    app: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = None
    for arguments in (
        ["--json", "-C", str(app), "resolve", "courier", "parcel-post"],
        ["resolve", "courier", "--json", "parcel-post", "-C", str(app)],
        [f"--repo={app}", "resolve", "courier", "parcel-post", "--json"],
    ):
        assert main(arguments) == 0
        got = json.loads(capsys.readouterr().out)
        wanted = wanted or got
        assert got == wanted


def test_a_results_to_dict_is_the_commands_json(app: Path, cli: Cli) -> None:
    repo = briefkit.open_repo(app)
    assert [one.to_dict() for one in repo.resolve("courier")] == cli("resolve", "courier")[1]["resolutions"]
    assert {"schema_version": 1, **repo.locate("courier").to_dict()} == cli("locate", "courier")[1]
    assert [repo.api("courier").answer("Client").to_dict()] == cli("api", "courier", "Client")[1]["answers"]
    reading = briefkit.read_lockfile(app / "package-lock.json").to_dict()
    assert reading["packages"] == cli("lockfile", "package-lock.json")[1]["packages"]


def test_every_public_name_is_there_listed_and_sorted() -> None:
    names = [name for name in briefkit.__all__ if name != "__version__"]
    assert names == sorted(names)
    assert all(getattr(briefkit, name) is not None for name in briefkit.__all__)
    assert {
        "open_repo",
        "read_lockfile",
        "Brief",
        "parse_brief",
        "render_brief",
        "open_index",
        "Gate",
        "BriefkitError",
    } <= set(names)
    assert all(issubclass(getattr(briefkit, name), briefkit.BriefkitError) for name in names if name.endswith("Error"))
    with pytest.raises(AttributeError):
        briefkit.no_such_name  # noqa: B018 - the look-up is the test


def test_importing_briefkit_imports_nothing_else() -> None:
    code = "import sys; before = set(sys.modules); import briefkit; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8")
    assert done.stdout.strip() == "['briefkit']"


@pytest.mark.parametrize("command", [command.name for command in COMMANDS])
def test_every_command_has_help_and_a_module_that_loads(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert f"briefkit [-C DIR] {command}" in capsys.readouterr().out


def test_colours_and_control_characters_reach_no_pipe(app: Path) -> None:
    (app / "node_modules/parcel-post/package.json").write_text(
        '{"name": "parcel-post", "version": "1\\u001b[2J"}', encoding="utf-8"
    )
    done = subprocess.run(
        [sys.executable, "-m", "briefkit", "-C", str(app), "resolve", "parcel-post"], capture_output=True, check=False
    )
    assert b"\x1b" not in done.stdout + done.stderr


def test_a_reader_that_goes_away_is_no_error(app: Path) -> None:
    command = f"{sys.executable} -m briefkit -C {app} api courier | head -1"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False, encoding="utf-8")
    assert (done.stderr.count("Traceback"), done.stdout.count("\n")) == (0, 1)

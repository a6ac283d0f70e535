"""The docs are true: every command in them is run and says what they show, every Python block runs, every link leads somewhere."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from briefkit.cli import COMMANDS

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PY_APP = ROOT / "examples" / "py-app"
ORM_APP = ROOT / "examples" / "orm-app"
# A line or a part of one that may be anything; a line of it alone stands for any number of lines.
ANYTHING = "…"


def blocks(page: Path, language: str) -> list[str]:
    return [body for found, body in BLOCK.findall(page.read_text(encoding="utf-8")) if found == language]


def sessions(page: Path) -> list[tuple[str, str]]:
    """(command, what it shows) of each console block, in order."""
    found = []
    for body in blocks(page, "console"):
        for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            found.append((command, shown))
    return found


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all pages: their tables are the same, and each page's index is its own."""
    return tmp_path_factory.mktemp("tables")


@pytest.fixture
def checkout(tmp_path: Path, tables: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the example projects in it, so that a page's commands change nothing of ours."""
    monkeypatch.setenv("BRIEFKIT_CACHE_DIR", str(tables))
    monkeypatch.setenv("BRIEFKIT_INDEX", f"sqlite:{tmp_path / 'index.sqlite'}")
    for app, installed in ((PY_APP, ".venv"), (ORM_APP, "node_modules")):
        target = tmp_path / "examples" / app.name
        shutil.copytree(app, target, ignore=shutil.ignore_patterns(".venv", "node_modules", "state"))
        if (app / installed).is_dir():
            # Hard links: a copy at the cost of a listing, whose paths lie inside the checkout.
            shutil.copytree(app / installed, target / installed, symlinks=True, copy_function=os.link)
    return tmp_path


def shows(said: str, shown: str) -> bool:
    """Whether an output is what a page shows, `…` standing for anything."""
    pattern = "".join(
        "(?:.*\n)*?" if line.strip() == ANYTHING else re.escape(line).replace(re.escape(ANYTHING), ".*") + "\n"
        for line in shown.rstrip("\n").split("\n")
    )
    return re.fullmatch(pattern, said.rstrip("\n") + "\n") is not None


def is_installed(command: str) -> bool:
    needed = (PY_APP / ".venv") if "py-app" in command else (ORM_APP / "node_modules" / "sequelize")
    return needed.exists()


@pytest.mark.parametrize("page", [page for page in PAGES if sessions(page)], ids=lambda page: page.name)
def test_every_command_on_a_page_says_what_the_page_shows(page: Path, checkout: Path) -> None:
    ran = 0
    for command, shown in sessions(page):
        if not is_installed(command):
            continue
        argv = shlex.split(command)
        assert argv[0] == "briefkit", command
        done = subprocess.run(
            [sys.executable, "-m", "briefkit", *argv[1:]],
            cwd=checkout,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        said = done.stdout or done.stderr
        assert done.returncode in (0, 1, 3), (command, done.stderr)
        assert not shown or shows(said, shown), f"{command}\n{said}"
        ran += 1
    if not ran:
        pytest.skip("the example projects are not installed; make test installs them")


def test_the_brief_in_the_readme_is_the_one_that_is_printed(checkout: Path) -> None:
    [(command, _)] = [one for one in sessions(ROOT / "README.md") if " ask " in one[0]]
    if not is_installed(command):
        pytest.skip("examples/orm-app is not installed: no npm here")
    [shown] = blocks(ROOT / "README.md", "markdown")
    argv = [sys.executable, "-m", "briefkit", *shlex.split(command)[1:]]
    done = subprocess.run(argv, cwd=checkout, capture_output=True, text=True, encoding="utf-8", check=True)
    assert done.stdout == shown


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=lambda page: page.name)
def test_every_python_block_on_a_page_runs(page: Path, checkout: Path) -> None:
    code = "\n".join(blocks(page, "python"))
    if "orm-app" in code or 'open_repo(".")' in code:
        code = code.replace('open_repo(".")', 'open_repo("examples/orm-app")')
        needed = "orm-app"
    else:
        needed = "py-app"
    if not is_installed(needed):
        pytest.skip(f"examples/{needed} is not installed")
    done = subprocess.run(
        [sys.executable, "-c", f"from __future__ import annotations\n{code}"],
        cwd=checkout,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_every_link_leads_to_a_file() -> None:
    broken = [
        f"{page.name}: {target}"
        for page in PAGES
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert broken == []


def test_every_command_is_on_the_command_page() -> None:
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert [command.name for command in COMMANDS if f"`{command.name}" not in text] == []


def test_every_make_target_that_a_page_names_is_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = {
        name
        for page in PAGES
        for name in re.findall(r"\bmake ([a-z-]+)\b(?=`|$|  )", page.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert named - targets == set()
    assert named


def test_no_page_names_a_path_of_a_machine() -> None:
    home = os.path.expanduser("~")
    assert [page.name for page in PAGES if home in page.read_text(encoding="utf-8")] == []

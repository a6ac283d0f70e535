"""Hostile Python trees: nothing of them runs, nothing outside the allowed folders is read, and everything ends soon with a warning."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from site_trees import EDITABLES_FINDER, MESON_LOADER, SETUPTOOLS_FINDER, editable, environment, site_of, wheel, write

from briefkit.installed.files import package_files, read_file, source_digest
from briefkit.installed.python_environments import find_environment
from briefkit.installed.site_packages import describe

if TYPE_CHECKING:
    from pathlib import Path

# A reading of a hostile tree must end; the figure is far above what any of them takes.
SECONDS = 20.0
# What is over a bound is one warning, not one for each of its two hundred thousand parts.
MANY = 4

WATCHED = """
import json, os, sys
from briefkit.installed import files, python_environments, site_packages, conda_packages, python_fallbacks  # noqa
import ast, csv, hashlib, tomli, zipfile, base64, binascii, json  # what a reading may need, imported before the watch begins
root = sys.argv[1]
seen = []
STARTS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty", "pty.spawn", "os.startfile",
          "socket.connect", "socket.bind", "ctypes.dlopen")
def watch(event, arguments):
    if event in STARTS or (event == "exec" and str(getattr(arguments[0], "co_filename", "")).startswith(root)):
        seen.append(event)
    if event == "import" and isinstance(arguments[1], str) and arguments[1].startswith(root):
        seen.append(f"import {arguments[0]}")
    if event == "open" and isinstance(arguments[1], str) and any(sign in arguments[1] for sign in "wax+"):
        seen.append(f"write {arguments[0]}")
sys.addaudithook(watch)
found = python_environments.find_environment(root + "/repo", root + "/repo", environ={"HOME": root + "/home"})
site = site_packages.open_site(found)
names = []
for one in site.distributions():
    names.append(one.name)
    site_packages.describe(one), files.package_files(one), files.source_digest(one), files.stat_signature(one)
    for top in one.top_levels:
        site.find_module(top), site.owners_of(top), site.stubs_for(top), site.lookup(top)
site.lookup("json"), site.lookup("absent"), site.vendored("six")
json.dump({"seen": seen, "names": names}, sys.stdout)
"""


def hostile_line(canary: Path) -> str:
    return f"import os; os.system('touch {canary}')"


def test_no_line_finder_script_or_test_file_of_a_tree_is_run_and_no_process_starts(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    touch = f"import os; os.system('touch {canary}'); open({str(canary)!r}, 'w').close()\n"
    repo = tmp_path / "repo"
    site, _ = environment(repo / ".venv")
    write(
        repo,
        {
            "setup.py": touch,
            "conftest.py": touch,
            "sitecustomize.py": touch,
            "pyproject.toml": '[tool.poetry]\nname = "x"\n',
        },
    )
    write(site, {"a.pth": touch, "b.pth": "import evil_finder\n", "evil_finder.py": touch, "usercustomize.py": touch})
    project = tmp_path / "project"
    write(project, {"mapped/__init__.py": touch, "setup.py": touch, "meson.py": touch, "demo/__init__.py": touch})
    mapping = (
        SETUPTOOLS_FINDER.format(mapping={"mapped": str(project / "mapped")}, namespaces={}, canary=str(canary)) + touch
    )
    editable(
        site,
        "hook",
        project,
        {"c.pth": "import __editable___finder; __editable___finder.install()", "__editable___finder.py": mapping},
    )
    lines = touch + EDITABLES_FINDER.format(lines=f"F.map_module('demo', '{project}/demo/__init__.py')")
    editable(site, "other", project, {"d.pth": "import _impl", "_impl.py": lines})
    wheel(
        site,
        "demo",
        "1.0",
        {"real/__init__.py": touch, "real/conftest.py": touch},
        entry_points="[console_scripts]\nx = real:main\n",
    )
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        encoding="utf-8",
    )
    assert json.loads(done.stdout) == {"seen": [], "names": ["demo", "hook", "other"]}
    assert not canary.exists()


@pytest.mark.parametrize("target", ["/etc", "file-of-nothing"])
def test_an_editable_that_is_no_project_is_reported_and_not_listed(tmp_path: Path, target: str) -> None:
    site, path = environment(tmp_path)
    url = f"file://{target}" if target.startswith("/") else target
    info = wheel(site, "evil", "1.0", {"e.pth": "/etc\n"}, direct_url={"url": url, "dir_info": {"editable": True}})
    found = site_of(path).distribution("evil")
    assert found is not None
    shown = target if target.startswith("/") else "its URL"
    assert found.warnings == (f"{info / 'direct_url.json'}: {shown} is no Python project on this disk",)
    assert found.top_levels == ()
    assert {file.path.partition("/")[0] for file in package_files(found)} == {"e.pth", "evil-1.0.dist-info"}


def test_a_mapping_that_leads_out_of_the_project_is_reported_and_not_listed(tmp_path: Path) -> None:
    site, path = environment(tmp_path / "env")
    project = tmp_path / "project"
    write(project, {"good/__init__.py": ""})
    write(tmp_path, {"secret/__init__.py": "", "secret/key.py": ""})
    (project / "link").symlink_to(tmp_path / "secret")
    mapping = {
        "good": f"{project}/good",
        "x": "/etc",
        "y": f"{tmp_path}/secret",
        "z": f"{project}/link",
        "w": "../secret",
        "v": 3,
    }
    text = SETUPTOOLS_FINDER.format(mapping=mapping, namespaces={}, canary="")
    editable(site, "evil", project, {"e.pth": "import e_finder", "e_finder.py": text})
    found = site_of(path).distribution("evil")
    assert found is not None
    loader = site / "e_finder.py"
    assert found.warnings == (
        f"{loader}: x leads to /etc, outside the project",
        f"{loader}: y leads to {tmp_path}/secret, outside the project",
        f"{loader}: z leads to {project}/link, outside the project",
    )
    assert (found.top_levels, [file.path for file in package_files(found)]) == (("good",), ["good/__init__.py"])
    packages = site_of(path)
    assert [packages.find_module(name) for name in ("good", "x", "y", "y.key", "z", "w")] == [
        str(project / "good/__init__.py"),
        *[None] * 5,
    ]


def test_a_record_that_names_files_elsewhere_lists_and_reads_none_of_them(tmp_path: Path) -> None:
    site, path = environment(tmp_path / "env")
    write(tmp_path, {"secret.py": "secret"})
    rows = (
        "../../../../secret.py,,",
        f"{tmp_path}/secret.py,,",
        "demo/../../../../../secret.py,,",
        "C:/secret.py,,",
        "..\\..\\secret.py,,",
    )
    wheel(site, "demo", "1.0", {"demo/__init__.py": ""}, extra_rows=rows)
    found = site_of(path).distribution("demo")
    assert found is not None
    assert found.top_levels == ("demo",)
    assert [file.path for file in package_files(found) if ".dist-info" not in file.path] == ["demo/__init__.py"]


def test_loops_of_links_and_deep_trees_end(tmp_path: Path) -> None:
    site, path = environment(tmp_path / "env")
    project = tmp_path / "project"
    write(project, {"demo/__init__.py": "", "demo/" + "d/" * 80 + "deep.py": ""})
    (project / "demo/loop").symlink_to(project / "demo")
    (project / "demo/self.py").symlink_to(project / "demo/self.py")
    editable(site, "demo", project, {"demo.pth": str(project)})
    found = site_of(path).distribution("demo")
    assert found is not None
    assert [file.path for file in package_files(found)] == ["demo/__init__.py"]


def test_fifos_and_folders_in_place_of_every_file_that_is_read_hang_nobody(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    info = wheel(site, "demo", "1.0", {"demo/__init__.py": "", "demo/py.typed": ""})
    for place in (
        info / "direct_url.json",
        info / "entry_points.txt",
        info / "top_level.txt",
        site / "x.pth",
        site / "x_finder.py",
    ):
        os.mkfifo(place)
    (site / "demo/__init__.py").unlink()
    os.mkfifo(site / "demo/__init__.py")
    (site / "demo/py.typed").unlink()
    os.mkfifo(site / "demo/py.typed")
    for kind in ("METADATA", "RECORD"):
        other = wheel(site, f"odd_{kind.lower()}", "1.0", {})
        (other / kind).unlink()
        os.mkfifo(other / kind)
    (site / "folder-1.0.dist-info/METADATA").mkdir(parents=True)
    os.mkfifo(site / "pipe.egg-link")
    os.mkfifo(site / "pipe-1.0.egg-info")
    (tmp_path / "pyvenv.cfg").unlink()
    os.mkfifo(tmp_path / "pyvenv.cfg")
    packages = site_of(path)
    assert [one.name for one in packages.distributions()] == ["demo", "odd-record"]
    found = packages.distribution("demo")
    assert found is not None
    describe(found)
    source_digest(found)
    assert [owner.name for owner in packages.owners_of("demo")] == ["demo"]


@pytest.mark.parametrize(
    "literal",
    [
        "{" + ", ".join(f"'m{number}': '/p/m{number}'" for number in range(200_000)) + "}",
        "{" + ", ".join(f"'m{number}': '/p/m{number}'" for number in range(20_000)) + "}",
        "{'a': " + "-" * 100_000 + "1}",
        "{'a': " + "[" * 5000 + "]" * 5000 + "}",
        "{'a': '\\ud800/x', '\\ud800': '/etc', 'b': '/\\0', 'c': 1" + "0" * 5000 + "}",
        "{'a': __import__('os').system('true')}",
        "{**{'a': '/etc'}}",
    ],
    ids=[
        "two hundred thousand entries",
        "twenty thousand entries",
        "minus signs",
        "deep nesting",
        "odd text and numbers",
        "a call",
        "an unpacking",
    ],
)
def test_a_literal_built_to_hurt_leads_to_no_module_and_ends_soon(tmp_path: Path, literal: str) -> None:
    site, path = environment(tmp_path / "env")
    project = tmp_path / "project"
    write(project, {"demo/__init__.py": ""})
    text = f"class _EditableFinder: pass\nMAPPING: dict[str, str] = {literal}\n"
    editable(site, "demo", project, {"e.pth": "import e_finder", "e_finder.py": text})
    begin = time.perf_counter()
    packages = site_of(path)
    found = packages.distribution("demo")
    assert found is not None
    assert 0 < len(found.warnings) <= MANY
    assert packages.find_module("a") is None
    assert time.perf_counter() - begin < SECONDS


def test_many_stray_targets_are_told_in_a_few_warnings(tmp_path: Path) -> None:
    site, path = environment(tmp_path / "env")
    (tmp_path / "project").mkdir()
    text = SETUPTOOLS_FINDER.format(
        mapping={f"m{number}": f"/p/m{number}" for number in range(500)}, namespaces={}, canary=""
    )
    editable(site, "evil", tmp_path / "project", {"e.pth": "import e_finder", "e_finder.py": text})
    found = site_of(path).distribution("evil")
    assert found is not None
    assert found.warnings[9:11] == (
        f"{site / 'e_finder.py'}: m9 leads to /p/m9, which is not there",
        "and 490 more such targets",
    )


def test_a_plan_of_meson_that_leads_elsewhere_or_is_no_plan_is_reported(tmp_path: Path) -> None:
    site, path = environment(tmp_path / "env")
    project = tmp_path / "project"
    write(tmp_path, {"secret.py": ""})
    plan = {"python": {f"{tmp_path}/secret.py": {"destination": "{py_platlib}/demo/secret.py"}}}
    write(project, {"build/meson-info/intro-install_plan.json": json.dumps(plan)})
    text = MESON_LOADER.format(name="demo", names={"demo"}, build=f"{project}/build")
    editable(site, "demo", project, {"demo.pth": "import _loader", "_loader.py": text})
    found = site_of(path).distribution("demo")
    assert found is not None
    assert f"{site / '_loader.py'}: demo.secret leads to {tmp_path}/secret.py, outside the project" in found.warnings
    write(project, {"build/meson-info/intro-install_plan.json": "[" * 100_000})
    os.utime(site, ns=(1, 1))
    found = site_of(path).distribution("demo")
    assert found is not None
    assert found.warnings[0].endswith("intro-install_plan.json: no install plan of meson; build the project again")


def test_metadata_of_any_size_and_text_is_read_by_its_head_alone(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    info = wheel(site, "demo", "1.0", {"demo.py": ""})
    with (info / "METADATA").open("wb") as metadata:
        metadata.write(b"Name: demo\nVersion: 1.0\x1b[31m\xff\xe2\x80\xae\n\n")
        metadata.truncate(200 << 20)
    found = site_of(path).distribution("demo")
    assert found is not None
    assert found.version == "1.0\\u{1b}[31m\ufffd\\u{202e}"


def test_a_record_over_its_bound_is_as_none(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    info = wheel(site, "demo", "1.0", {"demo/__init__.py": ""})
    with (info / "RECORD").open("r+b") as record:
        record.truncate(33 << 20)
    found = site_of(path).distribution("demo")
    assert found is not None
    assert (found.root, found.top_levels) == (str(site / "demo"), ("demo",))


def test_metadata_that_lies_about_its_name_is_told(tmp_path: Path) -> None:
    site, path = environment(tmp_path)
    info = wheel(site, "requests", "2.0", {"requests/__init__.py": ""})
    write(info, {"METADATA": "Name: evil\nVersion: 2.0\n"})
    found = site_of(path).distribution("requests")
    assert found is not None
    assert (found.name, found.warnings) == (
        "evil",
        (f"{info / 'METADATA'}: names itself evil, its folder says requests",),
    )


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../six", "/six", "a\0b", "a\nb", "six.", ".six", "a" * 5000, "a." * 200 + "b", "a\\b"]
)
def test_a_name_that_is_no_name_finds_nothing(tmp_path: Path, name: str) -> None:
    site, path = environment(tmp_path)
    wheel(site, "six", "1.17.0", {"six.py": ""})
    packages = site_of(path)
    assert (packages.distribution(name), packages.find_module(name), packages.lookup(name)) == (None, None, ())


def test_an_egg_link_and_a_pointer_file_that_lead_nowhere_are_left(tmp_path: Path) -> None:
    site, path = environment(tmp_path / "env")
    write(site, {"a.egg-link": "../../etc\n", "b.egg-link": "/etc\0x", "c.egg-link": "", "d.egg-link": "/etc\n"})
    packages = site_of(path)
    assert packages.distributions() == ()
    assert packages.warnings == tuple(f"{site / name}.egg-link: leads to no distribution, ignored" for name in "abcd")
    for text in ("/etc", "/dev/zero", "\0", "x" * 5000):
        (tmp_path / ".venv").write_text(text, encoding="utf-8")
        assert find_environment(str(tmp_path), str(tmp_path), environ={}) is not None  # `env`, the other one
        (tmp_path / ".venv").unlink()


def test_a_file_of_the_package_that_is_swapped_for_a_link_outward_is_not_read(tmp_path: Path) -> None:
    site, path = environment(tmp_path / "env")
    wheel(site, "demo", "1.0", {"demo/__init__.py": "a = 1\n"})
    found = site_of(path).distribution("demo")
    assert found is not None
    write(tmp_path, {"secret": "secret"})
    (site / "demo/__init__.py").unlink()
    (site / "demo/__init__.py").symlink_to(tmp_path / "secret")
    with pytest.raises(Exception, match="leaves the package"):
        read_file(found, "demo/__init__.py")
    assert [file.path for file in package_files(found) if file.path.startswith("demo/")] == []

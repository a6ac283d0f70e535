"""Which environment a project runs in: what files in the repo, managers' formulas and the shell say, and in which order."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest
from site_trees import environment, wheel, write

from briefkit.errors import UsageError
from briefkit.installed.manager_environments import _digest
from briefkit.installed.python_environments import find_environment
from briefkit.installed.python_layouts import environment_of_python, marker_values, read_environment, site_folders

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def told(
    directory: Path, root: Path | None = None, environ: Mapping[str, str] | None = None, expected: tuple[str, ...] = ()
) -> tuple[str, str] | None:
    """Path and rule of the environment that is found."""
    found = find_environment(str(directory), str(root or directory), environ=environ or {}, expected=expected)
    return None if found is None else (found.path, found.rule)


def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    return folder


def test_nothing_in_the_repo_and_nothing_active_is_no_environment(tmp_path: Path) -> None:
    assert told(repo(tmp_path)) is None


def test_the_environment_of_the_repo_goes_before_the_active_one(tmp_path: Path) -> None:
    folder = repo(tmp_path)
    environment(folder / ".venv")
    environment(tmp_path / "other")
    assert told(folder, environ={"VIRTUAL_ENV": str(tmp_path / "other")}) == (str(folder / ".venv"), ".venv")


def test_the_active_environment_counts_where_the_repo_has_none_unless_it_is_our_own(tmp_path: Path) -> None:
    folder = repo(tmp_path)
    environment(tmp_path / "other")
    assert told(folder, environ={"VIRTUAL_ENV": str(tmp_path / "other")}) == (str(tmp_path / "other"), "VIRTUAL_ENV")
    assert told(folder, environ={"VIRTUAL_ENV": sys.prefix}) is None


def test_condas_base_and_our_own_prefix_are_not_the_projects(tmp_path: Path) -> None:
    folder = repo(tmp_path)
    environment(tmp_path / "miniconda/envs/work")
    environment(tmp_path / "miniconda")
    write(tmp_path / "miniconda", {"conda-meta/history": "", "condabin/conda": ""})
    assert told(folder, environ={"CONDA_PREFIX": str(tmp_path / "miniconda")}) is None
    assert told(folder, environ={"CONDA_PREFIX": str(tmp_path / "miniconda/envs/work")}) == (
        str(tmp_path / "miniconda/envs/work"),
        "CONDA_PREFIX",
    )


def test_a_venv_may_be_a_folder_a_link_or_a_file_that_names_one(tmp_path: Path) -> None:
    folder = repo(tmp_path)
    environment(tmp_path / "store/one")
    (folder / ".venv").symlink_to(tmp_path / "store/one")
    assert told(folder) == (str(folder / ".venv"), ".venv link")
    (folder / ".venv").unlink()
    (folder / ".venv").write_text(f"{tmp_path}/store/one\n", encoding="utf-8")
    assert told(folder) == (str(tmp_path / "store/one"), ".venv file")
    (folder / ".venv").write_text("not an environment\nat all\n", encoding="utf-8")
    assert told(folder) is None


def test_a_member_has_its_roots_environment_and_nothing_above_the_root(tmp_path: Path) -> None:
    folder = repo(tmp_path)
    environment(folder / ".venv")
    environment(tmp_path / ".venv")
    member = folder / "packages/m1"
    member.mkdir(parents=True)
    assert told(member, folder) == (str(folder / ".venv"), ".venv")
    assert told(member, member) is None


def test_any_folder_with_a_pyvenv_cfg_is_an_environment(tmp_path: Path) -> None:
    folder = repo(tmp_path)
    environment(folder / "py311")
    assert told(folder) == (str(folder / "py311"), "py311/pyvenv.cfg")


def test_among_several_the_one_with_more_of_the_expected_wins_and_the_others_are_named(tmp_path: Path) -> None:
    folder = repo(tmp_path)
    environment(folder / ".venv")
    site, _ = environment(folder / "venv")
    wheel(site, "PyYAML", "6.0", {"yaml.py": ""})
    wheel(site, "typing_extensions", "4.0", {"typing_extensions.py": ""})
    found = find_environment(str(folder), str(folder), environ={}, expected=("pyyaml", "typing-extensions", "six"))
    assert found is not None
    assert (found.path, found.warnings) == (
        str(folder / "venv"),
        (f"other environments of this project: {folder / '.venv'}",),
    )
    assert told(folder) == (str(folder / ".venv"), ".venv")


def test_an_environment_that_is_named_decides_alone(tmp_path: Path) -> None:
    folder = repo(tmp_path)
    environment(folder / ".venv")
    site, _ = environment(tmp_path / "other")
    for explicit in (str(tmp_path / "other"), "../other", str(tmp_path / "other/bin/python")):
        found = find_environment(str(folder), str(folder), environ={}, explicit=explicit)
        assert found is not None
        assert (found.path, found.rule) == (str(tmp_path / "other"), "named")
    found = find_environment(str(folder), str(folder), environ={}, explicit=str(site))
    assert found is not None
    assert (found.site_dirs, found.python) == ((str(site),), "3.11")


def test_a_named_thing_that_is_no_environment_is_an_error(tmp_path: Path) -> None:
    folder = repo(tmp_path)
    with pytest.raises(
        UsageError, match=r"^nowhere: no Python environment, interpreter or site folder\. Name a folder"
    ):
        find_environment(str(folder), str(folder), environ={}, explicit="nowhere")


def test_a_target_folder_of_pip_is_a_site_folder(tmp_path: Path) -> None:
    folder = repo(tmp_path)
    wheel(folder / "vendor", "six", "1.17.0", {"six.py": ""})
    found = find_environment(str(folder), str(folder), environ={}, explicit="vendor")
    assert found is not None
    assert (found.path, found.site_dirs, found.python, found.markers) == (
        str(folder / "vendor"),
        (str(folder / "vendor"),),
        None,
        (),
    )


def test_what_uv_is_told_to_use_goes_before_the_usual_folder(tmp_path: Path) -> None:
    folder = repo(tmp_path)
    write(folder, {"uv.lock": "", "packages/m1/pyproject.toml": ""})
    environment(folder / ".venv")
    environment(folder / "ci-env")
    environ = {"UV_PROJECT_ENVIRONMENT": "ci-env"}
    assert told(folder / "packages/m1", folder, environ) == (str(folder / "ci-env"), "UV_PROJECT_ENVIRONMENT")


def home(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path / "home")}


def hashed(algorithm: str, text: str, size: int | None = None) -> str:
    import base64
    import hashlib

    return base64.urlsafe_b64encode(hashlib.new(algorithm, text.encode()).digest()[:size]).decode()[:8]


@pytest.mark.parametrize(
    ("algorithm", "text", "size", "written"),
    [
        ("sha256", "/tmp/demo", None, "hKjNfXom"),  # poetry 2.5 and hatch 1.16
        ("md5", "/tmp/demo", None, "uTdfIisv"),  # pdm 2.29
        ("sha256", "/tmp/demo/Pipfile", 6, "bMuHskue"),  # pipenv 2026
    ],
)
def test_the_formulas_give_what_each_manager_wrote(algorithm: str, text: str, size: int | None, written: str) -> None:
    assert _digest(algorithm, text, size)[:8] == hashed(algorithm, text, size) == written


@pytest.mark.skipif(sys.platform != "linux", reason="the folders of Linux; the formula is the same elsewhere")
def test_poetrys_environment_is_found_by_the_projects_real_path_and_canonical_name(tmp_path: Path) -> None:
    folder = repo(tmp_path)
    write(folder, {"pyproject.toml": '[tool.poetry]\nname = "Poe.Demo_app"\n', "poetry.lock": ""})
    (tmp_path / "link").symlink_to(folder)
    stem = f"poe-demo-app-{hashed('sha256', str(folder))}"
    base = tmp_path / "home/.cache/pypoetry/virtualenvs"
    for minor in ("3.10", "3.11"):
        environment(base / f"{stem}-py{minor}")
    assert told(tmp_path / "link", environ=home(tmp_path)) == (
        str(base / f"{stem}-py3.11"),
        f"poetry's environment {stem}-py3.11",
    )
    (base / "envs.toml").write_text(f'[{stem}]\nminor = "3.10"\n', encoding="utf-8")
    assert told(folder, environ=home(tmp_path)) == (str(base / f"{stem}-py3.10"), f"poetry's environment {stem}-py3.10")


def test_poetrys_folder_may_be_set_in_the_project(tmp_path: Path) -> None:
    folder = repo(tmp_path)
    write(
        folder,
        {
            "pyproject.toml": "[tool.poetry]\npackage-mode = false\n",
            "poetry.toml": '[virtualenvs]\npath = "{project-dir}/envs"\n',
        },
    )
    name = f"non-package-mode-{hashed('sha256', str(folder))}-py3.11"
    environment(folder / "envs" / name)
    assert told(folder, environ=home(tmp_path)) == (str(folder / "envs" / name), f"poetry's environment {name}")


def test_pipenvs_environment_is_found_by_the_path_of_the_pipfile(tmp_path: Path) -> None:
    folder = repo(tmp_path)
    write(folder, {"Pipfile": ""})
    name = f"repo-{hashed('sha256', str(folder / 'Pipfile'), 6)}"
    environment(tmp_path / "work" / name)
    environ = {**home(tmp_path), "WORKON_HOME": str(tmp_path / "work")}
    assert told(folder, environ=environ) == (str(tmp_path / "work" / name), f"pipenv's environment {name}")


@pytest.mark.skipif(sys.platform != "linux", reason="the folders of Linux; the formula is the same elsewhere")
def test_pdms_three_places_are_read(tmp_path: Path) -> None:
    folder = repo(tmp_path)
    write(folder, {"pdm.lock": ""})
    name = f"repo-{hashed('md5', str(folder))}-3.11"
    venv = tmp_path / "home/.local/share/pdm/venvs" / name
    environment(venv)
    assert told(folder, environ=home(tmp_path)) == (str(venv), f"pdm's environment {name}")
    environment(tmp_path / "chosen")
    (folder / ".pdm-python").write_text(f"{tmp_path}/chosen/bin/python\n", encoding="utf-8")
    assert told(folder, environ=home(tmp_path)) == (str(tmp_path / "chosen"), ".pdm-python")
    wheel(folder / "__pypackages__/3.11/lib", "six", "1.17.0", {"six.py": ""})
    (folder / ".pdm-python").write_text("/home/me/.pyenv/shims/python\n", encoding="utf-8")
    found = find_environment(str(folder), str(folder), environ=home(tmp_path))
    assert found is not None
    assert (found.rule, found.python, found.site_dirs) == (
        "__pypackages__/3.11",
        "3.11",
        (str(folder / "__pypackages__/3.11/lib"),),
    )


@pytest.mark.skipif(sys.platform != "linux", reason="the folders of Linux; the formula is the same elsewhere")
def test_hatchs_environment_is_found_by_name_and_real_path_or_in_the_project(tmp_path: Path) -> None:
    folder = repo(tmp_path)
    write(
        folder, {"pyproject.toml": '[project]\nname = "Hat.Demo"\n[build-system]\nbuild-backend = "hatchling.build"\n'}
    )
    base = tmp_path / "home/.local/share/hatch/env/virtual/hat-demo" / hashed("sha256", str(folder))
    environment(base / "docs")
    environment(base / "hat-demo")
    assert told(folder, environ=home(tmp_path)) == (str(base / "hat-demo"), "hatch's environment hat-demo")
    environment(folder / "own/dev")
    write(folder, {"hatch.toml": '[envs.dev]\npath = "own/dev"\n'})
    assert told(folder, environ=home(tmp_path)) == (str(folder / "own/dev"), "hatch's environment dev")


def test_condas_and_pixis_environments_of_a_project_are_found(tmp_path: Path) -> None:
    folder = repo(tmp_path)
    environment(tmp_path / "conda/envs/work")
    write(tmp_path, {"home/.conda/environments.txt": f"{tmp_path}/conda\n{tmp_path}/conda/envs/work\n"})
    write(folder, {"environment.yml": "name: work\ndependencies:\n- python\n"})
    assert told(folder, environ=home(tmp_path)) == (str(tmp_path / "conda/envs/work"), "environment.yml names work")
    environment(folder / ".pixi/envs/default")
    write(folder, {".pixi/envs/default/conda-meta/python-3.12.4-h1_0.json": "{}"})
    (folder / ".pixi/envs/default/pyvenv.cfg").unlink()
    found = find_environment(str(folder), str(folder), environ=home(tmp_path))
    assert found is not None
    assert (found.rule, found.python) == (".pixi/envs/default", "3.12.4")


def test_test_runners_and_editors_are_heard_last(tmp_path: Path) -> None:
    folder = repo(tmp_path)
    environment(folder / ".tox/py311")
    environment(tmp_path / "editors/one")
    assert told(folder) == (str(folder / ".tox/py311"), ".tox/py311")
    write(
        folder,
        {".vscode/settings.json": '{"python.defaultInterpreterPath": "${workspaceFolder}/../editors/one/bin/python"}'},
    )
    assert told(folder) == (str(tmp_path / "editors/one"), ".vscode/settings.json")
    write(folder, {"pyrightconfig.json": '{"venvPath": "../editors", "venv": "one"}'})
    assert told(folder) == (str(tmp_path / "editors/one"), "pyrightconfig.json")


def test_a_named_environment_of_pyenv_is_the_projects_and_a_bare_version_only_with_what_is_expected(
    tmp_path: Path,
) -> None:
    folder = repo(tmp_path)
    environ = {"PYENV_ROOT": str(tmp_path / "pyenv")}
    environment(tmp_path / "pyenv/versions/work")
    site, _ = environment(tmp_path / "pyenv/versions/3.11.7")
    (tmp_path / "pyenv/versions/3.11.7/pyvenv.cfg").unlink()
    (folder / ".python-version").write_text("work\n", encoding="utf-8")
    assert told(folder, environ=environ) == (str(tmp_path / "pyenv/versions/work"), ".python-version")
    (folder / ".python-version").write_text("../../evil\n3.11.7\n", encoding="utf-8")
    assert told(folder, environ=environ, expected=("six",)) is None
    wheel(site, "six", "1.17.0", {"six.py": ""})
    assert told(folder, environ=environ) is None
    assert told(folder, environ=environ, expected=("six",)) == (
        str(tmp_path / "pyenv/versions/3.11.7"),
        ".python-version",
    )


def test_the_first_python_on_path_is_heard_only_with_what_is_expected(tmp_path: Path) -> None:
    folder = repo(tmp_path)
    site, _ = environment(tmp_path / "usr")
    (tmp_path / "usr/pyvenv.cfg").unlink()
    (tmp_path / "usr/bin/python3").write_text("", encoding="utf-8")
    wheel(site, "six", "1.17.0", {"six.py": ""})
    environ = {"PATH": str(tmp_path / "usr/bin")}
    assert told(folder, environ=environ) is None
    assert told(folder, environ=environ, expected=("six",)) == (str(tmp_path / "usr"), "python3 on PATH")
    assert told(folder, environ=environ, expected=("six", "yaml", "attrs")) is None
    shims = tmp_path / "shims"
    write(shims, {"python3": ""})
    assert told(folder, environ={"PATH": f"{shims}{os.pathsep}{tmp_path / 'usr/bin'}"}, expected=("six",)) is None


@pytest.mark.parametrize(
    ("config", "version"),
    [
        ("version = 3.11.7\n", "3.11.7"),
        ("version_info = 3.11.7.final.0\nversion = 3.11.7\n", "3.11.7"),
        ("uv = 0.13.9\nVersion_Info = 3.11.7\n", "3.11.7"),
        ("version_info = 3.14.0rc2\n", "3.14.0rc2"),
        ("home = /usr/bin\n", "3.11"),
    ],
)
def test_the_version_is_read_from_every_tools_pyvenv_cfg(tmp_path: Path, config: str, version: str) -> None:
    environment(tmp_path)
    (tmp_path / "pyvenv.cfg").write_text(config, encoding="utf-8")
    found = read_environment(str(tmp_path), "named")
    assert found is not None
    assert found.python == version


def test_an_environment_that_sees_the_systems_packages_brings_the_users_and_the_bases_folders(tmp_path: Path) -> None:
    site, path = environment(tmp_path / "venv")
    write(
        tmp_path / "venv",
        {"pyvenv.cfg": f"home = {tmp_path}/base/bin\nversion = 3.11.7\ninclude-system-site-packages = true\n"},
    )
    write(tmp_path / "base/lib/python3.11/site-packages", {"a.py": ""})
    write(tmp_path / "home/.local/lib/python3.11/site-packages", {"b.py": ""})
    found = read_environment(path, "named", home(tmp_path))
    assert found is not None
    assert found.site_dirs == (
        str(site),
        str(tmp_path / "home/.local/lib/python3.11/site-packages"),
        str(tmp_path / "base/lib/python3.11/site-packages"),
    )


@pytest.mark.parametrize(
    ("folders", "version", "sites"),
    [
        (["Lib/site-packages"], "3.11.7", ["Lib/site-packages"]),
        (["lib/python3.11/site-packages"], "3.11.7", ["lib/python3.11/site-packages"]),
        (["lib/python3.13t/site-packages"], None, ["lib/python3.13t/site-packages"]),
        (["lib/pypy3.10/site-packages"], "3.10.14", ["lib/pypy3.10/site-packages"]),
        (
            ["lib/python3.11/site-packages", "lib64/python3.11/site-packages"],
            "3.11.7",
            ["lib/python3.11/site-packages", "lib64/python3.11/site-packages"],
        ),
        (["lib/python3.9/site-packages", "lib/python3.11/site-packages"], "3.9.1", ["lib/python3.9/site-packages"]),
        (["lib/python3.9/site-packages", "lib/python3.11/site-packages"], None, ["lib/python3.11/site-packages"]),
        (["lib/other"], "3.11", []),
    ],
)
def test_site_folders_are_found_in_every_platforms_shape(
    tmp_path: Path, folders: list[str], version: str | None, sites: list[str]
) -> None:
    for folder in folders:
        (tmp_path / folder).mkdir(parents=True)
    assert list(site_folders(str(tmp_path), version)) == [str(tmp_path / site) for site in sites]


def test_a_lib64_that_is_a_link_to_lib_is_listed_once(tmp_path: Path) -> None:
    site, _ = environment(tmp_path)
    (tmp_path / "lib64").symlink_to("lib")
    assert list(site_folders(str(tmp_path), "3.11.7")) == [str(site)]


def test_an_interpreters_path_leads_to_its_environment_and_a_shim_to_none(tmp_path: Path) -> None:
    environment(tmp_path / "venv")
    write(tmp_path, {"base/bin/python3.11": "", "shims/python": "", "venv/bin/activate": ""})
    (tmp_path / "venv/bin/python3").symlink_to(tmp_path / "base/bin/python3.11")
    assert {
        name: environment_of_python(str(tmp_path / name))
        for name in ("venv/bin/python3", "base/bin/python3.11", "shims/python", "venv/bin/activate")
    } == {
        "venv/bin/python3": str(tmp_path / "venv"),
        "base/bin/python3.11": str(tmp_path / "base"),
        "shims/python": None,
        "venv/bin/activate": None,
    }


def test_a_base_interpreter_that_pdm_was_told_is_no_environment_of_the_project(tmp_path: Path) -> None:
    folder = repo(tmp_path)
    site, _ = environment(tmp_path / "base")
    (tmp_path / "base/pyvenv.cfg").unlink()
    wheel(site, "six", "1.17.0", {"six.py": ""})
    write(folder, {"pdm.lock": "", ".pdm-python": f"{tmp_path}/base/bin/python\n"})
    assert told(folder, environ=home(tmp_path)) is None


def test_debians_folders_are_those_of_the_base(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "lib/python3.11/os.py": "",
            "local/lib/python3.11/dist-packages/a.py": "",
            "lib/python3/dist-packages/b.py": "",
        },
    )
    found = read_environment(str(tmp_path), "named")
    assert found is not None
    assert (found.python, found.site_dirs) == (
        "3.11",
        (str(tmp_path / "local/lib/python3.11/dist-packages"), str(tmp_path / "lib/python3/dist-packages")),
    )


def test_an_environment_of_windows_is_read_by_its_shape(tmp_path: Path) -> None:
    wheel(tmp_path / "Lib/site-packages", "PyYAML", "6.0", {"yaml/__init__.py": ""})
    write(tmp_path, {"pyvenv.cfg": "home = C:\\Python311\r\nversion = 3.11.7\r\n", "Scripts/python.exe": ""})
    found = read_environment(str(tmp_path), "named")
    assert found is not None
    assert (found.site_dirs, found.python) == ((str(tmp_path / "Lib/site-packages"),), "3.11.7")
    assert environment_of_python(str(tmp_path / "Scripts/python.exe")) == str(tmp_path)


def test_markers_speak_for_the_environments_python_and_this_host() -> None:
    values = dict(marker_values("3.12.1", "cpython"))
    assert {
        name: values[name] for name in ("python_version", "python_full_version", "implementation_name", "sys_platform")
    } == {
        "python_version": "3.12",
        "python_full_version": "3.12.1",
        "implementation_name": "cpython",
        "sys_platform": sys.platform,
    }
    assert marker_values(None, "cpython") == ()
    assert dict(marker_values("3.10.14", "pypy"))["platform_python_implementation"] == "PyPy"

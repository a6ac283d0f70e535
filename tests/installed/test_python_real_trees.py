"""Python environments as the real tools lay them, compared with what their own interpreters say. Slow: needs the registry."""

from __future__ import annotations

import os
import shutil
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from python_layers import EDITABLES, install, lay_editables, lay_environment, pip, run, uv, write_project
from python_managers import manager_folder
from site_trees import site_of

from briefkit.installed.files import package_files, source_digest
from briefkit.installed.python_environments import find_environment
from briefkit.installed.site_packages import describe, open_site

if TYPE_CHECKING:
    from briefkit.installed.site_packages import SitePackages
    from briefkit.packages import Installed

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name == "nt", reason="the tools' folders are those of POSIX")]

WHEELS = [
    "PyYAML",
    "PyJWT",
    "python-jose",
    "beautifulsoup4",
    "pillow",
    "pyzmq",
    "python-dateutil",
    "python-dotenv",
    "six",
    "typing_extensions",
    "attrs",
    "google-cloud-storage",
    "google-cloud-pubsub",
    "types-PyYAML",
    "types-protobuf",
    "ujson",
    "orjson",
    "lxml",
    "black",
    "mypy",
]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> SitePackages:
    return site_of(lay_environment(tmp_path_factory.mktemp("wheels") / "env", *WHEELS))


@pytest.fixture(scope="module")
def editables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay_editables(Path(os.path.realpath(tmp_path_factory.mktemp("editables"))))


def located(site: SitePackages, name: str) -> Installed:
    found = site.distribution(name)
    assert found is not None
    return found


def differences(environment: Path, submodules: int) -> list[str]:
    """What the comparison with the environment's own interpreter finds."""
    root = Path(__file__).parent.parent.parent
    command = [sys.executable, "-m", "benchmarks.compare_python", str(environment), "--submodules", str(submodules)]
    *lines, _ = run(*command, folder=root).splitlines()
    return lines


def test_an_environment_of_wheels_agrees_with_its_own_interpreter(wheels: SitePackages) -> None:
    assert differences(Path(wheels.environment.path), 2) == []


@pytest.mark.parametrize(
    ("imported", "owner"),
    [
        ("yaml", "pyyaml"),
        ("jwt", "pyjwt"),
        ("jose", "python-jose"),
        ("bs4", "beautifulsoup4"),
        ("PIL", "pillow"),
        ("zmq", "pyzmq"),
        ("dateutil", "python-dateutil"),
        ("dotenv", "python-dotenv"),
        ("attr", "attrs"),
        ("google.protobuf", "protobuf"),
        ("google.cloud.storage", "google-cloud-storage"),
        ("google.cloud.pubsub", "google-cloud-pubsub"),
    ],
)
def test_imports_lead_to_their_distributions(wheels: SitePackages, imported: str, owner: str) -> None:
    assert [one.name for one in wheels.owners_of(imported)] == [owner]


def test_single_modules_compiled_ones_and_mypycs_pairs(wheels: SitePackages) -> None:
    assert os.path.basename(located(wheels, "six").root) == "six.py"
    assert os.path.basename(located(wheels, "typing-extensions").root) == "typing_extensions.py"
    for name in ("ujson", "orjson"):
        told = describe(located(wheels, name))
        assert any(".so" in path for path in told.entry["import"].values()) or told.types
        assert [str(one["file"]).endswith(".pyi") for one in told.types][:1] == [True]
    module = wheels.find_spec("black")
    assert module is not None
    assert module.source.endswith("black/__init__.py")


def test_the_files_of_a_namespace_part_are_its_own(wheels: SitePackages) -> None:
    files = [file.path for file in package_files(located(wheels, "google-cloud-storage")) if file.path.endswith(".py")]
    assert {"google/cloud/storage/client.py", "google/cloud/storage/blob.py"} <= set(files)
    assert not [path for path in files if path.startswith(("google/protobuf", "google/cloud/pubsub", "google/auth"))]


def test_stubs_go_to_their_runtime_and_hide_no_other_part(wheels: SitePackages) -> None:
    assert [one["package"] for one in describe(located(wheels, "pyyaml")).types] == ["types-pyyaml"]
    assert not [
        one for one in describe(located(wheels, "google-cloud-storage")).types if "google-stubs" in str(one["file"])
    ]


def test_pip_and_uv_agree_on_the_digest(tmp_path: Path) -> None:
    by_uv = lay_environment(tmp_path / "uv", "six==1.17.0", "attrs==24.3.0")
    by_pip = lay_environment(tmp_path / "pip")
    pip(by_pip, "install", "-q", "six==1.17.0", "attrs==24.3.0")
    for name in ("six", "attrs"):
        assert source_digest(located(site_of(by_uv), name)) == source_digest(located(site_of(by_pip), name))


def test_an_environment_of_editables_agrees_with_its_own_interpreter(editables: Path) -> None:
    assert differences(editables, 3) == []


@pytest.mark.parametrize("name", EDITABLES)
def test_every_backends_editable_leads_to_the_worked_on_source(editables: Path, name: str) -> None:
    site = site_of(editables)
    project = editables.parent / name
    found = located(site, name)
    assert (found.kind, found.version, found.project) == ("editable", "1.0.0", str(project))
    assert not [warning for warning in found.warnings if "inferred" in warning]
    for dotted, path in EDITABLES[name][4].items():
        assert site.find_module(dotted) == str(project / path)
        assert [owner.name for owner in site.owners_of(dotted)] == [found.name]
        assert str(project / path) in {os.path.realpath(place) for place in _places(found)}


def _places(found: Installed) -> list[str]:
    from briefkit.installed.files import citation_path

    return [citation_path(found, file.path) for file in package_files(found)]


def test_flits_symlink_install(tmp_path: Path) -> None:
    environment = lay_environment(tmp_path / "env")
    project = write_project(tmp_path, "flit_src")
    flit = str(manager_folder("flit") / "flit")
    run(
        flit,
        "install",
        "-s",
        "--deps",
        "none",
        "--python",
        str(environment / "bin/python"),
        folder=project,
        FLIT_ROOT_INSTALL="1",
    )
    found = located(site_of(environment), "flit-src")
    assert (found.kind, found.root) == ("link", os.path.realpath(project / "src/flit_src"))


def test_setup_py_develop_and_its_egg_link(tmp_path: Path) -> None:
    environment = lay_environment(tmp_path / "env", "setuptools<69", "wheel")
    project = tmp_path / "legacy"
    (project / "legacy_pkg").mkdir(parents=True)
    (project / "legacy_pkg/__init__.py").touch()
    (project / "setup.py").write_text(
        "from setuptools import setup\nsetup(name='Legacy-Pkg', version='0.3', packages=['legacy_pkg'])\n",
        encoding="utf-8",
    )
    run(str(environment / "bin/python"), "setup.py", "-q", "develop", folder=project)
    found = located(site_of(environment), "legacy-pkg")
    assert (found.kind, found.version, found.root) == ("editable", "0.3", str(project / "legacy_pkg"))
    assert differences(environment, 1) == []


def test_an_egg_that_setuptools_zipped(tmp_path: Path) -> None:
    environment = lay_environment(tmp_path / "env", "setuptools<69", "wheel")
    project = tmp_path / "egged"
    project.mkdir()
    (project / "egged.py").write_text("x = 1\n", encoding="utf-8")
    (project / "setup.py").write_text(
        "from setuptools import setup\nsetup(name='egged', version='0.1', py_modules=['egged'], zip_safe=True)\n",
        encoding="utf-8",
    )
    run(str(environment / "bin/python"), "setup.py", "-q", "install", folder=project)
    site = site_of(environment)
    found = located(site, "egged")
    assert zipfile.is_zipfile(found.root)
    assert site.find_module("egged") == f"{found.root}!/egged.py"


def test_a_workspace_of_uv_has_one_environment_and_its_members_are_editable(tmp_path: Path) -> None:
    root = Path(os.path.realpath(tmp_path))
    (root / "pyproject.toml").write_text(
        '[project]\nname = "root"\nversion = "1"\nrequires-python = ">=3.11"\n[tool.uv.workspace]\nmembers = ["packages/*"]\n',
        encoding="utf-8",
    )
    head = '[build-system]\nrequires = ["uv_build"]\nbuild-backend = "uv_build"\n[project]\nname = "{0}"\nversion = "1"\nrequires-python = ">=3.11"\n'
    for name, more in (
        ("m1", 'dependencies = ["m2", "six"]\n[tool.uv.sources]\nm2 = {workspace = true}\n'),
        ("m2", ""),
    ):
        (root / "packages" / name / "src" / name).mkdir(parents=True)
        (root / "packages" / name / "src" / name / "__init__.py").touch()
        (root / "packages" / name / "pyproject.toml").write_text(head.format(name) + more, encoding="utf-8")
    run(uv(), "sync", "-q", "--all-packages", "--python", sys.executable, folder=root)
    found = find_environment(str(root / "packages/m1"), str(root), environ={})
    assert found is not None
    assert (found.path, found.rule) == (str(root / ".venv"), ".venv")
    assert located(open_site(found), "m2").root == str(root / "packages/m2/src/m2")


def test_two_opencvs_share_files_and_the_last_laid_owns_them(tmp_path: Path) -> None:
    environment = lay_environment(tmp_path / "env", "opencv-python-headless", options=("--no-deps",))
    install(environment, "opencv-contrib-python-headless", options=("--no-deps",))
    owners = [one.name for one in site_of(environment).owners_of("cv2.version")]
    assert owners == ["opencv-contrib-python-headless", "opencv-python-headless"]


def test_two_records_after_an_install_into_a_target(tmp_path: Path) -> None:
    environment = lay_environment(tmp_path / "env")
    target = tmp_path / "vendor"
    pip(environment, "install", "-q", "--target", str(target), "six==1.16.0")
    shutil.copytree(target / "six-1.16.0.dist-info", tmp_path / "kept")
    pip(environment, "install", "-q", "--upgrade", "--target", str(target), "six==1.17.0")
    if not (target / "six-1.16.0.dist-info").exists():
        shutil.copytree(tmp_path / "kept", target / "six-1.16.0.dist-info")
    found = located(site_of(target), "six")
    assert (found.version, len(found.warnings)) == ("1.17.0", 1)


def test_links_into_uvs_cache_are_followed(tmp_path: Path) -> None:
    environment = lay_environment(tmp_path / "env", "six==1.17.0", options=("--link-mode", "symlink"))
    found = located(site_of(environment), "six")
    assert os.path.islink(found.root)
    assert "six.py" in [file.path for file in package_files(found)]
    assert len(source_digest(found)) == 64
    plain = located(site_of(lay_environment(tmp_path / "plain", "six==1.17.0")), "six")
    assert source_digest(found) == source_digest(plain)


def test_poetrys_pipenvs_and_hatchs_environments_are_found_where_the_managers_put_them(
    tmp_path: Path, own_environment: Path
) -> None:
    home = {"HOME": str(own_environment), "PATH": f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ['PATH']}"}
    project = Path(os.path.realpath(tmp_path)) / "Demo"
    project.mkdir()
    (project / "pyproject.toml").write_text(
        '[project]\nname = "Poe.Demo_app"\nversion = "1"\nrequires-python = ">=3.11"\n'
        "[tool.poetry]\npackage-mode = false\n[tool.hatch.envs.default]\nskip-install = true\n",
        encoding="utf-8",
    )
    environ = {"HOME": str(own_environment)}
    for manager, commands in {
        "poetry": (["install", "-q"], ["env", "info", "-p"]),
        "hatch": (["env", "create"], ["env", "find"]),
        "pipenv": (["--python", sys.executable], ["--venv"]),
    }.items():
        if manager == "pipenv":
            (project / "Pipfile").write_text("[packages]\n", encoding="utf-8")
            (project / "pyproject.toml").unlink()
        program = str(manager_folder(manager) / manager)
        for command in commands:
            told = run(program, *command, folder=project, **home, XDG_CACHE_HOME="", XDG_CONFIG_HOME="")
        found = find_environment(str(project), str(project), environ=environ)
        assert found is not None
        assert (found.path, found.rule.partition("'")[0]) == (told.strip().splitlines()[-1], manager)
        shutil.rmtree(found.path)

"""Editable installs of every backend: from the loader in site-packages to the worked-on source, the loader never run."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from site_trees import (
    EDITABLES_FINDER,
    MESON_LOADER,
    SCIKIT_LOADER,
    SETUPTOOLS_FINDER,
    editable,
    environment,
    site_of,
    wheel,
    write,
)

from briefkit.installed.files import citation_path, package_files

if TYPE_CHECKING:
    from pathlib import Path

    from briefkit.packages import Installed


def finder(mapping: dict[str, str], namespaces: dict[str, list[str]] | None = None) -> str:
    return SETUPTOOLS_FINDER.format(mapping=mapping, namespaces=namespaces or {}, canary="/nonexistent/canary")


def code_line(name: str) -> str:
    return f"import {name}; {name}.install()"


def located(path: str, name: str) -> Installed:
    found = site_of(path).distribution(name)
    assert found is not None
    assert found.kind == "editable"
    return found


def listed(installed: Installed) -> dict[str, str]:
    return {file.path: citation_path(installed, file.path) for file in package_files(installed)}


def test_a_path_line_leads_to_the_source_folder(tmp_path: Path) -> None:
    site, path = environment(tmp_path / "env")
    project = tmp_path / "demo"
    write(
        project, {"src/demo/__init__.py": "", "src/demo/sub.py": "", "tests/test_demo.py": "", "README.md": "# demo\n"}
    )
    info = editable(site, "demo", project, {"__editable__.demo-1.0.0.pth": f"{project}/src"})
    found = located(path, "demo")
    assert (found.root, found.search_root, found.top_levels, found.project) == (
        str(project / "src/demo"),
        str(project / "src"),
        ("demo",),
        str(project),
    )
    assert found.evidence == (
        str(info / "METADATA"),
        str(info / "RECORD"),
        str(info / "direct_url.json"),
        str(site / "__editable__.demo-1.0.0.pth"),
    )
    assert listed(found) == {name: str(project / "src" / name) for name in ("demo/__init__.py", "demo/sub.py")}
    assert site_of(path).find_module("demo.sub") == str(project / "src/demo/sub.py")


def test_a_flat_project_offers_its_package_and_not_its_tests(tmp_path: Path) -> None:
    site, path = environment(tmp_path / "env")
    project = tmp_path / "demo"
    write(
        project,
        {"demo_kit/__init__.py": "", "tests/__init__.py": "", "setup.py": "", "noxfile.py": "", "docs/conf.py": ""},
    )
    editable(site, "demo", project, {"demo.pth": str(project)})
    assert located(path, "demo").top_levels == ("demo_kit",)


def test_a_mapped_folder_keeps_its_import_name(tmp_path: Path) -> None:
    site, path = environment(tmp_path / "env")
    project = tmp_path / "demo"
    write(project, {"code/__init__.py": "", "code/inner.py": "", "single.py": ""})
    mapping = {"mapped": str(project / "code"), "single": str(project / "single")}
    editable(
        site,
        "demo",
        project,
        {
            "__editable__.demo.pth": code_line("__editable___demo_finder"),
            "__editable___demo_finder.py": finder(mapping),
        },
    )
    found = located(path, "demo")
    assert (found.top_levels, found.modules) == (("mapped", "single"), (("mapped", str(project / "code")),))
    assert listed(found) == {
        "mapped/__init__.py": str(project / "code/__init__.py"),
        "mapped/inner.py": str(project / "code/inner.py"),
        "single.py": str(project / "single.py"),
    }
    packages = site_of(path)
    assert packages.find_module("mapped.inner") == str(project / "code/inner.py")
    assert packages.find_module("single") == str(project / "single.py")
    assert [owner.name for owner in packages.owners_of("mapped.inner")] == ["demo"]


def test_a_part_of_a_namespace_is_mapped_below_parts_that_are_installed(tmp_path: Path) -> None:
    site, path = environment(tmp_path / "env")
    project = tmp_path / "demo"
    write(project, {"acme/new/__init__.py": ""})
    wheel(site, "acme_old", "1.0", {"acme/old/__init__.py": ""})
    mapped = finder({"acme.new": str(project / "acme/new")}, {"acme": []})
    editable(site, "acme-new", project, {"n.pth": code_line("n_finder"), "n_finder.py": mapped})
    packages = site_of(path)
    assert packages.find_module("acme.new") == str(project / "acme/new/__init__.py")
    assert packages.find_module("acme.old") == str(site / "acme/old/__init__.py")
    assert located(path, "acme-new").top_levels == ("acme.new",)


def test_a_real_copy_goes_before_a_mapping_and_after_a_loader_that_puts_itself_first(tmp_path: Path) -> None:
    site, path = environment(tmp_path / "env")
    project = tmp_path / "demo"
    write(project, {"late/__init__.py": "", "first/__init__.py": ""})
    write(site, {"late/__init__.py": "", "first/__init__.py": ""})
    sources = {"first": str(project / "first/__init__.py")}
    editable(
        site,
        "demo",
        project,
        {
            "a.pth": code_line("a_finder"),
            "a_finder.py": finder({"late": str(project / "late")}),
            "b.pth": "import b_loader",
            "b_loader.py": SCIKIT_LOADER.format(sources=sources, built={}, locations={}),
        },
    )
    packages = site_of(path)
    assert packages.find_module("late") == str(site / "late/__init__.py")
    assert packages.find_module("first") == str(project / "first/__init__.py")


def test_the_strict_tree_of_links_is_cited_where_the_files_really_are(tmp_path: Path) -> None:
    site, path = environment(tmp_path / "env")
    project = tmp_path / "demo"
    write(project, {"lib/__init__.py": "", "lib/sub.py": ""})
    tree = project / "build/__editable__.demo-1.0.0-py3-none-any"
    (tree / "demo").mkdir(parents=True)
    for name in ("__init__.py", "sub.py"):
        (tree / "demo" / name).symlink_to(project / "lib" / name)
    editable(site, "demo", project, {"__editable__.demo-1.0.0.pth": f"{tree}\n"})
    found = located(path, "demo")
    assert (found.root, listed(found)) == (
        str(project / "lib"),
        {"demo/__init__.py": str(project / "lib/__init__.py"), "demo/sub.py": str(project / "lib/sub.py")},
    )
    assert site_of(path).find_module("demo.sub") == str(project / "lib/sub.py")


def test_a_renamed_package_that_a_path_line_cannot_import_is_told(tmp_path: Path) -> None:
    site, path = environment(tmp_path / "env")
    project = tmp_path / "demo"
    write(project, {"code/__init__.py": ""})
    loader = {"__editable__.demo-1.0.0.pth": str(project), "demo-1.0.0.dist-info/top_level.txt": "mapped\n"}
    editable(site, "demo", project, loader)
    assert f"mapped is not importable from {project}" in located(path, "demo").warnings


def test_the_calls_of_editables_are_read(tmp_path: Path) -> None:
    site, path = environment(tmp_path / "env")
    project = tmp_path / "demo"
    write(project, {"exact/__init__.py": "", "exact/sub.py": "", "alone.py": ""})
    lines = f"F.map_module('exact', '{project}/exact/__init__.py')\nF.map_module('alone', '{project}/alone.py')"
    loader = {"_demo.pth": "import _editable_impl_demo", "_editable_impl_demo.py": EDITABLES_FINDER.format(lines=lines)}
    editable(site, "demo", project, loader)
    found = located(path, "demo")
    assert (found.root, found.top_levels, found.search_root) == (
        str(project / "alone.py"),
        ("alone", "exact"),
        str(project),
    )
    assert site_of(path).find_module("exact.sub") == str(project / "exact/sub.py")


def test_a_package_that_editables_wrote_with_a_path_of_its_own_is_followed(tmp_path: Path) -> None:
    site, path = environment(tmp_path / "env")
    write(tmp_path / "demo", {"code/sub.py": ""})
    wheel(site, "demo", "1.0", {"demo/__init__.py": f"__path__ = ['{tmp_path}/demo/code']\n"})
    assert site_of(path).find_module("demo.sub") == str(tmp_path / "demo/code/sub.py")


def test_mesons_install_plan_leads_to_source_and_built_files(tmp_path: Path) -> None:
    site, path = environment(tmp_path / "env")
    project = tmp_path / "demo"
    plan = {
        "python": {
            f"{project}/pkg/__init__.py": {"destination": "{py_platlib}/demo/__init__.py"},
            f"{project}/pkg/sub.py": {"destination": "{py_platlib}/demo/sub.py"},
        },
        "targets": {f"{project}/build/_ext.cpython-311.so": {"destination": "{py_platlib}/demo/_ext.cpython-311.so"}},
        "data": {f"{project}/x.txt": {"destination": "{datadir}/x.txt"}},
    }
    write(
        project,
        {
            "pkg/__init__.py": "",
            "pkg/sub.py": "",
            "pkg/left_out.py": "",
            "build/_ext.cpython-311.so": "",
            "build/meson-info/intro-install_plan.json": json.dumps(plan),
        },
    )
    text = MESON_LOADER.format(name="demo", names={"demo"}, build=f"{project}/build")
    editable(site, "demo", project, {"demo.pth": code_line("_demo_loader"), "_demo_loader.py": text})
    packages = site_of(path)
    assert {name: packages.find_module(name) for name in ("demo", "demo.sub", "demo._ext", "demo.left_out")} == {
        "demo": str(project / "pkg/__init__.py"),
        "demo.sub": str(project / "pkg/sub.py"),
        "demo._ext": str(project / "build/_ext.cpython-311.so"),
        "demo.left_out": None,
    }
    found = located(path, "demo")
    assert (found.root, found.top_levels) == (str(project / "pkg"), ("demo",))
    assert listed(found)["demo/_ext.cpython-311.so"] == str(project / "build/_ext.cpython-311.so")


def test_the_older_form_of_mesons_loader_is_read(tmp_path: Path) -> None:
    site, path = environment(tmp_path / "env")
    project = tmp_path / "demo"
    plan = {"python": {f"{project}/demo.py": {"destination": "{py_purelib}/demo.py"}}}
    write(project, {"demo.py": "", "build/meson-info/intro-install_plan.json": json.dumps(plan)})
    text = f"class MesonpyMetaFinder: pass\n\ninstall(\n    {{'demo'}},\n    '{project}/build',\n    ['ninja'],\n    False,\n)\n"
    editable(site, "demo", project, {"demo.pth": "import _demo_loader", "_demo_loader.py": text})
    assert site_of(path).find_module("demo") == str(project / "demo.py")


def test_scikit_builds_two_lists_join_source_and_compiled_files(tmp_path: Path) -> None:
    site, path = environment(tmp_path / "env")
    project = tmp_path / "demo"
    write(project, {"src/demo/__init__.py": "", "src/demo/sub.py": ""})
    sources = {"demo": f"{project}/src/demo/__init__.py", "demo.sub": f"{project}/src/demo/sub.py"}
    loader = {
        "_demo_editable.pth": f"import _demo_editable\n{project}/src\n",
        "_demo_editable.py": SCIKIT_LOADER.format(sources=sources, built={"demo._ext": "demo/_ext.so"}, locations={}),
        "demo/_ext.so": "",
    }
    editable(site, "demo", project, loader)
    packages = site_of(path)
    assert packages.find_module("demo") == str(project / "src/demo/__init__.py")
    assert packages.find_module("demo._ext") == str(site / "demo/_ext.so")
    assert located(path, "demo").root == str(project / "src/demo")


def test_a_loader_of_no_known_kind_leaves_the_project_inferred_and_says_so(tmp_path: Path) -> None:
    site, path = environment(tmp_path / "env")
    project = tmp_path / "demo"
    write(project, {"lib/demo/__init__.py": "", "pyproject.toml": '[tool.setuptools]\npackage-dir = {"" = "lib"}\n'})
    editable(site, "demo", project, {"demo.pth": "import strange_loader", "strange_loader.py": "boom()\n"})
    found = located(path, "demo")
    assert (found.root, found.warnings) == (
        str(project / "lib/demo"),
        (
            f"{project / 'lib'}: inferred from direct_url.json alone, for no .pth file or finder of a known kind leads there",
        ),
    )


def test_flits_link_is_cited_at_its_target(tmp_path: Path) -> None:
    site, path = environment(tmp_path / "env")
    write(tmp_path / "demo", {"src/demo/__init__.py": "", "src/demo/sub.py": ""})
    write(tmp_path / "demo", {"pyproject.toml": ""})
    wheel(site, "demo", "1.0", {}, extra_rows=("demo,,",))
    (site / "demo").symlink_to(tmp_path / "demo/src/demo")
    found = site_of(path).distribution("demo")
    assert found is not None
    assert (found.kind, found.root, found.link) == ("link", str(tmp_path / "demo/src/demo"), str(site / "demo"))
    assert listed(found) == {name: str(tmp_path / "demo/src" / name) for name in ("demo/__init__.py", "demo/sub.py")}
    assert found.project == str(tmp_path / "demo")


def test_an_egg_link_leads_to_the_source_and_its_version(tmp_path: Path) -> None:
    site, path = environment(tmp_path / "env")
    project = tmp_path / "legacy"
    write(
        project,
        {
            "setup.py": "",
            "legacy_pkg/__init__.py": "",
            "Legacy_Pkg.egg-info/PKG-INFO": "Metadata-Version: 2.1\nName: Legacy-Pkg\nVersion: 0.3\n",
            "Legacy_Pkg.egg-info/top_level.txt": "legacy_pkg\n",
        },
    )
    write(site, {"Legacy-Pkg.egg-link": f"{project}\n.", "easy-install.pth": f"{project}\n"})
    found = located(path, "legacy.pkg")
    assert (found.version, found.root, found.project) == ("0.3", str(project / "legacy_pkg"), str(project))
    (site / "easy-install.pth").unlink()
    os.utime(site, ns=(1, 1))
    assert located(path, "legacy-pkg").warnings == (
        f"{site / 'Legacy-Pkg.egg-link'}: {project} is not on the search path",
    )


def test_eggs_are_read_as_folders_as_zips_and_as_a_file_of_metadata(tmp_path: Path) -> None:
    import zipfile

    site, path = environment(tmp_path)
    head = "Metadata-Version: 1.0\nName: {}\nVersion: 2.0\n"
    write(
        site, {"folder-2.0-py3.11.egg/EGG-INFO/PKG-INFO": head.format("folder"), "folder-2.0-py3.11.egg/folder.py": ""}
    )
    write(
        site,
        {
            "folder-2.0-py3.11.egg/EGG-INFO/top_level.txt": "folder\n",
            "single-2.0.egg-info": head.format("single"),
            "single.py": "",
        },
    )
    with zipfile.ZipFile(site / "zipped-2.0-py3.11.egg", "w") as egg:
        egg.writestr("EGG-INFO/PKG-INFO", head.format("zipped"))
        egg.writestr("zipped/__init__.py", "x = 1\n")
    write(site, {"easy-install.pth": "./folder-2.0-py3.11.egg\n./zipped-2.0-py3.11.egg\n"})
    packages = site_of(path)
    assert [(one.name, one.version, one.root, one.inner) for one in packages.distributions()] == [
        ("folder", "2.0", str(site / "folder-2.0-py3.11.egg/folder.py"), None),
        ("single", "2.0", str(site / "single.py"), None),
        ("zipped", "2.0", str(site / "zipped-2.0-py3.11.egg"), "zipped"),
    ]
    assert packages.find_module("zipped") == f"{site / 'zipped-2.0-py3.11.egg'}!/zipped/__init__.py"
    zipped = packages.distribution("zipped")
    assert zipped is not None
    assert listed(zipped)["zipped/__init__.py"] == f"{site / 'zipped-2.0-py3.11.egg'}!/zipped/__init__.py"

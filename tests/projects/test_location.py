"""Where a package lies, joined with what is locked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from node_trees import lay, package
from project_samples import lay_sample, project_at
from python_trees import lay_distribution, lay_environment

from briefkit.errors import AmbiguousNameError

if TYPE_CHECKING:
    from pathlib import Path


def lay_app(folder: Path) -> None:
    packages: dict[str, Any] = {
        "": {"dependencies": {"ms": "*", "l": "npm:lodash@3"}},
        "node_modules/ms": {"version": "2.1.3"},
        "node_modules/l": {"name": "lodash", "version": "3.10.1"},
        "node_modules/gone": {"version": "1.0.0"},
        "node_modules/tool": {
            "version": "1.0.0",
            "resolved": "git+ssh://git@git.example/o/tool.git#0123456789abcdef0123456789abcdef01234567",
        },
    }
    tree = {
        ".git/HEAD": "",
        "package.json": {"name": "app", **packages[""]},
        "package-lock.json": json.dumps({"lockfileVersion": 3, "packages": packages}, indent=2),
        "node_modules/ms/package.json": package("ms", "2.1.3", main="./index.js"),
        "node_modules/ms/index.js": "module.exports = 1\n",
        "node_modules/ms/readme.md": "# ms\n",
        "node_modules/l/package.json": package("lodash", "3.10.1"),
        "node_modules/tool/package.json": package("tool", "1.0.0"),
        "node_modules/debug/package.json": package("debug", "4.0.0"),
        "node_modules/debug/node_modules/ms/package.json": package("ms", "2.0.0"),
    }
    lay(folder, tree)


def test_an_installed_package_is_located_with_all_that_the_contract_names(tmp_path: Path) -> None:
    lay_app(tmp_path)
    record = project_at(tmp_path).locate("ms").to_dict()
    assert {
        key: record[key] for key in ("types", "changelog", "environment", "warnings", "link", "inner", "alias")
    } == {
        "types": [],
        "changelog": None,
        "environment": None,
        "warnings": record["warnings"],
        "link": None,
        "inner": None,
        "alias": None,
    }
    assert (record["query"], record["ecosystem"], record["importer"], record["name"]) == ("ms", "npm", ".", "ms")
    assert (record["version"], record["version_from"]) == ("2.1.3", "node_modules/ms/package.json")
    assert (record["root"], record["kind"], record["files"]) == ("node_modules/ms", "registry", 3)
    assert record["entry"]["require"] == "node_modules/ms/index.js"
    assert record["readme"] == "node_modules/ms/readme.md"
    assert record["evidence"] == ["node_modules/ms/package.json"]
    assert record["lock"] == {"file": "package-lock.json", "version": "2.1.3", "state": "agree"}
    assert record["other_copies"] == [{"root": "node_modules/debug/node_modules/ms", "inner": None, "version": "2.0.0"}]


def test_an_alias_is_located_as_what_it_is(tmp_path: Path) -> None:
    lay_app(tmp_path)
    record = project_at(tmp_path).locate("l").to_dict()
    assert (record["name"], record["alias"], record["version"], record["root"]) == (
        "lodash",
        "l",
        "3.10.1",
        "node_modules/l",
    )


def test_a_plain_copy_of_a_git_source_is_of_that_kind(tmp_path: Path) -> None:
    lay_app(tmp_path)
    assert project_at(tmp_path).locate("tool").kind == "git"


def test_what_is_locked_and_not_here_has_no_root(tmp_path: Path) -> None:
    lay_app(tmp_path)
    record = project_at(tmp_path).locate("gone").to_dict()
    assert (record["name"], record["version"], record["root"], record["kind"]) == ("gone", "1.0.0", None, None)
    assert record["lock"] == {"file": "package-lock.json", "version": "1.0.0", "state": "not-installed"}


def test_what_is_nowhere_says_so(tmp_path: Path) -> None:
    lay_app(tmp_path)
    record = project_at(tmp_path).locate("nothing").to_dict()
    assert (record["root"], record["lock"]) == (None, None)
    assert record["warnings"] == ["nothing is neither locked nor installed for ."]


@pytest.mark.parametrize("query", ["fs", "node:fs/promises"])
def test_a_module_of_node_itself_is_builtin(tmp_path: Path, query: str) -> None:
    lay_app(tmp_path)
    record = project_at(tmp_path).locate(query).to_dict()
    assert (record["ecosystem"], record["kind"], record["root"]) == ("npm", "builtin", None)


def test_an_import_of_a_name_that_node_has_itself_is_nodes_and_the_package_is_asked_for_with_a_slash(
    tmp_path: Path,
) -> None:
    lay_app(tmp_path)
    lay(tmp_path, {"node_modules/events/package.json": package("events", "3.3.0")})
    project = project_at(tmp_path)
    own = project.locate("events").to_dict()
    assert (own["kind"], own["root"]) == ("builtin", None)
    assert own["other_copies"] == [{"root": "node_modules/events", "inner": None, "version": "3.3.0"}]
    assert own["warnings"] == [
        "events is a module of Node itself, no package's",
        "a package of that name is installed too; an import gets it as events/",
    ]
    for query in ("events/", "npm:events"):
        assert project.locate(query).to_dict()["root"] == "node_modules/events", query


def test_types_alone_are_no_source(tmp_path: Path) -> None:
    lay_app(tmp_path)
    lay(tmp_path, {"node_modules/@types/ghost/package.json": package("@types/ghost", "1.0.0")})
    record = project_at(tmp_path).locate("ghost").to_dict()
    assert (record["root"], record["kind"]) == (None, "stub-only")
    assert record["other_copies"] == [{"root": "node_modules/@types/ghost", "inner": None, "version": "1.0.0"}]


def test_a_module_of_python_itself_is_builtin(tmp_path: Path) -> None:
    lay(tmp_path, {".git/HEAD": "", "requirements.txt": "six==1.16.0\n"})
    record = project_at(tmp_path).locate("json.decoder").to_dict()
    assert (record["ecosystem"], record["kind"], record["root"]) == ("pypi", "builtin", None)


def test_a_distribution_is_located_in_its_environment(tmp_path: Path) -> None:
    lay(tmp_path, {".git/HEAD": "", "requirements.txt": "PyYAML==6.0.2\n"})
    lay_distribution(lay_environment(tmp_path / ".venv"), "PyYAML", "6.0.2", {"yaml/__init__.py": ""})
    record = project_at(tmp_path).locate("yaml").to_dict()
    assert (record["name"], record["version"]) == ("pyyaml", "6.0.2")
    assert record["root"].endswith("site-packages/yaml")
    assert record["environment"] == {"path": ".venv", "rule": ".venv"}
    assert not record["root"].startswith("/")


def test_a_name_in_both_ecosystems_must_be_told_apart(tmp_path: Path) -> None:
    lay_app(tmp_path)
    lay(tmp_path, {"requirements.txt": "ms==1.0\n"})
    with pytest.raises(AmbiguousNameError) as caught:
        project_at(tmp_path).locate("ms")
    assert str(caught.value) == "'ms' is in both ecosystems. Ask for npm:ms or pypi:ms, or give --ecosystem"
    assert project_at(tmp_path).locate("npm:ms").copy is not None


def test_a_member_of_a_uv_workspace_is_of_that_kind(tmp_path: Path) -> None:
    repo = lay_sample(tmp_path, "uv-workspace")
    lay(repo, {"packages/b/src/pkg_b/__init__.py": ""})
    site = lay_environment(repo / ".venv")
    lay_distribution(site, "pkg-b", "2.0.0", {"pkg_b.pth": f"{repo}/packages/b/src"})
    url = {"dir_info": {"editable": True}, "url": (repo / "packages" / "b").as_uri()}
    (site / "pkg_b-2.0.0.dist-info" / "direct_url.json").write_text(json.dumps(url), encoding="utf-8")
    located = project_at(repo / "packages" / "a").locate("pkg_b")
    assert (located.kind, located.to_dict()["root"]) == ("workspace", "packages/b/src/pkg_b")


def test_a_module_of_python_itself_lies_in_the_library_of_the_environments_python(tmp_path: Path) -> None:
    lay(tmp_path, {".git/HEAD": "", "requirements.txt": "six==1.16.0\n"})
    lay(tmp_path / "base", {"lib/python3.12/os.py": "", "lib/python3.12/json/__init__.py": ""})
    (tmp_path / "base" / "bin").mkdir()
    lay_environment(tmp_path / ".venv", "3.12.4")
    config = tmp_path / ".venv" / "pyvenv.cfg"
    config.write_text(f"home = {tmp_path / 'base' / 'bin'}\nversion = 3.12.4\n", encoding="utf-8")

    record = project_at(tmp_path).locate("json").to_dict()

    assert {key: record[key] for key in ("name", "version", "kind", "root", "lock", "warnings")} == {
        "name": "json",
        "version": "3.12.4",
        "kind": "builtin",
        "root": "base/lib/python3.12/json",
        "lock": None,
        "warnings": ["json is a module of Python itself, no package's"],
    }
    assert record["entry"] == {"import": {"json": "base/lib/python3.12/json/__init__.py"}}


def test_a_namespace_that_several_distributions_share_is_none_of_them(tmp_path: Path) -> None:
    lay(tmp_path, {".git/HEAD": "", "requirements.txt": "one==1.0\ntwo==2.0\n"})
    environment = lay_environment(tmp_path / ".venv")
    lay_distribution(environment, "one", "1.0", {"shared/one/__init__.py": ""})
    lay_distribution(environment, "two", "2.0", {"shared/two/__init__.py": ""})
    project = project_at(tmp_path)

    with pytest.raises(AmbiguousNameError) as raised:
        project.locate("shared")

    assert str(raised.value) == (
        "'shared' is a namespace of one, two. Ask for one of them, or for an import name such as shared.one"
    )
    assert project.locate("shared.two").to_dict()["name"] == "two"

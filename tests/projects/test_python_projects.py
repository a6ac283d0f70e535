"""Python projects: names and import names, environments and their markers, manifests, includes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from node_trees import lay
from project_samples import Short, lay_sample, project_at, short
from python_trees import lay_distribution, lay_environment

if TYPE_CHECKING:
    from pathlib import Path

YAML = {"yaml/__init__.py": "", "yaml/cyaml.py": "", "_yaml/__init__.py": ""}


def lay_pinned(folder: Path, requirements: str, pyproject: str = "") -> Path:
    """A repo with pinned requirements and an empty environment; returns the site-packages."""
    tree = {".git/HEAD": "", "requirements.txt": requirements}
    if pyproject:
        tree["pyproject.toml"] = pyproject
    lay(folder, tree)
    return lay_environment(folder / ".venv")


def test_a_distribution_is_found_in_any_spelling(tmp_path: Path) -> None:
    site = lay_pinned(tmp_path, "zope.interface==6.1\n")
    lay_distribution(site, "zope.interface", "6.1", {"zope/interface/__init__.py": ""})
    for query in ("zope.interface", "zope-interface", "Zope_Interface", "pypi:ZOPE.interface"):
        assert short(project_at(tmp_path).resolve(query)) == [Short("zope-interface", "6.1", "agree")], query


@pytest.mark.parametrize("query", ["yaml", "yaml.cyaml", "PyYAML", "pyyaml", "_yaml"])
def test_an_import_name_leads_to_its_distribution_by_what_is_installed(tmp_path: Path, query: str) -> None:
    lay_distribution(lay_pinned(tmp_path, "PyYAML==6.0.2\n"), "PyYAML", "6.0.2", YAML)
    (found,) = project_at(tmp_path).resolve(query)
    assert (found.query, found.name, found.version, found.state) == (query, "pyyaml", "6.0.2", "agree")


def test_without_anything_installed_an_import_name_is_not_guessed(tmp_path: Path) -> None:
    lay(tmp_path, {".git/HEAD": "", "requirements.txt": "PyYAML==6.0.2\nrequests==2.31.0\n"})
    project = project_at(tmp_path)
    assert project.resolve("yaml") == ()
    assert short(project.resolve("requests.sessions")) == [Short("requests", "2.31.0", "not-installed")]


def test_a_name_that_is_both_a_distribution_and_anothers_module_has_both(tmp_path: Path) -> None:
    site = lay_pinned(tmp_path, "PyJWT==2.8.0\njwt==1.3.1\n")
    lay_distribution(site, "PyJWT", "2.8.0", {"jwt/__init__.py": "", "jwt/api_jwt.py": ""})
    assert {(each.name, each.state) for each in project_at(tmp_path).resolve("jwt")} == {
        ("pyjwt", "agree"),
        ("jwt", "not-installed"),
    }


def test_equal_versions_in_other_words_agree(tmp_path: Path) -> None:
    lay_distribution(lay_pinned(tmp_path, "six==1.16\n"), "six", "1.16.0")
    assert short(project_at(tmp_path).resolve("six")) == [Short("six", "1.16.0", "agree")]


def test_a_local_version_is_another_version(tmp_path: Path) -> None:
    lay_distribution(lay_pinned(tmp_path, "torch==2.1.0\n"), "torch", "2.1.0+cpu")
    (found,) = project_at(tmp_path).resolve("torch")
    assert (found.version, found.locked_version, found.state) == ("2.1.0+cpu", "2.1.0", "disagree")
    assert found.decided_by.file.endswith("torch-2.1.0+cpu.dist-info/METADATA")
    assert found.decided_by.line == 3


def test_a_range_that_is_installed_is_not_locked(tmp_path: Path) -> None:
    lay_distribution(lay_pinned(tmp_path, "six>=1\nidna\n"), "six", "1.16.0")
    project = project_at(tmp_path)
    (found,) = project.resolve("six")
    assert (found.version, found.locked_version, found.state, found.requirement) == (
        "1.16.0",
        None,
        "not-locked",
        ">=1",
    )
    assert found.notes == ("requirements.txt:1 names it and states no version",)
    assert project.resolve("idna") == ()
    assert [(each.name, each.reason) for each in project.skipped] == [
        ("six", "a range, not a version: >=1"),
        ("idna", "no version is stated"),
    ]


FORKS = "numpy==1.26.4 ; python_version < '3.10'\nnumpy==2.1.0 ; python_version >= '3.10'\n"


@pytest.mark.parametrize(("python", "version"), [("3.9.18", "1.26.4"), ("3.12.1", "2.1.0")])
def test_of_several_forks_the_one_for_the_environments_python_is_answered(
    tmp_path: Path, python: str, version: str
) -> None:
    lay(tmp_path, {".git/HEAD": "", "requirements.txt": FORKS})
    lay_environment(tmp_path / ".venv", python)
    (found,) = project_at(tmp_path).resolve("numpy")
    assert (found.version, found.state) == (version, "not-installed")
    assert found.marker is not None
    assert len(found.other_versions) == 1


def test_without_an_environment_all_forks_are_listed_and_no_marker_is_evaluated(tmp_path: Path) -> None:
    lay(tmp_path, {".git/HEAD": "", "requirements.txt": FORKS + "pywin32==306 ; sys_platform == 'win32'\n"})
    project = project_at(tmp_path)
    assert short(project.resolve("numpy")) == [
        Short("numpy", "1.26.4", "not-installed"),
        Short("numpy", "2.1.0", "not-installed"),
    ]
    (other,) = project.resolve("pywin32")
    assert (other.state, other.notes) == (
        "not-installed",
        ("no environment was found, so its marker was not evaluated",),
    )


def test_a_marker_that_does_not_hold_is_another_platform(tmp_path: Path) -> None:
    lay_pinned(tmp_path, "pywin32==306 ; sys_platform == 'nothing'\n")
    (found,) = project_at(tmp_path).resolve("pywin32")
    assert (found.version, found.state) == ("306", "not-for-this-platform")
    assert found.notes == ("its marker does not hold in the environment: sys_platform == 'nothing'",)


def test_a_marker_that_cannot_be_read_is_taken_to_hold(tmp_path: Path) -> None:
    lock = (
        '[[package]]\nname = "six"\nversion = "1.16.0"\nmarkers = "nonsense ~~ 1"\n\n[metadata]\nlock-version = "2.1"\n'
    )
    lay(tmp_path, {".git/HEAD": "", "poetry.lock": lock})
    lay_environment(tmp_path / ".venv")
    assert short(project_at(tmp_path).resolve("six")) == [Short("six", "1.16.0", "not-installed")]


MANIFESTS = {
    "pyproject.toml": (
        "[project]\nname = 'app'\ndependencies = ['Six>=1']\n"
        "[project.optional-dependencies]\nfast = ['ujson']\n"
        "[dependency-groups]\ntest = ['pytest', {include-group = 'lint'}]\nlint = ['ruff']\n"
        "[tool.pdm.dev-dependencies]\npdmdev = ['tox']\n"
    ),
    "Pipfile": "[packages]\nflask = '*'\n[dev-packages]\nblack = {version = '*'}\n[docs]\nsphinx = '*'\n",
    "setup.cfg": "[options]\ninstall_requires =\n    attrs>=20\n    # a comment\n    idna; python_version>'3'\n[options.extras_require]\nx = certifi\n",
    "requirements.in": "click\n",
}
GROUPS = {
    "six": ("main",),
    "ujson": ("extra:fast",),
    "pytest": ("test",),
    "ruff": ("test", "lint"),
    "tox": ("pdmdev",),
    "flask": ("default",),
    "black": ("develop",),
    "sphinx": ("docs",),
    "attrs": ("main",),
    "idna": ("main",),
    "certifi": ("extra:x",),
    "click": ("main",),
}


def test_manifests_say_what_is_direct_where_the_lockfile_does_not(tmp_path: Path) -> None:
    pins = "".join(f"{name}==1.0\n" for name in (*GROUPS, "transitive"))
    lay(tmp_path, {".git/HEAD": "", "requirements.txt": pins, **MANIFESTS})
    project = project_at(tmp_path)
    found = {name: project.resolve(name)[0] for name in (*GROUPS, "transitive")}
    assert {name: each.groups for name, each in found.items() if each.direct} == GROUPS
    assert found["transitive"].direct is False
    assert {each.name for each in project.resolutions()} == set(GROUPS)


def test_a_bare_list_of_pins_does_not_say_what_is_direct(tmp_path: Path) -> None:
    lay(tmp_path, {".git/HEAD": "", "requirements.txt": "six==1.16.0\n"})
    (found,) = project_at(tmp_path).resolve("six")
    assert (found.direct, found.requirement) == (None, "==1.16.0")


@pytest.mark.parametrize("sample", ["poetry", "pipenv"])
def test_groups_and_ways_come_from_manifest_and_lockfile(tmp_path: Path, sample: str) -> None:
    project = project_at(lay_sample(tmp_path, sample))
    main, dev = ("main", "dev") if sample == "poetry" else ("default", "develop")
    (requests,) = project.resolve("requests")
    assert (requests.version, requests.direct, requests.groups) == ("2.31.0", True, (main,))
    (pytest_,) = project.resolve("pytest")
    assert (pytest_.direct, pytest_.groups) == (True, (dev,))
    (socks,) = project.resolve("pysocks")
    assert (socks.version, socks.direct) == ("1.7.1", False)


def test_an_extra_that_the_manifest_asks_for_is_followed(tmp_path: Path) -> None:
    (found,) = project_at(lay_sample(tmp_path, "poetry")).resolve("pysocks")
    assert found.decided_by.rule == "reached through requests; locked as pysocks==1.7.1"


def test_each_member_of_a_uv_workspace_gets_its_own(tmp_path: Path) -> None:
    repo = lay_sample(tmp_path, "uv-workspace")
    a, b = project_at(repo / "packages" / "a"), project_at(repo / "packages" / "b")
    assert short(a.resolve("requests")) == [Short("requests", "2.31.0", "not-installed")]
    assert a.resolve("requests")[0].direct is True
    assert b.resolve("requests") == ()
    assert short(b.resolve("zope.interface")) == [Short("zope-interface", "6.1", "not-installed")]
    assert [each.decided_by.rule for each in project_at(repo).resolve("pysocks")] == [
        "reached through pkg-a > requests; locked as pysocks==1.7.1"
    ]
    (member,) = project_at(repo).resolve("pkg-b", importer="packages/a")
    assert member.source is not None
    assert (member.version, member.source.kind, member.source.path) == ("2.0.0", "workspace", "packages/b")


def test_a_shared_environment_shows_a_member_what_is_there_for_others(tmp_path: Path) -> None:
    repo = lay_sample(tmp_path, "uv-workspace")
    lay_distribution(lay_environment(repo / ".venv"), "requests", "2.31.0")
    (found,) = project_at(repo / "packages" / "b").resolve("requests")
    assert (found.version, found.state, found.direct) == ("2.31.0", "agree", False)
    assert found.notes == ("not declared by packages/b; it sees a copy that is there for others",)


def test_included_requirements_are_followed_inside_the_root_each_once(tmp_path: Path) -> None:
    tree = {
        "outside.txt": "evil==1.0\n",
        "repo/.git/HEAD": "",
        "repo/requirements.txt": "-r more/base.pip\n-r missing.txt\n-r https://host.example/x.txt\nrequests\n-c limits.txt\n",
        "repo/more/base.pip": "six==1.16.0\n-r ../requirements.txt\n-r base.pip\n-r ../../outside.txt\n-r link.txt\n",
        "repo/more/link.txt": {"link": "../../outside.txt"},
        "repo/limits.txt": "requests==2.31.0\nurllib3==2.0.7\nunused==1.0\n",
    }
    lay(tmp_path, tree)
    repo = tmp_path / "repo"
    lay_distribution(lay_environment(repo / ".venv"), "urllib3", "2.0.7")
    project = project_at(repo)
    assert short(project.resolve("six")) == [Short("six", "1.16.0", "not-installed")]
    (constrained,) = project.resolve("requests")
    assert (constrained.version, constrained.decided_by.file) == ("2.31.0", "limits.txt")
    assert short(project.resolve("urllib3")) == [Short("urllib3", "2.0.7", "agree")]
    assert project.resolve("unused") == ()
    assert project.resolve("evil") == ()
    reasons = {each.name: each.reason for each in project.skipped if "included" in each.reason}
    assert reasons == {
        "missing.txt": "included by requirements.txt: missing.txt: no such file",
        "https://host.example/x.txt": "included by requirements.txt: an address, which is not fetched",
        "../../outside.txt": "included by more/base.pip: outside the project",
        "link.txt": "included by more/base.pip: outside the project",
    }


def test_a_chain_of_a_thousand_includes_ends(tmp_path: Path) -> None:
    tree = {f"r{number}.txt": f"-r r{number + 1}.txt\np{number}==1.0\n" for number in range(1000)}
    lay(tmp_path, {".git/HEAD": "", "requirements.txt": "-r r0.txt\n", **tree})
    project = project_at(tmp_path)
    assert short(project.resolve("p100")) == [Short("p100", "1.0", "not-installed")]
    assert project.resolve("p500") == ()
    assert any(each.reason == "more than 200 files are included" for each in project.skipped)


def test_git_and_editable_requirements_are_locked_by_their_source(tmp_path: Path) -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    pins = f"tool @ git+https://user:secret@git.example/tool@{commit}\n-e ./libs/mine#egg=mine\n"
    lay(tmp_path, {".git/HEAD": "", "requirements.txt": pins})
    lay_distribution(lay_environment(tmp_path / ".venv"), "tool", "1.2.0")
    (found,) = project_at(tmp_path).resolve("tool")
    assert (found.version, found.locked_version, found.state) == ("1.2.0", None, "agree")
    assert found.source is not None
    assert (found.source.kind, found.source.ref) == ("git", commit)
    assert "secret" not in str(found.to_dict())


def test_the_own_environment_of_briefkit_is_not_the_projects(tmp_path: Path) -> None:
    import sys

    lay(tmp_path, {".git/HEAD": "", "requirements.txt": "six==1.16.0\n"})
    project = project_at(tmp_path)
    assert project.environment is None or os.path.realpath(project.environment.path) != os.path.realpath(sys.prefix)


def test_a_name_in_both_ecosystems_is_listed_for_both(tmp_path: Path) -> None:
    import json

    lock = json.dumps({"lockfileVersion": 3, "packages": {"": {}, "node_modules/redis": {"version": "4.0.0"}}})
    tree = {
        ".git/HEAD": "",
        "package.json": {"name": "app"},
        "package-lock.json": lock,
        "requirements.txt": "redis==5.0.0\n",
    }
    lay(tmp_path, tree)
    project = project_at(tmp_path)
    both = [("npm", "4.0.0"), ("pypi", "5.0.0")]
    assert [(each.ecosystem, each.version) for each in project.resolve("redis")] == both
    assert [(each.ecosystem, each.version) for each in project.resolve("npm:redis")] == both[:1]
    assert [(each.ecosystem, each.version) for each in project.resolve("redis", ecosystem="pypi")] == both[1:]


def test_an_environment_without_any_manifest_is_answered_from(tmp_path: Path) -> None:
    lay(tmp_path, {".git/HEAD": ""})
    lay_distribution(lay_environment(tmp_path / ".venv"), "six", "1.16.0")
    assert short(project_at(tmp_path).resolve("six")) == [Short("six", "1.16.0", "not-locked")]


@pytest.mark.parametrize(
    "marker",
    [
        "'dev' in dependency_groups",
        "'web' in extras or 'all' in extras",
        "extra == 'web'",
        "extra == 'a' and sys_platform != 'nothing'",
        "extra != 'a'",
    ],
)
def test_a_marker_that_some_choice_of_extras_and_groups_makes_hold_excludes_nothing(
    tmp_path: Path, marker: str
) -> None:
    lock = (
        f'lock-version = "1.0"\ncreated-by = "x"\n[[packages]]\nname = "six"\nversion = "1.16.0"\nmarker = "{marker}"\n'
    )
    lay(tmp_path, {".git/HEAD": "", "pylock.toml": lock})
    lay_environment(tmp_path / ".venv")
    assert short(project_at(tmp_path).resolve("six")) == [Short("six", "1.16.0", "not-installed")]


def test_of_several_versions_the_one_that_a_constraint_of_the_manifest_allows_is_its_own(tmp_path: Path) -> None:
    lock = (
        '[[package]]\nname = "six"\nversion = "1.15.0"\n\n[[package]]\nname = "six"\nversion = "1.16.0"\n\n'
        '[metadata]\nlock-version = "2.1"\n'
    )
    for constraint, version in (("^1.16", "1.16.0"), ("<1.16", "1.15.0")):
        pyproject = f"[tool.poetry.dependencies]\nsix = '{constraint}'\n"
        repo = tmp_path / version
        repo.mkdir()
        lay(repo, {".git/HEAD": "", "poetry.lock": lock, "pyproject.toml": pyproject})
        assert [each.version for each in project_at(repo).resolve("six")] == [version]


_CONFLICTING_EXTRAS = """\
version = 1
revision = 3
requires-python = ">=3.11"
conflicts = [[
    { package = "app", extra = "a" },
    { package = "app", extra = "b" },
]]

[[package]]
name = "app"
version = "0.1"
source = { virtual = "." }

[package.optional-dependencies]
a = [
    { name = "toolz", version = "0.12.0", source = { registry = "https://index.example/simple" } },
]
b = [
    { name = "toolz", version = "1.0.0", source = { registry = "https://index.example/simple" } },
]

[[package]]
name = "toolz"
version = "0.12.0"
source = { registry = "https://index.example/simple" }

[[package]]
name = "toolz"
version = "1.0.0"
source = { registry = "https://index.example/simple" }
"""


def _lay_conflicting_extras(folder: Path) -> None:
    lay(
        folder,
        {
            ".git/HEAD": "",
            "pyproject.toml": '[project]\nname = "app"\nversion = "0.1"\n'
            '[project.optional-dependencies]\na = ["toolz==0.12.0"]\nb = ["toolz==1.0.0"]\n',
            "uv.lock": _CONFLICTING_EXTRAS,
        },
    )
    lay_distribution(lay_environment(folder / ".venv", "3.11.7"), "toolz", "1.0.0")


def test_of_conflicting_forks_the_one_that_is_installed_agrees_and_the_other_is_not_installed(tmp_path: Path) -> None:
    _lay_conflicting_extras(tmp_path)

    found = project_at(tmp_path).resolve("toolz")

    assert [(each.version, each.state, each.installed_version, each.groups) for each in found] == [
        ("0.12.0", "not-installed", None, ("extra:a",)),
        ("1.0.0", "agree", "1.0.0", ("extra:b",)),
    ]
    assert found[0].notes == ("the environment has another fork of it: 1.0.0",)
    assert [(each.version, each.state) for each in project_at(tmp_path).resolutions(everything=True)] == [
        ("0.12.0", "not-installed"),
        ("1.0.0", "agree"),
    ]


def test_the_project_itself_is_known_by_its_name(tmp_path: Path) -> None:
    _lay_conflicting_extras(tmp_path)

    (found,) = project_at(tmp_path).resolve("app")

    assert (found.name, found.version, found.state, found.source.kind if found.source else None) == (
        "app",
        "0.1",
        "not-installed",
        "workspace",
    )
    assert (found.decided_by.file, found.decided_by.line) == ("uv.lock", 9)
    assert found.notes == ("it is a project of this repo, in .",)

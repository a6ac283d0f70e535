"""One workspace, locked by each manager of npm's world: the same questions, the same answers.

The samples were written by the managers from the manifests beside them; no tree is laid, so all is `not-installed`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from project_samples import lay_sample, project_at, versions

from briefkit.errors import UnknownImporterError

if TYPE_CHECKING:
    from pathlib import Path

MANAGERS = ("npm", "pnpm", "yarn-berry", "yarn-classic", "bun")

# member -> what it declares -> (real name, version)
DECLARED: dict[str, dict[str, tuple[str, str]]] = {
    ".": {
        "ms": ("ms", "1.0.0"),
        "debug": ("debug", "4.4.3"),
        "lodash3": ("lodash", "3.10.1"),
        "typescript": ("typescript", "5.4.5"),
    },
    "packages/a": {"ms": ("ms", "2.0.0"), "lodash": ("lodash", "4.17.20"), "fsevents": ("fsevents", "2.3.3")},
    "packages/b": {"react": ("react", "17.0.2"), "rxjs": ("rxjs", "7.8.2"), "mkdirp": ("mkdirp", "0.5.6")},
}
OTHERS = {"ms": {"1.0.0": ["."], "2.0.0": ["packages/a"], "2.1.3": ["debug@4.4.3"]}}


@pytest.fixture(params=MANAGERS)
def repo(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return lay_sample(tmp_path, f"workspace/{request.param}")


def test_each_member_gets_what_it_declares(repo: Path) -> None:
    for member, declared in DECLARED.items():
        for name, expected in declared.items():
            resolutions = project_at(repo / member).resolve(name)
            assert versions(resolutions) == {expected}, (member, name)
            assert [each.importer for each in resolutions] == [member]
            assert all(each.direct for each in resolutions)


def test_a_member_named_from_the_root_gets_the_same(repo: Path) -> None:
    project = project_at(repo)
    for member, declared in DECLARED.items():
        for name, expected in declared.items():
            assert versions(project.resolve(name, importer=member)) == {expected}, (member, name)


def test_a_member_that_is_not_on_this_disk_is_answered_for_where_the_lockfile_names_it(tmp_path: Path) -> None:
    for manager in ("npm", "pnpm", "yarn-berry", "bun"):
        repo = lay_sample(tmp_path / manager, f"workspace/{manager}")
        for name in ("packages/a/package.json", "packages/b/package.json"):
            (repo / name).unlink()
        assert versions(project_at(repo).resolve("ms", importer="packages/a")) == {("ms", "2.0.0")}, manager


def test_an_alias_is_answered_under_both_names(repo: Path) -> None:
    (alias,) = project_at(repo).resolve("lodash3")
    assert (alias.name, alias.alias, alias.version, alias.direct) == ("lodash", "lodash3", "3.10.1", True)
    real = project_at(repo).resolve("lodash")
    assert ("lodash", "lodash3", "3.10.1") in {(each.name, each.alias, each.version) for each in real}


def test_the_other_versions_are_listed_with_who_uses_them(repo: Path) -> None:
    for member, chosen in ((".", "1.0.0"), ("packages/a", "2.0.0")):
        (found,) = project_at(repo / member).resolve("ms")
        others = {other.version: list(other.used_by) for other in found.other_versions}
        assert others == {version: users for version, users in OTHERS["ms"].items() if version != chosen}


def test_a_transitive_name_is_reached_with_the_way_to_it(repo: Path) -> None:
    (found,) = project_at(repo / "packages" / "b").resolve("minimist")
    assert (found.version, found.direct, found.groups) == ("1.2.8", False, ("prod",))
    assert "mkdirp" in found.decided_by.rule


def test_a_sub_path_asks_for_its_package(repo: Path) -> None:
    (found,) = project_at(repo / "packages" / "b").resolve("rxjs/operators")
    assert (found.query, found.name, found.version) == ("rxjs/operators", "rxjs", "7.8.2")


def test_a_sibling_is_a_link_of_the_workspace(repo: Path) -> None:
    (found,) = project_at(repo / "packages" / "a").resolve("@w/b")
    assert (found.name, found.version) == ("@w/b", "2.0.0") or found.version is None
    assert found.source is not None
    assert (found.source.kind, found.source.path) == ("workspace", "packages/b")


def test_the_group_is_the_manifests(repo: Path) -> None:
    groups = {name: project_at(repo).resolve(name)[0].groups for name in ("typescript", "ms")}
    assert groups == {"typescript": ("dev",), "ms": ("prod",)}
    (optional,) = project_at(repo / "packages" / "a").resolve("fsevents")
    assert optional.groups == ("optional",)


def test_the_proof_is_a_line_of_the_lockfile_that_names_the_package(repo: Path) -> None:
    for member, declared in DECLARED.items():
        for name, (real, version) in declared.items():
            (found,) = project_at(repo / member).resolve(name)
            lines = (repo / found.decided_by.file).read_text(encoding="utf-8").split("\n")
            entry = "\n".join(lines[found.decided_by.line - 1 :][:3])
            assert real in entry or name in entry, (member, name)
            assert version in entry, (member, name)


def test_an_unknown_member_is_refused_with_the_known_ones(repo: Path) -> None:
    with pytest.raises(UnknownImporterError) as caught:
        project_at(repo).resolve("ms", importer="packages/zzz")
    assert str(caught.value).startswith("no member 'packages/zzz'. Known: ., ")
    assert "packages/a, packages/b" in str(caught.value)


def test_without_a_name_all_that_is_declared_is_listed(repo: Path) -> None:
    listed = {each.alias or each.name for each in project_at(repo).resolutions()}
    assert listed == {"ms", "debug", "lodash3", "typescript"}


def test_everything_lists_what_is_reached_too(repo: Path) -> None:
    listed = {(each.name, each.version) for each in project_at(repo).resolutions(everything=True)}
    assert {
        ("minimist", "1.2.8"),
        ("ms", "1.0.0"),
        ("ms", "2.1.3"),
        ("lodash", "3.10.1"),
        ("lodash", "4.17.20"),
    } <= listed


@pytest.mark.parametrize("manager", ["npm", "pnpm", "yarn-berry", "bun"])
def test_what_is_only_for_another_platform_says_so(tmp_path: Path, manager: str) -> None:
    repo = lay_sample(tmp_path, f"workspace/{manager}")
    (found,) = project_at(repo / "packages" / "a").resolve("@esbuild/darwin-arm64")
    assert found.version == "0.21.5"
    assert found.state in ("not-for-this-platform", "not-installed")
    assert found.state == "not-installed" or "darwin" in " ".join(found.notes)


def test_a_member_that_no_tree_links_to_is_itself(repo: Path) -> None:
    (found,) = project_at(repo / "packages/b").resolve("@w/b")
    assert (found.version, found.installed_version, found.state, found.source and found.source.kind) == (
        "2.0.0",
        "2.0.0",
        "agree",
        "workspace",
    )
    assert found.installed is not None
    assert found.installed.root == "packages/b"

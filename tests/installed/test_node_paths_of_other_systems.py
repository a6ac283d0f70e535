"""Windows and macOS: the same rules on their shapes of paths, asked of the functions that read paths, with `ntpath` in place of `posixpath`."""

from __future__ import annotations

import ntpath
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from briefkit import paths
from briefkit.installed import node_description, node_layout, node_listing, node_members, node_modules, plug_n_play
from briefkit.installed.node_tree import within
from briefkit.packages import Installed

if TYPE_CHECKING:
    from collections.abc import Iterator

WINDOWS = SimpleNamespace(sep="\\", path=ntpath)


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for module in (paths, node_description, node_layout, node_listing, node_members, node_modules, plug_n_play):
        monkeypatch.setattr(module, "os", WINDOWS)
    yield
    monkeypatch.undo()


@pytest.mark.usefixtures("windows")
def test_the_walk_up_ends_at_the_drive_or_the_share() -> None:
    assert list(node_layout.ancestors("C:\\repo\\packages\\a"))[-2:] == ["C:\\repo", "C:\\"]
    assert list(node_layout.ancestors("\\\\host\\share\\repo"))[-1] == "\\\\host\\share\\"
    assert list(node_layout.ancestors("C:\\repo\\packages\\a", "C:\\repo"))[-1] == "C:\\repo"


@pytest.mark.usefixtures("windows")
def test_what_is_within_a_folder_is_told_by_whole_parts() -> None:
    assert paths.is_within("C:\\repo\\node_modules\\x", "C:\\repo")
    assert not paths.is_within("C:\\repo-other\\x", "C:\\repo")
    assert not paths.is_within("D:\\repo\\x", "C:\\repo")


@pytest.mark.usefixtures("windows")
def test_a_package_in_a_store_has_its_dependencies_as_neighbours_and_is_seen_from_the_folder_above() -> None:
    real = "C:\\r\\node_modules\\.pnpm\\@s+x@1.0.0\\node_modules\\@s\\x"
    assert node_listing._tree_around(real) == "C:\\r\\node_modules\\.pnpm\\@s+x@1.0.0\\node_modules"
    assert node_listing._tree_around("C:\\r\\packages\\a") is None
    linked = Installed("npm", "@s/x", "1.0.0", real, link="C:\\r\\node_modules\\@s\\x")
    assert node_description.where_linked(linked) == "C:\\r"


def test_kinds_are_told_by_store_folders_with_either_slash() -> None:
    for path in (
        "C:\\r\\node_modules\\.pnpm\\x@file+libs+x\\node_modules\\x",
        "/r/node_modules/.pnpm/x@file+libs+x/node_modules/x",
    ):
        found = node_modules._STORE_FOLDER.search(path)
        assert found is not None
        assert found.group(1) == "x@file+libs+x"


@pytest.mark.usefixtures("windows")
def test_places_of_plug_n_play_are_compared_with_plain_slashes() -> None:
    for asked in ("C:\\p\\.yarn\\cache\\x.zip!\\node_modules\\x", "C:\\p\\.yarn\\cache\\x.zip\\node_modules\\x\\"):
        assert plug_n_play._plain(asked.replace("!\\", "!/")) == "C:/p/.yarn/cache/x.zip/node_modules/x"
    found = plug_n_play.devirtualised("C:/p/.yarn/__virtual__/x-virtual-ab12/3/Users/u/cache/x.zip/n")
    assert found == "C:/Users/u/cache/x.zip/n"


@pytest.mark.parametrize(
    "text", ["C:\\x.js", "C:/x.js", "c:x.js", "\\\\host\\share\\x.js", "lib\\..\\..\\x.js", "//host/x.js"]
)
def test_a_manifest_s_path_with_a_drive_a_share_or_backslashes_is_refused_on_every_system(text: str) -> None:
    assert within("lib", text) is None
    assert within(text) is None


@pytest.mark.usefixtures("windows")
def test_members_match_patterns_whatever_the_separator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_members, "_patterns", lambda _root: ["packages/*", "apps/**", "!apps/old"])
    asked = ["packages\\a", "packages\\a\\b", "apps\\x\\y", "apps\\old", "libs\\a"]
    assert [node_members.is_member(f"C:\\r\\{path}", "C:\\r") for path in asked] == [True, False, True, False, False]

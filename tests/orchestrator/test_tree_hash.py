"""What a run wrote is named, in a git checkout and outside one, and nothing of the repo's own git settings runs."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from briefkit.orchestrator.tree_hash import changed, tree_hashes

if TYPE_CHECKING:
    from pathlib import Path


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def lay(folder: Path) -> None:
    (folder / "src").mkdir()
    (folder / "src" / "a.py").write_text("1", encoding="utf-8")
    (folder / "ignored.log").write_text("1", encoding="utf-8")
    (folder / ".gitignore").write_text("*.log\n", encoding="utf-8")
    (folder / "state").mkdir()


def test_writes_additions_removals_modes_and_links_are_seen_and_state_and_ignored_files_are_not(tmp_path: Path) -> None:
    lay(tmp_path)
    (tmp_path / "gone.py").write_text("1", encoding="utf-8")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    before = tree_hashes(str(tmp_path), str(tmp_path / "state"))
    (tmp_path / "src" / "a.py").write_text("2", encoding="utf-8")
    (tmp_path / "new.py").write_text("1", encoding="utf-8")
    (tmp_path / "link").symlink_to("new.py")
    (tmp_path / "gone.py").unlink()
    (tmp_path / ".gitignore").chmod(0o755)
    (tmp_path / "ignored.log").write_text("2", encoding="utf-8")
    (tmp_path / "state" / "x.md").write_text("1", encoding="utf-8")
    after = tree_hashes(str(tmp_path), str(tmp_path / "state"))
    assert changed(before, after) == (".gitignore", "gone.py", "link", "new.py", "src/a.py")


def test_outside_a_checkout_all_but_installed_and_hidden_folders_count(tmp_path: Path) -> None:
    lay(tmp_path)
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "x.js").write_text("1", encoding="utf-8")
    assert sorted(tree_hashes(str(tmp_path), str(tmp_path / "state"))) == [".gitignore", "ignored.log", "src/a.py"]


def test_a_file_system_monitor_of_the_repo_is_not_started(tmp_path: Path) -> None:
    lay(tmp_path)
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "core.fsmonitor", f"touch {tmp_path}/canary; false")
    tree_hashes(str(tmp_path), str(tmp_path / "state"))
    assert not (tmp_path / "canary").exists()

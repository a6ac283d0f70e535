"""Settings: the strongest source wins, each says where it came from, and a repo may set only what cannot reach out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from briefkit.errors import BriefkitError
from briefkit.settings import cache_directory, load_settings

if TYPE_CHECKING:
    from pathlib import Path


def settings_of(repo: Path, **environ: str) -> dict[str, tuple[object, str]]:
    loaded = load_settings(str(repo), environ={"XDG_CONFIG_HOME": str(repo / "user"), **environ})
    return {name: (value.value, value.origin) for name, value in loaded.values.items()}


def test_flag_beats_environment_beats_repo_beats_user_file_beats_default(tmp_path: Path) -> None:
    user = tmp_path / "user" / "briefkit"
    user.mkdir(parents=True)
    (user / "config.toml").write_text(
        'min_confidence = 0.1\nttl_days = 1\nmax_tokens = 100\nnamespace = "team"\n', encoding="utf-8"
    )
    (tmp_path / "pyproject.toml").write_text(
        "[tool.briefkit]\nmin_confidence = 0.2\nttl_days = 2\nmax_tokens = 200\n", encoding="utf-8"
    )
    (tmp_path / "briefkit.toml").write_text("min_confidence = 0.3\nttl_days = 3\n", encoding="utf-8")
    environ = {"XDG_CONFIG_HOME": str(tmp_path / "user"), "BRIEFKIT_MIN_CONFIDENCE": "0.4"}
    loaded = load_settings(str(tmp_path), flags={"min_confidence": 0.5, "index": None}, environ=environ).values
    assert {
        name: tuple(loaded[name]) for name in ("min_confidence", "ttl_days", "max_tokens", "namespace", "state_dir")
    } == {
        "min_confidence": (0.5, "flag"),
        "ttl_days": (3.0, "briefkit.toml"),
        "max_tokens": (200, "pyproject.toml"),
        "namespace": ("team", str(user / "config.toml")),
        "state_dir": ("state", "default"),
    }
    assert settings_of(tmp_path, BRIEFKIT_MIN_CONFIDENCE="0.4")["min_confidence"] == (
        0.4,
        "environment BRIEFKIT_MIN_CONFIDENCE",
    )


def test_a_repo_cannot_name_programs_or_the_index(tmp_path: Path) -> None:
    (tmp_path / "briefkit.toml").write_text(
        'index = "redis://elsewhere.example"\nresearcher = "x"\n[agents.x]\nargv = ["touch", "/tmp/x"]\n',
        encoding="utf-8",
    )
    loaded = load_settings(str(tmp_path), environ={"XDG_CONFIG_HOME": str(tmp_path / "user")})
    assert (loaded["index"], loaded["researcher"], loaded.agents) == ("", "source", {})
    assert [line.partition(" is not")[0] for line in loaded.ignored] == [
        "briefkit.toml: 'index'",
        "briefkit.toml: 'researcher'",
        "briefkit.toml: 'agents'",
    ]


BAD = {
    "a word for a number": ("min_confidence = 'high'", "briefkit.toml: 'high' is not a number, in 'min_confidence'"),
    "over one": ("min_confidence = 2", "briefkit.toml: 2.0 is not between 0 and 1, in 'min_confidence'"),
    "nothing": ("ttl_days = 0", "briefkit.toml: 0.0 is not over 0, in 'ttl_days'"),
    "state outside": ("state_dir = '../out'", "briefkit.toml: not a folder inside the repo, in 'state_dir'"),
    "git's own folder as state": (
        "state_dir = 'a/.GIT/x'",
        "briefkit.toml: not a folder for tasks and briefs, in 'state_dir'",
    ),
    "a state that is no path": (
        'state_dir = "a\\u0000b"',
        "briefkit.toml: not a folder for tasks and briefs, in 'state_dir'",
    ),
    "a time without an end": ("verify_timeout_s = inf", "briefkit.toml: inf is not over 0, in 'verify_timeout_s'"),
    "the repo itself as state": ("state_dir = '.'", "briefkit.toml: not a folder inside the repo, in 'state_dir'"),
}


@pytest.mark.parametrize(("text", "message"), BAD.values(), ids=BAD.keys())
def test_a_bad_value_is_an_error_that_names_file_and_key(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "briefkit.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BriefkitError) as raised:
        settings_of(tmp_path)
    assert str(raised.value) == message


def test_a_state_folder_that_is_a_link_out_of_the_repo_is_refused(tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    repo.mkdir()
    (repo / "state").symlink_to(tmp_path)
    with pytest.raises(BriefkitError, match="not a folder inside the repo"):
        settings_of(repo)


def test_an_unknown_key_lists_the_known_ones(tmp_path: Path) -> None:
    (tmp_path / "briefkit.toml").write_text("ttl = 3", encoding="utf-8")
    with pytest.raises(BriefkitError, match=r"^briefkit.toml: no such setting\. Known: min_confidence, .*, in 'ttl'$"):
        settings_of(tmp_path)


def test_the_cache_directory_is_the_platforms_unless_it_is_set(tmp_path: Path) -> None:
    assert cache_directory(environ={"BRIEFKIT_CACHE_DIR": str(tmp_path)}) == str(tmp_path)
    assert cache_directory(environ={"XDG_CACHE_HOME": str(tmp_path)}) == str(tmp_path / "briefkit")

"""Every test gets a cache, a home and an environment of its own: nothing of the machine's user decides an outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

_LEFT_OUT = ("VIRTUAL_ENV", "CONDA_PREFIX", "NODE_PATH", "PIPENV_ACTIVE", "UV_PROJECT_ENVIRONMENT", "FORCE_COLOR")


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh home and cache directory for each test; returns the home."""
    home = tmp_path_factory.mktemp("home")
    for name in _LEFT_OUT:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / ".cache"))
    monkeypatch.setenv("BRIEFKIT_CACHE_DIR", str(home / "briefkit-cache"))
    monkeypatch.setenv("NO_COLOR", "1")
    return home

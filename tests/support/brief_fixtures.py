"""Fixtures of the brief index: a server of each kind for the whole run, an index of each kind for each test."""

from __future__ import annotations

import atexit
import itertools
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from brief_kinds import KINDS, params
from brief_servers import REQUIRED, PostgresqlServer, RedisServer, Server, why_not

if TYPE_CHECKING:
    from collections.abc import Iterator

_SERVERS: dict[str, type[Server]] = {"redis": RedisServer, "postgresql": PostgresqlServer}
_running: dict[str, Server] = {}
_numbers = itertools.count()


def server_of(kind: str) -> Server:
    """The running server of a kind, started at first use; a test without one is skipped, or fails where servers are required."""
    if kind not in _running:
        reason = why_not(_SERVERS[kind])
        if reason is not None:
            (pytest.fail if REQUIRED else pytest.skip)(reason)
        server = _SERVERS[kind]()
        server.start()
        _running[kind] = server
    return _running[kind]


def _end_servers() -> None:
    for server in _running.values():
        server.close()
    _running.clear()


atexit.register(_end_servers)


@pytest.fixture(params=params(*KINDS))
def kind(request: pytest.FixtureRequest) -> str:
    """Each kind of store in turn."""
    return str(request.param)


@pytest.fixture
def url(kind: str, tmp_path: Path) -> str:
    """An empty index of the kind."""
    return url_of(kind, tmp_path)


@pytest.fixture
def quick_folder() -> Iterator[Path]:
    """A folder in memory where there is one: syncing costs nothing there, and the reliability runs use the disk."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="briefkit-test-", dir=memory))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def namespace() -> str:
    """A namespace that no other test uses: servers live as long as the run."""
    return f"t{os.getpid()}_{next(_numbers)}"


def url_of(kind: str, folder: Path) -> str:
    """The URL of an empty store, or of the running server."""
    if kind == "memory":
        return "memory:"
    if kind in _SERVERS:
        return server_of(kind).url  # type: ignore[attr-defined, no-any-return]
    return f"sqlite:{folder}/index/index.db" if kind == "sqlite" else f"{kind}:{folder}/index"

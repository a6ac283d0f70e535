"""Redis and PostgreSQL on loopback, each in a folder of its own, for the tests and benchmarks of the brief index."""

from __future__ import annotations

import contextlib
import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from typing import TYPE_CHECKING

import psycopg
import redis

if TYPE_CHECKING:
    from collections.abc import Sequence

REQUIRED = os.environ.get("BRIEFKIT_REQUIRE_SERVERS") == "1"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """One server process: started, stopped, killed, frozen and begun again at the same port on the same data."""

    def __init__(self) -> None:
        self.port = free_port()
        # not under pytest's folder: the postgres user must be able to enter it
        self.folder = tempfile.mkdtemp(prefix="briefkit-server-")
        self.process: subprocess.Popen[bytes] | None = None

    def command(self) -> Sequence[str]:
        raise NotImplementedError

    def is_up(self) -> bool:
        raise NotImplementedError

    def start(self) -> None:
        self.process = subprocess.Popen(
            self.command(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            start_new_session=True,
        )
        ends = time.monotonic() + 60
        while not self.is_up():
            if time.monotonic() > ends:
                raise RuntimeError(f"{self.command()[0]} did not start")
            time.sleep(0.05)

    def signal(self, number: int) -> None:
        """Send a signal to the server and its children, which PostgreSQL puts in groups of their own."""
        assert self.process is not None
        for pid in (self.process.pid, *_children(self.process.pid)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def kill(self) -> None:
        self.signal(signal.SIGKILL)
        assert self.process is not None
        self.process.wait()

    def close(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.signal(signal.SIGCONT)
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def _children(pid: int) -> list[int]:
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(child) for child in file.read().split()]


class RedisServer(Server):
    """Redis with an append-only file, synced at every write."""

    @staticmethod
    def binary() -> str | None:
        return shutil.which("redis-server") or shutil.which("valkey-server")

    def command(self) -> Sequence[str]:
        binary = self.binary()
        assert binary is not None
        options = (
            f"--port {self.port} --bind 127.0.0.1 --dir {self.folder} --appendonly yes --appendfsync always --save"
        )
        return [binary, *options.split(), "", "--maxmemory-policy", "noeviction"]

    def is_up(self) -> bool:
        try:
            with contextlib.closing(redis.Redis(port=self.port, socket_timeout=1)) as client:
                return bool(client.ping())
        except redis.exceptions.RedisError:
            return False

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"


class PostgresqlServer(Server):
    """PostgreSQL as its own user (it refuses root), trusting loopback."""

    def __init__(self) -> None:
        super().__init__()
        self.data = os.path.join(self.folder, "data")
        os.chmod(self.folder, 0o755)
        self._as_user: list[str] = []
        if os.geteuid() == 0:
            self._as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
            entry = pwd.getpwnam("postgres")
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
        self._run("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "--no-sync")

    @staticmethod
    def binary(name: str = "postgres") -> str | None:
        return shutil.which(name) or next(
            iter(sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), reverse=True)), None
        )

    def _run(self, name: str, *arguments: str) -> None:
        binary = self.binary(name)
        assert binary is not None
        subprocess.run([*self._as_user, binary, *arguments], check=True, capture_output=True, cwd=self.folder)

    def command(self) -> Sequence[str]:
        binary = self.binary()
        assert binary is not None
        options = f"-D {self.data} -p {self.port} -c listen_addresses=127.0.0.1 -k {self.folder} -c max_connections=200"
        return [*self._as_user, binary, *options.split()]

    def is_up(self) -> bool:
        try:
            psycopg.connect(self.url, connect_timeout=2).close()
        except psycopg.Error:
            return False
        return True

    def start(self) -> None:
        # a killed server leaves its lock behind; its children are dead, since they were signalled too
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(self.data, "postmaster.pid"))
        super().start()

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"


def why_not(kind: type[Server]) -> str | None:
    """Why this server cannot run here, or None."""
    binary = kind.binary() if kind in (RedisServer, PostgresqlServer) else None
    return None if binary else f"{kind.__name__}: the server is not installed"

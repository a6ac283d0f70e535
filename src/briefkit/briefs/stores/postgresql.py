"""A shared store on PostgreSQL, through psycopg 3.

A namespace is a schema (`briefkit_NAMESPACE`), so the database's own rights say who reads and who writes it. Expiry of leases
goes by the server's clock. Deadlines are the client's own: a frozen server answers neither a statement timeout nor a
closing connection, so a watchdog shuts the socket.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from typing import TYPE_CHECKING, Any

from briefkit.errors import IndexUnavailableError
from briefkit.text import one_line, public_url

from .deadline import within
from .forking import forget_after_fork, keep_for_ever
from .port import LEASE_LIMIT, Fetched, Health, Lease, Row, StoreFullError, StoreReadOnlyError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from psycopg import Connection

_READ = 1.0
_WRITE = 3.0
_NOW = "extract(epoch from clock_timestamp())::float8"
_COLUMNS = "key, ecosystem, name, version, verified, expires, body"
_TABLES = """
CREATE TABLE IF NOT EXISTS {s}.entry(key text PRIMARY KEY, ecosystem text NOT NULL, name text NOT NULL,
  version text NOT NULL, verified float8 NOT NULL, expires float8 NOT NULL, body bytea NOT NULL);
CREATE INDEX IF NOT EXISTS entry_of ON {s}.entry(ecosystem, name, version, key);
CREATE TABLE IF NOT EXISTS {s}.lease(key text PRIMARY KEY, owner text, token bigint NOT NULL,
  expires float8 NOT NULL, failures int NOT NULL, not_before float8 NOT NULL);
CREATE TABLE IF NOT EXISTS {s}.counter(name text PRIMARY KEY, number bigint NOT NULL);
"""
# The schema is an identifier of `schema_of`, never text of others; all values are parameters.
_ACQUIRE = f"""
INSERT INTO {{s}}.lease AS l VALUES (%(key)s, %(owner)s, 1, {_NOW} + %(ttl)s, 0, 0)
ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, token = l.token + 1, expires = excluded.expires, not_before = 0,
  failures = CASE WHEN abs({_NOW} - l.not_before) < %(limit)s THEN l.failures ELSE 0 END
WHERE (l.owner IS NULL AND NOT (l.not_before - {_NOW} BETWEEN 0 AND %(limit)s))
   OR l.owner = excluded.owner OR (l.owner IS NOT NULL AND NOT (l.expires - {_NOW} BETWEEN 0 AND %(limit)s))
RETURNING token, failures
"""  # noqa: S608
_UPSERT = (
    " ON CONFLICT (key) DO UPDATE SET ecosystem = excluded.ecosystem, name = excluded.name, version = excluded.version,"
    " verified = excluded.verified, expires = excluded.expires, body = excluded.body"
)
_PUT = "INSERT INTO {s}.entry VALUES (%s, %s, %s, %s, %s, %s, %s)" + _UPSERT  # noqa: S608
_COMPLETE = (
    """
WITH mine AS (UPDATE {s}.lease SET owner = NULL, expires = 0, failures = 0, not_before = 0
  WHERE key = %s AND owner = %s AND token = %s RETURNING 1)
INSERT INTO {s}.entry SELECT %s, %s, %s, %s, %s::float8, %s::float8, %s::bytea FROM mine
"""  # noqa: S608
    + _UPSERT
)


class PostgresqlStore:
    """Entries, leases and counters as tables of one schema."""

    shared = True

    def __init__(self, url: str, namespace: str) -> None:
        try:
            import psycopg
        except ImportError:
            raise IndexUnavailableError(
                "the package 'psycopg' is not installed", todo="Install briefkit[postgresql]."
            ) from None
        self._psycopg = psycopg
        self._url = url
        self.shown = one_line(public_url(url), 100)
        self.schema = schema_of(namespace)
        self._open: Connection[Any] | None = None
        self._watch = _Watchdog()
        self._lock = threading.RLock()
        forget_after_fork(self)

    def get(self, key: str) -> Fetched:
        """The bytes under the key, and the server's time, in one round trip."""
        statement = f"SELECT (SELECT body FROM {{s}}.entry WHERE key = %s), {_NOW}"  # noqa: S608
        rows, _ = self._run(statement, (key,), _READ, creates=False)
        return Fetched(rows[0][0], rows[0][1]) if rows else Fetched(None, time.time())

    def put(self, row: Row) -> None:
        """Keep the row."""
        self._run(_PUT, tuple(row), _WRITE)

    def acquire(self, key: str, owner: str, ttl: float) -> Lease:
        """Take the lease where it is free, in one statement."""
        values = {"key": key, "owner": owner, "ttl": ttl, "limit": LEASE_LIMIT}
        for _ in range(3):
            rows, _count = self._run(_ACQUIRE, values, _WRITE)
            if rows:
                return Lease.granted(rows[0][0], owner, ttl, rows[0][1])
            held = self._holder(key)
            if held is not None:
                return held
        return Lease.refused(0, None, 0.1)

    def _holder(self, key: str) -> Lease | None:
        statement = (
            f"SELECT owner, token, expires - {_NOW}, not_before - {_NOW}, failures FROM {{s}}.lease WHERE key = %s"  # noqa: S608
        )
        rows, _ = self._run(statement, (key,), _READ)
        if not rows:
            return None
        owner, token, left, waits, failures = rows[0]
        if owner is None:
            return Lease.refused(token, None, waits, failures, backing_off=True) if waits > 0 else None
        return Lease.refused(token, owner, max(left, 0.0), failures)

    def beat(self, key: str, owner: str, token: int, ttl: float) -> bool:
        """Extend the lease where it is still this owner's."""
        statement = f"UPDATE {{s}}.lease SET expires = {_NOW} + %s WHERE key = %s AND owner = %s AND token = %s"  # noqa: S608
        return self._run(statement, (ttl, key, owner, token), _WRITE)[1] == 1

    def complete(self, key: str, owner: str, token: int, row: Row) -> bool:
        """Give the lease back and keep the row in one statement."""
        return self._run(_COMPLETE, (key, owner, token, *row), _WRITE)[1] == 1

    def fail(self, key: str, owner: str, token: int, backoff: float) -> bool:
        """Give the lease back with nothing."""
        statement = (
            f"UPDATE {{s}}.lease SET owner = NULL, expires = 0, failures = failures + %s, not_before = {_NOW} + %s"  # noqa: S608
            " WHERE key = %s AND owner = %s AND token = %s"
        )
        return self._run(statement, (int(backoff > 0), backoff, key, owner, token), _WRITE)[1] == 1

    def delete(self, key: str) -> bool:
        """Remove the entry."""
        return self._run("DELETE FROM {s}.entry WHERE key = %s", (key,), _WRITE, creates=False)[1] == 1

    def rows(self, ecosystem: str | None = None, name: str | None = None) -> Iterator[Row]:
        """All rows, or those of one package, page by page."""
        last: tuple[str, ...] = ("", "", "", "")
        statement = (
            f"SELECT {_COLUMNS} FROM {{s}}.entry WHERE (ecosystem, name, version, key) > (%s, %s, %s, %s)"  # noqa: S608
            " AND (%s::text IS NULL OR ecosystem = %s) AND (%s::text IS NULL OR name = %s)"
            " ORDER BY ecosystem, name, version, key LIMIT 200"
        )
        while True:
            values = (*last, ecosystem, ecosystem, name, name)
            page, _ = self._run(statement, values, _WRITE, creates=False)
            yield from (Row(*row) for row in page)
            if len(page) < 200:
                return
            last = (page[-1][1], page[-1][2], page[-1][3], page[-1][0])

    def sweep(self, before: float, limit: int = 1000) -> int:
        """Remove entries that expired before this time."""
        statement = "DELETE FROM {s}.entry WHERE key IN (SELECT key FROM {s}.entry WHERE expires < %s LIMIT %s)"
        return max(self._run(statement, (before, limit), _WRITE, creates=False)[1], 0)

    def count(self, counts: Mapping[str, int]) -> None:
        """Add to the counters in one statement."""
        statement = (
            "INSERT INTO {s}.counter AS c SELECT * FROM unnest(%s::text[], %s::bigint[])"
            " ON CONFLICT (name) DO UPDATE SET number = c.number + excluded.number"
        )
        names = sorted(counts)
        self._run(statement, (names, [counts[name] for name in names]), _WRITE)

    def counters(self) -> dict[str, int]:
        """All counters."""
        return dict(self._run("SELECT name, number FROM {s}.counter", (), _READ, creates=False)[0])

    def now(self) -> float:
        """The server's time."""
        return float(self._run(f"SELECT {_NOW}", (), _READ)[0][0][0])

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._drop()

    def forget(self) -> None:
        """Begin anew in a forked child: closing the inherited connection would end the parent's session."""
        self._lock = threading.RLock()
        self._watch = _Watchdog()
        if self._open is not None:
            keep_for_ever(self._open)
            self._open = None

    def health(self) -> Health:
        """The server's version and what keeps its writes."""
        facts = {"schema": self.schema}
        for name in ("server_version", "fsync", "synchronous_commit", "full_page_writes"):
            facts[name] = str(self._run("SELECT current_setting(%s)", (name,), _READ)[0][0][0])
        lasting = ("fsync", "synchronous_commit", "full_page_writes")
        return Health(
            "postgresql",
            facts,
            tuple(f"{name} is off: a crash may lose entries" for name in lasting if facts[name] == "off"),
        )

    # one statement under a deadline

    def _run(
        self,
        statement: str,
        values: Sequence[Any] | Mapping[str, Any],
        seconds: float,
        *,
        creates: bool = True,
    ) -> tuple[list[tuple[Any, ...]], int]:
        """The rows and the row count; a session that the server ended meanwhile is opened once more."""
        errors = self._psycopg.errors
        with self._lock:
            for last in (False, True):
                fresh = self._open is None
                try:
                    return self._execute(statement, values, seconds)
                except (errors.UndefinedTable, errors.InvalidSchemaName) as error:
                    if not creates:
                        return [], 0
                    if last:
                        raise self._failure(error) from None
                    self._create()
                except self._psycopg.OperationalError as error:
                    self._drop()
                    if last or fresh or self._watch.fired or self._dead(error):
                        raise self._failure(error) from None
                except self._psycopg.Error as error:
                    self._drop()
                    raise self._failure(error) from None
        raise AssertionError("unreachable")

    def _dead(self, error: Exception) -> bool:
        """Whether trying again cannot help: the disk is full, too many sessions."""
        return isinstance(error, self._psycopg.errors.DiskFull | self._psycopg.errors.TooManyConnections)

    def _execute(
        self, statement: str, values: Sequence[Any] | Mapping[str, Any], seconds: float
    ) -> tuple[list[tuple[Any, ...]], int]:
        connection = self._connection()
        with self._watch.over(connection, seconds):
            cursor = connection.execute(statement.format(s=self.schema).encode(), values or None)
            return (cursor.fetchall() if cursor.description else []), cursor.rowcount

    def _create(self) -> None:
        """Create schema and tables, one process at a time."""
        try:
            connection = self._connection()
            with self._watch.over(connection, _WRITE), connection.transaction():
                connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (self.schema,))
                found = connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", (self.schema,)).fetchone()
                if found is None:
                    connection.execute(f"CREATE SCHEMA {self.schema}".encode())
                connection.execute(_TABLES.format(s=self.schema).encode())
        except self._psycopg.Error as error:
            self._drop()
            raise self._failure(error) from None

    def _connection(self) -> Connection[Any]:
        if self._open is None:
            self._open = self._connected()
        return self._open

    def _connected(self) -> Connection[Any]:
        """A new session, or an error when the time is up: connecting itself knows no timeout that short."""
        try:
            return within(
                _READ,
                lambda: self._psycopg.connect(self._url, autocommit=True, connect_timeout=3),
                lambda connection: connection.close(),
            )
        except TimeoutError as error:
            raise self._psycopg.OperationalError(str(error)) from None

    def _drop(self) -> None:
        connection, self._open = self._open, None
        if connection is not None:
            with contextlib.suppress(self._psycopg.Error):
                connection.close()

    def _failure(self, error: Exception) -> IndexUnavailableError:
        errors = self._psycopg.errors
        what = f"{self.shown}: {type(error).__name__}: {one_line(str(error).replace(self._url, self.shown), 200)}"
        if isinstance(error, errors.DiskFull):
            return StoreFullError(what)
        if isinstance(error, errors.InsufficientPrivilege | errors.ReadOnlySqlTransaction):
            return StoreReadOnlyError(what)
        return IndexUnavailableError(what)


class _Watchdog:
    """Shuts the socket of a statement that outlives its deadline; one thread, asleep while nothing runs."""

    def __init__(self) -> None:
        self.fired = False
        self._running: tuple[float, Connection[Any]] | None = None
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    @contextlib.contextmanager
    def over(self, connection: Connection[Any], seconds: float) -> Iterator[None]:
        """Watch the block."""
        self.fired = False
        self._running = (time.monotonic() + seconds, connection)
        if self._thread is None:
            self._thread = threading.Thread(target=self._watch, name="briefkit-watchdog", daemon=True)
            self._thread.start()
        if not self._wake.is_set():
            self._wake.set()
        try:
            yield
        finally:
            self._running = None

    def _watch(self) -> None:
        idle = 0
        while True:
            running = self._running
            if running is None:
                idle += 1
                if idle > 20:
                    self._wake.clear()
                    self._wake.wait()
                    idle = 0
            elif time.monotonic() > running[0] and self._running is running:
                idle = 0
                self.fired = True
                self._running = None
                _shut(running[1])
            else:
                idle = 0
            time.sleep(0.1)


def _shut(connection: Connection[Any]) -> None:
    """End the session's socket from outside; the thread that waits on it wakes with an error."""
    with contextlib.suppress(OSError, Exception):
        handle = socket.socket(fileno=os.dup(connection.fileno()))
        try:
            handle.shutdown(socket.SHUT_RDWR)
        finally:
            handle.close()


def schema_of(namespace: str) -> str:
    """The schema of a namespace: `briefkit_NAMESPACE` where that is a plain identifier, else one made of its hash."""
    if (
        namespace.isascii()
        and namespace.replace("_", "a").isalnum()
        and namespace == namespace.lower()
        and len(namespace) <= 40
    ):
        return f"briefkit_{namespace}"
    from hashlib import sha256

    return "briefkit_h" + sha256(namespace.encode("utf-8", "surrogatepass")).hexdigest()[:24]

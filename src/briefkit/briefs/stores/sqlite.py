"""The default store: one SQLite file, from the standard library.

Rollback journal and `synchronous=FULL`: an acknowledged entry survives power loss, readers need no write access, and
SQLite's WAL-reset bug (3.7.0 to 3.51.2, fixed also in 3.44.6 and 3.50.7) cannot strike, since processes with different
SQLite libraries share the file. `?journal=wal` asks for WAL and is refused where the linked library has the bug.

Opening for a read opens read-only and creates nothing. The file is never opened but through SQLite, because closing it
would drop the locks that this process holds on it.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from typing import TYPE_CHECKING, Any, TypeVar

from briefkit.errors import IndexUnavailableError, Place

from .counting import append_counts, read_counts
from .forking import forget_after_fork, keep_for_ever
from .patience import patiently
from .port import (
    LEASE_LIMIT,
    READ_TIMEOUT,
    WRITE_TIMEOUT,
    CorruptIndexError,
    Fetched,
    Health,
    Lease,
    Row,
    StoreBusyError,
    StoreFullError,
    StoreReadOnlyError,
    failures_now,
)
from .sqlite_schema import check_schema, create, has_wal_reset_bug, inode_of, is_sound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_LEASE_OF = "SELECT owner, token, expires, failures, not_before FROM lease WHERE key = ?"
_COLUMNS = "key, ecosystem, name, version, verified, expires, body"

_Outcome = TypeVar("_Outcome")


class SqliteStore:
    """Entries and leases in one file."""

    shared = False

    def __init__(self, path: str, clock: Callable[[], float], *, journal: str = "delete") -> None:
        self.path = os.path.abspath(path)
        self.clock = clock
        self.journal = journal
        self._connection: sqlite3.Connection | None = None
        self._writes = False
        self._inode: tuple[int, int] | None = None
        self._lock = threading.RLock()
        if journal not in ("delete", "wal"):
            raise IndexUnavailableError(f"journal '{journal}' is not known", todo="Use 'delete' or 'wal'.")
        if journal == "wal" and has_wal_reset_bug(sqlite3.sqlite_version_info):
            raise IndexUnavailableError(
                f"SQLite {sqlite3.sqlite_version} can lose writes in WAL mode", todo="Leave the journal at 'delete'."
            )
        forget_after_fork(self)

    # reading

    def get(self, key: str) -> Fetched:
        """The bytes under the key; nothing is created, nothing is written."""
        found = self._locked_read("SELECT body FROM entry WHERE key = ?", (key,))
        return Fetched(_bytes(found[0][0]) if found else None, self.clock())

    def rows(self, ecosystem: str | None = None, name: str | None = None) -> Iterator[Row]:
        """All rows, or those of one package, read page by page so that no lock is held meanwhile."""
        last: tuple[str, ...] = ("", "", "", "")
        while True:
            page = self._locked_read(
                f"SELECT {_COLUMNS} FROM entry WHERE (ecosystem, name, version, key) > (?, ?, ?, ?)"  # noqa: S608
                " AND (?5 IS NULL OR ecosystem = ?5) AND (?6 IS NULL OR name = ?6)"
                " ORDER BY ecosystem, name, version, key LIMIT 200",
                (*last, ecosystem, name),
            )
            for row in page:
                yield _row(row)
            if len(page) < 200:
                return
            last = (page[-1][1], page[-1][2], page[-1][3], page[-1][0])

    def _locked_read(self, statement: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._read(statement, values)

    def _read(self, statement: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        if self._moved():
            self._drop()
        if self._connection is None and not os.path.exists(self.path):
            return []

        def read() -> list[tuple[Any, ...]]:
            reader = self._reader()
            return reader.execute(statement, values).fetchall() if reader else []

        try:
            return patiently(read, READ_TIMEOUT)
        except sqlite3.Error as error:
            self._drop()
            if _needs_recovery(error) and os.access(os.path.dirname(self.path), os.W_OK):
                return self._recovered(statement, values)
            raise self._failure(error) from None

    def _recovered(self, statement: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """Read on a writable connection, which rolls back what a killed writer left half done."""
        try:
            return patiently(lambda: self._writer().execute(statement, values).fetchall(), READ_TIMEOUT)
        except sqlite3.Error as error:
            self._drop()
            raise self._failure(error) from None

    def _reader(self) -> sqlite3.Connection | None:
        """The open connection, else a read-only one; None where the file is still empty."""
        if self._connection is None:
            connection = self._connect("ro")
            try:
                if self._is_empty(connection):
                    connection.close()
                    return None
            except BaseException:
                connection.close()
                raise
            self._connection = connection
            self._writes = False
        return self._connection

    # writing

    def put(self, row: Row) -> None:
        """Keep the row, whatever was there."""
        self._write(lambda connection: _insert(connection, row))

    def delete(self, key: str) -> bool:
        """Remove the entry."""
        statement = "DELETE FROM entry WHERE key = ?"
        return os.path.exists(self.path) and self._change(statement, (key,)) == 1

    def sweep(self, before: float, limit: int = 1000) -> int:
        """Remove entries that expired before this time."""
        statement = "DELETE FROM entry WHERE key IN (SELECT key FROM entry WHERE expires < ? LIMIT ?)"
        return self._change(statement, (before, limit)) if os.path.exists(self.path) else 0

    def acquire(self, key: str, owner: str, ttl: float) -> Lease:
        """Take the lease where it is free; one that is held costs its waiters only a read."""
        held = self._locked_read(_LEASE_OF, (key,))
        if held and (lease := _held(held[0], owner, self.clock())):
            return lease

        def take(connection: sqlite3.Connection) -> Lease:
            held = connection.execute(_LEASE_OF, (key,)).fetchall()
            now = self.clock()
            if held and (lease := _held(held[0], owner, now)):
                return lease
            token = held[0][1] + 1 if held else 1
            failures = failures_now(held[0][3], held[0][4], now) if held else 0
            connection.execute(
                "INSERT OR REPLACE INTO lease VALUES(?, ?, ?, ?, ?, 0)", (key, owner, token, now + ttl, failures)
            )
            return Lease.granted(token, owner, ttl, failures)

        return self._write(take)

    def beat(self, key: str, owner: str, token: int, ttl: float) -> bool:
        """Extend the lease where it is still this owner's."""
        statement = "UPDATE lease SET expires = ? WHERE key = ? AND owner = ? AND token = ?"
        return self._write(
            lambda connection: connection.execute(statement, (self.clock() + ttl, key, owner, token)).rowcount == 1
        )

    def complete(self, key: str, owner: str, token: int, row: Row) -> bool:
        """Give the lease back and keep the row in one transaction."""
        statement = (
            "UPDATE lease SET owner = NULL, expires = 0, failures = 0, not_before = 0"
            " WHERE key = ? AND owner = ? AND token = ?"
        )

        def complete(connection: sqlite3.Connection) -> bool:
            mine = connection.execute(statement, (key, owner, token)).rowcount == 1
            if mine:
                _insert(connection, row)
            return mine

        return self._write(complete)

    def fail(self, key: str, owner: str, token: int, backoff: float) -> bool:
        """Give the lease back with nothing."""
        statement = (
            "UPDATE lease SET owner = NULL, expires = 0, failures = failures + ?, not_before = ?"
            " WHERE key = ? AND owner = ? AND token = ?"
        )
        failed = int(backoff > 0)
        return self._write(
            lambda connection: (
                connection.execute(statement, (failed, self.clock() + backoff, key, owner, token)).rowcount == 1
            )
        )

    def _change(self, statement: str, values: tuple[Any, ...]) -> int:
        """How many rows the statement changed."""
        return self._write(lambda connection: connection.execute(statement, values).rowcount)

    def _write(self, work: Callable[[sqlite3.Connection], _Outcome]) -> _Outcome:
        """The work's outcome, all of it durable; nothing of it where it raises.

        A damaged file is moved aside, and the work begun anew on a new one.
        """
        with self._lock:
            for last in (False, True):
                try:
                    return self._transacted(work)
                except sqlite3.Error as error:
                    failure = self._failure(error)
                except CorruptIndexError as error:
                    failure = error
                failed_on = self._inode
                self._drop()
                if last or not isinstance(failure, CorruptIndexError) or not self._repaired(failed_on):
                    raise failure from None
        raise AssertionError("unreachable")

    def _transacted(self, work: Callable[[sqlite3.Connection], _Outcome]) -> _Outcome:
        connection = patiently(self._begun, WRITE_TIMEOUT)
        try:
            outcome = work(connection)
            patiently(lambda: connection.execute("COMMIT"), WRITE_TIMEOUT)
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise
        return outcome

    def _begun(self) -> sqlite3.Connection:
        connection = self._writer()
        connection.execute("BEGIN IMMEDIATE")
        return connection

    def _repaired(self, failed_on: tuple[int, int] | None) -> bool:
        """Whether another file lies at the path now, because this process or another moved the damaged one aside."""
        from .sqlite_repair import set_aside

        set_aside(self.path, is_sound)
        return inode_of(self.path) != failed_on

    def _writer(self) -> sqlite3.Connection:
        if self._connection is not None and self._writes and not self._moved():
            return self._connection
        self._drop()
        self._prepare_file()
        connection = self._connect("rw")
        try:
            self._set_up(connection)
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        self._writes = True
        return connection

    def _set_up(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA synchronous = FULL")
        # what was removed must be gone from the file too
        connection.execute("PRAGMA secure_delete = ON")
        mode = connection.execute(f"PRAGMA journal_mode = {self.journal}").fetchone()[0]
        if mode != self.journal:
            raise IndexUnavailableError(
                f"journal mode is '{mode}', not '{self.journal}'",
                place=Place(self.path),
                todo="Close other programs that use it.",
            )
        if self._is_empty(connection):
            create(connection)

    def _is_empty(self, connection: sqlite3.Connection) -> bool:
        """Whether there are no tables yet; other tables than ours are an error that names the file."""
        try:
            return check_schema(connection) == "empty"
        except IndexUnavailableError as error:
            raise type(error)(error.what, place=Place(self.path), todo=error.todo) from None

    def _prepare_file(self) -> None:
        """An empty file of our own, private, where there is none; a file or folder that others may write is refused."""
        folder = os.path.dirname(self.path)
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            with contextlib.suppress(FileExistsError):
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except OSError as error:
            raise self._os_failure(error) from None

    # connections

    def _connect(self, mode: str) -> sqlite3.Connection:
        self._refuse_unsafe()
        quoted = self.path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        connection = sqlite3.connect(
            f"file:{quoted}?mode={mode}", timeout=0, isolation_level=None, check_same_thread=False, uri=True
        )
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        return connection

    def _refuse_unsafe(self) -> None:
        """Refuse a file that somebody else may have planted; remember which file this is."""
        try:
            status = os.stat(self.path)
        except OSError as error:
            raise self._os_failure(error) from None
        self._inode = (status.st_dev, status.st_ino)
        if not hasattr(os, "geteuid"):
            return
        if status.st_uid not in (os.geteuid(), 0) or status.st_mode & 0o022:
            raise IndexUnavailableError(
                "the index can be written by others", place=Place(self.path), todo="Make it yours alone (chmod go-w)."
            )

    def _moved(self) -> bool:
        """Whether another file lies at the path than the one that is open."""
        if self._connection is None:
            return False
        return inode_of(self.path) != self._inode

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        self._writes = False
        if connection is not None:
            with contextlib.suppress(sqlite3.Error):
                connection.close()

    def _failure(self, error: sqlite3.Error) -> IndexUnavailableError:
        """The error of the index's own tree that says what SQLite said."""
        place = Place(self.path)
        name = getattr(error, "sqlite_errorname", "") or ""
        if name.startswith("SQLITE_FULL"):
            return StoreFullError("the disk is full", place=place)
        if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
            return StoreReadOnlyError(f"cannot be written ({error})", place=place)
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return StoreBusyError("another process holds the index", place=place)
        if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR", "SQLITE_MISMATCH", "SQLITE_CONSTRAINT")):
            return CorruptIndexError(f"not a sound index ({error})", place=place, todo="Run 'briefkit index doctor'.")
        return IndexUnavailableError(f"{type(error).__name__}: {error}", place=place)

    def _os_failure(self, error: OSError) -> IndexUnavailableError:
        import errno

        place = Place(self.path)
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return StoreFullError("the disk is full", place=place)
        return StoreReadOnlyError((error.strerror or "cannot be opened").lower(), place=place)

    # the rest

    def count(self, counts: Mapping[str, int]) -> None:
        """Append the counts to a file beside the index: a hit must not cost a transaction."""
        append_counts(self.path + ".stats", counts)

    def counters(self) -> dict[str, int]:
        """The sums of the file beside the index."""
        return read_counts(self.path + ".stats")

    def now(self) -> float:
        """The time of the clock that was passed in."""
        return self.clock()

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._drop()

    def forget(self) -> None:
        """Begin anew in a forked child: the parent's connection is neither used nor closed there."""
        self._lock = threading.RLock()
        connection, self._connection = self._connection, None
        if connection is not None:
            keep_for_ever(connection)

    def health(self) -> Health:
        """The library, the journal mode in force, the file's integrity."""
        facts = {"path": self.path, "sqlite": sqlite3.sqlite_version}
        if not os.path.exists(self.path):
            return Health("sqlite", {**facts, "state": "not created yet"})
        with self._lock:
            mode = str(self._read("PRAGMA journal_mode", ())[0][0])
            facts["journal_mode"] = mode
            facts["integrity"] = str(self._read("PRAGMA quick_check(1)", ())[0][0])
            facts["entries"] = str(self._read("SELECT count(*) FROM entry", ())[0][0])
        warnings = []
        if mode == "wal" and has_wal_reset_bug(sqlite3.sqlite_version_info):
            warnings.append(f"WAL mode with SQLite {sqlite3.sqlite_version}, which can lose writes in it")
        if facts["integrity"] != "ok":
            warnings.append("the file is damaged; the next write moves it aside and begins a new one")
        return Health("sqlite", facts, tuple(warnings))


def _held(row: tuple[Any, ...], owner: str, now: float) -> Lease | None:
    """The lease that another holds; None where it can be taken."""
    holder, token, expires, failures, not_before = row
    left, waits = expires - now, not_before - now
    if holder is None and 0 < waits <= LEASE_LIMIT:
        return Lease.refused(token, None, waits, failures, backing_off=True)
    if holder is not None and holder != owner and 0 < left <= LEASE_LIMIT:
        return Lease.refused(token, holder, left, failures)
    return None


def _insert(connection: sqlite3.Connection, row: Row) -> None:
    connection.execute("INSERT OR REPLACE INTO entry VALUES(?, ?, ?, ?, ?, ?, ?)", row)


def _needs_recovery(error: sqlite3.Error) -> bool:
    name = getattr(error, "sqlite_errorname", "") or ""
    return name in (
        "SQLITE_READONLY_ROLLBACK",
        "SQLITE_READONLY_RECOVERY",
        "SQLITE_READONLY_CANTINIT",
        "SQLITE_READONLY",
    )


def _bytes(value: object) -> bytes:
    # a tampered row may hold any type; what is no bytes is no entry, and fails its checksum
    return value if isinstance(value, bytes) else b""


def _row(values: tuple[Any, ...]) -> Row:
    key, ecosystem, name, version = (value if isinstance(value, str) else "" for value in values[:4])
    verified, expires = (float(value) if isinstance(value, int | float) else 0.0 for value in values[4:6])
    return Row(key, ecosystem, name, version, verified, expires, _bytes(values[6]))

"""A store on diskcache, for who has it already; why it is not the default is in docs/reliability.md.

diskcache unpickles what lies in its folder and follows file names in its rows, also out of it. `_SafeDisk` does neither:
keys are text, values are bytes inside the row, anything else in the folder is no entry. The lease is a row of our own with owner and
token; `diskcache.Lock` waits for ever where its holder died. Opening it writes, so it has no read-only use.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import threading
import time
from typing import TYPE_CHECKING, Any

from briefkit.errors import IndexUnavailableError, Place

from .counting import append_counts, read_counts
from .forking import forget_after_fork, keep_for_ever
from .packing import body_of, packed, unpacked
from .patience import is_busy, patiently
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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_ENTRY = "entry:"
_LEASE = "lease:"


class DiskcacheStore:
    """Entries and leases as rows of a diskcache folder."""

    shared = False

    def __init__(self, path: str, clock: Callable[[], float]) -> None:
        try:
            import diskcache
        except ImportError:
            raise IndexUnavailableError(
                "the package 'diskcache' is not installed", todo="Install briefkit[diskcache]."
            ) from None
        self._diskcache = diskcache
        self.path = os.path.abspath(path)
        self.clock = clock
        self._open: Any = None
        self._lock = threading.RLock()
        forget_after_fork(self)

    def get(self, key: str) -> Fetched:
        """The bytes under the key."""
        value = self._read(lambda cache: cache.get(_ENTRY + key))
        return Fetched(None if value is None else body_of(value), self.clock())

    def put(self, row: Row) -> None:
        """Keep the row."""
        self._write(lambda cache: cache.set(_ENTRY + row.key, packed(row)))

    def delete(self, key: str) -> bool:
        """Remove the entry."""
        return self._exists() and bool(self._write(lambda cache: cache.delete(_ENTRY + key)))

    def acquire(self, key: str, owner: str, ttl: float) -> Lease:
        """Take the lease where it is free; one that is held costs its waiters only a read."""
        held = _held(_lease_in(self._read(lambda cache: cache.get(_LEASE + key))), owner, self.clock())
        if held is not None:
            return held

        def take(cache: Any) -> Lease:  # noqa: ANN401 - an untyped package
            lease = _lease_in(cache.get(_LEASE + key))
            now = self.clock()
            if (held := _held(lease, owner, now)) is not None:
                return held
            failures = failures_now(lease["failures"], lease["not_before"], now)
            taken = {"owner": owner, "token": lease["token"] + 1, "expires": now + ttl, "failures": failures}
            cache.set(_LEASE + key, _dumped({**taken, "not_before": 0.0}))
            return Lease.granted(lease["token"] + 1, owner, ttl, failures)

        lease: Lease = self._write(take)
        return lease

    def beat(self, key: str, owner: str, token: int, ttl: float) -> bool:
        """Extend the lease where it is still this owner's."""
        return self._change(key, owner, token, lambda lease: {**lease, "expires": self.clock() + ttl})

    def complete(self, key: str, owner: str, token: int, row: Row) -> bool:
        """Give the lease back and keep the row in one transaction."""
        free = {"owner": None, "expires": 0.0, "failures": 0, "not_before": 0.0}
        return self._change(key, owner, token, lambda lease: {**lease, **free}, row)

    def fail(self, key: str, owner: str, token: int, backoff: float) -> bool:
        """Give the lease back with nothing."""

        def failed(lease: dict[str, Any]) -> dict[str, Any]:
            failures = lease["failures"] + (backoff > 0)
            return {**lease, "owner": None, "expires": 0.0, "failures": failures, "not_before": self.clock() + backoff}

        return self._change(key, owner, token, failed)

    def _change(
        self,
        key: str,
        owner: str,
        token: int,
        change: Callable[[dict[str, Any]], dict[str, Any]],
        row: Row | None = None,
    ) -> bool:
        def changed(cache: Any) -> bool:  # noqa: ANN401 - an untyped package
            lease = _lease_in(cache.get(_LEASE + key))
            if (lease["owner"], lease["token"]) != (owner, token):
                return False
            cache.set(_LEASE + key, _dumped(change(lease)))
            if row is not None:
                cache.set(_ENTRY + row.key, packed(row))
            return True

        return bool(self._write(changed))

    def rows(self, ecosystem: str | None = None, name: str | None = None) -> Iterator[Row]:
        """All rows, or those of one package."""

        def read(cache: Any) -> list[Row]:  # noqa: ANN401 - an untyped package
            keys = [key for key in cache.iterkeys() if key.startswith(_ENTRY)]
            return [unpacked(key[len(_ENTRY) :], cache.get(key)) for key in keys]

        rows = [
            row for row in self._read(read) or () if ecosystem in (None, row.ecosystem) and name in (None, row.name)
        ]
        yield from sorted(rows, key=lambda row: (row.ecosystem, row.name, row.version, row.key))

    def sweep(self, before: float, limit: int = 1000) -> int:
        """Remove entries that expired before this time, and what a process left that died while it created the folder."""
        _remove_half_made(self.path)
        return sum(self.delete(key) for key in [row.key for row in self.rows() if row.expires_at < before][:limit])

    def count(self, counts: Mapping[str, int]) -> None:
        """Append the counts to a file in the folder."""
        append_counts(os.path.join(self.path, "briefkit.stats"), counts)

    def counters(self) -> dict[str, int]:
        """The sums of the file in the folder."""
        return read_counts(os.path.join(self.path, "briefkit.stats"))

    def now(self) -> float:
        """The time of the clock that was passed in."""
        return self.clock()

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._drop()

    def forget(self) -> None:
        """Begin anew in a forked child."""
        self._lock = threading.RLock()
        if self._open is not None:
            keep_for_ever(self._open)
            self._open = None

    def health(self) -> Health:
        """The package, the journal mode in force, and its standing advisory."""
        facts = {"path": self.path, "diskcache": self._diskcache.__version__, "sqlite": sqlite3.sqlite_version}
        if not self._exists():
            facts["state"] = "not created yet"
        else:
            facts["journal_mode"] = str(self._read(lambda cache: cache.sqlite_journal_mode))
            facts["eviction_policy"] = str(self._read(lambda cache: cache.eviction_policy))
        return Health(
            "diskcache",
            facts,
            ("diskcache has an open advisory (CVE-2025-69872); other programs that open this folder unpickle it",),
        )

    def _read(self, work: Callable[[Any], Any]) -> Any:  # noqa: ANN401 - an untyped package
        """What the work reads; None where there is no cache yet."""
        return self._guarded(work, READ_TIMEOUT, 0) if self._exists() else None

    def _write(self, work: Callable[[Any], Any]) -> Any:  # noqa: ANN401 - an untyped package
        """What the work returns, all of it in one transaction, begun anew where another's was in the way."""

        def transacted(cache: Any) -> Any:  # noqa: ANN401
            try:
                with cache.transact(retry=False):
                    return work(cache)
            except sqlite3.OperationalError:
                # a commit that did not get its lock leaves the transaction open
                self._drop()
                raise

        return self._guarded(transacted, WRITE_TIMEOUT, 2000)

    def _guarded(self, work: Callable[[Any], Any], seconds: float, busy_ms: int) -> Any:  # noqa: ANN401
        """What the work returns within the time; its errors in the index's own tree."""

        def once() -> Any:  # noqa: ANN401
            cache = self._cache()
            # diskcache gives a connection its busy timeout only when it opens it
            cache._con.execute(f"PRAGMA busy_timeout = {busy_ms}")  # noqa: SLF001
            return work(cache)

        with self._lock:
            try:
                return patiently(
                    once, seconds, lambda error: is_busy(error) or isinstance(error, self._diskcache.Timeout)
                )
            except (sqlite3.Error, OSError, self._diskcache.Timeout, _ForeignRowError) as error:
                self._drop()
                raise self._failure(error) from None

    def _exists(self) -> bool:
        return os.path.exists(os.path.join(self.path, "cache.db"))

    def _cache(self) -> Any:  # noqa: ANN401 - an untyped package
        if self._open is None:
            os.makedirs(self.path, mode=0o700, exist_ok=True)
            self._open = _opened(self._diskcache, self.path)
        return self._open

    def _drop(self) -> None:
        cache, self._open = self._open, None
        if cache is not None:
            with contextlib.suppress(sqlite3.Error):
                cache.close()

    def _failure(self, error: Exception) -> IndexUnavailableError:
        place = Place(self.path)
        name = getattr(error, "sqlite_errorname", "") or ""
        if isinstance(error, self._diskcache.Timeout) or name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return StoreBusyError("another process holds the index", place=place)
        if name.startswith("SQLITE_FULL") or (isinstance(error, OSError) and error.errno == 28):
            return StoreFullError("the disk is full", place=place)
        if isinstance(error, OSError) or name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
            return StoreReadOnlyError(f"cannot be opened for writing, which diskcache needs ({error})", place=place)
        return CorruptIndexError(
            f"not a sound diskcache folder ({type(error).__name__}: {error})",
            place=place,
            todo="Remove the folder to begin anew.",
        )


class _ForeignRowError(Exception):
    """A row that this store did not write: a pickle, a file name, a key that is no text."""


def _opened(diskcache: Any, path: str) -> Any:  # noqa: ANN401 - an untyped package
    """The cache of a folder, which is created whole: others see no half-made one and wait for none."""
    file = os.path.join(path, "cache.db")
    if not os.path.exists(file):
        making = os.path.join(path, f"making-{os.getpid()}-{os.urandom(4).hex()}")
        os.mkdir(making, 0o700)
        try:
            _cache_in(diskcache, making).close()
            os.chmod(os.path.join(making, "cache.db"), 0o600)
            with contextlib.suppress(FileExistsError):
                os.link(os.path.join(making, "cache.db"), file)
        finally:
            shutil.rmtree(making, ignore_errors=True)
    return _cache_in(diskcache, path)


def _remove_half_made(path: str) -> None:
    """Remove the half-made caches of processes that are no more."""
    with contextlib.suppress(OSError):
        for name in os.listdir(path):
            pid = name.removeprefix("making-").partition("-")[0]
            if name.startswith("making-") and pid.isdecimal() and not _is_alive(int(pid)):
                shutil.rmtree(os.path.join(path, name), ignore_errors=True)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _cache_in(diskcache: Any, path: str) -> Any:  # noqa: ANN401 - an untyped package
    """A cache that never unpickles, never evicts, never maps its file, and does not wait a minute to open."""
    # rollback journal and FULL, for the same reasons as the SQLite store
    return _quick_cache(diskcache)(
        _unexpanded(path),
        timeout=READ_TIMEOUT,
        disk=_safe_disk(diskcache),
        eviction_policy="none",
        size_limit=1 << 40,
        cull_limit=0,
        statistics=0,
        tag_index=0,
        sqlite_mmap_size=0,
        sqlite_journal_mode="delete",
        sqlite_synchronous=2,
        disk_min_file_size=1 << 31,
    )


def _safe_disk(diskcache: Any) -> Any:  # noqa: ANN401 - an untyped package
    """A `Disk` that takes text keys and bytes within the row, and refuses every other row it meets."""
    raw_mode = diskcache.core.MODE_RAW

    class SafeDisk(diskcache.Disk):  # type: ignore[misc]
        def put(self, key: object) -> tuple[object, bool]:
            return _own(key, isinstance(key, str)), True

        def get(self, key: object, raw: object) -> object:
            return _own(key, raw == 1 and isinstance(key, str))

        def store(self, value: object, read: object, key: object = None) -> tuple[int, int, None, object]:  # noqa: ARG002
            return 0, raw_mode, None, _own(value, isinstance(value, bytes) and not read)

        def fetch(self, mode: object, filename: object, value: object, read: object) -> object:
            return _own(value, mode == raw_mode and filename is None and isinstance(value, bytes) and not read)

        def remove(self, _file_path: object) -> None:
            """No row of ours names a file, so none is removed."""

    return SafeDisk


def _own(value: object, is_own: bool) -> object:
    if not is_own:
        raise _ForeignRowError("a row that this store did not write")
    return value


def _quick_cache(diskcache: Any) -> Any:  # noqa: ANN401 - an untyped package
    """A `Cache` whose opening writes only what is not there yet, and waits for a lock no longer than its time."""

    class QuickCache(diskcache.Cache):  # type: ignore[misc]
        @property
        def _sql_retry(self) -> Callable[..., Any]:
            execute = self._sql
            ends = time.monotonic() + READ_TIMEOUT

            def retried(statement: str, values: tuple[Any, ...] = ()) -> Any:  # noqa: ANN401
                while True:
                    try:
                        done = _is_set(execute, statement, values)
                        return execute("SELECT 1") if done else execute(statement, values)
                    except sqlite3.OperationalError as error:
                        if str(error) != "database is locked" or time.monotonic() > ends:
                            raise
                        time.sleep(0.002)

            return retried

        def reset(self, key: str, value: Any = diskcache.core.ENOVAL, update: bool = True) -> Any:  # noqa: ANN401
            if not key.startswith("sqlite_") or value is diskcache.core.ENOVAL:
                return super().reset(key, value, update)
            # diskcache asks for each pragma under a lock, a minute long; these need none, the others stand in the file
            pragma = key.removeprefix("sqlite_")
            if pragma in ("synchronous", "mmap_size", "cache_size"):
                self._sql(f"PRAGMA {pragma} = {int(value)}")
            setattr(self, key, value)
            return value

    return QuickCache


def _is_set(execute: Callable[..., Any], statement: str, values: tuple[Any, ...]) -> bool:
    """Whether a statement would write a setting that stands so already: diskcache rewrites them all at each opening."""
    if statement.startswith("INSERT OR "):
        name, value = values
    elif statement.startswith("UPDATE Settings SET value = ?"):
        value, name = values
    else:
        return False
    found = execute("SELECT value FROM Settings WHERE key = ?", (name,)).fetchall()
    return bool(found) and (statement.startswith("INSERT OR IGNORE") or found[0][0] == value)


def _unexpanded(path: str) -> str:
    """The path, which diskcache would expand variables in.

    Raises:
        OSError: It holds a sign that would be expanded.

    """
    if os.path.expandvars(path) != path:
        raise OSError(22, "the path holds a variable, which diskcache would expand")
    return path


def _dumped(lease: dict[str, Any]) -> bytes:
    return json.dumps(lease).encode("ascii")


def _lease_in(value: object) -> dict[str, Any]:
    """The lease in a row; of what is none, one that is free and was never held."""
    free: dict[str, Any] = {"owner": None, "token": 0, "expires": 0.0, "failures": 0, "not_before": 0.0}
    if not isinstance(value, bytes):
        return free
    try:
        lease = json.loads(value)
        owner = lease["owner"]
        numbers = {name: float(lease[name]) for name in ("expires", "not_before")}
        counts = {name: int(lease[name]) for name in ("token", "failures")}
    except (ValueError, TypeError, KeyError, RecursionError):
        return free
    return {"owner": owner if isinstance(owner, str) else None, **numbers, **counts}


def _held(lease: dict[str, Any], owner: str, now: float) -> Lease | None:
    left, waits = lease["expires"] - now, lease["not_before"] - now
    if lease["owner"] is None and 0 < waits <= LEASE_LIMIT:
        return Lease.refused(lease["token"], None, waits, lease["failures"], backing_off=True)
    if lease["owner"] not in (None, owner) and 0 < left <= LEASE_LIMIT:
        return Lease.refused(lease["token"], lease["owner"], left, lease["failures"])
    return None

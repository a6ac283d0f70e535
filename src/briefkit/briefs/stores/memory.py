"""A store that lives and dies with its process: what the rules are tested against, and what runs without a cache folder."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from .port import LEASE_LIMIT, Fetched, Health, Lease, Row, failures_now

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


class _Held:
    """One lease: who holds it, until when; the token only grows."""

    owner: str | None = None
    token = 0
    expires = 0.0
    failures = 0
    not_before = 0.0


class MemoryStore:
    """Entries and leases in dicts, behind one lock."""

    shared = False

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self._rows: dict[str, Row] = {}
        self._leases: dict[str, _Held] = {}
        self._counts: dict[str, int] = {}
        self._lock = threading.RLock()

    def get(self, key: str) -> Fetched:
        """The bytes under the key."""
        row = self._rows.get(key)
        return Fetched(row.body if row else None, self.clock())

    def put(self, row: Row) -> None:
        """Keep the row."""
        self._rows[row.key] = row

    def acquire(self, key: str, owner: str, ttl: float) -> Lease:
        """Take the lease where it is free."""
        with self._lock:
            held = self._leases.setdefault(key, _Held())
            now = self.clock()
            waits, left = held.not_before - now, held.expires - now
            if held.owner is None and 0 < waits <= LEASE_LIMIT:
                return Lease.refused(held.token, None, waits, held.failures, backing_off=True)
            if held.owner not in (None, owner) and 0 < left <= LEASE_LIMIT:
                return Lease.refused(held.token, held.owner, left, held.failures)
            held.failures = failures_now(held.failures, held.not_before, now)
            held.owner, held.token, held.expires, held.not_before = owner, held.token + 1, now + ttl, 0.0
            return Lease.granted(held.token, owner, ttl, held.failures)

    def _mine(self, key: str, owner: str, token: int) -> _Held | None:
        held = self._leases.get(key)
        return held if held is not None and (held.owner, held.token) == (owner, token) else None

    def beat(self, key: str, owner: str, token: int, ttl: float) -> bool:
        """Extend the lease."""
        with self._lock:
            held = self._mine(key, owner, token)
            if held is not None:
                held.expires = self.clock() + ttl
            return held is not None

    def complete(self, key: str, owner: str, token: int, row: Row) -> bool:
        """Give the lease back and keep the row."""
        with self._lock:
            held = self._mine(key, owner, token)
            if held is not None:
                held.owner, held.expires, held.failures, held.not_before = None, 0.0, 0, 0.0
                self._rows[row.key] = row
            return held is not None

    def fail(self, key: str, owner: str, token: int, backoff: float) -> bool:
        """Give the lease back with nothing."""
        with self._lock:
            held = self._mine(key, owner, token)
            if held is not None:
                held.owner, held.expires = None, 0.0
                held.failures, held.not_before = held.failures + (backoff > 0), self.clock() + backoff
            return held is not None

    def delete(self, key: str) -> bool:
        """Remove the entry."""
        return self._rows.pop(key, None) is not None

    def rows(self, ecosystem: str | None = None, name: str | None = None) -> Iterator[Row]:
        """All rows, or those of one package."""
        ordered = sorted(self._rows.values(), key=lambda row: (row.ecosystem, row.name, row.version, row.key))
        yield from (row for row in ordered if ecosystem in (None, row.ecosystem) and name in (None, row.name))

    def sweep(self, before: float, limit: int = 1000) -> int:
        """Remove entries that expired before this time."""
        ended = [row.key for row in self._rows.values() if row.expires_at < before][:limit]
        for key in ended:
            del self._rows[key]
        return len(ended)

    def count(self, counts: Mapping[str, int]) -> None:
        """Add to the counters."""
        for name, number in counts.items():
            self._counts[name] = self._counts.get(name, 0) + number

    def counters(self) -> dict[str, int]:
        """All counters."""
        return dict(self._counts)

    def now(self) -> float:
        """The time of the clock that was passed in."""
        return self.clock()

    def health(self) -> Health:
        """How many entries there are."""
        return Health("memory", {"entries": str(len(self._rows))})

    def close(self) -> None:
        """Nothing to give back."""

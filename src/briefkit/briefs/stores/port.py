"""The port that every store implements: keyed bytes, leases with tokens, counters.

A store keeps rows and compares nothing but keys, owners and tokens: what an entry means, whether it is intact and
whether it is still good is decided once, above (`entries.py`, `index.py`). Time for expiry is the engine's: a shared
server's own clock, on one machine the clock that was passed in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from briefkit.errors import IndexUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# How long a call may take before the store counts as down: a reader waits for no writer longer than this.
READ_TIMEOUT = 1.2
WRITE_TIMEOUT = 30.0
# A lease that claims to run longer than this was written by a wrong clock, and is free.
LEASE_LIMIT = 900.0
BODY_LIMIT = 1 << 20


class StoreBusyError(IndexUnavailableError):
    """Another process holds the store's lock; it is not down, and may answer in a moment."""


class StoreFullError(IndexUnavailableError):
    """The store has no room for the entry."""


class StoreReadOnlyError(IndexUnavailableError):
    """The store can be read and not written."""


class CorruptIndexError(IndexUnavailableError):
    """The store's file is not what it should be."""


class EntryRefusedError(IndexUnavailableError):
    """An entry is too large, or is no entry; nothing was stored."""


class Row(NamedTuple):
    """What a store keeps of an entry: its key, what it is listed by, its stamps, and its bytes."""

    key: str
    ecosystem: str
    name: str
    version: str
    verified_at: float
    expires_at: float
    body: bytes


class Fetched(NamedTuple):
    """The bytes under a key (None: nothing there), and the engine's time when they were read."""

    body: bytes | None
    now: float


class Lease(NamedTuple):
    """The outcome of asking for a lease: won with a token, or who holds it and for how long; failures so far."""

    won: bool
    token: int = 0
    owner: str | None = None
    expires_in: float = 0.0
    failures: int = 0
    backing_off: bool = False

    @classmethod
    def granted(cls, token: int, owner: str, ttl: float, failures: int = 0) -> Lease:
        """A lease that was won."""
        return cls(True, token, owner, ttl, failures)  # noqa: FBT003 - the name says it

    @classmethod
    def refused(
        cls, token: int, owner: str | None, left: float, failures: int = 0, *, backing_off: bool = False
    ) -> Lease:
        """A lease that another holds, or that nobody gets before a failure's pause has passed."""
        return cls(False, token, owner, left, failures, backing_off)  # noqa: FBT003 - the name says it


class Health(NamedTuple):
    """What is in force: the kind of store, facts by name, and what should be changed."""

    kind: str
    facts: Mapping[str, str]
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `briefkit index doctor`."""
        return {"kind": self.kind, "facts": dict(self.facts), "warnings": list(self.warnings)}


class Store(Protocol):
    """A place for entries. Every method raises IndexUnavailableError where the engine is down, full, frozen or corrupt."""

    shared: bool
    """Whether other machines write here, so that what is read is not trusted."""

    def get(self, key: str) -> Fetched:
        """The bytes under the key; never writes."""

    def put(self, row: Row) -> None:
        """Keep the row, whatever was there."""

    def acquire(self, key: str, owner: str, ttl: float) -> Lease:
        """Take the lease where it is free, has run out, or is this owner's own; its token is greater than all before."""

    def beat(self, key: str, owner: str, token: int, ttl: float) -> bool:
        """Extend the lease; False where it is no longer this owner's."""

    def complete(self, key: str, owner: str, token: int, row: Row) -> bool:
        """Give the lease back and keep the row, both or neither; False where the lease is no longer this owner's."""

    def fail(self, key: str, owner: str, token: int, backoff: float) -> bool:
        """Give the lease back with nothing; nobody gets it again for `backoff` seconds. With 0 nothing failed and nothing is counted."""

    def delete(self, key: str) -> bool:
        """Remove the entry; False where there was none."""

    def rows(self, ecosystem: str | None = None, name: str | None = None) -> Iterator[Row]:
        """All rows, or those of one package, in order of name, version and key."""

    def sweep(self, before: float, limit: int = 1000) -> int:
        """Remove entries that expired before this time, at most `limit`; returns how many. Leases stay."""

    def count(self, counts: Mapping[str, int]) -> None:
        """Add to the counters; may be dropped where it cannot be written."""

    def counters(self) -> dict[str, int]:
        """All counters."""

    def now(self) -> float:
        """The engine's time."""

    def health(self) -> Health:
        """What is in force."""

    def close(self) -> None:
        """Give everything back; the store opens again at the next call."""


def failures_now(failures: int, not_before: float, now: float) -> int:
    """The failures that still count: after a quiet quarter of an hour a question may be tried afresh."""
    return failures if abs(now - not_before) < LEASE_LIMIT else 0

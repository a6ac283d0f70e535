"""The brief index: answers under their keys, used only while they are intact, in time and true.

    index = open_index("sqlite:~/.cache/briefkit/index.db", namespace="team", clock=time.time)
    key = IndexKey(index.namespace, "npm", "sequelize", "6.37.3", digest, question, "source")
    found = index.lookup(key, verify=lambda answer: None)       # verify: a reason why it does not hold here, or None
    if found.entry is None:                                     # found.reason: absent, expired, corrupt, …
        index.store(key, answer)
    for warning in index.warnings: ...                          # "index is down (…): answered without it", for stderr
    index.close()

`flight.py` has the one call that most callers want: `answer_once`, many askers, one researcher. An index that is down, frozen,
full or read-only never stops work: a lookup is then a miss, a store returns False, and both say why in `warnings`.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from briefkit.errors import IndexUnavailableError, UsageError

from .brief import WEEK, Answer
from .entries import ABSENT as NOTHING
from .entries import (
    EXPIRED,
    LOW_CONFIDENCE,
    NOT_VERIFIED,
    UNAVAILABLE,
    Entry,
    IndexKey,
    Unusable,
    decoded,
    encoded,
    listed_as,
    miss_by_time,
    new_entry,
    printed,
    refuse_large,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self

    from .stores.port import Health, Lease, Store

    Verify = Callable[[Answer], str | None]
    """Why an answer does not hold against the reader's own installed source; None where it does."""

_Outcome = TypeVar("_Outcome")

# After a failure the store is left alone this long: the next call in this process answers at once.
_BREAK_SECONDS = 30.0
_SWEEP_SLACK = 24 * 3600.0


class Lookup(NamedTuple):
    """What the index has for a key: the entry, or the reason why there is none; `age` in seconds since verified."""

    entry: Entry | None
    reason: str
    age: float | None = None


class Stats(NamedTuple):
    """What the index did: hits, misses by reason, waits, fences, hits by library."""

    hits: int
    misses: dict[str, int]
    waits: int
    fenced: int
    stored: int
    reuse: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `briefkit index stats`."""
        asked = self.hits + sum(self.misses.values())
        return {**self._asdict(), "asked": asked, "reuse_rate": round(self.hits / asked, 4) if asked else None}


class BriefIndex:
    """The index over one store; see `open_index`."""

    def __init__(self, store: Store, *, namespace: str, clock: Callable[[], float], ttl: float = WEEK) -> None:
        self.engine = store
        self.namespace = namespace
        self.clock = clock
        self.ttl = ttl
        self.warnings: list[str] = []
        self.busy = False
        """Whether the last call failed only because another process held the store's lock."""
        self._counts: dict[str, int] = {}
        self._broken_until = 0.0

    # reading

    def lookup(
        self, key: IndexKey, *, verify: Verify | None = None, min_confidence: float = 0.0, counted: bool = True
    ) -> Lookup:
        """The entry of this key, or why there is none to use.

        An answer from a shared store is used only with `verify`, which re-reads its citations in the reader's own source; one that does not
        hold ends the entry of a store that is ours alone.
        """
        found = self._lookup(key, verify, min_confidence)
        if counted:
            self.tally("hit" if found.entry else f"miss:{found.reason}")
            if found.entry:
                self.tally(f"reuse:{listed_as(key.ecosystem)}:{listed_as(key.name)}")
        return found

    def _lookup(self, key: IndexKey, verify: Verify | None, min_confidence: float) -> Lookup:
        key_id = key.id
        fetched = self._guarded(lambda: self.engine.get(key_id))
        if fetched is None:
            return Lookup(None, UNAVAILABLE)
        if fetched.body is None:
            return Lookup(None, NOTHING)
        try:
            entry = decoded(fetched.body, key)
        except Unusable as reason:
            return Lookup(None, str(reason))
        age = max(fetched.now - entry.verified_at, 0.0)
        reason_in_time = miss_by_time(entry, fetched.now) or (EXPIRED if age >= self.ttl else None)
        if reason_in_time:
            return Lookup(None, reason_in_time, age)
        if entry.answer.confidence < min_confidence:
            return Lookup(None, LOW_CONFIDENCE, age)
        if verify is None:
            return Lookup(None, NOT_VERIFIED, age) if self.engine.shared else Lookup(entry, "hit", age)
        if verify(entry.answer) is None:
            return Lookup(entry, "hit", age)
        if not self.engine.shared:
            self._guarded(lambda: self.engine.delete(key_id))
        return Lookup(None, NOT_VERIFIED, age)

    # writing

    def put(self, key: IndexKey, answer: Answer, *, writer: str = "") -> Entry | None:
        """Keep an answer that was verified now; None (and a warning) where it could not be kept."""

        def store() -> Entry:
            entry = self.entry_for(key, answer, writer)
            self.engine.put(encoded(entry))
            return entry

        entry = self._guarded(store)
        if entry is not None:
            self.tally("stored")
        return entry

    def entry_for(self, key: IndexKey, answer: Answer, writer: str = "") -> Entry:
        """The entry that an answer makes now: without secrets, stamped by the engine's clock."""
        self._check_key(key)
        refuse_large(answer)
        return new_entry(key, _clean(answer), now=self.engine.now(), ttl=self.ttl, writer=writer)

    def put_entry(self, entry: Entry) -> None:
        """Keep an entry with the stamps it has (an import, a verification).

        Raises:
            IndexUnavailableError: The store cannot keep it.

        """
        self._check_key(entry.key)
        self.engine.put(encoded(entry._replace(answer=_clean(entry.answer))))

    def verify(self, entry: Entry, verify: Verify) -> str | None:
        """Re-read an entry's citations: where they hold, `verified_at` moves to now; else the entry ends. The reason, or None."""
        reason = verify(entry.answer)
        if reason is None:
            now = self.engine.now()
            self.put_entry(
                new_entry(entry.key, entry.answer, now=now, ttl=self.ttl, writer=entry.writer)._replace(
                    created_at=entry.created_at
                )
            )
        else:
            self.engine.delete(entry.key.id)
        return reason

    def _check_key(self, key: IndexKey) -> None:
        if key.namespace != self.namespace:
            raise UsageError(f"key of namespace '{key.namespace}' in an index of '{self.namespace}'")

    # leases (see flight.py)

    def acquire(self, key: IndexKey, owner: str, ttl: float) -> Lease | None:
        """The lease, or who holds it; None where the store is down."""
        return self._guarded(lambda: self.engine.acquire(key.id, owner, ttl))

    def beat(self, key: IndexKey, owner: str, token: int, ttl: float) -> bool:
        """Extend the lease; False where it is lost."""
        return bool(self._guarded(lambda: self.engine.beat(key.id, owner, token, ttl)))

    def complete(self, key: IndexKey, owner: str, token: int, entry: Entry) -> bool | None:
        """Give the lease back and keep the entry: False where another has taken over, None where the store is down."""
        kept = self._guarded(lambda: self.engine.complete(key.id, owner, token, encoded(entry)))
        if kept is not None:
            self.tally("stored" if kept else "fenced")
        return kept

    def fail(self, key: IndexKey, owner: str, token: int, backoff: float) -> bool:
        """Give the lease back with nothing."""
        return bool(self._guarded(lambda: self.engine.fail(key.id, owner, token, backoff)))

    # the whole

    def entries(self, ecosystem: str | None = None, name: str | None = None) -> Iterator[Entry]:
        """Every intact entry of this namespace, or those of one package, in order; damaged ones are counted and passed over.

        Raises:
            IndexUnavailableError: The store cannot be read.

        """
        for row in self.engine.rows(ecosystem, None if name is None else listed_as(name)):
            try:
                entry = decoded(row.body, row.key)
            except Unusable as reason:
                self.tally(f"miss:{reason}")
                continue
            if entry.key.namespace == self.namespace:
                yield entry

    def find(self, text: str) -> tuple[Entry, ...]:
        """The entries of a printed key, or of its beginning: `pypi:requests@2.32.3:1f3a9c2e`, `pypi:requests@2.32.3`, `requests`."""
        ecosystem, name, version, key_id = parse_printed(text)
        return tuple(
            entry
            for entry in self.entries(ecosystem, name)
            if version in (None, entry.key.version) and (key_id is None or entry.key.id.startswith(key_id))
        )

    def delete(self, key_id: str) -> bool:
        """Remove an entry by its id.

        Raises:
            IndexUnavailableError: The store cannot be written.

        """
        return self.engine.delete(key_id)

    def prune(self, *, force: bool = False) -> int:
        """Remove what expired more than a day ago; returns how many.

        Nothing is removed where this clock is more than a day ahead of the newest entry, since then the clock may be wrong; `force` says
        that it is right.

        Raises:
            IndexUnavailableError: The store cannot be written.

        """
        now = self.engine.now()
        newest = max((row.verified_at for row in self.engine.rows()), default=now)
        if now > newest + _SWEEP_SLACK + self.ttl and not force:
            raise UsageError(
                "this clock is far ahead of the newest entry: nothing was removed",
                todo="Use --force where the clock is right.",
            )
        removed = 0
        while some := self.engine.sweep(now - _SWEEP_SLACK):
            removed += some
        return removed

    def stats(self) -> Stats:
        """All counters, those of this process included.

        Raises:
            IndexUnavailableError: The store cannot be read.

        """
        self.flush()
        counts = self.engine.counters()
        return Stats(
            counts.get("hit", 0),
            _under(counts, "miss:"),
            counts.get("wait", 0),
            counts.get("fenced", 0),
            counts.get("stored", 0),
            _under(counts, "reuse:"),
        )

    def health(self) -> Health:
        """What is in force, and what should be changed.

        Raises:
            IndexUnavailableError: The store cannot be reached.

        """
        return self.engine.health()

    def tally(self, name: str, number: int = 1) -> None:
        """Count something; written at `flush`."""
        self._counts[name] = self._counts.get(name, 0) + number

    def flush(self) -> None:
        """Write the counters; silently nothing where the store is down."""
        counts, self._counts = self._counts, {}
        if counts and self._broken_until <= time.monotonic():
            try:
                self.engine.count(counts)
            except IndexUnavailableError:
                return

    def close(self) -> None:
        """Write the counters and close the store."""
        try:
            self.flush()
        finally:
            self.engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _guarded(self, call: Callable[[], _Outcome]) -> _Outcome | None:
        """The outcome of a call to the store; None and a warning where it fails; at once where it failed just before."""
        self.busy = False
        if self._broken_until > time.monotonic():
            return None
        try:
            return call()
        except IndexUnavailableError as error:
            self._warn(error)
            return None

    def _warn(self, error: IndexUnavailableError) -> None:
        from .stores.port import EntryRefusedError, StoreBusyError, StoreFullError, StoreReadOnlyError

        self.busy = isinstance(error, StoreBusyError)
        if not isinstance(error, EntryRefusedError | StoreBusyError | StoreFullError | StoreReadOnlyError):
            self._broken_until = time.monotonic() + _BREAK_SECONDS
        text = f"index: {error}"
        if text not in self.warnings:
            self.warnings.append(text)


def _clean(answer: Answer) -> Answer:
    """The answer without credentials."""
    from .secrets import without_secrets

    return Answer.from_dict(without_secrets(answer.to_dict()))


def open_index(
    url: str, *, namespace: str = "default", clock: Callable[[], float] = time.time, ttl: float = WEEK
) -> BriefIndex:
    """The index at `sqlite:PATH`, `diskcache:PATH`, `redis://…` (`rediss://`, `unix://`), `postgresql://…` or `memory:`.

    Nothing is opened or created yet.

    Raises:
        UsageError: The URL is of no known kind.
        IndexUnavailableError: The store's package is not installed.

    """
    return BriefIndex(_store(url, namespace, clock), namespace=namespace, clock=clock, ttl=ttl)


def _store(url: str, namespace: str, clock: Callable[[], float]) -> Store:
    kind, colon, rest = url.partition(":")
    if colon and kind in ("sqlite", "diskcache"):
        return _store_on_disk(kind, rest, clock)
    if kind in ("redis", "rediss", "unix", "valkey", "valkeys"):
        from .stores.redis_store import RedisStore

        return RedisStore(url, namespace)
    if kind in ("postgresql", "postgres"):
        from .stores.postgresql import PostgresqlStore

        return PostgresqlStore(url, namespace)
    if kind == "memory":
        from .stores.memory import MemoryStore

        return MemoryStore(clock)
    from briefkit.text import one_line, public_url

    raise UsageError(
        f"'{one_line(public_url(url), 80)}' is not the URL of an index",
        todo="Use sqlite:PATH, diskcache:PATH, redis://… or postgresql://….",
    )


def _store_on_disk(kind: str, rest: str, clock: Callable[[], float]) -> Store:
    import os.path

    path, _, options = rest.partition("?")
    path = os.path.expanduser(path.removeprefix("//") if path.startswith("///") else path)
    if not path or "\0" in path:
        raise UsageError(f"'{kind}:' needs the path of a file or folder")
    if kind == "sqlite":
        from .stores.sqlite import SqliteStore

        return SqliteStore(path, clock, journal=options.removeprefix("journal=") or "delete")
    from .stores.diskcache_store import DiskcacheStore

    return DiskcacheStore(path, clock)


def parse_printed(text: str) -> tuple[str | None, str | None, str | None, str | None]:
    """A printed key or its beginning as (ecosystem, name, version, id), None for what is left out."""
    ecosystem, colon, rest = text.partition(":")
    if not colon or ecosystem not in ("npm", "pypi"):
        ecosystem, rest = "", text
    name, at, version = rest.rpartition("@")
    if not at or not name:
        return ecosystem or None, rest or None, None, None
    version, _, key_id = version.partition(":")
    return ecosystem or None, name, version or None, key_id or None


def _under(counts: dict[str, int], prefix: str) -> dict[str, int]:
    return {name[len(prefix) :]: number for name, number in sorted(counts.items()) if name.startswith(prefix)}


__all__ = ["BriefIndex", "IndexKey", "Lookup", "Stats", "open_index", "parse_printed", "printed"]

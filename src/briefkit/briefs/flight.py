"""Single flight: many askers of one question, one researcher; the rest wait for its answer.

    flight = answer_once(index, key, research, verify=verify)
    flight.answer, flight.hit, flight.entry            # entry None: the index was down, the answer is this asker's own

The researcher holds a lease with a token and extends it from a thread with its own connection. A holder that dies or is paused
past its lease is overtaken; when it comes back its completion is refused ("fenced") and the other's answer counts. Waiters
look for the answer, not for the lease, each under its own deadline; past it they research on their own.
"""

from __future__ import annotations

import random
import threading
import time
from typing import TYPE_CHECKING, NamedTuple

from briefkit.errors import AgentError

from .entries import UNAVAILABLE, Entry, IndexKey

if TYPE_CHECKING:
    from collections.abc import Callable

    from .brief import Answer
    from .index import BriefIndex, Lookup, Verify
    from .stores.port import Lease

LEASE_SECONDS = 60.0
DEADLINE_SECONDS = 600.0
# A question whose research failed this often is for a human.
FAILURE_LIMIT = 3
BACKOFF_SECONDS = 1.0
# How often in a row an asker finds the store locked before it goes on without it.
BUSY_LIMIT = 5
_POLL_FIRST = 0.05
_POLL_LAST = 1.0


class Flight(NamedTuple):
    """How a question was answered: from the index, or by research; how long it waited for another's research."""

    answer: Answer
    hit: bool
    entry: Entry | None
    reason: str
    age: float | None = None
    waited: float = 0.0
    researched: bool = False
    fenced: int = 0


class ResearchGaveUpError(AgentError):
    """Research of this question failed so often that a human is needed."""


class Terms(NamedTuple):
    """On what terms one asks: answers under `min_confidence` do not count, a lease lasts `lease` seconds, nobody waits past `deadline`."""

    min_confidence: float = 0.0
    lease: float = LEASE_SECONDS
    deadline: float = DEADLINE_SECONDS
    writer: str = ""


_USUAL = Terms()


def answer_once(
    index: BriefIndex,
    key: IndexKey,
    research: Callable[[], Answer],
    *,
    verify: Verify | None = None,
    fresh: bool = False,
    terms: Terms = _USUAL,
) -> Flight:
    """The answer of the index, else of one researcher among all who ask now.

    `fresh` goes past the index: it researches at once and keeps the answer.

    Raises:
        ResearchGaveUpError: Research of this question failed `FAILURE_LIMIT` times in a row.

    """
    if fresh:
        return _alone(index, key, research, "fresh", terms.writer)
    return _Asker(index, key, research, verify, terms).run()


def _alone(index: BriefIndex, key: IndexKey, research: Callable[[], Answer], reason: str, writer: str) -> Flight:
    answer = research()
    return Flight(answer, hit=False, entry=index.put(key, answer, writer=writer), reason=reason, researched=True)


class _Asker:
    """One asker's way to its answer."""

    def __init__(
        self, index: BriefIndex, key: IndexKey, research: Callable[[], Answer], verify: Verify | None, terms: Terms
    ) -> None:
        self.index = index
        self.key = key
        self.research = research
        self.verify = verify
        self.terms = terms
        self.lease = terms.lease
        self.ends = time.monotonic() + terms.deadline
        self.owner = _new_owner()
        self.waited = 0.0
        self.fenced = 0

    def run(self) -> Flight:
        pause = _POLL_FIRST
        found = self._look(first=True)
        reason = found.reason
        # who asks first of a store that is locked is not kept waiting; who saw it answer is patient for a while
        patience = 0 if reason == UNAVAILABLE else BUSY_LIMIT
        while found.entry is None:
            lease = None if found.reason == UNAVAILABLE else self.index.acquire(self.key, self.owner, self.lease)
            if lease is None and self.index.busy and patience > 0:
                patience -= 1
                found = self._look(first=False)
                continue
            if lease is None or time.monotonic() >= self.ends:
                return _alone(self.index, self.key, self.research, reason, self.terms.writer)._replace(
                    waited=self.waited
                )
            patience = BUSY_LIMIT
            if lease.failures >= FAILURE_LIMIT:
                self._give_up(lease)
            if lease.won and (flight := self._as_holder(lease, reason)) is not None:
                return flight
            if not lease.won:
                self._wait(min(pause, max(lease.expires_in, 0.01)))
                pause = min(pause * 1.5, _POLL_LAST)
            found = self._look(first=False)
        return self._served(found)

    def _look(self, *, first: bool) -> Lookup:
        return self.index.lookup(self.key, verify=self.verify, min_confidence=self.terms.min_confidence, counted=first)

    def _served(self, found: Lookup) -> Flight:
        assert found.entry is not None
        return Flight(
            found.entry.answer,
            hit=True,
            entry=found.entry,
            reason="hit",
            age=found.age,
            waited=self.waited,
            fenced=self.fenced,
        )

    def _wait(self, seconds: float) -> None:
        if self.waited == 0.0:
            self.index.tally("wait")
        pause = min(seconds * random.uniform(0.8, 1.2), max(self.ends - time.monotonic(), 0.0))  # noqa: S311 - jitter
        time.sleep(pause)
        self.waited += pause

    def _give_up(self, lease: Lease) -> None:
        if lease.won:
            self.index.fail(self.key, self.owner, lease.token, BACKOFF_SECONDS)
        raise ResearchGaveUpError(
            f"research of this question failed {lease.failures} times: {self.key.question[:120]!r}"
        )

    def _as_holder(self, lease: Lease, reason: str) -> Flight | None:
        """Research under the lease; None where another overtook meanwhile, and its answer is to be looked for."""
        # the answer may have come between looking and winning
        if (found := self._look(first=False)).entry is not None:
            self.index.fail(self.key, self.owner, lease.token, 0.0)
            return self._served(found)
        heart = _Heart(self.index, self.key, self.owner, lease.token, self.lease)
        try:
            answer = self.research()
            entry = self.index.entry_for(self.key, answer, self.terms.writer)
        except BaseException:
            self.index.fail(self.key, self.owner, lease.token, BACKOFF_SECONDS * 2**lease.failures)
            raise
        finally:
            heart.stop()
        kept = self.index.complete(self.key, self.owner, lease.token, entry)
        if kept is False:
            self.fenced += 1
            return None
        return Flight(
            answer if kept is None else entry.answer,
            hit=False,
            entry=entry if kept else None,
            reason=reason,
            waited=self.waited,
            researched=True,
            fenced=self.fenced,
        )


class _Heart:
    """Extends a lease every quarter of its time, until stopped or lost."""

    def __init__(self, index: BriefIndex, key: IndexKey, owner: str, token: int, lease: float) -> None:
        self._stopped = threading.Event()
        self._index = index
        self._lease = key, owner, token, lease
        self._thread = threading.Thread(target=self._run, name="briefkit-lease", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stopped.wait(self._lease[3] / 4):
            if not self._index.beat(*self._lease):
                return

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join(timeout=5)


def _new_owner() -> str:
    import os

    host = os.uname().nodename[:60] if hasattr(os, "uname") else "host"
    return f"{host}:{os.getpid()}:{os.urandom(8).hex()}"

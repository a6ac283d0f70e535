"""The loop: every task that can move is moved one step at a time, under its lease, until all rest or nothing can move.

One tick moves each workable task one step. A worker extends its lease from a thread while a step runs; one that dies is followed, after its lease
ran out, by another that does the step again. One agent step at a time holds the tree, since all tasks share it.
"""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from briefkit.errors import BriefkitError

from . import states
from .advance import advance
from .state_store import FencedError, IllegalChangeError
from .tree_lock import tree_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .state_store import Held, StateStore, TaskRow
    from .workshop import Workshop

LEASE_SECONDS = 60.0
_TREE_STATES = frozenset((states.IMPLEMENTING, states.VERIFYING, states.HEALING, states.RESEARCHING, states.REFINING))
_IDLE_SECONDS = 0.5
ALL_DONE, SOME_BLOCKED, SOME_FOR_HUMANS, CAP_REACHED = 0, 1, 3, 5


class Step(NamedTuple):
    """What a worker did with a task: its state before and after, the error that stopped it, or what it waits for."""

    task: str
    before: str
    after: str
    error: str = ""
    waits: str = ""

    @property
    def moved(self) -> bool:
        """Whether the task is in another state than before."""
        return self.before != self.after


class Limits(NamedTuple):
    """What all steps of one run may take together."""

    cost: float
    tokens: int | None = None


class Runner:
    """Moves tasks; `workshop` makes a house for one worker, with a store of its own."""

    def __init__(
        self,
        workshop: Callable[[Callable[[], bool]], Workshop],
        *,
        limits: Limits,
        report: Callable[[Step], None],
        lease: float = LEASE_SECONDS,
    ) -> None:
        self._workshop = workshop
        self._limits = limits
        self._report = report
        self._lease = lease
        self._owner = f"{os.getpid()}:{os.urandom(6).hex()}"
        self._started = time.time()
        self._stopping = threading.Event()
        self._stuck: set[str] = set()
        self.cap_reached = ""

    def run(self, *, once: bool = False, jobs: int = 1) -> int:
        """Tick until every task rests or none can move; the exit code of `run`."""
        house = self._workshop(lambda: True)
        try:
            while True:
                self._stuck.clear()
                steps = self.tick(house.store, jobs)
                if once or self.cap_reached or not any(step.moved for step in steps):
                    return self._exit_code(house.store)
        finally:
            house.store.close()

    def tick(self, store: StateStore, jobs: int = 1) -> Sequence[Step]:
        """Each workable task moved one step, `jobs` at a time."""
        rows = [row for row in store.tasks() if row.state in states.WORKING]
        if jobs <= 1:
            return [step for row in rows if (step := self._step(row)) is not None]
        with ThreadPoolExecutor(jobs, thread_name_prefix="briefkit-step") as pool:
            try:
                return [step for step in pool.map(self._step, rows) if step is not None]
            except BaseException:
                # The pool waits for its threads: their agents are ended, and no further step starts.
                self._stopping.set()
                raise

    def _step(self, row: TaskRow) -> Step | None:
        """One step of one task; None where another worker holds it, a cap is reached or the run is interrupted."""
        if self._stopping.is_set() or self._over_cap():
            return None
        beating = _Beating(self._stopping)
        house = self._workshop(beating.alive)
        try:
            held = house.store.acquire(row.id, self._owner + f":{threading.get_ident()}", self._lease)
            if held is None:
                self._report(
                    Step(row.id, row.state, row.state, waits="another worker holds it, or died less than a minute ago")
                )
                return None
            try:
                with beating.extending(house.store.path, held, self._lease):
                    step = self._advance(house, held, beating.alive)
            finally:
                # Also where the run is interrupted: the next one need not wait for the lease to run out.
                house.store.release(held)
        finally:
            house.store.close()
        if step is not None:
            self._report(step)
        return step

    def _advance(self, house: Workshop, held: Held, alive: Callable[[], bool]) -> Step | None:
        row = house.store.get(held.task)
        try:
            if row.state in _TREE_STATES:
                with tree_lock(house.repository.state_dir, alive) as holds:
                    # What others spent while this one waited counts too.
                    if not holds or self._over_cap():
                        return None
                    after = advance(row, held, house)
            else:
                after = advance(row, held, house)
        except (FencedError, IllegalChangeError) as error:
            return Step(row.id, row.state, row.state, str(error))
        except BriefkitError as error:
            return Step(row.id, row.state, self._stopped(house, held, row, error), str(error))
        return Step(row.id, row.state, after.state, waits=_waits(house.store, row, after))

    def _stopped(self, house: Workshop, held: Held, row: TaskRow, error: BriefkitError) -> str:
        """Where an error leaves a task: research errors go to a human, errors in implementing block; the error is the reason."""
        after = states.BLOCKED if states.may_follow(row.state, states.BLOCKED) else states.NEEDS_HUMAN
        if not states.may_follow(row.state, after):
            self._stuck.add(row.id)
            return house.store.note(held, "error", {"error": str(error)}).state
        return house.store.change(held, after, reason=str(error)).state

    def _over_cap(self) -> bool:
        """Whether the run's budget is spent; asked before a step starts, so that a spent budget starts nothing."""
        spent = self._spent()
        if spent[0] >= self._limits.cost:
            self.cap_reached = f"cost {spent[0]:.2f} of {self._limits.cost:.2f}"
        elif self._limits.tokens is not None and spent[1] >= self._limits.tokens:
            self.cap_reached = f"{spent[1]} tokens of {self._limits.tokens}"
        return bool(self.cap_reached)

    def _spent(self) -> tuple[float, int]:
        """Cost and tokens of the agents' runs since this run began."""
        house = self._workshop(lambda: True)
        try:
            runs = [
                event.data["run"] for event in house.store.events() if event.at >= self._started and "run" in event.data
            ]
        finally:
            house.store.close()
        return sum(run["cost"] for run in runs), sum(run["input_tokens"] + run["output_tokens"] for run in runs)

    def _exit_code(self, store: StateStore) -> int:
        if self.cap_reached:
            return CAP_REACHED
        found = {row.state for row in store.tasks()}
        if self._stuck or found & {states.DISPUTED, states.NEEDS_HUMAN}:
            return SOME_FOR_HUMANS
        return SOME_BLOCKED if states.BLOCKED in found else ALL_DONE


def _waits(store: StateStore, before: TaskRow, after: TaskRow) -> str:
    """What a task waits for that got an event and is where it was, in a few words."""
    if after.state != before.state or after.version == before.version:
        return ""
    data = store.events(before.id)[-1].data
    run = data.get("run", {})
    return " ".join(str(part) for part in (run.get("outcome"), run.get("reason") or data.get("reason")) if part)


class _Beating:
    """Extends a lease while a step runs, and knows when it is lost or the run is ending."""

    def __init__(self, stopping: threading.Event) -> None:
        self._stopping = stopping
        self._lost = threading.Event()
        self._stop = threading.Event()

    def alive(self) -> bool:
        return not self._lost.is_set() and not self._stopping.is_set()

    @contextmanager
    def extending(self, path: str, held: Held, lease: float) -> Iterator[None]:
        thread = threading.Thread(target=self._beat, args=(path, held, lease), name="briefkit-lease", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join()

    def _beat(self, path: str, held: Held, lease: float) -> None:
        from .state_store import StateStore

        store = StateStore(path, time.time)
        try:
            while not self._stop.wait(lease / 4):
                if not store.beat(held, lease):
                    self._lost.set()
                    return
        except BriefkitError:
            # The state cannot be written just now; the lease itself says when it is lost.
            return
        finally:
            store.close()

"""The index against a plain model: any sequence of operations has the same outcome on every store as on a dict."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from brief_kinds import LASTING, ON_DISK, SERVED
from brief_stores import ANSWER, NOW, Clock, holds, key, open_for_test
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from briefkit.briefs.brief import WEEK
from briefkit.briefs.entries import encoded, new_entry

if TYPE_CHECKING:
    from typing import Any

QUESTIONS = st.sampled_from(["a", "b"])
OWNERS = st.sampled_from(["one", "two", "three"])
LEASE = 30.0
BACKOFF = 5.0


class Model:
    """What the index must be: entries and leases in dicts, time as a number."""

    def __init__(self) -> None:
        self.now = NOW
        self.entries: dict[str, tuple[str, float]] = {}
        self.leases: dict[str, dict[str, Any]] = {}

    def lease(self, question: str) -> dict[str, Any]:
        return self.leases.setdefault(
            question, {"owner": None, "token": 0, "ends": 0.0, "failures": 0, "not_before": 0.0}
        )

    def acquire(self, question: str, owner: str) -> tuple[bool, int, int]:
        lease = self.lease(question)
        if lease["owner"] is None and lease["not_before"] > self.now:
            return False, lease["token"], lease["failures"]
        if lease["owner"] not in (None, owner) and lease["ends"] > self.now:
            return False, lease["token"], lease["failures"]
        if abs(self.now - lease["not_before"]) >= 900:
            lease["failures"] = 0
        lease |= {"owner": owner, "token": lease["token"] + 1, "ends": self.now + LEASE, "not_before": 0.0}
        return True, lease["token"], lease["failures"]

    def is_holder(self, question: str, owner: str, token: int) -> bool:
        lease = self.lease(question)
        return bool((lease["owner"], lease["token"]) == (owner, token))


class IndexMachine(RuleBasedStateMachine):
    """One index and its model, driven side by side; a subclass says which store, and whether time can be moved."""

    kind = "memory"
    moves_time = True
    numbers = iter(range(10**9))

    def __init__(self) -> None:
        from brief_fixtures import url_of

        super().__init__()
        self.folder = tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        self.namespace = f"m{next(self.numbers)}"
        self.clock = Clock()
        self.index = open_for_test(url_of(self.kind, Path(self.folder)), self.namespace, self.clock)
        self.model = Model()
        self.tokens: dict[tuple[str, str], int] = {}

    def key(self, question: str) -> Any:
        return key(question, namespace=self.namespace)

    def teardown(self) -> None:
        self.index.close()
        shutil.rmtree(self.folder)

    @rule(question=QUESTIONS, lead=st.sampled_from(["x", "y", "\ud800\0"]))
    def put(self, question: str, lead: str) -> None:
        assert self.index.put(self.key(question), ANSWER._replace(lead=lead)) is not None
        self.model.entries[question] = lead, self.model.now

    @rule(question=QUESTIONS)
    def get(self, question: str) -> None:
        lookup = self.index.lookup(self.key(question), verify=holds)
        found = lookup.entry.answer.lead if lookup.entry else lookup.reason
        assert found == self._model_get(question)

    def _model_get(self, question: str) -> str:
        # jitter goes by the whole key, the namespace too
        if question not in self.model.entries:
            return "absent"
        lead, verified = self.model.entries[question]
        return "expired" if self.model.now >= new_entry(self.key(question), ANSWER, now=verified).expires_at else lead

    @rule(question=QUESTIONS)
    def delete(self, question: str) -> None:
        assert self.index.delete(self.key(question).id) == (question in self.model.entries)
        self.model.entries.pop(question, None)

    @rule()
    def listed(self) -> None:
        assert sorted(entry.key.question for entry in self.index.entries()) == sorted(self.model.entries)

    @rule(question=QUESTIONS, owner=OWNERS)
    def acquire(self, question: str, owner: str) -> None:
        lease = self.index.engine.acquire(self.key(question).id, owner, LEASE)
        assert (lease.won, lease.token, lease.failures) == self.model.acquire(question, owner)
        if lease.won:
            self.tokens[question, owner] = lease.token

    @rule(question=QUESTIONS, owner=OWNERS)
    def beat(self, question: str, owner: str) -> None:
        token = self.tokens.get((question, owner), 1)
        mine = self.model.is_holder(question, owner, token)
        assert self.index.engine.beat(self.key(question).id, owner, token, LEASE) == mine
        if mine:
            self.model.lease(question)["ends"] = self.model.now + LEASE

    @rule(question=QUESTIONS, owner=OWNERS)
    def complete(self, question: str, owner: str) -> None:
        token = self.tokens.get((question, owner), 1)
        mine = self.model.is_holder(question, owner, token)
        row = encoded(self.index.entry_for(self.key(question), ANSWER._replace(lead=owner)))
        assert self.index.engine.complete(self.key(question).id, owner, token, row) == mine
        if mine:
            self.model.lease(question).update(owner=None, ends=0.0, failures=0, not_before=0.0)
            self.model.entries[question] = owner, self.model.now

    @rule(question=QUESTIONS, owner=OWNERS, failed=st.booleans())
    def fail(self, question: str, owner: str, failed: bool) -> None:
        token = self.tokens.get((question, owner), 1)
        mine = self.model.is_holder(question, owner, token)
        pause = BACKOFF if failed and self.moves_time else 0.0
        assert self.index.engine.fail(self.key(question).id, owner, token, pause) == mine
        if mine:
            lease = self.model.lease(question)
            not_before = self.model.now + pause
            lease.update(owner=None, ends=0.0, failures=lease["failures"] + (pause > 0), not_before=not_before)

    @rule(seconds=st.sampled_from([1.0, BACKOFF + 1, LEASE + 1, 901.0, 0.95 * WEEK, WEEK + 2 * 86400]))
    def time_passes(self, seconds: float) -> None:
        if self.moves_time:
            self.clock.now += seconds
            self.model.now += seconds

    @rule()
    def reopened(self) -> None:
        if self.kind != "memory":
            self.index.close()

    @rule()
    def swept(self) -> None:
        if self.moves_time:
            before = self.model.now - 86400
            ended = [
                question
                for question, (_, verified) in self.model.entries.items()
                if new_entry(self.key(question), ANSWER, now=verified).expires_at < before
            ]
            assert self.index.engine.sweep(before) == len(ended)
            for question in ended:
                del self.model.entries[question]


def machine_of(of: str) -> type[IndexMachine]:
    class Machine(IndexMachine):
        kind = of
        moves_time = of not in SERVED

    Machine.__name__ = f"{of.title()}Machine"
    return Machine


def run(kind: str, examples: int, steps: int) -> None:
    run_state_machine_as_test(
        machine_of(kind),
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            database=None,
        ),
    )


@pytest.mark.parametrize(("kind", "examples"), [("memory", 100), *((kind, 6) for kind in ON_DISK)])
def test_a_store_does_what_the_model_does(kind: str, examples: int) -> None:
    run(kind, examples, 30)


@pytest.mark.server
@pytest.mark.parametrize("kind", SERVED)
def test_a_server_does_what_the_model_does(kind: str) -> None:
    run(kind, 10, 30)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "examples"), [("memory", 1000), *((kind, 60) for kind in LASTING)])
def test_a_store_does_what_the_model_does_at_length(kind: str, examples: int) -> None:
    run(kind, examples, 50)


@pytest.mark.soak
@pytest.mark.parametrize("kind", LASTING)
def test_a_store_does_what_the_model_does_in_a_thousand_runs(kind: str) -> None:
    run(kind, 1000, 50)

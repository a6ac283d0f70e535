"""No implementer ever runs without an open gate: over random histories, lies, failures and deaths at any point of a step."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import briefkit
from briefkit.briefs.brief import Answer, Finding, Staleness, assemble
from briefkit.briefs.evidence import World
from briefkit.briefs.gate import Decision, Gate, TaskFacts
from briefkit.briefs.markdown import render_brief
from briefkit.errors import BriefkitError
from briefkit.orchestrator import states
from briefkit.orchestrator.advance import Researched, Verified, advance
from briefkit.orchestrator.implementing import Desk, GateClosedError, pass_through, start_implementer
from briefkit.orchestrator.outcomes import OUTCOMES, Caps, Request, Result
from briefkit.orchestrator.state_store import StateStore, TaskRow
from briefkit.orchestrator.task_file import Task

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCE = "def get(url):\n    return url\n"
CAPS = Caps(1, 1.0, 1.0)


class Killed(BaseException):
    """A worker's death: nothing catches it on the way."""


class Fates:
    """What happens next, drawn by the test."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self.draw = draw

    def may_die(self) -> None:
        if self.draw(st.integers(0, 9)) == 0:
            raise Killed


class Implementer:
    """Notes, at each start, whether the gate was open for the very brief that its prompt begins with."""

    name = "noting"

    def __init__(self, house: House) -> None:
        self.house = house
        self.starts: list[bool] = []

    def run(self, request: Request, *, alive: Callable[[], bool]) -> Result:
        text = self.house.brief_path.read_text(encoding="utf-8")
        self.starts.append(self.house.decide().open and request.prompt.startswith(text))
        self.house.fates.may_die()
        return Result(self.house.fates.draw(st.sampled_from(OUTCOMES)))


class House:
    """A house whose briefs are written by chance, and whose gate is the real one."""

    def __init__(self, folder: Path, fates: Fates) -> None:
        self.fates = fates
        self.store = StateStore(str(folder / "state" / "state.db"), lambda: 0.0)
        self.brief_path = folder / "state" / "briefs" / "t.md"
        self.brief_path.parent.mkdir(parents=True, exist_ok=True)
        (folder / "lib.py").write_text(SOURCE, encoding="utf-8")
        self.world = World(read=lambda file: SOURCE.encode() if file == "lib.py" else None)
        self.facts = TaskFacts()
        self.implementer = Implementer(self)
        self.disagreement = ""

    def task(self, row: TaskRow) -> Task:
        return Task(row.id, "Title", verify="true", disagreement=self.disagreement)

    def waits_for(self, task: Task) -> tuple[str, ...]:
        return ()

    def auto_brief(self, task: Task) -> bool:
        return False

    def research(self, task: Task, depth: int, weak: tuple[str, ...]) -> Researched:
        self.fates.may_die()
        self._write_some_brief()
        self.fates.may_die()
        return Researched(self.fates.draw(st.booleans()), {}, passing=self.fates.draw(st.booleans()))

    def _write_some_brief(self) -> None:
        line = self.fates.draw(st.sampled_from((1, 1, 1, 2, 9)))
        confidence = self.fates.draw(st.sampled_from((0.9, 0.6, 0.59, 0.0)))
        risk = self.fates.draw(st.sampled_from(("low", "low", "medium", "high")))
        finding = Finding(f"`get(url)` is it (lib.py line {line}).")
        answer = Answer("How?", (finding,), confidence, staleness=Staleness(risk, "by chance"))
        text = render_brief(assemble("t", [answer], verdict="Use it.", verified_at=0.0).brief)
        if self.fates.draw(st.integers(0, 9)) == 0:
            text = "no brief at all"
        self.brief_path.write_text(text, encoding="utf-8")

    def decide(self) -> Decision:
        gate = Gate(str(self.brief_path.parent.parent), self.world)
        return gate.decide(
            "t", now=self.brief_path.stat().st_mtime if self.brief_path.exists() else 0.0, facts=self.facts
        )

    def gate(self, task: Task, row: TaskRow) -> Decision:
        self.facts = TaskFacts(None, row.refinements)
        self.fates.may_die()
        return self.decide()

    def implement(self, task: Task, row: TaskRow, failure: str | None) -> Result:
        if self.fates.draw(st.booleans()):
            self._write_some_brief()
        gate_pass = pass_through(lambda: self.gate(task, row), str(self.brief_path))
        result = start_implementer(
            gate_pass, self.implementer, task, Desk(".", CAPS), task_path="t", alive=lambda: True, failure=failure
        )
        if self.fates.draw(st.integers(0, 5)) == 0:
            self.disagreement = "it is wrong"
        return result

    def verify(self, task: Task) -> Verified:
        self.fates.may_die()
        return Verified(self.fates.draw(st.booleans()), str(self.fates.draw(st.integers(0, 2))))


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_no_implementer_runs_without_an_open_gate_whatever_happens(tmp_path_factory: Any, data: st.DataObject) -> None:
    house = House(tmp_path_factory.mktemp("repo"), Fates(data.draw))
    house.store.add("t", "digest", "user")
    for worker in range(25):
        held = house.store.acquire("t", f"w{worker}", -1.0)
        assert held is not None
        row = house.store.get("t")
        if row.state in states.RESTING:
            break
        try:
            advance(row, held, house)
        except Killed:
            continue
        except BriefkitError:
            continue
    events = house.store.events("t")
    house.store.close()
    assert all(house.implementer.starts)
    assert all(
        event.kind != "state" or event.before is None or states.may_follow(event.before, event.after)
        for event in events
    )
    assert [event.version for event in events] == list(range(len(events)))


def test_a_pass_is_refused_while_the_gate_is_closed_or_the_brief_changes_under_it(tmp_path: Path) -> None:
    brief = tmp_path / "t.md"
    brief.write_text("one", encoding="utf-8")

    def swap() -> Decision:
        brief.write_text("two", encoding="utf-8")
        return Decision("t", "ok", 0.9)

    with pytest.raises(GateClosedError, match=r"the gate is closed for 't' \(low-confidence\)"):
        pass_through(lambda: Decision("t", "low-confidence", 0.1), str(brief))
    with pytest.raises(GateClosedError, match="the brief changed while the gate decided"):
        pass_through(swap, str(brief))


def test_a_pass_for_one_task_starts_no_other(tmp_path: Path) -> None:
    brief = tmp_path / "t.md"
    brief.write_text("one", encoding="utf-8")
    gate_pass = pass_through(lambda: Decision("t", "ok", 0.9), str(brief))
    ran: list[str] = []

    class Agent:
        name = "a"

        def run(self, request: Request, *, alive: Callable[[], bool]) -> Result:
            ran.append(request.prompt)
            return Result("done")

    with pytest.raises(GateClosedError, match="the pass is for 't', not for 'other'"):
        start_implementer(gate_pass, Agent(), Task("other", "x"), Desk(".", CAPS), task_path="x", alive=lambda: True)
    assert ran == []


def test_the_implementers_role_and_the_gates_pass_are_made_in_one_place_each() -> None:
    made: dict[str, list[str]] = {"implementer": [], "GatePass": []}
    root = Path(briefkit.__file__).parent
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id == "Request" and json.dumps("implementer") in ast.unparse(node).replace("'", '"'):
                made["implementer"].append(path.name)
            if node.func.id == "GatePass":
                made["GatePass"].append(path.name)
    assert made == {"implementer": ["implementing.py"], "GatePass": ["implementing.py"]}

"""What a person does with tasks: add, retry, settle a dispute. Each is one fenced change with its event."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from briefkit.briefs.brief import checked_task_id
from briefkit.briefs.gate import brief_paths
from briefkit.errors import BriefkitError, UsageError
from briefkit.paths import write_whole

from . import states
from .task_file import DISAGREEMENT, Task, parse_task, read_task, render_task, task_path, write_task
from .workshop import task_digest

if TYPE_CHECKING:
    from collections.abc import Callable

    from .state_store import Held, StateStore, TaskRow

_LEASE_SECONDS = 60.0
IMPLEMENTER, BRIEF = "implementer", "brief"


class Settled(NamedTuple):
    """A dispute settled: the task's row, the index keys that lost, and the file of the researcher's test case."""

    row: TaskRow
    ended: tuple[str, ...] = ()
    case: str | None = None


def add_task(store: StateStore, state_dir: str, task: Task) -> TaskRow:
    """Write a task's file and queue it.

    Raises:
        BriefkitError: The id is taken, a dependency is not there, or the file would not say again what the task says.

    """
    task = _written_as_read(task)
    known = {row.id for row in store.tasks()}
    if task.id in known or os.path.lexists(task_path(state_dir, task.id)):
        raise UsageError(f"task '{task.id}' is there already")
    _check_dependencies(state_dir, task, known)
    write_task(state_dir, task)
    return store.add(task.id, task_digest(read_task(state_dir, task.id)), "user")


def retry_task(store: StateStore, state_dir: str, task_id: str) -> TaskRow:
    """Queue a task again that rests or whose file was changed, taking its file as it is now; counts begin anew.

    Raises:
        UsageError: The task is done, disputed or being worked on, or depends on what is not there or on itself.

    """
    task = read_task(state_dir, task_id)
    digest = task_digest(task)
    known = {row.id for row in store.tasks()}
    _check_dependencies(state_dir, task, known)
    if task_id not in known:
        return store.add(task_id, digest, "user")
    held = _take(store, task_id)
    try:
        row = store.get(task_id)
        counts = {"refinements": 0, "heals": 0, "digest": digest, "payload": {}}
        if row.state in (states.BLOCKED, states.NEEDS_HUMAN):
            return store.change(held, states.QUEUED, reason="retry", counts=counts)
        if row.state == states.QUEUED:
            return store.accept(held, digest)
        raise UsageError(f"task '{task_id}' is {row.state}", todo="Only a blocked or needs-human task is retried.")
    finally:
        store.release(held)


def _written_as_read(task: Task) -> Task:
    """The task with a title of one line, where its file says all of it again.

    Raises:
        UsageError: Its id is none, a question is empty, or its words would be read as something else.

    """
    task = task._replace(title=" ".join(task.title.split()), text=task.text.replace("\r\n", "\n").strip())
    checked_task_id(task.id)
    if not task.title:
        raise UsageError("the title is empty")
    if any(not question.strip() for question in task.questions):
        raise UsageError("a question is empty", todo="Ask it in words, or leave it out.")
    try:
        same = parse_task(render_task(task), task.id) == task
        render_task(task).encode()
    except UnicodeEncodeError:
        raise UsageError("its words are not UTF-8 text") from None
    if not same:
        raise UsageError(
            f"its text has a line '{DISAGREEMENT}', which is the implementer's to write", todo="Reword it."
        )
    return task


def _check_dependencies(state_dir: str, task: Task, known: set[str]) -> None:
    """Whether each task that must be done before is there, and none of them waits for this one.

    Raises:
        UsageError: One is not there, or does.

    """
    seen: set[str] = set()
    open_ones = list(task.depends)
    while open_ones:
        one = open_ones.pop()
        if one == task.id:
            raise UsageError(f"task '{task.id}' would wait for itself", todo="Change what it depends on.")
        if one not in known:
            raise UsageError(f"no task '{one}' to depend on")
        if one not in seen:
            seen.add(one)
            open_ones += read_task(state_dir, one).depends


def resolve_dispute(
    store: StateStore, state_dir: str, task_id: str, right: str, *, end_answers: Callable[[list[str]], list[str]]
) -> Settled:
    """Say who was right: the brief (work goes on with it) or the implementer (research begins anew, its answers are ended).

    The disagreement moves from the task's file to the log. A brief that lost becomes a test case under `state/cases`.

    Raises:
        UsageError: The task is not disputed.

    """
    held = _take(store, task_id)
    try:
        row = store.get(task_id)
        if row.state != states.DISPUTED:
            raise UsageError(f"task '{task_id}' is {row.state}, not disputed")
        task = read_task(state_dir, task_id)
        data: dict[str, Any] = {"right": right, "disagreement": task.disagreement}
        if right == BRIEF:
            write_task(state_dir, task._replace(disagreement=""))
            return Settled(store.change(held, states.BRIEFED, reason="the brief was right", data=data))
        keys = [key for event in store.events(task_id) for key in event.data.get("keys", ())]
        ended = end_answers(list(dict.fromkeys(keys)))
        case = _export_case(state_dir, task)
        path, twin = brief_paths(state_dir, task_id)
        for file in (path, twin):
            if os.path.lexists(file):
                os.unlink(file)
        write_task(state_dir, task._replace(disagreement=""))
        data |= {"ended": ended, "case": os.path.basename(case)}
        counts = {"refinements": 0, "heals": 0}
        return Settled(
            store.change(held, states.QUEUED, reason="the implementer was right", data=data, counts=counts),
            tuple(ended),
            case,
        )
    finally:
        store.release(held)


def _export_case(state_dir: str, task: Task) -> str:
    """The brief that lost, with its questions and what was said against it, as a researcher's test case."""
    path, _ = brief_paths(state_dir, task.id)
    try:
        with open(path, encoding="utf-8") as handle:
            brief = handle.read()
    except OSError:
        brief = ""
    folder = os.path.join(state_dir, "cases")
    names = os.listdir(folder) if os.path.isdir(folder) else []
    case = os.path.join(folder, f"{task.id}-{sum(name.startswith(f'{task.id}-') for name in names) + 1}.json")
    record = {"schema_version": 1, "task": task.to_dict(), "brief": brief, "disagreement": task.disagreement}
    write_whole(case, json.dumps(record, ensure_ascii=False, indent=1))
    return case


def _take(store: StateStore, task_id: str) -> Held:
    held = store.acquire(task_id, f"user:{os.getpid()}", _LEASE_SECONDS)
    if held is None:
        raise BriefkitError(f"task '{task_id}' is being worked on; try again when its step has ended")
    return held

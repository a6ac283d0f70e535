"""The durable state of tasks: two tables, `task` and the append-only `event`, in one sqlite file that is never thrown away.

Every change of state is one transaction: the task's row moves and its event is written, or neither. A worker changes a task only
while it holds the task's lease; the token of a lease grows with each holder, so that a worker which was paused and overtaken
is refused ("fenced") when it comes back. A rollback journal with `synchronous=FULL` survives `kill -9` and loss of power.
"""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from briefkit.errors import BriefkitError, Place

from .states import QUEUED, may_follow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SCHEMA = 1
_BUSY_SECONDS = 30.0
_TABLES = """
create table if not exists task (
  id text primary key, state text not null, version integer not null, owner text, token integer not null default 0,
  lease_expires real not null default 0, digest text not null, refinements integer not null default 0,
  heals integer not null default 0, reason text not null default '', created real not null, payload text not null default '{}');
create table if not exists event (
  number integer primary key autoincrement, task text not null, version integer not null, before text, after text not null,
  kind text not null, token integer not null, at real not null, actor text not null, data text not null default '{}',
  unique (task, version));
create trigger if not exists event_is_append_only before update on event begin select raise(abort, 'events are append-only'); end;
create trigger if not exists event_is_kept before delete on event begin select raise(abort, 'events are append-only'); end;
"""


class TaskRow(NamedTuple):
    """A task as the state knows it: its state, the version its last event made, its lease, and its counts."""

    id: str
    state: str
    version: int
    owner: str | None
    token: int
    lease_expires: float
    digest: str
    refinements: int
    heals: int
    reason: str
    created: float
    payload: dict[str, Any]


class Event(NamedTuple):
    """One change in a task's life, or a note (`before` equals `after`)."""

    number: int
    task: str
    version: int
    before: str | None
    after: str
    kind: str
    token: int
    at: float
    actor: str
    data: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """The event as `log` prints it."""
        return self._asdict()


class Held(NamedTuple):
    """A lease that is held: whose, on which task, with which token."""

    task: str
    owner: str
    token: int


class _What(NamedTuple):
    """What an event says: its kind, who made it, why, and its figures."""

    kind: str
    actor: str
    reason: str
    data: dict[str, Any]


class FencedError(BriefkitError):
    """The lease was lost: another worker has taken the task over, and this one's change is refused."""


class IllegalChangeError(BriefkitError):
    """The task is not in a state from which it may go there."""


class StateStore:
    """The tasks' state in one file."""

    def __init__(self, path: str, clock: Callable[[], float]) -> None:
        self.path = path
        self._clock = clock
        self._connection: sqlite3.Connection | None = None

    def add(self, task: str, digest: str, actor: str) -> TaskRow:
        """A new task, queued.

        Raises:
            BriefkitError: The task is there already.

        """
        with self._transaction() as db:
            if self._row(db, task) is not None:
                raise BriefkitError(f"task '{task}' is there already", place=Place(self.path))
            now = self._clock()
            db.execute(
                "insert into task (id, state, version, digest, created) values (?, ?, 0, ?, ?)",
                (task, QUEUED, digest, now),
            )
            row = self._known(db, task)
            self._record(db, row, None, _What("added", actor, "", {}))
            return row

    def get(self, task: str) -> TaskRow:
        """The task's row.

        Raises:
            BriefkitError: There is no such task in this state.

        """
        with self._reading() as db:
            return self._known(db, task)

    def tasks(self) -> tuple[TaskRow, ...]:
        """All tasks, in order of their adding."""
        with self._reading() as db:
            return tuple(_task_row(row) for row in db.execute("select * from task order by created, id"))

    def events(self, task: str | None = None) -> tuple[Event, ...]:
        """The events of one task, or all, in order."""
        with self._reading() as db:
            where, values = ("where task = ?", (task,)) if task is not None else ("", ())
            return tuple(_event(row) for row in db.execute(f"select * from event {where} order by number", values))  # noqa: S608 - a constant

    def acquire(self, task: str, owner: str, seconds: float) -> Held | None:
        """The task's lease for this owner, None while another holds it."""
        with self._transaction() as db:
            row = self._known(db, task)
            now = self._clock()
            if row.owner is not None and row.owner != owner and row.lease_expires > now:
                return None
            token = row.token + 1
            db.execute(
                "update task set owner = ?, token = ?, lease_expires = ? where id = ?",
                (owner, token, now + seconds, task),
            )
            return Held(task, owner, token)

    def beat(self, held: Held, seconds: float) -> bool:
        """Extend a lease; False where it is lost."""
        with self._transaction() as db:
            done = db.execute(
                "update task set lease_expires = ? where id = ? and owner = ? and token = ?",
                (self._clock() + seconds, held.task, held.owner, held.token),
            )
            return done.rowcount == 1

    def release(self, held: Held) -> None:
        """Give a lease back; nothing where it is lost."""
        with self._transaction() as db:
            db.execute(
                "update task set owner = null, lease_expires = 0 where id = ? and owner = ? and token = ?",
                (held.task, held.owner, held.token),
            )

    def change(
        self,
        held: Held,
        after: str,
        *,
        reason: str = "",
        data: dict[str, Any] | None = None,
        counts: dict[str, Any] | None = None,
    ) -> TaskRow:
        """Move the task to another state and write the event, both or neither.

        `counts` may set `refinements`, `heals`, `digest` and `payload`.

        Raises:
            FencedError: The lease is no longer this holder's.
            IllegalChangeError: The task may not go there from where it is.

        """
        with self._transaction() as db:
            row = self._fenced(db, held)
            if not may_follow(row.state, after):
                raise IllegalChangeError(
                    f"task '{row.id}' is {row.state} and cannot become {after}", place=Place(self.path)
                )
            return self._move(db, row, after, _What("state", held.owner, reason, data or {}), counts or {})

    def accept(self, held: Held, digest: str) -> TaskRow:
        """Take a queued task's file as it is now.

        Raises:
            FencedError: The lease is no longer this holder's.

        """
        with self._transaction() as db:
            row = self._fenced(db, held)
            return self._move(db, row, row.state, _What("accepted", held.owner, "", {}), {"digest": digest})

    def note(self, held: Held, kind: str, data: dict[str, Any]) -> TaskRow:
        """Write an event that changes no state: a step's figures, an agent's run, a dispute's text.

        Raises:
            FencedError: The lease is no longer this holder's.

        """
        with self._transaction() as db:
            row = self._fenced(db, held)
            return self._move(db, row, row.state, _What(kind, held.owner, row.reason, data), {})

    def _move(self, db: sqlite3.Connection, row: TaskRow, after: str, what: _What, counts: dict[str, Any]) -> TaskRow:
        moved = row._replace(state=after, version=row.version + 1, reason=what.reason, **counts)
        db.execute(
            "update task set state = ?, version = ?, reason = ?, refinements = ?, heals = ?, digest = ?, payload = ? where id = ?",
            (
                *moved[1:3],
                moved.reason,
                moved.refinements,
                moved.heals,
                moved.digest,
                json.dumps(moved.payload),
                row.id,
            ),
        )
        self._record(db, moved, row.state, what)
        return moved

    def _record(self, db: sqlite3.Connection, row: TaskRow, before: str | None, what: _What) -> None:
        """Write the event that brought a task to its row."""
        data = {**what.data, "reason": what.reason} if what.reason and what.kind == "state" else what.data
        db.execute(
            "insert into event (task, version, before, after, kind, token, at, actor, data) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (row.id, row.version, before, row.state, what.kind, row.token, self._clock(), what.actor, _json(data)),
        )

    def _fenced(self, db: sqlite3.Connection, held: Held) -> TaskRow:
        row = self._known(db, held.task)
        if (row.owner, row.token) != (held.owner, held.token):
            raise FencedError(
                f"task '{held.task}' was taken over (token {held.token}, now {row.token})", place=Place(self.path)
            )
        return row

    def _known(self, db: sqlite3.Connection, task: str) -> TaskRow:
        row = self._row(db, task)
        if row is None:
            raise BriefkitError(f"no task '{task}' in this state", place=Place(self.path))
        return row

    @staticmethod
    def _row(db: sqlite3.Connection, task: str) -> TaskRow | None:
        row = db.execute("select * from task where id = ?", (task,)).fetchone()
        return None if row is None else _task_row(row)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """One write, all of it or none; waits for other writers up to 30 s."""
        db = self._open()
        try:
            db.execute("begin immediate")
        except sqlite3.Error as error:
            raise self._broken(error) from None
        try:
            yield db
            db.execute("commit")
        except sqlite3.Error as error:
            self._roll_back(db)
            raise self._broken(error) from None
        except BaseException:
            self._roll_back(db)
            raise

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._open()
        except sqlite3.Error as error:
            raise self._broken(error) from None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            try:
                os.makedirs(os.path.dirname(self.path), exist_ok=True)
                db = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
                db.row_factory = sqlite3.Row
                db.execute("pragma journal_mode = delete")
                db.execute("pragma synchronous = full")
                self._prepare(db)
            except (sqlite3.Error, OSError) as error:
                raise self._broken(error) from None
            self._connection = db
        return self._connection

    def _prepare(self, db: sqlite3.Connection) -> None:
        version = db.execute("pragma user_version").fetchone()[0]
        if version > _SCHEMA:
            raise BriefkitError(
                f"written by a newer briefkit (schema {version})", place=Place(self.path), todo="Upgrade briefkit."
            )
        if version < _SCHEMA:
            db.executescript(f"begin immediate; {_TABLES} pragma user_version = {_SCHEMA}; commit;")

    def _broken(self, error: Exception) -> BriefkitError:
        return BriefkitError(
            f"the tasks' state cannot be used ({error})",
            place=Place(self.path),
            todo="It is never replaced; restore it, or move it aside yourself.",
        )

    @staticmethod
    def _roll_back(db: sqlite3.Connection) -> None:
        if db.in_transaction:
            db.execute("rollback")

    def close(self) -> None:
        """Give the file back; it opens again at the next call."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _json(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False)


def _task_row(row: sqlite3.Row) -> TaskRow:
    values = dict(row)
    values["payload"] = json.loads(values["payload"])
    return TaskRow(**{name: values[name] for name in TaskRow._fields})


def _event(row: sqlite3.Row) -> Event:
    values = dict(row)
    values["data"] = json.loads(values["data"])
    return Event(**values)

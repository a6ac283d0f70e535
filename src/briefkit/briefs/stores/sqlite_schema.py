"""The shape of an index file: its tables, what makes it sound, and which SQLite may not use it in WAL mode."""

from __future__ import annotations

import contextlib
import os
import sqlite3

from briefkit.errors import IndexUnavailableError

from .port import CorruptIndexError

SCHEMA = 1
APPLICATION_ID = 0x626B6978
TABLES = {
    "entry": (
        "CREATE TABLE entry(key TEXT PRIMARY KEY NOT NULL, ecosystem TEXT NOT NULL, name TEXT NOT NULL, "
        "version TEXT NOT NULL, verified REAL NOT NULL, expires REAL NOT NULL, body BLOB NOT NULL)"
    ),
    "entry_of": "CREATE INDEX entry_of ON entry(ecosystem, name, version, key)",
    "lease": (
        "CREATE TABLE lease(key TEXT PRIMARY KEY NOT NULL, owner TEXT, token INTEGER NOT NULL, expires REAL NOT NULL, "
        "failures INTEGER NOT NULL, not_before REAL NOT NULL)"
    ),
}


def has_wal_reset_bug(version: tuple[int, ...]) -> bool:
    """Whether this SQLite may lose committed pages when two processes write in WAL mode."""
    fixed_lines = {(3, 44): 6, (3, 50): 7}
    if (fixed := fixed_lines.get((version[0], version[1]))) is not None:
        return version[2] < fixed
    return (3, 7, 0) <= version < (3, 51, 3)


def check_schema(connection: sqlite3.Connection) -> str:
    """`ok` or `empty`; a table, index, view or trigger that is not ours makes the file unsound."""
    found = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall())
    if not found:
        return "empty"
    if found != TABLES:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA:
            raise IndexUnavailableError(f"the index has schema {version}, newer than this briefkit reads ({SCHEMA})")
        raise CorruptIndexError("not an index of briefkit, or one that was tampered with")
    return "ok"


def is_sound(connection: sqlite3.Connection) -> bool:
    """Whether this is an index without damage, or a database of somebody else, which is not ours to judge."""
    ours = connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables and not ours:
        return True
    try:
        check_schema(connection)
    except CorruptIndexError:
        return False
    return bool(connection.execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok")


def inode_of(path: str) -> tuple[int, int] | None:
    """Which file lies at the path (device, inode); None where there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def create(connection: sqlite3.Connection) -> None:
    """Create the tables where another process has not done so meanwhile."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        # another process may have created the tables while this one waited
        if check_schema(connection) == "empty":
            for statement in TABLES.values():
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {SCHEMA}")
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise

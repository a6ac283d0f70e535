"""The brief index: opening and asking it beside raw sqlite3, and each store's operations beside its raw client.

Both sides do the same work on the same bytes: one entry of about 4 KB is fetched and its JSON parsed, or kept durably. The index adds the
checks that make an answer usable: checksum, identity, time.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import sys
import tempfile
from typing import TYPE_CHECKING, Any

from briefkit.briefs.brief import LOW, Answer, Citation, Finding, PackageId, Pin, SourcesRead, Staleness
from briefkit.briefs.entries import IndexKey, encoded, new_entry
from briefkit.briefs.index import BriefIndex, open_index

from .harness import Row, paired, paired_commands

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Operations = tuple[Callable[[], object], Callable[[], object]]
    """One get and one put, as a raw client makes them."""

_SUPPORT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "support")
_PACKAGE = PackageId("npm", "sequelize", "6.37.3")
_ANSWER = Answer(
    "Does Model.bulkCreate exist?",
    tuple(Finding(f"`Model.bulkCreate(records, options)` inserts many rows ({number}). " * 4) for number in range(12)),
    0.9,
    tuple(Citation("lib/model.js", line, line + 80, 1, "a" * 64, _PACKAGE) for line in range(4)),
    (Pin(_PACKAGE, "6.37.3", "6.37.3", "6.37.3 sha512-x", "d" * 64),),
    SourcesRead(4, 1, 0),
    Staleness(LOW, "pinned version, checked lockfile"),
)
_KEY = IndexKey("bench", "npm", "sequelize", "6.37.3", "d" * 64, _ANSWER.question)
_OURS = """
import sys
from briefkit.briefs.entries import IndexKey
from briefkit.briefs.index import open_index
index = open_index("sqlite:" + sys.argv[1], namespace="bench")
found = index.lookup(IndexKey("bench", "npm", "sequelize", "6.37.3", "d" * 64, "Does Model.bulkCreate exist?"))
index.close()
assert found.entry
"""
_RAW = """
import json, sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
(body,) = connection.execute("SELECT body FROM entry WHERE key = ?", (sys.argv[2],)).fetchone()
connection.close()
assert json.loads(body.partition(b"\\n")[2])
"""


def rows(quick: bool) -> list[Row]:
    """All rows; those of a server only where it is installed."""
    folder = tempfile.mkdtemp(prefix="briefkit-bench-")
    try:
        found = [
            *_opening(folder, quick),
            *_store_rows("sqlite", f"sqlite:{folder}/ops/index.db", _raw_sqlite(folder), quick),
        ]
        with contextlib.suppress(ImportError):
            found += _store_rows("diskcache", f"diskcache:{folder}/cache", _raw_diskcache(folder), quick)
        found += _server_rows(quick)
        return found
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _opening(folder: str, quick: bool) -> Iterator[Row]:
    path = f"{folder}/index/index.db"
    with _opened(f"sqlite:{path}") as index:
        index.put(_KEY, _ANSWER)
    ours, raw = [sys.executable, "-c", _OURS, path], [sys.executable, "-c", _RAW, path, _KEY.id]
    value, baseline = paired_commands(ours, raw, repeats=9 if quick else 25)
    yield Row("index", "sqlite: open + get + close, fresh process", "wall", "s", value, baseline, "<= 2.5")
    times = 20 if quick else 100
    value, baseline = paired(
        lambda: [_open_and_get(path) for _ in range(times)], lambda: [_raw_open_and_get(path) for _ in range(times)], 9
    )
    yield Row(
        "index", "sqlite: open + get + close, in one process", "wall", "s", value / times, baseline / times, "<= 3"
    )


def _opened(url: str) -> BriefIndex:
    return open_index(url, namespace="bench")


def _open_and_get(path: str) -> bool:
    index = _opened(f"sqlite:{path}")
    found = index.lookup(_KEY, counted=False).entry
    index.close()
    return found is not None


def _raw_open_and_get(path: str) -> object:
    connection = sqlite3.connect(path)
    (body,) = connection.execute("SELECT body FROM entry WHERE key = ?", (_KEY.id,)).fetchone()
    connection.close()
    return _parsed(body)


def _store_rows(kind: str, url: str, raw: Operations, quick: bool) -> Iterator[Row]:
    """Operations a second on an open store, beside the raw client's."""
    gets, puts = (100, 10) if quick else (500, 50)
    with _opened(url) as index:
        index.put(_KEY, _ANSWER)
        ours: Operations = (
            lambda: index.lookup(_KEY, verify=lambda _: None, counted=False).entry,
            lambda: index.engine.put(encoded(new_entry(_KEY, _ANSWER, now=index.engine.now()))),
        )
        for name, times, mine, theirs in (("get", gets, ours[0], raw[0]), ("put", puts, ours[1], raw[1])):
            assert mine() is not None or name == "put"
            value, baseline = paired(
                lambda call=mine, n=times: [call() for _ in range(n)],  # type: ignore[misc]
                lambda call=theirs, n=times: [call() for _ in range(n)],  # type: ignore[misc]
                3 if quick else 7,
            )
            yield Row("index", f"{kind}: {name}", "rate", "operations/s", times / value, times / baseline)


def _body() -> bytes:
    return encoded(new_entry(_KEY, _ANSWER, now=1.8e9)).body


def _parsed(body: Any) -> object:  # noqa: ANN401 - what a client returns
    return json.loads(bytes(body).partition(b"\n")[2])


def _raw_sqlite(folder: str) -> Operations:
    connection = sqlite3.connect(f"{folder}/raw.db", isolation_level=None)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE entry(key TEXT PRIMARY KEY, body BLOB)")

    def put() -> None:
        connection.execute("INSERT OR REPLACE INTO entry VALUES (?, ?)", (_KEY.id, _body()))

    put()
    return lambda: _parsed(connection.execute("SELECT body FROM entry WHERE key = ?", (_KEY.id,)).fetchone()[0]), put


def _raw_diskcache(folder: str) -> Operations:
    import diskcache

    cache = diskcache.Cache(
        f"{folder}/raw-cache", eviction_policy="none", sqlite_journal_mode="delete", sqlite_synchronous=2
    )
    cache.set(_KEY.id, _body())
    return lambda: _parsed(cache.get(_KEY.id)), lambda: cache.set(_KEY.id, _body())


def _server_rows(quick: bool) -> Iterator[Row]:
    sys.path.insert(0, _SUPPORT)
    try:
        import brief_servers
    except ImportError:
        return
    for kind, server_type, raw_of in (
        ("redis", brief_servers.RedisServer, _raw_redis),
        ("postgresql", brief_servers.PostgresqlServer, _raw_postgresql),
    ):
        if brief_servers.why_not(server_type) is None:
            server = server_type()
            server.start()
            try:
                yield from _store_rows(kind, server.url, raw_of(server.url), quick)
            finally:
                server.close()


def _raw_redis(url: str) -> Operations:
    import redis

    client = redis.Redis.from_url(url)
    client.set("raw", _body())
    return lambda: _parsed(client.get("raw")), lambda: client.set("raw", _body())


def _raw_postgresql(url: str) -> Operations:
    import psycopg

    connection = psycopg.connect(url, autocommit=True)
    connection.execute("CREATE TABLE raw(key text PRIMARY KEY, body bytea)")

    def put() -> None:
        connection.execute(
            "INSERT INTO raw VALUES (%s, %s) ON CONFLICT (key) DO UPDATE SET body = excluded.body", (_KEY.id, _body())
        )

    def get() -> object:
        found = connection.execute("SELECT body FROM raw WHERE key = %s", (_KEY.id,)).fetchone()
        return _parsed(found[0] if found else b"")

    put()
    return get, put

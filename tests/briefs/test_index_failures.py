"""What goes wrong around an index: each case gives the right answer or a clear refusal, never a wrong brief, never a hang."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest
from brief_kinds import ON_DISK, SERVED, only
from brief_stores import ANSWER, NOW, Clock, holds, key, open_for_test

from briefkit.briefs import entries
from briefkit.briefs.flight import answer_once
from briefkit.briefs.stores.sqlite_schema import has_wal_reset_bug
from briefkit.errors import IndexUnavailableError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from briefkit.briefs.brief import Answer

pytest_plugins = ["brief_fixtures"]


@pytest.fixture
def tmp_path(quick_folder: Path) -> Path:
    return quick_folder


HUNDRED = range(100)
as_root = os.geteuid() == 0


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An index file of a hundred answers of 2 KB."""
    path = tmp_path / "index" / "index.db"
    with open_for_test(f"sqlite:{path}") as index:
        index.put(key("0"), answer(0))
    rows = [entries.encoded(entries.new_entry(key(str(number)), answer(number), now=NOW)) for number in HUNDRED[1:]]
    with contextlib.closing(sqlite3.connect(path)) as filling:
        filling.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        filling.commit()
    return path


def answer(number: int) -> Answer:
    return ANSWER._replace(lead=f"{number} " + "x" * 2000)


def served(path: Path) -> tuple[int, int, set[str]]:
    """How many answers are served right, how many wrong, and the reasons of the misses."""
    right = wrong = 0
    reasons: set[str] = set()
    with open_for_test(f"sqlite:{path}") as index:
        for number in HUNDRED:
            lookup = index.lookup(key(str(number)), verify=holds)
            index._broken_until = 0.0
            if lookup.entry is None:
                reasons.add(lookup.reason)
            elif lookup.entry.answer == answer(number):
                right += 1
            else:
                wrong += 1
    return right, wrong, reasons


def test_an_index_that_was_left_alone_serves_everything(file: Path) -> None:
    assert served(file) == (100, 0, set())


# damage

GARBAGE = os.urandom(64 * 1024)


def _middle(data: bytes) -> bytes:
    half = len(data) // 2
    return data[:half] + GARBAGE + data[half + len(GARBAGE) :]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "garbage in the middle": _middle,
    "garbage at the head": lambda data: GARBAGE[:200] + data[200:],
    "truncated": lambda data: data[: len(data) // 2],
    "a text file": lambda _: b"not a database, just text\n" * 100,
    "single bits": lambda data: bytes(byte ^ (1 if at % 5000 == 4999 else 0) for at, byte in enumerate(data)),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_never_gives_a_wrong_answer_and_is_replaced_at_the_next_write(
    file: Path, damage: Callable[[bytes], bytes]
) -> None:
    file.write_bytes(damage(file.read_bytes()))
    right, wrong, reasons = served(file)
    assert wrong == 0
    assert right < 100
    assert reasons <= {"absent", "corrupt", "unavailable", "other-identity"}
    with open_for_test(f"sqlite:{file}") as index:
        # the damage may show only at a later put, and what was put before it lies in the file that was moved aside
        for number in (*HUNDRED, *HUNDRED):
            assert index.put(key(str(number)), answer(number)) is not None
    assert served(file) == (100, 0, set())


def test_a_damaged_file_is_moved_aside_by_exactly_one_of_many_processes(file: Path) -> None:
    file.write_bytes(b"garbage" * 1000)
    children = []
    for number in range(8):
        child = os.fork()
        if child == 0:
            with open_for_test(f"sqlite:{file}") as index:
                kept = index.put(key(str(number)), answer(number))
            os._exit(0 if kept else 1)
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert codes == [0] * 8
    assert len([name for name in os.listdir(file.parent) if ".corrupt-" in name]) == 1
    assert served(file)[:2] == (8, 0)


def test_a_file_of_no_bytes_is_an_empty_index(file: Path) -> None:
    file.write_bytes(b"")
    assert served(file) == (0, 0, {"absent"})
    with open_for_test(f"sqlite:{file}") as index:
        index.put(key("1"), answer(1))
    assert served(file)[0] == 1


def test_a_database_of_somebody_else_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    with contextlib.closing(sqlite3.connect(path)) as theirs:
        theirs.execute("CREATE TABLE mine(x)")
        theirs.commit()
    path.chmod(0o600)
    before = path.read_bytes()
    with open_for_test(f"sqlite:{path}") as index:
        assert index.lookup(key()).reason == "unavailable"
        index._broken_until = 0.0
        assert index.put(key(), ANSWER) is None
        assert index.warnings == [f"index: {path}: not an index of briefkit, or one that was tampered with"]
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM entry; END",
        "CREATE VIEW v AS SELECT * FROM entry",
        "CREATE TABLE more(x)",
        "DROP TABLE lease",
    ],
)
def test_an_index_whose_shape_was_changed_is_not_read_and_is_begun_anew_at_the_next_write(
    file: Path, statement: str
) -> None:
    with contextlib.closing(sqlite3.connect(file)) as tampered:
        tampered.execute(statement)
        tampered.commit()
    assert served(file) == (0, 0, {"unavailable"})
    with open_for_test(f"sqlite:{file}") as index:
        assert index.put(key("1"), answer(1)) is not None
    assert served(file) == (1, 0, {"absent"})


def test_an_index_of_a_newer_schema_is_refused_and_left_alone(file: Path) -> None:
    with contextlib.closing(sqlite3.connect(file)) as newer:
        newer.execute("ALTER TABLE entry ADD COLUMN more TEXT")
        newer.execute("PRAGMA user_version = 2")
        newer.commit()
    before = file.read_bytes()
    with open_for_test(f"sqlite:{file}") as index:
        assert index.put(key(), ANSWER) is None
        assert "schema 2, newer than this briefkit reads (1)" in index.warnings[0]
    assert file.read_bytes() == before


def test_columns_of_every_wrong_type_are_misses(file: Path) -> None:
    values = (None, 1, 1.5, "text", b"", b"\xff" * 10)
    with contextlib.closing(sqlite3.connect(file)) as tampered:
        tampered.execute("PRAGMA ignore_check_constraints = 1")
        for number, value in enumerate(values):
            for column in ("body", "name", "version", "verified", "expires"):
                with contextlib.suppress(sqlite3.IntegrityError):
                    tampered.execute(f"UPDATE entry SET {column} = ? WHERE key = ?", (value, key(str(number)).id))
        tampered.commit()
    right, wrong, reasons = served(file)
    assert (right, wrong, reasons) == (94, 0, {"corrupt"}) or (right, wrong, reasons) == (95, 0, {"corrupt"})
    with open_for_test(f"sqlite:{file}") as index:
        assert len(list(index.entries())) == right


# places


def test_reading_creates_nothing(tmp_path: Path) -> None:
    with open_for_test(f"sqlite:{tmp_path}/no/index.db") as index:
        assert index.lookup(key()).reason == "absent"
        assert list(index.entries()) == []
        assert not index.delete(key().id)
        assert index.prune() == 0
    assert os.listdir(tmp_path) == []


def test_reading_leaves_the_file_untouched(file: Path) -> None:
    before = file.read_bytes(), file.stat().st_mtime_ns, sorted(os.listdir(file.parent))
    with open_for_test(f"sqlite:{file}") as index:
        assert index.lookup(key("1"), counted=False).reason == "hit"
        assert len(list(index.entries())) == 100
    assert (file.read_bytes(), file.stat().st_mtime_ns, sorted(os.listdir(file.parent))) == before


def test_a_read_only_folder_is_read_and_a_put_there_is_refused_with_one_warning(file: Path) -> None:
    script = """
import sys
sys.path[:0] = sys.argv[2:]
from brief_stores import *
with open_for_test("sqlite:" + sys.argv[1]) as index:
    print(index.lookup(key("1")).reason, index.put(key("2"), ANSWER), index.put(key("3"), ANSWER), len(index.warnings))
    print(index.warnings[0].partition(": ")[2].rpartition("(")[0])
"""
    file.chmod(0o644)
    file.parent.chmod(0o555)
    file.parent.parent.chmod(0o755)
    command = [sys.executable, "-c", script, str(file), *sys.path]
    if as_root:
        shutil.chown(file, 0, 0)
        command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command]
        if shutil.which("setpriv") is None:
            pytest.skip("setpriv is not here, and root may write everywhere")
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, timeout=60)
    finally:
        file.parent.chmod(0o755)
    assert (done.stdout, done.returncode) == (f"hit None None 1\n{file}: cannot be written \n", 0), done.stderr


def test_a_file_that_others_may_write_is_refused(file: Path) -> None:
    file.chmod(0o666)
    with open_for_test(f"sqlite:{file}") as index:
        assert index.lookup(key("1")).reason == "unavailable"
        assert index.warnings == [
            f"index: {file}: the index can be written by others. Make it yours alone (chmod go-w)."
        ]


def test_what_is_created_is_the_owners_alone(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        with open_for_test(f"sqlite:{tmp_path}/new/index.db") as index:
            index.put(key(), ANSWER)
    finally:
        os.umask(old)
    modes = [stat.S_IMODE((tmp_path / "new" / name).stat().st_mode) for name in (".", "index.db", "index.db.stats")]
    assert modes == [0o700, 0o600, 0o600]


@only(*ON_DISK)
def test_many_processes_may_create_the_index_at_once(url: str) -> None:
    children = []
    for number in range(12):
        child = os.fork()
        if child == 0:
            with open_for_test(url) as index:
                kept = index.put(key(str(number)), ANSWER)
            os._exit(0 if kept else 1)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * 12
    with open_for_test(url) as index:
        assert len(list(index.entries())) == 12


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 3 MB."""
    place = tmp_path / "small"
    place.mkdir(mode=0o700)
    mounted = as_root and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m,mode=700", "tmpfs", str(place)], capture_output=True, check=False
    )
    if not mounted or mounted.returncode:
        pytest.skip("a small file system can be mounted by root alone")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=False)


@pytest.mark.parametrize("kind", ON_DISK)
def test_a_full_disk_refuses_the_answer_keeps_the_old_ones_and_stops_no_work(small_disk: Path, kind: str) -> None:
    url = f"sqlite:{small_disk}/index.db" if kind == "sqlite" else f"diskcache:{small_disk}/index"
    kept = []
    big = ANSWER._replace(lead="y" * 60_000)
    with open_for_test(url) as index:
        for number in range(200):
            if index.put(key(str(number)), big) is None:
                break
            kept.append(number)
        assert 10 < len(kept) < 60
        assert index.warnings == [f"index: {url.partition(':')[2]}: the disk is full"]
        flight = answer_once(index, key("one more"), lambda: big)
        assert (flight.answer, flight.entry) == (big, None)
    with open_for_test(url) as index:
        assert [index.lookup(key(str(number))).entry is not None for number in kept] == [True] * len(kept)
        assert index.health().facts.get("integrity", "ok") == "ok"


# processes that stop in the wrong place


def _paused_inside(url: str, *, exclusive: bool) -> int:
    """A child that holds the write lock of an index on disk and does not go on."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        path = url.partition(":")[2]
        path = path if url.startswith("sqlite") else f"{path}/cache.db"
        connection = sqlite3.connect(path, isolation_level=None, timeout=5)
        connection.execute("BEGIN EXCLUSIVE" if exclusive else "BEGIN IMMEDIATE")
        os.write(writer, b"x")
        time.sleep(60)
        os._exit(0)
    os.read(reader, 1)
    os.close(reader)
    os.close(writer)
    return child


@only(*ON_DISK)
@pytest.mark.parametrize("exclusive", [False, True], ids=["in a transaction", "in a commit"])
def test_a_writer_that_is_paused_costs_a_reader_at_most_a_moment(
    url: str, exclusive: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = "sqlite" if url.startswith("sqlite") else "diskcache_store"
    monkeypatch.setattr(f"briefkit.briefs.stores.{module}.WRITE_TIMEOUT", 0.3)
    with open_for_test(url) as index:
        index.put(key(), ANSWER)
    child = _paused_inside(url, exclusive=exclusive)
    try:
        begun = time.monotonic()
        with open_for_test(url) as index:
            reason = index.lookup(key()).reason
            read = time.monotonic() - begun
            index._broken_until = 0.0
            assert index.put(key("2"), ANSWER) is None
            assert index.warnings == [f"index: {url.partition(':')[2]}: another process holds the index"]
        assert reason == ("unavailable" if exclusive else "hit")
        assert read < 1.5
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    with open_for_test(url) as index:
        assert index.lookup(key()).reason == "hit"
        assert index.put(key("2"), ANSWER) is not None


@only(*ON_DISK)
def test_a_child_forked_in_the_middle_of_a_threads_transaction_works_and_the_transaction_is_kept(url: str) -> None:
    index = open_for_test(url)
    index.put(key("first"), ANSWER)
    inside, go_on = threading.Event(), threading.Event()
    before = index.engine.clock  # type: ignore[attr-defined]

    def slow_clock() -> float:
        inside.set()
        go_on.wait(10)
        return float(before())

    def write() -> None:
        # the clock is asked inside the transaction
        index.engine.clock = slow_clock  # type: ignore[attr-defined]
        index.engine.fail(key("x").id, "nobody", 1, 1.0)
        index.engine.clock = before  # type: ignore[attr-defined]

    lease = index.engine.acquire(key("x").id, "nobody", 30)
    assert lease.won
    thread = threading.Thread(target=write)
    thread.start()
    inside.wait(10)
    child = os.fork()
    if child == 0:
        index.engine.clock = before  # type: ignore[attr-defined]
        os._exit(0 if index.lookup(key("first")).reason == "hit" else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    go_on.set()
    thread.join(10)
    refused = index.engine.acquire(key("x").id, "other", 30)
    assert (refused.won, refused.backing_off, refused.failures) == (False, True, 1)
    index.close()


def test_a_spawned_child_may_use_the_same_url(file: Path) -> None:
    script = "import sys; sys.path[:0] = sys.argv[2:]\nfrom brief_stores import *\n"
    script += "with open_for_test('sqlite:' + sys.argv[1]) as index: print(index.lookup(key('1')).reason)"
    with open_for_test(f"sqlite:{file}") as index:
        index.lookup(key("1"))
        done = subprocess.run(
            [sys.executable, "-c", script, str(file), *sys.path],
            capture_output=True,
            encoding="utf-8",
            check=True,
            timeout=60,
        )
    assert done.stdout == "hit\n"


# clocks


@only("memory", *ON_DISK)
@pytest.mark.parametrize("years", [1, -1])
def test_a_clock_a_year_off_serves_nothing_wrong_and_removes_nothing(url: str, years: int) -> None:
    clock = Clock()
    with open_for_test(url, clock=clock) as index:
        index.put(key("right"), ANSWER)
        clock.now = NOW + years * 365 * 86400
        assert index.lookup(key("right")).reason == ("expired" if years > 0 else "future")
        index.put(key("off"), ANSWER)
        assert index.lookup(key("off")).reason == "hit"
        if years < 0:
            assert index.prune() == 0
        clock.now = NOW
        assert index.lookup(key("right")).reason == "hit"
        assert index.lookup(key("off")).reason == ("future" if years > 0 else "expired")


def test_a_server_goes_by_its_own_clock(namespace: str, tmp_path: Path) -> None:
    from brief_fixtures import url_of

    for kind in SERVED:
        with open_for_test(url_of(kind, tmp_path), namespace, Clock(NOW + 365 * 86400)) as ahead:
            ahead.put(key(namespace=namespace), ANSWER)
        with open_for_test(url_of(kind, tmp_path), namespace, Clock(NOW - 365 * 86400)) as behind:
            assert behind.lookup(key(namespace=namespace), verify=holds).reason == "hit"


# servers that are down


@only(*SERVED)
def test_a_frozen_server_is_a_miss_within_a_second_and_a_half_and_the_next_call_at_once(
    kind: str, namespace: str, url: str
) -> None:
    from brief_fixtures import server_of

    warm, cold = open_for_test(url, namespace), open_for_test(url, namespace)
    warm.put(key(namespace=namespace), ANSWER)
    server = server_of(kind)
    server.signal(signal.SIGSTOP)
    try:
        for index in (warm, cold):
            begun = time.monotonic()
            assert index.lookup(key(namespace=namespace), verify=holds).reason == "unavailable"
            assert time.monotonic() - begun < 1.5
            begun = time.monotonic()
            flight = answer_once(index, key(namespace=namespace), lambda: ANSWER, verify=holds)
            index.close()
            assert (flight.answer, flight.entry, flight.reason) == (ANSWER, None, "unavailable")
            assert time.monotonic() - begun < 0.2
            assert len(index.warnings) == 1
    finally:
        server.signal(signal.SIGCONT)


@only(*SERVED)
def test_a_port_where_nobody_listens_is_a_miss_that_names_the_place_and_no_password(
    kind: str, unused_port: int
) -> None:
    scheme = "redis" if kind == "redis" else "postgresql"
    with open_for_test(f"{scheme}://user:hunter2secret@127.0.0.1:{unused_port}/0") as index:
        assert index.lookup(key(), verify=holds).reason == "unavailable"
        assert f"{scheme}://127.0.0.1:{unused_port}" in index.warnings[0]
        assert "hunter2secret" not in index.warnings[0]
    with pytest.raises(IndexUnavailableError, match="127.0.0.1") as raised:
        index.health()
    assert "hunter2secret" not in str(raised.value)


@pytest.mark.parametrize("scheme", ["redis", "postgresql"])
def test_a_name_that_is_looked_up_for_ever_is_a_miss_within_a_second_and_a_half(
    scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = threading.Event()

    def never(*_: object, **__: object) -> list[object]:
        over.wait(20)
        raise OSError("no such host")

    monkeypatch.setattr("socket.getaddrinfo", never)
    begun = time.monotonic()
    with open_for_test(f"{scheme}://slow.example:1/0") as index:
        assert index.lookup(key(), verify=holds).reason == "unavailable"
    assert time.monotonic() - begun < 1.5
    over.set()


@pytest.fixture
def unused_port() -> int:
    from brief_servers import free_port

    return free_port()


@only("postgresql")
def test_a_role_without_rights_reads_nothing_of_a_namespace_and_writes_nothing(
    kind: str, url: str, namespace: str
) -> None:
    import psycopg

    with open_for_test(url, namespace) as index:
        index.put(key(namespace=namespace), ANSWER)
    role = f"role_{namespace}"
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(f"CREATE ROLE {role} LOGIN".encode())
    assert kind == "postgresql"
    with open_for_test(url.replace("postgres@", f"{role}@"), namespace) as stranger:
        assert stranger.lookup(key(namespace=namespace), verify=holds).reason == "unavailable"
        assert stranger.put(key(namespace=namespace), ANSWER) is None
        assert "InsufficientPrivilege" in stranger.warnings[0]
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(f"GRANT USAGE ON SCHEMA briefkit_{namespace} TO {role}".encode())
        admin.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA briefkit_{namespace} TO {role}".encode())
    with open_for_test(url.replace("postgres@", f"{role}@"), namespace) as reader:
        assert reader.lookup(key(namespace=namespace), verify=holds).reason == "hit"
        assert reader.put(key(namespace=namespace), ANSWER) is None


@only("redis")
def test_doctor_warns_of_a_redis_that_evicts_or_keeps_nothing(kind: str, url: str) -> None:
    import redis

    assert kind == "redis"
    with contextlib.closing(redis.Redis.from_url(url)) as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
        client.config_set("appendonly", "no")
        try:
            with open_for_test(url) as index:
                warnings = index.health().warnings
        finally:
            client.config_set("maxmemory-policy", "noeviction")
            client.config_set("appendonly", "yes")
    assert [warning.partition(":")[0] for warning in warnings] == [
        "eviction policy 'allkeys-lru' removes entries and leases silently",
        "no append-only file",
    ]


def test_a_redis_that_is_full_refuses_and_says_so(namespace: str, tmp_path: Path) -> None:
    import redis
    from brief_fixtures import url_of

    url = url_of("redis", tmp_path)
    with contextlib.closing(redis.Redis.from_url(url)) as client:
        client.config_set("maxmemory", "1mb")
        try:
            with open_for_test(url, namespace) as index:
                assert index.put(key(namespace=namespace), ANSWER) is None
                assert "maxmemory" in index.warnings[0]
                assert index.lookup(key(namespace=namespace), verify=holds).reason == "absent"
        finally:
            client.config_set("maxmemory", "0")


# diskcache's own dangers


def test_a_pickle_in_a_diskcache_folder_is_never_loaded_and_no_file_outside_is_touched(tmp_path: Path) -> None:
    import pickle

    canary, outside = tmp_path / "canary", tmp_path / "outside"
    outside.write_text("kept", encoding="utf-8")

    class Payload:
        def __reduce__(self) -> tuple[object, ...]:
            return open, (str(canary), "w")

    url = f"diskcache:{tmp_path}/index"
    with open_for_test(url) as index:
        for number in range(3):
            index.put(key(str(number)), ANSWER)
    with contextlib.closing(sqlite3.connect(tmp_path / "index" / "cache.db")) as planted:
        row = "entry:" + key("0").id, "entry:" + key("1").id
        planted.execute("UPDATE Cache SET mode = 4, value = ? WHERE key = ?", (pickle.dumps(Payload()), row[0]))
        planted.execute("UPDATE Cache SET mode = 2, filename = '../outside', value = NULL WHERE key = ?", (row[1],))
        planted.execute("INSERT INTO Cache(key, raw, mode, value) VALUES (?, 0, 1, ?)", (pickle.dumps(Payload()), b""))
        planted.commit()
    for number, reason in enumerate(("unavailable", "unavailable", "hit")):
        with open_for_test(url) as index:
            assert index.lookup(key(str(number))).reason == reason
    with open_for_test(url) as index:
        assert index.delete(key("1").id)
        with pytest.raises(IndexUnavailableError, match="not a sound diskcache folder"):
            list(index.entries())
    assert not canary.exists()
    assert outside.read_text(encoding="utf-8") == "kept"


# asking


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "'' is not the URL of an index"),
        ("mysql://u:secret@h/x", "'mysql://h/x' is not the URL of an index"),
        ("sqlite:", "'sqlite:' needs the path of a file or folder"),
        ("sqlite:a\0b", "'sqlite:' needs the path of a file or folder"),
    ],
)
def test_a_url_that_names_no_index_is_refused_without_its_secret(url: str, said: str) -> None:
    with pytest.raises(UsageError) as raised:
        open_for_test(url)
    assert str(raised.value).partition(". ")[0] == said


def test_wal_is_refused_where_the_linked_library_can_lose_writes_in_it() -> None:
    versions = [
        (3, 6, 23),
        (3, 7, 0),
        (3, 40, 1),
        (3, 44, 5),
        (3, 44, 6),
        (3, 50, 6),
        (3, 50, 7),
        (3, 51, 2),
        (3, 51, 3),
    ]
    assert [has_wal_reset_bug(version) for version in versions] == [
        False, True, True, True, False, True, False, True, False,
    ]  # fmt: skip


def test_a_store_that_works_the_same_after_close(file: Path) -> None:
    index = open_for_test(f"sqlite:{file}")
    assert index.lookup(key("1")).reason == "hit"
    index.close()
    assert index.lookup(key("2")).reason == "hit"
    assert index.put(key("new"), ANSWER) is not None
    index.close()


def test_a_file_that_is_replaced_while_open_is_opened_anew(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with open_for_test(f"sqlite:{other}") as index:
        index.put(key("theirs"), ANSWER)
    with open_for_test(f"sqlite:{file}") as index:
        assert index.lookup(key("1")).reason == "hit"
        os.replace(other, file)
        assert index.lookup(key("1")).reason == "absent"
        assert index.lookup(key("theirs")).reason == "hit"

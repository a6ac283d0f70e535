"""The brief index under load, kills and pauses: each run forks its workers, counts what they saw and prints it as JSON.

    python tests/support/brief_workers.py mixed   --url sqlite:/tmp/x/index.db --processes 8 --operations 5000
    python tests/support/brief_workers.py kills   --url … --kills 100
    python tests/support/brief_workers.py servers --kind redis --kills 10
    python tests/support/brief_workers.py flights --url … --rounds 30

Counted are outcomes, never times: `lost` acknowledged entries, `torn` ones, `backwards` reads (older than one seen before),
`errors` (warnings of the index), and for flights the researches, the fenced, the hung.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import random
import signal
import sys
import tempfile
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from brief_stores import ANSWER, holds

from briefkit.briefs.brief import Answer, Finding
from briefkit.briefs.entries import IndexKey
from briefkit.briefs.flight import Terms, answer_once
from briefkit.briefs.index import BriefIndex, open_index

if TYPE_CHECKING:
    from collections.abc import Callable

KEYS_EACH = 40
VALUE = 4096
FLIGHT_LEASE = 2.0
ASKERS = 6


def key(question: str) -> IndexKey:
    return IndexKey("load", "npm", "sequelize", "6.37.3", "d" * 64, question, "source")


def answer_for(writer: int, slot: int, number: int) -> Answer:
    """An answer of about 4 KB that carries its own checksum."""
    noise = hashlib.sha256(f"{writer}/{slot}/{number}".encode()).hexdigest() * (VALUE // 64)
    return ANSWER._replace(lead=f"{writer} {slot} {number}", findings=(Finding(noise), Finding(_sum(noise))))


def _sum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def number_in(answer: Answer, writer: int, slot: int) -> int | None:
    """The number an answer was written with; None where it is torn or somebody else's."""
    noise, checksum = answer.findings
    parts = answer.lead.split()
    if _sum(noise.text) != checksum.text or parts[:2] != [str(writer), str(slot)]:
        return None
    return int(parts[2])


def slot_key(writer: int, slot: int) -> IndexKey:
    return key(f"writer {writer} slot {slot}")


class Log:
    """Lines that survive the death of who wrote them: one append a line, after the fact."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def add(self, *words: object) -> None:
        os.write(self._handle, (" ".join(map(str, words)) + "\n").encode())

    def lines(self) -> list[list[str]]:
        with open(self.path, encoding="ascii") as file:
            return [line.split() for line in file.read().splitlines()]


def forked(work: Callable[[], None]) -> int:
    """The pid of a child that does the work and exits 0, or 1 with a trace."""
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:  # noqa: BLE001 - the child must not return into the parent's code
            import traceback

            traceback.print_exc()
        finally:
            os._exit(code)
    return pid


def waited(pids: list[int], seconds: float) -> dict[int, int | None]:
    """Each child's exit code (negative: its signal); None and killed where it is not done in time."""
    ends = time.monotonic() + seconds
    codes: dict[int, int | None] = {}
    for pid in pids:
        while True:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                codes[pid] = os.waitstatus_to_exitcode(status)
                break
            if time.monotonic() > ends:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                codes[pid] = None
                break
            time.sleep(0.005)
    return codes


def opened(url: str) -> BriefIndex:
    return open_index(url, namespace="load")


# mixed operations


def mixed(url: str, processes: int, operations: int, share: float) -> dict[str, Any]:
    """Every process puts into its own slots and reads everybody's."""
    with tempfile.TemporaryDirectory() as folder:
        acks, notes = Log(f"{folder}/acks"), Log(f"{folder}/notes")
        begun = time.monotonic()
        pids = [forked(partial(_mix, url, me, processes, operations, share, acks, notes)) for me in range(processes)]
        codes = waited(pids, 1800)
        seconds = time.monotonic() - begun
        counts: dict[str, int] = {}
        for name, number in notes.lines():
            counts[name] = counts.get(name, 0) + int(number)
        lost, torn, entries = _compare(url, acks)
    return {
        "operations": processes * operations,
        "puts": counts.get("puts", 0),
        "lost": lost,
        "torn": torn + counts.get("torn", 0),
        "backwards": counts.get("backwards", 0),
        "errors": counts.get("errors", 0) + sum(code != 0 for code in codes.values()),
        "entries": entries,
        "operations_per_s": round(processes * operations / seconds),
    }


def _mix(url: str, me: int, processes: int, operations: int, share: float, acks: Log, notes: Log) -> None:
    dice = random.Random(me)
    last: dict[tuple[int, int], int] = {}
    counts = {"puts": 0, "torn": 0, "backwards": 0}
    base = time.time_ns() // 1000
    with opened(url) as index:
        for number in range(base, base + operations):
            slot = dice.randrange(KEYS_EACH)
            if dice.random() < share:
                if index.put(slot_key(me, slot), answer_for(me, slot, number)) is not None:
                    acks.add(me, slot, number)
                    counts["puts"] += 1
                continue
            writer = dice.randrange(processes)
            entry = index.lookup(slot_key(writer, slot), verify=holds, counted=False).entry
            if entry is None:
                continue
            seen = number_in(entry.answer, writer, slot)
            counts["torn"] += seen is None
            counts["backwards"] += (seen or 0) < last.get((writer, slot), 0)
            last[writer, slot] = seen or 0
        for warning in index.warnings:
            print(warning, file=sys.stderr)  # noqa: T201
        notes.add("errors", len(index.warnings))
    for name, count in counts.items():
        notes.add(name, count)


def _compare(url: str, acks: Log) -> tuple[int, int, int]:
    """How many acknowledged entries are lost or torn, and how many entries there are."""
    newest: dict[tuple[int, int], int] = {}
    for line in acks.lines():
        writer, slot, number = map(int, line)
        newest[writer, slot] = max(newest.get((writer, slot), 0), number)
    lost = torn = 0
    with opened(url) as index:
        for (writer, slot), number in newest.items():
            found = index.lookup(slot_key(writer, slot), verify=holds, counted=False)
            if found.entry is None:
                lost += 1
                continue
            stored = number_in(found.entry.answer, writer, slot)
            torn += stored is None
            lost += stored is not None and stored < number
        entries = sum(1 for _ in index.entries())
    return lost, torn, entries


# kill -9 of writers


def kills(url: str, count: int, writers: int = 4) -> dict[str, Any]:
    """Writers killed at random moments; after each round everything acknowledged must be there and whole."""
    dice = random.Random(7)
    killed = lost = torn = unsound = 0
    with tempfile.TemporaryDirectory() as folder:
        acks = Log(f"{folder}/acks")
        round_number = 0
        while killed < count:
            round_number += 1
            pids = [forked(partial(_write_until_killed, url, me, round_number, acks)) for me in range(writers)]
            time.sleep(dice.uniform(0.05, 0.4))
            for pid in pids:
                time.sleep(dice.uniform(0, 0.01))
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            killed += sum(code == -signal.SIGKILL for code in waited(pids, 60).values())
            _settle(url)
            now_lost, now_torn, _ = _compare(url, acks)
            lost, torn, unsound = lost + now_lost, torn + now_torn, unsound + (not _is_sound(url))
        acknowledged = len(acks.lines())
        aside = _leftovers(url)
    return {
        "kills": killed,
        "acknowledged": acknowledged,
        "lost": lost,
        "torn": torn,
        "unsound": unsound,
        "leftovers": aside,
    }


def _settle(url: str) -> None:
    """Wait until a server has no session of a killed client: what was in flight may still land, after a later write."""
    import psycopg
    import redis

    ends = time.monotonic() + 30
    others = 1
    while others and url.startswith(("redis", "postgresql")) and time.monotonic() < ends:
        if url.startswith("redis"):
            with contextlib.closing(redis.Redis.from_url(url)) as client:
                others = len(client.client_list()) - 1
        else:
            with psycopg.connect(url) as connection:
                found = connection.execute(
                    "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
                ).fetchone()
                others = found[0] if found else 0


def _write_until_killed(url: str, me: int, round_number: int, acks: Log) -> None:
    number = round_number * 1_000_000
    with opened(url) as index:
        while True:
            number += 1
            slot = number % KEYS_EACH
            if index.put(slot_key(me, slot), answer_for(me, slot, number)) is not None:
                acks.add(me, slot, number)
            elif index.warnings:
                raise RuntimeError(index.warnings[-1])


def _is_sound(url: str) -> bool:
    with opened(url) as index:
        return index.health().facts.get("integrity", "ok") == "ok"


def _leftovers(url: str) -> int:
    """Files beside the index that are neither it, its journal, nor its counters, after what a prune removes."""
    with opened(url) as index:
        index.prune()
    kind, _, path = url.partition(":")
    if kind not in ("sqlite", "diskcache"):
        return 0
    folder = os.path.dirname(path) if kind == "sqlite" else path
    name = os.path.basename(path) if kind == "sqlite" else "cache.db"
    ours = {name, name + "-journal", name + ".stats", "briefkit.stats"}
    return sum(1 for file in os.listdir(folder) if file not in ours)


# kill -9 of servers


def servers(kind: str, count: int) -> dict[str, Any]:
    """The server killed while writers write; they go on when it is back, and nothing acknowledged is lost."""
    import brief_servers

    dice = random.Random(11)
    server = brief_servers.RedisServer() if kind == "redis" else brief_servers.PostgresqlServer()
    server.start()
    try:
        with tempfile.TemporaryDirectory() as folder:
            acks, notes = Log(f"{folder}/acks"), Log(f"{folder}/notes")
            stop = f"{folder}/stop"
            url = server.url
            pids = [forked(partial(_write_through_kills, url, me, stop, acks, notes)) for me in range(4)]
            for _ in range(count):
                time.sleep(dice.uniform(0.4, 1.0))
                server.kill()
                server.start()
            time.sleep(1)
            with open(stop, "w", encoding="ascii"):
                pass
            codes = waited(pids, 60)
            lost, torn, entries = _compare(url, acks)
            return {
                "server_kills": count,
                "acknowledged": len(acks.lines()),
                "lost": lost,
                "torn": torn,
                "entries": entries,
                "reconnects": sum(int(number) for _, number in notes.lines()),
                "errors": sum(code != 0 for code in codes.values()),
            }
    finally:
        server.close()


def _write_through_kills(url: str, me: int, stop: str, acks: Log, notes: Log) -> None:
    number = reconnects = 0
    while not os.path.exists(stop):
        with opened(url) as index:
            while not index.warnings and not os.path.exists(stop):
                number += 1
                slot = number % KEYS_EACH
                if index.put(slot_key(me, slot), answer_for(me, slot, number)) is not None:
                    acks.add(me, slot, number)
        reconnects += bool(index.warnings)
        time.sleep(0.05)
    notes.add("reconnects", reconnects)


# single flight


def flights(url: str, rounds: int, together: int = 10) -> dict[str, Any]:
    """Rounds of askers of one question: undisturbed, with the holder killed, with the holder paused past its lease."""
    totals = dict.fromkeys(("quiet", "killed", "paused", "hung", "unanswered", "fenced", "too_many_researches"), 0)
    totals |= {"researches_quiet": 0, "researches_killed": 0, "researches_paused": 0}
    modes = [("quiet", "killed", "paused")[number % 3] for number in range(rounds)]
    run = f"{os.getpid()}-{time.time_ns()}"
    for first in range(0, rounds, together):
        batch = [(f"flight {run} {number}", modes[number]) for number in range(first, min(first + together, rounds))]
        for mode, result in _flight_batch(url, batch):
            totals[mode] += 1
            totals[f"researches_{mode}"] += result.pop("researches")
            for name, value in result.items():
                totals[name] += value
    return {"rounds": rounds, "askers": ASKERS, **totals}


def _flight_batch(url: str, batch: list[tuple[str, str]]) -> list[tuple[str, dict[str, int]]]:
    results = []
    with tempfile.TemporaryDirectory() as folder:
        started: list[tuple[str, str, Log, list[int]]] = []
        for question, mode in batch:
            place = f"{folder}/{len(started)}"
            os.mkdir(place)
            log = Log(f"{place}/log")
            shared = _spread(url, len(started))
            pids = [forked(partial(_ask, shared, question, mode, place, log)) for _ in range(ASKERS)]
            started.append((mode, place, log, pids))
        _resume_paused([(place, pids) for mode, place, _, pids in started if mode == "paused"])
        for mode, _, log, pids in started:
            codes = waited(pids, 90)
            results.append((mode, _judged(mode, log, codes)))
    return results


def _spread(url: str, number: int) -> str:
    """The URL of a round's index: on disk a few files, so that leases of two seconds in ten rounds do not keep one file locked for ever."""
    return f"{url}-{number % 5}" if url.startswith(("sqlite", "diskcache")) else url


def _judged(mode: str, log: Log, codes: dict[int, int | None]) -> dict[str, int]:
    lines = log.lines()
    researches = sum(line[0] == "research" for line in lines)
    answered = [line for line in lines if line[0] == "answered"]
    alive = sum(code == 0 for code in codes.values())
    fenced = sum(int(line[1]) for line in answered)
    most = 1 if mode == "quiet" else 2
    return {
        "researches": researches,
        "hung": sum(code is None for code in codes.values()),
        "unanswered": alive - len(answered) + sum(code not in (0, None, -signal.SIGKILL) for code in codes.values()),
        "fenced": fenced,
        "too_many_researches": int(researches > most),
    }


def _resume_paused(paused: list[tuple[str, list[int]]]) -> None:
    """Wake each paused holder when its lease has run out for certain."""
    wake: dict[str, float] = {}
    ends = time.monotonic() + 40
    while len(wake) < len(paused) and time.monotonic() < ends:
        for place, _ in paused:
            if place not in wake and os.path.exists(f"{place}/victim"):
                wake[place] = time.monotonic() + 2 * FLIGHT_LEASE
        time.sleep(0.02)
    for place, at in wake.items():
        time.sleep(max(at - time.monotonic(), 0))
        with open(f"{place}/victim", encoding="ascii") as file, contextlib.suppress(ProcessLookupError, ValueError):
            os.kill(int(file.read()), signal.SIGCONT)


def _ask(url: str, question: str, mode: str, place: str, log: Log) -> None:
    def research() -> Answer:
        log.add("research", os.getpid())
        time.sleep(0.1)
        if mode != "quiet":
            # not in the middle of a beat: a holder that is stopped inside a commit is another test's matter
            with getattr(index.engine, "_lock", contextlib.nullcontext()):
                _fall(mode, place)
        time.sleep(0.2)
        return ANSWER

    with opened(url) as index:
        terms = Terms(lease=FLIGHT_LEASE, deadline=60)
        flight = answer_once(index, key(question), research, verify=holds, terms=terms)
        if flight.answer == ANSWER:
            log.add("answered", flight.fenced)
        for warning in index.warnings:
            print(warning, file=sys.stderr)  # noqa: T201


def _fall(mode: str, place: str) -> None:
    """The first researcher of a round dies, or is stopped until somebody wakes it."""
    try:
        handle = os.open(f"{place}/claim", os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    except FileExistsError:
        return
    os.close(handle)
    with open(f"{place}/victim.new", "w", encoding="ascii") as file:
        file.write(str(os.getpid()))
    os.replace(f"{place}/victim.new", f"{place}/victim")
    os.kill(os.getpid(), signal.SIGKILL if mode == "killed" else signal.SIGSTOP)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", choices=("mixed", "kills", "servers", "flights"))
    parser.add_argument("--url")
    parser.add_argument("--kind", choices=("redis", "postgresql"))
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--operations", type=int, default=5000)
    parser.add_argument("--puts", type=float, default=0.05, help="share of operations that put")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args(arguments)
    runs: dict[str, Callable[[], dict[str, Any]]] = {
        "mixed": lambda: mixed(options.url, options.processes, options.operations, options.puts),
        "kills": lambda: kills(options.url, options.kills),
        "servers": lambda: servers(options.kind, options.kills),
        "flights": lambda: flights(options.url, options.rounds),
    }
    print(json.dumps(runs[options.run]()))  # noqa: T201
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

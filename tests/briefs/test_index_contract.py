"""One contract for every store, run against the real thing."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

import pytest
from brief_kinds import LASTING, ON_DISK, only
from brief_stores import ANSWER, NOW, Clock, holds, key, open_for_test

from briefkit.briefs import entries
from briefkit.briefs.brief import WEEK, Answer, Finding
from briefkit.briefs.exchange import export_lines, import_lines
from briefkit.briefs.flight import ResearchGaveUpError, Terms, answer_once
from briefkit.briefs.stores.port import BODY_LIMIT, Row
from briefkit.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from briefkit.briefs.index import BriefIndex

pytest_plugins = ["brief_fixtures"]


@pytest.fixture
def tmp_path(quick_folder: Path) -> Path:
    return quick_folder


HOSTILE_NAMES = (
    "../../etc/passwd",
    "C:\\x",
    "CON",
    "nul.txt",
    "a\0b",
    "x" * 5000,
    "\u202egnp.js",
    "p\u0430ndas",
    "@scope/../../x",
    "~root",
    "$HOME",
    "-rf",
    "two\nlines",
    "\ud800",
    "' OR 1=1 --",
    "*",
    "{}",
    "",
    "%s",
    "a:b@c",
)


class StopError(Exception):
    pass


@pytest.fixture
def index(url: str, namespace: str) -> Iterator[BriefIndex]:
    with open_for_test(url, namespace) as index:
        yield index


def own(index: BriefIndex, question: str = ANSWER.question, **parts: str) -> entries.IndexKey:
    return key(question, namespace=index.namespace)._replace(**parts)


def found(index: BriefIndex, of: entries.IndexKey) -> Answer | str:
    """The answer, or the reason of the miss."""
    lookup = index.lookup(of, verify=holds)
    return lookup.entry.answer if lookup.entry else lookup.reason


def stored_row(index: BriefIndex, of: entries.IndexKey) -> Row:
    return next(row for row in index.engine.rows() if row.key == of.id)


def test_what_was_put_is_found_and_what_was_not_is_absent(index: BriefIndex) -> None:
    index.put(own(index), ANSWER)
    assert found(index, own(index)) == ANSWER
    assert found(index, own(index, "Another?")) == "absent"


def test_every_part_of_the_key_tells_entries_apart(index: BriefIndex) -> None:
    index.put(own(index), ANSWER)
    others = [
        own(index, **{part: "other"}) for part in ("ecosystem", "name", "version", "digest", "question", "profile")
    ]
    assert [found(index, other) for other in others] == ["absent"] * 6


def test_white_space_and_the_final_mark_of_a_question_do_not_matter_and_letter_case_does(index: BriefIndex) -> None:
    index.put(own(index, "Does  Model.x\n exist?"), ANSWER)
    assert found(index, own(index, "Does Model.x exist")) == ANSWER
    assert found(index, own(index, "Does model.x exist")) == "absent"


def test_a_second_put_replaces_the_first(index: BriefIndex) -> None:
    index.put(own(index), ANSWER._replace(lead="old"))
    index.put(own(index), ANSWER)
    assert found(index, own(index)) == ANSWER
    assert len(list(index.entries())) == 1


def test_a_removed_entry_is_absent(index: BriefIndex) -> None:
    index.put(own(index), ANSWER)
    assert index.delete(own(index).id)
    assert not index.delete(own(index).id)
    assert found(index, own(index)) == "absent"


@only(*LASTING)
def test_another_connection_sees_what_was_put(index: BriefIndex, url: str) -> None:
    index.put(own(index), ANSWER)
    with open_for_test(url, index.namespace) as other:
        assert found(other, own(other)) == ANSWER


def test_namespaces_never_match(index: BriefIndex, url: str) -> None:
    index.put(own(index), ANSWER)
    with open_for_test(url, "elsewhere") as other:
        assert found(other, key(namespace="elsewhere")) == "absent"
    with pytest.raises(UsageError, match="namespace"):
        index.put(key(namespace="elsewhere"), ANSWER)


def test_hostile_names_are_kept_and_found_like_any_other(index: BriefIndex) -> None:
    keys = [own(index, name=name, version=name, question=name, profile=name) for name in HOSTILE_NAMES]
    for number, of in enumerate(keys):
        index.put(of, ANSWER._replace(lead=str(number)))
    for number, of in enumerate(keys):
        assert found(index, of) == ANSWER._replace(lead=str(number))
        assert of in [entry.key for entry in index.entries(of.ecosystem, of.name)]
    assert index.warnings == []


def test_texts_of_any_kind_come_back_as_they_went(index: BriefIndex) -> None:
    text = "\ud800 \0 \ufeff \r\n e\u0301 \u00e9 \U0010ffff '\"\\"
    answer = ANSWER._replace(findings=(Finding(text),), lead=text)
    index.put(own(index), answer)
    assert found(index, own(index)) == answer


def test_an_answer_over_the_limit_is_refused_by_name_and_the_old_one_stays(index: BriefIndex) -> None:
    index.put(own(index), ANSWER)
    assert index.put(own(index), ANSWER._replace(lead="x" * 10_000_000)) is None
    assert "more than the 1,048,576 that the index takes" in index.warnings[0]
    assert found(index, own(index)) == ANSWER


def test_an_answer_just_under_the_limit_is_kept(index: BriefIndex) -> None:
    answer = ANSWER._replace(lead="x" * (BODY_LIMIT - 2000))
    index.put(own(index), answer)
    assert found(index, own(index)) == answer


def test_entries_are_listed_in_order_and_by_package(index: BriefIndex) -> None:
    for name in ("b", "a", "c"):
        index.put(own(index, name=name), ANSWER)
    assert [entry.key.name for entry in index.entries()] == ["a", "b", "c"]
    assert [entry.key.name for entry in index.entries("npm", "b")] == ["b"]
    assert [entry.key.name for entry in index.entries("pypi")] == []


def test_more_entries_than_a_page_are_listed_once_each(index: BriefIndex) -> None:
    of = own(index)
    for number in range(205):
        row = entries.encoded(entries.new_entry(of._replace(question=str(number)), ANSWER, now=NOW))
        index.engine.put(row)
    listed = [entry.key.question for entry in index.entries()]
    assert sorted(map(int, listed)) == list(range(205))


def test_a_printed_key_or_its_beginning_finds_its_entry(index: BriefIndex) -> None:
    of = own(index, name="@scope/pkg")
    index.put(of, ANSWER)
    index.put(own(index), ANSWER)
    for text in (str(of), "npm:@scope/pkg@6.37.3", "npm:@scope/pkg", "@scope/pkg@6.37.3", "@scope/pkg"):
        assert [entry.key for entry in index.find(text)] == [of]
    assert index.find("npm:@scope/pkg@6.37.4") == ()


# intact, in time, true


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "garbage": lambda _: b"garbage",
    "truncated": lambda body: body[: len(body) // 2],
    "one word changed": lambda body: body.replace(b"bulkCreate", b"bulkDelete", 1),
    "last byte changed": lambda body: body[:-1] + b"]",
    "not text": lambda _: b"\xff\xfe" * 40,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_entry_is_a_miss_and_is_not_listed(index: BriefIndex, damage: Callable[[bytes], bytes]) -> None:
    index.put(own(index), ANSWER)
    row = stored_row(index, own(index))
    index.engine.put(row._replace(body=damage(row.body)))
    assert found(index, own(index)) == "corrupt"
    assert list(index.entries()) == []


def test_an_entry_of_another_key_in_its_place_is_a_miss(index: BriefIndex) -> None:
    index.put(own(index, version="6.0.0"), ANSWER)
    row = stored_row(index, own(index, version="6.0.0"))
    index.engine.put(row._replace(key=own(index).id, version="6.37.3"))
    assert found(index, own(index)) == "other-identity"


def test_an_entry_of_another_schema_is_a_miss(index: BriefIndex) -> None:
    index.put(own(index), ANSWER)
    row = stored_row(index, own(index))
    head, _, data = row.body.partition(b"\n")
    data = data.replace(b'"Does Model.bulkCreate exist",1,', b'"Does Model.bulkCreate exist",2,')
    import hashlib

    body = head[:-64] + hashlib.sha256(data).hexdigest().encode() + b"\n" + data
    index.engine.put(row._replace(body=body))
    assert found(index, own(index)) == "other-schema"


def aged(index: BriefIndex, seconds: float) -> Answer | str:
    """What a lookup says of an entry that was verified this long ago by the store's own time."""
    of = own(index, f"aged {seconds}")
    index.put_entry(entries.new_entry(of, ANSWER, now=index.engine.now() - seconds))
    return found(index, of)


def test_an_entry_ends_seven_days_after_it_was_verified_and_up_to_a_tenth_sooner(index: BriefIndex) -> None:
    assert aged(index, 0.89 * WEEK) == ANSWER
    assert aged(index, WEEK) == "expired"


def test_entries_of_one_hour_do_not_end_in_one_hour() -> None:
    ends = [entries.new_entry(key(str(number)), ANSWER, now=NOW).expires_at for number in range(200)]
    assert all(NOW + 0.9 * WEEK <= end <= NOW + WEEK for end in ends)
    assert max(ends) - min(ends) > 0.08 * WEEK


def test_an_entry_from_the_future_is_not_served(index: BriefIndex) -> None:
    assert aged(index, -60) == ANSWER
    assert aged(index, -3600) == "future"
    assert aged(index, -365 * 86400) == "future"


def test_reading_never_renews_and_verifying_does(index: BriefIndex) -> None:
    of = own(index)
    index.put_entry(entries.new_entry(of, ANSWER, now=index.engine.now() - 0.8 * WEEK))
    for _ in range(3):
        before = index.lookup(of, verify=holds).entry
    assert before is not None
    assert index.engine.now() - before.verified_at >= 0.8 * WEEK
    assert index.verify(before, holds) is None
    after = index.lookup(of, verify=holds).entry
    assert after is not None
    assert abs(index.engine.now() - after.verified_at) < 60
    assert after.created_at == before.created_at


def test_an_answer_that_does_not_hold_here_is_not_served(index: BriefIndex) -> None:
    index.put(own(index), ANSWER)
    lookup = index.lookup(own(index), verify=lambda _: "lib/model.js lines 10-12: changed")
    assert (lookup.entry, lookup.reason) == (None, "not-verified")
    # it ends for everybody only where nobody else's word counts
    assert found(index, own(index)) == (ANSWER if index.engine.shared else "absent")


def test_a_shared_store_is_used_only_with_a_verification(index: BriefIndex) -> None:
    index.put(own(index), ANSWER)
    lookup = index.lookup(own(index))
    assert lookup.reason == ("not-verified" if index.engine.shared else "hit")


def test_a_weak_answer_is_kept_and_not_served_to_who_asks_for_better(index: BriefIndex) -> None:
    index.put(own(index), ANSWER._replace(confidence=0.5))
    assert index.lookup(own(index), verify=holds, min_confidence=0.6).reason == "low-confidence"
    assert index.lookup(own(index), verify=holds).reason == "hit"


def test_prune_removes_what_ended_a_day_ago_and_nothing_else(index: BriefIndex, kind: str) -> None:
    now = index.engine.now()
    for name, age in (("good", 0.0), ("just ended", WEEK), ("ended", 2 * WEEK)):
        index.put_entry(entries.new_entry(own(index, name), ANSWER, now=now - age))
    # Redis removes them by itself
    assert index.prune() == (0 if kind == "redis" else 1)
    assert sorted(entry.key.question for entry in index.entries()) == ["good", "just ended"]


@only("memory", *ON_DISK)
def test_a_clock_far_ahead_prunes_nothing(url: str, namespace: str) -> None:
    clock = Clock()
    with open_for_test(url, namespace, clock) as index:
        index.put(own(index), ANSWER)
        clock.now += 365 * 86400
        with pytest.raises(UsageError, match="far ahead"):
            index.prune()
        assert found(index, own(index)) == "expired"
        clock.now = NOW
        assert found(index, own(index)) == ANSWER


# leases


def test_a_lease_is_won_once_and_its_token_only_grows(index: BriefIndex) -> None:
    of = own(index)
    first = index.engine.acquire(of.id, "a", 30)
    assert (first.won, first.token) == (True, 1)
    second = index.engine.acquire(of.id, "b", 30)
    assert (second.won, second.owner, 0 < second.expires_in <= 30) == (False, "a", True)
    assert index.engine.fail(of.id, "a", first.token, 0.0)
    third = index.engine.acquire(of.id, "b", 30)
    assert (third.won, third.token) == (True, 2)


def test_a_lease_that_ran_out_is_overtaken_and_its_late_holder_fenced(index: BriefIndex) -> None:
    of = own(index)
    row = entries.encoded(index.entry_for(of, ANSWER))
    late = index.engine.acquire(of.id, "late", 0.05)
    _pass(index, 0.1)
    taken = index.engine.acquire(of.id, "next", 30)
    assert (taken.won, taken.token) == (True, late.token + 1)
    assert not index.engine.beat(of.id, "late", late.token, 30)
    assert not index.engine.complete(of.id, "late", late.token, row)
    assert not index.engine.fail(of.id, "late", late.token, 1)
    assert found(index, of) == "absent"
    assert index.engine.complete(of.id, "next", taken.token, row)
    assert found(index, of) == ANSWER


def test_a_beat_keeps_the_lease(index: BriefIndex) -> None:
    of = own(index)
    mine = index.engine.acquire(of.id, "a", 0.05)
    assert index.engine.beat(of.id, "a", mine.token, 30)
    _pass(index, 0.1)
    assert not index.engine.acquire(of.id, "b", 30).won


def test_nobody_gets_a_lease_before_a_failures_pause_has_passed_and_failures_are_counted(index: BriefIndex) -> None:
    of = own(index)
    for failures in range(3):
        lease = index.engine.acquire(of.id, "a", 30)
        assert (lease.won, lease.failures) == (True, failures)
        index.engine.fail(of.id, "a", lease.token, 0.2)
        refused = index.engine.acquire(of.id, "b", 30)
        assert (refused.won, refused.backing_off, refused.failures) == (False, True, failures + 1)
        _pass(index, 0.25)


def test_a_completion_clears_the_failures(index: BriefIndex) -> None:
    of = own(index)
    lease = index.engine.acquire(of.id, "a", 30)
    index.engine.fail(of.id, "a", lease.token, 0.01)
    _pass(index, 0.02)
    lease = index.engine.acquire(of.id, "a", 30)
    index.engine.complete(of.id, "a", lease.token, entries.encoded(index.entry_for(of, ANSWER)))
    assert index.engine.acquire(of.id, "b", 30).failures == 0


def test_a_lease_that_claims_to_run_for_a_year_was_written_by_a_wrong_clock_and_is_free(index: BriefIndex) -> None:
    of = own(index)
    assert index.engine.acquire(of.id, "a", 365 * 86400).won
    assert index.engine.acquire(of.id, "b", 30).won


def _pass(index: BriefIndex, seconds: float) -> None:
    """Let time pass for the store: by its clock where it was given one, else in truth."""
    clock = index.clock
    assert isinstance(clock, Clock)
    clock.now += seconds
    if index.engine.shared:
        time.sleep(seconds)


# single flight


def test_who_asks_first_researches_and_the_next_is_served(index: BriefIndex) -> None:
    asked: list[str] = []

    def research() -> Answer:
        asked.append("x")
        return ANSWER

    first = answer_once(index, own(index), research, verify=holds)
    second = answer_once(index, own(index), research, verify=holds)
    assert (first.hit, first.researched, second.hit, second.answer, len(asked)) == (False, True, True, ANSWER, 1)


def test_fresh_goes_past_the_index_and_keeps_what_it_found(index: BriefIndex) -> None:
    index.put(own(index), ANSWER._replace(lead="old"))
    flight = answer_once(index, own(index), lambda: ANSWER, verify=holds, fresh=True)
    assert (flight.hit, flight.answer) == (False, ANSWER)
    assert found(index, own(index)) == ANSWER


def test_many_threads_that_ask_at_once_make_one_research(url: str, namespace: str, kind: str) -> None:
    asked: list[int] = []
    answers: list[Answer] = []
    begun = threading.Barrier(8)
    shared = open_for_test(url, namespace) if kind == "memory" else None

    def ask() -> None:
        index = shared or open_for_test(url, namespace)
        begun.wait()
        flight = answer_once(index, own(index), research, verify=holds, terms=Terms(deadline=30))
        answers.append(flight.answer)
        if shared is None:
            index.close()

    def research() -> Answer:
        asked.append(1)
        time.sleep(0.2)
        return ANSWER

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (len(asked), answers) == (1, [ANSWER] * 8)


def test_research_that_raises_gives_the_lease_back_and_after_three_times_is_for_a_human(
    index: BriefIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> Answer:
        raise StopError

    monkeypatch.setattr("briefkit.briefs.flight.BACKOFF_SECONDS", 0.02)
    for failures in range(3):
        with pytest.raises(StopError):
            answer_once(index, own(index), fail, verify=holds, terms=Terms(deadline=5))
        _pass(index, 0.03 * 2**failures)
    with pytest.raises(ResearchGaveUpError, match="failed 3 times"):
        answer_once(index, own(index), fail, verify=holds, terms=Terms(deadline=5))


def test_counters_say_hits_misses_waits_and_reuse(index: BriefIndex) -> None:
    answer_once(index, own(index), lambda: ANSWER, verify=holds)
    answer_once(index, own(index), lambda: ANSWER, verify=holds)
    index.lookup(own(index), verify=lambda _: "no")
    stats = index.stats().to_dict()
    assert stats == {
        "hits": 1,
        "misses": {"absent": 1, "not-verified": 1},
        "waits": 0,
        "fenced": 0,
        "stored": 1,
        "reuse": {"npm:sequelize": 1},
        "asked": 3,
        "reuse_rate": 0.3333,
    }


# moving


def test_an_export_comes_back_as_it_was(index: BriefIndex) -> None:
    for number in range(3):
        index.put(own(index, str(number)), ANSWER)
    lines = list(export_lines(index))
    with open_for_test("memory:", "default", Clock(index.engine.now())) as other:
        assert import_lines(other, lines).to_dict() == {"taken": 3, "skipped": []}
        moved = [entry._replace(key=entry.key._replace(namespace=index.namespace)) for entry in other.entries()]
        assert sorted(moved) == sorted(index.entries())
    index.delete(own(index, "1").id)
    assert import_lines(index, lines).taken == 3
    assert found(index, own(index, "1")) == ANSWER


def test_health_says_what_is_in_force(index: BriefIndex, kind: str) -> None:
    index.put(own(index), ANSWER)
    health = index.health()
    assert health.kind == kind
    assert health.warnings == () or kind == "diskcache"


@only(*LASTING)
def test_a_forked_child_works_on_its_own_and_leaves_the_parent_alone(index: BriefIndex) -> None:
    index.put(own(index, "before"), ANSWER)
    child = os.fork()
    if child == 0:
        ok = found(index, own(index, "before")) == ANSWER and index.put(own(index, "child"), ANSWER) is not None
        index.close()
        os._exit(0 if ok else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert found(index, own(index, "child")) == ANSWER
    index.put(own(index, "after"), ANSWER)
    assert found(index, own(index, "after")) == ANSWER


def test_an_entry_may_end_sooner_than_its_week(index: BriefIndex) -> None:
    now = index.engine.now()
    entry = entries.new_entry(own(index), ANSWER, now=now - 86400)
    index.put_entry(entry._replace(expires_at=now - 1))
    assert found(index, own(index)) == "expired"


@only("memory", *ON_DISK)
def test_a_holder_that_was_overtaken_throws_its_own_answer_away(index: BriefIndex) -> None:
    of, theirs = own(index), ANSWER._replace(lead="theirs")

    def overtaken() -> Answer:
        _pass(index, 61)
        lease = index.engine.acquire(of.id, "other", 60)
        assert index.engine.complete(of.id, "other", lease.token, entries.encoded(index.entry_for(of, theirs)))
        return ANSWER

    flight = answer_once(index, of, overtaken, verify=holds)
    assert (flight.answer, flight.hit, flight.fenced, flight.researched) == (theirs, True, 1, False)
    assert found(index, of) == theirs

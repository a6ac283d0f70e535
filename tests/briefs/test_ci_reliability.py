"""CI's share of the reliability plan (docs/reliability.md): about three minutes over all stores."""

from __future__ import annotations

import pytest
from brief_kinds import LASTING, SERVED, only
from brief_reliability import check_flights, check_kills, check_mixed, check_server_kills

pytestmark = pytest.mark.slow
pytest_plugins = ["brief_fixtures"]


@only(*LASTING)
def test_eight_processes_of_mixed_operations_lose_tear_and_refuse_nothing(url: str) -> None:
    check_mixed(url, operations=5000)


@only(*LASTING)
def test_killed_writers_lose_nothing_acknowledged_and_leave_a_sound_index(url: str) -> None:
    check_kills(url, kills=100)


@only(*SERVED)
def test_a_killed_server_loses_nothing_acknowledged(kind: str) -> None:
    check_server_kills(kind, kills=10)


@only(*LASTING)
def test_one_researcher_undisturbed_two_where_the_holder_died_or_was_paused_and_every_late_one_fenced(url: str) -> None:
    check_flights(url, rounds=30)

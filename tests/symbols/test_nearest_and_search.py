"""Names that resemble one another, and the ranking of symbols for words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from briefkit.symbols.nearest import distance, nearest, resemblance
from briefkit.symbols.records import Symbol
from briefkit.symbols.search import index_of, query_terms
from briefkit.symbols.words import split_words, stem


@pytest.mark.parametrize(
    ("name", "candidates", "expected"),
    [
        ("batchUpsert", "upsertMany bulkCreate findAll update count sync", ["upsertMany", "bulkCreate"]),
        ("batch_upsert", "upsert_many bulk_create find_all count sync", ["upsert_many", "bulk_create"]),
        ("mergr", "merge margin max min", ["merge"]),
        ("getOrCreate", "get_or_create get make create", ["get_or_create", "create", "get"]),
        ("fetchall", "fetch_all fetch_one close", ["fetch_all"]),
        ("zzz", "merge concat", []),
        ("remove", "delete add get", ["delete"]),
    ],
)
def test_names_meet_by_words_then_by_letters(name: str, candidates: str, expected: list[str]) -> None:
    assert nearest(name, candidates.split()) == expected


def test_the_name_itself_is_not_its_neighbour() -> None:
    assert nearest("merge", ["merge", "merges"]) == ["merges"]


@given(st.text("abc_", max_size=9), st.text("abc_", max_size=9))
def test_the_bit_parallel_distance_is_the_tables(name: str, other: str) -> None:
    assert distance(name, other) == _by_table(name, other)


def _by_table(name: str, other: str) -> int:
    rows = [[i + j if not i * j else 0 for j in range(len(other) + 1)] for i in range(len(name) + 1)]
    for i in range(1, len(name) + 1):
        for j in range(1, len(other) + 1):
            rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (name[i - 1] != other[j - 1]))
            if i > 1 and j > 1 and name[i - 1] == other[j - 2] and name[i - 2] == other[j - 1]:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[-1][-1]


@given(st.text(max_size=30), st.text(max_size=30))
def test_resemblance_stays_within_its_bounds(name: str, other: str) -> None:
    assert 0 <= resemblance(name, other) <= 1


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bulkCreate", ("bulk", "create")),
        ("BULK_CREATE", ("bulk", "create")),
        ("HTTPServer2", ("http", "server", "2")),
        ("__init__", ("init",)),
        ("größe", ("gr", "öß", "e")),
    ],
)
def test_identifiers_split_at_case_underscores_and_digits(name: str, words: tuple[str, ...]) -> None:
    assert split_words(name) == words


@pytest.mark.parametrize(
    "family",
    ["insert inserts inserted inserting", "create creates created creating", "stop stopped stopping", "query queries"],
)
def test_grammatical_forms_meet_in_one_stem(family: str) -> None:
    assert len({stem(word) for word in family.split()}) == 1


def test_the_terms_of_a_question_leave_out_what_says_nothing() -> None:
    assert sorted(
        term for term, weight in query_terms("How do we bulk-insert rows with the ORM?").items() if weight == 1.0
    ) == [
        "bulk",
        "insert",
        "orm",
        "row",
    ]


def symbol(
    name: str, kind: str = "method", signature: str = "", summary: str | None = None, deprecated: str | None = None
) -> Symbol:
    return Symbol(name, kind, signature, summary, "/f", 1, 1, None, deprecated)


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("How do we bulk-insert rows?", "Model.bulkCreate"),
        ("pool size", "Pool.size"),
        ("data frame", "DataFrame"),
        ("Client.send", "Client.send"),
        ("send", "Client.send"),
        ("old way to send", "Client.sendOld"),
    ],
)
def test_the_best_symbol_answers_most_of_the_words_in_its_own_name(question: str, best: str) -> None:
    symbols = [
        symbol("Model.bulkCreate", summary="Create and insert multiple rows in bulk."),
        symbol("Model.create", summary="Builds and saves a row."),
        symbol("Pool.size", "property", "size: number"),
        symbol("Pool", "class", summary="A connection pool."),
        symbol("DataFrame", "class"),
        symbol("Data.frame_rate"),
        symbol("Client.send"),
        symbol("Client.sendOld", deprecated=""),
        symbol("internal._send"),
    ]

    ranked = index_of(symbols).rank(question)

    assert symbols[ranked[0][0]].name == best


def test_an_empty_index_and_an_unknown_word_find_nothing() -> None:
    assert (index_of([]).rank("merge"), index_of([symbol("A.b")]).rank("zebra")) == ([], [])

"""Names that resemble one another, and the ranking of symbols for words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from briefkit.symbols.nearest import distance, nearest, resemblance
from briefkit.symbols.records import Symbol
from briefkit.symbols.search import concepts_of, index_of
from briefkit.symbols.search_terms import NO_USAGE, Usage
from briefkit.symbols.usage import usage_in
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


def test_the_concepts_of_a_question_leave_out_what_says_nothing() -> None:
    concepts = concepts_of("How do we bulk-insert rows with the ORM?")

    assert [(one.variants[0][0], one.weight) for one in concepts] == [
        ("bulk", 1.0),
        ("insert", 1.0),
        ("row", 1.0),
        ("with", 0.35),
        ("orm", 1.0),
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
        symbol("Pool.size", "property", "size: number", "How many connections are open."),
        symbol("Pool", "class", summary="A connection pool."),
        symbol("DataFrame", "class"),
        symbol("Data.frame_rate"),
        symbol("Client.send"),
        symbol("Client.sendOld", deprecated=""),
        symbol("internal._send"),
    ]

    ranked = index_of(symbols).rank(question)

    assert symbols[ranked[0][0]].name == best


def first_for(question: str, *symbols: Symbol, usage: Usage = NO_USAGE) -> str:
    return symbols[index_of(symbols, usage).rank(question)[0][0]].name


def test_a_name_that_was_asked_whole_is_better_than_one_that_holds_more() -> None:
    assert (
        first_for(
            "create engine",
            symbol("db.CreateEnginePlugin", "class", summary="Create an engine by a plugin."),
            symbol("db.create_engine", "function", summary="Create an engine."),
        )
        == "db.create_engine"
    )


def test_kin_words_lead_to_a_name_and_never_past_the_word_itself() -> None:
    put, upload = symbol("Bucket.putObject"), symbol("Bucket.uploadObject")

    assert (first_for("upload object", put, symbol("Bucket.listObjects")), first_for("upload object", put, upload)) == (
        "Bucket.putObject",
        "Bucket.uploadObject",
    )


def test_a_callable_is_better_than_a_constant_of_the_same_name() -> None:
    assert first_for("email", symbol("regexes.email", "constant"), symbol("z.email", "function")) == "z.email"


def test_a_verb_that_asks_for_a_thing_is_answered_by_its_class() -> None:
    assert first_for("create router", symbol("Router", "class"), symbol("Route.createdAt", "property")) == "Router"


def test_words_run_together_are_found_by_either() -> None:
    symbols = (symbol("Frame.dropna"), symbol("na_values"), symbol("fill_na"), symbol("drop_rows"), symbol("drop_all"))

    assert first_for("drop na", *symbols) == "Frame.dropna"


@pytest.mark.parametrize(
    "hidden", ["lib.v1.validate", "lib.internals.validate", "lib._core.validate", "lib.asyncio.validate"]
)
def test_what_is_old_or_kept_inside_comes_after_what_is_public(hidden: str) -> None:
    assert first_for("validate", symbol(hidden)._replace(line=9), symbol("lib.model.validate")) == "lib.model.validate"


def test_one_thing_under_two_paths_is_found_once_under_the_shorter() -> None:
    symbols = [symbol("types.Client.send")._replace(line=7), symbol("Client.send")._replace(line=7)]

    assert [symbols[number].name for number, _ in index_of(symbols).rank("send")] == ["Client.send"]


def test_a_name_that_the_documents_use_is_likelier_and_found_by_the_words_before_its_example() -> None:
    text = "# Guide\n\nServe a folder of pictures:\n\n```js\napp.statics('x')\n```\n"
    symbols = (symbol("app.dynamics"), symbol("app.statics"))
    usage = usage_in([("README.md", text)], {"statics", "dynamics"})

    assert (
        first_for("serve pictures", *symbols, usage=usage),
        first_for("app", *symbols, usage=usage),
        first_for("app", *symbols),
    ) == ("app.statics", "app.statics", "app.dynamics")


def test_an_empty_index_and_an_unknown_word_find_nothing() -> None:
    assert (index_of([]).rank("merge"), index_of([symbol("A.b")]).rank("zebra")) == ([], [])

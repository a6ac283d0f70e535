"""Questions taken apart: symbols as they are written, words that carry a subject, what is asked for."""

from __future__ import annotations

import pytest

from briefkit.research.questions import mentions, read_question

SYMBOLS = {
    "Does Model.upsertMany exist?": ("Model.upsertMany",),
    "Does `requests.Session.fetch()` exist?": ("requests.Session.fetch",),
    "Is Client#query async, or Client.prototype.query?": ("Client#query", "Client.prototype.query"),
    "What does parse_args() return?": ("parse_args",),
    "Is there a bulkCreate in the model?": ("bulkCreate",),
    "Can zod/v4:z.email check an address?": ("zod/v4:z.email",),
    "Which version is in package.json and app.ts?": (),
    "How do we do this, e.g. for large files? See https://host.example/a.b for it.": (),
    "It works.Then what?": (),
}


@pytest.mark.parametrize(("text", "symbols"), SYMBOLS.items())
def test_symbols_are_what_is_written_as_code(text: str, symbols: tuple[str, ...]) -> None:
    assert read_question(text).symbols == symbols


KINDS = {
    "How do we bulk-insert rows with the ORM at the pinned version?": {"version", "how"},
    "Does the repo already wrap this anywhere?": {"about_repo"},
    "Does Model.upsertMany exist?": {"existence"},
    "Was Session.mount removed or deprecated since 2.0?": {"existence", "changes"},
    "Which version of the client is installed?": {"version"},
    "Do we have a helper for retries in this project?": {"about_repo"},
}


@pytest.mark.parametrize(("text", "kinds"), KINDS.items())
def test_a_question_says_what_it_asks_for(text: str, kinds: set[str]) -> None:
    question = read_question(text)
    assert {
        name for name in ("about_repo", "existence", "changes", "version", "how") if getattr(question, name)
    } == kinds


def test_content_words_leave_out_grammar_and_symbols() -> None:
    assert read_question("How do we bulk-insert many rows with Model.bulkCreate, please?").words == (
        "bulk",
        "insert",
        "rows",
    )


def test_mentions_keep_scopes_and_paths_and_come_quoted_ones_first() -> None:
    assert mentions("Does @scope/pkg or rxjs/operators use `date-fns`?")[:2] == ("date-fns", "Does")
    assert {"@scope/pkg", "rxjs/operators"} <= set(mentions("Does @scope/pkg or rxjs/operators use it?"))


def test_a_question_is_one_line_and_bounded() -> None:
    assert read_question("  a\n b\x00" + "x" * 5000).text[:4] == "a b\x00"
    assert len(read_question("x" * 5000).text) == 2000

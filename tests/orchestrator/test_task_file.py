"""A task's file says again what was written, and every fault has its line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from briefkit.errors import BriefkitError
from briefkit.orchestrator.task_file import Task, parse_task, render_task

WORDS = (
    st.text(
        st.characters(codec="utf-8", exclude_characters="\r\x85\u2028\u2029", exclude_categories=("Cc", "Cs")),
        min_size=1,
    )
    .map(str.strip)
    .filter(bool)
)
PLAIN = WORDS.filter(lambda text: "##" not in text and "<!--" not in text and not text.startswith("#"))


@given(
    st.builds(
        Task,
        id=st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True),
        title=PLAIN,
        questions=st.lists(WORDS, max_size=3).map(tuple),
        files=st.lists(WORDS, max_size=3).map(tuple),
        libraries=st.lists(WORDS, max_size=3).map(tuple),
        verify=st.none() | WORDS,
        depends=st.lists(WORDS, max_size=3).map(tuple),
        text=st.just("") | PLAIN,
        disagreement=st.just("") | PLAIN,
    )
)
def test_what_is_written_is_read_again(task: Task) -> None:
    assert parse_task(render_task(task), "t.md") == task


def test_whatever_an_implementer_adds_below_the_mark_is_its_disagreement() -> None:
    text = render_task(Task("t", "Title")) + "The brief is wrong:\r\n`get` is gone.\n"
    assert parse_task(text, "t.md").disagreement == "The brief is wrong:\n`get` is gone."
    assert parse_task(render_task(Task("t", "Title")), "t.md").disagreement == ""


FAULTS = {
    "no head": ("# Title\n", "t.md:1: no front matter. A task begins with --- and ends its head with ---."),
    "a line that is none": ('---\nid: "t"\nwhat is this\n---\n', "t.md:3: not a 'key: value' line"),
    "a value that is no JSON": ("---\nid: t\n---\n", "t.md:2: the value is not JSON, in 'id'"),
    "no title": ('---\nid: "t"\n---\n', "t.md: a text is needed, in 'title'"),
    "a list that is none": (
        '---\nid: "t"\ntitle: "x"\nfiles: "a"\n---\n',
        "t.md: a list of texts is needed, in 'files'",
    ),
    "a command that is none": (
        '---\nid: "t"\ntitle: "x"\nverify: 3\n---\n',
        "t.md: a command or null is needed, in 'verify'",
    ),
}


@pytest.mark.parametrize(("text", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_a_file_that_is_no_task_is_refused_with_the_place(text: str, message: str) -> None:
    with pytest.raises(BriefkitError) as raised:
        parse_task(text, "t.md")
    assert str(raised.value) == message

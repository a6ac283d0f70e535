"""Credentials planted in twelve places are in no index, no export, no error and no brief."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from brief_kinds import ON_DISK, only
from brief_stores import ANSWER, holds, key, open_for_test

from briefkit.briefs.brief import Answer, Citation, Finding, PackageId, Pin, Staleness, assemble
from briefkit.briefs.exchange import export_lines
from briefkit.briefs.markdown import render_brief
from briefkit.briefs.secrets import without_secrets
from briefkit.errors import BriefkitError

if TYPE_CHECKING:
    from pathlib import Path

pytest_plugins = ["brief_fixtures"]


@pytest.fixture
def tmp_path(quick_folder: Path) -> Path:
    return quick_folder


CANARY = "c4naryc4naryc4nary"
PLACES = {
    "lockfile url": f"resolved https://user:{CANARY}@registry.example/a.tgz",
    "token in a query": f"https://registry.example/a.tgz?access_token={CANARY}",
    "git over ssh": f"git+ssh://git:{CANARY}@host.example/o/r.git#abc",
    "npmrc": f"//registry.example/:_authToken={CANARY}",
    "npmrc password": f"//registry.example/:_password={CANARY}",
    "pip.conf": f"index-url = https://__token__:{CANARY}@registry.example/simple",
    "environment": f"UV_INDEX_PRIVATE_PASSWORD={CANARY}",
    "direct_url.json": f'{{"url": "https://x:{CANARY}@host.example/p.whl"}}',
    "readme": f"Authorization: Bearer {CANARY}",
    "pyproject source": f'url = "https://bot:{CANARY}@host.example/simple/"',
    "tarball path": f"https://host.example/a.tgz?X-Amz-Signature={CANARY}",
    "error text": f"401 for https://me:{CANARY}@host.example/",
}


def dirty_answer() -> Answer:
    """An answer with a canary in every text it has."""
    texts = tuple(PLACES.values())
    package = PackageId("npm", f"https://u:{CANARY}@h.example/p", "1.0")
    return ANSWER._replace(
        question=texts[0],
        findings=tuple(Finding(text) for text in texts),
        citations=(Citation(texts[1], 1, 2, 1, None, package),),
        pins=(Pin(package, texts[2], texts[3], texts[4], None),),
        staleness=Staleness("low", texts[5]),
        lead=texts[6],
    )


@pytest.mark.parametrize("text", PLACES.values(), ids=PLACES)
def test_each_place_is_cleaned(text: str) -> None:
    assert CANARY not in str(without_secrets(text))


def test_no_store_keeps_one(url: str, namespace: str) -> None:
    with open_for_test(url, namespace) as index:
        of = key(namespace=namespace)
        index.put(of, dirty_answer())
        entry = index.lookup(of, verify=holds).entry
        assert entry is not None
        assert CANARY not in repr(entry)
        assert CANARY not in "".join(export_lines(index))
        assert CANARY not in repr(index.health())
        index.put_entry(entry._replace(answer=dirty_answer()))
        assert not [row for row in index.engine.rows() if CANARY.encode() in row.body]


@only(*ON_DISK)
def test_no_byte_of_the_files_holds_one_not_even_where_an_entry_was_removed(url: str, tmp_path: Path) -> None:
    with open_for_test(url) as index:
        index.put(key(), dirty_answer())
        index.put(key("removed"), ANSWER._replace(lead="to be gone " * 500))
        index.delete(key("removed").id)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    for path in files:
        assert CANARY.encode() not in path.read_bytes()
        assert b"to be gone" not in path.read_bytes() or url.startswith("diskcache")


def test_no_error_names_one(tmp_path: Path) -> None:
    for url in (
        f"redis://user:{CANARY}@127.0.0.1:1/0",
        f"postgresql://user:{CANARY}@127.0.0.1:1/x",
        f"postgresql://127.0.0.1:1/x?password={CANARY}",
        f"unknown://user:{CANARY}@host.example/",
        f"sqlite:{tmp_path}/missing\0{CANARY}",
    ):
        said = []
        try:
            with open_for_test(url) as index:
                index.lookup(key(), verify=holds)
                index.put(key(), ANSWER)
                said += index.warnings
                index.health()
        except BriefkitError as error:
            said += [str(error), repr(error)]
        assert said
        assert CANARY not in " ".join(said)


def test_a_brief_of_cleaned_answers_holds_none() -> None:
    clean = Answer.from_dict(without_secrets(dirty_answer().to_dict()))
    record = assemble("t", [clean], verdict="v", verified_at=0.0)
    assert CANARY not in render_brief(record.brief)
    assert CANARY not in str(record.to_dict())

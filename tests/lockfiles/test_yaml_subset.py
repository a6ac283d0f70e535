"""The YAML that lockfiles are written in: values, lines, and what is refused."""

from __future__ import annotations

import pytest

from briefkit.errors import UnreadableError
from briefkit.lockfiles.yaml_flow import Mapping
from briefkit.lockfiles.yaml_subset import parse_yaml, split_documents

VALUES = (
    ("a plain mapping", "a: 1\nb: two words\n", {"a": "1", "b": "two words"}),
    ("nothing and null", "a:\nb: ~\nc: null\nd: 'null'\n", {"a": None, "b": None, "c": None, "d": "null"}),
    ("truth values and numbers stay text", "a: true\nb: 5.4\nc: 1e3\n", {"a": "true", "b": "5.4", "c": "1e3"}),
    ("quotes", "'a b': 'it''s'\n\"c\\td\": \"\\u00e9\\x41\\n\"\n", {"a b": "it's", "c\td": "éA\n"}),
    ("comments", "# head\na: 1 # one\n# between\nb: 'x' # two\nc: a#b\n", {"a": "1", "b": "x", "c": "a#b"}),
    ("nesting", "a:\n  b:\n    c: 1\n  d: 2\ne: 3\n", {"a": {"b": {"c": "1"}, "d": "2"}, "e": "3"}),
    ("lists indented and not", "a:\n  - x\n  - y: 1\n    z: 2\nb:\n- 1\n- - 2\n  - 3\n", {"a": ["x", {"y": "1", "z": "2"}], "b": ["1", ["2", "3"]]}),
    ("flow", "a: {b: [1, 'x, y', {c: d}], e: , 'f': \"g\"}\nh: []\ni: {}\n", {"a": {"b": ["1", "x, y", {"c": "d"}], "e": None, "f": "g"}, "h": [], "i": {}}),
    ("flow over lines", "a: {b: 1, # one\n  c: [2,\n  3]}\nd: 4\n", {"a": {"b": "1", "c": ["2", "3"]}, "d": "4"}),
    ("addresses in flow", "a: {t: https://h.example/x.tgz, i: sha512-a+b/c==}\n", {"a": {"t": "https://h.example/x.tgz", "i": "sha512-a+b/c=="}}),
    ("text kept as it is", "a: |\n  one\n\n    two\n  three\nb: 1\n", {"a": "one\n\n  two\nthree\n", "b": "1"}),
    ("text kept and cut", "a: |-\n  one\n  two\n\n\nb: |+\n  x\n\nc: 1\n", {"a": "one\ntwo", "b": "x\n\n", "c": "1"}),
    ("text folded", "a: >-\n  one\n  two\n\n  three\nb: 1\n", {"a": "one two\nthree", "b": "1"}),
    ("plain text over lines", "a: one\n  two\n\n  three\nb: 1\n", {"a": "one two\nthree", "b": "1"}),
    ("quoted text over lines", "a: 'one\n  two'\nb: \"x\\\n  y\n\n  z\"\n", {"a": "one two", "b": "xy\nz"}),
    ("an explicit key", "? 'long key'\n: x: 1\n  y: 2\n? plain\n:\n  z: 3\n", {"long key": {"x": "1", "y": "2"}, "plain": {"z": "3"}}),
    ("a key of 5,000 characters", f"'{'k' * 5000}': 1\n", {"k" * 5000: "1"}),
    ("keys with colons, brackets and ats", "/a@1.0.0(b@2)(c: 1\nhttps://h.example/x: 2\n'@s/n@1': 3\n", {"/a@1.0.0(b@2)(c": "1", "https://h.example/x": "2", "@s/n@1": "3"}),
    ("nothing at all", "# only a comment\n\n", None),
)  # fmt: skip


@pytest.mark.parametrize(("text", "value"), [row[1:] for row in VALUES], ids=[row[0] for row in VALUES])
def test_values(text: str, value: object) -> None:
    assert parse_yaml(text, "x.yaml") == value


def test_each_key_knows_its_line() -> None:
    document = parse_yaml(
        "a: 1\n\nb:\n  c: |\n    text\n\n  ? d\n  : e: {f: 1,\n     g: 2}\nh:\n", "x.yaml", first_line=10
    )
    assert isinstance(document, Mapping)
    inner = document["b"]
    assert isinstance(inner, Mapping)
    below = inner["d"]
    assert isinstance(below, Mapping)
    deepest = below["e"]
    assert isinstance(deepest, Mapping)
    assert (document.lines, inner.lines, below.lines, deepest.lines) == (
        {"a": 10, "b": 12, "h": 19}, {"c": 13, "d": 16}, {"e": 17}, {"f": 17, "g": 18},
    )  # fmt: skip


def test_equal_keys_are_refused_or_the_last_wins() -> None:
    text = "a: 1\nb: 2\na: 3\n"
    assert parse_yaml(text, "x.yaml", repeated_keys=True) == {"a": "3", "b": "2"}
    with pytest.raises(UnreadableError) as raised:
        parse_yaml(text, "x.yaml")
    assert str(raised.value) == "x.yaml:3: not the YAML of a lockfile: the key 'a' is there twice"


def test_documents_are_told_apart_by_their_marks() -> None:
    assert split_documents("---\na: 1\n---\r\nb: 2\r\n...\n") == [(1, "\na: 1\n"), (3, "\nb: 2\n")]
    assert split_documents("a: '---'\n") == [(1, "a: '---'\n")]


REFUSED = (
    ("an anchor", "a: &x 1\n", "1: not the YAML of a lockfile: an anchor is not read"),
    ("an alias", "a: *x\n", "1: not the YAML of a lockfile: an alias is not read"),
    ("a tag", "a: !!str 1\n", "1: not the YAML of a lockfile: a tag is not read"),
    ("an anchor in flow", "a: [&x 1]\n", "1: not the YAML of a lockfile: an anchor is not read"),
    ("a tab", "a:\n\tb: 1\n", "2: not the YAML of a lockfile: a tab in the indentation"),
    ("a key inside a value", "a: b: c\n", "1: not the YAML of a lockfile: a key inside a value"),
    ("a line that is no key", "a: 1\nb\n", "2: not the YAML of a lockfile: a line that is no key"),
    ("an indentation too far", "a:\n  b: 1\n    c: 2\n", "3: not the YAML of a lockfile: a key inside a value"),
    ("text after a quote", "a: 'b' c\n", "1: not the YAML of a lockfile: text after a value"),
    ("an open quote", "a: 'b\nc: 1\n", "1: not the YAML of a lockfile: a quote that is never closed"),
    ("an open bracket", "a: {b: 1\nc: 1\n", "1: not the YAML of a lockfile: a bracket that is never closed"),
    ("a comma where none belongs", "a: [1 2]\nb: {c: 1 d: 2}\n", "2: not the YAML of a lockfile: ':' where ',' or '}' belongs"),
    ("a directive", "%YAML 1.2\n", "1: not the YAML of a lockfile: a value that begins with '%'"),
    ("an escape of no meaning", 'a: "\\q"\n', "1: not the YAML of a lockfile: an unknown escape '\\q'"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "message"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_is_not_of_the_subset_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(UnreadableError) as raised:
        parse_yaml(text, "x.yaml")
    assert str(raised.value) == f"x.yaml:{message}"

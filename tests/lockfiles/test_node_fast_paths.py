"""The fast reading of a canonical layout and the general parser give the same, on generated lockfiles and on damaged ones.

A layout that the fast reading does not know raises `OtherLayout`, which is an answer too: then the general parser is asked.
"""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lockfile_mutator import mutations
from lockfile_rows import SAMPLES

from briefkit.errors import BriefkitError
from briefkit.lockfiles import (
    bun_lock,
    json_document,
    npm_lock,
    pnpm_lock,
    yarn_berry_entries,
    yarn_berry_lock,
    yarn_classic_entries,
    yarn_classic_lock,
)
from briefkit.lockfiles.pnpm_blocks import scan_pnpm
from briefkit.lockfiles.yaml_blocks import OtherLayout
from briefkit.lockfiles.yaml_subset import split_documents

if TYPE_CHECKING:
    from collections.abc import Callable

    from briefkit.lockfiles.reading import LockfileReading

    Reader = Callable[[str], object]

PNPM = ("v5.3-pnpm6", "v5.4-pnpm7", "v6-pnpm8", "v9-pnpm9", "v9-pnpm12-catalogs", "v9-pnpm12-two-documents")
CLASSIC = tuple(sorted(folder.name for folder in (SAMPLES / "yarn-classic").iterdir()))
BERRY = ("v4-yarn2", "v6-yarn3", "v10-yarn4")


def whole(reading: LockfileReading) -> object:
    """All that a reading says."""
    return (
        reading.to_dict(),
        reading.importers,
        reading.instances,
        reading.skipped,
        dict(reading.patterns),
        reading.notes,
    )


def pnpm_fast(text: str) -> object:
    line, document = split_documents(text)[-1]
    return whole(pnpm_lock.reading_of(scan_pnpm(document, "pnpm-lock.yaml", line), "pnpm-lock.yaml"))


def pnpm_general(text: str) -> object:
    line, document = split_documents(text)[-1]
    return whole(pnpm_lock.reading_of(pnpm_lock.parse_pnpm(document, "pnpm-lock.yaml", line), "pnpm-lock.yaml"))


def berry_fast(text: str) -> object:
    line, document = split_documents(text)[0]
    return whole(
        yarn_berry_lock.reading_of(yarn_berry_entries.ScannedEntries(document, "yarn.lock", line), "yarn.lock")
    )


def berry_general(text: str) -> object:
    line, document = split_documents(text)[0]
    return whole(yarn_berry_lock.reading_of(yarn_berry_entries.ParsedEntries(document, "yarn.lock", line), "yarn.lock"))


def classic_fast(text: str) -> object:
    return whole(yarn_classic_lock.reading_of(yarn_classic_entries.ScannedEntries(text), "yarn.lock"))


def classic_general(text: str) -> object:
    return whole(yarn_classic_lock.reading_of(yarn_classic_entries.ParsedEntries(text, "yarn.lock"), "yarn.lock"))


@pytest.mark.parametrize("name", CLASSIC)
def test_a_yarn_1_lockfile_as_written_takes_the_fast_path_and_reads_the_same(name: str) -> None:
    text = (SAMPLES / "yarn-classic" / name / "yarn.lock").read_text(encoding="utf-8")
    assert classic_fast(text) == classic_general(text)


@pytest.mark.parametrize("name", PNPM)
def test_a_pnpm_lockfile_as_written_takes_the_fast_path_and_reads_the_same(name: str) -> None:
    text = (SAMPLES / "pnpm" / name / "pnpm-lock.yaml").read_text(encoding="utf-8")
    assert pnpm_fast(text) == pnpm_general(text)


@pytest.mark.parametrize("name", BERRY)
def test_a_yarn_lockfile_as_written_takes_the_fast_path_and_reads_the_same(name: str) -> None:
    text = (SAMPLES / "yarn-berry" / name / "yarn.lock").read_text(encoding="utf-8")
    assert berry_fast(text) == berry_general(text)


NAMES = st.from_regex(r"(?:@[a-z][a-z0-9-]{0,5}/)?[a-z][a-z0-9._-]{0,8}", fullmatch=True)
VERSIONS = st.from_regex(r"[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{1,2}(?:-(?:rc|beta)\.[0-9])?", fullmatch=True)
TEXTS = st.sampled_from(
    (
        ">=4",
        "^16 || ^17",
        "*",
        "a: b",
        "it's",
        "1.0",
        "null",
        "~",
        "#1",
        "[x]",
        "{y: 1}",
        "a #b",
        "- c",
        "? d",
        "@e",
        "",
        "'",
    )
)


def quoted(text: str) -> str:
    """A scalar as js-yaml writes it, near enough: quoted where it must be."""
    plain = (
        text
        and text[0].isalnum()
        and not any(mark in text for mark in (": ", " #", "'"))
        and text not in ("null", "true")
        and text[-1] != ":"
    )
    return text if plain else "'" + text.replace("'", "''") + "'"


@st.composite
def pnpm_texts(draw: st.DrawFn) -> str:
    """A pnpm 9 lockfile in the layout pnpm writes."""
    packages = draw(st.lists(st.tuples(NAMES, VERSIONS), min_size=1, max_size=6, unique=True))
    keys = [f"{name}@{version}" for name, version in packages]
    out = ["lockfileVersion: '9.0'", "", "importers:", "", "  .:", "    dependencies:"]
    for name, version in dict(packages).items():
        out += [
            f"      {quoted(name)}:",
            f"        specifier: {quoted(draw(TEXTS))}",
            f"        version: {quoted(version)}",
        ]
    out += ["", "packages:", ""]
    for key in keys:
        out += [f"  {quoted(key)}:", "    resolution: {integrity: sha512-AAAA}"]
        if draw(st.booleans()):
            out.append(f"    engines: {{node: {quoted(draw(TEXTS)) or 'x'}}}")
        if draw(st.booleans()):
            out += ["    deprecated: |-", "      two lines", "", "      version: 9.9.9"]
        if draw(st.booleans()):
            out += ["    peerDependencies:", f"      {quoted(draw(NAMES))}: {quoted(draw(TEXTS))}"]
        out.append("")
    out += ["snapshots:", ""]
    for key in keys:
        below = draw(st.lists(st.sampled_from(packages), max_size=3, unique_by=lambda pair: pair[0]))
        out.append(f"  {quoted(key)}:" + ("" if below else " {}"))
        if below:
            out.append(f"    {draw(st.sampled_from(('dependencies', 'optionalDependencies')))}:")
            out += [
                f"      {quoted(draw(st.sampled_from((name, 'other'))) if len(below) == 1 else name)}: {quoted(version)}"
                for name, version in below
            ]
        out.append("")
    return "\n".join(out)


@settings(max_examples=120, deadline=None)
@given(pnpm_texts())
def test_generated_pnpm_lockfiles_read_the_same(text: str) -> None:
    assert pnpm_fast(text) == pnpm_general(text)


@st.composite
def berry_texts(draw: st.DrawFn) -> str:
    """A yarn berry lockfile in the layout yarn writes."""
    packages = draw(st.lists(st.tuples(NAMES, VERSIONS), min_size=1, max_size=6, unique=True))
    out = ["# header", "", "__metadata:", "  version: 8", "  cacheKey: 10c0", ""]
    for name, version in packages:
        alias = draw(st.sampled_from((name, "other-name")))
        out += [f'"{alias}@npm:{name}@^{version}":', f"  version: {version}", f'  resolution: "{name}@npm:{version}"']
        below = draw(st.lists(st.sampled_from(packages), max_size=3, unique_by=lambda pair: pair[0]))
        if below:
            out += [
                "  dependencies:",
                *(
                    f'    {f"{chr(34)}{other}{chr(34)}" if other[0] == "@" else other}: "npm:{other}@^{at}"'
                    for other, at in below
                ),
            ]
        if draw(st.booleans()):
            out += ["  dependenciesMeta:", "    x:", "      optional: true"]
        if draw(st.booleans()):
            out.append("  checksum: 10c0/aa")
        out += ["  languageName: node", "  linkType: hard", ""]
    return "\n".join(out)


@settings(max_examples=120, deadline=None)
@given(berry_texts())
def test_generated_yarn_lockfiles_read_the_same(text: str) -> None:
    try:
        fast = berry_fast(text)
    except OtherLayout:
        assert text.count('"other-name@') > 1  # a head that is there twice
        return
    assert fast == berry_general(text)


CLASSIC_TEXTS = st.text(st.sampled_from("aZ09.^~*@/:#,-_ =<>|\x0b\x85\u2028é"), min_size=1, max_size=9)


def classic_word(text: str) -> str:
    """A word as yarn 1 writes it: quoted unless it is plain."""
    plain = text[0].isalpha() and text.isascii() and not any(mark in text for mark in ' :,#"\n\x0b')
    return text if plain and text not in ("true", "false") else f'"{text}"'


@st.composite
def classic_texts(draw: st.DrawFn) -> str:
    """A yarn 1 lockfile in the layout yarn writes, some of whose entries have odd words."""
    out = ["# THIS IS AN AUTOGENERATED FILE.", "# yarn lockfile v1", "", ""]
    for name, version in draw(st.lists(st.tuples(NAMES, VERSIONS), max_size=6, unique=True)):
        asked = draw(
            st.sampled_from((f"^{version}", "npm:other@1", "link:../x", "file:./y.tgz", "user/repo", ">=1, <2"))
        )
        patterns = [f"{name}@{asked}", *(f"{name}@{more}" for more in draw(st.lists(CLASSIC_TEXTS, max_size=2)))]
        out.append(", ".join(map(classic_word, patterns)) + ":")
        out.append(f'  version "{version}"')
        if draw(st.booleans()):
            out.append(f"  resolved {classic_word('https://registry.example/' + draw(CLASSIC_TEXTS))}")
        if draw(st.booleans()):
            out.append("  integrity sha512-AA==")
        for block in draw(st.sampled_from(((), ("dependencies",), ("dependencies", "optionalDependencies")))):
            below = draw(st.lists(st.tuples(st.one_of(NAMES, CLASSIC_TEXTS), CLASSIC_TEXTS), min_size=1, max_size=3))
            out += [f"  {block}:", *(f"    {classic_word(other)} {classic_word(at)}" for other, at in below)]
        out.append("")
    return "\n".join(out)


@settings(max_examples=80, deadline=None)
@given(classic_texts())
def test_generated_yarn_1_lockfiles_read_the_same(text: str) -> None:
    assert classic_fast(text) == classic_general(text)


def _agree(fast: Callable[[str], object], general: Callable[[str], object], text: str) -> str | None:
    """What differs, None where nothing does; a text that the general parser refuses may be read where nothing of it is wanted."""
    try:
        read = fast(text)
    except (OtherLayout, BriefkitError):
        return None
    try:
        return None if read == general(text) else text
    except BriefkitError:
        return None


@pytest.mark.parametrize("name", PNPM)
def test_damaged_pnpm_lockfiles_read_the_same(name: str) -> None:
    text = (SAMPLES / "pnpm" / name / "pnpm-lock.yaml").read_text(encoding="utf-8")
    assert [bad for mutant in mutations(text, 3, 60) if (bad := _agree(pnpm_fast, pnpm_general, mutant))] == []


@pytest.mark.parametrize("name", BERRY)
def test_damaged_yarn_lockfiles_read_the_same(name: str) -> None:
    text = (SAMPLES / "yarn-berry" / name / "yarn.lock").read_text(encoding="utf-8")
    assert [bad for mutant in mutations(text, 3, 60) if (bad := _agree(berry_fast, berry_general, mutant))] == []


@pytest.mark.parametrize("name", CLASSIC)
def test_damaged_yarn_1_lockfiles_read_the_same(name: str) -> None:
    text = (SAMPLES / "yarn-classic" / name / "yarn.lock").read_text(encoding="utf-8")
    assert [bad for mutant in mutations(text, 3, 120) if (bad := _agree(classic_fast, classic_general, mutant))] == []


KINDS: tuple[tuple[str, str, Reader, Reader, tuple[str, ...]], ...] = (
    ("pnpm", "pnpm-lock.yaml", pnpm_fast, pnpm_general, PNPM),
    ("yarn-berry", "yarn.lock", berry_fast, berry_general, BERRY),
    ("yarn-classic", "yarn.lock", classic_fast, classic_general, CLASSIC),
)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in KINDS for name in kind[4]])
def test_thousands_of_damaged_lockfiles_read_the_same(
    kind: tuple[str, str, Reader, Reader, tuple[str, ...]], name: str
) -> None:
    folder, file, fast, general, _ = kind
    text = (SAMPLES / folder / name / file).read_text(encoding="utf-8")
    assert [bad for mutant in mutations(text, 5, 2000) if (bad := _agree(fast, general, mutant))] == []


@pytest.mark.parametrize(
    "path",
    [
        "npm/v3-workspaces/package-lock.json",
        "npm/v2-workspaces/package-lock.json",
        "npm/v1-solo/package-lock.json",
        "bun/v2-catalogs/bun.lock",
    ],
)
def test_lines_read_off_the_indentation_are_those_of_the_tokens(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (SAMPLES / path).read_text(encoding="utf-8")
    read = bun_lock.read_bun_lock if path.startswith("bun") else npm_lock.read_npm_lock
    by_indent = whole(read(text, path))
    monkeypatch.setattr(json_document, "indent_unit", lambda _text: None)
    monkeypatch.setattr("briefkit.lockfiles.npm_lock_v1.indent_unit", lambda _text: None)
    assert whole(read(text, path)) == by_indent


def _blank(chance: random.Random) -> str:
    return chance.choice(("", " ", "\n", "\n\n", "\t", "\r\n"))


def test_lines_of_any_json_are_found() -> None:
    chance = random.Random(11)
    for _ in range(200):
        names = ("a", 'q"q', "b\\c", "é", "node_modules/x", "{", "}", "d:")
        keys = [chance.choice(names) + str(number) for number in range(chance.randrange(6))]
        text = (
            "{" + _blank(chance) + '"other"' + _blank(chance) + ': [{"a0": 1}, "{"],' + _blank(chance) + '"packages": {'
        )
        expected = {}
        for number, key in enumerate(keys):
            text += ("," if number else "") + _blank(chance)
            expected[key] = text.count("\n") + 1
            text += json.dumps(key, ensure_ascii=chance.random() < 0.5) + _blank(chance) + ":" + _blank(chance)
            text += chance.choice(("1", '"x"', '{"a0": {"packages": 1}}', "[[{}]]"))
        text += _blank(chance) + "}}"
        assert json_document.member_lines(text, ("packages",), keys) == expected


HEAD = "lockfileVersion: '9.0'\n\npackages:\n\n  a@1.0.0:\n    resolution: {integrity: sha512-A}\n\n  b@1.0.0:\n    resolution: {integrity: sha512-B}\n\nsnapshots:\n\n"
UNUSUAL_PNPM = (
    ("fields indented further", "packages:\n  a@1.0.0:\n      resolution: {integrity: sha512-A}\nlockfileVersion: '9.0'\n"),
    ("an empty line among dependencies", HEAD + "  a@1.0.0:\n    dependencies:\n\n      b: 1.0.0\n\n  b@1.0.0: {}\n"),
    ("an empty line between dependencies", HEAD + "  a@1.0.0:\n    dependencies:\n      a: 1.0.0\n\n      b: 1.0.0\n  b@1.0.0: {}\n"),
    ("groups in another order", HEAD + "  a@1.0.0: {}\nimporters:\n  .:\n    optionalDependencies:\n      a:\n        specifier: '1'\n        version: 1.0.0\n    dependencies:\n      b:\n        specifier: '1'\n        version: 1.0.0\n"),
    ("version before specifier", HEAD + "  a@1.0.0: {}\nimporters:\n  .:\n    dependencies:\n      a:\n        version: 1.0.0\n        specifier: '1'\n"),
    ("comments", HEAD + "  # one\n  a@1.0.0: {} # two\n"),
    ("an entry in flow", HEAD + "  a@1.0.0: {dependencies: {b: 1.0.0}, optional: true}\n"),
    ("dependencies in flow", HEAD + "  a@1.0.0:\n    dependencies: {b: 1.0.0}\n"),
    ("a quoted field", HEAD + "  a@1.0.0:\n    'dependencies':\n      b: 1.0.0\n"),
    ("a field with a space before its colon", HEAD + "  a@1.0.0:\n    dependencies :\n      b: 1.0.0\n"),
    ("no key", HEAD + "  a@1.0.0: {}\n  :\n"),
    ("a text that looks like fields", "lockfileVersion: '9.0'\npackages:\n  a@1.0.0:\n    deprecated: |-\n      x\n\n      version: 9.9.9\n    resolution: {integrity: sha512-A}\n"),
    ("no importers", "\n\nlockfileVersion: '9.0'\n"),
)  # fmt: skip


@pytest.mark.parametrize("text", [row[1] for row in UNUSUAL_PNPM], ids=[row[0] for row in UNUSUAL_PNPM])
def test_an_unusual_pnpm_layout_is_read_the_same_or_left_to_the_general_parser(text: str) -> None:
    assert _agree(pnpm_fast, pnpm_general, text) is None


ENTRY = '__metadata:\n  version: 8\n\n"a@npm:1":\n  version: 1.0.0\n  resolution: "a@npm:1.0.0"\n'
UNUSUAL_YARN = (
    ("a field twice", ENTRY + "  checksum: x\n  version: 2.0.0\n  checksum: y\n"),
    ("dependencies indented further", ENTRY + '  dependencies:\n      b: "npm:1"\n'),
    ("another order of fields", '__metadata:\n  version: 8\n\n"a@npm:1":\n  resolution: "a@npm:1.0.0"\n  version: 1.0.0\n'),
    ("a quoted version", ENTRY.replace("1.0.0\n", '"1.0.0"\n', 1)),
    ("a number's exponent", ENTRY.replace("1.0.0\n", "1e3\n", 1)),
    ("a head twice", ENTRY + "\n" + ENTRY.partition("\n\n")[2]),
    ("an empty line inside an entry", ENTRY + '\n  dependencies:\n    b: "npm:1"\n'),
    ("a comment", ENTRY + "  # one\n"),
)  # fmt: skip


@pytest.mark.parametrize("text", [row[1] for row in UNUSUAL_YARN], ids=[row[0] for row in UNUSUAL_YARN])
def test_an_unusual_yarn_layout_is_read_the_same_or_left_to_the_general_parser(text: str) -> None:
    assert _agree(berry_fast, berry_general, text) is None


UNUSUAL_CLASSIC = (
    ("a field after the dependencies", 'a@1:\n  version "1.0.0"\n  dependencies:\n    b "1"\n  resolved "https://x.example/a"\n'),
    ("a block that yarn writes for binaries", 'a@1:\n  version "1.0.0"\n  prebuiltVariants:\n    x "1"\n'),
    ("a version twice", 'a@1:\n  version "1.0.0"\n  version "2.0.0"\n'),
    ("an escape", 'a@1:\n  version "1.0.\\u0030"\n'),
    ("a comment within an entry", 'a@1:\n  version "1.0.0"\n  # one\n  dependencies:\n    b "1"\n'),
    ("a colon after a field", 'a@1:\n  version: "1.0.0"\n'),
    ("no line end", 'a@1:\n  version "1.0.0"'),
    ("text between entries", 'a@1:\n  version "1.0.0"\n\nb\n\nc@1:\n  version "1.0.0"\n'),
    ("a stated name", '"a@x:1":\n  name "b"\n  version "1.0.0"\n  uid abc\n  resolved "https://x.example/b#c"\n'),
    ("a pattern for two entries", 'a@1:\n  version "1.0.0"\n\na@1, a@2:\n  version "2.0.0"\n'),
    ("nothing", "# yarn lockfile v1\n"),
)  # fmt: skip


@pytest.mark.parametrize("text", [row[1] for row in UNUSUAL_CLASSIC], ids=[row[0] for row in UNUSUAL_CLASSIC])
def test_an_unusual_yarn_1_layout_is_read_the_same_or_left_to_the_general_parser(text: str) -> None:
    assert _agree(classic_fast, classic_general, text) is None


def test_one_long_line_costs_a_look_and_no_more() -> None:
    with pytest.raises(OtherLayout):
        yarn_classic_entries.ScannedEntries("a" * 2_000_000)
    with pytest.raises(OtherLayout):
        yarn_classic_entries.ScannedEntries("a, " * 700_000)

"""Keys, references, specifiers and patterns of npm's world."""

from __future__ import annotations

import pytest

from briefkit.lockfiles.npm_sources import split_alias
from briefkit.lockfiles.pnpm_keys import Key, key_candidates, parse_key
from briefkit.lockfiles.workspace_patterns import owns

KEYS = (
    (5, "/a/1.0.0", Key("a", "1.0.0", "1.0.0", "")),
    (5, "/@s/n/1.0.0_b@2.0.0+c@3", Key("@s/n", "1.0.0", "1.0.0", "_b@2.0.0+c@3")),
    (5, "registry.npm.example/@s/n/1.0.0", Key("@s/n", "1.0.0", "1.0.0", "")),
    (5, "/evp_bytestokey/1.0.3", Key("evp_bytestokey", "1.0.3", "1.0.3", "")),
    (5, "github.com/o/r/0123abc", Key(None, None, "github.com/o/r/0123abc", "")),
    (5, "file:local", Key(None, None, "file:local", "")),
    (6, "/a@1.0.0-rc.1(b@2.0.0(c@3.0.0))(d@4.0.0)", Key("a", "1.0.0-rc.1", "1.0.0-rc.1", "(b@2.0.0(c@3.0.0))(d@4.0.0)")),
    (6, "@codeload.github.com/o/r/tar.gz/0123", Key(None, None, "@codeload.github.com/o/r/tar.gz/0123", "")),
    (9, "@s/n@1.0.0", Key("@s/n", "1.0.0", "1.0.0", "")),
    (9, "a@https://h.example/a@b.tgz(p@1.0.0)", Key("a", None, "https://h.example/a@b.tgz", "(p@1.0.0)")),
    (9, "a@file:my (folder)/x(p@1.0.0)", Key("a", None, "file:my (folder)/x", "(p@1.0.0)")),
    (9, "a@1.0.0(patch_hash=00ff)(p@1.0.0)", Key("a", "1.0.0", "1.0.0", "(patch_hash=00ff)(p@1.0.0)")),
    (9, "node@runtime:22.0.0", Key("node", "22.0.0", "runtime:22.0.0", "")),
    (9, "foo@work:1.0.0", Key("foo", "1.0.0", "work:1.0.0", "")),
)  # fmt: skip


@pytest.mark.parametrize(("major", "key", "expected"), KEYS)
def test_what_a_key_of_pnpm_says(major: int, key: str, expected: Key) -> None:
    assert parse_key(key, major) == expected


REFERENCES = (
    (5, "wide-cjs", "/wide/4.2.3", "/wide/4.2.3"),
    (5, "a", "1.0.0_b@2", "/a/1.0.0_b@2"),
    (6, "wide-cjs", "/wide@4.2.3", "/wide@4.2.3"),
    (6, "a", "1.0.0(b@2)", "/a@1.0.0(b@2)"),
    (9, "wide-cjs", "wide@4.2.3", "wide@4.2.3"),
    (9, "x", "@s/n@1.0.0(p@1)", "@s/n@1.0.0(p@1)"),
    (9, "a", "1.0.0(b@2)", "a@1.0.0(b@2)"),
    (9, "a", "https://h.example/x@1.tgz", "a@https://h.example/x@1.tgz"),
)


@pytest.mark.parametrize(("major", "alias", "ref", "key"), REFERENCES)
def test_the_key_that_a_reference_of_pnpm_means(major: int, alias: str, ref: str, key: str) -> None:
    assert key_candidates(alias, ref, major)[0] == key


ALIASES = (
    ("npm:real@^1.2.3", ("real", "^1.2.3")), ("npm:@s/real@1.0.0", ("@s/real", "1.0.0")), ("npm:real", ("real", "")),
    ("npm:@s/real", ("@s/real", "")), ("npm:^1.0.0", None), ("npm:1.0.0", None), ("^1.0.0", None), ("npm:../../etc@1", None), ("npm:", None),
)  # fmt: skip


@pytest.mark.parametrize(("specifier", "expected"), ALIASES)
def test_what_a_specifier_is_an_alias_of(specifier: str, expected: tuple[str, str] | None) -> None:
    assert split_alias(specifier) == expected


PATTERNS: tuple[tuple[str, list[str], bool], ...] = (
    ("packages/a", ["packages/*"], True), ("packages/a/b", ["packages/*"], False), ("packages/a/b", ["packages/**"], True),
    ("apps/one", ["./apps/one/"], True), ("packages/old", ["packages/*", "!packages/old"], False), ("packages/old", ["!packages/old", "packages/*"], True),
    ("libs/x-core", ["{apps,libs}/*-core"], True), ("libs/x-corner", ["libs/*-core"], False), ("a", ["*"], True), ("a/b", ["*"], False),
    ("packages/a", [], False), ("packages", ["packages/**"], True), ("aXbXc", ["a*b*c"], True), ("abc", ["a*bc*c"], False),
)  # fmt: skip


@pytest.mark.parametrize(("folder", "patterns", "owned"), PATTERNS)
def test_which_folders_workspace_patterns_own(folder: str, patterns: list[str], owned: bool) -> None:
    assert owns(folder, patterns) is owned

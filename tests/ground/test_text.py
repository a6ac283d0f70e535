"""Text from outside: what a terminal would act on is shown, and no credential stays in a URL."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from briefkit.text import one_line, public_url, safe_text

URLS = {
    "userinfo goes": ("https://user:secret@host.example/x.tgz", "https://host.example/x.tgz"),
    "token as user goes": ("https://ghp_secret@host.example/o/r.git#abc", "https://host.example/o/r.git#abc"),
    "ssh user goes, commit stays": ("git+ssh://git@host.example/o/r.git#0a1b", "git+ssh://host.example/o/r.git#0a1b"),
    "query token goes": ("https://host.example/x.tgz?token=secret", "https://host.example/x.tgz"),
    "revision stays": ("https://host.example/o/r?rev=main#0a1b", "https://host.example/o/r?rev=main#0a1b"),
    "secret beside a revision goes": ("https://host.example/r?rev=main&auth=secret", "https://host.example/r?rev=main"),
    "fragment with a secret goes": ("https://host.example/r#access_token=secret", "https://host.example/r"),
    "no scheme": ("//user:pw@host.example/x", "//host.example/x"),
    "a path is no URL": ("../local/pkg.tgz", "../local/pkg.tgz"),
    "an at sign in the path stays": ("https://host.example/@scope/x.tgz", "https://host.example/@scope/x.tgz"),
}


@pytest.mark.parametrize(("url", "expected"), URLS.values(), ids=URLS.keys())
def test_a_public_url_holds_what_identifies_and_nothing_that_authorises(url: str, expected: str) -> None:
    assert public_url(url) == expected


def test_an_escape_sequence_is_shown_and_not_sent() -> None:
    assert safe_text("a\x1b[2Jb\x9b31mc\u202ed\U000e0041") == "a\\u{1b}[2Jb\\u{9b}31mc\\u{202e}d\\u{e0041}"


@given(st.text())
def test_safe_text_holds_no_control_character_and_is_idempotent(text: str) -> None:
    safe = safe_text(text)
    assert not [sign for sign in safe if (ord(sign) < 32 and sign not in "\n\t") or 0x7F <= ord(sign) <= 0x9F]
    assert safe_text(safe) == safe


def test_one_line_folds_white_space_and_cuts_with_an_ellipsis() -> None:
    assert one_line("  a\n\tb  c ") == "a b c"
    assert one_line("x" * 20, 10) == "x" * 9 + "…"

"""Files are read within bounds, and what is no regular file is refused with its reason."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from briefkit.errors import UnreadableError
from briefkit.paths import decode, is_within, read_bytes, read_text, shown_path

if TYPE_CHECKING:
    from pathlib import Path


def test_a_directory_a_fifo_and_a_missing_file_are_refused_with_their_reason(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    messages = []
    for name in ("pipe", ".", "gone", "a\0b"):
        with pytest.raises(UnreadableError) as raised:
            read_bytes(str(tmp_path / name), shown=name)
        messages.append(str(raised.value))
    assert messages == [
        "pipe: a FIFO, not a file",
        ".: a directory, not a file",
        "gone: no such file",
        "a\0b: not a path (it holds a NUL character)",
    ]


def test_a_file_over_the_limit_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * 11)
    with pytest.raises(UnreadableError, match="file has 11 bytes, more than the 10 that are read"):
        read_bytes(str(tmp_path / "big"), 10)
    assert read_bytes(str(tmp_path / "big"), 11) == b"x" * 11


def test_a_byte_order_mark_is_dropped_and_utf_16_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes("\ufeffä".encode())
    (tmp_path / "b").write_bytes("ä\n".encode("utf-16"))
    assert [read_text(str(tmp_path / name)) for name in "ab"] == ["ä", "ä\n"]


def test_bytes_that_are_no_text_are_refused_with_the_line_of_the_first_bad_one() -> None:
    with pytest.raises(UnreadableError) as raised:
        decode(b"a\nb\n\xff\xff", "x.lock")
    assert str(raised.value) == "x.lock:3: not UTF-8 text"


def test_paths_are_shown_relative_inside_the_root_only() -> None:
    assert shown_path("/repo/a/b.py", "/repo") == "a/b.py"
    assert shown_path("/repository/a", "/repo") == "/repository/a"
    assert shown_path("/repo", "/repo") == "."
    assert [is_within("/a/b", "/a"), is_within("/ab", "/a"), is_within("/a", "/")] == [True, False, True]

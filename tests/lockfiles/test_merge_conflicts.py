"""A lockfile with merge-conflict markers: both sides read, the difference said."""

from __future__ import annotations

import pytest
from lockfile_rows import importer_rows, lines, package_rows

from briefkit.errors import UnreadableError
from briefkit.lockfiles.files import read_lockfile_text

UV = """\
version = 1

[[package]]
name = "app"
version = "1"
source = { virtual = "." }
dependencies = [
    { name = "six" },
]

[[package]]
name = "six"
<<<<<<< HEAD
version = "1.16.0"
=======
version = "1.17.0"
>>>>>>> feature
source = { registry = "https://pypi.example/simple" }
"""


def test_both_sides_are_listed_and_the_name_is_in_conflict() -> None:
    reading = read_lockfile_text(UV, "uv.lock")
    assert package_rows(reading) == lines("""
        3 app 1 workspace . indirect -> six 1.16.0
        11 six 1.16.0 <.> {main} direct
        11 six 1.17.0 <.> {main} direct
    """)
    assert [tuple(one) for one in reading.conflicts] == [("six", 11, "1.16.0", "1.17.0")]
    assert importer_rows(reading) == lines("""
        . app 1
          8 six {main} -> six 1.16.0
          8 six {main} -> six 1.17.0
    """)


def test_the_base_of_a_three_way_conflict_is_left_out() -> None:
    text = "a==1\n<<<<<<< ours\nb==2\n||||||| base\nb==1\n=======\nb==3\nc==1\n>>>>>>> theirs\n"
    reading = read_lockfile_text(text, "requirements.txt")
    assert package_rows(reading) == ["1 a 1", "3 b 2", "7 b 3", "8 c 1"]
    assert [tuple(one) for one in reading.conflicts] == [("b", 3, "2", "3"), ("c", 8, None, "1")]


def test_a_side_that_cannot_be_read_is_said_and_the_other_is_given() -> None:
    text = UV.replace('version = "1.17.0"\n', "version = \n")
    reading = read_lockfile_text(text, "uv.lock")
    assert [(package.name, package.version) for package in reading.packages] == [("app", "1"), ("six", "1.16.0")]
    assert reading.notes == ("the second side of the merge conflict cannot be read: line 16: not TOML (Invalid value)",)
    assert [tuple(one) for one in reading.conflicts] == [("", 13, None, None)]


def test_a_difference_in_hashes_alone_is_a_conflict_without_a_name() -> None:
    text = "<<<<<<< a\na==1 --hash=sha256:aa\n=======\na==1 --hash=sha256:bb\n>>>>>>> b\n"
    assert [tuple(one) for one in read_lockfile_text(text, "requirements.txt").conflicts] == [("", 1, None, None)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a==1\n<<<<<<< a\nb==1\n", "requirements.txt:2: a merge conflict that does not end"),
        ("<<<<<<< a\n=======\n<<<<<<< b\n", "requirements.txt:3: a merge-conflict marker that does not pair up"),
        (
            "<<<<<<< a\n%%\n=======\n%%%\n>>>>>>> b\n",
            (
                "requirements.txt:1: merge conflict, and neither side can be read (line 2: not a requirements file: no line of it is a "
                "requirement, and '%%' is none). Resolve the conflict"
            ),
        ),
    ],
)
def test_markers_that_do_not_pair_up_are_refused(text: str, message: str) -> None:
    with pytest.raises(UnreadableError) as raised:
        read_lockfile_text(text, "requirements.txt")
    assert str(raised.value) == message


def test_line_ends_of_windows_change_nothing() -> None:
    reading = read_lockfile_text(UV.replace("\n", "\r\n"), "uv.lock")
    assert [tuple(one) for one in reading.conflicts] == [("six", 11, "1.16.0", "1.17.0")]

"""What the metadata of a Python distribution states: names of its folders, headers, and URLs of where it came from."""

from __future__ import annotations

import pytest

from briefkit.installed.import_roots import import_roots, main_root
from briefkit.installed.python_metadata import Headers, MetadataEntry, folder_of_url, metadata_entries, parse_headers


@pytest.mark.parametrize(
    ("url", "folder"),
    [
        ("file:///home/me/proj", "/home/me/proj"),
        ("file:///home/me/a%20b%23c", "/home/me/a b#c"),
        ("file://localhost/home/me", "/home/me"),
        ("file:///C:/Users/me/proj", "C:/Users/me/proj"),
        ("FILE:///home/me?x=1#egg=y", "/home/me"),
        ("file://server/share/proj", "//server/share/proj"),
        ("file:///a%00b", None),
        ("file://", None),
        ("https://example.org/a.git", None),
        ("/home/me", None),
    ],
)
def test_a_file_url_is_a_path_of_its_platform(url: str, folder: str | None) -> None:
    assert folder_of_url(url) == folder


@pytest.mark.parametrize(
    ("data", "headers"),
    [
        (b"Metadata-Version: 2.1\nName: PyYAML\nVersion: 6.0.2\n\nbody", Headers("PyYAML", "6.0.2")),
        (b"Name: a\r\nVersion: 1\r\n\r\nName: b\r\n", Headers("a", "1")),
        (b"name:a\nversion:\t2 \n", Headers("a", "2")),
        (b"Name: a\nName: b\nVersion: 1\n", Headers("a", "1")),
        (b"Name: a\nVersion:\n", Headers("a", None)),
        (b"Name: a\n\nVersion: 1\n", Headers("a", None)),
        (b"Version: 1\n", None),
        (b"", None),
        (b"\xff\xfe\x00", None),
    ],
)
def test_headers_end_at_the_first_blank_line_and_the_first_of_a_kind_counts(
    data: bytes, headers: Headers | None
) -> None:
    assert parse_headers(data) == headers


def test_metadata_is_told_by_the_ends_of_names_and_spelled_as_packages_are() -> None:
    names = [
        "PyYAML-6.0.2.dist-info",
        "old-dashed-name-1.0.dist-info",
        "jaraco_functools-4.6.0.dist-info",
        "six-1.17.0-py3.11.egg",
        "foo-1.0-py2.7.egg-info",
        "Legacy_Pkg.egg-info",
        "Legacy-Pkg.egg-link",
        "yaml",
        "x.dist-info.txt",
        "-ix-1.0.dist-info",
    ]
    found, warnings = metadata_entries("/s", names)
    assert found == [
        MetadataEntry("pyyaml", "/s/PyYAML-6.0.2.dist-info", "dist-info"),
        MetadataEntry("old-dashed-name", "/s/old-dashed-name-1.0.dist-info", "dist-info"),
        MetadataEntry("jaraco-functools", "/s/jaraco_functools-4.6.0.dist-info", "dist-info"),
        MetadataEntry("six", "/s/six-1.17.0-py3.11.egg", "egg"),
        MetadataEntry("foo", "/s/foo-1.0-py2.7.egg-info", "egg-info"),
        MetadataEntry("legacy-pkg", "/s/Legacy_Pkg.egg-info", "egg-info"),
        MetadataEntry("legacy-pkg", "/s/Legacy-Pkg.egg-link", "egg-link"),
    ]
    assert warnings == ["/s/-ix-1.0.dist-info: left over by an interrupted removal, ignored"]


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["six.py"], ("six",)),
        (["yaml/__init__.py", "yaml/cyaml.py", "_yaml/__init__.py"], ("_yaml", "yaml")),
        (["google/cloud/storage/__init__.py", "google/cloud/storage/a/b.py"], ("google.cloud.storage",)),
        (["ns/part.py", "ns/deep/other.py"], ("ns",)),
        (["ujson.cpython-311-x86_64-linux-gnu.so", "ujson-stubs/__init__.pyi"], ("ujson",)),
        (["yaml-stubs/__init__.pyi"], ("yaml-stubs",)),
        (["_ext.abi3.so", "_win.pyd", "m.cp311-win_amd64.pyd"], ("_ext", "_win", "m")),
        (["__editable___demo_finder.py", "_editable_impl_demo.py", "_demo_editable_loader.py", "demo.pth"], ()),
        (["../../../bin/x.py", "a-b/c.py", "demo-1.0.dist-info/x.py", "data/x.txt", "bin/tool"], ()),
        (["pkg/data.txt", "pkg/__init__.py", "other/sub/x.py", "pkg/deep/y.py"], ("other.sub", "pkg")),
        ([], ()),
    ],
)
def test_import_names_are_the_topmost_packages_and_modules(paths: list[str], names: tuple[str, ...]) -> None:
    assert import_roots(paths) == names
    assert import_roots(reversed(paths)) == names


@pytest.mark.parametrize(
    ("names", "name", "main"),
    [
        (("_yaml", "yaml"), "pyyaml", "yaml"),
        (("attr", "attrs"), "attrs", "attrs"),
        (("google.cloud._storage", "google.cloud.storage"), "google-cloud-storage", "google.cloud.storage"),
        (("_private",), "other", "_private"),
        ((), "other", None),
    ],
)
def test_the_name_that_stands_for_a_distribution_is_public_and_spelled_like_it(
    names: tuple[str, ...], name: str, main: str | None
) -> None:
    assert main_root(names, name) == main

"""Lockfiles that the managers of npm's world wrote for projects of our own: the whole reading of each, as a table beside it.

`expected.txt` beside a sample was checked against the manager's own listing; the slow tests do that again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from lockfile_rows import SAMPLES, importer_rows, package_rows, sample, skipped_rows
from node_lockfile_managers import ALL

if TYPE_CHECKING:
    from briefkit.lockfiles.reading import LockfileReading

PATHS = [f"{each.folder}/{each.written.rpartition('/')[2]}" for each in ALL]


def table(reading: LockfileReading) -> str:
    """The whole of a reading, as lines."""
    head = (
        f"{reading.format} {reading.format_version} {reading.ecosystem} members: {', '.join(reading.members) or 'none'}"
    )
    notes = [f"note: {note}" for note in reading.notes]
    parts = ([head, *notes], package_rows(reading), importer_rows(reading), skipped_rows(reading))
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


@pytest.mark.parametrize("path", PATHS)
def test_the_reading_of_what_a_manager_wrote_is_the_whole_table(path: str) -> None:
    expected = (SAMPLES / path).with_name("expected.txt").read_text(encoding="utf-8")
    assert table(sample(path)) == expected


@pytest.mark.parametrize("path", PATHS)
def test_one_package_built_alone_is_the_one_among_all(path: str) -> None:
    alone, together = sample(path), sample(path)
    assert [alone.package(index) for index in range(len(together.packages))] == list(together.packages)
    assert [alone.instance(index) for index in range(len(together.instances))] == list(together.instances)


@pytest.mark.parametrize("path", PATHS)
def test_packages_are_found_under_real_name_and_alias(path: str) -> None:
    reading = sample(path)
    for index, package in enumerate(reading.packages):
        for name in (package.name, *package.aliases):
            assert index in reading.packages_named(name)
    assert reading.packages_named("no-such-package") == ()


@pytest.mark.parametrize("path", PATHS)
def test_names_and_versions_alone_are_those_of_the_packages(path: str) -> None:
    reading = sample(path)
    assert set(reading.versions()) == {(package.name, package.version) for package in reading.packages}


@pytest.mark.parametrize("path", PATHS)
def test_no_address_carries_a_user(path: str) -> None:
    urls = [package.source.url or "" for package in sample(path).packages]
    assert [url for url in urls if re.search("//[^/]*@", url)] == []


SEEN = (
    ("npm/v3-workspaces/package-lock.json", "packages/b", "react", "17.0.2"),
    ("npm/v3-workspaces/package-lock.json", "packages/a", "react", "18.3.1"),
    ("npm/v3-workspaces/package-lock.json", ".", "frame", "7.24.7"),
    ("npm/v3-workspaces/package-lock.json", "local", "is-number", "7.0.0"),
    ("npm/v1-solo/package-lock.json", ".", "is-number", "6.0.0"),
    ("bun/v2-catalogs/bun.lock", "packages/b", "react", "17.0.2"),
    ("bun/v2-catalogs/bun.lock", "packages/a", "react", "18.3.1"),
    ("bun/v2-catalogs/bun.lock", ".", "react", "18.3.1"),
)


@pytest.mark.parametrize(("path", "importer", "name", "version"), SEEN)
def test_a_member_sees_the_nearest_copy(path: str, importer: str, name: str, version: str) -> None:
    reading = sample(path)
    seen = reading.visible(importer, name)
    assert seen is not None
    assert reading.package(reading.instance(seen).package).version == version
    assert reading.visible(importer, "no-such-package") is None


def test_a_descriptor_leads_to_its_entry_as_lock_and_manifest_write_it() -> None:
    berry, classic = sample("yarn-berry/v10-yarn4/yarn.lock"), sample("yarn-classic/v1-workspaces/yarn.lock")
    found = {
        pattern: reading.packages[reading.instances[reading.patterns[pattern]].package].version
        for reading, pattern in (
            (berry, "ms@npm:^2.1.0"), (berry, "ms@^2.1.0"), (berry, "frame@npm:@babel/code-frame@7.24.7"), (classic, "react@17.0.2"),
            (classic, "string-width-cjs@npm:string-width@^4.2.0"),
        )
    }  # fmt: skip
    assert found == {
        "ms@npm:^2.1.0": "2.1.3",
        "ms@^2.1.0": "2.1.3",
        "frame@npm:@babel/code-frame@7.24.7": "7.24.7",
        "react@17.0.2": "17.0.2",
        "string-width-cjs@npm:string-width@^4.2.0": "4.2.3",
    }

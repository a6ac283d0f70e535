"""Semantic versions and ranges, as TypeScript reads them."""

from __future__ import annotations

import pytest

from briefkit.versions import satisfies, semver


@pytest.mark.parametrize(
    ("version", "range_text", "inside"),
    [
        ("5.9.3", "*", True),
        ("5.9.3", "", True),
        ("5.9.3", ">=4.2", True),
        ("5.9.3", "<=5.6", False),
        ("5.6.2", "<=5.6", True),
        ("5.7.0", "<=5.6", False),
        ("5.9.3", ">5.9", False),
        ("5.10.0", ">5.9", True),
        ("4.7.0", "<4.7", False),
        ("4.6.9", "<4.7", True),
        ("5.0.0-beta", "<5.0", False),
        ("5.0.0-beta", ">=5.0", True),
        ("5.9.3", "~5.9", True),
        ("5.10.0", "~5.9", False),
        ("5.10.0", "^5.9", True),
        ("6.0.0", "^5.9", False),
        ("0.2.9", "^0.2.3", True),
        ("0.3.0", "^0.2.3", False),
        ("0.0.4", "^0.0.3", False),
        ("3.5.0", "3.1 - 3.5", True),
        ("3.6.0", "3.1 - 3.5", False),
        ("3.5.1", "3.1 - 3.5.0", False),
        ("5.9.3", ">=4.2 <5", False),
        ("6.2.0", ">=4.2 <5 || ^6.1", True),
        ("5.9.3", "5", True),
        ("5.9.3", "5.9.3", True),
        ("5.9.3", "=5.9.4", False),
        ("5.9.3", ">= 5.9.2", True),
        ("5.9.3", "5.x", True),
        ("5.9.3", "latest", False),
        ("5.9.3", ">=", False),
        ("5.9.3", "5.9.3.1", False),
        ("5.9.3", "9" * 5_000, False),
        ("5.9.3", "<*", False),
    ],
)
def test_a_range_holds_the_versions_that_typescript_says(version: str, range_text: str, inside: bool) -> None:
    found = semver(version)
    assert found is not None
    assert satisfies(found, range_text) is inside


def test_versions_are_ordered_with_pre_releases_under_the_release_and_numbers_under_words() -> None:
    texts = ["1.0.0-1", "1.0.0-2", "1.0.0-10", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0", "1.0.1"]
    versions = [semver(text) for text in texts]
    assert sorted(each for each in versions if each is not None) == versions


def test_what_states_no_version_is_none() -> None:
    assert [semver(text) for text in ("", "latest", "*", "x.y", "1..2", "١.٢.٣")] == [None] * 6
    assert semver("v5.9") == semver("5.9.0")

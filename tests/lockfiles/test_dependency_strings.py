"""Dependency specifiers inside lockfiles: their parts, and whether they allow a version."""

from __future__ import annotations

import pytest
from lockfile_rows import importer_rows, package_rows

from briefkit.lockfiles.dependency_strings import constraint_allows, dependency_parts, specifier_allows
from briefkit.lockfiles.files import read_lockfile_text
from briefkit.lockfiles.requirement_entry import pinned_version


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Foo_Bar", ("foo-bar", (), None, None)),
        ("a>=1,<2", ("a", (), ">=1,<2", None)),
        ("a (>=1) ; extra == 'x'", ("a", (), ">=1", "extra == 'x'")),
        ("a[Z_z, b]==1; os_name == 'nt'", ("a", ("z-z", "b"), "==1", "os_name == 'nt'")),
        ("a @ git+https://user:pw@h.example/a@1", ("a", (), "@ git+https://h.example/a@1", None)),
        ("%%", None),
        ("a" * 5000, None),
    ],
)
def test_a_dependency_has_parts(text: str, parts: object) -> None:
    assert dependency_parts(text) == parts


@pytest.mark.parametrize(
    ("version", "constraint", "allowed"),
    [
        ("1.9", "^1.2", True), ("2.0", "^1.2", False), ("1.1", "^1.2", False), ("0.2.9", "^0.2.3", True), ("0.3.0", "^0.2.3", False),
        ("0.0.3", "^0.0.3", True), ("0.0.4", "^0.0.3", False), ("1.2.9", "~1.2.3", True), ("1.3", "~1.2.3", False), ("1.9", "~1", True), ("2.0", "~1", False),
        ("2.10", "2.10", True), ("2.11", "2.10", False), ("2.7", "2.*", True), ("3.0", "2.*", False), ("9", "*", True), ("9", "", True),
        ("3.1", ">=1,<2 || >3", True), ("2.5", ">=1,<2 || >3", False), ("2.5", ">=1 <2", False), ("1.4.3", "~=1.4.2", True), ("1.5", "~=1.4.2", False),
        ("x", "^1", False), ("1", "nonsense!", False),
    ],
)  # fmt: skip
def test_a_constraint_of_poetry_allows_what_poetry_allows(version: str, constraint: str, allowed: bool) -> None:
    assert constraint_allows(version, constraint) is allowed


def test_what_is_no_version_is_not_allowed() -> None:
    asked = (("1.2", ">=1"), ("1.2", ">=2"), ("2004d", ">=1"), ("1.0", "=>1"), ("1" * 300, ">=1"), ("1.0rc1", "<2"))
    assert [specifier_allows(*one) for one in asked] == [True, False, False, False, False, True]


@pytest.mark.parametrize(
    ("specifier", "version"),
    [
        ("==1.0", "1.0"),
        ("===1.0", "1.0"),
        ("==1.*", None),
        ("~=1.0", None),
        (">=1", None),
        ("==1,<2", None),
        ("== 1!2+x.3", "1!2+x.3"),
        ("", None),
    ],
)
def test_only_equality_pins(specifier: str, version: str | None) -> None:
    assert pinned_version(specifier) == version


def test_a_compatible_release_is_no_pin() -> None:
    assert package_rows(read_lockfile_text("a ~= 1.4.2\n", "requirements.txt")) == ["1 a (none)"]


def test_the_fork_that_a_constraint_allows_is_the_one_that_is_meant() -> None:
    text = (
        '[[package]]\nname = "a"\nversion = "1"\n\n[package.dependencies]\nn = "^1.0"\n\n[[package]]\nname = "b"\nversion = "1"\n\n'
        '[package.dependencies]\nn = ">=2,<3"\n\n[[package]]\nname = "c"\nversion = "1"\n\n[package.dependencies]\nn = "*"\n\n'
        '[[package]]\nname = "n"\nversion = "1.5"\n\n[[package]]\nname = "n"\nversion = "2.5"\n\n[metadata]\nlock-version = "2.1"\n'
    )
    assert package_rows(read_lockfile_text(text, "poetry.lock"))[:3] == [
        "1 a 1 -> n 1.5",
        "8 b 1 -> n 2.5",
        "15 c 1 -> n 1.5, n 2.5",
    ]
    assert importer_rows(read_lockfile_text(text, "poetry.lock")) == [". (none) (none) undeclared"]

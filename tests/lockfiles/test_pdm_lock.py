"""pdm.lock as PDM writes it."""

from __future__ import annotations

from lockfile_rows import importer_rows, lines, package_rows, sample, skipped_rows


def test_entries_of_one_package_with_and_without_extras_are_one() -> None:
    reading = sample("pdm/project/pdm.lock")
    facts = (reading.format, reading.format_version, reading.requires_python, reading.members, reading.notes)
    assert facts == ("pdm", "4.5.0", ">=3.9", (), ())
    assert package_rows(reading) == lines("""
        13 click 8.1.8 {default} -> colorama 0.4.6, importlib-metadata (none)
        28 colorama 0.4.6 {default} ; platform_system == "Windows"
        40 idna 3.4 {default} ; python_version >= "3.11"
        52 iniconfig 2.0.0 {dev}
        63 pysocks 1.7.1 {default}
        74 six 1.17.0 {default}
        85 sortedcontainers 2.4.0 {fast}
        95 toolbelt 1.2.0 git https://git.example/toolbelt #56b50e64d631c1295b358d28c9b9cdb2638314ce {default} -> six 1.17.0
        107 urllib3 1.26.20 {default} -> pysocks 1.7.1
    """)
    assert importer_rows(reading) == lines("""
        . (none) (none) undeclared
    """)
    assert skipped_rows(reading) == []


def test_the_lock_of_an_older_pdm_says_nothing_of_groups() -> None:
    reading = sample("pdm/lock-4.2/pdm.lock")
    facts = (reading.format, reading.format_version, reading.requires_python, reading.members, reading.notes)
    assert facts == ("pdm", "4.2", None, (), ())
    assert package_rows(reading) == lines("""
        4 click 8.1.8 -> colorama 0.4.6
        13 colorama 0.4.6
        19 idna 3.4
        25 iniconfig 2.0.0
        31 pysocks 1.7.1
        37 six 1.17.0
        43 sortedcontainers 2.4.0
        48 toolbelt 1.2.0 git https://git.example/toolbelt #56b50e64d631c1295b358d28c9b9cdb2638314ce -> six 1.17.0
        59 urllib3 1.26.20 -> pysocks 1.7.1
    """)
    assert importer_rows(reading) == lines("""
        . (none) (none) undeclared
    """)
    assert skipped_rows(reading) == []

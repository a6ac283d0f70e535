"""poetry.lock as Poetry writes it, each version of the format."""

from __future__ import annotations

from lockfile_rows import importer_rows, lines, package_rows, sample, skipped_rows


def test_lock_version_2_1_has_groups_and_markers() -> None:
    reading = sample("poetry/project/poetry.lock")
    facts = (reading.format, reading.format_version, reading.requires_python, reading.members, reading.notes)
    assert facts == ("poetry", "2.1", "^3.9", (), ())
    assert package_rows(reading) == lines("""
        3 click 8.1.8 {main} ; python_version < "3.11" -> colorama 0.4.6
        19 click 8.5.1 {main} ; python_version >= "3.11"
        32 colorama 0.4.6 {main,dev} ; (python_version < "3.11" and platform_system == "Windows") or (sys_platform == "win32")
        45 idna 2.10 {main} ; python_version < "3.11"
        58 idna 3.20 {main} ; python_version >= "3.11"
        74 iniconfig 2.1.0 {dev} ; python_version < "3.11"
        87 iniconfig 2.3.1 {dev} ; python_version >= "3.11"
        100 ledger 4.1 editable local/ledger {main} -> six 1.16.0
        117 pysocks 1.7.1 {main}
        130 six 1.16.0 {main}
        142 sortedcontainers 2.4.0 {main} ; extra == "fast"
        155 toolbelt 1.2.0 git https://git.example/toolbelt #56b50e64d631c1295b358d28c9b9cdb2638314ce {main} -> six 1.16.0
        174 urllib3 1.26.20 {main}
    """)
    assert importer_rows(reading) == lines("""
        . (none) (none) undeclared
    """)
    assert skipped_rows(reading) == []


def test_lock_version_2_0_says_nothing_of_groups() -> None:
    reading = sample("poetry/lock-2.0/poetry.lock")
    facts = (reading.format, reading.format_version, reading.requires_python, reading.members, reading.notes)
    assert facts == ("poetry", "2.0", "^3.9", (), ())
    assert package_rows(reading) == lines("""
        3 click 8.1.8 -> colorama 0.4.6
        17 colorama 0.4.6
        28 idna 2.10
        39 idna 3.20
        53 iniconfig 2.1.0
        64 ledger 4.1 editable local/ledger -> six 1.16.0
        80 pysocks 1.7.1
        92 six 1.16.0
        103 sortedcontainers 2.4.0
        114 toolbelt 1.2.0 git https://git.example/toolbelt #56b50e64d631c1295b358d28c9b9cdb2638314ce -> six 1.16.0
        132 urllib3 1.26.20
    """)
    assert importer_rows(reading) == lines("""
        . (none) (none) undeclared
    """)
    assert skipped_rows(reading) == []


def test_a_category_is_a_group() -> None:
    reading = sample("poetry/lock-2.0-category/poetry.lock")
    facts = (reading.format, reading.format_version, reading.requires_python, reading.members, reading.notes)
    assert facts == ("poetry", "2.0", "^3.9", (), ())
    assert package_rows(reading) == lines("""
        3 click 8.1.8 {main} -> colorama 0.4.6
        18 colorama 0.4.6 {main}
        30 idna 2.10 {main}
        42 idna 3.20 {main}
        57 iniconfig 2.1.0 {dev}
        69 ledger 4.1 editable local/ledger {main} -> six 1.16.0
        86 pysocks 1.7.1 {main}
        99 six 1.16.0 {main}
        111 sortedcontainers 2.4.0 {main}
        123 toolbelt 1.2.0 git https://git.example/toolbelt #56b50e64d631c1295b358d28c9b9cdb2638314ce {main} -> six 1.16.0
        142 urllib3 1.26.20 {main}
    """)
    assert importer_rows(reading) == lines("""
        . (none) (none) undeclared
    """)
    assert skipped_rows(reading) == []

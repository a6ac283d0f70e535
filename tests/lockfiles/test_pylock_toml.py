"""pylock.toml as pip, uv and PDM write it."""

from __future__ import annotations

from lockfile_rows import importer_rows, lines, package_rows, sample, skipped_rows


def test_what_uv_exports_reads_whole() -> None:
    reading = sample("pylock/pylock.uv.toml")
    facts = (reading.format, reading.format_version, reading.requires_python, reading.members, reading.notes)
    assert facts == ("pylock", "1.0", ">=3.9", (), ())
    assert package_rows(reading) == lines("""
        7 attrs 23.2.0 {main}
        14 click 8.1.8 {main} ; python_full_version < '3.10'
        22 click 8.5.1 {main} ; python_full_version >= '3.10'
        30 colorama 0.4.6 {main} ; python_full_version < '3.10' and sys_platform == 'win32'
        38 crate (none) directory vendor/crate {main}
        42 idna 3.20 {main}
        49 importlib-metadata 8.7.1 {main} ; python_full_version < '3.10'
        57 iniconfig 2.1.0 {main} ; python_full_version < '3.10'
        65 iniconfig 2.3.1 {main} ; python_full_version >= '3.10'
        73 pathspec 0.12.1 {main} ; sys_platform != 'win32'
        81 pysocks 1.7.1 {main}
        88 six 1.16.0 {main}
        95 toolbelt 1.2.0 git https://git.example/toolbelt #56b50e64d631c1295b358d28c9b9cdb2638314ce {main}
        100 urllib3 2.3.0 {main}
        107 zipp 3.23.1 {main} ; python_full_version < '3.10'
    """)
    assert importer_rows(reading) == lines("""
        . (none) (none) undeclared
    """)
    assert skipped_rows(reading) == lines("""
        38 crate: the lockfile states no version
    """)


def test_what_pip_locks_reads_whole() -> None:
    reading = sample("pylock/pylock.pip.toml")
    facts = (reading.format, reading.format_version, reading.requires_python, reading.members, reading.notes)
    assert facts == ("pylock", "1.0", None, (), ())
    assert package_rows(reading) == lines("""
        4 app-one (none) workspace . {main}
        10 six 1.17.0 {main}
    """)
    assert importer_rows(reading) == lines("""
        . (none) (none) undeclared
    """)
    assert skipped_rows(reading) == lines("""
        4 app-one: the lockfile states no version
    """)

"""Requirements files as pip-compile, uv and pip write them, and by hand."""

from __future__ import annotations

from lockfile_rows import importer_rows, lines, package_rows, sample, skipped_rows


def test_comments_of_pip_compile_are_the_graph() -> None:
    reading = sample("requirements/pip-compile.txt")
    facts = (reading.format, reading.format_version, reading.requires_python, reading.members, reading.notes)
    assert facts == ("requirements", "", None, (), ())
    assert package_rows(reading) == lines("""
        7 click 8.5.1 <.> direct
        11 pysocks 1.7.1 indirect
        16 six 1.16.0 <.> direct ; python_version >= "3.8"
        20 urllib3 1.26.20 <.> direct -> pysocks 1.7.1
    """)
    assert importer_rows(reading) == lines("""
        . (none) (none)
          7 click ==8.5.1 {main} -> click 8.5.1
          16 six ==1.16.0 {main} ; python_version >= "3.8" -> six 1.16.0
          20 urllib3 ==1.26.20 {main} -> urllib3 1.26.20
    """)
    assert skipped_rows(reading) == []


def test_comments_of_uv_pip_compile_are_the_graph() -> None:
    reading = sample("requirements/uv-pip-compile.txt")
    facts = (reading.format, reading.format_version, reading.requires_python, reading.members, reading.notes)
    assert facts == ("requirements", "", None, (), ())
    assert package_rows(reading) == lines("""
        3 click 8.5.1 <.> direct
        5 pysocks 1.7.1 indirect
        7 six 1.16.0 <.> direct
        9 urllib3 1.26.20 <.> direct -> pysocks 1.7.1
    """)
    assert importer_rows(reading) == lines("""
        . (none) (none)
          3 click ==8.5.1 {main} -> click 8.5.1
          7 six ==1.16.0 {main} -> six 1.16.0
          9 urllib3 ==1.26.20 {main} -> urllib3 1.26.20
    """)
    assert skipped_rows(reading) == []


def test_what_uv_exports_reads_whole() -> None:
    reading = sample("requirements/uv-export.txt")
    facts = (reading.format, reading.format_version, reading.requires_python, reading.members, reading.notes)
    assert facts == ("requirements", "", None, (), ())
    assert package_rows(reading) == lines("""
        6 attrs 23.2.0 <.> direct
        12 click 8.1.8 <.> direct ; python_full_version < '3.10' -> colorama 0.4.6
        16 click 8.5.1 <.> direct ; python_full_version >= '3.10' -> colorama 0.4.6
        20 colorama 0.4.6 indirect ; python_full_version < '3.10' and sys_platform == 'win32'
        24 idna 3.20 <.> direct
        28 importlib-metadata 8.7.1 <.> direct ; python_full_version < '3.10' -> zipp 3.23.1
        32 iniconfig 2.1.0 indirect ; python_full_version < '3.10'
        35 iniconfig 2.3.1 indirect ; python_full_version >= '3.10'
        38 pathspec 0.12.1 indirect ; sys_platform != 'win32'
        41 pysocks 1.7.1 indirect
        45 six 1.16.0 <.> direct
        51 sortedcontainers 2.4.0 <.> direct
        55 toolbelt (none) git https://git.example/toolbelt #56b50e64d631c1295b358d28c9b9cdb2638314ce <.> direct -> six 1.16.0
        57 urllib3 2.3.0 <.> direct -> pysocks 1.7.1
        61 zipp 3.23.1 indirect ; python_full_version < '3.10'
    """)
    assert importer_rows(reading) == lines("""
        . (none) (none)
          6 attrs ==23.2.0 {main} -> attrs 23.2.0
          12 click ==8.1.8 {main} ; python_full_version < '3.10' -> click 8.1.8
          16 click ==8.5.1 {main} ; python_full_version >= '3.10' -> click 8.5.1
          24 idna ==3.20 {main} -> idna 3.20
          28 importlib-metadata ==8.7.1 {main} ; python_full_version < '3.10' -> importlib-metadata 8.7.1
          45 six ==1.16.0 {main} -> six 1.16.0
          51 sortedcontainers ==2.4.0 {main} -> sortedcontainers 2.4.0
          55 toolbelt @ https://git.example/toolbelt {main} -> toolbelt (none)
          57 urllib3 ==2.3.0 {main} -> urllib3 2.3.0
    """)
    assert skipped_rows(reading) == lines("""
        3 ./packages/tools: names no package
        4 ./vendor/crate: names no package
        55 toolbelt: no version is stated: a commit
    """)

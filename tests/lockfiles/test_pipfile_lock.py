"""Pipfile.lock as Pipenv writes it."""

from __future__ import annotations

from lockfile_rows import importer_rows, lines, package_rows, sample, skipped_rows


def test_every_category_is_a_group() -> None:
    reading = sample("pipenv/project/Pipfile.lock")
    facts = (reading.format, reading.format_version, reading.requires_python, reading.members, reading.notes)
    assert facts == ("pipenv", "6", None, (), ())
    assert package_rows(reading) == lines("""
        17 click 8.5.1 {default} ; python_version >= '3.10'
        26 pysocks 1.7.1 {default} ; python_version >= '2.7' and python_version != '3.0' and python_version != '3.1' and python_version != '3.2' and python_version != '3.3'
        35 six 1.17.0 {default} ; python_version >= '2.7' and python_version != '3.0' and python_version != '3.1' and python_version != '3.2'
        43 toolbelt (none) git https://git.example/toolbelt #56b50e64d631c1295b358d28c9b9cdb2638314ce {default}
        47 urllib3 1.26.20 {default} ; python_version >= '2.7' and python_version != '3.0' and python_version != '3.1' and python_version != '3.2' and python_version != '3.3' and python_version != '3.4' and python_version != '3.5'
        60 iniconfig 2.0.0 {develop} ; python_version >= '3.7'
        71 packaging 25.0 {docs} ; python_version >= '3.8'
    """)
    assert importer_rows(reading) == lines("""
        . (none) (none) undeclared
    """)
    assert skipped_rows(reading) == lines("""
        43 toolbelt: no version is stated
    """)

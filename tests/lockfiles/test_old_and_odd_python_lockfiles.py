"""Layouts that no manager of today writes, and texts with other line ends and encodings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lockfile_rows import SAMPLES, importer_rows, lines, package_rows, skipped_rows

from briefkit.lockfiles.files import read_lockfile, read_lockfile_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SAME = (
    "uv/workspace/uv.lock", "uv/plain/distribution/uv.lock", "poetry/project/poetry.lock", "poetry/lock-2.0-category/poetry.lock", "pdm/project/pdm.lock",
    "pipenv/project/Pipfile.lock", "pylock/pylock.uv.toml", "requirements/pip-compile.txt",
)  # fmt: skip
FORMS: tuple[Callable[[str], bytes], ...] = (
    lambda text: text.replace("\n", "\r\n").encode(),
    lambda text: text.encode("utf-8-sig"),
    lambda text: text.encode("utf-16"),
    lambda text: text.rstrip("\n").encode(),
    lambda text: text.replace("\n", "\r\n").encode("utf-16"),
)


@pytest.mark.parametrize("path", SAME)
@pytest.mark.parametrize("form", FORMS, ids=["CRLF", "mark", "UTF-16", "no last line end", "CRLF in UTF-16"])
def test_line_ends_and_encodings_change_nothing(path: str, form: Callable[[str], bytes], tmp_path: Path) -> None:
    written = tmp_path / path.rpartition("/")[2].replace("pip-compile", "requirements")
    written.write_bytes(form((SAMPLES / path).read_text(encoding="utf-8")))
    expected, found = read_lockfile(SAMPLES / path), read_lockfile(written)
    assert (package_rows(found), importer_rows(found)) == (package_rows(expected), importer_rows(expected))


def test_sources_of_early_distribution_locks_are_strings() -> None:
    text = (
        'version = 1\n\n[[distribution]]\nname = "a"\nversion = "1"\nsource = "registry+https://pypi.example/simple"\n\n'
        '[[distribution.dependencies]]\nname = "g"\nversion = "2"\nsource = "git+https://git.example/g?rev=x#1234"\nextra = "e"\n\n'
        '[[distribution]]\nname = "g"\nversion = "2"\nsource = "git+https://git.example/g?rev=x#1234"\n\n'
        '[[distribution]]\nname = "app"\nversion = "0.1"\nsource = "editable+."\n\n[[distribution.dependencies]]\nname = "a"\n\n'
        '[[distribution]]\nname = "z"\nversion = "3"\nsource = "direct+https://h.example/z.zip"\n'
    )
    assert package_rows(read_lockfile_text(text, "uv.lock")) == lines("""
        3 a 1 <.> {main} direct -> g 2
        14 g 2 git https://git.example/g?rev=x #1234 {main} indirect
        19 app 0.1 workspace . indirect -> a 1
        27 z 3 url https://h.example/z.zip indirect
    """)


def test_poetry_before_its_first_version() -> None:
    text = (
        '[[package]]\ncategory = "main"\ndescription = "x"\nname = "Flask"\noptional = false\npython-versions = "*"\nversion = "1.0.3"\n\n'
        '[package.dependencies]\nJinja2 = ">=2.10"\n\n[[package]]\ncategory = "dev"\ndescription = "y"\nname = "Jinja2"\noptional = false\n'
        'python-versions = "*"\nversion = "2.10.1"\nmarker = "python_version >= \\"3\\""\n\n'
        '[metadata]\ncontent-hash = "aa"\npython-versions = ">=3.6"\n\n[metadata.hashes]\nFlask = ["ab12", "cd"]\nJinja2 = ["ef34"]\n'
    )
    reading = read_lockfile_text(text, "poetry.lock")
    assert package_rows(reading) == lines("""
        1 flask 1.0.3 {main} -> jinja2 2.10.1
        12 jinja2 2.10.1 {dev} ; python_version >= "3"
    """)
    assert [package.source.integrity for package in reading.packages] == ["sha256:ab12", "sha256:ef34"]


def test_poetry_1_1_keeps_files_apart_and_lists_constraints() -> None:
    text = (
        '[[package]]\nname = "a"\nversion = "1.0"\ndescription = ""\ncategory = "main"\noptional = false\npython-versions = "*"\n\n'
        '[package.dependencies]\nn = [\n    {version = "<2", markers = "python_version < \'3.9\'"},\n    {version = ">=2", markers = "python_version >= \'3.9\'"},\n]\n'
        'o = {version = "*", optional = true}\n\n[package.extras]\nfast = ["o (>=1)"]\n\n'
        '[[package]]\nname = "n"\nversion = "1.9"\ndescription = ""\ncategory = "main"\noptional = false\npython-versions = "*"\n\n'
        '[[package]]\nname = "n"\nversion = "2.1"\ndescription = ""\ncategory = "main"\noptional = false\npython-versions = "*"\n\n'
        '[[package]]\nname = "o"\nversion = "1"\ndescription = ""\ncategory = "main"\noptional = true\npython-versions = "*"\n\n'
        '[metadata]\nlock-version = "1.1"\npython-versions = "^3.6"\ncontent-hash = "x"\n\n[metadata.files]\na = [\n    {file = "a.whl", hash = "sha256:ab"},\n]\nn = []\n'
    )
    reading = read_lockfile_text(text, "poetry.lock")
    assert package_rows(reading) == lines("""
        1 a 1.0 {main} -> n 1.9, n 2.1
        19 n 1.9 {main}
        27 n 2.1 {main}
        35 o 1 {main}
    """)
    edges = [(edge.name, edge.target, edge.group, edge.marker) for edge in reading.instances[0].edges]
    assert edges == [
        ("n", 1, "main", "python_version < '3.9'"),
        ("n", 2, "main", "python_version >= '3.9'"),
        ("o", 3, "extra:fast", None),
    ]
    assert reading.packages[0].source.integrity == "sha256:ab"


def test_a_malformed_dependency_is_skipped_and_the_package_kept() -> None:
    text = '[[package]]\nname = "a"\nversion = "1"\n\n[package.dependencies]\nbad = [[{version = "1"}]]\ngood = "*"\n\n[metadata]\nlock-version = "1.1"\n'
    reading = read_lockfile_text(text, "poetry.lock")
    assert package_rows(reading) == ["1 a 1 -> good (none)"]
    assert skipped_rows(reading) == ["1 bad: dependency of a: a list, neither a constraint nor a table"]


def test_pdm_4_0_keeps_files_apart() -> None:
    text = (
        '[[package]]\nname = "a"\nversion = "1"\nrequires_python = ">=3.6"\nsummary = "x"\ndependencies = [\n    "B_b>=1; os_name == \'nt\'",\n]\n\n'
        '[[package]]\nname = "b-b"\nversion = "2"\nsummary = "y"\npath = "./local"\neditable = true\n\n[[package]]\nname = "w"\nversion = "3"\npath = "./w-3-py3-none-any.whl"\n\n'
        '[metadata]\nlock_version = "4.0"\ncontent_hash = "x"\n\n[metadata.files]\n"a 1" = [\n    {file = "a.whl", hash = "sha256:ab"},\n]\n'
    )
    reading = read_lockfile_text(text, "pdm.lock")
    assert package_rows(reading) == lines("""
        1 a 1 -> b-b 2
        10 b-b 2 editable local
        17 w 3 file w-3-py3-none-any.whl
    """)
    assert reading.packages[0].source.integrity == "sha256:ab"


def test_sources_of_pipenv_and_of_pylock() -> None:
    pipfile = (
        '{\n "_meta": {"pipfile-spec": 6, "requires": {"python_version": "3.12"}, "sources": [{"name": "own", "url": "https://own.example/simple"}]},\n "default": {\n'
        '  "a": {"version": "==1", "index": "own", "hashes": ["sha256:ab", "sha256:cd"]},\n  "b": {"path": "./b", "editable": true},\n  "c": {"file": "https://h.example/c.zip"},\n'
        '  "d": {"path": "./d.whl"},\n  "e": {"git": "https://git.example/e", "ref": "12", "subdirectory": "s"},\n  "f": "==2"\n },\n "develop": {\n  "a": {"version": "==1", "index": "own", "hashes": ["sha256:ab"]}\n }\n}\n'
    )
    reading = read_lockfile_text(pipfile, "Pipfile.lock")
    assert reading.requires_python == "==3.12.*"
    assert package_rows(reading) == lines("""
        4 a 1 {default,develop}
        5 b (none) editable b {default}
        6 c (none) url https://h.example/c.zip {default}
        7 d (none) file d.whl {default}
        8 e (none) git https://git.example/e s #12 {default}
        9 f 2 {default}
    """)
    assert reading.packages[0].source.to_dict() == {
        "kind": "registry",
        "url": "https://own.example/simple",
        "integrity": "sha256:ab",
    }
    pylock = (
        'lock-version = "1.0"\nenvironments = ["os_name == \'nt\'"]\n\n[[packages]]\nname = "v"\nmarker = "\'x\' in extras and \'dev\' in dependency_groups"\n[packages.vcs]\ntype = "git"\n'
        'path = "./v"\ncommit-id = "12"\n\n[[packages]]\nname = "z"\nversion = "1"\n[packages.archive]\npath = "z.zip"\nhashes = {sha256 = "ab"}\n\n[[packages]]\nname = "h"\nversion = "1"\n[packages.vcs]\n'
        'type = "hg"\nurl = "https://hg.example/h"\ncommit-id = "9"\n'
    )
    reading = read_lockfile_text(pylock, "pylock.toml")
    assert reading.resolution_markers == ("os_name == 'nt'",)
    assert package_rows(reading) == lines("""
        4 v (none) git ./v #12 {extra:x,dev} ; 'x' in extras and 'dev' in dependency_groups
        12 z 1 file z.zip {main}
        19 h 1 url https://hg.example/h #9 {main}
    """)


def test_what_pip_freezes_of_links_and_editables() -> None:
    text = (
        "-e git+https://git.example/o/one@4c0723fad16675fbaf133c19c4c404a8a6fc1985#egg=My_one.pkg&subdirectory=sub\n"
        "# Editable install with no version control (My_two.pkg==1.2.3+local.1)\n-e /project/two\n"
        "# Editable Git install with no remote (three==3.0)\n-e /project/three\n"
        "four @ file:///project/four\nfive @ https://h.example/five-5.0-py3-none-any.whl#sha256=abcd\nsix @ git+ssh://git@git.example/six.git@v6\n"
        "## The following requirements were added by pip freeze:\ntyping_extensions==4.1\nzope.interface==8.7\n-e ./seven\n"
    )
    reading = read_lockfile_text(text, "freeze.txt")
    assert package_rows(reading) == lines("""
        1 my-one-pkg (none) git https://git.example/o/one sub #4c0723fad16675fbaf133c19c4c404a8a6fc1985
        3 my-two-pkg 1.2.3+local.1 editable /project/two
        5 three 3.0 editable /project/three
        6 four (none) directory /project/four
        7 five 5.0 url https://h.example/five-5.0-py3-none-any.whl
        8 six (none) git ssh://git.example/six.git #v6
        10 typing-extensions 4.1
        11 zope-interface 8.7
    """)
    assert skipped_rows(reading) == lines("""
        1 my-one-pkg: no version is stated: a commit
        6 four: no version is stated: a link
        8 six: no version is stated: a commit
        12 ./seven: names no package
    """)
    assert reading.packages[4].source.integrity == "sha256:abcd"


def test_what_a_requirements_file_includes_is_said_not_read() -> None:
    text = "-r base.txt\n--requirement=more/dev.txt\n-cconstraints.txt\n--constraint other.txt\n--index-url https://pypi.example/simple\na==1\n"
    reading = read_lockfile_text(text, "requirements.txt")
    assert [tuple(one) for one in reading.includes] == [
        ("requirement", "base.txt", 1), ("requirement", "more/dev.txt", 2), ("constraint", "constraints.txt", 3), ("constraint", "other.txt", 4),
    ]  # fmt: skip
    assert skipped_rows(reading) == lines("""
        1 -r base.txt: another file, which is not read here
        2 -r more/dev.txt: another file, which is not read here
        3 -c constraints.txt: another file, which is not read here
        4 -c other.txt: another file, which is not read here
    """)

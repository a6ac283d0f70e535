"""What readers of Python lockfiles got wrong in public, one row a report, in our own words and data."""

from __future__ import annotations

import pytest
from lockfile_rows import importer_rows, lines, package_rows, skipped_rows

from briefkit.lockfiles.files import read_lockfile_text

HASH = "sha256:" + "ab" * 32

# (what went wrong elsewhere, the file's name, its text, the packages, what is skipped)
ROWS = (
    (
        "a suffix of a name is no noise: only PEP 503 shortens it",
        "requirements.txt",
        "Panel-Python-Client==4.5.1\n",
        "1 panel-python-client 4.5.1",
        "",
    ),
    ("a hash is no part of the version", "requirements.txt", f"boxer==1.26.121 --hash={HASH}\n", "1 boxer 1.26.121", ""),
    (
        "a continued line is one line, and its hashes are no packages",
        "requirements.txt",
        f"thin==7.4.5 \\\n    --hash={HASH} \\\n    --hash={HASH}\nnext==1\n",
        "1 thin 7.4.5\n4 next 1",
        "",
    ),
    (
        "a marker and a hash stand on one line",
        "requirements.txt",
        f"both==2.0 ; python_version < '3.12' --hash={HASH}\n",
        "1 both 2.0 ; python_version < '3.12'",
        "",
    ),
    (
        "exclusions and bounds are a range, and no pin",
        "requirements.txt",
        "greenlight!=0.18.3,!=0.20.1,>=0.18.2\n",
        "1 greenlight (none)",
        "1 greenlight: a range, not a version: !=0.18.3,!=0.20.1,>=0.18.2",
    ),
    ("a lower bound is no version", "requirements.txt", "low>=1.2\n", "1 low (none)", "1 low: a range, not a version: >=1.2"),
    ("a dot may stand in a name", "requirements.txt", "zone.event==5.0\n", "1 zone-event 5.0", ""),
    ("two spellings are one package", "requirements.txt", "PyYAMLish==6.0\npyyamlish==6.0\n", "1 pyyamlish 6.0", ""),
    (
        "local projects without a name are said, and do not break the rest",
        "requirements.txt",
        "-e .\n-e file:./libs/x\n./libs/y\n-e libs/z[extra]\nkept==1\n",
        "5 kept 1",
        "1 .: names no package\n2 file:./libs/x: names no package\n3 ./libs/y: names no package\n4 libs/z[extra]: names no package",
    ),
    (
        "an option line that lost its continuation is no package",
        "requirements.txt",
        f"a==1\n    --hash={HASH}\nb==2\n",
        "1 a 1\n3 b 2",
        f"2 --hash={HASH}: an option that pip does not know here",
    ),
    ("a comment needs white space before it", "requirements.txt", "J==3.0#c\nF==2.0 #c\n", "2 f 2.0", "1 J==3.0#c: not a requirement that pip reads"),
    ("a star is no version", "requirements.txt", "s==1.*\n", "1 s (none)", "1 s: a range, not a version: ==1.*"),
    ("arbitrary equality pins", "requirements.txt", "e===2004d\n", "1 e 2004d", ""),
    (
        "a template is no version",
        "requirements.txt",
        "t==${VERSION}\nu==1\n",
        "2 u 1",
        "1 t==${VERSION}: holds an environment variable, which is not expanded",
    ),
    (
        "one name pinned twice under markers is two versions",
        "requirements.txt",
        "n==1 ; python_version < '3.9'\nn==2 ; python_version >= '3.9'\n",
        "1 n 1 ; python_version < '3.9'\n2 n 2 ; python_version >= '3.9'",
        "",
    ),
    (
        "a lock of Poetry may have no category",
        "poetry.lock",
        ('[[package]]\nname = "one"\nversion = "1.0"\ndescription = ""\noptional = false\npython-versions = "*"\n\n'
        '[metadata]\nlock-version = "2.0"\n'),
        "1 one 1.0",
        "",
    ),
    (
        "two entries with markers keep their versions",
        "poetry.lock",
        ('[[package]]\nname = "url"\nversion = "1.26"\nmarkers = "python_version < \\"3.10\\""\n\n'
        '[[package]]\nname = "url"\nversion = "2.0"\nmarkers = "python_version >= \\"3.10\\""\n\n[metadata]\nlock-version = "2.1"\n'),
        '1 url 1.26 ; python_version < "3.10"\n6 url 2.0 ; python_version >= "3.10"',
        "",
    ),
    (
        "a marker that is false here drops no package",
        "poetry.lock",
        '[[package]]\nname = "never"\nversion = "1"\nmarkers = "python_version < \\"2\\""\n\n[metadata]\nlock-version = "2.1"\n',
        '1 never 1 ; python_version < "2"',
        "",
    ),
    (
        "a name with its origin in it is the name",
        "Pipfile.lock",
        '{"_meta": {"pipfile-spec": 6}, "default": {"pens from git+https://git.example/pens#egg=pens": {"version": "==0.4"}}}',
        "1 pens 0.4 {default}",
        "",
    ),
    (
        "categories besides default and develop are read",
        "Pipfile.lock",
        '{\n  "_meta": {},\n  "default": {},\n  "docs": {\n    "pages": {"version": "==1"}\n  }\n}',
        "5 pages 1 {docs}",
        "",
    ),
    (
        "a star in Pipfile.lock is no version",
        "Pipfile.lock",
        '{"_meta": {}, "default": {"any": {"version": "*"}}}',
        "1 any (none) {default}",
        "1 any: a range, not a version: *",
    ),
    (
        "an editable root is the project, not a dependency",
        "uv.lock",
        'version = 1\n\n[[package]]\nname = "app"\nversion = "1"\nsource = { editable = "." }\n',
        "3 app 1 workspace . indirect",
        "",
    ),
    (
        "forks of one name are all listed",
        "uv.lock",
        ('version = 1\n\n[[package]]\nname = "n"\nversion = "1"\nsource = { registry = "https://pypi.example/simple" }\n\n'
        '[[package]]\nname = "n"\nversion = "2"\nsource = { registry = "https://pypi.example/simple" }\n'),
        "3 n 1 indirect\n8 n 2 indirect",
        "",
    ),
    (
        "an entry of PDM for extras is the package itself",
        "pdm.lock",
        ('[metadata]\nlock_version = "4.5.0"\n\n[[package]]\nname = "r"\nversion = "2"\ngroups = ["default"]\n\n'
        '[[package]]\nname = "r"\nversion = "2"\nextras = ["sec"]\ngroups = ["net"]\ndependencies = ["r==2", "c>=1"]\n\n'
        '[[package]]\nname = "c"\nversion = "3"\n'),
        "4 r 2 {default,net} -> c 3\n16 c 3",
        "",
    ),
    (
        "a package of pylock.toml may have no version",
        "pylock.toml",
        'lock-version = "1.0"\n\n[[packages]]\nname = "d"\n\n[packages.directory]\npath = "./d"\neditable = true\n',
        "3 d (none) editable d {main}",
        "3 d: the lockfile states no version",
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "name", "packages", "skipped"), [(t, n, p, s) for _, n, t, p, s in ROWS], ids=[row[0] for row in ROWS]
)
def test_reads_right(text: str, name: str, packages: str, skipped: str) -> None:
    reading = read_lockfile_text(text, name)
    assert (package_rows(reading), skipped_rows(reading)) == (lines(packages), lines(skipped))


def test_members_of_a_workspace_without_a_root_are_its_roots() -> None:
    text = (
        'version = 1\n\n[manifest]\nmembers = [\n    "a",\n    "b",\n]\n\n[[package]]\nname = "a"\nversion = "1"\n'
        'source = { editable = "a" }\ndependencies = [\n    { name = "six" },\n]\n\n[[package]]\nname = "b"\nversion = "1"\n'
        'source = { editable = "b" }\n\n[[package]]\nname = "six"\nversion = "1.16"\n'
        'source = { registry = "https://pypi.example/simple" }\n'
    )
    assert importer_rows(read_lockfile_text(text, "uv.lock")) == lines("""
        . (none) (none)
        a a 1
          14 six {main} -> six 1.16
        b b 1
    """)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig", "latin-1"])
def test_a_requirements_file_is_read_in_the_encoding_it_has(
    encoding: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from briefkit.lockfiles.files import read_lockfile

    path = tmp_path_factory.mktemp("encoded") / "requirements.txt"
    mark = "\ufeff" if encoding == "utf-16-le" else ""
    path.write_bytes((mark + "a==1  # für alle\r\nb==2\r\n").encode(encoding))
    assert package_rows(read_lockfile(path)) == ["1 a 1", "2 b 2"]


def test_a_coding_line_is_obeyed() -> None:
    from briefkit.lockfiles.files import _decoded_as_pip

    assert (
        _decoded_as_pip("# -*- coding: cp1251 -*-\n# да\na==1\n".encode("cp1251"), "x")
        == "# -*- coding: cp1251 -*-\n# да\na==1\n"
    )

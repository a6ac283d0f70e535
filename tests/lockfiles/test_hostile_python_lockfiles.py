"""Python lockfiles made to hurt: refused clearly or read, in bounded time, and never with a credential in the answer."""

from __future__ import annotations

import json
import time

import pytest
from lockfile_mutator import mutations, problem_of
from lockfile_rows import SAMPLES

from briefkit.errors import BriefkitError, UnreadableError
from briefkit.lockfiles import poetry_lock, uv_lock
from briefkit.lockfiles.files import read_lockfile_text
from briefkit.lockfiles.poetry_canonical import canonical_tables
from briefkit.lockfiles.uv_canonical import canonical_document

TOML_NAMES = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml")
WRITTEN = (
    "uv/workspace/uv.lock", "uv/plain/uv.lock", "uv/plain/distribution/uv.lock", "uv/script/greet.py.lock", "poetry/project/poetry.lock",
    "poetry/lock-2.0-category/poetry.lock", "pdm/project/pdm.lock", "pipenv/project/Pipfile.lock", "pylock/pylock.uv.toml",
    "requirements/pip-compile.txt", "requirements/uv-export.txt",
)  # fmt: skip
MANY = 100
SLOW_MANY = 2000


def outcome(name: str, text: str) -> str:
    """`read` or the error, after the answer was asked for all it has; more than two seconds fail the test."""
    begun = time.process_time()
    try:
        read_lockfile_text(text, name, format="requirements" if name.endswith(".txt") else None).to_dict()
        said = "read"
    except BriefkitError as error:
        said = str(error)
    assert time.process_time() - begun < 2
    return said


HOSTILE_TOML = (
    ("a key of 20,000 parts", ".".join(["a"] * 20_000) + " = 1\n", "{}:1: a key of more than 48 dotted parts"),
    ("many keys of 999 parts", "".join(".".join(["a"] * 998) + f".b{n} = 1\n" for n in range(500)), "{}:1: a key of more than 48 dotted parts"),
    ("lists 100,000 deep", "a = " + "[" * 100_000, "{}: TOML nested too deeply"),
    ("tables 100,000 deep", "a = " + "{a=" * 100_000, "{}: TOML nested too deeply"),
    ("a number of a million digits", "a = " + "9" * 1_000_000, "{}: a TOML number with too many digits"),
    ("a string that does not end", 'a = """' + "x" * 1_000_000, "{}:1: not TOML (Unterminated string)"),
    ("a NUL", "a = 1\n\0", "{}:2: not TOML (Invalid statement)"),
    ("17 million characters", "#" * (17 << 20), "{}: 17,825,792 characters of TOML, more than the 16,777,216 read"),
)  # fmt: skip


@pytest.mark.parametrize("name", TOML_NAMES)
@pytest.mark.parametrize(("text", "message"), [row[1:] for row in HOSTILE_TOML], ids=[row[0] for row in HOSTILE_TOML])
def test_toml_over_a_bound_is_refused(name: str, text: str, message: str) -> None:
    assert outcome(name, text) == message.format(name)


def test_ten_thousand_forks_of_one_name_are_not_joined_each_with_each() -> None:
    package = '[[package]]\nname = "a"\nversion = "{}"\nsource = {{ registry = "https://pypi.example/simple" }}\ndependencies = [\n    {{ name = "a" }},\n]\n\n'
    uv = "version = 1\n\n" + "".join(package.format(n) for n in range(3_000))
    assert (
        outcome("uv.lock", uv)
        == "uv.lock:3: more than 100,000 ways to join dependencies with packages of the same name"
    )
    pdm = '[metadata]\nlock_version = "4.5"\n' + "".join(
        f'[[package]]\nname = "a"\nversion = "{n}"\ndependencies = ["a>={n}"]\n' for n in range(3_000)
    )
    assert outcome("pdm.lock", pdm).endswith(
        "more than 100,000 ways to join dependencies with entries of the same name"
    )


def test_twenty_thousand_extras_on_a_long_chain_are_not_walked() -> None:
    extras = "".join(f'e{n} = [\n    {{ name = "p{n % 3_000}" }},\n]\n' for n in range(20_000))
    package = '[[package]]\nname = "p{}"\nversion = "1"\nsource = {{ registry = "https://pypi.example/simple" }}\ndependencies = [\n    {{ name = "p{}" }},\n]\n\n'
    root = '[[package]]\nname = "app"\nversion = "1"\nsource = { virtual = "." }\n\n[package.optional-dependencies]\n'
    text = f"version = 1\n\n{root}{extras}\n" + "".join(package.format(n, (n + 1) % 3_000) for n in range(3_000))
    assert outcome("uv.lock", text) == "uv.lock: a graph of more groups and edges than are walked"


def test_markers_on_conflicting_extras_are_bounded() -> None:
    sets = (
        "["
        + ", ".join(f'[{{ package = "a", extra = "x{n}" }}, {{ package = "a", extra = "y{n}" }}]' for n in range(3))
        + "]"
    )
    entry = '    {{ name = "b", marker = "{}" }},\n'
    atoms = " or ".join(f"extra == 'extra-1-a-x{n}' and os_name == '{{0}}{n}'" for n in (0, 1, 2) * 6)
    entries = "".join(entry.format(atoms.format(n)) for n in range(2_000))
    text = f'version = 1\nconflicts = {sets}\n\n[[package]]\nname = "a"\nversion = "1"\nsource = {{ virtual = "." }}\ndependencies = [\n{entries}]\n'
    assert outcome("uv.lock", text) == "uv.lock: more than 500,000 characters of markers on conflicting extras"


HOSTILE_REQUIREMENTS = (
    "a" * 60_000, "a==" + "1." * 30_000, "a[" * 20_000, "a" + " " * 60_000 + "b", "a==1 ; " + "(" * 30_000, "a==1 ; " + "os_name == 'a' and " * 3_000 + "x",
    "a==1 ; os_name  ==  'a'  and  " * 2_000, "a @ https://h.example/" + "a#egg=" * 10_000, "-e " + "git+" * 10_000, "a==1 --hash" + " --hash=" * 10_000,
    "\\\n" * 100_000, "# via\n#   x\n" * 20_000, "a==1 \\\n" * 20_000, "./" + "a-" * 20_000 + ".whl", "a==1 -C" + " " * 50_000, "a>=1," * 10_000,
)  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE_REQUIREMENTS, ids=range(len(HOSTILE_REQUIREMENTS)))
def test_a_line_made_to_backtrack_takes_no_time(text: str) -> None:
    outcome("requirements.txt", text)


def test_json_made_to_hurt_is_refused() -> None:
    assert outcome("Pipfile.lock", '{"_meta": ' + "[" * 100_000) == "Pipfile.lock: JSON nests too deep"
    assert (
        outcome("Pipfile.lock", '{"_meta": {"pipfile-spec": ' + "9" * 5_000 + "}}")
        == "Pipfile.lock: JSON holds a number of more than 4,300 digits"
    )


REFUSALS = (
    ("uv.lock", "", "uv.lock:1: not a uv.lock: it states no version, in 'version'"),
    ("uv.lock", "version = 2\n", "uv.lock:1: uv.lock version 2 is newer than briefkit reads (1)"),
    ("uv.lock", "version = 1\n[[package]]\nname = 1\n", "uv.lock:2: a string is due, not a number, in 'package[0].name'"),
    ("uv.lock", 'version = 1\n[[package]]\nname = "a"\nsource = { moon = "x" }\n', "uv.lock:2: a source of no known kind, in 'package[0].source'"),
    ("uv.lock", "version = 1\npackage = 3\n", "uv.lock: a list of tables is due, not a number, in 'package'"),
    ("poetry.lock", "", "poetry.lock:1: not a poetry.lock: neither packages nor metadata"),
    ("poetry.lock", '[metadata]\nlock-version = "3.0"\n', "poetry.lock: lock-version 3.0 is newer than briefkit reads (up to 2.1), in 'metadata.lock-version'"),
    ("poetry.lock", '[metadata]\nlock-version = "x"\n', "poetry.lock: lock-version 'x' is no version, in 'metadata.lock-version'"),
    ("poetry.lock", '[[package]]\nname = "a"\n', "poetry.lock:1: missing, in 'package[0].version'"),
    ("pdm.lock", '[metadata]\nlock_version = "5.0"\n', "pdm.lock: lock_version 5.0 is newer than briefkit reads (up to 4.5), in 'metadata.lock_version'"),
    ("pylock.toml", 'lock-version = "2.0"\n', "pylock.toml: lock-version 2.0 is not one that briefkit reads (1.x), in 'lock-version'"),
    ("pylock.toml", 'lock-version = "1.0"\n[[packages]]\nversion = "1"\n', "pylock.toml:2: missing, in 'packages[0].name'"),
    ("Pipfile.lock", "{}", "Pipfile.lock:1: not a Pipfile.lock: neither _meta nor default"),
    ("Pipfile.lock", '{"_meta": {"pipfile-spec": 7}}', "Pipfile.lock: pipfile-spec 7 is newer than briefkit reads (6), in '_meta.pipfile-spec'"),
    ("Pipfile.lock", '{"_meta": {},\n "default": {"a": 1}}', "Pipfile.lock:2: an object is due, in 'default.a'"),
    ("requirements.txt", "<html>\n</html>\n", "requirements.txt:1: not a requirements file: no line of it is a requirement, and '<html>' is none"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "text", "message"), REFUSALS)
def test_what_is_refused_says_where_and_why(name: str, text: str, message: str) -> None:
    with pytest.raises(UnreadableError) as raised:
        read_lockfile_text(text, name)
    assert str(raised.value) == message


NOTES = (
    ("uv.lock", "version = 1\nrevision = 99\n", "revision 99 is newer than any known (5); read by its structure"),
    ("poetry.lock", '[metadata]\nlock-version = "2.9"\n', "lock-version 2.9 is newer than any known (2.1); read by its structure"),
    ("pdm.lock", '[metadata]\nlock_version = "4.9.1"\n', "lock_version 4.9.1 is newer than any known (4.5); read by its structure"),
    ("pylock.toml", 'lock-version = "1.4"\n', "lock-version 1.4 is newer than any known (1.0); read by its structure"),
    ("poetry.lock", "[metadata]\n", "the file states no lock-version, as Poetry's before 1.0 did not"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "text", "note"), NOTES)
def test_an_unknown_minor_version_is_read_with_a_note(name: str, text: str, note: str) -> None:
    assert read_lockfile_text(text, name).notes == (note,)


CANARY = "ghp-CANARY-4711"
USER = f"user:{CANARY}"
WITH_CREDENTIALS = (
    ("requirements.txt", (f"--index-url https://{USER}@h.example/simple\na @ https://{USER}@h.example/a.zip?token={CANARY}\n-e git+ssh://{USER}@h.example/o/r@1#egg=b\n"
        f"git+{USER}@h.example:o/r.git#egg=c\nhttps://{USER}@h.example/x.zip\n%% https://{USER}@h.example\nd @ git+https://{CANARY}@h.example/o/r@v1\n-r https://{USER}@h.example/r.txt\n"
        f"-c https://{USER}@h.example/c.txt\n-e https://{USER}@h.example/e.zip\n")),
    ("uv.lock", (f'version = 1\n\n[[package]]\nname = "app"\nversion = "1"\nsource = {{ virtual = "." }}\ndependencies = [\n    {{ name = "a" }},\n    {{ name = "b" }},\n]\n\n'
        f'[package.metadata]\nrequires-dist = [\n    {{ name = "a", git = "https://{USER}@h.example/a?rev=x" }},\n    {{ name = "b", url = "https://{USER}@h.example/b.zip" }},\n]\n\n'
        f'[[package]]\nname = "a"\nversion = "1"\nsource = {{ git = "https://{USER}@h.example/a?rev=x#1234" }}\n\n'
        f'[[package]]\nname = "b"\nversion = "1"\nsource = {{ url = "https://{USER}@h.example/b.zip?token={CANARY}" }}\n\n'
        f'[[package]]\nname = "c"\nversion = "1"\nsource = {{ registry = "https://{USER}@h.example/simple" }}\n')),
    ("poetry.lock", (f'[[package]]\nname = "a"\nversion = "1"\n\n[package.dependencies]\nb = {{git = "https://{USER}@h.example/b"}}\nc = {{url = "https://{USER}@h.example/c.zip"}}\n\n'
        f'[package.source]\ntype = "legacy"\nurl = "https://{USER}@h.example/simple"\nreference = "x"\n\n[metadata]\nlock-version = "2.0"\n')),
    ("pdm.lock", (f'[[package]]\nname = "a"\nversion = "1"\ngit = "https://{USER}@h.example/a"\ndependencies = ["b @ git+https://{USER}@h.example/b", "%% https://{USER}@h.example"]\n\n'
        f'[[package]]\nname = "b"\nversion = "1"\nurl = "https://{USER}@h.example/b.zip"\n\n[metadata]\nlock_version = "4.5"\n')),
    ("Pipfile.lock", json.dumps({"_meta": {"sources": [{"name": "s", "url": f"https://{USER}@h.example/simple"}]},
        "default": {"a": {"version": "==1", "index": "s"}, "b": {"git": f"https://{USER}@h.example/b", "ref": "1"}, "c": {"file": f"https://{USER}@h.example/c.zip"}}})),
    ("pylock.toml", (f'lock-version = "1.0"\n[[packages]]\nname = "a"\nindex = "https://{USER}@h.example/simple"\n[[packages]]\nname = "b"\n[packages.vcs]\ntype = "git"\n'
        f'url = "https://{USER}@h.example/b"\ncommit-id = "1"\n[[packages]]\nname = "c"\n[packages.archive]\nurl = "https://{USER}@h.example/c.zip"\n')),
)  # fmt: skip


@pytest.mark.parametrize(("name", "text"), WITH_CREDENTIALS, ids=[row[0] for row in WITH_CREDENTIALS])
def test_no_credential_survives_in_a_reading(name: str, text: str) -> None:
    reading = read_lockfile_text(text, name)
    said = [
        json.dumps(reading.to_dict()),
        repr(reading.instances),
        repr(reading.importers),
        repr(reading.includes),
        repr(reading.packages),
    ]
    assert [CANARY in one for one in said] == [False] * len(said)
    assert len(reading.packages) > 1 or name == "poetry.lock"


@pytest.mark.parametrize("path", WRITTEN)
def test_a_damaged_file_is_read_or_refused(path: str) -> None:
    check_mutants(path, MANY)


@pytest.mark.slow
@pytest.mark.parametrize("path", WRITTEN)
def test_a_file_damaged_in_two_thousand_ways_is_read_or_refused(path: str) -> None:
    check_mutants(path, SLOW_MANY)


def check_mutants(path: str, count: int) -> None:
    text = (SAMPLES / path).read_text(encoding="utf-8")
    name = path.rpartition("/")[2] if not path.startswith("requirements") else "requirements.txt"
    problems = {
        problem_of(lambda mutant: read_lockfile_text(mutant, name), mutant)
        for mutant in mutations(text, len(path), count)
    }
    assert problems - {None} == set()


def answer(read: object, text: str) -> object:
    """All that a reader says of a text, or that it refuses it."""
    assert callable(read)
    try:
        reading = read(text, "x")
        return reading.to_dict(), reading.instances, reading.importers
    except BriefkitError:
        return "refused"


@pytest.mark.parametrize("path", ["uv/workspace/uv.lock", "uv/plain/uv.lock", "uv/virtual-root/uv.lock"])
def test_the_quick_and_the_general_reader_of_uv_agree(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (SAMPLES / path).read_text(encoding="utf-8")
    assert canonical_document(text, "x") is not None
    quick = {
        mutant: answer(uv_lock.read_uv_lock, mutant) for mutant in (text, *mutations(text, 1, 150)) if canonical(mutant)
    }
    assert len(quick) > 20
    monkeypatch.setattr(uv_lock, "canonical_document", lambda _text, _path: None)
    assert [mutant for mutant, said in quick.items() if answer(uv_lock.read_uv_lock, mutant) != said] == []


def canonical(text: str) -> bool:
    try:
        return canonical_document(text, "x") is not None
    except BriefkitError:
        return False


@pytest.mark.parametrize(
    "path", ["poetry/project/poetry.lock", "poetry/lock-2.0/poetry.lock", "poetry/lock-2.0-category/poetry.lock"]
)
def test_the_quick_and_the_general_reader_of_poetry_agree(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (SAMPLES / path).read_text(encoding="utf-8")
    assert canonical_tables(text) is not None
    quick = {
        mutant: answer(poetry_lock.read_poetry_lock, mutant)
        for mutant in (text, *mutations(text, 1, 150))
        if canonical_tables(mutant)
    }
    assert len(quick) > 20
    monkeypatch.setattr(poetry_lock, "canonical_tables", lambda _text: None)
    assert [mutant for mutant, said in quick.items() if answer(poetry_lock.read_poetry_lock, mutant) != said] == []

"""Lockfiles of npm's world made to hurt: refused clearly or read, in bounded time."""

from __future__ import annotations

import time

import pytest
from lockfile_mutator import SECONDS, mutations, problem_of
from lockfile_rows import SAMPLES

from briefkit.errors import BriefkitError, UnreadableError
from briefkit.lockfiles.files import read_lockfile_text

WRITTEN = (
    "npm/v3-workspaces/package-lock.json", "npm/v1-solo/package-lock.json", "npm/v0-shrinkwrap/npm-shrinkwrap.json",
    "pnpm/v9-pnpm12-two-documents/pnpm-lock.yaml", "pnpm/v5.4-pnpm7/pnpm-lock.yaml", "pnpm/v6-pnpm8/pnpm-lock.yaml",
    "yarn-classic/v1-workspaces/yarn.lock", "yarn-berry/v10-yarn4/yarn.lock", "bun/v2-catalogs/bun.lock",
)  # fmt: skip


def _format(path: str) -> str:
    return path.partition("/")[0]


def _problems(path: str, seed: int, count: int) -> list[str]:
    text = (SAMPLES / path).read_text(encoding="utf-8")
    found = (
        (
            number,
            problem_of(
                lambda damaged: read_lockfile_text(damaged, path.rpartition("/")[2], format=_format(path)), mutant
            ),
        )
        for number, mutant in enumerate(mutations(text, seed, count))
    )
    return [f"{number}: {problem}" for number, problem in found if problem]


@pytest.mark.parametrize("path", WRITTEN)
def test_a_damaged_lockfile_is_read_or_refused_clearly(path: str) -> None:
    assert _problems(path, 1, 100) == []


@pytest.mark.slow
@pytest.mark.parametrize("path", WRITTEN)
def test_thousands_of_damaged_lockfiles_are_read_or_refused_clearly(path: str) -> None:
    assert _problems(path, 7, 2000) == []


def outcome(name: str, text: str) -> str:
    """`read` or the error, after everything was asked for; more than two seconds fail the test."""
    begun = time.process_time()
    try:
        reading = read_lockfile_text(text, name)
        reading.to_dict()
        _ = reading.instances, reading.importers, reading.packages_named("a")
        said = "read"
    except BriefkitError as error:
        said = str(error)
    assert time.process_time() - begun < SECONDS
    return said


NPM, PNPM, YARN, BUN = "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock"
BERRY_HEAD = "__metadata:\n  version: 8\n\n"
HOSTILE = (
    ("json lists 100,000 deep", NPM, '{"lockfileVersion": 3, "packages": ' + "[" * 100_000, "package-lock.json: JSON nests too deep"),
    ("json objects 100,000 deep", NPM, '{"dependencies":' * 100_000, "package-lock.json: JSON nests too deep"),
    ("a number of 5,000 digits", NPM, '{"lockfileVersion": ' + "9" * 5_000 + "}", "package-lock.json: JSON holds a number of more than 4,300 digits"),
    ("a path of 100,000 parts", NPM, '{"lockfileVersion": 3, "packages": {"' + "a/" * 100_000 + '": {}}}', "read"),
    ("nested dependencies", NPM, '{"lockfileVersion": 1,' + '"dependencies": {"a": {"version": "1.0.0",' * 400 + '"x": 1' + "}}" * 400 + "}", "read"),
    ("a workspace pattern made to backtrack", NPM, '{"lockfileVersion": 3, "packages": {"": {"workspaces": ["' + "*a" * 5_000 + '"]}, "' + "a" * 20_000 + '": {"name": "b"}}}', "read"),
    ("braces in a workspace pattern", NPM, '{"lockfileVersion": 3, "packages": {"": {"workspaces": ["' + "{a,b}" * 40 + '"]}, "x": {"name": "b"}}}', "read"),
    ("20,000 nameless members", NPM, '{"lockfileVersion": 3, "packages": {' + ", ".join(f'"p/{n}": {{}}' for n in range(20_000)) + "}}", "read"),
    ("20,000 members", NPM, '{"lockfileVersion": 3, "packages": {"": {}, ' + ", ".join(f'"p/{n}": {{"name": "n{n}", "dependencies": {{"a": "1"}}}}' for n in range(20_000)) + "}}", "read"),
    ("flow lists 100,000 deep", PNPM, "lockfileVersion: '9.0'\npackages: " + "[" * 100_000, "pnpm-lock.yaml:2: not the YAML of a lockfile: nests deeper than 64"),
    ("block lists 10,000 deep", PNPM, "lockfileVersion: '9.0'\ncatalogs:\n" + "- " * 10_000 + "a\n", "pnpm-lock.yaml:3: not the YAML of a lockfile: nests deeper than 64"),
    ("mappings 2,000 deep", PNPM, "lockfileVersion: 9\ncatalogs:\n" + "".join(" " * n + "a:\n" for n in range(1, 2_000)), "pnpm-lock.yaml:66: not the YAML of a lockfile: nests deeper than 64"),
    ("an anchor", PNPM, "lockfileVersion: '9.0'\npackages: &a\n  x@1.0.0: {}\n", "pnpm-lock.yaml:2: not the YAML of a lockfile: an anchor is not read"),
    ("an alias", PNPM, "lockfileVersion: '9.0'\npackages: *a\n", "pnpm-lock.yaml:2: not the YAML of a lockfile: an alias is not read"),
    ("a tag", PNPM, "lockfileVersion: !!python/object:os.system 9\n", "pnpm-lock.yaml:1: not the YAML of a lockfile: a tag is not read"),
    ("a key twice", PNPM, "lockfileVersion: '9.0'\npackages:\n  a@1.0.0: {}\n  a@1.0.0: {}\n", "pnpm-lock.yaml:4: not the YAML of a lockfile: the key 'a@1.0.0' is there twice"),
    ("a quote of 10,000 lines", PNPM, "lockfileVersion: 9\ncatalogs: '" + "a\n  b ''" * 10_000, "pnpm-lock.yaml:258: not the YAML of a lockfile: a quoted text that is too long"),
    ("a key of 100,000 characters", PNPM, "lockfileVersion: '9.0'\npackages:\n  a@1.0.0(" + "b" * 100_000 + "):\n    resolution: {integrity: x}\n", "read"),
    ("brackets of peers 50,000 deep", PNPM, "lockfileVersion: '9.0'\nsnapshots:\n  a@file:" + "(" * 50_000 + ")" * 50_000 + ": {}\n", "read"),
    ("spaces in a line", YARN, "# yarn lockfile v1\na@1" + " " * 200_000 + 'b:\n  version "1"\n', "read"),
    ("100,000 patterns", YARN, "# yarn lockfile v1\n" + ", ".join(f"a@{n}" for n in range(100_000)) + ':\n  version "1.0.0"\n', "read"),
    ("a head of commas", YARN, "# yarn lockfile v1\n" + "," * 100_000 + ":\n", "yarn.lock:2: not a yarn lockfile: a malformed entry head"),
    ("a long key", YARN, BERRY_HEAD + '"' + ", ".join(f"a@npm:{n}" for n in range(30_000)) + '":\n  version: 1.0.0\n  resolution: "a@npm:1.0.0"\n', "read"),
    ("quotes that do not end", YARN, BERRY_HEAD + '"a@npm:1":\n  version: "' + '\\"' * 100_000, "yarn.lock:5: not the YAML of a lockfile: a quote that is never closed"),
    ("percents", YARN, BERRY_HEAD + '"a@npm:1":\n  version: 1.0.0\n  resolution: "a@patch:' + "%ff" * 100_000 + '#x"\n', "read"),
    ("comments 100,000 deep", BUN, '{"lockfileVersion": 1, ' + "/*" * 100_000, "bun.lock:1: not JSON: expecting property name enclosed in double quotes at column 25"),
    ("commas", BUN, '{"lockfileVersion": 1, "workspaces": {}, "packages": {' + ",\n" * 100_000 + "}}", "bun.lock:1: not JSON: expecting property name enclosed in double quotes at column 55"),
    ("a key of 50,000 parts", BUN, '{"lockfileVersion": 1, "workspaces": {}, "packages": {"' + "a/" * 50_000 + 'a": ["a@1.0.0", "", {"dependencies": {"b": "1"}}]}}', "read"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "text", "said"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE])
def test_what_is_made_to_hurt_is_bounded(name: str, text: str, said: str) -> None:
    assert outcome(name, text) == said


REFUSALS = (
    (NPM, "", "package-lock.json:1: the file is empty"),
    (NPM, "[]", "package-lock.json:1: holds a list, not an object"),
    (NPM, "{}", "package-lock.json:1: no npm lockfile: it has neither 'lockfileVersion' nor 'dependencies'"),
    (NPM, '{\n  "lockfileVersion": 4,\n  "packages": {}\n}', "package-lock.json:2: lockfileVersion 4 is not one that briefkit reads (0 to 3). Update briefkit, or write the file with `npm install --lockfile-version 3`"),
    (NPM, '{\n  "lockfileVersion": "3"\n}', "package-lock.json:2: holds a string, not a whole number, in 'lockfileVersion'"),
    (NPM, '{"lockfileVersion": 3, "packages": []}', "package-lock.json: holds a list, not an object, in 'packages'"),
    (NPM, '{"lockfileVersion": 1, "dependencies": 1}', "package-lock.json: holds a number, not an object, in 'dependencies'"),
    (NPM, '{"lockfileVersion": 3,\n "packages": }', "package-lock.json:2: not JSON: expecting value at column 14"),
    (NPM, '{"lockfileVersion": 3,\n "packages": {"a', "package-lock.json:2: not JSON: unterminated string starting at column 15"),
    (PNPM, "", "pnpm-lock.yaml:1: the file is empty"),
    (PNPM, "- a\n", "pnpm-lock.yaml:1: holds no mapping"),
    (PNPM, "packages: {}\n", "pnpm-lock.yaml:1: no pnpm lockfile: it has no 'lockfileVersion'"),
    (PNPM, "lockfileVersion: x\n", "pnpm-lock.yaml:1: holds no version number, in 'lockfileVersion'"),
    (PNPM, "lockfileVersion: '99.0'\n", "pnpm-lock.yaml:1: lockfileVersion '99.0' is newer than briefkit reads (5.0 to 9.0). Update briefkit, or write the file with pnpm 9 to 12"),
    (PNPM, "lockfileVersion: 2\n", "pnpm-lock.yaml:1: lockfileVersion '2' is older than briefkit reads (5.0 to 9.0). Update briefkit, or write the file with pnpm 9 to 12"),
    (PNPM, "lockfileVersion: '9.0'\npackages:\n\ta: 1\n", "pnpm-lock.yaml:3: not the YAML of a lockfile: a tab in the indentation"),
    (PNPM, "lockfileVersion: '9.0'\nimporters: {\n", "pnpm-lock.yaml:2: not the YAML of a lockfile: a bracket that is never closed"),
    (YARN, "# yarn lockfile v2\n", "yarn.lock:1: yarn lockfile v2 is newer than briefkit reads (v1). Update briefkit"),
    (YARN, '# yarn lockfile v1\n\na@1\n  version "1"\n', "yarn.lock:3: not a yarn lockfile: an entry's head without a colon at its end"),
    (YARN, '# yarn lockfile v1\n  version "1"\n', "yarn.lock:2: not a yarn lockfile: a field outside an entry"),
    (YARN, '# yarn lockfile v1\na@1:\n  version "1"\n    b "1"\n', "yarn.lock:4: not a yarn lockfile: indented further than the line above it"),
    (YARN, "__metadata:\n  version: 400\n", "yarn.lock:2: version 400 is not one that briefkit reads (1 to 10), in '__metadata.version'. Update briefkit"),
    (YARN, "__metadata:\n  cacheKey: 8\n", "yarn.lock:1: no lockfile of yarn 2 or later: it has no '__metadata.version'"),
    (BUN, "{}", "bun.lock:1: holds null, not a whole number, in 'lockfileVersion'"),
    (BUN, '{\n  "lockfileVersion": 3,\n}', "bun.lock:2: lockfileVersion 3 is not one that briefkit reads (0 to 2). Update briefkit"),
    (BUN, '{"lockfileVersion": 1, "packages": []}', "bun.lock: holds a list, not an object, in 'packages'"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "text", "message"), REFUSALS)
def test_what_is_refused_says_where_and_why(name: str, text: str, message: str) -> None:
    with pytest.raises(UnreadableError) as raised:
        read_lockfile_text(text, name).to_dict()
    assert str(raised.value) == message


NOTES = (
    (PNPM, "lockfileVersion: '9.7'\nimporters:\n  .: {}\n", ("lockfileVersion '9.7' is newer than briefkit knows; read as 9.x",)),
    (PNPM, "lockfileVersion: '12.0'\nimporters:\n  .: {}\n", ()),
    (PNPM, "---\nlockfileVersion: '9.0'\nimporters:\n  .:\n    packageManagerDependencies:\n      pnpm:\n        specifier: 12.0.0\n        version: 12.0.0\n", ("holds only the environment of pnpm itself, no project's packages",)),
    (YARN, "__metadata:\n  version: 11\n", ("version 11 is newer than briefkit knows; read as 10",)),
    (".package-lock.json", '{"lockfileVersion": 3, "packages": {}}', ("an installed tree's own lockfile, which names no direct dependencies",)),
)  # fmt: skip


@pytest.mark.parametrize(("name", "text", "notes"), NOTES)
def test_what_is_unusual_is_noted(name: str, text: str, notes: tuple[str, ...]) -> None:
    assert read_lockfile_text(text, name).notes == notes

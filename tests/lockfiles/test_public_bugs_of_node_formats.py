"""What readers of npm's, pnpm's, yarn's and bun's lockfiles got wrong in public, one row a report, in our own words and data."""

from __future__ import annotations

import json

import pytest
from lockfile_rows import importer_rows, lines, package_rows, skipped_rows

from briefkit.lockfiles.files import read_lockfile_text

NPM, PNPM, YARN, BUN = "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock"
SHA = "0123456789abcdef0123456789abcdef01234567"


def npm(**packages: object) -> str:
    """A package-lock.json 3 whose entries are written one a line."""
    return _json("packages", 3, packages)


def nested(**dependencies: object) -> str:
    """A package-lock.json 1 whose entries are written one a line."""
    return _json("dependencies", 1, dependencies)


def _json(field: str, version: int, entries: dict[str, object]) -> str:
    body = ",\n".join(f"{json.dumps(key)}: {json.dumps(entry)}" for key, entry in entries.items())
    return f'{{"lockfileVersion": {version},\n"{field}": {{\n{body}\n}}}}'


def classic(text: str) -> str:
    """A yarn.lock of yarn 1."""
    return "# yarn lockfile v1\n\n" + text


def berry(text: str, version: int = 8) -> str:
    """A yarn.lock of yarn 2 and later."""
    return f"__metadata:\n  version: {version}\n\n" + text


def pnpm(text: str, version: str = "'9.0'") -> str:
    """A pnpm-lock.yaml."""
    return f"lockfileVersion: {version}\n\n{text}"


def bun(text: str, workspaces: str = '"": {"name": "root"}') -> str:
    """A bun.lock with its packages one a line."""
    return f'{{\n  "lockfileVersion": 1,\n  "workspaces": {{{workspaces}}},\n  "packages": {{\n{text}\n  }},\n}}\n'


# (what went wrong elsewhere, the file's name, its text, the packages, what is skipped)
ROWS = (
    ("an alias in npm 2 and 3 is not the package", NPM, npm(**{"node_modules/wide-cjs": {"name": "wide", "version": "4.2.3"}}), "3 wide 4.2.3 as wide-cjs {prod}", ""),
    ("an alias in npm 1 is not the package", NPM, nested(**{"wide-cjs": {"version": "npm:wide@4.2.3"}}), "3 wide 4.2.3 as wide-cjs {prod}", ""),
    ("a scoped alias is cut at its last @", NPM, nested(bar={"version": "npm:@foo/bar@1.2.3"}), "3 @foo/bar 1.2.3 as bar {prod}", ""),
    ("what a plain range leads to may be an alias's target", NPM, npm(**{"node_modules/text": {"version": "1.0.0", "dependencies": {"regal": "^2"}}, "node_modules/regal": {"name": "@plot/regal", "version": "2.1.2"}}), "3 text 1.0.0 {prod} -> @plot/regal 2.1.2\n4 @plot/regal 2.1.2 as regal {prod}", ""),
    ("an alias in yarn 1 is not the package", YARN, classic('old-sync@npm:sync@0.9.2:\n  version "0.9.2"\n'), "3 sync 0.9.2 as old-sync", ""),
    ("an entry of yarn berry is named by its resolution", YARN, berry('"react-is-18@npm:react-is@^18":\n  version: 18.3.1\n  resolution: "react-is@npm:18.3.1"\n'), "4 react-is 18.3.1 as react-is-18", ""),
    ("one alias does not lose the other entries of a yarn.lock", YARN, classic('"a@npm:b@1":\n  version "1.0.0"\n\nc@2:\n  version "2.0.0"\n'), "3 b 1.0.0 as a\n6 c 2.0.0", ""),
    ("a scoped target keeps its scope", YARN, classic('"loadable@npm:@saurus/loadable@6.0.0":\n  version "6.0.0"\n'), "3 @saurus/loadable 6.0.0 as loadable", ""),
    ("an alias after the plain pattern of one entry is seen", YARN, classic('wide@^4, "wide-cjs@npm:wide@^4":\n  version "4.2.3"\n'), "3 wide 4.2.3 as wide-cjs", ""),
    ("a patched entry and its alias are of the real name", YARN, berry('"lo@patch:lodash@npm%3A4.17.21#~/p.patch":\n  version: 4.17.21\n  resolution: "lodash@patch:lodash@npm%3A4.17.21#~/p.patch::version=4.17.21&hash=a"\n'), "4 lodash 4.17.21 as lo patch p.patch", ""),
    ("an alias in bun is not the package", BUN, bun('    "wide-cjs": ["wide@4.2.3", "", {}, "sha512-x"],'), "3 root (none) workspace . indirect\n5 wide 4.2.3 as wide-cjs indirect", "3 root: the lockfile states no version"),
    ("an alias that npm 6 wrote has a real name for newer npm", NPM, nested(a={"version": "1.0.0", "requires": {"b-alias": "npm:b@^2"}}, **{"b-alias": {"version": "npm:b@2.0.0"}}), "3 a 1.0.0 {prod} -> b 2.0.0\n4 b 2.0.0 as b-alias {prod}", ""),
    ("an unquoted alias pattern, as bun writes them, is read", YARN, classic('typed@npm:typescript@4.5.5:\n  version "4.5.5"\n'), "3 typescript 4.5.5 as typed", ""),
    ("of two documents the project's is read", PNPM, "---\n" + pnpm("importers:\n  .:\n    packageManagerDependencies:\n      pnpm:\n        specifier: 12.0.0\n        version: 12.0.0\npackages:\n  pnpm@12.0.0: {}\n") + "\n---\n" + pnpm("packages:\n  a@1.0.0: {}\nsnapshots:\n  a@1.0.0: {}\n"), "17 a 1.0.0 indirect", ""),
    ("two documents with the line ends of Windows", PNPM, ("---\n" + pnpm("packages:\n  pnpm@12.0.0: {}\n") + "---\n" + pnpm("packages:\n  a@1.0.0: {}\n")).replace("\n", "\r\n"), "10 a 1.0.0 indirect", ""),
    ("a peer suffix of old is no part of the version", PNPM, pnpm("packages:\n  /pack-cli/4.10.0_fzn43tb6bdtdxy2s3aqevve2su:\n    dev: true\n", "5.4"), "4 pack-cli 4.10.0 {dev} indirect", ""),
    ("an underscore in a name is no peer suffix", PNPM, pnpm("packages:\n  /string_decoder/1.3.0:\n    dev: false\n", "5.4"), "4 string_decoder 1.3.0 {prod} indirect", ""),
    ("a peer suffix in brackets is no part of the version", PNPM, pnpm("packages:\n  /a@1.0.0(b@2.0.0):\n    dev: false\n", "'6.0'"), "4 a 1.0.0 {prod} indirect", ""),
    ("peers of peers nest", PNPM, pnpm("packages:\n  a@1.0.0: {}\nsnapshots:\n  a@1.0.0(b@1.0.0(c@1.0.0))(d@2.0.0): {}\n"), "4 a 1.0.0 indirect", ""),
    ("a git reference may have peers", PNPM, pnpm(f"importers:\n  .:\n    dependencies:\n      r:\n        specifier: git@git.example:o/r.git\n        version: git@git.example+o/r/{SHA}(p@3.0.1)\npackages:\n  git@git.example+o/r/{SHA}(p@3.0.1):\n    resolution: {{commit: {SHA}, repo: git@git.example:o/r.git, type: git}}\n    name: r\n    version: 1.2.3\n    dev: false\n", "'6.0'"), f"10 r 1.2.3 git git@git.example:o/r.git #{SHA} <.> {{prod}} direct", ""),
    ("an archive's address in the version slot may have peers", PNPM, pnpm(f"importers:\n  .:\n    dependencies:\n      r:\n        specifier: o/r\n        version: https://codeload.github.com/o/r/tar.gz/{SHA}(e@0.1.13)\npackages:\n  r@https://codeload.github.com/o/r/tar.gz/{SHA}:\n    resolution: {{tarball: https://codeload.github.com/o/r/tar.gz/{SHA}}}\n    version: 2.0.0\nsnapshots:\n  r@https://codeload.github.com/o/r/tar.gz/{SHA}(e@0.1.13): {{}}\n"), f"10 r 2.0.0 git https://codeload.github.com/o/r/tar.gz/{SHA} #{SHA} <.> {{prod}} direct", ""),
    ("a registry's package with its download address is the registry's", PNPM, pnpm("packages:\n  a@1.0.0:\n    resolution: {integrity: sha512-x, tarball: https://npm.example/a/-/a-1.0.0.tgz}\n"), "4 a 1.0.0 indirect", ""),
    ("a file reference with peers is a file", PNPM, pnpm("packages:\n  x@file:projects/x.tgz:\n    resolution: {integrity: sha512-x, tarball: file:projects/x.tgz}\n    version: 0.0.0\nsnapshots:\n  x@file:projects/x.tgz(m@2.6.8(@types/n@22.7.9)): {}\n"), "4 x 0.0.0 file projects/x.tgz indirect", ""),
    ("a scope is part of the name", PNPM, pnpm("packages:\n  '@types/mailer@6.4.14':\n    resolution: {integrity: sha512-x}\n"), "4 @types/mailer 6.4.14 indirect", ""),
    ("keys of version 6 are not those of 5", PNPM, pnpm("packages:\n  /name@1.0.0:\n    dev: false\n  /@s/n@2.0.0:\n    dev: false\n", "'6.0'"), "4 name 1.0.0 {prod} indirect\n6 @s/n 2.0.0 {prod} indirect", ""),
    ("keys of version 6 in a file that calls itself 5 are read as what they are", PNPM, pnpm("packages:\n  /name@1.0.0:\n    dev: false\n", "5.4"), "4 name 1.0.0 {prod} indirect", ""),
    ("a version may say that specifiers stand inline", PNPM, pnpm("dependencies:\n  a:\n    specifier: ^1\n    version: 1.0.0\npackages:\n  /a/1.0.0:\n    dev: false\n", "5.4-inlineSpecifiers"), "8 a 1.0.0 <.> {prod} direct", ""),
    ("the first pnpm called its file a shrinkwrap", "shrinkwrap.yaml", "dependencies:\n  a: 1.0.0\npackages:\n  /a/1.0.0:\n    resolution: {integrity: sha512-x}\nregistry: 'https://npm.example/'\nshrinkwrapMinorVersion: 9\nshrinkwrapVersion: 3\nspecifiers:\n  a: ^1\n", "4 a 1.0.0 <.> {prod,dev} direct", ""),
    ("dev and prod are walked, over optional edges too", PNPM, pnpm("importers:\n  .:\n    dependencies:\n      a:\n        specifier: '1'\n        version: 1.0.0\n    devDependencies:\n      b:\n        specifier: '1'\n        version: 1.0.0\npackages:\n  a@1.0.0: {}\n  b@1.0.0: {}\n  c@1.0.0: {}\n  d@1.0.0: {}\nsnapshots:\n  a@1.0.0:\n    optionalDependencies:\n      c: 1.0.0\n  b@1.0.0:\n    dependencies:\n      d: 1.0.0\n  c@1.0.0: {}\n  d@1.0.0: {}\n"), "14 a 1.0.0 <.> {prod} direct -> c 1.0.0\n15 b 1.0.0 <.> {dev} direct -> d 1.0.0\n16 c 1.0.0 {optional} indirect\n17 d 1.0.0 {dev} indirect", ""),
    ("without importers, what stands at the top is the root's", PNPM, pnpm("specifiers:\n  a: ^1\ndependencies:\n  a: 1.0.0\npackages:\n  /a/1.0.0:\n    dev: false\n", "5.4"), "8 a 1.0.0 <.> {prod} direct", ""),
    ("without a root importer, members are read", PNPM, pnpm("importers:\n  apps/one:\n    dependencies:\n      a:\n        specifier: ^1\n        version: 1.0.0\npackages:\n  a@1.0.0: {}\n"), "10 a 1.0.0 <apps/one> {prod} direct", ""),
    ("a member may lie beside the lockfile's folder", PNPM, pnpm("importers:\n  ../shared:\n    dependencies:\n      a:\n        specifier: ^1\n        version: 1.0.0\npackages:\n  a@1.0.0: {}\n"), "10 a 1.0.0 <../shared> {prod} direct", ""),
    ("two spellings of a folder in a suffix are one package", PNPM, pnpm("importers:\n  .:\n    dependencies:\n      a:\n        specifier: ^1\n        version: 1.0.0(b@packages+b)\npackages:\n  a@1.0.0: {}\nsnapshots:\n  a@1.0.0(b@+packages+b): {}\n"), "10 a 1.0.0 <.> {prod} direct", ""),
    ("nested entries of npm 1 are packages", NPM, nested(a={"version": "1.0.0", "dependencies": {"b": {"version": "1.0.0"}}}, b={"version": "2.0.0"}), "3 a 1.0.0 {prod} -> b 1.0.0\n3 b 1.0.0 {prod}\n4 b 2.0.0 {prod}", ""),
    ("a link is its target, with the target's version, and there once", NPM, npm(**{"": {"workspaces": ["functions/*"]}, "functions/func": {"version": "1.0.0"}, "node_modules/func": {"resolved": "functions/func", "link": True}}), "3  (none) workspace . indirect\n4 func 1.0.0 workspace functions/func indirect", "3 .: the lockfile states no version"),
    ("a link without workspaces is a folder", NPM, npm(**{"": {"dependencies": {"f": "file:f"}}, "f": {"version": "1.0.0"}, "node_modules/f": {"resolved": "f", "link": True}}), "3  (none) workspace . indirect -> f 1.0.0\n4 f 1.0.0 link f <.> direct", "3 .: the lockfile states no version"),
    ("links have no version, and that is no fault", NPM, npm(**{"packages/a": {"version": "1.0.0", "name": "a"}, "node_modules/a": {"resolved": "packages/a", "link": True}, "node_modules/b": {"link": True}}), "3 a 1.0.0 link packages/a", "5 node_modules/b: a link without 'resolved'"),
    ("an alias does not hide the version that it pins", NPM, npm(**{"node_modules/safe": {"name": "risky", "version": "0.1.0"}}), "3 risky 0.1.0 as safe {prod}", ""),
    ("a specifier in place of a version is no version", NPM, nested(g={"version": f"github:o/g#{SHA}"}, t={"version": "https://host.example/t-1.0.0.tgz"}, f={"version": "file:../f"}), f"3 g (none) git github:o/g #{SHA} {{prod}}\n4 t (none) url https://host.example/t-1.0.0.tgz {{prod}}\n5 f (none) link ../f {{prod}}", "3 g: the lockfile states no version\n4 t: the lockfile states no version\n5 f: the lockfile states no version"),
    ("quoted fields are fields", YARN, classic('"a@1":\n  "version" "1.2.3"\n  "dependencies":\n    "b" "2"\n'), "3 a 1.2.3 -> b (none)", ""),
    ("the line ends of Windows are line ends", YARN, classic('a@1:\n  version "1.2.3"\n').replace("\n", "\r\n"), "3 a 1.2.3", ""),
    ("the line ends of Windows are line ends to yarn berry too", YARN, berry('"a@npm:1":\n  version: 1.2.3\n  resolution: "a@npm:1.2.3"\n').replace("\n", "\r\n"), "4 a 1.2.3", ""),
    ("a member is no package of the registry", YARN, berry('"docs@workspace:.":\n  version: 0.0.0-use.local\n  resolution: "docs@workspace:."\n'), "4 docs (none) workspace . indirect", "4 docs: the lockfile states no version"),
    ("which yarn wrote the file is told by its content", YARN, berry('"a@npm:1":\n  version: 1.0.0\n  resolution: "a@npm:1.0.0"\n', 4), "4 a 1.0.0", ""),
    ("the version is not that of the head's range", YARN, classic('"a@^6.0.0":\n  version "6.9.1"\n'), "3 a 6.9.1", ""),
    ("a patch of a range is a patched package", YARN, berry('"a@patch:a@^1.0.0#./a.patch":\n  version: 1.4.0\n  resolution: "a@patch:a@npm%3A1.4.0#./a.patch::version=1.4.0&hash=1&locator=r%40workspace%3Ap"\n'), "4 a 1.4.0 patch p/a.patch", ""),
    ("comments more than the usual are comments", YARN, '# yarn lockfile v1\n# bun ./bun.lockb --hash: AAAA-BBBB\n\n\na@1:\n  version "1.0.0"\n', "5 a 1.0.0", ""),
    ("a member's made-up version is none", YARN, berry('"w@workspace:packages/w":\n  version: 0.0.0-use.local\n  resolution: "w@workspace:packages/w"\n'), "4 w (none) workspace packages/w indirect", "4 w: the lockfile states no version"),
    ("a nested key of bun is a path, not a name", BUN, bun('    "sucrase/glob": ["glob@10.4.5", "", {}, "sha512-x"],', ""), "5 glob 10.4.5", ""),
    ("trailing commas and comments are bun's", BUN, '{\n  // written by bun\n  "lockfileVersion": 1,\n  "packages": {\n    "a": ["a@1.0.0", "", {},],\n  }, /* end */\n}', "5 a 1.0.0", ""),
    ("a member's name, not its path, is where its copies are", BUN, bun('    "b": ["b@workspace:packages/b"],\n    "b/r": ["r@17.0.2", "", {}],\n    "r": ["r@18.3.1", "", {}],', '"packages/b": {"name": "b", "version": "0.1.0", "dependencies": {"r": "^17"}}'), "5 b 0.1.0 workspace packages/b indirect -> r 17.0.2\n6 r 17.0.2 <packages/b> {prod} direct\n7 r 18.3.1 indirect", ""),
    ("a folder without a name has the name of its key", BUN, bun('    "gen": ["@ file:vendor/gen", {}],', ""), "5 gen (none) directory vendor/gen", "5 gen: the lockfile states no version"),
    ("the same edge twice in a tree is one dependency", NPM, nested(a={"version": "1.0.0", "requires": {"c": "1"}, "dependencies": {"c": {"version": "1.0.0"}}}, b={"version": "1.0.0", "requires": {"a": "1", "c": "1"}, "dependencies": {"a": {"version": "1.0.0", "requires": {"c": "1"}}, "c": {"version": "1.0.0"}}}), "3 a 1.0.0 {prod} -> c 1.0.0\n3 c 1.0.0 {prod}\n4 b 1.0.0 {prod} -> a 1.0.0, c 1.0.0", ""),
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "packages", "skipped"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_public_bug(name: str, text: str, packages: str, skipped: str) -> None:
    reading = read_lockfile_text(text, name)
    assert (package_rows(reading), skipped_rows(reading)) == (lines(packages), lines(skipped))


# (what went wrong elsewhere, the file's name, its text, the importers)
MEMBERS = (
    (
        "the copy in a member's own folder wins over the one above",
        NPM,
        npm(**{
            "": {"workspaces": ["packages/*"]},
            "packages/cli": {"name": "cli", "version": "1.0.0", "dependencies": {"commander": "^12"}},
            "packages/cli/node_modules/commander": {"version": "12.1.0"},
            "node_modules/cli": {"resolved": "packages/cli", "link": True},
            "node_modules/commander": {"version": "5.1.0"},
        }),
        ". (none) (none)\npackages/cli cli 1.0.0\n  0 commander ^12 {prod} -> commander 12.1.0",
    ),
    (
        "a member without dependencies is a member",
        PNPM,
        pnpm("importers:\n  .: {}\n  packages/none: {}\n  packages/one:\n    dependencies:\n      none:\n        specifier: workspace:*\n        version: link:../none\n"),
        ". (none) (none)\npackages/none none (none)\npackages/one (none) (none)\n  8 none workspace:* {prod} -> none (none) link packages/none",
    ),
    (
        "a member's folder inside another's is looked up through it",
        NPM,
        npm(**{
            "": {"workspaces": ["a", "a/b"]},
            "a": {"name": "a"},
            "a/node_modules/x": {"version": "2.0.0"},
            "a/b": {"name": "b", "dependencies": {"x": "*", "y": "*"}},
            "node_modules/x": {"version": "1.0.0"},
            "node_modules/y": {"version": "3.0.0"},
        }),
        ". (none) (none)\na a (none)\na/b b (none)\n  0 x * {prod} -> x 2.0.0\n  0 y * {prod} -> y 3.0.0",
    ),
    (
        "a range of the registry that leads to a member is a link",
        YARN,
        berry('"b@npm:^1.0.0, b@workspace:packages/b":\n  version: 0.0.0-use.local\n  resolution: "b@workspace:packages/b"\n\n"r@workspace:.":\n  version: 0.0.0-use.local\n  resolution: "r@workspace:."\n  dependencies:\n    b: "npm:^1.0.0"\n'),
        "packages/b b (none)\n. r (none)\n  12 b ^1.0.0 {prod} -> b (none) link packages/b",
    ),
    (
        "a range that yarn patches by itself leads to the patched package",
        YARN,
        berry('"r@workspace:.":\n  version: 0.0.0-use.local\n  resolution: "r@workspace:."\n  dependencies:\n    ts: ^5.0.0\n\n"ts@^5.0.0":\n  version: 5.4.5\n  resolution: "ts@npm:5.4.5"\n\n"ts@patch:ts@^5.0.0#builtin<compat/ts>":\n  version: 5.4.5\n  resolution: "ts@patch:ts@npm%3A5.4.5#builtin<compat/ts>::version=5.4.5&hash=1"\n', 5),
        ". r (none)\n  8 ts ^5.0.0 {prod} -> ts 5.4.5",
    ),
    (
        "a range that `resolutions` replaced leads to the one entry of the name",
        YARN,
        berry('"d@npm:4.3.4":\n  version: 4.3.4\n  resolution: "d@npm:4.3.4"\n\n"r@workspace:.":\n  version: 0.0.0-use.local\n  resolution: "r@workspace:."\n  dependencies:\n    d: "npm:^3.1.0"\n'),
        ". r (none)\n  12 d ^3.1.0 {prod} -> d 4.3.4",
    ),
)  # fmt: skip


@pytest.mark.parametrize(("name", "text", "expected"), [row[1:] for row in MEMBERS], ids=[row[0] for row in MEMBERS])
def test_public_bug_of_members(name: str, text: str, expected: str) -> None:
    assert importer_rows(read_lockfile_text(text, name)) == lines(expected)

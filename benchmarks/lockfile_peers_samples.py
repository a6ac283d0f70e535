"""The project's own samples laid out for other readers, with the pairs of name and version that each locks from a registry.

The truth for npm's world is the table beside a sample, which the managers' own listings were held against; for Python's formats it is the
document as a plain TOML or JSON parser gives it. Neither comes from briefkit's readers.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.lockfile_peers import Job
from briefkit.names import pypi_name

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).parent.parent / "tests"
SAMPLES = TESTS / "lockfiles" / "samples"
NODE = ("npm", "pnpm", "yarn-classic", "yarn-berry", "bun")
_ELSEWHERE = (
    "git",
    "url",
    "file",
    "directory",
    "link",
    "portal",
    "workspace",
    "patch",
    "vcs",
    "archive",
    "path",
    "editable",
)
_PIN = re.compile(r"(?m)^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?==([^\s;\\]+)")


class Sample(NamedTuple):
    """A sample laid out: the job for a peer, what it locks, and names that count neither way (members, git, folders, addresses)."""

    job: Job
    pairs: frozenset[tuple[str, str]]
    neutral: frozenset[str]

    def judged(self, said: frozenset[tuple[str, str]]) -> tuple[int, int]:
        """How many pairs are missing from what was said, and how many of it are extra."""
        if self.job.family not in NODE:
            said = frozenset((pypi_name(name), version) for name, version in said)
        extra = [name for name, version in said - self.pairs if version and name not in self.neutral]
        return len(self.pairs - said), len(extra)


def samples(directory: Path) -> list[Sample]:
    """Every sample, each with its project in a folder of its own under the directory."""
    return [*_node(directory), *_python(directory)]


def _node(directory: Path) -> Iterator[Sample]:
    sys.path.insert(0, str(TESTS / "support"))
    from node_lockfile_managers import ALL, GIT, REGISTRY, lay

    for one in ALL:
        target, source = directory / one.folder, SAMPLES / one.folder
        lay(one, str(target), REGISTRY, GIT)
        lock = target / one.written
        lock.parent.mkdir(exist_ok=True)
        lock.write_bytes((source / lock.name).read_bytes())
        manifests = tuple(sorted(name for name in one.project() if name.endswith("package.json")))
        names = {json.loads((target / path).read_text(encoding="utf-8"))["name"] for path in manifests}
        pairs, neutral = _of_table((source / "expected.txt").read_text(encoding="utf-8"))
        members = tuple(path for path in manifests if path.startswith("pack"))
        job = Job(str(target), one.written, one.folder.partition("/")[0], members)
        yield Sample(job, frozenset(pairs), frozenset(neutral | names))


def _of_table(text: str) -> tuple[set[tuple[str, str]], set[str]]:
    pairs, neutral = set(), set()
    for row in text.split("\n\n")[1].splitlines():
        _, name, version, *rest = row.split(" ")
        aliases = rest[1].split(",") if rest[:1] == ["as"] else []
        rest = rest[2:] if aliases else rest
        if rest[:1] and rest[0] in _ELSEWHERE:
            neutral |= {name, *aliases}
        else:
            pairs.add((name, version))
    return pairs, neutral


def _python(directory: Path) -> Iterator[Sample]:
    for path in sorted(SAMPLES.rglob("*")):
        family = path.relative_to(SAMPLES).parts[0]
        if family in NODE or (path.suffix not in {".lock", ".txt"} and family != "pylock") or not path.is_file():
            continue
        name = {"pylock": "pylock.toml", "requirements": "requirements.txt", "uv": "uv.lock"}.get(family, path.name)
        target = directory / family / str(path.relative_to(SAMPLES)).replace("/", "-")
        target.mkdir(parents=True)
        text = path.read_text(encoding="utf-8")
        (target / name).write_text(text, encoding="utf-8")
        for manifest in ("pyproject.toml", "Pipfile"):
            if (path.parent / manifest).is_file():
                (target / manifest).write_bytes((path.parent / manifest).read_bytes())
        pairs, neutral = _of_document(family, text)
        yield Sample(Job(str(target), name, family, ()), frozenset(pairs), frozenset(neutral))


def _of_document(family: str, text: str) -> tuple[set[tuple[str, str]], set[str]]:
    if family == "requirements":
        return {(pypi_name(name), version) for name, version in _PIN.findall(text)}, set()
    pairs: set[tuple[str, str]] = set()
    neutral: set[str] = set()
    for entry in _entries(family, text):
        name, version = pypi_name(entry["name"]), entry.get("version", "").removeprefix("==")
        source = entry.get("source") or {}
        local = any(key in _ELSEWHERE or key == "virtual" for key in (*entry, *source, source.get("type")))
        if local or not version:
            neutral.add(name)
        else:
            pairs.add((name, version))
    return pairs, neutral


def _entries(family: str, text: str) -> list[dict[str, Any]]:
    if family == "pipenv":
        sections = [section for name, section in json.loads(text).items() if name != "_meta"]
        return [{**entry, "name": name} for section in sections for name, entry in section.items()]
    document = tomllib.loads(text)
    # the first versions of uv wrote `distribution`
    found: list[dict[str, Any]] = next(
        document[key] for key in ("packages", "package", "distribution") if key in document
    )
    return found

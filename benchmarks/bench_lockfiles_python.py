"""Python lockfiles: full records against the raw parser's document of the same text, and the memory that a reading takes.

The texts are made here in the layout each manager writes, of a size and shape that large projects have.
"""

from __future__ import annotations

import json
import random
import tracemalloc
from functools import partial
from typing import TYPE_CHECKING

import tomli
from packaging.requirements import Requirement

from benchmarks.harness import Row, paired
from briefkit.lockfiles.files import read_lockfile_text

if TYPE_CHECKING:
    from collections.abc import Callable

BENCH = "lockfiles_python"


def rows(quick: bool) -> list[Row]:
    """The figures; a quick run takes a tenth of the size."""
    size = 50 if quick else 500
    repeats = 3 if quick else 7
    found = []
    for name, text, parse, goal in (
        ("uv.lock", uv_text(size), tomli.loads, "<= 0.6"),
        ("poetry.lock", poetry_text(size), tomli.loads, "<= 0.6"),
        ("pdm.lock", pdm_text(size), tomli.loads, None),
        ("Pipfile.lock", pipfile_text(size), json.loads, None),
        ("requirements.txt", requirements_text(size), requirements, None),
    ):
        case = f"{name}, {len(text) / 1e6:.2f} MB, {size} packages"
        value, baseline = paired(whole(name, text), partial(parse, text), repeats)
        found.append(Row(BENCH, case, "full records / raw parser", "s", value, baseline, goal))
        value, baseline = paired(declared(name, text), partial(parse, text), repeats)
        found.append(Row(BENCH, case, "what the root declares / raw parser", "s", value, baseline))
        found.append(
            Row(
                BENCH,
                case,
                "peak memory / file size",
                "bytes",
                peak(name, text),
                len(text),
                "<= 6" if name.endswith("lock") else None,
            )
        )
    return found


def whole(name: str, text: str) -> Callable[[], object]:
    """A call that reads everything a reading has."""

    def call() -> object:
        reading = read_lockfile_text(text, name)
        return reading.packages, reading.instances, reading.importers, reading.skipped

    return call


def declared(name: str, text: str) -> Callable[[], object]:
    """A call that reads what `resolve NAME` needs."""

    def call() -> object:
        reading = read_lockfile_text(text, name)
        return reading.importers, reading.packages_named("package-7")

    return call


def peak(name: str, text: str) -> int:
    """The most bytes that reading everything holds at once."""
    tracemalloc.start()
    whole(name, text)()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def requirements(text: str) -> list[Requirement]:
    """The requirements of a text, by packaging alone."""
    return [Requirement(line.partition(" --")[0]) for line in text.splitlines() if line]


def _digest(chance: random.Random) -> str:
    return f"{chance.getrandbits(256):064x}"


def _wheels(name: str, chance: random.Random) -> list[str]:
    tags = [
        f"cp3{minor}-cp3{minor}-{platform}"
        for minor in (11, 12, 13, 14)
        for platform in ("macosx_11_0_arm64", "manylinux_2_28_x86_64.manylinux2014_x86_64", "win_amd64")
    ]
    return [f"{name}-1.2.3-{tag}.whl" for tag in (tags if chance.random() < 0.4 else ["py3-none-any"])]  # fmt: skip


def _uses(index: int, size: int, chance: random.Random) -> list[int]:
    return sorted({chance.randrange(size) for _ in range(chance.choice((0, 2, 4, 9)))} - {index})


def uv_text(size: int) -> str:
    """A uv.lock of this many packages."""
    chance = random.Random(1)
    parts = ['version = 1\nrevision = 3\nrequires-python = ">=3.11"\n']
    direct = "".join(f'    {{ name = "package-{one}" }},\n' for one in range(0, size, 5))
    required = "".join(f'    {{ name = "package-{one}", specifier = ">=1" }},\n' for one in range(0, size, 5))
    parts.append(
        f'[[package]]\nname = "app"\nversion = "1"\nsource = {{ virtual = "." }}\ndependencies = [\n{direct}]\n\n[package.metadata]\nrequires-dist = [\n{required}]\n'
    )
    for index in range(size):
        name = f"package-{index}"
        base = f"https://files.pypi.example/packages/{_digest(chance)}/"
        uses = "".join(
            f'    {{ name = "package-{one}", marker = "python_full_version < \'3.13\'" }},\n'
            for one in _uses(index, size, chance)
        )
        wheels = "".join(
            f'    {{ url = "{base}{wheel}", hash = "sha256:{_digest(chance)}", size = 12345, upload-time = "2025-01-01T00:00:00Z" }},\n'
            for wheel in _wheels(name, chance) * 2
        )
        parts.append(
            f'[[package]]\nname = "{name}"\nversion = "1.2.{index}"\nsource = {{ registry = "https://pypi.example/simple" }}\n'
            + (f"dependencies = [\n{uses}]\n" if uses else "")
            + f'sdist = {{ url = "{base}{name}.tar.gz", hash = "sha256:{_digest(chance)}", size = 9 }}\nwheels = [\n{wheels}]\n'
        )
    return "\n".join(parts)


def poetry_text(size: int) -> str:
    """A poetry.lock of this many packages."""
    chance = random.Random(2)
    parts = ["# This file is automatically @generated by Poetry 2.1.1 and should not be changed by hand.\n"]
    for index in range(size):
        name = f"package-{index}"
        files = "".join(
            f'    {{file = "{wheel}", hash = "sha256:{_digest(chance)}"}},\n'
            for wheel in [*_wheels(name, chance) * 3, f"{name}.tar.gz"]
        )
        uses = "".join(
            f'package-{one} = {{version = ">=1", markers = "python_version < \\"3.13\\""}}\n'
            for one in _uses(index, size, chance)
        )
        parts.append(
            f'[[package]]\nname = "{name}"\nversion = "1.2.{index}"\ndescription = "Package number {index}."\noptional = false\n'
            f'python-versions = ">=3.9"\ngroups = ["main"]\nfiles = [\n{files}]\n'
            + (f"\n[package.dependencies]\n{uses}" if uses else "")
            + '\n[package.extras]\ntest = ["pytest (>=7)", "coverage ; python_version < \\"3.12\\""]\n'
        )
    parts.append(f'[metadata]\nlock-version = "2.1"\npython-versions = ">=3.11"\ncontent-hash = "{_digest(chance)}"\n')
    return "\n".join(parts)


def pdm_text(size: int) -> str:
    """A pdm.lock of this many packages."""
    chance = random.Random(3)
    parts = [
        f'# This file is @generated by PDM.\n\n[metadata]\ngroups = ["default"]\nstrategy = ["inherit_metadata"]\nlock_version = "4.5.0"\ncontent_hash = "sha256:{_digest(chance)}"\n'
    ]
    for index in range(size):
        name = f"package-{index}"
        files = "".join(
            f'    {{file = "{wheel}", hash = "sha256:{_digest(chance)}"}},\n' for wheel in _wheels(name, chance) * 2
        )
        uses = "".join(f'    "package-{one}>=1; python_version < \\"3.13\\"",\n' for one in _uses(index, size, chance))
        parts.append(
            f'[[package]]\nname = "{name}"\nversion = "1.2.{index}"\nsummary = "Package number {index}."\ngroups = ["default"]\n'
            f"dependencies = [\n{uses}]\nfiles = [\n{files}]\n"
        )
    return "\n".join(parts)


def pipfile_text(size: int) -> str:
    """A Pipfile.lock of this many packages."""
    chance = random.Random(4)
    entry = {
        f"package-{one}": {"hashes": [f"sha256:{_digest(chance)}" for _ in range(20)], "version": f"==1.2.{one}"}
        for one in range(size)
    }
    return json.dumps({"_meta": {"pipfile-spec": 6, "sources": []}, "default": entry, "develop": {}}, indent=4)


def requirements_text(size: int) -> str:
    """A requirements file of this many pins with hashes."""
    chance = random.Random(5)
    return "".join(
        f"package-{one}==1.2.{one} ; python_version < '3.15' --hash=sha256:{_digest(chance)}\n" for one in range(size)
    )

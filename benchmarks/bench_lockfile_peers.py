"""briefkit's readers beside the readers of other tools, on the same lockfiles in the same run: what each gets right, and what it takes.

Right is judged on the project's own samples by pairs of name and version; time is processor time, in turn, on the made-up files of the other
lockfile benches. A quick run installs nothing and asks no peer. `python -m benchmarks.bench_lockfile_peers` prints the tables as Markdown.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.bench_lockfiles import SIZE, _text_of, bun_text
from benchmarks.bench_lockfiles_python import poetry_text, uv_text
from benchmarks.harness import Row, children_cpu
from benchmarks.lockfile_peers import Answer, Job, Peer, peers
from benchmarks.lockfile_peers_samples import Sample, samples
from benchmarks.node_lockfiles import made, manifest, npm_text, pnpm_text, yarn_berry_text, yarn_classic_text
from briefkit.errors import BriefkitError
from briefkit.lockfiles.files import read_lockfile

if TYPE_CHECKING:
    from collections.abc import Iterator

BENCH = "lockfile_peers"
OURS = "briefkit"
ROUNDS = 3
TURNS = 2


def rows(quick: bool) -> list[Row]:
    """The figures; a quick run holds briefkit alone to the samples."""
    found, missing = ([], ["a quick run asks no peer"]) if quick else peers()
    for reason in missing:
        print(f"left out: {reason}", file=sys.stderr)
    with tempfile.TemporaryDirectory() as directory:
        laid = samples(Path(directory) / "samples")
        judged = list(_accuracy(laid, found))
        return judged if not found else [*judged, *_times(Path(directory) / "large", found)]


def _accuracy(laid: list[Sample], found: list[Peer]) -> Iterator[Row]:
    for family in dict.fromkeys(one.job.family for one in laid):
        chosen = [one for one in laid if one.job.family == family]
        jobs = [one.job for one in chosen]
        yield from _judged(family, chosen, OURS, [_ours(job) for job in jobs])
        for peer in found:
            if family in peer.families:
                yield from _judged(family, chosen, peer.name, peer.read(jobs))


def _judged(family: str, chosen: list[Sample], tool: str, answers: list[Answer]) -> Iterator[Row]:
    counts = [one.judged(answer.pairs) for one, answer in zip(chosen, answers, strict=True)]
    pairs = sum(len(one.pairs) for one in chosen)
    case = f"{family}, {len(chosen)} samples, {pairs} pairs"
    exact = float(sum(count == (0, 0) for count in counts))
    yield Row(BENCH, case, f"exact: {tool}", "files", exact, len(chosen), ">= 1" if tool == OURS else None)
    yield Row(BENCH, case, f"missing: {tool}", "pairs", sum(count[0] for count in counts), pairs)
    yield Row(BENCH, case, f"extra: {tool}", "pairs", sum(count[1] for count in counts), pairs)
    for one, answer in zip(chosen, answers, strict=True):
        if answer.error:
            print(f"{tool} refuses {'/'.join(Path(one.job.directory).parts[-2:])}: {answer.error}", file=sys.stderr)


def _ours(job: Job, rounds: int = 0) -> Answer:
    path = str(Path(job.directory) / job.lockfile)
    try:
        pairs = frozenset((one.name, one.version) for one in read_lockfile(path).packages if one.version)
    except BriefkitError as error:
        return Answer(frozenset(), 0.0, str(error))
    times = []
    for _ in range(rounds):
        start = time.process_time()
        reading = read_lockfile(path)
        _ = reading.packages, reading.instances, reading.importers, reading.skipped
        times.append(time.process_time() - start)
    return Answer(pairs, statistics.median(times) if times else 0.0)


def _times(directory: Path, found: list[Peer]) -> Iterator[Row]:
    for job in _large(directory):
        chosen = [peer for peer in found if job.family in peer.families]
        ours: list[list[float]] = [[], []]
        theirs: dict[str, list[Answer]] = {peer.name: [] for peer in chosen}
        for _ in range(TURNS):
            ours[0].append(_ours(job, ROUNDS).seconds)
            ours[1].append(_command(job))
            for peer in chosen:
                theirs[peer.name] += peer.read([job], ROUNDS)
            for peer in chosen:
                if error := theirs[peer.name][-1].error:
                    print(f"{peer.name} reads no large {job.family} file: {error}", file=sys.stderr)
            chosen = [peer for peer in chosen if theirs[peer.name][-1].pairs]
        size = (Path(job.directory) / job.lockfile).stat().st_size / 1e6
        for peer in chosen:
            value = statistics.median(ours[0 if peer.library else 1])
            baseline = statistics.median(answer.seconds for answer in theirs[peer.name])
            kind = "warm" if peer.library else "process"
            yield Row(BENCH, f"{job.family}, {size:.2f} MB", f"{kind}: {peer.name}", "s", value, baseline, "<= 1")


def _command(job: Job) -> float:
    import subprocess

    before = children_cpu()
    command = (sys.executable, "-m", "briefkit", "lockfile", "--json", str(Path(job.directory) / job.lockfile))
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return children_cpu() - before


def _large(directory: Path) -> Iterator[Job]:
    makers = (
        ("npm", "package-lock.json", npm_text),
        ("pnpm", "pnpm-lock.yaml", pnpm_text),
        ("yarn-classic", "yarn.lock", yarn_classic_text),
        ("yarn-berry", "yarn.lock", yarn_berry_text),
        ("bun", "bun.lock", bun_text),
    )
    for family, name, make in makers:
        text = _text_of(make, SIZE)
        count = max(SIZE * 200 // len(make(made(200))), 20)
        yield _job(directory / family, name, family, text, manifest(made(count)))
    for family, write in (("uv", uv_text), ("poetry", poetry_text)):
        yield _job(directory / family, f"{family}.lock", family, write(500), None)


def _job(folder: Path, name: str, family: str, text: str, beside: str | None) -> Job:
    folder.mkdir(parents=True)
    (folder / name).write_text(text, encoding="utf-8")
    if beside:
        (folder / "package.json").write_text(beside, encoding="utf-8")
    return Job(str(folder), name, family, ("package.json",) if beside else ())


def markdown(found: list[Row]) -> str:
    """The rows as two tables: one line a family and tool."""
    judged = ["| format | tool | exact | missing | extra |", "|---|---|---|---|---|"]
    timed = ["| file | tool | how | briefkit | tool's | briefkit / tool |", "|---|---|---|---|---|---|"]
    figures = {(row.case, row.metric): row.value for row in found}
    for row in found:
        word, _, tool = row.metric.partition(": ")
        if word == "exact":
            missing, extra = (figures[row.case, f"{word}: {tool}"] for word in ("missing", "extra"))
            judged.append(
                f"| {row.case} | {tool} | {row.value:.0f} of {row.baseline:.0f} | {missing:.0f} | {extra:.0f} |"
            )
        elif word in {"warm", "process"}:
            timed.append(
                f"| {row.case} | {tool} | {word} | {row.value * 1e3:.0f} ms | {(row.baseline or 0) * 1e3:.0f} ms | {row.ratio:.2f} |"
            )
    return "\n".join([*judged, "", *timed]) + "\n"


if __name__ == "__main__":
    print(markdown(rows(quick=False)), end="")

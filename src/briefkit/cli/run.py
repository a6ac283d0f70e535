"""`briefkit run`: move every task that can move."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from briefkit.facade import open_repo

from .arguments import amount, count

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from briefkit.orchestrator.run import Step

    from .output import Output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How far, with whom, and for how much."""
    parser.add_argument("--once", action="store_true", help="one tick: each task one step, as from cron")
    parser.add_argument("--jobs", metavar="N", type=count, default=1, help="tasks moved at a time (default 1)")
    parser.add_argument("--max-cost", metavar="X", type=amount, help="US dollars that this run may spend on agents")
    parser.add_argument("--max-tokens", metavar="N", type=count, help="tokens that this run may spend on agents")
    parser.add_argument("--researcher", metavar="NAME", help="source (default), or an agent of your configuration")
    parser.add_argument("--implementer", metavar="NAME", help="the agent that implements")


def run(options: argparse.Namespace, output: Output) -> int:
    """Run; exit 0 all done or idle, 1 any blocked, 3 any disputed or for a human, 5 a cap was reached."""
    repo = open_repo(options.repo)
    steps: list[Step] = []
    told: dict[str, str] = {}

    def report(step: Step) -> None:
        steps.append(step)
        line = f"{step.task}: {step.before} -> {step.after}" + (f" ({step.error})" if step.error else "")
        if step.waits:
            line = f"{step.task}: {step.after}, waits ({step.waits})"
        if (step.moved or step.error or step.waits) and line != told.get(step.task):
            told[step.task] = line
            output.say(line)

    runner = repo.board().runner(
        report=report,
        researcher=options.researcher,
        implementer=options.implementer,
        max_cost=options.max_cost,
        max_tokens=options.max_tokens,
    )
    with _ended_like_interrupted():
        code = runner.run(once=options.once, jobs=options.jobs)
    if runner.cap_reached:
        output.say(f"stopped: {runner.cap_reached}")
    if output.json:
        output.data(
            {"steps": [step._asdict() for step in steps], "cap_reached": runner.cap_reached or None, "exit_code": code}
        )
    return code


@contextmanager
def _ended_like_interrupted() -> Iterator[None]:
    """A run that is told to end, or whose terminal goes away, ends what it started: as where it is interrupted by hand."""
    ours = threading.current_thread() is threading.main_thread()
    signs = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if ours and hasattr(signal, name)]
    signs = [sign for sign in signs if signal.getsignal(sign) is signal.SIG_DFL]
    for sign in signs:
        signal.signal(sign, signal.default_int_handler)
    try:
        yield
    finally:
        for sign in signs:
            signal.signal(sign, signal.SIG_DFL)

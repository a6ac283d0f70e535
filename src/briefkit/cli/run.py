"""`briefkit run`: move every task that can move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from briefkit.facade import open_repo

if TYPE_CHECKING:
    import argparse

    from briefkit.orchestrator.run import Step

    from .output import Output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How far, with whom, and for how much."""
    parser.add_argument("--once", action="store_true", help="one tick: each task one step, as from cron")
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="tasks moved at a time (default 1)")
    parser.add_argument("--max-cost", metavar="X", type=float, help="US dollars that this run may spend on agents")
    parser.add_argument("--max-tokens", metavar="N", type=int, help="tokens that this run may spend on agents")
    parser.add_argument("--researcher", metavar="NAME", help="source (default), or an agent of your configuration")
    parser.add_argument("--implementer", metavar="NAME", help="the agent that implements")


def run(options: argparse.Namespace, output: Output) -> int:
    """Run; exit 0 all done or idle, 1 any blocked, 3 any disputed or for a human, 5 a cap was reached."""
    repo = open_repo(options.repo)
    steps: list[Step] = []

    def report(step: Step) -> None:
        steps.append(step)
        if step.moved or step.error:
            output.say(f"{step.task}: {step.before} -> {step.after}" + (f" ({step.error})" if step.error else ""))

    runner = repo.board().runner(
        report=report,
        researcher=options.researcher,
        implementer=options.implementer,
        max_cost=options.max_cost,
        max_tokens=options.max_tokens,
    )
    code = runner.run(once=options.once, jobs=options.jobs)
    if runner.cap_reached:
        output.say(f"stopped: {runner.cap_reached}")
    if output.json:
        output.data(
            {"steps": [step._asdict() for step in steps], "cap_reached": runner.cap_reached or None, "exit_code": code}
        )
    return code

"""Locating Python packages on an open environment, against the commands that people and agents run for the same answer.

A ratio is the command's time over ours, so that 1,000 means a thousand times faster; the commands are timed as whole processes, as
they are run, ours as one more call, for a name that was not asked before, in a process that answers many.
"""

from __future__ import annotations

import functools
import itertools
import os
import subprocess
import time
from statistics import median
from typing import TYPE_CHECKING

from benchmarks import python_trees
from benchmarks.harness import Row
from briefkit.installed.files import source_digest
from briefkit.installed.python_environments import find_environment
from briefkit.installed.site_packages import SitePackages, describe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from briefkit.packages import Environment

BENCH = "locate_python"
NAMES = ("pyyaml", "requests", "google-cloud-storage", "PyJWT", "black", "six")
IMPORTS = ("yaml", "jwt", "google.cloud.storage", "bs4", "dateutil", "attr")


def rows(quick: bool) -> list[Row]:
    """The figures; a quick run asks a small environment."""
    path = python_trees.environment(large=not quick)
    repeats = 3 if quick else 7
    environment = find_environment(path, path, environ={}, explicit=path)
    assert environment is not None
    python = os.path.join(path, "bin", "python")
    uv_show = command_seconds(lambda name: [python_trees.uv(), "pip", "show", "--python", python, name], NAMES, repeats)
    pip_show = command_seconds(lambda name: [python, "-m", "pip", "show", name], NAMES, repeats)
    import_one = command_seconds(
        lambda name: [python, "-c", f"import importlib.metadata as m; m.version({name!r})"], NAMES, repeats
    )
    spec_one = command_seconds(
        lambda name: [python, "-c", f"import importlib.util as u; u.find_spec({name!r})"], IMPORTS, repeats
    )
    case = f"{len(SitePackages(environment).distributions())} distributions"
    one_more = each_first(lambda site, name: site.distribution(name), environment, NAMES)
    owner = each_first(lambda site, name: site.owners_of(name), environment, IMPORTS)
    module = each_first(lambda site, name: site.find_module(name), environment, IMPORTS)
    opened = median(seconds(lambda: first_owner(SitePackages(environment))) for _ in range(repeats))
    everything = median(seconds(SitePackages(environment).distributions) for _ in range(repeats))
    return [
        Row(BENCH, case, "`uv pip show NAME` / locate one more package", "s", uv_show, one_more, ">= 20"),
        Row(BENCH, case, "`pip show NAME` / locate one more package", "s", pip_show, one_more, ">= 1000"),
        Row(BENCH, case, "`python -c` importlib.metadata / locate one more package", "s", import_one, one_more),
        Row(BENCH, case, "`pip show NAME` / owner of one more import", "s", pip_show, owner),
        Row(BENCH, case, "`python -c` find_spec / find one more module", "s", spec_one, module),
        Row(
            BENCH, case, "`uv pip show NAME` / open, index every RECORD, first owner of an import", "s", uv_show, opened
        ),
        Row(BENCH, case, "every distribution, located", "s", everything),
        Row(BENCH, case, "locate one more package and describe it", "s", each_first(_described, environment, NAMES)),
        Row(BENCH, case, "source digest of one more package", "s", each_first(_digest, environment, NAMES)),
    ]


def each_first(call: Callable[[SitePackages, str], object], environment: Environment, names: Sequence[str]) -> float:
    """Median seconds of a call for a name that was not asked before, on an environment that has answered for others."""
    times = []
    for _ in range(3):
        site = SitePackages(environment)
        first_owner(site)
        times += [seconds(functools.partial(call, site, name)) for name in names]
    return median(times)


def first_owner(site: SitePackages) -> None:
    """The owner of an import that no distribution is spelled like, so that every RECORD is read once."""
    site.owners_of("_yaml")


def command_seconds(command: Callable[[str], Sequence[str]], names: Iterable[str], repeats: int) -> float:
    """Median seconds of a whole process that answers for one name."""
    times = []
    for name in itertools.islice(itertools.cycle(names), repeats):
        start = time.perf_counter()
        subprocess.run(command(name), capture_output=True, check=True)
        times.append(time.perf_counter() - start)
    return median(times)


def seconds(call: Callable[[], object]) -> float:
    """How long the call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _described(site: SitePackages, name: str) -> None:
    found = site.distribution(name)
    if found is not None:
        describe(found)


def _digest(site: SitePackages, name: str) -> None:
    found = site.distribution(name)
    if found is not None:
        source_digest(found)

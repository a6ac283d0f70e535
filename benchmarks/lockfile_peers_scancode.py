"""What scancode's handlers say of lockfiles; run by the Python of the environment that scancode is installed in.

python lockfile_peers_scancode.py ROUNDS < jobs.json
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any


BUDGET = 2.0
"""Seconds after which a file is not read again."""


def handler_of(path: str) -> Any:  # noqa: ANN401 - the tool has no types
    """The handler that scancode has for a file."""
    from packagedcode import npm, pypi  # type: ignore[import-not-found,unused-ignore]

    for one in (*vars(npm).values(), *vars(pypi).values()):
        if isinstance(one, type) and getattr(one, "datasource_id", None) and hasattr(one, "is_datafile"):
            found: Any = one
            if found.is_datafile(path):
                return found
    raise LookupError("not a format of this tool")


def pairs(path: str) -> list[tuple[str, str]]:
    """Names and versions of what a file's dependencies resolve to."""
    found = []
    for package in handler_of(path).parse(path):
        for one in package.dependencies:
            found += _pairs_of(one if isinstance(one, dict) else one.to_dict())
    return found


def _pairs_of(dependency: dict[str, Any]) -> list[tuple[str, str]]:
    resolved = dependency.get("resolved_package") or {}
    found = [pair for inner in resolved.get("dependencies") or () for pair in _pairs_of(inner) if pair[1]]
    if resolved.get("version"):
        name = "/".join(part for part in (resolved.get("namespace"), resolved["name"]) if part)
        return [*found, (name, resolved["version"])]
    if not dependency.get("purl"):
        return found
    from packageurl import PackageURL  # type: ignore[import-not-found,unused-ignore]

    purl = PackageURL.from_string(dependency["purl"])
    name = "/".join(part for part in (purl.namespace, purl.name) if part)
    return [*found, (name, purl.version or "")]


def main() -> None:
    rounds = int(sys.argv[1])
    answers = []
    for job in json.load(sys.stdin):
        path = os.path.join(job["directory"], job["lockfile"])
        try:
            answer = {"pairs": pairs(path), "seconds": 0.0}
            times: list[float] = []
            for _ in range(rounds):
                if sum(times) > BUDGET:
                    break
                start = time.process_time()
                pairs(path)
                times.append(time.process_time() - start)
            answer["seconds"] = statistics.median(times) if times else 0.0
        except Exception as error:  # noqa: BLE001 - whatever a tool raises is its answer
            answer = {"pairs": [], "seconds": 0.0, "error": f"{type(error).__name__}: {error}".split("\n")[0]}
        answers.append(answer)
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()

"""What the tests of the brief index share: answers, keys, a clock that can be moved, and a store of each kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from briefkit.briefs.brief import LOW, Answer, Citation, Finding, PackageId, Pin, SourcesRead, Staleness
from briefkit.briefs.entries import IndexKey
from briefkit.briefs.index import BriefIndex, open_index

if TYPE_CHECKING:
    from pathlib import Path

NOW = 1_800_000_000.0
DIGEST = "d" * 64
PACKAGE = PackageId("npm", "sequelize", "6.37.3")

ANSWER = Answer(
    "Does Model.bulkCreate exist?",
    (Finding("`Model.bulkCreate(records)` exists."), Finding("Source: lib/model.js lines 10-12")),
    0.9,
    (Citation("lib/model.js", 10, 12, 1, "a" * 64, PACKAGE),),
    (Pin(PACKAGE, "6.37.3", "6.37.3", "6.37.3 sha512-x", DIGEST),),
    SourcesRead(1, 0, 0),
    Staleness(LOW, "pinned version, checked lockfile"),
    "Use `Model.bulkCreate`.",
)


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self, now: float = NOW) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def key(question: str = ANSWER.question, *, namespace: str = "default", name: str = "sequelize") -> IndexKey:
    return IndexKey(namespace, "npm", name, "6.37.3", DIGEST, question, "source")


def holds(_answer: Answer) -> str | None:
    """A verification that finds nothing wrong."""
    return None


def url_on_disk(kind: str, folder: Path) -> str:
    return f"sqlite:{folder}/index/index.db" if kind == "sqlite" else f"{kind}:{folder}/index"


def open_for_test(url: str, namespace: str = "default", clock: Clock | None = None) -> BriefIndex:
    return open_index(url, namespace=namespace, clock=clock or Clock())

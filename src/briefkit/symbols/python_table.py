"""The symbols of one installed Python distribution, and the three answers about them."""

from __future__ import annotations

import re

from briefkit.records import TYPE_CHECKING

from .python_build import PythonTables
from .python_classes import Classes
from .python_modules import World
from .python_names import Names
from .python_paths import Paths, Step
from .python_symbols import Symbols
from .records import ABSENT, EXISTS, UNKNOWN, Answer, Hit, Reach, Symbol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from briefkit.packages import Installed

    from .python_modules import Module
    from .records import PackageFinder
    from .symbol_store import SymbolStore

_QUERY = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_QUERY_LIMIT = 1000
_NEAREST = 5


class PythonTable:
    """All that one installed Python distribution offers."""

    def __init__(
        self, installed: Installed, *, cache_dir: str | None, find: PackageFinder, digest: str | None = None
    ) -> None:
        self.package = installed
        self._world = World(installed, find, cache_dir)
        tables = PythonTables(self._world, cache_dir, digest)
        names = Names(self._world)
        classes = Classes(names)
        self._symbols = Symbols(classes)
        self._paths = Paths(names, classes, self._symbols)
        self._parts = (tables, names, classes, self._symbols)
        self._listed: SymbolStore | None = None
        self._answers: dict[str, Answer] = {}
        self.reach: Reach = tables.reach

    def answer(self, query: str) -> Answer:
        """Whether the dotted name exists in this version; the import name may be left out."""
        known = self._answers.get(query)
        if known is None:
            known = self._answers[query] = self._answer(query)
        return known

    def symbols(self) -> Iterator[Symbol]:
        """Every public symbol, in order of file and line, each under the shortest public path that leads to it."""
        return iter(self._store())

    def search(self, words: str, limit: int = 10) -> list[Hit]:
        """The symbols most relevant to a question's words, best first."""
        return self._store().search(words, limit)

    def _store(self) -> SymbolStore:
        if self._listed is None:
            from .python_listing import Listing

            self._listed = Listing(*self._parts).store()
        return self._listed

    def _answer(self, query: str) -> Answer:
        path = query.strip().removesuffix("()").replace(":", ".")
        if len(path) > _QUERY_LIMIT or not _QUERY.fullmatch(path):
            return Answer(query, UNKNOWN, (), (), self.reach, "not a dotted Python name")
        steps = [self._paths.follow(module, rest) for module, rest in self._starts(path.split("."))]
        foreign = self._foreign_namespace(path.split("."))
        if foreign:
            return Answer(query, UNKNOWN, (), (), self.reach, foreign)
        if not steps:
            return Answer(query, UNKNOWN, (), (), self.reach, "no module of the distribution can be read")
        best = min(steps, key=lambda step: (EXISTS, UNKNOWN, ABSENT).index(step.state))
        if best.state == EXISTS:
            matches = tuple(symbol for step in steps if step.state == EXISTS for symbol in step.symbols)
            return Answer(query, EXISTS, matches, (), self.reach, best.reason)
        return Answer(query, best.state, (), self._nearest(best), self._reach(best), self._reason(best))

    def _starts(self, parts: list[str]) -> list[tuple[Module, list[str]]]:
        """Where a query may begin, and what is left of it: the import name it says, else each of the distribution's."""
        starts: list[tuple[Module, list[str]]] = []
        for top in sorted(self.package.top_levels, key=len, reverse=True):
            words = top.split(".")
            module = self._world.module(top)
            if module is None:
                continue
            if parts[: len(words)] == words:
                return [(module, parts[len(words) :])]
            above = self._world.module(".".join(parts)) if words[: len(parts)] == parts else None
            if above is not None:
                return [(above, [])]  # the namespace that it lies in
            inner = next((words[at:] for at in range(1, len(words)) if parts[: len(words) - at] == words[at:]), None)
            if inner is not None:
                return [(module, parts[len(inner) :])]  # `auth.default` in google.auth, said without the namespace
            starts.append((module, parts))
        starts.sort(key=lambda start: start[0].name.startswith("_"))  # what is missing is said of a public one
        return starts

    def _foreign_namespace(self, parts: list[str]) -> str:
        """Why nothing is known of a name in a namespace that this distribution shares with others; empty where it is not such a name."""
        tops = [top.split(".") for top in self.package.top_levels]
        if any(parts[: len(top)] == top or top[: len(parts)] == parts for top in tops):
            return ""
        if not any(len(top) > 1 and top[0] == parts[0] for top in tops):
            return ""
        return f"{parts[0]} is a namespace that other distributions share; {'.'.join(parts[:2])} is not of {self.package.name}"

    def _reason(self, step: Step) -> str:
        files = f"{self.reach.files} {'file' if self.reach.files == 1 else 'files'} searched"
        if step.state == UNKNOWN:
            return step.reason
        reason = f"{step.owner} has no {step.missing} ({files})"
        return f"{reason}: {step.reason}" if step.reason else reason

    def _reach(self, step: Step) -> Reach:
        return self.reach._replace(dynamic=tuple(step.doors[:20])) if step.doors else self.reach

    def _nearest(self, step: Step) -> tuple[Symbol, ...]:
        from .nearest import nearest

        found: list[Symbol] = []
        for name in nearest(step.missing, step.candidates(), _NEAREST):
            found += step.symbol_of(name)[:1]
        if not found:
            found = self._store().nearest(step.missing, _NEAREST)
        return tuple(found)

"""What the symbol tables of both languages answer with."""

from __future__ import annotations

from typing import Any, Protocol

from briefkit.records import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from briefkit.packages import Installed

    PackageFinder = Callable[[str, str, str], "Installed | None"]
    """(ecosystem, import or package name, absolute directory asking) -> the copy that directory sees, or None."""

EXISTS = "exists"
ABSENT = "absent"
UNKNOWN = "unknown"

KINDS = ("module", "class", "function", "method", "property", "constant", "interface", "type", "enum", "namespace")


class Symbol(NamedTuple):
    """One public name of a package, with the place of its definition.

    `name` is the path a user writes (`requests.Session.get`, `Model.bulkCreate`), `signature` one line, `summary` the first sentence of
    its documentation or None, `file` absolute (`cache.zip!/inner` inside a zip), `line` and `end_line` from 1, `exported_from` the
    module or sub-path it is exported from, `deprecated` the reason (may be empty) or None, `note` what a reader must know (`not in the types`).
    """

    name: str
    kind: str
    signature: str
    summary: str | None
    file: str
    line: int
    end_line: int
    exported_from: str | None = None
    deprecated: str | None = None
    note: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The entry of `symbols`, `matches` and `nearest` in the contract; `file` as stored."""
        record = self._asdict()
        if self.note is None:
            del record["note"]
        return record


class Reach(NamedTuple):
    """How far was searched: files and lines read, doors that stand open (`dynamic`), and what was not read and why."""

    files: int
    lines: int
    dynamic: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The `reach` object of the contract."""
        return {"files": self.files, "lines": self.lines, "dynamic": list(self.dynamic), "unread": list(self.unread)}


class Answer(NamedTuple):
    """The answer to "does this symbol exist": `exists`, `absent` or `unknown`, with its proof, nearest names, reach and reason."""

    query: str
    answer: str
    matches: tuple[Symbol, ...]
    nearest: tuple[Symbol, ...]
    reach: Reach
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """The entry of `answers` in the contract."""
        return {
            "query": self.query,
            "answer": self.answer,
            "matches": [symbol.to_dict() for symbol in self.matches],
            "nearest": [symbol.to_dict() for symbol in self.nearest],
            "reach": self.reach.to_dict(),
            "reason": self.reason,
        }


class Hit(NamedTuple):
    """One result of a search: the symbol, its score (higher is better), and example code found beside it.

    `examples` are (file, first line, last line) of code in README, docs or docstrings that uses it.
    """

    symbol: Symbol
    score: float
    examples: tuple[tuple[str, int, int], ...] = ()


class SymbolTable(Protocol):
    """All that one installed package offers; two languages implement it."""

    @property
    def package(self) -> Installed:
        """The installed copy that was read."""

    @property
    def reach(self) -> Reach:
        """How far was read."""

    def symbols(self) -> Iterator[Symbol]:
        """Every public symbol, in order of file and line."""

    def answer(self, query: str) -> Answer:
        """Whether the symbol exists; a dotted Python path, or a path from a JavaScript package's exports."""

    def search(self, words: str, limit: int = 10) -> list[Hit]:
        """The symbols most relevant to a question's words, best first."""

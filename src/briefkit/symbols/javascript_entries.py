"""One entry of a package (itself or a sub-path) as it is asked: what runs and what is declared, in one graph."""

from __future__ import annotations

import re
from typing import Any, Protocol

from briefkit.errors import UnreadableError
from briefkit.paths import read_bytes
from briefkit.records import TYPE_CHECKING

from .records import Symbol

if TYPE_CHECKING:
    from .javascript_graph import Graph, Member

_UNREAD = 40
_KEPT = ("imports", "is_default", "main", "files", "runs", "types", "read", "lines", "unread", "stamped")
_TEXT_LIMIT = 16 << 20


class Reading(Protocol):
    """What reads files for an entry, also later, when its owners are looked at."""

    read: dict[str, int]
    unread: dict[str, str]

    def roots(self) -> list[str]:
        """The package.json of each package that was looked into."""


class Entry:
    """What an entry's questions are answered from; `to_head` and the graph's shards are what is kept.

    `runs` is what `require` gives (`import` where it gives nothing), `imports` what `import` gives where that is another file, evaluated when
    it is looked at; `types` what is declared: owners, or the reason (a text) why there is none; `is_default` says whether the whole module is what a default
    import gives, as in CommonJS; `main` is the file that runs first, -1 where none does.
    """

    __slots__ = (
        "_reading",
        "_texts",
        "files",
        "graph",
        "imports",
        "is_default",
        "lines",
        "main",
        "read",
        "runs",
        "stamped",
        "types",
        "unread",
    )

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.files: list[str] = []
        self.runs: int | str = "the package has no code to run"
        self.types: int | str = "the package declares no types"
        self.imports: int | None = None
        self.is_default = True
        self.main = -1
        self.read = 0
        self.lines = 0
        self.unread: list[str] = []
        self.stamped: list[str] = []
        self._texts: dict[int, bytes | None] = {}
        self._reading: list[Reading] = []

    def reads(self, reading: Reading) -> None:
        """Take over what is read for this entry, now and when its owners are looked at."""
        self._reading.append(reading)

    def settle(self) -> None:
        """Bring the figures of what was read, and was not, up to what was read since."""
        if not self._reading:
            return
        files = {path: lines for reading in self._reading for path, lines in reading.read.items()}
        self.read, self.lines = len(files), sum(files.values())
        self.unread = list(dict.fromkeys(text for reading in self._reading for text in reading.unread.values()))[
            :_UNREAD
        ]
        roots = [root for reading in self._reading for root in reading.roots()]
        self.stamped = sorted({path.partition("!/")[0] for path in (*files, *roots)})

    def defines(self, file: int, word: str) -> bool:
        """Whether a file has the word as a name it defines or as a text; one that cannot be read may."""
        if file not in self._texts:
            self._texts[file] = _text_of(self.files[file])
        text = self._texts[file]
        if text is None:
            return True
        name = word.encode("utf-8", "replace")
        if name not in text:
            return False
        escaped = re.escape(name)
        pattern = rb"(?<![\w$.])%b\s*[:=(?]|['\"`]%b['\"`]|\.%b\s*=(?!=)" % (escaped, escaped, escaped)
        return re.search(pattern, text) is not None

    def to_head(self) -> dict[str, Any]:
        """All but the graph, as JSON."""
        return {name: getattr(self, name) for name in _KEPT} | {"size": self.graph.size}

    @classmethod
    def from_head(cls, head: dict[str, Any], graph: Graph) -> Entry:
        """The entry that `to_head` wrote."""
        made = cls(graph)
        for name in _KEPT:
            setattr(made, name, head[name])
        return made


def _text_of(path: str) -> bytes | None:
    archive, mark, inner = path.partition("!/")
    try:
        from briefkit.installed.zips import read_in_zip

        return read_in_zip(archive, inner, _TEXT_LIMIT) if mark else read_bytes(path, _TEXT_LIMIT)
    except UnreadableError:
        return None


def symbol_of(entry: Entry, name: str, member: Member, exported_from: str, note: str | None = None) -> Symbol:
    """The public record of a member under the name a user writes."""
    file = entry.files[member.file] if member.file >= 0 else "node:builtin"
    return Symbol(
        name,
        member.kind,
        member.signature,
        member.summary,
        file,
        member.line,
        member.end_line,
        exported_from,
        member.deprecated,
        note or member.note,
    )

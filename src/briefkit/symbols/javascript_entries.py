"""One entry of a package (itself or a sub-path), read: its run-time exports and its declared ones in one graph."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from briefkit.errors import UnreadableError
from briefkit.installed.node_entries import IMPORT, REQUIRE, resolve_entry
from briefkit.installed.zips import read_in_zip
from briefkit.paths import read_bytes

from .javascript_graph import CLOSED, Graph
from .javascript_modules import Modules
from .javascript_owners import Files, Owners
from .javascript_parsing import SOURCE_LIMIT
from .javascript_realm import deep_calls
from .typescript_files import TypeFiles
from .typescript_types import World

if TYPE_CHECKING:
    from briefkit.packages import Installed

    from .records import PackageFinder


_UNREAD = 40
_KEPT = ("is_default", "files", "runs", "types", "read", "lines", "unread", "stamped")


class Entry:
    """What an entry's questions are answered from; `to_head` and the graph's shards are what is kept.

    `runs` and `types` are owners, or the reason (a text) why there is none; `is_default` says whether the whole module is what a default
    import gives, as in CommonJS.
    """

    __slots__ = (
        "_reading",
        "_texts",
        "files",
        "graph",
        "is_default",
        "lines",
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
        self.is_default = True
        self.read = 0
        self.lines = 0
        self.unread: list[str] = []
        self.stamped: list[str] = []
        self._texts: dict[int, bytes | None] = {}
        self._reading: list[Modules | TypeFiles] = []

    def reads(self, reading: Modules | TypeFiles) -> None:
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
        roots = {
            package.tree.shown("package.json") for reading in self._reading for package in reading.packages.values()
        }
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
        return read_in_zip(archive, inner, SOURCE_LIMIT) if mark else read_bytes(path, SOURCE_LIMIT)
    except UnreadableError:
        return None


def read_entry(installed: Installed, sub_path: str | None, find: PackageFinder) -> Entry:
    """Read an entry: what its code makes, and what its declarations say."""
    entry = Entry(Graph())
    files = Files()
    entry.files = files.paths
    with deep_calls():
        _declared(entry, installed, sub_path, find, files)
        _run_time(entry, installed, sub_path, find, files)
    entry.settle()
    return entry


def _declared(entry: Entry, installed: Installed, sub_path: str | None, find: PackageFinder, files: Files) -> None:
    world = World(TypeFiles(find), entry.graph, files)
    entry.reads(world.files)
    scope = world.files.entry(installed, sub_path)
    entry.types = scope if isinstance(scope, str) else world.root(scope)


def _run_time(entry: Entry, installed: Installed, sub_path: str | None, find: PackageFinder, files: Files) -> None:
    modules = Modules(find)
    entry.reads(modules)
    package = modules.package(installed)
    path = resolve_entry(package.tree, sub_path, REQUIRE) or resolve_entry(package.tree, sub_path, IMPORT)
    if path is None:
        return
    module = modules.module(package, path)
    value = modules.exports(module)
    entry.is_default = not module.esm
    root = Owners(entry.graph, modules.realm, files).root(value)
    entry.runs = "its exports have no names" if root == CLOSED else root

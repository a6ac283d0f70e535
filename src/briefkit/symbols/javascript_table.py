"""The symbol table of an npm package: what exists, what does not, and what cannot be told."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from .javascript_entries import Entry, symbol_of
from .javascript_graph import Found, Member, NotKeptError
from .javascript_paths import Query, parse_query
from .records import ABSENT, EXISTS, UNKNOWN, Answer, Hit, Reach, Symbol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from briefkit.packages import Installed

    from .records import PackageFinder
    from .symbol_store import SymbolStore


class JavaScriptTable:
    """All that one installed npm package offers.

    Nothing is read before the first question. `find` gives the other packages that code and types lead to.
    """

    def __init__(
        self, installed: Installed, *, cache_dir: str | None, find: PackageFinder, digest: str | None = None
    ) -> None:
        self.package = installed
        self._cache_dir = cache_dir
        self._find = find
        self._digest = digest
        self._entries: dict[str | None, Entry] = {}
        self._answers: dict[str, Answer] = {}
        self._symbols: SymbolStore | None = None
        self._cached = True

    @property
    def reach(self) -> Reach:
        """How far the package itself was read."""
        return reach_of(self._entry(None))

    def symbols(self) -> Iterator[Symbol]:
        """Every public symbol of the package's own entry, in order of file and line."""
        return iter(self._store())

    def search(self, words: str, limit: int = 10) -> list[Hit]:
        """The symbols most relevant to a question's words, best first, each with example code that uses its name."""
        return self._store().search(words, limit)

    def answer(self, query: str) -> Answer:
        """Whether the symbol exists; see the contract for how it is addressed."""
        known = self._answers.get(query)
        if known is None:
            if len(self._answers) > 20_000:
                self._answers.clear()
            known = self._answers[query] = self._answered(query)
        return known

    def _answered(self, query: str) -> Answer:
        try:
            return self._answer(query)
        except NotKeptError:
            # The question goes deeper than the kept table: the source is read again, this once.
            self._cached = False
            self._entries.clear()
            return self._answer(query)

    # answering ---------------------------------------------------------------------------------------------------------

    def _entry(self, sub_path: str | None) -> Entry:
        known = self._entries.get(sub_path)
        if known is None:
            known = self._entries[sub_path] = self._opened(sub_path)
        return known

    def _read(self, sub_path: str | None) -> Entry:
        from .javascript_reading import read_entry

        return read_entry(self.package, sub_path, self._find)

    def _opened(self, sub_path: str | None) -> Entry:
        if self._cache_dir is None or not self._cached:
            return self._read(sub_path)
        from .javascript_kept import head_of, keep_entry, kept_entry, path_of

        head = head_of(self.package, sub_path, self._digest)
        path = path_of(self._cache_dir, self.package, sub_path)
        entry = kept_entry(path, head)
        if entry is None:
            entry = self._read(sub_path)
            keep_entry(path, head, entry)
        return entry

    def _store(self) -> SymbolStore:
        if self._symbols is None:
            from .javascript_listing import open_listing

            try:
                self._symbols = open_listing(self._entry(None), self.package, self._cache_dir)
            except NotKeptError:
                self._cached = False
                self._entries.clear()
                self._symbols = open_listing(self._entry(None), self.package, self._cache_dir)
        return self._symbols

    def _answer(self, query: str) -> Answer:
        parsed = parse_query(query, self.package.name)
        entry = self._entry(parsed.sub_path)
        parsed = self._without_package(entry, parsed)
        if not parsed.path:
            return Answer(query, UNKNOWN, (), (), reach_of(entry), "the question names no symbol")
        runs = self._run_time(entry, parsed)
        types = self._look(entry, entry.types, parsed)
        if isinstance(types, Found) and types.member is None and isinstance(runs, Found) and runs.member is not None:
            # What CommonJS puts on the module itself, declarations put on its default.
            types = self._of_default(entry, entry.types, parsed) or types
        exported_from = self.package.name + (f"/{parsed.sub_path}" if parsed.sub_path else "")
        return _Judge(query, parsed, entry, exported_from).judge(runs, types)

    def _without_package(self, entry: Entry, parsed: Query) -> Query:
        """The path without the package's own name before it (`axios.get`), where no export has that name."""
        bare = self.package.name.rpartition("/")[2]
        if len(parsed.path) < 2 or parsed.path[0][0].lower() not in (bare.lower(), _camel(bare).lower()):
            return parsed
        for root in (entry.types, entry.runs):
            if isinstance(root, int) and root >= 0 and entry.graph.look(root, parsed.path[0][0]).member is not None:
                return parsed
        return parsed._replace(path=parsed.path[1:])

    def _run_time(self, entry: Entry, parsed: Query) -> Found | str:
        """What the code says of the path: what `require` gives, and what `import` gives where that is another file."""
        runs = self._look(entry, entry.runs, parsed)
        if entry.imports is None or (isinstance(runs, Found) and runs.member is not None):
            return runs
        imports = self._look(entry, entry.imports, parsed)
        if isinstance(runs, str) or isinstance(imports, str) or imports.member is not None:
            return imports
        if runs.door is not None or imports.door is None:
            return runs if runs.door else imports
        # `require` gives a closed set without the name: `import` may add it only where some file defines the word.
        return Found(None, None, imports.door, tuple(range(len(entry.files))))

    def _look(self, entry: Entry, root: int | str, query: Query) -> Found | str:
        """What a world says of the path; a text where there is no such world."""
        if isinstance(root, str):
            return root
        path = query.path
        found = entry.graph.find(root, path)
        if found.member is None and entry.is_default and path[0][0] == "default":
            own = entry.graph.look(root, "default")
            if own.member is None and own.door is None:
                return entry.graph.find(root, path[1:]) if len(path) > 1 else self._whole(entry, root)
        if found.member is None and found.door is None and path[0][0] != "default":
            inner = entry.graph.look(root, "default").member
            if inner is not None and isinstance(inner.value, int) and inner.value >= 0:
                again = entry.graph.find(inner.value, path)
                return again if again.member is not None and not self._is_alone(entry, root) else found
        return found

    @staticmethod
    def _whole(entry: Entry, root: int) -> Found:
        """What a default import gives of a CommonJS module, in which no line is called that: all that it exports."""
        if root not in (entry.runs, entry.imports) or entry.main < 0:
            return Found(None)
        return Found(Member("module", "module.exports", None, entry.main, 1, 1, None, root))

    @staticmethod
    def _of_default(entry: Entry, root: int | str, parsed: Query) -> Found | None:
        """A path from the default export, where there is one."""
        inner = entry.graph.look(root, "default").member if isinstance(root, int) else None
        if inner is None or not isinstance(inner.value, int) or inner.value < 0:
            return None
        found = entry.graph.find(inner.value, parsed.path)
        return found if found.member is not None or found.door is not None else None

    @staticmethod
    def _is_alone(entry: Entry, root: int) -> bool:
        """Whether a root exports more than its default, so that a bare name means its own exports."""
        return len(entry.graph.owner(root).members) > 3


def _camel(name: str) -> str:
    """`socket.io-client` as code names it: `socketIoClient`."""
    first, *rest = [part for part in name.replace(".", "-").replace("_", "-").split("-") if part] or [name]
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def reach_of(entry: Entry, door: str | None = None) -> Reach:
    """How far an entry was read, and the door that stood open."""
    entry.settle()
    return Reach(entry.read, entry.lines, (door,) if door else (), tuple(entry.unread))


class _Judge:
    """Joins what the two worlds say into one answer."""

    def __init__(self, query: str, parsed: Query, entry: Entry, exported_from: str) -> None:
        self.query = query
        self.parsed = parsed
        self.entry = entry
        self.exported_from = exported_from

    def judge(self, runs: Found | str, types: Found | str) -> Answer:
        """The answer: what either world shows exists; what both deny, every door closed, is absent; the rest is unknown."""
        in_code = runs.member if isinstance(runs, Found) else None
        in_types = types.member if isinstance(types, Found) else None
        if in_code is not None or in_types is not None:
            return self._exists(in_code, in_types, runs, types)
        door = self._door(runs, types) or self._ajar(runs) or self._ajar(types)
        if door is not None:
            return Answer(self.query, UNKNOWN, (), self._nearest(), reach_of(self.entry, door), f"open: {door}")
        reach = reach_of(self.entry)
        *owner, (name, _) = self.parsed.path
        whole = ".".join(part for part, _ in owner) or self.exported_from
        reason = f"{whole} has no {name} ({reach.files} {'file' if reach.files == 1 else 'files'} searched)"
        return Answer(self.query, ABSENT, (), self._nearest(), reach, reason)

    @staticmethod
    def _door(runs: Found | str, types: Found | str) -> str | None:
        """The door that keeps `absent` from being said, None where there is none."""
        if isinstance(runs, Found):
            return runs.door
        if isinstance(types, Found):
            return types.door or (None if runs.startswith("the package has no code") else runs)
        return runs

    def _ajar(self, found: Found | str) -> str | None:
        """A door that instances take names through stays open to a word that the owner's own files define."""
        if isinstance(found, str) or found.ajar is None:
            return None
        word = self.parsed.path[-1][0]
        return found.ajar if any(self.entry.defines(file, word) for file in found.files) else None

    def _exists(self, in_code: Member | None, in_types: Member | None, runs: Found | str, types: Found | str) -> Answer:
        matches = []
        reason = "defined in its code and declared in its types"
        if in_types is not None:
            matches += self._declared(in_types)
        if in_code is not None:
            note = None
            if in_types is None and isinstance(types, Found) and types.door is None:
                note = "not in the types"
                reason = "defined in its code; its types do not declare it"
            elif in_types is None:
                reason = "defined in its code"
            matches.append(self._symbol(in_code, note))
        elif isinstance(runs, Found):
            reason = "declared in its types; not seen in its code"
        else:
            reason = "declared in its types"
        return Answer(self.query, EXISTS, tuple(matches), (), reach_of(self.entry), reason)

    def _declared(self, member: Member) -> list[Symbol]:
        """What the types declare: one symbol for each overload."""
        first = self._symbol(member)
        more = [first._replace(signature=text, line=line, end_line=end) for text, line, end in member.overloads]
        return [first, *more]

    def _symbol(self, member: Member, note: str | None = None) -> Symbol:
        name = ".".join(part for part, _ in self.parsed.path)
        return symbol_of(self.entry, name, member, self.exported_from, note)

    def _nearest(self) -> tuple[Symbol, ...]:
        from .nearest import nearest

        names: dict[str, Member] = {}
        path = self.parsed.path
        for root in (self.entry.runs, self.entry.types):
            if isinstance(root, int):
                names |= self._siblings(root, path[:-1])
        prefix = "".join(part + "." for part, _ in path[:-1])
        if not names:
            prefix = ""
            for root in (self.entry.runs, self.entry.types):
                if isinstance(root, int):
                    names |= self._siblings(root, [])
        chosen = nearest(path[-1][0], names)
        return tuple(symbol_of(self.entry, prefix + name, names[name], self.exported_from) for name in chosen)

    def _siblings(self, root: int, owner: list[tuple[str, bool]]) -> dict[str, Member]:
        graph = self.entry.graph
        plain = [part for part in owner if part[0] != "prototype"]
        at: int | str = root
        if plain:
            member = graph.find(root, plain).member
            at = member.value if member is not None else ""
        if not isinstance(at, int) or at < 0:
            return {}
        found: dict[str, Member] = {}
        instance = graph.instance_of(at)
        for number in (at, instance):
            if number is None:
                continue
            for each in graph.chain(number):
                for name, member in each.members.items():
                    if member.file >= 0:
                        found.setdefault(name, member)
        return found

"""One library as a question sees it: resolved, located, and its symbols, each only as far as it is asked for."""

from __future__ import annotations

import os

from briefkit.errors import AmbiguousNameError
from briefkit.paths import shown_path
from briefkit.records import TYPE_CHECKING
from briefkit.symbols.records import UNKNOWN, Answer, Hit, Reach

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from briefkit.packages import Installed
    from briefkit.projects.project import Project
    from briefkit.projects.resolution import Resolution
    from briefkit.symbols.records import Symbol, SymbolTable


class Library:
    """A library under the name a user gave it.

    `resolutions` is what the project says of it (empty: neither locked nor installed); `installed` the copy that the asking
    directory sees, None where there is none; `table` its symbols. Paths in what it returns are as users see them: relative to
    the repo inside it.
    """

    __slots__ = ("_cache_dir", "_digest", "_project", "_table", "installed", "query", "resolutions")

    def __init__(
        self, project: Project, query: str, resolutions: tuple[Resolution, ...], *, cache_dir: str | None
    ) -> None:
        self._project = project
        self._cache_dir = cache_dir
        self._table: SymbolTable | None = None
        self._digest: str | None = None
        self.query = query
        self.resolutions = resolutions
        self.installed: Installed | None = next((one.copy for one in resolutions if one.copy is not None), None)

    @property
    def resolution(self) -> Resolution | None:
        """The resolution whose source is read: the installed one, else the first; None where there is none."""
        installed = next((one for one in self.resolutions if one.copy is not None), None)
        return installed or next(iter(self.resolutions), None)

    @property
    def name(self) -> str:
        """The real name where it is known, else the name asked for."""
        return self.resolution.name if self.resolution else self.query

    @property
    def ecosystem(self) -> str | None:
        """The ecosystem of what is resolved, None where nothing is."""
        return self.resolution.ecosystem if self.resolution else None

    @property
    def repo(self) -> str:
        """The absolute project root that shown paths are relative to."""
        return self._project.repo

    @property
    def digest(self) -> str | None:
        """The source digest of the installed copy, None where there is none."""
        if self.installed is None:
            return None
        if self._digest is None:
            from .digests import cached_digest

            self._digest = cached_digest(self.installed, self._cache_dir)
        return self._digest

    @property
    def import_names(self) -> tuple[str, ...]:
        """The names under which code imports it."""
        names = [self.name]
        if self.resolution and self.resolution.alias:
            names.append(self.resolution.alias)
        if self.installed:
            names.extend(self.installed.top_levels)
        return tuple(dict.fromkeys(names))

    @property
    def table(self) -> SymbolTable | None:
        """The symbol table of the installed copy, None where nothing is installed."""
        if self._table is None and self.installed is not None:
            from briefkit.symbols.tables import open_table

            self._table = open_table(self.installed, cache_dir=self._cache_dir, find=self._find)
        return self._table

    def _find(self, ecosystem: str, name: str, directory: str) -> Installed | None:
        """The copy of another package that code in a directory sees: where bases and re-exports lead."""
        return self._project.installed(name, ecosystem, directory)

    @property
    def unknown_reason(self) -> str:
        """Why nothing can be said of its symbols, empty where its source is here."""
        if not self.resolutions:
            return f"{self.query} is neither locked nor installed here"
        if self.installed is None:
            return f"{self.name} {self.resolutions[0].version or ''} is locked but its source is not installed".replace(
                "  ", " "
            )
        return ""

    def shown(self, symbol: Symbol) -> Symbol:
        """The symbol with its file as a user sees it."""
        return symbol._replace(file=shown_path(symbol.file, self._project.repo))

    def symbols(self) -> Iterator[Symbol]:
        """Every public symbol; none where the source is not here."""
        if self.table is not None:
            yield from map(self.shown, self.table.symbols())

    def answer(self, query: str) -> Answer:
        """Whether the symbol exists; `unknown` with the reason where the source is not here."""
        if self.table is None:
            return Answer(query, UNKNOWN, (), (), Reach(0, 0), self.unknown_reason)
        answer = self.table.answer(query)
        return answer._replace(
            reason=self._shown_text(answer.reason),
            reach=self._shown_reach(answer.reach),
            matches=tuple(map(self.shown, answer.matches)),
            nearest=tuple(map(self.shown, answer.nearest)),
        )

    def _shown_text(self, text: str) -> str:
        """A text with the paths in it as a user sees them."""
        return text.replace(self._project.repo + os.sep, "")

    def _shown_reach(self, reach: Reach) -> Reach:
        return reach._replace(
            dynamic=tuple(map(self._shown_text, reach.dynamic)), unread=tuple(map(self._shown_text, reach.unread))
        )

    def search(self, words: str, limit: int = 10) -> list[Hit]:
        """The symbols most relevant to the words, best first; none where the source is not here."""
        if self.table is None:
            return []
        return [
            hit._replace(
                symbol=self.shown(hit.symbol),
                examples=tuple(
                    (shown_path(file, self._project.repo), first, last) for file, first, last in hit.examples
                ),
            )
            for hit in self.table.search(words, limit)
        ]

    def package_dict(self) -> dict[str, Any]:
        """The `package` object of `api`."""
        one = self.resolution
        return {
            "query": self.query,
            "ecosystem": one.ecosystem if one else None,
            "name": self.name,
            "version": one.version if one else None,
            "locked_version": one.locked_version if one else None,
            "installed_version": one.installed_version if one else None,
            "state": one.state if one else None,
            "root": shown_path(self.installed.root, self._project.repo) if self.installed else None,
        }

    def to_dict(self) -> dict[str, Any]:
        """The JSON of `api NAME`."""
        return self._dict_of([symbol.to_dict() for symbol in self.symbols()])

    def search_dict(self, hits: list[Hit]) -> dict[str, Any]:
        """The JSON of `api NAME --search`: the symbols found, best first, each with its score."""
        return self._dict_of([{**hit.symbol.to_dict(), "score": round(hit.score, 3)} for hit in hits])

    def _dict_of(self, symbols: list[dict[str, Any]]) -> dict[str, Any]:
        reach = (
            self._shown_reach(self.table.reach) if self.table is not None else Reach(0, 0, (), (self.unknown_reason,))
        )
        return {"package": self.package_dict(), "symbols": symbols, "reach": reach.to_dict()}


def open_library(
    project: Project,
    name: str,
    *,
    importer: str | None = None,
    ecosystem: str | None = None,
    cache_dir: str | None = None,
) -> Library:
    """The library that a name means for a project's directory.

    Raises:
        AmbiguousNameError: The name is in both ecosystems, or a namespace of several distributions.
        UnknownImporterError: No lockfile names the importer.

    """
    resolutions = project.resolve(name, importer=importer, ecosystem=ecosystem)
    ecosystems = sorted({one.ecosystem for one in resolutions})
    if len(ecosystems) > 1:
        ways = " or ".join(f"{one}:{name}" for one in ecosystems)
        raise AmbiguousNameError(f"'{name}' is in both ecosystems", todo=f"Ask for {ways}, or give --ecosystem.")
    from briefkit.projects.location import namespace_owners

    namespace_owners(name, resolutions)
    return Library(project, name, resolutions, cache_dir=cache_dir)

"""The one door to a package's symbols: the language is chosen by the ecosystem that the copy was installed from."""

from __future__ import annotations

from briefkit.names import PYPI
from briefkit.records import TYPE_CHECKING

if TYPE_CHECKING:
    from briefkit.packages import Installed

    from .records import PackageFinder, SymbolTable


def open_table(
    installed: Installed, *, cache_dir: str | None, find: PackageFinder, digest: str | None = None
) -> SymbolTable:
    """The symbol table of one installed package, read from the cache where it still holds, else built and kept.

    `cache_dir` is where tables are kept (None: nowhere); `find` gives the other packages that bases and re-exports lead to;
    `digest` is the source digest where the caller has it. Files that cannot be read are in the table's `reach.unread`.
    """
    if installed.ecosystem == PYPI:
        from .python_table import PythonTable

        return PythonTable(installed, cache_dir=cache_dir, find=find, digest=digest)
    from .javascript_table import JavaScriptTable

    return JavaScriptTable(installed, cache_dir=cache_dir, find=find, digest=digest)

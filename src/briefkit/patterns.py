"""Regular expressions that are compiled when they are first used.

A short answer needs a tenth of the patterns of the modules that it imports, and compiling one costs as much as reading a small file: all of
them together are half of a bare interpreter's start. Type checkers see `re.compile`; at run time a pattern stands in for itself until a method of it
is asked for, and from then on its methods are the compiled pattern's own.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    lazy_pattern = re.compile
else:
    _METHODS = ("match", "fullmatch", "search", "finditer", "findall", "sub", "split")

    class lazy_pattern:  # noqa: N801 - in the place of a function
        """A pattern as `re.compile` gives it. It is no `re.Pattern`: `re.search(pattern, …)` refuses it."""

        def __init__(self, text, flags=0):
            self._text = text
            self._flags = flags

        def __getattr__(self, name):
            """An attribute of the compiled pattern; it is asked for here but once, since its methods become attributes."""
            compiled = re.compile(self._text, self._flags)
            self.__dict__.update({method: getattr(compiled, method) for method in _METHODS})
            return getattr(compiled, name)

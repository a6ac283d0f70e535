"""TOML of unknown origin, parsed within bounds, and typed access to its fields with the place of what is wrong."""

from __future__ import annotations

import re

from briefkit.records import TYPE_CHECKING, NamedTuple

from ..errors import Place, UnreadableError
from ..paths import MEBIBYTE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# The densest TOML (`[{},{},…`) makes a document of 25 times its size; real lockfiles that need this parser have a few mebibytes.
TOML_LIMIT = 16 * MEBIBYTE

# A key of many parts costs the parser the square of their number at every line; no lockfile format has more than four.
_PART = r"""[ \t]*+(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+"""
_MANY_PARTS = rf"\.{_PART}\.{_PART}(?:\.{_PART}){{46}}"  # compiled only where a file needs the parser


def load_toml(text: str, path: str) -> dict[str, Any]:
    """The document of a TOML text.

    Raises:
        UnreadableError: It is not TOML, or over a bound.

    """
    import tomli

    if len(text) > TOML_LIMIT:
        raise UnreadableError(f"{len(text):,} characters of TOML, more than the {TOML_LIMIT:,} read", place=Place(path))
    if re.search(_MANY_PARTS, text) and (found := re.search(_MANY_PARTS, re.sub(_STRINGS, _emptied, text))):
        raise UnreadableError(
            "a key of more than 48 dotted parts", place=Place(path, line_at(found.string, found.start()))
        )
    try:
        return tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        line = getattr(error, "lineno", None)
        reason = getattr(error, "msg", str(error))
        raise UnreadableError(f"not TOML ({reason})", place=Place(path, line)) from None
    except (RecursionError, MemoryError):
        raise UnreadableError("TOML nested too deeply", place=Place(path)) from None
    except ValueError:
        raise UnreadableError("a TOML number with too many digits", place=Place(path)) from None


def line_at(text: str, position: int) -> int:
    """The line, from 1, of a position in the text."""
    return text.count("\n", 0, position) + 1


def header_lines(text: str, name: str) -> list[int]:
    """The line of each `[[name]]` header of a TOML text that parses, in order; headers inside strings do not count."""
    if '"""' in text or "'''" in text:
        text = _without_long_strings(text)
    header = re.compile(rf"""(?m)^[ \t]*\[\[[ \t]*["']?{re.escape(name)}["']?[ \t]*\]\]""")
    return list(_lines_of(header, text))


def _lines_of(pattern: re.Pattern[str], text: str) -> Iterator[int]:
    line, position = 1, 0
    for found in pattern.finditer(text):
        line += text.count("\n", position, found.end())
        position = found.end()
        yield line


_STRINGS = r'''(?s)"""(?:[^"\\]++|\\.|"(?!""))*+"{3,5}|\'\'\'(?:[^']++|'(?!''))*+'{3,5}|"(?:[^"\\\n]++|\\.)*+"|'[^'\n]*+'|#[^\n]*+'''


def _emptied(found: re.Match[str]) -> str:
    """A string or comment reduced to its line ends."""
    return '""' + "\n" * found.group().count("\n") if found.group()[0] != "#" else ""


def _without_long_strings(text: str) -> str:
    """The text with each multi-line string replaced by as many line ends."""

    def blank(found: re.Match[str]) -> str:
        return found.group() if found.group()[:3] not in ('"""', "'''") else '""' + "\n" * found.group().count("\n")

    return re.sub(_STRINGS, blank, text)


class Fields(NamedTuple):
    """A table of a document with the place where it stands, so that a wrong field is named in full."""

    values: dict[str, Any]
    path: str
    line: int | None = None
    key: str = ""

    def error(self, name: str, what: str) -> UnreadableError:
        """The error that says what is wrong with a field."""
        return UnreadableError(what, place=Place(self.path, self.line, f"{self.key}.{name}" if self.key else name))

    def text(self, name: str) -> str | None:
        """A string field, None where it is not there."""
        value = self.values.get(name)
        if value is None or isinstance(value, str):
            return value
        raise self.error(name, f"a string is due, not {kind_of(value)}")

    def required(self, name: str) -> str:
        """A string field that must be there and not be empty."""
        value = self.text(name)
        if not value:
            raise self.error(name, "missing" if value is None else "empty")
        return value

    def flag(self, name: str) -> bool:
        """A boolean field, False where it is not there."""
        value = self.values.get(name, False)
        if isinstance(value, bool):
            return value
        raise self.error(name, f"a boolean is due, not {kind_of(value)}")

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of strings, empty where it is not there."""
        return tuple(self._each(name, str, "strings"))

    def table(self, name: str, line: int | None = None) -> Fields:
        """A table, empty where it is not there."""
        value = self.values.get(name, {})
        if not isinstance(value, dict):
            raise self.error(name, f"a table is due, not {kind_of(value)}")
        return Fields(value, self.path, line or self.line, f"{self.key}.{name}" if self.key else name)

    def tables(self, name: str, lines: list[int] | None = None) -> Iterator[Fields]:
        """A list of tables, each with its line where `lines` has one for each."""
        values = self._each(name, dict, "tables")
        if lines is None or len(lines) != len(values):
            lines = [self.line or 0] * len(values)
        key = f"{self.key}.{name}" if self.key else name
        for index, (value, line) in enumerate(zip(values, lines, strict=True)):
            yield Fields(value, self.path, line or None, f"{key}[{index}]")

    def _each(self, name: str, kind: type, plural: str) -> list[Any]:
        values = self.values.get(name, [])
        if not isinstance(values, list):
            raise self.error(name, f"a list of {plural} is due, not {kind_of(values)}")
        for index, value in enumerate(values):
            if not isinstance(value, kind):
                raise self.error(f"{name}[{index}]", f"a list of {plural} is due, with {kind_of(value)} in it")
        return values


def kind_of(value: object) -> str:
    """What a value is, in the words of TOML and JSON."""
    if value is None:
        return "null"
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list", dict: "a table"}
    return names.get(type(value), "a date")

"""What a command prints: one JSON object or lines of safe text on stdout, talk on stderr."""

from __future__ import annotations

import os
import sys

from briefkit.records import TYPE_CHECKING
from briefkit.text import safe_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from briefkit.errors import BriefkitError

SCHEMA_VERSION = 1
_BOLD, _DIM, _RED, _GREEN, _YELLOW, _END = "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[0m"
_STYLES = {"bold": _BOLD, "dim": _DIM, "red": _RED, "green": _GREEN, "yellow": _YELLOW}


class Output:
    """The two streams of one run, and how they are written to."""

    def __init__(self, *, json: bool = False, quiet: bool = False) -> None:
        self.json = json
        self.quiet = quiet
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")

    def data(self, record: Mapping[str, Any]) -> None:
        """Print one JSON object, with the schema's version first."""
        self.json_line({"schema_version": SCHEMA_VERSION, **record}, indent=2 if sys.stdout.isatty() else None)

    def json_line(self, record: Mapping[str, Any], indent: int | None = None) -> None:
        """Print one JSON value as it is."""
        import json

        sys.stdout.write(
            json.dumps(record, ensure_ascii=False, indent=indent).encode("utf-8", "replace").decode() + "\n"
        )

    def line(self, text: str = "") -> None:
        """Print text for a reader; what a terminal might act on is shown, not sent."""
        sys.stdout.write(safe_text(text) + "\n")

    def say(self, text: str) -> None:
        """Talk on stderr, unless quiet."""
        if not self.quiet:
            sys.stderr.write(safe_text(text) + "\n")

    def styled(self, text: str, style: str) -> str:
        """The text in a style where stdout shows colours; `NO_COLOR` and `FORCE_COLOR` decide first."""
        return text if not self._coloured() else f"{_STYLES[style]}{text}{_END}"

    def styled_line(self, text: str, style: str) -> None:
        """Print one safe line in a style."""
        sys.stdout.write(self.styled(safe_text(text), style) + "\n")

    def error(self, error: BriefkitError) -> None:
        """One line on stderr; with `--json` also an object on stdout, so that a program need not read two streams."""
        sys.stderr.write(safe_text(str(error)) + "\n")
        if self.json:
            place = error.place
            self.data(
                {
                    "error": {
                        "kind": type(error).__name__,
                        "message": str(error),
                        "path": place.path if place else None,
                        "line": place.line if place else None,
                        "key": place.key if place else None,
                    }
                }
            )

    def hang_up(self) -> None:
        """Stop writing to a reader that is gone, without a traceback at exit."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    @staticmethod
    def _coloured() -> bool:
        if os.environ.get("NO_COLOR"):
            return False
        return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()

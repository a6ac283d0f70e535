"""The platforms a lockfile of npm's world says a package is for, read off the lines of its entry.

The managers write them each in their own way (`"os": ["darwin"]`, `os: [darwin]`, `conditions: os=darwin & cpu=x64`), always inside the
entry. They matter only for the few packages that are locked and not installed, so no reading carries them.
"""

from __future__ import annotations

import os
import sys

from briefkit.patterns import lazy_pattern
from briefkit.records import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_LINES = 400
_FIELDS = ("os", "cpu", "libc")
_LISTED = lazy_pattern(
    r"""(?m)(?:^|[\s{,"])(os|cpu|libc)"?[ \t]*:[ \t]*(?:\[([^\]]*)\]|"([^"]*)"|([a-z0-9!_-]+)[ \t]*$|((?:\s*\n[ \t]*-[ \t]*\S+)+))"""
)
_CONDITION = lazy_pattern(r"(?m)^\s*\"?conditions\"?:[ \t]*(.+)$")
_TERM = lazy_pattern(r"(!?)(os|cpu|libc)=([a-z0-9_-]+)")
_WORD = lazy_pattern(r"!?[a-z0-9_-]+")
_CPUS = {
    "x86_64": "x64",
    "amd64": "x64",
    "aarch64": "arm64",
    "arm64": "arm64",
    "i386": "ia32",
    "i686": "ia32",
    "armv7l": "arm",
    "armv6l": "arm",
    "ppc64le": "ppc64",
    "loongarch64": "loong64",
}


class Platform(NamedTuple):
    """The values of `os`, `cpu` and `libc`, as node spells them: those a package is for (`!` before one: not for it), or a host's."""

    os: tuple[str, ...] = ()
    cpu: tuple[str, ...] = ()
    libc: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The limits as one reads them: `os: darwin, cpu: arm64`."""
        parts = zip(_FIELDS, self, strict=True)
        return ", ".join(f"{field}: {' or '.join(values)}" for field, values in parts if values)

    def admits(self, host: Platform) -> bool:
        """Whether a host is one that the package is for."""
        return all(_admits(wanted, is_there) for wanted, is_there in zip(self, host, strict=True))


def platform_limits(lines: Sequence[str], line: int) -> Platform:
    """The platforms that the entry beginning at a line (from 1) of a lockfile's lines is for; empty where it states none."""
    block = _block(lines, line)
    found: dict[str, tuple[str, ...]] = {}
    if condition := _CONDITION.search(block):
        for negated, field, value in _TERM.findall(condition.group(1)):
            found[field] = (*found.get(field, ()), negated + value)
    else:
        for match in _LISTED.finditer(block):
            stated = next((group for group in match.groups()[1:] if group is not None), "")
            found.setdefault(match.group(1), tuple(_WORD.findall(stated.replace("\n", " ").replace("- ", " "))))
    return Platform(*(found.get(field, ()) for field in _FIELDS))


def this_host() -> Platform:
    """The host's own values."""
    machine = os.uname().machine if hasattr(os, "uname") else os.environ.get("PROCESSOR_ARCHITECTURE", "")
    machine = machine.lower()
    libc = (("musl" if _has_musl() else "glibc"),) if sys.platform.startswith("linux") else ()
    return Platform((sys.platform,), (_CPUS.get(machine, machine),), libc)


def _has_musl() -> bool:
    try:
        return any(name.startswith("ld-musl-") for name in os.listdir("/lib"))
    except OSError:
        return False


def _admits(wanted: tuple[str, ...], host: tuple[str, ...]) -> bool:
    if not host or any(f"!{value}" in wanted for value in host):
        return not host
    positive = [value for value in wanted if not value.startswith("!")]
    return not positive or "any" in positive or any(value in positive for value in host)


def _block(lines: Sequence[str], line: int) -> str:
    """The lines of the entry that begins at a line: it, and those after it that are indented deeper."""
    if not 0 < line <= len(lines):
        return ""
    first = lines[line - 1]
    indent = len(first) - len(first.lstrip())
    block = [first]
    for content in lines[line : line + _MOST_LINES]:
        if content.strip() and len(content) - len(content.lstrip()) <= indent:
            break
        block.append(content)
    return "\n".join(block)

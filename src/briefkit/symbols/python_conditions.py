"""Which branch of an `if` runs: for type checkers alone, for another Python version, for another platform, or who knows."""

from __future__ import annotations

import re
import sys

from .python_facts import ALWAYS, OTHER_PLATFORM, OTHER_VERSION, SOMETIMES, TYPING_ONLY

NEVER = -1  # a script's own part, and what is switched off by a constant

_TYPE_CHECKING = re.compile(r"(?:[A-Za-z_]\w*\.)?TYPE_CHECKING")
_VERSION = re.compile(r"sys\.version_info(?:\[:\d\])?\s*(>=|<=|<|>|==|!=)\s*\(\s*(\d+)\s*,?\s*(\d+)?[\s\w,.\"']*\)")
_MAJOR = re.compile(r"sys\.version_info(?:\[0\]|\.major)\s*(>=|<=|<|>|==|!=)\s*(\d+)")
_PLATFORM = re.compile(r"sys\.platform\s*(==|!=)\s*[\"'](\w+)[\"']|sys\.platform\.startswith\([\"'](\w+)[\"']\)")
_MAIN = re.compile(r"__name__\s*==\s*[\"']__main__[\"']")


def branches(condition: str, python: tuple[int, int] | None) -> tuple[int, int]:
    """The conditions under which the branch runs, and the `else` of it: constants of `python_facts`, or `NEVER`."""
    text = condition.strip()
    while text.startswith("(") and text.endswith(")") and text.count("(") == 1:
        text = text[1:-1].strip()
    if text.startswith("not "):
        inner = text[4:].strip()
        if _TYPE_CHECKING.fullmatch(inner):
            return ALWAYS, TYPING_ONLY
    if _TYPE_CHECKING.fullmatch(text):
        return TYPING_ONLY, ALWAYS
    if text in ("False", "0", "None"):
        return NEVER, ALWAYS
    if text in ("True", "1"):
        return ALWAYS, NEVER
    if _MAIN.fullmatch(text):
        return NEVER, ALWAYS
    if text.startswith(("TYPE_CHECKING or ", "typing.TYPE_CHECKING or ")):
        return SOMETIMES, SOMETIMES
    if text.startswith(("TYPE_CHECKING and ", "typing.TYPE_CHECKING and ")):
        return TYPING_ONLY, ALWAYS
    return _by_host(text, python)


def _by_host(text: str, python: tuple[int, int] | None) -> tuple[int, int]:
    taken = _version_holds(text, python)
    if taken is not None:
        return (ALWAYS, OTHER_VERSION) if taken else (OTHER_VERSION, ALWAYS)
    found = _PLATFORM.fullmatch(text)
    if found is not None:
        sign, name, start = found.groups()
        here = sys.platform.startswith(start) if start else (sys.platform == name) == (sign == "==")
        return (ALWAYS, OTHER_PLATFORM) if here else (OTHER_PLATFORM, ALWAYS)
    return SOMETIMES, SOMETIMES


def _version_holds(text: str, python: tuple[int, int] | None) -> bool | None:
    """Whether a comparison of the Python version holds, None where it is none or the version is not known."""
    found = _VERSION.fullmatch(text)
    if found is not None and python is not None:
        sign, major, minor = found.groups()
        wanted = (int(major),) if minor is None else (int(major), int(minor))
        # (3, 11, 4) > (3, 11) and == never: a third number is always there
        mine: tuple[int, ...] = (*python, 0)
        return _compare(sign, mine[: len(wanted)] if "[:" in text else mine, wanted)
    found = _MAJOR.fullmatch(text)
    if found is not None:
        return _compare(found.group(1), ((python or (3, 0))[0],), (int(found.group(2)),))
    return None


def _compare(sign: str, mine: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    return {
        ">=": mine >= wanted,
        "<=": mine <= wanted,
        "<": mine < wanted,
        ">": mine > wanted,
        "==": mine == wanted,
        "!=": mine != wanted,
    }[sign]


def both(outer: int, inner: int) -> int:
    """The condition of a branch within a branch: the one that keeps it from running most surely."""
    order = (ALWAYS, SOMETIMES, OTHER_PLATFORM, OTHER_VERSION, TYPING_ONLY, NEVER)
    return max(outer, inner, key=order.index)

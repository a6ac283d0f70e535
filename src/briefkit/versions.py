"""Semantic versions and the ranges over them, as TypeScript and npm write them (`>=4.2 <5 || ^6.1`)."""

from __future__ import annotations

import re

from briefkit.patterns import lazy_pattern
from briefkit.records import NamedTuple

_NUMBER = r"(\d+|[xX*])"
_PARTIAL = lazy_pattern(
    rf"{_NUMBER}(?:\.{_NUMBER}(?:\.{_NUMBER}(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?)?)?$", re.ASCII
)
_COMPARATOR = lazy_pattern(r"(~|\^|<=|<|>=|>|=)?\s*([0-9A-Za-z*+.-]+)$", re.ASCII)
_HYPHEN = lazy_pattern(r"\s*([0-9A-Za-z*+.-]+)\s+-\s+([0-9A-Za-z*+.-]+)\s*$", re.ASCII)
_OPERATOR_GAP = lazy_pattern(r"(~|\^|<=|<|>=|>|=)\s+")
_WILD = ("*", "x", "X")
_LIMIT = 1000


class Semver(NamedTuple):
    """A version in the order of semver: a release stands above its pre-releases, numbers below words."""

    major: int
    minor: int
    patch: int
    release: bool
    pre: tuple[tuple[int, int, str], ...]


def semver(text: str) -> Semver | None:
    """The version that a text states in full or in part (`5.9` is 5.9.0), None where it states none."""
    found = _partial(text.strip().removeprefix("v"))
    return None if found is None or "*" in found.parts[:1] else found.version


def satisfies(version: Semver, range_text: str) -> bool:
    """Whether the version is in the range; a text that is no range holds nothing."""
    alternatives = _alternatives(range_text)
    return alternatives is not None and any(
        all(_holds(version, operator, operand) for operator, operand in comparators) for comparators in alternatives
    )


class _Partial(NamedTuple):
    version: Semver
    parts: tuple[str, str, str]

    def wild_at(self) -> int:
        """The first part that is left open: 0 the major, 1 the minor, 2 the patch, 3 none."""
        return self.parts.index("*") if "*" in self.parts else 3


_Comparators = list[tuple[str, Semver]]


def _partial(text: str) -> _Partial | None:
    found = _PARTIAL.match(text) if len(text) <= _LIMIT else None
    if found is None:
        return None
    parts: list[str] = []
    for part in found.group(1, 2, 3):
        parts.append("*" if part is None or part in _WILD or parts[-1:] == ["*"] else part)
    if any(len(part) > 15 for part in parts):
        return None
    numbers = [0 if part == "*" else int(part) for part in parts]
    pre = tuple(_identifier(part) for part in (found.group(4) or "").split(".") if part)
    return _Partial(Semver(numbers[0], numbers[1], numbers[2], not pre, pre), (parts[0], parts[1], parts[2]))


def _identifier(text: str) -> tuple[int, int, str]:
    return (0, int(text), "") if text.isascii() and text.isdigit() and len(text) <= 15 else (1, 0, text)


def _next(version: Semver, part: int, *, first_pre: bool = False) -> Semver:
    """The version with that part raised and those after it zero; or the lowest pre-release of it."""
    numbers = [version.major, version.minor, version.patch]
    raised = [*numbers[:part], numbers[part] + 1, 0, 0, 0]
    found = Semver(raised[0], raised[1], raised[2], release=True, pre=())
    return _lowest(found) if first_pre else found


def _lowest(version: Semver) -> Semver:
    return version._replace(release=False, pre=((0, 0, ""),))


def _alternatives(text: str) -> list[_Comparators] | None:
    if len(text) > _LIMIT:
        return None
    alternatives: list[_Comparators] = []
    for part in text.split("||"):
        comparators = _conjunction(part.strip())
        if comparators is None:
            return None
        alternatives.append(comparators)
    return alternatives


def _conjunction(text: str) -> _Comparators | None:
    hyphen = _HYPHEN.match(text)
    if hyphen is not None:
        return _between(_partial(hyphen.group(1)), _partial(hyphen.group(2)))
    comparators: _Comparators = []
    for simple in _OPERATOR_GAP.sub(r"\1", text).split():
        found = _COMPARATOR.match(simple)
        bound = None if found is None else _partial(found.group(2).removeprefix("v"))
        if found is None or bound is None:
            return None
        comparators += _bounds(found.group(1) or "=", bound)
    return comparators


def _between(low: _Partial | None, high: _Partial | None) -> _Comparators | None:
    if low is None or high is None:
        return None
    bounds: _Comparators = [] if low.wild_at() == 0 else [(">=", low.version)]
    wild = high.wild_at()
    if wild == 3:
        bounds.append(("<=", high.version))
    elif wild:
        bounds.append(("<", _next(high.version, wild - 1)))
    return bounds


def _bounds(operator: str, bound: _Partial) -> _Comparators:
    version, wild = bound.version, bound.wild_at()
    if wild == 0:
        return [("<", _lowest(version))] if operator in "<>" else []
    if operator == "~":
        return [(">=", version), ("<", _next(version, 0 if wild == 1 else 1))]
    if operator == "^":
        part = 0 if version.major or wild == 1 else 1 if version.minor or wild == 2 else 2
        return [(">=", version), ("<", _next(version, part))]
    if wild == 3:
        return [(operator, version)]
    above = _next(version, wild - 1, first_pre=True)
    if operator == "=":
        return [(">=", _lowest(version)), ("<", above)]
    if operator in ("<", ">="):
        return [(operator, _lowest(version))]
    return [("<" if operator == "<=" else ">=", above)]


def _holds(version: Semver, operator: str, operand: Semver) -> bool:
    if operator == "<":
        return version < operand
    if operator == "<=":
        return version <= operand
    if operator == ">":
        return version > operand
    return version >= operand if operator == ">=" else version == operand

"""Dependency specifiers inside lockfiles (PEP 508 strings, Poetry's constraints): split into parts, and asked whether they allow a version."""

from __future__ import annotations

import re

from briefkit.patterns import lazy_pattern
from briefkit.records import NamedTuple

from ..names import PypiName, pypi_name
from ..text import public_url

_REQUIREMENT = lazy_pattern(
    r"\s*+([A-Za-z0-9][A-Za-z0-9._-]*+)\s*+(?:\[([^\]]*+)\]\s*+)?(?:@\s*([^\s;]\S*)|\(?([^;()]*)\)?)\s*(?:;\s*(.*))?"
)
_SCP_USER = lazy_pattern(r"^((?:[a-z]+\+)?)[^/@\s]+@(?=[^/@\s]+:)")
_LONGEST = 4_096
_LONGEST_VERSION = 256


class DependencyParts(NamedTuple):
    """A dependency string's parts; `requirement` is its specifier, or `@ URL`."""

    name: PypiName
    extras: tuple[str, ...]
    requirement: str | None
    marker: str | None


def dependency_parts(text: str) -> DependencyParts | None:
    """The parts of a PEP 508 string; None where it is none."""
    found = _REQUIREMENT.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        return None
    name, extras, url, specifier, marker = found.groups()
    if url:
        requirement: str | None = f"@ {plain_url(url)}"
    else:
        requirement = (specifier or "").strip() or None
    return DependencyParts(pypi_name(name), split_extras(extras), requirement, (marker or "").strip() or None)


def plain_url(url: str) -> str:
    """The URL without credentials, also where it is of the form `user@host:path`."""
    return public_url(_SCP_USER.sub(r"\1", url))


def split_extras(text: str | None) -> tuple[str, ...]:
    """The extras between brackets, normalised."""
    return tuple(pypi_name(extra.strip()) for extra in text.split(",") if extra.strip()) if text else ()


def specifier_allows(version: str, specifier: str) -> bool:
    """Whether a PEP 440 specifier allows a version; False where either is none."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet
    from packaging.version import InvalidVersion

    if len(version) > _LONGEST_VERSION or len(specifier) > _LONGEST:
        return False
    try:
        return SpecifierSet(specifier).contains(version, prereleases=True)
    except (InvalidSpecifier, InvalidVersion):
        return False


def constraint_allows(version: str, constraint: str) -> bool:
    """Whether one of Poetry's constraints (`^1.2`, `~1.2`, `1.*`, `>=1,<2 || >3`) allows a version; False where either is none."""
    return any(_all_allow(version, part) for part in re.split(r"\|\|?", constraint[:_LONGEST]))


_CARET = lazy_pattern(r"\s*+(\^|~(?!=)|)\s*+(\d++(?:\.\d++)*+)(\S*+)\s*+")


def _all_allow(version: str, constraint: str) -> bool:
    parts = [part.strip() for part in re.split(r",|(?<!\s)\s++(?=[<>=!~^])", constraint.strip()) if part.strip()]
    specifiers = []
    for part in parts:
        found = _CARET.fullmatch(part)
        specifiers.append(
            part if part != "*" and found is None else "" if found is None else _specifier(*found.groups())
        )
    return specifier_allows(version, ",".join(one for one in specifiers if one))


def _specifier(operator: str, digits: str, rest: str) -> str:
    """The PEP 440 form of a caret, tilde or bare version."""
    if not operator:
        return f"=={digits}{rest}"
    numbers = [int(one) for one in digits.split(".")]
    if operator == "~":
        keep = 2 if len(numbers) > 1 else 1
    else:
        keep = next((place for place, number in enumerate(numbers, 1) if number), len(numbers))
    upper = [*numbers[: keep - 1], numbers[keep - 1] + 1]
    return f">={digits}{rest},<{'.'.join(map(str, upper))}"

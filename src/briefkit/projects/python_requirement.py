"""One requirement of a manifest, taken apart only as far as an answer needs: its name, what it asks for, its marker."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..names import PypiName, pypi_name

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[([^\]]*)\])?\s*(.*)", re.DOTALL)
_MAX = 4_000


class Requirement(NamedTuple):
    """A requirement: the name as written, its extras, the specifier or URL as written (may be empty), its marker."""

    name: str
    extras: tuple[str, ...]
    specifier: str
    marker: str | None

    @property
    def key(self) -> PypiName:
        """The normalised name."""
        return pypi_name(self.name)


def parsed_requirement(text: str) -> Requirement | None:
    """The parts of a PEP 508 requirement; None where the text names no distribution."""
    found = _REQUIREMENT.fullmatch(text[:_MAX])
    if found is None:
        return None
    name, extras, rest = found.groups()
    mark = r"\s;" if rest.startswith("@") else ";"
    parts = re.split(mark, rest, maxsplit=1)
    specifier = parts[0].strip()
    if specifier.startswith("@"):
        from ..text import public_url

        specifier = "@ " + public_url(specifier[1:].strip())
    if specifier.startswith("(") and specifier.endswith(")"):
        specifier = specifier[1:-1].strip()
    if specifier and specifier[0] not in "<>=!~@":
        return None
    names = tuple(extra.strip() for extra in (extras or "").split(",") if extra.strip())
    return Requirement(name, names, specifier, parts[1].strip() if len(parts) > 1 else None)

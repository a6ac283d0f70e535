"""How pnpm names things: the keys of `packages` and `snapshots`, and the references that lead to them.

Until lockfile version 5 a key is `/name/1.0.0_peers`, in 6 it is `/name@1.0.0(peers)`, from 7 on `name@1.0.0(peers)`; what comes from
no registry is named by its address. A reference is a version with the same suffix, or for an alias a whole key.
"""

from __future__ import annotations

import re

from briefkit.patterns import lazy_pattern
from briefkit.records import NamedTuple

SEMVER = lazy_pattern(r"\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?")
_NAMED_REGISTRY = lazy_pattern(r"(?!file:|link:|workspace:|git:|npm:)[A-Za-z][A-Za-z0-9._-]*:(" + SEMVER.pattern + ")")
_UNTIL_5 = lazy_pattern(r"(?:[^/@_][^/]*)?/((?:@[^/]+/)?[^/@]+)/([^/_(]+)([_(].*)?", re.DOTALL)


class Key(NamedTuple):
    """What a key says: name and version, None where it does not; `ref` the version slot, `suffix` peers and patch."""

    name: str | None
    version: str | None
    ref: str
    suffix: str


def split_suffix(key: str) -> tuple[str, str]:
    """A key or reference and its suffix: the balanced brackets it ends with."""
    if not key.endswith(")"):
        return key, ""
    start = key.find("(")
    if ":" not in key[:start]:  # a version has no brackets of its own; a path or address may
        return key[:start], key[start:]
    depth, cut = 0, len(key)
    for at in range(len(key) - 1, -1, -1):
        if key[at] == ")":
            depth += 1
        elif key[at] == "(":
            depth -= 1
        if depth == 0:
            if key[at] != "(":
                break
            cut = at
            if at and key[at - 1] != ")":
                break
    return key[:cut], key[cut:]


def parse_key(key: str, major: int) -> Key:
    """What a key of `packages` or `snapshots` says."""
    if major < 6 and (found := _UNTIL_5.fullmatch(key)) and SEMVER.fullmatch(found.group(2)):
        return Key(found.group(1), found.group(2), found.group(2), found.group(3) or "")
    base, suffix = split_suffix(key.removeprefix("/"))
    at = base.find("@", 1)
    if at < 0 or "/" in base[:at].partition("/")[2] or ":" in base[:at]:
        return Key(None, None, base, suffix)
    name, ref = base[:at], base[at + 1 :]
    if SEMVER.fullmatch(ref):
        return Key(name, ref, ref, suffix)
    named = _NAMED_REGISTRY.fullmatch(ref)
    return Key(name, named.group(1) if named else None, ref, suffix)


def key_candidates(alias: str, ref: str, major: int) -> tuple[str, ...]:
    """The keys that a reference under this name can mean, the likeliest first."""
    if major < 6:
        return (
            (f"/{alias}/{ref}", ref, f"/{alias}@{ref}")
            if "/" not in ref.partition("(")[0]
            else (ref, f"/{alias}/{ref}")
        )
    if major == 6:
        return (
            (f"/{alias}@{ref}", ref) if "/" not in ref.partition("(")[0] else (ref, f"/{alias}@{ref}", f"{alias}@{ref}")
        )
    at = ref.find("@")
    if at == 0 or 0 < at < min(_find(ref, ":"), _find(ref, "(")):
        return (ref, f"{alias}@{ref}")
    return (f"{alias}@{ref}", ref, f"/{alias}@{ref}")


def _find(text: str, character: str) -> int:
    at = text.find(character)
    return len(text) if at < 0 else at

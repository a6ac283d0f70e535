"""The pseudo-extras that uv writes into markers for extras and groups declared as conflicting, taken out again.

`extra == 'extra-8-root-app-new'` says: while the extra `new` of `root-app` is active. No environment knows such an extra, so a
marker is shown, and evaluated, as it reads for those choices of extras that are allowed: at most one of each conflicting set.
"""

from __future__ import annotations

import re
from itertools import product

_PSEUDO = re.compile(r"extra [!=]= ['\"](?:extra|group|project)-\d+-")
_TOKEN = re.compile(r"\s*(\(|\)|\band\b|\bor\b|(?:'[^']*'|\"[^\"]*\"|[^\s()'\"]+))")
_MOST_CHOICES = 64
_DEEPEST = 60

NEVER = "python_version < '0'"

Conflicts = tuple[tuple[tuple[str, str], ...], ...]
Choice = dict[str, bool]
Tree = tuple[str, object] | bool
"""A marker: `("atom", text)`, `("and" | "or", list of trees)`, or a known truth."""


def pseudo_extra(package: str, name: str, kind: str) -> str:
    """The name that uv gives in markers to an extra or group of a package: `extra-8-root-app-new`."""
    return f"{kind}-{len(package)}-{package}-{name}"


def without_pseudo_extras(marker: str, conflicts: Conflicts, active: str | None = None) -> str | None:
    """The marker for the allowed choices of extras, of which `active` is one.

    None where it always holds, NEVER where no allowed choice lets it hold. A marker that cannot be read is None; where the choices
    are too many, all and none stand for them.
    """
    tree = _parsed(marker)
    if tree is None:
        return None
    shown: dict[str, None] = {}
    for choice in _choices(tree, conflicts, active):
        known = _with(tree, choice)
        if known is True:
            return None
        if known is not False:
            shown[_written(known)] = None
    return " or ".join(f"({one})" if len(shown) > 1 else one for one in shown) or NEVER


def _choices(tree: Tree, conflicts: Conflicts, active: str | None) -> list[Choice]:
    """Which pseudo-extras are active, for each allowed choice; those in no conflicting set are free."""
    names = sorted(_names(tree) | ({active} if active else set()))
    sets = [
        [
            name
            for name in names
            if name in {pseudo_extra(package, item, kind) for package, item in one for kind in ("extra", "group")}
        ]
        for one in conflicts
    ]
    free = [[name] for name in names if not any(name in one for one in sets)]
    options = [[None, *one] for one in (*(one for one in sets if one), *free)]
    size = 1
    for option in options:
        size *= len(option)
    if size > _MOST_CHOICES:
        return [dict.fromkeys(names, True), dict.fromkeys(names, False)]
    choices = [{name: name in chosen for name in names} for chosen in product(*options)]
    return [choice for choice in choices if choice.get(active, True)] if active in names else choices


def _parsed(marker: str) -> Tree | None:
    tokens = [found.group(1) for found in _TOKEN.finditer(marker)]
    try:
        tree, rest = _either(tokens, 0, 0)
    except (IndexError, ValueError):
        return None
    return tree if rest == len(tokens) else None


def _either(tokens: list[str], at: int, depth: int) -> tuple[Tree, int]:
    return _joined(tokens, at, depth, "or")


def _joined(tokens: list[str], at: int, depth: int, word: str) -> tuple[Tree, int]:
    parts = []
    while True:
        part, at = _joined(tokens, at, depth, "and") if word == "or" else _one(tokens, at, depth)
        parts.append(part)
        if at >= len(tokens) or tokens[at] != word:
            return (parts[0] if len(parts) == 1 else (word, parts)), at
        at += 1


def _one(tokens: list[str], at: int, depth: int) -> tuple[Tree, int]:
    if depth > _DEEPEST:
        raise ValueError("a marker nested too deeply")
    if tokens[at] == "(":
        tree, at = _either(tokens, at + 1, depth + 1)
        if tokens[at] != ")":
            raise ValueError("a parenthesis that does not close")
        return tree, at + 1
    words = []
    while at < len(tokens) and tokens[at] not in ("and", "or", "(", ")"):
        words.append(tokens[at])
        at += 1
    if not words:
        raise ValueError("nothing where a comparison is due")
    return ("atom", " ".join(words)), at


def _names(tree: Tree) -> set[str]:
    if isinstance(tree, bool):
        return set()
    kind, inner = tree
    if kind == "atom":
        found = _pseudo(str(inner))
        return {found[0]} if found else set()
    return set().union(*(_names(part) for part in _parts(inner)))


def _pseudo(atom: str) -> tuple[str, bool] | None:
    """The pseudo-extra that a comparison names, and whether it asks for it to be active."""
    if not _PSEUDO.match(atom):
        return None
    _, operator, name = atom.split(" ", 2)
    return name[1:-1], operator == "=="


def _with(tree: Tree, choice: Choice) -> Tree:
    """The tree with the pseudo-extras known, and made as small as that allows."""
    if isinstance(tree, bool):
        return tree
    kind, inner = tree
    if kind == "atom":
        found = _pseudo(str(inner))
        return tree if found is None else choice.get(found[0], False) == found[1]
    absorbing = kind == "or"
    parts: list[Tree] = []
    for part in _parts(inner):
        known = _with(part, choice)
        if known is absorbing:
            return absorbing
        if not isinstance(known, bool) and known not in parts:
            parts.append(known)
    if not parts:
        return not absorbing
    return parts[0] if len(parts) == 1 else (kind, parts)


def _written(tree: Tree, outer: str = "or") -> str:
    if isinstance(tree, bool):
        return str(tree)
    kind, inner = tree
    if kind == "atom":
        return str(inner)
    text = f" {kind} ".join(_written(part, kind) for part in _parts(inner))
    return f"({text})" if kind == "or" and outer == "and" else text


def _parts(inner: object) -> list[Tree]:
    assert isinstance(inner, list)
    return inner

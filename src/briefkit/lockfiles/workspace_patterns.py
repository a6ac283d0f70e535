"""Workspace patterns (`packages/*`, `apps/**`, `!packages/old`), and the folders that a list of them owns."""

from __future__ import annotations

MAX_ALTERNATIVES = 64


def owns(folder: str, patterns: list[str]) -> bool:
    """Whether the patterns, read in order, take the folder in; one that begins with `!` takes it out again."""
    owned = False
    parts = folder.split("/")
    for pattern in patterns:
        negated = pattern.startswith("!")
        if negated == owned and _matches(parts, pattern.removeprefix("!")):
            owned = not negated
    return owned


def _matches(parts: list[str], pattern: str) -> bool:
    pattern = pattern.removeprefix("./").rstrip("/")
    return any(_parts_match(parts, choice.split("/")) for choice in _alternatives(pattern))


def _alternatives(pattern: str) -> list[str]:
    """The pattern without braces, once for each choice that `{a,b}` leaves; too many are cut off."""
    done: list[str] = []
    todo = [pattern]
    while todo and len(done) + len(todo) <= MAX_ALTERNATIVES:
        text = todo.pop()
        opening = text.find("{")
        closing = text.find("}", opening)
        if opening < 0 or closing < 0:
            done.append(text)
        else:
            todo += [text[:opening] + choice + text[closing + 1 :] for choice in text[opening + 1 : closing].split(",")]
    return done


def _parts_match(parts: list[str], pattern: list[str]) -> bool:
    """Whether path parts match pattern parts, `**` for any number of them; two rows of a table, so no pattern makes it slow."""
    reached = [True] + [False] * len(parts)
    for piece in pattern[:MAX_ALTERNATIVES]:
        following = [False] * (len(parts) + 1)
        for place, open_here in enumerate(reached):
            if piece == "**":
                following[place] = open_here or (place > 0 and following[place - 1])
            elif open_here and place < len(parts) and _part_matches(parts[place], piece):
                following[place + 1] = True
        reached = following
    return reached[-1]


def _part_matches(part: str, pattern: str) -> bool:
    """Whether one path part matches a pattern of literal text and `*`."""
    head, *rest = pattern.split("*")
    if not rest:
        return part == pattern
    if not part.startswith(head):
        return False
    at = len(head)
    for piece in rest[:-1]:
        found = part.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return part.endswith(rest[-1]) and len(part) - len(rest[-1]) >= at

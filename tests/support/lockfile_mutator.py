"""Damaged lockfiles: random mutations of a text, and the check that a reader answers each or refuses it clearly, in time."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

from briefkit.errors import BriefkitError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from briefkit.lockfiles.reading import LockfileReading

SECONDS = 2.0

_TOKENS = (
    "", '"', "'", "{", "}", "[", "]", "(", ")", ":", "=", ",", "#", "\\", "\n", "\r\n", "\t", "\0", "\ufeff", "\u2028", "\ud800",
    "null", "true", "-1", "1e999", "NaN", "9" * 5000, "[" * 500, "{" * 500, '{"a":' * 200, "a." * 200, "- " * 100, "? ", "&a ", "*a",
    "!!python/object:os.system", "<<: *a", "---\n", "...\n", "<<<<<<< ours\n", "=======\n", ">>>>>>> theirs\n", '"""', "'''", "%YAML 2.0",
    "../../etc", "\x1b[31m", "@", "==", ";", "npm:", "workspace:", "git+ssh://user:token@host/", "__proto__", " " * 3000, "x" * 20_000,
)  # fmt: skip


def mutations(text: str, seed: int, count: int) -> Iterator[str]:
    """`count` damaged forms of a text, the same for the same seed."""
    chance = random.Random(seed)
    for _ in range(count):
        mutant = text
        for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
            mutant = chance.choice(_MUTATIONS)(mutant, chance)
        yield mutant


def problem_of(read: Callable[[str], LockfileReading], text: str) -> str | None:
    """What is wrong with how a reader takes a text: an error that is not briefkit's, one of several lines, or too long a time."""
    begun = time.process_time()
    try:
        reading = read(text)
        reading.to_dict()
        _ = reading.instances, reading.importers, reading.patterns, reading.packages_named("left-pad")
    except BriefkitError as error:
        if "\n" in str(error) or len(str(error)) > 2000:
            return f"an error of {len(str(error))} characters: {str(error)[:200]!r}"
    except Exception as error:  # noqa: BLE001 - that nothing else escapes is what is checked
        return f"{type(error).__name__}: {str(error)[:200]}"
    taken = time.process_time() - begun
    return f"{taken:.1f} s" if taken > SECONDS else None


def _span(text: str, chance: random.Random, longest: int) -> tuple[int, int]:
    start = chance.randrange(len(text) + 1)
    return start, min(len(text), start + chance.randint(1, longest))


def _delete(text: str, chance: random.Random) -> str:
    start, end = _span(text, chance, chance.choice((1, 5, 80, 2000)))
    return text[:start] + text[end:]


def _insert(text: str, chance: random.Random) -> str:
    place = chance.randrange(len(text) + 1)
    return text[:place] + chance.choice(_TOKENS) + text[place:]


def _replace(text: str, chance: random.Random) -> str:
    start, end = _span(text, chance, chance.choice((1, 3, 20)))
    return text[:start] + chance.choice(_TOKENS) + text[end:]


def _flip(text: str, chance: random.Random) -> str:
    if not text:
        return text
    place = chance.randrange(len(text))
    return text[:place] + chr(ord(text[place]) ^ (1 << chance.randrange(7))) + text[place + 1 :]


def _repeat(text: str, chance: random.Random) -> str:
    start, end = _span(text, chance, chance.choice((10, 300, 3000)))
    return text[:end] + text[start:end] * chance.choice((1, 2, 10)) + text[end:]


def _truncate(text: str, chance: random.Random) -> str:
    return text[: chance.randrange(len(text) + 1)]


def _move_lines(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return "\n".join(lines)


def _drop_line(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    del lines[chance.randrange(len(lines))]
    return "\n".join(lines)


def _indent(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    place = chance.randrange(len(lines))
    lines[place] = chance.choice(("  ", "\t", " ")) + lines[place]
    return "\n".join(lines)


def _conflict(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    place = chance.randrange(len(lines))
    end = min(len(lines), place + chance.randint(1, 5))
    other = [line.replace("1", "2").replace("a", "b") for line in lines[place:end]]
    lines[place:end] = ["<<<<<<< HEAD", *lines[place:end], "=======", *other, ">>>>>>> branch"]
    return "\n".join(lines)


def _line_ends(text: str, chance: random.Random) -> str:
    return text.replace("\n", chance.choice(("\r\n", "\r", "\n\n", "\n ")))


_MUTATIONS: tuple[Callable[[str, random.Random], str], ...] = (
    _delete, _delete, _insert, _insert, _replace, _replace, _flip, _flip, _repeat, _truncate, _move_lines, _drop_line, _indent,
    _conflict, _line_ends,
)  # fmt: skip

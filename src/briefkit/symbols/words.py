"""Identifiers and sentences split into words, and words brought to a common stem; no word list knows any library."""

from __future__ import annotations

import re
from functools import lru_cache

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_a-zA-Z]+")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")

# Words of a question that say nothing about what is asked for.
STOP_WORDS = frozenset(
    [
        "a",
        "about",
        "all",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "been",
        "being",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "doing",
        "each",
        "for",
        "from",
        "had",
        "has",
        "have",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "me",
        "my",
        "need",
        "of",
        "on",
        "one",
        "or",
        "our",
        "out",
        "please",
        "should",
        "so",
        "some",
        "such",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "to",
        "us",
        "using",
        "use",
        "used",
        "uses",
        "want",
        "was",
        "way",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "why",
        "will",
        "with",
        "without",
        "would",
        "you",
        "your",
        "version",
        "pinned",
        "library",
        "package",
        "api",
        "method",
        "function",
        "call",
        "called",
        "calls",
        "exist",
        "exists",
        "right",
        "does",
        "correct",
    ]
)
# Words of a sentence that say little, and yet stand in names (`findOne`, `to_json`): they count, but lightly.
LIGHT_WORDS = frozenset(
    [
        "all",
        "any",
        "as",
        "at",
        "by",
        "each",
        "every",
        "from",
        "get",
        "has",
        "in",
        "into",
        "is",
        "make",
        "new",
        "no",
        "not",
        "of",
        "off",
        "on",
        "one",
        "only",
        "out",
        "over",
        "single",
        "to",
        "two",
        "under",
        "until",
        "up",
        "with",
        "without",
    ]
)
# Words that carry no subject in most sentences, and much in a name.
NAMING_WORDS = frozenset(("find", "many", "first", "last", "before", "after", "between", "set"))
_SUFFIXES = (
    ("ization", "ize"),
    ("isation", "ize"),
    ("ational", "ate"),
    ("fulness", "ful"),
    ("ations", "ate"),
    ("ation", "ate"),
    ("ators", "ate"),
    ("ator", "ate"),
    ("ings", ""),
    ("ing", ""),
    ("ied", "y"),
    ("ies", "y"),
    ("ers", ""),
    ("ed", ""),
    ("er", ""),
    ("ors", ""),
    ("or", ""),
    ("ions", ""),
    ("ion", ""),
    ("ments", ""),
    ("ment", ""),
    ("able", ""),
    ("ly", ""),
    ("es", ""),
    ("s", ""),
)
_SHORTEST_STEM = 3


@lru_cache(maxsize=65536)
def split_words(name: str) -> tuple[str, ...]:
    """The words of an identifier in lower case: `bulkCreate`, `bulk_create` and `BULK_CREATE` give `("bulk", "create")`."""
    return tuple(part.lower() for part in _PARTS.findall(name))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word without its grammatical ending: `inserting`, `inserted` and `inserts` give `insert`."""
    if len(word) <= _SHORTEST_STEM:
        return word
    for suffix, instead in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_STEM and not word.endswith("ss"):
            return _bare(word[: -len(suffix)] + instead)
    return _bare(word)


def _bare(base: str) -> str:
    """Without a doubled last consonant and a mute `e`, so that `stopped` meets `stop` and `creating` meets `create`."""
    if len(base) > _SHORTEST_STEM and base[-1] == base[-2] and base[-1] not in "aeiouls":
        base = base[:-1]
    return base[:-1] if base.endswith("e") and len(base) > _SHORTEST_STEM else base


def stems_of(name: str) -> tuple[str, ...]:
    """The stems of an identifier's words, in order."""
    return tuple(stem(word) for word in split_words(name))


def identifiers(text: str) -> list[str]:
    """Every identifier-like run of a text, in order."""
    return _IDENTIFIER.findall(text)

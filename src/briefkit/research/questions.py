"""A question taken apart: what it asks for, which symbols it names, which words carry it.

English is read by its grammar alone. No list here holds a library's name: which libraries there are, the project says.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from briefkit.symbols.words import LIGHT_WORDS, NAMING_WORDS

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

QUESTION_LIMIT = 2000

# Words that carry no subject. A question's remaining words are searched for.
_STOP_WORDS = frozenset(
    """a about above after again all already also am an and any anybody anyone anything anywhere are as at available be because been
    before being best between both but by call called calls can cannot could currently did do does doing done down each else
    ever every everywhere exist exists existing existed find for from function functions further get's give given goes going good
    had happen happens has have having he her here how i if in installed instead into is it its itself just know let library like lib
    make many me method methods might mine module more most must my need needs no nor not now of off on once one only or other our
    ours out over own package page per pinned please possible properly really repo repository code codebase project right same say
    see set-up shall she should show so some somehow somewhere such take than that the their them then there these they thing things
    this those through to too under until up us use used uses using version versions very via want was way ways we were what
    when where whether which while who whom whose why will with within without would write you your api apis class classes
    wrap wraps wrapped wrapper wrappers helper helpers latest correct correctly proper recommended idiomatic since changed change""".split()  # noqa: SIM905 - forty lines of quotes read worse
)
_REPO_WORDS = re.compile(
    r"\b(?:already|repo|repository|codebase|our\s+(?:own\s+)?(?:code|project|app|helpers?|wrappers?)|wrap(?:s|ped|pers?|ping)?|helpers?|"
    r"(?:this|the)\s+(?:project|app|application)|existing\s+(?:code|functions?|helpers?|wrappers?))\b",
    re.IGNORECASE,
)
_REPO_VERBS = re.compile(
    r"\b(?:wrap(?:s|ped|pers?|ping)?|helpers?|already|somewhere|anywhere|existing|in\s+(?:our|the|this)\s+(?:repo|code\w*|project))\b",
    re.IGNORECASE,
)
_EXIST_WORDS = re.compile(
    r"\b(?:exists?|existing|existed|available|is\s+there|are\s+there|does\s+\S+\s+have|has|support(?:s|ed)?|still|removed|real|provide[sd]?|offers?)\b",
    re.IGNORECASE,
)
_CHANGE_WORDS = re.compile(
    r"\b(?:chang(?:e[sd]?|ed|ing|elog)|since|deprecat\w+|remov(?:ed|al)|added|introduced|new\s+in|breaking|upgrad\w+|migrat\w+|renamed|release\s+notes)\b",
    re.IGNORECASE,
)
_VERSION_WORDS = re.compile(
    r"\b(?:which|what|exact|current|pinned|locked|installed)\s+version\b(?!\s+(?:of\s+\S+\s+)?(?:do|does|introduced|added|removed))",
    re.IGNORECASE,
)
_HOW_WORDS = re.compile(
    r"\bhow\b|\bwhat(?:'s|\s+is)\s+the\s+(?:\w+\s+){0,2}way\b|\bwhich\s+(?:function|method|class|call|api)\b",
    re.IGNORECASE,
)

_TICKED = re.compile(r"`([^`\n]{1,200})`")
_URL = re.compile(r"\bhttps?://\S+")
_IDENTIFIER = r"[A-Za-z_$][\w$]*"
# A path of names (a.b, A#b, a::b is not one), a call, or a name with its case or underscores showing that it is code.
_DOTTED = re.compile(rf"(?<![\w$./@-])({_IDENTIFIER}(?:(?:\.|#){_IDENTIFIER})+)(\(\s*[^()\n]*\))?(?![\w$-]|[/.#][\w$])")
_CALL = re.compile(rf"(?<![\w$./@#-])({_IDENTIFIER})\(\s*[^()\n]*\)")
_CASED = re.compile(rf"(?<![\w$./@#-])({_IDENTIFIER})(?![\w$(/-]|\.[\w$])")
_SUBPATH = re.compile(rf"(?<![\w$./-])((?:@[\w.-]+/)?[\w.-]+(?:/[\w.-]+)*:{_IDENTIFIER}(?:[.#]{_IDENTIFIER})*)")
_FILE_ENDING = re.compile(
    r"\.(?:[cm]?[jt]sx?|pyi?|json|ya?ml|toml|md|txt|lock|html?|css|sql|env|cfg|ini|sh|rs|go|java)$", re.IGNORECASE
)
_ABBREVIATION = re.compile(r"^(?:e\.g|i\.e|etc|vs|a\.k\.a|[A-Za-z]\.[A-Za-z])$", re.IGNORECASE)
# A preposition that nothing follows led to what was left out.
_LEADING = frozenset(("with", "in", "from", "of", "on", "by", "at", "to", "into", "as"))
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9+#]*(?:['’][a-z]+)?|\d+(?:\.\d+)+")
_INNER_CASE = re.compile(r"^(?:[a-z$_]+[a-z0-9]*[A-Z]|[A-Z][a-z0-9]+[A-Z]|[A-Za-z0-9]+_[A-Za-z0-9_]+|_+[A-Za-z])")


class Question(NamedTuple):
    """One question: its text on one line, the symbols it names, its content words, and what it asks for.

    `about_repo` it asks what the repo itself has; `existence` whether a symbol is there; `changes` what became of something;
    `version` which version; `how` how something is done.
    """

    text: str
    symbols: tuple[str, ...]
    words: tuple[str, ...]
    about_repo: bool
    existence: bool
    changes: bool
    version: bool
    how: bool


def read_question(text: str) -> Question:
    """The parts of a question; the text is folded to one line of at most 2,000 characters."""
    line = " ".join(unicodedata.normalize("NFKC", text).split())[:QUESTION_LIMIT]
    plain = _URL.sub(" ", line)
    symbols = _symbols_of(plain)
    about_repo = bool(_REPO_WORDS.search(plain) and _REPO_VERBS.search(plain))
    return Question(
        text=line,
        symbols=symbols,
        words=_content_words(plain, symbols),
        about_repo=about_repo,
        existence=bool(symbols) and _EXIST_WORDS.search(plain) is not None,
        changes=_CHANGE_WORDS.search(plain) is not None,
        version=_VERSION_WORDS.search(plain) is not None,
        how=_HOW_WORDS.search(plain) is not None,
    )


def mentions(question: str) -> tuple[str, ...]:
    """Every text in the question that could be a package's name, as written, ticked ones first."""
    ticked = [_strip_call(found) for found in _TICKED.findall(question)]
    bare = re.findall(r"@?[A-Za-z0-9][\w.@/~-]*", _URL.sub(" ", question).replace("`", " "))
    return tuple(dict.fromkeys([*ticked, *(word.rstrip(".,/@-") for word in bare)]))


def ticked(question: str) -> frozenset[str]:
    """What the question quotes as code."""
    return frozenset(_strip_call(found) for found in _TICKED.findall(question))


def _symbols_of(line: str) -> tuple[str, ...]:
    """The names that are written as code, in the question's order."""
    found: list[tuple[int, str]] = []
    for match in _TICKED.finditer(line):
        name = _strip_call(match.group(1))
        if re.fullmatch(
            rf"(?:@[\w.-]+/)?[\w./-]*:?{_IDENTIFIER}(?:[.#]{_IDENTIFIER})*", name
        ) and not _FILE_ENDING.search(name):
            found.append((match.start(), name))
    rest = _TICKED.sub(lambda match: " " * len(match.group()), line)
    for pattern in (_SUBPATH, _DOTTED, _CALL):
        for match in pattern.finditer(rest):
            name = match.group(1)
            if not _FILE_ENDING.search(name) and not _ABBREVIATION.match(name) and not _is_prose(name):
                found.append((match.start(), name))
        rest = pattern.sub(lambda match: " " * len(match.group()), rest)
    found += [(match.start(), match.group(1)) for match in _CASED.finditer(rest) if _INNER_CASE.match(match.group(1))]
    return tuple(dict.fromkeys(name for _, name in sorted(found)))


def _is_prose(name: str) -> bool:
    """Two sentences run together ("done.Then") are no path of names: a stop word on either side of the dot."""
    parts = re.split(r"[.#]", name)
    return any(part.lower() in _STOP_WORDS and part[:1].isupper() for part in parts[1:])


def _strip_call(text: str) -> str:
    return re.sub(r"\(.*\)?;?$", "", text.strip()).strip()


def _content_words(line: str, symbols: Iterable[str]) -> tuple[str, ...]:
    """The words a search should be about: no stop words, no symbols (they are looked up, not searched)."""
    for symbol in symbols:
        line = line.replace(symbol, " ")
    words = [word.lower().replace("’", "'").removesuffix("'s") for word in _WORD.findall(line.replace("`", " "))]
    return tuple(dict.fromkeys(word for word in words if len(word) > 1 and word not in _STOP_WORDS))


def search_words(question: Question, own: Container[str]) -> tuple[str, ...]:
    """The words that a search for symbols should be about, in order: the content words, and those that say little but stand in names.

    `own` are words of the library's own name; they say nothing within it, nor do the prepositions that lead to them.
    """
    line = _URL.sub(" ", question.text)
    for symbol in question.symbols:
        line = line.replace(symbol, " ")
    found: list[str] = []
    for match in _WORD.finditer(line.replace("`", " ")):
        word = match.group().lower().replace("’", "'").removesuffix("'s")
        if word in own:
            while found and found[-1] in LIGHT_WORDS:
                found.pop()
        elif word in LIGHT_WORDS or word in NAMING_WORDS or (len(word) > 1 and word not in _STOP_WORDS):
            found.append(word.upper() if match.group().isupper() else word)
    while found and found[-1] in _LEADING:
        found.pop()
    return tuple(dict.fromkeys(found))


def is_stop_word(word: str) -> bool:
    """Whether a word carries no subject in a question."""
    return word.lower() in _STOP_WORDS

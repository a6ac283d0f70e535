"""Words that programmers use one for the other, and their short forms: general English of programming, no library's words."""

from __future__ import annotations

from functools import lru_cache

from .words import stem

# Verbs and quantities that mean much the same in names.
_KINDRED = (
    "batch bulk many multi multiple all mass group",
    "create insert upsert add new make append put build register",
    "delete remove destroy drop erase discard unset clear purge",
    "get fetch find read load retrieve lookup select query search",
    "update upsert modify set edit change patch write save store assign",
    "upsert merge",
    "list all index enumerate iterate",
    "start begin open init initialize setup launch run",
    "stop end close finish shutdown terminate exit quit",
    "send post emit publish dispatch push submit request",
    "receive subscribe listen pull consume accept",
    "check validate verify test assert ensure is has",
    "parse decode deserialize unmarshal loads from",
    "format encode serialize marshal dumps dump to stringify render",
    "count size length len total number",
    "first head top one single",
    "last tail bottom",
    "copy clone duplicate",
    "combine join concat concatenate merge",
    "split divide partition chunk",
    "async aio concurrent",
    "error exception failure fault",
    "config configuration settings options params parameters",
    "max maximum highest",
    "min minimum lowest",
)
# The same, but for a search alone: wider, since a sentence says in many ways what a name says in one.
_WIDER = (
    "upload put send store write save",
    "download get fetch read save",
    "run execute exec perform invoke call launch",
    "convert to as from cast transform into",
    "print echo show display write output log render",
    "define declare create make new",
    "require demand need must",
    "raise throw abort fail reject",
    "generate create make random new",
    "connect open dial",
    "serve listen start",
    "cancel abort stop",
    "safe secure safely",
    "without no not skip omit exclude",
    "compute calculate evaluate",
    "compare equal match",
    "wait sleep delay",
    "handle on catch process",
    "limit throttle cap",
    "current now present",
    "turn convert change",
    "attach add bind mount",
    "nested deep deeply recursive",
    "difference between diff subtract since",
    "style color",
    "mock fake stub",
    "forbid disallow deny strict",
    "ask prompt confirm",
    "keep persist store retain",
    "middleware use plugin",
    "dictionary dict map object",
)
# A word and how names shorten it, or spell it.
_SHORT = (
    "dictionary dict",
    "document doc",
    "database db",
    "message msg",
    "command cmd",
    "argument arg",
    "parameter param",
    "directory dir folder",
    "environment env",
    "attribute attr",
    "expression expr",
    "function func fn",
    "object obj",
    "authentication authenticate auth",
    "authorization authorize auth",
    "temporary temp tmp",
    "reference ref",
    "number num",
    "string str text",
    "integer int",
    "boolean bool",
    "difference diff",
    "synchronous sync",
    "asynchronous async",
    "response res",
    "request req",
    "identifier id uuid",
    "concatenate concat",
    "maximum max",
    "minimum min",
    "average mean avg",
    "execute exec",
    "configuration config conf",
    "initialize init",
    "colour color",
    "previous prev",
    "source src",
    "destination dest dst",
    "expiry expire expiration ttl",
    "websocket ws",
    "email mail",
    "elements element",
)
_KIN_WEIGHT, _WIDER_WEIGHT, _SHORT_WEIGHT = 0.55, 0.5, 0.9


def kin_rows() -> dict[str, set[int]]:
    """Stem -> the rows of kindred words it stands in."""
    rows: dict[str, set[int]] = {}
    for row, words in enumerate(_KINDRED):
        for word in words.split():
            rows.setdefault(stem(word), set()).add(row)
    return rows


@lru_cache(maxsize=1)
def _kin() -> dict[str, dict[str, float]]:
    """Stem -> the stems that may stand for it, each with its weight."""
    found: dict[str, dict[str, float]] = {}
    for table, weight in ((_KINDRED, _KIN_WEIGHT), (_WIDER, _WIDER_WEIGHT), (_SHORT, _SHORT_WEIGHT)):
        for row in table:
            stems = [stem(word) for word in row.split()]
            for one in stems:
                others = found.setdefault(one, {})
                for other in stems:
                    if other != one:
                        others[other] = max(others.get(other, 0.0), weight)
    return found


def kin_of(base: str) -> dict[str, float]:
    """The stems that may stand for a stem, each with how well it does (below 1)."""
    return _kin().get(base, {})

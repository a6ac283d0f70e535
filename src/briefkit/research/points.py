"""What is said of a symbol, a version, a wrapper: one line of Markdown each, in the brief's words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from briefkit.briefs.quotes import flags_of
from briefkit.symbols.records import ABSENT
from briefkit.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from briefkit.projects.resolution import Resolution
    from briefkit.symbols.records import Answer, Symbol

    from .wrappers import Wrapper

SIGNATURE_LIMIT = 240
CALL_LIMIT = 120
_WITHHELD = "[withheld: it reads as an instruction]"
_STATES = {
    "agree": "installed: agree",
    "disagree": "installed: disagree",
    "not-installed": "not installed",
    "not-locked": "not locked",
    "not-for-this-platform": "not for this platform",
    "conflicted": "conflicted",
}


def version_point(resolution: Resolution) -> str:
    """Which version, with the lockfile's line and whether the installed one agrees."""
    name = f"`{resolution.name}`" + (f" (as `{resolution.alias}`)" if resolution.alias else "")
    proof = resolution.decided_by
    at = f"{proof.file} line {proof.line}" if proof.line else proof.file
    state = _STATES.get(resolution.state, resolution.state)
    if resolution.version is None:
        return f"The version of {name} is not known here: {state} ({at})."
    if resolution.state == "disagree":
        locked = resolution.locked_by
        where = f"{locked.file} line {locked.line}" if locked and locked.line else "the lockfile"
        return (
            f"Installed version of {name} is {resolution.version} ({at}), but {where} pins {resolution.locked_version}: "
            f"they disagree; what is said here is of the installed one."
        )
    if resolution.state == "not-locked":
        return f"Installed version of {name} is {resolution.version} ({at}; not locked)."
    locked = resolution.locked_by or proof
    at = f"{locked.file} line {locked.line}" if locked.line else locked.file
    return f"Pinned version of {name} is {resolution.version} ({at}; {state})."


def other_versions_point(resolution: Resolution) -> str | None:
    """Which other versions there are and who uses them; None where this is the only one."""
    if not resolution.other_versions:
        return None
    others = "; ".join(
        f"{other.version or '?'} by {', '.join(other.used_by[:3]) or 'nobody known'}"
        for other in resolution.other_versions[:4]
    )
    return f"Other versions in this repo: {others}."


def call_form(symbol: Symbol) -> str:
    """The symbol as it is called: its path with the names of its parameters, without types; the bare path of what is no function."""
    if symbol.kind not in ("function", "method", "class"):
        return symbol.name
    names = parameter_names(symbol.signature)
    if names is None:
        return symbol.name
    text = f"{symbol.name}({', '.join(names)})"
    return text if len(text) <= CALL_LIMIT else f"{symbol.name}(…)"


def parameter_names(signature: str) -> list[str] | None:
    """The parameters' names of a signature in either language, None where it has no list of them."""
    inner = _first_brackets(signature)
    if inner is None:
        return None
    names = []
    for part in _split_top(inner):
        text = re.sub(r"^(?:(?:public|private|protected|readonly|override)\s+)*", "", part.strip())
        found = re.match(r"(\*{0,2}|\.\.\.)([A-Za-z_$][\w$]*)", text)
        if found is None:
            names.append("…" if text[:1] in "{[" else text[:1])
        elif found.group(2) not in ("this", "self", "cls"):
            names.append(found.group())
    return [name for name in names if name]


def _first_brackets(signature: str) -> str | None:
    """What stands in the first round brackets that are not inside angle brackets."""
    angle = 0
    for start, sign in enumerate(signature):
        if sign == "<":
            angle += 1
        elif sign == ">" and signature[start - 1 : start] != "=":
            angle = max(angle - 1, 0)
        elif sign == "(" and angle == 0:
            end = _closing(signature, start)
            return None if end is None else signature[start + 1 : end]
    return None


def _closing(text: str, start: int) -> int | None:
    depth = 0
    for at in range(start, len(text)):
        if text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            depth -= 1
            if depth == 0:
                return at
    return None


def _split_top(text: str) -> list[str]:
    """The text split at commas that stand in no bracket and no string."""
    parts: list[str] = []
    depth = start = 0
    quote = ""
    for at, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote and text[at - 1] != "\\" else quote
        elif sign in "'\"`":
            quote = sign
        elif sign in "([{<":
            depth += 1
        elif sign in ")]}" or (sign == ">" and text[at - 1 : at] not in ("=", "-")):
            depth -= 1
        elif sign == "," and depth <= 0:
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    return [part for part in parts if part.strip()]


def symbol_point(symbol: Symbol, lead: str = "", *, whole: bool = True) -> str:
    """A symbol: how it is called, what it is, its declared signature (with `whole`), and what a reader must know of it."""
    form = call_form(symbol)
    facts = [symbol.kind]
    if symbol.exported_from:
        facts.append(f"exported from `{one_line(symbol.exported_from, 80)}`")
    if symbol.deprecated is not None:
        facts.append("DEPRECATED" + (f": {_quoted(symbol.deprecated, 120)}" if symbol.deprecated else ""))
    if symbol.note:
        facts.append(symbol.note)
    text = f"{lead}`{_code(form)}` ({', '.join(facts)})"
    if whole and symbol.signature and symbol.signature != form and not _suspect(symbol.signature):
        text += f", declared as `{_code(symbol.signature)}`"
    return text + "."


def exists_point(answer: Answer) -> str:
    """That a symbol exists, and as what."""
    symbol = answer.matches[0]
    asked = "" if symbol.name == answer.query else f"`{_code(answer.query)}` exists: "
    return symbol_point(symbol, asked) if asked else symbol_point(symbol).replace("` (", "` exists (", 1)


def absent_point(answer: Answer) -> str:
    """That a symbol does not exist, how far was searched, and what is nearest."""
    nearest = ", ".join(f"`{_code(symbol.name)}`" for symbol in answer.nearest[:4])
    return (
        f"`{_code(answer.query)}` does NOT exist in this version ({answer.reach.files} files searched). "
        f"{f'Nearest: {nearest}.' if nearest else 'Nothing in it resembles the name.'}"
    )


def unknown_point(answer: Answer) -> str:
    """That nothing can be said of a symbol, and why."""
    nearest = ", ".join(f"`{_code(symbol.name)}`" for symbol in answer.nearest[:4])
    tail = f" Nearest: {nearest}." if nearest else ""
    return f"Whether “{one_line(answer.query, 120)}” exists is unknown: {one_line(answer.reason, 240)}.{tail}"


def parameter_point(answer: Answer, takers: Sequence[Symbol]) -> str:
    """That a name which is not found as a symbol is a parameter, and whose."""
    forms = ", ".join(f"`{_code(call_form(symbol))}`" for symbol in takers)
    if answer.answer == ABSENT:
        alone = f"does NOT exist as a symbol in this version ({answer.reach.files} files searched): it is"
    else:
        alone = "is not known as a symbol; it is"
    return f"`{_code(answer.query)}` {alone} a parameter of {forms}."


def source_points(symbols: Sequence[Symbol]) -> list[str]:
    """Where symbols are defined, one point with each place once; none of what is compiled and has no line."""
    places = dict.fromkeys(place_of(symbol) for symbol in symbols if symbol.file and symbol.line > 0)
    return ["Source: " + ", ".join(places)] if places else []


def place_of(symbol: Symbol) -> str:
    """`file lines a-b`, as a citation is written."""
    return lines_of(symbol.file, symbol.line, symbol.end_line)


def lines_of(file: str, first: int, last: int) -> str:
    """A citation of lines of a file."""
    quoted = f"`{file}`" if re.search(r"[\s,;:()]", file) else file
    return f"{quoted} line {first}" if last <= first else f"{quoted} lines {first}-{last}"


def wrapper_points(wrapper: Wrapper) -> list[str]:
    """A wrapper with its place, and its callers with theirs."""
    function = wrapper.function
    place = lines_of(function.file, function.line, function.end_line)
    inside = lines_of(wrapper.at.file, wrapper.at.line, wrapper.at.line)
    form = _code(function_form(wrapper))
    points = [f"The repo already has `{form}` ({place}): it calls `{_code(wrapper.wraps)}` ({inside})."]
    if wrapper.callers:
        places = ", ".join(lines_of(call.file, call.line, call.line) for call in wrapper.callers[:6])
        more = f" and {len(wrapper.callers) - 6} more" if len(wrapper.callers) > 6 else ""
        points.append(f"`{function.name}` is called from {places}{more}.")
    else:
        points.append(f"Nothing else in the repo calls “{function.name}” yet.")
    return points


def function_form(wrapper: Wrapper) -> str:
    """A wrapper as it is called, with its parameters' names."""
    names = parameter_names(wrapper.function.header)
    return wrapper.function.name + (f"({', '.join(names)})" if names is not None else "()")


def _quoted(text: str, limit: int) -> str:
    """A package's own words, on one line, marked as such; nothing in them can end the marks, and what reads as an instruction is withheld."""
    if _suspect(text):
        return "“" + _WITHHELD + "”"
    return "“" + one_line(text.replace("“", '"').replace("”", '"').replace("`", "'"), limit) + "”"


def _suspect(text: str) -> bool:
    """Whether code reads as an instruction; `Promise<object>` looks like hidden markup and is none."""
    return any(flag != "hidden-text" for flag in flags_of(text))


def _code(text: str) -> str:
    """Text that stands between backticks; a name that reads as an instruction is withheld."""
    if _suspect(text):
        return _WITHHELD
    return one_line(text.replace("`", "'"), SIGNATURE_LIMIT)

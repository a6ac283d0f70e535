"""Strings: names are made of them before they become exports."""

from __future__ import annotations

import re

from briefkit.records import TYPE_CHECKING

from .javascript_builtins import first
from .javascript_values import UNDEFINED, Obj, Prop, Union, Unknown, Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from .javascript_realm import Realm

_SUBJECT_LIMIT = 300
_PATTERN_LIMIT = 80
# Only patterns that cannot take more than quadratic time: no quantified group, no more than two quantifiers.
_PLAIN_PATTERN = re.compile(
    r"(?:\\[wWdDsSb.\-/$^]|\[(?:\\.|[^\]\\])*\]|\((?:\?:)?|\)(?![*+?{])|[^\\()\[\]{}*+?]|(?<!\()[*+?])*"
)


def sliced(items: list[Value] | str, given: list[Value]) -> Value:
    """A part of a text or a list, as `slice` takes it."""
    start, end = first(given), first(given, 1)
    if type(start) is Unknown or type(end) is Unknown:
        return [Unknown("a part of a list")] if isinstance(items, list) else Unknown("a part of a text")
    begin = int(start) if isinstance(start, (int, float)) else 0
    finish = int(end) if isinstance(end, (int, float)) else None
    return items[begin:finish]


def install_strings(realm: Realm) -> None:
    """`String.prototype`."""
    table: dict[str, Callable[[str, list[Value]], Value]] = {
        "toLowerCase": lambda text, _given: text.lower(),
        "toUpperCase": lambda text, _given: text.upper(),
        "toLocaleLowerCase": lambda text, _given: text.lower(),
        "toLocaleUpperCase": lambda text, _given: text.upper(),
        "trim": lambda text, _given: text.strip(),
        "toString": lambda text, _given: text,
        "valueOf": lambda text, _given: text,
        "charAt": lambda text, given: (
            text[first(given)] if _index(first(given), text) else text[:1] if not given else ""
        ),
        "slice": sliced,
        "substring": _substring,
        "substr": _substr,
        "concat": lambda text, given: _concat_text(realm, text, given),
        "startsWith": lambda text, given: _tested(text, given, str.startswith),
        "endsWith": lambda text, given: _tested(text, given, str.endswith),
        "includes": lambda text, given: _tested(text, given, str.__contains__),
        "indexOf": lambda text, given: text.find(given[0]) if given and type(given[0]) is str else Unknown("a place"),
        "lastIndexOf": lambda text, given: (
            text.rfind(given[0]) if given and type(given[0]) is str else Unknown("a place")
        ),
        "split": lambda text, given: _split(realm, text, given),
        "replace": lambda text, given: _replaced(realm, text, given, every=False),
        "replaceAll": lambda text, given: _replaced(realm, text, given, every=True),
        "repeat": lambda text, given: text * first(given) if _index(first(given), "x" * 500) else Unknown("a text"),
        "match": lambda text, given: _matched(realm, text, first(given)),
        "search": lambda _text, _given: Unknown("where a text matches"),
        "charCodeAt": lambda text, given: ord(text[first(given)]) if _index(first(given), text) else Unknown("a code"),
        "codePointAt": lambda text, given: ord(text[first(given)]) if _index(first(given), text) else Unknown("a code"),
        "padStart": lambda text, _given: Unknown(text),
        "padEnd": lambda text, _given: Unknown(text),
    }
    for name, native in table.items():
        realm.string_proto.props[name] = Prop(realm.native(name, _on_text(native)), enumerable=False)
    realm.regex_proto.props["test"] = Prop(realm.native("test", _tests), enumerable=False)
    realm.regex_proto.props["exec"] = Prop(
        realm.native(
            "exec",
            lambda this, given: (
                _matched(realm, first(given), this) if type(first(given)) is str else Unknown("a match")
            ),
        ),
        enumerable=False,
    )


def _on_text(native: Callable[[str, list[Value]], Value]) -> Callable[[Value, list[Value]], Value]:
    return lambda this, given: native(this, given) if type(this) is str else Unknown("a text that is computed")


def _index(value: Value, text: str) -> bool:
    return type(value) is int and 0 <= value < len(text)


def _substring(text: str, given: list[Value]) -> Value:
    bounds = [value for value in given[:2] if isinstance(value, (int, float))]
    if len(bounds) != len(given[:2]):
        return Unknown("a part of a text")
    low, high = sorted(
        [max(int(bounds[0]), 0) if bounds else 0, max(int(bounds[1]), 0) if len(bounds) > 1 else len(text)]
    )
    return text[low:high]


def _substr(text: str, given: list[Value]) -> Value:
    start, count = first(given), first(given, 1)
    if not isinstance(start, int) or type(count) in (Unknown, Union):
        return Unknown("a part of a text")
    begin = max(len(text) + start, 0) if start < 0 else start
    return text[begin : begin + count] if isinstance(count, int) else text[begin:]


def _concat_text(realm: Realm, text: str, given: list[Value]) -> Value:
    parts = [realm.text_of(value) for value in given]
    return Unknown("a text that is computed") if None in parts else text + "".join(part or "" for part in parts)


def _tested(text: str, given: list[Value], test: Callable[[str, str], bool]) -> Value:
    value = first(given)
    return test(text, value) if type(value) is str else Unknown("a test")


def _split(realm: Realm, text: str, given: list[Value]) -> Value:
    by = first(given)
    if by is UNDEFINED:
        return realm.array([text])
    if type(by) is str:
        return realm.array(list(text) if by == "" else list(text.split(by)))
    pattern = _pattern_of(by)
    if pattern is None or len(text) > _SUBJECT_LIMIT:
        return Unknown("the parts of a text")
    return realm.array([part for part in pattern[0].split(text) if part is not None])


def _pattern_of(value: Value) -> tuple[re.Pattern[str], bool] | None:
    """A regular expression as Python's, where it is so plain that no text makes it slow; and whether it is global."""
    if type(value) is not Obj or value.kind != "regex":
        return None
    body, _, flags = value.items[1:].rpartition("/")
    counted = sum(body.count(mark) for mark in "*+?")
    if len(body) > _PATTERN_LIMIT or counted > 2 or "{" in body or not _PLAIN_PATTERN.fullmatch(body):
        return None
    try:
        return re.compile(body, (re.IGNORECASE if "i" in flags else 0) | re.ASCII), "g" in flags
    except (re.error, OverflowError):
        return None


def _matched(realm: Realm, text: str, value: Value) -> Value:
    """What `match` gives: the groups, or `null`; not known for a pattern that is not plain, or is global."""
    found = _pattern_of(value)
    if found is None or found[1] or len(text) > _SUBJECT_LIMIT:
        return Unknown("what a text matches")
    match = found[0].search(text)
    if match is None:
        return None
    return realm.array([match.group(), *(UNDEFINED if group is None else group for group in match.groups())])


def _tests(this: Value, given: list[Value]) -> Value:
    """`pattern.test(text)`."""
    text = first(given)
    found = _pattern_of(this)
    if found is None or type(text) is not str or len(text) > _SUBJECT_LIMIT:
        return Unknown("whether a text matches")
    return found[0].search(text) is not None


def _replaced_unseen(realm: Realm, by: Value) -> Value:
    """A replacement whose places are not known: a function for it still shows what it sets outside of itself."""
    if type(by) is Obj and by.code is not None:
        realm.uncertain += 1
        try:
            realm.call(by, UNDEFINED, [Unknown("a part of a text")] * 4)
        finally:
            realm.uncertain -= 1
    return Unknown("a text that is computed")


def _replaced(realm: Realm, text: str, given: list[Value], *, every: bool) -> Value:
    what, by = first(given), first(given, 1)
    if len(text) > _SUBJECT_LIMIT:
        return Unknown("a text that is computed")
    if type(what) is str:
        pattern, everywhere = re.compile(re.escape(what)), every
    else:
        found = _pattern_of(what)
        if found is None:
            return _replaced_unseen(realm, by)
        pattern, everywhere = found
    unknown = False

    def replacement(match: re.Match[str]) -> str:
        nonlocal unknown
        if type(by) is str:
            return re.sub(
                r"\$(\d|&|\$)",
                lambda mark: "$" if mark[1] == "$" else match.group(0 if mark[1] == "&" else int(mark[1])) or "",
                by,
            )
        result = realm.call(by, UNDEFINED, [match.group(), *match.groups()])
        text_result = realm.text_of(result)
        unknown = unknown or text_result is None
        return text_result or ""

    try:
        result = pattern.sub(replacement, text, count=0 if everywhere else 1)
    except (IndexError, re.error):
        unknown = True
    return Unknown("a text that is computed") if unknown else result

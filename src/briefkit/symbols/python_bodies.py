"""What the body of a function does to names outside it, read from its text: instance attributes, doors, `__getattr__` tables.

Bodies are most of a package's bytes and say little about its names, so they are scanned by patterns, not walked.
"""

from __future__ import annotations

import re
from functools import lru_cache

from briefkit.records import TYPE_CHECKING, NamedTuple

from .python_facts import VALUE, Binding
from .python_text import flat_header

if TYPE_CHECKING:
    from typing import Any

# Methods that give an instance back what it had, or only what its user sets: no door to unknown names.
_RESTORING = frozenset(
    (
        "__setstate__",
        "__setattr__",
        "__delattr__",
        "__copy__",
        "__deepcopy__",
        "__reduce__",
        "__getstate__",
        "__reduce_ex__",
    )
)
_TARGETS_BEFORE = re.compile(rb"[ \t]*[(\[]?(?:\*?[\w.]+\s*,\s*)*")
_TARGETS_AFTER = re.compile(rb"\s*(?:\*?[\w.]+\s*,\s*)*\*?[\w.]*\s*[)\]]?\s*=(?!=)")
_GLOBAL = re.compile(rb"(?m)^[ \t]*global[ \t]+([\w, \t]+)")
_COPIED = re.compile(rb"[^)]{0,240}?(?:vars\(\w+\)|\.__dict__\b)")
_SETATTR = re.compile(rb"\bsetattr\(\s*([\w.()\[\]]+)\s*,\s*(?:[\"'](\w+)[\"'])?")


@lru_cache(maxsize=512)
def _attribute_pattern(owner: bytes) -> re.Pattern[bytes]:
    """Assignments to attributes of `owner`: `o.x = `, `o.x: T = `, `o.x += `, `for o.x in`, `as o.x`."""
    o = re.escape(owner)
    return re.compile(
        rb"(?:(?:\bfor|\bas)\s+"
        + o
        + rb"\.(\w+)\b)|(?<![\w.])"
        + o
        + rb"\.(\w+)\s*(?:=(?!=)|:[ \t]*([^=\n]{1,160}?)[ \t]*(?:=(?!=)|$|\n)|(?:\*\*|//|>>|<<|[-+*/%&|^@])=)"
    )


@lru_cache(maxsize=512)
def _door_pattern(owner: bytes) -> re.Pattern[bytes]:
    o = re.escape(owner)
    return re.compile(
        rb"(?<![\w.])(?:object\.__setattr__|setattr|type\("
        + o
        + rb"\)\.__setattr__)\(\s*(?:type\()?"
        + o
        + rb"\)?(?:\.__class__)?\s*,\s*"
        rb"(?:[\"'](\w+)[\"']|([^,\n]*))"
        rb"|(?<![\w.])" + o + rb"\.__dict__(?:\.update\((?=\s*(?:\*\*)?(\w*))|\[([^\]\n]*)\]\s*=(?!=)|\s*=(?!=))"
        rb"|\bvars\(" + o + rb"\)(?:\.update\(|\[)"
    )


def instance_attributes(
    body: bytes, owner: bytes, method: str, first_line: int, own: dict[str, Binding], doors: list[list[Any]]
) -> None:
    """Adds to `own` what a method sets on its first parameter, and to `doors` what it sets under names that are not written."""
    if owner + b"." in body:
        for found in _attribute_pattern(owner).finditer(body):
            if not _in_comment(body, found.start()):
                name = (found.group(1) or found.group(2)).decode()
                if name not in own:
                    own[name] = _own(name, _line(body, found.start(), first_line), found.group(3))
        if b"," in body:
            _target_lists(body, owner, first_line, own)
    if b"setattr" in body or b"__dict__" in body or b"vars(" in body:
        _instance_doors(body, owner, method, first_line, own, doors)


def _own(name: str, line: int, annotation: bytes | None = None) -> Binding:
    text = annotation.decode("utf-8", "replace").strip() if annotation else ""
    return [VALUE, line, line, f"{name}: {text}" if text else name, None, None, None, 0]


def _target_lists(body: bytes, owner: bytes, first_line: int, own: dict[str, Binding]) -> None:
    """`self.a, self.b = …`: all but the last of a list of targets; the last stands before the sign and is found as others are."""
    for found in _listed_pattern(owner).finditer(body):
        start = body.rfind(b"\n", 0, found.start()) + 1
        name = found.group(1).decode()
        if (
            name not in own
            and _TARGETS_BEFORE.fullmatch(body, start, found.start())
            and _TARGETS_AFTER.match(body, found.end())
        ):
            own[name] = _own(name, _line(body, found.start(), first_line))


@lru_cache(maxsize=64)
def _listed_pattern(owner: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"(?<![\w.])" + re.escape(owner) + rb"\.(\w+)[ \t]*,")


def _instance_doors(
    body: bytes, owner: bytes, method: str, first_line: int, own: dict[str, Binding], doors: list[list[Any]]
) -> None:
    for found in _door_pattern(owner).finditer(body):
        if _in_comment(body, found.start()):
            continue
        line = _line(body, found.start(), first_line)
        if found.group(1) is not None:
            own.setdefault(found.group(1).decode(), _own(found.group(1).decode(), line))
        elif method not in _RESTORING and not _copies_another(body, found.end()):
            key = found.group(2) or found.group(3) or found.group(4) or b""
            origin = _key_origin(body[: found.start()], key.strip(), owner)
            for name in origin.written:
                own.setdefault(name, _own(name, line))
            if not origin.written and not origin.existing:
                doors.append(
                    [
                        _door_name(found.group()),
                        line,
                        method,
                        key.decode("utf-8", "replace")[:60],
                        origin.over,
                        origin.words,
                        origin.parts,
                    ]
                )


def _copies_another(body: bytes, at: int) -> bool:
    """`self.__dict__.update(other.__dict__)`: what one instance has is given to another."""
    return _COPIED.match(body, at) is not None


class _Origin(NamedTuple):
    """Where a name that is set comes from.

    Names written out, the owner's attribute that is looped over, words used, whether the owner has the names already, texts in them.
    """

    written: list[str]
    over: str | None
    words: list[str]
    existing: bool
    parts: list[str]


_PARTS = re.compile(
    rb"[\"']([A-Za-z_]\w{2,})[\"']\s*(?:\+|%)|\+\s*[\"'](\w{3,})[\"']|f[\"'](\w{3,})\{|f[\"'][^\"'\n]*\}(\w{3,})[\"']"
)
_WORDS = re.compile(rb"(?<![\w.])[A-Za-z_]\w*")
_TEXT_LIST = re.compile(rb"\s*[(\[]((?:\s*[\"']\w+[\"']\s*,?)+)\s*[)\]]")
_EXISTING = re.compile(rb"\bdir\(|\bvars\(|\.__dict__|\.__slots__|__annotations__|\bfields\(")


def _key_origin(before: bytes, key: bytes, owner: bytes) -> _Origin:
    words = [word.decode() for word in _WORDS.findall(key)[:8]]
    if not re.fullmatch(rb"\w+", key):
        return _Origin([], None, words, existing=False, parts=_literal_parts(key))
    made = re.findall(rb"\b" + key + rb"\s*=(?!=)\s*([^\n]*)", before)
    parts = _literal_parts(made[-1]) if made else []
    loops = list(re.finditer(rb"\bfor\s+([^\n]*?\b" + key + rb"\b[^\n]*?)\s+in\s+([^\n]*(?:\n[^\n]*[\])])?)", before))
    if not loops:
        return _Origin([], None, words, existing=False, parts=parts)
    source = loops[-1].group(2)
    listed = _TEXT_LIST.match(source)
    written = [name.decode() for name in re.findall(rb"[\"'](\w+)[\"']", listed.group(1))] if listed else []
    over = re.search(
        rb"(?<![\w.])(?:" + re.escape(owner) + rb"|cls|type\(\w+\))(?:\.__class__)?\.(\w+)\b(?!\()", source
    )
    words += [word.decode() for word in _WORDS.findall(source.partition(b"\n")[0])[:8]]
    given_itself = re.search(rb"\(\s*" + re.escape(owner) + rb"\s*[,)]", before[loops[-1].start(2) :][:400])
    existing = given_itself is not None or _EXISTING.search(source) is not None
    return _Origin(written, over.group(1).decode() if over else None, words, existing, parts)


def _literal_parts(expression: bytes) -> list[str]:
    """Texts that a composed name holds: the `get_` of `"get_" + word`, the `visit_` of `f"visit_{word}"`."""
    return [text.decode() for found in _PARTS.findall(expression) for text in found if text][:1]


def _door_name(text: bytes) -> str:
    return "setattr" if b"setattr" in text else "__dict__"


def _in_comment(body: bytes, at: int) -> bool:
    return b"#" in body[body.rfind(b"\n", 0, at) + 1 : at]


def _line(body: bytes, at: int, first_line: int) -> int:
    return first_line + body.count(b"\n", 0, at)


def names_made_global(body: bytes) -> list[str]:
    """The names that a function's `global` statements let it set in its module."""
    return [
        name.strip()
        for found in _GLOBAL.finditer(body)
        for name in found.group(1).decode("utf-8", "replace").split(",")
        if name.strip().isidentifier()
    ]


_INNER_DEF = re.compile(rb"\bdef\s+\w+\(\s*(\w+)")


def inner_parameters(body: bytes) -> list[str]:
    """The first parameters of the functions inside a function: a decorator's inner function is given what is decorated."""
    return [found.group(1).decode() for found in _INNER_DEF.finditer(body)] if b"def " in body else []


_INNER_HEADER = re.compile(rb"\bdef\s+(\w+)(\((?:[^()]|\([^()]*\))*\))")


def returned_parameters(body: bytes) -> str | None:
    """The parameters of the inner function that a function returns as it is, None where it returns none."""
    for found in _INNER_HEADER.finditer(body):
        if re.search(rb"\breturn\s+" + found.group(1) + rb"\s*(?:#[^\n]*)?(?:\n|$)", body[found.end() :]):
            return flat_header(found.group(2).decode("utf-8", "replace"))
    return None


def effects_on_parameters(body: bytes, parameters: list[str]) -> tuple[dict[str, list[str]], list[str]]:
    """What a function sets on its parameters: (parameter -> names it sets, parameters it sets unwritten names on).

    A nested function counts as well: a decorator's inner function sets what the outer was given.
    """
    named: dict[str, list[str]] = {}
    open_: list[str] = []
    for found in _ANY_ATTRIBUTE.finditer(body) if b"." in body else ():
        owner = found.group(1).decode()
        if owner in parameters and not _in_comment(body, found.start()):
            named.setdefault(owner, []).append(found.group(2).decode())
    for found in _ANY_SETATTR.finditer(body) if b"setattr(" in body else ():
        owner = found.group(1).decode()
        if owner not in parameters:
            continue
        if found.group(2) is not None:
            named.setdefault(owner, []).append(found.group(2).decode())
        elif not _key_origin(body[: found.start()], found.group(3).strip(), owner.encode()).existing:
            open_.append(owner)
    return named, list(dict.fromkeys(open_))


_ANY_ATTRIBUTE = re.compile(rb"(?<![\w.])([A-Za-z_]\w*)\.(\w+)[ \t]*(?::[^=\n]{1,160})?=(?!=)")
_ANY_SETATTR = re.compile(rb"(?<![\w.])(?:object\.__setattr__|setattr)\(\s*(\w+)\s*,\s*(?:[\"'](\w+)[\"']|([^,\n]*))")
_GLOBALS_SET = re.compile(rb"\bglobals\(\)(?:\[[^\]\n]*\]\s*=(?!=)|\.update\(|\.setdefault\()")


def sets_elsewhere(body: bytes, parameters: list[str], first_line: int) -> list[list[Any]]:
    """[target, line, name or None] for each `setattr` on what is no parameter, and for what is put into `globals()`."""
    found: list[list[Any]] = []
    if b"setattr(" in body:
        for hit in _SETATTR.finditer(body):
            target = hit.group(1).decode("utf-8", "replace")
            if target.isidentifier() and re.search(rb"\b" + target.encode() + rb"\s*=\s*sys\.modules\[", body):
                target = "sys.modules"
            if target.partition(".")[0] not in parameters and not _in_comment(body, hit.start()):
                name = hit.group(2).decode() if hit.group(2) else None
                found.append([target, _line(body, hit.start(), first_line), name])
    if b"globals()" in body:
        found += [["globals()", _line(body, hit.start(), first_line), None] for hit in _GLOBALS_SET.finditer(body)]
    return found

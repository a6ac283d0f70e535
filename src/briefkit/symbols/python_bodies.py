"""What the body of a function does to names outside it, read from its text: instance attributes, doors, `__getattr__` tables.

Bodies are most of a package's bytes and say little about its names, so they are scanned by patterns, not walked.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from .python_facts import VALUE, Binding

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
_TARGET_LIST = re.compile(rb"(?m)^[ \t]*[(\[]?((?:\*?[\w.]+\s*,\s*)+\*?[\w.]*)[)\]]?\s*=(?!=)")
_GLOBAL = re.compile(rb"(?m)^[ \t]*global[ \t]+([\w, \t]+)")
_SETATTR = re.compile(rb"\bsetattr\(\s*([\w.()]+)\s*,\s*(?:[\"'](\w+)[\"'])?")


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
        rb"|(?<![\w.])" + o + rb"\.__dict__(?:\.update\(|\[[^\]\n]*\]\s*=(?!=)|\s*=(?!=))"
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
                    _set_own(own, name, _line(body, found.start(), first_line), found.group(3))
        if b"," in body:
            _target_lists(body, owner, first_line, own)
    if b"setattr" in body or b"__dict__" in body or b"vars(" in body:
        _instance_doors(body, owner, method, first_line, own, doors)


def _set_own(own: dict[str, Binding], name: str, line: int, annotation: bytes | None) -> None:
    text = annotation.decode("utf-8", "replace").strip() if annotation else ""
    own[name] = [VALUE, line, line, f"{name}: {text}" if text else name, None, None, None, 0]


def _target_lists(body: bytes, owner: bytes, first_line: int, own: dict[str, Binding]) -> None:
    prefix = owner.decode() + "."
    for found in _TARGET_LIST.finditer(body):
        for target in found.group(1).decode("utf-8", "replace").split(","):
            path = target.strip().lstrip("*")
            name = path[len(prefix) :]
            if path.startswith(prefix) and name.isidentifier() and name not in own:
                _set_own(own, name, _line(body, found.start(1), first_line), None)


def _instance_doors(
    body: bytes, owner: bytes, method: str, first_line: int, own: dict[str, Binding], doors: list[list[Any]]
) -> None:
    for found in _door_pattern(owner).finditer(body):
        if _in_comment(body, found.start()):
            continue
        line = _line(body, found.start(), first_line)
        if found.group(1) is not None:
            name = found.group(1).decode()
            if name not in own:
                _set_own(own, name, line, None)
        elif method not in _RESTORING:
            doors.append([_door_name(found.group()), line, method])


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


def effects_on_parameters(body: bytes, parameters: list[str]) -> tuple[dict[str, list[str]], list[str]]:
    """What a function sets on its parameters: (parameter -> names it sets, parameters it sets unwritten names on).

    A nested function counts as well: a decorator's inner function sets what the outer was given.
    """
    named: dict[str, list[str]] = {}
    open_: list[str] = []
    for parameter in parameters:
        owner = parameter.encode()
        own: dict[str, Binding] = {}
        doors: list[list[Any]] = []
        instance_attributes(body, owner, "", 0, own, doors)
        if own:
            named[parameter] = list(own)
        if doors:
            open_.append(parameter)
    return named, open_


_DUNDER_GETATTR_RAISE = re.compile(r"\bAttributeError\b")


def lazy_names(body: str, parameter: str) -> dict[str, Any]:
    """What a `__getattr__` admits: the names it compares with, the tables it looks in, and whether it leaves anything else open.

    `{"names": […], "tables": […], "texts": […], "open": bool}`; `texts` are the strings in it, which may name modules.
    """
    p = re.escape(parameter)
    names: list[str] = []
    for found in re.finditer(rf"\b{p}\s*==\s*[\"'](\w+)[\"']|[\"'](\w+)[\"']\s*==\s*{p}\b", body):
        names.append(found.group(1) or found.group(2))
    for found in re.finditer(rf"\b{p}\s+(?:not\s+)?in\s*([(\[{{])([^)\]}}]*)[)\]}}]", body):
        names += re.findall(r"[\"'](\w+)[\"']", found.group(2))
    for found in re.finditer(r"\bcase\s+((?:[\"']\w+[\"']\s*\|?\s*)+):", body):
        names += re.findall(r"[\"'](\w+)[\"']", found.group(1))
    tables = re.findall(rf"\b{p}\s+(?:not\s+)?in\s+([A-Za-z_][\w.]*)", body)
    tables += re.findall(rf"\b([A-Za-z_][\w.]*)\s*\[\s*{p}\s*\]", body)
    tables += re.findall(rf"\b([A-Za-z_][\w.]*)\.(?:get|pop)\(\s*{p}\b", body)
    texts = [text for text in re.findall(r"[\"']([\w.]{2,120})[\"']", body) if text not in names]
    return {
        "names": names,
        "tables": _without(tables),
        "texts": texts[:200],
        "open": _is_open(body, p, bool(names or tables)),
    }


def _without(tables: list[str]) -> list[str]:
    return [table for table in dict.fromkeys(tables) if table not in ("globals", "self.__dict__", "sys.modules")]


def _is_open(body: str, p: str, guarded: bool) -> bool:
    """Whether names outside the tables may get through: no AttributeError at the end, or the name handed on unguarded."""
    if re.search(r"\A\s*(?:[\"'][^\n]*\n\s*)?raise\s+AttributeError", body):
        return False
    if not guarded or not _DUNDER_GETATTR_RAISE.search(body):
        return True
    rest = re.sub(
        rf"(?:\bin\s+[\w.]+|\[\s*{p}\s*\]|\.get\(\s*{p}\b|{p}\s*(?:==|(?:not\s+)?in\b)|raise\s[^\n]*(?:\n[^\n]*\))?)",
        "",
        body,
    )
    handed = re.findall(rf"(\w+)\(\s*(?:[^()\n]*,\s*)?{p}\b", rest)
    return any(
        call not in ("getattr", "warn", "setattr", "hasattr", "format", "print", "_warn", "isinstance")
        for call in handed
    )

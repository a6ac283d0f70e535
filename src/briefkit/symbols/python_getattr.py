"""What a `__getattr__` admits, read from its text: closed tables of names, others that decide, or anything."""

from __future__ import annotations

import re

from briefkit.records import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

_RAISE = re.compile(r"\bAttributeError\b")
_INNER = re.compile(r"\bdef\s+(\w+)\(\s*(\w+)\s*(?::[^,)]*)?\)[^\n]*:")


def made_getattr(body: str) -> dict[str, Any] | None:
    """What the `__getattr__` that a function makes and returns admits, None where it makes none."""
    if "AttributeError" not in body:
        return None
    for found in _INNER.finditer(body):
        if re.search(rf"(?:\breturn\s+|\[[\"']__getattr__[\"']\]\s*=\s*){found.group(1)}\b", body[found.end() :]):
            return lazy_names(body[found.end() :], found.group(2))
    return None


def lazy_names(body: str, parameter: str) -> dict[str, Any]:
    """What a `__getattr__` admits: the names it compares with, the tables it looks in, whom it hands the name, and whether it is open.

    `{"names": […], "tables": [[table, key form]…], "handed": […], "texts": […], "open": bool}`; a key form is where the name stands in a key
    (`{}` alone, or `pkg:{}`); `texts` are the strings in it, which may name modules;
    `from` what the name is read from by `getattr`; `returned` what a name that is compared with leads to.
    """
    names: list[str] = []
    tables: list[list[str]] = []
    keys = _key_forms(body, parameter)
    for key, form in keys.items():
        p = re.escape(key)
        names += _compared(body, p) if form == "{}" else []
        tables += [[table, form] for table in _tables(body, p)]
    if re.search(r"\b__all__\b", body):
        tables.append(["__all__", "{}"])
    texts = [text for text in re.findall(r"[\"']([\w.:]{2,120})[\"']", body) if text not in names]
    compared = re.search(rf"\b{re.escape(parameter)}\s*(?:==|in\b|not\s+in\b)", body) is not None
    open_, handed = _openness(body, keys, guarded=bool(names or tables or compared))
    from_ = [
        found
        for key in keys
        for found in re.findall(rf"\bgetattr\(\s*([A-Za-z_][\w.]*)\s*,\s*{re.escape(key)}\s*[,)]", body)
    ]
    returned = dict(
        re.findall(
            rf"\b{re.escape(parameter)}\s*==\s*[\"'](\w+)[\"']\s*:(?:(?!\bif\b)[\s\S]){{0,600}}?\breturn\s+([A-Za-z_][\w.]*)\s*(?:\n|$)",
            body,
        )
    )
    return {
        "names": names,
        "tables": tables,
        "handed": handed,
        "texts": texts[:200],
        "from": list(dict.fromkeys(from_)),
        "returned": returned,
        "open": open_,
    }


def _key_forms(body: str, parameter: str) -> dict[str, str]:
    """The variables that stand for the name, and how: itself, or a key made from it (`f"{module}:{name}"`)."""
    forms = {parameter: "{}"}
    p = re.escape(parameter)
    for found in re.finditer(rf"\b(\w+)\s*=\s*f([\"'])([^\"'\n]*\{{{p}\}}[^\"'\n]*)\2", body):
        forms[found.group(1)] = found.group(3).replace("{" + parameter + "}", "{}")
    return forms


def _compared(body: str, p: str) -> list[str]:
    names: list[str] = []
    equal = re.finditer(rf"\b{p}\s*==\s*[\"'](\w+)[\"']|[\"'](\w+)[\"']\s*==\s*{p}\b", body)
    names += [found.group(1) or found.group(2) for found in equal if not _raises_next(body, found.end())]
    for found in re.finditer(rf"\b{p}\s+(?:not\s+)?in\s*([(\[{{])([^)\]}}]*)[)\]}}]", body):
        names += re.findall(r"[\"'](\w+)[\"']", found.group(2))
    for found in re.finditer(r"\bcase\s+((?:[\"']\w+[\"']\s*\|?\s*)+):", body):
        names += re.findall(r"[\"'](\w+)[\"']", found.group(1))
    return names


def _raises_next(body: str, at: int) -> bool:
    """Whether the branch after a condition only raises: what it names is refused."""
    return re.match(r"[^\n]*:\s*\n?\s*raise\b", body[at : at + 400]) is not None


def _tables(body: str, p: str) -> list[str]:
    tables = [
        found.group(1).removesuffix(".keys")
        for found in re.finditer(rf"\b{p}\s+(?:not\s+)?in\s+([A-Za-z_][\w.]*)(?:\(\))?", body)
        if not (" not " not in found.group() and _raises_next(body, found.end()))
    ]
    refused = {
        found.group(1).removesuffix(".keys")
        for found in re.finditer(rf"\b{p}\s+in\s+([A-Za-z_][\w.]*)(?:\(\))?", body)
        if _raises_next(body, found.end())
    }
    tables += [table for table in re.findall(rf"\b([A-Za-z_][\w.]*)\s*\[\s*{p}\s*\]", body) if table not in refused]
    tables += re.findall(rf"\b([A-Za-z_][\w.]*)\.(?:get|pop)\(\s*{p}\b", body)
    return [
        table for table in dict.fromkeys(tables) if table not in ("globals", "self.__dict__", "sys.modules", "vars")
    ]


_HARMLESS = frozenset(
    (
        "getattr",
        "warn",
        "setattr",
        "hasattr",
        "format",
        "print",
        "isinstance",
        "AttributeError",
        "repr",
        "str",
        "warn_explicit",
        "get",
        "pop",
        "startswith",
        "endswith",
        "len",
    )
)


def _openness(body: str, keys: dict[str, str], *, guarded: bool) -> tuple[bool, list[str]]:
    """(whether names outside the tables may get through, functions that are handed the name and decide)."""
    if re.match(
        r"\s*(?:[rRuU]*([\"'])(?:\1\1)?[^\"']*(?:\1\1)?\1\s*)?(?:msg\s*=[^\n]*\n\s*)?raise\s+(?:\w+\.)*AttributeError",
        body,
    ):
        return False, []
    rest = re.sub(r"\braise\s[^\n(]*(?:\((?:[^()]|\([^()]*\))*\))?", "", body)
    handed: list[str] = []
    for key in keys:
        p = re.escape(key)
        handed += re.findall(rf"(\w+)\((?:[^()]|\([^()]*\))*?(?:\w+\s*=\s*)?\b{p}\s*[,)]", rest)
        if re.search(rf"import_module\([^)\n]*\b{p}\b|\{{{p}\}}[^\n]*import_module|__import__\([^)\n]*{p}", rest):
            return not guarded, []
    handed = [name for name in dict.fromkeys(handed) if name not in _HARMLESS]
    raises = _RAISE.search(body) is not None
    if handed:
        return not (
            raises
            or guarded
            or re.search(r"\breturn\s+(?:" + "|".join(map(re.escape, handed)) + r")\(", body) is not None
        ), handed
    return not (guarded and (raises or "KeyError" in body)), []

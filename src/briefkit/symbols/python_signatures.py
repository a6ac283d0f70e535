"""How a definition is shown: its kind, its one-line signature, which of several definitions runs, and whether it is deprecated."""

from __future__ import annotations

import re

from .python_facts import CALL, CLASS, DEF, DEPRECATED, EXTRA, KIND, SIGNATURE, TEXT, Binding, Value

# A decorator that says so of the whole; `deprecate_kwarg`, `deprecated_params` and the like speak of an argument.
_DEPRECATES = re.compile(r"(?i)^(?!.*(?:arg|param|keyword|kw|positional|option|default|value|renamed)).*deprecat")


def in_order(bindings: tuple[Binding, ...]) -> tuple[Binding, ...]:
    """The definition that runs first (the last that is no overload), then the overloads in their order."""
    overloads = tuple(b for b in bindings if is_overload(b))
    others = tuple(b for b in bindings if not is_overload(b))
    return (*others[-1:], *overloads) if others else overloads


def is_overload(binding: Binding) -> bool:
    """Whether a definition is decorated with `overload`."""
    return binding[KIND] == DEF and any(last_name(d) == "overload" for d in binding[EXTRA][0])


def last_name(value: Value) -> str:
    """The last name of a decorator: `functools.cached_property` and `x.deprecated("…")` give what stands last before a call."""
    if isinstance(value, list) and value and value[0] == CALL:
        value = value[1]
    return value.rpartition(".")[2] if isinstance(value, str) else ""


def is_accessor(binding: Binding) -> bool:
    """Whether a definition is the setter or deleter of a property."""
    return binding[KIND] == DEF and any(last_name(d) in ("setter", "deleter") for d in binding[EXTRA][0])


def role(binding: Binding) -> str:
    """How a function is bound in its class: `property`, `classmethod`, `staticmethod` or empty."""
    for decorator in binding[EXTRA][0]:
        name = last_name(decorator).lower()
        if name in ("classmethod", "staticmethod"):
            return name
        if "property" in name:
            return "property"
    return ""


def kind_of(binding: Binding, *, inside: bool) -> str:
    """The contract's kind of a definition, in a class or in a module."""
    kind = binding[KIND]
    if kind == CLASS:
        return "class"
    if kind == DEF:
        if not inside:
            return "function"
        return "property" if role(binding) == "property" else "method"
    if inside:
        return "property"
    signature = binding[SIGNATURE]
    return "type" if signature.startswith("type ") or "TypeAlias" in signature else "constant"


def signature_of(name: str, binding: Binding, kind: str) -> str:
    """One line as the user would write the definition; a property as a typed name."""
    if binding[KIND] != DEF:
        return str(binding[SIGNATURE]) or name
    text = binding[SIGNATURE]
    if kind == "property":
        _, arrow, result = text.rpartition(") -> ")
        return f"{name}: {result}" if arrow else name
    start = "async def " if "a" in binding[EXTRA][1] else "def "
    return f"{start}{name}{text}"


def without_first(parameters: str) -> str:
    """A parameter list without its first parameter, which the call fills in."""
    depth = 0
    for at, letter in enumerate(parameters):
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
            if depth == 0:
                return "(" + parameters[at:]
        elif letter == "," and depth == 1:
            rest = parameters[at + 1 :].lstrip()
            if rest.startswith("/"):
                rest = rest[1:].lstrip().removeprefix(",").lstrip()
            return "(" + rest
    return parameters


def deprecation(binding: Binding) -> str | None:
    """Why a definition is deprecated, by a decorator of that name or by its documentation; None where it is not."""
    decorators = (
        binding[EXTRA][0] if binding[KIND] == DEF else binding[EXTRA]["decorators"] if binding[KIND] == CLASS else ()
    )
    for decorator in decorators:
        if _DEPRECATES.search(last_name(decorator)):
            texts = (
                [part[1] for part in decorator[2:] if isinstance(part, list) and part and part[0] == TEXT]
                if isinstance(decorator, list)
                else []
            )
            return texts[0] if texts else ""
    found: str | None = binding[DEPRECATED]
    return found

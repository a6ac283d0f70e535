"""The fields of a C structure in ctypes: the pairs of `_fields_`, in the class or set on it afterwards."""

from __future__ import annotations

from briefkit.records import TYPE_CHECKING

from .python_facts import CLASS, EXTRA, ITEMS, KIND, LINE, TEXT, Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .python_things import Thing

FIELDS = ("_fields_", "_anonymous_")


def structure_fields(thing: Thing) -> Iterator[tuple[int, list[str] | None]]:
    """The line of each `_fields_` of a class with the names in it, None where they are not all written out.

    `_anonymous_` takes in the fields of another structure, which are not followed: it is None too.
    """
    for line, attribute, value in _set_on(thing):
        yield line, _names(value) if attribute == FIELDS[0] else None


def _set_on(thing: Thing) -> Iterator[tuple[int, str, Value]]:
    for binding in thing.bindings:
        for attribute in FIELDS if binding[KIND] == CLASS else ():
            for each in binding[EXTRA]["bindings"].get(attribute, ()):
                yield each[LINE], attribute, each[EXTRA]
    qualified = ".".join(thing.path)
    for target, attribute, line, value in thing.module.facts["sets"]:
        if attribute in FIELDS and target == qualified:
            yield line, attribute, value


def _names(value: Value) -> list[str] | None:
    """The first text of each pair in a list of pairs; None where the value is anything else."""
    if not isinstance(value, list) or value[:1] != [ITEMS]:
        return None
    names = []
    for pair in value[1:]:
        first = pair[1] if isinstance(pair, list) and pair[:1] == [ITEMS] and len(pair) > 1 else None
        if not isinstance(first, list) or first[:1] != [TEXT]:
            return None
        names.append(str(first[1]))
    return names

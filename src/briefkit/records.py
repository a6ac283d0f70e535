"""Immutable records at the price of a tuple: what `typing.NamedTuple` gives, without importing `typing`.

That module alone costs half a bare interpreter's start, and each of its NamedTuples compiles its annotations. Type checkers see the real
thing; at run time a class statement over `NamedTuple` makes a `collections.namedtuple` with its defaults, docstring and methods.
"""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414 - exported as itself
    from typing import NewType as NewType  # noqa: PLC0414
else:
    _KEPT_OUT = frozenset(
        ("__module__", "__qualname__", "__annotations__", "__annotate__", "__annotate_func__", "__classdictcell__")
    )

    class _RecordType(type):
        def __new__(mcs, name, bases, body):
            """The tuple type of a class statement."""
            fields = _annotations_of(body)
            defaults = [body[field] for field in fields if field in body]
            made = namedtuple(name, fields, defaults=defaults, module=body["__module__"])  # noqa: PYI024 - typed above
            made.__qualname__ = body["__qualname__"]
            made.__annotations__ = fields
            for key, value in body.items():
                if key not in _KEPT_OUT and key not in fields:
                    setattr(made, key, value)
            return made

    class _Base:
        """Stands for the bases of a class statement over `NamedTuple`, which has no instances."""

        def __mro_entries__(self, bases):
            """The class whose metaclass makes the record."""
            return (_RECORD,)

    def _annotations_of(body):
        """The fields of a class body; Python 3.14 may keep them as a function of a format (1: as values)."""
        if "__annotations__" in body:
            return dict(body["__annotations__"])
        annotate = body.get("__annotate_func__") or body.get("__annotate__")
        return dict(annotate(1)) if annotate else {}

    def NewType(_name, _kind):
        """What marks a value for a type checker and is nothing at run time."""
        return lambda value: value

    _RECORD = type.__new__(_RecordType, "NamedTuple", (), {})
    NamedTuple = _Base()

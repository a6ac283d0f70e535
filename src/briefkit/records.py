"""Immutable records at the price of a tuple: what `typing.NamedTuple` gives, without importing `typing`.

That module alone costs half a bare interpreter's start, and each of its NamedTuples compiles its annotations and a constructor: fifty
records are a third of a start again. Type checkers see the real thing; at run time a class statement over `NamedTuple` makes a tuple type with
named fields, and its constructor is compiled when the first record is made by it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414 - exported as itself
    from typing import NewType as NewType  # noqa: PLC0414
    from typing import Protocol as Protocol  # noqa: PLC0414
else:
    from collections import _tuplegetter

    class _RecordType(type):
        def __new__(mcs, name, bases, body):
            """The tuple type of a class statement."""
            body = dict(body)
            fields = _annotations_of(body)
            names = tuple(fields)
            defaults = {field: body.pop(field) for field in names if field in body}
            if tuple(defaults) != names[len(names) - len(defaults) :]:
                raise TypeError(f"{name}: a field without a default follows one that has one")
            body.pop("__classdictcell__", None)
            body |= {field: _tuplegetter(place, None) for place, field in enumerate(names)}
            body |= {
                "__slots__": (),
                "__annotations__": fields,
                "__match_args__": names,
                "_fields": names,
                "_field_defaults": defaults,
            }
            return type(name, (_Record,), body)

    class _Record(tuple):
        """What every record can do: that of `collections.namedtuple`."""

        __slots__ = ()

        def __new__(cls, *values, **named):
            """The first record of its type: later ones are made by the constructor that this call compiles."""
            cls.__new__ = _constructor(cls)
            return cls.__new__(cls, *values, **named)

        @classmethod
        def _make(cls, values):
            made = tuple.__new__(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
            return made

        def _replace(self, /, **named):
            made = self._make(map(named.pop, self._fields, self))
            if named:
                raise ValueError(f"Got unexpected field names: {list(named)!r}")
            return made

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __getnewargs__(self):
            return tuple(self)

        def __repr__(self):
            values = ", ".join(f"{field}={value!r}" for field, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({values})"

    def _constructor(cls):
        """`__new__` with the record's fields as parameters, so that values are checked and placed at the speed of a call."""
        fields = ", ".join(cls._fields)
        made = eval(f"lambda _cls, {fields}: _made(_cls, ({fields},))", {"_made": tuple.__new__})  # noqa: S307 - names of fields
        made.__name__ = "__new__"
        made.__qualname__ = f"{cls.__qualname__}.__new__"
        made.__defaults__ = tuple(cls._field_defaults.values())
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
        annotate = body.pop("__annotate_func__", None) or body.pop("__annotate__", None)
        return dict(annotate(1)) if annotate else {}

    def NewType(_name, _kind):
        """What marks a value for a type checker and is nothing at run time."""
        return lambda value: value

    Protocol = object
    """Says to a type checker what several classes have in common; it is nothing at run time."""

    _RECORD = type.__new__(_RecordType, "NamedTuple", (), {})
    NamedTuple = _Base()

"""Records do what `typing.NamedTuple` does, which they stand in for."""

from __future__ import annotations

import copy
import pickle
import typing
from inspect import getdoc

import pytest

from briefkit import records


class Point(records.NamedTuple):
    """A place."""

    x: int
    y: int = 7

    @property
    def total(self) -> int:
        return self.x + self.y

    def shown(self) -> str:
        return super().__repr__()


class Untouched(records.NamedTuple):
    """Never made by its constructor, so that its constructor is not compiled."""

    x: int


class Model(typing.NamedTuple):
    """A place."""

    x: int
    y: int = 7


def test_a_record_holds_and_shows_its_fields_as_a_named_tuple_does() -> None:
    assert tuple(Point(1)) == tuple(Model(1)) == (1, 7)
    assert Point(y=2, x=1)._asdict() == Model(y=2, x=1)._asdict() == {"x": 1, "y": 2}
    assert repr(Point(1)) == "Point(x=1, y=7)" == Point(1).shown()
    assert (Point._fields, Point._field_defaults) == (Model._fields, Model._field_defaults)
    assert (Point(1).total, Point(1)._replace(y=2), Point._make([3, 4])) == (8, (1, 2), (3, 4))
    assert getdoc(Point) == "A place."
    assert hash(Point(1)) == hash(Model(1))


@pytest.mark.parametrize("arguments", [((), {}), ((1, 2, 3), {}), ((1,), {"z": 1}), ((1,), {"x": 1})])
def test_what_a_named_tuple_refuses_a_record_refuses_with_the_same_words(
    arguments: tuple[tuple[int, ...], dict[str, int]],
) -> None:
    refusals = []
    for kind in (Point, Model):
        with pytest.raises(TypeError) as refused:
            kind(*arguments[0], **arguments[1])
        refusals.append(str(refused.value).replace(kind.__name__, "Record"))
    assert refusals[0] == refusals[1]


def test_a_record_is_immutable_and_has_no_room_for_more() -> None:
    point = Point(1)
    with pytest.raises(AttributeError):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError):
        point.other = 2  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="unexpected field names"):
        point._replace(other=2)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="Expected 2 arguments, got 1"):
        Point._make([1])


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_record_is_copied_and_pickled_before_and_after_its_constructor_is_compiled(protocol: int) -> None:
    for record in (Untouched._make([1]), Point(1)):
        again = pickle.loads(pickle.dumps(record, protocol))
        assert (type(again), again) == (type(record), record)
        assert copy.deepcopy(record) == record


def test_a_record_is_matched_by_its_fields() -> None:
    match Point(1):
        case Point(x, y):
            assert (x, y) == (1, 7)


def test_a_field_without_a_default_after_one_that_has_one_is_refused() -> None:
    with pytest.raises(TypeError, match="without a default"):
        exec("class Bad(records.NamedTuple):\n    x: int = 1\n    y: int\n", {"records": records})

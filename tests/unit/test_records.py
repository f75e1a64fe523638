"""Our dataclasses do what those of the standard library do."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from typing import Any

import pytest

from scoresheet.metrics import records

Decorator = Callable[..., Any]
# as it runs, not as type checkers see it
ours: Decorator = vars(records)["dataclass"]
theirs: Decorator = dataclasses.dataclass


def point(make: Decorator, **flags: bool) -> Any:
    """Return a class with a field of every kind."""

    @make(**flags)
    class Point:
        x: int
        tags: list[str] = field(default_factory=list)
        label: str = field(default="", repr=False)
        seen: int = field(default=0, compare=False)

        def __post_init__(self) -> None:
            if self.x < 0:
                raise ValueError(self.x)

    return Point


def named(make: Decorator) -> Any:
    """Return a class that is derived of another, with a method of its own where one would be made."""

    @make(frozen=True)
    class Base:
        name: str = "n"

    @make(frozen=True, kw_only=True)
    class Derived(Base):
        """One."""

        size: int

        def __repr__(self) -> str:
            return f"<{self.name}>"

    return Derived


@dataclasses.dataclass(frozen=True)
class TheirPair:
    first: object
    second: object = ()


@records.dataclass(frozen=True)
class OurPair:
    first: object
    second: object = ()


@pytest.mark.parametrize("make", [ours, theirs])
def test_what_is_the_same_and_what_is_not(make: Decorator) -> None:
    kind = point(make)
    assert kind(1, ["a"], "b") == kind(1, ["a"], label="b", seen=5)
    assert kind(1) != kind(2)
    assert kind(1) != point(make)(1)  # another class
    assert kind(1) != (1, [], "", 0)
    assert kind.__hash__ is None
    frozen = point(make, frozen=True)
    assert hash(frozen(1, (), "b")) == hash(frozen(1, (), "b", 7))
    assert {frozen(1, ()), frozen(1, ())} == {frozen(1, ())}
    by_identity = point(make, frozen=True, eq=False)
    assert by_identity(1) != by_identity(1)
    assert len({by_identity(1), by_identity(1)}) == 2


@pytest.mark.parametrize("make", [ours, theirs])
def test_a_frozen_one_stays_as_it_is(make: Decorator) -> None:
    one = point(make, frozen=True)(1)
    for name in ("x", "unknown"):
        with pytest.raises(FrozenInstanceError, match="cannot assign to field"):
            setattr(one, name, 2)
        with pytest.raises(FrozenInstanceError, match="cannot delete field"):
            delattr(one, name)
    assert dataclasses.astuple(dataclasses.replace(one, x=3)) == (3, [], "", 0)
    assert one.x == 1
    with pytest.raises(ValueError, match="-1"):
        dataclasses.replace(one, x=-1)
    free = point(make)(1)
    free.x = 2
    assert free.x == 2


@pytest.mark.parametrize("flags", [{}, {"frozen": True}, {"frozen": True, "kw_only": True}])
def test_fields_parameters_and_what_is_shown_are_those_of_the_standard_library(flags: dict[str, bool]) -> None:
    mine, standard = point(ours, **flags), point(theirs, **flags)
    assert str(inspect.signature(mine)) == str(inspect.signature(standard))
    assert [each.name for each in dataclasses.fields(mine)] == [each.name for each in dataclasses.fields(standard)]
    assert mine.label == standard.label == ""  # defaults are those of the class
    assert not hasattr(mine, "tags")
    assert repr(mine(x=1, tags=["a"])) == repr(standard(x=1, tags=["a"]))


def test_what_a_class_has_of_its_own_is_kept_and_a_derived_one_has_all_fields() -> None:
    mine, standard = named(ours)(size=2), named(theirs)(size=2)
    assert repr(mine) == repr(standard) == "<n>"
    assert dataclasses.asdict(mine) == dataclasses.asdict(standard) == {"name": "n", "size": 2}
    assert hash(mine) == hash(named(ours)(size=2))
    with pytest.raises(FrozenInstanceError):
        mine.name = "other"


@pytest.mark.parametrize("make", [ours, theirs])
@pytest.mark.parametrize(
    ("given", "named", "says"),
    [
        ((), {}, "x"),
        ((1,), {"x": 2}, "x"),
        ((1,), {"colour": 2}, "colour"),
        ((1, [], "", 0, 5), {}, "positional arguments"),
        ((1,), {"tags": [], "colour": 2}, "colour"),
    ],
)
def test_what_cannot_be_made_is_refused(
    make: Decorator, given: tuple[object, ...], named: dict[str, object], says: str
) -> None:
    for flags in ({}, {"frozen": True}):
        with pytest.raises(TypeError, match=says):
            point(make, **flags)(*given, **named)


@pytest.mark.parametrize("make", [ours, theirs])
def test_a_default_that_is_made_is_made_for_each_and_names_are_asked_for_where_they_must_be_given(
    make: Decorator,
) -> None:
    kind = point(make, frozen=True)
    assert kind(1).tags is not kind(1).tags
    assert kind(1, seen=2).seen == 2
    with pytest.raises(TypeError):
        point(make, kw_only=True)(1)
    assert point(make, kw_only=True)(x=1).x == 1


@pytest.mark.parametrize("make", [ours, theirs])
def test_a_class_may_have_an_init_of_its_own(make: Decorator) -> None:
    @make
    class Doubled:
        x: int

        def __init__(self, half: int) -> None:
            self.x = 2 * half

    assert Doubled(2).x == 4
    assert str(inspect.signature(Doubled)) == "(half: 'int') -> 'None'"

    class Labelled(point(make)):  # type: ignore[misc]
        def __init__(self, label: str) -> None:
            super().__init__(1, label=label)

    assert (Labelled("a").x, Labelled("a").label) == (1, "a")
    assert str(inspect.signature(Labelled)) == "(label: 'str') -> 'None'"


def test_one_that_holds_itself_can_be_shown() -> None:
    held: list[object] = []
    pair = OurPair(held)
    held.append(pair)
    assert repr(pair) == "OurPair(first=[...], second=())"


@pytest.mark.parametrize("kind", [OurPair, TheirPair])
def test_copies_and_what_travels_to_a_worker_are_the_same(kind: Any) -> None:
    pair = kind(1, (2,))
    for other in (copy.copy(pair), copy.deepcopy(pair), pickle.loads(pickle.dumps(pair))):
        assert other == pair
        with pytest.raises(FrozenInstanceError):
            other.first = 2

"""Dataclasses that are quickly made: their methods are shared, and none is compiled for each class.

A run imports a hundred of them. The standard library compiles six methods for each that is frozen, which took a run of
ten rows longer than scoring them. To type checkers they are the dataclasses of the standard library.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import MISSING, FrozenInstanceError, fields
from functools import cache
from reprlib import recursive_repr
from typing import TYPE_CHECKING, NamedTuple, NoReturn, TypeVar

if TYPE_CHECKING:
    from dataclasses import dataclass  # noqa: TID251 - what type checkers take ours for
    from inspect import Signature

__all__ = ["dataclass"]

T = TypeVar("T")


def _dataclass(
    cls: type[T] | None = None, /, *, frozen: bool = False, kw_only: bool = False, eq: bool = True, slots: bool = False
) -> type[T] | Callable[[type[T]], type[T]]:
    """Return a class as `dataclasses.dataclass` does, or what makes it one; those with slots are made by it."""
    if slots:
        return dataclasses.dataclass(frozen=frozen, kw_only=kw_only, eq=eq, slots=True)  # noqa: TID251 - as is said

    def made(kind: type[T]) -> type[T]:
        methods: dict[str, object] = {"__init__": _init_of(kind), "__repr__": _shown}
        if "__init__" not in kind.__dict__:
            methods["__signature__"] = _Signature()
        if eq:
            methods["__eq__"] = _is_equal
        if frozen:
            methods |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
        for name, method in methods.items():
            if name not in kind.__dict__:
                setattr(kind, name, method)
        if eq and kind.__dict__.get("__hash__") is None:
            setattr(kind, "__hash__", _hash if frozen else None)  # noqa: B010 - what can change is in no set
        standard = dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=kw_only)  # noqa: TID251 - the fields
        return standard(kind)

    return made if cls is None else made(cls)


if not TYPE_CHECKING:
    dataclass = _dataclass


class _Parameters(NamedTuple):
    """What the `__init__` of a class takes."""

    places: tuple[str, ...]  # of what is given without a name
    known: frozenset[str]
    defaults: Mapping[str, object]
    factories: Mapping[str, Callable[[], object]]
    is_checked: bool  # by a method of the class


@cache
def _parameters(kind: type) -> _Parameters:
    found = [field for field in fields(kind) if field.init]
    defaults = {field.name: field.default for field in found if field.default is not MISSING}
    factories = {field.name: field.default_factory for field in found if field.default_factory is not MISSING}
    return _Parameters(
        places=tuple(field.name for field in found if not field.kw_only),
        known=frozenset(field.name for field in found),
        defaults=defaults,
        factories=factories,
        is_checked=hasattr(kind, "__post_init__"),
    )


def _init_of(kind: type) -> object:
    """Return the `__init__` of a class."""

    def __init__(self: object, /, *given: object, **named: object) -> None:  # noqa: N807 - as it is called
        places, known, defaults, factories, is_checked = _parameters(kind)
        held = self.__dict__
        held.update(defaults)
        held.update(named)
        if len(given) > len(places):
            _refuse(kind, given, named)
        for name, value in zip(places, given, strict=False):
            if name in named:
                _refuse(kind, given, named)
            held[name] = value
        for name in factories:
            if name not in held:
                held[name] = factories[name]()
        if held.keys() != known:
            _refuse(kind, given, named)
        if is_checked:
            self.__post_init__()  # type: ignore[attr-defined]

    return __init__


def _refuse(kind: type, given: tuple[object, ...], named: Mapping[str, object]) -> NoReturn:
    """Raise the TypeError that says what is wrong with a call."""
    _signature(kind).bind(*given, **named)
    raise TypeError(f"{kind.__qualname__} cannot be made of {given} and {named}")


def _signature(kind: type) -> Signature:
    from inspect import Parameter, Signature

    takes = _parameters(kind)
    defaults = {**dict.fromkeys(takes.factories, _Made()), **takes.defaults}
    types = {field.name: field.type for field in fields(kind)}
    named = [name for name in types if name in takes.known and name not in takes.places]
    return Signature(
        [
            Parameter(name, how, default=defaults.get(name, Parameter.empty), annotation=types[name])
            for how, names in ((Parameter.POSITIONAL_OR_KEYWORD, takes.places), (Parameter.KEYWORD_ONLY, named))
            for name in names
        ],
        return_annotation=None,
    )


class _Made:
    """Stands in a signature for a default that is made anew for each object."""

    def __repr__(self) -> str:
        return "<factory>"


class _Signature:
    """The signature of a class, made when somebody asks."""

    def __get__(self, _: object, kind: type) -> Signature:
        """Return it; AttributeError if the class has an `__init__` that is none of ours."""
        home = next(each for each in kind.__mro__ if "__init__" in each.__dict__)
        if "__signature__" not in home.__dict__:
            raise AttributeError("__signature__")
        return _signature(home)


@cache
def _compared(kind: type) -> tuple[str, ...]:
    """Return the names of the fields by which two objects of a class are the same."""
    return tuple(field.name for field in fields(kind) if field.compare)


def _values(self: object) -> tuple[object, ...]:
    kind: type = self.__class__
    return tuple([getattr(self, name) for name in _compared(kind)])


def _is_equal(self: object, other: object) -> bool:
    return _values(self) == _values(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(self: object) -> int:
    return hash(_values(self))


@recursive_repr()
def _shown(self: object) -> str:
    kind: type = self.__class__
    names = [field.name for field in fields(kind) if field.repr]
    return f"{kind.__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"


def _refuse_to_set(_: object, name: str, _value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")

"""Dataclasses that are quickly made: `__init__` alone is compiled for each class, their other methods are shared.

A run imports a hundred of them. The standard library compiles six methods for each that is frozen, which took a run of
ten rows longer than scoring them. To type checkers they are the dataclasses of the standard library.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache
from reprlib import recursive_repr
from typing import TYPE_CHECKING, TypeVar

__all__ = ["dataclass"]

T = TypeVar("T")


def _dataclass(
    cls: type[T] | None = None, /, *, frozen: bool = False, kw_only: bool = False, eq: bool = True
) -> type[T] | Callable[[type[T]], type[T]]:
    """Return a class as `dataclasses.dataclass` does, or what makes it one."""

    def made(kind: type[T]) -> type[T]:
        methods: dict[str, object] = {"__repr__": _shown}
        if eq:
            methods |= {"__eq__": _is_equal}
        if frozen:
            methods |= {"__setattr__": _set_once, "__delattr__": _refuse_to_delete}
        for name, method in methods.items():
            if name not in kind.__dict__:
                setattr(kind, name, method)
        if eq and kind.__dict__.get("__hash__") is None:
            setattr(kind, "__hash__", _hash if frozen else None)  # noqa: B010 - what can change is in no set
        return dataclasses.dataclass(repr=False, eq=False, kw_only=kw_only)(kind)  # noqa: TID251 - what ours are made with

    return made if cls is None else made(cls)


if TYPE_CHECKING:
    from dataclasses import dataclass  # noqa: TID251 - what type checkers take ours for
else:
    dataclass = _dataclass


@cache
def _compared(kind: type) -> tuple[str, ...]:
    """Return the names of the fields by which two objects of a class are the same."""
    return tuple(field.name for field in dataclasses.fields(kind) if field.compare)


def _values(self: object) -> tuple[object, ...]:
    names = _compared(type(self))  # type: ignore[arg-type]  # a class has a hash, if no object of it has
    return tuple([getattr(self, name) for name in names])


def _is_equal(self: object, other: object) -> bool:
    return _values(self) == _values(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(self: object) -> int:
    return hash(_values(self))


@recursive_repr()
def _shown(self: object) -> str:
    fields = [field.name for field in dataclasses.fields(self) if field.repr]  # type: ignore[arg-type]
    return f"{self.__class__.__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in fields)})"


def _set_once(self: object, name: str, value: object) -> None:
    """Set a field as `__init__` does, and never again."""
    if name in self.__dict__ or name not in self.__dataclass_fields__:  # type: ignore[attr-defined]
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
    self.__dict__[name] = value


def _refuse_to_delete(_self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")

"""Values as JSON and back, each of the very type that it was; nothing that a file names is run or imported.

A JSON object has one key, which says what it stands for. Dataclasses and named tuples are known by their names, and
only those of ours that are loaded are made again.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import Final, NamedTuple, TextIO, cast

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.columns import Column
from scoresheet.metrics.stored_columns import Texts

_SEPARATORS: Final = (",", ":")
_BYTES: Final = 3 * 2**16  # of an array that are written at once: threes are four letters, and nothing is left over
_ITEMS: Final = 2_048  # of a list
_OURS: Final = "scoresheet."
_PLAIN: Final = frozenset({type(None), bool, int, float, str})
_TUPLE, _MAPPING, _PAIRS, _SET, _FROZEN_SET = "tuple", "mapping", "pairs", "set", "frozenset"
_ARRAY, _SCALAR, _NAMED_TUPLE, _DATACLASS, _STATE, _AGAIN = "array", "scalar", "named", "data", "state", "again"


def to_json(value: object) -> str:
    """Return a value as JSON text; TypeError if a part of it is of a kind that could not be made again."""
    return _text(_Encoder().encoded(value))


class InJsonTypes(NamedTuple):
    """A value as what JSON is made of, long arrays and texts as they are."""

    encoded: object
    is_long: bool  # whether anything of it is


def in_json_types(value: object) -> InJsonTypes:
    """Return a value as what `write_in_pieces` makes JSON of; TypeError as in `to_json`."""
    encoder = _Encoder(long_as_is=True)
    return InJsonTypes(encoder.encoded(value), encoder.met_long)


def write_in_pieces(value: InJsonTypes, stream: TextIO) -> None:
    """Write what `in_json_types` returned, without a text of all of it where it is long."""
    stream.writelines(_pieces(value.encoded) if value.is_long else [_text(value.encoded)])


def _pieces(value: object) -> Iterator[str]:
    """Yield the JSON of a value: a dataclass field by field, what is long some at a time, all else at once.

    The encoder of the standard library is quick where it makes a whole text, and slow where it yields pieces.
    """
    if isinstance(value, np.ndarray):
        data = np.ascontiguousarray(value).data.cast("B")
        yield '"'
        yield from (_base64(data[start : start + _BYTES]) for start in range(0, len(data), _BYTES))
        yield '"'
    elif isinstance(value, Texts) or (isinstance(value, list) and _is_long(value)):
        yield "["
        for start in range(0, len(value), _ITEMS):
            yield ("," if start else "") + _text(list(value[start : start + _ITEMS]))[1:-1]
        yield "]"
    elif isinstance(value, dict) and _DATACLASS in value:
        name, fields = value[_DATACLASS]
        yield f'{{"{_DATACLASS}":[{_text(name)},'
        yield from _pieces_of_parts(fields)
        yield "]}"
    elif isinstance(value, list) and value and isinstance(value[0], dict) and _DATACLASS in value[0]:
        yield from _pieces_of_parts(value)
    else:
        try:
            yield _text(value)
        except TypeError:  # something long is in it
            yield from _pieces_of_parts(cast("dict[str, object] | list[object]", value))


def _pieces_of_parts(value: dict[str, object] | list[object]) -> Iterator[str]:
    """Yield the JSON of an object or a list, part by part."""
    keyed = isinstance(value, dict)
    yield "{" if keyed else "["
    for number, each in enumerate(value):
        yield "," if number else ""
        if isinstance(value, dict):
            yield f"{_text(each)}:"
            yield from _pieces(value[cast("str", each)])
        else:
            yield from _pieces(each)
    yield "}" if keyed else "]"


def _is_long(values: list[object]) -> bool:
    return len(values) > _ITEMS and all(type(each) in _PLAIN for each in values)


def from_json(text: str) -> object:
    """Return the value that `to_json` was given; ValueError if the text is not of its making."""
    try:
        return _Decoder().decoded(json.loads(text))
    except (TypeError, LookupError, AttributeError, RecursionError) as error:
        raise ValueError(f"no value of ours: {error}") from error


def digest(value: object) -> str:
    """Return the SHA-256 of a value: of objects of ours all that they hold; TypeError for what cannot be told apart."""
    return hashlib.sha256(_text(_Encoder(states=True).encoded(value)).encode()).hexdigest()


def _text(encoded: object) -> str:
    return json.dumps(encoded, separators=_SEPARATORS)


class _Encoder:
    """Makes JSON of one value; a dataclass that it meets again is named by its number, and so stays the same one."""

    def __init__(self, *, states: bool = False, long_as_is: bool = False) -> None:
        self._numbers: dict[int, tuple[int, object]] = {}
        self._states = states
        self._long_as_is = long_as_is
        self.met_long = False  # whether there was anything that is not to be made JSON at once

    def encoded(self, value: object) -> object:
        kind = type(value)
        if kind in _PLAIN:
            return value
        if kind is list:
            return self._items(cast("list[object]", value))
        if kind is tuple:
            return {_TUPLE: self._items(cast("tuple[object, ...]", value))}
        if kind is dict:
            return self._of_mapping(cast("dict[object, object]", value))
        if isinstance(value, np.generic | np.ndarray):
            return self._of_array(value)
        if kind in (set, frozenset):
            return self._of_set(cast("set[object]", value))
        if isinstance(value, Column):  # made again as a list, which it is equal to
            return self._of_column(value)
        return self._of_class(value)

    def _items(self, values: Collection[object]) -> list[object]:
        self.met_long = self.met_long or len(values) > _ITEMS
        return [value if type(value) in _PLAIN else self.encoded(value) for value in values]

    def _of_column(self, values: Column[object]) -> object:
        if self._long_as_is and isinstance(values, Texts):
            self.met_long = True
            return values
        return self._items(values)

    def _of_mapping(self, values: Mapping[object, object]) -> object:
        if all(type(key) is str for key in values):
            named = cast("Mapping[str, object]", values)
            own = {key: value if type(value) in _PLAIN else self.encoded(value) for key, value in named.items()}
            return {_MAPPING: own}
        return {_PAIRS: [[self.encoded(key), self.encoded(value)] for key, value in values.items()]}

    def _of_set(self, values: Iterable[object]) -> object:
        # numbers would depend on the order, which is another in each process
        every = sorted((_Encoder(states=self._states).encoded(value) for value in values), key=_text)
        return {_FROZEN_SET if isinstance(values, frozenset) else _SET: every}

    def _of_array(self, value: object) -> object:
        array = np.asarray(value)
        if array.dtype.hasobject:
            raise TypeError("an array of objects cannot be kept")
        as_is = self._long_as_is and array.nbytes > _BYTES
        self.met_long = self.met_long or as_is
        data = array if as_is else _base64(np.ascontiguousarray(array).tobytes())
        return {_ARRAY if isinstance(value, np.ndarray) else _SCALAR: [array.dtype.str, list(array.shape), data]}

    def _of_class(self, value: object) -> object:
        kind = type(value)
        name, fields = _name_and_fields(kind)  # type: ignore[arg-type] # a class has a hash, if no object of it has
        if issubclass(kind, tuple) and fields is not None:
            return {_NAMED_TUPLE: [name, self._items(cast("tuple[object, ...]", value))]}
        if id(value) in self._numbers:
            return {_AGAIN: self._numbers[id(value)][0]}
        if fields is not None:
            own = self._items([getattr(value, each) for each in fields])
            encoded: object = {_DATACLASS: [name, dict(zip(fields, own, strict=True))]}
        elif self._states:
            encoded = {_STATE: [name, {each: self.encoded(own) for each, own in _state_of(value).items()}]}
        else:
            raise TypeError(f"a {name} cannot be kept")
        self._numbers[id(value)] = (len(self._numbers), value)  # held: the place of one that is gone is another's
        return encoded


@cache
def _name_and_fields(kind: type) -> tuple[str, tuple[str, ...] | None]:
    """Return the name of a class of ours, and the fields that a dataclass or named tuple has."""
    if not kind.__module__.startswith(_OURS):
        raise TypeError(f"a {kind.__module__}.{kind.__qualname__} cannot be kept")
    name = f"{kind.__module__}:{kind.__qualname__}"
    if dataclasses.is_dataclass(kind):
        return name, tuple(field.name for field in dataclasses.fields(kind))
    return name, getattr(kind, "_fields", None) if issubclass(kind, tuple) else None


def _state_of(value: object) -> dict[str, object]:
    """Return what an object holds, whether in a dictionary or in slots."""
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    state = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    return state | dict(getattr(value, "__dict__", {}))


def _base64(data: bytes | memoryview) -> str:
    return base64.b64encode(data).decode("ascii")


class _Decoder:
    """Makes a value of what an encoder made."""

    def __init__(self) -> None:
        self._known: list[object] = []
        self._makers: Mapping[str, Callable[[object], object]] = {
            _TUPLE: lambda given: tuple(self._items(given)),
            _MAPPING: lambda given: {
                key: self.decoded(value) for key, value in cast("dict[str, object]", given).items()
            },
            _PAIRS: lambda given: {self.decoded(key): self.decoded(value) for key, value in cast("_Pairs", given)},
            _SET: lambda given: {_Decoder().decoded(each) for each in cast("list[object]", given)},
            _FROZEN_SET: lambda given: frozenset(_Decoder().decoded(each) for each in cast("list[object]", given)),
            _ARRAY: _decoded_array,
            _SCALAR: _decoded_scalar,
            _NAMED_TUPLE: self._named_tuple,
            _DATACLASS: self._dataclass,
            _AGAIN: lambda given: self._known[cast("int", given)],
        }

    def decoded(self, encoded: object) -> object:
        if isinstance(encoded, list):
            return self._items(encoded)
        if not isinstance(encoded, dict):
            return encoded
        ((kind, given),) = encoded.items()
        return self._makers[kind](given)

    def _items(self, encoded: object) -> list[object]:
        return [each if type(each) in _PLAIN else self.decoded(each) for each in cast("list[object]", encoded)]

    def _named_tuple(self, given: object) -> object:
        name, values = cast("tuple[str, object]", given)
        return _class_named(name, lambda kind: issubclass(kind, tuple) and hasattr(kind, "_fields"))(
            *self._items(values)
        )

    def _dataclass(self, given: object) -> object:
        name, fields = cast("tuple[str, dict[str, object]]", given)
        kind = _class_named(name, dataclasses.is_dataclass)
        made = kind(**{each: self.decoded(value) for each, value in fields.items()})
        self._known.append(made)
        return made


_Pairs = list[tuple[object, object]]


def _class_named(name: str, is_wanted: Callable[[type], bool]) -> type:
    """Return a class of ours that is loaded; LookupError if there is none of this name and sort."""
    module, _, own = name.partition(":")
    found = getattr(sys.modules.get(module), own, None) if module.startswith(_OURS) else None
    if not isinstance(found, type) or not is_wanted(found):
        raise LookupError(name)
    return found


def _decoded_array(given: object) -> object:
    kind, shape, data = cast("tuple[str, list[int], str]", given)
    return np.frombuffer(base64.b64decode(data, validate=True), dtype=np.dtype(kind)).reshape(shape).copy()


def _decoded_scalar(given: object) -> object:
    return cast("NDArray[np.float64]", _decoded_array(given))[()]

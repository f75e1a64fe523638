"""What public functions are given, checked where it comes in: what cannot be meant is a ValueError that shows it.

A wrong type is a ValueError too: whoever scores many cells catches one kind of error, and sees which cell it was.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:  # help is shown without numpy, and texts are checked without it
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Arrays = ArrayLike | Sequence[Sequence[object]]  # what may turn out to be no array at all


def is_number(value: object) -> TypeGuard[float]:
    """Return whether this is a number, numpy's included."""
    return isinstance(value, Real)


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether this is a whole number by its type."""
    return isinstance(value, Integral)


def check_text(name: str, value: object) -> None:
    """Raise ValueError if this is no text, as an empty cell of a data frame is none."""
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a text, not {reprlib.repr(value)}")  # noqa: TRY004 - one kind of error


def checked_texts(name: str, values: Iterable[str]) -> list[str]:
    """Return texts as a list; a single text is none of them, though it could be gone through letter by letter."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        one = "one: " if isinstance(values, str) else ""
        raise ValueError(f"{name} must be a sequence of texts, not {one}{reprlib.repr(values)}")  # noqa: TRY004
    listed = list(values)
    for position, text in enumerate(listed):
        if not isinstance(text, str):
            raise ValueError(f"{name.removesuffix('s')} {position} is no text but {reprlib.repr(text)}")  # noqa: TRY004
    return listed


def check_between(name: str, value: object, least: float, most: float) -> None:
    """Raise ValueError if a number lies outside its range, is NaN or is none.

    >>> check_between("alpha", 1.5, 0, 1)
    Traceback (most recent call last):
    ValueError: alpha cannot be 1.5; it lies between 0 and 1
    """
    if not is_between(value, least, most):
        raise ValueError(f"{name} cannot be {reprlib.repr(value)}; it lies between {least:g} and {most:g}")


def is_between(value: object, least: float, most: float) -> bool:
    """Return whether this is a number within a range; NaN lies in none."""
    return is_number(value) and bool(least <= value <= most)


def check_whole(name: str, value: object, least: int = 0) -> None:
    """Raise ValueError if this is no whole number, or one that is too small.

    >>> check_whole("seed", -1)
    Traceback (most recent call last):
    ValueError: seed cannot be -1; it is a whole number from 0 on
    """
    if not is_whole(value) or value < least:
        raise ValueError(f"{name} cannot be {reprlib.repr(value)}; it is a whole number from {least} on")


def check_cutoffs(cutoffs: object) -> None:
    """Raise ValueError if these are not ranks, one at the least."""
    listed = list(cutoffs) if isinstance(cutoffs, Iterable) else []
    if not listed or not all(is_whole(k) and k >= 1 for k in listed):
        raise ValueError(f"cutoffs cannot be {listed or cutoffs!r}; name ranks from 1 on")


def checked_counts(counts: Iterable[float], name: str = "counts") -> list[float]:
    """Return counts, or weights, as numbers; ValueError if there are none, or one is negative or not finite.

    >>> checked_counts([3, -1])
    Traceback (most recent call last):
    ValueError: counts are numbers from 0 on, not -1
    """
    return _from_zero_on(_listed(counts, name), name, "numbers")


def checked_whole_counts(counts: object, name: str = "counts") -> list[int]:
    """Return counts as whole numbers; ValueError as for other counts, and if one is not whole."""
    listed = _listed(counts, name)
    for number in _from_zero_on(listed, name, "whole numbers"):
        if not number.is_integer():
            raise ValueError(f"{name} are whole numbers from 0 on, not {number}")
    return [int(count) for count in listed]  # not from floats, which hold no more than 53 bits


def _listed(counts: object, name: str) -> list[float]:
    if isinstance(counts, str) or not isinstance(counts, Iterable):
        raise ValueError(f"{name} must have one dimension, not {reprlib.repr(counts)}")  # noqa: TRY004
    shape = getattr(counts, "shape", (1,))
    if len(shape) != 1:
        raise ValueError(f"{name} must have one dimension, not shape {shape}")
    listed = list(counts)
    if not listed:
        raise ValueError(f"{name} must not be empty; there are none in {counts!r}")
    return listed


def _from_zero_on(counts: Iterable[object], name: str, numbers: str) -> list[float]:
    """Return counts as floats; texts that could be read as numbers are none."""
    found = []
    for count in counts:
        number = float(count) if is_number(count) else math.nan
        if not 0 <= number < math.inf:
            what = f"{numbers} from 0 on" if (isinstance(count, str) or is_number(count)) else "of one dimension"
            raise ValueError(f"{name} are {what}, not {count!r}")
        found.append(number)
    return found


def check_weights(name: str, weights: object) -> None:
    """Raise ValueError if weights are no mapping to numbers from 0 on, or nothing has any weight."""
    if not isinstance(weights, Mapping):
        raise ValueError(f"{name} must be a mapping to weights, not {reprlib.repr(weights)}")  # noqa: TRY004
    for key, weight in weights.items():
        if not is_number(weight) or not 0 <= weight < math.inf:
            raise ValueError(f"{name}: the weight of {key!r} cannot be {weight!r}")
    if weights and not any(weights.values()):
        raise ValueError(f"{name}: the weights sum to nothing: {reprlib.repr(dict(weights))}")


def checked_array(
    name: str, values: Arrays, dimensions: int, *, gaps: bool = False, empty: bool = False
) -> NDArray[np.float64]:
    """Return numbers as an array of so many dimensions, `empty` only where nothing has a meaning too.

    None may be infinite; NaN stands for what is missing, where there may be `gaps`.

    >>> checked_array("vectors", [1.0, 2.0], 2)
    Traceback (most recent call last):
    ValueError: vectors must have 2 dimensions, not shape (2,)
    """
    import numpy as np

    table = _as_array(name, values)
    if table.ndim != dimensions:
        raise ValueError(f"{name} must have {dimensions} dimension{'s' * (dimensions > 1)}, not shape {table.shape}")
    if not len(table) and not empty:
        raise ValueError(f"{name} must not be empty; their shape is {table.shape}")
    wrong = np.isinf(table) if gaps else ~np.isfinite(table)
    if wrong.any():
        what = "cannot be infinite, as one is" if gaps else "must be known and finite, not"
        raise ValueError(f"{name} {what} {table[wrong][0]}")
    return table


def checked_shares(
    name: str, values: ArrayLike, dimensions: int, *, gaps: bool = False, empty: bool = False
) -> NDArray[np.float64]:
    """Return the same for numbers from 0 to 1, which the last digit of the arithmetic may miss."""
    table = checked_array(name, values, dimensions, gaps=gaps, empty=empty)
    wrong = (table < -1e-9) | (table > 1 + 1e-9)
    if wrong.any():
        raise ValueError(f"{name} must lie between 0 and 1, not at {table[wrong][0]}")
    return table


def checked_hits(name: str, values: ArrayLike, dimensions: int) -> NDArray[np.bool_]:
    """Return whether each is right, as an array of so many dimensions; ValueError for what is neither true nor false.

    >>> checked_hits("hits", [0.3, 1], 1)
    Traceback (most recent call last):
    ValueError: hits must be true or false, not 0.3
    """
    table = checked_array(name, values, dimensions)
    wrong = (table != 0) & (table != 1)
    if wrong.any():
        raise ValueError(f"{name} must be true or false, not {table[wrong][0]}")
    return table.astype(bool)


def checked_codes(name: str, values: ArrayLike, dimensions: int, *, least: int) -> NDArray[np.int64]:
    """Return codes of classes as an array of so many dimensions; ValueError for what is not whole, or too small."""
    import numpy as np

    table = checked_array(name, values, dimensions)
    wrong = (table != np.floor(table)) | (table < least)
    if wrong.any():
        raise ValueError(f"{name} are whole numbers from {least} on, not {table[wrong][0]}")
    return np.asarray(values).astype(np.int64)


def _as_array(name: str, values: Arrays) -> NDArray[np.float64]:
    import numpy as np

    if isinstance(values, np.ndarray) and values.dtype == np.float64:
        return values
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers in rows of one length, not {_shape_or_value(values)}") from None


def _shape_or_value(values: object) -> str:
    import numpy as np

    return f"of shape {values.shape}" if isinstance(values, np.ndarray) else reprlib.repr(values)

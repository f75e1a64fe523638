"""Measures: each is declared once, with the function that computes it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

Format = Literal["number", "accuracy", "share", "points", "options", "count", "p", "text"]
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Measure:
    """What a column of numbers is called, means, and how it is shown.

    `bands` are (lower edge, word) pairs in ascending order. `better` is empty where neither
    direction is better; such a measure is not ranked.
    """

    name: str
    label: str
    sentence: str
    format: Format = "number"
    better: Literal["higher", "lower", ""] = ""
    bounds: tuple[float, float] | None = None
    bands: tuple[tuple[float, str], ...] = ()
    reference: str = ""

    def band(self, value: float) -> str:
        """Return the word of the band that holds the value, empty where it is undefined.

        >>> Measure("m", "M", "", bands=((0, "low"), (0.5, "moderate"))).band(0.5 - 1e-12)
        'moderate'
        """
        if math.isnan(value):
            return ""
        words = [word for edge, word in self.bands if value >= edge - 1e-9]
        return words[-1] if words else ""


_DECLARED: dict[Callable[..., Any], Measure] = {}


def measure(
    name: str,
    *,
    label: str = "",
    format: Format = "number",  # noqa: A002
    better: Literal["higher", "lower", ""] = "",
    bounds: tuple[float, float] | None = None,
    bands: tuple[tuple[float, str], ...] = (),
    reference: str = "",
) -> Callable[[Function], Function]:
    """Declare the decorated function as the one that computes a measure.

    The first line of its docstring is the measure's sentence in reports and docs.
    """

    def declare(function: Function) -> Function:
        sentence = (function.__doc__ or "").strip().split("\n")[0]
        if not sentence:
            raise ValueError(f"{function.__name__}: a measure needs a docstring")
        _DECLARED[function] = Measure(
            name, label or name, sentence, format, better, bounds, bands, reference
        )
        return function

    return declare


def measure_of(function: Callable[..., Any]) -> Measure:
    """Return the measure that a function was declared to compute."""
    if function not in _DECLARED:
        raise ValueError(f"{function.__name__} computes no declared measure: add @measure")
    return _DECLARED[function]

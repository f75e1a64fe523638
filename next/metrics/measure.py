"""Measures: each is declared once, with the function that computes it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, get_args

Format = Literal["number", "accuracy", "share", "points", "options", "short", "count", "p", "text"]
Function = TypeVar("Function", bound=Callable[..., Any])

BAND_TOLERANCE = 1e-9


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

    def __post_init__(self) -> None:
        if self.better not in ("higher", "lower", "") or self.format not in get_args(Format):
            raise ValueError(f"{self.name}: unknown {self.better!r} or format {self.format!r}")

    def band(self, value: float) -> str:
        """Return the word of the band that holds the value, empty where it is undefined.

        >>> Measure("m", "M", "", bands=((0, "low"), (0.5, "moderate"))).band(0.5 - 1e-12)
        'moderate'
        """
        words = [word for edge, word in self.bands if value >= edge - BAND_TOLERANCE]
        return words[-1] if words else ""

    def verdict(self, low: float, high: float) -> str:
        """Return the word of the band that holds the whole interval, empty where there is none."""
        word = self.band(low)
        return word if word == self.band(high) else ""


_DECLARED: dict[Callable[..., Any], Measure] = {}


def measure(name: str, *, label: str = "", **declared: Any) -> Callable[[Function], Function]:
    """Declare the decorated function as the one that computes a measure, with `Measure`'s fields.

    The first line of its docstring is the measure's sentence in reports and docs.
    """

    def declare(function: Function) -> Function:
        sentence = (function.__doc__ or "").strip().split("\n")[0]
        _DECLARED[function] = Measure(name, label or name, sentence, **declared)
        return function

    return declare


def measure_of(function: Callable[..., Any]) -> Measure:
    """Return the measure that a function was declared to compute."""
    if function not in _DECLARED:
        raise ValueError(f"{function.__name__} computes no declared measure: add @measure")
    return _DECLARED[function]

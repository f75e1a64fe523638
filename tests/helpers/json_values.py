"""What a JSON answer holds, value by value."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NoReturn


def leaves(value: object) -> Iterator[object]:
    """The innermost values of nested mappings and lists."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from leaves(inner)
    else:
        yield value


def nested(metrics: dict[str, dict[str, object]]) -> dict[str, dict[str, object]]:
    """The nested numbers of metrics.json, without the lines of pages."""
    return {model: {key: own[key] for key in own if not key.endswith("Pages")} for model, own in metrics.items()}


def holds(value: object, number: float) -> bool:
    """Whether a number is among the innermost values."""
    return any(isinstance(leaf, float) and math.isclose(leaf, number, rel_tol=1e-12) for leaf in leaves(value))


def refuse(constant: str) -> NoReturn:
    """Called for NaN and Infinity, which are no JSON."""
    raise AssertionError(constant)

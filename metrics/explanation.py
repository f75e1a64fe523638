"""Explanations: how the numbers of one unit came about; each family has its own kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TypeVar

from scoresheet.metrics.records import dataclass
from scoresheet.metrics.units import Value


@dataclass(frozen=True)
class UnitName:
    """Which unit of a model is meant: the sheet, the keys, and the row where units are rows."""

    sheet: str
    keys: Mapping[str, str] = field(default_factory=dict)
    row: int | None = None


class NoSuchUnit(LookupError):
    """No sheet has the unit that is to be explained."""


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """How the numbers of a unit came about; each family adds what they are made of."""

    measures: Mapping[str, Value]  # what it comes to, by the names that reports have for them


E = TypeVar("E", bound=Explanation)

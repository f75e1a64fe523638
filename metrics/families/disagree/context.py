"""What scoring needs besides a sheet: the strategies that simulate judges, built in or from the user's table."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Final

from scoresheet.metrics.families.disagree.inputs import Ratings
from scoresheet.metrics.families.disagree.options import BUILT_IN_STRATEGIES, DisagreeOptions
from scoresheet.metrics.families.disagree.schema import STRATEGY, STRATEGY_PARAMETERS
from scoresheet.metrics.families.disagree.strategies import DEFAULT_STRATEGIES, Strategy
from scoresheet.metrics.family import Given
from scoresheet.metrics.keys import join_key
from scoresheet.metrics.messages import flag
from scoresheet.metrics.numbers import format_float, parse_float
from scoresheet.metrics.problems import UsageError
from scoresheet.metrics.schema import ROW, SOURCE

if TYPE_CHECKING:
    import pandas as pd

_LEAST: Final = {"bias": -1.0}  # all else begins at 0; nothing is above 1

Strategies = tuple[Strategy, ...]
_Row = Mapping[Hashable, object]


def strategies_given(given: Given[Ratings], options: DisagreeOptions) -> Strategies:
    """Return the strategies of a run; none if the judges' own scores are asked for."""
    if options.strategies == BUILT_IN_STRATEGIES:
        return DEFAULT_STRATEGIES
    return parse_strategies(given.tables["strategies"]) if options.strategies else ()


def parse_strategies(table: pd.DataFrame) -> Strategies:
    """Return the strategies of a user's table; UsageError says which cell cannot be one of a strategy."""
    ours = {STRATEGY.name, *STRATEGY_PARAMETERS}
    others = [str(name) for name in table.columns if name not in ours and not str(name).startswith("@")]
    dimensions = [name for name in others if any(parse_float(cell) is not None for cell in table[name])]
    strategies: dict[str, Strategy] = {}
    rows: list[_Row] = list(table.to_dict("records"))
    for row in rows:
        name = join_key(str(row[STRATEGY.name]))
        if name in strategies:
            raise UsageError(
                f"{row[SOURCE]} row {row[ROW]}: the strategy {name!r} is there twice; give each its own name"
            )
        parameters = {parameter: _number(row, parameter, required=True) or 0.0 for parameter in STRATEGY_PARAMETERS}
        weights = {dimension: _number(row, dimension) for dimension in dimensions}
        known = {dimension: weight for dimension, weight in weights.items() if weight is not None}
        strategies[name] = Strategy(name, **parameters, weights=known)
    if not strategies:
        raise UsageError(
            f"{flag('strategies')}: the table has no rows; a strategy is a row of "
            f"{', '.join((STRATEGY.name, *STRATEGY_PARAMETERS))}"
        )
    return tuple(strategies.values())


def _number(row: _Row, column: str, *, required: bool = False) -> float | None:
    cell = str(row[column]).strip()
    if not cell and not required:
        return None
    value = parse_float(cell)
    if value is None:
        shown = f"{cell!r} is not a number" if cell else "the cell is empty"
        raise UsageError(f"{row[SOURCE]} row {row[ROW]}, column {column}: {shown}; a strategy needs a number there")
    least = _LEAST.get(column, 0.0)
    if not least <= value <= 1:
        raise UsageError(
            f"{row[SOURCE]} row {row[ROW]}, column {column}: {cell} is not within {format_float(least)} and 1, as the "
            f"{column if column in STRATEGY_PARAMETERS else 'weight'} of a strategy must be"
        )
    return value

"""scores: intervals and comparisons for numbers people already have, per item."""

from typing import Literal

import pandas as pd

from scoresheet.metrics.family import Family, Scores, Tables, carry_along
from scoresheet.metrics.measure import Measure, measure
from scoresheet.metrics.problem import row_problems
from scoresheet.metrics.scores.options import COMMAND, ScoresOptions
from scoresheet.metrics.scores.tables import TABLES

UNNAMED = "Score"


@measure("Score", better="higher")
def item_scores(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the score of each item, one column per measure, in the order of the rows."""
    keys = item_keys(rows)
    named = (
        rows.assign(measure=rows["measure"]) if "measure" in rows else rows.assign(measure=UNNAMED)
    )
    measures = list(dict.fromkeys(named["measure"]))
    items = pd.MultiIndex.from_frame(rows[keys].drop_duplicates())
    return named.pivot(index=keys, columns="measure", values="score").loc[items, measures]


def item_keys(rows: pd.DataFrame) -> list[str]:
    """Return the columns that identify an item."""
    return [name for name in ("sheet", "item", "run", "part") if name in rows]


def bounds_of(text: str) -> tuple[float, float] | None:
    """Return the two ends of LOW:HIGH, None where nothing is given.

    >>> bounds_of("0:100")
    (0.0, 100.0)
    """
    if not text:
        return None
    try:
        low, high = (float(end) for end in text.split(":"))
    except ValueError:
        raise ValueError(f"bounds must be LOW:HIGH, not {text!r}") from None
    if not low < high:
        raise ValueError(f"the lower bound must be below the upper one, not {text!r}")
    return low, high


def score(tables: Tables, options: ScoresOptions) -> Scores:
    """Arrange the scores of one model by item; an empty score stays empty."""
    rows = tables["outputs"]
    bounds = bounds_of(options.bounds)
    outside = rows["score"].lt(bounds[0]) | rows["score"].gt(bounds[1]) if bounds else None
    if outside is not None and outside.any():
        first = rows[outside].iloc[0]
        raise ValueError(
            f"{int(outside.sum())} scores lie outside {options.bounds}"
            f" (first: row {first['row']}, {first['score']:g})"
        )
    values = item_scores(rows)
    measures = tuple(_measure(str(name), options, bounds) for name in values.columns)
    items = rows.drop_duplicates(item_keys(rows)).reset_index(drop=True)
    units = pd.DataFrame({"Sheet": items["sheet"], "Item": items["item"]})
    for measure_ in measures:
        units[measure_.name] = values[measure_.name].to_numpy(float)
    units["Row"] = items["row"]
    problems = row_problems(rows[rows["score"].isna()], "no-score", "the score is empty")
    return Scores(carry_along(units, items), problems, measures=measures)


def _measure(name: str, options: ScoresOptions, bounds: tuple[float, float] | None) -> Measure:
    better: Literal["lower", "higher"] = "lower" if name in options.lower_is_better else "higher"
    sentence = "Return the mean of the scores that were given."
    return Measure(name, name, sentence, better=better, bounds=bounds)


def signature(options: ScoresOptions) -> dict[str, str]:
    """Return the settings that a score depends on, in short."""
    lower = ",".join(options.lower_is_better)
    return {"bounds": options.bounds or "none", **({"lower": lower} if lower else {})}


FAMILY = Family(
    command=COMMAND,
    title="Scores",
    stem="scores",
    unit="Item",
    unit_role="item",
    tables=TABLES,
    functions=(item_scores,),
    score=score,
    signature=signature,
    formula="The mean of the scores that were given, with its interval.",
    method="Means of the scores that were given, over items.",
)

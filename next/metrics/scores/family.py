"""scores: intervals and comparisons for numbers people already have, per item."""

from typing import Literal

import pandas as pd

from scoresheet.metrics.family import Family, Scores, Tables, carry_along
from scoresheet.metrics.measure import Measure, measure
from scoresheet.metrics.problem import Problem, Refusal, row_problems
from scoresheet.metrics.scores.options import COMMAND, ScoresOptions, ends_of
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


def score(tables: Tables, options: ScoresOptions) -> Scores:
    """Arrange the scores of one model by item; an empty score stays empty."""
    rows = tables["outputs"]
    bounds = ends_of(options.bounds)
    if bounds and (outside := ~rows["score"].dropna().between(*bounds)).any():
        first = rows.loc[outside[outside].index[0]]
        message = f"{outside.sum()} scores lie outside {options.bounds}"
        message += f" (first: row {first['row']}, {first['score']:g})"
        hint = "name the bounds that the scores have, as in --bounds 0:100"
        raise Refusal(Problem("off-scale", "skipped", message, file=first["file"], hint=hint))
    values = item_scores(rows)
    unknown = [name for name in options.lower_is_better if name not in values.columns]
    if unknown:
        known = ", ".join(map(str, values.columns))
        message = f"--lower-is-better {unknown[0]}: the measures are {known}"
        raise Refusal(Problem("usage", "skipped", message))
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

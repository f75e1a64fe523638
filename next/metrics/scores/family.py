"""scores: intervals and comparisons for numbers people already have, per item."""

from dataclasses import replace

import pandas as pd

from scoresheet.metrics.family import Explanation, Family, Scores, Tables, carried_along
from scoresheet.metrics.measure import Measure, measure
from scoresheet.metrics.problem import Problem, Refusal, row_problems
from scoresheet.metrics.scores import COMMAND, TABLES, ScoresOptions, ends_of

KEYS = ("sheet", "item", "run", "part")  # what identifies an item, where it is given


@measure("Score", better="higher")
def item_scores(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the score of each item, one column per measure, in the order of the rows."""
    keys = [name for name in KEYS if name in rows]
    named = rows if "measure" in rows else rows.assign(measure="Score")
    items = pd.MultiIndex.from_frame(rows[keys].drop_duplicates())
    table = named.pivot(index=keys, columns="measure", values="score")
    return table.loc[items, list(dict.fromkeys(named["measure"]))]


def score(tables: Tables, options: ScoresOptions) -> Scores:
    """Arrange the scores of one model by item; an empty score stays empty."""
    rows = tables["outputs"]
    bounds = ends_of(options.bounds)
    if bounds and (outside := ~rows["score"].dropna().between(*bounds)).any():
        first = rows.loc[outside[outside].index[0]]
        where = f"(first: row {first['row']}, {first['score']:g})"
        message = f"{outside.sum()} scores lie outside {options.bounds} {where}"
        hint = "name the bounds that the scores have, as in --bounds 0:100"
        raise Refusal(Problem("off-scale", "skipped", message, file=first["file"], hint=hint))
    values = item_scores(rows)
    names = [str(name) for name in values.columns]
    lower = options.lower_is_better
    for name in lower:
        if name not in names:
            message = f"--lower-is-better {name}: the measures are {', '.join(names)}"
            raise Refusal(Problem("usage", "skipped", message))
    items = rows.drop_duplicates([name for name in KEYS if name in rows])
    units = {"Sheet": items["sheet"].to_numpy(), "Item": items["item"].to_numpy()}
    units |= {name: values[name].to_numpy(float) for name in names}
    units |= {"Row": items["row"].to_numpy()} | carried_along(items)
    empty = Problem("no-score", "row", "the score is empty")
    problems = row_problems(rows, rows["score"].isna(), empty)
    sentence = "Return the mean of the scores that were given."
    given = {name: Measure(name, name, sentence, better="higher", bounds=bounds) for name in names}
    given |= {name: replace(given[name], better="lower") for name in lower}
    return Scores(pd.DataFrame(units), problems, measures=tuple(given.values()))


def signature(options: ScoresOptions) -> dict[str, str]:
    """Return the settings that a score depends on, in short."""
    lower = ",".join(options.lower_is_better)
    return {"bounds": options.bounds or "none", **({"lower": lower} if lower else {})}


def explain(tables: Tables, _options: ScoresOptions, sheet: str, unit: str) -> Explanation:
    """Return the numbers of an item as they were read."""
    rows = tables["outputs"]
    chosen = rows[(rows["item"] == unit) & ((rows["sheet"] == sheet) | (sheet == ""))]
    names = [name for name in ("sheet", "row", "run", "measure", "score") if name in chosen]
    read = chosen[names].rename(columns=str.capitalize).reset_index(drop=True)
    sentence = "The numbers of an item are used as they are; of several runs their mean."
    return Explanation((sentence,), {"Read": read})


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
    explain=explain,
    formula="The mean of the scores that were given, with its interval.",
    method="Means of the scores that were given, over items.",
)

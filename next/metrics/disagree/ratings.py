"""From the rows of one model to its ratings: who scored which item how, and what is missing."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scoresheet.metrics.disagree import DisagreeOptions, scales
from scoresheet.metrics.disagree.panel import Codes, Panel, codes_by
from scoresheet.metrics.problem import Problem, Refusal, row_problems
from scoresheet.metrics.stats import Floats

SCALES = ((1, 5), (0, 5), (1, 7), (1, 10), (0, 10), (0, 100), (-1, 1))  # that people use
ITEM = ["sheet", "run", "item"]  # what identifies an item
ROW = ["file", "worksheet", "row"]  # and what a row of a file
WEIGHTS = ("confidence", "cultural_relevance")
NOT_COMMON = "no dimension, or no weight, that all of its judges gave a score"


@dataclass(frozen=True)
class Ratings:
    """The scores of a model's judges.

    `rows` has the scores that were given: codes of item, judge and dimension, the `score`, its
    `value` on the 0 to 1 scale and `weight`, the product of the weights. `items` is the first row
    of each item (sheet, run, item) with the number of its judges. `given` and `overall` are the
    judges' overall scores as tables of items by judges, as given and on the 0 to 1 scale. Labels
    are codes of `labels`. `counts` are the rows of the files, and those that were scored.
    """

    rows: pd.DataFrame
    items: pd.DataFrame
    dimensions: tuple[str, ...]
    given: pd.DataFrame
    overall: pd.DataFrame
    panel: Panel
    zero: float  # the lowest score, in widths of the scale
    labels: tuple[Any, ...]
    counts: dict[str, int]

    @property
    def judges(self) -> list[str]:
        """The names of the judges."""
        return [str(name) for name in self.overall]

    def table(self, column: str, dimension: str) -> pd.DataFrame:
        """Return a column of the rows of one dimension as a table of items by judges."""
        rows = self.rows[self.rows["dimension"] == self.dimensions.index(dimension)]
        cells = np.full(self.overall.shape, np.nan)
        cells[rows["item"], rows["judge"]] = rows[column]
        return pd.DataFrame(cells, columns=self.overall.columns)

    def competence(self, *by: str) -> pd.Series:
        """Return the relevance that judges gave, weighted by confidence, by codes of the rows."""
        rows = self.rows.assign(confidence=self.rows.get("confidence", 1.0))
        sums = rows.groupby(list(by))[["confidence", "weight"]].sum()
        return sums["weight"] / sums["confidence"].where(sums["confidence"] > 0)


def read_ratings(rows: pd.DataFrame, options: DisagreeOptions) -> tuple[Ratings, list[Problem]]:
    """Return the ratings of one model, and what is missing; refuse scores outside their scale."""
    nominal = options.level == "nominal"
    item, (judge, judges) = codes_by(rows, ITEM), pd.factorize(rows["judge"])
    items = rows.iloc[np.unique(item, return_index=True)[1]].reset_index(drop=True)
    names = rows["dimension"] if "dimension" in rows else np.full(len(rows), "", object)
    dimension, dimensions = pd.factorize(names)
    if nominal and len(dimensions) > 1:
        hint = "--column sheet=dimension --column dimension=@none"
        raise _refusal("dimensions", "labels in several dimensions have no overall label", hint)
    scores, labels = _labels(rows["score"]) if nominal else (rows["score"].to_numpy(float), ())
    scale = scales(() if nominal else options.scale)
    low, high = np.array([scale.get(name, scale[""]) for name in judges]).reshape(-1, 2).T
    width = high - low
    known = ~np.isnan(scores)
    columns: dict[str, Any] = {
        "item": item,
        "judge": judge,
        "dimension": dimension,
        "score": scores,
    }
    problems: list[Problem] = []
    if not nominal:
        _check_scale(rows, scores, low[judge], high[judge], options.level)
        problems = _check_weights(rows, known)
        columns |= {name: rows[name].fillna(1.0) for name in WEIGHTS if name in rows}
    columns["value"] = (scores - low[judge]) / width[judge]
    weights = [name for name in WEIGHTS if name in columns]
    rated = pd.DataFrame(columns)[known]
    rated = rated.assign(weight=rated[weights].prod(axis=1))
    problems += _empty_scores(rows[~known])
    cells, judged = _overall(rated, (len(items), len(judges), len(dimensions)))
    if len(judges) > 1 and judged.max() == 1:
        hint = "name the column that is the same for all judges of an item: --column item=HEADER"
        raise _refusal("no-pairs", "no item has scores of two judges", hint)
    given = pd.DataFrame(cells, columns=judges)
    kept = known & ~((judged > 0) & np.isnan(cells).all(axis=1))[item]
    problems += _once(rows[known & ~kept], Problem("no-overall", "row", NOT_COMMON))
    overall = (given - low) / width
    if len({*zip(low, width, strict=True)}) > 1:  # scores as given cannot be compared
        given, low, width = overall, np.zeros(1), np.ones(1)
        rated = rated.assign(score=rated["value"])
        message = "judges have different scales: alpha, ICC and offsets are on the 0 to 1 scale"
        problems.append(Problem("scales", "note", message))
    unit = codes_by(items, ["cluster"] if "cluster" in items else ["sheet", "item"])
    sheet = codes_by(items, ["sheet", "run"])
    ratings = Ratings(
        *(rated, items.assign(judges=judged), tuple(dimensions), given, overall),
        Panel(given.to_numpy(), unit, sheet, options.level, float(width[0])),
        *(float(low[0] / width[0]), labels),
        {"Rows": len(rows.drop_duplicates(ROW)), "Scored": len(rows[kept].drop_duplicates(ROW))},
    )
    return ratings, problems


def _refusal(kind: str, message: str, hint: str = "") -> Refusal:
    return Refusal(Problem(kind, "skipped", message, hint=hint))


def _once(rows: pd.DataFrame, problem: Problem) -> list[Problem]:
    """Return the problem for each row of a file."""
    own = rows.drop_duplicates(ROW)
    return row_problems(own, np.ones(len(own), bool), problem)


def _labels(cells: pd.Series) -> tuple[Floats, tuple[Any, ...]]:
    """Return the codes of labels, NaN where there is none, and the labels in order."""
    texts = cells.astype(str).where(cells.notna(), "").str.strip()
    numbers, filled = pd.to_numeric(texts, errors="coerce"), texts != ""
    values = numbers if numbers[filled].notna().all() else texts  # 1.0 and 1 are one label
    codes, labels = pd.factorize(values.where(filled), sort=True)
    return np.where(codes < 0, np.nan, codes), tuple(labels)


def _check_scale(rows: pd.DataFrame, scores: Floats, low: Floats, high: Floats, level: str) -> None:
    """Refuse scores outside the scale of their judge."""
    slack = 1e-9 * (high - low)
    outside = (scores < low - slack) | (scores > high + slack)
    if level == "ratio" and (scores < 0).any():
        raise _refusal("off-scale", "scores below 0 have no ratio level")
    problems, scored = [], rows["file"][~np.isnan(scores)].value_counts()
    off = rows[outside].assign(low=low[outside], high=high[outside])
    for file, own in off.groupby("file", sort=False):
        first = own.iloc[0]
        message = f"{len(own)} of {scored[file]} scores lie outside the scale "
        message += f"{first['low']:g}:{first['high']:g} "
        message += f"(first: row {first['row']}, {first['judge']} = {first['score']:g})"
        hint = _scale_hint(np.nanmin(scores), np.nanmax(scores))
        problems.append(Problem("off-scale", "skipped", message, str(file), hint=hint))
    if problems:
        raise Refusal(*problems)


def _scale_hint(least: float, most: float) -> str:
    for low, high in SCALES:
        if low <= least and most <= high:
            return f"if judges used {low} to {high}, add --scale {low}:{high}"
    return f"name the scale of the judges, as in --scale LOW:HIGH; scores are {least:g} to {most:g}"


def _check_weights(rows: pd.DataFrame, known: NDArray[np.bool_]) -> list[Problem]:
    """Refuse weights below 0, and return a note for each score without a weight."""
    problems = []
    for name in (name for name in WEIGHTS if name in rows):
        if (below := (rows[name] < 0).sum()) > 0:
            raise _refusal("off-scale", f"{name} is below 0 in {below} rows")
        note = Problem("no-weight", "note", f"{name} is empty and counts as 1", column=name)
        problems += _once(rows[known & rows[name].isna()], note)
    return problems


def _empty_scores(empty: pd.DataFrame) -> list[Problem]:
    """Return a note for each table with empty scores."""
    problems = []
    for (file, sheet), own in empty.groupby(["file", "worksheet"], sort=False):
        verb = "score is" if len(own) == 1 else "scores are"
        message = f"{len(own)} {verb} empty (first: row {own['row'].iloc[0]})"
        if "dimension" in empty:
            message += "; items are compared on the dimensions that all their judges scored"
        problems.append(Problem("empty-score", "note", message, str(file), str(sheet)))
    return problems


def _overall(rated: pd.DataFrame, shape: tuple[int, int, int]) -> tuple[Floats, Codes]:
    """Return the weighted overall scores of items by judges, and how many judges scored each item.

    They are over the dimensions that all of the item's judges scored.
    """
    items, judges, dimensions = shape
    item, scores = rated["item"].to_numpy(), rated["score"].to_numpy()
    cell = item * judges + rated["judge"].to_numpy()
    place = item * dimensions + rated["dimension"].to_numpy()
    judged = (np.bincount(cell, minlength=items * judges).reshape(items, judges) > 0).sum(axis=1)
    common = np.bincount(place)[place] == judged[item]
    cell, scores, weights = cell[common], scores[common], rated["weight"].to_numpy()[common]
    base = np.full(items * judges, np.nan)
    base[cell] = scores  # scores that are equal then have exactly that mean
    size = np.bincount(cell, weights, base.size)
    total = np.bincount(cell, weights * (scores - base[cell]), base.size)
    overall = base + total / np.where(size > 0, size, np.nan)
    return overall.reshape(items, judges), judged

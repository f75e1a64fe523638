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
WEIGHTS = ("confidence", "cultural_relevance")
NOT_COMMON = "no dimension, or no weight, that all of its judges gave a score"


@dataclass(frozen=True)
class Ratings:
    """The scores of a model's judges.

    `rows` has the scores that were given: codes of item, judge and dimension, the `score`, its
    `value` on the 0 to 1 scale, and the weights if there are any. `items` is the first row of each
    item (sheet, run, item) with the number of its judges. `given` and `overall` are the judges'
    overall scores as matrices of items by judges, as given and on the 0 to 1 scale. Labels are
    codes of `labels`. `counts` are the rows of the files, and those that were scored.
    """

    rows: pd.DataFrame
    items: pd.DataFrame
    judges: tuple[str, ...]
    dimensions: tuple[str, ...]
    given: Floats
    overall: Floats
    panel: Panel
    zero: float  # the lowest score, in widths of the scale
    labels: tuple[Any, ...]
    counts: dict[str, int]

    def matrix(self, column: str, dimension: int) -> Floats:
        """Return a column of the rows of one dimension as a matrix of items by judges."""
        matrix = np.full(self.overall.shape, np.nan)
        rows = self.rows[self.rows["dimension"].to_numpy() == dimension]
        matrix[rows["item"], rows["judge"]] = rows[column]
        return matrix

    def competence(self) -> Floats:
        """Return the relevance that each judge gave to each item, weighted by confidence."""
        cells = self.rows["item"] * self.overall.shape[1] + self.rows["judge"]
        total = np.bincount(cells, weights_of(self.rows), self.overall.size)
        size = np.bincount(cells, weights_of(self.rows, WEIGHTS[:1]), self.overall.size)
        return np.asarray((total / np.where(size > 0, size, np.nan)).reshape(self.overall.shape))


def weights_of(rows: pd.DataFrame, names: tuple[str, ...] = WEIGHTS) -> Floats:
    """Return the product of the weights that the rows have, 1 where they have none."""
    given = [rows[name].to_numpy(float) for name in names if name in rows]
    return np.asarray(np.prod([np.ones(len(rows)), *given], axis=0))


def read_ratings(rows: pd.DataFrame, options: DisagreeOptions) -> tuple[Ratings, list[Problem]]:
    """Return the ratings of one model, and what is missing; refuse scores outside their scale."""
    nominal = options.level == "nominal"
    item, file_row = (codes_by(rows, keys) for keys in (ITEM, ["file", "worksheet", "row"]))
    items = rows.iloc[np.unique(item, return_index=True)[1]].reset_index(drop=True)
    judge, judges = pd.factorize(rows["judge"])
    names = rows["dimension"] if "dimension" in rows else np.full(len(rows), "", object)
    dimension, dimensions = pd.factorize(names)
    if nominal and len(dimensions) > 1:
        hint = "--column sheet=dimension --column dimension=@none"
        raise _refusal("dimensions", "labels in several dimensions have no overall label", hint)
    scores, labels = _labels(rows["score"]) if nominal else (rows["score"].to_numpy(float), ())
    low, width = _scales(rows, scores, judges, options)
    known, problems = ~np.isnan(scores), []
    columns = {"item": item, "judge": judge, "dimension": dimension, "score": scores}
    if not nominal:
        columns["value"] = (scores - low[judge]) / width[judge]
    for name in WEIGHTS if not nominal else ():
        if name in rows:
            columns[name] = rows[name].fillna(1.0).to_numpy(float)
            if (columns[name] < 0).any():
                raise _refusal(
                    "off-scale", f"{name} is below 0 in {(columns[name] < 0).sum()} rows"
                )
            note = Problem("no-weight", "note", f"{name} is empty and counts as 1", column=name)
            problems += _listed(rows, file_row, known & rows[name].isna().to_numpy(), note)
    rated = pd.DataFrame(columns)
    rated = rated if known.all() else rated[known]
    problems += _empty_scores(rows[~known])
    given, counts = _overall(rated, len(items), len(judges), len(dimensions))
    lost = (counts > 0) & np.isnan(given).all(axis=1)
    if len(judges) > 1 and counts.max() == 1:
        hint = "name the column that is the same for all judges of an item: --column item=HEADER"
        raise _refusal("no-pairs", "no item has scores of two judges", hint)
    problem = Problem("no-overall", "row", NOT_COMMON)
    problems += _listed(rows, file_row, lost[item] & known, problem)
    overall = given if nominal else (given - low) / width
    if len({*zip(low, width, strict=True)}) > 1:  # scores as given cannot be compared
        given, low, width = overall, np.zeros(1), np.ones(1)
        rated = rated.assign(score=rated["value"])
        message = "judges have different scales: alpha, ICC and offsets are on the 0 to 1 scale"
        problems.append(Problem("scales", "note", message))
    unit = ["cluster"] if "cluster" in items else ["sheet", "item"]
    codes = codes_by(items, unit), codes_by(items, ["sheet", "run"])
    panel = Panel(given, *codes, options.level, float(width[0]))
    scored = len(np.unique(file_row[known & ~lost[item]]))
    ratings = Ratings(
        *(rated, items.assign(judges=counts), tuple(judges), tuple(dimensions), given, overall),
        *(panel, float(low[0] / width[0]), labels),
        {"Rows": int(file_row.max()) + 1, "Scored": scored},
    )
    return ratings, problems


def _refusal(kind: str, message: str, hint: str = "") -> Refusal:
    return Refusal(Problem(kind, "skipped", message, hint=hint))


def _labels(cells: pd.Series) -> tuple[Floats, tuple[Any, ...]]:
    """Return the codes of labels, NaN where there is none, and the labels in order."""
    texts = cells.astype(str).where(cells.notna(), "").str.strip()
    numbers, filled = pd.to_numeric(texts, errors="coerce"), texts != ""
    values = numbers if numbers[filled].notna().all() else texts  # 1.0 and 1 are one label
    codes, labels = pd.factorize(values.where(filled), sort=True)
    return np.where(codes < 0, np.nan, codes), tuple(labels)


def _scales(
    rows: pd.DataFrame, scores: Floats, judges: Any, options: DisagreeOptions
) -> tuple[Floats, Floats]:
    """Return the low end and the width of each judge's scale, or refuse scores outside it."""
    if options.level == "nominal":
        return np.zeros(len(judges)), np.ones(len(judges))
    known = scales(options.scale)
    ends = np.array([known.get(judge, known[""]) for judge in judges], float)
    low, high = ends[pd.Index(judges).get_indexer(rows["judge"])].T
    slack = 1e-9 * (high - low)
    outside = (scores < low - slack) | (scores > high + slack)
    if options.level == "ratio" and (scores < 0).any():
        raise _refusal("off-scale", "scores below 0 have no ratio level")
    problems = []
    for file, own in rows[outside].groupby("file", sort=False):
        first = own.iloc[0]
        scale = known.get(first["judge"], known[""])
        where = f"(first: row {first['row']}, {first['judge']} = {first['score']:g})"
        count = int((~np.isnan(scores) & (rows["file"] == file).to_numpy()).sum())
        message = f"{len(own)} of {count} scores lie outside the scale {scale[0]:g}:{scale[1]:g}"
        hint = _scale_hint(np.nanmin(scores), np.nanmax(scores))
        problems.append(Problem("off-scale", "skipped", f"{message} {where}", str(file), hint=hint))
    if problems:
        raise Refusal(*problems)
    return ends[:, 0], ends[:, 1] - ends[:, 0]


def _scale_hint(least: float, most: float) -> str:
    for low, high in SCALES:
        if low <= least and most <= high:
            return f"if judges used {low} to {high}, add --scale {low}:{high}"
    return f"name the scale of the judges, as in --scale LOW:HIGH; scores are {least:g} to {most:g}"


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


def _listed(
    rows: pd.DataFrame, file_row: Codes, chosen: NDArray[np.bool_], problem: Problem
) -> list[Problem]:
    """Return the problem for each row of a file of which a cell is chosen."""
    first = np.flatnonzero(chosen)[np.unique(file_row[chosen], return_index=True)[1]]
    return row_problems(rows.iloc[first], np.ones(len(first), bool), problem)


def _overall(
    rated: pd.DataFrame, items: int, judges: int, dimensions: int
) -> tuple[Floats, NDArray[np.int64]]:
    """Return the weighted overall scores of items by judges, and how many judges scored each item.

    They are over the dimensions that all of the item's judges scored.
    """
    item, cell = rated["item"].to_numpy(), (rated["item"] * judges + rated["judge"]).to_numpy()
    given = np.zeros(items * judges, bool)
    given[cell] = True
    count = given.reshape(items, judges).sum(axis=1)
    place = item * dimensions + rated["dimension"].to_numpy()
    common = np.bincount(place, minlength=items * dimensions)[place] == count[item]
    cell, scores = cell[common], rated["score"].to_numpy()[common]
    weights = weights_of(rated)[common]
    base = np.zeros(items * judges)
    base[cell] = scores  # scores that are equal then have exactly that mean
    size = np.bincount(cell, weights, items * judges)
    total = np.bincount(cell, weights * (scores - base[cell]), items * judges)
    overall = np.where(size > 0, base + total / np.where(size > 0, size, 1), np.nan)
    return overall.reshape(items, judges), count

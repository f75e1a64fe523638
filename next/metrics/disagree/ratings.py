"""From the rows of one model to its ratings: who scored which item how, and what is missing."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from scoresheet.metrics.disagree import DisagreeOptions, scales
from scoresheet.metrics.disagree.panel import Panel, codes_by
from scoresheet.metrics.problem import Problem, Refusal, row_problems
from scoresheet.metrics.stats import Floats

SCALES = ("1:5", "0:5", "1:7", "1:10", "0:10", "0:100", "-1:1")  # that people use
NOT_COMMON = "no dimension, or no weight, that all of its judges gave a score"


@dataclass(frozen=True)
class Ratings:
    """The scores of a model's judges.

    `rows` has the scores that were given: codes of item, judge and dimension, the `score` and its
    `value` on the 0 to 1 scale, confidence and relevance. `items` is the first row of each item
    (sheet, run, item) with the number of its judges. `given` and `overall` are the judges' overall
    scores as matrices of items by judges, as given and on the 0 to 1 scale. Labels are codes of
    `labels`.
    """

    rows: pd.DataFrame
    items: pd.DataFrame
    judges: tuple[str, ...]
    dimensions: tuple[str, ...]
    given: Floats
    overall: Floats
    width: float
    zero: float  # the lowest score, in widths of the scale
    labels: tuple[Any, ...] = ()

    def matrix(self, column: str, dimension: int) -> Floats:
        """Return a column of the rows of one dimension as a matrix of items by judges."""
        matrix = np.full(self.overall.shape, np.nan)
        rows = self.rows[self.rows["dimension"].to_numpy() == dimension]
        matrix[rows["item"], rows["judge"]] = rows[column]
        return matrix

    def is_weighted(self, column: str) -> bool:
        """Return whether confidence or relevance was given."""
        return bool((self.rows[column] != 1).any())

    def competence(self) -> Floats:
        """Return the relevance that each judge gave to each item, weighted by confidence."""
        confidence, relevance = self.rows["confidence"], self.rows["cultural_relevance"]
        cells = self.rows["item"] * self.overall.shape[1] + self.rows["judge"]
        weights = (confidence * relevance, confidence)
        total, size = (np.bincount(cells, of, self.overall.size) for of in weights)
        return np.asarray((total / np.where(size > 0, size, np.nan)).reshape(self.overall.shape))

    def panel(self, ratings: Floats, level: str) -> Panel:
        """Return the panel of a matrix of ratings; each run of a sheet is a sheet of its own."""
        unit = ["cluster"] if "cluster" in self.items else ["sheet", "item"]
        codes = codes_by(self.items, unit), codes_by(self.items, ["sheet", "run"])
        return Panel(ratings, *codes, level, self.width)


def read_ratings(rows: pd.DataFrame, options: DisagreeOptions) -> tuple[Ratings, list[Problem]]:
    """Return the ratings of one model, and what is missing; refuse scores outside their scale."""
    nominal = options.level == "nominal"
    keys = [name for name in ("sheet", "run", "item") if name in rows]
    item = rows.groupby(keys, sort=False).ngroup().to_numpy()
    items = rows.iloc[np.unique(item, return_index=True)[1]].reset_index(drop=True)
    judge, judges = pd.factorize(rows["judge"])
    names = rows["dimension"] if "dimension" in rows else pd.Series("", rows.index)
    dimension, dimensions = pd.factorize(names)
    if nominal and len(dimensions) > 1:
        message = f"labels in {len(dimensions)} dimensions have no overall label"
        hint = "--column sheet=dimension --column dimension=@none"
        raise Refusal(Problem("dimensions", "skipped", message, hint=hint))
    scores, labels = _labels(rows["score"]) if nominal else (rows["score"].to_numpy(float), ())
    codes = {"item": item, "judge": judge, "dimension": dimension, "score": scores}
    rated = pd.DataFrame(codes).assign(confidence=1.0, cultural_relevance=1.0)
    low, width = np.zeros(len(judges)), np.ones(len(judges))
    if not nominal:
        low, width = _scales(rows, rated, judges, options)
        rated["value"] = (scores - low[judge]) / width[judge]
    problems = _weights(rows, rated) + _empty_scores(rows, np.isnan(scores))
    rated = rated[~np.isnan(scores)]
    overall, counts = _overall(rated, len(items), len(judges), len(dimensions))
    lost = (counts > 0) & np.isnan(overall).all(axis=1)
    if len(judges) > 1 and counts.max() == 1:
        message = "no item has scores of two judges"
        hint = "name the column that is the same for all judges of an item: --column item=HEADER"
        raise Refusal(Problem("no-pairs", "skipped", message, hint=hint))
    problem = Problem("no-overall", "row", NOT_COMMON)
    problems += row_problems(rows, _first_cells(rows, lost[item] & ~np.isnan(scores)), problem)
    mapped = overall if nominal else (overall - low) / width
    if len(np.unique(low)) + len(np.unique(width)) > 2:  # scores as given cannot be compared
        overall, low, width = mapped, np.zeros(1), np.ones(1)
        rated["score"] = rated["value"]
        message = "judges have different scales: alpha, ICC and offsets are on the 0 to 1 scale"
        problems.append(Problem("scales", "note", message))
    scale = float(width[0]), float(low[0] / width[0])
    found = (tuple(judges), tuple(dimensions), overall, mapped, *scale, labels)
    return Ratings(rated, items.assign(judges=counts), *found), problems


def _labels(cells: pd.Series) -> tuple[Floats, tuple[Any, ...]]:
    """Return the codes of labels, NaN where there is none, and the labels in order."""
    texts = cells.astype(str).where(cells.notna(), "").str.strip()
    numbers = pd.to_numeric(texts, errors="coerce")
    filled = texts != ""
    values = numbers if numbers[filled].notna().all() else texts  # 1.0 and 1 are one label
    codes, labels = pd.factorize(values.where(filled), sort=True)
    return np.where(codes < 0, np.nan, codes).astype(float), tuple(labels)


def _scales(
    rows: pd.DataFrame, rated: pd.DataFrame, judges: pd.Index, options: DisagreeOptions
) -> tuple[Floats, Floats]:
    """Return the low end and the width of each judge's scale, or refuse scores outside it."""
    known = scales(options.scale)
    ends = np.array([known.get(judge, known[""]) for judge in judges], float).reshape(-1, 2)
    low, high = ends[rated["judge"]].T
    scores = rated["score"].to_numpy()
    slack = 1e-9 * (high - low)
    outside = (scores < low - slack) | (scores > high + slack)
    if options.level == "ratio" and (scores < 0).any():
        raise Refusal(Problem("off-scale", "skipped", "scores below 0 have no ratio level"))
    problems = []
    for file in rows["file"][outside].unique():
        here = (rows["file"] == file).to_numpy()
        first = rows[outside & here].iloc[0]
        scale = known.get(first["judge"], known[""])
        where = f"(first: row {first['row']}, {first['judge']} = {first['score']:g})"
        message = f"{(outside & here).sum()} of {(~np.isnan(scores) & here).sum()} scores lie "
        message += f"outside the scale {scale[0]:g}:{scale[1]:g} {where}"
        hint = _scale_hint(scores[~np.isnan(scores)])
        problems.append(Problem("off-scale", "skipped", message, file=str(file), hint=hint))
    if problems:
        raise Refusal(*problems)
    return ends[:, 0], ends[:, 1] - ends[:, 0]


def _scale_hint(scores: Floats) -> str:
    least, most = scores.min(), scores.max()
    for scale in SCALES:
        low, _, high = scale.partition(":")
        if float(low) <= least and most <= float(high):
            return f"if judges used {low} to {high}, add --scale {scale}"
    return f"name the scale of the judges, as in --scale LOW:HIGH; scores are {least:g} to {most:g}"


def _weights(rows: pd.DataFrame, rated: pd.DataFrame) -> list[Problem]:
    """Take the weights into the rated scores; an empty one is 1, a negative one is refused."""
    problems = []
    for name in ("confidence", "cultural_relevance"):
        if name not in rows:
            continue
        weights = rows[name].to_numpy(float)
        if (weights < 0).any():
            first = rows[weights < 0].iloc[0]
            message = f"{name} is below 0 (first: row {first['row']}, {first[name]:g})"
            raise Refusal(Problem("off-scale", "skipped", message, file=first["file"], column=name))
        empty = np.isnan(weights) & ~np.isnan(rated["score"].to_numpy())
        note = Problem("no-weight", "note", f"{name} is empty and counts as 1", column=name)
        problems += row_problems(rows, _first_cells(rows, empty), note)
        rated[name] = np.where(np.isnan(weights), 1.0, weights)
    return problems


def _empty_scores(rows: pd.DataFrame, empty: NDArray[np.bool_]) -> list[Problem]:
    """Return a note for each table with empty scores."""
    problems = []
    for (file, sheet), own in rows.assign(empty=empty).groupby(["file", "worksheet"], sort=False):
        if own["empty"].any():
            first = own["row"].iloc[own["empty"].argmax()]
            message = f"{own['empty'].sum()} of {len(own)} scores are empty (first: row {first})"
            if "dimension" in rows:
                message += "; items are compared on the dimensions that all their judges scored"
            problems.append(Problem("empty-score", "note", message, str(file), str(sheet)))
    return problems


def _first_cells(rows: pd.DataFrame, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the first chosen cell of each row of a file."""
    if not chosen.any():
        return chosen
    again = rows.loc[chosen, ["file", "worksheet", "row"]].duplicated().to_numpy()
    first = chosen.copy()
    first[np.flatnonzero(chosen)[again]] = False
    return first


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
    weights = (rated["confidence"] * rated["cultural_relevance"]).to_numpy()[common]
    base = np.zeros(items * judges)
    base[cell] = scores  # scores that are equal then have exactly that mean
    size = np.bincount(cell, weights, items * judges)
    total = np.bincount(cell, weights * (scores - base[cell]), items * judges)
    overall = np.where(size > 0, base + total / np.where(size > 0, size, 1), np.nan)
    return overall.reshape(items, judges), count

"""Panels: how far judges agree, and panels compared over the items they share."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from scoresheet.metrics.compare import Comparison, compare_models
from scoresheet.metrics.disagree import DisagreeOptions
from scoresheet.metrics.measure import measure, measure_of
from scoresheet.metrics.stats import Estimate, Floats
from scoresheet.metrics.stats.agreement import alpha_difference, icc, krippendorff_alpha
from scoresheet.metrics.stats.means import Rows
from scoresheet.metrics.stats.paired import PairedDifference

BANDS = ((-2.0, "unreliable"), (0.667, "tentative"), (0.8, "reliable"))
JUDGED = ("Score_", "Label_")  # the columns of judges among the units
Codes = NDArray[np.int64]


measure("Alpha", better="higher", bands=BANDS, reference="Krippendorff 2004")(krippendorff_alpha)


@measure("Agreement", better="higher", format="share", bounds=(0, 1))
def observed_agreement(ratings: ArrayLike, width: float = 0) -> float:
    """Return how close two judges of an item are: 1 − |difference| / width, or equal labels.

    >>> round(observed_agreement([[0.5, 0.75, 1.0], [0.2, 0.2, np.nan]], width=1), 4)
    0.8333
    >>> round(observed_agreement([[1, 1, 2], [3, 3, 3]]), 4)  # labels have no width
    0.6667
    """
    matrix = np.asarray(ratings, float)
    counts = (~np.isnan(matrix)).sum(axis=1)
    matrix, counts = matrix[counts >= 2], counts[counts >= 2]
    pairs = counts * (counts - 1)
    if width:
        # the sum over pairs of ascending ratings weighs each by those below minus those above
        weights = 2 * np.arange(1, matrix.shape[1] + 1) - counts[:, None] - 1
        distances = 2 * np.nansum(np.sort(matrix, axis=1) * weights, axis=1) / width
        return average(1 - distances / pairs)
    same = label_counts(matrix, np.unique(matrix[~np.isnan(matrix)]))
    return average((same * (same - 1)).sum(axis=1) / pairs)


@measure("AC1", label="Gwet's AC1", better="higher", reference="Gwet 2008")
def gwet_ac1(ratings: ArrayLike, labels: ArrayLike) -> float:
    """Return agreement in labels beyond chance, also where one label is frequent (Gwet's AC1).

    >>> round(gwet_ac1([[1, 1], [1, 1], [1, 1], [1, 2]], [1, 2]), 6)
    0.68
    """
    matrix, known = np.asarray(ratings, float), np.asarray(labels)
    if known.size < 2:
        return float("nan")  # with one label there is no chance to disagree
    counts = pd.DataFrame(label_counts(matrix, known))
    shares = counts[counts.any(axis=1)].div(counts.sum(axis=1), axis=0).mean()
    chance = (shares * (1 - shares)).sum(skipna=False) / (known.size - 1)
    return float((observed_agreement(matrix) - chance) / (1 - chance))


@measure("ICC_2_1", label="ICC(2,1)", better="higher", reference="Shrout and Fleiss 1979")
def icc_single(ratings: ArrayLike, **how: Any) -> Estimate:
    """Return the absolute agreement of single judges over the items that all of them scored."""
    return icc(ratings, **how)[0]


@measure("ICC_2_k", label="ICC(2,k)", better="higher", reference="Shrout and Fleiss 1979")
def icc_average(ratings: ArrayLike, **how: Any) -> Estimate:
    """Return the reliability of the judges' mean over the items that all of them scored."""
    return icc(ratings, **how)[1]


OF_SCORES = (krippendorff_alpha, observed_agreement, icc_single, icc_average)
OF_LABELS = (krippendorff_alpha, observed_agreement, gwet_ac1)


class Panel(NamedTuple):
    """The ratings of items by judges, with the unit and the sheet of each item."""

    ratings: Floats
    units: Codes
    sheets: Codes
    level: str = "interval"
    width: float = 1.0

    def of(self, items: Any = slice(None), judges: Any = slice(None)) -> "Panel":
        """Return the panel of some items and judges."""
        ratings = self.ratings[items][:, judges]
        return self._replace(ratings=ratings, units=self.units[items], sheets=self.sheets[items])

    def alpha(self, ci: float = 0.95) -> Estimate:
        """Return alpha, the mean over sheets, with its interval."""
        # ranks: overall scores that are equal may differ in their last digit
        ratings = np.round(self.ratings, 12) if self.level == "ordinal" else self.ratings
        codes = {"units": self.units, "sheets": self.sheets}
        return krippendorff_alpha(ratings, level=self.level, ci=ci, **codes)

    def value(self) -> float:
        """Return alpha without its interval: of a single unit there is none."""
        return self._replace(units=np.zeros_like(self.units)).alpha().value

    def agreement(self, ci: float) -> dict[str, Any]:
        """Return alpha with its interval and verdict, and the other measures; means over sheets."""
        alpha, labelled = self.alpha(ci), self.level == "nominal"
        found: dict[str, Any] = {"Alpha": alpha.value, "CI_Low": alpha.low, "CI_High": alpha.high}
        found["Verdict"] = measure_of(krippendorff_alpha).verdict(alpha.low, alpha.high)
        sheets = [self.of(self.sheets == sheet) for sheet in np.unique(self.sheets)]
        width = 0.0 if labelled else self.width
        found["Agreement"] = average(observed_agreement(own.ratings, width) for own in sheets)
        if labelled:
            labels = np.unique(self.ratings[~np.isnan(self.ratings)])
            found["AC1"] = average(gwet_ac1(own.ratings, labels) for own in sheets)
        for function in () if labelled else (icc_single, icc_average):
            each = [function(own.present(), ci=ci, units=own.units) for own in sheets]
            mean, name = Estimate(average(own.value for own in each)), measure_of(function).name
            shown = each[0] if len(each) == 1 else mean
            found |= {name: shown.value, f"{name}_Low": shown.low, f"{name}_High": shown.high}
        return found | {"Note": alpha.note, "Units": alpha.units}

    def present(self) -> Floats:
        """Return the ratings of the judges that gave any."""
        return np.asarray(self.ratings[:, ~np.isnan(self.ratings).all(axis=0)])


def label_counts(ratings: ArrayLike, labels: ArrayLike) -> Codes:
    """Return how many judges gave each item each label."""
    matrix, known = np.asarray(ratings, float), np.asarray(labels)
    counts = np.zeros((len(matrix), known.size), np.int64)
    for place, label in enumerate(known):
        counts[:, place] = (matrix == label).sum(axis=1)
    return counts


def average(values: Iterable[Any]) -> float:
    """Return the mean of the values that are defined."""
    return float(pd.Series(list(values), dtype=float).mean())


def codes_by(frame: pd.DataFrame, keys: list[str]) -> Codes:
    """Return a code for each row, the same where the columns are."""
    known = [key for key in keys if key in frame]
    return np.asarray(frame.groupby(known, sort=False).ngroup(), np.int64)


def panel_of(units: pd.DataFrame) -> Panel:
    """Return the panel that the units of a run show."""
    given = units[[name for name in units if str(name).startswith(JUDGED)]]
    labelled = any(str(name).startswith("Label_") for name in given)
    level, _, zero = str(units["Level"].iloc[0] if "Level" in units else "interval").partition(" ")
    level, matrix = ("nominal" if labelled else level), given.to_numpy()
    if labelled:
        codes = pd.factorize(matrix.astype(str).ravel())[0].reshape(matrix.shape)
        matrix = np.where((matrix == "") | pd.isna(matrix), np.nan, codes)
    unit = ["Cluster"] if "Cluster" in units else ["Sheet", "Item"]
    return Panel(
        matrix.astype(float) + float(zero or 0),
        codes_by(units, unit),
        codes_by(units, ["Sheet", "Run"]),
        level,
    )


def estimate(units: pd.DataFrame, _options: DisagreeOptions, ci: float) -> Estimate:
    """Return alpha of some units."""
    return panel_of(units).alpha(ci)


@dataclass(frozen=True)
class _OfPanels(PairedDifference):
    """The difference of two panels in alpha over their shared items."""

    panels: tuple[Panel, ...] = ()

    def interval(self, ci: float = 0.95) -> tuple[float, float]:
        found = _difference(self.panels, ci)
        return found.low, found.high


def _difference(panels: tuple[Panel, ...], ci: float) -> Estimate:
    a, b = panels
    how = {"units": a.units, "sheets": a.sheets}
    return alpha_difference(a.ratings, b.ratings, level=a.level, ci=ci, **how)


def compare(
    compared: Mapping[str, pd.DataFrame], ci: float = 0.95, against: str = ""
) -> Comparison:
    """Return the panels compared in alpha over the items that both scored, the highest first."""
    keyed = {name: _by_item(units) for name, units in compared.items()}
    known = pd.Index(np.concatenate([units.index for units in keyed.values()])).unique()
    common = reduce(pd.Index.intersection, [units.index for units in keyed.values()])
    rows = {}
    for name, units in keyed.items():
        alpha = panel_of(units.loc[common] if len(common) else units).value()
        # constant, so that the mean, by which panels rank, is alpha
        rows[name] = Rows(np.full(len(units), round(alpha, 12)), known.get_indexer(units.index))

    def difference(a: str, b: str) -> PairedDifference:
        shared = keyed[a].index.intersection(keyed[b].index)
        if not len(shared):
            return PairedDifference(np.nan, note="no test: no shared items")
        panels = tuple(panel_of(keyed[name].loc[shared]) for name in (a, b))
        found = _difference(panels, ci)
        spreads = [pd.DataFrame(panel.ratings).var(axis=1) for panel in panels]
        closer = np.nan_to_num(np.sign(spreads[1] - spreads[0]))
        wins, ties, losses = (int((closer == sign).sum()) for sign in (1, 0, -1))
        result = _OfPanels(found.value, wins, ties, losses, p=found.p, note=found.note)
        return replace(result, panels=panels)

    declared = measure_of(krippendorff_alpha)
    return compare_models(rows, declared, ci=ci, against=against, difference=difference)


def _by_item(units: pd.DataFrame) -> pd.DataFrame:
    """Return the units by sheet and item, averaged over runs; a single sheet has no name."""
    several = units["Sheet"].nunique() > 1
    sheets = units["Sheet"].astype(str) if several else pd.Series("", units.index)
    named = units.assign(Sheet=sheets).set_index(sheets + "\0" + units["Item"].astype(str))
    if "Run" not in named:
        return named
    means = named.groupby(level=0, sort=False)
    numbers = [name for name in named if str(name).startswith("Score_")]
    return means.first().drop(columns="Run").assign(**means[numbers].mean())

"""S_Info as studies of idioms have it: several arrangements, hard idioms, answers that score nothing at all.

An idiom is as easy as beta(3, 2) says, its rows lie around that, and one row in eight has nothing of the reference and
scores 0. Of three arrangements the second has half of the idioms and the third a third of them. Models that are
compared have idioms of their own beside those they share.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.aggregate import SheetValues, aggregate
from scoresheet.metrics.compare import ComparedUnits, KeyedValues, PairedComparison, compare_units
from scoresheet.metrics.families.sinfo.measures import COMPARED_MEASURES, IDIOMS, S_INFO, TOO_FEW
from scoresheet.metrics.families.sinfo.result import band_of_average
from tests.calibration.cells import Cell, Simulation

CLUSTERS = (5, 10, 30, 100)
NOTHING = 1 / 8  # rows that score 0
OFFSETS = (0.0, -0.05, 0.1)  # of the arrangements
ENOUGH = 30  # idioms; with fewer .05 is less than can be shown
EASY = 0.6  # the mean of beta(3, 2)


def interval_over_arrangements(trials: int) -> Iterator[Cell]:
    """How often the interval of a model's score holds the true mean of its arrangements."""
    truth = float(np.mean([(1 - NOTHING) * (EASY + offset) for offset in OFFSETS]))
    for idioms in CLUSTERS:
        rng = np.random.default_rng([11, idioms])
        hits = 0
        for _ in range(trials):
            low, high, _ = aggregate(_arrangements(rng, idioms), noun=IDIOMS).interval
            hits += low <= truth <= high
        limit = 0.92 if idioms >= 10 else 0.85  # five are wide and still a little too narrow
        setting = f"{idioms} idioms, three uneven arrangements"
        yield Cell("95 % interval of a model's S_Info covers", setting, hits, trials, limit, at_least=True)


def bands_of_averages(trials: int) -> Iterator[Cell]:
    """How often a band is named that the true mean does not lie in, though it lies close to it."""
    for truth, untrue in ((0.79, "high"), (0.51, "low")):
        for idioms in CLUSTERS:
            rng = np.random.default_rng([12, idioms, round(100 * truth)])
            said = given = 0
            for _ in range(trials):
                values = rng.beta(5 * truth, 5 * (1 - truth), size=idioms)
                keys = [f"{idiom:03}" for idiom in range(idioms)]
                interval = aggregate([SheetValues(keys, values)], noun=IDIOMS).interval
                word = band_of_average(interval, idioms)
                said += word == untrue
                given += word != TOO_FEW
            yield Cell(f"a true mean of {truth} is called {untrue}", f"{idioms} idioms", said, given, 0.05)


def models_on_shared_idioms(trials: int) -> Iterator[Cell]:
    """How often three equal models are told apart in any pair, and how often a better one is found."""
    for idioms in CLUSTERS:
        rng = np.random.default_rng([13, idioms])
        wrong = other = found = first = 0
        for _ in range(trials):
            equal = _compared(_models(rng, idioms, better=0.0))
            wrong += any(pair.shown for pair in equal.of_headline())
            other += any(pair.shown for pair in equal.differences if pair.exploratory)
            if idioms >= ENOUGH:
                better = _compared(_models(rng, idioms, better=0.05, easier=0.2))
                found += better.of_headline()[0].shown
                first += better.standings["a"].rank == 1
        setting = f"{idioms} shared idioms"
        yield Cell("three equal models: any difference in S_Info is shown", setting, wrong, trials, 0.05)
        yield Cell("three equal models: any exploratory difference is shown", setting, other, trials, 0.05)
        if idioms >= ENOUGH:
            setting += ", .05 apart, the other model's own idioms easier"
            yield Cell("the better of two models is shown to be", setting, found, trials, 0.9, at_least=True)
            yield Cell("the better of two models has rank 1", setting, first, trials, 0.95, at_least=True)


def _arrangements(rng: np.random.Generator, idioms: int) -> list[SheetValues]:
    easiness = rng.beta(3, 2, size=idioms)
    sheets = []
    for place, offset in enumerate(OFFSETS, start=1):
        drawn = rng.permutation(idioms)[: max(1, idioms // place)]
        values = easiness[drawn] + offset + 0.05 * rng.standard_normal(len(drawn))
        values[rng.random(len(drawn)) < NOTHING] = 0.0
        sheets.append(SheetValues([f"{idiom:03}" for idiom in drawn.tolist()], values))
    return sheets


def _models(
    rng: np.random.Generator, idioms: int, *, better: float, easier: float | None = None
) -> dict[str, ComparedUnits | None]:
    """Return models on shared idioms, each with as many of its own: three alike, or one better than the other."""
    easiness = rng.beta(3, 2, size=idioms)
    own = {"a": 0.0, "b": 0.0, "c": 0.0} if easier is None else {"a": -easier, "b": easier}
    models: dict[str, ComparedUnits | None] = {}
    for model, offset in own.items():
        gain = better if model == "a" else 0.0
        shared, alone = _rows(rng, easiness + gain), _rows(rng, rng.beta(3, 2, size=idioms) + offset)
        keys = [f"{idiom:03}" for idiom in range(idioms)]
        names = [*keys, *(f"{model}{key}" for key in keys)]
        models[model] = ComparedUnits.of_sheets({"s": KeyedValues(names, np.vstack([shared, alone]))})
    return models


def _rows(rng: np.random.Generator, easiness: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return S_Info with its two factors, of which one takes most of the noise."""
    score = easiness + 0.05 * rng.standard_normal(len(easiness))
    return np.column_stack([score, score + 0.03 * rng.standard_normal(len(score)), rng.beta(8, 2, size=len(score))])


def _compared(models: Mapping[str, ComparedUnits | None]) -> PairedComparison:
    names = [measure.name for measure in COMPARED_MEASURES]
    return compare_units(models, names, headline=S_INFO.name, better=S_INFO.better, units=IDIOMS)


SIMULATIONS: tuple[Simulation, ...] = (interval_over_arrangements, bands_of_averages, models_on_shared_idioms)

"""Many models against the best of them, which was picked on the same data: forty that are equal, or half of them worse.

Units are as easy as beta(3, 2) says and models lie around that, some of them more widely than others, or answer right
or wrong by that chance. Whoever of the equal models is first by chance must not be shown to be better than another one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from scoresheet.metrics.compare import MOST_MODELS, ComparedUnits, KeyedValues, PairedComparison, compare_units
from tests.calibration.cells import Cell, Simulation

MODELS = MOST_MODELS + 10
UNITS = (12, 30, 100)
NOISE = 0.15
GAIN = 0.25  # of the one that is better, with which thirty units find it


def equal_models(trials: int) -> Iterator[Cell]:
    """How often the best of equal models is shown to be better than any of them."""
    for kind, units in (*(("alike", units) for units in UNITS), ("of three spreads", 30), ("right or wrong", 30)):
        rng = np.random.default_rng([41, units])
        shown = 0
        for trial in range(trials):
            values = _scores(rng, units, kind)
            shown += any(pair.shown for pair in _compared(values, trial).of_headline())
        setting = f"{MODELS} models {kind}, {units} units"
        yield Cell("the best of equal models is shown to be better than any", setting, shown, trials, 0.05)


def half_of_them_worse(trials: int) -> Iterator[Cell]:
    """How often the best of the equal good ones is shown to be better than another good one, and than all bad ones."""
    rng = np.random.default_rng(42)
    wrong = right = 0
    good = {f"m{model:02}" for model in range(MODELS // 2)}
    for trial in range(trials):
        values = _scores(rng, 30, "alike")
        values[MODELS // 2 :] -= 0.4
        pairs = _compared(values, trial).of_headline()
        wrong += any(pair.shown for pair in pairs if {pair.model, pair.other} <= good)
        right += all(pair.shown for pair in pairs if not {pair.model, pair.other} <= good)
    setting = f"{MODELS} models, half of them worse by .4, 30 units"
    yield Cell("the best is shown to be better than an equal one", setting, wrong, trials, 0.05)
    yield Cell("the best is shown to be better than all worse ones", setting, right, trials, 0.9, at_least=True)


def one_is_better(trials: int) -> Iterator[Cell]:
    """How often a model that is better than all others is shown to be."""
    rng = np.random.default_rng(43)
    found = 0
    for trial in range(trials):
        values = _scores(rng, 30, "alike")
        values[7] += GAIN
        found += all(pair.shown for pair in _compared(values, trial).of_headline())
    setting = f"{MODELS} models, one of them better by {GAIN}, 30 units"
    yield Cell("the best is shown to be better than all others", setting, found, trials, 0.8, at_least=True)


def _scores(rng: np.random.Generator, units: int, kind: str) -> NDArray[np.float64]:
    """Return model × unit."""
    easiness = rng.beta(3, 2, size=units)
    if kind == "right or wrong":
        return (rng.random((MODELS, units)) < easiness).astype(float)
    spread = 1 + np.arange(MODELS) % 3 if kind == "of three spreads" else np.ones(MODELS)
    return np.asarray(easiness + NOISE * spread[:, None] * rng.standard_normal((MODELS, units)))


def _compared(values: NDArray[np.float64], seed: int) -> PairedComparison:
    keys = [f"{unit:03}" for unit in range(values.shape[1])]
    models = {
        f"m{model:02}": ComparedUnits.of_sheets({"s": KeyedValues(keys, own[:, None])})
        for model, own in enumerate(values)
    }
    return compare_units(models, ["score"], headline="score", better="higher", units="units", seed=seed)


SIMULATIONS: tuple[Simulation, ...] = (equal_models, half_of_them_worse, one_is_better)

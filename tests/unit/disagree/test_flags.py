"""Flags in columns are those that a look at one item after the other finds."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from scoresheet.metrics.columns import Coded
from scoresheet.metrics.families.disagree.dispersion import Disagreements, disagreements, dispersion
from scoresheet.metrics.families.disagree.flags import Flags, flags_and_severities, item_flags, worst_first
from scoresheet.metrics.families.disagree.options import DisagreeOptions
from scoresheet.metrics.stats.bands import TOLERANCE

JUDGES, DIMENSIONS = ("ann", "bo, jr", "cy", "di", "ed"), ("fluency", "tone")
OPTIONS = DisagreeOptions()
Row = tuple[int, str, str, str, str, float, float, str]
Booleans = NDArray[np.bool_]


def plain_flags(overall: Disagreements, cv: NDArray[np.float64], is_rare: Booleans, unweighted: Booleans) -> list[Row]:
    """Return the flags of all items, one item after the other."""
    nan, found = float("nan"), []
    for item in range(len(cv)):
        judges, consensus = int(overall.judges[item]), float(overall.consensus[item])
        if judges == 0:
            why = "all weights of the item's scores are 0" if unweighted[item] else "no judge has a score for the item"
            found.append((item, "high", "ensemble_failure", "", "", nan, nan, why))
        if judges == 1:
            only = "one judge only: nobody to agree or disagree with"
            found.append((item, "medium", "single_strategy_only", "", "", nan, nan, only))
        if judges > 1 and consensus < OPTIONS.consensus_threshold - TOLERANCE:
            low = consensus < OPTIONS.high_threshold - TOLERANCE
            threshold = OPTIONS.high_threshold if low else OPTIONS.consensus_threshold
            what = f"consensus {consensus:.2f} is below {threshold:g}"
            high = low and bool(is_rare[item])
            if high:
                what += f", and a spread of {overall.std_dev[item]:.2f} is rare in this panel"
            severity = "high" if high else "medium"
            found.append((item, severity, "high_ensemble_disagreement", "", "", consensus, threshold, what))
        for name, value in zip(DIMENSIONS, cv[item].tolist(), strict=True):
            if value > OPTIONS.dimension_threshold + TOLERANCE:
                what = f"the judges' CV on {name} is {value:.2f}, above {OPTIONS.dimension_threshold:g}"
                limit = OPTIONS.dimension_threshold
                found.append((item, "medium", "dimension_disagreement", name, "", value, limit, what))
        mean, median = overall.outliers[item], overall.robust_outliers[item]
        if (mean | median).any():
            rules = [
                f"from the {rule}: " + ", ".join(name for name, is_far in zip(JUDGES, far, strict=True) if is_far)
                for rule, far in (("mean", mean), ("median", median))
                if far.any()
            ]
            names = ", ".join(name for name, is_far in zip(JUDGES, mean | median, strict=True) if is_far)
            found.append((item, "medium", "strategy_outliers", "", names, nan, nan, "far " + "; ".join(rules)))
    return found


def rows_of(flags: Flags) -> list[Row]:
    """Return flags one by one."""
    numbers = flags.items.tolist(), flags.values.tolist(), flags.thresholds.tolist()
    items, values, thresholds = numbers
    texts = flags.severities, flags.names, flags.dimensions, flags.judges
    return list(zip(items, *texts, values, thresholds, flags.what, strict=True))


@pytest.mark.parametrize("seed", range(5))
def test_flags_in_columns_are_those_of_one_item_after_the_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = np.round(rng.random((200, len(JUDGES))) * 4) / 4
    scores[rng.random(scores.shape) < rng.choice([0.02, 0.6])] = np.nan
    overall = disagreements(scores)
    cv = np.column_stack([dispersion(rng.permutation(scores)).cv for _ in DIMENSIONS])
    is_rare, unweighted = rng.random((2, len(scores))) < 0.5
    flags = item_flags(overall, cv, DIMENSIONS, JUDGES, OPTIONS, is_rare, unweighted)
    wanted = plain_flags(overall, cv, is_rare, unweighted)
    assert {row[2] for row in wanted} >= {"high_ensemble_disagreement", "dimension_disagreement", "strategy_outliers"}
    assert repr(rows_of(flags)) == repr(wanted)
    words, severities = flags_and_severities(flags, len(scores))
    short = [": ".join(filter(None, (name, dimension, judges))) for _, _, name, dimension, judges, *_ in wanted]
    for item in range(len(scores)):
        own = [place for place, row in enumerate(wanted) if row[0] == item]
        assert words[item] == "; ".join(short[place] for place in own)
        assert severities[item] == min((wanted[place][1] for place in own), default="")


def test_the_worst_flags_come_first_and_equal_ones_in_the_order_of_items() -> None:
    severities = Coded.of(["medium", "high", "medium", "high", "high", "medium"])
    spreads = np.array([0.5, 0.1, np.nan, 0.3, 0.1 + 1e-14, 0.7])
    assert worst_first(severities, spreads).tolist() == [3, 1, 4, 5, 0, 2]

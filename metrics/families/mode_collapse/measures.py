"""The measures of mode-collapse, each declared once: of a cell, of a level, of a model, and of two models."""

from __future__ import annotations

from typing import Final

from scoresheet.metrics.families.mode_collapse.verdicts import (
    COLLAPSED,
    ENTROPY_BANDS,
    GINI_BANDS,
    LIKE_TARGET,
    LOW,
    TOO_FEW,
    describe_entropy_bands,
)
from scoresheet.metrics.measures import Measure
from scoresheet.metrics.messages import flag, percent
from scoresheet.metrics.stats.bands import describe_bands
from scoresheet.metrics.stats.confidence import CONFIDENCE_LEVEL, SIGNIFICANCE_LEVEL, confidence_percent

GINI: Final = Measure(
    name="Gini",
    field="gini",
    about="Gini coefficient of the counts over all declared options: 0 all alike, Gini_Max all on one.",
    better="lower",
    shown=("unit", "model", "terminal"),
)
NORMALIZED_ENTROPY: Final = Measure(
    name="Normalized_Entropy",
    field="normalized_entropy",
    about="Entropy as a share of its maximum, log2 of the number of options: 1 all alike, 0 all on one.",
    better="higher",
    shown=("unit", "model", "terminal"),
)
CI_LOW: Final = Measure(
    name="CI_Low",
    field="ci_low",
    about=f"Lower end of the {confidence_percent(CONFIDENCE_LEVEL)} bootstrap interval of the Gini at this sample size.",
    average="none",
    shown=("unit", "model", "terminal"),
)
CI_HIGH: Final = Measure(
    name="CI_High",
    field="ci_high",
    about=f"Upper end of the {confidence_percent(CONFIDENCE_LEVEL)} bootstrap interval of the Gini at this sample size.",
    average="none",
    shown=("unit", "model", "terminal"),
)
VERDICT: Final = Measure(
    name="Verdict",
    field="verdict",
    about=(
        f"The worse of the two bands; {TOO_FEW!r} if that is not {LOW} and a chooser without a favourite gets there in "
        f"{percent(SIGNIFICANCE_LEVEL)} of all cases or more ({LIKE_TARGET!r} with {flag('target')})."
    ),
    quantity="label",
    average="none",
    shown=("unit", "model", "terminal"),
)

CELL_MEASURES: Final = (
    Measure(name="N", field="n", about="Samples that chose one of the options.", quantity="count", average="sum"),
    Measure(
        name="Incomplete",
        field="incomplete",
        about="Samples without a usable choice: blank, incomplete, none or two of the options.",
        quantity="count",
        average="sum",
    ),
    Measure(name="Options", field="options", about="Options declared.", quantity="count", average="none"),
    Measure(name="Used", field="used", about="Options chosen at least once.", quantity="count", average="none"),
    Measure(
        name="Top_Choice",
        field="top_choice",
        about="The option chosen most often; the first declared of equals.",
        quantity="label",
        average="none",
    ),
    Measure(name="Top_Share", field="top_share", about="Its share of the samples.", quantity="share"),
    Measure(
        name="Top_Share_SE", field="top_share_se", about="Standard error of that share, √(p(1−p)/N).", quantity="share"
    ),
    GINI,
    Measure(
        name="Gini_Max",
        field="gini_max",
        about="The largest Gini that so many options allow, (n−1)/n: with two options 0.5.",
    ),
    Measure(
        name="Gini_Corrected",
        field="gini_corrected",
        about="Gini as a share of its maximum, G·n/(n−1).",
        better="lower",
    ),
    Measure(name="Entropy", field="entropy", about="Shannon entropy in bits.", highest=None),
    NORMALIZED_ENTROPY,
    Measure(
        name="Entropy_MM",
        field="entropy_mm",
        about="Entropy in bits with Miller and Madow's correction for small samples.",
        highest=None,
    ),
    Measure(
        name="Gini_Band",
        field="gini_band",
        about=f"Collapse by Gini: {describe_bands(GINI_BANDS)}.",
        quantity="label",
        average="none",
    ),
    Measure(
        name="Entropy_Band",
        field="entropy_band",
        about=f"Collapse by normalised entropy: {describe_entropy_bands()}, {ENTROPY_BANDS[0][1]} below.",
        quantity="label",
        average="none",
    ),
    Measure(
        name="Agreement",
        field="agreement",
        about="strong: the two bands agree; else look at the shape.",
        quantity="label",
        average="none",
    ),
    Measure(
        name="P_Value",
        field="p_value",
        about="Chance that a uniform chooser (or the target's) has at least this Gini at this N.",
        quantity="chance",
        average="none",
    ),
    CI_LOW,
    CI_HIGH,
    VERDICT,
    Measure(name="Width", field="width", about="Options used / options declared.", quantity="share"),
    Measure(name="Uniform_Deviation", field="uniform_deviation", about="Σ(f − 1/n)² over the options' shares f."),
    Measure(
        name="Effective_Options",
        field="effective_options",
        about="2^entropy: so many equally frequent options have this entropy.",
        highest=None,
    ),
    Measure(
        name="Gini_Expected",
        field="gini_expected",
        about="Mean Gini of a uniform chooser (or the target's) in a sample of this size.",
    ),
)

LEVEL_MEASURES: Final = (
    Measure(name="Cells", field="cells", about="Cells with a Gini.", quantity="count", average="sum"),
    Measure(name="N", field="n", about="Samples that chose one of the options.", quantity="count", average="sum"),
    Measure(
        name="Incomplete",
        field="incomplete",
        about="Samples without a usable choice.",
        quantity="count",
        average="sum",
    ),
    Measure(name="Gini", field="gini", about="Mean Gini of the cells.", better="lower"),
    CI_LOW,
    CI_HIGH,
    Measure(
        name="Gini_Weighted",
        field="gini_weighted",
        about="Mean weighted by how often each cell's parent was chosen.",
        better="lower",
    ),
    Measure(
        name="Normalized_Entropy",
        field="normalized_entropy",
        about="Mean normalised entropy of the cells.",
        better="higher",
    ),
    Measure(
        name="Entropy_Weighted",
        field="entropy_weighted",
        about="The same weighted by the parents.",
        better="higher",
    ),
    Measure(
        name="Conditional_Entropy",
        field="conditional_entropy",
        about="Entropy in bits weighted by the parents: H(choice | parent).",
        highest=None,
        average="none",
    ),
    Measure(name="Low_Cells", field="low_cells", about="Cells with the verdict low.", quantity="count", average="sum"),
    Measure(
        name="Moderate_Cells",
        field="moderate_cells",
        about="Cells with the verdict moderate.",
        quantity="count",
        average="sum",
    ),
    Measure(
        name="High_Cells", field="high_cells", about="Cells with the verdict high.", quantity="count", average="sum"
    ),
    Measure(
        name="Too_Few_Cells",
        field="too_few_cells",
        about="Cells whose verdict could be chance: too few samples, or not beyond the target.",
        quantity="count",
        average="sum",
    ),
    Measure(
        name="P_Value",
        field="p_value",
        about="Chance that uniform choosers (or the target's) have at least this mean Gini.",
        quantity="chance",
        average="none",
    ),
    VERDICT,
)

ALL_LEVELS_GINI: Final = Measure(
    name="All_Levels_Gini",
    field="all_levels_gini",
    about="Mean of the levels' Ginis.",
    better="lower",
    shown=("model",),
)
ALL_LEVELS_ENTROPY: Final = Measure(
    name="All_Levels_Entropy",
    field="all_levels_entropy",
    about="Mean of the levels' normalised entropies.",
    better="higher",
    shown=("model",),
)
COLLAPSED_CELLS: Final = Measure(
    name="Collapsed_Cells",
    field="collapsed_cells",
    about=f"Cells of all levels with the verdict {' or '.join(COLLAPSED)}.",
    quantity="count",
    average="sum",
    shown=("model", "terminal"),
)
CELLS: Final = Measure(
    name="Cells",
    field="cells",
    about="Cells of all levels with a Gini.",
    quantity="count",
    average="sum",
    shown=("model", "terminal"),
)
MEASURES: Final = (*CELL_MEASURES, ALL_LEVELS_GINI, ALL_LEVELS_ENTROPY, COLLAPSED_CELLS, CELLS)


def level_measures(level: int | str) -> tuple[Measure, ...]:
    """Return what the results say of a level below the root; the fields are those of a LevelSummary."""
    return (
        Measure(
            name=f"Level_{level}_Gini",
            field="gini",
            about=f"Mean Gini of the cells of level {level}.",
            better="lower",
            shown=("model",),
        ),
        Measure(
            name=f"Level_{level}_Entropy",
            field="normalized_entropy",
            about=f"Mean normalised entropy of level {level}.",
            better="higher",
            shown=("model",),
        ),
        Measure(
            name=f"Level_{level}_Gini_Weighted",
            field="gini_weighted",
            about=f"Mean Gini of level {level}, each cell weighted by how often its parent was chosen.",
            better="lower",
            shown=("model",),
        ),
    )


def model_measures(levels: tuple[int | str, ...]) -> tuple[Measure, ...]:
    """Return the measures of a model, in the order of the results; of each level below the root there are some."""
    return (
        GINI,
        NORMALIZED_ENTROPY,
        *(measure for level in levels for measure in level_measures(level)),
        ALL_LEVELS_GINI,
        ALL_LEVELS_ENTROPY,
        VERDICT,
        COLLAPSED_CELLS,
        CELLS,
        CI_LOW,
        CI_HIGH,
    )


_HOLM: Final = "The same after Holm's correction for both tests of all pairs."
DIFFERENCE_MEASURES: Final = (
    Measure(
        name="Cells",
        field="cells",
        about="Root cells that both models have: sheets of the same name (or one each, unnamed), same options.",
        quantity="count",
    ),
    Measure(
        name="TVD",
        field="tvd",
        about="Total variation distance between the two root distributions: 0 alike, 1 disjoint.",
    ),
    Measure(
        name="P_TVD",
        field="p_tvd",
        about="Permutation test: chance of such a distance if both chose alike.",
        quantity="chance",
    ),
    Measure(name="P_TVD_Holm", field="p_tvd_holm", about=_HOLM, quantity="chance"),
    Measure(name="Gini", field="gini", about="Mean Gini of the model's root cells."),
    Measure(name="Other_Gini", field="other_gini", about="That of the other."),
    Measure(name="Gini_Difference", field="gini_difference", about="The model's less the other's.", lowest=-1),
    Measure(
        name="Expected_Difference",
        field="expected_difference",
        about="The same if both chose alike: a smaller sample has a larger Gini.",
        lowest=-1,
    ),
    Measure(
        name="P_Gini",
        field="p_gini",
        about="Permutation test: chance of a difference as far from that if both chose alike.",
        quantity="chance",
    ),
    Measure(name="P_Gini_Holm", field="p_gini_holm", about=_HOLM, quantity="chance"),
    Measure(
        name="Finding",
        field="finding",
        about=f"What is not noise at {percent(SIGNIFICANCE_LEVEL)}, after Holm's correction.",
        quantity="label",
    ),
)

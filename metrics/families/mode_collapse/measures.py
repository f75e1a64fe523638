"""The measures of mode-collapse, each declared once: of a cell, of a level, of a model, and of two models."""

from __future__ import annotations

from typing import Final

from scoresheet.metrics.families.mode_collapse.verdicts import (
    BETWEEN,
    CHANCE,
    COLLAPSED,
    ENTROPY_BANDS,
    GINI_BANDS,
    HIGH,
    LIKE_TARGET,
    LOW,
    MODERATE,
    TOO_FEW,
    describe_entropy_bands,
)
from scoresheet.metrics.measures import INTERVAL_NAMES, Measure
from scoresheet.metrics.messages import flag, percent
from scoresheet.metrics.stats.bands import describe_bands
from scoresheet.metrics.stats.confidence import CONFIDENCE_LEVEL, POWER, confidence_percent

SAMPLES_COUNTED: Final = Measure(
    name="N",
    field="n",
    about="Samples that chose one of the options.",
    quantity="count",
    average="sum",
    shown=("unit", "model", "terminal"),
)
TOP_CHOICE: Final = Measure(
    name="Top_Choice",
    field="top_choice",
    about="The option chosen most often; the first declared of equals.",
    quantity="label",
    average="none",
    shown=("unit", "model", "terminal"),
)
TOP_SHARE: Final = Measure(
    name="Top_Share",
    field="top_share",
    about="Its share of the samples.",
    quantity="share",
    shown=("unit", "model", "terminal"),
)
GINI: Final = Measure(
    name="Gini",
    field="gini",
    about="Gini coefficient of the counts over all declared options: 0 all alike, Gini_Max all on one.",
    better="lower",
    shown=("unit", "model", "terminal"),
)
GINI_EXPECTED: Final = Measure(
    name="Gini_Expected",
    field="gini_expected",
    about="Mean Gini of a uniform chooser (or the target's) in a sample of this size.",
    shown=("unit", "model", "terminal"),
)
GINI_DEBIASED: Final = Measure(
    name="Gini_Debiased",
    field="gini_debiased",
    about=(
        "Gini of the chooser itself, without what a small sample adds, by parametric bootstrap: that of the chooser "
        "whose samples of this size have this Gini on average. Bands and ranks go by it."
    ),
    better="lower",
    shown=("unit", "model", "terminal"),
)
NORMALIZED_ENTROPY: Final = Measure(
    name="Normalized_Entropy",
    field="normalized_entropy",
    about="Entropy as a share of its maximum, log2 of the number of options: 1 all alike, 0 all on one.",
    better="higher",
    shown=("unit", "model"),
)
P_VALUE: Final = Measure(
    name="P_Value",
    field="p_value",
    about="Chance that a uniform chooser (or the target's) has at least this Gini at this N.",
    quantity="chance",
    average="none",
    shown=("unit", "model", "terminal"),
)
_LEVEL_SAID: Final = f"({confidence_percent(CONFIDENCE_LEVEL)} unless {flag('ci')} says another level)"
CI_LOW: Final = Measure(
    name=INTERVAL_NAMES[0],
    field="ci_low",
    about=f"Lower end of the confidence interval {_LEVEL_SAID} of Gini_Debiased.",
    average="none",
    shown=("unit", "model", "terminal"),
)
CI_HIGH: Final = Measure(
    name=INTERVAL_NAMES[1],
    field="ci_high",
    about="Upper end of that interval.",
    average="none",
    shown=("unit", "model", "terminal"),
)
CI_NOTE: Final = Measure(
    name=INTERVAL_NAMES[2],
    field="ci_note",
    about="Why there is no interval.",
    quantity="text",
    average="none",
    shown=("unit", "model"),
)
VERDICT: Final = Measure(
    name="Verdict",
    field="verdict",
    about=(
        "How collapsed the chooser is: the worse of the bands of Gini and entropy that the whole interval lies in, or "
        "both that its ends lie in. Where the p-value shows nothing: "
        f"{CHANCE!r} if so many samples would have shown a moderate collapse in {percent(POWER)} of cases, else "
        f"{TOO_FEW!r} ({LIKE_TARGET!r} with {flag('target')})."
    ),
    quantity="label",
    average="none",
    shown=("unit", "model", "terminal"),
)
REFUSED: Final = Measure(
    name="Refused",
    field="refused",
    about="Samples that decline to choose; they are in no other number, N and Incomplete among them.",
    quantity="count",
    average="sum",
    shown=("unit", "model"),
)
REFUSAL_RATE: Final = Measure(
    name="Refusal_Rate",
    field="refusal_rate",
    about="Refused / (N + Incomplete + Refused).",
    quantity="share",
    shown=("unit", "model", "terminal"),
)
REFUSAL_LOW: Final = Measure(
    name="Refusal_CI_Low",
    field="refusal_low",
    about="Lower end of the interval of that rate (Clopper and Pearson), at the same level of confidence.",
    quantity="share",
    average="none",
    shown=("unit", "model"),
)
REFUSAL_HIGH: Final = Measure(
    name="Refusal_CI_High",
    field="refusal_high",
    about="Upper end of that interval.",
    quantity="share",
    average="none",
    shown=("unit", "model"),
)
REFUSAL_MEASURES: Final = (REFUSED, REFUSAL_RATE, REFUSAL_LOW, REFUSAL_HIGH)

CELL_MEASURES: Final = (
    SAMPLES_COUNTED,
    Measure(
        name="Incomplete",
        field="incomplete",
        about="Samples without a usable choice: blank, incomplete, none or two of the options.",
        quantity="count",
        average="sum",
    ),
    *REFUSAL_MEASURES,
    Measure(name="Options", field="options", about="Options declared.", quantity="count", average="none"),
    Measure(name="Used", field="used", about="Options chosen at least once.", quantity="count", average="none"),
    TOP_CHOICE,
    TOP_SHARE,
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
    GINI_DEBIASED,
    CI_LOW,
    CI_HIGH,
    CI_NOTE,
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
        about=f"Collapse by Gini_Debiased: {describe_bands(GINI_BANDS)}; both bands where its interval lies in two.",
        quantity="label",
        average="none",
    ),
    Measure(
        name="Entropy_Band",
        field="entropy_band",
        about=(
            f"Collapse by normalised entropy: {describe_entropy_bands()}, {ENTROPY_BANDS[0][1]} below; both bands "
            "where the choosers at the ends of the interval lie in two."
        ),
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
    P_VALUE,
    Measure(
        name="P_Holm",
        field="p_holm",
        about=(
            "The same after Holm's correction over the model's root cells, or over all below them; the verdict goes "
            "by it."
        ),
        quantity="chance",
        average="none",
    ),
    VERDICT,
    Measure(name="Width", field="width", about="Options used / options declared.", quantity="share"),
    Measure(name="Uniform_Deviation", field="uniform_deviation", about="Σ(f − 1/n)² over the options' shares f."),
    Measure(
        name="Effective_Options",
        field="effective_options",
        about="2^entropy: so many equally frequent options have this entropy.",
        highest=None,
    ),
    GINI_EXPECTED,
)

LEVEL_MEASURES: Final = (
    Measure(name="Cells", field="cells", about="Cells with a Gini.", quantity="count", average="sum"),
    SAMPLES_COUNTED,
    Measure(
        name="Incomplete",
        field="incomplete",
        about="Samples without a usable choice.",
        quantity="count",
        average="sum",
    ),
    *REFUSAL_MEASURES,
    Measure(
        name="Top_Choice",
        field="top_choice",
        about="The option chosen most often; of several cells, that of the one with the largest Gini_Debiased.",
        quantity="label",
        average="none",
    ),
    Measure(name="Top_Share", field="top_share", about="Its share of its cell's samples.", quantity="share"),
    Measure(name="Gini", field="gini", about="Mean Gini of the cells.", better="lower"),
    Measure(
        name="Gini_Expected",
        field="gini_expected",
        about="Mean Gini of uniform choosers (or the target's) in samples of these sizes.",
    ),
    Measure(
        name="Gini_Debiased",
        field="gini_debiased",
        about="Mean Gini of the choosers themselves; several cells are debiased together.",
        better="lower",
    ),
    CI_LOW,
    CI_HIGH,
    CI_NOTE,
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
    *(
        Measure(name=name, field=field, about=f"Cells with the verdict {about}.", quantity="count", average="sum")
        for name, field, about in (
            ("Low_Cells", "low_cells", LOW),
            ("Moderate_Cells", "moderate_cells", MODERATE),
            ("High_Cells", "high_cells", HIGH),
            ("Between_Cells", "between_cells", f"that names two bands, such as {BETWEEN[0]}"),
            ("Chance_Cells", "chance_cells", f"{CHANCE}, or {LIKE_TARGET}"),
            ("Too_Few_Cells", "too_few_cells", TOO_FEW),
            ("Collapsed_Cells", "collapsed_cells", " or ".join(COLLAPSED)),
        )
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
    about=f"Cells of all levels with the verdict {' or '.join(COLLAPSED)}; their p-values are corrected over cells.",
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
WORST_CELL: Final = Measure(
    name="Worst_Cell",
    field="worst_cell",
    about=(
        "Of the cells of all levels that show more than chance after the correction, the one with the largest "
        "Gini_Debiased: where it stands, and what is chosen most often there."
    ),
    quantity="label",
    average="none",
    shown=("model", "terminal"),
)
MEASURES: Final = (*CELL_MEASURES, ALL_LEVELS_GINI, ALL_LEVELS_ENTROPY, COLLAPSED_CELLS, CELLS, WORST_CELL)


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
        TOP_CHOICE,
        TOP_SHARE,
        SAMPLES_COUNTED,
        GINI,
        GINI_EXPECTED,
        P_VALUE,
        GINI_DEBIASED,
        CI_LOW,
        CI_HIGH,
        CI_NOTE,
        NORMALIZED_ENTROPY,
        *(measure for level in levels for measure in level_measures(level)),
        ALL_LEVELS_GINI,
        ALL_LEVELS_ENTROPY,
        VERDICT,
        COLLAPSED_CELLS,
        CELLS,
        WORST_CELL,
        *REFUSAL_MEASURES,
    )


_HOLM: Final = "The same after Holm's correction over all pairs."
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
    Measure(name="Gini_Debiased", field="gini_debiased", about="Debiased Gini of the model over these cells."),
    Measure(name="Other_Gini_Debiased", field="other_gini_debiased", about="That of the other."),
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
        about="What is shown after Holm's correction; of what is not, the difference of Gini that could have been.",
        quantity="label",
    ),
)

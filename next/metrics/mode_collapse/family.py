"""mode-collapse: how far a model's choices collapse onto few of the options."""

from scoresheet.metrics.family import Family
from scoresheet.metrics.mode_collapse import COMMAND, TABLES, ModeCollapseOptions
from scoresheet.metrics.mode_collapse.cells import survey
from scoresheet.metrics.mode_collapse.measures import FUNCTIONS, compare
from scoresheet.metrics.mode_collapse.score import explain, score


def signature(options: ModeCollapseOptions) -> dict[str, str]:
    """Return the settings that a score depends on, in short."""
    parts = {"options": options.options.replace("|", "¦") or "table", "seed": str(options.seed)}
    parts |= {"target": "table"} if options.target else {}
    return parts | ({"extract": options.extract.replace("|", "¦")} if options.extract else {})


FAMILY = Family(
    command=COMMAND,
    title="Mode collapse",
    stem="mode_collapse",
    unit="Cell",
    unit_role="cell",
    tables=TABLES,
    functions=FUNCTIONS,
    score=score,
    signature=signature,
    shown=(
        *("Top_Choice", "Top_Share", "N", "Gini", "Gini_Even", "Normalized_Entropy"),
        *("Effective_Options", "CI", "P_Value", "Worst_Cell"),
    ),
    unit_by_sheet=True,
    survey=survey,
    compare=compare,
    compared=("Sheet", "Level", "Repeat_Share", "Counts"),
    explain=explain,
    dropped=("Normalized_Entropy", "Gini_Even", "N", "Gini"),
    formula="Effective options = 1 / repeat share; a model that always gives one answer has 1.",
    method=(
        "For each cell (sheet, level, parent path) the counts of its options, zeros included, give "
        "the Gini coefficient, Shannon entropy, and the effective number of options, the inverse "
        "of the share of equal pairs of draws (Simpson 1949). Cells were tested against equal "
        "shares or the target by a Monte Carlo chi-square test (9,999 draws, Hope 1968), "
        "Holm-corrected over the cells of a model."
    ),
    inference=(
        "Intervals of cells are Clopper and Pearson's at the effective sample size that the "
        "U-statistic variance gives, those of means Korn and Graubard's (1998) over sheets. Models "
        "were compared in their repeat shares by MOVER (Newcombe 1998), over several root cells by "
        "a paired t-test, with Holm's correction."
    ),
)

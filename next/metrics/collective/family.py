"""collective: whether an ensemble is more than its best member, and why."""

from scoresheet.metrics.collective import COMMAND, TABLES, CollectiveOptions
from scoresheet.metrics.collective.measures import FUNCTIONS, compare
from scoresheet.metrics.collective.score import explain, score
from scoresheet.metrics.family import Family


def signature(options: CollectiveOptions) -> dict[str, str]:
    """Return the settings that a score depends on, in short."""
    parts: dict[str, str] = {"fusion": options.fusion, "ties": options.ties}
    named = {name: getattr(options, name) for name in ("member", "clean", "split")}
    parts |= {name: value.replace("|", "¦") for name, value in named.items() if value}
    return parts | ({"classes": "table"} if options.classes else {})


FAMILY = Family(
    command=COMMAND,
    title="Ensembles and their members",
    stem="collective",
    unit="Sample",
    unit_role="sample",
    tables=TABLES,
    functions=FUNCTIONS,
    score=score,
    signature=signature,
    shown=(
        *("Collective_Accuracy", "Best_Stream", "Best_Accuracy", "Gain", "CI"),
        *("Emergence_Ratio", "Beats_Best", "Robustness", "Alerts"),
    ),
    dropped=("Alerts", "Robustness", "Emergence_Ratio", "Best_Accuracy"),
    texts=("Label", "Collective"),
    word="ensemble",
    formula="Gain = accuracy of the collective − accuracy of its best member, in points.",
    survey=lambda rows: rows[["model", "file"]].drop_duplicates(),
    compare=compare,
    compared=("Sample", "Cluster", "Collective_Accuracy"),
    explain=explain,
    method=(
        "The collective's prediction, its own or fused from its members' (ties as the signature "
        "says), was compared with the label of each sample; an empty prediction counts as wrong. "
        "The emergence ratio divides its accuracy by that of its best member."
    ),
    inference=(
        "The gain over the best member was tested over every member (Berger 1982; "
        "upper end with Bonferroni's correction), by paired t-tests over samples; the interval of "
        "the ratio is Fieller's. Accuracies have Korn and Graubard's (1998) intervals. Ensembles "
        "were compared in accuracy by paired t-tests on shared samples with Holm's correction."
    ),
)

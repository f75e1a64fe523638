"""disagree: do judges agree, and who differs."""

from dataclasses import replace

from scoresheet.metrics.disagree import COMMAND, TABLES, DisagreeOptions
from scoresheet.metrics.disagree import panel as m
from scoresheet.metrics.disagree.gold import explain
from scoresheet.metrics.disagree.score import score
from scoresheet.metrics.family import Family
from scoresheet.metrics.role import Table


def signature(options: DisagreeOptions) -> dict[str, str]:
    """Return the settings that a score depends on, in short."""
    parts = {"scale": ",".join(options.scale) or "0:1", "level": options.level}
    parts |= {"gold": options.gold.replace("|", "¦")} if options.gold else {}
    limits = (options.consensus_threshold, options.disagreement_threshold)
    return parts | {"flags": ",".join(f"{n:g}" for n in (*limits, options.outlier_threshold))}


def adapt(table: Table, options: DisagreeOptions) -> Table:
    """Return the table with labels instead of numbers, where that is their level."""
    if options.level != "nominal":
        return table
    roles = (replace(r, kind="label") if r.name == "score" else r for r in table.roles)
    return replace(table, roles=tuple(roles))


FAMILY = Family(
    command=COMMAND,
    title="Agreement of judges",
    stem="disagree",
    unit="Item",
    unit_role="item",
    tables=TABLES,
    functions=m.OF_SCORES,
    score=score,
    signature=signature,
    shown=(
        *("Alpha", "CI", "Verdict", "Agreement", "AC1", "Majority_Share", "Consensus"),
        *("Reliability", "Runs", "Judges", "Items", "To_Review", "Outlier_Judges"),
    ),
    dropped=("Agreement", "Consensus", "Reliability", "Judges", "Items"),
    word="panel",
    unit_by_sheet=True,
    scored="Judges",
    adapt=adapt,
    explain=explain,
    estimate=m.estimate,
    compare=m.compare,
    compared=("Sheet", "Item", "Run", "Cluster", "Level", *m.JUDGED),
    formula="Alpha = 1 − observed / expected disagreement: 1 is perfect agreement, 0 is chance.",
    method=(
        "Agreement of judges is Krippendorff's alpha of their overall scores per item, which are "
        "the means over dimensions weighted by confidence and cultural relevance; with several "
        "sheets the mean of their alphas."
    ),
    inference=(
        "Intervals are those of log(1 − alpha) with the delete-one-item jackknife (Arvesen 1969) "
        "and Student's t with Satterthwaite's degrees of freedom. Judges are called reversed, "
        "lenient or strict by Holm-corrected tests of their correlation with, and offset from, "
        "the mean of the others. Panels were compared over shared items by the same jackknife, "
        "with Holm's correction."
    ),
)

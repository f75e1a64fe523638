"""diversity: how many sides of a query a ranking covers."""

from dataclasses import replace

from scoresheet.metrics.diversity import COMMAND, TABLES, DiversityOptions, ranks_of
from scoresheet.metrics.diversity.judgments import survey
from scoresheet.metrics.diversity.score import MEASURES, score
from scoresheet.metrics.family import Explanation, Family, Tables


def signature(options: DiversityOptions) -> dict[str, str]:
    """Return the settings that a score depends on, in short."""
    ndeval = options.definition == "ndeval"
    parts = {
        "k": ",".join(str(k) for k in ranks_of(options.cutoffs)),
        "alpha": f"{options.alpha:g}",
        "def": options.definition,
        "dist": options.distance,
        "unanswered": "drop" if ndeval else options.unanswered,
    }
    return parts | ({"graded": "yes"} if options.graded else {})


def explain(tables: Tables, options: DiversityOptions, sheet: str, unit: str) -> Explanation:
    """Return what each rank of a query adds, and its measures."""
    outputs = tables["outputs"]
    chosen = (outputs["query"] == unit) & ((outputs["sheet"] == sheet) | (sheet == ""))
    if not chosen.any():
        return Explanation(("There is no ranking for this query, so it counts as 0.",))
    tables = {"survey": survey(outputs), **tables, "outputs": outputs[chosen]}
    scores = score(tables, replace(options, unanswered="drop"))
    sentences = (
        "New: subtopics that no earlier item covers. Covered: their share so far.",
        f"Gain: 1 for each subtopic of the item, times {1 - options.alpha:g} for each earlier item "
        "on it; with --graded times its mapped grade.",
        "α-nDCG divides the discounted sum of the gains by that of an ideal ranking.",
    )
    names = [measure.name for measure in scores.measures]
    measures = scores.units.set_index("Sheet")[names].T.rename_axis("Measure").reset_index()
    return Explanation(sentences, {**scores.tables, "Measures": measures})


FAMILY = Family(
    command=COMMAND,
    title="Diversity of rankings",
    stem="diversity",
    unit="Query",
    unit_role="query",
    tables=TABLES,
    functions=MEASURES,
    score=score,
    signature=signature,
    shown=("Headline", "CI", "S_Recall@", "ERR_IA@", "ILD@", "Judged@", "Queries", "To_Best"),
    dropped=("Queries", "ERR_IA@", "Judged@", "ILD@", "To_Best"),
    survey=survey,
    unit_by_sheet=True,
    explain=explain,
    formula="α-nDCG: the gain of new subtopics, as a share of an ideal ranking's; 0 to 1.",
    method=(
        "Rankings were measured with α-nDCG (Clarke et al. 2008), ERR-IA (Chapelle et al. 2011), "
        "subtopic recall (Zhai et al. 2003) and intra-list distance (Ziegler et al. 2005; Vargas "
        "and Castells 2011) at each cut-off, averaged over queries."
    ),
)

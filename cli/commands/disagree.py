"""scoresheet disagree."""

from typing import Final

from scoresheet.cli.commands.command import Command

COMMAND: Final = Command(
    name="disagree",
    options_path="scoresheet.metrics.families.disagree.options:DisagreeOptions",
    family_path="scoresheet.metrics.families.disagree.family:FAMILY",
    reporter_path="scoresheet.cli.report.disagree:REPORTER",
    explainer_path="scoresheet.cli.report.disagree_explanation:EXPLAINER",
    template_path="scoresheet.cli.templates.disagree:TEMPLATE",
    position=40,
    summary="Do the judges agree? Krippendorff's alpha, consensus, outliers, and who is odd.",
    about=(
        "Says which items cannot be trusted and which judge is odd. OUTPUTS has a file per panel (each sheet a round) "
        "in one of three forms: a row per score with item, judge, dimension and score; a row per item and judge with a "
        "column per dimension; or a row per item with a column per judge. Confidence and cultural_relevance may weigh "
        "the scores. Declare the scale of the scores if it is not 0 to 1."
    ),
    example=(
        "scoresheet disagree runs/judgements -o runs/agreement --scale 1:5\n\n"
        "reads runs/judgements/panel_a.xlsx, … and writes runs/agreement/disagreement_results.xlsx, a workbook per "
        "panel, CSV twins and manifest.json. With no arguments it reads data/judgements."
    ),
    outputs="data/judgements",
    results="results/disagreement",
)

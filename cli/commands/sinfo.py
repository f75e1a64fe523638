"""scoresheet sinfo."""

from typing import Final

from scoresheet.cli.commands.command import Command

COMMAND: Final = Command(
    name="sinfo",
    options_path="scoresheet.metrics.families.sinfo.options:SinfoOptions",
    family_path="scoresheet.metrics.families.sinfo.family:FAMILY",
    reporter_path="scoresheet.cli.report.sinfo:REPORTER",
    explainer_path="scoresheet.cli.report.sinfo_explanation:EXPLAINER",
    template_path="scoresheet.cli.templates.sinfo:TEMPLATE",
    position=10,
    summary="Information density of explanations: brevity penalty × ROUGE-L precision.",
    about=(
        "Scores each explanation a model wrote against reference explanations. OUTPUTS holds a file per model "
        "(each sheet an arrangement) or a folder of CSVs per model, with the columns Idiom and Prediction. "
        "REFERENCES holds tables with idiom, explanation and, if you like, language."
    ),
    example=(
        "scoresheet sinfo runs/outputs runs/references -o runs/density\n\n"
        "reads runs/outputs/Model_A.xlsx, runs/outputs/Model_B/permutation1.csv, … and writes "
        "runs/density/s_info_results.xlsx, a workbook per model, CSV twins and manifest.json. "
        "With no arguments it reads data/baseline_mean and data/reference_explanations."
    ),
    outputs="data/baseline_mean",
    references="data/reference_explanations",
    references_required=False,
    results="results/information_density",
)

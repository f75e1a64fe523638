"""scoresheet mode-collapse."""

from typing import Final

from scoresheet.cli.commands.command import Command

COMMAND: Final = Command(
    name="mode-collapse",
    options_path="scoresheet.metrics.families.mode_collapse.options:ModeCollapseOptions",
    family_path="scoresheet.metrics.families.mode_collapse.family:FAMILY",
    reporter_path="scoresheet.cli.report.mode_collapse:REPORTER",
    explainer_path="scoresheet.cli.report.mode_collapse_explanation:EXPLAINER",
    template_path="scoresheet.cli.templates.mode_collapse:TEMPLATE",
    position=20,
    summary="Does a model keep choosing the same thing? Gini and entropy of repeated choices.",
    about=(
        "Counts what a model chose each time it was asked, for every level of a tree of choices and every parent, "
        "and says whether it has collapsed and whether the sample is large enough to say so. OUTPUTS holds a file per "
        "model (each sheet a question) with level, parent and choice, or free text in response; without level "
        "everything is at the root. CHOICE_TABLE declares the options: option and, if you like, level, parent and "
        "aliases, or a .txt with an option a line; without it the options are the choices seen."
    ),
    example=(
        "scoresheet mode-collapse runs/choices runs/options.csv -o runs/collapse\n\n"
        "reads runs/choices/Model_A.csv, … and writes runs/collapse/mode_collapse_results.xlsx, a workbook per model, "
        "CSV twins and manifest.json. scoresheet mode-collapse --power says how many samples to take. With no "
        "arguments it reads data/choices and data/choice_options."
    ),
    outputs="data/choices",
    references="data/choice_options",
    references_name="CHOICE_TABLE",
    references_about="The table of options",
    references_required=False,
    references_option="options",
    results="results/mode_collapse",
)

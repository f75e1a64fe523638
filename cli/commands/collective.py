"""scoresheet collective."""

from typing import Final

from scoresheet.cli.commands.command import Command
from scoresheet.cli.exits import Exit

COMMAND: Final = Command(
    name="collective",
    options_path="scoresheet.metrics.families.collective.options:CollectiveOptions",
    family_path="scoresheet.metrics.families.collective.family:FAMILY",
    reporter_path="scoresheet.cli.report.collective:REPORTER",
    explainer_path="scoresheet.cli.report.collective_explanation:EXPLAINER",
    template_path="scoresheet.cli.templates.collective:TEMPLATE",
    position=60,
    summary="Is an ensemble more than its best member? Emergence ratio, contributions, robustness.",
    about=(
        "Compares what an ensemble predicts with each of its streams. OUTPUTS holds a workbook or a folder of CSVs per "
        "system, with the sheet predictions (sample, label, a column per stream, and if you like collective, "
        "condition and epoch) and any of probabilities, logits, routing, anchors, fingerprints, history and "
        "parameters; a lone CSV is predictions, and so is a long log with sample, label, model and prediction. What is "
        "missing is left out, not guessed."
    ),
    example=(
        "scoresheet collective runs/systems -o runs/emergence --fail-on alert\n\n"
        "reads runs/systems/system_a.xlsx, … and writes runs/emergence/collective_results.xlsx, for each system a "
        f"workbook, a Markdown report and pictures, CSV twins and manifest.json; it exits with {Exit.GATE:d} if a "
        "system has an alert. With no arguments it reads data/collective."
    ),
    outputs="data/collective",
    results="results/collective",
)

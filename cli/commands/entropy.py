"""scoresheet entropy."""

from typing import Final

from scoresheet.cli.commands.command import Command

COMMAND: Final = Command(
    name="entropy",
    options_path="scoresheet.metrics.families.entropy.options:EntropyOptions",
    family_path="scoresheet.metrics.families.entropy.family:FAMILY",
    reporter_path="scoresheet.cli.report.entropy:REPORTER",
    explainer_path="scoresheet.cli.report.entropy_explanation:EXPLAINER",
    template_path="scoresheet.cli.templates.entropy:TEMPLATE",
    position=50,
    summary="Do texts say much, or the same again? Entropy, repetition, diversity of texts.",
    about=(
        "Measures each text by itself (entropy of words, pairs and runs of three; how it changes along the text; how "
        "different its sentences are; whether it repeats itself) and the texts of a sheet together (distinct-n, "
        "self-repetition, similarity, Vendi score, compression). OUTPUTS holds a file per model with the column text "
        "and, if you like, id. A sheet may well be many answers to one prompt."
    ),
    example=(
        "scoresheet entropy runs/answers -o runs/entropy\n\n"
        "reads runs/answers/Model_A.csv, runs/answers/Model_B.xlsx, … and writes runs/entropy/entropy_results.xlsx, a "
        "workbook per model, CSV twins and manifest.json. With no arguments it reads data/responses."
    ),
    outputs="data/responses",
    results="results/entropy",
)

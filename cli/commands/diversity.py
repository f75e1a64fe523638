"""scoresheet diversity."""

from typing import Final

from scoresheet.cli.commands.command import Command

COMMAND: Final = Command(
    name="diversity",
    options_path="scoresheet.metrics.families.diversity.options:DiversityOptions",
    family_path="scoresheet.metrics.families.diversity.family:FAMILY",
    reporter_path="scoresheet.cli.report.diversity:REPORTER",
    explainer_path="scoresheet.cli.report.diversity_explanation:EXPLAINER",
    template_path="scoresheet.cli.templates.diversity:TEMPLATE",
    position=30,
    summary="Do rankings cover what users meant? S-Recall, α-nDCG, ERR-IA, ILD and more.",
    about=(
        "Measures how rankings cover the subtopics of each query, and how different their items are. OUTPUTS holds a "
        "file per system with query, item and rank (or score), or TREC run files. REFERENCES holds judgments: query, "
        "subtopic, item and relevance, or TREC qrels; they may also stand beside the rankings, in subtopics (a|b) and "
        "relevance. Without any, the distances between items are measured, and what rankings cover of the genres of "
        "--features."
    ),
    example=(
        "scoresheet diversity runs/systems runs/qrels -o runs/diversity --cutoffs 5,20\n\n"
        "reads runs/systems/bm25.run, runs/systems/mmr.csv, … and writes runs/diversity/diversity_results.xlsx, a "
        "workbook per system, CSV twins and manifest.json. With no arguments it reads data/rankings and data/subtopics."
    ),
    outputs="data/rankings",
    references="data/subtopics",
    references_about="The same for judgments",
    references_required=False,
    results="results/diversity",
)

"""The workbooks of a run: one for the results, one for each model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from scoresheet.cli.report import Book, Chart, Page, tables
from scoresheet.cli.report.answers import counts_line, model_sentence, remarks
from scoresheet.cli.report.text import show_level
from scoresheet.metrics.compare import Comparison
from scoresheet.metrics.family import Family, Scores
from scoresheet.metrics.measure import Measure
from scoresheet.metrics.problem import Problem

MOST_IN_CHART = 30  # models


@dataclass(frozen=True)
class Provenance:
    """How the numbers of a run were made; the same in all of its reports."""

    signature: str
    mapping: tuple[str, ...]
    version: str
    ci: float
    units: str


@dataclass(frozen=True)
class RunTables:
    """What the results of a run consist of, before they become a screen and files."""

    results: pd.DataFrame
    measures: tuple[Measure, ...]
    comparison: Comparison | None
    sentences: tuple[str, ...]
    problems: tuple[Problem, ...]
    breakdowns: tuple[Page, ...]
    units: int


def model_book(
    family: Family, model: str, scores: Scores, problems: Sequence[Problem], made: Provenance
) -> Book:
    """Return the workbook of one model: its sheets, every unit, what went wrong."""
    measures, row = scores.measures, scores.results
    pages = tables.unit_pages(scores.units, family, measures)
    pages += [tables.plain_table(name, frame) for name, frame in scores.tables.items()]
    return Book(
        f"{family.title}: {model}",
        f"{row['Scored']} of {row['Rows']} rows scored  ·  scoresheet {made.version}",
        (model_sentence(model, row, measures[0], made.ci),),
        tables.sheets_table(scores.sheets, measures),
        (*pages, tables.problems_table(problems)),
        _about(family, measures, made),
        remarks(problems, family, measures[0]),
    )


def results_book(family: Family, run: RunTables, made: Provenance) -> Book:
    """Return the workbook of all models: the answer, the comparison, every number."""
    table = tables.headline_table(
        family, run.results, run.measures, run.comparison, made.ci, of=" of "
    )
    pages = []
    if run.comparison is not None and len(run.comparison.pairs):
        pairs = tables.comparison_table(run.comparison, made.units, made.ci)
        pages.append(replace(pairs, title="Comparison"))
    pages.append(tables.all_measures_table(run.results, run.measures, family.word))
    return Book(
        family.title,
        counts_line(run.results, run.units, made.units, family.word, made.version),
        run.sentences,
        table,
        (*pages, *run.breakdowns, tables.problems_table(run.problems)),
        _about(family, run.measures, made),
        remarks(run.problems, family, run.measures[0]),
        _chart(run.results, list(table.frame["Model Name"]), run.measures[0], made.ci),
    )


def _chart(results: pd.DataFrame, order: list[str], measure: Measure, ci: float) -> Chart | None:
    columns = [measure.name, "CI_Low", "CI_High"]
    rows = results.set_index("Model Name").loc[order, columns].astype(float)
    rows = rows[np.isfinite(rows[measure.name])]
    if rows.empty or len(rows) > MOST_IN_CHART:
        return None
    direction = f" ({measure.better} is better)" if measure.better else ""
    return Chart(
        f"{measure.label} with {show_level(ci)} intervals{direction}",
        tuple(rows.itertuples(name=None)),
        measure.bounds,
        measure.format,
    )


def _about(family: Family, measures: Sequence[Measure], made: Provenance) -> list[tuple[str, str]]:
    """Return the rows of the sheet About: signature, mapping, glossary, methods."""
    level = show_level(made.ci)
    methods = (
        f"{family.method} Intervals are {level} confidence intervals over {made.units} "
        "(delete-one jackknife; Korn and Graubard 1998 for bounded measures, Student's t "
        f"otherwise). Models were compared pairwise on shared {made.units} by paired "
        "t-tests with Holm's correction. Computed with scoresheet "
        f"{made.version} ({made.signature})."
    )
    return [
        ("Signature", made.signature),
        *(("Read as", line) for line in made.mapping),
        *(_glossary_row(measure) for measure in measures),
        ("CI_Low, CI_High", f"The {level} confidence interval of {measures[0].name}."),
        ("Coverage", "Scored rows as a share of the model's rows."),
        ("Answered", "Scored keys as a share of the keys of the references."),
        ("vs best", f"Difference to the best model on the {made.units} both have."),
        ("Detectable", "The difference that this comparison finds about 75 to 80% of the time."),
        ("For a paper", methods),
    ]


def _glossary_row(measure: Measure) -> tuple[str, str]:
    name, label = measure.name, measure.label
    text = measure.sentence.removeprefix("Return ")
    text = text[0].upper() + text[1:]
    edges = ", ".join(f"{word} from {edge:g}" for edge, word in measure.bands)
    text += f" Bands: {edges}." if edges else ""
    return name if label == name else f"{label} ({name})", text

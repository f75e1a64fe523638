"""The workbooks of a run: one for the results, one for each model."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from scoresheet.cli.report.answers import counts_line, estimate_text, remarks
from scoresheet.cli.report.pages import Book, Chart, Column, FrontPage, Page
from scoresheet.cli.report.tables import (
    all_measures_table,
    ci_label,
    comparison_table,
    headline_table,
    label_of,
    problems_table,
    sheets_table,
    unit_pages,
)
from scoresheet.metrics.compare import Comparison
from scoresheet.metrics.family import Family, Scores
from scoresheet.metrics.measure import Measure
from scoresheet.metrics.problem import Problem


@dataclass(frozen=True)
class Provenance:
    """How the numbers of a run were made; the same in all of its reports."""

    signature: str
    mapping: tuple[str, ...]
    version: str
    ci: float
    units: str


def about(
    family: Family, measures: Sequence[Measure], provenance: Provenance
) -> list[tuple[str, str]]:
    """Return the rows of the sheet About: signature, mapping, glossary, methods."""
    rows = [("Signature", provenance.signature)]
    rows += [("Read as", line) for line in provenance.mapping]
    rows += [
        (
            f"{measure.label} ({measure.name})" if measure.label != measure.name else measure.name,
            _sentence(measure),
        )
        for measure in measures
    ]
    level = ci_label(provenance.ci).removesuffix(" CI")
    rows += [
        ("CI_Low, CI_High", f"The {level} confidence interval of {measures[0].name}."),
        ("Coverage", "Scored rows as a share of the model's rows."),
        ("Answered", "Scored keys as a share of the keys of the references."),
        ("vs best", f"Difference to the best model on the {provenance.units} both have."),
        ("Detectable", "The difference that this comparison finds about 75 to 80% of the time."),
        ("For a paper", _methods(family, provenance, level)),
    ]
    return rows


def _sentence(measure: Measure) -> str:
    text = measure.sentence.removeprefix("Return ")
    text = text[0].upper() + text[1:]
    edges = ", ".join(f"{word} from {edge:g}" for edge, word in measure.bands)
    return f"{text} Bands: {edges}." if edges else text


def _methods(family: Family, provenance: Provenance, level: str) -> str:
    return (
        f"{family.method} Intervals are {level} confidence intervals over {provenance.units} "
        "(delete-one jackknife; Korn and Graubard 1998 for bounded measures, Student's t "
        f"otherwise). Models were compared pairwise on shared {provenance.units} by paired "
        "t-tests with Holm's correction. Computed with scoresheet "
        f"{provenance.version} ({provenance.signature})."
    )


def model_book(
    family: Family, model: str, scores: Scores, problems: Sequence[Problem], made: Provenance
) -> Book:
    """Return the workbook of one model: its sheets, every unit, what went wrong."""
    measures = scores.measures
    row = scores.results
    verdict = f", {row['Verdict']}" if row.get("Verdict") else ""
    sentence = f"{model}: {estimate_text(row, measures[0], made.ci)}{verdict}."
    counts = f"{row['Scored']} of {row['Rows']} rows scored  ·  scoresheet {made.version}"
    front = FrontPage(
        f"{family.title}: {model}",
        counts,
        (sentence,),
        sheets_table(scores.sheets, measures),
        remarks=remarks(problems, family, measures[0]),
    )
    pages = unit_pages(scores.units, family, measures)
    pages += [_plain_page(name, frame) for name, frame in scores.tables.items()]
    pages.append(problems_table(problems))
    return Book(f"{family.stem}", front, tuple(pages), about(family, measures, made))


def _plain_page(title: str, frame: pd.DataFrame) -> Page:
    columns = tuple(
        Column(
            name,
            label_of(name),
            "number" if frame[name].dtype.kind == "f" else "text",
            "key" if i == 0 else "measure",
        )
        for i, name in enumerate(frame.columns)
    )
    return Page(title, frame, columns)


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


def results_book(family: Family, run: RunTables, made: Provenance) -> Book:
    """Return the workbook of all models: the answer, the comparison, every number."""
    headline = run.measures[0]
    page = headline_table(family, run.results, run.measures, run.comparison, made.ci, of=" of ")
    front = FrontPage(
        family.title,
        counts_line(run.results, run.units, made.units, family.word, made.version),
        run.sentences,
        page,
        _chart(page, run.results, headline, made.ci),
        remarks(run.problems, family, headline),
    )
    pages: list[Page] = []
    if run.comparison is not None and len(run.comparison.pairs):
        pairs = comparison_table(run.comparison, made.units, made.ci)
        pages.append(Page("Comparison", pairs.frame, pairs.columns))
    pages.append(all_measures_table(run.results, run.measures, family.word))
    pages += run.breakdowns
    pages.append(problems_table(run.problems))
    return Book(family.stem, front, tuple(pages), about(family, run.measures, made))


def _chart(page: Page, results: pd.DataFrame, measure: Measure, ci: float) -> Chart | None:
    rows = results.set_index("Model Name").loc[page.frame["Model Name"]]
    rows = rows[rows[measure.name].notna()]
    if rows.empty or len(rows) > 30:
        return None
    direction = f" ({measure.better} is better)" if measure.better else ""
    return Chart(
        f"{measure.label} with {ci_label(ci).removesuffix(' CI')} intervals{direction}",
        tuple(str(name) for name in rows.index),
        tuple(rows[measure.name].astype(float)),
        tuple(rows["CI_Low"].astype(float)),
        tuple(rows["CI_High"].astype(float)),
        bounds=measure.bounds,
        format=measure.format,
    )

"""The workbooks of a run: one for the results, one for each model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from scoresheet.cli.report import Book, Page, own, tables
from scoresheet.cli.report.answers import count, model_sentence, remarks
from scoresheet.cli.report.charts import headline_chart
from scoresheet.cli.report.text import MINUS, show_level
from scoresheet.cli.run.outcome import RunOutcome
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


def model_book(
    family: Family, model: str, scores: Scores, problems: Sequence[Problem], made: Provenance
) -> Book:
    """Return the workbook of one model: its sheets, every unit, what went wrong."""
    measures, row = scores.measures, scores.results
    sentence = own(family, "model_sentence") or model_sentence
    pages = tables.unit_pages(scores.units, family, measures)
    pages += [tables.page_of(name, frame, measures) for name, frame in scores.tables.items()]
    return Book(
        f"{family.title}: {model}",
        f"{row['Scored']} of {row['Rows']} rows scored  ·  scoresheet {made.version}",
        (sentence(model, row, measures[0], made.ci),),
        (own(family, "sheets_table") or tables.sheets_table)(scores.sheets, measures),
        (*pages, tables.problems_table(problems)),
        about(family, measures, made),
        remarks(problems, family, measures[0]),
    )


def results_book(
    family: Family, run: RunOutcome, measures: Sequence[Measure], units: int, made: Provenance
) -> Book:
    """Return the workbook of all models: the answer, the comparison, every number."""
    results, front = run.results, run.headline or Page("", run.results, ())
    if "Scored" in front.frame:
        of = front.frame["Scored"].str.replace("/", " of ", regex=False)
        front = replace(front, frame=front.frame.assign(Scored=of))
    pages = [tables.all_measures_table(results, measures, family.word)]
    if run.comparison:
        pages.insert(0, replace(run.comparison, title="Comparison"))
        pages[1:1] = [run.differences] if run.differences else []
    rows = f"{results['Scored'].sum()} of {results['Rows'].sum()} rows scored"
    models = f"{count(len(results), family.word)}, {units} {made.units}"
    return Book(
        family.title,
        f"{models}  ·  {rows}  ·  scoresheet {made.version}",
        tuple(run.answer),
        _typeset(front),
        (*map(_typeset, (*pages, *run.breakdowns)), tables.problems_table(run.problems)),
        about(family, measures, made),
        remarks(run.problems, family, measures[0]),
        headline_chart(tables.in_order(results, run.order), measures[0], made.ci),
    )


def _typeset(page: Page) -> Page:
    """Return a page with minus signs in its intervals, which are texts."""
    names = [column.name for column in page.columns if column.role == "interval"]
    intervals = {name: page.frame[name].str.replace("-", MINUS, regex=False) for name in names}
    return replace(page, frame=page.frame.assign(**intervals))


def about(family: Family, measures: Sequence[Measure], made: Provenance) -> list[tuple[str, str]]:
    """Return the rows of the sheet About: signature, mapping, glossary, methods."""
    level = show_level(made.ci)
    inference = family.inference or (
        f"Intervals are {level} confidence intervals over {made.units} (delete-one jackknife; Korn "
        "and Graubard 1998 for bounded measures, Student's t otherwise). Models were compared "
        f"pairwise on shared {made.units} by paired t-tests with Holm's correction."
    )
    computed = f"Computed with scoresheet {made.version} ({made.signature})."
    methods = f"{family.method} {inference} {computed}"
    return [
        ("Signature", made.signature),
        *(("Read as", line) for line in made.mapping),
        *map(_glossary_row, measures),
        ("CI_Low, CI_High", f"The {level} confidence interval of {measures[0].name}."),
        ("…_Low, …_High", f"The {level} confidence interval of another measure."),
        ("Coverage", "Scored rows as a share of the model's rows."),
        ("Answered", "Scored keys as a share of the keys of the references."),
        ("vs best", f"Difference to the best model on the {made.units} both have."),
        ("Detectable", "The difference that this comparison finds about 75 to 80% of the time."),
        ("For a paper", methods),
    ]


def _glossary_row(measure: Measure) -> tuple[str, str]:
    name, label = measure.name, measure.label
    text = measure.sentence.removeprefix("Return ")
    edges = ", ".join(f"{word} from {edge:g}" for edge, word in measure.bands)
    bands = f" Bands: {edges}." if edges else ""
    return name if label == name else f"{label} ({name})", text[0].upper() + text[1:] + bands

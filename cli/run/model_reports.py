"""The reports of one model: its workbook and the CSV twin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from scoresheet.cli.run.plan import Outcome, Plan
from scoresheet.cli.run.results_folder import unwritable
from scoresheet.cli.write.about import About
from scoresheet.cli.write.cell_text import visible
from scoresheet.cli.write.csv_json import write_csv
from scoresheet.cli.write.names import file_stem
from scoresheet.cli.write.svg_figures import drawn
from scoresheet.cli.write.workbook import Workbook, problems_page, sheet_names, write_workbook
from scoresheet.metrics.core import Column, Detail, Family, Page, Report
from scoresheet.metrics.problems import Problem

PROBLEM_COLUMNS: Final = (
    Column("file", "The input file, relative to the folder given.", "label"),
    Column("sheet", "The sheet, as in the input.", "label"),
    Column("row", "The row a spreadsheet shows; the header is row 1.", "count"),
    Column("column", "The column.", "label"),
    Column("kind", "The kind of problem; the docs list them all.", "label"),
    Column("message", "What is wrong and what to do."),
    Column("effect", "What it costs: file skipped, sheet skipped, row not scored, or only a note.", "label"),
)


def problem_row(problem: Problem) -> tuple[Any, ...]:
    """Return a problem as a row of problems.csv and of the Problems page."""
    return (
        problem.file,
        problem.sheet,
        problem.row,
        problem.column,
        problem.kind,
        problem.message,
        problem.effect,
    )


def write_model(plan: Plan, outcome: Outcome, details: Sequence[Detail]) -> tuple[str, ...]:
    """Write a model's reports into the stage and return their names; a dry run writes none."""
    if plan.stage is None or outcome.report.summary is None:
        return ()
    report = outcome.report
    workbook, twin = report_names(plan.family, report.model)
    stem = own_stem(plan.family, report.model)
    further = {f"{stem}.md": visible(report.text)} if report.text else {}
    further |= {f"{stem}_{picture.name}.svg": drawn(picture) for picture in report.pictures}
    try:
        write_workbook(plan.stage / workbook, _workbook(plan, outcome, details))
        write_csv(plan.stage / twin, *_units(plan, report, details), raw=plan.raw_csv)
        for name, text in further.items():
            (plan.stage / name).write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
    except OSError as error:
        raise unwritable(plan.stage.parent, error) from error
    return (workbook, twin, *further)


def report_names(family: Family[Any], model: str) -> tuple[str, str]:
    """Return the file names of a model's workbook and its CSV twin."""
    stem = own_stem(family, model)
    return f"{stem}.xlsx", f"{stem}.csv"


def own_stem(family: Family[Any], model: str) -> str:
    """Return what the names of all of a model's reports begin with."""
    return f"{file_stem(model)}_{family.stem}"


def is_own(name: str, stems: Iterable[str]) -> bool:
    """Return whether a file is a report of one of these models."""
    return any(name.startswith(f"{stem}.") or (name.startswith(f"{stem}_") and name.endswith(".svg")) for stem in stems)


def method_block(plan: Plan) -> tuple[str, list[tuple[str, str]]]:
    """Return the About block that says how the numbers were made."""
    return (
        "How these numbers were made",
        [
            ("Signature", plan.signature),
            ("Measure", plan.family.title),
            *plan.family.method,
            *plan.family.facts(plan.prepared, plan.options),
            ("Precision", "Cells show three digits and hold sixteen; the CSV beside this workbook holds all."),
        ],
    )


def glossary_block(columns: Iterable[Column]) -> tuple[str, list[tuple[str, str]]]:
    """Return the About block that explains the columns, each once; one that means another thing elsewhere, twice."""
    return "Columns", list(dict.fromkeys((column.name, column.about) for column in columns))


def _workbook(plan: Plan, outcome: Outcome, details: Sequence[Detail]) -> Workbook:
    summary = outcome.report.summary
    front = [summary] if summary else []
    columns = plan.family.detailed(details, plan.options)
    names = [column.name for column in columns]  # a sheet need not have what the model's other sheets have
    shown = details if plan.family.page_per_sheet else ()
    pages = [Page(detail.sheet.name, detail.table.reindex(columns=names), columns) for detail in shown]
    back = outcome.report.pages
    shown_as = sheet_names([*front, *back], pages)
    model = outcome.report.model
    mapped = [(shown[0], f'input sheet "{title}"') for title, shown in shown_as.items() if [title] != shown]
    if file_stem(model) != model:
        mapped.append((file_stem(model), f'model "{model}"'))
    explained = [column for page in (*front, *pages[:1], *back) for column in page.columns]
    about = About(
        [
            method_block(plan),
            ("Model", [("Model", model), ("Status", outcome.report.status)]),
            ("Inputs (SHA-256)", list(outcome.inputs.items())),
            ("References (SHA-256)", list(plan.reference_files.items())),
            glossary_block(explained),
            ("Names", mapped),
        ]
    )
    problems = problems_page([problem_row(problem) for problem in outcome.problems], PROBLEM_COLUMNS)
    return Workbook(f"{model}: {plan.family.title}", front, problems, about, pages, back)


def _units(plan: Plan, report: Report, details: Sequence[Detail]) -> tuple[list[str], Iterator[Sequence[Any]]]:
    if report.units is not None:
        return list(report.units.columns), report.units.itertuples(index=False, name=None)
    numbered = ["Row"] if plan.family.unit_is_row else []
    names = plan.family.united(details, plan.options)
    return ["Sheet", *numbered, *names], _unit_rows(plan, details, names)


def _unit_rows(plan: Plan, details: Sequence[Detail], names: Sequence[str]) -> Iterator[Sequence[Any]]:
    for detail in details:
        numbers = [detail.table.index.tolist()] if plan.family.unit_is_row else []
        own = detail.table.reindex(columns=list(names))
        columns = [own[name].tolist() for name in names]
        for values in zip(*numbers, *columns, strict=True):
            yield (detail.sheet.name, *values)

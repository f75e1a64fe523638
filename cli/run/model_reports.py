"""The reports of one model: its workbook, the CSV of its units, and what else its reporter makes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

from scoresheet.cli.input.manifests import TABLES
from scoresheet.cli.report.page import ROW, SHEET, Column, free_column_name
from scoresheet.cli.report.problems_page import problems_page
from scoresheet.cli.report.reporter import Line, ModelPages, Reporter
from scoresheet.cli.run.messages import RowsWritten, Tell
from scoresheet.cli.run.page_tables import page_lines, write_tables
from scoresheet.cli.run.plan import Outcome, Plan
from scoresheet.cli.run.results_folder import unwritable
from scoresheet.cli.run.spreading import beside
from scoresheet.cli.write.about import About
from scoresheet.cli.write.cell_text import escape_control_characters
from scoresheet.cli.write.csv_json import write_columns
from scoresheet.cli.write.names import file_stem
from scoresheet.cli.write.svg_figures import render_svg
from scoresheet.cli.write.workbook import Workbook, sheet_names, write_workbook
from scoresheet.metrics.family import C, K, O, P, R, S
from scoresheet.metrics.tables import column_values, every_column, text_cells, with_column

if TYPE_CHECKING:
    from scoresheet.metrics.tables import Table

_LARGE: Final = 20_000  # rows that are worth a process beside the one that writes the workbook


def write_model(
    plan: Plan[O, P, C, S, R, K], context: C, outcome: Outcome[R], result: R, tell: Tell = lambda _: None
) -> Outcome[R]:
    """Write a model's reports into the stage and return the outcome with their names; a dry run writes none."""
    if plan.stage is None:
        return outcome
    pages = plan.reporter.model_pages(outcome.model, result, plan.options)
    workbook, twin, *_ = report_names(plan.reporter, outcome.model)
    stem = own_stem(plan.reporter, outcome.model)
    book = _workbook(plan, context, outcome, pages)
    further = {f"{stem}.md": escape_control_characters(pages.markdown)} if plan.workbooks and pages.markdown else {}
    if plan.workbooks:
        pictures = [replace(picture, title=f"{outcome.model}: {picture.title}") for picture in pages.pictures]
        further |= {f"{stem}_{picture.name}.svg": render_svg(picture) for picture in pictures}
    units = plan.reporter.unit_table(result, plan.options)
    tables = {
        table_name(stem, name): _with_kept(table, outcome)
        for name, table in plan.reporter.further_tables(result, plan.options).items()
    }
    for column in plan.keep:
        values = [value for sheet in outcome.kept for value in sheet[column]]
        units = with_column(units, free_column_name(column, map(str, units.columns)), values)
    in_workbook = sum(len(page.table) for page in pages.sheets) * plan.workbooks
    of = 2 * in_workbook + len(units)  # of a workbook cells are made, and packed

    def wrote(rows: int) -> None:
        tell(RowsWritten(rows, of))

    written = {}
    try:
        if plan.workbooks and plan.processes > 1 and in_workbook + len(units) >= _LARGE:
            with beside(lambda: _write_csvs(plan, {twin: units, **tables}, twin), lambda: wrote(0)) as done:
                written[workbook] = write_workbook(plan.stage / workbook, book, wrote)
                done()
            wrote(len(units))
        else:
            if plan.workbooks:
                written[workbook] = write_workbook(plan.stage / workbook, book, wrote)
            _write_csvs(plan, {twin: units, **tables}, twin, wrote)
        shown = write_tables(plan.stage, stem, book, raw=plan.raw_csv) if plan.tables else []
        for name, text in further.items():
            (plan.stage / name).write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
    except OSError as error:
        raise unwritable(plan.stage.parent, error) from error
    files = (*([workbook] if plan.workbooks else []), twin, *tables, *further, *shown)
    return replace(outcome, files=files, written=written, pages=page_lines([pages.summary, *pages.more]))


def _write_csvs(
    plan: Plan[O, P, C, S, R, K],
    tables: Mapping[str, Table],
    twin: str,
    wrote: Callable[[int], None] = lambda _: None,
) -> None:
    """Write tables into the stage; `wrote` hears of the rows of the workbook's twin."""
    assert plan.stage is not None  # noqa: S101 - tells the type checker what write_model has made sure of
    for name, table in tables.items():
        told = wrote if name == twin else lambda _: None
        write_columns(plan.stage / name, list(table.columns), every_column(table), raw=plan.raw_csv, wrote=told)


def _with_kept(table: Table, outcome: Outcome[R]) -> Table:
    """Return a table with the user's columns that come along, if its lines are rows of the input."""
    if not outcome.kept_cells or not {SHEET, ROW} <= set(table.columns):
        return table
    rows = cast("Sequence[int]", column_values(table, ROW))
    places = list(zip(text_cells(table, SHEET), rows, strict=True))
    for column, cells in outcome.kept_cells.items():
        values = [cells.get(place, "") for place in places]
        table = with_column(table, free_column_name(column, map(str, table.columns)), values)
    return table


def report_names(reporter: Reporter[O, C, R, K], model: str) -> tuple[str, ...]:
    """Return the file names of a model's workbook, its CSV twin, and its further tables."""
    stem = own_stem(reporter, model)
    return f"{stem}.xlsx", f"{stem}.csv", *(table_name(stem, name) for name in reporter.tables)


def table_name(stem: str, table: str) -> str:
    """Return the file name of a further table of a model."""
    return f"{stem}_{table}.csv"


def own_stem(reporter: Reporter[O, C, R, K], model: str) -> str:
    """Return what the names of all of a model's reports begin with."""
    return f"{file_stem(model)}_{reporter.stem}"


def is_own(name: str, stems: Iterable[str], tables: Sequence[str] = ()) -> bool:
    """Return whether a file is a report of one of these models, which have these further tables."""
    name = name.removeprefix(f"{TABLES}/")
    return any(
        name.startswith(f"{stem}.")
        or (name.startswith(f"{stem}_") and name.endswith(".svg"))
        or name in [table_name(stem, table) for table in tables]
        for stem in stems
    )


def method_block(plan: Plan[O, P, C, S, R, K], method: Iterable[Line]) -> tuple[str, list[Line]]:
    """Return the About block that says how the numbers were made."""
    return (
        "How these numbers were made",
        [
            ("Signature", plan.signature),
            ("Measure", plan.reporter.title),
            *method,
            ("Precision", "Cells show three digits and hold sixteen; the CSV beside this workbook holds all."),
        ],
    )


def glossary_block(columns: Iterable[Column]) -> tuple[str, list[Line]]:
    """Return the About block that explains the columns, each once; one that means another thing elsewhere, twice."""
    return "Columns", list(dict.fromkeys((column.name, column.about) for column in columns))


def _workbook(plan: Plan[O, P, C, S, R, K], context: C, outcome: Outcome[R], pages: ModelPages) -> Workbook:
    shown_as = sheet_names([pages.summary, *pages.more], pages.sheets)
    mapped = [(shown[0], f'input sheet "{title}"') for title, shown in shown_as.items() if [title] != shown]
    if file_stem(outcome.model) != outcome.model:
        mapped.append((file_stem(outcome.model), f'model "{outcome.model}"'))
    explained = [column for page in (pages.summary, *pages.sheets[:1], *pages.more) for column in page.columns]
    about = About(
        [
            method_block(plan, plan.reporter.method(context, plan.options)),
            ("Model", [("Model", outcome.model), ("Status", outcome.status)]),
            ("Inputs (SHA-256)", list(outcome.inputs.items())),
            ("References (SHA-256)", list(plan.side_files.items())),
            glossary_block(explained),
            ("Names", mapped),
        ]
    )
    title = f"{outcome.model}: {plan.reporter.title}"
    problems = problems_page(outcome.problems)
    return Workbook(title, [pages.summary], problems, about, pages.sheets, pages.more, whose=outcome.model)

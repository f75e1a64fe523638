"""The reports of a whole run: results as CSV and workbook, problems, numbers for machines, the manifest."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from scoresheet.cli.input.manifests import TOOL
from scoresheet.cli.report.changes_page import CHANGE_COLUMNS, change_row, changes_page, how_changed
from scoresheet.cli.report.changes_page import TITLE as CHANGES_TITLE
from scoresheet.cli.report.intervals import with_intervals
from scoresheet.cli.report.page import Chart, Column, Page, PageTable, free_column_name
from scoresheet.cli.report.paired_comparison import (
    COMPARISON_COLUMNS,
    TITLE,
    comparison_page,
    comparison_row,
    describe_comparison,
)
from scoresheet.cli.report.problems_page import PROBLEM_FIELDS, problem_row, problems_page
from scoresheet.cli.report.reporter import Line, Numbers, Reporter, ResultColumns
from scoresheet.cli.run.model_reports import glossary_block, method_block, report_names
from scoresheet.cli.run.outcomes import by_model
from scoresheet.cli.run.page_tables import Line as PageLine
from scoresheet.cli.run.page_tables import lines_of, write_tables
from scoresheet.cli.run.plan import Outcome, Plan
from scoresheet.cli.run.request_records import request_record
from scoresheet.cli.run.results_folder import EarlierReport, ResultsFolder, unwritable
from scoresheet.cli.run.results_table import COUNTS, MODEL, STANDING, result_columns, result_row, standing_numbers
from scoresheet.cli.version import VERSION
from scoresheet.cli.write.about import About
from scoresheet.cli.write.csv_json import write_columns, write_csv, write_json
from scoresheet.cli.write.names import SheetNames, file_stem
from scoresheet.cli.write.workbook import Workbook, write_workbook
from scoresheet.metrics.compare import PairedComparison
from scoresheet.metrics.family import C, K, O, P, R, S
from scoresheet.metrics.text.kernel import kernel_name
from scoresheet.metrics.units import Value

if TYPE_CHECKING:
    from scoresheet.cli.run.request import Request, Run

_MODEL_COLUMNS: Final = (MODEL.name, "Model")  # one of which is on every page of a run
CHANGES: Final = "changes.csv"  # where there is a baseline
_WIDE: Final = 20  # columns that can still be taken in


def run_files(reporter: Reporter[O, C, R, K]) -> list[str]:
    """Return the names of the reports of a whole run."""
    stem = reporter.stem
    return [
        f"{stem}_results.csv",
        f"{stem}_results.xlsx",
        "problems.csv",
        "metrics.json",
        "comparisons.csv",
    ]


def written_files(plan: Plan[O, P, C, S, R, K]) -> list[str]:
    """Return those of them that a run writes."""
    return [name for name in run_files(plan.reporter) if plan.workbooks or not name.endswith(".xlsx")]


def write_run(run: Run[O, P, C, S, R, K], method: Sequence[Line], results: ResultsFolder) -> dict[str, str]:
    """Write the run's own reports into the stage; return the names of all that is staged, models' included.

    By each name stands the SHA-256 that is known from writing the file, or '' where none is.
    """
    plan, stage = run.plan, results.stage
    shown = run.shown
    columns = result_columns(shown.measures)
    paired = run.comparison.paired
    rows = [result_row(outcome, shown.measures, paired) for outcome in run.outcomes]
    table, workbook, problems, numbers, comparison = run_files(plan.reporter)
    book = _workbook(run, method, shown, rows)
    tables: list[str] = []
    digest = ""
    try:
        write_csv(stage / table, [column.name for column in columns], rows, raw=plan.raw_csv)
        if plan.workbooks:
            digest = write_workbook(stage / workbook, book)
        if plan.tables:
            tables = write_tables(stage, f"{plan.reporter.stem}_results", book, raw=plan.raw_csv)
        write_csv(stage / problems, list(PROBLEM_FIELDS), map(problem_row, run.problems), raw=plan.raw_csv)
        write_json(stage / numbers, metrics(run.outcomes, paired, book.front[1:]))
        for column, name in zip(plan.by, by_files(plan.reporter, plan.by), strict=True):
            page = parts_page(run, column, shown)
            heads = [each.name for each in page.columns]
            write_columns(stage / name, heads, [page.table[each] for each in heads], raw=plan.raw_csv)
        heads = [column.name for column in COMPARISON_COLUMNS]
        write_csv(stage / comparison, heads, map(comparison_row, paired.differences), raw=plan.raw_csv)
        if run.baseline is not None:
            changes = [change_row(change, run.baseline.measure) for change in run.baseline.changes]
            write_csv(stage / CHANGES, [column.name for column in CHANGE_COLUMNS], changes, raw=plan.raw_csv)
    except OSError as error:
        raise unwritable(results.path, error) from error
    since = [] if run.baseline is None else [CHANGES]
    names = [*written_files(plan), *since, *by_files(plan.reporter, plan.by), *tables]
    of_models = {name: outcome.written.get(name, "") for outcome in run.outcomes for name in outcome.files}
    return {**{name: digest if name == workbook else "" for name in names}, **of_models}


def by_files(reporter: Reporter[O, C, R, K], columns: Sequence[str]) -> list[str]:
    """Return the names of the tables of results by the values of columns."""
    return [f"{reporter.stem}_by_{file_stem(column)}.csv" for column in columns]


def parts_page(run: Run[O, P, C, S, R, K], column: str, shown: ResultColumns) -> Page:
    """Return the results by the values of one column: a line per model and value."""
    columns = (
        MODEL,
        Column(free_column_name(column, [MODEL.name]), "The value.", "key"),
        *shown.measures,
        *COUNTS[:-1],
    )
    lines = []
    for part in [part for outcome in run.outcomes for part in outcome.parts if part.column == column]:
        values = [part.measures.get(each.name, "" if each.kind == "label" else math.nan) for each in shown.measures]
        lines.append([part.model, part.value, *values, part.rows, part.scored, part.coverage])
    return Page(f"By {column}", PageTable.of_rows([each.name for each in columns], lines), columns)


def metrics(
    outcomes: Sequence[Outcome[R]], paired: PairedComparison, pages: Sequence[Page]
) -> Mapping[str, dict[str, object]]:
    """Return by model its nested numbers, then the lines of its pages, and its own lines of the run's pages.

    What is said of a model is made when it is asked for: all of them together would be the largest thing of a run.
    """
    rows = [(page, _rows_by_model(page)) for page in pages]

    def numbers_of(outcome: Outcome[R]) -> dict[str, object]:
        own = [(page, found[outcome.model]) for page, found in rows if outcome.model in found]
        of_run: dict[str, list[PageLine]] = {}
        for page, places in own:
            of_run.setdefault(page.title, []).extend(lines_of(page, places))
        return {
            **outcome.numbers,
            **standing_numbers(outcome.model, paired),
            "Rows": outcome.rows,
            "Scored": outcome.scored,
            "Coverage": outcome.coverage,
            **({"By": _nested_parts(outcome)} if outcome.parts else {}),
            "Pages": outcome.pages,
            "Run_Pages": of_run,
        }

    return by_model(outcomes, numbers_of)


def _rows_by_model(page: Page) -> dict[str, list[int]]:
    """Return the rows of a page by the model that each is of; of two that are compared, by the first."""
    found: dict[str, list[int]] = {}
    model_column = next(name for name in _MODEL_COLUMNS if name in page.table.columns)
    for row, model in enumerate(page.table[model_column]):
        found.setdefault(str(model), []).append(row)
    return found


def _nested_parts(outcome: Outcome[R]) -> Numbers:
    """Return the measures by column and value."""
    nested: dict[str, dict[str, Numbers]] = {}
    for part in outcome.parts:
        counts = {"Rows": part.rows, "Scored": part.scored, "Coverage": part.coverage}
        nested.setdefault(part.column, {})[part.value] = {**part.measures, **counts}
    return nested


def manifest(
    run: Run[O, P, C, S, R, K],
    outputs: Mapping[str, str],
    left: Sequence[EarlierReport],
    request: Request[O, P, C, S, R, K],
    method: Sequence[Line],
) -> dict[str, object]:
    """Return the record of the run: how it was made, from what, into what, and which of its numbers lead."""
    given = request.configuration
    inputs = {name: digest for outcome in run.outcomes for name, digest in outcome.inputs.items()}
    return {
        "tool": TOOL,
        "version": VERSION,
        "kernel": kernel_name(),
        "command": run.plan.family.name,
        "signature": run.plan.signature,
        "raw_csv": run.plan.raw_csv,
        "request": request_record(request),
        "arguments": list(request.arguments),
        "variables": request.variables,
        "configuration": {"file": given.file, "options": given.by_option()} if given.file else None,
        "started": request.clock.started,
        "seconds": request.clock.seconds(),
        "options": dataclasses.asdict(run.plan.options),
        "audit": run.audit.sentence() if run.audit else None,
        "answer": run.answer,
        "shown": _what_is_shown(run),
        "method": [list(line) for line in method],
        "gates": [verdict.record() for verdict in run.gates],
        "baseline": None if run.baseline is None else run.baseline.folder,
        "exit_code": int(run.exit_code(strict=request.settings.strict)),
        "counts": {
            "models": len(run.outcomes),
            "rows": sum(outcome.rows for outcome in run.outcomes),
            "scored": sum(outcome.scored for outcome in run.outcomes),
            "problems": len(run.problems),
        },
        "unchanged": run.unchanged,
        "rewritten": list(run.rewritten),
        "inputs": [{"file": name, "sha256": digest} for name, digest in sorted(inputs.items())],
        "references": [{"file": name, "sha256": digest} for name, digest in sorted(run.plan.side_files.items())],
        "outputs": [{"file": name, "sha256": digest} for name, digest in outputs.items()],
        "left": [{"file": report.name, "sha256": report.sha256} for report in left],
    }


def _what_is_shown(run: Run[O, P, C, S, R, K]) -> dict[str, object]:
    """Return which columns a reader looks at first, and which measure of the units the models are compared in."""
    shown = run.shown
    paired = run.comparison.paired
    return {
        "headline": shown.headline.name,
        "interval": [column.name for column in shown.interval or ()],
        "screen": [column.name for column in shown.terminal],
        "confidence": run.plan.options.ci,
        "compared": paired.headline,
        "units": paired.units,
    }


def _workbook(
    run: Run[O, P, C, S, R, K], method: Sequence[Line], shown: ResultColumns, rows: Sequence[Sequence[Value]]
) -> Workbook:
    plan, reporter = run.plan, run.plan.reporter
    columns = result_columns(shown.measures)
    paired = run.comparison.paired
    names = {model: report_names(reporter, model)[0] for model in run.results}
    siblings = {model: name for model, name in names.items() if not set("#%") & set(name)}  # these break a link
    low, high = (column.name for column in shown.interval) if shown.interval else ("", "")
    headline = shown.headline.name
    summary = Page(
        title="Summary",
        table=PageTable.of_rows([column.name for column in columns], rows),
        columns=_front_first(columns, shown),
        chart=Chart(
            with_intervals(f"{headline} by model", plan.options.ci),
            MODEL.name,
            headline,
            low,
            high,
            edges=shown.edges,
            ordered=True,  # by rank
        ),
        links={model: f"external:{name}" for model, name in siblings.items()},
        sentence=run.answer,
    )
    results = by_model(run.outcomes, lambda outcome: outcome.result)
    more = reporter.run_pages(run.comparison, results, plan.options)
    titles = SheetNames([summary.title, TITLE, CHANGES_TITLE, *(page.title for page in more), "Problems", "About"])
    parts = [parts_page(run, column, shown) for column in plan.by]
    compared = [comparison_page(paired)] if paired.differences else []
    compared += [changes_page(run.baseline)] if run.baseline else []
    front = [summary, *compared, *(replace(page, title=titles.take(page.title)) for page in parts), *more]
    mapped = [(file_stem(model), f'model "{model}"') for model in run.results if file_stem(model) != model]
    audit = [("Audit", run.audit.sentence())] if run.audit else [("Audit", "none for these options")]
    heading, lines = method_block(plan, method)
    about = About(
        [
            ("Answer", [("In a sentence", run.answer)] if run.answer else []),
            (heading, [*lines, *_how_compared(run), *audit]),
            ("References (SHA-256)", list(plan.side_files.items())),
            glossary_block(column for page in front for column in page.columns),
            ("Names", mapped),
        ]
    )
    problems = problems_page(run.problems)
    return Workbook(f"{reporter.title}: results", front, problems, about, whose=reporter.title)


def _how_compared(run: Run[O, P, C, S, R, K]) -> list[Line]:
    paired = run.comparison.paired
    compared = [("Comparison", describe_comparison(paired))] if paired.differences else []
    return [*compared, *([("Changes", how_changed(run.baseline))] if run.baseline else [])]


def _front_first(columns: tuple[Column, ...], shown: ResultColumns) -> tuple[Column, ...]:
    """Return the columns in order; where many go far to the right, the few that the terminal shows come first."""
    first = (MODEL, *shown.terminal, *STANDING, *COUNTS) if len(columns) > _WIDE else columns
    return (*first, *(column for column in columns if column.name not in {each.name for each in first}))

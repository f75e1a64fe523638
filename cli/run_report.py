"""The reports of a whole run: results as CSV and workbook, problems, numbers for machines, the manifest."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scoresheet.cli.model_report import PROBLEM_COLUMNS, glossary_block, method_block, problem_row, report_names
from scoresheet.cli.ownership import TOOL
from scoresheet.cli.results import EarlierReport, ResultsFolder, sha256, unwritable
from scoresheet.cli.version import VERSION
from scoresheet.cli.write.about import About
from scoresheet.cli.write.names import file_stem
from scoresheet.cli.write.tables import write_csv, write_json
from scoresheet.cli.write.workbook import Workbook, problems_page, write_workbook
from scoresheet.metrics.core import Chart, Column, Family, Page, Report
from scoresheet.metrics.tables import table_of_rows

if TYPE_CHECKING:
    from scoresheet.cli.run import Request, Run

_WIDE: Final = 20  # columns that can still be taken in
MODEL: Final = Column("Model Name", "The model: its file's or folder's name.", "key")
COUNTS: Final = (
    Column("Rows", "Rows read.", "count"),
    Column("Scored", "Rows in the mean.", "count"),
    Column("Coverage", "Share of the rows with a computed score.", "share"),
    Column(
        "Status",
        "ok; partial: a sheet was skipped; unscored: no row has a score; failed: nothing could be read or joined.",
        "label",
    ),
)


def run_files(family: Family[Any]) -> list[str]:
    """Return the names of the reports of a whole run."""
    return [f"{family.stem}_results.csv", f"{family.stem}_results.xlsx", "problems.csv", "metrics.json"]


def write_run(run: Run, results: ResultsFolder, *, raw_csv: bool) -> list[str]:
    """Write the run's own reports into the stage and return the names of all that is staged, models' included."""
    family, stage = run.plan.family, results.stage
    measures = family.measured(run.reports, run.plan.options)
    columns = (MODEL, *measures, *COUNTS)
    rows = [result_row(report, measures) for report in run.reports]
    names = [column.name for column in columns]
    table, workbook, problems, numbers = run_files(family)
    try:
        write_csv(stage / table, names, rows, raw=raw_csv)
        write_workbook(stage / workbook, _workbook(run, columns, rows))
        problem_rows = [problem_row(problem) for problem in run.problems]
        write_csv(stage / problems, [column.name for column in PROBLEM_COLUMNS], problem_rows, raw=raw_csv)
        write_json(stage / numbers, metrics(run.reports))
    except OSError as error:
        raise unwritable(results.path, error) from error
    return run_files(family) + [name for outcome in run.outcomes for name in outcome.files]


def result_row(report: Report, measures: Sequence[Column]) -> list[Any]:
    """Return a model's line of the results table."""
    undefined = {column.name: "" if column.kind == "label" else math.nan for column in measures}
    values = [report.measures.get(name, nothing) for name, nothing in undefined.items()]
    return [report.model, *values, report.rows, report.scored, report.coverage, report.status]


def metrics(reports: Sequence[Report]) -> dict[str, Any]:
    """Return nested numbers only, by model."""
    return {
        report.model: {
            **report.numbers,
            "Rows": report.rows,
            "Scored": report.scored,
            "Coverage": report.coverage,
        }
        for report in reports
    }


class Clock:
    """When a run began, and how long it has taken."""

    def __init__(self) -> None:
        self.started = datetime.now(UTC).isoformat(timespec="seconds")
        self._start = time.monotonic()

    def seconds(self) -> float:
        """Return the seconds since the start."""
        return round(time.monotonic() - self._start, 3)


def manifest(
    run: Run, stage: Path, files: Sequence[str], left: Sequence[EarlierReport], request: Request
) -> dict[str, Any]:
    """Return the record of the run: how it was made, from what, into what."""
    inputs = {name: digest for outcome in run.outcomes for name, digest in outcome.inputs.items()}
    reports = run.reports
    return {
        "tool": TOOL,
        "version": VERSION,
        "command": run.plan.family.name,
        "signature": run.plan.signature,
        "arguments": list(request.arguments),
        "variables": request.variables,
        "started": request.clock.started,
        "seconds": request.clock.seconds(),
        "audit": run.audit.sentence() if run.audit else None,
        "counts": {
            "models": len(reports),
            "rows": sum(report.rows for report in reports),
            "scored": sum(report.scored for report in reports),
            "problems": len(run.problems),
        },
        "inputs": [{"file": name, "sha256": digest} for name, digest in sorted(inputs.items())],
        "references": [{"file": name, "sha256": digest} for name, digest in sorted(run.plan.reference_files.items())],
        "outputs": [{"file": name, "sha256": sha256(stage / name)} for name in files],
        "left": [{"file": report.name, "sha256": report.sha256} for report in left],
    }


def _workbook(run: Run, columns: tuple[Column, ...], rows: list[list[Any]]) -> Workbook:
    family = run.plan.family
    reported = {report.model: report for report in run.reports if report.summary is not None}
    names = {model: report_names(family, model)[0] for model in reported}
    siblings = {model: name for model, name in names.items() if not set("#%") & set(name)}  # these break a link
    headline = family.headlined(run.plan.options).name
    # where many cut-offs or levels go far to the right, the few columns that the terminal shows come first
    first = (MODEL, *family.brief(run.reports, run.plan.options), *COUNTS) if len(columns) > _WIDE else columns
    summary = Page(
        title="Summary",
        table=table_of_rows([column.name for column in columns], rows),
        columns=(*first, *(column for column in columns if column.name not in {each.name for each in first})),
        chart=Chart(f"{headline} by model, with 95 % intervals", MODEL.name, headline, "CI_Low", "CI_High"),
        links={model: f"external:{name}" for model, name in siblings.items()},
    )
    front = [summary, *family.compare(run.reports, run.plan.options)]
    mapped = [(file_stem(model), f'model "{model}"') for model in reported if file_stem(model) != model]
    audit = [("Audit", run.audit.sentence())] if run.audit else [("Audit", "none for these options")]
    heading, lines = method_block(run.plan)
    about = About(
        [
            (heading, [*lines, *audit]),
            ("References (SHA-256)", list(run.plan.reference_files.items())),
            glossary_block(column for page in front for column in page.columns),
            ("Names", mapped),
        ]
    )
    problems = problems_page([problem_row(problem) for problem in run.problems], PROBLEM_COLUMNS)
    return Workbook(f"{family.title}: results", front, problems, about)

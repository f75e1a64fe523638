"""What a run of jobs came to: a table for the screen, a page for people, and the same for machines."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from scoresheet.cli.exits import Exit, worst
from scoresheet.cli.input.hashing import sha256
from scoresheet.cli.input.manifests import TOOL
from scoresheet.cli.jobs.runs import JobOutcome, JobsRun
from scoresheet.cli.report.page import Column
from scoresheet.cli.run.gates import failed_only
from scoresheet.cli.run.ownership import Listing, read_listing, refuse_unlisted
from scoresheet.cli.terminal.formats import csv_table, latex_table
from scoresheet.cli.terminal.tables import fit_to_width, one_line, shown_value, text_table
from scoresheet.cli.version import VERSION
from scoresheet.cli.write.csv_json import as_json, write_json
from scoresheet.cli.write.markdown_text import escape_markdown, markdown_row
from scoresheet.metrics.records import dataclass

RUN: Final = "run"  # the name of the command that leaves a summary
SUMMARY: Final = "summary.json"
SUMMARY_PAGE: Final = "summary.md"
_COLUMNS: Final = (
    Column("Job", "Its name in the file.", "key"),
    Column("Command", "What it ran.", "label"),
    Column("Models", "Models found.", "count"),
    Column("Best", "The model that ranks first; none where models share too little to be ranked.", "key"),
    Column("Measure", "The headline measure.", "label"),
    Column("Score", "Its value for that model, over the units that all models share.", "score"),
    Column("Status", "What became of the job.", "label"),
    Column("Exit", "The job's exit code.", "count"),
    Column("Seconds", "How long it took.", "count"),
)
_SPARE: Final = ("Command", "Models", "Measure", "Seconds")  # what a narrow screen can do without, the first first


@dataclass(frozen=True)
class Summary:
    """What all jobs of a file came to, and the one code that the shell is told."""

    file: str
    left_out: Sequence[str]  # jobs that were not asked for
    done: JobsRun
    code: Exit

    def with_code(self, code: Exit) -> Summary:
        """Return the same with one more thing that is true of it."""
        return replace(self, code=worst([self.code, code]))


def refuse_foreign_summary(root: Path) -> None:
    """Stop, before any job begins, if a file stands where a summary is to be written and no run of jobs wrote it."""
    listing = read_listing(root / SUMMARY)
    if listing is None or listing.command != RUN:
        refuse_unlisted(root, [SUMMARY, SUMMARY_PAGE], Listing(RUN, {}))
    else:
        refuse_unlisted(root, [SUMMARY_PAGE], listing)


def write_summary(root: Path, summary: Summary) -> None:
    """Write the page, and then the record that lists it; OSError if that cannot be done.

    Of two runs that write at the same time, the summary of the later one stays, whole.
    """
    root.mkdir(parents=True, exist_ok=True)
    page, record = (root / f".{name}.{os.getpid()}" for name in (SUMMARY_PAGE, SUMMARY))
    try:
        page.write_text(summary_page(summary), encoding="utf-8", errors="backslashreplace")
        outputs = [{"file": SUMMARY_PAGE, "sha256": sha256(page)}]
        write_json(record, {**summary_record(summary), "outputs": outputs})
        os.replace(page, root / SUMMARY_PAGE)  # noqa: PTH105 - atomic by its documentation
        os.replace(record, root / SUMMARY)  # noqa: PTH105 - atomic by its documentation
    finally:
        page.unlink(missing_ok=True)
        record.unlink(missing_ok=True)


def summary_table(summary: Summary, width: int | None = None) -> str:
    """Return a line per job, as wide as it is or, on a screen, as the screen holds."""
    rows = [_row(outcome) for outcome in summary.done.outcomes]
    if width is None:
        return text_table(_COLUMNS, rows)
    text, gone = fit_to_width(_COLUMNS, rows, _SPARE, width)
    return text + (f"\n… {', '.join(gone)}: see {SUMMARY_PAGE}" if gone else "")


def formatted_summary(summary: Summary, style: str) -> str:
    """Return the summary in one of the formats for programs and papers; in Markdown it is the whole page."""
    match style:
        case "json":
            return as_json(summary_record(summary))
        case "markdown":
            return summary_page(summary).rstrip("\n")
        case "latex":
            return latex_table(_COLUMNS, [_row(outcome) for outcome in summary.done.outcomes])
        case _:
            return csv_table(_COLUMNS, [_row(outcome) for outcome in summary.done.outcomes])


def summary_page(summary: Summary) -> str:
    """Return the page: a table of all jobs, then for each what it says and what was wrong, gates word by word."""
    cells = [[shown_value(value, column) for value, column in zip(_row(outcome), _COLUMNS, strict=True)]
             for outcome in summary.done.outcomes]  # fmt: skip
    lines = [
        f"# scoresheet {RUN}: {_verdict(summary)}",
        "",
        f"{_text(summary.file)}, {summary.done.clock.started}, scoresheet {VERSION}, exit code {int(summary.code)}"
        f"{_whose(summary)}: {summary.code.about}.",
        "",
        markdown_row([column.name for column in _COLUMNS]),
        "|" + "---|" * len(_COLUMNS),
        *map(markdown_row, cells),
        "",
    ]
    if summary.left_out:
        lines += [f"Not asked for (--only): {', '.join(map(_text, summary.left_out))}.", ""]
    for outcome in summary.done.outcomes:
        said = _said(outcome)
        if said:
            lines += [f"## {_text(outcome.job.name)}", "", *(f"- {each}" for each in said), ""]
    return "\n".join(lines)


def summary_record(summary: Summary) -> dict[str, Any]:
    """Return the summary for machines; it also says who wrote it, so that the next run may replace it."""
    done = summary.done
    return {
        "tool": TOOL,
        "version": VERSION,
        "command": RUN,
        "file": summary.file,
        "started": done.clock.started,
        "seconds": done.clock.seconds(),
        "exit_code": int(summary.code),
        "stopped": done.stopped is not None,
        "left_out": list(summary.left_out),
        "jobs": [_record(outcome) for outcome in done.outcomes],
    }


def _row(outcome: JobOutcome) -> list[Any]:
    best = outcome.best
    return [
        outcome.job.name,
        outcome.job.command.name,
        outcome.models or None,
        ", ".join(best.models) if best else None,
        best.measure if best else None,
        best.value if best else None,
        outcome.status,
        outcome.code,
        round(outcome.seconds, 1),
    ]


def _record(outcome: JobOutcome) -> dict[str, Any]:
    best = outcome.best
    return {
        "job": outcome.job.name,
        "command": outcome.job.command.name,
        "arguments": list(outcome.job.arguments),
        "folder": str(outcome.job.folder),
        "status": outcome.status,
        "exit_code": outcome.code,
        "seconds": outcome.seconds,
        "models": outcome.models,
        "failed_models": outcome.failed_models,
        "best": {"models": list(best.models), "measure": best.measure, "value": best.value} if best else None,
        "answer": outcome.answer,
        "signature": outcome.signature,
        "gates": [verdict.record() for verdict in outcome.gates],
        "unchanged": outcome.unchanged,
        "problems": outcome.problems,
        "files": list(outcome.files),
        "error": outcome.error,
    }


def _said(outcome: JobOutcome) -> list[str]:
    """Return what the page says of a job below the table."""
    failed = ", ".join(map(_text, outcome.failed_models))
    reports = f"reports: {_text(str(outcome.job.folder))}" if outcome.files else ""
    unchanged = ", ".join(map(_text, outcome.unchanged))
    failed_gates = failed_only(outcome.gates)
    held = f"every gate holds ({len(outcome.gates):,} checked)" if outcome.gates and not failed_gates else ""
    return [
        *(f"gate: {_text(verdict.sentence())}" for verdict in failed_gates),
        *([held] if held else []),
        *([f"error: {_text(outcome.error)}"] if outcome.error else []),
        *([f"without a result: {failed}"] if failed else []),
        *([f"unchanged since the last run and not scored again: {unchanged}"] if unchanged else []),
        *([_text(outcome.answer)] if outcome.answer else []),
        *([f"problems: {outcome.problems:,}, see problems.csv"] if outcome.problems and outcome.files else []),
        *([reports] if reports else []),
    ]


def _whose(summary: Summary) -> str:
    """Return which jobs ended with the code that the shell is told, where there are others."""
    outcomes = summary.done.outcomes
    names = [_text(outcome.job.name) for outcome in outcomes if outcome.code == summary.code]
    return f" ({', '.join(names)})" if 0 < len(names) < len(outcomes) else ""


def _verdict(summary: Summary) -> str:
    outcomes = summary.done.outcomes
    well = sum(outcome.code == Exit.OK for outcome in outcomes)
    stopped = "stopped; " if summary.done.stopped is not None else ""
    return f"{stopped}{well} of {len(outcomes)} {'job' if len(outcomes) == 1 else 'jobs'} ok"


def _text(text: str) -> str:
    return escape_markdown(one_line(text))

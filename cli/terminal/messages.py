"""What the user sees: the answer on stdout, everything else on stderr, names printed as they are."""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.report.page import Column, Page
from scoresheet.cli.report.paired_comparison import COMPARISON_COLUMNS, SPARE_ON_SCREEN, comparison_row, screen_table
from scoresheet.cli.report.problems_page import PROBLEM_FIELDS, problem_row
from scoresheet.cli.report.reporter import ResultColumns
from scoresheet.cli.run.plan import SheetAccount
from scoresheet.cli.run.results_table import MODEL, STANDING, result_columns, result_row
from scoresheet.cli.run.run_reports import run_files
from scoresheet.cli.terminal.tables import fit_to_width, for_screen, one_line, text_table, wrapped
from scoresheet.cli.write.csv_json import as_json
from scoresheet.metrics.family import C, K, O, P, R, S
from scoresheet.metrics.messages import join_names
from scoresheet.metrics.problems import SKIPPED, Problem, ProblemKind

if TYPE_CHECKING:
    from scoresheet.cli.run.pipeline import Run
    from scoresheet.cli.settings import Settings

_FEW: Final = 10  # problems shown in full without -v, and models compared on screen
_MANY: Final = 50  # old reports named without -v
_NEVER_MEANT: Final = (".", "~$")  # how the names of files begin that programs leave in folders
_PRUNE: Final = " (--prune removes it unless its model failed)"
_CHANGED: Final = ": it was changed since it was written, so that --prune spares it"


class Log:
    """Says things on stderr, and writes them to the log file if there is one."""

    def __init__(self, *, quiet: bool = False, log_file: str = "") -> None:
        self.quiet = quiet
        self.log_file = log_file
        self.debug("")  # a log that cannot be written is said before any work is done

    def info(self, message: str) -> None:
        """Say something that quiet users do not want to hear."""
        if not self.quiet:
            self.error(message)

    def error(self, message: str) -> None:
        """Say something that everybody must hear."""
        self.debug(message)
        with suppress(OSError):  # nobody listens; the run is not the worse for it
            sys.stderr.write(for_screen(one_line(message), sys.stderr) + "\n")
            sys.stderr.flush()

    def debug(self, message: str) -> None:
        """Write to the log file alone."""
        if not self.log_file:
            return
        line = f"{datetime.now(UTC).isoformat(timespec='seconds')} {one_line(message)}\n" if message else ""
        try:
            with Path(self.log_file).open("a", encoding="utf-8", errors="backslashreplace") as stream:
                stream.write(line)
        except OSError as error:
            raise Stop(Exit.USAGE, f"--log-file {self.log_file}: cannot be written ({error.strerror})") from None


def show_answer(run: Run[O, P, C, S, R, K], settings: Settings, *, code: int) -> None:
    """Print the results table, or JSON, on stdout; a reader that has gone away is no error."""
    if settings.json:
        text = as_json(_answer(run, code))
    elif settings.quiet:
        return
    else:
        text = plan_table(run) if settings.dry_run else results_table(run)
    _print(text)


def show_error(stop: Stop) -> None:
    """Print, for a program that waits for JSON, why there is no answer."""
    _print(as_json({"error": str(stop), "exit_code": int(stop.code)}))


def _print(text: str) -> None:
    try:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            with suppress(OSError):
                sys.stderr.write(f"the answer could not be printed ({error.strerror})\n")
        # what is still buffered would fail once more when Python closes the stream
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - lives as long as the process


def show_problems(run: Run[O, P, C, S, R, K], log: Log, *, verbose: bool) -> None:
    """Say what was wrong: what costs something in full up to a point, notes only to those who ask."""
    rows = [problem for problem in run.problems if problem.effect == "row not scored"]
    lost = [problem for problem in run.problems if problem.effect in SKIPPED]
    for problem, others in [(problem, 0) for problem in lost] if verbose else _group_by_cause(lost):
        more = f" (and {others} more like it)" if others else ""
        log.error(f"{problem.effect}: {problem}{more}")
    alike = _group_repeated(rows)
    few = len(alike) if verbose else _FEW
    for problem, others in alike[:few]:
        log.info(
            f"{problem.effect}: {problem}"
            + (f" ({others} more row{'s' if others > 1 else ''} like this)" if others else "")
        )
    where = "see problems.csv, or run with -v" if run.files else "run with -v to see all"
    if alike[few:]:
        kinds = Counter[str]()
        for problem, others in alike[few:]:
            kinds[problem.kind] += 1 + others
        listed = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        log.info(f"… more rows without a score: {listed}; {where}")
    meant = [each for each in run.ignored if not each.rpartition("/")[2].startswith(_NEVER_MEANT)]
    if meant and not verbose:
        log.info(f"not read: {join_names(meant, most=3)}" + ("; -v lists all" if len(meant) > 3 else ""))
    if verbose:
        for each in run.ignored:
            log.info(f"ignored: {each}")
        if run.audit:
            log.info(f"audit: {run.audit.sentence()}")
    notes = [problem for problem in run.problems if problem.effect == "note"]
    _show_notes(notes, run.plan.kind_of, log, where if not verbose else "")


def _group_repeated(problems: list[Problem]) -> list[tuple[Problem, int]]:
    """Return the first of the problems that say the same of one sheet, and how many others do."""
    groups: dict[Problem, list[Problem]] = {}
    for problem in problems:
        groups.setdefault(replace(problem, row=None), []).append(problem)
    return [(group[0], len(group) - 1) for group in groups.values()]


def _group_by_cause(problems: list[Problem]) -> list[tuple[Problem, int]]:
    """Return the first of the problems that say the same, wherever, and how many others do."""
    groups: dict[tuple[str, str], list[Problem]] = {}
    for problem in problems:
        groups.setdefault((problem.kind, problem.message), []).append(problem)
    return [(group[0], len(group) - 1) for group in groups.values()]


def _show_notes(notes: list[Problem], kind_of: Callable[[Problem], ProblemKind], log: Log, where: str) -> None:
    """Say the notes: all, or, if `where` they can be read, those that hold for the whole run or must be heard."""
    shown = [
        problem for problem in notes if not problem.file or problem.table or kind_of(problem).always_shown or not where
    ]
    for problem, repeated in _group_by_cause(shown) if where else [(problem, 0) for problem in shown]:
        more = f" (and in {repeated} more place{'s' if repeated > 1 else ''})" if repeated else ""
        log.info(f"note: {problem}{more}")
    said = set(shown)
    others = [problem for problem in notes if problem not in said]
    if others:
        kinds = Counter(problem.kind for problem in others)
        listed = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        log.info(f"{len(others)} {'notes' if len(others) > 1 else 'note'} ({listed}): {where}")


def show_page(page: Page, settings: Settings) -> None:
    """Print a page that needed no files."""
    names = [column.name for column in page.columns]
    rows = [list(row) for row in page.table[names].itertuples(index=False, name=None)]
    if settings.json:
        _print(as_json({"title": page.title, "rows": [dict(zip(names, row, strict=True)) for row in rows]}))
    else:
        _print(f"{page.title}\n\n{text_table(page.columns, rows)}")


def show_alerts(run: Run[O, P, C, S, R, K], log: Log, *, code: int) -> None:
    """Say what calls for attention in the systems themselves, and that the exit code says so."""
    for model, result in run.results.items():
        for alert in result.alerts[:_FEW]:
            log.error(f"alert: {model}: {alert}")
        if result.alerts[_FEW:]:
            log.error(f"alert: {model}: … and {len(result.alerts[_FEW:]):,} more, see its page Alerts")
    if code == Exit.GATE:
        for gate in run.failed_gates:
            log.error(f"gate: {gate}")
        log.error(f"a gate did not hold; exit code {int(code)}")


def show_files(run: Run[O, P, C, S, R, K], settings: Settings, log: Log) -> None:
    """Say where the reports are, and which old ones were not part of this run."""
    if settings.limit:
        log.info(f"only the first {settings.limit} rows of each sheet were read (--limit)")
    if run.files:
        log.info(f"{len(run.files)} reports and manifest.json are in {settings.out}/; start with {run.files[1]}")
    most = None if settings.verbose else _MANY
    for name in run.removed[:most]:
        log.info(f"{settings.out}/{name}: removed")
    for report in run.left[:most]:
        way = _CHANGED if report.changed else "" if settings.prune else _PRUNE
        log.info(f"{settings.out}/{report.name}: not of this run, left as it was{way}")
    for number, what in ((len(run.removed), "removed"), (len(run.left), "not of this run, left as they were")):
        if most is not None and number > most:
            log.info(f"{settings.out}/: {number - most:,} more {what}; manifest.json or -v lists what is left")


def results_table(run: Run[O, P, C, S, R, K]) -> str:
    """Return the results as a table for people; on a screen as much as its width holds, elsewhere everything."""
    shown, paired = _result_columns(run), run.comparison.paired
    every = result_columns(shown.terminal)
    lines = [result_row(outcome, shown.terminal, paired) for outcome in run.outcomes]
    idle = _idle_standing(run, shown)
    kept = [place for place, column in enumerate(every) if column.name not in idle]
    columns = [every[place] for place in kept]
    rows = [[line[place] for place in kept] for line in lines]
    compared = comparisons_table(run)
    answer = run.answer
    if sys.stdout.isatty():  # a screen would break it in the middle of a word
        answer = wrapped(answer, shutil.get_terminal_size().columns)
    said = "".join(f"\n\n{part}" for part in (compared, answer) if part)
    if not sys.stdout.isatty():
        return text_table(columns, rows) + said
    text, gone = fit_to_width(columns, rows, _droppable_columns(run, shown), shutil.get_terminal_size().columns)
    more = f"\n… {', '.join(gone)}: see {run.files[0] if run.files else '--json'}" if gone else ""
    return text + more + said


def comparisons_table(run: Run[O, P, C, S, R, K]) -> str:
    """Return every two models in the headline measure, where they are few enough to be looked at."""
    paired = run.comparison.paired
    if len(paired.standings) > _FEW:
        pairs, where = len(paired.of_headline()), run_files(run.plan.reporter)[-1] if run.files else "--json"
        return f"{pairs:,} pairs of models are compared: see {where}"
    if len(paired.standings) < 2:
        return ""
    columns, rows = screen_table(paired)
    title = f"{paired.headline}, every two models on the {paired.units} they share"
    if not sys.stdout.isatty():
        return f"{title}\n{text_table(columns, rows)}"
    text, gone = fit_to_width(columns, rows, SPARE_ON_SCREEN, shutil.get_terminal_size().columns)
    where = run_files(run.plan.reporter)[-1] if run.files else "--json"
    return f"{title}\n{text}" + (f"\n… {', '.join(gone)}: see {where}" if gone else "")


def _idle_standing(run: Run[O, P, C, S, R, K], shown: ResultColumns) -> set[str]:
    """Return what of the standings would say nothing: all of a lone model, and means that are the scores themselves."""
    paired = run.comparison.paired
    rank, *on_shared = (column.name for column in STANDING)
    if len(paired.standings) < 2:
        return {rank, *on_shared}
    scores = {model: result.measures.get(shown.headline.name) for model, result in run.results.items()}
    same = paired.same_units and all(
        isinstance(score := scores.get(model), float) and f"{score:.3f}" == f"{standing.on_shared:.3f}"
        for model, standing in paired.standings.items()
    )
    return set(on_shared) if same else set()


def _result_columns(run: Run[O, P, C, S, R, K]) -> ResultColumns:
    return run.plan.reporter.result_columns(list(run.results.values()), run.plan.options)


def _droppable_columns(run: Run[O, P, C, S, R, K], shown: ResultColumns) -> list[str]:
    """Return which columns a narrow screen can do without, the first first: counts, then measures from the right."""
    complete = all(outcome.scored == outcome.rows for outcome in run.outcomes)
    sound = all(outcome.status == "ok" for outcome in run.outcomes)
    counts = ["Rows", "Scored", *(["Coverage"] if complete else []), *(["Status"] if sound else [])]
    kept = {shown.headline.name, "Rank", *(column.name for column in shown.interval or ())}
    return counts + [column.name for column in reversed(shown.terminal) if column.name not in kept]


def plan_table(run: Run[O, P, C, S, R, K]) -> str:
    """Return what a run would read as what, join and score."""
    joins = any(sheet.joined is not None for outcome in run.outcomes for sheet in outcome.sheets)
    matched = [Column("With a reference", "", "count")] if joins else []
    columns = (
        MODEL,
        Column("File", "", "key"),
        Column("Sheet", "", "key"),
        Column("Header", "", "count"),
        Column("Read as", "", "text"),
        Column("Not used", "", "text"),
        Column("Rows", "", "count"),
        *matched,
    )
    rows: list[list[Any]] = []
    for outcome in run.outcomes:
        for sheet in outcome.sheets or [SheetAccount("", 0, 0)]:
            naming = {"(model)": sheet.model_column, "(sheet)": sheet.sheet_column}
            taken = {name: header for name, header in (naming | dict(sheet.columns)).items() if header}
            read = ", ".join(name if name == header else f"{name}={header}" for name, header in taken.items())
            ignored = ", ".join(sheet.ignored)
            line = [
                outcome.model,
                sheet.file,
                sheet.name,
                sheet.header_row or None,
                read,
                ignored,
                sheet.rows,
                sheet.joined,
            ]
            rows.append(line[: len(columns)])
    scored = sum(outcome.scored for outcome in run.outcomes)
    read = ", ".join(run.plan.reference_sources) or "none"
    references = f"references: {read}\n" if run.plan.family.schema.references else ""
    return f"{text_table(columns, rows)}\n\n{references}would score {scored:,} rows; nothing was written"


def _account(model: str, sheet: SheetAccount) -> dict[str, Any]:
    """Return what was read of a sheet, for machines."""
    return {
        "model": model,
        "file": sheet.file,
        "sheet": sheet.name,
        "header_row": sheet.header_row or None,
        "sheet_column": sheet.sheet_column or None,
        "model_column": sheet.model_column or None,
        "columns": dict(sheet.columns),
        "ignored": list(sheet.ignored),
        "rows": sheet.rows,
        "joined": sheet.joined,
    }


def _answer(run: Run[O, P, C, S, R, K], code: int) -> dict[str, Any]:
    measures, paired = _result_columns(run).measures, run.comparison.paired
    names = [column.name for column in result_columns(measures)]
    pair_names = [column.name for column in COMPARISON_COLUMNS]
    return {
        "signature": run.plan.signature,
        "models": [dict(zip(names, result_row(outcome, measures, paired), strict=True)) for outcome in run.outcomes],
        "answer": run.answer,
        "comparison": [dict(zip(pair_names, comparison_row(pair), strict=True)) for pair in paired.differences],
        "problems": [dict(zip(PROBLEM_FIELDS, problem_row(problem), strict=True)) for problem in run.problems],
        "audit": run.audit.sentence() if run.audit else None,
        "files": list(run.files),
        "read": [_account(outcome.model, sheet) for outcome in run.outcomes for sheet in outcome.sheets],
        "not_read": list(run.ignored),
        "dry_run": run.plan.stage is None,
        "exit_code": int(code),
    }

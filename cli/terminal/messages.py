"""What the user sees: the answer on stdout, everything else on stderr, names printed as they are."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.report.changes_page import changes_record, changes_table
from scoresheet.cli.report.page import Column, Page
from scoresheet.cli.report.paired_comparison import COMPARISON_COLUMNS, SPARE_ON_SCREEN, comparison_row, screen_table
from scoresheet.cli.report.problems_page import PROBLEM_FIELDS, problem_row
from scoresheet.cli.report.reporter import ResultColumns
from scoresheet.cli.run.baseline import Baseline
from scoresheet.cli.run.gates import GateVerdict, failed_only
from scoresheet.cli.run.plan import SheetAccount
from scoresheet.cli.run.results_table import MODEL, STANDING, result_columns, result_row
from scoresheet.cli.run.run_reports import run_files
from scoresheet.cli.shared_values import TABLE
from scoresheet.cli.terminal.formats import csv_table, latex_table, markdown_table, markdown_text
from scoresheet.cli.terminal.log import Log
from scoresheet.cli.terminal.printing import print_answer
from scoresheet.cli.terminal.tables import Rows, fit_to_width, for_screen, one_line, shown_value, text_table, wrap_text
from scoresheet.cli.write.csv_json import as_json
from scoresheet.metrics.compare import PairedComparison
from scoresheet.metrics.family import C, K, O, P, R, S
from scoresheet.metrics.messages import join_names, pluralize
from scoresheet.metrics.problems import SKIPPED, Problem, ProblemKind

if TYPE_CHECKING:
    from scoresheet.cli.run.request import Run
    from scoresheet.cli.settings import Settings
    from scoresheet.cli.write.junit import TestCase

_FEW: Final = 10  # problems shown in full without -v, and models compared on screen
_MANY: Final = 50  # old reports named without -v
_SCORED: Final = ("ok", "partial")  # statuses of models that have a score
_NEVER_MEANT: Final = (".", "~$")  # how the names of files begin that programs leave in folders
_PRUNE: Final = " (--prune removes it unless its model failed)"
_CHANGED: Final = ": it was changed since it was written, so that --prune spares it"


def show_answer(run: Run[O, P, C, S, R, K], settings: Settings, *, code: int) -> bool:
    """Print the results in the format wanted on stdout, and return whether that went well."""
    if settings.prints_json:
        return print_answer(as_json(_answer(run, code)))
    if settings.format != TABLE:
        return print_answer(formatted_results(run, settings))
    if settings.quiet:
        return True
    return print_answer(plan_table(run) if settings.dry_run else results_table(run))


def log_scores(run: Run[O, P, C, S, R, K], log: Log) -> None:
    """Write the headline of every model to the log file."""
    shown = run.shown
    for outcome in run.outcomes:
        known = outcome.result.measures if outcome.result else {}
        columns = (shown.headline, *(shown.interval or ()))
        values = ", ".join(f"{column.name} {shown_value(known.get(column.name), column)}" for column in columns)
        rows = f"{outcome.scored:,} of {outcome.rows:,} rows scored"
        log.debug(f"score: {outcome.model}: {values}; {rows}; {outcome.status}")


def show_error(stop: Stop) -> None:
    """Print, for a program that waits for JSON, why there is no answer."""
    print_answer(as_json({"error": str(stop), "exit_code": int(stop.code)}))


def show_junit(run: Run[O, P, C, S, R, K], settings: Settings, log: Log) -> bool:
    """Write the verdicts for a CI server if they are wanted, and return whether that went well."""
    if not settings.junit:
        return True
    from scoresheet.cli.write.junit import TestCase

    cases = [
        TestCase(
            "scored", outcome.model, "" if outcome.status in _SCORED else f"{outcome.model}: status {outcome.status}"
        )
        for outcome in run.outcomes
    ]
    cases += [
        TestCase(verdict.gate, verdict.model, verdict.sentence() if verdict.failed else "") for verdict in run.gates
    ]
    return write_verdicts(settings.junit, f"scoresheet {run.plan.family.name}", cases, log)


def write_verdicts(file: str, suite: str, cases: Sequence[TestCase], log: Log) -> bool:
    """Write a JUnit file if there is to be one, and return whether that went well."""
    if not file:
        return True
    from scoresheet.cli.write.junit import write_junit

    why = ""
    try:
        write_junit(Path(file), suite, cases)
    except OSError as error:
        why = str(error.strerror)
    if why:
        log.error(f"Error: --junit {file}: cannot be written ({why}); the reports are written")
    return not why


def refuse_unwritable_junit(file: str) -> None:
    """Stop, before any work is done, if verdicts could not be written where they are wanted."""
    if file and (Path(file).is_dir() or not Path(file).absolute().parent.is_dir()):
        why = "it is a folder" if Path(file).is_dir() else "there is no such folder"
        raise Stop(Exit.USAGE, f"--junit {file}: cannot be written: {why}")


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


def show_page(page: Page, settings: Settings) -> bool:
    """Print a page that needed no files, and return whether that went well."""
    names = [column.name for column in page.columns]
    rows = list(map(list, page.table.rows(names)))
    if settings.prints_json:
        lines = [dict(zip(names, row, strict=True)) for row in rows]
        return print_answer(as_json({"title": page.title, "rows": lines}))
    return print_answer(formatted_table(settings.format, page.columns, rows, title=page.title, raw=settings.raw_csv))


def show_alerts(run: Run[O, P, C, S, R, K], log: Log, *, code: int) -> None:
    """Say what calls for attention in the systems themselves, and that the exit code says so."""
    for model, result in run.results.items():
        for alert in result.alerts[:_FEW]:
            log.error(f"alert: {model}: {alert}")
        if result.alerts[_FEW:]:
            log.error(f"alert: {model}: … and {len(result.alerts[_FEW:]):,} more, see its page Alerts")
    show_gates(run.gates, log, code=code)


def show_gates(verdicts: Sequence[GateVerdict], log: Log, *, code: int) -> None:
    """Say which gates did not hold, or that all did."""
    failed = failed_only(verdicts)
    for verdict in failed:
        log.error(f"gate: {verdict.sentence()}")
    for verdict in verdicts:
        if not verdict.failed:
            log.debug(f"gate held: {verdict.gate}: {verdict.sentence()}")
    if failed:
        before = "" if code == Exit.GATE else f", which goes before {Exit.GATE:d}"
        log.error(f"a gate did not hold; exit code {int(code)}{before}")
    elif verdicts:
        log.info(f"every gate holds ({len(verdicts):,} checked)")


def show_files(run: Run[O, P, C, S, R, K], settings: Settings, log: Log) -> None:
    """Say where the reports are, and which old ones were not part of this run."""
    if settings.limit:
        log.info(f"only the first {settings.limit} rows of each sheet were read (--limit)")
    if run.files:
        log.info(f"{len(run.files)} reports and manifest.json are in {settings.out}/; start with {_first_to_open(run)}")
    most = None if settings.verbose else _MANY
    if run.unchanged:
        who = join_names(run.unchanged, most=len(run.unchanged) if settings.verbose else 3)
        few = len(run.unchanged) == 1
        was = "is unchanged since the last run and was" if few else "are unchanged since the last run and were"
        log.info(f"{pluralize(len(run.unchanged), 'model')} {was} not scored again (--fresh scores all): {who}")
    for said in run.rewritten[:most]:
        log.info(f"{settings.out}/{said}")
    for name in run.removed[:most]:
        log.info(f"{settings.out}/{name}: removed")
    for report in run.left[:most]:
        way = _CHANGED if report.changed else "" if settings.prune else _PRUNE
        log.info(f"{settings.out}/{report.name}: not of this run, left as it was{way}")
    for number, what in ((len(run.removed), "removed"), (len(run.left), "not of this run, left as they were")):
        if most is not None and number > most:
            log.info(f"{settings.out}/: {number - most:,} more {what}; manifest.json or -v lists what is left")


def _first_to_open(run: Run[O, P, C, S, R, K]) -> str:
    """Return the results' workbook, or the table where there are no workbooks."""
    return next((name for name in run.files if name.endswith("_results.xlsx")), run.files[0])


def formatted_results(run: Run[O, P, C, S, R, K], settings: Settings) -> str:
    """Return the results as Markdown, LaTeX or CSV: the columns of the screen, of CSV all there are."""
    shown, paired = run.shown, run.comparison.paired
    measures = shown.measures if settings.format == "csv" else shown.terminal
    idle = set() if settings.format == "csv" else _idle_standing(run, shown)
    every = result_columns(measures)
    kept = [place for place, column in enumerate(every) if column.name not in idle]
    rows = [result_row(outcome, measures, paired) for outcome in run.outcomes]
    return formatted_table(
        settings.format,
        [every[place] for place in kept],
        [[row[place] for place in kept] for row in rows],
        title=run.plan.reporter.title,
        raw=settings.raw_csv,
        sentences=[run.answer, run.since, *gate_sentences(run.gates)],
    )


def gate_sentences(verdicts: Sequence[GateVerdict]) -> list[str]:
    """Return what a summary says of gates: which did not hold, or that all did."""
    failed = failed_only(verdicts)
    if not verdicts:
        return []
    return [f"Gate failed: {verdict.sentence()}" for verdict in failed] or [
        f"Every gate holds ({len(verdicts):,} checked)."
    ]


def formatted_table(
    style: str, columns: Sequence[Column], rows: Rows, *, title: str, raw: bool = False, sentences: Sequence[str] = ()
) -> str:
    """Return a table in one of the formats; what is said of it stands where the format has a place for it."""
    match style:
        case "csv":
            return csv_table(columns, rows, raw=raw)
        case "latex":
            return latex_table(columns, rows)
        case "markdown":
            said = [markdown_text(sentence) for sentence in sentences if sentence]
            return "\n\n".join([f"## {markdown_text(title)}", markdown_table(columns, rows), *said])
        case _:
            return "\n\n".join([title, text_table(columns, rows), *map(one_line, filter(None, sentences))])


def results_table(run: Run[O, P, C, S, R, K]) -> str:
    """Return the results as a table for people; on a screen as much as its width holds, elsewhere everything."""
    shown, paired = run.shown, run.comparison.paired
    every = result_columns(shown.terminal)
    lines = [result_row(outcome, shown.terminal, paired) for outcome in run.outcomes]
    idle = _idle_standing(run, shown)
    kept = [place for place, column in enumerate(every) if column.name not in idle]
    columns = [every[place] for place in kept]
    rows = [[line[place] for place in kept] for line in lines]
    compared = comparisons_table(run)
    changed = changes_text(run.baseline) if run.baseline else ""
    answer = one_line(" ".join(filter(None, [run.answer, run.since])))
    if sys.stdout.isatty():  # a screen would break it in the middle of a word
        answer = wrap_text(answer, shutil.get_terminal_size().columns)
    said = "".join(f"\n\n{part}" for part in (compared, changed, answer) if part)
    if not sys.stdout.isatty():
        return text_table(columns, rows) + said
    text, gone = fit_to_width(columns, rows, _droppable_columns(run, shown), shutil.get_terminal_size().columns)
    first = run.files[0] if run.files else "--json"
    more = "\n" + for_screen(one_line(f"… {', '.join(gone)}: see {first}"), sys.stdout) if gone else ""
    return text + more + said


def comparisons_table(run: Run[O, P, C, S, R, K]) -> str:
    """Return every two models in the headline measure, where they are few enough to be looked at."""
    return paired_text(run.comparison.paired, where=run_files(run.plan.reporter)[-1] if run.files else "--json")


def paired_text(paired: PairedComparison, *, where: str) -> str:
    """Return the pairs of a comparison in the headline measure; of many models, `where` they are."""
    pairs = paired.of_headline()
    if len(paired.standings) < 2 or not pairs:
        return ""
    if paired.picked:
        return one_line(
            f"{len(pairs):,} models are compared with the best, {paired.against}, by p-values that know it was picked "
            f"on these data: see {where}"
        )
    if len(paired.standings) > _FEW and not (paired.against and len(pairs) < _FEW):
        what = f"models are compared with {paired.against}" if paired.against else "pairs of models are compared"
        return one_line(f"{len(pairs):,} {what}: see {where}")
    columns, rows = screen_table(paired)
    who = f"each model against {paired.against}" if paired.against else "every two models"
    title = one_line(f"{paired.headline}, {who} on the {paired.units} they share")
    if not sys.stdout.isatty():
        return f"{title}\n{text_table(columns, rows)}"
    text, gone = fit_to_width(columns, rows, SPARE_ON_SCREEN, shutil.get_terminal_size().columns)
    return f"{title}\n{text}" + (f"\n… {', '.join(gone)}: see {where}" if gone else "")


def changes_text(baseline: Baseline) -> str:
    """Return the change of each model since an earlier run, where they are few enough to be looked at."""
    if len(baseline.changes) > _MANY or not baseline.changes:
        return ""
    columns, rows = changes_table(baseline)
    title = one_line(f"{baseline.measure}, each model now and in {baseline.folder}")
    if not sys.stdout.isatty():
        return f"{title}\n{text_table(columns, rows)}"
    return f"{title}\n{fit_to_width(columns, rows, ('P_Holm', 'Shared'), shutil.get_terminal_size().columns)[0]}"


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
    references = f"{one_line(f'references: {read}')}\n" if run.plan.family.schema.references else ""
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
    measures, paired = run.shown.measures, run.comparison.paired
    names = [column.name for column in result_columns(measures)]
    pair_names = [column.name for column in COMPARISON_COLUMNS]
    return {
        "signature": run.plan.signature,
        "models": [dict(zip(names, result_row(outcome, measures, paired), strict=True)) for outcome in run.outcomes],
        "answer": run.answer,
        "comparison": [dict(zip(pair_names, comparison_row(pair), strict=True)) for pair in paired.differences],
        "problems": [dict(zip(PROBLEM_FIELDS, problem_row(problem), strict=True)) for problem in run.problems],
        "audit": run.audit.sentence() if run.audit else None,
        "gates": [verdict.record() for verdict in run.gates],
        "baseline": changes_record(run.baseline) if run.baseline else None,
        "since": run.since or None,
        "files": list(run.files),
        "unchanged": run.unchanged,
        "rewritten": list(run.rewritten),
        "read": [_account(outcome.model, sheet) for outcome in run.outcomes for sheet in outcome.sheets],
        "not_read": list(run.ignored),
        "dry_run": run.plan.stage is None,
        "exit_code": int(code),
    }

"""One model from file to report: read → join → score → summarise → write. This is what a worker does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from scoresheet.cli.discover import ModelInput, Source
from scoresheet.cli.join import join, unused_references
from scoresheet.cli.model_report import write_model
from scoresheet.cli.plan import Outcome, Plan
from scoresheet.cli.read.delimited import SHEET
from scoresheet.cli.read.dispatch import read_file, reader_of
from scoresheet.cli.read.rules import ReadRules
from scoresheet.cli.read.workbook import read_workbook
from scoresheet.cli.results import sha256
from scoresheet.cli.separators import unseparated_columns
from scoresheet.cli.workers import Tell
from scoresheet.metrics.core import Detail, Joined, Report, Sheet
from scoresheet.metrics.problems import SKIPPED, Problem, Refusal
from scoresheet.metrics.tables import table


def score_model(plan: Plan, model: ModelInput, tell: Tell) -> Outcome:
    """Return what came of a model; its reports are in the stage."""
    sheets, problems, inputs = read_sheets(model, plan.rules, plan.folder, tell)
    joined, skipped = joined_sheets(sheets, plan)
    problems += skipped
    tell(("rows", sum(len(each.sheet.frame) for each in joined)))
    try:
        details, found = _scored(joined, plan, tell)
        problems += found
        if not details:
            lost = any(problem.effect in SKIPPED for problem in problems)
            return Outcome(Report.empty(model.name, "failed" if lost else "unscored"), tuple(problems), inputs)
        report = plan.family.summarise(model.name, details, plan.options)
    except Refusal as refusal:  # the model fails, the run goes on
        problem = refusal.problem.at(folder=plan.folder, file=_shown(model))
        return Outcome(Report.empty(model.name), (*problems, problem), inputs)
    problems += [problem.at(folder=plan.folder, file=_shown(model)) for problem in report.problems]
    if report.status == "ok" and any(problem.makes_partial for problem in problems):
        report = replace(report, status="partial")
    if plan.family.key and plan.referenced:
        unused = unused_references(joined, plan.references)
        problems += [problem.at(folder=plan.folder, file=_shown(model)) for problem in unused]
    outcome = Outcome(
        report,
        tuple(problems),
        inputs,
        samples=tuple(sample for detail in details for sample in detail.samples),
        sheets=tuple((each.sheet.name, len(each.sheet.frame), sum(map(bool, each.matches))) for each in joined),
    )
    files = write_model(plan, outcome, details)
    # what is written need not travel to the parent, where the pages of all models would stay
    return replace(outcome, files=files, report=replace(report, pages=(), units=None, text="", pictures=()))


def survey_model(plan: Plan, model: ModelInput, _: Tell) -> list[Any]:
    """Return what the family must know of a model's sheets before any is scored; what is wrong is said when it is."""
    sheets, _problems, _inputs = read_sheets(model, plan.rules, plan.folder)
    joined, _skipped = joined_sheets(sheets, plan)
    return [plan.family.survey(each, plan.options) for each in joined]


def read_sheets(
    model: ModelInput, rules: ReadRules, folder: str, tell: Tell = lambda _: None
) -> tuple[list[Sheet], list[Problem], dict[str, str]]:
    """Return the sheets of a model's files, what is wrong with them, and the files' hashes."""
    sheets: list[Sheet] = []
    problems: list[Problem] = []
    inputs: dict[str, str] = {}
    for source in model.files:
        tell(("file", source.shown))
        try:
            inputs |= {source.shown: sha256(source.path)} if source.path.is_file() else {}
            content = read_file(source.path, replace(rules, prefix=_prefix(source, model)))
        except Refusal as refusal:  # the hash of a file that is refused is kept
            problems.append(refusal.problem.at(folder=folder, file=source.shown))
            continue
        except OSError as error:
            message = f"cannot be read: {error.strerror or error}"
            problems.append(
                Problem(kind="not-a-table", message=message, effect="file skipped", folder=folder, file=source.shown)
            )
            continue
        for read in content.tables:
            name = _sheet_name(read.name, source, model)
            if rules.wants(name):
                frame = read.frame.head(rules.limit) if rules.limit else read.frame
                sheets.append(Sheet(model.name, name, frame, source.shown, read.error_cells, read.merged))
        problems += [problem.at(folder=folder, file=source.shown) for problem in content.problems]
    if not sheets and not problems:
        message = (
            "no sheet of this model is left by --sheet and --skip-sheet; a --dry-run without them lists its sheets"
        )
        problems.append(Problem(kind="no-rows", message=message, effect="note", folder=folder, file=_shown(model)))
    return sheets, problems, inputs


def _prefix(source: Source, model: ModelInput) -> str:
    """Return what stands before the names of a file's sheets: nothing, or in a model's folder the file's name."""
    if not model.folder:
        return ""
    alike = [other for other in model.files if other.path.stem == source.path.stem]
    file = source.path.name if len(alike) > 1 else source.path.stem  # a.csv beside a.tsv: both keep their extension
    return f"{file}/"


def _sheet_name(table: str, source: Source, model: ModelInput) -> str:
    """Return a table's name as a sheet; a CSV of a model's folder has the file's name alone."""
    prefix = _prefix(source, model)
    lone = table == SHEET and reader_of(source.path) is not read_workbook
    return prefix.rstrip("/") if prefix and lone else prefix + table


def joined_sheets(sheets: Sequence[Sheet], plan: Plan) -> tuple[list[Joined], list[Problem]]:
    """Return the sheets that can be scored, and what is wrong with these and with the others."""
    joined: list[Joined] = []
    problems: list[Problem] = []
    lost: set[str] = set()  # files that one of their sheets was enough to refuse
    for sheet in sheets:
        if sheet.source in lost:
            continue
        try:
            each = join(sheet, plan.family, plan.references, plan.renamed)
            each = replace(each, reading=plan.family.check(each, plan.options, referenced=plan.referenced))
        except Refusal as refusal:
            if refusal.problem.effect == "file skipped":
                lost.add(sheet.source)
            problems.append(refusal.problem.at(folder=plan.folder, file=sheet.source, sheet=sheet.name))
            continue
        joined.append(each)
        found = list(each.unsound.values())
        if not len(sheet.frame):
            found.append(Problem(kind="no-rows", message="a header and no rows below it", effect="note"))
        problems += [problem.at(folder=plan.folder, file=sheet.source, sheet=sheet.name) for problem in found]
    kept = [each for each in joined if each.sheet.source not in lost]
    unseparated = unseparated_columns(kept, plan.family)
    return kept, [*problems, *(problem.at(folder=plan.folder) for problem in unseparated)]


def _scored(joined: Sequence[Joined], plan: Plan, tell: Tell) -> tuple[list[Detail], list[Problem]]:
    details: list[Detail] = []
    problems: list[Problem] = []
    for each in joined:
        place: dict[str, Any] = {"folder": plan.folder, "file": each.sheet.source, "sheet": each.sheet.name}
        try:
            detail = plan.family.score(each, plan.prepared, plan.options)
        except Refusal as refusal:
            raise Refusal(refusal.problem.at(**place)) from None
        details.append(_with_problem_column(detail, each) if plan.family.unit_is_row else detail)
        problems += [problem.at(**place) for problem in detail.problems]
        tell(("scored", each.sheet.name, len(each.sheet.frame)))
    return details, problems


def _with_problem_column(detail: Detail, joined: Joined) -> Detail:
    """Return the detail with each row's problems in words, whichever step found them."""
    said: dict[int, list[str]] = {}
    for problem in (*joined.unsound.values(), *detail.problems):
        if problem.row is not None:
            said.setdefault(problem.row, []).append(problem.message)
    words = ["; ".join(said.get(row, ())) for row in detail.table.index]
    return replace(
        detail, table=detail.table.assign(Problem=table({"Problem": words}, index=detail.table.index)["Problem"])
    )


def _shown(model: ModelInput) -> str:
    shown = model.files[0].shown
    return shown.rpartition("/")[0] + "/" if model.folder else shown

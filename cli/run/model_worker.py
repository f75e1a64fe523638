"""One model from file to report: load → match → parse → score → combine → write. This is what a worker does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from scoresheet.cli.input.discover import ModelInput
from scoresheet.cli.input.header_matching import headers_of
from scoresheet.cli.input.limits import Limits, refuse_over
from scoresheet.cli.input.loading import LoadedFiles, LoadedSheet, load_sheets
from scoresheet.cli.input.matched_sheets import matched_sheet, unmet_of_system
from scoresheet.cli.input.model_columns import Separated, models_by_rows
from scoresheet.cli.input.pooled_files import pooled_files
from scoresheet.cli.input.run_tags import run_tags
from scoresheet.cli.input.separators import columns_of_refused, unseparated_columns
from scoresheet.cli.run.breakdown import (
    Part,
    cells_called,
    header_called,
    kept_values,
    missing_columns,
    parts_by_value,
    without_asked,
)
from scoresheet.cli.run.messages import FileStarted, RowsRead, RowsScored, ShareRead, Tell
from scoresheet.cli.run.model_reports import write_model
from scoresheet.cli.run.plan import Outcome, Plan, SheetAccount
from scoresheet.cli.run.problem_places import check_explained, given_up, located_problems
from scoresheet.cli.run.spreading import in_processes, processes_for
from scoresheet.cli.run.unchanged import keep_models, keep_outcome, keep_sheets
from scoresheet.metrics.family import C, K, O, P, ParsedSheet, R, S, ScoredSheet
from scoresheet.metrics.problems import SKIPPED, InputError, Noted, Problem, note
from scoresheet.metrics.spread import A, B
from scoresheet.metrics.tables import text_cells

_MANY_LOST: Final = 0.1  # share of rows that do not say what or whose they are, above which neither
_OFTEN: Final = 0.01  # of the files of a model between two words on how much is read
_UNEVEN: Final = 1.5  # times its share of the rows that the largest of the sheets worked on at once may have
_LITTLE: Final = 0.5  # coverage below which a model is not called ok


def score_model(plan: Plan[O, P, C, S, R, K], context: C, model: ModelInput, tell: Tell) -> Outcome[R] | Separated:
    """Return what came of a model, its reports being in the stage; or which models its rows are of."""
    loaded = _loaded(plan, model, tell)
    several = models_by_rows(loaded) if model.only is None else None
    if several is not None:
        keep_models(plan, model, loaded.hashes, several)
        return several
    if plan.lone_folder and model.only is None:
        loaded.problems += pooled_files(model, loaded, plan.folder)
    outcome = score_loaded(plan, context, model, loaded, tell)
    result = outcome.result
    if result is None:
        return outcome
    whole = replace(outcome, parts=_parts(plan, context, model, loaded, _by_place(outcome, result)))
    written = replace(write_model(plan, context, whole, result, tell), result=result.slim(), kept=(), kept_cells={})
    del loaded, outcome, whole, result  # what is kept of a large model takes room too
    keep_outcome(plan, model, written)
    return written


def _by_place(outcome: Outcome[R], result: R) -> dict[tuple[str, str], ScoredSheet]:
    """Return the scored sheets by file and name, where the family made one of each."""
    if len(result.sheets) < len(outcome.sheets):
        return {}
    return {(place.file, place.name): sheet for place, sheet in zip(outcome.sheets, result.sheets, strict=True)}


def _parts(
    plan: Plan[O, P, C, S, R, K],
    context: C,
    model: ModelInput,
    loaded: LoadedFiles,
    scored: Mapping[tuple[str, str], ScoredSheet],
) -> tuple[Part, ...]:
    """Return what the model came to on the rows of each value of the columns that were asked for."""
    parts = []
    for column in plan.by:
        for value, rows in parts_by_value(loaded, column, scored).items():
            came = score_loaded(plan, context, model, rows)
            measures = came.result.measures if came.result else {}
            parts.append(Part(model.name, column, value, measures, came.rows, came.scored, came.coverage))
    return tuple(parts)


def score_loaded(
    plan: Plan[O, P, C, S, R, K], context: C, model: ModelInput, loaded: LoadedFiles, tell: Tell = lambda _: None
) -> Outcome[R]:
    """Return what came of the sheets of a model; the result is whole."""
    parsed, skipped = parse_sheets(loaded.sheets, plan)
    problems = [*loaded.problems, *skipped]
    tell(RowsRead(sum(each.value.rows for each, _ in parsed)))
    tags = run_tags(loaded.sheets)
    try:
        _check_texts(parsed, plan)
        if not plan.by and not plan.keep:  # nobody looks at the cells again: what is scored is parsed
            bare = {id(sheet): sheet.without_cells() for sheet in loaded.sheets}
            loaded.sheets = list(bare.values())
            parsed = [(each, bare[id(source)]) for each, source in parsed]
        sheets, found = _scored(parsed, plan, context, tell, listed=_unscored_rows(problems))
        problems += found
        if not sheets:
            failed = any(problem.effect in SKIPPED for problem in problems)
            return _without_result(model, plan, problems, loaded.hashes, failed=failed)
        spread = _TellingSpread("", plan.processes, tell)
        combined = plan.family.combine_in_blocks(sheets, context, plan.options, spread)
    except InputError as error:  # the model fails, the run goes on
        cause = error.problem.at(file=model.shown)
        if cause.kind == "over-limit":  # there are too many rows to list: the model is listed instead
            problems = [problem for problem in problems if problem.row is None]
        lost = {problem.file for problem in problems if problem.effect == "file skipped"}
        problems += [cause, *(each for each in given_up(model, cause) if each.file not in lost)]
        return _without_result(model, plan, problems, loaded.hashes, failed=True)
    files = {source.name: source.source for _, source in parsed}  # a model's folder holds several
    problems += [problem.at(file=files.get(problem.sheet, model.shown)) for problem in combined.problems]
    known = {(source.source, source.name): sheet for sheet, (_, source) in zip(sheets, parsed, strict=True)}
    for option, columns in (("--by", plan.by), ("--keep", plan.keep)):
        problems += missing_columns(loaded, columns, option, known)
    result = combined.value
    unnamed = sum(sheet.lost for sheet in loaded.sheets)
    nameless = unnamed + len({(each.file, each.sheet, each.row) for each in problems if each.kind == "empty-key"})
    rows = unnamed + sum(len(sheet.frame) for sheet in loaded.sheets)
    in_part = any(map(plan.makes_partial, problems)) or nameless > _MANY_LOST * rows
    outcome = Outcome(
        model=model.name,
        status="ok",
        result=result,
        numbers=plan.reporter.numbers(result, plan.options),
        problems=located_problems(problems, plan),
        inputs=loaded.hashes,
        lost=unnamed,
        tags=tags,
        sheets=tuple(
            _account(sheet, each.value, source, plan) for sheet, (each, source) in zip(sheets, parsed, strict=True)
        ),
        kept=_kept(plan, result, [source for _, source in parsed]) if plan.keep else (),
        kept_cells=_kept_cells(plan, [source for _, source in parsed]) if plan.reporter.tables else {},
    )
    if not result.has_score:
        return replace(outcome, status="unscored")
    return replace(outcome, status="partial") if in_part or outcome.coverage < _LITTLE else outcome


def _unscored_rows(problems: Iterable[Problem]) -> int:
    return sum(problem.effect == "row not scored" for problem in problems)


def _check_listed(rows: int, limits: Limits) -> None:
    """Refuse a model of which more rows are without a score than are listed; then its rows need not be listed."""
    if rows > limits.problems:
        refuse_over(limits, "problems", rows, "without a score are")


def _check_texts(parsed: Sequence[tuple[Noted[P], LoadedSheet]], plan: Plan[O, P, C, S, R, K]) -> None:
    """Refuse a model of which more rows lack the text to score than are listed, before time and memory go into them."""
    sheets = [source for _, source in parsed]
    if sum(len(sheet.frame) for sheet in sheets) <= plan.rules.limits.problems:
        return
    blank = 0
    for sheet in sheets:
        headers = headers_of(sheet.frame, plan.family.schema.of_sheet(sheet.name), plan.renamed)
        needed = [
            header
            for header, column in headers.items()
            if header is not None and column.kind == "text" and column.required
        ]
        blank += max(
            (sum(not cell.strip() for cell in text_cells(sheet.frame, header)) for header in needed), default=0
        )
    _check_listed(blank, plan.rules.limits)


def _kept(plan: Plan[O, P, C, S, R, K], result: R, sources: Sequence[LoadedSheet]) -> tuple[dict[str, list[str]], ...]:
    """Return the user's columns for the units of each sheet of a result; a family may have made one of several."""
    own = [sources] if len(result.sheets) < len(sources) else [[source] for source in sources]
    kept = []
    for sheet, its in zip(result.sheets, own, strict=True):
        found = [kept_values(sheet, source, plan.keep, plan.family.schema, plan.renamed) for source in its]
        kept.append(
            {
                column: [
                    next(filter(None, values), "") for values in zip(*(each[column] for each in found), strict=True)
                ]
                for column in plan.keep
            }
        )
    return tuple(kept)


def _kept_cells(plan: Plan[O, P, C, S, R, K], sources: Sequence[LoadedSheet]) -> dict[str, dict[tuple[str, int], str]]:
    """Return the cells of the user's columns that come along, by sheet and row."""
    return {
        column: {
            (source.name, int(row)): cell
            for source in sources
            for row, cell in zip(source.frame.index.tolist(), cells_called(source, column) or (), strict=False)
        }
        for column in plan.keep
    }


def _account(scored: S, parsed: P, source: LoadedSheet, plan: Plan[O, P, C, S, R, K]) -> SheetAccount:
    """Return what was read of a sheet, and as what."""
    taken = headers_of(source.frame, plan.family.schema.of_sheet(source.name), plan.renamed)
    headers = [str(header) for header in source.frame.columns]
    used = {*taken, *parsed.used_columns, *(header_called(source, column) for column in (*plan.by, *plan.keep))}
    return SheetAccount(
        name=scored.name,
        rows=scored.rows,
        joined=scored.joined,
        file=source.source,
        header_row=source.header_row,
        sheet_column=source.sheet_header,
        model_column=source.model_header,
        columns={column.name: header for header, column in taken.items() if header is not None},
        ignored=tuple(header for header in headers if header not in used),
    )


def _loaded(plan: Plan[O, P, C, S, R, K], model: ModelInput, tell: Tell) -> LoadedFiles:
    """Return the sheets of a model, telling how far its files are read."""
    told = 0.0

    def read(share: float) -> None:
        nonlocal told
        if share - told >= _OFTEN:
            told = share
            tell(ShareRead(share))

    def started(file: str) -> None:
        if (
            file != model.files[0].shown
        ):  # a model whose worker is lost is known by its first file, unless another is told
            tell(FileStarted(file))

    return load_sheets(model, plan.rules, started, read)


def reduced_sheets(plan: Plan[O, P, C, S, R, K], model: ModelInput, tell: Tell) -> list[P]:
    """Return what the context must know of a model's sheets; what is wrong with them is said when they are scored."""
    loaded = _loaded(plan, model, tell)
    parsed, _problems = parse_sheets(loaded.sheets, plan)
    reduced = [each.value.reduced() for each, _sheet in parsed]
    keep_sheets(plan, model, loaded.hashes, reduced)
    return reduced


def parse_sheets(
    sheets: Sequence[LoadedSheet], plan: Plan[O, P, C, S, R, K]
) -> tuple[list[tuple[Noted[P], LoadedSheet]], list[Problem]]:
    """Return the sheets that can be scored, and what no family could use of them, or this one of the others.

    What parsing found in a sheet stays with it, to be said when the sheet is scored: of a file that another of its
    sheets loses, the reason is all there is to say.
    """
    parsed: list[tuple[Noted[P], LoadedSheet]] = []
    problems: list[Problem] = []
    lost: set[str] = set()  # files that one of their sheets was enough to refuse
    apart = plan.family.schema.by_sheet is None  # else they are the sheets of one system
    for loaded in sheets:
        if loaded.source in lost:
            continue
        matched = False
        try:
            schema = plan.family.schema.of_sheet(loaded.name)
            own = without_asked(loaded, (*plan.by, *plan.keep), schema, plan.renamed)
            sheet = matched_sheet(own, schema, plan.renamed)
            matched = True
            each = plan.family.parse(sheet, plan.options, referenced=plan.referenced)
        except InputError as error:
            if matched:
                problems += columns_of_refused(loaded, plan.family.schema, plan.renamed)
            if error.problem.effect == "file skipped":
                lost.add(loaded.source)
            problems.append(error.problem.at(file=loaded.source, sheet=loaded.name))
            continue
        parsed.append((each, loaded))
        found = [*sheet.unusable_rows.values(), *(each for each in sheet.notes if apart or each.kind != "renaming")]
        if not len(loaded.frame):
            found.append(note("no-rows", "a header and no rows below it"))
        problems += [problem.at(file=loaded.source, sheet=loaded.name) for problem in found]
    if not apart:
        problems += unmet_of_system(sheets, plan.family.schema, plan.renamed)
    kept = [each for each in parsed if each[1].source not in lost]
    return kept, [*problems, *unseparated_columns(kept, plan.family.schema, plan.renamed, (*plan.by, *plan.keep))]


def _scored(
    parsed: Sequence[tuple[Noted[P], LoadedSheet]], plan: Plan[O, P, C, S, R, K], context: C, tell: Tell, *, listed: int
) -> tuple[list[S], list[Problem]]:
    """Return the scored sheets, and what is wrong with them; `listed` rows are known to be without a score."""
    sheets: list[S] = []
    problems: list[Problem] = []
    answers = _scores([each.value for each, _ in parsed], plan, context, tell)
    for each, loaded in parsed:
        try:
            scored = next(answers)
        except InputError as error:
            raise InputError(error.problem.at(file=loaded.source, sheet=loaded.name)) from None
        sheets.append(scored.value)
        found = (*each.problems, *scored.problems)
        listed += _unscored_rows(found)
        _check_listed(listed, plan.rules.limits)
        problems += [problem.at(file=loaded.source, sheet=loaded.name) for problem in found]
        check_explained(scored.value, found)
    return sheets, problems


def _scores(sheets: Sequence[P], plan: Plan[O, P, C, S, R, K], context: C, tell: Tell) -> Iterator[Noted[S]]:
    """Yield what each sheet comes to, several of them worked on at once where there are processes for that.

    The first is always the worker's own: what a family keeps for further sheets is then there for every process.
    """
    at_once = _sheets_at_once(sheets[1:], plan.processes) if plan.family.spreads_sheets else 1

    def score(sheet: P, processes: int, tell: Tell) -> Noted[S]:
        spread = _TellingSpread(sheet.name, processes, tell)
        scored = plan.family.score_in_blocks(sheet, context, plan.options, spread)
        if not spread.rows:  # in one go
            tell(RowsScored(sheet.name, sheet.rows))
        return scored

    alone = sheets[:1] if at_once > 1 else sheets
    for sheet in alone:
        yield score(sheet, plan.processes, tell)
    together = sheets[len(alone) :]
    answers = in_processes(
        lambda sheet: score(sheet, plan.processes // at_once, lambda _: None),  # two would speak at once
        together,
        at_once,
        fewest=1,
        is_at_work=lambda: tell(RowsScored("", 0)),
    )
    for sheet, scored in zip(together, answers, strict=True):
        tell(RowsScored(sheet.name, sheet.rows))
        yield scored


def _sheets_at_once(sheets: Sequence[ParsedSheet], processes: int) -> int:
    """Return how many sheets are worked on at a time; one if that would be waiting for the largest of them."""
    count = min(processes, len(sheets))
    rows = [sheet.rows for sheet in sheets]
    return count if count > 1 and max(rows) * count <= _UNEVEN * sum(rows) else 1


class _TellingSpread:
    """Tells how many rows are scored as the blocks of a sheet are done."""

    def __init__(self, sheet: str, processes: int, tell: Tell) -> None:
        self._sheet, self._processes, self._tell = sheet, processes, tell
        self.rows = 0  # told of

    def __call__(self, work: Callable[[A], B], blocks: Sequence[A], /) -> Iterator[B]:
        answers = in_processes(work, blocks, self._processes, is_at_work=lambda: self.done(0))
        for block, came in zip(blocks, answers, strict=True):
            self.done(block.rows)
            yield came

    def at_once(self, blocks: int, /) -> int:
        return processes_for(blocks, self._processes)

    def done(self, rows: int, /) -> None:
        self.rows += rows
        self._tell(RowsScored(self._sheet, rows))


def _without_result(
    model: ModelInput,
    plan: Plan[O, P, C, S, R, K],
    problems: Sequence[Problem],
    hashes: dict[str, str],
    *,
    failed: bool,
) -> Outcome[R]:
    return Outcome(
        model.name, "failed" if failed else "unscored", problems=located_problems(problems, plan), inputs=hashes
    )

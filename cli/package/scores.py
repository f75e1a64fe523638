"""What scoring from Python gives: tables of results, units and problems, and the reports where they are wanted."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.hashing import sha256
from scoresheet.cli.report.problems_page import PROBLEM_FIELDS, problem_row
from scoresheet.cli.run.model_reports import write_model
from scoresheet.cli.run.request import Request, Run
from scoresheet.cli.run.results_folder import locked_results
from scoresheet.cli.run.results_table import MODEL, result_columns, result_row
from scoresheet.cli.run.run_reports import manifest, write_run
from scoresheet.metrics.compare import PairedComparison
from scoresheet.metrics.records import dataclass
from scoresheet.metrics.tables import frame_of, frame_of_rows, plain_frame

if TYPE_CHECKING:
    from scoresheet.metrics.family import ModelResult, ScoredSheet


@dataclass(frozen=True, eq=False)
class Scores:
    """What a family found: the results table, the scored units, what was wrong, and how the numbers were made.

    Attributes
    ----------
    table : DataFrame
        A line per model, as in the results CSV.
    units : DataFrame
        Every scored unit of every model at full precision, as in the models' CSVs, with the model before it.
    problems : DataFrame
        What was wrong, as in problems.csv.
    signature : str
        One line that says how the numbers were made.
    results : mapping of str to ModelResult
        The family's own typed results, by model.
    """

    table: pd.DataFrame
    units: pd.DataFrame
    problems: pd.DataFrame
    signature: str
    results: Mapping[str, ModelResult[ScoredSheet]]
    _run: Run[Any, Any, Any, Any, Any, Any] = field(repr=False)
    _context: Any = field(repr=False)
    _request: Request[Any, Any, Any, Any, Any, Any] = field(repr=False)

    @property
    def answer(self) -> str:
        """What the models came to, in a sentence."""
        return self._run.answer

    @property
    def comparison_headline(self) -> str:
        """The measure that models are ranked and compared by first."""
        paired: PairedComparison = self._run.comparison.paired
        return paired.headline

    def write(self, folder: str | Path) -> list[Path]:
        """Write the reports that the command writes, and return their paths.

        Parameters
        ----------
        folder : str or Path
            Where they go; made if it is not there.

        Returns
        -------
        list of Path
            The reports, without the manifest that is written beside them.

        Raises
        ------
        ValueError
            If no row has a score, or the folder is another command's or program's, or a file that no run wrote would be
            replaced; then nothing is written, as by the command.
        OSError
            If the folder cannot be written to, or another run holds it.
        """
        if not self._run.is_scored:
            raise ValueError("no row has a score, so there is nothing to write")
        try:
            return [Path(folder) / name for name in self._written(Path(folder))]
        except Stop as stop:
            raise (ValueError if stop.code == Exit.USAGE else OSError)(str(stop)) from None

    def _written(self, folder: Path) -> list[str]:
        run, plan = self._run, self._run.plan
        with locked_results(folder, plan.family.name, wait=0) as results:
            staged = dataclasses.replace(plan, stage=results.stage)
            outcomes = tuple(
                write_model(staged, self._context, outcome, outcome.result) if outcome.result else outcome
                for outcome in run.outcomes
            )
            run = dataclasses.replace(run, plan=staged, outcomes=outcomes)
            method = plan.reporter.method(self._context, plan.options)
            files = list(write_run(run, method, results))
            left = results.earlier_reports(files)
            outputs = {name: sha256(results.stage / name) for name in files}
            results.commit(files, manifest(run, outputs, left, self._request, method))
        return files


def scores_of(
    run: Run[Any, Any, Any, Any, Any, Any], context: object, request: Request[Any, Any, Any, Any, Any, Any]
) -> Scores:
    """Return what a run came to as tables."""
    shown = run.shown.measures
    names = [column.name for column in result_columns(shown)]
    units = []
    for model, result in run.results.items():
        own = plain_frame(frame_of(run.plan.reporter.unit_table(result, run.plan.options)))
        own.insert(0, MODEL.name, model)
        units.append(own)
    return Scores(
        table=frame_of_rows(
            names, [result_row(outcome, shown, run.comparison.paired) for outcome in run.outcomes]
        ).infer_objects(),
        units=pd.concat(units, ignore_index=True).infer_objects() if units else pd.DataFrame(columns=[MODEL.name]),
        problems=frame_of_rows(PROBLEM_FIELDS, map(problem_row, run.problems)).infer_objects().astype({"row": "Int64"}),
        signature=run.plan.signature,
        results=run.results,
        _run=run,
        _context=context,
        _request=request,
    )

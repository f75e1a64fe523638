"""What the page in a browser holds: folders of results as plain values, cut where there is too much, and said so.

Nothing is computed here but where an axis begins and how many units fall between two of its lines.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from scoresheet.cli.input.results_reading import EarlierResults
from scoresheet.cli.report.page import Column
from scoresheet.cli.report.paired_comparison import COMPARISON_COLUMNS, EXPLORATORY
from scoresheet.cli.report.problems_page import PROBLEM_COLUMNS
from scoresheet.cli.report.reporter import DocumentedColumns
from scoresheet.cli.run.results_table import result_columns
from scoresheet.cli.version import VERSION
from scoresheet.cli.write.cell_text import escape_control_characters
from scoresheet.cli.write.html.cells import DIGITS, NamedColumns, numbers_of, table_values
from scoresheet.cli.write.html.drawings import axis_of, panel_values, spread_of
from scoresheet.cli.write.html.unit_tables import UnitTable, fair_limit
from scoresheet.metrics.stats.confidence import CONFIDENCE_LEVEL, confidence_percent, significance_level

MOST_UNITS: Final = 20_000  # on a page; every model has the same right to them
MOST_PAIRS: Final = 1_000  # of models, in the headline
MOST_EXPLORATORY: Final = 100  # further comparisons, the least p-values first
MOST_LISTED: Final = 100  # problems, and files with their hashes

_NOT_SHOWN: Final = ("Mean", "Other_Mean", "P_Value", "Detectable")  # of a comparison; its file has them
_PLACES: Final = (
    Column("Sheet", "The input sheet.", "label"),
    Column("Row", "The row of the input, as a spreadsheet counts.", "count"),
)


def page_content(folders: Sequence[Path], page: Path) -> dict[str, Any]:
    """Return everything that the page shows: a family each, its runs in the order of their time, the last one first."""
    runs = sorted(
        (_Run(EarlierResults.of(folder), _seen_from(page, folder)) for folder in folders),
        key=lambda run: (run.results.command.position, run.results.command.name, run.started, run.folder),
    )
    limit = fair_limit([table.total for run in runs for table in run.units.values()], MOST_UNITS)
    families: dict[str, dict[str, Any]] = {}
    for run in runs:
        command = run.results.command
        family = families.setdefault(command.name, {"id": command.name, "title": command.reporter.title, "runs": []})
        family["runs"].insert(0, run.values(limit))
    return {"version": VERSION, "digits": DIGITS, "families": list(families.values())}


class _Run:
    """One folder of results on its way to the page; its tables of units are read once."""

    def __init__(self, results: EarlierResults, folder: str) -> None:
        self.results = results
        self.folder = folder
        self.started = str(results.record.get("started", ""))
        self.shown: Mapping[str, Any] = results.record.get("shown") or {}  # folders of older versions have none
        self.reporter = results.command.reporter
        documented: DocumentedColumns = self.reporter.documented
        self.columns = NamedColumns(result_columns(documented.results), documented.sheet)
        self.unit_columns = NamedColumns(documented.sheet, documented.results, _PLACES)
        self.numbers = results.numbers()
        self.units: dict[str, UnitTable] = {}
        self.panels: dict[str, list[Any]] = {}
        self.scores: dict[str, list[float]] = {}  # of the units, in the measure that models are compared in
        for model in results.models:
            if f"{results.stem(model)}.csv" in results.outputs:
                self._read_units(model)

    def _read_units(self, model: str) -> None:
        frame = self.results.units(model)
        self.units[model] = UnitTable.of(frame, self.unit_columns, most=MOST_UNITS)
        self.panels[model] = list(map(panel_values, self.reporter.model_panels(self.numbers.get(model, {}), frame)))
        if (measure := self.shown.get("compared")) in frame.columns:
            self.scores[model] = numbers_of(frame[measure]) or []

    def values(self, unit_limit: int) -> dict[str, Any]:
        """Return the run as the page has it, each model with at most so many units."""
        record, results = self.results.record, self.results
        confidence = float(self.shown.get("confidence", CONFIDENCE_LEVEL))
        return {
            "folder": self.folder,
            "workbook": f"{self.reporter.stem}_results.xlsx",
            "started": self.started,
            "seconds": record.get("seconds"),
            "version": str(record.get("version", "")),
            "signature": results.signature,
            "command": escape_control_characters(" ".join(["scoresheet", *map(str, record.get("arguments", ()))])),
            "answer": record.get("answer") or "",
            "audit": record.get("audit") or "",
            "method": record.get("method") or [],
            "counts": record.get("counts") or {},
            "inputs": _files(record.get("inputs")),
            "references": _files(record.get("references")),
            "level": confidence_percent(confidence),
            "headline": self.shown.get("headline", ""),
            "interval": self.shown.get("interval", []),
            "screen": self.shown.get("screen", []),
            "axis": self._headline_axis(),
            "results": table_values(results.results, self.columns),
            "models": [self._model(model, unit_limit) for model in results.models],
            "spread": self._spread(),
            "panels": list(map(panel_values, self.reporter.run_panels(self.numbers))),
            "comparisons": self._comparisons(significance_level(confidence)),
            "problems": self._problems(),
        }

    def _headline_axis(self) -> dict[str, Any] | None:
        names = [self.shown.get("headline", ""), *self.shown.get("interval", [])]
        cells = [numbers_of(self.results.results[name]) for name in names if name in self.results.results]
        return axis_of([number for column in cells for number in column or ()])

    def _model(self, model: str, unit_limit: int) -> dict[str, Any]:
        stem, outputs = self.results.stem(model), self.results.outputs
        table = self.units.get(model)
        return {
            "workbook": f"{stem}.xlsx" if f"{stem}.xlsx" in outputs else "",
            "csv": f"{stem}.csv" if table else "",
            "panels": self.panels.get(model, []),
            "units": table.values(unit_limit) if table else None,
        }

    def _spread(self) -> dict[str, Any] | None:
        """Return how the units of each model are spread in the measure that models are compared in."""
        axis = axis_of([score for scores in self.scores.values() for score in scores])
        if axis is None:
            return None
        by_model = [spread_of(self.scores.get(model, []), axis) for model in self.results.models]
        return {"measure": self.shown["compared"], "axis": axis, "models": by_model}

    def _comparisons(self, level: float) -> dict[str, Any] | None:
        """Return every two models, and which differences are shown at this level; None where none were compared."""
        name = "comparisons.csv"
        if name not in self.results.outputs:
            return None
        table = self.results.table(name)
        is_further = table["Family"] == EXPLORATORY
        chances = [float(cell or "inf") for cell in table["P_Holm"]]
        further = sorted(table.index[is_further], key=lambda row: chances[row])
        columns = NamedColumns(COMPARISON_COLUMNS)
        shown = table.drop(columns=["Family", *_NOT_SHOWN], errors="ignore")
        return {
            "file": name,
            "measure": next(iter(table["Measure"][~is_further]), ""),
            "units": self.shown.get("units", "units"),
            "pairs": int((~is_further).sum()),
            "headline": table_values(shown[~is_further].head(MOST_PAIRS).drop(columns="Measure"), columns),
            "shown": [int(chances[row] < level) for row in table.index[~is_further][:MOST_PAIRS]],
            "exploratory": len(further),
            "further": table_values(shown.loc[further[:MOST_EXPLORATORY]], columns),
        }

    def _problems(self) -> dict[str, Any]:
        table = self.results.table("problems.csv")
        kinds = Counter(zip(table["kind"], table["effect"], strict=True))
        return {
            "total": len(table),
            "kinds": [[kind, effect, count] for (kind, effect), count in sorted(kinds.items())],
            "table": table_values(table.head(MOST_LISTED), NamedColumns(PROBLEM_COLUMNS)),
        }


def _files(entries: Sequence[Mapping[str, str]] | None) -> dict[str, Any]:
    listed = [[escape_control_characters(str(each["file"])), str(each["sha256"])] for each in entries or ()]
    return {"total": len(listed), "listed": listed[:MOST_LISTED]}


def _seen_from(page: Path, folder: Path) -> str:
    """Return the folder as a link on the page leads to it."""
    try:
        path = os.path.relpath(folder.resolve(), page.resolve().parent)
    except ValueError:  # on another drive
        path = str(folder.resolve())
    return escape_control_characters(Path(path).as_posix())

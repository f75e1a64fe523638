"""Studies of judges and scores: the files of `disagree`, and its numbers worked out again in plain Python."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.helpers.files import Rows, Table, read_csv, write_csv
from tests.helpers.runs import Result, Run
from tests.helpers.studies import Workplace, problems_of

NOT_SCORED, SHEET_SKIPPED, FILE_SKIPPED = "row not scored", "sheet skipped", "file skipped"
LONG = ("item", "judge", "score")
FULL = ("item", "judge", "dimension", "score")
SPREAD = ("Mean", "Variance", "Std_Dev", "CV", "Min", "Max", "Consensus", "Reliability")

Row = tuple[object, ...]
Numbers = dict[str, float | None]


@dataclass(frozen=True)
class Study(Workplace):
    """A working directory with panels of judges in `outs`, scored into `res`."""

    stem: ClassVar[str] = "disagreement"

    def panel(self, rows: Rows, name: str = "m") -> Path:
        """A lone CSV of judgements."""
        return write_csv(self.outs / f"{name}.csv", rows)

    def score(self, *options: str | Path, res: str = "res") -> Result:
        """Run `disagree` on the panels."""
        return self.run("disagree", "outs", "-o", res, *options)

    def status(self) -> dict[str, str]:
        """What became of each panel."""
        return {name: line["Status"] for name, line in self.results().items()}

    def items(self, model: str = "m") -> Table:
        """The items of one panel with their measures."""
        return read_csv(self.res / f"{model}_disagreement.csv")

    def item(self, item: str = "q1", *, sheet: str = "", model: str = "m") -> dict[str, str]:
        """The line of one item; the sheet matters only where there are several."""
        (found,) = (line for line in self.items(model) if line["Item"] == item and sheet in ("", line["Sheet"]))
        return found

    def value(self, measure: str, item: str = "q1", *, sheet: str = "", model: str = "m") -> float | None:
        """One measure of one item, None where it is undefined."""
        text = self.item(item, sheet=sheet, model=model)[measure]
        return float(text) if text else None

    def places(self, kind: str, model: str = "") -> list[tuple[str, str, str]]:
        """Row, column and effect of each problem of one kind."""
        return [(p["row"], p["column"], p["effect"]) for p in self.problems(kind, model)]


# --- the same numbers, worked out again in plain Python ---------------------------------------------------------------


def spread(scores: Sequence[float]) -> Numbers:
    """What an item's line says of these overall scores."""
    found: Numbers = dict.fromkeys(SPREAD)
    if not scores:
        return found | {"Consensus": 0, "Reliability": 0}
    average = statistics.fmean(scores)
    found |= {"Mean": average, "Min": min(scores), "Max": max(scores)}
    if len(scores) == 1:
        return found | {"Consensus": 1, "Reliability": 0.7}
    variance, deviation = statistics.variance(scores), statistics.stdev(scores)
    found |= {"Variance": variance, "Std_Dev": deviation}
    if average > 0:
        cv = deviation / average
        consensus = max(0, 1 - 2 * cv)
        reliability = consensus * (1 - min(1, 5 * variance)) + (0.1 if consensus > 0.8 else 0)
        found |= {"CV": cv, "Consensus": consensus, "Reliability": min(1, max(0, reliability))}
    return found


def read(line: Mapping[str, str], names: Sequence[str] = SPREAD) -> Numbers:
    """Cells as numbers, None where they are empty."""
    return {name: float(line[name]) if line[name] else None for name in names}


def alike(seen: Mapping[str, float | None], wanted: Mapping[str, float | None]) -> bool:
    """Whether the same measures are defined, with the same values."""
    assert {name for name, v in seen.items() if v is None} == {name for name, v in wanted.items() if v is None}
    kept = {name: v for name, v in wanted.items() if v is not None}
    return {name: seen[name] for name in kept} == pytest.approx(kept, rel=1e-9, abs=1e-12)


def cv(scores: Sequence[float]) -> float:
    """The coefficient of variation."""
    return statistics.stdev(scores) / statistics.fmean(scores)


PAGES = {
    "Summary": [
        *("Sheet", "Items", "Judges", "Dimensions", "Alpha", "CI_Low", "CI_High", "CI_Note"),
        *(
            "Alpha_Items",
            "Alpha_Sheets",
            "Verdict",
            "ICC_2_1",
            "ICC_2_k",
            "ICC_Items",
            "Consensus",
            "Reliability",
            "Consensus_Items",
        ),
        *("Flagged", "High", "Odd_Judge", "Odd_Why", "Odd_Influence"),
    ],
    "Dimensions": [
        *("Sheet", "Dimension", "Items", "Ratings", "Mean", "Disagreement", "CV_Items", "Alpha", "CI_Low", "CI_High"),
        *("CI_Note", "Alpha_Items", "Alpha_Nominal", "Alpha_Ordinal", "Alpha_Interval", "Alpha_Ratio"),
        *("ICC_2_1", "ICC_2_k", "ICC_Items"),
    ],
    "Judges": [
        *("Sheet", "Dimension", "Judge", "Items", "Mean", "Bias", "Alpha_Without", "Influence", "Outlier_Items"),
        *("Odd", "a", "b", "c", "d", "e"),
    ],
    "Pairs": ["Sheet", "Dimension", "Judge", "Other_Judge", "Items", "Correlation", "Mean_Difference", "Agreement"],
    "Flags": [
        *("Severity", "Flag", "Sheet", "Item", "Dimension", "Judges", "Value", "Threshold", "What"),
        *("Std_Dev", "Scores"),
    ],
}

Scores = dict[str, float]


def far(scores: Scores, threshold: float = 1.5) -> list[str]:
    """Judges more than some standard deviations from the mean."""
    average, deviation = statistics.fmean(scores.values()), statistics.stdev(scores.values())
    return [judge for judge, s in scores.items() if deviation and abs(s - average) / deviation > threshold]


def robust(scores: Scores, threshold: float = 3.5, floor: float = 0.02) -> list[str]:
    """Judges far from the median."""
    middle = statistics.median(scores.values())
    mad = statistics.median(abs(s - middle) for s in scores.values())
    return [judge for judge, s in scores.items() if 0.6745 * abs(s - middle) / max(mad, floor) > threshold]


def table(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text.replace("|", "\n"), encoding="utf-8")


def judged(run: Run, tmp_path: Path, text: str, *options: str) -> Result:
    table(tmp_path / "in" / "m.csv", text)
    return run("disagree", "in", "-o", "out", *options)


def listed(tmp_path: Path, kind: str) -> Table:
    return problems_of(tmp_path / "out", kind)


def problems(tmp_path: Path, kind: str) -> list[str]:
    return [line["message"] for line in listed(tmp_path, kind)]


def numbers(tmp_path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((tmp_path / "out" / "metrics.json").read_text(encoding="utf-8"))["m"]
    return found


def signature(tmp_path: Path) -> str:
    return str(json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))["signature"])


def results(tmp_path: Path) -> dict[str, str]:
    return read_csv(tmp_path / "out" / "disagreement_results.csv")[0]


def items(tmp_path: Path) -> Table:
    return read_csv(tmp_path / "out" / "m_disagreement.csv")

"""A run like the one in the documentation: two models, 30 idioms, one row without a score."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from scoresheet.cli.report.pages import Chart, Column, FrontPage, Page
from scoresheet.cli.run.outcome import Exit, RunOutcome
from scoresheet.metrics.problem import Problem

HEADLINE = (
    Column("Model Name", "Model", role="key"),
    Column("S_Info", "S_Info", "number", "measure", True, bounds=(0, 1), better="higher"),
    Column("CI", "95% CI", role="interval"),
    Column("P_ROUGE", "ROUGE-L precision", "number", "measure", better="higher"),
    Column("BP", "Brevity penalty", "number", "measure", better="higher"),
    Column("Verdict", "Verdict", role="verdict"),
    Column("Scored", "Scored", role="measure"),
    Column("To_Best", "vs best", "number", "measure", signed=True),
)
COMPARISON = (
    Column("Model", "Model", role="key"),
    Column("Other_Model", "vs", role="text"),
    Column("Shared", "Shared", "count", "measure"),
    Column("Difference", "Difference", "number", "measure", True, signed=True),
    Column("CI", "95% CI", role="interval"),
    Column("P_Holm", "p (Holm)", "p", "measure"),
    Column("W_T_L", "W/T/L", role="measure"),
    Column("Detectable", "Detectable", "number", "measure"),
)
NO_WORDS = Problem("empty", "row", "the prediction has no words", "Model_B/p1.csv", row=31)


def frame_of(columns: tuple[Column, ...], *rows: tuple[Any, ...]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=[column.name for column in columns], dtype=object)


def headline_page(first: str = "Model_A", second: str = "Model_B") -> Page:
    rows = (
        (first, 0.755, "0.725–0.782", 0.794, 0.952, "moderate", "60/60", "best"),
        (second, 0.276, "0.245–0.308", 0.309, 0.891, "low", "59/60", -0.475),
    )
    tones = {(0, "Verdict"): "middle", (1, "Verdict"): "bad"}
    return Page("Summary", frame_of(HEADLINE, *rows), HEADLINE, tones)  # type: ignore[arg-type]


@pytest.fixture
def good_run() -> RunOutcome:
    pair = ("Model_A", "Model_B", 30, 0.475, "0.438–0.509", 0.0001, "30/0/0", 0.05)
    roles = "idiom · prediction"
    return RunOutcome(
        command="sinfo",
        exit_code=Exit.OK,
        folder="results/information_density",
        signature="sinfo|v:1.0.0",
        mapping=[
            f"Model_A.xlsx (2 sheets): model ← file name · sheet ← worksheet · {roles} ← Answer",
            "4 reference tables (chinese.csv, …): idiom · reference ← explanation",
        ],
        answer=[
            "Model_A scores highest (S_Info 0.755). On the 30 idioms both models answered it "
            "leads Model_B by 0.475 (95% CI 0.438–0.509, p < 0.001)."
        ],
        emphasis=("Model_A", "0.755"),
        headline=headline_page(),
        comparison=Page(
            "Difference in S_Info on shared idioms", frame_of(COMPARISON, pair), COMPARISON
        ),
        dropped={
            "headline": ("BP", "P_ROUGE", "To_Best", "Verdict"),
            "comparison": ("Detectable", "W_T_L", "Shared", "Result"),
        },
        problems=[NO_WORDS],
        status=("2 models scored", "1 row not scored"),
        workbook="results/information_density/s_info_results.xlsx",
        worst_unit="Lowest: 雪中送炭, S_Info 0.122 (Model_B). How it was computed:\n"
        "scoresheet explain results/information_density --model Model_B --unit 雪中送炭",
        results=pd.DataFrame(
            {"Model Name": ["Model_A", "Model_B"], "S_Info": [0.755, math.nan], "Rows": [60, 60]}
        ),
        mapping_record={"Model_A.xlsx": {"model": "@file"}},
    )


@pytest.fixture
def partial_run(good_run: RunOutcome) -> RunOutcome:
    skipped = Problem(
        *(
            "columns",
            "skipped",
            "no column for prediction; found Idiom, Notes, Time",
            "Model_C.csv",
        ),
        hint="if Notes holds the answers, add --column prediction=Notes",
    )
    return replace(
        good_run,
        exit_code=Exit.PARTIAL,
        reason="reports are written, 1 of 3 models was skipped",
        failed=("Model_C",),
        problems=[NO_WORDS, skipped],
        status=("2 models scored, 1 failed", "1 row not scored"),
    )


@pytest.fixture
def front() -> Callable[..., FrontPage]:
    def build(first: str = "Model_A", second: str = "Model_B") -> FrontPage:
        title = "S_Info with 95% intervals (higher is better)"
        return FrontPage(
            "Information density (S_Info)",
            "2 models, 30 idioms · scoresheet 1.0.0",
            (f"{first} scores highest (95% CI 0.438–0.509).",),
            headline_page(first, second),
            Chart(title, (first, second), (0.755, 0.276), (0.725, 0.245), (0.782, 0.308), (0, 1)),
            ("1 row was not scored: see Problems.",),
        )

    return build

"""A run like the one in the documentation: two models, 30 idioms, one row without a score."""

import math
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from scoresheet.cli.report import Book, Chart, Column, Page
from scoresheet.cli.report.tables import comparison_table, headline_table
from scoresheet.cli.run.outcome import Exit, RunOutcome
from scoresheet.metrics.compare import Comparison
from scoresheet.metrics.problem import Problem
from scoresheet.metrics.sinfo.family import FAMILY as SINFO

# The measures that the tables below have, whatever else sinfo measures.
FAMILY = replace(SINFO, functions=SINFO.functions[:3])
NO_WORDS = Problem("empty", "row", "the prediction has no words", "Model_B/p1.csv", row=31)
RESULTS = ("Model Name", "S_Info", "CI_Low", "CI_High", "P_ROUGE", "BP", "Verdict", "Scored")
PAIR = {"Model": "Model_A", "Other_Model": "Model_B", "Shared": 30, "Difference": 0.475}
PAIR |= {"CI_Low": 0.438, "CI_High": 0.509, "Level": 0.95, "P_Holm": 0.0001, "Note": ""}
PAIR |= {"Wins": 30, "Ties": 0, "Losses": 0, "Detectable": 0.05}


def page_of(title: str, columns: tuple[Column, ...], *rows: tuple[Any, ...]) -> Page:
    names = [column.name for column in columns]
    return Page(title, pd.DataFrame(rows, columns=names, dtype=object), columns)


def headline_page(first: str = "Model_A", *failed: str) -> Page:
    rows = [
        ("Model_A", 0.755, 0.725, 0.782, 0.794, 0.952, "moderate", 60),
        ("Model_B", 0.276, 0.245, 0.308, 0.309, 0.891, "low", 59),
        *((name, *[math.nan] * 5, None, 0) for name in failed),
    ]
    extra = {"P_ROUGE_Low": 0.1, "P_ROUGE_High": 0.9, "BP_Low": 0.1, "BP_High": 0.9, "Rows": 60}
    results = pd.DataFrame(rows, columns=list(RESULTS)).assign(**extra)
    comparison = Comparison(FAMILY.measures[0], ("Model_A", "Model_B"), pd.DataFrame([PAIR]))
    page = headline_table(FAMILY, results, FAMILY.measures, comparison, 0.95)
    page.frame["Model Name"] = pd.Series([first, "Model_B", *failed], dtype=object)
    return page


def book_of(*pages: Page, name: str = "Model_A", **parts: Any) -> Book:
    rows = ((name, 0.755, 0.725, 0.782), ("Model_B", 0.276, 0.245, 0.308))
    chart = Chart("S_Info with 95% intervals (higher is better)", rows, (0, 1))
    answer = (f"{name} scores highest (95% CI 0.438–0.509).",)
    about = [("Signature", name)]
    book = Book("Density (S_Info)", "2 models", answer, headline_page(name), pages, about)
    return replace(book, **{"chart": chart, "remarks": ("1 row was not scored.",), **parts})


@pytest.fixture
def good_run() -> RunOutcome:
    measure, pairs = FAMILY.measures[0], pd.DataFrame([PAIR])
    folder = "results/information_density"
    return RunOutcome(
        *(Exit.OK, "", folder, "sinfo|v:1.0.0"),
        mapping=[
            "Model_A.xlsx (2 sheets): model ← file name · sheet ← worksheet · idiom"
            " · prediction ← Answer",
            "4 reference tables (chinese.csv, …): idiom · reference ← explanation",
        ],
        answer=[
            "Model_A scores highest (S_Info 0.755). On the 30 idioms both models answered it "
            "leads Model_B by 0.475 (95% CI 0.438–0.509, p < 0.001)."
        ],
        emphasis=("Model_A", "0.755"),
        headline=headline_page(),
        comparison=comparison_table(Comparison(measure, (), pairs), "idioms", 0.95, FAMILY),
        problems=[NO_WORDS],
        status=("2 models scored", "1 row not scored"),
        workbook=f"{folder}/s_info_results.xlsx",
        worst_unit="Lowest: 雪中送炭, S_Info 0.122 (Model_B). How it was computed:\n"
        f"scoresheet explain {folder} --model Model_B --unit 雪中送炭",
        results=pd.DataFrame({"Model Name": ["a", "b"], "S_Info": [0.755, math.nan], "Rows": 60}),
        mapping_record={"Model_A.xlsx": {"model": "@file"}},
    )


@pytest.fixture
def partial_run(good_run: RunOutcome) -> RunOutcome:
    message = "no column for prediction; found Idiom, Notes, Time"
    hint = "if Notes holds the answers, add --column prediction=Notes"
    return replace(
        good_run,
        exit_code=Exit.PARTIAL,
        reason="reports are written, 1 of 3 models was skipped",
        headline=headline_page("Model_A", "Model_C"),
        failed=("Model_C",),
        problems=[NO_WORDS, Problem("columns", "skipped", message, "Model_C.csv", hint=hint)],
        status=("2 models scored, 1 failed", "1 row not scored"),
    )

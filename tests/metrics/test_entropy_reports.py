"""From texts to sheets and models: intervals, the histogram, and models side by side."""

from __future__ import annotations

import math
from typing import Any

import pytest

from scoresheet.metrics.core import Detail, Joined, Report, Sheet
from scoresheet.metrics.families.entropy import Entropy
from scoresheet.metrics.families.entropy.compare import COMPARED, entropy_similarity
from scoresheet.metrics.families.entropy.options import EntropyOptions
from scoresheet.metrics.tables import object_frame

FAMILY, OPTIONS = Entropy(), EntropyOptions()
WORDS = ["red", "fox", "den", "oak", "sea", "sky", "hill", "rain", "moon", "star"]


def detail(texts: list[str], ids: list[str] | None = None, name: str = "Sheet1") -> Detail:
    frame = object_frame({"text": texts, "id": ids or [""] * len(texts)}, index=range(2, len(texts) + 2))
    absent = frozenset() if ids else frozenset({"id"})
    return FAMILY.score(Joined(Sheet("m", name, frame, "m.csv"), [], {}, {}, absent), None, OPTIONS)


def report(*details: Detail, model: str = "m") -> Report:
    return FAMILY.summarise(model, details, OPTIONS)


def comparisons(*reports: Report) -> dict[tuple[str, str, str], dict[str, Any]]:
    lines: list[Any] = FAMILY.compare(reports, OPTIONS)[0].table.to_dict("records")
    return {(line["Model"], line["Other_Model"], line["Measure"]): line for line in lines}


def test_a_row_without_words_is_a_problem_and_no_text_of_the_sheet() -> None:
    found = detail(["red fox", "", "!!", "red fox"])
    assert [(problem.kind, problem.row) for problem in found.problems] == [("empty-text", 3), ("empty-text", 4)]
    assert [value for value in found.table["Words"] if value == value] == [2, 2]  # noqa: PLR0124 - NaN
    assert found.table["Repetitive"].tolist() == ["no", "", "", "no"]
    assert report(found).measures["Pairwise_Similarity"] == pytest.approx(1)


def test_a_model_is_the_mean_of_its_sheets() -> None:
    one, two = detail(["red fox"] * 3, name="one"), detail(["red fox den oak", "sea sky hill moon"], name="two")
    whole = report(one, two)
    assert whole.measures["Word_Entropy"] == pytest.approx((1 + 2) / 2)
    assert whole.measures["Vendi"] == pytest.approx((1 + 2) / 2)
    assert (whole.rows, whole.scored) == (5, 5)
    assert list(whole.numbers["Sheets"]) == ["one", "two"]


def test_equal_texts_leave_no_interval_and_one_text_has_none() -> None:
    same = report(detail(["red fox"] * 5)).measures
    assert (same["CI_Low"], same["CI_High"]) == (1, 1)
    assert math.isnan(float(report(detail(["red fox"])).measures["CI_Low"]))


def test_the_histogram_counts_every_scored_text_once() -> None:
    texts = [" ".join(WORDS[: 1 + number % 10]) for number in range(40)] + [""]
    page = report(detail(texts)).summary
    assert page
    chart: Any = page.chart
    assert sum(chart.counts) == 40
    assert len(chart.bins) == len(chart.counts) <= 20
    assert chart.bins[0].startswith("0–")


def test_only_as_many_chunk_columns_are_shown_as_the_longest_text_of_the_model_has() -> None:
    short, long = detail(["red fox"]), detail([" ".join(WORDS * 4)])
    assert not any(column.name.startswith("Local") for column in FAMILY.detailed([short], OPTIONS))
    names = [column.name for column in FAMILY.detailed([short, long], OPTIONS)]
    assert names[-3:] == ["Local_1", "Local_2", "Local_3"]
    assert set(names) - {"Problem"} <= set(short.table.columns)


def test_alike_models_have_a_similarity_of_one_and_half_the_entropy_counts_twice() -> None:
    names = ("Word_Entropy", "Semantic_Entropy", "Semantic_Diversity")
    assert entropy_similarity(dict.fromkeys(names, 2.0), dict.fromkeys(names, 2.0)) == 1
    ours, theirs = (
        {**dict.fromkeys(names, 0.0), "Word_Entropy": 2.0},
        {**dict.fromkeys(names, 0.0), "Word_Entropy": 4.0},
    )
    assert entropy_similarity(ours, theirs) == pytest.approx((0.5 + 1 + 0.5 + 1) / 4)
    assert entropy_similarity(ours, {**theirs, "Semantic_Entropy": math.nan}) == pytest.approx((0.5 + 0.5 + 1) / 3)


def test_models_with_common_ids_are_tested_and_others_are_not() -> None:
    ids = [f"p{number}" for number in range(12)]
    rich = report(detail([" ".join(WORDS)] * 12, ids), model="rich")
    poor = report(detail(["red fox red fox"] * 12, ids[::-1]), model="poor")
    strange = report(detail(["red fox"] * 12), model="strange")
    found = comparisons(rich, poor, strange)
    assert len(found) == 3 * len(COMPARED)
    tested = found["rich", "poor", "Word_Entropy"]
    assert tested["Ids"] == 12
    assert tested["Difference"] == tested["Paired_Difference"] == pytest.approx(math.log2(10) - 1)
    assert tested["P_Value"] == pytest.approx(2 / 2**12)  # all differences have one sign
    assert tested["Finding"] == "rich is higher"
    assert found["rich", "strange", "Word_Entropy"]["Finding"] == "no id with a value in common"
    assert math.isnan(found["rich", "strange", "Word_Entropy"]["P_Value"])


def test_an_id_that_stands_in_several_rows_counts_once_by_its_mean() -> None:
    one = report(detail(["red fox", "red fox den oak", "red"], ["p1", "p1", "p2"]), model="one")
    other = report(detail(["red", "red"], ["p2", "p1"]), model="other")
    line = comparisons(one, other)["one", "other", "Word_Entropy"]
    assert line["Ids"] == 2
    assert line["Paired_Difference"] == pytest.approx((1.5 + 0) / 2)


def test_sheets_are_paired_with_sheets_of_their_name() -> None:
    ours = report(detail(["red fox"], ["p"], "a"), detail(["red fox den oak"], ["p"], "b"), model="ours")
    theirs = report(detail(["red"], ["p"], "b"), detail(["red fox"], ["p"], "c"), model="theirs")
    assert comparisons(ours, theirs)["ours", "theirs", "Word_Entropy"]["Paired_Difference"] == pytest.approx(2)
    alone = report(detail(["red"], ["p"], "z"), model="alone")
    assert comparisons(ours, alone)["ours", "alone", "Word_Entropy"]["Paired_Difference"] == pytest.approx(1.5)

"""From texts to sheets and models: intervals, the histogram, and models side by side."""

from __future__ import annotations

import math

import pytest

from scoresheet.cli.report.entropy import REPORTER, entropy_histogram
from scoresheet.metrics.families.entropy.compare import ModelPair, entropy_similarity
from scoresheet.metrics.families.entropy.family import FAMILY
from scoresheet.metrics.families.entropy.measures import COMPARED_MEASURES
from scoresheet.metrics.families.entropy.options import EntropyOptions
from scoresheet.metrics.families.entropy.result import EntropyResult
from scoresheet.metrics.families.entropy.score import EntropySheet
from scoresheet.metrics.family import Sheet
from scoresheet.metrics.problems import Noted
from scoresheet.metrics.tables import object_frame

OPTIONS = EntropyOptions()
WORDS = ["red", "fox", "den", "oak", "sea", "sky", "hill", "rain", "moon", "star"]


def scored(texts: list[str], ids: list[str] | None = None, name: str = "Sheet1") -> Noted[EntropySheet]:
    frame = object_frame({"text": texts, "id": ids or [""] * len(texts)}, index=list(range(2, len(texts) + 2)))
    sheet = Sheet(name, frame, absent=frozenset() if ids else frozenset({"id"}))
    return FAMILY.score(FAMILY.parse(sheet, OPTIONS, referenced=False).value, None, OPTIONS)


def detail(texts: list[str], ids: list[str] | None = None, name: str = "Sheet1") -> EntropySheet:
    return scored(texts, ids, name).value


def report(*sheets: EntropySheet) -> EntropyResult:
    return FAMILY.combine(sheets, None, OPTIONS).value


def comparisons(**results: EntropyResult) -> dict[tuple[str, str, str], ModelPair]:
    pairs = FAMILY.compare(results, OPTIONS).pairs
    return {(pair.paired.model, pair.paired.other, pair.paired.measure): pair for pair in pairs}


def test_a_row_without_words_is_a_problem_and_no_text_of_the_sheet() -> None:
    found, problems = scored(["red fox", "", "!!", "red fox"])
    assert [(problem.kind, problem.row) for problem in problems] == [("empty-text", 3), ("empty-text", 4)]
    words = found.units.measures["Words"]
    assert [value for value in words if value == value] == [2, 2]  # noqa: PLR0124 - NaN
    assert found.units.measures["Repetitive"] == ["no", "", "", "no"]
    assert report(found).measures["Pairwise_Similarity"] == pytest.approx(1)


def test_a_model_is_the_mean_of_its_sheets() -> None:
    one, two = detail(["red fox"] * 3, name="one"), detail(["red fox den oak", "sea sky hill moon"], name="two")
    whole = report(one, two)
    assert whole.measures["Word_Entropy"] == pytest.approx((1 + 2) / 2)
    assert whole.measures["Vendi"] == pytest.approx((1 + 2) / 2)
    assert (whole.rows, whole.scored) == (5, 5)
    assert list(whole.by_sheet) == ["one", "two"]


def test_equal_texts_leave_no_interval_and_one_text_has_none() -> None:
    same = report(detail(["red fox"] * 5)).measures
    assert (same["CI_Low"], same["CI_High"]) == (1, 1)
    assert math.isnan(float(report(detail(["red fox"])).measures["CI_Low"]))


def test_the_histogram_counts_every_scored_text_once() -> None:
    texts = [" ".join(WORDS[: 1 + number % 10]) for number in range(40)] + [""]
    chart = entropy_histogram([detail(texts)])
    assert chart
    assert sum(chart.counts) == 40
    assert len(chart.bins) == len(chart.counts) <= 20
    assert chart.bins[0].startswith("0–")


def test_only_as_many_chunk_columns_are_shown_as_the_longest_text_of_the_model_has() -> None:
    short, long = detail(["red fox"]), detail([" ".join(WORDS * 4)])
    (page,) = REPORTER.model_pages("m", report(short), OPTIONS).sheets
    assert not any(column.name.startswith("Local") for column in page.columns)
    for page in REPORTER.model_pages("m", report(short, long), OPTIONS).sheets:
        names = [column.name for column in page.columns]
        assert names[-3:] == ["Local_1", "Local_2", "Local_3"]
        assert names == list(page.table.columns)


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
    rich = report(detail([" ".join(WORDS)] * 12, ids))
    poor = report(detail(["red fox red fox"] * 12, ids[::-1]))
    strange = report(detail(["red fox"] * 12))
    found = comparisons(rich=rich, poor=poor, strange=strange)
    assert len(found) == 3 * len(COMPARED_MEASURES)
    pair = found["rich", "poor", "Word_Entropy"]
    assert pair.paired.test.units == 12
    assert pair.difference == pair.paired.test.difference == pytest.approx(math.log2(10) - 1)
    assert pair.paired.test.p_value == pytest.approx(2 / 2**12)  # all differences have one sign
    assert pair.paired.finding == "rich is higher"
    assert found["rich", "strange", "Word_Entropy"].paired.finding == "no id with a value in common"
    assert math.isnan(found["rich", "strange", "Word_Entropy"].paired.test.p_value)


def test_an_id_that_stands_in_several_rows_counts_once_by_its_mean() -> None:
    one = report(detail(["red fox", "red fox den oak", "red"], ["p1", "p1", "p2"]))
    other = report(detail(["red", "red"], ["p2", "p1"]))
    test = comparisons(one=one, other=other)["one", "other", "Word_Entropy"].paired.test
    assert test.units == 2
    assert test.difference == pytest.approx((1.5 + 0) / 2)


def test_sheets_are_paired_with_sheets_of_their_name() -> None:
    ours = report(detail(["red fox"], ["p"], "a"), detail(["red fox den oak"], ["p"], "b"))
    theirs = report(detail(["red"], ["p"], "b"), detail(["red fox"], ["p"], "c"))
    paired = comparisons(ours=ours, theirs=theirs)["ours", "theirs", "Word_Entropy"].paired
    assert paired.test.difference == pytest.approx(2)
    alone = report(detail(["red"], ["p"], "z"))
    paired = comparisons(ours=ours, alone=alone)["ours", "alone", "Word_Entropy"].paired
    assert paired.test.difference == pytest.approx(1.5)

"""From texts to sheets and models: intervals, the histogram, models side by side, and what a run says of them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import pytest

from scoresheet.cli.report.entropy import REPORTER, RESULT_COLUMNS, entropy_histogram
from scoresheet.metrics import corpus_diversity, text_entropies, text_entropy
from scoresheet.metrics.compare import EVERY_TWO, PairedDifference
from scoresheet.metrics.families.entropy.compare import EntropyComparison, entropy_similarity
from scoresheet.metrics.families.entropy.family import FAMILY
from scoresheet.metrics.families.entropy.measures import COMPARED_MEASURES
from scoresheet.metrics.families.entropy.options import EntropyOptions
from scoresheet.metrics.families.entropy.result import EntropyResult
from scoresheet.metrics.families.entropy.score import EntropySheet
from scoresheet.metrics.family import Sheet
from scoresheet.metrics.problems import Noted
from scoresheet.metrics.tables import object_frame

OPTIONS = EntropyOptions(window=4)
WORDS = ["red", "fox", "den", "oak", "sea", "sky", "hill", "rain", "moon", "star"]


def scored(texts: list[str], ids: list[str] | None = None, name: str = "Sheet1") -> Noted[EntropySheet]:
    frame = object_frame({"text": texts, "id": ids or [""] * len(texts)}, index=list(range(2, len(texts) + 2)))
    sheet = Sheet(name, frame, absent=frozenset() if ids else frozenset({"id"}))
    return FAMILY.score(FAMILY.parse(sheet, OPTIONS, referenced=False).value, None, OPTIONS)


def detail(texts: list[str], ids: list[str] | None = None, name: str = "Sheet1") -> EntropySheet:
    return scored(texts, ids, name).value


def report(*sheets: EntropySheet) -> EntropyResult:
    return FAMILY.combine(sheets, None, OPTIONS).value


def compared(results: Mapping[str, EntropyResult]) -> EntropyComparison:
    return FAMILY.compare({model: own.slim() for model, own in results.items()}, OPTIONS, EVERY_TWO)


def comparisons(**results: EntropyResult) -> dict[tuple[str, str, str], PairedDifference]:
    pairs = compared(results).paired.differences
    return {(pair.model, pair.other, pair.measure): pair for pair in pairs}


def answer(**results: EntropyResult) -> str:
    return REPORTER.answer(compared(results), results, OPTIONS)


def test_a_row_without_words_is_a_problem_and_no_text_of_the_sheet() -> None:
    found, problems = scored(["red fox", "", "!!", "red fox"])
    noted = [(problem.kind, problem.row) for problem in problems]
    assert noted == [("empty-text", 3), ("empty-text", 4), ("short-text", None)]
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


def test_equal_texts_leave_no_room_and_few_have_no_interval() -> None:
    same = report(detail(["red fox den oak"] * 5)).measures
    assert (same["CI_Low"], same["CI_High"]) == (2, 2)
    few = report(detail(["red fox den oak"] * 4)).measures
    assert math.isnan(float(few["CI_Low"]))
    assert few["CI_Note"] == "too few texts of 4 words for an interval: 4, at least 5 are needed"


def test_texts_that_fill_no_window_are_noted_and_left_out() -> None:
    found, (problem,) = scored(["red fox den oak", "red fox red fox", "red fox", "red"])
    assert (problem.kind, problem.effect) == ("short-text", "note")
    assert problem.message.startswith("2 of 4 texts have fewer than 4 words and no Entropy_At_Length")
    whole = report(found)
    assert (whole.measures["Entropy_At_Length"], whole.measures["At_Length_Texts"], whole.scored) == (1.5, 2, 4)
    assert scored(["red fox"])[1][0].message.startswith("the text has fewer")
    assert scored(["red fox"] * 2)[1][0].message.startswith("all 2 texts have fewer")
    assert not scored(["red fox den oak"])[1]


def test_the_histogram_counts_every_text_that_fills_a_window_once() -> None:
    texts = [" ".join(WORDS[: 1 + number % 10]) for number in range(40)] + [""]
    chart = entropy_histogram([detail(texts)], 4)
    assert chart
    assert sum(chart.counts) == 28
    assert len(chart.bins) == len(chart.counts) <= 20
    assert entropy_histogram([detail(["red"])], 4) is None


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
    rich = report(detail([" ".join(WORDS[:8])] * 12, ids))
    poor = report(detail(["red fox red fox"] * 12, ids[::-1]))
    strange = report(detail(["red fox"] * 12))
    found = comparisons(rich=rich, poor=poor, strange=strange)
    assert len(found) == 3 * len(COMPARED_MEASURES)
    pair = found["rich", "poor", "Entropy_At_Length"]
    assert pair.test.units == 12
    assert pair.test.difference == pytest.approx(2 - 1)
    assert pair.test.p_value == pytest.approx(2 / 2**12)  # all differences have one sign
    assert (pair.finding, pair.exploratory) == ("rich is higher", False)
    assert found["rich", "poor", "Word_Entropy"].exploratory
    assert found["rich", "strange", "Word_Entropy"].finding == "no ids with a value in common"
    assert math.isnan(found["rich", "strange", "Word_Entropy"].test.p_value)


def test_an_id_that_stands_in_several_rows_counts_once_by_its_mean() -> None:
    one = report(detail(["red fox", "red fox den oak", "red"], ["p1", "p1", "p2"]))
    other = report(detail(["red", "red"], ["p2", "p1"]))
    found = compared({"one": one, "other": other}).paired
    assert found.units == "prompts"
    test = next(pair.test for pair in found.differences if pair.measure == "Word_Entropy")
    assert test.units == 2
    assert test.difference == pytest.approx((1.5 + 0) / 2)


def test_sheets_are_paired_with_sheets_of_their_name() -> None:
    ours = report(detail(["red fox"], ["p"], "a"), detail(["red fox den oak"], ["p"], "b"))
    theirs = report(detail(["red"], ["p"], "b"), detail(["red fox"], ["p"], "c"))
    paired = comparisons(ours=ours, theirs=theirs)["ours", "theirs", "Word_Entropy"]
    assert paired.test.difference == pytest.approx(2)
    alone = report(detail(["red"], ["p"], "z"))
    paired = comparisons(ours=ours, alone=alone)["ours", "alone", "Word_Entropy"]
    assert paired.test.difference == pytest.approx(1.5)


# --- what the run says ------------------------------------------------------------------------------------------------

IDS = [f"p{number}" for number in range(12)]
RICH, POOR, LOOP = " ".join(WORDS), "red fox den red sea sky den oak", "red fox red fox red fox"


def test_a_run_says_who_is_the_richest_and_whose_texts_repeat_themselves() -> None:
    said = answer(loop=report(detail([LOOP] * 12, IDS)), rich=report(detail([RICH] * 12, IDS)))
    assert said == (
        "At equal length, 4 words: rich has the highest mean Entropy_At_Length, 2.000, on the 12 ids that both models "
        "share; shown to be higher than loop. Repetitive more often than human prose (5 % at most): loop 100.0 % (95 % "
        "interval 73.5 to 100.0 %); not shown to be repetitive: rich 0.0 % (95 % interval 0.0 to 26.5 %)."
    )


def test_no_word_of_better_is_said_of_entropy() -> None:
    assert {column.better for column in RESULT_COLUMNS if "Entropy" in column.name} == {None}
    said = answer(poor=report(detail([POOR] * 12, IDS)), rich=report(detail([RICH] * 12, IDS)))
    assert "better" not in said
    assert "best" not in said


def test_models_that_share_nothing_are_not_ranked() -> None:
    said = answer(one=report(detail([RICH] * 6)), other=report(detail([POOR] * 6)))
    assert "share no ids with a text of 4 words: none is shown to be the richest" in said
    assert "No model is shown to be repetitive: one 0.0 %" in said


def test_a_model_of_short_texts_is_named_and_leaves_the_others_their_places() -> None:
    results = {
        "rich": report(detail([RICH] * 12, IDS)),
        "poor": report(detail([POOR] * 12, IDS)),
        "terse": report(detail(["red fox"] * 12, IDS)),
    }
    standings = compared(results).paired.standings
    assert {model: standing.rank for model, standing in standings.items()} == {"rich": 1, "poor": 2}
    said = answer(**results)
    assert "shown to be higher than poor. terse: no text of 4 words, so no Entropy_At_Length." in said
    assert answer(terse=results["terse"]).startswith("terse: no text of 4 words")


def test_a_single_model_has_its_mean_and_its_interval() -> None:
    assert answer(m=report(detail([RICH] * 12))).startswith(
        "m has a mean Entropy_At_Length of 2.000 bits (95 % interval 2.000 to 2.000). No model is shown"
    )
    assert "(too few texts of 4 words for an interval: 2, at least 5 are needed)" in answer(
        m=report(detail([RICH] * 2))
    )
    assert answer(m=report(detail([""]))) == "m: no text of 4 words, so no Entropy_At_Length."


def test_a_word_about_repetition_needs_an_interval_that_lies_in_its_band() -> None:
    words = {
        count: report(detail([LOOP] * count + [RICH] * (200 - count))).measures["Repetition"] for count in (0, 10, 40)
    }
    assert words == {0: "rare", 10: "rare to frequent", 40: "frequent"}


# --- what public functions are given ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "options", "said"),
    [
        ("red fox", {}, "not one: 'red fox'"),
        (["red", math.nan], {}, "text 1 is no text but nan"),
        ([None], {}, "text 0 is no text but None"),
        (["red"], {"window": 1}, "window cannot be 1"),
        (["red"], {"window": 2.5}, "window cannot be 2.5"),
        (["red"], {"repetition": "loops"}, "repetition cannot be 'loops'; it is one of: runs, printed"),
        (["red"], {"tokenizer": "letters"}, "tokenizer cannot be 'letters'"),
    ],
)
def test_text_entropies_say_what_cannot_be(texts: Any, options: Any, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        text_entropies(texts, **options)


def test_one_text_and_a_corpus_are_checked_alike() -> None:
    not_texts: Any = 7
    with pytest.raises(ValueError, match="text 0 is no text but 7"):
        text_entropy(not_texts)
    with pytest.raises(ValueError, match="not one: 'red fox'"):
        corpus_diversity("red fox")
    with pytest.raises(ValueError, match="seed cannot be -1"):
        corpus_diversity(["red fox"], seed=-1)
    with pytest.raises(ValueError, match="there are no texts"):
        corpus_diversity([])
    assert text_entropies([]) == []

"""`scoresheet disagree`: what a second look found wrong, each as it was met."""

from __future__ import annotations

import csv
import json
import math
import re
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from numpy.typing import NDArray
from openpyxl.utils import get_column_letter

from scoresheet.metrics import alpha_interval, disagreement, intraclass_correlation, krippendorff_alpha
from tests.conftest import Result, Run

Numbers = NDArray[np.float64]


def table(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text.replace("|", "\n"), encoding="utf-8")


def judged(run: Run, tmp_path: Path, text: str, *options: str) -> Result:
    table(tmp_path / "in" / "m.csv", text)
    return run("disagree", "in", "-o", "out", *options)


def listed(tmp_path: Path, kind: str) -> list[dict[str, str]]:
    with (tmp_path / "out" / "problems.csv").open(encoding="utf-8") as file:
        return [line for line in csv.DictReader(file) if line["kind"] == kind]


def problems(tmp_path: Path, kind: str) -> list[str]:
    return [line["message"] for line in listed(tmp_path, kind)]


def numbers(tmp_path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((tmp_path / "out" / "metrics.json").read_text(encoding="utf-8"))["m"]
    return found


def signature(tmp_path: Path) -> str:
    return str(json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))["signature"])


def results(tmp_path: Path) -> dict[str, str]:
    with (tmp_path / "out" / "disagreement_results.csv").open(encoding="utf-8") as file:
        return next(csv.DictReader(file))


def items(tmp_path: Path) -> list[dict[str, str]]:
    with (tmp_path / "out" / "m_disagreement.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("value", [0.1, 0.3, 0.7, 1 / 3, 1e6 / 7])
@pytest.mark.parametrize("shape", [(7, 3), (10, 2), (6, 6)])
def test_judges_who_all_say_the_same_of_everything_have_no_alpha_and_no_icc(
    value: float, shape: tuple[int, int]
) -> None:
    same = np.full(shape, value)
    assert all(math.isnan(krippendorff_alpha(same, level)) for level in ("nominal", "ordinal", "interval", "ratio"))
    assert math.isnan(intraclass_correlation(same).single)
    assert all(math.isnan(end) for end in alpha_interval(same))


def test_weights_alone_make_nobody_an_outlier(run: Run, tmp_path: Path) -> None:
    lines = ["item,judge,dimension,score,confidence"]
    for place, judge in enumerate("abcdef"):
        lines += [f"q{item},{judge},d{d},0.3,{0.1 + 0.13 * ((place + d) % 7)}" for item in range(4) for d in range(5)]
    assert judged(run, tmp_path, "|".join(lines)).code == 0
    assert {(item["Outliers"], item["Robust_Outliers"], item["Flags"]) for item in items(tmp_path)} == {("", "", "")}


def test_equal_sums_in_another_order_are_equal_scores_on_any_scale(run: Run, tmp_path: Path) -> None:
    lines = ["item,judge,x,y,z"]
    for item in range(5):
        lines += [f"q{item},a,100000.1,200000.2,300000.3", f"q{item},b,300000.3,200000.2,100000.1"]
    assert judged(run, tmp_path, "|".join(lines), "--scale", "0:400000", "--level", "ordinal").code == 0
    assert results(tmp_path)["Alpha"] == ""
    assert problems(tmp_path, "no-alpha") == ["alpha is undefined: all scores are the same"]


def test_the_overall_interval_is_empty_where_a_sheet_of_the_mean_has_none(run: Run, tmp_path: Path) -> None:
    sure = [f"A,q{item},{item / 30},{item / 30 + 0.001}" for item in range(30)]
    assert judged(run, tmp_path, "|".join(["Sheet,item,a,b", *sure, "B,q1,0.1,0.9"])).code == 0
    assert (results(tmp_path)["Alpha"] != "", results(tmp_path)["CI_Low"]) == (True, "")


@pytest.mark.parametrize("header", ["cultural_authenticity", "Cultural Authenticity", "cultural-authenticity"])
def test_strategies_weigh_a_dimension_however_its_name_is_written(run: Run, tmp_path: Path, header: str) -> None:
    text = f"item,{header},other|q1,0.8,0.2|q2,0.3,0.9"
    table(
        tmp_path / "strategies.csv",
        "strategy,emphasis,threshold,bias,cultural_authenticity,notes|s,.5,0,0,.25,why|t,.5,0,0,,",
    )
    assert judged(run, tmp_path, text, "--strategies", "strategies.csv").code == 0
    weighed = (0.25 * 0.8 + 0.2) / 1.25
    assert float(items(tmp_path)[0]["Mean"]) == pytest.approx((weighed + 0.5) / 2)


def test_weights_of_dimensions_that_are_not_there_are_noted(run: Run, tmp_path: Path) -> None:
    table(tmp_path / "strategies.csv", "strategy,emphasis,threshold,bias,fluensy|s,.5,.5,0,.25|t,.6,.5,0,")
    assert judged(run, tmp_path, "item,fluency|q1,0.8|q2,0.3", "--strategies", "strategies.csv").code == 0
    assert any("fluensy" in message for message in problems(tmp_path, "other-columns"))


@pytest.mark.parametrize("header", ["Mean", "Average", "No", "#", "total"])
def test_a_column_made_of_the_others_or_of_row_numbers_is_no_judge(run: Run, tmp_path: Path, header: str) -> None:
    text = f"item,{header},ann,bob|q1,0.1,0.2,0.4|q2,0.2,0.6,0.8|q3,0.3,0.9,0.7"
    assert judged(run, tmp_path, text).code == 0
    assert results(tmp_path)["Judges"] == "2"
    assert any(header in message and "not used" in message for message in problems(tmp_path, "other-columns"))
    assert "read as a column per judge: ann, bob" in problems(tmp_path, "other-columns")
    assert run("disagree", "in", "-o", "out", "--dimensions", f"{header},ann,bob").code == 0
    assert results(tmp_path)["Judges"] == "3"


def test_a_column_named_twice_counts_once_and_the_item_is_none(run: Run, tmp_path: Path) -> None:
    text = "item,Ann,bob|1,0.2,0.4|2,0.6,0.8|3,0.9,0.7"
    assert judged(run, tmp_path, text, "--dimensions", "Ann,ann,bob").code == 0
    assert results(tmp_path)["Judges"] == "2"
    refused = run("disagree", "in", "-o", "out", "--dimensions", "item,bob")
    assert (refused.code, "no column item" in refused.err) == (4, True)


def test_ratio_alpha_needs_scores_of_zero_or_more(run: Run, tmp_path: Path) -> None:
    assert judged(run, tmp_path, "item,a,b|q1,-.2,.2|q2,.4,.5|q3,.9,.8", "--scale=-1:1").code == 0
    assert numbers(tmp_path)["Alpha"] is not None
    refused = run("disagree", "in", "-o", "out", "--scale=-1:1", "--level", "ratio")
    assert (refused.code, "0 or more" in refused.err) == (2, True)


def test_a_name_of_thousands_of_digits_is_a_name(run: Run, tmp_path: Path) -> None:
    long = "7" * 5000
    assert judged(run, tmp_path, f"item,judge,score|q1,{long},.5|q1,8,.6|q2,{long},.1|q2,8,.3").code == 0
    assert results(tmp_path)["Judges"] == "2"


def test_a_crowd_of_judges_is_not_compared_in_pairs(run: Run, tmp_path: Path) -> None:
    lines = [f"q{item},worker {(item * 7 + turn) % 150},{(item % 10) / 10}" for item in range(300) for turn in range(2)]
    assert judged(run, tmp_path, "|".join(["item,judge,score", *lines])).code == 0
    assert len(problems(tmp_path, "many-judges")) == 1
    assert results(tmp_path)["Judges"] == "150"


@pytest.mark.parametrize(
    ("cell", "advice"), [("0,7", "with a point"), ("50%", "without %"), ("Tie", "--level nominal")]
)
def test_advice_on_a_score_that_is_no_number_fits_it(run: Run, tmp_path: Path, cell: str, advice: str) -> None:
    assert judged(run, tmp_path, f'item,judge,score|q1,a,0.5|q1,b,0.6|q2,a,"{cell}"|q2,b,0.1').code == 0
    assert advice in problems(tmp_path, "bad-score")[0]


def test_labels_are_listed_and_those_that_differ_only_in_case_are_named(run: Run, tmp_path: Path) -> None:
    text = "item,a,b|q1,win,Win|q2,win,win|q3,tie,win"
    assert judged(run, tmp_path, text, "--level", "nominal").code == 0
    (message,) = problems(tmp_path, "labels")
    assert message.startswith("labels: win 4, Win 1, tie 1")
    assert "win and Win" in message


def test_what_is_empty_is_no_error() -> None:
    assert disagreement([]).judges == 0
    assert intraclass_correlation([]).items == 0
    assert math.isnan(krippendorff_alpha([]))
    assert all(math.isnan(end) for end in alpha_interval([["a", "b"], ["a", "a"]], "nominal")) is False
    with pytest.raises(ValueError, match="level cannot be 'bogus'"):
        alpha_interval([[1, 2], [2, 3]], "bogus")


@pytest.mark.parametrize("scores", [[-0.2, -0.4], [0.5, -0.5], [0.0, 0.0, 0.0]])
def test_a_mean_of_zero_or_less_is_no_consensus(scores: list[float]) -> None:
    found = disagreement(scores)
    assert all(math.isnan(value) for value in (found.cv, found.consensus, found.reliability))


def test_means_say_over_how_many_items_they_are(run: Run, tmp_path: Path) -> None:
    zeros = [f"z{place},0,0,0" for place in range(95)]
    others = [f"q{place},.{place}5,.{place}5,.{place}6" for place in range(5)]
    assert judged(run, tmp_path, "|".join(["item,ann,bob,cleo", *zeros, *others, "lone,.5,,"])).code == 0
    found = results(tmp_path)
    assert (found["Items"], found["Consensus_Items"], found["Alpha_Items"]) == ("101", "5", "100")
    assert (found["ICC_Items"], found["Alpha_Sheets"]) == ("100", "1")
    assert numbers(tmp_path)["Sheets"]["Sheet1"]["Consensus_Items"] == 5


def test_a_sheet_without_alpha_is_not_counted_among_those_of_the_mean(run: Run, tmp_path: Path) -> None:
    text = "Sheet,item,a,b|A,q1,.1,.2|A,q2,.8,.9|A,q3,.4,.5|B,q1,.5,.5|B,q2,.5,.5"
    assert judged(run, tmp_path, text).code == 0
    found = results(tmp_path)
    assert (found["Alpha_Sheets"], found["Alpha_Items"], found["Consensus_Items"]) == ("1", "3", "5")
    assert numbers(tmp_path)["Sheets"]["B"]["Alpha_Sheets"] == 0


def test_scores_are_what_was_given_to_the_last_digit(run: Run, tmp_path: Path) -> None:
    rows = {"q1": (4, 4, 7), "q2": (8, 3, 3), "q3": (2, 2, 9), "q4": (10, 7, 1)}
    text = "|".join(["item,ann,bob,cleo", *(f"{item},{a},{b},{c}" for item, (a, b, c) in rows.items())])
    assert judged(run, tmp_path, text, "--scale", "1:10").code == 0
    assert [float(item["Min"]) for item in items(tmp_path)] == [(min(each) - 1) / 9 for each in rows.values()]
    page = openpyxl.load_workbook(tmp_path / "out" / "m_disagreement.xlsx")["Sheet1"]
    header = [cell.value for cell in page[1]]
    for place, judge in enumerate(("ann", "bob", "cleo")):
        column = header.index(f"Score_{judge}") + 1
        shown = [page.cell(row, column).value for row in range(2, 6)]
        assert shown == [each[place] for each in rows.values()]


@pytest.mark.parametrize("weight", ["", "0.3"])
def test_one_dimension_is_the_overall_score_on_any_scale(run: Run, tmp_path: Path, weight: str) -> None:
    scores = [(0.1, 0.2), (3.3, 3.1), (7.7, 7.9), (9.1, 9.6)]
    lines = [f"q{n},{judge},{s},{weight}" for n, pair in enumerate(scores) for judge, s in zip("ab", pair, strict=True)]
    text = "|".join(["item,judge,score,confidence", *lines])
    assert judged(run, tmp_path, text, "--scale", "0:1e13").code == 0
    assert float(results(tmp_path)["Alpha"]) == krippendorff_alpha(np.array(scores))
    by_dimension = numbers(tmp_path)["Sheets"]["Sheet1"]["By_Dimension"]
    assert by_dimension["Overall"] == by_dimension["score"]


def test_an_outlier_is_one_however_wide_the_declared_scale_is(run: Run, tmp_path: Path) -> None:
    text = "item,a,b,c,d,e,f|q1,3,3,3,3,3,9|q2,1,2,1,2,1,2"
    for scale in ("0:10", "0:1e13"):
        assert judged(run, tmp_path, text, "--scale", scale).code == 0
        assert [item["Outliers"] for item in items(tmp_path)] == ["f", ""]


def test_judges_who_differ_in_the_order_of_a_sum_do_not_differ(run: Run, tmp_path: Path) -> None:
    lines = ["item,judge,x,y,z"]
    for place in range(3):
        shift = place / 10
        lines += [f"q{place},a,{0.1 + shift},{0.2 + shift},{0.3 + shift}"]
        lines += [f"q{place},{judge},{0.3 + shift},{0.2 + shift},{0.1 + shift}" for judge in "bcdef"]
    for options in (("--mad-floor", "0"), ("--level", "ordinal")):
        assert judged(run, tmp_path, "|".join(lines), *options).code == 0
        assert float(results(tmp_path)["Alpha"]) == pytest.approx(1, abs=1e-12)
        for item in items(tmp_path):
            assert (float(item["Variance"]), item["Outliers"], item["Robust_Outliers"]) == (0, "", "")
    page = openpyxl.load_workbook(tmp_path / "out" / "m_disagreement.xlsx")["Pairs"]
    header = [cell.value for cell in page[1]]
    overall = [row for row in page.iter_rows(min_row=2, values_only=True) if row[1] == "Overall"]
    assert {row[header.index("Agreement")] for row in overall} == {1}


def test_a_judge_with_few_numbers_is_left_out_by_name_and_count(run: Run, tmp_path: Path) -> None:
    text = "item,ann,bob,cleo|q1,.2,.3,.1|q2,.4,n/a,.5|q3,.6,n/a,.6|q4,.8,.7,.7|q5,.9,n/a,.8"
    ended = judged(run, tmp_path, text)
    assert (ended.code, results(tmp_path)["Judges"]) == (0, "2")
    (line,) = listed(tmp_path, "numbers-not-used")
    assert (line["column"], line["effect"]) == ("bob", "note")
    assert "2 of its 5 filled cells are numbers" in line["message"]
    assert "--dimensions ann,cleo,bob" in line["message"]
    assert line["message"] in ended.err
    assert not any("bob" in message for message in problems(tmp_path, "other-columns"))
    assert run("disagree", "in", "-o", "out", "--dimensions", "ann,cleo,bob").code == 0
    assert results(tmp_path)["Judges"] == "3"


@pytest.mark.parametrize("level", ["interval", "nominal"])
@pytest.mark.parametrize(
    "header", ["id", "question_id", "Response ID", "judge", "Comment", "notes", "Rationale", "text"]
)
def test_a_key_or_a_remark_beside_judges_is_no_judge(run: Run, tmp_path: Path, header: str, level: str) -> None:
    if header == "judge":
        text = f"item,strategy,{header},x,y|q1,a,0.1,0.2,0.4|q1,b,0.2,0.6,0.8|q2,a,0.3,0.9,0.7|q2,b,0.3,0.9,0.7"
    else:
        text = f"{header},item,ann,bob|0.1,q1,0.2,0.4|0.2,q2,0.6,0.8|0.3,q3,0.9,0.7"
    assert judged(run, tmp_path, text, "--level", level).code == 0
    assert results(tmp_path)["Judges"] == "2"
    notes = [message for message in problems(tmp_path, "other-columns") if header in message]
    assert any("not used" in message for message in notes)


def test_numbers_under_the_name_of_a_remark_are_said_aloud(run: Run, tmp_path: Path) -> None:
    ended = judged(run, tmp_path, "item,judge,accuracy,explanation|q1,a,.1,.2|q1,b,.2,.3|q2,a,.8,.9|q2,b,.9,.7")
    assert (ended.code, "--dimensions accuracy,explanation" in ended.err) == (0, True)
    quiet = judged(run, tmp_path, "item,judge,accuracy,explanation|q1,a,.1,so|q1,b,.2,so|q2,a,.8,no|q2,b,.9,no")
    assert (quiet.code, "explanation" in quiet.err) == (0, False)


def test_a_row_that_loses_its_only_score_is_not_scored(run: Run, tmp_path: Path) -> None:
    long = "item,judge,score|q1,a,.5|q1,b,7|q2,a,.4|q2,b,.6"
    assert judged(run, tmp_path, long, "--out-of-scale", "blank").code == 0
    assert [(line["row"], line["effect"]) for line in listed(tmp_path, "out-of-scale")] == [("3", "row not scored")]
    wide = "item,a,b|q1,.5,7|q2,8,9|q3,.4,.6"
    assert judged(run, tmp_path, wide, "--out-of-scale", "blank").code == 0
    found = [(line["row"], line["effect"]) for line in listed(tmp_path, "out-of-scale")]
    assert sorted(found) == [("2", "note"), ("3", "row not scored"), ("3", "row not scored")]
    assert (results(tmp_path)["Rows"], results(tmp_path)["Scored"]) == ("3", "2")
    assert judged(run, tmp_path, long, "--out-of-scale", "clip").code == 0
    assert {line["effect"] for line in listed(tmp_path, "out-of-scale")} == {"note"}


def test_ranges_are_signed_with_all_their_digits(run: Run, tmp_path: Path) -> None:
    options = ("--scale", "0:1000001", "--recommend", "0.3333333:0.9")
    assert judged(run, tmp_path, "item,a,b|q1,1,2|q2,8,9", *options).code == 0
    assert "scale:0:1000001|" in signature(tmp_path)
    assert "recommend:0.3333333:0.9" in signature(tmp_path)
    about = openpyxl.load_workbook(tmp_path / "out" / "m_disagreement.xlsx")["About"]
    cells = [str(cell) for row in about.iter_rows(values_only=True) for cell in row]
    assert any("0 to 1000001" in cell for cell in cells)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--level", "nominal", "--scale", "1:5"), "--scale"),
        (("--level", "nominal", "--mad-floor", "0.1"), "--mad-floor"),
        (("--level", "nominal", "--consensus-threshold", "0.6"), "--consensus-threshold"),
        (("--consensus-threshold", "1.2"), "the most is 1"),
        (("--high-threshold", "7"), "the most is 1"),
        (("--mad-floor", "2"), "the most is 1"),
        (("--consensus-threshold", "0.5", "--high-threshold", "0.6"), "above the consensus-threshold"),
        (("--scale", "1:5", "--recommend", "2:4"), "scale 0..1"),
    ],
)
def test_options_that_would_do_nothing_or_nonsense_are_slips(
    run: Run, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    ended = judged(run, tmp_path, "item,a,b|q1,.1,.2|q2,.8,.9", *options)
    assert (ended.code, said in ended.err) == (2, True)
    assert not (tmp_path / "out").exists()


def test_labels_are_signed_without_a_scale(run: Run, tmp_path: Path) -> None:
    assert judged(run, tmp_path, "item,a,b|q1,x,y|q2,x,x", "--level", "nominal").code == 0
    assert "scale" not in signature(tmp_path)


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ("s,1.5,.5,0,", "emphasis"),
        ("s,.5,-1,0,", "threshold"),
        ("s,.5,.5,2,", "bias"),
        ("s,.5,.5,-1.01,", "bias"),
        ("s,.5,.5,-1,30", "fluency"),
    ],
)
def test_a_strategy_beyond_its_range_is_refused_by_row_and_column(
    run: Run, tmp_path: Path, row: str, column: str
) -> None:
    table(tmp_path / "strategies.csv", f"strategy,emphasis,threshold,bias,fluency|ok,1,0,1,1|{row}")
    ended = judged(run, tmp_path, "item,fluency|q1,0.8|q2,0.3", "--strategies", "strategies.csv")
    assert ended.code not in (0, 1)
    assert f"strategies.csv row 3, column {column}" in ended.err


def test_one_dimension_by_name_and_several_by_column_contradict_each_other(run: Run, tmp_path: Path) -> None:
    text = "item,judge,dimension,score|q1,a,x,.5|q1,b,x,.6|q2,a,y,.5|q2,b,y,.6"
    ended = judged(run, tmp_path, text, "--dimensions", "score")
    assert (ended.code, "column dimension" in ended.err) == (4, True)
    wide = "item,judge,dimension,f,g|q1,a,x,.5,.4|q1,b,x,.6,.5|q2,a,y,.5,.1|q2,b,y,.6,.3"
    assert judged(run, tmp_path, wide, "--dimensions", "f,g").code == 0
    assert any("column dimension was not used" in message for message in problems(tmp_path, "other-columns"))


def test_why_alpha_is_undefined_is_said_of_the_items_it_rests_on(run: Run, tmp_path: Path) -> None:
    assert judged(run, tmp_path, "item,judge,score|q1,a,.5|q5,a,.4|q5,b,.4").code == 0
    (message,) = problems(tmp_path, "no-alpha")
    assert message == (
        "alpha is undefined: two judges or more scored only 1 of 2 items, and all these scores are the same"
    )


def test_an_item_without_weights_is_not_told_that_it_has_no_scores(run: Run, tmp_path: Path) -> None:
    text = "item,judge,score,confidence|q1,a,.5,0|q1,b,.6,0|q2,a,.4,1|q2,b,.4,1|q3,a,,1"
    assert judged(run, tmp_path, text).code == 0
    page = openpyxl.load_workbook(tmp_path / "out" / "m_disagreement.xlsx")["Flags"]
    header, *rows = page.iter_rows(values_only=True)
    said = {row[header.index("Item")]: row[header.index("What")] for row in rows}
    assert said == {"q1": "all weights of the item's scores are 0", "q3": "no judge has a score for the item"}


def test_judges_without_a_number_are_judges(run: Run, tmp_path: Path) -> None:
    text = "item,judge,score|q1,a,Tie|q1,b,Win|q1,c,Tie"
    judged(run, tmp_path, text)
    table(tmp_path / "in" / "n.csv", "item,judge,score|q1,a,.1|q1,b,.2")
    assert run("disagree", "in", "-o", "out").code == 0
    found = results(tmp_path)
    assert (found["Model Name"], found["Status"], found["Judges"]) == ("m", "unscored", "3")


def test_no_dimension_takes_the_name_of_the_overall_view(run: Run, tmp_path: Path) -> None:
    text = "item,judge,overall,Overall score|q1,a,.5,.1|q1,b,.6,.2|q2,a,.5,.8|q2,b,.6,.9"
    assert judged(run, tmp_path, text).code == 0
    names = list(numbers(tmp_path)["Sheets"]["Sheet1"]["By_Dimension"])
    assert sorted(names) == ["Overall score", "Overall score 2", "overall"]


def test_a_judge_is_one_however_the_accents_of_a_header_are_written(run: Run, tmp_path: Path) -> None:
    composed, apart = (unicodedata.normalize(form, "café") for form in ("NFC", "NFD"))
    assert judged(run, tmp_path, f"item,{composed},{apart},bob|q1,.1,,.2|q2,,.8,.9|q3,,.4,.5").code == 0
    assert results(tmp_path)["Judges"] == "2"
    assert float(results(tmp_path)["Alpha"]) == pytest.approx(krippendorff_alpha([[0.1, 0.2], [0.8, 0.9], [0.4, 0.5]]))
    ended = judged(run, tmp_path, f"item,{composed},{apart},bob|q1,.1,.3,.2|q2,,.8,.9")
    assert (ended.code, "two scores" in ended.err) == (4, True)


def test_a_matrix_of_judges_colours_what_is_opposite_unlike_what_is_unrelated(run: Run, tmp_path: Path) -> None:
    assert judged(run, tmp_path, "item,a,b|q1,.1,.9|q2,.5,.5|q3,.9,.1").code == 0
    page = openpyxl.load_workbook(tmp_path / "out" / "m_disagreement.xlsx")["Judges"]
    header = [cell.value for cell in page[1]]
    letter = get_column_letter(header.index("b") + 1)
    scales = [
        [float(point.val) for point in rule.colorScale.cfvo]
        for area in page.conditional_formatting
        if str(area.sqref).startswith(letter)
        for rule in area.rules
    ]
    assert scales == [[-1, 0, 1]]


def test_alpha_without_an_interval_says_why(run: Run, tmp_path: Path) -> None:
    sure = [f"A,q{item},{item / 30},{item / 30 + 0.001}" for item in range(30)]
    assert judged(run, tmp_path, "|".join(["Sheet,item,a,b", *sure, "B,q1,0.1,0.9"])).code == 0
    own, mean = listed(tmp_path, "no-interval")
    assert (own["sheet"], "only one item" in own["message"]) == ("B", True)
    assert (mean["sheet"], "none for B" in mean["message"]) == ("", True)


def plain_ratio_alpha(scores: Numbers) -> float:
    """Alpha as it is defined: every two ratings of an item against every two ratings there are."""
    apart = ((scores[:, :, None] - scores[:, None, :]) / (scores[:, :, None] + scores[:, None, :])) ** 2
    seen = apart.sum() / (scores.shape[1] - 1)
    flat = scores.ravel()
    expected = sum(float((((value - flat) / (value + flat)) ** 2).sum()) for value in flat)
    return float(1 - (len(flat) - 1) * seen / expected)


@pytest.mark.parametrize(("low", "high"), [(0.001, 1.0), (1.0, 1e9), (70.0, 100.0)])
def test_ratio_alpha_of_thousands_of_different_scores_is_that_of_the_definition(low: float, high: float) -> None:
    rng = np.random.default_rng(3)
    scores = np.exp(rng.uniform(math.log(low), math.log(high), size=(900, 1)) + rng.normal(0, 0.01, size=(900, 4)))
    assert krippendorff_alpha(scores, "ratio") == pytest.approx(plain_ratio_alpha(scores), abs=1e-9)


def test_ratio_alpha_counts_pairs_of_zeros_as_equal_among_thousands_of_scores() -> None:
    rng = np.random.default_rng(4)
    scores = rng.uniform(0, 1, size=(1700, 2))
    scores[:40] = 0
    scores[40:60, 0] = 0
    tiny = np.where(scores == 0, 1e-300, scores)  # as far from all others as 0 is
    assert krippendorff_alpha(scores, "ratio") == pytest.approx(plain_ratio_alpha(tiny), abs=1e-9)


def test_ratio_alpha_of_thousands_of_different_scores_has_an_interval(run: Run, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    true = rng.uniform(0.1, 0.9, size=(1600, 1))
    scores = true * np.exp(rng.normal(0, 0.2, size=(1600, 2)))
    low, high = alpha_interval(scores, "ratio")
    few = np.round(scores, 2)  # hardly other scores, of which every two can be looked at
    assert (low, high) == pytest.approx(alpha_interval(few, "ratio"), abs=0.002)
    lines = ["item,a,b", *(f"q{n},{a!r},{b!r}" for n, (a, b) in enumerate(scores.tolist()))]
    assert judged(run, tmp_path, "|".join(lines), "--level", "ratio", "--scale", "0:2").code == 0
    found = results(tmp_path)
    assert 0 < float(found["CI_Low"]) < float(found["Alpha"]) < float(found["CI_High"]) < 1


def test_ratio_alpha_of_more_than_there_is_room_for_says_that_it_has_no_interval(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoresheet.metrics.stats.alpha_interval._MOST_CELLS", 1000)
    rng = np.random.default_rng(6)
    scores = rng.uniform(0.1, 0.9, size=(1600, 2))
    assert all(math.isnan(end) for end in alpha_interval(scores, "ratio"))
    lines = ["item,a,b", *(f"q{n},{a!r},{b!r}" for n, (a, b) in enumerate(scores.tolist()))]
    assert judged(run, tmp_path, "|".join(lines), "--level", "ratio").code == 0
    assert (results(tmp_path)["Alpha"] != "", results(tmp_path)["CI_Low"]) == (True, "")
    (message,) = problems(tmp_path, "no-interval")
    assert "too many different scores" in message


def test_intervals_and_alphas_of_the_page_in_the_docs_are_those_it_shows() -> None:
    page = (Path(__file__).parents[2] / "docs" / "disagree.md").read_text(encoding="utf-8")
    known = {"alpha_interval": alpha_interval, "disagreement": disagreement, "krippendorff_alpha": krippendorff_alpha}
    shown = re.findall(r"^((?:alpha_interval|disagreement|krippendorff_alpha)\(.*)  # (.*)$", page, re.MULTILINE)
    assert len(shown) == 3
    for code, said in shown:
        value = eval(code, known)
        ends = value if isinstance(value, tuple) else (value,)
        numbers = [float(number) for number in re.findall(r"\d\.\d+", said)]
        assert [round(end, 4) for end in ends] == [round(number, 4) for number in numbers], code

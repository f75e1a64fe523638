"""Are the numbers of a model, a level and a comparison those that a person would work out from the cells?"""

from __future__ import annotations

import math

import pytest
from openpyxl import load_workbook

from scoresheet.metrics import entropy, gini, normalized_entropy
from tests.helpers.files import write_csv
from tests.helpers.mode_collapse import COUNTED, QUESTIONS, Study, roots, write_questions
from tests.helpers.studies import paged


def test_models_with_one_question_each_are_compared_whatever_their_sheets_are_called(study: Study) -> None:
    study.options(QUESTIONS[1])
    study.model(roots(["bus"] * 20), "a")
    write_questions(study.outs / "b.xlsx", {"answers": roots(["car"] * 20)})
    assert study.score().code == 0
    page = load_workbook(study.res / "mode_collapse_results.xlsx")["Differences"]
    head, line = ([cell.value for cell in row] for row in page.iter_rows())
    assert dict(zip(head, line, strict=True))["TVD"] == 1


def test_counts_beyond_what_can_be_dealt_are_compared_all_the_same(study: Study) -> None:
    study.model([COUNTED, (0, "", "x", 600_000_000), (0, "", "y", 300_000_000)], "a")
    study.model([COUNTED, (0, "", "x", 600_000_000), (0, "", "y", 600_000_000)], "b")
    assert study.score(table="").code == 0
    (line,) = paged(study.res / "mode_collapse_results.xlsx", "Differences")
    assert line["Finding"] == "a is more collapsed"


def test_the_summary_weighs_the_cells_of_a_level_by_their_parents(study: Study) -> None:
    study.options([("level", "option"), *((0, x) for x in "ab"), *((1, x) for x in "pqr")])
    below = {"a": [9, 3, 0], "b": [2, 2, 2]}
    rows: list[tuple[object, ...]] = [COUNTED, (0, "", "a", 30), (0, "", "b", 10)]
    rows += [
        (1, parent, option, count)
        for parent, counts in below.items()
        for option, count in zip("pqr", counts, strict=True)
    ]
    study.model(rows)
    assert study.score().code == 0
    line = next(each for each in paged(study.workbook(), "Summary") if each["Level"] == "1")
    shares = {"a": 0.75, "b": 0.25}
    for name, measure in (
        ("Gini_Weighted", gini),
        ("Entropy_Weighted", normalized_entropy),
        ("Conditional_Entropy", entropy),
    ):
        assert line[name] == pytest.approx(math.fsum(shares[x] * measure(below[x]) for x in "ab")), name
    counted = ("Low_Cells", "Moderate_Cells", "High_Cells", "Between_Cells", "Chance_Cells", "Too_Few_Cells")
    assert [line[name] for name in counted] == [0, 0, 0, 1, 0, 1]  # nine of twelve are more than chance, and no more
    assert line["Collapsed_Cells"] == 0
    assert (line["Top_Choice"], line["Top_Share"]) == ("a: p", 0.75)


def test_the_p_value_of_a_level_is_that_of_the_mean_of_its_cells(study: Study) -> None:
    study.options([("level", "option"), (0, "x"), (0, "y")])
    rows: list[tuple[object, ...]] = [("Sheet", "level", "choice", "count")]
    for sheet in ("s1", "s2"):
        rows += [(sheet, 0, "x", 7), (sheet, 0, "y", 1)]
    study.model(rows)
    assert study.score().code == 0
    line = next(
        each for each in paged(study.workbook(), "Summary") if (each["Sheet"], each["Level"]) == ("All sheets", "0")
    )
    # both as uneven as 7:1 (chance 18/256 each) or one at 8:0 and the other at 6:2 or more
    chance = {8: 2 / 256, 7: 16 / 256, 6: 56 / 256, 5: 112 / 256, 4: 70 / 256}
    exact = sum(chance[a] * chance[b] for a in chance for b in chance if a + b >= 14)
    assert line["P_Value"] == pytest.approx(exact, abs=5 * math.sqrt(exact / 10_000))


def test_too_few_samples_are_counted_and_untested_cells_are_not(study: Study) -> None:
    study.options([("level", "option"), (0, "x"), (0, "y"), (0, "z")])
    study.model(roots(["x", "x", "y"]))
    assert study.score().code == 0
    assert study.cell()["Verdict"] == "too few samples"
    assert paged(study.workbook(), "Summary")[0]["Too_Few_Cells"] == 1
    target = write_csv(study.root / "t.csv", [("level", "option", "share", "question"), (0, "x", 1, "elsewhere")])
    assert study.score("--target", target).code == 0
    assert study.cell()["Verdict"] == "not tested"
    assert paged(study.workbook(), "Summary")[0]["Too_Few_Cells"] == 0


def test_many_options_leave_a_rest_and_equal_models_share_their_rank(study: Study) -> None:
    choices = [f"o{place}" for place in range(10) for _ in range(10 - place)]
    study.model(roots(choices), "m")
    study.model(roots(choices), "n")
    assert study.score(table="").code == 0
    (line,) = paged(study.workbook(), "Distribution")
    assert line["1st_Choice"] == "o0"
    assert line["Others"] == pytest.approx((3 + 2 + 1) / 55)
    ranks = [each["Rank"] for each in paged(study.res / "mode_collapse_results.xlsx", "Models")]
    assert ranks == [1, 1]


def test_the_front_page_says_what_is_chosen_how_often_and_what_chance_gives(study: Study) -> None:
    study.options(QUESTIONS[1])
    study.model(roots(["bus"] * 28 + ["car"] * 4))
    ended = study.score()
    assert ended.code == 0
    (line,) = study.results().values()
    assert (line["Top_Choice"], float(line["Top_Share"]), line["N"]) == ("bus", 0.875, "32")
    assert float(line["Gini_Expected"]) < 0.2 < float(line["CI_Low"]) < float(line["Gini_Debiased"])
    assert "m chose bus most often (88%)" in ended.out
    assert all(name in ended.out for name in ("Top_Choice", "Gini_Expected", "Gini_Debiased", "Verdict"))


def test_of_several_root_cells_the_most_collapsed_names_what_is_chosen(study: Study) -> None:
    study.options([("level", "option"), (0, "x"), (0, "y")])
    rows: list[tuple[object, ...]] = [("Sheet", "level", "choice", "count")]
    rows += [("s1", 0, "x", 10), ("s1", 0, "y", 9), ("s2", 0, "x", 1), ("s2", 0, "y", 18)]
    study.model(rows)
    assert study.tables().code == 0
    (line,) = study.results().values()
    assert (line["Top_Choice"], line["N"]) == ("s2: y", "38")
    assert float(line["Top_Share"]) == pytest.approx(18 / 19)


def test_another_level_changes_intervals_verdicts_and_power_together(study: Study) -> None:
    study.options(QUESTIONS[1])
    study.model(roots(["bus"] * 18 + ["car"] * 8 + ["train"] * 4))
    cells = {}
    for level in ("0.8", "0.95", "0.999"):
        assert study.tables("--ci", level).code == 0
        cells[level] = study.cell()
    assert float(cells["0.95"]["CI_Low"]) < float(cells["0.8"]["CI_Low"])
    assert float(cells["0.95"]["CI_High"]) > float(cells["0.8"]["CI_High"])
    p_value = float(cells["0.95"]["P_Value"])
    assert 0.001 < p_value < 0.05
    assert cells["0.999"]["Verdict"] == "too few samples"
    assert cells["0.95"]["Verdict"] == "low to moderate"
    assert "p < 0.001" in study.run("mode-collapse", "--power", "--power-gini", "0.7", "--ci", "0.999").out

"""Traps that choices, options and counts can hold, and numbers of the summary worked out by hand."""

from __future__ import annotations

import json
import math
import re
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openpyxl import load_workbook

from scoresheet.metrics import collapse_p_value, entropy, gini, match_option, normalized_entropy
from scoresheet.metrics.families.mode_collapse.compare import root_differences
from scoresheet.metrics.families.mode_collapse.measures import DIFFERENCE_MEASURES
from scoresheet.metrics.families.mode_collapse.power import samples_needed
from scoresheet.metrics.families.mode_collapse.verdicts import verdict
from tests.conftest import Run
from tests.contract.files import write_csv
from tests.contract.test_mode_collapse_inputs import Study, roots

COUNTED = ("level", "parent", "choice", "count")


@pytest.fixture
def study(run: Run, tmp_path: Path) -> Study:
    return Study(tmp_path, run)


def _page(path: Path, name: str) -> list[dict[str, Any]]:
    rows = load_workbook(path)[name].iter_rows(values_only=True)
    head = [str(cell) for cell in next(rows)]
    return [dict(zip(head, row, strict=True)) for row in rows]


@pytest.mark.parametrize("name", ["b!A1:C9", "Win a PS5!X1 now", "=Sheet1!$A$1", "=1+1", "Go!B2"])
def test_an_option_that_looks_like_a_reference_is_text_in_the_chart(study: Study, name: str) -> None:
    study.model([COUNTED, (0, "", name, 10), (0, "", "other", 9)])
    assert study.score(table="").code == 0
    with zipfile.ZipFile(study.workbook()) as book:
        charts = "".join(book.read(each).decode() for each in book.namelist() if "charts/chart" in each)
    references = re.findall(r"<c:f>([^<]*)</c:f>", charts)
    assert all(
        re.fullmatch(r"(?:Summary|Distribution|About)!\$[A-Z]+\$\d+(?::\$[A-Z]+\$\d+)?", each) for each in references
    )
    shown = charts.replace("\u2060", "")
    assert f"<a:t>{name}</a:t>" in shown
    assert "<a:t>other</a:t>" in shown


def test_counts_beyond_what_can_be_dealt_are_compared_all_the_same(study: Study) -> None:
    study.model([COUNTED, (0, "", "x", 600_000_000), (0, "", "y", 300_000_000)], "a")
    study.model([COUNTED, (0, "", "x", 600_000_000), (0, "", "y", 600_000_000)], "b")
    assert study.score(table="").code == 0
    (line,) = _page(study.res / "mode_collapse_results.xlsx", "Differences")
    assert line["Finding"] == "a is more collapsed"


def test_a_cell_cannot_have_more_samples_than_can_be_ranked_exactly(study: Study) -> None:
    study.model([COUNTED, *[(0, "", "x", 999_999_999_999)] * 3, (0, "", "y", 5)])
    assert study.score(table="").code == 0
    assert {line["kind"] for line in study.problems() if line["effect"] == "row not scored"} == {"bad-count"}


@pytest.mark.parametrize(("level", "parent"), [(0, "root"), (2, "Rome"), (2, "Rome → food → pasta")])
def test_a_path_that_does_not_fit_its_level_is_not_scored(study: Study, level: int, parent: str) -> None:
    study.model([("level", "parent", "choice"), (0, "", "Rome"), (0, "", "Oslo"), (level, parent, "odd")])
    assert study.score(table="").code == 0
    assert study.effects("unknown-parent") == {"row not scored"}
    assert study.cell()["Options"] == "2"  # what has no place declares nothing


def test_a_percent_sign_is_a_hundredth(study: Study) -> None:
    study.options([("level", "option"), (0, "x"), (0, "y")])
    study.model(roots(["x", "y", "x"]))
    target = write_csv(study.root / "t.csv", [("level", "option", "share"), (0, "x", "50%"), (0, "y", "0.5")])
    assert study.score("--target", target).code == 0
    assert [line["Target"] for line in _page(study.workbook(), "Counts")] == [0.5, 0.5]
    huge = write_csv(study.root / "u.csv", [("level", "option", "share"), (0, "x", "1e308"), (0, "y", "1e308")])
    assert study.score("--target", huge).code == 2


def test_the_hashes_of_two_tables_of_one_name_are_both_kept(study: Study) -> None:
    study.options([("level", "option"), (0, "x"), (0, "y")])
    study.model(roots(["x", "y", "x"]))
    write_csv(study.root / "t/options.csv", [("level", "option", "share"), (0, "x", 1), (0, "y", 2)])
    assert study.score("--target", "t/options.csv").code == 0
    manifest = json.loads((study.res / "manifest.json").read_text(encoding="utf-8"))
    assert [each["file"] for each in manifest["references"]] == ["options.csv", "options.csv (--target)"]


def test_outputs_are_not_their_own_options(study: Study) -> None:
    study.model(roots(["x", "y"]))
    assert study.score(table="outs").code == 2


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("I choose a nice place", ["A", "B"], ""),
        ("I choose A", ["A", "B"], "A"),
        ("about 3,000 of them", ["1", "3"], ""),
        ("version 1.5", ["1", "5"], ""),
        ("I can't say", ["Can", "Will"], ""),
        ("Japan's the one", ["Japan", "Peru"], "Japan"),
        ("Côte d’Ivoire", ["Côte d'Ivoire"], "Côte d'Ivoire"),
    ],
)
def test_a_mention_is_a_word_of_its_own(text: str, options: list[str], expected: str) -> None:
    assert match_option(text, options).option == expected


def test_the_verdict_seldom_falls_on_uniform_choosers_and_nearly_always_on_a_favourite() -> None:
    rng = np.random.default_rng(11)
    collapsed = ("moderate", "high")
    for total in (6, 10, 32):
        draws = rng.multinomial(total, [0.2] * 5, size=1_000).tolist()
        found = [verdict(gini(row), normalized_entropy(row), collapse_p_value(row)) in collapsed for row in draws]
        assert sum(found) <= 50
    draws = rng.multinomial(32, [0.8, *[0.05] * 4], size=500).tolist()
    found = [verdict(gini(row), normalized_entropy(row), collapse_p_value(row)) in collapsed for row in draws]
    assert sum(found) >= 495


def _difference(one: list[int], other: list[int]) -> dict[str, Any]:
    names = [f"o{place}" for place in range(len(one))]
    roots = {"a": {"s": dict(zip(names, one, strict=True))}, "b": {"s": dict(zip(names, other, strict=True))}}
    (difference,) = root_differences(roots, seed=0)
    return {measure.name: getattr(difference, measure.field) for measure in DIFFERENCE_MEASURES}


def test_models_with_other_favourites_and_the_same_gini_are_alike_collapsed() -> None:
    line = _difference([60, 30, 10], [10, 30, 60])
    assert line["Gini_Difference"] == 0
    assert line["P_Gini"] == 1
    assert line["P_TVD"] < 0.001
    assert line["Finding"] == "other choices, alike collapsed"


def test_the_more_collapsed_model_is_named_with_the_sign_of_the_difference() -> None:
    line = _difference([5, 5, 90], [30, 35, 35])
    assert (line["Finding"], line["Gini_Difference"] > 0) == ("a is more collapsed", True)
    assert line["TVD"] == pytest.approx(0.55)
    line = _difference([30, 35, 35], [5, 5, 90])
    assert (line["Finding"], line["Gini_Difference"] < 0) == ("b is more collapsed", True)


def test_favourites_in_another_order_do_not_make_a_difference_of_collapse() -> None:
    rng = np.random.default_rng(2)
    shape = [0.3, 0.25, 0.2, 0.15, 0.1]
    false = sum(
        _difference(rng.multinomial(300, shape).tolist(), rng.multinomial(300, shape[::-1]).tolist())["P_Gini"] < 0.05
        for _ in range(120)
    )
    assert false <= 14  # 5 % of 120 is 6; the chance of more than 14 is below one in a thousand


@pytest.mark.parametrize(("options", "first", "second"), [(100, 64, 200), (50, 32, 32), (100, 32, 32), (5, 6, 60)])
def test_choosers_without_a_favourite_are_not_told_apart_however_many_options_there_are(
    options: int, first: int, second: int
) -> None:
    rng = np.random.default_rng(4)
    even = [1 / options] * options
    false = sum(
        _difference(rng.multinomial(first, even).tolist(), rng.multinomial(second, even).tolist())["Finding"]
        != "no difference shown"
        for _ in range(100)
    )
    assert false <= 12  # 5 % of 100 is 5; the chance of more than 12 is below one in a thousand


def test_samples_of_unlike_size_are_held_to_the_difference_that_their_sizes_make() -> None:
    line = _difference([7, 7, 6, 6, 6], [1_600, 850, 850, 850, 850])  # so even by chance in 1 of 200 such samples
    assert line["Expected_Difference"] > 0.05 > line["Gini_Difference"]
    assert line["P_Gini"] < 0.05
    assert line["Finding"] == "b is more collapsed"


def test_a_permutation_test_worked_by_hand() -> None:
    # two samples each, both alike within: of the 6 ways to deal a, a, b, b to two, 2 are as far apart
    line = _difference([2, 0], [0, 2])
    assert line["P_TVD"] == pytest.approx(1 / 3, abs=0.05)
    assert (line["Gini_Difference"], line["P_Gini"]) == (0, 1)


def test_sheets_are_compared_whatever_the_case_of_their_names_and_only_those() -> None:
    counts = {"yes": 9, "no": 1}
    for other, cells in (("food", 1), ("Murder", 0), ("Sheet1", 1)):
        assert root_differences({"a": {"Food": counts}, "b": {other: counts}}, seed=0)[0].cells == cells


def test_with_many_models_a_plain_difference_is_still_found_or_it_is_said_why_not() -> None:
    collapsed, even = {"x": 99, "y": 1, "z": 0}, {"x": 34, "y": 33, "z": 33}
    roots = {f"m{number:02d}": {"s": collapsed if number < 2 else even} for number in range(40)}
    findings = [difference.finding for difference in root_differences(roots, seed=0)]
    assert findings.count("m00 is more collapsed") == findings.count("m01 is more collapsed") == 38
    assert findings.count("no difference shown") == 40 * 39 / 2 - 2 * 38


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
    line = next(each for each in _page(study.workbook(), "Summary") if each["Level"] == "1")
    shares = {"a": 0.75, "b": 0.25}
    for name, measure in (
        ("Gini_Weighted", gini),
        ("Entropy_Weighted", normalized_entropy),
        ("Conditional_Entropy", entropy),
    ):
        assert line[name] == pytest.approx(math.fsum(shares[x] * measure(below[x]) for x in "ab")), name
    assert (line["Low_Cells"], line["Too_Few_Cells"]) == (1, 0)
    assert line["High_Cells"] + line["Moderate_Cells"] == 1


def test_the_p_value_of_a_level_is_that_of_the_mean_of_its_cells(study: Study) -> None:
    study.options([("level", "option"), (0, "x"), (0, "y")])
    rows: list[tuple[object, ...]] = [("Sheet", "level", "choice", "count")]
    for sheet in ("s1", "s2"):
        rows += [(sheet, 0, "x", 7), (sheet, 0, "y", 1)]
    study.model(rows)
    assert study.score().code == 0
    line = next(
        each for each in _page(study.workbook(), "Summary") if (each["Sheet"], each["Level"]) == ("All sheets", "0")
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
    assert _page(study.workbook(), "Summary")[0]["Too_Few_Cells"] == 1
    target = write_csv(study.root / "t.csv", [("level", "option", "share", "question"), (0, "x", 1, "elsewhere")])
    assert study.score("--target", target).code == 0
    assert study.cell()["Verdict"] == "not tested"
    assert _page(study.workbook(), "Summary")[0]["Too_Few_Cells"] == 0


def test_many_options_leave_a_rest_and_equal_models_share_their_rank(study: Study) -> None:
    choices = [f"o{place}" for place in range(10) for _ in range(10 - place)]
    study.model(roots(choices), "m")
    study.model(roots(choices), "n")
    assert study.score(table="").code == 0
    (line,) = _page(study.workbook(), "Distribution")
    assert line["1st_Choice"] == "o0"
    assert line["Others"] == pytest.approx((3 + 2 + 1) / 55)
    ranks = [each["Rank"] for each in _page(study.res / "mode_collapse_results.xlsx", "Models")]
    assert ranks == [1, 1]


def test_an_interval_is_that_of_resamples_less_what_resampling_adds(study: Study) -> None:
    counts = [12, 9, 6, 5]
    study.model([COUNTED, *((0, "", f"o{place}", count) for place, count in enumerate(counts))])
    assert study.score(table="").code == 0
    draws = np.random.default_rng(5).multinomial(32, np.array(counts) / 32, size=20_000)
    ginis = np.array([gini(row) for row in draws.tolist()])
    low, high = np.quantile(ginis, [0.025, 0.975]) - (ginis.mean() - gini(counts))
    cell = study.cell()
    assert float(cell["CI_Low"]) == pytest.approx(max(0, low), abs=0.02)
    assert float(cell["CI_High"]) == pytest.approx(high, abs=0.02)


def test_a_larger_gini_needs_fewer_samples() -> None:
    needed = [samples_needed(5, value, powers=(0.9,))[0] or math.inf for value in (0.2, 0.3, 0.5)]
    assert all(more > less for more, less in pairwise(needed))

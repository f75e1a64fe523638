"""What is in the reports of `disagree`, and are the numbers those that a person would work out?"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Mapping, Sequence
from itertools import combinations

import pytest

from tests.helpers.disagree import FULL, LONG, PAGES, SPREAD, Row, Scores, Study, alike, cv, far, read, robust, spread
from tests.helpers.files import digests, header, sheet_names, sheet_rows, sheet_text, write_book
from tests.helpers.json_values import leaves, nested, refuse
from tests.helpers.runs import called_in

RESULTS = "disagreement_results.xlsx"
RESULTS_COLUMNS = [
    *("Model Name", "Alpha", "CI_Low", "CI_High", "CI_Note", "Verdict", "Consensus", "Reliability", "ICC_2_1"),
    *("ICC_2_k", "Items", "Judges", "Flagged", "High", "Odd_Judge", "Odd_Why"),
    *("Alpha_Items", "Alpha_Sheets", "Consensus_Items", "ICC_Items", "Rank", "Shared", "On_Shared"),
    *("Rows", "Scored", "Coverage", "Status"),
]
ITEM_COLUMNS = [
    *("Item", "Judges", "Mean", "Variance", "Std_Dev", "Spread_Rank", "CV", "Min", "Max", "Consensus", "Reliability"),
    *("Outliers", "Robust_Outliers", "Flags", "Severity", "Recommended"),
]
# The first three are those that the definitions work out; d is odd, and e is missing once.
VECTORS: dict[str, Scores] = {
    "even": {"a": 0.6, "b": 0.8, "c": 0.7, "d": 0.9, "e": 0.75},
    "odd": {"a": 0.8, "b": 0.85, "c": 0.82, "d": 0.1, "e": 0.83},
    "four": {"a": 0.7, "b": 0.8, "c": 0.75, "d": 0.85},
    "low": {"a": 0.1, "b": 0.2, "c": 0.15, "d": 0.95, "e": 0.1},
    "edge": {"a": 0.3, "b": 0.29, "c": 0.35, "d": 0.3, "e": 0.31},
}
KNOWN: dict[str, dict[str, float]] = {
    "even": {"CV": 0.149071, "Consensus": 0.701858, "Reliability": 0.657992},
    "odd": {"CV": 0.477545, "Consensus": 0.04491, "Reliability": 0.021231},
    "four": {"CV": 0.08329, "Consensus": 0.83342, "Reliability": 0.916057},
}
JUDGES = ("a", "b", "c", "d", "e")


# --- the same numbers, worked out again in plain Python ---------------------------------------------------------------


def alpha(units: Sequence[Sequence[float]]) -> float | None:
    """Krippendorff's alpha at the interval level."""

    def unlike(values: Sequence[float]) -> float:
        return math.fsum((v - w) ** 2 for v in values for w in values)

    kept = [unit for unit in units if len(unit) > 1]
    pool = [value for unit in kept for value in unit]
    if len(set(pool)) < 2:
        return None
    observed = math.fsum(unlike(unit) / (len(unit) - 1) for unit in kept) / len(pool)
    return 1 - observed / (unlike(pool) / len(pool) / (len(pool) - 1))


def icc(table: Sequence[Sequence[float]]) -> tuple[float, float]:
    """ICC(2,1) and ICC(2,k) of a table without gaps, items by judges, from its analysis of variance."""
    n, k = len(table), len(table[0])
    grand = statistics.fmean(value for row in table for value in row)
    rows = [statistics.fmean(row) for row in table]
    columns = [statistics.fmean(column) for column in zip(*table, strict=True)]
    between = k * sum((row - grand) ** 2 for row in rows) / (n - 1)
    judges = n * sum((column - grand) ** 2 for column in columns) / (k - 1)
    rest = sum((table[i][j] - rows[i] - columns[j] + grand) ** 2 for i in range(n) for j in range(k))
    error = rest / (n - 1) / (k - 1)
    single = (between - error) / (between + (k - 1) * error + k * (judges - error) / n)
    return single, (between - error) / (between + (judges - error) / n)


def flags(scores: Scores, consensus: float = 0.7, dimension: float = 0.3) -> list[str]:
    """The flags of an item of one dimension called score."""
    values, found = list(scores.values()), []
    if (spread(values)["Consensus"] or 0) < consensus:
        found.append("high_ensemble_disagreement")
    if cv(values) > dimension:
        found.append("dimension_disagreement: score")
    if odd := sorted({*far(scores), *robust(scores)}):
        found.append(f"strategy_outliers: {', '.join(odd)}")
    return found


def without(judge: str) -> list[list[float]]:
    """The scores of all other judges."""
    return [[s for name, s in scores.items() if name != judge] for scores in VECTORS.values()]


ALL = [list(scores.values()) for scores in VECTORS.values()]


# --- a panel of five judges, scored once ------------------------------------------------------------------------------


def vectors(study: Study) -> None:
    """The vectors above, a judge each row."""
    study.panel([LONG, *((item, judge, s) for item, scores in VECTORS.items() for judge, s in scores.items())])


@pytest.fixture(scope="module")
def five(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """The vectors (m), and beside them a panel of two sheets and two dimensions (n)."""
    root = tmp_path_factory.mktemp("five")
    study = Study(root, called_in(root))
    vectors(study)
    first: list[Row] = [("q1", "a", "x", 0.9), ("q1", "b", "x", 0.8), ("q1", "a", "y", 0.2), ("q1", "b", "y", 0.8)]
    second: list[Row] = [("q1", "a", "x", 0.5), ("q2", "a", "x", 0.1), ("q2", "b", "x", 0.8)]
    write_book(study.outs / "n.xlsx", {"s1": [FULL, *first], "s2": [FULL, *second]})
    ended = study.score()
    assert ended.code == 0, ended.err
    return study


# --- files, columns and pages -----------------------------------------------------------------------------------------


def test_a_run_writes_these_files_and_no_others(five: Study) -> None:
    names = {path.name for path in five.res.iterdir() if path.is_file()} - {".scoresheet.lock"}
    reports = {f"{model}_disagreement.{kind}" for model in "mn" for kind in ("csv", "xlsx")}
    of_run = {"disagreement_results.csv", "comparisons.csv", RESULTS, "problems.csv", "metrics.json"}
    assert names == reports | of_run | {"manifest.json"}


def test_the_tables_have_these_columns_in_this_order(five: Study) -> None:
    assert header(five.res / "disagreement_results.csv") == RESULTS_COLUMNS
    assert sorted(map(str, sheet_rows(five.res / RESULTS, "Summary")[0])) == sorted(RESULTS_COLUMNS)
    for model, dimensions in (("m", ("score",)), ("n", ("x", "y"))):
        head = header(five.res / f"{model}_disagreement.csv")
        own = [f"{measure}_{name}" for measure in ("Disagreement", "Mean") for name in dimensions]
        assert head[: len(ITEM_COLUMNS) + len(own) + 1] == ["Sheet", *ITEM_COLUMNS, *own]
        judges = dict.fromkeys(str(row["Judge"]) for row in five.page("Judges", model))
        assert head[len(ITEM_COLUMNS) + len(own) + 1 :] == [f"Score_{judge}" for judge in judges]


@pytest.mark.parametrize("page", PAGES)
def test_the_pages_of_a_panel_have_these_columns_in_this_order(five: Study, page: str) -> None:
    assert sheet_rows(five.workbook(), page)[0] == PAGES[page]


def test_the_workbook_of_a_panel_has_its_sheets_between_the_summary_and_what_explains_them(five: Study) -> None:
    last = ["Dimensions", "Judges", "Pairs", "Flags", "Problems", "About"]
    assert sheet_names(five.workbook("m")) == ["Summary", "Sheet1", *last]
    assert sheet_names(five.workbook("n")) == ["Summary", "s1", "s2", *last]


def test_a_page_of_a_sheet_shows_its_items_of_the_table(five: Study) -> None:
    for model, sheet in (("m", "Sheet1"), ("n", "s1"), ("n", "s2")):
        lines = [line for line in five.items(model) if line["Sheet"] == sheet]
        page = five.page(sheet, model)
        assert [row["Item"] for row in page] == [line["Item"] for line in lines]
        for line, row in zip(lines, page, strict=True):
            for name, value in row.items():
                if name.startswith("Score_"):
                    continue  # the judges' own scores are on the page alone
                if isinstance(value, int | float):
                    assert value == pytest.approx(float(line[name]), rel=1e-12), name
                else:
                    assert (value or "") == line[name], name


# --- items ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("item", VECTORS)
def test_an_item_has_its_spread_outliers_flags_and_severity(five: Study, item: str) -> None:
    line, scores = five.item(item), VECTORS[item]
    assert line["Judges"] == str(len(scores))
    assert alike(read(line), spread(list(scores.values())))
    assert line["Outliers"] == ("cannot fire" if len(scores) < 5 else "; ".join(far(scores)))
    assert line["Robust_Outliers"] == "; ".join(robust(scores))
    assert line["Flags"] == "; ".join(flags(scores))
    # of five items two are as far apart as each other, so that neither is rare
    assert line["Severity"] == ("medium" if flags(scores) else "")


@pytest.mark.parametrize("item", KNOWN)
def test_the_examples_of_the_definitions_come_out(five: Study, item: str) -> None:
    assert {name: five.value(name, item) for name in KNOWN[item]} == pytest.approx(KNOWN[item], abs=1e-6)


def test_the_fourth_judge_of_the_second_example_is_the_outlier_by_both_rules(five: Study) -> None:
    line = five.item("odd")
    assert (line["Outliers"], line["Robust_Outliers"], line["Recommended"]) == ("d", "d", "a; b; c; e")


@pytest.mark.parametrize("item", VECTORS)
def test_recommended_judges_are_no_outliers_and_neither_low_nor_high_ends_included(five: Study, item: str) -> None:
    scores = VECTORS[item]
    odd = {*robust(scores), *(far(scores) if len(scores) > 4 else [])}
    wanted = [judge for judge, s in scores.items() if judge not in odd and 0.3 <= s <= 0.9]
    assert five.item(item)["Recommended"] == "; ".join(wanted)


def test_a_dimension_may_be_flagged_though_the_overall_scores_agree(five: Study) -> None:
    line = five.item("q1", sheet="s1", model="n")
    assert alike(read(line), spread([0.55, 0.8]))
    assert float(line["Disagreement_y"]) == pytest.approx(cv([0.2, 0.8]))
    assert line["Flags"].split("; ") == ["high_ensemble_disagreement", "dimension_disagreement: y"]
    assert line["Severity"] == "medium"
    assert five.item("q2", sheet="s2", model="n")["Severity"] == "medium"  # alone: nothing says what is rare here


# --- the panel --------------------------------------------------------------------------------------------------------


def test_alpha_is_krippendorffs_of_the_overall_scores_with_an_interval_around_it(five: Study) -> None:
    line = five.results()["m"]
    assert float(line["Alpha"]) == pytest.approx(alpha(ALL))
    assert float(line["CI_Low"]) <= float(line["Alpha"]) <= float(line["CI_High"]) <= 1
    assert line["Verdict"] == "unreliable to reliable"  # five items say little


def test_icc_is_that_of_the_items_that_every_judge_scored(five: Study) -> None:
    single, mean = icc([list(scores.values()) for scores in VECTORS.values() if len(scores) == 5])
    line = five.results()["m"]
    assert (float(line["ICC_2_1"]), float(line["ICC_2_k"])) == pytest.approx((single, mean))
    (overall,) = (row for row in five.page("Dimensions") if row["Dimension"] == "Overall")
    assert (overall["ICC_2_1"], overall["ICC_2_k"]) == pytest.approx((single, mean))
    assert overall["ICC_Items"] == 4


def test_the_line_of_a_panel_has_the_means_and_counts_of_its_items(five: Study) -> None:
    line = five.results()["m"]
    for measure in ("Consensus", "Reliability"):
        wanted = statistics.fmean(spread(unit)[measure] or 0 for unit in ALL)
        assert float(line[measure]) == pytest.approx(wanted)
    counts = {name: line[name] for name in ("Items", "Judges", "Flagged", "High", "Rows", "Scored", "Status")}
    assert counts == {
        "Items": "5",
        "Judges": "5",
        "Flagged": str(sum(bool(flags(scores)) for scores in VECTORS.values())),
        "High": "0",
        "Rows": "24",
        "Scored": "24",
        "Status": "ok",
    }
    assert float(line["Coverage"]) == 1


VERDICTS: dict[str, list[tuple[float, float]]] = {
    "reliable": [(place / 50, place / 50 + 0.01 * (place % 3)) for place in range(40)],
    "unreliable": [(place / 50, 1 - place / 50) for place in range(40)],
    "too few items": [(0.1, 0.1), (0.9, 0.9)],
    "": [(0.5, 0.5), (0.5, 0.5)],
}


def test_the_verdict_goes_by_the_interval_and_there_is_none_where_all_scores_are_equal(study: Study) -> None:
    for verdict, pairs in VERDICTS.items():
        study.panel([("item", "a", "b"), *((f"q{i}", *pair) for i, pair in enumerate(pairs))], verdict or "none")
    assert study.score().code == 0
    for verdict, pairs in VERDICTS.items():
        line, wanted = study.results()[verdict or "none"], alpha(pairs)
        if wanted is None:
            assert (line["Alpha"], line["CI_Low"], line["CI_High"], line["Verdict"]) == ("", "", "", "")
        else:
            assert float(line["Alpha"]) == pytest.approx(wanted)
            assert line["Verdict"] == verdict
            assert bool(line["CI_Low"]) == (line["CI_Note"] == "") == (verdict != "too few items")


def test_five_items_accuse_nobody_and_as_many_again_show_who_is_odd(five: Study, study: Study) -> None:
    rises = {judge: (alpha(without(judge)) or 0) - (alpha(ALL) or 0) for judge in JUDGES}
    assert max(rises, key=lambda judge: rises[judge]) == "d"
    sheet, overall = five.page("Summary")
    assert (sheet["Sheet"], overall["Sheet"]) == ("Sheet1", "Overall")
    assert (sheet["Odd_Judge"], sheet["Odd_Influence"]) == (None, None)
    twice = [(f"{item} {turn}", judge, s) for turn in (1, 2) for item, of in VECTORS.items() for judge, s in of.items()]
    study.panel([LONG, *twice])
    assert study.score().code == 0
    sheet, _ = study.page("Summary")
    rise = (alpha(without("d") * 2) or 0) - (alpha(ALL * 2) or 0)
    assert (sheet["Odd_Judge"], sheet["Odd_Influence"]) == ("d", pytest.approx(rise))


def test_the_page_of_judges_has_bias_and_influence_of_each(five: Study) -> None:
    lines = {str(row["Judge"]): row for row in five.page("Judges") if row["Dimension"] == "Overall"}
    assert sorted(lines) == list(JUDGES)
    for judge, line in lines.items():
        shared = [scores for scores in VECTORS.values() if judge in scores]
        assert line["Items"] == len(shared)
        assert line["Mean"] == pytest.approx(statistics.fmean(scores[judge] for scores in shared))
        bias = statistics.fmean(
            scores[judge] - statistics.fmean(s for name, s in scores.items() if name != judge) for scores in shared
        )
        assert line["Bias"] == pytest.approx(bias)
        assert line["Alpha_Without"] == pytest.approx(alpha(without(judge)))
        assert line["Influence"] == pytest.approx((alpha(without(judge)) or 0) - (alpha(ALL) or 0))
        odd = [s for s in VECTORS.values() if judge in robust(s) or (len(s) > 4 and judge in far(s))]
        assert line["Outlier_Items"] == len(odd)
        for other in JUDGES:
            if other != judge:
                assert line[other] == pytest.approx(correlation(judge, other))


def shared_scores(one: str, other: str) -> tuple[list[float], list[float]]:
    """What two judges gave the items that both scored."""
    both = [(scores[one], scores[other]) for scores in VECTORS.values() if one in scores and other in scores]
    return [pair[0] for pair in both], [pair[1] for pair in both]


def correlation(one: str, other: str) -> float:
    """Pearson's correlation over the items that both scored."""
    return statistics.correlation(*shared_scores(one, other))


def test_the_page_of_pairs_has_every_two_judges(five: Study) -> None:
    lines = [row for row in five.page("Pairs") if row["Dimension"] == "Overall"]
    assert [(row["Judge"], row["Other_Judge"]) for row in lines] == list(combinations(JUDGES, 2))
    for line in lines:
        one, other = shared_scores(str(line["Judge"]), str(line["Other_Judge"]))
        assert line["Items"] == len(one)
        assert line["Correlation"] == pytest.approx(statistics.correlation(one, other))
        assert line["Mean_Difference"] == pytest.approx(statistics.fmean(one) - statistics.fmean(other))
        assert line["Agreement"] == pytest.approx(statistics.fmean(x == y for x, y in zip(one, other, strict=True)))


def test_the_page_of_dimensions_has_each_of_each_sheet_and_all_together(five: Study) -> None:
    lines = {(row["Sheet"], row["Dimension"]): row for row in five.page("Dimensions", "n")}
    assert set(lines) == {("s1", "x"), ("s1", "y"), ("s1", "Overall"), ("s2", "x"), ("s2", "Overall")}
    y, x = lines["s1", "y"], lines["s2", "x"]
    assert (y["Items"], y["Ratings"], x["Items"], x["Ratings"]) == (1, 2, 2, 3)
    assert [y["Mean"], y["Disagreement"]] == pytest.approx([0.5, cv([0.2, 0.8])])
    assert [x["Mean"], x["Disagreement"]] == pytest.approx([statistics.fmean([0.5, 0.1, 0.8]), cv([0.1, 0.8])])
    (line,) = (row for row in five.page("Dimensions") if row["Dimension"] == "score")
    assert line["Alpha"] == line["Alpha_Interval"] == pytest.approx(alpha(ALL))


# --- flags ------------------------------------------------------------------------------------------------------------


def told(row: Mapping[str, object]) -> str:
    """A line of the page of flags as an item's line has it."""
    name, details = str(row["Flag"]), [str(row[key]) for key in ("Dimension", "Judges") if row[key]]
    return ": ".join([name, *details])


def test_the_page_of_flags_has_every_flag_of_every_item_the_high_ones_first(five: Study) -> None:
    for model in "mn":
        rows = five.page("Flags", model)
        seen = sorted((str(row["Sheet"]), str(row["Item"]), told(row)) for row in rows)
        lines = five.items(model)
        assert seen == sorted(
            (line["Sheet"], line["Item"], flag) for line in lines for flag in line["Flags"].split("; ") if flag
        )
        severities = [str(row["Severity"]) for row in rows]
        assert severities == sorted(severities)  # high, then medium
        assert all(row["What"] for row in rows)
        spreads = [float(str(row["Std_Dev"])) for row in rows if row["Std_Dev"] is not None]
        assert spreads == sorted(spreads, reverse=True)


def test_what_is_rare_for_a_panel_is_high_and_the_farthest_apart_comes_first(study: Study) -> None:
    calm = [(f"q{place}", *(min(5, 1 + (place + turn // 2) % 5) for turn in (0, 0, 1))) for place in range(30)]
    study.panel([("item", "a", "b", "c"), ("low", 2, 1, 1), ("quarrel", 1, 3, 5), *calm])
    assert study.score("--scale", "1:5").code == 0
    rows = study.page("Flags")
    assert (rows[0]["Item"], rows[0]["Severity"]) == ("quarrel", "high")
    assert (rows[0]["Scores"], study.item("low")["Severity"]) == ("a 1, b 3, c 5", "medium")
    assert study.value("Consensus", "low") == 0 == study.value("Consensus", "quarrel")  # by which nobody could tell
    assert (study.value("Spread_Rank", "quarrel"), study.results()["m"]["High"]) == (1, "1")


def test_a_flag_has_the_value_that_crossed_its_threshold(five: Study) -> None:
    rows = {(row["Item"], row["Flag"]): row for row in five.page("Flags")}
    consensus = rows["odd", "high_ensemble_disagreement"]
    assert (consensus["Severity"], consensus["Threshold"]) == ("medium", 0.3)
    assert consensus["Value"] == pytest.approx(spread(list(VECTORS["odd"].values()))["Consensus"])
    dimension = rows["low", "dimension_disagreement"]
    assert (dimension["Severity"], dimension["Dimension"], dimension["Threshold"]) == ("medium", "score", 0.3)
    assert dimension["Value"] == pytest.approx(cv(list(VECTORS["low"].values())))
    assert (rows["odd", "strategy_outliers"]["Severity"], rows["odd", "strategy_outliers"]["Judges"]) == ("medium", "d")


def test_thresholds_change_flags_and_no_other_number(five: Study, study: Study) -> None:
    vectors(study)
    thresholds = ("--consensus-threshold", "0.71", "--high-threshold", "0.04", "--dimension-threshold", "0.5")
    rules = ("--outlier-threshold", "1.8", "--robust-threshold", "100", "--recommend", "0.7:0.8")
    assert study.score(*thresholds, *rules).code == 0
    for item, scores in VECTORS.items():
        line, values = study.item(item), list(scores.values())
        assert {name: line[name] for name in SPREAD} == {name: five.item(item)[name] for name in SPREAD}
        consensus = spread(values)["Consensus"] or 0
        wanted = ["high_ensemble_disagreement"] if consensus < 0.71 else []
        wanted += ["dimension_disagreement: score"] if cv(values) > 0.5 else []
        assert line["Outliers"] == "cannot fire"  # 4 / √5 is less than 1.8
        assert line["Robust_Outliers"] == ""
        assert line["Flags"] == "; ".join(wanted)
        assert line["Severity"] == ("medium" if wanted else "")
        assert line["Recommended"] == "; ".join(judge for judge, s in scores.items() if 0.7 <= s <= 0.8)
    assert study.item("odd")["Severity"] == "medium"
    assert study.results()["m"]["Alpha"] == five.results()["m"]["Alpha"]


def test_the_rule_of_the_mean_may_fire_for_four_judges_at_a_lower_threshold(study: Study) -> None:
    vectors(study)
    assert study.score("--outlier-threshold", "1.1", "--mad-floor", "0.5").code == 0
    for item, scores in VECTORS.items():
        assert study.item(item)["Outliers"] == "; ".join(far(scores, 1.1))
        assert study.item(item)["Robust_Outliers"] == "; ".join(robust(scores, floor=0.5))
    assert study.item("four")["Outliers"] == "a; d"


@pytest.mark.parametrize(
    "words",
    [
        ("--outlier-threshold", "-1"),
        ("--robust-threshold", "nan"),
        ("--consensus-threshold", "much"),
        ("--recommend", "0.9:0.3"),
        ("--level", "cardinal"),
        ("--out-of-scale", "drop"),
    ],
)
def test_an_option_that_cannot_be_meant_is_a_usage_error_that_names_it(study: Study, words: tuple[str, str]) -> None:
    vectors(study)
    ended = study.score(*words)
    assert ended.code == 2
    assert words[0] in ended.err
    assert not study.res.exists()


# --- for machines -----------------------------------------------------------------------------------------------------


def test_metrics_json_holds_the_numbers_of_the_table_and_those_of_sheets_and_dimensions(five: Study) -> None:
    metrics = json.loads((five.res / "metrics.json").read_text("utf-8"), parse_constant=refuse)
    assert set(metrics) == set("mn")
    assert {type(value) for value in leaves(nested(metrics))} <= {int, float, str, type(None)}
    words = ("CI_Note", "Verdict", "Odd_Judge", "Odd_Why")
    compared = ("Rank", "Shared", "On_Shared")
    names = [name for name in RESULTS_COLUMNS if name not in ("Model Name", *words, *compared, "Status")]
    for model, line in five.results().items():
        assert {name: metrics[model][name] for name in names} == read(line, names)
        assert {name: metrics[model][name] for name in words} == {name: line[name] for name in words}
    sheets = metrics["n"]["Sheets"]
    assert set(sheets) == {"s1", "s2"}
    assert sheets["s1"]["Consensus"] == pytest.approx(spread([0.55, 0.8])["Consensus"])
    assert sheets["s2"]["By_Dimension"]["x"]["Mean"] == pytest.approx(statistics.fmean([0.5, 0.1, 0.8]))


def test_with_json_stdout_is_json_with_the_numbers_of_the_results_table(study: Study) -> None:
    study.panel([LONG, ("q1", "a", 0.5), ("q1", "b", 0.6), ("q1", "c", "")])
    ended = study.score("--json", "--strict")
    assert ended.code == 3  # a row that is not scored is a problem
    answer = json.loads(ended.out, parse_constant=refuse)
    (line,) = answer["models"]
    names = ("Alpha", "Consensus", "Reliability", "Items", "Coverage")
    assert {name: line[name] for name in names} == read(study.results()["m"], names)
    assert line["Consensus"] == pytest.approx(spread([0.5, 0.6])["Consensus"])
    assert [problem["kind"] for problem in answer["problems"]] == ["blank-score", "no-interval"]


def test_notes_are_no_problem_to_strict(study: Study) -> None:
    study.panel([("item", "judge", "x", "why"), ("q1", "a", 0, "so"), ("q1", "b", 0, "")])
    assert study.score("--strict").code == 0
    assert {p["effect"] for p in study.problems()} == {"note"}
    assert {p["kind"] for p in study.problems()} == {"zero-mean", "other-columns", "no-alpha"}


def test_a_dry_run_writes_nothing_and_returns_what_the_run_would(study: Study) -> None:
    vectors(study)
    study.panel([LONG, ("q1", "a", 7)], "off")
    ended = study.score("--dry-run")
    assert ended.code == 3
    assert "off.csv" in ended.err
    assert "24" in ended.out
    assert not study.res.exists()


def test_a_limit_reads_the_first_rows_of_each_sheet(study: Study) -> None:
    vectors(study)
    assert study.score("--limit", "7", "--quiet").code == 0
    assert alike(read(study.item("even")), spread(list(VECTORS["even"].values())))
    assert alike(read(study.item("odd")), spread([0.8, 0.85]))
    assert study.results()["m"]["Rows"] == "7"


def test_the_table_of_results_is_on_stdout(study: Study) -> None:
    vectors(study)
    ended = study.score()
    assert "Alpha" in ended.out
    assert f"{alpha(ALL):.3f}" in ended.out


def signature(study: Study) -> str:
    """How the manifest says the numbers were made."""
    return str(json.loads((study.res / "manifest.json").read_text("utf-8"))["signature"])


def test_the_signature_names_scale_level_and_what_was_changed(five: Study, study: Study) -> None:
    assert signature(five).startswith("disagree|scale:0:1|level:interval|v:")
    study.panel([LONG, ("q1", "a", 5), ("q1", "b", 60), ("q1", "c", 170)])
    options = ("--scale", "0:100", "--level", "ordinal", "--out-of-scale", "clip", "--mad-floor", "0.1", "--seed", "7")
    assert study.score(*options).code == 0
    parts = signature(study).split("|")
    assert {"scale:0:100", "level:ordinal", "seed:7"} <= set(parts)
    assert any("clip" in part for part in parts)
    assert any("0.1" in part for part in parts[:-1])
    assert signature(study) in sheet_text(study.workbook(), "About")
    for panel, scale in ((study, "0 to 100"), (five, "0 to 1")):
        about = {str(row[0]): str(row[1]) for row in sheet_rows(panel.workbook(), "About")}
        assert about["Scale"].startswith(scale)


def test_a_second_run_gives_the_same_bytes_and_the_default_seed_is_0(five: Study) -> None:
    ended = five.score("-j", "2", "--seed", "0", res="again")
    assert ended.code == 0
    first = digests(five.res)
    assert len(first) == 11
    assert digests(five.root / "again") == first


def test_a_seed_changes_the_interval_and_nothing_else(five: Study, study: Study) -> None:
    vectors(study)
    assert study.score("--seed", "1").code == 0
    drawn = ("CI_Low", "CI_High")
    alone = ("Rank", "Shared", "On_Shared")  # the other run has one panel, and nothing to compare it with
    first, second = five.results()["m"], study.results()["m"]
    assert [first[name] for name in drawn] != [second[name] for name in drawn]
    assert [float(first[name]) for name in drawn] == pytest.approx([float(second[name]) for name in drawn], abs=0.15)
    kept = [name for name in first if name not in (*drawn, *alone)]
    assert [first[name] for name in kept] == [second[name] for name in kept]
    assert five.items() == study.items()

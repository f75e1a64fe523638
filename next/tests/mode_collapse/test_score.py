"""Cells, their options and their measures, from tidy tables."""

import math
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from scoresheet.metrics.family import Scores
from scoresheet.metrics.mode_collapse import ModeCollapseOptions
from scoresheet.metrics.mode_collapse.cells import survey
from scoresheet.metrics.mode_collapse.family import FAMILY
from scoresheet.metrics.mode_collapse.measures import compare
from scoresheet.metrics.mode_collapse.score import explain
from scoresheet.metrics.summary import summarize

NUMBERS = ("level", "count", "share")


def table(text: str) -> pd.DataFrame:
    """Return a tidy table: header, then rows separated by `;`, `_` an empty cell, `~` a blank."""
    header, *rows = (line.split() for line in text.split(";"))
    cells = [["" if cell == "_" else cell.replace("~", " ") for cell in row] for row in rows]
    frame = pd.DataFrame(cells, columns=header, dtype=object)
    for name in (name for name in NUMBERS if name in frame):
        frame[name] = [float(cell) if cell else math.nan for cell in frame[name]]
    if "aliases" in frame:
        frame["aliases"] = frame["aliases"].str.split("|", regex=False)
    frame["row"] = range(2, len(frame) + 2)
    for name, cell in {"file": "f.csv", "worksheet": "", "sheet": "f"}.items():
        frame[name] = frame.get(name, cell)
    return frame


def scored(outputs: str, *, model: str = "m", **given: Any) -> Scores:
    """Score a table; further tables are texts, options of the family their values."""
    tables = {name: table(given.pop(name)) for name in ("target",) if name in given}
    if "declared" in given:
        tables["options"] = table(given.pop("declared"))
    rows = table(outputs).assign(model=model)
    others = [table(text).assign(model=str(i)) for i, text in enumerate(given.pop("others", []))]
    tables["survey"] = pd.concat([survey(each) for each in (rows, *others)])
    result: Scores = FAMILY.score(tables | {"outputs": rows}, ModeCollapseOptions(**given))
    return result


def counted(*counts: int) -> str:
    return "choice count; " + "; ".join(f"o{i} {count}" for i, count in enumerate(counts))


def sheets(*cells: tuple[int, ...]) -> Scores:
    """Score a model with a sheet for each tuple of counts."""
    rows = (f"s{i} o{j} {n}" for i, cell in enumerate(cells) for j, n in enumerate(cell))
    return scored("sheet choice count; " + "; ".join(rows), options=listed(len(cells[0])))


def listed(size: int) -> str:
    return ",".join(f"o{i}" for i in range(size))


@pytest.mark.parametrize(
    ("counts", "gini", "bits", "normalized", "bands"),
    [
        ((32, 0, 0, 0, 0), 0.8, 0, 0, "high high yes"),
        ((16, 16, 0, 0, 0), 0.6, 1, 0.430677, "high moderate no"),
        ((20, 8, 4, 0, 0), 0.6, 1.298795, 0.559361, "high moderate no"),
        ((20, 8, 4), 0.333333, 1.298795, 0.819448, "moderate low no"),
        ((16, 10, 3, 2, 1), 0.475, 1.750807, 0.754032, "moderate low no"),
        ((7, 7, 6, 6, 6), 0.0375, 2.317741, 0.998197, "low low yes"),
        ((5, 3, 1, 1, 0), 0.48, 1.685475, 0.7259, "moderate low no"),  # A of the source document
        ((5, 2, 1, 1, 1), 0.36, 1.960964, 0.8445, "moderate low no"),  # B, corrected: .40 and .82
    ],
)
def test_a_cell_has_the_defined_measures_and_bands(
    counts: tuple[int, ...], gini: float, bits: float, normalized: float, bands: str
) -> None:
    (cell,) = scored(counted(*counts), options=listed(len(counts))).units.to_dict("records")
    assert cell["Gini"] == pytest.approx(gini, abs=1e-6)
    assert cell["Entropy"] == pytest.approx(bits, abs=1e-6)
    assert cell["Normalized_Entropy"] == pytest.approx(normalized, abs=1e-4)
    assert [cell["Gini_Band"], cell["Entropy_Band"], cell["Bands_Agree"]] == bands.split()
    n, size, share = sum(counts), len(counts), max(counts) / sum(counts)
    draws = [option for option, count in enumerate(counts) for _ in range(count)]
    repeats = np.mean([a == b for a, b in combinations(draws, 2)])
    expected = {
        "Gini": sum(abs(a - b) for a, b in product(counts, counts)) / (2 * size * n),
        "Gini_Max": 1 - 1 / size,
        "Entropy": stats.entropy(counts, base=2),
        "Top_Share": share,
        "Top_Share_SE": math.sqrt(share * (1 - share) / n),
        "Width": np.count_nonzero(counts) / size,
        "Repeat_Share": repeats,
        "Effective_Options": min(size, 1 / repeats),
        "N": n,
    }
    assert {name: cell[name] for name in expected} == pytest.approx(expected, abs=1e-12)
    assert cell["Top_Choice"] == "o0"


@pytest.mark.parametrize("counts", [(20, 8, 4), (12, 10, 10), (9, 5, 2, 0), (3, 3), (9, 2)])
def test_the_test_against_even_is_pearsons(counts: tuple[int, ...]) -> None:
    n, size = sum(counts), len(counts)
    even = stats.multinomial(n, [1 / size] * size)
    tables = [c for c in product(range(n + 1), repeat=size) if sum(c) == n]
    observed = sum(count**2 for count in counts)
    exact = sum(even.pmf(c) for c in tables if sum(count**2 for count in c) >= observed)
    result = scored(counted(*counts), options=listed(size)).results
    assert result["P_Value"] == pytest.approx(exact, abs=0.015)
    assert (result["Finding"] == "uneven") == (result["P_Value"] < 0.05)


def test_p_is_corrected_over_the_cells_of_the_model() -> None:
    alone = sheets((20, 8, 4)).results["P_Value"]
    several = sheets(*[(20, 8, 4)] * 4).units["P_Value"]
    assert several.tolist() == pytest.approx([4 * alone] * 4)


SHARES = "option share; o0 0.8; o1 0.1; o2 0.1"


@pytest.mark.parametrize(
    ("counts", "given", "finding"),
    [
        ((26, 3, 3), {"target": SHARES}, "not distinguishable from the target"),
        ((26, 3, 3), {"declared": SHARES}, "not distinguishable from the target"),
        ((11, 11, 10), {"target": SHARES}, "uneven"),
        (
            *((9, 9, 9), {"declared": SHARES, "target": "option share; o0 1; o1 1; o2 1"}),
            "not distinguishable from even",
        ),
        ((26, 3, 3), {"target": "level option share; 0 o1 0; 0 o2 0"}, ""),
    ],
)
def test_a_target_takes_the_place_of_equal_shares(
    counts: tuple[int, ...], given: dict[str, str], finding: str
) -> None:
    listing = {} if "declared" in given else {"options": listed(3)}
    scores = scored(counted(*counts), **given, **listing)
    assert scores.results["Finding"] == finding
    assert math.isnan(scores.results["P_Value"]) == (finding == "")


TREE = """level parent option aliases; 0 _ tea chai; 0 _ milk _; 1 tea green _; 1 tea black _;
1 milk hot _; 1 milk cold _"""


def test_cells_are_level_and_parent_path_however_the_parent_is_written() -> None:
    rows = "level parent choice; 0 _ tea; 0 root Chai; 0 _ milk; 1 tea green; 1 root/tea green"
    rows += "; 1 CHAI black; 1 milk hot; _ tea black; _ _ tea"
    units = scored(rows, declared=TREE).units.set_index("Cell")
    assert units["N"].to_dict() == {"root": 4, "1/milk": 1, "1/tea": 4}
    assert units.loc["1/tea", "Counts"] == '{"green": 2, "black": 2}'
    rows = "level parent choice; 2 a~→~c e; 2 a/c f; 2 root/a/c f; 2 b/c e"
    deep = scored(rows, declared="level parent option; 0 _ a; 0 _ b; 1 _ c; 1 _ d; 2 _ e; 2 _ f")
    assert deep.units.set_index("Parent")["N"].to_dict() == {"a → c": 3, "b → c": 1}


def test_levels_are_averaged_plainly_and_by_how_often_the_parent_was_chosen() -> None:
    rows = "level parent choice count; 0 _ tea 3; 0 _ milk 1; 1 tea green 4; 1 tea black 0"
    result = scored(rows + "; 1 milk hot 2; 1 milk cold 2", declared=TREE).results
    expected = {"Gini": 0.25, "Level_1_Gini": (0.5 + 0) / 2, "All_Levels_Gini": 0.25}
    expected |= {"Level_1_Gini_Weighted": 0.75 * 0.5 + 0.25 * 0}
    assert {name: result[name] for name in expected} == pytest.approx(expected)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("0 _ incomplete", "marked incomplete or empty"),
        ("0 _ water", "not one of the options"),
        ("0 _ tea~or~milk", "two of the options"),
        ("1 water hot", "no options are declared for this level and parent"),
        ("2 tea/green hot", "no options are declared for this level and parent"),
        ("0 tea tea", "a choice at level 0 has no parent"),
        ("0.5 _ tea", "the level is not a whole number of 0 or more"),
    ],
)
def test_a_row_that_chooses_nothing_is_listed_and_left_out(row: str, says: str) -> None:
    scores = scored(f"level parent choice; 0 _ tea; {row}; 0 _ milk", declared=TREE)
    (problem,) = scores.problems
    assert (problem.message, problem.row, problem.effect) == (says, 3, "row")
    assert (scores.results["N"], scores.results["Rows"], scores.results["Scored"]) == (2, 3, 2)
    assert scores.results["Status"] == "low coverage"


@pytest.mark.parametrize("count", ["-1", "1.5", "_"])
def test_a_count_is_a_whole_number(count: str) -> None:
    scores = scored(f"choice count; tea 4; milk {count}; milk 0", options="tea,milk")
    (problem,) = scores.problems
    assert problem.message == "the count is not a whole number of 0 or more"
    assert scores.results["N"] == 4


def test_a_correction_wins_on_flagged_rows() -> None:
    rows = "choice corrected flagged; tea milk yes; tea milk no; tea _ yes; tea milk _; x milk 1"
    scores = scored(rows, options="tea,milk")
    assert scores.units.loc[0, "Counts"] == '{"tea": 3, "milk": 2}'
    mappings = scores.tables["Mappings"][["Text", "How"]].values.tolist()
    assert mappings == [["tea", "correction, exact"], ["x", "correction, exact"]]
    unflagged = scored("choice corrected; tea milk; tea _", options="tea,milk")
    assert unflagged.units.loc[0, "Counts"] == '{"tea": 1, "milk": 1}'


def test_every_text_that_is_not_simply_an_option_is_on_the_mappings_sheet() -> None:
    rows = "choice; tea; Chai; a~tea~please; a~tea~please; cola; tea,~then~milk; incomplete"
    scores = scored(rows, options="tea|chai,milk")
    found = scores.tables["Mappings"][["Text", "Option", "How", "Draws"]].values.tolist()
    assert found[:2] == [["Chai", "tea", "alias", 1], ["a tea please", "tea", "mention", 2]]
    assert found[2:] == [["cola", "", "none", 1], ["tea, then milk", "", "two options", 1]]


def test_the_choices_sheet_has_options_that_were_never_chosen() -> None:
    choices = scored("choice; o0; o0", options=listed(3), target=SHARES).tables["Choices"]
    found = choices[["Option", "Count", "Share", "Expected"]].values.tolist()
    assert found == [["o0", 2, 1, 0.8], ["o1", 0, 0, 0.1], ["o2", 0, 0, 0.1]]


def test_without_a_table_the_options_are_the_choices_of_all_models() -> None:
    scores = scored("choice; Tea.; Tea.; **tea**; milk", others=["choice; water; incomplete"])
    assert scores.units.loc[0, "Counts"] == '{"milk": 1, "Tea": 3, "water": 0}'
    assert [problem.kind for problem in scores.problems] == ["seen-options"]


def test_without_a_table_each_sheet_is_a_question_with_its_own_options() -> None:
    rows = "sheet choice; q1 tea; q1 milk; q2 cat; q2 dog; q2 dog"
    assert scored(rows, others=["sheet choice; q2 ox"]).units["Options"].tolist() == [2, 3]
    one = scored("sheet choice; a tea; a tea", others=["sheet choice; b milk"])
    assert one.units["Options"].tolist() == [2]  # one sheet has the name of its file


@pytest.mark.parametrize("choice", ["_", "incomplete", "tea"])
def test_without_choices_or_a_second_option_nothing_is_measured(choice: str) -> None:
    found = summarize(scored(f"choice; {choice}; {choice}"), FAMILY)
    assert (found.results["Status"], found.results["Scored"]) == ("unscored", 0)
    assert found.units["Gini"].isna().all()


def test_several_sheets_give_the_mean_and_the_choice_of_the_worst() -> None:
    scores = sheets((16, 16), (30, 2), (20, 12), (17, 15), (10, 10), (9, 9))
    result, cells = scores.results, scores.units
    for name in ("Gini", "Effective_Options"):
        assert result[name] == pytest.approx(cells[name].mean())
    assert result["CI_Low"] < result["Effective_Options"] < result["CI_High"] <= 2
    assert (result["Top_Choice"], result["Top_Share"], result["N"]) == ("o0", 30 / 32, 32)
    assert (result["Worst_Cell"], result["Worst_Choice"]) == ("s1", "o0")
    assert scores.sheets["Sheet"].tolist() == [*(f"s{i}" for i in range(6)), "Overall"]


def test_runs_are_averaged_within_a_cell() -> None:
    rows = "run choice count; 1 tea 8; 1 milk 0; 2 tea 4; 2 milk 4"
    result = scored(rows, options="tea,milk").results
    assert result["Gini"] == pytest.approx((0.5 + 0) / 2)
    assert (result["Runs"], result["Run_SD"]) == (2, pytest.approx(math.sqrt(0.5)))


def test_two_models_with_one_cell_are_compared_by_their_draws() -> None:
    models = {"even": (11, 11, 10), "same": (30, 1, 1), "also": (31, 1, 0)}
    found = compare({name: sheets(counts).units for name, counts in models.items()})
    assert found.order == ("also", "same", "even")
    pairs = found.pairs.set_index(["Model", "Other_Model"])
    assert pairs["Difference"].loc["also", "even"] == pytest.approx(30 / 32 - 155 / 496)
    assert pairs["P_Holm"].loc["also", "even"] < 0.01
    assert pairs["P_Holm"].loc["also", "same"] > 0.05
    # the interval of each pair is at the level at which Holm tested it
    for pair in pairs.to_dict("records"):
        assert (pair["P_Holm"] < 0.05) == (pair["CI_Low"] > 0 or pair["CI_High"] < 0)


def test_models_with_several_cells_are_compared_over_cells() -> None:
    rng = np.random.default_rng(0)
    a = [tuple(map(int, rng.multinomial(30, [0.7, 0.2, 0.1]))) for _ in range(10)]
    b = [tuple(map(int, rng.multinomial(30, [0.4, 0.3, 0.3]))) for _ in range(10)]
    found = compare({"a": sheets(*a).units, "b": sheets(*b).units})
    (pair,) = found.pairs.to_dict("records")
    shares = [[sum(k * (k - 1) for k in cell) / (30 * 29) for cell in cells] for cells in (a, b)]
    assert max(pair["P_Value"], stats.ttest_rel(shares[0], shares[1]).pvalue) < 0.01
    assert pair["Difference"] == pytest.approx(np.mean(shares[0]) - np.mean(shares[1]))
    assert (pair["Shared"], pair["Wins"] + pair["Losses"]) == (10, 10)


def test_too_few_draws_or_cells_are_not_compared() -> None:
    for a, b, note in (
        (sheets((3, 0)), sheets((9, 9)), "no interval: 3 draws, at least 6 are needed"),
        (sheets((9, 1), (9, 2)), sheets((9, 9), (5, 9)), "no test: 2 of 2 units differ"),
    ):
        assert compare({"a": a.units, "b": b.units}).pairs["Note"].tolist() == [note]


def test_the_numbers_of_a_cell_are_explained() -> None:
    tables = {"outputs": table(counted(20, 8, 4)).assign(model="m")}
    options = ModeCollapseOptions(options=listed(5))
    found = explain(tables, options, "", "root")
    choices = found.tables["Choices"]
    assert choices["Count"].tolist() == [0, 0, 4, 8, 20]
    assert choices["Bits"].sum() == pytest.approx(1.298795, abs=1e-6)
    observed = stats.chisquare([20, 8, 4, 0, 0]).statistic
    assert choices["Chi_Square"].sum() == pytest.approx(observed)
    assert "This one: uneven." in found.sentences[-1]

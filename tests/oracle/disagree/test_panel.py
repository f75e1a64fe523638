"""The panel's pages read back: `krippendorff`, `pingouin` and `scipy` on the same ratings, and sums by hand."""

from __future__ import annotations

import csv
import json
import math
import random
import statistics
import warnings
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from python_calamine import CalamineWorkbook

from scoresheet.metrics import alpha_interval, intraclass_correlation, krippendorff_alpha
from tests.helpers.runs import Run

Matrix = npt.NDArray[np.float64]

# loaded by name: they publish no types
krippendorff: Any = import_module("krippendorff")
stats: Any = import_module("scipy.stats")

LEVELS = ("nominal", "ordinal", "interval", "ratio")
DIMENSIONS = ("clarity", "depth")
Line = dict[str, Any]


def near(value: float) -> Any:
    return pytest.approx(value, rel=0, abs=1e-9, nan_ok=True)


# --- the packages --------------------------------------------------------------------------------


def package_alpha(ratings: Matrix, level: str = "interval") -> float:
    """Return the package's alpha of items × judges, NaN where it refuses: no variation, or no pairs."""
    try:
        return float(krippendorff.alpha(ratings.T, level_of_measurement=level))
    except ValueError:
        return math.nan


@cache
def pingouin() -> Any:
    return import_module("pingouin")  # seconds to load, so only where it is asked


def package_icc(ratings: Matrix) -> tuple[float, float]:
    """Return ICC(2,1) and ICC(2,k) of pingouin over the items that every judge scored."""
    import pandas as pd

    complete = ratings[~np.isnan(ratings).any(axis=1)]
    items, judges = np.indices(complete.shape)
    table = pd.DataFrame({"item": items.ravel(), "judge": judges.ravel(), "score": complete.ravel()})
    with warnings.catch_warnings():
        # its own call of pandas, which pandas 3 frowns at; nothing else is let through
        warnings.filterwarnings(
            "ignore", message="The inplace keyword in DataFrame.dropna", category=DeprecationWarning
        )
        found = pingouin().intraclass_corr(data=table, targets="item", raters="judge", ratings="score")
    # McGraw and Wong's names of Shrout and Fleiss's ICC2 and ICC2k
    by_type = dict(zip(found["Type"], found["ICC"], strict=True))
    return float(by_type["ICC(A,1)"]), float(by_type["ICC(A,k)"])


# --- panels of random judges -----------------------------------------------------------------------


class Panel(NamedTuple):
    """Ratings of each dimension, items × judges on a scale of 1 to 5, NaN for missing."""

    judges: tuple[str, ...]
    dimensions: dict[str, Matrix]

    @property
    def items(self) -> int:
        return len(next(iter(self.dimensions.values())))

    def overall(self) -> Matrix:
        """Return the plain mean over the dimensions that all judges of an item scored."""
        stacked = np.stack(list(self.dimensions.values()))
        judges = np.asarray(~np.isnan(stacked).all(axis=0))
        for item in range(self.items):
            for dimension in stacked:
                if np.isnan(dimension[item, judges[item]]).any():
                    dimension[item] = np.nan
        counts = (~np.isnan(stacked)).sum(axis=0)
        return np.where(counts > 0, np.nansum(stacked, axis=0) / np.maximum(counts, 1), np.nan)

    def parts(self) -> dict[str, Matrix]:
        return {**self.dimensions, "Overall": self.overall()}


def panel(seed: int, *, items: int = 40, judges: int = 5, missing: float = 0.15) -> Panel:
    """Return judges of different noise and bias, in quarters, so that every sum is exact."""
    rng = np.random.default_rng(seed)
    dimensions = {}
    for name in DIMENSIONS:
        true = rng.integers(4, 21, size=(items, 1))
        noise = np.round(rng.normal(rng.normal(0, 1, judges), rng.uniform(0.5, 4, judges), size=(items, judges)))
        ratings = np.clip(true + noise, 4, 20) / 4
        ratings[rng.random((items, judges)) < missing] = np.nan
        dimensions[name] = ratings
    return Panel(tuple(f"judge {letter}" for letter in "abcdefgh"[:judges]), dimensions)


def long_rows(given: Panel, prefix: Sequence[str] = ()) -> list[list[str]]:
    rows = []
    for name, ratings in given.dimensions.items():
        for (item, judge), score in np.ndenumerate(ratings):
            if not np.isnan(score):
                rows.append([*prefix, f"item {item:02}", given.judges[judge], name, repr(float(score))])
    random.Random(3).shuffle(rows)
    return rows


# --- writing tables, reading reports -----------------------------------------------------------------


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def page(folder: Path, title: str, *needed: str) -> list[Line]:
    """Return the rows below the header that names the needed columns, up to the first empty one."""
    with CalamineWorkbook.from_path(folder / "out" / "panel_disagreement.xlsx") as book:
        rows = book.get_sheet_by_name(title).to_python()
    start = next(place for place, row in enumerate(rows) if {"Sheet", *needed} <= set(row))
    header = [str(cell) for cell in rows[start]]
    lines: list[Line] = []
    for row in rows[start + 1 :]:
        line = dict(zip(header, row, strict=True))
        if line["Sheet"] in (None, ""):
            break
        lines.append(line)
    return lines


def number(cell: Any) -> float:
    return math.nan if cell in (None, "") else float(cell)


def results(folder: Path) -> dict[str, str]:
    with (folder / "out" / "disagreement_results.csv").open(encoding="utf-8-sig", newline="") as file:
        (line,) = csv.DictReader(file)
    return line


def analyse(run: Run, folder: Path, given: Panel, *options: str) -> None:
    write_csv(folder / "in" / "panel.csv", ("item", "judge", "dimension", "score"), long_rows(given))
    scale = () if "nominal" in options else ("--scale", "1:5")
    done = run("disagree", "in", "-o", "out", "--no-progress", *scale, *options)
    assert done.code == 0, done.err


def dimension_lines(folder: Path) -> dict[str, Line]:
    return {line["Dimension"]: line for line in page(folder, "Dimensions", "Dimension", "Alpha_Ratio")}


def judge_lines(folder: Path) -> dict[tuple[str, str], Line]:
    lines = page(folder, "Judges", "Dimension", "Judge", "Bias")
    return {(line["Dimension"], line["Judge"]): line for line in lines}


def pair_lines(folder: Path) -> dict[tuple[str, frozenset[str]], Line]:
    lines = page(folder, "Pairs", "Judge", "Other_Judge")
    found = {(line["Dimension"], frozenset((line["Judge"], line["Other_Judge"]))): line for line in lines}
    assert len(found) == len(lines)
    return found


# --- the functions ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_intraclass_correlations_equal_pingouins_over_the_items_every_judge_scored(seed: int) -> None:
    rng = np.random.default_rng(seed)
    items, judges = int(rng.integers(8, 50)), int(rng.integers(2, 7))
    ratings = rng.random((items, judges)) + rng.random((items, 1)) * rng.uniform(0, 3) + rng.random(judges)
    ratings[rng.random((items, judges)) < 0.08] = np.nan
    complete = int((~np.isnan(ratings).any(axis=1)).sum())
    assert complete >= 3
    found = intraclass_correlation(ratings)
    assert found.items == complete
    assert (found.single, found.average) == tuple(near(value) for value in package_icc(ratings))


def test_intraclass_correlations_below_zero_equal_pingouins() -> None:
    # judges who say the opposite of each other
    ratings = np.array([[1, 5], [2, 4.5], [3, 3], [4, 1.5], [5, 1]])
    found = intraclass_correlation(ratings)
    assert found.single < 0
    assert (found.single, found.average) == tuple(near(value) for value in package_icc(ratings))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(6))
def test_alpha_of_scores_with_many_values_and_gaps_equals_the_package(level: str, seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    items, judges = int(rng.integers(4, 60)), int(rng.integers(2, 8))
    ratings = (rng.random((items, judges)) + rng.random((items, 1))).round(1 + seed % 3)
    ratings[rng.random((items, judges)) < 0.3] = np.nan
    assert krippendorff_alpha(ratings, level) == near(package_alpha(ratings, level))


# --- agreement in the report --------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_alpha_of_each_dimension_at_four_levels_equals_the_package(run: Run, tmp_path: Path, seed: int) -> None:
    given = panel(seed, judges=3 + seed, missing=0.1 * (seed + 1))
    analyse(run, tmp_path, given)
    lines = dimension_lines(tmp_path)
    assert set(lines) == {*DIMENSIONS, "Overall"}
    for name, ratings in given.parts().items():
        for level in LEVELS:
            # as given, on 1 to 5: the mapped scores have another alpha of ratios
            assert lines[name][f"Alpha_{level.capitalize()}"] == near(package_alpha(ratings, level)), (name, level)
        assert lines[name]["Alpha"] == lines[name]["Alpha_Interval"]
        assert package_alpha(ratings, "ratio") != near(package_alpha((ratings - 1) / 4, "ratio"))


@pytest.mark.parametrize("level", LEVELS)
def test_the_level_asked_for_is_the_headline(run: Run, tmp_path: Path, level: str) -> None:
    given = panel(5)
    analyse(run, tmp_path, given, "--level", level)
    lines = dimension_lines(tmp_path)
    for name, ratings in given.dimensions.items():
        assert lines[name]["Alpha"] == near(package_alpha(ratings, level))
    if level != "nominal":  # labels have no mean, and so no overall
        wanted = package_alpha(given.overall(), level)
        assert float(results(tmp_path)["Alpha"]) == near(wanted)
        (sheet, *_) = page(tmp_path, "Summary", "Alpha", "Odd_Judge")
        assert sheet["Alpha"] == near(wanted)


@pytest.mark.parametrize("seed", range(3))
def test_items_ratings_and_intraclass_correlations_equal_pingouins(run: Run, tmp_path: Path, seed: int) -> None:
    given = panel(10 + seed, items=30, missing=(0.0, 0.0, 0.08)[seed])
    analyse(run, tmp_path, given)
    lines = dimension_lines(tmp_path)
    for name, ratings in given.parts().items():
        single, average = package_icc(ratings)
        assert (lines[name]["ICC_2_1"], lines[name]["ICC_2_k"]) == (near(single), near(average)), name
        assert lines[name]["ICC_Items"] == (~np.isnan(ratings).any(axis=1)).sum()
        assert lines[name]["Items"] == (~np.isnan(ratings)).any(axis=1).sum()
        assert lines[name]["Ratings"] == (~np.isnan(ratings)).sum()
    single, average = package_icc(given.overall())
    line = results(tmp_path)
    assert (float(line["ICC_2_1"]), float(line["ICC_2_k"])) == (near(single), near(average))


def test_mean_and_disagreement_of_a_dimension_are_means_on_the_scale_of_zero_to_one(run: Run, tmp_path: Path) -> None:
    given = panel(20)
    analyse(run, tmp_path, given)
    lines = dimension_lines(tmp_path)
    for name, ratings in given.dimensions.items():
        rows = [[(score - 1) / 4 for score in row if not math.isnan(score)] for row in ratings]
        cvs = [statistics.stdev(row) / statistics.fmean(row) for row in rows if len(row) > 1 and sum(row) > 0]
        assert lines[name]["Disagreement"] == near(statistics.fmean(cvs))
        assert lines[name]["Mean"] == near(statistics.fmean(score for row in rows for score in row))


@pytest.mark.parametrize(
    ("noise", "items", "verdict"),
    [
        (0.15, 50, "reliable"),
        (0.48, 50, "tentative to reliable"),
        (0.52, 400, "tentative"),
        (1.2, 50, "unreliable"),
        (0.15, 4, "too few items"),
    ],
)
def test_the_verdict_is_krippendorffs_as_far_as_the_interval_allows(
    run: Run, tmp_path: Path, noise: float, items: int, verdict: str
) -> None:
    rng = np.random.default_rng(4)
    ratings = np.clip(rng.normal(rng.uniform(1.5, 4.5, size=(items, 1)), noise, size=(items, 4)), 1, 5).round(1)
    given = Panel(("a", "b", "c", "d"), {"clarity": ratings})
    analyse(run, tmp_path, given)
    line = results(tmp_path)
    assert float(line["Alpha"]) == near(package_alpha(ratings))
    assert line["Verdict"] == verdict
    if line["CI_Low"]:
        words = ["unreliable" if end < 0.667 else "tentative" if end < 0.8 else "reliable"
                 for end in (float(line["CI_Low"]), float(line["CI_High"]))]  # fmt: skip
        assert verdict == (words[0] if words[0] == words[1] else f"{words[0]} to {words[1]}")


# --- judges --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_alpha_without_a_judge_equals_the_package_on_the_others(run: Run, tmp_path: Path, seed: int) -> None:
    given = panel(30 + seed, judges=3 + seed)
    analyse(run, tmp_path, given)
    lines = judge_lines(tmp_path)
    assert set(lines) == {(name, judge) for name in (*DIMENSIONS, "Overall") for judge in given.judges}
    for name, ratings in given.parts().items():
        together = package_alpha(ratings)
        for place, judge in enumerate(given.judges):
            without = package_alpha(np.delete(ratings, place, axis=1))
            line = lines[name, judge]
            assert line["Alpha_Without"] == near(without), (name, judge)
            assert line["Influence"] == near(without - together), (name, judge)
            assert line["Items"] == (~np.isnan(ratings[:, place])).sum()


def test_the_odd_judge_is_the_one_without_whom_alpha_rises_most(run: Run, tmp_path: Path) -> None:
    given = panel(40, missing=0.0)
    for ratings in given.dimensions.values():
        ratings[:, 3] = np.random.default_rng(1).integers(4, 21, size=given.items) / 4  # one who guesses
    overall = given.overall()
    influence = [package_alpha(np.delete(overall, n, axis=1)) - package_alpha(overall) for n in range(5)]
    assert max(influence) > 0
    analyse(run, tmp_path, given)
    (sheet, *_) = page(tmp_path, "Summary", "Alpha", "Odd_Judge")
    first, second = sheet["Odd_Judge"].split("; ")
    assert first == given.judges[influence.index(max(influence))] == "judge d"
    # the one who guesses hid another, who is more generous than the rest
    rest = np.delete(overall, 3, axis=1)
    influence = [package_alpha(np.delete(rest, n, axis=1)) - package_alpha(rest) for n in range(4)]
    assert second == given.judges[influence.index(max(influence))] == "judge b"
    assert max(influence) > 0.05
    assert sheet["Odd_Why"] == "judge d (unrelated); judge b (lenient: +0.08)"
    without = package_alpha(np.delete(overall, [1, 3], axis=1))
    assert sheet["Odd_Influence"] == near(without - package_alpha(overall))


def test_no_judge_is_odd_where_alpha_falls_without_anyone(run: Run, tmp_path: Path) -> None:
    nan = math.nan
    ratings = np.array([[2, 1, nan], [nan, nan, 1], [nan, 5, 4], [4, nan, 5]])
    for place in range(3):
        assert package_alpha(np.delete(ratings, place, axis=1)) < package_alpha(ratings)
    analyse(run, tmp_path, Panel(("a", "b", "c"), {"clarity": ratings}))
    (sheet, *_) = page(tmp_path, "Summary", "Alpha", "Odd_Judge")
    assert sheet["Alpha"] == near(package_alpha(ratings))
    assert sheet["Odd_Judge"] in (None, "")


def test_no_judge_is_odd_in_perfect_agreement_or_between_two(run: Run, tmp_path: Path) -> None:
    alike = np.repeat([[1.0], [2.0], [4.5]], 3, axis=1)
    for ratings in (alike, np.array([[1.0, 2.0], [3.0, 3.5], [5.0, 4.0]])):
        analyse(run, tmp_path, Panel(("a", "b", "c")[: ratings.shape[1]], {"clarity": ratings}))
        (sheet, *_) = page(tmp_path, "Summary", "Alpha", "Odd_Judge")
        assert sheet["Alpha"] == near(package_alpha(ratings))
        assert sheet["Odd_Judge"] in (None, "")


def stands_out(row: Sequence[float], place: int) -> bool:
    """Return whether either rule calls the judge at that place; what lies on the edge is not beyond it."""
    scores = [score for score in row if not math.isnan(score)]
    if len(scores) < 2 or math.isnan(row[place]):
        return False
    middle = statistics.median(scores)
    mad = statistics.median([abs(score - middle) for score in scores])
    robust = 0.6745 * abs(row[place] - middle) / max(mad, 0.02)
    away = abs(row[place] - statistics.fmean(scores))
    return robust > 3.5 + 1e-9 or away > (1.5 + 1e-9) * statistics.stdev(scores) > 0


def test_a_judges_outlier_items_are_those_where_a_rule_calls_it(run: Run, tmp_path: Path) -> None:
    given = on_unit_scale(panel(55, judges=6, missing=0.1))
    analyse(run, tmp_path, given, "--scale", "0:1")
    lines, rows = judge_lines(tmp_path), given.overall().tolist()
    wanted = {judge: sum(stands_out(row, place) for row in rows) for place, judge in enumerate(given.judges)}
    assert sum(wanted.values()) > 10
    assert {judge: number(lines["Overall", judge]["Outlier_Items"]) for judge in given.judges} == wanted


def test_bias_is_the_mean_difference_from_the_other_judges_on_the_same_items(run: Run, tmp_path: Path) -> None:
    given = on_unit_scale(panel(50))
    analyse(run, tmp_path, given, "--scale", "0:1")
    lines = judge_lines(tmp_path)
    for name, ratings in given.parts().items():
        for place, judge in enumerate(given.judges):
            differences = []
            for row in ratings.tolist():
                others = [score for n, score in enumerate(row) if n != place and not math.isnan(score)]
                if not math.isnan(row[place]) and others:
                    differences.append(row[place] - statistics.fmean(others))
            own = [score for score in ratings[:, place].tolist() if not math.isnan(score)]
            assert lines[name, judge]["Bias"] == near(statistics.fmean(differences)), (name, judge)
            assert lines[name, judge]["Mean"] == near(statistics.fmean(own)), (name, judge)


def on_unit_scale(given: Panel) -> Panel:
    """Return the panel in sixteenths between 0 and 1, every one of them exact."""
    return Panel(given.judges, {name: (ratings - 1) / 4 for name, ratings in given.dimensions.items()})


# --- pairs ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(2))
def test_pairs_have_scipys_correlation_the_mean_difference_and_the_share_of_equal_scores(
    run: Run, tmp_path: Path, seed: int
) -> None:
    given = on_unit_scale(panel(60 + seed, judges=4, missing=0.2))
    analyse(run, tmp_path, given, "--scale", "0:1")
    lines, heat = pair_lines(tmp_path), judge_lines(tmp_path)
    pairs = list(combinations(range(4), 2))
    assert len(lines) == 3 * len(pairs)
    for name, ratings in given.parts().items():
        for one, other in pairs:
            line = lines[name, frozenset((given.judges[one], given.judges[other]))]
            first, second = given.judges.index(line["Judge"]), given.judges.index(line["Other_Judge"])
            common = ratings[~np.isnan(ratings[:, (first, second)]).any(axis=1)]
            x, y = common[:, first].tolist(), common[:, second].tolist()
            correlation = float(stats.pearsonr(x, y).statistic)
            assert line["Items"] == len(common)
            assert line["Correlation"] == near(correlation)
            assert line["Mean_Difference"] == near(statistics.fmean(a - b for a, b in zip(x, y, strict=True)))
            assert line["Agreement"] == near(sum(a == b for a, b in zip(x, y, strict=True)) / len(x))
            assert heat[name, line["Judge"]][line["Other_Judge"]] == near(correlation)
            assert heat[name, line["Other_Judge"]][line["Judge"]] == near(correlation)


def test_correlation_with_a_judge_who_always_says_the_same_is_undefined(run: Run, tmp_path: Path) -> None:
    ratings = np.array([[1, 2, 3], [2, 2, 3.5], [4, 2, 3], [5, 2, 5]], dtype=float)
    analyse(run, tmp_path, Panel(("a", "b", "c"), {"clarity": ratings}))
    lines = pair_lines(tmp_path)
    assert math.isnan(number(lines["Overall", frozenset("ab")]["Correlation"]))
    wanted = float(stats.pearsonr(ratings[:, 0], ratings[:, 2]).statistic)
    assert lines["Overall", frozenset("ac")]["Correlation"] == near(wanted)


def test_correlation_on_another_scale_is_the_same(run: Run, tmp_path: Path) -> None:
    given = panel(70)
    analyse(run, tmp_path, given)
    for (name, pair), line in pair_lines(tmp_path).items():
        columns = [given.judges.index(judge) for judge in pair]
        ratings = given.parts()[name][:, columns]
        common = ratings[~np.isnan(ratings).any(axis=1)]
        assert line["Correlation"] == near(float(stats.pearsonr(*common.T).statistic))


# --- the interval ----------------------------------------------------------------------------------------

RESAMPLES = 4_000
# The ends are made of the deviation s of resampled values, whose standard error is s/√(2B), .016 s at B = 2,000 and
# .011 s at 4,000. Two independent simulations then differ by .019 s at each end, times 1.96, which is .01 of the width
# 3.92 s; five of that are a twentieth, and as much again for the lower half, which rests on half of the resamples.
OF_WIDTH = 0.1


def bootstrap(ratings: Matrix, level: str) -> tuple[float, float]:
    """Return the 95 % interval of the package's alpha over items drawn with replacement: Student's, of ln F."""
    rng = random.Random("a generator of the test's own")
    domain = np.unique(ratings[~np.isnan(ratings)])
    # how often each value was given to each item: what the package makes of ratings first, once for all resamples
    counts = (ratings[:, :, None] == domain).sum(axis=1)
    values = []
    for _ in range(RESAMPLES):
        drawn = counts[rng.choices(range(len(counts)), k=len(counts))]
        values.append(float(krippendorff.alpha(value_counts=drawn, value_domain=domain, level_of_measurement=level)))
    number = (~np.isnan(ratings)).sum(axis=1)
    number = number[number > 1]
    raters = 1 + 1 / ((number * number / (number - 1)).sum() / number.sum() - 1)
    alpha = package_alpha(ratings, level)
    centre, *logs = (math.log((1 + (raters - 1) * each) / (1 - each)) for each in (alpha, *values))
    reach = stats.t.ppf(0.975, len(number) - 1) * math.sqrt(len(number) / (len(number) - 1))
    spread = statistics.pstdev(logs)
    below = math.sqrt(statistics.fmean((each - centre) ** 2 for each in logs if each < centre))
    ends = (math.exp(centre - reach * min(below, spread)), math.exp(centre + reach * spread))
    low, high = ((ratio - 1) / (ratio + raters - 1) for ratio in ends)
    return low, high


def close_ends(found: tuple[float, float], wanted: tuple[float, float]) -> None:
    within = OF_WIDTH * (wanted[1] - wanted[0])
    assert found == pytest.approx(wanted, rel=0, abs=within)


@pytest.mark.parametrize("level", LEVELS)
def test_the_interval_of_alpha_is_near_a_plain_bootstrap_of_the_packages(level: str) -> None:
    ratings = panel(80, items=50, judges=4).dimensions["clarity"]
    ratings = np.round(ratings)
    low, high, _ = alpha_interval(ratings, level=level)
    assert low < package_alpha(ratings, level) < high
    close_ends((low, high), bootstrap(ratings, level))


def test_another_seed_gives_another_interval_nearby_and_the_same_one_the_same() -> None:
    ratings = panel(81).dimensions["clarity"]
    first, again, other = (alpha_interval(ratings, seed=seed)[:2] for seed in (0, 0, 1))
    assert first == again != other
    close_ends(other, first)


def test_the_intervals_in_the_report_cover_their_alphas_and_are_near_a_plain_bootstrap(
    run: Run, tmp_path: Path
) -> None:
    fine = panel(82, items=45, judges=4)
    given = Panel(fine.judges, {name: np.round(ratings) for name, ratings in fine.dimensions.items()})
    analyse(run, tmp_path, given)
    lines = dimension_lines(tmp_path)
    for name, ratings in given.parts().items():
        low, high = lines[name]["CI_Low"], lines[name]["CI_High"]
        assert low < lines[name]["Alpha"] < high
        close_ends((low, high), bootstrap(ratings, "interval"))
    line = results(tmp_path)
    assert (float(line["CI_Low"]), float(line["CI_High"])) == (
        near(lines["Overall"]["CI_Low"]),
        near(lines["Overall"]["CI_High"]),
    )


# --- the model's line --------------------------------------------------------------------------------------


def item_scores(given: Panel) -> list[tuple[float, float]]:
    """Return consensus and reliability of the items with two judges or more and a mean above 0."""
    found = []
    for row in ((given.overall() - 1) / 4).tolist():
        scores = [score for score in row if not math.isnan(score)]
        if len(scores) < 2 or sum(scores) <= 0:
            continue
        consensus = max(0.0, 1 - 2 * statistics.stdev(scores) / statistics.fmean(scores))
        bonus = 0.1 if consensus > 0.8 else 0.0
        damped = consensus * (1 - min(1.0, 5 * statistics.variance(scores)))
        found.append((consensus, min(1.0, max(0.0, damped + bonus))))
    return found


def test_the_models_line_is_the_mean_over_its_sheets(run: Run, tmp_path: Path) -> None:
    sheets = {"first": panel(90, items=30), "second": panel(91, items=12, judges=3), "third": panel(92, judges=4)}
    rows = [row for title, given in sheets.items() for row in long_rows(given, (title,))]
    write_csv(tmp_path / "in" / "panel.csv", ("Sheet", "item", "judge", "dimension", "score"), rows)
    assert run("disagree", "in", "-o", "out", "--no-progress", "--scale", "1:5").code == 0
    wanted: dict[str, dict[str, float]] = {}
    for title, given in sheets.items():
        consensus, reliability = zip(*item_scores(given), strict=True)
        single, average = package_icc(given.overall())
        wanted[title] = {
            "Alpha": package_alpha(given.overall()),
            "ICC_2_1": single,
            "ICC_2_k": average,
            "Consensus": statistics.fmean(consensus),
            "Reliability": statistics.fmean(reliability),
        }
    wanted["Overall"] = {name: statistics.fmean(wanted[title][name] for title in sheets) for name in wanted["first"]}
    lines = {line["Sheet"]: line for line in page(tmp_path, "Summary", "Alpha", "Odd_Judge")}
    assert list(lines) == list(wanted)
    for title, measures in wanted.items():
        assert {name: lines[title][name] for name in measures} == pytest.approx(measures, rel=0, abs=1e-9), title
    line = results(tmp_path)
    assert {name: float(line[name]) for name in wanted["Overall"]} == pytest.approx(wanted["Overall"], rel=0, abs=1e-9)
    written = json.loads((tmp_path / "out" / "metrics.json").read_text(encoding="utf-8"))["panel"]
    assert {name: written[name] for name in wanted["Overall"]} == pytest.approx(wanted["Overall"], rel=0, abs=1e-9)
    for title, given in sheets.items():
        of_sheet = written["Sheets"][title]
        assert {name: of_sheet[name] for name in wanted[title]} == pytest.approx(wanted[title], rel=0, abs=1e-9)
        for name, ratings in given.dimensions.items():
            assert of_sheet["By_Dimension"][name]["Alpha"] == near(package_alpha(ratings))


# --- labels --------------------------------------------------------------------------------------------------

LABELS = ("A", "B", "Tie")


def label_rows(codes: Matrix) -> list[list[str]]:
    """Return an item per row and a judge per column, with names for codes and nothing for NaN."""
    return [
        [f"item {place}", *("" if math.isnan(code) else LABELS[int(code)] for code in row)]
        for place, row in enumerate(codes.tolist())
    ]


def labels(seed: int, judges: int) -> Matrix:
    rng = np.random.default_rng(seed)
    codes = np.repeat(rng.integers(0, 3, size=(40, 1)), judges, axis=1).astype(float)
    changed = rng.random(codes.shape) < 0.3
    codes[changed] = rng.integers(0, 3, size=int(changed.sum()))
    codes[rng.random(codes.shape) < 0.1] = np.nan
    return codes


@pytest.fixture(scope="module")
def label_ends() -> tuple[float, float]:
    """The interval of the labels' alpha by a plain bootstrap."""
    return bootstrap(labels(7, 4), "nominal")


@pytest.mark.parametrize("shape", ["wide", "long"])
def test_labels_such_as_tie_have_the_packages_nominal_alpha_and_shares_of_equal_labels(
    run: Run, tmp_path: Path, label_ends: tuple[float, float], shape: str
) -> None:
    judges = ("ann", "bob", "cy", "di")
    codes = labels(7, 4)
    rows = label_rows(codes)
    if shape == "wide":
        write_csv(tmp_path / "in" / "panel.csv", ("item", *judges), rows)
    else:
        cells = [[row[0], judge, cell] for row in rows for judge, cell in zip(judges, row[1:], strict=True) if cell]
        write_csv(tmp_path / "in" / "panel.csv", ("item", "judge", "score"), cells)
    done = run("disagree", "in", "-o", "out", "--no-progress", "--level", "nominal")
    assert done.code == 0, done.err
    wanted = package_alpha(codes, "nominal")
    line = results(tmp_path)
    assert float(line["Alpha"]) == near(wanted)
    assert float(line["CI_Low"]) < wanted < float(line["CI_High"])
    close_ends((float(line["CI_Low"]), float(line["CI_High"])), label_ends)
    assert [line[name] for name in ("ICC_2_1", "ICC_2_k", "Consensus", "Reliability")] == [""] * 4
    pairs = page(tmp_path, "Pairs", "Judge", "Other_Judge")
    assert len({frozenset((pair["Judge"], pair["Other_Judge"])) for pair in pairs}) == 6
    for pair in pairs:
        both = codes[:, (judges.index(pair["Judge"]), judges.index(pair["Other_Judge"]))]
        both = both[~np.isnan(both).any(axis=1)]
        assert pair["Items"] == len(both)
        assert pair["Agreement"] == near(float((both[:, 0] == both[:, 1]).mean()))
        assert math.isnan(number(pair["Correlation"]))
        assert math.isnan(number(pair["Mean_Difference"]))
    for judge in page(tmp_path, "Judges", "Judge", "Bias"):
        without = np.delete(codes, judges.index(judge["Judge"]), axis=1)
        assert judge["Alpha_Without"] == near(package_alpha(without, "nominal"))


def test_items_of_labels_have_judges_and_no_numbers(run: Run, tmp_path: Path) -> None:
    rows = [["one", "A", "Tie", "A"], ["two", "B", "", ""], ["three", " Tie ", "Tie", "B"]]
    write_csv(tmp_path / "in" / "panel.csv", ("item", "x", "y", "z"), rows)
    assert run("disagree", "in", "-o", "out", "--no-progress", "--level", "nominal").code == 0
    with (tmp_path / "out" / "panel_disagreement.csv").open(encoding="utf-8-sig", newline="") as file:
        found = {record["Item"]: record for record in csv.DictReader(file)}
    assert {item: record["Judges"] for item, record in found.items()} == {"one": "3", "two": "1", "three": "3"}
    assert {item: record["Flags"] for item, record in found.items()} == {
        "one": "",
        "two": "single_strategy_only",
        "three": "",
    }
    for record in found.values():
        assert [record[name] for name in ("Mean", "Variance", "CV", "Min", "Consensus", "Reliability")] == [""] * 6
    # " Tie " is Tie
    codes = np.array([[0, 2, 0], [1, math.nan, math.nan], [2, 2, 1]])
    assert float(results(tmp_path)["Alpha"]) == near(package_alpha(codes, "nominal"))


def test_numbers_as_labels_are_told_apart_by_their_text_alone(run: Run, tmp_path: Path) -> None:
    codes = labels(8, 3)
    rows = [
        [f"item {place}", *("" if math.isnan(code) else str(int(code) + 3) for code in row)]
        for place, row in enumerate(codes.tolist())
    ]
    write_csv(tmp_path / "in" / "panel.csv", ("item", "x", "y", "z"), rows)
    # far outside 0:1, which plays no part
    assert run("disagree", "in", "-o", "out", "--no-progress", "--level", "nominal").code == 0
    assert float(results(tmp_path)["Alpha"]) == near(package_alpha(codes, "nominal"))

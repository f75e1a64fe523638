"""Models on the idioms they share, what was answered, and what the two components say: by hand and by scipy."""

from __future__ import annotations

import csv
import json
import random
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats  # type: ignore[import-untyped]

from tests.helpers.charts import charts
from tests.helpers.files import read_csv, sheet_rows, write_csv
from tests.helpers.runs import Result, Run
from tests.helpers.studies import paged

pytestmark = pytest.mark.usefixtures("no_workbooks")

WORDS = 20
REFERENCE = " ".join(f"w{n:02}" for n in range(WORDS))
Scores = Mapping[str, int]  # words of the reference that an answer has


def scoring(kept: int, words: int = WORDS) -> str:
    """An answer as long as the reference with that many of its words: BP 1, P_ROUGE kept/words."""
    return " ".join([*(f"w{n:02}" for n in range(kept)), *(f"x{n:02}" for n in range(words - kept))])


def write(folder: Path, models: Mapping[str, Scores], idioms: Sequence[str], words: int = WORDS) -> None:
    """Models that score what is asked for, and the references."""
    for model, scores in models.items():
        rows = [(idiom, scoring(score, words)) for idiom, score in scores.items()]
        write_csv(folder / f"outs/{model}.csv", [("Idiom", "Prediction"), *rows])
    explained = [(idiom, scoring(words, words)) for idiom in idioms]
    write_csv(folder / "refs/r.csv", [("idiom", "explanation"), *explained])


def scored(run: Run, *options: str) -> Result:
    ended = run("sinfo", "outs", "refs", "-o", "res", "--no-progress", *options)
    assert ended.code == 0, ended.err
    return ended


def results(folder: Path) -> dict[str, dict[str, str]]:
    return {line["Model Name"]: line for line in read_csv(folder / "res/s_info_results.csv")}


def pairs(folder: Path, measure: str = "S_Info") -> dict[tuple[str, str], dict[str, str]]:
    lines = read_csv(folder / "res/comparisons.csv")
    return {(line["Model"], line["Other_Model"]): line for line in lines if line["Measure"] == measure}


# --- the case that ranks went wrong by ----------------------------------------------------------------

SHARED = [f"shared {n:02}" for n in range(20)]
HARD = [f"hard {n:02}" for n in range(20)]
EASY = [f"easy {n:02}" for n in range(10)]


def test_b_scores_782_and_a_567_and_a_is_first_because_it_is_better_on_all_shared_idioms(
    run: Run, tmp_path: Path
) -> None:
    a = {idiom: 85 + 8 * (place % 2) for place, idiom in enumerate(SHARED)}
    a |= {idiom: 20 + 8 * (place % 2) for place, idiom in enumerate(HARD)} | {HARD[0]: 28}
    b = {idiom: 75 + 2 * (place % 2) for place, idiom in enumerate(SHARED)}
    b |= {idiom: 82 + place % 2 for place, idiom in enumerate(EASY)}
    write(tmp_path, {"A": a, "B": b}, [*SHARED, *HARD, *EASY], words=100)
    ended = scored(run)
    line = results(tmp_path)
    own = {model: statistics.fmean(scores.values()) / 100 for model, scores in (("A", a), ("B", b))}
    assert {model: float(line[model]["S_Info"]) for model in "AB"} == pytest.approx(own)
    assert (round(own["A"], 3), round(own["B"], 3)) == (0.567, 0.782)
    assert list(line) == ["A", "B"]
    assert [line[model]["Rank"] for model in "AB"] == ["1", "2"]
    assert [line[model]["Shared"] for model in "AB"] == ["20", "20"]
    on_shared = {
        model: statistics.fmean(scores[idiom] for idiom in SHARED) / 100 for model, scores in (("A", a), ("B", b))
    }
    assert {model: float(line[model]["On_Shared"]) for model in "AB"} == pytest.approx(on_shared)
    pair = pairs(tmp_path)["A", "B"]
    assert (pair["Wins"], pair["Ties"], pair["Losses"]) == ("20", "0", "0")
    assert pair["Finding"] == "A is higher"
    # beside the score, on the screen
    head, _, first, second = ended.out.splitlines()[:4]
    assert head.split()[2:10] == ["S_Info", "CI_Low", "CI_High", "Answered", "Rank", "Shared", "On_Shared", "Rows"]
    assert first.split()[:2] == ["A", "0.567"]
    assert first.split()[5:7] == ["1", "20"]
    assert second.split()[:2] == ["B", "0.782"]
    assert "A has the highest mean S_Info, 0.890, on the 20 idioms that both models share" in ended.out
    assert "shown to be higher than B" in ended.out
    assert "The higher S_Info of B (0.782) is not over the same idioms." in ended.out


def test_answered_is_counted_against_the_keys_of_the_references(run: Run, tmp_path: Path) -> None:
    idioms = [f"i{n:02}" for n in range(16)]
    write(tmp_path, {"half": dict.fromkeys(idioms[:8], 9), "all": dict.fromkeys(idioms, 9)}, idioms)
    silent = [(idiom, scoring(9) if place % 2 else "...") for place, idiom in enumerate(idioms)]
    strange = [("nobody explains this", scoring(9))]
    write_csv(tmp_path / "outs/silent.csv", [("Idiom", "Prediction"), *silent, *strange])
    ended = scored(run, "--missing", "zero")
    shares = {model: (float(line["Answered"]), float(line["Coverage"])) for model, line in results(tmp_path).items()}
    # zeros count in the mean, and answer nothing
    assert shares == {"half": (0.5, 1.0), "all": (1.0, 1.0), "silent": (0.5, pytest.approx(8 / 17))}
    assert "Answered" in ended.out.splitlines()[0]


def test_answered_is_not_on_the_screen_where_everything_is(run: Run, tmp_path: Path) -> None:
    write(tmp_path, {"a": {"i": 9, "j": 8}}, ["i", "j"])
    assert "Answered" not in scored(run).out
    assert float(results(tmp_path)["a"]["Answered"]) == 1


# --- pairs, against scipy -----------------------------------------------------------------------------


def test_a_pair_has_the_numbers_of_scipy_over_the_shared_idioms(run: Run, tmp_path: Path) -> None:
    rng = random.Random(3)
    idioms = [f"i{n:02}" for n in range(12)]
    one = {idiom: rng.randint(0, 20) for idiom in idioms[:11]}
    other = {idiom: rng.randint(0, 20) for idiom in idioms[1:]}
    write(tmp_path, {"one": one, "other": other}, idioms)
    scored(run)
    line = pairs(tmp_path)["one", "other"]
    both = idioms[1:11]
    ours, theirs = (np.array([scores[idiom] for idiom in both]) / 20 for scores in (one, other))
    found = stats.permutation_test(
        (ours, theirs), lambda x, y: np.mean(x - y), permutation_type="samples", n_resamples=np.inf
    )
    assert line["Shared"] == "10"
    assert float(line["Difference"]) == pytest.approx((ours - theirs).mean())
    assert float(line["P_Value"]) == pytest.approx(min(1.0, found.pvalue))
    assert float(line["Effect_Size"]) == pytest.approx((ours - theirs).mean() / (ours - theirs).std(ddof=1))
    counts = [int((ours > theirs).sum()), int((ours == theirs).sum()), int((ours < theirs).sum())]
    assert [int(line[name]) for name in ("Wins", "Ties", "Losses")] == counts


def test_models_are_compared_sheet_by_sheet_where_both_have_the_idiom(run: Run, tmp_path: Path) -> None:
    idioms = [f"i{n}" for n in range(6)]
    rows: dict[str, list[tuple[str, str, int]]] = {
        "one": [("s1", idiom, 10) for idiom in idioms] + [("s2", idiom, 2) for idiom in idioms],
        "two": [("s1", idiom, 8) for idiom in idioms] + [("s3", idiom, 20) for idiom in idioms],
    }
    for model, lines in rows.items():
        table = [(sheet, idiom, scoring(score)) for sheet, idiom, score in lines]
        write_csv(tmp_path / f"outs/{model}.csv", [("Sheet", "Idiom", "Prediction"), *table])
    write_csv(tmp_path / "refs/r.csv", [("idiom", "explanation"), *((idiom, REFERENCE) for idiom in idioms)])
    scored(run)
    line = pairs(tmp_path)["one", "two"]
    assert [float(line[name]) for name in ("Mean", "Other_Mean", "Difference")] == pytest.approx([0.5, 0.4, 0.1])
    assert [float(each["S_Info"]) for each in results(tmp_path).values()] == pytest.approx([0.3, 0.7])
    assert [each["Rank"] for each in results(tmp_path).values()] == ["1", "2"]


# --- components ---------------------------------------------------------------------------------------

ANSWERS = {
    "balanced": "w00 w01 w02 w03 w04 w05 w06 w07 w08 w09 w10 w11 w12 w13 w14 w15 w16 w17 w18 w19",
    "too short": "w00 w01 w02",
    "off the point": "x00 x01 x02 x03 x04 x05 x06 x07 x08 x09 x10 x11 x12 x13 x14 x15 x16 x17 x18 x19",
    "poor": "x00 x01 x02",
}


def write_components(folder: Path) -> dict[str, list[str]]:
    """A model whose answers are known to be each; what each sheet has."""
    sheets = {"s1": ["balanced"] * 3 + ["too short"] * 2 + ["poor"], "s2": ["off the point", "balanced"]}
    rows = [(sheet, f"i{n}", ANSWERS[word]) for sheet, words in sheets.items() for n, word in enumerate(words)]
    write_csv(folder / "outs/m.csv", [("Sheet", "Idiom", "Prediction"), *rows, ("s2", "i5", "...")])
    write_csv(folder / "refs/r.csv", [("idiom", "explanation"), *((f"i{n}", REFERENCE) for n in range(6))])
    return sheets


@pytest.mark.usefixtures("workbooks")
def test_each_row_says_what_its_components_say_together_and_pages_count_them(run: Run, tmp_path: Path) -> None:
    sheets = write_components(tmp_path)
    scored(run)
    book = tmp_path / "res/m_s_info.xlsx"
    assert [line["Component"] for line in paged(book, "s1")] == sheets["s1"]
    assert [line["Component"] or "" for line in paged(book, "s2")] == [*sheets["s2"], ""]
    head, *lines = sheet_rows(book, "Components")
    assert head == ["Sheet", "Balanced", "Too short", "Off the point", "Poor"]
    assert lines == [["s1", 3, 2, 0, 1], ["s2", 1, 0, 1, 0], ["Overall", 4, 2, 1, 1]]
    (drawn,) = charts(book, "Components")
    assert '<c:grouping val="stacked"/>' in drawn
    assert "<c:max " not in drawn  # counts: no axis that ends at one
    assert "Components!$E$2:$E$3" in drawn  # both sheets, not their sum
    numbers = json.loads((tmp_path / "res/metrics.json").read_text("utf-8"))["m"]
    assert numbers["Components"] == {"balanced": 4, "too short": 2, "off the point": 1, "poor": 1}
    assert {sheet: numbers["Sheets"][sheet]["Components"] for sheet in sheets} == {
        sheet: {word: words.count(word) for word in ANSWERS} for sheet, words in sheets.items()
    }
    models = paged(tmp_path / "res/s_info_results.xlsx", "Models")[0]
    assert [models[str(name)] for name in head[1:]] == [4, 2, 1, 1]


@pytest.mark.parametrize("edge", ["0", "0.3", "0.5", "0.55", "1"])
@pytest.mark.usefixtures("workbooks")
def test_components_go_by_both_numbers_and_the_edge(run: Run, tmp_path: Path, edge: str) -> None:
    rng = random.Random(8)
    rows = [(f"i{n:02}", " ".join(scoring(rng.randint(0, 20)).split()[: rng.randint(5, 20)])) for n in range(40)]
    write_csv(tmp_path / "outs/m.csv", [("Idiom", "Prediction"), *rows])
    write_csv(tmp_path / "refs/r.csv", [("idiom", "explanation"), *((idiom, REFERENCE) for idiom, _ in rows)])
    scored(run, "--component-edge", edge)
    words = {(True, True): "balanced", (True, False): "too short", (False, True): "off the point"}
    page: list[dict[str, Any]] = paged(tmp_path / "res/m_s_info.xlsx", "Sheet1")
    expected = [words.get((line["P_ROUGE"] >= float(edge), line["BP"] >= float(edge)), "poor") for line in page]
    assert [line["Component"] for line in page] == expected
    assert len(set(expected)) == (1 if edge == "0" else len(Counter(expected)))


@pytest.mark.parametrize("edge", ["-0.1", "1.1", "nan"])
def test_an_edge_that_no_share_can_reach_is_refused(run: Run, tmp_path: Path, edge: str) -> None:
    write_components(tmp_path)
    ended = run("sinfo", "outs", "refs", "-o", "res", "--component-edge", edge)
    assert ended.code == 2
    assert "component-edge" in ended.err


# --- bands of averages --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "word"),
    [
        ([18] * 12, "high"),
        ([18] * 9, "too few idioms"),
        ([2, 4] * 8, "low"),
        ([20, 2] * 8, "low to moderate"),
        ([20, 20, 2] * 6, "low to high"),
        ([20, 20, 20, 10] * 8, "moderate to high"),
    ],
)
@pytest.mark.usefixtures("workbooks")
def test_an_average_has_the_band_of_its_whole_interval(run: Run, tmp_path: Path, scores: list[int], word: str) -> None:
    idioms = [f"i{n:02}" for n in range(len(scores))]
    write(tmp_path, {"m": dict(zip(idioms, scores, strict=True))}, idioms)
    scored(run)
    line = paged(tmp_path / "res/m_s_info.xlsx", "Summary")[-1]
    assert line["Band"] == word


def test_the_comparison_is_a_table_that_any_program_reads(run: Run, tmp_path: Path) -> None:
    idioms = [f"i{n}" for n in range(7)]
    write(tmp_path, {name: dict.fromkeys(idioms, 10 + k) for k, name in enumerate("abc")}, idioms)
    ended = scored(run, "--json")
    told = json.loads(ended.out)["comparison"]
    with (tmp_path / "res/comparisons.csv").open(encoding="utf-8-sig", newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == len(told) == 9
    assert [list(line) for line in lines] == [list(line) for line in told]
    for line, same in zip(lines, told, strict=True):
        for name, cell in line.items():
            value = same[name]
            assert cell == ("" if value is None else value) if isinstance(value, str | None) else float(cell) == value

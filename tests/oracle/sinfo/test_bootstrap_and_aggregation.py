"""Reports read back and recomputed: rows by the API, means by hand, the interval by another bootstrap."""

from __future__ import annotations

import csv
import math
import random
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import openpyxl
import pytest
from scipy import stats  # type: ignore[import-untyped]

from scoresheet.metrics import brevity_penalty, rouge_l_precision, s_info

pytestmark = pytest.mark.usefixtures("no_workbooks")


class Outcome(Protocol):
    @property
    def code(self) -> int: ...
    @property
    def out(self) -> str: ...
    @property
    def err(self) -> str: ...


class Run(Protocol):
    def __call__(self, *arguments: str) -> Outcome: ...


Rows = Sequence[tuple[str, str]]
Scores = Mapping[str, Sequence[tuple[str, float]]]
Record = dict[str, str]


# --- making inputs, reading reports --------------------------------------------------------------


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def write_model(folder: Path, name: str, sheets: Mapping[str, Rows]) -> None:
    """Write one workbook with a sheet per arrangement."""
    folder.mkdir(parents=True, exist_ok=True)
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in [("Idiom", "Prediction"), *rows]:
            sheet.append(row)
    book.save(folder / f"{name}.xlsx")


def write_references(folder: Path, rows: Iterable[tuple[str, str]], name: str = "explanations.csv") -> None:
    write_csv(folder / name, ["idiom", "explanation"], rows)


def read_csv(path: Path) -> list[Record]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def results(folder: Path) -> dict[str, Record]:
    return {record["Model Name"]: record for record in read_csv(folder / "s_info_results.csv")}


def details(folder: Path, model: str) -> list[Record]:
    return read_csv(folder / f"{model}_s_info.csv")


def sheet_table(folder: Path, model: str, title: str, first: str, *needed: str) -> list[dict[str, Any]]:
    """Return a sheet's rows below the header that names the needed columns, up to the first without a key."""
    book = openpyxl.load_workbook(folder / f"{model}_s_info.xlsx", data_only=True)
    rows = list(book[title].iter_rows(values_only=True))
    book.close()
    start = next(n for n, row in enumerate(rows) if {first, *needed} <= set(row))
    header = [str(cell) for cell in rows[start]]
    table: list[dict[str, Any]] = []
    for row in rows[start + 1 :]:
        record = dict(zip(header, row, strict=True))
        if record[first] in (None, ""):
            break
        table.append(record)
    return table


def summary(folder: Path, model: str) -> dict[str, Any]:
    table = sheet_table(folder, model, "Summary", "Sheet", "Average_S_Info")
    names = [record["Sheet"] for record in table]
    assert names[-1] == "Overall"
    return {record["Sheet"]: record["Average_S_Info"] for record in table}


def number(text: str) -> float:
    return math.nan if text == "" else float(text)


def interval(record: Record) -> tuple[float, float]:
    return float(record["CI_Low"]), float(record["CI_High"])


def same(value: float) -> Any:
    return pytest.approx(value, rel=1e-12, abs=1e-15, nan_ok=True)


# --- texts whose score is known by construction ---------------------------------------------------

PARTS = 20
REFERENCE = " ".join(f"w{n:02}" for n in range(PARTS))


def scoring(twentieths: int) -> str:
    """Return an answer to REFERENCE of its very length with that many of its twenty words: BP 1, P = n/20."""
    kept = [f"w{n:02}" for n in range(twentieths)]
    return " ".join(kept + [f"x{n:02}" for n in range(PARTS - twentieths)])


def answers(scores: Mapping[str, Sequence[tuple[str, int]]]) -> dict[str, list[tuple[str, str]]]:
    return {sheet: [(idiom, scoring(n)) for idiom, n in rows] for sheet, rows in scores.items()}


def as_scores(twentieths: Mapping[str, Sequence[tuple[str, int]]]) -> dict[str, list[tuple[str, float]]]:
    return {sheet: [(idiom, n / PARTS) for idiom, n in rows] for sheet, rows in twentieths.items()}


def write_known(
    folder: Path, twentieths: Mapping[str, Sequence[tuple[str, int]]], model: str = "model"
) -> dict[str, list[tuple[str, float]]]:
    """Write a model whose rows score what is asked for, and the references; return the scores."""
    write_model(folder / "outs", model, answers(twentieths))
    idioms = sorted({idiom for rows in twentieths.values() for idiom, _ in rows})
    write_references(folder / "refs", [(idiom, REFERENCE) for idiom in idioms])
    return as_scores(twentieths)


def score(run: Run, *options: str, out: str = "res") -> Outcome:
    return run("sinfo", "outs", "refs", "-o", out, "--no-progress", *options)


# --- the plain oracles ----------------------------------------------------------------------------


def overall(scores: Scores) -> float:
    """Return the mean of the averages of the sheets that have a score."""
    return statistics.fmean(statistics.fmean(v for _, v in rows) for rows in scores.values() if rows)


def pooled(scores: Scores) -> float:
    return statistics.fmean(value for rows in scores.values() for _, value in rows)


def bootstrap(scores: Scores, *, pool: bool = False) -> tuple[float, float]:
    """Return the expanded 95 % percentile interval; both kernels are held against the same one."""
    return _bootstrap(tuple(tuple(rows) for rows in scores.values()), pool, 2_000)


@cache
def _bootstrap(sheets: Sequence[Sequence[tuple[str, float]]], pool: bool, resamples: int) -> tuple[float, float]:
    """Return the interval, drawing idioms once per resample for all sheets."""
    idioms = sorted({idiom for rows in sheets for idiom, _ in rows})
    groups: list[dict[str, tuple[int, float]]] = []  # how many values an idiom has in a sheet, and their sum
    for rows in sheets:
        found: dict[str, list[float]] = defaultdict(list)
        for idiom, value in rows:
            found[idiom].append(value)
        groups.append({idiom: (len(scored), sum(scored)) for idiom, scored in found.items()})
    rng = random.Random("another generator, another stream")
    values: list[float] = []
    for _ in range(resamples):
        drawn = Counter(rng.choices(idioms, k=len(idioms)))
        sums, sizes = [], []
        for group in groups:
            size = sum(drawn[idiom] * count for idiom, (count, _) in group.items())
            if size:
                sizes.append(size)
                sums.append(sum(drawn[idiom] * total for idiom, (_, total) in group.items()))
        if pool:
            values.append(sum(sums) / sum(sizes))
        else:
            values.append(statistics.fmean(s / n for s, n in zip(sums, sizes, strict=True)))
    size = len(idioms)
    tail = float(stats.norm.cdf(-stats.t.ppf(0.975, size - 1) * math.sqrt(size / (size - 1))))
    low, high = np.quantile(values, [tail, 1 - tail]).tolist()
    return low, high


# --- rows -----------------------------------------------------------------------------------------

POOL = ["the cat", "sat", "on a", "mat.", "Mat", "猫", "喜爱得", "放手。", "น้ำ", "cafe\u0301", "3.5", "!"]
OPTION_SETS: list[tuple[list[str], dict[str, Any]]] = [
    ([], {}),
    (["--rouge", "lin"], {"rouge": "lin"}),
    (["--rouge", "charset"], {"rouge": "charset"}),
    (["--tokenizer", "whitespace"], {"tokenizer": "whitespace"}),
    (["--tokenizer", "chars"], {"tokenizer": "chars"}),
    (["--length", "tokens"], {"length": "tokens"}),
    (
        ["--rouge", "lin", "--tokenizer", "chars", "--length", "tokens"],
        {"rouge": "lin", "tokenizer": "chars", "length": "tokens"},
    ),
]


def random_answer(rng: random.Random) -> str:
    return " ".join(rng.choices(POOL, k=rng.randint(1, 9)))


@pytest.mark.parametrize(("arguments", "options"), OPTION_SETS)
def test_every_row_of_the_csv_holds_the_numbers_of_the_api(
    run: Run, tmp_path: Path, arguments: list[str], options: dict[str, Any]
) -> None:
    rng = random.Random(41)
    references = {f"idiom {n}": random_answer(rng) for n in range(12)}
    sheets = {
        title: [(idiom, random_answer(rng)) for idiom in rng.sample(sorted(references), 10)]
        for title in ("one", "two", "three")
    }
    write_model(tmp_path / "outs", "book", sheets)
    lone = [(idiom, random_answer(rng)) for idiom in references]
    write_csv(tmp_path / "outs" / "lone.csv", ["Idiom", "Prediction"], lone)
    write_references(tmp_path / "refs", references.items())
    assert score(run, *arguments).code == 0

    for model, given in (("book", sheets), ("lone", {"Sheet1": lone})):
        records = iter(details(tmp_path / "res", model))
        for title, rows in given.items():
            for (idiom, prediction), record in zip(rows, records, strict=False):
                assert (record["Sheet"], record["Idiom"]) == (title, idiom)
                pair = (prediction, references[idiom])
                for_precision = {k: v for k, v in options.items() if k in ("rouge", "tokenizer")}
                for_penalty = {k: v for k, v in options.items() if k in ("length", "tokenizer")}
                assert float(record["P_ROUGE"]) == rouge_l_precision(*pair, **for_precision)
                assert float(record["BP"]) == brevity_penalty(*pair, **for_penalty)
                assert float(record["S_Info"]) == s_info(*pair, **options)
        assert next(records, None) is None


def test_a_csv_with_a_sheet_column_averages_like_the_workbook_of_its_sheets(run: Run, tmp_path: Path) -> None:
    known = {"p1": [("i1", 20), ("i2", 10), ("i3", 3)], "p2": [("i1", 8)]}
    write_known(tmp_path, known, "book")
    write_csv(
        tmp_path / "outs" / "table.csv",
        ["Sheet", "Idiom", "Prediction"],
        [(sheet, *row) for sheet, rows in answers(known).items() for row in rows],
    )
    assert score(run).code == 0
    lines = results(tmp_path / "res")
    measures = ("S_Info", "CI_Low", "CI_High", "Rows", "Scored", "Coverage", "Status")
    assert [lines["book"][name] for name in measures] == [lines["table"][name] for name in measures]


# --- means ----------------------------------------------------------------------------------------

UNEVEN = {
    "permutation1": [("i1", 20), ("i2", 19), ("i3", 7), ("i4", 16), ("i5", 2)],
    "permutation2": [("i1", 3), ("i2", 4)],
    "permutation3": [("i6", 11)],
}


@pytest.mark.usefixtures("workbooks")
def test_a_sheets_average_is_the_mean_of_its_rows_and_overall_the_mean_of_the_averages(
    run: Run, tmp_path: Path
) -> None:
    scores = write_known(tmp_path, UNEVEN)
    assert score(run).code == 0
    table = summary(tmp_path / "res", "model")
    assert list(table) == [*UNEVEN, "Overall"]
    for sheet, rows in scores.items():
        assert table[sheet] == same(statistics.fmean(value for _, value in rows))
    assert table["Overall"] == same(overall(scores))
    assert float(results(tmp_path / "res")["model"]["S_Info"]) == same(overall(scores))
    assert overall(scores) != same(pooled(scores))  # the two rules are told apart here


@pytest.mark.usefixtures("workbooks")
def test_aggregate_rows_pools_the_rows_of_all_sheets(run: Run, tmp_path: Path) -> None:
    scores = write_known(tmp_path, UNEVEN)
    assert score(run, "--aggregate", "rows").code == 0
    table = summary(tmp_path / "res", "model")
    assert table["Overall"] == same(pooled(scores))
    assert table["permutation2"] == same(statistics.fmean(value for _, value in scores["permutation2"]))
    assert float(results(tmp_path / "res")["model"]["S_Info"]) == same(pooled(scores))


def test_the_csv_alone_gives_back_the_models_score(run: Run, tmp_path: Path) -> None:
    rng = random.Random(9)
    references = {f"idiom {n}": random_answer(rng) for n in range(8)}
    sheets = {
        f"s{k}": [(idiom, random_answer(rng)) for idiom in rng.sample(sorted(references), 3 + k)] for k in range(4)
    }
    write_model(tmp_path / "outs", "model", sheets)
    write_references(tmp_path / "refs", references.items())
    assert score(run).code == 0
    by_sheet: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for record in details(tmp_path / "res", "model"):
        by_sheet[record["Sheet"]].append((record["Idiom"], float(record["S_Info"])))
    assert float(results(tmp_path / "res")["model"]["S_Info"]) == same(overall(by_sheet))


@pytest.mark.usefixtures("workbooks")
@pytest.mark.parametrize("aggregate", ["sheets", "rows"])
def test_a_sheet_without_a_scored_row_is_not_in_overall(run: Run, tmp_path: Path, aggregate: str) -> None:
    known = {"good": [("i1", 20), ("i2", 10)], "also good": [("i1", 5)]}
    sheets: dict[str, list[tuple[str, str]]] = answers(known)
    sheets["silent"] = [("i1", "..."), ("i2", " "), ("nobody explains this", "w00")]
    write_model(tmp_path / "outs", "model", sheets)
    write_references(tmp_path / "refs", [("i1", REFERENCE), ("i2", REFERENCE)])
    assert score(run, "--aggregate", aggregate).code in (0, 3)
    expected = overall(as_scores(known)) if aggregate == "sheets" else pooled(as_scores(known))
    line = results(tmp_path / "res")["model"]
    assert float(line["S_Info"]) == same(expected)
    assert (line["Rows"], line["Scored"]) == ("6", "3")
    table = summary(tmp_path / "res", "model")
    assert table["Overall"] == same(expected)
    assert table.get("silent") in (None, "")
    problems = read_csv(tmp_path / "res" / "problems.csv")
    assert "silent" in {problem["sheet"] for problem in problems}


# --- rows without a score -------------------------------------------------------------------------


def write_gaps(folder: Path, model: str = "model") -> None:
    """Five rows: scores 1, 0.5 and 0, an empty prediction, an idiom nobody explains."""
    rows = [
        ("i1", scoring(20)),
        ("i2", scoring(10)),
        ("i3", scoring(0)),
        ("i4", " .. "),
        ("i5", scoring(20)),
    ]
    write_model(folder / "outs", model, {"only": rows})
    write_references(folder / "refs", [(f"i{n}", REFERENCE) for n in range(1, 5)])


def test_missing_rows_have_no_score_and_lower_coverage_only(run: Run, tmp_path: Path) -> None:
    write_gaps(tmp_path)
    assert score(run).code == 0
    line = results(tmp_path / "res")["model"]
    assert float(line["S_Info"]) == same(0.5)
    assert (line["Rows"], line["Scored"], line["Status"]) == ("5", "3", "ok")
    assert float(line["Coverage"]) == same(3 / 5)
    records = details(tmp_path / "res", "model")
    assert [number(record["S_Info"]) for record in records] == [1.0, 0.5, 0.0, same(math.nan), same(math.nan)]
    assert [records[3][name] for name in ("P_ROUGE", "BP", "S_Info")] == ["", "", ""]
    kinds = {problem["row"]: problem["kind"] for problem in read_csv(tmp_path / "res" / "problems.csv")}
    assert (kinds["5"], kinds["6"]) == ("empty-prediction", "no-reference")


def test_a_true_zero_is_a_score(run: Run, tmp_path: Path) -> None:
    write_known(tmp_path, {"only": [("i1", 0), ("i2", 0)]})
    assert score(run).code == 0
    line = results(tmp_path / "res")["model"]
    assert (float(line["S_Info"]), line["Scored"], float(line["Coverage"])) == (0.0, "2", 1.0)
    assert not line["S_Info"].startswith("-")


def test_missing_nan_is_the_default(run: Run, tmp_path: Path) -> None:
    write_gaps(tmp_path)
    assert score(run).code == score(run, "--missing", "nan", out="named").code == 0
    assert results(tmp_path / "res") == results(tmp_path / "named")


def test_missing_zero_counts_in_the_mean_and_in_scored_but_not_in_coverage(run: Run, tmp_path: Path) -> None:
    write_gaps(tmp_path)
    assert score(run, "--missing", "zero").code == 0
    line = results(tmp_path / "res")["model"]
    assert float(line["S_Info"]) == same(1.5 / 5)
    assert (line["Rows"], line["Scored"]) == ("5", "5")
    assert float(line["Coverage"]) == same(3 / 5)


def test_missing_zero_brings_a_silent_sheet_into_overall_as_zero(run: Run, tmp_path: Path) -> None:
    sheets = answers({"good": [("i1", 20)]}) | {"silent": [("i1", ""), ("i2", "...")]}
    write_model(tmp_path / "outs", "model", sheets)
    write_references(tmp_path / "refs", [("i1", REFERENCE), ("i2", REFERENCE)])
    assert score(run, "--missing", "zero").code in (0, 3)
    assert float(results(tmp_path / "res")["model"]["S_Info"]) == same(0.5)
    assert score(run, "--missing", "zero", "--aggregate", "rows", out="pooled").code in (0, 3)
    assert float(results(tmp_path / "pooled")["model"]["S_Info"]) == same(1 / 3)


def test_missing_error_fails_that_model_and_no_other(run: Run, tmp_path: Path) -> None:
    write_gaps(tmp_path, "gappy")
    write_model(tmp_path / "outs", "whole", answers({"only": [("i1", 20), ("i2", 5)]}))
    assert score(run, "--missing", "error").code == 3
    lines = results(tmp_path / "res")
    assert (lines["gappy"]["Status"], lines["gappy"]["S_Info"]) == ("failed", "")
    assert (lines["gappy"]["CI_Low"], lines["gappy"]["CI_High"]) == ("", "")
    assert (lines["whole"]["Status"], float(lines["whole"]["S_Info"])) == ("ok", same(0.625))


def test_missing_error_with_no_other_model_scores_nothing(run: Run, tmp_path: Path) -> None:
    write_gaps(tmp_path)
    assert score(run, "--missing", "error").code == 4


def test_missing_error_does_not_mind_complete_models(run: Run, tmp_path: Path) -> None:
    write_known(tmp_path, UNEVEN)
    assert score(run, "--missing", "error").code == 0


def test_a_model_without_any_scored_row_is_listed_as_unscored(run: Run, tmp_path: Path) -> None:
    write_known(tmp_path, {"only": [("i1", 20), ("i2", 4)]}, "fine")
    write_model(tmp_path / "outs", "silent", {"only": [("i1", "."), ("i2", "")]})
    assert score(run).code in (0, 3)
    line = results(tmp_path / "res")["silent"]
    assert (line["Status"], line["S_Info"], line["Rows"], line["Scored"]) == ("unscored", "", "2", "0")
    assert float(line["Coverage"]) == 0.0
    assert float(results(tmp_path / "res")["fine"]["S_Info"]) == same(0.6)


# --- several references ---------------------------------------------------------------------------

EITHER = ["a b c d e", "a b x", "q"]
ANSWER = "a b c"
WAYS = [
    "in one cell",
    "in a cell with empty parts",
    "in repeated rows",
    "with one of them twice",
    "in several files",
]


def write_several(folder: Path, how: str) -> None:
    write_model(folder / "outs", "model", {"only": [("i1", ANSWER), ("i2", ANSWER)]})
    if how == "in one cell":
        write_references(folder / "refs", [("i1", "||".join(EITHER)), ("i2", "a")])
    elif how == "in a cell with empty parts":
        write_references(folder / "refs", [("i1", "|| " + " || ||".join(EITHER) + "||"), ("i2", "a")])
    elif how == "in repeated rows":
        write_references(folder / "refs", [("i1", text) for text in EITHER] + [("i2", "a")])
    elif how == "with one of them twice":
        write_references(folder / "refs", [("i1", text) for text in [*EITHER, EITHER[1]]] + [("i2", "a")])
    else:
        write_references(folder / "refs", [("i1", EITHER[0]), ("i2", "a")], "first.csv")
        write_references(folder / "refs", [("i1", EITHER[1])], "second.csv")
        write_references(folder / "refs", [("i1", EITHER[2])], "third.csv")


@pytest.mark.usefixtures("workbooks")
@pytest.mark.parametrize("references_by", ["max", "mean", "first"])
@pytest.mark.parametrize("how", WAYS)
def test_several_references_combine_as_in_the_api(run: Run, tmp_path: Path, how: str, references_by: str) -> None:
    write_several(tmp_path, how)
    assert score(run, "--references-by", references_by).code == 0
    record = details(tmp_path / "res", "model")[0]
    precisions = [rouge_l_precision(ANSWER, text) for text in EITHER]
    penalties = [brevity_penalty(ANSWER, text) for text in EITHER]
    products = [p * b for p, b in zip(precisions, penalties, strict=True)]
    best = products.index(max(products))
    expected = {
        "max": (precisions[best], penalties[best], products[best]),
        "mean": (statistics.fmean(precisions), statistics.fmean(penalties), statistics.fmean(products)),
        "first": (precisions[0], penalties[0], products[0]),
    }[references_by]
    assert (float(record["P_ROUGE"]), float(record["BP"]), float(record["S_Info"])) == (
        same(expected[0]),
        same(expected[1]),
        same(expected[2]),
    )
    options: dict[str, Any] = {"references_by": references_by}
    assert float(record["S_Info"]) == same(s_info(ANSWER, EITHER, **options))
    shown = sheet_table(tmp_path / "res", "model", "only", "Idiom", "References", "Reference")
    assert [int(row["References"]) for row in shown] == [3, 1]


@pytest.mark.usefixtures("workbooks")
def test_the_winning_reference_is_shown_and_the_first_one_on_a_tie(run: Run, tmp_path: Path) -> None:
    write_model(tmp_path / "outs", "model", {"only": [("i1", "a b"), ("i2", "a b")]})
    write_references(tmp_path / "refs", [("i1", "x y||a b||q r"), ("i2", "a x||x b||a y")])
    assert score(run).code == 0
    shown = sheet_table(tmp_path / "res", "model", "only", "Idiom", "Reference")
    assert [row["Reference"] for row in shown] == ["a b", "a x"]


def test_without_a_separator_the_cell_is_one_reference(run: Run, tmp_path: Path) -> None:
    write_several(tmp_path, "in one cell")
    assert score(run, "--reference-separator", "").code == 0
    assert float(details(tmp_path / "res", "model")[0]["S_Info"]) == s_info(ANSWER, "||".join(EITHER))


# --- the interval ---------------------------------------------------------------------------------


def many(seed: int, count: int = 60) -> list[tuple[str, int]]:
    rng = random.Random(seed)
    return [(f"idiom {n:02}", min(PARTS, max(0, round(rng.gauss(11, 5))))) for n in range(count)]


def across_sheets() -> dict[str, list[tuple[str, int]]]:
    """The same idioms score alike on each sheet: five times the rows, no more evidence."""
    return {f"p{k}": many(1) for k in range(5)}


def lopsided() -> dict[str, list[tuple[str, int]]]:
    """Idioms with one to six rows, sheets of different size and level, an idiom's rows alike."""
    rng = random.Random(5)
    sheets: dict[str, list[tuple[str, int]]] = {"large": [], "small": [], "tiny": []}
    for idiom, n in many(2):
        sheets["large"] += [(idiom, n)] * rng.choice([1, 1, 2, 6])
        if rng.random() < 0.4:
            sheets["small"].append((idiom, min(PARTS, n + 4)))
        if rng.random() < 0.1:
            sheets["tiny"].append((idiom, max(0, n - 4)))
    return sheets


def vanishing() -> dict[str, list[tuple[str, int]]]:
    """One sheet stands on a single idiom, which about 36 % of the resamples miss."""
    return {"usual": [(idiom, n // 2) for idiom, n in many(3)], "lonely": [("the only one", 20)]}


LAYOUTS = {
    "one sheet": lambda: {"only": many(1)},
    "five sheets alike": across_sheets,
    "lopsided": lopsided,
    "a sheet that vanishes": vanishing,
}


@pytest.mark.parametrize("aggregate", ["sheets", "rows"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_interval_agrees_with_another_bootstrap_over_idioms(
    run: Run, tmp_path: Path, layout: str, aggregate: str
) -> None:
    scores = write_known(tmp_path, LAYOUTS[layout]())
    assert score(run, "--aggregate", aggregate).code == 0
    low, high = interval(results(tmp_path / "res")["model"])
    expected = bootstrap(scores, pool=aggregate == "rows")
    assert low == pytest.approx(expected[0], abs=0.02)
    assert high == pytest.approx(expected[1], abs=0.02)


@pytest.mark.parametrize("layout", ["one sheet", "five sheets alike"])
def test_the_interval_holds_the_mean_and_stays_within_the_idioms_means(run: Run, tmp_path: Path, layout: str) -> None:
    scores = write_known(tmp_path, LAYOUTS[layout]())
    assert score(run).code == 0
    line = results(tmp_path / "res")["model"]
    low, high = interval(line)
    by_idiom: dict[str, list[float]] = defaultdict(list)
    for rows in scores.values():
        for idiom, value in rows:
            by_idiom[idiom].append(value)
    means = [statistics.fmean(values) for values in by_idiom.values()]
    assert min(means) <= low < float(line["S_Info"]) < high <= max(means)


def test_missing_zero_rows_are_resampled_too(run: Run, tmp_path: Path) -> None:
    known = many(4)
    silent = [f"silent {n:02}" for n in range(25)]
    rows = answers({"only": known})["only"] + [(idiom, ".") for idiom in silent]
    write_model(tmp_path / "outs", "model", {"only": rows})
    write_references(tmp_path / "refs", [(idiom, REFERENCE) for idiom in [i for i, _ in known] + silent])
    assert score(run, "--missing", "zero").code == 0
    scores = {"only": [*as_scores({"only": known})["only"], *((idiom, 0.0) for idiom in silent)]}
    low, high = interval(results(tmp_path / "res")["model"])
    expected = bootstrap(scores)
    assert low == pytest.approx(expected[0], abs=0.02)
    assert high == pytest.approx(expected[1], abs=0.02)


def test_a_rerun_gives_the_same_digits_whatever_the_jobs(run: Run, tmp_path: Path) -> None:
    write_known(tmp_path, lopsided(), "first")
    write_model(tmp_path / "outs", "second", answers({"only": many(6)}))
    assert score(run).code == 0
    once = (tmp_path / "res" / "s_info_results.csv").read_bytes()
    assert score(run).code == 0
    assert (tmp_path / "res" / "s_info_results.csv").read_bytes() == once
    assert score(run, "-j", "2", out="elsewhere").code == 0
    assert (tmp_path / "elsewhere" / "s_info_results.csv").read_bytes() == once


def test_another_seed_moves_the_interval_a_little_and_the_score_not_at_all(run: Run, tmp_path: Path) -> None:
    write_known(tmp_path, lopsided())
    for seed in ("0", "1", "2"):
        assert score(run, "--seed", seed, out=f"seed{seed}").code == 0
    assert score(run).code == 0
    lines = [results(tmp_path / out)["model"] for out in ("res", "seed0", "seed1", "seed2")]
    assert lines[0] == lines[1]  # zero is the default
    assert len({interval(line) for line in lines}) == 3
    assert len({line["S_Info"] for line in lines}) == 1
    for low, high in map(interval, lines):
        assert (low, high) == pytest.approx(interval(lines[0]), abs=0.02)


def test_a_models_interval_does_not_depend_on_the_other_models(run: Run, tmp_path: Path) -> None:
    write_known(tmp_path, {"only": many(1)}, "m")
    assert score(run).code == 0
    alone = results(tmp_path / "res")["m"]
    for name, seed in (("a", 7), ("z", 8)):
        write_model(tmp_path / "outs", name, answers({"only": many(seed, 30)}))
    assert score(run, out="together").code == 0
    standing = dict.fromkeys(("Rank", "Shared", "On_Shared"))  # which a lone model has none of
    assert results(tmp_path / "together")["m"] | standing == alone | standing


def test_the_interval_is_the_expanded_middle_95_percent(run: Run, tmp_path: Path) -> None:
    # Eight ones and eight zeros: a resample's mean is Binomial(16, 1/2) / 16. P(X <= 3) = 0.011 and
    # P(X <= 4) = 0.038. The tail of an expanded 95 % interval of 16 units is 0.014, so it ends at 4/16; that of an
    # 80 % interval is 0.083, and P(X <= 5) = 0.105: it ends at 5/16.
    write_known(tmp_path, {"only": [(f"i{n:02}", 20 * (n % 2)) for n in range(16)]})
    assert score(run).code == 0
    assert interval(results(tmp_path / "res")["model"]) == (same(4 / 16), same(12 / 16))
    assert score(run, "--ci", "0.8", out="narrow").code == 0
    assert interval(results(tmp_path / "narrow")["model"]) == (same(5 / 16), same(11 / 16))


@pytest.mark.parametrize("idioms", [2, 3, 4, 5])
def test_fewer_than_five_idioms_have_no_interval_and_the_table_says_why(run: Run, tmp_path: Path, idioms: int) -> None:
    write_known(tmp_path, {"only": [(f"i{n}", 4 + n) for n in range(idioms)]})
    ended = score(run)
    assert ended.code == 0
    line = results(tmp_path / "res")["model"]
    why = f"too few idioms for an interval: {idioms}, at least 5 are needed"
    assert (line["CI_Low"] == "", line["CI_Note"]) == ((True, why) if idioms < 5 else (False, ""))
    assert (why in ended.out) == (idioms < 5)


def test_equal_scores_leave_an_interval_of_no_width(run: Run, tmp_path: Path) -> None:
    write_known(tmp_path, {"p1": [(f"i{n}", 7) for n in range(9)], "p2": [("i1", 7)]})
    assert score(run).code == 0
    assert interval(results(tmp_path / "res")["model"]) == (same(0.35), same(0.35))


def test_one_idiom_has_no_interval_however_many_rows_it_has(run: Run, tmp_path: Path) -> None:
    write_known(tmp_path, {"p1": [("i1", 4), ("i1", 16), ("i1", 9)], "p2": [("i1", 20)]})
    assert score(run).code == 0
    line = results(tmp_path / "res")["model"]
    assert float(line["S_Info"]) == same((29 / 60 + 1) / 2)
    assert (line["CI_Low"], line["CI_High"]) == ("", "")


def test_one_scored_idiom_beside_unscored_ones_has_no_interval(run: Run, tmp_path: Path) -> None:
    write_model(tmp_path / "outs", "model", {"only": [("i1", scoring(9)), ("i2", ""), ("i3", "...")]})
    write_references(tmp_path / "refs", [(f"i{n}", REFERENCE) for n in (1, 2, 3)])
    assert score(run).code == 0
    line = results(tmp_path / "res")["model"]
    assert float(line["S_Info"]) == same(0.45)
    assert (line["CI_Low"], line["CI_High"]) == ("", "")


# --- bands ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("workbooks")
def test_bands_are_half_open_at_one_half_and_four_fifths(run: Run, tmp_path: Path) -> None:
    twentieths = [0, 9, 10, 11, 15, 16, 17, 20]
    write_known(tmp_path, {"only": [(f"i{n}", n) for n in twentieths]})
    assert score(run).code == 0
    shown = sheet_table(tmp_path / "res", "model", "only", "Idiom", "S_Info", "Band")
    assert [row["S_Info"] for row in shown] == [same(n / PARTS) for n in twentieths]
    assert [row["Band"] for row in shown] == ["low"] * 2 + ["moderate"] * 3 + ["high"] * 3


@pytest.mark.usefixtures("workbooks")
def test_a_mean_that_rounding_left_just_below_an_edge_is_in_the_upper_band(run: Run, tmp_path: Path) -> None:
    assert statistics.fmean([0.7, 0.8, 0.9]) < 0.8  # by rounding alone
    ten = [f"w{n}" for n in range(10)]

    def sharing(count: int) -> str:
        return " ".join(ten[:count] + ["xx"] * (10 - count))

    write_model(tmp_path / "outs", "model", {"only": [("i1", " ".join(ten)), ("i2", "nothing shared")]})
    write_references(tmp_path / "refs", [("i1", "||".join(map(sharing, (7, 8, 9)))), ("i2", "other words..")])
    assert score(run, "--references-by", "mean").code == 0
    shown = sheet_table(tmp_path / "res", "model", "only", "Idiom", "S_Info", "Band")
    assert shown[0]["S_Info"] == same(0.8)
    assert [row["Band"] for row in shown] == ["high", "low"]


@pytest.mark.usefixtures("workbooks")
def test_a_row_without_a_score_has_no_band(run: Run, tmp_path: Path) -> None:
    write_gaps(tmp_path)
    assert score(run).code == 0
    shown = sheet_table(tmp_path / "res", "model", "only", "Idiom", "Band")
    assert [row["Band"] or "" for row in shown] == ["high", "moderate", "low", "", ""]

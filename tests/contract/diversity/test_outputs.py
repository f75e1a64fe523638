"""What is in the reports of `diversity`, and are the numbers those that a person would work out?"""

from __future__ import annotations

import json
import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product
from pathlib import Path

import pytest

from tests.helpers.by_hand import gini, holm, mean
from tests.helpers.charts import charts
from tests.helpers.diversity import GRADED, JUDGED, RANKED, Row, Study, judged, ranked
from tests.helpers.files import digests, header, sheet_names, sheet_rows, sheet_text, write_book, write_csv
from tests.helpers.json_values import holds, leaves, nested, refuse
from tests.helpers.runs import Run, called_in

MEASURES = (
    *("S_Recall", "S_Entropy", "S_Entropy_Norm", "Gini", "Proportionality", "alpha_DCG", "alpha_nDCG", "ERR_IA"),
    *("ILD", "EILD", "EILD_Norm"),
)
QUERY_COLUMNS = ["Sheet", "Query", "Subtopics", "Retrieved"]
LAST_COLUMNS = [
    *("CI_Low", "CI_High", "CI_Note", "Queries", "Judged", "Answered", "Rank", "Shared", "On_Shared"),
    *("Rows", "Scored", "Coverage", "Status"),
]
SUBTOPICS_COLUMNS = ["Sheet", "Query", "Rank", "Item", "Adds", "Repeats", "Covered", "S_Recall"]
RESULTS = "diversity_results.xlsx"

Judgments = dict[str, dict[str, int]]  # subtopic, item, grade


def columns(*cutoffs: int) -> list[str]:
    """The measures, cut-off by cut-off, with the share of items that were judged."""
    return [f"{measure}@{k}" for k in cutoffs for measure in (*MEASURES, "Judged")]


# --- the same numbers, worked out again in plain Python ---------------------------------------------------------------


@dataclass(frozen=True)
class Choices:
    """The options that change a number."""

    cutoffs: tuple[int, ...] = (2, 5, 10)
    alpha: float = 0.5
    base: float = math.e
    graded: bool = False
    max_grade: int = 0
    ndeval: bool = False


@dataclass(frozen=True)
class Topic:
    """What the judgments say of one query: how relevant each item is to each subtopic that has a relevant one."""

    relevance: Mapping[str, Mapping[str, float]]
    judged: frozenset[str] = frozenset()

    @property
    def pool(self) -> list[str]:
        """All relevant items."""
        return sorted({item for items in self.relevance.values() for item in items})

    def rel(self, subtopic: str, item: str) -> float:
        """How relevant an item is to a subtopic, from 0 to 1."""
        return self.relevance[subtopic].get(item, 0)

    def best(self, item: str) -> float:
        """How relevant an item is to the subtopic it suits best."""
        return max(self.rel(subtopic, item) for subtopic in self.relevance)

    def of(self, item: str) -> list[str]:
        """The subtopics an item is relevant to."""
        return [subtopic for subtopic, items in self.relevance.items() if item in items]


def topic_of(judgments: Judgments, grades: Iterable[int], max_grade: int) -> Topic:
    """The relevance of items to subtopics; an item without a grade above 0 is not there."""
    top = max(grades)

    def mapped(grade: int) -> float:
        if max_grade == 0 and top <= 1:
            return grade
        return float((2**grade - 1) / 2 ** (max_grade or top))

    relevant = {s: {item: mapped(g) for item, g in items.items() if g > 0} for s, items in judgments.items()}
    judged_items = frozenset(item for items in judgments.values() for item in items)
    return Topic({subtopic: items for subtopic, items in relevant.items() if items}, judged_items)


def gains(items: Sequence[str], topic: Topic, chosen: Choices) -> list[float]:
    """What each item adds, less what was seen before, discounted by its rank."""
    seen: Counter[str] = Counter()
    found = []
    for rank, item in enumerate(items, 1):
        subtopics = topic.of(item)
        weights = [topic.rel(s, item) if chosen.graded else 1 for s in subtopics]
        gain = sum(w * (1 - chosen.alpha) ** seen[s] for s, w in zip(subtopics, weights, strict=True))
        found.append(gain / math.log2(rank + 1))
        seen.update(subtopics)
    return found


def ideal(topic: Topic, k: int, chosen: Choices) -> float:
    """The most that k items can gain: the best of all lists, or the list of the TREC tool."""
    if not chosen.ndeval:
        lists = permutations(topic.pool, min(k, len(topic.pool)))
        return max(sum(gains(items, topic, chosen)) for items in lists)
    items: list[str] = []
    for _ in range(min(k, len(topic.pool))):
        left = [item for item in topic.pool if item not in items]
        items.append(max(left, key=lambda item: (gains([*items, item], topic, chosen)[-1], item)))
    return sum(gains(items, topic, chosen))


def err(items: Sequence[str], topic: Topic, subtopic: str, half: bool) -> float:
    """The expected reciprocal rank at which a user with this in mind is content."""
    unmet, total = 1.0, 0.0
    for rank, item in enumerate(items, 1):
        rel = topic.rel(subtopic, item)
        if half and rel:
            rel = 0.5
        total += unmet * rel / rank
        unmet *= 1 - rel
    return total


def spread(items: Sequence[str], topic: Topic, chosen: Choices) -> dict[str, float | None]:
    """How the items spread over the subtopics."""
    counts = [sum(item in held for item in items) for held in topic.relevance.values()]
    n, total = len(counts), sum(counts)
    found: dict[str, float | None] = {"S_Recall": sum(c > 0 for c in counts) / n}
    found |= dict.fromkeys(("S_Entropy", "S_Entropy_Norm", "Gini", "Proportionality"))
    if total:
        entropy = sum(c / total * math.log(total / c) for c in counts if c)
        found["S_Entropy"] = entropy / math.log(chosen.base)
        found["Proportionality"] = 1 - sum(abs(c / total - 1 / n) for c in counts) / 2
        if n > 1:
            found["S_Entropy_Norm"] = entropy / math.log(n)
            found["Gini"] = gini(counts)
    return found


def distance(one: Sequence[float], other: Sequence[float]) -> float:
    """One less the cosine."""
    product = math.fsum(x * y for x, y in zip(one, other, strict=True))
    return 1 - product / math.hypot(*one) / math.hypot(*other)


def apart(items: Sequence[str], topic: Topic) -> dict[str, float | None]:
    """How far the items are from each other, and from each other where they are relevant."""
    n, p = len(items), [topic.best(item) for item in items]
    d = [[distance(FEATURES[one], FEATURES[other]) for other in items] for one in items]
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
    above = below = 0.0
    for i in range(n):
        near = {j: 0.85 ** (max(1, j - i) - 1) * p[j] for j in range(n) if j != i}
        if sum(near.values()):
            above += 0.85**i * p[i] * sum(w * d[i][j] for j, w in near.items()) / sum(near.values())
        below += 0.85**i
    return {
        "ILD": sum(d[i][j] for i, j in pairs) / (n * (n - 1)) if n > 1 else None,
        "EILD": sum(p[i] * p[j] * d[i][j] for i, j in pairs),
        "EILD_Norm": above / below if n > 1 else None,
    }


def expected(items: str, topic: Topic, chosen: Choices) -> dict[str, float | None]:
    """Every measure of one list at every cut-off."""
    found: dict[str, float | None] = {}
    n = len(topic.relevance)
    for k in chosen.cutoffs:
        top = items[:k]
        gained = sum(gains(top, topic, chosen))
        values = spread(top, topic, chosen) | apart(top, topic)
        values["alpha_DCG"] = gained / n
        values["alpha_nDCG"] = gained / ideal(topic, k, chosen)
        content = sum(err(top, topic, s, chosen.ndeval) for s in topic.relevance) / n
        values["ERR_IA"] = content
        if chosen.ndeval:
            values["alpha_DCG"] = gained / n / sum(0.5 ** (i - 1) / math.log2(i + 1) for i in range(1, k + 1))
            values["ERR_IA"] = 2 * content / sum(0.5 ** (i - 1) / i for i in range(1, k + 1))
        values["Judged"] = sum(item in topic.judged for item in top) / len(top)
        found |= {f"{measure}@{k}": values[measure] for measure in (*MEASURES, "Judged")}
    return found


# --- a study of graded judgments, scored once -------------------------------------------------------------------------

GRADES: dict[str, Judgments] = {
    "q1": {"a": {"A": 3, "B": 1}, "b": {"B": 2, "C": 1}, "c": {"D": 1}, "d": {"E": 0}},
    "q2": {"a": {"A": 1, "B": 1, "F": 2}, "b": {"C": 1}},
    "q3": {"a": {"Z": 1}, "b": {"Y": 2}},
    "q4": {"a": {"A": 2, "B": 1}},
}
LISTS: dict[tuple[str, str], dict[str, str]] = {
    ("m", "s1"): {"q1": "ABXCDE", "q2": "CAXFB", "q3": "ABZ"},
    ("m", "s2"): {"q1": "DCB", "q4": "XAB"},
    ("n", "s1"): {"q1": "XBAECD", "q2": "ABF", "q3": "ABX", "q4": "BX"},
}
FEATURES = {
    "A": (1.0, 0.0, 0.0),
    "B": (0.0, 2.0, 0.0),
    "C": (1.0, 1.0, 0.0),
    "D": (0.0, 0.5, 3.0),
    "E": (1.0, 1.0, 1.0),
    "F": (-1.0, 2.0, 0.0),
    "X": (2.0, -1.0, 1.0),
    "Y": (0.0, 0.0, 1.0),
    "Z": (1.0, 0.0, 5.0),
}
PLACES = [(model, sheet, query) for (model, sheet), lists in LISTS.items() for query in lists]
each_list = pytest.mark.parametrize(("model", "sheet", "query"), PLACES)


def topics(max_grade: int = 0) -> dict[str, Topic]:
    """What the judgments say of each query."""
    grades = [g for judgments in GRADES.values() for items in judgments.values() for g in items.values()]
    return {query: topic_of(judgments, grades, max_grade) for query, judgments in GRADES.items()}


def graded_study(root: Path, run: Run) -> Study:
    """Graded judgments, a model of two sheets (m), one of one sheet (n), and features of all items."""
    study = Study(root, run)
    study.judge([GRADED, *((q, s, i, g) for q, js in GRADES.items() for s, js2 in js.items() for i, g in js2.items())])
    for name in "mn":
        sheets = {sheet: [RANKED, *rows_of(lists)] for (model, sheet), lists in LISTS.items() if model == name}
        write_book(study.outs / f"{name}.xlsx", sheets)
    write_csv(root / "features.csv", [("item", "x", "y", "z"), *((item, *xyz) for item, xyz in FEATURES.items())])
    return study


def rows_of(lists: Mapping[str, str]) -> list[Row]:
    """The rows of several queries."""
    return [row for query, items in lists.items() for row in ranked(items, query)]


def signature(study: Study) -> str:
    """How the manifest says the numbers were made."""
    return str(json.loads((study.res / "manifest.json").read_text("utf-8"))["signature"])


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """The study of graded judgments."""
    root = tmp_path_factory.mktemp("graded")
    study = graded_study(root, called_in(root))
    ended = study.score("--cutoffs", "2,5,10", "--features", "features.csv")
    assert ended.code == 0, ended.err
    return study


def read(line: Mapping[str, str], names: Iterable[str]) -> dict[str, float | None]:
    """Cells as numbers, None where they are empty."""
    return {name: float(line[name]) if line[name] else None for name in names}


def alike(seen: Mapping[str, float | None], wanted: Mapping[str, float | None]) -> bool:
    """Whether the same measures are defined, with the same values."""
    assert {name for name, v in seen.items() if v is None} == {name for name, v in wanted.items() if v is None}
    kept = {name: v for name, v in wanted.items() if v is not None}
    return {name: seen[name] for name in kept} == pytest.approx(kept, rel=1e-9, abs=1e-12)


# --- files, columns and pages -----------------------------------------------------------------------------------------


def test_a_run_writes_these_files_and_no_others(graded: Study) -> None:
    names = {path.name for path in graded.res.iterdir() if path.is_file()} - {".scoresheet.lock"}
    reports = {f"{model}_diversity.{kind}" for model in "mn" for kind in ("csv", "xlsx")}
    tables = {"diversity_results.csv", "comparisons.csv", "problems.csv"}
    assert names == reports | tables | {RESULTS, "metrics.json", "manifest.json"}


def test_the_tables_have_the_measures_cut_off_by_cut_off(graded: Study) -> None:
    names = columns(2, 5, 10)
    assert header(graded.res / "diversity_results.csv") == ["Model Name", *names, *LAST_COLUMNS]
    for model in "mn":
        assert header(graded.res / f"{model}_diversity.csv") == [*QUERY_COLUMNS, *names]


def test_the_default_cut_offs_are_5_10_and_20(study: Study) -> None:
    study.judge([JUDGED, *judged("a:A")])
    study.model([RANKED, *ranked("A")])
    assert study.tables().code == 0
    assert header(study.res / "diversity_results.csv") == ["Model Name", *columns(5, 10, 20), *LAST_COLUMNS]
    assert header(study.res / "m_diversity.csv") == [*QUERY_COLUMNS, *columns(5, 10, 20)]


def test_a_models_workbook_has_its_sheets_between_the_summary_and_what_explains_them(graded: Study) -> None:
    last = ["Subtopics", "Problems", "About"]
    assert sheet_names(graded.workbook("m")) == ["Summary", "s1", "s2", *last]
    assert sheet_names(graded.workbook("n")) == ["Summary", "s1", *last]


def test_the_results_workbook_has_these_pages_and_a_chart(graded: Study) -> None:
    assert sheet_names(graded.res / RESULTS) == ["Summary", "Comparison", "Systems", "Problems", "About"]
    assert sheet_rows(graded.res / RESULTS, "Summary")[0][0] == "Model Name"
    drawn = charts(graded.res / RESULTS, "Summary")
    assert drawn
    assert re.search(r"<c:f>[^<]*\$[^<]*</c:f>", drawn[0])  # it is drawn from cells


def test_a_page_of_a_sheet_shows_its_queries_of_the_table(graded: Study) -> None:
    names = [*QUERY_COLUMNS, *columns(2, 5, 10)]
    for (model, sheet), lists in LISTS.items():
        head, *rows = sheet_rows(graded.workbook(model), sheet)
        assert [name for name in head if name in names] == [name for name in names if name in head]
        assert set(names) - {"Sheet"} <= set(head)
        lines = [line for line in graded.queries(model) if line["Sheet"] == sheet]
        assert len(rows) == len(lines) == len(lists)
        for line, row in zip(lines, rows, strict=True):
            for name, value in zip(head, row, strict=True):
                if name in names and isinstance(value, int | float):
                    assert value == pytest.approx(float(line[str(name)]), rel=1e-12), name
                elif name in names:
                    assert (value or "") == line[str(name)], name


def test_the_summary_of_a_model_has_a_line_for_each_sheet_and_one_for_all(graded: Study) -> None:
    rows = {str(row[0]): row[1:] for row in sheet_rows(graded.workbook("m"), "Summary")}
    assert [name for name in rows if name in ("s1", "s2", "Overall")] == ["s1", "s2", "Overall"]
    wanted = topics()
    for sheet in ("s1", "s2"):
        lists = LISTS["m", sheet].items()
        value = mean(float(expected(items, wanted[q], Choices())["alpha_nDCG@10"] or 0) for q, items in lists)
        assert holds(rows[sheet], value)
    assert holds(rows["Overall"], float(graded.results()["m"]["alpha_nDCG@10"]))


def test_sheets_called_like_a_page_keep_their_queries(study: Study) -> None:
    study.judge([JUDGED, *judged("a:A b:B")])
    names = ("Subtopics", "Problems", "Summary")
    write_book(study.outs / "m.xlsx", {name: [RANKED, *ranked("AB")] for name in names})
    assert study.score().code == 0
    assert [line["Sheet"] for line in study.queries()] == list(names)
    pages = sheet_names(study.workbook())
    assert len(pages) == len({page.casefold() for page in pages}) == 7
    assert [pages[0], *pages[4:]] == ["Summary", "Subtopics", "Problems", "About"]
    about = sheet_text(study.workbook(), "About")
    assert [name for name in pages[1:4] if name not in about] == []


def test_about_and_manifest_carry_the_signature(graded: Study) -> None:
    assert re.fullmatch(r"diversity\|.*\|v:[^|]+", signature(graded))
    assert "ndeval" not in signature(graded)
    for path in (graded.workbook("m"), graded.res / RESULTS):
        assert signature(graded) in sheet_text(path, "About")


def test_problems_are_in_the_workbooks(graded: Study) -> None:
    assert graded.problems("missing-query")
    assert graded.problems("unjudged-item")
    for path in (graded.workbook("m"), graded.res / RESULTS):
        assert "unjudged-item" in sheet_text(path, "Problems")


# --- numbers ----------------------------------------------------------------------------------------------------------


@each_list
def test_a_query_holds_the_numbers_worked_out_by_hand(graded: Study, model: str, sheet: str, query: str) -> None:
    line, topic, items = graded.query(query, sheet=sheet, model=model), topics()[query], LISTS[model, sheet][query]
    assert alike(read(line, columns(2, 5, 10)), expected(items, topic, Choices()))
    assert (line["Subtopics"], line["Retrieved"]) == (str(len(topic.relevance)), str(len(items)))
    assert "-0.0" not in line.values()


def test_a_model_is_the_mean_of_its_sheets_and_a_sheet_of_its_queries_where_they_are_defined(graded: Study) -> None:
    wanted = topics()
    worked = {
        place: [expected(items, wanted[query], Choices()) for query, items in lists.items()]
        for place, lists in LISTS.items()
    }
    for model in "mn":
        for name, value in read(graded.results()[model], columns(2, 5, 10)).items():
            sheets = [[line[name] for line in lines] for (who, _), lines in worked.items() if who == model]
            kept = [[v for v in values if v is not None] for values in sheets]
            means = [mean(values) for values in kept if values]
            assert value == (pytest.approx(mean(means), rel=1e-9, abs=1e-12) if means else None), name


def test_rows_scored_and_coverage_count_the_rows_of_all_sheets(graded: Study) -> None:
    for model, rows in (("m", 20), ("n", 14)):
        line = graded.results()[model]
        assert (line["Rows"], line["Scored"], line["Status"]) == (str(rows), str(rows), "ok")
        assert float(line["Coverage"]) == 1


CHOICES: dict[tuple[str, ...], Choices] = {
    ("--alpha", "0"): Choices(alpha=0),
    ("--alpha", "0.3"): Choices(alpha=0.3),
    ("--alpha", "1"): Choices(alpha=1),
    ("--log-base", "2"): Choices(base=2),
    ("--log-base", "10"): Choices(base=10),
    ("--graded",): Choices(graded=True),
    ("--max-grade", "4"): Choices(max_grade=4),
    ("--definition", "ndeval"): Choices(ndeval=True),
    ("--cutoffs", "1,3"): Choices(cutoffs=(1, 3)),
}


@pytest.mark.parametrize("options", CHOICES, ids=" ".join)
def test_an_option_changes_the_numbers_as_it_says_and_the_signature(
    tmp_path: Path, run: Run, graded: Study, options: tuple[str, ...]
) -> None:
    chosen = CHOICES[options]
    study = graded_study(tmp_path, run)
    words = () if "--cutoffs" in options else ("--cutoffs", "2,5,10")
    assert study.tables("--features", "features.csv", *words, *options).code == 0
    wanted = topics(chosen.max_grade)
    for model, sheet, query in PLACES:
        line = study.query(query, sheet=sheet, model=model)
        numbers = expected(LISTS[model, sheet][query], wanted[query], chosen)
        assert [name for name in line if "@" in name] == list(numbers)
        numbers.pop("EILD@1", None)  # a sum over no pairs: 0, or as undefined as the ILD
        assert alike(read(line, numbers), numbers), (model, sheet, query)
    assert signature(study) != signature(graded) or "--cutoffs" in options  # which the columns show
    assert ("ndeval" in signature(study)) == chosen.ndeval


@pytest.mark.parametrize(
    ("options", "err_ia"), [((), 0.5), (("--max-grade", "1"), 0.270833), (("--max-grade", "0"), 0.5)], ids=str
)
def test_a_query_holds_the_numbers_the_definitions_print(study: Study, options: tuple[str, ...], err_ia: float) -> None:
    study.judge([JUDGED, *judged("a:A b:BD c:C")])
    study.model([RANKED, *ranked("ADEB")])
    assert study.tables(*options).code == 0
    assert study.value("alpha_nDCG@5") == pytest.approx(0.786896, abs=1e-6)
    assert study.value("S_Recall@5") == pytest.approx(2 / 3)
    assert study.value("ERR_IA@5") == pytest.approx(err_ia, abs=1e-6)


def test_a_dominant_subtopic_has_the_gini_and_the_entropy_the_definitions_print(study: Study) -> None:
    study.judge([JUDGED, *judged("a:ABC b:D c:E")])
    study.model([RANKED, *ranked("ABCD")])
    assert study.tables().code == 0
    assert study.value("Gini@5") == pytest.approx(0.5)
    assert study.value("S_Entropy@5") == pytest.approx(0.562335, abs=1e-6)


def test_grades_within_0_and_1_are_probabilities_as_they_stand(study: Study) -> None:
    study.judge([GRADED, ("q1", "a", "A", 0.25), ("q1", "a", "B", "0.5"), ("q1", "b", "B", 1)])
    study.model([RANKED, *ranked("AB")])
    assert study.tables().code == 0
    assert study.value("ERR_IA@5") == pytest.approx((0.25 + 0.75 * 0.5 / 2 + 1 / 2) / 2)
    assert study.value("alpha_DCG@5") == pytest.approx((1 + 1.5 / math.log2(3)) / 2)


TIED = {"a": "YZ", "b": "XZ", "c": "Y", "d": "X"}  # each item has two subtopics, and Z shares its own with the others


def test_the_ideal_is_the_best_list_there_is_and_no_list_is_better(study: Study) -> None:
    names = " ".join(f"{subtopic}:{items}" for subtopic, items in TIED.items())
    study.judge([JUDGED, *judged(names)])
    study.model([RANKED, *ranked("XYZ")], "best")
    study.model([RANKED, *ranked("ZYX")], "worse")
    topic = Topic({s: dict.fromkeys(items, 1.0) for s, items in TIED.items()}, frozenset("XYZ"))
    for definition in ("printed", "ndeval"):
        chosen = Choices((2, 5), ndeval=definition == "ndeval")
        assert study.tables("--cutoffs", "2,5", "--definition", definition).code == 0
        for model, items in (("best", "XYZ"), ("worse", "ZYX")):
            wanted = {name: v for name, v in expected(items, topic, chosen).items() if "ILD" not in name}
            assert alike(read(study.query(model=model), wanted), wanted)
        # the TREC tool takes the last of equal items, and so an ideal that a list can beat
        most = study.value("alpha_nDCG@2", model="best")
        assert most is not None
        assert most > 1.1 if chosen.ndeval else most == pytest.approx(1)


def test_the_names_of_items_change_nothing(study: Study) -> None:
    drawn = random.Random(3)
    items = [f"d{i:02}" for i in range(24)]
    relevant = [("q1", s, item) for s in "abcd" for item in drawn.sample(items, 6)]
    order = drawn.sample(items, 20)
    renamed = dict(zip(items, drawn.sample(items, 24), strict=True))
    seen = []
    for name in (lambda item: item, lambda item: renamed[item]):
        study.judge([JUDGED, *((q, s, name(item)) for q, s, item in relevant)])
        study.model([RANKED, *ranked(map(name, order))])
        assert study.tables().code == 0
        names = [column for column in columns(5, 10, 20) if "ILD" not in column]
        seen.append(read(study.query(), names))
    assert alike(seen[0], seen[1])
    assert (seen[0]["alpha_nDCG@20"] or 2) <= 1 + 1e-12


def test_a_query_without_a_relevant_item_in_its_list_counts_as_0_where_that_is_a_number(study: Study) -> None:
    study.judge([JUDGED, *judged("a:A b:B"), *judged("a:A b:B", "q2")])
    study.model([RANKED, *ranked("AB"), *ranked("XY", "q2")])
    assert study.tables().code == 0
    line = study.query("q2")
    assert {line[f"{name}@5"] for name in ("S_Entropy", "S_Entropy_Norm", "Gini", "Proportionality")} == {""}
    assert {float(line[f"{name}@5"]) for name in ("S_Recall", "alpha_DCG", "alpha_nDCG", "ERR_IA")} == {0}
    line = study.results()["m"]
    assert [float(line[f"{name}@5"]) for name in ("S_Recall", "alpha_nDCG")] == pytest.approx([0.5, 0.5])
    assert float(line["Proportionality@5"]) == pytest.approx(1)


# --- coverage by rank -------------------------------------------------------------------------------------------------


def names_in(cell: object) -> set[str]:
    """The subtopics a cell names, however they are separated."""
    return set(re.findall(r"\w+", str(cell or "")))


def test_the_page_of_subtopics_says_what_each_rank_adds_and_repeats(graded: Study) -> None:
    wanted = topics()
    for model in "mn":
        head, *rows = sheet_rows(graded.workbook(model), "Subtopics")
        assert head == SUBTOPICS_COLUMNS
        lines = {(str(row[0]), str(row[1]), row[2]): row[3:] for row in rows}
        places = [(sheet, query) for who, sheet, query in PLACES if who == model]
        assert len(rows) == len(lines) == sum(len(LISTS[model, sheet][query]) for sheet, query in places)
        for sheet, query in places:
            covered: set[str] = set()
            for rank, item in enumerate(LISTS[model, sheet][query], 1):
                shown, adds, repeats, count, recall = lines[sheet, query, rank]
                subtopics = set(wanted[query].of(item))
                assert shown == item
                assert names_in(adds) == subtopics - covered
                assert names_in(repeats) == subtopics & covered
                covered |= subtopics
                assert (count if isinstance(count, int) else len(names_in(count))) == len(covered)
                assert recall == pytest.approx(len(covered) / len(wanted[query].relevance))


def test_the_page_of_subtopics_ends_at_the_largest_cut_off(study: Study) -> None:
    study.judge([JUDGED, *judged("a:ABCDEF")])
    study.model([RANKED, *ranked("ABCDEF")])
    assert study.score("--cutoffs", "1,4").code == 0
    assert study.ranking() == "ABCD"
    assert study.query()["Retrieved"] == "6"


# --- intervals --------------------------------------------------------------------------------------------------------


def late(study: Study) -> None:
    """Queries whose relevant items all stand beyond rank 10, each at a rank of its own."""
    queries = [f"q{i}" for i in range(6)]
    study.judge([JUDGED, *(row for q in queries for row in judged("a:A b:B", q))])
    study.model([RANKED, *(row for i, q in enumerate(queries) for row in ranked(late_list(i), q))])


def late_list(place: int) -> str:
    """Twenty items, of which A stands at rank 11 + place and B at 17."""
    items = list("cdefghijklmnopqrstuvw"[:18])
    items.insert(10 + place, "A")
    items.insert(16, "B")
    return "".join(items)


def test_the_interval_is_that_of_alpha_ndcg_at_10_or_else_at_the_largest_cut_off(study: Study) -> None:
    late(study)
    assert study.tables("--cutoffs", "5,10,20").code == 0
    line = study.results()["m"]
    assert [float(line[name]) for name in ("alpha_nDCG@10", "CI_Low", "CI_High")] == [0, 0, 0]
    assert study.tables("--cutoffs", "5,20").code == 0
    line = study.results()["m"]
    assert 0 < float(line["CI_Low"]) < float(line["alpha_nDCG@20"]) < float(line["CI_High"]) < 1
    values = [float(query["alpha_nDCG@20"]) for query in study.queries()]
    assert min(values) <= float(line["CI_Low"])
    assert float(line["CI_High"]) <= max(values)


def test_one_query_alone_has_no_interval(study: Study) -> None:
    study.judge([JUDGED, *judged("a:A b:B")])
    study.model([RANKED, *ranked("AXB")])
    assert study.tables().code == 0
    line = study.results()["m"]
    assert (line["CI_Low"], line["CI_High"]) == ("", "")
    assert line["CI_Note"] == "too few queries for an interval: 1, at least 5 are needed"


def test_queries_that_are_all_alike_have_an_interval_without_width(study: Study) -> None:
    queries = ("q1", "q2", "q3", "q4", "q5")
    study.judge([JUDGED, *(row for q in queries for row in judged("a:A b:B", q))])
    study.model([RANKED, *(row for q in queries for row in ranked("XAB", q))])
    assert study.tables().code == 0
    line = study.results()["m"]
    ends = [float(line["CI_Low"]), float(line["CI_High"])]
    assert ends == pytest.approx([float(line["alpha_nDCG@10"])] * 2)


# --- several systems --------------------------------------------------------------------------------------------------

RIVALS = "abcd"
HEADLINE = "alpha_nDCG@10"
COMPARED = [f"{measure}@{k}" for k in (5, 10, 20) for measure in MEASURES]
QUERIES = [f"q{i}" for i in range(8)]
RELEVANT = "u:UVW v:VX w:YZ"
POOL = "UVWXYZ"


def rival_lists() -> dict[str, dict[str, str]]:
    """Two systems that are the same, one that is far behind them and one that is near; each list has other items."""
    drawn = random.Random(11)
    lists: dict[str, dict[str, str]] = {name: {} for name in RIVALS}
    for query in QUERIES:
        good = "".join(drawn.sample(POOL, 6))
        lists["a"][query] = lists["b"][query] = "V" + good.replace("V", "") + "nop"
        lists["c"][query] = "nopqrs" + good[:3] + "t"
        lists["d"][query] = good + "nop"
    lists["d"]["q7"] = "nopqrstklm"  # nothing relevant: no entropy here
    return lists


def write_rivals(study: Study, order: int | None = None) -> None:
    """The systems and their judgments, in the order of ranks or shuffled."""
    rows: dict[str, list[Row]] = {name: rows_of(lists) for name, lists in rival_lists().items()}
    judgments = [row for query in QUERIES for row in judged(RELEVANT, query)]
    if order is not None:
        for table in (*rows.values(), judgments):
            random.Random(order).shuffle(table)
    study.judge([JUDGED, *judgments])
    for name, table in rows.items():
        study.model([RANKED, *table], name)
    items = sorted({str(row[1]) for table in rows.values() for row in table})
    write_csv(study.root / "features.csv", [("item", "x", "y"), *((i, ord(i) % 5, ord(i) % 7 + 1) for i in items)])


FEATURED = ("--features", "features.csv")


@pytest.fixture(scope="module")
def rivals(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Four systems, scored together."""
    root = tmp_path_factory.mktemp("rivals")
    study = Study(root, called_in(root))
    write_rivals(study)
    ended = study.score(*FEATURED)
    assert ended.code == 0, ended.err
    return study


def grid(path: Path, page: str, word: str) -> list[dict[str, object]]:
    """The lines below the header of a page, which is the first row of several cells with this word."""
    rows = sheet_rows(path, page)
    heads = [[re.sub(r"\W+", "_", str(value or "").lower()).strip("_") for value in row] for row in rows]
    start = next(i for i, row in enumerate(heads) if sum(map(bool, row)) > 3 and any(word in name for name in row))
    return [dict(zip(heads[start], row, strict=True)) for row in rows[start + 1 :]]


def number(line: Mapping[str, object], name: str) -> float | None:
    """The cell of the column of this name, which may have another word before it."""
    (found,) = (column for column in line if column in (name, f"ci_{name}"))
    value = line[found]
    return None if value is None else float(str(value))


def systems(study: Study) -> dict[tuple[str, str], dict[str, object]]:
    """The Systems page: a line for each system and measure."""
    lines = grid(study.res / RESULTS, "Systems", "queries")
    names = set(study.results())
    return {(str(value), str(line["measure"])): line for line in lines for value in line.values() if value in names}


@dataclass(frozen=True)
class Compared:
    """What the page of comparison says of two systems by one measure."""

    one: str
    other: str
    measure: str
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    holm: float | None


def comparisons(study: Study) -> list[Compared]:
    """The page of comparison."""
    found, names = [], set(study.results())
    for line in grid(study.res / RESULTS, "Comparison", "holm"):
        pair = [str(value) for value in line.values() if value in names]
        if len(pair) != 2:
            continue  # a line of words below the table
        (corrected,) = (name for name in line if "holm" in name)
        (plain,) = (name for name in line if "p" in name.split("_") and name != corrected)
        numbers = [number(line, name) for name in ("difference", "low", "high", plain, corrected)]
        found.append(Compared(pair[0], pair[1], str(line["measure"]), *numbers))
    return found


Values = dict[tuple[str, str], list[float | None]]


@pytest.fixture(scope="module")
def compared(rivals: Study) -> list[Compared]:
    """What the page of comparison says of the four systems."""
    return comparisons(rivals)


@pytest.fixture(scope="module")
def values(rivals: Study) -> Values:
    """The values of each system, query by query, measure by measure at each cut-off."""
    found: Values = {}
    for model in RIVALS:
        lines = {line["Query"]: read(line, COMPARED) for line in rivals.queries(model)}
        for measure in COMPARED:
            found[model, measure] = [lines[query][measure] for query in QUERIES]
    return found


def test_the_page_of_systems_has_each_mean_its_interval_and_how_many_queries_it_is_of(
    rivals: Study, values: Values
) -> None:
    shown = systems(rivals)
    for (model, measure), by_query in values.items():
        line, kept = shown[model, measure], [v for v in by_query if v is not None]
        average, low, high = (number(line, name) or 0.0 for name in ("mean", "low", "high"))
        assert line["queries"] == len(kept)
        if not kept:  # nothing relevant so far up in any list
            continue
        assert average == pytest.approx(mean(kept))
        assert average == pytest.approx(float(rivals.results()[model][measure]))
        assert min(kept) - 1e-9 <= low <= average + 1e-9
        assert average - 1e-9 <= high <= max(kept) + 1e-9
    assert [shown["d", f"{measure}@10"]["queries"] for measure in ("S_Recall", "S_Entropy")] == [8, 7]


def test_the_interval_of_the_results_table_is_that_of_the_page_of_systems(rivals: Study) -> None:
    shown = systems(rivals)
    for model, line in rivals.results().items():
        seen = [number(shown[model, "alpha_nDCG@10"], name) for name in ("low", "high")]
        assert seen == pytest.approx([float(line["CI_Low"]), float(line["CI_High"])])


def test_every_two_systems_are_compared_by_every_measure_at_every_cut_off_the_headline_first(
    compared: list[Compared],
) -> None:
    seen = Counter((frozenset({line.one, line.other}), line.measure) for line in compared)
    pairs = [frozenset(pair) for pair in combinations(RIVALS, 2)]
    assert seen == Counter(product(pairs, COMPARED))
    order = [line.measure for line in compared if (line.one, line.other) == (compared[0].one, compared[0].other)]
    assert order[0] == HEADLINE
    assert [name.partition("@")[2] for name in order] == [k for k in ("10", "5", "20") for _ in MEASURES]


def paired(values: Values, line: Compared) -> list[float]:
    """What two systems differ by, on each query where both have a value."""
    both = zip(values[line.one, line.measure], values[line.other, line.measure], strict=True)
    return [one - other for one, other in both if one is not None and other is not None]


def test_a_difference_is_that_of_the_first_less_the_second_with_an_interval_around_it(
    compared: list[Compared], values: Values
) -> None:
    for line in compared:
        if not paired(values, line):
            assert line.difference is None
            continue
        wanted = mean(paired(values, line))
        assert line.difference == pytest.approx(wanted, abs=1e-9), line
        assert line.low is not None
        assert line.high is not None
        assert line.low - 1e-9 <= wanted <= line.high + 1e-9, line


def test_equal_systems_do_not_differ_and_unlike_ones_do(compared: list[Compared]) -> None:
    for line in compared:
        if {line.one, line.other} == {"a", "b"}:
            assert [line.difference, line.low, line.high] == pytest.approx([0, 0, 0], abs=1e-12)
            assert [line.p, line.holm] == pytest.approx([1, 1], abs=0.01)
        if line.measure == HEADLINE and {line.one, line.other} == {"a", "c"}:
            sign = 1 if line.one == "a" else -1
            assert min(sign * (v or 0) for v in (line.difference, line.low, line.high)) > 0
            assert 0 < (line.p or 0) < 0.02


def sign_flips(differences: Sequence[float]) -> float:
    """How often the mean would be as far from 0 if each difference could as well have had the other sign."""
    sums = {0: [0.0]}
    for n, difference in enumerate(differences, 1):
        sums[n] = [total + sign * difference for total in sums[n - 1] for sign in (1, -1)]
    ends = sums[len(differences)]
    return sum(abs(total) >= abs(math.fsum(differences)) - 1e-12 for total in ends) / len(ends)


@pytest.mark.parametrize("measure", COMPARED)
def test_the_p_value_is_that_of_a_randomisation_test(compared: list[Compared], values: Values, measure: str) -> None:
    for line in compared:
        if line.measure == measure and paired(values, line):
            # every change of signs can be counted here; where they are drawn instead, chance has a say
            assert line.p == pytest.approx(sign_flips(paired(values, line)), abs=0.02), line


@pytest.mark.parametrize("headline", [True, False])
def test_p_values_of_the_headline_and_of_all_other_measures_are_corrected_by_holm(
    compared: list[Compared], headline: bool
) -> None:
    lines = [line for line in compared if (line.measure == HEADLINE) == headline]
    assert len(lines) == 6 * (1 if headline else len(COMPARED) - 1)
    tested = [line for line in lines if line.p is not None]
    assert [line.holm for line in tested] == pytest.approx(holm([line.p or 0.0 for line in tested]), rel=1e-9)
    assert {line.holm for line in lines if line.p is None} <= {None}


def test_systems_without_a_sheet_in_common_are_scored_all_the_same(study: Study) -> None:
    study.judge([JUDGED, *judged("a:A b:B")])
    write_book(study.outs / "m.xlsx", {"s1": [RANKED, *ranked("AB")], "s2": [RANKED, *ranked("XA")]})
    study.model([RANKED, *ranked("BA")], "n")
    ended = study.tables()
    assert ended.code == 0, ended.err
    assert [float(study.results()[model]["S_Recall@10"]) for model in "mn"] == pytest.approx([0.75, 1])


# --- for machines -----------------------------------------------------------------------------------------------------


def test_metrics_json_holds_the_measures_by_model_and_sheet(graded: Study) -> None:
    metrics = json.loads((graded.res / "metrics.json").read_text("utf-8"), parse_constant=refuse)
    assert set(metrics) == set("mn")
    assert {type(value) for value in leaves(nested(metrics))} <= {int, float, type(None)}
    for model, line in graded.results().items():
        assert {name: metrics[model][name] for name in columns(2, 5, 10)} == read(line, columns(2, 5, 10))
    wanted = topics()
    for sheet in ("s1", "s2"):
        lists = LISTS["m", sheet].items()
        value = mean(float(expected(items, wanted[q], Choices())["alpha_nDCG@10"] or 0) for q, items in lists)
        assert holds(metrics["m"], value)


def test_undefined_measures_are_null_in_metrics_json(study: Study) -> None:
    study.judge([JUDGED, *judged("a:A")])
    study.model([RANKED, *ranked("A")])
    assert study.tables().code == 0
    metrics = json.loads((study.res / "metrics.json").read_text("utf-8"), parse_constant=refuse)
    assert (metrics["m"]["Gini@5"], metrics["m"]["ILD@10"], metrics["m"]["alpha_nDCG@5"]) == (None, None, 1)


def test_with_json_stdout_is_json_with_the_numbers_of_the_results_table(study: Study) -> None:
    study.judge([JUDGED, *judged("a:A b:B")])
    study.model([RANKED, *ranked("XAB")])
    study.model([RANKED, *ranked("BA"), ("q1", "B", 3)], "n")
    ended = study.tables("--json", "-v")
    assert ended.code == 0
    told = json.loads(ended.out, parse_constant=refuse)
    lines = {line["Model Name"]: line for line in told["models"]}
    for model, line in study.results().items():
        numbers = read(line, columns(5, 10, 20))
        assert {name: lines[model][name] for name in numbers} == numbers
    assert {"repeated-item", "unjudged-item"} <= {problem["kind"] for problem in told["problems"]}


def test_the_table_of_results_is_on_stdout(study: Study) -> None:
    study.judge([JUDGED, *judged("a:A b:B")])
    study.model([RANKED, *ranked("XAB")])
    ended = study.tables()
    assert "alpha_nDCG@10" in ended.out
    assert f"{float(study.results()['m']['alpha_nDCG@10']):.3f}" in ended.out


# --- what may change a number -----------------------------------------------------------------------------------------

RANDOM = {"CI_Low", "CI_High"}


def page(path: Path, name: str) -> list[list[str]]:
    """A page's rows in some fixed order."""
    return sorted([str(value) for value in row] for row in sheet_rows(path, name))


def by_query(study: Study, model: str) -> list[dict[str, str]]:
    """The queries of a model in some fixed order."""
    return sorted(study.queries(model), key=lambda line: (line["Sheet"], line["Query"]))


def test_the_order_of_the_rows_changes_no_number(rivals: Study, study: Study) -> None:
    write_rivals(study, 7)
    assert study.score(*FEATURED).code == 0
    seen = []
    for each in (rivals, study):
        queries = {name: by_query(each, name) for name in RIVALS}
        pages = [page(each.res / RESULTS, name) for name in ("Systems", "Comparison")]
        pages += [page(each.workbook(name), "Subtopics") for name in RIVALS]
        metrics = json.loads((each.res / "metrics.json").read_text("utf-8"))
        seen.append((each.results(), queries, metrics, pages))
    assert seen[0] == seen[1]


def test_a_rerun_gives_the_same_bytes_and_the_default_seed_is_0(rivals: Study) -> None:
    assert rivals.score(*FEATURED, "-j", "2", "--seed", "0", res="again").code == 0
    first = digests(rivals.res)
    assert len(first) == 3 * len(RIVALS) + 5
    assert digests(rivals.root / "again") == first


def test_a_seed_changes_what_is_random_and_nothing_else(rivals: Study, study: Study) -> None:
    write_rivals(study)
    assert study.score(*FEATURED, "--seed", "1").code == 0
    fixed, drawn = [], []
    for each in (rivals, study):
        lines = [each.results()[name] for name in RIVALS]
        pages = [page(each.workbook(name), "Subtopics") for name in RIVALS]
        queries = [each.queries(name) for name in RIVALS]
        told = comparisons(each)
        pairs = [(line.one, line.other, line.measure, line.difference) for line in told]
        fixed.append(([{k: v for k, v in line.items() if k not in RANDOM} for line in lines], pages, queries, pairs))
        ends = [float(line[name]) for line in lines for name in sorted(RANDOM)]
        headline = [line for line in told if line.measure == "alpha_nDCG"]
        drawn.append([*ends, *(v or 0 for line in headline for v in (line.low, line.high, line.p))])
    assert fixed[0] == fixed[1]
    assert drawn[0] != drawn[1]
    assert drawn[0] == pytest.approx(drawn[1], abs=0.1)


def test_the_other_systems_of_a_run_change_nothing_where_the_judgments_are_given(rivals: Study) -> None:
    together = digests(rivals.res)
    assert rivals.run("diversity", "outs/d.csv", "refs", "-o", "alone", *FEATURED).code == 0
    alone = digests(rivals.root / "alone")
    assert {name: alone[name] for name in ("d_diversity.csv", "d_diversity.xlsx")}.items() <= together.items()

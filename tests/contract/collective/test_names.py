"""Streams, weights and columns of any name, and many of them."""

from __future__ import annotations

import math
import re
import statistics
from itertools import combinations

import openpyxl
import pytest

from tests.helpers.collective import (
    HEAD,
    HISTORY_PAGE,
    PLAIN,
    Row,
    Study,
    Votes,
    drawn_texts,
    dressed,
    headline,
    named,
    told,
    votes_of,
    winner,
)
from tests.helpers.files import sheet_names, sheet_rows
from tests.helpers.runs import called_in

# --- names that mean something elsewhere ------------------------------------------------------------------------------

HOSTILE = ("<b>bold</b>", "a|b", "*c*", "R&D", "q\"uo'te", "😀", "ctl\x01x", "=1+1", "line\nbreak", "[x](http://y)")
OURS = (
    "Accuracy",
    "Stream",
    "Shapley",
    "Overall",
    "Without",
    "Wrong with Accuracy",
    "Failing",
    "nothing",
    "Best_Stream",
)
TAKEN = ("Entropy", "Rows", "Band")


def seen(name: str) -> str:
    """A name as reports show it."""
    return name.replace("\x01", "\\x01")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Streams with hostile names (h), with names of our columns (o), in two cases (c), many (k) and very many (l)."""
    root = tmp_path_factory.mktemp("hostile")
    study = Study(root, called_in(root))
    study.system(dressed(HOSTILE), "h")
    study.system(dressed(OURS, TAKEN), "o")
    study.system({"predictions": named(("cat", "Cat", "CAT"))}, "c")
    study.lone(named([f"m{n}" for n in range(11)]), "k")
    study.lone(named([f"m{n}" for n in range(70)], 30), "l")
    ended = study.score()
    assert ended.code == 0, ended.err
    return study


@pytest.mark.parametrize(("model", "names"), [("h", HOSTILE), ("o", OURS), ("c", ("cat", "Cat", "CAT"))])
def test_streams_of_any_name_have_the_numbers_of_their_columns(hostile: Study, model: str, names: tuple[str]) -> None:
    votes = votes_of(named(names))
    assert told(hostile.line(model), headline(votes))
    lines = hostile.streams(model)
    assert list(lines) == ["'=1+1" if name == "=1+1" else seen(name) for name in names]
    for measure, wanted in (("Accuracy", votes.accuracies()), ("Contribution", votes.contributions())):
        values = [float(line[measure]) for line in lines.values()]
        assert values == pytest.approx(list(wanted.values()), abs=1e-12)


@pytest.mark.parametrize(("model", "names"), [("h", HOSTILE), ("o", OURS)])
def test_every_page_has_columns_of_different_names_and_a_line_for_each_stream(
    hostile: Study, model: str, names: tuple[str]
) -> None:
    for page in ("Streams", "Routing", "Anchors", "Fingerprints", HISTORY_PAGE, "Conditions", "Failure"):
        if page not in sheet_names(hostile.workbook(model)):
            assert page == "Conditions"  # there is only one
            continue
        head = [str(name) for name in sheet_rows(hostile.workbook(model), page)[0]]
        assert len({name.casefold() for name in head}) == len(head), page
    for page in ("Streams", "Routing", "Fingerprints"):
        shown = [row["Stream"] for row in hostile.page(page, model)]
        assert sorted(map(str, shown)) == sorted(map(seen, names))


def test_weights_called_like_our_columns_are_shown_beside_them(hostile: Study) -> None:
    head, first, *_ = sheet_rows(hostile.workbook("o"), "Routing")
    assert len(head) == 8 + 3
    assert first[-3:] == [0.5, 0.3, 0.2]
    assert first[head.index("Entropy")] == pytest.approx(-math.fsum(w * math.log(w) for w in (0.5, 0.3, 0.2)))
    assert [row["Anchor"] for row in hostile.page("Anchors", "o")] == ["Share", "Dead"]


def test_nothing_a_table_names_becomes_a_formula_or_a_link(hostile: Study) -> None:
    book = openpyxl.load_workbook(hostile.workbook("h"))
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    assert "f" not in {cell.data_type for cell in cells}
    assert "=1+1" in {cell.value for cell in cells}
    assert not [cell for cell in cells if cell.hyperlink and cell.hyperlink.target]
    book.close()


def unescaped(text: str) -> str:
    """Markdown as a reader sees it."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)


def test_the_markdown_report_escapes_what_would_be_markup(hostile: Study) -> None:
    text = (hostile.res / "h_collective.md").read_text("utf-8")
    lines = text.splitlines()
    assert unescaped(lines[0]) == "## Results for <i>|*d*"
    assert not re.search(r"(?<!\\)<[a-z/]", text)
    assert not re.search(r"(?<!\\)\*", text)
    assert not re.search(r"(?<!\\)\[", text)
    rows = [re.split(r"(?<!\\)\|", line) for line in lines if line.startswith("|")]
    assert {len(row) for row in rows} == {5}  # three cells, and nothing before and behind
    shown = {unescaped(row[1].strip()) for row in rows}
    assert {name.replace("\x01", "\\x01") for name in HOSTILE if "\n" not in name} <= shown
    assert any(name.startswith("line") and name.endswith("break") for name in shown)


def test_no_report_holds_a_control_character(hostile: Study) -> None:
    for path in hostile.res.glob("h_collective*"):
        if path.suffix != ".xlsx":
            assert not re.search("[\x00-\x08\x0b-\x1f]", path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")), (
                path
            )


@pytest.mark.parametrize("kind", ["emergence", "routing", "fingerprints"])
def test_pictures_name_streams_of_any_name(hostile: Study, kind: str) -> None:
    texts = drawn_texts(hostile.res / f"h_collective_{kind}.svg")
    assert {seen(name) for name in HOSTILE if "\n" not in name} <= set(texts)


def test_a_second_sample_column_is_refused_and_named(study: Study) -> None:
    study.lone(PLAIN)
    study.lone([(*HEAD, "Sample", "a"), ("s1", "x", "x", "x")], "n")
    assert study.tables().code == 3
    (problem,) = study.problems(model="n")
    assert "'Sample'" in problem["message"] or "'sample'" in problem["message"]
    assert study.line("n")["Status"] == "failed"


def test_collective_with_spaces_around_it_is_the_collective(study: Study) -> None:
    study.lone([(*HEAD, "collective ", "a"), ("s1", "x", "x", "y"), ("s2", "y", "y", "y")])
    assert study.tables().code == 0
    assert list(study.streams()) == ["a"]
    assert study.value("Emergence_Ratio") == 2


def test_a_column_may_be_said_to_be_the_label_or_the_collective(study: Study) -> None:
    study.lone([("sample", "what", "a", "all"), ("s1", "x", "y", "x"), ("s2", "y", "y", "y")])
    assert study.tables("--column", "label=what", "--column", "collective=all").code == 0
    assert list(study.streams()) == ["a"]
    assert study.value("Emergence_Ratio") == 2


# --- many streams -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("model", "count", "samples"), [("k", 11, 12), ("l", 70, 30)])
def test_above_ten_streams_there_are_contributions_and_no_shapley_values(
    hostile: Study, model: str, count: int, samples: int
) -> None:
    names = [f"m{n}" for n in range(count)]
    votes = votes_of(named(names, samples))
    assert told(hostile.line(model), headline(votes))
    assert list(hostile.streams(model)) == names
    assert hostile.each("Accuracy", model) == pytest.approx(votes.accuracies())
    assert hostile.each("Contribution", model) == pytest.approx(votes.contributions(), abs=1e-12)
    assert set(hostile.each("Shapley", model).values()) == {None}
    problem = hostile.problem("many-streams", model)
    assert (problem["effect"], "10" in problem["message"]) == ("note", True)
    assert [(row["Stream"], row["Other_Stream"]) for row in hostile.page("Pairs", model)] == list(
        combinations(names, 2)
    )
    drawn = set(drawn_texts(hostile.res / f"{model}_collective_emergence.svg"))
    assert set(names) <= drawn or (len(names) > 20 and set(names) & drawn)  # of very many only some have room


def test_ten_streams_have_shapley_values_that_sum_to_the_accuracy(hostile: Study) -> None:
    values = hostile.each("Shapley", "h")
    assert len(values) == 10
    assert math.fsum(v or 0 for v in values.values()) == pytest.approx(votes_of(named(HOSTILE)).fused_accuracy())


def test_half_of_many_streams_are_a_thousand_ways_at_most(hostile: Study) -> None:
    for model, count, failing in (("k", 11, "any 5 of 11"), ("l", 70, "any 35 of 70")):
        row = hostile.page("Failure", model)[-1]
        assert row["Failing"] == failing
        assert row["Ways"] == min(1000, math.comb(count, count // 2))
        least, mean, most = (float(str(row[name])) for name in ("Least", "Accuracy", "Most"))
        assert 0 <= least <= mean <= most <= 1
    votes = votes_of(named([f"m{n}" for n in range(11)]))
    halves = [votes.fused_accuracy(kept) for kept in combinations(votes.streams, 6)]
    row = hostile.page("Failure", "k")[-1]
    assert (row["Accuracy"], row["Least"], row["Most"]) == pytest.approx(
        (statistics.fmean(halves), min(halves), max(halves))
    )


# --- epochs and classes that are numbers ------------------------------------------------------------------------------


def test_streams_that_differ_in_case_have_weights_of_their_own(study: Study) -> None:
    rows = named(("cat", "Cat", "CAT"))
    weights: list[Row] = [("name", "value"), ("weight:CAT", 5), ("weight:cat", 1), ("weight:Cat", 2)]
    study.system({"predictions": rows, "parameters": weights})
    assert study.score("--fusion", "weighted").code == 0
    votes: Votes = votes_of(rows)
    wanted = [winner(row, weights=[1, 2, 5])[0] for row in zip(*votes.streams.values(), strict=True)]
    assert study.value("Collective_Accuracy") == pytest.approx(votes.accuracy(wanted))

"""Which rankings and judgments does `diversity` read, in which order does it rank, and what does it say of the rest?"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.helpers.diversity import GRADED, JUDGED, RANKED, Row, Study, judged, ranked
from tests.helpers.files import digests, read_csv, write_book, write_bytes, write_csv

NOT_SCORED = "row not scored"
VECTOR = "a:A b:BD c:C"  # the example that the definitions work out


@pytest.fixture
def example(study: Study) -> Study:
    """One model and one query of which all is well."""
    study.judge([JUDGED, *judged("a:A b:BD")])
    study.model([RANKED, *ranked("ABD")])
    return study


# --- the order of a ranking -------------------------------------------------------------------------------------------


def test_the_rank_wins_over_a_score_that_disagrees_and_that_is_noted(study: Study) -> None:
    study.judge([JUDGED, *judged("a:A b:BC")])
    study.model([(*RANKED, "score"), ("q1", "A", 1, 0.1), ("q1", "B", 2, 0.9), ("q1", "C", 3, 0.05)])
    assert study.score("--strict").code == 0
    assert study.ranking() == "ABC"
    assert study.effects("rank-and-score") == {"note"}


# --- TREC files -------------------------------------------------------------------------------------------------------

RUN = (
    b"001 Q0 A 1 9.5 tag\r\n\r\n"
    b"001\tQ0\tB\t3\t8\ttag\r\n"
    b"001 \t Q0    C 17  7e0     tag  \r\n"
    b"   \r\n"
    b"2   Q0 B 1 0.25 tag\r\n"
)
QRELS = b"001 0 A 1\r\n001\t1\tB   1\r\n\r\n001 1 C -2\r\n001   2   D  1\r\n2 0 B 1\r\n2 7 B 0"


@pytest.mark.parametrize(
    ("run_file", "qrels_file"), [("m.run", "all.qrels"), ("m.trec", "all.txt"), ("m.txt", "all.txt")]
)
def test_trec_files_may_have_any_white_space_crlf_rank_gaps_subtopic_0_and_negative_grades(
    study: Study, run_file: str, qrels_file: str
) -> None:
    write_bytes(study.outs / run_file, RUN)
    write_bytes(study.refs / qrels_file, QRELS)
    assert study.score("--strict").code == 0
    assert study.ranking("001") == "ABC"
    assert [study.query(q)["Subtopics"] for q in ("001", "2")] == ["3", "1"]
    assert study.value("S_Recall@5", "001") == pytest.approx(2 / 3)
    assert study.value("S_Recall@5", "2") == 1
    # no grade is above 1 once the negative one counts as 0, so that the grades are probabilities as they stand
    assert study.value("ERR_IA@5", "001") == pytest.approx((1 + 1 / 2) / 3)
    assert study.effects("negative-grade") == {"note"}
    assert not study.problems("rank-and-score")
    assert not study.problems("unjudged-item")
    assert study.results()["m"]["Rows"] == study.results()["m"]["Scored"] == "4"


def test_a_trec_run_is_ordered_by_score_whatever_its_ranks_say(study: Study) -> None:
    study.judge([JUDGED, *judged("a:AE b:B c:C d:D")])
    lines = ["q1 Q0 E 1 1 t", "q1 Q0 A 2 1.0 t", "q1 Q0 B 3 10 t", "q1 Q0 C 4 9 t", "q1 Q0 D 5 -4 t"]
    write_bytes(study.outs / "m.run", "\n".join(lines).encode())
    assert study.score("--strict").code == 0
    assert study.ranking() == "BCAED"
    assert study.effects("rank-and-score") == {"note"}


def test_a_trec_run_and_a_table_of_the_same_ranking_have_the_same_measures(study: Study) -> None:
    study.judge([JUDGED, *judged(VECTOR)])
    study.model([RANKED, *ranked("ADEB")], "table")
    write_bytes(study.outs / "trec.run", b"".join(b"q1 Q0 %c 0 %d x\n" % (c, 9 - i) for i, c in enumerate(b"ADEB")))
    assert study.tables().code == 0
    assert study.query(model="trec") | {"Sheet": ""} == study.query(model="table") | {"Sheet": ""}


def test_a_score_of_a_trec_run_that_is_no_number_costs_its_line(study: Study) -> None:
    study.judge([JUDGED, *judged("a:A b:B")])
    write_bytes(study.outs / "m.run", b"q1 Q0 A 1 high t\nq1 Q0 B 2 0.5 t\n")
    assert study.score().code == 0
    assert study.effects("bad-rank") == {NOT_SCORED}
    assert study.ranking() == "B"


def test_other_text_files_are_no_runs(example: Study) -> None:
    write_bytes(example.outs / "notes.txt", b"These runs were made on a Monday.\nThe second one is better.\n")
    assert example.tables().code == 0
    assert list(example.results()) == ["m"]


def test_a_run_file_that_is_none_costs_only_itself(example: Study) -> None:
    write_bytes(example.outs / "bad.run", b"These runs were made on a Monday.\nThe second one is better.\n")
    ended = example.tables()
    assert ended.code == 3
    assert "bad.run" in ended.err
    assert {name: line["Status"] for name, line in example.results().items()} == {"bad": "failed", "m": "ok"}


# --- tables -----------------------------------------------------------------------------------------------------------

OUTPUT_HEADS = {
    "plain": ("query", "item", "rank"),
    "loose": ("q-id", "Item ID", "rank"),
}


def test_columns_are_found_by_name_and_alias(study: Study) -> None:
    write_csv(study.refs / "a.csv", [GRADED, ("q1", "a", "A", 2)])
    write_csv(study.refs / "b.csv", [("topic", "Subtopic", "doc", "grade"), ("q1", "b", "B", 1), ("q1", "c", "C", 0)])
    write_csv(study.refs / "c.csv", [("qid", "SUBTOPIC", "docno", "rel"), ("q1", "b", "D", 2)])
    for name, head in OUTPUT_HEADS.items():
        study.model([head, *ranked("ADEB")], name)
    assert study.tables().code == 0
    assert set(study.results()) == set(OUTPUT_HEADS)
    lines = [study.query(model=name) for name in OUTPUT_HEADS]
    assert lines == [lines[0]] * len(OUTPUT_HEADS)
    assert lines[0]["Subtopics"] == "2"
    # grades up to 2: A is 3/4 to a, D is 3/4 and B 1/4 to b
    expected = (3 / 4 + 3 / 4 / 2 + (1 - 3 / 4) * 1 / 4 / 4) / 2
    assert study.value("ERR_IA@5", model="plain") == pytest.approx(expected)


def test_columns_of_outputs_and_judgments_may_be_named(study: Study) -> None:
    study.judge([("query", "aspect", "item"), ("q1", "a", "A"), ("q1", "b", "B")])
    study.model([("query", "link", "rank"), *ranked("AX")])
    assert study.tables("--column", "item=link", "--column", "subtopic=aspect").code == 0
    assert study.value("S_Recall@5") == 0.5


def test_cells_of_a_workbook_are_joined_as_a_person_would_type_them(study: Study) -> None:
    study.judge([JUDGED, ("7", "1", "12"), ("7", "2", "13")])
    write_book(study.outs / "m.xlsx", {"one": [RANKED, (7, 13, 2.0), (7, 12, 1.0)]})
    assert study.score().code == 0
    assert study.ranking("7") == "1213"
    assert study.value("S_Recall@5", "7") == 1


def test_each_sheet_of_a_workbook_is_a_run_of_its_own(study: Study) -> None:
    study.judge([JUDGED, *judged("a:A b:B")])
    write_book(study.outs / "m.xlsx", {"first": [RANKED, *ranked("AB")], "second": [RANKED, *ranked("XA")]})
    assert study.tables().code == 0
    assert [study.value("S_Recall@5", sheet=sheet) for sheet in ("first", "second")] == [1, 0.5]
    assert not study.problems("repeated-item")
    assert float(study.results()["m"]["S_Recall@5"]) == pytest.approx(0.75)


def test_a_sheet_column_and_the_files_of_a_folder_tell_sheets_apart(study: Study) -> None:
    study.judge([JUDGED, *judged("a:A b:B")])
    study.model([("Sheet", *RANKED), ("x", "q1", "A", 1), ("y", "q1", "Z", 1), ("x", "q1", "B", 2)], "column")
    for sheet, items in (("x", "AB"), ("y", "Z")):
        write_csv(study.outs / "folder" / f"{sheet}.csv", [RANKED, *ranked(items)])
    assert study.tables().code == 0
    for model in ("column", "folder"):
        assert [study.value("S_Recall@5", sheet=sheet, model=model) for sheet in "xy"] == [1, 0]


def test_judgments_may_be_in_several_files_and_sheets_and_formats(study: Study) -> None:
    write_book(study.refs / "a.xlsx", {"s": [JUDGED, ("q1", "a", "A")], "t": [GRADED, ("q1", "b", "B", 1)]})
    write_csv(study.refs / "b.csv", [JUDGED, ("q1", "c", "C")])
    write_bytes(study.refs / "c.qrels", b"q1 d D 1\n")
    study.model([RANKED, *ranked("AX")])
    assert study.score().code == 0
    assert study.query()["Subtopics"] == "4"
    assert study.value("S_Recall@5") == 0.25


def test_a_zero_grade_declares_no_subtopic(study: Study) -> None:
    study.judge([GRADED, ("q1", "a", "A", 1), ("q1", "b", "B", 0), ("q1", "c", "C", -1)])
    study.model([RANKED, *ranked("BCA")])
    assert study.tables().code == 0
    assert study.query()["Subtopics"] == "1"
    assert study.value("S_Recall@5") == 1
    assert study.value("ERR_IA@5") == pytest.approx(1 / 3)
    assert not study.problems("unjudged-item")


def test_a_query_with_zero_grades_alone_has_no_measures_and_is_in_no_mean(study: Study) -> None:
    study.judge([GRADED, ("q1", "a", "A", 1), ("q2", "a", "A", 0)])
    study.model([RANKED, *ranked("AB"), *ranked("AB", "q2")])
    assert study.tables().code == 0
    empty = [line for line in study.queries() if line["Query"] == "q2"]
    assert not {line[name] for line in empty for name in line if name.startswith(("S_", "alpha_", "ERR"))} - {""}
    assert float(study.results()["m"]["S_Recall@5"]) == 1
    assert float(study.results()["m"]["alpha_nDCG@10"]) == pytest.approx(1)


def test_a_list_shorter_than_the_cut_off_is_used_as_it_is(study: Study) -> None:
    study.judge([JUDGED, *judged(VECTOR)])
    study.model([RANKED, *ranked("ADEB")])
    assert study.tables().code == 0
    line = study.query()
    names = ("S_Recall", "S_Entropy", "Gini", "Proportionality", "alpha_nDCG", "ERR_IA")
    assert {name: line[f"{name}@20"] for name in names} == {name: line[f"{name}@5"] for name in names}


# --- judgments in line ------------------------------------------------------------------------------------------------

IN_LINE = (*RANKED, "subtopics")


def test_judgments_may_stand_beside_the_items(study: Study) -> None:
    study.model(
        [(*IN_LINE, "relevance"), ("q1", "A", 1, "a|b", 2), ("q1", "B", 2, "b", 1), ("q1", "C", 3, "c", 0)], "full"
    )
    assert study.tables(refs="").code == 0
    assert study.query(model="full")["Subtopics"] == "2"
    # grades up to 2: A is 3/4 to a and b, B 1/4 to b
    expected = (3 / 4 + 3 / 4 + (1 - 3 / 4) * 1 / 4 / 2) / 2
    assert study.value("ERR_IA@5", model="full") == pytest.approx(expected)


@pytest.mark.parametrize("name", ["grade", ""])
def test_a_relevance_in_line_has_aliases_and_is_1_where_there_is_none(study: Study, name: str) -> None:
    rows: list[Row] = [("q1", "A", 1, "a", 1), ("q1", "B", 2, "b", 1)]
    study.model([(*IN_LINE, name), *rows] if name else [IN_LINE, *(row[:4] for row in rows)])
    assert study.tables(refs="").code == 0
    assert study.value("S_Recall@5") == 1
    assert study.value("ERR_IA@5") == pytest.approx((1 + 1 / 2) / 2)


def test_judgments_in_line_are_pooled_over_all_models(study: Study) -> None:
    study.model([IN_LINE, ("q1", "A", 1, "a"), ("q1", "B", 2, "b")])
    study.model([IN_LINE, ("q1", "A", 1, "c"), ("q1", "D", 2, "d"), ("q1", "E", 3, "d")], "n")
    assert study.tables(refs="").code == 0
    assert [study.query(model=model)["Subtopics"] for model in "mn"] == ["4", "4"]
    assert [study.value("S_Recall@5", model=model) for model in "mn"] == [0.75, 0.75]


def test_with_judgments_named_those_in_line_are_ignored_and_that_is_noted(study: Study) -> None:
    study.judge([JUDGED, *judged("a:A b:B")])
    study.model([IN_LINE, ("q1", "A", 1, "x|y|z"), ("q1", "B", 2, "w")])
    assert study.tables("--strict").code == 0
    assert study.query()["Subtopics"] == "2"
    assert [line["effect"] for line in study.problems()] == ["note"]


def test_of_differing_judgments_in_line_the_larger_counts_and_that_is_noted(study: Study) -> None:
    study.model([(*IN_LINE, "relevance"), ("q1", "A", 1, "a", 0), ("q1", "B", 2, "b", 1)])
    study.model([(*IN_LINE, "relevance"), ("q1", "A", 1, "a", 1), ("q1", "B", 2, "b", 1)], "n")
    assert study.tables("--strict", refs="").code == 0
    assert [study.value("S_Recall@5", model=model) for model in "mn"] == [1, 1]
    assert study.effects("conflicting-judgments") == {"note"}


@pytest.mark.parametrize("grades", [(0, 1), (1, 0)])
def test_of_differing_judgments_in_the_reference_the_larger_counts_and_that_is_noted(
    study: Study, grades: tuple[int, int]
) -> None:
    study.judge([GRADED, *(("q1", "a", "A", grade) for grade in grades), ("q1", "b", "B", 1)])
    study.model([RANKED, *ranked("AB")])
    assert study.tables("--strict").code == 0
    assert study.value("S_Recall@5") == 1
    assert study.effects("conflicting-judgments") == {"note"}


def test_a_judgment_repeated_as_it_was_is_no_conflict(study: Study) -> None:
    study.judge([JUDGED, *judged("a:AA b:B")])
    study.model([RANKED, *ranked("AB")])
    assert study.tables().code == 0
    assert not study.problems()
    assert study.value("alpha_nDCG@5") == pytest.approx(1)


# --- problems ---------------------------------------------------------------------------------------------------------

MESSY: list[tuple[Row, str]] = [
    (("q1", "A", 1), ""),
    (("q1", "B", 2), ""),
    (("q1", "A", 3), "repeated-item"),
    (("", "C", 4), "empty-key"),
    (("q1", "", 5), "empty-key"),
    (("q1", "C", "third"), "bad-rank"),
    (("q1", "E", ""), "bad-rank"),
    (("q1", "F", "nan"), "bad-rank"),
    (("q8", "A", 1), "no-judgments"),
    (("q8", "B", 2), ""),
    (("q9", "A", 1), "no-judgments"),
    (("q1", "D", 9), ""),
]


@pytest.mark.parametrize(("options", "code"), [((), 0), (("--strict",), 3)], ids=["plain", "strict"])
def test_each_row_that_is_not_scored_is_listed_with_its_number_and_kind(
    study: Study, options: tuple[str, ...], code: int
) -> None:
    study.judge([JUDGED, *judged("a:A b:BD c:C d:EF")])
    study.model([RANKED, *(row for row, _ in MESSY)])
    assert study.score(*options).code == code
    lines = sorted((p for p in study.problems() if p["effect"] == NOT_SCORED), key=lambda p: int(p["row"]))
    assert [(int(p["row"]), p["kind"]) for p in lines] == [(i, kind) for i, (_, kind) in enumerate(MESSY, 2) if kind]
    assert {(line["file"], line["sheet"]) for line in lines} == {("m.csv", "Sheet1")}
    assert all(line["message"] for line in lines)
    assert study.ranking() == "ABD"
    line = study.results()["m"]
    assert (line["Rows"], line["Scored"], line["Status"]) == (str(len(MESSY)), "3", "partial")
    assert float(line["Coverage"]) == pytest.approx(3 / len(MESSY))


def test_of_an_item_twice_in_a_list_the_first_place_counts_wherever_its_row_stands(study: Study) -> None:
    study.judge([JUDGED, *judged("a:A b:BD")])
    study.model([RANKED, ("q1", "A", 3), ("q1", "B", 2), ("q1", "A", 1), ("q1", "D", 4)])
    assert study.score().code == 0
    (line,) = study.problems("repeated-item")
    assert (line["row"], line["effect"]) == ("2", NOT_SCORED)
    assert "A" in line["message"]
    assert study.ranking() == "ABD"
    assert study.query()["Retrieved"] == "3"
    assert study.value("S_Entropy_Norm@5") == pytest.approx(0.918296, abs=1e-6)  # one item on a, two on b


def test_a_query_without_judgments_has_no_measures_and_is_in_no_mean(study: Study) -> None:
    study.judge([JUDGED, *judged("a:A b:B")])
    study.model([RANKED, *ranked("AB"), *ranked("XA", "q2")])
    assert study.tables().code == 0
    (line,) = study.problems("no-judgments")
    assert (line["row"], line["effect"]) == ("4", NOT_SCORED)
    assert "q2" in line["message"]
    assert {v for name, v in study.query("q2").items() if "@" in name} == {""}
    assert float(study.results()["m"]["S_Recall@5"]) == 1
    assert (study.results()["m"]["Rows"], study.results()["m"]["Scored"]) == ("4", "2")


def test_no_query_with_judgments_in_any_model_leaves_nothing_to_score(example: Study) -> None:
    example.judge([JUDGED, *judged("a:A", "another")])
    ended = example.score()
    assert ended.code == 4
    assert "Traceback" not in ended.err
    assert not example.res.exists()


def test_no_query_with_judgments_in_one_model_leaves_that_one_unscored(example: Study) -> None:
    example.model([RANKED, *ranked("AB", "q7")], "n")
    assert example.tables().code == 0
    assert {name: line["Status"] for name, line in example.results().items()} == {"m": "ok", "n": "unscored"}
    assert example.results()["n"]["alpha_nDCG@10"] == ""


def test_items_that_no_judgment_names_are_noted_once_for_the_system_and_are_not_relevant(study: Study) -> None:
    study.judge([JUDGED, *judged("a:A b:B"), *judged("a:A", "q2"), *judged("a:A", "q3")])
    study.model([RANKED, *ranked("XYAZ"), *ranked("XA", "q2"), *ranked("A", "q3")])
    assert study.tables("--strict").code == 0
    (line,) = study.problems("unjudged-item")
    assert (line["file"], line["effect"]) == ("m.csv", "note")
    assert line["message"].startswith("4 items among the first 20 of 2 queries never judged")
    assert [study.value("Judged@5", query) for query in ("q1", "q2", "q3")] == [0.25, 0.5, 1]
    assert float(study.results()["m"]["Judged@10"]) == pytest.approx((0.25 + 0.5 + 1) / 3)
    assert study.value("S_Recall@5") == 0.5
    assert study.value("ERR_IA@5") == pytest.approx(1 / 3 / 2)
    assert study.value("ERR_IA@5", "q2") == pytest.approx(1 / 2)


COVERED = ("S_Recall@5", "alpha_DCG@5", "alpha_nDCG@5", "ERR_IA@5", "alpha_nDCG@10", "ERR_IA@20")


def test_a_judged_query_that_a_run_lacks_is_noted_and_left_out_unless_the_run_is_to_be_complete(study: Study) -> None:
    study.judge([JUDGED, *judged("a:A b:B"), *judged("a:A c:C", "q2"), *judged("a:A", "q3")])
    study.model([RANKED, *ranked("BA"), *ranked("XA", "q3")])
    assert study.tables("--strict").code == 0
    (line,) = study.problems("missing-query")
    assert line["effect"] == "note"
    assert "q2" in line["message"]
    plain = {name: float(study.results()["m"][name]) for name in COVERED}
    assert plain["S_Recall@5"] == 1
    assert plain["ERR_IA@5"] == pytest.approx(((1 + 1 / 2) / 2 + 1 / 2) / 2)
    assert study.tables("--complete").code == 0
    complete = {name: float(study.results()["m"][name]) for name in COVERED}
    assert complete == pytest.approx({name: value * 2 / 3 for name, value in plain.items()})


@pytest.mark.parametrize(("options", "code"), [((), 0), (("--strict",), 3)], ids=["plain", "strict"])
def test_a_grade_of_the_reference_that_is_no_number_costs_its_row(
    study: Study, options: tuple[str, ...], code: int
) -> None:
    study.judge([GRADED, ("q1", "a", "A", "high"), ("q1", "b", "B", "1"), ("q1", "c", "B", "nan")])
    study.model([RANKED, *ranked("AB")])
    assert study.tables(*options).code == code
    lines = study.problems("bad-grade")
    assert [(p["file"], p["row"], p["effect"]) for p in lines] == [("all.csv", str(i), NOT_SCORED) for i in (2, 4)]
    assert study.query()["Subtopics"] == "1"
    assert study.value("ERR_IA@5") == pytest.approx(1 / 2)


def test_a_grade_in_line_that_is_no_number_costs_its_row(study: Study) -> None:
    study.model([(*IN_LINE, "relevance"), ("q1", "A", 1, "a", 1), ("q1", "B", 2, "b", 1), ("q1", "C", 3, "c", "x")])
    assert study.tables(refs="").code == 0
    (line,) = study.problems("bad-grade")
    assert (line["file"], line["row"], line["effect"]) == ("m.csv", "4", NOT_SCORED)
    assert study.query()["Subtopics"] == "2"
    assert (study.results()["m"]["Rows"], study.results()["m"]["Scored"]) == ("3", "2")


def test_a_negative_grade_is_noted_and_counts_as_0(study: Study) -> None:
    study.judge([GRADED, ("q1", "a", "A", -2), ("q1", "a", "B", 1), ("q1", "b", "B", 1)])
    study.model([RANKED, *ranked("AB")])
    assert study.tables("--strict").code == 0
    assert study.effects("negative-grade") == {"note"}
    assert study.value("ERR_IA@5") == pytest.approx(1 / 2)
    assert study.value("Gini@5") == 0


def test_a_problem_names_the_sheet_and_the_row_the_spreadsheet_shows(study: Study) -> None:
    study.judge([JUDGED, *judged("a:A b:B")])
    second = [RANKED, *ranked("AB"), (None, None, None), ("q1", "A", 3)]
    write_book(study.outs / "m.xlsx", {"s1": [RANKED, *ranked("AB")], "s2": second})
    assert study.tables().code == 0
    (line,) = study.problems("repeated-item")
    assert (line["file"], line["sheet"], line["row"]) == ("m.xlsx", "s2", "5")


def test_strict_lets_notes_pass(study: Study) -> None:
    study.judge([GRADED, ("q1", "a", "A", 1), ("q1", "a", "A", 2), ("q1", "b", "B", -1), ("q2", "a", "A", 1)])
    study.model([(*RANKED, "score"), ("q1", "A", 1, 1), ("q1", "B", 2, 5), ("q1", "X", 3, 0)])
    write_csv(study.root / "weights.csv", [("query", "subtopic", "weight"), ("q1", "a", 7)])
    write_csv(study.root / "features.csv", [("item", "x", "y"), ("A", 1, 0), ("B", 0, 1)])
    assert study.tables("--strict", "--intents", "weights.csv", "--features", "features.csv").code == 0
    assert {line["effect"] for line in study.problems()} == {"note"}
    assert {line["kind"] for line in study.problems()} == {
        *("conflicting-judgments", "negative-grade", "missing-query", "unjudged-item", "rank-and-score"),
        *("weights-normalised", "no-features"),
    }


# --- weights and targets ----------------------------------------------------------------------------------------------


@pytest.fixture
def weighed(study: Study) -> Study:
    """Two queries alike: one item on a, then two on b."""
    study.judge([JUDGED, *(row for q in ("q1", "q2") for row in judged("a:A b:BD", q))])
    study.model([RANKED, *(row for q in ("q1", "q2") for row in ranked("ABD", q))])
    return study


@pytest.mark.parametrize(
    ("rows", "subtopics", "expected", "noted"),
    [
        ([("query", "subtopic"), ("q1", "a", 0.2), ("q1", "b", 0.8)], ("2", "2"), (0.6, 0.75), False),
        ([("subtopic",), ("a", 0.2), ("b", 0.8)], ("2", "2"), (0.6, 0.6), False),
        ([("subtopic",), ("a", 1), ("b", 4)], ("2", "2"), (0.6, 0.6), True),
        ([("topic", "Subtopic"), ("q1", "a", 1), ("q1", "b", 1), ("q1", "c", 2)], ("3", "2"), (0.375, 0.75), True),
        ([("query", "subtopic"), ("q1", "a", 1), ("q1", "b", 0)], ("2", "2"), (1, 0.75), False),
    ],
    ids=["by-query", "for-all", "sum-5", "declares", "zero"],
)
def test_intents_weigh_err_ia_and_declare_subtopics(
    weighed: Study, rows: list[Row], subtopics: tuple[str, str], expected: tuple[float, float], noted: bool
) -> None:
    write_csv(weighed.root / "intents.csv", [(*rows[0], "weight"), *rows[1:]])
    assert weighed.tables("--strict", "--intents", "intents.csv").code == 0
    assert tuple(weighed.query(q)["Subtopics"] for q in ("q1", "q2")) == subtopics
    assert tuple(weighed.value("ERR_IA@5", q) for q in ("q1", "q2")) == pytest.approx(expected)
    assert weighed.effects("weights-normalised") == ({"note"} if noted else set())
    assert weighed.value("S_Recall@5") == pytest.approx(2 / int(subtopics[0]))


@pytest.mark.parametrize(
    ("rows", "subtopics", "expected", "noted"),
    [
        ([("query", "subtopic"), ("q1", "a", 0.25), ("q1", "b", 0.75)], ("2", "2"), (11 / 12, 5 / 6), False),
        ([("subtopic",), ("a", 25), ("b", 75)], ("2", "2"), (11 / 12, 11 / 12), True),
        ([("query", "subtopic"), ("q1", "a", 1), ("q1", "b", 1), ("q1", "c", 2)], ("3", "2"), (0.5, 5 / 6), True),
    ],
    ids=["by-query", "percent", "declares"],
)
def test_targets_are_what_a_proportional_list_would_show_and_declare_subtopics(
    weighed: Study, rows: list[Row], subtopics: tuple[str, str], expected: tuple[float, float], noted: bool
) -> None:
    write_csv(weighed.root / "targets.csv", [(*rows[0], "share"), *rows[1:]])
    assert weighed.tables("--strict", "--targets", "targets.csv").code == 0
    assert tuple(weighed.query(q)["Subtopics"] for q in ("q1", "q2")) == subtopics
    assert tuple(weighed.value("Proportionality@5", q) for q in ("q1", "q2")) == pytest.approx(expected)
    assert weighed.effects("weights-normalised") == ({"note"} if noted else set())


@pytest.mark.parametrize(
    ("option", "name", "measure"), [("--intents", "weight", "ERR"), ("--targets", "share", "Prop")]
)
def test_weights_change_one_measure_and_no_other(weighed: Study, option: str, name: str, measure: str) -> None:
    write_book(weighed.root / "weights.xlsx", {"w": [("subtopic", name), ("a", 0.1), ("b", 0.9)]})
    assert weighed.score().code == 0
    before = weighed.query()
    assert weighed.score(option, "weights.xlsx").code == 0
    after = weighed.query()
    assert {column.split("@")[0][: len(measure)] for column in before if before[column] != after[column]} == {measure}


@pytest.mark.parametrize("bad", ["much", "-0.2", "nan"])
@pytest.mark.parametrize(("option", "name"), [("--intents", "weight"), ("--targets", "share")])
def test_a_weight_that_is_no_number_of_0_or_more_is_a_usage_error(
    example: Study, option: str, name: str, bad: str
) -> None:
    write_csv(example.root / "weights.csv", [("query", "subtopic", name), ("q1", "a", "1"), ("q1", "b", bad)])
    ended = example.score(option, "weights.csv")
    assert ended.code == 2
    assert [word for word in (option, bad) if word not in ended.err] == []
    assert "Traceback" not in ended.err
    assert not example.res.exists()


@pytest.mark.parametrize(
    ("option", "head"),
    [
        ("--intents", ("query", "subtopic")),
        ("--intents", ("query", "weight")),
        ("--targets", ("query", "subtopic")),
        ("--targets", ("query", "share")),
        ("--features", ("name", "x")),
    ],
    ids=" ".join,
)
def test_a_further_table_without_its_columns_scores_nothing_and_is_named(
    example: Study, option: str, head: tuple[str, str]
) -> None:
    write_csv(example.root / "further.csv", [head, ("1", "1")])
    ended = example.score(option, "further.csv")
    assert ended.code in (2, 4)
    assert "further.csv" in ended.err
    assert "Traceback" not in ended.err
    assert not example.res.exists()


@pytest.mark.parametrize("option", ["--intents", "--targets", "--features"])
def test_a_further_table_that_does_not_exist_is_a_usage_error_that_names_it(example: Study, option: str) -> None:
    ended = example.score(option, "nowhere.csv")
    assert ended.code == 2
    assert "nowhere.csv" in ended.err
    assert not example.res.exists()


def test_a_usage_error_in_a_table_leaves_old_reports_alone(example: Study) -> None:
    assert example.score().code == 0
    before = digests(example.res), (example.res / "manifest.json").read_bytes()
    write_csv(example.root / "weights.csv", [("subtopic", "weight"), ("a", -1)])
    assert example.score("--intents", "weights.csv").code == 2
    assert (digests(example.res), (example.res / "manifest.json").read_bytes()) == before


# --- distances --------------------------------------------------------------------------------------------------------


@pytest.fixture
def apart(study: Study) -> Study:
    """Three items: by their features all the same, by their subtopics 2/3 apart, by their texts wholly apart."""
    study.judge([JUDGED, *judged("a:AC b:BC")])
    texts = {"A": "red apples", "B": "fast cars", "C": "deep water"}
    study.model([(*RANKED, "text"), *((*row, texts[str(row[1])]) for row in ranked("ABC"))])
    write_csv(study.root / "features.csv", [("item", "x", "y"), ("C", 3, 6), ("A", 1, 2), ("B", 0.5, 1)])
    write_csv(study.root / "texts.csv", [("item", "text"), *((item, "the same " + item * 3) for item in "CBA")])
    return study


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), 2 / 3),
        (("--features", "features.csv"), 0),
        (("--distance", "auto", "--features", "features.csv"), 0),
        (("--distance", "features", "--features", "features.csv"), 0),
        (("--distance", "subtopics"), 2 / 3),
        (("--distance", "text"), 1),
        (("--features", "texts.csv"), 2 / 3),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, tuple) else "",
)
def test_items_are_apart_by_features_where_they_are_given_and_else_by_subtopics_unless_told(
    apart: Study, options: tuple[str, ...], expected: float
) -> None:
    assert apart.tables(*options).code == 0
    assert apart.value("ILD@5") == pytest.approx(expected, abs=1e-12)
    # every item is relevant with a grade of 1
    assert apart.value("EILD@5") == pytest.approx(3 * 2 * expected, abs=1e-12)


def test_texts_may_come_from_a_table_and_equal_ones_are_not_apart(study: Study) -> None:
    study.judge([JUDGED, *judged("a:ABC")])
    study.model([RANKED, *ranked("ABC")])
    texts = [("B", "Red apples, from here."), ("A", "Red apples, from here."), ("C", "deep water")]
    write_csv(study.root / "texts.csv", [("item", "text"), *texts])
    assert study.tables("--distance", "text", "--features", "texts.csv").code == 0
    assert study.value("ILD@5") == pytest.approx(2 / 3)


def test_features_that_were_asked_for_and_not_given_are_never_replaced_in_silence(apart: Study) -> None:
    ended = apart.score("--distance", "features")
    assert "Traceback" not in ended.err
    assert ended.code == 2 or apart.value("ILD@5") is None


def test_the_distance_of_features_is_one_less_their_cosine(study: Study) -> None:
    study.model([RANKED, *ranked("AB"), *ranked("AC", "q2"), *ranked("BD", "q3")])
    study.judge([JUDGED, *judged("a:A b:B"), *judged("a:AC", "q2"), *judged("a:BD", "q3")])
    vectors = {"A": (3, 4), "B": (4, 3), "C": (-3, -4), "D": (3, -4)}
    write_book(
        study.root / "features.xlsx",
        {"f": [("item", "x", "y"), *((i, *xy) for i, xy in vectors.items()), ("Q", 1, 1)]},
    )
    assert study.score("--features", "features.xlsx").code == 0
    expected = [1 - 24 / 25, 2, 1]
    assert [study.value("ILD@5", q) for q in ("q1", "q2", "q3")] == pytest.approx(expected, abs=1e-12)


DESCRIBED: dict[str, list[Row]] = {
    "features": [("item", "x", "y"), ("A", 1, 0), ("B", 0, 1)],
    "text": [("item", "text"), ("A", "red apples"), ("B", "fast cars")],
}


@pytest.mark.parametrize("kind", DESCRIBED)
def test_items_without_features_or_text_drop_out_and_are_noted_once_for_each_query(study: Study, kind: str) -> None:
    study.judge([JUDGED, *judged("a:A b:B c:XY"), *judged("a:AX", "q2")])
    study.model([RANKED, *ranked("XAYB"), *ranked("AX", "q2")])
    write_csv(study.root / "features.csv", DESCRIBED[kind])
    assert study.tables("--strict", "--distance", kind, "--features", "features.csv").code == 0
    lines = study.problems("no-features")
    assert [line["effect"] for line in lines] == ["note", "note"]
    assert sorted([q for q in ("q1", "q2") if q in line["message"]] for line in lines) == [["q1"], ["q2"]]
    assert [study.value(name) for name in ("ILD@5", "EILD@5")] == pytest.approx([1, 2])
    assert study.value("ILD@5", "q2") is None
    # the other measures still see all items
    assert study.value("S_Recall@5") == 1
    assert study.query()["Retrieved"] == "4"


def test_one_item_is_not_apart_from_anything(study: Study) -> None:
    study.judge([JUDGED, *judged("a:A")])
    study.model([RANKED, *ranked("A")])
    assert study.tables("--cutoffs", "1,5").code == 0
    names = [f"{name}@{k}" for name in ("ILD", "EILD_Norm") for k in (1, 5)]
    assert {name: study.value(name) for name in names} == dict.fromkeys(names)


# --- no judgments at all ----------------------------------------------------------------------------------------------


def test_without_any_judgment_only_the_distances_of_items_are_measured(study: Study) -> None:
    study.model([RANKED, *ranked("ABC"), *ranked("AB", "q2")])
    write_csv(study.root / "features.csv", [("item", "x", "y"), ("A", 1, 0), ("B", 0, 1), ("C", 1, 0)])
    assert study.tables("--features", "features.csv", refs="").code == 0
    for query, ild, pairs in (("q1", 2 / 3, 6), ("q2", 1, 2)):
        line = study.query(query)
        assert {name.split("@")[0] for name in line if "@" in name and line[name]} == {"ILD", "EILD", "EILD_Norm"}
        assert study.value("ILD@5", query) == pytest.approx(ild)
        assert study.value("EILD@5", query) == pytest.approx(pairs * ild)
    assert float(study.results()["m"]["ILD@10"]) == pytest.approx((2 / 3 + 1) / 2)
    assert not {"alpha_nDCG@10", "S_Recall@10", "Judged@10", "Judged", "Answered"} & study.results()["m"].keys()


def test_without_any_judgment_texts_will_do(study: Study) -> None:
    texts = {"A": "red apples", "B": "fast cars", "C": "red apples"}
    study.model([(*RANKED, "text"), *((*row, texts[str(row[1])]) for row in ranked("ABC"))])
    assert study.tables("--distance", "text", refs="").code == 0
    assert study.value("ILD@5") == pytest.approx(2 / 3)


def test_with_neither_judgments_nor_features_there_is_nothing_to_score(study: Study) -> None:
    study.model([RANKED, *ranked("ABC")])
    ended = study.score(refs="")
    assert ended.code in (2, 4)
    assert ended.err.strip()
    assert "Traceback" not in ended.err
    assert not study.res.exists()


# --- files and usage --------------------------------------------------------------------------------------------------


def test_tables_without_the_needed_columns_are_skipped(example: Study) -> None:
    heads: dict[str, Sequence[str]] = {
        "no-item": ("query", "rank"),
        "no-order": ("query", "item"),
        "no-query": RANKED[1:],
    }
    for name, head in heads.items():
        example.model([head, ("1", "1")], name)
    ended = example.tables()
    assert ended.code == 3
    listed = {(p["file"], p["effect"]) for p in example.problems("missing-column")}
    assert listed == {(f"{name}.csv", "sheet skipped") for name in heads}
    assert {name: line["Status"] for name, line in example.results().items()} == {
        **dict.fromkeys(heads, "failed"),
        "m": "ok",
    }
    assert [name for name in heads if f"{name}.csv" not in ended.err] == []


def test_a_header_without_rows_is_listed_and_unscored(example: Study) -> None:
    example.model([RANKED], "bare")
    assert example.tables().code == 0
    assert [(p["file"], p["effect"]) for p in example.problems("no-rows")] == [("bare.csv", "note")]
    assert example.results()["bare"]["Status"] == "unscored"


@pytest.mark.parametrize("alone", [True, False], ids=["alone", "among-others"])
@pytest.mark.parametrize(
    ("name", "content"),
    [("bad.xlsx", b"not a workbook"), ("bad.csv", b"query,item\nq1,A\n"), ("bad.qrels", b"q1 a A one more\n")],
)
def test_unusable_judgments_are_partial_among_others_and_else_leave_nothing_to_score(
    example: Study, name: str, content: bytes, alone: bool
) -> None:
    if alone:
        (example.refs / "all.csv").unlink()
    write_bytes(example.refs / name, content)
    ended = example.tables()
    assert ended.code == (4 if alone else 3)
    assert name in ended.err
    assert "Traceback" not in ended.err
    assert example.res.exists() != alone
    assert alone or example.value("S_Recall@5") == 1


@pytest.mark.parametrize(
    "options",
    [
        ("--cutoffs", "0"),
        ("--cutoffs", "5,x"),
        ("--cutoffs", "5,-1"),
        ("--cutoffs", "2.5"),
        ("--cutoffs", ""),
        ("--alpha", "-0.1"),
        ("--alpha", "1.1"),
        ("--alpha", "much"),
        ("--alpha", "nan"),
        ("--log-base", "3"),
        ("--definition", "trec"),
        ("--distance", "euclid"),
        ("--max-grade", "-1"),
        ("--seed", "today"),
        ("--rouge", "lin"),
        ("--column", "Prediction=x"),
        ("one-more-argument",),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_2_and_nothing_is_written(example: Study, options: tuple[str, ...]) -> None:
    ended = example.score(*options)
    assert ended.code == 2
    assert ended.err.strip()
    assert "Traceback" not in ended.err
    assert not example.res.exists()


@pytest.mark.parametrize(
    ("option", "value", "valid"),
    [
        ("--definition", "trec", ("printed", "ndeval")),
        ("--distance", "euclid", ("auto", "features", "subtopics", "text")),
        ("--log-base", "3", ("e", "2", "10")),
    ],
)
def test_a_wrong_value_is_answered_with_the_right_ones(
    example: Study, option: str, value: str, valid: tuple[str, ...]
) -> None:
    ended = example.tables(option, value)
    assert [word for word in (value, *valid) if word not in ended.err] == []


def test_judgments_that_do_not_exist_are_a_usage_error_that_names_them(example: Study) -> None:
    ended = example.score(refs="nowhere")
    assert ended.code == 2
    assert "nowhere" in ended.err
    assert not example.res.exists()


def test_without_arguments_the_default_folders_of_the_working_directory_are_used(study: Study) -> None:
    write_csv(study.root / "data" / "rankings" / "m.csv", [RANKED, *ranked("AX")])
    write_csv(study.root / "data" / "subtopics" / "all.csv", [JUDGED, *judged("a:A b:B")])
    assert study.run("diversity").code == 0
    (line,) = read_csv(study.root / "results" / "diversity" / "m_diversity.csv")
    assert float(line["S_Recall@5"]) == 0.5


def test_with_outputs_named_the_default_judgments_are_left_alone(study: Study) -> None:
    write_csv(study.root / "data" / "subtopics" / "all.csv", [JUDGED, *judged("a:A b:B c:C")])
    study.model([IN_LINE, ("q1", "A", 1, "a")])
    assert study.tables(refs="").code == 0
    assert study.query()["Subtopics"] == "1"


def test_outputs_and_judgments_may_each_be_one_file(example: Study) -> None:
    example.model([RANKED, *ranked("AX")], "n")
    assert example.run("diversity", "outs/n.csv", "refs/all.csv", "-o", "res").code == 0
    assert list(example.results()) == ["n"]
    assert example.value("S_Recall@5", model="n") == 0.5


@pytest.mark.parametrize(("query", "code"), [("q1", 0), ("another", 4)])
def test_a_dry_run_returns_what_the_run_would_and_writes_nothing(example: Study, query: str, code: int) -> None:
    example.judge([JUDGED, *judged("a:A", query)])
    assert example.tables("--dry-run").code == code
    assert not example.res.exists()
    assert example.tables().code == code

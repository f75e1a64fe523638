"""`mode-collapse` on tables as people have them: no level, walks, reasoning, refusals, what each row was taken for."""

from __future__ import annotations

import json
from collections import Counter

import pandas as pd
import pytest
from scipy.stats import binom, binomtest  # type: ignore[import-untyped]

import scoresheet
from scoresheet.metrics import match_option
from tests.helpers.files import Rows, read_csv, sheet_names, sheet_rows, write_book, write_bytes, write_csv
from tests.helpers.mode_collapse import CITIES, TREE, Study, roots

LISTED = ",".join(CITIES)
SORRY = "I'm sorry, but I can't choose for you."
MOVES = {"Rome": {"food": 7, "walk": 2}, "Oslo": {"walk": 4, "museum": 3}}
STEPS = [(city, act) for city, acts in MOVES.items() for act, times in acts.items() for _ in range(times)]


# --- levels, questions, options ---------------------------------------------------------------------------------------


def test_without_a_level_everything_is_at_the_root_and_that_is_said_once(study: Study) -> None:
    rows: Rows = [("question", "choice"), *(("a", "Rome"), ("a", "Oslo"), ("b", "Rome"), ("b", "Lima"))]
    study.model(rows)
    said = study.tables("--options", LISTED, table="")
    assert said.code == 0
    assert [(cell["Sheet"], cell["Level"], cell["N"]) for cell in study.cells()] == [("a", "0", "2"), ("b", "0", "2")]
    assert len(study.problems("no-level")) == 1
    assert "no column level, so that everything there is at level 0" in said.err


@pytest.mark.parametrize("name", ["n", "Frequency", "freq", "times", "votes"])
def test_counts_under_another_name_count_where_each_choice_stands_once(study: Study, name: str) -> None:
    counts = {"Rome": 12, "Paris": 4, "Oslo": 3, "Lima": 1}
    study.model([("choice", name), *counts.items()])
    said = study.score(table="")
    assert study.results()["m"]["Gini"] == "0.425"
    assert f"{name!r} holds whole numbers and no choice stands twice" in said.err
    study.model([("choice", "count"), *counts.items()])
    assert study.score(table="").code == 0
    assert study.results()["m"]["Gini"] == "0.425"
    assert study.problems("count-column") == []


def test_counts_of_walks_count_under_another_name_too(study: Study) -> None:
    times = Counter(STEPS)
    study.model([("city", "act", "n"), *((*step, many) for step, many in times.items())], "counted")
    study.model([("city", "act"), *STEPS], "sampled")
    assert study.score("--tree", "city,act", table="").code == 0
    counted, sampled = (study.results()[name] for name in ("counted", "sampled"))
    assert counted["Gini"] == sampled["Gini"] != "0.0"


@pytest.mark.parametrize(
    ("name", "cells"), [("n", "1234"), ("n", ["1", "2", "x", "7"]), ("rank", ["3", "1", "2", "9"])]
)
def test_numbering_and_other_numbers_are_no_counts(study: Study, name: str, cells: list[str]) -> None:
    study.model([("choice", name), *zip(CITIES, cells, strict=False)])
    assert study.score("--strict", table="").code == 0
    assert study.results()["m"]["Gini"] == "0.0"
    assert study.problems("count-column") == study.problems("not-counted") == []


def test_samples_that_are_numbered_are_samples(study: Study) -> None:
    study.model([("n", "choice"), *((n, CITIES[n % 2]) for n in range(1, 9))])
    assert study.score("--strict", table="").code == 0


@pytest.mark.parametrize("column", ["prompt_id", "prompt", "question_id", "task", "item", "scenario", "topic"])
def test_a_column_that_says_what_was_asked_is_named_where_it_was_not_used(study: Study, column: str) -> None:
    rows = [(asked, city) for asked in ("holiday", "retire") for city in ("Rome", "Rome", "Rome", "Oslo")]
    study.model([(column, "choice"), *rows])
    assert study.score("--strict", "--dry-run", table="").code == 3
    assert study.score(table="").code == 0
    assert [line["column"] for line in study.problems("not-separated")] == [column]
    study.model([(column, "choice"), *((f"say it anew, {place}", city) for place, (_, city) in enumerate(rows))])
    assert study.score("--strict", table="").code == 0  # worded anew for each sample


def test_a_level_is_said_to_be_missing_only_where_it_is(study: Study) -> None:
    study.options()
    sheets: dict[str, Rows] = {"a": roots(["Rome", "Oslo"]), "b": [("choice",), ("Rome",), ("Oslo",)]}
    write_book(study.outs / "m.xlsx", sheets)
    assert study.tables().code == 0
    (line,) = study.problems("no-level")
    assert "in 1 sheet (b)" in line["message"]


@pytest.mark.parametrize("head", ["answer", "output", "text", "completion", "Answer"])
def test_what_answers_are_called_is_free_text(study: Study, head: str) -> None:
    study.model([(head,), ("I would go to Rome",), ("Oslo",)])
    assert study.tables("--options", LISTED, table="").code == 0
    assert (study.cell()["N"], study.cell()["Used"]) == ("2", "2")


def test_beside_choices_a_column_called_text_is_no_reason_to_want_options(study: Study) -> None:
    study.model([("choice", "text"), ("Rome", "I thought long about it"), ("Oslo", "because")])
    assert study.tables(table="").code == 0
    assert study.cell()["N"] == "2"


@pytest.mark.parametrize("content", ["Rome\nOslo\n\nLima\n", "\ufeffRome\r\nOslo\r\nLima"], ids=["plain", "windows"])
def test_a_list_of_options_has_one_a_line(study: Study, content: str) -> None:
    write_bytes(study.root / "options.txt", content.encode())
    study.model([("answer",), ("Rome!",), ("Oslo",), ("Rome",)])
    said = study.tables(table="options.txt")
    assert said.code == 0
    assert "3 lines, each taken for one option (Rome, Oslo, Lima)" in said.err
    assert (study.cell()["Options"], study.cell()["N"]) == ("3", "3")


def test_a_folder_of_lists_has_the_options_of_each_question_and_no_readme(study: Study) -> None:
    write_bytes(study.root / "table" / "where.txt", b"Rome\nOslo\n")
    write_bytes(study.root / "table" / "what.txt", b"food\nwalk\nmuseum\n")
    write_bytes(study.root / "table" / "README.txt", b"These are the options.\nOne file for each question.\n")
    study.model([("question", "answer"), ("where", "Rome"), ("where", "Oslo"), ("what", "food"), ("what", "walk")])
    assert study.tables().code == 0
    assert {cell["Sheet"]: cell["Options"] for cell in study.cells()} == {"where": "2", "what": "3"}


def test_options_in_line_may_have_aliases(study: Study) -> None:
    study.model([("answer",), ("Roma",), ("the Eternal City",), ("Oslo",)])
    assert study.tables("--options", "Rome|Roma|Eternal City, Oslo", table="").code == 0
    assert (study.cell()["Top_Choice"], study.cell()["N"]) == ("Rome", "3")
    signature = json.loads((study.res / "manifest.json").read_text("utf-8"))["signature"]
    assert "|options:Rome¦Roma¦Eternal City, Oslo|" in signature


def test_a_list_in_line_that_is_longer_than_any_path_is_a_list(study: Study) -> None:
    many = ",".join(f"option number {place}" for place in range(500))
    study.model([("answer",), ("option number 7",), ("option number 9",)])
    assert study.tables("--options", many, table="").code == 0
    assert study.cell()["Options"] == "500"


def test_a_table_of_shares_needs_no_level_either(study: Study) -> None:
    write_csv(study.root / "target.csv", [("option", "share"), ("Rome", 3), ("Oslo", 1)])
    study.model([("choice",), *[("Rome",)] * 6, *[("Oslo",)] * 2])
    assert study.tables("--options", "Rome,Oslo", "--target", "target.csv", table="").code == 0
    as_uneven = sum(float(binom.pmf(rome, 8, 0.75)) for rome in range(9) if abs(rome - 4) >= 2)
    assert float(study.cell()["P_Value"]) == pytest.approx(as_uneven, abs=1e-12)


def test_a_parent_called_root_is_the_root(study: Study) -> None:
    study.options()
    rows = [("level", "parent", "choice"), (0, "root", "Rome"), (0, "ROOT", "Oslo"), (1, "root/Rome", "food")]
    study.model([*rows, (1, "root → Rome", "walk"), (2, "root/Rome/food", "day")])
    assert study.tables().code == 0
    places = [(cell["Level"], cell["Parent"], cell["N"]) for cell in study.cells()]
    assert places == [("0", "", "2"), ("1", "Rome", "2"), ("2", "Rome → food", "1")]


def test_sheet_and_question_are_never_pooled_in_silence(study: Study) -> None:
    rows = [("Sheet", "question", "choice"), ("s1", "q1", "Rome"), ("s1", "q2", "Oslo"), ("s2", "q1", "Lima")]
    study.model(rows)
    refused = study.tables("--options", LISTED, table="")
    assert (refused.code, "say which: --sheet-column Sheet" in refused.err) == (4, True)
    said = study.tables("--options", LISTED, "--sheet-column", "question", table="")
    assert said.code == 0
    assert [line["column"] for line in study.problems("not-separated")] == ["Sheet"]
    assert study.results()["m"]["Status"] == "partial"


# --- walks ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["table", ""])
def test_a_walk_gives_the_numbers_of_the_same_choices_in_rows_of_their_own(study: Study, table: str) -> None:
    study.options()
    study.model([("country", "act"), *STEPS])
    assert study.tables("--tree", "country,act", table=table, res="wide").code == 0
    wide = read_csv(study.root / "wide" / "m_mode_collapse.csv")
    below = [(1, city, act) for city, act in STEPS]
    study.model([("level", "parent", "choice"), *((0, "", city) for city, _ in STEPS), *below])
    assert study.tables(table=table, res="long").code == 0
    assert wide == read_csv(study.root / "long" / "m_mode_collapse.csv")
    one, other = (read_csv(study.root / res / "mode_collapse_results.csv") for res in ("wide", "long"))
    assert one == other


def test_a_walk_in_sentences_goes_on_under_what_was_meant(study: Study) -> None:
    study.options()
    study.model([("Category", "act"), ("Let's see Rome", "some food"), ("Rome", "a walk"), ("Oslo", "food!")])
    assert study.tables("--tree", "category,act").code == 0
    assert [(cell["Parent"], cell["N"]) for cell in study.cells()] == [("", "3"), ("Rome", "2"), ("Oslo", "1")]


def test_a_walk_ends_where_nothing_was_chosen(study: Study) -> None:
    study.options()
    study.model([("country", "act", "hour"), ("Rome", "", "day"), ("Oslo", "food", "day"), ("Atlantis", "food", "day")])
    assert study.tables("--tree", "country,act,hour").code == 0
    (note,) = study.problems("walk")
    assert "3 rows with 8 choices" in note["message"]
    assert (study.results()["m"]["Rows"], study.results()["m"]["Scored"]) == ("8", "4")
    kinds = Counter(line["kind"] for line in study.problems() if line["effect"] == "row not scored")
    assert kinds == {"incomplete": 1, "unknown-option": 1, "unknown-parent": 2}


def test_the_header_of_a_walk_is_found_below_a_title(study: Study) -> None:
    study.model([("Walks of March",), ("country", "act"), *STEPS])
    assert study.tables("--tree", "country,act", table="").code == 0
    assert "row 2 is the header" in study.problems("header-row")[0]["message"]
    assert study.cell()["N"] == str(len(STEPS))


# --- reasoning --------------------------------------------------------------------------------------------------------

THOUGHT = "<think>Oslo is cold, Lima is far.</think>"


@pytest.mark.parametrize(
    ("text", "how", "option"),
    [
        (f"{THOUGHT}Rome", "", "Rome"),
        (f"{THOUGHT}\n\nI pick Rome.", "", "Rome"),
        ("Oslo is cold, Lima is far.</think>Rome", "", "Rome"),
        ("<THINKING>Oslo?</THINKING>Rome", "", "Rome"),
        (f"{THOUGHT}Not Oslo. Answer: Rome", "Answer: (.*)", "Rome"),
        ("Answer: Oslo. No, wait. Answer: Rome", r"Answer: (\w+)", "Rome"),
        (r"So \boxed{Rome}, and not Oslo", r"boxed\{(.*?)\}", "Rome"),
        ("Oslo or Lima? Rome.", "last", "Rome"),
        ("Rome", "last", "Rome"),
        ("Rome, or Oslo?", "", ""),
    ],
)
def test_an_answer_is_found_behind_its_reasoning(study: Study, text: str, how: str, option: str) -> None:
    study.model([("answer",), (text,)])
    study.tables("--options", LISTED, *(["--extract", how] if how else []), table="")
    cell = study.cells()[0] if study.res.exists() else {"Top_Choice": ""}
    assert cell["Top_Choice"] == option


def test_reasoning_that_never_ends_is_no_answer_and_said(study: Study) -> None:
    study.model([("answer",), ("<think>Rome is nice, so",), (f"{THOUGHT}Oslo",), ("Lima",)])
    said = study.tables("--options", LISTED, table="")
    assert said.code == 0
    (line,) = study.problems("unclosed-reasoning")
    assert (line["row"], line["effect"]) == ("2", "row not scored")
    assert "cut off before any answer" in line["message"]
    assert (study.cell()["N"], study.cell()["Incomplete"]) == ("2", "1")
    assert study.problems("reasoning")[0]["message"] == "reasoning was left out of 2 answers"


def test_what_a_pattern_does_not_find_is_incomplete_and_said(study: Study) -> None:
    study.model([("answer",), ("Answer: Rome",), ("Oslo, I think",), ("Answer: Lima",)])
    assert study.tables("--options", LISTED, "--extract", "Answer: (.*)", table="").code == 0
    (line,) = study.problems("not-extracted")
    assert (line["row"], line["message"]) == ("3", "what --extract names is not in the text")
    assert (study.cell()["N"], study.cell()["Incomplete"]) == ("2", "1")


# --- refusals ---------------------------------------------------------------------------------------------------------


def test_refusals_are_an_outcome_of_their_own(study: Study) -> None:
    answers = [*["Rome"] * 9, *["Oslo"] * 4, *[SORRY] * 6, "Atlantis"]
    study.model([("answer",), *((text,) for text in answers)])
    said = study.tables("--options", LISTED, table="")
    assert said.code == 0
    cell, line = study.cell(), study.results()["m"]
    assert [cell[name] for name in ("N", "Incomplete", "Refused")] == ["13", "1", "6"]
    low, high = binomtest(6, 20).proportion_ci(0.95, method="exact")
    for table in (cell, line):
        seen = [float(table[name]) for name in ("Refusal_Rate", "Refusal_CI_Low", "Refusal_CI_High")]
        assert seen == pytest.approx([0.3, low, high], abs=1e-9)
    assert study.effects("refused") == {"row not scored"}
    assert "Refusal_Rate" in said.out
    assert "It refused 6 times (30.0%, 95 % interval 11.9% to 54.3%)." in said.out


def test_without_refusals_the_screen_does_not_speak_of_them(study: Study) -> None:
    study.model([("answer",), ("Rome",), ("Oslo",)])
    assert "efus" not in study.tables("--options", LISTED, table="").out


def test_a_refusal_is_never_an_option_that_was_seen(study: Study) -> None:
    study.model([("choice",), *[("Rome",)] * 3, ("Oslo",), (SORRY,), ("I cannot decide.",)])
    assert study.tables(table="").code == 0
    assert [study.cell()[name] for name in ("Options", "N", "Refused")] == ["2", "4", "2"]


COUNTRIES = {"Iceland": ["IS"], "Italy": ["IT"], "Norway": ["NO"], "United States": ["US"], "Japan": []}


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("I can't decide, it depends.", "refused"),
        ("I’m sorry, but I cannot pick one.", "refused"),
        ("As an AI language model, I do not travel.", "refused"),
        ("As an AI, I don't have personal preferences.", "refused"),
        ("I'd rather not choose between Japan and Italy.", "refused"),
        ("I won't recommend Japan.", "refused"),
        ("作为一个人工智能，我无法选择。", "refused"),
        ("What is the best answer? Hard to say.", "none"),
        ("No preference from me.", "none"),
        ("Let us see", "none"),
        ("No.", "none"),
    ],
)
def test_what_names_no_option_is_taken_for_none(text: str, how: str) -> None:
    assert match_option(text, COUNTRIES) == ("", how)


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("As an AI I have no body, but Japan.", "Japan"),
        ("I can't choose for you. Personally: Japan", "Japan"),
        ("I can't wait to see Japan", "Japan"),
        ("I can't help but choose Japan", "Japan"),
        ("Japan, and I won't help you pack", "Japan"),
        ("The US, of course", "United States"),
        ("ＵＳ", "United States"),
        ("In Italy (IT) it is warm", "Italy"),
        ("__Japan__", "Japan"),
        ("**Japan**", "Japan"),
        ("#Japan", "Japan"),
        ("## Japan", "Japan"),
        ("Ｊａｐａｎ", "Japan"),
        ("_Japan_, for _sure_", "Japan"),
    ],
)
def test_what_names_an_option_is_that_option(text: str, option: str) -> None:
    assert match_option(text, COUNTRIES).option == option


def test_hyphens_and_emphasis_keep_other_names_apart() -> None:
    assert match_option("a street-food tour", ["Street food tour", "Hike"]).option == "Street food tour"
    assert match_option("street food-tour", ["Street-food tour", "Hike"]).option == "Street-food tour"
    assert match_option("A*", ["A*", "A"]) == ("A*", "exact")
    assert match_option("well, #MeToo", ["#MeToo", "none"]).option == "#MeToo"
    assert match_option("an e-mail then", ["e-mail", "e mail"]).option == "e-mail"
    assert match_option("use __init__ here", ["__init__", "init"]).option == "__init__"
    assert match_option("C# of course", ["C", "C#", "C++"]).option == "C#"
    assert match_option("let us go", {"United States": ["US", "us"], "Japan": []}).option == "United States"


# --- reports ----------------------------------------------------------------------------------------------------------


def test_every_row_is_listed_with_the_option_it_was_taken_for(study: Study) -> None:
    rows: Rows = [("id", "question", "answer", "count"), ("x1", "a", "I say Rome", 2), ("x2", "a", "=Oslo", 1)]
    study.model(
        [*rows, ("x3", "b", SORRY, 1), ("x4", "b", "Atlantis", 1), ("x5", "b", "Lima", 3), ("x6", "b", "Lima", "?")]
    )
    assert study.tables("--options", LISTED, "--keep", "id", table="").code == 0
    lines = read_csv(study.res / "m_mode_collapse_samples.csv")
    assert [
        (line["Row"], line["Sheet"], line["Option"], line["How"], line["Samples"], line["id"]) for line in lines
    ] == [
        ("2", "a", "Rome", "mention", "2", "x1"),
        ("3", "a", "Oslo", "mention", "1", "x2"),
        ("4", "b", "", "refused", "1", "x3"),
        ("5", "b", "", "unknown-option", "1", "x4"),
        ("6", "b", "Lima", "exact", "3", "x5"),
        ("7", "b", "", "bad-count", "0", "x6"),
    ]
    counted = sum(int(line["Samples"]) for line in lines if line["Option"])
    assert counted == sum(int(cell["N"]) for cell in study.cells())
    assert lines[1]["Text"] == "'=Oslo"


def test_a_file_of_samples_that_is_not_ours_is_not_replaced(study: Study) -> None:
    study.model(roots(["Rome", "Oslo"]))
    write_bytes(study.res / "m_mode_collapse_samples.csv", b"mine\n")
    ended = study.tables(table="")
    assert ended.code == 2
    assert "m_mode_collapse_samples.csv" in ended.err


def test_many_questions_of_one_cell_stand_on_one_page(study: Study) -> None:
    study.options()
    flat = [(f"q{place}", 0, "", city) for place in range(30) for city in ("Rome", "Rome", "Oslo")]
    tree = [("trip", 0, "", "Rome"), ("trip", 0, "", "Oslo"), ("trip", 1, "Rome", "food"), ("trip", 1, "Rome", "walk")]
    study.model([("question", "level", "parent", "choice"), *flat, *tree])
    assert study.score().code == 0
    last = ["Cells", "Distribution", "Counts", "Mappings", "Problems", "About"]
    assert sheet_names(study.workbook()) == ["Summary", "trip", *last]
    head, *rows = sheet_rows(study.workbook(), "Cells")
    cells = [cell for cell in study.cells() if cell["Sheet"] != "trip"]
    assert [(row[head.index("Sheet")], row[head.index("Gini")]) for row in rows] == [
        (cell["Sheet"], pytest.approx(float(cell["Gini"]))) for cell in cells
    ]


def test_the_worst_cell_is_named_and_a_control_without_any_names_none(study: Study) -> None:
    even = [(0, "", city) for city in CITIES for _ in range(8)]
    below = [(1, city, act) for city in CITIES for act in ("museum", "food", "walk") for _ in range(8)]
    planted = [row for row in below if row[1] != "Lima"] + [(1, "Lima", "food")] * 23 + [(1, "Lima", "walk")]
    study.options(
        [("level", "option"), *((0, city) for city in CITIES), *((1, act) for act in ("museum", "food", "walk"))]
    )
    study.model([("level", "parent", "choice"), *even, *planted], "planted")
    study.model([("level", "parent", "choice"), *even, *below], "control")
    said = study.tables()
    assert said.code == 0
    found = {
        model: (line["Worst_Cell"], line["Collapsed_Cells"], line["Verdict"]) for model, line in study.results().items()
    }
    assert found["control"] == ("", "0", "no more than chance")
    assert found["planted"] == ("Lima: food", "1", "no more than chance")
    assert "Worst_Cell" in said.out
    assert "P_Value" in said.out


def test_the_account_of_a_walk_lists_its_columns_as_used(study: Study) -> None:
    study.options(TREE)
    study.model([("country", "act", "remark"), ("Rome", "food", "x"), ("Oslo", "walk", "y")])
    ended = study.run("mode-collapse", "outs", "table", "--tree", "country,act", "--dry-run", "--json")
    assert ended.code == 0
    assert '"remark"' in ended.out
    assert '"country"' not in ended.out


def test_from_python_options_and_walks_are_given_as_on_the_command_line() -> None:
    frame = pd.DataFrame({"model": ["m"] * 4, "answer": ["I pick Rome", "Rome", "Oslo!", SORRY]})
    scores = scoresheet.score("mode-collapse", frame, options=LISTED)
    line = scores.table.iloc[0]
    assert (line["N"], line["Refused"], line["Top_Choice"]) == (3, 1, "Rome")
    walks = pd.DataFrame(STEPS, columns=["country", "act"])
    tree = scoresheet.score("mode-collapse", walks, tree="country,act")
    assert tree.units["N"].tolist() == [len(STEPS), 9, 7]


def test_options_in_line_take_the_place_of_the_default_table(study: Study) -> None:
    write_csv(study.root / "data" / "choices" / "m.csv", roots(["tea", "rice"]))
    write_csv(study.root / "data" / "choice_options" / "options.csv", TREE)
    ended = study.run("mode-collapse", "--options", "tea,rice", "--dry-run", "--json")
    assert ended.code == 0, ended.err
    assert '"N": 2' in ended.out

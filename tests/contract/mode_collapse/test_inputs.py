"""Which choices does `mode-collapse` read, over which options does it count them, and what does it say of the rest?"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from tests.helpers.files import digests, read_csv, write_book, write_bytes, write_csv
from tests.helpers.mode_collapse import CITIES, COUNTED, HOURS, NOT_SCORED, QUESTIONS, TREE, Study, roots

pytestmark = pytest.mark.usefixtures("no_workbooks")


def sheets_of(texts: Iterable[str], head: str) -> list[tuple[object, ...]]:
    """Each text in a sheet of its own, so that one run tells what becomes of every one of them."""
    return [("Sheet", "level", head), *((f"s{i}", 0, text) for i, text in enumerate(texts))]


def tally(cell: dict[str, str]) -> tuple[int, int, int, int, str]:
    """Choices, incomplete ones, options, options used and the most frequent choice of a cell."""
    n, incomplete, options, used = (int(cell[name]) for name in ("N", "Incomplete", "Options", "Used"))
    return n, incomplete, options, used, cell["Top_Choice"]


def test_choices_are_counted_over_all_declared_options(study: Study) -> None:
    study.options()
    study.model(roots(["Rome", "Paris", "Rome", "Rome"]))
    assert study.tables().code == 0
    assert tally(study.cell()) == (4, 0, 5, 2, "Rome")
    assert study.results()["m"]["Status"] == "ok"


MAPPED = {
    "Rome": "Rome",
    "rOmE": "Rome",
    "  Rome.  ": "Rome",
    '"Rome"': "Rome",
    "(Rome)!": "Rome",
    "the Rome": "Rome",
    "b) Rome": "Rome",
    "b. Rome": "Rome",
    "(b) Rome": "Rome",
    "b: Rome": "Rome",
    "Bogota": "Bogotá",
    "BOGOTÁ": "Bogotá",
    "Roma": "Rome",
    "The Eternal City.": "Rome",
    "I would go to Rome, of course": "Rome",
    "Off to the eternal city!": "Rome",
    "Rome, the Eternal City": "Rome",
    "Rome! Rome!": "Rome",
}
UNMAPPED = {
    "Atlantis": "unknown-option",
    "Romeo": "unknown-option",
    "b": "unknown-option",
    "b)": "unknown-option",
    "Bogotaa": "unknown-option",
    "Rome or Bogotá": "ambiguous-option",
    "Bogotá, not the Eternal City": "ambiguous-option",
    "": "incomplete",
    "   ": "incomplete",
    "incomplete": "incomplete",
    "InComplete": "incomplete",
}
NAMED = [("level", "option", "aliases"), (0, "Rome", "Roma|Eternal City"), (0, "Bogotá", ""), (0, "Oslo", "Kristiania")]


@pytest.mark.parametrize("head", ["choice", "response"])
def test_texts_are_mapped_to_options_and_their_aliases(study: Study, head: str) -> None:
    study.options(NAMED)
    study.model(sheets_of(MAPPED, head))
    assert study.tables().code == 0
    assert {text: study.top(f"s{i}") for i, text in enumerate(MAPPED)} == MAPPED
    assert not [line for line in study.problems() if line["effect"] == NOT_SCORED]


@pytest.mark.parametrize("head", ["choice", "response"])
def test_texts_that_map_to_none_or_two_are_listed_and_counted_as_incomplete(study: Study, head: str) -> None:
    study.options(NAMED)
    study.model([("level", head), (0, "Rome"), *((0, text) for text in UNMAPPED)])
    assert study.tables().code == 0
    listed = {int(line["row"]): line["kind"] for line in study.problems() if line["effect"] == NOT_SCORED}
    assert listed == dict(enumerate(UNMAPPED.values(), 3))
    assert tally(study.cell()) == (1, len(UNMAPPED), 3, 1, "Rome")


def test_a_bare_letter_maps_only_as_an_alias(study: Study) -> None:
    study.options([("level", "option", "aliases"), (0, "Rome", "a"), (0, "Paris", "b")])
    study.model(sheets_of(["b", "A", "c"], "response"))
    assert study.tables().code == 0
    assert [study.top(f"s{i}") for i in range(3)] == ["Paris", "Rome", ""]


def test_plus_and_number_signs_are_part_of_a_name(study: Study) -> None:
    study.options([("level", "option"), (0, "C"), (0, "C++"), (0, "C#")])
    texts = {"C": "C", "c++": "C++", "C#": "C#", "I would use C++ here": "C++", "C++.": "C++"}
    study.model(sheets_of(texts, "response"))
    assert study.tables().code == 0
    assert {text: study.top(f"s{i}") for i, text in enumerate(texts)} == texts


def test_in_a_script_without_spaces_a_name_is_mentioned_where_it_is_contained(study: Study) -> None:
    study.options([("level", "option"), (0, "猫"), (0, "狗")])
    study.model(sheets_of(["我选猫", "狗。", "猫和狗"], "response"))
    assert study.tables().code == 0
    assert [study.top(f"s{i}") for i in range(3)] == ["猫", "狗", ""]
    assert [line["sheet"] for line in study.problems("ambiguous-option")] == ["s2"]


def test_a_fuzzy_match_counts_only_above_a_threshold_that_was_asked_for(study: Study) -> None:
    study.options()
    study.model(roots(["Pariss", "Paris"]))
    for options, n in (((), 1), (("--fuzzy", "0"), 1), (("--fuzzy", "99"), 1), (("--fuzzy", "80"), 2)):
        assert study.tables(*options).code == 0
        assert tally(study.cell())[:2] == (n, 2 - n)


def test_the_choice_counts_where_it_is_filled_and_else_the_response(study: Study) -> None:
    study.options()
    rows = [
        ("Sheet", "level", "choice", "response"),
        ("both", 0, "Rome", "I pick Paris"),
        ("response", 0, "", "I pick Paris"),
        ("neither", 0, "", ""),
        ("given up", 0, "incomplete", "I pick Paris"),
    ]
    study.model(rows)
    assert study.tables().code == 0
    assert [study.top(str(row[0])) for row in rows[1:]] == ["Rome", "Paris", "", ""]
    assert {line["sheet"] for line in study.problems("incomplete")} == {"neither", "given up"}


def test_a_count_stands_for_as_many_rows(study: Study) -> None:
    study.options()
    head = ("level", "choice", "count")
    study.model([head, (0, "Rome", 3), (0, "Paris", 20), (0, "rome", 4), (0, "incomplete", 5), (0, "Atlantis", 6)])
    assert study.tables().code == 0
    assert tally(study.cell()) == (27, 11, 5, 2, "Paris")


def test_a_correction_wins_on_flagged_rows(study: Study) -> None:
    study.options()
    flags = ("yes", "no")
    head = ("Sheet", "level", "category", "corrected_category", "is_flagged")
    study.model([head, *((f"s{i}", 0, "Rome", "Paris", flag) for i, flag in enumerate(flags))])
    assert study.tables().code == 0
    assert [study.top(f"s{i}") for i in range(len(flags))] == ["Paris", "Rome"]


def test_without_flags_every_correction_wins_that_is_not_empty(study: Study) -> None:
    study.options()
    rows = [("Rome", "Paris"), ("Rome", ""), ("Atlantis", "I mean Paris"), ("", "Oslo"), ("Rome", "incomplete")]
    head = ("Sheet", "level", "choice", "corrected_category")
    study.model([head, *((f"s{i}", 0, *row) for i, row in enumerate(rows))])
    assert study.tables().code == 0
    assert [study.top(f"s{i}") for i in range(len(rows))] == ["Paris", "Rome", "Paris", "Oslo", ""]
    assert [line["row"] for line in study.problems("incomplete")] == ["6"]


def test_a_flagged_row_without_a_correction_keeps_its_choice(study: Study) -> None:
    study.options()
    study.model([("level", "choice", "corrected_category", "is_flagged"), (0, "Rome", "", "true")])
    assert study.tables().code == 0
    assert study.top() == "Rome"


def test_a_correction_wins_over_a_response_too(study: Study) -> None:
    study.options()
    study.model([("level", "response", "corrected_category"), (0, "Rome or Paris", "Paris")])
    assert study.tables().code == 0
    assert study.top() == "Paris"


def test_columns_are_found_by_name_and_alias(study: Study) -> None:
    study.options()
    study.model(
        [("Tree Level", "PARENT-PATH", "Raw Response"), (0, "", "Rome"), (1, "Rome", "food"), (1, "Rome", "food")]
    )
    assert study.tables().code == 0
    assert tally(study.cell(1, "Rome")) == (2, 0, 3, 1, "food")


def test_columns_of_outputs_and_table_may_be_named(study: Study) -> None:
    study.options([("level", "name"), (0, "Rome"), (0, "Paris")])
    study.model([("level", "answer"), (0, "Rome")])
    assert study.tables("--column", "choice=answer", "--column", "option=name").code == 0
    assert tally(study.cell()) == (1, 0, 2, 1, "Rome")


def test_each_sheet_of_a_workbook_is_a_question(study: Study) -> None:
    study.options()
    head = ("level", "parent", "choice", "count")
    first = [head, (0, None, "Rome", 3), (1, "Rome", "food", 2)]
    second = [head, (0, None, "Lima", 7)]
    write_book(study.outs / "m.xlsx", {"holiday": first, "work": second})
    assert study.tables().code == 0
    assert tally(study.cell(sheet="holiday")) == (3, 0, 5, 1, "Rome")
    assert tally(study.cell(1, "Rome", sheet="holiday")) == (2, 0, 3, 1, "food")
    assert tally(study.cell(sheet="work")) == (7, 0, 5, 1, "Lima")
    assert len(study.cells()) == 3


def test_each_csv_of_a_models_folder_is_a_question(study: Study) -> None:
    study.options()
    for sheet, city in (("holiday", "Rome"), ("work", "Lima")):
        write_csv(study.outs / "m" / f"{sheet}.csv", roots([city, city]))
    assert study.tables().code == 0
    assert [(cell["Sheet"], cell["Top_Choice"]) for cell in study.cells()] == [("holiday", "Rome"), ("work", "Lima")]


def test_a_sheet_column_tells_the_questions_of_a_csv_apart(study: Study) -> None:
    study.options()
    study.model([("Sheet", "level", "choice"), ("work", 0, "Lima"), ("holiday", 0, "Rome"), ("work", 0, "Lima")])
    assert study.tables().code == 0
    assert tally(study.cell(sheet="work")) == (2, 0, 5, 1, "Lima")
    assert tally(study.cell(sheet="holiday")) == (1, 0, 5, 1, "Rome")


def test_a_tree_of_three_levels_has_a_cell_for_each_path_of_choices(study: Study) -> None:
    study.options()
    rows = [
        ("level", "parent", "choice"),
        *((0, "", city) for city in ("Rome", "Rome", "Paris")),
        *((1, "Rome", act) for act in ("food", "walk", "food")),
        (1, "Paris", "museum"),
        *((2, path, hour) for path, hour in (("Rome → food", "day"), ("Paris → museum", "night"))),
    ]
    study.model(rows)
    assert study.tables().code == 0
    places = {(int(cell["Level"]), cell["Parent"]): int(cell["N"]) for cell in study.cells()}
    assert places == {
        (0, ""): 3,
        (1, "Rome"): 3,
        (1, "Paris"): 1,
        (2, "Rome → food"): 1,
        (2, "Paris → museum"): 1,
    }


def test_a_path_may_be_joined_by_arrows_or_slashes(study: Study) -> None:
    study.options()
    paths = ("Rome → food", "Rome/food", "Rome→food", "Rome / food")
    head = ("level", "parent", "choice")
    study.model([head, (0, "", "Rome"), (1, "Rome", "food"), *((2, path, "day") for path in paths)])
    assert study.tables().code == 0
    assert tally(study.cell(2, "Rome → food")) == (4, 0, 2, 1, "day")
    assert len(study.cells()) == 3


def test_a_parent_at_the_first_level_is_taken_whole(study: Study) -> None:
    study.options([("level", "option"), *((0, o) for o in ("AC/DC", "Abba")), *((1, o) for o in ("loud", "soft"))])
    study.model([("level", "parent", "choice"), (0, "", "AC/DC"), (1, "AC/DC", "loud")])
    assert study.tables().code == 0
    assert tally(study.cell(1, "AC/DC")) == (1, 0, 2, 1, "loud")
    assert not study.problems("unknown-parent")


def test_where_an_arrow_separates_a_slash_is_part_of_a_choice(study: Study) -> None:
    bands, ways, hours = ("AC/DC", "Abba"), ("loud", "soft"), HOURS
    study.options([("level", "option"), *((i, o) for i, names in enumerate((bands, ways, hours)) for o in names)])
    study.model(
        [
            ("level", "parent", "choice"),
            (0, "", "AC/DC"),
            (1, "AC/DC", "loud"),
            (2, "AC/DC → loud", "night"),
        ]
    )
    assert study.tables().code == 0
    assert tally(study.cell(2, "AC/DC → loud")) == (1, 0, 2, 1, "night")
    assert not study.problems("unknown-parent")


def test_options_hold_under_their_parent_and_those_without_one_under_every_parent(study: Study) -> None:
    rows: list[tuple[object, ...]] = [("level", "parent", "option"), *((0, "", city) for city in CITIES)]
    rows += [(1, "", "food"), (1, "", "walk"), (1, "Rome", "forum")]
    rows += [(2, "", "night"), (2, "Rome/forum", "day"), (2, "Rome/forum", "dusk")]
    study.options(rows)
    study.model(
        [
            ("level", "parent", "choice"),
            *((0, "", city) for city in ("Rome", "Paris")),
            *((1, parent, "food") for parent in ("Rome", "Paris")),
            (1, "Rome", "forum"),
            (1, "Paris", "forum"),
            (2, "Rome → forum", "day"),
            (2, "Paris → food", "night"),
        ]
    )
    assert study.tables().code == 0
    assert tally(study.cell(1, "Rome"))[:4] == (2, 0, 3, 2)
    assert tally(study.cell(1, "Paris")) == (1, 1, 2, 1, "food")
    assert [line["row"] for line in study.problems("unknown-option")] == ["7"]
    assert tally(study.cell(2, "Rome → forum")) == (1, 0, 3, 1, "day")
    assert study.cell(2, "Paris → food")["Options"] == "1"


def test_a_question_column_says_for_which_sheet_an_option_holds(study: Study) -> None:
    study.options(
        [
            ("level", "option", "question"),
            *((0, name, "pets") for name in ("cat", "dog", "fish")),
            *((0, name, "colours") for name in ("red", "blue")),
            (0, "none", ""),
        ]
    )
    study.model([("Sheet", "level", "choice"), ("pets", 0, "cat"), ("colours", 0, "red"), ("colours", 0, "cat")])
    assert study.tables().code == 0
    assert tally(study.cell(sheet="pets")) == (1, 0, 4, 1, "cat")
    assert tally(study.cell(sheet="colours")) == (1, 1, 3, 1, "red")
    assert [(line["sheet"], line["row"]) for line in study.problems("unknown-option")] == [("colours", "4")]


def test_options_may_be_in_several_files_and_sheets(study: Study) -> None:
    head = ("level", "option")
    write_book(study.root / "table" / "a.xlsx", {"one": [head, (0, "Rome")], "two": [head, (0, "Paris")]})
    write_csv(study.root / "table" / "b.csv", [head, (0, "Oslo")])
    study.model(roots(["Oslo"]))
    assert study.score().code == 0
    assert tally(study.cell()) == (1, 0, 3, 1, "Oslo")


def test_an_option_repeated_with_the_same_spelling_is_one(study: Study) -> None:
    rows = [(0, "Rome", "Roma"), (0, "Rome", "Eternal City"), (0, "Paris", ""), (0, "Paris", "")]
    study.options([("level", "option", "aliases"), *rows])
    study.model(roots(["Roma", "Eternal City", "Paris"]))
    assert study.tables().code == 0
    assert tally(study.cell()) == (3, 0, 2, 2, "Rome")


def test_without_a_table_the_options_are_the_choices_seen_in_the_whole_run(study: Study) -> None:
    head = ("level", "parent", "choice")
    study.model([head, (0, "", "Rome"), (0, "", "ROME."), (0, "", "Paris"), (1, "Rome", "food"), (1, "Paris", "walk")])
    study.model([head, (0, "", "Oslo"), (0, "", "the rome")], "n")
    assert study.tables(table="").code == 0
    assert tally(study.cell())[:4] == (3, 0, 3, 2)
    assert tally(study.cell(model="n"))[:4] == (2, 0, 3, 2)
    assert tally(study.cell(1, "Rome"))[:4] == (1, 0, 2, 1)
    assert tally(study.cell(1, "Paris"))[:4] == (1, 0, 2, 1)
    assert study.effects("observed-options") == {"note"}


def test_with_a_table_nothing_is_said_of_observed_options(study: Study) -> None:
    study.options()
    study.model(roots(CITIES))
    assert study.tables().code == 0
    assert not study.problems("observed-options")


def test_without_a_table_a_choice_never_made_may_be_declared_by_a_count_of_zero(study: Study) -> None:
    study.model([("level", "choice", "count"), (0, "Rome", 5), (0, "Paris", 0), (0, "Oslo", 1)])
    assert study.tables(table="").code == 0
    assert tally(study.cell()) == (6, 0, 3, 2, "Rome")
    assert not study.problems("bad-count")


@pytest.mark.parametrize(
    ("options", "expected"),
    [((), (5, 5, 5)), (("--observed", "run"), (5, 5, 5)), (("--observed", "sheet"), (3, 2, 3))],
    ids=["default", "run", "sheet"],
)
def test_without_a_table_options_may_be_observed_in_the_run_or_in_the_sheets_of_one_name(
    study: Study, options: tuple[str, ...], expected: tuple[int, int, int]
) -> None:
    head = ("level", "choice")
    pets, colours = [(0, "cat"), (0, "dog"), (0, "cat")], [(0, "red"), (0, "blue")]
    write_book(study.outs / "m.xlsx", {"pets": [head, *pets], "colours": [head, *colours]})
    write_book(study.outs / "n.xlsx", {"pets": [head, (0, "fish"), (0, "cat")]})
    assert study.tables(*options, table="").code == 0
    cells = (study.cell(sheet="pets"), study.cell(sheet="colours"), study.cell(sheet="pets", model="n"))
    assert tuple(int(cell["Options"]) for cell in cells) == expected


def test_a_response_without_a_table_costs_its_file_and_the_other_models_go_on(study: Study) -> None:
    study.model(roots(["Rome", "Paris"]))
    study.model(roots(["I pick Rome"], "response"), "talker")
    ended = study.score(table="")
    assert ended.code == 3
    assert "talker.csv" in ended.err
    assert [(p["file"], p["effect"]) for p in study.problems("needs-options")] == [("talker.csv", "file skipped")]
    assert {name: line["Status"] for name, line in study.results().items()} == {"m": "ok", "talker": "failed"}
    assert study.results()["talker"]["Gini"] == ""
    assert study.results()["m"]["Gini"] != ""
    assert study.cell()["Options"] == "2"
    assert not study.workbook("talker").exists()


def test_nothing_but_responses_without_a_table_leave_nothing_to_score(study: Study) -> None:
    study.model(roots(["I pick Rome"], "response"))
    ended = study.score(table="")
    assert ended.code == 4
    assert "m.csv" in ended.err
    assert not study.res.exists()


# --- problems ---------------------------------------------------------------------------------------------------------

PARENTED: list[tuple[object, ...]] = [
    ("level", "parent", "option"),
    *((0, "", city) for city in CITIES),
    *((1, "Rome", act) for act in ("museum", "food")),
    *((1, "Paris", act) for act in ("museum", "walk")),
]
MESSY: list[tuple[tuple[object, ...], str]] = [
    ((0, "", "Rome", 1), ""),
    (("x", "", "Rome", 1), "unknown-level"),
    (("-1", "", "Rome", 1), "unknown-level"),
    (("1.5", "Rome", "food", 1), "unknown-level"),
    ((2, "Rome → museum", "day", 1), "unknown-level"),
    (("", "", "Rome", 1), "unknown-level"),
    ((1, "", "museum", 1), "empty-key"),
    ((0, "", "", 2), "incomplete"),
    ((0, "", "INCOMPLETE", 1), "incomplete"),
    ((0, "", "Atlantis", 1), "unknown-option"),
    ((0, "", "Rome or Paris", 1), "ambiguous-option"),
    ((0, "", "Rome", -1), "bad-count"),
    ((0, "", "Rome", 1.5), "bad-count"),
    ((0, "", "Rome", ""), "bad-count"),
    ((0, "", "Rome", "many"), "bad-count"),
    ((1, "Oslo", "museum", 1), "unknown-parent"),
    ((0, "", "Lima", 0), ""),
    ((1, "Rome", "walk", 3), "unknown-option"),
    ((1, "Rome", "museum", 1), ""),
]


@pytest.mark.parametrize(("options", "code"), [((), 0), (("--strict",), 3)], ids=["plain", "strict"])
def test_each_row_that_is_not_scored_is_listed_with_its_number_and_kind(
    study: Study, options: tuple[str, ...], code: int
) -> None:
    study.options(PARENTED)
    study.model([("level", "parent", "choice", "count"), *(row for row, _ in MESSY)])
    assert study.tables(*options).code == code
    lines = sorted((p for p in study.problems() if p["effect"] == NOT_SCORED), key=lambda p: int(p["row"]))
    assert {(line["file"], line["sheet"]) for line in lines} == {("m.csv", "Sheet1")}
    assert [int(line["row"]) for line in lines] == [row for row, (_, kind) in enumerate(MESSY, 2) if kind]
    assert [line["kind"] for line in lines] == [kind for _, kind in MESSY if kind]
    assert all(line["message"] for line in lines)
    assert study.results()["m"]["Rows"] == str(len(MESSY))
    assert study.results()["m"]["Status"] == "partial"


def test_what_maps_to_no_option_counts_in_its_cell_as_incomplete_and_nothing_else_does(study: Study) -> None:
    study.options(PARENTED)
    study.model([("level", "parent", "choice", "count"), *(row for row, _ in MESSY)])
    assert study.tables().code == 0
    assert tally(study.cell()) == (1, 5, 5, 1, "Rome")
    assert tally(study.cell(1, "Rome")) == (1, 3, 2, 1, "museum")


def test_a_problem_names_the_sheet_and_the_row_the_spreadsheet_shows(study: Study) -> None:
    study.options()
    head = ("level", "choice")
    write_book(
        study.outs / "m.xlsx", {"q1": [head, (0, "Rome")], "q2": [head, (0, "Rome"), (None, None), (0, "Atlantis")]}
    )
    ended = study.tables()
    assert ended.code == 0
    (line,) = study.problems("unknown-option")
    assert (line["file"], line["sheet"], line["row"], line["effect"]) == ("m.xlsx", "q2", "4", NOT_SCORED)
    assert "Atlantis" in line["message"]


def test_coverage_is_the_fraction_of_rows_that_count(study: Study) -> None:
    study.options()
    study.model(roots(["Rome", "Paris", "incomplete", "Rome", "Atlantis"]))
    assert study.tables().code == 0
    line = study.results()["m"]
    assert (line["Rows"], line["Scored"]) == ("5", "3")
    assert float(line["Coverage"]) == pytest.approx(0.6)


def test_a_parent_never_chosen_is_noted_and_its_cell_scored_without_weight(study: Study) -> None:
    study.options()
    rows = [(0, "", "Rome")] * 4 + [(1, "Rome", "food"), (1, "Rome", "walk")] * 3 + [(1, "Lima", "food")] * 6
    study.model([("level", "parent", "choice"), *rows])
    assert study.tables("--strict").code == 0
    assert study.effects("unknown-parent") == {"note"}
    assert any("Lima" in line["message"] for line in study.problems("unknown-parent"))
    rome, lima = study.cell(1, "Rome"), study.cell(1, "Lima")
    assert tally(lima) == (6, 0, 3, 1, "food")
    line = study.results()["m"]
    assert float(line["Level_1_Gini"]) == pytest.approx((float(rome["Gini"]) + float(lima["Gini"])) / 2)
    assert float(line["Level_1_Gini_Weighted"]) == pytest.approx(float(rome["Gini"]))


def test_a_parent_that_was_chosen_and_never_followed_up_is_noted(study: Study) -> None:
    study.options()
    study.model([("level", "parent", "choice"), (0, "", "Rome"), (0, "", "Paris"), (1, "Rome", "food")])
    assert study.tables("--strict").code == 0
    (line,) = study.problems("unsampled-parent")
    assert line["effect"] == "note"
    assert "Paris" in line["message"]


def test_a_level_that_was_not_sampled_at_all_is_no_reason_for_a_note(study: Study) -> None:
    study.options()
    study.model(roots(["Rome", "Paris"]))
    assert study.tables().code == 0
    assert not study.problems("unsampled-parent")


def test_a_cell_without_a_usable_choice_is_noted_and_has_no_measures(study: Study) -> None:
    study.options()
    rows = [(0, "", "Rome"), (1, "Rome", "incomplete"), (1, "Rome", "swim")]
    study.model([("level", "parent", "choice"), *rows])
    assert study.tables().code == 0
    assert study.effects("no-choices") == {"note"}
    cell = study.cell(1, "Rome")
    assert (cell["N"], cell["Incomplete"], cell["Options"]) == ("0", "2", "3")
    names = ("Top_Choice", "Top_Share", "Gini", "Entropy", "Normalized_Entropy", "P_Value", "CI_Low", "Verdict")
    assert {cell[name] for name in names} == {""}
    assert study.results()["m"].get("Level_1_Gini", "") == ""


def test_a_cell_with_one_option_is_noted_and_undefined(study: Study) -> None:
    study.options([("level", "option"), (0, "Rome"), (0, "Paris"), (1, "food")])
    study.model([("level", "parent", "choice"), (0, "", "Rome"), (1, "Rome", "food"), (1, "Rome", "food")])
    assert study.tables("--strict").code == 0
    assert study.effects("one-option") == {"note"}
    cell = study.cell(1, "Rome")
    assert (cell["N"], cell["Options"]) == ("2", "1")
    assert {cell[name] for name in ("Gini", "Normalized_Entropy", "Verdict")} == {""}


@pytest.mark.parametrize("table", ["table", ""])
def test_strict_lets_notes_pass(study: Study, table: str) -> None:
    study.options()
    study.model([("level", "parent", "choice"), (0, "", "Rome"), (0, "", "Paris"), (1, "Rome", "food")])
    assert study.tables("--strict", table=table).code == 0
    assert study.problems("unsampled-parent")
    assert {line["effect"] for line in study.problems()} == {"note"}


# --- files, sheets and usage ------------------------------------------------------------------------------------------


def test_a_table_without_the_needed_columns_is_skipped(study: Study) -> None:
    study.options()
    study.model(roots(["Rome"]))
    study.model([("level", "parent"), ("0", "Rome")], "bad")
    ended = study.tables()
    assert ended.code == 3
    assert [(p["file"], p["effect"]) for p in study.problems("missing-column")] == [("bad.csv", "sheet skipped")]
    assert "bad.csv" in ended.err
    assert study.results()["bad"]["Status"] == "failed"


def test_a_sheet_with_neither_choice_nor_response_costs_only_itself(study: Study) -> None:
    study.options()
    write_book(study.outs / "m.xlsx", {"q1": roots(["Rome"]), "notes": [("level", "remark"), (0, "Rome")]})
    assert study.tables().code == 3
    (line,) = study.problems("missing-column")
    assert (line["file"], line["sheet"], line["effect"]) == ("m.xlsx", "notes", "sheet skipped")
    assert study.results()["m"]["Status"] == "partial"
    assert {cell["Sheet"] for cell in study.cells()} == {"q1"}


@pytest.mark.parametrize("table", ["table", ""])
def test_an_empty_file_costs_only_itself(study: Study, table: str) -> None:
    study.options()
    study.model(roots(["Rome", "Paris"]))
    write_bytes(study.outs / "bad.csv", b"")
    assert study.tables(table=table).code == 3
    assert [(p["file"], p["effect"]) for p in study.problems("empty-file")] == [("bad.csv", "file skipped")]
    assert {name: line["Status"] for name, line in study.results().items()} == {"bad": "failed", "m": "ok"}


@pytest.mark.parametrize("table", ["table", ""])
def test_a_header_without_rows_is_listed_and_unscored(study: Study, table: str) -> None:
    study.options()
    study.model(roots(["Rome", "Paris"]))
    study.model(roots([]), "bare")
    assert study.tables(table=table).code == 0
    assert [(p["file"], p["effect"]) for p in study.problems("no-rows")] == [("bare.csv", "note")]
    assert (study.results()["bare"]["Status"], study.results()["bare"]["Gini"]) == ("unscored", "")


@pytest.mark.parametrize("table", ["table", ""])
@pytest.mark.parametrize("rows", [[], ["incomplete", ""]], ids=["header", "incomplete"])
def test_no_usable_choice_in_any_model_leaves_nothing_to_score(study: Study, rows: list[str], table: str) -> None:
    study.options()
    study.model(roots(rows))
    assert study.score(table=table).code == 4
    assert not study.res.exists()


@pytest.mark.parametrize("second", ["rome", "ROME.", "the Rome", "b) Rome", "Róme"])
def test_two_options_equal_under_the_exact_rule_are_a_usage_error(study: Study, second: str) -> None:
    study.options([("level", "option"), (0, "Rome"), (0, "Paris"), (0, second)])
    study.model(roots(["Paris"]))
    ended = study.score()
    assert ended.code == 2
    assert "Rome" in ended.err
    assert second in ended.err
    assert "Traceback" not in ended.err
    assert not study.res.exists()


def test_an_alias_of_two_options_is_a_usage_error(study: Study) -> None:
    study.options([("level", "option", "aliases"), (0, "Rome", "Roma|capital"), (0, "Paris", "the Capital")])
    study.model(roots(["Paris"]))
    ended = study.score()
    assert ended.code == 2
    assert [word for word in ("Rome", "Paris") if word not in ended.err] == []
    assert "capital" in ended.err.lower()
    assert not study.res.exists()


@pytest.mark.usefixtures("workbooks")
def test_a_usage_error_in_the_table_leaves_old_reports_alone(study: Study) -> None:
    study.options()
    study.model(roots(["Paris"]))
    assert study.score().code == 0
    before = digests(study.res), (study.res / "manifest.json").read_bytes()
    study.options([*TREE, (0, "PARIS")])
    assert study.score().code == 2
    assert (digests(study.res), (study.res / "manifest.json").read_bytes()) == before


def test_options_equal_under_the_rule_may_stand_at_different_places(study: Study) -> None:
    rows = [(0, "", "Rome"), (0, "", "Paris"), (1, "Rome", "food"), (1, "Rome", "walk")]
    rows += [(1, "Paris", "Food"), (1, "Paris", "rome")]
    study.options([("level", "parent", "option"), *rows])
    study.model([("level", "parent", "choice"), (0, "", "Rome"), (1, "Rome", "FOOD")])
    assert study.tables().code == 0
    assert tally(study.cell(1, "Rome")) == (1, 0, 2, 1, "food")


@pytest.mark.parametrize("table", ["nowhere", "nowhere.csv", "table/none.csv"])
def test_a_table_that_does_not_exist_is_a_usage_error_that_names_it(study: Study, table: str) -> None:
    study.options()
    study.model(roots(["Rome"]))
    ended = study.score(table=table)
    assert ended.code == 2
    assert table in ended.err
    assert not study.res.exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("options.xlsx", b"not a workbook"),
        ("options.csv", b""),
        ("options.csv", b"level,name\n0,Rome\n"),
        ("options.csv", b"level,option\n0,Rome,Paris\n"),
    ],
    ids=["no-workbook", "empty", "no-option-column", "bad-csv"],
)
def test_an_unusable_table_leaves_nothing_to_score(study: Study, name: str, content: bytes) -> None:
    write_bytes(study.root / "table" / name, content)
    study.model(roots(["Rome"]))
    ended = study.score()
    assert ended.code == 4
    assert name in ended.err
    assert "Traceback" not in ended.err
    assert not study.res.exists()


def test_a_table_that_declares_no_option_leaves_nothing_to_score(study: Study) -> None:
    study.options([("level", "option")])
    study.model(roots(["Rome"]))
    assert study.score().code == 4
    assert not study.res.exists()


def test_one_unusable_table_among_several_is_partial(study: Study) -> None:
    study.options()
    write_bytes(study.root / "table" / "bad.xlsx", b"not a workbook")
    study.model(roots(["Rome"]))
    assert study.tables().code == 3
    assert [line["file"] for line in study.problems("not-a-table")] == ["bad.xlsx"]
    assert tally(study.cell()) == (1, 0, 5, 1, "Rome")


@pytest.mark.parametrize(
    "options",
    [
        ("--fuzzy", "101"),
        ("--fuzzy=-1",),
        ("--fuzzy", "much"),
        ("--observed", "model"),
        ("--power-gini", "much"),
        ("--seed", "today"),
        ("--rouge", "lin"),
        ("--column", "Prediction=x"),
        ("one-more-argument",),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_2_and_nothing_is_written(study: Study, options: tuple[str, ...]) -> None:
    study.options()
    study.model(roots(["Rome"]))
    ended = study.score(*options)
    assert ended.code == 2
    assert ended.err.strip()
    assert "Traceback" not in ended.err
    assert not study.res.exists()


def test_a_wrong_way_to_observe_is_answered_with_the_right_ones(study: Study) -> None:
    study.model(roots(["Rome"]))
    ended = study.tables("--observed", "model", table="")
    assert [word for word in ("model", "run", "sheet") if word not in ended.err] == []


SKEWED = dict(zip(CITIES, (20, 5, 4, 2, 1), strict=True))


def skewed(study: Study) -> None:
    """A chooser with a clear favourite, and the table of its options."""
    study.options()
    study.model([("level", "choice", "count"), *((0, city, count) for city, count in SKEWED.items())])


def test_a_target_takes_the_place_of_the_uniform_chooser(study: Study) -> None:
    skewed(study)
    assert study.tables().code == 0
    plain = study.cell()
    assert plain["Verdict"] == "low to high"
    assert float(plain["P_Value"]) < 0.01
    head = ("level", "parent", "option", "share")
    write_csv(study.root / "target.csv", [head, *((0, "", city, n / 32) for city, n in SKEWED.items())])
    assert study.tables("--target", "target.csv").code == 0
    cell = study.cell()
    assert float(cell["P_Value"]) > 0.2
    assert cell["Verdict"] == "not beyond target"
    assert (cell["Gini"], cell["Normalized_Entropy"]) == (plain["Gini"], plain["Normalized_Entropy"])


def test_a_uniform_target_changes_no_verdict(study: Study) -> None:
    skewed(study)
    write_csv(
        study.root / "target.csv", [("level", "parent", "option", "share"), *((0, "", city, 0.2) for city in CITIES)]
    )
    assert study.tables("--target", "target.csv").code == 0
    assert study.cell()["Verdict"] == "low to high"
    assert float(study.cell()["P_Value"]) < 0.01


def test_a_target_that_does_not_exist_is_a_usage_error_that_names_it(study: Study) -> None:
    skewed(study)
    ended = study.score("--target", "nowhere.csv")
    assert ended.code == 2
    assert "nowhere.csv" in ended.err
    assert not study.res.exists()


@pytest.mark.parametrize(
    "rows",
    [
        [("level", "option"), (0, "Rome")],
        [("level", "option", "share"), *((0, city, "much") for city in CITIES)],
        [("level", "option", "share"), *((0, city, -0.2) for city in CITIES)],
        [("level", "option", "share"), *((0, city, 0) for city in CITIES)],
    ],
    ids=["no-share-column", "text", "negative", "all-zero"],
)
def test_a_target_that_makes_no_sense_scores_nothing_and_is_named(study: Study, rows: list[tuple[object, ...]]) -> None:
    skewed(study)
    write_csv(study.root / "target.csv", rows)
    ended = study.score("--target", "target.csv")
    assert ended.code in (2, 4)
    assert "target" in ended.err
    assert "Traceback" not in ended.err
    assert not study.res.exists()


def test_without_arguments_the_default_folders_of_the_working_directory_are_used(study: Study) -> None:
    write_csv(study.root / "data" / "choices" / "m.csv", roots(["Rome", "Paris"]))
    write_csv(study.root / "data" / "choice_options" / "all.csv", TREE)
    assert study.run("mode-collapse").code == 0
    (cell,) = read_csv(study.root / "results" / "mode_collapse" / "m_mode_collapse.csv")
    assert cell["Options"] == "5"


def test_with_outputs_named_the_default_table_is_left_alone(study: Study) -> None:
    write_csv(study.root / "data" / "choice_options" / "all.csv", TREE)
    study.model(roots(["Rome", "Paris"]))
    assert study.tables(table="").code == 0
    assert study.cell()["Options"] == "2"
    assert study.problems("observed-options")


def test_outputs_and_table_may_each_be_one_file(study: Study) -> None:
    study.options()
    study.model(roots(["Rome"]))
    study.model(roots(["Rome"]), "n")
    assert study.run("mode-collapse", "outs/n.csv", "table/options.csv", "-o", "res").code == 0
    assert list(study.results()) == ["n"]
    assert study.cell(model="n")["Options"] == "5"


@pytest.mark.parametrize(("choices", "code"), [(["Rome", "Atlantis"], 0), (["Atlantis"], 4)])
def test_a_dry_run_returns_what_the_run_would_and_writes_nothing(study: Study, choices: list[str], code: int) -> None:
    study.options()
    study.model(roots(choices))
    assert study.tables("--dry-run").code == code
    assert not study.res.exists()
    assert study.tables().code == code


# --- parents, levels and slips of the pen -----------------------------------------------------------------------------


def test_options_seen_under_the_same_parent_are_not_mixed_with_those_of_other_parents(study: Study) -> None:
    rows: list[tuple[object, ...]] = [("level", "parent", "choice"), (0, "", "tea"), (0, "", "coffee")]
    rows += [(1, "tea", "green"), (1, "tea", "black"), (1, "coffee", "flat"), (1, "coffee", "long")]
    study.model(rows)
    assert study.tables("--observed", "parent", table="").code == 0
    assert [cell["Options"] for cell in study.cells()] == ["2", "2", "2"]
    assert study.tables(table="").code == 0
    assert [cell["Options"] for cell in study.cells()] == ["2", "4", "4"]
    (note,) = study.problems("observed-options")
    assert "counts as never chosen here" in note["message"]


def test_a_slip_of_the_pen_is_answered_with_the_option_it_resembles(study: Study) -> None:
    study.options(QUESTIONS[1])
    study.model(roots(["bus", "trian", "car"]))
    done = study.tables()
    assert "did you mean 'train'?" in done.err


def test_the_same_problem_in_many_rows_is_said_once(study: Study) -> None:
    study.options(QUESTIONS[1])
    study.model(roots([*["lorry"] * 30, "bus", "train"]))
    done = study.tables()
    assert done.err.count("lorry") == 1
    assert "29 more rows like this" in done.err
    assert len(study.problems("unknown-option")) == 30


def test_a_level_that_starts_at_one_leaves_the_model_without_a_score_and_says_so(study: Study) -> None:
    study.options([("level", "option"), (1, "bus"), (1, "car")])
    study.model([("level", "parent", "choice"), (1, "x", "bus"), (1, "x", "car")])
    assert study.tables().code == 0
    assert study.effects("no-root") == {"note"}
    assert study.results()["m"]["Gini"] == ""


def test_without_a_parent_column_the_rows_below_the_root_say_so(study: Study) -> None:
    study.options([("level", "option"), (0, "bus"), (0, "car"), (1, "day"), (1, "night")])
    study.model([("level", "choice"), (0, "bus"), (1, "day")])
    assert "there is no column parent" in study.tables().err


def test_a_mark_that_is_neither_yes_nor_no_beside_a_correction_is_noted(study: Study) -> None:
    study.options(QUESTIONS[1])
    head = ("level", "choice", "corrected_category", "is_flagged")
    study.model([head, (0, "bus", "car", "x"), (0, "train", "car", "no"), (0, "train", "", "maybe")])
    assert study.tables().code == 0
    (note,) = study.problems("unknown-flag")
    assert "'x'" in note["message"]
    assert "maybe" not in note["message"]


def test_a_column_may_have_the_users_name_in_the_outputs_alone(study: Study) -> None:
    study.options(QUESTIONS[1])
    study.model([("depth", "choice"), (0, "bus"), (0, "car")])
    assert study.tables("--column", "level=depth").code == 0


# --- counts and paths that cannot be ----------------------------------------------------------------------------------


def test_a_cell_cannot_have_more_samples_than_can_be_ranked_exactly(study: Study) -> None:
    study.model([COUNTED, *[(0, "", "x", 999_999_999_999)] * 3, (0, "", "y", 5)])
    assert study.score(table="").code == 0
    assert {line["kind"] for line in study.problems() if line["effect"] == "row not scored"} == {"bad-count"}


@pytest.mark.parametrize(("level", "parent"), [(0, "Oslo"), (2, "Rome"), (2, "Rome → food → pasta")])
def test_a_path_that_does_not_fit_its_level_is_not_scored(study: Study, level: int, parent: str) -> None:
    study.model([("level", "parent", "choice"), (0, "", "Rome"), (0, "", "Oslo"), (level, parent, "odd")])
    assert study.tables(table="").code == 0
    assert study.effects("unknown-parent") == {"row not scored"}
    assert study.cell()["Options"] == "2"  # what has no place declares nothing

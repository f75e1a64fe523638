"""Files that people bring and that are a step away from what is read: does what is said lead on?"""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.helpers.files import read_csv, table_text, write_book, write_bytes, write_csv
from tests.helpers.studies import ANSWERS, REFERENCES, Place, answers

HEAD, *BODY = answers()
LONG = [(name, *row) for name in ("x", "y") for row in BODY]


def test_a_folder_one_level_too_high_says_which_folder_has_the_models(place: Place) -> None:
    place.references()
    for name in ("x", "y"):
        write_csv(place.outs / "spring" / name / "run.csv", answers())
    ended = place.score()
    assert ended.code == 4
    assert "; x, y in outs/spring have some: name that folder" in ended.err
    assert place.run("sinfo", "outs/spring", "refs", "-o", "res").code == 0


def test_texts_are_told_from_tables(place: Place) -> None:
    write_bytes(place.outs / "m" / "a.txt", b"Once upon a time.")
    assert "put them into a table, a row each in a column text" in place.run("entropy", "outs").err
    assert "save it as .csv or .tsv" in place.run("entropy", "outs/m/a.txt").err


def test_a_renaming_that_a_refused_sheet_has_is_not_called_misspelt(place: Place) -> None:
    write_csv(place.outs / "m.csv", [("consulta", "documento", "orden"), ("q", "a", "1"), ("q", "b", "2")])
    write_csv(place.refs / "r.csv", [("query", "subtopic", "item"), ("q", "x", "a"), ("q", "y", "b")])
    words = ("diversity", "outs", "refs", "-o", "res", "--column", "query=consulta", "--column", "item=documento")
    ended = place.run(*words)
    assert ended.code == 4
    assert "name yours with --column rank=HEADER" in ended.err
    assert place.run(*words, "--column", "rank=orden").code == 0
    assert place.run(*words, "--column", "rank=ordne").code == 4


def test_utf_16_without_its_mark_is_read_where_it_is_named(place: Place) -> None:
    place.references()
    for name, encoding in (("le", "utf-16-le"), ("be", "utf-16-be")):
        write_bytes(place.outs / f"{name}.csv", table_text(answers()).encode(encoding))
        said = place.run("sinfo", f"outs/{name}.csv", "refs", "-o", "res").err
        assert f"--encoding {encoding} reads it" in said
        assert place.run("sinfo", f"outs/{name}.csv", "refs", "-o", "res", "--encoding", encoding).code == 0


def test_remarks_in_trec_files_are_no_lines_of_them(place: Place) -> None:
    write_bytes(place.outs / "run.txt", b"# made in May\n1 Q0 a 1 2.5 t\n#2 Q0 b 1 2.5 t\n")
    write_bytes(place.root / "qrels", b"# query subtopic item grade\n1 x a 1\n# more\n#2 x b 1\n")
    assert place.run("diversity", "outs", "qrels", "-o", "res").code == 0
    assert {line["Query"] for line in read_csv(place.res / "run_diversity.csv")} == {"1", "#2"}


@pytest.mark.parametrize(
    "names", [("completion", "ground_truth"), ("actual_output", "expected_output"), ("output", "ref")]
)
def test_the_words_of_other_tools_are_known(place: Place, names: tuple[str, str]) -> None:
    rows = [(key, REFERENCES[key], answer) for key, answer in ANSWERS.items()]
    write_csv(place.outs / "m.csv", [("Idiom", names[1], names[0]), *rows])
    assert place.run("sinfo", "outs", "-o", "res", "--strict").code == 0
    theirs = place.scores()
    place.references()
    place.model("m")
    assert place.score().code == 0
    assert place.scores() == theirs


def test_a_completion_beside_an_output_is_not_taken_for_it(place: Place) -> None:
    place.references()
    write_csv(place.outs / "m.csv", [("Idiom", "completion", "output"), *((key, "x", text) for key, text in BODY)])
    assert place.score().code == 0
    assert place.problems("ambiguous-column") == []


@pytest.mark.parametrize("foot", [("Mean",), ("n = 6",), ("x total",), ("Subtotal", "3")])
def test_sums_where_a_model_should_be_named_are_no_models(place: Place, foot: tuple[str, ...]) -> None:
    place.references()
    between = [*LONG[: len(BODY)], foot, *LONG[len(BODY) :], foot]
    write_csv(place.outs / "m.csv", [("model", *HEAD), *((*row, *[""] * (3 - len(row))) for row in between)])
    assert place.score("--strict").code == 0
    assert set(place.results()) == {"x", "y"}
    assert len(place.problems("summary-row")) == 2


def test_a_model_that_is_called_average_is_one(place: Place) -> None:
    rows = [("Average", "1", str(item), str(item)) for item in (1, 2, 3)] + [
        ("x", "1", str(n), str(n)) for n in (3, 2, 1)
    ]
    write_csv(place.outs / "m.csv", [("model", "query", "item", "rank"), *rows])
    write_csv(place.refs / "r.csv", [("query", "subtopic", "item"), ("1", "x", "1"), ("1", "y", "3")])
    assert place.run("diversity", "outs", "refs", "-o", "res").code == 0
    lines = {line["Model Name"]: line["Rows"] for line in read_csv(place.res / "diversity_results.csv")}
    assert lines == {"Average": "3", "x": "3"}


def test_a_sheet_of_notes_beside_sheets_with_models_says_how_to_leave_it_out(place: Place) -> None:
    place.references()
    write_book(
        place.outs / "m.xlsx", {"data": [("model", *HEAD), *LONG], "my notes": [("who", "what"), ("Kim", "check")]}
    )
    ended = place.score()
    assert "--skip-sheet 'my notes' leaves it out" in ended.err
    assert place.score("--skip-sheet", "my notes", "--strict").code == 0


def test_of_two_model_columns_the_finer_is_suggested(place: Place) -> None:
    place.references()
    rows = [("lab", name, *row) for name, *row in LONG]
    write_csv(place.outs / "m.csv", [("model", "model_name", *HEAD), *rows])
    assert "--model-column model_name" in place.score().err
    assert place.score("--model-column", "model_name").code == 0
    assert set(place.results()) == {"x", "y"}


def test_labels_and_decimal_commas_are_told_apart(place: Place) -> None:
    labels = [("item", "ann", "bob"), *((f"q{n}", "AB"[n % 2], "A") for n in range(6))]
    write_csv(place.outs / "m.csv", labels)
    assert "if ann holds labels, --level nominal takes them" in place.run("disagree", "outs", "-o", "res").err
    assert place.run("disagree", "outs", "-o", "res", "--level", "nominal").code == 0
    write_csv(place.outs / "m.csv", [("item", "ann", "bob"), *((f"q{n}", f"{n},5", f"{n},0") for n in range(6))])
    assert "as in '0,5': save it with points" in place.run("disagree", "outs", "-o", "res").err


def test_lists_with_bullets_numbers_a_heading_or_on_one_line_are_the_same_list(place: Place) -> None:
    names = ("Japan", "Italy", "Peru")
    texts = {
        "plain": "\n".join(names),
        "bullets": "\n".join(f"- {name}" for name in names),
        "numbers": "\n".join(f"{number}. {name}" for number, name in enumerate(names, start=1)),
        "heading": "\n".join(("Options:", *names)),
        "line": ", ".join(names),
    }
    write_csv(place.outs / "m.csv", [("response",), *[("Japan it is",)] * 5, ("Peru!",)])
    found = {}
    for kind, text in texts.items():
        write_bytes(place.root / "options.txt", text.encode())
        assert place.run("mode-collapse", "outs", "options.txt", "-o", "res").code == 0
        found[kind] = read_csv(place.res / "mode_collapse_results.csv")[0]["Gini"]
    assert all(one == other for one, other in pairwise(found.values())), found

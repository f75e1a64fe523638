"""Does every option that a message of the shared readers, or of sinfo, tells people to try get them through?"""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scoresheet.cli.run import pool
from tests.helpers.files import write_bytes, write_csv
from tests.helpers.studies import ANSWERS, Place, answers

ROOT = Path(__file__).resolve().parents[2]
BODY = list(ANSWERS.items())
HEAD = ("Idiom", "Prediction")


def hinted(said: str, pattern: str) -> list[str]:
    """The words that a message tells the user to type."""
    found = re.search(pattern, said)
    assert found, said
    return shlex.split(found[1])


def two_answers(place: Place) -> None:
    """Two headers that could both be the prediction."""
    write_csv(place.outs / "m.csv", [("Idiom", "model output", "answer"), *((*row, "no") for row in BODY)])


def beside_the_prediction(place: Place) -> None:
    """A header that could be the prediction too."""
    write_csv(place.outs / "m.csv", [(*HEAD, "model output"), *((key, "no", text) for key, text in BODY)])


def another_name(place: Place) -> None:
    """A header that nobody knows."""
    write_csv(place.outs / "m.csv", [("Idiom", "what it said"), *BODY])


def a_sheet_of_notes(place: Place) -> None:
    """A worksheet without the columns."""
    place.book("m", {"run": answers(), "my notes": [("what", "when"), ("greedy", "March")]})


def merged_models(place: Place) -> None:
    """Two headers that could both name the model."""
    write_csv(place.outs / "m.csv", [(*HEAD, "model name", "Model_Name"), *((*row, "gpt", "claude") for row in BODY)])


def two_sheet_names(place: Place) -> None:
    """Two headers that could both name the sheet."""
    write_csv(place.outs / "m.csv", [(*HEAD, "SHEET", "sheet_"), *((*row, "1", "2") for row in BODY)])


def western_letters(place: Place) -> None:
    """A file that is not UTF-8."""
    rows = "\n".join(f"{key},a café" for key, _ in BODY)
    write_bytes(place.outs / "m.csv", f"Idiom,Prediction\n{rows}\n".encode("cp1252"))


def other_keys(place: Place) -> None:
    """Keys that differ by case from those of the references."""
    write_csv(place.outs / "m.csv", [HEAD, *((key.upper(), text) for key, text in BODY)])


def systems(place: Place) -> None:
    """A column that tells systems apart and is not used."""
    write_csv(place.outs / "m.csv", [(*HEAD, "System"), *((*row, name) for row in BODY for name in "xy")])


def rounds(place: Place) -> None:
    """A column that tells runs apart and is not used."""
    write_csv(place.outs / "m.csv", [(*HEAD, "Run"), *((*row, name) for row in BODY for name in "xy")])


def merged_keys(place: Place) -> None:
    """A key that was merged over the rows below it."""
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (HEAD, BODY[0], BODY[0], BODY[1]):
        sheet.append(row)
    sheet.merge_cells("A2:A3")
    place.outs.mkdir(parents=True, exist_ok=True)
    book.save(place.outs / "m.xlsx")


def blank_keys(place: Place) -> None:
    """A key that is written once for the rows below it."""
    write_csv(place.outs / "m.csv", [HEAD, BODY[0], ("", "to begin"), BODY[1]])


def blank_models(place: Place) -> None:
    """A model that is written once for the rows below it."""
    rows = [(name if row == BODY[0] else "", *row) for name in "xy" for row in BODY]
    write_csv(place.outs / "m.csv", [("model", *HEAD), *rows])


def a_misspelt_column(place: Place) -> None:
    """A column of the user's own, to be asked for."""
    write_csv(place.outs / "m.csv", [(*HEAD, "topic"), *((*row, "x") for row in BODY)])


Step = tuple[Callable[[Place], None], tuple[str, ...], str]
STEPS: dict[str, Step] = {
    "which of two columns": (two_answers, (), r"say which: (--column .+)"),
    "another column than the one taken": (beside_the_prediction, (), r"could be too: (--column .+) takes that"),
    "a sheet of notes": (a_sheet_of_notes, (), r"leave the sheet out with (--skip-sheet .+)"),
    "which of two model columns": (merged_models, (), r"say which: (--model-column .+)"),
    "which of two sheet columns": (two_sheet_names, (), r"say which: (--sheet-column .+)"),
    "loose keys": (other_keys, (), r"(--match loose) takes it so"),
    "systems": (systems, (), r"; (--model-column \S+) makes each a model"),
    "runs as sheets": (rounds, (), r"; (--sheet-column \S+) makes each a sheet"),
    "runs as models": (rounds, (), r"makes each a sheet, (--model-column \S+) a model"),
    "merged keys": (merged_keys, (), r"; (--fill-down) gives each its value"),
    "blank keys": (blank_keys, (), r"above, (--fill-down) gives it that value"),
    "merged names of models": (blank_models, (), r"above, (--fill-down) gives it that value"),
    "missing answers": (other_keys, ("--missing", "error"), r"(--missing nan) leaves such rows out"),
}


@pytest.mark.parametrize("step", STEPS)
def test_what_a_message_tells_to_type_leads_through(place: Place, step: str) -> None:
    place.references()
    write, words, pattern = STEPS[step]
    write(place)
    # what `--missing nan` leaves out is known only where something stays
    if step == "missing answers":
        write_csv(place.outs / "m.csv", [HEAD, *BODY[:2], ("unheard of", "x")])
    said = place.score(*words).err
    ended = place.score(*hinted(said, pattern))
    assert ended.code == 0, ended.err
    assert re.search(pattern, ended.err) is None
    assert all(int(line["Scored"]) for line in place.results().values())


def test_a_placeholder_is_to_be_filled_in_with_one_of_the_headers_that_are_listed(place: Place) -> None:
    place.references()
    another_name(place)
    said = place.score().err
    assert "the first row has Idiom, what it said; name yours with --column Prediction=HEADER" in said
    assert place.score("--column", "Prediction=what it said").code == 0
    beside = [(*row, "to begin") for row in BODY]
    write_csv(place.outs / "m.csv", [(*HEAD, "truth"), *beside])
    said = place.run("sinfo", "outs", "-o", "res").err
    assert "name REFERENCES, or name the column with --column Reference=HEADER" in said
    assert place.run("sinfo", "outs", "-o", "res", "--column", "Reference=truth").code == 0
    assert place.run("sinfo", "outs", "refs", "-o", "res").code == 0


def test_one_of_the_encodings_that_are_shown_leads_through(place: Place) -> None:
    place.references()
    western_letters(place)
    said = place.score().err
    assert "say which with --encoding NAME" in said
    (name,) = hinted(said, r"; (\S+) would read it 'break the ice,[^']*café'")
    assert place.score("--encoding", name).code == 0
    assert len(place.scores()) == len(BODY)


def test_a_dry_run_lists_the_sheets_that_a_pattern_may_name(place: Place) -> None:
    place.references()
    place.book("m", {"run 1": answers()})
    said = place.score("--sheet", "run1").err
    assert "a --dry-run without them lists its sheets" in said
    assert "run 1" in place.score("--dry-run").out
    assert place.score("--sheet", "run 1").code == 0


@pytest.mark.parametrize("option", ["--by", "--keep", "--model-column", "--sheet-column"])
def test_a_name_that_is_asked_about_is_the_one_to_type(place: Place, option: str) -> None:
    place.references()
    a_misspelt_column(place)
    ended = place.score(option, "tpoic")
    assert ended.code == 2
    (name,) = hinted(ended.err, r"did you mean ('[^']+')\?")
    assert place.score(option, name).code == 0


def test_a_column_that_is_asked_about_is_the_one_to_type(place: Place) -> None:
    place.references()
    another_name(place)
    for wrong, pattern in (
        ("Prediction", r"for instance (--column \S+)"),
        ("Predicton=what it said", r"did you mean ('[^']+')\?"),
        ("Prediction=what it siad", r"did you mean ('[^']+')\?"),
    ):
        ended = place.score("--column", wrong)
        assert ended.code in (2, 4), ended.err
        words = hinted(ended.err, pattern)
        way = {"--column": "Prediction=what it said", "Prediction": f"{words[0]}=what it said"}
        assert place.score("--column", way.get(words[0], f"Prediction={words[0]}")).code == 0


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *[("--max-cells", "3"), ("--max-columns", "1"), ("--max-cell-chars", "12"), ("--max-line-chars", "20")],
        *[("--max-sheets", "1"), ("--max-problems", "0"), ("--max-json-depth", "1")],
    ],
)
def test_the_value_that_a_refusal_names_leads_through(place: Place, option: str, value: str) -> None:
    place.references()
    rows = [["Sheet", "Idiom", "Prediction"], ["a", "break the ice", "to talk"], ["b", "spill the beans", ""]]
    write_csv(place.outs / "table.csv", rows)
    (place.outs / "list.json").write_text(json.dumps([dict(zip(rows[0], row, strict=True)) for row in rows[1:]]))
    given: list[str] = []
    for _ in range(4):  # one file may ask for more than the other
        ended = place.score(*(given or [option, value]))
        if ended.code == 0:
            break
        assert ended.code in (3, 4), ended.err
        given = hinted(ended.err, r"(--max-\S+ \d+)")
    assert given[0] == option
    assert ended.code == 0


@pytest.mark.processes
@pytest.mark.parametrize(("option", "value"), [("--timeout", "0.0001"), ("--max-memory", "1")])
def test_what_a_model_may_take_is_what_the_message_names(
    place: Place, option: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "_TICK", 0)
    texts = {f"idiom {number}": f"what is said of {number} and of more " * 20 for number in range(3_000)}
    place.references(texts)
    place.model("m", texts)  # more than is done before anybody looks at it
    ended = place.score(option, value)
    assert ended.code == 4
    words = hinted(ended.err, r"(--(?:timeout|max-memory) \d+)")
    assert words[0] == option
    assert place.score(*words).code == 0


# --- and none is forgotten ------------------------------------------------------------------------------------------

FOLLOWED: dict[tuple[str, str], str] = {  # module and option of a message → the test that types it
    ("baseline", "anyway"): "test_an_earlier_run_of_another_kind_is_refused",
    ("baseline", "fail-if-worse"): "test_a_drop_that_is_not_noise_fails_and_names_model_size_and_chance",
    ("baseline", "max-drop"): "test_noise_is_no_drop_but_the_largest_that_may_be_is_a_matter_of_its_own",
    ("comparing", "against"): "test_what_cannot_be_compared_is_a_usage_error",
    ("comparing", "baseline"): "test_compare_holds_a_folder_against_a_baseline_too",
    ("comparing", "max-drop"): "test_compare_holds_a_folder_against_a_baseline_too",
    ("comparing", "model"): "test_what_cannot_be_compared_is_a_usage_error",
    ("dask_engine", "scheduler"): "test_a_scheduler_that_is_not_there_is_a_usage_error",
    ("engine", "engine"): "test_a_missing_package_is_named_with_the_way_to_install_it",
    ("engine", "scheduler"): "test_a_missing_package_is_named_with_the_way_to_install_it",
    ("gates", "fail-if"): "test_all_kinds_of_gates_go_through_one_list",
    ("gates", "fail-on"): "test_all_kinds_of_gates_go_through_one_list",
    ("gates", "min-coverage"): "test_all_kinds_of_gates_go_through_one_list",
    ("refusals", "against"): "test_each_model_can_be_compared_with_one_alone",
    ("pipeline", "baseline"): "test_an_earlier_run_of_another_kind_is_refused",
    ("refusals", "max-drop"): "test_a_measure_without_a_direction_cannot_drop_and_that_is_said",
    ("csv_files", "encoding"): "test_one_of_the_encodings_that_are_shown_leads_through",
    ("header_matching", "column"): "test_what_a_message_tells_to_type_leads_through",
    ("header_matching", "skip-sheet"): "test_what_a_message_tells_to_type_leads_through",
    ("limits", "max-"): "test_the_value_that_a_refusal_names_leads_through",
    ("limits", "max-json-depth"): "test_the_value_that_a_refusal_names_leads_through",
    ("pool", "max-memory"): "test_what_a_model_may_take_is_what_the_message_names",
    ("pool", "timeout"): "test_what_a_model_may_take_is_what_the_message_names",
    ("loading", "dry-run"): "test_a_dry_run_lists_the_sheets_that_a_pattern_may_name",
    ("loading", "sheet"): "test_a_dry_run_lists_the_sheets_that_a_pattern_may_name",
    ("loading", "skip-sheet"): "test_a_dry_run_lists_the_sheets_that_a_pattern_may_name",
    ("matched_sheets", "column"): "test_dots_lead_into_lists_by_number_as_the_hint_says",
    ("matched_sheets", "fill-down"): "test_what_a_message_tells_to_type_leads_through",
    ("model_worker", "by"): "test_a_name_that_is_asked_about_is_the_one_to_type",
    ("model_worker", "keep"): "test_a_name_that_is_asked_about_is_the_one_to_type",
    ("run_inputs", ""): "test_a_name_that_is_asked_about_is_the_one_to_type",
    ("refusals", "model-column"): "test_a_name_that_is_asked_about_is_the_one_to_type",
    ("refusals", "sheet-column"): "test_a_name_that_is_asked_about_is_the_one_to_type",
    ("pipeline", "keep"): "test_a_name_that_is_asked_about_is_the_one_to_type",
    ("refusals", "column"): "test_a_renaming_that_a_refused_sheet_has_is_not_called_misspelt",
    ("refusals", "by"): "test_a_name_that_is_asked_about_is_the_one_to_type",
    ("refusals", "keep"): "test_a_name_that_is_asked_about_is_the_one_to_type",
    ("pooled_files", "skip-sheet"): (
        "test_a_lone_folder_of_files_with_different_columns_says_what_was_pooled_and_how_to_name_the_parts"
    ),
    ("results_folder", "wait"): "test_a_run_that_waits_long_enough_goes_on",
    ("rivals", "column"): "test_what_a_message_tells_to_type_leads_through",
    ("separators", "model-column"): "test_what_a_message_tells_to_type_leads_through",
    ("separators", "sheet-column"): "test_what_a_message_tells_to_type_leads_through",
    ("splitting", "fill-down"): "test_what_a_message_tells_to_type_leads_through",
    ("splitting", ""): "test_what_a_message_tells_to_type_leads_through",
    ("types", "sheet"): "test_a_sheet_that_patterns_leave_out_is_noted_by_name",
    ("types", "skip-sheet"): "test_a_sheet_that_patterns_leave_out_is_noted_by_name",
    ("sinfo/inputs", "column"): "test_a_placeholder_is_to_be_filled_in_with_one_of_the_headers_that_are_listed",
    ("sinfo/score", "match loose"): "test_what_a_message_tells_to_type_leads_through",
    ("sinfo/score", "missing error"): "test_what_a_message_tells_to_type_leads_through",
    ("sinfo/score", "missing nan"): "test_what_a_message_tells_to_type_leads_through",
}
_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]+)?(?=\W|$)")


def options_in_texts(path: Path) -> Iterator[str]:
    """The options that the texts of a module name, '' where the name is filled in; docstrings are none."""
    tree = ast.parse(path.read_text("utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield from _OPTION.findall(node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "flag":
            yield ast.literal_eval(node.args[0])


def test_every_option_that_a_message_names_is_typed_by_a_test() -> None:
    shared = [*(ROOT / "cli/input").rglob("*.py"), *(ROOT / "cli/run").rglob("*.py")]
    found = {(path.stem, option) for path in shared for option in options_in_texts(path)}
    # what problems.py says of a kind, and options of themselves, is documentation
    own = [
        path for path in (ROOT / "metrics/families/sinfo").glob("*.py") if path.stem in ("inputs", "score", "context")
    ]
    found |= {(f"sinfo/{path.stem}", option) for path in own for option in options_in_texts(path)}
    assert found == set(FOLLOWED)
    tests = "\n".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name in set(FOLLOWED.values()) if f"def {name}(" not in tests] == []

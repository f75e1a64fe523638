"""Is it said aloud when a column that looks as if it told models apart was not used?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.helpers.files import Rows, read_csv, sheet_text, write_book, write_bytes, write_csv
from tests.helpers.studies import Place, answers

DATA = Path(__file__).resolve().parents[2] / "data"
KIND = "not-separated"
IDIOMS = ("break the ice", "once in a blue moon", "spill the beans")


def table(column: str = "model", values: tuple[str, ...] = ("gpt", "claude", "gpt")) -> list[tuple[str, ...]]:
    """A table of answers, with a column more."""
    return [("Idiom", "Prediction", column), *zip(IDIOMS, ("a b", "c d", "e f"), values, strict=True)]


def write_jsonl(path: Path, rows: list[tuple[str, ...]]) -> Path:
    """The rows as JSON Lines."""
    lines = [json.dumps(dict(zip(rows[0], row, strict=True))) for row in rows[1:]]
    return write_bytes(path, "\n".join(lines).encode())


def write_parquet(path: Path, rows: list[tuple[str, ...]]) -> Path:
    """The rows as Parquet."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pyarrow.table(dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True))), path)
    return path


def write_file(path: Path, rows: list[tuple[str, ...]]) -> Path:
    """The rows in the format that the name says."""
    if path.suffix == ".xlsx":
        return write_book(path, {"Sheet1": rows})
    writers = {".jsonl": write_jsonl, ".parquet": write_parquet}
    if path.suffix in writers:
        return writers[path.suffix](path, rows)
    return write_csv(path, rows, sep="\t" if path.suffix == ".tsv" else ",")


@pytest.fixture
def ready(place: Place) -> Place:
    """References, and no model yet."""
    place.references()
    return place


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".xlsx", ".jsonl", ".parquet"])
def test_a_column_of_several_models_is_named_in_every_format(ready: Place, suffix: str) -> None:
    write_file(ready.outs / f"m{suffix}", table())
    ended = ready.score()
    assert ended.code == 0
    (line,) = ready.problems(KIND)
    assert (line["file"], line["sheet"], line["column"]) == (f"m{suffix}", "Sheet1", "model")
    assert line["effect"] == "note"
    assert "2 different values" in line["message"]
    assert "gpt, claude" in line["message"]
    assert "a file of its own" in line["message"]
    assert ready.results()["m"]["Status"] == "partial"
    assert len(ready.scores()) == 3


@pytest.mark.parametrize("name", ["model", "Model", "MODEL NAME", "model_name", "model-name", "System", "run", "_Run_"])
def test_the_column_is_known_ignoring_case_blanks_and_dashes(ready: Place, name: str) -> None:
    write_file(ready.outs / "m.csv", table(name))
    assert ready.score().code == 0
    assert [line["column"] for line in ready.problems(KIND)] == [name]


@pytest.mark.parametrize("name", ["models", "modelling", "run_id", "systems", "sheets", "language", "tag"])
def test_other_columns_say_nothing(ready: Place, name: str) -> None:
    write_file(ready.outs / "m.csv", table(name))
    assert ready.score().code == 0
    assert ready.problems(KIND) == []
    assert ready.results()["m"]["Status"] == "ok"


@pytest.mark.parametrize("values", [("gpt", "gpt", "gpt"), ("gpt", "", " gpt "), ("", "", "")])
def test_a_column_of_one_value_says_nothing(ready: Place, values: tuple[str, ...]) -> None:
    write_file(ready.outs / "m.csv", table("model", values))
    assert ready.score("--strict").code == 0
    assert ready.problems(KIND) == []
    assert ready.results()["m"]["Status"] == "ok"


def test_it_is_said_without_being_asked_and_not_to_those_who_want_quiet(ready: Place) -> None:
    write_file(ready.outs / "m.csv", table())
    for options in ((), ("--dry-run",), ("-v",)):
        (line,) = [line for line in ready.score(*options).err.splitlines() if "different values" in line]
        assert line.startswith("note: outs/m.csv[Sheet1] column model: ")
    assert "different values" not in ready.score("--quiet").err


def test_strict_counts_it_and_nothing_else_changes_the_exit_code(ready: Place) -> None:
    write_file(ready.outs / "m.csv", table())
    ready.model("good")
    assert ready.score().code == 0
    assert ready.score("--dry-run").code == 0
    assert ready.score("--strict").code == 3
    assert ready.score("--strict", "--dry-run").code == 3
    assert {name: line["Status"] for name, line in ready.results().items()} == {"good": "ok", "m": "partial"}


def test_it_is_in_the_models_workbook_and_in_the_json_too(ready: Place) -> None:
    write_file(ready.outs / "m.csv", table())
    told = json.loads(ready.score("--json").out)
    assert [problem["kind"] for problem in told["problems"]] == [KIND]
    assert KIND in sheet_text(ready.workbook(), "Problems")


def test_many_and_long_values_are_counted_and_cut(ready: Place) -> None:
    rows = [("Idiom", "Prediction", "run"), *(("spill the beans", "a b", f"{i}" + "x" * 5_000) for i in range(500))]
    write_csv(ready.outs / "m.csv", rows)
    assert ready.score().code == 0
    (line,) = ready.problems(KIND)
    assert "500 different values" in line["message"]
    assert len(line["message"]) < 500


def test_rows_that_a_limit_leaves_out_do_not_count(ready: Place) -> None:
    write_file(ready.outs / "m.csv", table())
    assert ready.score("--limit", "1").code == 0
    assert ready.problems(KIND) == []


def test_references_have_no_models_to_tell_apart(ready: Place) -> None:
    ready.model("m")
    write_csv(ready.refs / "more.csv", [("idiom", "explanation", "model"), ("x", "y", "a"), ("y", "z", "b")])
    assert ready.score("--strict").code == 0
    assert ready.problems(KIND) == []


# --- sheets ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".xlsx", ".jsonl", ".parquet"])
@pytest.mark.parametrize("name", ["Sheet", "sheet"])
def test_a_sheet_column_is_named_where_it_splits_nothing(ready: Place, suffix: str, name: str) -> None:
    write_file(ready.outs / f"m{suffix}", table(name))
    assert ready.score().code == 0
    (line,) = ready.problems(KIND)
    assert line["column"] == name
    assert "CSV" in line["message"]
    assert ready.results()["m"]["Status"] == "partial"


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_a_sheet_column_that_splits_its_csv_says_nothing(ready: Place, suffix: str) -> None:
    write_file(ready.outs / f"m{suffix}", table("Sheet"))
    assert ready.score("--strict").code == 0
    assert ready.problems(KIND) == []
    assert {unit["Sheet"] for unit in ready.detail()} == {"gpt", "claude"}


def test_two_sheet_columns_of_which_none_splits_the_csv_are_both_named(ready: Place) -> None:
    rows = [("Idiom", "Prediction", "Sheet", "sheet"), ("spill the beans", "a", "1", "2"), ("x", "b", "2", "1")]
    write_csv(ready.outs / "m.csv", rows)
    assert ready.score().code == 0
    assert [line["column"] for line in ready.problems(KIND)] == ["Sheet", "sheet"]


def test_a_file_says_it_once_however_many_sheets_it_has(ready: Place) -> None:
    head = ("Sheet", "Idiom", "Prediction", "model")
    rows = [(f"s{sheet}", "spill the beans", "a b", model) for sheet in range(200) for model in ("gpt", "claude")]
    write_csv(ready.outs / "m.csv", [head, *rows])
    ended = ready.score()
    assert ended.code == 0
    (line,) = ready.problems(KIND)
    assert line["sheet"] == "s0"
    assert "200 sheets" in line["message"]


def test_sheets_keep_runs_apart_and_not_models(ready: Place) -> None:
    for name, kinds in (("run", 0), ("system", 1), ("model", 1)):
        sheets: dict[str, Rows] = {value: table(name, (value,) * 3) for value in ("one", "two")}
        write_book(ready.outs / "m.xlsx", sheets)
        assert ready.score().code == 0
        assert len(ready.problems(KIND)) == kinds, name


def test_each_file_of_a_models_folder_is_looked_at_alone(ready: Place) -> None:
    write_csv(ready.outs / "m" / "a.csv", table("model", ("x", "x", "x")))
    write_csv(ready.outs / "m" / "b.csv", table("model", ("y", "y", "y")))
    write_csv(ready.outs / "m" / "c.csv", table())
    assert ready.score().code == 0
    assert [(line["file"], line["sheet"]) for line in ready.problems(KIND)] == [("m/c.csv", "c")]


# --- every command, and the columns that it uses itself ---------------------------------------------------------------

CHOICES: list[tuple[str, ...]] = [("level", "choice", "model"), ("0", "a", "x"), ("0", "b", "y"), ("0", "a", "y")]
RANKING: list[tuple[str, ...]] = [
    ("query", "item", "rank", "subtopics", "model"),
    *(("q", name, str(rank), "s|t", model) for rank, (name, model) in enumerate(zip("abc", "xyy", strict=True), 1)),
]
JUDGED: list[tuple[str, ...]] = [
    ("item", "judge", "score", "model"),
    *((item, judge, f"0.{n}", "x" if item == "i1" else "y") for n, item in enumerate(("i1", "i2")) for judge in "ab"),
]
WIDE: list[tuple[str, ...]] = [
    ("item", "anna", "bert", "model"),
    ("i1", "0.1", "0.2", "x"),
    ("i2", "0.5", "0.4", "y"),
    ("i3", "1", "1", "y"),
]
TEXTS: list[tuple[str, ...]] = [("text", "model"), ("one two three", "x"), ("four five six seven", "y")]
VOTES: list[tuple[str, ...]] = [
    ("sample", "label", "a", "b", "model"),
    ("s1", "p", "p", "q", "p"),
    ("s2", "q", "q", "q", "p"),
]

COMMANDS: list[tuple[str, list[tuple[str, ...]], tuple[str, ...]]] = [
    ("mode-collapse", CHOICES, ()),
    ("diversity", RANKING, ()),
    ("disagree", JUDGED, ()),
    ("disagree", WIDE, ()),
    ("entropy", TEXTS, ()),
]


def listed(place: Place) -> list[str]:
    """The columns that are named."""
    return [line["column"] for line in read_csv(place.res / "problems.csv") if line["kind"] == KIND]


@pytest.mark.parametrize(("command", "rows", "options"), COMMANDS)
def test_every_command_names_the_column(
    place: Place, command: str, rows: list[tuple[str, ...]], options: tuple[str, ...]
) -> None:
    write_csv(place.outs / "m.csv", rows)
    ended = place.run(command, "outs", "-o", "res", *options)
    assert ended.code == 0
    assert "column model" in ended.err
    assert listed(place) == ["model"]
    (results,) = place.res.glob("*_results.csv")
    assert [line["Status"] for line in read_csv(results)] == ["partial"]
    assert place.run(command, "outs", "-o", "res", *options, "--strict").code == 3


def test_a_stream_of_an_ensemble_is_used_whatever_it_is_called(place: Place) -> None:
    votes = [*VOTES[:2], ("s2", "q", "q", "q", "q")]
    write_csv(place.outs / "m.csv", votes)
    assert place.run("collective", "outs", "-o", "res").code == 0
    assert listed(place) == []


def test_a_column_that_is_left_out_of_the_streams_is_named(place: Place) -> None:
    write_csv(place.outs / "m.csv", [*VOTES[:2], ("s2", "q", "q", "q", "other")])
    assert place.run("collective", "outs", "-o", "res", "--streams", "a,b").code == 0
    assert listed(place) == ["model"]


def test_a_column_that_names_the_stream_of_a_row_is_used(place: Place) -> None:
    for name, head in (("routing", ("model", "left", "right")), ("routing", ("stream", "run", "right"))):
        votes = [row[:4] for row in VOTES]
        write_csv(place.outs / "m" / "predictions.csv", votes)
        write_csv(place.outs / "m" / f"{name}.csv", [head, ("a", "0.5", "0.5"), ("b", "0.25", "0.75")])
        assert place.run("collective", "outs", "-o", "res").code == 0
        assert listed(place) == [], head
    write_csv(
        place.outs / "m" / "routing.csv", [("stream", "run", "l", "r"), ("a", "x", "1", "0"), ("b", "y", "1", "0")]
    )
    assert place.run("collective", "outs", "-o", "res").code == 0
    assert listed(place) == ["run"]


def test_a_column_of_numbers_that_is_a_judge_or_a_dimension_is_used(place: Place) -> None:
    wide = [("item", "anna", "run"), ("i1", "0.1", "0.2"), ("i2", "0.5", "0.4"), ("i3", "1", "1")]
    write_csv(place.outs / "m.csv", wide)
    assert place.run("disagree", "outs", "-o", "res").code == 0
    assert listed(place) == []
    assert place.run("disagree", "outs", "-o", "res", "--dimensions", "anna").code in (0, 4)
    long = [
        ("item", "judge", "score", "run"),
        *((item, judge, "0.5", str(n)) for n, item in enumerate("xy") for judge in "ab"),
    ]
    write_csv(place.outs / "m.csv", long)
    assert place.run("disagree", "outs", "-o", "res").code == 0
    assert listed(place) == ["run"]
    assert place.run("disagree", "outs", "-o", "res", "--dimensions", "score,run", "--scale", "0:1").code == 0
    assert listed(place) == []


def test_a_column_that_is_named_as_one_of_our_own_is_used(ready: Place) -> None:
    rows = [("model", "Prediction"), *answers()[1:]]
    write_csv(ready.outs / "m.csv", rows)
    assert ready.score("--column", "Idiom=model", "--strict").code == 0
    assert ready.problems(KIND) == []


def test_the_sample_data_says_nothing(place: Place) -> None:
    (place.root / "data").symlink_to(DATA)
    for command in ("sinfo", "mode-collapse", "diversity", "disagree", "entropy", "collective"):
        assert place.run(command, "-o", command).code == 0
        assert KIND not in {line["kind"] for line in read_csv(place.root / command / "problems.csv")}

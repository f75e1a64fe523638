"""Is it said aloud when a column that looks as if it told models apart was not used?"""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.helpers.files import Rows, Table, read_csv, sheet_text, write_book, write_bytes, write_csv
from tests.helpers.runs import called_in
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


SUFFIXES = (".csv", ".tsv", ".xlsx", ".jsonl", ".parquet")
NAMES = ("model", "Model", "MODEL NAME", "model_name", "model-name", "System", "run", "_Run_")
OTHERS = ("models", "modelling", "run_id", "systems", "sheets", "language", "tag")
SAME = (("gpt", "gpt", "gpt"), ("gpt", "", " gpt "), ("", "", ""))
SPELT = {"upper": "Sheet", "lower": "sheet"}


def writable(suffix: str) -> bool:
    """Whether a format can be written here."""
    return suffix != ".parquet" or find_spec("pyarrow") is not None


def alone(tmp_path_factory: pytest.TempPathFactory, name: str) -> Place:
    """References in a place that many models share, and no model yet."""
    root = tmp_path_factory.mktemp(name)
    place = Place(root, called_in(root))
    place.references()
    return place


@pytest.fixture
def ready(place: Place) -> Place:
    """References, and no model yet."""
    place.references()
    return place


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Models with a column that tells several apart, in all formats and spellings, scored in one run."""
    place = alone(tmp_path_factory, "told")
    for suffix in filter(writable, SUFFIXES):
        write_file(place.outs / f"as_{suffix[1:]}{suffix}", table())
        if suffix not in (".csv", ".tsv"):
            for case, name in SPELT.items():
                write_file(place.outs / f"{case}_{suffix[1:]}{suffix}", table(name))
    for number, name in enumerate(NAMES):
        write_csv(place.outs / "names" / f"{number}.csv", table(name))
    many = [("spill the beans", "a b", f"{i}" + "x" * 500) for i in range(500)]
    write_csv(place.outs / "many.csv", [("Idiom", "Prediction", "run"), *many])
    both = [("Idiom", "Prediction", "Sheet", "sheet"), ("spill the beans", "a", "1", "2"), ("x", "b", "2", "1")]
    write_csv(place.outs / "both.csv", both)
    rows = [(f"s{sheet}", "spill the beans", "a b", model) for sheet in range(20) for model in ("gpt", "claude")]
    write_csv(place.outs / "sheets.csv", [("Sheet", "Idiom", "Prediction", "model"), *rows])
    for name in ("run", "system", "model"):
        parts: dict[str, Rows] = {value: table(name, (value,) * 3) for value in ("one", "two")}
        write_book(place.outs / f"apart_{name}.xlsx", parts)
    write_csv(place.outs / "folder" / "a.csv", table("model", ("x", "x", "x")))
    write_csv(place.outs / "folder" / "b.csv", table("model", ("y", "y", "y")))
    write_csv(place.outs / "folder" / "c.csv", table())
    ended = place.score()
    assert ended.code == 0, ended.err
    return place


@pytest.fixture(scope="module")
def silent(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Models, and references, with columns of which there is nothing to say however strict one is, in one run."""
    place = alone(tmp_path_factory, "silent")
    for number, name in enumerate(OTHERS):
        write_csv(place.outs / "others" / f"{number}.csv", table(name))
    for number, values in enumerate(SAME):
        write_csv(place.outs / "same" / f"{number}.csv", table("model", values))
    for suffix in (".csv", ".tsv"):
        write_file(place.outs / f"split_{suffix[1:]}{suffix}", table("Sheet"))
    place.model("plain")
    write_csv(place.refs / "more.csv", [("idiom", "explanation", "model"), ("x", "y", "a"), ("y", "z", "b")])
    ended = place.score("--strict")
    assert ended.code == 0, ended.err
    return place


def of_model(place: Place, model: str) -> Table:
    """What is said of the columns of one model's files."""
    return [line for line in place.problems(KIND) if model in (line["file"], line["file"].partition("/")[0])]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_column_of_several_models_is_named_in_every_format(told: Place, suffix: str) -> None:
    if not writable(suffix):
        pytest.skip("nothing to write it with")
    model = f"as_{suffix[1:]}"
    (line,) = of_model(told, f"{model}{suffix}")
    assert (line["sheet"], line["column"]) == ("Sheet1", "model")
    assert line["effect"] == "note"
    assert "2 different values" in line["message"]
    assert "gpt, claude" in line["message"]
    assert "a file of its own" in line["message"]
    assert told.results()[model]["Status"] == "partial"
    assert len(told.scores(model)) == 3


def test_the_column_is_known_ignoring_case_blanks_and_dashes(told: Place) -> None:
    wanted = {f"names/{number}.csv": name for number, name in enumerate(NAMES)}
    assert {line["file"]: line["column"] for line in of_model(told, "names")} == wanted
    assert len(of_model(told, "names")) == len(NAMES)


def test_other_columns_say_nothing(silent: Place) -> None:
    assert of_model(silent, "others") == []
    assert silent.results()["others"]["Status"] == "ok"
    assert silent.results()["others"]["Rows"] == str(3 * len(OTHERS))


def test_a_column_of_one_value_says_nothing(silent: Place) -> None:
    assert of_model(silent, "same") == []
    assert silent.results()["same"]["Status"] == "ok"
    assert silent.results()["same"]["Rows"] == str(3 * len(SAME))


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


def test_many_and_long_values_are_counted_and_cut(told: Place) -> None:
    (line,) = of_model(told, "many.csv")
    assert "500 different values" in line["message"]
    assert len(line["message"]) < 500


def test_rows_that_a_limit_leaves_out_do_not_count(ready: Place) -> None:
    write_file(ready.outs / "m.csv", table())
    assert ready.score("--limit", "1").code == 0
    assert ready.problems(KIND) == []


def test_references_have_no_models_to_tell_apart(silent: Place) -> None:
    assert (silent.refs / "more.csv").read_text("utf-8").startswith("idiom,explanation,model\n")
    assert silent.problems(KIND) == []
    assert silent.results()["plain"]["Status"] == "ok"


# --- sheets ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".xlsx", ".jsonl", ".parquet"])
@pytest.mark.parametrize("case", SPELT)
def test_a_sheet_column_is_named_where_it_splits_nothing(told: Place, suffix: str, case: str) -> None:
    if not writable(suffix):
        pytest.skip("nothing to write it with")
    model = f"{case}_{suffix[1:]}"
    (line,) = of_model(told, f"{model}{suffix}")
    assert line["column"] == SPELT[case]
    assert "CSV" in line["message"]
    assert told.results()[model]["Status"] == "partial"


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_a_sheet_column_that_splits_its_csv_says_nothing(silent: Place, suffix: str) -> None:
    model = f"split_{suffix[1:]}"
    assert of_model(silent, f"{model}{suffix}") == []
    assert {unit["Sheet"] for unit in silent.detail(model)} == {"gpt", "claude"}


def test_two_sheet_columns_of_which_none_splits_the_csv_are_both_named(told: Place) -> None:
    assert [line["column"] for line in of_model(told, "both.csv")] == ["Sheet", "sheet"]


def test_a_file_says_it_once_however_many_sheets_it_has(told: Place) -> None:
    (line,) = of_model(told, "sheets.csv")
    assert line["sheet"] == "s0"
    assert "20 sheets" in line["message"]


def test_sheets_keep_runs_apart_and_not_models(told: Place) -> None:
    for name, kinds in (("run", 0), ("system", 1), ("model", 1)):
        assert len(told.detail(f"apart_{name}")) == 6
        assert len(of_model(told, f"apart_{name}.xlsx")) == kinds, name


def test_each_file_of_a_models_folder_is_looked_at_alone(told: Place) -> None:
    assert [(line["file"], line["sheet"]) for line in of_model(told, "folder")] == [("folder/c.csv", "c")]


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
    assert place.run(command, "outs", "-o", "res", *options, "--strict", "--dry-run").code == 3


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
    shares = (("a", "0.5", "0.5"), ("b", "0.25", "0.75"))
    routings: dict[str, list[tuple[str, ...]]] = {
        "named": [("model", "left", "right"), *shares],
        "left": [("stream", "run", "right"), *shares],
        "beside": [("stream", "run", "l", "r"), ("a", "x", "1", "0"), ("b", "y", "1", "0")],
    }
    for model, routing in routings.items():
        write_csv(place.outs / model / "predictions.csv", [row[:4] for row in VOTES])
        write_csv(place.outs / model / "routing.csv", routing)
    assert place.run("collective", "outs", "-o", "res").code == 0
    assert [(line["file"], line["column"]) for line in place.problems(KIND)] == [("beside/routing.csv", "run")]


def test_a_column_of_numbers_that_is_a_judge_or_a_dimension_is_used(place: Place) -> None:
    wide = [("item", "anna", "run"), ("i1", "0.1", "0.2"), ("i2", "0.5", "0.4"), ("i3", "1", "1")]
    write_csv(place.outs / "wide.csv", wide)
    long = [
        ("item", "judge", "score", "run"),
        *((item, judge, "0.5", str(n)) for n, item in enumerate("xy") for judge in "ab"),
    ]
    write_csv(place.outs / "long.csv", long)
    assert place.run("disagree", "outs", "-o", "res").code == 0
    assert [(line["file"], line["column"]) for line in place.problems(KIND)] == [("long.csv", "run")]
    assert place.run("disagree", "outs/wide.csv", "--dry-run", "--dimensions", "anna").code in (0, 4)
    words = ("--dimensions", "score,run", "--scale", "0:1")
    assert place.run("disagree", "outs/long.csv", "-o", "res", *words).code == 0
    assert listed(place) == []


def test_a_column_that_is_named_as_one_of_our_own_is_used(ready: Place) -> None:
    rows = [("model", "Prediction"), *answers()[1:]]
    write_csv(ready.outs / "m.csv", rows)
    assert ready.score("--column", "Idiom=model", "--strict").code == 0
    assert ready.problems(KIND) == []


def test_the_sample_data_says_nothing(place: Place) -> None:
    (place.root / "data").symlink_to(DATA)
    for command in ("sinfo", "mode-collapse", "diversity", "disagree", "entropy", "collective"):
        ended = place.run(command, "--dry-run", "--json")
        assert ended.code == 0
        assert KIND not in {problem["kind"] for problem in json.loads(ended.out)["problems"]}

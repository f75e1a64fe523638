"""Is it said aloud when a column that looks as if it told models apart was not used?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.helpers.files import Rows, Table, read_csv, sheet_text, write_book, write_csv
from tests.helpers.runs import called_in
from tests.helpers.studies import Place, answers
from tests.helpers.tables import SUFFIXES, writable, write_table

pytestmark = pytest.mark.usefixtures("no_workbooks")

DATA = Path(__file__).resolve().parents[2] / "data"
KIND = "not-separated"
IDIOMS = ("break the ice", "once in a blue moon", "spill the beans")


def table(column: str = "system", values: tuple[str, ...] = ("gpt", "claude", "gpt")) -> list[tuple[str, ...]]:
    """A table of answers, with a column more."""
    return [("Idiom", "Prediction", column), *zip(IDIOMS, ("a b", "c d", "e f"), values, strict=True)]


NAMES = ("system", "System", "SYS-TEM", "engine", "ENGINE", "run", "_Run_", "arrangement", "models", "Model ID", "模型")
OTHERS = ("method", "modelling", "run_id", "systems", "models_used", "sheets", "language", "tag")
SAME = (("gpt", "gpt", "gpt"), ("gpt", "", " gpt "), ("", "", ""))
SPELT = {"upper": "Sheet", "lower": "sheet"}


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
        write_table(place.outs / f"as_{suffix[1:].replace('.', '_')}{suffix}", table())
    for number, name in enumerate(NAMES):
        write_csv(place.outs / "names" / f"{number}.csv", table(name))
    many = [("spill the beans", "a b", f"{i}" + "x" * 500) for i in range(500)]
    write_csv(place.outs / "many.csv", [("Idiom", "Prediction", "run"), *many])
    both = [("Idiom", "Prediction", "Sheet", "sheet"), ("spill the beans", "a", "1", "2"), ("x", "b", "1", "1")]
    write_csv(place.outs / "both.csv", both)
    rows = [(f"s{sheet}", "spill the beans", "a b", model) for sheet in range(20) for model in ("gpt", "claude")]
    write_csv(place.outs / "sheets.csv", [("Sheet", "Idiom", "Prediction", "system"), *rows])
    for name in ("run", "system", "engine"):
        parts: dict[str, Rows] = {value: table(name, (value,) * 3) for value in ("one", "two")}
        write_book(place.outs / f"apart_{name}.xlsx", parts)
    write_csv(place.outs / "folder" / "a.csv", table("system", ("x", "x", "x")))
    write_csv(place.outs / "folder" / "b.csv", table("system", ("y", "y", "y")))
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
        write_csv(place.outs / "same" / f"{number}.csv", table("system", values))
    for suffix in filter(writable, SUFFIXES):
        for case, name in SPELT.items():
            write_table(place.outs / f"{case}_{suffix[1:].replace('.', '_')}{suffix}", table(name))
    place.model("plain")
    write_csv(place.refs / "more.csv", [("idiom", "explanation", "model"), ("x", "y", "a"), ("y", "z", "b")])
    ended = place.score("--strict")
    assert ended.code == 0, ended.err
    return place


def of_model(place: Place, model: str) -> Table:
    """What is said of the columns of one model's files."""
    return [line for line in place.problems(KIND) if model in (line["file"], line["file"].partition("/")[0])]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_column_of_several_systems_is_named_in_every_format(told: Place, suffix: str) -> None:
    if not writable(suffix):
        pytest.skip("nothing to write it with")
    model = f"as_{suffix[1:].replace('.', '_')}"
    (line,) = of_model(told, f"{model}{suffix}")
    assert (line["sheet"], line["column"]) == ("Sheet1", "system")
    assert line["effect"] == "note"
    assert "2 different values" in line["message"]
    assert "gpt, claude" in line["message"]
    assert line["message"].endswith("; --model-column system makes each a model")
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
    write_table(ready.outs / "m.csv", table())
    for options in ((), ("--dry-run",), ("-v",)):
        (line,) = [line for line in ready.score(*options).err.splitlines() if "different values" in line]
        assert line.startswith("note: outs/m.csv[Sheet1] column system: ")
    assert "different values" not in ready.score("--quiet").err


def test_strict_counts_it_and_nothing_else_changes_the_exit_code(ready: Place) -> None:
    write_table(ready.outs / "m.csv", table())
    ready.model("good")
    assert ready.score().code == 0
    assert ready.score("--dry-run").code == 0
    assert ready.score("--strict").code == 3
    assert ready.score("--strict", "--dry-run").code == 3
    assert {name: line["Status"] for name, line in ready.results().items()} == {"good": "ok", "m": "partial"}


@pytest.mark.usefixtures("workbooks")
def test_it_is_in_the_models_workbook_and_in_the_json_too(ready: Place) -> None:
    write_table(ready.outs / "m.csv", table())
    told = json.loads(ready.score("--json").out)
    assert [problem["kind"] for problem in told["problems"]] == [KIND]
    assert KIND in sheet_text(ready.workbook(), "Problems")


def test_many_and_long_values_are_counted_and_cut(told: Place) -> None:
    (line,) = of_model(told, "many.csv")
    assert "500 different values" in line["message"]
    assert len(line["message"]) < 500


def test_rows_that_a_limit_leaves_out_do_not_count(ready: Place) -> None:
    write_table(ready.outs / "m.csv", table())
    assert ready.score("--limit", "1").code == 0
    assert ready.problems(KIND) == []


def test_references_have_no_models_to_tell_apart(silent: Place) -> None:
    assert (silent.refs / "more.csv").read_text("utf-8").startswith("idiom,explanation,model\n")
    assert silent.problems(KIND) == []
    assert silent.results()["plain"]["Status"] == "ok"


# --- by what stands in the column -------------------------------------------------------------------------------------

SYSTEMS = ("x", "x", "x", "y", "y", "y", "z", "z", "z")


def crossed(column: str, values: tuple[str, ...] = SYSTEMS, *, again: int = 1) -> list[tuple[str, ...]]:
    """A table of answers in which every idiom stands once for each system, or several times."""
    rows = [(IDIOMS[place % 3], f"a b {place}", value) for place, value in enumerate(values)]
    return [("Idiom", "Prediction", column), *rows * again]


@pytest.mark.parametrize("column", ["method", "variant", "name", "source", "Verfahren", "run_id", "prompt_version"])
def test_a_column_that_explains_why_keys_repeat_is_named_whatever_it_is_called(ready: Place, column: str) -> None:
    write_csv(ready.outs / "m.csv", crossed(column))
    assert ready.score("--dry-run", "--strict").code == 3
    ended = ready.score()
    (line,) = ready.problems(KIND)
    assert line["column"] == column
    assert "3 different values (x, y, z)" in line["message"]
    assert ready.results()["m"]["Status"] == "partial"
    way = f"--model-column {column}"
    assert f"{way} makes each a model" in ended.err
    assert ready.score(*way.split(), "--strict").code == 0
    assert set(ready.results()) == {"x", "y", "z"}


def test_samples_of_each_system_hide_it_no_more_than_seeds_do(ready: Place) -> None:
    write_csv(ready.outs / "samples.csv", crossed("method", again=4))
    seeded = [(*row, str(seed)) for seed in range(3) for row in crossed("method")[1:]]
    write_csv(ready.outs / "seeds.csv", [("Idiom", "Prediction", "method", "seed"), *seeded])
    assert ready.score().code == 0
    assert [line["column"] for line in ready.problems(KIND)] == ["method", "method"]
    assert "the same Idiom stands under several of them" in ready.problems(KIND)[0]["message"]


@pytest.mark.parametrize(
    "column",
    ["seed", "temperature", "sample_id", "repeat", "category", "language", "difficulty", "split", "finish_reason"],
)
def test_repeats_and_attributes_are_no_systems(ready: Place, column: str) -> None:
    write_csv(ready.outs / "m.csv", crossed(column))
    assert ready.score("--strict").code == 0
    assert ready.problems(KIND) == []


def test_what_is_said_of_a_key_is_the_same_wherever_it_stands(ready: Place) -> None:
    write_csv(ready.outs / "m.csv", crossed("origin", ("sea", "sky", "kitchen") * 3))
    some = [("Idiom", "Prediction", "colour"), *((key, "a", "red") for key in IDIOMS), (IDIOMS[0], "b", "blue")]
    write_csv(ready.outs / "doubled.csv", some)  # one row that was copied and changed is no second system
    assert ready.score("--strict").code == 0
    assert ready.problems(KIND) == []


def test_many_values_that_happen_to_differ_are_no_systems(ready: Place) -> None:
    ready.model("good")
    few = [(f"{IDIOMS[0]} {n % 10}", "a b", "abcdefghij"[(3 * n + n // 10) % 10]) for n in range(20)]
    write_csv(ready.outs / "n.csv", [("Idiom", "Prediction", "mood"), *few])
    assert ready.score().code == 0
    assert of_model(ready, "n.csv") == []


def test_a_column_that_was_asked_for_is_known(ready: Place) -> None:
    write_csv(ready.outs / "m.csv", crossed("method"))
    assert ready.score("--by", "method", "--strict").code == 0
    assert ready.problems(KIND) == []


def test_a_model_inside_an_answer_of_an_interface_is_named_by_its_path_and_once(place: Place) -> None:
    lines = [
        {
            "custom_id": f"{name}{n}",
            "response": {"id": n, "body": {"model": name, "text": f"one two three {n}"}},
            "request": {"model": name},
        }
        for name in ("gpt", "qwen")
        for n in range(3)
    ]
    place.outs.mkdir()
    (place.outs / "batch.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    words = ("entropy", "outs", "-o", "res", "--column", "text=response.body.text")
    said = place.run(*words)
    assert listed(place) == ["response.body.model"]
    assert "--model-column response.body.model makes each a model" in said.err
    assert place.run(*words, "--model-column", "response.body.model", "--strict").code == 0
    assert {path.name for path in place.res.glob("*_entropy.xlsx")} >= {"gpt_entropy.xlsx", "qwen_entropy.xlsx"}


def test_rows_without_a_key_that_share_names_are_mentioned_and_stay_ok(place: Place) -> None:
    rows = [(f"one two three {n}", "pq"[n % 2], "xy"[n % 2], "3") for n in range(6)]
    write_csv(place.outs / "m.csv", [("text", "persona", "category", "tokens"), *rows])
    words = ("entropy", "outs", "-o", "res", "--strict")
    ended = place.run(*words)
    assert ended.code == 0
    assert [line["column"] for line in place.problems("perhaps-separate")] == ["persona"]
    assert "column persona: 2 different values (p, q)" in ended.err
    assert "if it tells models apart, --model-column persona makes each a model" in ended.err
    assert place.run(*words, "--model-column", "persona").code == 0
    assert place.problems("perhaps-separate") == []


def test_texts_of_an_assistant_are_no_names(place: Place) -> None:
    write_csv(place.outs / "m.csv", [("text", "assistant"), *((f"one two three {n}", f"{n} " * 60) for n in range(4))])
    assert place.run("entropy", "outs", "-o", "res", "--strict").code == 0
    assert listed(place) == []


def test_a_sheet_that_is_refused_for_its_repeats_says_which_column_tells_them_apart(place: Place) -> None:
    rows = [(item, judge, "0.5", name) for name in ("gpt", "qwen") for item in ("i1", "i2") for judge in ("a", "b")]
    write_csv(place.outs / "m.csv", [("item", "judge", "score", "llm"), *rows])
    ended = place.run("disagree", "outs", "-o", "res")
    assert ended.code == 4
    assert "--model-column llm makes each a model" in ended.err
    assert place.run("disagree", "outs", "-o", "res", "--model-column", "llm").code == 0


# --- sheets ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("case", SPELT)
def test_a_sheet_column_splits_in_every_format_and_says_nothing(silent: Place, suffix: str, case: str) -> None:
    if not writable(suffix):
        pytest.skip("nothing to write it with")
    model = f"{case}_{suffix[1:].replace('.', '_')}"
    assert of_model(silent, f"{model}{suffix}") == []
    assert [unit["Sheet"] for unit in silent.detail(model)] == ["gpt", "gpt", "claude"]


def test_a_sheet_column_is_named_where_it_is_told_to_split_nothing(ready: Place) -> None:
    write_table(ready.outs / "m.csv", table("Sheet"))
    write_table(ready.outs / "n.xlsx", table("sheet"))
    assert ready.score("--sheet-column", "").code == 0
    assert [(line["file"], line["column"]) for line in ready.problems(KIND)] == [
        ("m.csv", "Sheet"),
        ("n.xlsx", "sheet"),
    ]
    assert {line["Status"] for line in ready.results().values()} == {"partial"}


def test_of_two_sheet_columns_the_one_that_does_not_split_is_named(told: Place) -> None:
    assert [line["column"] for line in of_model(told, "both.csv")] == ["sheet"]


def test_a_model_column_that_is_told_to_split_nothing_is_named(ready: Place) -> None:
    write_table(ready.outs / "m.csv", table("model"))
    assert ready.score("--model-column", "").code == 0
    assert [line["column"] for line in ready.problems(KIND)] == ["model"]


@pytest.mark.parametrize("column", ["question", "prompt_type", "Round"])
def test_what_a_row_is_about_is_named_only_where_rows_share_it(ready: Place, column: str) -> None:
    write_table(ready.outs / "groups.csv", table(column))
    write_table(ready.outs / "each.csv", table(column, ("1", "2", "3")))
    assert ready.score().code == 0
    assert [(line["file"], line["column"]) for line in ready.problems(KIND)] == [("groups.csv", column)]


@pytest.mark.parametrize(("column", "option", "models"), [("system", "model", 2), ("run", "sheet", 1)])
def test_the_option_that_is_named_keeps_the_values_apart(ready: Place, column: str, option: str, models: int) -> None:
    write_table(ready.outs / "m.csv", table(column))
    way = f"--{option}-column {column}"
    ended = ready.score()
    assert way in ended.err
    assert ready.score(*way.split(), "--strict").code == 0
    assert ready.problems(KIND) == []
    units = [(model, unit["Sheet"], unit["Row"]) for model in ready.results() for unit in ready.detail(model)]
    apart = {
        "model": [("claude", "m", "3"), ("gpt", "m", "2"), ("gpt", "m", "4")],
        "sheet": [("m", "gpt", "2"), ("m", "gpt", "4"), ("m", "claude", "3")],
    }
    assert units == apart[option]
    assert len(ready.results()) == models


def test_a_file_says_it_once_however_many_sheets_it_has(told: Place) -> None:
    (line,) = of_model(told, "sheets.csv")
    assert line["sheet"] == "s0"
    assert "20 sheets" in line["message"]


def test_sheets_keep_runs_apart_and_not_models(told: Place) -> None:
    for name, kinds in (("run", 0), ("system", 1), ("engine", 1)):
        assert len(told.detail(f"apart_{name}")) == 6
        assert len(of_model(told, f"apart_{name}.xlsx")) == kinds, name


def test_each_file_of_a_models_folder_is_looked_at_alone(told: Place) -> None:
    assert [(line["file"], line["sheet"]) for line in of_model(told, "folder")] == [("folder/c.csv", "c")]


# --- every command, and the columns that it uses itself ---------------------------------------------------------------

CHOICES: list[tuple[str, ...]] = [("level", "choice", "system"), ("0", "a", "x"), ("0", "b", "y"), ("0", "a", "y")]
RANKING: list[tuple[str, ...]] = [
    ("query", "item", "rank", "subtopics", "system"),
    *(("q", name, str(rank), "s|t", model) for rank, (name, model) in enumerate(zip("abc", "xyy", strict=True), 1)),
]
JUDGED: list[tuple[str, ...]] = [
    ("item", "judge", "score", "system"),
    *((item, judge, f"0.{n}", "x" if item == "i1" else "y") for n, item in enumerate(("i1", "i2")) for judge in "ab"),
]
WIDE: list[tuple[str, ...]] = [
    ("item", "anna", "bert", "system"),
    ("i1", "0.1", "0.2", "x"),
    ("i2", "0.5", "0.4", "y"),
    ("i3", "1", "1", "y"),
]
TEXTS: list[tuple[str, ...]] = [("text", "system"), ("one two three", "x"), ("four five six seven", "y")]
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
    assert "column system" in ended.err
    assert listed(place) == ["system"]
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

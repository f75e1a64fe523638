"""Does a column that names models give the same as a file for each?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from scoresheet.cli.input import loading
from scoresheet.cli.input.formats.by_extension import read_file
from scoresheet.cli.input.formats.types import Content, ReadRules
from scoresheet.scoring import score
from tests.helpers.files import digests, read_csv, write_book, write_bytes, write_csv
from tests.helpers.runs import called_in
from tests.helpers.studies import REFERENCES, Place, answers
from tests.helpers.tables import SUFFIXES, writable, write_table

pytestmark = pytest.mark.usefixtures("no_workbooks")

IDIOMS = tuple(REFERENCES)
TEXTS = {
    "gpt": ("to start to talk", "very rarely", "tell the secret"),
    "claude": ("to begin to talk with people", "rarely", "to tell a secret to somebody"),
    "llama": ("ice", "never", "beans"),
}
Row = tuple[str, ...]
HEAD = ("Idiom", "Prediction")


def long_rows(models: Sequence[str] = tuple(TEXTS), header: str = "model") -> list[Row]:
    """One table of all models, idiom by idiom."""
    rows = [(idiom, TEXTS[model][place], model) for place, idiom in enumerate(IDIOMS) for model in models]
    return [(*HEAD, header), *rows]


def numbers(place: Place, res: str = "res") -> dict[str, str]:
    """The headline of each model."""
    return {line["Model Name"]: line["S_Info"] for line in read_csv(place.root / res / "s_info_results.csv")}


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What a file for each model gives."""
    root = tmp_path_factory.mktemp("apart")
    place = Place(root, called_in(root))
    place.references()
    for model, texts in TEXTS.items():
        place.model(model, dict(zip(IDIOMS, texts, strict=True)))
    assert place.score().code == 0
    found = numbers(place)
    assert len(set(found.values())) == 3
    return found


@pytest.fixture
def ready(place: Place) -> Place:
    """References, and no model yet."""
    place.references()
    return place


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_one_long_file_gives_in_every_format_what_a_file_for_each_model_gives(
    ready: Place, apart: dict[str, str], suffix: str
) -> None:
    if not writable(suffix):
        pytest.skip("nothing to write it with")
    write_table(ready.outs / f"all{suffix}", long_rows())
    ended = ready.score("--strict")
    assert ended.code == 0, ended.err
    assert numbers(ready) == apart
    assert {line["Status"] for line in ready.results().values()} == {"ok"}
    (line,) = [line for line in ended.err.splitlines() if "model column" in line]
    assert line == "note: outs: model column 'model': 3 models in 1 file (gpt, claude, llama)"
    sheet = "Sheet1" if suffix == ".xlsx" else "all"
    assert {unit["Sheet"] for unit in ready.detail("gpt")} == {sheet}


def test_the_rows_keep_the_numbers_that_they_have_in_the_file(ready: Place) -> None:
    write_csv(ready.outs / "all.csv", long_rows())
    assert ready.score().code == 0
    assert [unit["Row"] for unit in ready.detail("claude")] == ["3", "6", "9"]


@pytest.mark.parametrize("header", ["Model", "MODEL_NAME", "model name", "model-name"])
def test_the_column_is_known_by_both_names_ignoring_case_blanks_and_dashes(
    ready: Place, apart: dict[str, str], header: str
) -> None:
    write_csv(ready.outs / "all.csv", long_rows(header=header))
    assert f"model column {header!r}: 3 models in 1 file" in ready.score().err
    assert numbers(ready) == apart


def test_models_over_several_files_are_gathered_each_file_being_a_sheet(ready: Place) -> None:
    head, *rows = long_rows()
    write_csv(ready.outs / "first.csv", [head, *rows[:5]])
    write_table(ready.outs / "second.jsonl", [head, *rows[5:]])
    write_table(ready.outs / "third.xlsx", [("Idiom", "Prediction", "model_name"), (IDIOMS[0], "new", "lone")])
    ended = ready.score("--strict")
    assert ended.code == 0, ended.err
    assert "model columns 'model' and 'model_name': 4 models in 3 files" in ended.err
    sheets = {model: [unit["Sheet"] for unit in ready.detail(model)] for model in ready.results()}
    assert sheets == {
        "claude": ["first", "first", "second"],
        "gpt": ["first", "first", "second"],
        "llama": ["first", "second", "second"],
        "lone": ["Sheet1"],
    }
    assert {name: line["Rows"] for name, line in ready.results().items()} == dict.fromkeys(TEXTS, "3") | {"lone": "1"}


def test_files_of_a_models_folder_may_name_models_and_the_others_are_the_folders(ready: Place) -> None:
    write_csv(ready.outs / "run" / "a.csv", long_rows())
    write_csv(ready.outs / "run" / "b.csv", [HEAD, (IDIOMS[0], "own")])
    assert ready.score("--strict").code == 0
    assert {name: line["Rows"] for name, line in ready.results().items()} == dict.fromkeys(TEXTS, "3") | {"run": "1"}
    assert [unit["Row"] for unit in ready.detail("run")] == ["2"]


def test_a_file_without_the_column_is_a_model_as_ever(ready: Place, apart: dict[str, str]) -> None:
    write_csv(ready.outs / "all.csv", long_rows())
    ready.model("plain")
    assert ready.score("--strict").code == 0
    assert {model: value for model, value in numbers(ready).items() if model != "plain"} == apart
    assert {unit["Sheet"] for unit in ready.detail("plain")} == {"Sheet1"}


def test_a_row_that_names_no_model_is_a_problem_of_its_row(ready: Place, apart: dict[str, str]) -> None:
    write_csv(ready.outs / "all.csv", [*long_rows(), (IDIOMS[0], "whose?", " "), (IDIOMS[1], "whose?", "")])
    ended = ready.score()
    assert ended.code == 0
    assert numbers(ready) == apart
    lines = ready.problems("no-model")
    assert [(line["file"], line["sheet"], line["row"], line["column"]) for line in lines] == [
        ("all.csv", "all", "11", "model"),
        ("all.csv", "all", "12", "model"),
    ]
    assert {line["effect"] for line in lines} == {"row not scored"}
    assert "row 11, column model: no model is named in this row; if the cell is merged with that of" in ended.err
    assert "(1 more row like this)" in ended.err
    assert ready.score("--strict").code == 3


def test_a_file_of_which_no_row_names_a_model_is_no_model(ready: Place) -> None:
    write_csv(ready.outs / "all.csv", [(*HEAD, "model"), (IDIOMS[0], "whose?", ""), (IDIOMS[1], "whose?", "")])
    ended = ready.score()
    assert ended.code == 4
    assert "0 models" not in ended.err
    ready.model("plain")
    assert ready.score().code == 0
    assert list(ready.results()) == ["plain"]


@pytest.mark.parametrize("name", ["gpt", "GPT"])
def test_a_model_that_a_column_and_a_files_name_both_give_is_a_clash(ready: Place, name: str) -> None:
    write_csv(ready.outs / "all.csv", long_rows())
    ready.model(name)
    ended = ready.score()
    assert ended.code == 3
    lines = ready.problems("same-name")
    assert {line["file"] for line in lines} == {"all.csv", f"{name}.csv"}
    assert {line["effect"] for line in lines} == {"file skipped"}
    statuses = {model: line["Status"] for model, line in ready.results().items()}
    assert {model.casefold(): status for model, status in statuses.items()} == {
        "claude": "ok",
        "gpt": "failed",
        "llama": "ok",
    }
    assert not list(ready.res.glob("[gG][pP][tT]_s_info.*"))


def test_models_that_differ_by_case_alone_are_a_clash(ready: Place) -> None:
    head, *rows = long_rows()
    write_csv(ready.outs / "all.csv", [head, *rows, (IDIOMS[0], "x", "Gpt")])
    assert ready.score().code == 3
    assert {line["Status"] for name, line in ready.results().items() if name.casefold() == "gpt"} == {"failed"}
    assert {name for name, line in ready.results().items() if line["Status"] == "ok"} == {"claude", "llama"}


def test_a_sheet_without_the_column_beside_others_that_have_it_is_skipped_aloud(ready: Place) -> None:
    write_book(ready.outs / "all.xlsx", {"answers": long_rows(), "more": [HEAD, (IDIOMS[0], "whose?")]})
    assert ready.score().code == 3
    (line,) = ready.problems("no-model")
    assert (line["sheet"], line["effect"]) == ("more", "sheet skipped")
    assert set(ready.results()) == set(TEXTS)


def test_two_columns_that_could_name_models_refuse_the_sheet_and_the_option_decides(
    ready: Place, apart: dict[str, str]
) -> None:
    head, *rows = long_rows()
    write_csv(ready.outs / "all.csv", [(*head, "model_name"), *((*row, f"The {row[-1]}") for row in rows)])
    ended = ready.score()
    assert ended.code == 4
    assert "'model' and 'model_name' could both name the model of a row; say which: --model-column model" in ended.err
    assert ready.score("--model-column", "model").code == 0
    assert numbers(ready) == apart
    assert ready.score("--model-column", "model_name").code == 0
    assert list(numbers(ready)) == ["The claude", "The gpt", "The llama"]


def test_another_column_may_be_named(ready: Place, apart: dict[str, str]) -> None:
    write_csv(ready.outs / "all.csv", long_rows(header="Which one?"))
    assert ready.score("--model-column", "which one?", "--strict").code == 0
    assert numbers(ready) == apart


def test_a_named_column_that_no_file_has_is_a_usage_error(ready: Place) -> None:
    write_csv(ready.outs / "all.csv", long_rows(header="system"))
    for option in ("--model-column", "--sheet-column"):
        ended = ready.score(option, "sistem")
        assert ended.code == 2
        assert f"{option} sistem: no file has such a column; did you mean 'system'?" in ended.err
    assert not ready.res.exists() or not list(ready.res.glob("*.csv"))


def test_nothing_is_split_where_that_is_said(ready: Place) -> None:
    write_csv(ready.outs / "all.csv", long_rows())
    assert ready.score("--model-column", "").code == 0
    assert {name: (line["Rows"], line["Status"]) for name, line in ready.results().items()} == {"all": ("9", "partial")}


def test_sheets_and_models_may_both_be_columns(ready: Place) -> None:
    head, *rows = long_rows()
    write_csv(ready.outs / "all.csv", [(*head, "Sheet"), *((*row, f"s{n % 2}") for n, row in enumerate(rows))])
    assert ready.score("--strict").code == 0
    assert sorted({unit["Sheet"] for unit in ready.detail("gpt")}) == ["s0", "s1"]
    assert ready.score("--sheet", "s1").code == 0
    assert {unit["Sheet"] for unit in ready.detail("gpt")} == {"s1"}


def test_a_limit_counts_for_each_model(ready: Place) -> None:
    write_csv(ready.outs / "all.csv", long_rows())
    assert ready.score("--limit", "2").code == 0
    assert {name: line["Rows"] for name, line in ready.results().items()} == dict.fromkeys(TEXTS, "2")


def test_the_file_may_be_chosen_as_a_sheet_by_its_name(ready: Place) -> None:
    head, *rows = long_rows()
    write_csv(ready.outs / "first.csv", [head, *rows[:3]])
    write_csv(ready.outs / "second.csv", [head, *rows[3:6]])
    for options in (("--sheet", "first"), ("--skip-sheet", "sec*")):
        assert ready.score(*options).code == 0
        assert {unit["Sheet"] for unit in ready.detail("gpt")} == {"first"}
        assert set(ready.results()) == set(TEXTS)


def test_every_model_is_in_the_reports_and_the_file_once_in_the_manifest(ready: Place) -> None:
    write_csv(ready.outs / "all.csv", long_rows())
    told = json.loads(ready.score("--json").out)
    assert [model["Model Name"] for model in told["models"]] == ["claude", "gpt", "llama"]
    manifest = json.loads((ready.res / "manifest.json").read_text("utf-8"))
    assert [each["file"] for each in manifest["inputs"]] == ["all.csv"]
    assert manifest["counts"]["models"] == 3
    written = {each["file"] for each in manifest["outputs"]}
    assert {f"{model}_s_info.{kind}" for model in TEXTS for kind in ("csv", "xlsx")} <= written
    assert not any(name.startswith("all_") for name in written)
    assert set(json.loads((ready.res / "metrics.json").read_text("utf-8"))) == set(TEXTS)


def test_a_file_of_others_that_a_models_report_would_replace_stops_the_run(ready: Place) -> None:
    write_csv(ready.outs / "all.csv", long_rows())
    mine = write_bytes(ready.res / "gpt_s_info.csv", b"mine")
    ended = ready.score()
    assert ended.code == 2
    assert "gpt_s_info.csv" in ended.err
    assert mine.read_bytes() == b"mine"


@pytest.mark.processes
@pytest.mark.usefixtures("workbooks")
def test_the_reports_are_the_same_for_any_number_of_workers(ready: Place) -> None:
    write_csv(ready.outs / "all.csv", long_rows())
    write_csv(
        ready.outs / "more.csv", [(*HEAD, "model"), *((IDIOMS[n % 3], f"text {n}", f"m{n % 4}") for n in range(8))]
    )
    found = []
    for jobs in ("1", "3"):
        assert ready.score("-j", jobs, res=f"res{jobs}").code == 0
        found.append(digests(ready.root / f"res{jobs}"))
    assert found[0] == found[1]


@pytest.mark.patched
def test_a_file_is_read_once_to_find_its_models_and_once_to_score_them_all(
    ready: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[str] = []

    def counted(path: Path, rules: ReadRules) -> Content:
        reads.append(path.name)
        return read_file(path, rules)

    monkeypatch.setattr(loading, "read_file", counted)
    head, *rows = long_rows()
    write_csv(ready.outs / "first.csv", [head, *rows[:6]])
    write_csv(ready.outs / "second.csv", [head, *rows[6:]])
    assert ready.score("-j", "1").code == 0
    assert sorted(reads) == ["all.csv", *["first.csv"] * 2, *["second.csv"] * 2]


def test_a_column_that_is_named_as_one_of_the_familys_own_names_no_models(ready: Place) -> None:
    _, *rows = long_rows(["gpt"])
    write_csv(ready.outs / "m.csv", [("Idiom", "answer", "model"), *((row[0], "no", row[1]) for row in rows)])
    assert ready.score("--column", "Prediction=model").code == 0
    assert list(ready.results()) == ["m"]


# --- commands --------------------------------------------------------------------------------------------------------


def by_model(rows: Sequence[Sequence[Any]], column: str = "model") -> list[tuple[Any, ...]]:
    """A table twice, for the models x and y; the second's rows turned round."""
    head, *body = rows
    return [(*head, column), *((*row, "x") for row in body), *((*row, "y") for row in reversed(body))]


CASES: dict[str, list[Sequence[Any]]] = {
    "mode-collapse": [("level", "choice"), ("0", "a"), ("0", "b"), ("0", "a"), ("0", "c")],
    "diversity": [("query", "item", "rank", "subtopics"), ("q", "a", "1", "s|t"), ("q", "b", "2", "t")],
    "entropy": [("text",), ("one two three four",), ("five six seven",)],
}


@pytest.mark.parametrize("command", CASES)
def test_every_command_that_has_no_such_column_of_its_own_splits(place: Place, command: str) -> None:
    write_csv(place.outs / "all.csv", by_model(CASES[command]))
    ended = place.run(command, "outs", "-o", "res", "--strict")
    assert ended.code == 0, ended.err
    (results,) = place.res.glob("*_results.csv")
    assert [line["Model Name"] for line in read_csv(results)] == ["x", "y"]
    assert "model column 'model': 2 models in 1 file" in ended.err


def test_what_is_judged_and_the_streams_of_an_ensemble_are_no_models_of_a_run(place: Place) -> None:
    judged = [("item", "judge", "score", "model"), *((item, judge, "0.5", item) for item in "pq" for judge in "ab")]
    votes = [("sample", "label", "model", "other"), ("s1", "p", "p", "q"), ("s2", "q", "q", "q")]
    for command, rows in (("disagree", judged), ("collective", votes)):
        write_csv(place.root / command / "m.csv", rows)
        ended = place.run(command, command, "-o", f"res_{command}")
        assert ended.code == 0, ended.err
        (results,) = (place.root / f"res_{command}").glob("*_results.csv")
        assert [line["Model Name"] for line in read_csv(results)] == ["m"]
        assert "model column" not in ended.err


def test_the_option_splits_where_the_name_alone_does_not(place: Place) -> None:
    judged = [("item", "judge", "score"), *((item, judge, f"0.{n}") for n, item in enumerate("pq") for judge in "ab")]
    write_csv(place.outs / "all.csv", by_model(judged))
    assert place.run("disagree", "outs", "-o", "res", "--model-column", "model").code == 0
    (results,) = place.res.glob("*_results.csv")
    assert [line["Model Name"] for line in read_csv(results)] == ["x", "y"]


# --- from Python -----------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("workbooks")
def test_frames_with_the_column_give_what_the_command_gives(ready: Place, apart: dict[str, str]) -> None:
    head, *rows = long_rows()
    frame = pd.DataFrame(rows, columns=list(head))
    write_csv(ready.outs / "all.csv", [head, *rows])
    for outputs in (frame, {"anything": frame}, {"anything": {"all": frame}}, ready.outs):
        found = score("sinfo", outputs, ready.refs)
        assert dict(zip(found.table["Model Name"], found.table["S_Info"].map(repr), strict=True)) == {
            model: repr(float(value)) for model, value in apart.items()
        }
        assert found.problems["kind"].tolist() == ["model-column"]
    assert ready.score().code == 0
    written = score("sinfo", ready.outs, ready.refs).write(ready.root / "py")
    reports = {name for name in digests(ready.res) if not name.startswith("cache/")}
    assert set(digests(ready.root / "py")) == reports
    assert {path.name for path in written} == reports


def test_frames_of_a_model_over_two_names_are_gathered(ready: Place) -> None:
    head, *rows = long_rows()
    frames = {name: pd.DataFrame(part, columns=list(head)) for name, part in (("a", rows[:5]), ("b", rows[5:]))}
    found = score("sinfo", frames, ready.refs)
    assert found.table["Rows"].tolist() == [3, 3, 3]
    assert found.units[["Model Name", "Sheet"]].value_counts().to_dict() == {
        ("claude", "a"): 2, ("claude", "b"): 1, ("gpt", "a"): 2, ("gpt", "b"): 1, ("llama", "a"): 1, ("llama", "b"): 2
    }  # fmt: skip


def test_a_misspelt_header_is_refused_from_python_too(ready: Place) -> None:
    frame = pd.DataFrame({"Idiom": [IDIOMS[0]], "Prediction": ["b"]})
    with pytest.raises(ValueError, match="no file has the column 'anwser'"):
        score("sinfo", frame, ready.refs, columns={"Prediction": "anwser"})


@pytest.mark.parametrize(
    "options", [("--skip-sheet", "notes"), ("--sheet", "run"), ("--skip-sheet", "*/notes"), ("--skip-sheet", "a/n*")]
)
def test_patterns_for_sheets_hold_however_many_files_a_model_is_in(ready: Place, options: tuple[str, str]) -> None:
    body = long_rows(("gpt", "claude"))
    noted: list[Row] = [(*HEAD, "model"), (IDIOMS[0], "not an answer", "gpt")]
    write_book(ready.outs / "a.xlsx", {"run": body[:5], "notes": noted})
    write_book(ready.outs / "b.xlsx", {"run": [body[0], *body[5:]]})
    ended = ready.score("--strict", *options)
    assert ended.code == 0, ended.err
    assert {unit["Sheet"] for unit in ready.detail("gpt")} == {"a/run", "b/run"}
    assert numbers(ready)["gpt"]


def test_a_pattern_for_sheets_without_a_stroke_means_no_file(ready: Place) -> None:
    body = long_rows(("gpt", "claude"))
    for name, rows in (("notes_a", body[:5]), ("notes_b", [body[0], *body[5:]])):
        write_book(ready.outs / f"{name}.xlsx", {"run": rows})
    assert ready.score("--strict", "--skip-sheet", "notes*").code == 0
    assert len(ready.detail("gpt")) == len(IDIOMS)


def test_patterns_for_sheets_hold_in_a_folder_of_files_that_name_their_models(ready: Place) -> None:
    write_book(ready.outs / "march" / "first.xlsx", {"run": long_rows(("gpt",)), "notes": long_rows(("gpt",))})
    write_book(ready.outs / "march" / "second.xlsx", {"run": long_rows(("claude",))})
    assert ready.score("--strict", "--skip-sheet", "first/notes").code == 0
    assert len(ready.detail("gpt")) == len(ready.detail("claude")) == len(IDIOMS)
    assert ready.score("--strict", "--sheet", "second*").code == 0
    assert list(ready.results()) == ["claude"]


def test_a_needed_column_that_a_long_file_lacks_is_said_once(ready: Place) -> None:
    head, *body = long_rows()
    write_csv(ready.outs / "all.csv", [(head[0], "said", head[2]), *body])
    ended = ready.score()
    assert ended.code == 4
    assert ended.err.count("no column Prediction") == 1
    assert "more like it" not in ended.err
    answer = json.loads(ready.score("--json").out)
    assert [problem["kind"] for problem in answer["problems"] if problem["effect"] != "note"] == ["missing-column"]
    assert ready.score("--column", "Prediction=said").code == 0


def test_rows_below_a_models_own_that_name_none_count_against_it(place: Place) -> None:
    place.references()
    rows = [("x", *row) for row in answers()[1:]] * 4
    write_csv(place.outs / "few.csv", [("model", *answers()[0]), *rows, ("", *rows[0][1:])])
    many = [(name if row == answers()[1] else "", *row) for name in ("y", "z") for row in answers()[1:]]
    write_csv(place.outs / "many.csv", [("model", *answers()[0]), *many])
    assert place.score().code == 0
    lines = {name: (line["Status"], line["Rows"], line["Scored"]) for name, line in place.results().items()}
    assert lines == {"x": ("ok", "13", "12"), "y": ("partial", "3", "1"), "z": ("partial", "3", "1")}
    assert float(place.results()["y"]["Coverage"]) == pytest.approx(1 / 3)
    assert place.score("--min-coverage", "0.9").code == 10
    assert place.score("--fill-down", "--strict").code == 0
    assert {line["Coverage"] for line in place.results().values()} == {"1.0"}


def test_a_sheet_in_which_many_keys_are_blank_is_not_called_ok(place: Place) -> None:
    head = ("sample", "label", "model", "prediction")
    rows = [(f"s{n}", "p", stream, "pq"[n % 2]) for n in range(6) for stream in "abc"]
    write_csv(place.outs / "m.csv", [head, *((row if row[2] == "a" else ("", "", *row[2:])) for row in rows)])
    said = place.run("collective", "outs", "-o", "res").err
    (line,) = read_csv(place.res / "collective_results.csv")
    assert line["Status"] == "partial"
    assert "--fill-down gives it that value" in said
    assert place.run("collective", "outs", "-o", "res", "--fill-down", "--strict").code == 0

"""What is refused, and that every printed hint leads to the right table.

The cases are in the folder cases; conftest.py has the notation of tables.
"""

import json
import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from scoresheet.cli.app import run_app
from scoresheet.cli.run.decide import collect_models, run_refusals
from scoresheet.cli.run.request import Request
from scoresheet.cli.run.tasks import FileRead, Part, TableRead
from tests.input.conftest import (
    FAMILIES,
    Load,
    Refused,
    Rows,
    blocks,
    frame_of,
    parsed,
    source_of,
)


def case_of(block: str) -> tuple[str, str, str, list[str]]:
    """Return the family, its table, the kind of the problem, and the other lines."""
    _, head, *lines = block.splitlines()
    family, _, kind = head.partition(": ")
    name, _, table = family.partition(" ")
    return name, table or "outputs", kind, lines


def with_option(options: list[str], option: str) -> list[str]:
    """Return the options with one added, in place of what was said about the same role."""
    roles = [word.partition("=")[0] for word in shlex.split(option) if "=" in word]
    kept = [o for o in options if shlex.split(o)[1].partition("=")[0] not in roles]
    return [*kept, option]


@pytest.mark.parametrize("block", blocks("refusals.txt"), ids=lambda block: block.split("\n")[0])
def test_what_is_refused_says_what_to_type_and_that_is_right(
    rows: Rows, refused: Refused, block: str
) -> None:
    family, table, kind, lines = case_of(block)
    follow = sorted(line[3:].split(" => ") for line in lines if line.startswith("=> "))
    cells, options = parsed([line for line in lines if not line.startswith("=> ")])
    (problem,) = refused(family, cells, *options, table=table)
    assert (problem.kind, problem.effect) == (kind, "skipped")
    printed = sorted(line for line in problem.hint.split("\n") if line.startswith("--"))
    assert len(printed) == len(follow), printed
    for option, (typed, expected) in zip(printed, follow, strict=True):
        assert typed.startswith(option)
        roles, _, found = expected.partition(": ")
        chosen = with_option(options, typed)
        assert rows(roles, family, cells, *chosen, table=table) == found, typed


@pytest.mark.parametrize("block", blocks("advice.txt"), ids=lambda block: block.split("\n")[0])
def test_a_table_is_read_once_the_advice_is_followed(
    load: Load, refused: Refused, block: str
) -> None:
    family, table, kind, lines = case_of(block)
    middle = next(place for place, line in enumerate(lines) if line.startswith("=> "))
    cells, options = parsed(lines[:middle])
    problems = refused(family, cells, *options, table=table)
    assert any(lines[middle][3:] in p.hint for p in problems if p.kind == kind)
    better, then = parsed(lines[middle + 1 :])
    assert len(load(family, better, *then, table=table).long)


REFERENCES = pd.DataFrame({"idiom": ["i1", "i2"], "reference": ["x y", "z"]})


@pytest.mark.parametrize(
    ("cells", "hint", "better"),
    [
        ("id name output; 1 i1 a; 2 i2 b", "--column idiom=name", ""),
        ("idiom output; I01 a; I02 b", "--match loose", ""),
        (
            "idiom output; p a; q b",
            "use the keys of the references, such as 'i1'",
            "idiom output; i1 a; i2 b",
        ),
    ],
)
def test_keys_that_are_not_the_references_end_the_run(
    rows: Rows, refused: Refused, cells: str, hint: str, better: str
) -> None:
    (problem,) = refused("sinfo", cells, references=REFERENCES)
    assert (problem.kind, problem.effect, problem.hint) == ("no-match", "refused", hint)
    options = [] if better else [hint]
    found = rows("idiom prediction", "sinfo", better or cells, *options, references=REFERENCES)
    assert found == "i1 a; i2 b"


def test_labels_here_and_in_the_references_must_agree(rows: Rows, refused: Refused) -> None:
    votes = "id label model pred; x a m a; x a n b; y b m a; y b n b"
    same, other = (frame_of(f"sample label; x {a}; y {b}") for a, b in ("ab", "ba"))
    assert rows("prediction", "collective", votes, references=same) == "a; a; b; b"
    (problem,) = refused("collective", votes, references=other)
    assert (problem.kind, problem.hint.split("\n")[1]) == ("labels-differ", "--column ignore=label")
    options = ["--column ignore=label"]
    assert rows("prediction", "collective", votes, *options, references=other) == "a; a; b; b"


def test_references_without_rows_have_nothing_to_disagree_with(rows: Rows) -> None:
    empty = frame_of("sample label; x a")[:0]
    votes = "id model pred; x m a; x n b"
    assert rows("prediction", "collective", votes, references=empty) == "a; b"


def test_classes_answer_for_predictions_that_are_ids(load: Load) -> None:
    votes = "id label model pred; x cat m 0; x cat n 1; y dog m 1; y dog n 1"
    assert len(load("collective", votes, given=("classes",)).long) == 4


def test_a_repeated_row_is_named_by_the_headers_of_the_table(refused: Refused) -> None:
    (problem,) = refused("diversity", "user_id movie_id position; u a 1; u b 2; u b 3")
    assert problem.message == "user_id u, movie_id b occurs more than once (2 rows)"


def test_all_problems_of_a_table_are_reported_together(refused: Refused) -> None:
    cells = "id term reply gold; a b x~y~z~w p~q~r~s; c d k~l~m~n a~b~c~d"
    problems = refused("sinfo", cells, "--column language=lnag")
    assert [p.kind for p in problems] == ["unknown-header", "two-headers", "missing"]
    assert "not used: reply (text)" in problems[2].details
    problems = refused("sinfo", "idiom output gold last; a a~b~c~d e~f~g~h i~j~k~l")
    assert [p.message for p in problems] == [
        "output was read as the prediction, but last also holds texts",
        "gold was read as the reference, but last also holds texts",
    ]


def test_some_columns_hold_texts_and_are_not_rivals(load: Load) -> None:
    words = "prompt context notes title url comments system_prompt ideal"
    for word in words.split():
        load("entropy", f"item text {word}; a a~b~c~d e~f~g~h; b i~j~k~l m~n~o~p")


# --- whole runs -----------------------------------------------------------------------------

Run = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Return the function that writes files and runs a command line on them."""
    monkeypatch.chdir(tmp_path)

    def run_command(files: dict[str, str], typed: str) -> tuple[int, dict[str, Any]]:
        for name, cells in files.items():
            file, _, sheet = name.rstrip("]").partition("[")
            path = tmp_path / file
            path.parent.mkdir(parents=True, exist_ok=True)
            if sheet:
                mode: Any = {"mode": "a"} if path.exists() else {}
                with pd.ExcelWriter(path, engine="openpyxl", **mode) as book:
                    frame_of(cells).to_excel(book, sheet_name=sheet, index=False)
            else:
                frame_of(cells).to_csv(path, index=False)
        capfd.readouterr()
        code = run_app([*shlex.split(typed), "--format", "json", "-o", "results", "--no-workbooks"])
        return code, json.loads(capfd.readouterr().out)

    return run_command


RUNS = tomllib.loads((Path(__file__).parent / "cases/runs.toml").read_text(encoding="utf-8"))
TWO = "item score; x 1; y 3"


@pytest.mark.parametrize("case", RUNS["runs"].values(), ids=RUNS["runs"])
def test_what_ends_a_run_says_what_to_type_and_that_is_right(run: Run, case: Any) -> None:
    typed, kind, follow = case["typed"], case["kind"], case["follow"]
    code, found = run(case["files"], typed)
    assert code == 2
    assert {problem["kind"] for problem in found["problems"]} == {kind}
    hint = found["problems"][0]["hint"]
    printed = [line for line in hint.split("\n") if line.startswith("scoresheet ")]
    assert len(printed) == len(follow), hint
    for option, means in follow.items():
        chosen = with_option([], option)[0]
        kept = typed.partition(" --column score=")[0]
        code, found = run({}, f"{kept} {chosen}")
        assert code == 0, found
        assert {row["Model Name"]: row["Score"] for row in found["results"]} == means


@pytest.mark.parametrize("names", ["o/m.csv o/m.tsv", "o/m.csv o/M.csv", "o/m.csv o/m/x.csv"])
@pytest.mark.parametrize("said", ["", " --column model=@path"])
def test_two_inputs_that_give_one_model_name_are_refused(run: Run, names: str, said: str) -> None:
    code, found = run(dict.fromkeys(names.split(), TWO), f"scores o{said}")
    assert code == 2
    assert any("give one model name" in problem["message"] for problem in found["problems"])


@pytest.mark.parametrize("case", RUNS["decided"].values(), ids=RUNS["decided"])
def test_what_several_files_are_is_decided_together(tmp_path: Path, load: Load, case: Any) -> None:
    family, options = case["family"], case["options"]
    table = FAMILIES[family][0]
    declared: Any = SimpleNamespace(outputs=table, unit_role=table.role_names[2])
    read: list[FileRead] = []
    for name, cells in case["files"].items():
        file, _, sheet = name.rstrip("]").partition("[")
        loaded = load(family, {name: cells}, *options)
        path = tmp_path / f"{len(read)}.pkl"
        loaded.long.to_pickle(path)
        sheets = tuple(loaded.long["sheet"].unique()) if "sheet" in loaded.long else ("",)
        part = Part(loaded.long["model"].iloc[0], path, 1, np.array([]), sheets)
        one = TableRead(source_of(file), sheet, len(case["files"]), loaded.mapping, [part])
        read.append(FileRead(source_of(file), problems=[], tables=[one]))
    request = Request(family=family, inputs={}, options=None, named=False)
    run: Any = SimpleNamespace(request=request, family=declared, models=collect_models(read))
    assert [problem.kind for problem in run_refusals(run, read)] == case["kinds"]


def test_a_refused_table_costs_only_itself(run: Run) -> None:
    files = {"o/a.csv": TWO, "o/b.csv": "item points; x 1; y 2"}
    code, found = run(files, "scores o")
    assert code == 3
    assert [row["Score"] for row in found["results"]] == [2, None]
    code, _ = run(files, "scores o --column score=score --column score=points")
    assert code == 0
    code, _ = run({}, "scores o/b.csv")
    assert code == 2


def test_a_refused_worksheet_is_the_model_that_failed(run: Run) -> None:
    files = {"o.xlsx[a]": TWO, "o.xlsx[b]": "item points; x 1; y 2"}
    code, found = run(files, "scores o.xlsx --column model=@sheet")
    assert code == 3
    assert {row["Model Name"]: row["Score"] for row in found["results"]} == {"a": 2, "b": None}


def test_strict_ends_with_3_on_words_and_columns_without_a_use(run: Run) -> None:
    code, found = run({"o/a.csv": "id score seed; x 1 2; y 2 2"}, "scores o --strict")
    assert code == 3
    assert {(problem["kind"], problem["message"]) for problem in found["problems"]} == {
        ("word", "item was read from id, because of its name"),
        ("not-used", "column seed is not used"),
    }
    typed = "scores o --strict --column item=id --column ignore=seed"
    assert run({}, typed)[0] == 0


def test_a_saved_mapping_reads_the_same_table(run: Run) -> None:
    files = {"o/a.csv": "id p_1 p_2 x,y; i 1 3 9; j 5 7 9", "o/b.csv": "id pts; i 1; j 3"}
    said = "scores o --column score=pts --column 'score=p_{run}'"
    code, first = run(files, said)
    assert code == 0
    run_app(["check", *shlex.split(said), "--save"])
    code, again = run({}, "scores o")
    assert code == 0
    assert again["results"] == first["results"]
    assert [row["Score"] for row in first["results"]] == [4, 2]


def test_files_that_are_not_read_are_counted_and_listed_with_v(
    run: Run, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run({"o/a.csv": TWO}, "scores o")
    for name in ("qrels.diversity", ".hidden.csv"):
        (tmp_path / "o" / name).write_text("q 1 d 1\n", encoding="utf-8")
    assert run_app(["scores", "o", "--no-workbooks"]) == 0
    assert "1 model scored · 2 files ignored" in capfd.readouterr().err
    assert run_app(["check", "scores", "o"]) == 0
    listed = capfd.readouterr().err
    assert "ignored: qrels.diversity (not a table)" in listed
    assert "ignored: .hidden.csv (hidden, or a lock file)" in listed
    assert run_app(["scores", "o", "--no-workbooks", "--quiet"]) == 0
    assert capfd.readouterr().err == ""

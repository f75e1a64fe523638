"""A model's folder: each table a sheet, whatever the files are called."""

from __future__ import annotations

import csv
from pathlib import Path

import openpyxl

from tests.helpers.runs import Run


def _references(folder: Path) -> None:
    (folder / "refs.csv").write_text("idiom,explanation\na,one two\n", encoding="utf-8")


def test_two_tables_that_differ_only_in_their_extension_are_two_sheets(run: Run, tmp_path: Path) -> None:
    _references(tmp_path)
    (tmp_path / "outs/m").mkdir(parents=True)
    (tmp_path / "outs/m/run.csv").write_text("Idiom,Prediction\na,one two\n", encoding="utf-8")
    (tmp_path / "outs/m/run.tsv").write_text("Idiom\tPrediction\na\tthree\n", encoding="utf-8")
    assert run("sinfo", "outs", "refs.csv", "-o", "res").code == 0
    with (tmp_path / "res/m_s_info.csv").open(encoding="utf-8") as stream:
        assert {line["Sheet"]: float(line["S_Info"]) for line in csv.DictReader(stream)} == {
            "run.csv": 1.0,
            "run.tsv": 0.0,
        }
    assert openpyxl.load_workbook(tmp_path / "res/m_s_info.xlsx").sheetnames[1:3] == ["run.csv", "run.tsv"]


def test_a_workbook_in_a_models_folder_gives_a_sheet_for_each_of_its_own(run: Run, tmp_path: Path) -> None:
    _references(tmp_path)
    (tmp_path / "outs/m").mkdir(parents=True)
    book = openpyxl.Workbook()
    for name in ("x", "y"):
        sheet = book.create_sheet(name)
        sheet.append(["Idiom", "Prediction"])
        sheet.append(["a", "one two"])
    del book["Sheet"]
    book.save(tmp_path / "outs/m/runs.xlsx")
    assert run("sinfo", "outs", "refs.csv", "-o", "res").code == 0
    names = openpyxl.load_workbook(tmp_path / "res/m_s_info.xlsx").sheetnames
    assert names == ["Summary", "runs_x", "runs_y", "Components", "Problems", "About"]


def test_the_results_and_references_inside_the_outputs_are_no_models(run: Run, tmp_path: Path) -> None:
    (tmp_path / "refs").mkdir()
    (tmp_path / "refs/r.csv").write_text("idiom,explanation\na,one two\n", encoding="utf-8")
    (tmp_path / "m.csv").write_text("Idiom,Prediction\na,one two\n", encoding="utf-8")
    for _ in range(2):
        done = run("sinfo", ".", "refs", "-o", "results/deep")
        assert done.code == 0, done.err
    with (tmp_path / "results/deep/s_info_results.csv").open(encoding="utf-8") as stream:
        assert [line["Model Name"] for line in csv.DictReader(stream)] == ["m"]


def test_quiet_still_names_what_was_skipped(run: Run, tmp_path: Path) -> None:
    _references(tmp_path)
    (tmp_path / "outs").mkdir()
    (tmp_path / "outs/m.csv").write_text("Idiom,Prediction\na,one two\nb,\n", encoding="utf-8")
    (tmp_path / "outs/bad.xlsx").write_text("not a workbook", encoding="utf-8")
    done = run("sinfo", "outs", "refs.csv", "-o", "res", "-q")
    assert done.code == 3
    assert done.out == ""
    assert "bad.xlsx" in done.err
    assert "row 3" not in done.err


def test_a_lone_folder_of_files_with_different_columns_says_what_was_pooled_and_how_to_name_the_parts(
    run: Run, tmp_path: Path
) -> None:
    _references(tmp_path)
    outs = tmp_path / "study/my outs"
    outs.mkdir(parents=True)
    for name, text in {"gpt": "Idiom,Prediction\na,one\n", "llama": "Idiom,answer,tokens\na,one two,2\n"}.items():
        (outs / f"{name}.csv").write_text(text, encoding="utf-8")
    (tmp_path / "study/references").mkdir()
    (tmp_path / "refs.csv").rename(tmp_path / "study/references/refs.csv")
    words = ("study/references", "-o", "res")
    ended = run("sinfo", "study", *words)
    assert "2 files with different columns (gpt.csv, llama.csv) were taken for the sheets of one model" in ended.err
    assert "name their folder: 'study/my outs'; if some are none" in ended.err
    apart = run("sinfo", "study/my outs", *words)
    assert (apart.code, "with different columns" in apart.err) == (0, False)
    with (tmp_path / "res/s_info_results.csv").open(encoding="utf-8") as stream:
        assert sorted(line["Model Name"] for line in csv.DictReader(stream)) == ["gpt", "llama"]
    assert "such as --skip-sheet llama" in ended.err
    assert "with different columns" not in run("sinfo", "study", *words, "--skip-sheet", "llama").err


def test_a_lone_folder_of_files_that_are_alike_is_one_model_and_so_are_different_folders(
    run: Run, tmp_path: Path
) -> None:
    _references(tmp_path)
    (tmp_path / "outs/m").mkdir(parents=True)
    for name in ("first", "second"):
        (tmp_path / f"outs/m/{name}.csv").write_text("Idiom,Prediction\na,one\n", encoding="utf-8")
    assert "different columns" not in run("sinfo", "outs", "refs.csv", "-o", "res").err
    (tmp_path / "outs/m/third.csv").write_text("Idiom,Prediction,more\na,one,x\n", encoding="utf-8")
    assert "different columns" in run("sinfo", "outs", "refs.csv", "-o", "res").err
    (tmp_path / "outs/n.csv").write_text("Idiom,Prediction\na,one\n", encoding="utf-8")
    assert "different columns" not in run("sinfo", "outs", "refs.csv", "-o", "res").err

"""`scoresheet compare`: results read back, paired by their units, and said to the reader."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from scoresheet.cli.commands import command_named
from tests.helpers.files import read_csv, sheet_names, sheet_rows, sheet_text, write_csv
from tests.helpers.runs import Result, Run

DATA = Path(__file__).resolve().parents[2] / "data"
IDIOMS = [f"i{n:02}" for n in range(12)]


def scored(run: Run, folder: Path, out: str, hits: dict[str, int], *options: str, idioms: list[str] = IDIOMS) -> None:
    """Score models of which each has so many words of forty right, a few more or less from idiom to idiom."""
    shutil.rmtree(folder / "outs", ignore_errors=True)
    for model, words in hits.items():
        rows = []
        for place, idiom in enumerate(idioms):
            right = words + place % 3
            rows.append((idiom, " ".join([f"w{n}" for n in range(right)] + [f"x{n}" for n in range(40 - right)])))
        write_csv(folder / f"outs/{model}.csv", [("Idiom", "Prediction"), *rows])
    reference = " ".join(f"w{n}" for n in range(40))
    write_csv(folder / "refs/r.csv", [("idiom", "explanation"), *((idiom, reference) for idiom in IDIOMS)])
    assert run("sinfo", "outs", "refs", "-o", out, *options).code == 0


def told(run: Run, *words: str) -> tuple[Result, dict[str, object]]:
    ended = run("compare", *words, "--json")
    return ended, json.loads(ended.out)


@pytest.mark.parametrize("family", ["sinfo", "mode-collapse", "diversity", "entropy", "disagree", "collective"])
def test_what_a_run_wrote_gives_the_same_comparison(run: Run, tmp_path: Path, family: str) -> None:
    command = command_named(family)
    shutil.copytree(DATA, tmp_path / "data")
    if family in ("disagree", "collective"):  # models of the sample data have nothing in common
        some = sorted(path for path in (tmp_path / command.outputs).iterdir() if path.is_file())[0]
        shutil.copy(some, some.with_stem("again"))
    assert run(family, "-o", "res", "--seed", "3", "--ci", "0.9").code == 0
    ended = run("compare", "res", "-o", "compared")
    assert ended.code == 0, ended.err
    again = {
        (line["Measure"], line["Model"], line["Other_Model"]): line
        for line in read_csv(tmp_path / "compared/comparisons.csv")
    }
    lines = read_csv(tmp_path / "res/comparisons.csv")
    assert len(lines) == len(again) > 0
    for line in lines:
        other = again[line["Measure"], line["Model"], line["Other_Model"]]
        assert {name: other[name] for name in line} == line
    assert any(int(line["Shared"]) for line in lines)


def test_the_models_of_one_folder_are_held_against_each_other(run: Run, tmp_path: Path) -> None:
    scored(run, tmp_path, "res", {"a": 20, "b": 30})
    ended = run("compare", "res", "-o", "out")
    assert ended.code == 0
    title, head, _, line, _, leading, sentence = ended.out.splitlines()
    assert title == "S_Info, every two models, on the idioms that both have"
    assert head.split()[-3:] == ["Lost", "Other_Lost", "Finding"]
    assert line.split()[:3] == ["a", "b", "12"]
    assert leading.startswith("b has the highest mean S_Info")
    assert sentence.startswith("S_Info: b is shown to be higher than a by 0.2")
    assert sentence.endswith("; p < 0.001 after Holm; on 12 idioms: higher on 12, equal on 0, lower on 0).")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "comparison.json",
        "comparison.xlsx",
        "comparisons.csv",
        "manifest.json",
    ]
    book = tmp_path / "out/comparison.xlsx"
    assert sheet_names(book)[:2] == ["Summary", "Comparison"]
    assert sentence in sheet_text(book, "Summary")
    assert sheet_rows(book, "Comparison")[0][-3:] == ["Lost", "Other_Lost", "Finding"]
    assert run("compare", "res", "-o", "res").code == 2  # the folder is another command's


def test_models_of_one_name_in_two_folders_are_paired(run: Run, tmp_path: Path) -> None:
    scored(run, tmp_path, "monday", {"a": 20, "b": 30, "gone": 10})
    scored(run, tmp_path, "tuesday", {"a": 25, "b": 30}, idioms=IDIOMS[2:])
    _, found = told(run, "monday", "tuesday")
    pairs = [line for line in found["comparison"] if line["Measure"] == "S_Info"]  # type: ignore[attr-defined]
    assert [(line["Model"], line["Other_Model"]) for line in pairs] == [
        ("a @ tuesday", "a @ monday"),
        ("b @ tuesday", "b @ monday"),
    ]
    assert [line["Difference"] for line in pairs] == pytest.approx([pairs[0]["Difference"], 0.0], abs=0.05)
    assert pairs[0]["Difference"] > 0.1
    assert [(line["Shared"], line["Lost"], line["Other_Lost"]) for line in pairs] == [(10, 0, 2), (10, 0, 2)]
    assert found["unpaired"] == ["gone"]
    assert "Held against none: gone (monday)." in str(found["answer"])
    again = run("compare", "monday", "./tuesday/", "--json")
    assert json.loads(again.out)["comparison"] == found["comparison"]
    assert len(json.loads(run("compare", "monday", "./monday", "--json").out)["folders"]) == 1
    _, found = told(run, "monday", "tuesday", "--model", "a", "--model", "gone", "--against", "gone")
    assert {(line["Model"], line["Other_Model"]) for line in found["comparison"]} == {  # type: ignore[attr-defined]
        ("a @ monday", "gone"),
        ("a @ tuesday", "gone"),
    }


def test_keys_are_paired_as_they_were_whatever_the_csv_put_before_them(run: Run, tmp_path: Path) -> None:
    keys = ["=1+1", "'=1+1", "007", "7", "-x", "@home", "'tis"]
    for out, options in (("one", ()), ("two", ("--raw-csv",))):
        scored(run, tmp_path, out, {"m": 20}, *options, idioms=IDIOMS)
        write_csv(
            tmp_path / "outs/m.csv", [("Idiom", "Prediction", "Reference"), *((key, "a b", "a b") for key in keys)]
        )
        assert run("sinfo", "outs", "-o", out, *options).code == 0
    _, found = told(run, "one", "two")
    line = found["comparison"][0]  # type: ignore[index]
    assert (line["Shared"], line["Lost"], line["Other_Lost"], line["Ties"]) == (len(keys), 0, 0, len(keys))


def test_loosely_matched_idioms_are_paired_by_what_they_were_matched_to(run: Run, tmp_path: Path) -> None:
    references = [("idiom", "explanation"), *((f"Idiom {n}", "a b c") for n in range(8))]
    write_csv(tmp_path / "refs/r.csv", references)
    write_csv(tmp_path / "outs/a.csv", [("Idiom", "Prediction"), *((f"idiom-{n}", "a b c") for n in range(8))])
    write_csv(tmp_path / "outs/b.csv", [("Idiom", "Prediction"), *((f"Idiom {n}.", "a b x") for n in range(8))])
    assert run("sinfo", "outs", "refs", "-o", "res", "--match", "loose").code == 0
    _, found = told(run, "res")
    assert found["comparison"][0]["Shared"] == 8  # type: ignore[index]


def test_results_made_in_another_way_are_compared_only_anyway_and_that_is_said(run: Run, tmp_path: Path) -> None:
    scored(run, tmp_path, "one", {"a": 20})
    scored(run, tmp_path, "two", {"a": 22}, "--rouge", "lin")
    ended = run("compare", "one", "two")
    assert ended.code == 2
    assert "made in another way" in ended.err
    assert "--anyway" in ended.err
    ended = run("compare", "one", "two", "--anyway", "-o", "out")
    assert ended.code == 0
    assert "rouge:" in ended.out
    assert "rouge:" in sheet_text(tmp_path / "out/comparison.xlsx", "About")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("res", "--model", "c"), "--model c: no model of these results is called so"),
        (("res", "--against", "aa"), "--against aa: no model"),
        (("res", "--model", "a"), "it takes two"),
        (("res", "--fail-if-worse"), "need --baseline"),
        (("res", "--format", "html"), "--format html"),
        (("res", "--fail-if", "S_Inf<1"), "did you mean 'S_Info'?"),
        (("outs",), "no results of scoresheet here"),
        (("res", "--junit", "no/where.xml"), "--junit no/where.xml"),
    ],
)
def test_what_cannot_be_compared_is_a_usage_error(run: Run, tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    scored(run, tmp_path, "res", {"a": 20, "b": 30})
    ended = run("compare", *words)
    assert ended.code == 2
    assert said in ended.err


def test_a_model_that_two_folders_have_is_named_with_its_folder_and_a_baseline_is_for_one_of_them(
    run: Run, tmp_path: Path
) -> None:
    for folder, hits in (("one", 20), ("two", 30), ("last", 25)):
        scored(run, tmp_path, folder, {"a": hits})
    ended = run("compare", "one", "two", "--against", "a")
    assert (ended.code, "--against a: several are called so; name one of" in ended.err) == (2, True), ended.err
    ended = run("compare", "one", "two", "--baseline", "last")
    assert (ended.code, "name one folder to hold against it" in ended.err) == (2, True), ended.err


def test_results_of_two_commands_and_changed_files_are_refused(run: Run, tmp_path: Path) -> None:
    scored(run, tmp_path, "res", {"a": 20, "b": 30})
    write_csv(tmp_path / "texts/t.csv", [("id", "text"), *((n, "one two three") for n in range(6))])
    assert run("entropy", "texts", "-o", "ent").code == 0
    ended = run("compare", "res", "ent")
    assert ended.code == 2
    assert "results of entropy" in ended.err
    (tmp_path / "res/a_s_info.csv").write_text("Sheet,Row,Idiom,P_ROUGE,BP,S_Info\n", encoding="utf-8")
    ended = run("compare", "res")
    assert ended.code == 2
    assert "changed after the run" in ended.err


def test_models_without_a_unit_in_common_are_4(run: Run, tmp_path: Path) -> None:
    scored(run, tmp_path, "one", {"a": 20}, idioms=IDIOMS[:6])
    scored(run, tmp_path, "two", {"b": 20}, idioms=IDIOMS[6:])
    ended = run("compare", "one", "two", "-o", "out")
    assert ended.code == 4
    assert run("compare", "one", "two", "--fail-if", "S_Info<2").code == 4  # which goes before a gate
    assert "cannot be compared" in ended.out
    assert not (tmp_path / "out").exists()


def test_gates_hold_for_the_results_that_are_compared(run: Run, tmp_path: Path) -> None:
    scored(run, tmp_path, "res", {"a": 20, "b": 30})
    ended, found = told(run, "res", "--fail-if", "S_Info<0.6", "--fail-if", "b:Status!=ok", "--junit", "g.xml")
    assert ended.code == found["exit_code"] == 10
    assert [each["model"] for each in found["gates"] if each["failed"]] == ["a"]  # type: ignore[attr-defined]
    assert 'failures="1"' in (tmp_path / "g.xml").read_text("utf-8")
    assert "gate: a: S_Info is" in ended.err

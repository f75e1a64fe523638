"""explain from the command line: how one number was computed, from the inputs of the results."""

import json
import shlex
from pathlib import Path

import pandas as pd
import pytest

from scoresheet.cli.registry import family_entries

from .conftest import RESULTS, RUN, Study

OF_FAR = ["explain", RESULTS, "--model", "far"]


@pytest.mark.parametrize("family", family_entries())
def test_the_printed_command_explains_the_worst_unit(study: Study, family: str) -> None:
    made = study.run("init", family).out.strip().splitlines()[-1]
    printed = study.run(*made.split()[1:]).err.strip().splitlines()
    assert printed[-2].endswith("How it was computed:")
    command = shlex.split(printed[-1])[1:]
    result = study.run(*command)
    assert (result.code, result.err) == (0, "")
    assert command[-1] in result.out
    content = json.loads(study.run(*command, "--format", "json").out)
    titles = [*content["tables"]]
    assert (titles[0], len(titles) > 1) == ("In all models", True)
    assert content["sentences"][0] == result.out.partition(".\n")[0] + "."
    family_says = content["sentences"][1:]
    assert family_says
    assert all(title in result.out for title in titles)


@pytest.mark.parametrize("family", family_entries())
def test_a_row_of_any_family_is_explained_or_says_what_to_name(study: Study, family: str) -> None:
    made = study.run("init", family).out.strip().splitlines()[-1]
    printed = shlex.split(study.run(*made.split()[1:]).err.strip().splitlines()[-1])
    for model in study.json(f"{printed[2]}/manifest.json")["reports"]:
        result = study.run("explain", printed[2], "--model", model, "--row", "3")
        assert (result.code, result.err) == (0, "") or (result.code == 2 and "name" in result.err)


def test_the_worst_unit_of_a_sheet_is_explained_with_its_sheet(study: Study) -> None:
    study.csv(
        "o/m.csv", "sheet,query,item,rank", [[s, "q", f"{s}{n}", n] for s in "ab" for n in (1, 2)]
    )
    study.csv("judged.csv", "query,subtopic,item,relevance", [["q", t, "a1", 1] for t in "xy"])
    printed = study.run("diversity", "o", "judged.csv").err.strip().splitlines()[-1]
    assert printed.strip() == "scoresheet explain results/diversity --model m --sheet b --unit q"
    assert study.run(*printed.split()[1:]).code == 0


def test_the_words_that_count_are_marked(study: Study) -> None:
    study.csv("r.csv", "idiom,explanation", [["a", "to tell a secret by mistake"]])
    study.csv("m.csv", "idiom,prediction", [["a", "it is to tell the secret"]])
    assert study.run("sinfo", "m.csv", "r.csv").code == 0
    command = ["explain", RESULTS, "--model", "m", "--unit", "a"]
    content = json.loads(study.run(*command, "--format", "json").out)
    assert "m, row 2, prediction: it is [to] [tell] the [secret]" in content["sentences"]
    (step,) = content["tables"]["Steps"]
    assert (step["Common"], step["Words"], step["c"], step["r"]) == (3, 6, 24, 27)
    assert step["S_Info"] == pytest.approx(2.718281828459045 ** (1 - 27 / 24) * 3 / 6)
    assert "exp(1 - r/c)" in study.run(*command).text


@pytest.mark.parametrize("rouge", ["lin", "charset"])
def test_other_overlaps_are_explained_without_marks(two_models: Study, rouge: str) -> None:
    two_models.run(*RUN, "--rouge", rouge, "--length", "tokens")
    result = two_models.run(*OF_FAR, "--unit", "idiom 1")
    assert (result.code, "[" in result.out, "c and r are the words" in result.text) == (
        0,
        False,
        True,
    )


def test_each_of_several_references_is_shown(two_models: Study) -> None:
    two_models.csv("refs/more.csv", "idiom,explanation", [["idiom 1", "a second one"]])
    two_models.run(*RUN, "--references-by", "mean")
    content = json.loads(two_models.run(*OF_FAR, "--row", "3", "--format", "json").out)
    assert [step["r"] for step in content["tables"]["Steps"]] == [12, 38]


def test_an_item_is_shown_in_all_models(study: Study) -> None:
    for model, score in {"a": 0.25, "b": 0.75}.items():
        study.csv(f"s/{model}.csv", "item,score", [["x", score], ["y", 1]])
    assert study.run("scores", "s").code == 0
    command = ["explain", "results/scores", "--model", "b", "--row", "2", "--format", "json"]
    tables = json.loads(study.run(*command).out)["tables"]
    assert {row["Model"]: row["Score"] for row in tables["In all models"]} == {"a": 0.25, "b": 0.75}
    assert tables["Read"] == [{"Sheet": "b", "Row": 2, "Score": 0.75}]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("--model far", "name one unit: by --unit KEY, or by --row N"),
        ("--model far --unit x --row 2", "name one unit"),
        ("--model fat --unit x", "fat is not one of the models close, far"),
        ("--model far --unit 'idiom 11'", "there is no idiom idiom 11; the nearest is idiom 1"),
        ("--model far --row 99", "no idiom begins in row 99"),
        ("--model far --sheet may --unit x", "there is no sheet may; there are far"),
    ],
)
def test_what_cannot_be_explained_is_refused(two_models: Study, arguments: str, says: str) -> None:
    two_models.run(*RUN)
    result = two_models.run("explain", RESULTS, *shlex.split(arguments))
    assert (result.code, says in result.text) == (2, True), result.err
    shown = two_models.run("explain", RESULTS, *shlex.split(arguments), "--format", "json")
    assert says in json.loads(shown.out)["problems"][0]["message"]


def test_a_row_in_several_sheets_needs_its_sheet(study: Study) -> None:
    study.csv("r.csv", "idiom,explanation", [["a", "to tell"], ["b", "to run"]])
    with pd.ExcelWriter(study.folder / "m.xlsx") as book:
        for sheet, idioms in {"one": "ab", "two": "ba"}.items():
            frame = pd.DataFrame({"Idiom": [*idioms], "Prediction": "to tell a thing"})
            frame.to_excel(book, sheet_name=sheet, index=False)
    assert study.run("sinfo", "m.xlsx", "r.csv", "--column", "model=@file").code == 0
    command = ["explain", RESULTS, "--model", "m", "--row", "2"]
    refused = study.run(*command)
    assert (refused.code, "it occurs in the sheets one, two" in refused.text) == (2, True)
    chosen = study.run(*command, "--sheet", "two")
    assert (chosen.code, chosen.out.startswith("b: S_Info")) == (0, True)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda file: file.write_text("Idiom,Prediction\nidiom 1,x\n"), "far.csv has changed"),
        (lambda file: file.unlink(), "far.csv is missing"),
        (lambda file: file.with_name("new.csv").write_text("a,b\n1,2\n"), "new.csv is new"),
    ],
)
def test_changed_inputs_are_refused_with_the_reason(two_models: Study, change, says: str) -> None:  # type: ignore[no-untyped-def]
    two_models.run(*RUN)
    change(two_models.folder / "runs/far.csv")
    result = two_models.run(*OF_FAR, "--unit", "idiom 1")
    assert (result.code, says in result.text) == (2, True), result.err
    assert "run scoresheet sinfo again" in result.text


def test_a_folder_without_results_is_refused(study: Study, tmp_path: Path) -> None:
    result = study.run("explain", str(tmp_path), "--model", "m", "--unit", "u")
    assert (result.code, "holds no results" in result.text) == (2, True)

"""Comparing models of earlier results, and the units that differ most."""

import json
import re

import pandas as pd
import pytest
from openpyxl import load_workbook

from tests.cli.conftest import Study

ITEMS = [f"q{n:02}" for n in range(24)]
HIGH = [0.5 + n / 100 for n in range(24)]
LOW = [score - 0.2 - (n % 5) / 50 for n, score in enumerate(HIGH)]


@pytest.fixture
def three(study: Study) -> Study:
    """Three models, of which the third is clearly lower; and the same scored again, lower."""
    models = {
        "a": HIGH,
        "b": [score - 0.001 + (n % 2 - 0.5) / 50 for n, score in enumerate(HIGH)],
        "c": LOW,
    }
    for folder, change in (("s", 0.0), ("t", 0.05)):
        for name, values in models.items():
            rows = [(ITEMS[n], value - change) for n, value in enumerate(values)]
            study.csv(f"{folder}/{name}.csv", "item,score", rows)
        assert study.run("scores", folder, "-o", f"r/{folder}").code == 0
    return study


def test_the_models_of_one_run_are_compared_as_the_run_did(three: Study) -> None:
    result = three.run("compare", "r/s", "--format", "json")
    assert result.code == 0
    pairs = pd.read_csv(three.folder / "r/s/comparisons.csv", keep_default_na=False)
    found = pd.DataFrame(json.loads(result.out)["comparisons"])
    for name in ("Model", "Other_Model", "Note"):
        assert found[name].tolist() == pairs[name].tolist()
    for name in ("Difference", "CI_Low", "CI_High", "P_Holm"):
        assert found[name].tolist() == pytest.approx(pairs[name].tolist())


def test_against_compares_with_one_model_only(three: Study) -> None:
    found = json.loads(three.run("compare", "r/s", "--against", "c", "--format", "json").out)
    assert [(p["Model"], p["Other_Model"]) for p in found["comparisons"]] == [
        ("a", "c"),
        ("b", "c"),
    ]
    wrong = three.run("compare", "r/s", "--against", "d")
    assert (wrong.code, "there are a, b, c" in wrong.text) == (2, True)


def test_two_runs_are_compared_model_by_model_with_holms_correction(three: Study) -> None:
    found = json.loads(three.run("compare", "r/s", "r/t", "--format", "json").out)["comparisons"]
    names = [(pair["Model"], pair["Other_Model"]) for pair in found]
    assert names == [(f"{name} (r/t)", f"{name} (r/s)") for name in "abc"]
    assert [pair["Difference"] for pair in found] == pytest.approx([-0.05] * 3)
    assert all(pair["P_Holm"] >= pair["P_Value"] for pair in found)
    assert all(pair["CI_Low"] < pair["Difference"] < pair["CI_High"] < 0 for pair in found)


def test_runs_made_in_different_ways_need_force_and_what_differs_is_said(three: Study) -> None:
    typed = ["--bounds", "0:2", "--where", "item != q03"]
    assert three.run("scores", "s", "-o", "r/u", *typed).code == 0
    refused = three.run("compare", "r/s", "r/u")
    assert refused.code == 2
    assert "bounds:none and bounds:0:2" in refused.text
    assert "where default and item != q03" in refused.text
    forced = three.run("compare", "r/s", "r/u", "--force")
    assert forced.code == 0
    assert "the runs differ: bounds:none and bounds:0:2" in forced.text
    three.csv("e/a.csv", "id,text", [(n, "one two three four five six") for n in range(6)])
    three.run("entropy", "e", "-o", "r/e")
    assert "different commands" in three.run("compare", "r/s", "r/e", "--force").text


def test_the_table_for_a_paper_has_bold_letters_and_the_signature(three: Study) -> None:
    latex = three.run("compare", "r/s", "--format", "latex").out
    assert r"\toprule" in latex
    assert r"\caption{scores\textbar{}bounds:none\textbar{}v:" in latex
    rows = re.findall(r"^(\w) & (\w) & ([\w, ]*) & (\S+)", latex, re.MULTILINE)
    assert [row[:3] for row in rows] == [("a", "a", "c"), ("b", "b", "c"), ("c", "c", "")]
    assert [row[3].startswith(r"\textbf") for row in rows] == [True, False, False]
    assert "Above: the letters of the models than which it is significantly higher" in latex
    csv = three.run("compare", "r/s", "--format", "csv").out
    assert csv.splitlines()[0].endswith("Letter,Above")
    assert three.run("compare", "r/s", "--format", "markdown").out.startswith("| Model | Letter |")


def test_the_ten_units_that_differ_most_each_way_have_their_texts(study: Study) -> None:
    words = list("abcdefgh")
    refs = [[f"i{n:02}", " ".join(words)] for n in range(30)]
    study.csv("refs.csv", "idiom,reference", refs)
    for name, turn in (("x", 1), ("y", -1)):
        texts = [[f"i{n:02}", " ".join(words[: 2 + n % 7]) + f" z{n}"] for n in range(30)]
        study.csv(f"runs/{name}.csv", "Idiom,Prediction", texts[::turn])
    rows = study.folder / "runs/y.csv"
    rows.write_text(rows.read_text().replace("a b c", "q"))
    assert study.run("sinfo", "runs", "refs.csv", "-o", "r").code == 0
    found = pd.read_csv(study.folder / "r/differences.csv")
    assert list(found["Model"].unique()) == ["x"]
    assert 10 <= len(found) <= 20
    assert found["Difference"].is_monotonic_decreasing
    units = {m: pd.read_csv(study.folder / f"r/{m}_s_info.csv").set_index("Idiom") for m in "xy"}
    for row in found.to_dict("records"):
        one, other = (units[model].loc[row["Idiom"]] for model in "xy")
        assert row["Difference"] == pytest.approx(one["S_Info"] - other["S_Info"])
        assert (row["Prediction"], row["Other_Prediction"]) == (
            one["Prediction"],
            other["Prediction"],
        )
    book = load_workbook(study.folder / "r/s_info_results.xlsx")
    assert book.sheetnames[:3] == ["Summary", "Comparison", "Largest differences"]
    shown = study.run("compare", "r").out
    assert "Largest differences" in shown
    assert found["Prediction"][0] in shown


def test_over_thirty_models_are_compared_with_the_best(study: Study) -> None:
    for n in range(32):
        rows = [(item, score - n / 100) for item, score in zip(ITEMS, HIGH, strict=True)]
        study.csv(f"s/m{n:02}.csv", "item,score", rows)
    assert study.run("scores", "s", "--no-workbooks").code == 0
    found = json.loads(study.run("compare", "results/scores", "--format", "json").out)
    assert {pair["Model"] for pair in found["comparisons"]} == {"m00"}
    assert len(found["comparisons"]) == 31

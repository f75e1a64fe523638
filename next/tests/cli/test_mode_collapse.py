"""mode-collapse from the command line: sample data, layouts that users have, options."""

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from scoresheet.cli.report.charts import charts_of
from scoresheet.cli.run.recorded import open_recorded

from .conftest import Result, Study

RESULTS = "results/mode_collapse"
TEA, MILK, EVEN = (30, 6, 4), (10, 20, 10), (14, 13, 13)
DRINKS = ("tea", "milk", "water")


def draws(counts: Sequence[int], names: Sequence[str] = DRINKS) -> list[str]:
    return [name for name, count in zip(names, counts, strict=True) for _ in range(count)]


def run(study: Study, *arguments: str, code: int = 0) -> Result:
    result = study.run("mode-collapse", *arguments)
    assert result.code == code, result.text
    return result


def gini(study: Study) -> dict[str, float]:
    found = study.results(RESULTS)["Gini"].round(6)
    return dict(zip(map(str, found.index), found.tolist(), strict=True))


def cells(study: Study, model: str) -> pd.DataFrame:
    return pd.read_csv(study.folder / RESULTS / f"{model}_mode_collapse.csv")


def test_the_sample_data_show_a_collapse_under_one_parent_only(study: Study) -> None:
    assert study.run("init", "mode-collapse").code == 0
    result = run(study)
    sentence = "conditional: not distinguishable from even at the root, but under owl it chose"
    assert sentence in result.text
    assert "5 rows not scored" in result.err
    assert "Most uneven: fox, mirror in 96% (collapsed)." in result.err
    assert study.run("check", "mode-collapse", "--save").code == 0
    assert run(study).out == result.out  # the mapping of several layouts is read again


def test_the_workbooks_have_cells_choices_and_mappings(study: Study) -> None:
    study.run("init", "mode-collapse")
    run(study)
    folder = study.folder / RESULTS
    book: Any = pd.read_excel(folder / "diverse_mode_collapse.xlsx", None, engine="calamine")
    assert [*book] == ["Summary", "diverse", "Choices", "Mappings", "Problems", "About"]
    assert [*book["diverse"]["Cell"]] == ["root", "1/bear", "1/fox", "1/hare", "1/owl"]
    assert book["Mappings"].set_index("Text").loc["Bunny!", "Option"] == "hare"
    numbers = study.json(f"{RESULTS}/metrics.json")["models"]["conditional"]
    assert numbers["sheets"]["story"]["Cells"] == numbers["Cells"] == 5


# --- layouts that users have ----------------------------------------------------------------

CASES = Path(__file__).parents[1] / "mode_collapse" / "layouts.txt"


@pytest.mark.parametrize("layout", CASES.read_text(encoding="utf-8").split("\n\n")[1:])
def test_a_layout_is_refused_with_what_to_type_and_then_right(study: Study, layout: str) -> None:
    _, header, *lines = layout.strip().splitlines()
    rows: list[list[str]] = []
    for word, _, rest in (line.partition(" ") for line in lines):
        if word.isdecimal():
            rows += [rest.split(",")] * int(word)
            study.csv("t.csv", header, rows)
        elif word == "refused":
            typed, _, says = rest.rpartition(": ")
            assert says in run(study, "t.csv", *shlex.split(typed), code=2).text
        elif word == "typed":
            run(study, "t.csv", *shlex.split(rest))
        else:
            names, values = rest.split()[::2], map(float, rest.split()[1::2])
            assert gini(study) == dict(zip(names, values, strict=True))


def test_lists_of_samples(study: Study) -> None:
    models = (("gpt", TEA), ("qwen", MILK))
    lines = [json.dumps({"model": model, "samples": draws(own)}) for model, own in models]
    study.text("lists.jsonl", "\n".join(lines))
    run(study, "lists.jsonl", code=2)
    run(study, "lists.jsonl", "--column", "choice=samples")
    assert gini(study) == {"gpt": 0.433333, "qwen": 0.166667}


def test_a_worksheet_per_model(study: Study) -> None:
    with pd.ExcelWriter(study.folder / "t.xlsx") as book:
        for model, counts in {"claude": (70, 20, 6, 4), "gpt": (40, 25, 20, 15)}.items():
            frame = pd.DataFrame({"run": range(100), "number": draws(counts, "7341")})
            frame.to_excel(book, sheet_name=model, index=False)
    assert "no column for choice" in run(study, "t.xlsx", code=2).text
    choice = ("t.xlsx", "--column", "choice=number")
    assert "which are the models" in run(study, *choice, code=2).text
    run(study, *choice, "--column", "model=@sheet")
    assert gini(study) == {"claude": 0.53, "gpt": 0.2}


def test_many_questions_are_sheets_and_give_one_message(study: Study) -> None:
    rows = [
        (model, f"q{q}", f"{choice}{q}", q % 3)
        for q in range(30)
        for model, counts in (("gpt", (10, 4, 2)), ("llama", (6, 4, 6)))
        for choice in draws(counts)
    ]
    study.csv("many.csv", "model,question,choice,topic", rows)
    refused = run(study, "many.csv", code=2).err
    assert len(refused.splitlines()) < 12
    assert "--column ignore=topic" in refused
    result = run(study, "many.csv", "--column", "ignore=topic", "--by", "topic")
    assert gini(study) == {"gpt": 0.333333, "llama": 0.083333}
    assert "Difference in repeat share over sheets" in result.out
    assert result.err.count("without a table of options") == 1
    by = pd.read_csv(study.folder / RESULTS / "by.csv")
    assert by["Units"].tolist() == [10] * 6


def test_a_walk_with_a_column_per_step(study: Study) -> None:
    rows = [("Peru", "food")] * 9 + [("Peru", "ruins")] * 3 + [("Japan", "food")] * 4
    study.csv("w.csv", "country,activity", rows)
    run(study, "w.csv", "--column", "level=@header:country,activity")
    units = cells(study, "w").set_index("Cell")
    assert units["N"].to_dict() == {"root": 16, "1/Japan": 4, "1/Peru": 12}
    assert study.results(RESULTS).loc["w", "Level_1_Gini"] == 0.25


# --- options --------------------------------------------------------------------------------


def test_the_last_option_mentioned_and_thinking(study: Study) -> None:
    texts = ["<think>tea?</think>milk", "milk is fine, but tea", "tea, no: milk", "tea"] * 3
    study.csv("m.csv", "choice", [[text] for text in texts])
    result = run(study, "m.csv", "--options", "tea,milk", "--extract", "last")
    assert cells(study, "m").loc[0, "Counts"] == '{"tea": 6, "milk": 6}'
    assert "not scored" not in result.err
    assert "9 rows not scored" in run(study, "m.csv", "--options", "tea,milk").err


def test_a_target_is_a_table_of_shares(study: Study) -> None:
    study.csv("m.csv", "choice", [[choice] for choice in draws(TEA)])
    shares = list(zip(DRINKS, (0.75, 0.15, 0.1), strict=True))
    target = study.csv("target.csv", "option,share", shares)
    study.text("options.txt", "tea\nmilk\nwater\n")
    options = ("m.csv", "options.txt")
    assert "m chose tea" in run(study, *options).out
    result = run(study, *options, "--target", str(target))
    assert "m: not distinguishable from the target." in result.out
    for option, share, says in (("beer", 1, "not an option there"), ("tea", -1, "not 0 or more")):
        study.csv("wrong.csv", "option,share", [(option, share), ("milk", 0)])
        assert says in run(study, *options, "--target", "wrong.csv", code=2).text


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("--options tea", "two or more"),
        ("--options tea,Tea.", "options must differ; 'Tea.' can be 'tea'"),
        ("--by part", "--by part: it is not the same in all rows of a cell"),
    ],
)
def test_wrong_options_are_usage_errors(study: Study, arguments: str, says: str) -> None:
    study.csv("m.csv", "choice,part", [*zip(draws(TEA), ["x", "y"] * 20, strict=True)])
    ignored = ("m.csv", "--column", "ignore=part")
    assert says in run(study, *ignored, *arguments.split(), code=2).text


def test_the_charts_show_shares_chance_and_lorenz_curves(study: Study) -> None:
    study.run("init", "mode-collapse")
    run(study)
    charts: Any = charts_of(open_recorded(study.folder / RESULTS))
    bars, points, lines = charts[1:]
    assert bars.even == 0.25
    assert dict(dict(bars.rows)["conditional, owl"])["lantern"] == pytest.approx(22 / 24)
    gini = {name: (np.array(chance), np.array(values)) for name, chance, values in points.series}
    assert (gini["collapsed"][1] > gini["collapsed"][0]).all()
    assert (gini["even, 95% point"][1] > gini["even, 95% point"][0]).all()
    curves = {name: heights for name, _, heights in lines.series}
    assert curves["collapsed"] == pytest.approx([0, 0, 0, 1 / 24, 1])  # under fox
    assert curves["even"] == [0, 1]

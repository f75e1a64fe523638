"""collective from the command line: sample data, layouts that users have, options."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from openpyxl import load_workbook

from scoresheet.cli.report.answer_collective import charts
from scoresheet.cli.report.files import table_title

from .conftest import Result, Study

RESULTS = "results/collective"


def run(study: Study, *arguments: str, code: int = 0) -> Result:
    result = study.run("collective", *arguments)
    assert result.code == code, result.text
    return result


@pytest.mark.filterwarnings("ignore:.*extension is not supported")
def test_the_sample_data_have_one_ensemble_that_beats_its_best_member(study: Study) -> None:
    assert study.run("init", "collective").code == 0
    result = run(study)
    screen = " ".join(result.out.split())
    assert screen.startswith(
        "choir beats its best member: 85.0% against 73.3% for pitch, a gain of 11.7 points "
        "(95% CI 1.6–25.1). trio: undecided. It is 15.0 points below its best member, middle "
        "(95% CI -28.4 to 1.5)."
    )
    assert "2 of 900 predictions are empty" in result.err
    assert "Fewest right votes: song_05, 0 of 3 members (trio)." in result.err
    book = load_workbook(study.folder / RESULTS / "choir_collective.xlsx")
    visible = [sheet.title for sheet in book if sheet.sheet_state == "visible"]
    sheets = ["Streams", "Pairs", "Conditions", "Failure", "Routing", "Experts", "Anchors"]
    sheets += ["Fingerprints", "History by epoch", "Alerts", "Problems", "About"]
    assert visible == ["Summary", "predictions", *sheets]
    numbers = study.json(f"{RESULTS}/metrics.json")["models"]["choir"]
    dashboard = ["Train_Loss", "Val_Loss", "Collective_Accuracy", "Emergence_Ratio"]
    dashboard += ["Routing_Entropy", "Fingerprint_Diversity", "Learning_Rate", "Gradient_Norm"]
    assert [numbers[name] is not None for name in dashboard] == [True] * 8


def test_the_charts_of_the_sample_data_show_the_written_tables(study: Study) -> None:
    study.run("init", "collective")
    run(study)
    folder = study.folder / RESULTS
    results, tables = pd.read_csv(folder / "collective_results.csv"), {}
    for model in results["Model Name"]:
        files = (folder / f"{model}_collective").glob("*.csv")
        tables[model] = {table_title(file.name): pd.read_csv(file) for file in files}
    found = {chart.title: chart for chart in charts(results, None, None, tables)}
    emergence = ["accuracy over training", "emergence ratio", "final accuracy"]
    others = ["change from clean", "routing weights", "fingerprints"]
    assert [*found] == [
        *(f"choir: {title}" for title in (*emergence, *others)),
        "trio: final accuracy",  # it has nothing else
    ]
    lines = found["choir: accuracy over training"]
    assert [name for name, _, _ in lines.series][:2] == ["ensemble", "pitch"]
    assert (lines.main, lines.rival) == ("ensemble", "pitch")
    history = tables["choir"]["History by epoch"]
    assert found["choir: emergence ratio"].series[0][2] == history["emergence_ratio"].tolist()
    bars = found["choir: final accuracy"].rows
    assert [name for name, *_ in bars] == ["ensemble", *tables["choir"]["Streams"]["Stream"]]
    assert bars[0][1] == results.set_index("Model Name").loc["choir", "Collective_Accuracy"]
    heat = found["choir: routing weights"]
    assert [sum(row) for row in heat.values] == pytest.approx([1] * len(heat.rows))
    assert len(found["choir: fingerprints"].series) == 5
    assert [name for name, *_ in found["choir: change from clean"].rows] == [
        *tables["choir"]["Conditions"]["Condition"][1:]
    ]


def test_the_docs_show_what_the_program_prints(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    study.run("init", "collective")
    result = run(study)
    page = (Path(__file__).parents[2] / "docs/collective.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```console\n\$ scoresheet collective\n(.*?)```", page, re.DOTALL)
    printed = [line.rstrip() for line in (result.err + result.out).splitlines()]
    assert sorted(filter(None, printed)) == sorted(filter(None, block.splitlines()))


# --- layouts that users have ----------------------------------------------------------------

LABELS = ["cat", "dog", "cat", "owl", "dog", "cat", "owl", "dog", "cat", "owl"] * 2
ANN = ["cat", "dog", "cat", "owl", "dog", "cat", "owl", "cat", "dog", "owl"] * 2  # 80%
BOB = ["cat", "dog", "owl", "owl", "cat", "cat", "dog", "dog", "cat", "owl"] * 2  # 70%
EVA = ["dog", "dog", "cat", "cat", "dog", "cat", "owl", "dog", "cat", "dog"] * 2  # 70%
VOTES = {"ann": ANN, "bob": BOB, "eva": EVA}
NAMED = "--column=stream=@header:ann,bob,eva"
FUSED, BEST = 1.0, 0.8


def numbers(study: Study, model: str = "v") -> tuple[float, float]:
    results = study.results(RESULTS)
    return results["Collective_Accuracy"][model], results["Best_Accuracy"][model]


def wide(study: Study, name: str = "v.csv", **columns: Any) -> Path:
    frame = pd.DataFrame({"id": range(20), "label": LABELS, **VOTES, **columns})
    return study.text(name, frame.to_csv(index=False))


def long(study: Study, header: str, name: str = "v.csv", labels: bool = True) -> Path:
    rows = [
        [at, *([label] if labels else []), member, own[at]]
        for at, label in enumerate(LABELS)
        for member, own in VOTES.items()
    ]
    return study.csv(name, header, rows)


@pytest.mark.parametrize(
    "header", ["sample,label,stream,prediction", "idx,gold,model,y_pred", "id,truth,member,vote"]
)
def test_a_long_table(study: Study, header: str) -> None:
    long(study, header)
    run(study, "v.csv")
    assert numbers(study) == (FUSED, BEST)


@pytest.mark.parametrize("extra", [{}, {"text": "a long text of some words"}, {"confidence": 0.9}])
def test_a_wide_table_is_read_when_its_members_are_named(
    study: Study, extra: dict[str, Any]
) -> None:
    wide(study, **extra)
    assert "no column for stream" in run(study, "v.csv", code=2).text
    result = run(study, "v.csv", NAMED)
    assert numbers(study) == (FUSED, BEST)
    assert all(f"not used: {name}" in result.err for name in extra)


@pytest.mark.parametrize("inside", [True, False], ids=["label inside", "labels of their own"])
def test_a_file_per_member(study: Study, inside: bool) -> None:
    for member, own in VOTES.items():
        rows = [(at, *([LABELS[at]] if inside else []), vote) for at, vote in enumerate(own)]
        study.csv(f"night/{member}.csv", "id,label,prediction" if inside else "id,prediction", rows)
    study.csv("labels.csv", "id,label", list(enumerate(LABELS)))
    files = ["night"] if inside else ["night", "labels.csv"]
    assert "--column stream=@file" in run(study, *files, code=2).err
    run(study, *files, "--column", "stream=@file")
    assert numbers(study, "night") == (FUSED, BEST)
    if not inside:
        assert study.results(RESULTS).loc["night", "Answered"] == 1


def test_ids_as_predictions_are_refused_until_classes_map_them(study: Study) -> None:
    ids = {"cat": 7, "dog": 8, "owl": 9}
    coded = {name: [ids[vote] for vote in own] for name, own in VOTES.items()}
    wide(study, "v.csv", **coded)
    assert "--classes FILE" in run(study, "v.csv", NAMED, code=2).text
    study.csv("classes.csv", "id,name", [(code, name) for name, code in ids.items()])
    run(study, "v.csv", NAMED, "--classes", "classes.csv")
    assert numbers(study) == (FUSED, BEST)
    study.csv("wrong.csv", "id,name", [(code, name.upper()) for name, code in ids.items()])
    refused = run(study, "v.csv", NAMED, "--classes", "wrong.csv", code=2)
    assert "are not labels" in refused.text


def test_probabilities_with_the_class_in_the_header(study: Study) -> None:
    classes = ("cat", "dog", "owl")
    columns = {
        f"{member}_proba_{name}": [0.8 if vote == name else 0.1 for vote in own]
        for member, own in VOTES.items()
        for name in classes
    }
    frame = pd.DataFrame({"idx": range(20), "y_true": LABELS, **columns})
    study.text("v.csv", frame.to_csv(index=False))
    run(study, "v.csv", code=2)
    pattern = ("--column", "probability={stream}_proba_{class}")
    run(study, "v.csv", *pattern, "--fusion", "mean")
    assert numbers(study) == (FUSED, BEST)
    run(study, "v.csv", *pattern)  # the votes are the largest probabilities
    assert numbers(study) == (FUSED, BEST)
    renamed = frame.rename(columns=lambda name: name.replace("_owl", "_heron"))
    study.text("v.csv", renamed.replace({"owl": "elk", "cat": "elk"}).to_csv(index=False))
    assert (
        "most labels are not classes (elk; cat, dog, heron)"
        in run(study, "v.csv", *pattern, code=2).text
    )


def test_objects_in_json_lines(study: Study) -> None:
    lines = [
        json.dumps({"id": at, "label": label, "preds": {n: own[at] for n, own in VOTES.items()}})
        for at, label in enumerate(LABELS)
    ]
    study.text("v.jsonl", "\n".join(lines))
    assert "not used: preds" in run(study, "v.jsonl", code=2).err
    run(study, "v.jsonl", "--column", "stream=@header:preds.ann,preds.bob,preds.eva")
    assert numbers(study) == (FUSED, BEST)


def test_classes_that_are_numbers_compare_as_numbers(study: Study) -> None:
    names = {"cat": "1", "dog": "2", "owl": "10"}
    coded = {name: [f"{names[vote]}.0" for vote in own] for name, own in VOTES.items()}
    frame = pd.DataFrame({"id": range(20), "label": [names[label] for label in LABELS], **coded})
    study.text("v.csv", frame.to_csv(index=False))
    run(study, "v.csv", NAMED)
    assert numbers(study) == (FUSED, BEST)


def test_folds_and_systems_are_named_by_columns(study: Study) -> None:
    rows = [
        [system, at, label, member, own[at]]
        for system in ("big", "small")
        for at, label in enumerate(LABELS)
        for member, own in VOTES.items()
    ]
    study.csv("v.csv", "seed,sample,label,stream,prediction", rows)
    refused = run(study, "v.csv", code=2)
    assert "occurs more than once" in refused.text
    assert "--column model=seed" in refused.err
    run(study, "v.csv", "--column", "model=seed")
    assert numbers(study, "big") == numbers(study, "small") == (FUSED, BEST)
    run(study, "v.csv", "--column", "run=seed")
    row = study.results(RESULTS).loc["v"]
    assert (row["Collective_Accuracy"], row["Runs"], row["Run_SD"]) == (FUSED, 2, 0)
    assert row["Units"] == 20


def test_a_log_of_routing(study: Study) -> None:
    wide(study, "moe/v.csv")
    log = [(t, 0, 0.75) for t in range(8)] + [(t, 1 + t % 2, 0.25) for t in range(8)]
    study.csv("moe/routing.csv", "token,expert_id,gate", log)
    result = run(study, "moe", NAMED)
    row = study.results(RESULTS).loc["v"]
    assert row["Routing_Entropy"] == pytest.approx(0.562335, abs=1e-6)
    assert row["Load_CV"] == pytest.approx(np.std([0.75, 0.125, 0.125]) * 3)
    assert "routing.csv: token · expert ← expert_id · weight ← gate" in result.err
    study.csv("moe/routing.csv", "token,expert_id,gate", log[:8])
    assert "do not sum to 1" in run(study, "moe", NAMED, code=3).text
    assert np.isnan(study.results(RESULTS).loc["v"].get("Routing_Entropy", np.nan))


def test_the_tables_of_two_ensembles_are_not_mixed_up(study: Study) -> None:
    for name in ("one", "two"):
        wide(study, f"{name}.csv")
    study.csv("parameters.csv", "name,value", [("params_m", 2)])
    result = run(study, ".", NAMED, code=3)
    assert "parameters could belong to one or two" in result.text
    for name, size in (("one", 2), ("two", 4)):
        wide(study, f"night/{name}/votes.csv")
        study.csv(f"night/{name}/parameters.csv", "name,value", [("params_m", size)])
    run(study, "night", NAMED, "--column", "model=@folder")
    assert study.results(RESULTS)["Efficiency"].to_dict() == {"one": 50, "two": 25}


def test_the_report_has_the_headings_of_the_source_and_names_are_only_text(study: Study) -> None:
    hostile = {"<b>a|b</b>": ANN, "=1+1": BOB, "*x*": EVA}
    frame = pd.DataFrame({"sample": range(20), "label": LABELS, **hostile})
    long = frame.melt(["sample", "label"], var_name="stream", value_name="prediction")
    study.text("v.csv", long.to_csv(index=False))
    run(study, "v.csv", "--column", "model=@file")
    report = (study.folder / RESULTS / "v_collective.md").read_text(encoding="utf-8")
    titles = [line for line in report.splitlines() if line.startswith("#")]
    parts = ["Core Metrics", "Per-Stream Breakdown", "Diagnostics"]
    assert titles == ["## Results for v", *(f"### {part}" for part in parts)]
    assert "| \\<b\\>a\\|b\\</b\\> | 80.00% | " in report
    assert "| Collective Accuracy | 100.00% |" in report
    streams = pd.read_csv(study.folder / RESULTS / "v_collective/streams.csv")
    assert streams["Stream"].tolist() == ["<b>a|b</b>", "'=1+1", "*x*"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--member eva", "v beats the member: 100.0% against 70.0% for eva, a gain of 30.0 points"),
        ("--where id<5", "It is as accurate as its best member, ann (ann: identical on all 5"),
        ("--ci 0.999", "v: undecided. It is 20.0 points above its best member, ann"),
    ],
)
def test_what_the_sentence_says(study: Study, options: str, says: str) -> None:
    wide(study)
    assert says in " ".join(run(study, "v.csv", NAMED, *options.split()).out.split())


def test_two_ensembles_are_compared_on_the_samples_they_share(study: Study) -> None:
    for name, votes in (("good", ANN), ("bad", EVA)):
        wide(study, f"in/{name}.csv", bob=votes, eva=votes)
    result = run(study, "in", NAMED, "--format", "csv")
    assert result.out.startswith("Model Name,Gain,Collective_Accuracy")
    (pair,) = pd.read_csv(study.folder / RESULTS / "comparisons.csv").to_dict("records")
    assert (pair["Model"], pair["Other_Model"], pair["Shared"]) == ("good", "bad", 20)
    assert pair["Difference"] == pytest.approx(0.1)


def test_an_alert_can_fail_the_run(study: Study) -> None:
    rows = [(at, "a", name, name) for at in range(600) for name in ("a", "b")]
    study.csv(
        "v.csv",
        "sample,label,stream,prediction",
        [*rows, (600, "b", "a", "a"), (600, "b", "b", "a")],
    )
    result = run(study, "v.csv", "--fail-if", "Alerts>0", code=10)
    assert "See Alerts: 1 raised." in " ".join(result.out.split())

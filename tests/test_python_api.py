"""Scoring from Python: the numbers, the units and the reports of the command, from paths and from data frames."""

from __future__ import annotations

import csv
import math
import re
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import scoresheet
from scoresheet.cli.app import main
from scoresheet.cli.commands import Command, all_commands
from tests.helpers.runs import Run

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "data"
OUTPUTS = pd.DataFrame({"Idiom": ["spill the beans", "hit the road"], "Prediction": ["to tell a secret", "to leave"]})
REFERENCES = pd.DataFrame(
    {
        "idiom": ["spill the beans", "hit the road"],
        "explanation": ["to tell a secret to somebody", "to leave a place, to begin a journey"],
    }
)


def _lines(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _written(value: object) -> str:
    """Return a value as a CSV of ours has it."""
    return "" if value is None or value is pd.NA or value != value else str(value)  # noqa: PLR0124 - NaN alone


def _shown(frame: pd.DataFrame) -> list[dict[str, str]]:
    """Return a frame line by line, as a CSV of ours has it; a number that counts is whole."""
    return [
        {name: _written(value) for name, value in zip(frame.columns, row, strict=True)}
        for row in frame.astype(object).itertuples(index=False, name=None)
    ]


def _same(cell: str, other: str) -> bool:
    """Return whether two cells hold the same text, or to the last digit the same number: 2 is 2.0."""
    try:
        return cell == other or float(cell) == float(other)
    except ValueError:
        return cell.lstrip("'") == other.lstrip("'")  # a text that might run has an apostrophe in a CSV


def _assert_same(frame: pd.DataFrame, lines: list[dict[str, str]]) -> None:
    shown = _shown(frame)
    assert len(shown) == len(lines)
    for own, line in zip(shown, lines, strict=True):
        wrong = {name: (own[name], cell) for name, cell in line.items() if not _same(own[name], cell)}
        assert not wrong


@dataclass(frozen=True)
class Both:
    """The sample data of a family, scored by its command and from Python."""

    command: Command
    reports: Path
    scores: scoresheet.Scores


@pytest.fixture(scope="module", params=all_commands(), ids=lambda command: command.name)
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Both:
    command = request.param
    places = [ROOT / place for place in (command.outputs, command.references) if place]
    out = tmp_path_factory.mktemp(command.name) / "results"
    main([command.name, *map(str, places), "--out", str(out), "--quiet", "--jobs", "1"])
    return Both(command, out, scoresheet.score(command.name, *places))


def test_every_family_gives_the_results_of_its_command(both: Both) -> None:
    lines = _lines(both.reports / f"{both.command.reporter.stem}_results.csv")
    assert list(both.scores.table.columns) == list(lines[0])
    _assert_same(both.scores.table, lines)
    _assert_same(both.scores.problems, _lines(both.reports / "problems.csv"))


def test_every_family_gives_the_units_of_its_command(both: Both) -> None:
    for model, units in both.scores.units.groupby("Model Name"):
        _assert_same(units, _lines(both.reports / f"{model}_{both.command.reporter.stem}.csv"))


def test_what_is_written_are_the_bytes_of_the_command(both: Both, tmp_path: Path) -> None:
    paths = both.scores.write(tmp_path / "new")
    by_command = {path.name for path in both.reports.iterdir()} - {"manifest.json", "cache"}
    assert {path.name for path in paths} == by_command
    for path in paths:
        assert path.read_bytes() == (both.reports / path.name).read_bytes(), path.name
    assert (tmp_path / "new/manifest.json").exists()


def test_the_signature_is_that_of_the_command(both: Both) -> None:
    assert f'"{both.scores.signature}"' in (both.reports / "manifest.json").read_text(encoding="utf-8")


def test_the_three_lines_of_the_docs_print_the_numbers_of_the_command(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "data").symlink_to(DATA)
    found = re.search(r"```python\n(.*?)```", (ROOT / "docs/api.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    assert found
    assert len(list(filter(None, found[1].splitlines()))) == 3
    run("sinfo", "data/baseline_mean/Model_B/permutation1.csv", "data/reference_explanations", "--out", "res")
    exec(found[1], {})
    printed = list(csv.DictReader(capsys.readouterr().out.strip().splitlines()))
    assert printed == _lines(tmp_path / "res/s_info_results.csv")


def test_a_frame_is_one_model_and_is_not_changed() -> None:
    outputs, references = OUTPUTS.copy(), REFERENCES.copy()
    scores = scoresheet.score("sinfo", outputs, references)
    assert scores.table["Model Name"].tolist() == ["frame"]
    assert scores.table["S_Info"].iloc[0] == scores.units["S_Info"].mean()
    assert scores.units["Row"].tolist() == [2, 3]
    pd.testing.assert_frame_equal(outputs, OUTPUTS)
    pd.testing.assert_frame_equal(references, REFERENCES)


def test_models_and_sheets_come_by_name() -> None:
    scores = scoresheet.score("sinfo", {"b": {"one": OUTPUTS, "two": OUTPUTS[:1]}, "a": OUTPUTS}, REFERENCES)
    assert scores.table["Model Name"].tolist() == ["a", "b"]
    assert scores.table["Rows"].tolist() == [2, 3]
    assert scores.units[["Model Name", "Sheet"]].drop_duplicates().to_numpy().tolist() == [
        ["a", "Sheet1"],
        ["b", "one"],
        ["b", "two"],
    ]
    assert list(scores.results) == ["a", "b"]


def test_a_column_sheet_makes_sheets_as_it_does_in_a_csv() -> None:
    scores = scoresheet.score("sinfo", OUTPUTS.assign(Sheet=["p1", "p2"]), REFERENCES)
    assert scores.units["Sheet"].tolist() == ["p1", "p2"]


def test_a_frame_of_any_dtype_is_read_alike() -> None:
    usual = scoresheet.score("sinfo", OUTPUTS, REFERENCES)
    for outputs in (OUTPUTS.astype("object"), OUTPUTS.astype("string"), OUTPUTS.astype("category")):
        assert scoresheet.score("sinfo", outputs, REFERENCES).table.equals(usual.table)


def test_a_frame_gives_what_its_csv_gives(tmp_path: Path) -> None:
    missing = pd.DataFrame(
        {
            "item": ["a", "a", "b", "b", None],
            "judge": ["x", "y", "x", "y", None],
            "score": pd.array([0.5, 0.6, None, 0.3, None], dtype="Float64"),
        }
    )
    missing.to_csv(tmp_path / "frame.csv", index=False)
    from_frame = scoresheet.score("disagree", missing)
    from_file = scoresheet.score("disagree", tmp_path / "frame.csv")
    assert from_frame.table.equals(from_file.table)
    assert from_frame.units.equals(from_file.units)
    columns = ["sheet", "row", "column", "kind", "message", "effect"]
    assert from_frame.problems[columns].equals(from_file.problems[columns])


def test_a_frame_that_cannot_be_used_costs_only_itself() -> None:
    twice = pd.DataFrame([["a", "b", "c"]], columns=["Idiom", "Prediction", "Prediction"])
    models = {"good": OUTPUTS, "other": pd.DataFrame({"a": [1]}), "twice": twice, "nothing": pd.DataFrame()}
    scores = scoresheet.score("sinfo", models, REFERENCES)
    assert dict(zip(scores.table["Model Name"], scores.table["Status"], strict=True)) == {
        "good": "ok",
        "nothing": "failed",
        "other": "failed",
        "twice": "failed",
    }
    assert sorted(scores.problems["kind"]) == ["duplicate-header", "missing-column", "no-rows"]


def test_columns_are_named_as_the_command_names_them() -> None:
    renamed = OUTPUTS.rename(columns={"Prediction": "what it said"})
    scores = scoresheet.score("sinfo", renamed, REFERENCES, columns={"Prediction": "what it said"})
    assert scores.table["Status"].tolist() == ["ok"]
    assert scores.signature.endswith("|column:Prediction=what it said")
    with pytest.raises(ValueError, match=r"no column 'Foo' here; the columns are .*Prediction"):
        scoresheet.score("sinfo", OUTPUTS, REFERENCES, columns={"Foo": "x"})


def test_options_go_by_their_long_names() -> None:
    scores = scoresheet.score("sinfo", OUTPUTS, REFERENCES, rouge="lin", references_by="mean", seed=7)
    assert "|rouge:lin|" in scores.signature
    assert "|refs:mean|" in scores.signature
    assert scores.units["P_ROUGE"].iloc[0] == scoresheet.rouge_l_precision(
        "to tell a secret", "to tell a secret to somebody", rouge="lin"
    )


def test_features_are_a_path_or_a_frame() -> None:
    places, table = (DATA / "rankings", DATA / "subtopics"), DATA / "diversity_tables/features.csv"
    by_path = scoresheet.score("diversity", *places, cutoffs="5", features=table)
    by_frame = scoresheet.score("diversity", *places, cutoffs="5", features=pd.read_csv(table))
    assert by_path.table.equals(by_frame.table)
    assert by_path.signature == by_frame.signature
    assert not by_path.table.equals(scoresheet.score("diversity", *places, cutoffs="5").table)


def test_a_target_is_a_path_or_a_frame(tmp_path: Path) -> None:
    choices = pd.DataFrame({"level": [0] * 8, "response": ["tea"] * 6 + ["milk"] * 2})
    options = pd.DataFrame({"level": [0, 0, 0], "option": ["tea", "milk", "water"]})
    target = pd.DataFrame({"level": [0, 0, 0], "option": ["tea", "milk", "water"], "share": [3.0, 1.0, 0.0]})
    target.to_csv(tmp_path / "target.csv", index=False)
    by_frame = scoresheet.score("mode-collapse", choices, options, target=target)
    by_path = scoresheet.score("mode-collapse", choices, options, target=str(tmp_path / "target.csv"))
    assert by_frame.units.equals(by_path.units)
    assert by_frame.units["P_Value"].iloc[0] == scoresheet.collapse_p_value([6, 2, 0], target=[3, 1, 0])


@pytest.mark.parametrize(
    ("family", "options", "why"),
    [
        ("rouge", {}, "no family 'rouge'; there are collective, disagree, diversity, entropy, mode-collapse, sinfo"),
        ("sinfo", {"cutoffs": "5"}, "sinfo has no option 'cutoffs'; the options are .*rouge, tokenizer"),
        ("sinfo", {"rouge": "bleu"}, "rouge cannot be 'bleu'; it is one of: rouge, lin, charset"),
        ("sinfo", {"seed": -1}, "seed cannot be -1; the least is 0"),
        ("sinfo", {"rouge": OUTPUTS}, "rouge takes no table"),
        ("entropy", {"vocabulary": "cl100k_base"}, "add --tokenizer bpe$"),
        ("entropy", {}, "entropy takes no references"),
    ],
)
def test_what_there_is_not_is_a_value_error_that_names_what_there_is(
    family: str, options: dict[str, Any], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        scoresheet.score(family, OUTPUTS, REFERENCES, **options)


@pytest.mark.parametrize("place", ["nowhere", "nowhere/*.csv"])
def test_a_path_that_leads_nowhere_is_a_file_not_found_error(place: str) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        scoresheet.score("sinfo", place, REFERENCES)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        scoresheet.score("sinfo", OUTPUTS, place)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        scoresheet.score("diversity", DATA / "rankings", DATA / "subtopics", features=place)


def test_nothing_to_score_or_to_score_with_is_a_value_error(tmp_path: Path) -> None:
    assert "no references were given" in scoresheet.score("sinfo", OUTPUTS).problems["message"].iloc[0]
    with pytest.raises(ValueError, match="references: no column idiom"):
        scoresheet.score("sinfo", OUTPUTS, pd.DataFrame({"a": [1]}))
    with pytest.raises(ValueError, match="no rows below it"):
        scoresheet.score("sinfo", OUTPUTS, REFERENCES[:0])
    with pytest.raises(ValueError, match="no CSV or Excel files here"):
        scoresheet.score("sinfo", tmp_path, REFERENCES)
    with pytest.raises(ValueError, match="no reference files here"):
        scoresheet.score("sinfo", OUTPUTS, tmp_path)
    with pytest.raises(ValueError, match="there is no model"):
        scoresheet.score("sinfo", {}, REFERENCES)
    with pytest.raises(ValueError, match="'a' and 'A' have one name but for case"):
        scoresheet.score("sinfo", {"a": OUTPUTS, "A": OUTPUTS}, REFERENCES)


def test_what_is_neither_a_frame_nor_a_path_is_a_type_error() -> None:
    for outputs, references, why in (
        ([OUTPUTS], REFERENCES, "outputs must be a frame or a path, not list"),
        (OUTPUTS, [REFERENCES], "references must be a frame or a path, not list"),
        ({"a": [1]}, REFERENCES, "the model 'a' must be a frame or frames by sheet, not list"),
    ):
        with pytest.raises(TypeError, match=why):
            scoresheet.score("sinfo", outputs, references)  # type: ignore[arg-type]


def test_files_that_give_one_name_and_tables_among_the_outputs_are_treated_as_by_the_command(
    run: Run, tmp_path: Path
) -> None:
    for name in ("a.csv", "A.tsv", "b.csv"):
        path = tmp_path / "outs" / name
        path.parent.mkdir(exist_ok=True)
        OUTPUTS.to_csv(path, index=False, sep="\t" if name.endswith("tsv") else ",")
    REFERENCES.to_csv(tmp_path / "outs/references.csv", index=False)
    run("sinfo", "outs", "outs/references.csv", "--out", "res")
    scores = scoresheet.score("sinfo", "outs", "outs/references.csv")
    _assert_same(scores.table, _lines(tmp_path / "res/s_info_results.csv"))
    _assert_same(scores.problems, _lines(tmp_path / "res/problems.csv"))
    assert scores.table["Model Name"].tolist() == ["b", "A"]  # the best first, and A is two files of one name


def test_reports_are_written_twice_and_from_a_thread_but_never_of_nothing(tmp_path: Path) -> None:
    scores = scoresheet.score("sinfo", {"m": OUTPUTS}, REFERENCES)
    first = {path: path.read_bytes() for path in scores.write(tmp_path / "res")}
    thread = threading.Thread(target=scores.write, args=(tmp_path / "res",))
    thread.start()
    thread.join()
    assert first == {path: path.read_bytes() for path in scores.write(str(tmp_path / "res"))}
    unscored = scoresheet.score("sinfo", OUTPUTS.assign(Idiom="unheard of"), REFERENCES)
    assert unscored.table["Status"].tolist() == ["unscored"]
    with pytest.raises(ValueError, match="nothing to write"):
        unscored.write(tmp_path / "none")
    assert not (tmp_path / "none").exists()
    with pytest.raises(ValueError, match="this is a folder of results"):
        scoresheet.score("sinfo", tmp_path / "res", REFERENCES)


def test_a_folder_that_cannot_be_written_is_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OSError, match="file"):
        scoresheet.score("sinfo", OUTPUTS, REFERENCES).write(tmp_path / "file")


def _texts(models: dict[str, list[str]]) -> dict[str, pd.DataFrame]:
    return {
        name: pd.DataFrame({"id": [f"p{place}" for place in range(len(texts))], "text": texts})
        for name, texts in models.items()
    }


def test_a_comparison_is_the_paired_test_of_the_units_that_both_have() -> None:
    words = "the sea was grey and a gull stood on the wet railing of the old pier"
    models = {
        "a": [" ".join(words.split()[: 3 + place]) for place in range(10)],
        "b": [" ".join(words.split()[4 : 6 + place]) for place in range(9)],
    }
    scores = scoresheet.score("entropy", _texts(models), vectors="tfidf")
    table = scoresheet.compare(scores, measures=["Word_Entropy", "Words"], seed=3)
    assert table["Measure"].tolist() == ["Word_Entropy", "Words"]
    by_model = {name: units.set_index("Id") for name, units in scores.units.groupby("Model Name")}
    shared = sorted(set(by_model["a"].index) & set(by_model["b"].index))
    for line in table.to_dict("records"):
        ours, theirs = (by_model[name].loc[shared, line["Measure"]].to_numpy() for name in ("a", "b"))
        test = scoresheet.paired_test(ours, theirs, seed=3)
        assert line["Shared"] == test.units == 9
        assert line["Difference"] == pytest.approx(test.difference)
        assert (line["CI_Low"], line["CI_High"]) == pytest.approx((test.low, test.high))
        assert line["P_Value"] == line["P_Holm"] == pytest.approx(test.p_value)


def test_results_of_two_nights_are_compared_under_names_of_their_own() -> None:
    last, tonight = (scoresheet.score("sinfo", {"m": OUTPUTS[:rows]}, REFERENCES) for rows in (1, 2))
    table = scoresheet.compare(last, tonight, measures=["S_Info"])
    assert table[["Model", "Other_Model"]].to_numpy().tolist() == [["m (1)", "m (2)"]]
    assert table["Difference"].tolist() == [0.0]


def test_every_family_can_be_compared_by_what_all_its_units_have(both: Both) -> None:
    table = scoresheet.compare(both.scores)
    models = len(both.scores.results)
    pairs = math.comb(models, 2)
    assert len(table) == pairs * table["Measure"].nunique()
    if both.command.name != "collective":  # two systems have no stream in common
        assert len(table)


def test_systems_are_compared_by_what_the_command_compares_them_by_whatever_their_streams_are_called() -> None:
    one = pd.DataFrame({"sample": range(8), "label": list("xyxyxyxy"), "a": list("xyxyxyyx"), "b": list("xxxxxxxx")})
    other = one.rename(columns={"a": "c", "b": "d"}).assign(c=list("xyxxxxyx"))
    scores = scoresheet.score("collective", {"one": one, "other": other})
    table = scoresheet.compare(scores).set_index("Measure")
    assert list(table.index) == ["Collective_Accuracy", "Oracle_Accuracy"]
    assert table["Difference"].tolist() == pytest.approx([0.25, 0.25])
    with pytest.raises(ValueError, match="no measure 'a' to compare by; all units have Collective_Accuracy"):
        scoresheet.compare(scores, measures=["a"])
    assert scoresheet.compare(scoresheet.score("collective", {"one": one})).empty


def test_a_comparison_says_what_can_be_compared() -> None:
    scores = scoresheet.score("sinfo", OUTPUTS, REFERENCES)
    with pytest.raises(ValueError, match="no measure 'Rouge' to compare by; all units have P_ROUGE, BP, S_Info"):
        scoresheet.compare(scores, measures=["Rouge"])
    with pytest.raises(ValueError, match="results of one family"):
        scoresheet.compare()
    with pytest.raises(ValueError, match="results of one family"):
        scoresheet.compare(scores, scoresheet.score("entropy", _texts({"a": ["two words"]})))

"""scoresheet from Python gives what the command line gives."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import scoresheet
from scoresheet.cli.registry import family_entries, load_command

from .conftest import TEXTS, Study

IDS = [f"idiom {n}" for n in range(8)]
LONG = "one two three four five six seven eight nine ten " * 12
# Outputs, references and options of a family.
TABLES: dict[str, tuple[dict[str, list[Any]], dict[str, list[Any]], dict[str, Any]]] = {
    "sinfo": (
        {"Idiom": IDS, "Prediction": [f"{text} again" for text in TEXTS[:7]] + [None]},
        {"idiom": IDS, "reference": [[text, "a second reference"] for text in TEXTS]},
        {"rouge": "lin", "ci": 0.9},
    ),
    "mode-collapse": (
        {"choice": ["tea"] * 12 + ["milk"] * 3 + ["1"]},
        {"option": ["tea", "milk", 1]},
        {"seed": 3},
    ),
    "diversity": (
        {"query": ["001"] * 6, "item": [*range(6)], "rank": [1, 2, 3, 4, 5, 6]},
        {"query": ["001"] * 3, "subtopic": [*"xyx"], "item": [0, 2, 5], "relevance": [1, 1, 1]},
        {"cutoffs": "5", "alpha": 0.3},
    ),
    "disagree": (
        {"item": [*"aabbccdd"], "judge": ["x", "y"] * 4, "score": [1, 2, 3, 3, 5, 4, 2, 2]},
        {},
        {"scale": "1:5", "level": "ordinal"},
    ),
    "collective": (
        {"sample": [*"aabbcc"], "stream": ["x", "y"] * 3, "prediction": [*"001121"]},
        {"sample": [*"abc"], "label": [0, 1, 2]},
        {"ties": "wrong"},
    ),
    "entropy": ({"id": IDS[:3], "text": [LONG, LONG[::-1], "NA"]}, {}, {"window": 20}),
    "scores": (
        {"item": IDS, "score": [0.1, 0.2, 0.30000000000000004, 1, 1, 0, None, 1e-7]},
        {},
        {"bounds": "0:1"},
    ),
}


def options_of(settings: dict[str, Any]) -> list[str]:
    return [word for name, value in settings.items() for word in (f"--{name}", str(value))]


@pytest.mark.parametrize("family", family_entries())
def test_frames_give_the_numbers_of_the_command_line(study: Study, family: str) -> None:
    outputs, references, options = TABLES[family]
    paths = [study.folder / f"{name}.json" for name in ("outputs", "references")]
    frames = [pd.DataFrame(table) for table in (outputs, references) if table]
    for path, frame in zip(paths, frames, strict=False):
        rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
        path.write_text(json.dumps(rows))
    arguments = [str(path) for path in paths[: len(frames)]]
    result = study.run(family, *arguments, *options_of(options), "-o", "out")
    assert result.code == 0, result.err
    found = scoresheet.score(family, *frames, **options)
    assert found.answer in result.text
    again = scoresheet.score(family, *arguments, **options)
    for one in (found, again):
        pd.testing.assert_frame_equal(one.results, found.results)
        pd.testing.assert_frame_equal(one.units, found.units)
        assert one.tables.keys() == found.tables.keys()
    written = found.write(study.folder / "written")
    names = {path.name for path in (study.folder / "out").rglob("*.csv")}
    assert {path.name for path in written.rglob("*.csv")} == names
    for name in names - {"problems.csv"}:
        (mine,), (theirs,) = ([*folder.rglob(name)] for folder in (written, study.folder / "out"))
        assert mine.read_text() == theirs.read_text()
    assert len([*written.glob("*.xlsx")]) == 2


@pytest.mark.parametrize("family", family_entries())
def test_the_samples_give_the_numbers_of_the_command_line(study: Study, family: str) -> None:
    made = study.run("init", family).out.strip().splitlines()[-1].split()[2:]
    assert study.run(family, *made, "-o", "out").code == 0
    defaults = load_command(family).arguments.values()
    folders = made or [folder for folder in defaults if Path(folder).exists()]
    column = {"model": "@path"} if family == "sinfo" else {}
    found = scoresheet.score(family, *folders, column=column)
    (path,) = (study.folder / "out").glob("*_results.csv")
    printed = pd.read_csv(path, dtype=str, keep_default_na=False)
    for name, values in found.results.items():
        expected = ["" if pd.isna(value) else str(value) for value in values.tolist()]
        assert printed[name].tolist() == expected, name


def test_models_units_tables_and_problems(study: Study) -> None:
    table = pd.DataFrame({"item": ["a", "b", "c", "d"], "score": [1, 0, 1, None]})
    found = scoresheet.score("scores", {"x": table, "y": table.assign(score=[0, 0, 0, 1])})
    assert found.results["Model Name"].tolist() == ["x", "y"]
    assert found.units["Model Name"].tolist() == ["x"] * 4 + ["y"] * 4
    assert (found.units["Score"].isna().sum(), found.units["Row"].dtype.kind) == (1, "i")
    assert found.problems[["message", "effect"]].values.tolist() == [["the score is empty", "row"]]
    assert found.tables["comparisons"]["Shared"].tolist() == [3]
    assert found.signature.startswith("scores|bounds:none|v:")
    assert not [*study.folder.iterdir()]


def test_runs_are_compared_as_on_the_command_line(study: Study) -> None:
    frame = pd.DataFrame({"item": range(9), "score": [0, 0, 0, 1, 0, 0, 0, 0, 1]})
    before = scoresheet.score("scores", {"m": frame})
    after = scoresheet.score("scores", {"m": frame.assign(score=1)})
    (pair,) = scoresheet.compare(after, before).to_dict("records")
    assert (pair["Shared"], abs(pair["Difference"])) == (9, pytest.approx(7 / 9))
    folders = [scored.write(study.folder / name) for name, scored in [("b", before), ("a", after)]]
    printed = json.loads(study.run("compare", "b", "a", "--format", "json").out)["comparisons"]
    assert scoresheet.compare(*folders)["P_Holm"].tolist() == [printed[0]["P_Holm"]]
    with pytest.raises(scoresheet.Refusal, match="made in different ways"):
        scoresheet.compare(before, scoresheet.score("scores", {"m": frame}, bounds="0:1"))


def test_cells_of_frames_are_kept_as_they_are() -> None:
    ids = ["001", "1e5", "NA", "=x", " b", "TRUE", 12, 2.0, pd.Timestamp("2024-05-01")]
    frame = pd.DataFrame({"item": pd.Series(ids, dtype=object), "score": 1})
    items = scoresheet.score("scores", frame).units["Item"].tolist()
    assert items == ["001", "1e5", "NA", "=x", "b", "TRUE", "12", "2", "2024-05-01"]


def test_an_option_that_takes_a_file_takes_a_frame() -> None:
    outputs, references, _ = TABLES["diversity"]
    items = pd.DataFrame({"item": range(6), "length": [90, 91, 92, 93, 200, 94]})
    column = {"items.feature": "@header:length"}
    found = scoresheet.score(
        "diversity", pd.DataFrame(outputs), pd.DataFrame(references), items=items, column=column
    )
    assert found.results["ILD@5"].notna().all()


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"lower_is_beter": "Score"}, TypeError, "no option 'lower_is_beter'; the nearest is"),
        ({"out": "x"}, TypeError, "scores has no option 'out'"),
        ({"ci": "high"}, scoresheet.Refusal, "^ci must be a number, not 'high'"),
        ({"match": "vague"}, scoresheet.Refusal, "^match must be one of exact, loose"),
        ({"column": {"score": "points"}}, scoresheet.Refusal, "points"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], error: type, says: str) -> None:
    with pytest.raises(error, match=says):
        scoresheet.score("scores", pd.DataFrame({"item": ["a"], "score": [1]}), **options)


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        (("score", pd.DataFrame()), ValueError, "'score' is not one of sinfo"),
        (("entropy", "a.csv", "b.csv"), TypeError, "entropy reads no references"),
        (("scores", pd.DataFrame([[1, 2]], columns=["a", "a"])), ValueError, "the same name: a, a"),
        (("scores", pd.DataFrame({"item": ["a"], "points": 1})), scoresheet.Refusal, "score"),
        (("scores", "nowhere.csv"), scoresheet.Refusal, "nowhere.csv"),
        (("scores", {"x": pd.DataFrame({"model": ["a"]})}), ValueError, "model"),
    ],
)
def test_wrong_tables_are_refused(arguments: Any, error: type, says: str) -> None:
    with pytest.raises(error, match=says):
        scoresheet.score(*arguments)


def test_the_import_is_light_and_every_name_is_documented() -> None:
    code = "import scoresheet, sys; sys.exit('pandas' in sys.modules or 'typer' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    names = [name for name in dir(scoresheet) if name[0] != "_"]
    undocumented = [name for name in names if not getattr(scoresheet, name).__doc__]
    assert (undocumented, "gini" in names, "score" in names) == ([], True, True)
    with pytest.raises(AttributeError, match="has no attribute 'ginni'"):
        _ = scoresheet.ginni


def test_the_readme_shows_what_python_prints(capsys: pytest.CaptureFixture[str]) -> None:
    readme = Path(__file__).parents[2].joinpath("README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    exec(block, {})
    comments = re.findall(r"print\(.*\)  # (.*)", block)
    assert capsys.readouterr().out.splitlines() == comments


def test_a_call_changes_no_setting_of_pandas() -> None:
    before = pd.get_option("mode.string_storage")
    scoresheet.score("scores", pd.DataFrame({"item": ["a"], "score": [1]}))
    assert pd.get_option("mode.string_storage") == before

"""The other commands, the printed formats and scoresheet.toml."""

import json
import re
import tomllib

import pytest
from openpyxl import load_workbook

from scoresheet.cli.registry import family_entries

from .conftest import Study


@pytest.mark.parametrize("command", ["", *family_entries(), "check", "init"])
def test_every_command_has_help(study: Study, command: str) -> None:
    result = study.run(*command.split(), "--help")
    assert result.code == 0
    assert "Usage: scoresheet" in result.out


def test_help_shows_commands_in_groups(study: Study) -> None:
    out = study.run("--help").out
    assert out.index("Score") < out.index("sinfo") < out.index("Set up and automate")


def test_the_version_is_printed(study: Study) -> None:
    assert re.fullmatch(r"scoresheet \d+\.\d+\.\d+\n", study.run("--version").out)


@pytest.mark.parametrize("family", ["sinfo", "scores"])
def test_init_writes_tables_that_can_be_scored(study: Study, family: str) -> None:
    first = study.run("init", family)
    assert first.code == 0
    line = first.out.strip().splitlines()[-1].split()[1:]
    assert study.run(*line).code == 0
    again = study.run("init", family)
    assert again.code == 2
    assert "would be overwritten" in again.text
    book = load_workbook(study.folder / f"template_{family}.xlsx")
    assert "outputs" in book.sheetnames


def test_init_keeps_the_settings_of_another_family(study: Study) -> None:
    study.run("init", "sinfo")
    assert study.run("init", "scores").code == 0
    assert set(tomllib.loads((study.folder / "scoresheet.toml").read_text())) >= {"sinfo", "scores"}


def test_check_says_what_would_be_read_and_scores_nothing(two_models: Study) -> None:
    result = two_models.run("check", "sinfo", "runs", "refs")
    assert result.code == 0
    assert "2 tables (close.csv, far.csv): model ← file name · idiom · prediction" in result.err
    assert re.search(r"close\s+1\s+8", result.out)
    assert not (two_models.folder / "results").exists()


def test_check_saves_the_mapping_for_the_next_run(two_models: Study) -> None:
    rows = [[f"idiom {n}", "say it again", 7] for n in range(8)]
    two_models.csv("out.csv", "question,my reply,seed", rows)
    two_models.text("scoresheet.toml", "[defaults]\nci = 0.9\n\n[sinfo]\nrouge = 'lin'\n")
    column = ["--column", "prediction=my reply"]
    assert two_models.run("check", "sinfo", "out.csv", "refs", *column, "--save").code == 0
    saved = tomllib.loads((two_models.folder / "scoresheet.toml").read_text())
    assert saved["sinfo"]["column"]["prediction"] == "my reply"
    assert saved["sinfo"]["column"]["ignore"] == "seed"
    assert (saved["defaults"]["ci"], saved["sinfo"]["rouge"]) == (0.9, "lin")
    result = two_models.run("sinfo", "out.csv", "refs", "--strict")
    assert result.code == 0, result.err
    assert "90% CI" in result.out


def test_the_command_line_wins_over_the_file(two_models: Study) -> None:
    two_models.text("scoresheet.toml", "[sinfo]\nrouge = 'lin'\naggregate = 'rows'\n")
    two_models.run("sinfo", "runs", "refs", "--rouge", "charset")
    manifest = two_models.json("results/information_density/manifest.json")
    assert "rouge:charset" in manifest["signature"]
    assert "agg:rows" in manifest["signature"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("[sinfo]\nrouje = 'lin'", "scoresheet.toml line 2: rouje is not a known key"),
        ("[sinfu]", "line 1: sinfu is not a known section hint: the nearest section is sinfo"),
        ("[sinfo]\nrouge = 'best'", "rouge must be one of rouge, lin, charset, not 'best'"),
        ("[sinfo]\nstrict = 'yes'", "strict must be true or false"),
        ("[sinfo", "scoresheet.toml: "),
    ],
)
def test_a_wrong_setting_is_named_with_its_line(two_models: Study, content: str, says: str) -> None:
    two_models.text("scoresheet.toml", content)
    result = two_models.run("sinfo", "runs", "refs")
    assert (result.code, says in result.text) == (2, True), result.err


def test_json_is_printed_on_every_exit_code(two_models: Study) -> None:
    good = json.loads(two_models.run("sinfo", "runs", "refs", "--format", "json").out)
    assert good["exit_code"] == 0
    assert {r["Model Name"] for r in good["results"]} == {"close", "far"}
    assert good["comparisons"][0]["Shared"] == 8
    assert good["mapping"]
    bad = json.loads(two_models.run("sinfo", "nowhere", "--format", "json").out)
    assert (bad["exit_code"], bad["problems"][0]["effect"]) == (2, "refused")


@pytest.mark.parametrize(
    ("format_", "first"),
    [("csv", "Model Name,S_Info"), ("markdown", "| Model"), ("latex", "\\begin{table}")],
)
def test_results_are_printed_in_other_formats(two_models: Study, format_: str, first: str) -> None:
    result = two_models.run("sinfo", "runs", "refs", "--format", format_)
    assert result.code == 0
    assert first in result.out.split("\n", 1)[0] + result.out[:200]
    assert "models scored" not in result.out


def test_quiet_prints_nothing_when_all_is_well(two_models: Study) -> None:
    result = two_models.run("sinfo", "runs", "refs", "-q")
    assert (result.code, result.out, result.err) == (0, "", "")


def test_no_workbooks_writes_only_csv_and_json(two_models: Study) -> None:
    two_models.run("sinfo", "runs", "refs", "--no-workbooks")
    folder = two_models.folder / "results/information_density"
    assert not list(folder.glob("*.xlsx"))


def test_against_compares_with_one_model_only(two_models: Study) -> None:
    for name in ("x", "y"):
        frame = (two_models.folder / "runs/far.csv").read_text().replace("nothing", name)
        two_models.text(f"runs/{name}.csv", frame)
    result = two_models.run("sinfo", "runs", "refs", "--against", "far", "--format", "json")
    pairs = json.loads(result.out)["comparisons"]
    assert {pair["Other_Model"] for pair in pairs} == {"far"}
    assert len(pairs) == 3

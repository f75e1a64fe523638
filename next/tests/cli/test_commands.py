"""The other commands, the printed formats and scoresheet.toml."""

import json
import re
import tomllib
from itertools import chain

import pytest
from openpyxl import load_workbook

from scoresheet.cli.app import TOOLS
from scoresheet.cli.registry import family_entries

from .conftest import RUN, Study


@pytest.mark.parametrize("command", ["", *family_entries(), *chain(*TOOLS.values())])
def test_every_command_has_help(study: Study, command: str) -> None:
    result = study.run(*command.split(), "--help")
    assert (result.code, "Usage: scoresheet" in result.out) == (0, True)


def test_help_shows_commands_in_groups_and_options_in_panels(study: Study) -> None:
    out = study.run("--help").out
    assert out.index("Score") < out.index("sinfo") < out.index("Set up and automate")
    out = study.run("sinfo", "--help").out
    shown = ("Options of sinfo", "--rouge", "Input", "--column", "Results", "--out", "Running")
    assert sorted(shown, key=out.index) == list(shown)


def test_the_version_is_printed(study: Study) -> None:
    assert re.fullmatch(r"scoresheet \d+\.\d+\.\d+\n", study.run("--version").out)


@pytest.mark.parametrize("family", family_entries())
def test_init_writes_tables_that_can_be_scored(study: Study, family: str) -> None:
    first = study.run("init", family)
    assert first.code == 0
    assert study.run(*first.out.strip().splitlines()[-1].split()[1:]).code == 0
    again = study.run("init", family)
    assert (again.code, "overwritten" in again.text) == (2, True)  # the box may break lines
    template = study.folder / f"template_{family.replace('-', '_')}.xlsx"
    assert "outputs" in load_workbook(template).sheetnames


def test_init_keeps_the_settings_of_another_family(study: Study) -> None:
    for family in family_entries():
        assert study.run("init", family).code == 0
    settings = tomllib.loads((study.folder / "scoresheet.toml").read_text())
    assert set(settings) == {"defaults", *family_entries()}


def test_check_says_what_would_be_read_and_scores_nothing(two_models: Study) -> None:
    result = two_models.run("check", *RUN)
    assert result.code == 0
    assert "2 tables (close.csv, far.csv): model ← file name · idiom · prediction" in result.err
    assert re.search(r"close\s+1\s+8", result.out)
    assert "2 models, nothing was scored" in result.err
    one = two_models.run("check", "sinfo", "runs/far.csv", "refs")
    assert "1 model, nothing was scored" in one.err
    two_models.text("runs/bad.csv", "Remark\nx\n")
    result = two_models.run("check", *RUN)
    assert (result.code, "problems.csv" in result.err) == (3, False)
    assert not (two_models.folder / "results").exists()


@pytest.mark.parametrize(
    "rest", ["", "[sinfo]", "[sinfo] # x\ncolumn = { model = '@path' }\nrouge = 'lin'\n[scores]"]
)
def test_check_saves_the_mapping_for_the_next_run(two_models: Study, rest: str) -> None:
    two_models.csv(
        "out.csv", 'question,my "reply",seed', [[f"idiom {n}", "x y", 7] for n in range(8)]
    )
    two_models.text("scoresheet.toml", f"[defaults]\nci = 0.9\n{rest}")
    before = tomllib.loads(f"[defaults]\nci = 0.9\n{rest}")
    column = ["--column", 'prediction=my "reply"']
    assert two_models.run("check", "sinfo", "out.csv", "refs", *column, "--save").code == 0
    saved = tomllib.loads((two_models.folder / "scoresheet.toml").read_text())
    columns = saved["sinfo"].pop("column")
    assert (columns["prediction"], columns["ignore"]) == ('my "reply"', "seed")
    before.setdefault("sinfo", {}).pop("column", None)
    assert saved == before
    result = two_models.run("sinfo", "out.csv", "refs", "--strict")
    assert (result.code, "90% CI" in result.out) == (0, True), result.err


def test_the_command_line_wins_over_the_file(two_models: Study) -> None:
    two_models.text("scoresheet.toml", "[sinfo]\nrouge = 'lin'\naggregate = 'rows'\n")
    two_models.run(*RUN, "--rouge", "charset")
    signature = two_models.json("results/information_density/manifest.json")["signature"]
    assert {"rouge:charset", "agg:rows"} <= set(signature.split("|"))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("[sinfo]\nrouje = 'lin'", "scoresheet.toml line 2: rouje is not a known key"),
        ("[sinfu]", "line 1: sinfu is not a known section hint: the nearest section is sinfo"),
        ("[sinfo]\nrouge = 'best'", "rouge must be one of rouge, lin, charset, not 'best'"),
        ("[sinfo]\nstrict = 'yes'", "strict must be true or false"),
        ("[sinfo]\njobs = 1.5", "jobs must be a whole number"),
        ("sinfo = 3", "sinfo must be a section"),
        ("[sinfo", "scoresheet.toml: "),
    ],
)
def test_a_wrong_setting_is_named_with_its_line(two_models: Study, content: str, says: str) -> None:
    two_models.text("scoresheet.toml", content)
    result = two_models.run(*RUN)
    assert (result.code, says in result.text) == (2, True), result.err


def test_json_is_printed_on_every_exit_code(two_models: Study) -> None:
    good = json.loads(two_models.run(*RUN, "--format", "json").out)
    assert (good["exit_code"], bool(good["mapping"])) == (0, True)
    assert {r["Model Name"] for r in good["results"]} == {"close", "far"}
    assert good["comparisons"][0]["Shared"] == 8
    for wrong in (["sinfo", "nowhere"], [*RUN, "--ci", "95"]):
        bad = json.loads(two_models.run(*wrong, "--format", "json").out)
        assert (bad["exit_code"], bad["problems"][0]["effect"]) == (2, "refused")


@pytest.mark.parametrize(
    ("format_", "first"),
    [("csv", "Model Name,S_Info"), ("markdown", "| Model"), ("latex", "% needs")],
)
def test_results_are_printed_in_other_formats(two_models: Study, format_: str, first: str) -> None:
    result = two_models.run(*RUN, "--format", format_)
    assert (result.code, result.out.startswith(first)) == (0, True)
    assert "models scored" not in result.out


def test_quiet_prints_nothing_when_all_is_well(two_models: Study) -> None:
    result = two_models.run(*RUN, "-q", "--no-workbooks")
    assert (result.code, result.out, result.err) == (0, "", "")
    assert not list(two_models.folder.rglob("results/**/*.xlsx"))


def test_against_compares_with_one_model_only(two_models: Study) -> None:
    for name in ("x", "y"):
        frame = (two_models.folder / "runs/far.csv").read_text().replace("nothing", name)
        two_models.text(f"runs/{name}.csv", frame)
    result = two_models.run(*RUN, "--against", "far", "--format", "json")
    pairs = json.loads(result.out)["comparisons"]
    assert [pair["Other_Model"] for pair in pairs] == ["far"] * 3

"""collective from the command line: sample data, layouts that users have, options."""

import re
from pathlib import Path

import pytest
from openpyxl import load_workbook

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
    sheets += ["Fingerprints", "Targets", "History by epoch", "Alerts", "Problems", "About"]
    assert visible == ["Summary", "predictions", *sheets]
    numbers = study.json(f"{RESULTS}/metrics.json")["models"]["choir"]
    dashboard = ["Train_Loss", "Val_Loss", "Collective_Accuracy", "Emergence_Ratio"]
    dashboard += ["Routing_Entropy", "Fingerprint_Diversity", "Learning_Rate", "Gradient_Norm"]
    assert [numbers[name] is not None for name in dashboard] == [True] * 8


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

"""`scoresheet report`: where the page goes, and that it is always the same."""

import json
from pathlib import Path

import pytest

from scoresheet.cli.app import run_app
from scoresheet.cli.registry import family_entries


def test_the_page_of_one_run_is_written_next_to_its_results(
    results: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    page = results["sinfo"] / "report.html"
    assert run_app(["report", str(results["sinfo"])]) == 0
    assert f"1 run → {page}" in capsys.readouterr().err
    first = page.read_bytes()
    assert b"<title>Information density" in first
    assert run_app(["report", str(results["sinfo"])]) == 0
    assert page.read_bytes() == first


def test_several_runs_share_a_page_in_the_working_folder(
    results: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    two = [str(results[name]) for name in ("sinfo", "entropy")]
    assert run_app(["report", *two]) == 0
    assert run_app(["report", *two, "-o", "night.html", "--title", "A & B"]) == 0
    assert "<title>Results</title>" in Path("report.html").read_text(encoding="utf-8")
    assert "<title>A &amp; B</title>" in Path("night.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere holds no results"),
        (["{sinfo}", "-o", "{sinfo}/metrics.json"], "is not a file that scoresheet wrote"),
        (["{sinfo}", "-o", "{sinfo}"], "is not a file that scoresheet wrote"),
    ],
)
def test_what_is_not_a_run_or_not_a_page_is_refused(
    results: dict[str, Path], arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sinfo = results["sinfo"]
    before = (sinfo / "metrics.json").read_bytes()
    assert run_app(["report", *(word.format(sinfo=sinfo) for word in arguments)]) == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert (sinfo / "metrics.json").read_bytes() == before


def test_every_family_has_figures_that_its_manifest_lists(results: dict[str, Path]) -> None:
    for family in family_entries():
        figures = {path.name for path in (results[family] / "figures").iterdir()}
        listed = json.loads((results[family] / "manifest.json").read_bytes())["outputs"]
        assert len(figures) >= 4
        assert figures == {Path(name).name for name in listed if name.startswith("figures/")}

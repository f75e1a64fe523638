"""verify: results compared with their manifest, their inputs and themselves scored again."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from scoresheet.cli.registry import family_entries

from .conftest import RESULTS, RUN, Study


@pytest.mark.parametrize("family", family_entries())
def test_untouched_results_hold(study: Study, family: str) -> None:
    made = study.run("init", family).out.strip().splitlines()[-1].split()[1:]
    assert study.run(*made, "--seed", "3").code == 0
    before = {path: path.read_bytes() for path in study.folder.rglob("*") if path.is_file()}
    (folder,) = (study.folder / "results").iterdir()
    result = study.run("verify", str(folder))
    assert (result.code, result.err) == (0, "")
    assert "scoring again gives the same" in result.text
    assert {path: path.read_bytes() for path in study.folder.rglob("*") if path.is_file()} == before


def test_results_of_a_run_with_failed_models_hold(two_models: Study) -> None:
    assert two_models.run(*RUN).code == 0
    two_models.text("runs/far.csv", "Remark\nx\n")  # its earlier reports stay
    assert two_models.run(*RUN).code == 3
    result = two_models.run("verify", RESULTS)
    assert (result.code, result.err) == (0, "")


def test_a_file_that_was_too_large_is_so_again(two_models: Study) -> None:
    path = two_models.folder / "runs/far.csv"
    path.write_text(path.read_text() + "\n" * 1_100_000)
    assert two_models.run(*RUN, "--max-file-mb", "1").code == 3
    result = two_models.run("verify", RESULTS)
    assert (result.code, result.err) == (0, "")


def append(path: Path) -> None:
    path.write_text(path.read_text() + "more,words\n")


CHANGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "runs/far.csv": (append, "has changed"),
    "refs/refs.csv": (Path.unlink, "is missing"),
    f"{RESULTS}/far_s_info.csv": (append, "has changed since it was written"),
    f"{RESULTS}/s_info_results.xlsx": (Path.unlink, "is missing"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_changed_is_named(two_models: Study, name: str) -> None:
    two_models.run(*RUN)
    change, says = CHANGES[name]
    change(two_models.folder / name)
    result = two_models.run("verify", RESULTS)
    assert (result.code, "exit 10: 1 difference" in result.text) == (10, True), result.err
    assert f"{name} {says}" in result.text


def test_a_number_that_scoring_does_not_give_is_found(two_models: Study) -> None:
    two_models.run(*RUN, "--no-workbooks")
    results = two_models.folder / RESULTS / "s_info_results.csv"
    manifest = results.with_name("manifest.json")
    value = two_models.results()["S_Info"]["far"]
    results.write_text(results.read_text().replace(str(value), "0.99"))
    content = json.loads(manifest.read_text())
    content["outputs"][results.name] = hashlib.sha256(results.read_bytes()).hexdigest()
    manifest.write_text(json.dumps(content))
    result = two_models.run("verify", RESULTS)
    assert result.code == 10
    assert f"is not the same if scored again: row 3, S_Info: 0.99 is now {value}" in result.text


def test_another_working_folder_is_named_as_the_reason(
    two_models: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    two_models.run(*RUN)
    monkeypatch.chdir(two_models.folder / "runs")
    result = two_models.run("verify", f"../{RESULTS}")
    assert (result.code, "relative to the folder where" in result.text) == (10, True)


def test_results_that_cannot_be_found_are_refused(study: Study) -> None:
    result = study.run("verify", "nowhere")
    assert (result.code, "holds no results" in result.text) == (2, True)

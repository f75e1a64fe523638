"""A family of another package: the code of docs/add-a-family.md, built, installed and run."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

DOC = Path(__file__).parents[2] / "docs" / "add-a-family.md"
SCORESHEET = str(Path(sys.executable).with_name("scoresheet"))
RIGHT = {"one": [1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0], "two": [0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0]}

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run scoresheet, with the package of the doc installed, in a folder with answers."""
    folder = tmp_path_factory.mktemp("package")
    files = re.findall(r"\*\*([\w.]+)\*\*\n\n```\w+\n(.*?)```", DOC.read_text("utf-8"), re.DOTALL)
    assert [name for name, _ in files] == ["exact_match.py", "pyproject.toml"]
    for name, content in files:
        (folder / name).write_text(content, encoding="utf-8")
    assert len(files[0][1].splitlines()) <= 80
    site = folder / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    install += ["--no-build-isolation", "--target", str(site), str(folder)]
    subprocess.run(install, check=True, capture_output=True)
    ids = [f"q{n}" for n in range(len(RIGHT["one"]))]
    for model, right in RIGHT.items():
        answers = [f"It is {n}" if good else "it is" for n, good in enumerate(right)]
        gold = [f"It is {n}" for n in range(len(ids))]
        table = {"question_id": ids, "output": answers, "gold": gold}
        (folder / "answers").mkdir(exist_ok=True)
        pd.DataFrame(table).to_csv(folder / "answers" / f"{model}.csv", index=False)
    environment = {**os.environ, "PYTHONPATH": str(site), "COLUMNS": "100"}

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [SCORESHEET, *arguments]
        return subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )

    return call


def test_the_help_lists_the_command_and_its_options(run: Run) -> None:
    assert "exact-match" in run("--help").stdout
    shown = run("exact-match", "--help").stdout
    assert all(name in shown for name in ("--ignore-case", "--column", "--by", "--ci", "-o"))


def test_it_is_scored_compared_explained_and_verified(run: Run) -> None:
    result = run("exact-match", "answers")
    assert result.returncode == 0, result.stderr
    assert "one scores highest (Exact match 83.3%)" in result.stdout
    assert "Difference in Exact match on shared" in result.stdout
    assert "item ← question_id · answer ← output" in result.stderr
    explain = result.stderr.strip().splitlines()[-1].split()
    assert explain[:5] == ["scoresheet", "explain", "results/exact_match", "--model", "one"]
    assert "compared without blanks" in run(*explain[1:]).stdout
    assert run("verify", "results/exact_match").returncode == 0
    content = json.loads(run("exact-match", "answers", "--format", "json", "--ignore-case").stdout)
    assert content["signature"].startswith("exact-match|case:ignored|v:")
    assert [row["Scored"] for row in content["results"]] == [12, 12]


def test_wrong_input_is_refused_with_the_option_to_type(run: Run) -> None:
    result = run("exact-match", "answers", "--column", "answer=reply")
    assert (result.returncode, "reply" in result.stderr) == (2, True)
    assert run("check", "exact-match", "answers").returncode == 0
    assert run("exact-match", "--ignore-case").returncode == 2


def test_it_has_a_template_and_settings(run: Run) -> None:
    result = run("init", "exact-match", "new")
    assert (result.returncode, "scoresheet exact-match OUTPUTS" in result.stdout) == (0, True)
    settings = run("init", "sinfo", "new")  # next to those of another family
    assert settings.returncode == 0


def test_a_family_that_cannot_be_loaded_costs_only_itself(tmp_path: Path) -> None:
    (tmp_path / "broken_family.py").write_text("import a_module_that_is_not_installed\n")
    about = tmp_path / "broken_family-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-family\nVersion: 1\n")
    entry = "[scoresheet.families]\nbroken = broken_family:FAMILY\n"
    (about / "entry_points.txt").write_text(entry)
    (tmp_path / "s.csv").write_text("item,score\na,1\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "COLUMNS": "100"}

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [SCORESHEET, *arguments]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    shown = call("--help")
    assert (shown.returncode, "sinfo" in shown.stdout) == (0, True), shown.stderr
    assert shown.stderr.startswith("note: broken cannot be loaded: No module named 'a_module_")
    for good in (["scores", "s.csv", "-q"], ["cite", "S_Info"]):
        assert (call(*good).returncode, call(*good).stderr) == (0, "")
    for bad in (["broken", "s.csv"], ["check", "broken", "s.csv"]):
        result = call(*bad)
        assert (result.returncode, "broken cannot be loaded" in result.stderr) == (2, True)

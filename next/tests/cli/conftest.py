"""A study: a folder with tables, and the command line run in it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from scoresheet.cli.app import run_app

Rows = Sequence[Sequence[object]]
RESULTS = "results/information_density"
RUN = ["sinfo", "runs", "refs"]  # what the study of two models is for


@dataclass
class Result:
    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """Everything on the screen, as one line."""
        return " ".join((self.err + " " + self.out).split())


class Study:
    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder, capsys

    def csv(self, name: str, header: str, rows: Rows) -> Path:
        frame = pd.DataFrame([list(row) for row in rows], columns=header.split(","))
        return self.text(name, frame.to_csv(index=False))

    def text(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def run(self, *arguments: str) -> Result:
        self._capsys.readouterr()
        code = run_app(list(arguments))
        printed = self._capsys.readouterr()
        return Result(code, printed.out, printed.err)

    def results(self, folder: str = RESULTS) -> pd.DataFrame:
        (path,) = (self.folder / folder).glob("*_results.csv")
        return pd.read_csv(path, index_col="Model Name")

    def units(self, model: str) -> pd.DataFrame:
        return pd.read_csv(self.folder / RESULTS / f"{model}_s_info.csv", dtype={"Idiom": str})

    def json(self, name: str) -> Any:
        return json.loads((self.folder / name).read_text(encoding="utf-8"))


@pytest.fixture
def study(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Study:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    return Study(tmp_path, capsys)


TEXTS = (
    "to tell people a secret by mistake",
    "to say something friendly to strangers",
    "to stay awake late and work",
    "to talk about side issues only",
    "to do something hard without complaint",
    "to say exactly what is true",
    "to make people laugh with a story",
    "to leave a problem as it is",
)


@pytest.fixture
def two_models(study: Study) -> Study:
    """Two models that answer eight idioms; the first repeats its references word by word."""
    answers = {
        "refs/refs.csv": TEXTS,
        "runs/close.csv": [f"{text} again" for text in TEXTS],
        "runs/far.csv": [f"it means {t.split()[-1]} and nothing more than that" for t in TEXTS],
    }
    for name, texts in answers.items():
        header = "idiom,explanation" if name.startswith("refs") else "Idiom,Prediction"
        study.csv(name, header, [[f"idiom {n}", text] for n, text in enumerate(texts)])
    return study

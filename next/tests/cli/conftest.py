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
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        frame = pd.DataFrame([list(row) for row in rows], columns=header.split(","))
        frame.to_csv(path, index=False)
        return path

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

    def results(self, folder: str = "results/information_density") -> pd.DataFrame:
        (path,) = (self.folder / folder).glob("*_results.csv")
        return pd.read_csv(path, index_col="Model Name", keep_default_na=True)

    def units(self, model: str, folder: str = "results/information_density") -> pd.DataFrame:
        (path,) = (self.folder / folder).glob(f"{model}_*.csv")
        return pd.read_csv(path, dtype={"Idiom": str})

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
    keys = [f"idiom {n}" for n in range(len(TEXTS))]
    study.csv("refs/refs.csv", "idiom,explanation", list(zip(keys, TEXTS, strict=True)))
    close = [f"{text} again" for text in TEXTS]
    far = [f"it means {text.split()[-1]} and nothing more than that" for text in TEXTS]
    study.csv("runs/close.csv", "Idiom,Prediction", list(zip(keys, close, strict=True)))
    study.csv("runs/far.csv", "Idiom,Prediction", list(zip(keys, far, strict=True)))
    return study

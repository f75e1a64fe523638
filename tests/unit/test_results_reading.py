"""A results folder read back: the texts as they were, files that changed refused, folders of others named."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoresheet.cli.exits import Exit, Stop
from scoresheet.cli.input.results_reading import EarlierResults, as_numbers
from scoresheet.cli.write.cell_text import csv_safe, csv_unguarded
from tests.helpers.runs import called_in


@given(st.text(alphabet="'=+-@\t\r1.a"))
def test_guarded_text_comes_back(text: str) -> None:
    assert csv_unguarded(csv_safe(text)) == text


@pytest.mark.parametrize("raw", [False, True])
def test_keys_come_back_as_they_were(tmp_path: Path, raw: bool) -> None:
    keys = ["=1+1", "'=1+1", "007", "7", "-x", "@home", "'tis"]
    rows = "".join(f'"{key}","a b c","a b c d"\n' for key in keys)
    (tmp_path / "m.csv").write_text("Idiom,Prediction,Reference\n" + rows, encoding="utf-8")
    run = called_in(tmp_path)
    assert run("sinfo", "m.csv", "-o", "out", *(["--raw-csv"] if raw else [])).code == 0
    results = EarlierResults.of(tmp_path / "out")
    assert results.models == ["m"]
    assert results.command.name == "sinfo"
    units = results.units("m")
    assert list(units["Idiom"]) == keys
    assert as_numbers(units["P_ROUGE"]) == [1.0] * len(keys)
    assert results.numbers()["m"]["S_Info"] == pytest.approx(math.exp(1 - 7 / 5))
    assert results.changed() == []


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("Idiom,Prediction,Reference\na,b c,b c\n", encoding="utf-8")
    assert called_in(tmp_path)("sinfo", "m.csv", "-o", "out").code == 0
    results = EarlierResults.of(tmp_path / "out")
    (tmp_path / "out" / "m_s_info.csv").write_text("Idiom,S_Info\na,1\n", encoding="utf-8")
    assert results.changed() == ["m_s_info.csv"]
    with pytest.raises(Stop, match="changed after the run"):
        results.units("m")


def test_other_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(Stop, match="no such folder") as stop:
        EarlierResults.of(tmp_path / "none")
    assert stop.value.code == Exit.USAGE
    with pytest.raises(Stop, match="no results of scoresheet here"):
        EarlierResults.of(tmp_path)
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "manifest.json").write_text(json.dumps({"tool": "scoresheet", "command": "sinfo"}))
    with pytest.raises(Stop, match="results below it: inner"):
        EarlierResults.of(tmp_path)
    (tmp_path / "manifest.json").write_text(json.dumps({"tool": "scoresheet", "command": "guess"}))
    with pytest.raises(Stop, match="a command that is not known here: guess"):
        EarlierResults.of(tmp_path)

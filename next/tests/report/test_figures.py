"""Figures for papers: what they show, and that the same charts give the same bytes."""

import math
from pathlib import Path
from xml.etree import ElementTree

import pytest

from scoresheet.cli.report import AnyChart, Bars, Chart, Distribution, Heat, Lines, Points
from scoresheet.cli.report.figures import write_figures

HOSTILE = "<b>$x^2$ & \x00雪中送炭"
SERIES = ((HOSTILE, [1.0, 2, 3], [0.4, math.nan, 0.6]), ("b", [1.0, 2, 3], [0.1, 0.2, 0.3]))
CHARTS: dict[str, tuple[AnyChart, list[str]]] = {
    "intervals": (
        Chart("S_Info (higher is better)", ((HOSTILE, 0.5, 0.4, 0.6), ("b", -0.25, math.nan, 1))),
        ["0.500", "−0.250", "S_Info (higher is better)"],
    ),
    "lines": (Lines("Ratio by epoch", "Epoch", "Ratio", SERIES, HOSTILE, "b"), ["Epoch", "Ratio"]),
    "points": (
        Points("Two factors", "Brevity", "Precision", SERIES),
        ["Brevity", "Precision", "b"],
    ),
    "bars": (
        Bars(
            "Shares", ((HOSTILE, (("Japan", 0.75), ("Peru", 0.25))), ("b", (("Peru", 1.0),))), 0.5
        ),
        ["Japan 75%", "Peru 100%", "60%"],
    ),
    "heat": (
        Heat("Bias", ("b", HOSTILE), ("x", "y", "z"), ((0.5, -0.25, math.nan), (0.0, 0.1, 0.2))),
        ["+0.500", "−0.250", "Bias", "z"],
    ),
    "spread": (Distribution("Scores", ((HOSTILE, [0.1, 0.2, 0.9]), ("b", [math.nan]))), ["0.200"]),
}


@pytest.mark.parametrize("kind", CHARTS)
def test_a_figure_has_its_numbers_and_names_as_text(kind: str, tmp_path: Path) -> None:
    chart, texts = CHARTS[kind]
    write_figures([chart], tmp_path / "first")
    write_figures([chart], tmp_path / "second")
    files = {path.name: path.read_bytes() for path in (tmp_path / "first").iterdir()}
    assert files == {path.name: path.read_bytes() for path in (tmp_path / "second").iterdir()}
    ends = {name.rpartition("_")[2] for name in files}
    assert ends == {"8cm.png", "8cm.svg", "17cm.png", "17cm.svg"}
    for name, content in files.items():
        if name.endswith("17cm.svg"):
            root = ElementTree.fromstring(content)
            assert float(root.attrib["width"].removesuffix("pt")) == pytest.approx(17 / 2.54 * 72)
            shown = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
            assert set(texts) <= set(shown)
            assert any("$x^2$ & " in str(text) for text in shown)


def test_charts_of_one_title_do_not_overwrite_each_other(tmp_path: Path) -> None:
    write_figures([CHARTS["spread"][0]] * 2, tmp_path)
    assert len(list(tmp_path.glob("*_8cm.png"))) == 2

"""`scoresheet collective`: pictures of many streams and experts that can still be read."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from itertools import combinations, pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.helpers.collective import PREDICTIONS, tabled
from tests.helpers.runs import Run

SVG = "{http://www.w3.org/2000/svg}"
LONG = "a very long name of a stream that goes on and on"


def predictions(streams: list[str]) -> str:
    return f"sample,label,{','.join(streams)}|s1,x{',x' * len(streams)}|s2,y{',x' * len(streams)}"


def texts(tmp_path: Path, kind: str) -> list[tuple[str, float, float, str]]:
    """Every text of a picture with its place and how it is turned."""
    root = ElementTree.fromstring((tmp_path / "out" / f"m_collective_{kind}.svg").read_text("utf-8"))
    return [
        ("".join(each.itertext()), float(each.attrib["x"]), float(each.attrib["y"]), each.attrib.get("transform", ""))
        for each in root.iter(f"{SVG}text")
    ]


def routed(run: Run, tmp_path: Path, streams: int, experts: int) -> list[tuple[str, float, float, str]]:
    """The texts of the heat map of so many streams, of which two predict: who predicts is nothing to the map."""
    names = [f"net {n}" for n in range(streams)]
    rows = [f"{name},{','.join([repr(1 / experts)] * experts)}" for name in names]
    head = ",".join(["stream", *(f"expert_number_{n}" for n in range(experts))])
    assert tabled(run, tmp_path, predictions=predictions(names[:2]), routing="|".join([head, *rows])).code == 0
    return texts(tmp_path, "routing")


@pytest.mark.parametrize(("experts", "most"), [(8, "0.125"), (24, "0.0417"), (1, "1")])
def test_a_heat_map_has_a_scale_of_its_colours_from_0_to_the_largest(
    run: Run, tmp_path: Path, experts: int, most: str
) -> None:
    found = {text: y for text, _, y, _ in routed(run, tmp_path, 3, experts)}
    assert {"0", most} <= set(found)
    assert found[most] < found["0"]


def test_every_row_and_column_of_a_large_heat_map_has_a_name_that_can_be_read(run: Run, tmp_path: Path) -> None:
    found = routed(run, tmp_path, 28, 24)
    rows = [y for text, _, y, _ in found if text.startswith("net ")]
    columns = [(x, turned) for text, x, _, turned in found if text.startswith("expert_")]
    assert (len(rows), len(columns)) == (28, 24)
    assert min(below - above for above, below in pairwise(rows)) > 11  # the size of the letters
    angles = {float(re.findall(r"-?[\d.]+", turned)[0]) for _, turned in columns}
    apart = min(right - left for (left, _), (right, _) in pairwise(columns))
    assert min(apart * math.sin(math.radians(-angle)) for angle in angles) > 11


def test_names_that_have_no_room_are_thinned_evenly_and_that_is_said(run: Run, tmp_path: Path) -> None:
    found = routed(run, tmp_path, 130, 3)
    rows = [int(text.removeprefix("net ")) for text, _, _, _ in found if text.startswith("net ")]
    assert {after - before for before, after in pairwise(rows)} == {3}
    assert "named: 1 of 3 rows" in [text for text, *_ in found]


def printed(
    run: Run, tmp_path: Path, names: list[str], vectors: list[tuple[float, float]]
) -> list[tuple[str, float, float, str]]:
    rows = [f"{name},{x},{y}" for name, (x, y) in zip(names, vectors, strict=True)]
    assert (
        tabled(run, tmp_path, predictions=predictions(names), fingerprints="|".join(["stream,d1,d2", *rows])).code == 0
    )
    return texts(tmp_path, "fingerprints")


def test_points_that_lie_on_one_another_share_their_numbers_and_have_a_legend(run: Run, tmp_path: Path) -> None:
    names = [f"{LONG} {n}" for n in range(14)]
    vectors = [(1.0, 1.0)] * 12 + [(-5.0, 2.0), (3.0, -4.0)]
    found = [text for text, *_ in printed(run, tmp_path, names, vectors)]
    assert {"1–12", "13", "14"} <= set(found)
    assert [text.split()[0] for text in found if text.endswith(tuple(f" on {n}" for n in range(14)))] == [
        str(n) for n in range(1, 15)
    ]


def test_numbers_of_a_crowd_do_not_hide_each_other(run: Run, tmp_path: Path) -> None:
    names = [f"{LONG} {n}" for n in range(20)]
    vectors = [(10 + math.cos(n), 10 + math.sin(2.3 * n)) for n in range(20)]
    found = [
        (text, x, y) for text, x, y, _ in printed(run, tmp_path, names, vectors) if re.fullmatch(r"[\d, –]+", text)
    ]
    numbers = [(text, x, y) for text, x, y in found if 62 < x < 400 and y < 280]  # inside the field
    assert len(numbers) > 10
    for (one, x, y), (other, u, v) in combinations(numbers, 2):
        assert abs(y - v) >= 11 or x + 6 * len(one) <= u or u + 6 * len(other) <= x, (one, other)


def test_few_points_have_their_names_beside_them(run: Run, tmp_path: Path) -> None:
    found = [text for text, *_ in printed(run, tmp_path, ["a", "b", "c"], [(1, 0), (0, 1), (-1, -1)])]
    assert {"a", "b", "c"} <= set(found)


@pytest.mark.parametrize(
    "fingerprints",
    ["a,.1,.2,.3|b,.1,.2,.3", "a,1e-13,0,0|b,0,1e-13,0", "a,1e300,0,0|b,0,1e300,1"],
    ids=["equal", "tiny", "huge"],
)
def test_fingerprints_that_are_alike_or_extreme_are_drawn_too(run: Run, tmp_path: Path, fingerprints: str) -> None:
    done = tabled(run, tmp_path, predictions=PREDICTIONS, fingerprints=f"stream,d1,d2,d3|{fingerprints}")
    assert done.code == 0, done.err
    ET.parse(tmp_path / "out" / "m_collective_fingerprints.svg")


@pytest.mark.parametrize("values", ["0.3|2,0.30000000000000004", "1e308|2,-1e308"])
def test_a_history_that_stands_still_or_explodes_is_drawn_too(run: Run, tmp_path: Path, values: str) -> None:
    assert tabled(run, tmp_path, predictions=PREDICTIONS, history=f"epoch,emergence_ratio|1,{values}").code == 0
    ET.parse(tmp_path / "out" / "m_collective_emergence.svg")

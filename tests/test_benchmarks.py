"""The benchmark's own arithmetic: growth, lines that are kept, sides that must agree, the page."""

from __future__ import annotations

from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture(autouse=True)
def _on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def test_growth_is_the_exponent_between_the_two_largest_sizes() -> None:
    from harness import growth

    assert growth([100, 10, 1_000], [3, 2, 30]) == pytest.approx(1)
    assert growth([1, 2, 4], [1, 1, 4]) == pytest.approx(2)


def test_a_line_that_is_done_is_not_measured_again(tmp_path: Path) -> None:
    from harness import Cost, Figures, Kept, Line, run_lines

    calls = []

    def measured(folder: Path) -> Figures:
        calls.append(folder)
        return Figures({"one": Cost(cpu=2.0, wall=3.0, peak=1e6)}, 5)

    line = Line("group", "name", measured)
    for _ in range(2):
        ((_, figures),) = run_lines([line], Kept(tmp_path / "kept" / "lines.json"))
        assert figures.costs["one"].cpu == 2
    assert len(calls) == 1
    kept = Kept(tmp_path / "kept" / "lines.json")
    kept.forget([line])
    assert line not in kept


def test_a_script_that_did_a_part_is_charged_for_the_rest(tmp_path: Path) -> None:
    from parts import Part, missing_cpu

    assert missing_cpu(tmp_path) == 0
    part = Part(10)
    part.cpu = 0.5
    part.note(tmp_path)
    assert missing_cpu(tmp_path) == pytest.approx(4.5)
    assert [number for number in range(25) if part.has(number)] == [0, 10, 20]


def test_sides_must_agree_on_what_both_have(tmp_path: Path) -> None:
    from harness import OURS, Agreement, DisagreementError

    def write(side: str, text: str) -> None:
        (tmp_path / side).mkdir(exist_ok=True)
        (tmp_path / side / "m_scores.csv").write_text(text, encoding="utf-8")

    agreement = Agreement("scores", ("Id",), {"Score": 1e-9})
    written = {OURS: tmp_path / OURS, "peer": tmp_path / "peer"}
    write(OURS, "Id,Score\na,0.5\nb,0.25\n")
    write("peer", "Id,Score\na,0.5\nb,\n")
    agreement.check(written, ["m"])
    write("peer", "Id,Score\na,0.6\nb,0.25\n")
    with pytest.raises(DisagreementError, match="Score of"):
        agreement.check(written, ["m"])
    write("peer", "Id,Other\na,0.5\n")
    with pytest.raises(DisagreementError, match="no number in common"):
        agreement.check(written, ["m"])


def test_the_page_has_ratios_growth_and_the_share_of_comparing(tmp_path: Path) -> None:
    from bench_sinfo import BENCH
    from commands import ALONE
    from harness import OURS, PURE, Cost, Figures, Kept
    from page import page

    kept = Kept(tmp_path / "lines.json")
    for line in BENCH.lines(quick=True):
        if "models" in line.name:
            costs = {OURS: Cost(line.size / 10, 1, 1e6), ALONE: Cost(line.size / 20, 1, 1e6)}
        else:
            costs = {OURS: Cost(line.size / 1e3, 1, 1e6), PURE: Cost(line.size / 500, 1, 1e6)}
            costs["recipe"] = Cost(line.size / 100, 1, 2e6, estimated=1.0)
        kept.keep(line, Figures(costs, line.size))
    text = page([BENCH], kept, quick=True)
    assert "| `sinfo` | recipe 10.0 × (5.0) | 1.00 | 1.00 | 50% of 40 |" in text
    assert "\\*" in text

"""Does the order of rows change any number?"""

from __future__ import annotations

import random
import shutil
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.helpers.collective import EVERYTHING, PLAIN, Row, Sheets, Study, plain, tabled
from tests.helpers.files import digests
from tests.helpers.runs import Run


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_the_order_of_rows_in_any_sheet_changes_nothing(run: Run, tmp_path: Path, data: st.DataObject) -> None:
    cells = st.sampled_from(["x", "y", "z", ""])
    rows = [
        f"s{n},{data.draw(st.sampled_from('xyz'))},{condition},{epoch},{','.join(data.draw(cells) for _ in range(3))}"
        for n in range(data.draw(st.integers(2, 6)))
        for condition in ("clean", "noise")
        for epoch in ("1", "2")
    ]
    weights = [f"{epoch},{stream},.{share},.{10 - share}" for epoch in "12" for stream, share in (("a", 3), ("b", 6))]
    ratios = [f"{epoch},{data.draw(st.sampled_from(['1', '1.2', '2']))}" for epoch in range(1, 6)]
    sheets = {
        "predictions": ("sample,label,condition,epoch,a,b,c", rows),
        "routing": ("epoch,stream,w1,w2", weights),
        "history": ("epoch,emergence_ratio", ratios),
    }
    ties = data.draw(st.sampled_from(["first", "wrong", "class", "random"]))
    written = []
    for shuffled in (False, True):
        texts = {
            name: "|".join([head, *(data.draw(st.permutations(body)) if shuffled else body)])
            for name, (head, body) in sheets.items()
        }
        assert tabled(run, tmp_path, "--ties", ties, "--quiet", **texts).code == 0
        files = ("collective_results.csv", "m_collective.csv", "metrics.json", "m_collective.md")
        written.append([(tmp_path / "out" / file).read_bytes() for file in files])
    assert written[0] == written[1]


# --- the order of rows ------------------------------------------------------------------------------------------------


def mixed_up(sheets: Sheets, seed: int) -> Sheets:
    """The same rows of every sheet in another order."""
    draw = random.Random(seed)
    return {name: [rows[0], *draw.sample(rows[1:], len(rows) - 1)] for name, rows in sheets.items()}


def test_the_order_of_the_rows_of_no_sheet_matters(study: Study) -> None:
    draw = random.Random(8)
    pairs = [(row[0], name) for row in PLAIN[1:] for name in "abc"]
    logits: list[Row] = [
        ("sample", "stream", "x", "y", "z"),
        *((*p, *(draw.gauss(0, 1) for _ in "xyz")) for p in pairs),
    ]
    weights: list[Row] = [
        ("name", "value"),
        *((f"weight:{name}", n) for n, name in enumerate("abc", 1)),
        ("params_m", 3),
    ]
    options: tuple[str, ...]
    for name, sheets, options in (
        ("votes", EVERYTHING, ("--ties", "random")),
        ("means", plain(probabilities=logits, parameters=weights), ("--fusion", "weighted-mean", "--logits")),
    ):
        found = []
        for seed in range(3):
            shutil.rmtree(study.outs, ignore_errors=True)
            study.system(mixed_up(sheets, seed) if seed else sheets)
            assert study.score(*options, res=f"{name}{seed}").code == 0
            made = digests(study.root / f"{name}{seed}")
            own = {
                key: value for key, value in made.items() if not key.endswith(".xlsx")
            }  # those have digests of inputs
            own.pop("problems.csv")  # it has the numbers of rows
            found.append(own)
        assert {"m_collective.csv", "m_collective.md", "metrics.json", "collective_results.csv"} <= set(found[0])
        assert found[1] == found[0]
        assert found[2] == found[0]

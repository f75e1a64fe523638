"""Does the order of rows change any number?"""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.helpers.collective import EVERYTHING, PLAIN, Row, Sheets, Study, plain
from tests.helpers.files import digests, read_csv, write_bytes
from tests.helpers.runs import Run
from tests.helpers.workbooks import empty_workbooks


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
    for model, shuffled in (("m", False), ("n", True)):
        for name, (head, body) in sheets.items():
            text = "\n".join([head, *(data.draw(st.permutations(body)) if shuffled else body)])
            write_bytes(tmp_path / "in" / model / f"{name}.csv", text.encode())
    with empty_workbooks():
        assert run("collective", "in", "-o", "out", "--ties", ties, "--quiet").code == 0
    out = tmp_path / "out"
    one, other = read_csv(out / "collective_results.csv")
    assert {**one, "Model Name": "n"} == other
    metrics = json.loads((out / "metrics.json").read_text("utf-8"))
    for own in metrics.values():
        own.pop("Run_Pages")  # of a comparison the first model has the line
    assert metrics["m"] == metrics["n"]
    assert (out / "m_collective.csv").read_bytes() == (out / "n_collective.csv").read_bytes()
    report, again = ((out / f"{model}_collective.md").read_text("utf-8") for model in "mn")
    assert report == again.replace("## Results for n", "## Results for m").replace("n_collective", "m_collective")


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
            hashed = (".xlsx", "cache/m_collective.json")  # digests of inputs are in these
            own = {key: value for key, value in made.items() if not key.endswith(hashed)}
            own.pop("problems.csv")  # it has the numbers of rows
            found.append(own)
        assert {"m_collective.csv", "m_collective.md", "metrics.json", "collective_results.csv"} <= set(found[0])
        assert found[1] == found[0]
        assert found[2] == found[0]

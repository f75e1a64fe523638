"""`scoresheet collective`: which column, row or name is which stream."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.helpers.collective import PREDICTIONS, SURE, judged, kinds, line, numbers, shares, tabled
from tests.helpers.files import Rows, read_csv, sheet_rows, write_csv
from tests.helpers.runs import Run
from tests.helpers.studies import problems_of

pytestmark = pytest.mark.usefixtures("no_workbooks")

CASES = "sample,label,A,a|s1,x,x,y|s2,x,x,y"
SPELT = "sample,label,net_1,net 1|s1,x,x,y|s2,x,x,y"


@pytest.mark.parametrize(
    ("text", "named", "streams"),
    [
        (CASES, "A", {"A": 1.0}),
        (CASES, "a", {"a": 0.0}),
        (CASES, "a,A", {"A": 1.0, "a": 0.0}),
        (SPELT, "net_1,net 1", {"net_1": 1.0, "net 1": 0.0}),
        (SPELT, "net_1", {"net_1": 1.0}),
        (PREDICTIONS, "B", {"b": 0.75}),
    ],
)
def test_a_stream_is_the_column_of_that_very_name_or_the_only_one_like_it(
    run: Run, tmp_path: Path, text: str, named: str, streams: dict[str, float]
) -> None:
    assert tabled(run, tmp_path, "--streams", named, predictions=text).code == 0
    assert {name: own["Accuracy"] for name, own in numbers(tmp_path)["By_Stream"].items()} == streams


def test_a_name_that_could_be_two_columns_is_refused_with_both(run: Run, tmp_path: Path) -> None:
    done = judged(run, tmp_path, "--streams", "NET1", predictions=SPELT)
    assert done.code == 4
    assert "'NET1', which --streams names, could be 'net_1' or 'net 1'" in " ".join(done.err.split())


@pytest.mark.parametrize("nothing", [",", " , ,", " "])
def test_streams_that_name_nothing_are_a_usage_error(run: Run, tmp_path: Path, nothing: str) -> None:
    done = tabled(run, tmp_path, "--streams", nothing, predictions=PREDICTIONS)
    assert (done.code, "streams" in done.err) == (2, True)


def test_the_order_in_which_streams_are_named_changes_nothing(run: Run, tmp_path: Path) -> None:
    text = "sample,label,a,b,c|" + "|".join(f"s{n},x,x,y,z" for n in range(6))
    written = []
    for named in ("a,b", "b,a"):
        assert tabled(run, tmp_path, "--streams", named, predictions=text).code == 0
        written.append((line(tmp_path), (tmp_path / "out" / "m_collective.csv").read_text(encoding="utf-8")))
    assert written[0] == written[1]
    assert written[0][0]["Collective_Accuracy"] == "1.0"  # all are ties, and a stands left of b in the file


@pytest.mark.usefixtures("workbooks")
def test_streams_that_are_left_out_are_left_out_of_every_sheet(run: Run, tmp_path: Path) -> None:
    sheets = {
        "predictions": "sample,label,a,b,c|s1,x,x,y,y|s2,y,y,y,x|s3,x,x,x,y",
        "fingerprints": "stream,d1,d2|a,1,0|b,0,1|c,1,0",
        "anchors": "stream,k1,k2|a,1,1|b,1,1|c,100,0",
        "routing": "stream,e1,e2|a,.5,.5|b,.5,.5|c,1,0",
        "history": "epoch,collective_acc,acc:a,acc:b,acc:c|1,.8,.4,.4,.8|2,.8,.4,.4,.001",
    }
    assert judged(run, tmp_path, "--streams", "a,b", **sheets).code == 0
    told = line(tmp_path)
    assert float(told["Fingerprint_Diversity"]) == pytest.approx(1.0)
    assert float(told["Anchor_Entropy"]) == pytest.approx(math.log(2))
    assert float(told["Routing_Entropy"]) == pytest.approx(math.log(2))
    assert told["Alerts"] == "0"  # c alone is dead
    assert "unknown-stream" not in kinds(tmp_path)
    head, *rows = sheet_rows(tmp_path / "out" / "m_collective.xlsx", "History by epoch")
    assert "acc:c" not in head
    assert [row[head.index("emergence_ratio")] for row in rows] == pytest.approx([2.0, 2.0])


def test_a_stream_that_no_column_has_is_noted_beside_those_that_are_left_out(run: Run, tmp_path: Path) -> None:
    sheets = {"predictions": "sample,label,a,b|s1,x,x,y", "fingerprints": "stream,d1|a,1|B,1|zzz,1"}
    assert tabled(run, tmp_path, "--streams", "a", **sheets).code == 0
    messages = [
        each["message"] for each in read_csv(tmp_path / "out" / "problems.csv") if each["kind"] == "unknown-stream"
    ]
    assert messages == ["streams of the sheet fingerprints that the predictions do not have: zzz; they are left out"]


def test_a_row_about_a_stream_that_is_left_out_is_not_taken_for_one_in_another_case(run: Run, tmp_path: Path) -> None:
    prints = "stream,d1,d2|A,1,0|b,0,1|a,1,1"
    text = "sample,label,A,a,b|s1,x,x,y,x"
    assert tabled(run, tmp_path, "--streams", "A,b", predictions=text, fingerprints=prints).code == 0
    assert line(tmp_path)["Fingerprint_Diversity"] == "1.0"


TWINS = {
    "fingerprints": "stream,d1,d2|net_1,1,0|Net 1,1,0|b,0,1",
    "anchors": "stream,k1,k2|net_1,1,0|Net 1,1,0|b,0,1",
    "routing": "stream,e1,e2|net_1,1,0|Net 1,1,0|b,0,1",
    "history": "epoch,acc:net_1,acc:Net 1,collective_acc,acc:b|1,.9,.1,.9,.2|2,.9,.1,.9,.2",
    "parameters": "name,value|weight:net_1,1|weight:Net 1,2|weight:b,1",
}


@pytest.mark.parametrize("sheet", TWINS)
def test_two_names_of_one_stream_cost_their_sheet(run: Run, tmp_path: Path, sheet: str) -> None:
    text = "sample,label,net_1,b|s1,x,x,y|s2,y,y,y"
    done = tabled(run, tmp_path, predictions=text, **{sheet: TWINS[sheet]})
    assert (done.code, line(tmp_path)["Status"]) == (3, "partial")
    (found,) = [each for each in read_csv(tmp_path / "out" / "problems.csv") if each["kind"] == "duplicate-sample"]
    assert (found["sheet"], found["effect"]) == (sheet, "sheet skipped")
    assert "'net_1' and 'Net 1'" in found["message"]


@pytest.mark.parametrize("sheet", TWINS)
def test_two_streams_that_differ_in_spelling_are_each_their_own(run: Run, tmp_path: Path, sheet: str) -> None:
    text = "sample,label,net_1,Net 1,b|s1,x,x,x,y|s2,y,y,x,y"
    assert tabled(run, tmp_path, predictions=text, **{sheet: TWINS[sheet]}).code == 0
    assert not {"duplicate-sample", "unknown-stream"} & kinds(tmp_path)


def test_two_columns_of_a_history_that_mean_the_same_cost_it(run: Run, tmp_path: Path) -> None:
    history = "epoch,emergence_ratio,Collective Acc,collective_acc|1,5,.2,.8|2,1,.2,.8"
    done = tabled(run, tmp_path, predictions=PREDICTIONS, history=history)
    assert (done.code, line(tmp_path)["Alerts"]) == (3, "0")
    assert "two columns of the sheet history are collective_acc" in " ".join(done.err.split())


def test_two_columns_that_could_name_the_streams_cost_their_sheet(run: Run, tmp_path: Path) -> None:
    done = tabled(run, tmp_path, predictions=PREDICTIONS, fingerprints="Stream,STREAM,d1|a,b,1|b,a,2")
    assert (done.code, line(tmp_path)["Fingerprint_Diversity"]) == (3, "")
    assert "ambiguous-column" in kinds(tmp_path)


@pytest.mark.parametrize("count", ["0", "-5"])
def test_so_few_parameters_are_a_slip(run: Run, tmp_path: Path, count: str) -> None:
    assert tabled(run, tmp_path, predictions=PREDICTIONS, parameters=f"name,value|params_m,{count}").code == 0
    assert (line(tmp_path)["Params_M"], line(tmp_path)["Efficiency"]) == ("", "")
    assert "bad-number" in kinds(tmp_path)
    assert "nan" not in (tmp_path / "out" / "m_collective.md").read_text(encoding="utf-8")


def test_parameters_without_a_name_are_left_out_and_the_others_count(run: Run, tmp_path: Path) -> None:
    assert tabled(run, tmp_path, predictions=PREDICTIONS, parameters="name,value|params_m,5|,x|,y").code == 0
    assert line(tmp_path)["Params_M"] == "5.0"
    lines = [each for each in read_csv(tmp_path / "out" / "problems.csv") if each["sheet"] == "parameters"]
    assert [(each["row"], each["message"]) for each in lines] == [
        ("3", "the cell name is empty"),
        ("4", "the cell name is empty"),
    ]


def test_two_streams_of_one_name_composed_in_different_ways_are_refused(run: Run, tmp_path: Path) -> None:
    done = judged(run, tmp_path, predictions="sample,label,re\u0301seau,r\u00e9seau|s1,x,x,y")
    assert (done.code, "r\u00e9seau" in done.err) == (4, True)


def test_a_column_of_remarks_among_streams_is_said_aloud(run: Run, tmp_path: Path) -> None:
    rows = [(f"s{place}", "xy"[place % 2], "x", "y", "fine" if place % 2 else "") for place in range(6)]
    write_csv(tmp_path / "outs/m.csv", [("sample", "label", "A", "B", "remarks"), *rows])
    done = run("collective", "outs", "-o", "res")
    assert done.code == 0
    assert "if it is no stream, name those that are with --streams" in done.err


def test_columns_and_streams_that_predictions_do_not_know_are_noted(run: Run, tmp_path: Path) -> None:
    table = shares(*(f"{row},.0" for row in SURE), "s1,zzz,.5,.5,0", columns="x,y,confidence")
    prints = "stream,d1,d2|a,1,0|b,0,1|yyy,1,1"
    assert (
        tabled(
            run, tmp_path, "--fusion", "mean", predictions=PREDICTIONS, probabilities=table, fingerprints=prints
        ).code
        == 0
    )
    assert {"unknown-class", "unknown-stream"} <= kinds(tmp_path)


def test_a_stream_is_known_however_its_name_is_composed(run: Run, tmp_path: Path) -> None:
    name = "re\u0301seau"
    text = f"sample,label,{name}|s1,x,x|s2,y,y"
    weights = "name,value|weight:r\u00e9seau,1"
    assert judged(run, tmp_path, "--fusion", "weighted", predictions=text, parameters=weights).code == 0
    assert line(tmp_path)["Collective_Accuracy"] == "1.0"


def test_a_parameter_that_is_there_twice_costs_its_sheet(run: Run, tmp_path: Path) -> None:
    done = tabled(run, tmp_path, predictions=PREDICTIONS, parameters="name,value|params_m,60|Params M,600")
    assert (done.code, "params_m is there twice" in done.err) == (3, True)
    assert (line(tmp_path)["Samples"], line(tmp_path)["Params_M"]) == ("4", "")


def test_what_looks_like_the_ensembles_own_predictions_is_no_stream_by_itself(run: Run, tmp_path: Path) -> None:
    text = "sample,y_true,a,b,ensemble_pred|s1,x,x,y,x|s2,y,x,y,y"
    refused = tabled(run, tmp_path, predictions=text)
    assert (refused.code, "--column collective=ensemble_pred" in refused.err) == (4, True)
    assert tabled(run, tmp_path, "--column", "collective=ensemble_pred", predictions=text).code == 0
    assert (line(tmp_path)["Streams"], line(tmp_path)["Emergence_Ratio"]) == ("2", "2.0")
    assert tabled(run, tmp_path, "--streams", "a,b,ensemble_pred", predictions=text).code == 0
    assert line(tmp_path)["Streams"] == "3"


PREDICTED: Rows = [("sample", "label", "A", "B"), (1, "x", "x", "y"), (2, "y", "x", "y")]


def test_it_is_said_whether_a_stranger_in_the_routing_counts(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "outs/m/predictions.csv", PREDICTED)
    write_csv(tmp_path / "outs/m/routing.csv", [("stream", "e1", "e2"), ("A", 0.5, 0.5), ("B", 1, 0), ("Z", 0.2, 0.8)])
    for options, said in (((), "they count there all the same"), (("--streams", "A,B"), "they are left out")):
        assert run("collective", "outs", "-o", "res", *options).code == 0
        assert problems_of(tmp_path / "res", "unknown-stream")[0]["message"].endswith(said)

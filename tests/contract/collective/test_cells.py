"""`scoresheet collective`: cells that are empty, broken, or numbers that a float cannot tell apart."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.helpers.collective import HEAD, PREDICTIONS, SURE, Row, Study, judged, line, numbers, shares, tabled
from tests.helpers.files import Rows, edit_sheet, read_csv, write_book
from tests.helpers.runs import Run

EPOCHS = "sample,label,epoch,a,b|" + "|".join(f"s{n},x,{epoch},x,y" for epoch in (1, 2) for n in range(5))


def problems(tmp_path: Path, kind: str) -> list[tuple[str, str, str]]:
    lines = read_csv(tmp_path / "out" / "problems.csv")
    return [(each["row"], each["column"], each["effect"]) for each in lines if each["kind"] == kind]


def test_a_row_without_an_epoch_among_rows_with_one_is_not_scored(run: Run, tmp_path: Path) -> None:
    assert tabled(run, tmp_path, predictions=EPOCHS).code == 0
    whole = line(tmp_path)
    assert tabled(run, tmp_path, predictions=f"{EPOCHS}|s99,x,,y,y").code == 0
    told = line(tmp_path)
    assert (told["Samples"], told["Collective_Accuracy"]) == (whole["Samples"], whole["Collective_Accuracy"])
    assert (whole["Samples"], told["Rows"], told["Scored"]) == ("5", "11", "10")
    assert problems(tmp_path, "empty-key") == [("12", "epoch", "row not scored")]


def test_a_column_of_epochs_that_is_empty_is_as_good_as_none(run: Run, tmp_path: Path) -> None:
    routing = "sample,epoch,e1,e2|s1,,.5,.5|s2,,1,0"
    assert tabled(run, tmp_path, predictions="sample,label,epoch,a|s1,x,,x|s2,y,,y", routing=routing).code == 0
    assert (line(tmp_path)["Samples"], problems(tmp_path, "empty-key")) == ("2", [])
    assert float(line(tmp_path)["Routing_Entropy"]) == pytest.approx(math.log(2) / 2)


def test_routing_without_an_epoch_among_rows_with_one_is_left_out(run: Run, tmp_path: Path) -> None:
    routing = "sample,epoch,e1,e2|s1,1,.5,.5|s2,1,.5,.5|s9,,1,0"
    assert tabled(run, tmp_path, predictions=PREDICTIONS, routing=routing).code == 0
    assert float(line(tmp_path)["Routing_Entropy"]) == pytest.approx(math.log(2))
    assert problems(tmp_path, "empty-key") == [("4", "epoch", "row not scored")]


def broken(tmp_path: Path, *cells: str, text: str = "77") -> Path:
    rows = [("sample", "label", "collective", "a", "b", "c"), *[(f"s{n}", "x", "x", "x", "x", "x") for n in range(10)]]
    table: list[list[object]] = [list(row) for row in rows]
    for cell in cells:
        table[int(cell[1:]) - 1]["ABCDEF".index(cell[0])] = int(text)
    path = write_book(tmp_path / "in" / "m.xlsx", {"predictions": table})
    for cell in cells:
        edit_sheet(path, f'<c r="{cell}"><v>{text}</v>', f'<c r="{cell}" t="e"><v>#DIV/0!</v>')
    return path


def test_an_error_cell_of_a_stream_is_no_vote_and_no_class(run: Run, tmp_path: Path) -> None:
    broken(tmp_path, *(f"{column}{row}" for row in range(2, 7) for column in "DE"))
    assert run("collective", "in", "-o", "out").code == 0
    found = numbers(tmp_path)
    assert found["Fused_Accuracy"] == 1.0  # two errors do not outvote one that is right
    assert {name: own["Accuracy"] for name, own in found["By_Stream"].items()} == {"a": 0.5, "b": 0.5, "c": 1.0}
    assert sorted(problems(tmp_path, "error-cell")) == [
        (str(row), name, "note") for row in range(2, 7) for name in "ab"
    ]
    assert not problems(tmp_path, "unknown-class")
    assert not problems(tmp_path, "blank-prediction")


@pytest.mark.parametrize(("cell", "column"), [("A2", "sample"), ("B2", "label"), ("C2", "collective")])
def test_an_error_in_what_a_row_is_about_costs_the_row(run: Run, tmp_path: Path, cell: str, column: str) -> None:
    broken(tmp_path, cell)
    assert run("collective", "in", "-o", "out").code == 0
    assert (line(tmp_path)["Samples"], line(tmp_path)["Scored"]) == ("9", "9")
    assert problems(tmp_path, "error-cell") == [("2", column, "row not scored")]


def test_the_text_of_an_error_in_a_csv_is_a_class_like_any_other(run: Run, tmp_path: Path) -> None:
    assert judged(run, tmp_path, predictions="sample,label,a|s1,#DIV/0!,#DIV/0!|s2,x,x").code == 0
    assert line(tmp_path)["Collective_Accuracy"] == "1.0"


def test_an_error_where_another_sheet_names_a_stream_costs_that_row(run: Run, tmp_path: Path) -> None:
    prints: list[tuple[object, ...]] = [("stream", "d1", "d2"), ("a", 1, 0), ("b", 0, 1), (77, 1, 0)]
    sheets: dict[str, Rows] = {
        "predictions": [row.split(",") for row in PREDICTIONS.split("|")],
        "fingerprints": prints,
    }
    path = write_book(tmp_path / "in" / "m.xlsx", sheets)
    edit_sheet(path, '<c r="A4"><v>77</v>', '<c r="A4" t="e"><v>#N/A</v>', number=2)
    assert run("collective", "in", "-o", "out").code == 0
    assert line(tmp_path)["Fingerprint_Diversity"] == "1.0"
    assert problems(tmp_path, "error-cell") == [("4", "stream", "row not scored")]


THREE = "sample,label,a,b,c|s1,x,x,y,x|s2,x,x,y,x"


@pytest.mark.parametrize("cell", ["", " ", "n/a", "nan", "inf", "-inf"])
def test_a_stream_without_a_number_for_a_class_does_not_count_there(run: Run, tmp_path: Path, cell: str) -> None:
    rows = [f"s{n},{row}" for n in (1, 2) for row in (f"a,1,{cell}", "b,.1,.9", f"c,1,{cell}")]
    assert tabled(run, tmp_path, "--fusion", "mean", predictions=THREE, probabilities=shares(*rows)).code == 0
    assert line(tmp_path)["Collective_Accuracy"] == "0.0"  # b alone has said how probable both are
    listed = problems(tmp_path, "missing-probabilities")
    assert [each for each in listed if each[0]] == [(str(row), "y", "row not scored") for row in (2, 4, 5, 7)]


@pytest.mark.parametrize("sheet", ["logits", "probabilities"])
@pytest.mark.parametrize("least", ["-inf", "-Infinity"])
def test_a_logit_of_minus_infinity_is_a_class_that_cannot_win(run: Run, tmp_path: Path, sheet: str, least: str) -> None:
    rows = [f"s{n},{row}" for n in (1, 2) for row in (f"a,-9,{least}", "b,-9,9", "c,-9,9")]
    options = ("--fusion", "mean", *(("--logits",) if sheet == "probabilities" else ()))
    assert judged(run, tmp_path, *options, predictions=THREE, **{sheet: shares(*rows)}).code == 0
    assert line(tmp_path)["Collective_Accuracy"] == "1.0"
    assert not problems(tmp_path, "missing-probabilities")
    # the others, of whom neither rules y out, are wrong without a
    assert numbers(tmp_path)["By_Stream"]["a"]["Contribution"] == 1.0


def test_streams_that_rule_out_every_class_between_them_are_wrong_and_no_tie(run: Run, tmp_path: Path) -> None:
    rows = ["s1,a,1,-inf", "s1,b,-inf,1", "s2,a,1,-inf", "s2,b,1,0"]
    text = "sample,label,a,b|s1,x,x,y|s2,x,x,x"
    assert tabled(run, tmp_path, "--fusion", "mean", predictions=text, logits=shares(*rows)).code == 0
    assert (line(tmp_path)["Collective_Accuracy"], line(tmp_path)["Ties"]) == ("0.5", "0")


def test_a_logit_of_minus_infinity_with_a_weight_of_0_rules_nothing_out(run: Run, tmp_path: Path) -> None:
    rows = [f"s{n},{row}" for n in (1, 2) for row in ("a,-inf,3", "b,2,1")]
    sheets = {"logits": shares(*rows), "parameters": "name,value|weight:a,0|weight:b,1"}
    text = "sample,label,a,b|s1,x,x,y|s2,x,x,x"
    assert judged(run, tmp_path, "--fusion", "weighted-mean", predictions=text, **sheets).code == 0
    assert line(tmp_path)["Collective_Accuracy"] == "1.0"


def test_a_tie_of_means_goes_to_the_class_to_which_a_tie_of_votes_goes(run: Run, tmp_path: Path) -> None:
    text = "sample,label,a,b|s1,-1,-1,1|s2,-1,1,-1|s3,1,1,1"
    table = shares("s1,a,.3,.7", "s1,b,.7,.3", "s2,a,.5,.5", "s2,b,.5,.5", "s3,a,1,0", "s3,b,1,0", columns="1,-1")
    found = []
    for fusion in ("majority", "mean"):
        options = ("--fusion", fusion, "--ties", "class")
        assert tabled(run, tmp_path, *options, predictions=text, probabilities=table).code == 0
        found.append(line(tmp_path)["Collective_Accuracy"])
    assert found == ["1.0", "1.0"]


def test_of_logits_and_probabilities_the_logits_are_used_and_that_is_said(run: Run, tmp_path: Path) -> None:
    sheets = {
        "probabilities": shares(*SURE),
        "logits": shares(*(f"s{n},{name},1,2" for n in range(1, 5) for name in "ab")),
    }
    done = tabled(run, tmp_path, "--fusion", "mean", predictions=PREDICTIONS, **sheets)
    assert (done.code, line(tmp_path)["Collective_Accuracy"]) == (0, "0.5")
    lines = read_csv(tmp_path / "out" / "problems.csv")
    assert [each["message"] for each in lines if each["sheet"] == "probabilities"] == [
        "the sheet probabilities was not used: there is a sheet logits too, whose mean was taken"
    ]


def test_logits_that_are_said_to_be_in_a_sheet_that_is_not_there_are_noted(run: Run, tmp_path: Path) -> None:
    assert tabled(run, tmp_path, "--logits", predictions=PREDICTIONS).code == 0
    assert problems(tmp_path, "missing-sheet") == [("", "", "note")]


@pytest.mark.parametrize("digits", ["9007199254740993", "9007199254740993.0", "+9007199254740993"])
def test_numbers_that_a_float_cannot_tell_apart_are_classes_of_their_own(run: Run, tmp_path: Path, digits: str) -> None:
    rows = "|".join(f"s{n},9007199254740993,9007199254740992,{digits}" for n in range(4))
    assert judged(run, tmp_path, predictions=f"sample,label,a,b|{rows}").code == 0
    streams = numbers(tmp_path)["By_Stream"]
    assert (streams["a"]["Accuracy"], streams["b"]["Accuracy"]) == (0.0, 1.0)


def test_a_class_column_is_found_by_all_digits_of_its_number(run: Run, tmp_path: Path) -> None:
    text = "sample,label,a|s1,9007199254740993,9007199254740993|s2,9007199254740992,9007199254740992"
    table = shares("s1,a,.9,.1", "s2,a,.1,.9", columns="9007199254740993.0,9007199254740992.0")
    assert judged(run, tmp_path, "--fusion", "mean", predictions=text, probabilities=table).code == 0
    assert line(tmp_path)["Collective_Accuracy"] == "1.0"


def test_classes_that_look_alike_to_a_loose_eye_are_columns_of_their_own(run: Run, tmp_path: Path) -> None:
    text = "sample,label,a|s1,-1,-1|s2,1,1"
    assert (
        tabled(
            run, tmp_path, "--fusion", "mean", predictions=text, logits=shares("s1,a,3,0", "s2,a,0,3", columns="-1,1")
        ).code
        == 0
    )
    assert line(tmp_path)["Collective_Accuracy"] == "1.0"


def test_a_class_may_be_called_what_we_call_a_column(run: Run, tmp_path: Path) -> None:
    text = "sample,label,a|s1,gold,gold|s2,target,target"
    table = shares("s1,a,.9,.1", "s2,a,.1,.9", columns="gold,target")
    assert tabled(run, tmp_path, "--fusion", "mean", predictions=text, probabilities=table).code == 0
    assert line(tmp_path)["Collective_Accuracy"] == "1.0"


def test_a_row_that_is_not_scored_does_not_say_what_classes_are(run: Run, tmp_path: Path) -> None:
    assert tabled(run, tmp_path, predictions="sample,label,a|s1,1,1.0|s2,2,2.0|,total,n").code == 0
    assert line(tmp_path)["Collective_Accuracy"] == "1.0"


def test_class_columns_are_numbers_where_classes_are(study: Study) -> None:
    shares: list[Row] = [("sample", "stream", "1.0", "2.0"), ("s1", "a", 0.9, 0.1), ("s2", "a", 0.2, 0.8)]
    study.system({"predictions": [(*HEAD, "a"), ("s1", 1, 2), ("s2", 2, 1)], "probabilities": shares})
    assert study.tables("--fusion", "mean").code == 0
    assert study.value("Collective_Accuracy") == 1


def test_two_columns_that_could_be_the_value_of_parameters_are_refused_by_their_names(run: Run, tmp_path: Path) -> None:
    sheets = {"predictions": PREDICTIONS, "parameters": "name,Value,VALUE|weight:a,1,2"}
    ended = tabled(run, tmp_path, **sheets)
    assert "'Value' and 'VALUE' could both be value of the sheet parameters" in ended.err
    sheets["parameters"] = "name,value,VALUE|weight:a,1,2"
    assert "could both be" not in tabled(run, tmp_path, **sheets).err


def messages(tmp_path: Path, kind: str) -> str:
    return "\n".join(each["message"] for each in read_csv(tmp_path / "out" / "problems.csv") if each["kind"] == kind)


def test_a_label_without_a_column_among_the_probabilities_is_never_right_there_and_named(
    run: Run, tmp_path: Path
) -> None:
    text = "sample,label,a,b|s1,x,x,y|s2,z,z,z"
    rows = [f"s{n},{name},.9,.1" for n in (1, 2) for name in "ab"]
    assert tabled(run, tmp_path, "--fusion", "mean", predictions=text, probabilities=shares(*rows)).code == 0
    assert line(tmp_path)["Collective_Accuracy"] == "0.5"
    assert "labels without a column in the sheet probabilities, never right there: z" in messages(
        tmp_path, "missing-probabilities"
    )


def test_probabilities_outside_0_to_1_are_noted_and_those_at_its_ends_are_not(run: Run, tmp_path: Path) -> None:
    text = "sample,label,a|s1,x,x|s2,y,y"
    for values, noted in ((("1,0", "0,1"), False), (("1.5,0", "0,1"), True), (("1,-.5", "0,1"), True)):
        rows = [f"s{n},a,{own}" for n, own in enumerate(values, start=1)]
        assert judged(run, tmp_path, "--fusion", "mean", predictions=text, probabilities=shares(*rows)).code == 0
        assert ("if they are logits, say --logits" in messages(tmp_path, "bad-number")) == noted, values


def test_two_rows_of_probabilities_for_one_stream_and_sample_are_refused_by_their_rows(
    run: Run, tmp_path: Path
) -> None:
    rows = ["s1,a,.9,.1", "s2,a,.1,.9", "s1,a,.2,.8"]
    text = "sample,label,a|s1,x,x|s2,y,y"
    ended = tabled(run, tmp_path, "--fusion", "mean", predictions=text, probabilities=shares(*rows))
    assert ended.code == 4
    assert "a has two rows for the sample 's1' in the sheet probabilities, in rows 2 and 4" in ended.err


def test_probabilities_of_other_samples_alone_score_nothing(run: Run, tmp_path: Path) -> None:
    text = "sample,label,a|s1,x,x|s2,y,y"
    ended = tabled(run, tmp_path, "--fusion", "mean", predictions=text, probabilities=shares("t1,a,.9,.1"))
    assert ended.code == 4
    assert "no prediction (clean) has a row among the probabilities" in ended.err

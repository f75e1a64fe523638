"""Are long logs read as what they say, and refused where nobody could know what they say?"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from scoresheet.metrics.families.collective.numeric_sheets import NumericTable
from scoresheet.metrics.families.collective.predictions import Predictions
from scoresheet.metrics.problems import InputError
from tests.helpers.parsing import parsed

Rows = Sequence[Sequence[object]]

HEAD = ("sample", "label", "model", "prediction")
LOG: Rows = [
    HEAD,
    ("s1", "x", "a", "x"),
    ("s1", "x", "b", "y"),
    ("s2", "y", "a", "y"),
    ("s2", "y", "b", "y"),
]
WIDE: Rows = [("sample", "label", "a", "b"), ("s1", "x", "x", "y"), ("s2", "y", "y", "y")]


def predictions(rows: Rows, **options: Any) -> Predictions:
    """The predictions that were read."""
    content: Predictions = parsed("collective", rows, **options).sheet.content
    return content


def votes(rows: Rows, **options: Any) -> dict[tuple[str, str], str]:
    """What each stream says of each sample; '' where it says nothing."""
    read = predictions(rows, **options)
    names = [*read.classes, ""]
    return {
        (sample, stream): names[code]
        for sample, row in zip(read.samples, read.votes.tolist(), strict=True)
        for stream, code in zip(read.streams, row, strict=True)
    }


def refusal(rows: Rows, name: str = "Sheet1", **options: Any) -> str:
    """Why a table is refused."""
    with pytest.raises(InputError) as refused:
        parsed("collective", rows, name=name, **options)
    return refused.value.problem.message


def test_a_log_is_the_table_that_it_could_have_been() -> None:
    assert votes(LOG) == votes(WIDE)
    assert predictions(LOG).streams == predictions(WIDE).streams == ["a", "b"]
    assert predictions(LOG).rows == 2


def test_a_log_is_said_to_be_one() -> None:
    (problem,) = (each for each in parsed("collective", LOG).problems if each.kind == "long-log")
    assert problem.message == "a long log, whose column model names the streams of 2 samples: a, b"
    assert (problem.column, problem.effect) == ("model", "note")


@pytest.mark.parametrize("stream", ["stream", "Model", "model_name", "member", "expert", "judge"])
@pytest.mark.parametrize("prediction", ["Prediction", "pred", "y_pred", "output", "answer", "vote"])
def test_a_log_is_known_by_its_headers(stream: str, prediction: str) -> None:
    assert votes([("sample", "label", stream, prediction), *LOG[1:]]) == votes(WIDE)


def test_headers_may_be_named() -> None:
    columns = {"sample": "sid", "label": "truth", "stream": "net", "prediction": "said"}
    assert votes([("sid", "truth", "net", "said"), *LOG[1:]], columns=columns) == votes(WIDE)


@pytest.mark.parametrize("name", ["model", "stream", "prediction", "expert", "answer"])
def test_either_column_alone_is_a_stream_like_any_other(name: str) -> None:
    read = predictions([("sample", "label", name, "b"), *WIDE[1:]])
    assert (read.streams, read.rows) == ([name, "b"], 2)


def test_a_lone_prediction_is_a_stream() -> None:
    assert predictions([("sample", "label", "prediction"), ("s1", "x", "x")]).streams == ["prediction"]


def test_other_columns_of_a_log_are_no_streams() -> None:
    rows = [(*row, extra) for row, extra in zip(LOG, ("seconds", 1, 2, 3, 4), strict=True)]
    assert predictions(rows).streams == ["a", "b"]


def test_the_order_of_rows_does_not_matter() -> None:
    body = list(LOG[1:])
    random.Random(3).shuffle(body)
    assert votes([HEAD, *body]) == votes(LOG)


def test_conditions_epochs_and_splits_keep_rows_apart() -> None:
    head = (*HEAD, "condition", "epoch", "split")
    rows = [(*row, condition, epoch, "test") for condition in ("", "fog") for epoch in ("1", "2.0") for row in LOG[1:]]
    read = predictions([head, *rows])
    assert len(read.samples) == 8
    assert set(zip(read.conditions, read.epochs, strict=True)) == {
        ("clean", "1"), ("clean", "2"), ("fog", "1"), ("fog", "2"),
    }  # fmt: skip


def test_an_epoch_written_in_two_ways_is_one() -> None:
    head = (*HEAD, "epoch")
    rows = [(*row, epoch) for row, epoch in zip(LOG[1:], ("1", "1.0", "1", "1.0"), strict=True)]
    assert len(predictions([head, *rows]).samples) == 2


def test_a_stream_without_a_row_says_nothing_and_that_is_said() -> None:
    read = parsed("collective", LOG[:-1])
    assert votes(LOG[:-1])["s2", "b"] == ""
    (problem,) = (each for each in read.problems if each.kind == "blank-prediction")
    assert problem.message == "1 of 2 predictions of b are empty or not there, which counts as wrong: sample s2"
    assert problem.column == "prediction"


def test_a_label_may_stand_in_one_row_of_its_sample() -> None:
    rows = [(sample, label if model == "b" else "", model, said) for sample, label, model, said in LOG[1:]]
    assert votes([HEAD, *rows]) == votes(WIDE)


def test_a_sample_has_one_label() -> None:
    message = refusal([*LOG, ("s2", "x", "c", "y")])
    assert message == "the sample 's2' has 'y' and 'x' as label, in rows 4 and 6; it can have only one"


def test_a_number_is_one_label_however_it_is_written() -> None:
    rows = [HEAD, ("s1", "1", "a", "1"), ("s1", "1.0", "b", "0")]
    assert votes(rows) == {("s1", "a"): "1", ("s1", "b"): "0"}


def test_rows_that_name_nobody_are_named_by_the_users_headers() -> None:
    read = parsed("collective", [("sid", "label", "net", "said"), *LOG[1:], ("", "x", "a", "x"), ("s3", "x", "", "x")],
                  columns={"sample": "sid", "stream": "net", "prediction": "said"})  # fmt: skip
    lost = [each for each in read.problems if each.kind == "empty-key"]
    problems = [(each.row, each.column, each.message.partition(";")[0]) for each in lost]
    assert problems == [(6, "sid", "the cell sid is empty"), (7, "net", "the cell net is empty")]
    assert (read.sheet.content.rows, len(read.sheet.content.samples)) == (4, 2)


def test_two_predictions_of_a_stream_are_refused() -> None:
    message = refusal([*LOG, ("s1", "x", "a", "y")])
    assert message.startswith("the sample 's1' has two predictions of 'a' (clean), in rows 2 and 6; keep one of them")


@pytest.mark.parametrize("name", ["ensemble", "Collective", "fused"])
def test_the_ensemble_may_have_rows_of_its_own(name: str) -> None:
    rows = [*LOG, ("s1", "x", name, "x"), ("s2", "y", name, "x")]
    read = predictions(rows)
    assert read.streams == ["a", "b"]
    assert read.collective is not None
    assert [read.classes[code] for code in read.collective.tolist()] == ["x", "x"]


def test_the_ensembles_prediction_may_stand_beside_each_row() -> None:
    rows = [(*row, said) for row, said in zip(LOG, ("ensemble", "x", "x", "x", ""), strict=True)]
    read = predictions(rows)
    assert read.collective is not None
    assert [read.classes[code] for code in read.collective.tolist()] == ["x", "x"]


def test_the_ensemble_cannot_be_there_twice() -> None:
    rows = [*LOG, ("s1", "x", "ensemble", "x"), ("s1", "x", "fused", "x")]
    assert "could both be what the ensemble itself predicts" in refusal(rows)


def test_a_stream_that_looks_like_the_ensemble_is_asked_about_and_either_way_out_works() -> None:
    rows = [*LOG, ("s1", "x", "majority vote", "x"), ("s2", "y", "majority vote", "y")]
    message = refusal(rows)
    assert message.startswith("the model 'majority vote' looks like what the ensemble itself predicts")
    assert predictions(rows, streams="a,b").streams == ["a", "b"]
    called = [tuple(str(cell).replace("majority vote", "collective") for cell in row) for row in rows]
    assert predictions(called).collective is not None


def test_streams_of_a_log_may_be_chosen() -> None:
    rows = [*LOG, ("s1", "x", "c", "x"), ("s2", "y", "c", "x")]
    read = predictions(rows, streams="c,a")
    assert (read.streams, read.left_out) == (["a", "c"], ["b"])


def test_columns_that_look_like_a_logs_and_are_streams_are_asked_about() -> None:
    rows = [HEAD, ("s1", "x", "x", "y"), ("s2", "y", "y", "y")]
    message = refusal(rows)
    assert "if model names the streams, no sample has predictions of two of them" in message
    assert predictions(rows, streams="model,prediction").streams == ["model", "prediction"]


def test_nobody_in_a_log_is_called_as_a_column_is() -> None:
    assert "model cannot be 'label'" in refusal([*LOG, ("s1", "x", "label", "x")])


def test_a_log_of_one_stream_is_one() -> None:
    assert predictions([HEAD, ("s1", "x", "a", "x"), ("s2", "y", "a", "y")]).streams == ["a"]


# --- routing ----------------------------------------------------------------------------------------------------------


def weights(rows: Rows, **options: Any) -> list[tuple[dict[str, str], dict[str, float]]]:
    """The keys and the weights of each row of a routing."""
    table: NumericTable = parsed("collective", rows, name="routing", **options).sheet.content
    keys = [{name: cells[place] for name, cells in table.keys.items()} for place in range(len(table.rows))]
    return [
        (key, dict(zip(table.names, row, strict=True))) for key, row in zip(keys, table.values.tolist(), strict=True)
    ]


ROUTED: Rows = [("sample", "e1", "e2", "e3"), ("s1", 0.75, 0.25, 0), ("s2", 0, 0, 1)]


def test_a_log_of_weights_is_the_table_that_it_could_have_been() -> None:
    rows = [("sample", "expert", "weight"), ("s1", "e1", 0.75), ("s1", "e2", 0.25), ("s2", "e3", 1)]
    assert weights(rows) == weights(ROUTED)
    assert "long-log" in parsed("collective", rows, name="routing").kinds


def test_a_stream_beside_the_expert_is_whose_router_it_is() -> None:
    rows = [("stream", "expert", "weight"), ("a", "e1", 0.5), ("a", "e2", 0.5), ("b", "e1", 1)]
    assert weights(rows) == [({"stream": "a"}, {"e1": 0.5, "e2": 0.5}), ({"stream": "b"}, {"e1": 1, "e2": 0})]


def test_experts_may_be_called_streams_where_there_is_nothing_but_their_weight() -> None:
    rows = [("sample", "model", "weight"), ("s1", "a", 0.5), ("s1", "b", 0.5)]
    assert weights(rows) == [({"sample": "s1"}, {"a": 0.5, "b": 0.5})]
    wide = [("stream", "weight", "skip"), ("a", 0.5, 0.5)]
    assert weights(wide) == [({"stream": "a"}, {"weight": 0.5, "skip": 0.5})]


def test_without_a_weight_the_expert_is_the_stream() -> None:
    rows = [("expert", "r1", "r2"), ("a", 0.5, 0.5)]
    assert weights(rows) == [({"stream": "a"}, {"r1": 0.5, "r2": 0.5})]


def test_two_weights_of_an_expert_are_refused() -> None:
    rows = [("sample", "expert", "weight"), ("s1", "e1", 0.5), ("s1", "e1", 0.5)]
    message = refusal(rows, name="routing")
    assert message == (
        "expert 'e1' is there twice for s1, in rows 2 and 3; keep one of them, or tell them apart by a column stream, "
        "slot, layer, epoch"
    )
    told = [(*row, extra) for row, extra in zip(rows, ("token", 1, 2), strict=True)]
    apart = [(row[0], row[1], 1 if row[2] == 0.5 else row[2], row[3]) for row in told]
    assert len(weights(apart, columns={"slot": "token"})) == 2


@pytest.mark.parametrize("name", ["routing", "gates", "Router"])
def test_routing_is_known_by_the_names_of_its_sheet(name: str) -> None:
    assert parsed("collective", ROUTED, name=name).sheet.role == "routing"

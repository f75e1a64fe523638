"""JSON and gzip: which shapes are tables, what nested values are, and what is passed over aloud?"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.helpers.files import write_bytes, write_csv
from tests.helpers.studies import ANSWERS, Place, answers
from tests.helpers.tables import json_lines, objects, write_table

pytestmark = pytest.mark.usefixtures("no_workbooks")


@pytest.fixture
def ready(place: Place) -> Place:
    """References, and no model yet."""
    place.references()
    return place


def lines(*each: Mapping[str, Any]) -> bytes:
    """JSON Lines."""
    return "\n".join(json.dumps(one, ensure_ascii=False) for one in each).encode()


def same_numbers(place: Place) -> set[tuple[str, str, str]]:
    """What the models came to, which is hoped to be one thing."""
    return {(line["S_Info"], line["Rows"], line["Status"]) for line in place.results().values()}


def test_every_shape_of_json_gives_the_same(ready: Place) -> None:
    rows = answers()
    columns = {name: [each[name] for each in objects(rows)] for name in rows[0]}
    ready.model("plain")
    for name, text in {
        "list.json": json.dumps(objects(rows)),
        "pretty.json": json.dumps(objects(rows), indent=2),
        "columns.json": json.dumps(columns),
        "marked.json": "\ufeff" + json.dumps(objects(rows)),
        "lines.jsonl": json_lines(rows),
        "lines2.ndjson": json_lines(rows),
    }.items():
        write_bytes(ready.outs / name, text.encode())
        write_bytes(ready.outs / f"packed_{name}.gz", gzip.compress(text.encode()))
    write_table(ready.outs / "table.csv.gz", rows)
    write_table(ready.outs / "tabs.tsv.gz", rows)
    assert ready.score("--strict").code == 0
    assert set(ready.results()) >= {"plain", "list", "packed_list", "packed_lines2", "table", "tabs"}
    assert len(ready.results()) == 15
    assert len(same_numbers(ready)) == 1


def test_references_may_be_json_and_packed_too(place: Place) -> None:
    place.model("m", ANSWERS)
    write_table(place.refs / "r.json", [("idiom", "explanation"), *list(ANSWERS.items())[:1]])
    write_table(place.refs / "s.jsonl.gz", [("idiom", "explanation"), *list(ANSWERS.items())[1:]])
    assert place.score().code == 0
    assert place.scores() == [1.0, 1.0, 1.0]


OTHER_JSON = {
    "config.json": {"temperature": 0.5, "models": ["a"]},
    "numbers.json": [1, 2, 3],
    "text.json": "hello",
    "nested.json": {"results": {"Idiom": ["a"]}},
}


def test_json_in_a_folder_that_is_no_table_is_passed_over_aloud(ready: Place) -> None:
    ready.model("m")
    for name, value in OTHER_JSON.items():
        write_bytes(ready.outs / name, json.dumps(value).encode())
    ended = ready.score("--strict")
    assert ended.code == 0
    assert list(ready.results()) == ["m"]
    (line,) = [line for line in ended.err.splitlines() if line.startswith("not read: ")]
    assert line.startswith("not read: config.json: not a table (.json), nested.json")
    assert line.endswith("; -v lists all")
    told = json.loads(ready.score("--json").out)
    assert [each.partition(":")[0] for each in told["not_read"]] == sorted(OTHER_JSON)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1}', "an object is a table only if each of its values is a list, all of one length"),
        ('{"a": [1], "b": [1, 2]}', "all of one length"),
        ("[1, 2]", "element 1 is not an object with column names"),
        ('"text"', "neither a list of objects nor an object of lists"),
        ("[{", "the file is not JSON"),
        ("[]", "the file has no objects"),
        ('[{"Idiom": "a", "Idiom": "b"}]', "element 1 has the same key twice"),
    ],
)
def test_json_that_is_named_is_read_and_what_is_wrong_with_it_is_said(ready: Place, text: str, said: str) -> None:
    write_bytes(ready.outs / "m.json", text.encode())
    ended = ready.score(outs="outs/m.json")
    assert ended.code == 4
    assert said in ended.err


@pytest.mark.parametrize("name", ["m.csv.gz", "m.jsonl.gz", "m.json.gz"])
@pytest.mark.parametrize("damage", ["cut", "plain", "flipped"])
def test_a_damaged_gzip_costs_itself_alone(ready: Place, name: str, damage: str) -> None:
    ready.model("good")
    packed = bytearray(gzip.compress(json_lines(answers()).encode() * 50, mtime=0))
    if damage == "flipped":
        packed[len(packed) // 2] ^= 255
    data = bytes(packed[: len(packed) // 2]) if damage == "cut" else b"Idiom\n" if damage == "plain" else bytes(packed)
    write_bytes(ready.outs / name, data)
    ended = ready.score()
    if name == "m.json.gz":
        assert (ended.code, list(ready.results())) == (0, ["good"])
        assert "not read: m.json.gz" in ended.err
        ended = ready.score(outs=f"outs/{name}")
        assert ended.code == 4
    else:
        assert ended.code == 3
        assert ready.results()["m"]["Status"] == "failed"
    assert f"file skipped: outs/{name}: not a whole gzip file" in ended.err
    assert "Traceback" not in ended.err


def test_a_workbook_is_packed_already_and_not_read_from_gzip(ready: Place) -> None:
    ready.model("m")
    write_bytes(ready.outs / "b.xlsx.gz", gzip.compress(b"x"))
    assert "not read: b.xlsx.gz: not a table" in ready.score().err


# --- nested ----------------------------------------------------------------------------------------------------------


def test_dots_reach_into_objects(ready: Place) -> None:
    ready.model("plain")
    deep = [{"Idiom": idiom, "reply": {"text": text, "meta": {"n": 1}}} for idiom, text in ANSWERS.items()]
    write_bytes(ready.outs / "deep.jsonl", lines(*deep))
    write_bytes(ready.outs / "listed.json", json.dumps(deep).encode())
    write_bytes(
        ready.outs / "columns.json",
        json.dumps({"Idiom": list(ANSWERS), "reply": [each["reply"] for each in deep]}).encode(),
    )
    assert ready.score("--column", "Prediction=reply.text", "--strict").code == 0
    assert len(ready.results()) == 4
    assert len(same_numbers(ready)) == 1


def test_a_header_that_is_written_with_dots_wins(ready: Place) -> None:
    rows = [{"Idiom": idiom, "reply.text": text, "reply": {"text": "zzz"}} for idiom, text in ANSWERS.items()]
    write_bytes(ready.outs / "m.jsonl", lines(*rows))
    ready.model("plain")
    ended = ready.score("--column", "Prediction=reply.text")
    assert ended.code == 0, ended.err
    assert len(same_numbers(ready)) == 1


def test_a_list_or_an_object_is_never_scored_as_text(ready: Place) -> None:
    (first, text), (second, _), (third, _) = ANSWERS.items()
    write_bytes(
        ready.outs / "m.jsonl",
        lines(
            {"Idiom": first, "Prediction": text},
            {"Idiom": second, "Prediction": {"text": "very rarely", "n": 2}},
            {"Idiom": third, "Prediction": ["tell", "all"]},
        ),
    )
    ended = ready.score()
    assert ended.code == 0
    found = {line["row"]: line for line in ready.problems("nested-cell")}
    assert {line["effect"] for line in found.values()} == {"row not scored"}
    assert found["2"]["message"] == (
        "Prediction is an object (text, n), where a text or number should be; "
        "--column Prediction=Prediction.text reaches into it"
    )
    list_message = (
        "Prediction is a list of 2, where a text or number should be; "
        "--column Prediction=Prediction.0 reaches the first of them"
    )
    assert found["3"]["message"] == list_message
    assert ready.results()["m"]["Scored"] == "1"
    assert ready.score("--strict").code == 3


def test_nested_values_in_columns_that_nobody_needs_say_nothing(ready: Place) -> None:
    write_bytes(
        ready.outs / "m.jsonl",
        lines(
            *({"Idiom": idiom, "Prediction": text, "usage": {"in": 1}, "ids": [1]} for idiom, text in ANSWERS.items())
        ),
    )
    assert ready.score("--strict").code == 0
    assert ready.problems("nested-cell") == []


def test_empty_lists_and_objects_and_null_are_empty_or_named(ready: Place) -> None:
    first, second, third = ANSWERS
    write_bytes(
        ready.outs / "m.jsonl",
        lines(*({"Idiom": idiom, "Prediction": value} for idiom, value in ((first, None), (second, {}), (third, [])))),
    )
    write_csv(ready.outs / "n.csv", answers())
    assert ready.score().code == 0
    assert [line["row"] for line in ready.problems("nested-cell")] == ["2", "3"]


def test_dots_lead_into_lists_by_number_as_the_hint_says(ready: Place) -> None:
    ready.model("plain")
    rows = [
        {"Idiom": idiom, "output": {"id": 7, "choices": [{"index": 0, "message": {"role": "x", "content": text}}]}}
        for idiom, text in ANSWERS.items()
    ]
    write_bytes(ready.outs / "m.jsonl", lines(*rows))
    write_bytes(ready.outs / "n.json", json.dumps(rows).encode())
    assert ready.score().code == 0
    line = ready.problems("nested-cell")[0]
    way = "Prediction=output.choices.0.message.content"
    assert line["message"].endswith(f"; --column {way} reaches into it")
    ended = ready.score("--column", way)
    assert ended.code == 0, ended.err
    assert len(same_numbers(ready)) == 1
    assert ready.problems("nested-cell") == []


@pytest.mark.parametrize("path", ["replies.3", "replies.0.text", "replies.-1", "replies.first", "replies.0.0"])
def test_a_path_into_a_list_that_leads_nowhere_is_a_header_that_no_file_has(ready: Place, path: str) -> None:
    rows = ({"Idiom": idiom, "replies": [text, "another"]} for idiom, text in ANSWERS.items())
    write_bytes(ready.outs / "m.jsonl", lines(*rows))
    ended = ready.score("--column", f"Prediction={path}")
    assert (ended.code, repr(path) in ended.err) == (4, True)
    assert ready.score("--column", "Prediction=replies.0").code == 0
    assert len(ready.scores()) == len(ANSWERS)


def test_a_key_that_is_written_with_a_number_wins_over_a_list(ready: Place) -> None:
    rows = ({"Idiom": idiom, "r.0": text, "r": ["zzz"]} for idiom, text in ANSWERS.items())
    write_bytes(ready.outs / "m.jsonl", lines(*rows))
    ready.model("plain")
    assert ready.score("--column", "Prediction=r.0").code == 0
    assert len(same_numbers(ready)) == 1

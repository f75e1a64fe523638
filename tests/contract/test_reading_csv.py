"""How is a text file turned into a table, and when is it refused?"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from tests.helpers.files import table_text, write_bytes, write_csv
from tests.helpers.runs import Run
from tests.helpers.studies import ANSWERS, Place, answers, statuses_in

CHINESE = {"爱不释手": "喜爱得舍不得放手", "画蛇添足": "做了多余的事反而不好"}


def test_unicode_encodings_are_read(place: Place) -> None:
    place.references(CHINESE)
    encodings = ("utf-8", "utf-8-sig", "utf-16")
    for encoding in encodings:
        write_csv(place.outs / f"{encoding}.csv", answers(CHINESE), encoding=encoding)
    big_endian = b"\xfe\xff" + table_text(answers(CHINESE)).encode("utf-16-be")
    write_bytes(place.outs / "utf-16-be.csv", big_endian)
    assert place.score().code == 0
    for model in (*encodings, "utf-16-be"):
        assert [unit["Idiom"] for unit in place.detail(model)] == list(CHINESE), model
        assert place.scores(model) == [1.0, 1.0], model


def test_another_encoding_is_refused_with_the_way_on(place: Place) -> None:
    place.references(CHINESE)
    place.model("good", CHINESE)
    write_csv(place.outs / "m.csv", answers(CHINESE), encoding="gb18030")
    ended = place.score()
    assert ended.code == 3
    assert "gb18030 would read it" in ended.err
    (line,) = place.problems("encoding")
    assert (line["file"], line["effect"]) == ("m.csv", "file skipped")
    assert "--encoding NAME" in line["message"]
    assert place.results()["m"]["Status"] == "failed"


def test_a_named_encoding_is_used(place: Place) -> None:
    write_csv(place.refs / "r.csv", [("idiom", "explanation"), *CHINESE.items()], encoding="gb18030")
    write_csv(place.outs / "m.csv", answers(CHINESE), encoding="gb18030")
    assert place.score("--encoding", "gb18030").code == 0
    assert [unit["Idiom"] for unit in place.detail()] == list(CHINESE)
    assert place.scores() == [1.0, 1.0]


def test_latin_1_is_never_guessed(place: Place) -> None:
    place.references({"déjà vu": "seen before"})
    write_csv(place.outs / "m.csv", answers({"déjà vu": "seen before"}), encoding="latin-1")
    assert place.score().code == 4
    assert not place.res.exists() or not (place.res / "s_info_results.csv").exists()


def test_the_separator_is_found_on_the_header(place: Place) -> None:
    texts = {"a": "one, two, three; four", "b": "five | six\tseven, eight; nine"}
    place.references(texts)
    for name, sep in {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}.items():
        write_csv(place.outs / "m" / f"{name}.csv", answers(texts), sep=sep)
    assert place.score().code == 0
    assert Counter(unit["Sheet"] for unit in place.detail()) == dict.fromkeys(("comma", "semicolon", "tab", "bar"), 2)
    assert place.scores() == [1.0] * 8


def test_a_record_with_too_many_fields_refuses_the_file_with_its_line(place: Place) -> None:
    place.references()
    place.model("good")
    write_csv(place.outs / "m.csv", [*answers(), ("break the ice", "to talk", "with people")])
    ended = place.score()
    assert ended.code == 3
    (line,) = place.problems("bad-csv")
    assert (line["file"], line["effect"]) == ("m.csv", "file skipped")
    assert line["row"] == "5" or "line 5" in line["message"]
    assert not place.workbook().exists()


def test_one_more_field_in_every_record_never_shifts_the_table(place: Place) -> None:
    place.references()
    write_csv(place.outs / "m.csv", [("Idiom", "Prediction"), *(("id", *row) for row in ANSWERS.items())])
    assert place.score().code == 4


def test_trailing_empty_fields_are_noted_and_scored(place: Place) -> None:
    place.references()
    write_csv(place.outs / "m.csv", [("Idiom", "Prediction"), *((*row, "", "") for row in ANSWERS.items())])
    assert place.score("--strict").code == 0
    assert len(place.scores()) == 3
    lines = place.problems("trailing-fields")
    assert lines
    assert {line["effect"] for line in lines} == {"note"}


def test_short_records_are_padded_and_noted(place: Place) -> None:
    place.references()
    write_csv(place.outs / "m.csv", [("Idiom", "Prediction", "Note"), *ANSWERS.items()])
    assert place.score("--strict").code == 0
    assert len(place.scores()) == 3
    lines = place.problems("short-rows")
    assert lines
    assert {line["effect"] for line in lines} == {"note"}


def test_a_record_too_short_for_a_prediction_has_an_empty_one(place: Place) -> None:
    place.references()
    write_csv(place.outs / "m.csv", [*answers(), ("break the ice",)])
    assert place.score().code == 0
    assert [line["row"] for line in place.problems("empty-prediction")] == ["5"]


def test_a_doubled_header_is_an_error(place: Place) -> None:
    place.references()
    place.model("good")
    named = {}
    for double in ("Prediction", "Idiom"):
        rows = [("Idiom", "Prediction", double), ("break the ice", "to talk", "to sing")]
        named[write_csv(place.outs / f"{double}_c.csv", rows).name] = double
        named[place.book(f"{double}_x", {"perm1": rows}).name] = double
    assert place.score().code == 3
    listed = {line["file"]: line["message"] for line in place.problems("duplicate-header")}
    assert len(place.problems("duplicate-header")) == len(listed) == 4
    for file, double in named.items():
        assert double in listed[file]
        assert place.results()[file.partition(".")[0]]["Status"] == "failed"


def test_a_quote_that_never_closes_refuses_the_file(place: Place) -> None:
    place.references()
    place.model("good")
    for name, tail in {"last": "", "inside": "spill the beans,to tell\n"}.items():
        text = f'{table_text(answers())}break the ice,"to talk\n{tail}'
        write_bytes(place.outs / f"{name}.csv", text.encode())
    assert place.score().code == 3
    listed = sorted((line["file"], line["effect"]) for line in place.problems("bad-csv"))
    assert listed == [("inside.csv", "file skipped"), ("last.csv", "file skipped")]


def test_a_field_of_300_000_characters_is_scored_whole(place: Place) -> None:
    long = "x" * 299_999
    place.references({"a": f"{long}y"})
    write_csv(place.outs / "m.csv", answers({"a": f"{long}y"}))
    write_csv(place.outs / "n.csv", answers({"a": f"{long}z"}))
    assert place.score().code == 0
    assert place.scores("m") == [1.0]
    assert place.scores("n") == [0.0]


def test_nul_bytes_cost_at_most_their_own_file(place: Place) -> None:
    place.references()
    place.model("good")
    write_bytes(place.outs / "m.csv", b"Idiom,Prediction\nbreak the ice,to\x00talk\n")
    ended = place.score()
    assert ended.code in (0, 3)
    assert "Traceback" not in ended.err
    assert place.results()["good"]["Status"] == "ok"
    assert ended.code == 0 or [line["file"] for line in place.problems()] == ["m.csv"]


def test_a_quoted_line_break_is_part_of_the_text_and_no_new_record(place: Place) -> None:
    texts = {"a": "one\ntwo", "b": "three\r\nfour", "c": "five"}
    place.references(texts)
    write_csv(place.outs / "m.csv", answers(texts))
    assert place.score().code == 0
    assert [unit["Row"] for unit in place.detail()] == ["2", "3", "4"]
    assert place.scores() == [1.0, 1.0, 1.0]


def test_any_line_end_ends_a_record(place: Place) -> None:
    place.references()
    for name, end in {"crlf": "\r\n", "lf": "\n"}.items():
        write_bytes(place.outs / "m" / f"{name}.csv", table_text(answers()).replace("\n", end).encode())
    assert place.score().code == 0
    assert len(place.scores()) == 6
    assert Counter(unit["Sheet"] for unit in place.detail()) == {"crlf": 3, "lf": 3}


def test_extensions_are_known_in_any_case(place: Place) -> None:
    place.references()
    names = ("a.tsv", "b.TSV", "c.CSV", "d.Csv")
    for name in names:
        write_csv(place.outs / name, answers(), sep="\t" if name.lower().endswith("tsv") else ",")
    assert place.score().code == 0
    assert [len(place.scores(name[0])) for name in names] == [3] * 4


def test_json_lines_are_read(place: Place) -> None:
    texts = {"001": "very rarely", "NA": "not there", "b": "爱不释手 \U0001f600"}
    place.references(texts)
    lines = [json.dumps({"Idiom": idiom, "Prediction": text, "extra": None}) for idiom, text in texts.items()]
    write_bytes(place.outs / "m.jsonl", ("\n".join(lines) + "\n").encode())
    assert place.score().code == 0
    assert [unit["Idiom"] for unit in place.detail()] == list(texts)
    assert place.scores() == [1.0, 1.0, 1.0]


def test_a_broken_json_line_refuses_the_file_with_its_line(place: Place) -> None:
    place.references()
    place.model("good")
    write_bytes(place.outs / "m.jsonl", b'{"Idiom": "a", "Prediction": "b"}\n{"Idiom": "a", \n')
    ended = place.score()
    assert ended.code == 3
    (line,) = (line for line in place.problems() if line["file"] == "m.jsonl")
    assert line["effect"] == "file skipped"
    assert line["row"] == "2" or "line 2" in line["message"]


def test_a_lone_csv_is_called_sheet1(place: Place) -> None:
    place.references()
    place.model("m")
    assert place.score().code == 0
    assert {unit["Sheet"] for unit in place.detail()} == {"Sheet1"}


def test_a_sheet_column_splits_a_csv_into_sheets(place: Place) -> None:
    place.references()
    rows = [(sheet, *row) for sheet in ("perm2", "perm1") for row in ANSWERS.items()]
    write_csv(place.outs / "m.csv", [("Sheet", "Idiom", "Prediction"), *rows])
    assert place.score().code == 0
    assert {unit["Sheet"] for unit in place.detail()} == {"perm1", "perm2"}
    assert {(unit["Sheet"], unit["Row"]) for unit in place.detail()} == {
        (row[0], str(number)) for number, row in enumerate(rows, start=2)
    }


def test_each_csv_in_a_models_folder_is_a_sheet(place: Place) -> None:
    place.references()
    for sheet in ("permutation2", "permutation1"):
        write_csv(place.outs / "m" / f"{sheet}.csv", answers())
    assert place.score().code == 0
    assert [unit["Sheet"] for unit in place.detail()] == ["permutation1"] * 3 + ["permutation2"] * 3
    assert list(place.results()) == ["m"]


def test_a_sheet_column_in_a_models_folder_adds_to_the_files_stem(place: Place) -> None:
    place.references()
    rows = [("Sheet", "Idiom", "Prediction"), *(("x", *row) for row in ANSWERS.items())]
    write_csv(place.outs / "m" / "permutation1.csv", rows)
    assert place.score().code == 0
    assert {unit["Sheet"] for unit in place.detail()} == {"permutation1/x"}


def _scores(folder: Path, model: str = "good", out: str = "res") -> list[str]:
    return (folder / out / f"{model}_s_info.csv").read_text(encoding="utf-8").splitlines()[1:]


def test_a_named_encoding_is_for_files_that_are_not_utf8(run: Run, folder: Path) -> None:
    (folder / "outs/old.csv").write_bytes("Idiom,Prediction\nden Löffel abgeben,er stürbe\n".encode("cp1252"))
    (folder / "outs/good.csv").write_text("Idiom,Prediction\nden Löffel abgeben,er stürbe\n", encoding="utf-16")
    (folder / "refs/r.csv").write_text("idiom,explanation\nden Löffel abgeben,er stürbe\n", encoding="utf-8")
    refused = run("sinfo", "outs", "refs", "-o", "res")
    assert refused.code == 3
    assert "cp1252 would read it 'den Löffel abgeben,er stürbe'" in refused.err
    assert "cp1252 would read it" in refused.err
    assert run("sinfo", "outs", "refs", "-o", "res", "--encoding", "cp1252").code == 0
    assert _scores(folder, "old") == _scores(folder, "good") == ["Sheet1,2,den Löffel abgeben,1.0,1.0,1.0"]


def test_jsonl_refuses_a_key_twice(run: Run, folder: Path) -> None:
    (folder / "outs/twice.jsonl").write_text('{"Idiom": "a", "Prediction": "x", "Prediction": "y"}\n', encoding="utf-8")
    assert run("sinfo", "outs", "refs", "-o", "res").code == 3
    assert statuses_in(folder)["twice"] == "failed"

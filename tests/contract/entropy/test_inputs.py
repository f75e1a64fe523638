"""Which tables of texts does `entropy` read, what counts as a word, and what does it say of the rest?"""

from __future__ import annotations

import json
import math
import random
import re
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.entropy import (
    ALPHABET,
    FOX,
    MEASURES,
    NOT_SCORED,
    NOTE,
    SHEET_SKIPPED,
    TEXTS,
    UNSPACED,
    Row,
    Study,
    alike,
    alone,
    bits,
    characters,
    corpus,
    cosines,
    grams,
    mean,
    measures,
    read,
    runs,
    semantic,
    sentences,
    unmeasured,
    words,
)
from tests.helpers.files import read_csv, write_book, write_bytes, write_csv
from tests.helpers.runs import Result, Run, environment

pytestmark = pytest.mark.filterwarnings(
    "ignore:Sparkline Group extension",  # openpyxl does not read them
    "ignore:open_binary is deprecated",  # the vocabularies, when they are opened
)


# --- the same numbers, worked out again in plain Python ---------------------------------------------------------------


def uncut(text: str) -> list[str]:
    """The words of a text by --tokenizer whitespace."""
    return [run for run in runs(text) if len(run) > 1]


# --- hand-made texts --------------------------------------------------------------------------------------------------

NAMES = {
    "plain": ("id", "text"),
    "response": ("item", "Response"),
    "prediction": ("ITEM_ID", "PREDICTION"),
    "output": ("prompt-id", " out put "),
    "answer": ("Item Id", "answer"),
    "completion": ("promptid", "Completion"),
    "generation": ("Prompt_ID", "generation"),
}
FEW = ("fox", "the", "pair twice", "sentences")
EMPTY = {"a": "", "b": "  ", "c": "!!! … —", "d": "a b c I", "e": "red fox", "f": "\u200b", "g": "."}


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Every text above, headers in every spelling, and rows that cannot be scored."""
    study = alone(tmp_path_factory, "zoo")
    study.texts(TEXTS)
    for name, head in NAMES.items():
        study.table([(*head, "why"), *((key, TEXTS[key], "Because. Because.") for key in FEW)], f"alias_{name}")
    write_book(study.outs / "book.xlsx", {"Sheet1": [("id", "text"), *((key, TEXTS[key]) for key in FEW)]})
    study.lines_of_json({key: TEXTS[key] for key in FEW}, "json")
    study.texts(EMPTY, "gaps")
    study.texts(["", "?", "x"], "empty")
    study.table([("text",), *((TEXTS[key],) for key in FEW)], "no_id")
    study.table([("id", "text"), ("", "red fox"), (" ", "red sea"), ("p", "sea sky"), ("p", "red")], "ids")
    study.table([("id", "text", "response"), ("p", "red fox den", "oak")], "both")
    study.table([("id", "txt"), ("p", "red fox")], "near")
    study.table([("id", "text")], "bare")
    write_book(
        study.outs / "cells.xlsx", {"Sheet1": [("id", "text"), (7, 1234), (8, True), (9, None), (10.5, "red fox")]}
    )
    ended = study.score()
    assert ended.code == 3, ended.err
    return study


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Every text above, by the printed rule of repetition."""
    study = alone(tmp_path_factory, "printed")
    study.texts(TEXTS)
    assert study.score("--repetition", "printed").code == 0
    return study


# --- numbers of texts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_has_the_numbers_that_a_person_would_work_out(zoo: Study, name: str) -> None:
    assert alike(zoo.line(name), measures(TEXTS[name]))


def test_the_examples_of_the_definitions_come_out(zoo: Study) -> None:
    known = {
        "Word_Entropy": 2.947703,
        "Trigram_Entropy": 2.807355,
        "Quality_Ratio": 0.929897,
        "Vocab_Diversity": 0.982568,
    }
    assert {name: float(zoo.line("fox")[name]) for name in known} == pytest.approx(known, abs=1e-6)
    assert float(zoo.line("fox")["Bigram_Entropy"]) == 3
    assert (float(zoo.line("the")["Word_Entropy"]), zoo.line("the")["Repetitive"]) == (0, "yes")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("five", "no"),
        ("quarter", "no"),
        ("above quarter", "yes"),
        ("pair twice", "yes"),
        ("nineteen", "no"),
        ("a fifth", "no"),
        ("above a fifth", "yes"),
        ("two chunks, pair twice", "yes"),
        ("three chunks, pair twice", "no"),
        ("three chunks, pair thrice", "yes"),
        ("dull", "yes"),
        ("one drop", "no"),
    ],
)
def test_what_is_repetitive_as_printed_depends_on_length(printed: Study, name: str, shown: str) -> None:
    assert printed.line(name)["Repetitive"] == shown


@pytest.mark.parametrize(
    ("name", "drops", "shown"),
    [("silent start", "0", "increasing"), ("silent end", "2", "decreasing"), ("twenty", "0", "")],
)
def test_a_chunk_without_words_has_no_entropy_and_one_chunk_has_no_trend(
    zoo: Study, name: str, drops: str, shown: str
) -> None:
    assert (zoo.line(name)["Entropy_Drops"], zoo.line(name)["Entropy_Trend"]) == (drops, shown)


def test_what_is_undefined_is_an_empty_cell(zoo: Study) -> None:
    undefined = {name: [m for m in MEASURES if zoo.line(name)[m] == ""] for name in ("one", "two", "nineteen", "39")}
    semantics, local = (
        ["Semantic_Diversity", "Semantic_Entropy"],
        ["Entropy_Variance", "Entropy_Drops", "Entropy_Trend"],
    )
    assert undefined == {
        "one": ["Entropy_At_Length", "Bigram_Entropy", "Trigram_Entropy", *semantics, *local],
        "two": ["Entropy_At_Length", "Trigram_Entropy", *semantics, *local],
        "nineteen": ["Entropy_At_Length", *semantics, *local],
        "39": ["Entropy_At_Length"],
    }


def test_there_is_no_negative_zero(zoo: Study) -> None:
    assert not [line for line in zoo.lines() if "-0.0" in line.values() or "-0" in line.values()]


# --- columns ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*(f"alias_{name}" for name in NAMES), "book", "json"])
def test_every_spelling_of_the_header_and_every_format_gives_the_same_numbers(zoo: Study, name: str) -> None:
    lines = zoo.lines(name)
    assert [read(line) for line in lines] == [read(line) for line in zoo.lines("alias_plain")]
    first = 1 if name == "json" else 2  # JSON lines have no header
    assert [(line["Id"], line["Row"]) for line in lines] == [(key, str(row)) for row, key in enumerate(FEW, first)]
    assert all(alike(line, measures(TEXTS[line["Id"]])) for line in lines)
    assert {problem["kind"] for problem in zoo.problems(model=name)} == {"short-text"}


def test_the_name_goes_before_an_alias(zoo: Study) -> None:
    assert alike(zoo.line("p", model="both"), measures("red fox den"))


def test_columns_may_be_named(study: Study) -> None:
    study.table([("who", "text", "said"), ("p", "oak", "red fox den"), ("q", "oak", "red red")])
    ended = study.score("--column", "text=said", "--column", "id=who")
    assert ended.code == 0, ended.err
    assert alike(study.line("p"), measures("red fox den"))
    assert alike(study.line("q"), measures("red red"))


def test_a_sheet_without_texts_is_skipped_and_a_near_miss_is_suggested(zoo: Study) -> None:
    (problem,) = zoo.problems(model="near")
    assert (problem["kind"], problem["effect"]) == ("missing-column", SHEET_SKIPPED)
    assert "txt" in problem["message"]
    assert zoo.results()["near"]["Status"] == "failed"
    assert zoo.results()["near"]["Word_Entropy"] == ""


@pytest.mark.parametrize("head", [("id", "txt"), ("id", "text")])
def test_nothing_to_score_writes_nothing(study: Study, head: Row) -> None:
    study.table([head, ("p", "red fox")] if "txt" in head else [head])
    ended = study.score()
    assert ended.code == 4, ended.err
    assert "nothing could be scored" in ended.err
    assert not study.res.exists()


def test_a_header_without_rows_is_listed_and_unscored(zoo: Study) -> None:
    assert [(p["file"], p["effect"]) for p in zoo.problems("no-rows")] == [("bare.csv", NOTE)]
    assert zoo.results()["bare"]["Status"] == "unscored"


# --- rows without a score, and ids ------------------------------------------------------------------------------------


def test_texts_that_are_empty_or_have_no_words_are_rows_without_a_score(zoo: Study) -> None:
    listed = [(p["row"], p["column"], p["kind"], p["effect"]) for p in zoo.problems("empty-text", model="gaps")]
    assert listed == [(str(row), "text", "empty-text", NOT_SCORED) for row in (2, 3, 4, 5, 7, 8)]
    lines = {line["Id"]: line for line in zoo.lines("gaps")}
    assert list(lines) == list(EMPTY)
    assert alike(lines.pop("e"), measures("red fox"))
    assert all(unmeasured(line) for line in lines.values())
    total = zoo.results()["gaps"]
    assert (total["Rows"], total["Scored"], total["Status"]) == ("7", "1", "partial")
    assert float(total["Coverage"]) == pytest.approx(1 / 7)
    assert float(total["Word_Entropy"]) == 1


def test_a_problem_tells_an_empty_text_from_one_without_words(zoo: Study) -> None:
    said = {p["row"]: p["message"] for p in zoo.problems(model="gaps")}
    assert "empty" in said["2"]
    assert "no words" in said["4"]


@pytest.mark.parametrize(
    ("name", "content", "rows"),
    [
        ("m.csv", 'text\nred fox\n""\nsea sky\n', ["2", "3", "4"]),
        ("m.jsonl", '{"text": "red fox"}\n{"text": ""}\n{"text": "sea sky"}\n', ["1", "2", "3"]),
    ],
    ids=["csv", "jsonl"],
)
def test_an_empty_text_is_a_row_without_a_score_where_there_are_no_ids_too(
    study: Study, name: str, content: str, rows: list[str]
) -> None:
    write_bytes(study.outs / name, content.encode())
    assert study.score().code == 0
    assert [line["Row"] for line in study.lines()] == rows
    assert [p["row"] for p in study.problems("empty-text")] == [rows[1]]
    assert float(study.results()["m"]["Coverage"]) == pytest.approx(2 / 3)


def test_a_model_without_any_words_is_unscored(zoo: Study) -> None:
    line = zoo.results()["empty"]
    assert (line["Rows"], line["Scored"], float(line["Coverage"]), line["Status"]) == ("3", "0", 0, "unscored")
    assert not {line[name] for name in ("Word_Entropy", "CI_Low", "Repetitive", "Distinct_1", "Vendi")} - {""}


def test_ids_may_be_absent_blank_or_equal(zoo: Study) -> None:
    noted = [*zoo.problems(model="ids"), *zoo.problems(model="no_id")]
    assert {problem["kind"] for problem in noted} == {"short-text"}
    assert [line["Id"].strip() for line in zoo.lines("ids")] == ["", "", "p", "p"]
    assert [line["Word_Entropy"] for line in zoo.lines("ids")] == ["1.0", "1.0", "1.0", "0.0"]
    assert [line["Id"] for line in zoo.lines("no_id")] == [""] * len(FEW)
    assert [read(line) for line in zoo.lines("no_id")] == [read(line) for line in zoo.lines("alias_plain")]


def test_cells_that_are_not_text_are_read_as_a_person_would_type_them(zoo: Study) -> None:
    lines = {line["Id"]: line for line in zoo.lines("cells")}
    assert {key: line["Words"] for key, line in lines.items()} == {"7": "1", "8": "1", "9": "", "10.5": "2"}


def test_rows_are_numbered_as_a_spreadsheet_shows_them(study: Study) -> None:
    study.table([("id", "text"), ("p", "one\ntwo\nthree"), ("q", ""), ("r", "four")])
    write_book(study.outs / "b.xlsx", {"S": [("id", "text"), ("p", "red"), (None, None), ("r", "sea")]})
    study.table([("Sheet", "id", "text"), ("x", "p", "red"), ("y", "q", "sea"), ("x", "r", "sky")], "s")
    assert study.score().code == 0
    assert [(line["Id"], line["Row"]) for line in study.lines()] == [("p", "2"), ("q", "3"), ("r", "4")]
    assert [(line["Id"], line["Row"]) for line in study.lines("b") if line["Id"]] == [("p", "2"), ("r", "4")]
    assert {(line["Sheet"], line["Id"], line["Row"]) for line in study.lines("s")} == {
        ("x", "p", "2"),
        ("y", "q", "3"),
        ("x", "r", "4"),
    }


# --- sheets and folders -----------------------------------------------------------------------------------------------

FIRST: list[Row] = [("id", "text"), ("p", "red fox den"), ("q", "sea sky"), ("r", "red")]
SECOND: list[Row] = [("id", "text"), ("p", "red red fox"), ("q", "")]


@pytest.fixture(scope="module")
def rounds(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """The same two sheets as a workbook, a folder and a column, and models with a sheet that cannot be used."""
    study = alone(tmp_path_factory, "rounds")
    write_book(study.outs / "book.xlsx", {"s1": FIRST, "s2": SECOND})
    write_csv(study.outs / "folder" / "s1.csv", FIRST)
    write_csv(study.outs / "folder" / "s2.csv", SECOND)
    named = [(sheet, *row) for sheet, rows in (("s1", FIRST), ("s2", SECOND)) for row in rows[1:]]
    study.table([("Sheet", "id", "text"), *named], "column")
    write_book(study.outs / "partly.xlsx", {"s1": FIRST, "notes": [("what",), ("nothing",)]})
    write_csv(study.outs / "half" / "s1.csv", FIRST)
    write_csv(study.outs / "half" / "bare.csv", [("id", "text")])
    write_csv(study.outs / "half" / "gone.csv", [("id", "text"), ("p", "")])
    ended = study.score()
    assert ended.code == 3, ended.err
    return study


@pytest.mark.parametrize("name", ["book", "folder", "column"])
def test_a_model_is_the_mean_of_its_sheets_wherever_they_come_from(rounds: Study, name: str) -> None:
    first = [measures(str(text)) for _, text in FIRST[1:]]
    second = [measures("red red fox")]
    for measure in ("Word_Entropy", "Unique_Ratio", "Words", "Quality_Ratio", "Vocab_Diversity", "Bigram_Entropy"):
        wanted = statistics.fmean(mean(part, measure) or 0 for part in (first, second))
        assert float(rounds.results()[name][measure]) == pytest.approx(wanted), measure
    line = rounds.results()[name]
    assert (line["Rows"], line["Scored"], line["Status"]) == ("5", "4", "ok")
    assert float(line["Coverage"]) == 0.8


def test_what_no_sheet_defines_is_undefined_and_what_one_defines_is_its_value(rounds: Study) -> None:
    line = rounds.results()["book"]
    assert line["Semantic_Diversity"] == line["Semantic_Entropy"] == ""
    assert float(line["Vendi"]) == pytest.approx(corpus([str(text) for _, text in FIRST[1:]])["Vendi"])
    s1, s2, overall = rounds.page("Summary", "book")
    assert [s1["Sheet"], s2["Sheet"], overall["Sheet"]] == ["s1", "s2", "Overall"]
    assert s2["Vendi"] is s2["Pairwise_Similarity"] is s2["Self_Repetition"] is None
    assert overall["Vendi"] == s1["Vendi"]


def test_lines_of_texts_have_the_name_of_their_sheet(rounds: Study) -> None:
    wanted = [("s1", "p"), ("s1", "q"), ("s1", "r"), ("s2", "p"), ("s2", "q")]
    for name in ("book", "folder", "column"):
        assert [(line["Sheet"], line["Id"]) for line in rounds.lines(name)] == wanted
    assert alike(rounds.line("p", sheet="s2", model="folder"), measures("red red fox"))


def test_a_sheet_that_cannot_be_used_costs_only_itself(rounds: Study) -> None:
    assert [(p["file"], p["sheet"], p["effect"]) for p in rounds.problems("missing-column")] == [
        ("partly.xlsx", "notes", SHEET_SKIPPED)
    ]
    assert rounds.results()["partly"]["Status"] == "partial"
    assert rounds.lines("partly") == [line for line in rounds.lines("book") if line["Sheet"] == "s1"]


def test_sheets_without_rows_or_words_do_not_count_in_the_mean(rounds: Study) -> None:
    line = rounds.results()["half"]
    assert float(line["Word_Entropy"]) == pytest.approx(float(rounds.results()["partly"]["Word_Entropy"]))
    assert (line["Rows"], line["Scored"], line["Status"]) == ("4", "3", "ok")
    assert [(p["file"], p["effect"]) for p in rounds.problems("no-rows")] == [("half/bare.csv", NOTE)]


# --- tokenizers -------------------------------------------------------------------------------------------------------

CUTS = {
    "latin": "Red fox, red Fox! A cat",
    "letters": "a b c a b",
    "marks": "cafe\u0301 cafe\u0301",
    "han": "我们喜欢猫，我们喜欢狗",
    "mixed": "GPT写的code。code写得好",
    "signs": "!! ?? !!",
    "code": "for (int i = 0; i < n; ++i) <|endoftext|>",
}


def segmented(text: str) -> list[str]:
    """The words of a text, Chinese by the segmenter's package."""
    segmenter: Any = import_module("rjieba")
    han = re.compile("([\u4e00-\u9fff]+)")
    parts = [part for run in runs(text) for part in han.split(run) if part]
    pieces = [piece for part in parts for piece in (segmenter.cut(part) if han.match(part) else [part])]
    return [piece for piece in pieces if len(piece) > 1 or UNSPACED.match(piece)]


def tokens(text: str, vocabulary: str = "o200k_base") -> list[str]:
    """The tokens of a text as it is."""
    package: Any = import_module("bpe_openai")
    return [str(token) for token in package.get_encoding(vocabulary).encode_ordinary(text)]


def older_tokens(text: str) -> list[str]:
    """The tokens of a text by the older vocabulary."""
    return tokens(text, "cl100k_base")


WAYS: dict[str, tuple[tuple[str, ...], Callable[[str], list[str]]]] = {
    "auto": ((), words),
    "whitespace": (("--tokenizer", "whitespace"), uncut),
    "chars": (("--tokenizer", "chars"), characters),
    "words": (("--tokenizer", "words"), segmented),
    "bpe": (("--tokenizer", "bpe"), tokens),
    "cl100k": (("--tokenizer", "bpe", "--vocabulary", "cl100k_base"), older_tokens),
}


@pytest.fixture(scope="module", params=WAYS)
def way(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Study]:
    """The texts above, cut in one of the ways."""
    study = alone(tmp_path_factory, str(request.param))
    study.texts(CUTS)
    ended = study.score(*WAYS[request.param][0])
    assert ended.code == 0, ended.err
    return request.param, study


def test_every_tokenizer_counts_its_own_words(way: tuple[str, Study]) -> None:
    name, study = way
    for key, text in CUTS.items():
        line, found = study.line(key), WAYS[name][1](text)
        if not found:
            assert unmeasured(line), key
            continue
        assert (line["Words"], line["Unique_Words"]) == (str(len(found)), str(len(set(found)))), key
        assert float(line["Word_Entropy"]) == pytest.approx(bits(found), abs=1e-9), key
        assert float(line["Top_Word_Share"]) == pytest.approx(max(Counter(found).values()) / len(found)), key
        assert line["Max_Bigram"] == str(max(Counter(grams(found, 2)).values(), default=0)), key
        if len(found) > 1:
            assert float(line["Bigram_Entropy"]) == pytest.approx(bits(grams(found, 2)), abs=1e-9), key


def test_a_text_without_words_is_one_under_the_chosen_tokenizer(way: tuple[str, Study]) -> None:
    name, study = way
    wanted = {"bpe": [], "cl100k": [], "chars": ["signs"]}.get(name, ["letters", "signs"])
    assert [list(CUTS)[int(p["row"]) - 2] for p in study.problems("empty-text")] == wanted


def test_the_length_is_in_white_space_words_unless_an_unspaced_script_was_cut(way: tuple[str, Study]) -> None:
    name, study = way
    for key in ("latin", "marks", "han"):
        found = WAYS[name][1](CUTS[key])
        length = len(found) if key == "han" and name != "whitespace" else len(CUTS[key].split())
        quality = bits(found) / max(math.log2(length), 1)
        assert float(study.line(key)["Quality_Ratio"]) == pytest.approx(quality, abs=1e-9), key


def test_the_signature_names_the_tokenizer_and_a_vocabulary_that_was_chosen(way: tuple[str, Study]) -> None:
    name, study = way
    signature = json.loads((study.res / "manifest.json").read_text("utf-8"))["signature"]
    assert f"|tok:{'bpe' if name == 'cl100k' else name}" in signature
    assert ("cl100k_base" in signature) == (name == "cl100k")


@pytest.mark.parametrize(
    ("option", "value", "offered"),
    [
        ("--tokenizer", "letters", ("auto", "whitespace", "chars", "words", "bpe")),
        ("--vocabulary", "gpt2", ("o200k_base", "cl100k_base")),
        ("--vectors", "bert", ("tfidf", "static")),
        ("--definition", "mine", ("offdiagonal", "printed")),
        ("--seed", "much", ()),
    ],
)
def test_an_option_that_cannot_be_meant_is_a_usage_error_that_says_what_can(
    study: Study, option: str, value: str, offered: tuple[str, ...]
) -> None:
    study.texts([FOX])
    ended = study.score(option, value)
    assert ended.code == 2
    assert all(text in ended.err for text in (option, value, *offered))
    assert not study.res.exists()


# --- extras -----------------------------------------------------------------------------------------------------------

LACKING = """
import contextlib, io, json, sys
from scoresheet.cli.app import main
ended = {}
for package, words in json.loads(sys.argv[1]).items():
    found, sys.modules[package] = sys.modules.get(package), None
    with contextlib.redirect_stderr(io.StringIO()) as said:
        ended[package] = main(words), said.getvalue()
    del sys.modules[package]
    if found is not None:
        sys.modules[package] = found
print(json.dumps(ended))
"""
EXTRAS = {
    "bpe_openai": ("tokens", "--tokenizer", "bpe"),
    "wordllama": ("embed", "--vectors", "static"),
    "rjieba": ("words", "--tokenizer", "words"),
}


@pytest.fixture(scope="module")
def lacking(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str, bool]]:
    """How a run ends that lacks a package, what it says, and whether it leaves anything: in a process of its own."""
    root = tmp_path_factory.mktemp("lacking")
    write_csv(root / "outs" / "m.csv", [("text",), (FOX,)])
    runs = {package: ["entropy", "outs", "-o", package, *options] for package, (_, *options) in EXTRAS.items()}
    command = [sys.executable, "-c", LACKING, json.dumps(runs)]
    done = subprocess.run(command, cwd=root, capture_output=True, encoding="utf-8", timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    ended = json.loads(done.stdout.splitlines()[-1])
    return {package: (code, said + done.stderr, (root / package).exists()) for package, (code, said) in ended.items()}


@pytest.mark.parametrize("package", EXTRAS)
def test_a_missing_extra_ends_the_run_with_the_command_that_installs_it(
    lacking: dict[str, tuple[int, str, bool]], package: str
) -> None:
    code, said, left = lacking[package]
    assert code == 2, said
    assert f"pip install 'scoresheet[{EXTRAS[package][0]}]'" in said
    assert "Traceback" not in said
    assert not left


OFFLINE = """
import os, socket
def refuse(*given, **named):
    open(os.environ["ASKED"], "a").write("asked\\n")
    raise OSError("there is no network")
class Socket(socket.socket):
    def connect(self, address):
        return super().connect(address) if self.family == socket.AF_UNIX else refuse()
socket.socket, socket.getaddrinfo, socket.create_connection = Socket, refuse, refuse
"""
RIVER = ["The river bends twice", "A heron waits by the water", "Interest rates rose", "The river bends"]


@pytest.fixture(scope="module")
def static(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Sentences compared by static vectors on a machine that has no network and an empty home."""
    pytest.importorskip("wordllama")  # has no wheels for macOS and for the newest Python
    root = tmp_path_factory.mktemp("static")
    write_bytes(root / "site" / "sitecustomize.py", OFFLINE.encode())
    (root / "home").mkdir()
    changes = {"PYTHONPATH": str(root / "site"), "HOME": str(root / "home"), "ASKED": str(root / "asked")}

    def call(*words: str | Path) -> Result:
        command = [sys.executable, "-m", "scoresheet.cli", *map(str, words)]
        done = subprocess.run(
            command,
            cwd=root,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
            env=environment(**changes),
        )
        return Result(done.returncode, done.stdout, done.stderr)

    study = Study(root, call)
    study.texts({"river": ". ".join(RIVER), "one": RIVER[0], "same": "Red fox. Red fox. Red fox."})
    ended = study.score("--vectors", "static")
    assert ended.code == 0, ended.err
    return study


def test_static_vectors_ask_no_network_and_leave_nothing_at_home(static: Study) -> None:
    assert not (static.root / "asked").exists()
    assert not list((static.root / "home").iterdir())


def test_static_vectors_give_the_cosines_of_their_package(static: Study) -> None:
    from pathlib import Path

    package: Any = import_module("wordllama")
    model = package.WordLlama.load(cache_dir=str(Path(package.__file__).parent), disable_download=True)
    vectors = [[float(x) for x in vector] for vector in model.embed(RIVER, norm=True)]
    values = [math.fsum(x * y for x, y in zip(a, b, strict=True)) for a, b in combinations(vectors, 2)]
    diversity, entropy = semantic(values)
    line = static.line("river")
    assert float(line["Semantic_Diversity"]) == pytest.approx(diversity, abs=1e-5)
    assert float(line["Semantic_Entropy"]) == pytest.approx(entropy)
    assert alike(line, {name: v for name, v in measures(". ".join(RIVER)).items() if not name.startswith("Sem")})


def test_static_vectors_leave_a_single_sentence_undefined_and_equal_ones_alike(static: Study) -> None:
    assert static.line("one")["Semantic_Diversity"] == static.line("one")["Semantic_Entropy"] == ""
    assert float(static.line("same")["Semantic_Diversity"]) == pytest.approx(0, abs=1e-6)
    assert float(static.line("same")["Semantic_Entropy"]) == 0
    assert "-" not in static.line("same")["Semantic_Diversity"].split("e")[0]


def test_the_definition_of_the_seed_has_each_sentence_with_itself_in_the_mean(study: Study) -> None:
    names = ("sentences", "strangers", "alike", "600", "one")
    study.texts({name: TEXTS[name] for name in names})
    assert study.score("--definition", "printed").code == 0
    for name in names:
        wanted = measures(TEXTS[name])
        n = len(sentences(TEXTS[name]))
        if n > 1:
            wanted["Semantic_Diversity"] = 1 - (n + 2 * math.fsum(cosines(sentences(TEXTS[name])))) / n**2
        assert alike(study.line(name), wanted)
    assert float(study.line("strangers")["Semantic_Diversity"]) == pytest.approx(0.5)


# --- much text --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A text of 20,000 words beside a short one, and 2,100 short texts."""
    study = alone(tmp_path_factory, "crowd")
    draw = random.Random(1)
    study.texts({"long": " ".join(draw.choices(ALPHABET, k=20_000)), "short": FOX}, "long")
    study.texts([" ".join(draw.choices(ALPHABET, k=6)) for _ in range(2_100)], "many")
    ended = study.score()
    assert ended.code == 0, ended.err
    return study


def test_a_text_of_20_000_words_is_measured_whole(crowd: Study) -> None:
    text = next(str(row["text"]) for row in read_csv(crowd.outs / "long.csv") if row["id"] == "long")
    assert alike(crowd.line("long", model="long"), measures(text))
    assert alike(crowd.line("short", model="long"), measures(FOX))


def test_each_of_2_100_texts_has_its_numbers_and_vendi_says_how_many_it_took(crowd: Study) -> None:
    lines, rows = crowd.lines("many"), read_csv(crowd.outs / "many.csv")
    assert [line["Id"] for line in lines] == [row["id"] for row in rows]
    found = [words(row["text"]) for row in rows]
    assert [float(line["Word_Entropy"]) for line in lines] == pytest.approx([bits(text) for text in found])
    total = crowd.results()["many"]
    assert (total["Scored"], total["Vendi_Texts"]) == ("2100", "2000")
    pairs = [pair for text in found for pair in grams(text, 2)]
    assert float(total["Distinct_2"]) == pytest.approx(len(set(pairs)) / len(pairs))


# --- prompts as ids ---------------------------------------------------------------------------------------------------


def test_texts_are_paired_by_their_prompts(run: Run, tmp_path: Path) -> None:
    for model, texts in (("a", ("one two three", "four five six")), ("b", ("one one one", "two two two"))):
        write_csv(tmp_path / f"outs/{model}.csv", [("Prompt", "Answer"), *zip(("p1", "p2"), texts, strict=True)])
    assert run("entropy", "outs", "-o", "res").code == 0
    assert [line["Id"] for line in read_csv(tmp_path / "res/a_entropy.csv")] == ["p1", "p2"]

"""TREC's files as NIST names them: without an extension, packed, several runs in one, one tag in several."""

from __future__ import annotations

import gzip
import os

import pytest

from tests.helpers.diversity import GRADED, RANKED, Study
from tests.helpers.files import read_csv, write_bytes, write_csv

QRELS = b"q1 1 A 1\nq1 2 B 1\nq2 1 C 2\n"


@pytest.fixture
def judged(study: Study) -> Study:
    """Judgments under NIST's own name, and no run yet."""
    write_bytes(study.refs / "qrels.diversity", QRELS)
    return study


def run_file(items: str, tag: str) -> bytes:
    """A run of one query."""
    lines = [f"q1 Q0 {item} {rank} {10 - rank} {tag}\n" for rank, item in enumerate(items, 1)]
    return "".join(lines).encode()


def measures(study: Study) -> dict[str, tuple[str, ...]]:
    """The results of each model, without its name."""
    return {line["Model Name"]: tuple(line.values())[1:] for line in read_csv(study.res / "diversity_results.csv")}


def test_files_without_an_extension_are_read_by_what_they_hold(judged: Study) -> None:
    write_bytes(judged.outs / "input.base", run_file("AB", "one"))
    write_bytes(judged.outs / "uwgym", run_file("BA", "two"))
    write_bytes(judged.outs / "packed.run.gz", gzip.compress(run_file("AB", "three")))
    write_bytes(judged.outs / "input.deep.gz", gzip.compress(run_file("AB", "four")))
    ended = judged.tables("--strict")
    assert ended.code == 0, ended.err
    assert list(measures(judged)) == ["input.base", "input.deep", "packed", "uwgym"]
    assert measures(judged)["input.base"] == measures(judged)["packed"] == measures(judged)["input.deep"]


def test_they_give_what_tables_give(judged: Study) -> None:
    write_bytes(judged.outs / "trec", run_file("ACB", "t"))
    write_csv(judged.outs / "table.csv", [RANKED, *(("q1", item, rank) for rank, item in enumerate("ACB", 1))])
    assert judged.tables().code == 0
    assert measures(judged)["trec"] == measures(judged)["table"]
    write_csv(
        judged.root / "as_table" / "r.csv", [GRADED, ("q1", "1", "A", 1), ("q1", "2", "B", 1), ("q2", "1", "C", 2)]
    )
    assert judged.tables(refs="as_table", res="res2").code == 0
    assert read_csv(judged.root / "res2/diversity_results.csv") == read_csv(judged.res / "diversity_results.csv")


def test_other_files_without_an_extension_are_passed_over_aloud(judged: Study) -> None:
    write_bytes(judged.outs / "input.base", run_file("AB", "one"))
    write_bytes(judged.outs / "README", b"These are six words of text\n")
    write_bytes(judged.outs / "Makefile", b"all:\n")
    ended = judged.tables()
    assert ended.code == 0
    assert "not read: Makefile: not a table (no extension), README: not a table (no extension)" in ended.err


def test_such_files_are_no_tables_of_other_commands(judged: Study) -> None:
    write_bytes(judged.outs / "input.base", run_file("AB", "one"))
    write_csv(judged.outs / "m.csv", [("text",), ("one two three",)])
    ended = judged.run("entropy", "outs", "-o", "res")
    assert "not read: input.base: not a table (.base)" in ended.err
    assert [line["Model Name"] for line in read_csv(judged.res / "entropy_results.csv")] == ["m"]


def test_a_file_with_several_tags_is_several_models(judged: Study) -> None:
    write_bytes(judged.outs / "all.run", run_file("AB", "one") + run_file("BC", "two"))
    write_bytes(judged.outs / "alone.run", run_file("AB", "three"))
    ended = judged.tables("--strict")
    assert ended.code == 0, ended.err
    assert "note: outs: run tags: 2 models in 1 file (one, two)" in ended.err
    assert list(measures(judged)) == ["alone", "one", "two"]
    assert measures(judged)["one"] == measures(judged)["alone"]


def test_the_tag_may_be_asked_for(judged: Study) -> None:
    write_bytes(judged.outs / "all.run", run_file("AB", "one") + run_file("BC", "two"))
    write_bytes(judged.outs / "alone.run", run_file("AB", "three"))
    assert judged.tables("--model-column", "tag").code == 0
    assert list(measures(judged)) == ["one", "three", "two"]


def test_several_tags_that_are_not_to_be_told_apart_are_named(judged: Study) -> None:
    write_bytes(judged.outs / "all.run", run_file("AB", "one") + run_file("CD", "two"))
    ended = judged.tables("--model-column", "")
    assert judged.results()["all"]["Status"] == "partial"
    assert "2 different values (one, two) in a column that was not used" in ended.err


def test_one_tag_in_several_files_is_said_aloud(judged: Study) -> None:
    for name in ("first.run", "second.run"):
        write_bytes(judged.outs / name, run_file("AB", "same"))
    write_bytes(judged.outs / "other.run", run_file("AB", "other"))
    ended = judged.tables("--strict")
    assert ended.code == 0
    said = "the run tag 'same' stands in 2 files (first.run, second.run), which were taken as models of their own"
    assert said in ended.err
    assert [line["kind"] for line in judged.problems("same-tag")] == ["same-tag"]
    assert list(measures(judged)) == ["first", "other", "second"]


@pytest.mark.skipif(os.name != "posix", reason="no pipes with names here")
def test_a_pipe_that_might_be_a_run_is_not_opened(judged: Study) -> None:
    write_bytes(judged.outs / "good.run", run_file("AB", "one"))
    for name in ("x.txt", "input.pipe"):
        os.mkfifo(judged.outs / name)
    os.mkfifo(judged.outs / "y.run")
    ended = judged.tables("-v")
    assert ended.code == 3
    assert [line["file"] for line in judged.problems("not-a-file")] == ["y.run"]
    assert "ignored: x.txt" in ended.err
    assert "ignored: input.pipe" in ended.err

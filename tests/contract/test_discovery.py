"""Which files are models, and what are they called?"""

from __future__ import annotations

import os
import shutil

import pytest

from scoresheet.cli.write.names import file_stem
from tests.helpers.files import write_bytes, write_csv
from tests.helpers.runs import Run, spawn
from tests.helpers.studies import ANSWERS, Place, answers

pytestmark = pytest.mark.usefixtures("no_workbooks")

DEFAULTS = ("data/baseline_mean", "data/reference_explanations", "results/information_density")


def test_what_is_passed_over_is_said_but_for_lock_files_and_dot_files_which_are_listed_when_asked(
    place: Place,
) -> None:
    place.references()
    place.model("m")
    ignored = ["~$m.xlsx", ".hidden.csv", "notes.md", "picture.png"]
    for name in ignored:
        write_bytes(place.outs / name, b"Idiom,Prediction\na,b\n")
    plain, verbose = place.score(), place.score("-v")
    assert (plain.code, verbose.code) == (0, 0)
    assert list(place.results()) == ["m"]
    assert [line for line in plain.err.splitlines() if line.startswith("not read")] == [
        "not read: notes.md: not a table (.md), picture.png: not a table (.png)"
    ]
    assert [name for name in ignored[:2] if name in plain.err] == []
    assert [name for name in ignored if name in verbose.err] == ignored


def test_inputs_of_one_model_name_are_all_skipped_and_the_rest_goes_on(place: Place) -> None:
    place.references()
    place.model("good")
    place.model("m")
    place.book("m", {"perm1": answers()})
    write_csv(place.outs / "M" / "perm1.csv", answers())
    ended = place.score()
    assert ended.code == 3
    named = {line["file"].rstrip("/") for line in place.problems("same-name")}
    assert named == {"m.csv", "m.xlsx", "M"}
    assert {line["effect"] for line in place.problems("same-name")} == {"file skipped"}
    assert len(place.scores("good")) == 3
    assert not list(place.res.glob("[mM]_s_info.*"))


def test_nothing_but_inputs_of_one_model_name_leaves_nothing_to_score(place: Place) -> None:
    place.references()
    place.model("m")
    place.model("M")
    assert place.score().code == 4


@pytest.mark.parametrize(
    "name",
    ["gpt-4.1", "a model", "[red]m", "100%", "模型-é-😀", "v1.csv", "it's", "a,b;c", "m(1)", "$HOME", "~m"],
)
def test_a_model_keeps_its_name_in_the_table_and_its_reports(place: Place, name: str) -> None:
    place.references()
    place.model(name)
    ended = place.score()
    assert ended.code == 0
    assert list(place.results()) == [name]
    assert name in ended.out
    assert len(place.scores(name)) == 3
    assert place.workbook(name).exists()


def test_a_name_that_starts_like_an_option_is_a_name(place: Place) -> None:
    place.references()
    place.model("-q")
    ended = place.score("--raw-csv")
    assert ended.code == 0
    assert list(place.results()) == ["-q"]
    assert len(place.scores("-q")) == 3


@pytest.mark.parametrize("name", ['say "hi"', "a:b", "a?b*", "<x>", "con", "trailing "])
def test_a_name_some_file_systems_refuse_is_kept_in_the_table(place: Place, name: str) -> None:
    place.references()
    place.model(name)
    assert place.score().code == 0
    assert list(place.results()) == [name]
    (report,) = place.res.glob("*_s_info.csv")
    assert not set(report.name) & set('<>:"/\\|?*')


def test_a_folder_with_brackets_in_its_name_is_a_folder_and_no_pattern(place: Place) -> None:
    place.references()
    write_csv(place.root / "[red]m[" / "red].csv", answers())
    write_bytes(place.root / "[red]m[" / "bad.xlsx", b"not a workbook")
    ended = place.score(outs="[red]m[")
    assert ended.code == 3
    assert "[red]m[/bad.xlsx" in ended.err
    assert len(place.scores("red]")) == 3


def test_outputs_may_be_one_file(place: Place) -> None:
    place.references()
    place.model("m")
    place.model("n")
    assert place.score(outs="outs/m.csv").code == 0
    assert list(place.results()) == ["m"]
    assert len(place.scores()) == 3


def test_outputs_may_be_a_quoted_glob(place: Place) -> None:
    place.references()
    for name in ("gpt-1", "gpt-2", "other"):
        place.model(name)
    assert place.score(outs="outs/gpt-*.csv").code == 0
    assert list(place.results()) == ["gpt-1", "gpt-2"]


def test_references_may_be_one_file(place: Place) -> None:
    place.references()
    place.model("m")
    write_bytes(place.refs / "bad.xlsx", b"not a workbook")
    assert place.score(refs="refs/all.csv").code == 0
    assert len(place.scores()) == 3


def test_models_are_in_the_order_of_their_names(place: Place) -> None:
    place.references()
    for name in ("c", "a", "b"):
        place.model(name)
    assert place.score().code == 0
    assert list(place.results()) == ["a", "b", "c"]


def test_a_folder_below_a_models_folder_is_listed_and_not_read(place: Place) -> None:
    place.references()
    write_csv(place.outs / "m" / "perm1.csv", answers())
    write_csv(place.outs / "m" / "old" / "perm9.csv", answers())
    place.score()
    (line,) = place.problems("not-read")
    assert line["file"].rstrip("/") == "m/old"
    assert {unit["Sheet"] for unit in place.detail()} == {"perm1"}


def test_a_dangling_link_is_listed_and_not_read(place: Place) -> None:
    place.references()
    place.model("good")
    (place.outs / "m.csv").symlink_to(place.root / "nowhere.csv")
    ended = place.score()
    assert "Traceback" not in ended.err
    assert [line["file"] for line in place.problems("not-read")] == ["m.csv"]
    assert len(place.scores("good")) == 3


def test_a_link_to_a_file_is_that_file_under_the_links_name(place: Place) -> None:
    place.references()
    stored = write_csv(place.root / "elsewhere.csv", answers())
    place.outs.mkdir()
    (place.outs / "m.csv").symlink_to(stored)
    assert place.score().code == 0
    assert list(place.results()) == ["m"]


def test_a_pipe_named_like_a_table_does_not_hang_the_run(place: Place) -> None:
    place.references()
    place.model("good")
    os.mkfifo(place.outs / "m.csv")
    ended = spawn(place.root, "-o", "res")
    assert ended.code == 3
    assert [line["file"] for line in place.problems("not-a-file")] == ["m.csv"]
    assert len(place.scores("good")) == 3


def test_an_empty_folder_has_nothing_to_score(place: Place) -> None:
    place.references()
    place.outs.mkdir()
    assert place.score().code == 4
    assert not place.res.exists() or not list(place.res.glob("*.csv"))


def test_an_empty_folder_of_references_leaves_nothing_to_score(place: Place) -> None:
    place.model("m")
    place.refs.mkdir()
    assert place.score().code == 4


@pytest.mark.parametrize(("outs", "refs"), [("nowhere", "refs"), ("outs", "nowhere"), ("outs/n.csv", "refs")])
def test_a_path_that_does_not_exist_is_a_usage_error_that_names_it(place: Place, outs: str, refs: str) -> None:
    place.references()
    place.model("m")
    ended = place.score(outs=outs, refs=refs)
    assert ended.code == 2
    assert (outs if outs != "outs" else refs) in ended.err
    assert not place.res.exists()


def test_outputs_without_references_score_nothing_even_where_the_default_folder_exists(place: Place) -> None:
    place.references()
    place.model("m")
    shutil.copytree(place.refs, place.root / DEFAULTS[1])
    ended = place.run("sinfo", "outs", "-o", "res")
    assert ended.code == 4
    assert "no references were given" in ended.err
    assert "name REFERENCES, or name the column with --column Reference=HEADER" in ended.err


def test_without_arguments_the_default_folders_of_the_working_directory_are_used(place: Place) -> None:
    place.references()
    place.model("m")
    for source, target in zip((place.outs, place.refs), DEFAULTS[:2], strict=True):
        shutil.copytree(source, place.root / target)
    assert place.run("sinfo").code == 0
    assert (place.root / DEFAULTS[2] / "s_info_results.csv").exists()
    assert (place.root / DEFAULTS[2] / "m_s_info.xlsx").exists()


def test_without_arguments_or_default_folders_the_usage_is_wrong(place: Place) -> None:
    ended = place.run("sinfo")
    assert ended.code == 2
    assert DEFAULTS[0] in ended.err
    assert not (place.root / "results").exists()


def test_one_unusable_reference_file_among_several_is_partial(place: Place) -> None:
    place.references()
    place.model("m")
    write_bytes(place.refs / "bad.xlsx", b"not a workbook")
    assert place.score().code == 3
    assert [line["file"] for line in place.problems("not-a-table")] == ["bad.xlsx"]
    assert len(place.scores()) == 3


def test_one_unusable_reference_file_and_no_other_leaves_nothing_to_score(place: Place) -> None:
    place.model("m")
    write_bytes(place.refs / "bad.xlsx", b"not a workbook")
    ended = place.score()
    assert ended.code == 4
    assert "bad.xlsx" in ended.err


def test_a_reference_file_without_its_columns_among_several_is_partial(place: Place) -> None:
    place.references()
    place.model("m")
    write_csv(place.refs / "bad.csv", [("word", "gloss"), *ANSWERS.items()])
    assert place.score().code == 3
    assert [line["file"] for line in place.problems("missing-column")] == ["bad.csv"]


@pytest.mark.usefixtures("folder")
def test_results_are_never_taken_for_models(run: Run) -> None:
    run("sinfo", "outs", "refs", "-o", "outs/first")
    done = run("sinfo", "outs", "refs", "-o", "second", "-v")
    assert done.code == 0
    assert "first: the results of an earlier run" in done.err
    for place in ("second", "outs"):
        refused = run("sinfo", place, "refs", "-o", place)
        assert refused.code == 2
        assert "folder of results" in refused.err


@pytest.mark.skipif(os.name == "nt", reason="no file has a colon in its name there")
def test_models_whose_reports_would_be_one_file_are_skipped_and_the_rest_goes_on(place: Place) -> None:
    place.references()
    place.model("good")
    place.model("a:b")
    place.model(file_stem("a:b"))  # which is what the reports of the other would be called
    assert place.score().code == 3
    found = {line["file"]: line["message"] for line in place.problems("same-name")}
    assert set(found) == {"a:b.csv", f"{file_stem('a:b')}.csv"}
    assert f"the same name as those of {file_stem('a:b')}.csv" in found["a:b.csv"]
    assert len(place.scores("good")) == 3
    assert not list(place.res.glob("a_b*"))

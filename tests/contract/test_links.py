"""Do links that lead in a circle cost only themselves?"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.helpers.files import write_csv
from tests.helpers.runs import COMMAND, Result
from tests.helpers.studies import Place, answers

pytestmark = pytest.mark.usefixtures("no_workbooks")


@pytest.fixture
def ready(place: Place) -> Place:
    """A good model and its references."""
    place.references()
    place.model("good")
    return place


def circle(path: Path, length: int = 1) -> Path:
    """A link that leads back to itself, over this many links."""
    path.parent.mkdir(parents=True, exist_ok=True)
    links = [path, *(path.with_name(f".link{number}") for number in range(1, length))]
    for link, target in zip(links, [*links[1:], path], strict=True):
        link.symlink_to(target.name)
    return path


def sound(ended: Result, code: int) -> bool:
    """Whether a run ended with this code, and not by a bug."""
    return ended.code == code and "Traceback" not in ended.err and "bug" not in ended.err


@pytest.mark.parametrize("length", [1, 2, 5])
@pytest.mark.parametrize("name", ["m.csv", "m.xlsx"])
def test_a_model_that_is_a_link_in_a_circle_fails_and_the_others_are_scored(
    ready: Place, name: str, length: int
) -> None:
    circle(ready.outs / name, length)
    ended = ready.score()
    assert sound(ended, 3)
    (line,) = ready.problems("not-a-file")
    assert (line["file"], line["effect"]) == (name, "file skipped")
    assert "back to itself" in line["message"]
    assert f"outs/{name}" in ended.err
    assert ready.results()["m"]["Status"] == "failed"
    assert len(ready.scores("good")) == 3


@pytest.mark.parametrize("name", ["m", "gpt-4.1"])
def test_a_link_in_a_circle_that_may_have_been_a_models_folder_is_skipped_and_named(ready: Place, name: str) -> None:
    circle(ready.outs / name)
    assert sound(ready.score(), 3)
    (line,) = ready.problems("not-read")
    assert (line["file"], line["effect"]) == (name, "file skipped")
    assert list(ready.results()) == ["good"]


@pytest.mark.parametrize("name", [".hidden.csv", "~$good.csv", ".hidden"])
def test_a_link_in_a_circle_with_a_name_that_is_never_read_costs_nothing(ready: Place, name: str) -> None:
    circle(ready.outs / name)
    assert sound(ready.score(), 0)


def test_a_link_in_a_circle_among_a_models_files_costs_that_file(ready: Place) -> None:
    write_csv(ready.outs / "m" / "perm1.csv", answers())
    circle(ready.outs / "m" / "perm2.csv")
    circle(ready.outs / "m" / "more")
    assert sound(ready.score(), 3)
    assert [line["file"] for line in ready.problems("not-a-file")] == ["m/perm2.csv"]
    assert [(line["file"], line["effect"]) for line in ready.problems("not-read")] == [("m/more", "note")]
    assert ready.results()["m"]["Status"] == "partial"
    assert {unit["Sheet"] for unit in ready.detail()} == {"perm1"}


def test_nothing_but_links_in_a_circle_leaves_nothing_to_score(place: Place) -> None:
    place.references()
    circle(place.outs / "m.csv")
    assert sound(place.score(), 4)
    (place.outs / "m.csv").unlink()
    circle(place.outs / "m")
    assert sound(place.score(), 4)


def test_a_link_in_a_circle_among_the_references_costs_itself(ready: Place) -> None:
    circle(ready.refs / "more.csv")
    assert sound(ready.score(), 3)
    assert [line["file"] for line in ready.problems("not-a-file")] == ["more.csv"]
    assert len(ready.scores("good")) == 3


@pytest.mark.parametrize(
    "places",
    [{"outs": "loop"}, {"refs": "loop"}, {"res": "loop"}, {"res": "loop/below"}],
    ids=["outputs", "references", "results", "below the results"],
)
def test_a_link_in_a_circle_that_is_named_is_a_usage_error(ready: Place, places: dict[str, str]) -> None:
    for length in (1, 3):
        circle(ready.root / "loop", length)
        ended = ready.score(**places)
        assert sound(ended, 2)
        assert "loop" in ended.err
        assert "back to itself" in ended.err
        assert (ready.root / "loop").is_symlink()
        assert not ready.res.exists()
        (ready.root / "loop").unlink()


def test_a_link_in_a_circle_that_is_named_as_a_file_or_a_table_is_a_usage_error(ready: Place) -> None:
    circle(ready.root / "loop.csv")
    assert sound(ready.score(outs="loop.csv"), 2)
    write_csv(ready.outs / "good.csv", [("level", "choice"), (0, "a")])
    write_csv(ready.root / "options.csv", [("level", "option"), (0, "a"), (0, "b")])
    words = ("mode-collapse", "outs", "options.csv", "--target", "loop.csv", "-o", "res")
    assert sound(ready.run(*words), 2)


@pytest.mark.parametrize("target", [".", "..", "../outs", "../.."])
def test_a_link_to_the_folder_that_it_stands_in_is_no_model(ready: Place, target: str) -> None:
    (ready.outs / "self").symlink_to(target)
    ended = ready.score()
    assert sound(ended, 3)
    assert list(ready.results()) == ["good"]
    (line,) = ready.problems("not-read")
    assert (line["file"], line["effect"]) == ("self", "file skipped")


def test_a_link_to_a_folder_elsewhere_is_a_model_under_the_links_name(ready: Place) -> None:
    write_csv(ready.root / "store" / "perm1.csv", answers())
    (ready.outs / "m").symlink_to("../store")
    assert sound(ready.score(), 0)
    assert list(ready.results()) == ["good", "m"]


# --- patterns --------------------------------------------------------------------------------------------------------


def test_a_pattern_over_links_to_their_own_folder_ends_and_reads_each_file_once(ready: Place) -> None:
    write_csv(ready.outs / "deep" / "er" / "m.csv", answers())
    for number in range(3):
        (ready.outs / f"self{number}").symlink_to(".")
        (ready.outs / "deep" / f"up{number}").symlink_to("..")
    words = [*COMMAND, "sinfo", "outs/**/*.csv", "refs", "-o", "res"]
    ended = subprocess.run(words, cwd=ready.root, capture_output=True, timeout=60, check=False)
    assert (ended.returncode, b"Traceback" in ended.stderr) == (0, False)
    assert list(ready.results()) == ["good", "m"]
    named = {line["file"] for line in ready.problems("not-read")}
    assert named == {*(f"self{number}" for number in range(3)), *(f"deep/up{number}" for number in range(3))}
    assert {line["effect"] for line in ready.problems("not-read")} == {"note"}


def test_a_pattern_follows_a_link_to_a_folder_that_is_not_read_otherwise(ready: Place) -> None:
    write_csv(ready.root / "store" / "deep" / "m.csv", answers())
    (ready.outs / "a_link").symlink_to("../store")
    assert sound(ready.score(outs="outs/**/*.csv"), 0)
    assert list(ready.results()) == ["good", "m"]
    assert ready.problems("not-read") == []


def test_a_file_that_a_pattern_reaches_directly_and_by_a_link_to_its_folder_counts_once(ready: Place) -> None:
    write_csv(ready.outs / "m" / "deep" / "m.csv", answers())
    (ready.outs / "a_link").symlink_to("m")
    for pattern in ("outs/**/*.csv", "outs/**/**/*.csv", "**/outs/**/*.csv", "o*/**/m*/deep/*.csv"):
        assert sound(ready.score(outs=pattern), 0), pattern
        assert "m" in ready.results()
        assert {line["kind"] for line in ready.problems()} <= {"not-read"}


def test_a_pattern_names_a_link_in_a_circle_as_a_folder_does(ready: Place) -> None:
    circle(ready.outs / "m.csv")
    for pattern in ("outs/*.csv", "outs/**/*.csv", "outs/*"):
        assert sound(ready.score(outs=pattern), 3), pattern
        assert [line["file"] for line in ready.problems("not-a-file")] == ["m.csv"]
        assert len(ready.scores("good")) == 3


def test_a_pattern_of_any_depth_passes_over_dot_folders_and_finds_files_beside_it(ready: Place) -> None:
    write_csv(ready.outs / ".git" / "x.csv", answers())
    write_csv(ready.outs / "a" / "b" / "c" / "m.csv", answers())
    write_csv(ready.outs / "a" / "notes.txt", answers())
    for pattern in ("outs/**/*.csv", "./outs/**/*.csv", str(ready.outs / "**" / "*.csv")):
        assert sound(ready.score(outs=pattern), 0), pattern
        assert list(ready.results()) == ["good", "m"], pattern
    assert sound(ready.score(outs="outs/a/**/m.csv"), 0)
    assert list(ready.results()) == ["m"]
    assert ready.score(outs="outs/**/*.nothing").code == 2

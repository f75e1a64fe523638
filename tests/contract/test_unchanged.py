"""Is a model that is as it was in the last run let alone, and is any other scored?"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scoresheet.cli.commands import command_named, command_names
from scoresheet.cli.run import model_worker, provenance
from scoresheet.cli.run.plan import Plan
from tests.helpers.files import digests, write_bytes, write_csv
from tests.helpers.runs import MANIFEST, Run
from tests.helpers.studies import ANSWERS, REFERENCES, Place, answers

pytestmark = pytest.mark.patched  # most count what workers do

DATA = Path(__file__).resolve().parent.parent.parent / "data"


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The models that were scored, in turn."""
    names: list[str] = []
    load: Callable[..., Any] = model_worker.score_loaded

    def noted(plan: Any, context: Any, model: Any, *rest: Any) -> Any:
        names.append(model.name)
        return load(plan, context, model, *rest)

    monkeypatch.setattr(model_worker, "score_loaded", noted)
    return names


@pytest.fixture
def ready(place: Place) -> Place:
    """Three models of several kinds, and their references."""
    place.references()
    place.model("a")
    place.model("b", ANSWERS | {"break the ice": ""})
    place.book("c", {"one": answers(), "two": answers({"unknown": "x"})})
    return place


def manifest(folder: Path) -> Any:
    """What the manifest says."""
    return json.loads((folder / MANIFEST).read_text("utf-8"))


def demo(name: str, root: Path) -> list[str]:
    """The words that score a copy of a command's sample data."""
    command = command_named(name)
    shutil.copytree(DATA, root / "data")
    return [name, *filter(None, (command.outputs, command.references)), "-o", "res"]


@pytest.mark.parametrize("name", command_names())
def test_one_changed_file_is_scored_and_the_others_stand_byte_for_byte(
    run: Run, tmp_path: Path, scored: list[str], name: str
) -> None:
    words = demo(name, tmp_path)
    assert run(*words).code in (0, 10)
    every = sorted(set(scored))
    before = digests(tmp_path / "res")
    changed = next(path for path in sorted((tmp_path / command_named(name).outputs).rglob("*.csv")))
    changed.write_bytes(changed.read_bytes() + changed.read_bytes().splitlines(keepends=True)[-1])
    scored.clear()
    told = run(*words, "--json")
    (one,) = set(scored)
    others = [model for model in every if model != one]
    assert sorted(json.loads(told.out)["unchanged"]) == sorted(manifest(tmp_path / "res")["unchanged"]) == others
    assert "unchanged since the last run" in told.err
    after = digests(tmp_path / "res")
    own = [file for file in before if file.removeprefix("cache/").startswith(tuple(f"{model}_" for model in others))]
    assert len(own) >= 3 * len(others)
    assert {file: after[file] for file in own} == {file: before[file] for file in own}
    assert run(*words, "--fresh").code == told.code
    assert digests(tmp_path / "res") == after


@pytest.mark.parametrize("name", command_names())
def test_a_run_of_unchanged_models_alone_says_and_writes_what_a_fresh_one_does(
    run: Run, tmp_path: Path, scored: list[str], name: str
) -> None:
    words = demo(name, tmp_path)
    first = run(*words, "--json")
    before = digests(tmp_path / "res")
    scored.clear()
    second = run(*words, "--json")
    assert scored == []
    assert digests(tmp_path / "res") == before
    told, again = json.loads(first.out), json.loads(second.out)
    assert (told.pop("unchanged"), bool(again.pop("unchanged"))) == ([], True)
    assert told == again


@pytest.mark.parametrize("beside", ["sinfo", "mode-collapse", "diversity"])
def test_what_all_models_hold_is_kept_too_and_a_change_of_it_scores_all(
    run: Run, tmp_path: Path, scored: list[str], beside: str
) -> None:
    tables: dict[str, list[tuple[str, ...]]] = {
        "sinfo": [
            ("Idiom", "Prediction", "Reference"),
            *((key, text, REFERENCES[key]) for key, text in ANSWERS.items()),
        ],
        "mode-collapse": [("level", "choice"), *[("0", each) for each in ("red", "red", "blue", "red", "green")]],
        "diversity": [
            ("query", "rank", "item", "subtopics"),
            *[("q", str(rank), f"d{rank}", f"s{rank % 2}") for rank in range(1, 6)],
        ],
    }
    head, *rows = tables[beside]
    for model in "abc":
        write_csv(tmp_path / "outs" / f"{model}.csv", [head, *rows])
    words = [beside, "outs", "-o", "res"]
    assert run(*words).code == 0
    scored.clear()
    assert run(*words).code == 0
    assert scored == []
    assert len(list((tmp_path / "res/cache").glob("*.sheets.json"))) == 3
    write_csv(tmp_path / "outs" / "c.csv", [head, *reversed(rows)])  # nothing that the others could know of
    assert run(*words).code == 0
    assert set(scored) == {"c"}
    scored.clear()
    new = {"sinfo": ("new", "a b", "a b c"), "mode-collapse": ("0", "violet"), "diversity": ("q", "6", "d6", "s9")}
    write_csv(tmp_path / "outs" / "c.csv", [head, *rows, new[beside]])
    assert run(*words).code == 0
    assert set(scored) == {"a", "b", "c"}
    after = digests(tmp_path / "res")
    assert run(*words, "--fresh").code == 0
    assert digests(tmp_path / "res") == after


def test_models_that_a_column_names_are_kept_and_their_file_is_not_read(
    place: Place, scored: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place.references()
    rows = [(model, *row) for model in ("all", "gpt") for row in ANSWERS.items()]
    path = write_csv(place.outs / "all.csv", [("model", "Idiom", "Prediction"), *rows])
    assert place.score().code == 0
    before = digests(place.res)
    with monkeypatch.context() as patched:
        patched.setattr(model_worker, "load_sheets", lambda *_: pytest.fail("it was read"))
        assert place.score().code == 0
    assert digests(place.res) == before
    scored.clear()
    write_csv(path, [("model", "Idiom", "Prediction"), *rows, ("new", "spill the beans", "x")])
    assert place.score().code == 0
    assert sorted(set(scored)) == ["all", "gpt", "new"]


def other_reference(place: Place) -> None:
    place.references(REFERENCES | {"spill the beans": "to tell"})


def more_references(place: Place) -> None:
    write_csv(place.refs / "more.csv", [("idiom", "explanation"), ("new", "a b")])


def renamed_reference(place: Place) -> None:
    (place.refs / "all.csv").rename(place.refs / "zh.csv")


CHANGES: dict[str, Callable[[Place], None]] = {
    "a reference": other_reference,
    "a further reference": more_references,
    "the name of a file of references": renamed_reference,
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_is_given_besides_the_models_counts(ready: Place, scored: list[str], change: str) -> None:
    assert ready.score().code == 0
    scored.clear()
    CHANGES[change](ready)
    assert ready.score().code == 0
    assert set(scored) == {"a", "b", "c"}


OPTIONS = [
    ("--ci", "0.9"),
    ("--seed", "1"),
    ("--missing", "zero"),
    ("--audit", "1"),
    ("--limit", "2"),
    ("--skip-sheet", "two"),
    ("--column", "Prediction=Prediction"),
    ("--raw-csv",),
    ("--no-workbooks",),
    ("--tables",),
    ("--by", "Idiom"),
    ("--keep", "Idiom"),
    ("--reader", "openpyxl"),
]


@pytest.mark.parametrize("words", OPTIONS, ids=lambda words: words[0])
def test_every_option_that_could_show_counts(ready: Place, scored: list[str], words: tuple[str, ...]) -> None:
    assert ready.score().code == 0
    scored.clear()
    assert ready.score(*words).code == 0
    assert set(scored) == {"a", "b", "c"}
    scored.clear()
    assert ready.score(*words).code == 0
    assert scored == []


@pytest.mark.parametrize(
    "words", [("--verbose",), ("--jobs", "1"), ("--min-coverage", "0.1"), ("--strict",), ("--prune",), ("--wait", "1")]
)
def test_options_that_show_nowhere_do_not_count(ready: Place, scored: list[str], words: tuple[str, ...]) -> None:
    assert ready.score().code == 0
    scored.clear()
    ready.score(*words)
    assert scored == []


@pytest.mark.parametrize("name", ["code_digest", "versions"])
def test_another_version_of_our_code_or_of_a_package_counts(
    ready: Place, scored: list[str], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ready.score().code == 0
    scored.clear()
    monkeypatch.setattr(provenance, name, lambda: {"pandas": "0"})
    assert ready.score().code == 0
    assert set(scored) == {"a", "b", "c"}


def test_a_table_that_an_option_names_counts(run: Run, tmp_path: Path, scored: list[str]) -> None:
    write_csv(tmp_path / "outs/a.csv", [("level", "choice"), ("0", "red"), ("0", "red"), ("0", "blue")])
    write_csv(tmp_path / "options.csv", [("level", "parent", "option"), ("0", "", "red"), ("0", "", "blue")])
    shares = [("level", "parent", "option", "share"), ("0", "", "red", "0.5"), ("0", "", "blue", "0.5")]
    write_csv(tmp_path / "shares.csv", shares)
    words = ["mode-collapse", "outs", "options.csv", "--target", "shares.csv", "-o", "res"]
    assert run(*words).code == 0
    scored.clear()
    assert run(*words).code == 0
    assert scored == []
    write_csv(tmp_path / "shares.csv", [*shares[:1], ("0", "", "red", "0.4"), ("0", "", "blue", "0.6")])
    assert run(*words).code == 0
    assert scored == ["a"]
    head = ("level", "parent", "option", "aliases")
    write_csv(tmp_path / "options.csv", [head, ("0", "", "red", "rot"), ("0", "", "blue", "")])
    assert run(*words).code == 0
    assert scored == ["a", "a"]


def gone(path: Path) -> None:
    path.unlink()


def changed(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b" ")


FILES = ["a_s_info.csv", "a_s_info.xlsx", "cache/a_s_info.json"]


@pytest.mark.parametrize("harm", [gone, changed])
@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_not_as_it_was_left_is_said_and_written_again(
    ready: Place, scored: list[str], name: str, harm: Callable[[Path], None]
) -> None:
    assert ready.score().code == 0
    before = digests(ready.res)
    harm(ready.res / name)
    scored.clear()
    ended = ready.score()
    assert ended.code == 0
    assert set(scored) == {"a"}
    (line,) = [line for line in ended.err.splitlines() if "scored again" in line and "--fresh" not in line]
    assert name in line
    assert manifest(ready.res)["rewritten"] == [line.removeprefix("res/")]
    assert digests(ready.res) == before


FORGERIES: dict[str, Callable[[str], str]] = {
    "cut": lambda text: text[:-20],
    "no text": lambda _: "\xff",
    "another class": lambda text: text.replace("KeptOutcome", "Plan"),
    "no class of ours": lambda text: text.replace("scoresheet.cli.run.unchanged:KeptOutcome", "subprocess:Popen"),
    "a field too many": lambda text: text.replace('"reports":', '"more":1,"reports":'),
    "another's": lambda text: text.replace('"model":"a"', '"model":"b"'),
    "another report": lambda text: text.replace("a_s_info.csv", "../a.csv"),
    "nested": lambda text: text[: text.index('"value":') + 8] + "[" * 100_000,
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_what_is_kept_is_not_believed_if_it_is_none_of_ours_though_the_manifest_lists_it(
    ready: Place, scored: list[str], forgery: str
) -> None:
    assert ready.score().code == 0
    before = digests(ready.res)
    path = ready.res / "cache/a_s_info.json"
    write_bytes(path, FORGERIES[forgery](path.read_text("ascii")).encode("latin-1"))
    record = manifest(ready.res)
    listed = digests(ready.res)["cache/a_s_info.json"]
    record["outputs"] = [
        each | {"sha256": listed} if each["file"] == "cache/a_s_info.json" else each for each in record["outputs"]
    ]
    write_bytes(ready.res / MANIFEST, json.dumps(record).encode())
    scored.clear()
    assert ready.score().code == 0
    assert set(scored) == {"a"}
    assert digests(ready.res) == before


def test_reports_from_python_are_not_taken_for_those_of_the_command(ready: Place, scored: list[str]) -> None:
    from scoresheet import score

    assert ready.score().code == 0
    before = digests(ready.res)
    path = ready.model("a", ANSWERS | {"spill the beans": "something else"})
    score("sinfo", ready.outs, ready.refs).write(ready.res)
    assert not (ready.res / "cache").exists()
    path.unlink()
    ready.model("a")
    scored.clear()
    assert ready.score().code == 0
    assert set(scored) == {"a", "b", "c"}
    assert digests(ready.res) == before


def test_without_a_manifest_every_model_is_scored(ready: Place, scored: list[str]) -> None:
    assert ready.score().code == 0
    (ready.res / MANIFEST).rename(ready.res / ".scoresheet-command")
    scored.clear()
    assert ready.score().code == 0
    assert set(scored) == {"a", "b", "c"}


def test_a_model_that_failed_is_scored_again_and_one_that_is_gone_leaves_nothing_kept(
    ready: Place, scored: list[str]
) -> None:
    good = (ready.outs / "a.csv").read_bytes()
    assert ready.score().code == 0
    write_bytes(ready.outs / "a.csv", b"\xff\xfe\xff")
    assert ready.score().code == 3
    assert not (ready.res / "cache/a_s_info.json").exists()
    assert (ready.res / "a_s_info.csv").exists()
    write_bytes(ready.outs / "a.csv", good)
    scored.clear()
    assert ready.score().code == 0
    assert set(scored) == {"a"}


def test_a_dry_run_scores_and_keeps_nothing(ready: Place, scored: list[str]) -> None:
    assert ready.score().code == 0
    before = digests(ready.res)
    scored.clear()
    assert ready.score("--dry-run").code == 0
    assert set(scored) == {"a", "b", "c"}
    assert digests(ready.res) == before


@pytest.mark.parametrize("make", [lambda path: path.write_bytes(b"mine"), lambda path: path.symlink_to("/tmp")])
def test_a_users_own_file_where_the_folder_is_to_be_stops_the_run(ready: Place, make: Callable[[Path], None]) -> None:
    ready.res.mkdir()
    make(ready.res / "cache")
    ended = ready.score()
    assert ended.code == 2
    assert "res/cache" in ended.err


def test_a_plan_with_a_new_part_counts_until_it_is_said_not_to() -> None:
    named = {"folder", "signature", "side_files", "renamed", "options", "by", "keep", "raw_csv", "reference_sources"}
    named |= {"workbooks", "tables", "lone_folder"}
    assert {field for field in Plan.__dataclass_fields__ if field not in provenance._NOT_SHOWN} == named

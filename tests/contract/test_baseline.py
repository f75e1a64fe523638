"""Tonight against an earlier run: what dropped, what has gone, and which gates that fails."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.files import read_csv, sheet_names, sheet_rows, write_csv
from tests.helpers.runs import Result, Run

ITEMS = 60
WORDS = 20


def texts(model: int, drop: float, items: int = ITEMS) -> list[tuple[str, str]]:
    """A model's answers: so many of twenty words right, with a noise of its own, less a drop."""
    rng = np.random.default_rng(model)
    right = np.clip(np.round(14 + rng.integers(-3, 4, size=ITEMS) - drop * WORDS), 0, WORDS).astype(int)
    return [
        (f"k{item:03}", " ".join([f"w{n}" for n in range(hits)] + [f"x{n}" for n in range(WORDS - hits)]))
        for item, hits in enumerate(right.tolist()[:items])
    ]


def outputs(folder: Path, models: Mapping[str, list[tuple[str, str]]]) -> None:
    for old in (folder / "outs").glob("*.csv"):
        old.unlink()
    for model, rows in models.items():
        write_csv(folder / f"outs/{model}.csv", [("Idiom", "Prediction"), *rows])
    reference = " ".join(f"w{n}" for n in range(WORDS))
    write_csv(folder / "refs/r.csv", [("idiom", "explanation"), *((f"k{n:03}", reference) for n in range(ITEMS))])


@pytest.fixture
def last(run: Run, tmp_path: Path) -> Path:
    """The results of last night: three models."""
    outputs(tmp_path, {name: texts(place, 0) for place, name in enumerate("abc")})
    assert run("sinfo", "outs", "refs", "-o", "last").code == 0
    return tmp_path


def tonight(run: Run, *options: str) -> tuple[Result, dict[str, dict[str, object]]]:
    ended = run("sinfo", "outs", "refs", "-o", "res", "--baseline", "last", "--json", *options)
    told = json.loads(ended.out)
    return ended, {line["Model"]: line for line in told["baseline"]["models"]} if "baseline" in told else {}


def test_nothing_changed_holds(run: Run, last: Path) -> None:
    ended, changes = tonight(run, "--fail-if-worse", "--max-drop", "0")
    assert ended.code == 0
    assert {line["Change"] for line in changes.values()} == {0.0}
    assert {line["Finding"] for line in changes.values()} == {"not worse"}
    assert [line["Finding"] for line in read_csv(last / "res/changes.csv")] == ["not worse"] * 3


def test_a_drop_that_is_not_noise_fails_and_names_model_size_and_chance(run: Run, last: Path) -> None:
    outputs(last, {"a": texts(0, 0), "b": texts(1, 0.1), "c": texts(2, -0.1)})
    ended, changes = tonight(run, "--fail-if-worse")
    assert ended.code == 10
    failed = [verdict for verdict in json.loads(ended.out)["gates"] if verdict["failed"]]
    assert [(each["gate"], each["model"], each["limit"]) for each in failed] == [("--fail-if-worse", "b", 0.05)]
    assert failed[0]["value"] == changes["b"]["P_Holm"] < 0.05  # type: ignore[operator]
    assert "gate: b: S_Info: worse by 0." in ended.err
    assert changes["c"]["P_Worse"] > 0.9  # type: ignore[operator]
    book = last / "res/s_info_results.xlsx"
    assert sheet_names(book)[1:3] == ["Comparison", "Changes"]
    assert [row[0] for row in sheet_rows(book, "Changes")[1:4]] == ["a", "b", "c"]


def test_noise_is_no_drop_but_the_largest_that_may_be_is_a_matter_of_its_own(run: Run, last: Path) -> None:
    rng = np.random.default_rng(9)
    noisy = texts(0, 0)
    swapped = rng.permutation(len(noisy)).tolist()
    rows = [(key, noisy[place][1]) for (key, _), place in zip(noisy, swapped, strict=True)]
    rows[0] = (rows[0][0], "x0")  # a little worse on the whole
    outputs(last, {"a": rows, "b": texts(1, 0), "c": texts(2, 0)})
    ended, changes = tonight(run, "--fail-if-worse")
    assert ended.code == 0
    assert changes["a"]["Change"] < 0  # type: ignore[operator]
    assert str(changes["a"]["Finding"]).endswith("which is not shown")
    ended, _ = tonight(run, "--max-drop", "0.001")
    assert ended.code == 10
    assert "fails if it is worse by more than 0.001" in ended.err
    assert tonight(run, "--max-drop", "0.5")[0].code == 0


def test_a_half_copied_file_is_caught_though_its_score_is_no_lower(run: Run, last: Path) -> None:
    outputs(last, {"a": texts(0, 0, items=ITEMS * 7101 // 15000), "b": texts(1, 0), "c": texts(2, 0, items=ITEMS - 3)})
    ended, changes = tonight(run, "--fail-if-worse")
    assert ended.code == 10
    assert [line for line in ended.err.splitlines() if line.startswith("gate: ")] == [
        "gate: a: 53.3% of what it had in last is gone, such as 'k028', 'k029', 'k030', …; 5 % may be (--fail-if-worse)"
    ]
    assert len(changes["a"]["Units_Gone"]) == 32  # type: ignore[arg-type]
    assert changes["c"]["Gone"] == pytest.approx(3 / ITEMS)  # five in a hundred and no more


def test_a_model_that_has_gone_or_failed_fails_the_gate_and_a_new_one_does_not(run: Run, last: Path) -> None:
    outputs(last, {"a": texts(0, 0), "new": texts(4, 0)})
    (last / "outs/b.xlsx").write_bytes(b"not a workbook")
    ended, _ = tonight(run, "--fail-if-worse")
    assert ended.code == 10
    assert [line for line in ended.err.splitlines() if line.startswith("gate: ")] == [
        "gate: b: had results in last and has none now (--fail-if-worse)",
        "gate: c: had results in last and has none now (--fail-if-worse)",
    ]
    told = json.loads(ended.out)["baseline"]
    assert (told["lost_models"], told["new_models"]) == (["b", "c"], ["new"])
    assert "gone: b, c" in told["answer"]


def test_the_folder_that_is_written_can_be_the_one_that_is_compared_with(run: Run, last: Path) -> None:
    outputs(last, {"a": texts(0, 0.3), "b": texts(1, 0), "c": texts(2, 0)})
    words = ("sinfo", "outs", "refs", "-o", "last", "--baseline", "last", "--fail-if-worse")
    assert run(*words).code == 10
    assert run(*words).code == 0  # now it is the drop that is the baseline
    assert [line["Change"] for line in read_csv(last / "last/changes.csv")] == ["0.0"] * 3


def test_an_earlier_run_of_another_kind_is_refused(run: Run, last: Path) -> None:
    ended, _ = tonight(run, "--rouge", "lin")
    assert ended.code == 2
    assert "made in another way: rouge:" in ended.err
    assert not (last / "res").exists()
    ended, _ = tonight(run, "--rouge", "lin", "--anyway")
    assert ended.code == 0
    assert json.loads(ended.out)["baseline"]["differs"]
    assert run("entropy", "outs", "-o", "ent", "--baseline", "last").code == 2
    for words in (("--fail-if-worse",), ("--max-drop", "0.1"), ("--anyway",)):
        ended = run("sinfo", "outs", "refs", "-o", "res", *words)
        assert ended.code == 2
        assert "needs --baseline" in ended.err


def test_a_measure_without_a_direction_cannot_drop_and_that_is_said(run: Run, tmp_path: Path) -> None:
    rows = [(n, " ".join(f"word{n}{m % 17}" for m in range(60))) for n in range(20)]
    write_csv(tmp_path / "outs/m.csv", [("id", "text"), *rows])
    assert run("entropy", "outs", "-o", "last").code == 0
    write_csv(tmp_path / "outs/m.csv", [("id", "text"), *((n, "the same " * 40) for n in range(20))])
    ended = run("entropy", "outs", "-o", "res", "--baseline", "last", "--fail-if-worse")
    assert ended.code == 0
    assert "Entropy_At_Length has no direction" in ended.out
    ended = run("entropy", "outs", "-o", "res", "--baseline", "last", "--max-drop", "0.1")
    assert ended.code == 2
    assert "has no direction" in ended.err
    write_csv(tmp_path / "outs/m.csv", [("id", "text"), *rows[:18]])
    ended = run("entropy", "outs", "-o", "res", "--baseline", "last", "--fail-if-worse")
    assert ended.code == 10
    assert "10.0% of what it had in last is gone" in ended.err


def test_lost_samples_of_choices_count_and_other_choices_do_not(run: Run, tmp_path: Path) -> None:
    def choices(counts: Mapping[str, int]) -> None:
        rows = [(0, "", option) for option, number in counts.items() for _ in range(number)]
        write_csv(tmp_path / "outs/m.csv", [("level", "parent", "choice"), *rows])

    choices({"a": 10, "b": 10, "c": 10})
    assert run("mode-collapse", "outs", "-o", "last").code == 0
    gated = ("mode-collapse", "outs", "-o", "res", "--baseline", "last", "--fail-if-worse")
    choices({"a": 11, "b": 10, "c": 9})
    assert run(*gated).code == 0
    choices({"a": 5, "b": 5, "c": 5})
    assert "50.0% of what it had" in run(*gated).err
    choices({"a": 28, "b": 1, "c": 1})
    ended = run(*gated)
    assert ended.code == 10
    assert "gate: m: Gini_Debiased: worse by" in ended.err


def test_compare_holds_a_folder_against_a_baseline_too(run: Run, last: Path) -> None:
    outputs(last, {"a": texts(0, 0.2), "b": texts(1, 0), "c": texts(2, 0)})
    assert run("sinfo", "outs", "refs", "-o", "res").code == 0
    ended = run("compare", "res", "--baseline", "last", "--fail-if-worse", "-o", "out")
    assert ended.code == 10
    assert "gate: a: S_Info: worse by 0.2" in ended.err
    assert [line["Model"] for line in read_csv(last / "out/changes.csv")] == ["a", "b", "c"]
    assert json.loads((last / "out/manifest.json").read_text("utf-8"))["exit_code"] == 10


def test_the_first_run_of_a_folder_that_is_its_own_baseline_has_none_yet(run: Run, tmp_path: Path) -> None:
    outputs(tmp_path, {"a": texts(0, 0)})
    words = ("sinfo", "outs", "refs", "-o", "res", "--baseline", "./res", "--fail-if-worse", "--max-drop", "0.1")
    first = run(*words, "--json")
    told = json.loads(first.out)
    assert (first.code, told["baseline"], told["gates"]) == (0, None, [])
    assert told["since"] == "Since ./res: no results were there yet; the next run is held against these."
    outputs(tmp_path, {"a": texts(0, 0.2)})
    second = run(*words)
    assert second.code == 10
    assert "--max-drop fails if it is worse by more than 0.1" in second.err
    assert "fails below 0.05" in second.err
    assert run(*words).code == 0  # what was written is the next baseline
    (tmp_path / "res/manifest.json").unlink()
    assert "no run of scoresheet sinfo is known to have written it" in run(*words).err  # and no first run
    assert run("sinfo", "outs", "refs", "-o", "res", "--baseline", "elsewhere").code == 2
    refused = run("entropy", "outs", "--column", "text=Prediction", "-o", "e", "--baseline", "e", "--max-drop", "1")
    assert refused.code == 2
    assert "has no direction" in refused.err


def test_of_models_that_were_not_asked_for_none_is_gone(run: Run, last: Path) -> None:
    ended = run("compare", last / "last", "--baseline", "last", "--model", "b", "--fail-if-worse", "--json")
    told = json.loads(ended.out)
    assert ended.code == 0, ended.err
    assert {verdict["model"] for verdict in told["gates"]} == {"b"}
    assert "Since last: of 1 model in both, no model is shown to be worse." in told["answer"]


def test_what_differs_from_the_baseline_is_said_with_the_change(run: Run, last: Path) -> None:
    words = ("sinfo", last / "outs", "refs", "-o", "res", "--baseline", "last", "--rouge", "lin")
    assert run(*words).code == 2
    told = run(*words, "--anyway", "--json")
    assert json.loads(told.out)["since"].endswith("; made in other ways: rouge:lin and rouge:1.0.1.")


def test_a_model_that_cannot_be_held_against_the_baseline_fails_the_largest_drop(run: Run, last: Path) -> None:
    outputs(last, {name: texts(place, 0) for place, name in enumerate("ab")})
    ended, _ = tonight(run, "--max-drop", "0.5")
    assert ended.code == 10
    (failed,) = [gate for gate in json.loads(ended.out)["gates"] if gate["failed"]]
    assert (failed["model"], failed["gate"]) == ("c", "--max-drop 0.5")

"""disagree from the command line: sample data, layouts that users have, options."""

import json
import shlex
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pandas as pd
import pytest
from openpyxl import Workbook, load_workbook

from .conftest import Result, Study

RESULTS = "results/disagree"
JUDGES = ("kim", "lee", "ngo")
ITEMS = [f"i{n:02}" for n in range(20)]
TRUTH = np.random.default_rng(0).integers(1, 6, (20, 1))
SCORES = np.clip(TRUTH + np.random.default_rng(1).integers(-1, 2, (20, 3)), 1, 5)
WORDS = np.array(
    ["", "1 - Strongly disagree", "2 - Disagree", "3 - Neutral", "4 - Agree", "5 - Yes"]
)
LABELS = np.array(["", "bad", "bad", "fair", "good", "good"])[SCORES]


def alpha(matrix: object, level: Any = "interval") -> float:
    found = krippendorff.alpha(np.array(matrix, float).T, level_of_measurement=level)
    return round(float(found), 6)


OF_SCORES = alpha(SCORES)
OF_LABELS = alpha(np.unique(LABELS, return_inverse=True)[1].reshape(20, 3), "nominal")


def run(study: Study, *arguments: str, code: int = 0) -> Result:
    result = study.run("disagree", *arguments, "--no-workbooks")
    assert result.code == code, result.text
    return result


def alphas(study: Study) -> dict[str, float]:
    return {
        str(name): float(value) for name, value in study.results(RESULTS)["Alpha"].round(6).items()
    }


def long(values: object, score: str = "score", item: str = "item") -> pd.DataFrame:
    cells = np.array(values, object).ravel()
    return pd.DataFrame({item: np.repeat(ITEMS, 3), "judge": [*JUDGES] * 20, score: cells})


def test_the_sample_data_show_an_outlier_judge(study: Study) -> None:
    assert study.run("init", "disagree").code == 0
    result = study.run("disagree")
    assert result.code == 0
    screen = " ".join(result.out.split())
    assert screen.startswith(
        "careful: alpha 0.93 (95% CI 0.83–0.97), reliable. "
        "quick_look: alpha 0.68 (95% CI 0.28–0.85). "
        "split: outlier reader_3 strict; without them alpha rises from 0.59 to 0.94. "
        "12 of 24 items need review."
    )
    assert "careful agrees more" in screen
    assert "2 notes" in result.err
    (line,) = [line for line in result.err.splitlines() if "scoresheet explain" in line]
    explained = study.run(*shlex.split(line)[1:])
    assert explained.code == 0, explained.text
    assert "reader_3" in explained.out
    assert "low consensus" in explained.out


@pytest.mark.parametrize(("columns", "shown"), [("120", True), ("80", False)])
def test_the_screen_drops_whole_columns(
    study: Study, monkeypatch: pytest.MonkeyPatch, columns: str, shown: bool
) -> None:
    study.run("init", "disagree")
    monkeypatch.setenv("COLUMNS", columns)
    lines = study.run("disagree").out.splitlines()
    assert max(map(len, lines)) <= int(columns)
    assert ("Agreement" in "\n".join(lines)) == shown
    assert any(line.rstrip().endswith("reader_3") for line in lines)


def test_the_workbook_has_items_dimensions_judges_and_flags(study: Study) -> None:
    study.run("init", "disagree")
    study.run("disagree", "data/judgments/split.xlsx", "--column", "model=@file")
    book = load_workbook(study.folder / RESULTS / "split_disagree.xlsx")
    visible = [sheet.title for sheet in book if sheet.sheet_state == "visible"]
    named = ["Summary", "morning", "evening", "Dimensions", "Judges", "Flags", "Problems", "About"]
    assert visible == named
    judges = [[cell.value for cell in row[:6]] for row in book["Judges"].iter_rows(min_row=2)]
    assert [(row[0], row[5]) for row in judges] == [
        *(("reader_1", None), ("reader_2", None), ("reader_3", "strict")),
    ]
    front = load_workbook(study.folder / RESULTS / "disagree_results.xlsx")["Summary"]
    labels = [cell.value for cell in front[6]][1:]
    assert labels == [
        *("Panel", "Alpha", "95% CI", "Verdict", "Agreement", "Consensus", "Reliability"),
        *("Judges", "Items", "To review", "Outlier judges"),
    ]
    numbers = study.json(f"{RESULTS}/metrics.json")["models"]["split"]
    assert numbers["sheets"]["morning"]["Items"] == 12


def test_a_gold_judge_adds_two_sheets(study: Study) -> None:
    long(SCORES).to_csv("t.csv", index=False)
    result = study.run("disagree", "t.csv", "--scale", "1:5", "--gold", "lee")
    assert result.code == 0, result.text
    book = load_workbook(study.folder / RESULTS / "t_disagree.xlsx")
    gold = [[cell.value for cell in row[:2]] for row in book["Against gold"].iter_rows(min_row=2)]
    assert sorted(gold) == [["kim", 20], ["ngo", 20]]
    assert book["Confusion"].max_row > 5
    run(study, "t.csv", "--scale", "1:5", "--gold", "human", code=2)


def test_labels_that_are_skewed_get_a_sentence(study: Study) -> None:
    labels = [["y", "y", "y"]] * 18 + [["y", "y", "n"], ["n", "y", "y"]]
    long(labels).to_csv("t.csv", index=False)
    refused = run(study, "t.csv", code=2)
    assert "--level nominal" in refused.err
    result = run(study, "t.csv", "--level", "nominal")
    assert "agree in 93% of pairs, but one label is so frequent" in result.text
    assert "AC1 0.93" in result.text


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_every_level_by_a_column_and_against_another_panel(study: Study, level: str) -> None:
    rows = pd.concat([long(SCORES).assign(model="a"), long(TRUTH.repeat(3, 1)).assign(model="b")])
    rows.loc[rows["judge"] == "ngo", "score"] = SCORES[:, 2].tolist() * 2
    rows["half"] = np.where(rows["item"] < "i10", "first", "second")
    rows.to_csv("t.csv", index=False)
    result = run(study, "t.csv", "--scale", "1:5", "--level", level, "--by", "half")
    by = pd.read_csv(f"{RESULTS}/by.csv").set_index(["Model Name", "Value"])["Alpha"]
    assert by["a", "first"] == pytest.approx(alpha(SCORES[:10], level), abs=1e-6)
    assert alphas(study)["a"] == alpha(SCORES, level)
    pairs = pd.read_csv(f"{RESULTS}/comparisons.csv")
    assert pairs["Difference"].tolist() == pytest.approx(
        [alphas(study)["b"] - alphas(study)["a"]], abs=2e-6
    )
    assert "agrees more" in result.out or "no difference found" in result.out


# --- layouts that users have: what is typed in the end, and what was refused before ---------


def write_layouts(folder: Path) -> None:
    """Write the tables of LAYOUTS, all with the same scores or labels."""
    cells = [(n, judge, SCORES[n, k]) for n in range(20) for k, judge in enumerate(JUDGES)]
    crowd = [
        {"HITId": ITEMS[n], "WorkerId": j, "Reward": "$0.10", "Answer.x": s} for n, j, s in cells
    ]
    pd.DataFrame(crowd).to_csv(folder / "crowd.csv", index=False)
    wide = pd.DataFrame(SCORES, columns=[*JUDGES])
    wide.assign(item=ITEMS, n_tokens=TRUTH.ravel()).to_csv(folder / "wide.csv")
    two = wide.rename(columns=lambda name: f"llama_{name}").assign(item=ITEMS)
    two.assign(**{f"qwen_{j}": SCORES[:, 0] for j in JUDGES}).to_csv(
        folder / "two.csv", index=False
    )
    answers = {f"Rate {name}": SCORES[n] for n, name in enumerate(ITEMS)}
    form = pd.DataFrame({"Timestamp": "2024-05-01", "Email": JUDGES, **answers})
    form.to_csv(folder / "form.csv", index=False)
    (folder / "each").mkdir()
    for judge in JUDGES:
        own = pd.DataFrame({"id": ITEMS, "rating": wide[judge]})
        own.to_csv(folder / "each" / f"{judge}.csv", index=False)
    long(WORDS[SCORES]).to_csv(folder / "likert.csv", index=False)
    texts = [f"2/5 claims hold. Rating: [[{score}]]" for score in SCORES.ravel()]
    lines = long(texts, "judgment", "question_id").to_dict("records")
    chat = [json.dumps({**line, "judge": [line["judge"], "v1"]}) for line in lines]
    (folder / "chat.jsonl").write_text("\n".join(chat), encoding="utf-8")
    task = [
        {
            "id": n,
            "annotations": [
                {"id": 3 * n + k, "by": j, "result": [{"value": {"choices": [LABELS[n, k]]}}]}
                for k, j in enumerate(JUDGES)
            ],
        }
        for n in range(20)
    ]
    (folder / "tasks.json").write_text(json.dumps(task), encoding="utf-8")
    votes = long(LABELS, "winner").assign(model_a="gpt", model_b="qwen", shown_first="A")
    votes.to_csv(folder / "votes.csv", index=False)
    comma = long([f"{score / 5:.1f}".replace(".", ",") for score in SCORES.ravel()])
    comma.to_csv(folder / "comma.csv", index=False, sep=";")
    book = Workbook()
    book.active.append(["Please rate from 1 to 5"])  # type: ignore[union-attr]
    for name in ("first", "second"):
        sheet = book.create_sheet(name)
        sheet.append(["Ratings"])
        sheet.append(["item", *JUDGES, "Average"])
        for item, row in zip(ITEMS, SCORES.tolist(), strict=True):
            sheet.append([item, *row, sum(row) / 3])
        sheet.append([*("", "n/a", "n/a", "n/a")])
        sheet.append(["Mean", 3, 3, 3])
    book.save(folder / "rounds.xlsx")


LAYOUTS = {
    "crowd": (
        "crowd.csv --column score=Answer.x",
        [("crowd.csv", "score=Answer.x"), ("crowd.csv --column score=Reward", "not numbers")],
    ),
    "wide": (
        "wide.csv --column judge=@header:kim,lee,ngo",
        [("wide.csv", "judge=@header:"), ("wide.csv --column judge=@header", "do not look alike")],
    ),
    "form": (
        "form.csv --column judge=Email --column 'item=@header:Rate *'",
        [("form.csv --column judge=Email --column item=@header", "do not look alike")],
    ),
    "each": ("each --column judge=@file", [("each", "judge=@file")]),
    "likert": ("likert.csv --extract number", [("likert.csv", "--extract number")]),
    "chat": (
        "chat.jsonl --column judge=judge.0 --column score=judgment --extract number",
        [("chat.jsonl --column score=judgment", "judge=judge.0")],
    ),
    "comma": ("comma.csv --scale 0:1", []),
    "rounds": (
        "rounds.xlsx --header-row 2 --column judge=@header:kim,lee,ngo --column model=@file"
        " --skip-sheet Sheet --missing-values n/a",
        [("rounds.xlsx", "no column for judge")],
    ),
    "tasks": (
        "tasks.json --records annotations --column judge=by --column item=outer.id"
        " --column score=result.0.value.choices.0 --level nominal",
        [
            ("tasks.json", "no column for judge"),
            (
                "tasks.json --records annotations --column judge=by"
                " --column score=result.0.value.choices.0 --level nominal",
                "no item has scores of two judges",
            ),
        ],
    ),
    "votes": (
        "votes.csv --column score=winner --level nominal",
        [("votes.csv", "no column for score"), ("votes.csv --column score=winner", "nominal")],
    ),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_is_refused_with_what_to_type_and_then_right(study: Study, name: str) -> None:
    write_layouts(study.folder)
    typed, refused = LAYOUTS[name]
    scale = [] if "--scale" in typed else ["--scale", "1:5"]
    for arguments, says in refused:
        assert says in run(study, *shlex.split(arguments), *scale, code=2).text
    run(study, *shlex.split(typed), *scale)
    expected = OF_LABELS if "nominal" in typed else OF_SCORES
    assert alphas(study) == {name: pytest.approx(expected, abs=1e-6)}


def test_headers_that_hold_model_and_judge_are_two_panels(study: Study) -> None:
    write_layouts(study.folder)
    run(study, "two.csv", "--column", "score={model}_{judge}", "--scale", "1:5")
    assert alphas(study) == {"llama": OF_SCORES, "qwen": 1.0}


def test_a_score_that_became_a_date_is_not_read_as_a_number(study: Study) -> None:
    texts = [f"{score}/5" for score in SCORES.ravel()]
    texts[0] = "2024-05-04 00:00:00"
    long(texts).to_csv("t.csv", index=False)
    result = run(study, "t.csv", "--extract", "number", "--scale", "1:5")
    assert "1 score is empty (first: row 2)" in result.text
    changed = SCORES.astype(float)
    changed[0, 0] = np.nan
    assert alphas(study) == {"t": alpha(changed)}


def test_one_judge_is_refused_until_accepted(study: Study) -> None:
    rows = long(SCORES)
    rows[rows["judge"] == "kim"].to_csv("t.csv", index=False)
    assert "--accept one-judge" in run(study, "t.csv", "--scale", "1:5", code=2).text
    run(study, "t.csv", "--scale", "1:5", "--accept", "one-judge")
    units = pd.read_csv(f"{RESULTS}/t_disagree.csv")
    assert set(units["Flags"]) == {"one judge"}
    assert set(units["Consensus"]) == {1}

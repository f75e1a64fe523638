"""Layouts of judgements: three judges, eight items, a scale of 1 to 5; Alpha worked out by the package krippendorff."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import krippendorff
import numpy as np

from tests.helpers.files import Rows, write_book
from tests.layouts.layout import Layout, Record, Writer, rows_of, write_records

JUDGES: Final = ("ann", "Rating", "gpt-4o")
HELPFUL: Final = (
    (4, 5, 4),
    (2, 2, 1),
    (5, 5, 5),
    (3, 2, 3),
    (1, 1, 2),
    (4, 4, 5),
    (2, 3, 2),
    (5, 4, 4),
)  # of each item
STYLE: Final = ((3, 3, 4), (2, 1, 2), (4, 5, 5), (3, 3, 3), (2, 1, 1), (5, 4, 4), (1, 2, 2), (4, 3, 4))
ITEMS: Final = tuple(f"q{place}" for place in range(1, len(HELPFUL) + 1))

Scores = tuple[tuple[float, ...], ...]


def _alpha(scores: Scores) -> float:
    """Krippendorff's alpha of items × judges at the interval level, by the package."""
    return float(krippendorff.alpha(reliability_data=np.array(scores).T, level_of_measurement="interval"))


def _means(*dimensions: Scores) -> Scores:
    """The judges' overall scores over dimensions of one weight."""
    return tuple(map(tuple, np.mean(np.array(dimensions, dtype=float), axis=0).tolist()))


ALPHA: Final = _alpha(HELPFUL)
BOTH: Final = _alpha(_means(HELPFUL, STYLE))
STACKED: Final = _alpha((*HELPFUL, *STYLE))  # two models that answered the same items


def long(scores: Scores = HELPFUL, **more: object) -> list[Record]:
    """A row for each score."""
    return [
        {"item": item, **more, "judge": judge, "score": score}
        for item, row in zip(ITEMS, scores, strict=True)
        for judge, score in zip(JUDGES, row, strict=True)
    ]


def wide(scores: Scores = HELPFUL, **more: object) -> list[Record]:
    """A row for each item, a column for each judge."""
    rows = zip(ITEMS, scores, strict=True)
    return [{"item": item, **more, **dict(zip(JUDGES, row, strict=True))} for item, row in rows]


def _wide(name: str) -> Writer:
    return lambda root: write_records(root / name, wide())


def _called_as_scores(root: Path) -> None:
    names = {"ann": "grade"}
    write_records(root / "panel.csv", [{names.get(key, key): value for key, value in row.items()} for row in wide()])


def _long(name: str) -> Writer:
    return lambda root: write_records(root / name, long())


def _other_names(root: Path) -> None:
    names = {"item": "prompt_id", "judge": "Grader", "score": "points"}
    write_records(root / "panel.jsonl", [{names[key]: value for key, value in row.items()} for row in long()])


def _words(root: Path) -> None:
    written = ("Score: {}/5", "{} out of 5", "Concise, but it drifts. **Rating: {}**")
    rows = [{**row, "score": written[place % 3].format(row["score"])} for place, row in enumerate(long())]
    write_records(root / "panel.jsonl", rows)


def _nested(root: Path) -> None:
    pairs = zip(long(), long(STYLE), strict=True)
    rows = [
        {"item": row["item"], "judge": row["judge"], "scores": {"helpfulness": row["score"], "style": other["score"]}}
        for row, other in pairs
    ]
    write_records(root / "panel.jsonl", rows)


def _titled(root: Path) -> None:
    title: list[list[object]] = [["Judgements of March"], ["three judges, 1 to 5"], []]
    write_book(root / "panel.xlsx", {"round 1": [*title, *rows_of(wide())]})


def _totals(root: Path) -> None:
    write_records(root / "panel.csv", [*wide(), {"item": "Average", "ann": 3.25, "Rating": 3.25, "gpt-4o": 3.25}])


def _models(root: Path) -> None:
    write_records(root / "panel.csv", [*long(model="llama"), *long(STYLE, model="qwen")])


def _wide_models(root: Path) -> None:
    write_records(root / "panel.xlsx", [*wide(model="llama"), *wide(STYLE, model="qwen")])


def _sheets(root: Path) -> None:
    sheets: dict[str, Rows] = {"helpfulness": rows_of(wide()), "style": rows_of(wide(STYLE))}
    write_book(root / "panel.xlsx", sheets)


def _dimensions(root: Path) -> None:
    pairs = zip(long(), long(STYLE), strict=True)
    rows = [
        {"item": row["item"], "rater": row["judge"], "helpfulness": row["score"], "style": other["score"]}
        for row, other in pairs
    ]
    write_records(root / "panel.tsv", rows)


def _two_scales(root: Path) -> None:
    stretched = [(a, b, 25 * (c - 1)) for a, b, c in HELPFUL]
    write_records(root / "panel.csv", wide(tuple(stretched)))


def _merged(root: Path) -> None:
    rows = [row if place % len(JUDGES) == 0 else {**row, "item": ""} for place, row in enumerate(long())]
    write_records(root / "panel.csv", rows)


_JUDGES_SAID: Final = ("columns-are",)
LAYOUTS: Final = (
    Layout(
        "a row for each score",
        "item,judge,score",
        _long("panel.csv"),
        "disagree panel.csv --scale 1:5",
        {"panel": ALPHA},
    ),
    Layout(
        "a column for each judge, one of them called Rating",
        "item,ann,Rating,gpt-4o",
        _wide("panel.csv"),
        "disagree panel.csv --scale 1:5",
        {"panel": ALPHA},
        _JUDGES_SAID,
    ),
    Layout(
        "the same, packed",
        "panel.csv.gz",
        _wide("panel.csv.gz"),
        "disagree panel.csv.gz --scale 1:5",
        {"panel": ALPHA},
        _JUDGES_SAID,
    ),
    Layout(
        "two judges whose names could both be that of the score",
        "item,grade,Rating,gpt-4o",
        _called_as_scores,
        "disagree panel.csv --scale 1:5",
        {"panel": ALPHA},
        _JUDGES_SAID,
    ),
    Layout(
        "other headers",
        '{"prompt_id": …, "Grader": …, "points": …}',
        _other_names,
        "disagree panel.jsonl --scale 1:5 --column score=points",
        {"panel": ALPHA},
    ),
    Layout(
        "scores in words, as judges write them",
        '{"item": …, "judge": …, "score": "Score: 4/5"}',
        _words,
        "disagree panel.jsonl --scale 1:5 --parse-scores",
        {"panel": ALPHA},
    ),
    Layout(
        "scores nested by dimension, one of them",
        '{"item": …, "judge": …, "scores": {"helpfulness": 4, "style": 3}}',
        _nested,
        "disagree panel.jsonl --scale 1:5 --column score=scores.helpfulness",
        {"panel": ALPHA},
    ),
    Layout(
        "scores nested by dimension, all of them",
        '{"item": …, "judge": …, "scores": {"helpfulness": 4, "style": 3}}',
        _nested,
        "disagree panel.jsonl --scale 1:5",
        {"panel": BOTH},
        _JUDGES_SAID,
    ),
    Layout(
        "a column for each dimension",
        "item, rater, helpfulness, style",
        _dimensions,
        "disagree panel.tsv --scale 1:5",
        {"panel": BOTH},
        _JUDGES_SAID,
    ),
    Layout(
        "a sheet for each dimension",
        "helpfulness | style\nitem | ann | Rating | gpt-4o",
        _sheets,
        "disagree panel.xlsx --scale 1:5 --sheets-are dimensions",
        {"panel": BOTH},
        _JUDGES_SAID,
    ),
    Layout(
        "title rows above the header",
        "Judgements of March\nthree judges, 1 to 5\n\nitem | ann | Rating | gpt-4o",
        _titled,
        "disagree panel.xlsx --scale 1:5",
        {"panel": ALPHA},
        ("header-row", *_JUDGES_SAID),
    ),
    Layout(
        "an average below the data",
        "item,ann,Rating,gpt-4o\n…\nAverage,3.25,3.25,3.25",
        _totals,
        "disagree panel.csv --scale 1:5",
        {"panel": ALPHA},
        ("summary-row", *_JUDGES_SAID),
    ),
    Layout(
        "items answered by two models, a row for each score",
        "item,model,judge,score\nq1,llama,ann,4\nq1,qwen,ann,3",
        _models,
        "disagree panel.csv --scale 1:5",
        {"panel": STACKED},
        ("model-column",),
    ),
    Layout(
        "items answered by two models, a column for each judge",
        "item | model | ann | Rating | gpt-4o",
        _wide_models,
        "disagree panel.xlsx --scale 1:5",
        {"panel": STACKED},
        ("model-column", *_JUDGES_SAID),
    ),
    Layout(
        "a judge with a scale of his own",
        "item,ann,Rating,gpt-4o\nq1,4,5,75",
        _two_scales,
        "disagree panel.csv --scale 1:5 --scale gpt-4o=0:100",
        {"panel": ALPHA},
        _JUDGES_SAID,
    ),
    Layout(
        "merged cells, exported",
        "q1,ann,4\n,Rating,5\n,gpt-4o,4",
        _merged,
        "disagree panel.csv --scale 1:5 --fill-down",
        {"panel": ALPHA},
    ),
)

"""A small study for each command, in two states: a run on the second replaces, adds, removes and lets stand."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from tests.helpers.files import Rows, write_csv

OUTS, REFS, RES = "outs", "refs", "res"
STATES = ("old", "new")


def _predictions(word: str) -> Rows:
    return [("Idiom", "Prediction"), ("a", f"one two {word}"), ("b", f"four {word} six"), ("c", word)]


def _choices(word: str) -> Rows:
    return [("level", "parent", "response"), *((0, "", each) for each in ("Peru", "Japan", word, word, "Peru"))]


def _rankings(word: str) -> Rows:
    items = ["i1", "i2", "i3", "i4"][:: -1 if word == "Peru" else 1]
    return [("query", "item", "rank"), *((f"q{n}", item, rank) for n in (1, 2) for rank, item in enumerate(items, 1))]


def _judgements(word: str) -> Rows:
    scores = (0.5, 0.75, len(word) / 10)
    rows = [(item, f"judge{n}", score) for item in ("x", "y", "z") for n, score in enumerate(scores)]
    return [("item", "judge", "score"), *rows]


def _texts(word: str) -> Rows:
    return [("id", "text"), *((f"p{n}", f"{word} and {word} or some other {n} words") for n in range(3))]


def _votes(word: str) -> Rows:
    truth = [0, 1, 1, 0, 1, 0]
    votes = [(n, truth[(n + len(word)) % 6], truth[n], 1 - truth[n]) for n in range(6)]
    return [("sample", "label", "collective", "one", "two"), *((f"s{n}", truth[n], *rest) for n, *rest in votes)]


MODELS = {
    "sinfo": _predictions,
    "mode-collapse": _choices,
    "diversity": _rankings,
    "disagree": _judgements,
    "entropy": _texts,
    "collective": _votes,
}
COMMANDS = tuple(MODELS)
REFERENCES: Mapping[str, Rows] = {
    "sinfo": [("idiom", "explanation"), ("a", "one two three"), ("b", "four five six"), ("c", "Japan")],
    "mode-collapse": [("level", "parent", "option"), *((0, "", each) for each in ("Peru", "Japan", "Iceland"))],
    "diversity": [
        ("query", "subtopic", "item", "relevance"),
        *((f"q{n}", f"t{m % 2}", f"i{m}", 1) for n in (1, 2) for m in (1, 2, 3)),
    ],
}


def write_study(root: Path, command: str, state: str, outs: str = OUTS) -> None:
    """Write the models of a state, and nothing else into their folder: one stays, one changes, one comes or goes."""
    shutil.rmtree(root / outs, ignore_errors=True)
    rows = MODELS[command]
    write_csv(root / outs / "same.csv", rows("Iceland"))
    write_csv(root / outs / "changed.csv", rows("Japan" if state == "old" else "Peru"))
    write_csv(root / outs / f"only_{state}.csv", rows("Japan"))
    if command in REFERENCES:
        write_csv(root / REFS / "all.csv", REFERENCES[command])


def inputs_of(command: str, outs: str = OUTS) -> list[str]:
    """The first words of a run of a study: the command and what it reads."""
    return [command, outs, *([REFS] if command in REFERENCES else [])]


def words_of(command: str, *options: str, outs: str = OUTS, res: str = RES) -> list[str]:
    """The words of a run of a study that replaces the reports of an earlier one."""
    return [*inputs_of(command, outs), "-o", res, "-q", "--prune", *options]

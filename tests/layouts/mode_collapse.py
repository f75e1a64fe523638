"""Layouts of choices: three models, two questions, four options; and walks of two levels.

The Gini is worked out as half the relative mean difference of the counts, level by level.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from pathlib import Path
from typing import Final

from tests.helpers.files import Rows, write_book, write_bytes
from tests.layouts.layout import Layout, Record, Writer, rows_of, write_records

OPTIONS: Final = ("Japan", "Italy", "Peru", "United States")
COUNTS: Final[Mapping[str, Mapping[str, tuple[int, ...]]]] = {  # model → question → how often each option was chosen
    "gpt": {"holiday": (17, 2, 1, 0), "retire": (9, 5, 4, 2)},
    "llama": {"holiday": (6, 5, 5, 4), "retire": (4, 6, 5, 5)},
    "qwen": {"holiday": (1, 0, 0, 19), "retire": (2, 12, 3, 3)},
}
WALKS: Final[Mapping[str, Mapping[tuple[str, str], int]]] = {  # model → country and activity → how often
    "gpt": {("Japan", "food"): 9, ("Japan", "temples"): 3, ("Peru", "food"): 2, ("Peru", "walks"): 6},
    "llama": {("Japan", "temples"): 5, ("Japan", "walks"): 5, ("Peru", "temples"): 7, ("Peru", "food"): 3},
}
SAYINGS: Final = (
    "{}",
    "I would choose **{}**.",
    "__{}__",
    "#{}",
    "Definitely {}, for the food!",
    "b) {}",
)
THOUGHTS: Final = (
    "<think>Japan or Italy? Peru is far.</think>\nAnswer: {}",
    "<think>The user wants one country: Peru, Italy, Japan…</think>I weighed Italy and Peru.\nAnswer: {}.",
)
ALOUD: Final = ("Peru is far and Italy is full, so in the end: {}.", "Not Japan, not Italy. {}!")
REFUSAL: Final = "I'm sorry, but I can't choose a country for you."


def _gini(counts: Iterable[int]) -> float:
    """Half the mean difference of every two counts, as a share of their mean."""
    every = list(counts)
    differences = math.fsum(abs(one - other) for one, other in product(every, repeat=2))
    return differences / (2 * len(every) * sum(every))


def _mean(values: Iterable[float]) -> float:
    every = list(values)
    return math.fsum(every) / len(every)


EXPECTED: Final = {model: _mean(map(_gini, questions.values())) for model, questions in COUNTS.items()}
REFUSED: Final = {"gpt": 5 / 45, "llama": 0.0, "qwen": 0.0}
_ACTIVITIES: Final = ("food", "temples", "walks")
ROOTS: Final = {
    model: _gini(sum(times for (country, _), times in walks.items() if country == each) for each in ("Japan", "Peru"))
    for model, walks in WALKS.items()
}
BELOW: Final = {
    model: _mean(_gini(walks.get((country, activity), 0) for activity in _ACTIVITIES) for country in ("Japan", "Peru"))
    for model, walks in WALKS.items()
}


def chosen(model: str) -> list[tuple[str, str]]:
    """Question and option of every sample of a model."""
    return [
        (question, option)
        for question, counts in COUNTS[model].items()
        for option, count in zip(OPTIONS, counts, strict=True)
        for _ in range(count)
    ]


def said(model: str, sayings: tuple[str, ...] = SAYINGS) -> list[tuple[str, str]]:
    """The same in free text."""
    return [
        (question, sayings[place % len(sayings)].format(option))
        for place, (question, option) in enumerate(chosen(model))
    ]


def long(sayings: tuple[str, ...] = SAYINGS, /, **names: str) -> list[Record]:
    """One table of all models; `names` rename its columns."""
    rows = [
        {"id": f"{model}-{place}", "model": model, "question": question, "answer": text}
        for model in COUNTS
        for place, (question, text) in enumerate(said(model, sayings))
    ]
    return [{names.get(name, name): value for name, value in row.items()} for row in rows]


def _list(root: Path) -> None:
    write_bytes(root / "options.txt", "\n".join(OPTIONS).encode())


def _one_column(root: Path) -> None:
    write_records(root / "options.csv", [{"country": option} for option in OPTIONS])


def _table(root: Path) -> None:
    aliases = {"Japan": "Nippon|日本", "United States": "US|USA"}
    rows = [{"level": 0, "option": option, "aliases": aliases.get(option, "")} for option in OPTIONS]
    write_records(root / "options.csv", rows)


def _tables(root: Path) -> None:
    _table(root)
    for model in COUNTS:
        rows = [{"Sheet": question, "level": 0, "parent": "", "choice": option} for question, option in chosen(model)]
        write_records(root / "outs" / f"{model}.csv", rows)


def _books(root: Path) -> None:
    _table(root)
    for model, questions in COUNTS.items():
        sheets: dict[str, Rows] = {
            question: [["response"], *([text] for asked, text in said(model) if asked == question)]
            for question in questions
        }
        write_book(root / "outs" / f"{model}.xlsx", sheets)


def _titled(root: Path) -> None:
    _table(root)
    for model in COUNTS:
        rows = rows_of([{"question": question, "choice": option} for question, option in chosen(model)])
        title: Rows = [[f"Samples of {model}, temperature 1"], [], *rows]
        write_book(root / "outs" / f"{model}.xlsx", {"Sheet1": title})


def _long(name: str, options: Callable[[Path], None] | None = None, **names: str) -> Writer:
    def write(root: Path) -> None:
        write_records(root / name, long(SAYINGS, **names))
        if options:
            options(root)

    return write


def _thinking(sayings: tuple[str, ...]) -> Writer:
    def write(root: Path) -> None:
        _list(root)
        write_records(root / "runs.jsonl", long(sayings))

    return write


def _nested(root: Path) -> None:
    _list(root)
    write_records(root / "runs.json", [{**row, "answer": {"text": row["answer"], "tokens": 7}} for row in long()])


def _other_headers(root: Path) -> None:
    _table(root)
    for model, header in zip(COUNTS, ("pick", "选择", "Category"), strict=True):
        rows = [{"question": question, header: option} for question, option in chosen(model)]
        write_records(root / "outs" / f"{model}.csv", rows)


def _counted(root: Path, name: str = "count") -> None:
    rows = [
        {"model": model, "question": question, "choice": option, name: count}
        for model, questions in COUNTS.items()
        for question, counts in questions.items()
        for option, count in zip(OPTIONS, counts, strict=True)
    ]
    write_records(root / "counts.csv", rows)


def _merged(root: Path) -> None:
    records = long()
    first = {
        place for place, row in enumerate(records) if not place or row["question"] != records[place - 1]["question"]
    }
    blanked = [row if place in first else {**row, "question": ""} for place, row in enumerate(records)]
    _list(root)
    write_records(root / "merged.csv", blanked)


def _refusing(root: Path) -> None:
    more: list[Record] = [{"model": "gpt", "question": "retire", "answer": REFUSAL} for _ in range(5)]
    write_records(root / "runs.csv", [*long(), *more])


def _walked(root: Path) -> None:
    rows = [
        {"model": model, "country": country, "activity": activity}
        for model, walks in WALKS.items()
        for (country, activity), times in walks.items()
        for _ in range(times)
    ]
    write_records(root / "walks.csv", rows)


def _rooted(root: Path) -> None:
    rows: list[Record] = []
    for model, walks in WALKS.items():
        for (country, activity), times in walks.items():
            both = (
                {"model": model, "level": 0, "parent": "root", "choice": country},
                {"model": model, "level": 1, "parent": f"root/{country}", "choice": activity},
            )
            rows += [row for row in both for _ in range(times)]
    write_records(root / "walks.jsonl", rows)


_LISTED: Final = "Japan,Italy,Peru,United States"
LAYOUTS: Final = (
    Layout(
        "a CSV for each model with level and choice, questions in a column Sheet",
        "Sheet,level,parent,choice",
        _tables,
        "mode-collapse outs options.csv",
        EXPECTED,
        measure="Gini",
    ),
    Layout(
        "a workbook for each model, a worksheet for each question, free text and no level",
        "holiday | retire\nresponse",
        _books,
        "mode-collapse outs options.csv",
        EXPECTED,
        ("no-level",),
        "Gini",
    ),
    Layout(
        "one long CSV with model and question, options in a table of one column",
        "id,model,question,answer\ncountry",
        _long("runs.csv", _one_column),
        "mode-collapse runs.csv options.csv",
        EXPECTED,
        ("model-column", "only-column", "no-level"),
        "Gini",
    ),
    Layout(
        "one long JSON Lines file, options as a list, one a line",
        '{"model": …, "question": …, "output": …}\noptions.txt',
        _long("runs.jsonl", _list, answer="output"),
        "mode-collapse runs.jsonl options.txt",
        EXPECTED,
        ("model-column", "plain-list"),
        "Gini",
    ),
    Layout(
        "packed JSON Lines, options named on the command line",
        '{"model": …, "question": …, "completion": …}',
        _long("runs.jsonl.gz", answer="completion"),
        f"mode-collapse runs.jsonl.gz --options '{_LISTED}'",
        EXPECTED,
        ("model-column",),
        "Gini",
    ),
    Layout(
        "a list of objects in one JSON file, answers nested",
        '[{"model": …, "answer": {"text": …}}, …]',
        _nested,
        "mode-collapse runs.json options.txt --column response=answer.text",
        EXPECTED,
        ("model-column",),
        "Gini",
    ),
    Layout(
        "models and questions under other names",
        "id,system,prompt_type,text",
        _long("runs.tsv", model="system", question="prompt_type", answer="text"),
        f"mode-collapse runs.tsv --options '{_LISTED}' --model-column system --sheet-column prompt_type",
        EXPECTED,
        ("model-column",),
        "Gini",
    ),
    Layout(
        "title rows above the header",
        "Samples of gpt, temperature 1\n\nquestion | choice",
        _titled,
        "mode-collapse outs options.csv",
        EXPECTED,
        ("header-row",),
        "Gini",
    ),
    Layout(
        "other headers in other files",
        "question,pick\nquestion,选择\nquestion,Category",
        _other_headers,
        "mode-collapse outs options.csv --column 'choice=pick|选择'",
        EXPECTED,
        measure="Gini",
    ),
    Layout(
        "counts in place of samples, no table of options",
        "model,question,choice,count",
        _counted,
        "mode-collapse counts.csv",
        EXPECTED,
        ("model-column", "observed-options"),
        "Gini",
    ),
    Layout(
        "the same, the counts under another name",
        "model,question,choice,n",
        lambda root: _counted(root, "n"),
        "mode-collapse counts.csv",
        EXPECTED,
        ("model-column", "count-column"),
        "Gini",
    ),
    Layout(
        "merged cells, exported",
        "gpt-0,gpt,holiday,…\ngpt-1,gpt,,…",
        _merged,
        "mode-collapse merged.csv options.txt --fill-down",
        EXPECTED,
        ("model-column",),
        "Gini",
    ),
    Layout(
        "reasoning, and the answer behind a mark",
        "<think>Japan or Italy? …</think>\nAnswer: Japan",
        _thinking(THOUGHTS),
        "mode-collapse runs.jsonl options.txt --extract 'Answer: (.*)'",
        EXPECTED,
        ("model-column", "reasoning"),
        "Gini",
    ),
    Layout(
        "answers that think aloud and end with the choice",
        "Peru is far and Italy is full, so in the end: Japan.",
        _thinking(ALOUD),
        "mode-collapse runs.jsonl options.txt --extract last",
        EXPECTED,
        ("model-column",),
        "Gini",
    ),
    Layout(
        "refusals among the answers: they change no Gini",
        f"gpt,retire,{REFUSAL}",
        _refusing,
        f"mode-collapse runs.csv --options '{_LISTED}'",
        EXPECTED,
        ("model-column", "refused"),
        "Gini",
    ),
    Layout(
        "the same, for the share of refusals",
        f"gpt,retire,{REFUSAL}",
        _refusing,
        f"mode-collapse runs.csv --options '{_LISTED}'",
        REFUSED,
        ("refused",),
        "Refusal_Rate",
    ),
    Layout(
        "a walk in each row, a column for each level",
        "model,country,activity",
        _walked,
        "mode-collapse walks.csv --tree country,activity",
        ROOTS,
        ("model-column", "walk"),
        "Gini",
    ),
    Layout(
        "the same, for the level below",
        "model,country,activity",
        _walked,
        "mode-collapse walks.csv --tree country,activity",
        BELOW,
        measure="Level_1_Gini",
    ),
    Layout(
        "a tree in long form whose root is called root",
        "model,level,parent,choice\ngpt,0,root,Japan\ngpt,1,root/Japan,food",
        _rooted,
        "mode-collapse walks.jsonl",
        BELOW,
        ("model-column",),
        "Level_1_Gini",
    ),
)

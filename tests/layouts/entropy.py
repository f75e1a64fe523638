"""Layouts of texts: three models, four prompts, prose and markup; Entropy_At_Length worked out in plain Python."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Final

from tests.helpers.entropy import at_length, words
from tests.helpers.files import Rows, write_book, write_bytes, write_csv
from tests.helpers.prose import passages
from tests.layouts.layout import Layout, Record, Writer, rows_of, write_records

PROMPTS: Final = {
    "p1": "How does the story begin?",
    "p2": "Go on with it.",
    "p3": "And what came then?",
    "p4": "How does it end?",
}
_LENGTHS: Final = (70, 120, 55, 210)  # white-space words: one window or several


def _texts(passage: str) -> tuple[str, ...]:
    """Pieces of a passage in a row."""
    every = passage.split()
    ends = [sum(_LENGTHS[: place + 1]) for place in range(len(_LENGTHS))]
    return tuple(" ".join(every[end - length : end]) for end, length in zip(ends, _LENGTHS, strict=True))


ANSWERS: Final = dict(zip(("gpt", "llama", "qwen"), map(_texts, [*passages().values()][:3]), strict=True))
STEPS: Final = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "omega")
WRITTEN: Final = {
    "code": "".join(f"def step_{name}(value):\n    return value + {place}\n" for place, name in enumerate(STEPS)),
    "json": json.dumps({"steps": [{"name": name, "after": STEPS[:place]} for place, name in enumerate(STEPS)]}),
    "markup": "<ul>" + "".join(f"<li class='{name}'>the <b>{name}</b> of it</li>" for name in STEPS) + "</ul>",
}


def _mean(texts: tuple[str, ...]) -> float:
    """The mean of the texts' entropies at a length of 50 words."""
    found = [at_length(words(text)) for text in texts]
    return statistics.fmean(value for value in found if value is not None)


EXPECTED: Final = {model: _mean(texts) for model, texts in ANSWERS.items()}
AS_WRITTEN: Final = {"coder": _mean(tuple(WRITTEN.values()))}


def outputs(model: str, key: str = "id", text: str = "text") -> list[Record]:
    """The table of one model."""
    return [{key: prompt, text: answer} for prompt, answer in zip(PROMPTS, ANSWERS[model], strict=True)]


def long(**names: str) -> list[Record]:
    """One table of all models, a log as it is kept; `names` rename its columns."""
    rows = [
        {"model": model, "prompt_id": key, "prompt": prompt, "completion": answer}
        for model, answers in ANSWERS.items()
        for (key, prompt), answer in zip(PROMPTS.items(), answers, strict=True)
    ]
    return [{names.get(name, name): value for name, value in row.items()} for row in rows]


def _files(suffix: str) -> Writer:
    def write(root: Path) -> None:
        for model in ANSWERS:
            write_records(root / "outs" / f"{model}{suffix}", outputs(model))

    return write


def _long(name: str, **names: str) -> Writer:
    return lambda root: write_records(root / name, long(**names))


def _texts_alone(root: Path) -> None:
    for model, texts in ANSWERS.items():
        write_records(root / "outs" / f"{model}.csv", [{"response": text} for text in texts])


def _folders(root: Path) -> None:
    for model in ANSWERS:
        write_records(root / "outs" / model / "run.csv", outputs(model))


def _titled(root: Path) -> None:
    for model in ANSWERS:
        title: list[list[object]] = [[f"Stories by {model}"], ["sampled in March"], []]
        write_book(root / "outs" / f"{model}.xlsx", {"run 1": [*title, *rows_of(outputs(model))]})


def _notes_sheet(root: Path) -> None:
    for model in ANSWERS:
        sheets: dict[str, Rows] = {"run": rows_of(outputs(model)), "notes": [["what", "when"], ["greedy", "March"]]}
        write_book(root / "outs" / f"{model}.xlsx", sheets)


def _other_headers(root: Path) -> None:
    for model, header in zip(ANSWERS, ("回答", "what it wrote", "text"), strict=True):
        write_records(root / "outs" / f"{model}.csv", outputs(model, text=header))


def _totals(root: Path) -> None:
    for model in ANSWERS:
        rows = [*outputs(model, "prompt", "response"), {"prompt": "Average", "response": ""}]
        write_csv(root / "outs" / f"{model}.csv", rows_of(rows), sep=";")


def _long_totals(root: Path) -> None:
    sums = [{"model": "Total", "prompt_id": "12"}, {"model": "", "prompt_id": "Average", "prompt": "54.2"}]
    write_records(root / "log.xlsx", [*long(), *sums])


def _nested(root: Path) -> None:
    rows = [{**row, "message": {"role": "assistant", "content": row["completion"]}} for row in long()]
    write_records(root / "log.json", [{name: row[name] for name in row if name != "completion"} for row in rows])


def _chats(root: Path) -> None:
    rows = [{**row, "prompt": [{"role": "user", "content": row["prompt"]}]} for row in long()]
    write_records(root / "log.jsonl", [{name: row[name] for name in row if name != "prompt_id"} for row in rows])


def _columns_of_lists(root: Path) -> None:
    header, *rows = rows_of(long())
    columns = dict(zip(map(str, header), map(list, zip(*rows, strict=True)), strict=True))
    write_bytes(root / "log.json", json.dumps(columns).encode())


def _merged(root: Path) -> None:
    first = range(0, len(long()), len(PROMPTS))
    rows = [row if place in first else {**row, "model": ""} for place, row in enumerate(long())]
    write_records(root / "merged.csv", rows)


def _samples(root: Path) -> None:
    """Two answers to each of two prompts, every row with a number of its own."""
    rows = [{"id": number, **row, "prompt_id": f"p{number % 2}"} for number, row in enumerate(long())]
    write_records(root / "samples.csv", [{name: row[name] for name in row if name != "prompt"} for row in rows])


def _runs(root: Path) -> None:
    rows = [{**row, "run": 1 + place % 2} for place, row in enumerate(long())]
    write_records(root / "log.jsonl", rows)


def _written(root: Path) -> None:
    write_records(root / "outs" / "coder.jsonl", [{"task": key, "output": text} for key, text in WRITTEN.items()])


LAYOUTS: Final = (
    Layout("a CSV for each model", "id,text", _files(".csv"), "entropy outs", EXPECTED),
    Layout("texts and nothing else", "response", _texts_alone, "entropy outs", EXPECTED),
    Layout("packed JSON Lines for each model", "gpt.jsonl.gz", _files(".jsonl.gz"), "entropy outs", EXPECTED),
    Layout("a folder for each model", "outs/gpt/run.csv", _folders, "entropy outs", EXPECTED),
    Layout(
        "one long log in JSON Lines, prompts beside their ids",
        '{"model": …, "prompt_id": …, "prompt": …, "completion": …}',
        _long("log.jsonl"),
        "entropy log.jsonl",
        EXPECTED,
        ("model-column", "other-columns"),
    ),
    Layout(
        "one long table whose models stand under another name",
        "system,prompt_id,prompt,answer",
        _long("log.tsv", model="system", completion="answer"),
        "entropy log.tsv --model-column system",
        EXPECTED,
        ("model-column",),
    ),
    Layout(
        "several answers to a prompt, each row with an id of its own",
        "id,model,prompt_id,completion",
        _samples,
        "entropy samples.csv --column id=prompt_id",
        EXPECTED,
        ("model-column",),
    ),
    Layout(
        "runs in one file",
        '{"model": …, "run": 1, "prompt_id": …, "completion": …}',
        _runs,
        "entropy log.jsonl --sheet-column run",
        EXPECTED,
        ("model-column",),
    ),
    Layout(
        "answers nested in messages",
        '[{"model": …, "message": {"role": …, "content": …}}, …]',
        _nested,
        "entropy log.json --column text=message.content",
        EXPECTED,
        ("model-column",),
    ),
    Layout(
        "prompts that are chats",
        '{"model": …, "prompt": [{"role": …, "content": …}], "completion": …}',
        _chats,
        "entropy log.jsonl",
        EXPECTED,
        ("model-column", "nested-cell"),
    ),
    Layout(
        "an object of columns in one JSON file",
        '{"model": […], "prompt_id": […], …}',
        _columns_of_lists,
        "entropy log.json",
        EXPECTED,
        ("model-column",),
    ),
    Layout(
        "title rows above the header",
        "Stories by gpt\nsampled in March\n\nid | text",
        _titled,
        "entropy outs",
        EXPECTED,
        ("header-row",),
    ),
    Layout(
        "other headers in other files",
        "id,回答\nid,what it wrote\nid,text",
        _other_headers,
        "entropy outs --column 'text=回答|what it wrote'",
        EXPECTED,
    ),
    Layout(
        "an average below the data, semicolons",
        "prompt;response\n…\nAverage;",
        _totals,
        "entropy outs",
        EXPECTED,
        ("summary-row",),
    ),
    Layout(
        "totals below one long table",
        "model | prompt_id | prompt | completion\n…\nTotal | 12",
        _long_totals,
        "entropy log.xlsx",
        EXPECTED,
        ("model-column", "summary-row"),
    ),
    Layout("a notes sheet in each workbook", "run | notes", _notes_sheet, "entropy outs --skip-sheet notes", EXPECTED),
    Layout(
        "merged cells, exported",
        "gpt,p1,…\n,p2,…\n,p3,…",
        _merged,
        "entropy merged.csv --fill-down",
        EXPECTED,
        ("model-column",),
    ),
    Layout("code, JSON and markup", '{"task": "json", "output": "{…}"}', _written, "entropy outs", AS_WRITTEN),
)

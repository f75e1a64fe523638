"""Layouts of explanations: three models, six idioms, references; S_Info worked out by the package `rouge`."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Final

from rouge import Rouge

from tests.helpers.files import Formula, Rows, write_book, write_bytes, write_csv
from tests.layouts.layout import Layout, Record, Writer, rows_of, write_records

REFERENCES: Final = {
    "break the ice": "to begin to talk with people one does not know yet",
    "once in a blue moon": "very rarely",
    "spill the beans": "to tell a secret to somebody who should not know it",
    "hit the sack": "to go to bed because one is tired",
    "call it a day": "to stop working for today",
    "under the weather": "a little ill and not quite oneself",
}
ANSWERS: Final = {
    "gpt": ("to start to talk", "very rarely", "to tell a secret", "to go to bed", "to stop working", "a little ill"),
    "llama": ("ice", "not very often", "to tell beans", "bed", "to stop for today", "not quite well and a little ill"),
    "qwen": ("people one does not know", "rarely", "a secret to somebody", "one is tired", "working", "ill"),
}


def _s_info(prediction: str, reference: str) -> float:
    """BP × ROUGE-L precision of one explanation, by the package and the formula of the definitions."""
    precision: float = Rouge().get_scores(prediction, reference)[0]["rouge-l"]["p"]
    c, r = len(prediction), len(reference)
    return precision * (1.0 if c >= r else math.exp(1 - r / c))


EXPECTED: Final = {
    model: math.fsum(map(_s_info, answers, REFERENCES.values())) / len(answers) for model, answers in ANSWERS.items()
}


def outputs(model: str, idiom: str = "Idiom", prediction: str = "Prediction") -> list[Record]:
    """The table of one model."""
    return [{idiom: key, prediction: text} for key, text in zip(REFERENCES, ANSWERS[model], strict=True)]


def long(**names: str) -> list[Record]:
    """One table of all models, with references beside the answers; `names` rename its columns."""
    rows = [
        {"id": number, "model": model, "prompt": key, "reference": reference, "output": text}
        for model, answers in ANSWERS.items()
        for number, ((key, reference), text) in enumerate(zip(REFERENCES.items(), answers, strict=True), start=1)
    ]
    return [{names.get(name, name): value for name, value in row.items()} for row in rows]


def references(root: Path, name: str = "refs.csv") -> Path:
    """The references apart."""
    return write_records(root / name, [{"idiom": key, "explanation": text} for key, text in REFERENCES.items()])


def _files(suffix: str) -> Writer:
    def write(root: Path) -> None:
        references(root)
        for model in ANSWERS:
            write_records(root / "outs" / f"{model}{suffix}", outputs(model))

    return write


def _folders(root: Path) -> None:
    references(root)
    for model in ANSWERS:
        write_records(root / "outs" / model / "run.csv", outputs(model))


def _long(name: str, **names: str) -> Writer:
    return lambda root: write_records(root / name, long(**names))


def _joined(root: Path) -> None:
    """The files of the models one after the other, each with its header."""
    head, *rows = rows_of(long())
    names = [row[head.index("model")] for row in rows]
    parts = [[head, *(row for row, name in zip(rows, names, strict=True) if name == model)] for model in ANSWERS]
    write_csv(root / "all.csv", [row for part in parts for row in part])


def _titled(root: Path) -> None:
    references(root)
    for model in ANSWERS:
        title: list[list[object]] = [[f"Results of {model}, zero-shot"], []]
        write_book(root / "outs" / f"{model}.xlsx", {"run 1": [*title, *rows_of(outputs(model))]})


def _titled_csv(root: Path) -> None:
    references(root)
    for model in ANSWERS:
        rows: list[list[object]] = [["Results of March"], *rows_of(outputs(model))]
        write_csv(root / "outs" / f"{model}.csv", rows, sep=";")


def _other_headers(root: Path) -> None:
    references(root)
    for model, header in zip(ANSWERS, ("回答", "answer_en", "Prediction"), strict=True):
        write_records(root / "outs" / f"{model}.csv", outputs(model, prediction=header))


def _totals(root: Path) -> None:
    references(root)
    for model in ANSWERS:
        write_records(root / "outs" / f"{model}.csv", [*outputs(model), {"Idiom": "Total", "Prediction": "6"}])


def _notes_sheet(root: Path) -> None:
    references(root)
    for model in ANSWERS:
        sheets: dict[str, Rows] = {
            "run": rows_of(outputs(model)),
            "notes": [["what", "when"], ["greedy decoding", "March"]],
        }
        write_book(root / "outs" / f"{model}.xlsx", sheets)


def _merged(root: Path) -> None:
    records = long()
    first = {place for place in range(len(records)) if place % len(REFERENCES) == 0}
    blanked = [row if place in first else {**row, "model": ""} for place, row in enumerate(records)]
    write_records(root / "merged.csv", blanked)


def _formulas(root: Path) -> None:
    references(root)
    for model in ANSWERS:
        header, *rows = rows_of(outputs(model))
        lines = [[*header, "len"], *([*row, Formula("=LEN(B2)")] for row in rows)]
        write_book(root / "outs" / f"{model}.xlsx", {"run": lines})


def _wide_references(root: Path) -> None:
    for model in ANSWERS:
        write_records(root / "outs" / f"{model}.csv", outputs(model))
    rows: list[Record] = [{"phrase": key, "English": text, "中文": "没有"} for key, text in REFERENCES.items()]
    write_records(root / "refs.xlsx", rows)


def _nested(root: Path) -> None:
    records = [{**row, "output": {"text": row["output"], "tokens": 7}} for row in long()]
    write_records(root / "runs.json", records)


def _chats(root: Path) -> None:
    records = [
        {**row, "output": {"choices": [{"index": 0, "message": {"role": "assistant", "content": row["output"]}}]}}
        for row in long()
    ]
    write_records(root / "runs.jsonl", records)


def _columns_of_lists(root: Path) -> None:
    header, *rows = rows_of(long())
    columns = dict(zip(map(str, header), map(list, zip(*rows, strict=True)), strict=True))

    write_bytes(root / "runs.json", json.dumps(columns).encode())


LAYOUTS: Final = (
    Layout(
        "a CSV for each model, references apart", "Idiom,Prediction", _files(".csv"), "sinfo outs refs.csv", EXPECTED
    ),
    Layout("a workbook for each model", "Idiom | Prediction", _files(".xlsx"), "sinfo outs refs.csv", EXPECTED),
    Layout(
        "JSON Lines for each model", '{"Idiom": …, "Prediction": …}', _files(".jsonl"), "sinfo outs refs.csv", EXPECTED
    ),
    Layout("packed CSVs", "gpt.csv.gz", _files(".csv.gz"), "sinfo outs refs.csv", EXPECTED),
    Layout("a folder for each model", "outs/gpt/run.csv", _folders, "sinfo outs refs.csv", EXPECTED),
    Layout(
        "one long CSV with a model column, references beside",
        "id,model,prompt,reference,output",
        _long("runs.csv"),
        "sinfo runs.csv",
        EXPECTED,
        ("model-column",),
    ),
    Layout(
        "files joined end to end, each with its header",
        "model,prompt,reference,output\ngpt,…\nmodel,prompt,reference,output\nllama,…",
        _joined,
        "sinfo all.csv",
        EXPECTED,
        ("model-column", "repeated-header"),
    ),
    Layout(
        "models under another name",
        "id,LLM name,prompt,reference,output",
        _long("runs.csv", model="LLM name"),
        "sinfo runs.csv --model-column 'LLM name'",
        EXPECTED,
        ("model-column",),
    ),
    Layout(
        "one long JSON Lines file",
        '{"model": …, "prompt": …, "reference": …, "output": …}',
        _long("runs.jsonl"),
        "sinfo runs.jsonl",
        EXPECTED,
        ("model-column",),
    ),
    Layout(
        "one long table whose models stand under another name",
        "id,system,prompt,gold,response",
        _long("runs.tsv", model="system", reference="gold", output="response"),
        "sinfo runs.tsv --model-column system",
        EXPECTED,
        ("model-column",),
    ),
    Layout(
        "a list of objects in one JSON file, answers nested",
        '[{"model": …, "output": {"text": …}}, …]',
        _nested,
        "sinfo runs.json --column Prediction=output.text",
        EXPECTED,
        ("model-column",),
    ),
    Layout(
        "replies of a chat interface as they were stored",
        '{"model": …, "output": {"choices": [{"message": {"content": …}}]}}',
        _chats,
        "sinfo runs.jsonl --column Prediction=output.choices.0.message.content",
        EXPECTED,
        ("model-column",),
    ),
    Layout(
        "an object of columns in one JSON file",
        '{"model": […], "prompt": […], …}',
        _columns_of_lists,
        "sinfo runs.json",
        EXPECTED,
        ("model-column",),
    ),
    Layout(
        "title rows above the header",
        "Results of gpt\n\nIdiom | Prediction",
        _titled,
        "sinfo outs refs.csv",
        EXPECTED,
        ("header-row",),
    ),
    Layout(
        "a title above a CSV with semicolons",
        "Results of March\nIdiom;Prediction",
        _titled_csv,
        "sinfo outs refs.csv",
        EXPECTED,
        ("header-row",),
    ),
    Layout(
        "other headers in other files",
        "Idiom,回答\nIdiom,answer_en\nIdiom,Prediction",
        _other_headers,
        "sinfo outs refs.csv --column 'Prediction=回答|answer_en'",
        EXPECTED,
    ),
    Layout("a totals row below the data", "…\nTotal,6", _totals, "sinfo outs refs.csv", EXPECTED, ("summary-row",)),
    Layout(
        "a notes sheet in each workbook",
        "run | notes",
        _notes_sheet,
        "sinfo outs refs.csv --skip-sheet notes",
        EXPECTED,
    ),
    Layout(
        "merged cells, exported",
        "1,gpt,…\n2,,…\n3,,…",
        _merged,
        "sinfo merged.csv --fill-down",
        EXPECTED,
        ("model-column",),
    ),
    Layout(
        "a formula that was never calculated, in another column",
        "Idiom | Prediction | len",
        _formulas,
        "sinfo outs refs.csv",
        EXPECTED,
    ),
    Layout(
        "references in a column for each language",
        "phrase | English | 中文",
        _wide_references,
        "sinfo outs refs.xlsx",
        EXPECTED,
    ),
)

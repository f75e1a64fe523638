"""TREC runs and qrels, and plain lists: lines of text without a header."""

from typing import TextIO

import pandas as pd

from scoresheet.cli.input.source import FileTables, Source, make_frame, refusal

# The columns of each format; a field without a name is not read.
FIELDS = {
    "trec_run": ("query", "", "item", "rank", "score", "tag"),
    "trec_qrels": ("query", "subtopic", "item", "relevance"),
    "list": ("option",),
}


def trec_format(line: str) -> str:
    """Return which TREC format a line has; "" if it has neither.

    >>> trec_format("q1 Q0 doc7 1 9.5 bm25"), trec_format("q1 0 doc7 1"), trec_format("a b")
    ('trec_run', 'trec_qrels', '')
    """
    fields = line.split()
    try:
        numbers = [float(field) for field in fields[3:5]]
    except ValueError:
        return ""
    return {(6, 2): "trec_run", (4, 1): "trec_qrels"}.get((len(fields), len(numbers)), "")


def read_trec(text: TextIO, source: Source) -> FileTables:
    """Return the table of a run, of judgments or of a plain list; the index is the line."""
    names = FIELDS[source.format]
    rows = []
    for number, line in enumerate(text, 1):
        fields = [line.strip()] if source.format == "list" else line.split()
        if fields and len(fields) != len(names):
            message = f"line {number}: {len(fields)} fields, but {source.stem} needs {len(names)}"
            raise refusal(source, "trec-fields", message)
        cells = fields or [""] * len(names)  # a blank line
        rows.append([cell for name, cell in zip(names, cells, strict=True) if name])
    header = [name for name in names if name]
    frame, _ = make_frame(source, pd.DataFrame([header, *rows], dtype=object), 0)
    if frame.empty:
        raise refusal(source, "empty", "the file has no lines with text")
    return FileTables({"": frame})
